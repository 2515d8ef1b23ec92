/* Live bytes over time: an area of eighth blocks, with its axis, the loops beneath, and the cursor.
 * What is filled is solid; what is reserved for slots that hold nothing (yet, or no more) stands above
 * it, light.  Row k from the bottom of the plot spans [k, k + 1) * unit bytes. */
#include "tui/views/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_1 0x2581 /* one eighth; the next seven follow */
#define BLOCK_8 0x2588
#define LINE_TOUCHED 0x2550
#define BLOCK_EMPTY 0x2591
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
    most = v->most > most ? v->most : most;
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

/* ---- Columns ---- */

/* One column of the plot, in eighths of a row. */
struct bar {
    long reserved, filled;
    long touched;              /* with a run: the row of what it has touched so far, else -1 */
    long chosen, chosen_empty; /* what of it is the chosen buffer's */
    uint64_t most;
    bool banded; /* coloured by role */
    struct bands bands;
};

static long eighths_of(uint64_t bytes, struct scale sc)
{
    long n = lround((double)bytes * 8 / sc.unit);
    return bytes && !n ? 1 : n;
}

/* The most bytes reserved and filled in a column, and the steps that run in it. */
struct column {
    uint64_t reserved, filled, last; /* last: its last moment */
    struct steps steps[2];
    int n;
};

/* In program order each loop around a step stands at one iteration. */
static void add_filled_steps(const struct scene *v, struct column *c)
{
    struct steps s = c->steps[0];
    struct moment last = clock_at_step(v->p, s.last, &v->here);
    c->filled = timeline_range_steps(v->t, s.first, s.last, &v->here).most_filled;
    c->last = timeline_at(v->t, &last);
}

static void add_moments(const struct scene *v, struct column *c, uint64_t first)
{
    struct timeline_range most = timeline_range(v->t, first, c->last);
    c->reserved = most.most_reserved;
    c->filled = most.most_filled;
}

static struct column column_of(const struct scene *v, int col)
{
    struct column c = {.n = 1};
    uint64_t first;
    window_units(v->time[v->s->clock], v->l.bars.area.w, col, &first, &c.last);
    if (v->s->clock == CLOCK_EXECUTION)
        c.n = clock_steps(v->t, first, c.last, c.steps);
    else
        c.steps[0] = (struct steps){(uint32_t)first, (uint32_t)c.last};
    if (v->s->clock == CLOCK_EXECUTION && v->s->space == 0) {
        add_moments(v, &c, first);
        return c;
    }
    for (int k = 0; k < c.n; k++) { /* the other memories: what is reserved alone */
        uint64_t n = program_space_most(v->p, v->s->space, c.steps[k].first, c.steps[k].last);
        c.reserved = n > c.reserved ? n : c.reserved;
    }
    c.filled = c.reserved;
    if (v->fills)
        add_filled_steps(v, &c);
    return c;
}

static bool in_column(const struct column *c, uint32_t start, uint32_t end)
{
    bool in = false;
    for (int k = 0; k < c->n; k++)
        in = in || (start <= c->steps[k].last && c->steps[k].first <= end);
    return in;
}

/* Whole rows of the chosen buffer: its slots that hold data, and those that do not. */
static void add_chosen(const struct scene *v, const struct column *c, struct scale sc, struct bar *bar)
{
    buf_id b = v->chosen;
    int64_t filled, slots;
    if (b == BUF_NONE || v->p->space[b] != v->s->space || !in_column(c, v->p->start[b], v->p->end[b]))
        return;
    double size = (double)(v->p->size[b] < bar->most ? v->p->size[b] : bar->most), part = 1;
    if (v->fills && timeline_slots(v->t, b, c->last, &filled, &slots) && slots > 0)
        part = (double)filled / (double)slots;
    bar->chosen = lround(size * part / sc.unit) * 8;
    bar->chosen_empty = lround(size * (1 - part) * 8 / sc.unit);
}

