#include "tui/layout.h"

static int loop_levels(const struct program *p, int most)
{
    int levels = 0;
    for (uint32_t i = 0; i < p->n_loops && levels < most; i++)
        if ((int)p->loops[i].depth + 1 > levels)
            levels = (int)p->loops[i].depth + 1;
    return levels < most ? levels : most;
}

static void split_chart(const struct program *p, struct layout *l, int rows)
{
    int gutter = l->chart.w >= 60 ? 11 : 7; /* the axis with its figures */
    int most = rows < 16 ? 0 : rows < 30 ? 1 : rows < 45 ? 2 : 3;
    int levels = loop_levels(p, most);
    struct rect inner = {l->chart.x + gutter, l->chart.y + 1, l->chart.w - gutter - 1, 0};
    int plot = l->chart.h - 2 - levels;
    l->plot = inner;
    l->plot.h = plot;
    l->loops = inner;
    l->loops.y += plot;
    l->loops.h = levels;
    l->life = inner;
    l->life.y += plot + levels;
    l->life.h = 1;
}

static void split_table(struct layout *l)
{
    l->list = rect_below(l->table, 2);
}

struct layout layout_of(const struct program *p, const struct app *s)
{
    struct layout l = {.small = s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS};
    struct rect all = {0, 0, s->cols, s->rows};
    if (l.small)
        return l;
    l.both = s->rows >= 16;
    l.header = all;
    l.header.h = s->rows < 14 ? 2 : 3;
    l.footer = rect_line(all, s->rows - 1);
    l.strip = all;
    l.strip.h = s->rows < 16 ? 1 : s->rows < 36 ? 2 : 4;
    l.strip.y = s->rows - 1 - l.strip.h;
    struct rect middle = {0, l.header.h, s->cols, l.strip.y - l.header.h};
    l.chart = l.table = middle;
    if (l.both) {
        l.chart.h = middle.h / 2 < 24 ? middle.h / 2 : 24;
        l.table = rect_below(middle, l.chart.h);
    } else if (s->focus == FOCUS_CHART) {
        l.table.h = 0;
    } else {
        l.chart.h = 0;
    }
    if (l.chart.h)
        split_chart(p, &l, s->rows);
    if (l.table.h)
        split_table(&l);
    return l;
}

void plot_steps(const struct program *p, int width, int col, uint32_t *first, uint32_t *last)
{
    uint64_t n = (uint64_t)p->steps + 1, w = (uint64_t)width, c = (uint64_t)col;
    if (n <= w) {
        *first = *last = (uint32_t)(c * n / w);
        return;
    }
    *first = (uint32_t)((c * n + w - 1) / w);
    *last = (uint32_t)(((c + 1) * n + w - 1) / w - 1);
}

void plot_cols(const struct program *p, int width, uint32_t step, int *first, int *last)
{
    uint64_t n = (uint64_t)p->steps + 1, w = (uint64_t)width, t = step;
    if (n > w) {
        *first = *last = (int)(t * w / n);
        return;
    }
    *first = (int)((t * w + n - 1) / n);
    *last = (int)(((t + 1) * w + n - 1) / n - 1);
}
