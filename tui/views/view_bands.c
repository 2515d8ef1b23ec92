/* The loops under a plot, a row for each level of nesting.
 *
 * In program order a loop is one band that says at which iteration it is shown.  In execution order it
 * is a band for each time that it runs, with a tick where each iteration begins: its number stands
 * there if all of them have room, else the band says how often it runs. */
#include "tui/views/views.h"

#include <stdio.h>

/* A band and the parts of its label. */
struct band {
    const struct loop *loop;
    int from, to;  /* closed columns */
    enum style st;
};

static int digits_of(int64_t n)
{
    return snprintf(NULL, 0, "%lld", (long long)n);
}

/* Writes the first of the texts that fits between two columns, in their middle. */
static void fit_text(struct rect r, struct grid *g, int row, int from, int to, enum style st,
                     char texts[][200], int n)
{
    for (int i = 0; i < n; i++) {
        int width = text_columns(texts[i]);
        if (!width || width > to - from + 1)
            continue;
        grid_text(g, r, row, from + (to - from + 1 - width) / 2, st, texts[i]);
        return;
    }
}

static void line(struct rect r, struct grid *g, int row, const struct band *b)
{
    for (int c = b->from; c <= b->to; c++)
        grid_put(g, r, row, c,
                 b->from == b->to ? 0x2502
                 : c == b->from   ? 0x251c
                 : c == b->to     ? 0x2524
                                  : 0x2500,
                 b->st);
}

/* " while.16 backward 2/4 ", then with less words; `times`: "2/4", or "×4". */
static void label(struct rect r, struct grid *g, int row, const struct band *b, const char *times)
{
    char texts[4][200];
    const char *space = times[0] ? " " : "", *pass = pass_text(b->loop);
    snprintf(texts[0], sizeof texts[0], " %.100s%s%s%s ", b->loop->name, pass, space, times);
    snprintf(texts[1], sizeof texts[1], pass[0] ? "%s%s%s " : "%s", pass, space, times);
    snprintf(texts[2], sizeof texts[2], " %.100s%s%s ", b->loop->name, space, times);
    snprintf(texts[3], sizeof texts[3], "%s%s%s", space, times, space);
    if (!pass[0])
        texts[1][0] = '\0';
    if (text_columns(texts[3]) <= b->to - b->from - 3) {
        fit_text(r, g, row, b->from + 2, b->to - 2, b->st, texts, 4);
        return;
    }
    snprintf(texts[0], sizeof texts[0], "%s", times); /* without blanks, then */
    fit_text(r, g, row, b->from + 1, b->to - 1, b->st, texts, 1);
}

/* ---- Program order ---- */

static void draw_once(const struct scene *v, struct rect r, struct grid *g, uint32_t i)
{
    const struct loop *l = &v->p->loops.items[i];
    struct band b = {.loop = l, .st = ST_LOOP};
    char times[48];
    int64_t iteration = 0;
    if (!window_cols(v->time[CLOCK_PROGRAM], r.w, l->first, l->last, &b.from, &b.to))
        return;
    if (l->depth < v->here.n && v->here.loop[l->depth] == i) {
        b.st = ST_LOOP_IN;
        iteration = v->here.iteration[l->depth];
    }
    line(r, g, (int)l->depth, &b);
    if (b.to - b.from > 3) /* there may be thousands that have no room for any */
        label(r, g, (int)l->depth, &b, iteration_text(l, iteration, times));
}

/* ---- Execution order ---- */

/* Are both in the same run of a loop at this depth? */
static bool same_run(const struct moment *a, const struct moment *b, uint32_t depth)
{
    if (a->n <= depth || b->n <= depth)
        return false;
    for (uint32_t k = 0; k < depth; k++)
        if (a->loop[k] != b->loop[k] || a->iteration[k] != b->iteration[k])
            return false;
    return a->loop[depth] == b->loop[depth];
}

static bool same_loop(const struct moment *a, const struct moment *b, uint32_t depth)
{
    return a->n > depth && b->n > depth && a->loop[depth] == b->loop[depth];
}

struct columns {
    struct moment *begin; /* [w] the moments at which they begin */
    int w;
    bool part;            /* of what there is: loops may begin and end outside */
};

/* The columns from `from` on that show one run of a loop.  Runs too short to be told apart are one. */
static int run_end(const struct columns *c, int from, uint32_t depth, bool *many)
{
    int to = from;
    *many = false;
    while (to + 1 < c->w && same_run(&c->begin[from], &c->begin[to + 1], depth))
        to++;
    while (to - from < 3 && to + 1 < c->w && same_loop(&c->begin[from], &c->begin[to + 1], depth)) {
        *many = true;
        while (to + 1 < c->w && same_loop(&c->begin[from], &c->begin[to + 1], depth))
            to++;
    }
    return to;
}

static bool is_tick(const struct columns *c, int col, uint32_t depth)
{
    return c->begin[col].iteration[depth] != c->begin[col - 1].iteration[depth];
}

/* Does each iteration have room for its number, between ticks? */
static bool has_room(const struct columns *c, const struct band *b, uint32_t depth)
{
    int last = b->from, ticks = 0, least = digits_of(b->loop->trip_count) + 1;
    for (int col = b->from + 1; col <= b->to + 1; col++) {
        if (col <= b->to && !is_tick(c, col, depth))
            continue;
        if (col - last < least + (col > b->to)) /* the end has a glyph of its own */
            return false;
        ticks += col <= b->to;
        last = col;
    }
    int64_t seen = c->begin[b->to].iteration[depth] - c->begin[b->from].iteration[depth];
    return ticks > 0 && (ticks + 1 == b->loop->trip_count || (c->part && ticks == seen));
}

