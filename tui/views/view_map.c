/* The address map: every buffer of one allocation a rectangle, its offsets upwards, its life to the
 * right; under it what lies at the cursor. */
#include "tui/views/views.h"

#include "core/base/file.h"

#include <stdio.h>

#define HOLE 0x2219
static const uint32_t shade_here[] = {0x2593, 0x2588}; /* alive at the cursor's step */
static const uint32_t shade_other[] = {0x2591, 0x2592};
#define SHADE_CHOSEN 0x2501

/* ---- Cells ---- */

struct marks {
    int row;         /* of the cursor, from the bottom */
    int first, last; /* its columns, closed; -1: not shown */
    int low, high, born, dies; /* rows and columns of the chosen buffer; empty when not here */
};

static struct map *map_of(const struct scene *v)
{
    return v->s->map ? &v->memo->full : &v->memo->panel;
}

static struct marks marks_of(const struct scene *v, const struct map_scale *sc, int width)
{
    const struct program *p = v->p;
    struct marks m = {.row = map_row(sc, v->at.offset), .low = 1, .high = 0, .first = -1, .last = -1};
    struct window time = v->time[CLOCK_PROGRAM];
    buf_id b = v->at.chosen;
    window_cols(time, width, v->s->step, v->s->step, &m.first, &m.last);
    if (b == BUF_NONE || program_group(p, b) != v->at.group)
        return m;
    if (window_cols(time, width, p->start[b], p->end[b], &m.born, &m.dies))
        map_rows(sc, p, b, &m.low, &m.high);
    return m;
}

static void draw_cell(const struct scene *v, struct grid *g, const struct marks *m, int row, int col)
{
    const struct program *p = v->p;
    const struct map *map = map_of(v);
    struct rect area = v->l.cells.area;
    buf_id b = map->cell[(size_t)row * (size_t)map->w + (size_t)col];
    bool cursor = col >= m->first && col <= m->last;
    uint32_t ch = HOLE;
    enum style st = ST_DIM;
    if (m->low <= row && row <= m->high && m->born <= col && col <= m->dies) {
        ch = SHADE_CHOSEN;
        st = ST_CHOSEN;
    } else if (b != BUF_NONE) {
        bool here = p->start[b] <= v->s->step && v->s->step <= p->end[b];
        ch = (here ? shade_here : shade_other)[map->shade[b]];
        st = here ? ST_LIVE : ST_DIM;
    }
    if (cursor)
        st = row == m->row ? ST_ROW : ST_CURSOR;
    grid_put(g, area, area.h - 1 - row, col, ch, st);
}

static void draw_cells(const struct scene *v, struct rect r, struct grid *g,
                       const struct map_scale *sc)
{
    struct rect area = v->l.cells.area;
    struct marks m = marks_of(v, sc, area.w);
    map_get(map_of(v), v->p, v->at.group, v->time[CLOCK_PROGRAM], area.w, area.h);
    plot_axis(v->s, r, area, g, (struct axis){sc->unit, sc->every}, -1);
    for (int row = 0; row < sc->used; row++)
        for (int col = 0; col < area.w; col++)
            draw_cell(v, g, &m, row, col);
    grid_put(g, r, area.y - r.y + area.h - 1 - m.row, area.x - r.x - 1, 0x25b8, ST_CURSOR);
}

/* ---- What lies at the cursor ---- */

static int digits_of(const struct program *p)
{
    int n = snprintf(NULL, 0, "%u", (unsigned)p->steps);
    return n < 2 ? 2 : n;
}

static void here_row(const struct scene *v, struct grid *g, int row, buf_id b, const char *more)
{
    const struct program *p = v->p;
    struct rect r = v->l.here;
    char text[300], size[AMOUNT];
    bool chosen = b == v->at.chosen, wide = r.w >= 60;
    enum style st = chosen ? ST_ROW : ST_PLAIN;
    int digits = digits_of(p), end = r.w - 1, gap = wide ? 2 : 1;
    if (chosen) {
        grid_fill(g, r, row, ' ', ST_ROW);
        grid_put(g, r, row, 0, 0x25b8, ST_ROW);
    }
    if (more[0]) {
        end -= text_columns(more);
        grid_text(g, r, row, end, chosen ? ST_ROW : ST_TITLE, more);
        end -= gap;
    }
    if (p->file[b] && r.w >= 72) {
        int n = r.w >= 120 ? 18 : 12;
        grid_field(g, r, row, end - n, n, st, CUT_MIDDLE,
                   source_text(p->file[b], p->line[b], text, sizeof text));
        end -= n + gap;
    }
    if (wide) {
        int n = 2 * digits + 1 < digits + 4 ? digits + 4 : 2 * digits + 1;
        grid_field(g, r, row, end - n, n, st, CUT_END, life_text(p, b, digits, text, sizeof text));
        end -= n + gap;
    }
    if (r.w >= 100) {
        grid_field(g, r, row, end - 24, 24, st, CUT_MIDDLE, p->shape[b] ? p->shape[b] : "");
        end -= 24 + gap;
    }
    int col = grid_field(g, r, row, 1, amount_width(v), st, CUT_RIGHT, amount(v->s, p->size[b], size));
    snprintf(text, sizeof text, "+%s", amount(v->s, p->offset[b], size));
    col = grid_field(g, r, row, col + gap, amount_width(v) + 1, st, CUT_RIGHT, text) + gap;
    grid_field(g, r, row, col, end - col, st, CUT_MIDDLE, p->name_of[b]);
}

