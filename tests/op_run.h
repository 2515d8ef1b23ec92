/* One instruction, compiled and run, against naive evaluation, and on CUDA, real or emulated, bit for
 * bit as on the host: for the tests of what instructions do.  A case is an instruction over parameters, and what it calls: a fusion's or a
 * region's instructions; its proto is written here field by field. */
#ifndef TESTS_OP_RUN_H
#define TESTS_OP_RUN_H

#include "core/load/hlo_proto.h"
#include "gpu/backends.h"
#include "gpu/engine.h"
#include "gpu/host_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- A writer of protos ---- */

struct bytes {
    uint8_t at[1 << 14];
    size_t n;
};

static void put_varint(struct bytes *b, uint64_t v)
{
    for (; v > 127; v >>= 7)
        b->at[b->n++] = (uint8_t)(v | 128);
    b->at[b->n++] = (uint8_t)v;
}
static void put_int(struct bytes *b, unsigned field, int64_t v)
{
    put_varint(b, field << 3);
    put_varint(b, (uint64_t)v);
}
static void put_bytes(struct bytes *b, unsigned field, const void *data, size_t n)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, n);
    memcpy(b->at + b->n, data, n);
    b->n += n;
}
static void put_text(struct bytes *b, unsigned field, const char *text)
{
    put_bytes(b, field, text, strlen(text));
}
static void put_message(struct bytes *b, unsigned field, const struct bytes *m)
{
    put_bytes(b, field, m->at, m->n);
}

/* "f32 3 5 2 | 0 2 1": type, dimensions, minor_to_major; "s4:4 9" has elements of 4 bits, packed. */
static void put_shape(struct bytes *b, unsigned field, const char *text)
{
    struct bytes *m = calloc(1, sizeof *m), *layout = calloc(1, sizeof *layout);
    int64_t dims[8], order[8];
    int n = 0, n_order = 0, used;
    char type[16];
    sscanf(text, "%15s%n", type, &used);
    text += used;
    for (; sscanf(text, " %ld%n", &dims[n], &used) == 1; n++)
        text += used;
    if (strchr(text, '|'))
        for (text = strchr(text, '|') + 1; sscanf(text, " %ld%n", &order[n_order], &used) == 1; n_order++)
            text += used;
    char *bits = strchr(type, ':');
    if (bits) {
        *bits = 0;
        put_int(layout, 7, atoi(bits + 1));
    }
    put_int(m, 2, shape_type_named(type, strlen(type)));
    for (int k = 0; k < n; k++) {
        put_int(m, 3, dims[k]);
        put_int(layout, 1, n_order ? order[k] : n - 1 - k);
    }
    put_message(m, 5, layout);
    put_message(b, field, m);
    free(m);
    free(layout);
}

/* ---- One case ---- */

struct array {
    int64_t dims[8], n;
    int rank;
    double *v; /* row by row */
    uint64_t bytes;
    char *memory; /* a result as it lies there */
};

/* An instruction of what is called: operands are its parameters first, then those before it. */
struct inner {
    const char *opcode, *shape;
    int operands[4], n;
    const char *ints, *direction; /* of a compare; "LT TOTALORDER" */
};

struct op {
    const char *name, *opcode, *result, *operands[4];
    const char *ints;   /* "14: 1 0; 20: 2 2": repeated or single integer fields */
    const char *parts;  /* "30{1: 1; 2: 0}": a message of integers; "21{1{1: 2; 3: 1}}" nests once */
    const char *region; /* opcode of a called binary computation */
    void (*naive)(const struct array *in, struct array *out);
    int64_t values[4];  /* of scalar operands, in order, when not 0 */
    const struct inner *calls; /* what it calls, up to an opcode NULL: over its operands' shapes; or, */
    int scalars;        /* when not 0, over so many scalars of the first operand's type */
    const char *target, *config; /* of a custom call */
    const char *direction;
};

