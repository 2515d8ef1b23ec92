/* Runs one dump and says what came of it, or two of the same program and how far their results are
 * apart: for `make models`.  runone DUMP [DUMP]; $INPUTS, $GUARDS, $POOL, $LATE; with $SAME one dump is
 * run again without guards, and must give the same bits.  A pair is not judged when its first run takes
 * more than $PAIR_SECONDS of processor time: what noise changes is not measured then. */
#include "tests/corpus/pair.h"
#include "tests/support/cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool open_dump(const char *path, struct cell_program *x)
{
    struct diag d;
    char text[1200];
    return cell_at(x, path, &d) || (puts(diag_text(&d, text, sizeof text)), false);
}

/* Does a loop end when the numbers are good enough?  Then they must converge. */
static bool is_solver(const struct program *p)
{
    for (uint32_t k = 0; k < p->loops.n; k++)
        if (p->loops.items[k].trip_count < 0)
            return true;
    return false;
}

static struct exec_options options(const struct program *p, double noise)
{
    static const char *const guards[] = {[GUARDS_AUTO] = "auto", [GUARDS_ON] = "on", [GUARDS_OFF] = "off"};
    struct exec_options o = {.guards = GUARDS_ON, .dynamic = getenv("POOL") != NULL, .async_late = getenv("LATE") != NULL,
                             .inputs = getenv("INPUTS"), .expect = getenv("INPUTS"), .noise = noise, .definite = is_solver(p)};
    for (int k = 0; k < 3 && getenv("GUARDS"); k++)
        o.guards = strcmp(getenv("GUARDS"), guards[k]) == 0 ? (enum exec_guards)k : o.guards;
    return o;
}

static void print(const struct exec_result *x)
{
    printf("ok %.3fs executed %llu checks %llu violations %llu %s overlaps %llu planned %llu touched %llu temp %llu/%llu pool %llu\n",
           x->seconds, (unsigned long long)x->executed, (unsigned long long)x->checks, (unsigned long long)x->violations,
           x->violation, (unsigned long long)x->overlaps, (unsigned long long)x->planned, (unsigned long long)x->touched,
           (unsigned long long)x->temp_touched, (unsigned long long)x->temp_planned, (unsigned long long)x->pool_high);
    for (uint32_t k = 0; k < x->n_outputs; k++)
        if (x->outputs[k].compared)
            printf("  %s %s vs %s: rel %.3g\n", x->outputs[k].name, x->outputs[k].shape, x->outputs[k].against, x->outputs[k].max_rel);
    fflush(stdout);
}

static bool run_dump(const struct cell_program *x, double noise, struct pair_results *out)
{
    struct diag d;
    char text[1200];
    struct exec_result result;
    struct exec_options o = options(&x->program, noise);
    struct run *r = exec_open(&x->program, &o, &d);
    if (!r)
        return printf("REFUSED %s\n", diag_text(&d, text, sizeof text)), false;
    bool ok = exec_run(r, &result, &d);
    if (!ok)
        printf("FAILED %s\n", diag_text(&d, text, sizeof text));
    else if (noise <= 0)
        print(&result);
    if (ok && out)
        pair_keep(&x->module.hlo, &result, out);
    exec_close(r);
    return ok;
}

/* Guards only look: what comes out is the same without them. */
static bool same_unguarded(const struct cell_program *x, const struct pair_results *a)
{
    static struct pair_results b;
    uint32_t differ = 0;
    setenv("GUARDS", "off", 1);
    if (!run_dump(x, 0, &b))
        return false;
    for (uint32_t k = 0; k < a->n; k++)
        differ += memcmp(a->of[k].row, b.of[k].row, (size_t)a->of[k].n * elem_of(a->of[k].type).size) != 0;
    printf("without guards %u of %u results differ\n", differ, a->n);
    pair_free(&b);
    return !differ;
}

int main(int argc, char **argv)
{
    static struct cell_program x[2];
    static struct pair_results a, changed, b;
    bool pair = argc > 2, ok = argc > 1;
    for (int k = 0; k < 1 + pair && argc > 1; k++)
        ok = open_dump(argv[1 + k], &x[k]) && ok;
    if (!ok)
        return 2;
    double noise = pair_noise(&x[0].module.hlo), other = pair ? pair_noise(&x[1].module.hlo) : noise;
    noise = other > noise ? other : noise;
    bool same = getenv("SAME") != NULL;
    ok = run_dump(&x[0], 0, pair || same ? &a : NULL);
    double most = getenv("PAIR_SECONDS") ? atof(getenv("PAIR_SECONDS")) : HUGE_VAL;
    if ((double)clock() / CLOCKS_PER_SEC > most)
        noise = 0;
    ok = ok && (!same || same_unguarded(&x[0], &a));
    if (pair && ok && noise > 0 && run_dump(&x[0], noise, &changed))
        pair_changed(&a, &changed);
    ok = (!pair || run_dump(&x[1], 0, &b)) && ok;
    if (pair && ok)
        pair_print(&a, &b, noise);
    pair_free(&a);
    pair_free(&b);
    for (int k = 0; k < 1 + pair; k++)
        cell_close(&x[k]);
    return !ok;
}
