/* The example on a CUDA device, against the host, the dumps and the closed form in double.  One line
 * a cell; the capture of every cell goes to one file.  Exit status: 0 all is well, 1 something is
 * wrong, 77 there is no device.
 *
 *   device_check GRID FILE SECONDS
 *
 * Cells at the smaller widths run on both backends, and every figure that is not the device's own
 * must be equal.  At the largest width, where the host would take minutes, a cell is run on the device
 * if its memory is there, in order of what it needs, as long as SECONDS are not over. */
#include "core/analysis/program/program.h"
#include "gpu/capture_json.h"
#include "gpu/exec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cell {
    const char *name;
    bool both;      /* on the host, too */
    double most;    /* relative error against the closed form */
};
static const struct cell cells[] = {
    {"cpu-d256-s2-u1", true, 1e-6},       {"cpu-d256-s4-u2", true, 1e-6},         {"a100-d16384-s1-ufull", true, 1e-6},
    {"a100-d16384-s2-u1", true, 1e-6},    {"a100-d16384-s2-ufull", true, 1e-6},   {"a100-d16384-s4-u1", true, 4e-6},
    {"a100-d16384-s4-u2", true, 4e-6},    {"a100-d16384-s4-ufull", true, 4e-6},   {"a100-d1048576-s1-ufull", false, 1e-6},
    {"a100-d1048576-s2-ufull", false, 1e-6}, {"a100-d1048576-s2-u1", false, 1e-6}, {"a100-d1048576-s3-ufull", false, 2e-6},
    {"a100-d1048576-s3-u1", false, 2e-6}, {"a100-d1048576-s4-ufull", false, 4e-6}, {"a100-d1048576-s4-u1", false, 4e-6},
};