static const char *put_fields(struct bytes *b, const char *p)
{
    while (p && *p && *p != '}') {
        char *end;
        unsigned field = (unsigned)strtoul(p, &end, 10);
        p = end;
        if (*p == '{') {
            struct bytes *m = calloc(1, sizeof *m);
            p = put_fields(m, p + 1) + 1;
            put_message(b, field, m);
            free(m);
        } else if (*p == ':')
            for (p++; strspn(p, " ") < strlen(p) && strchr("-0123456789", p[strspn(p, " ")]); p = end)
                put_int(b, field, strtoll(p, &end, 10));
        p += strspn(p, " ;");
    }
    return p ? p : "";
}

static void put_direction(struct bytes *m, const char *text)
{
    char word[2][16] = {"", ""};
    if (text && sscanf(text, "%15s %15s", word[0], word[1]) > 0) {
        put_text(m, 63, word[0]);
        put_text(m, 72, word[1]);
    }
}

static void put_inst(struct bytes *comp, int64_t id, const char *opcode, const char *shape, int64_t number,
                     const int64_t *operands, int n, const struct op *o)
{
    struct bytes *m = calloc(1, sizeof *m);
    char name[32];
    snprintf(name, sizeof name, "i%d", (int)id);
    put_text(m, 1, name);
    put_text(m, 2, opcode);
    put_shape(m, 3, shape);
    put_int(m, 35, id);
    if (number >= 0)
        put_int(m, 9, number);
    for (int k = 0; k < n; k++)
        put_int(m, 36, operands[k]);
    if (o) {
        put_fields(m, o->ints);
        put_fields(m, o->parts);
        if (o->region || o->calls)
            put_int(m, 38, 1);
        if (o->target)
            put_text(m, 28, o->target);
        if (o->config)
            put_text(m, 43, o->config);
        put_direction(m, o->direction);
    }
    put_message(comp, 2, m);
    free(m);
}

/* Computation 1, of instructions from id 100 on. */
static void put_called(struct bytes *comp, const struct op *o)
{
    char type[32] = "";
    int64_t id = 100, ids[4];
    put_text(comp, 1, "called");
    if (o->scalars)
        sscanf(o->operands[0], "%31s", type);
    for (int k = 0; o->scalars ? k < o->scalars : k < 4 && o->operands[k]; k++)
        put_inst(comp, id++, "parameter", o->scalars ? type : o->operands[k], k, NULL, 0, NULL);
    for (const struct inner *x = o->calls; x->opcode; x++, id++) {
        struct op one = {.ints = x->ints, .direction = x->direction};
        for (int k = 0; k < x->n; k++)
            ids[k] = 100 + x->operands[k];
        put_inst(comp, id, x->opcode, x->shape, -1, ids, x->n, &one);
    }
    put_int(comp, 5, 1);
    put_int(comp, 6, id - 1);
}

static void write_module(const struct op *o, const char *path)
{
    struct bytes *module = calloc(1, sizeof *module), *comp = calloc(1, sizeof *comp), *file = calloc(1, sizeof *file);
    char type[32] = "";
    int64_t ids[4], two[] = {100, 101};
    int n = 0;
    put_text(module, 1, "test");
    put_int(module, 6, 2);
    if (o->calls) {
        put_called(comp, o);
        put_message(module, 3, comp);
        comp->n = 0;
    }
    if (o->region) {
        sscanf(o->operands[0], "%31s", type);
        put_text(comp, 1, "region");
        put_inst(comp, 100, "parameter", type, 0, NULL, 0, NULL);
        put_inst(comp, 101, "parameter", type, 1, NULL, 0, NULL);
        put_inst(comp, 102, o->region, type, -1, two, 2, NULL);
        put_int(comp, 5, 1);
        put_int(comp, 6, 102);
        put_message(module, 3, comp);
        comp->n = 0;
    }
    put_text(comp, 1, "entry");
    for (; n < 4 && o->operands[n]; n++) {
        ids[n] = 10 + n;
        put_inst(comp, ids[n], "parameter", o->operands[n], n, NULL, 0, NULL);
    }
    put_inst(comp, 50, o->opcode, o->result, -1, ids, n, o);
    put_int(comp, 5, 2);
    put_int(comp, 6, 50);
    put_message(module, 3, comp);
    put_message(file, 1, module);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(file->at, 1, file->n, f);
    fclose(f);
    free(module);
    free(comp);
    free(file);
}

