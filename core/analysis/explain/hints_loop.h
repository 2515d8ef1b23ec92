/* A loop's tuple element by element, as hints look at it; private to hints*.c. */
#ifndef CORE_ANALYSIS_EXPLAIN_HINTS_LOOP_H
#define CORE_ANALYSIS_EXPLAIN_HINTS_LOOP_H

#include "core/analysis/explain/hints_build.h"

static inline const struct loop *hint_loop(const struct hinting *c, uint32_t k)
{
    return &c->p->loops.items[k];
}

/* Element e as the body is given it, as the body returns it, and as the loop leaves it. */
struct place hint_given(const struct hlo *h, const struct loop *l, uint32_t e);
struct place hint_returned(const struct hlo *h, const struct loop *l, uint32_t e);
struct place hint_left(const struct hlo *h, const struct loop *l, uint32_t e);
/* Before the first iteration. */
struct place hint_initial(const struct hlo *h, const struct loop *l, uint32_t e);
uint32_t hint_elements(const struct hlo *h, const struct loop *l);
/* The element that place p of its body's parameter is, LOOP_NONE: it is no such place. */
uint32_t hint_element_at(const struct hlo *h, const struct loop *l, struct place p);
/* Every iteration is given the same. */
bool hint_keeps(const struct hlo *h, const struct loop *l, uint32_t e);
/* The same in every iteration: computed in the body from constants and from what the loop keeps. */
bool hint_constant(struct hinting *c, const struct loop *l, struct place p);
/* The backward pass of a gradient, as JAX writes it; without op_names, as loops.h tells. */
bool hint_is_transpose(const struct hinting *c, const struct loop *l);
/* What holds the stack at the peak, or what it feeds; BUF_NONE: neither. */
buf_id hint_stack_buffer(const struct hinting *c, const struct loop_stack *s);
/* Trip count, or how often the stack lets it run. */
int64_t hint_trips(const struct loop *l, const struct loop_stack *s);

/* What the iterations of a forward loop keep for the backward one, and for nobody else. */
struct residual {
    const struct loop_stack *stack;
    const struct loop *loop, *back;
    buf_id b;        /* alive at the peak */
    struct list rows; /* struct place: what one iteration stores, piece by piece */
    uint32_t carry;  /* element of the tuple that (a piece of) the row is, or LOOP_NONE */
};
/* False when it is none, or not at the peak. */
bool residual_of(struct hinting *c, const struct loop_stack *s, struct residual *r);
/* What an iteration stores in s, through concatenates and several dynamic-update-slices. */
struct list hint_rows(struct hinting *c, const struct loop_stack *s);

#endif
