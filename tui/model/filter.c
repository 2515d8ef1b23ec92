#include "tui/model/filter.h"

#include "tui/model/fold.h"

#include <stdio.h>
#include <string.h>

bool filter_has(const struct filter *f, enum filter_kind k)
{
    for (int i = 0; i < f->n; i++)
        if (f->order[i] == k)
            return true;
    return false;
}

void filter_drop(struct filter *f, enum filter_kind k)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        if (f->order[i] != k)
            f->order[n++] = f->order[i];
    if (n == f->n)
        return;
    f->n = (uint8_t)n;
    f->order[n] = 0;
    f->value[k] = 0; /* equal filters are equal in every byte */
}

void filter_set(struct filter *f, enum filter_kind k, uint64_t value)
{
    filter_drop(f, k);
    f->order[f->n++] = (uint8_t)k;
    f->value[k] = value;
}

bool filter_same(const struct filter *a, const struct filter *b)
{
    return a->n == b->n && memcmp(a->order, b->order, sizeof a->order) == 0 &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool kind_passes(enum filter_kind k, uint64_t value, const struct program *p, buf_id b)
{
    buf_id like = (buf_id)value; /* of lines and files */
    switch (k) {
    case FILTER_ROLE: return p->role[b] == value;
    case FILTER_LOOP:
        return p->loops.items[value].first <= p->start[b] && p->start[b] <= p->loops.items[value].last;
    case FILTER_SPACE: return p->space[b] == value;
    case FILTER_SIZE: return p->size[b] >= value;
    case FILTER_LINE: return p->line[b] == p->line[like] && same_text(p->file[b], p->file[like]);
    case FILTER_FILE: return same_text(p->file[b], p->file[like]);
    case FILTER_KINDS: break;
    }
    return true;
}

bool filter_passes(const struct filter *f, const struct program *p, buf_id b)
{
    for (int i = 0; i < f->n; i++)
        if (!kind_passes((enum filter_kind)f->order[i], f->value[f->order[i]], p, b))
            return false;
    return true;
}

void filter_admit(struct filter *f, const struct program *p, buf_id b)
{
    for (int i = f->n - 1; i >= 0; i--)
        if (!kind_passes((enum filter_kind)f->order[i], f->value[f->order[i]], p, b))
            filter_drop(f, (enum filter_kind)f->order[i]);
}

/* ---- Another form of the program ---- */

static uint64_t loop_named(const struct program *p, const char *name)
{
    uint32_t k = 0;
    while (k < p->loops.n && strcmp(p->loops.items[k].name, name) != 0)
        k++;
    return k < p->loops.n ? k : UINT64_MAX;
}

static uint64_t like_named(const struct program *from, buf_id like, const struct program *to, bool line)
{
    for (buf_id b = 0; b < to->n; b++)
        if (same_text(from->file[like], to->file[b]) && (!line || from->line[like] == to->line[b]))
            return b;
    return UINT64_MAX;
}

static uint64_t value_moved(enum filter_kind k, uint64_t value, const struct program *from,
                            const struct program *to)
{
    switch (k) {
    case FILTER_LOOP: return loop_named(to, from->loops.items[value].name);
    case FILTER_SPACE:
        for (uint32_t s = 0; s < to->n_spaces; s++)
            if (to->spaces[s].color == from->spaces[value].color)
                return s;
        return UINT64_MAX;
    case FILTER_LINE: case FILTER_FILE: return like_named(from, (buf_id)value, to, k == FILTER_LINE);
    case FILTER_ROLE: case FILTER_SIZE: case FILTER_KINDS: break;
    }
    return value;
}

void filter_moved(struct filter *f, const struct program *from, const struct program *to)
{
    struct filter old = *f;
    for (int i = 0; i < old.n; i++) {
        enum filter_kind k = (enum filter_kind)old.order[i];
        uint64_t value = value_moved(k, old.value[k], from, to);
        if (value == UINT64_MAX)
            filter_drop(f, k);
        else
            f->value[k] = value;
    }
}

/* ---- Words ---- */

const char *filter_name(enum filter_kind k)
{
    static const char *const names[FILTER_KINDS] = {"role", "loop", "memory", "size", "line", "file"};
    return names[k];
}

char filter_letter(enum filter_kind k)
{
    static const char letters[FILTER_KINDS + 1] = "rlmsif";
    return letters[k];
}

const char *filter_words(const struct filter *f, const struct program *p, enum filter_kind k, char *out,
                         size_t size)
{
    static const enum fold folds[FILTER_KINDS] = {FOLD_ROLE, FOLD_LOOP, FOLD_SPACE, FOLD_NONE, FOLD_LINE, FOLD_FILE};
    static const char *const before[FILTER_KINDS] = {[FILTER_LOOP] = "born in ", [FILTER_SPACE] = "in "};
    char name[256];
    uint64_t v = f->value[k];
    out[0] = '\0';
    if (k == FILTER_LOOP)
        snprintf(name, sizeof name, "%s", p->loops.items[v].name);
    else if (k == FILTER_SPACE)
        snprintf(name, sizeof name, "%s", p->spaces[v].name);
    else if (k == FILTER_ROLE)
        snprintf(name, sizeof name, "%s", role_name((enum role)v));
    else if (folds[k] != FOLD_NONE)
        fold_name(p, folds[k], (buf_id)v, name, sizeof name);
    else
        return out;
    snprintf(out, size, "%s%s", before[k] ? before[k] : "", name);
    return out;
}