/* ---- Run it ---- */

static bool own_place(const void *ctx, inst_id i, uint32_t node, struct place *out)
{
    const struct hlo *h = ctx;
    *out = (struct place){true, i, i, 0, shape_bytes(&h->shapes, hlo_inst(h, i)->shape + node)};
    return node == 0;
}

static struct array array_of(const struct hlo *h, inst_id i)
{
    const struct shape_node *x = shape_node(&h->shapes, hlo_inst(h, i)->shape);
    struct array a = {.rank = (int)x->dims.n, .n = 1};
    for (int k = 0; k < a.rank; k++)
        a.n *= a.dims[k] = shape_numbers(&h->shapes, x->dims)[k];
    a.v = calloc((size_t)a.n + 1, sizeof *a.v);
    return a;
}

/* Element k of an array whose elements share bytes, in a byte of its own and back. */
static void move_bits(const struct shape_node *x, int64_t k, uint8_t *one, char *memory, bool out)
{
    unsigned bits = x->element_bits, shift = (unsigned)((uint64_t)k * bits % 8), mask = (1u << bits) - 1;
    uint8_t *at = (uint8_t *)memory + k * bits / 8;
    if (out)
        *one = (uint8_t)((unsigned)*at >> shift & mask);
    else
        *at = (uint8_t)(((unsigned)*at & ~(mask << shift)) | ((unsigned)*one & mask) << shift);
}

/* Between row by row and the layout of the instruction's shape. */
static void move(const struct hlo *h, inst_id i, struct array *a, char *memory, bool out)
{
    const struct shape_node *x = shape_node(&h->shapes, hlo_inst(h, i)->shape);
    struct elem e = elem_of(shape_node(&h->shapes, hlo_inst(h, i)->shape)->type);
    int64_t stride[8], index[8] = {0};
    shape_strides(&h->shapes, hlo_inst(h, i)->shape, stride);
    for (int64_t k = 0; k < a->n; k++) {
        int64_t at = 0;
        char reg[8] = {0};
        for (int d = 0; d < a->rank; d++)
            at += index[d] * stride[d];
        if (out) {
            uint8_t one;
            if (x->element_bits)
                move_bits(x, at, &one, memory, true);
            elem_load(&e, x->element_bits ? (char *)&one : memory + at * e.size, 1, reg, 1);
            a->v[k] = e.cls == CLASS_F32 ? *(float *)(void *)reg : e.cls == CLASS_F64 ? *(double *)(void *)reg
                                                                                      : (double)*(int64_t *)(void *)reg;
        } else {
            if (e.cls == CLASS_F32)
                *(float *)(void *)reg = (float)a->v[k];
            else if (e.cls == CLASS_F64)
                *(double *)(void *)reg = a->v[k];
            else
                *(int64_t *)(void *)reg = (int64_t)a->v[k];
            uint8_t one = 0;
            char *to = x->element_bits ? (char *)&one : memory + at * e.size;
            elem_store(&e, reg, to, 1, 1);
            elem_load(&e, to, 1, reg, 1); /* the naive side sees what the type can hold */
            a->v[k] = e.cls == CLASS_F32 ? *(float *)(void *)reg : e.cls == CLASS_F64 ? *(double *)(void *)reg
                                                                                      : (double)*(int64_t *)(void *)reg;
            if (x->element_bits)
                move_bits(x, at, &one, memory, false);
        }
        for (int d = a->rank; d-- > 0 && ++index[d] == a->dims[d];)
            index[d] = 0;
    }
}

/* Elements that a layout does not pack have bytes of their own, whatever their type's bits. */
static uint64_t memory_bytes(const struct hlo *h, inst_id i)
{
    shape_id shape = hlo_inst(h, i)->shape;
    const struct shape_node *x = shape_node(&h->shapes, shape);
    uint64_t bytes = shape_bytes(&h->shapes, shape), own = shape_elements(&h->shapes, shape) * elem_of(x->type).size;
    return !x->element_bits && own > bytes ? own : bytes;
}

