/* Finding listings in a log: which words begin what. */
#include "core/load/listing.h"
#include "core/base/strmap.h"
#include "core/load/listing_reader.h"

#include <ctype.h>
#include <string.h>

const char *listing_form_name(enum listing_form f)
{
    static const char *const names[] = {"message", "gpu", "tpu", "reservation", "pool", "report", "rows"};
    return names[f];
}

const char *listing_part_name(enum listing_part p)
{
    static const char *const names[] = {"allocations", "usage", "program", "persistent", "heap", "runtime"};
    return names[p];
}

/* ---- Beginning and filling ---- */

struct listing *listing_fresh(struct listing_reader *r, enum listing_form form)
{
    struct listing *l = arena_get(r->a, sizeof *l);
    *l = (struct listing){.form = form, .line = r->number, .last = r->number, .times = 1};
    *(struct listing **)list_add(r->a, r->out, sizeof l) = l;
    r->now = l;
    r->section = SECTION_NONE;
    r->in_buffer = r->by_allocation = r->whole = false;
    r->kind = NULL;
    r->tables = 0;
    return l;
}

struct listing *listing_begin(struct listing_reader *r, enum listing_form form)
{
    if (r->now && r->now->form == LISTING_MESSAGE)
        r->now->form = form;
    return r->now && r->now->form == form ? r->now : listing_fresh(r, form);
}

struct listing_buffer *listing_add_buffer(struct listing_reader *r)
{
    struct listing_buffer *b = list_add(r->a, &r->now->buffers, sizeof *b);
    b->count = 1;
    b->line = r->number;
    r->in_buffer = true;
    r->section = SECTION_BUFFERS;
    return b;
}

