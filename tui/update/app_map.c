/* What keys and clicks do in the map.  Its cursor is a step and an offset in the allocation. */
#include "tui/update/update_parts.h"

void map_hold(const struct program *p, struct memo *memo, struct app *s)
{
    if (s->group == GROUP_NONE && has_map(p))
        choose_held(p, memo, s);
    struct map_place at = app_map(p, memo, s);
    s->group = at.group;
    s->offset = at.offset;
    s->chosen = at.chosen;
    if (s->group == GROUP_NONE) { /* nothing is alive here */
        s->group = map_group_next(p, GROUP_NONE, false);
        s->offset = 0;
    }
}

static struct map_scale scale_of(const struct program *p, const struct app *s)
{
    struct layout l = layout_of(p, s);
    return map_scale_of(p, s->group, l.cells.area.h);
}

static void go_row(const struct map_scale *sc, struct app *s, int by)
{
    uint64_t low, high;
    for (int row = map_row(sc, s->offset) + by; row >= 0 && row < sc->used; row += by) {
        map_range(sc, row, &low, &high);
        if (map_row(sc, low) == row) { /* rows of less than a byte may hold none */
            s->offset = low;
            return;
        }
    }
}

/* The next buffer that lies at the cursor. */
static void choose_here(const struct program *p, const struct map_scale *sc, struct app *s)
{
    int row = map_row(sc, s->offset);
    uint32_t n = map_at(p, s->group, sc, row, s->step, NULL, 0, 0);
    uint32_t at = map_number(p, s->group, sc, row, s->step, s->chosen);
    if (n)
        map_at(p, s->group, sc, row, s->step, &s->chosen, at == UINT32_MAX ? 0 : (at + 1) % n, 1);
}

void map_command(const struct program *p, struct app *s, enum cmd cmd)
{
    struct map_scale sc = scale_of(p, s);
    if (s->group == GROUP_NONE)
        return;
    switch (cmd) {
    case CMD_ROW_UP: go_row(&sc, s, 1); break;
    case CMD_ROW_DOWN: go_row(&sc, s, -1); break;
    case CMD_CHOOSE: choose_here(p, &sc, s); break;
    case CMD_BIGGER: case CMD_SMALLER:
        s->group = map_group_next(p, s->group, cmd == CMD_BIGGER);
        s->offset = s->chosen != BUF_NONE && program_group(p, s->chosen) == s->group
                        ? p->offset[s->chosen]
                        : 0;
        break;
    default: break;
    }
}

void map_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct layout l = layout_of(p, s);
    struct rect area = l.cells.area, time = area;
    struct map_scale sc = scale_of(p, s);
    int row = area.y + area.h - 1 - y;
    uint64_t low, high, first, last;
    time.h = l.cells.life.y + l.cells.life.h - time.y;
    if (s->group == GROUP_NONE)
        return;
    if (rect_has(area, x, y) && row < sc.used) {
        map_range(&sc, row, &low, &high);
        s->offset = low;
    }
    row = map_row(&sc, s->offset);
    if (rect_has(time, x, y)) {
        window_units(app_window(p, memo, s, CLOCK_PROGRAM), area.w, x - area.x, &first, &last);
        stand(p, memo, s, map_step(p, s->group, &sc, row, (uint32_t)first, (uint32_t)last, s->step));
    } else if (rect_has(l.here, x, y)) {
        uint32_t at = map_number(p, s->group, &sc, row, s->step, s->chosen);
        map_at(p, s->group, &sc, row, s->step, &s->chosen,
               map_list_top(at, l.here.h) + (uint32_t)(y - l.here.y), 1);
    }
}
