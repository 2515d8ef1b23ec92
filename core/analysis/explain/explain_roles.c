#include "core/analysis/explain/explain_roles.h"

#include <stdlib.h>
#include <string.h>

const char *family_name(uint32_t role)
{
    return role == DONATED_RESIDUAL ? "parameter as residual"
                                    : role_name((enum role)role);
}

const char *family_words(uint32_t role)
{
    return role == DONATED_RESIDUAL ? "a donated argument that the backward pass still reads, so that no "
                                      "output has its memory yet"
                                    : role_words((enum role)role);
}

bool family_residual(uint32_t role)
{
    return role == ROLE_STACK || role == ROLE_RESIDUAL || role == DONATED_RESIDUAL;
}

static int by_bytes(const void *a, const void *b)
{
    const struct family *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->role > y->role) - (x->role < y->role);
}

static uint32_t role_of(const struct program *p, buf_id b)
{
    if (p->role[b] == ROLE_DONATED && explain_donated_residual(p, b))
        return DONATED_RESIDUAL;
    return p->role[b] < ROLE_COUNT ? p->role[b] : ROLE_SCRATCH;
}

void explain_by_role(const struct program *p, uint32_t step, struct arena *a, struct by_role *out)
{
    struct arena scratch = {0};
    *out = (struct by_role){0};
    out->ids = arena_array(a, (size_t)p->n + 1, sizeof *out->ids);
    out->own = arena_array(a, (size_t)p->n + 1, sizeof *out->own);
    buf_id *ids = arena_array(&scratch, (size_t)p->n + 1, sizeof *ids);
    uint64_t *own = arena_array(&scratch, (size_t)p->n + 1, sizeof *own);
    uint32_t *role = arena_array(&scratch, (size_t)p->n + 1, sizeof *role);
    struct family all[FAMILY_MOST] = {{0}};
    uint32_t n = program_alive(p, step, ids, own), next = 0;
    for (uint32_t k = 0; k < n; k++) {
        role[k] = FAMILY_MOST;
        if (!p->main[ids[k]] || !own[k])
            continue;
        role[k] = role_of(p, ids[k]);
        all[role[k]].ids.n++;
        all[role[k]].bytes += own[k];
        out->total += own[k];
    }
    for (uint32_t f = 0; f < FAMILY_MOST; f++) {
        all[f].role = f;
        all[f].ids.first = next;
        next += all[f].ids.n;
        all[f].ids.n = 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (role[k] == FAMILY_MOST)
            continue;
        struct span *s = &all[role[k]].ids;
        out->ids[s->first + s->n] = ids[k];
        out->own[s->first + s->n++] = own[k];
    }
    for (uint32_t f = 0; f < FAMILY_MOST; f++)
        if (all[f].ids.n)
            out->families[out->n++] = all[f];
    qsort(out->families, out->n, sizeof *out->families, by_bytes);
    arena_free(&scratch);
}

const char *explain_slots(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    const struct loop_stack *s = explain_stack(p, b);
    if (!s || s->slots < 2)
        return "";
    const struct loop *l = &p->loops.items[s->loop];
    const char *each =
        s->regular && s->width == 1 && s->stride && l->trip_count == s->slots
            ? arena_printf(pen->a, ", one for each iteration of %s", pen_cut(pen, l->name))
            : "";
    return arena_printf(pen->a, "%lld slots x %s%s", (long long)s->slots,
                        pen_bytes(pen, s->slot_bytes), each);
}

/* How many of the family's largest buffers are equally large and make up all but a hundredth; 0. */
static uint32_t equals(const struct by_role *r, const struct family *f)
{
    const uint64_t *own = r->own + f->ids.first;
    uint64_t rest = f->bytes;
    uint32_t n = 0;
    while (n < f->ids.n && own[n] == own[0])
        rest -= own[n++];
    return explain_small(rest, f->bytes) || rest == 0 ? n : 0;
}

const char *family_formula(struct pen *pen, const struct by_role *r, const struct family *f,
                           uint64_t *said)
{
    uint32_t n = equals(r, f);
    *said = n ? n * r->own[f->ids.first] : f->bytes;
    if (n == 0)
        return pen_bytes(pen, f->bytes);
    buf_id b = r->ids[f->ids.first];
    const struct loop_stack *s = n == 1 ? explain_stack(pen->p, b) : NULL;
    bool whole = s && s->slots > 1 && s->bytes == r->own[f->ids.first] &&
                 s->bytes % (uint64_t)s->slots == 0 &&
                 s->bytes / (uint64_t)s->slots == s->slot_bytes &&
                 (f->role == ROLE_STACK || f->role == ROLE_STACKED);
    if (whole)
        return arena_printf(pen->a, "%lld slots x %s", (long long)s->slots,
                            pen_bytes(pen, s->slot_bytes));
    return n == 1 ? pen_bytes(pen, r->own[f->ids.first])
                  : arena_printf(pen->a, "%u x %s", n, pen_bytes(pen, r->own[f->ids.first]));
}
