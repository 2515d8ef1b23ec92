/* Elements, one by one, against naive evaluation. */
#include "gpu/base/values.h"
#include "tests/support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum shape_type small_floats[] = {TYPE_F16, TYPE_BF16, TYPE_F8E5M2, TYPE_F8E4M3FN, TYPE_F8E4M3,
                                               TYPE_F8E3M4, TYPE_F8E4M3B11FNUZ, TYPE_F8E5M2FNUZ, TYPE_F8E4M3FNUZ};
enum { N_SMALL = sizeof small_floats / sizeof *small_floats };

static float decode(const struct elem *e, unsigned code)
{
    float f;
    uint8_t byte = (uint8_t)code;
    uint16_t two = (uint16_t)code;
    elem_load(e, e->size == 1 ? (void *)&byte : (void *)&two, 1, &f, 1);
    return f;
}

static unsigned encode(const struct elem *e, float f)
{
    uint16_t code = 0;
    elem_store(e, &f, &code, 1, 1);
    return code;
}

/* Every code of every narrow float comes back as itself; NaNs stay NaNs. */
static void codes_return(void **state)
{
    (void)state;
    for (int t = 0; t < N_SMALL; t++) {
        struct elem e = elem_of(small_floats[t]);
        for (unsigned code = 0; code < 1u << (8 * e.size); code++) {
            float f = decode(&e, code);
            if (isnan(f))
                assert_true(isnan(decode(&e, encode(&e, f))));
            else
                assert_int_equal(encode(&e, f), code);
        }
    }
}

/* Scales are powers of two; numbers of four bits have no NaN.  The codes are those of ml_dtypes. */
static void codes_of_scales_and_quarters(void **state)
{
    static const struct { enum shape_type type; float f; unsigned code; } all[] = {
        {TYPE_F8E8M0FNU, 0, 255}, {TYPE_F8E8M0FNU, -1, 255}, {TYPE_F8E8M0FNU, NAN, 255}, {TYPE_F8E8M0FNU, INFINITY, 255},
        {TYPE_F8E8M0FNU, 1, 127}, {TYPE_F8E8M0FNU, 1.4F, 127}, {TYPE_F8E8M0FNU, 1.5F, 128}, {TYPE_F8E8M0FNU, 3, 129},
        {TYPE_F8E8M0FNU, 2.9F, 128}, {TYPE_F8E8M0FNU, 1e38F, 253}, {TYPE_F8E8M0FNU, 3.3e38F, 255},
        {TYPE_F8E8M0FNU, 2.9e-39F, 0}, {TYPE_F8E8M0FNU, 5.9e-39F, 1}, {TYPE_F8E8M0FNU, 1e-45F, 0},
        {TYPE_F4E2M1FN, 0, 0}, {TYPE_F4E2M1FN, -0.0F, 8}, {TYPE_F4E2M1FN, 0.25F, 0}, {TYPE_F4E2M1FN, 0.75F, 2},
        {TYPE_F4E2M1FN, 1.25F, 2}, {TYPE_F4E2M1FN, 5, 6}, {TYPE_F4E2M1FN, 5.1F, 7}, {TYPE_F4E2M1FN, 100, 7},
        {TYPE_F4E2M1FN, -INFINITY, 15}, {TYPE_F4E2M1FN, NAN, 8}, {TYPE_F4E2M1FN, -7, 15},
    };
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct elem e = elem_of(all[k].type);
        assert_int_equal(encode(&e, all[k].f), all[k].code);
    }
    struct elem scale = elem_of(TYPE_F8E8M0FNU);
    for (unsigned code = 0; code < 255; code++)
        assert_true(decode(&scale, code) == ldexpf(1, (int)code - 127));
    assert_true(isnan(decode(&scale, 255)));
}

