/* Compilers beside the explorer, which are scripts here: what they make, refuse, leave behind, and where
 * that is kept. */
#include "tests/support/room_play.h"
#include "tests/support/tables.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[200]; /* of a test: the script, the cache */

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tidemark-room-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_CACHE_HOME", folder, 1);
    return 0;
}

static int remove_folder(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    unsetenv("TIDEMARK_PYTHON");
    return system(command);
}

/* A python that answers record.py check and record.py one so. */
static void fake_python(const char *check, const char *one)
{
    char path[300];
    snprintf(path, sizeof path, "%s/python", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nfor out; do :; done\necho \"$@\" >>%s/log\nif [ \"$2\" = check ]; then %s; exit; fi\n%s\n",
            folder, check, one);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
    setenv("TIDEMARK_PYTHON", path, 1);
}

#define COPIES "mkdir -p \"$out.new\" && cp fixtures/grid/a100-d1048576-s5-u4/* \"$out.new\" && mv \"$out.new\" \"$out\""

/* Ticks until something other than waiting and working is so, at most a minute. */
static struct app settle(struct room *r, struct app s)
{
    for (int k = 0; k < 12000 && (r->unsure || s.work == WORK_CHECKING || s.work == WORK_COMPILING); k++) {
        s = room_tick(r, s);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return s;
}

struct compile_case {
    const char *name, *check, *one;
    enum whatif_method method;
    enum work work;
    const char *shown; /* somewhere on the screen */
};
static const struct compile_case compile_cases[] = {
    {"what is compiled is shown", "true", COPIES, WHATIF_COMPILED, WORK_NONE, "compiled: 28.00 → 28.00"},
    {"a target that cannot be compiled says why", "echo 'record.py: a100 needs jax' >&2; exit 2", COPIES, WHATIF_UNKNOWN,
     WORK_REFUSED, "no compile here: a100 needs jax"},
    {"a compile that fails says why", "true", "echo oh no; exit 1", WHATIF_UNKNOWN, WORK_FAILED,
     "the compile failed: oh no"},
    {"one that leaves nothing is a failure", "true", "true", WHATIF_UNKNOWN, WORK_FAILED, "it left no program behind"},
    {"one that leaves rubbish too", "true", "mkdir -p \"$out\"; echo {} >\"$out/cell.json\"", WHATIF_UNKNOWN, WORK_FAILED,
     "what was compiled cannot be read"},
};

static void compiles(void **state)
{
    const struct compile_case *c = *state;
    struct cell_program cell;
    struct room r;
    fake_python(c->check, c->one);
    struct app s = open_cell(&r, &cell, a100, 120, 24);
    r.compiles = true;
    s = settle(&r, press(&r, s, "uu"));
    enum whatif_method method = label_of(&r, &s);
    char *text = screen_text(r.p, &r.memo, &s, false);
    bool has = strstr(text, c->shown) || (c->method == WHATIF_COMPILED && strstr(text, "compiled: "));
    if (!has)
        print_error("not shown: %s\n%s\n", c->shown, text);
    free(text);
    close_cell(&r, &cell);
    assert_true(has);
    assert_int_equal(method, c->method);
    assert_int_equal(s.work, c->work);
}

static int lines_of_log(void)
{
    char path[300];
    int n = 0, ch;
    snprintf(path, sizeof path, "%s/log", folder);
    FILE *f = fopen(path, "r");
    while (f && (ch = fgetc(f)) != EOF)
        n += ch == '\n';
    if (f)
        fclose(f);
    return n;
}

/* Another session finds it in the cache, and asks no compiler. */
static void found_in_the_cache(void **state)
{
    struct cell_program cell;
    struct room r;
    (void)state;
    fake_python("true", COPIES);
    for (int k = 0; k < 2; k++) {
        struct app s = open_cell(&r, &cell, a100, 80, 24);
        r.compiles = true;
        s = settle(&r, press(&r, s, "uu"));
        assert_int_equal(label_of(&r, &s), WHATIF_COMPILED);
        close_cell(&r, &cell);
        assert_int_equal(lines_of_log(), 2); /* check, one */
    }
}

/* A target that cannot be compiled for is asked about once. */
static void refusal_is_remembered(void **state)
{
    struct cell_program cell;
    struct room r;
    (void)state;
    fake_python("echo no jax; exit 2", COPIES);
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    r.compiles = true;
    s = settle(&r, press(&r, s, "uu"));
    s = settle(&r, press(&r, s, "U"));
    s = settle(&r, press(&r, s, "u"));
    assert_int_equal(s.work, WORK_REFUSED);
    assert_int_equal(lines_of_log(), 1);
    close_cell(&r, &cell);
}

static void broken_cache_is_remade(void **state)
{
    struct cell_program cell;
    struct room r;
    struct diag d;
    char command[1200];
    (void)state;
    fake_python("true", COPIES);
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    struct form f = s.form;
    f.unroll = 3;
    const char *place = variants_place(&r.stock.variants, stock_variant(&r.stock, &f), &d);
    assert_non_null(place);
    snprintf(command, sizeof command,
             "mkdir -p %s && echo '{}' >%s/cell.json && echo broken >%s/module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb",
             place, place, place);
    assert_int_equal(system(command), 0);
    s = press(&r, s, "uu");
    assert_int_equal(label_of(&r, &s), WHATIF_UNKNOWN); /* not taken for an answer */
    assert_int_not_equal(access(place, F_OK), 0);
    r.compiles = true;
    s = settle(&r, s);
    assert_int_equal(label_of(&r, &s), WHATIF_COMPILED);
    assert_int_equal(access(place, F_OK), 0);
    close_cell(&r, &cell);
}

/* Esc ends the compile, and the explorer goes on; so does another form. */
static void cancelled(void **state)
{
    struct cell_program cell;
    struct room r;
    (void)state;
    fake_python("true", "sleep 600");
    struct app s = open_cell(&r, &cell, a100, 120, 24);
    r.compiles = true;
    s = press(&r, s, "uu");
    for (int k = 0; k < 12000 && s.work != WORK_COMPILING; k++) {
        s = room_tick(&r, s);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    assert_int_equal(s.work, WORK_COMPILING);
    assert_true(screen_has(&r, &s, "compiling "));
    assert_true(screen_has(&r, &s, "Esc cancel"));
    pid_t pid = r.compile.job.pid;
    s = press(&r, s, "<Esc>");
    assert_int_equal(s.work, WORK_CANCELLED);
    assert_int_not_equal(kill(pid, 0), 0);
    assert_int_equal(room_patience(&r, &s), -1);
    s = press(&r, s, "Uu");
    for (int k = 0; k < 12000 && s.work != WORK_COMPILING; k++) {
        s = room_tick(&r, s);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    pid = r.compile.job.pid;
    s = press(&r, s, "U");
    assert_int_equal(s.work, WORK_NONE);
    assert_int_not_equal(kill(pid, 0), 0);
    close_cell(&r, &cell);
}

/* An exact answer is shown until the compiled one is there; the cursor stays. */
static void exact_then_compiled(void **state)
{
    struct cell_program cell;
    struct room r;
    (void)state;
    fake_python("true", "mkdir -p \"$out.new\" && cp fixtures/grid/a100-d1048576-s8-u1/* \"$out.new\" && mv \"$out.new\" \"$out\"");
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    r.compiles = true;
    s = press(&r, s, "sssss");
    assert_int_equal(label_of(&r, &s), WHATIF_EXACT);
    char before[200], after[200];
    name_here(&r, &s, before);
    const struct program *guess = r.p;
    s = settle(&r, s);
    name_here(&r, &s, after);
    assert_int_equal(label_of(&r, &s), WHATIF_COMPILED);
    assert_ptr_not_equal(r.p, guess);
    assert_string_equal(before, after);
    close_cell(&r, &cell);
}

/* What was opened meanwhile shows what was compiled. */
static void compiled_in_every_view(void **state)
{
    static const struct {
        const char *keys, *want;
    } views[] = {{"uuc", "B  s4 u3: 28.00 GiB, compiled"}, {"sssssc", "B  s9 u1: 28.00 GiB, compiled"},
                 {"uue", "compiled: 28.00"}, {"uug", "▸▒c"}, {"uum", "compiled: 28.00"}};
    (void)state;
    for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
        struct cell_program cell;
        struct room r;
        assert_int_equal(make_folder(state), 0);
        fake_python("true", COPIES);
        struct app s = open_cell(&r, &cell, a100, 80, 24);
        r.compiles = true;
        s = settle(&r, press(&r, s, views[k].keys));
        if (!screen_has(&r, &s, views[k].want)) {
            char *text = screen_text(r.p, &r.memo, &s, false);
            print_error("%s: no %s\n%s\n", views[k].keys, views[k].want, text);
            free(text);
            fail();
        }
        close_cell(&r, &cell);
        assert_int_equal(remove_folder(state), 0);
    }
}

#define IN_FOLDER(run) tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(run, make_folder, remove_folder)

int main(void)
{
    static struct CMUnitTest tests[COUNT(compile_cases) + 6];
    size_t n = 0;
    setenv("TIDEMARK_DATA", "fixtures", 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    ADD_TABLE(compile_cases, compiles, name);
    for (size_t i = 0; i < n; i++) {
        tests[i].setup_func = make_folder;
        tests[i].teardown_func = remove_folder;
    }
    IN_FOLDER(found_in_the_cache);
    IN_FOLDER(refusal_is_remembered);
    IN_FOLDER(broken_cache_is_remade);
    IN_FOLDER(cancelled);
    IN_FOLDER(exact_then_compiled);
    ADD(compiled_in_every_view);
    return _cmocka_run_group_tests("room_compilers", tests, n, NULL, NULL);
}
