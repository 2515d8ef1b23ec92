/* Instructions that call computations: fusions, regions, sorts; library calls; and elements that share
 * bytes. */
#include "tests/support/op_run.h"

static double cut(double x, int bits) /* an integer, sign-extended from its low bits */
{
    int64_t k = (int64_t)x & ((1 << bits) - 1);
    return (double)(k >> (bits - 1) ? k - (1 << bits) : k);
}

/* ---- Fusions ---- */

/* base bf16 [4, 5], update f32 [1, 5], row: convert(update(convert(base), update x 2)) */
static const struct inner narrowed[] = {
    {"convert", "f32 4 5", {0}, 1, 0, 0},
    {"constant", "s32", {0}, 0, 0, 0},
    {"add", "f32 1 5", {1, 1}, 2, 0, 0},
    {"dynamic-update-slice", "f32 4 5", {3, 5, 2, 2}, 4, 0, 0},
    {"convert", "bf16 4 5", {6}, 1, 0, 0},
    {0, 0, {0}, 0, 0, 0},
};
static void naive_narrowed(const struct array *in, struct array *out)
{
    int64_t row = start(in[2].v[0], 3), column = start(in[2].v[0], 0);
    EACH(i[0] == row ? 2 * in[1].v[i[1] - column] : at(&in[0], i));
}
/* a row of the array itself, doubled, goes over another one */
static const struct inner moved_row[] = {
    {"convert", "f32 4 5", {0}, 1, 0, 0},
    {"constant", "s32", {0}, 0, 0, 0},
    {"dynamic-slice", "f32 1 5", {3, 1, 4}, 3, "20: 1 5", 0},
    {"add", "f32 1 5", {5, 5}, 2, 0, 0},
    {"dynamic-update-slice", "f32 4 5", {3, 6, 2, 4}, 4, 0, 0},
    {"convert", "bf16 4 5", {7}, 1, 0, 0},
    {0, 0, {0}, 0, 0, 0},
};
static void naive_moved_row(const struct array *in, struct array *out)
{
    int64_t from = start(in[1].v[0], 3), to = start(in[2].v[0], 3);
    EACH(i[0] == to ? 2 * in[0].v[from * 5 + i[1]] : at(&in[0], i));
}
static const struct inner turned[] = {
    {"transpose", "f32 5 5", {0}, 1, "14: 1 0", 0}, {"add", "f32 5 5", {1, 1}, 2, 0, 0}, {0, 0, {0}, 0, 0, 0},
};
static void naive_turned(const struct array *in, struct array *out) { EACH((j[0] = i[1], j[1] = i[0], 2 * at(&in[0], j))); }
/* two slices joined, and what is joined doubled */
static const struct inner joined[] = {
    {"add", "f32 3 2", {0, 0}, 2, 0, 0},
    {"concatenate", "f32 3 7", {2, 1}, 2, "14: 1", 0},
    {"add", "f32 3 7", {3, 3}, 2, 0, 0},
    {0, 0, {0}, 0, 0, 0},
};
static void naive_joined(const struct array *in, struct array *out)
{
    EACH((j[0] = i[0], j[1] = i[1] < 2 ? i[1] : i[1] - 2, i[1] < 2 ? 4 * at(&in[0], j) : 2 * at(&in[1], j)));
}
/* a sum over rows, used in both directions */
static const struct inner normed[] = {
    {"transpose", "f32 7 3", {0}, 1, "14: 1 0", 0},
    {"multiply", "f32 7 3", {1, 1}, 2, 0, 0},
    {"transpose", "f32 3 7", {2}, 1, "14: 1 0", 0},
    {"subtract", "f32 3 7", {3, 0}, 2, 0, 0},
    {0, 0, {0}, 0, 0, 0},
};
static void naive_normed(const struct array *in, struct array *out) { EACH(at(&in[0], i) * at(&in[0], i) - at(&in[0], i)); }

/* ---- Regions ---- */

