/* The shipped cells, executed: results, guards, figures; on CUDA, real or emulated, the same. */
#include "gpu/engine/backends.h"
#include "tests/support/cell.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_cell(struct cell_program *o, const char *cell)
{
    char path[256];
    struct diag d;
    snprintf(path, sizeof path, "fixtures/grid/%s", cell);
    assert_true(cell_at(o, path, &d));
}

struct cell {
    const char *name, *cell, *io;
    double most;                 /* relative error */
    uint64_t temp, touched_temp; /* EXEC's measured figures; 0: not checked */
    bool late;
    bool host_alone;             /* an emulated device would take long */
};
static const struct cell cells[] = {
    {"cpu, 1 step", "cpu-d256-s1-ufull", "fixtures/io/d256-s1", 1e-6, 0, 0, false, false},
    {"cpu, 2 steps, rolled", "cpu-d256-s2-u1", "fixtures/io/d256-s2", 1e-6, 4216192, 4215956, false, false},
    {"cpu, 2 steps, unrolled", "cpu-d256-s2-ufull", "fixtures/io/d256-s2", 1e-6, 1057920, 1057800, false, false},
    {"cpu, 3 steps, rolled", "cpu-d256-s3-u1", "fixtures/io/d256-s3", 1e-6, 0, 0, false, false},
    {"cpu, 3 steps, twos", "cpu-d256-s3-u2", "fixtures/io/d256-s3", 1e-6, 0, 0, false, false},
    {"cpu, 3 steps, unrolled", "cpu-d256-s3-ufull", "fixtures/io/d256-s3", 1e-6, 0, 0, false, false},
    {"cpu, 4 steps, rolled", "cpu-d256-s4-u1", "fixtures/io/d256-s4", 1e-6, 6329728, 6329500, false, false},
    {"cpu, 4 steps, twos", "cpu-d256-s4-u2", "fixtures/io/d256-s4", 1e-6, 7378432, 7378096, false, false},
    {"cpu, 4 steps, unrolled", "cpu-d256-s4-ufull", "fixtures/io/d256-s4", 1e-6, 3155204, 3154964, false, false},
    {"cpu, 8 steps, rolled", "cpu-d256-s8-u1", "fixtures/io/d256-s8", 1e-6, 10556800, 10556588, false, false},
    {"cpu, 8 steps, twos", "cpu-d256-s8-u2", "fixtures/io/d256-s8", 1e-6, 11605504, 11605200, false, false},
    {"cpu, 8 steps, unrolled", "cpu-d256-s8-ufull", "fixtures/io/d256-s8", 1e-6, 7349764, 7349284, false, false},
    {"cpu, inputs made here, against the closed form", "cpu-d256-s4-u1", NULL, 1e-6, 0, 0, false, false},
    {"A100, 1 step, against the closed form", "a100-d16384-s1-ufull", NULL, 1e-6, 0, 0, false, true},
    {"A100, 2 steps, unrolled, async work early", "a100-d16384-s2-ufull", NULL, 1e-6, 67180048, 67178572, false, true},
    {"A100, 2 steps, unrolled, async work late", "a100-d16384-s2-ufull", NULL, 1e-6, 67180048, 67178572, true, false},
};

static bool run_cell(struct cell_program *o, const struct cell *c, const struct backend *b, struct run **r, struct exec_result *x)
{
    struct diag d;
    struct exec_options options = {.backend = b, .guards = GUARDS_ON, .inputs = c->io, .expect = c->io,
                                   .async_late = c->late, .dynamic = b == &exec_host || c->io};
    *r = exec_open(&o->program, &options, &d);
    bool ok = *r && exec_run(*r, x, &d);
    if (!ok)
        print_error("%s\n", d.what);
    return ok;
}

static void check_figures(const struct cell *c, const struct exec_result *x)
{
    double worst = 0;
    uint32_t compared = 0;
    for (uint32_t k = 0; k < x->n_outputs; k++) {
        compared += x->outputs[k].compared;
        worst = !(x->outputs[k].max_rel <= worst) ? x->outputs[k].max_rel : worst;
    }
    assert_int_equal(compared, 2);
    assert_true(worst <= c->most);
    assert_true(x->checks > 20);
    assert_int_equal(x->violations, 0);
    assert_int_equal(x->overlaps, 0);
    assert_true(x->computed);
    if (x->has_pool) /* no sharing in place */
        assert_true(x->pool_high > x->planned / 2 && x->pool_high < x->planned + x->planned / 3);
    assert_true(x->touched <= x->planned && x->touched > x->planned - x->planned / 50);
    if (c->temp) {
        assert_int_equal(x->temp_planned, c->temp);
        assert_int_equal(x->temp_touched, c->touched_temp);
    }
}

