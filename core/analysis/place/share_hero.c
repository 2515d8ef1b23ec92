#include "core/analysis/place/share_hero.h"

#include <string.h>

uint32_t hero_n_roots(const struct hlo *h, comp_id c)
{
    const struct hlo_inst *root = hlo_inst(h, hlo_comp(h, c)->root);
    return root->op == OP_TUPLE ? root->operands.n : 1;
}

inst_id hero_root(const struct hlo *h, comp_id c, uint32_t k)
{
    inst_id root = hlo_comp(h, c)->root;
    return hlo_inst(h, root)->op == OP_TUPLE ? hlo_operand(h, root, k) : root;
}

/* Sizes are only compared with small numbers, so a damaged file's may end at the largest. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* ---- Transposes ---- */

enum { MOST_DIMS = 16 };

/* Without dimensions of 1, with runs that stay together merged: sizes as in the output, and which
 * of the operand's dimensions each one was (GetNormalizedLogicalTransposeShape). */
struct transpose {
    uint32_t n;
    int64_t size[MOST_DIMS], from[MOST_DIMS];
};

static bool read_transpose(const struct hlo *h, inst_id i, struct transpose *t)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct shape_node *node = shape_node(&h->shapes, x->shape);
    const int64_t *size = shape_numbers(&h->shapes, node->dims), *from = hlo_dims(h, i);
    t->n = 0;
    if (x->dims.n != node->dims.n || node->dims.n > MOST_DIMS)
        return false;
    for (uint32_t k = 0; k < x->dims.n; k++) {
        if (from[k] < 0 || from[k] >= x->dims.n)
            return false;
        if (size[k] == 1)
            continue;
        int64_t rank = 0; /* among the dimensions that stay */
        for (uint32_t j = 0; j < x->dims.n; j++)
            rank += size[j] != 1 && from[j] < from[k];
        t->size[t->n] = size[k];
        t->from[t->n++] = rank;
    }
    uint32_t n = 0;
    int64_t last = -2;
    for (uint32_t k = 0; k < t->n; k++) {
        bool same_run = t->from[k] == last + 1;
        last = t->from[k];
        if (same_run) {
            t->size[n - 1] = times(t->size[n - 1], t->size[k]);
        } else {
            t->size[n] = t->size[k];
            t->from[n++] = last;
        }
    }
    t->n = n;
    return true;
}

/* Size of the operand's dimension that is k-th from its end. */
static int64_t operand_size(const struct transpose *t, uint32_t k)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t behind = 0;
        for (uint32_t j = 0; j < t->n; j++)
            behind += t->from[j] > t->from[i];
        if (behind == k)
            return t->size[i];
    }
    return 1;
}

/* GetDescriptionForTiledTransposeEmitter: worth going through shared memory. */
static bool is_tiled_transpose(const struct hlo *h, inst_id i)
{
    enum { LEAST = 4, LEAST_TOTAL = 16 * 16, MOST_MINOR_BITS = 64 };
    const struct hlo_inst *x = hlo_inst(h, i);
    struct transpose t;
    if (x->op != OP_TRANSPOSE || !read_transpose(h, i, &t) || t.n < 2)
        return false;
    int64_t bits = shape_type_bits(shape_node(&h->shapes, x->shape)->type);
    int64_t minor = t.size[t.n - 1];
    bool minor_stays = true;
    for (uint32_t k = 0; k + 1 < t.n; k++)
        minor_stays &= t.from[k] < t.from[t.n - 1];
    if (minor_stays) {
        int64_t a = operand_size(&t, 1), b = t.size[t.n - 2];
        return times(bits, minor) <= MOST_MINOR_BITS &&
               times(times(bits, minor), a < b ? a : b) >= 8 * LEAST;
    }
    int64_t moved = operand_size(&t, 0);
    return bits != 4 && moved >= LEAST && minor >= LEAST && times(moved, minor) >= LEAST_TOTAL;
}

static bool is_concatenate(const struct hlo *h, inst_id i)
{
    return hlo_inst(h, i)->op == OP_CONCATENATE;
}

/* ---- Heroes ---- */

/* Elementwise or a bitcast, with at most so many operands. */
static bool is_intermediate(const struct share *s, inst_id i, uint32_t most)
{
    const struct hlo *h = s->f->hlo;
    const struct hlo_inst *x = hlo_inst(h, i);
    if (x->operands.n == 0 || x->operands.n > most)
        return false;
    if (x->op == OP_COPY)
        return share_same_shape(&h->shapes, x->shape, hlo_inst(h, hlo_operand(h, i, 0))->shape);
    return s->elementwise[i] || x->op == OP_BITCAST || x->op == OP_RESHAPE;
}

