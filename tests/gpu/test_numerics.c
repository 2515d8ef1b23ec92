/* The example on inputs of unit scale, where an error in one step is three times larger in the next:
 * against float64, and against what the last bits of the inputs already change; and that guards change
 * nothing. */
#include "gpu/exec.h"
#include "tests/support/cell.h"
#include "tests/support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 1024, WIDTH = 256, STEPS_MOST = 8 };

static double uniform(uint64_t k)
{
    k = (k + 1) * UINT64_C(0x9E3779B97F4A7C15);
    k = (k ^ k >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)(k >> 40) / (1 << 24);
}

static void write_file(const char *dir, const char *name, const float *data, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/in_%s.bin", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, sizeof *data, n, f), n);
    fclose(f);
}

/* Weights near 1 / ROWS and 1 / WIDTH, so that sum(w1 @ w2) is about 1; x for which every step makes 0.75 to 1.25. */
static void write_inputs(const char *dir, int64_t steps)
{
    static float w1[ROWS], w2[ROWS * WIDTH], x[STEPS_MOST];
    double sum = 0, a = 1;
    for (int r = 0; r < ROWS; r++) {
        w1[r] = (float)((0.5 + uniform((uint64_t)r)) / ROWS);
        for (int c = 0; c < WIDTH; c++) {
            w2[r * WIDTH + c] = (float)((0.5 + uniform(1000 + (uint64_t)r * WIDTH + (uint64_t)c)) / WIDTH);
            sum += (double)w1[r] * (double)w2[r * WIDTH + c];
        }
    }
    for (int64_t t = 0; t < steps; t++) {
        x[t] = (float)((0.75 + uniform((uint64_t)(t + 900000)) / 2) / (a * a * sum));
        a *= (double)x[t] * a * a * sum;
    }
    write_file(dir, "0", w1, ROWS);
    write_file(dir, "1", w2, ROWS * WIDTH);
    write_file(dir, "2", x, (size_t)steps);
}

static void remove_inputs(const char *dir)
{
    char path[128];
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/in_%d.bin", dir, k);
        remove(path);
    }
    rmdir(dir);
}

/* The largest change of two f32 outputs, relative to the largest number. */
static double change(const struct exec_output *x, const float *from)
{
    double worst = 0, most = 0;
    for (uint64_t k = 0; k < x->bytes / 4; k++) {
        double a = (double)((const float *)x->data)[k], b = (double)from[k];
        worst = fabs(a - b) <= worst ? worst : fabs(a - b);
        most = fabs(b) > most ? fabs(b) : most;
    }
    return worst / most;
}

static float *copy_of(const struct exec_output *x)
{
    float *p = malloc(x->bytes);
    assert_non_null(p);
    memcpy(p, x->data, x->bytes);
    return p;
}

struct cell {
    const char *name;
    int64_t steps;
};
static const struct cell cells[] = {
    {"cpu-d256-s1-ufull", 1}, {"cpu-d256-s2-u1", 2}, {"cpu-d256-s2-ufull", 2}, {"cpu-d256-s3-u1", 3}, {"cpu-d256-s3-u2", 3},
    {"cpu-d256-s3-ufull", 3}, {"cpu-d256-s4-u1", 4}, {"cpu-d256-s4-u2", 4}, {"cpu-d256-s4-ufull", 4}, {"cpu-d256-s8-u1", 8},
    {"cpu-d256-s8-u2", 8}, {"cpu-d256-s8-ufull", 8},
};

static bool run(struct cell_program *o, struct exec_options options, float **out, double *error, double *moved)
{
    struct diag d = {0};
    struct exec_result x;
    struct run *r = exec_open(&o->program, &options, &d);
    bool ok = r && exec_run(r, &x, &d) && x.n_outputs == 2 && !x.violations;
    *error = *moved = 0;
    for (uint32_t k = 0; ok && k < 2; k++) {
        ok = ok && x.outputs[k].compared && strcmp(x.outputs[k].against, "closed form") == 0;
        *error = fmax(*error, x.outputs[k].max_rel);
        if (out[k])
            *moved = fmax(*moved, change(&x.outputs[k], out[k]));
        else
            out[k] = copy_of(&x.outputs[k]);
    }
    if (!ok)
        print_error("%s\n", d.what);
    exec_close(r);
    return ok;
}

static void errors_grow_no_faster_than_the_example_does(void **state)
{
    const struct cell *c = *state;
    struct cell_program o;
    struct diag d;
    char path[128], dir[] = "/tmp/tidemark-unit-XXXXXX";
    float *out[2] = {NULL, NULL};
    double error = 0, moved = 0, unguarded = 0, ignored = 0, same = 1;
    assert_non_null(mkdtemp(dir));
    write_inputs(dir, c->steps);
    snprintf(path, sizeof path, "fixtures/grid/%s", c->name);
    assert_true(cell_at(&o, path, &d));
    struct exec_options plain = {.guards = GUARDS_ON, .inputs = dir}, noisy = plain, off = plain;
    noisy.noise = 0x1p-24;
    off.guards = GUARDS_OFF;
    bool ok = run(&o, plain, out, &error, &ignored) && run(&o, noisy, out, &ignored, &moved) &&
              run(&o, off, out, &unguarded, &same);
    cell_close(&o);
    remove_inputs(dir);
    free(out[0]);
    free(out[1]);
    assert_true(ok);
    print_message("%s: %.2g from float64; half a step in the inputs changes %.2g\n", c->name, error, moved);
    assert_true(error <= 1e-6 * fmax(1, pow(3, (double)c->steps - 1) / 8));
    assert_true(error <= fmax(1e-6, 32 * moved));
    assert_true(moved > 0 && moved <= 1e-6 * fmax(1, pow(3, (double)c->steps - 1) / 8));
    assert_true(same == 0 && unguarded == error);
}

int main(void)
{
    enum { N = sizeof cells / sizeof *cells };
    struct CMUnitTest tests[N];
    for (size_t k = 0; k < N; k++)
        tests[k] = (struct CMUnitTest){.name = cells[k].name, .test_func = errors_grow_no_faster_than_the_example_does,
                                   .initial_state = (void *)(uintptr_t)&cells[k]};
    return _cmocka_run_group_tests("numerics", tests, N, NULL, NULL);
}