static struct bar bar_of(const struct scene *v, int col, struct scale sc, bool colored)
{
    struct column c = column_of(v, col);
    struct bar bar = {.reserved = eighths_of(c.reserved, sc), .filled = eighths_of(c.filled, sc),
                      .most = c.reserved, .touched = -1};
    struct overlay_most ran;
    if (run_column(v, col, &ran)) {
        bar.filled = eighths_of(ran.held, sc);
        bar.touched = ran.touched ? (long)ceil((double)ran.touched / sc.unit - 0.0625) - 1 : -1;
    }
    add_chosen(v, &c, sc, &bar);
    bar.banded = colored && bands_of(v, c.steps, c.n, &bar.bands);
    return bar;
}

/* ---- Cells ---- */

/* Does the part of row k that is used reach beyond the limit? */
static bool is_over(struct scale sc, uint64_t most, int k)
{
    return sc.limit && most > sc.limit && sc.unit * (k + 1) > (double)sc.limit;
}

/* A cell that holds data, at least an eighth of it; at least half of one that is all reserved. */
static void filled_cell(const struct bar *bar, int k, bool cursor, bool over, uint32_t *ch, enum style *st)
{
    long fill = bar->filled - 8L * k;
    bool full = fill >= 8 || bar->reserved >= 8L * (k + 1), chosen = bar->chosen > 8L * k;
    *ch = !full    ? BLOCK_1 + (uint32_t)fill - 1
          : cursor ? BLOCK_CURSOR
          : chosen ? BLOCK_CHOSEN
                   : BLOCK_8;
    *st = cursor ? ST_CURSOR : over ? ST_OVER : chosen ? ST_CHOSEN : ST_LIVE;
}

static bool is_selected(const struct scene *v, int col, int width)
{
    uint64_t from, to;
    int first, last;
    return app_range(v->s, &from, &to) && window_cols(v->time[v->s->clock], width, from, to, &first, &last) &&
           first <= col && col <= last;
}

static void draw_bar(const struct scene *v, struct grid *g, int col, const struct bar *bar,
                     struct scale sc)
{
    struct rect plot = v->l.bars.area;
    int a, b;
    bool shown = window_cols(v->time[v->s->clock], plot.w, scene_unit(v), scene_unit(v), &a, &b);
    bool cursor = shown && col >= a && col <= b, middle = shown && col == (a + b) / 2;
    bool selected = is_selected(v, col, plot.w);
    for (int k = 0; k < plot.h; k++) {
        bool over = is_over(sc, bar->most, k);
        uint32_t ch = 0;
        enum style st = ST_PLAIN;
        long least = bar->reserved >= 8L * (k + 1) ? 4 : 1;
        if (bar->filled - 8L * k >= least) {
            filled_cell(bar, k, cursor, over, &ch, &st);
        } else if (bar->reserved - 8L * k >= 4 && bar->reserved > bar->filled) { /* half a row */
            ch = BLOCK_EMPTY;
            st = cursor                                         ? ST_CURSOR
                 : over                                         ? ST_OVER
                 : bar->filled + bar->chosen_empty > 8L * k + 4 ? ST_CHOSEN
                                                                : ST_LIVE;
        } else if (middle) {
            ch = 0x2502;
            st = ST_CURSOR;
        } else if (selected) {
            ch = 0x00b7;
            st = ST_CURSOR;
        } else if (k == limit_row(sc)) {
            ch = 0x254c;
            st = ST_LIMIT;
        }
        if (st == ST_LIVE && bar->banded)
            st = bands_style(&bar->bands, (k + 0.5) * sc.unit);
        if (k == bar->touched) {
            ch = LINE_TOUCHED;
            st = cursor ? ST_CURSOR : ST_USED;
        }
        if (ch)
            grid_put(g, plot, plot.h - 1 - k, col, ch, st);
    }
}

/* ---- The title's line ---- */

static enum style style_of(uint32_t glyph)
{
    return glyph == 0x25bc         ? ST_PEAK
           : glyph == BLOCK_CHOSEN ? ST_CHOSEN
           : glyph == BLOCK_CURSOR ? ST_CURSOR
           : glyph == LINE_TOUCHED ? ST_USED
           : glyph > 0x2500        ? ST_LIVE
                                   : ST_DIM;
}

