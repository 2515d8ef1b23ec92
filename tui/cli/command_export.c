#include "core/base/file_out.h"
#include "tui/cli/commands.h"
#include "tui/programs/open.h"

#include <string.h>
#include <unistd.h>

struct context {
    const struct options *o;
    enum export_format format;
};

/* What FILE's name ends in, where --format does not tell. */
static bool guess_format(const char *file, enum export_format *out)
{
    static const struct {
        const char *end;
        enum export_format format;
    } known[] = {{".html", EXPORT_HTML}, {".htm", EXPORT_HTML}, {".svg", EXPORT_SVG},
                 {".csv", EXPORT_CSV},   {".json", EXPORT_JSON}};
    size_t len = file ? strlen(file) : 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t n = strlen(known[k].end);
        if (len > n && strcmp(file + len - n, known[k].end) == 0) {
            *out = known[k].format;
            return true;
        }
    }
    return false;
}

static bool choose_format(struct context *c, struct diag *d)
{
    const struct options *o = c->o;
    const char *file = o->output && strcmp(o->output, "-") != 0 ? o->output : NULL;
    c->format = o->format;
    if (!o->has_format && !guess_format(file, &c->format)) {
        diag_file(d, NULL, "export needs --format");
        return diag_hint(d, "html, svg, csv, json or minimalloc; or -o FILE.html, .svg, .csv, .json");
    }
    if (c->format == EXPORT_HTML && !file && isatty(STDOUT_FILENO)) {
        diag_file(d, NULL, "a page is nothing to read on a terminal");
        return diag_hint(d, "name a file: -o FILE.html");
    }
    return true;
}

static bool write_program(const struct context *c, const struct program *p, struct diag *d)
{
    struct file_out out;
    struct report r;
    if (!file_out_open(&out, c->o->output ? c->o->output : "-", d))
        return false;
    report_make(&r, p, &c->o->report);
    bool ok = export_write(&r, c->format, c->o->view, out.to, d);
    struct diag closing;
    if (!file_out_close(&out, ok, ok ? d : &closing))
        ok = false;
    report_free(&r);
    return ok;
}

/* One module: which of several is meant is for --module to say. */
static bool only_one(const struct dump *dump, const char *path, const bool *selected, uint32_t *only,
                     struct diag *d)
{
    uint32_t n = 0;
    for (uint32_t k = dump->entries.n; k-- > 0;)
        if (selected[k]) {
            *only = k;
            n++;
        }
    if (n == 1)
        return true;
    diag_file(d, path, "holds %u modules; export writes one", n);
    const struct dump_entry *first = dump_entry(dump, *only);
    return diag_hint(d, "say which: --module %s, or its directory, %s", first->stem, first->dir);
}

static int export_dump(void *ctx, struct dump *dump, const bool *selected)
{
    const struct context *c = ctx;
    struct arena a = {0};
    struct list warnings = {0};
    struct opened one;
    struct diag d;
    uint32_t entry = 0;
    bool ok = only_one(dump, c->o->asked.paths[0], selected, &entry, &d) &&
              open_module(&one, dump, entry, &a, &warnings, &d);
    say_warnings(&warnings);
    if (ok) {
        ok = write_program(c, one.program, &d);
        open_close(&one);
    }
    if (!ok)
        say_error(&d);
    arena_free(&a);
    return ok ? 0 : 2;
}

int command_export(const struct options *o)
{
    struct context c = {.o = o};
    struct diag d;
    bool ok = o->asked.n_paths == 1 || diag_file(&d, NULL, "export takes one PATH, not %d", o->asked.n_paths);
    if (ok && choose_format(&c, &d))
        return open_dumps(&o->asked, export_dump, &c);
    say_error(&d);
    return 2;
}
