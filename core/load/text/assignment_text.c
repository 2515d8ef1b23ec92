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
#include "core/load/text/assignment_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char allocs_header[] = "BufferAssignment:";
static const char used_header[] = "Used values:";
static const char live_header[] = "HloLiveRange (max ";
static const char total_header[] = "Total bytes used: ";

/* ---- BufferAssignment ---- */

static bool read_parameter(struct rows *r, struct allocation *x)
{
    struct span path;
    uint32_t paths = r->a->paths.n;
    x->flags |= ALLOC_PARAMETER;
    if (!rows_need_id(r, "a parameter number", &x->parameter))
        return false;
    if (rows_take(r, ", shape |") && (!rows_need_shape(r, '|', &x->shape) || !rows_need(r, "|")))
        return false;
    if (!rows_take(r, " at ShapeIndex "))
        return true;
    bool ok = rows_need_path(r, &path);
    r->a->paths.n = paths; /* the model does not keep it */
    return ok;
}

static bool read_attribute(struct rows *r, struct allocation *x)
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
    if (rows_take(r, "parameter "))
        return read_parameter(r, x);
    if (rows_take(r, "output shape is |")) {
        if (!rows_need_shape(r, '|', &shape))
            return false;
        if (!x->shape)
            x->shape = shape;
        return rows_need(r, "|");
    }
    if (rows_take(r, "color "))
        return rows_need_color(r, &x->color);
    if (rows_take(r, "page "))
        return rows_need_number(r, "a page number", UINT64_MAX, &page);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (rows_take(r, flags[i].word)) {
            x->flags |= flags[i].flag;
            return true;
        }
    return rows_expected(r, "an attribute of the allocation (parameter, output shape, constant, …)");
}

static bool read_allocation(struct rows *r)
{
    struct allocation x = {.parameter = -1};
    if (!rows_need(r, "allocation ") || !rows_need_id(r, "the allocation's number", &x.index) ||
        !rows_need(r, ": "))
        return false;
    if (rows_take(r, "0x")) { /* the oldest form has an address */
        while (r->at < r->end && isxdigit((unsigned char)*r->at))
            r->at++;
        if (!rows_need(r, ", "))
            return false;
    }
    if (!rows_need(r, "size ") || !rows_need_number(r, "a size", UINT64_MAX, &x.size))
        return false;
    while (rows_take(r, ", "))
        if (!read_attribute(r, &x))
            return false;
    if (!rows_see(r, ":"))
        return rows_expected(r, "\", \" and an attribute, or \":\"");
    r->at++;
    if (!rows_need_end(r))
        return false;
    *(struct allocation *)list_add(r->a->arena, &r->a->allocs, sizeof x) = x;
    return true;
}

/* <219 arg_tuple.3{2} (phi) @0> */
static bool read_value_name(struct rows *r, struct dump_value *v)
{
    *v = (struct dump_value){.inst = -1, .alloc = ALLOC_NONE, .path.first = r->a->paths.n};
    if (!rows_need(r, "<") || !rows_need_id(r, "a value's number", &v->id) || !rows_need(r, " ") ||
        !rows_need_name(r, &v->name) || (rows_see(r, "{") && !rows_need_path(r, &v->path)))
        return false;
    v->phi = rows_take(r, " (phi)");
    return (!rows_take(r, " @") || rows_need_color(r, &v->color)) && rows_need(r, ">");
}

static bool read_placed_value(struct rows *r)
{
    struct dump_value v;
    if (!r->a->allocs.n)
        return diag_at(r->d, r->f->name, r->number, 1, "a value stands before any allocation");
    if (!rows_need(r, " value: ") || !read_value_name(r, &v) || !rows_need(r, " (size=") ||
        !rows_need_number(r, "a size", UINT64_MAX, &v.reserved) || !rows_need(r, ",offset=") ||
        !rows_need_number(r, "an offset", UINT64_MAX, &v.offset) || !rows_need(r, "): ") ||
        !rows_need_shape(r, '\0', &v.shape))
        return false;
    v.alloc = r->a->allocs.n - 1;
    v.size = v.reserved;
    if (!idmap_put(&r->scratch, &r->values, v.id, r->a->values.n))
        return diag_at(r->d, r->f->name, r->number, 1, "value %lld is placed twice",
                       (long long)v.id);
    *(struct dump_value *)list_add(r->a->arena, &r->a->values, sizeof v) = v;
    return true;
}

