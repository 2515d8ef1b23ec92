#include "tui/model/map.h"

#include "tui/model/axis.h"
#include "tui/model/layout.h"

#include <math.h>

/* ---- Rows ---- */

struct map_scale map_scale_of(const struct program *p, uint32_t group, int rows)
{
    struct map_scale sc = {.rows = rows > 0 ? rows : 1};
    if (group < p->module->assignment.allocs.n)
        sc.size = assignment_alloc(&p->module->assignment, group)->size;
    struct axis a = axis_of(sc.size ? sc.size : 1, sc.rows);
    sc.unit = a.unit;
    sc.every = a.every;
    sc.used = sc.rows;
    sc.used = sc.size ? map_row(&sc, sc.size - 1) + 1 : 1;
    return sc;
}

int map_row(const struct map_scale *sc, uint64_t offset)
{
    double row = floor((double)offset / sc->unit);
    return row < sc->used - 1 ? (int)row : sc->used - 1;
}

void map_range(const struct map_scale *sc, int row, uint64_t *low, uint64_t *high)
{
    *low = (uint64_t)ceil(sc->unit * row);
    *high = row >= sc->used - 1 ? sc->size : (uint64_t)ceil(sc->unit * (row + 1));
}

void map_rows(const struct map_scale *sc, const struct program *p, buf_id b, int *low, int *high)
{
    *low = map_row(sc, p->offset[b]);
    *high = p->size[b] ? map_row(sc, p->offset[b] + p->size[b] - 1) : *low;
}

/* ---- What lies somewhere ---- */

static bool covers(const struct program *p, const struct map_scale *sc, buf_id b, int row,
                   uint32_t first, uint32_t last)
{
    int low, high;
    if (p->start[b] > last || p->end[b] < first)
        return false;
    map_rows(sc, p, b, &low, &high);
    return low <= row && row <= high;
}

uint32_t map_at(const struct program *p, uint32_t group, const struct map_scale *sc, int row,
                uint32_t step, buf_id *ids, uint32_t first, uint32_t most)
{
    struct span all = program_group_span(p, group);
    uint32_t n = 0;
    for (uint32_t k = all.first; k < all.first + all.n; k++)
        if (covers(p, sc, p->order[k], row, step, step)) {
            if (n >= first && n - first < most)
                ids[n - first] = p->order[k];
            n++;
        }
    return n;
}

uint32_t map_number(const struct program *p, uint32_t group, const struct map_scale *sc, int row,
                    uint32_t step, buf_id b)
{
    struct span all = program_group_span(p, group);
    for (uint32_t k = all.first, n = 0; k < all.first + all.n; k++)
        if (covers(p, sc, p->order[k], row, step, step)) {
            if (p->order[k] == b)
                return n;
            n++;
        }
    return UINT32_MAX;
}

static bool larger(const struct program *p, buf_id a, buf_id than)
{
    return than == BUF_NONE || p->size[a] > p->size[than] ||
           (p->size[a] == p->size[than] && a < than);
}

static uint32_t between(uint32_t t, uint32_t first, uint32_t last)
{
    return t < first ? first : t > last ? last : t;
}

uint32_t map_step(const struct program *p, uint32_t group, const struct map_scale *sc, int row,
                  uint32_t first, uint32_t last, uint32_t step)
{
    struct span all = program_group_span(p, group);
    buf_id most = BUF_NONE;
    for (uint32_t k = all.first; k < all.first + all.n; k++)
        if (covers(p, sc, p->order[k], row, first, last) && larger(p, p->order[k], most))
            most = p->order[k];
    step = between(step, first, last);
    return most == BUF_NONE ? step : between(step, p->start[most] > first ? p->start[most] : first,
                                             p->end[most] < last ? p->end[most] : last);
}

/* ---- Allocations ---- */

static uint64_t size_of_group(const struct program *p, uint32_t group)
{
    return assignment_alloc(&p->module->assignment, group)->size;
}

/* Does a come before b? */
static bool before(const struct program *p, uint32_t a, uint32_t b)
{
    uint64_t x = size_of_group(p, a), y = size_of_group(p, b);
    return x != y ? x > y : a < b;
}

/* Where the run of p->order behind that of position k begins. */
static uint32_t behind(const struct program *p, uint32_t k)
{
    struct span run = program_group_span(p, program_group(p, p->order[k]));
    return run.n ? run.first + run.n : p->n;
}

uint32_t map_group_next(const struct program *p, uint32_t group, bool back)
{
    uint32_t next = GROUP_NONE, end = GROUP_NONE; /* the one behind; round the end */
    if (!p->module->has_assignment)
        return GROUP_NONE;
    for (uint32_t k = 0; k < p->n; k = behind(p, k)) {
        uint32_t g = program_group(p, p->order[k]);
        bool later = group == GROUP_NONE || (back ? before(p, g, group) : before(p, group, g));
        if (end == GROUP_NONE || before(p, g, end) != back)
            end = g;
        if (later && (next == GROUP_NONE || before(p, g, next) != back))
            next = g;
    }
    return next != GROUP_NONE ? next : end;
}

void map_group_rank(const struct program *p, uint32_t group, uint32_t *number, uint32_t *total)
{
    *number = 1;
    *total = 0;
    for (uint32_t k = 0; k < p->n; k = behind(p, k)) {
        *number += before(p, program_group(p, p->order[k]), group);
        ++*total;
    }
}

/* ---- Cells ----
 *
 * The largest buffer of every cell without touching a buffer's cells one by one: a rectangle is the
 * union of at most four that are 2^i high and 2^j wide, so each buffer is noted at four places of
 * level (i, j); then each level hands what it holds down to the next smaller one.  (A sparse table
 * for range maxima, run backwards.) */

