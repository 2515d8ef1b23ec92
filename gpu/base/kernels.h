/* The arithmetic of one element, shared by both backends: included by cc (inside a loop over a
 * block) and by nvcc (inside a switch, a thread each).  No fused multiply-add is written or may be
 * formed (-ffp-contract=off, -fmad=false), so that both give the same bits but for libm.
 *
 * Values are held in four classes.  Narrow floats are held in a float and rounded to their type
 * (to nearest even) after every operation; all integers and pred in an int64_t, sign- or zero-
 * extended, and wrapped to their type.  u64 is held as its bit pattern.  The rows of TM_FLOAT_*
 * need T (float or double) and M(name), the libm function's name for T, where they are expanded.
 * Semantics: XLA's operation semantics; EXEC: integer division and shifts do not trap. */
#ifndef GPU_BASE_KERNELS_H
#define GPU_BASE_KERNELS_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GPU_BODY __host__ __device__ static inline
#else
#define GPU_BODY static inline
#endif

enum tm_class { CLASS_F32, CLASS_F64, CLASS_INT, CLASS_C64, CLASS_COUNT };

struct tm_c64 {
    float re, im;
};

/* ---- Rows: name, expression of a, b ---- */

#define TM_FLOAT_UNARY(X)                                                                          \
    X(ABS, M(fabs)(a)) X(NEG, -a) X(EXP, M(exp)(a)) X(EXPM1, M(expm1)(a)) X(LOG, M(log)(a))        \
    X(LOG1P, M(log1p)(a)) X(TANH, M(tanh)(a)) X(SQRT, M(sqrt)(a)) X(RSQRT, 1 / M(sqrt)(a))         \
    X(CBRT, M(cbrt)(a)) X(SIN, M(sin)(a)) X(COS, M(cos)(a)) X(TAN, M(tan)(a)) X(ERF, M(erf)(a))    \
    X(FLOOR, M(floor)(a)) X(CEIL, M(ceil)(a)) X(ROUND_EVEN, M(rint)(a)) X(ROUND_AWAY, M(round)(a)) \
    X(LOGISTIC, 1 / (1 + M(exp)(-a))) X(SIGN, a > 0 ? (T)1 : a < 0 ? (T)-1 : a)

/* fmaxf and fminf drop a NaN; XLA keeps it. */
#define TM_FLOAT_BINARY(X)                                                                         \
    X(ADD, a + b) X(SUB, a - b) X(MUL, a * b) X(DIV, a / b)                                        \
    X(MAX, a != a ? a : b != b ? b : a > b ? a : b) X(MIN, a != a ? a : b != b ? b : a < b ? a : b) \
    X(POW, M(pow)(a, b)) X(REM, M(fmod)(a, b)) X(ATAN2, M(atan2)(a, b))

#define TM_COMPARE(X)                                                                              \
    X(EQ, a == b) X(NE, a != b) X(LT, a < b) X(LE, a <= b) X(GT, a > b) X(GE, a >= b)

#define TM_INT_UNARY(X)                                                                            \
    X(ABS, tm_int_abs(a)) X(NEG, (int64_t)(0 - (uint64_t)a)) X(SIGN, (a > 0) - (a < 0))            \
    X(NOT, w.pred ? !a : ~a) X(POPCNT, tm_int_popcnt(a, w)) X(CLZ, tm_int_clz(a, w))

#define TM_INT_BINARY(X)                                                                           \
    X(ADD, (int64_t)((uint64_t)a + (uint64_t)b)) X(SUB, (int64_t)((uint64_t)a - (uint64_t)b))      \
    X(MUL, (int64_t)((uint64_t)a * (uint64_t)b)) X(DIV, tm_int_div(a, b, w))                       \
    X(REM, tm_int_rem(a, b, w)) X(MAX, tm_int_less(a, b, w) ? b : a)                               \
    X(MIN, tm_int_less(b, a, w) ? b : a) X(POW, tm_int_pow(a, b)) X(AND, a & b) X(OR, a | b)       \
    X(XOR, a ^ b) X(SHL, tm_int_shl(a, b, w)) X(SHRL, tm_int_shrl(a, b, w))                        \
    X(SHRA, tm_int_shra(a, b, w))

/* ---- Integers ---- */

