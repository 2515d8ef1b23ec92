/* The help: keys from the keys table, what the signs mean, what this dump lacks.  Beside each
 * other where there is room, else below each other and scrolled. */

#include "tui/views/can.h"
#include "tui/views/views.h"

#include <stdio.h>

#define KEY_WIDTH 11
#define BESIDE 112 /* columns for two halves */

static const struct sign main_signs[] = {
    {"▼", "the peak: here the most bytes are alive"},
    {"█ ░", "filled; reserved, but empty: slots of a stack that hold nothing yet, or no more"},
    {"═", "with a run's trace: bytes that were ever written so far; █ is then what was measured"},
    {"▲ ▒", "the cursor: its step; in the last lines the instruction there"},
    {"▸ ▓ ━", "the selected buffer: row, bytes, life; after Tab the last lines"},
    {"├ 2/4 ┤", "a loop, shown at the second of its four iterations; ×4: all of them"},
    {"├ 1 ┼ 2 ┤", "execution order: its iterations one after the other"},
    {"stack 2/4", "two of its four slots hold data"},
    {"= —", "= shares bytes: counted once; — in another memory: not counted"},
    {"12→end", "born at step 12, alive until the program ends"},
    {"compiled", "read from what XLA made of this length and unroll"},
    {"exact", "not compiled, but XLA would give these very bytes"},
    {"estimate", "the truth lies in the range that is reserved"},
    {"bound", "at most these bytes; else only a compile can tell"},
};

static const struct sign map_signs[] = {
    {"━", "the selected buffer: the bytes it holds, while it lives"},
    {"▓ █", "alive at the cursor's step; two shades tell neighbours apart"},
    {"░ ▒", "alive at other times"},
    {"∙", "a hole: nothing is alive at these offsets then"},
    {"▲ ▸", "the cursor: step and offset; the lines below tell what lies there"},
    {"+1.00 GiB", "offset in the allocation"},
    {" ", "A cell shows the selected buffer if it has any part of it, else the largest."},
};

static const struct sign grid_signs[] = {
    {"c =", "compiled: read from what XLA made of it; exact: XLA would give these very bytes"},
    {"~ ≤", "an estimate, within a range; at most so much"},
    {"? ⋯", "only a compile can tell; not asked yet"},
    {"!", "more than the memory there is"},
    {"▸ ∙", "the selected form; the one that is shown"},
    {"░ █", "few bytes, and many"},
};

static bool of_loops(enum cmd cmd)
{
    return cmd == CMD_CLOCK || cmd == CMD_ITERATION_BACK || cmd == CMD_ITERATION_ON ||
           cmd == CMD_LOOP_BACK || cmd == CMD_LOOP_ON;
}

/* The last signs of the main view are of forms alone. */
#define FORM_SIGNS 4

static bool of_forms(enum cmd cmd)
{
    return cmd == CMD_LONGER || cmd == CMD_SHORTER || cmd == CMD_UNROLL || cmd == CMD_ROLL ||
           cmd == CMD_GRID || cmd == CMD_COMPARE;
}

struct help help_of(const struct program *p, const struct app *s)
{
    struct app back = *s;
    back.mode = s->mode == MODE_HELP ? s->helped : s->mode;
    unsigned scope = app_scope(p, &back);
    if (scope & IN_MAIN)
        scope = has_panel(p, s) ? IN_MAIN : IN_CHART | IN_TABLE;
    struct help h = {.signs = main_signs, .n_signs = sizeof main_signs / sizeof *main_signs,
                     .notes = &p->notes};
    if (s->forms == FORMS_NONE)
        h.n_signs -= FORM_SIGNS;
    if (back.mode == MODE_GRID) {
        h.signs = grid_signs;
        h.n_signs = sizeof grid_signs / sizeof *grid_signs;
    } else if (s->map) {
        h.signs = map_signs;
        h.n_signs = sizeof map_signs / sizeof *map_signs;
    }
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++) {
        const struct binding *b = &bindings[i];
        h.show[i] = b->scope & scope && !(b->cmd == CMD_SPACE && p->n_spaces < 2) &&
                    !(b->cmd == CMD_MODULES && !s->several) && (p->loops.n || !of_loops(b->cmd) || b->scope & IN_PAGE) && !(b->cmd == CMD_MAP && !has_map(p)) &&
                    (s->forms != FORMS_NONE || !of_forms(b->cmd)) && (s->targets || b->cmd != CMD_TARGET) &&
                    (b->cmd != CMD_RUN || can_run(p));
    }
    return h;
}

