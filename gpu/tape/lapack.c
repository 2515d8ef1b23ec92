/* Factorisations and solves as jaxlib calls them: lapack_[sd]NAME_ffi, cusolver_NAME_ffi, and XLA's own
 * __cublas$triangularSolve.  Of real numbers; older forms, whose operands are pointers to sizes, are not
 * known. */
#include "gpu/tape/build.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* "name = 76 : ui8" in an MLIR dictionary: a letter, or 0. */
static long attribute(const char *config, const char *name)
{
    const char *at = config ? strstr(config, name) : NULL;
    at = at ? at + strlen(name) : "";
    at += strspn(at, " =");
    return strncmp(at, "true", 4) == 0 ? 1 : strtol(at, NULL, 10);
}

static bool is_call(const char *target, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(target, "cusolver_", 9) == 0)
        target += 9;
    else if (strncmp(target, "lapack_s", 8) == 0 || strncmp(target, "lapack_d", 8) == 0)
        target += 8;
    else
        return false;
    return strncmp(target, name, n) == 0 && strcmp(target + n, "_ffi") == 0;
}

static int64_t size_from_end(const struct work *w, shape_id s, uint32_t k)
{
    return shape_at(w, s)->dims.n >= k ? sizes_at(w, s)[shape_at(w, s)->dims.n - k] : -1;
}

/* Real matrices, of which results[0] is a like one, and the k-th other is a list of `list[k]` numbers,
 * or one number for each matrix when that is 0. */
static bool fits(const struct work *w, const struct stage *s, const int64_t *list, uint32_t n, enum shape_type type)
{
    shape_id a = s->in_shape[0], x = s->out_shape[0];
    uint32_t rank = shape_at(w, a)->dims.n;
    enum tm_class c = (enum tm_class)elem_of(shape_at(w, a)->type).cls;
    const int64_t *sizes = sizes_at(w, a);
    bool ok = rank >= 2 && rank <= TAPE_RANK && (c == CLASS_F32 || c == CLASS_F64) && shape_at(w, x)->dims.n == rank &&
              shape_at(w, x)->type == shape_at(w, a)->type && s->n_out == n + 1 &&
              memcmp(sizes, sizes_at(w, x), rank * sizeof *sizes) == 0;
    int64_t matrices = 1;
    for (uint32_t k = 0; ok && k + 2 < rank; k++)
        matrices *= sizes[k];
    for (uint32_t k = 0; ok && k < n; k++)
        ok = shape_at(w, s->out_shape[1 + k])->type == (list[k] ? type : TYPE_S32) &&
             (!list[k] || size_from_end(w, s->out_shape[1 + k], 1) == list[k]) &&
             shape_elements(&w->c->hlo->shapes, s->out_shape[1 + k]) == (uint64_t)(matrices * (list[k] ? list[k] : 1));
    return ok;
}

static bool stage_getrf(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_LU, 0, 1, buf);
    if (!s)
        return false;
    int64_t m = size_from_end(w, s->in_shape[0], 2), n = size_from_end(w, s->in_shape[0], 1), list[] = {m < n ? m : n, 0};
    return (list[0] > 0 && fits(w, s, list, 2, TYPE_S32)) || work_refuse(w, i, "has shapes or types that are not run");
}

static bool stage_geqrf(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_QR, 0, 1, buf);
    if (!s)
        return false;
    int64_t m = size_from_end(w, s->in_shape[0], 2), n = size_from_end(w, s->in_shape[0], 1), list[] = {m < n ? m : n};
    return (list[0] > 0 && fits(w, s, list, 1, shape_at(w, s->in_shape[0])->type)) ||
           work_refuse(w, i, "has shapes or types that are not run");
}

static bool stage_orgqr(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_operands(w, i, STAGE_REFLECT, 2, buf);
    if (!s)
        return false;
    int64_t m = size_from_end(w, s->in_shape[0], 2), n = size_from_end(w, s->in_shape[0], 1);
    int64_t k = size_from_end(w, s->in_shape[1], 1), matrices = 1;
    bool ok = fits(w, s, NULL, 0, TYPE_S32) && n <= m && k >= 0 && k <= n && shape_at(w, s->in_shape[1])->type == shape_at(w, s->in_shape[0])->type;
    for (uint32_t d = 3; ok && d <= shape_at(w, s->in_shape[0])->dims.n; d++)
        matrices *= size_from_end(w, s->in_shape[0], d);
    ok = ok && shape_elements(&w->c->hlo->shapes, s->in_shape[1]) == (uint64_t)(matrices * k);
    return ok || work_refuse(w, i, "has shapes or types that are not run");
}

static bool stage_cublas(struct work *w, inst_id i, uint32_t buf)
{
    const char *text = inst_of(w, i)->backend_config;
    cJSON *all = cJSON_Parse(text ? text : "");
    const cJSON *g = cJSON_GetObjectItemCaseSensitive(all, "triangular_solve_backend_config");
    g = g ? g : all;
    const cJSON *turn = cJSON_GetObjectItemCaseSensitive(g, "transpose_a");
    struct solve_spec spec = {cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(g, "left_side")),
                              cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(g, "lower")),
                              cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(g, "unit_diagonal")),
                              cJSON_IsString(turn) && strcmp(turn->valuestring, "NO_TRANSPOSE") != 0};
    bool known = cJSON_IsObject(g);
    cJSON_Delete(all);
    return known ? stage_triangular(w, i, buf, spec) : work_refuse(w, i, "has a configuration that is not read");
}

int stage_lapack(struct work *w, inst_id i, uint32_t buf, const char *target)
{
    const char *config = inst_of(w, i)->backend_config;
    if (strcmp(target, "__cublas$triangularSolve") == 0)
        return stage_cublas(w, i, buf);
    if (is_call(target, "trsm"))
        return stage_triangular(w, i, buf, (struct solve_spec){attribute(config, "side") == 'L', attribute(config, "uplo") == 'L',
                                                               attribute(config, "diag") == 'U', attribute(config, "trans_x") != 'N'});
    if (is_call(target, "potrf"))
        return stage_factor(w, i, buf, attribute(config, "uplo") == 'L' || attribute(config, "lower") == 1, 2);
    if (inst_of(w, i)->operands.n == 1 && is_call(target, "getrf"))
        return stage_getrf(w, i, buf);
    if (inst_of(w, i)->operands.n == 1 && is_call(target, "geqrf"))
        return stage_geqrf(w, i, buf);
    return is_call(target, "orgqr") ? stage_orgqr(w, i, buf) : -1;
}
