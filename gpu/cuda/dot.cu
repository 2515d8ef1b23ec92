/* Matrix products.  A vector times a matrix streams the matrix once, along the dimension in which it
 * is contiguous; the rest goes in tiles of 64 by 64. */
#include "gpu/cuda/launch.cuh"
#include "gpu/cuda/tape.cuh"

enum { TILE = 64, DEPTH = 16, EACH = 4 };

/* ---- Offsets: loops [first, first + n) of an access, at one counter of all ---- */

__device__ static int64_t loops_at(const struct dot_spec &d, const struct access &a, uint32_t first, uint32_t n, int64_t k)
{
    int64_t off = 0;
    for (uint32_t l = first + n; l-- > first + 1;) {
        off += k % d.size[l] * a.stride[l];
        k /= d.size[l];
    }
    return n ? off + k * a.stride[first] : 0;
}

__device__ static int64_t side_at(const struct dot_spec &d, const struct access &a, bool right, int64_t batch, int64_t row)
{
    return loops_at(d, a, 0, d.n_batch, batch) +
           (right ? loops_at(d, a, d.n_batch + d.n_m, d.n_n, row) : loops_at(d, a, d.n_batch, d.n_m, row));
}

__device__ static int64_t depth_at(const struct dot_spec &d, const struct access &a, int64_t k)
{
    return loops_at(d, a, d.n_batch + d.n_m + d.n_n, d.n_k, k);
}

/* ---- Sums ---- */

template <class A> struct number;
template <> struct number<float> {
    __device__ static float of(union value v) { return v.f; }
    __device__ static void to(float x, union value *v) { v->f = x; }
    __device__ static void add(float &s, float a, float b) { s += a * b; }
};
template <> struct number<double> {
    __device__ static double of(union value v) { return v.d; }
    __device__ static void to(double x, union value *v) { v->d = x; }
    __device__ static void add(double &s, double a, double b) { s += a * b; }
};
template <> struct number<uint64_t> {
    __device__ static uint64_t of(union value v) { return v.u; }
    __device__ static void to(uint64_t x, union value *v) { v->u = x; }
    __device__ static void add(uint64_t &s, uint64_t a, uint64_t b) { s += a * b; }
};
template <> struct number<struct tm_c64> {
    __device__ static struct tm_c64 of(union value v) { return v.c; }
    __device__ static void to(struct tm_c64 x, union value *v) { v->c = x; }
    __device__ static void add(struct tm_c64 &s, struct tm_c64 a, struct tm_c64 b)
    {
        struct tm_c64 p = tm_c64_mul(a, b);
        s.re += p.re;
        s.im += p.im;
    }
};

__device__ static union value load(const struct dot_launch &l, const struct access &a, const char *base, int64_t k)
{
    union value v;
    if (a.elem.type == TYPE_F32 && l.sum.cls == CLASS_F32) { /* a dot's bandwidth hangs on this */
        v.u = 0;
        v.f = read_as<float>(base + k * 4);
        return v;
    }
    v = value_load(a.elem, base + k * a.elem.size);
    return a.elem.cls == l.sum.cls ? v : value_convert(a.elem, l.sum, v);
}

/* alpha x sum + beta x addend, rounded to the output's type. */
__device__ static void store(const struct dot_launch &l, int64_t batch, int64_t m, int64_t n, union value sum)
{
    const struct dot_spec &d = *l.dot;
    int64_t at = side_at(d, d.out, false, batch, m) + loops_at(d, d.out, d.n_batch + d.n_m, d.n_n, n);
    if (l.sum.cls == CLASS_F32 && (d.alpha != 1 || d.beta != 0)) {
        float c = d.beta != 0 ? value_load(d.addend.elem, access_address(d.addend, l.at) + at * d.addend.elem.size).f : 0;
        sum.f = sum.f * (float)d.alpha;
        sum.f += (float)d.beta * c;
    }
    if (l.sum.cls != d.out.elem.cls)
        sum = value_convert(l.sum, d.out.elem, sum);
    value_store(d.out.elem, value_round(d.out.elem, sum), access_address(d.out, l.at) + at * d.out.elem.size);
}

/* ---- Matrix times vector ---- */

