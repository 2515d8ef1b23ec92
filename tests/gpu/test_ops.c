/* What is made element by element, and what moves elements, at odd shapes and of nothing. */
#include "tests/support/op_run.h"

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

static const struct op ops[] = {
    {"add", "add", "f32 3 5", {"f32 3 5", "f32 3 5"}, 0, 0, 0, naive_add, .values = {0}},
    {"add of nothing", "add", "f32 0 5", {"f32 0 5", "f32 0 5"}, 0, 0, 0, naive_add, .values = {0}},
    {"add of two layouts", "add", "f32 3 5 | 0 1", {"f32 3 5", "f32 3 5 | 0 1"}, 0, 0, 0, naive_add, .values = {0}},
    {"add over many blocks", "add", "f32 7 30011", {"f32 7 30011", "f32 7 30011"}, 0, 0, 0, naive_add, .values = {0}},
    {"add bf16", "add", "bf16 13", {"bf16 13", "bf16 13"}, 0, 0, 0, naive_add, .values = {0}},
    {"add s32", "add", "s32 129", {"s32 129", "s32 129"}, 0, 0, 0, naive_add, .values = {0}},
    {"add f64", "add", "f64 3 1 2", {"f64 3 1 2", "f64 3 1 2"}, 0, 0, 0, naive_add, .values = {0}},
    {"convert f32 to s8", "convert", "s32 9", {"s8 9"}, 0, 0, 0, naive_same, .values = {0}},
    {"convert f16 to f32", "convert", "f32 1025", {"f16 1025"}, 0, 0, 0, naive_same, .values = {0}},
    {"copy to another layout", "copy", "f32 3 5 7 | 1 0 2", {"f32 3 5 7"}, 0, 0, 0, naive_same, .values = {0}},
    {"select", "select", "s16 17", {"pred 17", "s16 17", "s16 17"}, 0, 0, 0, naive_select, .values = {0}},
    {"clamp by scalars", "clamp", "f32 33", {"f32", "f32 33", "f32"}, 0, 0, 0, naive_clamp, .values = {-1, 0, 2}},
    {"transpose", "transpose", "f32 4 2 3", {"f32 2 3 4"}, "14: 2 0 1", 0, 0, naive_transpose, .values = {0}},
    {"broadcast", "broadcast", "f32 3 5 2", {"f32 5"}, "14: 1", 0, 0, naive_broadcast, .values = {0}},
    {"reshape", "reshape", "f32 5 6", {"f32 3 10"}, 0, 0, 0, naive_flat, .values = {0}},
    {"reshape of another layout", "reshape", "f32 6 5 | 0 1", {"f32 3 10 | 0 1"}, 0, 0, 0, naive_flat, .values = {0}},
    {"slice with a stride", "slice", "f32 2 3", {"f32 5 6"}, 0, "17{1: 1; 2: 5; 3: 2} 17{1: 2; 2: 5; 3: 1}", 0, naive_slice, .values = {0}},
    {"reverse", "reverse", "f32 3 7", {"f32 3 7"}, "14: 1", 0, 0, naive_reverse, .values = {0}},
    {"iota", "iota", "s32 3 1100", {0}, "14: 1", 0, 0, naive_iota, .values = {0}},
    {"iota bf16", "iota", "bf16 2 3", {0}, "14: 1", 0, 0, naive_iota, .values = {0}},
    {"concatenate", "concatenate", "f32 3 7", {"f32 3 5", "f32 3 2"}, "14: 1", 0, 0, naive_concatenate, .values = {0}},
    {"concatenate with nothing", "concatenate", "f32 3 2", {"f32 3 0", "f32 3 2"}, "14: 1", 0, 0, naive_concatenate, .values = {0}},
    {"pad: low, interior, cropped", "pad", "f32 9 5", {"f32 4 5", "f32"}, 0, "21{1{1: 2; 3: 1} 1{1: -1; 2: 1}}", 0, naive_pad, .values = {0, 3}},
    {"dynamic-slice", "dynamic-slice", "f32 2 3", {"f32 5 6", "s32", "s32"}, "20: 2 3", 0, 0, naive_dynamic_slice, .values = {0, 2, 1}},
    {"dynamic-slice, clamped", "dynamic-slice", "f32 2 3", {"f32 5 6", "s32", "s32"}, "20: 2 3", 0, 0, naive_dynamic_slice, .values = {0, 9, -4}},
    {"dynamic-update-slice", "dynamic-update-slice", "f32 5 6", {"f32 5 6", "f32 2 3", "s32", "s32"}, 0, 0, 0, naive_update, .values = {0, 0, 2, 1}},
    {"dynamic-update-slice in place", "dynamic-update-slice", "bf16 5 6", {"bf16 5 6", "bf16 2 3", "s32", "s32"}, 0, 0, 0, naive_update,
     .values = {0, 0, 3, 2}, .in_place = true},
    {"add in place", "add", "f32 3 5", {"f32 3 5", "f32 3 5"}, 0, 0, 0, naive_add, .values = {0}, .in_place = true},
    {"copy to another layout in place", "copy", "f32 3 5 7 | 1 0 2", {"f32 3 5 7"}, 0, 0, 0, naive_same, .values = {0}, .in_place = true},
    {"dynamic-update-slice, clamped", "dynamic-update-slice", "f32 5 6", {"f32 5 6", "f32 2 3", "s32", "s32"}, 0, 0, 0, naive_update, .values = {0, 0, 99, -1}},
};

int main(void)
{
    return run_ops("ops", ops, sizeof ops / sizeof *ops);
}
