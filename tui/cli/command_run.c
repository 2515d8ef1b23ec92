#include "core/base/file_out.h"
#include "core/load/example/shipped.h"
#include "core/load/example/variants.h"
#include "core/output/report/run_table.h"
#include "gpu/capture_json.h"
#include "tui/cli/commands.h"
#include "tui/cli/xla_peak.h"
#include "tui/programs/open.h"
#include "tui/terminal/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct context {
    const struct options *o;
    const struct backend *backend;
    char device[256];
    cJSON *modules; /* NULL: text */
    cJSON *trace;   /* NULL: none is saved */
    unsigned n;
    bool bad, violated;
};

/* ---- Text ---- */

static void line(const char *name, uint64_t bytes, const char *what)
{
    char text[24];
    printf("%-10s %12s  %s\n", name, bytes_text(bytes, text), what);
}

static void print_outputs(const struct exec_result *x)
{
    for (uint32_t k = 0; k < x->n_outputs && x->computed; k++) {
        const struct exec_output *o = &x->outputs[k];
        if (o->compared)
            printf("Output %s %s: relative error %.3g against %s\n", o->name, o->shape, o->max_rel, o->against);
    }
    if (!x->computed)
        puts("Values not computed: calls that are not known here wrote a pattern.");
}

static void print_result(const struct program *p, const struct exec_result *x, const struct context *c)
{
    char safe[512];
    printf("%s, executed at its own offsets: %s, %s, %.3f s, %llu instructions\n\n", text_safe(p->name, safe, sizeof safe),
           c->backend->name, c->device, x->seconds, (unsigned long long)x->executed);
    line("Planned", x->planned, "all allocations, as the dump has them");
    line("  temp", x->temp_planned, "of them preallocated-temp");
    line("Touched", x->touched, "bytes ever written");
    line("  temp", x->temp_touched, "of them in preallocated-temp");
    if (x->resident != UINT64_MAX)
        line("Resident", x->resident, "in pages that the system had to give");
    if (x->has_pool)
        line("Dynamic", x->pool_high, "high water of an allocator that frees at each death");
    if (x->pool_reserved != UINT64_MAX)
        line("  reserved", x->pool_reserved, "what that allocator held for it");
    if (x->device_delta != UINT64_MAX)
        line("Device", x->device_delta, "less free memory on the device for the planned arena");
    if (x->host_stages)
        printf("Run on the host, not on the device: %llu stages\n", (unsigned long long)x->host_stages);
    for (uint32_t k = 0; k < x->n_stacks; k++)
        if (x->stacks[k].known)
            printf("Stack %s: %llu of %llu slots filled\n", text_safe(x->stacks[k].value, safe, sizeof safe),
                   (unsigned long long)x->stacks[k].filled, (unsigned long long)x->stacks[k].slots);
    if (x->guarded)
        printf("Guards: %llu checks, %llu violations\n", (unsigned long long)x->checks,
               (unsigned long long)x->violations + x->overlaps);
    if (x->violations)
        printf("  %s\n", text_safe(x->violation, safe, sizeof safe));
    print_outputs(x);
}

/* Iteration by iteration, from what a trace would have of it. */
static void print_table(const struct program *p, const cJSON *module)
{
    struct arena a = {0};
    struct measured m;
    struct timeline t;
    struct overlay o;
    struct list lines = {0};
    struct diag d;
    char *text = p->loops.n ? cJSON_PrintUnformatted(module) : NULL;
    cJSON *read = text ? cJSON_Parse(text) : NULL;
    if (read && measured_from_json(&a, read, "", &m, &d)) {
        timeline_build(&t, p);
        overlay_build(&o, &m, &t);
        run_table(&o, &a, &lines);
        putchar('\n');
        for (uint32_t k = 0; k < lines.n; k++)
            puts(((const char *const *)lines.items)[k]);
        overlay_free(&o);
        timeline_free(&t);
    }
    cJSON_Delete(read);
    free(text);
    arena_free(&a);
}