/* Nothing that is reached from it does more than elementwise work. */
static bool only_elementwise_behind(struct share *s, inst_id hero)
{
    const struct hlo *h = s->f->hlo;
    struct share_walk w = share_walk_from(s, hero);
    while (w.next < w.n) {
        inst_id i = w.queue[w.next++];
        if (i != hero && hlo_inst(h, i)->op != OP_TUPLE && !is_intermediate(s, i, 3))
            return false;
        for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n; k++)
            share_walk_add(s, &w, hlo_use(h, i, k).user);
    }
    return true;
}

/* The one instruction of its kind above `from` with only elementwise work between, or HLO_NONE. */
static inst_id find_above(struct share *s, inst_id from,
                          bool (*is_it)(const struct hlo *h, inst_id i))
{
    const struct hlo *h = s->f->hlo;
    struct share_walk w = share_walk_from(s, from);
    inst_id found = HLO_NONE;
    while (w.next < w.n) {
        inst_id i = w.queue[w.next++];
        if (hlo_inst(h, i)->op == OP_PARAMETER)
            continue;
        if (is_it(h, i)) {
            if (found != HLO_NONE)
                return HLO_NONE;
            found = i;
        } else if (is_intermediate(s, i, 3)) {
            for (uint32_t k = 0; k < hlo_inst(h, i)->operands.n; k++)
                share_walk_add(s, &w, hlo_operand(h, i, k));
        }
    }
    return found != HLO_NONE && only_elementwise_behind(s, found) ? found : HLO_NONE;
}

static inst_id find_hero(struct share *s, inst_id root)
{
    const struct hlo *h = s->f->hlo;
    inst_id hero = root;
    while (is_intermediate(s, hero, 1) &&
           hlo_inst(h, hlo_operand(h, hero, 0))->op != OP_PARAMETER)
        hero = hlo_operand(h, hero, 0);
    inst_id other = find_above(s, hero, is_tiled_transpose);
    if (other == HLO_NONE)
        other = find_above(s, hero, is_concatenate);
    if (other != HLO_NONE)
        return other;
    return hlo_inst(h, hero)->op == OP_REDUCE ? hero : root;
}

inst_id hero_of(struct share *s, inst_id root)
{
    if (s->hero[root] == HLO_NONE)
        s->hero[root] = find_hero(s, root);
    return s->hero[root];
}

/* ---- Reductions ---- */

struct reduction {
    bool row;
    int64_t size[3];
};

static bool is_reduced(const struct hlo *h, inst_id i, int64_t dim)
{
    const int64_t *dims = hlo_dims(h, i);
    for (uint32_t k = 0; k < hlo_inst(h, i)->dims.n; k++)
        if (dims[k] == dim)
            return true;
    return false;
}

/* Dimension k of the operand, from the minor end. */
static int64_t minor_dim(const struct shapes *s, const struct shape_node *node, uint32_t k)
{
    if (node->order.n == node->dims.n)
        return shape_numbers(s, node->order)[k];
    return (int64_t)(node->dims.n - 1 - k);
}

/* The operand seen as at most three runs of dimensions, each all reduced or all kept, minor first;
 * 0 when there are more.  Returns their number. */
static uint32_t runs_of(const struct hlo *h, inst_id i, int64_t size[3], bool reduced[3])
{
    const struct shape_node *node =
        shape_node(&h->shapes, hlo_inst(h, hlo_operand(h, i, 0))->shape);
    const int64_t *dims = shape_numbers(&h->shapes, node->dims);
    uint32_t n = 0;
    for (uint32_t k = 0; k < node->dims.n; k++) {
        int64_t dim = minor_dim(&h->shapes, node, k);
        if (dim < 0 || dim >= node->dims.n)
            return 0;
        bool is = is_reduced(h, i, dim);
        if (n == 0 || reduced[n - 1] != is) {
            if (n == 3)
                return 0;
            size[n] = 1;
            reduced[n++] = is;
        }
        size[n - 1] = times(size[n - 1], dims[dim]);
    }
    return n;
}

/* GetReductionKindAndContiguousComponents.  False when neither the kept nor the reduced
 * dimensions lie together. */
