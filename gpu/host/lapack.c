/* LAPACK's factorisations, in its own storage: getrf (pivots from 1), geqrf (reflectors below the diagonal,
 * whose first number is 1, and their factors tau), orgqr (the product of reflectors). */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/host/host.h"
#include "gpu/host/matrix.h"

#include <math.h>
#include <string.h>

struct lapack_job {
    struct nd a, x, list, info; /* list: pivots or tau */
    int64_t m, n, k;
};

static double *load(const struct lapack_job *j, uint64_t batch)
{
    struct matrix a = matrix_of(&j->a, (int64_t)batch);
    double *x = memory_zeroed(1, (size_t)(j->m * j->n) * sizeof *x);
    for (int64_t r = 0; r < j->m; r++)
        for (int64_t c = 0; c < j->n; c++)
            x[r * j->n + c] = matrix_get(&a, r, c);
    return x;
}

static void store(const struct lapack_job *j, uint64_t batch, double *x)
{
    struct matrix to = matrix_of(&j->x, (int64_t)batch);
    for (int64_t r = 0; r < j->m; r++)
        for (int64_t c = 0; c < j->n; c++)
            matrix_set(&to, r, c, x[r * j->n + c]);
    free(x);
}

/* Number k of the batch's list: its place, as a matrix of one row a batch. */
static struct matrix list_of(const struct nd *list, uint64_t batch)
{
    int64_t index[TAPE_RANK] = {0};
    nd_index((int64_t)batch, list->rank - 1, list->dims, index);
    return (struct matrix){list, nd_offset(list, index), 0, list->stride[list->rank - 1]};
}

/* ---- LU ---- */

static void swap_rows(double *x, int64_t n, int64_t a, int64_t b)
{
    for (int64_t c = 0; a != b && c < n; c++) {
        double v = x[a * n + c];
        x[a * n + c] = x[b * n + c];
        x[b * n + c] = v;
    }
}

static void lu_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct lapack_job *j = ctx;
    struct matrix pivots = list_of(&j->list, batch);
    double *x = load(j, batch);
    int64_t n = j->n;
    int32_t singular = 0;
    (void)worker;
    for (int64_t k = 0; k < j->k; k++) {
        int64_t best = k;
        for (int64_t r = k + 1; r < j->m; r++)
            best = fabs(x[r * n + k]) > fabs(x[best * n + k]) ? r : best;
        int32_t pivot = (int32_t)best + 1;
        memcpy(matrix_place(&pivots, 0, k), &pivot, sizeof pivot);
        swap_rows(x, n, k, best);
        if (x[k * n + k] == 0) {
            singular = singular ? singular : (int32_t)k + 1;
            continue;
        }
        for (int64_t r = k + 1; r < j->m; r++) {
            double f = x[r * n + k] /= x[k * n + k];
            for (int64_t c = k + 1; c < n; c++)
                x[r * n + c] -= f * x[k * n + c];
        }
    }
    memcpy(j->info.at + batch * sizeof singular, &singular, sizeof singular);
    store(j, batch, x);
}

/* ---- QR ---- */

/* Columns [from, n) of rows [k, m): (1 - tau v v') x, v standing in column k of h below its first, 1. */
static void reflect(double *x, int64_t n, const double *h, int64_t width, int64_t m, int64_t k, int64_t from, double tau)
{
    for (int64_t c = from; c < n; c++) {
        double dot = x[k * n + c];
        for (int64_t r = k + 1; r < m; r++)
            dot += h[r * width + k] * x[r * n + c];
        x[k * n + c] -= tau * dot;
        for (int64_t r = k + 1; r < m; r++)
            x[r * n + c] -= tau * dot * h[r * width + k];
    }
}

static void qr_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct lapack_job *j = ctx;
    struct matrix taus = list_of(&j->list, batch);
    double *x = load(j, batch);
    int64_t n = j->n;
    (void)worker;
    for (int64_t k = 0; k < j->k; k++) {
        double first = x[k * n + k], below = 0, tau = 0;
        for (int64_t r = k + 1; r < j->m; r++)
            below = hypot(below, x[r * n + k]);
        if (below > 0) {
            double end = -copysign(hypot(first, below), first);
            tau = (end - first) / end;
            for (int64_t r = k + 1; r < j->m; r++)
                x[r * n + k] /= first - end;
            x[k * n + k] = end;
        }
        matrix_set(&taus, 0, k, tau);
        reflect(x, n, x, n, j->m, k, k + 1, tau);
    }
    store(j, batch, x);
}

/* The first n columns of the product of all reflectors. */
static void reflect_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct lapack_job *j = ctx;
    struct matrix taus = list_of(&j->list, batch);
    double *h = load(j, batch), *x = memory_zeroed(1, (size_t)(j->m * j->n) * sizeof *x);
    (void)worker;
    for (int64_t k = 0; k < j->n; k++)
        x[k * j->n + k] = 1;
    for (int64_t k = j->k; k-- > 0;)
        reflect(x, j->n, h, j->n, j->m, k, 0, matrix_get(&taus, 0, k));
    free(h);
    store(j, batch, x);
}

/* ---- Stages ---- */

static struct lapack_job job_of(const struct unit_call *e, const struct stage *s, struct nd list)
{
    struct lapack_job j = {.a = nd_in(e, s, 0), .x = nd_out(e, s, 0), .list = list};
    j.m = j.a.dims[j.a.rank - 2];
    j.n = j.a.dims[j.a.rank - 1];
    j.k = list.dims[list.rank - 1];
    return j;
}

void host_lu(const struct unit_call *e, const struct stage *s)
{
    struct lapack_job j = job_of(e, s, nd_out(e, s, 1));
    j.info = nd_out(e, s, 2);
    threads_each(e->threads, (uint64_t)matrix_count(&j.a), lu_part, &j);
}

void host_qr(const struct unit_call *e, const struct stage *s)
{
    struct lapack_job j = job_of(e, s, nd_out(e, s, 1));
    threads_each(e->threads, (uint64_t)matrix_count(&j.a), qr_part, &j);
}

void host_reflect(const struct unit_call *e, const struct stage *s)
{
    struct lapack_job j = job_of(e, s, nd_in(e, s, 1));
    threads_each(e->threads, (uint64_t)matrix_count(&j.a), reflect_part, &j);
}
