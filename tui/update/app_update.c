#include "tui/update/update_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct app app_said(struct app s, const char *words)
{
    say(&s, "%s", words);
    return s;
}

void say(struct app *s, const char *fmt, ...)
{
    va_list args;
    memset(s->said, 0, sizeof s->said);
    va_start(args, fmt);
    vsnprintf(s->said, sizeof s->said, fmt, args);
    va_end(args);
    s->notice = NOTICE_SAID;
}

/* ---- Keys whose meaning hangs on the focus ---- */

static bool in_table(const struct app *s)
{
    return s->focus == FOCUS_TABLE && !s->map;
}

static void page(const struct program *p, struct memo *memo, struct app *s, int sign)
{
    struct layout l = layout_of(p, s);
    uint64_t n = app_window(p, memo, s, s->clock).n - 1, by = n >= 20 ? n / 10 : 1;
    if (in_table(s))
        choose(p, memo, s, (int64_t)sign * (l.list.h > 1 ? l.list.h - 1 : 1) * times_of(s), -1);
    else
        go(p, memo, s, sign, by > UINT64_MAX / times_of(s) ? UINT64_MAX : by * times_of(s));
}

static void ends(const struct program *p, struct memo *memo, struct app *s, int sign)
{
    if (in_table(s))
        choose(p, memo, s, sign * (int64_t)UINT32_MAX, -1);
    else
        go(p, memo, s, sign, UINT64_MAX);
}

/* The map follows the table unless keys go to it. */
void focus_on(const struct program *p, struct memo *memo, struct app *s, enum focus to)
{
    s->focus = to;
    if (to == FOCUS_MAP)
        map_hold(p, memo, s);
    else
        s->group = GROUP_NONE;
}

static void show_map(const struct program *p, struct memo *memo, struct app *s, bool on)
{
    if (on && !has_map(p))
        return;
    if (on)
        map_hold(p, memo, s);
    s->map = on;
    if (!on)
        focus_on(p, memo, s, s->focus);
}

/* ---- Commands ---- */

void scroll_help(const struct program *p, struct app *s, int64_t by)
{
    struct help h = help_of(p, s);
    int most = help_lines(&h, s->cols) - help_height(s->rows);
    by += s->help_top;
    s->help_top = by < 0 || most <= 0 ? 0 : by > most ? most : (int)by;
}

