#include "tui/model/alive.h"

#include "tui/model/alive_parts.h"

#include <stdlib.h>
#include <string.h>

const char *sort_name(enum sort s)
{
    static const char *const names[SORT_COUNT] = {"size", "born", "dies", "role", "name", "source"};
    return names[s];
}

const char *file_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- Orders: a class for each buffer, found once ---- */

struct keyed {
    uint64_t begin[2]; /* the text's first bytes: they tell most texts apart */
    const char *text;  /* NULL stands last */
    uint64_t key;      /* then by this */
    buf_id b;
};

static void set_text(struct keyed *k, const char *text)
{
    k->text = text;
    bool over = false;
    for (int at = 0; at < 16; at++) {
        over = over || !text[at];
        k->begin[at / 8] = k->begin[at / 8] << 8 | (over ? 0 : (unsigned char)text[at]);
    }
}

static int compare(const void *x, const void *y)
{
    const struct keyed *a = x, *b = y;
    if (!a->text != !b->text)
        return a->text ? -1 : 1;
    for (int half = 0; half < 2; half++)
        if (a->begin[half] != b->begin[half])
            return a->begin[half] < b->begin[half] ? -1 : 1;
    int by_text = a->text == b->text ? 0 : strcmp(a->text, b->text);
    return by_text ? by_text : (a->key > b->key) - (a->key < b->key);
}

static struct keyed key_of(const struct program *p, buf_id b, enum sort sort)
{
    struct keyed k = {.b = b};
    switch (sort) {
    case SORT_BORN: k.key = p->start[b]; break;
    case SORT_DIES: k.key = p->end[b]; break;
    case SORT_ROLE: k.key = p->role[b] == ROLE_SCRATCH ? ROLE_COUNT : p->role[b]; break;
    case SORT_NAME: set_text(&k, p->name_of[b]); break;
    case SORT_SOURCE:
        if (p->file[b])
            set_text(&k, file_base(p->file[b]));
        k.key = p->line[b];
        break;
    case SORT_SIZE: case SORT_COUNT: break;
    }
    return k;
}

static void find_classes(struct alive *a, enum sort sort)
{
    const struct program *p = a->p;
    struct arena scratch = {0};
    struct keyed *keys = arena_array(&scratch, (size_t)p->n + 1, sizeof *keys);
    for (buf_id b = 0; b < p->n; b++)
        keys[b] = key_of(p, b, sort);
    if (p->n)
        qsort(keys, p->n, sizeof *keys, compare);
    a->class_of[sort] = arena_array(&a->arena, (size_t)p->n + 1, sizeof(uint32_t));
    for (uint32_t k = 0; k < p->n; k++) {
        a->n_classes[sort] += k == 0 || compare(&keys[k - 1], &keys[k]) != 0;
        a->class_of[sort][keys[k].b] = a->n_classes[sort] - 1;
    }
    arena_free(&scratch);
}

/* Stable: what an order holds equal stays in program_alive()'s. */
static void sort_rows(struct alive *a, enum sort sort)
{
    if (!a->class_of[sort])
        find_classes(a, sort);
    for (uint32_t i = 0; i < a->n; i++) {
        a->index[i] = i;
        a->key[i] = a->class_of[sort][a->rows[i].id];
    }
    sort_ids(a->index, a->tmp, a->n, a->key);
    for (uint32_t i = 0; i < a->n; i++)
        a->spare[i] = a->rows[a->index[i]];
    struct alive_row *sorted = a->spare;
    a->spare = a->rows;
    a->rows = sorted;
}

static void put_first(struct alive *a, uint32_t space)
{
    uint32_t n = 0;
    for (int other = 0; other < 2; other++)
        for (uint32_t i = 0; i < a->n; i++)
            if ((a->p->space[a->rows[i].id] != space) == other)
                a->spare[n++] = a->rows[i];
    struct alive_row *parted = a->spare;
    a->spare = a->rows;
    a->rows = parted;
}

/* ---- The list ---- */

static void begin(struct alive *a, const struct program *p)
{
    size_t room = (size_t)p->n + 1;
    a->p = p;
    a->rows = arena_array(&a->arena, room, sizeof *a->rows);
    a->spare = arena_array(&a->arena, room, sizeof *a->spare);
    a->ids = arena_array(&a->arena, room, sizeof *a->ids);
    a->own = arena_array(&a->arena, room, sizeof *a->own);
    a->index = arena_array(&a->arena, room, sizeof *a->index);
    a->key = arena_array(&a->arena, room, sizeof *a->key);
    a->tmp = arena_array(&a->arena, room, sizeof *a->tmp);
}

static void fill_rows(struct alive *a, const struct filter *filter)
{
    a->n = 0;
    for (uint32_t i = 0; i < a->all; i++)
        if (!filter->n || filter_passes(filter, a->p, a->ids[i]))
            a->rows[a->n++] = (struct alive_row){.id = a->ids[i], .own = a->own[i]};
}

void alive_get(struct alive *a, const struct program *p, const struct alive_ask *ask)
{
    const struct alive_ask *had = &a->ask;
    bool same_step = a->p == p && lapse_same(&had->when, &ask->when);
    if (same_step && had->sort == ask->sort && had->space == ask->space && had->fold == ask->fold &&
        had->open == ask->open && filter_same(&had->filter, &ask->filter))
        return;
    if (!a->p)
        begin(a, p);
    if (!same_step)
        a->all = lapse_alive(p, &ask->when, a->ids, a->own);
    fill_rows(a, &ask->filter);
    if (ask->sort != SORT_SIZE)
        sort_rows(a, ask->sort);
    if (p->n_spaces > 1)
        put_first(a, ask->space);
    alive_group(a, ask);
    a->ask = *ask;
}

void alive_free(struct alive *a)
{
    arena_free(&a->arena);
    *a = (struct alive){0};
}
