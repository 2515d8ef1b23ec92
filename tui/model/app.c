#include "tui/model/app.h"
#include "tui/model/layout.h"

static uint64_t peak_bytes(const struct program *p, uint32_t space)
{
    return p->spaces[space].live[p->spaces[space].peak];
}

#define LITTLE 16

struct app app_start(const struct program *p, struct memo *memo, int cols, int rows, uint64_t limit)
{
    struct app s = {.cols = cols, .rows = rows, .chosen = BUF_NONE, .group = GROUP_NONE,
                    .unfolded = KEY_NONE, .tab = -1, .pace = 2};
    s.limit = limit ? limit : p->module->device_memory;
    for (uint32_t k = 1; k < p->n_spaces; k++) /* what fits and explains is about, unless next to nothing is there */
        if (peak_bytes(p, k) / LITTLE > peak_bytes(p, 0) && peak_bytes(p, k) > peak_bytes(p, s.space))
            s.space = k;
    uint32_t peak = p->spaces[s.space].peak;
    stand(p, memo, &s, peak <= p->steps ? peak : p->steps);
    return s;
}

/* ---- Where it stands ---- */

const struct alive *alive_here(const struct program *p, struct memo *memo, const struct app *s)
{
    struct alive_ask ask = app_ask(p, memo, s);
    alive_get(&memo->alive, p, &ask);
    return &memo->alive;
}

bool alive_at(const struct program *p, buf_id b, uint32_t step)
{
    return b != BUF_NONE && p->start[b] <= step && step <= p->end[b];
}

void stand(const struct program *p, struct memo *memo, struct app *s, uint32_t step)
{
    const struct timeline *t = memo_timeline(memo, p);
    struct moment like = timeline_moment(t, s->at), m = clock_at_step(p, step, &like);
    s->step = step;
    s->at = timeline_at(t, &m);
}

void stand_at(const struct program *p, struct memo *memo, struct app *s, uint64_t at)
{
    s->at = at;
    s->step = timeline_moment(memo_timeline(memo, p), at).step;
}

/* ---- What it shows ---- */

struct moment app_here(const struct program *p, struct memo *memo, const struct app *s)
{
    struct moment like = timeline_moment(memo_timeline(memo, p), s->at);
    return clock_at_step(p, s->step, &like);
}

const struct page *app_page(const struct program *p, struct memo *memo, const struct app *s)
{
    uint32_t subject = s->page == PAGE_STEP ? s->step : s->page == PAGE_RUN ? s->run_number : s->chosen;
    if (s->page == PAGE_RUN)
        memo->page.overlay = memo_overlay(memo, p);
    return page_get(&memo->page, p, s->page, subject, s->other ? memo->other : NULL, s->limit);
}

uint64_t app_needed(const struct program *p, uint32_t space, bool *known)
{
    const struct program_space *s = &p->spaces[space];
    uint64_t need = program_need(p, known);
    return !*known ? s->live[s->peak] : space == 0 ? need : s->reserved;
}

struct alive_ask app_ask(const struct program *p, struct memo *memo, const struct app *s)
{
    return (struct alive_ask){.when = app_lapse(p, memo, s), .space = s->space, .sort = s->sort, .fold = s->fold,
                              .open = s->unfolded, .filter = s->filter};
}

uint32_t app_row(const struct app *s, const struct alive *a)
{
    return s->chosen == BUF_NONE ? 0 : alive_find(a, s->chosen, s->on_group);
}

uint32_t table_top(const struct app *s, const struct alive *a, int height)
{
    uint32_t h = height > 0 ? (uint32_t)height : 1, row = app_row(s, a), top = s->top, n = alive_lines(a);
    if (top + h > n)
        top = n > h ? n - h : 0;
    if (row < top)
        top = row;
    if (row >= top + h)
        top = row - h + 1;
    return top;
}

struct map_place app_map(const struct program *p, struct memo *memo, const struct app *s)
{
    struct map_place at = {s->group, s->offset, s->chosen};
    if (s->group != GROUP_NONE || !has_map(p))
        return at;
    const struct alive *a = alive_here(p, memo, s);
    if (!a->n)
        return at;
    at.chosen = alive_buffer(a, app_row(s, a));
    at.group = program_group(p, at.chosen);
    at.offset = p->offset[at.chosen];
    return at;
}

enum focus app_next_focus(const struct program *p, const struct app *s)
{
    enum focus next = (s->focus + 1) % FOCUS_COUNT;
    return next == FOCUS_MAP && !has_panel(p, s) ? FOCUS_TABLE : next;
}

bool app_types(const struct app *s)
{
    return s->mode == MODE_SEARCH || s->commanding || s->pending;
}

unsigned app_scope(const struct program *p, const struct app *s)
{
    if (s->mode == MODE_HELP)
        return IN_HELP;
    if (s->lesson == LESSON_OPEN)
        return IN_LESSON;
    if (s->mode == MODE_PAGE)
        return IN_PAGE;
    if (s->mode == MODE_GRID)
        return IN_GRID;
    if (s->mode == MODE_COMPARE)
        return IN_COMPARE;
    if (s->mode == MODE_FILTER)
        return IN_MENU;
    if (s->map)
        return IN_MAP;
    if (s->focus == FOCUS_MAP && has_panel(p, s))
        return IN_PANEL;
    return s->focus == FOCUS_TABLE ? IN_TABLE : IN_CHART;
}

struct window app_window(const struct program *p, struct memo *memo, const struct app *s, enum clock c)
{
    return window_within(s->zoom[c], clock_units(memo_timeline(memo, p), c));
}

bool app_range(const struct app *s, uint64_t *first, uint64_t *last)
{
    uint64_t at = app_unit(s);
    *first = s->selects && s->anchor < at ? s->anchor : at;
    *last = s->selects && s->anchor > at ? s->anchor : at;
    return s->selects;
}

struct lapse app_lapse(const struct program *p, struct memo *memo, const struct app *s)
{
    uint64_t first, last;
    if (!app_range(s, &first, &last))
        return (struct lapse){.step = s->step};
    return lapse_of(memo_timeline(memo, p), s->clock, first, last, s->space);
}

static const struct {
    int ms;
    const char *words;
} paces[PACES] = {
    {2000, "an iteration in 2 seconds"}, {1000, "an iteration a second"},   {500, "2 iterations a second"},
    {250, "4 iterations a second"},      {125, "8 iterations a second"},    {63, "16 iterations a second"},
};

int app_pace(const struct app *s)
{
    return paces[s->pace].ms;
}

const char *app_pace_text(const struct app *s)
{
    return paces[s->pace].words;
}

/* What is alive here comes first, in the table's order; else the next one born. */
struct found search_first(const struct program *p, struct memo *memo, const struct app *s, const char *query)
{
    const struct alive *a = alive_here(p, memo, s);
    for (uint32_t i = 0; i < a->n; i++)
        if (search_hits(p, a->rows[i].id, query))
            return search_number(p, query, a->rows[i].id);
    return search_next(p, query, BUF_NONE, s->step, false);
}
