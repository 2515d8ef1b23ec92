/* Programs made by hand for tests of the explorer: small ones whose every figure is known, odd ones,
 * and one that is huge. */
#ifndef TESTS_PROGRAM_SAMPLE_H
#define TESTS_PROGRAM_SAMPLE_H

#include "core/analysis/program/roles.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_GIB (1ull << 30)

enum sample_kind {
    SAMPLE_SCAN,    /* 30 steps, two loops, 15 buffers, as the rolled scan of four steps */
    SAMPLE_NESTED,  /* the same with loops in loops */
    SAMPLE_NO_HLO,  /* the same without instructions and sources */
    SAMPLE_NO_LIFE, /* neither HLO nor ranges */
    SAMPLE_ODD,     /* the same with names that would harm a terminal */
    SAMPLE_ONE,     /* one step, one buffer */
    SAMPLE_EMPTY,   /* no buffers at all */
    SAMPLE_SPIKE,   /* 5,000 steps, one of them high */
    SAMPLE_SPACES,  /* the scan on a TPU, with buffers in vmem and smem */
    SAMPLE_HUGE,    /* 200,000 steps, 100,000 buffers */
    SAMPLE_ALIVE,   /* the same, and all are alive all the time; 20,000 loops */
    SAMPLE_KINDS
};

struct sample {
    struct module module;
    struct program program;
};

struct sample_buffer {
    const char *name, *shape, *op_name;
    uint32_t line, alloc;
    uint64_t offset, size;
    uint32_t start, end;
    uint8_t role;
};

#define S_FWD "jit(step)/jvp()/while/body/closed_call/"
#define S_BWD "jit(step)/transpose(jvp())/while/body/closed_call/"

static const struct sample_buffer sample_scan[] = {
    {"m__w2__.1", "f32[1024,1048576]", "m['w2']", 0, 0, 0, 4 * SAMPLE_GIB, 0, 4, ROLE_DONATED},
    {"x.1", "f32[4,1]", "x", 0, 2, 0, 16, 0, 30, ROLE_PARAMETER},
    {"m__w1__.1", "f32[1,1024]", "m['w1']", 0, 3, 0, 4096, 0, 30, ROLE_PARAMETER},
    {"loop_broadcast_fusion.2", "f32[4,1024,1048576]", "jit(step)/jvp()/broadcast_in_dim", 19, 1, 0,
     16 * SAMPLE_GIB, 2, 5, ROLE_STACK},
    {"arg_tuple.1{2}", "f32[1024,1048576]", NULL, 19, 0, 0, 4 * SAMPLE_GIB, 4, 11, ROLE_CARRY},
    {"arg_tuple.1{3}", "f32[4,1024,1048576]", NULL, 19, 1, 0, 16 * SAMPLE_GIB, 5, 11, ROLE_STACK},
    {"loop_dynamic_update_slice_fusion.6", "f32[4,1024,1048576]", S_FWD "dynamic_update_slice", 19,
     1, 0, 16 * SAMPLE_GIB, 11, 13, ROLE_STACK},
    {"loop_multiply_fusion", "f32[1024,1048576]", S_FWD "mul", 17, 0, 0, 4 * SAMPLE_GIB, 12, 14, ROLE_CARRY},
    {"while.16{3}", "f32[4,1024,1048576]", "jit(step)/jvp()/while", 19, 1, 0, 16 * SAMPLE_GIB, 13, 26, ROLE_STACK},
    {"while.16{5}", "f32[4]", "jit(step)/jvp()/while", 19, 1, 20 * SAMPLE_GIB, 16, 13, 26, ROLE_STACKED},
    {"loop_broadcast_fusion", "f32[1024,1048576]", "jit(step)/transpose(jvp())/broadcast_in_dim", 19,
     0, 0, 4 * SAMPLE_GIB, 15, 18, ROLE_COTANGENT},
    {"arg_tuple.4{2}", "f32[1024,1048576]", NULL, 19, 0, 0, 4 * SAMPLE_GIB, 18, 26, ROLE_COTANGENT},
    {"input_dynamic_slice_reduce_fusion{0}", "f32[1,1024,1048576]", S_BWD "dynamic_slice", 19, 1,
     16 * SAMPLE_GIB, 4 * SAMPLE_GIB, 19, 24, ROLE_SLICE},
    {"while{2}", "f32[1024,1048576]", "jit(step)/transpose(jvp())/while", 19, 0, 0, 4 * SAMPLE_GIB,
     26, 30, ROLE_OUTPUT},
    {"copy-start.3{0}", "f32[256,1024]", "jit(step)/device_put", 23, 4, 0, 1 << 20, 8, 22, ROLE_SCRATCH},
};
#define SAMPLE_SCAN_N (uint32_t)(sizeof sample_scan / sizeof *sample_scan)
#define SAMPLE_SCAN_STEPS 30u

