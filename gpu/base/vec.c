/* The host's loops over the bodies of kernels.h, one block of elements a call. */
#include "gpu/base/values.h"

#include <string.h>

#ifdef __clang__
#define LOOP _Pragma("clang loop vectorize(assume_safety)") for (size_t k = 0; k < n; k++)
#else
#define LOOP _Pragma("GCC ivdep") for (size_t k = 0; k < n; k++)
#endif

/* ---- float, double ---- */

#define UNARY_CASE(name, expr) case VOP_##name: LOOP { T a = x[k]; r[k] = (T)(expr); } return true;
#define BINARY_CASE(name, expr)                                                                    \
    case VOP_##name: LOOP { T a = x[k], b = y[k]; r[k] = (T)(expr); } return true;
#define COMPARE_CASE(name, expr)                                                                   \
    case VOP_##name: LOOP { T a = x[k], b = y[k]; to[k] = expr; } return true;

#define T float
#define M(x) x##f
static bool float_values(enum vop op, const float *x, const float *y, float *r, size_t n)
{
    switch (op) {
        TM_FLOAT_UNARY(UNARY_CASE)
        TM_FLOAT_BINARY(BINARY_CASE)
    case VOP_COPY: if (n) memmove(r, x, n * sizeof *r); return true;
    default: return false;
    }
}
static bool float_compare(enum vop op, const float *x, const float *y, int64_t *to, size_t n)
{
    switch (op) {
        TM_COMPARE(COMPARE_CASE)
    case VOP_IS_FINITE: LOOP to[k] = isfinite(x[k]); return true;
    case VOP_ORDER: LOOP to[k] = tm_order_float(x[k]); return true;
    default: return false;
    }
}
#undef T
#undef M
#define T double
#define M(x) x
static bool double_values(enum vop op, const double *x, const double *y, double *r, size_t n)
{
    switch (op) {
        TM_FLOAT_UNARY(UNARY_CASE)
        TM_FLOAT_BINARY(BINARY_CASE)
    case VOP_COPY: if (n) memmove(r, x, n * sizeof *r); return true;
    default: return false;
    }
}
static bool double_compare(enum vop op, const double *x, const double *y, int64_t *to, size_t n)
{
    switch (op) {
        TM_COMPARE(COMPARE_CASE)
    case VOP_IS_FINITE: LOOP to[k] = isfinite(x[k]); return true;
    case VOP_ORDER: LOOP to[k] = tm_order_double(x[k]); return true;
    default: return false;
    }
}
#undef T
#undef M

/* ---- Integers ---- */

#define T int64_t
static bool int_values(enum vop op, struct tm_width w, const int64_t *x, const int64_t *y,
                       int64_t *r, size_t n)
{
    switch (op) {
        TM_INT_UNARY(UNARY_CASE)
        TM_INT_BINARY(BINARY_CASE)
    case VOP_COPY: if (n) memmove(r, x, n * sizeof *r); return true;
    default: return false;
    }
}
static bool signed_compare(enum vop op, const int64_t *x, const int64_t *y, int64_t *to, size_t n)
{
    switch (op) {
        TM_COMPARE(COMPARE_CASE)
    default: return false;
    }
}
#undef T
#define T uint64_t
static bool unsigned_compare(enum vop op, const uint64_t *x, const uint64_t *y, int64_t *to, size_t n)
{
    switch (op) {
        TM_COMPARE(COMPARE_CASE)
    default: return false;
    }
}
#undef T

/* ---- Complex ---- */

static bool complex_values(enum vop op, const struct tm_c64 *x, const struct tm_c64 *y,
                           struct tm_c64 *r, size_t n)
{
    switch (op) {
    case VOP_ADD: for (size_t k = 0; k < n; k++) r[k] = (struct tm_c64){x[k].re + y[k].re, x[k].im + y[k].im}; return true;
    case VOP_SUB: for (size_t k = 0; k < n; k++) r[k] = (struct tm_c64){x[k].re - y[k].re, x[k].im - y[k].im}; return true;
    case VOP_MUL: for (size_t k = 0; k < n; k++) r[k] = tm_c64_mul(x[k], y[k]); return true;
    case VOP_DIV: for (size_t k = 0; k < n; k++) r[k] = tm_c64_div(x[k], y[k]); return true;
    case VOP_NEG: for (size_t k = 0; k < n; k++) r[k] = (struct tm_c64){-x[k].re, -x[k].im}; return true;
    case VOP_EXP:
        for (size_t k = 0; k < n; k++) {
            float m = expf(x[k].re), t = x[k].im;
            r[k] = (struct tm_c64){m * cosf(t), m * sinf(t)};
        }
        return true;
    case VOP_COPY: if (n) memmove(r, x, n * sizeof *r); return true;
    default: return false;
    }
}

