/* The order of propagation: a queue of instructions, and the numbers it goes by. */
#include "core/analysis/flow/dataflow_build.h"

#include <stdlib.h>

static bool before(const struct queue *q, inst_id a, inst_id b)
{
    if (q->ordinal[a] != q->ordinal[b])
        return q->ordinal[a] < q->ordinal[b];
    return hlo_inst(q->h, a)->id < hlo_inst(q->h, b)->id;
}

void queue_add(struct queue *q, inst_id i)
{
    if (q->in[i])
        return;
    q->in[i] = true;
    uint32_t k = q->n++;
    while (k > 0 && before(q, i, q->heap[(k - 1) / 2])) {
        q->heap[k] = q->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    q->heap[k] = i;
}

static inst_id heap_take(struct queue *q)
{
    inst_id top = q->heap[0], last = q->heap[--q->n];
    uint32_t k = 0;
    for (;;) {
        uint32_t child = 2 * k + 1;
        if (child >= q->n)
            break;
        if (child + 1 < q->n && before(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!before(q, q->heap[child], last))
            break;
        q->heap[k] = q->heap[child];
        k = child;
    }
    if (q->n)
        q->heap[k] = last;
    return top;
}

inst_id queue_take(struct queue *q)
{
    bool fresh = q->at < q->n_first;
    if (!fresh && q->n == 0)
        return HLO_NONE;
    inst_id i = fresh && (q->n == 0 || before(q, q->first[q->at], q->heap[0])) ? q->first[q->at++]
                                                                              : heap_take(q);
    q->in[i] = false;
    return i;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static bool is_flattened_call(enum hlo_op op)
{
    return op == OP_CALL || op == OP_ASYNC_START || op == OP_CONDITIONAL || op == OP_WHILE;
}

/* Instructions of a computation with all that it calls, repeats counted. */
static uint64_t *total_insts(const struct builder *b)
{
    const struct hlo *h = b->h;
    uint64_t *total = arena_array(b->arena, h->comps.n, sizeof *total);
    for (inst_id i = 0; i < h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        total[x->comp] = add_capped(total[x->comp], 1);
        for (uint32_t k = 0; is_flattened_call(x->op) && k < x->calls.n; k++)
            total[x->comp] = add_capped(total[x->comp], total[hlo_call(h, i, k)]);
    }
    return total;
}

/* Numbers instructions depth first: callees before their caller, a while's condition before its
 * body.  A computation that is called again keeps its numbers but counts once more.  Recursion is
 * bounded by HLO_CALL_DEPTH. */
static uint64_t number_from(const struct hlo *h, comp_id c, uint64_t n, const uint64_t *total,
                            bool *seen, uint64_t *ordinal)
{
    if (seen[c])
        return add_capped(n, total[c]);
    seen[c] = true;
    const struct span insts = hlo_comp(h, c)->insts;
    for (inst_id i = insts.first; i < insts.first + insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        if (x->op == OP_WHILE) {
            n = number_from(h, while_condition(h, i), n, total, seen, ordinal);
            n = number_from(h, while_body(h, i), n, total, seen, ordinal);
        } else if (is_flattened_call(x->op)) {
            for (uint32_t k = 0; k < x->calls.n; k++)
                n = number_from(h, hlo_call(h, i, k), n, total, seen, ordinal);
        }
        ordinal[i] = n;
        n = add_capped(n, 1);
    }
    return n;
}

struct keyed {
    uint64_t ordinal;
    int64_t id;
    inst_id inst;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->ordinal != y->ordinal)
        return x->ordinal < y->ordinal ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

void queue_init(struct queue *q, const struct builder *b)
{
    const struct hlo *h = b->h;
    *q = (struct queue){.h = h,
                        .ordinal = arena_array(b->arena, h->insts.n, sizeof *q->ordinal),
                        .in = arena_array(b->arena, h->insts.n, sizeof *q->in),
                        .first = arena_array(b->arena, h->insts.n, sizeof *q->first),
                        .heap = arena_array(b->arena, h->insts.n, sizeof *q->heap),
                        .n_first = h->insts.n};
    bool *seen = arena_array(b->arena, h->comps.n, sizeof *seen);
    number_from(h, h->entry, 0, total_insts(b), seen, q->ordinal);
    struct keyed *keys = arena_array(b->arena, h->insts.n, sizeof *keys);
    for (inst_id i = 0; i < h->insts.n; i++) {
        keys[i] = (struct keyed){q->ordinal[i], hlo_inst(h, i)->id, i};
        q->in[i] = true;
    }
    if (h->insts.n)
        qsort(keys, h->insts.n, sizeof *keys, by_key);
    for (uint32_t k = 0; k < h->insts.n; k++)
        q->first[k] = keys[k].inst;
}
