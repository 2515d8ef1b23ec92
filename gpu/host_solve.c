/* Triangular systems and Cholesky's factor, a matrix at a time, summed in double. */
#include "gpu/host_nd.h"

#include <math.h>

/* Matrix `batch` of an array: its first element, and steps between rows and columns. */
struct matrix {
    const struct nd *a;
    int64_t at, row, column;
};

static struct matrix matrix_of(const struct nd *a, int64_t batch)
{
    int64_t index[TAPE_RANK] = {0};
    nd_index(batch, a->rank - 2, a->dims, index);
    return (struct matrix){a, nd_offset(a, index), a->stride[a->rank - 2], a->stride[a->rank - 1]};
}

static struct matrix turned(struct matrix m)
{
    return (struct matrix){m.a, m.at, m.column, m.row};
}

static char *place(const struct matrix *m, int64_t row, int64_t column)
{
    return m->a->at + (m->at + row * m->row + column * m->column) * m->a->elem.size;
}

static double get(const struct matrix *m, int64_t row, int64_t column)
{
    char reg[REG_BYTES] = {0};
    elem_load(&m->a->elem, place(m, row, column), 1, reg, 1);
    return m->a->elem.cls == CLASS_F64 ? *(double *)(void *)reg : (double)*(float *)(void *)reg;
}

static void set(const struct matrix *m, int64_t row, int64_t column, double v)
{
    char reg[REG_BYTES];
    if (m->a->elem.cls == CLASS_F64)
        *(double *)(void *)reg = v;
    else
        *(float *)(void *)reg = (float)v;
    elem_store(&m->a->elem, reg, place(m, row, column), 1, 1);
}

static int64_t batches_of(const struct nd *a)
{
    int64_t n = 1;
    for (uint32_t d = 0; d + 2 < a->rank; d++)
        n *= a->dims[d];
    return n;
}

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
        double sum = get(b, r, column);
        for (int64_t q = 0; q < k; q++) {
            int64_t c = lower ? q : j->n - 1 - q;
            sum -= get(a, r, c) * solved[c];
        }
        solved[r] = j->unit ? sum : sum / get(a, r, r);
        set(x, r, column, solved[r]);
    }
}

/* x a = b is a' x' = b'. */
static void solve_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct solve_job *j = ctx;
    struct matrix a = matrix_of(&j->a, (int64_t)batch), b = matrix_of(&j->b, (int64_t)batch), x = matrix_of(&j->x, (int64_t)batch);
    double *solved = host_get((size_t)j->n * sizeof *solved);
    bool turn = j->turn == j->left;
    (void)worker;
    if (turn)
        a = turned(a);
    if (!j->left) {
        b = turned(b);
        x = turned(x);
    }
    for (int64_t c = 0; c < j->columns; c++)
        solve_column(j, &a, j->lower != turn, &b, &x, c, solved);
    free(solved);
}

void host_solve(const struct host_env *e, const struct stage *s)
{
    const Tmd__TriangularSolve *t = s->detail->triangular_solve;
    struct solve_job j = {.a = nd_in(e, s, 0), .b = nd_in(e, s, 1), .x = nd_out(e, s, 0), .left = t->left_side,
                          .lower = t->lower, .unit = t->unit_diagonal, .turn = t->transpose > 1};
    j.n = j.a.dims[j.a.rank - 1];
    j.columns = j.b.dims[j.b.rank - (j.left ? 1 : 2)];
    threads_each(e->threads, (uint64_t)batches_of(&j.a), solve_part, &j);
}

struct cholesky_job {
    struct nd a, x;
    bool lower;
};

/* Row by row; the upper factor is the lower one, turned.  NaN where it is not positive definite. */
static void cholesky_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct cholesky_job *j = ctx;
    struct matrix a = matrix_of(&j->a, (int64_t)batch), x = matrix_of(&j->x, (int64_t)batch);
    int64_t n = j->a.dims[j->a.rank - 1];
    double *l = host_get((size_t)(n * n) * sizeof *l);
    (void)worker;
    if (!j->lower) {
        a = turned(a);
        x = turned(x);
    }
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            double sum = get(&a, r, c);
            for (int64_t k = 0; k < c; k++)
                sum -= l[r * n + k] * l[c * n + k];
            l[r * n + c] = r == c ? sqrt(sum) : sum / l[c * n + c];
        }
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < n; c++)
            set(&x, r, c, l[r * n + c]);
    free(l);
}

void host_cholesky(const struct host_env *e, const struct stage *s)
{
    struct cholesky_job j = {nd_in(e, s, 0), nd_out(e, s, 0), s->detail->cholesky && s->detail->cholesky->lower};
    threads_each(e->threads, (uint64_t)batches_of(&j.a), cholesky_part, &j);
}
