/* The grammar, from BufferAllocation::ToString, HloValue::ToShortString and HloLiveRange::ToString
 * in XLA; N is a number, NAME an instruction's, {I} a shape index such as {} or {1,0}:
 *
 *   BufferAssignment:
 *   allocation N: [0xADDRESS, ]size N{, ATTRIBUTE}:
 *    value: <N NAME[{I}][ (phi)][ @COLOR]> (size=N,offset=N): SHAPE
 *
 *   ATTRIBUTE  page N | color N | constant | thread-local | maybe-live-out | preallocated-temp
 *              | parameter N[, shape |SHAPE|][ at ShapeIndex {I}] | output shape is |SHAPE|
 *
 *   Total bytes used: N[ (words)]
 *
 *   Used values:
 *   <N NAME[{I}][ (phi)][ @COLOR]>
 *    positions, uses and instruction of that value, which are not read
 *
 *   HloLiveRange (max N):
 *     InstructionSequence:
 *       N:NAME
 *     BufferLiveRange:
 *       NAME{I}:N-N
 *     Live ranges at N (peak):
 *       NAME[{I}]: N bytes[ (cumulative: N bytes)]
 *     Stack trace breakdown …: a tree, which is not read */
#include "core/load/text/assignment_text.h"
#include "core/base/strmap.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum section {
    SECTION_NONE, SECTION_ALLOCS, SECTION_USED, SECTION_LIVE, SECTION_SEQUENCE, SECTION_RANGES,
    SECTION_PEAK, SECTION_STACK
};

static const char allocs_header[] = "BufferAssignment:";
static const char used_header[] = "Used values:";
static const char live_header[] = "HloLiveRange (max ";
static const char total_header[] = "Total bytes used: ";

struct reader {
    struct assignment *a;
    const struct file *f;
    struct diag *d;
    const char *line, *at, *end; /* the current line, what is left of it; no newline */
    const char *next;            /* where the next line starts */
    unsigned number;             /* of the line, 1-based */
    enum section section;
    bool has_allocs;      /* this file has the allocation section */
    struct strmap texts;  /* names and shapes: interned, they come again and again */
    struct idmap values;  /* XLA's value id -> assignment.values */
    struct arena scratch; /* of `values` */
};

/* ---- One line ---- */

static bool next_line(struct reader *r)
{
    const char *stop = r->f->text + r->f->size;
    if (r->next == stop)
        return false;
    const char *newline = memchr(r->next, '\n', (size_t)(stop - r->next));
    r->line = r->at = r->next;
    r->end = newline ? newline : stop;
    r->next = newline ? newline + 1 : stop;
    if (r->end > r->at && r->end[-1] == '\r')
        r->end--;
    r->number++;
    return true;
}

static unsigned column(const struct reader *r)
{
    return (unsigned)(r->at - r->line) + 1;
}

static size_t left(const struct reader *r)
{
    return (size_t)(r->end - r->at);
}

/* "expected WANT, not "what stands there""; always false. */
static bool expected(const struct reader *r, const char *want)
{
    int shown = left(r) < 40 ? (int)left(r) : 40;
    if (!shown)
        return diag_at(r->d, r->f->name, r->number, column(r),
                       "expected %s, but the line ends here", want);
    if (!*r->at)
        return diag_at(r->d, r->f->name, r->number, column(r), "expected %s, not a zero byte",
                       want);
    return diag_at(r->d, r->f->name, r->number, column(r), "expected %s, not \"%.*s\"%s", want,
                   shown, r->at, left(r) > 40 ? "…" : "");
}

static bool see(const struct reader *r, const char *text)
{
    size_t len = strlen(text);
    return left(r) >= len && memcmp(r->at, text, len) == 0;
}

static bool take(struct reader *r, const char *text)
{
    if (!see(r, text))
        return false;
    r->at += strlen(text);
    return true;
}

static bool need(struct reader *r, const char *text)
{
    char want[48];
    if (take(r, text))
        return true;
    snprintf(want, sizeof want, "\"%s\"", text);
    return expected(r, want);
}

static bool need_end(struct reader *r)
{
    return r->at == r->end || expected(r, "the end of the line");
}