/* Runs u; memory[] is the host's, and goes to the engine and back. */
static bool run_on(const struct engine_api *api, const struct hlo *h, const struct unit *u, char **memory, struct diag *d)
{
    struct threads *threads = threads_new(2);
    void *engine = api->open(threads, d);
    char *at[64], *set[16] = {0}, *scratch = engine ? api->get(engine, u->scratch) : NULL;
    for (inst_id i = 0; engine && i < h->insts.n; i++) {
        uint64_t bytes = memory_bytes(h, i);
        set[i] = api->get(engine, bytes);
        api->put(engine, set[i], memory[i], bytes);
    }
    for (uint32_t b = 0; engine && b < u->n_bufs; b++)
        at[b] = u->bufs[b].kind == BUF_SLOT ? set[u->bufs[b].set]
                : u->bufs[b].kind == BUF_CONST ? (char *)(uintptr_t)u->bufs[b].data : scratch + u->bufs[b].at;
    struct unit_call call = {u, &h->shapes, at};
    if (engine)
        api->unit(engine, &call);
    for (inst_id i = 0; engine && i < h->insts.n; i++) {
        uint64_t bytes = memory_bytes(h, i);
        api->take(engine, memory[i], set[i], bytes);
        api->drop(engine, set[i], bytes);
    }
    bool ok = engine && (!api->failed(engine) || diag_file(d, NULL, "%s", api->failed(engine)));
    if (scratch)
        api->drop(engine, scratch, u->scratch);
    if (engine)
        api->close(engine);
    threads_free(threads);
    return ok;
}

static bool run_op(const struct op *o, const struct engine_api *api, struct array *in, struct array *got, char *what,
                   size_t size)
{
    struct arena arena = {0};
    struct hlo h;
    struct file file;
    struct details details;
    struct diag d;
    struct assignment as = {.arena = &arena};
    bool has_assignment = false;
    char path[] = "/tmp/tidemark-op-XXXXXX";
    int fd = mkstemp(path);
    close(fd);
    write_module(o, path);
    hlo_init(&h, &arena, path);
    bool ok = file_read(&arena, &file, path, &d) && hlo_proto_read(&h, &as, &has_assignment, &file, &d);
    struct unit u;
    struct compiler c = {&arena, &h, &details, own_place, &h, false};
    ok = ok && details_open(&details, &h, &d);
    remove(path);
    if (ok) {
        inst_id root = hlo_comp(&h, h.entry)->root;
        char *memory[16] = {0};
        for (inst_id i = 0; i < h.insts.n; i++)
            memory[i] = calloc(1, memory_bytes(&h, i) + 8);
        for (uint32_t k = 0; k < hlo_comp(&h, h.entry)->params.n; k++) {
            in[k] = array_of(&h, hlo_param(&h, h.entry, k));
            struct elem e = elem_of(shape_node(&h.shapes, hlo_inst(&h, hlo_param(&h, h.entry, k))->shape)->type);
            for (int64_t q = 0; q < in[k].n; q++)
                in[k].v[q] = in[k].rank == 0 && o->values[k] ? (double)o->values[k]
                             : e.width.pred ? (double)(q * 7 % 3 != 0) : (double)((q * 37 + (int64_t)k * 11) % 23 - 7) *
                                                                              (e.cls == CLASS_INT ? 1 : 0.25);
            move(&h, hlo_param(&h, h.entry, k), &in[k], memory[hlo_param(&h, h.entry, k)], false);
        }
        *got = array_of(&h, root);
        ok = unit_compile(&c, root, &u, &d);
        ok = ok && run_on(api, &h, &u, memory, &d);
        if (ok) {
            move(&h, root, got, memory[root], true);
            got->bytes = memory_bytes(&h, root);
            got->memory = memory[root];
            memory[root] = NULL;
        }
        for (inst_id i = 0; i < h.insts.n; i++)
            free(memory[i]);
        details_close(&details);
    }
    if (!ok)
        snprintf(what, size, "%s", d.what);
    arena_free(&arena);
    return ok;
}

/* ---- Naive evaluation ---- */