static void runs(void **state)
{
    const struct cell *c = *state;
    struct cell_program o;
    struct exec_result x;
    struct run *r;
    open_cell(&o, c->cell);
    bool ok = run_cell(&o, c, &exec_host, &r, &x);
    if (ok)
        check_figures(c, &x);
    ok = ok && x.has_pool;
    exec_close(r);
    cell_close(&o);
    assert_true(ok);
}

/* Every figure that is not of the device alone. */
static void check_same(const struct exec_result *a, const struct exec_result *b)
{
    assert_int_equal(a->planned, b->planned);
    assert_int_equal(a->touched, b->touched);
    assert_int_equal(a->temp_touched, b->temp_touched);
    assert_int_equal(a->live_most, b->live_most);
    assert_int_equal(a->checks, b->checks);
    assert_int_equal(a->executed, b->executed);
    assert_int_equal(a->n_steps, b->n_steps);
    assert_int_equal(a->n_stacks, b->n_stacks);
    for (uint32_t k = 0; k < a->n_steps; k++) {
        const struct exec_step *x = &a->steps[k], *y = &b->steps[k];
        assert_true(x->number == y->number && x->step == y->step && x->live == y->live && x->touched == y->touched &&
                    x->held == y->held && x->n_loops == y->n_loops);
        assert_memory_equal(x->iterations, y->iterations, x->n_loops * sizeof *x->iterations);
        assert_memory_equal(x->filled, y->filled, a->n_stacks * sizeof *x->filled);
    }
    for (uint32_t k = 0; k < a->n_stacks; k++)
        assert_int_equal(a->stacks[k].filled, b->stacks[k].filled);
    for (uint32_t k = 0; k < a->n_outputs; k++)
        assert_int_equal(a->outputs[k].bytes, b->outputs[k].bytes);
}

/* The largest difference of two f32 outputs, relative to the largest value. */
static double difference(const struct exec_output *a, const struct exec_output *b)
{
    double worst = 0, most = 0;
    for (uint64_t k = 0; k < a->bytes / 4; k++) {
        double x = (double)((const float *)a->data)[k], y = (double)((const float *)b->data)[k];
        double error = x > y ? x - y : y - x;
        worst = !(error <= worst) ? error : worst;
        most = x > most ? x : -x > most ? -x : most;
    }
    return most > 0 ? worst / most : worst;
}

static void on_cuda(void **state)
{
    const struct cell *c = *state;
    struct cell_program o;
    struct exec_result x, y;
    struct run *r, *q = NULL;
    struct diag d;
    char device[256];
    if (!exec_cuda.probe(device, sizeof device, &d))
        skip();
    open_cell(&o, c->cell);
    bool ok = run_cell(&o, c, &exec_host, &r, &x) && run_cell(&o, c, &exec_cuda, &q, &y);
    double worst = 0;
    if (ok) {
        check_figures(c, &y);
        check_same(&x, &y);
        assert_int_equal(y.host_stages, 0);
        assert_true(y.device_delta >= y.arena && y.device_delta <= y.arena + y.arena / 2 + (64u << 20));
        assert_true(y.resident == UINT64_MAX && y.has_pool == (c->io != NULL));
        if (c->io)
            assert_true(y.pool_reserved >= y.pool_high && y.pool_reserved != UINT64_MAX);
        for (uint32_t k = 0; k < x.n_outputs; k++) {
            double w = difference(&x.outputs[k], &y.outputs[k]);
            worst = !(w <= worst) ? w : worst;
        }
    }
    exec_close(r);
    exec_close(q);
    cell_close(&o);
    assert_true(ok);
    assert_true(worst <= 1e-6);
}

/* ---- Mutations: an alias set moved from where XLA put it ---- */

struct outcome {
    bool ran;
    uint64_t violations, overlaps;
    double worst;
};

/* A counter that was overwritten may loop for ever. */
static bool not_long(void *ctx, uint64_t steps)
{
    (void)ctx;
    return steps < 2000;
}

static struct outcome moved(struct cell_program *o, const struct backend *b, uint32_t set, int64_t by)
{
    struct exec_result x;
    struct diag d;
    struct exec_options options = {.guards = GUARDS_ON, .inputs = "fixtures/io/d256-s2", .expect = "fixtures/io/d256-s2",
                                   .move_set = set, .move_by = by, .threads = 1, .backend = b,
                                   .progress = not_long};
    struct run *r = exec_open(&o->program, &options, &d);
    struct outcome out = {0};
    if (r) {
        bool ended = exec_run(r, &x, &d);
        out = (struct outcome){true, x.violations, x.overlaps, ended ? 0 : 1};
        for (uint32_t k = 0; k < x.n_outputs; k++)
            out.worst = !(x.outputs[k].max_rel <= out.worst) ? x.outputs[k].max_rel : out.worst;
    }
    exec_close(r);
    return out;
}

