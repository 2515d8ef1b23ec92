/* Branch and bound for a packing of at most a given height.
 *
 * Buffers are stacked from below.  floor[s] is the lowest offset that a buffer not yet placed can
 * have in section s, least[b] the lowest that b can have: the highest floor of its sections.  Both
 * only rise: a floor to the lowest `least` of its section's buffers (the section-wise inference of
 * Moffitt, "MiniMalloc", ISMM 2023), until nothing moves.  What is left in a section must fit
 * between floor and height, also when its buffers are taken in order of their `least` (the bound of
 * one machine with release dates, after Jackson 1955); else the branch is dead.
 *
 * Branching: in a stretch of equal floor between higher ones, some section t; which buffer is the
 * lowest in t, at exactly that floor?  Each that can is tried; the last branch is "none", which
 * raises `least` of those to the top of what may come under them.  Every packing whose buffers
 * cannot be lowered is met, so an exhausted search proves.  t is where the fewest branches are: in
 * a tight corner there is often one.  (With gaps in lives only the lowest stretch is sound.)
 *
 * When no unplaced buffer crosses from section s to s + 1, both sides are searched on their own.  A
 * part that failed is kept by a hash of floors, tops and unplaced buffers, so it fails at once when
 * met again, also after a restart.  63 bits of it are compared, in a slot that other bits choose: in
 * a search of 10^9 nodes the chance of one false match is about 10^-10. */
#include "core/analysis/pack_build.h"

#include <string.h>

#define KNOWN_BITS 18
#define DEEPEST 60000 /* levels of recursion; a level takes some 300 bytes of stack */

enum what { FLOOR, TOP, LEFT, LEAST, LOWEST, CROSSING, PLACED };

struct change {
    uint32_t what, index;
    int64_t old;
};

struct queue {
    uint32_t *items, n;
    bool *has;
};

struct part {
    uint32_t first, last;
};

struct option {
    uint32_t buffer;
    double weight;
};

