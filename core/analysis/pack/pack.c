#include "core/analysis/pack/pack_build.h"

#include <string.h>
#include <time.h>

#define STACK ((size_t)128 << 20) /* of a worker; only what the search's depth needs is touched */

/* ---- What is a problem ---- */

static bool check_gaps(const struct pack_problem *p, uint32_t i, struct diag *d)
{
    const struct pack_buffer *b = &p->buffers[i];
    uint64_t from = b->lower, alive = b->upper - b->lower;
    for (uint32_t k = 0; k < b->gaps.n; k++) {
        const struct pack_range *gap = &p->gaps[b->gaps.first + k];
        if (gap->lower >= gap->upper || gap->lower < from || gap->upper > b->upper)
            return diag_file(d, NULL, "buffer %u: gap %llu-%llu is empty, out of order or outside its life",
                             i, (unsigned long long)gap->lower, (unsigned long long)gap->upper);
        from = gap->upper;
        alive -= gap->upper - gap->lower;
    }
    if (!alive)
        return diag_file(d, NULL, "buffer %u: its gaps leave no time at which it is alive", i);
    return true;
}

bool pack_check(const struct pack_problem *p, struct diag *d)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct pack_buffer *b = &p->buffers[i];
        if (b->lower >= b->upper)
            return diag_file(d, NULL, "buffer %u: upper %llu is not above lower %llu", i,
                             (unsigned long long)b->upper, (unsigned long long)b->lower);
        if (!check_gaps(p, i, d))
            return false;
        if (b->size > PACK_MOST - sum || b->alignment > PACK_MOST - sum - b->size)
            return diag_file(d, NULL, "the sizes and alignments add up to more than 2^61 bytes");
        sum += b->size + b->alignment;
    }
    return true;
}

/* ---- What the workers share ---- */

double pack_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void pack_record(struct pack_shared *s, const int64_t *offset)
{
    const struct pack_model *m = s->m;
    int64_t height = 0;
    for (uint32_t b = 0; b < m->n; b++)
        if (offset[b] + m->real[b] > height)
            height = offset[b] + m->real[b];
    if (height >= atomic_load(&s->height))
        return;
    pthread_mutex_lock(&s->lock);
    if (height < atomic_load(&s->height)) {
        memcpy(s->offset, offset, m->n * sizeof *s->offset);
        atomic_store(&s->height, height);
        if (height <= atomic_load(&s->lower))
            atomic_store(&s->done, true);
    }
    pthread_mutex_unlock(&s->lock);
}

void pack_prove(struct pack_shared *s, int64_t lower)
{
    pthread_mutex_lock(&s->lock);
    if (lower > atomic_load(&s->lower))
        atomic_store(&s->lower, lower);
    if (atomic_load(&s->lower) >= atomic_load(&s->height)) {
        atomic_store(&s->lower, atomic_load(&s->height));
        atomic_store(&s->done, true);
    }
    pthread_mutex_unlock(&s->lock);
}

double pack_progress(const struct pack_run *r)
{
    const struct pack_shared *s = r->shared;
    double time = s->seconds > 0 ? (pack_clock() - s->begin) / s->seconds : 0;
    double steps = r->most_steps ? (double)r->steps / (double)r->most_steps : 0;
    return time > steps ? time : steps;
}

bool pack_over(const struct pack_run *r)
{
    if (pack_progress(r) >= 1)
        atomic_store(&r->shared->done, true);
    return atomic_load(&r->shared->done);
}

uint64_t pack_random(struct pack_run *r)
{
    r->random ^= r->random >> 12;
    r->random ^= r->random << 25;
    r->random ^= r->random >> 27;
    return r->random * 0x2545f4914f6cdd1du;
}

double pack_uniform(struct pack_run *r)
{
    return (double)(pack_random(r) >> 11) * 0x1p-53;
}

/* ---- The workers ---- */

/* What a worker does until which share of the budget. */
enum task { PROVE, DIVE, ANNEAL };
struct phase {
    enum task task;
    double until;
};
static const struct phase proves[] = {{PROVE, 2}};
static const struct phase betters[] = {{DIVE, 0.3}, {ANNEAL, 0.5}, {DIVE, 0.8}, {ANNEAL, 2}};
static const struct phase does_both[] = {{PROVE, 0.1}, {DIVE, 0.15},  {ANNEAL, 0.3}, {PROVE, 0.5},
                                         {DIVE, 0.55}, {ANNEAL, 0.8}, {PROVE, 2}};

struct worker {
    struct pack_run run;
    struct arena arena;
    struct pack_search *search;
    struct pack_anneal *anneal;
    const struct phase *phases; /* the last one's end is never reached */
    uint32_t tries;
};

/* 1 1 2 1 1 2 4 …: no try is much longer than all before it (Luby, Sinclair, Zuckerman 1993). */
static uint64_t luby(uint32_t i)
{
    uint32_t size = 1;
    while (size < i + 1)
        size = 2 * size + 1;
    while (size - 1 != i) {
        size = (size - 1) / 2;
        i %= size;
    }
    return ((uint64_t)size + 1) / 2;
}

