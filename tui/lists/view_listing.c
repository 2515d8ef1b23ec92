/* A listing: what ran out, whether it fits, and what is listed. */
#include "tui/lists/listed_columns.h"

#include "core/output/words/words.h"
#include "tui/model/layout.h"

#include <stdio.h>
#include <string.h>

#define TEXT 4200

/* ---- Head ---- */

static void header(const struct listed_data *d, struct rect r, struct grid *g)
{
    char right[80];
    const char *platform = platform_name(d->platform);
    snprintf(right, sizeof right, "%s%s%s", listing_kind_words(d->listing), platform ? " · " : "",
             platform ? platform : "");
    int n = text_columns(right);
    int end = grid_text(g, r, 0, 1, ST_DIM, "tidemark");
    grid_field(g, r, 0, end + 2, r.w - n - end - 5, ST_TITLE, CUT_START, d->name);
    grid_text(g, r, 0, r.w - n - 1, ST_DIM, right);
}

static void answer(const struct listed_data *d, struct rect r, struct grid *g)
{
    char text[TEXT];
    const struct listing_fit *f = &d->fit;
    enum style st = !f->has_need || !f->has_limit ? ST_DIM : f->over ? ST_OVER : ST_GOOD;
    grid_field(g, r, 1, 1, r.w - 2, ST_TITLE, CUT_WORD, listing_headline(d->listing, text, sizeof text));
    grid_text(g, r, 2, 1, ST_DIM, "fits");
    grid_field(g, r, 2, 7, r.w - 8, st, CUT_WORD, listing_fit_words(f, text, sizeof text));
    if (f->over)
        listing_go_words(d->listing, f, text, sizeof text);
    else if (!listing_yet_words(d->listing, f, text, sizeof text))
        text[0] = '\0';
    grid_field(g, r, 3, 7, r.w - 8, ST_PLAIN, CUT_WORD, text);
}

/* What is needed against what there is; without that, what is listed of the whole. */
static void bar(const struct listed_data *d, struct rect r, struct grid *g)
{
    const struct listing_fit *f = &d->fit;
    bool against = f->has_need && f->has_limit;
    double need = (double)(against ? f->limit + f->over : listing_listed(d->listing));
    double limit = (double)(against ? f->limit : d->whole), most = need > limit ? need : limit;
    if (against && !f->over)
        need = (double)f->need;
    int width = r.w - 2;
    if (most <= 0 || width < 1)
        return;
    for (int k = 0; k < width; k++) {
        double from = most * k / width;
        bool taken = from < need, over = against && from >= limit;
        grid_put(g, r, 4, 1 + k, !taken ? 0x2591 : over ? 0x2593 : 0x2588, !taken ? ST_DIM : over ? ST_OVER : ST_LIVE);
    }
    int mark = (int)(limit / most * width);
    if (against && mark < width)
        grid_put(g, r, 4, 1 + mark, 0x2502, ST_LIMIT);
}

/* ---- Rows ---- */

static void row_start(struct rect r, struct grid *g, int row, bool chosen)
{
    if (!chosen)
        return;
    grid_fill(g, r, row, ' ', ST_ROW);
    grid_put(g, r, row, 0, 0x25b8, ST_ROW);
}

static void buffer_row(const struct listed_data *d, struct rect r, struct grid *g, int row, uint32_t i, bool chosen)
{
    char text[TEXT];
    int col = 1, widths[LISTED_COLUMNS];
    listed_widths(d, r.w, widths);
    for (int c = 0; c < LISTED_COLUMNS; c++) {
        int width = widths[c];
        if (!width)
            continue;
        enum style st = chosen ? ST_ROW : c == LISTED_COL_MARK ? ST_OVER : ST_PLAIN;
        bool right = c == LISTED_COL_SIZE || c == LISTED_COL_SHARE || c == LISTED_COL_GROWTH;
        grid_field(g, r, row, col, width, st, right ? CUT_RIGHT : c == LISTED_COL_NAME ? CUT_MIDDLE : CUT_END,
                   listed_cell(d, i, (enum listed_column)c, text, sizeof text));
        col += width + 1;
    }
}

