/* One frame: what the views of it share, read from the state and the program. */
#ifndef TUI_MODEL_SCENE_H
#define TUI_MODEL_SCENE_H

#include "tui/model/app.h"
#include "tui/model/layout.h"

struct scene {
    const struct program *p;
    const struct app *s;
    struct layout l;
    struct memo *memo;
    const struct alive *alive; /* at the cursor, in the table's order; with the map alone: NULL */
    struct lapse when;         /* what the table is about */
    uint32_t row;              /* the chosen line; alive->n == 0: none */
    buf_id chosen;             /* its buffer, or BUF_NONE */
    struct map_place at;       /* where the map looks, if there is one */
    const struct timeline *t;
    struct moment here;        /* the cursor's step and iterations */
    bool runs;                 /* that step runs: in no loop of no iterations */
    bool fills;                /* there are stacks in the charted space: bytes reserved but not filled */
    uint64_t filled;           /* at the cursor */
    const struct page *page;   /* MODE_PAGE */
    const struct overlay *overlay; /* what a run measured of the charted space, or NULL */
    const char *title;         /* of the chart, in place of title and legend; or NULL */
    uint64_t most;             /* its scale goes up to this at least */
    struct window time[CLOCK_COUNT]; /* what plots show */
};
static inline uint64_t scene_unit(const struct scene *v)
{
    return v->s->clock == CLOCK_EXECUTION ? v->s->at : v->s->step;
}
/* In program order too: the moment of the step, with the loops around it as they are shown. */
static inline uint64_t scene_moment(const struct scene *v)
{
    return timeline_at(v->t, &v->here);
}
/* O(buffers) at most, but for an order's first use. */
void scene_make(struct scene *v, const struct program *p, struct memo *memo, const struct app *s);

#endif