static bool read_in_allocs(struct rows *r)
{
    if (rows_see(r, " "))
        return read_placed_value(r);
    if (rows_see(r, "allocation "))
        return read_allocation(r);
    return rows_expected(r, "\"allocation \", \" value: \" or the next section");
}

/* ---- Used values ---- */

/* Values without a place are added; a known one must be the same. */
static bool read_used_value(struct rows *r)
{
    struct dump_value v;
    if (rows_see(r, " from instruction:%"))
        r->a->oldest = true; /* later ones have a blank before the '%' */
    if (!rows_see(r, "<"))
        return rows_see(r, " ") || rows_expected(r, "\"<\" and a value");
    if (!read_value_name(r, &v) || !rows_need_end(r))
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

/* ---- The file ---- */

static bool read_total(struct rows *r)
{
    uint64_t total;
    unsigned col = rows_column(r);
    if (!rows_need_number(r, "a number of bytes", UINT64_MAX, &total))
        return false;
    if (rows_take(r, " (")) {
        const char *close = memchr(r->at, ')', rows_left(r));
        r->at = close ? close : r->end;
        if (!rows_need(r, ")"))
            return false;
    }
    if (!rows_need_end(r))
        return false;
    if (r->a->has_total && r->a->total != total)
        return diag_at(r->d, r->f->name, r->number, col, "the total is %llu here, but %llu before",
                       (unsigned long long)total, (unsigned long long)r->a->total);
    r->a->has_total = true;
    r->a->total = total;
    return true;
}

static bool read_allocs_header(struct rows *r)
{
    if (r->a->allocs.n)
        return diag_at(r->d, r->f->name, r->number, 1,
                       "a second BufferAssignment section, expected one");
    r->section = SECTION_ALLOCS;
    r->a->file = arena_text(r->a->arena, r->f->name, strlen(r->f->name));
    r->has_allocs = true;
    return rows_need_end(r);
}

static bool read_line(struct rows *r)
{
    if (rows_take(r, allocs_header))
        return read_allocs_header(r);
    if (rows_take(r, used_header)) {
        r->section = SECTION_USED;
        return rows_need_end(r);
    }
    if (rows_take(r, live_header))
        return rows_read_live_header(r);
    if (rows_take(r, total_header))
        return read_total(r);
    switch (r->section) {
    case SECTION_ALLOCS:
        return read_in_allocs(r);
    case SECTION_USED:
        return read_used_value(r);
    case SECTION_LIVE:
        r->section = SECTION_SEQUENCE;
        return rows_need(r, "  InstructionSequence:") && rows_need_end(r);
    case SECTION_SEQUENCE:
        return rows_read_sequence(r);
    case SECTION_RANGES:
        return rows_read_range(r);
    case SECTION_PEAK:
        return rows_read_peak(r);
    case SECTION_STACK:
        return true;
    case SECTION_NONE:
        break;
    }
    return rows_expected(r, "\"BufferAssignment:\", \"Used values:\" or \"HloLiveRange (max N):\"");
}

/* A file that was cut may end between two lines. */
static bool read_end(struct rows *r, bool had_ranges)
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
    struct rows r = {.a = a, .f = f, .d = d, .next = f->text};
    bool had_ranges = a->ranges_file, ok = true;
    if (!a->file)
        a->file = arena_text(a->arena, f->name, strlen(f->name));
    for (uint32_t i = 0; i < a->values.n; i++)
        idmap_put(&r.scratch, &r.values, assignment_value(a, i)->id, i);
    while (ok && rows_next(&r))
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
