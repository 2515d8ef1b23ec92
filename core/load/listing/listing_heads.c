/* What begins a listing or a part of one: messages, heads, sums. */
#include "core/load/listing/listing_reader.h"

#include <ctype.h>
#include <string.h>

/* The size that stands behind `before` in a text. */
static struct listing_bytes size_after(const char *text, const char *before)
{
    struct listing_bytes b = {0};
    const char *at = strstr(text, before), *end;
    if (!at || !listing_size(at + strlen(before), &b, &end))
        return (struct listing_bytes){0};
    return b;
}

static bool same(struct listing_bytes a, struct listing_bytes b)
{
    uint64_t apart = a.bytes > b.bytes ? a.bytes - b.bytes : b.bytes - a.bytes;
    return a.known == b.known && apart <= a.off + b.off + 512;
}

/* ---- Messages ---- */

/* A message that is repeated before its listing comes is the same one. */
static bool is_again(const struct listing *l, enum listing_form form, struct listing_bytes requested)
{
    return l && l->form == form && !l->buffers.n && !l->figures.n &&
           (!l->requested.known || same(l->requested, requested));
}

static void inherit_pool(struct listing_reader *r, struct listing *l)
{
    const struct listing *p = &r->pool;
    if (!p->line || !same(p->requested, l->requested))
        return;
    l->capacity = p->capacity;
    l->in_use = p->in_use;
    l->free = p->free;
    l->largest_free = p->largest_free;
    l->space = p->space;
}

/* "Out of memory while trying to allocate 21475397440 bytes." */
bool listing_on_trying(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    (void)word;
    if (!listing_size(rest, &b, &end))
        return false;
    if (r->now && r->now->form == LISTING_POOL && same(r->now->requested, b)) {
        r->pool = *r->now;
        r->now->times = r->now->buffers.n || r->now->capacity.known; /* else it is the same failure */
    }
    struct listing *l = is_again(r->now, LISTING_MESSAGE, b) ? r->now : listing_fresh(r, LISTING_MESSAGE);
    l->requested = b;
    inherit_pool(r, l);
    return true;
}

/* "Allocator (GPU_0_bfc) ran out of memory trying to allocate 16.00GiB (rounded to 17179869184)…" */
bool listing_on_pool(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end, *name = strstr(r->line, "Allocator (");
    if (!listing_size(rest, &b, &end))
        return false;
    if (!is_again(r->now, LISTING_POOL, b))
        listing_fresh(r, LISTING_POOL);
    r->now->requested = b;
    if (name && name < word) {
        name += strlen("Allocator (");
        r->now->space = arena_text(r->a, name, strcspn(name, ")"));
    }
    return true;
}

/* "hbm. Used 21.30G of 15.75G hbm. Exceeded hbm capacity by 5.55G." */
bool listing_on_ran_out(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes used = size_after(rest, "Used ");
    struct listing *l = r->now;
    (void)word;
    if (!l || l->form != LISTING_TPU || l->buffers.n || l->figures.n || !same(l->used, used))
        l = listing_fresh(r, LISTING_TPU);
    l->space = arena_text(r->a, rest, strcspn(rest, " .,"));
    l->used = used;
    if (used.known)
        l->capacity = size_after(strstr(rest, "Used "), " of ");
    l->exceeded = size_after(rest, "capacity by ");
    return true;
}

/* "size 18.00M and limit 16.00M exceeded scoped vmem limit by 2.00M." */
bool listing_on_scoped(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    struct listing *l = listing_begin(r, LISTING_TPU);
    if (l->used.known)
        l = listing_fresh(r, LISTING_TPU);
    l->used = size_after(rest, "size ");
    l->capacity = size_after(rest, "limit ");
    l->exceeded = size_after(rest, "limit by ");
    return true;
}

static void name_program(struct listing_reader *r, struct listing *l)
{
    const char *at = strstr(r->line, "loading program '");
    if (!at)
        return;
    at += strlen("loading program '");
    l->program = arena_text(r->a, at, strcspn(at, "'"));
}