struct pack_search {
    struct pack_run *run;
    const struct pack_model *m;
    struct arena *arena;
    const struct pack_plan *plan;
    int64_t lower, height, rounded;   /* what nothing beats; what is asked; the latter in grains */
    int64_t *floor, *top, *left;      /* [section]; left: bytes not yet placed */
    uint32_t *lowest, *crossing;      /* [section] unplaced with least == floor; across its end */
    int64_t *least, *offset;          /* [buffer] */
    bool *placed;                     /* [buffer] */
    int64_t smallest;
    struct change *trail;
    size_t n_trail, cap_trail;
    struct queue risen, stale;        /* sections: floor rose; `lowest` to be counted again */
    struct part *parts;               /* stack */
    struct option *options;           /* stack */
    uint32_t n_parts, cap_parts, n_options, cap_options, depth;
    int64_t *sort_least, *sort_size;  /* [crowd] scratch */
    uint64_t *known, *name;           /* failed parts; a random number per buffer */
    uint64_t last_node;
    bool stopped;
    double area, best_area;           /* bytes x sections placed; the most in this try */
    bool *best_placed;
    int64_t *best_offset;
    int64_t *guide;                   /* offsets of the best packing known */
    struct pack_fit fit;
    uint32_t *rest;                   /* [buffer] scratch */
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static void *grown(struct arena *a, const void *items, size_t n, size_t item)
{
    void *bigger = arena_array(a, n * 2, item);
    memcpy(bigger, items, n * item);
    return bigger;
}

/* ---- Changes and their undoing ---- */

static void note(struct pack_search *s, enum what what, uint32_t index, int64_t old)
{
    if (s->n_trail == s->cap_trail) {
        s->trail = grown(s->arena, s->trail, s->cap_trail, sizeof *s->trail);
        s->cap_trail *= 2;
    }
    s->trail[s->n_trail++] = (struct change){what, index, old};
}

static double area_of(const struct pack_model *m, uint32_t b)
{
    return (double)m->size[b] * (double)(m->section_at[b + 1] - m->section_at[b]);
}

static void undo(struct pack_search *s, size_t mark)
{
    while (s->n_trail > mark) {
        struct change c = s->trail[--s->n_trail];
        switch ((enum what)c.what) {
        case FLOOR:
            s->floor[c.index] = c.old;
            break;
        case TOP:
            s->top[c.index] = c.old;
            break;
        case LEFT:
            s->left[c.index] = c.old;
            break;
        case LEAST:
            s->least[c.index] = c.old;
            break;
        case LOWEST:
            s->lowest[c.index] = (uint32_t)c.old;
            break;
        case CROSSING:
            s->crossing[c.index] = (uint32_t)c.old;
            break;
        case PLACED:
            s->placed[c.index] = false;
            s->area -= area_of(s->m, c.index);
            break;
        }
    }
}

static void queue_add(struct queue *q, uint32_t section)
{
    if (q->has[section])
        return;
    q->has[section] = true;
    q->items[q->n++] = section;
}

static void queue_clear(struct queue *q)
{
    while (q->n)
        q->has[q->items[--q->n]] = false;
}

/* ---- Inference ---- */

/* How high a section may become whose floor is `floor`. */
static int64_t ceiling(const struct pack_search *s, int64_t floor)
{
    double from = s->plan->loose_from;
    if (from < 0)
        return s->rounded;
    double share = ((double)floor / (double)s->rounded - from) / (1 - from);
    int64_t tight = s->lower < s->rounded ? s->lower : s->rounded;
    return share <= 0 ? tight : tight + (int64_t)((double)(s->rounded - tight) * share);
}

static bool raise_floor(struct pack_search *s, uint32_t section, int64_t floor)
{
    if (floor <= s->floor[section])
        return true;
    note(s, FLOOR, section, s->floor[section]);
    s->floor[section] = floor;
    if (s->left[section] && floor + s->left[section] > ceiling(s, floor))
        return false;
    queue_add(&s->risen, section);
    return true;
}

static bool raise_least(struct pack_search *s, uint32_t b, int64_t least)
{
    const struct pack_model *m = s->m;
    least = pack_align(least, m->align[b]);
    if (least <= s->least[b])
        return true;
    note(s, LEAST, b, s->least[b]);
    s->least[b] = least;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        queue_add(&s->stale, m->section[k]);
    return least + m->real[b] <= s->height;
}

/* The idle bytes of a section filled in order of `least`, when there could be more than slack. */
static bool fits_in_order(struct pack_search *s, uint32_t section, int64_t slack)
{
    const struct pack_model *m = s->m;
    int64_t *least = s->sort_least, *size = s->sort_size;
    uint32_t n = 0;
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b])
            continue;
        uint32_t i = n++;
        for (; i && least[i - 1] > s->least[b]; i--) {
            least[i] = least[i - 1];
            size[i] = size[i - 1];
        }
        least[i] = s->least[b];
        size[i] = m->size[b];
    }
    int64_t end = s->floor[section], idle = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (least[i] > end) {
            idle += least[i] - end;
            end = least[i];
        }
        end += size[i];
    }
    return idle <= slack;
}

static bool count_lowest(struct pack_search *s, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t low = INT64_MAX, high = 0, bytes = 0;
    uint32_t n = 0;
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b])
            continue;
        int64_t least = s->least[b];
        if (least < low) {
            low = least;
            n = 0;
            bytes = 0;
        }
        if (least == low) {
            n++;
            bytes += m->size[b];
        }
        if (least > high)
            high = least;
    }
    if (n != s->lowest[section]) {
        note(s, LOWEST, section, s->lowest[section]);
        s->lowest[section] = n;
    }
    if (!raise_floor(s, section, low))
        return false;
    int64_t slack = ceiling(s, low) - low - s->left[section];
    return high - low - bytes <= slack || fits_in_order(s, section, slack);
}

