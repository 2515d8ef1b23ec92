/* Instructions that are done whole: Fourier transforms, random bits as XLA makes them, windows that pick,
 * elements of another width, triangular systems; complex numbers, TopK, and convolutions of all types. */
#include "tests/support/op_run.h"

/* ---- Fourier transforms ---- */

struct z {
    double re, im;
};

/* Sum over a line of n with `step` between: element k of its transform. */
static struct z line_sum(const struct z *x, int64_t n, int64_t step, int64_t k, double sign)
{
    struct z sum = {0, 0};
    for (int64_t q = 0; q < n; q++) {
        double angle = sign * 6.283185307179586 * (double)(k * q % n) / (double)n;
        sum.re += x[q * step].re * cos(angle) - x[q * step].im * sin(angle);
        sum.im += x[q * step].re * sin(angle) + x[q * step].im * cos(angle);
    }
    return sum;
}

static void transform(struct z *x, int64_t n, int64_t step, double sign)
{
    struct z *y = calloc((size_t)n, sizeof *y);
    for (int64_t k = 0; k < n; k++)
        y[k] = line_sum(x, n, step, k, sign);
    for (int64_t k = 0; k < n; k++)
        x[k * step] = y[k];
    free(y);
}

/* Rows of `width`, of which an input that is half has width / 2 + 1. */
static void rows(const struct array *in, struct array *out, int64_t width, double sign, double scale)
{
    int64_t from = in->n ? in->dims[in->rank - 1] : 1, to = out->n ? out->dims[out->rank - 1] : 1;
    for (int64_t r = 0; r < out->n / to; r++) {
        struct z *x = calloc((size_t)width, sizeof *x);
        for (int64_t k = 0; k < width; k++) {
            int64_t q = r * from + (k < from ? k : width - k);
            double turn = k < from ? 1 : -1;
            x[k] = in->parts == 2 ? (struct z){in->v[2 * q], turn * in->v[2 * q + 1]} : (struct z){in->v[q], 0};
        }
        if (in->parts == 2 && out->parts == 1) /* the first of a real spectrum is real, and so is the middle */
            x[0].im = width % 2 ? x[0].im : 0;
        transform(x, width, 1, sign);
        for (int64_t k = 0; k < to; k++)
            if (out->parts == 2) {
                out->v[2 * (r * to + k)] = x[k].re / scale;
                out->v[2 * (r * to + k) + 1] = x[k].im / scale;
            } else
                out->v[r * to + k] = x[k].re / scale;
        free(x);
    }
}
static void naive_fft(const struct array *in, struct array *out) { rows(in, out, out->n ? out->dims[out->rank - 1] : 1, -1, 1); }
static void naive_ifft(const struct array *in, struct array *out)
{
    rows(in, out, out->n ? out->dims[out->rank - 1] : 1, 1, (double)out->dims[out->rank - 1]);
}
static void naive_rfft(const struct array *in, struct array *out) { rows(in, out, in->n ? in->dims[in->rank - 1] : 1, -1, 1); }
static void naive_fft2(const struct array *in, struct array *out)
{
    int64_t n = in->dims[0], m = in->dims[1];
    struct z *x = calloc((size_t)in->n, sizeof *x);
    for (int64_t k = 0; k < in->n; k++)
        x[k] = (struct z){in->v[2 * k], in->v[2 * k + 1]};
    for (int64_t r = 0; r < n; r++)
        transform(x + r * m, m, 1, -1);
    for (int64_t c = 0; c < m; c++)
        transform(x + c, n, m, -1);
    for (int64_t k = 0; k < in->n; k++) {
        out->v[2 * k] = x[k].re;
        out->v[2 * k + 1] = x[k].im;
    }
    free(x);
}

/* ---- Random bits: what XLA's CPU compiler made of the state -7, 7, -2 ---- */

static void expect(struct array *out, int64_t counter, int words, const uint64_t *bits)
{
    const int64_t state[] = {-7, counter, -2};
    for (int k = 0; k < words; k++)
        out[0].v[k] = (double)state[k];
    for (int64_t k = 0; k < out[1].n; k++)
        out[1].v[k] = out[1].bytes == (uint64_t)out[1].n * 8 ? (double)(int64_t)bits[k] : (double)bits[k];
}
#define BITS(name, counter, words, ...)                                                            \
    static void name(const struct array *in, struct array *out)                                    \
    {                                                                                              \
        static const uint64_t bits[] = {__VA_ARGS__};                                              \
        (void)in;                                                                                  \
        expect(out, counter, words, bits);                                                         \
    }
