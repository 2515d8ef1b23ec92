/* Why something has a place of its own: copies, and for whom; donations that came to nothing. */
#include "core/analysis/explain/explain_build.h"

#include <string.h>

#define COPIES    5 /* shown of a program */
#define DONATIONS 5 /* likewise */

/* ---- Copies ---- */

/* A copy: the instruction (it may stand inside a fusion), and what is copied, as its user sees it.
 */
struct copying {
    inst_id copy, source;
};

/* Is buffer b the target of a copy? */
static bool is_copy(const struct program *p, buf_id b, struct copying *out)
{
    const struct hlo *h = &p->module->hlo;
    inst_id i = p->inst[b];
    const struct hlo_inst *x = hlo_inst(h, i);
    uint32_t node = dataflow_node(&p->dataflow, p->value[b]);
    *out = (struct copying){i, HLO_NONE};
    if (x->op == OP_COPY || x->op == OP_COPY_START) {
        out->source = x->operands.n ? hlo_operand(h, i, 0) : HLO_NONE;
        return x->operands.n && node == (x->op == OP_COPY ? 0 : 1); /* (target, source, context) */
    }
    if (x->op != OP_FUSION || node != 0)
        return false;
    inst_id at = hlo_comp(h, hlo_call(h, i, 0))->root;
    out->copy = HLO_NONE;
    while ((hlo_inst(h, at)->op == OP_COPY || hlo_inst(h, at)->op == OP_BITCAST) &&
           hlo_inst(h, at)->operands.n) {
        if (hlo_inst(h, at)->op == OP_COPY)
            out->copy = at;
        at = hlo_operand(h, at, 0);
    }
    x = hlo_inst(h, at);
    if (out->copy == HLO_NONE || x->op != OP_PARAMETER)
        return false;
    out->source = hlo_operand(h, i, (uint32_t)x->number);
    return true;
}

static value_id value_of(const struct program *p, inst_id i)
{
    pos_id at = hlo_inst(&p->module->hlo, i)->first_pos;
    return p->dataflow.at[at].n ? dataflow_at(&p->dataflow, at, 0) : VALUE_NONE;
}

static const char *for_whom(struct pen *pen, const struct reaches *reaches)
{
    const struct reach *first = NULL, *last = NULL;
    for (uint32_t k = 0; k < reaches->n; k++) {
        last = &reaches->items[k];
        if (!first && reach_reads(last))
            first = last;
    }
    if (first)
        return arena_printf(pen->a, first->kind == REACH_LOOP ? "for the carry of %s" : "for %s",
                            pen_inst(pen, first->by));
    if (!last || last->kind != REACH_HANDED)
        return last && last->kind == REACH_RETURNED ? "for an output" : "for no reader";
    bool body;
    inst_id to = explain_caller(pen->p, last->by, &body);
    return arena_printf(pen->a, body ? "for the next iteration of %s" : "for %s",
                        pen_inst(pen, to));
}

/* Do the copy and its source differ in more than the place? */
static const char *changes(struct pen *pen, const struct copying *c)
{
    const struct hlo *h = &pen->p->module->hlo;
    const struct hlo_inst *x = hlo_inst(h, c->copy);
    shape_id of = hlo_inst(h, hlo_operand(h, c->copy, 0))->shape;
    shape_id to = x->shape + (x->op == OP_COPY_START);
    int32_t from = shape_node(&h->shapes, of)->memory_space,
            at = shape_node(&h->shapes, to)->memory_space;
    char a[160], b[160];
    if (from != at)
        return arena_printf(pen->a, "from %s to %s", space_name(pen->p->module->platform, from, a),
                            space_name(pen->p->module->platform, at, b));
    shape_text(&h->shapes, of, true, a, sizeof a);
    shape_text(&h->shapes, to, true, b, sizeof b);
    return strcmp(a, b) == 0 ? NULL : arena_printf(pen->a, "into another layout, %s to %s", a, b);
}

static buf_id buffer_of(const struct program *p, value_id v)
{
    for (buf_id b = 0; b < p->n; b++)
        if (p->value[b] == v)
            return b;
    return BUF_NONE;
}

/* The value that takes the source's place next, or BUF_NONE. */
static buf_id overwriter(const struct program *p, buf_id b, value_id from)
{
    buf_id source = buffer_of(p, from);
    buf_id next = source == BUF_NONE ? BUF_NONE : explain_set_neighbour(p, source, 1);
    return next != b ? next : BUF_NONE;
}

