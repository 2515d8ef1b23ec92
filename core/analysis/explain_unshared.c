/* Why something has a place of its own: donations that came to nothing, and copies. */
#include "core/analysis/explain_build.h"
#include "core/analysis/roles.h"

#include <string.h>

/* ---- Outputs ---- */

struct root {
    const struct hlo *h;
    inst_id inst;
    shape_id shape;
    uint32_t nodes;
};

static struct root root_of(const struct program *p)
{
    const struct hlo *h = &p->module->hlo;
    inst_id i = hlo_comp(h, h->entry)->root;
    shape_id shape = hlo_inst(h, i)->shape;
    return (struct root){h, i, shape, shape_node(&h->shapes, shape)->span};
}

static const char *output_name(struct pen *pen, const struct root *r, uint32_t node)
{
    char path[64];
    if (!shape_is_tuple(&r->h->shapes, r->shape))
        return "the output";
    return arena_printf(pen->a, "output %s",
                        shape_path_text(&r->h->shapes, r->shape, node, path, sizeof path));
}

/* The buffer at an output, or BUF_NONE. */
static buf_id output_buffer(const struct program *p, const struct root *r, uint32_t node)
{
    pos_id at = hlo_inst(r->h, r->inst)->first_pos + node;
    if (p->dataflow.at[at].n == 0)
        return BUF_NONE;
    value_id v = dataflow_at(&p->dataflow, at, 0);
    for (buf_id b = 0; b < p->n; b++)
        if (p->value[b] == v)
            return b;
    return BUF_NONE;
}

static bool output_taken(const struct root *r, uint32_t node)
{
    for (uint32_t k = 0; k < r->h->io_alias.n; k++)
        if (((const struct hlo_io_alias *)r->h->io_alias.items + k)->out == node)
            return true;
    return false;
}

/* Outputs of as many bytes as b: the first that no parameter is given to, and how many others. */
struct fits {
    uint32_t node; /* SHAPE_NONE: none */
    uint32_t taken;
};

static struct fits outputs_that_fit(const struct program *p, const struct root *r, buf_id b)
{
    struct fits f = {.node = SHAPE_NONE};
    const struct shapes *s = &r->h->shapes;
    uint64_t bytes = shape_bytes(s, hlo_inst(r->h, p->inst[b])->shape +
                                        dataflow_node(&p->dataflow, p->value[b]));
    for (uint32_t k = 0; k < r->nodes; k++) {
        if (!shape_is_array(s, r->shape + k) || shape_bytes(s, r->shape + k) != bytes)
            continue;
        if (output_taken(r, k))
            f.taken++;
        else if (f.node == SHAPE_NONE)
            f.node = k;
    }
    return f;
}

void explain_donate(struct pen *pen, buf_id b, uint32_t step)
{
    const struct program *p = pen->p;
    const struct root r = root_of(p);
    if (explain_is_donor(p, p->inst[b], dataflow_node(&p->dataflow, p->value[b])))
        return; /* explain_apart() says why that was in vain */
    struct fits f = outputs_that_fit(p, &r, b);
    if (f.node == SHAPE_NONE) {
        pen_line(pen, LINE_TEXT, "earlier", "donating it would gain nothing: %s",
                 f.taken ? "each output of its size has the place of another parameter already"
                         : "no output has its size");
        return;
    }
    buf_id out = output_buffer(p, &r, f.node);
    const char *name = output_name(pen, &r, f.node);
    if (out != BUF_NONE && p->value[out] == p->value[b])
        pen_line(pen, LINE_TEXT, "earlier", "the program returns it as it is (%s): donated, it needs no "
                 "copy", name);
    else if (out != BUF_NONE && p->start[out] < step)
        pen_line(pen, LINE_TEXT, "earlier", "donated (donate_argnums), its place could become %s, but "
                 "that is begun at step %u, before the last read", name, p->start[out]);
    else
        pen_line(pen, LINE_TEXT, "earlier", "donate it (donate_argnums): it is read last at step %u, and "
                 "%s has its size", step, name);
}

/* ---- Donations ---- */

bool explain_is_donor(const struct program *p, inst_id param, uint32_t node)
{
    const struct hlo *h = &p->module->hlo;
    const struct hlo_inst *x = hlo_inst(h, param);
    if (x->op != OP_PARAMETER || x->comp != h->entry)
        return false;
    for (uint32_t k = 0; k < h->donors.n; k++) {
        const struct hlo_donor *d = (const struct hlo_donor *)h->donors.items + k;
        if (d->param == x->number && d->node == node)
            return true;
    }
    return false;
}

static const char *shape_words(struct pen *pen, shape_id s)
{
    char text[160];
    return arena_printf(pen->a, "%s", shape_text(&pen->p->module->hlo.shapes, s, true, text, sizeof text));
}

/* What keeps an output of the same size out of b's place. */
static const char *mismatch(struct pen *pen, buf_id b, const struct root *r, uint32_t node,
                            const struct reaches *reaches)
{
    const struct program *p = pen->p;
    const char *mine = shape_words(pen, hlo_inst(r->h, p->inst[b])->shape +
                                            dataflow_node(&p->dataflow, p->value[b]));
    const char *its = shape_words(pen, r->shape + node);
    if (strcmp(mine, its) != 0)
        return arena_printf(pen->a, "it is %s, and %s is %s", mine, output_name(pen, r, node), its);
    const struct reach *reader = explain_last_reader(reaches);
    buf_id out = output_buffer(p, r, node);
    if (reader && out != BUF_NONE && p->start[out] < reader->step)
        return arena_printf(pen->a, "%s still reads it at step %u, when %s, begun at step %u, is there",
                            pen_inst(pen, reader->by), reader->step, output_name(pen, r, node),
                            p->start[out]);
    return arena_printf(pen->a, "%s has a place of its own", output_name(pen, r, node));
}

