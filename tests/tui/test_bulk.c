/* Many modules, some of which end badly: what is printed, in which order, and what is said. */
#include "tui/cli/bulk.h"

#include "tests/support/cmocka_all.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

struct told {
    char name[16][200]; /* of the modules, as they are done */
    int code[16];
    bool printed[16];
    int n;
};

static int each(void *ctx, const char *where, const struct program *p)
{
    (void)ctx;
    printf("%s has %u steps\n", where ? where : "it", p->steps);
    fflush(stdout);
    if (where && strstr(where, "-d256-s2"))
        raise(SIGKILL);
    if (where && strstr(where, "-d256-s4"))
        _exit(1); /* as a sanitizer does */
    if (where && strstr(where, "-s1-"))
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* those behind it are done before */
    return (int)p->module->platform;
}

static void refused(void *ctx, const struct dump_entry *e, const struct diag *d)
{
    (void)ctx;
    printf("%s: %s\n", e->stem, d->what);
}

static void done(void *ctx, const struct dump_entry *e, int code, bool printed)
{
    struct told *t = ctx;
    assert_true(t->n < 16);
    snprintf(t->name[t->n], sizeof t->name[0], "%s", e ? e->dir : "nothing");
    t->code[t->n] = code;
    t->printed[t->n++] = printed;
}

/* Runs it over the paths; what went to standard output and error is in out[2]. */
static int run(const char *const *paths, int n, struct told *t, char out[2][8192])
{
    struct asked o = {.paths = paths, .n_paths = n};
    struct bulk b = {.asked = &o, .each = each, .refused = refused, .done = done, .ctx = t};
    FILE *to[2] = {tmpfile(), tmpfile()};
    int kept[2] = {dup(1), dup(2)};
    *t = (struct told){0};
    fflush(stdout);
    for (int k = 0; k < 2; k++)
        dup2(fileno(to[k]), k + 1);
    int status = bulk_run(&b);
    fflush(stdout);
    for (int k = 0; k < 2; k++) {
        dup2(kept[k], k + 1);
        close(kept[k]);
        rewind(to[k]);
        out[k][fread(out[k], 1, 8191, to[k])] = '\0';
        fclose(to[k]);
    }
    return status;
}

#define GRID "fixtures/grid/"

static void order_is_kept(void **state)
{
    (void)state;
    static const char *const paths[] = {GRID "a100-d1048576-s1-ufull", GRID "a100-d1048576-s4-u1",
                                        GRID "cpu-d256-s3-u1",         GRID "a100-d1048576-s1-ufull",
                                        GRID "tpu-v5e-d262144-s8-ufull"};
    struct told t;
    char out[2][8192];
    assert_int_equal(run(paths, 5, &t, out), 0);
    assert_int_equal(t.n, 5);
    const char *at = out[0];
    for (int k = 0; k < 5; k++) {
        assert_string_equal(t.name[k], paths[k]);
        assert_true(t.printed[k] && t.code[k] < BULK_REFUSED);
        assert_non_null(at = strstr(at, paths[k]));
        at++;
    }
    assert_string_equal(out[1], "");
}

static void the_others_go_on(void **state)
{
    (void)state;
    static const char *const paths[] = {GRID "cpu-d256-s2-u1", GRID "none", GRID "cpu-d256-s4-u1",
                                        GRID "a100-d1048576-s4-u1"};
    struct told t;
    char out[2][8192];
    assert_int_equal(run(paths, 4, &t, out), 2);
    assert_int_equal(t.n, 4);
    assert_int_equal(t.code[0], BULK_DIED);
    assert_int_equal(t.code[1], BULK_REFUSED);
    assert_string_equal(t.name[1], "nothing");
    assert_int_equal(t.code[2], BULK_DIED);
    assert_int_equal(t.code[3], PLATFORM_GPU);
    assert_null(strstr(out[0], "cpu")); /* nothing of those that ended badly */
    assert_non_null(strstr(out[0], "a100"));
    assert_non_null(strstr(out[1], "ended by signal 9"));
    assert_non_null(strstr(out[1], "none"));
    assert_non_null(strstr(out[1], "ended by code 1"));
}

static void one_is_not_named(void **state)
{
    (void)state;
    static const char *const paths[] = {GRID "a100-d1048576-s4-u1"};
    struct told t;
    char out[2][8192];
    assert_int_equal(run(paths, 1, &t, out), 0);
    assert_true(strncmp(out[0], "it has ", 7) == 0);
}

/* More than are at work at once, from one directory. */
static void all_of_a_directory(void **state)
{
    (void)state;
    struct told t;
    char out[2][8192];
    char folder[] = "/tmp/tidemark-bulk-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 12; k++) {
        snprintf(path, sizeof path, "%s/module_%04d.jit_f.cpu_after_optimizations.hlo.pb", folder, k);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs("nonsense", f);
        fclose(f);
    }
    const char *one = folder;
    assert_int_equal(run(&one, 1, &t, out), 2); /* none of them could be opened */
    file_remove_tree(folder);
    assert_int_equal(t.n, 12);
    const char *at = out[0];
    for (int k = 0; k < 12; k++) {
        snprintf(path, sizeof path, "module_%04d.jit_f: ", k);
        assert_int_equal(t.code[k], BULK_REFUSED);
        assert_non_null(at = strstr(at, path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(the_others_go_on),
        cmocka_unit_test(one_is_not_named),
        cmocka_unit_test(all_of_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
