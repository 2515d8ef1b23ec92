/* Programs and their buffer assignments written by hand as HloProto, for tests of its reader: a spec says
 * what is in them, and how it is written; marks say where. */
#ifndef TESTS_PROTO_PROGRAM_H
#define TESTS_PROTO_PROGRAM_H

#include "core/load/text/hlo_text.h"
#include "tests/support/proto_writer.h"
#include "tests/support/tables.h"

enum { MOST_INSTS = 20, MOST_COMPS = 4 };

struct inst {
    const char *name, *opcode, *shape;
    int64_t id;
    int64_t operands[4];
    int n_operands;
    int64_t calls[2];
    int n_calls;
    int64_t number; /* parameter number or tuple index */
    const char *kind, *target, *config, *op_name, *file;
    int line, frame;
    bool aliases; /* output {1} is operand 0 */
    const char *direction;
    const char *literal; /* LiteralProto, written as it stands */
    size_t literal_n;
    int64_t slice[2][3];
    int n_slices;
};

#define NO_OPS       .n_operands = 0
#define OPS1(a)      .operands = {a}, .n_operands = 1
#define OPS2(a, b)   .operands = {a, b}, .n_operands = 2
#define CALLS1(a)    .calls = {a}, .n_calls = 1
#define CALLS2(a, b) .calls = {a, b}, .n_calls = 2

struct value {
    int64_t id, size, inst, path[2];
    int n_path;
    const char *name;
    int64_t color;
};

struct alloc {
    int64_t index, size;
    bool thread_local_, parameter, live_out, tuple, constant;
    int64_t number, color;
    int64_t assigned[3][3]; /* buffer, offset, size */
    int n_assigned;
};

struct comp {
    const char *name;
    int64_t id, root;
    int n; /* instructions */
    int64_t order[10];
    int n_order;
};

struct spec {
    struct comp comp[MOST_COMPS];
    struct inst inst[MOST_INSTS]; /* of all computations, one after the other */
    int n_comps;
    int64_t entry, schedule_of; /* schedule_of: instead of the first computation's id, if not 0 */
    int64_t alias_out[2], alias_param, alias_path[2];
    int n_alias_out, n_alias_path;
    int64_t donor_param, donor_path[2];
    int n_donor_path;
    bool has_alias, has_frames, has_donor;
    bool has_assignment, recent;
    struct value value[6];
    int n_values;
    struct alloc alloc[6];
    int n_allocs;
    /* how it is written */
    bool single;        /* repeated integers one by one */
    bool noise;         /* unknown fields everywhere */
    bool parts_first;   /* schedule and aliasing before the computations */
    const char *shape;  /* bytes in place of the shape of instruction 3 */
    size_t shape_n;
};

/* Where the contents start; what a message may point at. */
enum mark { AT_MODULE, AT_ALIAS, AT_DONOR, AT_SHAPE, AT_COMP, AT_SEQUENCE = AT_COMP + MOST_COMPS,
            AT_INST = AT_SEQUENCE + MOST_COMPS, AT_VALUE = AT_INST + MOST_INSTS,
            AT_ALLOC = AT_VALUE + 6, MARKS = AT_ALLOC + 6 };

static inline void nonzero(struct pb *p, uint32_t field, int64_t n)
{
    if (n)
        pb_int(p, field, n);
}

static inline void noise(const struct spec *s, struct pb *p)
{
    if (!s->noise)
        return;
    pb_int(p, 900, -1);
    pb_text(p, 901, "unknown");
    pb_bytes(p, 902, "", 0);
    pb_tag(p, 903, 1);
    for (int i = 0; i < 8; i++)
        pb_byte(p, 0xFF);
    pb_tag(p, 536870911, 5);
    for (int i = 0; i < 4; i++)
        pb_byte(p, 0xFF);
}

static inline void write_shape(struct pb *p, const char *text)
{
    struct arena a = {0};
    struct shapes s = {.arena = &a};
    shape_id id;
    assert_true(shape_parse(&s, &text, &id));
    pb_shape(p, &s, id);
    arena_free(&a);
}