/* "3.95G at the bottom of memory. That was not possible. There are 1.92G free, …" */
bool listing_on_reserve(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    (void)word;
    if (!listing_size(rest, &b, &end) || !strstr(rest, "not possible"))
        return false;
    if (!is_again(r->now, LISTING_RESERVATION, b))
        listing_fresh(r, LISTING_RESERVATION);
    r->now->requested = b;
    r->now->free = size_after(rest, "There are ");
    r->now->largest_free = size_after(rest, "reserved, and ");
    r->now->space = "hbm";
    name_program(r, r->now);
    return true;
}

/* "2.58GiB by rematerialization; only reduced to 31.49GiB (33811139404 bytes)" */
bool listing_on_budget(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    (void)word;
    if (!listing_size(rest, &b, &end) || !strstr(end, "rematerialization"))
        return false;
    struct listing *l = r->now && r->now->form == LISTING_MESSAGE && same(r->now->budget, b)
                            ? r->now : listing_fresh(r, LISTING_MESSAGE);
    l->budget = b;
    l->used = size_after(end, "reduced to ");
    return true;
}

/* ---- Heads ---- */

bool listing_on_stats(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    struct listing *l = listing_begin(r, LISTING_GPU);
    if (l->figures.n || l->buffers.n)
        listing_fresh(r, LISTING_GPU);
    r->section = SECTION_FIGURES;
    r->part = PART_STATS;
    return true;
}

bool listing_on_peak_buffers(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    if (listing_begin(r, LISTING_GPU)->buffers.n)
        listing_fresh(r, LISTING_GPU);
    r->section = SECTION_BUFFERS;
    r->in_buffer = false;
    return true;
}

/* One of the lines of the stats. */
bool listing_on_stat(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    if (!listing_size(rest, &b, &end))
        return false;
    size_t len = (size_t)(rest - word) - 1;
    if (listing_begin(r, LISTING_GPU)->buffers.n)
        listing_fresh(r, LISTING_GPU);
    listing_add_figure(r, PART_STATS, word, len, b, NULL);
    if (strncmp(word, "total allocation", len) == 0)
        r->now->total = b;
    return true;
}

/* A head of the TPU's: the same listing until it has had that head. */
static struct listing *tpu(struct listing_reader *r, bool had)
{
    struct listing *l = r->now;
    bool goes_on = l && (l->form == LISTING_RESERVATION || l->form == LISTING_TPU);
    return goes_on && !had && !l->buffers.n ? l : listing_fresh(r, LISTING_TPU);
}

static void figures_of(struct listing_reader *r, enum listing_part part)
{
    r->section = SECTION_FIGURES;
    r->part = part;
    r->in_buffer = false;
}

/* ">= 21.55G:" behind "Total hbm usage" */
bool listing_on_usage(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    if (!listing_size(rest, &b, &end))
        return false;
    struct listing *l = tpu(r, r->now && r->now->total.known);
    l->total = b;
    const char *space = word > r->line + 1 ? word - 1 : word;
    while (space > r->line && isalnum((unsigned char)space[-1]))
        space--;
    if (!l->space && space < word - 1)
        l->space = arena_text(r->a, space, (size_t)(word - 1 - space));
    figures_of(r, PART_TOTAL);
    return true;
}

static bool has_part(const struct listing *l, enum listing_part part)
{
    for (uint32_t k = 0; l && k < l->figures.n; k++)
        if (listing_figure(l, k)->part == part)
            return true;
    return false;
}

/* "hbm requirement 17.29G:" */
bool listing_on_requirement(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    (void)word;
    size_t len = strcspn(rest, " ");
    if (strncmp(rest + len, " requirement ", 13) != 0 || !listing_size(rest + len + 13, &b, &end))
        return false;
    const struct listing *now = r->now;
    bool other = now && now->used.known && !now->capacity.known && !now->total.known && !same(now->used, b);
    struct listing *l = tpu(r, other || has_part(now, PART_PROGRAM));
    if (!l->space)
        l->space = arena_text(r->a, rest, len);
    figures_of(r, PART_PROGRAM);
    if (!l->used.known && l->form == LISTING_TPU)
        l->used = b;
    return true;
}