void listing_add_figure(struct listing_reader *r, enum listing_part part, const char *name, size_t len,
                        struct listing_bytes bytes, const char *note)
{
    struct listing_figure *f = list_add(r->a, &r->now->figures, sizeof *f);
    *f = (struct listing_figure){.part = part, .bytes = bytes, .name = arena_text(r->a, name, len)};
    f->note = note ? arena_text(r->a, note, strlen(note)) : NULL;
}

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
static bool on_trying(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_pool(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_ran_out(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_scoped(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_reserve(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_budget(struct listing_reader *r, const char *word, const char *rest)
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

static bool on_stats(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    struct listing *l = listing_begin(r, LISTING_GPU);
    if (l->figures.n || l->buffers.n)
        listing_fresh(r, LISTING_GPU);
    r->section = SECTION_FIGURES;
    r->part = PART_STATS;
    return true;
}

static bool on_peak_buffers(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    if (listing_begin(r, LISTING_GPU)->buffers.n)
        listing_fresh(r, LISTING_GPU);
    r->section = SECTION_BUFFERS;
    r->in_buffer = false;
    return true;
}

/* One of the lines of the stats. */
static bool on_stat(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_usage(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_requirement(struct listing_reader *r, const char *word, const char *rest)
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

static bool on_largest(struct listing_reader *r, const char *word, const char *rest)
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

static bool on_persistent(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word, (void)rest;
    if (r->now && (r->now->form == LISTING_TPU || r->now->form == LISTING_RESERVATION))
        figures_of(r, PART_PERSISTENT);
    return true;
}

static bool on_heap(struct listing_reader *r, const char *word, const char *rest)
{
    on_persistent(r, word, rest);
    r->part = PART_HEAP;
    return true;
}

/* "4.00G; shares 4.00G with arguments." */
static bool on_output(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_capacity(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_runtime(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_space(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    if (!strstr(rest, "(color="))
        return false;
    listing_fresh(r, LISTING_REPORT)->space = arena_text(r->a, rest, strlen(rest));
    return true;
}

static bool on_total_bytes(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_by_allocation(struct listing_reader *r, const char *word, const char *rest)
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

static bool on_pool_figure(struct listing_reader *r, const char *word, const char *rest)
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
static bool on_pool_total(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    if (!r->now || r->now->form != LISTING_POOL)
        return false;
    r->now->total = size_after(rest, "");
    if (!r->now->capacity.known)
        r->now->capacity = size_after(rest, "memory_limit_: ");
    return true;
}

/* ---- The words ---- */

static const struct {
    const char *word;
    listing_handler *take;
} words[] = {
    {"Out of memory while trying to allocate ", on_trying},
    {"out of memory trying to allocate ", on_pool},
    {"Ran out of memory in memory space ", on_ran_out},
    {"Scoped allocation with ", on_scoped},
    {"Attempting to reserve ", on_reserve},
    {"Attempting to allocate ", on_reserve},
    {"Can't reduce memory use below ", on_budget},
    {"BufferAssignment stats:", on_stats},
    {"Peak buffers:", on_peak_buffers},
    {"parameter allocation:", on_stat},
    {"constant allocation:", on_stat},
    {"maybe_live_out allocation:", on_stat},
    {"preallocated temp allocation:", on_stat},
    {"preallocated temp fragmentation:", on_stat},
    {"total allocation:", on_stat},
    {"total fragmentation:", on_stat},
    {"usage >= ", on_usage},
    {"Program requirement:", on_runtime},
    {"Program ", on_requirement},
    {"Largest program allocations in ", on_largest},
    {"Persistent allocations include", on_persistent},
    {"Heap allocator status", on_heap},
    {"Output size ", on_output},
    {"HBM capacity ", on_capacity},
    {"Top-of-Memory reserved:", on_runtime},
    {"Currently allocated:", on_runtime},
    {"Available after request:", on_runtime},
    {"Memory Space: ", on_space},
    {"Total bytes used: ", on_total_bytes},
    {"Total bytes in pool: ", on_pool_total},
    {"Total bytes: ", on_total_bytes},
    {"Allocations sorted by size with their values", on_by_allocation},
    {"cumulative_size; ", listing_take_table},
    {"allocation ", listing_take_allocation},
    {"Buffer ", listing_take_buffer},
    {"Size: ", listing_take_size},
    {"Operator: ", listing_take_operator},
    {"Entry Parameter Subshape: ", listing_take_parameter},
    {"XLA Label: ", listing_take_label},
    {"XLA label: ", listing_take_label},
    {"Shape: ", listing_take_shape},
    {"Unpadded size: ", listing_take_unpadded},
    {"Extra memory due to padding: ", listing_take_padding},
    {"Allocation type: ", listing_take_type},
    {"Tag: ", listing_take_type},
    {"Chunks of size ", listing_take_chunks},
    {"Free ", listing_take_free_chunk},
    {"Sum Total of in-use chunks: ", on_pool_figure},
    {"Limit: ", on_pool_figure},
    {"InUse: ", on_pool_figure},
};
#define N_WORDS (sizeof words / sizeof *words)

/* Words by their first letter: first[letter], then next[word]; N_WORDS ends a row. */
struct index {
    uint8_t first[256], next[N_WORDS];
};

static void index_words(struct index *x)
{
    memset(x->first, N_WORDS, sizeof x->first);
    for (size_t k = N_WORDS; k-- > 0;) {
        uint8_t *first = &x->first[(unsigned char)words[k].word[0]];
        x->next[k] = *first;
        *first = (uint8_t)k;
    }
}

/* The first word that means something here, if any: it has the rest of the line. */
static bool find_word(struct listing_reader *r, const struct index *x)
{
    for (const char *at = r->line; *at; at++) {
        if (x->first[(unsigned char)*at] == N_WORDS || (at > r->line && isalnum((unsigned char)at[-1])))
            continue;
        for (size_t k = x->first[(unsigned char)*at]; k < N_WORDS; k = x->next[k]) {
            size_t len = strlen(words[k].word);
            if (strncmp(at, words[k].word, len) == 0 && words[k].take(r, at, at + len))
                return true;
        }
    }
    return false;
}

static void read_line(struct listing_reader *r, const struct index *x)
{
    const struct listing *before = r->now;
    if (!find_word(r, x) && !listing_take_row(r, r->line) && !listing_take_figure(r, r->line))
        return;
    if (r->now && r->now == before)
        r->now->last = r->number;
}

/* ---- Each once ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, 0x100);
}

static uint64_t hash_of(const struct listing *l)
{
    uint64_t h = mix(mix(l->form, l->requested.bytes), l->used.bytes);
    h = mix_text(mix(h, l->total.bytes), l->space);
    for (uint32_t k = 0; k < l->figures.n; k++)
        h = mix(mix_text(h, listing_figure(l, k)->name), listing_figure(l, k)->bytes.bytes);
    for (uint32_t k = 0; k < l->buffers.n; k++) {
        const struct listing_buffer *b = listing_buffer(l, k);
        h = mix_text(mix_text(mix(h, b->size.bytes), b->shape), b->op_name);
    }
    return h;
}

/* A message says no more than a listing about the same bytes. */
static uint64_t message_key(const struct listing *l)
{
    return mix(0x51, l->requested.known ? l->requested.bytes : l->used.bytes);
}

static bool says_nothing(const struct listing *l)
{
    return !l->buffers.n && !l->figures.n && !l->requested.known && !l->used.known && !l->total.known;
}

/* Keeps the first of listings that are alike. */
static void drop_repeated(struct list *all)
{
    struct arena scratch = {0};
    struct idmap seen = {0};
    struct listing **items = all->items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->n; i++)
        if (items[i]->form != LISTING_MESSAGE && items[i]->requested.known)
            idmap_put(&scratch, &seen, (int64_t)message_key(items[i]), i);
    for (uint32_t i = 0; i < all->n; i++) {
        struct listing *l = items[i];
        bool message = l->form == LISTING_MESSAGE && !l->budget.known;
        int64_t key = (int64_t)(message ? message_key(l) : hash_of(l));
        uint32_t first = idmap_find(&seen, key);
        if (first != STRMAP_NONE)
            items[first]->times += l->form == items[first]->form && l->times;
        else
            idmap_put(&scratch, &seen, key, i);
        if (first != STRMAP_NONE || says_nothing(l))
            l->times = 0;
    }
    for (uint32_t i = 0; i < all->n; i++)
        if (items[i]->times)
            items[kept++] = items[i];
    all->n = kept;
    arena_free(&scratch);
}

void listing_read(struct arena *a, struct list *out, const struct file *f)
{
    struct listing_reader r = {.a = a, .out = out};
    struct lines lines;
    struct index x;
    index_words(&x);
    lines_start(&lines, f);
    while (lines_next(&lines)) {
        r.line = lines.text;
        r.number = lines.number;
        read_line(&r, &x);
    }
    lines_end(&lines);
    drop_repeated(out);
}
