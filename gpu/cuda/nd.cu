/* Stages that go element by element: gather, scatter, reduce-window, convolution, map; packed bits. */
#include "gpu/cuda/launch.cuh"
#include "gpu/cuda/tape.cuh"

__device__ static int64_t integer_at(const struct nd &a, int64_t k)
{
    int64_t v = value_load(a.elem, a.at + k * a.elem.size).i;
    return a.elem.type == TYPE_U64 && v < 0 ? INT64_MAX : v;
}

/* ---- Gather and scatter ---- */

__device__ static int64_t window_elements(const struct gather_plan &p)
{
    int64_t n = 1;
    for (uint32_t d = 0; d < p.n_window; d++)
        n *= p.window_size[d];
    return n;
}

/* Element offsets in the array and in the windows' side; false: the window is left out. */
__device__ static bool pair_at(const struct gather_plan &p, int64_t batch, int64_t w, int64_t *array, int64_t *windows)
{
    int64_t b[TAPE_RANK], i[TAPE_RANK], component[TAPE_RANK];
    nd_index(batch, p.n_batch, p.batch_size, b);
    nd_index(w, p.n_window, p.window_size, i);
    for (uint32_t k = 0; k < p.n_map; k++)
        component[k] = integer_at(p.indices, gather_index_at(&p, b, k));
    if (!gather_place(&p, b, component, array))
        return false;
    *windows = gather_windows_at(&p, b);
    for (uint32_t d = 0; d < p.n_window; d++) {
        *array += i[d] * p.array.stride[p.array_dim[d]];
        *windows += i[d] * p.windows.stride[p.window_dim[d]];
    }
    return true;
}

__device__ static void copy_element(char *to, const char *from, uint8_t size)
{
    for (uint8_t k = 0; k < size; k++)
        to[k] = from[k];
}

struct gather_kernel {
    struct gather_plan p;
    __device__ void run(int64_t first, int64_t step) const
    {
        int64_t each = window_elements(p), from, to;
        for (int64_t k = first; k < p.batches * each; k += step)
            if (pair_at(p, k / each, k % each, &from, &to))
                copy_element(p.windows.at + to * p.windows.elem.size, p.array.at + from * p.array.elem.size, p.array.elem.size);
    }
};

void device_gather(struct device *v, const struct gather_plan *p)
{
    if (p->windows.n && p->array.n)
        launch_each(v, gather_kernel{*p}, p->windows.n);
}

/* Updates of one element are made by one thread, in the order of their batches: the threads share out
 * the places in a window, or where windows may overlap, the elements of the array. */
struct scatter_kernel {
    struct scatter_launch s;
    int64_t owners;
    __device__ void update(int64_t to, int64_t from) const
    {
        union value acc[8], val[8];
        for (uint32_t v = 0; v < s.n_values; v++) {
            acc[v] = value_load(s.array[v].elem, s.array[v].at + to * s.array[v].elem.size);
            val[v] = value_load(s.windows[v].elem, s.windows[v].at + from * s.windows[v].elem.size);
        }
        value_fold(*s.stage, s.array[0].elem, s.n_values, false, acc, val);
        for (uint32_t v = 0; v < s.n_values; v++)
            value_store(s.array[v].elem, acc[v], s.array[v].at + to * s.array[v].elem.size);
    }
    __device__ void run(int64_t first, int64_t step) const
    {
        int64_t each = window_elements(s.plan), all = s.by_window ? each : owners, to, from;
        for (int64_t t = first; t < all; t += step)
            for (int64_t b = 0; b < s.plan.batches; b++)
                for (int64_t w = s.by_window ? t : 0; w < (s.by_window ? t + 1 : each); w++)
                    if (pair_at(s.plan, b, w, &to, &from) && (s.by_window || to % owners == t))
                        update(to, from);
    }
};