/* -NaN < -infinity < -1 < -0 < 0 < 1 < infinity < NaN. */
static void total_order(void **state)
{
    static const float f[] = {-NAN, -INFINITY, -1, -0.0F, 0, 1, INFINITY, NAN};
    struct elem narrow = elem_of(TYPE_F32), wide = elem_of(TYPE_F64), to = elem_of(TYPE_S64);
    double d[8];
    int64_t a[8], b[8];
    (void)state;
    for (int k = 0; k < 8; k++)
        d[k] = (double)f[k];
    vec_apply(VOP_ORDER, &narrow, &to, f, NULL, NULL, a, 8, NULL);
    vec_apply(VOP_ORDER, &wide, &to, d, NULL, NULL, b, 8, NULL);
    for (int k = 1; k < 8; k++) {
        assert_true(a[k - 1] < a[k]);
        assert_true(b[k - 1] < b[k]);
    }
}

/* What lies between two neighbours goes to the nearer one, halfway to the even code. */
static void rounds_to_nearest_even(void **state)
{
    (void)state;
    for (int t = 0; t < N_SMALL; t++) {
        struct elem e = elem_of(small_floats[t]);
        for (unsigned code = 0; code + 1 < 1u << (8 * e.size - 1); code++) {
            float a = decode(&e, code), b = decode(&e, code + 1);
            if (!isfinite(a) || !isfinite(b))
                continue;
            float half = a + (b - a) / 2;
            assert_int_equal(encode(&e, half), code % 2 ? code + 1 : code);
            assert_int_equal(encode(&e, nextafterf(half, a)), code);
            assert_int_equal(encode(&e, nextafterf(half, b)), code + 1);
        }
    }
}

struct known { enum shape_type type; float value; float want; };
static void overflows_as_the_format_says(void **state)
{
    static const struct known all[] = {
        {TYPE_F16, 65519, 65504}, {TYPE_F16, 65520, INFINITY}, {TYPE_F16, -1e9f, -INFINITY},
        {TYPE_F8E4M3FN, 448, 448}, {TYPE_F8E4M3FN, 464, 448}, {TYPE_F8E4M3FN, 465, NAN}, {TYPE_F8E4M3FN, INFINITY, NAN},
        {TYPE_F8E5M2, 57344, 57344}, {TYPE_F8E5M2, 1e9f, INFINITY}, {TYPE_F8E4M3FNUZ, 240, 240},
        {TYPE_F8E4M3FNUZ, 300, NAN}, {TYPE_F8E4M3FNUZ, -0.0f, 0}, {TYPE_F8E5M2FNUZ, 57344, 57344},
        {TYPE_F8E4M3B11FNUZ, 30, 30}, {TYPE_F8E4M3B11FNUZ, 31.5f, NAN}, {TYPE_BF16, 3.4e38f, 0x1.fep127f},
    };
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct elem e = elem_of(all[k].type);
        float got = decode(&e, encode(&e, all[k].value));
        assert_true(isnan(all[k].want) ? isnan(got) : got == all[k].want || (all[k].type == TYPE_BF16 && got >= 3.38e38f));
    }
}