/* What the glyphs mean, in as many words as columns [from, to) hold with a blank at each side. */
static void legend(const struct scene *v, struct rect r, struct grid *g, int from, int to)
{
    static const char *const texts[] = {
        "▼ peak  █ filled  ░ reserved, empty  ▓ selected  ▒ cursor",
        "▼ peak  █ filled  ░ empty  ▓ selected  ▒ cursor",
        "█ filled  ░ empty  ▓ selected",
        "█ filled  ░ empty",
        "▼ peak  ▓ selected  ▒ cursor",
        "▓ selected",
        "▼ peak  █ filled as measured  ═ touched  ░ planned  ▓ selected  ▒ cursor",
        "▼ peak  █ filled as measured  ═ touched  ░ planned",
        "█ filled  ═ touched  ░ planned",
        "█ filled  ░ planned",
        "▼ peak  ═ touched  ▓ selected  ▒ cursor",
        "═ touched",
    };
    size_t first = v->overlay ? (v->fills ? 6 : 10) : v->fills ? 0 : 4;
    for (size_t i = first; i < first + (v->fills ? 4 : 2); i++) {
        int col = to - text_columns(texts[i]) - 1;
        if (col <= from)
            continue;
        grid_put(g, r, 0, col - 1, ' ', ST_RULE);
        for (const char *at = texts[i]; *at; col++) {
            uint32_t ch = text_next(&at);
            grid_put(g, r, 0, col, ch, ch == ' ' ? ST_RULE : style_of(ch));
        }
        grid_put(g, r, 0, col, ' ', ST_RULE);
        return;
    }
}

/* Roles at the left, if the chart is coloured by them, and the glyphs. */
static void legends(const struct scene *v, struct rect r, struct grid *g, const struct bar *bars, int from, int to)
{
    struct bands all = {{0}, 0};
    for (int c = 0; c < v->l.bars.area.w && bars[c].banded; c++)
        for (int k = 0; k < ROLE_COUNT; k++)
            all.of[k] = bars[c].bands.of[k] > all.of[k] ? bars[c].bands.of[k] : all.of[k];
    int half = bars[0].banded && to - from >= 50 ? from + (to - from) * 3 / 5 : from;
    legend(v, r, g, half, to);
    if (half > from)
        bands_legend(&all, r, g, from, half);
}

/* The peak's marks over the plot: in execution order over each time that it comes back.  Then the
 * legend in the widest stretch that they leave free, from column `left` on. */
static void draw_marks(const struct scene *v, struct rect r, struct grid *g, const struct bar *bars, int left)
{
    uint64_t most = space_of(v)->live[space_of(v)->peak];
    struct rect plot = v->l.bars.area;
    int a, b, from = left, best_from = left, best_to = left, middle = -1;
    uint64_t peak = space_of(v)->peak;
    if (window_cols(v->time[CLOCK_PROGRAM], plot.w, peak, peak, &a, &b))
        middle = (a + b) / 2;
    for (int c = left - (plot.x - r.x); c <= plot.w; c++) {
        bool again = c >= 0 && c < plot.w && bars[c].most == most && (c == 0 || bars[c - 1].most != most);
        bool here = v->s->clock == CLOCK_PROGRAM ? c == middle : again;
        int col = plot.x - r.x + c;
        if (!here && c < plot.w)
            continue;
        if (col - from > best_to - best_from) {
            best_from = from;
            best_to = col;
        }
        from = col + 1;
    }
    if (!v->title && best_to > best_from)
        legends(v, r, g, bars, best_from, best_to);
    for (int c = 0; c < plot.w; c++) {
        bool again = bars[c].most == most && (c == 0 || bars[c - 1].most != most);
        if ((v->s->clock == CLOCK_EXECUTION || v->title) && plot.x - r.x + c < left - 1)
            continue; /* one of several, or not the only sign of it: the title goes first */
        if (v->s->clock == CLOCK_PROGRAM ? c == middle : again)
            grid_put(g, r, 0, plot.x - r.x + c, 0x25bc, ST_PEAK);
    }
}