void device_scatter(struct device *v, const struct scatter_launch *s)
{
    int64_t each = s->plan.windows.n / (s->plan.batches ? s->plan.batches : 1), work = s->plan.windows.n / 8;
    int64_t owners = work < 1 ? 1 : work > 32768 ? 32768 : work;
    if (s->plan.windows.n && s->plan.array.n)
        launch_each(v, scatter_kernel{*s, owners}, s->by_window ? each : owners);
}

/* ---- reduce-window ---- */

struct window_kernel {
    struct window_launch w;
    __device__ void begin(union value *acc) const
    {
        for (uint32_t v = 0; v < w.plan.n_values; v++)
            acc[v] = value_load(w.init[v].elem, w.init[v].at);
    }
    __device__ void fold(int64_t from, union value *acc) const
    {
        union value val[8];
        for (uint32_t v = 0; v < w.plan.n_values; v++)
            val[v] = value_load(w.plan.in[v].elem, w.plan.in[v].at + from * w.plan.in[v].elem.size);
        value_fold(*w.stage, w.plan.in[0].elem, w.plan.n_values, true, acc, val);
    }
    __device__ void store(const int64_t *index, const union value *acc) const
    {
        for (uint32_t v = 0; v < w.plan.n_values; v++) {
            const struct nd &o = w.plan.out[v];
            value_store(o.elem, acc[v], o.at + nd_offset(&o, index) * o.elem.size);
        }
    }
    __device__ void positions(int64_t k) const
    {
        int64_t index[TAPE_RANK], at[TAPE_RANK] = {0};
        union value acc[8];
        nd_index(k, w.plan.rank, w.plan.out[0].dims, index);
        begin(acc);
        do {
            int64_t from = window_source(&w.plan, &w.plan.in[0], index, at);
            if (from >= 0)
                fold(from, acc);
        } while (nd_next(w.plan.rank, w.plan.size, at));
        store(index, acc);
    }
    __device__ void line(int64_t k) const
    {
        int64_t index[TAPE_RANK], sizes[TAPE_RANK], length = w.plan.in[0].dims[w.running];
        union value acc[8];
        for (uint32_t d = 0; d < w.plan.rank; d++)
            sizes[d] = (int)d == w.running ? 1 : w.plan.in[0].dims[d];
        nd_index(k, w.plan.rank, sizes, index);
        begin(acc);
        for (int64_t q = 0; q < length; q++) {
            index[w.running] = w.backward ? length - 1 - q : q;
            fold(nd_offset(&w.plan.in[0], index), acc);
            store(index, acc);
        }
    }
    __device__ void run(int64_t first, int64_t step) const
    {
        int64_t all = w.running < 0 ? w.plan.total : w.plan.total / w.plan.in[0].dims[w.running];
        for (int64_t k = first; k < all; k += step)
            if (w.running < 0)
                positions(k);
            else
                line(k);
    }
};

void device_window(struct device *v, const struct window_launch *w)
{
    if (w->plan.total)
        launch_each(v, window_kernel{*w}, w->plan.total);
}

/* ---- Convolution ---- */

