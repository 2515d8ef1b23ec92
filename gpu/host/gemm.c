/* Blocked matrix product: panels are packed, then multiplied in registers.  An element's sum is that of
 * its stretches of GEMM_DEPTH, each summed in order: so it is the same for all tiles and machines. */
#include "gpu/host/gemm.h"
#include "core/base/memory.h"

#include <string.h>

/* Tiles of rows x 2 vectors, kept in registers: GCC's vectors, which any target can do. */
typedef float floats64 __attribute__((vector_size(64)));
typedef double doubles64 __attribute__((vector_size(64)));
typedef float floats32 __attribute__((vector_size(32)));
typedef double doubles32 __attribute__((vector_size(32)));
typedef float floats16 __attribute__((vector_size(16)));
typedef double doubles16 __attribute__((vector_size(16)));
typedef uint64_t ints16 __attribute__((vector_size(16)));

#define ROWS4(X) X(0) X(1) X(2) X(3)
#define ROWS8(X) ROWS4(X) X(4) X(5) X(6) X(7)
#define CLEAR(r) V s##r##0 = {0}, s##r##1 = {0};
#define MEET(r) s##r##0 += x[r] * y0; s##r##1 += x[r] * y1;
#define KEEP(r)                                                                                    \
    memcpy(tile, &s##r##0, sizeof s##r##0);                                                        \
    memcpy(tile + N, &s##r##1, sizeof s##r##1);                                                    \
    for (int c = 0; c < 2 * N; c++)                                                                \
        sums[r * stride + c] += tile[c];

/* One tile: a strip of a, a strip of b; sums grow by their product. */
#define KERNEL(name, TYPE, VECTOR, ROWS, attribute)                                                \
    attribute static void name(const void *strip_a, const void *strip_b, int64_t depth, void *to, int64_t stride) \
    {                                                                                              \
        typedef TYPE T;                                                                            \
        typedef VECTOR V;                                                                          \
        enum { N = sizeof(V) / sizeof(T), M = 0 ROWS(COUNT) };                                     \
        const T *x = strip_a, *y = strip_b;                                                        \
        T *sums = to, tile[2 * N];                                                                 \
        ROWS(CLEAR)                                                                                \
        for (int64_t k = 0; k < depth; k++, x += M, y += 2 * N) {                                  \
            V y0, y1;                                                                              \
            memcpy(&y0, y, sizeof y0);                                                             \
            memcpy(&y1, y + N, sizeof y1);                                                         \
            ROWS(MEET)                                                                             \
        }                                                                                          \
        ROWS(KEEP)                                                                                 \
    }
#define COUNT(r) + 1

KERNEL(float_plain, float, floats16, ROWS4, )
KERNEL(double_plain, double, doubles16, ROWS4, )
KERNEL(int_plain, uint64_t, ints16, ROWS4, )
#if defined __x86_64__ && defined __GNUC__
KERNEL(float_avx, float, floats32, ROWS4, __attribute__((target("avx2"))))
KERNEL(double_avx, double, doubles32, ROWS4, __attribute__((target("avx2"))))
KERNEL(float_avx512, float, floats64, ROWS8, __attribute__((target("avx512f"))))
KERNEL(double_avx512, double, doubles64, ROWS8, __attribute__((target("avx512f"))))
#define HAS(what) __builtin_cpu_supports(what)
#else
#define float_avx float_plain
#define double_avx double_plain
#define float_avx512 float_plain
#define double_avx512 double_plain
#define HAS(what) false
#endif

static void complex_plain(const void *strip_a, const void *strip_b, int64_t depth, void *to, int64_t stride)
{
    const struct tm_c64 *a = strip_a, *b = strip_b;
    struct tm_c64 *sums = to;
    for (int64_t k = 0; k < depth; k++)
        for (int64_t r = 0; r < 4; r++)
            for (int64_t c = 0; c < 4; c++) {
                struct tm_c64 p = tm_c64_mul(a[4 * k + r], b[4 * k + c]);
                sums[r * stride + c].re += p.re;
                sums[r * stride + c].im += p.im;
            }
}

struct kernel {
    int64_t rows, cols; /* of a tile */
    void (*tile)(const void *strip_a, const void *strip_b, int64_t depth, void *to, int64_t stride);
};

static struct kernel kernel_for(enum tm_class c, int64_t cols)
{
    bool avx512 = HAS("avx512f"), avx = HAS("avx2");
    switch (c) {
    case CLASS_F32:
        return avx512 && cols > 16 ? (struct kernel){8, 32, float_avx512}
               : avx               ? (struct kernel){4, 16, float_avx}
                                   : (struct kernel){4, 8, float_plain};
    case CLASS_F64:
        return avx512 && cols > 8 ? (struct kernel){8, 16, double_avx512}
               : avx              ? (struct kernel){4, 8, double_avx}
                                  : (struct kernel){4, 4, double_plain};
    case CLASS_INT:
        return (struct kernel){4, 4, int_plain};
    default:
        return (struct kernel){4, 4, complex_plain};
    }
}

struct gemm_job {
    const struct gemm *g;
    struct kernel kernel;
    int64_t block_rows, block_cols, row_blocks, col_blocks;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t rounded(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* What a strip has beyond the panel's rows must not trap, nor count: it is zero. */
static void pack(void (*how)(const void *, int64_t, const struct panel *), const struct gemm *g, int64_t batch,
                 const struct panel *p)
{
    size_t line = (size_t)(p->depth * p->strip) * class_size(g->cls);
    if (p->n % p->strip)
        memset((char *)p->to + (size_t)(p->n / p->strip) * line, 0, line);
    how(g->ctx, batch, p);
}

static void gemm_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct gemm_job *j = ctx;
    const struct gemm *g = j->g;
    (void)worker;
    int64_t each = j->row_blocks * j->col_blocks, batch = (int64_t)part / each;
    int64_t row = (int64_t)part % each / j->col_blocks * j->block_rows, col = (int64_t)part % j->col_blocks * j->block_cols;
    int64_t rows = least(g->rows - row, j->block_rows), cols = least(g->cols - col, j->block_cols);
    int64_t wide_rows = rounded(rows, j->kernel.rows), wide_cols = rounded(cols, j->kernel.cols);
    size_t size = class_size(g->cls);
    char *a = memory_get((size_t)(wide_rows * GEMM_DEPTH) * size), *b = memory_get((size_t)(wide_cols * GEMM_DEPTH) * size);
    char *sums = memory_zeroed(1, (size_t)(wide_rows * wide_cols) * size);
    for (int64_t k = 0; k < g->depth; k += GEMM_DEPTH) {
        int64_t depth = least(g->depth - k, GEMM_DEPTH);
        pack(g->pack_a, g, batch, &(struct panel){row, rows, k, depth, j->kernel.rows, a});
        pack(g->pack_b, g, batch, &(struct panel){col, cols, k, depth, j->kernel.cols, b});
        for (int64_t c = 0; c < wide_cols; c += j->kernel.cols)
            for (int64_t r = 0; r < wide_rows; r += j->kernel.rows)
                j->kernel.tile(a + (size_t)(r * depth) * size, b + (size_t)(c * depth) * size, depth,
                               sums + (size_t)(r * wide_cols + c) * size, wide_cols);
    }
    for (int64_t r = 1; r < rows && wide_cols != cols; r++)
        memmove(sums + (size_t)(r * cols) * size, sums + (size_t)(r * wide_cols) * size, (size_t)cols * size);
    g->take(g->ctx, batch, row, rows, col, cols, sums);
    free(a);
    free(b);
    free(sums);
}

static void gemm_blocks(struct gemm_job *j)
{
    j->row_blocks = (j->g->rows + j->block_rows - 1) / j->block_rows;
    j->col_blocks = (j->g->cols + j->block_cols - 1) / j->block_cols;
}

/* Large blocks are packed less often; but all workers shall have some. */
void host_gemm(struct threads *t, const struct gemm *g)
{
    struct gemm_job j = {.g = g, .kernel = kernel_for(g->cls, g->cols), .block_rows = GEMM_ROWS, .block_cols = GEMM_COLS};
    if (!g->rows || !g->cols || !g->batches)
        return;
    gemm_blocks(&j);
    while (j.block_rows > GEMM_ROWS / 4 && j.row_blocks * j.col_blocks * g->batches < 4 * (int64_t)threads_count(t)) {
        j.block_rows /= 2;
        j.block_cols /= 2;
        gemm_blocks(&j);
    }
    threads_each(t, (uint64_t)(j.row_blocks * j.col_blocks * g->batches), gemm_part, &j);
}