static bool read_reduction(const struct hlo *h, inst_id i, struct reduction *r)
{
    int64_t size[3];
    bool reduced[3];
    uint32_t n = runs_of(h, i, size, reduced);
    if (n == 0)
        return false;
    bool minor = reduced[0]; /* the minor run is reduced */
    switch (n) {
    case 1:
        *r = minor ? (struct reduction){true, {1, 1, size[0]}}
                   : (struct reduction){true, {1, 1, 1}};
        break;
    case 2:
        *r = minor ? (struct reduction){true, {1, size[1], size[0]}}
                   : (struct reduction){false, {1, size[1], size[0]}};
        break;
    default:
        *r = minor ? (struct reduction){true, {size[2], size[1], size[0]}}
                   : (struct reduction){false, {size[2], size[1], size[0]}};
    }
    return true;
}

/* IsUnnestedReductionFasterThanElemental */
static bool is_fast(const struct reduction *r)
{
    enum { WARP = 32 };
    int64_t major = r->size[1], minor = r->size[2];
    if (r->row)
        return minor >= WARP || (minor > 0 && WARP % minor == 0);
    return !(major < WARP || (major < 2 * WARP && minor < WARP) ||
             (major < 4 * WARP && minor < 8) || (major < 8 * WARP && minor < 3));
}

/* ReductionIsRaceFree: small enough for one block, so that more can follow it. */
static bool is_race_free(const struct reduction *r)
{
    if (r->row)
        return r->size[2] <= 1024 * 16 && r->size[0] <= 8;
    return r->size[1] <= 32 * 128;
}

static bool is_real_reduction(const struct hlo *h, inst_id root, inst_id hero, struct reduction *r)
{
    return hlo_inst(h, hero)->op == OP_REDUCE && hlo_inst(h, hero)->operands.n > 0 &&
           read_reduction(h, hero, r) && is_fast(r) &&
           (root == hero || is_race_free(r));
}

/* Elements narrower than a byte have emitters of their own. */
static bool has_narrow_elements(const struct hlo *h, inst_id fusion)
{
    comp_id c = hlo_call(h, fusion, 0);
    for (uint32_t k = 0; k < hlo_comp(h, c)->params.n + hero_n_roots(h, c); k++) {
        uint32_t n = hlo_comp(h, c)->params.n;
        shape_id shape = hlo_inst(h, k < n ? hlo_param(h, c, k) : hero_root(h, c, k - n))->shape;
        if (shape_is_array(&h->shapes, shape) &&
            shape_type_bits(shape_node(&h->shapes, shape)->type) < 8)
            return true;
    }
    return false;
}

static bool is_foreign(const char *config)
{
    return config && (strstr(config, "__triton") || strstr(config, "__custom_fusion") ||
                      strstr(config, "__cudnn$fusion"));
}

static bool fits_with(const struct hlo *h, inst_id root, inst_id hero, inst_id first,
                      const struct reduction *wanted)
{
    struct reduction r;
    if (is_real_reduction(h, root, hero, &r))
        return r.row == wanted->row && memcmp(r.size, wanted->size, sizeof r.size) == 0;
    return shape_elements(&h->shapes, hlo_inst(h, root)->shape) ==
           shape_elements(&h->shapes, hlo_inst(h, hlo_operand(h, first, 0))->shape);
}

static inst_id find_reduction(struct share *s, inst_id fusion)
{
    const struct hlo *h = s->f->hlo;
    comp_id c = hlo_call(h, fusion, 0);
    uint32_t n = hero_n_roots(h, c), k = 0;
    inst_id first = HLO_NONE;
    struct reduction wanted;
    for (; k < n && first == HLO_NONE; k++) {
        inst_id root = hero_root(h, c, k), hero = hero_of(s, root);
        if (is_real_reduction(h, root, hero, &wanted))
            first = hero;
    }
    if (first == HLO_NONE || is_foreign(hlo_inst(h, fusion)->backend_config) ||
        has_narrow_elements(h, fusion))
        return HLO_NONE;
    for (k = 0; k < n; k++) {
        inst_id root = hero_root(h, c, k);
        if (root != first && !fits_with(h, root, hero_of(s, root), first, &wanted))
            return HLO_NONE;
    }
    return first;
}

inst_id hero_reduction(struct share *s, inst_id fusion)
{
    if (s->reduction[fusion] == HLO_NONE) {
        inst_id found = find_reduction(s, fusion);
        s->reduction[fusion] = found == HLO_NONE ? fusion : found;
    }
    return s->reduction[fusion] == fusion ? HLO_NONE : s->reduction[fusion];
}
