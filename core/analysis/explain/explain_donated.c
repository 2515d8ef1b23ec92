/* Donated parameters: which output has their place, or why none has. */
#include "core/analysis/explain/explain_build.h"

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

/* Where the first value of an output's place is made: a loop's result begins with what goes into
 * the loop. */
static uint32_t begun(const struct program *p, buf_id out)
{
    value_id set = p->dataflow.set[p->value[out]];
    uint32_t first = p->start[out];
    for (buf_id b = 0; b < p->n; b++)
        if (p->value[b] != VALUE_NONE && p->dataflow.set[p->value[b]] == set && p->start[b] < first)
            first = p->start[b];
    return first;
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
        pen_line(pen, LINE_TEXT, "earlier",
                 "the program returns it as it is (%s): donated, it needs no "
                 "copy",
                 name);
    else if (out != BUF_NONE && begun(p, out) < step)
        pen_line(pen, LINE_TEXT, "earlier",
                 "donated (donate_argnums), its place could become %s, but "
                 "that is begun at step %u, before the last read",
                 name, begun(p, out));
    else
        pen_line(pen, LINE_TEXT, "earlier",
                 "donate it (donate_argnums): it is read last at step %u, and "
                 "%s has its size",
                 step, name);
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
    return arena_printf(pen->a, "%s",
                        shape_text(&pen->p->module->hlo.shapes, s, true, text, sizeof text));
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
    if (reader && out != BUF_NONE && begun(p, out) < reader->step)
        return arena_printf(
            pen->a, "%s still reads it at step %u, when %s, begun at step %u, is there",
            pen_inst(pen, reader->by), reader->step, output_name(pen, r, node), begun(p, out));
    return arena_printf(pen->a, "%s has a place of its own", output_name(pen, r, node));
}

static void say_donor(struct pen *pen, buf_id b, const struct reaches *reaches)
{
    const struct program *p = pen->p;
    const struct root r = root_of(p);
    struct fits f = outputs_that_fit(p, &r, b);
    const char *why = f.node != SHAPE_NONE ? mismatch(pen, b, &r, f.node, reaches)
                      : f.taken
                          ? "each output of its size has the place of another donated parameter"
                          : "no output has its size";
    pen_line(pen, LINE_TEXT, "donated", "in vain, no output has its place: %s", why);
}

/* True: in vain. */
static bool say_alias(struct pen *pen, buf_id b, uint32_t node, const struct reaches *reaches)
{
    const struct program *p = pen->p;
    const struct root r = root_of(p);
    buf_id out = node < r.nodes ? output_buffer(p, &r, node) : BUF_NONE;
    if (out == BUF_NONE || p->alloc[b] == ALLOC_NONE)
        return false;
    if (p->alloc[out] == p->alloc[b]) {
        struct line *l =
            pen_line(pen, LINE_TEXT, "donated", "its place becomes %s: %s, from step %u",
                     output_name(pen, &r, node), pen_buffer(pen, out), p->start[out]);
        line_about(pen, l, out, p->start[out]);
        return false;
    }
    pen_line(pen, LINE_TEXT, "donated", "in vain, %s does not have its place: %s",
             output_name(pen, &r, node), mismatch(pen, b, &r, node, reaches));
    return true;
}

bool explain_donation(struct pen *pen, buf_id b, const struct reaches *r)
{
    const struct program *p = pen->p;
    uint32_t node = dataflow_node(&p->dataflow, p->value[b]);
    uint32_t out = explain_alias_out(p, p->inst[b], node);
    if (out != SHAPE_NONE)
        return say_alias(pen, b, out, r);
    if (!explain_is_donor(p, p->inst[b], node))
        return false;
    say_donor(pen, b, r);
    return true;
}