/* To the fixed point; false: dead. */
static bool infer(struct pack_search *s)
{
    const struct pack_model *m = s->m;
    bool ok = true;
    while (ok && (s->risen.n || s->stale.n)) {
        while (ok && s->risen.n) {
            uint32_t section = s->risen.items[--s->risen.n];
            s->risen.has[section] = false;
            for (uint32_t k = m->member_at[section]; ok && k < m->member_at[section + 1]; k++)
                if (!s->placed[m->member[k]])
                    ok = raise_least(s, m->member[k], s->floor[section]);
        }
        while (ok && s->stale.n) {
            uint32_t section = s->stale.items[--s->stale.n];
            s->stale.has[section] = false;
            if (s->left[section])
                ok = count_lowest(s, section);
        }
    }
    queue_clear(&s->risen);
    queue_clear(&s->stale);
    return ok;
}

/* ---- Placing ---- */

static bool rests_on_something(const struct pack_search *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    if (s->least[b] == 0)
        return true;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        if (pack_align(s->top[m->section[k]], m->align[b]) == s->least[b])
            return true;
    return false;
}

/* b at its least; false: dead. */
static bool place(struct pack_search *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    if (!rests_on_something(s, b))
        return false;
    int64_t top = s->least[b] + m->size[b];
    bool ok = true;
    note(s, PLACED, b, 0);
    s->placed[b] = true;
    s->offset[b] = s->least[b];
    s->area += area_of(m, b);
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        uint32_t section = m->section[k];
        note(s, LEFT, section, s->left[section]);
        s->left[section] -= m->size[b];
        note(s, TOP, section, s->top[section]);
        s->top[section] = top;
        queue_add(&s->stale, section);
        ok &= raise_floor(s, section, top);
    }
    for (uint32_t section = m->first[b]; section < m->last[b]; section++) {
        note(s, CROSSING, section, s->crossing[section]);
        s->crossing[section]--;
    }
    return ok;
}

static bool is_in(const struct pack_model *m, uint32_t b, uint32_t section)
{
    if (section < m->first[b] || section > m->last[b])
        return false;
    if (!m->gapped[b])
        return true;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        if (m->section[k] == section)
            return true;
    return false;
}

/* The lowest that b can be when something that is not in `section` comes under it. */
static int64_t least_on_another(const struct pack_search *s, uint32_t b, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t least = INT64_MAX / 2;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        uint32_t at = m->section[k];
        for (uint32_t i = m->member_at[at]; i < m->member_at[at + 1]; i++) {
            uint32_t x = m->member[i];
            if (!s->placed[x] && s->least[x] + m->size[x] < least && !is_in(m, x, section))
                least = s->least[x] + m->size[x];
        }
    }
    return least;
}

/* No buffer is at the floor of `section`; false: dead. */
static bool leave_open(struct pack_search *s, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t floor = s->floor[section];
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b] || s->least[b] != floor)
            continue;
        int64_t least = least_on_another(s, b, section);
        if (least + m->real[b] > s->height || !raise_least(s, b, least))
            return false;
    }
    return true;
}

/* ---- Where to branch, and in which order ---- */

static uint32_t stretch_end(const struct pack_search *s, uint32_t from, uint32_t last)
{
    while (from < last && s->floor[from + 1] == s->floor[from])
        from++;
    return from;
}

static uint32_t choose_section(const struct pack_search *s, uint32_t first, uint32_t last)
{
    int64_t deepest = INT64_MAX;
    if (s->m->any_gap)
        for (uint32_t t = first; t <= last; t++)
            if (s->floor[t] < deepest)
                deepest = s->floor[t];
    uint32_t best = first;
    double best_score = 1e300;
    for (uint32_t i = first, end; i <= last; i = end + 1) {
        int64_t floor = s->floor[i];
        end = stretch_end(s, i, last);
        if ((i > first && s->floor[i - 1] < floor) || (end < last && s->floor[end + 1] < floor) ||
            floor > deepest)
            continue;
        for (uint32_t t = i; t <= end; t++) {
            bool open = ceiling(s, floor) - floor - s->left[t] >= s->smallest;
            double score = 4.0 * s->lowest[t] + (open ? 3 : 0) +
                           (double)floor / (double)(s->rounded + 1);
            if (score < best_score) {
                best_score = score;
                best = t;
            }
        }
    }
    return best;
}

