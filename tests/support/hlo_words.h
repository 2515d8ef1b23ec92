/* What constants, compares and slices say, and the buffers that are given away, in words. */
#ifndef TESTS_HLO_WORDS_H
#define TESTS_HLO_WORDS_H

#include "core/model/hlo.h"
#include "tests/support/words.h"

static inline void put_attributes(struct words *o, const struct hlo *h, inst_id i)
{
    static const char *const directions[] = {[COMPARE_EQ] = "EQ", [COMPARE_NE] = "NE",
                                             [COMPARE_GE] = "GE", [COMPARE_GT] = "GT",
                                             [COMPARE_LE] = "LE", [COMPARE_LT] = "LT"};
    const struct hlo_inst *x = hlo_inst(h, i);
    if (x->has_scalar)
        put(o, " =%lld", (long long)x->scalar);
    if (x->is_zero)
        put(o, " zero");
    if (x->compare)
        put(o, " %s", directions[x->compare]);
    for (uint32_t k = 0; k < x->slices.n; k++)
        put(o, " [%lld:%lld:%lld]", (long long)hlo_slices(h, i)[k].start,
            (long long)hlo_slices(h, i)[k].limit, (long long)hlo_slices(h, i)[k].stride);
}

static inline void put_donors(struct words *o, const struct hlo *h)
{
    for (uint32_t k = 0; k < h->donors.n; k++) {
        const struct hlo_donor *d = (const struct hlo_donor *)h->donors.items + k;
        put(o, " donor %lld.%u", (long long)d->param, d->node);
    }
}

#endif