static bool complex_parts(enum vop op, const struct tm_c64 *x, float *r, size_t n)
{
    switch (op) {
    case VOP_REAL: for (size_t k = 0; k < n; k++) r[k] = x[k].re; return true;
    case VOP_IMAG: for (size_t k = 0; k < n; k++) r[k] = x[k].im; return true;
    case VOP_ABS: for (size_t k = 0; k < n; k++) r[k] = hypotf(x[k].re, x[k].im); return true;
    default: return false;
    }
}

static bool complex_compare(enum vop op, const struct tm_c64 *x, const struct tm_c64 *y, int64_t *to,
                            size_t n)
{
    for (size_t k = 0; k < n; k++)
        to[k] = (x[k].re == y[k].re && x[k].im == y[k].im) == (op == VOP_EQ);
    return op == VOP_EQ || op == VOP_NE;
}

/* ---- What moves or converts ---- */

static bool select_values(size_t size, const int64_t *p, const void *a, const void *b, void *dst,
                          size_t n)
{
    if (size == 4) {
        const uint32_t *x = a, *y = b;
        uint32_t *r = dst;
        LOOP r[k] = p[k] ? x[k] : y[k];
    } else {
        const uint64_t *x = a, *y = b;
        uint64_t *r = dst;
        LOOP r[k] = p[k] ? x[k] : y[k];
    }
    return true;
}

#define CONVERT(A, R, body) do { const A *x = a; R *r = dst; LOOP { A v = x[k]; r[k] = (body); } } while (0)

/* Classes differ; a register of 4-byte elements and one of 8 never are the same one. */
static bool convert_values(const struct elem *in, const struct elem *out, const void *a, void *dst,
                           size_t n)
{
    struct tm_width wi = in->width, wo = out->width;
    switch (in->cls * CLASS_COUNT + out->cls) {
    case CLASS_F32 * CLASS_COUNT + CLASS_F64: CONVERT(float, double, v); return true;
    case CLASS_F32 * CLASS_COUNT + CLASS_INT: CONVERT(float, int64_t, tm_int_from_double(v, wo)); return true;
    case CLASS_F64 * CLASS_COUNT + CLASS_F32: CONVERT(double, float, (float)v); return true;
    case CLASS_F64 * CLASS_COUNT + CLASS_INT: CONVERT(double, int64_t, tm_int_from_double(v, wo)); return true;
    case CLASS_INT * CLASS_COUNT + CLASS_F32: CONVERT(int64_t, float, tm_float_from_int(v, wi)); return true;
    case CLASS_INT * CLASS_COUNT + CLASS_F64: CONVERT(int64_t, double, tm_double_from_int(v, wi)); return true;
    case CLASS_C64 * CLASS_COUNT + CLASS_F32: CONVERT(struct tm_c64, float, v.re); return true;
    case CLASS_C64 * CLASS_COUNT + CLASS_F64: CONVERT(struct tm_c64, double, v.re); return true;
    case CLASS_F32 * CLASS_COUNT + CLASS_C64: CONVERT(float, struct tm_c64, ((struct tm_c64){v, 0})); return true;
    case CLASS_F64 * CLASS_COUNT + CLASS_C64: CONVERT(double, struct tm_c64, ((struct tm_c64){(float)v, 0})); return true;
    case CLASS_INT * CLASS_COUNT + CLASS_C64: CONVERT(int64_t, struct tm_c64, ((struct tm_c64){tm_float_from_int(v, wi), 0})); return true;
    default: return in->cls == out->cls && (n == 0 || memmove(dst, a, n * class_size(in->cls)));
    }
}

static bool apply(enum vop op, const struct elem *in, const struct elem *out, const void *a,
                  const void *b, const void *c, void *dst, size_t n, const int *p)
{
    if (op == VOP_SELECT)
        return select_values(class_size(out->cls), a, b, c, dst, n);
    if (op == VOP_CONVERT)
        return convert_values(in, out, a, dst, n);
    if (op == VOP_REDUCE_PRECISION) {
        const float *x = a;
        float *r = dst;
        LOOP r[k] = tm_reduce_precision(x[k], p[0], p[1]);
        return in->cls == CLASS_F32;
    }
    if (op == VOP_BITCAST) {
        char bytes[TAPE_BLOCK * REG_BYTES];
        elem_store(in, a, bytes, 1, n);
        elem_load(out, bytes, 1, dst, n);
        return in->size == out->size;
    }
    if (op == VOP_COMPLEX) {
        const float *x = a, *y = b;
        struct tm_c64 *r = dst;
        for (size_t k = 0; k < n; k++)
            r[k] = (struct tm_c64){x[k], y[k]};
        return in->cls == CLASS_F32 && out->cls == CLASS_C64;
    }
    if (op == VOP_CLAMP)
        return apply(VOP_MAX, out, out, b, a, NULL, dst, n, p) &&
               apply(VOP_MIN, out, out, dst, c, NULL, dst, n, p);
    bool compares = (op >= VOP_EQ && op <= VOP_GE) || op == VOP_IS_FINITE || op == VOP_ORDER;
    switch (in->cls) {
    case CLASS_F32:
        return compares ? float_compare(op, a, b, dst, n)
               : op == VOP_REAL ? float_values(VOP_COPY, a, b, dst, n) : float_values(op, a, b, dst, n);
    case CLASS_F64: return compares ? double_compare(op, a, b, dst, n) : double_values(op, a, b, dst, n);
    case CLASS_C64:
        return compares ? complex_compare(op, a, b, dst, n)
               : out->cls == CLASS_F32 ? complex_parts(op, a, dst, n) : complex_values(op, a, b, dst, n);
    default:
        return !compares ? int_values(op, in->width, a, b, dst, n)
               : in->width.is_signed ? signed_compare(op, a, b, dst, n)
                                     : unsigned_compare(op, a, b, dst, n);
    }
}

