/* What must hold of every analysed program at every step. */
#ifndef TESTS_PROGRAM_SOUND_H
#define TESTS_PROGRAM_SOUND_H

#include "core/analysis/program/program.h"
#include "tests/support/tables.h"

static inline void alive_in_order(const struct program *p, const buf_id *ids, const uint64_t *own,
                           uint32_t n, uint32_t step)
{
    for (uint32_t k = 0; k < n; k++) {
        buf_id b = ids[k];
        assert_true(p->start[b] <= step && step <= p->end[b]);
        assert_true(own[k] <= p->size[b]);
        if (k == 0)
            continue;
        buf_id a = ids[k - 1];
        bool ordered = own[k - 1] != own[k]       ? own[k - 1] > own[k]
                       : p->size[a] != p->size[b] ? p->size[a] > p->size[b]
                                                  : a < b;
        if (!ordered)
            fail_msg("step %u: %s stands before %s", step, p->name_of[a], p->name_of[b]);
    }
}

static inline void sound_steps(const struct program *p)
{
    buf_id *ids = malloc(((size_t)p->n + 1) * sizeof *ids), *again = malloc(p->n * sizeof *ids + 1);
    uint64_t *own = malloc(((size_t)p->n + 1) * sizeof *own);
    assert_true(ids && own && again);
    for (uint32_t step = 0; step <= p->steps; step++) {
        uint32_t n = program_alive(p, step, ids, own), count = 0;
        uint64_t sum = 0;
        for (buf_id b = 0; b < p->n; b++)
            count += p->start[b] <= step && step <= p->end[b];
        assert_int_equal(n, count);
        alive_in_order(p, ids, own, n, step);
        for (uint32_t k = 0; k < n; k++)
            sum += p->main[ids[k]] ? own[k] : 0;
        if (sum != p->live[step])
            fail_msg("%s, step %u: %llu bytes are owned, %llu are live", p->name, step,
                     (unsigned long long)sum, (unsigned long long)p->live[step]);
        assert_int_equal(program_alive(p, step, again, NULL), n);
        assert_memory_equal(again, ids, n * sizeof *ids);
    }
    free(ids);
    free(again);
    free(own);
}

static inline void sound_columns(const struct program *p)
{
    for (buf_id b = 0; b < p->n; b++) {
        assert_true(p->start[b] <= p->end[b] && p->end[b] <= p->steps);
        assert_true(p->slot[b] < p->n_slots);
        assert_non_null(p->name_of[b]);
        assert_non_null(p->shape[b]);
        for (buf_id c = 0; c < b; c++)
            assert_int_equal(p->slot[b] == p->slot[c], program_group(p, b) == program_group(p, c) &&
                                                           p->offset[b] == p->offset[c]);
    }
    for (uint32_t s = 0; s <= p->steps; s++)
        assert_true(s < p->peak ? p->live[s] < p->live[p->peak] : p->live[s] <= p->live[p->peak]);
    assert_true(program_space_most(p, 0, 0, p->steps) == p->live[p->peak]);
    assert_true(program_space_most(p, 0, p->peak, p->peak) == p->live[p->peak]);
    assert_true(program_space_most(p, 0, p->steps, UINT32_MAX) == p->live[p->steps]);
}

static inline void sound_loops(const struct program *p)
{
    for (uint32_t k = 0; k < p->loops.n; k++) {
        const struct loop *x = &p->loops.items[k];
        uint32_t around = 0;
        assert_true(x->first <= x->last && x->last < p->steps);
        assert_string_equal(p->step_name[x->last + 1], x->name); /* the while closes its body */
        for (uint32_t j = 0; j < p->loops.n; j++) {
            const struct loop *y = &p->loops.items[j];
            around += j != k && y->first <= x->first && x->last <= y->last;
            assert_true(j <= k || y->first >= x->first);
        }
        assert_int_equal(x->depth, around);
    }
}

static inline void sound(const struct program *p)
{
    sound_columns(p);
    sound_loops(p);
    sound_steps(p);
}

#endif
