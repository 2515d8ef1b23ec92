/* sort and TopK. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/engine/nd.h"
#include "gpu/host/host.h"
#include "gpu/host/tape.h"

#include <string.h>

struct sort_job {
    const struct unit_call *e;
    const struct stage *s;
    struct nd in[16], out[16];
    uint32_t n, dim;
    int64_t length, lines;
};

/* One line: its elements as registers hold them, and the region that compares two. */
struct line {
    const struct sort_job *j;
    char *value[16]; /* [length] of each operand */
    struct tape_bound bound;
    struct tape_regs regs;
};

static bool less(struct line *l, int64_t a, int64_t b)
{
    const struct tape *t = l->j->s->region;
    void *arguments[32];
    for (uint32_t v = 0; v < l->j->n; v++) {
        size_t size = class_size(l->j->in[v].elem.cls);
        arguments[2 * v] = l->value[v] + (size_t)a * size;
        arguments[2 * v + 1] = l->value[v] + (size_t)b * size;
    }
    tape_region(&l->regs, arguments, 1);
    return *(const int64_t *)l->regs.reg[t->result[0]] != 0;
}

/* Merge sort of indices, bottom up: stable. */
static int64_t *sorted(struct line *l, int64_t *index, int64_t *other)
{
    int64_t n = l->j->length;
    for (int64_t k = 0; k < n; k++)
        index[k] = k;
    for (int64_t half = 1; half < n; half *= 2) {
        for (int64_t from = 0; from < n; from += 2 * half) {
            int64_t mid = from + half < n ? from + half : n, end = mid + half < n ? mid + half : n;
            int64_t a = from, b = mid, to = from;
            bool in_order = b >= end || !less(l, index[b], index[b - 1]);
            while (a < mid && b < end && !in_order)
                other[to++] = less(l, index[b], index[a]) ? index[b++] : index[a++];
            memcpy(other + to, index + a, (size_t)(mid - a) * sizeof *index);
            memcpy(other + to + (mid - a), index + b, (size_t)(end - b) * sizeof *index);
        }
        int64_t *swap = index;
        index = other;
        other = swap;
    }
    return index;
}

static int64_t line_start(const struct nd *a, uint32_t dim, int64_t line)
{
    int64_t at = 0;
    for (uint32_t d = a->rank; d-- > 0;)
        if (d != dim && a->dims[d] > 1) { /* of no elements there are no lines, but the first is asked for */
            at += line % a->dims[d] * a->stride[d];
            line /= a->dims[d];
        }
    return at;
}

static void sort_part(void *ctx, uint64_t k, unsigned worker)
{
    const struct sort_job *j = ctx;
    struct line l = {.j = j};
    (void)worker;
    tape_bind(&l.bound, j->s->region, j->e);
    regs_open(&l.regs, &l.bound);
    int64_t *a = memory_zeroed(1, (size_t)j->length * 8), *b = memory_zeroed(1, (size_t)j->length * 8);
    for (uint32_t v = 0; v < j->n; v++) {
        l.value[v] = memory_zeroed(1, (size_t)j->length * 8);
        elem_load(&j->in[v].elem, j->in[v].at + line_start(&j->in[v], j->dim, (int64_t)k) * j->in[v].elem.size,
                  j->in[v].stride[j->dim], l.value[v], (size_t)j->length);
    }
    int64_t *order = sorted(&l, a, b);
    for (uint32_t v = 0; v < j->n; v++) {
        const struct nd *o = &j->out[v];
        size_t size = class_size(o->elem.cls);
        for (int64_t q = 0; q < j->length; q++)
            elem_store(&o->elem, l.value[v] + (size_t)order[q] * size,
                       o->at + (line_start(o, j->dim, (int64_t)k) + q * o->stride[j->dim]) * o->elem.size, 1, 1);
        free(l.value[v]);
    }
    free(a);
    free(b);
    regs_close(&l.regs);
    tape_unbind(&l.bound);
}

void host_sort(const struct unit_call *e, const struct stage *s)
{
    struct sort_job j = {.e = e, .s = s, .n = s->n_in, .dim = (uint32_t)s->number};
    for (uint32_t v = 0; v < s->n_in; v++) {
        j.in[v] = nd_in(e, s, v);
        j.out[v] = nd_out(e, s, v);
    }
    if (!j.in[0].n || j.dim >= j.in[0].rank)
        return;
    j.length = j.in[0].dims[j.dim];
    j.lines = j.in[0].n / j.length;
    threads_each(e->threads, (uint64_t)j.lines, sort_part, &j);
}

/* ---- TopK: along the last dimension, largest first; of equals the one that stands first ---- */

struct ranked {
    int64_t key, at;
};

/* Sign and magnitude as one integer: the total order of floats. */
static int64_t total_order(const struct elem *e, const char *reg)
{
    int64_t i;
    if (e->cls == CLASS_F32) {
        int32_t f;
        memcpy(&f, reg, 4);
        return f < 0 ? (int64_t)INT32_MIN - f : f;
    }
    memcpy(&i, reg, 8);
    return e->cls == CLASS_F64 && i < 0 ? INT64_MIN - i : i;
}

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

void host_topk(const struct unit_call *e, const struct stage *s)
{
    struct nd in = nd_in(e, s, 0), value = nd_out(e, s, 0), index = nd_out(e, s, 1);
    uint32_t dim = in.rank - 1;
    if (!in.rank || !in.n || !value.n)
        return;
    int64_t n = in.dims[dim], k = value.dims[dim];
    struct ranked *all = memory_zeroed(1, (size_t)n * sizeof *all);
    for (int64_t line = 0; line < in.n / n; line++) {
        int64_t from = line_start(&in, dim, line), to = line_start(&value, dim, line), ix = line_start(&index, dim, line);
        for (int64_t q = 0; q < n; q++) {
            char reg[8] = {0};
            elem_load(&in.elem, in.at + (from + q * in.stride[dim]) * in.elem.size, 1, reg, 1);
            all[q] = (struct ranked){total_order(&in.elem, reg), q};
        }
        qsort(all, (size_t)n, sizeof *all, by_rank);
        for (int64_t q = 0; q < k && q < n; q++) {
            memcpy(value.at + (to + q * value.stride[dim]) * value.elem.size,
                   in.at + (from + all[q].at * in.stride[dim]) * in.elem.size, in.elem.size);
            elem_store(&index.elem, &all[q].at, index.at + (ix + q * index.stride[dim]) * index.elem.size, 1, 1);
        }
    }
    free(all);
}
