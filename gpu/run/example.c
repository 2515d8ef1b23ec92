#include "gpu/run/example.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

static uint32_t mixed(uint64_t k)
{
    k = (k ^ k >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    k = (k ^ k >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(k >> 33);
}

static int64_t w1_whole(int64_t row)
{
    return row ? 1 + mixed((uint64_t)row) % 8 : 1;
}

/* Part k of n whole parts of `all`, as equal as can be. */
static int64_t share_of(int64_t all, int64_t n, int64_t k)
{
    return all / n + (k < all % n);
}

/* What is missing to the next power of two is spread over row 0, whose factor is 1. */
void example_inputs(struct example *e)
{
    static const double zvals[] = {2, -4, 0.25, -2, 4, 0.5, -0.125, -0.5};
    int64_t sum = 0, goal = 1;
    for (int64_t r = 0; r < e->rows; r++) {
        int64_t row = 0;
        for (int64_t c = 0; c < e->width; c++) {
            int64_t w = 1 + (mixed((uint64_t)(r * e->width + c) + 77) & 1);
            e->w2[r * e->width + c] = (float)w;
            row += w;
        }
        sum += w1_whole(r) * row;
    }
    while (goal < sum)
        goal *= 2;
    for (int64_t c = 0; c < e->width; c++)
        e->w2[c] += (float)share_of(goal - sum, e->width, c);
    for (int64_t r = 0; r < e->rows; r++)
        e->w1[r] = (float)w1_whole(r) * 0x1p-11f;
    float scale = (float)(0x1p11 / (double)goal);
    for (int64_t k = 0; k < e->rows * e->width; k++)
        e->w2[k] *= scale;
    double a = 1;
    for (int64_t t = 0; t < e->steps; t++) {
        e->x[t] = (float)(zvals[t % 8] / (a * a));
        a *= zvals[t % 8];
    }
}

/* Backward from zero, G and u being d loss / d (w1, w2) of the model behind step k: each row of the
 * second is one number, as every step adds the same to all of its columns. */
void example_gradient(const struct example *e, double *g1, double *u)
{
    double *rs = memory_zeroed((size_t)e->rows, sizeof *rs), *a = memory_zeroed((size_t)e->steps + 1, sizeof *a), whole = 0;
    for (int64_t r = 0; r < e->rows; r++) {
        for (int64_t c = 0; c < e->width; c++)
            rs[r] += (double)e->w2[r * e->width + c];
        whole += (double)e->w1[r] * rs[r];
        g1[r] = u[r] = 0;
    }
    a[0] = 1;
    for (int64_t t = 0; t < e->steps; t++)
        a[t + 1] = a[t] * ((double)e->x[t] * a[t] * a[t] * whole);
    for (int64_t t = e->steps; t-- > 0;) {
        double x = (double)e->x[t], l = x * a[t] * a[t] * whole, g = 1;
        for (int64_t r = 0; r < e->rows; r++)
            g += a[t] * (g1[r] * (double)e->w1[r] + u[r] * rs[r]);
        for (int64_t r = 0; r < e->rows; r++) {
            g1[r] = g1[r] * l + g * x * a[t] * rs[r];
            u[r] = u[r] * l + g * x * a[t] * (double)e->w1[r];
        }
    }
    free(rs);
    free(a);
}
