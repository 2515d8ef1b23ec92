#include "core/analysis/place/share.h"

#include <stdlib.h>
#include <string.h>

/* HloInstruction::IsElementwiseImpl, hlo_instruction.cc. */
static const char *const elementwise[] = {
    "abs", "acos", "acosh", "add", "and", "asin", "asinh", "atan2", "atanh", "bitcast-convert",
    "cbrt", "ceil", "clamp", "compare", "complex", "constant", "convert", "copy", "cosh", "cosine",
    "count-leading-zeros", "divide", "erf", "exponential", "exponential-minus-one", "floor", "imag",
    "is-finite", "log", "log-plus-one", "logistic", "maximum", "minimum", "multiply", "negate",
    "not", "or", "popcnt", "power", "real", "reduce-precision", "remainder", "round-nearest-afz",
    "round-nearest-even", "rsqrt", "select", "shift-left", "shift-right-arithmetic",
    "shift-right-logical", "sign", "sine", "sinh", "sqrt", "stochastic-convert", "subtract", "tan",
    "tanh", "xor",
};

static int by_text(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

void share_init(struct share *s, const struct dataflow *f, enum platform platform, struct arena *a)
{
    const struct hlo *h = f->hlo;
    uint32_t n = h->insts.n;
    *s = (struct share){.f = f, .platform = platform};
    s->elementwise = arena_array(a, n, sizeof *s->elementwise);
    s->seen = arena_array(a, n, sizeof *s->seen);
    s->queue = arena_array(a, n, sizeof *s->queue);
    uint32_t most = 1;
    for (inst_id i = 0; i < n; i++)
        if (hlo_inst(h, i)->operands.n > most)
            most = hlo_inst(h, i)->operands.n;
    s->mark = arena_array(a, most, sizeof *s->mark);
    s->hero = arena_array(a, n, sizeof *s->hero);
    s->reduction = arena_array(a, n, sizeof *s->reduction);
    for (inst_id i = 0; i < n; i++) {
        s->hero[i] = s->reduction[i] = HLO_NONE;
        s->elementwise[i] = bsearch(hlo_inst(h, i)->opcode, elementwise,
                                    sizeof elementwise / sizeof *elementwise, sizeof *elementwise,
                                    by_text) != NULL;
    }
}

/* ---- Operands ---- */

uint32_t share_operand_index(const struct hlo *h, inst_id user, inst_id operand)
{
    uint32_t n = hlo_inst(h, user)->operands.n, k = 0;
    while (k < n && hlo_operand(h, user, k) != operand)
        k++;
    return k;
}

uint32_t share_operand_count(const struct hlo *h, inst_id user, inst_id operand)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < hlo_inst(h, user)->operands.n; k++)
        count += hlo_operand(h, user, k) == operand;
    return count;
}

static bool same_numbers(const struct shapes *s, struct span a, struct span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(shape_numbers(s, a), shape_numbers(s, b),
                                             a.n * sizeof(int64_t)) == 0);
}

bool share_same_shape(const struct shapes *s, shape_id a, shape_id b)
{
    if (!shape_same_tree(s, a, b))
        return false;
    for (uint32_t k = 0; k < shape_node(s, a)->span; k++) {
        const struct shape_node *x = shape_node(s, a + k), *y = shape_node(s, b + k);
        if (x->type != y->type || x->element_bits != y->element_bits ||
            x->memory_space != y->memory_space || !same_numbers(s, x->dims, y->dims) ||
            !same_numbers(s, x->order, y->order) || x->tiles.n != y->tiles.n)
            return false;
        for (uint32_t t = 0; t < x->tiles.n; t++) {
            const struct span *tiles = s->tiles.items;
            if (!same_numbers(s, tiles[x->tiles.first + t], tiles[y->tiles.first + t]))
                return false;
        }
    }
    return true;
}

/* ---- Elementwise ---- */

struct share_walk share_walk_from(struct share *s, inst_id from)
{
    const struct hlo *h = s->f->hlo;
    comp_id c = hlo_inst(h, from)->comp;
    struct share_walk w = {.queue = s->queue + hlo_comp(h, c)->insts.first, .walk = ++s->walk};
    share_walk_add(s, &w, from);
    return w;
}