/* The original is dead when it has been copied, or becomes something else: what of its place? */
static const char *place_goes(struct pen *pen, buf_id b, value_id from)
{
    const struct program *p = pen->p;
    buf_id next = overwriter(p, b, from), source = buffer_of(p, from);
    if (source != BUF_NONE && p->slot[source] == p->slot[b])
        return "the original is not needed afterwards, and the copy has its place";
    if (next == BUF_NONE)
        return "the original is not needed afterwards";
    return arena_printf(pen->a,
                        p->start[next] <= p->end[b]
                            ? "the original's place goes to %s at step %u, before the "
                              "copy's end"
                            : "the original is not needed afterwards; its place goes to %s "
                              "at step %u",
                        pen_buffer(pen, next), p->start[next]);
}

/* Both go into the carry of one loop: which element is the original?  NULL: not so. */
static const char *other_element(struct pen *pen, const struct reaches *copy,
                                 const struct reaches *original)
{
    for (uint32_t k = 0; k < copy->n; k++) {
        if (copy->items[k].kind != REACH_LOOP)
            continue;
        for (uint32_t i = 0; i < original->n; i++)
            if (original->items[i].kind == REACH_LOOP && original->items[i].by == copy->items[k].by)
                return arena_printf(pen->a,
                                    "the original is another element of the carry of %s, and "
                                    "each needs a place",
                                    pen_inst(pen, copy->items[k].by));
    }
    return NULL;
}

static const char *why_kept(struct pen *pen, buf_id b, value_id from,
                            const struct reaches *original, const struct reaches *copy)
{
    const struct program *p = pen->p;
    const struct reach *last = explain_last(original, p->liveness.end[from]);
    uint32_t at = explain_step_of(p, p->inst[b]);
    const char *other = other_element(pen, copy, original);
    if (!last)
        return "why is not known";
    if (last->kind == REACH_KEPT)
        return "the original is a parameter that is not donated, and must stay as it is";
    if (last->kind == REACH_RETURNED)
        return "the program returns the original, too";
    if (other)
        return other;
    if (last->step <= at || p->liveness.end[from] <= at)
        return place_goes(pen, b, from);
    if (reach_reads(last))
        return arena_printf(pen->a, "%s still reads the original at step %u",
                            pen_inst(pen, last->by), last->step);
    return arena_printf(pen->a, "the original is needed until step %u", last->step);
}

/* Why the source's own place would not do. */
static const char *why_copied(struct pen *pen, buf_id b, const struct copying *c, value_id from,
                              const struct reaches *copy)
{
    const struct program *p = pen->p;
    struct arena scratch = {0};
    struct reaches original;
    const char *why = changes(pen, c);
    if (why)
        return why;
    if (hlo_inst(&p->module->hlo, dataflow_inst(&p->dataflow, from))->op == OP_CONSTANT)
        return "a constant must stay as it is";
    explain_reaches(p, from, &scratch, &original);
    why = why_kept(pen, b, from, &original, copy);
    arena_free(&scratch);
    return why;
}

static void say_copy(struct pen *pen, buf_id b, const struct copying *c,
                     const struct reaches *reaches)
{
    const struct program *p = pen->p;
    value_id from = value_of(p, c->source);
    const struct hlo *h = &p->module->hlo;
    if (from == VALUE_NONE || shape_is_tuple(&h->shapes, hlo_inst(h, c->source)->shape))
        return;
    struct line *l = pen_line(pen, LINE_TEXT, "copy", "of %s, %s: %s", pen_inst(pen, c->source),
                              for_whom(pen, reaches), why_copied(pen, b, c, from, reaches));
    line_about(pen, l, buffer_of(p, from), p->start[b]);
    l->source = NULL;
}

void explain_apart(struct pen *pen, buf_id b, const struct reaches *r)
{
    struct copying c;
    if (pen->p->value[b] == VALUE_NONE || pen->p->lives != LIFE_RERUN)
        return;
    explain_donation(pen, b, r);
    if (is_copy(pen->p, b, &c))
        say_copy(pen, b, &c, r);
}

/* ---- Of the whole program ---- */

/* A parameter that was given away: does an output that is given for it lie elsewhere, or is none?
 */
static bool in_vain(const struct program *p, const buf_id *at, inst_id param, uint32_t node,
                    uint32_t out, buf_id *b)
{
    const struct hlo *h = &p->module->hlo;
    const struct dataflow *f = &p->dataflow;
    pos_id from = hlo_inst(h, param)->first_pos + node;
    pos_id to = hlo_inst(h, hlo_comp(h, h->entry)->root)->first_pos + out;
    *b = f->at[from].n ? at[dataflow_at(f, from, 0)] : BUF_NONE;
    if (*b == BUF_NONE || out == SHAPE_NONE)
        return *b != BUF_NONE;
    buf_id its = f->at[to].n ? at[dataflow_at(f, to, 0)] : BUF_NONE;
    return its != BUF_NONE && p->alloc[its] != p->alloc[*b];
}

