#include "core/analysis/explain/hints_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer bytes than a hundredth of the peak change nothing, and nobody counts in KiB. */
#define FLOOR_SHARE 100
#define FLOOR_BYTES (64u << 10)

const char *hint_name(struct hinting *c, const char *name)
{
    enum { MOST = 60 };
    size_t len = strlen(name);
    if (len <= MOST)
        return name;
    return arena_printf(&c->out->arena, "%.*s...%s", MOST - 23, name, name + len - 20);
}

struct hint *hint_say(struct hinting *c, const char *id, uint64_t bytes, buf_id b, const char *fmt, ...)
{
    struct hints *out = c->out;
    char text[1600], source[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct hint *hint = list_add(&out->arena, &c->found, sizeof *hint);
    *hint = (struct hint){.id = id, .bytes = bytes, .buffer = b,
                          .text = arena_text(&out->arena, text, strlen(text))};
    if (b != BUF_NONE && program_source(c->p, b, source, sizeof source))
        hint->source = arena_text(&out->arena, source, strlen(source));
    return hint;
}

buf_id hint_at_peak(const struct hinting *c, value_id v)
{
    return c->at_peak && v < c->p->dataflow.n ? c->at_peak[c->p->dataflow.set[v]] : BUF_NONE;
}

/* Of equal bytes, what explains others stands before them. */
static int rank(const char *id)
{
    static const char *const ids[] = {
        "near-limit", "residual-is-carry", "residual-computed", "constant-stacked",
        "residual-from-invariant", "carry-is-scaled", "remainder-copies-stack", "peeled-to-no-loop",
        "residual-f32", "slice-copied", "unroll-stores-slices", "row-sum-as-dot", "cotangent-carry",
        "last-carry-unused"};
    int n = sizeof ids / sizeof *ids;
    for (int k = 0; k < n; k++)
        if (strcmp(ids[k], id) == 0)
            return k;
    return n;
}

static int by_use(const void *a, const void *b)
{
    const struct hint *x = a, *y = b;
    if (x->tells != y->tells)
        return x->tells ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    int order = rank(x->id) - rank(y->id);
    order = order ? order : strcmp(x->id, y->id);
    return order ? order : (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static void find_alive(struct hinting *c)
{
    const struct program *p = c->p;
    c->alive = arena_array(&c->scratch, (size_t)p->n + 1, sizeof *c->alive);
    c->own = arena_array(&c->scratch, (size_t)p->n + 1, sizeof *c->own);
    uint32_t n = program_alive(p, p->peak, c->alive, c->own);
    for (uint32_t k = 0; k < n; k++) {
        if (!p->main[c->alive[k]])
            continue;
        c->alive[c->n_alive] = c->alive[k];
        c->own[c->n_alive++] = c->own[k];
    }
    if (!c->h)
        return;
    c->at_peak = arena_array(&c->scratch, (size_t)p->dataflow.n + 1, sizeof *c->at_peak);
    memset(c->at_peak, 0xFF, ((size_t)p->dataflow.n + 1) * sizeof *c->at_peak);
    for (uint32_t k = 0; k < c->n_alive; k++) {
        buf_id b = c->alive[k], *best = &c->at_peak[p->dataflow.set[p->value[b]]];
        if (*best == BUF_NONE || p->size[b] > p->size[*best])
            *best = b;
    }
}

static void sort_hints(struct hints *h, struct list found)
{
    h->items = found.items;
    h->n = found.n;
    if (h->n)
        qsort(h->items, h->n, sizeof *h->items, by_use);
}

void hints_find(struct hints *h, const struct program *p, uint64_t limit)
{
    *h = (struct hints){0};
    if (p->lives == LIFE_NONE)
        return;
    struct hinting c = {.p = p, .limit = limit, .out = h};
    c.h = p->module->has_hlo ? &p->module->hlo : NULL;
    c.floor = p->live[p->peak] / FLOOR_SHARE;
    if (c.floor < FLOOR_BYTES)
        c.floor = FLOOR_BYTES;
    find_alive(&c);
    hints_of_limits(&c);
    if (p->lives == LIFE_RERUN) {
        hints_of_padding(&c);
        hints_of_params(&c);
        hints_find_transposed(&c);
        hints_of_stacks(&c);
        hints_of_slices(&c);
        hints_of_carries(&c);
    }
    sort_hints(h, c.found);
    arena_free(&c.scratch);
}

void hints_free(struct hints *h)
{
    arena_free(&h->arena);
}

/* Bytes of the main space's temporaries that some buffer lies in at some time.  The others are no
 * gaps but the compiler's own (on TPU). */
static uint64_t covered(const struct program *p)
{
    const struct assignment *a = &p->module->assignment;
    uint64_t sum = 0, end = 0;
    for (uint32_t k = 0; k < p->n; k++) { /* by group, then offset */
        buf_id b = p->order[k];
        if (k == 0 || program_group(p, b) != program_group(p, p->order[k - 1]))
            end = 0;
        if (!p->main[b] || p->alloc[b] == ALLOC_NONE || !allocation_is_temp(assignment_alloc(a, p->alloc[b])))
            continue;
        uint64_t first = p->offset[b] > end ? p->offset[b] : end, last = p->offset[b] + p->size[b];
        if (last <= first)
            continue;
        sum += last - first;
        end = last;
    }
    return sum;
}

void hints_add_waste(struct hints *h, const struct program *p, uint64_t bound, uint64_t waste)
{
    struct hinting c = {.p = p, .out = h, .found = {h->items, h->n, h->n}};
    uint64_t need = program_need(p, NULL), used = covered(p);
    if (used <= bound)
        return;
    waste = used - bound < waste ? used - bound : waste;
    if (waste < FLOOR_BYTES || waste < need / FLOOR_SHARE)
        return;
    hint_say(&c, "fragmentation", waste, BUF_NONE,
             "The temporaries of this schedule need %s at once, and XLA spreads them over %s: %s are gaps "
             "between buffers of different sizes and lives.  No line of the program asks for them; they "
             "go when sizes change (another unroll, batch or precision).",
             hint_size(bound).text, hint_size(bound + waste).text, hint_size(waste).text);
    sort_hints(h, c.found);
}
