/* Two programs made from the same source, on the same inputs: how far their results are apart, and how
 * far they may be.
 *
 * The unit is measured, not chosen: the first program is run again on inputs that are changed at random
 * by half a step of the narrowest float type in either program, and each result's relative change
 * is taken (all relative to the result's largest number).  Sums in another order change some hundreds
 * of roundings, an input one each: allowed are PAIR_CHANGES times that change, and always PAIR_LEAST or
 * one step of that type.  Where nothing can be told, that is said and counted as no comparison. */
#ifndef TESTS_PAIR_H
#define TESTS_PAIR_H

#include "core/load/proto/detail.h"
#include "core/base/memory.h"
#include "gpu/base/values.h"
#include "gpu/exec.h"
#include "gpu/tape/tape.h"

struct hlo;

#define PAIR_CHANGES 32
#define PAIR_LEAST 1e-6
#define PAIR_MOST 0.5 /* a result that may be apart by so much tells nothing */

enum { PAIR_RESULTS = 4096 };

struct pair_results {
    struct pair_result {
        uint8_t type;
        int64_t n;
        char *row; /* elements of the type, row by row */
        double change; /* under noise */
    } of[PAIR_RESULTS];
    uint32_t n;
};

/* Takes copies of what a run of the program gave. */
void pair_keep(const struct hlo *h, const struct exec_result *x, struct pair_results *out);
void pair_free(struct pair_results *x);
/* Half a step, relative, of the narrowest float type of the program. */
double pair_noise(const struct hlo *h);
/* Notes what noise has changed; `changed` is freed. */
void pair_changed(struct pair_results *a, struct pair_results *changed);
/* One line: "pair: ...", with APART or "no comparison" in it if so; "not judged" with a noise of 0, when no
 * change was measured. */
void pair_print(const struct pair_results *a, const struct pair_results *b, double noise);

#endif
