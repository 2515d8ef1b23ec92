/* The parts of the screen: scene x rectangle -> cells.  Views read, compute for the visible part
 * only, and write through their rectangle.  No curses here. */
#ifndef TUI_VIEWS_VIEWS_H
#define TUI_VIEWS_VIEWS_H

#include "tui/model/axis.h"
#include "tui/terminal/grid.h"
#include "tui/model/scene.h"
#include "tui/model/text.h"

/* The whole screen; g has the size in *s.  O(steps + buffers + cells). */
void screen_draw(const struct program *p, struct memo *memo, const struct app *s, struct grid *g);
/* What stands there when nothing fits. */
void small_draw(int cols, int rows, struct grid *g);

void header_view(const struct scene *v, struct rect r, struct grid *g);
void chart_view(const struct scene *v, struct rect r, struct grid *g);
void map_view(const struct scene *v, struct rect r, struct grid *g);
void table_view(const struct scene *v, struct rect r, struct grid *g);
void filter_view(const struct scene *v, struct rect r, struct grid *g); /* MODE_FILTER, in place of the table */
void page_view(const struct scene *v, struct rect r, struct grid *g);
void grid_view(const struct scene *v, struct rect r, struct grid *g);
void compare_view(const struct scene *v, struct rect r, struct grid *g);
void lesson_view(const struct scene *v, struct rect r, struct grid *g);
void strip_view(const struct scene *v, struct rect r, struct grid *g);
void footer_view(const struct scene *v, struct rect r, struct grid *g);
/* In place of the keys: a line being typed, a key that waits for another, a count.  False: none. */
bool prompt_view(const struct scene *v, struct rect r, struct grid *g);
/* Above the footer, over what is there: what a line may become, the marks. */
void over_view(const struct scene *v, struct rect r, struct grid *g);

/* ---- Help: keys that there are, what the signs mean, notes about the dump ---- */

struct sign {
    const char *glyph, *words;
};
#define BINDINGS_MOST 160
struct help {
    const struct keymap *keys; /* or NULL */
    bool show[BINDINGS_MOST]; /* bindings to list */
    const struct sign *signs;
    int n_signs;
    const struct list *notes; /* const char *, or NULL */
};
struct help help_of(const struct program *p, const struct app *s);
/* Lines of the help at this width, and how many a screen of this height shows. */
int help_lines(const struct help *h, int cols);
int help_height(int rows);
void help_draw(const struct help *h, int top, struct rect r, struct grid *g);

/* ---- Forms: see form.h ---- */

/* Where the table of forms has its cells in a part r: those from (first_row, first_col) on. */
struct cells_place {
    struct rect area;
    int row_height, col_width, first_row, first_col, rows, cols;
};
struct cells_place cells_place_of(const struct axes *a, const struct app *s, struct rect r);

/* Where two programs stand side by side in a part r: charts A and B (h 0: no room), the table. */
struct compare_place {
    struct rect chart[2], table, list;
};
struct compare_place compare_place_of(struct rect r);

/* What is known of the form asked for, and of the one shown; false: the program has but one. */
bool form_figure(const struct scene *v, struct figure *f);
bool shown_figure(const struct scene *v, struct figure *f);
const char *method_words(enum whatif_method m); /* "compiled" …, "needs a compile" */
/* "seqlen ◂ 4 ▸  unroll ◂ 1 ▸  compiled", in fewer words where these do not fit; "" */
const char *form_text(const struct scene *v, int width, char *out, size_t size);
/* The answer to a key about forms: s.notice. */
void form_notice(const struct scene *v, char *out, size_t size);

/* ---- The lesson's panel: its words in a part `list` ---- */

#define SCROLL_MOST 100000
/* The first row shown, `top` at most and so that no room is left; with SCROLL_MOST the one that shows the
 * answer from its beginning. */
int lesson_top_of(const struct lesson_page *pg, const struct app *s, struct rect list, int top);
/* The remedy in a row of it, -1: none. */
int32_t lesson_look_at(const struct lesson_page *pg, const struct app *s, struct rect list, int row);
/* ---- Runs, in view_run.c ---- */

/* What was measured in a column of the chart; false: nothing, or it is not shown there. */
bool run_column(const struct scene *v, int col, struct overlay_most *most);
/* "used 20.01 GiB · host", "running: 128 of 532 steps, 3 s", or "". */
const char *used_text(const struct scene *v, bool brief, char *out, size_t size);
/* The header's line about the cursor's step. */
void used_line(const struct scene *v, struct rect r, struct grid *g, int row);
void run_notice(const struct scene *v, char *out, size_t size); /* NOTICE_RUN */
void where_draw(struct rect r, struct grid *g);                 /* MODE_WHERE: the footer */

/* ---- The footer ---- */

/* The keys marked in `can`, by rank as long as they fit behind col; `focus` names where Tab leads,
 * urgently where nothing else shows that part. */
struct footer {
    const struct keymap *keys; /* or NULL */
    bool can[BINDINGS_MOST];
    const char *focus;
    bool urgent;
    const char *clock; /* the one that x leads to; ran: from execution order */
    const char *axis;   /* what s makes longer, or NULL: "seqlen" */
    const char *escape; /* what Esc does in chart and table, or NULL */
    const char *enter; /* what Enter does on the selected group, or NULL */
    bool ran;
};
void keys_draw(const struct footer *f, struct rect r, struct grid *g, int col);
/* A line being typed behind its sign, with what Enter and Esc do at the right. */
void prompt_draw(char sign, const char *typed, const char *hint, struct rect r, struct grid *g);

/* ---- Plots: an axis, loops and a life under the cells ---- */

/* Figures beside a plot; the row `limit` from the bottom, -1: none, is marked so. */
void plot_axis(const struct app *s, struct rect r, struct rect area, struct grid *g, struct axis a, int limit);
/* Loops as bands; in execution order with ticks where their iterations begin.  In view_bands.c. */
void plot_loops(const struct scene *v, struct rect r, const struct plot *pl, enum clock clock,
                struct grid *g);
/* A buffer's life with the cursor's mark on it. */
void plot_life(const struct scene *v, struct rect r, const struct plot *pl, enum clock clock,
               struct grid *g, buf_id b);

/* ---- The chart's colours: view_roles.c ---- */

struct bands {
    uint64_t of[ROLE_COUNT]; /* bytes, but for … */
    uint64_t first;          /* … the selected buffer's, at the bottom */
};
/* At the highest of the steps that run in a column; false: it would take too long. */
bool bands_of(const struct scene *v, const struct steps *ran, int n, struct bands *b);
enum style bands_style(const struct bands *b, double height); /* so many bytes above the ground */
void bands_legend(const struct bands *all, struct rect r, struct grid *g, int from, int to);
static inline enum style role_style(uint8_t role)
{
    return role < ROLE_COUNT ? (enum style)(ST_ROLE + role) : ST_PLAIN;
}

/* ---- Shared by views ---- */

/* A figure in the unit that is asked for: "16.00 GiB", "17,179,869,184 B". */
int amount_width(const struct scene *v); /* columns that no figure of the program exceeds */
/* "≥ 4.00 GiB", "scan.py:40": a filter of the scene's state. */
const char *filter_text(const struct scene *v, enum filter_kind k, char *out, size_t size);

/* A line across the first row of a part, with its title; heavy over the focus. */
void rule_draw(struct rect r, struct grid *g, bool focus, const char *title, const char *right);
/* "a3 +4.00 GiB": a buffer's allocation and the offset in it; "" without places. */
const char *place_text(const struct scene *v, buf_id b, char *out, size_t size);

#endif
