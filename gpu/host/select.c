/* select-and-scatter: each window of the operand picks one element, the first that the region does not
 * give up for a later one; the source's number of that window is folded into the result there. */
#include "gpu/host/combine.h"
#include "gpu/host/host.h"

#include <string.h>

struct select_job {
    const struct unit_call *e;
    const struct stage *s;
    struct nd in, source, out;
    int64_t size[TAPE_RANK], stride[TAPE_RANK], low[TAPE_RANK];
};

/* Where element `at` of window `index` stands in the operand, as an offset there; -1: in the padding.
 * The result may have another layout: *out is the offset in it. */
static int64_t window_at(const struct select_job *j, const int64_t *index, const int64_t *at, int64_t *out)
{
    int64_t from = *out = 0;
    for (uint32_t d = 0; d < j->in.rank; d++) {
        int64_t i = index[d] * j->stride[d] - j->low[d] + at[d];
        if (i < 0 || i >= j->in.dims[d])
            return -1;
        from += i * j->in.stride[d];
        *out += i * j->out.stride[d];
    }
    return from;
}

/* Windows [first, first + n): where each picks, in the result; -1: nowhere. */
static void pick(const struct select_job *j, struct tape_regs *regs, int64_t first, size_t n, int64_t *picked)
{
    char best[TAPE_BLOCK * REG_BYTES], next[TAPE_BLOCK * REG_BYTES], old[TAPE_BLOCK * REG_BYTES];
    int64_t at[TAPE_RANK] = {0}, index[TAPE_RANK], from[TAPE_BLOCK], to[TAPE_BLOCK];
    size_t which[TAPE_BLOCK], size = class_size(j->in.elem.cls);
    void *arguments[] = {old, next};
    for (size_t k = 0; k < n; k++)
        picked[k] = -1;
    do {
        size_t m = 0;
        nd_index(first, j->source.rank, j->source.dims, index);
        for (size_t k = 0; k < n; k++, nd_next(j->source.rank, j->source.dims, index)) {
            from[m] = window_at(j, index, at, &to[m]);
            which[m] = k;
            m += from[m] >= 0;
        }
        if (!m)
            continue;
        elem_gather(&j->in.elem, j->in.at, from, next, m);
        for (size_t q = 0; q < m; q++)
            memcpy(old + q * size, best + which[q] * size, size);
        tape_region(regs, arguments, m);
        const int64_t *keep = regs->reg[regs->bound->tape->result[0]];
        for (size_t q = 0; q < m; q++)
            if (picked[which[q]] < 0 || !keep[q]) {
                picked[which[q]] = to[q];
                memcpy(best + which[q] * size, next + q * size, size);
            }
    } while (nd_next(j->in.rank, j->size, at));
}

/* Two windows may pick the same element: one after the other, in order. */
static void scatter(const struct select_job *j, struct combiner *c, int64_t first, size_t n, const int64_t *picked)
{
    int64_t index[TAPE_RANK];
    unsigned size = j->out.elem.size;
    nd_index(first, j->source.rank, j->source.dims, index);
    for (size_t k = 0; k < n; k++, nd_next(j->source.rank, j->source.dims, index)) {
        char acc[REG_BYTES] = {0}, val[REG_BYTES] = {0};
        void *a[] = {acc}, *b[] = {val};
        if (picked[k] < 0)
            continue;
        elem_load(&j->out.elem, j->out.at + picked[k] * size, 1, acc, 1);
        elem_load(&j->source.elem, j->source.at + nd_offset(&j->source, index) * size, 1, val, 1);
        combine(c, a, b, 1);
        elem_store(&j->out.elem, acc, j->out.at + picked[k] * size, 1, 1);
    }
}

static void all_windows(const struct select_job *j)
{
    struct combiner c;
    struct tape_bound bound;
    struct tape_regs regs;
    int64_t picked[TAPE_BLOCK];
    combiner_open(&c, j->e, j->s, &j->out.elem, 1);
    tape_bind(&bound, &j->s->tape, j->e);
    regs_open(&regs, &bound);
    for (int64_t k = 0; k < j->source.n; k += TAPE_BLOCK) {
        size_t n = j->source.n - k < TAPE_BLOCK ? (size_t)(j->source.n - k) : TAPE_BLOCK;
        pick(j, &regs, k, n, picked);
        scatter(j, &c, k, n, picked);
    }
    regs_close(&regs);
    tape_unbind(&bound);
    combiner_close(&c);
}

void host_select(const struct unit_call *e, const struct stage *s)
{
    struct select_job j = {.e = e, .s = s, .in = nd_in(e, s, 0), .source = nd_in(e, s, 1), .out = nd_out(e, s, 0)};
    struct nd init = nd_in(e, s, 2);
    bool any = j.source.n > 0;
    for (uint32_t d = 0; d < j.in.rank; d++) {
        const Tmd__WindowDimension *w = s->detail->window->dimensions[d];
        j.size[d] = w->size;
        j.stride[d] = w->stride ? w->stride : 1;
        j.low[d] = w->padding_low;
        any = any && w->size > 0;
    }
    for (int64_t k = 0; k < j.out.n; k++) /* all the same: layouts have no gaps */
        memcpy(j.out.at + k * j.out.elem.size, init.at, j.out.elem.size);
    if (any && j.in.n)
        all_windows(&j);
}
