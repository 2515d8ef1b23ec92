/* Two programs side by side: their charts on one scale, and what is alive at each one's peak. */
#include "tui/views/views.h"

#include "tui/model/compare.h"

#include <stdio.h>
#include <string.h>

struct compare_place compare_place_of(struct rect r)
{
    struct compare_place c = {.list = rect_below(r, 2)};
    int charts = r.h / 2 < 22 ? r.h / 2 : 22;
    bool beside = r.w >= 60;
    if (charts < 5)
        return c;
    c.chart[0] = c.chart[1] = r;
    c.chart[0].h = c.chart[1].h = charts;
    if (beside) {
        c.chart[0].w = c.chart[1].x = r.w / 2;
        c.chart[1].w = r.w - r.w / 2;
    } else {
        c.chart[0].h = charts / 2;
        c.chart[1].y += charts / 2;
        c.chart[1].h = charts - charts / 2;
    }
    c.table = rect_below(r, charts);
    c.list = rect_below(r, charts + 2);
    return c;
}

/* "A  seqlen 4, unroll full: 20.00 GiB, compiled" */
static void name_side(const struct scene *v, int side, int width, char *out, size_t size)
{
    static const char *const kinds[] = {"%c  %s %lld, unroll %s: %s, %s",
                                        "%c  %s%lld u%s: %s, %s", "%c  %s%lld u%s %s %s"};
    const struct form *f = side ? &v->s->shown : &v->s->before;
    const struct compare *c = v->memo->compare;
    struct figure known = {.method = WHATIF_UNKNOWN};
    char unroll[24], bytes[AMOUNT];
    form_unroll_text(f, unroll);
    amount(v->s, c->diff.peak[side], bytes);
    if (v->memo->stock)
        stock_peek(v->memo->stock, f, &known);
    const char *words = method_words(known.method);
    bool both = f->target != (side ? &v->s->before : &v->s->shown)->target;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int n = snprintf(out, size, kinds[k], 'A' + side, k ? "s" : form_axis(v->s->forms), (long long)f->seqlen, unroll, bytes, words);
        if (both && n > 0 && (size_t)n < size)
            snprintf(out + n, size - (size_t)n, ", %.40s", v->memo->stock->target[f->target]);
        if (text_columns(out) <= width)
            return;
    }
}

/* ---- The charts ---- */

static buf_id lit(const struct scene *v, int side)
{
    const struct compare *c = v->memo->compare;
    const struct diff_row *row = v->s->compare_line < c->lines.n ? compare_line(c, v->s->compare_line)->row : NULL;
    return row && row->side[side].n ? row->side[side].largest : BUF_NONE;
}

static void draw_chart(const struct scene *v, int side, struct rect r, struct grid *g)
{
    struct compare *c = v->memo->compare;
    const struct diff *d = &c->diff;
    struct scene w = *v;
    struct app s = *v->s;
    char title[160];
    if (r.h < 4)
        return;
    s.space = 0; /* the memory that is compared */
    memset(s.zoom, 0, sizeof s.zoom);
    if (!side) {
        s = app_start(d->program[0], &c->memo, s.cols, s.rows, s.limit);
        s.clock = v->s->clock;
        s.mode = MODE_COMPARE;
    }
    scene_make(&w, d->program[side], side ? v->memo : &c->memo, &s);
    name_side(v, side, r.w - 6, title, sizeof title);
    int most = loop_levels(d->program[0], 1) > loop_levels(d->program[1], 1) ? loop_levels(d->program[0], 1)
                                                                            : loop_levels(d->program[1], 1);
    w.l.bars = plot_in(&s, r, r.h >= 8 ? most : 0, 0);
    w.l.both = false;
    w.title = title;
    w.most = d->peak[0] > d->peak[1] ? d->peak[0] : d->peak[1];
    w.chosen = lit(v, side);
    chart_view(&w, r, g);
}

/* ---- The table ---- */

#define FIGURE 11

struct columns {
    const struct app *s;
    int first, words, source, end; /* first: the first side with figures; source 0: none */
    int figure;                    /* columns of one */
    int role_width;
};

static struct columns columns_of(const struct scene *v, struct rect r)
{
    const uint64_t *peak = v->memo->compare->diff.peak;
    char most[AMOUNT];
    struct columns c = {.s = v->s, .first = r.w < 60, .end = r.w - 1, .figure = FIGURE};
    int n = text_columns(amount(v->s, peak[0] > peak[1] ? peak[0] : peak[1], most));
    if (n > FIGURE)
        c.figure = n;
    c.words = (3 - c.first) * (c.figure + 1) + 2;
    int room = c.end - c.words;
    c.role_width = room;
    if (room >= 34) {
        c.role_width = room >= 76 ? 36 : room >= 60 ? 28 : 16;
        c.source = room >= 44 ? c.end - 12 : 0;
    }
    return c;
}

static const char *change_text(const struct app *s, uint64_t a, uint64_t b, char out[40])
{
    char bytes[AMOUNT];
    if (a == b)
        snprintf(out, 40, "same");
    else
        snprintf(out, 40, "%c%s", b > a ? '+' : '-', amount(s, b > a ? b - a : a - b, bytes));
    return out;
}