static void say_in_vain(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    struct arena scratch = {0};
    struct page aside = {0};
    struct pen draft = {p, pen->a, &aside};
    struct reaches r;
    explain_reaches(p, p->value[b], &scratch, &r);
    if (explain_donation(&draft, b, &r)) {
        const struct line *why = aside.lines.items;
        struct line *l =
            pen_line(pen, LINE_ITEM, NULL, "%s, donated %s", pen_buffer(pen, b), why->words);
        line_bytes(l, p->size[b]);
        line_about(pen, l, b, p->start[b]);
    }
    arena_free(&scratch);
}

static void say_donations(struct pen *pen)
{
    const struct program *p = pen->p;
    const struct hlo *h = &p->module->hlo;
    const struct hlo_io_alias *io = h->io_alias.items;
    const struct hlo_donor *donor = h->donors.items;
    struct arena scratch = {0};
    buf_id *at = arena_array(&scratch, (size_t)p->dataflow.n + 1, sizeof *at), b;
    uint32_t n = 0;
    for (value_id v = 0; v < p->dataflow.n; v++)
        at[v] = BUF_NONE;
    for (buf_id x = 0; x < p->n; x++)
        if (p->value[x] != VALUE_NONE)
            at[p->value[x]] = x;
    for (uint32_t k = 0; k < h->donors.n + h->io_alias.n; k++) {
        const struct hlo_donor *d = k < h->donors.n ? &donor[k] : NULL;
        const struct hlo_io_alias *i = d ? NULL : &io[k - h->donors.n];
        inst_id param = hlo_param(h, h->entry, (uint32_t)(d ? d->param : i->param));
        if (in_vain(p, at, param, d ? d->node : i->param_node, d ? SHAPE_NONE : i->out, &b) &&
            n++ < DONATIONS)
            say_in_vain(pen, b);
    }
    if (n > DONATIONS)
        pen_line(pen, LINE_ITEM, NULL, "and %u more donations in vain", n - DONATIONS);
    arena_free(&scratch);
}

/* The `most` largest copies, largest first. */
static uint32_t largest_copies(const struct program *p, buf_id *found, uint32_t most)
{
    struct copying c;
    uint32_t n = 0;
    for (buf_id b = 0; b < p->n; b++) {
        if (p->value[b] == VALUE_NONE || (n == most && p->size[b] <= p->size[found[n - 1]]) ||
            p->size[b] < p->live[p->peak] / 100 || !is_copy(p, b, &c))
            continue;
        uint32_t at = n < most ? n++ : n - 1;
        for (; at > 0 && p->size[found[at - 1]] < p->size[b]; at--)
            found[at] = found[at - 1];
        found[at] = b;
    }
    return n;
}

static void say_copies(struct pen *pen)
{
    const struct program *p = pen->p;
    buf_id found[COPIES];
    uint32_t n = largest_copies(p, found, COPIES);
    for (uint32_t k = 0; k < n; k++) {
        struct arena scratch = {0};
        struct page aside = {0};
        struct pen draft = {p, pen->a, &aside};
        struct reaches r;
        struct copying c;
        explain_reaches(p, p->value[found[k]], &scratch, &r);
        if (is_copy(p, found[k], &c))
            say_copy(&draft, found[k], &c, &r);
        if (aside.lines.n) {
            const struct line *why = aside.lines.items;
            struct line *l = pen_line(pen, LINE_ITEM, NULL, "%s, a copy %s",
                                      pen_buffer(pen, found[k]), why->words);
            line_bytes(l, p->size[found[k]]);
            line_about(pen, l, found[k], p->start[found[k]]);
        }
        arena_free(&scratch);
    }
}

void explain_unshared(const struct program *p, struct arena *a, struct page *out)
{
    struct pen pen = {p, a, out};
    *out = (struct page){0};
    if (p->lives != LIFE_RERUN)
        return;
    pen_line(&pen, LINE_TITLE, NULL, "In the whole program: what could not share a place");
    say_donations(&pen);
    say_copies(&pen);
    if (out->lines.n == 1)
        pen_line(&pen, LINE_TEXT, NULL,
                 "no donation was in vain, and no copy has a hundredth of the peak");
}
