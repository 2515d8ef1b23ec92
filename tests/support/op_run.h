/* One instruction, compiled and run, against naive evaluation, and on CUDA, real or emulated, bit for
 * bit as on the host: for the tests of what instructions do. */
#ifndef TESTS_OP_RUN_H
#define TESTS_OP_RUN_H

#include "core/load/proto/hlo_proto.h"
#include "gpu/engine/backends.h"
#include "gpu/engine/engine.h"
#include "gpu/host/host.h"
#include "tests/support/op_proto.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- Run it ---- */

/* Arrays of an instruction: itself, or a tuple's. */
enum { SLOTS_EACH = 1 + OP_RESULTS, SLOTS = 32 * SLOTS_EACH };

struct places {
    const struct hlo *hlo;
    const struct op *op;
};

static uint32_t slot_of(const struct places *p, inst_id i, uint32_t node)
{
    bool root = i == hlo_comp(p->hlo, p->hlo->entry)->root;
    return (root && p->op->in_place ? hlo_param(p->hlo, p->hlo->entry, 0) : i) * SLOTS_EACH + node;
}

static bool own_place(const void *ctx, inst_id i, uint32_t node, struct place *out)
{
    const struct places *p = ctx;
    const struct hlo *h = p->hlo;
    uint32_t slot = slot_of(p, i, node);
    *out = (struct place){true, slot, slot, 0, shape_bytes(&h->shapes, hlo_inst(h, i)->shape + node)};
    return shape_is_array(&h->shapes, hlo_inst(h, i)->shape + node);
}

/* Slot s's shape, when it is an array. */
static bool slot_shape(const struct hlo *h, uint32_t s, shape_id *shape)
{
    inst_id i = s / SLOTS_EACH;
    if (i >= h->insts.n || s % SLOTS_EACH >= shape_node(&h->shapes, hlo_inst(h, i)->shape)->span)
        return false;
    *shape = hlo_inst(h, i)->shape + s % SLOTS_EACH;
    return shape_is_array(&h->shapes, *shape);
}

