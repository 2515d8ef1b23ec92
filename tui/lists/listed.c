#include "tui/lists/listed_columns.h"

#include "tui/model/layout.h"

#include <string.h>

#define WHEEL_ROWS 3
#define HEAD_ROWS  7 /* header, answer, bar, rule, titles */
#define FOOT_ROWS  5 /* the selected row in full, what is missing, keys */

/* ---- Data ---- */

void listed_make(struct listed_data *d, const struct listing *l, const char *name, const char *file,
                 enum platform platform, uint64_t limit)
{
    static const enum listing_by by[LISTED_ROWS] = {
        [LISTED_LINES] = LISTING_BY_LINE, [LISTED_KINDS] = LISTING_BY_KIND,
        [LISTED_SHAPES] = LISTING_BY_SHAPE, [LISTED_OPS] = LISTING_BY_OP};
    *d = (struct listed_data){.listing = l, .name = name, .file = file, .platform = platform};
    struct arena *a = &d->arena;
    listing_fit(&d->fit, l, limit, a);
    d->order = listing_by_size(l, a);
    d->whole = listing_whole(l);
    d->goes = arena_array(a, (size_t)l->buffers.n + 1, sizeof *d->goes);
    for (uint32_t k = 0; k < d->fit.n_go; k++)
        d->goes[d->fit.go[k].buffer] = true;
    for (int k = LISTED_LINES; k <= LISTED_OPS; k++)
        d->groups[k] = listing_groups(l, by[k], &d->n[k], a);
    d->n[LISTED_BUFFERS] = l->buffers.n;
    d->n[LISTED_FIGURES] = l->figures.n;
    listed_measure(d);
    *(const char **)list_add(a, &d->notes, sizeof(char *)) = listing_lacks;
}

void listed_free(struct listed_data *d)
{
    arena_free(&d->arena);
    *d = (struct listed_data){0};
}

/* ---- Moving ---- */

struct listed listed_start(int cols, int rows, bool several)
{
    return (struct listed){.cols = cols, .rows = rows, .several = several};
}

struct rect listed_list(int cols, int rows)
{
    int h = rows - HEAD_ROWS - FOOT_ROWS;
    return (struct rect){0, HEAD_ROWS, cols, h > 0 ? h : 0};
}

static bool is_small(const struct listed *s)
{
    return s->cols < SCREEN_COLS || s->rows < HEAD_ROWS + FOOT_ROWS + 1;
}

static void move_to(const struct listed_data *d, struct listed *s, int64_t to)
{
    int64_t n = d->n[s->by], height = listed_list(s->cols, s->rows).h;
    to = to >= n ? n - 1 : to;
    to = to < 0 ? 0 : to;
    int64_t top = s->top;
    if (top + height > n)
        top = n - height;
    if (to >= top + height)
        top = to - height + 1;
    if (to < top)
        top = to;
    s->at = (uint32_t)to;
    s->top = (uint32_t)(top < 0 ? 0 : top);
}

/* The next way to gather the rows; a way without rows, or one row for all, says nothing. */
static void gather(const struct listed_data *d, struct listed *s)
{
    do
        s->by = (enum listed_rows)((s->by + 1) % LISTED_ROWS);
    while (s->by != LISTED_BUFFERS &&
           (!d->n[s->by] || (d->groups[s->by] && d->n[s->by] == 1 && !d->groups[s->by][0].name)));
    s->at = s->top = 0;
}

/* From a group to the largest of its buffers. */
static void enter_group(const struct listed_data *d, struct listed *s)
{
    if (!d->groups[s->by] || s->at >= d->n[s->by])
        return;
    uint32_t buffer = d->groups[s->by][s->at].largest, k = 0;
    while (k < d->n[LISTED_BUFFERS] && d->order[k] != buffer)
        k++;
    s->by = LISTED_BUFFERS;
    s->top = 0;
    move_to(d, s, k);
}

/* ---- Keys ---- */

struct help listed_help(const struct listed_data *d, bool several)
{
    static const struct sign signs[] = {
        {"x", "of the smallest set that would have to go for it to fit"},
        {"x12.6", "its layout's padding makes it so many times larger"},
        {"█ ▓ │", "what is needed; what of it is too much; what there is"},
        {"~", "rounded in the log; else the shape or the log tells the very bytes"},
    };
    struct help h = {.signs = signs, .n_signs = sizeof signs / sizeof *signs, .notes = &d->notes};
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++)
        h.show[i] = bindings[i].scope & IN_LISTING && (several || bindings[i].cmd != CMD_MODULES);
    return h;
}

