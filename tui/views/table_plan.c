/* The columns of the table: which stand there, and how wide they are. */
#include "tui/views/table_parts.h"

#include "core/base/file.h"

#include <stdio.h>

/* Who gets room first, and how much: a column appears when `least` fits, grows to `most` or to its
 * longest text, and only what is left goes on to the next.  So on a wider screen none is narrower,
 * and role, source and shape are whole before an op_name stands there.  Least 0: whole or not at all. */
struct claim {
    enum column c;
    int least, most;
};
static const struct claim wide[] = {
    {COL_SIZE, 0, 0},     {COL_SPACE, 4, 11},  {COL_NAME, 7, 7},    {COL_SOURCE, 8, 18},
    {COL_ROLE, 0, 20},    {COL_NAME, 7, 10},   {COL_SHAPE, 12, 20}, {COL_NAME, 7, 11},
    {COL_LIFE, 6, 30},    {COL_SHARE, 5, 5},   {COL_NAME, 7, 18},   {COL_ROLE, 0, 44},
    {COL_SOURCE, 8, 24},
    {COL_BAR, 8, 8},      {COL_NAME, 7, 24},   {COL_SHAPE, 12, 40}, {COL_SOURCE, 8, 30},
    {COL_OP, 16, 16},
    {COL_NAME, 7, 34},    {COL_OP, 16, 40},    {COL_PLACE, 17, 18}, {COL_LAST, 12, 24},
    {COL_NAME, 7, 60},    {COL_OP, 16, 200},   {COL_LAST, 12, 60},
}, narrow[] = {
    {COL_SIZE, 0, 0},     {COL_SPACE, 4, 11},  {COL_SOURCE, 8, 18}, {COL_ROLE, 14, 24},
    {COL_NAME, 7, 18},    {COL_LIFE, 6, 30},   {COL_NAME, 7, 30},
};

const char *table_last(const struct program *p, buf_id b)
{
    if (p->end[b] >= p->steps)
        return "end of the program";
    return p->step_name[p->end[b]] ? p->step_name[p->end[b]] : "";
}

const char *table_origin(const struct program *p, buf_id b, char *out, size_t size)
{
    return p->file[b] || !p->op_name[b] ? source_text(p->file[b], p->line[b], out, size) : p->op_name[b];
}

static void widen(int *width, const char *text)
{
    int n = text ? text_columns(text) : 0;
    if (n > *width)
        *width = n;
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

static uint64_t most_bytes(const struct program *p)
{
    uint64_t most = 0;
    for (buf_id b = 0; b < p->n; b++)
        most = p->size[b] > most ? p->size[b] : most;
    for (uint32_t k = 0; k < p->n_spaces; k++) {
        const struct program_space *sp = &p->spaces[k];
        most = sp->live[sp->peak] > most ? sp->live[sp->peak] : most;
    }
    return most;
}

static const struct widths *widths_of(const struct program *p, struct widths *w)
{
    const char *file = NULL;
    int base = 0, fill = fill_width(p);
    if (w->p == p)
        return w;
    *w = (struct widths){.p = p, .bytes = most_bytes(p)};
    for (buf_id b = 0; b < p->n; b++) {
        widen(&w->name, p->name_of[b]);
        if (p->shape[b] && p->shape[b][0] != '(') /* tuples are too long to be whole anyway */
            widen(&w->shape, p->shape[b]);
        widen(&w->op, p->op_name[b]);
        int role = text_columns(table_role(p, b));
        bool filled = fill && (p->role[b] == ROLE_STACK || p->role[b] == ROLE_STACKED);
        if (role + (filled ? 1 + fill : 0) > w->role)
            w->role = role + (filled ? 1 + fill : 0);
        widen(&w->last, table_last(p, b));
        if (!p->file[b]) {
            widen(&w->origin, p->op_name[b]);
            continue;
        }
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

int amount_width(const struct scene *v)
{
    char text[AMOUNT];
    int n = v->s->bytes ? text_columns(amount(v->s, widths_of(v->p, &v->memo->widths)->bytes, text)) : 0;
    return n >= 11 ? n + 1 : 11; /* a blank behind what marks the row */
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

struct plan plan_columns(const struct scene *v, int cols)
{
    struct plan pl = {.gap = cols < 60 ? 1 : 2};
    const struct widths *w = widths_of(v->p, &v->memo->widths);
    int left = cols - 1 - 1; /* the mark, a margin */
    pl.digits = snprintf(NULL, 0, "%u", (unsigned)v->p->steps);
    if (pl.digits < 2)
        pl.digits = 2;
    const int useful[COL_COUNT] = { /* the longest text, and room for the title; 0: none has any */
        [COL_SIZE] = amount_width(v), [COL_SHARE] = 5, [COL_BAR] = 8, [COL_PLACE] = 18,
        [COL_SPACE] = space_width(v->p, cols), [COL_ROLE] = at_least(4, w->role),
        [COL_LIFE] = pl.digits + 1 + (pl.digits > 3 ? pl.digits : 3), /* "12→end" */
        [COL_NAME] = at_least(7, w->name ? w->name : 1), [COL_SHAPE] = at_least(12, w->shape),
        [COL_SOURCE] = at_least(6, w->source > w->origin ? w->source : w->origin), [COL_OP] = at_least(7, w->op),
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
        int most = c == COL_SIZE ? useful[c] : claims[k].most < useful[c] ? claims[k].most : useful[c];
        if (c == COL_SOURCE && !pl.width[c] && most > w->source && w->source) /* op_names only where there is room */
            most = at_least(6, w->source < claims[k].most ? w->source : claims[k].most);
        int least = c == COL_LIFE || c == COL_SIZE || !claims[k].least || claims[k].least > most ? most : claims[k].least;
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
