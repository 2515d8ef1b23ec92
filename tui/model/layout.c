#include "tui/model/layout.h"

int loop_levels(const struct program *p, int most)
{
    int levels = 0;
    for (uint32_t i = 0; i < p->loops.n && levels < most; i++)
        if ((int)p->loops.items[i].depth + 1 > levels)
            levels = (int)p->loops.items[i].depth + 1;
    return levels < most ? levels : most;
}

struct plot plot_in(const struct app *s, struct rect part, int levels, int more)
{
    int gutter = part.w >= 76 && s->bytes ? AXIS + 8 : part.w >= 60 ? AXIS : 7;
    struct rect inner = {part.x + gutter, part.y + 1, part.w - gutter - 1, 0};
    struct plot pl = {inner, inner, inner};
    pl.area.h = part.h - 2 - levels - more;
    pl.loops.y += pl.area.h;
    pl.loops.h = levels;
    pl.life.y += pl.area.h + levels;
    pl.life.h = 1;
    return pl;
}

bool has_map(const struct program *p)
{
    return p->n > 0 && p->module->has_assignment;
}

/* ---- A page of the lesson has its part of the screen, and all else the rest of it ---- */

#define BESIDE 110 /* columns: the panel stands at the right */
#define SHORT 20   /* rows: it is alone, but for header and footer */
#define FORMS 84   /* columns that the whole table of forms takes */

struct split {
    int cols, rows;   /* of the views, a footer included */
    int panel;        /* columns of the panel at the right, or rows of the one below */
    bool beside, alone;
};

static struct split split_of(const struct app *s)
{
    struct split h = {.cols = s->cols, .rows = s->rows};
    if (s->lesson != LESSON_OPEN || s->mode == MODE_HELP)
        return h;
    int most = s->cols < 180 ? 56 : 72, beside = s->cols * 2 / 5 < most ? s->cols * 2 / 5 : most;
    h.beside = s->cols >= BESIDE && s->rows >= SHORT && (s->mode != MODE_GRID || s->cols - beside >= FORMS);
    h.alone = !h.beside && s->rows < SHORT;
    if (h.beside) {
        h.panel = beside;
        h.cols -= h.panel;
    } else if (!h.alone) {
        h.rows = s->rows * 2 / 5 > SCREEN_ROWS ? s->rows * 2 / 5 : SCREEN_ROWS;
        h.panel = s->rows - h.rows;
    }
    return h;
}

/* The panel among the views that are laid out. */
static void lay_lesson(const struct app *s, const struct split *h, struct layout *l)
{
    struct rect footer = {0, s->rows - 1, s->cols, 1}, panel = {0, h->rows - 1, s->cols, h->panel};
    if (h->alone) {
        struct layout only = {.header = l->header};
        *l = only;
        panel = (struct rect){0, l->header.h, s->cols, s->rows - 1 - l->header.h};
    } else if (h->beside) {
        panel = (struct rect){h->cols, 0, h->panel, s->rows - 1};
    }
    l->footer = footer;
    l->lesson = panel;
    l->lesson_list = rect_below(panel, panel.h >= 10 ? 2 : 1);
    if (h->beside) { /* a column apart from the line at its left */
        l->lesson_list.x++;
        l->lesson_list.w--;
    }
}

#define ROOMY 42 /* a page leaves the chart */
#define TALL 50 /* the map has room between chart and table */
#define WIDE 160 /* or beside the chart */

bool has_panel(const struct program *p, const struct app *s)
{
    struct split h = split_of(s);
    return has_map(p) && (h.rows >= TALL || (h.cols >= WIDE && h.rows >= 24));
}

static struct rect bottom_of(struct rect r, int h)
{
    return (struct rect){r.x, r.y + r.h - h, r.w, h};
}

/* The map alone, with what lies at its cursor under a rule of its own where there is room. */
static void lay_map(const struct program *p, const struct app *s, struct layout *l)
{
    int rows = s->rows;
    struct rect middle = {0, l->header.h, l->footer.w, l->footer.y - l->header.h};
    int list = rows < 16 ? 1 : rows < 30 ? 4 : 7;
    if (rows >= 24)
        l->strip = bottom_of(middle, 2);
    middle.h -= l->strip.h;
    l->map = middle;
    l->cells = plot_in(s, middle, loop_levels(p, rows < 30 ? 0 : 2), list);
    l->here = bottom_of(middle, list > 1 ? list - 1 : 1);
}