static double at(const struct array *a, const int64_t *index)
{
    int64_t k = 0;
    for (int d = 0; d < a->rank; d++)
        k = k * a->dims[d] + index[d];
    return a->v[k];
}

static bool next(const struct array *a, int64_t *index)
{
    for (int d = a->rank; d-- > 0; index[d] = 0)
        if (++index[d] < a->dims[d])
            return true;
    return false;
}

/* Starts are clamped. */
static inline int64_t start(double v, int64_t most) { return v < 0 ? 0 : v > (double)most ? most : (int64_t)v; }

/* out[i…] = body, for every index. */
#define EACH(body)                                                                                 \
    do {                                                                                           \
        int64_t i[8] = {0}, k = 0, j[8] = {0};                                                     \
        (void)j;                                                                                   \
        if (out->n)                                                                                \
            do { out->v[k++] = (body); } while (next(out, i));                                     \
    } while (0)

static const struct array no_array;

static void one(void **state)
{
    const struct op *o = *state;
    struct array in[4] = {no_array, no_array, no_array, no_array}, got = no_array;
    char what[400] = "";
    bool ok = run_op(o, &engine_host, in, &got, what, sizeof what);
    double worst = 0, most = 1;
    if (ok) {
        struct array want = got;
        want.v = calloc((size_t)want.n + 1, sizeof *want.v);
        o->naive(in, &want);
        for (int64_t k = 0; k < got.n; k++) {
            double error = fabs(got.v[k] - want.v[k]);
            worst = !(error <= worst) ? error : worst;
            most = fabs(want.v[k]) > most ? fabs(want.v[k]) : most;
        }
        free(want.v);
    }
    for (int k = 0; k < 4; k++)
        free(in[k].v);
    free(got.v);
    free(got.memory);
    if (!ok)
        print_error("%s\n", what);
    assert_true(ok);
    if (strncmp(o->result, "bf16", 4) == 0)
        assert_true(worst <= most / 128);
    else
        assert_true(worst <= most * 1e-6);
}

/* Sums of these inputs are exact in any order, so that even they must agree to the bit. */
static void on_cuda(void **state)
{
    const struct op *o = *state;
    struct array in[2][4] = {{no_array, no_array, no_array, no_array}, {no_array, no_array, no_array, no_array}};
    struct array got[2] = {no_array, no_array};
    char what[400] = "";
    struct diag d;
    bool ok = true;
    if (!exec_cuda.probe(what, sizeof what, &d))
        skip();
    for (int k = 0; k < 2; k++)
        ok = ok && run_op(o, k ? exec_cuda.engine : &engine_host, in[k], &got[k], what, sizeof what);
    bool same = ok && got[0].bytes == got[1].bytes && memcmp(got[0].memory, got[1].memory, got[0].bytes) == 0;
    for (int64_t k = 0; ok && !same && k < got[0].n; k++)
        if (got[0].v[k] != got[1].v[k]) {
            print_error("element %lld: host %.9g, cuda %.9g\n", (long long)k, got[0].v[k], got[1].v[k]);
            break;
        }
    for (int q = 0; q < 8; q++)
        free(in[q / 4][q % 4].v);
    for (int k = 0; k < 2; k++) {
        free(got[k].v);
        free(got[k].memory);
    }
    if (!ok)
        print_error("%s\n", what);
    assert_true(ok);
    assert_true(same);
}

static int run_ops(const char *name, const struct op *ops, size_t n)
{
    struct CMUnitTest *t = calloc(2 * n, sizeof *t);
    char (*names)[128] = calloc(n, sizeof *names);
    for (size_t k = 0; k < n; k++) {
        snprintf(names[k], sizeof *names, "%s, on CUDA", ops[k].name);
        t[k] = (struct CMUnitTest){.name = ops[k].name, .test_func = one, .initial_state = (void *)(uintptr_t)&ops[k]};
        t[n + k] = (struct CMUnitTest){.name = names[k], .test_func = on_cuda, .initial_state = (void *)(uintptr_t)&ops[k]};
    }
    int failed = _cmocka_run_group_tests(name, t, 2 * n, NULL, NULL);
    free(t);
    free(names);
    return failed;
}

#endif
