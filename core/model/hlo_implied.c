/* A schedule that names what HLO text leaves out: since jaxlib 0.11 get-tuple-elements are written as
 * operands ("%x#1") only, but the sequence of live ranges counts them. */
#include "core/model/hlo.h"

#include <string.h>

struct counts {              /* of one computation */
    uint32_t known, implied; /* instructions with and without a line */
    uint32_t named, strange; /* names in the sequence: of the known ones, and others */
    uint32_t first;          /* -> placing.by_comp */
};

struct placing {
    struct hlo *h;
    const struct hlo_sequence *s;
    struct arena arena;
    struct counts *counts; /* [comps] */
    /* [s->n] */
    inst_id *slot;     /* the instruction at this step; HLO_NONE: one without a line */
    comp_id *comp;     /* the computation it belongs to */
    uint32_t *by_comp; /* the steps, computation by computation */
    uint32_t *later;   /* without a line: the next such step of its computation and value */
    bool *sure;        /* there was no other choice */
    /* [insts] */
    uint32_t *step;     /* of those with a line, HLO_NONE: none */
    uint32_t *deadline; /* of those without: the step of the first user */
    /* The implied instructions that are ready (their operand has been passed): a leftist heap for
     * each value, the earliest deadline on top. */
    inst_id *top;          /* [s->n_values + 1] */
    bool *torn;            /* [s->n_values + 1] since it was empty, its top could have waited */
    inst_id *left, *right; /* [insts] */
    uint32_t *rank;        /* [insts] */
};

static bool misfit(const struct placing *p, uint32_t k, struct diag *d, const char *what)
{
    return diag_file(d, p->h->file, "step %u of the schedule, %.100s, %s", k, p->s->names[k], what);
}

static inst_id *nones(struct arena *a, uint32_t n)
{
    inst_id *all = arena_array(a, n, sizeof *all);
    for (uint32_t k = 0; k < n; k++)
        all[k] = HLO_NONE;
    return all;
}

static void count_insts(struct placing *p, struct strmap *by_name)
{
    struct hlo *h = p->h;
    for (inst_id i = 0; i < h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        p->counts[x->comp].implied += x->implied;
        p->counts[x->comp].known += !x->implied;
        if (!x->implied)
            strmap_put(&p->arena, by_name, x->name, strlen(x->name), i);
    }
}

/* Which computation each step belongs to.  XLA writes a computation without gaps but for those it
 * calls, and a get-tuple-element stands behind its operand and before a user, so a strange name
 * belongs to the innermost one that has begun and has not ended. */
static bool split_sequence(struct placing *p, struct diag *d)
{
    struct hlo *h = p->h;
    struct strmap by_name = {0};
    comp_id *open = arena_array(&p->arena, h->comps.n, sizeof *open);
    uint32_t depth = 0;
    count_insts(p, &by_name);
    for (uint32_t k = 0; k < p->s->n; k++) {
        const char *name = p->s->names[k];
        inst_id i = strmap_find(&by_name, name, strlen(name));
        bool strange = i == STRMAP_NONE;
        if (strange)
            strmap_put(&p->arena, &by_name, name, strlen(name), h->insts.n);
        else if (i == h->insts.n || p->step[i] != HLO_NONE)
            return misfit(p, k, d, "is there twice");
        if (strange && !depth)
            return misfit(p, k, d, "is not in the program");
        comp_id c = strange ? open[depth - 1] : hlo_inst(h, i)->comp;
        struct counts *of = &p->counts[c];
        p->comp[k] = c;
        p->slot[k] = i;
        of->strange += strange;
        of->named += !strange;
        if (strange)
            continue;
        p->step[i] = k;
        if (of->named == 1)
            open[depth++] = c;
        else if (open[depth - 1] != c)
            return misfit(p, k, d, "stands among those of another computation");
        if (of->named == of->known)
            depth--;
    }
    return true;
}

static bool check_split(const struct placing *p, struct diag *d)
{
    for (comp_id c = 0; c < p->h->comps.n; c++) {
        const struct counts *of = &p->counts[c];
        const char *name = hlo_comp(p->h, c)->name;
        if (of->named && of->named < of->known)
            return diag_file(d, p->h->file, "the schedule has %u of the %u instructions of %.100s",
                             of->named, of->known, name);
        if (of->named && of->strange != of->implied)
            return diag_file(d, p->h->file,
                             "the schedule has %u get-tuple-elements of %.100s that have no line, "
                             "expected %u",
                             of->strange, name, of->implied);
    }
    return true;
}

static void sort_by_comp(struct placing *p)
{
    uint32_t first = 0;
    for (comp_id c = 0; c < p->h->comps.n; c++) {
        struct counts *of = &p->counts[c];
        of->first = first;
        first += of->named + of->strange;
    }
    uint32_t *next = arena_array(&p->arena, p->h->comps.n, sizeof *next);
    for (uint32_t k = 0; k < p->s->n; k++)
        p->by_comp[p->counts[p->comp[k]].first + next[p->comp[k]]++] = k;
}

