/* The table of forms: seqlen down, unroll across; each cell output + temp, how sure that is, and a
 * shade that grows with the bytes. */
#include "tui/views/views.h"

#include <stdio.h>

#define GUTTER 7 /* the lengths, under "seqlen" */
#define CELL 9   /* "▸▒=24.00!": mark, shade, sign, figure, over the memory */
#define ROOMY_CELL 14 /* "▸▒▒▒▒ =24.00!" */

struct cells_place cells_place_of(const struct axes *a, const struct app *s, struct rect r)
{
    struct cells_place c = {.row_height = 1};
    int foot = r.h < 12 ? 2 : r.h < 20 ? 5 : 7;
    c.area = (struct rect){r.x + GUTTER, r.y + 3, r.w - GUTTER - 1, r.h - 3 - foot};
    if (r.h < 12) {
        c.area.y = r.y + 2;
        c.area.h = r.h - 2 - foot;
    }
    c.col_width = c.area.w >= ROOMY_CELL * a->cols ? ROOMY_CELL : CELL;
    if (c.area.h >= 2 * a->rows + 2)
        c.row_height = 2;
    int cols = c.area.w / c.col_width, rows = c.area.h / c.row_height;
    cols = cols < 1 ? 1 : cols;
    rows = rows < 1 ? 1 : rows;
    if (a->cols > cols && s->cell_col >= cols)
        c.first_col = s->cell_col - cols + 1;
    if (a->rows > rows && s->cell_row >= rows)
        c.first_row = s->cell_row - rows + 1;
    c.cols = a->cols - c.first_col < cols ? a->cols - c.first_col : cols;
    c.rows = a->rows - c.first_row < rows ? a->rows - c.first_row : rows;
    return c;
}

/* What all cells share. */
struct heat {
    const struct stock *stock;
    struct axes a;
    struct cells_place c;
    uint64_t least, most; /* of all cells that are known */
    double unit;
    const char *unit_name, *axis;
};

static bool is_over(const struct figure *f)
{
    return f->has_need && f->limit && f->need_high > f->limit;
}

static uint32_t sign_of(enum whatif_method m)
{
    static const uint32_t signs[] = {'c', '=', '~', 0x2264, '?'};
    return signs[m];
}

static uint32_t shade_of(const struct heat *h, const struct figure *f)
{
    static const uint32_t shades[] = {0x2591, 0x2592, 0x2593, 0x2588};
    double range = (double)(h->most - h->least);
    return shades[range > 0 ? (int)((double)(f->bytes - h->least) / range * 3.999) : 0];
}

static void measure(const struct scene *v, struct heat *h)
{
    struct form form;
    struct figure f;
    h->least = UINT64_MAX;
    for (int row = 0; row < h->a.rows; row++)
        for (int col = 0; col < h->a.cols; col++)
            if (form_at(&h->a, &v->s->form, row, col, &form) && stock_peek(h->stock, &form, &f) && f.known) {
                h->most = f.bytes > h->most ? f.bytes : h->most;
                h->least = f.bytes < h->least ? f.bytes : h->least;
            }
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    for (h->unit = 1; u < 6 && (double)h->most / h->unit >= 1024; u++)
        h->unit *= 1024;
    h->unit_name = units[u];
}

static void draw_known(const struct heat *h, struct grid *g, int y, int x, const struct figure *f)
{
    struct rect area = h->c.area;
    bool over = is_over(f);
    enum style st = over ? ST_OVER : f->method == WHATIF_COMPILED || f->method == WHATIF_EXACT ? ST_TITLE : ST_PLAIN;
    uint32_t sign = sign_of(f->method);
    bool roomy = h->c.col_width == ROOMY_CELL;
    int wide = roomy ? 4 : 1;
    double figure = (double)f->bytes / h->unit;
    char text[24];
    snprintf(text, sizeof text, "%.*f", h->unit == 1 || figure >= 999.95 ? 0 : figure >= 99.995 ? 1 : 2, figure);
    for (int k = 0; k < wide * h->c.row_height; k++)
        grid_put(g, area, y + k / wide, x + 1 + k % wide, shade_of(h, f), over ? ST_OVER : ST_LIVE);
    int end = x + wide + 7 + roomy, col = end - text_columns(text);
    grid_put(g, area, y, col - 1, sign, st);
    grid_text(g, area, y, col, st, text);
    if (over)
        grid_put(g, area, y, end, '!', ST_OVER);
}