static void here_title(const struct scene *v, struct rect r, struct grid *g,
                       const struct map_scale *sc, uint32_t top, uint32_t n)
{
    char title[160], shown[60] = "", from[AMOUNT], to[AMOUNT];
    uint64_t low, high;
    struct rect rule = {r.x, v->l.here.y - 1, r.w, 1};
    map_range(sc, map_row(sc, v->at.offset), &low, &high);
    snprintf(title, sizeof title, "at step %u, offsets %s to %s: %u buffer%s", (unsigned)v->s->step,
             amount(v->s, low, from), amount(v->s, high, to), (unsigned)n, n == 1 ? "" : "s");
    if (n > (uint32_t)v->l.here.h)
        snprintf(shown, sizeof shown, "%u–%u of %u", (unsigned)top + 1,
                 (unsigned)top + (unsigned)v->l.here.h, (unsigned)n);
    rule_draw(rule, g, false, title, shown);
}

static void draw_here(const struct scene *v, struct rect r, struct grid *g,
                      const struct map_scale *sc)
{
    struct rect here = v->l.here;
    int row = map_row(sc, v->at.offset);
    bool titled = here.y > v->l.cells.life.y + 1;
    uint32_t at = map_number(v->p, v->at.group, sc, row, v->s->step, v->at.chosen);
    uint32_t top = map_list_top(at, here.h);
    struct arena scratch = {0};
    buf_id *ids = arena_array(&scratch, (size_t)here.h + 1, sizeof *ids);
    uint32_t n = map_at(v->p, v->at.group, sc, row, v->s->step, ids, top, (uint32_t)here.h);
    if (titled)
        here_title(v, r, g, sc, top, n);
    for (int i = 0; i < here.h && top + (uint32_t)i < n; i++) {
        char more[32] = "";
        if (!titled && n > 1)
            snprintf(more, sizeof more, "%u of %u", (unsigned)(top + 1), (unsigned)n);
        here_row(v, g, i, ids[i], more);
    }
    if (!n)
        grid_field(g, here, 0, 2, here.w - 3, ST_DIM, CUT_WORD,
                   "a hole: nothing is alive here at this step");
    arena_free(&scratch);
}

/* ---- The whole ---- */

/* "allocation 3 · temp · 20.00 GiB · vmem · 2 of 23"; the main memory goes without saying */
static void title_of(const struct scene *v, char *out, size_t size)
{
    const struct program *p = v->p;
    const struct allocation *a = assignment_alloc(&p->module->assignment, v->at.group);
    uint32_t number, total;
    char bytes[AMOUNT], kind[48], space[32] = "", name[16];
    if (a->flags & ALLOC_PARAMETER && a->parameter >= 0)
        snprintf(kind, sizeof kind, "parameter %lld%s", (long long)a->parameter,
                 a->flags & ALLOC_LIVE_OUT ? ", output" : "");
    else if (a->flags & ALLOC_PARAMETER)
        snprintf(kind, sizeof kind, "parameter%s", a->flags & ALLOC_LIVE_OUT ? ", output" : "");
    else
        snprintf(kind, sizeof kind, "%s",
                 a->flags & ALLOC_LIVE_OUT    ? "output"
                 : a->flags & ALLOC_CONSTANT ? "constant"
                                             : "temp");
    if (!space_is_main(p->module->platform, a->color))
        snprintf(space, sizeof space, " · %s", space_name(p->module->platform, a->color, name));
    map_group_rank(p, v->at.group, &number, &total);
    const char *clock = v->s->clock == CLOCK_EXECUTION ? " · program order" : ""; /* not the chart's */
    snprintf(out, size, "allocation %lld · %s · %s%s · %u of %u%s", (long long)a->index, kind,
             amount(v->s, a->size, bytes), space, (unsigned)number, (unsigned)total, clock);
}

/* What the glyphs mean, in so many columns less the rule's own. */
static const char *legend_of(int cols)
{
    static const char *const texts[] = {"━ selected  ▓█ alive at the cursor  ░▒ not  ∙ hole",
                                        "━ selected  ▓█ alive  ∙ hole"};
    return texts[text_columns(texts[0]) + 9 > cols];
}

void map_view(const struct scene *v, struct rect r, struct grid *g)
{
    char title[200];
    bool focus = !v->s->map && app_scope(v->p, v->s) == IN_PANEL;
    if (r.h < 4)
        return;
    if (v->at.group == GROUP_NONE) {
        rule_draw(r, g, focus, "addresses", "");
        grid_field(g, r, 1, 2, r.w - 3, ST_DIM, CUT_WORD, "Nothing is alive at this step.");
        return;
    }
    struct map_scale sc = map_scale_of(v->p, v->at.group, v->l.cells.area.h);
    title_of(v, title, sizeof title);
    rule_draw(r, g, focus, title, legend_of(r.w - text_columns(title)));
    draw_cells(v, r, g, &sc);
    plot_loops(v, r, &v->l.cells, CLOCK_PROGRAM, g);
    plot_life(v, r, &v->l.cells, CLOCK_PROGRAM, g, v->at.chosen);
    draw_here(v, r, g, &sc);
}