/* ", steps 12–45 of 1204": the part that is shown. */
static void window_text(const struct scene *v, int cols, char *out, size_t size)
{
    struct window w = v->time[v->s->clock];
    uint64_t n = clock_units(v->t, v->s->clock);
    size_t len = strlen(out);
    const char *unit = v->s->clock == CLOCK_EXECUTION ? " moments" : " steps";
    if (w.n < n && len < size)
        snprintf(out + len, size - len, ",%s %llu–%llu of %llu", cols < 60 ? "" : unit, (unsigned long long)w.first,
                 (unsigned long long)w.first + (w.n - 1), (unsigned long long)(n - 1));
}

static void title_of(const struct scene *v, int cols, char *out, size_t size)
{
    if (v->overlay && cols >= 60) {
        snprintf(out, size, "measured on %.12s, %s", v->overlay->m->backend, clock_name(v->s->clock));
        return;
    }
    const struct program_space *space = space_of(v);
    bool named = v->p->n_spaces > 1 && strcmp(space->name, "default") != 0;
    int n = snprintf(out, size, named ? "live bytes in %s" : "live bytes", space->name);
    if (cols < 60 && v->s->clock == CLOCK_EXECUTION)
        snprintf(out, size, named ? "%s, %s" : "%s", clock_name(v->s->clock), space->name);
    else if (cols >= 60 && v->p->loops.n && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", %s", clock_name(v->s->clock));
    window_text(v, cols, out, size);
}

/* The title's line; behind the peak's mark where that would stand in its words.  Returns the column
 * from which on there is room. */
static int draw_title(const struct scene *v, struct rect r, struct grid *g, const char *title)
{
    bool focus = v->l.both && app_scope(v->p, v->s) == IN_CHART;
    int end = text_columns(title) + 4, a = 0, b = 0;
    uint64_t peak = space_of(v)->peak;
    bool marked = window_cols(v->time[CLOCK_PROGRAM], v->l.bars.area.w, peak, peak, &a, &b);
    int mark = v->l.bars.area.x - r.x + (a + b) / 2;
    bool within = marked && v->s->clock == CLOCK_PROGRAM && !v->title && mark < end - 1;
    rule_draw(r, g, focus, within ? "" : title, "");
    if (!within)
        return end;
    enum style st = focus ? ST_FOCUS : ST_RULE;
    if (mark + 2 + text_columns(title) + 1 > r.w)
        title = "live bytes";
    grid_put(g, r, 0, mark + 1, ' ', st);
    end = grid_text(g, r, 0, mark + 2, ST_TITLE, title);
    grid_put(g, r, 0, end, ' ', st);
    return end + 1;
}

void chart_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct program *p = v->p;
    const struct program_space *space = space_of(v);
    struct rect plot = v->l.bars.area;
    struct arena scratch = {0};
    char title[160];
    if (r.h < 3)
        return;
    if (v->title)
        snprintf(title, sizeof title, "%s", v->title);
    else
        title_of(v, r.w, title, sizeof title);
    const char *why = !p->n                       ? "This program has no buffers."
                      : !space->live[space->peak] ? "Nothing is alive in this memory."
                      : p->steps == 0             ? "No program order here: all counts as alive."
                                                  : NULL;
    int left = text_columns(title) + 4;
    if (why)
        rule_draw(r, g, v->l.both && app_scope(p, v->s) == IN_CHART, title, "");
    else
        left = draw_title(v, r, g, title);
    if (why) {
        int n = text_columns(why) < r.w - 4 ? text_columns(why) : r.w - 4;
        grid_field(g, r, 1 + plot.h / 2, (r.w - n) / 2, n, ST_DIM, CUT_WORD, why);
        return;
    }
    struct scale sc = scale_of(v, plot.h);
    struct bar *bars = arena_array(&scratch, (size_t)plot.w + 1, sizeof *bars);
    for (int c = 0; c < plot.w; c++)
        bars[c] = bar_of(v, c, sc, g->colors > 0);
    draw_marks(v, r, g, bars, left);
    plot_axis(v->s, r, plot, g, sc.axis, limit_row(sc));
    for (int c = 0; c < plot.w; c++)
        draw_bar(v, g, c, &bars[c], sc);
    plot_loops(v, r, &v->l.bars, v->s->clock, g);
    plot_life(v, r, &v->l.bars, v->s->clock, g, v->chosen);
    arena_free(&scratch);
}
