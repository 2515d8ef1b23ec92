/* diff: two dumps, module by module. */
#include "core/output/report/diff_report.h"
#include "tui/cli/commands.h"
#include "tui/programs/open.h"

#include <stdlib.h>
#include <string.h>

/* The modules of one path that --module asks for.  The dump stays open. */
struct side {
    const char *path;
    struct dump dump;
    struct list entries; /* uint32_t -> dump.entries */
    bool *paired;        /* [entries] */
};

struct context {
    const struct options *o;
    struct arena arena;
    struct side side[2];
    int at;          /* the side being opened */
    cJSON *modules;  /* NULL: text */
    unsigned n, same; /* pairs printed whole; that do not differ, of several */
    bool differs, failed;
};

static int take_dump(void *ctx, struct dump *d, const bool *selected)
{
    struct context *c = ctx;
    struct side *s = &c->side[c->at];
    for (uint32_t k = 0; k < d->entries.n; k++)
        if (selected[k])
            *(uint32_t *)list_add(&c->arena, &s->entries, sizeof(uint32_t)) = k;
    s->paired = arena_array(&c->arena, (size_t)s->entries.n + 1, sizeof *s->paired);
    s->dump = *d;
    memset(d, 0, sizeof *d);
    return 0;
}

static bool open_sides(struct context *c)
{
    for (c->at = 0; c->at < 2; c->at++) {
        struct options one = *c->o;
        one.asked.paths = c->o->asked.paths + c->at;
        one.asked.n_paths = 1;
        c->side[c->at].path = *one.asked.paths;
        if (open_dumps(&one.asked, take_dump, c) != 0)
            return false;
    }
    return true;
}

static uint32_t entry_of(const struct side *s, uint32_t i)
{
    return ((const uint32_t *)s->entries.items)[i];
}

static bool open_side(struct context *c, int side, uint32_t i, struct opened *one)
{
    struct list warnings = {0};
    struct diag d;
    bool ok = open_module(one, &c->side[side].dump, entry_of(&c->side[side], i), &c->arena, &warnings, &d);
    say_warnings(&warnings);
    if (!ok)
        say_error(&d);
    c->failed |= !ok;
    return ok;
}

/* As the user named it; of many modules, where this one is. */
static const char *place_of(const struct side *s, uint32_t i)
{
    return s->entries.n == 1 ? s->path : dump_entry(&s->dump, entry_of(s, i))->dir;
}

static void compare(struct context *c, uint32_t i, uint32_t j)
{
    struct opened a, b;
    struct diff d;
    if (!open_side(c, 0, i, &a))
        return;
    if (open_side(c, 1, j, &b)) {
        const char *names[] = {place_of(&c->side[0], i), place_of(&c->side[1], j)};
        const struct diff_options o = {c->o->report.top, c->o->ascii};
        diff_make(&d, a.program, b.program);
        if (c->modules) {
            cJSON_AddItemToArray(c->modules, diff_json(&d, names));
        } else if (!d.differs && (c->side[0].entries.n > 1 || c->side[1].entries.n > 1)) {
            c->same++; /* one line for all of them */
        } else {
            if (c->n++)
                putchar('\n');
            diff_text(&d, names, &o, stdout);
        }
        c->differs |= d.differs;
        diff_free(&d);
        open_close(&b);
    }
    open_close(&a);
}

static const char *folder(const struct dump_entry *e)
{
    const char *slash = strrchr(e->dir, '/');
    return slash ? slash + 1 : e->dir;
}

enum { SAME_PROGRAM, SAME_PLATFORM, SAME_NAME, ROUNDS }; /* how alike, the most first */

static bool is_alike(const struct dump_entry *x, const struct dump_entry *y, int round)
{
    return strcmp(x->name, y->name) == 0 && (round == SAME_NAME || x->platform == y->platform) &&
           (round != SAME_PROGRAM || strcmp(folder(x), folder(y)) == 0);
}

/* Two modules alone belong together; else those of one name do, in order: first those that are in
 * folders of one name too, then those for one platform. */
static void compare_all(struct context *c)
{
    struct side *a = &c->side[0], *b = &c->side[1];
    bool alone = a->entries.n == 1 && b->entries.n == 1;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < a->entries.n; i++)
            for (uint32_t j = 0; j < b->entries.n && !a->paired[i]; j++)
                if (!b->paired[j] && (alone || is_alike(dump_entry(&a->dump, entry_of(a, i)),
                                                        dump_entry(&b->dump, entry_of(b, j)), round))) {
                    a->paired[i] = b->paired[j] = true;
                    compare(c, i, j);
                }
}

static void put_same(const struct context *c)
{
    if (c->same)
        printf("%sNo difference in %u%s pair%s of programs: the same bytes, role by role and value by value.\n",
               c->n ? "\n" : "", c->same, c->n ? " other" : "", c->same == 1 ? "" : "s");
}

static void say_alone(struct context *c)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < c->side[k].entries.n; i++) {
            if (c->side[k].paired[i])
                continue;
            const struct dump_entry *e = dump_entry(&c->side[k].dump, entry_of(&c->side[k], i));
            say_warning(arena_printf(&c->arena, "%s: %s has no partner in %s", e->dir, e->stem,
                                     c->side[!k].path));
            c->differs = true;
        }
}

int command_diff(const struct options *o)
{
    struct context c = {.o = o, .modules = o->json ? cJSON_CreateArray() : NULL};
    if (open_sides(&c)) {
        compare_all(&c);
        put_same(&c);
        say_alone(&c);
    } else {
        c.failed = true;
    }
    if (c.modules && !c.failed)
        print_json("diff", c.modules);
    else
        cJSON_Delete(c.modules);
    for (int k = 0; k < 2; k++)
        dump_free(&c.side[k].dump);
    arena_free(&c.arena);
    return c.failed ? 2 : c.differs ? 1 : 0;
}