static const struct inner farther[] = { /* the one whose absolute value is larger */
    {"abs", "f32", {0}, 1, 0, 0}, {"abs", "f32", {1}, 1, 0, 0}, {"compare", "pred", {2, 3}, 2, 0, "GE"},
    {"select", "f32", {4, 0, 1}, 3, 0, 0}, {0, 0, {0}, 0, 0, 0},
};
static void naive_farther(const struct array *in, struct array *out)
{
    int64_t i[8] = {0}, q = 0, rows = in[0].dims[0], n = in[0].dims[1];
    for (; q < rows; q++) {
        double most = in[1].v[0];
        for (int64_t k = 0; k < n; k++)
            most = fabs(in[0].v[q * n + k]) > fabs(most) ? in[0].v[q * n + k] : most;
        out->v[q] = most;
    }
    (void)i;
}
static const struct inner before[] = {{"compare", "pred", {0, 1}, 2, 0, "LT"}, {0, 0, {0}, 0, 0, 0}};
static void naive_sort(const struct array *in, struct array *out)
{
    int64_t n = out->dims[1];
    memcpy(out->v, in[0].v, (size_t)out->n * sizeof *out->v);
    for (int64_t r = 0; r < out->dims[0]; r++)
        for (int64_t a = 1; a < n; a++)
            for (int64_t b = a; b > 0 && out->v[r * n + b] < out->v[r * n + b - 1]; b--) {
                double x = out->v[r * n + b];
                out->v[r * n + b] = out->v[r * n + b - 1];
                out->v[r * n + b - 1] = x;
            }
}
static const struct inner mixed[] = { /* 2a - b */
    {"add", "f32", {0, 0}, 2, 0, 0}, {"subtract", "f32", {2, 1}, 2, 0, 0}, {0, 0, {0}, 0, 0, 0},
};
static void naive_mixed(const struct array *in, struct array *out) { EACH(2 * at(&in[0], i) - at(&in[1], i)); }

/* ---- Library calls ---- */

static void naive_matmul(const struct array *in, struct array *out)
{
    int64_t i[8] = {0}, q = 0;
    do {
        double sum = 0;
        for (int64_t k = 0; k < in[0].dims[2]; k++)
            sum += in[0].v[(i[0] * in[0].dims[1] + i[1]) * in[0].dims[2] + k] *
                   in[1].v[(i[0] * in[1].dims[1] + i[2]) * in[1].dims[2] + k];
        out->v[q++] = sum;
    } while (next(out, i));
}
static void naive_same(const struct array *in, struct array *out) { EACH(at(&in[0], i)); }
static void naive_zero(const struct array *in, struct array *out) { (void)in; EACH(0); }

/* ---- Elements that share bytes ---- */

static void naive_add4(const struct array *in, struct array *out) { EACH(cut(at(&in[0], i) + at(&in[1], i), 4)); }
static void naive_add2(const struct array *in, struct array *out) { EACH(cut(at(&in[0], i) + at(&in[1], i), 2)); }
static void naive_swapped(const struct array *in, struct array *out) { EACH((j[0] = i[1], j[1] = i[0], at(&in[0], j))); }
static void naive_below(const struct array *in, struct array *out) { EACH(at(&in[0], i) < at(&in[1], i)); }

