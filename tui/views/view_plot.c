/* What plots over time share: the axis at the left, and a buffer's life beneath. */
#include "tui/views/views.h"

#include <stdio.h>

void plot_axis(const struct app *s, struct rect r, struct rect area, struct grid *g, struct axis a, int limit)
{
    int gutter = area.x - r.x;
    for (int k = 0; k < area.h; k++) {
        int row = area.y - r.y + area.h - 1 - k;
        bool tick = (k + 1) % a.every == 0;
        char text[AMOUNT] = "";
        if (tick && s->bytes && gutter > AXIS)
            amount(s, (uint64_t)(a.unit * (k + 1) + 0.5), text);
        else if (tick)
            axis_text(a.unit * (k + 1), a.unit * area.h, gutter < 10, text);
        if (k == limit)
            snprintf(text, sizeof text, "limit");
        grid_field(g, r, row, 0, gutter - 2, k == limit ? ST_LIMIT : ST_DIM, CUT_RIGHT, text);
        grid_put(g, r, row, gutter - 1, text[0] ? 0x2524 : 0x2502, ST_RULE);
    }
}

static bool in_steps(const struct steps *ran, int n, uint32_t start, uint32_t end)
{
    bool in = false;
    for (int k = 0; k < n; k++)
        in = in || (start <= ran[k].last && ran[k].first <= end);
    return in;
}

/* Is buffer b alive in this column? */
static bool lives_in(const struct scene *v, enum clock clock, int width, int col, buf_id b)
{
    struct steps ran[2];
    uint64_t first, last;
    int n = 1;
    window_units(v->time[clock], width, col, &first, &last);
    if (clock == CLOCK_EXECUTION)
        n = clock_steps(v->t, first, last, ran);
    else
        ran[0] = (struct steps){(uint32_t)first, (uint32_t)last};
    return in_steps(ran, n, v->p->start[b], v->p->end[b]);
}

/* There is more at the left, at the right. */
static void more(struct window w, uint64_t n, struct rect life, struct grid *g)
{
    if (w.first > 0)
        grid_put(g, life, 0, 0, 0x25c2, ST_KEY);
    if (w.first + (w.n - 1) < n - 1)
        grid_put(g, life, 0, life.w - 1, 0x25b8, ST_KEY);
}

/* The selected time, between brackets. */
static void range(const struct scene *v, enum clock clock, struct rect life, struct grid *g)
{
    uint64_t from, to;
    int first, last;
    if (!app_range(v->s, &from, &to) || !window_cols(v->time[clock], life.w, from, to, &first, &last))
        return;
    grid_put(g, life, 0, first, '[', ST_CURSOR);
    grid_put(g, life, 0, last, ']', ST_CURSOR);
}

void plot_life(const struct scene *v, struct rect r, const struct plot *pl, enum clock clock,
               struct grid *g, buf_id b)
{
    struct rect life = pl->life;
    int first, last;
    grid_field(g, r, life.y - r.y, 0, life.x - r.x - 2, ST_DIM, CUT_RIGHT, "life");
    for (int c = 0; b != BUF_NONE && c < life.w; c++)
        if (lives_in(v, clock, life.w, c, b))
            grid_put(g, life, 0, c, 0x2501, ST_CHOSEN);
    if (clock == v->s->clock)
        range(v, clock, life, g);
    more(v->time[clock], clock_units(v->t, clock), life, g);
    uint64_t at = clock == CLOCK_EXECUTION ? v->s->at : v->s->step;
    if (window_cols(v->time[clock], life.w, at, at, &first, &last))
        grid_put(g, life, 0, (first + last) / 2, 0x25b2, ST_CURSOR);
}