/* Of buffers with the same sections and size, the first is the lower one. */
static bool has_earlier_twin(const struct pack_search *s, uint32_t b, uint32_t section)
{
    const struct pack_model *m = s->m;
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t x = m->member[k];
        if (x >= b)
            return false;
        if (!s->placed[x] && m->first[x] == m->first[b] && m->last[x] == m->last[b] &&
            m->real[x] == m->real[b] && m->align[x] == m->align[b] && !m->gapped[x] && !m->gapped[b])
            return true;
    }
    return false;
}

static double weigh(struct pack_search *s, uint32_t b, uint32_t from, uint32_t to,
                    const int64_t walls[2])
{
    const struct pack_model *m = s->m;
    const struct pack_plan *p = s->plan;
    int64_t top = s->least[b] + m->size[b];
    double width = (double)(m->last[b] - m->first[b] + 1) / (double)(to - from + 1), flush = 0;
    if (m->first[b] == from)
        flush += top == walls[0] ? 1.3 : 0.3;
    if (m->last[b] == to)
        flush += top == walls[1] ? 1.3 : 0.3;
    double weight = p->width * width + p->size * (double)m->size[b] / (double)s->rounded +
                    p->flush * flush + p->noise * pack_uniform(s->run);
    if (p->guide > 0)
        weight -= p->guide * 8 * (double)s->guide[b] / (double)s->rounded;
    return weight;
}

/* Pushes the buffers to try at `section`, the most promising first. */
static void list_options(struct pack_search *s, uint32_t first, uint32_t last, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t floor = s->floor[section];
    uint32_t from = section, to = stretch_end(s, section, last);
    while (from > first && s->floor[from - 1] == floor)
        from--;
    const int64_t walls[2] = {from > first ? s->floor[from - 1] : s->rounded,
                              to < last ? s->floor[to + 1] : s->rounded};
    uint32_t base = s->n_options;
    while (base + m->crowd > s->cap_options) {
        s->options = grown(s->arena, s->options, s->cap_options, sizeof *s->options);
        s->cap_options *= 2;
    }
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b] || s->least[b] != floor || has_earlier_twin(s, b, section))
            continue;
        double weight = weigh(s, b, from, to, walls);
        uint32_t i = s->n_options++;
        for (; i > base && s->options[i - 1].weight < weight; i--)
            s->options[i] = s->options[i - 1];
        s->options[i] = (struct option){b, weight};
    }
}

/* ---- Parts ---- */

static uint64_t part_key(const struct pack_search *s, uint32_t first, uint32_t last,
                         uint32_t *slot)
{
    const struct pack_model *m = s->m;
    uint64_t h = mix((uint64_t)s->height + (uint64_t)first * 0x9e3779b97f4a7c15u) + last, left = 0;
    for (uint32_t k = first; k <= last; k++) {
        h = h * 0x9e3779b97f4a7c15u + (uint64_t)s->floor[k];
        h ^= h >> 29;
        h = h * 0xbf58476d1ce4e5b9u + (uint64_t)s->top[k];
        h ^= h >> 32;
    }
    for (uint32_t i = m->starter_at[first]; i < m->starter_at[last + 1]; i++)
        if (!s->placed[m->starter[i]])
            left ^= s->name[m->starter[i]];
    *slot = (uint32_t)((h + (left << 32 | left >> 32)) * 0x9e3779b97f4a7c15u >> (64 - KNOWN_BITS));
    return mix(h ^ left) | 1; /* 0: an empty slot */
}

