#include "tui/lesson/lesson_find.h"

uint64_t find_total(const struct program *p)
{
    return p->totals.output + p->totals.temp;
}

static bool is_parameter(const struct program *p, buf_id b)
{
    return p->main[b] && (p->role[b] == ROLE_DONATED || p->role[b] == ROLE_PARAMETER);
}

buf_id find_model(const struct program *p)
{
    buf_id best = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++)
        if (is_parameter(p, b) && (best == BUF_NONE || p->size[b] > p->size[best]))
            best = b;
    return best;
}

buf_id find_output(const struct program *p)
{
    buf_id best = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++)
        if (p->main[b] && p->role[b] == ROLE_OUTPUT && (best == BUF_NONE || p->size[b] > p->size[best]))
            best = b;
    return best;
}

/* ---- At a step ---- */

struct alive_here {
    struct arena arena;
    buf_id *ids;
    uint64_t *own;
    uint32_t n;
};

static struct alive_here alive_there(const struct program *p, uint32_t step)
{
    struct alive_here h = {.arena = {0}};
    h.ids = arena_array(&h.arena, p->n, sizeof *h.ids);
    h.own = arena_array(&h.arena, p->n, sizeof *h.own);
    h.n = program_alive(p, step, h.ids, h.own);
    return h;
}

uint64_t find_role_bytes(const struct program *p, uint32_t step, enum role role)
{
    struct alive_here h = alive_there(p, step);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < h.n; k++)
        if (p->main[h.ids[k]] && p->role[h.ids[k]] == role)
            sum += h.own[k];
    arena_free(&h.arena);
    return sum;
}

uint64_t find_kept_bytes(const struct program *p, uint32_t step)
{
    struct alive_here h = alive_there(p, step);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < h.n; k++)
        if (p->main[h.ids[k]] && roles_is_residual(p, h.ids[k]))
            sum += h.own[k];
    arena_free(&h.arena);
    return sum;
}

buf_id find_of_role(const struct program *p, uint32_t step, enum role role, uint32_t k)
{
    struct alive_here h = alive_there(p, step); /* ordered by own bytes */
    buf_id found = BUF_NONE;
    for (uint32_t i = 0; i < h.n && found == BUF_NONE; i++)
        if (p->main[h.ids[i]] && p->role[h.ids[i]] == role && k-- == 0)
            found = h.ids[i];
    arena_free(&h.arena);
    return found;
}

uint32_t find_large(const struct program *p, uint32_t step, uint64_t least, buf_id *ids, uint32_t most)
{
    struct alive_here h = alive_there(p, step);
    uint32_t n = 0;
    for (uint32_t k = 0; k < h.n && n < most; k++) {
        if (!p->main[h.ids[k]] || h.own[k] < least)
            continue;
        uint32_t at = n++;
        for (; at > 0 && p->start[ids[at - 1]] > p->start[h.ids[k]]; at--)
            ids[at] = ids[at - 1];
        ids[at] = h.ids[k];
    }
    arena_free(&h.arena);
    return n;
}

/* ---- Loops and instructions ---- */

const struct loop_stack *find_stack(const struct program *p, enum loop_pass pass, uint32_t depth)
{
    const struct loop_stack *best = NULL;
    for (uint32_t k = 0; k < p->loops.n_stacks; k++) {
        const struct loop_stack *s = &p->loops.stacks[k];
        const struct loop *l = &p->loops.items[s->loop];
        bool fits = l->depth == depth && l->pass == pass && (s->access == ACCESS_FILL) == (pass == PASS_FORWARD);
        if (fits && (!best || s->bytes > best->bytes))
            best = s;
    }
    return best;
}

uint32_t find_reserved_from(const struct program *p, buf_id b)
{
    uint32_t from = b == BUF_NONE ? 0 : p->start[b];
    for (buf_id c = 0; b != BUF_NONE && c < p->n; c++)
        if (p->slot[c] == p->slot[b] && p->role[c] == p->role[b] && p->start[c] < from)
            from = p->start[c];
    return from;
}

uint64_t find_source_bytes(const struct program *p, buf_id b)
{
    const struct hlo *h = &p->module->hlo;
    uint64_t most = 0;
    if (b == BUF_NONE || p->inst[b] == HLO_NONE)
        return 0;
    const struct hlo_inst *x = hlo_inst(h, p->inst[b]);
    for (uint32_t k = 0; k < x->operands.n; k++) {
        uint64_t bytes = shape_bytes(&h->shapes, hlo_inst(h, hlo_operand(h, p->inst[b], k))->shape);
        most = bytes > most ? bytes : most;
    }
    return most;
}
