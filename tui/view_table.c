/* What is alive at the cursor, one buffer a row.  Which columns stand there, and how wide they are,
 * depends on the screen alone, so nothing jumps while one steps. */
#include "tui/views.h"

#include "core/base/file.h"
#include "tui/search.h"
#include <stdio.h>

enum column { COL_SIZE, COL_SHARE, COL_BAR, COL_SPACE, COL_NAME, COL_SHAPE, COL_LIFE, COL_SOURCE, COL_PLACE,
              COL_LAST, COL_OP, COL_COUNT };

/* A column appears from a width on; room that is left goes round in portions of `grow`. */
static const struct {
    const char *title;
    enum cut cut;       /* of the text, and where the title stands */
    int from, least, most, grow;
} columns[COL_COUNT] = {
    [COL_SIZE] = {"size", CUT_RIGHT, 0, 11, 11, 0},
    [COL_SHARE] = {"share", CUT_RIGHT, 56, 5, 5, 0},
    [COL_BAR] = {"", CUT_END, 100, 8, 8, 0},
    [COL_SPACE] = {"memory", CUT_END, 0, 4, 11, 0}, /* where there are several */
    [COL_NAME] = {"name", CUT_MIDDLE, 0, 11, 40, 3},
    [COL_SHAPE] = {"shape", CUT_MIDDLE, 68, 12, 30, 2},
    [COL_LIFE] = {"life", CUT_END, 48, 0, 0, 0},
    [COL_SOURCE] = {"source", CUT_MIDDLE, 0, 10, 18, 1},
    [COL_PLACE] = {"place", CUT_END, 140, 14, 18, 1},
    [COL_LAST] = {"last step", CUT_MIDDLE, 160, 12, 40, 2},
    [COL_OP] = {"op_name", CUT_START, 120, 16, 200, 3},
};

struct plan {
    int width[COL_COUNT]; /* 0: not shown */
    int gap, digits;      /* digits of a step */
};

/* A dump without HLO tells neither; the room is better used. */
static bool known(const char *const *texts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (texts[i])
            return true;
    return false;
}

/* Of the longest name but the main one's, which is not shown. */
static int space_width(const struct program *p)
{
    int width = 6;
    for (uint32_t k = 1; k < p->n_spaces; k++)
        if (text_columns(p->spaces[k].name) > width)
            width = text_columns(p->spaces[k].name);
    return width < 11 ? width : 11;
}

static struct plan plan_columns(const struct scene *v, int cols)
{
    struct plan pl = {.gap = cols < 60 ? 1 : 2};
    int left = cols - 1 - 1; /* the mark, a margin */
    pl.digits = snprintf(NULL, 0, "%u", (unsigned)v->p->steps);
    if (pl.digits < 2)
        pl.digits = 2;
    for (int c = 0; c < COL_COUNT; c++) {
        if (cols < columns[c].from || (c == COL_SOURCE && !known(v->p->file, v->p->n)) ||
            (c == COL_OP && !known(v->p->op_name, v->p->n)) ||
            (c == COL_SPACE && v->p->n_spaces < 2))
            continue;
        pl.width[c] = columns[c].least;
        if (c == COL_SPACE && cols >= 60)
            pl.width[c] = space_width(v->p);
        if (c == COL_LIFE) /* "12→end" */
            pl.width[c] = pl.digits + 1 + (pl.digits > 3 ? pl.digits : 3);
        left -= pl.width[c] + (c == COL_SIZE ? 0 : pl.gap);
    }
    for (bool grown = true; left > 0 && grown;) {
        grown = false;
        for (int c = 0; c < COL_COUNT && left > 0; c++) {
            int more = columns[c].most - pl.width[c];
            if (more > columns[c].grow)
                more = columns[c].grow;
            if (more > left)
                more = left;
            if (!pl.width[c] || more <= 0)
                continue;
            pl.width[c] += more;
            left -= more;
            grown = true;
        }
    }
    return pl;
}

/* ---- The text of a cell ---- */

static uint64_t live_here(const struct scene *v)
{
    return v->p->spaces[v->s->space].live[v->s->step];
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

/* "a3 +4.00 GiB": its allocation and the offset in it. */
static void place_text(const struct program *p, buf_id b, char *out, size_t size)
{
    char bytes[24];
    const struct assignment *a = &p->module->assignment;
    out[0] = '\0';
    if (p->alloc[b] == ALLOC_NONE || p->alloc[b] >= a->allocs.n)
        return;
    int n = snprintf(out, size, "a%lld", (long long)assignment_alloc(a, p->alloc[b])->index);
    if (p->offset[b] && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " +%s", bytes_text(p->offset[b], bytes));
}

static const char *last_text(const struct program *p, buf_id b)
{
    if (p->end[b] >= p->steps)
        return "end of the program";
    return p->step_name[p->end[b]] ? p->step_name[p->end[b]] : "";
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
    case COL_BAR: case COL_COUNT: break;
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
    bool chosen = i == v->row, shared = a->own < v->p->size[a->id];
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
        [SORT_NAME] = COL_NAME, [SORT_SOURCE] = COL_SOURCE,
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

static void totals(const struct scene *v, char *out, size_t size)
{
    const struct program *p = v->p;
    char bytes[24], in[32] = "";
    uint32_t counted = 0, n = v->alive->n;
    for (uint32_t i = 0; i < n; i++)
        counted += is_counted(v, v->alive->rows[i].id);
    bool brief = v->s->cols < 60;
    if (p->n_spaces > 1 && v->s->space > 0)
        snprintf(in, sizeof in, " of %s", p->spaces[v->s->space].name);
    int wrote = snprintf(out, size, "%s%s%s in %u buffer%s", brief ? "" : "alive here: ",
                         bytes_text(live_here(v), bytes), in, (unsigned)counted,
                         counted == 1 ? "" : "s");
    if (counted < n && wrote > 0 && (size_t)wrote < size)
        snprintf(out + wrote, size - (size_t)wrote, brief ? " + %u" : ", %u elsewhere",
                 (unsigned)(n - counted));
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
                   v->p->n ? "Nothing is alive at this step." : "This program has no buffers.");
}