/* ---- How far it is ---- */

#define TELL_EVERY 0.1 /* seconds */

struct telling {
    const char *of;
    struct progress *shown; /* NULL: --progress writes lines */
    uint64_t total, last, before; /* instructions in all; at the last call; those of the first run */
    double told;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show_steps(const struct telling *t, uint64_t done)
{
    char what[160];
    snprintf(what, sizeof what, "%.80s, step %llu of about %llu", t->of, (unsigned long long)done,
             (unsigned long long)t->total);
    progress_say(t->shown, what);
}

/* "progress 128 532": steps done, and about how many there are in both runs. */
static bool tell(void *ctx, uint64_t steps)
{
    struct telling *t = ctx;
    if (steps < t->last)
        t->before = t->last;
    t->last = steps;
    uint64_t done = t->before + steps;
    if (now() - t->told < TELL_EVERY)
        return true;
    t->told = now();
    if (done > t->total)
        done = t->total;
    if (t->shown)
        show_steps(t, done);
    else
        fprintf(stderr, "progress %llu %llu\n", (unsigned long long)done, (unsigned long long)t->total);
    fflush(stderr);
    return true;
}

static uint64_t steps_of(const struct program *p)
{
    struct timeline t;
    timeline_build(&t, p);
    uint64_t n = t.moments;
    timeline_free(&t);
    return n < UINT64_MAX / 2 ? 2 * n : UINT64_MAX;
}

/* ---- One module ---- */

/* A third source: XLA itself.  What it does not tell is a warning, and unknown. */
static bool ask_xla(const struct program *p, uint64_t *peak)
{
    struct diag d;
    char text[1400];
    if (xla_peak(p, peak, &d))
        return true;
    say_warning(diag_text(&d, text, sizeof text) + strlen("tidemark: "));
    return false;
}

static void show(struct context *c, const struct program *p, const struct exec_result *x)
{
    cJSON *module = capture_json(p, x, c->backend->name, c->device);
    uint64_t peak;
    bool asked = c->o->xla && ask_xla(p, &peak);
    if (asked)
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(module, "measured"), "xla_peak_bytes", json_number(peak));
    c->violated |= x->violations || x->overlaps;
    if (!c->modules) {
        if (c->n++)
            putchar('\n');
        print_result(p, x, c);
        if (asked)
            line("XLA", peak, "peak of its own allocator, the same program run by it");
        print_table(p, module);
    }
    if (c->trace)
        cJSON_AddItemToArray(c->trace, c->modules ? cJSON_Duplicate(module, true) : module);
    if (c->modules)
        cJSON_AddItemToArray(c->modules, module);
    else if (!c->trace)
        cJSON_Delete(module);
}

static void run_one(void *ctx, const struct program *p)
{
    struct context *c = ctx;
    const struct options *o = c->o;
    struct telling t = {.of = p->name, .shown = o->progress ? NULL : progress_begin("executing", p->name, 0)};
    struct exec_options e = {.guards = (enum exec_guards)o->guards, .memory_only = o->memory_only, .dynamic = true,
                             .inputs = o->inputs, .expect = o->expect, .backend = c->backend};
    struct exec_result x;
    struct diag d;
    if (o->report.has_limit)
        e.memory_limit = o->report.limit;
    if (o->progress || t.shown) {
        t.total = steps_of(p);
        e.progress = tell;
        e.progress_ctx = &t;
    }
    struct run *r = exec_open(p, &e, &d);
    bool ran = r && exec_run(r, &x, &d);
    progress_end(t.shown);
    if (ran) {
        show(c, p, &x);
    } else {
        say_error(&d);
        c->bad = true;
    }
    exec_close(r);
}

/* ---- Which program ---- */

