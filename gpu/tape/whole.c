/* Instructions whose stages are done whole on the host, on CUDA too: Fourier transforms, random bits,
 * select-and-scatter, elements of another width, triangular systems. */
#include "gpu/tape/build.h"

#include <string.h>

static uint8_t type_at(const struct work *w, shape_id shape)
{
    return shape_at(w, shape)->type;
}
static bool same_dims(const struct work *w, shape_id a, shape_id b, uint32_t n)
{
    return shape_at(w, a)->dims.n >= n && shape_at(w, b)->dims.n >= n &&
           (n == 0 || memcmp(sizes_at(w, a), sizes_at(w, b), n * sizeof(int64_t)) == 0);
}

/* ---- fft ---- */

static bool fft_fits(const struct work *w, const struct stage *s)
{
    const Tmd__Detail *d = s->detail;
    uint32_t rank = shape_at(w, s->in_shape[0])->dims.n, n = (uint32_t)d->n_fft_length;
    bool to_half = d->fft_type == 2, from_half = d->fft_type == 3;
    shape_id full = from_half ? s->out_shape[0] : s->in_shape[0], half = from_half ? s->in_shape[0] : s->out_shape[0];
    bool ok = d->fft_type >= 0 && d->fft_type <= 3 && d->n_fft_length >= 1 && d->n_fft_length <= 3 && n <= rank &&
              rank <= TAPE_RANK && shape_at(w, full)->dims.n == rank && shape_at(w, half)->dims.n == rank &&
              same_dims(w, full, half, rank - 1) && type_at(w, half) == TYPE_C64 &&
              type_at(w, full) == (to_half || from_half ? TYPE_F32 : TYPE_C64);
    for (uint32_t k = 0; ok && k < n; k++)
        ok = d->fft_length[k] > 0 && d->fft_length[k] < INT32_MAX && sizes_at(w, full)[rank - n + k] == d->fft_length[k];
    int64_t last = ok ? sizes_at(w, full)[rank - 1] : 0;
    return ok && sizes_at(w, half)[rank - 1] == (to_half || from_half ? last / 2 + 1 : last);
}

bool stage_fft(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_operands(w, i, STAGE_FFT, 1, buf);
    if (!s)
        return false;
    return fft_fits(w, s) || work_refuse(w, i, "has lengths or types that are not run");
}

/* ---- rng-bit-generator ---- */

bool stage_rng(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_operands(w, i, STAGE_RNG, 1, buf);
    if (!s)
        return false;
    int64_t algorithm = s->detail->rng_algorithm ? s->detail->rng_algorithm : 2; /* what XLA takes on CPU and GPU */
    const struct shape_node *state = shape_at(w, s->in_shape[0]);
    int64_t words = state->dims.n == 1 ? sizes_at(w, s->in_shape[0])[0] : 0;
    bool ok = s->n_out == 2 && state->type == TYPE_U64 && type_at(w, s->out_shape[0]) == TYPE_U64 &&
              same_dims(w, s->in_shape[0], s->out_shape[0], 1) && (words == 2 || (words == 3 && algorithm == 2)) &&
              (algorithm == 1 || algorithm == 2) && shape_at(w, s->out_shape[1])->dims.n <= TAPE_RANK;
    struct elem e = ok ? elem_of(type_at(w, s->out_shape[1])) : (struct elem){0};
    ok = ok && e.size && e.cls != CLASS_C64 && !e.width.pred && !shape_packed(shape_at(w, s->out_shape[1]));
    s->number = algorithm;
    return ok || work_refuse(w, i, "has a state or an algorithm that is not run");
}

/* ---- select-and-scatter ---- */

bool stage_select(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_operands(w, i, STAGE_SELECT, 3, buf);
    if (!s)
        return false;
    uint32_t rank = shape_at(w, s->in_shape[0])->dims.n;
    uint8_t type = type_at(w, s->in_shape[0]);
    const Tmd__Window *v = s->detail->window;
    bool ok = inst_of(w, i)->calls.n == 2 && rank <= TAPE_RANK && v && v->n_dimensions == rank &&
              same_dims(w, s->in_shape[0], s->out_shape[0], rank) && shape_at(w, s->in_shape[1])->dims.n == rank &&
              shape_at(w, s->in_shape[2])->dims.n == 0;
    for (uint32_t k = 0; k < 3; k++)
        ok = ok && type_at(w, s->in_shape[k]) == type && type_at(w, s->out_shape[0]) == type;
    for (uint32_t k = 0; ok && k < rank; k++)
        ok = v->dimensions[k]->window_dilation <= 1 && v->dimensions[k]->base_dilation <= 1 && v->dimensions[k]->stride >= 0;
    if (!ok)
        return work_refuse(w, i, "has a window or operands that are not run");
    s->region = work_get(w, 1, sizeof *s->region);
    return work_region(w, hlo_call(w->c->hlo, i, 0), 2, 1, &s->tape) &&
           work_region(w, hlo_call(w->c->hlo, i, 1), 2, 1, s->region);
}

