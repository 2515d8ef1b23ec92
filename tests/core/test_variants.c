/* Variants: names, neighbours, the grid, and a cache that holds nothing foreign. */
#include "core/load/example/variants.h"
#include "tests/support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/tidemark-test-XXXXXX";

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void read_shipped(struct variants *vs)
{
    struct diag d;
    assert_true(variants_read(vs, &d));
}

/* ---- One variant ---- */

static const struct {
    const char *does;
    struct variant v;
    const char *name;
} names[] = {
    {"a rolled one", {"a100", 1048576, 4, 1}, "a100-d1048576-s4-u1"},
    {"one unrolled whole", {"cpu", 256, 8, VARIANT_FULL}, "cpu-d256-s8-ufull"},
    {"unrolling by the length is whole", {"cpu", 256, 8, 8}, "cpu-d256-s8-ufull"},
    {"and so is by more", {"tpu-v5e", 262144, 2, 16}, "tpu-v5e-d262144-s2-ufull"},
    {"one step has one form", {"a100", 16384, 1, 1}, "a100-d16384-s1-ufull"},
};

static void name_of(void **state)
{
    char text[128];
    struct variant v = variant_normal(names[(size_t)*state].v);
    assert_string_equal(variant_name(&v, text), names[(size_t)*state].name);
}

/* ---- The grid ---- */

static void finds_the_grid(void **state)
{
    (void)state;
    struct variants vs;
    bool cached;
    read_shipped(&vs);
    assert_true(vs.cells.n > 50);
    for (uint32_t k = 0; k < vs.cells.n; k++) {
        const struct variant_cell *c = (const struct variant_cell *)vs.cells.items + k;
        struct variant back;
        const char *dir = variants_find(&vs, c->v, &cached);
        assert_non_null(dir);
        assert_false(cached);
        assert_int_equal(access(dir, R_OK), 0);
        assert_true(variants_which(&vs, dir, &back));
        assert_true(variant_same(&back, &c->v));
    }
    assert_null(variants_find(&vs, (struct variant){"a100", 1048576, 11, 1}, &cached));
    struct variant none;
    assert_false(variants_which(&vs, "fixtures", &none));
    assert_false(variants_which(&vs, "fixtures/grid/none", &none));
    variants_free(&vs);
}

static void targets_go_round(void **state)
{
    (void)state;
    struct variants vs;
    read_shipped(&vs);
    struct variant v = {"a100", 16384, 4, 1}, at = v;
    int n = 0;
    do {
        struct variant next = variants_target(&vs, at, 1), back = variants_target(&vs, next, -1);
        assert_string_equal(back.target, at.target);
        assert_int_equal(next.seqlen, 4);
        at = next;
        n++;
    } while (strcmp(at.target, "a100") != 0 && n < 10);
    assert_int_equal(n, 3);
    assert_int_equal(at.width, 1048576); /* the first that the index has */
    v.target = "abacus";
    assert_string_equal(variants_target(&vs, v, 1).target, "abacus");
    variants_free(&vs);
}

/* ---- The cache ---- */

static void cache_round_trip(void **state)
{
    (void)state;
    struct variants vs;
    struct diag d;
    struct variant v = {"a100", 1048576, 11, 3}, back;
    bool cached;
    setenv("XDG_CACHE_HOME", home, 1);
    read_shipped(&vs);
    const char *place = variants_place(&vs, v, &d);
    assert_non_null(place);
    assert_int_equal(strncmp(place, home, strlen(home)), 0);
    assert_null(variants_find(&vs, v, &cached)); /* a place is no dump */
    assert_int_equal(mkdir(place, 0777), 0);
    assert_null(variants_find(&vs, v, &cached));
    write_file(place, "cell.json", "{}");
    assert_string_equal(variants_find(&vs, v, &cached), place);
    assert_true(cached);
    assert_true(variants_which(&vs, place, &back));
    assert_true(variant_same(&back, &v));
    variants_forget(&vs, place);
    assert_null(variants_find(&vs, v, &cached));
    assert_int_equal(access(place, F_OK), -1);
    variants_free(&vs);
}

static void forgets_only_its_own(void **state)
{
    (void)state;
    struct variants vs;
    struct diag d;
    char other[300], up[300];
    setenv("XDG_CACHE_HOME", home, 1);
    read_shipped(&vs);
    assert_non_null(variants_place(&vs, (struct variant){"cpu", 1, 2, 1}, &d));
    snprintf(other, sizeof other, "%s/other", home);
    mkdir(other, 0777);
    snprintf(up, sizeof up, "%s/../../other", vs.cache);
    variants_forget(&vs, other);
    variants_forget(&vs, up);
    variants_forget(&vs, vs.cache);
    variants_forget(&vs, home);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(access(vs.cache, F_OK), 0);
    variants_free(&vs);
}

