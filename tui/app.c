#include "tui/app.h"

#include "tui/layout.h"
#include "tui/search.h"
#include "tui/views.h"
#include <string.h>

#define WHEEL_ROWS 3

struct app app_start(const struct program *p, int cols, int rows, uint64_t limit)
{
    struct app s = {.cols = cols, .rows = rows, .chosen = BUF_NONE};
    s.limit = limit ? limit : p->module->device_memory;
    s.step = p->peak <= p->steps ? p->peak : p->steps;
    return s;
}

uint64_t app_needed(const struct program *p)
{
    const struct totals *t = &p->totals;
    if (!p->has_totals)
        return p->live[p->peak];
    uint64_t host = t->host_argument + t->host_output + t->host_temp;
    return t->total > host ? t->total - host : t->total;
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
static void choose(const struct program *p, struct app *s, int64_t by, int to)
{
    struct layout l = layout_of(p, s);
    struct alive a;
    alive_get(&a, p, s->step, s->sort);
    if (a.n) {
        uint32_t top = table_top(s, &a, l.list.h);
        uint32_t row = to >= 0 ? top + (uint32_t)to : moved(app_row(s, &a), by, a.n - 1);
        if (row < a.n)
            s->chosen = a.rows[row].id;
        s->top = table_top(s, &a, l.list.h);
    }
    alive_free(&a);
}

static void page(const struct program *p, struct app *s, int sign)
{
    struct layout l = layout_of(p, s);
    if (s->focus == FOCUS_TABLE)
        choose(p, s, (int64_t)sign * (l.list.h > 1 ? l.list.h - 1 : 1), -1);
    else
        go(p, s, (int64_t)sign * (p->steps >= 20 ? p->steps / 10 : 1));
}

static void ends(const struct program *p, struct app *s, int sign)
{
    if (s->focus == FOCUS_TABLE)
        choose(p, s, sign * (int64_t)UINT32_MAX, -1);
    else
        go(p, s, sign * (int64_t)UINT32_MAX);
}

/* ---- Searching ---- */

static void show_match(const struct program *p, struct app *s, struct found f)
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
    choose(p, s, 0, -1); /* brings it into view */
}

static void next_match(const struct program *p, struct app *s, bool back)
{
    if (!s->query[0]) {
        s->notice = NOTICE_NO_QUERY;
        return;
    }
    buf_id from = alive_at(p, s->chosen, s->step) ? s->chosen : BUF_NONE;
    show_match(p, s, search_next(p, s->query, from, s->step, back));
}

/* What is alive here comes first, in the table's order; else the next one born. */
static void first_match(const struct program *p, struct app *s)
{
    struct alive a;
    buf_id hit = BUF_NONE;
    alive_get(&a, p, s->step, s->sort);
    for (uint32_t i = 0; i < a.n && hit == BUF_NONE; i++)
        if (search_hits(p, a.rows[i].id, s->query))
            hit = a.rows[i].id;
    alive_free(&a);
    if (hit != BUF_NONE)
        show_match(p, s, search_number(p, s->query, hit));
    else
        show_match(p, s, search_next(p, s->query, BUF_NONE, s->step, false));
}

static void type(struct app *s, uint32_t ch)
{
    char text[4];
    size_t n = 0, len = strlen(s->typed);
    if (ch < 0x80) {
        text[n++] = (char)ch;
    } else if (ch < 0x800) {
        text[n++] = (char)(0xc0 | ch >> 6);
        text[n++] = (char)(0x80 | (ch & 0x3f));
    } else if (ch < 0x10000) {
        text[n++] = (char)(0xe0 | ch >> 12);
        text[n++] = (char)(0x80 | (ch >> 6 & 0x3f));
        text[n++] = (char)(0x80 | (ch & 0x3f));
    }
    if (len + n < sizeof s->typed)
        memcpy(s->typed + len, text, n); /* the rest is zero already */
}

static void rub_out(struct app *s)
{
    size_t len = strlen(s->typed);
    if (!len)
        s->mode = MODE_MAIN;
    while (len && (s->typed[len - 1] & 0xc0) == 0x80)
        s->typed[--len] = '\0';
    if (len)
        s->typed[len - 1] = '\0';
}

static void typing(const struct program *p, struct app *s, int32_t key)
{
    if (key == K_ENTER || key == '\n') {
        s->mode = MODE_MAIN;
        if (s->typed[0])
            memcpy(s->query, s->typed, sizeof s->query); /* an empty line repeats the last search */
        if (s->query[0])
            first_match(p, s);
    } else if (key == K_ESC) {
        s->mode = MODE_MAIN;
    } else if (key == K_CTRL_C) {
        s->want = WANT_QUIT;
    } else if (key == K_BACKSPACE || key == 8) {
        rub_out(s);
    } else if (key == K_CTRL_U) {
        memset(s->typed, 0, sizeof s->typed);
    } else if (key >= ' ' && key < K_LEFT) {
        type(s, (uint32_t)key);
    }
}

/* ---- Commands ---- */

