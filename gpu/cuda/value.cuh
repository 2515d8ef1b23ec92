/* One value on the device: memory <-> register, and the operations of kernels.h on it.  What the
 * host's elem.c and vec.c do to blocks, for one element; rounding is the same. */
#ifndef GPU_CUDA_VALUE_CUH
#define GPU_CUDA_VALUE_CUH

#include "gpu/cuda/device.h"

union value {
    float f;
    double d;
    int64_t i;
    uint64_t u;
    struct tm_c64 c;
};

template <class T> __device__ inline T read_as(const char *at)
{
    return *(const T *)(const void *)at;
}
template <class T> __device__ inline void write_as(char *at, T x)
{
    *(T *)(void *)at = x;
}

__device__ __noinline__ static union value value_load(const struct elem &e, const char *at)
{
    union value v;
    v.u = 0;
    switch (e.type) {
    case TYPE_F32: v.u = read_as<uint32_t>(at); break;
    case TYPE_F64: case TYPE_S64: case TYPE_U64: v.u = read_as<uint64_t>(at); break;
    case TYPE_C64: v.c.re = read_as<float>(at); v.c.im = read_as<float>(at + 4); break;
    case TYPE_S32: v.i = read_as<int32_t>(at); break;
    case TYPE_U32: v.i = read_as<uint32_t>(at); break;
    case TYPE_S16: v.i = read_as<int16_t>(at); break;
    case TYPE_U16: v.i = read_as<uint16_t>(at); break;
    case TYPE_S8: v.i = read_as<int8_t>(at); break;
    case TYPE_U8: v.i = read_as<uint8_t>(at); break;
    case TYPE_PRED: v.i = read_as<uint8_t>(at) != 0; break;
    case TYPE_S4: v.i = ((read_as<uint8_t>(at) & 15) ^ 8) - 8; break;
    case TYPE_U4: v.i = read_as<uint8_t>(at) & 15; break;
    case TYPE_S2: v.i = ((read_as<uint8_t>(at) & 3) ^ 2) - 2; break;
    case TYPE_U2: v.i = read_as<uint8_t>(at) & 3; break;
    case TYPE_F16: v.f = tm_f16_decode(read_as<uint16_t>(at)); break;
    case TYPE_BF16: v.f = tm_bf16_decode(read_as<uint16_t>(at)); break;
    default: v.f = tm_small_decode(read_as<uint8_t>(at), e.small); break;
    }
    return v;
}

__device__ __noinline__ static void value_store(const struct elem &e, union value v, char *at)
{
    switch (e.type) {
    case TYPE_F32: write_as(at, (uint32_t)v.u); break;
    case TYPE_F64: case TYPE_S64: case TYPE_U64: write_as(at, v.u); break;
    case TYPE_C64: write_as(at, v.c.re); write_as(at + 4, v.c.im); break;
    case TYPE_S32: case TYPE_U32: write_as(at, (uint32_t)v.i); break;
    case TYPE_S16: case TYPE_U16: write_as(at, (uint16_t)v.i); break;
    case TYPE_S8: case TYPE_U8: case TYPE_S4: case TYPE_U4: case TYPE_S2: case TYPE_U2: write_as(at, (uint8_t)v.i); break;
    case TYPE_PRED: write_as(at, (uint8_t)(v.i != 0)); break;
    case TYPE_F16: write_as(at, tm_f16_encode(v.f)); break;
    case TYPE_BF16: write_as(at, tm_bf16_encode(v.f)); break;
    default: write_as(at, (uint8_t)tm_small_encode(v.f, e.small)); break;
    }
}

__device__ inline union value value_round(const struct elem &e, union value v)
{
    if (!e.narrow)
        return v;
    if (e.cls == CLASS_INT)
        v.i = tm_int_wrap(v.i, e.width);
    else if (e.type == TYPE_BF16)
        v.f = tm_bf16_decode(tm_bf16_encode(v.f));
    else if (e.type == TYPE_F16)
        v.f = tm_f16_decode(tm_f16_encode(v.f));
    else
        v.f = tm_small_decode(tm_small_encode(v.f, e.small), e.small);
    return v;
}

/* ---- Operations ---- */

#define UNARY_CASE(name, expr) case VOP_##name: return (T)(expr);
#define COMPARE_CASE(name, expr) case VOP_##name: return expr;

#define T float
#define M(x) x##f
__device__ inline float float_op(uint8_t op, float a, float b)
{
    switch (op) {
        TM_FLOAT_UNARY(UNARY_CASE)
        TM_FLOAT_BINARY(UNARY_CASE)
    default: return a;
    }
}
#undef T
#undef M
#define T double
#define M(x) x
__device__ inline double double_op(uint8_t op, double a, double b)
{
    switch (op) {
        TM_FLOAT_UNARY(UNARY_CASE)
        TM_FLOAT_BINARY(UNARY_CASE)
    default: return a;
    }
}
#undef T
#undef M
#define T int64_t
__device__ inline int64_t int_op(uint8_t op, struct tm_width w, int64_t a, int64_t b)
{
    switch (op) {
        TM_INT_UNARY(UNARY_CASE)
        TM_INT_BINARY(UNARY_CASE)
    default: return a;
    }
}
#undef T
template <class C> __device__ inline bool compare_op(uint8_t op, C a, C b)
{
    switch (op) {
        TM_COMPARE(COMPARE_CASE)
    default: return false;
    }
}
#undef UNARY_CASE
#undef COMPARE_CASE