static void lay_parts(const struct program *p, const struct app *s, struct layout *l)
{
    l->both = s->rows >= 16;
    l->strip = (struct rect){0, 0, s->cols, s->rows < 16 ? 1 : s->rows < 36 ? 2 : 4};
    l->strip.y = s->rows - 1 - l->strip.h;
    struct rect middle = {0, l->header.h, s->cols, l->strip.y - l->header.h};
    bool panel = has_panel(p, s), between = s->rows >= TALL;
    int most = s->rows < 16 ? 0 : s->rows < 30 ? 1 : s->rows < 45 ? 2 : 3;
    int part = middle.h / (panel && between ? 3 : 2);
    l->chart = l->table = middle;
    if (l->both) {
        l->chart.h = part < 24 ? part : 24;
        l->table = rect_below(middle, l->chart.h);
    } else if (s->focus == FOCUS_TABLE || s->mode == MODE_FILTER) {
        l->chart.h = 0;
    } else {
        l->table.h = 0;
    }
    if (panel && between) {
        l->map = l->table;
        l->map.h = l->chart.h;
        l->table = rect_below(l->table, l->map.h);
    } else if (panel) {
        l->map = l->chart;
        l->chart.w = (middle.w + 1) / 2;
        l->map.x = l->chart.w;
        l->map.w = middle.w - l->chart.w;
    }
    if (l->chart.h)
        l->bars = plot_in(s, l->chart, loop_levels(p, most), 0);
    if (l->map.h) {
        l->cells = plot_in(s, l->map, between ? 0 : loop_levels(p, most), 1);
        l->here = bottom_of(l->map, 1);
    }
    if (l->table.h)
        l->list = rect_below(l->table, 2);
}

/* A page of explanations in place of table and last lines; of the chart too where rows are few. */
static void lay_page(const struct program *p, const struct app *s, struct layout *l)
{
    struct rect middle = {0, l->header.h, s->cols, l->footer.y - l->header.h};
    l->page = middle;
    if (s->rows >= ROOMY && !s->map) {
        l->chart = middle;
        l->chart.h = middle.h / 3;
        l->bars = plot_in(s, l->chart, loop_levels(p, 2), 0);
        l->page = rect_below(middle, l->chart.h);
    }
    l->page_list = rect_below(l->page, 1);
}

/* All between header and footer. */
static void lay_whole(const struct app *s, struct layout *l)
{
    l->page = (struct rect){0, l->header.h, s->cols, l->footer.y - l->header.h};
    l->page_list = rect_below(l->page, 1);
}

static struct layout lay_views(const struct program *p, const struct app *s)
{
    struct layout l = {.small = s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS};
    struct rect all = {0, 0, s->cols, s->rows};
    if (l.small)
        return l;
    l.header = all;
    l.header.h = s->rows < 14 ? 2 : s->rows >= 20 && p->n_spaces > 1 ? 4 : 3;
    l.used = s->measured && s->rows >= 20;
    l.header.h += l.used;
    l.footer = rect_line(all, s->rows - 1);
    if (s->mode == MODE_GRID || s->mode == MODE_COMPARE)
        lay_whole(s, &l);
    else if (s->mode == MODE_PAGE)
        lay_page(p, s, &l);
    else if (s->map)
        lay_map(p, s, &l);
    else
        lay_parts(p, s, &l);
    return l;
}

struct layout layout_of(const struct program *p, const struct app *s)
{
    struct split h = split_of(s);
    if (!h.panel && !h.alone)
        return lay_views(p, s);
    if (s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS)
        return (struct layout){.small = true};
    struct app views = *s;
    views.lesson = LESSON_NONE;
    views.cols = h.cols;
    views.rows = h.rows;
    struct layout l = lay_views(p, &views);
    lay_lesson(s, &h, &l);
    return l;
}
