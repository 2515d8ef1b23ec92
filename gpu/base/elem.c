/* Element types: memory <-> registers. */
#include "gpu/base/values.h"

#include <string.h>

static const struct elem elems[TYPE_COUNT] = {
    [TYPE_PRED] = {TYPE_PRED, CLASS_INT, 1, true, {1, 0, 1}, {0, 0, 0, 0}},
    [TYPE_S4] = {TYPE_S4, CLASS_INT, 1, true, {4, 1, 0}, {0, 0, 0, 0}},
    [TYPE_S8] = {TYPE_S8, CLASS_INT, 1, true, {8, 1, 0}, {0, 0, 0, 0}},
    [TYPE_S16] = {TYPE_S16, CLASS_INT, 2, true, {16, 1, 0}, {0, 0, 0, 0}},
    [TYPE_S32] = {TYPE_S32, CLASS_INT, 4, true, {32, 1, 0}, {0, 0, 0, 0}},
    [TYPE_S64] = {TYPE_S64, CLASS_INT, 8, false, {64, 1, 0}, {0, 0, 0, 0}},
    [TYPE_U4] = {TYPE_U4, CLASS_INT, 1, true, {4, 0, 0}, {0, 0, 0, 0}},
    [TYPE_U8] = {TYPE_U8, CLASS_INT, 1, true, {8, 0, 0}, {0, 0, 0, 0}},
    [TYPE_U16] = {TYPE_U16, CLASS_INT, 2, true, {16, 0, 0}, {0, 0, 0, 0}},
    [TYPE_U32] = {TYPE_U32, CLASS_INT, 4, true, {32, 0, 0}, {0, 0, 0, 0}},
    [TYPE_U64] = {TYPE_U64, CLASS_INT, 8, false, {64, 0, 0}, {0, 0, 0, 0}},
    [TYPE_F16] = {TYPE_F16, CLASS_F32, 2, true, {0, 0, 0}, {5, 10, SMALL_IEEE, 15}},
    [TYPE_BF16] = {TYPE_BF16, CLASS_F32, 2, true, {0, 0, 0}, {8, 7, SMALL_IEEE, 127}},
    [TYPE_F32] = {TYPE_F32, CLASS_F32, 4, false, {0, 0, 0}, {0, 0, 0, 0}},
    [TYPE_F64] = {TYPE_F64, CLASS_F64, 8, false, {0, 0, 0}, {0, 0, 0, 0}},
    [TYPE_C64] = {TYPE_C64, CLASS_C64, 8, false, {0, 0, 0}, {0, 0, 0, 0}},
    [TYPE_F8E5M2] = {TYPE_F8E5M2, CLASS_F32, 1, true, {0, 0, 0}, {5, 2, SMALL_IEEE, 15}},
    [TYPE_F8E4M3] = {TYPE_F8E4M3, CLASS_F32, 1, true, {0, 0, 0}, {4, 3, SMALL_IEEE, 7}},
    [TYPE_F8E3M4] = {TYPE_F8E3M4, CLASS_F32, 1, true, {0, 0, 0}, {3, 4, SMALL_IEEE, 3}},
    [TYPE_F8E4M3FN] = {TYPE_F8E4M3FN, CLASS_F32, 1, true, {0, 0, 0}, {4, 3, SMALL_FN, 7}},
    [TYPE_F8E4M3B11FNUZ] = {TYPE_F8E4M3B11FNUZ, CLASS_F32, 1, true, {0, 0, 0}, {4, 3, SMALL_FNUZ, 11}},
    [TYPE_F8E5M2FNUZ] = {TYPE_F8E5M2FNUZ, CLASS_F32, 1, true, {0, 0, 0}, {5, 2, SMALL_FNUZ, 16}},
    [TYPE_S2] = {TYPE_S2, CLASS_INT, 1, true, {2, 1, 0}, {0, 0, 0, 0}},
    [TYPE_U2] = {TYPE_U2, CLASS_INT, 1, true, {2, 0, 0}, {0, 0, 0, 0}},
    [TYPE_F4E2M1FN] = {TYPE_F4E2M1FN, CLASS_F32, 1, true, {0, 0, 0}, {2, 1, SMALL_FINITE, 1}},
    [TYPE_F8E8M0FNU] = {TYPE_F8E8M0FNU, CLASS_F32, 1, true, {0, 0, 0}, {8, 0, SMALL_SCALE, 127}},
    [TYPE_F8E4M3FNUZ] = {TYPE_F8E4M3FNUZ, CLASS_F32, 1, true, {0, 0, 0}, {4, 3, SMALL_FNUZ, 8}},
};

struct elem elem_of(enum shape_type type)
{
    return elems[type];
}

size_t class_size(enum tm_class c)
{
    return c == CLASS_F32 ? 4 : 8;
}

/* One loop for each way to find element k: in a row, by a stride, by an index. */
#define LOOPS(S, R, body)                                                                          \
    do {                                                                                           \
        const S *f = from;                                                                         \
        R *r = reg;                                                                                \
        if (at)                                                                                    \
            for (size_t k = 0; k < n; k++) { S x = f[at[k]]; r[k] = (R)(body); }                   \
        else if (stride == 1)                                                                      \
            for (size_t k = 0; k < n; k++) { S x = f[k]; r[k] = (R)(body); }                       \
        else                                                                                       \
            for (size_t k = 0; k < n; k++) { S x = f[(int64_t)k * stride]; r[k] = (R)(body); }     \
    } while (0)

