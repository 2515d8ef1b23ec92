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
    struct axis axis;
    double unit;    /* bytes per row */
    uint64_t limit; /* shown when inside the plot; else 0 */
};

static const struct program_space *space_of(const struct scene *v)
{
    return &v->p->spaces[v->s->space];
}

static struct scale scale_of(const struct scene *v, int rows)
{
    uint64_t most = space_of(v)->live[space_of(v)->peak];
    uint64_t limit = v->s->space == 0 ? v->s->limit : 0;
    if (limit > most && limit <= most + most / 3)
        most = limit;
    struct axis a = axis_of(most, rows);
    return (struct scale){a, a.unit, limit <= most ? limit : 0};
}

/* The row, from the bottom, whose span holds the limit. */
static int limit_row(struct scale sc)
{
    return sc.limit ? (int)ceil((double)sc.limit / sc.unit) - 1 : -1;
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
    plot_steps(v->p, v->l.bars.area.w, col, &first, &last);
    plot_cols(v->p, v->l.bars.area.w, v->s->step, &a, &b);
    bar.cursor = col >= a && col <= b;
    bar.middle = col == (a + b) / 2;
    bar.most = program_space_most(v->p, v->s->space, first, last);
    bar.eighths = lround((double)bar.most * 8 / sc.unit);
    if (bar.most && !bar.eighths)
        bar.eighths = 1;
    if (chosen != BUF_NONE && v->p->space[chosen] == v->s->space && v->p->start[chosen] <= last &&
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
    struct rect plot = v->l.bars.area;
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

/* What the glyphs mean, on the side of the title line that the peak's mark leaves free. */
static void legend(struct rect r, struct grid *g, int mark, int left)
{
    static const struct {
        const char *text;
        enum style st;
    } items[] = {
        {"▼ peak", ST_PEAK}, {"▓ selected", ST_CHOSEN}, {"▒ cursor", ST_CURSOR},
    };
    int width = 2;
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
    const struct program_space *space = space_of(v);
    struct rect plot = v->l.bars.area;
    char title[60];
    if (r.h < 3)
        return;
    int gutter = plot.x - r.x, a, b;
    bool named = p->n_spaces > 1 && strcmp(space->name, "default") != 0;
    snprintf(title, sizeof title, named ? "live bytes in %s" : "live bytes", space->name);
    rule_draw(r, g, v->l.both && app_scope(p, v->s) == IN_CHART, title, "");
    const char *why = !p->n                       ? "This program has no buffers."
                      : !space->live[space->peak] ? "Nothing is alive in this memory."
                      : p->steps == 0             ? "No program order here: all counts as alive."
                                                  : NULL;
    if (why) {
        int n = text_columns(why) < r.w - 4 ? text_columns(why) : r.w - 4;
        grid_field(g, r, 1 + plot.h / 2, (r.w - n) / 2, n, ST_DIM, CUT_WORD, why);
        return;
    }
    plot_cols(p, plot.w, space->peak, &a, &b);
    int mark = gutter + (a + b) / 2;
    legend(r, g, mark, text_columns(title) + 4);
    grid_put(g, r, 0, mark, 0x25bc, ST_PEAK);
    struct scale sc = scale_of(v, plot.h);
    plot_axis(r, plot, g, sc.axis, limit_row(sc));
    for (int c = 0; c < plot.w; c++)
        draw_bar(v, g, c, sc);
    plot_loops(v, r, &v->l.bars, g);
    plot_life(v, r, &v->l.bars, g, v->chosen);
}
