#include "core/analysis/whatif/resize.h"
#include "core/analysis/whatif/rewrite.h"
#include "core/analysis/whatif/whatif_label.h"
#include "core/analysis/whatif/whatif_place.h"

const char *whatif_method_name(enum whatif_method m)
{
    static const char *const names[] = {"compiled", "exact", "estimate", "bound", "unknown"};
    return names[m];
}

/* ---- The question ---- */

/* A program on the way: the one that was compiled, or that one resized. */
struct stage {
    struct module module;
    struct program program;
    bool built;
};

struct asking {
    struct whatif *w;
    const struct program *p;
    struct whatif_scan scan;
    struct rerun rerun;
    struct stage resized;
    struct whatif_facts facts; /* what labels hang on */
    struct diag *d;
};

static bool refuse(struct asking *q, const char *why)
{
    return diag_file(q->d, q->p->module->file, "%s: %s", q->p->name, why);
}

static bool understand(struct asking *q, const struct whatif_ask *ask)
{
    struct whatif *w = q->w;
    if (q->p->lives != LIFE_RERUN)
        return refuse(q, "without a schedule nothing can be rerun");
    struct list scans = whatif_scans(q->p, &w->arena);
    if (ask->scan >= scans.n)
        return refuse(q, "there is no such loop whose trip count is known");
    q->scan = ((const struct whatif_scan *)scans.items)[ask->scan];
    w->from_seqlen = q->scan.seqlen;
    w->from_unroll = q->scan.unroll;
    w->to_seqlen = ask->seqlen ? ask->seqlen : w->from_seqlen;
    w->to_unroll = ask->unroll ? ask->unroll : w->from_unroll;
    if (w->to_seqlen < 1 || w->to_unroll < 1)
        return refuse(q, "a scan has at least one step, and an iteration too");
    if (w->to_unroll >= w->to_seqlen)
        w->to_unroll = WHATIF_FULL;
    return true;
}

/* ---- Answers ---- */

static bool unknown(struct whatif *w, const char *note)
{
    w->method = WHATIF_UNKNOWN;
    w->note = note;
    return true;
}

/* Nothing else was asked than what was compiled. */
static bool as_it_is(struct asking *q)
{
    struct whatif *w = q->w;
    w->module = *q->p->module;
    w->module.arena = (struct arena){0}; /* p's */
    if (!w->module.has_assignment)
        return unknown(w, "the dump has no buffer assignment");
    w->method = WHATIF_EXACT;
    w->note = "it is what was compiled";
    w->has_program = program_build(&w->program, &w->module, q->d);
    return w->has_program;
}

/* The program with another length; *why says why not. */
static bool resize_stage(struct asking *q, const char **why)
{
    struct whatif *w = q->w;
    struct resize r;
    struct hlo made = {.arena = &w->arena};
    *why = NULL;
    if (!resize_run(&r, &made, q->p, &q->scan, w->to_seqlen)) {
        *why = r.why;
        return true;
    }
    facts_of_resize(&q->facts, &r);
    inst_id *origin = arena_array(&w->arena, made.insts.n, sizeof *origin);
    for (inst_id i = 0; i < made.insts.n; i++)
        origin[i] = i;
    struct stage *s = &q->resized;
    s->built = place_module(&s->module, &made, &q->rerun, origin, true, &q->facts.place, &w->arena,
                            q->d) &&
               program_build(&s->program, &s->module, q->d);
    return s->built;
}

/* Is instruction i of the unrolled program one of the scan's loops? */
static bool is_scan(const struct asking *q, const struct hlo *made, inst_id i, inst_id origin)
{
    const struct loops *l = &q->p->loops; /* resizing keeps ids */
    const uint32_t both[2] = {q->scan.forward, q->scan.backward};
    for (int k = 0; k < 2; k++)
        if (both[k] < l->n && hlo_inst(made, i)->op == OP_WHILE && l->items[both[k]].inst == origin)
            return true;
    return false;
}

/* What was unrolled, scheduled as far from XLA's own order as a scheduler might. */
static void spread_out(struct asking *q, struct hlo *made, const inst_id *origin)
{
    bool full = q->w->to_unroll == WHATIF_FULL;
    if (full)
        hlo_schedule_breadth_first(made, made->entry);
    for (inst_id i = 0; i < made->insts.n && !full; i++)
        if (is_scan(q, made, i, origin[i]))
            hlo_schedule_breadth_first(made, hlo_call(made, i, 0));
}