static void say_donor(struct pen *pen, buf_id b, const struct reaches *reaches)
{
    const struct program *p = pen->p;
    const struct root r = root_of(p);
    struct fits f = outputs_that_fit(p, &r, b);
    const char *why = f.node != SHAPE_NONE ? mismatch(pen, b, &r, f.node, reaches)
                      : f.taken ? "each output of its size has the place of another donated parameter"
                                : "no output has its size";
    pen_line(pen, LINE_TEXT, "donated", "in vain, no output has its place: %s", why);
}

static void say_alias(struct pen *pen, buf_id b, uint32_t node, const struct reaches *reaches)
{
    const struct program *p = pen->p;
    const struct root r = root_of(p);
    if (node >= r.nodes)
        return;
    buf_id out = output_buffer(p, &r, node);
    if (out == BUF_NONE || p->alloc[b] == ALLOC_NONE)
        return;
    if (p->alloc[out] == p->alloc[b]) {
        struct line *l = pen_line(pen, LINE_TEXT, "donated", "its place becomes %s: %s, from step %u",
                                  output_name(pen, &r, node), pen_buffer(pen, out), p->start[out]);
        line_about(pen, l, out, p->start[out]);
        return;
    }
    pen_line(pen, LINE_TEXT, "donated", "in vain, %s does not have its place: %s",
             output_name(pen, &r, node), mismatch(pen, b, &r, node, reaches));
}

/* ---- Copies ---- */

/* A copy: the instruction (it may stand inside a fusion), and what is copied, as its user sees it. */
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
    return arena_printf(pen->a, body ? "for the next iteration of %s" : "for %s", pen_inst(pen, to));
}

/* Do the copy and its source differ in more than the place? */
static const char *changes(struct pen *pen, const struct copying *c)
{
    const struct hlo *h = &pen->p->module->hlo;
    const struct hlo_inst *x = hlo_inst(h, c->copy);
    shape_id of = hlo_inst(h, hlo_operand(h, c->copy, 0))->shape;
    shape_id to = x->shape + (x->op == OP_COPY_START);
    int32_t from = shape_node(&h->shapes, of)->memory_space, at = shape_node(&h->shapes, to)->memory_space;
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

/* The value that takes the source's place while copy b is still needed, or BUF_NONE. */
static buf_id overwriter(const struct program *p, buf_id b, value_id from)
{
    buf_id source = buffer_of(p, from);
    buf_id next = source == BUF_NONE ? BUF_NONE : explain_set_neighbour(p, source, 1);
    return next != BUF_NONE && next != b && p->start[next] < p->end[b] ? next : BUF_NONE;
}

/* Why the source's own place would not do. */
static const char *why_copied(struct pen *pen, buf_id b, const struct copying *c, value_id from)
{
    const struct program *p = pen->p;
    struct arena scratch = {0};
    struct reaches r;
    const char *why = changes(pen, c);
    if (why)
        return why;
    if (hlo_inst(&p->module->hlo, dataflow_inst(&p->dataflow, from))->op == OP_CONSTANT)
        return "a constant must stay as it is";
    explain_reaches(p, from, &scratch, &r);
    const struct reach *last = explain_last(&r, p->liveness.end[from]);
    uint32_t at = explain_step_of(p, p->inst[b]);
    buf_id next = overwriter(p, b, from);
    if (last && last->kind == REACH_KEPT)
        why = "the original is a parameter that is not donated, and must stay as it is";
    else if (last && last->kind == REACH_RETURNED)
        why = "the program returns the original, too";
    else if (next != BUF_NONE)
        why = arena_printf(pen->a, "the original's place goes to %s at step %u", pen_buffer(pen, next),
                           p->start[next]);
    else if (last && last->step > at && reach_reads(last))
        why = arena_printf(pen->a, "%s still reads the original at step %u", pen_inst(pen, last->by),
                           last->step);
    else if (last && last->step > at)
        why = arena_printf(pen->a, "the original is needed until step %u", last->step);
    else
        why = "the original is not needed afterwards";
    arena_free(&scratch);
    return why;
}

static void say_copy(struct pen *pen, buf_id b, const struct copying *c, const struct reaches *reaches)
{
    const struct program *p = pen->p;
    value_id from = value_of(p, c->source);
    if (from == VALUE_NONE || shape_is_tuple(&p->module->hlo.shapes, hlo_inst(&p->module->hlo, c->source)->shape))
        return;
    struct line *l = pen_line(pen, LINE_TEXT, "copy", "of %s, %s: %s", pen_inst(pen, c->source),
                              for_whom(pen, reaches), why_copied(pen, b, c, from));
    line_about(pen, l, buffer_of(p, from), p->start[b]);
    l->source = NULL;
}

void explain_apart(struct pen *pen, buf_id b, const struct reaches *r)
{
    const struct program *p = pen->p;
    struct copying c;
    if (p->value[b] == VALUE_NONE || p->lives != LIFE_RERUN)
        return;
    uint32_t node = dataflow_node(&p->dataflow, p->value[b]);
    uint32_t out = explain_alias_out(p, p->inst[b], node);
    if (out != SHAPE_NONE)
        say_alias(pen, b, out, r);
    else if (explain_is_donor(p, p->inst[b], node))
        say_donor(pen, b, r);
    if (is_copy(p, b, &c))
        say_copy(pen, b, &c, r);
}