static void content_decides(void **state)
{
    (void)state;
    struct variants vs;
    char data[300], first[300];
    setenv("XDG_CACHE_HOME", home, 1);
    snprintf(data, sizeof data, "%s/data", home);
    mkdir(data, 0777);
    write_file(data, "index.json", "{\"cells\": [{\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, "
                                   "\"seqlen\": 2, \"unroll\": 1}]}");
    write_file(data, "scan.py", "one");
    write_file(data, "record.py", "two");
    setenv("TIDEMARK_DATA", data, 1);
    read_shipped(&vs);
    snprintf(first, sizeof first, "%s", vs.cache);
    variants_free(&vs);
    read_shipped(&vs);
    assert_string_equal(vs.cache, first);
    variants_free(&vs);
    write_file(data, "scan.py", "another");
    read_shipped(&vs);
    assert_string_not_equal(vs.cache, first);
    variants_free(&vs);
    setenv("TIDEMARK_DATA", "fixtures", 1);
}

static void places(void **state)
{
    (void)state;
    struct variants vs;
    struct diag d;
    char *old = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    setenv("XDG_CACHE_HOME", "relative", 1); /* to be ignored */
    setenv("HOME", home, 1);
    read_shipped(&vs);
    assert_int_equal(strncmp(vs.cache, home, strlen(home)), 0);
    assert_non_null(strstr(vs.cache, "/.cache/tidemark/"));
    variants_free(&vs);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    read_shipped(&vs);
    assert_null(variants_place(&vs, (struct variant){"cpu", 1, 2, 1}, &d));
    variants_free(&vs);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    read_shipped(&vs);
    assert_null(variants_place(&vs, (struct variant){"cpu", 1, 2, 1}, &d));
    variants_free(&vs);
    if (old)
        setenv("HOME", old, 1);
    free(old);
}

static const struct {
    const char *does, *index;
    uint32_t cells; /* 0: refused */
} indexes[] = {
    {"no JSON at all", "rubbish", 0},
    {"no cells", "{\"cells\": []}", 0},
    {"cells that are no list", "{\"cells\": 3}", 0},
    {"a cell without its length", "{\"cells\": [{\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, \"unroll\": 1}]}", 0},
    {"lengths that are none", "{\"cells\": [{\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, \"seqlen\": -4, \"unroll\": 1},"
     "{\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, \"seqlen\": 1e99, \"unroll\": 1},"
     "{\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, \"seqlen\": \"4\", \"unroll\": 1},"
     "{\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, \"seqlen\": 4, \"unroll\": \"no\"},"
     "{\"dir\": 7, \"target\": null, \"width\": 1, \"seqlen\": 4, \"unroll\": 1}]}", 0},
    {"a sound one among them", "{\"cells\": [1, {}, {\"dir\": \"d\", \"target\": \"cpu\", \"width\": 1, \"seqlen\": 4, \"unroll\": \"full\"}]}", 1},
};

static void reads_index(void **state)
{
    const size_t k = (size_t)*state;
    struct variants vs;
    struct diag d;
    char data[300];
    snprintf(data, sizeof data, "%s/index", home);
    mkdir(data, 0777);
    write_file(data, "index.json", indexes[k].index);
    setenv("TIDEMARK_DATA", data, 1);
    bool ok = variants_read(&vs, &d);
    uint32_t n = ok ? vs.cells.n : 0;
    if (ok)
        variants_free(&vs);
    setenv("TIDEMARK_DATA", "fixtures", 1);
    assert_int_equal(n, indexes[k].cells);
}

int main(void)
{
    struct CMUnitTest tests[64];
    size_t n = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        tests[n++] = (struct CMUnitTest){.name = names[k].does, .test_func = name_of, .initial_state = (void *)k};
    for (size_t k = 0; k < sizeof indexes / sizeof *indexes; k++)
        tests[n++] = (struct CMUnitTest){.name = indexes[k].does, .test_func = reads_index, .initial_state = (void *)k};
    ADD_AS(finds_the_grid, "every cell of the grid is found and known again");
    ADD_AS(targets_go_round, "targets go round");
    ADD_AS(cache_round_trip, "what is cached is found, known and forgotten");
    ADD_AS(forgets_only_its_own, "nothing else is ever removed");
    ADD_AS(content_decides, "another scan.py has another cache");
    ADD_AS(places, "where the cache is, and where it cannot be");
    setenv("TIDEMARK_DATA", "fixtures", 1);
    if (!mkdtemp(home))
        return 2;
    int failed = _cmocka_run_group_tests("variants", tests, n, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", home);
    return system(command) != 0 || failed;
}
