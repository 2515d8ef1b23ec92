#include "tui/explorer/catalog.h"

#include "core/analysis/listing/listing_fit.h"
#include "core/load/dump/size_up.h"
#include "core/load/text/target_config.h"
#include "tui/terminal/progress.h"

#include <string.h>

struct maker {
    struct catalog *c;
    uint64_t limit; /* 0: none was asked for */
    struct list picks;         /* struct pick */
    struct list bytes;         /* uint64_t: of their files */
    const char *target;        /* the last one read … */
    uint64_t target_memory;    /* … and what it says */
};

static struct dump *dump_of(const struct catalog *c, const struct pick *p)
{
    return (struct dump *)c->dumps.items + p->dump;
}

/* ---- Sizing up ---- */

static uint64_t memory_of(struct maker *k, const struct dump_entry *e)
{
    const char *path = e->path[DUMP_TARGET];
    struct arena scratch = {0};
    struct target_config t;
    struct file f;
    struct diag d;
    if (k->limit)
        return k->limit;
    if (!path)
        return 0;
    if (k->target != path) { /* one stands for a whole directory */
        k->target = path;
        k->target_memory = 0;
        if (file_read(&scratch, &f, path, &d) && target_config_read(&scratch, &t, &f, &d))
            k->target_memory = t.device_memory;
        arena_free(&scratch);
    }
    return k->target_memory;
}

/* A listing is known as it stands: what it needs, and what there was. */
static void note_listing(struct pick *p, const struct listing *l, uint64_t limit)
{
    struct arena scratch = {0};
    struct listing_fit f;
    listing_fit(&f, l, limit, &scratch);
    p->listing = l;
    p->state = PICK_LOADED;
    p->peak = f.has_need ? f.need : listing_listed(l);
    p->limit = f.has_limit ? f.limit : 0;
    arena_free(&scratch);
}

static int add_dump(void *ctx, struct dump *d, const bool *selected)
{
    struct maker *k = ctx;
    struct arena *a = &k->c->arena;
    uint32_t number = k->c->dumps.n;
    struct progress *progress = progress_begin("sizing up the modules of", dump_entry(d, 0)->dir, 0);
    *(struct dump *)list_add(a, &k->c->dumps, sizeof *d) = *d;
    for (uint32_t i = 0; i < d->entries.n; i++) {
        const struct dump_entry *e = dump_entry(d, i);
        struct size_up s = {0};
        if (!selected[i])
            continue;
        size_up(d, i, &s);
        *(struct pick *)list_add(a, &k->picks, sizeof(struct pick)) = (struct pick){
            .label = e->stem,
            .path = arena_printf(a, "%s/%s", e->dir, e->stem),
            .platform = e->platform,
            .has_reserved = s.known,
            .reserved = s.reserved,
            .limit = memory_of(k, e),
            .dump = number,
            .entry = i,
        };
        *(uint64_t *)list_add(a, &k->bytes, sizeof(uint64_t)) = s.file_bytes;
        if (e->listing)
            note_listing((struct pick *)k->picks.items + k->picks.n - 1, e->listing, k->limit);
    }
    progress_end(progress);
    *d = (struct dump){0}; /* ours now */
    return 0;
}

/* ---- Labels ---- */

/* How much of the directories is the same for all: up to behind a '/', or the whole. */
static size_t same_start(const struct picks *p, const char *const *dirs)
{
    size_t n = strlen(dirs[0]);
    for (uint32_t i = 1; i < p->n; i++) {
        size_t len = 0;
        while (len < n && dirs[i][len] == dirs[0][len])
            len++;
        bool whole = len == strlen(dirs[0]) && len == strlen(dirs[i]);
        while (!whole && len && dirs[0][len - 1] != '/')
            len--;
        n = len < n ? len : n;
    }
    return n;
}

