/* Two programs side by side: the selected line, and where it leads. */
#include "tui/update/update_parts.h"

#include "tui/model/compare.h"

/* Line `at`, or the next one that is no title. */
static void select_line(const struct program *p, struct memo *memo, struct app *s, int64_t at, int sign)
{
    const struct compare *c = memo->compare;
    struct compare_place place = compare_place_of(layout_of(p, s).page);
    int64_t n = c->lines.n;
    at = at < 0 ? 0 : at >= n ? n - 1 : at;
    while (at > 0 && at < n - 1 && compare_line(c, (uint32_t)at)->kind == COMPARE_TITLE)
        at += sign;
    if (at < 0 || compare_line(c, (uint32_t)at)->kind == COMPARE_TITLE)
        return;
    s->compare_line = (uint32_t)at;
    s->compare_top = (int)compare_top_of(c, s, place.list.h);
}

void compare_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by)
{
    if (memo->compare && memo->compare->lines.n)
        select_line(p, memo, s, (int64_t)s->compare_line + by, by < 0 ? -1 : 1);
}

static const struct diff_row *row_here(const struct memo *memo, const struct app *s)
{
    const struct compare *c = memo->compare;
    return s->compare_line < c->lines.n ? compare_line(c, s->compare_line)->row : NULL;
}

/* To the buffer of the line in the program that is shown. */
static void enter(const struct program *p, struct memo *memo, struct app *s)
{
    const struct diff_row *row = row_here(memo, s);
    if (!row)
        s->notice = NOTICE_NOWHERE;
    else if (row->side[1].n)
        *s = app_jump(p, memo, *s, row->side[1].largest);
    else
        s->notice = NOTICE_ELSEWHERE;
}

/* The other program is shown: at the line's buffer, or compared the other way round. */
static void flip(struct memo *memo, struct app *s)
{
    const struct diff_row *row = row_here(memo, s);
    s->jump = row && row->side[0].n ? row->side[0].largest : BUF_NONE;
    s->wanted = s->before;
    s->want = WANT_FORM;
}

void compare_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    int page = compare_place_of(layout_of(p, s).page).list.h;
    page = page > 1 ? page - 1 : 1;
    switch (cmd) {
    case CMD_ROW_UP: compare_scroll(p, memo, s, -(int)times_of(s)); break;
    case CMD_ROW_DOWN: compare_scroll(p, memo, s, (int)times_of(s)); break;
    case CMD_PAGE_BACK: compare_scroll(p, memo, s, -page); break;
    case CMD_PAGE_ON: compare_scroll(p, memo, s, page); break;
    case CMD_FIRST: compare_scroll(p, memo, s, INT32_MIN); break;
    case CMD_LAST: compare_scroll(p, memo, s, INT32_MAX); break;
    case CMD_CHOOSE: enter(p, memo, s); break;
    case CMD_FLIP: flip(memo, s); break;
    case CMD_LESSON: lesson_ask(s); break;
    case CMD_CLOSE: s->mode = MODE_MAIN; break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    case CMD_LONGER: case CMD_SHORTER: case CMD_UNROLL: case CMD_ROLL: case CMD_TARGET: case CMD_GRID:
        form_command(p, memo, s, cmd);
        break;
    default: break;
    }
}

void compare_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct rect list = compare_place_of(layout_of(p, s).page).list;
    if (!memo->compare || !rect_has(list, x, y))
        return;
    uint32_t k = compare_top_of(memo->compare, s, list.h) + (uint32_t)(y - list.y);
    if (k == s->compare_line)
        enter(p, memo, s);
    else if (k < memo->compare->lines.n)
        select_line(p, memo, s, k, 1);
}
