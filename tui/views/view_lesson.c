/* The panel of the lesson: its page in words, beside the views of the program that it is about. */
#include "tui/views/views.h"

#include "tui/lesson/lesson.h"

#include <stdio.h>
#include <string.h>

struct panel {
    struct arena arena;
    struct list rows; /* struct lesson_row */
    int first, last;  /* those of the selected remedy; last < first: none */
};

static const struct lesson_row *row_at(const struct panel *pn, int k)
{
    return (const struct lesson_row *)pn->rows.items + k;
}

static void make(struct panel *pn, const struct lesson_page *pg, const struct app *s, int width)
{
    *pn = (struct panel){.last = -1};
    const struct lesson_style style = {width - 2, s->lesson_answer, "press Space for the answer", s->lesson_look};
    lesson_rows(pg, &style, &pn->arena, &pn->rows);
    for (int k = (int)pn->rows.n - 1; k >= 0; k--)
        if (row_at(pn, k)->look >= 0 && (uint32_t)row_at(pn, k)->look == s->lesson_look) {
            pn->first = k;
            pn->last = pn->last < 0 ? k : pn->last;
        }
}

static int bounded(const struct panel *pn, int top, int height)
{
    int most = (int)pn->rows.n - height;
    return top > most ? (most > 0 ? most : 0) : top < 0 ? 0 : top;
}

/* The selected remedy is seen, unless the answer below it was asked for. */
static int shown_top(const struct panel *pn, const struct app *s, int height)
{
    int top = bounded(pn, s->lesson_top, height);
    if (pn->last < pn->first || s->lesson_answer)
        return top;
    if (pn->last >= top + height)
        top = pn->last - height + 1;
    return pn->first < top ? (pn->first < height ? 0 : pn->first) : top;
}

int lesson_top_of(const struct lesson_page *pg, const struct app *s, struct rect list, int top)
{
    struct panel pn;
    make(&pn, pg, s, list.w);
    for (int k = 0; top == SCROLL_MOST && k < (int)pn.rows.n; k++)
        if (row_at(&pn, k)->look == ROW_ANSWER)
            top = k;
    top = bounded(&pn, top, list.h);
    arena_free(&pn.arena);
    return top;
}

int32_t lesson_look_at(const struct lesson_page *pg, const struct app *s, struct rect list, int row)
{
    struct panel pn;
    make(&pn, pg, s, list.w);
    int k = shown_top(&pn, s, list.h) + row;
    int32_t look = k < (int)pn.rows.n ? row_at(&pn, k)->look : ROW_PLAIN;
    arena_free(&pn.arena);
    return look;
}

/* "grid/a100-d1048576-s4-u1, 1 of 2" */
static void draw_name(const struct scene *v, const struct lesson_page *pg, struct rect r, struct grid *g)
{
    char text[400];
    const char *name = pg->n_looks ? pg->looks[v->s->lesson_look < pg->n_looks ? v->s->lesson_look : 0].book->name : "";
    int n = snprintf(text, sizeof text, "shows %s", name);
    if (pg->n_looks > 1 && v->s->lesson_page != LESSON_PAGES - 1 && n > 0 && (size_t)n < sizeof text)
        snprintf(text + n, sizeof text - (size_t)n, ", %u of %u", v->s->lesson_look + 1, pg->n_looks);
    if (pg->n_looks)
        grid_field(g, r, 1, 1, r.w - 2, ST_DIM, CUT_MIDDLE, text);
}

void lesson_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct lesson_page *pg = v->memo->lesson;
    struct rect list = v->l.lesson_list;
    struct panel pn;
    char title[200], more[40] = "";
    if (r.h < 2 || !pg)
        return;
    make(&pn, pg, v->s, list.w);
    int n = (int)pn.rows.n, top = shown_top(&pn, v->s, list.h);
    if (n > list.h)
        snprintf(more, sizeof more, "%d–%d of %d", top + 1, top + list.h, n);
    snprintf(title, sizeof title, "lesson %d/%d: %s", v->s->lesson_page + 1, LESSON_PAGES, pg->title);
    const char *words = text_columns(title) <= r.w - 4 ? title : title + strlen("lesson ");
    for (int k = 0; k < r.h; k++) /* a panel beside the views is apart from them */
        grid_put(g, r, k, 0, r.x ? 0x2502 : ' ', ST_RULE);
    rule_draw(r, g, true, words, more);
    if (list.y - r.y > 1)
        draw_name(v, pg, r, g);
    for (int k = 0; k < list.h && top + k < n; k++) {
        const struct lesson_row *row = row_at(&pn, top + k);
        bool chosen = top + k >= pn.first && top + k <= pn.last;
        grid_text(g, list, k, 1, (enum style)row->style, row->text);
        if (chosen)
            grid_paint(g, list, k, 1, list.w - 1, ST_ROW);
        if (chosen && top + k == pn.first)
            grid_put(g, list, k, 1, 0x25b8, ST_ROW);
    }
    arena_free(&pn.arena);
}