/* The shipped example at the length, unrolling and width that are asked for. */
static const char *find_variant(const struct options *o, struct variants *vs, struct diag *d)
{
    static const char *const targets[] = {"a100", "cpu"};
    struct variant v = {"a100", o->width ? o->width : 1048576, o->seqlen ? o->seqlen : 4, o->unroll ? o->unroll : 1};
    char name[128];
    bool cached;
    for (int k = 0; k < 2; k++) {
        v.target = targets[k];
        const char *dir = variants_find(vs, variant_normal(v), &cached);
        if (dir)
            return dir;
    }
    v.target = targets[0];
    v = variant_normal(v);
    diag_file(d, NULL, "%s is not compiled", variant_name(&v, name));
    diag_hint(d, "shipped widths are 1048576, 16384 and, for a CPU, 256; fixtures/record.py compiles others");
    return NULL;
}

/* Written beside it, then renamed. */
static bool save(const char *path, cJSON *modules, struct diag *d)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "tidemark/1");
    cJSON_AddStringToObject(document, "command", "run");
    cJSON_AddItemReferenceToObject(document, "modules", modules);
    char *text = cJSON_Print(document);
    struct file_out out;
    cJSON_Delete(document);
    bool ok = file_out_open(&out, path, d);
    if (ok) {
        bool whole = text && fputs(text, out.to) >= 0 && fputc('\n', out.to) != EOF;
        ok = file_out_close(&out, whole, d) && whole;
    }
    free(text);
    return ok;
}

/* A folder that is named must be there: else its files would be taken for ones that nobody wrote. */
static bool is_folder(const char *option, const char *path, struct diag *d)
{
    struct stat st;
    if (!path)
        return true;
    if (stat(path, &st) != 0)
        return diag_file(d, path, "%s: %s", option, strerror(errno));
    return S_ISDIR(st.st_mode) || diag_file(d, path, "%s: is no directory", option);
}

static bool choose_backend(struct context *c, struct diag *d)
{
    const char *name = c->o->backend ? c->o->backend : "host";
    for (unsigned k = 0; (c->backend = exec_backend(k)); k++)
        if (strcmp(c->backend->name, name) == 0)
            break;
    return c->backend && c->backend->probe(c->device, sizeof c->device, d);
}

static int finish(struct context *c, int status)
{
    struct diag d;
    if (c->modules && cJSON_GetArraySize(c->modules))
        print_json("run", c->modules);
    else
        cJSON_Delete(c->modules);
    if (c->trace && cJSON_GetArraySize(c->trace) && !save(c->o->trace, c->trace, &d)) {
        say_error(&d);
        status = 2;
    }
    cJSON_Delete(c->trace);
    return status == 2 || c->bad ? 2 : c->violated ? 1 : status;
}

int command_run(const struct options *o)
{
    struct context c = {.o = o};
    struct variants vs;
    struct options chosen = *o;
    struct diag d;
    const char *path;
    if (!choose_backend(&c, &d) || !is_folder("--inputs", o->inputs, &d) || !is_folder("--expect", o->expect, &d)) {
        say_error(&d);
        return 2;
    }
    if (o->asked.n_paths && (o->seqlen || o->unroll || o->width)) {
        diag_file(&d, NULL, "--seqlen, --unroll and --width choose a variant of the example, and leave no room for a PATH");
        say_error(&d);
        return 2;
    }
    c.modules = o->json ? cJSON_CreateArray() : NULL;
    c.trace = o->trace ? cJSON_CreateArray() : NULL;
    if (o->asked.n_paths)
        return finish(&c, open_each(&o->asked, run_one, &c));
    if (!variants_read(&vs, &d)) {
        say_error(&d);
        return finish(&c, 2);
    }
    path = find_variant(o, &vs, &d);
    chosen.asked.paths = &path;
    chosen.asked.n_paths = 1;
    int status = 2;
    if (path)
        status = open_each(&chosen.asked, run_one, &c);
    else
        say_error(&d);
    variants_free(&vs);
    return finish(&c, status);
}
