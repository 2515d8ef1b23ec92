/* Blocked matrix product: panels are packed, then multiplied in registers. */
#include "gpu/host_build.h"

#include <string.h>

/* Tiles of 4 rows and 2 vectors, kept in registers: GCC's vectors, which any target can do. */
typedef float floats __attribute__((vector_size(32)));
typedef double doubles __attribute__((vector_size(32)));
typedef float floats_narrow __attribute__((vector_size(16)));
typedef double doubles_narrow __attribute__((vector_size(16)));
typedef uint64_t ints __attribute__((vector_size(16)));

#define KERNEL(name, T, V, attribute)                                                              \
    attribute static void name(const T *a, int64_t rows, const T *b, int64_t cols, int64_t depth,  \
                               T *sums)                                                            \
    {                                                                                              \
        enum { N = sizeof(V) / sizeof(T) };                                                        \
        for (int64_t c0 = 0; c0 < cols; c0 += 2 * N)                                               \
            for (int64_t r0 = 0; r0 < rows; r0 += 4) {                                             \
                V s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0}; \
                for (int64_t k = 0; k < depth; k++) {                                              \
                    const T *x = a + k * rows + r0;                                                \
                    V y0, y1;                                                                      \
                    memcpy(&y0, b + k * cols + c0, sizeof y0);                                     \
                    memcpy(&y1, b + k * cols + c0 + N, sizeof y1);                                 \
                    s00 += x[0] * y0; s01 += x[0] * y1;                                            \
                    s10 += x[1] * y0; s11 += x[1] * y1;                                            \
                    s20 += x[2] * y0; s21 += x[2] * y1;                                            \
                    s30 += x[3] * y0; s31 += x[3] * y1;                                            \
                }                                                                                  \
                V tile[4][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}};                   \
                for (int r = 0; r < 4; r++)                                                        \
                    for (int c = 0; c < 2 * N; c++)                                                \
                        sums[(r0 + r) * cols + c0 + c] += tile[r][c / N][c % N];                   \
            }                                                                                      \
    }

#if defined __x86_64__ && defined __GNUC__
#define WIDE __attribute__((target("avx2")))
KERNEL(float_wide, float, floats, WIDE)
KERNEL(double_wide, double, doubles, WIDE)
static bool is_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define float_wide float_plain
#define double_wide double_plain
static bool is_wide(void)
{
    return false;
}
#endif
KERNEL(float_plain, float, floats_narrow, )
KERNEL(double_plain, double, doubles_narrow, )
KERNEL(int_plain, uint64_t, ints, )

static void complex_plain(const struct tm_c64 *a, int64_t rows, const struct tm_c64 *b, int64_t cols,
                          int64_t depth, struct tm_c64 *sums)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            for (int64_t k = 0; k < depth; k++) {
                struct tm_c64 p = tm_c64_mul(a[k * rows + r], b[k * cols + c]);
                sums[r * cols + c].re += p.re;
                sums[r * cols + c].im += p.im;
            }
}

struct gemm_job {
    const struct gemm *g;
    int64_t row_blocks, col_blocks;
};

static void gemm_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct gemm_job *j = ctx;
    const struct gemm *g = j->g;
    (void)worker;
    int64_t each = j->row_blocks * j->col_blocks, batch = (int64_t)part / each;
    int64_t row = (int64_t)part % each / j->col_blocks * GEMM_ROWS, col = (int64_t)part % j->col_blocks * GEMM_COLS;
    int64_t rows = g->rows - row < GEMM_ROWS ? g->rows - row : GEMM_ROWS;
    int64_t cols = g->cols - col < GEMM_COLS ? g->cols - col : GEMM_COLS;
    int64_t wide_rows = (rows + 3) / 4 * 4, wide_cols = (cols + 15) / 16 * 16;
    size_t size = class_size(g->cls);
    char *a = malloc(GEMM_ROWS * GEMM_DEPTH * size), *b = malloc(GEMM_COLS * GEMM_DEPTH * size);
    char *sums = host_get(GEMM_ROWS * GEMM_COLS * size);
    if (!a || !b)
        abort();
    for (int64_t k = 0; k < g->depth; k += GEMM_DEPTH) {
        int64_t depth = g->depth - k < GEMM_DEPTH ? g->depth - k : GEMM_DEPTH;
        /* packed tightly, then spread to whole tiles from the end */
        g->pack_a(g->ctx, batch, row, rows, k, depth, a);
        g->pack_b(g->ctx, batch, col, cols, k, depth, b);
        for (int64_t d = depth; d-- > 0 && wide_rows != rows;) {
            memmove(a + (size_t)(d * wide_rows) * size, a + (size_t)(d * rows) * size, (size_t)rows * size);
            memset(a + (size_t)(d * wide_rows + rows) * size, 0, (size_t)(wide_rows - rows) * size);
        }
        for (int64_t d = depth; d-- > 0 && wide_cols != cols;) {
            memmove(b + (size_t)(d * wide_cols) * size, b + (size_t)(d * cols) * size, (size_t)cols * size);
            memset(b + (size_t)(d * wide_cols + cols) * size, 0, (size_t)(wide_cols - cols) * size);
        }
        if (g->cls == CLASS_F32)
            (is_wide() ? float_wide : float_plain)((float *)a, wide_rows, (float *)b, wide_cols, depth, (float *)sums);
        else if (g->cls == CLASS_F64)
            (is_wide() ? double_wide : double_plain)((double *)a, wide_rows, (double *)b, wide_cols, depth, (double *)sums);
        else if (g->cls == CLASS_INT)
            int_plain((uint64_t *)a, wide_rows, (uint64_t *)b, wide_cols, depth, (uint64_t *)sums);
        else
            complex_plain((struct tm_c64 *)a, wide_rows, (struct tm_c64 *)b, wide_cols, depth, (struct tm_c64 *)sums);
    }
    for (int64_t r = 1; r < rows && wide_cols != cols; r++)
        memmove(sums + (size_t)(r * cols) * size, sums + (size_t)(r * wide_cols) * size, (size_t)cols * size);
    g->take(g->ctx, batch, row, rows, col, cols, sums);
    free(a);
    free(b);
    free(sums);
}

void host_gemm(struct threads *t, const struct gemm *g)
{
    struct gemm_job j = {g, (g->rows + GEMM_ROWS - 1) / GEMM_ROWS, (g->cols + GEMM_COLS - 1) / GEMM_COLS};
    if (g->rows && g->cols && g->batches)
        threads_each(t, (uint64_t)(j.row_blocks * j.col_blocks * g->batches), gemm_part, &j);
}