static void mutations_fire_or_change_nothing(void **state)
{
    static const int64_t shifts[] = {-64, 64, -128, 256, -4096, 4096};
    struct cell_program o;
    const struct backend *backend = *state;
    unsigned ran = 0, overlapping = 0, silent = 0, wrong = 0, alarms = 0;
    struct diag d;
    char device[256];
    if (!backend->probe(device, sizeof device, &d))
        skip();
    open_cell(&o, "cpu-d256-s2-u1");
    const struct assignment *as = &o.module.assignment;
    for (buf_id b = 0; b < o.program.n; b++) {
        value_id v = o.program.value[b];
        bool temp = o.program.alloc[b] != ALLOC_NONE && allocation_is_temp(assignment_alloc(as, o.program.alloc[b]));
        if (!temp || o.program.dataflow.set[v] != v)
            continue; /* once a set */
        for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k += backend == &exec_host ? 1 : 3) {
            struct outcome x = moved(&o, backend, v, shifts[k]);
            ran += x.ran;
            overlapping += x.ran && x.overlaps;
            silent += x.ran && x.overlaps && !x.violations;
            wrong += x.ran && !x.violations && !(x.worst <= 1e-6);
            alarms += x.ran && !x.overlaps && x.violations;
        }
    }
    cell_close(&o);
    print_message("%u moves ran, %u overlap, %u of them unnoticed and without effect\n", ran, overlapping, silent);
    assert_true(ran > (backend == &exec_host ? 50 : 20) && overlapping > 15);
    assert_int_equal(wrong, 0);  /* nothing was corrupted in silence */
    assert_int_equal(alarms, 0); /* nothing was said of moves into free bytes */
    assert_true(silent <= overlapping / 10);
}

/* ---- Refusals ---- */

static void refuses(void **state)
{
    struct cell_program o;
    struct diag d;
    struct exec_options small = {.memory_limit = 1 << 20}, none = {0};
    (void)state;
    open_cell(&o, "a100-d16384-s4-u1");
    assert_null(exec_open(&o.program, &small, &d));
    assert_non_null(strstr(d.what, "it needs 384"));
    assert_non_null(strstr(d.hint, "a width of 32 would fit"));
    cell_close(&o);
    open_cell(&o, "tpu-v5e-d262144-s1-ufull");
    assert_null(exec_open(&o.program, &none, &d));
    assert_non_null(strstr(d.what, "TPU"));
    cell_close(&o);
}

static bool stop(void *ctx, uint64_t steps)
{
    (void)ctx;
    return steps < 128;
}

static void cancels(void **state)
{
    struct cell_program o;
    struct diag d;
    struct exec_result x;
    struct exec_options options = {.progress = stop};
    (void)state;
    open_cell(&o, "cpu-d256-s4-u1");
    struct run *r = exec_open(&o.program, &options, &d);
    assert_non_null(r);
    bool ok = exec_run(r, &x, &d);
    exec_close(r);
    cell_close(&o);
    assert_false(ok);
    assert_non_null(strstr(d.what, "cancelled"));
}

int main(void)
{
    enum { N = sizeof cells / sizeof *cells };
    struct CMUnitTest tests[2 * N + 4];
    char name[N][128];
    for (size_t k = 0; k < N; k++)
        tests[k] = (struct CMUnitTest){.name = cells[k].name, .test_func = runs, .initial_state = (void *)(uintptr_t)&cells[k]};
    size_t n = N;
    for (size_t k = 0; k < N; k++) {
        snprintf(name[k], sizeof name[k], "%s, on CUDA", cells[k].name);
        if (!cells[k].host_alone)
            tests[n++] = (struct CMUnitTest){.name = name[k], .test_func = on_cuda, .initial_state = (void *)(uintptr_t)&cells[k]};
    }
    ADD(refuses);
    ADD(cancels);
    tests[n++] = (struct CMUnitTest){.name = "mutations fire or change nothing", .test_func = mutations_fire_or_change_nothing,
                                 .initial_state = (void *)(uintptr_t)&exec_host};
    tests[n++] = (struct CMUnitTest){.name = "mutations fire or change nothing, on CUDA",
                                 .test_func = mutations_fire_or_change_nothing,
                                 .initial_state = (void *)(uintptr_t)&exec_cuda};
    return _cmocka_run_group_tests("exec", tests, n, NULL, NULL);
}