bool vec_has(enum vop op, const struct elem *in, const struct elem *out)
{
    char none[8] = {0};
    int p[2] = {8, 23};
    return in->size && out->size && apply(op, in, out, none, none, none, none, 0, p);
}

void vec_apply(enum vop op, const struct elem *in, const struct elem *out, const void *a,
               const void *b, const void *c, void *dst, size_t n, const int *p)
{
    apply(op, in, out, a, b, c, dst, n, p);
    bool moves = op == VOP_SELECT || op == VOP_COPY || op == VOP_MAX || op == VOP_MIN ||
                 op == VOP_CLAMP || op == VOP_BITCAST || (op >= VOP_EQ && op <= VOP_GE);
    if (!moves)
        elem_round(out, dst, n);
}

void vec_splat(enum tm_class c, const void *one, void *dst, size_t n)
{
    if (class_size(c) == 4) {
        uint32_t v = *(const uint32_t *)one, *r = dst;
        for (size_t k = 0; k < n; k++)
            r[k] = v;
    } else {
        uint64_t v = *(const uint64_t *)one, *r = dst;
        for (size_t k = 0; k < n; k++)
            r[k] = v;
    }
}

enum vop vop_named(const char *opcode, uint32_t operands)
{
    static const struct {
        const char *name;
        uint8_t op, operands;
    } names[] = {
        {"abs", VOP_ABS, 1}, {"negate", VOP_NEG, 1}, {"exponential", VOP_EXP, 1},
        {"exponential-minus-one", VOP_EXPM1, 1}, {"log", VOP_LOG, 1}, {"log-plus-one", VOP_LOG1P, 1},
        {"tanh", VOP_TANH, 1}, {"sqrt", VOP_SQRT, 1}, {"rsqrt", VOP_RSQRT, 1}, {"cbrt", VOP_CBRT, 1},
        {"sine", VOP_SIN, 1}, {"cosine", VOP_COS, 1}, {"tan", VOP_TAN, 1}, {"erf", VOP_ERF, 1},
        {"floor", VOP_FLOOR, 1}, {"ceil", VOP_CEIL, 1}, {"round-nearest-even", VOP_ROUND_EVEN, 1},
        {"round-nearest-afz", VOP_ROUND_AWAY, 1}, {"logistic", VOP_LOGISTIC, 1}, {"sign", VOP_SIGN, 1},
        {"not", VOP_NOT, 1}, {"popcnt", VOP_POPCNT, 1}, {"count-leading-zeros", VOP_CLZ, 1},
        {"is-finite", VOP_IS_FINITE, 1}, {"real", VOP_REAL, 1}, {"imag", VOP_IMAG, 1},
        {"add", VOP_ADD, 2}, {"subtract", VOP_SUB, 2}, {"multiply", VOP_MUL, 2}, {"divide", VOP_DIV, 2},
        {"maximum", VOP_MAX, 2}, {"minimum", VOP_MIN, 2}, {"power", VOP_POW, 2},
        {"remainder", VOP_REM, 2}, {"atan2", VOP_ATAN2, 2}, {"and", VOP_AND, 2}, {"or", VOP_OR, 2},
        {"xor", VOP_XOR, 2}, {"shift-left", VOP_SHL, 2}, {"shift-right-logical", VOP_SHRL, 2},
        {"shift-right-arithmetic", VOP_SHRA, 2}, {"complex", VOP_COMPLEX, 2}, {"compare", VOP_EQ, 2},
        {"select", VOP_SELECT, 3}, {"clamp", VOP_CLAMP, 3}, {"convert", VOP_CONVERT, 1},
        {"bitcast-convert", VOP_BITCAST, 1}, {"reduce-precision", VOP_REDUCE_PRECISION, 1},
        {"copy", VOP_COPY, 1},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].operands == operands && strcmp(names[k].name, opcode) == 0)
            return (enum vop)names[k].op;
    return VOP_NONE;
}
