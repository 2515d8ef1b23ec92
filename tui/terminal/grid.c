#include "tui/terminal/grid.h"
#include "core/base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char style_letter[ST_COUNT + 1] = " dT-=#%@PLxgloRmkiABCDEFGHIJMNOQSu";

struct rect rect_line(struct rect r, int row)
{
    if (row < 0 || row >= r.h)
        return (struct rect){r.x, r.y, 0, 0};
    return (struct rect){r.x, r.y + row, r.w, 1};
}

struct rect rect_below(struct rect r, int row)
{
    if (row > r.h)
        row = r.h;
    return (struct rect){r.x, r.y + row, r.w, r.h - row};
}

void grid_init(struct grid *g, int cols, int rows, bool ascii)
{
    assert(cols > 0 && rows > 0);
    *g = (struct grid){.cols = cols, .rows = rows, .ascii = ascii};
    g->cells = memory_array((size_t)cols * (size_t)rows, sizeof *g->cells);
    grid_clear(g);
}

void grid_free(struct grid *g)
{
    free(g->cells);
    *g = (struct grid){0};
}

void grid_clear(struct grid *g)
{
    for (int i = 0; i < g->cols * g->rows; i++)
        g->cells[i] = (struct cell){' ', ST_PLAIN};
}

/* ---- Characters ---- */

/* The glyphs that views use, with their ASCII stand-ins. */
static const struct {
    uint32_t ch;
    char ascii;
} stand_ins[] = {
    {0x2581, '.'}, {0x2582, '.'}, {0x2583, '.'}, {0x2584, '.'}, {0x2585, '#'}, {0x2586, '#'},
    {0x2587, '#'}, {0x2588, '#'}, {0x2589, '#'}, {0x258a, '#'}, {0x258b, '#'}, {0x258c, '#'},
    {0x258d, '|'}, {0x258e, '|'}, {0x258f, '|'}, {0x2591, ':'}, {0x2592, '|'}, {0x2593, '%'}, {0x2550, '='}, {0x2500, '-'}, {0x2501, '='},
    {0x2502, '|'}, {0x251c, '|'}, {0x2524, '|'}, {0x253c, '+'}, {0x2576, '-'}, {0x2574, '-'}, {0x254c, '-'},
    {0x25b2, '^'}, {0x25bc, 'v'}, {0x25b8, '>'}, {0x2026, '~'}, {0x22ef, ':'}, {0x2192, '>'}, {0x2190, '<'},
    {0x2191, '^'}, {0x2193, 'v'}, {0x00d7, 'x'}, {0x00b7, '-'}, {0x2014, '-'}, {0x2013, '-'},
    {0x2219, '.'}, {0x2264, '<'}, {0x25c2, '<'}, {0x2018, '\''}, {0x2019, '\''},
};

static char ascii_of(uint32_t ch)
{
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
        if (stand_ins[i].ch == ch)
            return stand_ins[i].ascii;
    return '?';
}

