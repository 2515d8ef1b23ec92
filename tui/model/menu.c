#include "tui/model/menu.h"

#include "tui/model/app.h"

static const uint64_t sizes[] = {1ull << 10, 1ull << 16, 1ull << 20, 1ull << 24, 1ull << 28, 1ull << 30,
                                 4ull << 30, 16ull << 30, 64ull << 30};

static bool has_sources(const struct program *p)
{
    for (buf_id b = 0; b < p->n; b++)
        if (p->file[b])
            return true;
    return false;
}

static bool tells_apart(const struct program *p, enum filter_kind k)
{
    switch (k) {
    case FILTER_LOOP: return p->loops.n > 0;
    case FILTER_SPACE: return p->n_spaces > 1;
    case FILTER_LINE: case FILTER_FILE: return has_sources(p);
    default: return true;
    }
}

static uint64_t own_in(const struct menu *m, const struct alive_row *row, uint32_t space)
{
    return m->alive.p->space[row->id] == space ? row->own : 0;
}

static void size_choices(struct menu *m, uint32_t space)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct choice c = {.value = sizes[k]};
        for (uint32_t i = 0; i < m->alive.n; i++) {
            bool passes = m->alive.p->size[m->alive.rows[i].id] >= sizes[k];
            c.n += passes;
            c.own += passes ? own_in(m, &m->alive.rows[i], space) : 0;
        }
        if (m->n && m->items[m->n - 1].n == c.n && !m->items[m->n - 1].none)
            m->n--; /* the same buffers: the larger size says more */
        if (c.n)
            m->items[m->n++] = c;
    }
}

/* Inner loops are within their outer ones, which stand before them. */
static void loop_choices(struct menu *m, const struct program *p, uint32_t space)
{
    struct choice *all = arena_array(&m->arena, (size_t)p->loops.n + 1, sizeof *all);
    const uint32_t *of = m->alive.folds[FOLD_LOOP].of;
    for (uint32_t i = 0; i < m->alive.n; i++) {
        struct choice *c = &all[of[m->alive.rows[i].id]];
        c->n++;
        c->own += own_in(m, &m->alive.rows[i], space);
    }
    for (uint32_t k = p->loops.n; k > 0; k--)
        if (p->loops.items[k - 1].parent != LOOP_NONE) {
            all[p->loops.items[k - 1].parent + 1].n += all[k].n;
            all[p->loops.items[k - 1].parent + 1].own += all[k].own;
        }
    for (uint32_t k = 1; k <= p->loops.n; k++)
        if (all[k].n) {
            all[k].value = k - 1;
            m->items[m->n++] = all[k];
        }
}

/* A class may have a group in each memory; as a choice it is one. */
static void group_choices(struct menu *m, const struct program *p, enum filter_kind kind, uint32_t space)
{
    enum fold fold = m->alive.ask.fold;
    struct choice **of = arena_array(&m->arena, m->alive.folds[fold].n, sizeof *of);
    for (uint32_t k = 0; k < m->alive.n_groups; k++) {
        const struct alive_group *g = &m->alive.groups[k];
        buf_id b = m->alive.rows[g->first].id;
        struct choice **c = &of[m->alive.folds[fold].of[b]];
        if (!*c)
            *c = &m->items[m->n++];
        (*c)->value = kind == FILTER_ROLE ? p->role[b] : kind == FILTER_SPACE ? p->space[b] : b;
        (*c)->n += g->n;
        (*c)->own += p->space[b] == space || kind == FILTER_SPACE ? g->own : 0;
    }
}

static void kind_choices(struct menu *m, const struct program *p)
{
    m->items = arena_array(&m->arena, FILTER_KINDS, sizeof *m->items);
    for (int k = 0; k < FILTER_KINDS; k++)
        if (tells_apart(p, (enum filter_kind)k))
            m->items[m->n++] = (struct choice){.value = (uint64_t)k};
}

void menu_get(struct menu *m, const struct program *p, const struct lapse *when, const struct app *s)
{
    static const enum fold folds[FILTER_KINDS] = {FOLD_ROLE, FOLD_LOOP, FOLD_SPACE, FOLD_NONE, FOLD_LINE, FOLD_FILE};
    arena_reset(&m->arena);
    m->n = 0;
    if (s->menu == FILTER_KINDS) {
        kind_choices(m, p);
        return;
    }
    struct alive_ask ask = {.when = *when, .space = s->space, .fold = folds[s->menu], .open = KEY_NONE,
                            .filter = s->filter};
    filter_drop(&ask.filter, s->menu);
    alive_get(&m->alive, p, &ask);
    m->items = arena_array(&m->arena, (size_t)m->alive.n_groups + p->loops.n + 16, sizeof *m->items);
    if (filter_has(&s->filter, s->menu))
        m->items[m->n++] = (struct choice){.none = true, .n = m->alive.n};
    if (s->menu == FILTER_SIZE)
        size_choices(m, s->space);
    else if (s->menu == FILTER_LOOP)
        loop_choices(m, p, s->space);
    else
        group_choices(m, p, s->menu, s->space);
}

void menu_free(struct menu *m)
{
    alive_free(&m->alive);
    arena_free(&m->arena);
    *m = (struct menu){0};
}

uint32_t menu_line_of(const struct menu *m, const struct program *p, const struct app *s, buf_id b)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        struct filter f = {0};
        if (m->items[i].none || s->menu == FILTER_KINDS)
            continue;
        filter_set(&f, s->menu, m->items[i].value);
        if (b != BUF_NONE && filter_passes(&f, p, b))
            best = i; /* of sizes and loops the narrowest stands last */
    }
    return best;
}

uint32_t menu_top(const struct app *s, uint32_t n, int height)
{
    uint32_t h = height > 0 ? (uint32_t)height : 1, half = h / 2;
    if (n <= h || s->menu_line < half)
        return 0;
    return s->menu_line - half < n - h ? s->menu_line - half : n - h;
}
