#include "tui/model/clock.h"

const char *clock_name(enum clock c)
{
    static const char *const names[CLOCK_COUNT] = {"program order", "execution order"};
    return names[c];
}

uint64_t clock_units(const struct timeline *t, enum clock c)
{
    return c == CLOCK_PROGRAM ? (uint64_t)t->p->steps + 1 : t->moments ? t->moments : 1;
}

uint64_t clock_moved(uint64_t at, uint64_t n, int sign, uint64_t by)
{
    if (sign < 0)
        return at > by ? at - by : 0;
    return n - 1 - at > by ? at + by : n - 1;
}

/* c * n / w, rounded down or up, for c <= w; c * (n % w) is small. */
static uint64_t scaled(uint64_t c, uint64_t n, uint64_t w, bool up)
{
    uint64_t rest = c * (n % w);
    return c * (n / w) + rest / w + (up && rest % w);
}

void plot_units(uint64_t n, int width, int col, uint64_t *first, uint64_t *last)
{
    uint64_t w = (uint64_t)width, c = (uint64_t)col;
    if (n <= w) {
        *first = *last = scaled(c, n, w, false);
        return;
    }
    *first = scaled(c, n, w, true);
    *last = scaled(c + 1, n, w, true) - 1;
}

void plot_unit_cols(uint64_t n, int width, uint64_t at, int *first, int *last)
{
    uint64_t w = (uint64_t)width, from, to;
    if (n <= w) {
        *first = (int)((at * w + n - 1) / n);
        *last = (int)(((at + 1) * w + n - 1) / n - 1);
        return;
    }
    if (at <= UINT64_MAX / w) {
        *first = *last = (int)(at * w / n);
        return;
    }
    int low = 0, high = width - 1; /* the last column that begins at `at` or before */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        plot_units(n, width, middle, &from, &to);
        if (from <= at)
            low = middle;
        else
            high = middle - 1;
    }
    *first = *last = low;
}

/* ---- Windows ---- */

struct window window_whole(uint64_t n)
{
    return (struct window){0, n};
}

struct window window_within(struct window w, uint64_t n)
{
    if (w.n == 0 || w.n >= n)
        return window_whole(n);
    if (w.first > n - w.n)
        w.first = n - w.n;
    return w;
}

void window_units(struct window w, int width, int col, uint64_t *first, uint64_t *last)
{
    plot_units(w.n, width, col, first, last);
    *first += w.first;
    *last += w.first;
}

bool window_cols(struct window w, int width, uint64_t from, uint64_t to, int *first, int *last)
{
    uint64_t end = w.first + (w.n - 1);
    int unused;
    if (to < w.first || from > end || from > to)
        return false;
    plot_unit_cols(w.n, width, from > w.first ? from - w.first : 0, first, &unused);
    plot_unit_cols(w.n, width, (to < end ? to : end) - w.first, &unused, last);
    return true;
}

struct window window_show(struct window w, uint64_t n, uint64_t at)
{
    w = window_within(w, n);
    uint64_t end = w.first + (w.n - 1), behind = w.n / 4;
    if (at < w.first)
        w.first = at > behind ? at - behind : 0;
    else if (at > end)
        w.first += at - end < n - 1 - end && n - 1 - at > behind ? at - end + behind : n - 1 - end;
    return w;
}

/* n * num / den, rounded up, so that half and double lead back; den and num are small. */
static uint64_t times(uint64_t n, uint32_t num, uint32_t den)
{
    uint64_t whole = n / den, rest = n % den;
    rest = (rest * num + den - 1) / den;
    return whole > (UINT64_MAX - rest) / num ? UINT64_MAX : whole * num + rest;
}

struct window window_scaled(struct window w, uint64_t n, uint64_t at, uint32_t num, uint32_t den)
{
    w = window_show(w, n, at);
    uint64_t to = times(w.n, num, den);
    if (to == w.n) /* a few units only */
        to += num > den ? 1 : 0;
    if (to < WINDOW_LEAST)
        to = WINDOW_LEAST;
    if (to >= n)
        return window_whole(n);
    uint64_t before = (uint64_t)((double)(at - w.first) / (double)w.n * (double)to);
    w.n = to;
    before = before < to ? before : to - 1;
    w.first = at > before ? at - before : 0;
    return window_within(w, n);
}

static bool is_around(const struct loop *l, uint32_t step)
{
    return l->first <= step && step <= l->last;
}

struct moment clock_at_step(const struct program *p, uint32_t step, const struct moment *like)
{
    struct moment m = {.step = step};
    for (uint32_t i = 0; i < p->loops.n && p->loops.items[i].first <= step; i++) {
        if (!is_around(&p->loops.items[i], step) || m.n == TIMELINE_DEPTH)
            continue;
        m.loop[m.n] = i;
        m.iteration[m.n] = m.n < like->n && like->loop[m.n] == i ? like->iteration[m.n] : 0;
        m.n++;
    }
    return m;
}

/* ---- The steps between two moments ---- */

static const struct loop *loop_of(const struct timeline *t, const struct moment *m, uint32_t depth)
{
    return &t->p->loops.items[m->loop[depth]];
}

/* The earliest step that still runs from m on, in the loops from `depth` on. */
static uint32_t low_of(const struct timeline *t, const struct moment *m, uint32_t depth)
{
    for (; depth < m->n; depth++)
        if (m->iteration[depth] + 1 < clock_trips(loop_of(t, m, depth)))
            return loop_of(t, m, depth)->first;
    return m->step;
}

/* The latest step that has run when m is reached. */
static uint32_t high_of(const struct timeline *t, const struct moment *m, uint32_t depth)
{
    for (; depth < m->n; depth++)
        if (m->iteration[depth] > 0)
            return loop_of(t, m, depth)->last;
    return m->step;
}

int clock_steps(const struct timeline *t, uint64_t first, uint64_t last, struct steps out[2])
{
    struct moment a = timeline_moment(t, first), b = timeline_moment(t, last);
    uint32_t k = 0;
    while (k < a.n && k < b.n && a.loop[k] == b.loop[k] && a.iteration[k] == b.iteration[k])
        k++;
    if (k == a.n || k == b.n || a.loop[k] != b.loop[k]) {
        out[0] = (struct steps){low_of(t, &a, k), high_of(t, &b, k)};
        return 1;
    }
    const struct loop *l = loop_of(t, &a, k);
    if (b.iteration[k] - a.iteration[k] > 1) {
        out[0] = (struct steps){l->first, l->last};
        return 1;
    }
    out[0] = (struct steps){low_of(t, &a, k + 1), l->last};
    out[1] = (struct steps){l->first, high_of(t, &b, k + 1)};
    return 2;
}
