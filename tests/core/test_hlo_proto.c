/* HloProto: what is read, what is refused and with which words, and that nothing crashes. */
#include "core/load/proto/hlo_proto.h"
#include "core/analysis/place/verify.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/hlo_words.h"
#include "tests/support/words.h"
#include "tests/support/proto_writer.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CELL                                                                                       \
    "fixtures/grid/a100-d1048576-s4-u1/module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb"

/* ---- Writing programs ---- */

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

static void nonzero(struct pb *p, uint32_t field, int64_t n)
{
    if (n)
        pb_int(p, field, n);
}

static void noise(const struct spec *s, struct pb *p)
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

static void write_shape(struct pb *p, const char *text)
{
    struct arena a = {0};
    struct shapes s = {.arena = &a};
    shape_id id;
    assert_true(shape_parse(&s, &text, &id));
    pb_shape(p, &s, id);
    arena_free(&a);
}

static void write_inst(const struct spec *s, struct pb *p, const struct inst *x, size_t *mark)
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

static void write_schedule(const struct spec *s, struct pb *p, size_t *mark)
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

static void write_frames(struct pb *p)
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

static void write_assignment(const struct spec *s, struct pb *p, size_t *mark)
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

static void write_spec(const struct spec *s, struct pb *p, size_t mark[MARKS])
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

/* ---- Reading them back in words ---- */

static void put_inst(struct words *o, const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct hlo_alias *alias = h->aliases.items;
    char shape[256];
    put(o, "%s%s #%lld %s %s(", hlo_comp(h, x->comp)->root == i ? "*" : "", x->name,
        (long long)x->id, shape_text(&h->shapes, x->shape, true, shape, sizeof shape), x->opcode);
    for (uint32_t k = 0; k < x->operands.n; k++)
        put(o, "%s%s", k ? " " : "", hlo_inst(h, hlo_operand(h, i, k))->name);
    put(o, ")");
    if (x->number >= 0)
        put(o, " %lld", (long long)x->number);
    put_attributes(o, h, i);
    for (uint32_t k = 0; k < x->calls.n; k++)
        put(o, " @%s", hlo_comp(h, hlo_call(h, i, k))->name);
    for (uint32_t k = x->aliases.first; k < x->aliases.first + x->aliases.n; k++)
        put(o, " %u<-%u.%u", alias[k].out, alias[k].operand, alias[k].operand_node);
    if (x->kind)
        put(o, " kind=%s", x->kind);
    if (x->backend_config)
        put(o, " config=%s", x->backend_config);
    if (x->op_name)
        put(o, " op_name=%s", x->op_name);
    if (x->file)
        put(o, " at %s:%u", x->file, x->line);
    put(o, "\n");
}

static void put_program(struct words *o, const struct hlo *h)
{
    put(o, "%s%s", h->name, h->scheduled ? " scheduled" : "");
    for (uint32_t k = 0; k < h->io_alias.n; k++) {
        const struct hlo_io_alias *a = (const struct hlo_io_alias *)h->io_alias.items + k;
        put(o, " %u<-%lld.%u", a->out, (long long)a->param, a->param_node);
    }
    put_donors(o, h);
    put(o, "\n");
    for (uint32_t f = 1; f < h->frames.n; f++) {
        const struct hlo_frame *x = (const struct hlo_frame *)h->frames.items + f;
        put(o, "frame %u %s %s:%u:%u < %u\n", f, x->function ? x->function : "-",
            x->file ? x->file : "-", x->line, x->column, x->parent);
    }
    for (comp_id c = 0; c < h->comps.n; c++) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        put(o, "%s%s #%lld:", c == h->entry ? "ENTRY " : "", comp->name, (long long)comp->id);
        for (uint32_t k = 0; k < comp->order.n; k++)
            put(o, " %s", hlo_inst(h, ((inst_id *)h->order.items)[comp->order.first + k])->name);
        put(o, "\n");
        for (uint32_t k = 0; k < comp->insts.n; k++)
            put_inst(o, h, comp->insts.first + k);
    }
}

static void put_assignment(struct words *o, const struct assignment *a)
{
    put(o, "assignment%s\n", a->recent ? " recent" : "");
    for (uint32_t k = 0; k < a->allocs.n; k++) {
        const struct allocation *x = assignment_alloc(a, k);
        put(o, "alloc %lld: %llu color %d flags %u parameter %lld%s\n", (long long)x->index,
            (unsigned long long)x->size, x->color, x->flags, (long long)x->parameter,
            allocation_is_temp(x) ? " temp" : "");
    }
    for (uint32_t k = 0; k < a->values.n; k++) {
        const struct dump_value *v = assignment_value(a, k);
        put(o, "value %lld: inst %lld %s {", (long long)v->id, (long long)v->inst,
            v->name ? v->name : "-");
        for (uint32_t i = 0; i < v->path.n; i++)
            put(o, "%s%lld", i ? "," : "", (long long)assignment_path(a, v->path)[i]);
        put(o, "} %llu color %d", (unsigned long long)v->size, v->color);
        if (v->alloc == ALLOC_NONE)
            put(o, " nowhere\n");
        else
            put(o, " in %u at %llu for %llu\n", v->alloc, (unsigned long long)v->offset,
                (unsigned long long)v->reserved);
    }
}

/* A file of its own size: a sanitizer sees any read past its NUL. */
static struct file file_of(const void *bytes, size_t n)
{
    char *copy = malloc(n + 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, bytes, n);
    copy[n] = '\0';
    return (struct file){"x.pb", copy, n};
}

static bool read_back(const void *bytes, size_t n, struct words *o)
{
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    struct assignment a = {.arena = &arena};
    bool has_assignment;
    struct file f = file_of(bytes, n);
    hlo_init(&h, &arena, f.name);
    bool ok = hlo_proto_read(&h, &a, &has_assignment, &f, &d);
    free((char *)f.text);
    o->used = 0;
    if (!ok) {
        char text[2048];
        put(o, "%s", diag_text(&d, text, sizeof text));
    } else {
        put_program(o, &h);
        if (has_assignment)
            put_assignment(o, &a);
    }
    arena_free(&arena);
    return ok;
}

static bool read_spec(const struct spec *s, struct words *o, size_t mark[MARKS])
{
    struct pb p = {0};
    write_spec(s, &p, mark);
    bool ok = read_back(p.at, p.n, o);
    pb_free(&p);
    return ok;
}

/* ---- What is read ---- */

