#include "gpu/run/inputs_made.h"

#include <math.h>

/* About normal, of variance 1: a sum of four uniform numbers, from the bits of k well mixed. */
static double normal(uint64_t k)
{
    k = (k ^ k >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    k = (k ^ k >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    k ^= k >> 32;
    double sum = (double)((k & 0xFFFF) + (k >> 16 & 0xFFFF) + (k >> 32 & 0xFFFF) + (k >> 48));
    return 1.7320508 * (sum / 65536 - 2);
}

static uint64_t seed_of(const struct making *m)
{
    return ((uint64_t)m->position << 40) + 1;
}

static void make_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct making *m = ctx;
    char block[TAPE_BLOCK * REG_BYTES];
    uint64_t first = part * TAPE_BLOCK, n = m->n - first < TAPE_BLOCK ? m->n - first : TAPE_BLOCK;
    uint64_t seed = seed_of(m) + first;
    (void)worker;
    if (m->elem.cls == CLASS_F32)
        for (uint64_t q = 0; q < n; q++)
            ((float *)(void *)block)[q] = (float)(0.1 * normal(seed + q));
    else if (m->elem.cls == CLASS_F64)
        for (uint64_t q = 0; q < n; q++)
            ((double *)(void *)block)[q] = 0.1 * normal(seed + q);
    else if (m->elem.cls == CLASS_INT)
        for (uint64_t q = 0; q < n; q++)
            ((int64_t *)(void *)block)[q] = (int64_t)(((first + q) * 7 + 3 * m->position) % (m->elem.width.pred ? 2 : 5));
    else
        for (uint64_t q = 0; q < n; q++) {
            float f = (float)(0.1 * normal(seed + q));
            ((struct tm_c64 *)(void *)block)[q] = (struct tm_c64){f, -f};
        }
    elem_store(&m->elem, block, m->row + first * m->elem.size, 1, n);
}

void inputs_make(struct threads *t, const struct making *m)
{
    threads_each(t, (m->n + TAPE_BLOCK - 1) / TAPE_BLOCK, make_part, (void *)(uintptr_t)m);
}

/* Off the diagonal 0.1 x normal, whose eigenvalues go up to 0.2 x sqrt(side); 0.4 x sqrt(side) is added. */
void inputs_definite(const struct making *m, uint64_t side)
{
    unsigned size = m->elem.size;
    char one[REG_BYTES];
    for (uint64_t r = 0; r < side; r++)
        for (uint64_t c = 0; c <= r; c++) {
            double f = 0.1 * normal(seed_of(m) + r * side + c) + (r == c ? 0.4 * sqrt((double)side) : 0);
            if (m->elem.cls == CLASS_F64)
                *(double *)(void *)one = f;
            else
                *(float *)(void *)one = (float)f;
            elem_store(&m->elem, one, m->row + (r * side + c) * size, 1, 1);
            elem_store(&m->elem, one, m->row + (c * side + r) * size, 1, 1);
        }
}

struct noising {
    const struct making *m;
    double noise;
};

static void noise_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct noising *j = ctx;
    const struct making *m = j->m;
    char block[TAPE_BLOCK * REG_BYTES];
    uint64_t first = part * TAPE_BLOCK, n = m->n - first < TAPE_BLOCK ? m->n - first : TAPE_BLOCK;
    uint64_t seed = ~(seed_of(m) + first);
    (void)worker;
    elem_load(&m->elem, m->row + first * m->elem.size, 1, block, n);
    for (uint64_t q = 0; q < n; q++) {
        double by = 1 + j->noise * normal(seed - q);
        if (m->elem.cls == CLASS_F32)
            ((float *)(void *)block)[q] = (float)(((float *)(void *)block)[q] * by);
        else if (m->elem.cls == CLASS_F64)
            ((double *)(void *)block)[q] *= by;
        else {
            ((struct tm_c64 *)(void *)block)[q].re *= (float)by;
            ((struct tm_c64 *)(void *)block)[q].im *= (float)by;
        }
    }
    elem_store(&m->elem, block, m->row + first * m->elem.size, 1, n);
}

void inputs_noise(struct threads *t, const struct making *m, double noise)
{
    struct noising j = {m, noise};
    if (m->elem.cls != CLASS_INT)
        threads_each(t, (m->n + TAPE_BLOCK - 1) / TAPE_BLOCK, noise_part, &j);
}