struct tm_width {
    uint8_t bits;      /* 1 for pred */
    uint8_t is_signed, pred;
};

GPU_BODY int64_t tm_int_wrap(int64_t a, struct tm_width w)
{
    if (w.pred)
        return a != 0;
    if (w.bits == 64)
        return a;
    uint64_t u = (uint64_t)a & ((1ull << w.bits) - 1);
    uint64_t sign = 1ull << (w.bits - 1);
    return (int64_t)(w.is_signed ? (u ^ sign) - sign : u);
}
GPU_BODY int tm_int_less(int64_t a, int64_t b, struct tm_width w)
{
    return w.is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}
GPU_BODY int64_t tm_int_abs(int64_t a)
{
    return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}
/* x / 0 is all ones, x % 0 is x; INT_MIN / -1 wraps to itself, its remainder is 0. */
GPU_BODY int64_t tm_int_div(int64_t a, int64_t b, struct tm_width w)
{
    if (b == 0)
        return -1;
    if (!w.is_signed)
        return (int64_t)((uint64_t)a / (uint64_t)b);
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
GPU_BODY int64_t tm_int_rem(int64_t a, int64_t b, struct tm_width w)
{
    if (b == 0)
        return a;
    if (!w.is_signed)
        return (int64_t)((uint64_t)a % (uint64_t)b);
    return b == -1 ? 0 : a % b;
}
/* Negative exponents: only 1 and -1 have powers that are not 0. */
GPU_BODY int64_t tm_int_pow(int64_t a, int64_t b)
{
    uint64_t r = 1, x = (uint64_t)a;
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (uint64_t e = (uint64_t)b; e; e >>= 1, x *= x)
        if (e & 1)
            r *= x;
    return (int64_t)r;
}
/* A count that is negative or not below the width shifts everything out. */
GPU_BODY int64_t tm_int_shl(int64_t a, int64_t n, struct tm_width w)
{
    return n < 0 || n >= w.bits ? 0 : (int64_t)((uint64_t)a << n);
}
GPU_BODY int64_t tm_int_shrl(int64_t a, int64_t n, struct tm_width w)
{
    uint64_t u = w.bits == 64 ? (uint64_t)a : (uint64_t)a & ((1ull << w.bits) - 1);
    return n < 0 || n >= w.bits ? 0 : (int64_t)(u >> n);
}
/* Also of unsigned types, whose top bit is then their sign. */
GPU_BODY int64_t tm_int_shra(int64_t a, int64_t n, struct tm_width w)
{
    struct tm_width s = {w.bits, 1, 0};
    int64_t x = tm_int_wrap(a, s);
    return n < 0 || n >= w.bits ? (x < 0 ? -1 : 0) : x >> n;
}
GPU_BODY int64_t tm_int_popcnt(int64_t a, struct tm_width w)
{
    int64_t n = 0;
    for (uint64_t u = w.bits == 64 ? (uint64_t)a : (uint64_t)a & ((1ull << w.bits) - 1); u; u &= u - 1)
        n++;
    return n;
}
GPU_BODY int64_t tm_int_clz(int64_t a, struct tm_width w)
{
    int64_t n = 0;
    for (int k = w.bits - 1; k >= 0 && !((uint64_t)a >> k & 1); k--)
        n++;
    return n;
}

/* ---- Conversions ---- */

/* Truncates and saturates; NaN is 0. */
GPU_BODY int64_t tm_int_from_double(double a, struct tm_width w)
{
    double top = ldexp(1.0, w.bits - (w.is_signed ? 1 : 0)); /* the first that is too large */
    if (w.pred)
        return a != 0;
    if (a != a)
        return 0;
    if (w.is_signed) {
        if (a >= top)
            return (int64_t)((1ull << (w.bits - 1)) - 1);
        return a < -top ? tm_int_wrap((int64_t)(1ull << (w.bits - 1)), w) : (int64_t)a;
    }
    if (a >= top)
        return w.bits == 64 ? -1 : (int64_t)((1ull << w.bits) - 1);
    return a <= 0 ? 0 : (int64_t)(uint64_t)a;
}
GPU_BODY double tm_double_from_int(int64_t a, struct tm_width w)
{
    return w.is_signed ? (double)a : (double)(uint64_t)a;
}
GPU_BODY float tm_float_from_int(int64_t a, struct tm_width w)
{
    return w.is_signed ? (float)a : (float)(uint64_t)a;
}

GPU_BODY uint32_t tm_bits(float a)
{
    union { float f; uint32_t u; } x = {a};
    return x.u;
}
GPU_BODY float tm_float(uint32_t u)
{
    union { uint32_t u; float f; } x = {u};
    return x.f;
}

/* A float format of at most 16 bits.  `kind` tells what the codes at the ends mean. */
enum tm_small_kind {
    SMALL_IEEE, /* infinities and NaNs in the highest exponent */
    SMALL_FN,   /* no infinity; all ones are NaN */
    SMALL_FNUZ, /* no infinity, no -0; the code of -0 is NaN */
    SMALL_FINITE, /* neither infinity nor NaN: what is too large is the largest, NaN is -0 */
    SMALL_SCALE /* powers of two alone, without sign or 0: the exponent; all ones are NaN */
};
struct tm_small {
    uint8_t exponent, mantissa, kind;
    int8_t bias;
};

GPU_BODY float tm_small_decode(uint32_t code, struct tm_small f)
{
    uint32_t man = code & ((1u << f.mantissa) - 1);
    uint32_t top = (1u << f.exponent) - 1, exp = code >> f.mantissa & top;
    uint32_t sign = code >> (f.mantissa + f.exponent) & 1;
    float r;
    if (f.kind == SMALL_SCALE)
        return code == 255 ? tm_float(0x7FC00000u) : tm_float(code ? code << 23 : 0x400000u);
    if (f.kind == SMALL_IEEE && exp == top)
        r = man ? tm_float(0x7FC00000u) : tm_float(0x7F800000u);
    else if (f.kind == SMALL_FN && exp == top && man == (1u << f.mantissa) - 1)
        r = tm_float(0x7FC00000u);
    else if (f.kind == SMALL_FNUZ && sign && !exp && !man)
        return tm_float(0x7FC00000u);
    else if (exp == 0)
        r = ldexpf((float)man, 1 - f.bias - f.mantissa);
    else
        r = ldexpf((float)(man | 1u << f.mantissa), (int)exp - f.bias - f.mantissa);
    return sign ? -r : r;
}

/* To nearest even; what is too large becomes infinity, or NaN where there is none. */
GPU_BODY uint32_t tm_small_encode(float a, struct tm_small f)
{
    uint32_t u = tm_bits(a), sign = u >> 31, mag = u & 0x7FFFFFFFu;
    if (f.kind == SMALL_SCALE) /* halfway goes up, as ml_dtypes has it */
        return sign || !mag || mag >= 0x7F400000u ? 255 : mag < 0x800000u ? mag > 0x400000u : (mag + 0x400000u) >> 23;
    uint32_t s = sign << (f.exponent + f.mantissa), top = (1u << f.exponent) - 1;
    uint32_t nan = f.kind == SMALL_FNUZ ? 1u << (f.exponent + f.mantissa)
                   : f.kind == SMALL_FN ? s | (top << f.mantissa) | ((1u << f.mantissa) - 1)
                                        : s | (top << f.mantissa) | 1u << (f.mantissa - 1);
    uint32_t over = f.kind == SMALL_IEEE ? s | (top << f.mantissa) : nan;
    if (f.kind == SMALL_FINITE) {
        nan = 1u << (f.exponent + f.mantissa);
        over = s | (nan - 1);
    }
    if (mag > 0x7F800000u)
        return nan;
    if (mag == 0x7F800000u)
        return over;
    int e = (int)(mag >> 23) - 127 + f.bias; /* exponent in the small format */
    uint64_t man = (mag & 0x7FFFFFu) | (mag >> 23 ? 0x800000u : 0);
    if (!(mag >> 23))
        e++;
    int drop = 23 - f.mantissa + (e < 1 ? 1 - e : 0); /* bits that are rounded away */
    if (drop > 40)
        drop = 40;
    uint64_t half = 1ull << (drop - 1), kept = man >> drop, rest = man & ((1ull << drop) - 1);
    kept += rest > half || (rest == half && kept & 1);
    uint64_t code = e < 1 ? kept : kept + ((uint64_t)(uint32_t)(e - 1) << f.mantissa);
    uint64_t most = f.kind == SMALL_IEEE ? ((uint64_t)top << f.mantissa) - 1
                    : f.kind == SMALL_FN ? ((uint64_t)top << f.mantissa | ((1u << f.mantissa) - 1)) - 1
                                         : ((uint64_t)top << f.mantissa | ((1u << f.mantissa) - 1)); /* FNUZ, FINITE */
    if (code > most)
        return over;
    if (f.kind == SMALL_FNUZ && !code)
        return 0;
    return s | (uint32_t)code;
}

GPU_BODY float tm_bf16_decode(uint16_t code)
{
    return tm_float((uint32_t)code << 16);
}
GPU_BODY uint16_t tm_bf16_encode(float a)
{
    uint32_t u = tm_bits(a), near = (u + 0x7FFFu + (u >> 16 & 1)) >> 16, nan = u >> 16 | 0x40;
    return (uint16_t)((u & 0x7FFFFFFFu) > 0x7F800000u ? nan : near); /* no branch: loops stay wide */
}
/* The usual exact tricks: half's exponents are moved by a multiplication, subnormals with them. */
GPU_BODY float tm_f16_decode(uint16_t code)
{
    uint32_t sign = (uint32_t)(code & 0x8000u) << 16, mag = code & 0x7FFFu;
    if (mag >= 0x7C00u)
        return tm_float(sign | 0x7F800000u | (mag & 0x3FFu) << 13);
    return tm_float(sign | tm_bits(tm_float(mag << 13) * 0x1p112f));
}
GPU_BODY uint16_t tm_f16_encode(float a)
{
    uint32_t u = tm_bits(a), sign = u >> 16 & 0x8000u, mag = u & 0x7FFFFFFFu;
    if (mag > 0x7F800000u)
        return (uint16_t)(sign | 0x7E00u);
    if (mag >= 0x477FF000u)
        return (uint16_t)(sign | 0x7C00u);
    if (mag < 0x38800000u) /* subnormal: 0.5 has the mantissa's last bit at 2^-24 */
        return (uint16_t)(sign | (tm_bits(tm_float(mag) + 0.5f) - 0x3F000000u));
    return (uint16_t)(sign | ((mag + 0xFFFu + (mag >> 13 & 1)) - 0x38000000u) >> 13);
}

/* A number whose order is the total one: -NaN, -infinity … -0, 0 … infinity, NaN. */
GPU_BODY int64_t tm_order_float(float a)
{
    uint32_t u = tm_bits(a);
    return u >> 31 ? -(int64_t)(u & 0x7FFFFFFFu) - 1 : (int64_t)u;
}
GPU_BODY int64_t tm_order_double(double a)
{
    union { double d; uint64_t u; } x = {a};
    return (int64_t)(x.u >> 63 ? ~(x.u & 0x7FFFFFFFFFFFFFFFull) : x.u);
}

/* reduce-precision: `mantissa` bits kept, exponents beyond `exponent` bits become 0 or infinity. */
GPU_BODY float tm_reduce_precision(float a, int exponent, int mantissa)
{
    uint32_t u = tm_bits(a), mag = u & 0x7FFFFFFFu, sign = u & 0x80000000u;
    if (mag >= 0x7F800000u)
        return a;
    if (mantissa < 23) {
        int drop = 23 - mantissa;
        mag += (mag >> drop & 1) + (1u << (drop - 1)) - 1;
        mag &= ~((1u << drop) - 1);
    }
    if (exponent < 8) {
        int bias = (1 << (exponent - 1)) - 1;
        int e = (int)(mag >> 23) - 127;
        if (e > bias)
            mag = 0x7F800000u;
        else if (e < 1 - bias)
            mag = 0;
    }
    return tm_float(sign | mag);
}

/* ---- Complex ---- */

GPU_BODY struct tm_c64 tm_c64_mul(struct tm_c64 a, struct tm_c64 b)
{
    struct tm_c64 r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return r;
}
/* In double, so that the squares neither overflow nor vanish. */
GPU_BODY struct tm_c64 tm_c64_div(struct tm_c64 a, struct tm_c64 b)
{
    double n = (double)b.re * b.re + (double)b.im * b.im;
    struct tm_c64 r = {(float)(((double)a.re * b.re + (double)a.im * b.im) / n),
                       (float)(((double)a.im * b.re - (double)a.re * b.im) / n)};
    return r;
}

#endif
