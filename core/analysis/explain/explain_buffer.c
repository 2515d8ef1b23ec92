/* The page about one buffer. */
#include "core/analysis/explain/explain_build.h"
#include "core/analysis/program/roles.h"

#include <string.h>

#define READERS 4 /* named one by one, and the last */
#define STACKS  2 /* loops named that fill or drain it */

/* ---- What it is ---- */

static const char *alloc_kind(const struct allocation *a)
{
    if (a->flags & ALLOC_PARAMETER)
        return a->flags & ALLOC_LIVE_OUT ? "a parameter's and an output's" : "a parameter's";
    if (a->flags & ALLOC_LIVE_OUT)
        return "an output's";
    if (a->flags & ALLOC_CONSTANT)
        return "a constant's";
    return a->flags & ALLOC_THREAD_LOCAL ? "thread-local" : "temp";
}

static void say_what(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    const char *space =
        p->main[b] ? "" : arena_printf(pen->a, " of %s", p->spaces[p->space[b]].name);
    const char *place = "; its place is not known";
    if (p->alloc[b] != ALLOC_NONE) {
        const struct allocation *al = assignment_alloc(&p->module->assignment, p->alloc[b]);
        place = arena_printf(pen->a, "%s in allocation %lld (%s), at offset %s", space,
                             (long long)al->index, alloc_kind(al), pen_bytes(pen, p->offset[b]));
    }
    struct line *l = pen_line(pen, LINE_TEXT, "what", "%s, %s%s", pen_cut(pen, p->shape[b]),
                              pen_bytes(pen, p->size[b]), place);
    line_about(pen, l, b, p->start[b]);
    l->source = NULL;
    enum role role = p->role[b] < ROLE_COUNT ? (enum role)p->role[b] : ROLE_SCRATCH;
    pen_line(pen, LINE_TEXT, "role", "%s: %s", role_name(role), role_words(role));
}

/* ---- Who makes it ---- */

/* The while that calls computation c, or HLO_NONE; *body: as its body? */
static inst_id while_around(const struct hlo *h, comp_id c, bool *body)
{
    for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++) {
        inst_id i = hlo_caller(h, c, k);
        if (hlo_inst(h, i)->op == OP_WHILE) {
            *body = hlo_call(h, i, 0) == c;
            return i;
        }
    }
    return HLO_NONE;
}

static const char *maker(struct pen *pen, inst_id i, const char *path)
{
    const struct hlo *h = &pen->p->module->hlo;
    const struct hlo_inst *x = hlo_inst(h, i);
    bool body = false;
    if (x->op == OP_WHILE)
        return arena_printf(pen->a, "%s, when it ends: element %s of its carry", pen_inst(pen, i),
                            path);
    if (x->op != OP_PARAMETER)
        return arena_printf(pen->a, "%s = %s%s%s", pen_inst(pen, i), x->opcode,
                            strcmp(path, "{}") ? ", output " : "", strcmp(path, "{}") ? path : "");
    if (x->comp == h->entry)
        return arena_printf(pen->a, "the caller: parameter %lld%s%s of the program",
                            (long long)x->number, strcmp(path, "{}") ? " " : "",
                            strcmp(path, "{}") ? path : "");
    inst_id loop = while_around(h, x->comp, &body);
    if (loop != HLO_NONE)
        return arena_printf(pen->a,
                            "%s, which hands it to %s in each iteration: element %s of its "
                            "carry",
                            pen_inst(pen, loop), body ? "its body" : "its condition", path);
    return arena_printf(pen->a, "the caller of %s: parameter %lld %s",
                        pen_cut(pen, hlo_comp(h, x->comp)->name), (long long)x->number, path);
}

static void say_maker(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    char path[64];
    inst_id i = p->inst[b];
    if (i == HLO_NONE || p->value[b] == VALUE_NONE)
        return;
    const struct hlo *h = &p->module->hlo;
    shape_path_text(&h->shapes, hlo_inst(h, i)->shape, dataflow_node(&p->dataflow, p->value[b]),
                    path, sizeof path);
    struct line *l = pen_line(pen, LINE_TEXT, "defined by", "%s, %s", maker(pen, i, path),
                              pen_step(pen, p->start[b]));
    line_about(pen, l, BUF_NONE, p->start[b]);
    l->source = pen_source(pen, i);
    if (p->op_name[b])
        pen_line(pen, LINE_TEXT, "op_name", "%s", pen_op_name(pen, p->op_name[b]));
}

/* ---- Who reads it ---- */

/* Where a value comes to its reader through something else than the elements of tuples. */
static const char *through(struct pen *pen, const struct reach *r)
{
    const struct hlo *h = &pen->p->module->hlo;
    if (r->through == HLO_NONE || r->kind == REACH_LOOP ||
        hlo_inst(h, r->through)->op == OP_GET_TUPLE_ELEMENT ||
        hlo_inst(h, r->through)->op == OP_TUPLE)
        return "";
    return arena_printf(pen->a, ", through %s", pen_inst(pen, r->through));
}

/* A loop takes its carry in where it begins. */
static uint32_t read_at(const struct program *p, const struct reach *r)
{
    uint32_t loop = r->kind == REACH_LOOP ? explain_loop_of(p, r->by) : LOOP_NONE;
    return loop == LOOP_NONE ? r->step : p->loops.items[loop].first;
}

