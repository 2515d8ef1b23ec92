/* Live bytes over program order: an area of eighth blocks, with its axis, the loops beneath, and
 * the cursor.  Row k from the bottom of the plot spans [k, k + 1) * unit bytes. */
#include "tui/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_1 0x2581 /* one eighth; the next seven follow */
#define BLOCK_8 0x2588
#define BLOCK_CURSOR 0x2592
#define BLOCK_CHOSEN 0x2593

struct scale {
    double unit;     /* bytes per row */
    int every;       /* rows between figures */
    uint64_t limit;  /* shown when inside the plot; else 0 */
};

static struct scale scale_of(const struct scene *v, int rows)
{
    uint64_t most = v->p->live[v->p->peak], limit = v->s->limit;
    if (limit > most && limit <= most + most / 3)
        most = limit;
    struct axis a = axis_of(most, rows);
    return (struct scale){a.unit, a.every, limit <= most ? limit : 0};
}

/* The row, from the bottom, whose span holds the limit. */
static int limit_row(struct scale sc)
{
    return sc.limit ? (int)ceil((double)sc.limit / sc.unit) - 1 : -1;
}

static void axis(const struct scene *v, struct rect r, struct grid *g, struct scale sc)
{
    struct rect plot = v->l.plot;
    int gutter = plot.x - r.x;
    for (int k = 0; k < plot.h; k++) {
        int row = plot.y - r.y + plot.h - 1 - k;
        bool tick = (k + 1) % sc.every == 0;
        char text[16] = "";
        if (tick)
            axis_text(sc.unit * (k + 1), sc.unit * plot.h, gutter < 10, text);
        if (k == limit_row(sc))
            snprintf(text, sizeof text, "limit");
        grid_field(g, r, row, 0, gutter - 2, k == limit_row(sc) ? ST_LIMIT : ST_DIM, CUT_RIGHT,
                   text);
        grid_put(g, r, row, gutter - 1, text[0] ? 0x2524 : 0x2502, ST_RULE);
    }
}

/* One column of the plot: how many eighths are filled, and what of it is the chosen buffer's. */
struct bar {
    long eighths, chosen;
    uint64_t most;
    bool cursor, middle; /* a column of the cursor's step; the middle one */
};

static struct bar bar_of(const struct scene *v, int col, struct scale sc)
{
    uint32_t first, last;
    int a, b;
    struct bar bar = {0};
    buf_id chosen = v->chosen;
    plot_steps(v->p, v->l.plot.w, col, &first, &last);
    plot_cols(v->p, v->l.plot.w, v->s->step, &a, &b);
    bar.cursor = col >= a && col <= b;
    bar.middle = col == (a + b) / 2;
    bar.most = program_most(v->p, first, last);
    bar.eighths = lround((double)bar.most * 8 / sc.unit);
    if (bar.most && !bar.eighths)
        bar.eighths = 1;
    if (chosen != BUF_NONE && v->p->main[chosen] && v->p->start[chosen] <= last &&
        first <= v->p->end[chosen]) {
        uint64_t size = v->p->size[chosen] < bar.most ? v->p->size[chosen] : bar.most;
        bar.chosen = lround((double)size / sc.unit) * 8; /* whole rows */
    }
    return bar;
}

/* Does the filled part of row k reach beyond the limit? */
static bool is_over(struct scale sc, uint64_t most, int k)
{
    return sc.limit && most > sc.limit && sc.unit * (k + 1) > (double)sc.limit;
}

static void draw_bar(const struct scene *v, struct grid *g, int col, struct scale sc)
{
    struct rect plot = v->l.plot;
    struct bar bar = bar_of(v, col, sc);
    for (int k = 0; k < plot.h; k++) {
        int row = plot.h - 1 - k;
        long fill = bar.eighths - 8L * k;
        bool full = fill >= 8, chosen = bar.chosen > 8L * k, over = is_over(sc, bar.most, k);
        if (fill <= 0 && bar.middle)
            grid_put(g, plot, row, col, 0x2502, ST_CURSOR);
        else if (fill <= 0 && k == limit_row(sc))
            grid_put(g, plot, row, col, 0x254c, ST_LIMIT);
        else if (fill <= 0)
            continue;
        else if (bar.cursor)
            grid_put(g, plot, row, col, full ? BLOCK_CURSOR : BLOCK_1 + (uint32_t)fill - 1,
                     ST_CURSOR);
        else
            grid_put(g, plot, row, col,
                     !full    ? BLOCK_1 + (uint32_t)fill - 1
                     : chosen ? BLOCK_CHOSEN
                              : BLOCK_8,
                     over ? ST_OVER : chosen ? ST_CHOSEN : ST_LIVE);
    }
}

