/* dot on the host: matrix-vector products stream the matrix once; the rest is packed and blocked. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/host/gemm.h"
#include "gpu/host/host.h"
#include "gpu/host/tape.h"

#include <string.h>

struct dot_job {
    const struct dot_spec *d;
    struct elem sum;                  /* class that is summed in */
    char *lhs, *rhs, *out, *addend;
    int64_t batches, m, n, k;
    int64_t *lhs_m, *lhs_k, *rhs_n, *rhs_k, *out_m, *out_n; /* element offsets */
    /* matrix-vector: the matrix's side */
    const struct access *matrix, *vector;
    char *matrix_at, *vector_at;
    int64_t rows, *matrix_row, *vector_k, *out_row;
    bool by_row;
};

/* Offsets of all counters of loops [first, first + n), in order. */
static int64_t *offsets(const struct access *a, const int64_t *size, uint32_t first, uint32_t n, int64_t *count)
{
    *count = 1;
    for (uint32_t l = first; l < first + n; l++)
        *count *= size[l];
    int64_t *at = memory_zeroed(1, (size_t)*count * sizeof *at), filled = *count ? 1 : 0;
    for (uint32_t l = first + n; filled && l-- > first;) {
        for (int64_t i = 1; i < size[l]; i++)
            for (int64_t k = 0; k < filled; k++)
                at[i * filled + k] = at[k] + i * a->stride[l];
        filled *= size[l];
    }
    return at;
}

static int64_t batch_offset(const struct dot_spec *d, const struct access *a, int64_t batch)
{
    int64_t at = 0;
    for (uint32_t l = d->n_batch; l-- > 0; batch /= d->size[l])
        at += batch % d->size[l] * a->stride[l];
    return at;
}

static bool is_run(const int64_t *at, int64_t n)
{
    int64_t step;
    return offsets_even(at, n, &step) && step == 1;
}

/* alpha x sum + beta x addend, rounded to the output's type. */
static void store_sum(const struct dot_job *j, int64_t at, const void *sum)
{
    const struct dot_spec *d = j->d;
    char value[8];
    memcpy(value, sum, 8);
    if (j->sum.cls == CLASS_F32 && (d->alpha != 1 || d->beta != 0)) {
        float f = *(const float *)sum * (float)d->alpha, c = 0;
        if (d->beta != 0)
            elem_load(&d->addend.elem, j->addend + at * d->addend.elem.size, 1, &c, 1);
        f += (float)d->beta * c;
        memcpy(value, &f, sizeof f);
    }
    if (j->sum.cls != d->out.elem.cls) {
        char converted[8];
        vec_apply(VOP_CONVERT, &j->sum, &d->out.elem, value, NULL, NULL, converted, 1, NULL);
        memcpy(value, converted, 8);
    }
    elem_round(&d->out.elem, value, 1);
    elem_store(&d->out.elem, value, j->out + at * d->out.elem.size, 1, 1);
}

/* ---- Matrix times vector, float ---- */