static bool need_number(struct reader *r, const char *what, uint64_t most, uint64_t *out)
{
    if (r->at == r->end || !isdigit((unsigned char)*r->at))
        return expected(r, what);
    const char *from = r->at;
    uint64_t n = 0;
    for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++)
        if (__builtin_mul_overflow(n, 10u, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*r->at - '0'), &n) || n > most) {
            r->at = from;
            return diag_at(r->d, r->f->name, r->number, column(r), "%s is too large, at most %llu",
                           what, (unsigned long long)most);
        }
    *out = n;
    return true;
}

static bool need_u32(struct reader *r, const char *what, uint32_t *out)
{
    uint64_t n;
    if (!need_number(r, what, UINT32_MAX, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

static bool need_color(struct reader *r, int32_t *out)
{
    bool minus = take(r, "-"); /* -1: none was set */
    uint64_t n;
    if (!need_number(r, "a memory space number", INT32_MAX, &n))
        return false;
    *out = minus ? -(int32_t)n : (int32_t)n;
    return true;
}

static bool need_id(struct reader *r, const char *what, int64_t *out)
{
    uint64_t n;
    if (!need_number(r, what, INT64_MAX, &n))
        return false;
    *out = (int64_t)n;
    return true;
}

static bool name_char(char c)
{
    return (unsigned char)c > ' ' && c != '{' && c != '}' && c != '<' && c != '>' && c != ':' &&
           c != 0x7F;
}

/* Names are sanitized by XLA to letters, digits, '_', '.' and '-'. */
static bool need_name(struct reader *r, const char **out)
{
    const char *from = r->at;
    while (r->at < r->end && name_char(*r->at))
        r->at++;
    if (r->at == from)
        return expected(r, "an instruction name");
    *out = strmap_intern(r->a->arena, &r->texts, from, (size_t)(r->at - from));
    return true;
}

/* {} or {1,0} */
static bool need_path(struct reader *r, struct span *out)
{
    *out = (struct span){r->a->paths.n, 0};
    if (!need(r, "{"))
        return false;
    while (!take(r, "}")) {
        int64_t i;
        if ((out->n && !need(r, ",")) || !need_id(r, "a shape index", &i))
            return false;
        *(int64_t *)list_add(r->a->arena, &r->a->paths, sizeof i) = i;
        out->n++;
    }
    return true;
}

static bool ends_shape(char c)
{
    return c == ']' || c == '}' || c == ')' || c == '>'; /* XLA has a "<unknown shape>" */
}

/* Up to `stop`, or to the end of the line when stop is '\0'. */
static bool need_shape(struct reader *r, char stop, const char **out)
{
    const char *from = r->at;
    const char *to = stop ? memchr(from, stop, left(r)) : r->end;
    if (!to) {
        r->at = r->end;
        return expected(r, "a \"|\" behind the shape");
    }
    if (to == from || !ends_shape(to[-1])) {
        r->at = to;
        return expected(r, to == from ? "a shape" : "the end of a shape");
    }
    r->at = to;
    *out = strmap_intern(r->a->arena, &r->texts, from, (size_t)(to - from));
    return true;
}

/* ---- BufferAssignment ---- */

static bool read_parameter(struct reader *r, struct allocation *x)
{
    struct span path;
    uint32_t paths = r->a->paths.n;
    x->flags |= ALLOC_PARAMETER;
    if (!need_id(r, "a parameter number", &x->parameter))
        return false;
    if (take(r, ", shape |") && (!need_shape(r, '|', &x->shape) || !need(r, "|")))
        return false;
    if (!take(r, " at ShapeIndex "))
        return true;
    bool ok = need_path(r, &path);
    r->a->paths.n = paths; /* the model does not keep it */
    return ok;
}

static bool read_attribute(struct reader *r, struct allocation *x)
{
    static const struct {
        const char *word;
        unsigned flag;
    } flags[] = {{"constant", ALLOC_CONSTANT},
                 {"thread-local", ALLOC_THREAD_LOCAL},
                 {"maybe-live-out", ALLOC_LIVE_OUT},
                 {"preallocated-temp", 0}};
    const char *shape;
    uint64_t page;
    if (take(r, "parameter "))
        return read_parameter(r, x);
    if (take(r, "output shape is |")) {
        if (!need_shape(r, '|', &shape))
            return false;
        if (!x->shape)
            x->shape = shape;
        return need(r, "|");
    }
    if (take(r, "color "))
        return need_color(r, &x->color);
    if (take(r, "page "))
        return need_number(r, "a page number", UINT64_MAX, &page);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (take(r, flags[i].word)) {
            x->flags |= flags[i].flag;
            return true;
        }
    return expected(r, "an attribute of the allocation (parameter, output shape, constant, …)");
}

static bool read_allocation(struct reader *r)
{
    struct allocation x = {.parameter = -1};
    if (!need(r, "allocation ") || !need_id(r, "the allocation's number", &x.index) ||
        !need(r, ": "))
        return false;
    if (take(r, "0x")) { /* the oldest form has an address */
        while (r->at < r->end && isxdigit((unsigned char)*r->at))
            r->at++;
        if (!need(r, ", "))
            return false;
    }
    if (!need(r, "size ") || !need_number(r, "a size", UINT64_MAX, &x.size))
        return false;
    while (take(r, ", "))
        if (!read_attribute(r, &x))
            return false;
    if (!see(r, ":"))
        return expected(r, "\", \" and an attribute, or \":\"");
    r->at++;
    if (!need_end(r))
        return false;
    *(struct allocation *)list_add(r->a->arena, &r->a->allocs, sizeof x) = x;
    return true;
}

/* <219 arg_tuple.3{2} (phi) @0> */
static bool read_value_name(struct reader *r, struct dump_value *v)
{
    *v = (struct dump_value){.inst = -1, .alloc = ALLOC_NONE, .path.first = r->a->paths.n};
    if (!need(r, "<") || !need_id(r, "a value's number", &v->id) || !need(r, " ") ||
        !need_name(r, &v->name) || (see(r, "{") && !need_path(r, &v->path)))
        return false;
    v->phi = take(r, " (phi)");
    return (!take(r, " @") || need_color(r, &v->color)) && need(r, ">");
}

static bool read_placed_value(struct reader *r)
{
    struct dump_value v;
    if (!r->a->allocs.n)
        return diag_at(r->d, r->f->name, r->number, 1, "a value stands before any allocation");
    if (!need(r, " value: ") || !read_value_name(r, &v) || !need(r, " (size=") ||
        !need_number(r, "a size", UINT64_MAX, &v.reserved) || !need(r, ",offset=") ||
        !need_number(r, "an offset", UINT64_MAX, &v.offset) || !need(r, "): ") ||
        !need_shape(r, '\0', &v.shape))
        return false;
    v.alloc = r->a->allocs.n - 1;
    v.size = v.reserved;
    if (!idmap_put(&r->scratch, &r->values, v.id, r->a->values.n))
        return diag_at(r->d, r->f->name, r->number, 1, "value %lld is placed twice",
                       (long long)v.id);
    *(struct dump_value *)list_add(r->a->arena, &r->a->values, sizeof v) = v;
    return true;
}

static bool read_in_allocs(struct reader *r)
{
    if (see(r, " "))
        return read_placed_value(r);
    if (see(r, "allocation "))
        return read_allocation(r);
    return expected(r, "\"allocation \", \" value: \" or the next section");
}

/* ---- Used values ---- */

/* Values without a place are added; a known one must be the same. */
static bool read_used_value(struct reader *r)
{
    struct dump_value v;
    if (see(r, " from instruction:%"))
        r->a->oldest = true; /* later ones have a blank before the '%' */
    if (!see(r, "<"))
        return see(r, " ") || expected(r, "\"<\" and a value");
    if (!read_value_name(r, &v) || !need_end(r))
        return false;
    uint32_t known = idmap_find(&r->values, v.id);
    if (known != STRMAP_NONE) {
        const char *name = assignment_value(r->a, known)->name;
        r->a->paths.n = v.path.first;
        return strcmp(name, v.name) == 0 ||
               diag_at(r->d, r->f->name, r->number, 1, "value %lld is %s here, but %s in %s",
                       (long long)v.id, v.name, name, r->a->file);
    }
    idmap_put(&r->scratch, &r->values, v.id, r->a->values.n);
    *(struct dump_value *)list_add(r->a->arena, &r->a->values, sizeof v) = v;
    return true;
}

/* ---- HloLiveRange ---- */

static bool read_live_header(struct reader *r)
{
    if (r->a->ranges_file)
        return diag_at(r->d, r->f->name, r->number, 1,
                       "a second HloLiveRange section, expected one");
    r->a->ranges_file = arena_text(r->a->arena, r->f->name, strlen(r->f->name));
    r->a->has_max = true;
    r->section = SECTION_LIVE;
    return need_u32(r, "a number of instructions", &r->a->max) && need(r, "):") && need_end(r);
}

static bool sequence_complete(struct reader *r)
{
    if (r->a->sequence.n == r->a->max)
        return true;
    diag_at(r->d, r->f->name, r->number, 1,
            "the InstructionSequence has %u instructions, expected %u", r->a->sequence.n,
            r->a->max);
    return diag_hint(r->d, "the file is damaged: dump it again");
}

static bool read_sequence(struct reader *r)
{
    const char *name;
    uint32_t place;
    if (take(r, "  BufferLiveRange:")) {
        r->section = SECTION_RANGES;
        return need_end(r) && sequence_complete(r);
    }
    if (!need(r, "    ") || !need_u32(r, "an instruction's place", &place))
        return false;
    if (place != r->a->sequence.n)
        return diag_at(r->d, r->f->name, r->number, 5, "instruction %u stands at place %u", place,
                       r->a->sequence.n);
    if (!need(r, ":") || !need_name(r, &name) || !need_end(r))
        return false;
    *(const char **)list_add(r->a->arena, &r->a->sequence, sizeof name) = name;
    return true;
}

static bool read_range(struct reader *r)
{
    struct assignment *a = r->a;
    struct claimed_range x;
    if (take(r, "  Live ranges at ")) {
        r->section = SECTION_PEAK;
        a->has_peak = true;
        return need_u32(r, "a program point", &a->peak_step) && need(r, " (peak):") && need_end(r);
    }
    if (!need(r, "    ") || !need_name(r, &x.name) || !need_path(r, &x.path) || !need(r, ":"))
        return false;
    unsigned col = column(r);
    if (!need_u32(r, "a first program point", &x.start) || !need(r, "-") ||
        !need_u32(r, "a last program point", &x.end) || !need_end(r))
        return false;
    if (x.start > x.end || x.end > a->max)
        return diag_at(r->d, r->f->name, r->number, col, "%s lives from %u to %u of %u points",
                       x.name, x.start, x.end, a->max);
    *(struct claimed_range *)list_add(a->arena, &a->ranges, sizeof x) = x;
    return true;
}

static bool read_peak(struct reader *r)
{
    const char *name;
    struct span path;
    uint64_t bytes, cumulative;
    uint32_t paths = r->a->paths.n;
    if (see(r, "  Stack trace ")) {
        r->section = SECTION_STACK;
        return true;
    }
    if (!need(r, "    ") || !need_name(r, &name) || (see(r, "{") && !need_path(r, &path)) ||
        !need(r, ": "))
        return false;
    r->a->paths.n = paths; /* these lines are only summed */
    unsigned col = column(r);
    if (!need_number(r, "a number of bytes", UINT64_MAX, &bytes) || !need(r, " bytes"))
        return false;
    if (take(r, " (cumulative: ") &&
        (!need_number(r, "a number of bytes", UINT64_MAX, &cumulative) || !need(r, " bytes)")))
        return false;
    if (!need_end(r))
        return false;
    if (__builtin_add_overflow(r->a->peak_bytes, bytes, &r->a->peak_bytes))
        return diag_at(r->d, r->f->name, r->number, col, "these values have more than 2^64 bytes");
    return true;
}

/* ---- The file ---- */

static bool read_total(struct reader *r)
{
    uint64_t total;
    unsigned col = column(r);
    if (!need_number(r, "a number of bytes", UINT64_MAX, &total))
        return false;
    if (take(r, " (")) {
        const char *close = memchr(r->at, ')', left(r));
        r->at = close ? close : r->end;
        if (!need(r, ")"))
            return false;
    }
    if (!need_end(r))
        return false;
    if (r->a->has_total && r->a->total != total)
        return diag_at(r->d, r->f->name, r->number, col, "the total is %llu here, but %llu before",
                       (unsigned long long)total, (unsigned long long)r->a->total);
    r->a->has_total = true;
    r->a->total = total;
    return true;
}

static bool read_allocs_header(struct reader *r)
{
    if (r->a->allocs.n)
        return diag_at(r->d, r->f->name, r->number, 1,
                       "a second BufferAssignment section, expected one");
    r->section = SECTION_ALLOCS;
    r->a->file = arena_text(r->a->arena, r->f->name, strlen(r->f->name));
    r->has_allocs = true;
    return need_end(r);
}

static bool read_line(struct reader *r)
{
    if (take(r, allocs_header))
        return read_allocs_header(r);
    if (take(r, used_header)) {
        r->section = SECTION_USED;
        return need_end(r);
    }
    if (take(r, live_header))
        return read_live_header(r);
    if (take(r, total_header))
        return read_total(r);
    switch (r->section) {
    case SECTION_ALLOCS:
        return read_in_allocs(r);
    case SECTION_USED:
        return read_used_value(r);
    case SECTION_LIVE:
        r->section = SECTION_SEQUENCE;
        return need(r, "  InstructionSequence:") && need_end(r);
    case SECTION_SEQUENCE:
        return read_sequence(r);
    case SECTION_RANGES:
        return read_range(r);
    case SECTION_PEAK:
        return read_peak(r);
    case SECTION_STACK:
        return true;
    case SECTION_NONE:
        break;
    }
    return expected(r, "\"BufferAssignment:\", \"Used values:\" or \"HloLiveRange (max N):\"");
}

/* A file that was cut may end between two lines. */
static bool read_end(struct reader *r, bool had_ranges)
{
    if (r->section == SECTION_NONE && !r->a->has_total)
        return diag_file(r->d, r->f->name, "no section of a buffer assignment in it");
    if (!had_ranges && r->a->ranges_file && !r->a->has_peak) {
        diag_at(r->d, r->f->name, r->number, 0,
                "the file ends before \"Live ranges at N (peak):\"");
        return diag_hint(r->d, "it was cut or is still being written: dump it again");
    }
    r->a->recent |= !had_ranges && r->a->ranges_file && !r->has_allocs;
    return true;
}

bool assignment_text_read(struct assignment *a, const struct file *f, struct diag *d)
{
    struct reader r = {.a = a, .f = f, .d = d, .next = f->text};
    bool had_ranges = a->ranges_file, ok = true;
    if (!a->file)
        a->file = arena_text(a->arena, f->name, strlen(f->name));
    for (uint32_t i = 0; i < a->values.n; i++)
        idmap_put(&r.scratch, &r.values, assignment_value(a, i)->id, i);
    while (ok && next_line(&r))
        ok = r.at == r.end || read_line(&r);
    ok = ok && read_end(&r, had_ranges);
    arena_free(&r.scratch);
    return ok;
}

/* The values file of 0.10 starts with a blank line and the total; a memory usage report has that
 * total too, but none of the other headers near its start. */
bool assignment_text_is(const char *text, size_t size)
{
    static const char *const headers[] = {allocs_header, used_header, live_header};
    const char *at = text, *stop = text + size;
    for (int line = 0; line < 8 && at < stop; line++) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        const char *end = newline ? newline : stop;
        for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
            size_t len = strlen(headers[i]);
            if ((size_t)(end - at) >= len && memcmp(at, headers[i], len) == 0)
                return true;
        }
        size_t len = strlen(total_header);
        bool blank = end == at || (end == at + 1 && *at == '\r');
        if (!blank && ((size_t)(end - at) < len || memcmp(at, total_header, len) != 0))
            return false;
        at = newline ? newline + 1 : stop;
    }
    return false;
}