BITS(threefry_even, 13, 2, 0xa93199b3, 0x1ce078e6, 0xee2899fc, 0xf19d0765, 0xa9ed77ac, 0x3da06913, 0x9f8e0fab, 0x3777086a,
     0x4f911dc2, 0x22764f44, 0x188ab2f8, 0x14e00d92)
BITS(threefry_odd, 16, 2, 0xa93199b3, 0x1ce078e6, 0xee2899fc, 0xf19d0765, 0xa9ed77ac, 0x9f8e0fab, 0x3777086a, 0x4f911dc2,
     0x22764f44, 0x188ab2f8, 0xcf024e81, 0x6698b050, 0x4ca17478, 0xd61f2139, 0x9a01b6f5)
BITS(threefry_wide, 13, 2, 0x1ce078e6a93199b3, 0xf19d0765ee2899fc, 0x3da06913a9ed77ac, 0x3777086a9f8e0fab, 0x22764f444f911dc2,
     0x14e00d92188ab2f8)
BITS(threefry_narrow, 10, 2, 0x99b3, 0x78e6, 0x99fc, 0x765, 0x77ac)
BITS(philox_two, 10, 2, 0x20c11bd, 0x4503b396, 0x652188b2, 0xaa2e36bc, 0xeb871e6c, 0x9ac618f, 0x6d8b8455, 0x9627377b, 0x5946ee01)
BITS(philox_three, 10, 3, 0x3075dfd0, 0x7daa1ad2, 0xa4dd9c68, 0x8ad62279, 0x5c29f09a, 0x2150e178, 0x2d66409c, 0xc227fb4e,
     0x850542fa)
BITS(philox_wide, 9, 3, 0x7daa1ad23075dfd0, 0x8ad62279a4dd9c68, 0x2150e1785c29f09a)
BITS(philox_narrow, 9, 2, 0xbd, 0x96, 0xb2, 0xbc, 0x6c, 0x8f)
BITS(no_bits, 7, 2, 0)

/* ---- select-and-scatter: windows of 3, stride 2, one of padding at each end of rows ---- */

static const struct inner not_less[] = {{"compare", "pred", {0, 1}, 2, 0, "GE"}, {0, 0, {0}, 0, 0, 0}};
static void naive_select(const struct array *in, struct array *out)
{
    int64_t width = in[0].dims[1], windows = in[1].dims[1];
    EACH(in[2].v[0]);
    for (int64_t r = 0; r < in[1].dims[0]; r++)
        for (int64_t c = 0; c < windows; c++) {
            int64_t best = -1;
            for (int64_t w = 0; w < 3; w++) {
                int64_t q = 2 * c - 1 + w;
                if (q >= 0 && q < width && (best < 0 || in[0].v[r * width + best] < in[0].v[r * width + q]))
                    best = q;
            }
            out->v[r * width + best] += in[1].v[r * windows + c];
        }
}

/* ---- Widths ---- */

static void naive_halves(const struct array *in, struct array *out)
{
    EACH((j[0] = i[0], (double)(int16_t)(uint16_t)((uint32_t)(int32_t)at(&in[0], j) >> 16 * i[1])));
}
static void naive_joined(const struct array *in, struct array *out)
{
    for (int64_t k = 0; k < out->n; k++)
        out->v[k] = (double)(uint16_t)(int16_t)in->v[2 * k] + 65536 * in->v[2 * k + 1];
}

/* ---- Triangular systems: the product with what was found is what was given ---- */

