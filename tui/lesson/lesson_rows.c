/* A page as rows of text, for the panel and for `tidemark lesson`. */
#include "tui/lesson/lesson.h"

#include "tui/model/text.h"
#include "tui/terminal/grid.h"

#include <string.h>

struct writer {
    struct arena *a;
    struct list *rows;
    int width;
    uint32_t look;
};

static void put(struct writer *w, const char *text, enum style st, int32_t look)
{
    *(struct lesson_row *)list_add(w->a, w->rows, sizeof(struct lesson_row)) =
        (struct lesson_row){.text = text, .style = (uint8_t)st, .look = look};
}

static void blank(struct writer *w)
{
    const struct lesson_row *last = w->rows->n ? (const struct lesson_row *)w->rows->items + w->rows->n - 1 : NULL;
    if (last && last->text[0])
        put(w, "", ST_PLAIN, ROW_PLAIN);
}

/* So many blanks, or the text at the right of so many columns. */
static const char *right(struct writer *w, int width, const char *text)
{
    int room = width - text_columns(text);
    return arena_printf(w->a, "%*s%s", room > 0 ? room : 0, "", text);
}

static const char *left(struct writer *w, int width, const char *text)
{
    int room = width - text_columns(text);
    return arena_printf(w->a, "%s%*s", text, room > 0 ? room : 0, "");
}

/* Columns of the longest word. */
static int longest_word(const char *text)
{
    int most = 0, col = 0;
    while (*text) {
        col = *text == ' ' ? 0 : col + 1;
        most = col > most ? col : most;
        text_next(&text);
    }
    return most;
}

/* Text broken at the width, behind `first`; its further rows are indented as far. */
static void wrap(struct writer *w, const char *first, const char *text, enum style st, int32_t look)
{
    int indent = text_columns(first), room = w->width - indent;
    size_t size = strlen(text) + 1;
    char *line = arena_get(w->a, size);
    if (indent && (room < 12 || longest_word(text) > room)) { /* no room beside it: below it */
        put(w, first, st, look);
        first = "  ";
        indent = 2;
        room = w->width - 2;
    }
    for (int k = 0; wrap_line(text, room, k, line, size); k++)
        put(w, arena_printf(w->a, "%s%s", k ? right(w, indent, "") : first, line), st, look);
}

/* ---- Lines that stand under each other ---- */

static bool is_table(enum lesson_kind k)
{
    return k == LESSON_HEAD || k == LESSON_ROW || k == LESSON_REMEDY;
}

static bool together(enum lesson_kind a, enum lesson_kind b)
{
    return a == b || (is_table(a) && is_table(b));
}

struct table {
    int words, cell[CELLS_MOST];
};

/* The widths of lines [from, to). */
static struct table measure(const struct lesson_page *pg, uint32_t from, uint32_t to)
{
    struct table t = {.words = 0};
    for (uint32_t k = from; k < to; k++) {
        const struct lesson_line *l = lesson_line(pg, k);
        int words = l->words ? text_columns(l->words) : 0;
        if (words > t.words && l->kind != LESSON_REMEDY)
            t.words = words;
        for (int c = 0; c < l->cells; c++)
            if (text_columns(l->cell[c]) > t.cell[c])
                t.cell[c] = text_columns(l->cell[c]);
    }
    return t;
}

static void table_row(struct writer *w, const struct lesson_line *l, const struct table *t)
{
    const char *text = left(w, t->words, l->words);
    int all = t->words;
    for (int c = 0; c < l->cells; c++)
        all += t->cell[c] + 2;
    int gap = all < w->width ? 2 : 1;
    for (int c = 0; c < l->cells; c++)
        text = arena_printf(w->a, "%s%s", text, right(w, t->cell[c] + gap, l->cell[c]));
    wrap(w, "", text, l->kind == LESSON_HEAD ? ST_DIM : ST_PLAIN, ROW_PLAIN);
}

/* Figures first, for what one changes takes all the room there is. */
static void remedy_row(struct writer *w, const struct lesson_line *l, const struct table *t)
{
    const char *text = " ";
    for (int c = 0; c < l->cells; c++)
        text = arena_printf(w->a, "%s%s", text, right(w, t->cell[c] + 1, l->cell[c]));
    bool head = l->kind == LESSON_HEAD;
    text = arena_printf(w->a, "%s  ", text);
    wrap(w, text, l->words, head ? ST_DIM : ST_TITLE, head ? ROW_PLAIN : (int32_t)l->look);
    if (l->more && (w->look == LOOK_ALL || w->look == l->look))
        wrap(w, right(w, text_columns(text), ""), l->more, ST_DIM, (int32_t)l->look);
}

static void run_of(struct writer *w, const struct lesson_page *pg, uint32_t from, uint32_t to)
{
    struct table t = measure(pg, from, to);
    bool remedies = lesson_line(pg, to - 1)->kind == LESSON_REMEDY;
    for (uint32_t k = from; k < to; k++) {
        const struct lesson_line *l = lesson_line(pg, k);
        if (l->kind == LESSON_TEXT)
            wrap(w, "", l->words, ST_PLAIN, ROW_PLAIN);
        else if (l->kind == LESSON_FIGURE)
            wrap(w, arena_printf(w->a, "%s  ", right(w, t.cell[0] + 1, l->cell[0])), l->words, ST_PLAIN, ROW_PLAIN);
        else if (remedies)
            remedy_row(w, l, &t);
        else
            table_row(w, l, &t);
        if (l->kind == LESSON_TEXT)
            blank(w);
    }
    blank(w);
}

void lesson_rows(const struct lesson_page *pg, const struct lesson_style *style, struct arena *a,
                 struct list *rows)
{
    struct writer w = {a, rows, style->width > 10 ? style->width : 10, style->look};
    for (uint32_t k = 0; k < pg->lines.n;) {
        uint32_t from = k++;
        while (k < pg->lines.n && together(lesson_line(pg, from)->kind, lesson_line(pg, k)->kind))
            k++;
        run_of(&w, pg, from, k);
    }
    if (!pg->question[0])
        return;
    wrap(&w, "Q  ", pg->question, ST_TITLE, ROW_PLAIN);
    if (style->answer || style->hint)
        wrap(&w, "A  ", style->answer ? pg->answer : style->hint, style->answer ? ST_PLAIN : ST_DIM, ROW_ANSWER);
}
