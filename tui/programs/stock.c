#include "tui/programs/stock.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct stock_entry {
    struct form form;
    struct figure figure;
    bool retired; /* its form has been asked again */
    const struct program *program; /* NULL: not there, or let go */
    struct opened opened;          /* a compiled one */
    struct whatif *whatif;         /* or an answer of what-if */
};

static struct stock_entry *entry_at(const struct stock *k, uint32_t i)
{
    return ((struct stock_entry *const *)k->entries.items)[i];
}

static struct stock_entry *find(const struct stock *k, const struct form *form)
{
    for (uint32_t i = 0; i < k->entries.n; i++)
        if (!entry_at(k, i)->retired && form_same(&entry_at(k, i)->form, form))
            return entry_at(k, i);
    return NULL;
}

static struct stock_entry *add(struct stock *k, const struct form *form)
{
    struct stock_entry *e = arena_get(&k->arena, sizeof *e);
    *e = (struct stock_entry){.form = form_normal(*form)};
    *(struct stock_entry **)list_add(&k->arena, &k->entries, sizeof e) = e;
    return e;
}

/* ---- What is known of a program ---- */

static void measure(const struct stock *k, struct figure *f, const struct program *p)
{
    f->known = p->has_totals;
    f->bytes = f->low = f->high = p->totals.output + p->totals.temp;
    f->need = f->need_low = f->need_high = program_need(p, &f->has_need);
    f->peak = p->live[p->peak];
    f->limit = k->limit ? k->limit : p->module->device_memory;
}

static void measure_compiled(const struct stock *k, struct figure *f, const struct program *p)
{
    *f = (struct figure){.method = WHATIF_COMPILED, .note = "read from what XLA compiled"};
    measure(k, f, p);
}

static void measure_whatif(struct stock *k, struct figure *f, const struct whatif *w)
{
    *f = (struct figure){.method = w->method, .note = arena_text(&k->arena, w->note, strlen(w->note))};
    if (!w->has_program)
        return;
    measure(k, f, &w->program);
    f->low = w->low;
    f->high = w->high;
    if (w->method != WHATIF_ESTIMATE)
        return;
    f->need_low = f->need - (f->bytes > w->low ? f->bytes - w->low : 0);
    f->need_high = f->need + (w->high > f->bytes ? w->high - f->bytes : 0);
}

static void measure_nothing(struct stock *k, struct figure *f, const char *why)
{
    *f = (struct figure){.method = WHATIF_UNKNOWN, .note = arena_text(&k->arena, why, strlen(why))};
}

/* ---- Compiled ones ---- */

struct variant stock_variant(const struct stock *k, const struct form *f)
{
    return (struct variant){k->target[f->target], f->width, f->seqlen, f->unroll};
}

/* Takes it from grid or cache; what is broken in the cache is removed, so that it is made again. */
static bool take_compiled(struct stock *k, struct stock_entry *e)
{
    bool cached;
    const char *dir = variants_find(&k->variants, stock_variant(k, &e->form), &cached);
    if (!dir)
        return false;
    struct diag d;
    if (!open_dir(&e->opened, dir, &d)) {
        variants_forget(&k->variants, dir);
        return false;
    }
    e->program = e->opened.program;
    measure_compiled(k, &e->figure, e->program);
    return true;
}

/* ---- What-ifs ---- */

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* The rolled form to ask: of the same target and width in the grid, the one nearest in length. */
static bool nearest_rolled(const struct stock *k, const struct form *form, struct form *out)
{
    const struct variant_cell *cells = k->variants.cells.items, *best = NULL;
    struct variant v = stock_variant(k, form);
    for (uint32_t i = 0; i < k->variants.cells.n; i++) {
        const struct variant *c = &cells[i].v;
        if (strcmp(c->target, v.target) != 0 || c->width != v.width || c->unroll != 1)
            continue;
        if (!best || distance(c->seqlen, v.seqlen) < distance(best->v.seqlen, v.seqlen))
            best = &cells[i];
    }
    if (best)
        *out = (struct form){form->target, form->width, best->v.seqlen, best->v.unroll};
    return best != NULL;
}

static void take_whatif(struct stock *k, struct stock_entry *e, const struct program *from)
{
    struct diag d;
    struct whatif_ask ask = {.seqlen = e->form.seqlen, .unroll = e->form.unroll, .limit = k->limit};
    struct whatif *w = memory_zeroed(1, sizeof *w);
    if (!whatif_build(w, from, &ask, &d)) {
        measure_nothing(k, &e->figure, d.what);
        free(w);
        return;
    }
    measure_whatif(k, &e->figure, w);
    e->whatif = w;
    e->program = w->has_program ? &w->program : NULL;
}

static void drop_program(struct stock_entry *e)
{
    if (e->whatif) {
        whatif_free(e->whatif);
        free(e->whatif);
        e->whatif = NULL;
    }
    open_close(&e->opened);
    e->program = NULL;
}

static void answer(struct stock *k, struct stock_entry *e)
{
    struct form from;
    if (k->kind == FORMS_OWN) {
        take_whatif(k, e, k->original);
        return;
    }
    if (take_compiled(k, e))
        return;
    if (!nearest_rolled(k, &e->form, &from) || form_same(&from, &e->form)) {
        measure_nothing(k, &e->figure, "no rolled form of this target and width is shipped to start from");
        return;
    }
    const struct program *base = stock_get(k, &from, NULL);
    if (base)
        take_whatif(k, e, base);
    else
        measure_nothing(k, &e->figure, "the form to start from cannot be opened");
}