/* Users stand behind in file order, so going backwards finds theirs done. */
static void find_deadlines(struct placing *p)
{
    for (inst_id i = p->h->insts.n; i-- > 0;) {
        const struct hlo_inst *x = hlo_inst(p->h, i);
        for (uint32_t k = 0; x->implied && k < x->uses.n; k++) {
            inst_id user = hlo_use(p->h, i, k).user;
            uint32_t step = hlo_inst(p->h, user)->implied ? p->deadline[user] : p->step[user];
            if (step < p->deadline[i])
                p->deadline[i] = step;
        }
    }
}

static void find_later(struct placing *p)
{
    uint32_t *next = nones(&p->arena, p->s->n_values + 1);
    for (uint32_t j = p->s->n; j-- > 0;) {
        uint32_t k = p->by_comp[j], *of = &next[p->s->name_value[k]];
        if (p->slot[k] != HLO_NONE)
            continue;
        p->later[k] = *of != HLO_NONE && p->comp[*of] == p->comp[k] ? *of : HLO_NONE;
        *of = k;
    }
}

static inst_id merge(struct placing *p, inst_id a, inst_id b) /* recursion: log2(n) */
{
    if (a == HLO_NONE || b == HLO_NONE)
        return a == HLO_NONE ? b : a;
    if (p->deadline[b] < p->deadline[a] || (p->deadline[b] == p->deadline[a] && b < a)) {
        inst_id swap = a;
        a = b;
        b = swap;
    }
    p->right[a] = merge(p, p->right[a], b);
    inst_id x = p->left[a], y = p->right[a];
    if (x == HLO_NONE || p->rank[x] < p->rank[y]) {
        p->left[a] = y;
        p->right[a] = x;
    }
    p->rank[a] = p->right[a] == HLO_NONE ? 1 : p->rank[p->right[a]] + 1;
    return a;
}

/* What takes an element of i may come now. */
static void make_ready(struct placing *p, inst_id i)
{
    for (uint32_t k = 0; k < hlo_inst(p->h, i)->uses.n; k++) {
        inst_id user = hlo_use(p->h, i, k).user;
        inst_id *top = &p->top[p->s->inst_value[user]];
        if (!hlo_inst(p->h, user)->implied)
            continue;
        p->rank[user] = 1;
        *top = merge(p, *top, user);
    }
}

static bool fill_slots(struct placing *p, struct diag *d)
{
    for (uint32_t j = 0; j < p->s->n; j++) {
        uint32_t k = p->by_comp[j], value = p->s->name_value[k];
        if (p->slot[k] == HLO_NONE) {
            inst_id i = p->top[value];
            if (i == HLO_NONE || p->deadline[i] <= k)
                return misfit(p, k, d, "can be none of the get-tuple-elements that have no line");
            p->torn[value] |= p->left[i] != HLO_NONE && p->later[k] < p->deadline[i];
            p->sure[k] = !p->torn[value];
            p->top[value] = merge(p, p->left[i], p->right[i]);
            p->torn[value] &= p->top[value] != HLO_NONE;
            p->slot[k] = i;
        }
        make_ready(p, p->slot[k]);
    }
    return true;
}

static void take_order(struct placing *p)
{
    struct hlo *h = p->h;
    for (comp_id c = 0; c < h->comps.n; c++) {
        struct hlo_comp *comp = hlo_comp(h, c);
        if (!p->counts[c].named)
            continue;
        if (comp->order.n != comp->insts.n) {
            comp->order = (struct span){h->order.n, comp->insts.n};
            for (uint32_t k = 0; k < comp->insts.n; k++)
                list_add(h->arena, &h->order, sizeof(inst_id));
        }
        for (uint32_t k = 0; k < comp->insts.n; k++)
            ((inst_id *)h->order.items)[comp->order.first + k] =
                p->slot[p->by_comp[p->counts[c].first + k]];
    }
    for (uint32_t k = 0; k < p->s->n; k++)
        if (p->sure[k])
            hlo_inst(h, p->slot[k])->name =
                arena_text(h->arena, p->s->names[k], strlen(p->s->names[k]));
    h->scheduled = true;
}

bool hlo_place_implied(struct hlo *h, const struct hlo_sequence *s, struct diag *d)
{
    uint32_t n = s->n, insts = h->insts.n;
    struct placing p = {.h = h, .s = s};
    struct arena *a = &p.arena;
    p.counts = arena_array(a, h->comps.n, sizeof *p.counts);
    p.slot = arena_array(a, n, sizeof *p.slot);
    p.comp = arena_array(a, n, sizeof *p.comp);
    p.by_comp = arena_array(a, n, sizeof *p.by_comp);
    p.later = arena_array(a, n, sizeof *p.later);
    p.sure = arena_array(a, n, sizeof *p.sure);
    p.step = nones(a, insts);
    p.deadline = nones(a, insts);
    p.top = nones(a, s->n_values + 1);
    p.torn = arena_array(a, (size_t)s->n_values + 1, sizeof *p.torn);
    p.left = nones(a, insts);
    p.right = nones(a, insts);
    p.rank = arena_array(a, insts, sizeof *p.rank);
    bool ok = split_sequence(&p, d) && check_split(&p, d);
    if (ok) {
        sort_by_comp(&p);
        find_deadlines(&p);
        find_later(&p);
        ok = fill_slots(&p, d);
    }
    if (ok)
        take_order(&p);
    arena_free(a);
    return ok;
}