static void draw_figures(const struct compare_line *l, const struct columns *c, struct rect r, struct grid *g, int row, enum style st)
{
    char text[40];
    int col = 1;
    for (int side = c->first; side < 2; side++, col += c->figure + 1) {
        bool there = l->row ? l->row->side[side].n > 0 : l->bytes[side] > 0;
        if (there)
            amount(c->s, l->bytes[side], text);
        grid_field(g, r, row, col, c->figure, st, CUT_RIGHT, there ? text : "–");
    }
    grid_field(g, r, row, col, c->figure + 1 - c->first, st, CUT_RIGHT,
               change_text(c->s, l->bytes[0], l->bytes[1], text));
}

static void draw_row(const struct diff_row *d, const struct columns *c, struct rect r, struct grid *g, int row)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    char text[400];
    if (c->role_width < 16) /* whole words */
        snprintf(text, sizeof text, "%s", role_short(b->n ? b->role : a->role));
    else if (a->n && b->n && a->role != b->role)
        snprintf(text, sizeof text, "%s → %s", role_name(a->role), role_name(b->role));
    else
        snprintf(text, sizeof text, "%s", role_name(b->n ? b->role : a->role));
    int col = grid_field(g, r, row, c->words, c->role_width, ST_PLAIN, CUT_END, text) + 2;
    if (c->role_width == c->end - c->words)
        return;
    if (a->n > 1 || b->n > 1)
        snprintf(text, sizeof text, "%u→%u × %s", (unsigned)a->n, (unsigned)b->n, d->shape ? d->shape : "?");
    else
        snprintf(text, sizeof text, "%s", d->shape ? d->shape : "?");
    int end = c->source ? c->source - 2 : c->end;
    grid_field(g, r, row, col, end - col, ST_PLAIN, CUT_END, text);
    if (c->source && d->source)
        grid_field(g, r, row, c->source, c->end - c->source, ST_PLAIN, CUT_START, d->source);
}

/* In few columns a short word rather than half a long one. */
static const char *words_of(const struct compare_line *l, int width)
{
    for (int k = 0; k < ROLE_COUNT && l->words && text_columns(l->words) > width; k++)
        if (strcmp(l->words, role_name((enum role)k)) == 0)
            return role_short((enum role)k);
    return l->words;
}

static void draw_line(const struct compare_line *l, const struct columns *c, struct rect r, struct grid *g, int row)
{
    enum style st = l->kind == COMPARE_SUM ? ST_TITLE : ST_PLAIN;
    if (l->kind == COMPARE_TITLE) {
        grid_field(g, r, row, c->words, c->end - c->words, ST_TITLE, CUT_END, l->words);
        return;
    }
    draw_figures(l, c, r, g, row, st);
    if (l->row)
        draw_row(l->row, c, r, g, row);
    else
        grid_field(g, r, row, c->words, c->end - c->words, st, CUT_WORD, words_of(l, c->end - c->words));
}

static void draw_heads(const struct columns *c, struct rect r, struct grid *g, int row)
{
    int col = 1;
    for (int side = c->first; side < 2; side++, col += c->figure + 1)
        grid_field(g, r, row, col, c->figure, ST_DIM, CUT_RIGHT, side ? "B" : "A");
    grid_field(g, r, row, col, c->figure + 1 - c->first, ST_DIM, CUT_RIGHT, "change");
    grid_text(g, r, row, c->words, ST_DIM, "role");
    if (c->role_width < c->end - c->words)
        grid_text(g, r, row, c->words + c->role_width + 2, ST_DIM, "shape");
    if (c->source)
        grid_text(g, r, row, c->source, ST_DIM, "source");
}

void compare_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct compare *c = v->memo->compare;
    char title[200], more[40] = "";
    if (v->s->mode != MODE_COMPARE || !c || r.h < 4)
        return;
    struct compare_place place = compare_place_of(r);
    struct columns cols = columns_of(v, r);
    struct rect table = place.table.h ? place.table : r;
    draw_chart(v, 0, place.chart[0], g);
    draw_chart(v, 1, place.chart[1], g);
    uint32_t top = compare_top_of(c, v->s, place.list.h), n = c->lines.n;
    if (n > (uint32_t)place.list.h)
        snprintf(more, sizeof more, "%u–%u of %u", top + 1, top + (uint32_t)place.list.h, n);
    if (place.table.h)
        snprintf(title, sizeof title, "alive at each one's peak, by role and aligned");
    else
        name_side(v, 0, r.w - 4, title, sizeof title);
    rule_draw(table, g, true, title, more);
    draw_heads(&cols, table, g, 1);
    for (int k = 0; k < place.list.h && top + (uint32_t)k < n; k++) {
        const struct compare_line *l = compare_line(c, top + (uint32_t)k);
        draw_line(l, &cols, place.list, g, k);
        if (top + (uint32_t)k != v->s->compare_line)
            continue;
        if (l->row)
            grid_paint(g, place.list, k, 0, r.w, ST_ROW);
        grid_put(g, place.list, k, 0, 0x25b8, l->row ? ST_ROW : ST_CHOSEN);
    }
}
