#include "core/analysis/pack/pack_build.h"
#include "core/base/sorted.h"

#include <stdlib.h>

/* One stretch of a life without a gap. */
struct stretch {
    uint64_t lower, upper;
    uint32_t buffer, first, last; /* model index; closed sections */
};

struct moment {
    uint64_t time;
    bool start;
};

static int by_moment(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->start - y->start; /* half-open: an end frees before a start */
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void copy_buffers(struct arena *a, struct pack_model *m, const struct pack_problem *p)
{
    m->size = arena_array(a, p->n, sizeof *m->size);
    m->real = arena_array(a, p->n, sizeof *m->real);
    m->align = arena_array(a, p->n, sizeof *m->align);
    m->hint = arena_array(a, p->n, sizeof *m->hint);
    m->life = arena_array(a, p->n, sizeof *m->life);
    m->first = arena_array(a, p->n, sizeof *m->first);
    m->last = arena_array(a, p->n, sizeof *m->last);
    m->source = arena_array(a, p->n, sizeof *m->source);
    m->gapped = arena_array(a, p->n, sizeof *m->gapped);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct pack_buffer *b = &p->buffers[i];
        if (!b->size)
            continue;
        m->source[m->n] = i;
        m->real[m->n] = (int64_t)b->size;
        m->align[m->n] = b->alignment ? (int64_t)b->alignment : 1;
        uint64_t life = b->upper - b->lower;
        m->life[m->n] = life < PACK_MOST ? (int64_t)life : (int64_t)PACK_MOST;
        m->hint[m->n] = b->hint < PACK_MOST ? (int64_t)b->hint : -1;
        m->grain = divisor(m->grain, m->align[m->n]);
        m->n++;
    }
    if (!m->n)
        m->grain = 1;
    m->exact = true;
    for (uint32_t i = 0; i < m->n; i++) {
        m->size[i] = pack_align(m->real[i], m->grain);
        m->unit = divisor(m->unit, m->size[i]);
        m->exact &= m->align[i] == m->grain;
    }
    if (!m->unit || !m->exact)
        m->unit = 1;
}

/* The lives, cut at their gaps. */
static struct stretch *cut(struct arena *a, struct pack_model *m, const struct pack_problem *p,
                           size_t *n)
{
    size_t most = m->n;
    for (uint32_t i = 0; i < m->n; i++)
        most += p->buffers[m->source[i]].gaps.n;
    struct stretch *out = arena_array(a, most, sizeof *out);
    *n = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct pack_buffer *b = &p->buffers[m->source[i]];
        uint64_t from = b->lower;
        for (uint32_t k = 0; k < b->gaps.n; k++) {
            const struct pack_range *gap = &p->gaps[b->gaps.first + k];
            if (from < gap->lower)
                out[(*n)++] = (struct stretch){from, gap->lower, i, 0, 0};
            from = gap->upper;
        }
        if (from < b->upper)
            out[(*n)++] = (struct stretch){from, b->upper, i, 0, 0};
    }
    return out;
}

/* The times of the sections, ascending. */
static uint64_t *find_sections(struct arena *a, struct pack_model *m, const struct stretch *s,
                               size_t n)
{
    struct moment *moments = arena_array(a, 2 * n, sizeof *moments);
    for (size_t i = 0; i < n; i++) {
        moments[2 * i] = (struct moment){s[i].lower, true};
        moments[2 * i + 1] = (struct moment){s[i].upper, false};
    }
    qsort(moments, 2 * n, sizeof *moments, by_moment);
    uint64_t *at = arena_array(a, n, sizeof *at);
    bool fresh = false;
    uint64_t start = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        if (moments[i].start) {
            start = moments[i].time;
            fresh = true;
        } else if (fresh) {
            at[m->n_sections++] = start;
            fresh = false;
        }
    }
    return at;
}

static uint64_t locate(struct pack_model *m, struct stretch *s, size_t n, const uint64_t *at)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < m->n; i++)
        m->first[i] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        uint32_t b = s[i].buffer;
        s[i].first = sorted_before(at, m->n_sections, s[i].lower);
        s[i].last = sorted_before(at, m->n_sections, s[i].upper) - 1;
        if (m->first[b] == UINT32_MAX)
            m->first[b] = s[i].first;
        else if (s[i].first != m->last[b] + 1)
            m->gapped[b] = m->any_gap = true;
        m->last[b] = s[i].last;
        pairs += s[i].last - s[i].first + 1;
    }
    return pairs;
}