static void scroll_help(const struct program *p, struct app *s, int64_t by)
{
    int most = help_lines(p, s->cols) - help_height(s->rows);
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

static void in_main(const struct program *p, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_STEP_BACK: go(p, s, -1); break;
    case CMD_STEP_ON: go(p, s, 1); break;
    case CMD_ROW_UP: choose(p, s, -1, -1); break;
    case CMD_ROW_DOWN: choose(p, s, 1, -1); break;
    case CMD_PAGE_BACK: page(p, s, -1); break;
    case CMD_PAGE_ON: page(p, s, 1); break;
    case CMD_FIRST: ends(p, s, -1); break;
    case CMD_LAST: ends(p, s, 1); break;
    case CMD_PEAK: s->step = p->peak; break;
    case CMD_FOCUS: s->focus = s->focus == FOCUS_CHART ? FOCUS_TABLE : FOCUS_CHART; break;
    case CMD_SORT: s->sort = (s->sort + 1) % SORT_COUNT; break;
    case CMD_SEARCH:
        s->mode = MODE_SEARCH;
        memset(s->typed, 0, sizeof s->typed);
        break;
    case CMD_NEXT: next_match(p, s, false); break;
    case CMD_PREVIOUS: next_match(p, s, true); break;
    case CMD_HELP:
        s->mode = MODE_HELP;
        s->help_top = 0;
        break;
    case CMD_CLOSE: memset(s->query, 0, sizeof s->query); break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    case CMD_NONE: break;
    }
}

static void on_key(const struct program *p, struct app *s, int32_t key)
{
    struct layout l = layout_of(p, s);
    if (l.small && key != 'q' && key != K_CTRL_C)
        return;
    if (l.small)
        s->want = WANT_QUIT;
    else if (s->mode == MODE_SEARCH)
        typing(p, s, key);
    else if (s->mode == MODE_HELP)
        in_help(p, s, keys_command(key, IN_HELP));
    else
        in_main(p, s, keys_command(key, s->focus == FOCUS_CHART ? IN_CHART : IN_TABLE));
}

/* ---- The mouse ---- */

/* The step with the most live bytes in a column, so that a click on a spike finds it. */
static uint32_t step_at(const struct program *p, struct rect plot, int x)
{
    uint32_t first, last;
    plot_steps(p, plot.w, x - plot.x, &first, &last);
    uint32_t best = first;
    for (uint32_t t = first; t <= last && t <= p->steps; t++)
        if (p->live[t] > p->live[best])
            best = t;
    return best;
}

static void on_click(const struct program *p, struct app *s, int x, int y)
{
    struct layout l = layout_of(p, s);
    struct rect steps = l.plot;
    steps.h = l.life.y + l.life.h - l.plot.y;
    if (rect_has(l.chart, x, y))
        s->focus = FOCUS_CHART;
    if (rect_has(l.table, x, y))
        s->focus = FOCUS_TABLE;
    if (rect_has(steps, x, y))
        s->step = step_at(p, l.plot, x);
    if (rect_has(l.list, x, y))
        choose(p, s, 0, y - l.list.y);
}

static void on_wheel(const struct program *p, struct app *s, struct msg m)
{
    struct layout l = layout_of(p, s);
    int sign = m.kind == MSG_WHEEL_UP ? -1 : 1;
    if (s->mode == MODE_HELP)
        scroll_help(p, s, sign * WHEEL_ROWS);
    else if (rect_has(l.table, m.col, m.row))
        choose(p, s, sign * WHEEL_ROWS, -1);
    else if (rect_has(l.chart, m.col, m.row))
        go(p, s, sign * (int64_t)(p->steps / (uint32_t)l.plot.w + 1)); /* one column */
}

struct app app_update(const struct program *p, struct app s, struct msg m)
{
    bool moves = m.kind == MSG_KEY || m.kind == MSG_CLICK;
    if (moves)
        s.notice = NOTICE_NONE;
    switch (m.kind) {
    case MSG_KEY: on_key(p, &s, m.key); break;
    case MSG_CLICK:
        if (s.mode == MODE_MAIN)
            on_click(p, &s, m.col, m.row);
        break;
    case MSG_WHEEL_UP: case MSG_WHEEL_DOWN:
        if (s.mode != MODE_SEARCH)
            on_wheel(p, &s, m);
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
    unsigned here = s->mode == MODE_HELP         ? IN_HELP
                    : s->focus == FOCUS_CHART ? IN_CHART
                                              : IN_TABLE;
    if (!(b->scope & here))
        return false;
    if (here == IN_HELP)
        return b->cmd != CMD_ROW_UP || help_lines(p, s->cols) > help_height(s->rows);
    switch (b->cmd) {
    case CMD_STEP_BACK: case CMD_STEP_ON: return p->steps > 0;
    case CMD_PAGE_BACK: case CMD_PAGE_ON: case CMD_LAST:
        return here == IN_TABLE ? p->n > 1 : p->steps > 1;
    case CMD_PEAK: return s->step != p->peak;
    case CMD_ROW_UP: case CMD_ROW_DOWN: case CMD_SORT: return p->n > 1;
    case CMD_SEARCH: return p->n > 0;
    case CMD_NEXT: case CMD_PREVIOUS: return s->query[0] != '\0';
    default: return true;
    }
}
