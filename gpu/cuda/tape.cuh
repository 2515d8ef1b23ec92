/* Tapes on the device: a switch for each step, `LANES` consecutive elements a thread. */
#ifndef GPU_CUDA_TAPE_CUH
#define GPU_CUDA_TAPE_CUH

#include "gpu/cuda/value.cuh"

/* Element offset of an access's first element: its run-time starts are read where they lie. */
__device__ __noinline__ static int64_t access_first(const struct access &a, char *const *at)
{
    int64_t first = a.offset;
    for (uint32_t k = 0; k < a.n_dyns; k++) {
        const struct dyn &d = a.dyn[k];
        struct elem e = {};
        e.type = d.type;
        first += dyn_offset(&d, value_load(e, at[d.buf]).i); /* an integer: its type says all */
    }
    return first;
}

__device__ inline char *access_address(const struct access &a, char *const *at)
{
    return at[a.buf] + access_first(a, at) * a.elem.size;
}

/* Element k of the loops, from the first. */
__device__ inline int64_t access_at(const struct access &a, int64_t k)
{
    int64_t off = 0;
    uint32_t d = a.n_merged;
    if (d == 0)
        return 0;
    if (d > 1 && k <= (int64_t)UINT32_MAX) { /* division of 64 bits is slow */
        uint32_t n = (uint32_t)k;
        while (d > 1 && a.merged[d - 1].size <= (int64_t)UINT32_MAX) {
            uint32_t size = (uint32_t)a.merged[--d].size;
            off += (int64_t)(n % size) * a.merged[d].stride;
            n /= size;
        }
        k = n;
    }
    while (d > 1) {
        int64_t size = a.merged[--d].size;
        off += k % size * a.merged[d].stride;
        k /= size;
    }
    return off + k * a.merged[0].stride;
}

/* Do elements [k, k + 4), k a multiple of 4, lie in one run of the innermost loop? */
__device__ inline bool access_in_run(const struct access &a)
{
    return a.n_merged <= 1 || a.merged[a.n_merged - 1].size % 4 == 0;
}
__device__ inline int64_t access_stride(const struct access &a)
{
    return a.n_merged ? a.merged[a.n_merged - 1].stride : 0;
}

/* n <= LANES elements from k on.  reg: n_regs rows of LANES. */
template <int LANES>
__device__ inline void tape_step(const struct tape &t, const struct step &s, char *const *at, int64_t k, int n,
                                 union value *reg, const union value *arguments)
{
    union value *to = reg + s.dst * LANES, none;
    none.u = 0;
    switch (s.kind) {
    case STEP_VOP:
        for (int l = 0; l < n; l++)
            to[l] = value_apply(s.vop, s.in, s.out, reg[s.a * LANES + l],
                                s.b == NO_REG ? none : reg[s.b * LANES + l],
                                s.c == NO_REG ? none : reg[s.c * LANES + l], s.param);
        break;
    case STEP_LOAD: {
        const struct access &a = t.access[s.access];
        const char *base = access_address(a, at);
        for (int l = 0; l < n; l++)
            to[l] = value_load(a.elem, base + access_at(a, k + l) * a.elem.size);
        break;
    }
    case STEP_INDEX: {
        const struct access &a = t.access[s.access];
        int64_t first = access_first(a, at);
        for (int l = 0; l < n; l++)
            to[l].i = first + access_at(a, k + l);
        break;
    }
    case STEP_IMMEDIATE:
        for (int l = 0; l < n; l++)
            to[l].u = s.immediate;
        break;
    case STEP_SPLAT:
        for (int l = 0; l < n; l++)
            to[l] = reg[s.a * LANES + l];
        break;
    default: /* STEP_ARGUMENT */
        for (int l = 0; l < n; l++)
            to[l] = arguments[s.access * LANES + l];
    }
}

template <int LANES>
__device__ __noinline__ static void tape_run(const struct tape &t, char *const *at, int64_t k, int n, union value *reg,
                                const union value *arguments)
{
    for (uint32_t q = 0; q < t.n; q++)
        tape_step<LANES>(t, t.steps[q], at, k, n, reg, arguments);
}

/* acc = fold(acc, val), each of n values.  Regions have at most SOME_REGS registers. */
__device__ __noinline__ static void value_fold(const struct stage &s, struct elem e, uint32_t n, bool wide, union value *acc,
                                  const union value *val)
{
    if (!s.region) {
        e.narrow = e.narrow && (!wide || e.cls == CLASS_INT); /* sums of narrow floats are kept wide */
        acc[0] = value_apply((uint8_t)s.fold, e, e, acc[0], val[0], val[0], 0);
        return;
    }
    union value reg[SOME_REGS], arguments[16];
    arguments[0].u = 0;
    for (uint32_t v = 0; v < n; v++) {
        arguments[v] = acc[v];
        arguments[n + v] = val[v];
    }
    tape_run<1>(*s.region, 0, 0, 1, reg, arguments);
    for (uint32_t v = 0; v < n; v++)
        acc[v] = reg[s.region->result[v]];
}

#endif
