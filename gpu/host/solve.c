/* Triangular systems and Cholesky's factor, a matrix at a time, summed in double. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/host/host.h"
#include "gpu/host/matrix.h"

#include <math.h>
#include <string.h>

struct solve_job {
    struct nd a, b, x;
    bool left, lower, unit, turn;
    int64_t n, columns;
};

/* One column: row by row from the end at which a row has one unknown. */
static void solve_column(const struct solve_job *j, const struct matrix *a, bool lower, const struct matrix *b,
                         const struct matrix *x, int64_t column, double *solved)
{
    for (int64_t k = 0; k < j->n; k++) {
        int64_t r = lower ? k : j->n - 1 - k;
        double sum = matrix_get(b, r, column);
        for (int64_t q = 0; q < k; q++) {
            int64_t c = lower ? q : j->n - 1 - q;
            sum -= matrix_get(a, r, c) * solved[c];
        }
        solved[r] = j->unit ? sum : sum / matrix_get(a, r, r);
        matrix_set(x, r, column, solved[r]);
    }
}

/* x a = b is a' x' = b'. */
static void solve_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct solve_job *j = ctx;
    struct matrix a = matrix_of(&j->a, (int64_t)batch), b = matrix_of(&j->b, (int64_t)batch), x = matrix_of(&j->x, (int64_t)batch);
    double *solved = memory_zeroed(1, (size_t)j->n * sizeof *solved);
    bool turn = j->turn == j->left;
    (void)worker;
    if (turn)
        a = matrix_turned(a);
    if (!j->left) {
        b = matrix_turned(b);
        x = matrix_turned(x);
    }
    for (int64_t c = 0; c < j->columns; c++)
        solve_column(j, &a, j->lower != turn, &b, &x, c, solved);
    free(solved);
}

void host_solve(const struct unit_call *e, const struct stage *s)
{
    const struct solve_spec *t = s->solve;
    struct solve_job j = {.a = nd_in(e, s, 0), .b = nd_in(e, s, 1), .x = nd_out(e, s, 0), .left = t->left,
                          .lower = t->lower, .unit = t->unit, .turn = t->turn};
    j.n = j.a.dims[j.a.rank - 1];
    j.columns = j.b.dims[j.b.rank - (j.left ? 1 : 2)];
    threads_each(e->threads, (uint64_t)matrix_count(&j.a), solve_part, &j);
}

struct cholesky_job {
    struct nd a, x;
    bool lower, keeps; /* the other triangle: LAPACK leaves it, HLO's is made zero */
    struct nd info;    /* of LAPACK: the first row whose minor is not positive, from 1; 0: none */
};

/* Row by row; the upper factor is the lower one, turned.  NaN where it is not positive definite. */
static void cholesky_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct cholesky_job *j = ctx;
    struct matrix a = matrix_of(&j->a, (int64_t)batch), x = matrix_of(&j->x, (int64_t)batch);
    int64_t n = j->a.dims[j->a.rank - 1];
    double *l = memory_zeroed(1, (size_t)(n * n) * sizeof *l);
    int32_t bad = 0;
    (void)worker;
    if (!j->lower) {
        a = matrix_turned(a);
        x = matrix_turned(x);
    }
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            double sum = matrix_get(&a, r, c);
            for (int64_t k = 0; k < c; k++)
                sum -= l[r * n + k] * l[c * n + k];
            l[r * n + c] = r == c ? sqrt(sum) : sum / l[c * n + c];
            bad = r == c && !(sum > 0) && !bad ? (int32_t)r + 1 : bad;
        }
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < n; c++)
            matrix_set(&x, r, c, j->keeps && c > r ? matrix_get(&a, r, c) : l[r * n + c]);
    if (j->info.at)
        memcpy(j->info.at + batch * sizeof bad, &bad, sizeof bad);
    free(l);
}

void host_cholesky(const struct unit_call *e, const struct stage *s)
{
    struct cholesky_job j = {.a = nd_in(e, s, 0), .x = nd_out(e, s, 0), .lower = s->solve->lower, .keeps = s->n_out > 1};
    if (s->n_out > 1)
        j.info = nd_out(e, s, 1);
    threads_each(e->threads, (uint64_t)matrix_count(&j.a), cholesky_part, &j);
}
