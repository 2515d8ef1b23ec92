#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#endif
#include "core/load/example/variants.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/home.h"
#include "core/load/example/shipped.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- One variant ---- */

struct variant variant_normal(struct variant v)
{
    if (v.unroll >= v.seqlen)
        v.unroll = VARIANT_FULL;
    return v;
}

bool variant_same(const struct variant *a, const struct variant *b)
{
    return strcmp(a->target, b->target) == 0 && a->width == b->width && a->seqlen == b->seqlen &&
           a->unroll == b->unroll;
}

const char *variant_name(const struct variant *v, char out[128])
{
    char unroll[24] = "full";
    if (v->unroll != VARIANT_FULL)
        snprintf(unroll, sizeof unroll, "%lld", (long long)v->unroll);
    snprintf(out, 128, "%.40s-d%lld-s%lld-u%s", v->target, (long long)v->width, (long long)v->seqlen,
             unroll);
    return out;
}

/* ---- The index ---- */

static bool whole(const cJSON *object, const char *name, int64_t *out)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(n) || !(n->valuedouble >= 1 && n->valuedouble <= 1e15))
        return false;
    *out = (int64_t)n->valuedouble;
    return true;
}

static const char *word(struct arena *a, const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? arena_text(a, text, strlen(text)) : NULL;
}

/* A cell that says less than this is left out: there may be others in later indexes. */
static bool read_cell(struct variants *vs, const cJSON *json, struct variant_cell *c)
{
    struct arena *a = &vs->arena;
    const char *dir = word(a, json, "dir");
    const cJSON *unroll = cJSON_GetObjectItemCaseSensitive(json, "unroll");
    *c = (struct variant_cell){.v.target = word(a, json, "target"), .device = word(a, json, "device")};
    if (!dir || !c->v.target || !whole(json, "width", &c->v.width) || !whole(json, "seqlen", &c->v.seqlen))
        return false;
    if (cJSON_IsString(unroll) && strcmp(unroll->valuestring, "full") == 0)
        c->v.unroll = VARIANT_FULL;
    else if (!whole(json, "unroll", &c->v.unroll))
        return false;
    c->v = variant_normal(c->v);
    c->dir = arena_printf(a, "%s/%s", vs->folder, dir);
    return true;
}

static bool read_index(struct variants *vs, struct diag *d)
{
    struct file f;
    if (!file_read(&vs->arena, &f, arena_printf(&vs->arena, "%s/index.json", vs->folder), d))
        return false;
    cJSON *json = cJSON_ParseWithLength(f.text, f.size);
    const cJSON *cells = cJSON_GetObjectItemCaseSensitive(json, "cells"), *cell;
    cJSON_ArrayForEach(cell, cells)
    {
        struct variant_cell c;
        if (read_cell(vs, cell, &c))
            *(struct variant_cell *)list_add(&vs->arena, &vs->cells, sizeof c) = c;
    }
    cJSON_Delete(json);
    return vs->cells.n > 0 || diag_file(d, f.name, "has no cells");
}

/* ---- The cache ---- */

static uint64_t hash_file(const char *name, uint64_t hash)
{
    struct arena a = {0};
    struct file f;
    struct diag d;
    if (file_read(&a, &f, name, &d))
        for (size_t k = 0; k < f.size; k++)
            hash = hash_add(hash, (unsigned char)f.text[k]);
    arena_free(&a);
    return hash;
}

static void find_cache(struct variants *vs)
{
    char path[4096];
    if (!home_path(path, sizeof path, "XDG_CACHE_HOME", ".cache", NULL))
        return;
    uint64_t hash = HASH_START;
    hash = hash_file(arena_printf(&vs->arena, "%s/scan.py", vs->folder), hash);
    hash = hash_file(arena_printf(&vs->arena, "%s/record.py", vs->folder), hash);
    vs->cache = arena_printf(&vs->arena, "%s/%016llx", path, (unsigned long long)hash);
}

const char *variants_place(struct variants *vs, struct variant v, struct diag *d)
{
    char name[128];
    if (!vs->cache) {
        diag_file(d, NULL, "there is no place to keep what is compiled");
        diag_hint(d, "set XDG_CACHE_HOME or HOME");
        return NULL;
    }
    if (!file_make_folders(vs->cache)) {
        diag_file(d, vs->cache, "%s", strerror(errno));
        return NULL;
    }
    v = variant_normal(v);
    return arena_printf(&vs->arena, "%s/%s", vs->cache, variant_name(&v, name));
}

