/* What is alive at the cursor, one buffer a row.  Which columns stand there, and how wide they are,
 * depends on the screen, the program and the order alone, so nothing jumps while one steps. */
#include "tui/views/table_parts.h"

#include "core/base/file.h"
#include "tui/model/search.h"

#include <stdio.h>
#include <string.h>

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
    grid_field(g, r, row, col, width, st, CUT_WORD, table_role(v->p, b));
    if (n && text_columns(table_role(v->p, b)) + 1 + n <= width)
        grid_text(g, r, row, col + width - n, st, fill);
}

static const char *cell_text(const struct scene *v, const struct alive_row *row, enum column c,
                             int digits, char *out, size_t size)
{
    const struct program *p = v->p;
    buf_id b = row->id;
    char bytes[AMOUNT];
    out[0] = '\0';
    switch (c) {
    case COL_SIZE: snprintf(out, size, "%s", amount(v->s, p->size[b], bytes)); break;
    case COL_SHARE: share_text(row->own, live_here(v), is_counted(v, b), out, size); break;
    case COL_SPACE: return p->main[b] ? "" : p->spaces[p->space[b]].name;
    case COL_LIFE: life_text(p, b, digits, out, size); break;
    case COL_SOURCE: return table_origin(p, b, out, size);
    case COL_PLACE: place_text(v, b, out, size); break;
    case COL_NAME: return p->name_of[b];
    case COL_SHAPE: return p->shape[b] ? p->shape[b] : "";
    case COL_LAST: return table_last(p, b);
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

/* The mark and the ground of a row. */
static enum style row_ground(struct rect r, struct grid *g, int row, bool chosen)
{
    if (!chosen)
        return ST_PLAIN;
    grid_fill(g, r, row, ' ', ST_ROW);
    grid_put(g, r, row, 0, 0x25b8, ST_ROW);
    return ST_ROW;
}

static void buffer_row(const struct scene *v, struct rect r, struct grid *g, int row,
                       const struct plan *pl, uint32_t line)
{
    const struct alive_row *a = &v->alive->rows[alive_line(v->alive, line).at];
    bool shared = !v->when.n && a->own < v->p->size[a->id];
    enum style st = row_ground(r, g, row, line == v->row);
    int col = 1;
    for (int c = 0; c < COL_COUNT; c++) {
        char text[256];
        int width = pl->width[c];
        if (!width)
            continue;
        bool again = c == COL_SOURCE && pl->width[COL_OP] && !v->p->file[a->id]; /* its op_name has a column */
        const char *cell = again ? "" : cell_text(v, a, (enum column)c, pl->digits, text, sizeof text);
        if (c == COL_BAR)
            share_bar(v, r, g, row, col, width, a);
        else if (c == COL_ROLE)
            role_cell(v, r, g, row, col, width, st == ST_ROW ? st : role_style(v->p->role[a->id]), a->id);
        else
            grid_field(g, r, row, col, width, st, columns[c].cut, cell);
        if (c == COL_NAME || c == COL_SHAPE || c == COL_SOURCE || c == COL_OP)
            mark_match(v, r, g, row, col, width, cell);
        if (c == COL_SIZE && shared)
            grid_put(g, r, row, col + width, '=', st);
        col += width + pl->gap;
    }
}

/* ---- Groups ---- */

/* Where the words of a group begin: behind its figures. */
static int words_col(const struct plan *pl)
{
    static const enum column figures[] = {COL_SIZE, COL_SHARE, COL_BAR, COL_SPACE};
    int col = 1;
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        col += pl->width[figures[k]] ? pl->width[figures[k]] + pl->gap : 0;
    return col;
}

/* Columns of its name; behind it stands what its first row is, where there is room. */
static int group_width(const struct scene *v, int room)
{
    int name = v->alive->folds[v->s->fold].width, least = text_columns(fold_title(v->s->fold));
    name = name > least ? name : least;
    if (room - name < 30 && room >= 60)
        name = room - 30;
    return room - name >= 24 ? name : room;
}

static void group_cells(const struct scene *v, struct rect r, struct grid *g, int row, const struct plan *pl,
                        const struct alive_group *gr, enum style st)
{
    char text[256], bytes[AMOUNT];
    struct alive_row first = v->alive->rows[gr->first];
    int col = grid_field(g, r, row, 1, pl->width[COL_SIZE], st, CUT_RIGHT, amount(v->s, gr->own, bytes));
    if (gr->shared && !v->when.n)
        grid_put(g, r, row, col, '=', st);
    col += pl->gap;
    if (pl->width[COL_SHARE]) {
        share_text(gr->own, live_here(v), is_counted(v, first.id), text, sizeof text);
        col = grid_field(g, r, row, col, pl->width[COL_SHARE], st, CUT_RIGHT, text) + pl->gap;
    }
    if (pl->width[COL_BAR]) {
        first.own = gr->own;
        share_bar(v, r, g, row, col, pl->width[COL_BAR], &first);
        col += pl->width[COL_BAR] + pl->gap;
    }
    if (pl->width[COL_SPACE])
        grid_field(g, r, row, col, pl->width[COL_SPACE], st, CUT_END,
                   v->p->main[first.id] ? "" : v->p->spaces[v->p->space[first.id]].name);
}

/* Columns of how many buffers a group has. */
static int count_width(const struct plan *pl)
{
    return pl->gap < 2 ? 4 : 6;
}

/* "96.00 GiB  80%   + 8 × bf16[8,24576,8,256]   residual stack …" */
static void group_row(const struct scene *v, struct rect r, struct grid *g, int row, const struct plan *pl,
                      uint32_t line)
{
    const struct alive *a = v->alive;
    uint32_t at = alive_line(a, line).at;
    const struct alive_group *gr = &a->groups[at];
    buf_id b = a->rows[gr->first].id;
    enum style st = row_ground(r, g, row, line == v->row);
    char text[512], source[300];
    group_cells(v, r, g, row, pl, gr, st);
    int col = words_col(pl), end = r.w - 1;
    grid_put(g, r, row, col, at == a->open ? '-' : '+', st == ST_ROW ? ST_ROW : ST_KEY);
    snprintf(text, sizeof text, "%u", (unsigned)gr->n);
    col = grid_field(g, r, row, col + 1, count_width(pl), st, CUT_RIGHT, text);
    col = grid_text(g, r, row, col + 1, st, "×") + 1;
    int width = group_width(v, end - col);
    col = grid_field(g, r, row, col, width, st, v->s->fold == FOLD_OP ? CUT_START : CUT_MIDDLE,
                     fold_name(v->p, v->s->fold, b, text, sizeof text)) + 2;
    snprintf(text, sizeof text, "%s  %s", v->s->fold == FOLD_ROLE ? v->p->name_of[b] : table_role(v->p, b),
             v->s->fold != FOLD_SHAPE && v->p->shape[b] ? v->p->shape[b]
                                                        : source_text(v->p->file[b], v->p->line[b], source, sizeof source));
    if (end - col >= 10)
        grid_field(g, r, row, col, end - col, st, CUT_END, text);
}

static void group_heads(const struct scene *v, struct rect r, struct grid *g, const struct plan *pl)
{
    int col = words_col(pl) + 1 + count_width(pl) + 3, end = r.w - 1, width = group_width(v, end - col);
    grid_fill(g, rect_line(r, 1), 0, ' ', ST_PLAIN);
    int at = grid_field(g, r, 1, 1, pl->width[COL_SIZE], ST_TITLE, CUT_RIGHT, "size") + pl->gap;
    if (pl->width[COL_SHARE])
        grid_field(g, r, 1, at, pl->width[COL_SHARE], ST_DIM, CUT_RIGHT, "share");
    col = grid_field(g, r, 1, col, width, ST_DIM, CUT_END, fold_title(v->s->fold)) + 2;
    if (end - col >= 10)
        grid_field(g, r, 1, col, end - col, ST_DIM, CUT_END, "its largest buffer");
}

/* ---- The whole ---- */

const char *filter_text(const struct scene *v, enum filter_kind k, char *out, size_t size)
{
    char bytes[AMOUNT];
    if (k == FILTER_SIZE)
        snprintf(out, size, "≥ %s", amount(v->s, v->s->filter.value[k], bytes));
    else
        filter_words(&v->s->filter, v->p, k, out, size);
    return out;
}

/* "16.00" of "16.00 GiB of 24.00 GiB": the unit is said once where it is the same. */
static int figure_width(const char *part, const char *whole)
{
    const char *unit = strchr(part, ' '), *same = strchr(whole, ' ');
    return unit && same && strcmp(unit, same) == 0 ? (int)(unit - part) : (int)strlen(part);
}

static void filter_list(const struct scene *v, const char *between, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < v->s->filter.n && n + 1 < size; i++) {
        char text[120];
        int wrote = snprintf(out + n, size - n, "%s%s", between,
                             filter_text(v, (enum filter_kind)v->s->filter.order[i], text, sizeof text));
        n += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* What is shown of what is alive in the charted memory, and how much stands elsewhere. */
struct shown {
    uint32_t counted, elsewhere;
    uint64_t own;
};
static struct shown count_rows(const struct scene *v)
{
    const struct alive *a = v->alive;
    struct shown s = {0};
    for (uint32_t i = 0; i < a->n; i++) {
        bool in = is_counted(v, a->rows[i].id);
        s.counted += in;
        s.elsewhere += !in;
        s.own += in ? a->rows[i].own : 0;
    }
    return s;
}

/* "4 of 14 shown, 16.00 of 24.00 GiB · residual stack · ≥ 1.00 GiB" */
static void filtered_totals(const struct scene *v, char *out, size_t size)
{
    char part[AMOUNT], whole[AMOUNT], filters[400];
    bool brief = v->s->cols < 60;
    struct shown s = count_rows(v);
    amount(v->s, s.own, part);
    amount(v->s, live_here(v), whole);
    filter_list(v, brief ? " " : " · ", filters, sizeof filters);
    if (brief)
        snprintf(out, size, "%u/%u: %s%s", (unsigned)v->alive->n, (unsigned)v->alive->all, part, filters);
    else
        snprintf(out, size, "%u of %u shown, %.*s of %s%s", (unsigned)v->alive->n, (unsigned)v->alive->all,
                 figure_width(part, whole), part, whole, filters);
}

/* "alive here: 24.00 GiB in 14 buffers, 2 elsewhere" */
static void totals(const struct scene *v, char *out, size_t size)
{
    const struct program *p = v->p;
    bool brief = v->s->cols < 60;
    char bytes[AMOUNT], in[32] = "", more[24] = "", most[40] = "";
    struct shown s = count_rows(v);
    if (v->s->filter.n) {
        filtered_totals(v, out, size);
        return;
    }
    if (p->n_spaces > 1 && v->s->space > 0)
        snprintf(in, sizeof in, " of %s", p->spaces[v->s->space].name);
    if (s.elsewhere)
        snprintf(more, sizeof more, brief ? " + %u" : ", %u elsewhere", (unsigned)s.elsewhere);
    if (v->when.n)
        snprintf(most, sizeof most, brief ? " at most" : " at most (step %u)", (unsigned)v->when.step);
    snprintf(out, size, "%s%s%s%s in %u%s%s", brief ? "" : v->when.n ? "alive in the range: " : "alive here: ",
             amount(v->s, live_here(v), bytes), in, most,
             (unsigned)s.counted, s.counted == 1 ? " buffer" : " buffers", more);
}

static const char *empty_words(const struct scene *v)
{
    return v->alive->all ? "Nothing alive here passes the filters. F takes them away."
           : v->p->n     ? "Nothing is alive at this step."
                         : "This program has no buffers.";
}

void table_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct alive *a = v->alive;
    char title[600], right[120], by[60];
    struct rect list = v->l.list;
    if (r.h < 3)
        return;
    struct plan pl = plan_columns(v, r.w);
    uint32_t top = table_top(v->s, a, list.h), n = alive_lines(a);
    totals(v, title, sizeof title);
    if (a->n_groups)
        snprintf(by, sizeof by, "%u groups by %s", (unsigned)a->n_groups, fold_title(v->s->fold));
    else
        snprintf(by, sizeof by, "by %s", sort_name(v->s->sort));
    if (n > (uint32_t)list.h)
        snprintf(right, sizeof right, "%s · %u–%u of %u", by, (unsigned)top + 1,
                 (unsigned)top + (unsigned)list.h, (unsigned)n);
    else
        snprintf(right, sizeof right, "%s", by);
    rule_draw(r, g, v->l.both && v->s->focus == FOCUS_TABLE, title, right);
    if (a->n_groups)
        group_heads(v, r, g, &pl);
    else
        heads(r, g, &pl, v->s->sort);
    for (int i = 0; i < list.h && top + (uint32_t)i < n; i++)
        if (alive_line(a, top + (uint32_t)i).head)
            group_row(v, list, g, i, &pl, top + (uint32_t)i);
        else
            buffer_row(v, list, g, i, &pl, top + (uint32_t)i);
    if (!a->n)
        grid_field(g, list, 0, 2, list.w - 3, ST_DIM, CUT_WORD, empty_words(v));
}