/* Size, share, how many, and the name of a group. */
static void group_row(const struct listed_data *d, enum listed_rows by, struct rect r, struct grid *g, int row,
                      uint32_t k, bool chosen)
{
    const struct listing_group *x = &d->groups[by][k];
    char size[24], part[8], n[40];
    enum style st = chosen ? ST_ROW : ST_PLAIN;
    snprintf(n, sizeof n, "%llu", (unsigned long long)x->n);
    grid_field(g, r, row, 3, 12, st, CUT_RIGHT, bytes_text(x->bytes, size));
    grid_field(g, r, row, 16, 5, st, CUT_RIGHT, words_share(x->bytes, d->whole, part));
    grid_field(g, r, row, 22, 7, st, CUT_RIGHT, n);
    grid_field(g, r, row, 31, r.w - 32, st, by == LISTED_LINES || by == LISTED_OPS ? CUT_START : CUT_END,
               x->name ? x->name : "(not told)");
}

static void figure_row(const struct listed_data *d, struct rect r, struct grid *g, int row, uint32_t k, bool chosen)
{
    const struct listing_figure *f = listing_figure(d->listing, k);
    char size[24], text[40];
    enum style st = chosen ? ST_ROW : ST_PLAIN;
    snprintf(text, sizeof text, "%s%s", f->negative ? "-" : "", bytes_text(f->bytes.bytes, size));
    grid_field(g, r, row, 3, 12, st, CUT_RIGHT, text);
    grid_field(g, r, row, 16, 11, st, CUT_END, listing_part_name(f->part));
    grid_field(g, r, row, 28, r.w - 29, st, CUT_END, f->name);
}

static void titles(const struct listed_data *d, enum listed_rows by, struct rect r, struct grid *g, int row)
{
    static const char *const names[LISTED_COLUMNS] = {"", "size", "share", "padded", "kind", "name", "shape", "source"};
    static const char *const groups[LISTED_ROWS] = {[LISTED_LINES] = "source line", [LISTED_KINDS] = "kind",
                                                    [LISTED_SHAPES] = "shape", [LISTED_OPS] = "op_name"};
    int col = 1;
    if (by != LISTED_BUFFERS) {
        grid_field(g, r, row, 3, 12, ST_TITLE, CUT_RIGHT, "size");
        if (by == LISTED_FIGURES) {
            grid_text(g, r, row, 16, ST_DIM, "of");
            grid_text(g, r, row, 28, ST_DIM, "figure");
        } else {
            grid_field(g, r, row, 16, 5, ST_DIM, CUT_RIGHT, "share");
            grid_field(g, r, row, 22, 7, ST_DIM, CUT_RIGHT, "buffers");
            grid_text(g, r, row, 31, ST_DIM, groups[by]);
        }
        return;
    }
    int widths[LISTED_COLUMNS];
    listed_widths(d, r.w, widths);
    for (int c = 0; c < LISTED_COLUMNS; c++) {
        int width = widths[c];
        bool right = c == LISTED_COL_SIZE || c == LISTED_COL_SHARE || c == LISTED_COL_GROWTH;
        if (width)
            grid_field(g, r, row, col, width, c == LISTED_COL_SIZE ? ST_TITLE : ST_DIM, right ? CUT_RIGHT : CUT_END, names[c]);
        col += width ? width + 1 : 0;
    }
}

static void rows_title(const struct listed_data *d, const struct listed *s, struct rect r, struct grid *g)
{
    static const char *const by[LISTED_ROWS] = {"by size", "by source line", "by kind", "by shape", "by op_name",
                                                "the log's figures"};
    char left[200], right[100], size[24], padding[24];
    const struct listing *l = d->listing;
    uint32_t n = d->n[s->by];
    int height = listed_list(s->cols, s->rows).h;
    int k = snprintf(left, sizeof left, "listed: %u buffer%s, %s", (unsigned)l->buffers.n,
                     l->buffers.n == 1 ? "" : "s", bytes_text(listing_listed(l), size));
    if (l->padding)
        k += snprintf(left + k, sizeof left - (size_t)k, ", padding %s", bytes_text(listing_padding(l), padding));
    if (l->cut)
        snprintf(left + k, sizeof left - (size_t)k, ", %u cut off", (unsigned)l->cut);
    if (n > (uint32_t)height)
        snprintf(right, sizeof right, "%s · %u–%u of %u", by[s->by], (unsigned)s->top + 1,
                 (unsigned)s->top + (unsigned)height, (unsigned)n);
    else
        snprintf(right, sizeof right, "%s", by[s->by]);
    rule_draw(r, g, true, left, right);
}

/* ---- The selected row in full ---- */

