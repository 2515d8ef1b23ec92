#include "core/analysis/measured/overlay.h"

#include <stdlib.h>

struct overlay_record {
    uint64_t at;
    const struct measured_step *s;
};

/* ---- Where records stand ---- */

/* The moment of a record; false: none. */
static bool place(const struct timeline *t, const struct measured_step *s, struct moment *m)
{
    *m = timeline_moment(t, timeline_first(t, s->step));
    if (m->step != s->step)
        return false;
    for (uint32_t k = 0; k < m->n && k < s->n_loops; k++) {
        int64_t trips = t->p->loops.items[m->loop[k]].trip_count;
        if (trips >= 0 && s->iteration[k] >= trips)
            return false;
        m->iteration[k] = trips < 0 ? 0 : s->iteration[k];
    }
    return true;
}

static int by_number(const struct overlay_record *a, const struct overlay_record *b)
{
    return (a->s->number > b->s->number) - (a->s->number < b->s->number);
}

static int by_moment(const void *x, const void *y)
{
    const struct overlay_record *a = x, *b = y;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : by_number(a, b);
}

static int by_step(const void *x, const void *y)
{
    const struct overlay_record *a = x, *b = y;
    return a->s->step != b->s->step ? (a->s->step > b->s->step) - (a->s->step < b->s->step) : by_number(a, b);
}

void overlay_build(struct overlay *o, const struct measured *m, const struct timeline *t)
{
    *o = (struct overlay){.m = m, .t = t};
    o->by_moment = arena_array(&o->arena, (size_t)m->n_steps + 1, sizeof *o->by_moment);
    o->by_step = arena_array(&o->arena, (size_t)m->n_steps + 1, sizeof *o->by_step);
    for (uint32_t k = 0; k < m->n_steps; k++) {
        struct moment at;
        if (place(t, &m->steps[k], &at))
            o->by_moment[o->n++] = (struct overlay_record){timeline_at(t, &at), &m->steps[k]};
    }
    for (uint32_t k = 0; k < o->n; k++)
        o->by_step[k] = o->by_moment[k];
    qsort(o->by_moment, o->n, sizeof *o->by_moment, by_moment);
    qsort(o->by_step, o->n, sizeof *o->by_step, by_step);
}

void overlay_free(struct overlay *o)
{
    arena_free(&o->arena);
    *o = (struct overlay){0};
}

/* ---- Asking ---- */

uint64_t overlay_moment(const struct overlay *o, const struct measured_step *s)
{
    struct moment m;
    place(o->t, s, &m);
    return timeline_at(o->t, &m);
}

/* How many records stand at moments up to `at`. */
static uint32_t up_to(const struct overlay *o, uint64_t at)
{
    uint32_t low = 0, high = o->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (o->by_moment[mid].at <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct measured_step *overlay_at(const struct overlay *o, uint64_t at, bool *exact)
{
    uint32_t k = up_to(o, at);
    *exact = k && o->by_moment[k - 1].at == at;
    return k ? o->by_moment[k - 1].s : NULL;
}

static void add(struct overlay_most *most, const struct measured_step *s)
{
    bool first = !most->any;
    most->any = true;
    most->held = first || s->held > most->held ? s->held : most->held;
    most->touched = first || s->touched > most->touched ? s->touched : most->touched;
    if (s->dynamic != MEASURED_UNKNOWN && (first || most->dynamic == MEASURED_UNKNOWN || s->dynamic > most->dynamic))
        most->dynamic = s->dynamic;
    else if (first)
        most->dynamic = MEASURED_UNKNOWN;
}

struct overlay_most overlay_range(const struct overlay *o, uint64_t first, uint64_t last)
{
    struct overlay_most most = {0};
    uint32_t from = first ? up_to(o, first - 1) : 0, to = up_to(o, last);
    if (from == to && from)
        from--; /* nothing has happened since */
    for (uint32_t k = from; k < to; k++)
        add(&most, o->by_moment[k].s);
    return most;
}

/* Does it stand in the iterations that are shown? */
static bool is_shown(const struct overlay *o, const struct overlay_record *r, const struct moment *with)
{
    struct moment m = timeline_moment(o->t, r->at);
    for (uint32_t k = 0; k < m.n; k++) {
        int64_t want = 0;
        for (uint32_t j = 0; j < with->n; j++)
            want = with->loop[j] == m.loop[k] ? with->iteration[j] : want;
        if (m.iteration[k] != want)
            return false;
    }
    return true;
}

struct overlay_most overlay_steps(const struct overlay *o, uint32_t first, uint32_t last, const struct moment *with)
{
    struct overlay_most most = {0};
    uint32_t low = 0, high = o->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (o->by_step[mid].s->step < first)
            low = mid + 1;
        else
            high = mid;
    }
    for (uint32_t k = low; k < o->n && o->by_step[k].s->step <= last; k++)
        if (is_shown(o, &o->by_step[k], with))
            add(&most, o->by_step[k].s);
    return most;
}

/* ---- Iteration by iteration ---- */

uint32_t overlay_largest(const struct measured *m)
{
    uint32_t best = UINT32_MAX;
    double most = 0;
    for (uint32_t k = 0; k < m->n_stacks; k++) {
        double bytes = (double)m->stacks[k].slots * (double)m->stacks[k].slot_bytes;
        if (m->stacks[k].filled != MEASURED_UNKNOWN && bytes > most) {
            most = bytes;
            best = k;
        }
    }
    return best;
}

static bool same_stretch(const struct overlay_row *row, uint32_t loop, const struct measured_step *s)
{
    const struct measured_step *last = row->last;
    bool same = row->loop == loop && (loop == LOOP_NONE || last->n_loops == s->n_loops);
    for (uint32_t k = 0; same && loop != LOOP_NONE && k < s->n_loops; k++)
        same = last->iteration[k] == s->iteration[k];
    return same;
}

uint32_t overlay_rows(const struct overlay *o, struct arena *a, struct overlay_row **rows)
{
    uint32_t n = 0, largest = overlay_largest(o->m);
    *rows = arena_array(a, (size_t)o->m->n_steps + 1, sizeof **rows);
    for (uint32_t k = 0; k < o->m->n_steps; k++) {
        const struct measured_step *s = &o->m->steps[k];
        struct moment m;
        if (!place(o->t, s, &m))
            continue;
        uint32_t loop = m.n ? m.loop[m.n - 1] : LOOP_NONE;
        struct overlay_row *row = n ? &(*rows)[n - 1] : NULL;
        if (!row || !same_stretch(row, loop, s)) {
            row = &(*rows)[n++];
            *row = (struct overlay_row){.loop = loop, .dynamic = MEASURED_UNKNOWN,
                                        .iteration = m.n && s->n_loops ? s->iteration[s->n_loops - 1] : -1};
        }
        row->planned = s->live > row->planned ? s->live : row->planned;
        if (s->dynamic != MEASURED_UNKNOWN && (row->dynamic == MEASURED_UNKNOWN || s->dynamic > row->dynamic))
            row->dynamic = s->dynamic;
        row->held = s->held;
        row->touched = s->touched;
        row->filled = largest == UINT32_MAX ? -1 : s->filled[largest];
        row->last = s;
    }
    return n;
}
