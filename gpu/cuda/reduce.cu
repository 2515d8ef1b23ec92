/* Reductions: many threads or blocks fold for each result, what they have is joined in their order.
 * Which values meet depends on sizes alone, so results are the same each time. */
#include "gpu/cuda/launch.cuh"
#include "gpu/cuda/tape.cuh"

enum { VALUES = 8 };

/* What is folded: element k of the loops.  PLAIN sums read one or two arrays, without a tape. */
template <int PLAIN> struct source {
    const struct reduce_launch *r;
    const char *base[2];
    __device__ explicit source(const struct reduce_launch &l) : r(&l)
    {
        for (int k = 0; k < PLAIN; k++)
            base[k] = access_address(l.stage->tape.access[l.load[k]], l.at);
    }
    __device__ float load(int which, int64_t k) const
    {
        return read_as<float>(base[which] + access_at(r->stage->tape.access[r->load[which]], k) * 4);
    }
    __device__ void get(int64_t k, union value *out) const
    {
        if (PLAIN) {
            out[0].u = 0;
            out[0].f = PLAIN == 2 ? load(0, k) * load(PLAIN - 1, k) : load(0, k);
            return;
        }
        const struct tape &t = r->stage->tape;
        union value reg[SOME_REGS];
        tape_run<1>(t, r->at, k, 1, reg, 0);
        for (uint32_t v = 0; v < r->n_values; v++)
            out[v] = reg[t.result[v]];
    }
};

__device__ static void fold(const struct reduce_launch &r, union value *acc, const union value *val)
{
    value_fold(*r.stage, r.stage->stores[0].elem, r.n_values, true, acc, val);
}

/* Values first, first + step, … below the end, of kept element c. */
template <int PLAIN>
__device__ static bool fold_run(const struct reduce_launch &r, const struct source<PLAIN> &from, int64_t c, int64_t first,
                                int64_t step, union value *acc)
{
    bool fresh = true;
    for (int64_t k = first; k < r.reduced; k += step, fresh = false) {
        union value val[VALUES];
        from.get(r.columns ? k * r.kept + c : c * r.reduced + k, val);
        if (PLAIN && !fresh)
            acc[0].f += val[0].f;
        else if (!fresh)
            fold(r, acc, val);
        else
            for (uint32_t v = 0; v < r.n_values; v++)
                acc[v] = val[v];
    }
    return !fresh;
}

/* With the initial values, to memory. */
__device__ static void finish(const struct reduce_launch &r, int64_t c, const union value *acc, bool any)
{
    const struct stage &s = *r.stage;
    union value reg[SOME_REGS], out[VALUES];
    tape_run<1>(s.init, r.at, 0, 1, reg, 0);
    for (uint32_t v = 0; v < r.n_values; v++)
        out[v] = reg[s.init.result[v]];
    if (any)
        fold(r, out, acc);
    for (uint32_t v = 0; v < r.n_values; v++)
        value_store(s.stores[v].elem, out[v], access_address(s.stores[v], r.at) + access_at(s.stores[v], c) * s.stores[v].elem.size);
}

__device__ static void keep(const struct reduce_launch &r, union value *partial, int64_t piece, int64_t c,
                            const union value *acc)
{
    if (!partial)
        finish(r, c, acc, true);
    for (uint32_t v = 0; partial && v < r.n_values; v++)
        partial[(piece * r.kept + c) * r.n_values + v] = acc[v];
}

template <int PLAIN> struct threads_kernel {
    struct reduce_launch r;
    union value *partial;
    __device__ void run(int64_t first, int64_t step) const
    {
        struct source<PLAIN> from(r);
        for (int64_t j = first; j < r.kept * r.pieces; j += step) {
            union value acc[VALUES];
            if (fold_run<PLAIN>(r, from, j % r.kept, j / r.kept, r.pieces, acc))
                keep(r, partial, j / r.kept, j % r.kept, acc);
        }
    }
};

template <int PLAIN> struct block_kernel {
    struct reduce_launch r;
    union value *partial;
    struct Shared {
        union value v[VALUES][BLOCK];
    };
    struct Mine {
        union value acc[VALUES];
        int n;
    };
    __device__ int64_t rounds(int64_t) const
    {
        return 8;
    }
    __device__ void begin(int64_t block, int t, struct Mine &m, struct Shared &s) const
    {
        struct source<PLAIN> from(r);
        int64_t piece = block % r.pieces, left = r.reduced - piece * BLOCK;
        m.n = left < BLOCK ? (int)left : BLOCK;
        if (fold_run<PLAIN>(r, from, block / r.pieces, piece * BLOCK + t, r.pieces * BLOCK, m.acc))
            for (uint32_t v = 0; v < r.n_values; v++)
                s.v[v][t] = m.acc[v];
    }
    /* The upper half of what is left is folded into the lower. */
    __device__ void fill(int64_t, int t, int64_t, struct Mine &m, struct Shared &s) const
    {
        int half = (m.n + 1) / 2;
        if (t < m.n - half) {
            union value val[VALUES];
            for (uint32_t v = 0; v < r.n_values; v++)
                val[v] = s.v[v][t + half];
            fold(r, m.acc, val);
            for (uint32_t v = 0; v < r.n_values; v++)
                s.v[v][t] = m.acc[v];
        }
        m.n = half;
    }
    __device__ void use(int64_t, int, int64_t, struct Mine &, struct Shared &) const
    {
    }
    __device__ void end(int64_t block, int t, struct Mine &m, struct Shared &) const
    {
        if (t == 0)
            keep(r, partial, block % r.pieces, block / r.pieces, m.acc);
    }
};

struct join_kernel {
    struct reduce_launch r;
    const union value *partial;
    __device__ void run(int64_t first, int64_t step) const
    {
        for (int64_t c = first; c < r.kept; c += step) {
            union value acc[VALUES];
            for (int64_t q = 0; q < r.pieces; q++) {
                const union value *val = partial + (q * r.kept + c) * r.n_values;
                if (q)
                    fold(r, acc, val);
                for (uint32_t v = 0; q == 0 && v < r.n_values; v++)
                    acc[v] = val[v];
            }
            finish(r, c, acc, r.pieces > 0);
        }
    }
};

template <int PLAIN> static void launch(struct device *v, const struct reduce_launch *r, union value *partial)
{
    if (r->by_block)
        launch_phases(v, block_kernel<PLAIN>{*r, partial}, r->kept * r->pieces);
    else
        launch_each(v, threads_kernel<PLAIN>{*r, partial}, r->kept * r->pieces);
}

void device_reduce(struct device *v, const struct reduce_launch *r)
{
    union value *partial = NULL;
    if (r->pieces > 1) {
        partial = (union value *)(void *)device_work(v, (uint64_t)(r->pieces * r->kept) * r->n_values * sizeof *partial);
        if (!partial)
            return;
    }
    if (r->plain == 1)
        launch<1>(v, r, partial);
    else if (r->plain == 2)
        launch<2>(v, r, partial);
    else
        launch<0>(v, r, partial);
    if (r->pieces != 1)
        launch_each(v, join_kernel{*r, partial}, r->kept);
}