/* op(a)(r, c), of which only the lower triangle counts. */
static double lower_at(const struct array *a, int64_t r, int64_t c, bool turn, bool unit)
{
    int64_t n = a->dims[1], p = turn ? c : r, q = turn ? r : c;
    return p < q ? 0 : p == q && unit ? 1 : a->v[p * n + q];
}
static void solved(const struct array *in, struct array *out, bool turn, bool unit)
{
    int64_t n = in[0].dims[0], m = in[1].dims[1];
    for (int64_t c = 0; c < m; c++)
        for (int64_t k = 0; k < n; k++) {
            int64_t r = turn ? n - 1 - k : k;
            double sum = in[1].v[r * m + c];
            for (int64_t q = 0; q < n; q++)
                sum -= q == r ? 0 : lower_at(&in[0], r, q, turn, unit) * out->v[q * m + c];
            out->v[r * m + c] = sum / lower_at(&in[0], r, r, turn, unit);
        }
}
static void naive_lower(const struct array *in, struct array *out) { solved(in, out, false, false); }
static void naive_turned(const struct array *in, struct array *out) { solved(in, out, true, false); }
static void naive_unit(const struct array *in, struct array *out) { solved(in, out, false, true); }
/* x a = b: row by row, from the last column on. */
static void naive_right(const struct array *in, struct array *out)
{
    int64_t n = in[0].dims[0], rows_ = in[1].dims[0];
    for (int64_t r = 0; r < rows_; r++)
        for (int64_t c = n; c-- > 0;) {
            double sum = in[1].v[r * n + c];
            for (int64_t q = c + 1; q < n; q++)
                sum -= out->v[r * n + q] * in[0].v[q * n + c];
            out->v[r * n + c] = sum / in[0].v[c * n + c];
        }
}

/* x + x', with a large diagonal */
static const struct inner lower_factor[] = {
    {"transpose", "f32 4 4", {0}, 1, "14: 1 0", 0}, {"add", "f32 4 4", {0, 2}, 2, 0, 0}, {"broadcast", "f32 4 4", {1}, 1, 0, 0},
    {"iota", "s32 4 4", {0}, 0, "14: 0", 0}, {"iota", "s32 4 4", {0}, 0, "14: 1", 0}, {"compare", "pred 4 4", {5, 6}, 2, 0, "EQ"},
    {"select", "f32 4 4", {7, 4, 3}, 3, 0, 0}, {"cholesky", "f32 4 4", {8}, 1, "62{1: 1}", 0}, {0, 0, {0}, 0, 0, 0},
};
static const struct inner upper_factor[] = {
    {"transpose", "f32 4 4", {0}, 1, "14: 1 0", 0}, {"add", "f32 4 4", {0, 2}, 2, 0, 0}, {"broadcast", "f32 4 4", {1}, 1, 0, 0},
    {"iota", "s32 4 4", {0}, 0, "14: 0", 0}, {"iota", "s32 4 4", {0}, 0, "14: 1", 0}, {"compare", "pred 4 4", {5, 6}, 2, 0, "EQ"},
    {"select", "f32 4 4", {7, 4, 3}, 3, 0, 0}, {"cholesky", "f32 4 4", {8}, 1, "62{1: 0}", 0}, {0, 0, {0}, 0, 0, 0},
};
static void factor(const struct array *in, struct array *out, bool lower)
{
    for (int64_t r = 0; r < 4; r++)
        for (int64_t c = 0; c <= r; c++) {
            double sum = r == c ? in[1].v[0] : in[0].v[r * 4 + c] + in[0].v[c * 4 + r];
            for (int64_t k = 0; k < c; k++)
                sum -= out->v[lower ? r * 4 + k : k * 4 + r] * out->v[lower ? c * 4 + k : k * 4 + c];
            out->v[lower ? r * 4 + c : c * 4 + r] = r == c ? sqrt(sum) : sum / out->v[c * 5];
        }
}
static void naive_lower_factor(const struct array *in, struct array *out) { factor(in, out, true); }
static void naive_upper_factor(const struct array *in, struct array *out) { factor(in, out, false); }

/* ---- LAPACK: what its own dgeqrf, dorgqr and dgetrf made of these ---- */