static void scroll_help(const struct listed_data *d, struct listed *s, int64_t by)
{
    struct help h = listed_help(d, s->several);
    int64_t most = help_lines(&h, s->cols) - help_height(s->rows), to = s->help_top + by;
    s->help_top = (int)(to < 0 || most < 0 ? 0 : to > most ? most : to);
}

static void in_help(const struct listed_data *d, struct listed *s, enum cmd cmd)
{
    int height = help_height(s->rows);
    switch (cmd) {
    case CMD_ROW_UP: scroll_help(d, s, -1); break;
    case CMD_ROW_DOWN: scroll_help(d, s, 1); break;
    case CMD_PAGE_BACK: scroll_help(d, s, -height); break;
    case CMD_PAGE_ON: scroll_help(d, s, height); break;
    case CMD_FIRST: s->help_top = 0; break;
    case CMD_LAST: scroll_help(d, s, INT32_MAX); break;
    case CMD_CLOSE: s->help = false; break;
    case CMD_QUIT: s->want = LISTED_QUIT; break;
    default: break;
    }
}

/* Does this command do something now? */
static bool does(const struct listed_data *d, const struct listed *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_NONE: return false;
    case CMD_MODULES: return s->several;
    case CMD_CHOOSE: return d->groups[s->by] != NULL;
    case CMD_CLOSE: return s->by != LISTED_BUFFERS || s->several;
    default: return true;
    }
}

static void in_rows(const struct listed_data *d, struct listed *s, int32_t key)
{
    enum cmd cmd = keys_command(key, IN_LISTING);
    int64_t page = listed_list(s->cols, s->rows).h - 1;
    page = page < 1 ? 1 : page;
    s->idle = does(d, s, cmd) ? 0 : key;
    if (s->idle)
        return;
    switch (cmd) {
    case CMD_ROW_UP: move_to(d, s, (int64_t)s->at - 1); break;
    case CMD_ROW_DOWN: move_to(d, s, (int64_t)s->at + 1); break;
    case CMD_PAGE_BACK: move_to(d, s, (int64_t)s->at - page); break;
    case CMD_PAGE_ON: move_to(d, s, (int64_t)s->at + page); break;
    case CMD_FIRST: move_to(d, s, 0); break;
    case CMD_LAST: move_to(d, s, UINT32_MAX); break;
    case CMD_FLIP: gather(d, s); break;
    case CMD_CHOOSE: enter_group(d, s); break;
    case CMD_CLOSE:
        if (s->by == LISTED_BUFFERS)
            s->want = LISTED_MODULES;
        s->by = LISTED_BUFFERS;
        move_to(d, s, 0);
        break;
    case CMD_MODULES: s->want = LISTED_MODULES; break;
    case CMD_HELP:
        s->help = true;
        s->help_top = 0;
        break;
    case CMD_QUIT: s->want = LISTED_QUIT; break;
    default: break;
    }
}

static void on_key(const struct listed_data *d, struct listed *s, int32_t key)
{
    if (is_small(s))
        s->want = key == 'q' || key == K_CTRL_C ? LISTED_QUIT : LISTED_NOTHING;
    else if (s->help)
        in_help(d, s, keys_command(key, IN_HELP));
    else
        in_rows(d, s, key);
}

struct listed listed_update(const struct listed_data *d, struct listed s, struct msg m)
{
    struct rect list = listed_list(s.cols, s.rows);
    int by = m.kind == MSG_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
    switch (m.kind) {
    case MSG_KEY: on_key(d, &s, m.key); break;
    case MSG_CLICK:
        if (!s.help && rect_has(list, m.col, m.row))
            move_to(d, &s, (int64_t)s.top + m.row - list.y);
        break;
    case MSG_WHEEL_UP: case MSG_WHEEL_DOWN:
        if (s.help)
            scroll_help(d, &s, by);
        else if (!is_small(&s))
            move_to(d, &s, (int64_t)s.at + by);
        break;
    case MSG_RESIZE:
        s.cols = m.cols > 0 ? m.cols : 1;
        s.rows = m.rows > 0 ? m.rows : 1;
        scroll_help(d, &s, 0);
        move_to(d, &s, s.at);
        break;
    default: break;
    }
    return s;
}

bool listed_can(const struct listed_data *d, const struct listed *s, const struct binding *b)
{
    if (s->help)
        return b->scope & IN_HELP;
    if (!(b->scope & IN_LISTING))
        return false;
    uint32_t n = d->n[s->by];
    switch (b->cmd) {
    case CMD_PAGE_BACK: case CMD_PAGE_ON: return n > (uint32_t)listed_list(s->cols, s->rows).h;
    case CMD_ROW_UP: case CMD_LAST: return n > 1;
    case CMD_CLOSE: return s->by != LISTED_BUFFERS;
    default: return does(d, s, b->cmd);
    }
}
