#include "tui/lesson/lesson_draft.h"

#include <stdio.h>
#include <string.h>

/* ---- Figures ---- */

const char *lesson_bytes(uint64_t bytes, char out[24])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double n = (double)bytes;
    int u = 0;
    for (; n >= 1023.95 && u < 6; u++)
        n /= 1024;
    snprintf(out, 24, "%.1f", n);
    char *point = strstr(out, ".0");
    if (point)
        *point = '\0';
    snprintf(out + strlen(out), 24 - strlen(out), " %s", units[u]);
    return out;
}

static struct lesson_value *add(struct draft *d, const char *name, enum value_kind kind)
{
    struct lesson_value *v = list_add(d->arena, &d->page->values, sizeof *v);
    *v = (struct lesson_value){.name = name, .kind = kind, .text = "?"};
    return v;
}

void draft_bytes(struct draft *d, const char *name, uint64_t bytes)
{
    char text[24];
    struct lesson_value *v = add(d, name, VALUE_BYTES);
    lesson_bytes(bytes, text);
    v->number = bytes;
    v->text = arena_text(d->arena, text, strlen(text));
}

void draft_count(struct draft *d, const char *name, uint64_t n)
{
    struct lesson_value *v = add(d, name, VALUE_COUNT);
    v->number = n;
    v->text = arena_printf(d->arena, "%llu", (unsigned long long)n);
}

void draft_text(struct draft *d, const char *name, const char *text)
{
    if (text)
        add(d, name, VALUE_TEXT)->text = arena_text(d->arena, text, strlen(text));
    else
        draft_unknown(d, name);
}

void draft_unknown(struct draft *d, const char *name)
{
    add(d, name, VALUE_UNKNOWN);
}

void draft_buffer(struct draft *d, const char *name, const struct program *p, buf_id b)
{
    const char *start = arena_printf(d->arena, "%s.start", name), *end = arena_printf(d->arena, "%s.end", name);
    if (b == BUF_NONE) {
        draft_unknown(d, name);
        draft_unknown(d, start);
        draft_unknown(d, end);
        return;
    }
    draft_bytes(d, name, p->size[b]);
    draft_count(d, start, p->start[b]);
    draft_count(d, end, p->end[b]);
}

void draft_place(struct draft *d, const char *name, const struct program *p, buf_id b)
{
    const struct assignment *a = &p->module->assignment;
    if (b == BUF_NONE || p->alloc[b] == ALLOC_NONE || p->alloc[b] >= a->allocs.n)
        draft_unknown(d, name);
    else
        draft_count(d, name, (uint64_t)assignment_alloc(a, p->alloc[b])->index);
}

/* ---- Words ---- */

static const struct lesson_value *find(const struct draft *d, const char *name, size_t len)
{
    const struct lesson_value *v = d->page->values.items;
    for (uint32_t k = 0; k < d->page->values.n; k++)
        if (strlen(v[k].name) == len && strncmp(v[k].name, name, len) == 0)
            return &v[k];
    return NULL;
}

/* GiB without the unit; "–": nothing at all. */
static const char *bare(struct draft *d, const struct lesson_value *v)
{
    if (v->kind != VALUE_BYTES)
        return v->text;
    double gib = (double)v->number / (1024.0 * 1024 * 1024);
    if (gib < 0.05)
        return "–";
    char *text = arena_printf(d->arena, "%.1f", gib), *point = strstr(text, ".0");
    if (point)
        *point = '\0';
    return text;
}

static const char *value_text(struct draft *d, const char *name, size_t len)
{
    bool number = len > 0 && name[len - 1] == '#';
    const struct lesson_value *v = find(d, name, len - number);
    return !v ? "?" : number ? bare(d, v) : v->text;
}

const char *draft_words(struct draft *d, const char *words)
{
    const char *out = "";
    for (;;) {
        const char *open = strchr(words, '{'), *close = open ? strchr(open, '}') : NULL;
        if (!close)
            return arena_printf(d->arena, "%s%s", out, words);
        out = arena_printf(d->arena, "%s%.*s%s", out, (int)(open - words), words,
                           value_text(d, open + 1, (size_t)(close - open) - 1));
        words = close + 1;
    }
}

/* The next part between bars, without blanks around it; in the arena.  *at moves behind it. */
static const char *part(struct draft *d, const char **at)
{
    const char *from = *at + strspn(*at, " "), *bar = strchr(from, '|');
    size_t len = bar ? (size_t)(bar - from) : strlen(from);
    *at = bar ? bar + 1 : from + len;
    while (len && from[len - 1] == ' ')
        len--;
    return arena_text(d->arena, from, len);
}

static void fill_cells(struct draft *d, struct lesson_line *l, const char *at)
{
    while (*at && l->cells < CELLS_MOST)
        l->cell[l->cells++] = draft_words(d, part(d, &at));
}

void draft_line(struct draft *d, const char *line)
{
    struct lesson_line l = {.kind = LESSON_TEXT};
    const char *at = line + 1;
    switch (*line) {
    case '=':
        l.kind = LESSON_FIGURE;
        l.cell[l.cells++] = draft_words(d, part(d, &at));
        l.words = draft_words(d, part(d, &at));
        break;
    case '#': case '+':
        l.kind = *line == '#' ? LESSON_HEAD : LESSON_ROW;
        l.words = draft_words(d, part(d, &at));
        fill_cells(d, &l, at);
        break;
    default:
        l.words = draft_words(d, line);
    }
    *(struct lesson_line *)list_add(d->arena, &d->page->lines, sizeof l) = l;
}

/* ---- Programs ---- */

static const struct program *take(struct draft *d, const struct book *b)
{
    d->book = b;
    if (!b->p && !d->page->why)
        d->page->why = b->why;
    return b->p;
}

const struct program *draft_form(struct draft *d, int64_t seqlen, int64_t unroll)
{
    return take(d, shelf_form(&d->lesson->shelf, seqlen, unroll));
}

const struct program *draft_remedy(struct draft *d, const char *name, int64_t seqlen)
{
    return take(d, shelf_remedy(&d->lesson->shelf, name, seqlen));
}

struct look *draft_look(struct draft *d, enum look_view view, uint32_t step, buf_id chosen)
{
    struct lesson_page *pg = d->page;
    pg->n_looks += pg->n_looks < LOOKS_MOST; /* no page has more; should one, the last gives way */
    struct look *l = &pg->looks[pg->n_looks - 1];
    *l = (struct look){.book = d->book, .view = view, .step = step, .chosen = chosen};
    return l;
}