static void make_labels(struct catalog *c)
{
    struct picks *p = &c->picks;
    struct arena scratch = {0};
    const char **dirs = arena_array(&scratch, (size_t)p->n + 1, sizeof *dirs);
    for (uint32_t i = 0; i < p->n; i++)
        dirs[i] = dump_entry(dump_of(c, &p->items[i]), p->items[i].entry)->dir;
    size_t n = same_start(p, dirs);
    for (uint32_t i = 0; i < p->n; i++)
        if (dirs[i][n])
            p->items[i].label = arena_printf(&c->arena, "%s/%s", dirs[i] + n, p->items[i].label);
    while (n > 1 && dirs[0][n - 1] == '/')
        n--;
    p->where = arena_text(&c->arena, dirs[0], n);
    arena_free(&scratch);
}

/* ---- Loading ---- */

static void note_program(struct pick *p, const struct opened *one)
{
    const struct program *g = one->program;
    p->state = PICK_LOADED;
    p->peak = g->live[g->peak];
    p->platform = one->module->platform;
    p->has_reserved = one->module->has_assignment;
    p->reserved = g->spaces[0].reserved;
    p->has_instructions = one->module->has_hlo;
    p->instructions = p->has_instructions ? one->module->hlo.insts.n : 0;
    if (!p->limit)
        p->limit = one->module->device_memory;
}

static bool load(struct catalog *c, struct pick *p, struct opened *one, struct list *warnings,
                 struct arena *a, struct diag *d)
{
    char text[1400];
    if (open_module(one, dump_of(c, p), p->entry, a, warnings, d)) {
        note_program(p, one);
        return true;
    }
    p->state = PICK_BROKEN;
    p->why = arena_printf(&c->arena, "%s", diag_text(d, text, sizeof text) + strlen("tidemark: "));
    return false;
}

/* A pick's place before it was sorted is that of its bytes, kept meanwhile as its count. */
static void find_peaks(struct maker *k)
{
    struct picks *p = &k->c->picks;
    const uint64_t *bytes = k->bytes.items;
    struct progress *progress = progress_begin("reading", p->where, 0);
    uint64_t used = 0;
    for (uint32_t i = 0; i < p->n; i++)
        p->items[i].instructions = i;
    picks_sort(p);
    for (uint32_t i = 0; i < p->n; i++) {
        struct pick *one = &p->items[i];
        uint64_t more = bytes[one->instructions];
        one->instructions = 0;
        if (one->listing || more > CATALOG_BUDGET - used)
            continue;
        struct arena scratch = {0};
        struct list warnings = {0};
        struct opened open;
        struct diag d;
        char of[64];
        used += more;
        snprintf(of, sizeof of, "module %u of %u", i + 1, p->n);
        progress_say(progress, of);
        if (load(k->c, one, &open, &warnings, &scratch, &d))
            open_close(&open);
        arena_free(&scratch);
    }
    progress_end(progress);
    picks_sort(p);
}

const struct dump_entry *catalog_entry(const struct catalog *c, uint32_t i)
{
    return dump_entry(dump_of(c, &c->picks.items[i]), c->picks.items[i].entry);
}

bool catalog_open(struct catalog *c, uint32_t i, struct opened *one, struct diag *d)
{
    return load(c, &c->picks.items[i], one, &c->warnings, &c->arena, d);
}

int catalog_make(struct catalog *c, const struct asked *asked, uint64_t limit)
{
    *c = (struct catalog){0};
    struct maker k = {.c = c, .limit = limit};
    int status = open_dumps(asked, add_dump, &k);
    c->picks = (struct picks){.items = k.picks.items, .n = k.picks.n, .where = ""};
    if (!c->picks.n) {
        catalog_free(c);
        return status ? status : 2;
    }
    make_labels(c);
    if (c->picks.n > 1)
        find_peaks(&k);
    return 0;
}

void catalog_free(struct catalog *c)
{
    for (uint32_t i = 0; i < c->dumps.n; i++)
        dump_free((struct dump *)c->dumps.items + i);
    arena_free(&c->arena);
    *c = (struct catalog){0};
}
