#include "tui/app.h"

#include "tui/layout.h"
#include "tui/search.h"
#include "tui/views.h"
#include <string.h>

#define WHEEL_ROWS 3

struct app app_start(const struct program *p, int cols, int rows, uint64_t limit)
{
    struct app s = {.cols = cols, .rows = rows, .chosen = BUF_NONE, .group = GROUP_NONE};
    s.limit = limit ? limit : p->module->device_memory;
    s.step = p->peak <= p->steps ? p->peak : p->steps;
    return s;
}

uint64_t app_needed(const struct program *p, uint32_t space, bool *known)
{
    const struct program_space *s = &p->spaces[space];
    uint64_t need = program_need(p, known);
    return !*known ? s->live[s->peak] : space == 0 ? need : s->reserved;
}

static const struct alive *alive_here(const struct program *p, struct memo *memo,
                                      const struct app *s)
{
    alive_get(&memo->alive, p, s->step, s->sort, s->space);
    return &memo->alive;
}

uint32_t app_row(const struct app *s, const struct alive *a)
{
    return s->chosen == BUF_NONE ? 0 : alive_find(a, s->chosen);
}

uint32_t table_top(const struct app *s, const struct alive *a, int height)
{
    uint32_t h = height > 0 ? (uint32_t)height : 1, row = app_row(s, a), top = s->top;
    if (top + h > a->n)
        top = a->n > h ? a->n - h : 0;
    if (row < top)
        top = row;
    if (row >= top + h)
        top = row - h + 1;
    return top;
}

static bool alive_at(const struct program *p, buf_id b, uint32_t step)
{
    return b != BUF_NONE && p->start[b] <= step && step <= p->end[b];
}

/* ---- Moving the cursor and the choice ---- */

static uint32_t moved(uint32_t at, int64_t by, uint32_t last)
{
    int64_t to = (int64_t)at + by;
    return to < 0 ? 0 : to > last ? last : (uint32_t)to;
}

static void go(const struct program *p, struct app *s, int64_t by)
{
    s->step = moved(s->step, by, p->steps);
}

/* Chooses the row `by` below the chosen one, or row `to` counted from the first one shown. */
static void choose(const struct program *p, struct memo *memo, struct app *s, int64_t by, int to)
{
    struct layout l = layout_of(p, s);
    const struct alive *a = alive_here(p, memo, s);
    if (!a->n)
        return;
    uint32_t top = table_top(s, a, l.list.h);
    uint32_t row = to >= 0 ? top + (uint32_t)to : moved(app_row(s, a), by, a->n - 1);
    if (row < a->n)
        s->chosen = a->rows[row].id;
    s->top = table_top(s, a, l.list.h);
}

struct map_place app_map(const struct program *p, struct memo *memo, const struct app *s)
{
    struct map_place at = {s->group, s->offset, s->chosen};
    if (s->group != GROUP_NONE || !has_map(p))
        return at;
    const struct alive *a = alive_here(p, memo, s);
    if (!a->n)
        return at;
    at.chosen = a->rows[app_row(s, a)].id;
    at.group = program_group(p, at.chosen);
    at.offset = p->offset[at.chosen];
    return at;
}

/* To where the chosen buffer is born; from there to where it dies. */
static void go_born(const struct program *p, struct memo *memo, struct app *s)
{
    const struct alive *a = alive_here(p, memo, s);
    if (!a->n)
        return;
    s->chosen = a->rows[app_row(s, a)].id;
    s->step = s->step == p->start[s->chosen] ? p->end[s->chosen] : p->start[s->chosen];
    choose(p, memo, s, 0, -1); /* brings it into view */
}

static void page(const struct program *p, struct memo *memo, struct app *s, int sign)
{
    struct layout l = layout_of(p, s);
    if (s->focus == FOCUS_TABLE && !s->map)
        choose(p, memo, s, (int64_t)sign * (l.list.h > 1 ? l.list.h - 1 : 1), -1);
    else
        go(p, s, (int64_t)sign * (p->steps >= 20 ? p->steps / 10 : 1));
}

static void ends(const struct program *p, struct memo *memo, struct app *s, int sign)
{
    if (s->focus == FOCUS_TABLE && !s->map)
        choose(p, memo, s, sign * (int64_t)UINT32_MAX, -1);
    else
        go(p, s, sign * (int64_t)UINT32_MAX);
}

enum focus app_next_focus(const struct program *p, const struct app *s)
{
    enum focus next = (s->focus + 1) % FOCUS_COUNT;
    return next == FOCUS_MAP && !has_panel(p, s) ? FOCUS_TABLE : next;
}

/* The map follows the table unless keys go to it. */
static void focus(const struct program *p, struct memo *memo, struct app *s, enum focus to)
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
        focus(p, memo, s, s->focus);
}

/* ---- Searching ---- */