static void floats_truncate_and_saturate(void **state)
{
    static const struct { enum shape_type type; double value; int64_t want; } all[] = {
        {TYPE_S32, 2.9, 2}, {TYPE_S32, -2.9, -2}, {TYPE_S32, 1e20, INT32_MAX}, {TYPE_S32, -1e20, INT32_MIN},
        {TYPE_S32, (double)NAN, 0}, {TYPE_S64, 1e30, INT64_MAX}, {TYPE_S64, -1e30, INT64_MIN}, {TYPE_U8, -3, 0},
        {TYPE_U8, 300, 255}, {TYPE_S8, 300, 127}, {TYPE_S8, -300, -128}, {TYPE_U64, 1e30, -1}, {TYPE_U32, 5e9, UINT32_MAX},
        {TYPE_S4, 9, 7}, {TYPE_S4, -9, -8}, {TYPE_U4, 99, 15}, {TYPE_PRED, 0.5, 1}, {TYPE_PRED, 0, 0},
        {TYPE_S16, (double)INFINITY, 32767}, {TYPE_U16, (double)-INFINITY, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct elem from = elem_of(TYPE_F64), to = elem_of(all[k].type);
        int64_t got;
        vec_apply(VOP_CONVERT, &from, &to, &all[k].value, NULL, NULL, &got, 1, NULL);
        assert_int_equal(got, all[k].want);
    }
}

static int64_t int_op(enum vop op, enum shape_type t, int64_t a, int64_t b)
{
    struct elem e = elem_of(t);
    int64_t r;
    vec_apply(op, &e, &e, &a, &b, NULL, &r, 1, NULL);
    return r;
}

static void integers_do_not_trap(void **state)
{
    (void)state;
    assert_int_equal(int_op(VOP_DIV, TYPE_S32, 7, 0), -1);
    assert_int_equal(int_op(VOP_DIV, TYPE_U32, 7, 0), UINT32_MAX);
    assert_int_equal(int_op(VOP_REM, TYPE_S32, 7, 0), 7);
    assert_int_equal(int_op(VOP_DIV, TYPE_S32, INT32_MIN, -1), INT32_MIN);
    assert_int_equal(int_op(VOP_REM, TYPE_S32, INT32_MIN, -1), 0);
    assert_int_equal(int_op(VOP_DIV, TYPE_S64, INT64_MIN, -1), INT64_MIN);
    assert_int_equal(int_op(VOP_DIV, TYPE_S8, -7, 2), -3);
    assert_int_equal(int_op(VOP_REM, TYPE_S8, -7, 2), -1);
    assert_int_equal(int_op(VOP_ADD, TYPE_S8, 127, 1), -128);
    assert_int_equal(int_op(VOP_MUL, TYPE_U16, 300, 300), 300 * 300 % 65536);
    assert_int_equal(int_op(VOP_ADD, TYPE_S4, 7, 1), -8);
    assert_int_equal(int_op(VOP_SHL, TYPE_S32, 1, 32), 0);
    assert_int_equal(int_op(VOP_SHL, TYPE_S32, 1, -1), 0);
    assert_int_equal(int_op(VOP_SHRL, TYPE_S8, -1, 1), 127);
    assert_int_equal(int_op(VOP_SHRA, TYPE_S8, -128, 99), -1);
    assert_int_equal(int_op(VOP_SHRA, TYPE_U8, 0x80, 1), 0xC0);
    assert_int_equal(int_op(VOP_MAX, TYPE_U64, -1, 1), -1);
    assert_int_equal(int_op(VOP_LT, TYPE_U64, -1, 1), 0);
    assert_int_equal(int_op(VOP_NOT, TYPE_PRED, 1, 0), 0);
    assert_int_equal(int_op(VOP_NOT, TYPE_U8, 1, 0), 254);
    assert_int_equal(int_op(VOP_POW, TYPE_S32, -1, -3), -1);
    assert_int_equal(int_op(VOP_CLZ, TYPE_U16, 1, 0), 15);
    assert_int_equal(int_op(VOP_POPCNT, TYPE_S8, -1, 0), 8);
}

static float float_op(enum vop op, float a, float b)
{
    struct elem e = elem_of(TYPE_F32);
    float r;
    vec_apply(op, &e, &e, &a, &b, NULL, &r, 1, NULL);
    return r;
}

static void nan_goes_through(void **state)
{
    (void)state;
    assert_true(isnan(float_op(VOP_MAX, NAN, 1)) && isnan(float_op(VOP_MAX, 1, NAN)));
    assert_true(isnan(float_op(VOP_MIN, NAN, 1)) && isnan(float_op(VOP_MIN, 1, NAN)));
    assert_true(float_op(VOP_MAX, 1, 2) == 2 && float_op(VOP_MIN, 1, 2) == 1);
    assert_true(isnan(float_op(VOP_SIGN, NAN, 0)) && float_op(VOP_SIGN, -3, 0) == -1);
    assert_true(float_op(VOP_REM, -7, 3) == -1 && isinf(float_op(VOP_DIV, 1, 0)));
    struct elem f = elem_of(TYPE_F32), p = elem_of(TYPE_PRED);
    float nan = NAN;
    int64_t r;
    vec_apply(VOP_EQ, &f, &p, &nan, &nan, NULL, &r, 1, NULL);
    assert_int_equal(r, 0);
    vec_apply(VOP_NE, &f, &p, &nan, &nan, NULL, &r, 1, NULL);
    assert_int_equal(r, 1);
}

/* Blocks give what single elements give, at any length, and in place. */
static void blocks_are_elements(void **state)
{
    static const enum vop ops[] = {VOP_ADD, VOP_MUL, VOP_SUB, VOP_DIV, VOP_MAX, VOP_ATAN2, VOP_EXP, VOP_TANH, VOP_LOGISTIC};
    struct elem e = elem_of(TYPE_F32);
    float a[100], b[100], r[100];
    (void)state;
    for (int k = 0; k < 100; k++) {
        a[k] = (float)k * 0.37f - 11;
        b[k] = 5 - (float)k * 0.11f;
    }
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
        for (size_t n = 0; n <= 100; n += 33) {
            memcpy(r, a, sizeof a);
            vec_apply(ops[o], &e, &e, r, b, NULL, r, n, NULL);
            for (size_t k = 0; k < 100; k++) {
                float want = k < n ? float_op(ops[o], a[k], b[k]) : a[k];
                assert_memory_equal(&r[k], &want, sizeof want);
            }
        }
}

static void strides_and_gathers(void **state)
{
    (void)state;
    for (int t = 1; t < TYPE_COUNT; t++) {
        struct elem e = elem_of((enum shape_type)t);
        if (!e.size)
            continue;
        char memory[64 * 8], out[64 * 8], reg[3][64 * 8];
        int64_t at[8];
        for (size_t k = 0; k < sizeof memory; k++)
            memory[k] = e.cls == CLASS_INT && e.width.pred ? (char)(k % 2) : (char)(k % 7);
        for (int k = 0; k < 8; k++)
            at[k] = 5 + 3 * k;
        elem_load(&e, memory + 5 * e.size, 3, reg[0], 8);
        elem_gather(&e, memory, at, reg[1], 8);
        assert_memory_equal(reg[0], reg[1], 8 * class_size(e.cls));
        memset(out, 0, sizeof out);
        elem_store(&e, reg[0], out, 2, 8);
        elem_load(&e, out, 2, reg[2], 8);
        assert_memory_equal(reg[0], reg[2], 8 * class_size(e.cls));
        elem_round(&e, reg[2], 8); /* what memory holds is rounded already */
        assert_memory_equal(reg[0], reg[2], 8 * class_size(e.cls));
    }
}

static void reduced_precision(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 200000; k++) {
        float f = tm_float(k * 21473u + 12345u);
        if (isnan(f) || !isfinite(f))
            continue;
        assert_true(tm_bits(tm_reduce_precision(f, 8, 7)) == tm_bits(tm_bf16_decode(tm_bf16_encode(f))));
        if (fabsf(f) > 0x1p-14f && fabsf(f) < 65504)
            assert_true(tm_reduce_precision(f, 5, 10) == tm_f16_decode(tm_f16_encode(f)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_return),
        cmocka_unit_test(codes_of_scales_and_quarters),
        cmocka_unit_test(total_order), cmocka_unit_test(rounds_to_nearest_even),
        cmocka_unit_test(overflows_as_the_format_says), cmocka_unit_test(floats_truncate_and_saturate),
        cmocka_unit_test(integers_do_not_trap), cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(blocks_are_elements), cmocka_unit_test(strides_and_gathers),
        cmocka_unit_test(reduced_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
