/* Groups and filters of the table, and the menu in which a filter is chosen. */
#include "tui/update/update_parts.h"

#include <string.h>

/* ---- Groups ---- */

/* Where only one part is shown, the one that changes. */
static void show_table(const struct program *p, struct app *s)
{
    if (!layout_of(p, s).both)
        s->focus = FOCUS_TABLE;
}

void next_fold(const struct program *p, struct memo *memo, struct app *s)
{
    show_table(p, s);
    buf_id held = s->chosen; /* of its group, not the group's first: so it is selected again without groups */
    s->fold = (s->fold + 1) % FOLD_SHOWN;
    s->unfolded = KEY_NONE;
    s->on_group = s->fold != FOLD_NONE;
    choose(p, memo, s, 0, -1);
    s->chosen = held;
}

bool on_head(const struct program *p, struct memo *memo, const struct app *s)
{
    const struct alive *a = alive_here(p, memo, s);
    return a->n_groups && alive_line(a, app_row(s, a)).head;
}

bool unfold(const struct program *p, struct memo *memo, struct app *s)
{
    if (s->fold == FOLD_NONE || !on_head(p, memo, s))
        return false;
    const struct alive *a = alive_here(p, memo, s);
    uint32_t key = a->groups[alive_line(a, app_row(s, a)).group].key;
    s->chosen = alive_buffer(a, app_row(s, a));
    s->on_group = true;
    s->unfolded = s->unfolded == key ? KEY_NONE : key;
    choose(p, memo, s, 0, -1);
    return true;
}

void show_row(const struct program *p, struct memo *memo, struct app *s, buf_id b)
{
    filter_admit(&s->filter, p, b);
    s->on_group = false;
    if (s->fold == FOLD_NONE || !alive_at(p, b, s->step))
        return;
    const struct alive *a = alive_here(p, memo, s);
    s->chosen = b;
    s->unfolded = a->n_groups ? a->groups[alive_line(a, alive_find(a, b, true)).group].key : KEY_NONE;
}

/* ---- The menu ---- */

static void fill_menu(const struct program *p, struct memo *memo, const struct app *s)
{
    struct lapse when = app_lapse(p, memo, s);
    menu_get(&memo->menu, p, &when, s);
}

void menu_open(const struct program *p, struct memo *memo, struct app *s, enum filter_kind menu)
{
    s->mode = MODE_FILTER;
    s->menu = menu;
    fill_menu(p, memo, s);
    s->menu_line = menu_line_of(&memo->menu, p, s, s->chosen);
}

static void move_line(const struct program *p, struct memo *memo, struct app *s, int64_t by)
{
    fill_menu(p, memo, s);
    int64_t last = (int64_t)memo->menu.n - 1, to = (int64_t)s->menu_line + by;
    s->menu_line = to < 0 || last < 0 ? 0 : to > last ? (uint32_t)last : (uint32_t)to;
}

void menu_scroll(const struct program *p, struct memo *memo, struct app *s, int64_t by)
{
    move_line(p, memo, s, by);
}

static void choose_line(const struct program *p, struct memo *memo, struct app *s)
{
    fill_menu(p, memo, s);
    if (s->menu_line >= memo->menu.n)
        return;
    struct choice c = memo->menu.items[s->menu_line];
    if (s->menu == FILTER_KINDS) {
        buf_id held = choose_held(p, memo, s); /* the values begin at the selected row's */
        s->chosen = held;
        menu_open(p, memo, s, (enum filter_kind)c.value);
        return;
    }
    if (c.none)
        filter_drop(&s->filter, s->menu);
    else
        filter_set(&s->filter, s->menu, c.value);
    if (!c.none && s->menu == FILTER_SPACE)
        s->space = (uint32_t)c.value; /* its bytes are those that the title counts */
    s->mode = MODE_MAIN;
    show_table(p, s);
    choose(p, memo, s, 0, -1);
}

/* In the list of kinds each has a letter of its own. */
static bool is_kind(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    fill_menu(p, memo, s);
    for (uint32_t i = 0; s->menu == FILTER_KINDS && i < memo->menu.n; i++)
        if (filter_letter((enum filter_kind)memo->menu.items[i].value) == key) {
            s->menu_line = i;
            return true;
        }
    return false;
}

static void close_menu(const struct program *p, struct memo *memo, struct app *s)
{
    if (s->menu == FILTER_KINDS)
        s->mode = MODE_MAIN;
    else
        menu_open(p, memo, s, FILTER_KINDS);
}

void menu_key(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    int page = layout_of(p, s).list.h;
    if (is_kind(p, memo, s, key)) {
        choose_line(p, memo, s);
        return;
    }
    switch (keys_command(key, IN_MENU)) {
    case CMD_ROW_UP: move_line(p, memo, s, -1); break;
    case CMD_ROW_DOWN: move_line(p, memo, s, 1); break;
    case CMD_PAGE_BACK: move_line(p, memo, s, -page); break;
    case CMD_PAGE_ON: move_line(p, memo, s, page); break;
    case CMD_FIRST: s->menu_line = 0; break;
    case CMD_LAST: move_line(p, memo, s, UINT32_MAX); break;
    case CMD_CHOOSE: choose_line(p, memo, s); break;
    case CMD_WIDEN:
        s->filter = (struct filter){0};
        s->mode = MODE_MAIN;
        break;
    case CMD_CLOSE: close_menu(p, memo, s); break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

void menu_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct layout l = layout_of(p, s);
    fill_menu(p, memo, s);
    uint32_t line = menu_top(s, memo->menu.n, l.list.h) + (uint32_t)(y - l.list.y);
    if (!rect_has(l.list, x, y) || line >= memo->menu.n)
        return;
    s->menu_line = line;
    choose_line(p, memo, s);
}
