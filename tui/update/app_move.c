/* Moving the cursor, on both clocks, and the choice in the table. */
#include "tui/update/update_parts.h"

void go(const struct program *p, struct memo *memo, struct app *s, int sign, uint64_t by)
{
    uint64_t n = clock_units(memo_timeline(memo, p), s->clock);
    if (s->clock == CLOCK_EXECUTION)
        stand_at(p, memo, s, clock_moved(s->at, n, sign, by));
    else
        stand(p, memo, s, (uint32_t)clock_moved(s->step, n, sign, by));
}

/* ---- The chart's columns ---- */

static uint32_t most_step(const uint64_t *live, struct steps range, uint32_t best)
{
    for (uint32_t t = range.first; t <= range.last; t++)
        if (live[t] > live[best])
            best = t;
    return best;
}

/* The moment of [first, last] at which step runs, one of them if there are several. */
static uint64_t moment_of(const struct timeline *t, uint32_t step, uint64_t first, uint64_t last)
{
    for (int end = 0; end < 2; end++) {
        struct moment like = timeline_moment(t, end ? last : first);
        struct moment m = clock_at_step(t->p, step, &like);
        uint64_t at = timeline_at(t, &m);
        if (first <= at && at <= last)
            return at;
    }
    return first;
}

void go_column(const struct program *p, struct memo *memo, struct app *s, int col)
{
    const struct timeline *t = memo_timeline(memo, p);
    const uint64_t *live = p->spaces[s->space].live;
    struct layout l = layout_of(p, s);
    struct steps ran[2];
    uint64_t first, last;
    window_units(app_window(p, memo, s, s->clock), l.bars.area.w, col, &first, &last);
    if (s->clock == CLOCK_PROGRAM) {
        struct steps all = {(uint32_t)first, (uint32_t)last};
        stand(p, memo, s, most_step(live, all, all.first));
        return;
    }
    int n = clock_steps(t, first, last, ran);
    uint32_t best = most_step(live, ran[0], ran[0].first);
    if (n > 1)
        best = most_step(live, ran[1], best);
    stand_at(p, memo, s, moment_of(t, best, first, last));
}

/* ---- Keys ---- */

/* To the peak; from there to the next one. */
static void go_peak(const struct program *p, struct memo *memo, struct app *s)
{
    const struct program_space *space = &p->spaces[s->space];
    const struct timeline *t = memo_timeline(memo, p);
    struct moment none = {0}, m = clock_at_step(p, space->peak, &none);
    if (s->space != 0 || space->live[s->step] != space->live[space->peak]) {
        s->step = space->peak;
        s->at = timeline_at(t, &m);
    } else if (timeline_reserved(t, s->at) == space->live[space->peak]) {
        stand_at(p, memo, s, timeline_next_peak(t, s->at, false));
    }
}

/* So many iterations on or back, or as many as there are. */
static uint64_t iterated(const struct timeline *t, uint64_t at, int by)
{
    uint64_t to = timeline_iterate(t, at, by);
    for (int part = by / 2; to == at && part; part /= 2)
        for (uint64_t next = timeline_iterate(t, to, part); next != to; next = timeline_iterate(t, to, part))
            to = next;
    return to;
}

static void go_iteration(const struct program *p, struct memo *memo, struct app *s, int by)
{
    const struct timeline *t = memo_timeline(memo, p);
    uint64_t to = s->at;
    if (timeline_moment(t, to).step == s->step)
        to = iterated(t, to, by);
    if (to == s->at)
        s->notice = NOTICE_NO_ITERATION;
    else
        stand_at(p, memo, s, to);
}

#define LOOPS_MOST 10000 /* in one go: each takes its time */

static void go_loop(const struct program *p, struct memo *memo, struct app *s, int by)
{
    uint64_t to = s->at, from;
    uint32_t left = times_of(s) < LOOPS_MOST ? times_of(s) : LOOPS_MOST;
    do {
        from = to;
        to = timeline_loop(memo_timeline(memo, p), from, by);
    } while (--left && to != from);
    if (to == s->at)
        s->notice = NOTICE_NO_LOOP;
    else
        stand_at(p, memo, s, to);
}

/* To where the chosen buffer is born; from there to where it dies. */
static void go_born(const struct program *p, struct memo *memo, struct app *s)
{
    buf_id b = choose_held(p, memo, s);
    if (b == BUF_NONE)
        return;
    stand(p, memo, s, s->step == p->start[b] ? p->end[b] : p->start[b]);
    choose(p, memo, s, 0, -1); /* brings it into view */
}

void go_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_STEP_BACK: go(p, memo, s, -1, times_of(s)); break;
    case CMD_STEP_ON: go(p, memo, s, 1, times_of(s)); break;
    case CMD_ITERATION_BACK: go_iteration(p, memo, s, -(int)times_of(s)); break;
    case CMD_ITERATION_ON: go_iteration(p, memo, s, (int)times_of(s)); break;
    case CMD_LOOP_BACK: go_loop(p, memo, s, -1); break;
    case CMD_LOOP_ON: go_loop(p, memo, s, 1); break;
    case CMD_PEAK: go_peak(p, memo, s); break;
    case CMD_BORN: go_born(p, memo, s); break;
    case CMD_CLOCK:
        s->selects = false; /* its units are others */
        s->clock = (s->clock + 1) % CLOCK_COUNT;
        if (s->clock == CLOCK_EXECUTION)
            stand_at(p, memo, s, s->at);
        break;
    default: break;
    }
}

/* ---- The choice ---- */

static uint32_t moved(uint32_t at, int64_t by, uint32_t last)
{
    int64_t to = (int64_t)at + by;
    return to < 0 ? 0 : to > last ? last : (uint32_t)to;
}

void choose(const struct program *p, struct memo *memo, struct app *s, int64_t by, int to)
{
    struct layout l = layout_of(p, s);
    const struct alive *a = alive_here(p, memo, s);
    uint32_t lines = alive_lines(a);
    if (!lines)
        return;
    uint32_t top = table_top(s, a, l.list.h);
    uint32_t line = to >= 0 ? top + (uint32_t)to : moved(app_row(s, a), by, lines - 1);
    if (line < lines) {
        s->chosen = alive_buffer(a, line);
        s->on_group = alive_line(a, line).head;
    }
    s->top = table_top(s, a, l.list.h);
}

buf_id choose_held(const struct program *p, struct memo *memo, struct app *s)
{
    const struct alive *a = alive_here(p, memo, s);
    if (!a->n)
        return BUF_NONE;
    uint32_t line = app_row(s, a);
    s->on_group = alive_line(a, line).head;
    return s->chosen = alive_buffer(a, line);
}
