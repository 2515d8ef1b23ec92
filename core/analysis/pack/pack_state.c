#include "core/analysis/pack/pack_state.h"

#include <string.h>

void *pack_state_grown(struct arena *a, const void *items, size_t n, size_t item)
{
    void *bigger = arena_array(a, n * 2, item);
    memcpy(bigger, items, n * item);
    return bigger;
}

/* ---- Changes and their undoing ---- */

static void note(struct pack_search *s, enum what what, uint32_t index, int64_t old)
{
    if (s->n_trail == s->cap_trail) {
        s->trail = pack_state_grown(s->arena, s->trail, s->cap_trail, sizeof *s->trail);
        s->cap_trail *= 2;
    }
    s->trail[s->n_trail++] = (struct change){what, index, old};
}

void pack_state_queue(struct queue *q, uint32_t section)
{
    if (q->has[section])
        return;
    q->has[section] = true;
    q->items[q->n++] = section;
}

static void queue_clear(struct queue *q)
{
    while (q->n)
        q->has[q->items[--q->n]] = false;
}

void pack_state_undo(struct pack_search *s, size_t mark)
{
    queue_clear(&s->risen);
    queue_clear(&s->stale);
    while (s->n_trail > mark) {
        struct change c = s->trail[--s->n_trail];
        switch ((enum what)c.what) {
        case FLOOR:
            s->floor[c.index] = c.old;
            break;
        case TOP:
            s->top[c.index] = c.old;
            break;
        case LEFT:
            s->left[c.index] = c.old;
            break;
        case LEAST:
            s->least[c.index] = c.old;
            break;
        case LOWEST:
            s->lowest[c.index] = (uint32_t)c.old;
            break;
        case CROSSING:
            s->crossing[c.index] = (uint32_t)c.old;
            break;
        case PLACED:
            s->placed[c.index] = false;
            s->area -= pack_state_area(s->m, c.index);
            break;
        }
    }
}

/* ---- Inference ---- */

/* The section is too full: what is left in it will be tried earlier, and the more the later this
 * happens (the decaying activities of Chaff: Moskewicz et al. 2001). */
static bool too_full(struct pack_search *s, uint32_t section)
{
    const struct pack_model *m = s->m;
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b])
            continue;
        s->blame[b] += s->blow;
        if (s->blame[b] > s->most_blame)
            s->most_blame = s->blame[b];
    }
    return false;
}

void pack_state_fade(struct pack_search *s)
{
    s->blow *= 1.05;
    if (s->blow < 1e100)
        return;
    for (uint32_t b = 0; b < s->m->n; b++)
        s->blame[b] /= s->blow;
    s->most_blame /= s->blow;
    s->blow = 1;
}

int64_t pack_state_ceiling(const struct pack_search *s, int64_t floor)
{
    double from = s->plan->loose_from;
    if (from < 0)
        return s->rounded;
    double share = ((double)floor / (double)s->rounded - from) / (1 - from);
    int64_t tight = s->lower < s->rounded ? s->lower : s->rounded;
    return share <= 0 ? tight : tight + (int64_t)((double)(s->rounded - tight) * share);
}

static bool raise_floor(struct pack_search *s, uint32_t section, int64_t floor)
{
    if (floor <= s->floor[section])
        return true;
    note(s, FLOOR, section, s->floor[section]);
    s->floor[section] = floor;
    if (s->left[section] && floor + s->left[section] > pack_state_ceiling(s, floor))
        return too_full(s, section);
    pack_state_queue(&s->risen, section);
    return true;
}

static bool raise_least(struct pack_search *s, uint32_t b, int64_t least)
{
    const struct pack_model *m = s->m;
    least = pack_align(least, m->align[b]);
    if (least <= s->least[b])
        return true;
    note(s, LEAST, b, s->least[b]);
    s->least[b] = least;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        pack_state_queue(&s->stale, m->section[k]);
    return least + m->real[b] <= s->height;
}

/* The idle bytes of a section filled in order of `least`, when there could be more than slack. */
static bool fits_in_order(struct pack_search *s, uint32_t section, int64_t slack)
{
    const struct pack_model *m = s->m;
    int64_t *least = s->sort_least, *size = s->sort_size;
    uint32_t n = 0;
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b])
            continue;
        uint32_t i = n++;
        for (; i && least[i - 1] > s->least[b]; i--) {
            least[i] = least[i - 1];
            size[i] = size[i - 1];
        }
        least[i] = s->least[b];
        size[i] = m->size[b];
    }
    int64_t end = s->floor[section], idle = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (least[i] > end) {
            idle += least[i] - end;
            end = least[i];
        }
        end += size[i];
    }
    return idle <= slack;
}

