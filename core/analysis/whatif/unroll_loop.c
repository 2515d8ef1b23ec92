/* Loops: a new body of k copies, or no loop at all. */
#include "core/analysis/whatif/unroll_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct loop *loop_of(const struct unroll *u, inst_id w)
{
    for (uint32_t k = 0; k < u->p->loops.n; k++)
        if (u->p->loops.items[k].inst == w)
            return u->p->loops.items + k;
    return NULL;
}

static bool is_ours(const struct unroll *u, inst_id w)
{
    for (uint32_t k = 0; k < u->n_loops; k++)
        if (u->loops[k] == w)
            return true;
    return false;
}

static uint32_t new_clone(struct unroll *u, inst_id w)
{
    if (u->clones == 0)
        *(inst_id *)list_add(u->arena, &u->loop_of, sizeof w) = HLO_NONE;
    *(inst_id *)list_add(u->arena, &u->loop_of, sizeof w) = w;
    if (u->walk)
        u->walk--;
    return ++u->clones;
}

static struct items run_whole(struct unroll *u, struct site s, inst_id w, struct items init)
{
    const struct loop *l = loop_of(u, w);
    struct items carry = init;
    if (!l || l->trip_count < 0) {
        unroll_fail(u, "how often the loop runs is not known");
        return (struct items){NULL, 0};
    }
    for (int64_t i = 0; i < l->trip_count && carry.at; i++) {
        s.clone = new_clone(u, w);
        carry = unroll_emit(u, s, hlo_call(u->h, w, 0), &carry);
    }
    return carry;
}

/* backend_config with the trip count divided by k. */
static const char *fewer_trips(struct unroll *u, const char *config, int64_t k)
{
    static const char key[] = "\"known_trip_count\":{\"n\":\"";
    const char *at = config ? strstr(config, key) : NULL;
    if (!at || k == 1)
        return config;
    char *end;
    long long n = strtoll(at + sizeof key - 1, &end, 10);
    return arena_printf(u->arena, "%.*s%s%" PRId64 "%s", (int)(at - config), config, key,
                        (int64_t)n / k, end);
}

/* Integers that the loop starts with are known in its first iteration: enough to tell which slots
 * the copies of one iteration touch. */
static void hint(struct unroll *u, struct items params, struct items init)
{
    for (uint32_t k = 0; k < params.n && k < init.n; k++) {
        if (params.at[k].kind != ITEM_OP || init.at[k].kind != ITEM_OP ||
            !uop_at(u, init.at[k].id)->has_scalar)
            continue;
        uop_at(u, params.at[k].id)->has_scalar = true;
        uop_at(u, params.at[k].id)->scalar = uop_at(u, init.at[k].id)->scalar;
    }
}

static void find_invariants(struct unroll *u, struct items params, struct items carry)
{
    for (uint32_t k = 0; k < params.n && k < carry.n; k++)
        if (params.at[k].kind == ITEM_OP && carry.at[k].kind == ITEM_OP &&
            params.at[k].id == carry.at[k].id)
            uop_at(u, params.at[k].id)->invariant = true;
}

/* The body, k times over, in a computation of its own; false: failed. */
static bool run_body(struct unroll *u, struct site in, inst_id w, struct items init, int64_t k)
{
    shape_id shape = unroll_shape(u, w);
    comp_id body = hlo_call(u->h, w, 0);
    struct item *leaves = arena_array(u->arena, unroll_node(u, shape)->span, sizeof *leaves);
    struct items params = {leaves, unroll_node(u, shape)->span};
    uop_id p = unroll_add(u, in, hlo_param(u->h, body, 0), OP_PARAMETER, shape, NULL, 0);
    unroll_leaves(u, in, p, shape, leaves);
    hint(u, params, init);
    struct items carry = params;
    for (int64_t i = 0; i < k && carry.at; i++) {
        if (is_ours(u, w))
            in.clone = new_clone(u, w);
        carry = unroll_emit(u, in, body, &carry);
    }
    if (!carry.at || carry.n != params.n) {
        unroll_fail(u, "the loop's body does not give what it takes");
        return false;
    }
    find_invariants(u, params, carry);
    uplace_at(u, in.place)->root = unroll_real_value(u, in, shape, carry.at);
    if (u->why || k == 1)
        return !u->why;
    unroll_join_writes(u, in.place, k);
    unroll_join_slices(u, in.place, k);
    return true;
}

static struct items run_rolled(struct unroll *u, struct site s, inst_id w, struct items init, int64_t k)
{
    const struct hlo_inst *x = hlo_inst(u->h, w);
    shape_id shape = unroll_shape(u, w);
    uint32_t n = unroll_node(u, shape)->span;
    struct items failed = {NULL, 0};
    struct site in = {unroll_add_place(u, hlo_comp(u->h, hlo_call(u->h, w, 0))->name), GROUP_NONE, s.clone};
    if (init.n != n)
        unroll_fail(u, "the loop is not given what it takes");
    if (u->why)
        return failed;
    uop_id operand = unroll_real_value(u, s, shape, init.at);
    if (operand == UOP_NONE || !run_body(u, in, w, init, k))
        return failed;
    uop_id made = unroll_add(u, s, w, OP_WHILE, shape, &operand, 1);
    block_id calls[2] = {uplace_at(u, in.place)->block, draft_import(&u->draft, hlo_call(u->h, w, 1))};
    uop_at(u, made)->calls = (struct span){u->calls.n, 2};
    uop_at(u, made)->config = fewer_trips(u, x->backend_config, k);
    for (uint32_t c = 0; c < 2; c++)
        *(block_id *)list_add(u->arena, &u->calls, sizeof(block_id)) = calls[c];
    struct item *out = arena_array(u->arena, n, sizeof *out);
    unroll_leaves(u, s, made, shape, out);
    return (struct items){out, n};
}

struct items unroll_while(struct unroll *u, struct site s, inst_id w, struct items init)
{
    if (!is_ours(u, w))
        return run_rolled(u, s, w, init, 1);
    return u->full ? run_whole(u, s, w, init) : run_rolled(u, s, w, init, u->k);
}