/* ---- bitcast-convert ---- */

bool changes_width(const struct work *w, inst_id i)
{
    if (strcmp(inst_of(w, i)->opcode, "bitcast-convert") != 0 || inst_of(w, i)->operands.n != 1)
        return false;
    struct arr from = arr_resolve(w, operand_of(w, (struct arr){i, 0}, 0));
    unsigned a = elem_of(node_of(w, from)->type).size, b = elem_of(node_of(w, (struct arr){i, 0})->type).size;
    return a && b && a != b;
}

bool stage_widths(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_WIDTHS, 0, 1, buf);
    if (!s)
        return false;
    shape_id in = s->in_shape[0], out = s->out_shape[0];
    unsigned a = elem_of(type_at(w, in)).size, b = elem_of(type_at(w, out)).size;
    shape_id narrow = a < b ? in : out, wide = a < b ? out : in;
    uint32_t rank = shape_at(w, wide)->dims.n;
    bool ok = shape_at(w, narrow)->dims.n == rank + 1 && rank < TAPE_RANK && same_dims(w, narrow, wide, rank) &&
              sizes_at(w, narrow)[rank] == (a < b ? b / a : a / b) && type_at(w, in) != TYPE_PRED &&
              type_at(w, out) != TYPE_PRED && !shape_packed(shape_at(w, in)) && !shape_packed(shape_at(w, out));
    return ok || work_refuse(w, i, "changes widths in a way that is not run");
}

/* ---- Triangular systems ---- */

/* Square in the last two dimensions, and of floats that are summed in double. */
static bool is_square(const struct work *w, shape_id a)
{
    uint32_t rank = shape_at(w, a)->dims.n;
    enum tm_class c = (enum tm_class)elem_of(type_at(w, a)).cls;
    return rank >= 2 && rank <= TAPE_RANK && sizes_at(w, a)[rank - 1] == sizes_at(w, a)[rank - 2] &&
           elem_of(type_at(w, a)).size && (c == CLASS_F32 || c == CLASS_F64);
}

static bool solve_fits(const struct work *w, const struct stage *s)
{
    shape_id a = s->in_shape[0], b = s->in_shape[1], x = s->out_shape[0];
    uint32_t rank = shape_at(w, a)->dims.n;
    return is_square(w, a) && shape_at(w, b)->dims.n == rank && shape_at(w, x)->dims.n == rank &&
           same_dims(w, a, b, rank - 2) && same_dims(w, b, x, rank) && type_at(w, a) == type_at(w, b) &&
           type_at(w, a) == type_at(w, x) && sizes_at(w, b)[s->solve->left ? rank - 2 : rank - 1] == sizes_at(w, a)[rank - 1];
}

/* Of two operands, from spec; the results beyond the first are workspaces. */
bool stage_triangular(struct work *w, inst_id i, uint32_t buf, struct solve_spec spec)
{
    struct stage *s = stage_operands(w, i, STAGE_SOLVE, 2, buf);
    if (!s)
        return false;
    s->solve = work_get(w, 1, sizeof *s->solve);
    *s->solve = spec;
    return solve_fits(w, s) || work_refuse(w, i, "has shapes or types that are not run");
}

bool stage_solve(struct work *w, inst_id i, uint32_t buf)
{
    const Tmd__Detail *d = work_detail(w, i);
    const Tmd__TriangularSolve *t = d ? d->triangular_solve : NULL;
    if (!d)
        return false;
    if (!t)
        return work_refuse(w, i, "does not say which triangle");
    return stage_triangular(w, i, buf, (struct solve_spec){t->left_side, t->lower, t->unit_diagonal, t->transpose > 1});
}

bool stage_factor(struct work *w, inst_id i, uint32_t buf, bool lower, uint32_t results)
{
    struct stage *s = stage_operands(w, i, STAGE_CHOLESKY, 1, buf);
    if (!s)
        return false;
    shape_id a = s->in_shape[0], x = s->out_shape[0];
    s->solve = work_get(w, 1, sizeof *s->solve);
    s->solve->lower = lower;
    bool ok = is_square(w, a) && same_dims(w, a, x, shape_at(w, a)->dims.n) && type_at(w, a) == type_at(w, x) &&
              shape_at(w, a)->dims.n == shape_at(w, x)->dims.n && s->n_out == results;
    return ok || work_refuse(w, i, "has shapes or types that are not run");
}

bool stage_cholesky(struct work *w, inst_id i, uint32_t buf)
{
    const Tmd__Detail *d = work_detail(w, i);
    return d && stage_factor(w, i, buf, d->cholesky && d->cholesky->lower, 1);
}