#define A (INT64_C(1) << 32)
#define B (INT64_C(2) << 40)
#define M (INT64_C(3) << 62) /* negative: ids are 64 bits */
#define CARRY "(s32[], f32[4]{0})"

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

static const char everything_words[] =
    "jit_f scheduled 2<-0.0\n"
    "frame 1 step scan.py:40:9 < 0\n"
    "frame 2 body scan.py:21:5 < 1\n"
    "frame 3 - -:0:0 < 0\n"
    "fused #0:\n"
    "p #0 f32[4]{0:T(128)(2,1)E(16)S(5)} parameter() 0\n"
    "*n #1 f32[4]{0} negate(p)\n"
    "body #4294967296: bp bf bi bn bt\n"
    "bp #4294967296 (s32[], f32[4]{0}) parameter() 0\n"
    "bi #4294967297 s32[] get-tuple-element(bp) 0\n"
    "bf #4294967298 f32[4]{0} get-tuple-element(bp) 1\n"
    "bn #4294967299 s32[] add(bi bi)\n"
    "*bt #4294967300 (s32[], f32[4]{0}) tuple(bn bf)\n"
    "cond #2199023255552: cp ci cc\n"
    "cp #2199023255552 (s32[], f32[4]{0}) parameter() 0\n"
    "ci #2199023255553 s32[] get-tuple-element(cp) 0\n"
    "*cc #2199023255554 pred[] compare(ci ci)\n"
    "ENTRY main #-4611686018427387904: i x f t w g c\n"
    "x #-4611686018427387904 f32[4]{0} parameter() 0\n"
    "i #-4611686018427387903 s32[] constant()\n"
    "f #-4611686018427387902 f32[4]{0} fusion(x) @fused kind=kLoop op_name=jit(f)/neg at a.py:7\n"
    "t #-4611686018427387901 (s32[], f32[4]{0}) tuple(i f) at a.py:7\n"
    "w #-4611686018427387900 (s32[], f32[4]{0}) while(t) @body @cond "
    "config={\"known_trip_count\":{\"n\":\"4\"}} at scan.py:21\n"
    "g #-4611686018427387899 f32[4]{0} get-tuple-element(w) 1\n"
    "*c #-4611686018427387898 (f32[4]{0}, f32[4]{0}) custom-call(g f) 2<-0.0 kind=my_call\n";

static void every_kind(void **state)
{
    (void)state;
    struct words o;
    size_t mark[MARKS];
    for (unsigned how = 0; how < 8; how++) {
        struct spec s = everything;
        s.single = how & 1;
        s.noise = how & 2;
        s.parts_first = how & 4;
        read_spec(&s, &o, mark);
        assert_string_equal(o.text, everything_words);
    }
}

#define SMALL_WORDS                                                                                \
    "jit_f scheduled 0<-0.0\nc #10: p n\np #11 f32[2] parameter() 0\n*n #12 f32[2] negate(p)\n"    \
    "ENTRY e #20: x k r\nx #21 f32[2] parameter() 0\nk #22 f32[2] call(x) @c\n"                    \
    "*r #23 f32[2] negate(k)\n"

/* The one that is broken below. */
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

static void absent_is_zero(void **state)
{
    (void)state;
    static const struct spec s = {
        .comp = {{"e", 0, 0, 1, {0}, 1}},
        .n_comps = 1,
        .inst = {{"x", "parameter", "f32[]", 0, NO_OPS}},
    };
    struct words o;
    size_t mark[MARKS];
    read_spec(&s, &o, mark);
    assert_string_equal(o.text, "jit_f scheduled\nENTRY e #0: x\n*x #0 f32[] parameter() 0\n");
}