/* Every instruction reached from the fused parameter is elementwise on the way. */
static bool fusion_elementwise(struct share *s, inst_id fusion, uint32_t operand)
{
    const struct hlo *h = s->f->hlo;
    struct share_walk w = share_walk_from(s, hlo_param(h, hlo_call(h, fusion, 0), operand));
    while (w.next < w.n) {
        inst_id i = w.queue[w.next++];
        for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n; k++) {
            struct hlo_use use = hlo_use(h, i, k);
            if (share_walk_seen(s, &w, use.user))
                continue;
            if (!s->elementwise[use.user] && !share_elementwise(s, use.user, use.operand))
                return false;
            share_walk_add(s, &w, use.user);
        }
    }
    return true;
}

bool share_elementwise(struct share *s, inst_id i, uint32_t operand)
{
    switch (hlo_inst(s->f->hlo, i)->op) {
    case OP_DYNAMIC_UPDATE_SLICE:
        return operand == 0;
    case OP_FUSION:
        return fusion_elementwise(s, i, operand);
    case OP_MAP:
        return true;
    default:
        return s->elementwise[i];
    }
}

/* AreTransitiveUsesElementwiseOrTuple */
static bool uses_elementwise_or_tuple(struct share *s, inst_id param)
{
    const struct hlo *h = s->f->hlo;
    struct share_walk w = share_walk_from(s, param);
    while (w.next < w.n) {
        inst_id i = w.queue[w.next++];
        for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n; k++) {
            struct hlo_use use = hlo_use(h, i, k);
            if (hlo_inst(h, use.user)->op != OP_TUPLE &&
                !share_elementwise(s, use.user, use.operand))
                return false;
            share_walk_add(s, &w, use.user);
        }
    }
    return true;
}

/* ---- Uses of a value ---- */

struct use_count {
    uint32_t n, matching;
    inst_id user;
    uint32_t operand; /* of the last matching use */
};

static void count_use(void *ctx, struct value_use use)
{
    struct use_count *c = ctx;
    c->n++;
    if (use.user == c->user) {
        c->matching++;
        c->operand = use.operand;
    }
}

static struct use_count uses_by(const struct dataflow *f, value_id v, inst_id user)
{
    struct use_count c = {.user = user};
    dataflow_uses(f, v, count_use, &c);
    return c;
}

/* The one value at a position, or VALUE_NONE. */
static value_id only_value(const struct dataflow *f, inst_id i, uint32_t node)
{
    pos_id p = hlo_inst(f->hlo, i)->first_pos + node;
    return f->at[p].n == 1 ? f->at[p].v : VALUE_NONE;
}

/* Must-alias: the user writes this value in place, at this output. */
static bool writes_in_place(const struct dataflow *f, value_id v, inst_id user, uint32_t user_node)
{
    const struct inplace_pair *pairs = f->pair_pool.items;
    for (uint32_t k = 0; k < f->pairs[user].n; k++) {
        struct inplace_pair p = pairs[f->pairs[user].first + k];
        if (p.out == user_node &&
            only_value(f, hlo_operand(f->hlo, user, p.operand), p.operand_node) == v)
            return true;
    }
    return false;
}

/* ---- The rules, in XLA's order ---- */

enum hint { HINT_NONE, HINT_NO, HINT_YES };

static enum hint hint_of(bool yes)
{
    return yes ? HINT_YES : HINT_NO;
}

static bool is_target(const struct hlo_inst *x, const char *target)
{
    return x->op == OP_CUSTOM_CALL && x->kind && strcmp(x->kind, target) == 0;
}

/* The user's output node is element k of its tuple. */
static bool is_element(const struct hlo *h, inst_id user, uint32_t node, uint32_t k)
{
    uint32_t start;
    shape_id shape = hlo_inst(h, user)->shape;
    return node > 0 && shape_element_of(&h->shapes, shape, node, &start) == k && start == node;
}

static bool beta_is_set(const char *config)
{
    const char *at = config ? strstr(config, "\"beta\":") : NULL;
    return at && strtod(at + 7, NULL) != 0.0;
}

