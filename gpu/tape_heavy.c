/* Instructions whose stages read whole buffers: gathers, scatters, sorts, windows, convolutions,
 * and the library calls that plain arithmetic can do. */
#include "gpu/tape_build.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* A stage over the instruction's operands [first, first + n) and all its arrays. */
static struct stage *stage_buffers(struct work *w, inst_id i, enum stage_kind kind, uint32_t first, uint32_t n,
                                   uint32_t buf)
{
    const struct shapes *shapes = &w->c->hlo->shapes;
    struct stage s = {.kind = kind, .inst = i};
    struct arr self = {i, 0};
    shape_id shape = inst_of(w, i)->shape;
    bool all = true, tuple = shape_is_tuple(shapes, shape);
    uint32_t outs = tuple ? shape_children(shapes, shape) : 1;
    if (n > 32 || outs > 16) {
        work_refuse(w, i, "has too many operands");
        return NULL;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct arr a = arr_resolve(w, operand_of(w, self, first + k));
        s.in[s.n_in] = arr_need(w, a);
        all = all && s.in[s.n_in] != BUF_NOT;
        if (w->failed)
            return NULL;
        s.in_inst[s.n_in] = a.inst;
        s.in_shape[s.n_in++] = shape_of(w, a);
        if (!elem_of(node_of(w, a)->type).size)
            return work_refuse(w, a.inst, "is of a type that is not run"), NULL;
    }
    for (uint32_t k = 0; k < outs; k++) {
        s.out_shape[s.n_out] = shape + (tuple ? shape_child(shapes, shape, k) : 0);
        s.out[s.n_out++] = buf + k;
    }
    if (!all)
        return NULL;
    s.detail = details_get(w->c->details, i, w->d);
    if (!s.detail) {
        w->failed = true;
        return NULL;
    }
    struct stage *made = stage_add(w, kind, i);
    *made = s;
    return made;
}

static bool with_region(struct work *w, struct stage *s, inst_id i)
{
    if (!s)
        return false;
    if (inst_of(w, i)->calls.n != 1)
        return work_refuse(w, i, "calls no computation");
    comp_id comp = hlo_call(w->c->hlo, i, 0);
    s->fold = s->n_out == 1 ? region_fold(w, comp) : VOP_NONE;
    struct elem e = elem_of(shape_node(&w->c->hlo->shapes, s->out_shape[0])->type);
    if (s->fold && vec_has(s->fold, &e, &e))
        return true;
    s->fold = VOP_NONE;
    const struct hlo_inst *root = inst_of(w, hlo_comp(w->c->hlo, comp)->root);
    s->overwrite = root->op == OP_PARAMETER && root->number == 1;
    s->region = work_get(w, 1, sizeof *s->region);
    return region_compile(w->c, comp, s->region, w->d) || !(w->failed = true);
}

/* Operands are brought to their places first; then updates are scattered into them. */
static bool stage_scatter(struct work *w, inst_id i, uint32_t buf)
{
    struct arr self = {i, 0};
    uint32_t n = inst_of(w, i)->operands.n, n_values = (n - 1) / 2;
    bool tuple = shape_is_tuple(&w->c->hlo->shapes, inst_of(w, i)->shape), in_place = true;
    if (n < 3 || n % 2 == 0)
        return work_refuse(w, i, "has %u operands", n);
    for (uint32_t v = 0; v < n_values; v++) {
        struct arr o = arr_resolve(w, operand_of(w, self, v));
        uint32_t node = tuple ? shape_child(&w->c->hlo->shapes, inst_of(w, i)->shape, v) : 0;
        uint32_t at = arr_need(w, o);
        if (at == BUF_NOT)
            return false;
        const struct buf *a = (const struct buf *)w->bufs.items + at, *b = (const struct buf *)w->bufs.items + buf + v;
        int64_t x[TAPE_RANK], y[TAPE_RANK];
        if (!dims_strides(w, o, x) || !dims_strides(w, (struct arr){i, node}, y))
            return false;
        bool same = a->kind == BUF_SLOT && b->kind == BUF_SLOT && a->alloc == b->alloc && a->offset == b->offset &&
                    memcmp(x, y, node_of(w, o)->dims.n * sizeof *x) == 0;
        if (same && !w->no_place[i - w->first])
            continue;
        in_place = false;
        if (memcmp(x, y, node_of(w, o)->dims.n * sizeof *x) != 0)
            return work_refuse(w, i, "changes the layout of its operand");
        struct stage *s = stage_add(w, STAGE_COPY, i);
        s->in[s->n_in++] = at;
        s->out[s->n_out++] = buf + v;
    }
    struct stage *s = stage_buffers(w, i, STAGE_SCATTER, n_values, 1 + n_values, buf);
    if (!with_region(w, s, i))
        return false;
    s->in_place = in_place;
    s->n_values = n_values;
    return s->detail->scatter || work_refuse(w, i, "has no dimension numbers");
}