/* What becomes of the place when the last reader has read it. */
static const char *then(struct pen *pen, buf_id b, const struct reach *r)
{
    const struct program *p = pen->p;
    buf_id next = explain_set_neighbour(p, b, 1);
    if (next == BUF_NONE || p->start[next] != p->end[b] || r->step < p->end[b])
        return "";
    if (r->kind == REACH_LOOP)
        return arena_printf(pen->a, "; from there on it is %s, in the same place",
                            pen_buffer(pen, next));
    return p->inst[next] == r->by ? "; the result is written over it" : "";
}

static void say_reader(struct pen *pen, buf_id b, const struct reach *r, bool last)
{
    const struct program *p = pen->p;
    uint32_t at = read_at(p, r), loop = explain_loop_at(p, r->step);
    const char *inside =
        loop == LOOP_NONE || r->kind == REACH_LOOP
            ? ""
            : arena_printf(pen->a, ", in %s", pen_cut(pen, p->loops.items[loop].name));
    struct line *l =
        pen_line(pen, LINE_TEXT, last ? "last use" : "read by", "step %u: %s%s%s%s%s", at,
                 pen_inst(pen, r->by), r->kind == REACH_LOOP ? " takes it into its carry" : "",
                 through(pen, r), inside, last ? then(pen, b, r) : "");
    line_about(pen, l, BUF_NONE, at);
    l->source = pen_source(pen, r->by);
}

static void say_readers(struct pen *pen, buf_id b, const struct reaches *r)
{
    const struct reach *last = explain_last_reader(r);
    uint32_t n = 0, named = 0;
    for (uint32_t k = 0; k < r->n; k++)
        n += reach_reads(&r->items[k]);
    for (uint32_t k = 0; k < r->n && named < READERS; k++)
        if (reach_reads(&r->items[k]) && &r->items[k] != last) {
            say_reader(pen, b, &r->items[k], false);
            named++;
        }
    if (n > named + 1)
        pen_line(pen, LINE_TEXT, "read by", "%u more", n - named - 1);
    if (last)
        say_reader(pen, b, last, true);
}

/* ---- Stacks ---- */

static const char *slots_touched(struct pen *pen, const struct loop_stack *s)
{
    const char *verb = s->access == ACCESS_FILL    ? "fills"
                       : s->access == ACCESS_DRAIN ? "reads"
                                                   : "reads and fills";
    if (!s->regular)
        return arena_printf(pen->a, "%s it slot by slot", verb);
    const char *many =
        s->width == 1 ? "slot" : arena_printf(pen->a, "the %lld slots from", (long long)s->width);
    if (s->stride == 0)
        return arena_printf(pen->a, "%s %s %lld in every iteration", verb, many,
                            (long long)s->first);
    const char *times =
        s->stride == 1 || s->stride == -1
            ? "i"
            : arena_printf(pen->a, "%llu*i",
                           (unsigned long long)(s->stride < 0 ? 0 - (uint64_t)s->stride
                                                              : (uint64_t)s->stride));
    if (s->first == 0 && s->stride > 0)
        return arena_printf(pen->a, "%s %s %s in iteration i", verb, many, times);
    return arena_printf(pen->a, "%s %s %lld %c %s in iteration i", verb, many, (long long)s->first,
                        s->stride < 0 ? '-' : '+', times);
}

static void say_stack(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    const struct loop_stack *any = explain_stack(p, b);
    uint32_t said = 0;
    if (!any)
        return;
    pen_line(pen, LINE_TEXT, "stack", "%lld slots of %s", (long long)any->slots,
             pen_bytes(pen, any->slot_bytes));
    value_id set = p->dataflow.set[p->value[b]];
    for (uint32_t k = 0; k < p->loops.n_stacks && said < STACKS; k++) {
        const struct loop_stack *s = &p->loops.stacks[k];
        if (p->dataflow.set[s->value] != set || s->bytes > p->size[b])
            continue;
        struct line *l = pen_line(pen, LINE_TEXT, "", "%s %s, at step %u: %s",
                                  pen_cut(pen, p->loops.items[s->loop].name), slots_touched(pen, s),
                                  s->touched, pen_inst(pen, s->by));
        line_about(pen, l, BUF_NONE, s->touched);
        l->source = pen_source(pen, s->by);
        said++;
    }
}

/* ---- The whole ---- */

void explain_buffer(const struct program *p, buf_id b, struct arena *a, struct page *out)
{
    struct pen pen = {p, a, out};
    struct arena scratch = {0};
    struct reaches r = {0};
    *out = (struct page){0};
    struct line *title;
    if (p->lives == LIFE_NONE)
        title = pen_line(&pen, LINE_TITLE, NULL, "%s: when it is alive is not in the dump",
                         pen_buffer(&pen, b));
    else
        title = pen_line(&pen, LINE_TITLE, NULL, "Why %s is alive from step %u to %s",
                         pen_buffer(&pen, b), p->start[b],
                         p->end[b] < p->steps ? arena_printf(a, "%u", p->end[b]) : "the end");
    title->buffer = b;
    say_what(&pen, b);
    if (p->value[b] != VALUE_NONE)
        explain_reaches(p, p->value[b], &scratch, &r);
    say_maker(&pen, b);
    say_readers(&pen, b, &r);
    explain_ending(&pen, b, &r);
    say_stack(&pen, b);
    explain_place(&pen, b);
    explain_apart(&pen, b, &r);
    if (p->lives != LIFE_RERUN)
        pen_line(&pen, LINE_TEXT, "why", "not known without a scheduled HLO in the dump");
    arena_free(&scratch);
}
