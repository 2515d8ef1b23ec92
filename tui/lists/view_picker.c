/* The list of modules: one a row, the largest peak first. */
#include "tui/lists/picker.h"

#include "core/base/file.h"
#include "tui/model/layout.h"
#include "tui/model/search.h"

#include <stdio.h>
#include <string.h>

static const struct sign signs[] = {
    {"≤ 1.00 GiB", "not loaded yet: what is reserved, above which the peak cannot be"},
    {"! broken", "cannot be opened; Enter says why"},
    {"reserved", "its allocations in the device's main memory, which XLA holds whole"},
    {"fits", "whether the device, or --limit, has room for what is reserved"},
    {"—", "not known"},
};

struct help picker_help(void)
{
    struct help h = {.signs = signs, .n_signs = sizeof signs / sizeof *signs};
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++)
        h.show[i] = bindings[i].scope & IN_PICKER;
    return h;
}

/* ---- Rows ---- */

enum column { COL_PEAK, COL_RESERVED, COL_MODULE, COL_PLATFORM, COL_INSTRUCTIONS, COL_FITS,
              COL_COUNT };

static const struct {
    const char *title, *brief; /* brief: below 100 columns */
    int from, width, narrow;   /* appears from so many columns on */
    enum cut cut;
} columns[COL_COUNT] = {
    [COL_PEAK] = {"peak", "peak", 0, 13, 13, CUT_RIGHT},
    [COL_RESERVED] = {"reserved", "reserved", 72, 11, 11, CUT_RIGHT},
    [COL_MODULE] = {"module", "module", 0, 0, 0, CUT_MIDDLE},
    [COL_PLATFORM] = {"platform", "on", 50, 8, 3, CUT_END},
    [COL_INSTRUCTIONS] = {"instructions", "instr.", 72, 12, 7, CUT_RIGHT},
    [COL_FITS] = {"fits", "fits", 50, 4, 4, CUT_END},
};

static int width_of(int cols, enum column c)
{
    if (c != COL_MODULE)
        return cols < columns[c].from ? 0 : cols < 100 ? columns[c].narrow : columns[c].width;
    int left = cols - 2, gap = cols < 60 ? 1 : 2;
    for (int k = 0; k < COL_COUNT; k++)
        if (k != COL_MODULE && width_of(cols, (enum column)k))
            left -= width_of(cols, (enum column)k) + gap;
    return left;
}

static const char *fits_text(const struct pick *p)
{
    if (p->state == PICK_BROKEN || !p->limit || !(p->has_reserved || p->state == PICK_LOADED))
        return "—";
    return (p->has_reserved ? p->reserved : p->peak) <= p->limit ? "yes" : "no";
}

static const char *cell_text(const struct pick *p, enum column c, char *out, size_t size)
{
    const char *platform = platform_name(p->platform);
    char bytes[24];
    snprintf(out, size, "—");
    switch (c) {
    case COL_PEAK:
        if (p->state == PICK_BROKEN)
            snprintf(out, size, "! broken");
        else if (p->state == PICK_LOADED || p->has_reserved)
            snprintf(out, size, "%s%s", p->state == PICK_LOADED ? "" : "≤ ",
                     bytes_text(p->state == PICK_LOADED ? p->peak : p->reserved, bytes));
        break;
    case COL_RESERVED:
        if (p->has_reserved && p->state != PICK_BROKEN)
            snprintf(out, size, "%s", bytes_text(p->reserved, bytes));
        break;
    case COL_INSTRUCTIONS:
        if (p->listing)
            snprintf(out, size, "listing");
        else if (p->has_instructions)
            snprintf(out, size, "%u", (unsigned)p->instructions);
        break;
    case COL_MODULE: return p->label;
    case COL_PLATFORM: return platform ? platform : "—";
    case COL_FITS: return fits_text(p);
    case COL_COUNT: break;
    }
    return out;
}

static enum style style_of(const struct pick *p, enum column c)
{
    const char *fits = fits_text(p);
    if (c == COL_PEAK && p->state == PICK_BROKEN)
        return ST_OVER;
    if (c == COL_FITS)
        return fits[0] == 'y' ? ST_GOOD : fits[0] == 'n' ? ST_OVER : ST_DIM;
    return p->state == PICK_BROKEN ? ST_DIM : ST_PLAIN;
}

/* The end of a name from the first '.' or '_' on with which it fits: "….jit_train_step". */
static const char *whole_words(const char *name, int width, char *out, size_t size)
{
    int n = text_columns(name);
    const char *cut = name, *at = name;
    while (n + 1 > width && *at) {
        text_next(&at);
        n--;
        cut = at;
    }
    const char *word = strpbrk(cut, "._");
    snprintf(out, size, "…%s", word ? word : "");
    return out;
}

/* A directory tells more than the end of a long name: it is cut last. */
static void label_field(struct rect r, struct grid *g, int row, int col, int width, enum style st,
                        const char *label)
{
    const char *slash = strrchr(label, '/');
    char dir[400];
    if (slash && (size_t)(slash - label) < sizeof dir - 2) {
        snprintf(dir, sizeof dir, "%.*s", (int)(slash - label) + 1, label);
        int n = text_columns(dir);
        if (text_columns(label) > width && n < width) {
            grid_text(g, r, row, col, st, dir);
            grid_field(g, r, row, col + n, width - n, st, CUT_END, whole_words(slash + 1, width - n, dir, sizeof dir));
            return;
        }
    }
    grid_field(g, r, row, col, width, st, CUT_MIDDLE, label);
}

