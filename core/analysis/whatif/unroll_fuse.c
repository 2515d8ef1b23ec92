/* Kernels that become one when the iterations they belong to stand side by side.
 *
 * XLA fuses what is computed element by element into all that reads it, if all of it can take it
 * and if that moves fewer bytes (priority fusion on GPUs, instruction fusion on CPUs, which repeats
 * nothing expensive).  Inside one iteration it has done so already: only kernels of different
 * iterations are looked at. */
#include "core/analysis/whatif/unroll_graph.h"

#include <string.h>

enum {
    MOST_INPUTS = 64, /* MaxOperandsAndOutputsPerFusion(), xla/service/gpu/gpu_fusible.h */
    MOST_COPIED = 2000,
    MOST_PASSES = 4   /* a copy may bring its own inputs within reach */
};

const char *unroll_kind(const struct unroll *u, uint32_t g)
{
    const struct ugroup *x = ugroup_at(u, g);
    const char *kind = x->kind ? x->kind : x->origin != HLO_NONE ? hlo_inst(u->h, x->origin)->kind : NULL;
    return kind ? kind : "";
}

uint64_t unroll_rank(const struct unroll *u, uop_id i)
{
    uint32_t g = uop_at(u, i)->group;
    return g == GROUP_NONE ? uop_at(u, i)->rank : ugroup_at(u, g)->rank;
}

/* ---- Sums apart from products ---- */

/* acc + dot is one kernel in a loop; acc + dot + dot + … is k products and one sum. */
static bool sums_up(const struct unroll *u, const struct unroll_links *l, uop_id x)
{
    inst_id origin = uop_at(u, x)->origin;
    for (uint32_t k = 0; k < uop_at(u, x)->operands.n; k++)
        if (uop_at(u, uop_operand(u, x, k))->origin == origin)
            return true;
    for (uint32_t k = l->first[x]; k < l->first[x + 1]; k++)
        if (uop_at(u, l->users[k])->origin == origin)
            return true;
    return false;
}

void unroll_split_sums(struct unroll *u)
{
    struct arena scratch = {0};
    struct unroll_links l = unroll_link(u, &scratch);
    uint32_t n = u->ops.n;
    for (uop_id i = 0; i < n; i++) {
        struct uop x = *uop_at(u, i);
        bool inside = false;
        if (!l.live[i] || x.op != OP_ADD || x.group == GROUP_NONE || x.clone == 0 || x.origin == HLO_NONE ||
            strcmp(unroll_kind(u, x.group), "kCustom") != 0 || !sums_up(u, &l, i))
            continue;
        for (uint32_t k = l.first[i]; k < l.first[i + 1]; k++)
            inside |= uop_at(u, l.users[k])->group == x.group;
        if (inside)
            continue;
        uint32_t made = unroll_add_group(u, HLO_NONE, x.clone);
        ugroup_at(u, made)->kind = "kLoop";
        ugroup_at(u, made)->rank = ugroup_at(u, x.group)->rank + 1;
        uop_at(u, i)->group = made;
    }
    arena_free(&scratch);
}

/* ---- Fusing ---- */

struct fuser {
    struct unroll *u;
    struct unroll_links l;
    struct list *members;  /* [groups] uop_id */
    uint32_t *seen, stamp; /* [n_ops] */
    uint32_t n_groups, n_ops; /* before any copy was made */
    struct arena scratch;
};

static bool is_simple(const struct uop *x)
{
    return x->elementwise || x->op == OP_BITCAST || x->op == OP_BROADCAST || x->op == OP_CONSTANT ||
           x->op == OP_IOTA || x->op == OP_SLICE || x->op == OP_DYNAMIC_SLICE || x->op == OP_RESHAPE;
}

static bool takes_kernels(const struct unroll *u, uint32_t g)
{
    return strcmp(unroll_kind(u, g), "kLoop") == 0 || strcmp(unroll_kind(u, g), "kInput") == 0;
}

/* Groups other than its own that read x and can take the kernel in: readers[0 … n).  False: somebody
 * else reads it too, and it had to be written anyway. */
