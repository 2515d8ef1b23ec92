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
#include "core/analysis/pack/pack_state.h"

#include <math.h>
#include <string.h>

#define KNOWN_BITS 18
#define DEEPEST 60000 /* levels of recursion; a level takes some 300 bytes of stack */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* ---- Where to branch, and in which order ---- */

static uint32_t stretch_end(const struct pack_search *s, uint32_t from, uint32_t last)
{
    while (from < last && s->floor[from + 1] == s->floor[from])
        from++;
    return from;
}

/* Less is better: branches, then how low it is. */
static double score(const struct pack_search *s, uint32_t t)
{
    int64_t floor = s->floor[t];
    bool open = pack_state_ceiling(s, floor) - floor - s->left[t] >= s->smallest;
    return 4.0 * s->lowest[t] + (open ? 3 : 0) + (double)floor / (double)(s->rounded + 1);
}

static uint32_t choose_deepest(const struct pack_search *s, uint32_t first, uint32_t last)
{
    int64_t deepest = INT64_MAX;
    for (uint32_t t = first; t <= last; t++)
        if (s->left[t] && s->floor[t] < deepest)
            deepest = s->floor[t];
    uint32_t best = first;
    double best_score = INFINITY;
    for (uint32_t t = first; t <= last; t++)
        if (s->left[t] && s->floor[t] == deepest && score(s, t) < best_score) {
            best_score = score(s, t);
            best = t;
        }
    return best;
}

static uint32_t choose_section(const struct pack_search *s, uint32_t first, uint32_t last)
{
    if (s->m->any_gap)
        return choose_deepest(s, first, last);
    uint32_t best = first;
    double best_score = INFINITY;
    for (uint32_t i = first, end; i <= last; i = end + 1) {
        int64_t floor = s->floor[i];
        end = stretch_end(s, i, last);
        if ((i > first && s->floor[i - 1] < floor) || (end < last && s->floor[end + 1] < floor))
            continue;
        for (uint32_t t = i; t <= end; t++)
            if (score(s, t) < best_score) {
                best_score = score(s, t);
                best = t;
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
                    p->flush * flush + p->blame * s->blame[b] / s->most_blame +
                    p->noise * pack_uniform(s->run);
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
        s->options = pack_state_grown(s->arena, s->options, s->cap_options, sizeof *s->options);
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
            s->parts = pack_state_grown(s->arena, s->parts, s->cap_parts, sizeof *s->parts);
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
        bool alive = i < end ? pack_state_place(s, s->options[i].buffer) : pack_state_open(s, section);
        found = alive && pack_state_infer(s) && solve_parts(s, first, last);
        if (!found)
            pack_state_undo(s, mark);
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
    s->blame = arena_array(a, n, sizeof *s->blame);
    s->most_blame = s->blow = 1;
    s->smallest = INT64_MAX;
    for (uint32_t b = 0; b < n; b++) {
        s->name[b] = mix(b + 0x9e3779b97f4a7c15u);
        if (m->size[b] < s->smallest)
            s->smallest = m->size[b];
    }
    pack_fit_new(a, &s->fit, m);
    pack_reduce_new(a, &s->reduce, m);
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
    pack_state_fade(s);
    s->n_trail = s->n_parts = s->n_options = s->depth = 0;
    memset(s->floor, 0, n * sizeof *s->floor);
    memset(s->top, 0, n * sizeof *s->top);
    memset(s->left, 0, n * sizeof *s->left);
    memset(s->lowest, 0, n * sizeof *s->lowest);
    memset(s->crossing, 0, n * sizeof *s->crossing);
    memset(s->least, 0, m->n * sizeof *s->least);
    pack_reduce_to(&s->reduce, plan->height);
    memcpy(s->placed, s->reduce.is_removed, m->n * sizeof *s->placed);
    for (uint32_t b = 0; b < m->n; b++) {
        if (s->placed[b])
            continue;
        for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
            s->left[m->section[k]] += m->size[b];
        for (uint32_t k = m->first[b]; k < m->last[b]; k++)
            s->crossing[k]++;
    }
    for (uint32_t k = 0; k < n; k++)
        pack_state_queue(&s->stale, k);
}

/* The packing that was found, and on it what was left out. */
static void put_back(struct pack_search *s)
{
    const struct pack_reduce *r = &s->reduce;
    s->fit.n = 0;
    for (uint32_t b = 0; b < s->m->n; b++)
        if (!r->is_removed[b])
            pack_fit_at(&s->fit, b, s->offset[b]);
    for (uint32_t i = r->n; i-- > 0;)
        pack_fit_place(&s->fit, r->removed[i], true);
    pack_record(s->run->shared, s->fit.offset);
}

enum pack_end pack_search_try(struct pack_search *s, const struct pack_plan *plan)
{
    struct pack_shared *shared = s->run->shared;
    pthread_mutex_lock(&shared->lock);
    memcpy(s->guide, shared->offset, s->m->n * sizeof *s->guide);
    pthread_mutex_unlock(&shared->lock);
    start(s, plan);
    if (pack_state_infer(s) && solve_parts(s, 0, s->m->n_sections - 1)) {
        put_back(s);
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
        if (s->best_placed[b] && !s->reduce.is_removed[b]) {
            pack_fit_at(&s->fit, b, s->best_offset[b]);
            continue;
        }
        uint32_t i = n++;
        for (; i && pack_state_area(m, rest[i - 1]) < pack_state_area(m, b); i--)
            rest[i] = rest[i - 1];
        rest[i] = b;
    }
    for (uint32_t i = 0; i < n; i++)
        pack_fit_place(&s->fit, rest[i], true);
    pack_record(s->run->shared, s->fit.offset);
}