static void copy_in(struct array *out, const double *v)
{
    memcpy(out->v, v, (size_t)out->n * sizeof *v);
}
static void lapack_qr(const struct array *in, struct array *out)
{
    static const double qr[] = {4.130677910464577, -0.6203582209855223, 1.2407164419710448, -0.5101452665281234,
                                -2.2057097899895344, 2.2012466813843146, -0.3400968443520823, 0.13353176181475176,
                                -3.426388150562813, -0.17004842217604116, -0.20334625994667108, 0.15241978598444691};
    static const double tau[] = {1.4236592728681616, 1.8882524053271235, 1.9545913421372143};
    (void)in;
    copy_in(&out[0], qr);
    copy_in(&out[1], tau);
}
static void lapack_q(const struct array *in, struct array *out)
{
    static const double q[] = {0.0, -4.5625, -2.8134765625, -3.0, -11.4375, -0.1396484375, -2.0, -9.4375, -8.9521484375,
                               -1.0, -6.125, -18.251953125};
    (void)in;
    copy_in(out, q);
}
static void lapack_lu(const struct array *in, struct array *out)
{
    static const double lu[] = {3.0, 0.75, -1.5, -7.0 / 12, 2.1875, -1.375, 2.0 / 3, -0.34285714285714286, 3.7785714285714285,
                                1.0 / 3, -0.6857142857142857, 0.47826086956521746};
    static const double pivots[] = {2, 2, 3}, info[] = {0};
    (void)in;
    copy_in(&out[0], lu);
    copy_in(&out[1], pivots);
    copy_in(&out[2], info);
}
static void lapack_wide_lu(const struct array *in, struct array *out)
{
    static const double lu[] = {3.25, 1.0, -1.25, 2.25, -0.5384615384615385, 2.2884615384615383, -1.1730769230769231,
                                4.211538461538462, 0.23076923076923078, -0.7563025210084033, 1.4012605042016806, 2.4159663865546217};
    static const double pivots[] = {3, 3, 3}, info[] = {0};
    (void)in;
    copy_in(&out[0], lu);
    copy_in(&out[1], pivots);
    copy_in(&out[2], info);
}
/* The first is negative: at once not positive definite; the upper triangle stays. */
static void lapack_not_definite(const struct array *in, struct array *out)
{
    for (int64_t r = 0; r < 3; r++)
        for (int64_t c = 0; c < 3; c++)
            out[0].v[r * 3 + c] = c > r ? in->v[r * 3 + c] : NAN;
    out[1].v[0] = 1;
}

/* ---- Complex numbers ---- */

