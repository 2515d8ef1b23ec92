/* Instructions that fold, multiply, gather, scatter or sort, at odd shapes and of nothing. */
#include "tests/support/op_run.h"

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
    {"reduce rows", "reduce", "f32 3", {"f32 3 5", "f32"}, "14: 1", 0, "add", naive_reduce1, .values = {0, 2}},
    {"reduce long rows", "reduce", "f32 3", {"f32 3 70001", "f32"}, "14: 1", 0, "add", naive_reduce1, .values = {0}},
    {"reduce columns", "reduce", "f32 5", {"f32 3 5", "f32"}, "14: 0", 0, "add", naive_reduce0, .values = {0, 2}},
    {"reduce many columns", "reduce", "f32 3001", {"f32 70 3001", "f32"}, "14: 0", 0, "add", naive_reduce0, .values = {0}},
    {"reduce few long columns", "reduce", "f32 3", {"f32 50001 3", "f32"}, "14: 0", 0, "add", naive_reduce0, .values = {0}},
    {"reduce columns of another layout", "reduce", "f32 5", {"f32 300 5 | 0 1", "f32"}, "14: 0", 0, "add", naive_reduce0, .values = {0}},
    {"reduce all by maximum", "reduce", "s32", {"s32 300 70", "s32"}, "14: 0 1", 0, "maximum", naive_reduce_max, .values = {0, -100}},
    {"reduce nothing", "reduce", "f32 3", {"f32 3 0", "f32"}, "14: 1", 0, "add", naive_reduce1, .values = {0, 2}},
    {"dot", "dot", "f32 3 5", {"f32 3 7", "f32 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot of odd blocks", "dot", "f32 67 133", {"f32 67 301", "f32 301 133"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot, matrix times vector", "dot", "f32 67 1", {"f32 67 301", "f32 301 1"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot, vector times matrix", "dot", "f32 1 67", {"f32 1 301", "f32 301 67"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot, long rows times vector", "dot", "f32 3 1", {"f32 3 30001", "f32 30001 1"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot, vector times long columns", "dot", "f32 1 5", {"f32 1 30001", "f32 30001 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot of layouts", "dot", "f32 9 5 | 0 1", {"f32 9 7 | 0 1", "f32 7 5 | 0 1"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot s32", "dot", "s32 3 5", {"s32 3 7", "s32 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot f64", "dot", "f64 3 5", {"f64 3 7", "f64 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot over nothing", "dot", "f32 3 5", {"f32 3 0", "f32 0 5"}, 0, "30{1: 1; 2: 0}", 0, naive_dot, .values = {0}},
    {"dot with batches that stand elsewhere", "dot", "f32 2 3 5", {"f32 7 2 3", "f32 2 5 7"}, 0, "30{1: 0; 2: 2; 3: 1; 4: 0}", 0, naive_batch_dot, .values = {0}},
    {"gather, clamped", "gather", "f32 9 4", {"f32 5 4", "s32 9"}, "34: 1 4", "33{1: 1; 2: 0; 3: 0; 4: 1}", 0, naive_gather, .values = {0}},
    {"scatter of wide rows", "scatter", "f32 5 130", {"f32 5 130", "s32 9", "f32 9 130"}, 0, "48{1: 1; 2: 0; 3: 0; 4: 1}", "add", naive_scatter, .values = {0}},
    {"scatter in place", "scatter", "f32 5 4", {"f32 5 4", "s32 9", "f32 9 4"}, 0, "48{1: 1; 2: 0; 3: 0; 4: 1}", "add", naive_scatter,
     .values = {0}, .in_place = true},
    {"scatter, out of bounds left out", "scatter", "f32 5 4", {"f32 5 4", "s32 9", "f32 9 4"}, 0, "48{1: 1; 2: 0; 3: 0; 4: 1}", "add", naive_scatter, .values = {0}},
    {"reduce-window, padded", "reduce-window", "f32 3 4", {"f32 3 7", "f32"}, 0, "15{1{1: 1; 2: 1} 1{1: 3; 2: 2; 3: 1; 4: 1}}", "maximum", naive_window, .values = {0, -50}},
    {"reduce-window as a running sum", "reduce-window", "f32 3 40", {"f32 3 40", "f32"}, 0, "15{1{1: 1; 2: 1} 1{1: 40; 2: 1; 3: 39}}", "add", naive_cumsum, .values = {0}},
    {"convolution", "convolution", "f32 2 3 6", {"f32 2 9 5", "f32 3 5 6"}, 0,
     "15{1{1: 3; 2: 2; 3: 1; 4: 0; 5: 2}} 16{7: 0; 8: 2; 11: 1; 3: 1; 4: 2; 6: 0; 9: 0; 10: 2; 12: 1}", 0, naive_conv, .values = {0}},
};

int main(void)
{
    return run_ops("ops_heavy", ops, sizeof ops / sizeof *ops);
}