/* ---- Convolutions ---- */

static bool conv_dims(const Tmd__Convolution *p, const Tmd__Window *v, struct conv_spec *c, uint32_t rank)
{
    size_t n = p->n_input_spatial;
    if (!v || n != p->n_kernel_spatial || n != p->n_output_spatial || n != v->n_dimensions || n + 2 != rank ||
        n > TAPE_RANK - 2)
        return false;
    const int64_t flat[] = {p->input_batch, p->input_feature, p->kernel_input_feature, p->kernel_output_feature,
                            p->output_batch, p->output_feature};
    for (int k = 0; k < 6; k++)
        if (flat[k] < 0 || flat[k] >= rank)
            return false;
    c->spatial = (uint32_t)n;
    c->in_batch = (uint32_t)flat[0];
    c->in_feature = (uint32_t)flat[1];
    c->k_in = (uint32_t)flat[2];
    c->k_out = (uint32_t)flat[3];
    c->out_batch = (uint32_t)flat[4];
    c->out_feature = (uint32_t)flat[5];
    for (size_t k = 0; k < n; k++) {
        const Tmd__WindowDimension *d = v->dimensions[k];
        if (p->input_spatial[k] < 0 || p->input_spatial[k] >= rank || p->kernel_spatial[k] < 0 ||
            p->kernel_spatial[k] >= rank || p->output_spatial[k] < 0 || p->output_spatial[k] >= rank ||
            d->size < 0 || d->stride < 0 || d->window_dilation < 0 || d->base_dilation < 0)
            return false;
        c->in_spatial[k] = (uint32_t)p->input_spatial[k];
        c->k_spatial[k] = (uint32_t)p->kernel_spatial[k];
        c->out_spatial[k] = (uint32_t)p->output_spatial[k];
        c->size[k] = d->size;
        c->stride[k] = d->stride ? d->stride : 1;
        c->low[k] = d->padding_low;
        c->dilation[k] = d->window_dilation ? d->window_dilation : 1;
        c->base[k] = d->base_dilation ? d->base_dilation : 1;
        c->reversed[k] = d->window_reversal;
    }
    return true;
}

static bool stage_conv(struct work *w, inst_id i, uint32_t buf, int makes, uint32_t n_in)
{
    struct stage *s = stage_buffers(w, i, STAGE_CONV, 0, n_in, buf);
    if (!s)
        return false;
    struct conv_spec *c = s->conv = work_get(w, 1, sizeof *c);
    const Tmd__Detail *d = s->detail;
    uint32_t rank = shape_node(&w->c->hlo->shapes, s->in_shape[0])->dims.n;
    c->makes = makes;
    c->feature_groups = d->feature_group_count > 0 ? d->feature_group_count : 1;
    c->batch_groups = d->batch_group_count > 0 ? d->batch_group_count : 1;
    c->scale = 1;
    struct elem e = elem_of(shape_node(&w->c->hlo->shapes, s->out_shape[0])->type);
    if (!d->convolution || !conv_dims(d->convolution, d->window, c, rank) || e.cls == CLASS_C64)
        return work_refuse(w, i, "has dimension numbers that are not run");
    return true;
}

/* ---- Library calls ---- */

static double config_number(const cJSON *o, const char *name, double otherwise)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, name);
    return cJSON_IsNumber(x) ? x->valuedouble : otherwise;
}

/* A list of numbers, which cuBLAS's configuration writes as texts. */
static bool config_list(struct work *w, const cJSON *o, const char *name, int64_t **out, size_t *n)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, name), *x;
    *n = 0;
    *out = work_get(w, (size_t)cJSON_GetArraySize(list) + 1, sizeof **out);
    cJSON_ArrayForEach(x, list)
        (*out)[(*n)++] = cJSON_IsString(x) ? strtoll(x->valuestring, NULL, 10) : (int64_t)x->valuedouble;
    return *n <= TAPE_RANK;
}