static void naive_add(const struct array *in, struct array *out)
{
    for (int64_t k = 0; k < 2 * out->n; k++)
        out->v[k] = in[0].v[k] + in[1].v[k];
}
static struct z product(const double *a, const double *b)
{
    return (struct z){a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
}
static void naive_multiply(const struct array *in, struct array *out)
{
    for (int64_t k = 0; k < out->n; k++)
        memcpy(out->v + 2 * k, &(struct z[]){product(in[0].v + 2 * k, in[1].v + 2 * k)}, sizeof(struct z));
}
static void naive_divide(const struct array *in, struct array *out)
{
    for (int64_t k = 0; k < out->n; k++) {
        const double *b = in[1].v + 2 * k, n = b[0] * b[0] + b[1] * b[1], other[] = {b[0] / n, -b[1] / n};
        memcpy(out->v + 2 * k, &(struct z[]){product(in[0].v + 2 * k, other)}, sizeof(struct z));
    }
}
static void naive_exp(const struct array *in, struct array *out)
{
    for (int64_t k = 0; k < out->n; k++) {
        out->v[2 * k] = exp(in[0].v[2 * k]) * cos(in[0].v[2 * k + 1]);
        out->v[2 * k + 1] = exp(in[0].v[2 * k]) * sin(in[0].v[2 * k + 1]);
    }
}
static void naive_abs(const struct array *in, struct array *out) { EACH(hypot(in[0].v[2 * k], in[0].v[2 * k + 1])); }
static void naive_imag(const struct array *in, struct array *out) { EACH(in[0].v[2 * k + 1]); }
static void naive_complex(const struct array *in, struct array *out)
{
    for (int64_t k = 0; k < out->n; k++) {
        out->v[2 * k] = in[0].v[k];
        out->v[2 * k + 1] = in[1].v[k];
    }
}
static void naive_equal(const struct array *in, struct array *out)
{
    EACH(in[0].v[2 * k] == in[1].v[2 * k] && in[0].v[2 * k + 1] == in[1].v[2 * k + 1]);
}
static void naive_complex_dot(const struct array *in, struct array *out)
{
    int64_t m = out->dims[0], n = out->dims[1], depth = in[0].dims[1];
    for (int64_t r = 0; r < m; r++)
        for (int64_t c = 0; c < n; c++)
            for (int64_t k = 0; k < depth; k++) {
                struct z p = product(in[0].v + 2 * (r * depth + k), in[1].v + 2 * (k * n + c));
                out->v[2 * (r * n + c)] += p.re;
                out->v[2 * (r * n + c) + 1] += p.im;
            }
}

/* ---- TopK, convolutions ---- */

static void naive_topk(const struct array *in, struct array *out)
{
    int64_t n = in->dims[1], most = out[0].dims[1];
    for (int64_t r = 0; r < in->dims[0]; r++) {
        bool *taken = calloc((size_t)n + 1, sizeof *taken);
        for (int64_t k = 0; k < most; k++) {
            int64_t best = -1;
            for (int64_t q = 0; q < n; q++)
                if (!taken[q] && (best < 0 || in->v[r * n + q] > in->v[r * n + best]))
                    best = q;
            taken[best] = true;
            out[0].v[r * most + k] = in->v[r * n + best];
            out[1].v[r * most + k] = (double)best;
        }
        free(taken);
    }
}
/* [b, y, groups x c] with [w, c, groups x f]: so many groups of features */
static void grouped(const struct array *in, struct array *out, int64_t groups)
{
    int64_t ci = in[1].dims[1], co = in[1].dims[2] / groups;
    int64_t i[8] = {0}, q = 0;
    do {
        double sum = 0;
        for (int64_t w = 0; w < in[1].dims[0]; w++)
            for (int64_t c = 0; c < ci; c++) {
                int64_t x[] = {i[0], i[1] - 1 + w, i[2] / co * ci + c}, k[] = {w, c, i[2]};
                if (x[1] >= 0 && x[1] < in[0].dims[1])
                    sum += at(&in[0], x) * at(&in[1], k);
            }
        out->v[q++] = sum;
    } while (next(out, i));
}
static void naive_conv(const struct array *in, struct array *out) { grouped(in, out, 1); }
static void naive_grouped(const struct array *in, struct array *out) { grouped(in, out, 3); }

#define SELECT_WINDOW "15{1{1: 1; 2: 1} 1{1: 3; 2: 2; 3: 1; 4: 1}}"
#define CONV "15{1{1: 3; 2: 1; 3: 1; 4: 1}} 16{7: 0; 8: 2; 11: 1; 3: 1; 4: 2; 6: 0; 9: 0; 10: 2; 12: 1}"
static const struct op ops[] = {
    {"fft of a power of two", "fft", "c64 3 16", {"c64 3 16"}, "31: 0; 32: 16", 0, 0, naive_fft, .values = {0}},
    {"fft in place", "fft", "c64 3 16", {"c64 3 16"}, "31: 0; 32: 16", 0, 0, naive_fft, .values = {0}, .in_place = true},
    {"fft of an odd length", "fft", "c64 2 15", {"c64 2 15"}, "31: 0; 32: 15", 0, 0, naive_fft, .values = {0}},
    {"fft of one", "fft", "c64 3 1", {"c64 3 1"}, "31: 0; 32: 1", 0, 0, naive_fft, .values = {0}},
    {"fft of nothing", "fft", "c64 0 5", {"c64 0 5"}, "31: 0; 32: 5", 0, 0, naive_fft, .values = {0}},
    {"fft of another layout", "fft", "c64 3 6 | 0 1", {"c64 3 6"}, "31: 0; 32: 6", 0, 0, naive_fft, .values = {0}},
    {"inverse fft", "fft", "c64 3 12", {"c64 3 12"}, "31: 1; 32: 12", 0, 0, naive_ifft, .values = {0}},
    {"fft of real numbers", "fft", "c64 3 5", {"f32 3 8"}, "31: 2; 32: 8", 0, 0, naive_rfft, .values = {0}},
    {"fft of an odd number of real numbers", "fft", "c64 3 4", {"f32 3 7"}, "31: 2; 32: 7", 0, 0, naive_rfft, .values = {0}},
    {"fft to real numbers", "fft", "f32 3 7", {"c64 3 4"}, "31: 3; 32: 7", 0, 0, naive_ifft, .values = {0}},
    {"fft in two dimensions", "fft", "c64 5 6", {"c64 5 6"}, "31: 0; 32: 5 6", 0, 0, naive_fft2, .values = {0}},
    {"threefry bits in pairs", "rng-bit-generator", "u64 2, u32 3 4", {"u64 2"}, "70: 1", 0, 0, threefry_even, .values = {0}},
    {"threefry bits of odd dimensions", "rng-bit-generator", "u64 2, u32 3 5", {"u64 2"}, "70: 1", 0, 0, threefry_odd, .values = {0}},
    {"threefry, 64 bits", "rng-bit-generator", "u64 2, u64 3 2", {"u64 2"}, "70: 1", 0, 0, threefry_wide, .values = {0}},
    {"threefry, 16 bits", "rng-bit-generator", "u64 2, u16 5", {"u64 2"}, "70: 1", 0, 0, threefry_narrow, .values = {0}},
    {"philox bits of a state of two words", "rng-bit-generator", "u64 2, u32 3 3", {"u64 2"}, "70: 2", 0, 0, philox_two, .values = {0}},
    {"philox bits of a state of three words", "rng-bit-generator", "u64 3, u32 3 3", {"u64 3"}, "70: 2", 0, 0, philox_three, .values = {0}},
    {"philox, 64 bits", "rng-bit-generator", "u64 3, u64 3", {"u64 3"}, "70: 2", 0, 0, philox_wide, .values = {0}},
    {"philox, 8 bits, as the default", "rng-bit-generator", "u64 2, u8 6", {"u64 2"}, 0, 0, 0, philox_narrow, .values = {0}},
    {"no bits", "rng-bit-generator", "u64 2, u32 0 3", {"u64 2"}, "70: 2", 0, 0, no_bits, .values = {0}},
    {"select-and-scatter", "select-and-scatter", "f32 3 7", {"f32 3 7", "f32 3 4", "f32"}, 0, SELECT_WINDOW, "add", naive_select,
     .values = {0, 0, 2}, .calls = not_less, .scalars = 2},
    {"select-and-scatter of another layout", "select-and-scatter", "f32 30 7 | 0 1", {"f32 30 7", "f32 30 4", "f32"}, 0,
     SELECT_WINDOW, "add", naive_select, .values = {0, 0, 2}, .calls = not_less, .scalars = 2},
    {"select-and-scatter of nothing", "select-and-scatter", "f32 0 7", {"f32 0 7", "f32 0 4", "f32"}, 0, SELECT_WINDOW, "add",
     naive_select, .values = {0, 0, 2}, .calls = not_less, .scalars = 2},
    {"bitcast-convert to halves", "bitcast-convert", "s16 5 2", {"s32 5"}, 0, 0, 0, naive_halves, .values = {0}},
    {"bitcast-convert to halves of another layout", "bitcast-convert", "s16 5 2 | 0 1", {"s32 5"}, 0, 0, 0, naive_halves, .values = {0}},
    {"bitcast-convert of halves", "bitcast-convert", "s32 5", {"s16 5 2"}, 0, 0, 0, naive_joined, .values = {0}},
    {"bitcast-convert of no halves", "bitcast-convert", "s32 0", {"s16 0 2"}, 0, 0, 0, naive_joined, .values = {0}},
    {"triangular-solve", "triangular-solve", "f32 3 2", {"f32 3 3", "f32 3 2"}, 0, "59{1: 1; 2: 1; 4: 1}", 0, naive_lower, .values = {0}},
    {"triangular-solve, turned", "triangular-solve", "f64 3 2", {"f64 3 3", "f64 3 2"}, 0, "59{1: 1; 2: 1; 4: 2}", 0, naive_turned, .values = {0}},
    {"triangular-solve, ones on the diagonal", "triangular-solve", "f64 4 3", {"f64 4 4", "f64 4 3 | 0 1"}, 0,
     "59{1: 1; 2: 1; 3: 1; 4: 1}", 0, naive_unit, .values = {0}},
    {"triangular-solve from the right", "triangular-solve", "f64 2 3", {"f64 3 3", "f64 2 3"}, 0, "59{2: 1; 4: 1}", 0, naive_right, .values = {0}},
    {"cholesky", "fusion", "f32 4 4", {"f32 4 4", "f32"}, 0, 0, 0, naive_lower_factor, .values = {0, 40}, .calls = lower_factor},
    {"cholesky, upper", "fusion", "f32 4 4", {"f32 4 4", "f32"}, 0, 0, 0, naive_upper_factor, .values = {0, 40}, .calls = upper_factor},
    {"geqrf", "custom-call", "f64 4 3, f64 3", {"f64 4 3"}, 0, 0, 0, lapack_qr, .target = "lapack_dgeqrf_ffi"},
    {"geqrf of another layout", "custom-call", "f64 4 3 | 0 1, f64 3", {"f64 4 3 | 0 1"}, 0, 0, 0, lapack_qr, .target = "cusolver_geqrf_ffi"},
    {"orgqr", "custom-call", "f64 4 3", {"f64 4 3", "f64 3"}, 0, 0, 0, lapack_q, .target = "lapack_dorgqr_ffi"},
    {"getrf", "custom-call", "f64 4 3, s32 3, s32", {"f64 4 3"}, 0, 0, 0, lapack_lu, .target = "lapack_dgetrf_ffi"},
    {"getrf of wide ones, in batches of one", "custom-call", "f32 1 3 4, s32 1 3, s32 1", {"f32 1 3 4"}, 0, 0, 0, lapack_wide_lu,
     .target = "cusolver_getrf_ffi"},
    {"potrf of what is not definite", "custom-call", "f32 3 3, s32", {"f32 3 3"}, 0, 0, 0, lapack_not_definite,
     .target = "lapack_spotrf_ffi", .config = "{uplo = 76 : ui8}"},
    {"trsm", "custom-call", "f64 3 2", {"f64 3 3", "f64 3 2"}, 0, 0, 0, naive_turned, .target = "lapack_dtrsm_ffi",
     .config = "{diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}"},
    {"cuBLAS's triangular solve", "custom-call", "f32 3 2, s8 0", {"f32 3 3", "f32 3 2"}, 0, 0, 0, naive_lower,
     .target = "__cublas$triangularSolve",
     .config = "{\"left_side\":true,\"lower\":true,\"unit_diagonal\":false,\"transpose_a\":\"NO_TRANSPOSE\"}"},
    {"add complex", "add", "c64 3 5", {"c64 3 5", "c64 3 5"}, 0, 0, 0, naive_add, .values = {0}},
    {"multiply complex", "multiply", "c64 1030", {"c64 1030", "c64 1030"}, 0, 0, 0, naive_multiply, .values = {0}},
    {"divide complex", "divide", "c64 7", {"c64 7", "c64 7"}, 0, 0, 0, naive_divide, .values = {0}},
    {"exponential of complex", "exponential", "c64 7", {"c64 7"}, 0, 0, 0, naive_exp, .values = {0}},
    {"abs of complex", "abs", "f32 7", {"c64 7"}, 0, 0, 0, naive_abs, .values = {0}},
    {"imag", "imag", "f32 0 7", {"c64 0 7"}, 0, 0, 0, naive_imag, .values = {0}},
    {"complex of two", "complex", "c64 33", {"f32 33", "f32 33"}, 0, 0, 0, naive_complex, .values = {0}},
    {"compare complex", "compare", "pred 33", {"c64 33", "c64 33"}, 0, 0, 0, naive_equal, .direction = "EQ"},
    {"dot of complex", "dot", "c64 3 5", {"c64 3 7", "c64 7 5"}, 0, "30{1: 1; 2: 0}", 0, naive_complex_dot, .values = {0}},
    {"TopK", "custom-call", "f32 3 4, s32 3 4", {"f32 3 41"}, 0, 0, 0, naive_topk, .target = "TopK"},
    {"TopK of integers, all of them", "custom-call", "s32 2 9, s32 2 9", {"s32 2 9"}, 0, 0, 0, naive_topk, .target = "__gpu$TopK"},
    {"TopK of no rows", "custom-call", "f32 0 2, s32 0 2", {"f32 0 5"}, 0, 0, 0, naive_topk, .target = "TopK"},
    {"convolution f64", "convolution", "f64 2 9 6", {"f64 2 9 5", "f64 3 5 6"}, 0, CONV, 0, naive_conv, .values = {0}},
    {"convolution s32", "convolution", "s32 2 9 6", {"s32 2 9 5", "s32 3 5 6"}, 0, CONV, 0, naive_conv, .values = {0}},
    {"convolution bf16", "convolution", "bf16 2 9 6", {"bf16 2 9 5", "bf16 3 5 6"}, 0, CONV, 0, naive_conv, .values = {0}},
    {"convolution in groups", "convolution", "f32 2 9 12", {"f32 2 9 15", "f32 3 5 12"}, "50: 3", CONV, 0, naive_grouped, .values = {0}},
    {"convolution of other layouts", "convolution", "f32 2 9 12 | 1 2 0", {"f32 2 9 15 | 1 2 0", "f32 3 5 12 | 0 1 2"}, "50: 3", CONV, 0,
     naive_grouped, .values = {0}},
    {"convolution over many blocks", "convolution", "f32 3 300 70", {"f32 3 300 90", "f32 3 90 70"}, 0, CONV, 0, naive_conv, .values = {0}},
};

int main(void)
{
    return run_ops("ops_whole", ops, sizeof ops / sizeof *ops);
}