/* One constant, of its shape and its LiteralProto without the shape. */
struct literal_case {
    const char *name, *shape, *bytes;
    size_t n;
    const char *want;
};
#define LITERAL(bytes) bytes, sizeof(bytes) - 1
static const struct literal_case literals[] = {
    {"s32, packed", "s32[]", LITERAL("\x22\x01\x05"), " =5"},
    {"s32, single", "s32[]", LITERAL("\x20\x05"), " =5"},
    {"s32, negative", "s32[1]", LITERAL("\x22\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), " =-1"},
    {"u64 beyond 63 bits", "u64[]", LITERAL("\x3A\x0A\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
     " =-2"},
    {"pred", "pred[]", LITERAL("\x12\x01\x01"), " =1"},
    {"pred, false", "pred[]", LITERAL("\x12\x01\x00"), " =0 zero"},
    {"s8", "s8[]", LITERAL("\x7A\x01\x80"), " =-128"},
    {"u8", "u8[]", LITERAL("\x1A\x01\x80"), " =128"},
    {"s16", "s16[]", LITERAL("\x8A\x01\x02\xFE\xFF"), " =-2"},
    {"u16", "u16[]", LITERAL("\x82\x01\x02\xFE\xFF"), " =65534"},
    {"s4, in the low bits", "s4[]", LITERAL("\xAA\x01\x01\x0D"), " =-3"},
    {"s4, in the high bits", "s4[]", LITERAL("\xAA\x01\x01\xD0"), " =-3"},
    {"u4, zero", "u4[]", LITERAL("\xB2\x01\x01\x00"), " =0 zero"},
    {"several", "s32[2]", LITERAL("\x22\x02\x05\x05"), ""},
    {"a float", "f32[]", LITERAL("\x42\x04\x00\x00\x80\x3F"), ""},
    {"floats, zero", "f32[2]", LITERAL("\x42\x08\0\0\0\0\0\0\0\0"), " zero"},
    {"half floats", "bf16[2]", LITERAL("\x6A\x04\0\0\x80\x3F"), ""},
    {"half floats, zero", "bf16[2]", LITERAL("\x6A\x04\0\0\0\0"), " zero"},
    {"complex, zero", "c64[]", LITERAL("\x62\x08\0\0\0\0\0\0\0\0"), " zero"},
    {"of another type", "s32[]", LITERAL("\x2A\x01\x05"), ""},
    {"without elements", "s32[]", LITERAL(""), ""},
    {"with an empty run of bytes", "s8[]", LITERAL("\x7A\x00"), ""},
    {"a number where bytes are expected", "s8[]", LITERAL("\x78\x05"), ""},
    {"no elements to be zero", "f32[0]", LITERAL("\x42\x00"), ""},
};

static void literal(void **state)
{
    const struct literal_case *c = *state;
    struct spec s = {
        .comp = {{"e", 0, 0, 1, {0}, 1}},
        .n_comps = 1,
        .inst = {{"k", "constant", c->shape, 0, NO_OPS, .literal = c->bytes, .literal_n = c->n}},
    };
    char want[200];
    struct words o;
    size_t mark[MARKS];
    read_spec(&s, &o, mark);
    snprintf(want, sizeof want, "jit_f scheduled\nENTRY e #0: k\n*k #0 %s constant()%s\n", c->shape,
             c->want);
    assert_string_equal(o.text, want);
}

static void attributes(void **state)
{
    (void)state;
    static const struct spec s = {
        .comp = {{"e", 0, 3, 4, {0, 1, 2, 3}, 4}},
        .n_comps = 1,
        .inst = {{"x", "parameter", "f32[8,2]", 0, NO_OPS},
                 {"s", "slice", "f32[2,1]", 1, OPS1(0), .slice = {{0, 8, 4}, {1, 2, 1}}, .n_slices = 2},
                 {"c", "compare", "pred[8,2]", 2, OPS2(0, 0), .direction = "GE"},
                 {"n", "negate", "f32[2,1]", 3, OPS1(1), .direction = "GE"}},
        .has_donor = true,
    };
    struct words o;
    size_t mark[MARKS];
    read_spec(&s, &o, mark);
    assert_string_equal(o.text, "jit_f scheduled donor 0.0\nENTRY e #0: x s c n\n"
                                "x #0 f32[8,2] parameter() 0\n"
                                "s #1 f32[2,1] slice(x) [0:8:4] [1:2:1]\n"
                                "c #2 pred[8,2] compare(x x) GE\n*n #3 f32[2,1] negate(s)\n");
}

static void no_schedule(void **state)
{
    (void)state;
    struct spec s = small;
    struct words o;
    size_t mark[MARKS];
    s.comp[0].n_order = s.comp[1].n_order = 0;
    s.has_alias = s.has_assignment = false;
    read_spec(&s, &o, mark);
    assert_string_equal(o.text, "jit_f\nc #10:\np #11 f32[2] parameter() 0\n"
                                "*n #12 f32[2] negate(p)\n"
                                "ENTRY e #20:\nx #21 f32[2] parameter() 0\n"
                                "k #22 f32[2] call(x) @c\n*r #23 f32[2] negate(k)\n");
}

static void assignment(void **state)
{
    (void)state;
    struct words o;
    size_t mark[MARKS];
    struct spec s = small;
    s.value[3] = (struct value){7, 16, 0, {1, 0}, 2, "old", 5};   /* by name: jax <= 0.4 */
    s.value[4] = (struct value){INT64_MAX, INT64_MAX, .inst = 0}; /* instruction 0 */
    s.n_values = 5;
    s.alloc[2] = (struct alloc){2, 4, .constant = true};
    s.alloc[3] = (struct alloc){3, 24, .thread_local_ = true, .tuple = true};
    s.alloc[4] = (struct alloc){9, 16, .tuple = true, .color = 5, .assigned = {{7, 0, 16}},
                                .n_assigned = 1};
    s.alloc[5] = (struct alloc){5, 8, .parameter = true, .number = 3};
    s.n_allocs = 6;
    static const char want[] =
        "alloc 0: 8 color 0 flags 3 parameter 0\n"
        "alloc 1: 256 color 0 flags 0 parameter -1 temp\n"
        "alloc 2: 4 color 0 flags 4 parameter -1\n"
        "alloc 3: 24 color 0 flags 24 parameter -1\n"
        "alloc 9: 16 color 5 flags 16 parameter -1 temp\n"
        "alloc 5: 8 color 0 flags 1 parameter 3\n"
        "value 0: inst 21 - {} 8 color 0 in 0 at 0 for 8\n"
        "value 1: inst 12 - {} 8 color 0 in 1 at 128 for 8\n"
        "value 2: inst 23 - {} 8 color 0 in 0 at 0 for 8\n"
        "value 7: inst -1 old {1,0} 16 color 5 in 4 at 0 for 16\n"
        "value 9223372036854775807: inst 0 - {} 9223372036854775807 color 0 nowhere\n";
    for (unsigned how = 0; how < 8; how++) {
        char text[sizeof want + sizeof SMALL_WORDS + 32];
        s.single = how & 1;
        s.noise = how & 2;
        s.recent = how & 4;
        read_spec(&s, &o, mark);
        snprintf(text, sizeof text, SMALL_WORDS "assignment%s\n%s", s.recent ? " recent" : "",
                 want);
        assert_string_equal(o.text, text);
    }
}

/* A shape of its own; what stood in the way leaves nothing behind in the shapes read after it. */
static void buffers(void **state)
{
    (void)state;
    struct spec s = small;
    struct pb p = {0};
    struct words o;
    size_t mark[MARKS];
    pb_int(&p, 2, TYPE_BUFFER);
    size_t inside = pb_open(&p, 4);
    write_shape(&p, "f32[4]{0:T(128)E(8)S(5)}");
    pb_close(&p, inside);
    s.inst[3].opcode = "custom-call";
    s.inst[3].n_calls = 0;
    s.shape = (const char *)p.at;
    s.shape_n = p.n;
    s.inst[4].shape = "f32[2]"; /* no layout */
    s.has_assignment = false;
    read_spec(&s, &o, mark);
    pb_free(&p);
    assert_string_equal(o.text,
                        "jit_f scheduled 0<-0.0\nc #10: p n\np #11 f32[2] parameter() 0\n"
                        "*n #12 f32[2] negate(p)\nENTRY e #20: x k r\n"
                        "x #21 f32[2] parameter() 0\n"
                        "k #22 f32[4]{0:T(128)E(8)S(5)} custom-call(x)\n*r #23 f32[2] negate(k)\n");
}

/* ---- What is refused: bytes ---- */

struct bytes_case {
    const char *name, *bytes;
    size_t n;
    const char *want;
};

#define BYTES(text) text, sizeof text - 1
#define CUT         " (the file is cut short or is no HloProto: dump it again)"
#define HINT        " (the file is damaged: dump it again)"
#define FF10        "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

static const struct bytes_case broken_bytes[] = {
    {"nothing", BYTES(""),
     "tidemark: x.pb:@0: no HLO module in this file (expected an HloProto: "
     "*after_optimizations.hlo.pb)"},
    {"a module that is a number", BYTES("\x08\x01"),
     "tidemark: x.pb:@0: no HLO module in this file (expected an HloProto: "
     "*after_optimizations.hlo.pb)"},
    {"a tag that does not end", BYTES("\x80"),
     "tidemark: x.pb:@0: the file ends inside a field's tag" CUT},
    {"a tag of eleven bytes", BYTES(FF10 "\x01"),
     "tidemark: x.pb:@0: the file ends inside a field's tag" CUT},
    {"field number 0", BYTES("\x02\x00"), "tidemark: x.pb:@0: field number 0 or too large" CUT},
    {"a field number of 30 bits", BYTES("\x80\x80\x80\x80\x10\x00"),
     "tidemark: x.pb:@0: field number 0 or too large" CUT},
    {"wire type 3", BYTES("\x13"), "tidemark: x.pb:@0: unknown wire type" CUT},
    {"wire type 4", BYTES("\x14"), "tidemark: x.pb:@0: unknown wire type" CUT},
    {"wire type 6", BYTES("\x16\x01"), "tidemark: x.pb:@0: unknown wire type" CUT},
    {"wire type 7, behind a good field", BYTES("\x10\x05\x17"),
     "tidemark: x.pb:@2: unknown wire type" CUT},
    {"a text", BYTES("HloModule m"), "tidemark: x.pb:@2: unknown wire type" CUT},
    {"a number of eleven bytes", BYTES("\x10" FF10 "\x01"),
     "tidemark: x.pb:@0: a number does not end" CUT},
    {"a number that is cut", BYTES("\x10\xFF"), "tidemark: x.pb:@0: a number does not end" CUT},
    {"eight bytes that are seven", BYTES("\x11" "1234567"),
     "tidemark: x.pb:@0: the file ends inside a number" CUT},
    {"four bytes that are three", BYTES("\x15" "123"),
     "tidemark: x.pb:@0: the file ends inside a number" CUT},
    {"a length that is cut", BYTES("\x0A\x80"),
     "tidemark: x.pb:@0: the file ends inside a length" CUT},
    {"no length", BYTES("\x0A"), "tidemark: x.pb:@0: the file ends inside a length" CUT},
    {"a length beyond the file", BYTES("\x0A\x05" "ab"),
     "tidemark: x.pb:@0: field 1 wants 5 bytes, but only 2 are left" CUT},
    {"a length of 2^64-1", BYTES("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" "ab"),
     "tidemark: x.pb:@0: field 1 wants 18446744073709551615 bytes, but only 2 are left" CUT},
    {"an empty module", BYTES("\x0A\x00"),
     "tidemark: x.pb:@2: module  has entry computation 0, which is not in it" HINT},
    {"a module that is cut inside", BYTES("\x0A\x02\x0A\x05"),
     "tidemark: x.pb:@2: field 1 wants 5 bytes, but only 0 are left" CUT},
    {"an entry id that is a text names no computation", BYTES("\x0A\x05\x28\x07\x32\x01" "x"),
     "tidemark: x.pb:@2: module  has entry computation 0, which is not in it" HINT},
    {"an empty computation", BYTES("\x0A\x02\x1A\x00"),
     "tidemark: x.pb:@4: computation  has root 0, which is not in it" HINT},
    {"a computation that is cut inside", BYTES("\x0A\x03\x1A\x01\x12"),
     "tidemark: x.pb:@4: the file ends inside a length" CUT},
    {"an empty instruction", BYTES("\x0A\x04\x1A\x02\x12\x00"),
     "tidemark: x.pb:@6: an instruction without a shape" HINT},
};

static void bytes_refused(void **state)
{
    const struct bytes_case *c = *state;
    struct words o;
    assert_false(read_back(c->bytes, c->n, &o));
    assert_string_equal(o.text, c->want);
}

/* ---- What is refused: programs ---- */

struct broken_case {
    const char *name;
    void (*change)(struct spec *s); /* of `small` */
    int mark;                       /* the place in the message, -1: the whole file */
    const char *want;
};

#define CHANGE(name, ...)                                                                          \
    static void name(struct spec *s)                                                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
CHANGE(same_inst, s->inst[4].id = 21)
CHANGE(same_comp, s->comp[1].id = 10; s->entry = 10)
CHANGE(later_operand, s->inst[2].opcode = "negate"; s->inst[2].operands[0] = 22;
       s->inst[2].n_operands = 1)
CHANGE(own_operand, s->inst[4].operands[0] = 23)
CHANGE(foreign_operand, s->inst[4].operands[0] = 12)
CHANGE(no_operand, s->inst[4].operands[0] = 99)
CHANGE(later_call, s->inst[1] = (struct inst){"n", "call", "f32[2]", 12, OPS1(11), CALLS1(20)})
CHANGE(own_call, s->inst[3].calls[0] = 20)
CHANGE(no_call, s->inst[3].calls[0] = 0)
CHANGE(no_root, s->comp[0].root = 0)
CHANGE(foreign_root, s->comp[1].root = 12)
CHANGE(no_entry, s->entry = 0)
CHANGE(no_name, s->inst[3].name = "")
CHANGE(no_opcode, s->inst[3].opcode = "")
CHANGE(no_shape, s->inst[3].shape = NULL)
CHANGE(shape_type, s->shape = "\x1A\x01\x02\x10\x23"; s->shape_n = 5)
CHANGE(shape_none, s->shape = "\x1A\x01\x02"; s->shape_n = 3)
CHANGE(shape_zero, s->shape = "\x10\x00"; s->shape_n = 2)
CHANGE(array_elements, s->shape = "\x10\x0B\x22\x02\x10\x0B"; s->shape_n = 6)
CHANGE(element_number, s->shape = "\x10\x0D\x20\x05"; s->shape_n = 4)
CHANGE(layout_number, s->shape = "\x10\x0B\x28\x05"; s->shape_n = 4)
CHANGE(tile_number, s->shape = "\x10\x0B\x2A\x02\x30\x05"; s->shape_n = 6)
CHANGE(dims_fixed, s->shape = "\x10\x0B\x1D" "abcd"; s->shape_n = 7)
CHANGE(dims_cut, s->shape = "\x10\x0B\x1A\x01\x80"; s->shape_n = 5)
CHANGE(donor, s->has_donor = true; s->donor_param = 1)
CHANGE(hole, s->inst[2].number = 1; s->has_alias = false)
CHANGE(negative_parameter, s->inst[2].number = -1; s->has_alias = false)
CHANGE(twice_parameter, s->inst[3] = (struct inst){"k", "parameter", "f32[2]", 22, NO_OPS})
CHANGE(foreign_order, s->comp[1].order[1] = 11)
CHANGE(unknown_order, s->comp[1].order[1] = 5)
CHANGE(repeated_order, s->comp[1].order[1] = 21)
CHANGE(order_of_none, s->schedule_of = 5)
CHANGE(alias_outside, s->alias_out[0] = 0; s->n_alias_out = 1)
CHANGE(alias_inside, s->n_alias_path = 1)
CHANGE(alias_of_none, s->alias_param = 1)
CHANGE(operand_alias, s->inst[3] = (struct inst){"k", "custom-call", "f32[2]", 22, OPS1(21),
                                                 .aliases = true})
CHANGE(operand_alias_none, s->inst[3] = (struct inst){"k", "custom-call", "(f32[], f32[])", 22,
                                                      .aliases = true})
CHANGE(call_of_none, s->inst[3].n_calls = 0)
CHANGE(call_without, s->inst[3].n_operands = 0)
CHANGE(fusion_without, s->inst[3].opcode = "fusion"; s->inst[3].n_operands = 0)
CHANGE(while_of_one, s->inst[3].opcode = "while")
CHANGE(branch_without, s->inst[3].opcode = "conditional")
CHANGE(gte_outside, s->inst[3] = (struct inst){"k", "get-tuple-element", "f32[2]", 22, OPS1(21)})
CHANGE(tuple_of_two, s->inst[3] = (struct inst){"k", "tuple", "(f32[2])", 22, OPS2(21, 21)})
CHANGE(update_of_one,
       s->inst[3] = (struct inst){"k", "dynamic-update-slice", "f32[2]", 22, OPS1(21)})
CHANGE(scatter_of_two, s->inst[3] = (struct inst){"k", "scatter", "f32[2]", 22, OPS2(21, 21)})
CHANGE(bitcast_of_none, s->inst[3] = (struct inst){"k", "bitcast", "f32[2]", 22, NO_OPS})
CHANGE(done_of_none, s->inst[3] = (struct inst){"k", "async-done", "f32[2]", 22, OPS1(21)})
CHANGE(unknown_buffer, s->alloc[1].assigned[0][0] = 5)
CHANGE(value_size, s->value[1].size = -1)
CHANGE(alloc_size, s->alloc[1].size = INT64_MIN)
CHANGE(place_offset, s->alloc[1].assigned[0][1] = -8)
CHANGE(place_size, s->alloc[1].assigned[0][2] = -8)
CHANGE(same_value, s->value[2].id = 1)

#define BEFORE_IT  ", which does not stand before it in its computation" HINT
#define BEFORE_OWN ", which does not stand before its own" HINT
#define EDITED     " (the file is damaged or was edited: dump it again)"

static const struct broken_case broken[] = {
    {"two instructions of one id", same_inst, AT_INST + 4,
     "instruction r has id 21, which another one has" HINT},
    {"two computations of one id", same_comp, AT_COMP + 1,
     "computation e has id 10, which another one has" HINT},
    {"an operand that comes later", later_operand, AT_INST + 2,
     "instruction x uses instruction 22" BEFORE_IT},
    {"an operand that is itself", own_operand, AT_INST + 4,
     "instruction r uses instruction 23" BEFORE_IT},
    {"an operand of another computation", foreign_operand, AT_INST + 4,
     "instruction r uses instruction 12" BEFORE_IT},
    {"an operand that is none", no_operand, AT_INST + 4,
     "instruction r uses instruction 99" BEFORE_IT},
    {"a call of a later computation: no cycles", later_call, AT_INST + 1,
     "instruction n calls computation 20" BEFORE_OWN},
    {"a call of its own computation", own_call, AT_INST + 3,
     "instruction k calls computation 20" BEFORE_OWN},
    {"a call of none", no_call, AT_INST + 3, "instruction k calls computation 0" BEFORE_OWN},
    {"a computation without a root", no_root, AT_COMP,
     "computation c has root 0, which is not in it" HINT},
    {"a root in another computation", foreign_root, AT_COMP + 1,
     "computation e has root 12, which is not in it" HINT},
    {"a module without an entry", no_entry, AT_MODULE,
     "module jit_f has entry computation 0, which is not in it" HINT},
    {"an instruction without a name", no_name, AT_INST + 3,
     "instruction  (id 22) has no name or no opcode" HINT},
    {"an instruction without an opcode", no_opcode, AT_INST + 3,
     "instruction k (id 22) has no name or no opcode" HINT},
    {"an instruction without a shape", no_shape, AT_INST + 3,
     "an instruction without a shape" HINT},
    {"an element type of the future", shape_type, AT_SHAPE + 1000 * 3, "unknown element type 35"},
    {"no element type", shape_none, AT_SHAPE, "a shape without an element type"},
    {"element type 0", shape_zero, AT_SHAPE, "unknown element type 0"},
    {"an array with elements", array_elements, AT_SHAPE, "a shape that is no tuple has elements"},
    {"an element that is a number", element_number, AT_SHAPE + 1000 * 2,
     "field 4 is a number where a message is expected"},
    {"a layout that is a number", layout_number, AT_SHAPE + 1000 * 2,
     "field 5 is a number where a message is expected"},
    {"a tile that is a number", tile_number, AT_SHAPE + 1000 * 4,
     "field 6 is a number where a message is expected"},
    {"dimensions of four bytes each", dims_fixed, AT_SHAPE + 1000 * 2, "expected integers" CUT},
    {"packed dimensions that are cut", dims_cut, AT_SHAPE + 1000 * 4, "a number does not end" CUT},
    {"a parameter number too large", hole, -1,
     "parameter x: parameter numbers do not run from 0, each once" EDITED},
    {"a parameter number below 0", negative_parameter, -1,
     "parameter x: parameter numbers do not run from 0, each once" EDITED},
    {"a parameter number twice", twice_parameter, -1,
     "parameter k: parameter numbers do not run from 0, each once" EDITED},
    {"a schedule with an instruction of another computation", foreign_order, AT_SEQUENCE + 1,
     "the schedule of e names instruction 11, which is not in it or was named already" HINT},
    {"a schedule with an instruction that is none", unknown_order, AT_SEQUENCE + 1,
     "the schedule of e names instruction 5, which is not in it or was named already" HINT},
    {"a schedule with an instruction twice", repeated_order, AT_SEQUENCE + 1,
     "the schedule of e names instruction 21, which is not in it or was named already" HINT},
    {"a schedule of a computation that is none", order_of_none, AT_SEQUENCE,
     "the schedule names computation 5, which the module lacks" HINT},
    {"an output alias outside the output", alias_outside, AT_ALIAS,
     "an output alias of e names parameter 0 where there is none" HINT},
    {"an output alias outside the parameter", alias_inside, AT_ALIAS,
     "an output alias of e names parameter 0 where there is none" HINT},
    {"an output alias of a parameter that is none", alias_of_none, AT_ALIAS,
     "an output alias of e names parameter 1 where there is none" HINT},
    {"a buffer donor that is none", donor, AT_DONOR,
     "a buffer donor of e names parameter 1 where there is none" HINT},
    {"an operand alias outside the output", operand_alias, AT_INST + 3,
     "instruction k aliases operand 0 where its shapes do not reach" HINT},
    {"an operand alias of an operand that is none", operand_alias_none, AT_INST + 3,
     "instruction k aliases operand 0 where its shapes do not reach" HINT},
    {"a call that calls nothing", call_of_none, -1,
     "call k: expected one called computation with a parameter for each operand" EDITED},
    {"a call without its operand", call_without, -1,
     "call k: expected one called computation with a parameter for each operand" EDITED},
    {"a fusion without its operand", fusion_without, -1,
     "fusion k: expected one fused computation with a parameter for each operand" EDITED},
    {"a while without a condition", while_of_one, -1,
     "while k: expected one operand, a body and a condition of one parameter each" EDITED},
    {"a branch without its operand", branch_without, -1,
     "conditional k: expected a selector and one operand for each branch" EDITED},
    {"an element of an array", gte_outside, -1,
     "get-tuple-element k: its operand has no such element" EDITED},
    {"a tuple of more than its shape has", tuple_of_two, -1,
     "tuple k: its shape does not have one element for each operand" EDITED},
    {"an update without what it updates with", update_of_one, -1,
     "dynamic-update-slice k: expected at least two operands" EDITED},
    {"a scatter without updates", scatter_of_two, -1,
     "scatter k: expected at least three operands" EDITED},
    {"a bitcast of nothing", bitcast_of_none, -1, "bitcast k: expected an operand" EDITED},
    {"an async-done of something else", done_of_none, -1,
     "async-done k: its operand is no async-start or async-update" EDITED},
    {"an allocation with an unknown buffer", unknown_buffer, AT_ALLOC + 1,
     "allocation 1 holds logical buffer 5, which the file lacks"},
    {"a buffer of negative size", value_size, AT_VALUE + 1, "logical buffer 1 has size -1"},
    {"an allocation of negative size", alloc_size, AT_ALLOC + 1,
     "allocation 1 has size -9223372036854775808"},
    {"a buffer at a negative offset", place_offset, AT_ALLOC + 1,
     "allocation 1 holds a buffer at offset -8 of size 8"},
    {"a place of negative size", place_size, AT_ALLOC + 1,
     "allocation 1 holds a buffer at offset 128 of size -8"},
    {"a buffer twice", same_value, AT_VALUE + 2, "logical buffer 1 is there twice"},
};

static void refused(void **state)
{
    const struct broken_case *c = *state;
    struct spec s = small;
    struct words o;
    size_t mark[MARKS] = {0};
    char want[512], place[32] = "";
    c->change(&s);
    bool ok = read_spec(&s, &o, mark);
    if (c->mark >= 0) /* a thousand for each byte behind the mark */
        snprintf(place, sizeof place, ":@%zu", mark[c->mark % 1000] + (size_t)c->mark / 1000);
    snprintf(want, sizeof want, "tidemark: x.pb%s: %s", place, c->want);
    assert_false(ok);
    assert_string_equal(o.text, want);
}

/* What the wire walk lets pass and protobuf-c refuses. */
static void malformed_leaf(void **state)
{
    (void)state;
    static const char head[] = "\x0A\x0E\x1A\x0C\x12\x0A\x1A\x02\x10\x0B\x3A\x04\x12\x05" "ab";
    struct words o;
    assert_false(read_back(head, sizeof head - 1, &o));
    assert_string_equal(o.text, "tidemark: x.pb:@6: a malformed instruction (the file is damaged "
                                "or is no HloProto: dump it again)");
}

static void two_shapes(void **state)
{
    (void)state;
    static const char bytes[] = "\x0A\x0C\x1A\x0A\x12\x08\x1A\x02\x10\x0B\x1A\x02\x10\x0B";
    struct words o;
    assert_false(read_back(bytes, sizeof bytes - 1, &o));
    assert_string_equal(o.text, "tidemark: x.pb:@6: an instruction with two shapes" HINT);
}

/* ---- Depth ---- */

static size_t varint_size(size_t n)
{
    size_t size = 1;
    while (n >>= 7)
        size++;
    return size;
}

/* A tuple in a tuple …, `levels` of them, around an array. */
static void nested(struct pb *p, size_t levels)
{
    size_t *len = malloc((levels + 1) * sizeof *len);
    assert_non_null(len);
    len[0] = 2;
    for (size_t k = 1; k <= levels; k++)
        len[k] = 2 + 1 + varint_size(len[k - 1]) + len[k - 1];
    for (size_t k = levels; k > 0; k--) {
        pb_int(p, 2, TYPE_TUPLE);
        pb_tag(p, 4, 2);
        pb_varint(p, len[k - 1]);
    }
    pb_int(p, 2, TYPE_F32);
    free(len);
}

static void shape_depth(void **state)
{
    (void)state;
    static const size_t levels[] = {SHAPE_DEPTH, SHAPE_DEPTH + 1, 20000, 100000};
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct spec s = small;
        struct pb p = {0};
        struct words o;
        size_t mark[MARKS];
        nested(&p, levels[i]);
        s.inst[3] = (struct inst){"k", "custom-call", NULL, 22, OPS1(21)};
        s.shape = (const char *)p.at;
        s.shape_n = p.n;
        bool ok = read_spec(&s, &o, mark);
        pb_free(&p);
        assert_int_equal(ok, levels[i] == SHAPE_DEPTH);
        bool said = strstr(o.text, "a tuple shape nested deeper than 100 levels") != NULL;
        assert_int_equal(said, !ok);
    }
}

static void call_depth(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        struct pb p = {0};
        struct words *o = malloc(sizeof *o);
        int n = HLO_CALL_DEPTH + deep;
        size_t module = pb_open(&p, 1);
        pb_text(&p, 1, "m");
        for (int c = 0; c <= n; c++) {
            size_t comp = pb_open(&p, 3), inst = pb_open(&p, 2), shape;
            pb_text(&p, 1, "i");
            pb_text(&p, 2, c ? "call" : "constant");
            shape = pb_open(&p, 3);
            pb_int(&p, 2, TYPE_F32);
            pb_close(&p, shape);
            pb_int(&p, 35, c);
            if (c)
                pb_int(&p, 38, c - 1);
            pb_close(&p, inst);
            pb_int(&p, 5, c);
            pb_int(&p, 6, c);
            pb_close(&p, comp);
        }
        pb_int(&p, 6, n);
        pb_close(&p, module);
        struct arena arena = {0};
        struct diag d = {0};
        struct hlo h;
        struct assignment a = {.arena = &arena};
        bool has;
        struct file f = file_of(p.at, p.n);
        hlo_init(&h, &arena, f.name);
        bool ok = hlo_proto_read(&h, &a, &has, &f, &d);
        diag_text(&d, o->text, sizeof o->text);
        bool said = strcmp(o->text, "tidemark: x.pb: call i: computations call each other deeper "
                                    "than 500 levels" EDITED) == 0;
        arena_free(&arena);
        free((char *)f.text);
        free(o);
        pb_free(&p);
        assert_int_equal(ok, !deep);
        assert_int_equal(said, deep);
    }
}

/* ---- Damaged files ---- */

/* Reads, and does with the program what the product does. */
static bool survives_file(struct file f, struct diag *d)
{
    struct module m = {.name = "m", .file = f.name, .platform = PLATFORM_GPU};
    struct diag other;
    hlo_init(&m.hlo, &m.arena, f.name);
    m.assignment.arena = &m.arena;
    *d = (struct diag){.what = ""};
    bool ok = m.has_hlo = hlo_proto_read(&m.hlo, &m.assignment, &m.has_assignment, &f, d);
    memset((char *)f.text, 0xA5, f.size); /* nothing that was read refers to it */
    if (ok && m.has_assignment)
        m.has_assignment = assignment_check(&m.assignment, &other);
    struct program p;
    struct verify v;
    if (ok && program_build(&p, &m, &other)) {
        buf_id *ids = malloc(((size_t)p.n + 1) * sizeof *ids);
        uint64_t *own = malloc(((size_t)p.n + 1) * sizeof *own);
        assert_true(ids && own);
        program_alive(&p, p.peak, ids, own);
        verify_program(&v, &p);
        verify_free(&v);
        for (buf_id b = 0; b < p.n; b++)
            ok &= p.start[b] <= p.end[b] && p.end[b] <= p.steps;
        free(ids);
        free(own);
        program_free(&p);
        assert_true(ok);
    }
    arena_free(&m.arena);
    return ok;
}

static bool survives(const void *bytes, size_t n, struct diag *d)
{
    struct file f = file_of(bytes, n);
    bool ok = survives_file(f, d);
    free((char *)f.text);
    return ok;
}

static struct file cell(struct arena *a, const char *name)
{
    struct file f;
    struct diag d;
    assert_true(file_read(a, &f, name, &d));
    return f;
}

/* Only a cut behind the module leaves something sound: the program without its assignment. */
static void cut_anywhere(void **state)
{
    (void)state;
    struct arena a = {0};
    struct file f = cell(&a, CELL);
    size_t len = 0, at = 1, sound = 0;
    char *copy = calloc(f.size + 1, 1);
    assert_non_null(copy);
    for (unsigned shift = 0, byte = 0x80; byte & 0x80; shift += 7) { /* field 1 and its length */
        byte = (uint8_t)f.text[at++];
        len |= (size_t)(byte & 0x7F) << shift;
    }
    size_t end = at + len;
    assert_true(f.text[0] == 0x0A && end < f.size);
    for (size_t n = 0; n <= f.size; n++) {
        struct diag d;
        char *text = copy + f.size - n; /* ends where the copy does */
        memcpy(text, f.text, n);
        if (survives_file((struct file){"x.pb", text, n}, &d)) {
            sound++;
            if (n != end && n != f.size)
                fail_msg("%zu bytes of %zu were read", n, f.size);
        } else if (!*d.what)
            fail_msg("%zu bytes of %zu were refused without a word", n, f.size);
    }
    free(copy);
    arena_free(&a);
    assert_int_equal(sound, 2);
}

/* The module cut inside, its length set right. */
static void cut_inside(void **state)
{
    (void)state;
    struct arena a = {0};
    struct file f = cell(&a, CELL);
    size_t refusals = 0, tries = 0;
    for (size_t n = 0; n + 4 < f.size; n += 61, tries++) {
        struct pb p = {0};
        struct diag d;
        pb_bytes(&p, 1, f.text + 4, n);
        if (!survives(p.at, p.n, &d)) {
            refusals++;
            assert_true(*d.what);
        }
        pb_free(&p);
    }
    arena_free(&a);
    assert_true(tries > 500 && refusals > tries / 2);
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

static void flipped(const char *name, uint64_t seed, unsigned rounds)
{
    struct arena a = {0};
    struct file f = cell(&a, name);
    uint8_t *copy = malloc(f.size);
    unsigned read = 0;
    assert_non_null(copy);
    for (unsigned k = 0; k < rounds; k++) {
        struct diag d;
        memcpy(copy, f.text, f.size);
        for (uint32_t n = 1 + below(&seed, 4); n > 0; n--) {
            uint8_t *at = &copy[below(&seed, (uint32_t)f.size)];
            switch (below(&seed, 3)) {
            case 0:
                *at ^= (uint8_t)(1u << below(&seed, 8));
                break;
            case 1:
                *at = (uint8_t)below(&seed, 256);
                break;
            default:
                *at = (uint8_t)(*at + 1);
            }
        }
        if (survives(copy, f.size, &d))
            read++;
        else
            assert_true(*d.what);
    }
    free(copy);
    arena_free(&a);
    assert_in_range(read, 1, rounds - 1); /* some damage is seen, some is only another program */
}

static void flips_gpu(void **state)
{
    (void)state;
    flipped("fixtures/grid/a100-d16384-s1-ufull/"
            "module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb", 1, 1500);
    flipped(CELL, 2, 500);
}

static void flips_tpu(void **state)
{
    (void)state;
    flipped("fixtures/grid/tpu-v5e-d262144-s2-u1/"
            "module_0000.jit_step.cl_933746096.after_optimizations.hlo.pb", 3, 1000);
}

static void flips_small(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct pb p = {0};
        size_t mark[MARKS];
        uint64_t seed = 4 + (uint64_t)which;
        write_spec(which ? &small : &everything, &p, mark);
        uint8_t *copy = malloc(p.n);
        assert_non_null(copy);
        for (unsigned k = 0; k < 3000; k++) {
            struct diag d;
            memcpy(copy, p.at, p.n);
            for (uint32_t n = 1 + below(&seed, 3); n > 0; n--)
                copy[below(&seed, (uint32_t)p.n)] =
                    (uint8_t)below(&seed, below(&seed, 2) ? 256 : 16);
            if (!survives(copy, p.n, &d))
                assert_true(*d.what);
        }
        free(copy);
        pb_free(&p);
    }
}

/* A schedule without the async-done, or with it before its start, is odd but no reason to end a
 * life before it begins. */
static void odd_schedules(void **state)
{
    (void)state;
    static const struct spec s = {
        .comp = {{"c", 10, 13, 3, {11, 12, 13}, 3}, {"e", 20, 23, 3, {21, 22, 23}, 3}},
        .n_comps = 2,
        .inst = {{"p", "parameter", "f32[2]", 11, NO_OPS},
                 {"m", "negate", "f32[2]", 12, OPS1(11)},
                 {"n", "negate", "f32[2]", 13, OPS1(12)},
                 {"x", "parameter", "f32[2]", 21, NO_OPS},
                 {"s", "async-start", "((f32[2]), f32[2])", 22, OPS1(21), CALLS1(10)},
                 {"d", "async-done", "f32[2]", 23, OPS1(22)}},
        .entry = 20,
        .has_frames = true, /* recent: lives begin at the async-start */
    };
    static const int64_t orders[][4] = {{21, 22, 23, 3}, {21, 22, 0, 2}, {23, 21, 22, 3},
                                        {22, 0, 0, 1},   {23, 22, 21, 3}};
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct spec odd = s;
        struct pb p = {0};
        size_t mark[MARKS];
        struct diag d;
        memcpy(odd.comp[1].order, orders[i], sizeof orders[i]);
        odd.comp[1].n_order = (int)orders[i][3];
        write_spec(&odd, &p, mark);
        bool ok = survives(p.at, p.n, &d);
        pb_free(&p);
        assert_true(ok);
    }
}

