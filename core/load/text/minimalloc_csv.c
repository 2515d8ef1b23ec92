#include "core/load/text/minimalloc_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const names[N_COLUMNS] = {"id",        "lower", "upper", "size",
                                             "alignment", "gaps",  "hint",  "offset"};

struct reader {
    struct arena *a;
    const struct file *file;
    struct minimalloc *m;
    struct diag *d;
    const char *line, *end; /* the line at hand, without its line end */
    unsigned number;        /* of it, from 1 */
    struct list fields, buffers, gaps;
    uint64_t sum;
};

static unsigned column_of(const struct reader *r, const char *at)
{
    return (unsigned)(at - r->line) + 1;
}

/* The next line that is not empty. */
static bool next_line(struct reader *r, const char **at)
{
    const char *stop = r->file->text + r->file->size;
    while (*at < stop) {
        const char *newline = memchr(*at, '\n', (size_t)(stop - *at));
        r->line = *at;
        r->end = newline ? newline : stop;
        *at = newline ? newline + 1 : stop;
        r->number++;
        if (r->end > r->line && r->end[-1] == '\r')
            r->end--;
        if (r->end > r->line)
            return true;
    }
    return false;
}

/* Cuts the line at its commas into fields. */
static uint32_t split(struct reader *r)
{
    uint32_t n = 0;
    for (const char *at = r->line;; n++) {
        const char *comma = memchr(at, ',', (size_t)(r->end - at));
        const char *end = comma ? comma : r->end;
        struct minimalloc_field *f = list_add(r->a, &r->fields, sizeof *f);
        *f = (struct minimalloc_field){at, (uint32_t)(end - at)};
        if (!comma)
            return n + 1;
        at = comma + 1;
    }
}

/* A field without the blanks around it. */
static struct minimalloc_field trim(struct minimalloc_field f)
{
    while (f.len && (f.text[0] == ' ' || f.text[0] == '\t')) {
        f.text++;
        f.len--;
    }
    while (f.len && (f.text[f.len - 1] == ' ' || f.text[f.len - 1] == '\t'))
        f.len--;
    return f;
}

/* Enough of a field to show. */
static int shown(struct minimalloc_field f)
{
    return f.len < 60 ? (int)f.len : 60;
}

/* An id is free text, and written as it was read, perhaps to a terminal. */
static bool check_id(struct reader *r, struct minimalloc_field f)
{
    size_t safe = text_safe_len(f.text, f.len);
    if (safe == f.len)
        return true;
    diag_at(r->d, r->file->name, r->number, column_of(r, f.text + safe), "an id with a byte 0x%02X",
            (unsigned char)f.text[safe]);
    return diag_hint(r->d, "ids are printable UTF-8, without characters that turn or hide text");
}

static bool read_header(struct reader *r)
{
    struct minimalloc *m = r->m;
    const char *file = r->file->name;
    uint32_t n = split(r);
    unsigned seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct minimalloc_field f = trim(((struct minimalloc_field *)r->fields.items)[i]);
        unsigned k = 0, col = column_of(r, f.text);
        while (k < N_COLUMNS && (strlen(names[k]) != f.len || memcmp(names[k], f.text, f.len) != 0))
            k++;
        if (k == N_COLUMNS) {
            diag_at(r->d, file, r->number, col, "no column is called \"%.*s\"", shown(f), f.text);
            return diag_hint(r->d, "the columns are id, lower, upper, size, alignment, gaps, hint, offset");
        }
        if (seen & 1u << k)
            return diag_at(r->d, file, r->number, col, "a second column %s", names[k]);
        seen |= 1u << k;
        m->columns[m->n_columns++] = (enum minimalloc_column)k;
    }
    for (unsigned k = COLUMN_ID; k <= COLUMN_SIZE; k++)
        if (!(seen & 1u << k)) {
            diag_at(r->d, file, r->number, 1, "the header has no column %s", names[k]);
            return diag_hint(r->d, "id, lower, upper and size are needed");
        }
    m->has_offset = seen & 1u << COLUMN_OFFSET;
    m->crlf = *r->end == '\r';
    return true;
}