static inline void write_inst(const struct spec *s, struct pb *p, const struct inst *x, size_t *mark)
{
    bool is_third = x == &s->inst[3];
    pb_text(p, 1, x->name);
    pb_text(p, 2, x->opcode);
    noise(s, p);
    if (is_third && s->shape)
        pb_tag(p, 3, 2), pb_varint(p, s->shape_n), mark[AT_SHAPE] = p->n;
    for (size_t i = 0; is_third && s->shape && i < s->shape_n; i++)
        pb_byte(p, (uint8_t)s->shape[i]);
    if (x->shape && !(is_third && s->shape)) {
        size_t shape = pb_open(p, 3);
        write_shape(p, x->shape);
        noise(s, p);
        pb_close(p, shape);
    }
    size_t meta = pb_open(p, 7);
    pb_text(p, 2, x->op_name);
    pb_text(p, 3, x->file);
    nonzero(p, 4, x->line);
    nonzero(p, 15, x->frame);
    noise(s, p);
    pb_close(p, meta);
    nonzero(p, strcmp(x->opcode, "parameter") ? 13 : 9, x->number);
    pb_text(p, 11, x->kind);
    pb_text(p, 28, x->target);
    nonzero(p, 35, x->id);
    pb_ints(p, 36, x->operands, (size_t)x->n_operands, !s->single);
    pb_ints(p, 38, x->calls, (size_t)x->n_calls, !s->single);
    pb_text(p, 43, x->config);
    pb_text(p, 63, x->direction);
    if (x->literal)
        pb_bytes(p, 8, x->literal, x->literal_n);
    for (int k = 0; k < x->n_slices; k++) {
        size_t slice = pb_open(p, 17);
        for (uint32_t f = 0; f < 3; f++)
            nonzero(p, f + 1, x->slice[k][f]);
        pb_close(p, slice);
    }
    if (x->aliases) {
        size_t alias = pb_open(p, 74);
        pb_ints(p, 1, (int64_t[]){1}, 1, !s->single);
        pb_close(p, alias);
    }
}

static inline void write_schedule(const struct spec *s, struct pb *p, size_t *mark)
{
    size_t schedule = pb_open(p, 7);
    for (int c = 0; c < s->n_comps; c++) {
        if (!s->comp[c].n_order)
            continue;
        size_t entry = mark[AT_SEQUENCE + c] = pb_open(p, 1);
        nonzero(p, 1, c == 0 && s->schedule_of ? s->schedule_of : s->comp[c].id);
        size_t ids = pb_open(p, 2);
        pb_ints(p, 1, s->comp[c].order, (size_t)s->comp[c].n_order, !s->single);
        pb_close(p, ids);
        noise(s, p);
        pb_close(p, entry);
    }
    pb_close(p, schedule);
    if (s->has_donor) {
        size_t donors = pb_open(p, 18), donor = mark[AT_DONOR] = pb_open(p, 1);
        nonzero(p, 1, s->donor_param);
        pb_ints(p, 2, s->donor_path, (size_t)s->n_donor_path, !s->single);
        pb_close(p, donor);
        pb_close(p, donors);
    }
    if (!s->has_alias)
        return;
    size_t aliases = pb_open(p, 8), alias = mark[AT_ALIAS] = pb_open(p, 1);
    pb_ints(p, 1, s->alias_out, (size_t)s->n_alias_out, !s->single);
    nonzero(p, 2, s->alias_param);
    pb_ints(p, 3, s->alias_path, (size_t)s->n_alias_path, !s->single);
    pb_int(p, 4, 1);
    pb_close(p, alias);
    noise(s, p);
    pb_close(p, aliases);
}

