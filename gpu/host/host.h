/* What the host's stages share. */
#ifndef GPU_HOST_HOST_H
#define GPU_HOST_HOST_H

#include "gpu/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/engine/engine.h"

#include <stdlib.h>

/* A tape with its accesses resolved: shared by all workers. */
struct tape_bound {
    const struct tape *tape;
    char **base;       /* [n_access] address of the first element; INDEX: NULL */
    int64_t *first;    /* [n_access] INDEX: the value at all counters 0 */
};
void tape_bind(struct tape_bound *b, const struct tape *t, const struct unit_call *e);
void tape_unbind(struct tape_bound *b);
char *access_base(const struct access *a, const struct unit_call *e);

/* One worker's registers. */
struct tape_regs {
    const struct tape_bound *bound;
    char *memory;      /* n_regs blocks */
    void **reg;        /* [n_regs] its own block, or elements in memory */
};
void regs_open(struct tape_regs *r, const struct tape_bound *b); /* runs the uniform steps */
void regs_close(struct tape_regs *r);

/* Elements [at, at + n) of the loops, n <= TAPE_BLOCK.  Results stand at reg[tape.result[k]].  If
 * `out` is not NULL the last step may have made them there: then reg[result] == out. */
void tape_block(struct tape_regs *r, int64_t at, size_t n, void *out);
/* A region: arguments are n elements each. */
void tape_region(struct tape_regs *r, void *const *arguments, size_t n);

void access_load(const struct access *a, const char *base, int64_t at, void *reg, size_t n);
void access_store(const struct access *a, char *base, int64_t at, const void *reg, size_t n);

/* All stages of the unit, in order; one of them. */
void host_unit(const struct unit_call *e);
void host_stage(const struct unit_call *e, const struct stage *s);

void host_map(const struct unit_call *e, const struct stage *s);
void host_reduce(const struct unit_call *e, const struct stage *s);
void host_dot(const struct unit_call *e, const struct stage *s);
void host_conv(const struct unit_call *e, const struct stage *s);
void host_gather(const struct unit_call *e, const struct stage *s);
void host_scatter(const struct unit_call *e, const struct stage *s);
void host_sort(const struct unit_call *e, const struct stage *s);
void host_topk(const struct unit_call *e, const struct stage *s);
void host_each(const struct unit_call *e, const struct stage *s); /* nd.c */
void host_window(const struct unit_call *e, const struct stage *s);
void host_fft(const struct unit_call *e, const struct stage *s);
void host_rng(const struct unit_call *e, const struct stage *s);
void host_select(const struct unit_call *e, const struct stage *s); /* select-and-scatter */
void host_widths(const struct unit_call *e, const struct stage *s); /* nd.c */
void host_solve(const struct unit_call *e, const struct stage *s);
void host_cholesky(const struct unit_call *e, const struct stage *s); /* solve.c */
void host_lu(const struct unit_call *e, const struct stage *s);
void host_qr(const struct unit_call *e, const struct stage *s);
void host_reflect(const struct unit_call *e, const struct stage *s); /* lapack.c, all three */

/* Matrix product in blocks: rows x depth times depth x columns, by whoever packs and takes.
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
void host_gemm(struct threads *t, const struct gemm *g);

/* pack.c: element (r, k) of the panel is the array's at row[r] + depth[k], in the class of `sum`. */
void panel_pack(const struct panel *p, const struct elem *e, const char *array, const int64_t *row,
                const int64_t *depth, const struct elem *sum);
/* One line k of a panel: n elements in a row go where they belong. */
void panel_line(const struct panel *p, int64_t k, const void *line, size_t size);
/* at[k] = at[0] + k x *step for all k < n? */
bool offsets_even(const int64_t *at, int64_t n, int64_t *step);

#endif