static bool stage_gemm(struct work *w, inst_id i, uint32_t buf)
{
    const char *config = inst_of(w, i)->backend_config;
    cJSON *all = cJSON_Parse(config ? config : "");
    const cJSON *g = cJSON_GetObjectItemCaseSensitive(all, "gemm_backend_config");
    if (!g)
        g = all;
    const cJSON *p = cJSON_GetObjectItemCaseSensitive(g, "dot_dimension_numbers");
    const cJSON *epilogue = cJSON_GetObjectItemCaseSensitive(g, "epilogue");
    Tmd__Dot d = TMD__DOT__INIT;
    double alpha = config_number(g, "alpha_real", 1), beta = config_number(g, "beta", 0);
    bool plain = !cJSON_IsString(epilogue) || strcmp(epilogue->valuestring, "DEFAULT") == 0;
    bool ok = p && plain &&
              config_list(w, p, "lhs_contracting_dimensions", &d.lhs_contracting, &d.n_lhs_contracting) &&
              config_list(w, p, "rhs_contracting_dimensions", &d.rhs_contracting, &d.n_rhs_contracting) &&
              config_list(w, p, "lhs_batch_dimensions", &d.lhs_batch, &d.n_lhs_batch) &&
              config_list(w, p, "rhs_batch_dimensions", &d.rhs_batch, &d.n_rhs_batch);
    cJSON_Delete(all);
    if (!ok)
        return work_refuse(w, i, plain ? "has a configuration that is not read" : "has an epilogue that is not run");
    uint32_t before = w->stages.n;
    if (!stage_dot(w, i, buf, &d, alpha))
        return false;
    if (beta == 0 || inst_of(w, i)->operands.n < 3)
        return true;
    struct stage *s = (struct stage *)w->stages.items + before;
    struct arr c = arr_resolve(w, operand_of(w, (struct arr){i, 0}, 2));
    uint32_t b = arr_need(w, c);
    if (b == BUF_NOT)
        return false;
    s->dot->beta = beta;
    s->dot->addend = s->dot->out;
    s->dot->addend.buf = b;
    s->dot->addend.elem = elem_of(node_of(w, c)->type);
    s->in[s->n_in++] = b;
    return true;
}

static bool stage_conv_call(struct work *w, inst_id i, uint32_t buf, const char *what)
{
    uint32_t n = inst_of(w, i)->operands.n;
    int makes = strstr(what, "BackwardInput") ? CONV_INPUT : strstr(what, "BackwardFilter") ? CONV_FILTER : CONV_FORWARD;
    cJSON *all = cJSON_Parse(inst_of(w, i)->backend_config ? inst_of(w, i)->backend_config : "");
    const cJSON *g = cJSON_GetObjectItemCaseSensitive(all, "cudnn_conv_backend_config");
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(g, "activation_mode");
    double scale = config_number(g, "conv_result_scale", 1), side = config_number(g, "side_input_scale", 0);
    bool none = !cJSON_IsString(mode) || strcmp(mode->valuestring, "kNone") == 0 || strcmp(mode->valuestring, "NONE") == 0;
    bool relu = cJSON_IsString(mode) && (strcmp(mode->valuestring, "kRelu") == 0 || strcmp(mode->valuestring, "RELU") == 0);
    cJSON_Delete(all);
    bool biased = strstr(what, "Bias") != NULL;
    if (biased ? !none && !relu : n != 2)
        return work_refuse(w, i, "has an activation or operands that are not run");
    if (!stage_conv(w, i, buf, makes, n))
        return false;
    struct stage *s = (struct stage *)w->stages.items + w->stages.n - 1;
    s->conv->scale = scale == 0 ? 1 : scale;
    s->conv->side_scale = n > 3 ? side : 0;
    s->conv->relu = biased && relu;
    return true;
}