/* ---- Asking ---- */

const struct program *stock_get(struct stock *k, const struct form *form, struct figure *f)
{
    struct stock_entry *e = find(k, form);
    if (!e || (!e->program && e->figure.method != WHATIF_UNKNOWN)) {
        e = e ? e : add(k, form);
        answer(k, e);
    }
    if (f)
        *f = e->figure;
    return e->program;
}

bool stock_peek(const struct stock *k, const struct form *form, struct figure *f)
{
    const struct stock_entry *e = find(k, form);
    if (e)
        *f = e->figure;
    return e != NULL;
}

#define BLINK 3000 /* steps that are unrolled in a fraction of a second */

bool stock_is_slow(const struct stock *k, const struct form *form)
{
    struct form f = form_normal(*form);
    uint64_t copies = (uint64_t)(f.unroll < f.seqlen ? f.unroll : f.seqlen);
    if (f.unroll == 1 || find(k, form))
        return false;
    return copies > BLINK || copies * k->steps > BLINK;
}

void stock_ask(struct stock *k, const struct form *form)
{
    if (find(k, form))
        return;
    struct stock_entry *e = add(k, form);
    answer(k, e);
    if (e->whatif)
        drop_program(e);
}

void stock_renew(struct stock *k, const struct form *form)
{
    struct stock_entry *e = find(k, form);
    if (e && e->program != k->original)
        e->retired = true;
}

void stock_keep(struct stock *k, const struct program *const *kept, int n)
{
    for (uint32_t i = 0; i < k->entries.n; i++) {
        struct stock_entry *e = entry_at(k, i);
        bool keep = !e->whatif && !e->retired; /* others may start from a compiled one */
        for (int j = 0; j < n; j++)
            keep = keep || (e->program && e->program == kept[j]);
        if (!keep)
            drop_program(e);
    }
}

/* ---- The whole ---- */

static uint32_t target_number(struct stock *k, const char *name)
{
    for (uint32_t i = 0; i < k->n_targets; i++)
        if (strcmp(k->target[i], name) == 0)
            return i;
    if (k->n_targets == STOCK_TARGETS)
        return 0;
    k->target[k->n_targets] = arena_text(&k->arena, name, strlen(name));
    return k->n_targets++;
}

static bool open_example(struct stock *k, const char *dir)
{
    struct variant v;
    struct diag d;
    if (!dir || !variants_read(&k->variants, &d))
        return false;
    if (!variants_which(&k->variants, dir, &v)) {
        variants_free(&k->variants);
        return false;
    }
    const struct variant_cell *cells = k->variants.cells.items;
    for (uint32_t i = 0; i < k->variants.cells.n; i++)
        target_number(k, cells[i].v.target);
    k->kind = FORMS_EXAMPLE;
    k->first = (struct form){target_number(k, v.target), v.width, v.seqlen, v.unroll};
    k->steps = k->original->steps;
    return true;
}

static uint64_t steps_of(const struct program *p, uint32_t loop)
{
    return loop < p->loops.n ? (uint64_t)p->loops.items[loop].last - p->loops.items[loop].first + 1 : 0;
}

/* The scan that holds most stack bytes. */
static void open_own(struct stock *k)
{
    struct arena scratch = {0};
    struct list scans = {0};
    if (k->original->lives == LIFE_RERUN)
        scans = whatif_scans(k->original, &scratch);
    if (scans.n) {
        const struct whatif_scan *s = scans.items;
        k->kind = FORMS_OWN;
        k->first = (struct form){0, 0, s->seqlen, s->unroll};
        if (scans.n > 1)
            k->scan = k->original->loops.items[s->forward != LOOP_NONE ? s->forward : s->backward].name;
        k->steps = steps_of(k->original, s->forward) + steps_of(k->original, s->backward);
    } else {
        k->why_not = k->original->lives != LIFE_RERUN ? "without the HLO's schedule nothing can be asked of another form"
                     : k->original->loops.n           ? "no loop here has a known trip count: nothing to lengthen or unroll"
                                                      : "no loop here: nothing to lengthen or unroll";
    }
    arena_free(&scratch);
}

void stock_open(struct stock *k, const struct program *p, const char *dir, uint64_t limit)
{
    *k = (struct stock){.original = p, .limit = limit};
    if (!open_example(k, dir))
        open_own(k);
    if (k->kind == FORMS_NONE)
        return;
    struct stock_entry *e = add(k, &k->first);
    e->program = p;
    measure_compiled(k, &e->figure, p);
}

void stock_free(struct stock *k)
{
    for (uint32_t i = 0; i < k->entries.n; i++)
        drop_program(entry_at(k, i));
    if (k->kind == FORMS_EXAMPLE)
        variants_free(&k->variants);
    arena_free(&k->arena);
    *k = (struct stock){0};
}

struct form stock_target(const struct stock *k, struct form f, int by)
{
    if (k->kind != FORMS_EXAMPLE)
        return f;
    struct variant v = variants_target(&k->variants, stock_variant(k, &f), by);
    for (uint32_t i = 0; i < k->n_targets; i++)
        if (strcmp(k->target[i], v.target) == 0)
            f.target = i;
    f.width = v.width;
    return f;
}

struct form stock_counterpart(const struct form *f)
{
    struct form to = *f;
    to.unroll = f->unroll >= f->seqlen ? 1 : VARIANT_FULL;
    return to;
}