static void show_match(const struct program *p, struct memo *memo, struct app *s, struct found f)
{
    if (f.id == BUF_NONE) {
        s->notice = NOTICE_NO_MATCH;
        return;
    }
    s->notice = NOTICE_MATCH;
    s->match = f.number;
    s->matches = f.total;
    s->chosen = f.id;
    if (!alive_at(p, f.id, s->step))
        s->step = p->start[f.id];
    if (s->group != GROUP_NONE) {
        s->group = program_group(p, f.id);
        s->offset = p->offset[f.id];
    }
    choose(p, memo, s, 0, -1); /* brings it into view */
}

static void next_match(const struct program *p, struct memo *memo, struct app *s, bool back)
{
    if (!s->query[0]) {
        s->notice = NOTICE_NO_QUERY;
        return;
    }
    buf_id from = alive_at(p, s->chosen, s->step) ? s->chosen : BUF_NONE;
    show_match(p, memo, s, search_next(p, s->query, from, s->step, back));
}

/* What is alive here comes first, in the table's order; else the next one born. */
static void first_match(const struct program *p, struct memo *memo, struct app *s)
{
    const struct alive *a = alive_here(p, memo, s);
    buf_id hit = BUF_NONE;
    for (uint32_t i = 0; i < a->n && hit == BUF_NONE; i++)
        if (search_hits(p, a->rows[i].id, s->query))
            hit = a->rows[i].id;
    if (hit != BUF_NONE)
        show_match(p, memo, s, search_number(p, s->query, hit));
    else
        show_match(p, memo, s, search_next(p, s->query, BUF_NONE, s->step, false));
}

static void typing(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    switch (typing_key(s->typed, key)) {
    case TYPED_ENTER:
        s->mode = MODE_MAIN;
        if (s->typed[0])
            memcpy(s->query, s->typed, sizeof s->query); /* an empty line repeats the last search */
        if (s->query[0])
            first_match(p, memo, s);
        break;
    case TYPED_ESC: s->mode = MODE_MAIN; break;
    case TYPED_QUIT: s->want = WANT_QUIT; break;
    case TYPED_MORE: break;
    }
}

/* ---- Commands ---- */