static void detail(const struct listed_data *d, const struct listed *s, struct rect r, struct grid *g)
{
    char text[TEXT], source[TEXT];
    const struct listing_figure *f = s->by == LISTED_FIGURES ? listing_figure(d->listing, s->at) : NULL;
    const struct listing_buffer *b = s->by == LISTED_BUFFERS ? listing_buffer(d->listing, d->order[s->at]) : NULL;
    const struct listing_group *x = d->groups[s->by] ? &d->groups[s->by][s->at] : NULL;
    if (f && f->note)
        grid_field(g, r, 0, 1, r.w - 2, ST_DIM, CUT_END, f->note);
    if (x)
        grid_field(g, r, 0, 1, r.w - 2, ST_PLAIN, CUT_START, x->name ? x->name : "the log does not tell");
    if (!b)
        return;
    const char *from = listing_source(b, true, source, sizeof source);
    snprintf(text, sizeof text, "%s%s%s", b->op_name ? b->op_name : "no op_name in the log", from ? "  " : "", from ? from : "");
    grid_field(g, r, 0, 1, r.w - 2, ST_PLAIN, CUT_START, text);
    snprintf(text, sizeof text, "%s%s%s", b->shape ? b->shape : "", b->shape && b->label ? "  " : "", b->label ? b->label : "");
    grid_field(g, r, 1, 1, r.w - 2, ST_DIM, CUT_END, text);
}

/* What the last key would have needed; else that the rest needs the dump. */
static void lacks(const struct listed_data *d, const struct listed *s, struct rect r, struct grid *g)
{
    char text[400], key[16];
    bool elsewhere = s->idle && keys_command(s->idle, IN_PROGRAM) != CMD_NONE && s->idle != K_ENTER;
    if (elsewhere)
        snprintf(text, sizeof text, "‘%s’ needs the dump: ? says how to make one", key_shown(s->idle, key));
    else if (s->idle)
        snprintf(text, sizeof text, "‘%s’ does nothing here: ? lists keys", key_shown(s->idle, key));
    else
        snprintf(text, sizeof text, "A snapshot (line %u): lives, order, map and what-if need the dump: see ?",
                 (unsigned)d->listing->line);
    grid_field(g, r, 0, 1, r.w - 2, s->idle ? ST_TITLE : ST_DIM, CUT_WORD, text);
}

static void footer(const struct listed_data *d, const struct listed *s, struct rect r, struct grid *g)
{
    struct footer f = {.keys = d->keys};
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++)
        f.can[i] = listed_can(d, s, &bindings[i]);
    keys_draw(&f, r, g, 1);
}

static void rows(const struct listed_data *d, const struct listed *s, struct rect list, struct grid *g)
{
    for (int row = 0; row < list.h && s->top + (uint32_t)row < d->n[s->by]; row++) {
        uint32_t k = s->top + (uint32_t)row;
        bool chosen = k == s->at;
        row_start(list, g, row, chosen);
        if (s->by == LISTED_BUFFERS)
            buffer_row(d, list, g, row, d->order[k], chosen);
        else if (s->by == LISTED_FIGURES)
            figure_row(d, list, g, row, k, chosen);
        else
            group_row(d, s->by, list, g, row, k, chosen);
    }
    if (!d->n[s->by])
        grid_field(g, list, 0, 2, list.w - 3, ST_DIM, CUT_WORD, "The log lists no buffers here.");
}

void listed_draw(const struct listed_data *d, const struct listed *s, struct grid *g)
{
    struct rect all = {0, 0, s->cols, s->rows}, list = listed_list(s->cols, s->rows);
    grid_clear(g);
    if (s->cols < SCREEN_COLS || list.h < 1) {
        small_draw(s->cols, s->rows, g);
        return;
    }
    if (s->help) {
        struct help h = listed_help(d, s->several);
        h.keys = d->keys;
        help_draw(&h, s->help_top, all, g);
    } else {
        header(d, all, g);
        answer(d, all, g);
        bar(d, all, g);
        rows_title(d, s, rect_line(all, list.y - 2), g);
        titles(d, s->by, all, g, list.y - 1);
        rows(d, s, list, g);
        grid_fill(g, all, s->rows - 5, 0x2500, ST_RULE);
        if (d->n[s->by])
            detail(d, s, (struct rect){0, s->rows - 4, s->cols, 2}, g);
        lacks(d, s, rect_line(all, s->rows - 2), g);
    }
    footer(d, s, rect_line(all, s->rows - 1), g);
}
