/* Dimensions through matrix products, and through what does not say. */
#include "core/analysis/whatif/dims_rules.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* ---- Products ---- */

struct dot {
    int64_t dims[4][8]; /* by enum hlo_dot */
    uint32_t n[4];
};

static bool is_in(const struct dot *t, enum hlo_dot kind, uint32_t dim)
{
    for (uint32_t k = 0; k < t->n[kind]; k++)
        if (t->dims[kind][k] == dim)
            return true;
    return false;
}

/* out: batch, then what is left of lhs, then what is left of rhs. */
static void link_dot(struct dims *z, const struct dot *t, struct dims_array l, struct dims_array r,
                     struct dims_array out)
{
    uint32_t to = 0;
    for (uint32_t k = 0; k < t->n[DOT_LHS_CONTRACTING] && k < t->n[DOT_RHS_CONTRACTING]; k++)
        if (t->dims[DOT_LHS_CONTRACTING][k] < l.rank && t->dims[DOT_RHS_CONTRACTING][k] < r.rank)
            dims_link(z, l.pos, (uint32_t)t->dims[DOT_LHS_CONTRACTING][k], r.pos,
                      (uint32_t)t->dims[DOT_RHS_CONTRACTING][k]);
    for (uint32_t k = 0; k < t->n[DOT_LHS_BATCH] && k < t->n[DOT_RHS_BATCH]; k++, to++) {
        int64_t a = t->dims[DOT_LHS_BATCH][k], b = t->dims[DOT_RHS_BATCH][k];
        if (a >= l.rank || b >= r.rank || to >= out.rank)
            return;
        dims_link(z, l.pos, (uint32_t)a, out.pos, to);
        dims_link(z, r.pos, (uint32_t)b, out.pos, to);
    }
    for (uint32_t d = 0; d < l.rank && to < out.rank; d++)
        if (!is_in(t, DOT_LHS_CONTRACTING, d) && !is_in(t, DOT_LHS_BATCH, d))
            dims_link(z, l.pos, d, out.pos, to++);
    for (uint32_t d = 0; d < r.rank && to < out.rank; d++)
        if (!is_in(t, DOT_RHS_CONTRACTING, d) && !is_in(t, DOT_RHS_BATCH, d))
            dims_link(z, r.pos, d, out.pos, to++);
}

void dims_visit_dot(struct dims *z, inst_id i)
{
    struct dot t = {0};
    for (unsigned kind = 0; kind < 4; kind++)
        while (t.n[kind] < 8) {
            int64_t d = hlo_dot_dim(z->h, i, (enum hlo_dot)kind, t.n[kind]);
            if (d < 0)
                break;
            t.dims[kind][t.n[kind]++] = d;
        }
    link_dot(z, &t, operand(z, i, 0, 0), operand(z, i, 1, 0), dims_array(z, i, 0));
}

/* The dot that a matrix product of a GPU library stands for is in its backend_config. */
static bool library_dot(const struct hlo_inst *x, struct dot *t)
{
    static const char *const names[4] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                         "lhs_batch_dimensions", "rhs_batch_dimensions"};
    if (!x->backend_config || !strstr(x->backend_config, "dot_dimension_numbers"))
        return false;
    cJSON *json = cJSON_Parse(x->backend_config);
    const cJSON *gemm = cJSON_GetObjectItem(json, "gemm_backend_config");
    const cJSON *numbers = cJSON_GetObjectItem(gemm ? gemm : json, "dot_dimension_numbers"), *d;
    for (unsigned kind = 0; kind < 4; kind++)
        cJSON_ArrayForEach(d, cJSON_GetObjectItem(numbers, names[kind]))
            if (cJSON_IsString(d) && t->n[kind] < 8)
                t->dims[kind][t->n[kind]++] = strtoll(d->valuestring, NULL, 10);
    bool found = cJSON_IsObject(numbers);
    cJSON_Delete(json);
    return found;
}

/* ---- What does not say ---- */

/* The only dimension of that size in each other array. */
static void guess_into(struct dims *z, struct dims_array a, struct dims_array b)
{
    for (uint32_t d = 0; d < a.rank; d++) {
        struct dim_mark m = dims_at(z, a.pos, d);
        uint32_t found = UINT32_MAX, n = 0;
        for (uint32_t e = 0; e < b.rank && m.outer; e++)
            if (b.size[e] == a.size[d]) {
                found = e;
                n++;
            }
        if (n == 1)
            dims_set(z, b.pos, found, m);
    }
}

/* All arrays among operands and outputs, pair by pair through the first output. */
void dims_visit_guess(struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    uint32_t span = shape_node(&z->h->shapes, x->shape)->span;
    z->guessing = true;
    for (uint32_t k = 0; k < x->operands.n; k++)
        for (uint32_t node = 0; node < span; node++) {
            struct dims_array in = operand(z, i, k, 0), out = dims_array(z, i, node);
            z->work += in.rank + out.rank;
            guess_into(z, in, out);
            guess_into(z, out, in);
        }
    z->guessing = false;
    for (uint32_t k = 0; k < x->operands.n; k++)
        if (marked(z, operand(z, i, k, 0)))
            dims_doubt(z, DOUBT_GUESSED, i);
}

void dims_visit_custom_call(struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    uint32_t span = shape_node(&z->h->shapes, x->shape)->span;
    struct dot t = {0};
    if (x->operands.n < 2 || !library_dot(x, &t)) {
        dims_visit_guess(z, i);
    } else {
        struct dims_array out = dims_array(z, i, span == 1 ? 0 : 1);
        link_dot(z, &t, operand(z, i, 0, 0), operand(z, i, 1, 0), out);
        if (x->operands.n > 2 && same_sizes(operand(z, i, 2, 0), out))
            link_all(z, operand(z, i, 2, 0), out);
    }
    for (uint32_t k = 0; k < x->operands.n; k++)
        if (marked(z, operand(z, i, k, 0)))
            dims_doubt(z, DOUBT_OPAQUE, i);
}
