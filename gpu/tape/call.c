/* Library calls that plain arithmetic can do, and collectives of one device. */
#include "gpu/tape/build.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- cuBLAS and cuDNN ---- */

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
    struct stage *s = stage_of(w, before);
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
    enum conv_makes makes = strstr(what, "BackwardInput") ? CONV_INPUT : strstr(what, "BackwardFilter") ? CONV_FILTER : CONV_FORWARD;
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
    struct stage *s = stage_of(w, w->stages.n - 1);
    s->conv->scale = scale == 0 ? 1 : scale;
    s->conv->side_scale = n > 3 ? side : 0;
    s->conv->relu = biased && relu;
    return true;
}

/* ---- oneDNN ---- */

/* Does a configuration name operations that are fused behind the product?  In old dumps a list, in
 * newer ones a message that is left out when empty. */
static bool has_fused(const cJSON *config)
{
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(config, "fused_ops");
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(config, "fusions");
    return cJSON_GetArraySize(old) > 0 || cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(all, "ops")) > 0;
}

/* The last two dimensions are multiplied, each side turned first where the configuration says so;
 * those before them are batches when both sides have them. */
static bool stage_onednn_matmul(struct work *w, inst_id i, uint32_t buf)
{
    struct arr self = {i, 0};
    const char *text = inst_of(w, i)->backend_config;
    if (inst_of(w, i)->operands.n != 2)
        return work_refuse(w, i, "has operands that are not run");
    cJSON *all = cJSON_Parse(text ? text : "");
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(all, "onednn_matmul_config");
    bool turn_a = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(config, "transpose_a"));
    bool turn_b = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(config, "transpose_b"));
    bool fused = has_fused(config);
    cJSON_Delete(all);
    int64_t a = node_of(w, arr_resolve(w, operand_of(w, self, 0)))->dims.n, batch[TAPE_RANK];
    int64_t b = node_of(w, arr_resolve(w, operand_of(w, self, 1)))->dims.n;
    if (fused || a < 2 || b < 2 || a > TAPE_RANK || (a != b && b != 2))
        return work_refuse(w, i, fused ? "has an epilogue that is not run" : "has operands that are not run");
    int64_t left = turn_a ? a - 2 : a - 1, right = turn_b ? b - 1 : b - 2;
    Tmd__Dot d = TMD__DOT__INIT;
    for (int64_t k = 0; k < b - 2; k++)
        batch[d.n_lhs_batch++] = k;
    d.n_rhs_batch = d.n_lhs_batch;
    d.lhs_batch = d.rhs_batch = batch;
    d.lhs_contracting = &left;
    d.rhs_contracting = &right;
    d.n_lhs_contracting = d.n_rhs_contracting = 1;
    return stage_dot(w, i, buf, &d, 1);
}

/* ---- Copies ---- */

bool is_collective(const char *opcode)
{
    static const char *const names[] = {"all-reduce", "all-gather", "all-to-all", "reduce-scatter", "ragged-all-to-all",
                                        "collective-permute", "collective-broadcast"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t n = strlen(names[k]);
        if (strncmp(opcode, names[k], n) == 0 && (!opcode[n] || strcmp(opcode + n, "-start") == 0))
            return true;
    }
    return false;
}

/* Results k are operands k, n of them. */
static bool stage_copies(struct work *w, inst_id i, uint32_t buf, uint32_t n)
{
    if (n > inst_of(w, i)->operands.n || n != array_count(w, i))
        return work_refuse(w, i, "has not a result for each operand");
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = arr_need(w, arr_resolve(w, operand_of(w, (struct arr){i, 0}, k)));
        if (b == BUF_NOT)
            return false;
        struct stage *s = stage_add(w, STAGE_COPY, i);
        s->in[s->n_in++] = b;
        s->out[s->n_out++] = buf + k;
    }
    return true;
}

/* Collectives of one device give what they are given. */
bool stage_alone(struct work *w, inst_id i, uint32_t buf)
{
    const Tmd__Detail *d = work_detail(w, i);
    if (!d)
        return false;
    size_t most = 0;
    for (size_t k = 0; k < d->n_replica_groups; k++)
        most = d->replica_groups[k]->n_replica_ids > most ? d->replica_groups[k]->n_replica_ids : most;
    if (most != 1 || strstr(inst_of(w, i)->opcode, "-start"))
        return work_refuse(w, i, "is a collective of more than one device");
    bool tuple = shape_is_tuple(&w->c->hlo->shapes, inst_of(w, i)->shape);
    return stage_copies(w, i, buf, tuple ? inst_of(w, i)->operands.n : 1);
}

/* ---- Which ---- */

bool stage_call(struct work *w, inst_id i, uint32_t buf)
{
    const char *what = inst_of(w, i)->kind ? inst_of(w, i)->kind : "";
    if (strcmp(what, "__cublas$gemm") == 0 || strcmp(what, "__cublas$lt$matmul") == 0 ||
        strcmp(what, "__cublas$lt$matmul$f8") == 0)
        return stage_gemm(w, i, buf);
    if (strcmp(what, "__onednn$matmul") == 0)
        return stage_onednn_matmul(w, i, buf);
    if (strcmp(what, "annotate_device_placement") == 0 || strcmp(what, "Sharding") == 0)
        return stage_copies(w, i, buf, 1);
    if (strcmp(what, "AllocateBuffer") == 0)
        return stage_buffers(w, i, STAGE_CLEAR, 0, 0, buf) != NULL;
    if (strncmp(what, "__cudnn$conv", 12) == 0)
        return stage_conv_call(w, i, buf, what);
    if (strcmp(what, "TopK") == 0 || strcmp(what, "__gpu$TopK") == 0)
        return stage_topk(w, i, buf);
    int lapack = stage_lapack(w, i, buf, what);
    return lapack < 0 ? work_refuse(w, i, "is a call that is not known here") : lapack;
}