struct check {
    const struct backend *cuda, *host;
    char device[256];
    const char *grid;
    cJSON *modules;
    unsigned passed, failed, left_out;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- What must hold ---- */

struct verdict {
    char what[600];
    double closed, other; /* worst relative errors: closed form, host */
};

static void wrong(struct verdict *v, const char *what, uint64_t got, uint64_t want)
{
    if (!v->what[0])
        snprintf(v->what, sizeof v->what, "%s: %llu, wanted %llu", what, (unsigned long long)got, (unsigned long long)want);
}

static void check_alone(const struct cell *c, const struct program *p, const struct exec_result *x, struct verdict *v)
{
    unsigned compared = 0;
    v->closed = 0;
    for (uint32_t k = 0; k < x->n_outputs; k++)
        if (x->outputs[k].compared) {
            compared++;
            v->closed = !(x->outputs[k].max_rel <= v->closed) ? x->outputs[k].max_rel : v->closed;
        }
    if (compared != 2)
        wrong(v, "outputs compared with the closed form", compared, 2);
    if (!(v->closed <= c->most) && !v->what[0])
        snprintf(v->what, sizeof v->what, "relative error %.3g against the closed form, more than %.3g", v->closed, c->most);
    if (!x->guarded || x->violations + x->overlaps)
        wrong(v, x->violations ? x->violation : "guards' violations", x->violations + x->overlaps, 0);
    if (x->host_stages)
        wrong(v, "stages left to the host", x->host_stages, 0);
    if (!x->computed || x->executed < p->liveness.length / 2)
        wrong(v, "instructions executed", x->executed, p->liveness.length);
    if (x->touched > x->planned || x->touched < x->planned - x->planned / 50)
        wrong(v, "bytes touched", x->touched, x->planned);
    if (x->device_delta == UINT64_MAX || x->device_delta < x->arena || x->device_delta > x->arena + (UINT64_C(1) << 28))
        wrong(v, "bytes that the device lost to the arena", x->device_delta, x->arena);
    for (uint32_t k = 0; k < x->n_stacks; k++)
        if (x->stacks[k].filled != x->stacks[k].slots)
            wrong(v, "filled slots of a stack", x->stacks[k].filled, x->stacks[k].slots);
}

static double difference(const struct exec_output *a, const struct exec_output *b)
{
    double worst = 0, most = 0;
    for (uint64_t k = 0; k < a->bytes / 4; k++) {
        double x = (double)((const float *)a->data)[k], error = fabs(x - (double)((const float *)b->data)[k]);
        worst = !(error <= worst) ? error : worst;
        most = fabs(x) > most ? fabs(x) : most;
    }
    return most > 0 ? worst / most : worst;
}

static void check_both(const struct cell *c, const struct exec_result *h, const struct exec_result *x, struct verdict *v)
{
    const uint64_t pairs[][2] = {{x->planned, h->planned}, {x->touched, h->touched}, {x->temp_touched, h->temp_touched},
                                 {x->live_most, h->live_most}, {x->checks, h->checks}, {x->executed, h->executed},
                                 {x->n_steps, h->n_steps}, {x->n_stacks, h->n_stacks}, {x->n_outputs, h->n_outputs}};
    static const char *const names[] = {"planned bytes", "touched bytes", "touched temp bytes", "most bytes live", "checks",
                                        "instructions", "steps", "stacks", "outputs"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (pairs[k][0] != pairs[k][1])
            wrong(v, names[k], pairs[k][0], pairs[k][1]);
    for (uint32_t k = 0; !v->what[0] && k < x->n_steps; k++)
        if (x->steps[k].live != h->steps[k].live || x->steps[k].touched != h->steps[k].touched)
            wrong(v, "bytes touched at a step", x->steps[k].touched, h->steps[k].touched);
    v->other = 0;
    for (uint32_t k = 0; !v->what[0] && k < x->n_outputs; k++) {
        double d = difference(&h->outputs[k], &x->outputs[k]);
        v->other = !(d <= v->other) ? d : v->other;
    }
    if (!(v->other <= c->most) && !v->what[0])
        snprintf(v->what, sizeof v->what, "relative difference %.3g to the host, more than %.3g", v->other, c->most);
}

/* ---- A cell ---- */

static struct run *run_on(const struct backend *b, const struct program *p, bool dynamic, struct exec_result *x, struct diag *d)
{
    struct exec_options o = {.backend = b, .guards = GUARDS_ON, .dynamic = dynamic};
    struct run *r = exec_open(p, &o, d);
    if (r && exec_run(r, x, d))
        return r;
    exec_close(r);
    return NULL;
}

static void say(const struct cell *c, const struct exec_result *x, const struct verdict *v, double took)
{
    printf("%s %-24s %.3f s of %.1f s, planned %llu, touched %llu, device %llu", v->what[0] ? "not ok" : "ok", c->name,
           x->seconds, took, (unsigned long long)x->planned, (unsigned long long)x->touched,
           (unsigned long long)x->device_delta);
    if (x->has_pool)
        printf(", pool %llu of %llu", (unsigned long long)x->pool_high, (unsigned long long)x->pool_reserved);
    printf(", error %.2g", v->closed);
    if (c->both)
        printf(", to host %.2g", v->other);
    printf("%s%s\n", v->what[0] ? ": " : "", v->what);
    fflush(stdout);
}

static void run_program(struct check *k, const struct cell *c, const struct program *p)
{
    struct exec_result x = {0}, h = {0};
    struct verdict v = {0};
    struct diag d;
    char text[1400];
    double from = seconds();
    struct run *r = run_on(k->cuda, p, true, &x, &d), *host = NULL;
    if (!r) {
        bool small = strstr(d.what, "it needs") != NULL && !c->both;
        printf("%s %s: %s\n", small ? "left out" : "not ok", c->name, diag_text(&d, text, sizeof text));
        *(small ? &k->left_out : &k->failed) += 1;
        return;
    }
    check_alone(c, p, &x, &v);
    if (c->both && !(host = run_on(k->host, p, false, &h, &d)))
        snprintf(v.what, sizeof v.what, "on the host: %.250s", d.what);
    if (host)
        check_both(c, &h, &x, &v);
    say(c, &x, &v, seconds() - from);
    *(v.what[0] ? &k->failed : &k->passed) += 1;
    cJSON_AddItemToArray(k->modules, capture_json(p, &x, k->cuda->name, k->device));
    exec_close(r);
    exec_close(host);
}

static void run_cell(struct check *k, const struct cell *c)
{
    char path[4096], text[1400];
    struct dump dump;
    struct module m;
    struct program p;
    struct diag d;
    snprintf(path, sizeof path, "%s/%s", k->grid, c->name);
    if (!dump_find(&dump, path, &d)) {
        printf("not ok %s: %s\n", c->name, diag_text(&d, text, sizeof text));
        k->failed++;
        return;
    }
    if (dump_load(&dump, 0, FORM_ANY, &m, &d)) {
        if (program_build(&p, &m, &d)) {
            run_program(k, c, &p);
            program_free(&p);
        }
        module_free(&m);
    } else {
        printf("not ok %s: %s\n", c->name, diag_text(&d, text, sizeof text));
        k->failed++;
    }
    dump_free(&dump);
}

static bool save(const char *path, cJSON *modules)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "tidemark/1");
    cJSON_AddStringToObject(document, "command", "run");
    cJSON_AddItemToObject(document, "modules", modules);
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    FILE *f = text ? fopen(path, "w") : NULL;
    bool ok = f && fputs(text, f) >= 0 && fputc('\n', f) != EOF;
    if (f)
        ok = fclose(f) == 0 && ok;
    free(text);
    return ok;
}

int main(int argc, char **argv)
{
    struct check k = {0};
    struct diag d;
    double from = seconds();
    if (argc != 4)
        return 2;
    for (unsigned b = 0; exec_backend(b); b++)
        *(strcmp(exec_backend(b)->name, "cuda") ? &k.host : &k.cuda) = exec_backend(b);
    if (!k.cuda->probe(k.device, sizeof k.device, &d)) {
        printf("%s\n", d.what);
        return 77;
    }
    printf("%s\n", k.device);
    k.grid = argv[1];
    k.modules = cJSON_CreateArray();
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        if (seconds() - from < atof(argv[3]))
            run_cell(&k, &cells[c]);
        else {
            printf("left out %s: the time is over\n", cells[c].name);
            k.left_out++;
        }
    printf("%u cells passed, %u failed, %u left out, %.0f s\n", k.passed, k.failed, k.left_out, seconds() - from);
    if (!save(argv[2], k.modules)) {
        printf("cannot write %s\n", argv[2]);
        return 1;
    }
    return k.failed || !k.passed;
}