struct box {
    buf_id b;
    int low, high, first, last; /* closed rows and columns */
    int i, j;
};

static int log_of(int n)
{
    int log = 0;
    while (n >> (log + 1))
        log++;
    return log;
}

/* False: it has no cells. */
static bool box_of(const struct map *m, const struct map_scale *sc, buf_id b, struct box *x)
{
    *x = (struct box){.b = b};
    if (!m->p->size[b] || !window_cols(m->time, m->w, m->p->start[b], m->p->end[b], &x->first, &x->last))
        return false;
    map_rows(sc, m->p, b, &x->low, &x->high);
    x->i = log_of(x->high - x->low + 1);
    x->j = log_of(x->last - x->first + 1);
    return true;
}

static void put(const struct map *m, buf_id *cells, int row, int col, buf_id b)
{
    buf_id *cell = &cells[(size_t)row * (size_t)m->w + (size_t)col];
    if (b != BUF_NONE && larger(m->p, b, *cell))
        *cell = b;
}

static void put_box(const struct map *m, buf_id *cells, const struct box *x)
{
    int row = x->high - (1 << x->i) + 1, col = x->last - (1 << x->j) + 1;
    put(m, cells, x->low, x->first, x->b);
    put(m, cells, x->low, col, x->b);
    put(m, cells, row, x->first, x->b);
    put(m, cells, row, col, x->b);
}

/* Hands each cell on to the one `up` rows above and `right` columns beside it. */
static void hand_on(const struct map *m, buf_id *cells, int up, int right)
{
    for (int row = m->h - 1 - up; row >= 0; row--)
        for (int col = m->w - 1 - right; col >= 0; col--)
            put(m, cells, row + up, col + right, cells[(size_t)row * (size_t)m->w + (size_t)col]);
}

static void clear(buf_id *cells, size_t n)
{
    for (size_t k = 0; k < n; k++)
        cells[k] = BUF_NONE;
}

/* boxes[at[k] .. at[k + 1]) are those of level k = i * levels + j. */
static void merge(struct map *m, const struct box *boxes, const uint32_t *at, int levels)
{
    size_t n = (size_t)m->w * (size_t)m->h;
    struct arena scratch = {0};
    buf_id *wide = arena_array(&scratch, n, sizeof *wide);
    clear(m->cell, n);
    for (int i = log_of(m->h); i >= 0; i--) {
        const uint32_t *level = at + i * levels;
        hand_on(m, m->cell, 1 << i, 0);
        if (level[0] == level[levels])
            continue;
        clear(wide, n);
        for (int j = levels - 1; j >= 0; j--) {
            hand_on(m, wide, 0, 1 << j);
            for (uint32_t k = level[j]; k < level[j + 1]; k++)
                put_box(m, wide, &boxes[k]);
        }
        for (int row = 0; row < m->h; row++)
            for (int col = 0; col < m->w; col++)
                put(m, m->cell, row, col, wide[(size_t)row * (size_t)m->w + (size_t)col]);
    }
    arena_free(&scratch);
}

static void fill_cells(struct map *m)
{
    struct span all = program_group_span(m->p, m->group);
    struct map_scale sc = map_scale_of(m->p, m->group, m->h);
    struct arena scratch = {0};
    int levels = log_of(m->w) + 1, n_levels = levels * (log_of(m->h) + 1);
    struct box x, *boxes = arena_array(&scratch, (size_t)all.n + 1, sizeof *boxes);
    uint32_t *at = arena_array(&scratch, (size_t)n_levels + 2, sizeof *at);
    for (uint32_t k = all.first; k < all.first + all.n; k++)
        if (box_of(m, &sc, m->p->order[k], &x))
            at[x.i * levels + x.j + 2]++;
    for (int k = 0; k < n_levels; k++)
        at[k + 2] += at[k + 1];
    for (uint32_t k = all.first; k < all.first + all.n; k++)
        if (box_of(m, &sc, m->p->order[k], &x))
            boxes[at[x.i * levels + x.j + 1]++] = x;
    merge(m, boxes, at, levels);
    arena_free(&scratch);
}

/* Each buffer that shows gets another shade than the one before it in time, else than the one below. */
static void fill_shades(struct map *m)
{
    struct arena scratch = {0};
    bool *known = arena_array(&scratch, (size_t)m->p->n + 1, sizeof *known);
    for (int row = 0; row < m->h; row++)
        for (int col = 0; col < m->w; col++) {
            const buf_id *cell = &m->cell[(size_t)row * (size_t)m->w + (size_t)col];
            buf_id left = col ? cell[-1] : BUF_NONE, below = row ? cell[-m->w] : BUF_NONE;
            if (*cell == BUF_NONE || known[*cell])
                continue;
            known[*cell] = true;
            m->shade[*cell] = left != BUF_NONE    ? !m->shade[left]
                              : below != BUF_NONE ? !m->shade[below]
                                                  : 0;
        }
    arena_free(&scratch);
}

void map_get(struct map *m, const struct program *p, uint32_t group, struct window time, int w, int h)
{
    if (m->p == p && m->group == group && m->time.first == time.first && m->time.n == time.n && m->w == w &&
        m->h == h)
        return;
    map_free(m);
    *m = (struct map){.p = p, .group = group, .time = time, .w = w > 0 ? w : 1, .h = h > 0 ? h : 1};
    m->cell = arena_array(&m->arena, (size_t)m->w * (size_t)m->h, sizeof *m->cell);
    m->shade = arena_array(&m->arena, (size_t)p->n + 1, sizeof *m->shade);
    fill_cells(m);
    fill_shades(m);
}

void map_free(struct map *m)
{
    arena_free(&m->arena);
    *m = (struct map){0};
}
