/* Tapes on the host: one dispatch for each step and block. */
#include "gpu/host/tape.h"
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/host/host.h"

#include <string.h>

static int64_t read_index(const char *at, uint8_t type)
{
    struct elem e = elem_of(type);
    int64_t v = 0;
    elem_load(&e, at, 1, &v, 1);
    return v;
}

static int64_t start_of(const struct access *a, const struct unit_call *e)
{
    int64_t start[TAPE_DYNS];
    for (uint32_t k = 0; k < a->n_dyns; k++)
        start[k] = read_index(e->at[a->dyn[k].buf], a->dyn[k].type);
    return access_start(a, start);
}

char *access_base(const struct access *a, const struct unit_call *e)
{
    return e->at[a->buf] + start_of(a, e) * a->elem.size;
}

void tape_bind(struct tape_bound *b, const struct tape *t, const struct unit_call *e)
{
    b->tape = t;
    b->base = memory_zeroed(1, t->n_access * sizeof *b->base);
    b->first = memory_zeroed(1, t->n_access * sizeof *b->first);
    for (uint32_t k = 0; k < t->n_access; k++) {
        if (t->access[k].buf == UINT32_MAX)
            b->first[k] = start_of(&t->access[k], e);
        else
            b->base[k] = access_base(&t->access[k], e);
    }
}

void tape_unbind(struct tape_bound *b)
{
    free(b->base);
    free(b->first);
}

/* ---- Accesses ---- */

struct walk {
    int64_t index[TAPE_LOOPS], at;
};

static void walk_begin(struct walk *w, const struct access *a, int64_t at)
{
    w->at = 0;
    for (uint32_t d = a->n_merged; d-- > 0;) {
        w->index[d] = at % a->merged[d].size;
        at /= a->merged[d].size;
        w->at += w->index[d] * a->merged[d].stride;
    }
}

static void walk_on(struct walk *w, const struct access *a, int64_t n)
{
    uint32_t d = a->n_merged - 1;
    w->index[d] += n;
    w->at += n * a->merged[d].stride;
    while (w->index[d] == a->merged[d].size && d > 0) {
        w->at -= w->index[d] * a->merged[d].stride;
        w->index[d--] = 0;
        w->index[d]++;
        w->at += a->merged[d].stride;
    }
}

static int64_t run_length(const struct walk *w, const struct access *a, size_t left)
{
    int64_t run = a->merged[a->n_merged - 1].size - w->index[a->n_merged - 1];
    return run < (int64_t)left ? run : (int64_t)left;
}

enum { SHORT_RUN = 16 };

static void access_load(const struct access *a, const char *base, int64_t at, void *reg, size_t n)
{
    if (n == 0)
        return;
    if (a->n_merged == 0) {
        elem_load(&a->elem, base, 0, reg, n);
        return;
    }
    struct walk w;
    walk_begin(&w, a, at);
    if (a->merged[a->n_merged - 1].size < SHORT_RUN) {
        int64_t where[TAPE_BLOCK];
        for (size_t k = 0; k < n; k++) {
            where[k] = w.at;
            if (k + 1 < n)
                walk_on(&w, a, 1);
        }
        elem_gather(&a->elem, base, where, reg, n);
        return;
    }
    size_t size = class_size(a->elem.cls);
    for (size_t k = 0; k < n;) {
        int64_t run = run_length(&w, a, n - k);
        elem_load(&a->elem, base + w.at * a->elem.size, a->merged[a->n_merged - 1].stride, (char *)reg + k * size,
                  (size_t)run);
        k += (size_t)run;
        if (k < n)
            walk_on(&w, a, run);
    }
}

void access_store(const struct access *a, char *base, int64_t at, const void *reg, size_t n)
{
    if (a->n_merged == 0) {
        elem_store(&a->elem, reg, base, 1, n ? 1 : 0);
        return;
    }
    struct walk w;
    walk_begin(&w, a, at);
    size_t size = class_size(a->elem.cls);
    for (size_t k = 0; k < n;) {
        int64_t run = run_length(&w, a, n - k);
        elem_store(&a->elem, (const char *)reg + k * size, base + w.at * a->elem.size,
                   a->merged[a->n_merged - 1].stride, (size_t)run);
        k += (size_t)run;
        if (k < n)
            walk_on(&w, a, run);
    }
}

static void access_index(const struct access *a, int64_t first, int64_t at, int64_t *reg, size_t n)
{
    struct walk w;
    if (a->n_merged == 0) {
        for (size_t k = 0; k < n; k++)
            reg[k] = first;
        return;
    }
    walk_begin(&w, a, at);
    for (size_t k = 0; k < n;) {
        int64_t run = run_length(&w, a, n - k), step = a->merged[a->n_merged - 1].stride;
        for (int64_t j = 0; j < run; j++)
            reg[k + (size_t)j] = first + w.at + j * step;
        k += (size_t)run;
        if (k < n)
            walk_on(&w, a, run);
    }
}

/* ---- Steps ---- */