/* A tile of no dimensions cuts nothing. */
static void empty_tile(void **state)
{
    (void)state;
    static const char shape[] = "\x10\x0B\x1A\x01\x04\x2A\x05\x0A\x01\x00\x32\x00";
    struct spec s = small;
    struct pb p = {0};
    size_t mark[MARKS];
    struct diag d;
    s.inst[3] = (struct inst){"k", "custom-call", NULL, 22, OPS1(21)};
    s.shape = shape;
    s.shape_n = sizeof shape - 1;
    s.has_assignment = false; /* sizes are those of the shapes */
    write_spec(&s, &p, mark);
    bool ok = survives(p.at, p.n, &d);
    pb_free(&p);
    assert_true(ok);
}

/* ---- By content ---- */

static void known_by_content(void **state)
{
    (void)state;
    struct arena a = {0};
    struct file f = cell(&a, CELL);
    bool is = hlo_proto_is(f.text, f.size), start = hlo_proto_is(f.text, 16);
    arena_free(&a);
    assert_true(is && start);
    assert_false(hlo_proto_is("", 0));
    assert_false(hlo_proto_is("\x0A", 1));
    assert_false(hlo_proto_is("\x0A\x02\x0A\x00", 4));
    assert_false(hlo_proto_is("HloModule jit_f", 15));
    assert_false(hlo_proto_is("\x1A\x10\x0A\x05jit_f", 9));
    assert_true(hlo_proto_is("\x0A\x10\x0A\x05jit_f", 9));
}