/* The first iteration carries the label where it has room for it. */
static void number(struct rect r, struct grid *g, int row, const struct band *b, int from, int to,
                   int64_t n, bool named)
{
    char texts[5][200];
    const char *pass = pass_text(b->loop), *name = b->loop->name;
    const char *brief = b->loop->pass == PASS_FORWARD ? "fwd" : "bwd";
    long long it = n;
    int count = 0;
    if (named) {
        snprintf(texts[0], sizeof texts[0], " %.100s%s %lld ", name, pass, it);
        snprintf(texts[1], sizeof texts[1], pass[0] ? "%s %lld " : " %.90s %lld ", pass[0] ? pass : name, it);
        if (pass[0])
            snprintf(texts[2], sizeof texts[2], "%s %lld", brief, it);
        else
            snprintf(texts[2], sizeof texts[2], "%.190s", name);
        count = 3;
    }
    snprintf(texts[count], sizeof texts[count], " %lld ", it);
    snprintf(texts[count + 1], sizeof texts[count + 1], "%lld", it);
    fit_text(r, g, row, from, to, b->st, texts, count + 2);
}

static void draw_ticks(const struct columns *c, struct rect r, struct grid *g, int row,
                       const struct band *b)
{
    int last = b->from;
    for (int col = b->from + 1; col <= b->to + 1; col++) {
        if (col <= b->to && !is_tick(c, col, (uint32_t)row))
            continue;
        number(r, g, row, b, last + 1, col <= b->to ? col - 1 : b->to - 1,
               c->begin[last].iteration[row] + 1, last == b->from);
        if (col <= b->to)
            grid_put(g, r, row, col, 0x253c, b->st);
        last = col;
    }
}

static void draw_run(const struct columns *c, struct rect r, struct grid *g, int row, struct band b,
                     bool many)
{
    char times[48] = "";
    line(r, g, row, &b);
    if (!many && has_room(c, &b, (uint32_t)row)) {
        draw_ticks(c, r, g, row, &b);
        return;
    }
    if (b.loop->trip_count >= 0)
        snprintf(times, sizeof times, "×%lld", (long long)b.loop->trip_count);
    label(r, g, row, &b, times);
}

static void draw_runs(const struct scene *v, const struct columns *c, struct rect r, struct grid *g)
{
    for (int row = 0; row < r.h && row < TIMELINE_DEPTH; row++)
        for (int col = 0, to; col < c->w; col = to + 1) {
            const struct moment *m = &c->begin[col];
            bool many;
            to = col;
            if (m->n <= (uint32_t)row)
                continue;
            to = run_end(c, col, (uint32_t)row, &many);
            struct band b = {.loop = &v->p->loops.items[m->loop[row]], .from = col, .to = to,
                             .st = ST_LOOP};
            if (many ? same_loop(m, &v->here, (uint32_t)row) : same_run(m, &v->here, (uint32_t)row))
                b.st = ST_LOOP_IN;
            draw_run(c, r, g, row, b, many);
        }
}

/* Loops that begin and end within a column. */
static void draw_short(const struct scene *v, const struct columns *c, struct rect r, struct grid *g)
{
    for (uint32_t i = 0; i < v->p->loops.n; i++) {
        const struct loop *l = &v->p->loops.items[i];
        int col, unused;
        if ((int)l->depth >= r.h || l->depth >= TIMELINE_DEPTH || l->trip_count == 0)
            continue;
        uint64_t at = timeline_first(v->t, l->first);
        if (!window_cols(v->time[CLOCK_EXECUTION], r.w, at, at, &col, &unused))
            continue;
        bool seen = c->begin[col].n > l->depth ||
                    (col + 1 < c->w && c->begin[col + 1].n > l->depth &&
                     c->begin[col + 1].loop[l->depth] == i);
        if (!seen)
            grid_put(g, r, (int)l->depth, col, 0x2502, ST_LOOP);
    }
}

static void draw_execution(const struct scene *v, struct rect r, struct grid *g)
{
    struct arena scratch = {0};
    struct window time = v->time[CLOCK_EXECUTION];
    uint64_t first, last;
    struct columns c = {.w = r.w, .part = time.n < clock_units(v->t, CLOCK_EXECUTION)};
    c.begin = arena_array(&scratch, (size_t)r.w + 1, sizeof *c.begin);
    for (int col = 0; col < r.w; col++) {
        window_units(time, r.w, col, &first, &last);
        c.begin[col] = timeline_moment(v->t, first);
    }
    draw_runs(v, &c, r, g);
    draw_short(v, &c, r, g);
    arena_free(&scratch);
}

void plot_loops(const struct scene *v, struct rect r, const struct plot *pl, enum clock clock,
                struct grid *g)
{
    if (!pl->loops.h)
        return;
    grid_field(g, r, pl->loops.y - r.y, 0, pl->loops.x - r.x - 2, ST_DIM, CUT_RIGHT, "loops");
    if (clock == CLOCK_EXECUTION) {
        draw_execution(v, pl->loops, g);
        return;
    }
    for (uint32_t i = 0; i < v->p->loops.n; i++)
        if ((int)v->p->loops.items[i].depth < pl->loops.h)
            draw_once(v, pl->loops, g, i);
}