static const struct op ops[] = {
    {"a narrow array updated in wide numbers", "fusion", "bf16 4 5", {"bf16 4 5", "f32 1 5", "s32"}, 0, 0, 0,
     naive_narrowed, .values = {0, 0, 2}, .calls = narrowed},
    {"a narrow array updated at a clamped place", "fusion", "bf16 4 5", {"bf16 4 5", "f32 1 5", "s32"}, 0, 0, 0,
     naive_narrowed, .values = {0, 0, 77}, .calls = narrowed},
    {"a narrow array updated in wide numbers, in place", "fusion", "bf16 4 5", {"bf16 4 5", "f32 1 5", "s32"}, 0, 0, 0,
     naive_narrowed, .values = {0, 0, 1}, .calls = narrowed, .in_place = true},
    {"a narrow array updated from itself, in place", "fusion", "bf16 4 5", {"bf16 4 5", "s32", "s32"}, 0, 0, 0,
     naive_moved_row, .values = {0, 1, 2}, .calls = moved_row, .in_place = true},
    {"a fusion that turns, in place", "fusion", "f32 5 5", {"f32 5 5"}, 0, 0, 0, naive_turned, .calls = turned, .in_place = true},
    {"a fusion that joins what it has made", "fusion", "f32 3 7", {"f32 3 2", "f32 3 5"}, 0, 0, 0, naive_joined,
     .calls = joined},
    {"a fusion that turns and turns back", "fusion", "f32 3 7", {"f32 3 7"}, 0, 0, 0, naive_normed, .calls = normed},
    {"reduce by a region", "reduce", "f32 5", {"f32 5 301", "f32"}, "14: 1", 0, 0, naive_farther, .values = {0, 1},
     .calls = farther, .scalars = 2},
    {"reduce nothing by a region", "reduce", "f32 5", {"f32 5 0", "f32"}, "14: 1", 0, 0, naive_farther,
     .values = {0, 1}, .calls = farther, .scalars = 2},
    {"sort rows", "sort", "f32 3 37", {"f32 3 37"}, "14: 1", 0, 0, naive_sort, .calls = before, .scalars = 2},
    {"sort rows of one", "sort", "s32 3 1", {"s32 3 1"}, "14: 1", 0, 0, naive_sort, .calls = before, .scalars = 2},
    {"sort no rows", "sort", "s32 0 5", {"s32 0 5"}, "14: 1", 0, 0, naive_sort, .calls = before, .scalars = 2},
    {"map", "map", "f32 3 401", {"f32 3 401", "f32 3 401"}, "14: 0 1", 0, 0, naive_mixed, .calls = mixed, .scalars = 2},
    {"map of other layouts", "map", "f32 3 5 | 0 1", {"f32 3 5", "f32 3 5 | 0 1"}, "14: 0 1", 0, 0, naive_mixed,
     .calls = mixed, .scalars = 2},
    {"oneDNN's product, the second turned", "custom-call", "f32 2 3 5", {"f32 2 3 7", "f32 2 5 7"}, 0, 0, 0, naive_matmul,
     .target = "__onednn$matmul", .config = "{\"onednn_matmul_config\":{\"transpose_a\":false,\"transpose_b\":true}}"},
    {"a note about placement", "custom-call", "f32 9", {"f32 9"}, 0, 0, 0, naive_same,
     .target = "annotate_device_placement"},
    {"a buffer that nobody has filled", "custom-call", "f32 9", {0}, 0, 0, 0, naive_zero, .target = "AllocateBuffer"},
    {"add s4", "add", "s4:4 3 5", {"s4:4 3 5", "s4:4 3 5"}, 0, 0, 0, naive_add4, .values = {0}},
    {"add s2", "add", "s2:2 3 7", {"s2:2 3 7", "s2:2 3 7"}, 0, 0, 0, naive_add2, .values = {0}},
    {"add s4 of bytes", "add", "s4 3 5", {"s4 3 5", "s4 3 5"}, 0, 0, 0, naive_add4, .values = {0}},
    {"transpose packed u4", "transpose", "u4:4 5 3", {"u4:4 3 5"}, "14: 1 0", 0, 0, naive_swapped, .values = {0}},
    {"convert packed s4 to f32", "convert", "f32 13", {"s4:4 13"}, 0, 0, 0, naive_same, .values = {0}},
    {"convert s8 to packed s4", "convert", "s4:4 3", {"s8 3"}, 0, 0, 0, naive_same, .values = {0}},
    {"convert from f4", "convert", "f32 33", {"f4e2m1fn:4 33"}, 0, 0, 0, naive_same, .values = {0}},
    {"compare by total order", "compare", "pred 33", {"f32 33", "f32 33"}, 0, 0, 0, naive_below, .direction = "LT TOTALORDER"},
    {"compare f64 by total order", "compare", "pred 33", {"f64 33", "f64 33"}, 0, 0, 0, naive_below, .direction = "LT TOTALORDER"},
};

int main(void)
{
    return run_ops("ops_calls", ops, sizeof ops / sizeof *ops);
}
