#include "tests/corpus/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct pair_result row_of(const struct hlo *h, shape_id shape, const void *data, uint64_t bytes)
{
    const struct shape_node *node = shape_node(&h->shapes, shape);
    const int64_t *dims = shape_numbers(&h->shapes, node->dims);
    struct elem e = elem_of(node->type);
    int64_t stride[64], index[64] = {0};
    struct pair_result r = {node->type, (int64_t)shape_elements(&h->shapes, shape), memory_zeroed(1, bytes), 0};
    shape_strides(&h->shapes, shape, stride);
    int64_t in_row = 1;
    bool rows = true;
    for (uint32_t d = node->dims.n; d-- > 0; in_row *= dims[d])
        rows = rows && (dims[d] == 1 || stride[d] == in_row);
    if (rows)
        memcpy(r.row, data, (size_t)r.n * e.size);
    for (int64_t q = 0; q < r.n && !rows; q++) {
        int64_t at = 0;
        for (uint32_t d = 0; d < node->dims.n; d++)
            at += index[d] * stride[d];
        memcpy(r.row + q * e.size, (const char *)data + at * e.size, e.size);
        for (uint32_t d = node->dims.n; d-- > 0 && ++index[d] == dims[d];)
            index[d] = 0;
    }
    return r;
}

void pair_keep(const struct hlo *h, const struct exec_result *x, struct pair_results *out)
{
    shape_id root = hlo_inst(h, hlo_comp(h, h->entry)->root)->shape;
    uint32_t k = 0;
    for (uint32_t s = 0; s < shape_node(&h->shapes, root)->span && k < x->n_outputs; s++) {
        const struct shape_node *node = shape_node(&h->shapes, root + s);
        if (!shape_is_array(&h->shapes, root + s))
            continue;
        const struct exec_output *o = &x->outputs[k++];
        if (o->data && elem_of(node->type).size && !shape_packed(node) && out->n < PAIR_RESULTS)
            out->of[out->n++] = row_of(h, root + s, o->data, o->bytes);
    }
}

void pair_free(struct pair_results *x)
{
    for (uint32_t k = 0; k < x->n; k++)
        free(x->of[k].row);
    x->n = 0;
}

double pair_noise(const struct hlo *h)
{
    int bits = 52;
    for (inst_id i = 0; i < h->insts.n; i++) {
        shape_id shape = hlo_inst(h, i)->shape;
        for (uint32_t s = 0; s < shape_node(&h->shapes, shape)->span; s++) {
            struct elem e = elem_of(shape_node(&h->shapes, shape + s)->type);
            bool small = e.small.exponent && e.small.kind != SMALL_SCALE;
            int has = e.type == TYPE_F32 || e.type == TYPE_C64 ? 23 : small ? e.small.mantissa : 52;
            bits = has < bits ? has : bits;
        }
    }
    return ldexp(1, -bits - 1);
}

/* Elements [at, at + n) as numbers: of complex ones the real parts. */
static void numbers(const struct pair_result *x, int64_t at, size_t n, double *out)
{
    struct elem e = elem_of(x->type);
    char reg[TAPE_BLOCK * REG_BYTES];
    elem_load(&e, x->row + at * e.size, 1, reg, n);
    for (size_t k = 0; k < n; k++)
        out[k] = e.cls == CLASS_F32   ? (double)((float *)(void *)reg)[k]
                 : e.cls == CLASS_F64 ? ((double *)(void *)reg)[k]
                 : e.cls == CLASS_C64 ? (double)((struct tm_c64 *)(void *)reg)[k].re
                                      : (double)((int64_t *)(void *)reg)[k];
}

static size_t block_of(const struct pair_result *x, int64_t at)
{
    return x->n - at < TAPE_BLOCK ? (size_t)(x->n - at) : TAPE_BLOCK;
}