static bool count_lowest(struct pack_search *s, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t low = INT64_MAX, high = 0, bytes = 0;
    uint32_t n = 0;
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b])
            continue;
        int64_t least = s->least[b];
        if (least < low) {
            low = least;
            n = 0;
            bytes = 0;
        }
        if (least == low) {
            n++;
            bytes += m->size[b];
        }
        if (least > high)
            high = least;
    }
    if (n != s->lowest[section]) {
        note(s, LOWEST, section, s->lowest[section]);
        s->lowest[section] = n;
    }
    if (!raise_floor(s, section, low))
        return false;
    int64_t slack = pack_state_ceiling(s, low) - low - s->left[section];
    return high - low - bytes <= slack || fits_in_order(s, section, slack) || too_full(s, section);
}

bool pack_state_infer(struct pack_search *s)
{
    const struct pack_model *m = s->m;
    bool ok = true;
    while (ok && (s->risen.n || s->stale.n)) {
        while (ok && s->risen.n) {
            uint32_t section = s->risen.items[--s->risen.n];
            s->risen.has[section] = false;
            for (uint32_t k = m->member_at[section]; ok && k < m->member_at[section + 1]; k++)
                if (!s->placed[m->member[k]])
                    ok = raise_least(s, m->member[k], s->floor[section]);
        }
        while (ok && s->stale.n) {
            uint32_t section = s->stale.items[--s->stale.n];
            s->stale.has[section] = false;
            if (s->left[section])
                ok = count_lowest(s, section);
        }
    }
    queue_clear(&s->risen);
    queue_clear(&s->stale);
    return ok;
}

/* ---- Placing ---- */

static bool rests_on_something(const struct pack_search *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    if (s->least[b] == 0)
        return true;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        if (pack_align(s->top[m->section[k]], m->align[b]) == s->least[b])
            return true;
    return false;
}

bool pack_state_place(struct pack_search *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    if (!rests_on_something(s, b))
        return false;
    int64_t top = s->least[b] + m->size[b];
    bool ok = true;
    note(s, PLACED, b, 0);
    s->placed[b] = true;
    s->offset[b] = s->least[b];
    s->area += pack_state_area(m, b);
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        uint32_t section = m->section[k];
        note(s, LEFT, section, s->left[section]);
        s->left[section] -= m->size[b];
        note(s, TOP, section, s->top[section]);
        s->top[section] = top;
        pack_state_queue(&s->stale, section);
        ok &= raise_floor(s, section, top);
    }
    for (uint32_t section = m->first[b]; section < m->last[b]; section++) {
        note(s, CROSSING, section, s->crossing[section]);
        s->crossing[section]--;
    }
    return ok;
}

static bool is_in(const struct pack_model *m, uint32_t b, uint32_t section)
{
    if (section < m->first[b] || section > m->last[b])
        return false;
    if (!m->gapped[b])
        return true;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        if (m->section[k] == section)
            return true;
    return false;
}

/* The lowest that b can be when something that is not in `section` comes under it. */
static int64_t least_on_another(const struct pack_search *s, uint32_t b, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t least = INT64_MAX / 2;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        uint32_t at = m->section[k];
        for (uint32_t i = m->member_at[at]; i < m->member_at[at + 1]; i++) {
            uint32_t x = m->member[i];
            if (!s->placed[x] && s->least[x] + m->size[x] < least && !is_in(m, x, section))
                least = s->least[x] + m->size[x];
        }
    }
    return least;
}

bool pack_state_open(struct pack_search *s, uint32_t section)
{
    const struct pack_model *m = s->m;
    int64_t floor = s->floor[section];
    for (uint32_t k = m->member_at[section]; k < m->member_at[section + 1]; k++) {
        uint32_t b = m->member[k];
        if (s->placed[b] || s->least[b] != floor)
            continue;
        int64_t least = least_on_another(s, b, section);
        if (least + m->real[b] > s->height || !raise_least(s, b, least))
            return false;
    }
    return true;
}
