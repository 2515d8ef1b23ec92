/* The help: keys from the keys table, what the glyphs mean, what this dump lacks.  Beside each
 * other where there is room, else below each other and scrolled. */
#include "tui/views.h"

#include <stdio.h>

#define KEY_WIDTH 11
#define BESIDE 112 /* columns for two halves */

static const struct {
    const char *glyph, *words;
} legend[] = {
    {"▼", "the peak: here the most bytes are alive"},
    {"▲ ▒", "the cursor: the step that the table and the last lines tell of"},
    {"▓ ━", "the selected buffer: its bytes, its life"},
    {"├ ×4 ┤", "a loop; ×4: it runs four times"},
    {"=", "shares bytes with another row; share counts them once"},
    {"—", "lies in another memory and is not counted"},
    {"12→end", "born at step 12, alive until the program ends"},
};
#define N_LEGEND (int)(sizeof legend / sizeof *legend)

/* What stands in one half, before it is broken into lines. */
struct help_item {
    const char *left, *words; /* words NULL: running text */
    bool heading;
};

static bool key_item(int i, struct help_item *it)
{
    for (size_t b = 0; b < n_bindings; b++)
        if (bindings[b].words && i-- == 0) {
            *it = (struct help_item){bindings[b].shown, bindings[b].words, false};
            return true;
        }
    return false;
}

static bool about_item(const struct program *p, int i, struct help_item *it)
{
    if (i < N_LEGEND) {
        *it = (struct help_item){legend[i].glyph, legend[i].words, false};
        return true;
    }
    i -= N_LEGEND;
    if (!p->notes.n || i >= 2 + (int)p->notes.n)
        return false;
    if (i == 0)
        *it = (struct help_item){" ", NULL, false};
    else if (i == 1)
        *it = (struct help_item){"about this dump", NULL, true};
    else
        *it = (struct help_item){((const char *const *)p->notes.items)[i - 2], NULL, false};
    return true;
}

/* Line `line` of a half; `text` is its part of the item, `first` whether the item begins here. */
struct help_line {
    struct help_item item;
    char text[300];
    bool first;
};

static bool half_line(const struct program *p, bool keys, int width, int line, struct help_line *l)
{
    for (int i = 0; keys ? key_item(i, &l->item) : about_item(p, i, &l->item); i++) {
        const char *text = l->item.words ? l->item.words : l->item.left;
        int room = l->item.words ? width - KEY_WIDTH : width, n = 0;
        while (wrap_line(text, room, n, l->text, sizeof l->text)) {
            if (n++ == line) {
                l->first = n == 1;
                return true;
            }
        }
        line -= n;
    }
    return false;
}

static int half_width(int cols)
{
    return (cols >= BESIDE ? cols / 2 : cols) - 4;
}

static int count(const struct program *p, bool keys, int cols)
{
    struct help_line l;
    int n = 0;
    while (half_line(p, keys, half_width(cols), n, &l))
        n++;
    return n;
}

int help_lines(const struct program *p, int cols)
{
    int keys = count(p, true, cols), about = count(p, false, cols);
    if (cols >= BESIDE)
        return keys > about ? keys : about;
    return keys + 1 + about;
}

int help_height(int rows)
{
    return rows > 3 ? rows - 3 : 1; /* title, a blank line, footer */
}

static void draw_line(struct rect r, struct grid *g, int row, int col, const struct help_line *l)
{
    bool pair = l->item.words != NULL;
    if (pair && l->first)
        grid_text(g, r, row, col, ST_KEY, l->item.left);
    grid_text(g, r, row, pair ? col + KEY_WIDTH : col,
              pair              ? ST_PLAIN
              : l->item.heading ? ST_TITLE
                                : ST_DIM,
              l->text);
}

void help_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct program *p = v->p;
    int height = help_height(r.h), keys = count(p, true, r.w), width = half_width(r.w);
    int lines = help_lines(p, r.w), top = v->s->help_top;
    bool beside = r.w >= BESIDE;
    char more[40] = "";
    if (lines > height)
        snprintf(more, sizeof more, "%d–%d of %d", top + 1,
                 top + height < lines ? top + height : lines, lines);
    rule_draw(v, r, g, true, "keys and signs", more);
    for (int i = 0; i < height && top + i < lines; i++) {
        struct help_line l;
        int at = top + i, row = i + 2, about = beside ? at : at - keys - 1;
        if (half_line(p, true, width, at, &l))
            draw_line(r, g, row, 2, &l);
        if (about >= 0 && half_line(p, false, width, about, &l))
            draw_line(r, g, row, beside ? 2 + r.w / 2 : 2, &l);
    }
}