static struct pack_plan draw_plan(struct pack_run *r, uint64_t nodes)
{
    struct pack_plan p = {.nodes = nodes, .loose_from = -1};
    p.width = 2 * pack_uniform(r);
    p.size = 2 * pack_uniform(r);
    p.flush = 2 * pack_uniform(r);
    p.blame = 2 * pack_uniform(r);
    p.noise = 2 * pack_uniform(r) * pack_uniform(r);
    return p;
}

static enum pack_end try_plan(struct worker *w, const struct pack_plan *plan)
{
    enum pack_end end = pack_search_try(w->search, plan);
    if (end == PACK_NOTHING)
        pack_prove(w->run.shared, pack_model_above(w->run.shared->m, plan->height));
    return end;
}

/* At the lower bound; once that has been raised, half way to the best. */
static void prove(struct worker *w)
{
    struct pack_run *r = &w->run;
    int64_t lower = atomic_load(&r->shared->lower), height = atomic_load(&r->shared->height);
    struct pack_plan plan = draw_plan(r, (r->shared->m->n + 200) * luby(w->tries));
    if (!w->tries++) {
        plan.width = plan.size = plan.flush = 1;
        plan.blame = plan.noise = 0;
    }
    plan.height = lower;
    if (lower > r->shared->m->lower && height > lower)
        plan.height += (height - 1 - lower) / 2;
    try_plan(w, &plan);
}

/* At a height between bound and best, one of many short tries. */
static void dive(struct worker *w)
{
    struct pack_run *r = &w->run;
    const struct pack_model *m = r->shared->m;
    int64_t lower = atomic_load(&r->shared->lower), height = atomic_load(&r->shared->height);
    struct pack_plan plan = draw_plan(r, (uint64_t)m->n + 200);
    double u = pack_uniform(r), gap = (double)(height - lower);
    if (gap > (double)lower / 8)
        gap = (double)lower / 8;
    plan.height = lower + (int64_t)(gap * (1 - 0.4 * u * u));
    if (plan.height >= height)
        plan.height = height - 1;
    plan.noise *= pack_uniform(r);
    plan.loose_from = pack_uniform(r) < 0.2 ? 0.9 * pack_uniform(r) : -1;
    plan.guide = pack_uniform(r) < 0.5 ? pack_uniform(r) : 0;
    if (try_plan(w, &plan) == PACK_STOPPED)
        pack_search_complete(w->search);
}

static void *work(void *data)
{
    struct worker *w = data;
    struct pack_run *r = &w->run;
    w->search = pack_search_new(&w->arena, r);
    w->anneal = pack_anneal_new(&w->arena, r);
    for (const struct phase *p = w->phases; !pack_over(r); p++)
        while (pack_progress(r) < p->until && !atomic_load(&r->shared->done)) {
            if (p->task == PROVE)
                prove(w);
            else if (p->task == DIVE)
                dive(w);
            else
                pack_anneal_try(w->anneal, p->until < 1 ? p->until : 1);
        }
    arena_free(&w->arena);
    return NULL;
}

/* On a thread of its own for its stack, also when there is only one. */
static bool launch(pthread_t *thread, struct worker *w)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    bool ok = pthread_attr_setstacksize(&attr, STACK) == 0 &&
              pthread_create(thread, &attr, work, w) == 0;
    pthread_attr_destroy(&attr);
    return ok;
}

static void search(struct pack_shared *s, const struct pack_options *o)
{
    unsigned n = o->threads == 1 ? 1 : 2;
    struct worker w[2];
    pthread_t thread[2];
    bool running[2] = {false, false};
    for (unsigned k = 0; k < n; k++) {
        w[k] = (struct worker){.phases = n == 1 ? does_both : k == 0 ? proves : betters};
        w[k].run = (struct pack_run){.shared = s, .most_steps = o->steps};
        w[k].run.random = (o->seed + k + 1) * 0x9e3779b97f4a7c15u | 1;
        running[k] = launch(&thread[k], &w[k]);
    }
    for (unsigned k = 0; k < n; k++)
        if (running[k])
            pthread_join(thread[k], NULL);
}

void pack_solve(struct arena *a, const struct pack_problem *p, const struct pack_options *o,
                struct pack_result *r)
{
    struct arena scratch = {0};
    struct pack_model m;
    double begin = pack_clock();
    *r = (struct pack_result){.offset = arena_array(a, p->n, sizeof *r->offset)};
    pack_model_build(&scratch, &m, p);
    struct pack_shared s = {.m = &m, .height = INT64_MAX, .lower = m.lower};
    s.offset = arena_array(&scratch, m.n, sizeof *s.offset);
    s.begin = begin;
    s.seconds = o->seconds;
    pthread_mutex_init(&s.lock, NULL);
    struct pack_run first = {.shared = &s};
    int64_t fit = pack_fit_start(&scratch, &first);
    r->best_fit = fit >= 0 ? (uint64_t)fit : PACK_NONE;
    if (!atomic_load(&s.done) && m.section)
        search(&s, o);
    pthread_mutex_destroy(&s.lock);
    for (uint32_t b = 0; b < m.n; b++)
        r->offset[m.source[b]] = (uint64_t)s.offset[b];
    r->height = m.n ? (uint64_t)s.height : 0;
    r->lower_bound = (uint64_t)s.lower;
    r->optimal = r->height == r->lower_bound;
    r->seconds = pack_clock() - begin;
    arena_free(&scratch);
}