struct conv_kernel {
    struct conv_job j;
    __device__ float finished(float sum, int64_t row, int64_t col) const
    {
        const struct conv_spec &c = *j.c;
        float x = sum * (float)c.scale;
        if (j.side && c.side_scale != 0) {
            int64_t o[TAPE_RANK];
            nd_index(row % j.outs, c.spatial, j.out_size, o);
            int64_t at = row / j.outs * j.side_nd.stride[c.out_batch] + (j.group * j.co + col) * j.side_nd.stride[c.out_feature];
            for (uint32_t d = 0; d < c.spatial; d++)
                at += o[d] * j.side_nd.stride[c.out_spatial[d]];
            x += value_load(j.side_nd.elem, j.side + at * j.side_nd.elem.size).f * (float)c.side_scale;
        }
        if (j.bias)
            x += value_load(j.bias_nd.elem, j.bias + (j.group * j.co + col) * j.bias_nd.elem.size).f;
        return c.relu && !(x > 0) && x == x ? 0 : x;
    }
    __device__ float sum(int64_t row, int64_t col) const
    {
        bool filter = j.c->makes == CONV_FILTER, back = j.c->makes == CONV_INPUT;
        const struct nd &a = back ? j.output : j.input, &b = filter ? j.output : j.kernel;
        struct conv_share side = filter ? conv_of_window(&j, row, back) : conv_of_position(&j, row, back);
        float s = 0;
        for (int64_t k = 0; k < j.depth; k++) {
            struct conv_share other = filter ? conv_of_position(&j, k, back) : conv_of_window(&j, k, back);
            int64_t p[TAPE_RANK], from = conv_met(&j, &side, &other, back), rest = conv_other_point(&j, k, p);
            int64_t with = conv_other_at(&j, p, rest, col);
            if (from >= 0)
                s += value_load(a.elem, a.at + from * a.elem.size).f * value_load(b.elem, b.at + with * b.elem.size).f;
        }
        return s;
    }
    __device__ void run(int64_t first, int64_t step) const
    {
        const struct nd &to = j.c->makes == CONV_FORWARD ? j.output : j.c->makes == CONV_INPUT ? j.input : j.kernel;
        for (int64_t k = first; k < j.rows * j.cols; k += step) {
            union value v;
            v.u = 0;
            v.f = sum(k / j.cols, k % j.cols);
            if (j.c->makes == CONV_FORWARD)
                v.f = finished(v.f, k / j.cols, k % j.cols);
            value_store(to.elem, v, to.at + conv_result_at(&j, k / j.cols, k % j.cols) * to.elem.size);
        }
    }
};

void device_conv(struct device *v, const struct conv_job *j)
{
    launch_each(v, conv_kernel{*j}, j->rows * j->cols);
}

/* ---- map ---- */

struct each_kernel {
    struct each_launch e;
    __device__ void run(int64_t first, int64_t step) const
    {
        for (int64_t k = first; k < e.out.n; k += step) {
            int64_t index[TAPE_RANK];
            union value reg[SOME_REGS], arguments[8];
            nd_index(k, e.out.rank, e.out.dims, index);
            arguments[0].u = 0;
            for (uint32_t q = 0; q < e.n_in; q++)
                arguments[q] = value_load(e.in[q].elem, e.in[q].at + nd_offset(&e.in[q], index) * e.in[q].elem.size);
            tape_run<1>(*e.stage->region, 0, 0, 1, reg, arguments);
            value_store(e.out.elem, reg[e.stage->region->result[0]], e.out.at + nd_offset(&e.out, index) * e.out.elem.size);
        }
    }
};

void device_each(struct device *v, const struct each_launch *e)
{
    launch_each(v, each_kernel{*e}, e->out.n);
}

/* ---- Packed bits: the first element stands in the lowest ---- */

template <bool PACKS> struct repack_kernel {
    const char *from;
    char *to;
    int64_t n;
    unsigned bits;
    __device__ void run(int64_t first, int64_t step) const
    {
        int64_t per = 8 / bits, all = PACKS ? (n + per - 1) / per : n;
        unsigned mask = (1u << bits) - 1;
        for (int64_t k = first; k < all; k += step) {
            unsigned byte = 0;
            for (int64_t q = k * per; PACKS && q < (k + 1) * per && q < n; q++)
                byte |= ((uint8_t)from[q] & mask) << (q % per * bits);
            to[k] = (char)(PACKS ? byte : (uint8_t)from[k / per] >> (k % per * bits) & mask);
        }
    }
};

void device_repack(struct device *v, bool packs, const char *from, char *to, int64_t n, unsigned bits)
{
    if (packs)
        launch_each(v, repack_kernel<true>{from, to, n, bits}, (n + 8 / bits - 1) / (8 / bits));
    else
        launch_each(v, repack_kernel<false>{from, to, n, bits}, n);
}
