#include "tui/programs/open.h"
#include "core/base/memory.h"
#include "core/load/dump/size_up.h"
#include "core/load/example/shipped.h"
#include "tui/terminal/progress.h"

#include <stdio.h>
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

void say_warnings(const struct list *warnings)
{
    for (uint32_t k = 0; k < warnings->n; k++)
        say_warning(((const char *const *)warnings->items)[k]);
}

void say_failure(const struct diag *d, bool others)
{
    char line[4096];
    if (others)
        say_warning(diag_text(d, line, sizeof line) + strlen("tidemark: "));
    else
        say_error(d);
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

bool open_select(const struct dump *dump, const char *path, const char *module, bool *selected,
                 struct diag *d)
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

bool open_module(struct opened *one, const struct dump *d, uint32_t entry, struct arena *a,
                 struct list *warnings, struct diag *diag)
{
    *one = (struct opened){memory_zeroed(1, sizeof *one->module), memory_zeroed(1, sizeof *one->program)};
    bool loaded = dump_load(d, entry, FORM_ANY, one->module, diag);
    for (uint32_t k = 0; loaded && k < one->module->warnings.n; k++) {
        const char *text = ((const char *const *)one->module->warnings.items)[k];
        *(const char **)list_add(a, warnings, sizeof(char *)) = arena_text(a, text, strlen(text));
    }
    if (loaded && program_build(one->program, one->module, diag))
        return true;
    if (loaded)
        module_free(one->module);
    free(one->program);
    free(one->module);
    *one = (struct opened){0};
    return false;
}

bool open_dir(struct opened *one, const char *dir, struct diag *diag)
{
    struct arena scratch = {0};
    struct list warnings = {0};
    struct dump d;
    bool ok = dump_find(&d, dir, diag);
    if (ok) {
        ok = open_module(one, &d, 0, &scratch, &warnings, diag);
        dump_free(&d);
    }
    arena_free(&scratch);
    return ok;
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

bool open_shown(struct opened *one, const struct dump *d, uint32_t entry, struct arena *a,
                struct list *warnings, struct diag *diag)
{
    struct progress *progress = progress_begin("reading", dump_entry(d, entry)->stem, size_up_files(d, entry));
    bool ok = open_module(one, d, entry, a, warnings, diag);
    progress_end(progress);
    return ok;
}

struct visit {
    const struct asked *asked;
    int (*use)(void *ctx, struct dump *d, const bool *selected);
    void *ctx;
};

static int visit_path(const struct visit *v, const char *path)
{
    struct arena scratch = {0};
    struct dump dump;
    struct diag d;
    struct progress *progress = progress_begin("looking through", path, 0);
    bool found = dump_find(&dump, path, &d);
    progress_end(progress);
    if (!found) {
        say_error(&d);
        return 2;
    }
    say_warnings(&dump.warnings);
    bool *selected = arena_array(&scratch, dump.entries.n, sizeof *selected);
    int status = 2;
    if (open_select(&dump, path, v->asked->module, selected, &d))
        status = v->use(v->ctx, &dump, selected);
    else
        say_error(&d);
    dump_free(&dump);
    arena_free(&scratch);
    return status;
}

int open_dumps(const struct asked *asked, int (*use)(void *ctx, struct dump *d, const bool *selected),
               void *ctx)
{
    struct visit v = {asked, use, ctx};
    int status = 0;
    if (asked->n_paths == 0) {
        struct arena a = {0};
        struct diag d;
        const char *path;
        if (shipped_default(&a, &path, &d)) {
            status = visit_path(&v, path);
        } else {
            say_error(&d);
            status = 2;
        }
        arena_free(&a);
    }
    for (int k = 0; k < asked->n_paths; k++)
        if (visit_path(&v, asked->paths[k]) != 0)
            status = 2;
    return status;
}

/* ---- Every module ---- */

static int use_each(void *ctx, struct dump *dump, const bool *selected)
{
    const struct open_use *e = ctx;
    struct arena failed = {0};
    struct list failures = {0};
    bool any = false;
    for (uint32_t k = 0; k < dump->entries.n; k++) {
        struct arena a = {0};
        struct list warnings = {0};
        struct opened one;
        struct diag d;
        if (!selected[k])
            continue;
        if (dump_entry(dump, k)->listing && e->listing) {
            e->listing(e->ctx, dump_entry(dump, k));
            any = true;
            continue;
        }
        bool ok = open_shown(&one, dump, k, &a, &warnings, &d);
        say_warnings(&warnings);
        if (ok) {
            e->program(e->ctx, one.program);
            open_close(&one);
            any = true;
        } else {
            *(struct diag *)list_add(&failed, &failures, sizeof d) = d;
        }
        arena_free(&a);
    }
    for (uint32_t k = 0; k < failures.n; k++)
        say_failure((struct diag *)failures.items + k, any);
    arena_free(&failed);
    return any || !failures.n ? 0 : 2;
}

int open_every(const struct asked *asked, const struct open_use *use)
{
    struct open_use copy = *use;
    return open_dumps(asked, use_each, &copy);
}

int open_each(const struct asked *asked, void (*use)(void *ctx, const struct program *p), void *ctx)
{
    return open_every(asked, &(struct open_use){.program = use, .ctx = ctx});
}
