#include "tui/lists/picker.h"

#include "tui/model/layout.h"
#include "tui/model/search.h"

#include <stdlib.h>
#include <string.h>

#define WHEEL_ROWS 3

/* ---- The list ---- */

static uint64_t bound(const struct pick *p)
{
    return p->state == PICK_LOADED ? p->peak : p->reserved;
}

/* 0: known, 1: not, 2: broken */
static int class_of(const struct pick *p)
{
    return p->state == PICK_BROKEN ? 2 : p->state == PICK_LOADED || p->has_reserved ? 0 : 1;
}

static int by_bound(const void *a, const void *b)
{
    const struct pick *x = a, *y = b;
    if (class_of(x) != class_of(y))
        return class_of(x) - class_of(y);
    if (bound(x) != bound(y))
        return bound(x) > bound(y) ? -1 : 1;
    if ((x->state == PICK_LOADED) != (y->state == PICK_LOADED))
        return x->state == PICK_LOADED ? -1 : 1; /* the other is at most as large */
    int by_label = strcmp(x->label, y->label);
    return by_label ? by_label : x->entry < y->entry ? -1 : x->entry > y->entry;
}

void picks_sort(struct picks *p)
{
    if (p->n)
        qsort(p->items, p->n, sizeof *p->items, by_bound);
}

bool picker_shows(const struct picks *p, const struct picker *s, uint32_t i)
{
    const char *platform = platform_name(p->items[i].platform);
    return !s->filter[0] || search_in(p->items[i].label, s->filter) ||
           (platform && strcmp(platform, s->filter) == 0);
}

uint32_t picker_count(const struct picks *p, const struct picker *s, uint32_t *row)
{
    uint32_t n = 0;
    *row = UINT32_MAX;
    for (uint32_t i = 0; i < p->n; i++)
        if (picker_shows(p, s, i)) {
            if (i == s->at)
                *row = n;
            n++;
        }
    return n;
}

uint32_t picker_top(const struct picker *s, uint32_t row, uint32_t n, int height)
{
    uint32_t h = height > 0 ? (uint32_t)height : 1, top = s->top;
    if (top + h > n)
        top = n > h ? n - h : 0;
    if (row < top)
        top = row;
    if (row != UINT32_MAX && row >= top + h)
        top = row - h + 1;
    return top;
}

/* ---- Moving ---- */

struct picker picker_start(int cols, int rows)
{
    return (struct picker){.cols = cols, .rows = rows};
}

struct rect picker_list(int cols, int rows)
{
    return (struct rect){0, 2, cols, rows > 4 ? rows - 4 : 0};
}

/* Selects row number `row` of those shown. */
static void select_row(const struct picks *p, struct picker *s, uint32_t row)
{
    uint32_t k = 0, n, at;
    for (uint32_t i = 0; i < p->n; i++)
        if (picker_shows(p, s, i) && k++ == row)
            s->at = i;
    n = picker_count(p, s, &at);
    s->top = picker_top(s, at, n, picker_list(s->cols, s->rows).h);
}

static void move(const struct picks *p, struct picker *s, int64_t by)
{
    uint32_t row, n = picker_count(p, s, &row);
    int64_t to = (row == UINT32_MAX ? 0 : (int64_t)row) + by;
    if (n)
        select_row(p, s, to < 0 ? 0 : to >= n ? n - 1 : (uint32_t)to);
}

static void page(const struct picks *p, struct picker *s, int sign)
{
    int h = picker_list(s->cols, s->rows).h;
    move(p, s, sign * (h > 1 ? h - 1 : 1));
}

static void open_selected(const struct picks *p, struct picker *s)
{
    uint32_t row;
    picker_count(p, s, &row);
    if (row == UINT32_MAX)
        return;
    s->refused = p->items[s->at].state == PICK_BROKEN;
    s->want = s->refused ? PICK_NOTHING : PICK_OPEN;
}

/* ---- Keys ---- */

static void type(const struct picks *p, struct picker *s, int32_t key)
{
    if (key == K_UP || key == K_DOWN) {
        move(p, s, key == K_UP ? -1 : 1);
        return;
    }
    switch (typing_key(s->filter, key)) {
    case TYPED_ENTER: s->typing = false; break;
    case TYPED_ESC:
        s->typing = false;
        memset(s->filter, 0, sizeof s->filter);
        break;
    case TYPED_QUIT: s->want = PICK_QUIT; break;
    case TYPED_MORE: break;
    }
    uint32_t row;
    if (picker_count(p, s, &row) && row == UINT32_MAX)
        select_row(p, s, 0);
    move(p, s, 0);
}