static void band(const struct scene *v, struct grid *g, const struct program_loop *l)
{
    struct rect r = v->l.loops;
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

/* The chosen buffer's life with the cursor's mark on it. */
static void life_line(const struct scene *v, struct grid *g)
{
    struct rect r = v->l.life;
    int a, b, unused;
    if (v->chosen != BUF_NONE) {
        plot_cols(v->p, r.w, v->p->start[v->chosen], &a, &unused);
        plot_cols(v->p, r.w, v->p->end[v->chosen], &unused, &b);
        for (int c = a; c <= b; c++)
            grid_put(g, r, 0, c, 0x2501, ST_CHOSEN);
    }
    plot_cols(v->p, r.w, v->s->step, &a, &b);
    grid_put(g, r, 0, (a + b) / 2, 0x25b2, ST_CURSOR);
}

/* What the glyphs mean, on the side of the title line that the peak's mark leaves free. */
static void legend(struct rect r, struct grid *g, int mark)
{
    static const struct {
        const char *text;
        enum style st;
    } items[] = {
        {"▼ peak", ST_PEAK}, {"▓ selected", ST_CHOSEN}, {"▒ cursor", ST_CURSOR},
    };
    int width = 2, left = 14;
    for (size_t i = 0; i < 3; i++)
        width += text_columns(items[i].text) + (i ? 2 : 0);
    int col = r.w - width - 1;
    if (mark >= col - 1)
        col = left;
    if (col < left || (mark >= col - 1 && mark <= col + width))
        return;
    grid_put(g, r, 0, col++, ' ', ST_RULE);
    for (size_t i = 0; i < 3; i++) {
        int end = grid_text(g, r, 0, col, ST_DIM, items[i].text);
        grid_paint(g, r, 0, col, 1, items[i].st);
        grid_text(g, r, 0, end, ST_RULE, i < 2 ? "  " : " ");
        col = end + 2;
    }
}

void chart_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct program *p = v->p;
    struct rect plot = v->l.plot;
    if (r.h < 3)
        return;
    int gutter = plot.x - r.x, under = plot.y - r.y + plot.h, a, b;
    rule_draw(v, r, g, v->s->focus == FOCUS_CHART, "live bytes", "");
    const char *why = !p->n                 ? "This program has no buffers."
                      : !p->live[p->peak]   ? "Nothing is alive in the main memory."
                      : p->steps == 0       ? "No program order here: all counts as alive."
                                            : NULL;
    if (why) {
        int n = text_columns(why) < r.w - 4 ? text_columns(why) : r.w - 4;
        grid_field(g, r, 1 + plot.h / 2, (r.w - n) / 2, n, ST_DIM, CUT_WORD, why);
        return;
    }
    plot_cols(p, plot.w, p->peak, &a, &b);
    int mark = gutter + (a + b) / 2;
    legend(r, g, mark);
    grid_put(g, r, 0, mark, 0x25bc, ST_PEAK);
    struct scale sc = scale_of(v, plot.h);
    axis(v, r, g, sc);
    for (int c = 0; c < plot.w; c++)
        draw_bar(v, g, c, sc);
    if (v->l.loops.h)
        grid_field(g, r, under, 0, gutter - 2, ST_DIM, CUT_RIGHT, "loops");
    for (uint32_t i = 0; i < p->n_loops; i++)
        if ((int)p->loops[i].depth < v->l.loops.h)
            band(v, g, &p->loops[i]);
    grid_field(g, r, under + v->l.loops.h, 0, gutter - 2, ST_DIM, CUT_RIGHT, "life");
    life_line(v, g);
}