static const char *const sample_steps[SAMPLE_SCAN_STEPS] = {
    "m__w2__.1", "x.1", "loop_broadcast_fusion.2", "copy.7", "arg_tuple.3", "arg_tuple.1",
    "get-tuple-element.31", "gemm_fusion_dot.3", "copy-start.3", "input_reduce_fusion.1",
    "gemm_fusion_dot.2", "loop_dynamic_update_slice_fusion.6", "loop_multiply_fusion", "while.16",
    "get-tuple-element.44", "loop_broadcast_fusion", "tuple.12", "arg_tuple.2", "arg_tuple.4",
    "input_dynamic_slice_reduce_fusion", "input_reduce_fusion.5", "input_reduce_fusion.4",
    "copy-done.3", "loop_add_fusion.1", "gemm_fusion_dot.4", "loop_add_fusion.2", "while",
    "get-tuple-element.61", "bitcast.9", "tuple.14",
};

static inline void sample_columns(struct program *p, uint32_t n)
{
    struct arena *a = &p->arena;
    p->name_of = arena_array(a, n + 1, sizeof *p->name_of);
    p->shape = arena_array(a, n + 1, sizeof *p->shape);
    p->op_name = arena_array(a, n + 1, sizeof *p->op_name);
    p->file = arena_array(a, n + 1, sizeof *p->file);
    p->line = arena_array(a, n + 1, sizeof *p->line);
    p->size = arena_array(a, n + 1, sizeof *p->size);
    p->offset = arena_array(a, n + 1, sizeof *p->offset);
    p->alloc = arena_array(a, n + 1, sizeof *p->alloc);
    p->start = arena_array(a, n + 1, sizeof *p->start);
    p->end = arena_array(a, n + 1, sizeof *p->end);
    p->slot = arena_array(a, n + 1, sizeof *p->slot);
    p->color = arena_array(a, n + 1, sizeof *p->color);
    p->space = arena_array(a, n + 1, sizeof *p->space);
    p->main = arena_array(a, n + 1, sizeof *p->main);
    p->inst = arena_array(a, n + 1, sizeof *p->inst);
    p->value = arena_array(a, n + 1, sizeof *p->value);
    p->role = arena_array(a, n + 1, sizeof *p->role);
}

static inline void sample_allocation(struct sample *s, uint64_t size, unsigned flags, int32_t color)
{
    struct assignment *as = &s->module.assignment;
    struct allocation *a = list_add(&s->module.arena, &as->allocs, sizeof *a);
    *a = (struct allocation){.index = as->allocs.n - 1, .size = size, .color = color,
                             .flags = flags, .parameter = -1};
}

static inline void sample_instructions(struct sample *s)
{
    struct hlo *h = &s->module.hlo;
    struct program *p = &s->program;
    hlo_init(h, &s->module.arena, "sample");
    hlo_add_comp(h, "main", 1);
    for (uint32_t t = 0; t < p->steps; t++) {
        struct span dims = {0};
        inst_id i = hlo_add_inst(h);
        hlo_inst(h, i)->name = p->step_name[t];
        hlo_inst(h, i)->opcode = strstr(p->step_name[t], "fusion") ? "fusion" : "copy";
        hlo_inst(h, i)->op = OP_OTHER;
        hlo_inst(h, i)->op_name = S_BWD "dot_general";
        hlo_inst(h, i)->file = "/app/scan.py";
        hlo_inst(h, i)->line = 15 + t % 7;
        shape_id sh = shape_open(&h->shapes, TYPE_F32);
        shape_number(&h->shapes, &dims, 1024);
        shape_number(&h->shapes, &dims, 1048576);
        shape_node(&h->shapes, sh)->dims = dims;
        shape_close(&h->shapes, sh);
        hlo_inst(h, i)->shape = sh;
        if (t)
            hlo_add_operand(h, t - 1);
        p->step_inst[t] = i;
    }
    /* module.has_hlo stays false: there is no dataflow that answers could be taken from. */
}

static inline void sample_note(struct program *p, const char *text)
{
    *(const char **)list_add(&p->arena, &p->notes, sizeof(const char *)) = text;
}

