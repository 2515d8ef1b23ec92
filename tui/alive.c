#include "tui/alive.h"

#include <stdlib.h>
#include <string.h>

const char *sort_name(enum sort s)
{
    static const char *const names[SORT_COUNT] = {"size", "born", "dies", "name", "source"};
    return names[s];
}

const char *file_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int compare(const void *x, const void *y)
{
    const struct alive_row *a = x, *b = y;
    if (!a->text != !b->text)
        return a->text ? -1 : 1;
    int by_text = a->text == b->text ? 0 : strcmp(a->text, b->text);
    if (by_text)
        return by_text;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void set_key(struct alive_row *row, const struct program *p, enum sort sort)
{
    buf_id b = row->id;
    switch (sort) {
    case SORT_BORN: row->key = p->start[b]; break;
    case SORT_DIES: row->key = p->end[b]; break;
    case SORT_NAME: row->text = p->name_of[b]; break;
    case SORT_SOURCE:
        row->text = p->file[b] ? file_base(p->file[b]) : NULL;
        row->key = p->line[b];
        break;
    case SORT_SIZE: case SORT_COUNT: break;
    }
}

void alive_get(struct alive *a, const struct program *p, uint32_t step, enum sort sort)
{
    *a = (struct alive){0};
    buf_id *ids = arena_array(&a->arena, p->n ? p->n : 1, sizeof *ids);
    uint64_t *own = arena_array(&a->arena, p->n ? p->n : 1, sizeof *own);
    a->n = program_alive(p, step, ids, own);
    a->rows = arena_array(&a->arena, a->n ? a->n : 1, sizeof *a->rows);
    for (uint32_t i = 0; i < a->n; i++) {
        a->rows[i] = (struct alive_row){.id = ids[i], .rank = i, .own = own[i]};
        set_key(&a->rows[i], p, sort);
    }
    if (sort != SORT_SIZE)
        qsort(a->rows, a->n, sizeof *a->rows, compare);
}

void alive_free(struct alive *a)
{
    arena_free(&a->arena);
    *a = (struct alive){0};
}

uint32_t alive_find(const struct alive *a, buf_id id)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->rows[i].id == id)
            return i;
    return 0;
}