static bool find_readers(const struct fuser *f, uint32_t g, uop_id x, struct list *readers, struct arena *a)
{
    const struct unroll *u = f->u;
    *readers = (struct list){0};
    for (uint32_t k = f->l.first[x]; k < f->l.first[x + 1]; k++) {
        const struct uop *user = uop_at(u, f->l.users[k]);
        uint32_t to = user->group;
        if (to == g)
            continue;
        if (to == GROUP_NONE || !takes_kernels(u, to) || ugroup_at(u, to)->fixed ||
            (!is_simple(user) && user->op != OP_REDUCE && user->op != OP_CONCATENATE)) {
            if (u->model == UNROLL_REPEATED)
                continue;
            return false;
        }
        bool known = false;
        for (uint32_t j = 0; j < readers->n && !known; j++)
            known = ((const uint32_t *)readers->items)[j] == to;
        if (!known && readers->n == MOST_INPUTS)
            return false;
        if (!known)
            *(uint32_t *)list_add(a, readers, sizeof to) = to;
    }
    return true;
}

/* Inputs of group g with those of a cone, each once; more than MOST_INPUTS are not counted on. */
static uint32_t count_inputs(struct fuser *f, uint32_t g, const struct list *more)
{
    uint32_t n = 0;
    f->stamp++;
    for (uint32_t k = 0; k < more->n; k++) {
        f->seen[((const uop_id *)more->items)[k]] = f->stamp;
        n++;
    }
    for (uint32_t m = 0; m < f->members[g].n && n <= MOST_INPUTS; m++) {
        uop_id i = ((const uop_id *)f->members[g].items)[m];
        for (uint32_t k = 0; k < uop_at(f->u, i)->operands.n; k++) {
            uop_id o = uop_operand(f->u, i, k);
            if (uop_at(f->u, o)->group == g || o >= f->n_ops || f->seen[o] == f->stamp)
                continue;
            f->seen[o] = f->stamp;
            n++;
        }
    }
    return n;
}

/* ---- A copy for each ---- */

/* What of group g x needs, and the bytes of what that reads. */
struct cone {
    struct list ops;     /* uop_id */
    struct list inputs;  /* uop_id */
    uint64_t bytes;
    bool expensive, simple;
};

static bool is_expensive(const struct uop *x)
{
    static const char *const names[] = {"divide", "exponential", "log", "power", "rsqrt", "sqrt",
                                        "tanh", "logistic", "sine", "cosine", "erf", "log-plus-one",
                                        "exponential-minus-one", "cbrt", "tan", "atan2", "remainder"};
    for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(x->opcode, names[k]) == 0)
            return true;
    return false;
}

static bool holds(const struct list *l, uop_id x)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (((const uop_id *)l->items)[k] == x)
            return true;
    return false;
}

static struct cone cone_of(const struct fuser *f, uop_id x, struct arena *a)
{
    const struct unroll *u = f->u;
    struct cone c = {.simple = true};
    *(uop_id *)list_add(a, &c.ops, sizeof x) = x;
    for (uint32_t next = 0; next < c.ops.n && c.ops.n <= MOST_COPIED && c.inputs.n <= MOST_INPUTS; next++) {
        uop_id i = ((const uop_id *)c.ops.items)[next];
        c.expensive |= is_expensive(uop_at(u, i));
        c.simple &= is_simple(uop_at(u, i)) ||
                    (u->model == UNROLL_REPEATED && uop_at(u, i)->op == OP_REDUCE);
        for (uint32_t k = 0; k < uop_at(u, i)->operands.n; k++) {
            uop_id o = uop_operand(u, i, k);
            struct list *to = uop_at(u, o)->group == uop_at(u, x)->group ? &c.ops : &c.inputs;
            if (holds(to, o))
                continue;
            *(uop_id *)list_add(a, to, sizeof o) = o;
            if (to == &c.inputs)
                c.bytes += shape_bytes(&u->draft.shapes, uop_at(u, o)->shape);
        }
    }
    return c;
}

static bool reads(const struct fuser *f, uint32_t g, uop_id x)
{
    for (uint32_t m = 0; m < f->members[g].n; m++) {
        uop_id i = ((const uop_id *)f->members[g].items)[m];
        for (uint32_t k = 0; k < uop_at(f->u, i)->operands.n; k++)
            if (uop_operand(f->u, i, k) == x)
                return true;
    }
    return false;
}

/* Bytes moved with x written and read back by all, against those with its inputs read by each. */
static bool pays(const struct fuser *f, uop_id x, const struct cone *c, const struct list *readers)
{
    const struct unroll *u = f->u;
    uint64_t out = shape_bytes(&u->draft.shapes, uop_at(u, x)->shape), fused = 0;
    for (uint32_t r = 0; r < readers->n; r++)
        for (uint32_t k = 0; k < c->inputs.n; k++) {
            uop_id input = ((const uop_id *)c->inputs.items)[k];
            if (!reads(f, ((const uint32_t *)readers->items)[r], input))
                fused += shape_bytes(&u->draft.shapes, uop_at(u, input)->shape);
        }
    return fused < c->bytes + out * (1 + (uint64_t)readers->n);
}

