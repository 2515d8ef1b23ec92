/* A loop's trip count, wherever the program says it.
 *
 * jax.lax.scan counts from 0 and compares with the number of iterations; its index into a stack is
 * that number, or in reverse the last one less it, wrapped and clamped.  Constants are found by
 * following the numbers back from where they are used, so that others of the same value stay. */
#include "core/analysis/whatif/resize.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

/* What a constant does where it is used. */
enum part { PART_OTHER, PART_BOUND, PART_MINUEND, PART_ADDEND, PART_REVERSED, PART_MOST };

#define PASSED_ON 0x80 /* a fusion or call that was looked through */

struct step {
    inst_id i;
    enum part part;
    bool condition; /* on the way from the condition's root */
};

#define MOST_LOOKED_AT ((uint64_t)50 * 1000 * 1000)

/* ---- The config ---- */

static const char *config_with(struct arena *a, const char *config, int64_t trips)
{
    cJSON *json = config ? cJSON_Parse(config) : NULL;
    cJSON *count = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "known_trip_count"), "n");
    const char *made = config;
    if (cJSON_IsString(count)) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)trips);
        cJSON_SetValuestring(count, text);
        if (strcmp(cJSON_GetStringValue(count), text) == 0) {
            char *printed = cJSON_PrintUnformatted(json);
            if (printed)
                made = arena_text(a, printed, strlen(printed));
            cJSON_free(printed);
        }
    }
    cJSON_Delete(json);
    return made;
}

/* ---- Constants ---- */

static void see(struct trip_finder *f, inst_id i, uint8_t bits)
{
    if (f->seen_loop[i] != f->loop)
        f->seen[i] = 0;
    f->seen_loop[i] = f->loop;
    f->seen[i] |= bits;
}

static bool is_seen(const struct trip_finder *f, inst_id i, uint8_t bits)
{
    return f->seen_loop[i] == f->loop && (f->seen[i] & bits);
}

static void push(struct trip_finder *f, inst_id i, enum part part, bool condition)
{
    uint8_t bit = (uint8_t)(1u << part);
    if (is_seen(f, i, bit))
        return;
    see(f, i, bit);
    *(struct step *)list_add(f->r->out->arena, &f->todo, sizeof(struct step)) =
        (struct step){i, part, condition};
}

static bool is_negated(const struct hlo *h, inst_id i)
{
    return hlo_inst(h, i)->op == OP_NEGATE;
}

/* What operand k of i does there. */
static enum part part_of(const struct trip_finder *f, inst_id i, uint32_t k, const struct step *s)
{
    const struct hlo_inst *x = hlo_inst(f->h, i);
    switch (x->op) {
    case OP_COMPARE:
        return s->condition ? PART_BOUND : PART_OTHER;
    case OP_SUBTRACT:
        return k == 0 ? PART_MINUEND : PART_OTHER;
    case OP_ADD:
        return x->operands.n == 2 && is_negated(f->h, hlo_operand(f->h, i, 1 - k)) ? PART_REVERSED
                                                                                  : PART_ADDEND;
    case OP_MINIMUM:
        return PART_MOST;
    case OP_CLAMP:
        return k == 2 ? PART_MOST : PART_OTHER;
    default: /* what passes a number on */
        return s->part;
    }
}

/* Into what feeds an instruction; fused computations through their root and parameters. */
static void follow(struct trip_finder *f, const struct step *s)
{
    const struct hlo_inst *x = hlo_inst(f->h, s->i);
    const struct hlo_comp *comp = hlo_comp(f->h, x->comp);
    if (x->op == OP_PARAMETER) {
        for (uint32_t k = 0; k < comp->callers.n; k++) {
            inst_id caller = hlo_caller(f->h, x->comp, k);
            enum hlo_op op = hlo_inst(f->h, caller)->op;
            if ((op == OP_FUSION || op == OP_CALL || op == OP_ASYNC_START) &&
                x->number < hlo_inst(f->h, caller)->operands.n) {
                see(f, caller, PASSED_ON);
                push(f, hlo_operand(f->h, caller, (uint32_t)x->number), s->part, s->condition);
            }
        }
        return;
    }
    if (x->op == OP_FUSION || x->op == OP_CALL) {
        push(f, hlo_comp(f->h, hlo_call(f->h, s->i, 0))->root, s->part, s->condition);
        return;
    }
    if (x->op == OP_GET_TUPLE_ELEMENT || x->op == OP_TUPLE || x->op == OP_WHILE ||
        x->op == OP_DYNAMIC_SLICE || shape_elements(&f->h->shapes, x->shape) != 1)
        return;
    for (uint32_t k = 0; k < x->operands.n; k++)
        push(f, hlo_operand(f->h, s->i, k), part_of(f, s->i, k, s), s->condition);
}

/* What a constant becomes that does such a part; the same when it has nothing to do with the length. */
static int64_t new_value(const struct trip_finder *f, int64_t old, enum part part)
{
    const struct resize *r = f->r;
    bool last = part == PART_MINUEND || part == PART_REVERSED || part == PART_MOST;
    bool count = part == PART_MINUEND || part == PART_ADDEND;
    if (part == PART_BOUND && old == f->trips)
        return f->new_trips;
    if (last && old == r->n - 1)
        return r->to - 1;
    if (last && old == f->trips - 1)
        return f->new_trips - 1;
    if (count && old == r->n)
        return r->to;
    return count && old == f->trips ? f->new_trips : old;
}