static void draw_cell(const struct scene *v, const struct heat *h, struct grid *g, int row, int col)
{
    const struct app *s = v->s;
    struct rect area = h->c.area;
    int y = (row - h->c.first_row) * h->c.row_height, x = (col - h->c.first_col) * h->c.col_width;
    struct form form;
    struct figure f;
    int middle = x + h->c.col_width - 2;
    if (!form_at(&h->a, &s->form, row, col, &form))
        return;
    if (!stock_peek(h->stock, &form, &f))
        grid_put(g, area, y, middle, 0x22ef, ST_DIM);
    else if (!f.known)
        grid_put(g, area, y, middle, '?', ST_DIM);
    else
        draw_known(h, g, y, x, &f);
    bool selected = row == s->cell_row && col == s->cell_col, shown = form_same(&form, &s->shown);
    if (selected)
        grid_paint(g, area, y, x, h->c.col_width, ST_ROW);
    if (selected || shown)
        grid_put(g, area, y, x, selected ? 0x25b8 : 0x2219, selected ? ST_ROW : ST_TITLE);
}

static void draw_heads(const struct heat *h, struct rect r, struct grid *g)
{
    const struct cells_place *c = &h->c;
    int head = c->area.y - r.y - 1;
    char text[40];
    grid_text(g, r, head, 1, ST_DIM, h->axis);
    if (head > 1)
        grid_text(g, r, head - 1, GUTTER + 2, ST_DIM, "unroll");
    for (int k = 0; k < c->cols; k++) {
        struct form at = {.seqlen = INT64_MAX, .unroll = h->a.unroll[c->first_col + k]};
        bool full = at.unroll == VARIANT_FULL;
        snprintf(text, sizeof text, full ? "full" : "%lld", (long long)at.unroll);
        grid_field(g, r, head, GUTTER + k * c->col_width, c->col_width - 1, ST_TITLE, CUT_RIGHT, text);
    }
    for (int k = 0; k < c->rows; k++) {
        snprintf(text, sizeof text, "%lld", (long long)h->a.seqlen[c->first_row + k]);
        grid_field(g, r, c->area.y - r.y + k * c->row_height, 1, GUTTER - 2, ST_TITLE, CUT_RIGHT, text);
    }
}

/* ---- Below: what the selected cell is, and what the signs mean ---- */

static const char *range_text(const struct app *s, const struct figure *f, char out[80])
{
    char a[AMOUNT], b[AMOUNT];
    if (f->method == WHATIF_ESTIMATE)
        snprintf(out, 80, "%s to %s", amount(s, f->low, a), amount(s, f->high, b));
    else
        snprintf(out, 80, "%s%s", f->method == WHATIF_BOUND ? "at most " : "", amount(s, f->bytes, a));
    return out;
}

/* "; 24.00 GiB reserved: fits in 79.26 GiB", narrow: ": fits in 79.26 GiB" */
static void fits_text(const struct app *s, const struct figure *f, bool narrow, char out[100])
{
    char need[AMOUNT], limit[AMOUNT];
    out[0] = '\0';
    if (!f->has_need)
        return;
    amount(s, f->need_high, need);
    amount(s, f->limit, limit);
    const char *fits = is_over(f) ? "exceeds" : "fits in";
    if (f->limit && narrow)
        snprintf(out, 100, ": %s %s", fits, limit);
    else if (f->limit)
        snprintf(out, 100, "; %s reserved: %s %s", need, fits, limit);
    else if (!narrow)
        snprintf(out, 100, "; %s reserved", need);
}

