#include "tui/open.h"
#include "core/load/shipped.h"

#include <stdlib.h>
#include <string.h>

void say_error(const struct diag *d)
{
    char line[4096];
    fprintf(stderr, "%s\n", diag_text(d, line, sizeof line));
}

void say_warning(const char *text)
{
    char safe[2048];
    fprintf(stderr, "tidemark: warning: %s\n", text_safe(text, safe, sizeof safe));
}

static void say_warnings(const struct list *warnings)
{
    for (uint32_t k = 0; k < warnings->n; k++)
        say_warning(((const char *const *)warnings->items)[k]);
}

/* ---- Which modules ---- */

static bool is_named(const struct dump_entry *e, const char *name)
{
    return strcmp(e->name, name) == 0 || strcmp(e->stem, name) == 0;
}

static bool is_part(const struct dump_entry *e, const char *part)
{
    return strstr(e->stem, part) != NULL;
}

/* Marks what --module asks for: all of that very name, else the one that the part is in. */
static bool select_modules(const struct dump *dump, const char *path, const char *module,
                           bool *selected, struct diag *d)
{
    uint32_t n = 0, found = 0;
    for (uint32_t k = 0; k < dump->entries.n; k++)
        n += selected[k] = !module || is_named(dump_entry(dump, k), module);
    if (n)
        return true;
    for (uint32_t k = 0; k < dump->entries.n; k++)
        if (is_part(dump_entry(dump, k), module)) {
            found = n++ ? found : k;
            selected[k] = true;
        }
    if (n == 1)
        return true;
    if (n > 1) {
        diag_file(d, path, "%u modules have \"%s\" in their name", n, module);
        return diag_hint(d, "the first is %s; write more of the name", dump_entry(dump, found)->stem);
    }
    diag_file(d, path, "no module has \"%s\" in its name", module);
    return diag_hint(d, "it has %s%s", dump_entry(dump, 0)->stem, dump->entries.n > 1 ? " and others" : "");
}

/* ---- Opening ---- */

struct visit {
    const struct options *o;
    bool (*take)(void *ctx, struct module *m, struct program *p); /* true: it keeps them */
    void *ctx;
};

static int visit_module(const struct visit *v, const struct dump *dump, uint32_t entry)
{
    struct module *m = calloc(1, sizeof *m);
    struct program *p = calloc(1, sizeof *p);
    struct diag d;
    if (!m || !p)
        abort();
    int status = 2;
    bool kept = false;
    if (!dump_load(dump, entry, FORM_ANY, m, &d)) {
        say_error(&d);
    } else {
        say_warnings(&m->warnings);
        if (!program_build(p, m, &d)) {
            say_error(&d);
        } else {
            status = 0;
            kept = v->take(v->ctx, m, p);
            if (!kept)
                program_free(p);
        }
        if (!kept)
            module_free(m);
    }
    if (!kept) {
        free(p);
        free(m);
    }
    return status;
}

static int visit_path(const struct visit *v, const char *path)
{
    struct dump dump;
    struct diag d;
    if (!dump_find(&dump, path, &d)) {
        say_error(&d);
        return 2;
    }
    say_warnings(&dump.warnings);
    bool *selected = arena_array(&dump.arena, dump.entries.n, sizeof *selected);
    int status = 0;
    if (!select_modules(&dump, path, v->o->module, selected, &d)) {
        say_error(&d);
        status = 2;
    }
    for (uint32_t k = 0; status != 2 && k < dump.entries.n; k++)
        if (selected[k] && visit_module(v, &dump, k) != 0)
            status = dump.entries.n == 1 ? 2 : 3; /* go on with the other modules */
    dump_free(&dump);
    return status ? 2 : 0;
}

static int visit_all(const struct visit *v)
{
    int status = 0;
    if (v->o->n_paths == 0) {
        struct arena a = {0};
        struct diag d;
        const char *path;
        if (shipped_default(&a, &path, &d)) {
            status = visit_path(v, path);
        } else {
            say_error(&d);
            status = 2;
        }
        arena_free(&a);
    }
    for (int k = 0; k < v->o->n_paths; k++)
        if (visit_path(v, v->o->paths[k]) != 0)
            status = 2;
    return status;
}

struct each {
    void (*use)(void *ctx, const struct program *p);
    void *ctx;
};

static bool take_each(void *ctx, struct module *m, struct program *p)
{
    const struct each *e = ctx;
    (void)m;
    e->use(e->ctx, p);
    return false;
}

int open_each(const struct options *o, void (*use)(void *ctx, const struct program *p), void *ctx)
{
    struct each e = {use, ctx};
    struct visit v = {o, take_each, &e};
    return visit_all(&v);
}

static bool take_larger(void *ctx, struct module *m, struct program *p)
{
    struct opened *best = ctx;
    if (best->program && best->program->live[best->program->peak] >= p->live[p->peak])
        return false;
    open_close(best);
    *best = (struct opened){m, p};
    return true;
}

int open_largest(const struct options *o, struct opened *best)
{
    *best = (struct opened){0};
    struct visit v = {o, take_larger, best};
    int status = visit_all(&v);
    return best->program ? 0 : status ? status : 2;
}

void open_close(struct opened *one)
{
    if (!one->program)
        return;
    program_free(one->program);
    module_free(one->module);
    free(one->program);
    free(one->module);
    *one = (struct opened){0};
}
