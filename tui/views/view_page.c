/* A page of explanations: figures under each other, what they are for, and the source line at the
 * right.  The selected line leads to a step, a buffer, or nowhere. */
#include "tui/views/views.h"

#include <stdio.h>

static void title_of(const struct scene *v, char *out, size_t size)
{
    const struct program *p = v->p;
    const struct app *s = v->s;
    const struct line *head = v->page->lines.n ? page_line(v->page, 0) : NULL;
    if (head && head->kind == LINE_TITLE && head->words)
        snprintf(out, size, "%s", head->words);
    else if (s->page == PAGE_STEP)
        snprintf(out, size, "what is alive at step %u", (unsigned)s->step);
    else if (s->chosen < p->n)
        snprintf(out, size, "why %s is alive", p->name_of[s->chosen]);
    else
        snprintf(out, size, "nothing is chosen");
}

static const char *figure_of(const struct line *l, char out[40])
{
    char bytes[24];
    bool less = l->has_delta && l->minus > l->bytes;
    uint64_t n = !l->has_delta ? l->bytes : less ? l->minus - l->bytes : l->bytes - l->minus;
    snprintf(out, 40, "%s%s", !l->has_delta || !n ? "" : less ? "-" : "+", bytes_text(n, bytes));
    return out;
}

static enum style style_of(const struct line *l)
{
    return l->kind == LINE_SUM ? ST_TITLE : ST_PLAIN;
}

struct place {
    int row, skip, height; /* of the part: the row to draw at, rows of the line above it, its rows */
};

static void put(struct rect r, struct grid *g, struct place at, int line, int col, int width,
                enum style st, enum cut cut, const char *text)
{
    int row = at.row + line - at.skip;
    if (line >= at.skip && row < at.height)
        grid_field(g, r, row, col, width, st, cut, text);
}

static void draw_line(struct rect r, struct grid *g, const struct page_columns *c,
                      const struct line *l, int rows, struct place at)
{
    struct page_text t = page_text_of(c, l);
    enum style st = style_of(l);
    char text[1024], figure[40];
    int row = 0;
    if (l->has_bytes)
        put(r, g, at, 0, c->bytes, c->label - c->bytes - (r.w < 60 ? 1 : 2), st, CUT_RIGHT,
            figure_of(l, figure));
    if (l->source && t.end < c->end)
        put(r, g, at, 0, t.end + 2, text_columns(l->source), st, CUT_END, l->source);
    if (t.label_row)
        put(r, g, at, row++, c->label, c->end - c->label, st, CUT_MIDDLE, l->label);
    else if (l->label)
        put(r, g, at, 0, c->label, c->label_width, st, CUT_END, l->label);
    for (int k = 0; row < rows && l->words && wrap_line(l->words, t.end - t.col, k, text, sizeof text); k++)
        put(r, g, at, row++, t.col, t.end - t.col, st, CUT_END, text);
}

static void draw_title(struct rect r, struct grid *g, const struct line *l, bool blank,
                       struct place at)
{
    const char *text = l->words ? l->words : l->label ? l->label : "";
    int room = r.w - 3;
    if (at.skip > blank)
        return;
    put(r, g, at, blank, 2, text_columns(text) < room ? text_columns(text) : room, ST_TITLE, CUT_WORD, text);
}

/* Marks the rows of the selected line: reversed where it leads somewhere. */
static void mark(struct rect r, struct grid *g, const struct line *l, int rows, struct place at)
{
    for (int k = at.skip; k < rows && at.row + k - at.skip < at.height; k++) {
        int row = at.row + k - at.skip;
        if (page_leads(l))
            grid_paint(g, r, row, 0, r.w, ST_ROW);
        if (k == 0)
            grid_put(g, r, row, 0, 0x25b8, page_leads(l) ? ST_ROW : ST_CHOSEN);
    }
}

static void draw_lines(const struct scene *v, struct grid *g, const struct page *pg,
                       const struct page_columns *c, int top)
{
    struct rect list = v->l.page_list;
    int row = -top;
    for (uint32_t k = 0; k < pg->lines.n && row < list.h; k++) {
        const struct line *l = page_line(pg, k);
        int rows = page_rows(pg, c, k);
        struct place at = {row < 0 ? 0 : row, row < 0 ? -row : 0, list.h};
        if (!rows)
            continue;
        if (row + rows > 0 && l->kind == LINE_TITLE) {
            draw_title(list, g, l, k > 0, at);
        } else if (row + rows > 0) {
            draw_line(list, g, c, l, rows, at);
            if (k == v->s->page_line)
                mark(list, g, l, rows, at);
        }
        row += rows;
    }
}

void page_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct page *pg = v->page;
    struct rect list = v->l.page_list;
    char title[300], more[40] = "";
    if (r.h < 2 || !pg)
        return;
    struct page_columns c = page_columns_of(pg, list.w);
    int all = page_height(pg, &c);
    int top = page_top_of(pg, &c, v->s->page_line, v->s->page_top, list.h);
    title_of(v, title, sizeof title);
    if (all > list.h)
        snprintf(more, sizeof more, "%d–%d of %d", top + 1, top + list.h, all);
    rule_draw(r, g, true, title, more);
    draw_lines(v, g, pg, &c, top);
    if (!pg->lines.n)
        grid_field(g, list, 0, 2, list.w - 3, ST_DIM, CUT_WORD, "Nothing is known about it.");
}