/* Does it do other things too, for which it would not change?  Then XLA would need another constant. */
static bool is_shared(const struct trip_finder *f, const struct step *s, int64_t value)
{
    const struct hlo_inst *x = hlo_inst(f->h, s->i);
    for (uint32_t k = 0; k < x->uses.n; k++) {
        struct hlo_use use = hlo_use(f->h, s->i, k);
        struct step user = {use.user, s->part, s->condition};
        if (!is_seen(f, use.user, 0xFF) ||
            new_value(f, x->scalar, part_of(f, use.user, use.operand, &user)) != value)
            return true;
    }
    return false;
}

/* Is another constant of its computation that number already?  XLA would make them one. */
static bool is_there(struct trip_finder *f, inst_id i, int64_t value)
{
    const struct hlo_inst *x = hlo_inst(f->h, i);
    struct span insts = hlo_comp(f->h, x->comp)->insts;
    if (f->budget < insts.n)
        return true; /* for all we know */
    f->budget -= insts.n;
    for (inst_id k = insts.first; k < insts.first + insts.n; k++) {
        const struct hlo_inst *y = hlo_inst(f->r->out, k);
        if (k != i && y->op == OP_CONSTANT && y->has_scalar && y->scalar == value &&
            shape_node(&f->h->shapes, x->shape)->type == shape_node(&f->h->shapes, y->shape)->type)
            return true;
    }
    return false;
}

static void change(struct trip_finder *f, const struct step *s)
{
    struct hlo_inst *x = hlo_inst(f->r->out, s->i);
    int64_t old = hlo_inst(f->h, s->i)->scalar, value = new_value(f, old, s->part);
    if (!x->has_scalar || value == old)
        return;
    bool placed = hlo_comp(f->h, x->comp)->order.n > 0; /* not inside a fusion: it has bytes of its own */
    if (is_shared(f, s, value)) {
        f->r->constants_differ |= placed;
        return;
    }
    f->r->constants_differ |= placed && is_there(f, s->i, value);
    x->scalar = value;
}

/* The numbers that say which slot an instruction touches. */
static void push_indices(struct trip_finder *f, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(f->h, i);
    uint32_t first = x->op == OP_DYNAMIC_SLICE ? 1 : 2;
    if (x->op != OP_DYNAMIC_SLICE && x->op != OP_DYNAMIC_UPDATE_SLICE)
        return;
    struct dims_array a = dims_array(&f->r->dims, hlo_operand(f->h, i, 0), 0);
    for (uint32_t d = 0; d < a.rank && first + d < x->operands.n; d++)
        if (dims_at(&f->r->dims, a.pos, d).outer)
            push(f, hlo_operand(f->h, i, first + d), PART_OTHER, false);
}

/* Computations that a computation calls, itself first; loops inside have their own numbers. */
static struct list reach(struct trip_finder *f, comp_id from)
{
    struct arena *a = f->r->out->arena;
    struct list comps = {0};
    *(comp_id *)list_add(a, &comps, sizeof from) = from;
    f->comp_loop[from] = f->loop;
    for (uint32_t k = 0; k < comps.n; k++) {
        struct span insts = hlo_comp(f->h, ((const comp_id *)comps.items)[k])->insts;
        if (f->budget < insts.n) {
            comps.n = 0;
            break;
        }
        f->budget -= insts.n;
        for (inst_id i = insts.first; i < insts.first + insts.n; i++) {
            const struct hlo_inst *x = hlo_inst(f->h, i);
            for (uint32_t j = 0; j < x->calls.n && x->op != OP_WHILE; j++) {
                comp_id c = hlo_call(f->h, i, j);
                if (f->comp_loop[c] != f->loop)
                    *(comp_id *)list_add(a, &comps, sizeof c) = c;
                f->comp_loop[c] = f->loop;
            }
        }
    }
    return comps;
}

void resize_trips_init(struct trip_finder *f, struct resize *r)
{
    struct arena *a = r->out->arena;
    *f = (struct trip_finder){.r = r, .h = r->dims.h, .budget = MOST_LOOKED_AT};
    f->seen = arena_array(a, f->h->insts.n, sizeof *f->seen);
    f->seen_loop = arena_array(a, f->h->insts.n, sizeof *f->seen_loop);
    f->comp_loop = arena_array(a, f->h->comps.n, sizeof *f->comp_loop);
}

void resize_trips(struct trip_finder *f, uint32_t loop, int64_t trips)
{
    const struct resize *r = f->r;
    const struct loop *l = &r->program->loops.items[loop];
    struct hlo_inst *w = hlo_inst(r->out, l->inst);
    f->trips = l->trip_count;
    f->new_trips = trips;
    f->loop++;
    f->todo.n = 0;
    w->backend_config = config_with(r->out->arena, w->backend_config, trips);
    push(f, hlo_comp(f->h, hlo_call(f->h, l->inst, 1))->root, PART_OTHER, true);
    struct list comps = reach(f, hlo_call(f->h, l->inst, 0));
    for (uint32_t k = 0; k < comps.n; k++) {
        struct span insts = hlo_comp(f->h, ((const comp_id *)comps.items)[k])->insts;
        for (inst_id i = insts.first; i < insts.first + insts.n; i++)
            push_indices(f, i);
    }
    for (uint32_t k = 0; k < f->todo.n; k++) {
        struct step s = ((const struct step *)f->todo.items)[k];
        if (hlo_inst(f->h, s.i)->op == OP_CONSTANT)
            change(f, &s);
        else
            follow(f, &s);
    }
}
