/* Fourier transforms over up to three last dimensions, of any length, in double: powers of two by the
 * usual halving; other lengths as a convolution with a chirp (Bluestein 1970), of a power of two. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/engine/nd.h"
#include "gpu/host/host.h"

#include <math.h>
#include <string.h>

struct z {
    double re, im;
};

static struct z z_mul(struct z a, struct z b)
{
    return (struct z){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(2 pi i k / n) */
static struct z z_turn(int64_t k, int64_t n)
{
    double angle = 6.283185307179586476925 * (double)k / (double)n;
    return (struct z){cos(angle), sin(angle)};
}

/* One length and direction. */
struct plan {
    int64_t n, m;    /* m: the power of two that is transformed; n itself, or one for the convolution */
    struct z *turn;  /* [m / 2] exp(-2 pi i k / m) */
    struct z *chirp; /* [n] exp(sign pi i k k / n); NULL when n is a power of two */
    struct z *kernel; /* [m] transform of the chirp's conjugate */
    int sign;
};

/* In place, n a power of two, forward. */
static void halving(struct z *x, int64_t n, const struct z *turn)
{
    for (int64_t k = 1, r = 0; k < n; k++) {
        int64_t bit = n >> 1;
        for (; r & bit; bit >>= 1)
            r ^= bit;
        r ^= bit;
        if (k < r) {
            struct z swap = x[k];
            x[k] = x[r];
            x[r] = swap;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t from = 0; from < n; from += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                struct z a = x[from + k], b = z_mul(x[from + k + half], turn[k * (n / (2 * half))]);
                x[from + k] = (struct z){a.re + b.re, a.im + b.im};
                x[from + k + half] = (struct z){a.re - b.re, a.im - b.im};
            }
}

static void conjugate(struct z *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        x[k].im = -x[k].im;
}

static struct plan plan_open(int64_t n, int sign)
{
    struct plan p = {.n = n, .m = 1, .sign = sign};
    bool power = (n & (n - 1)) == 0;
    while (p.m < (power ? n : 2 * n - 1))
        p.m *= 2;
    p.turn = memory_zeroed(1, (size_t)p.m / 2 * sizeof *p.turn + 1);
    for (int64_t k = 0; k < p.m / 2; k++)
        p.turn[k] = z_turn(-k, p.m);
    if (power)
        return p;
    p.chirp = memory_zeroed(1, (size_t)n * sizeof *p.chirp);
    p.kernel = memory_zeroed(1, (size_t)p.m * sizeof *p.kernel);
    for (int64_t k = 0; k < n; k++) {
        p.chirp[k] = z_turn(sign * (int64_t)((uint64_t)k * (uint64_t)k % (uint64_t)(2 * n)), 2 * n);
        struct z c = {p.chirp[k].re, -p.chirp[k].im};
        p.kernel[k] = c;
        if (k)
            p.kernel[p.m - k] = c;
    }
    halving(p.kernel, p.m, p.turn);
    return p;
}

static void plan_close(struct plan *p)
{
    free(p->turn);
    free(p->chirp);
    free(p->kernel);
}

/* x[n] in place; work has room for m. */
static void transform(const struct plan *p, struct z *x, struct z *work)
{
    if (!p->chirp) {
        if (p->sign > 0)
            conjugate(x, p->n);
        halving(x, p->n, p->turn);
        if (p->sign > 0)
            conjugate(x, p->n);
        return;
    }
    memset(work, 0, (size_t)p->m * sizeof *work);
    for (int64_t k = 0; k < p->n; k++)
        work[k] = z_mul(x[k], p->chirp[k]);
    halving(work, p->m, p->turn);
    for (int64_t k = 0; k < p->m; k++)
        work[k] = z_mul(work[k], p->kernel[k]);
    conjugate(work, p->m); /* the inverse, but for 1 / m */
    halving(work, p->m, p->turn);
    conjugate(work, p->m);
    for (int64_t k = 0; k < p->n; k++) {
        struct z y = z_mul(work[k], p->chirp[k]);
        x[k] = (struct z){y.re / (double)p->m, y.im / (double)p->m};
    }
}

struct fft_job {
    struct nd in, out;
    uint32_t outer, n;        /* dimensions before those transformed, and of those */
    int64_t size[3], total, batches, longest;
    bool inverse, from_half;
    struct plan plan[3];
};

/* Along dimension d of `size`, for all others; work: a line, then room for the plan. */
static void along(const struct fft_job *j, uint32_t d, struct z *all, struct z *work)
{
    int64_t step = 1, n = j->size[d];
    for (uint32_t k = d + 1; k < j->n; k++)
        step *= j->size[k];
    for (int64_t line = 0; line < j->total / n; line++) {
        struct z *x = all + line / step * step * n + line % step;
        for (int64_t k = 0; k < n; k++)
            work[k] = x[k * step];
        for (int64_t k = n / 2 + 1; j->from_half && d + 1 == j->n && k < n; k++)
            work[k] = (struct z){work[n - k].re, -work[n - k].im};
        transform(&j->plan[d], work, work + j->longest);
        for (int64_t k = 0; k < n; k++)
            x[k * step] = work[k];
    }
}

/* Between one batch of an array and row-by-row numbers of the full size; of a half, what there is. */
static void batch_move(const struct fft_job *j, const struct nd *a, int64_t batch, struct z *all, bool out)
{
    int64_t index[TAPE_RANK] = {0}, scale = out && j->inverse ? j->total : 1;
    nd_index(batch, j->outer, a->dims, index);
    int64_t n = 1;
    for (uint32_t k = 0; k < j->n; k++)
        n *= a->dims[j->outer + k];
    for (int64_t k = 0; k < n; k++) {
        int64_t at = 0;
        for (uint32_t d = 0; d < j->n; d++)
            at = at * j->size[d] + index[j->outer + d];
        char *place = a->at + nd_offset(a, index) * a->elem.size;
        if (out) {
            struct tm_c64 v = {(float)(all[at].re / (double)scale), (float)(all[at].im / (double)scale)};
            memcpy(place, &v, a->elem.size); /* of a real array the real part */
        } else {
            struct tm_c64 v = {0, 0};
            memcpy(&v, place, a->elem.size);
            all[at] = (struct z){(double)v.re, (double)v.im};
        }
        nd_next(j->n, a->dims + j->outer, index + j->outer);
    }
}

static void fft_part(void *ctx, uint64_t batch, unsigned worker)
{
    const struct fft_job *j = ctx;
    (void)worker;
    struct z *all = memory_zeroed(1, (size_t)j->total * sizeof *all), *work = memory_zeroed(1, (size_t)(5 * j->longest + 1) * sizeof *work);
    batch_move(j, &j->in, (int64_t)batch, all, false);
    for (uint32_t d = 0; d < j->n; d++) /* the last dimension last: a half is made whole there */
        along(j, d, all, work);
    batch_move(j, &j->out, (int64_t)batch, all, true);
    free(all);
    free(work);
}

void host_fft(const struct unit_call *e, const struct stage *s)
{
    const Tmd__Detail *d = s->detail;
    struct fft_job j = {.in = nd_in(e, s, 0), .out = nd_out(e, s, 0), .n = (uint32_t)d->n_fft_length, .total = 1,
                        .batches = 1, .inverse = d->fft_type == 1 || d->fft_type == 3, .from_half = d->fft_type == 3};
    j.outer = j.in.rank - j.n;
    for (uint32_t k = 0; k < j.outer; k++)
        j.batches *= j.in.dims[k];
    for (uint32_t k = 0; k < j.n; k++) {
        j.size[k] = d->fft_length[k];
        j.total *= j.size[k];
        j.longest = j.size[k] > j.longest ? j.size[k] : j.longest;
        j.plan[k] = plan_open(j.size[k], j.inverse ? 1 : -1);
    }
    threads_each(e->threads, (uint64_t)j.batches, fft_part, &j);
    for (uint32_t k = 0; k < j.n; k++)
        plan_close(&j.plan[k]);
}