/* Blocks of Unicode whose printable characters take one column in every terminal. */
static bool one_column(uint32_t ch)
{
    static const uint32_t blocks[][2] = {
        {0x20, 0x7e},     {0xa1, 0xac},     {0xae, 0x2ff},    {0x370, 0x377},   {0x37a, 0x37f},
        {0x384, 0x482},   {0x48a, 0x52f},   {0x2010, 0x2027}, {0x2030, 0x205e}, {0x2070, 0x209c},
        {0x20a0, 0x20bf}, {0x2190, 0x21ff}, {0x2200, 0x22ff}, {0x2500, 0x25ff},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (ch >= blocks[i][0] && ch <= blocks[i][1])
            return ch != 0x25fd && ch != 0x25fe; /* two squares are wide */
    return false;
}

uint32_t text_next(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    if (s[0] < 0x80) {
        *at += 1;
        return one_column(s[0]) ? s[0] : '?';
    }
    int more = s[0] >= 0xf0 && s[0] < 0xf5 ? 3 : s[0] >= 0xe0 ? 2 : 1;
    uint32_t ch = s[0] & (0x3fu >> more);
    bool valid = s[0] >= 0xc2 && s[0] < 0xf5;
    for (int i = 1; valid && i <= more; i++) {
        valid = (s[i] & 0xc0) == 0x80; /* a NUL ends here, so nothing behind it is read */
        ch = ch << 6 | (s[i] & 0x3fu);
    }
    *at += valid ? more + 1 : 1;
    return valid && one_column(ch) ? ch : '?';
}

void text_put(char *out, size_t *n, uint32_t ch)
{
    if (ch < 0x80) {
        out[(*n)++] = (char)ch;
    } else if (ch < 0x800) {
        out[(*n)++] = (char)(0xc0 | ch >> 6);
        out[(*n)++] = (char)(0x80 | (ch & 0x3f));
    } else if (ch < 0x10000) {
        out[(*n)++] = (char)(0xe0 | ch >> 12);
        out[(*n)++] = (char)(0x80 | (ch >> 6 & 0x3f));
        out[(*n)++] = (char)(0x80 | (ch & 0x3f));
    }
}

int text_columns(const char *text)
{
    int n = 0;
    while (*text) {
        text_next(&text);
        n++;
    }
    return n;
}

/* ---- Writing ---- */

void grid_put(struct grid *g, struct rect r, int row, int col, uint32_t ch, enum style st)
{
    int x = r.x + col, y = r.y + row;
    if (col < 0 || row < 0 || col >= r.w || row >= r.h)
        return;
    if (x < 0 || y < 0 || x >= g->cols || y >= g->rows)
        return;
    if (!one_column(ch))
        ch = '?';
    if (g->ascii && ch >= 0x80)
        ch = (unsigned char)ascii_of(ch);
    g->cells[y * g->cols + x] = (struct cell){ch, (uint8_t)st};
}

void grid_fill(struct grid *g, struct rect r, int row, uint32_t ch, enum style st)
{
    for (int col = 0; col < r.w; col++)
        grid_put(g, r, row, col, ch, st);
}

void grid_paint(struct grid *g, struct rect r, int row, int col, int n, enum style st)
{
    for (int c = col; c < col + n; c++) {
        int x = r.x + c, y = r.y + row;
        if (c < 0 || row < 0 || c >= r.w || row >= r.h)
            continue;
        if (x >= 0 && y >= 0 && x < g->cols && y < g->rows)
            g->cells[y * g->cols + x].style = (uint8_t)st;
    }
}

int grid_text(struct grid *g, struct rect r, int row, int col, enum style st, const char *text)
{
    while (*text && col < r.w)
        grid_put(g, r, row, col++, text_next(&text), st);
    return col;
}

int grid_printf(struct grid *g, struct rect r, int row, int col, enum style st, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return grid_text(g, r, row, col, st, text);
}

static const char *skip(const char *text, int n)
{
    while (n-- > 0)
        text_next(&text);
    return text;
}

/* Columns of text that end with a word and fit into width - 2 (a blank and the ellipsis follow). */
static int whole_words(const char *text, int width)
{
    int col = 0, end = 0;
    while (*text && col < width - 1) {
        if (*text == ' ')
            end = col;
        text_next(&text);
        col++;
    }
    return end ? end + 1 : width - 1;
}

int grid_field(struct grid *g, struct rect r, int row, int col, int width, enum style st,
               enum cut cut, const char *text)
{
    int n = text_columns(text), end = col + width;
    if (width <= 0)
        return col;
    if (n <= width) {
        int pad = cut == CUT_RIGHT ? width - n : 0;
        for (int i = 0; i < width; i++)
            grid_put(g, r, row, col + i, ' ', st);
        grid_text(g, r, row, col + pad, st, text);
        return end;
    }
    int head = cut == CUT_MIDDLE  ? width / 2
               : cut == CUT_START ? 0
               : cut == CUT_WORD  ? whole_words(text, width)
                                  : width - 1;
    int tail = cut == CUT_MIDDLE || cut == CUT_START ? width - head - 1 : 0;
    const char *at = text;
    for (int i = 0; i < head; i++)
        grid_put(g, r, row, col + i, text_next(&at), st);
    grid_put(g, r, row, col + head, 0x2026, st);
    at = skip(text, n - tail);
    for (int i = 0; i < tail; i++)
        grid_put(g, r, row, col + head + 1 + i, text_next(&at), st);
    for (int i = head + 1 + tail; i < width; i++)
        grid_put(g, r, row, col + i, ' ', st);
    return end;
}

/* ---- Reading ---- */

static void print_char(uint32_t ch, FILE *out)
{
    char text[4];
    size_t n = 0;
    text_put(text, &n, ch);
    fwrite(text, 1, n, out);
}

static void print_plane(const struct grid *g, bool styles, FILE *out)
{
    for (int y = 0; y < g->rows; y++) {
        int blanks = 0;
        for (int x = 0; x < g->cols; x++) {
            struct cell c = g->cells[y * g->cols + x];
            uint32_t ch = styles ? (unsigned char)style_letter[c.style] : c.ch;
            if (ch == ' ') {
                blanks++;
                continue;
            }
            for (; blanks; blanks--)
                fputc(' ', out);
            print_char(ch, out);
        }
        fputc('\n', out);
    }
}

void grid_print(const struct grid *g, FILE *out)
{
    print_plane(g, false, out);
}

void grid_print_styles(const struct grid *g, FILE *out)
{
    print_plane(g, true, out);
}
