/* Single instructions, compiled and run on the host, against naive evaluation at odd shapes.
 *
 * A case is one instruction over parameters; its proto is written here field by field. */
#include "core/load/hlo_proto.h"
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

/* "f32 3 5 2 | 0 2 1": type, dimensions, minor_to_major. */
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
};

struct op {
    const char *name, *opcode, *result, *operands[4];
    const char *ints;   /* "14: 1 0; 20: 2 2": repeated or single integer fields */
    const char *parts;  /* "30{1: 1; 2: 0}": a message of integers; "21{1{1: 2; 3: 1}}" nests once */
    const char *region; /* opcode of a called binary computation */
    void (*naive)(const struct array *in, struct array *out);
    int64_t values[4];  /* of scalar operands, in order, when not 0 */
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
        if (o->region)
            put_int(m, 38, 1);
    }
    put_message(comp, 2, m);
    free(m);
}

static void write_module(const struct op *o, const char *path)
{
    struct bytes *module = calloc(1, sizeof *module), *comp = calloc(1, sizeof *comp), *file = calloc(1, sizeof *file);
    char type[32] = "";
    int64_t ids[4], two[] = {100, 101};
    int n = 0;
    put_text(module, 1, "test");
    put_int(module, 6, 2);
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

/* Between row by row and the layout of the instruction's shape. */
static void move(const struct hlo *h, inst_id i, struct array *a, char *memory, bool out)
{
    struct elem e = elem_of(shape_node(&h->shapes, hlo_inst(h, i)->shape)->type);
    int64_t stride[8], index[8] = {0};
    shape_strides(&h->shapes, hlo_inst(h, i)->shape, stride);
    for (int64_t k = 0; k < a->n; k++) {
        int64_t at = 0;
        char reg[8] = {0};
        for (int d = 0; d < a->rank; d++)
            at += index[d] * stride[d];
        if (out) {
            elem_load(&e, memory + at * e.size, 1, reg, 1);
            a->v[k] = e.cls == CLASS_F32 ? *(float *)(void *)reg : e.cls == CLASS_F64 ? *(double *)(void *)reg
                                                                                      : (double)*(int64_t *)(void *)reg;
        } else {
            if (e.cls == CLASS_F32)
                *(float *)(void *)reg = (float)a->v[k];
            else if (e.cls == CLASS_F64)
                *(double *)(void *)reg = a->v[k];
            else
                *(int64_t *)(void *)reg = (int64_t)a->v[k];
            elem_store(&e, reg, memory + at * e.size, 1, 1);
            elem_load(&e, memory + at * e.size, 1, reg, 1);
        }
        for (int d = a->rank; d-- > 0 && ++index[d] == a->dims[d];)
            index[d] = 0;
    }
}

static bool run_op(const struct op *o, struct array *in, struct array *got, char *what, size_t size)
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
        struct threads *threads = threads_new(2);
        for (inst_id i = 0; i < h.insts.n; i++)
            memory[i] = calloc(1, shape_bytes(&h.shapes, hlo_inst(&h, i)->shape) + 8);
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
        if (ok) {
            char *at[64], *scratch = calloc(1, u.scratch + 1);
            for (uint32_t b = 0; b < u.n_bufs; b++)
                at[b] = u.bufs[b].kind == BUF_SLOT ? memory[u.bufs[b].set]
                        : u.bufs[b].kind == BUF_CONST ? (char *)(uintptr_t)u.bufs[b].data : scratch + u.bufs[b].at;
            struct host_env e = {&u, &h.shapes, threads, at};
            host_unit(&e);
            move(&h, root, got, memory[root], true);
            free(scratch);
        }
        threads_free(threads);
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

/* out[i…] = body, for every index. */
#define EACH(body)                                                                                 \
    do {                                                                                           \
        int64_t i[8] = {0}, k = 0, j[8] = {0};                                                     \
        (void)j;                                                                                   \
        if (out->n)                                                                                \
            do { out->v[k++] = (body); } while (next(out, i));                                     \
    } while (0)

static void naive_add(const struct array *in, struct array *out) { EACH(at(&in[0], i) + at(&in[1], i)); }
static void naive_same(const struct array *in, struct array *out) { EACH(at(&in[0], i)); }
static void naive_select(const struct array *in, struct array *out) { EACH(at(&in[0], i) != 0 ? at(&in[1], i) : at(&in[2], i)); }
static void naive_clamp(const struct array *in, struct array *out) { EACH(fmin(fmax(at(&in[1], i), in[0].v[0]), in[2].v[0])); }
static void naive_transpose(const struct array *in, struct array *out) { EACH((j[2] = i[0], j[0] = i[1], j[1] = i[2], at(&in[0], j))); }
static void naive_broadcast(const struct array *in, struct array *out) { EACH((j[0] = i[1], at(&in[0], j))); }
static void naive_flat(const struct array *in, struct array *out) { memcpy(out->v, in[0].v, (size_t)out->n * sizeof *out->v); }
static void naive_slice(const struct array *in, struct array *out) { EACH((j[0] = 1 + 2 * i[0], j[1] = 2 + i[1], at(&in[0], j))); }
static void naive_reverse(const struct array *in, struct array *out) { EACH((j[0] = i[0], j[1] = in[0].dims[1] - 1 - i[1], at(&in[0], j))); }
static void naive_iota(const struct array *in, struct array *out) { (void)in; EACH((double)i[1]); }
static void naive_concatenate(const struct array *in, struct array *out)
{
    EACH((j[0] = i[0], i[1] < in[0].dims[1] ? (j[1] = i[1], at(&in[0], j)) : (j[1] = i[1] - in[0].dims[1], at(&in[1], j))));
}
/* low 2, interior 1 on the first; low -1, high 1 on the second */
static void naive_pad(const struct array *in, struct array *out)
{
    EACH((j[0] = (i[0] - 2) / 2, j[1] = i[1] + 1,
          i[0] >= 2 && (i[0] - 2) % 2 == 0 && j[0] < in[0].dims[0] && j[1] < in[0].dims[1] ? at(&in[0], j) : in[1].v[0]));
}
static int64_t start(double v, int64_t most) { return v < 0 ? 0 : v > (double)most ? most : (int64_t)v; }
static void naive_dynamic_slice(const struct array *in, struct array *out)
{
    EACH((j[0] = i[0] + start(in[1].v[0], in[0].dims[0] - out->dims[0]),
          j[1] = i[1] + start(in[2].v[0], in[0].dims[1] - out->dims[1]), at(&in[0], j)));
}
static void naive_update(const struct array *in, struct array *out)
{
    EACH((j[0] = i[0] - start(in[2].v[0], in[0].dims[0] - in[1].dims[0]), j[1] = i[1] - start(in[3].v[0], in[0].dims[1] - in[1].dims[1]),
          j[0] >= 0 && j[0] < in[1].dims[0] && j[1] >= 0 && j[1] < in[1].dims[1] ? at(&in[1], j) : at(&in[0], i)));
}
static double sum_over(const struct array *a, const int64_t *i, int dim)
{
    int64_t j[8] = {0};
    double sum = 0;
    for (int d = 0, q = 0; d < a->rank; d++)
        j[d] = d == dim ? 0 : i[q++];
    for (; j[dim] < a->dims[dim]; j[dim]++)
        sum += at(a, j);
    return sum;
}
static void naive_reduce0(const struct array *in, struct array *out) { EACH(in[1].v[0] + sum_over(&in[0], i, 0)); }
static void naive_reduce1(const struct array *in, struct array *out) { EACH(in[1].v[0] + sum_over(&in[0], i, 1)); }
static void naive_reduce_max(const struct array *in, struct array *out)
{
    double most = in[1].v[0];
    for (int64_t k = 0; k < in[0].n; k++)
        most = fmax(most, in[0].v[k]);
    EACH(most);
}
static double dot_at(const struct array *a, const struct array *b, int64_t m, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < a->dims[1]; k++)
        sum += a->v[m * a->dims[1] + k] * b->v[k * b->dims[1] + n];
    return sum;
}
static void naive_dot(const struct array *in, struct array *out) { EACH(dot_at(&in[0], &in[1], i[0], i[1])); }
/* lhs [k, b, m], rhs [b, n, k] -> [b, m, n] */
static void naive_batch_dot(const struct array *in, struct array *out)
{
    int64_t i[8] = {0}, q = 0;
    do {
        double sum = 0;
        for (int64_t k = 0; k < in[0].dims[0]; k++) {
            int64_t l[] = {k, i[0], i[1]}, r[] = {i[0], i[2], k};
            sum += at(&in[0], l) * at(&in[1], r);
        }
        out->v[q++] = sum;
    } while (next(out, i));
}
/* rows of [n, d] by an index clamped into them */
static void naive_gather(const struct array *in, struct array *out)
{
    EACH((j[0] = start(in[1].v[i[0]], in[0].dims[0] - 1), j[1] = i[1], at(&in[0], j)));
}
/* rows added, those out of bounds left out */
static void naive_scatter(const struct array *in, struct array *out)
{
    memcpy(out->v, in[0].v, (size_t)out->n * sizeof *out->v);
    for (int64_t k = 0; k < in[1].n; k++)
        for (int64_t c = 0; c < in[0].dims[1]; c++)
            if (in[1].v[k] >= 0 && in[1].v[k] < (double)in[0].dims[0])
                out->v[(int64_t)in[1].v[k] * in[0].dims[1] + c] += in[2].v[k * in[0].dims[1] + c];
}
static void naive_cumsum(const struct array *in, struct array *out)
{
    for (int64_t r = 0; r < out->dims[0]; r++)
        for (int64_t c = 0; c < out->dims[1]; c++)
            out->v[r * out->dims[1] + c] = in[0].v[r * out->dims[1] + c] + (c ? out->v[r * out->dims[1] + c - 1] : in[1].v[0]);
}
/* size 3, stride 2, low 1, high 1, along the second */
static void naive_window(const struct array *in, struct array *out)
{
    int64_t i[8] = {0}, q = 0;
    do {
        double most = in[1].v[0];
        for (int64_t w = 0; w < 3; w++) {
            int64_t c[] = {i[0], i[1] * 2 - 1 + w};
            if (c[1] >= 0 && c[1] < in[0].dims[1])
                most = fmax(most, at(&in[0], c));
        }
        out->v[q++] = most;
    } while (next(out, i));
}
/* input [b, y, ci], kernel [w, ci, co], stride 2, low 1, window dilation 2 */
static void naive_conv(const struct array *in, struct array *out)
{
    int64_t i[8] = {0}, q = 0;
    do {
        double sum = 0;
        for (int64_t w = 0; w < in[1].dims[0]; w++)
            for (int64_t c = 0; c < in[1].dims[1]; c++) {
                int64_t y[] = {i[0], i[1] * 2 - 1 + 2 * w, c}, k[] = {w, c, i[2]};
                if (y[1] >= 0 && y[1] < in[0].dims[1])
                    sum += at(&in[0], y) * at(&in[1], k);
            }
        out->v[q++] = sum;
    } while (next(out, i));
}
static const struct op ops[] = {
    {"add", "add", "f32 3 5", {"f32 3 5", "f32 3 5"}, 0, 0, 0, naive_add, {0}},
    {"add of nothing", "add", "f32 0 5", {"f32 0 5", "f32 0 5"}, 0, 0, 0, naive_add, {0}},
    {"add of two layouts", "add", "f32 3 5 | 0 1", {"f32 3 5", "f32 3 5 | 0 1"}, 0, 0, 0, naive_add, {0}},
    {"add over many blocks", "add", "f32 7 30011", {"f32 7 30011", "f32 7 30011"}, 0, 0, 0, naive_add, {0}},
    {"add bf16", "add", "bf16 13", {"bf16 13", "bf16 13"}, 0, 0, 0, naive_add, {0}},
    {"add s32", "add", "s32 129", {"s32 129", "s32 129"}, 0, 0, 0, naive_add, {0}},
    {"add f64", "add", "f64 3 1 2", {"f64 3 1 2", "f64 3 1 2"}, 0, 0, 0, naive_add, {0}},
    {"convert f32 to s8", "convert", "s32 9", {"s8 9"}, 0, 0, 0, naive_same, {0}},
    {"convert f16 to f32", "convert", "f32 1025", {"f16 1025"}, 0, 0, 0, naive_same, {0}},
    {"copy to another layout", "copy", "f32 3 5 7 | 1 0 2", {"f32 3 5 7"}, 0, 0, 0, naive_same, {0}},
    {"select", "select", "s16 17", {"pred 17", "s16 17", "s16 17"}, 0, 0, 0, naive_select, {0}},
    {"clamp by scalars", "clamp", "f32 33", {"f32", "f32 33", "f32"}, 0, 0, 0, naive_clamp, {-1, 0, 2}},
    {"transpose", "transpose", "f32 4 2 3", {"f32 2 3 4"}, "14: 2 0 1", 0, 0, naive_transpose, {0}},
    {"broadcast", "broadcast", "f32 3 5 2", {"f32 5"}, "14: 1", 0, 0, naive_broadcast, {0}},
    {"reshape", "reshape", "f32 5 6", {"f32 3 10"}, 0, 0, 0, naive_flat, {0}},
    {"reshape of another layout", "reshape", "f32 6 5 | 0 1", {"f32 3 10 | 0 1"}, 0, 0, 0, naive_flat, {0}},
    {"slice with a stride", "slice", "f32 2 3", {"f32 5 6"}, 0, "17{1: 1; 2: 5; 3: 2} 17{1: 2; 2: 5; 3: 1}", 0, naive_slice, {0}},
    {"reverse", "reverse", "f32 3 7", {"f32 3 7"}, "14: 1", 0, 0, naive_reverse, {0}},
    {"iota", "iota", "s32 3 1100", {0}, "14: 1", 0, 0, naive_iota, {0}},
    {"iota bf16", "iota", "bf16 2 3", {0}, "14: 1", 0, 0, naive_iota, {0}},
    {"concatenate", "concatenate", "f32 3 7", {"f32 3 5", "f32 3 2"}, "14: 1", 0, 0, naive_concatenate, {0}},
    {"concatenate with nothing", "concatenate", "f32 3 2", {"f32 3 0", "f32 3 2"}, "14: 1", 0, 0, naive_concatenate, {0}},
    {"pad: low, interior, cropped", "pad", "f32 9 5", {"f32 4 5", "f32"}, 0, "21{1{1: 2; 3: 1} 1{1: -1; 2: 1}}", 0, naive_pad, {0, 3}},
    {"dynamic-slice", "dynamic-slice", "f32 2 3", {"f32 5 6", "s32", "s32"}, "20: 2 3", 0, 0, naive_dynamic_slice, {0, 2, 1}},
    {"dynamic-slice, clamped", "dynamic-slice", "f32 2 3", {"f32 5 6", "s32", "s32"}, "20: 2 3", 0, 0, naive_dynamic_slice, {0, 9, -4}},
    {"dynamic-update-slice", "dynamic-update-slice", "f32 5 6", {"f32 5 6", "f32 2 3", "s32", "s32"}, 0, 0, 0, naive_update, {0, 0, 2, 1}},
    {"dynamic-update-slice, clamped", "dynamic-update-slice", "f32 5 6", {"f32 5 6", "f32 2 3", "s32", "s32"}, 0, 0, 0, naive_update, {0, 0, 99, -1}},
    {"reduce rows", "reduce", "f32 3", {"f32 3 5", "f32"}, "14: 1", 0, "add", naive_reduce1, {0, 2}},
    {"reduce long rows", "reduce", "f32 3", {"f32 3 70001", "f32"}, "14: 1", 0, "add", naive_reduce1, {0}},
    {"reduce columns", "reduce", "f32 5", {"f32 3 5", "f32"}, "14: 0", 0, "add", naive_reduce0, {0, 2}},
    {"reduce many columns", "reduce", "f32 3001", {"f32 70 3001", "f32"}, "14: 0", 0, "add", naive_reduce0, {0}},
    {"reduce few long columns", "reduce", "f32 3", {"f32 50001 3", "f32"}, "14: 0", 0, "add", naive_reduce0, {0}},
    {"reduce columns of another layout", "reduce", "f32 5", {"f32 300 5 | 0 1", "f32"}, "14: 0", 0, "add", naive_reduce0, {0}},
    {"reduce all by maximum", "reduce", "s32", {"s32 300 70", "s32"}, "14: 0 1", 0, "maximum", naive_reduce_max, {0, -100}},
    {"reduce nothing", "reduce", "f32 3", {"f32 3 0", "f32"}, "14: 1", 0, "add", naive_reduce1, {0, 2}},
    {"dot", "dot", "f32 3 5", {"f32 3 7", "f32 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot of odd blocks", "dot", "f32 67 133", {"f32 67 301", "f32 301 133"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot, matrix times vector", "dot", "f32 67 1", {"f32 67 301", "f32 301 1"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot, vector times matrix", "dot", "f32 1 67", {"f32 1 301", "f32 301 67"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot of layouts", "dot", "f32 9 5 | 0 1", {"f32 9 7 | 0 1", "f32 7 5 | 0 1"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot s32", "dot", "s32 3 5", {"s32 3 7", "s32 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot f64", "dot", "f64 3 5", {"f64 3 7", "f64 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot over nothing", "dot", "f32 3 5", {"f32 3 0", "f32 0 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, {0}},
    {"dot with batches that stand elsewhere", "dot", "f32 2 3 5", {"f32 7 2 3", "f32 2 5 7"}, 0, "30{1: 0; 2: 2; 3: 1; 4: 0}", 0, naive_batch_dot, {0}},
    {"gather, clamped", "gather", "f32 9 4", {"f32 5 4", "s32 9"}, "34: 1 4", "33{1: 1; 2: 0; 3: 0; 4: 1}", 0, naive_gather, {0}},
    {"scatter, out of bounds left out", "scatter", "f32 5 4", {"f32 5 4", "s32 9", "f32 9 4"}, 0, "48{1: 1; 2: 0; 3: 0; 4: 1}", "add", naive_scatter, {0}},
    {"reduce-window, padded", "reduce-window", "f32 3 4", {"f32 3 7", "f32"}, 0, "15{1{1: 1; 2: 1} 1{1: 3; 2: 2; 3: 1; 4: 1}}", "maximum", naive_window, {0, -50}},
    {"reduce-window as a running sum", "reduce-window", "f32 3 40", {"f32 3 40", "f32"}, 0, "15{1{1: 1; 2: 1} 1{1: 40; 2: 1; 3: 39}}", "add", naive_cumsum, {0}},
    {"convolution", "convolution", "f32 2 3 6", {"f32 2 9 5", "f32 3 5 6"}, 0,
     "15{1{1: 3; 2: 2; 3: 1; 4: 0; 5: 2}} 16{7: 0; 8: 2; 11: 1; 3: 1; 4: 2; 6: 0; 9: 0; 10: 2; 12: 1}", 0, naive_conv, {0}},
};

static void one(void **state)
{
    const struct op *o = *state;
    struct array in[4] = {{{0}, 0, 0, NULL}}, got = {{0}, 0, 0, NULL};
    char what[400] = "";
    bool ok = run_op(o, in, &got, what, sizeof what);
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
    if (!ok)
        print_error("%s\n", what);
    assert_true(ok);
    if (strncmp(o->result, "bf16", 4) == 0)
        assert_true(worst <= most / 128);
    else
        assert_true(worst <= most * 1e-6);
}

int main(void)
{
    enum { N = sizeof ops / sizeof *ops };
    struct CMUnitTest t[N];
    for (size_t k = 0; k < N; k++)
        t[k] = (struct CMUnitTest){.name = ops[k].name, .test_func = one, .initial_state = (void *)(uintptr_t)&ops[k]};
    return _cmocka_run_group_tests("ops", t, N, NULL, NULL);
}
