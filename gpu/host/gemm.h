/* Matrix products in blocks, and the panels that they are made of. */
#ifndef GPU_HOST_GEMM_H
#define GPU_HOST_GEMM_H

#include "gpu/base/threads.h"
#include "gpu/base/values.h"

/* Matrix product: rows x depth times depth x columns, by whoever packs and takes.
 * Panels are packed in strips, as elements of class `cls`: element (r, k) of a panel of `depth` stands
 * at (r / strip * depth + k) * strip + r % strip.  take gets sums[r * cols + c]. */
enum { GEMM_ROWS = 256, GEMM_COLS = 512, GEMM_DEPTH = 256 }; /* the most at a time */
struct panel {
    int64_t first, n, k, depth, strip; /* rows (or columns) [first, first + n), depths [k, k + depth) */
    void *to;
};
struct gemm {
    enum tm_class cls;
    int64_t rows, cols, depth, batches;
    void (*pack_a)(const void *ctx, int64_t batch, const struct panel *p);
    void (*pack_b)(const void *ctx, int64_t batch, const struct panel *p);
    void (*take)(const void *ctx, int64_t batch, int64_t row, int64_t rows, int64_t col, int64_t cols, const void *sums);
    const void *ctx;
};
void host_gemm(struct threads *t, const struct gemm *g); /* pack and take are called from all threads */

/* ---- pack.c ---- */
/* Element (r, k) of the panel is the array's at row[r] + depth[k], in the class of `sum`. */
void panel_pack(const struct panel *p, const struct elem *e, const char *array, const int64_t *row,
                const int64_t *depth, const struct elem *sum);
/* One line k of a panel: n elements in a row go where they belong. */
void panel_line(const struct panel *p, int64_t k, const void *line, size_t size);
/* at[k] = at[0] + k x *step for all k < n? */
bool offsets_even(const int64_t *at, int64_t n, int64_t *step);

#endif