static struct array array_of(const struct hlo *h, shape_id shape)
{
    const struct shape_node *x = shape_node(&h->shapes, shape);
    struct array a = {.rank = (int)x->dims.n, .n = 1, .parts = elem_of(x->type).cls == CLASS_C64 ? 2 : 1};
    for (int k = 0; k < a.rank; k++)
        a.n *= a.dims[k] = shape_numbers(&h->shapes, x->dims)[k];
    a.v = calloc((size_t)(a.n * a.parts) + 1, sizeof *a.v);
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

/* Between a register's element and numbers. */
static void move_reg(const struct elem *e, char *reg, double *v, bool out)
{
    struct tm_c64 *z = (void *)reg;
    if (e->cls == CLASS_F32 && out)
        *v = (double)*(float *)(void *)reg;
    else if (e->cls == CLASS_F32)
        *(float *)(void *)reg = (float)*v;
    else if (e->cls == CLASS_F64)
        memcpy(out ? (void *)v : reg, out ? reg : (void *)v, sizeof *v);
    else if (e->cls == CLASS_C64 && out) {
        v[0] = (double)z->re;
        v[1] = (double)z->im;
    } else if (e->cls == CLASS_C64)
        *z = (struct tm_c64){(float)v[0], (float)v[1]};
    else if (out)
        *v = (double)*(int64_t *)(void *)reg;
    else
        *(int64_t *)(void *)reg = (int64_t)*v;
}

/* Between row by row and the layout of the shape. */
static void move(const struct hlo *h, shape_id shape, struct array *a, char *memory, bool out)
{
    const struct shape_node *x = shape_node(&h->shapes, shape);
    struct elem e = elem_of(x->type);
    int64_t stride[8], index[8] = {0};
    shape_strides(&h->shapes, shape, stride);
    for (int64_t k = 0; k < a->n; k++) {
        int64_t at = 0;
        char reg[8] = {0};
        uint8_t one = 0;
        for (int d = 0; d < a->rank; d++)
            at += index[d] * stride[d];
        char *place = x->element_bits ? (char *)&one : memory + at * e.size;
        if (x->element_bits)
            move_bits(x, at, &one, memory, true);
        if (!out) {
            move_reg(&e, reg, a->v + k * a->parts, false);
            elem_store(&e, reg, place, 1, 1);
            if (x->element_bits)
                move_bits(x, at, &one, memory, false);
        }
        elem_load(&e, place, 1, reg, 1); /* the naive side sees what the type can hold */
        move_reg(&e, reg, a->v + k * a->parts, true);
        for (int d = a->rank; d-- > 0 && ++index[d] == a->dims[d];)
            index[d] = 0;
    }
}

/* Runs u; memory[] is the host's, and goes to the engine and back. */
static bool run_on(const struct engine_api *api, const struct hlo *h, const struct unit *u, char **memory, struct diag *d)
{
    struct threads *threads = threads_new(2);
    void *engine = api->open(d);
    char *at[64], *set[SLOTS] = {0}, *scratch = engine ? api->get(engine, u->scratch) : NULL;
    shape_id shape;
    for (uint32_t s = 0; engine && s < SLOTS; s++)
        if (slot_shape(h, s, &shape)) {
            set[s] = api->get(engine, shape_bytes(&h->shapes, shape));
            api->put(engine, set[s], memory[s], shape_bytes(&h->shapes, shape));
        }
    for (uint32_t b = 0; engine && b < u->n_bufs; b++)
        at[b] = u->bufs[b].kind == BUF_SLOT ? set[u->bufs[b].set]
                : u->bufs[b].kind == BUF_CONST ? (char *)(uintptr_t)u->bufs[b].data : scratch + u->bufs[b].at;
    struct unit_call call = {u, &h->shapes, at, threads};
    if (engine)
        api->unit(engine, &call);
    for (uint32_t s = 0; engine && s < SLOTS; s++)
        if (slot_shape(h, s, &shape)) {
            api->take(engine, memory[s], set[s], shape_bytes(&h->shapes, shape));
            api->drop(engine, set[s], shape_bytes(&h->shapes, shape));
        }
    bool ok = engine && (!api->failed(engine) || diag_file(d, NULL, "%s", api->failed(engine)));
    if (scratch)
        api->drop(engine, scratch, u->scratch);
    if (engine)
        api->close(engine);
    threads_free(threads);
    return ok;
}

/* Operand k: small numbers, exact in every type; scalars as the case says. */
static void fill(const struct op *o, const struct hlo *h, uint32_t k, struct array *in, char **memory)
{
    inst_id i = hlo_param(h, h->entry, k);
    shape_id shape = hlo_inst(h, i)->shape;
    struct elem e = elem_of(shape_node(&h->shapes, shape)->type);
    *in = array_of(h, shape);
    for (int64_t q = 0; q < in->n * in->parts; q++)
        in->v[q] = in->rank == 0 && o->values[k] ? (double)o->values[k]
                   : e.width.pred ? (double)(q * 7 % 3 != 0)
                                  : (double)((q * 37 + (int64_t)k * 11) % 23 - 7) * (e.cls == CLASS_INT ? 1 : 0.25);
    move(h, shape, in, memory[i * SLOTS_EACH], false);
}

static bool compile_and_run(const struct op *o, struct compiler *c, const struct engine_api *api, struct array *in,
                            struct array *got, struct diag *d)
{
    const struct hlo *h = c->hlo;
    inst_id root = hlo_comp(h, h->entry)->root;
    char *memory[SLOTS] = {0};
    struct unit u;
    shape_id shape;
    for (uint32_t s = 0; s < SLOTS; s++)
        if (slot_shape(h, s, &shape))
            memory[s] = calloc(1, shape_bytes(&h->shapes, shape) + 8);
    for (uint32_t k = 0; k < hlo_comp(h, h->entry)->params.n; k++)
        fill(o, h, k, &in[k], memory);
    bool ok = unit_compile(c, root, &u, d) && run_on(api, h, &u, memory, d);
    for (uint32_t s = 0, n = 0; s < SLOTS; s++) {
        if (ok && s / SLOTS_EACH == root && slot_shape(h, s, &shape) && n < OP_RESULTS) {
            got[n] = array_of(h, shape);
            uint32_t from = slot_of(c->ctx, root, s % SLOTS_EACH);
            move(h, shape, &got[n], memory[from], true);
            got[n].bytes = shape_bytes(&h->shapes, shape);
            got[n].memory = malloc(got[n].bytes + 1);
            memcpy(got[n].memory, memory[from], got[n].bytes);
            n++;
        }
    }
    for (uint32_t s = 0; s < SLOTS; s++)
        free(memory[s]);
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
    struct places places = {&h, o};
    struct compiler c = {&arena, &h, &details, own_place, &places, false};
    ok = ok && details_open(&details, &h, &d);
    remove(path);
    if (ok) {
        ok = compile_and_run(o, &c, api, in, got, &d);
        details_close(&details);
    }
    if (!ok)
        snprintf(what, size, "%s", d.what);
    arena_free(&arena);
    return ok;
}

/* ---- Naive evaluation ---- */

static inline double at(const struct array *a, const int64_t *index)
{
    int64_t k = 0;
    for (int d = 0; d < a->rank; d++)
        k = k * a->dims[d] + index[d];
    return a->v[k];
}

static inline bool next(const struct array *a, int64_t *index)
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
            do { double x_ = (body); out->v[k++] = x_; } while (next(out, i));                     \
    } while (0)

static const struct array no_array;

static void free_arrays(struct array *a, int n)
{
    for (int k = 0; k < n; k++) {
        free(a[k].v);
        free(a[k].memory);
    }
}