/* What stands in one half, before it is broken into lines. */
struct help_item {
    const char *left, *words; /* words NULL: running text */
    bool heading;
    char keys[64]; /* with left NULL: what to press */
};

static bool key_item(const struct help *h, int i, struct help_item *it)
{
    for (size_t b = 0; b < n_bindings && b < BINDINGS_MOST; b++)
        if (h->show[b] && bindings[b].words && i-- == 0) {
            *it = (struct help_item){NULL, bindings[b].words, false, ""};
            const char *shown = keymap_shown(h->keys, &bindings[b], it->keys);
            if (shown != it->keys)
                snprintf(it->keys, sizeof it->keys, "%s", shown ? shown : "");
            return true;
        }
    return false;
}

static bool about_item(const struct help *h, int i, struct help_item *it)
{
    uint32_t notes = h->notes ? h->notes->n : 0;
    if (i < h->n_signs) {
        *it = (struct help_item){h->signs[i].glyph, h->signs[i].words, false, ""};
        return true;
    }
    i -= h->n_signs;
    if (!notes || i >= 2 + (int)notes)
        return false;
    if (i == 0)
        *it = (struct help_item){" ", NULL, false, ""};
    else if (i == 1)
        *it = (struct help_item){"about this dump", NULL, true, ""};
    else
        *it = (struct help_item){((const char *const *)h->notes->items)[i - 2], NULL, false, ""};
    return true;
}

/* Line `line` of a half; `text` is its part of the item, `first` whether the item begins here. */
struct help_line {
    struct help_item item;
    char text[300];
    bool first;
};

static bool item_at(const struct help *h, bool keys, int i, struct help_item *it)
{
    return keys ? key_item(h, i, it) : about_item(h, i, it);
}

/* Line n of an item. */
static bool item_line(const struct help_item *it, int width, int n, char *out, size_t size)
{
    return wrap_line(it->words ? it->words : it->left, it->words ? width - KEY_WIDTH : width, n, out, size);
}

static int item_lines(const struct help_item *it, int width)
{
    char text[sizeof((struct help_line *)0)->text];
    int n = 0;
    while (item_line(it, width, n, text, sizeof text))
        n++;
    return n;
}

static bool half_line(const struct help *h, bool keys, int width, int line, struct help_line *l)
{
    for (int i = 0; item_at(h, keys, i, &l->item); i++) {
        int n = item_lines(&l->item, width);
        if (line < n) {
            l->first = line == 0;
            return item_line(&l->item, width, line, l->text, sizeof l->text);
        }
        line -= n;
    }
    return false;
}

static int half_width(int cols)
{
    return (cols >= BESIDE ? cols / 2 : cols) - 4;
}

static int count(const struct help *h, bool keys, int cols)
{
    struct help_item it;
    int n = 0;
    for (int i = 0; item_at(h, keys, i, &it); i++)
        n += item_lines(&it, half_width(cols));
    return n;
}

int help_lines(const struct help *h, int cols)
{
    int keys = count(h, true, cols), about = count(h, false, cols);
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
        grid_field(g, r, row, col, KEY_WIDTH - 1, ST_KEY, CUT_END, l->item.left ? l->item.left : l->item.keys);
    grid_text(g, r, row, pair ? col + KEY_WIDTH : col,
              pair              ? ST_PLAIN
              : l->item.heading ? ST_TITLE
                                : ST_DIM,
              l->text);
}

void help_draw(const struct help *h, int top, struct rect r, struct grid *g)
{
    int height = help_height(r.h), keys = count(h, true, r.w), width = half_width(r.w);
    int lines = help_lines(h, r.w);
    bool beside = r.w >= BESIDE;
    char more[40] = "";
    if (lines > height)
        snprintf(more, sizeof more, "%d–%d of %d", top + 1,
                 top + height < lines ? top + height : lines, lines);
    rule_draw(r, g, true, "keys and signs", more);
    for (int i = 0; i < height && top + i < lines; i++) {
        struct help_line l;
        int at = top + i, row = i + 2, about = beside ? at : at - keys - 1;
        if (half_line(h, true, width, at, &l))
            draw_line(r, g, row, 2, &l);
        if (about >= 0 && half_line(h, false, width, about, &l))
            draw_line(r, g, row, beside ? 2 + r.w / 2 : 2, &l);
    }
}
