/* The parts of app_update(): each changes the state as one kind of key asks. */
#ifndef TUI_APP_PARTS_H
#define TUI_APP_PARTS_H

#include "tui/app.h"
#include "tui/layout.h"
#include "tui/views.h"

/* ---- app_move.c: the cursor and the choice ---- */

const struct alive *alive_here(const struct program *p, struct memo *memo, const struct app *s);
bool alive_at(const struct program *p, buf_id b, uint32_t step);

/* Stands at a step, with the loops around it as they are; or at a moment. */
void stand(const struct program *p, struct memo *memo, struct app *s, uint32_t step);
void stand_at(const struct program *p, struct memo *memo, struct app *s, uint64_t at);

/* So many units of the clock on or back. */
void go(const struct program *p, struct memo *memo, struct app *s, int sign, uint64_t by);
void go_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
/* To the most bytes in a column of the chart. */
void go_column(const struct program *p, struct memo *memo, struct app *s, int col);

/* Chooses the row `by` below the chosen one, or row `to` counted from the first one shown. */
void choose(const struct program *p, struct memo *memo, struct app *s, int64_t by, int to);
/* The chosen row's buffer, or BUF_NONE; holds on to it. */
buf_id choose_held(const struct program *p, struct memo *memo, struct app *s);
void next_filter(const struct program *p, struct memo *memo, struct app *s);

/* ---- app_search.c ---- */

void search_typing(const struct program *p, struct memo *memo, struct app *s, int32_t key);
void search_again(const struct program *p, struct memo *memo, struct app *s, bool back);

/* ---- app_page.c: pages of explanations ---- */

void page_open(const struct program *p, struct memo *memo, struct app *s, enum page_kind kind);
void page_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
void page_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);
void page_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by);

/* ---- app_form.c: other forms of the program ---- */

void form_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);

/* ---- app_cells.c: the table of forms ---- */

void cells_open(const struct program *p, struct memo *memo, struct app *s);
void cells_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
void cells_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);

/* ---- app_compare.c: two programs side by side ---- */

void compare_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
void compare_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);
void compare_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by);

/* ---- app_map.c: what keys and clicks do in the map ---- */

/* Keeps the map where it looks, with its chosen buffer. */
void map_hold(const struct program *p, struct memo *memo, struct app *s);
void map_command(const struct program *p, struct app *s, enum cmd cmd);
void map_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);

#endif
