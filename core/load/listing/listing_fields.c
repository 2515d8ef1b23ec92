/* What stands behind the words of a listing: fields of buffers, rows of reports, figures. */
#include "core/load/listing/listing_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct listing_buffer *last(struct listing_reader *r)
{
    return r->now && r->now->buffers.n ? listing_buffer(r->now, r->now->buffers.n - 1) : NULL;
}

/* The buffer that fields go to; NULL outside a listing's buffers. */
static struct listing_buffer *open_buffer(struct listing_reader *r)
{
    return r->in_buffer ? last(r) : NULL;
}

/* A copy without blanks and what quotes a line at its end. */
static const char *trimmed(struct listing_reader *r, const char *text)
{
    size_t n = strlen(text);
    while (n && strchr(" \t", text[n - 1]))
        n--;
    return arena_text(r->a, text, n);
}

/* ---- Beginnings ---- */

/* "12:", alone behind the word. */
bool listing_take_buffer(struct listing_reader *r, const char *word, const char *rest)
{
    char *end;
    (void)word;
    if (!isdigit((unsigned char)*rest))
        return false;
    unsigned long n = strtoul(rest, &end, 10);
    if (*end != ':' || end[1 + strspn(end + 1, " \t")])
        return false;
    struct listing *l = listing_begin(r, LISTING_GPU);
    if (l->buffers.n && n == 1)
        l = listing_fresh(r, LISTING_GPU);
    if (!l->buffers.n && n > 1 && n <= UINT32_MAX)
        l->cut = (uint32_t)n - 1;
    listing_add_buffer(r);
    return true;
}

/* The number of "3. Size:" or "3\. Size:" before the word; 0: there is none. */
static uint32_t number_before(const char *line, const char *word)
{
    const char *at = word;
    while (at > line && at[-1] == ' ')
        at--;
    if (at == word || at == line || at[-1] != '.')
        return 0;
    at--;
    if (at > line && at[-1] == '\\')
        at--;
    const char *end = at;
    while (at > line && end - at < 9 && isdigit((unsigned char)at[-1]))
        at--;
    return at < end ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

bool listing_take_size(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end;
    uint32_t n = number_before(r->line, word);
    if (!listing_size(rest, &b, &end))
        return false;
    if (n) {
        struct listing *l = r->now && r->now->form == LISTING_RESERVATION ? r->now : listing_begin(r, LISTING_TPU);
        if (l->buffers.n && n == 1)
            l = listing_fresh(r, LISTING_TPU);
        if (!l->buffers.n && n > 1)
            l->cut = n - 1;
        listing_add_buffer(r)->size = b;
        return true;
    }
    struct listing_buffer *x = open_buffer(r);
    if (!x || x->size.known)
        return false;
    x->size = b;
    return true;
}

/* ---- Fields ---- */

/* op_name="…" source_file="…" source_line=41 deduplicated_name="…" */
bool listing_take_operator(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_buffer *b = open_buffer(r);
    (void)word;
    if (!b)
        return false;
    b->op_name = listing_quoted(r->a, rest, "op_name=\"");
    b->file = listing_quoted(r->a, rest, "source_file=\"");
    const char *line = strstr(rest, "source_line=");
    unsigned long n = line ? strtoul(line + strlen("source_line="), NULL, 10) : 0;
    b->source_line = n <= UINT32_MAX ? (uint32_t)n : 0;
    const char *name = listing_quoted(r->a, rest, "deduplicated_name=\"");
    if (name)
        b->name = name;
    return true;
}

bool listing_take_parameter(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_buffer *b = open_buffer(r);
    (void)word;
    if (!b)
        return false;
    b->kind = b->name = "parameter";
    b->shape = trimmed(r, rest);
    listing_exact(&b->size, b->shape, true);
    return true;
}

/* "fusion.12 = fusion(…)", "%fusion.12 = f32[…] fusion(…)", "fusion" */
bool listing_take_label(struct listing_reader *r, const char *word, const char *rest)
{
    bool tpu = r->now && r->now->form != LISTING_GPU;
    (void)word;
    if (!r->in_buffer && tpu && r->section == SECTION_BUFFERS)
        listing_add_buffer(r); /* vmem's are neither numbered nor sized */
    struct listing_buffer *b = open_buffer(r);
    if (!b)
        return false;
    const char *name = rest + (*rest == '%'), *equals = strstr(name, " = ");
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    b->label = trimmed(r, rest);
    if (!b->name)
        b->name = trimmed(r, arena_text(r->a, name, n));
    return true;
}

bool listing_take_shape(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_buffer *b = open_buffer(r);
    (void)word;
    if (!b)
        return false;
    b->shape = trimmed(r, rest);
    listing_exact(&b->size, b->shape, true);
    return true;
}

bool listing_take_unpadded(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_buffer *b = open_buffer(r);
    const char *end;
    (void)word;
    if (!b || !listing_size(rest, &b->unpadded, &end))
        return false;
    r->now->padding = true;
    listing_exact(&b->unpadded, b->shape, false);
    return true;
}

/* Says what size and unpadded size say already; where these are missing it counts. */
bool listing_take_padding(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_buffer *b = open_buffer(r);
    struct listing_bytes extra;
    const char *end;
    (void)word;
    if (!b || !listing_size(rest, &extra, &end))
        return false;
    r->now->padding = true;
    if (!b->unpadded.known && b->size.known && extra.bytes <= b->size.bytes)
        b->unpadded = (struct listing_bytes){true, b->size.bytes - extra.bytes, b->size.off + extra.off};
    return true;
}

/* The last field of a buffer. */
bool listing_take_type(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_buffer *b = open_buffer(r);
    (void)word;
    if (!b)
        return false;
    b->kind = trimmed(r, rest);
    r->in_buffer = b->size.known; /* one without a size ends here */
    return true;
}

/* ---- Reports ---- */

bool listing_take_table(struct listing_reader *r, const char *word, const char *rest)
{
    (void)word;
    r->in_buffer = false;
    if (r->now && r->now->form == LISTING_REPORT && strncmp(rest + strspn(rest, " "), "size; ", 6) == 0 &&
        !r->by_allocation)
        r->kind = arena_printf(r->a, "table %u", (unsigned)++r->tables); /* an allocation each, largest first */
    return true;
}

/* "preallocated-temp", "parameter", … out of an allocation's attributes. */
static const char *kind_of_allocation(struct listing_reader *r, const char *text)
{
    static const char *const kinds[] = {"preallocated-temp", "thread-local", "constant", "maybe-live-out",
                                        "parameter "};
    static const char *const names[] = {"temp", "thread-local", "constant", "output", "parameter"};
    bool output = strstr(text, "maybe-live-out") != NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strstr(text, kinds[k]))
            return output && strstr(text, "parameter ") ? "donated" : arena_text(r->a, names[k], strlen(names[k]));
    return NULL;
}