__device__ inline bool value_compare(uint8_t op, const struct elem &in, union value a, union value b)
{
    switch (in.cls) {
    case CLASS_F32: return op == VOP_IS_FINITE ? fabsf(a.f) <= 3.402823466e38f : compare_op(op, a.f, b.f);
    case CLASS_F64: return op == VOP_IS_FINITE ? fabs(a.d) <= 1.7976931348623157e308 : compare_op(op, a.d, b.d);
    case CLASS_C64: return (a.c.re == b.c.re && a.c.im == b.c.im) == (op == VOP_EQ);
    default: return in.width.is_signed ? compare_op(op, a.i, b.i) : compare_op(op, a.u, b.u);
    }
}

__device__ inline struct tm_c64 complex_op(uint8_t op, struct tm_c64 a, struct tm_c64 b)
{
    struct tm_c64 r = a;
    switch (op) {
    case VOP_ADD: r.re = a.re + b.re; r.im = a.im + b.im; break;
    case VOP_SUB: r.re = a.re - b.re; r.im = a.im - b.im; break;
    case VOP_MUL: r = tm_c64_mul(a, b); break;
    case VOP_DIV: r = tm_c64_div(a, b); break;
    case VOP_NEG: r.re = -a.re; r.im = -a.im; break;
    case VOP_EXP: r.re = expf(a.re) * cosf(a.im); r.im = expf(a.re) * sinf(a.im); break;
    default: break;
    }
    return r;
}

__device__ inline float complex_part(uint8_t op, struct tm_c64 a)
{
    return op == VOP_REAL ? a.re : op == VOP_IMAG ? a.im : hypotf(a.re, a.im);
}

__device__ __noinline__ static union value value_convert(const struct elem &in, const struct elem &out, union value a)
{
    union value r = a;
    switch (in.cls * CLASS_COUNT + out.cls) {
    case CLASS_F32 * CLASS_COUNT + CLASS_F64: r.d = a.f; break;
    case CLASS_F32 * CLASS_COUNT + CLASS_INT: r.i = tm_int_from_double(a.f, out.width); break;
    case CLASS_F64 * CLASS_COUNT + CLASS_F32: r.f = (float)a.d; break;
    case CLASS_F64 * CLASS_COUNT + CLASS_INT: r.i = tm_int_from_double(a.d, out.width); break;
    case CLASS_INT * CLASS_COUNT + CLASS_F32: r.f = tm_float_from_int(a.i, in.width); break;
    case CLASS_INT * CLASS_COUNT + CLASS_F64: r.d = tm_double_from_int(a.i, in.width); break;
    case CLASS_C64 * CLASS_COUNT + CLASS_F32: r.f = a.c.re; break;
    case CLASS_C64 * CLASS_COUNT + CLASS_F64: r.d = a.c.re; break;
    case CLASS_F32 * CLASS_COUNT + CLASS_C64: r.c.re = a.f; r.c.im = 0; break;
    case CLASS_F64 * CLASS_COUNT + CLASS_C64: r.c.re = (float)a.d; r.c.im = 0; break;
    case CLASS_INT * CLASS_COUNT + CLASS_C64: r.c.re = tm_float_from_int(a.i, in.width); r.c.im = 0; break;
    default: break;
    }
    return r;
}

/* The same bytes in memory, read as another type of the same size. */
__device__ inline union value value_bitcast(const struct elem &in, const struct elem &out, union value a)
{
    uint64_t bytes = 0;
    value_store(in, a, (char *)&bytes);
    return value_load(out, (const char *)&bytes);
}

__device__ inline union value value_class(uint8_t op, const struct elem &e, union value a, union value b)
{
    union value r = a;
    switch (e.cls) {
    case CLASS_F32: r.f = float_op(op, a.f, b.f); break;
    case CLASS_F64: r.d = double_op(op, a.d, b.d); break;
    case CLASS_INT: r.i = int_op(op, e.width, a.i, b.i); break;
    default: r.c = complex_op(op, a.c, b.c); break;
    }
    return r;
}

__device__ __noinline__ static union value value_apply(uint8_t op, const struct elem &in, const struct elem &out, union value a,
                                          union value b, union value c, const int *p)
{
    union value r;
    r.u = 0;
    switch (op) {
    case VOP_SELECT: return a.i ? b : c;
    case VOP_COPY: return a;
    case VOP_BITCAST: return value_bitcast(in, out, a);
    case VOP_CLAMP: return value_class(VOP_MIN, out, value_class(VOP_MAX, out, b, a), c);
    case VOP_MAX: case VOP_MIN: return value_class(op, in, a, b);
    case VOP_EQ: case VOP_NE: case VOP_LT: case VOP_LE: case VOP_GT: case VOP_GE:
        r.i = value_compare(op, in, a, b);
        return r;
    case VOP_IS_FINITE: r.i = value_compare(op, in, a, b); break;
    case VOP_ORDER: r.i = in.cls == CLASS_F64 ? tm_order_double(a.d) : tm_order_float(a.f); break;
    case VOP_CONVERT: r = value_convert(in, out, a); break;
    case VOP_REDUCE_PRECISION: r.f = tm_reduce_precision(a.f, p[0], p[1]); break;
    case VOP_COMPLEX: r.c.re = a.f; r.c.im = b.f; break;
    default:
        if (in.cls == CLASS_C64 && out.cls == CLASS_F32)
            r.f = complex_part(op, a.c);
        else
            r = value_class(op, in, a, b);
    }
    return value_round(out, r);
}

#endif
