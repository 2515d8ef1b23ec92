/* Unrolling: the program is walked once, its loop's body k times, and written down again. */
#include "core/analysis/place/share.h"
#include "core/analysis/whatif/unroll_graph.h"

#include <inttypes.h>

/* Operations of the new program: each takes some KiB by the time it is laid out. */
#define MOST_OPERATIONS ((uint64_t)1 << 20)
#define MOST_WALKED     ((uint64_t)1 << 25) /* positions of the old one; each takes 12 bytes */

static const struct loop *one_loop(const struct unroll *u, uint32_t k)
{
    return k != LOOP_NONE && k < u->p->loops.n ? u->p->loops.items + k : NULL;
}

/* Computations that lead to the loops; callees stand before callers. */
static void find_holders(struct unroll *u)
{
    u->holds = arena_array(u->arena, u->h->comps.n, sizeof *u->holds);
    for (inst_id i = 0; i < u->h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(u->h, i);
        for (uint32_t k = 0; k < u->n_loops; k++)
            u->holds[x->comp] |= u->loops[k] == i;
        for (uint32_t k = 0; k < x->calls.n; k++)
            u->holds[x->comp] |= u->holds[hlo_call(u->h, i, k)];
    }
}

static bool take_loops(struct unroll *u, const struct whatif_scan *scan)
{
    uint32_t both[2] = {scan->forward, scan->backward};
    for (uint32_t k = 0; k < 2; k++) {
        const struct loop *l = one_loop(u, both[k]);
        if (!l)
            continue;
        if (l->trip_count < 0)
            unroll_fail(u, "how often the loop runs is not known");
        else if (!u->full && l->trip_count % u->k)
            unroll_fail(u, arena_printf(u->arena, "%" PRId64 " does not divide the %" PRId64
                                        " iterations", u->k, l->trip_count));
        u->loops[u->n_loops++] = l->inst;
    }
    if (u->n_loops == 0)
        unroll_fail(u, "there is no such scan");
    return !u->why;
}

static void prepare(struct unroll *u)
{
    struct arena scratch = {0};
    struct share share;
    uint32_t n = u->h->insts.n;
    draft_init(&u->draft, u->h, u->arena);
    share_init(&share, &u->p->dataflow, u->p->module->platform, &scratch);
    u->elementwise = arena_array(u->arena, n, sizeof *u->elementwise);
    u->shape_of = arena_array(u->arena, n, sizeof *u->shape_of);
    for (inst_id i = 0; i < n; i++) {
        u->elementwise[i] = share.elementwise[i];
        u->shape_of[i] = SHAPE_NONE;
    }
    arena_free(&scratch);
    find_holders(u);
    u->budget = MOST_OPERATIONS;
    u->walk = MOST_WALKED;
}

static uint32_t walk_entry(struct unroll *u)
{
    comp_id c = u->h->entry;
    const struct hlo_comp *comp = hlo_comp(u->h, c);
    struct site s = {unroll_add_place(u, comp->name), GROUP_NONE, 0};
    struct items *args = arena_array(u->arena, comp->params.n, sizeof *args);
    for (uint32_t k = 0; k < comp->params.n; k++) {
        inst_id i = hlo_param(u->h, c, k);
        shape_id shape = unroll_shape(u, i);
        struct item *items = arena_array(u->arena, unroll_node(u, shape)->span, sizeof *items);
        uop_id p = unroll_add(u, s, i, OP_PARAMETER, shape, NULL, 0);
        unroll_leaves(u, s, p, shape, items);
        args[k] = (struct items){items, unroll_node(u, shape)->span};
    }
    struct items root = unroll_emit(u, s, c, args);
    if (root.at)
        uplace_at(u, s.place)->root = unroll_real_value(u, s, unroll_shape(u, comp->root), root.at);
    return s.place;
}

/* What is one kernel, and when it runs. */
static void plan(struct unroll *u)
{
    unroll_split_sums(u);
    unroll_fuse(u);
    if (u->model == UNROLL_EARLY || u->p->module->platform == PLATFORM_CPU)
        unroll_hasten(u);
    if (u->model == UNROLL_LATE || u->model == UNROLL_LAST)
        unroll_delay(u, u->model == UNROLL_LAST);
}

bool unroll_hlo(struct hlo *out, const struct program *p, const struct whatif_scan *scan, int64_t k,
                enum unroll_model model, inst_id **origin, const char **why)
{
    struct unroll u = {.p = p, .h = &p->module->hlo, .arena = out->arena, .k = k, .model = model};
    struct diag d;
    const struct loop *l = one_loop(&u, scan->forward);
    if (!l)
        l = one_loop(&u, scan->backward);
    u.full = k == WHATIF_FULL || (l && k >= l->trip_count);
    if (k < 1)
        unroll_fail(&u, "a loop is unrolled once at least");
    if (!u.why && take_loops(&u, scan)) {
        prepare(&u);
        uint32_t entry = walk_entry(&u);
        if (!u.why) {
            plan(&u);
            if (!unroll_write(&u, entry, out, origin, &d))
                unroll_fail(&u, arena_printf(u.arena, "the unrolled program came out unsound: %s", d.what));
        }
    }
    *why = u.why;
    return !u.why;
}
