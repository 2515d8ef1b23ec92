/* Dimensions through what cuts and joins arrays. */
#include "core/analysis/whatif/dims_rules.h"

bool dims_is_cutting(const struct dims *z, inst_id i)
{
    enum hlo_op op = hlo_inst(z->h, i)->op;
    return op == OP_SLICE || op == OP_PAD || op == OP_CONCATENATE;
}

/* Which operand of a concatenation along d a slice of it takes back, whole; its array has rank 0 when
 * it takes anything else.  (Horizontal fusion joins what it computes together, and cuts it again.) */
static struct dims_array taken_back(const struct dims *z, inst_id joined, uint32_t d, struct hlo_slice s)
{
    const struct hlo_inst *x = hlo_inst(z->h, joined);
    int64_t at = 0;
    if (x->op != OP_CONCATENATE || x->dims.n == 0 || hlo_dims(z->h, joined)[0] != d || s.stride != 1)
        return (struct dims_array){0};
    for (uint32_t k = 0; k < x->operands.n; k++) {
        struct dims_array part = operand(z, joined, k, 0);
        if (d >= part.rank || at > s.start)
            break;
        if (at == s.start && s.limit - s.start == part.size[d])
            return part;
        at += part.size[d]; /* ends where the concatenation does, in sound programs */
    }
    return (struct dims_array){0};
}

/* A dimension taken whole is the same; of one that is cut, what reaches its end follows the length,
 * and what does not may. */
void dims_visit_slice(struct dims *z, inst_id i)
{
    struct dims_array out = dims_array(z, i, 0), in = operand(z, i, 0, 0);
    const struct hlo_slice *s = hlo_slices(z->h, i);
    for (uint32_t d = 0; d < out.rank && d < in.rank; d++) {
        if (out.size[d] == in.size[d]) {
            dims_link(z, in.pos, d, out.pos, d);
            continue;
        }
        struct dims_array part = {0};
        if (d < hlo_inst(z->h, i)->slices.n)
            part = taken_back(z, hlo_operand(z->h, i, 0), d, s[d]);
        if (part.rank) {
            dims_link(z, part.pos, d, out.pos, d);
            continue;
        }
        struct dim_mark a = dims_at(z, in.pos, d), b = dims_at(z, out.pos, d);
        bool to_end = d < hlo_inst(z->h, i)->slices.n && s[d].limit == in.size[d] && s[d].stride == 1;
        if (a.outer || b.outer)
            dims_doubt(z, DOUBT_CUT, i);
        if (a.outer == 1 && a.inner == 1 && to_end && s[d].start < z->n / 2)
            dims_set(z, out.pos, d, a);
        if (b.outer == 1 && b.inner == 1)
            dims_set(z, in.pos, d, b);
    }
}

void dims_visit_pad(struct dims *z, inst_id i)
{
    struct dims_array out = dims_array(z, i, 0), in = operand(z, i, 0, 0);
    for (uint32_t d = 0; d < out.rank && d < in.rank; d++) {
        bool any = dims_at(z, in.pos, d).outer || dims_at(z, out.pos, d).outer;
        if (out.size[d] != in.size[d] && any)
            dims_doubt(z, DOUBT_CUT, i);
        if (out.size[d] == in.size[d] || any)
            dims_link(z, in.pos, d, out.pos, d);
    }
}

/* The dimension along which it joins is as long as all together. */
static void join(struct dims *z, inst_id i, uint32_t d, struct dims_array out)
{
    struct dim_mark sum = {0, 1}, had = dims_at(z, out.pos, d);
    for (uint32_t k = 0; k < hlo_inst(z->h, i)->operands.n; k++) {
        struct dims_array in = operand(z, i, k, 0);
        struct dim_mark m = d < in.rank ? dims_at(z, in.pos, d) : (struct dim_mark){0, 0};
        int64_t part;
        if (m.outer && (__builtin_mul_overflow(m.outer, m.inner, &part) ||
                        __builtin_add_overflow(sum.outer, part, &sum.outer)))
            return;
    }
    if (!sum.outer && !had.outer)
        return;
    if (sum.outer && !had.outer)
        dims_set(z, out.pos, d, sum);
    if (sum.outer)
        return;
    dims_doubt(z, DOUBT_CUT, i);
    for (uint32_t k = 0; k < hlo_inst(z->h, i)->operands.n; k++) {
        struct dims_array in = operand(z, i, k, 0);
        if (d < in.rank && in.size[d] == z->n)
            dims_set(z, in.pos, d, (struct dim_mark){1, 1});
    }
}

void dims_visit_concatenate(struct dims *z, inst_id i)
{
    struct dims_array out = dims_array(z, i, 0);
    int64_t along = hlo_inst(z->h, i)->dims.n ? hlo_dims(z->h, i)[0] : -1;
    for (uint32_t d = 0; d < out.rank; d++) {
        if (d == along) {
            join(z, i, d, out);
            continue;
        }
        for (uint32_t k = 0; k < hlo_inst(z->h, i)->operands.n; k++) {
            struct dims_array in = operand(z, i, k, 0);
            if (d < in.rank)
                dims_link(z, in.pos, d, out.pos, d);
        }
        for (uint32_t k = 0; k < hlo_inst(z->h, i)->operands.n; k++) {
            struct dims_array in = operand(z, i, k, 0); /* what the last one told, for the first */
            if (d < in.rank)
                dims_link(z, in.pos, d, out.pos, d);
        }
    }
}