static bool stage_call(struct work *w, inst_id i, uint32_t buf)
{
    const char *what = inst_of(w, i)->kind ? inst_of(w, i)->kind : "";
    if (strcmp(what, "__cublas$gemm") == 0 || strcmp(what, "__cublas$lt$matmul") == 0 ||
        strcmp(what, "__cublas$lt$matmul$f8") == 0)
        return stage_gemm(w, i, buf);
    if (strncmp(what, "__cudnn$conv", 12) == 0)
        return stage_conv_call(w, i, buf, what);
    if (strcmp(what, "TopK") == 0 || strcmp(what, "__gpu$TopK") == 0) {
        struct stage *s = stage_buffers(w, i, STAGE_TOPK, 0, 1, buf);
        return s && (s->n_out == 2 || work_refuse(w, i, "has not two results"));
    }
    return work_refuse(w, i, "is a call that is not known here");
}

/* Collectives of one device give what they are given. */
static bool stage_alone(struct work *w, inst_id i, uint32_t buf)
{
    const Tmd__Detail *d = details_get(w->c->details, i, w->d);
    if (!d)
        return !(w->failed = true);
    size_t most = 0;
    for (size_t k = 0; k < d->n_replica_groups; k++)
        most = d->replica_groups[k]->n_replica_ids > most ? d->replica_groups[k]->n_replica_ids : most;
    if (most != 1)
        return work_refuse(w, i, "is a collective of more than one device");
    bool tuple = shape_is_tuple(&w->c->hlo->shapes, inst_of(w, i)->shape);
    for (uint32_t k = 0; k < inst_of(w, i)->operands.n && (k == 0 || tuple); k++) {
        uint32_t b = arr_need(w, arr_resolve(w, operand_of(w, (struct arr){i, 0}, k)));
        if (b == BUF_NOT)
            return false;
        struct stage *s = stage_add(w, STAGE_COPY, i);
        s->in[s->n_in++] = b;
        s->out[s->n_out++] = buf + k;
    }
    return true;
}

static bool stage_sort(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_SORT, 0, inst_of(w, i)->operands.n, buf);
    if (!with_region(w, s, i))
        return false;
    s->number = inst_of(w, i)->dims.n ? hlo_dims(w->c->hlo, i)[0] : 0;
    s->stable = s->detail->is_stable;
    return s->n_in == s->n_out || work_refuse(w, i, "has not a result for each operand");
}

static bool stage_window(struct work *w, inst_id i, uint32_t buf)
{
    uint32_t n = inst_of(w, i)->operands.n;
    struct stage *s = stage_buffers(w, i, STAGE_WINDOW, 0, n, buf);
    if (!with_region(w, s, i))
        return false;
    s->n_values = n / 2;
    uint32_t rank = shape_node(&w->c->hlo->shapes, s->out_shape[0])->dims.n;
    return (n % 2 == 0 && s->n_out == n / 2 && s->detail->window && s->detail->window->n_dimensions == rank) ||
           work_refuse(w, i, "has not a window for each dimension");
}

bool stage_heavy(struct work *w, inst_id i, uint32_t buf)
{
    const struct hlo_inst *x = inst_of(w, i);
    if (x->op == OP_DOT) {
        const Tmd__Detail *d = details_get(w->c->details, i, w->d);
        return d ? stage_dot(w, i, buf, d->dot, 1) : !(w->failed = true);
    }
    if (x->op == OP_CONVOLUTION)
        return stage_conv(w, i, buf, CONV_FORWARD, 2);
    if (x->op == OP_SCATTER)
        return stage_scatter(w, i, buf);
    if (x->op == OP_SORT)
        return stage_sort(w, i, buf);
    if (x->op == OP_CUSTOM_CALL)
        return stage_call(w, i, buf);
    if (strcmp(x->opcode, "gather") == 0) {
        struct stage *s = stage_buffers(w, i, STAGE_GATHER, 0, 2, buf);
        return s && (s->detail->gather || work_refuse(w, i, "has no dimension numbers"));
    }
    if (strcmp(x->opcode, "reduce-window") == 0)
        return stage_window(w, i, buf);
    if (strcmp(x->opcode, "topk") == 0)
        return stage_buffers(w, i, STAGE_TOPK, 0, 1, buf) != NULL;
    if (strncmp(x->opcode, "all-", 4) == 0 || strcmp(x->opcode, "reduce-scatter") == 0)
        return stage_alone(w, i, buf);
    return work_refuse(w, i, "is not run");
}