static inline void sample_steps_of(struct program *p, uint32_t steps)
{
    p->steps = steps;
    p->step_name = arena_array(&p->arena, steps + 1, sizeof *p->step_name);
    p->step_inst = arena_array(&p->arena, steps + 1, sizeof *p->step_inst);
    for (uint32_t t = 0; t < steps; t++) {
        p->step_inst[t] = HLO_NONE;
        p->step_name[t] = steps == SAMPLE_SCAN_STEPS ? sample_steps[t]
                                                     : arena_printf(&p->arena, "fusion.%u", t);
    }
}

/* The condition is the loop's first step, the body the rest. */
#define S_LOOP(called, from, to, deep, inside, times)                                              \
    {.name = called, .inst = HLO_NONE, .first = from, .last = to, .depth = deep, .parent = inside, \
     .trip_count = times, .condition = {from, 1}, .body = {(from) + 1, (to) - (from)},             \
     .induction = LOOP_NONE, .pair = LOOP_NONE}

static inline void sample_loops(struct program *p, bool nested)
{
    static const struct loop two[] = {
        S_LOOP("while.16", 5, 12, 0, LOOP_NONE, 4), S_LOOP("while", 18, 25, 0, LOOP_NONE, 4),
    }, three[] = {
        S_LOOP("while.16", 5, 25, 0, LOOP_NONE, 4), S_LOOP("while.3", 7, 11, 1, 0, -1),
        S_LOOP("while.9", 14, 24, 1, 0, 1000), S_LOOP("while.10", 17, 22, 2, 2, 8),
    };
    p->loops.n = nested ? 4 : 2;
    p->loops.items = arena_array(&p->arena, p->loops.n, sizeof *p->loops.items);
    memcpy(p->loops.items, nested ? three : two, p->loops.n * sizeof *p->loops.items);
}

static inline void sample_scan_buffers(struct sample *s, bool hlo, bool lives, bool odd)
{
    static const char *const harm[] = {"\x1b[31mred\x1b[0m", "名前.宽.\xf0\x9f\x98\x80", "e\xcc\x81.acute",
                                       "bad\xff\xc3", "tab\tnew\nline",
                                       "", "γράμμα.7",
                                       "\u202egnp.\u200b\ufeff\u2066x\u2069\u0301"};
    struct program *p = &s->program;
    p->n = SAMPLE_SCAN_N;
    sample_columns(p, p->n);
    for (buf_id b = 0; b < p->n; b++) {
        const struct sample_buffer *f = &sample_scan[b];
        p->name_of[b] = odd ? harm[b % 8] : f->name;
        p->shape[b] = f->shape;
        p->op_name[b] = hlo ? odd ? harm[(b + 1) % 8] : f->op_name : NULL;
        p->file[b] = hlo && f->line ? "/app/scan.py" : NULL;
        p->line[b] = hlo ? f->line : 0;
        p->size[b] = f->size;
        p->offset[b] = f->offset;
        p->alloc[b] = f->alloc;
        p->start[b] = lives ? f->start : 0;
        p->end[b] = lives ? f->end : p->steps;
        p->color[b] = f->alloc == 4 ? 5 : 0;
        p->role[b] = f->role;
        p->inst[b] = HLO_NONE;
        p->value[b] = VALUE_NONE;
    }
    sample_allocation(s, 4 * SAMPLE_GIB, ALLOC_PARAMETER | ALLOC_LIVE_OUT, 0);
    sample_allocation(s, 20 * SAMPLE_GIB + 1024, 0, 0);
    sample_allocation(s, 16, ALLOC_PARAMETER, 0);
    sample_allocation(s, 4096, ALLOC_PARAMETER, 0);
    sample_allocation(s, 1 << 20, 0, 5);
    p->has_totals = true;
    p->totals.total = 24 * SAMPLE_GIB + 1024 + 16 + 4096 + (1 << 20);
    p->totals.host_temp = 1 << 20;
}

/* Buffers b of equal size 1 MiB, alive for `life` steps from b * steps / n on. */
static inline void sample_many(struct sample *s, uint32_t n, uint32_t life)
{
    struct program *p = &s->program;
    sample_allocation(s, (uint64_t)n << 20, 0, 0);
    p->n = n;
    sample_columns(p, n);
    for (buf_id b = 0; b < n; b++) {
        uint64_t start = life < p->steps ? (uint64_t)b * p->steps / n : 0;
        p->name_of[b] = arena_printf(&p->arena, "fusion.%u{%u}", b, b % 3);
        p->shape[b] = "f32[512,512]";
        p->op_name[b] = "jit(train)/transformer/layer/attention/dot_general";
        p->file[b] = "/app/train.py";
        p->line[b] = 100 + b % 400;
        p->size[b] = 1 << 20;
        p->start[b] = (uint32_t)start;
        p->end[b] = start + life < p->steps ? (uint32_t)start + life : p->steps;
        p->offset[b] = (uint64_t)b << 20;
        p->inst[b] = HLO_NONE;
        p->value[b] = VALUE_NONE;
    }
}

