/* What is alive at the cursor, one buffer a row.  Which columns stand there, and how wide they are,
 * depends on the screen, the program and the order alone, so nothing jumps while one steps. */
#include "tui/views.h"

#include "core/base/file.h"
#include "tui/search.h"
#include <stdio.h>

enum column { COL_SIZE, COL_SHARE, COL_BAR, COL_SPACE, COL_ROLE, COL_NAME, COL_SHAPE, COL_LIFE, COL_SOURCE, COL_PLACE,
              COL_LAST, COL_OP, COL_COUNT };

static const struct {
    const char *title;
    enum cut cut; /* of the text, and where the title stands */
} columns[COL_COUNT] = {
    [COL_SIZE] = {"size", CUT_RIGHT},     [COL_SHARE] = {"share", CUT_RIGHT},
    [COL_BAR] = {"", CUT_END},            [COL_SPACE] = {"memory", CUT_END},
    [COL_ROLE] = {"role", CUT_WORD},
    [COL_NAME] = {"name", CUT_MIDDLE},    [COL_SHAPE] = {"shape", CUT_MIDDLE},
    [COL_LIFE] = {"life", CUT_END},       [COL_SOURCE] = {"source", CUT_MIDDLE},
    [COL_PLACE] = {"place", CUT_END},     [COL_LAST] = {"last step", CUT_MIDDLE},
    [COL_OP] = {"op_name", CUT_START},
};

/* Who gets room first, and how much: a column appears when `least` fits, grows to `most` or to its
 * longest text, and only what is left goes on to the next.  So on a wider screen none is narrower,
 * and role, source and shape are whole before an op_name stands there.  Least 0: whole or not at all. */
struct claim {
    enum column c;
    int least, most;
};
static const struct claim wide[] = {
    {COL_SIZE, 11, 11},   {COL_SPACE, 4, 11},  {COL_NAME, 7, 7},    {COL_SOURCE, 8, 18},
    {COL_ROLE, 0, 20},    {COL_NAME, 7, 10},   {COL_SHAPE, 12, 20}, {COL_NAME, 7, 11},
    {COL_LIFE, 6, 30},    {COL_SHARE, 5, 5},   {COL_NAME, 7, 18},   {COL_ROLE, 0, 44},
    {COL_BAR, 8, 8},      {COL_NAME, 7, 24},   {COL_SHAPE, 12, 40}, {COL_SOURCE, 8, 30},
    {COL_OP, 16, 16},
    {COL_NAME, 7, 34},    {COL_OP, 16, 40},    {COL_PLACE, 17, 18}, {COL_LAST, 12, 24},
    {COL_NAME, 7, 60},    {COL_OP, 16, 200},   {COL_LAST, 12, 60},
}, narrow[] = {
    {COL_SIZE, 11, 11},   {COL_SPACE, 4, 11},  {COL_SOURCE, 8, 18}, {COL_ROLE, 14, 24},
    {COL_NAME, 7, 18},    {COL_LIFE, 6, 30},   {COL_NAME, 7, 30},
};

struct plan {
    int width[COL_COUNT]; /* 0: not shown */
    int gap, digits;      /* digits of a step */
};

static const char *last_text(const struct program *p, buf_id b)
{
    if (p->end[b] >= p->steps)
        return "end of the program";
    return p->step_name[p->end[b]] ? p->step_name[p->end[b]] : "";
}

static void widen(int *width, const char *text)
{
    int n = text ? text_columns(text) : 0;
    if (n > *width)
        *width = n;
}

static const char *role_of(const struct program *p, buf_id b)
{
    return p->role[b] < ROLE_COUNT ? role_name(p->role[b]) : "";
}

/* "4/4", for the stack with the most slots; 0: there is none. */
static int fill_width(const struct program *p)
{
    int64_t most = 0;
    for (uint32_t k = 0; k < p->loops.n_stacks; k++)
        if (p->loops.stacks[k].slots > most)
            most = p->loops.stacks[k].slots;
    return most ? 2 * snprintf(NULL, 0, "%lld", (long long)most) + 1 : 0;
}

