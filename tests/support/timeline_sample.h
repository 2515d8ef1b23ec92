/* Programs made by hand for tests of the timeline: loops, stacks and buffers, no instructions. */
#ifndef TESTS_TIMELINE_SAMPLE_H
#define TESTS_TIMELINE_SAMPLE_H

#include "core/analysis/program/timeline.h"
#include "tests/support/random.h"
#include <stdlib.h>
#include <string.h>

struct clocked {
    struct module module;
    struct program program;
    uint32_t room; /* for buffers */
};

static inline void clocked_open(struct clocked *c, uint32_t steps, uint32_t loops, uint32_t stacks,
                                uint32_t buffers)
{
    struct program *p = &c->program;
    memset(c, 0, sizeof *c);
    p->module = &c->module;
    c->module.platform = PLATFORM_GPU;
    c->room = buffers;
    struct arena *a = &p->arena;
    p->steps = steps;
    p->loops.items = arena_array(a, (size_t)loops + 1, sizeof *p->loops.items);
    p->loops.stacks = arena_array(a, (size_t)stacks + 1, sizeof *p->loops.stacks);
    p->size = arena_array(a, buffers, sizeof *p->size);
    p->offset = arena_array(a, buffers, sizeof *p->offset);
    p->alloc = arena_array(a, buffers, sizeof *p->alloc);
    p->start = arena_array(a, buffers, sizeof *p->start);
    p->end = arena_array(a, buffers, sizeof *p->end);
    p->slot = arena_array(a, buffers, sizeof *p->slot);
    p->color = arena_array(a, buffers, sizeof *p->color);
    p->space = arena_array(a, buffers, sizeof *p->space);
    p->main = arena_array(a, buffers, sizeof *p->main);
    p->value = arena_array(a, buffers, sizeof *p->value);
    p->dataflow.set = arena_array(a, buffers, sizeof *p->dataflow.set);
}

/* Loops must come outer before inner, by first step. */
static inline uint32_t clocked_loop(struct clocked *c, uint32_t first, uint32_t last, int64_t trips)
{
    struct loops *l = &c->program.loops;
    l->items[l->n] = (struct loop){.name = "while", .inst = HLO_NONE, .first = first, .last = last,
                                   .parent = LOOP_NONE, .trip_count = trips, .pair = LOOP_NONE,
                                   .induction = LOOP_NONE};
    return l->n++;
}

/* A buffer of an alias set, which is numbered by its first buffer; `set` UINT32_MAX: a new one. */
static inline buf_id clocked_buffer(struct clocked *c, uint32_t set, uint32_t alloc, uint64_t offset,
                                    uint64_t size, uint32_t start, uint32_t end)
{
    struct program *p = &c->program;
    buf_id b = p->n++;
    p->alloc[b] = alloc;
    p->offset[b] = offset;
    p->size[b] = size;
    p->start[b] = start;
    p->end[b] = end;
    p->value[b] = b;
    p->dataflow.set[b] = set == UINT32_MAX ? b : set;
    return b;
}

/* Slots by iteration: 1 at iteration 0 for stride 1 and so on, or from the other end. */
static inline struct loop_stack *clocked_stack(struct clocked *c, uint32_t loop, buf_id b,
                                               enum stack_access access, int64_t slots,
                                               uint64_t slot_bytes, uint32_t touched)
{
    struct loops *l = &c->program.loops;
    struct loop_stack *s = &l->stacks[l->n_stacks++];
    *s = (struct loop_stack){.loop = loop, .value = b, .access = access, .slots = slots,
                             .bytes = (uint64_t)slots * slot_bytes, .slot_bytes = slot_bytes,
                             .regular = true, .fresh = true, .stride = 1, .width = 1, .touched = touched,
                             .by = HLO_NONE, .slice = HLO_NONE, .carry = LOOP_NONE, .feeds = LOOP_NONE};
    if (access == ACCESS_DRAIN) {
        s->first = slots - 1;
        s->stride = -1;
    }
    return s;
}

#define CLOCKED_LARGE_NAME "300 columns over 100,000 steps, 48 loops, 200 stacks"
enum { CLOCKED_STEPS = 100000, CLOCKED_LOOPS = 48, CLOCKED_STACKS = 200, CLOCKED_SLOTS = 1000, CLOCKED_COLUMNS = 300 };

/* 24 loops, one in each of them, 1.3 * 10^9 moments; stacks of 16,000 bytes, half of them filled by the first
 * loop and drained by the last, the others by loops that follow each other. */
static inline void clocked_large(struct clocked *c)
{
    clocked_open(c, CLOCKED_STEPS, CLOCKED_LOOPS, 2 * CLOCKED_STACKS, CLOCKED_STACKS);
    for (uint32_t k = 0; k < CLOCKED_LOOPS; k += 2) { /* an inner one in each outer */
        uint32_t first = k / 2 * 4000 + 100;
        clocked_loop(c, first, first + 3000, CLOCKED_SLOTS);
        clocked_loop(c, first + 1000, first + 2000, 50);
    }
    for (uint32_t k = 0; k < CLOCKED_STACKS; k++) {
        uint32_t from = k < 100 ? 0 : 2 * below((uint64_t[]){k}, CLOCKED_LOOPS / 2 - 1), to = k < 100 ? 46 : from + 2;
        const struct loop *a = &c->program.loops.items[from], *z = &c->program.loops.items[to];
        buf_id b = clocked_buffer(c, UINT32_MAX, k, 0, CLOCKED_SLOTS * 16, a->first - 50, z->last + 1);
        clocked_stack(c, from, b, ACCESS_FILL, CLOCKED_SLOTS, 16, a->first + 4 * k);
        clocked_stack(c, to, b, ACCESS_DRAIN, CLOCKED_SLOTS, 16, z->first + 4 * k);
    }
    program_finish(&c->program);
}

/* Columns [from, to) of its chart in execution order, and in program order. */
static inline struct timeline_range clocked_columns(const struct timeline *t, uint32_t from, uint32_t to)
{
    uint64_t most = t->moments;
    return timeline_range(t, most * from / CLOCKED_COLUMNS, most * to / CLOCKED_COLUMNS - 1);
}

static inline struct timeline_range clocked_columns_steps(const struct timeline *t, uint32_t from, uint32_t to,
                                                          const struct moment *with)
{
    return timeline_range_steps(t, CLOCKED_STEPS * from / CLOCKED_COLUMNS, CLOCKED_STEPS * to / CLOCKED_COLUMNS - 1, with);
}

static inline void clocked_free(struct clocked *c)
{
    arena_free(&c->program.arena);
    arena_free(&c->module.arena);
}

#endif