static void scroll_help(struct picker *s, int64_t by)
{
    struct help h = picker_help();
    int64_t most = help_lines(&h, s->cols) - help_height(s->rows), to = s->help_top + by;
    s->help_top = (int)(to < 0 || most < 0 ? 0 : to > most ? most : to);
}

static void in_help(struct picker *s, enum cmd cmd)
{
    int height = help_height(s->rows);
    switch (cmd) {
    case CMD_ROW_UP: scroll_help(s, -1); break;
    case CMD_ROW_DOWN: scroll_help(s, 1); break;
    case CMD_PAGE_BACK: scroll_help(s, -height); break;
    case CMD_PAGE_ON: scroll_help(s, height); break;
    case CMD_FIRST: s->help_top = 0; break;
    case CMD_LAST: scroll_help(s, INT32_MAX); break;
    case CMD_CLOSE: s->help = false; break;
    case CMD_QUIT: s->want = PICK_QUIT; break;
    default: break;
    }
}

static void in_list(const struct picks *p, struct picker *s, int32_t key)
{
    enum cmd cmd = keys_command(key, IN_PICKER);
    if (cmd == CMD_NONE || (cmd == CMD_CLOSE && !s->filter[0]))
        s->idle = key;
    switch (cmd) {
    case CMD_OPEN: open_selected(p, s); break;
    case CMD_ROW_UP: move(p, s, -1); break;
    case CMD_ROW_DOWN: move(p, s, 1); break;
    case CMD_PAGE_BACK: page(p, s, -1); break;
    case CMD_PAGE_ON: page(p, s, 1); break;
    case CMD_FIRST: move(p, s, -(int64_t)UINT32_MAX); break;
    case CMD_LAST: move(p, s, UINT32_MAX); break;
    case CMD_FILTER: s->typing = true; break;
    case CMD_CLOSE:
        memset(s->filter, 0, sizeof s->filter);
        move(p, s, 0);
        break;
    case CMD_HELP:
        s->help = true;
        s->help_top = 0;
        break;
    case CMD_QUIT: s->want = PICK_QUIT; break;
    default: break;
    }
}

static bool is_small(const struct picker *s)
{
    return s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS;
}

static void on_key(const struct picks *p, struct picker *s, int32_t key)
{
    if (is_small(s))
        s->want = key == 'q' || key == K_CTRL_C ? PICK_QUIT : PICK_NOTHING;
    else if (s->typing)
        type(p, s, key);
    else if (s->help)
        in_help(s, keys_command(key, IN_HELP));
    else
        in_list(p, s, key);
}

/* A click selects, one on the selected row opens it. */
static void on_click(const struct picks *p, struct picker *s, int x, int y)
{
    struct rect list = picker_list(s->cols, s->rows);
    uint32_t at, n = picker_count(p, s, &at);
    uint32_t row = picker_top(s, at, n, list.h) + (uint32_t)(y - list.y);
    if (is_small(s) || s->help || !rect_has(list, x, y) || row >= n)
        return;
    s->typing = false;
    if (row == at)
        open_selected(p, s);
    else
        select_row(p, s, row);
}

struct picker picker_update(const struct picks *p, struct picker s, struct msg m)
{
    if (m.kind == MSG_KEY || m.kind == MSG_CLICK) {
        s.refused = false;
        s.idle = 0;
    }
    switch (m.kind) {
    case MSG_KEY: on_key(p, &s, m.key); break;
    case MSG_CLICK: on_click(p, &s, m.col, m.row); break;
    case MSG_WHEEL_UP: case MSG_WHEEL_DOWN: {
        int by = m.kind == MSG_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
        if (s.help)
            scroll_help(&s, by);
        else if (!is_small(&s))
            move(p, &s, by);
        break;
    }
    case MSG_RESIZE:
        s.cols = m.cols > 0 ? m.cols : 1;
        s.rows = m.rows > 0 ? m.rows : 1;
        scroll_help(&s, 0);
        break;
    case MSG_WHEEL_LEFT: case MSG_WHEEL_RIGHT: case MSG_DRAG: case MSG_NONE: break;
    }
    return s;
}

bool picker_can(const struct picker *s, const struct binding *b, uint32_t row, uint32_t n)
{
    if (!(b->scope & (s->help ? IN_HELP : IN_PICKER)))
        return false;
    if (s->help) {
        struct help h = picker_help();
        return b->cmd != CMD_ROW_UP || help_lines(&h, s->cols) > help_height(s->rows);
    }
    switch (b->cmd) {
    case CMD_OPEN: return row != UINT32_MAX;
    case CMD_CLOSE: return s->filter[0] != '\0';
    case CMD_PAGE_BACK: case CMD_PAGE_ON: return n > (uint32_t)picker_list(s->cols, s->rows).h;
    case CMD_ROW_UP: case CMD_LAST: return n > 1;
    default: return true;
    }
}