static const struct widths *widths_of(const struct program *p, struct widths *w)
{
    const char *file = NULL;
    int base = 0, fill = fill_width(p);
    if (w->p == p)
        return w;
    *w = (struct widths){.p = p};
    for (buf_id b = 0; b < p->n; b++) {
        widen(&w->name, p->name_of[b]);
        if (p->shape[b] && p->shape[b][0] != '(') /* tuples are too long to be whole anyway */
            widen(&w->shape, p->shape[b]);
        widen(&w->op, p->op_name[b]);
        int role = text_columns(role_of(p, b));
        bool filled = fill && (p->role[b] == ROLE_STACK || p->role[b] == ROLE_STACKED);
        if (role + (filled ? 1 + fill : 0) > w->role)
            w->role = role + (filled ? 1 + fill : 0);
        widen(&w->last, last_text(p, b));
        if (!p->file[b])
            continue;
        if (p->file[b] != file)
            base = text_columns(file_base(file = p->file[b]));
        int digits = 0;
        for (uint32_t n = p->line[b]; n; n /= 10)
            digits++;
        if (base + (digits ? 1 + digits : 0) > w->source)
            w->source = base + (digits ? 1 + digits : 0);
    }
    return w;
}

/* Of the longest name but the main one's, which is not shown. */
static int space_width(const struct program *p, int cols)
{
    int width = cols < 60 ? 4 : 6;
    for (uint32_t k = 1; k < p->n_spaces && cols >= 60; k++)
        widen(&width, p->spaces[k].name);
    return p->n_spaces < 2 ? 0 : width;
}

static int at_least(int least, int n)
{
    return n && n < least ? least : n;
}

static struct plan plan_columns(const struct scene *v, int cols)
{
    struct plan pl = {.gap = cols < 60 ? 1 : 2};
    const struct widths *w = widths_of(v->p, &v->memo->widths);
    int left = cols - 1 - 1; /* the mark, a margin */
    pl.digits = snprintf(NULL, 0, "%u", (unsigned)v->p->steps);
    if (pl.digits < 2)
        pl.digits = 2;
    const int useful[COL_COUNT] = { /* the longest text, and room for the title; 0: none has any */
        [COL_SIZE] = 11, [COL_SHARE] = 5, [COL_BAR] = 8, [COL_PLACE] = 18,
        [COL_SPACE] = space_width(v->p, cols), [COL_ROLE] = at_least(4, w->role),
        [COL_LIFE] = pl.digits + 1 + (pl.digits > 3 ? pl.digits : 3), /* "12→end" */
        [COL_NAME] = at_least(7, w->name ? w->name : 1), [COL_SHAPE] = at_least(12, w->shape),
        [COL_SOURCE] = at_least(6, w->source), [COL_OP] = at_least(7, w->op),
        [COL_LAST] = at_least(9, w->last),
    };
    const struct claim *claims = cols < 60 ? narrow : wide;
    size_t n = cols < 60 ? sizeof narrow / sizeof *narrow : sizeof wide / sizeof *wide;
    if (v->s->sort == SORT_BORN || v->s->sort == SORT_DIES) { /* who orders by lives wants to see them */
        pl.width[COL_LIFE] = useful[COL_LIFE];
        left -= useful[COL_LIFE] + pl.gap;
    }
    for (size_t k = 0; k < n; k++) {
        enum column c = claims[k].c;
        int most = claims[k].most < useful[c] ? claims[k].most : useful[c];
        int least = c == COL_LIFE || !claims[k].least || claims[k].least > most ? most : claims[k].least;
        int gap = c == COL_SIZE || pl.width[c] ? 0 : pl.gap;
        if (most <= pl.width[c])
            continue;
        if (!pl.width[c] && left < least + gap) {
            if (cols < 60) /* what comes next may still fit; on wider screens nothing may overtake … */
                continue;
            if (c == COL_SHAPE && left >= useful[COL_LIFE] + pl.gap) /* … but lives shapes */
                pl.width[COL_LIFE] = useful[COL_LIFE];
            break;
        }
        int more = most - pl.width[c] < left - gap ? most - pl.width[c] : left - gap;
        pl.width[c] += more;
        left -= more + gap;
    }
    return pl;
}

/* ---- The text of a cell ---- */

static uint64_t live_here(const struct scene *v)
{
    return v->p->spaces[v->s->space].live[v->when.step];
}

static bool is_counted(const struct scene *v, buf_id b)
{
    return v->p->space[b] == v->s->space;
}