/* The program unrolled by one of the models; by UNROLL_MODELS: by the likeliest, and spread out. */
static bool unroll_stage(struct asking *q, const struct program *from, unsigned model, struct stage *s,
                         const char **why)
{
    struct whatif *w = q->w;
    struct whatif_scan scan = q->scan;
    struct hlo made = {.arena = &w->arena};
    enum unroll_model as = model < UNROLL_MODELS ? (enum unroll_model)model : UNROLL_LIKELY;
    inst_id *origin;
    struct place_doubts doubts; /* the range has room for them */
    scan.seqlen = scan.slots = w->to_seqlen;
    if (!unroll_hlo(&made, from, &scan, w->to_unroll, as, &origin, why))
        return true;
    *why = NULL;
    if (model == UNROLL_MODELS)
        spread_out(q, &made, origin);
    s->built = place_module(&s->module, &made, &q->rerun, origin, false, &doubts, &w->arena, q->d) &&
               program_build(&s->program, &s->module, q->d);
    return s->built;
}

static void take(struct whatif *w, struct stage *s)
{
    w->module = s->module;
    w->program = s->program;
    w->program.module = &w->module;
    w->program.dataflow.hlo = &w->module.hlo;
    w->has_program = true;
    s->built = false;
}

/* All that XLA may do with it; the likeliest stays. */
static bool unrolled(struct asking *q, const struct program *from)
{
    struct whatif *w = q->w;
    struct whatif_spread spread = {.least = UINT64_MAX};
    struct stage likely = {.built = false};
    const char *why = NULL;
    bool ok = true;
    if (w->from_unroll != 1)
        return unknown(w, "the scan is unrolled already, and its rolled form cannot be told from that");
    why = doubt_of_unrolling(w, &q->facts, from, &q->scan);
    for (unsigned m = 0; m <= UNROLL_MODELS && ok && !why; m++) {
        struct stage s = {.built = false};
        ok = unroll_stage(q, from, m, &s, &why);
        if (!s.built)
            continue;
        uint64_t bytes = s.program.totals.output + s.program.totals.temp;
        spread.least = bytes < spread.least ? bytes : spread.least;
        spread.most = bytes > spread.most ? bytes : spread.most;
        if (m == UNROLL_LIKELY)
            likely = s;
        else
            program_free(&s.program);
    }
    if (ok && why) {
        unknown(w, why);
    } else if (ok) {
        take(w, &likely);
        spread.carried = carried_bytes(from, &q->scan);
        label_unrolled(w, &q->facts, spread);
    }
    if (likely.built)
        program_free(&likely.program);
    return ok;
}

static bool transform(struct asking *q)
{
    struct whatif *w = q->w;
    const struct program *from = q->p;
    const char *why = NULL;
    if (w->to_seqlen != w->from_seqlen) {
        if (!resize_stage(q, &why))
            return false;
        if (why)
            return unknown(w, why);
        from = &q->resized.program;
    }
    if (w->to_unroll != w->from_unroll)
        return unrolled(q, from);
    take(w, &q->resized);
    label_resized(w, &q->facts, carried_bytes(&w->program, &q->scan));
    return true;
}

static bool answer(struct asking *q, const struct whatif_ask *ask)
{
    struct whatif *w = q->w;
    if (w->to_seqlen == w->from_seqlen && w->to_unroll == w->from_unroll)
        return as_it_is(q);
    if (!q->p->module->has_assignment)
        return unknown(w, "the dump has no buffer assignment to tell memory spaces and alignments");
    if (!rerun_build(&q->rerun, q->p))
        return refuse(q, "its assignment cannot be rerun");
    facts_of_program(&q->facts, &q->rerun, &q->scan, ask->limit);
    bool ok = transform(q);
    rerun_free(&q->rerun);
    if (q->resized.built)
        program_free(&q->resized.program);
    return ok;
}

/* Output + temp, where no range was given; nothing where nothing is known. */
static void settle(struct whatif *w)
{
    if (w->method == WHATIF_UNKNOWN && w->has_program)
        program_free(&w->program);
    w->has_program &= w->method != WHATIF_UNKNOWN;
    if (!w->has_program) {
        w->low = w->high = 0;
        return;
    }
    w->totals = w->program.totals;
    if (w->method != WHATIF_ESTIMATE)
        w->low = w->high = w->totals.output + w->totals.temp;
}

bool whatif_build(struct whatif *w, const struct program *p, const struct whatif_ask *ask, struct diag *d)
{
    struct asking q = {.w = w, .p = p, .d = d};
    *w = (struct whatif){.note = ""};
    if (understand(&q, ask) && answer(&q, ask)) {
        settle(w);
        return true;
    }
    whatif_free(w);
    return false;
}

void whatif_free(struct whatif *w)
{
    if (w->has_program)
        program_free(&w->program);
    w->has_program = false;
    arena_free(&w->arena);
}
