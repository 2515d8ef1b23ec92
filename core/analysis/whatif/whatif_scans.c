#include "core/analysis/whatif/whatif.h"

#include <stdlib.h>
#include <string.h>

/* Slots that one iteration goes through, when its stacks are gone through evenly; else 0. */
static int64_t slots_an_iteration(const struct loop *l, const struct loop_stack *s)
{
    int64_t step = s->stride < 0 ? -s->stride : s->stride, all;
    if (!s->regular || step < 1 || s->slots < 2 || __builtin_mul_overflow(step, l->trip_count, &all))
        return 0;
    return all <= s->slots && s->slots - all < step ? step : 0; /* the rest is peeled off */
}

static uint64_t add_stacks(const struct program *p, uint32_t loop, struct whatif_scan *scan,
                           uint64_t *most)
{
    const struct loops *l = &p->loops;
    uint64_t sum = 0;
    if (loop == LOOP_NONE)
        return 0;
    struct span of = l->items[loop].stacks;
    for (uint32_t k = 0; k < of.n; k++) {
        const struct loop_stack *s = &l->stacks[of.first + k];
        int64_t step = slots_an_iteration(&l->items[loop], s);
        if (__builtin_add_overflow(sum, s->bytes, &sum))
            sum = UINT64_MAX;
        if (step == 0 || s->bytes < *most)
            continue;
        *most = s->bytes;
        scan->seqlen = scan->slots = s->slots;
        scan->unroll = step;
    }
    return sum;
}

/* ---- Steps that lie together in one slot ---- */

/* jax.lax.scan unrolls over blocks of steps: it slices each step out of the block that an iteration is
 * given, and concatenates what the steps give.  These are its own operations, directly in the body; the
 * user's are in a closed_call (since jax 0.7; before, they cannot be told apart). */
static bool is_blocks(const struct hlo *h, const struct loop *l)
{
    struct span insts = hlo_comp(h, hlo_call(h, l->inst, 0))->insts;
    bool own = false, closed = false;
    for (inst_id i = insts.first; i < insts.first + insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        struct span in = x->op == OP_FUSION ? hlo_comp(h, hlo_call(h, i, 0))->insts : (struct span){i, 1};
        for (inst_id k = in.first; k < in.first + in.n; k++) {
            const char *name = hlo_inst(h, k)->op_name, *last = name ? strrchr(name, '/') : NULL;
            if (!last)
                continue;
            closed |= strstr(name, "/while/body/closed_call") != NULL;
            own |= (strcmp(last, "/slice") == 0 || strcmp(last, "/concatenate") == 0) &&
                   last - name >= 11 && memcmp(last - 11, "/while/body", 11) == 0;
        }
    }
    return own && closed;
}

/* The size behind the slots' dimension, if all stacks of the loop have the same; else 0. */
static int64_t block_of(const struct program *p, uint32_t loop, int64_t block)
{
    const struct hlo *h = &p->module->hlo;
    if (loop == LOOP_NONE)
        return block;
    const struct loop *l = &p->loops.items[loop];
    for (uint32_t k = 0; k < l->stacks.n; k++) {
        const struct loop_stack *s = &p->loops.stacks[l->stacks.first + k];
        const struct hlo_inst *x = hlo_inst(h, l->inst);
        const struct shape_node *node =
            shape_node(&h->shapes, x->shape + shape_child(&h->shapes, x->shape, s->element));
        int64_t size = s->dim + 1 < node->dims.n ? shape_numbers(&h->shapes, node->dims)[s->dim + 1] : 0;
        if (size == 0 || (block && size != block))
            return 0;
        block = size;
    }
    return block;
}

static void read_blocks(const struct program *p, struct whatif_scan *scan)
{
    const struct hlo *h = &p->module->hlo;
    uint32_t any = scan->forward != LOOP_NONE ? scan->forward : scan->backward;
    int64_t block = block_of(p, scan->forward, 0), steps;
    if (block || scan->forward == LOOP_NONE)
        block = block_of(p, scan->backward, block);
    if (block < 2 || scan->unroll != 1 || !is_blocks(h, &p->loops.items[any]) ||
        __builtin_mul_overflow(scan->slots, block, &steps))
        return;
    scan->unroll = block;
    scan->seqlen = steps;
}

static bool read_scan(const struct program *p, uint32_t k, struct whatif_scan *scan)
{
    const struct loop *l = &p->loops.items[k];
    bool back = l->pass == PASS_BACKWARD;
    if (l->trip_count < 1 || (l->pair != LOOP_NONE && (back || l->pair >= p->loops.n)))
        return false; /* a pair is met at its forward pass */
    *scan = (struct whatif_scan){.forward = back ? LOOP_NONE : k, .backward = back ? k : l->pair,
                                 .seqlen = l->trip_count, .unroll = 1,
                                 .slots = l->trip_count};
    uint64_t most = 0;
    uint64_t forward = add_stacks(p, scan->forward, scan, &most);
    uint64_t backward = add_stacks(p, scan->backward, scan, &most);
    scan->stack_bytes = forward > backward ? forward : backward;
    read_blocks(p, scan);
    return true;
}

static uint32_t first_loop(const struct whatif_scan *s)
{
    return s->forward != LOOP_NONE ? s->forward : s->backward;
}

static int by_bytes(const void *a, const void *b)
{
    const struct whatif_scan *x = a, *y = b;
    if (x->stack_bytes != y->stack_bytes)
        return x->stack_bytes > y->stack_bytes ? -1 : 1;
    return (first_loop(x) > first_loop(y)) - (first_loop(x) < first_loop(y));
}

struct list whatif_scans(const struct program *p, struct arena *a)
{
    struct list scans = {0};
    for (uint32_t k = 0; k < p->loops.n; k++) {
        struct whatif_scan scan;
        if (read_scan(p, k, &scan))
            *(struct whatif_scan *)list_add(a, &scans, sizeof scan) = scan;
    }
    if (scans.n)
        qsort(scans.items, scans.n, sizeof(struct whatif_scan), by_bytes);
    return scans;
}