static void run_step(struct tape_regs *r, const struct step *s, int64_t at, size_t n)
{
    const struct tape_bound *b = r->bound;
    const struct access *a = s->kind == STEP_LOAD || s->kind == STEP_INDEX ? &b->tape->access[s->access] : NULL;
    switch (s->kind) {
    case STEP_VOP:
        vec_apply((enum vop)s->vop, &s->in, &s->out, r->reg[s->a], s->b == NO_REG ? NULL : r->reg[s->b],
                  s->c == NO_REG ? NULL : r->reg[s->c], r->reg[s->dst], n, s->param);
        break;
    case STEP_LOAD:
        if (access_is_row(a) && elem_is_native(&a->elem) && a->n_merged)
            r->reg[s->dst] = b->base[s->access] + at * a->elem.size;
        else
            access_load(a, b->base[s->access], at, r->reg[s->dst], n);
        break;
    case STEP_INDEX:
        access_index(a, b->first[s->access], at, r->reg[s->dst], n);
        break;
    case STEP_IMMEDIATE:
        memcpy(r->reg[s->dst], &s->immediate, class_size(s->out.cls));
        break;
    case STEP_SPLAT:
        vec_splat(s->out.cls, r->reg[s->a], r->reg[s->dst], TAPE_BLOCK);
        break;
    default:
        break;
    }
}

static void own_block(struct tape_regs *r, uint16_t reg)
{
    r->reg[reg] = r->memory + (size_t)reg * TAPE_BLOCK * REG_BYTES;
}

void regs_open(struct tape_regs *r, const struct tape_bound *b)
{
    const struct tape *t = b->tape;
    r->bound = b;
    r->memory = memory_get((size_t)t->n_regs * TAPE_BLOCK * REG_BYTES + 64);
    r->reg = memory_zeroed(1, t->n_regs * sizeof *r->reg);
    for (uint32_t k = 0; k < t->n_regs; k++)
        own_block(r, (uint16_t)k);
    for (uint32_t k = 0; k < t->n; k++)
        if (t->steps[k].uniform || t->steps[k].kind == STEP_SPLAT)
            run_step(r, &t->steps[k], 0, 1);
}

void regs_close(struct tape_regs *r)
{
    free(r->memory);
    free(r->reg);
}

/* `arguments` of a region, `out` of other tapes. */
static void run_steps(struct tape_regs *r, int64_t at, size_t n, void *out, void *const *arguments)
{
    const struct tape *t = r->bound->tape;
    for (uint32_t k = 0; k < t->n; k++) {
        const struct step *s = &t->steps[k];
        if (s->uniform || s->kind == STEP_SPLAT)
            continue;
        own_block(r, s->dst);
        if (out && k + 1 == t->n && s->kind == STEP_VOP && s->dst == t->result[0])
            r->reg[s->dst] = out;
        if (s->kind == STEP_ARGUMENT)
            r->reg[s->dst] = arguments[s->access];
        else
            run_step(r, s, at, n);
    }
}

void tape_block(struct tape_regs *r, int64_t at, size_t n, void *out)
{
    run_steps(r, at, n, out, NULL);
}

void tape_region(struct tape_regs *r, void *const *arguments, size_t n)
{
    run_steps(r, 0, n, NULL, arguments);
}

/* ---- Maps ---- */

struct map_job {
    const struct stage *s;
    struct tape_bound bound;
    char *store;
    int64_t total, part;
};

static bool tape_is_fill(const struct tape *t)
{
    for (uint32_t k = 0; k < t->n; k++)
        if (t->steps[k].uniform && t->steps[k].dst == t->result[0])
            return true; /* registers of uniform steps are theirs alone */
    return false;
}

static void map_part(void *ctx, uint64_t k, unsigned worker)
{
    const struct map_job *j = ctx;
    (void)worker;
    struct tape_regs r;
    const struct access *a = &j->s->store;
    bool direct = access_is_row(a) && elem_is_native(&a->elem);
    int64_t at = (int64_t)k * j->part, end = at + j->part < j->total ? at + j->part : j->total;
    uint16_t result = j->s->tape.result[0];
    regs_open(&r, &j->bound);
    if (tape_is_fill(&j->s->tape)) /* only the first element was made */
        vec_splat(a->elem.cls, r.reg[result], r.reg[result], TAPE_BLOCK);
    for (; at < end; at += TAPE_BLOCK) {
        size_t n = end - at < TAPE_BLOCK ? (size_t)(end - at) : TAPE_BLOCK;
        char *out = direct ? j->store + at * a->elem.size : NULL;
        tape_block(&r, at, n, out);
        if (direct && r.reg[result] != (void *)out)
            elem_store(&a->elem, r.reg[result], out, 1, n);
        else if (!direct)
            access_store(a, j->store, at, r.reg[result], n);
    }
    regs_close(&r);
}

void host_map(const struct unit_call *e, const struct stage *s)
{
    struct map_job j = {.s = s, .total = 1, .store = access_base(&s->store, e)};
    for (uint32_t k = 0; k < s->n_loops; k++)
        j.total *= s->size[k];
    int64_t most = (int64_t)1 << 16;
    j.part = j.total > most ? most : j.total;
    if (j.total == 0)
        return;
    tape_bind(&j.bound, &s->tape, e);
    threads_each(e->threads, (uint64_t)((j.total + j.part - 1) / j.part), map_part, &j);
    tape_unbind(&j.bound);
}