/* Digits at *at, before `end`. */
static bool read_digits(const char **at, const char *end, uint64_t *out)
{
    const char *from = *at;
    *out = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(**at - '0'), out))
            return false;
    return *at > from;
}

static bool read_number(struct reader *r, enum minimalloc_column column, struct minimalloc_field f,
                        uint64_t *out)
{
    const char *at = f.text, *end = f.text + f.len;
    if (read_digits(&at, end, out) && at == end)
        return true;
    return diag_at(r->d, r->file->name, r->number, column_of(r, f.text),
                   "%s \"%.*s\" is not a whole number below 2^64", names[column], shown(f), f.text);
}

/* "5-7 9-12" */
static bool read_gaps(struct reader *r, struct minimalloc_field f, struct span *span)
{
    const char *at = f.text, *end = f.text + f.len;
    span->first = r->gaps.n;
    while (at < end) {
        const char *from = at;
        struct pack_range gap;
        bool ok = read_digits(&at, end, &gap.lower) && at < end && *at++ == '-' &&
                  read_digits(&at, end, &gap.upper) && (at == end || *at == ' ');
        if (!ok) {
            diag_at(r->d, r->file->name, r->number, column_of(r, from), "\"%.*s\" is not a gap",
                    shown(f), f.text);
            return diag_hint(r->d, "gaps look like 5-7 9-12");
        }
        while (at < end && *at == ' ')
            at++;
        *(struct pack_range *)list_add(r->a, &r->gaps, sizeof gap) = gap;
        span->n++;
    }
    return true;
}

static bool check_gaps(struct reader *r, const struct pack_buffer *b, unsigned col)
{
    uint64_t from = b->lower, alive = b->upper - b->lower;
    for (uint32_t k = 0; k < b->gaps.n; k++) {
        const struct pack_range *gap = (struct pack_range *)r->gaps.items + b->gaps.first + k;
        const char *what = gap->lower >= gap->upper ? "is empty"
                           : gap->lower < b->lower || gap->upper > b->upper
                               ? "is not inside the buffer's life"
                           : gap->lower < from ? "comes before the end of the gap before it"
                                               : NULL;
        if (what)
            return diag_at(r->d, r->file->name, r->number, col, "gap %" PRIu64 "-%" PRIu64 " %s",
                           gap->lower, gap->upper, what);
        from = gap->upper;
        alive -= gap->upper - gap->lower;
    }
    return alive || diag_at(r->d, r->file->name, r->number, col,
                            "the gaps leave no time at which the buffer is alive");
}

static bool check_buffer(struct reader *r, const struct pack_buffer *b, const unsigned *col)
{
    const char *file = r->file->name;
    if (b->lower >= b->upper) {
        diag_at(r->d, file, r->number, col[COLUMN_UPPER],
                "upper %" PRIu64 " is not above lower %" PRIu64, b->upper, b->lower);
        return diag_hint(r->d, "lives are half-open: upper is the last step + 1");
    }
    if (!check_gaps(r, b, col[COLUMN_GAPS]))
        return false;
    if (b->size > PACK_MOST - r->sum || b->alignment > PACK_MOST - r->sum - b->size)
        return diag_at(r->d, file, r->number, col[COLUMN_SIZE],
                       "sizes and alignments add up to more than 2^61 bytes here");
    r->sum += b->size + b->alignment;
    return true;
}