static bool enter(struct pack_search *s)
{
    if (s->stopped)
        return false;
    s->run->steps++;
    if (s->run->steps >= s->last_node || s->depth >= DEEPEST ||
        (s->run->steps % 32 == 0 && pack_over(s->run)))
        s->stopped = true;
    if (s->area > s->best_area) {
        s->best_area = s->area;
        memcpy(s->best_placed, s->placed, s->m->n * sizeof *s->placed);
        memcpy(s->best_offset, s->offset, s->m->n * sizeof *s->offset);
    }
    return !s->stopped;
}

static bool solve_part(struct pack_search *s, uint32_t first, uint32_t last);

/* Splits what is left of [first, last] and solves the short parts first. */
static bool solve_parts(struct pack_search *s, uint32_t first, uint32_t last)
{
    uint32_t base = s->n_parts;
    for (uint32_t from = first, to; from <= last; from = to + 1) {
        to = from;
        if (!s->left[from])
            continue;
        while (to < last && s->crossing[to])
            to++;
        if (s->n_parts == s->cap_parts) {
            s->parts = grown(s->arena, s->parts, s->cap_parts, sizeof *s->parts);
            s->cap_parts *= 2;
        }
        uint32_t i = s->n_parts++;
        for (; i > base && s->parts[i - 1].last - s->parts[i - 1].first > to - from; i--)
            s->parts[i] = s->parts[i - 1];
        s->parts[i] = (struct part){from, to};
    }
    bool ok = true;
    for (uint32_t i = base, end = s->n_parts; ok && i < end; i++)
        ok = solve_part(s, s->parts[i].first, s->parts[i].last);
    s->n_parts = base;
    return ok;
}

static bool solve_part(struct pack_search *s, uint32_t first, uint32_t last)
{
    if (!enter(s))
        return false;
    uint32_t slot;
    uint64_t key = part_key(s, first, last, &slot);
    if (s->known[slot] == key)
        return false;
    uint32_t section = choose_section(s, first, last), base = s->n_options;
    list_options(s, first, last, section);
    size_t mark = s->n_trail;
    bool found = false;
    s->depth++;
    for (uint32_t i = base, end = s->n_options; !found && !s->stopped && i <= end; i++) {
        bool alive = i < end ? place(s, s->options[i].buffer) : leave_open(s, section);
        if (!alive) {
            queue_clear(&s->risen);
            queue_clear(&s->stale);
        }
        found = alive && infer(s) && solve_parts(s, first, last);
        if (!found)
            undo(s, mark);
    }
    s->depth--;
    s->n_options = base;
    if (!found && !s->stopped && s->plan->loose_from < 0)
        s->known[slot] = key;
    return found;
}

/* ---- A try ---- */

struct pack_search *pack_search_new(struct arena *a, struct pack_run *r)
{
    struct pack_search *s = arena_get(a, sizeof *s);
    const struct pack_model *m = s->m = r->shared->m;
    uint32_t n = m->n, sections = m->n_sections;
    s->run = r;
    s->arena = a;
    s->floor = arena_array(a, sections, sizeof *s->floor);
    s->top = arena_array(a, sections, sizeof *s->top);
    s->left = arena_array(a, sections, sizeof *s->left);
    s->lowest = arena_array(a, sections, sizeof *s->lowest);
    s->crossing = arena_array(a, sections, sizeof *s->crossing);
    s->risen.items = arena_array(a, sections, sizeof *s->risen.items);
    s->risen.has = arena_array(a, sections, sizeof *s->risen.has);
    s->stale.items = arena_array(a, sections, sizeof *s->stale.items);
    s->stale.has = arena_array(a, sections, sizeof *s->stale.has);
    s->least = arena_array(a, n, sizeof *s->least);
    s->offset = arena_array(a, n, sizeof *s->offset);
    s->placed = arena_array(a, n, sizeof *s->placed);
    s->best_placed = arena_array(a, n, sizeof *s->best_placed);
    s->best_offset = arena_array(a, n, sizeof *s->best_offset);
    s->guide = arena_array(a, n, sizeof *s->guide);
    s->cap_trail = 4096;
    s->trail = arena_array(a, s->cap_trail, sizeof *s->trail);
    s->cap_parts = 64;
    s->parts = arena_array(a, s->cap_parts, sizeof *s->parts);
    s->cap_options = 1024;
    s->options = arena_array(a, s->cap_options, sizeof *s->options);
    s->sort_least = arena_array(a, m->crowd, sizeof *s->sort_least);
    s->sort_size = arena_array(a, m->crowd, sizeof *s->sort_size);
    s->known = arena_array(a, (size_t)1 << KNOWN_BITS, sizeof *s->known);
    s->name = arena_array(a, n, sizeof *s->name);
    s->smallest = INT64_MAX;
    for (uint32_t b = 0; b < n; b++) {
        s->name[b] = mix(b + 0x9e3779b97f4a7c15u);
        if (m->size[b] < s->smallest)
            s->smallest = m->size[b];
    }
    pack_fit_new(a, &s->fit, m);
    s->rest = arena_array(a, n, sizeof *s->rest);
    return s;
}