struct sides {
    const struct access *matrix, *vector;
    const char *matrix_at, *vector_at;
    bool right;       /* the matrix is the right side */
    int64_t rows;
    __device__ sides(const struct dot_launch &l, int64_t batch, int64_t row)
    {
        const struct dot_spec &d = *l.dot;
        right = l.n != 1;
        rows = right ? l.n : l.m;
        matrix = right ? &d.rhs : &d.lhs;
        vector = right ? &d.lhs : &d.rhs;
        matrix_at = access_address(*matrix, l.at) + side_at(d, *matrix, right, batch, row) * matrix->elem.size;
        vector_at = access_address(*vector, l.at) + side_at(d, *vector, !right, batch, 0) * vector->elem.size;
    }
};

__device__ static float vector_run(const struct dot_launch &l, const struct sides &s, int64_t first, int64_t step)
{
    float sum = 0;
    for (int64_t k = first; k < l.k; k += step)
        sum += load(l, *s.matrix, s.matrix_at, depth_at(*l.dot, *s.matrix, k)).f *
               load(l, *s.vector, s.vector_at, depth_at(*l.dot, *s.vector, k)).f;
    return sum;
}

__device__ static void vector_keep(const struct dot_launch &l, float *partial, int64_t piece, int64_t which, float sum)
{
    int64_t rows = l.n != 1 ? l.n : l.m;
    union value v;
    v.u = 0;
    v.f = sum;
    if (partial)
        partial[piece * l.batches * rows + which] = sum;
    else
        store(l, which / rows, l.n != 1 ? 0 : which % rows, l.n != 1 ? which % rows : 0, v);
}

/* `which`: batch and row. */
struct columns_kernel {
    struct dot_launch l;
    float *partial;
    __device__ void run(int64_t first, int64_t step) const
    {
        int64_t rows = l.n != 1 ? l.n : l.m, all = l.batches * rows;
        for (int64_t j = first; j < all * l.pieces; j += step) {
            struct sides s(l, j % all / rows, j % all % rows);
            vector_keep(l, partial, j / all, j % all, vector_run(l, s, j / all, l.pieces));
        }
    }
};

struct rows_kernel {
    struct dot_launch l;
    float *partial;
    struct Shared {
        float sum[BLOCK];
    };
    struct Mine {
        float sum;
    };
    __device__ int64_t rounds(int64_t) const
    {
        return 8;
    }
    __device__ void begin(int64_t block, int t, struct Mine &m, struct Shared &shared) const
    {
        int64_t rows = l.n != 1 ? l.n : l.m, which = block / l.pieces;
        struct sides s(l, which / rows, which % rows);
        m.sum = vector_run(l, s, block % l.pieces * BLOCK + t, l.pieces * BLOCK);
        shared.sum[t] = m.sum;
    }
    __device__ void fill(int64_t, int t, int64_t k, struct Mine &m, struct Shared &s) const
    {
        int half = BLOCK >> (k + 1);
        if (t < half)
            s.sum[t] = m.sum += s.sum[t + half];
    }
    __device__ void use(int64_t, int, int64_t, struct Mine &, struct Shared &) const
    {
    }
    __device__ void end(int64_t block, int t, struct Mine &m, struct Shared &) const
    {
        if (t == 0)
            vector_keep(l, partial, block % l.pieces, block / l.pieces, m.sum);
    }
};

struct vector_join_kernel {
    struct dot_launch l;
    float *partial;
    __device__ void run(int64_t first, int64_t step) const
    {
        int64_t all = l.batches * (l.n != 1 ? l.n : l.m);
        for (int64_t j = first; j < all; j += step) {
            float sum = partial[j];
            for (int64_t q = 1; q < l.pieces; q++)
                sum += partial[q * all + j];
            vector_keep(l, NULL, 0, j, sum);
        }
    }
};

/* ---- Tiles ---- */