static bool read_row(struct reader *r)
{
    struct minimalloc *m = r->m;
    uint32_t base = r->fields.n, n = split(r);
    const char *file = r->file->name;
    if (n != m->n_columns)
        return diag_at(r->d, file, r->number, 1, "%u fields, but the header has %u", n, m->n_columns);
    struct pack_buffer b = {.hint = PACK_NONE};
    uint64_t values[N_COLUMNS] = {0}, offset = PACK_NONE;
    unsigned col[N_COLUMNS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct minimalloc_field f = trim(((struct minimalloc_field *)r->fields.items)[base + i]);
        enum minimalloc_column k = m->columns[i];
        col[k] = column_of(r, f.text);
        if (k == COLUMN_ID && !check_id(r, f))
            return false;
        if (k == COLUMN_ID || (k > COLUMN_SIZE && !f.len))
            continue;
        if (k == COLUMN_GAPS ? !read_gaps(r, f, &b.gaps) : !read_number(r, k, f, &values[k]))
            return false;
        if (k == COLUMN_ALIGNMENT && !values[k])
            return diag_at(r->d, file, r->number, col[k], "an alignment of 0");
        if (k == COLUMN_HINT)
            b.hint = values[k];
        else if (k == COLUMN_OFFSET)
            offset = values[k];
    }
    b.lower = values[COLUMN_LOWER];
    b.upper = values[COLUMN_UPPER];
    b.size = values[COLUMN_SIZE];
    b.alignment = values[COLUMN_ALIGNMENT];
    if (b.hint == PACK_NONE)
        b.hint = offset;
    *(struct pack_buffer *)list_add(r->a, &r->buffers, sizeof b) = b;
    return check_buffer(r, &b, col);
}

bool minimalloc_read(struct arena *a, struct minimalloc *m, const struct file *f, struct diag *d)
{
    struct reader r = {.a = a, .file = f, .m = m, .d = d};
    const char *at = f->text;
    *m = (struct minimalloc){0};
    if (!next_line(&r, &at)) {
        diag_file(d, f->name, "is empty");
        return diag_hint(d, "the first line names the columns: id,lower,upper,size");
    }
    if (!read_header(&r))
        return false;
    while (next_line(&r, &at))
        if (!read_row(&r))
            return false;
    m->n = r.buffers.n;
    m->header = r.fields.items;
    m->fields = m->header + m->n_columns;
    m->buffers = r.buffers.items;
    m->gaps = r.gaps.items;
    return true;
}

struct pack_problem minimalloc_problem(const struct minimalloc *m)
{
    return (struct pack_problem){m->buffers, m->gaps, m->n};
}

/* ---- Writing ---- */

/* Each returns the bytes it takes, and only counts them when out is NULL. */
static size_t put(char *out, const char *text, size_t len)
{
    if (out)
        memcpy(out, text, len);
    return len;
}

static size_t put_line(char *out, const struct minimalloc *m, const struct minimalloc_field *f,
                       const char *offset)
{
    size_t used = 0;
    for (uint32_t i = 0; i < m->n_columns; i++) {
        if (i)
            used += put(out ? out + used : NULL, ",", 1);
        if (offset && m->columns[i] == COLUMN_OFFSET)
            used += put(out ? out + used : NULL, offset, strlen(offset));
        else
            used += put(out ? out + used : NULL, f[i].text, f[i].len);
    }
    if (offset && !m->has_offset) {
        used += put(out ? out + used : NULL, ",", 1);
        used += put(out ? out + used : NULL, offset, strlen(offset));
    }
    return used + put(out ? out + used : NULL, m->crlf ? "\r\n" : "\n", m->crlf ? 2 : 1);
}

static size_t put_all(char *out, const struct minimalloc *m, const uint64_t *offset)
{
    char number[24];
    const char *title = offset && !m->has_offset ? names[COLUMN_OFFSET] : NULL;
    size_t used = put_line(out, m, m->header, title);
    for (uint32_t i = 0; i < m->n; i++) {
        if (offset)
            snprintf(number, sizeof number, "%" PRIu64, offset[i]);
        used += put_line(out ? out + used : NULL, m, m->fields + (size_t)i * m->n_columns,
                         offset ? number : NULL);
    }
    return used;
}

const char *minimalloc_write(struct arena *a, const struct minimalloc *m, const uint64_t *offset,
                             size_t *size)
{
    *size = put_all(NULL, m, offset);
    char *out = arena_get(a, *size + 1);
    put_all(out, m, offset);
    return out;
}