/* max |x - y| / max |y|: NaNs and infinities must meet their like. */
static double apart(const struct pair_result *x, const struct pair_result *y)
{
    double v[TAPE_BLOCK], u[TAPE_BLOCK], most = 0, worst = 0;
    for (int64_t at = 0; at < x->n; at += TAPE_BLOCK) {
        size_t n = block_of(x, at);
        numbers(x, at, n, v);
        numbers(y, at, n, u);
        for (size_t k = 0; k < n; k++) {
            double d = (isnan(v[k]) && isnan(u[k])) || u[k] == v[k] ? 0 : fabs(v[k] - u[k]);
            worst = !(d <= worst) ? d : worst;
            most = isfinite(u[k]) && fabs(u[k]) > most ? fabs(u[k]) : most;
        }
    }
    return most > 0 ? worst / most : worst;
}

/* Nothing but NaNs and infinities, or one number everywhere. */
static bool says_nothing(const struct pair_result *x)
{
    double v[TAPE_BLOCK], first;
    bool finite = false, same = true;
    numbers(x, 0, 1, &first);
    for (int64_t at = 0; at < x->n && (!finite || same); at += TAPE_BLOCK) {
        size_t n = block_of(x, at);
        numbers(x, at, n, v);
        for (size_t k = 0; k < n; k++) {
            finite = finite || isfinite(v[k]);
            same = same && v[k] == first;
        }
    }
    return !finite || (same && x->n > 1);
}

struct verdict {
    uint32_t compared, apart, nothing;
    double worst, allowed, change; /* of the result that is nearest to what is allowed, or beyond */
    double most, most_allowed;     /* of the one that is farthest apart */
    uint8_t type;
};

void pair_changed(struct pair_results *a, struct pair_results *changed)
{
    for (uint32_t k = 0; k < a->n && k < changed->n; k++)
        a->of[k].change = apart(&changed->of[k], &a->of[k]);
    pair_free(changed);
}

static void judge(struct verdict *v, const struct pair_result *a, const struct pair_result *b, double noise)
{
    struct elem e = elem_of(a->type);
    double is = apart(a, b), change = a->change, least = 2 * noise > PAIR_LEAST ? 2 * noise : PAIR_LEAST;
    double allowed = e.cls == CLASS_INT ? 0 : PAIR_CHANGES * change > least ? PAIR_CHANGES * change : least;
    if (noise <= 0)
        allowed = INFINITY; /* nothing is known */
    bool blind = noise <= 0 ? false : e.cls == CLASS_INT ? change != 0 : !(allowed < PAIR_MOST);
    if (blind || (is == 0 && says_nothing(a) && says_nothing(b))) {
        v->nothing++;
        return;
    }
    bool beyond = noise > 0 && !(is <= allowed), nearer = is * v->allowed > v->worst * allowed;
    v->apart += beyond;
    if (!(is <= v->most)) {
        v->most = is;
        v->most_allowed = allowed;
    }
    if (!v->compared++ || !(is <= INFINITY) || nearer) {
        v->worst = is;
        v->allowed = allowed;
        v->change = change;
        v->type = a->type;
    }
}

void pair_print(const struct pair_results *a, const struct pair_results *b, double noise)
{
    struct verdict v = {0};
    uint32_t odd = a->n != b->n;
    for (uint32_t k = 0; k < a->n && k < b->n; k++)
        if (a->of[k].type != b->of[k].type || a->of[k].n != b->of[k].n)
            odd++;
        else if (a->of[k].n)
            judge(&v, &a->of[k], &b->of[k], noise);
    printf("pair: %u of %u compared", v.compared, a->n);
    if (v.compared && noise <= 0)
        printf(", not judged: farthest %.2g", v.most);
    else if (v.compared)
        printf(", worst %.2g of %.2g allowed (%s, noise of %.2g changes it by %.2g)", v.worst, v.allowed,
               shape_type_name((enum shape_type)v.type), noise, v.change);
    if (v.most > v.worst && noise > 0)
        printf(", farthest %.2g of %.2g", v.most, v.most_allowed);
    if (v.nothing)
        printf(v.compared ? ", %u tell nothing" : ", no comparison: %u tell nothing", v.nothing);
    printf("%s%s\n", v.apart ? " APART" : "", odd ? " APART: shapes differ" : "");
}
