/* What plots over time share: the axis at the left, loops and a buffer's life beneath. */
#include "tui/views.h"

#include <stdio.h>

void plot_axis(struct rect r, struct rect area, struct grid *g, struct axis a, int limit)
{
    int gutter = area.x - r.x;
    for (int k = 0; k < area.h; k++) {
        int row = area.y - r.y + area.h - 1 - k;
        bool tick = (k + 1) % a.every == 0;
        char text[16] = "";
        if (tick)
            axis_text(a.unit * (k + 1), a.unit * area.h, gutter < 10, text);
        if (k == limit)
            snprintf(text, sizeof text, "limit");
        grid_field(g, r, row, 0, gutter - 2, k == limit ? ST_LIMIT : ST_DIM, CUT_RIGHT, text);
        grid_put(g, r, row, gutter - 1, text[0] ? 0x2524 : 0x2502, ST_RULE);
    }
}

static void band(const struct scene *v, struct rect r, struct grid *g, const struct loop *l)
{
    int a, b, unused, row = (int)l->depth;
    plot_cols(v->p, r.w, l->first, &a, &unused);
    plot_cols(v->p, r.w, l->last, &unused, &b);
    bool in = v->s->step >= l->first && v->s->step <= l->last;
    enum style st = in ? ST_LOOP_IN : ST_LOOP;
    for (int c = a; c <= b; c++)
        grid_put(g, r, row, c, a == b ? 0x2502 : c == a ? 0x251c : c == b ? 0x2524 : 0x2500, st);
    char times[32] = "", text[160];
    if (l->trip_count >= 0)
        snprintf(times, sizeof times, "×%lld", (long long)l->trip_count);
    snprintf(text, sizeof text, " %.100s%s%s ", l->name, times[0] ? " " : "", times);
    int room = b - a - 3;
    if (text_columns(text) > room)
        snprintf(text, sizeof text, "%s%s%s", times[0] ? " " : "", times, times[0] ? " " : "");
    int n = text_columns(text);
    if (n && n <= room)
        grid_text(g, r, row, a + (b - a + 1 - n) / 2, st, text);
}

void plot_loops(const struct scene *v, struct rect r, const struct plot *pl, struct grid *g)
{
    if (!pl->loops.h)
        return;
    grid_field(g, r, pl->loops.y - r.y, 0, pl->loops.x - r.x - 2, ST_DIM, CUT_RIGHT, "loops");
    for (uint32_t i = 0; i < v->p->loops.n; i++)
        if ((int)v->p->loops.items[i].depth < pl->loops.h)
            band(v, pl->loops, g, &v->p->loops.items[i]);
}

void plot_life(const struct scene *v, struct rect r, const struct plot *pl, struct grid *g,
               buf_id chosen)
{
    struct rect life = pl->life;
    int a, b, unused;
    grid_field(g, r, life.y - r.y, 0, life.x - r.x - 2, ST_DIM, CUT_RIGHT, "life");
    if (chosen != BUF_NONE) {
        plot_cols(v->p, life.w, v->p->start[chosen], &a, &unused);
        plot_cols(v->p, life.w, v->p->end[chosen], &unused, &b);
        for (int c = a; c <= b; c++)
            grid_put(g, life, 0, c, 0x2501, ST_CHOSEN);
    }
    plot_cols(v->p, life.w, v->s->step, &a, &b);
    grid_put(g, life, 0, (a + b) / 2, 0x25b2, ST_CURSOR);
}
