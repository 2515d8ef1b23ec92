/* Maps: elementwise values and moves.  The common ones have kernels of their own, that move 16 bytes
 * a thread where they may; the rest run their tape. */
#include "gpu/cuda/launch.cuh"
#include "gpu/cuda/tape.cuh"

struct four {
    float x[4];
};

__device__ static bool is_aligned(const char *at)
{
    return (uintptr_t)at % 16 == 0;
}

struct __align__(16) sixteen {
    uint64_t half[2];
};

/* ---- Fill and copy ---- */

struct fill_kernel {
    struct map_launch m;
    __device__ void run(int64_t first, int64_t step) const
    {
        const struct stage &s = *m.stage;
        const struct access &a = s.store;
        union value reg[SOME_REGS];
        char *to = access_address(a, m.at);
        tape_run<1>(s.tape, m.at, 0, 1, reg, 0);
        int64_t per = 16 / a.elem.size, whole = a.n_merged == 1 && a.merged[0].stride == 1 && is_aligned(to) ? m.total / per : 0;
        struct sixteen same;
        for (int64_t l = 0; l < per; l++)
            value_store(a.elem, reg[s.tape.result[0]], (char *)&same + l * a.elem.size);
        for (int64_t k = first; k < whole; k += step)
            write_as(to + k * 16, same);
        for (int64_t k = whole * per + first; k < m.total; k += step)
            value_store(a.elem, reg[s.tape.result[0]], to + access_at(a, k) * a.elem.size);
    }
};

struct copy_kernel {
    struct map_launch m;
    __device__ void run(int64_t first, int64_t step) const
    {
        const struct stage &s = *m.stage;
        char *to = access_address(s.store, m.at);
        const char *from = access_address(s.tape.access[m.load[0]], m.at);
        int64_t bytes = (int64_t)m.bytes, whole = is_aligned(to) && is_aligned(from) ? bytes / 16 : 0;
        for (int64_t k = first; k < whole; k += step)
            write_as(to + k * 16, read_as<struct sixteen>(from + k * 16));
        for (int64_t k = whole * 16 + first; k < bytes; k += step)
            to[k] = from[k];
    }
};

/* ---- f32, in a pattern: four elements a thread ---- */

struct f32_source {
    const struct access *a;
    const char *base;
    bool row, in_run;
};

__device__ static struct f32_source f32_open(const struct access &a, char *const *at)
{
    struct f32_source s;
    s.a = &a;
    s.base = access_address(a, at);
    s.in_run = access_in_run(a);
    s.row = s.in_run && access_stride(a) == 1 && is_aligned(s.base);
    for (uint32_t d = 0; d + 1 < a.n_merged; d++)
        s.row = s.row && a.merged[d].stride % 4 == 0;
    return s;
}

__device__ static struct four f32_load(const struct f32_source &s, int64_t k, int n)
{
    struct four r = {{0, 0, 0, 0}};
    if (!s.in_run) {
        for (int l = 0; l < n; l++)
            r.x[l] = read_as<float>(s.base + access_at(*s.a, k + l) * 4);
        return r;
    }
    const char *at = s.base + access_at(*s.a, k) * 4;
    if (s.row && n == 4) {
        struct sixteen x = read_as<struct sixteen>(at);
        memcpy(&r, &x, 16);
        return r;
    }
    int64_t stride = access_stride(*s.a);
    for (int l = 0; l < n; l++)
        r.x[l] = read_as<float>(at + l * stride * 4);
    return r;
}

__device__ static void f32_store(const struct f32_source &s, int64_t k, int n, const struct four &r)
{
    if (s.row && n == 4) {
        struct sixteen x;
        memcpy(&x, &r, 16);
        write_as((char *)s.base + access_at(*s.a, k) * 4, x);
        return;
    }
    for (int l = 0; l < n; l++)
        write_as((char *)s.base + access_at(*s.a, k + l) * 4, r.x[l]);
}

template <int LOADS> struct f32_kernel {
    struct map_launch m;
    __device__ void run(int64_t first, int64_t step) const
    {
        const struct stage &s = *m.stage;
        struct f32_source to = f32_open(s.store, m.at), a = f32_open(s.tape.access[m.load[0]], m.at);
        struct f32_source b = f32_open(s.tape.access[m.load[LOADS > 1 ? 1 : 0]], m.at);
        struct f32_source c = f32_open(s.tape.access[m.load[LOADS > 2 ? 2 : 0]], m.at);
        for (int64_t k = 4 * first; k < m.total; k += 4 * step) {
            int n = m.total - k < 4 ? (int)(m.total - k) : 4;
            struct four x = f32_load(a, k, n), y = LOADS > 1 ? f32_load(b, k, n) : x, z = LOADS > 2 ? f32_load(c, k, n) : y;
            for (int l = 0; l < 4; l++)
                x.x[l] = LOADS == 1 ? x.x[l] : LOADS == 2 ? x.x[l] * y.x[l] : x.x[l] + y.x[l] * z.x[l];
            f32_store(to, k, n, x);
        }
    }
};

/* ---- Any tape ---- */

template <int LANES> __device__ static void tape_elements(const struct map_launch &m, int64_t first, int64_t step, union value *reg)
{
    const struct stage &s = *m.stage;
    char *to = access_address(s.store, m.at);
    for (int64_t k = LANES * first; k < m.total; k += LANES * step) {
        int n = m.total - k < LANES ? (int)(m.total - k) : LANES;
        tape_run<LANES>(s.tape, m.at, k, n, reg, 0);
        for (int l = 0; l < n; l++)
            value_store(s.store.elem, reg[s.tape.result[0] * LANES + l], to + access_at(s.store, k + l) * s.store.elem.size);
    }
}

template <int REGS, int LANES> struct tape_kernel {
    struct map_launch m;
    __device__ void run(int64_t first, int64_t step) const
    {
        union value reg[REGS * LANES];
        tape_elements<LANES>(m, first, step, reg);
    }
};

struct spill_kernel {
    struct map_launch m;
    union value *reg;
    __device__ void run(int64_t first, int64_t step) const
    {
        tape_elements<1>(m, first, step, reg + first * m.n_regs);
    }
};

void device_map(struct device *v, const struct map_launch *m)
{
    int64_t fours = (m->total + 3) / 4;
    if (m->body == MAP_FILL)
        launch_each(v, fill_kernel{*m}, fours);
    else if (m->body == MAP_COPY)
        launch_each(v, copy_kernel{*m}, (int64_t)(m->bytes + 15) / 16);
    else if (m->body == MAP_MUL)
        launch_each(v, f32_kernel<2>{*m}, fours);
    else if (m->body == MAP_MOVE)
        launch_each(v, f32_kernel<1>{*m}, fours);
    else if (m->body == MAP_AXPY)
        launch_each(v, f32_kernel<3>{*m}, fours);
    else if (m->n_regs <= FEW_REGS)
        launch_each(v, tape_kernel<FEW_REGS, 4>{*m}, fours);
    else if (m->n_regs <= SOME_REGS)
        launch_each(v, tape_kernel<SOME_REGS, 1>{*m}, m->total);
    else {
        int64_t most = SPILL_THREADS, threads = m->total < most ? (m->total + BLOCK - 1) / BLOCK * BLOCK : most;
        union value *reg = (union value *)(void *)device_work(v, (uint64_t)threads * m->n_regs * sizeof *reg);
        if (reg)
            launch_each(v, spill_kernel{*m, reg}, threads);
    }
}