/* Puts the scan's small allocations into a TPU's other memories. */
static inline void sample_spaces(struct sample *s)
{
    static const int32_t colors[] = {0, 0, 2, 1, 1};
    struct program *p = &s->program;
    s->module.platform = PLATFORM_TPU;
    s->module.device = NULL;
    s->module.device_memory = 0;
    for (uint32_t k = 0; k < 5; k++)
        assignment_alloc(&s->module.assignment, k)->color = colors[k];
    for (buf_id b = 0; b < p->n; b++)
        p->color[b] = colors[p->alloc[b]];
}

/* A loop of a thousand iterations every 20 steps, and another such loop in each. */
static inline void sample_many_loops(struct program *p)
{
    p->loops.n = p->steps / 20 * 2;
    p->loops.items = arena_array(&p->arena, p->loops.n, sizeof *p->loops.items);
    for (uint32_t k = 0; k < p->loops.n; k += 2) {
        uint32_t at = k / 2 * 20;
        struct loop outer = S_LOOP("while.1", at, at + 15, 0, LOOP_NONE, 1000);
        struct loop inner = S_LOOP("while.2", at + 5, at + 10, 1, k, 1000);
        p->loops.items[k] = outer;
        p->loops.items[k + 1] = inner;
    }
}

static inline void sample_make(struct sample *s, enum sample_kind kind)
{
    bool scan = kind <= SAMPLE_ODD || kind == SAMPLE_SPACES, hlo = scan && kind != SAMPLE_NO_HLO && kind != SAMPLE_NO_LIFE;
    struct program *p = &s->program;
    memset(s, 0, sizeof *s);
    p->module = &s->module;
    p->name = s->module.name = kind >= SAMPLE_HUGE ? "jit_train" : "jit_step";
    s->module.platform = PLATFORM_GPU;
    s->module.device = hlo ? "NVIDIA A100-SXM4-80GB" : NULL;
    s->module.device_memory = hlo ? 85100068864ull : 0;
    p->lives = kind == SAMPLE_NO_LIFE ? LIFE_NONE : LIFE_DUMP;
    s->module.has_assignment = kind != SAMPLE_EMPTY;
    static const uint32_t steps[SAMPLE_KINDS] = {30, 30, 30, 0, 30, 1, 1, 5000, 30,
                                                 200000, 200000};
    sample_steps_of(p, steps[kind]);
    if (scan)
        sample_scan_buffers(s, hlo, kind != SAMPLE_NO_LIFE, kind == SAMPLE_ODD);
    if (hlo) {
        sample_instructions(s);
        sample_loops(p, kind == SAMPLE_NESTED);
    }
    if (kind == SAMPLE_NO_HLO)
        sample_note(p, "no HLO in the dump: live ranges are the dump's own, not rerun");
    if (kind == SAMPLE_NO_LIFE)
        sample_note(p, "neither HLO nor live ranges in the dump: every buffer is shown as alive "
                       "throughout");
    if (kind == SAMPLE_ALIVE)
        sample_many_loops(p);
    if (kind == SAMPLE_SPACES)
        sample_spaces(s);
    else if (kind == SAMPLE_HUGE)
        sample_many(s, 100000, 4000);
    else if (kind == SAMPLE_ALIVE)
        sample_many(s, 100000, UINT32_MAX);
    else if (kind == SAMPLE_SPIKE)
        sample_many(s, 500, 40);
    else if (kind == SAMPLE_ONE)
        sample_many(s, 1, 1);
    else if (kind == SAMPLE_EMPTY)
        sample_columns(p, 0);
    program_finish(p);
    if (kind == SAMPLE_SPIKE) {
        p->live[3777] = 64 * SAMPLE_GIB;
        extrema_build(&p->spaces[0].over, p->live, p->live, p->steps + 1, &p->arena);
        p->peak = p->spaces[0].peak = 3777;
    }
}

static inline void sample_free(struct sample *s)
{
    arena_free(&s->program.arena);
    arena_free(&s->module.arena);
}

#endif