static void share_text(uint64_t part, uint64_t whole, bool counted, char *out, size_t size)
{
    if (!counted || !whole) {
        snprintf(out, size, "—");
        return;
    }
    double percent = 100.0 * (double)part / (double)whole;
    if (part && percent < 0.5)
        snprintf(out, size, "<1%%");
    else
        snprintf(out, size, "%.0f%%", percent);
}

/* "2/4": of a stack, how many of its slots hold data. */
static void fill_text(const struct scene *v, buf_id b, char *out, size_t size)
{
    int64_t filled, slots;
    if (v->runs && timeline_slots(v->t, b, v->s->at, &filled, &slots))
        snprintf(out, size, "%lld/%lld", (long long)filled, (long long)slots);
}

/* "residual stack  2/4"; the slots are left out where they would cut the role. */
static void role_cell(const struct scene *v, struct rect r, struct grid *g, int row, int col, int width,
                      enum style st, buf_id b)
{
    char fill[48] = "";
    fill_text(v, b, fill, sizeof fill);
    int n = text_columns(fill);
    grid_field(g, r, row, col, width, st, CUT_WORD, role_of(v->p, b));
    if (n && text_columns(role_of(v->p, b)) + 1 + n <= width)
        grid_text(g, r, row, col + width - n, st, fill);
}

static const char *cell_text(const struct scene *v, const struct alive_row *row, enum column c,
                             int digits, char *out, size_t size)
{
    const struct program *p = v->p;
    buf_id b = row->id;
    char bytes[24];
    out[0] = '\0';
    switch (c) {
    case COL_SIZE: snprintf(out, size, "%s", bytes_text(p->size[b], bytes)); break;
    case COL_SHARE: share_text(row->own, live_here(v), is_counted(v, b), out, size); break;
    case COL_SPACE: return p->main[b] ? "" : p->spaces[p->space[b]].name;
    case COL_LIFE: life_text(p, b, digits, out, size); break;
    case COL_SOURCE: source_text(p->file[b], p->line[b], out, size); break;
    case COL_PLACE: place_text(p, b, out, size); break;
    case COL_NAME: return p->name_of[b];
    case COL_SHAPE: return p->shape[b] ? p->shape[b] : "";
    case COL_LAST: return last_text(p, b);
    case COL_OP: return p->op_name[b] ? p->op_name[b] : "";
    case COL_ROLE: case COL_BAR: case COL_COUNT: break;
    }
    return out;
}

/* ---- Rows ---- */

static void share_bar(const struct scene *v, struct rect r, struct grid *g, int row, int col,
                      int width, const struct alive_row *a)
{
    uint64_t whole = live_here(v);
    if (!whole || !is_counted(v, a->id))
        return;
    int eighths = (int)((double)a->own / (double)whole * width * 8 + 0.5);
    static const uint32_t part[] = {' ', 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589};
    for (int i = 0; i < width; i++) {
        int fill = eighths - 8 * i;
        uint32_t ch = fill >= 8 ? 0x2588 : fill > 0 ? part[fill] : ' ';
        grid_put(g, r, row, col + i, ch, ST_LIVE);
    }
}

static void mark_match(const struct scene *v, struct rect r, struct grid *g, int row, int col,
                       int width, const char *text)
{
    const char *hit = v->s->query[0] ? search_in(text, v->s->query) : NULL;
    if (!hit)
        return;
    int at = 0, n = text_columns(v->s->query), all = text_columns(text);
    for (const char *t = text; t < hit; at++)
        text_next(&t);
    if (all > width) { /* cut: the match may be hidden */
        at = 0;
        n = width;
    }
    grid_paint(g, r, row, col + at, n, ST_MATCH);
}

static void buffer_row(const struct scene *v, struct rect r, struct grid *g, int row,
                       const struct plan *pl, uint32_t i)
{
    const struct alive_row *a = &v->alive->rows[i];
    bool chosen = i == v->row, shared = !v->when.n && a->own < v->p->size[a->id];
    enum style st = chosen ? ST_ROW : ST_PLAIN;
    int col = 1;
    if (chosen) {
        grid_fill(g, r, row, ' ', ST_ROW);
        grid_put(g, r, row, 0, 0x25b8, ST_ROW);
    }
    for (int c = 0; c < COL_COUNT; c++) {
        char text[256];
        int width = pl->width[c];
        if (!width)
            continue;
        const char *cell = cell_text(v, a, (enum column)c, pl->digits, text, sizeof text);
        if (c == COL_BAR)
            share_bar(v, r, g, row, col, width, a);
        else if (c == COL_ROLE)
            role_cell(v, r, g, row, col, width, st, a->id);
        else
            grid_field(g, r, row, col, width, st, columns[c].cut, cell);
        if (c == COL_NAME || c == COL_SHAPE || c == COL_SOURCE || c == COL_OP)
            mark_match(v, r, g, row, col, width, cell);
        if (c == COL_SIZE && shared)
            grid_put(g, r, row, col + width, '=', st);
        col += width + pl->gap;
    }
}