static void start(struct pack_search *s, const struct pack_plan *plan)
{
    const struct pack_model *m = s->m;
    uint32_t n = m->n_sections;
    s->plan = plan;
    s->height = plan->height;
    s->rounded = pack_align(plan->height, m->grain);
    s->lower = pack_align(atomic_load(&s->run->shared->lower), m->grain);
    s->last_node = s->run->steps + plan->nodes;
    s->stopped = false;
    s->area = 0;
    s->best_area = -1;
    s->n_trail = s->n_parts = s->n_options = s->depth = 0;
    memset(s->floor, 0, n * sizeof *s->floor);
    memset(s->top, 0, n * sizeof *s->top);
    memset(s->left, 0, n * sizeof *s->left);
    memset(s->lowest, 0, n * sizeof *s->lowest);
    memset(s->crossing, 0, n * sizeof *s->crossing);
    memset(s->least, 0, m->n * sizeof *s->least);
    memset(s->placed, 0, m->n * sizeof *s->placed);
    for (uint32_t b = 0; b < m->n; b++) {
        for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
            s->left[m->section[k]] += m->size[b];
        for (uint32_t k = m->first[b]; k < m->last[b]; k++)
            s->crossing[k]++;
    }
    for (uint32_t k = 0; k < n; k++)
        queue_add(&s->stale, k);
}

enum pack_end pack_search_try(struct pack_search *s, const struct pack_plan *plan)
{
    struct pack_shared *shared = s->run->shared;
    pthread_mutex_lock(&shared->lock);
    memcpy(s->guide, shared->offset, s->m->n * sizeof *s->guide);
    pthread_mutex_unlock(&shared->lock);
    start(s, plan);
    if (infer(s) && solve_parts(s, 0, s->m->n_sections - 1)) {
        pack_record(shared, s->offset);
        return PACK_FOUND;
    }
    return s->stopped || plan->loose_from >= 0 || !s->m->exact ? PACK_STOPPED : PACK_NOTHING;
}

void pack_search_complete(struct pack_search *s)
{
    const struct pack_model *m = s->m;
    if (s->best_area < 0)
        return;
    s->fit.n = 0;
    uint32_t *rest = s->rest, n = 0;
    for (uint32_t b = 0; b < m->n; b++) {
        if (s->best_placed[b]) {
            pack_fit_at(&s->fit, b, s->best_offset[b]);
            continue;
        }
        uint32_t i = n++;
        for (; i && area_of(m, rest[i - 1]) < area_of(m, b); i--)
            rest[i] = rest[i - 1];
        rest[i] = b;
    }
    for (uint32_t i = 0; i < n; i++)
        pack_fit_place(&s->fit, rest[i], true);
    pack_record(s->run->shared, s->fit.offset);
}