static void load(const struct elem *e, const void *from, int64_t stride, const int64_t *at,
                 void *reg, size_t n)
{
    switch (e->type) {
    case TYPE_F32: LOOPS(uint32_t, uint32_t, x); break;
    case TYPE_F64: case TYPE_S64: case TYPE_U64: case TYPE_C64: LOOPS(uint64_t, uint64_t, x); break;
    case TYPE_S32: LOOPS(int32_t, int64_t, x); break;
    case TYPE_U32: LOOPS(uint32_t, int64_t, x); break;
    case TYPE_S16: LOOPS(int16_t, int64_t, x); break;
    case TYPE_U16: LOOPS(uint16_t, int64_t, x); break;
    case TYPE_S8: LOOPS(int8_t, int64_t, x); break;
    case TYPE_U8: LOOPS(uint8_t, int64_t, x); break;
    case TYPE_PRED: LOOPS(uint8_t, int64_t, x != 0); break;
    case TYPE_S4: LOOPS(uint8_t, int64_t, ((x & 15) ^ 8) - 8); break;
    case TYPE_U4: LOOPS(uint8_t, int64_t, x & 15); break;
    case TYPE_S2: LOOPS(uint8_t, int64_t, ((x & 3) ^ 2) - 2); break;
    case TYPE_U2: LOOPS(uint8_t, int64_t, x & 3); break;
    case TYPE_F16: LOOPS(uint16_t, float, tm_f16_decode(x)); break;
    case TYPE_BF16: LOOPS(uint16_t, float, tm_bf16_decode(x)); break;
    default: { struct tm_small s = e->small; LOOPS(uint8_t, float, tm_small_decode(x, s)); }
    }
}

void elem_load(const struct elem *e, const void *from, int64_t stride, void *reg, size_t n)
{
    if (stride == 1 && elem_is_native(e))
        memcpy(reg, from, n * e->size);
    else if (stride == 0 && n) {
        load(e, from, 1, NULL, reg, 1);
        vec_splat(e->cls, reg, reg, n);
    } else
        load(e, from, stride, NULL, reg, n);
}

void elem_gather(const struct elem *e, const void *from, const int64_t *at, void *reg, size_t n)
{
    load(e, from, 1, at, reg, n);
}

#define STORE(R, S, body)                                                                          \
    do {                                                                                           \
        const R *r = reg;                                                                          \
        S *t = to;                                                                                 \
        if (stride == 1)                                                                           \
            for (size_t k = 0; k < n; k++) { R x = r[k]; t[k] = (S)(body); }                       \
        else                                                                                       \
            for (size_t k = 0; k < n; k++) { R x = r[k]; t[(int64_t)k * stride] = (S)(body); }     \
    } while (0)

void elem_store(const struct elem *e, const void *reg, void *to, int64_t stride, size_t n)
{
    switch (e->type) {
    case TYPE_F32:
        if (stride == 1)
            memmove(to, reg, n * 4);
        else
            STORE(uint32_t, uint32_t, x);
        break;
    case TYPE_F64: case TYPE_S64: case TYPE_U64: case TYPE_C64: STORE(uint64_t, uint64_t, x); break;
    case TYPE_S32: case TYPE_U32: STORE(int64_t, uint32_t, x); break;
    case TYPE_S16: case TYPE_U16: STORE(int64_t, uint16_t, x); break;
    case TYPE_S8: case TYPE_U8: STORE(int64_t, uint8_t, x); break;
    case TYPE_S4: case TYPE_U4: case TYPE_S2: case TYPE_U2: STORE(int64_t, uint8_t, x); break;
    case TYPE_PRED: STORE(int64_t, uint8_t, x != 0); break;
    case TYPE_F16: STORE(float, uint16_t, tm_f16_encode(x)); break;
    case TYPE_BF16: STORE(float, uint16_t, tm_bf16_encode(x)); break;
    default: { struct tm_small s = e->small; STORE(float, uint8_t, tm_small_encode(x, s)); }
    }
}

void elem_round(const struct elem *e, void *reg, size_t n)
{
    float *f = reg;
    int64_t *i = reg;
    if (!e->narrow)
        return;
    if (e->cls == CLASS_INT)
        for (size_t k = 0; k < n; k++)
            i[k] = tm_int_wrap(i[k], e->width);
    else if (e->type == TYPE_BF16)
        for (size_t k = 0; k < n; k++)
            f[k] = tm_bf16_decode(tm_bf16_encode(f[k]));
    else if (e->type == TYPE_F16)
        for (size_t k = 0; k < n; k++)
            f[k] = tm_f16_decode(tm_f16_encode(f[k]));
    else
        for (size_t k = 0; k < n; k++)
            f[k] = tm_small_decode(tm_small_encode(f[k], e->small), e->small);
}

/* ---- Elements that share bytes ---- */

static void unpack(const uint8_t *from, uint8_t *to, int64_t n, unsigned bits)
{
    for (int64_t k = 0; k < n; k++)
        to[k] = (uint8_t)(from[k * bits / 8] >> k * bits % 8 & ((1 << bits) - 1));
}

static void pack(const uint8_t *from, uint8_t *to, int64_t n, unsigned bits)
{
    memset(to, 0, (size_t)((n * bits + 7) / 8));
    for (int64_t k = 0; k < n; k++)
        to[k * bits / 8] |= (uint8_t)((from[k] & ((1 << bits) - 1)) << k * bits % 8);
}

void elem_repack(bool packs, const void *from, void *to, int64_t n, unsigned bits)
{
    (packs ? pack : unpack)(from, to, n, bits);
}
