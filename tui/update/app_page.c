/* Pages of explanations: which is open, its selected line, and where that leads. */
#include "tui/update/update_parts.h"

struct opened_page {
    const struct page *page;
    struct page_columns columns;
    int height; /* rows shown */
};

static struct opened_page page_here(const struct program *p, struct memo *memo, const struct app *s)
{
    struct layout l = layout_of(p, s);
    struct opened_page o = {.page = app_page(p, memo, s), .height = l.page_list.h};
    o.columns = page_columns_of(o.page, l.page_list.w);
    return o;
}

/* Line `at`, or the next one in a direction that is no title; `or` when there is none. */
static uint32_t line_near(const struct page *pg, int64_t at, int sign, uint32_t or)
{
    int64_t n = pg->lines.n;
    at = at < 0 ? 0 : at >= n ? n - 1 : at;
    while (at >= 0 && at < n && page_line(pg, (uint32_t)at)->kind == LINE_TITLE)
        at += sign;
    return at >= 0 && at < n ? (uint32_t)at : or;
}

static void select_line(struct app *s, const struct opened_page *o, int64_t at, int sign)
{
    if (!o->page->lines.n)
        return;
    s->page_line = line_near(o->page, at, sign, s->page_line);
    s->page_top = page_top_of(o->page, &o->columns, s->page_line, s->page_top, o->height);
}

void page_open(const struct program *p, struct memo *memo, struct app *s, enum page_kind kind)
{
    if (kind == PAGE_BUFFER && choose_held(p, memo, s) == BUF_NONE)
        return;
    s->mode = MODE_PAGE;
    s->page = kind;
    s->page_line = 0;
    s->page_top = 0;
    if (kind == PAGE_STEP && s->other && !memo->other)
        s->want = WANT_OTHER;
    struct opened_page o = page_here(p, memo, s);
    select_line(s, &o, 0, 1);
}

void go_to(const struct program *p, struct memo *memo, struct app *s, buf_id b, uint32_t step)
{
    s->mode = MODE_MAIN;
    if (b != BUF_NONE) {
        s->chosen = b;
        if (step == STEP_NONE && !alive_at(p, b, s->step))
            step = p->start[b];
    }
    if (step != STEP_NONE)
        stand(p, memo, s, step <= p->steps ? step : p->steps);
    if (b != BUF_NONE)
        show_row(p, memo, s, b);
    choose(p, memo, s, 0, -1);
}

void page_return(const struct program *p, struct memo *memo, struct app *s, uint32_t line, int top)
{
    page_open(p, memo, s, s->page);
    if (s->mode != MODE_PAGE)
        return;
    struct opened_page o = page_here(p, memo, s);
    s->page_top = top < 0 ? 0 : top;
    select_line(s, &o, line, 1);
}

/* The page leads to a buffer, a step, or both. */
static void follow(const struct program *p, struct memo *memo, struct app *s, const struct line *l)
{
    if (!page_leads(l)) {
        s->notice = NOTICE_NOWHERE;
        return;
    }
    if (s->page == PAGE_RUN) {
        run_follow(p, memo, s, l);
        return;
    }
    go_to(p, memo, s, l->buffer, l->step);
}

struct app app_jump(const struct program *p, struct memo *memo, struct app s, buf_id b)
{
    s.map = false;
    go_to(p, memo, &s, b, alive_at(p, b, p->peak) ? p->peak : STEP_NONE);
    return s;
}

/* One page of rows up or down: what was the last row is then the first, or the other way round. */
static void turn(struct app *s, const struct opened_page *o, int sign)
{
    int by = sign * (o->height > 1 ? o->height - 1 : 1);
    int row = page_row_of(o->page, &o->columns, s->page_line) + by;
    s->page_top = page_top_of(o->page, &o->columns, s->page_line, s->page_top, o->height) + by;
    if (s->page_top < 0)
        s->page_top = 0;
    uint32_t at = page_line_at(o->page, &o->columns, row < 0 ? 0 : row);
    select_line(s, o, at == s->page_line ? (int64_t)at + sign : at, sign);
}

void page_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by)
{
    struct opened_page o = page_here(p, memo, s);
    select_line(s, &o, (int64_t)s->page_line + by, by < 0 ? -1 : 1);
}

/* To the first line of the next section, or of this one, then of the one before. */
static void section(struct app *s, const struct opened_page *o, int sign)
{
    const struct page *pg = o->page;
    int64_t at = s->page_line, n = pg->lines.n;
    if (sign < 0)
        at -= at > 0 && page_line(pg, (uint32_t)at - 1)->kind == LINE_TITLE ? 2 : 0;
    while (at > 0 && at < n && page_line(pg, (uint32_t)at)->kind != LINE_TITLE)
        at += sign;
    if (at >= n)
        return;
    select_line(s, o, at, 1);
    int all = page_height(pg, &o->columns), row = page_row_of(pg, &o->columns, (uint32_t)(at < 0 ? 0 : at));
    int most = all > o->height ? all - o->height : 0;
    s->page_top = row < most ? row : most; /* its title stands on top */
}

void page_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    struct opened_page o = page_here(p, memo, s);
    switch (cmd) {
    case CMD_ROW_UP: page_scroll(p, memo, s, -(int64_t)times_of(s)); break;
    case CMD_ROW_DOWN: page_scroll(p, memo, s, times_of(s)); break;
    case CMD_LOOP_BACK: section(s, &o, -1); break;
    case CMD_LOOP_ON: section(s, &o, 1); break;
    case CMD_PAGE_BACK: turn(s, &o, -1); break;
    case CMD_PAGE_ON: turn(s, &o, 1); break;
    case CMD_FIRST: select_line(s, &o, 0, 1); break;
    case CMD_LAST: select_line(s, &o, UINT32_MAX, -1); break;
    case CMD_CHOOSE:
        if (s->page_line < o.page->lines.n)
            follow(p, memo, s, page_line(o.page, s->page_line));
        break;
    case CMD_LONGER: case CMD_SHORTER: case CMD_UNROLL: case CMD_ROLL: case CMD_TARGET: case CMD_GRID:
    case CMD_COMPARE:
        form_command(p, memo, s, cmd);
        break;
    case CMD_LESSON: lesson_ask(s); break;
    case CMD_RUN: run_again(p, memo, s); break;
    case CMD_CLOSE: s->mode = MODE_MAIN; break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

void page_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct rect list = layout_of(p, s).page_list;
    struct opened_page o = page_here(p, memo, s);
    int row = y - list.y + page_top_of(o.page, &o.columns, s->page_line, s->page_top, o.height);
    if (!rect_has(list, x, y) || row >= page_height(o.page, &o.columns))
        return;
    uint32_t k = page_line_at(o.page, &o.columns, row);
    select_line(s, &o, k, 1);
    if (s->page_line == k)
        follow(p, memo, s, page_line(o.page, k));
}
