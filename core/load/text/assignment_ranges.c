/* HloLiveRange: the schedule, the live ranges, and what is alive at the peak. */
#include "core/load/text/assignment_rows.h"

#include <string.h>

bool rows_read_live_header(struct rows *r)
{
    if (r->a->ranges_file)
        return diag_at(r->d, r->f->name, r->number, 1,
                       "a second HloLiveRange section, expected one");
    r->a->ranges_file = arena_text(r->a->arena, r->f->name, strlen(r->f->name));
    r->a->has_max = true;
    r->section = SECTION_LIVE;
    return rows_need_u32(r, "a number of instructions", &r->a->max) && rows_need(r, "):") && rows_need_end(r);
}

static bool sequence_complete(struct rows *r)
{
    if (r->a->sequence.n == r->a->max)
        return true;
    diag_at(r->d, r->f->name, r->number, 1,
            "the InstructionSequence has %u instructions, expected %u", r->a->sequence.n,
            r->a->max);
    return diag_hint(r->d, "the file is damaged: dump it again");
}

bool rows_read_sequence(struct rows *r)
{
    const char *name;
    uint32_t place;
    if (rows_take(r, "  BufferLiveRange:")) {
        r->section = SECTION_RANGES;
        return rows_need_end(r) && sequence_complete(r);
    }
    if (!rows_need(r, "    ") || !rows_need_u32(r, "an instruction's place", &place))
        return false;
    if (place != r->a->sequence.n)
        return diag_at(r->d, r->f->name, r->number, 5, "instruction %u stands at place %u", place,
                       r->a->sequence.n);
    if (!rows_need(r, ":") || !rows_need_name(r, &name) || !rows_need_end(r))
        return false;
    *(const char **)list_add(r->a->arena, &r->a->sequence, sizeof name) = name;
    return true;
}

bool rows_read_range(struct rows *r)
{
    struct assignment *a = r->a;
    struct claimed_range x;
    if (rows_take(r, "  Live ranges at ")) {
        r->section = SECTION_PEAK;
        a->has_peak = true;
        return rows_need_u32(r, "a program point", &a->peak_step) && rows_need(r, " (peak):") && rows_need_end(r);
    }
    if (!rows_need(r, "    ") || !rows_need_name(r, &x.name) || !rows_need_path(r, &x.path) || !rows_need(r, ":"))
        return false;
    unsigned col = rows_column(r);
    if (!rows_need_u32(r, "a first program point", &x.start) || !rows_need(r, "-") ||
        !rows_need_u32(r, "a last program point", &x.end) || !rows_need_end(r))
        return false;
    if (x.start > x.end || x.end > a->max)
        return diag_at(r->d, r->f->name, r->number, col, "%s lives from %u to %u of %u points",
                       x.name, x.start, x.end, a->max);
    *(struct claimed_range *)list_add(a->arena, &a->ranges, sizeof x) = x;
    return true;
}

bool rows_read_peak(struct rows *r)
{
    const char *name;
    struct span path;
    uint64_t bytes, cumulative;
    uint32_t paths = r->a->paths.n;
    if (rows_see(r, "  Stack trace ")) {
        r->section = SECTION_STACK;
        return true;
    }
    if (!rows_need(r, "    ") || !rows_need_name(r, &name) || (rows_see(r, "{") && !rows_need_path(r, &path)) ||
        !rows_need(r, ": "))
        return false;
    r->a->paths.n = paths; /* these lines are only summed */
    unsigned col = rows_column(r);
    if (!rows_need_number(r, "a number of bytes", UINT64_MAX, &bytes) || !rows_need(r, " bytes"))
        return false;
    if (rows_take(r, " (cumulative: ") &&
        (!rows_need_number(r, "a number of bytes", UINT64_MAX, &cumulative) || !rows_need(r, " bytes)")))
        return false;
    if (!rows_need_end(r))
        return false;
    if (__builtin_add_overflow(r->a->peak_bytes, bytes, &r->a->peak_bytes))
        return diag_at(r->d, r->f->name, r->number, col, "these values have more than 2^64 bytes");
    return true;
}
