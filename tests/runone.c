/* Runs one dump and says what came of it, or two of the same program and how far their results are
 * apart: for `make models`.  runone DUMP [DUMP]; $INPUTS, $GUARDS, $POOL, $LATE. */
#include "core/analysis/program/program.h"
#include "gpu/exec.h"
#include "gpu/host_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* Results row by row, as numbers; types that are compared by bits are not met here. */
struct result {
    uint8_t type;
    int64_t n;
    char *row; /* elements of the type, in a row */
};
struct results {
    struct result of[MOST];
    uint32_t n;
};

static double number(const struct elem *e, const char *at)
{
    char reg[REG_BYTES] = {0};
    elem_load(e, at, 1, reg, 1);
    if (e->cls == CLASS_F32 || e->cls == CLASS_C64) /* of a complex number the real part */
        return *(float *)(void *)reg;
    return e->cls == CLASS_F64 ? *(double *)(void *)reg : (double)*(int64_t *)(void *)reg;
}

static void keep(const struct hlo *h, const struct exec_result *x, struct results *out)
{
    shape_id root = hlo_inst(h, hlo_comp(h, h->entry)->root)->shape;
    uint32_t k = 0;
    for (uint32_t s = 0; s < shape_node(&h->shapes, root)->span && k < x->n_outputs; s++) {
        const struct shape_node *node = shape_node(&h->shapes, root + s);
        int64_t stride[64], index[64] = {0};
        if (!shape_is_array(&h->shapes, root + s))
            continue;
        const struct exec_output *o = &x->outputs[k++];
        struct elem e = elem_of(node->type);
        if (!o->data || !e.size || shape_packed(node) || out->n == MOST || !shape_strides(&h->shapes, root + s, stride))
            continue;
        struct result *r = &out->of[out->n++];
        *r = (struct result){node->type, (int64_t)shape_elements(&h->shapes, root + s), host_get(o->bytes)};
        const int64_t *dims = shape_numbers(&h->shapes, node->dims);
        for (int64_t q = 0; q < r->n; q++) {
            int64_t at = 0;
            for (uint32_t d = 0; d < node->dims.n; d++)
                at += index[d] * stride[d];
            memcpy(r->row + q * e.size, (const char *)o->data + at * e.size, e.size);
            for (uint32_t d = node->dims.n; d-- > 0 && ++index[d] == dims[d];)
                index[d] = 0;
        }
    }
}

/* A step of the narrowest type: sums in another order end there. */
static double tolerance(const struct elem *e)
{
    if (e->cls == CLASS_INT)
        return 0;
    return e->small.exponent ? 2 * ldexp(1, -e->small.mantissa) : 5e-5;
}

static void compare(const struct results *a, const struct results *b)
{
    double worst = 0, allowed = 0;
    const char *type = "";
    uint32_t odd = 0, n = a->n < b->n ? a->n : b->n;
    for (uint32_t k = 0; k < n; k++) {
        const struct result *x = &a->of[k], *y = &b->of[k];
        struct elem e = elem_of(x->type);
        double most = 0, apart = 0;
        if (x->type != y->type || x->n != y->n) {
            odd++;
            continue;
        }
        for (int64_t q = 0; q < x->n; q++) {
            double v = number(&e, x->row + q * e.size), u = number(&e, y->row + q * e.size);
            double d = (isnan(v) && isnan(u)) || u == v ? 0 : fabs(v - u);
            apart = !(d <= apart) ? d : apart;
            most = isfinite(u) && fabs(u) > most ? fabs(u) : most;
        }
        apart = most > 0 ? apart / most : apart;
        if (!(apart <= worst) || !*type) {
            worst = apart;
            type = shape_type_name((enum shape_type)x->type);
            allowed = tolerance(&e);
        }
    }
    printf("pair: %u results, worst %.2g (%s, %.2g is allowed)%s%s\n", n, worst, type, allowed,
           worst <= allowed ? "" : " APART", odd || a->n != b->n ? ", shapes differ" : "");
}

static bool run_dump(const char *path, struct results *out)
{
    static const char *const guards[] = {[GUARDS_AUTO] = "auto", [GUARDS_ON] = "on", [GUARDS_OFF] = "off"};
    struct dump dump; struct diag d; struct module m; struct program p; struct exec_result x;
    char text[1200];
    struct exec_options o = {.guards = GUARDS_ON, .dynamic = getenv("POOL") != NULL, .async_late = getenv("LATE") != NULL};
    o.inputs = o.expect = getenv("INPUTS");
    for (int k = 0; k < 3 && getenv("GUARDS"); k++)
        o.guards = strcmp(getenv("GUARDS"), guards[k]) == 0 ? (enum exec_guards)k : o.guards;
    if (!dump_find(&dump, path, &d) || !dump_load(&dump, 0, FORM_ANY, &m, &d) || !program_build(&p, &m, &d))
        return puts(diag_text(&d, text, sizeof text)), false;
    struct run *r = exec_open(&p, &o, &d);
    if (!r)
        return printf("REFUSED %s\n", diag_text(&d, text, sizeof text)), false;
    if (!exec_run(r, &x, &d))
        return printf("FAILED %s\n", diag_text(&d, text, sizeof text)), false;
    printf("ok %.3fs executed %llu checks %llu violations %llu %s overlaps %llu planned %llu touched %llu temp %llu/%llu pool %llu\n",
           x.seconds, (unsigned long long)x.executed, (unsigned long long)x.checks, (unsigned long long)x.violations,
           x.violation, (unsigned long long)x.overlaps, (unsigned long long)x.planned, (unsigned long long)x.touched,
           (unsigned long long)x.temp_touched, (unsigned long long)x.temp_planned, (unsigned long long)x.pool_high);
    for (uint32_t k = 0; k < x.n_outputs; k++)
        if (x.outputs[k].compared)
            printf("  %s %s vs %s: rel %.3g\n", x.outputs[k].name, x.outputs[k].shape, x.outputs[k].against, x.outputs[k].max_rel);
    fflush(stdout);
    if (out)
        keep(&m.hlo, &x, out);
    exec_close(r);
    program_free(&p); module_free(&m); dump_free(&dump);
    return true;
}

int main(int argc, char **argv)
{
    static struct results of[2];
    if (argc < 2)
        return 2;
    bool ok = true;
    for (int k = 1; k < argc && k < 3; k++)
        ok = run_dump(argv[k], argc > 2 ? &of[k - 1] : NULL) && ok;
    if (argc > 2 && ok)
        compare(&of[0], &of[1]);
    return !ok;
}
