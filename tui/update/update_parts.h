/* The parts of app_update(): each changes the state as one kind of key asks. */
#ifndef TUI_UPDATE_UPDATE_PARTS_H
#define TUI_UPDATE_UPDATE_PARTS_H

#include "tui/views/can.h"
#include "tui/model/layout.h"
#include "tui/update/update.h"
#include "tui/views/views.h"

/* ---- app.c ---- */

/* Which part takes the keys: the map follows the table unless they go to it. */
void focus_on(const struct program *p, struct memo *memo, struct app *s, enum focus to);
void scroll_help(const struct program *p, struct app *s, int64_t by);

/* ---- app_move.c: the cursor and the choice ---- */

/* So many units of the clock on or back. */
void go(const struct program *p, struct memo *memo, struct app *s, int sign, uint64_t by);
void go_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
/* To the most bytes in a column of the chart. */
void go_column(const struct program *p, struct memo *memo, struct app *s, int col);

/* Chooses the row `by` below the chosen one, or row `to` counted from the first one shown. */
void choose(const struct program *p, struct memo *memo, struct app *s, int64_t by, int to);
/* The chosen row's buffer, or BUF_NONE; holds on to it. */
buf_id choose_held(const struct program *p, struct memo *memo, struct app *s);

/* ---- app_filter.c: groups and filters of the table ---- */

void next_fold(const struct program *p, struct memo *memo, struct app *s);
/* Opens or closes the group that is selected; false: none is. */
bool unfold(const struct program *p, struct memo *memo, struct app *s);
/* Makes sure that a buffer has a line where it lives: filters that hide it go, its group opens. */
void show_row(const struct program *p, struct memo *memo, struct app *s, buf_id b);
bool on_head(const struct program *p, struct memo *memo, const struct app *s);

void menu_open(const struct program *p, struct memo *memo, struct app *s, enum filter_kind menu);
void menu_key(const struct program *p, struct memo *memo, struct app *s, int32_t key);
void menu_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);
void menu_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by);

/* At a buffer, a step (STEP_NONE: where the buffer lives), or both, in chart and table. */
void go_to(const struct program *p, struct memo *memo, struct app *s, buf_id b, uint32_t step);

/* How often a key is to be obeyed: the count typed before it, or once. */
static inline uint32_t times_of(const struct app *s)
{
    return s->count ? s->count : 1;
}
void say(struct app *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- app_search.c ---- */

void search_typing(const struct program *p, struct memo *memo, struct app *s, int32_t key);
void search_again(const struct program *p, struct memo *memo, struct app *s, bool back);

/* ---- app_page.c: pages of explanations ---- */

void page_open(const struct program *p, struct memo *memo, struct app *s, enum page_kind kind);
void page_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
void page_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);
void page_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by);

/* An open page as it was left. */
void page_return(const struct program *p, struct memo *memo, struct app *s, uint32_t line, int top);

/* ---- app_time.c: windows, selections, play ---- */

void time_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
/* At a column of a plot: zoom in or out. */
void time_wheel(const struct program *p, struct memo *memo, struct app *s, enum clock c, struct rect area, int col,
                bool closer);
/* From one column of the chart to another. */
void time_drag(const struct program *p, struct memo *memo, struct app *s, int from, int to);
/* The windows follow the cursor where it has moved. */
void time_follow(const struct program *p, struct memo *memo, struct app *s, const struct app *before);
void play_start(const struct program *p, struct memo *memo, struct app *s);
/* True: the key was for what plays. */
bool play_key(struct app *s, int32_t key);

/* ---- app_spot.c: back, forward, marks ---- */

enum move { MOVE_NONE, MOVE_STEP, MOVE_JUMP };
struct spot spot_of(const struct program *p, struct memo *memo, const struct app *s);
/* Remembers where one was, if one has moved from there. */
void spot_note(const struct program *p, struct memo *memo, struct app *s, const struct spot *was, enum move how);
void spot_command(const struct program *p, struct memo *memo, struct app *s, bool back);
void mark_set(const struct program *p, struct memo *memo, struct app *s, int32_t letter);
void mark_go(const struct program *p, struct memo *memo, struct app *s, int32_t letter);

/* ---- app_hands.c: keys before those of a view ---- */

/* Those that do the same wherever they work; false: it is none of them. */
bool key_anywhere(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
/* The second key of two: s->pending. */
void key_second(const struct program *p, struct memo *memo, struct app *s, int32_t key);
/* A digit of a count (0 is none at its start), or Esc that takes it back. */
bool key_counts(struct app *s, unsigned scope, int32_t key);
/* Does the key do nothing, here or at all? */
bool key_is_idle(const struct program *p, const struct app *s, unsigned scope, int32_t key);
enum move move_of(const struct program *p, const struct app *s, const struct msg *m);

/* ---- app_mouse.c ---- */

void mouse_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);
void mouse_drag(const struct program *p, struct memo *memo, struct app *s, const struct msg *m);
void mouse_wheel(const struct program *p, struct memo *memo, struct app *s, struct msg m);

/* ---- app_command.c: the command line ---- */

void command_open(struct app *s);
void command_typing(const struct program *p, struct memo *memo, struct app *s, int32_t key);

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

/* ---- app_lesson.c: a page of the lesson ---- */

void lesson_ask(struct app *s);
void lesson_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd);
void lesson_wheel(const struct program *p, struct memo *memo, struct app *s, int by);
void lesson_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);
/* ---- app_run.c: a run in the background ---- */

/* r: what a run measured, or a run; on a page a run, once more; MODE_WHERE: a key of the choice. */
void run_command(const struct program *p, struct memo *memo, struct app *s);
void run_again(const struct program *p, struct memo *memo, struct app *s);
void run_where(struct app *s, int32_t key);
/* To the end of the iteration that a line of the page is about. */
void run_follow(const struct program *p, struct memo *memo, struct app *s, const struct line *l);

/* ---- app_map.c: what keys and clicks do in the map ---- */

/* Keeps the map where it looks, with its chosen buffer. */
void map_hold(const struct program *p, struct memo *memo, struct app *s);
void map_command(const struct program *p, struct app *s, enum cmd cmd);
void map_click(const struct program *p, struct memo *memo, struct app *s, int x, int y);

/* ":length 48", ":unroll 4", ":unroll full": another form is asked for, or why not is said. */
void form_length(const struct memo *memo, struct app *s, const char *text);
void form_unrolled(const struct memo *memo, struct app *s, const char *text);

#endif