void variants_forget(const struct variants *vs, const char *dir)
{
    size_t len = vs->cache ? strlen(vs->cache) : 0;
    if (len && strncmp(dir, vs->cache, len) == 0 && dir[len] == '/' && !strstr(dir, "/.."))
        file_remove_tree(dir);
}

/* ---- The whole ---- */

bool variants_read(struct variants *vs, struct diag *d)
{
    *vs = (struct variants){0};
    vs->folder = shipped_folder(&vs->arena);
    if (!vs->folder)
        diag_file(d, NULL, "the shipped example is not installed");
    if (vs->folder && read_index(vs, d)) {
        find_cache(vs);
        return true;
    }
    variants_free(vs);
    return false;
}

void variants_free(struct variants *vs)
{
    arena_free(&vs->arena);
    *vs = (struct variants){0};
}

/* ---- Finding ---- */

const char *variants_find(struct variants *vs, struct variant v, bool *cached)
{
    char name[128];
    v = variant_normal(v);
    *cached = false;
    for (uint32_t k = 0; k < vs->cells.n; k++) {
        const struct variant_cell *c = (const struct variant_cell *)vs->cells.items + k;
        if (variant_same(&c->v, &v))
            return c->dir;
    }
    if (!vs->cache)
        return NULL;
    const char *dir = arena_printf(&vs->arena, "%s/%s", vs->cache, variant_name(&v, name));
    *cached = access(arena_printf(&vs->arena, "%s/cell.json", dir), R_OK) == 0;
    return *cached ? dir : NULL;
}

/* "a100-d1048576-s4-u1" */
static bool parse_name(struct arena *a, const char *name, struct variant *v)
{
    char target[41], unroll[24], rest;
    long long width, seqlen;
    const char *at = strstr(name, "-d");
    for (const char *next = at; next; next = strstr(next + 1, "-d"))
        at = next; /* a target may have "-d" in its name */
    if (!at || at == name || (size_t)(at - name) >= sizeof target)
        return false;
    if (sscanf(at, "-d%15lld-s%15lld-u%20[0-9ful]%c", &width, &seqlen, unroll, &rest) != 3 ||
        width < 1 || seqlen < 1)
        return false;
    long long k = strcmp(unroll, "full") == 0 ? VARIANT_FULL : strtoll(unroll, NULL, 10);
    if (k < 1)
        return false;
    *v = (struct variant){arena_text(a, name, (size_t)(at - name)), width, seqlen, k};
    *v = variant_normal(*v);
    return true;
}

bool variants_which(struct variants *vs, const char *dir, struct variant *out)
{
    char *real = realpath(dir, NULL), *cache = vs->cache ? realpath(vs->cache, NULL) : NULL;
    bool found = false;
    for (uint32_t k = 0; real && !found && k < vs->cells.n; k++) {
        const struct variant_cell *c = (const struct variant_cell *)vs->cells.items + k;
        char *cell = realpath(c->dir, NULL);
        if (cell && (found = strcmp(cell, real) == 0))
            *out = c->v;
        free(cell);
    }
    size_t len = cache ? strlen(cache) : 0;
    if (real && !found && len && strncmp(real, cache, len) == 0 && real[len] == '/')
        found = parse_name(&vs->arena, real + len + 1, out);
    free(real);
    free(cache);
    return found;
}

struct variant variants_target(const struct variants *vs, struct variant v, int by)
{
    const struct variant_cell *cells = vs->cells.items;
    const struct variant_cell *first = NULL, *last = NULL, *next = NULL, *before = NULL;
    bool seen = false;
    for (uint32_t k = 0; k < vs->cells.n; k++) { /* each target's first width; the index groups them */
        const struct variant_cell *c = &cells[k];
        if (last && strcmp(last->v.target, c->v.target) == 0)
            continue;
        first = first ? first : c;
        if (strcmp(c->v.target, v.target) == 0) {
            seen = true;
            before = last;
        } else if (seen && !next) {
            next = c;
        }
        last = c;
    }
    const struct variant_cell *to = by > 0 ? (next ? next : first) : before ? before : last;
    if (!seen || !to)
        return v;
    v.target = to->v.target;
    v.width = to->v.width;
    return v;
}