static float row_sum(const float *a, const float *x, int64_t n)
{
    float lane[32] = {0};
    int64_t k = 0;
    for (; k + 32 <= n; k += 32)
        for (int l = 0; l < 32; l++)
            lane[l] += a[k + l] * x[k + l];
    for (int l = 0; k < n; k++, l++)
        lane[l] += a[k] * x[k];
    for (int half = 16; half; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

enum { STRETCH = 8192, ROWS_AT_ONCE = 1024 };

static void vector_load(const struct dot_job *j, int64_t batch, float *x)
{
    const char *at = j->vector_at + batch_offset(j->d, j->vector, batch) * j->vector->elem.size;
    elem_gather(&j->vector->elem, at, j->vector_k, x, (size_t)j->k);
}

/* Rows of the matrix are runs: each is one sum, of stretches summed on their own. */
static void gemv_rows(const struct dot_job *j, const char *matrix, const float *x, int64_t first, int64_t end,
                      int64_t out)
{
    float *row = j->matrix->elem.narrow ? memory_zeroed(1, (size_t)STRETCH * 4) : NULL;
    for (int64_t r = first; r < end; r++) {
        float sum = 0;
        char value[8] = {0};
        for (int64_t k = 0; k < j->k; k += STRETCH) {
            int64_t n = j->k - k < STRETCH ? j->k - k : STRETCH;
            const char *at = matrix + (j->matrix_row[r] + k) * j->matrix->elem.size;
            if (row)
                elem_load(&j->matrix->elem, at, 1, row, (size_t)n);
            sum += row_sum(row ? row : (const float *)(const void *)at, x + k, n);
        }
        memcpy(value, &sum, 4);
        store_sum(j, out + j->out_row[r], value);
    }
    free(row);
}

/* Columns of the matrix are runs: sums of many rows grow side by side, four columns at a time. */
static void gemv_columns(const struct dot_job *j, const char *matrix, const float *x, const int64_t *matrix_k,
                         int64_t first, int64_t end, int64_t out)
{
    const float *a = (const float *)(const void *)matrix;
    int64_t n = end - first, k = 0;
    float sum[ROWS_AT_ONCE] = {0};
    for (; k + 4 <= j->k; k += 4) {
        const float *c0 = a + matrix_k[k] + j->matrix_row[first], *c1 = a + matrix_k[k + 1] + j->matrix_row[first];
        const float *c2 = a + matrix_k[k + 2] + j->matrix_row[first], *c3 = a + matrix_k[k + 3] + j->matrix_row[first];
        float x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
        for (int64_t r = 0; r < n; r++)
            sum[r] += (c0[r] * x0 + c1[r] * x1) + (c2[r] * x2 + c3[r] * x3);
    }
    for (; k < j->k; k++) {
        const float *c = a + matrix_k[k] + j->matrix_row[first];
        for (int64_t r = 0; r < n; r++)
            sum[r] += c[r] * x[k];
    }
    for (int64_t r = 0; r < n; r++) {
        char value[8] = {0};
        memcpy(value, &sum[r], 4);
        store_sum(j, out + j->out_row[first + r], value);
    }
}

struct gemv_job {
    const struct dot_job *j;
    int64_t batch, each;
    const float *x;
};

static void gemv_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct gemv_job *v = ctx;
    const struct dot_job *j = v->j;
    (void)worker;
    int64_t first = (int64_t)part * v->each, end = first + v->each < j->rows ? first + v->each : j->rows;
    const char *matrix = j->matrix_at + batch_offset(j->d, j->matrix, v->batch) * j->matrix->elem.size;
    int64_t out = batch_offset(j->d, &j->d->out, v->batch);
    if (j->by_row)
        gemv_rows(j, matrix, v->x, first, end, out);
    else
        gemv_columns(j, matrix, v->x, j->matrix == &j->d->lhs ? j->lhs_k : j->rhs_k, first, end, out);
}

static void gemv(const struct unit_call *e, const struct dot_job *j)
{
    float *x = memory_zeroed(1, (size_t)j->k * 4);
    int64_t each = j->by_row ? ((int64_t)1 << 18) / (j->k + 1) + 1 : ROWS_AT_ONCE;
    for (int64_t b = 0; b < j->batches; b++) {
        vector_load(j, b, x);
        struct gemv_job v = {j, b, each, x};
        threads_each(e->threads, (uint64_t)((j->rows + each - 1) / each), gemv_part, &v);
    }
    free(x);
}

/* One side is a vector, and the other's rows or columns are runs. */
static bool as_gemv(struct dot_job *j)
{
    const struct dot_spec *d = j->d;
    bool left = j->n == 1;
    if ((j->m != 1 && j->n != 1) || j->sum.cls != CLASS_F32 || d->lhs.elem.cls != CLASS_F32 || j->k < 2)
        return false;
    j->matrix = left ? &d->lhs : &d->rhs;
    j->vector = left ? &d->rhs : &d->lhs;
    j->matrix_at = left ? j->lhs : j->rhs;
    j->vector_at = left ? j->rhs : j->lhs;
    j->rows = left ? j->m : j->n;
    j->matrix_row = left ? j->lhs_m : j->rhs_n;
    j->vector_k = left ? j->rhs_k : j->lhs_k;
    j->out_row = left ? j->out_m : j->out_n;
    j->by_row = is_run(left ? j->lhs_k : j->rhs_k, j->k);
    return j->by_row || (is_run(j->matrix_row, j->rows) && !j->matrix->elem.narrow);
}

/* ---- Matrix times matrix ---- */

static void pack_a(const void *ctx, int64_t batch, const struct panel *p)
{
    const struct dot_job *j = ctx;
    const struct access *a = &j->d->lhs;
    panel_pack(p, &a->elem, j->lhs + batch_offset(j->d, a, batch) * a->elem.size, j->lhs_m + p->first, j->lhs_k + p->k, &j->sum);
}

static void pack_b(const void *ctx, int64_t batch, const struct panel *p)
{
    const struct dot_job *j = ctx;
    const struct access *a = &j->d->rhs;
    panel_pack(p, &a->elem, j->rhs + batch_offset(j->d, a, batch) * a->elem.size, j->rhs_n + p->first, j->rhs_k + p->k, &j->sum);
}

/* A row of sums, n <= GEMM_COLS, in the output's type, to its place. */
static void take_row(const struct dot_job *j, int64_t at, const int64_t *out_n, int64_t n, const char *sums)
{
    const struct elem *to = &j->d->out.elem;
    char row[GEMM_COLS * REG_BYTES];
    int64_t step;
    if (!offsets_even(out_n, n, &step) || j->d->alpha != 1 || j->d->beta != 0) {
        for (int64_t c = 0; c < n; c++) {
            char value[8] = {0};
            memcpy(value, sums + (size_t)c * class_size(j->sum.cls), class_size(j->sum.cls));
            store_sum(j, at + out_n[c], value);
        }
        return;
    }
    if (j->sum.cls != to->cls)
        vec_apply(VOP_CONVERT, &j->sum, to, sums, NULL, NULL, row, (size_t)n, NULL);
    else
        memcpy(row, sums, (size_t)n * class_size(to->cls));
    elem_round(to, row, (size_t)n);
    elem_store(to, row, j->out + (at + out_n[0]) * to->size, step, (size_t)n);
}

static void take(const void *ctx, int64_t batch, int64_t row, int64_t rows, int64_t col, int64_t cols, const void *sums)
{
    const struct dot_job *j = ctx;
    int64_t out = batch_offset(j->d, &j->d->out, batch);
    for (int64_t r = 0; r < rows; r++)
        take_row(j, out + j->out_m[row + r], j->out_n + col, cols,
                 (const char *)sums + (size_t)(r * cols) * class_size(j->sum.cls));
}

/* Sums are formed in float for narrow floats, in 64 bits for integers, else in the type itself. */
static struct elem sum_elem(const struct dot_spec *d)
{
    enum tm_class c = d->lhs.elem.cls;
    return elem_of(c == CLASS_F32 ? (d->out.elem.cls == CLASS_F64 ? TYPE_F64 : TYPE_F32)
                   : c == CLASS_F64 ? TYPE_F64 : c == CLASS_INT ? TYPE_S64 : TYPE_C64);
}

void host_dot(const struct unit_call *e, const struct stage *s)
{
    const struct dot_spec *d = s->dot;
    struct dot_job j = {.d = d, .sum = sum_elem(d), .lhs = access_base(&d->lhs, e), .rhs = access_base(&d->rhs, e),
                        .out = access_base(&d->out, e), .batches = 1};
    uint32_t m = d->n_batch, n = m + d->n_m, k = n + d->n_n;
    for (uint32_t l = 0; l < d->n_batch; l++)
        j.batches *= d->size[l];
    if (d->beta != 0)
        j.addend = access_base(&d->addend, e);
    j.lhs_m = offsets(&d->lhs, d->size, m, d->n_m, &j.m);
    j.out_m = offsets(&d->out, d->size, m, d->n_m, &j.m);
    j.rhs_n = offsets(&d->rhs, d->size, n, d->n_n, &j.n);
    j.out_n = offsets(&d->out, d->size, n, d->n_n, &j.n);
    j.lhs_k = offsets(&d->lhs, d->size, k, d->n_k, &j.k);
    j.rhs_k = offsets(&d->rhs, d->size, k, d->n_k, &j.k);
    if (as_gemv(&j))
        gemv(e, &j);
    else {
        struct gemm g = {j.sum.cls, j.m, j.n, j.k, j.batches, pack_a, pack_b, take, &j};
        host_gemm(e->threads, &g);
    }
    int64_t *all[] = {j.lhs_m, j.out_m, j.rhs_n, j.out_n, j.lhs_k, j.rhs_k};
    for (int q = 0; q < 6; q++)
        free(all[q]);
}
