#include "tui/programs/shelf.h"

#include "core/analysis/whatif/whatif.h"
#include "core/base/file.h"
#include "core/load/example/shipped.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- remedies.json ---- */

static const char *word(struct shelf *f, const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? arena_text(&f->arena, text, strlen(text)) : NULL;
}

static int64_t whole(const cJSON *object, const char *name)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(n) && n->valuedouble >= 1 && n->valuedouble <= VARIANT_MOST ? (int64_t)n->valuedouble : 0;
}

/* An entry that says less than this is left out, as is one of another target or width. */
static bool read_remedy(struct shelf *f, const cJSON *json, struct remedy *r)
{
    const cJSON *width = cJSON_GetObjectItemCaseSensitive(json, "width");
    const char *target = word(f, json, "target");
    *r = (struct remedy){word(f, json, "name"), word(f, json, "title"), word(f, json, "when"),
                         word(f, json, "dir"), whole(json, "seqlen"), whole(json, "forward")};
    return r->name && r->title && r->when && r->dir && r->seqlen && r->forward && target &&
           strcmp(target, f->base.target) == 0 && cJSON_IsNumber(width) &&
           width->valuedouble == (double)f->base.width;
}

static const char *refusal(struct shelf *f, const struct diag *d)
{
    char line[4096];
    const char *text = diag_text(d, line, sizeof line) + strlen("tidemark: ");
    return arena_text(&f->arena, text, strlen(text));
}

static void read_remedies(struct shelf *f)
{
    struct file file;
    struct diag d;
    if (!file_read(&f->arena, &file, arena_printf(&f->arena, "%s/remedies.json", f->variants.folder), &d)) {
        f->no_remedies = refusal(f, &d);
        return;
    }
    cJSON *json = cJSON_ParseWithLength(file.text, file.size);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "remedies"), *item;
    cJSON_ArrayForEach(item, list)
    {
        struct remedy r;
        if (read_remedy(f, item, &r))
            *(struct remedy *)list_add(&f->arena, &f->remedies, sizeof r) = r;
    }
    cJSON_Delete(json);
    if (!f->remedies.n)
        f->no_remedies = arena_printf(&f->arena, "%s: lists no remedies", file.name);
}

/* ---- Books ---- */

static struct book *find(const struct shelf *f, const char *name)
{
    for (uint32_t k = 0; k < f->books.n; k++) {
        struct book *b = ((struct book *const *)f->books.items)[k];
        if (strcmp(b->name, name) == 0)
            return b;
    }
    return NULL;
}

static struct book *add(struct shelf *f, const char *name)
{
    struct book *b = arena_get(&f->arena, sizeof *b);
    *b = (struct book){.name = name};
    *(struct book **)list_add(&f->arena, &f->books, sizeof b) = b;
    return b;
}

static const struct book *take(struct shelf *f, const char *name)
{
    struct book *b = find(f, name);
    struct diag d;
    if (b)
        return b;
    b = add(f, name);
    b->dir = arena_printf(&f->arena, "%s/%s", f->variants.folder, name);
    if (open_dir(&b->one, b->dir, &d))
        b->p = b->one.program;
    else
        b->why = refusal(f, &d);
    return b;
}

static const struct book *missing(struct shelf *f, const char *name, const char *why)
{
    struct book *b = find(f, name);
    if (!b) {
        b = add(f, name);
        b->why = why;
    }
    return b;
}

static const struct variant_cell *cell_of(const struct shelf *f, int64_t seqlen, int64_t unroll)
{
    const struct variant_cell *cells = f->variants.cells.items;
    struct variant want = variant_normal((struct variant){f->base.target, f->base.width, seqlen, unroll});
    for (uint32_t k = 0; k < f->variants.cells.n; k++)
        if (variant_same(&cells[k].v, &want))
            return &cells[k];
    return NULL;
}