bool listing_on_largest(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    struct listing *l = listing_begin(r, LISTING_TPU);
    size_t len = strcspn(rest, ": *.");
    if (l->buffers.n)
        l = listing_fresh(r, LISTING_TPU);
    if (!l->space)
        l->space = arena_text(r->a, rest, len);
    r->section = SECTION_BUFFERS;
    r->in_buffer = false;
    return true;
}

bool listing_on_persistent(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    if (r->now && (r->now->form == LISTING_TPU || r->now->form == LISTING_RESERVATION))
        figures_of(r, PART_PERSISTENT);
    return true;
}

bool listing_on_heap(struct listing_reader *r, const char *word, const char *rest)
{
    listing_on_persistent(r, word, rest);
    r->part = PART_HEAP;
    return true;
}

/* "4.00G; shares 4.00G with arguments." */
bool listing_on_output(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    (void)word;
    if (!r->now || r->now->form != LISTING_TPU || !listing_size(rest, &b, &end))
        return false;
    const char *shares = strstr(end, "shares ");
    listing_add_figure(r, PART_TOTAL, "output", 6, b, shares);
    return true;
}

/* "HBM capacity 8.00G:" */
bool listing_on_capacity(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    (void)word;
    if (!r->now || r->now->form != LISTING_RESERVATION || !listing_size(rest, &b, &end))
        return false;
    r->now->capacity = b;
    return true;
}

/* "Currently allocated:    6.08G (   6,532,939,776 bytes)", and what it says of the request. */
bool listing_on_runtime(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    size_t len = (size_t)(rest - word) - 1;
    if (!r->now || r->now->form != LISTING_RESERVATION)
        return false;
    rest += strspn(rest, " \t");
    bool negative = *rest == '-';
    if (!listing_size(rest + negative, &b, &end))
        return false;
    listing_add_figure(r, PART_RUNTIME, word, len, b, NULL);
    listing_figure(r->now, r->now->figures.n - 1)->negative = negative;
    if (strncmp(word, "Currently allocated", len) == 0)
        r->now->in_use = b;
    else if (strncmp(word, "Program requirement", len) == 0)
        r->now->requested = b;
    else if (strncmp(word, "Available after request", len) == 0 && negative)
        r->now->exceeded = b;
    return true;
}

/* ---- Reports ---- */

/* "default (color=0)" */
bool listing_on_space(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    if (!strstr(rest, "(color="))
        return false;
    listing_fresh(r, LISTING_REPORT)->space = arena_text(r->a, rest, strlen(rest));
    return true;
}

bool listing_on_total_bytes(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    bool used = strncmp(word, "Total bytes used", 16) == 0;
    if (!listing_size(rest, &b, &end) || (!used && (!r->now || r->now->form != LISTING_REPORT)))
        return false;
    if (used)
        listing_fresh(r, LISTING_REPORT);
    r->now->total = b;
    return true;
}

/* The second table of a report up to jax 0.9 has what the first has, and more. */
bool listing_on_by_allocation(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    if (!r->now || r->now->form != LISTING_REPORT)
        return false;
    r->now->buffers.n = 0;
    r->by_allocation = true;
    r->in_buffer = r->whole = false;
    return true;
}

/* ---- Pools ---- */

bool listing_on_pool_figure(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    if (!r->now || r->now->form != LISTING_POOL || !listing_size(rest, &b, &end))
        return false;
    struct listing *l = r->now;
    if (strncmp(word, "Limit", 5) == 0)
        l->capacity = b;
    else if (strncmp(word, "InUse", 5) == 0 || !l->in_use.known)
        l->in_use = b;
    return true;
}

/* "3502964736 memory_limit_: 3502964736 available bytes: 0 …" */
bool listing_on_pool_total(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    if (!r->now || r->now->form != LISTING_POOL)
        return false;
    r->now->total = size_after(rest, "");
    if (!r->now->capacity.known)
        r->now->capacity = size_after(rest, "memory_limit_: ");
    return true;
}