static void copy_to(struct fuser *f, uop_id x, uint32_t to)
{
    struct unroll *u = f->u;
    uop_id first = f->u->ops.n;
    struct ugroup g = *ugroup_at(u, to);
    uop_id made = unroll_copy(u, (struct site){uop_at(u, x)->place, to, g.clone}, x, false);
    ugroup_at(u, to)->rank = g.rank;
    ugroup_at(u, to)->joined = true;
    for (uint32_t m = 0; m < f->members[to].n; m++) {
        struct span operands = uop_at(u, ((const uop_id *)f->members[to].items)[m])->operands;
        for (uint32_t k = 0; k < operands.n; k++) {
            uop_id *o = (uop_id *)u->operands.items + operands.first + k;
            if (*o == x)
                *o = made;
        }
    }
    for (uop_id i = first; i < u->ops.n; i++)
        *(uop_id *)list_add(&f->scratch, &f->members[to], sizeof i) = i;
}

static bool crosses(const struct unroll *u, uint32_t g, const struct list *readers)
{
    for (uint32_t k = 0; k < readers->n; k++)
        if (ugroup_at(u, ((const uint32_t *)readers->items)[k])->clone != ugroup_at(u, g)->clone)
            return true;
    return false;
}

static uop_id place_root(const struct unroll *u, uop_id x)
{
    return uplace_at(u, uop_at(u, x)->place)->root;
}

static bool is_sum(const struct unroll *u, const struct cone *c)
{
    for (uint32_t k = 0; k < c->ops.n; k++) {
        enum hlo_op op = uop_at(u, ((const uop_id *)c->ops.items)[k])->op;
        if (op != OP_ADD && op != OP_BITCAST && op != OP_CONVERT && op != OP_SLICE)
            return false;
    }
    return true;
}

static bool wanted(const struct fuser *f, uop_id x, const struct cone *c, const struct list *readers)
{
    if (f->u->model == UNROLL_REPEATED)
        return true;
    if (readers->n > 1 && c->expensive)
        return false;
    if (f->u->model == UNROLL_SUMS && (readers->n > 1 || !is_sum(f->u, c)))
        return false;
    return pays(f, x, c, readers);
}

/* One output of a kernel, into all that reads it. */
static void spread(struct fuser *f, uint32_t g, uop_id x)
{
    struct unroll *u = f->u;
    struct list readers;
    struct arena a = {0};
    if (find_readers(f, g, x, &readers, &a) && readers.n && crosses(u, g, &readers)) {
        struct cone c = cone_of(f, x, &a);
        bool fits = c.simple && c.ops.n <= MOST_COPIED && c.inputs.n <= MOST_INPUTS && place_root(u, x) != x;
        for (uint32_t k = 0; k < readers.n; k++)
            fits = fits && count_inputs(f, ((const uint32_t *)readers.items)[k], &c.inputs) <= MOST_INPUTS;
        if (fits && wanted(f, x, &c, &readers))
            for (uint32_t k = 0; k < readers.n; k++)
                copy_to(f, x, ((const uint32_t *)readers.items)[k]);
    }
    arena_free(&a);
}

static bool fuse_once(struct unroll *u)
{
    struct fuser f = {.u = u, .n_groups = u->groups.n, .n_ops = u->ops.n};
    f.l = unroll_link(u, &f.scratch);
    f.seen = arena_array(&f.scratch, (size_t)f.n_ops + 1, sizeof *f.seen);
    f.members = arena_array(&f.scratch, (size_t)f.n_groups + 1, sizeof *f.members);
    for (uop_id i = 0; i < f.n_ops; i++)
        if (f.l.live[i] && uop_at(u, i)->group != GROUP_NONE)
            *(uop_id *)list_add(&f.scratch, &f.members[uop_at(u, i)->group], sizeof i) = i;
    for (uint32_t g = 0; g < f.n_groups && !u->why; g++) /* readers' groups were made later */
        for (uint32_t m = 0; m < f.members[g].n; m++) {
            uop_id i = ((const uop_id *)f.members[g].items)[m];
            if (i < f.n_ops && strcmp(unroll_kind(u, g), "kLoop") == 0 && !ugroup_at(u, g)->fixed)
                spread(&f, g, i);
        }
    arena_free(&f.scratch);
    return u->ops.n > f.n_ops;
}

void unroll_fuse(struct unroll *u)
{
    for (uint32_t pass = 0; pass < MOST_PASSES && fuse_once(u) && !u->why; pass++)
        continue;
}