static inline void write_frames(struct pb *p)
{
    size_t frames = pb_open(p, 17), part;
    pb_text(p, 1, "scan.py");
    pb_text(p, 2, "body");
    pb_text(p, 2, "step");
    part = pb_open(p, 3);
    pb_int(p, 1, 1), pb_int(p, 2, 1), pb_int(p, 3, 21), pb_int(p, 4, 5);
    pb_close(p, part);
    part = pb_open(p, 3);
    pb_int(p, 1, 1), pb_int(p, 2, 2), pb_int(p, 3, 40), pb_int(p, 4, 9);
    pb_close(p, part);
    part = pb_open(p, 4); /* 1 */
    pb_int(p, 1, 2);
    pb_close(p, part);
    part = pb_open(p, 4); /* 2 */
    pb_int(p, 1, 1), pb_int(p, 2, 1);
    pb_close(p, part);
    part = pb_open(p, 4); /* 3: points outside, which is taken as none */
    pb_int(p, 1, 9), pb_int(p, 2, 7);
    pb_close(p, part);
    pb_close(p, frames);
}

static inline void write_assignment(const struct spec *s, struct pb *p, size_t *mark)
{
    size_t assignment = pb_open(p, 3);
    for (int k = 0; k < s->n_values; k++) {
        const struct value *v = &s->value[k];
        size_t value = mark[AT_VALUE + k] = pb_open(p, 1);
        nonzero(p, 1, v->id);
        nonzero(p, 2, v->size);
        size_t at = pb_open(p, 3);
        pb_text(p, 2, v->name);
        pb_ints(p, 3, v->path, (size_t)v->n_path, !s->single);
        nonzero(p, 4, v->inst);
        pb_close(p, at);
        nonzero(p, 4, v->color);
        noise(s, p);
        pb_close(p, value);
    }
    for (int k = 0; k < s->n_allocs; k++) {
        const struct alloc *a = &s->alloc[k];
        size_t alloc = mark[AT_ALLOC + k] = pb_open(p, 3);
        nonzero(p, 1, a->index);
        nonzero(p, 2, a->size);
        nonzero(p, 3, a->thread_local_);
        nonzero(p, 5, a->parameter);
        nonzero(p, 6, a->number);
        nonzero(p, 7, a->live_out);
        nonzero(p, 8, a->color);
        for (int j = 0; j < a->n_assigned; j++) {
            size_t assigned = pb_open(p, 9);
            for (uint32_t f = 0; f < 3; f++)
                nonzero(p, f + 1, a->assigned[j][f]);
            pb_close(p, assigned);
        }
        nonzero(p, 11, a->tuple);
        nonzero(p, 12, a->constant);
        pb_close(p, alloc);
    }
    if (s->recent)
        pb_text(p, 5, "x");
    noise(s, p);
    pb_close(p, assignment);
}

static inline void write_spec(const struct spec *s, struct pb *p, size_t mark[MARKS])
{
    size_t module = mark[AT_MODULE] = pb_open(p, 1);
    const struct inst *x = s->inst;
    pb_text(p, 1, "jit_f");
    pb_text(p, 2, "main");
    if (s->parts_first) {
        nonzero(p, 6, s->entry);
        write_schedule(s, p, mark);
        if (s->has_frames)
            write_frames(p);
    }
    for (int c = 0; c < s->n_comps; c++) {
        size_t comp = mark[AT_COMP + c] = pb_open(p, 3);
        pb_text(p, 1, s->comp[c].name);
        for (int k = 0; k < s->comp[c].n; k++, x++) {
            size_t inst = mark[AT_INST + (x - s->inst)] = pb_open(p, 2);
            write_inst(s, p, x, mark);
            noise(s, p);
            pb_close(p, inst);
        }
        nonzero(p, 5, s->comp[c].id);
        nonzero(p, 6, s->comp[c].root);
        noise(s, p);
        pb_close(p, comp);
    }
    if (!s->parts_first) {
        nonzero(p, 6, s->entry);
        write_schedule(s, p, mark);
        if (s->has_frames)
            write_frames(p);
    }
    noise(s, p);
    pb_close(p, module);
    noise(s, p);
    if (s->has_assignment)
        write_assignment(s, p, mark);
}

/* A real one. */
#define CELL "fixtures/grid/a100-d1048576-s4-u1/module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb"