/* "6: size 512.00KiB, parameter 0, shape |f32[256,256]| at ShapeIndex {}:" of a report */
bool listing_take_allocation(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    char *end;
    const char *behind;
    (void)word;
    if (!r->now || r->now->form != LISTING_REPORT || !isdigit((unsigned char)*rest))
        return false;
    unsigned long n = strtoul(rest, &end, 10);
    if (strncmp(end, ": size ", 7) != 0 || !listing_size(end + 7, &b, &behind))
        return false;
    struct listing_buffer *x = listing_add_buffer(r);
    const char *shape = strchr(behind, '|'), *close = shape ? strchr(shape + 1, '|') : NULL;
    x->size = b;
    x->name = arena_printf(r->a, "allocation %lu", n);
    x->kind = r->kind = kind_of_allocation(r, behind);
    x->shape = close ? arena_text(r->a, shape + 1, (size_t)(close - shape) - 1) : NULL;
    listing_exact(&x->size, x->shape, true);
    r->in_buffer = false;
    r->whole = r->by_allocation;
    return true;
}

/* Behind "384.81GiB( 66%);": where the fields of a row start. */
static const char *behind_share(const char *line)
{
    for (const char *at = line; (at = strstr(at, "%);")); at++) {
        const char *open = at;
        while (open > line && (isdigit((unsigned char)open[-1]) || open[-1] == ' '))
            open--;
        if (open > line && open[-1] == '(' && open - 1 > line && isalnum((unsigned char)open[-2]))
            return at + 3;
    }
    return NULL;
}

/* "1", "2×f32[8], u32[]" -> its first shape where all are one. */
static const char *only_shape(struct listing_reader *r, const char *text)
{
    const char *times = strstr(text, "×");
    int depth = 0;
    text = times && times < strchr(text, '[') ? times + strlen("×") : text;
    for (const char *at = text; *at; at++) {
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (*at == ',' && depth == 0)
            return NULL;
    }
    return trimmed(r, text);
}