static void one(void **state)
{
    const struct op *o = *state;
    struct array in[4] = {no_array, no_array, no_array, no_array}, got[OP_RESULTS] = {no_array, no_array, no_array}, want[OP_RESULTS];
    char what[400] = "";
    bool ok = run_op(o, &engine_host, in, got, what, sizeof what);
    double worst = 0, most = 1;
    for (int r = 0; r < OP_RESULTS; r++) {
        want[r] = got[r];
        want[r].memory = NULL;
        want[r].v = calloc((size_t)(got[r].n * got[r].parts) + 1, sizeof *want[r].v);
    }
    if (ok)
        o->naive(in, want);
    for (int r = 0; r < OP_RESULTS; r++)
        for (int64_t k = 0; ok && k < got[r].n * got[r].parts; k++) {
            double v = got[r].v[k], u = want[r].v[k], error = isnan(v) && isnan(u) ? 0 : fabs(v - u);
            worst = !(error <= worst) ? error : worst;
            most = fabs(u) > most ? fabs(u) : most;
        }
    free_arrays(in, 4);
    free_arrays(got, OP_RESULTS);
    free_arrays(want, OP_RESULTS);
    if (!ok)
        print_error("%s\n", what);
    assert_true(ok);
    assert_true(worst <= most * (strncmp(o->result, "bf16", 4) == 0 ? 1.0 / 128 : 1e-6));
}

/* Sums of these inputs are exact in any order, so that even they must agree to the bit. */
static void on_cuda(void **state)
{
    const struct op *o = *state;
    struct array *in = calloc(8, sizeof *in), *got = calloc(2 * OP_RESULTS, sizeof *got);
    char what[400] = "";
    struct diag d;
    bool ok = true, same = true;
    if (!exec_cuda.probe(what, sizeof what, &d)) {
        free(in);
        free(got);
        skip();
    }
    for (int k = 0; k < 2; k++)
        ok = ok && run_op(o, k ? exec_cuda.engine : &engine_host, in + 4 * k, got + OP_RESULTS * k, what, sizeof what);
    for (int r = 0; r < OP_RESULTS && ok; r++) {
        const struct array *x = &got[r], *y = &got[OP_RESULTS + r];
        bool alike = x->bytes == y->bytes && (!x->bytes || memcmp(x->memory, y->memory, x->bytes) == 0);
        for (int64_t k = 0; !alike && k < x->n * x->parts; k++)
            if (x->v[k] != y->v[k]) {
                print_error("element %lld: host %.9g, cuda %.9g\n", (long long)k, x->v[k], y->v[k]);
                break;
            }
        same = same && alike;
    }
    free_arrays(in, 8);
    free_arrays(got, 2 * OP_RESULTS);
    free(in);
    free(got);
    if (!ok)
        print_error("%s\n", what);
    assert_true(ok);
    assert_true(same);
}

/* One size of `text` ("f32 3 5 | 1 0") is another; NULL: it has no number `which`. */
static char *resized(const char *text, int which, long size)
{
    static char out[200];
    bool order = false;
    int k = 0;
    for (const char *at = text; *at; at++) {
        order = (order || *at == '|') && *at != ',';
        if (*at != ' ' || at[1] < '0' || at[1] > '9' || order || k++ != which)
            continue;
        snprintf(out, sizeof out, "%.*s %ld%s", (int)(at - text), text, size, at + 1 + strspn(at + 1, "0123456789"));
        return out;
    }
    return NULL;
}

/* Sizes that do not agree, one at a time: refused in words, or within bounds all the same.  Results mean
 * nothing then; the sanitizers watch. */
static void other_sizes(void **state)
{
    const struct op *o = *state;
    static const long sizes[] = {0, 1, 7, 67};
    for (int array = -1; array < 4; array++)
        for (int k = 0; k < 4 * 8; k++) {
            struct op c = *o;
            const char **text = array < 0 ? &c.result : &c.operands[array];
            const char *from = *text;
            if (!from || !resized(from, k / 4, sizes[k % 4]))
                continue;
            *text = resized(from, k / 4, sizes[k % 4]);
            struct array in[4] = {no_array, no_array, no_array, no_array}, got[OP_RESULTS] = {no_array, no_array, no_array};
            char what[400] = "";
            bool ok = run_op(&c, &engine_host, in, got, what, sizeof what);
            free_arrays(in, 4);
            free_arrays(got, OP_RESULTS);
            assert_true(ok || what[0]);
        }
}

static inline int run_ops(const char *name, const struct op *ops, size_t n)
{
    struct CMUnitTest *t = calloc(3 * n, sizeof *t);
    char (*names)[128] = calloc(2 * n, sizeof *names);
    for (size_t k = 0; k < n; k++) {
        snprintf(names[k], sizeof *names, "%s, on CUDA", ops[k].name);
        t[k] = (struct CMUnitTest){.name = ops[k].name, .test_func = one, .initial_state = (void *)(uintptr_t)&ops[k]};
        t[n + k] = (struct CMUnitTest){.name = names[k], .test_func = on_cuda, .initial_state = (void *)(uintptr_t)&ops[k]};
        snprintf(names[n + k], sizeof *names, "%s, of other sizes", ops[k].name);
        t[2 * n + k] = (struct CMUnitTest){.name = names[n + k], .test_func = other_sizes, .initial_state = (void *)(uintptr_t)&ops[k]};
    }
    int failed = _cmocka_run_group_tests(name, t, 3 * n, NULL, NULL);
    free(t);
    free(names);
    return failed;
}

#endif