/* The matrix C of alpha*A*B + beta*C is overwritten. */
static bool matmul_in_place(const struct hlo *h, inst_id user, uint32_t node, inst_id operand)
{
    return beta_is_set(hlo_inst(h, user)->backend_config) && hlo_inst(h, user)->operands.n > 2 &&
           hlo_operand(h, user, 2) == operand && share_operand_count(h, user, operand) == 1 &&
           is_element(h, user, node, 0);
}

static bool contains_nocase(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; text && *text; text++) {
        size_t k = 0;
        while (k < n && (text[k] | 0x20) == word[k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

/* Collectives reduce in place, operand k into output k. */
static enum hint collective_hint(const struct hlo *h, inst_id operand, inst_id user, uint32_t node)
{
    const struct hlo_inst *x = hlo_inst(h, user);
    uint32_t start, k;
    if (x->operands.n == 1)
        return HINT_YES;
    if (node == 0)
        return HINT_NO;
    k = shape_element_of(&h->shapes, x->shape, node, &start);
    return hint_of(start == node && k < x->operands.n && hlo_operand(h, user, k) == operand);
}

/* NVPTXAliasInfo::MayAlias */
static enum hint gpu_hint(struct share *s, inst_id operand, inst_id user, uint32_t node)
{
    const struct hlo *h = s->f->hlo;
    const struct hlo_inst *x = hlo_inst(h, user);
    switch (x->op) {
    case OP_FUSION:
        return hint_of(share_fusion_gpu(s, operand, user, node));
    case OP_ALL_REDUCE:
        if (contains_nocase(x->backend_config, "nvshmem"))
            return HINT_NO;
        /* fall through */
    case OP_COLLECTIVE_BROADCAST:
        return collective_hint(h, operand, user, node);
    case OP_CUSTOM_CALL:
        if (is_target(x, "__cublas$lt$matmul"))
            return hint_of(matmul_in_place(h, user, node, operand));
        return hint_of(is_target(x, "__cusolver$cholesky") && is_element(h, user, node, 0));
    default:
        return HINT_NONE;
    }
}

/* {"indices":["0","4","9"]}: behind *at, does the list name both? */
static bool list_names(const char **at, uint32_t operand, uint32_t output)
{
    bool has_operand = false, has_output = false;
    while (**at && **at != '}') {
        if (**at >= '0' && **at <= '9') {
            char *end;
            unsigned long n = strtoul(*at, &end, 10);
            has_operand |= n == operand;
            has_output |= n == output;
            *at = end;
        } else {
            ++*at;
        }
    }
    return has_operand && has_output;
}

/* TPU compilers write into each instruction which operands its outputs may be put over: lists of
 * operand numbers and, counted on behind them, outputs.  Collectives reduce in place (seen in
 * dumps; the compiler is in no public source). */
static enum hint tpu_hint(const struct hlo *h, inst_id operand, inst_id user, uint32_t node)
{
    const struct hlo_inst *x = hlo_inst(h, user);
    if (x->op == OP_ALL_REDUCE)
        return collective_hint(h, operand, user, node);
    const char *at = x->backend_config ? strstr(x->backend_config, "\"aliasing_operands\":") : NULL;
    if (!at)
        return HINT_NONE;
    uint32_t start, output = x->operands.n, k = share_operand_index(h, user, operand);
    if (node > 0)
        output += shape_element_of(&h->shapes, x->shape, node, &start);
    while ((at = strstr(at, "\"indices\":")))
        if (list_names(&at, k, output))
            return HINT_YES;
    return HINT_NO;
}

/* An output fusion that adds its operand to a dot or convolution. */
static enum hint output_fusion(struct share *s, inst_id user, inst_id param, uint32_t node)
{
    const struct hlo *h = s->f->hlo;
    inst_id add = hlo_comp(h, hlo_call(h, user, 0))->root;
    const struct hlo_inst *x = hlo_inst(h, add);
    if (x->op != OP_ADD)
        return HINT_NONE;
    for (uint32_t k = 0; k < x->operands.n; k++) {
        enum hlo_op op = hlo_inst(h, hlo_operand(h, add, k))->op;
        if (op != OP_CONVOLUTION && op != OP_DOT)
            continue;
        value_id v = only_value(s->f, param, node);
        if (v == VALUE_NONE)
            return HINT_NO;
        struct use_count c = uses_by(s->f, v, add);
        return hint_of(c.n == 1 && c.matching == 1 && c.operand == (k == 0 ? 1 : 0));
    }
    return HINT_NO;
}

static enum hint any_fusion(struct share *s, inst_id operand, uint32_t node, inst_id user)
{
    const struct hlo *h = s->f->hlo;
    const char *kind = hlo_inst(h, user)->kind;
    inst_id param = hlo_param(h, hlo_call(h, user, 0), share_operand_index(h, user, operand));
    if (!kind)
        return HINT_NONE;
    if (strcmp(kind, "kLoop") == 0 || strcmp(kind, "kInput") == 0)
        return hint_of(uses_elementwise_or_tuple(s, param));
    return strcmp(kind, "kOutput") == 0 ? output_fusion(s, user, param, node) : HINT_NONE;
}

static bool sort_in_place(const struct hlo *h, inst_id operand, inst_id user, uint32_t node)
{
    const struct hlo_use first = hlo_use(h, operand, 0);
    for (uint32_t k = 1; k < hlo_inst(h, operand)->uses.n; k++)
        if (hlo_use(h, operand, k).user != first.user)
            return false;
    if (hlo_inst(h, user)->operands.n == 1)
        return true;
    return share_operand_count(h, user, operand) == 1 &&
           is_element(h, user, node, share_operand_index(h, user, operand));
}

/* Two uses: the call itself, and the callee's root, elementwise on it. */
static bool call_in_place(struct share *s, inst_id operand, uint32_t node, inst_id user)
{
    const struct hlo *h = s->f->hlo;
    inst_id root = hlo_comp(h, hlo_call(h, user, 0))->root;
    value_id v = only_value(s->f, operand, node);
    if (v == VALUE_NONE)
        return false;
    struct use_count caller = uses_by(s->f, v, user), callee = uses_by(s->f, v, root);
    return caller.n == 2 && caller.matching > 0 && callee.matching > 0 &&
           share_elementwise(s, root, callee.operand);
}

static bool by_opcode(struct share *s, inst_id operand, uint32_t operand_node, inst_id user,
                      uint32_t user_node)
{
    const struct hlo *h = s->f->hlo;
    uint32_t at = share_operand_index(h, user, operand);
    switch (hlo_inst(h, user)->op) {
    case OP_WHILE:
    case OP_CONDITIONAL:
        return true;
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_SCATTER:
    case OP_SET_DIMENSION_SIZE:
        return share_operand_count(h, user, operand) == 1 && at == 0;
    case OP_TRIANGULAR_SOLVE:
        return share_operand_count(h, user, operand) == 1 && at == 1;
    case OP_SORT:
        return sort_in_place(h, operand, user, user_node);
    case OP_CALL:
        return call_in_place(s, operand, operand_node, user);
    default:
        return share_elementwise(s, user, at);
    }
}

bool share_allowed(struct share *s, inst_id operand, uint32_t operand_node, inst_id user,
                   uint32_t user_node)
{
    const struct hlo *h = s->f->hlo;
    const struct hlo_inst *x = hlo_inst(h, operand), *u = hlo_inst(h, user);
    bool workspace = is_target(u, "__cublas$lt$matmul") || is_target(u, "__cublas$lt$matmul$f8");
    if ((workspace && is_element(h, user, user_node, 1)) || x->op == OP_CONSTANT)
        return false;
    bool same = share_same_shape(&h->shapes, x->shape + operand_node, u->shape + user_node);
    value_id v = only_value(s->f, operand, operand_node);
    if (same && v != VALUE_NONE && writes_in_place(s->f, v, user, user_node))
        return true;
    enum hint hint = HINT_NONE;
    if (s->platform == PLATFORM_GPU)
        hint = gpu_hint(s, operand, user, user_node);
    if (s->platform == PLATFORM_TPU)
        hint = tpu_hint(h, operand, user, user_node);
    if (hint == HINT_NONE && !same)
        hint = HINT_NO;
    if (hint == HINT_NONE && u->op == OP_FUSION)
        hint = any_fusion(s, operand, operand_node, user);
    return hint == HINT_NONE ? by_opcode(s, operand, operand_node, user, user_node)
                             : hint == HINT_YES;
}