static const struct CMUnitTest others[] = {
    {.name = "a program of every kind, however it is written", .test_func = every_kind},
    {.name = "absent ids are 0", .test_func = absent_is_zero},
    {.name = "slices, compares and donors", .test_func = attributes},
    {.name = "a program without a schedule", .test_func = no_schedule},
    {.name = "a buffer assignment, of recent compilers and older ones", .test_func = assignment},
    {.name = "b(f32[4]) is the array it holds and leaves nothing behind", .test_func = buffers},
    {.name = "a malformed instruction", .test_func = malformed_leaf},
    {.name = "an instruction with two shapes", .test_func = two_shapes},
    {.name = "tuples nested as deep as allowed, deeper, and 100,000 deep",
     .test_func = shape_depth},
    {.name = "calls as deep as allowed, and deeper", .test_func = call_depth},
    {.name = "schedules that lack or misplace an async-done", .test_func = odd_schedules},
    {.name = "a layout with an empty tile", .test_func = empty_tile},
    {.name = "a file cut anywhere", .test_func = cut_anywhere},
    {.name = "a module cut inside", .test_func = cut_inside},
    {.name = "random damage to GPU programs", .test_func = flips_gpu},
    {.name = "random damage to a TPU program", .test_func = flips_tpu},
    {.name = "random damage to small programs", .test_func = flips_small},
    {.name = "protos are known by their start", .test_func = known_by_content},
};

int main(void)
{
    struct CMUnitTest t[COUNT(broken_bytes) + COUNT(broken) + COUNT(literals) + COUNT(others)] = {{0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT(others); i++)
        t[n++] = others[i];
    for (size_t i = 0; i < COUNT(literals); i++)
        t[n++] = (struct CMUnitTest){
            .name = literals[i].name, .test_func = literal, .initial_state = (void *)&literals[i]};
    for (size_t i = 0; i < COUNT(broken_bytes); i++)
        t[n++] = (struct CMUnitTest){.name = broken_bytes[i].name,
                                     .test_func = bytes_refused,
                                     .initial_state = (void *)&broken_bytes[i]};
    for (size_t i = 0; i < COUNT(broken); i++)
        t[n++] = (struct CMUnitTest){
            .name = broken[i].name, .test_func = refused, .initial_state = (void *)&broken[i]};
    return _cmocka_run_group_tests("hlo_proto", t, n, NULL, NULL);
}