static void scroll_help(const struct program *p, struct app *s, int64_t by)
{
    struct help h = help_of(p, s);
    int most = help_lines(&h, s->cols) - help_height(s->rows);
    s->help_top = (int)moved((uint32_t)s->help_top, by, most > 0 ? (uint32_t)most : 0);
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
    case CMD_CLOSE: s->mode = MODE_MAIN; break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

static void in_program(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_STEP_BACK: go(p, s, -1); break;
    case CMD_STEP_ON: go(p, s, 1); break;
    case CMD_ROW_UP: choose(p, memo, s, -1, -1); break;
    case CMD_ROW_DOWN: choose(p, memo, s, 1, -1); break;
    case CMD_PAGE_BACK: page(p, memo, s, -1); break;
    case CMD_PAGE_ON: page(p, memo, s, 1); break;
    case CMD_FIRST: ends(p, memo, s, -1); break;
    case CMD_LAST: ends(p, memo, s, 1); break;
    case CMD_PEAK: s->step = p->spaces[s->space].peak; break;
    case CMD_BORN: go_born(p, memo, s); break;
    case CMD_FOCUS: focus(p, memo, s, app_next_focus(p, s)); break;
    case CMD_SORT: s->sort = (s->sort + 1) % SORT_COUNT; break;
    case CMD_SPACE: s->space = (s->space + 1) % p->n_spaces; break;
    case CMD_MAP: show_map(p, memo, s, true); break;
    case CMD_SEARCH:
        s->mode = MODE_SEARCH;
        memset(s->typed, 0, sizeof s->typed);
        break;
    case CMD_NEXT: next_match(p, memo, s, false); break;
    case CMD_PREVIOUS: next_match(p, memo, s, true); break;
    case CMD_HELP:
        s->mode = MODE_HELP;
        s->help_top = 0;
        break;
    case CMD_CLOSE:
        if (s->map)
            show_map(p, memo, s, false);
        else
            memset(s->query, 0, sizeof s->query);
        break;
    case CMD_MODULES: s->want = s->several ? WANT_MODULES : s->want; break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

static void on_command(const struct program *p, struct memo *memo, struct app *s, unsigned scope,
                       enum cmd cmd)
{
    bool of_map = cmd == CMD_ROW_UP || cmd == CMD_ROW_DOWN || cmd == CMD_BIGGER ||
                  cmd == CMD_SMALLER || cmd == CMD_CHOOSE;
    if (scope & IN_MAPS && of_map)
        map_command(p, s, cmd);
    else
        in_program(p, memo, s, cmd);
}

unsigned app_scope(const struct program *p, const struct app *s)
{
    if (s->mode == MODE_HELP)
        return IN_HELP;
    if (s->map)
        return IN_MAP;
    if (s->focus == FOCUS_MAP && has_panel(p, s))
        return IN_PANEL;
    return s->focus == FOCUS_TABLE ? IN_TABLE : IN_CHART;
}

static void on_key(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    struct layout l = layout_of(p, s);
    unsigned scope = app_scope(p, s);
    if (l.small && key != 'q' && key != K_CTRL_C)
        return;
    if (l.small)
        s->want = WANT_QUIT;
    else if (s->mode == MODE_SEARCH)
        typing(p, memo, s, key);
    else if (s->mode == MODE_HELP)
        in_help(p, s, keys_command(key, IN_HELP));
    else
        on_command(p, memo, s, scope, keys_command(key, scope));
}

/* ---- The mouse ---- */

/* The step with the most live bytes in a column, so that a click on a spike finds it. */
static uint32_t step_at(const struct program *p, uint32_t space, struct rect area, int x)
{
    const uint64_t *live = p->spaces[space].live;
    uint32_t first, last;
    plot_steps(p, area.w, x - area.x, &first, &last);
    uint32_t best = first;
    for (uint32_t t = first; t <= last && t <= p->steps; t++)
        if (live[t] > live[best])
            best = t;
    return best;
}

static void on_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct layout l = layout_of(p, s);
    struct rect steps = l.bars.area;
    steps.h = l.bars.life.y + l.bars.life.h - steps.y;
    if (rect_has(l.chart, x, y))
        focus(p, memo, s, FOCUS_CHART);
    if (rect_has(l.table, x, y))
        focus(p, memo, s, FOCUS_TABLE);
    if (rect_has(l.map, x, y)) {
        if (!s->map)
            focus(p, memo, s, FOCUS_MAP);
        map_click(p, s, x, y);
    }
    if (rect_has(steps, x, y))
        s->step = step_at(p, s->space, l.bars.area, x);
    if (rect_has(l.list, x, y))
        choose(p, memo, s, 0, y - l.list.y);
}

static void on_wheel(const struct program *p, struct memo *memo, struct app *s, struct msg m)
{
    struct layout l = layout_of(p, s);
    int sign = m.kind == MSG_WHEEL_UP ? -1 : 1;
    if (s->mode == MODE_HELP)
        scroll_help(p, s, sign * WHEEL_ROWS);
    else if (rect_has(l.table, m.col, m.row))
        choose(p, memo, s, sign * WHEEL_ROWS, -1);
    else if (rect_has(l.chart, m.col, m.row)) /* one column */
        go(p, s, sign * (int64_t)(p->steps / (uint32_t)l.bars.area.w + 1));
    else if (rect_has(l.map, m.col, m.row))
        go(p, s, sign * (int64_t)(p->steps / (uint32_t)l.cells.area.w + 1));
}

struct app app_update(const struct program *p, struct memo *memo, struct app s, struct msg m)
{
    bool moves = m.kind == MSG_KEY || m.kind == MSG_CLICK;
    if (moves)
        s.notice = NOTICE_NONE;
    switch (m.kind) {
    case MSG_KEY: on_key(p, memo, &s, m.key); break;
    case MSG_CLICK:
        if (s.mode == MODE_MAIN)
            on_click(p, memo, &s, m.col, m.row);
        break;
    case MSG_WHEEL_UP: case MSG_WHEEL_DOWN:
        if (s.mode != MODE_SEARCH)
            on_wheel(p, memo, &s, m);
        break;
    case MSG_RESIZE:
        s.cols = m.cols > 0 ? m.cols : 1;
        s.rows = m.rows > 0 ? m.rows : 1;
        if (s.mode == MODE_HELP)
            scroll_help(p, &s, 0);
        break;
    case MSG_NONE: break;
    }
    return s;
}

bool app_can(const struct program *p, const struct app *s, const struct binding *b)
{
    unsigned here = app_scope(p, s);
    if (!(b->scope & here))
        return false;
    if (here == IN_HELP) {
        struct help h = help_of(p, s);
        return b->cmd != CMD_ROW_UP || help_lines(&h, s->cols) > help_height(s->rows);
    }
    switch (b->cmd) {
    case CMD_STEP_BACK: case CMD_STEP_ON: return p->steps > 0;
    case CMD_PAGE_BACK: case CMD_PAGE_ON: case CMD_LAST:
        return here == IN_TABLE ? p->n > 1 : p->steps > 1;
    case CMD_PEAK: return s->step != p->spaces[s->space].peak;
    case CMD_BORN: return p->n > 0 && p->steps > 0;
    case CMD_ROW_UP: case CMD_ROW_DOWN: return here & IN_MAPS || p->n > 1;
    case CMD_SORT: return p->n > 1;
    case CMD_SEARCH: return p->n > 0;
    case CMD_NEXT: case CMD_PREVIOUS: return s->query[0] != '\0';
    case CMD_MAP: return has_map(p);
    case CMD_SPACE: return p->n_spaces > 1;
    case CMD_MODULES: return s->several;
    default: return true;
    }
}
