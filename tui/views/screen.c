/* The whole screen, and the small things that views share. */
#include "tui/views/views.h"

#include <stdio.h>
#include <string.h>

void rule_draw(struct rect r, struct grid *g, bool focus, const char *title, const char *right)
{
    enum style st = focus ? ST_FOCUS : ST_RULE;
    grid_fill(g, r, 0, focus ? 0x2501 : 0x2500, st);
    if (title[0])
        grid_put(g, r, 0, 1, ' ', st);
    char cut[300];
    int room = r.w - 4;
    bool whole = text_columns(title) <= room;
    if (!whole && room > 1 && wrap_line(title, room - 1, 0, cut, sizeof cut - 4))
        strcat(cut, "…");
    int end = grid_text(g, r, 0, 2, ST_TITLE, whole ? title : room > 1 ? cut : "");
    if (title[0])
        grid_put(g, r, 0, end, ' ', st);
    int n = text_columns(right);
    if (!n || end + n + 5 > r.w)
        return;
    grid_put(g, r, 0, r.w - n - 3, ' ', st);
    grid_text(g, r, 0, r.w - n - 2, ST_DIM, right);
    grid_put(g, r, 0, r.w - 2, ' ', st);
}

const char *place_text(const struct scene *v, buf_id b, char *out, size_t size)
{
    char bytes[AMOUNT];
    const struct program *p = v->p;
    const struct assignment *a = &p->module->assignment;
    out[0] = '\0';
    if (p->alloc[b] == ALLOC_NONE || p->alloc[b] >= a->allocs.n)
        return out;
    int n = snprintf(out, size, "a%lld", (long long)assignment_alloc(a, p->alloc[b])->index);
    if (p->offset[b] && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " +%s", amount(v->s, p->offset[b], bytes));
    return out;
}

/* ---- The whole ---- */

void small_draw(int cols, int rows, struct grid *g)
{
    struct rect all = {0, 0, cols, rows};
    char text[80], line[80];
    snprintf(text, sizeof text, "tidemark needs %d×%d, this is %d×%d", SCREEN_COLS, SCREEN_ROWS,
             cols, rows);
    for (int i = 0; wrap_line(text, cols, i, line, sizeof line); i++)
        grid_text(g, all, i, 0, ST_PLAIN, line);
}

void screen_draw(const struct program *p, struct memo *memo, const struct app *s, struct grid *g)
{
    struct scene v;
    grid_clear(g);
    if (s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS) {
        small_draw(s->cols, s->rows, g);
        return;
    }
    scene_make(&v, p, memo, s);
    if (s->mode == MODE_HELP) {
        struct help h = help_of(p, s);
        h.keys = memo->keys;
        help_draw(&h, s->help_top, (struct rect){0, 0, s->cols, s->rows}, g);
        footer_view(&v, v.l.footer, g);
        return;
    }
    header_view(&v, v.l.header, g);
    chart_view(&v, v.l.chart, g);
    map_view(&v, v.l.map, g);
    if (s->mode == MODE_FILTER)
        filter_view(&v, v.l.table, g);
    else
        table_view(&v, v.l.table, g);
    page_view(&v, v.l.page, g);
    grid_view(&v, v.l.page, g);
    compare_view(&v, v.l.page, g);
    strip_view(&v, v.l.strip, g);
    over_view(&v, (struct rect){0, 0, s->cols, v.l.footer.y}, g);
    lesson_view(&v, v.l.lesson, g);
    footer_view(&v, v.l.footer, g);
}