/* cumulative size; size; offset; number of values; shapes */
bool listing_take_row(struct listing_reader *r, const char *line)
{
    struct listing_bytes size, offset, values;
    const char *at = behind_share(line);
    if (!at || !listing_size(at, &size, &at) || *at++ != ';' || !listing_size(at, &offset, &at) ||
        *at++ != ';' || !listing_size(at, &values, &at) || *at++ != ';')
        return false;
    if (!r->now || (r->now->form != LISTING_REPORT && r->now->form != LISTING_ROWS))
        listing_fresh(r, LISTING_ROWS);
    if (r->whole && r->now->buffers.n)
        r->now->buffers.n--; /* its rows tell more */
    r->whole = false;
    struct listing_buffer *b = listing_add_buffer(r);
    b->size = size;
    b->offset = offset;
    b->kind = r->kind;
    b->name = arena_printf(r->a, "at %llu", (unsigned long long)offset.bytes);
    b->shape = trimmed(r, at + strspn(at, " "));
    listing_exact(&b->size, strchr(b->shape, '[') ? only_shape(r, b->shape) : NULL, true);
    r->in_buffer = false;
    return true;
}

/* ---- Pools ---- */

/* "45 Chunks of size 256 totalling 11.2KiB" */
bool listing_take_chunks(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes size;
    const char *end, *at = word;
    if (!listing_size(rest, &size, &end) || strncmp(end, " totalling ", 11) != 0)
        return false;
    while (at > r->line && at[-1] == ' ')
        at--;
    const char *behind = at;
    while (at > r->line && behind - at < 18 && isdigit((unsigned char)at[-1]))
        at--;
    if (!r->now || r->now->form != LISTING_POOL)
        listing_fresh(r, LISTING_POOL);
    struct listing_buffer *b = listing_add_buffer(r);
    b->size = size;
    b->count = at < behind ? strtoull(at, NULL, 10) : 1;
    b->name = "chunk";
    b->kind = "in use";
    r->in_buffer = false;
    return true;
}

/* " at 7f2740000000 of size 3328 next 5" */
bool listing_take_free_chunk(struct listing_reader *r, const char *word, const char *rest)
{
    struct listing_bytes b;
    const char *end, *size = strstr(rest, " of size ");
    (void)word;
    if (!r->now || r->now->form != LISTING_POOL || !size || !listing_size(size + 9, &b, &end))
        return false;
    struct listing_bytes *sum = &r->now->free, *most = &r->now->largest_free;
    if (!most->known || b.bytes > most->bytes)
        *most = b;
    if (__builtin_add_overflow(sum->bytes, b.bytes, &sum->bytes))
        sum->bytes = UINT64_MAX;
    sum->known = true;
    return true;
}

/* ---- Figures ---- */

/* Where the name of a figure begins, which ends at `end`: behind two blanks, a tab, or a quoting
 * "|", ">" or "]". */
static const char *name_start(const char *line, const char *end)
{
    const char *at = end;
    while (at > line && at[-1] != '\t' && !(at[-1] == ' ' && (at - 1 == line || strchr(" \t|>]:", at[-2]))))
        at--;
    return at;
}

/* "reserved        258.00M " at its size: the name before it; NULL: that is no figure. */
static const char *figure_name(const char *line, const char *at, const char **end, struct listing_bytes *b)
{
    if (!isdigit((unsigned char)*at) || at == line || !strchr(" \t", at[-1]) || !listing_size(at, b, end) ||
        !strchr(" \t", **end) || !isalpha((unsigned char)(*end)[-1])) /* always with its unit */
        return NULL;
    while (at > line && strchr(" \t", at[-1]))
        at--;
    const char *name = name_start(line, at);
    return name < at && isalpha((unsigned char)*name) ? name : NULL;
}

/* The last one of the line, for what stands before it may have sizes too. */
bool listing_take_figure(struct listing_reader *r, const char *line)
{
    struct listing_bytes b = {0}, one;
    const char *name = NULL, *behind = NULL, *end, *note = NULL;
    if (r->section != SECTION_FIGURES || !r->now)
        return false;
    for (const char *at = line; *at; at++) {
        const char *found = figure_name(line, at, &end, &one);
        if (!found)
            continue;
        name = found;
        for (behind = at; strchr(" \t", behind[-1]); behind--) {
        }
        b = one;
        note = end + strspn(end, " \t");
    }
    if (name)
        listing_add_figure(r, r->part, name, (size_t)(behind - name), b, *note == '(' ? trimmed(r, note) : NULL);
    return name != NULL;
}
