#include "core/analysis/whatif/dims.h"

enum { WAITS = 1, WAITS_LATE = 2 };
#define MOST_WORK ((uint64_t)200 * 1000 * 1000) /* cells looked at; real programs take some thousands */

void dims_init(struct dims *z, const struct hlo *h, int64_t n, struct arena *a)
{
    *z = (struct dims){.h = h, .n = n, .arena = a, .conflict = HLO_NONE};
    z->node_first = arena_array(a, (size_t)h->n_positions + 1, sizeof *z->node_first);
    z->inst_of = arena_array(a, h->n_positions, sizeof *z->inst_of);
    z->waiting = arena_array(a, h->insts.n, sizeof *z->waiting);
    for (unsigned k = 0; k < DOUBT_KINDS; k++)
        z->doubt[k] = HLO_NONE;
    uint64_t cells = 0;
    for (inst_id i = 0; i < h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        for (uint32_t k = 0; k < shape_node(&h->shapes, x->shape)->span; k++) {
            z->inst_of[x->first_pos + k] = i;
            z->node_first[x->first_pos + k] = (uint32_t)cells;
            cells += shape_node(&h->shapes, x->shape + k)->dims.n;
        }
    }
    z->exhausted = cells >= UINT32_MAX;
    z->node_first[h->n_positions] = (uint32_t)cells;
    z->mark = arena_array(a, z->exhausted ? 0 : cells, sizeof *z->mark);
}

struct dims_array dims_array(const struct dims *z, inst_id i, uint32_t node)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    const struct shapes *s = &z->h->shapes;
    struct dims_array a = {.pos = x->first_pos + node, .shape = x->shape + node};
    if (node >= shape_node(s, x->shape)->span || !shape_is_array(s, a.shape))
        return a;
    a.rank = shape_node(s, a.shape)->dims.n;
    a.size = shape_numbers(s, shape_node(s, a.shape)->dims);
    return a;
}

bool dims_any(const struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    uint32_t last = x->first_pos + shape_node(&z->h->shapes, x->shape)->span;
    for (uint32_t c = z->node_first[x->first_pos]; c < z->node_first[last]; c++)
        if (z->mark[c].outer)
            return true;
    return false;
}

/* ---- Marks ---- */

static void wait(struct dims *z, inst_id i)
{
    bool late = dims_is_cutting(z, i);
    if (z->waiting[i])
        return;
    z->waiting[i] = late ? WAITS_LATE : WAITS;
    *(inst_id *)list_add(z->arena, late ? &z->late : &z->queue, sizeof i) = i;
}

/* All whose rules have a word on instruction i's shape. */
static void wake_around(struct dims *z, inst_id i)
{
    const struct hlo *h = z->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct hlo_comp *comp = hlo_comp(h, x->comp);
    wait(z, i);
    for (uint32_t k = 0; k < x->uses.n; k++)
        wait(z, hlo_use(h, i, k).user);
    if (x->op != OP_PARAMETER && comp->root != i)
        return;
    for (uint32_t k = 0; k < comp->callers.n; k++)
        wait(z, hlo_caller(h, x->comp, k));
}

/* Does size = outer * n * inner + rest make sense?  Only one slot or so can be cut off. */
static bool fits(const struct dims *z, int64_t size, struct dim_mark m)
{
    int64_t whole;
    if (m.outer < 1 || m.inner < 1 || __builtin_mul_overflow(m.outer, z->n, &whole) ||
        __builtin_mul_overflow(whole, m.inner, &whole))
        return false;
    return whole <= size || (m.outer == 1 && m.inner == 1);
}

void dims_set(struct dims *z, uint32_t pos, uint32_t dim, struct dim_mark m)
{
    inst_id i = z->inst_of[pos];
    const struct hlo_inst *x = hlo_inst(z->h, i);
    struct dims_array a = dims_array(z, i, pos - x->first_pos);
    struct dim_mark *at = &z->mark[z->node_first[pos] + dim];
    if (at->outer == m.outer && at->inner == m.inner)
        return;
    if (dim >= a.rank || at->outer || !fits(z, a.size[dim], m)) {
        if (z->conflict == HLO_NONE)
            z->conflict = i;
        return;
    }
    *at = m;
    if (z->guessing)
        dims_doubt(z, DOUBT_GUESSED, i);
    wake_around(z, i);
}

void dims_link(struct dims *z, uint32_t pos, uint32_t dim, uint32_t other, uint32_t other_dim)
{
    struct dim_mark a = dims_at(z, pos, dim), b = dims_at(z, other, other_dim);
    z->work++;
    if (a.outer)
        dims_set(z, other, other_dim, a);
    else if (b.outer)
        dims_set(z, pos, dim, b);
}

void dims_link_trees(struct dims *z, inst_id i, uint32_t node, inst_id j, uint32_t other)
{
    const struct shapes *s = &z->h->shapes;
    uint32_t n = shape_node(s, hlo_inst(z->h, i)->shape + node)->span;
    uint32_t m = shape_node(s, hlo_inst(z->h, j)->shape + other)->span;
    z->work += n;
    for (uint32_t k = 0; k < n && k < m; k++) {
        struct dims_array a = dims_array(z, i, node + k), b = dims_array(z, j, other + k);
        for (uint32_t d = 0; d < a.rank && d < b.rank; d++)
            if (a.size[d] == b.size[d])
                dims_link(z, a.pos, d, b.pos, d);
    }
}

void dims_doubt(struct dims *z, enum dim_doubt kind, inst_id i)
{
    if (z->doubt[kind] == HLO_NONE)
        z->doubt[kind] = i;
}

bool dims_seed(struct dims *z, uint32_t pos, uint32_t dim)
{
    struct dims_array a = dims_array(z, z->inst_of[pos], pos - hlo_inst(z->h, z->inst_of[pos])->first_pos);
    if (z->exhausted || dim >= a.rank || a.size[dim] != z->n)
        return false;
    dims_set(z, pos, dim, (struct dim_mark){1, 1});
    return z->conflict == HLO_NONE;
}

/* What cuts or joins dimensions is heard last: when all that it takes is known. */
bool dims_follow(struct dims *z)
{
    while (!z->exhausted && z->conflict == HLO_NONE) {
        inst_id i;
        if (z->next < z->queue.n)
            i = ((const inst_id *)z->queue.items)[z->next++];
        else if (z->next_late < z->late.n)
            i = ((const inst_id *)z->late.items)[z->next_late++];
        else
            break;
        z->waiting[i] = 0;
        dims_visit(z, i);
        z->exhausted = z->work > MOST_WORK;
    }
    return !z->exhausted && z->conflict == HLO_NONE;
}