static void list_pairs(struct arena *a, struct pack_model *m, const struct stretch *s, size_t n,
                       uint64_t pairs)
{
    m->section_at = arena_array(a, (size_t)m->n + 1, sizeof *m->section_at);
    m->section = arena_array(a, pairs, sizeof *m->section);
    m->member_at = arena_array(a, (size_t)m->n_sections + 2, sizeof *m->member_at);
    m->member = arena_array(a, pairs, sizeof *m->member);
    m->starter_at = arena_array(a, (size_t)m->n_sections + 2, sizeof *m->starter_at);
    m->starter = arena_array(a, m->n, sizeof *m->starter);
    uint32_t used = 0, b = 0;
    for (size_t i = 0; i < n; i++) { /* stretches come by buffer and time */
        while (b <= s[i].buffer)
            m->section_at[b++] = used;
        for (uint32_t k = s[i].first; k <= s[i].last; k++) {
            m->section[used++] = k;
            m->member_at[k + 2]++;
        }
    }
    while (b <= m->n)
        m->section_at[b++] = used;
    for (uint32_t i = 0; i < m->n; i++)
        m->starter_at[m->first[i] + 2]++;
    for (uint32_t k = 2; k < m->n_sections + 2; k++) {
        if (m->member_at[k] > m->crowd)
            m->crowd = m->member_at[k];
        m->member_at[k] += m->member_at[k - 1];
        m->starter_at[k] += m->starter_at[k - 1];
    }
    for (uint32_t i = 0; i < m->n; i++) {
        for (uint32_t k = m->section_at[i]; k < m->section_at[i + 1]; k++)
            m->member[m->member_at[m->section[k] + 1]++] = i;
        m->starter[m->starter_at[m->first[i] + 1]++] = i;
    }
}

/* The most live bytes.  All but the topmost take their rounded size. */
static int64_t most_live(struct arena *a, const struct pack_model *m, const struct stretch *s,
                         size_t n)
{
    int64_t *change = arena_array(a, (size_t)m->n_sections + 1, sizeof *change);
    int64_t *spare = arena_array(a, m->n_sections, sizeof *spare);
    for (size_t i = 0; i < n; i++) {
        uint32_t b = s[i].buffer;
        change[s[i].first] += m->size[b];
        change[s[i].last + 1] -= m->size[b];
        if (m->size[b] != m->real[b])
            for (uint32_t k = s[i].first; k <= s[i].last; k++)
                if (m->size[b] - m->real[b] > spare[k])
                    spare[k] = m->size[b] - m->real[b];
    }
    int64_t live = 0, most = 0;
    for (uint32_t k = 0; k < m->n_sections; k++) {
        live += change[k];
        if (live - spare[k] > most)
            most = live - spare[k];
    }
    return most;
}

void pack_model_build(struct arena *a, struct pack_model *m, const struct pack_problem *p)
{
    size_t n;
    *m = (struct pack_model){0};
    copy_buffers(a, m, p);
    struct stretch *s = cut(a, m, p, &n);
    uint64_t *at = find_sections(a, m, s, n);
    uint64_t pairs = locate(m, s, n, at);
    m->lower = most_live(a, m, s, n);
    if (pairs <= PACK_WIDE)
        list_pairs(a, m, s, n, pairs);
}

int64_t pack_model_above(const struct pack_model *m, int64_t height)
{
    int64_t least = INT64_MAX;
    for (uint32_t b = 0; b < m->n; b++) {
        int64_t under = height + 1 - m->real[b];
        int64_t above = m->real[b] + (under > 0 ? pack_align(under, m->unit) : 0);
        if (above > height && above < least)
            least = above;
    }
    return least;
}

static bool share_section(const struct pack_model *m, uint32_t a, uint32_t b)
{
    uint32_t i = m->section_at[a], j = m->section_at[b];
    while (i < m->section_at[a + 1] && j < m->section_at[b + 1]) {
        if (m->section[i] == m->section[j])
            return true;
        if (m->section[i] < m->section[j])
            i++;
        else
            j++;
    }
    return false;
}

bool pack_overlap(const struct pack_model *m, uint32_t a, uint32_t b)
{
    if (m->first[a] > m->last[b] || m->first[b] > m->last[a])
        return false;
    if (!m->section || (!m->gapped[a] && !m->gapped[b]))
        return true; /* without the lists a gap is not used: still a packing */
    return share_section(m, a, b);
}