static void mark_filter(const struct picker *s, struct rect r, struct grid *g, int row, int col,
                        int width, const char *label)
{
    const char *hit = s->filter[0] ? search_in(label, s->filter) : NULL;
    int at = 0;
    if (!hit || text_columns(label) > width)
        return; /* cut: the place is not that of the text */
    for (const char *t = label; t < hit; at++)
        text_next(&t);
    grid_paint(g, r, row, col + at, text_columns(s->filter), ST_MATCH);
}

static void pick_row(const struct picker *s, const struct pick *p, struct rect r, struct grid *g,
                     int row, bool chosen)
{
    int col = 1, gap = r.w < 60 ? 1 : 2;
    if (chosen) {
        grid_fill(g, r, row, ' ', ST_ROW);
        grid_put(g, r, row, 0, 0x25b8, ST_ROW);
    }
    for (int c = 0; c < COL_COUNT; c++) {
        char text[64];
        int width = width_of(r.w, (enum column)c);
        if (!width)
            continue;
        const char *cell = cell_text(p, (enum column)c, text, sizeof text);
        enum style st = chosen ? ST_ROW : style_of(p, (enum column)c);
        if (c != COL_MODULE) {
            grid_field(g, r, row, col, width, st, columns[c].cut, cell);
        } else {
            label_field(r, g, row, col, width, st, cell);
            mark_filter(s, r, g, row, col, width, cell);
        }
        col += width + gap;
    }
}

static void heads(struct rect r, struct grid *g)
{
    int col = 1, gap = r.w < 60 ? 1 : 2;
    for (int c = 0; c < COL_COUNT; c++) {
        int width = width_of(r.w, (enum column)c);
        if (!width)
            continue;
        grid_field(g, r, 1, col, width, c == COL_PEAK ? ST_TITLE : ST_DIM,
                   columns[c].cut == CUT_RIGHT ? CUT_RIGHT : CUT_END,
                   r.w < 100 ? columns[c].brief : columns[c].title);
        col += width + gap;
    }
}

/* ---- The whole ---- */

static void title(const struct picks *p, const struct picker *s, struct rect r, struct grid *g,
                  uint32_t top, uint32_t n)
{
    char text[400], right[80];
    int height = picker_list(s->cols, s->rows).h;
    if (s->filter[0])
        snprintf(text, sizeof text, "%u of %u modules with \"%s\"", (unsigned)n, (unsigned)p->n,
                 s->filter);
    else
        snprintf(text, sizeof text, "%u modules%s%s", (unsigned)p->n, p->where[0] ? " in " : "",
                 p->where);
    if (n > (uint32_t)height)
        snprintf(right, sizeof right, "largest peak first · %u–%u of %u", (unsigned)top + 1,
                 (unsigned)top + (unsigned)height, (unsigned)n);
    else
        snprintf(right, sizeof right, "largest peak first");
    rule_draw(r, g, true, text, right);
}

/* Where the selected one is, or why it cannot be opened. */
static void detail(const struct picks *p, const struct picker *s, struct rect r, struct grid *g,
                   bool shown)
{
    char text[1200];
    if (!shown)
        return;
    const struct pick *one = &p->items[s->at];
    if (s->refused && one->why) {
        snprintf(text, sizeof text, "cannot be opened: %s", one->why);
        grid_field(g, r, 0, 1, r.w - 2, ST_OVER, CUT_END, text);
    } else if (s->idle) {
        snprintf(text, sizeof text, "‘%s’ does nothing here: ? lists keys", key_shown(s->idle, (char[16]){0}));
        grid_field(g, r, 0, 1, r.w - 2, ST_TITLE, CUT_END, text);
    } else {
        grid_field(g, r, 0, 1, r.w - 2, ST_DIM, CUT_START, one->path);
    }
}

static void footer(const struct keymap *keys, const struct picker *s, struct rect r, struct grid *g, uint32_t row, uint32_t n)
{
    struct footer f = {.keys = keys};
    if (s->typing) {
        prompt_draw('/', s->filter, "Enter keep  Esc show all", r, g);
        return;
    }
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++)
        f.can[i] = picker_can(s, &bindings[i], row, n);
    keys_draw(&f, r, g, 1);
}

void picker_draw(const struct picks *p, const struct picker *s, struct grid *g)
{
    struct rect all = {0, 0, s->cols, s->rows}, list = picker_list(s->cols, s->rows);
    uint32_t row, n = picker_count(p, s, &row), top = picker_top(s, row, n, list.h), k = 0;
    grid_clear(g);
    if (s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS) {
        small_draw(s->cols, s->rows, g);
        return;
    }
    if (s->help) {
        struct help h = picker_help();
        h.keys = p->keys;
        help_draw(&h, s->help_top, all, g);
    } else {
        title(p, s, all, g, top, n);
        heads(all, g);
        for (uint32_t i = 0; i < p->n && k < top + (uint32_t)list.h; i++) {
            if (!picker_shows(p, s, i))
                continue;
            if (k >= top)
                pick_row(s, &p->items[i], list, g, (int)(k - top), i == s->at);
            k++;
        }
        if (!n)
            grid_field(g, list, 0, 2, list.w - 3, ST_DIM, CUT_WORD, "No module has this in its name.");
        detail(p, s, rect_line(all, s->rows - 2), g, row != UINT32_MAX);
    }
    footer(p->keys, s, rect_line(all, s->rows - 1), g, row, n);
}