static void heads(struct rect r, struct grid *g, const struct plan *pl, enum sort sort)
{
    static const enum column sorted[SORT_COUNT] = {
        [SORT_SIZE] = COL_SIZE, [SORT_BORN] = COL_LIFE, [SORT_DIES] = COL_LIFE,
        [SORT_ROLE] = COL_ROLE, [SORT_NAME] = COL_NAME, [SORT_SOURCE] = COL_SOURCE,
    };
    int col = 1;
    for (int c = 0; c < COL_COUNT; c++) {
        int width = pl->width[c];
        if (!width)
            continue;
        enum cut cut = columns[c].cut == CUT_RIGHT ? CUT_RIGHT : CUT_END;
        const char *title = c == COL_LIFE && width >= 9 ? "born→dies" : columns[c].title;
        grid_field(g, r, 1, col, width, sorted[sort] == (enum column)c ? ST_TITLE : ST_DIM, cut,
                   title);
        col += width + pl->gap;
    }
}

/* "alive here: 24.00 GiB in 3 of 14 buffers, 2 elsewhere · filter: residual stack" */
static void totals(const struct scene *v, char *out, size_t size)
{
    const struct program *p = v->p;
    const struct alive *a = v->alive;
    bool brief = v->s->cols < 60, some = v->s->filter < ROLE_COUNT;
    char bytes[24], in[32] = "", of[24] = "", more[24] = "", filter[64] = "", most[40] = "";
    uint32_t counted = 0;
    uint64_t own = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (is_counted(v, a->rows[i].id)) {
            counted++;
            own += a->rows[i].own;
        }
    if (p->n_spaces > 1 && v->s->space > 0)
        snprintf(in, sizeof in, " of %s", p->spaces[v->s->space].name);
    if (some && !brief)
        snprintf(of, sizeof of, " of %u", (unsigned)a->all);
    if (counted < a->n)
        snprintf(more, sizeof more, brief ? " + %u" : ", %u elsewhere", (unsigned)(a->n - counted));
    if (some)
        snprintf(filter, sizeof filter, brief ? ": %s" : " · filter: %s", role_name(v->s->filter));
    if (v->when.n)
        snprintf(most, sizeof most, brief ? " at most" : " at most (step %u)", (unsigned)v->when.step);
    snprintf(out, size, "%s%s%s%s in %u%s%s%s%s", brief ? "" : v->when.n ? "alive in the range: " : "alive here: ",
             bytes_text(some ? own : live_here(v), bytes), in, most, (unsigned)counted, of,
             brief && some          ? ""
             : counted == 1 && !some ? " buffer"
                                    : " buffers",
             more, filter);
}

void table_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct alive *a = v->alive;
    char title[120], right[80];
    struct rect list = v->l.list;
    if (r.h < 3)
        return;
    struct plan pl = plan_columns(v, r.w);
    uint32_t top = table_top(v->s, a, list.h);
    totals(v, title, sizeof title);
    if (a->n > (uint32_t)list.h)
        snprintf(right, sizeof right, "by %s · %u–%u of %u", sort_name(v->s->sort),
                 (unsigned)top + 1, (unsigned)top + (unsigned)list.h, (unsigned)a->n);
    else
        snprintf(right, sizeof right, "by %s", sort_name(v->s->sort));
    rule_draw(r, g, v->l.both && v->s->focus == FOCUS_TABLE, title, right);
    heads(r, g, &pl, v->s->sort);
    for (int i = 0; i < list.h && top + (uint32_t)i < a->n; i++)
        buffer_row(v, list, g, i, &pl, top + (uint32_t)i);
    if (!a->n)
        grid_field(g, list, 0, 2, list.w - 3, ST_DIM, CUT_WORD,
                   v->alive->all ? "Nothing here has this role." : v->p->n ? "Nothing is alive at this step." : "This program has no buffers.");
}
