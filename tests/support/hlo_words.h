/* A program in words, as the tests of its readers write it. */
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

/* `ids`: with the ids of instructions, as a proto has them. */
static inline void put_inst(struct words *o, const struct hlo *h, inst_id i, bool ids)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct hlo_alias *alias = h->aliases.items;
    char shape[512];
    put(o, "%s%s ", hlo_comp(h, x->comp)->root == i ? "*" : "", x->name);
    if (ids)
        put(o, "#%lld ", (long long)x->id);
    put(o, "%s %s(", shape_text(&h->shapes, x->shape, true, shape, sizeof shape), x->opcode);
    for (uint32_t k = 0; k < x->operands.n; k++)
        put(o, "%s%s", k ? " " : "", hlo_inst(h, hlo_operand(h, i, k))->name);
    put(o, ")");
    if (x->number >= 0)
        put(o, ids ? " %lld" : " #%lld", (long long)x->number);
    put_attributes(o, h, i);
    for (uint32_t k = 0; k < x->calls.n; k++)
        put(o, " @%s", hlo_comp(h, hlo_call(h, i, k))->name);
    for (uint32_t k = x->aliases.first; k < x->aliases.first + x->aliases.n; k++)
        put(o, " %u<-%u.%u", alias[k].out, alias[k].operand, alias[k].operand_node);
    if (x->kind)
        put(o, " kind=%s", x->kind);
    if (x->backend_config)
        put(o, " config=%s", x->backend_config);
    if (x->op_name)
        put(o, " op_name=%s", x->op_name);
    if (x->file)
        put(o, " at %s:%u", x->file, x->line);
    put(o, "\n");
}

static inline void put_frames(struct words *o, const struct hlo *h)
{
    for (uint32_t f = 1; f < h->frames.n; f++) {
        const struct hlo_frame *x = (const struct hlo_frame *)h->frames.items + f;
        put(o, "frame %u %s %s:%u:%u < %u\n", f, x->function ? x->function : "-",
            x->file ? x->file : "-", x->line, x->column, x->parent);
    }
}

/* With ids: and the order in which each computation runs. */
static inline void put_program(struct words *o, const struct hlo *h, bool ids)
{
    put(o, "%s%s", h->name, h->scheduled ? " scheduled" : "");
    for (uint32_t k = 0; k < h->io_alias.n; k++) {
        const struct hlo_io_alias *a = (const struct hlo_io_alias *)h->io_alias.items + k;
        put(o, " %u<-%lld.%u", a->out, (long long)a->param, a->param_node);
    }
    put_donors(o, h);
    put(o, "\n");
    put_frames(o, h);
    for (comp_id c = 0; c < h->comps.n; c++) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        put(o, "%s%s", c == h->entry ? "ENTRY " : "", comp->name);
        if (ids)
            put(o, " #%lld", (long long)comp->id);
        put(o, ":");
        for (uint32_t k = 0; ids && k < comp->order.n; k++)
            put(o, " %s", hlo_inst(h, ((inst_id *)h->order.items)[comp->order.first + k])->name);
        put(o, "\n");
        for (uint32_t k = 0; k < comp->insts.n; k++)
            put_inst(o, h, comp->insts.first + k, ids);
    }
}

#endif