const struct book *shelf_form(struct shelf *f, int64_t seqlen, int64_t unroll)
{
    char name[128];
    const struct variant_cell *c = cell_of(f, seqlen, unroll);
    if (c)
        return take(f, arena_text(&f->arena, c->dir + strlen(f->variants.folder) + 1,
                                  strlen(c->dir + strlen(f->variants.folder) + 1)));
    struct variant v = variant_normal((struct variant){f->base.target, f->base.width, seqlen, unroll});
    variant_name(&v, name);
    return missing(f, arena_printf(&f->arena, "grid/%s", name),
                   arena_printf(&f->arena, "%s/index.json: lists no %s", f->variants.folder, name));
}

const struct remedy *shelf_remedy_about(const struct shelf *f, const char *name, int64_t seqlen)
{
    const struct remedy *r = f->remedies.items;
    for (uint32_t k = 0; k < f->remedies.n; k++)
        if (strcmp(r[k].name, name) == 0 && r[k].seqlen == seqlen)
            return &r[k];
    return NULL;
}

const struct book *shelf_remedy(struct shelf *f, const char *name, int64_t seqlen)
{
    const struct remedy *r = shelf_remedy_about(f, name, seqlen);
    if (r)
        return take(f, r->dir);
    const char *full = arena_printf(&f->arena, "remedies/%s-s%lld", name, (long long)seqlen);
    const char *why = arena_printf(&f->arena, "%s/remedies.json: lists no %s-s%lld", f->variants.folder, name,
                                   (long long)seqlen);
    return missing(f, full, f->no_remedies ? f->no_remedies : why);
}

/* ---- Lengths that were not compiled ---- */

static bool whatif_rolled(const struct program *from, int64_t seqlen, uint64_t *bytes)
{
    struct whatif w;
    struct diag d;
    struct whatif_ask ask = {.seqlen = seqlen, .unroll = 1};
    if (!whatif_build(&w, from, &ask, &d))
        return false;
    bool known = w.has_program && (w.method == WHATIF_EXACT || w.method == WHATIF_ESTIMATE);
    if (known)
        *bytes = w.program.totals.output + w.program.totals.temp;
    whatif_free(&w);
    return known;
}

/* The longest rolled form shorter than `below`, or NULL. */
static const struct variant_cell *rolled_below(const struct shelf *f, int64_t below)
{
    const struct variant_cell *cells = f->variants.cells.items, *best = NULL;
    for (uint32_t k = 0; k < f->variants.cells.n; k++) {
        const struct variant *v = &cells[k].v;
        bool fits = v->unroll == 1 && v->seqlen < below && v->width == f->base.width &&
                    strcmp(v->target, f->base.target) == 0;
        if (fits && (!best || v->seqlen > best->v.seqlen))
            best = &cells[k];
    }
    return best;
}

bool shelf_rolled(struct shelf *f, int64_t seqlen, uint64_t *bytes)
{
    const struct variant_cell *c = cell_of(f, seqlen, 1);
    const struct program *p = c ? shelf_form(f, seqlen, 1)->p : NULL;
    if (p && p->has_totals) {
        *bytes = p->totals.output + p->totals.temp;
        return true;
    }
    for (c = rolled_below(f, seqlen); c; c = rolled_below(f, c->v.seqlen)) {
        p = shelf_form(f, c->v.seqlen, 1)->p;
        if (p && whatif_rolled(p, seqlen, bytes))
            return true;
    }
    return false;
}

/* ---- The whole ---- */

bool shelf_open(struct shelf *f, struct diag *d)
{
    const char *dir;
    *f = (struct shelf){0};
    if (!variants_read(&f->variants, d))
        return false;
    bool known = shipped_default(&f->arena, &dir, d);
    if (known && !variants_which(&f->variants, dir, &f->base))
        known = diag_file(d, arena_printf(&f->arena, "%s/index.json", f->variants.folder),
                          "its \"default\" is none of its cells");
    if (!known) {
        variants_free(&f->variants);
        arena_free(&f->arena);
        return false;
    }
    read_remedies(f);
    return true;
}

void shelf_close(struct shelf *f)
{
    for (uint32_t k = 0; k < f->books.n; k++)
        open_close(&((struct book **)f->books.items)[k]->one);
    if (f->variants.folder)
        variants_free(&f->variants);
    arena_free(&f->arena);
    *f = (struct shelf){0};
}
