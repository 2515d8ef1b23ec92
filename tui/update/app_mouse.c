/* What the mouse does. */
#include "tui/update/update_parts.h"

#define WHEEL_ROWS 3

/* Where a column of the chart stands for a time. */
static struct rect time_part(const struct layout *l)
{
    struct rect part = l->bars.area;
    part.h = l->bars.life.y + l->bars.life.h - part.y;
    return part;
}

void mouse_drag(const struct program *p, struct memo *memo, struct app *s, const struct msg *m)
{
    struct layout l = layout_of(p, s);
    struct rect part = time_part(&l);
    if (s->mode == MODE_MAIN && s->lesson != LESSON_OPEN && !s->commanding && rect_has(part, m->from_col, m->from_row))
        time_drag(p, memo, s, m->from_col - part.x, m->col - part.x);
}

static void click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct layout l = layout_of(p, s);
    struct rect steps = time_part(&l);
    if (rect_has(l.chart, x, y))
        focus_on(p, memo, s, FOCUS_CHART);
    if (rect_has(l.table, x, y))
        focus_on(p, memo, s, FOCUS_TABLE);
    if (rect_has(l.map, x, y)) {
        if (!s->map)
            focus_on(p, memo, s, FOCUS_MAP);
        map_click(p, memo, s, x, y);
    }
    if (rect_has(steps, x, y)) {
        s->selects = false;
        go_column(p, memo, s, x - l.bars.area.x);
    }
    if (rect_has(l.list, x, y))
        choose(p, memo, s, 0, y - l.list.y);
}

void mouse_wheel(const struct program *p, struct memo *memo, struct app *s, struct msg m)
{
    struct layout l = layout_of(p, s);
    int sign = m.kind == MSG_WHEEL_UP || m.kind == MSG_WHEEL_LEFT ? -1 : 1;
    bool across = m.kind == MSG_WHEEL_LEFT || m.kind == MSG_WHEEL_RIGHT;
    bool chart = rect_has(l.chart, m.col, m.row), map = rect_has(l.map, m.col, m.row);
    if (s->commanding || s->mode == MODE_SEARCH || (across && s->mode != MODE_MAIN))
        return;
    if (s->mode == MODE_HELP)
        scroll_help(p, s, sign * WHEEL_ROWS);
    else if (s->lesson == LESSON_OPEN)
        lesson_wheel(p, memo, s, sign * WHEEL_ROWS);
    else if (s->mode == MODE_PAGE)
        page_scroll(p, memo, s, sign * WHEEL_ROWS);
    else if (s->mode == MODE_COMPARE)
        compare_scroll(p, memo, s, sign * WHEEL_ROWS);
    else if (s->mode == MODE_FILTER)
        menu_scroll(p, memo, s, sign * WHEEL_ROWS);
    else if (rect_has(l.table, m.col, m.row) && !across)
        choose(p, memo, s, sign * WHEEL_ROWS, -1);
    else if (chart && across)
        go(p, memo, s, sign, (app_window(p, memo, s, s->clock).n - 1) / (uint64_t)l.bars.area.w + 1);
    else if (map && across)
        stand(p, memo, s, (uint32_t)clock_moved(s->step, (uint64_t)p->steps + 1, sign,
                                                (app_window(p, memo, s, CLOCK_PROGRAM).n - 1) / (uint64_t)l.cells.area.w + 1));
    else if (chart)
        time_wheel(p, memo, s, s->clock, l.bars.area, m.col - l.bars.area.x, sign < 0);
    else if (map)
        time_wheel(p, memo, s, CLOCK_PROGRAM, l.cells.area, m.col - l.cells.area.x, sign < 0);
}

void mouse_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    s->pending = PENDING_NONE;
    s->count = 0;
    if (s->commanding)
        return;
    if (s->lesson == LESSON_OPEN)
        lesson_click(p, memo, s, x, y);
    else if (s->mode == MODE_MAIN)
        click(p, memo, s, x, y);
    else if (s->mode == MODE_PAGE)
        page_click(p, memo, s, x, y);
    else if (s->mode == MODE_GRID)
        cells_click(p, memo, s, x, y);
    else if (s->mode == MODE_COMPARE)
        compare_click(p, memo, s, x, y);
    else if (s->mode == MODE_FILTER)
        menu_click(p, memo, s, x, y);
}
