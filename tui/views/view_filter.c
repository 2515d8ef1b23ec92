/* The menu in which a filter is chosen, in place of the table. */
#include "tui/views/views.h"

#include <stdio.h>

#define NAME_WIDTH 8

/* The kinds: letter, name, and what it is set to. */
static void kind_row(const struct scene *v, struct rect r, struct grid *g, int row, enum filter_kind k, enum style st)
{
    char text[200], *value = text;
    int col = 3;
    if (r.w < 20)
        return;
    grid_put(g, r, row, col, (uint32_t)filter_letter(k), st == ST_ROW ? ST_ROW : ST_KEY);
    col = grid_field(g, r, row, col + 2, NAME_WIDTH, st, CUT_END, filter_name(k));
    if (filter_has(&v->s->filter, k))
        filter_text(v, k, text, sizeof text);
    else
        value = "\xe2\x80\x94"; /* — */
    grid_field(g, r, row, col, r.w - col - 1, st, CUT_MIDDLE, value);
}

/* A value: bytes and buffers that it would leave, and its name. */
static void value_row(const struct scene *v, struct rect r, struct grid *g, int row, const struct choice *c, enum style st)
{
    char text[200], bytes[AMOUNT], count[24];
    struct filter f = {0};
    filter_set(&f, v->s->menu, c->value);
    int width = amount_width(v);
    int col = grid_field(g, r, row, 1, width, st, CUT_RIGHT, c->none ? "" : amount(v->s, c->own, bytes));
    snprintf(count, sizeof count, "%u", (unsigned)c->n);
    col = grid_field(g, r, row, col + 1, 8, st, CUT_RIGHT, count) + 2;
    struct scene other = *v;
    struct app s = *v->s;
    s.filter = f;
    other.s = &s;
    grid_field(g, r, row, col, r.w - col - 1, st, CUT_MIDDLE,
               c->none ? "any: take this filter away" : filter_text(&other, s.menu, text, sizeof text));
}

void filter_view(const struct scene *v, struct rect r, struct grid *g)
{
    struct menu *m = &v->memo->menu;
    bool kinds = v->s->menu == FILTER_KINDS;
    char title[80], count[40] = "";
    if (r.h < 3)
        return;
    menu_get(m, v->p, &v->when, v->s);
    struct rect list = v->l.list;
    uint32_t top = menu_top(v->s, m->n, list.h);
    snprintf(title, sizeof title, kinds ? "filter: by what?" : "filter by %s", kinds ? "" : filter_name(v->s->menu));
    if (m->n > (uint32_t)list.h)
        snprintf(count, sizeof count, "%u\xe2\x80\x93%u of %u", (unsigned)top + 1, (unsigned)top + (unsigned)list.h, (unsigned)m->n);
    rule_draw(r, g, true, title, count);
    if (!kinds) {
        int col = grid_field(g, r, 1, 1, amount_width(v), ST_DIM, CUT_RIGHT, "alive here");
        grid_field(g, r, 1, col + 1, 8, ST_DIM, CUT_RIGHT, "buffers");
    }
    for (int i = 0; i < list.h && top + (uint32_t)i < m->n; i++) {
        const struct choice *c = &m->items[top + (uint32_t)i];
        bool chosen = top + (uint32_t)i == v->s->menu_line;
        if (chosen) {
            grid_fill(g, list, i, ' ', ST_ROW);
            grid_put(g, list, i, 0, 0x25b8, ST_ROW);
        }
        if (kinds)
            kind_row(v, list, g, i, (enum filter_kind)c->value, chosen ? ST_ROW : ST_PLAIN);
        else
            value_row(v, list, g, i, c, chosen ? ST_ROW : ST_PLAIN);
    }
    if (!m->n)
        grid_field(g, list, 0, 2, list.w - 3, ST_DIM, CUT_WORD, "Nothing is alive here that passes the other filters.");
}
