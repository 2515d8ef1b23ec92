/* The CUDA backend where a real device would be hard put: none there, memory that runs out, a launch
 * that fails; and that nothing stays allocated.  Always on the emulated device. */
#include "gpu/engine/backends.h"
#include "gpu/engine/engine.h"
#include "tests/support/cmocka_all.h"
#include "tests/emulated/emulated.h"
#include "tests/support/cell.h"

#include <string.h>

static void open_cell(struct cell_program *o, const char *path)
{
    struct diag d;
    assert_true(cell_at(o, path, &d));
}

static struct run *begin(struct cell_program *o, bool dynamic, struct diag *d)
{
    struct exec_options options = {.backend = &exec_cuda, .guards = GUARDS_ON, .dynamic = dynamic};
    open_cell(o, "fixtures/grid/cpu-d256-s2-u1");
    return exec_open(&o->program, &options, d);
}

static void no_device_is_one_line(void **state)
{
    struct cell_program o;
    struct diag d;
    char device[256];
    (void)state;
    emulated_devices(0);
    assert_false(exec_cuda.probe(device, sizeof device, &d));
    assert_non_null(strstr(d.what, "no usable CUDA device"));
    assert_null(begin(&o, false, &d));
    cell_close(&o);
    emulated_devices(1);
    assert_non_null(strstr(d.what, "no usable CUDA device"));
    assert_true(exec_cuda.probe(device, sizeof device, &d));
    assert_non_null(strstr(device, "GiB"));
}

static void a_missing_driver_is_told_from_an_old_one(void **state)
{
    static const struct {
        int version;
        const char *says;
    } drivers[] = {{0, "no driver is installed"}, {11040, "the driver is too old"}};
    struct diag d;
    char device[256];
    (void)state;
    for (size_t k = 0; k < sizeof drivers / sizeof *drivers; k++) {
        emulated_driver(drivers[k].version);
        bool found = exec_cuda.probe(device, sizeof device, &d);
        emulated_driver(12040);
        assert_false(found);
        assert_non_null(strstr(d.what, drivers[k].says));
    }
}

static void too_little_memory_is_refused_before_anything_is_allocated(void **state)
{
    struct cell_program o;
    struct diag d;
    (void)state;
    emulated_memory(4 << 20);
    uint64_t launches = emulated_launches();
    assert_null(begin(&o, false, &d));
    cell_close(&o);
    emulated_memory(UINT64_C(4) << 30);
    assert_non_null(strstr(d.what, "it needs"));
    assert_true(strstr(d.hint, "would fit") != NULL);
    assert_int_equal(emulated_launches(), launches);
    assert_int_equal(emulated_used(), 0);
}

/* Memory that others take after it was asked for: at any moment it is one line, and all is given back. */
static void memory_that_runs_out_ends_the_run(void **state)
{
    unsigned failed = 0;
    (void)state;
    for (uint64_t room = 1 << 16; room < 20 << 20; room += 2 << 20) {
        struct cell_program o;
        struct exec_result x;
        struct diag d;
        struct run *r = begin(&o, true, &d);
        assert_non_null(r);
        emulated_memory(emulated_used() + room);
        if (!exec_run(r, &x, &d)) {
            failed++;
            assert_true(d.what[0] && !strchr(d.what, '\n'));
            assert_true(strstr(d.what, "to be had") || strstr(d.what, "memory left") || strstr(d.what, "no memory to work in") || strstr(d.what, "allocator has no"));
        }
        exec_close(r);
        cell_close(&o);
        emulated_memory(UINT64_C(4) << 30);
        assert_int_equal(emulated_used(), 0);
    }
    assert_true(failed > 2);
}

static void a_launch_that_fails_names_its_instruction(void **state)
{
    static const uint64_t after[] = {0, 1, 7, 30};
    (void)state;
    for (size_t k = 0; k < sizeof after / sizeof *after; k++) {
        struct cell_program o;
        struct exec_result x;
        struct diag d;
        struct run *r = begin(&o, false, &d);
        assert_non_null(r);
        emulated_fail_launch(after[k]);
        assert_false(exec_run(r, &x, &d));
        emulated_fail_launch(UINT64_MAX);
        exec_close(r);
        assert_non_null(strstr(d.what, " %"));
        assert_non_null(strstr(d.what, "launching a kernel: unspecified launch failure"));
        const char *name = strchr(d.what, '%') + 1;
        bool known = false;
        for (inst_id i = 0; i < o.module.hlo.insts.n; i++) {
            size_t n = strlen(hlo_inst(&o.module.hlo, i)->name);
            known = known || (strncmp(hlo_inst(&o.module.hlo, i)->name, name, n) == 0 && strchr(":,", name[n]));
        }
        cell_close(&o);
        assert_true(known);
        assert_int_equal(emulated_used(), 0);
    }
}

/* The figures are differences and high waters of what really was allocated. */
static void figures_are_the_devices(void **state)
{
    struct cell_program o;
    struct exec_result x;
    struct diag d;
    (void)state;
    struct run *r = begin(&o, true, &d);
    assert_non_null(r);
    assert_true(exec_run(r, &x, &d));
    uint64_t temp = x.temp_planned, fixed = x.planned - temp;
    exec_close(r);
    cell_close(&o);
    assert_true(x.device_delta >= x.planned && x.device_delta < x.planned + x.planned / 8 + (1 << 20));
    assert_true(x.has_pool && x.pool_high > fixed + temp / 2 && x.pool_high < fixed + 2 * temp);
    assert_true(x.pool_reserved >= x.pool_high);
    assert_int_equal(emulated_used(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_device_is_one_line),
        cmocka_unit_test(a_missing_driver_is_told_from_an_old_one),
        cmocka_unit_test(too_little_memory_is_refused_before_anything_is_allocated),
        cmocka_unit_test(memory_that_runs_out_ends_the_run),
        cmocka_unit_test(a_launch_that_fails_names_its_instruction),
        cmocka_unit_test(figures_are_the_devices),
    };
    return cmocka_run_group_tests_name("cuda", tests, NULL, NULL);
}
