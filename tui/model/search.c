#include "tui/model/search.h"

#include "tui/model/alive.h"

#include <stdio.h>
#include <string.h>

static unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

const char *search_in(const char *text, const char *query)
{
    unsigned char first = lower((unsigned char)query[0]);
    const char small = (char)first, large = (char)(first >= 'a' && first <= 'z' ? first - 0x20 : first);
    for (const char *t = text; *t; t++) {
        if (*t != small && *t != large)
            continue;
        size_t i = 0;
        while (query[i] && lower((unsigned char)t[i]) == lower((unsigned char)query[i]))
            i++;
        if (!query[i])
            return t;
    }
    return NULL;
}

/* Neighbours often share a text (op_names, shapes and files are interned), so the last answer for
 * each kind of text is kept. */
struct searcher {
    const struct program *p;
    const char *query;
    bool with_lines; /* the query has a ':', so "scan.py:21" matters */
    const char *text[3];
    bool hit[3];
};

static struct searcher searcher_of(const struct program *p, const char *query)
{
    return (struct searcher){.p = p, .query = query, .with_lines = strchr(query, ':') != NULL};
}

static bool text_hits(struct searcher *s, int kind, const char *text)
{
    if (text && text != s->text[kind]) {
        s->text[kind] = text;
        s->hit[kind] = search_in(kind == 2 ? file_base(text) : text, s->query) != NULL;
    }
    return text && s->hit[kind];
}

static bool buffer_hits(struct searcher *s, buf_id b)
{
    const struct program *p = s->p;
    if (!s->query[0])
        return false;
    if (search_in(p->name_of[b], s->query) || text_hits(s, 0, p->shape[b]) ||
        text_hits(s, 1, p->op_name[b]) || text_hits(s, 2, p->file[b]))
        return true;
    if (!s->with_lines || !p->file[b])
        return false;
    char text[512];
    snprintf(text, sizeof text, "%.480s:%u", file_base(p->file[b]), (unsigned)p->line[b]);
    return search_in(text, s->query) != NULL;
}

bool search_hits(const struct program *p, buf_id b, const char *query)
{
    struct searcher s = searcher_of(p, query);
    return buffer_hits(&s, b);
}

/* A place in the order of matches: birth, then id + 1 (0: before all that are born there). */
static uint64_t place(uint32_t step, uint32_t id_after)
{
    return (uint64_t)step << 32 | id_after;
}

struct found search_next(const struct program *p, const char *query, buf_id from, uint32_t step,
                         bool back)
{
    uint64_t here = from == BUF_NONE ? place(step, 0) : place(p->start[from], from + 1);
    uint64_t low = UINT64_MAX, high = 0, next = UINT64_MAX, last = 0;
    uint32_t before = 0, upto = 0;
    struct found f = {.id = BUF_NONE};
    struct searcher s = searcher_of(p, query);
    for (buf_id b = 0; b < p->n; b++) {
        if (!buffer_hits(&s, b))
            continue;
        uint64_t at = place(p->start[b], b + 1);
        f.total++;
        before += at < here;
        upto += at <= here;
        if (at < low)
            low = at;
        if (at > high)
            high = at;
        if (at > here && at < next)
            next = at;
        if (at < here && at > last)
            last = at;
    }
    if (!f.total)
        return f;
    uint64_t to = back ? (last ? last : high) : (next != UINT64_MAX ? next : low);
    f.id = (buf_id)(to & UINT32_MAX) - 1;
    if (back)
        f.number = last ? before : f.total;
    else
        f.number = next != UINT64_MAX ? upto + 1 : 1;
    return f;
}

struct found search_number(const struct program *p, const char *query, buf_id match)
{
    struct found f = {.id = match};
    struct searcher s = searcher_of(p, query);
    for (buf_id b = 0; b < p->n; b++) {
        if (!buffer_hits(&s, b))
            continue;
        f.total++;
        if (place(p->start[b], b + 1) <= place(p->start[match], match + 1))
            f.number++;
    }
    return f;
}