#define A (INT64_C(1) << 32)
#define B (INT64_C(2) << 40)
#define M (INT64_C(3) << 62) /* negative: ids are 64 bits */
#define CARRY "(s32[], f32[4]{0})"

/* Every kind of thing that a program may hold. */

static const struct spec everything = {
    .comp = {{"fused", 0, 1, 2, {0}, 0},
             {"body", A, A + 4, 5, {A, A + 2, A + 1, A + 3, A + 4}, 5},
             {"cond", B, B + 2, 3, {B, B + 1, B + 2}, 3},
             {"main", M, M + 6, 7, {M + 1, M, M + 2, M + 3, M + 4, M + 5, M + 6}, 7}},
    .n_comps = 4,
    .inst = {{"p", "parameter", "f32[4]{0:T(128)(2,1)E(16)S(5)}", 0, NO_OPS},
             {"n", "negate", "f32[4]{0}", 1, OPS1(0)},
             {"bp", "parameter", CARRY, A, NO_OPS},
             {"bi", "get-tuple-element", "s32[]", A + 1, OPS1(A)},
             {"bf", "get-tuple-element", "f32[4]{0}", A + 2, OPS1(A), .number = 1},
             {"bn", "add", "s32[]", A + 3, OPS2(A + 1, A + 1)},
             {"bt", "tuple", CARRY, A + 4, OPS2(A + 3, A + 2)},
             {"cp", "parameter", CARRY, B, NO_OPS},
             {"ci", "get-tuple-element", "s32[]", B + 1, OPS1(B)},
             {"cc", "compare", "pred[]", B + 2, OPS2(B + 1, B + 1)},
             {"x", "parameter", "f32[4]{0}", M, NO_OPS},
             {"i", "constant", "s32[]", M + 1, NO_OPS},
             {"f", "fusion", "f32[4]{0}", M + 2, OPS1(M), CALLS1(0), .kind = "kLoop",
              .op_name = "jit(f)/neg", .file = "a.py", .line = 7},
             {"t", "tuple", CARRY, M + 3, OPS2(M + 1, M + 2), .file = "a.py", .line = 7,
              .frame = 99},
             {"w", "while", CARRY, M + 4, OPS1(M + 3), CALLS2(A, B),
              .config = "{\"known_trip_count\":{\"n\":\"4\"}}", .file = "old.py", .line = 3,
              .frame = 2},
             {"g", "get-tuple-element", "f32[4]{0}", M + 5, OPS1(M + 4), .number = 1, .frame = 3},
             {"c", "custom-call", "(f32[4]{0}, f32[4]{0})", M + 6, OPS2(M + 5, M + 2),
              .target = "my_call", .aliases = true}},
    .entry = M,
    .has_alias = true,
    .alias_out = {1},
    .n_alias_out = 1,
    .has_frames = true,
};

/* A little program, the one that tests break. */

static const struct spec small = {
    .comp = {{"c", 10, 12, 2, {11, 12}, 2}, {"e", 20, 23, 3, {21, 22, 23}, 3}},
    .n_comps = 2,
    .inst = {{"p", "parameter", "f32[2]", 11, NO_OPS},
             {"n", "negate", "f32[2]", 12, OPS1(11)},
             {"x", "parameter", "f32[2]", 21, NO_OPS},
             {"k", "call", "f32[2]", 22, OPS1(21), CALLS1(10)},
             {"r", "negate", "f32[2]", 23, OPS1(22)}},
    .entry = 20,
    .has_alias = true,
    .has_assignment = true,
    .value = {{0, 8, .inst = 21}, {1, 8, .inst = 12}, {2, 8, .inst = 23}},
    .n_values = 3,
    .alloc = {{0, 8, .parameter = true, .live_out = true, .assigned = {{0, 0, 8}, {2, 0, 8}},
               .n_assigned = 2},
              {1, 256, .assigned = {{1, 128, 8}}, .n_assigned = 1}},
    .n_allocs = 2,
};

#endif
