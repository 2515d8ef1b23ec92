/* Finding listings in a log: which words begin what. */
#include "core/load/listing/listing.h"
#include "core/base/strmap.h"
#include "core/load/listing/listing_reader.h"

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

/* ---- The words ---- */

static const struct {
    const char *word;
    listing_handler *take;
} words[] = {
    {"Out of memory while trying to allocate ", listing_on_trying},
    {"out of memory trying to allocate ", listing_on_pool},
    {"Ran out of memory in memory space ", listing_on_ran_out},
    {"Scoped allocation with ", listing_on_scoped},
    {"Attempting to reserve ", listing_on_reserve},
    {"Attempting to allocate ", listing_on_reserve},
    {"Can't reduce memory use below ", listing_on_budget},
    {"BufferAssignment stats:", listing_on_stats},
    {"Peak buffers:", listing_on_peak_buffers},
    {"parameter allocation:", listing_on_stat},
    {"constant allocation:", listing_on_stat},
    {"maybe_live_out allocation:", listing_on_stat},
    {"preallocated temp allocation:", listing_on_stat},
    {"preallocated temp fragmentation:", listing_on_stat},
    {"total allocation:", listing_on_stat},
    {"total fragmentation:", listing_on_stat},
    {"usage >= ", listing_on_usage},
    {"Program requirement:", listing_on_runtime},
    {"Program ", listing_on_requirement},
    {"Largest program allocations in ", listing_on_largest},
    {"Persistent allocations include", listing_on_persistent},
    {"Heap allocator status", listing_on_heap},
    {"Output size ", listing_on_output},
    {"HBM capacity ", listing_on_capacity},
    {"Top-of-Memory reserved:", listing_on_runtime},
    {"Currently allocated:", listing_on_runtime},
    {"Available after request:", listing_on_runtime},
    {"Memory Space: ", listing_on_space},
    {"Total bytes used: ", listing_on_total_bytes},
    {"Total bytes in pool: ", listing_on_pool_total},
    {"Total bytes: ", listing_on_total_bytes},
    {"Allocations sorted by size with their values", listing_on_by_allocation},
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
    {"Sum Total of in-use chunks: ", listing_on_pool_figure},
    {"Limit: ", listing_on_pool_figure},
    {"InUse: ", listing_on_pool_figure},
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