static void draw_selected(const struct scene *v, const struct heat *h, struct rect r, struct grid *g, int row)
{
    const struct app *s = v->s;
    struct form form;
    struct figure f;
    char unroll[24], range[80], fits[100], text[600], line[300];
    if (!form_at(&h->a, &s->form, s->cell_row, s->cell_col, &form))
        return;
    form_unroll_text(&form, unroll);
    bool narrow = r.w < 60;
    int col = grid_printf(g, r, row, 1, ST_TITLE, narrow ? "%s%lld u%s" : "%s %lld, unroll %s", narrow ? "s" : h->axis,
                          (long long)form.seqlen, unroll) + 2;
    if (!stock_peek(h->stock, &form, &f)) {
        grid_field(g, r, row, col, r.w - col - 1, ST_DIM, CUT_END,
                   stock_is_slow(h->stock, &form) ? "takes a while to tell: Enter asks" : "⋯ not asked yet");
        return;
    }
    if (!f.known) {
        grid_field(g, r, row, col, r.w - col - 1, ST_PLAIN, CUT_END, method_words(f.method));
        snprintf(text, sizeof text, "%s", f.note);
    } else {
        fits_text(s, &f, narrow, fits);
        snprintf(text, sizeof text, "%s%s", range_text(s, &f, range), fits);
        grid_field(g, r, row, col, r.w - col - 1, is_over(&f) ? ST_OVER : ST_PLAIN, CUT_WORD, text);
        snprintf(text, sizeof text, "%s: %s", method_words(f.method), f.note);
    }
    for (int k = 0; row + 1 + k < r.h && wrap_line(text, r.w - 2, k, line, sizeof line); k++)
        grid_text(g, r, row + 1 + k, 1, ST_DIM, line);
}

static void draw_legend(struct rect r, struct grid *g, int row)
{
    static const char *const texts[] = {
        "░▒▓█ few to many bytes  c compiled  = exact  ~ estimate  ≤ at most  ? needs a compile  ⋯ not asked yet  ! over the memory  ∙ shown",
        "░▒▓█ few to many  c compiled  = exact  ~ estimate  ≤ at most  ? needs a compile  ⋯ not asked  ! over  ∙ shown",
        "c compiled  = exact  ~ estimate  ≤ at most  ? unknown  ⋯ unasked  ! over  ∙ shown",
        "c compiled = exact ~ estimate ≤ at most ? unknown ⋯ unasked ! over",
        "c compiled = exact ~ est. ≤ ? ⋯ unasked",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (text_columns(texts[k]) > r.w - 2)
            continue;
        grid_text(g, r, row, 1, ST_DIM, texts[k]);
        return;
    }
}

void grid_view(const struct scene *v, struct rect r, struct grid *g)
{
    struct heat h = {.stock = v->memo->stock, .axis = form_axis(v->s->forms)};
    char title[120];
    if (r.h < 4 || v->s->mode != MODE_GRID || !h.stock)
        return;
    h.a = form_axes(&v->s->form, h.stock->first.seqlen, v->s->forms);
    h.c = cells_place_of(&h.a, v->s, r);
    measure(v, &h);
    if (v->s->forms == FORMS_EXAMPLE)
        snprintf(title, sizeof title, "output + temp in %s · %.40s, width %lld", h.unit_name,
                 h.stock->target[v->s->form.target], (long long)v->s->form.width);
    else
        snprintf(title, sizeof title, "output + temp in %s%s%.60s", h.unit_name, h.stock->scan ? " · scan " : "",
                 h.stock->scan ? h.stock->scan : "");
    rule_draw(r, g, true, title, "");
    draw_heads(&h, r, g);
    for (int row = 0; row < h.c.rows; row++)
        for (int col = 0; col < h.c.cols; col++)
            draw_cell(v, &h, g, h.c.first_row + row, h.c.first_col + col);
    int below = h.c.area.y - r.y + h.c.rows * h.c.row_height;
    bool tight = r.h < 12;
    if (!tight)
        draw_legend(r, g, below + 1);
    draw_selected(v, &h, r, g, tight ? r.h - 2 : below + 3);
}