static void in_help(const struct program *p, struct app *s, enum cmd cmd)
{
    int height = help_height(s->rows);
    switch (cmd) {
    case CMD_ROW_UP: scroll_help(p, s, -1); break;
    case CMD_ROW_DOWN: scroll_help(p, s, 1); break;
    case CMD_PAGE_BACK: scroll_help(p, s, -height); break;
    case CMD_PAGE_ON: scroll_help(p, s, height); break;
    case CMD_FIRST: s->help_top = 0; break;
    case CMD_LAST: scroll_help(p, s, INT32_MAX); break;
    case CMD_CLOSE:
        s->mode = s->helped;
        if (s->lesson == LESSON_OPEN) /* its page's view was another, perhaps */
            s->want = WANT_LESSON;
        break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

static void in_program(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_STEP_BACK: case CMD_STEP_ON: case CMD_ITERATION_BACK: case CMD_ITERATION_ON:
    case CMD_LOOP_BACK: case CMD_LOOP_ON: case CMD_PEAK: case CMD_BORN: case CMD_CLOCK:
        go_command(p, memo, s, cmd);
        break;
    case CMD_ROW_UP: choose(p, memo, s, -(int64_t)times_of(s), -1); break;
    case CMD_ROW_DOWN: choose(p, memo, s, times_of(s), -1); break;
    case CMD_PAGE_BACK: page(p, memo, s, -1); break;
    case CMD_PAGE_ON: page(p, memo, s, 1); break;
    case CMD_FIRST: ends(p, memo, s, -1); break;
    case CMD_LAST: ends(p, memo, s, 1); break;
    case CMD_WHY:
        if (!unfold(p, memo, s))
            page_open(p, memo, s, PAGE_BUFFER);
        break;
    case CMD_EXPLAIN: page_open(p, memo, s, PAGE_STEP); break;
    case CMD_FOCUS:
        if (s->map) /* it has the screen: back to the others */
            show_map(p, memo, s, false);
        else
            focus_on(p, memo, s, app_next_focus(p, s));
        break;
    case CMD_SORT: s->sort = (s->sort + 1) % SORT_COUNT; break;
    case CMD_NARROW: menu_open(p, memo, s, FILTER_KINDS); break;
    case CMD_WIDEN:
        s->filter = (struct filter){0};
        choose(p, memo, s, 0, -1);
        break;
    case CMD_FOLD: next_fold(p, memo, s); break;
    case CMD_UNITS: s->bytes = !s->bytes; break;
    case CMD_SPACE: s->space = (s->space + 1) % p->n_spaces; break;
    case CMD_MAP: show_map(p, memo, s, true); break;
    case CMD_SEARCH:
        s->mode = MODE_SEARCH;
        memset(s->typed, 0, sizeof s->typed);
        break;
    case CMD_CLOSER: case CMD_FARTHER: case CMD_WHOLE: case CMD_SELECT: time_command(p, memo, s, cmd); break;
    case CMD_PLAY: play_start(p, memo, s); break;
    case CMD_NEXT: search_again(p, memo, s, false); break;
    case CMD_PREVIOUS: search_again(p, memo, s, true); break;
    case CMD_LONGER: case CMD_SHORTER: case CMD_UNROLL: case CMD_ROLL: case CMD_TARGET: case CMD_GRID:
    case CMD_COMPARE:
        form_command(p, memo, s, cmd);
        break;
    case CMD_RUN: run_command(p, memo, s); break;
    case CMD_CLOSE:
        if (s->map)
            show_map(p, memo, s, false);
        else
            app_escape(s);
        break;
    case CMD_LESSON: lesson_ask(s); break;
    case CMD_MODULES: s->want = s->several ? WANT_MODULES : s->want; break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

#define ROWS_MOST 200 /* of a screen */

static void on_command(const struct program *p, struct memo *memo, struct app *s, unsigned scope,
                       enum cmd cmd)
{
    bool of_map = cmd == CMD_ROW_UP || cmd == CMD_ROW_DOWN || cmd == CMD_BIGGER ||
                  cmd == CMD_SMALLER || cmd == CMD_CHOOSE;
    if (scope & IN_MAPS && of_map)
        for (uint32_t left = times_of(s) < ROWS_MOST ? times_of(s) : ROWS_MOST; left; left--)
            map_command(p, s, cmd);
    else
        in_program(p, memo, s, cmd);
}

static void obey(const struct program *p, struct memo *memo, struct app *s, unsigned scope, int32_t key)
{
    enum cmd cmd = keys_command(key, scope);
    if (key_is_idle(p, s, scope, key)) {
        s->notice = NOTICE_NOTHING;
        s->pressed = key;
    } else if (key_anywhere(p, memo, s, cmd)) {
        return;
    } else if (s->mode == MODE_HELP) {
        in_help(p, s, cmd);
    } else if (s->lesson == LESSON_OPEN) {
        lesson_command(p, memo, s, cmd);
    } else if (cmd == CMD_HELP) {
        s->helped = s->mode;
        s->mode = MODE_HELP;
        s->help_top = 0;
    } else if (s->mode == MODE_PAGE) {
        page_command(p, memo, s, cmd);
    } else if (s->mode == MODE_GRID) {
        cells_command(p, memo, s, cmd);
    } else if (s->mode == MODE_COMPARE) {
        compare_command(p, memo, s, cmd);
    } else {
        on_command(p, memo, s, scope, cmd);
    }
}

static void on_key(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    struct layout l = layout_of(p, s);
    unsigned scope = app_scope(p, s);
    if (l.small) {
        if (key == 'q' || key == K_CTRL_C)
            s->want = WANT_QUIT;
    } else if (s->commanding) {
        command_typing(p, memo, s, key);
    } else if (s->mode == MODE_SEARCH) {
        search_typing(p, memo, s, key);
    } else if (s->mode == MODE_FILTER) {
        menu_key(p, memo, s, key);
    } else if (s->mode == MODE_WHERE) {
        run_where(s, key);
    } else if (s->pending) {
        key_second(p, memo, s, key);
    } else if (!key_counts(s, scope, key)) {
        obey(p, memo, s, scope, key);
        s->count = 0;
    }
}

struct app app_update(const struct program *p, struct memo *memo, struct app s, struct msg m)
{
    struct app before = s;
    struct spot was = spot_of(p, memo, &s);
    enum move how = move_of(p, &s, &m);
    bool presses = m.kind == MSG_KEY || m.kind == MSG_CLICK, other = m.kind != MSG_RESIZE && m.kind != MSG_NONE;
    if (m.kind == MSG_KEY && m.key == K_ESC && s.notice == NOTICE_AWAY)
        s.want = WANT_HOME; /* as the notice says, whatever the lesson left open */
    if (presses)
        s.notice = NOTICE_NONE;
    if (s.want == WANT_HOME)
        return s;
    if (m.kind == MSG_KEY && play_key(&s, m.key))
        return s;
    if (other)
        s.playing = false;
    if (presses || m.kind == MSG_DRAG)
        s.arriving = false;
    switch (m.kind) {
    case MSG_KEY: on_key(p, memo, &s, m.key); break;
    case MSG_DRAG: mouse_drag(p, memo, &s, &m); break;
    case MSG_CLICK: mouse_click(p, memo, &s, m.col, m.row); break;
    case MSG_WHEEL_UP: case MSG_WHEEL_DOWN: case MSG_WHEEL_LEFT: case MSG_WHEEL_RIGHT:
        mouse_wheel(p, memo, &s, m);
        break;
    case MSG_RESIZE:
        s.cols = m.cols > 0 ? m.cols : 1;
        s.rows = m.rows > 0 ? m.rows : 1;
        if (s.mode == MODE_HELP)
            scroll_help(p, &s, 0);
        break;
    case MSG_NONE: break;
    }
    time_follow(p, memo, &s, &before);
    spot_note(p, memo, &s, &was, how);
    return s;
}