template <class A> struct tiles_kernel {
    struct dot_launch l;
    int64_t row_tiles, col_tiles;
    struct Shared {
        A a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
    };
    struct Mine {
        A sum[EACH][EACH];
    };
    __device__ int64_t rounds(int64_t) const
    {
        return (l.k + DEPTH - 1) / DEPTH;
    }
    __device__ void place(int64_t block, int64_t *batch, int64_t *row, int64_t *col) const
    {
        *col = block % col_tiles * TILE;
        *row = block / col_tiles % row_tiles * TILE;
        *batch = block / col_tiles / row_tiles;
    }
    __device__ void begin(int64_t, int, struct Mine &m, struct Shared &) const
    {
        union value zero;
        zero.u = 0;
        for (int r = 0; r < EACH; r++)
            for (int c = 0; c < EACH; c++)
                m.sum[r][c] = number<A>::of(zero);
    }
    /* Neighbouring threads read what lies side by side: along the depth, or along the rows. */
    __device__ void side(const struct access &a, bool right, int64_t batch, int64_t first, int64_t rows, int64_t depth, int t,
                         A (*to)[TILE + 1]) const
    {
        const struct dot_spec &d = *l.dot;
        const char *base = access_address(a, l.at);
        bool deep = d.n_k && a.stride[d.n_batch + d.n_m + d.n_n + d.n_k - 1] == 1;
        union value v;
        v.u = 0;
        for (int q = t; q < TILE * DEPTH; q += BLOCK) {
            int r = deep ? q / DEPTH : q % TILE, k = deep ? q % DEPTH : q / TILE;
            bool in = first + r < rows && depth + k < l.k;
            to[k][r] = number<A>::of(!in ? v : load(l, a, base, side_at(d, a, right, batch, first + r) + depth_at(d, a, depth + k)));
        }
    }
    __device__ void fill(int64_t block, int t, int64_t round, struct Mine &, struct Shared &s) const
    {
        int64_t batch, row, col;
        place(block, &batch, &row, &col);
        side(l.dot->lhs, false, batch, row, l.m, round * DEPTH, t, s.a);
        side(l.dot->rhs, true, batch, col, l.n, round * DEPTH, t, s.b);
    }
    __device__ void use(int64_t, int t, int64_t, struct Mine &m, struct Shared &s) const
    {
        for (int k = 0; k < DEPTH; k++)
            for (int r = 0; r < EACH; r++)
                for (int c = 0; c < EACH; c++)
                    number<A>::add(m.sum[r][c], s.a[k][t / 16 + 16 * r], s.b[k][t % 16 + 16 * c]);
    }
    __device__ void end(int64_t block, int t, struct Mine &m, struct Shared &) const
    {
        int64_t batch, row, col;
        place(block, &batch, &row, &col);
        for (int r = 0; r < EACH; r++)
            for (int c = 0; c < EACH; c++) {
                int64_t i = row + t / 16 + 16 * r, j = col + t % 16 + 16 * c;
                union value v;
                v.u = 0;
                number<A>::to(m.sum[r][c], &v);
                if (i < l.m && j < l.n)
                    store(l, batch, i, j, v);
            }
    }
};

template <class A> static void tiles(struct device *v, const struct dot_launch *l)
{
    int64_t rows = (l->m + TILE - 1) / TILE, cols = (l->n + TILE - 1) / TILE;
    launch_phases(v, tiles_kernel<A>{*l, rows, cols}, rows * cols * l->batches);
}

static void vectors(struct device *v, const struct dot_launch *l)
{
    int64_t all = l->batches * (l->n != 1 ? l->n : l->m);
    float *partial = NULL;
    if (l->pieces > 1 && !(partial = (float *)(void *)device_work(v, (uint64_t)(all * l->pieces) * sizeof *partial)))
        return;
    if (l->form == DOT_ROWS)
        launch_phases(v, rows_kernel{*l, partial}, all * l->pieces);
    else
        launch_each(v, columns_kernel{*l, partial}, all * l->pieces);
    if (partial)
        launch_each(v, vector_join_kernel{*l, partial}, all);
}

void device_dot(struct device *v, const struct dot_launch *l)
{
    if (l->form != DOT_TILES)
        vectors(v, l);
    else if (l->sum.cls == CLASS_F32)
        tiles<float>(v, l);
    else if (l->sum.cls == CLASS_F64)
        tiles<double>(v, l);
    else if (l->sum.cls == CLASS_INT)
        tiles<uint64_t>(v, l);
    else
        tiles<struct tm_c64>(v, l);
}
