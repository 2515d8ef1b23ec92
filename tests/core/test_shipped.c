/* The shipped grid: every cell opens, its bytes are JAX's, the JAX issue's seven figures hold, and
 * the report fits the page. */
#include "core/analysis/place/verify.h"
#include "core/output/report/report.h"
#include "tests/support/page_fits.h"
#include "tests/support/tables.h"

struct cell {
    char name[200], dir[300];
    const cJSON *json;
};

static cJSON *index_json;
static struct cell *cells;
static int n_cells;

static void open_cell(const char *dir, enum dump_form form, struct dump *dump, struct module *m,
                      struct program *p)
{
    struct diag d;
    char line[1200];
    if (!dump_find(dump, dir, &d) || !dump_load(dump, 0, form, m, &d) || !program_build(p, m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void close_cell(struct dump *dump, struct module *m, struct program *p)
{
    program_free(p);
    module_free(m);
    dump_free(dump);
}

static uint64_t analysis(const struct cell *c, const char *name)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(c->json, "memory_analysis");
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(all, name);
    assert_true(cJSON_IsNumber(n));
    return (uint64_t)n->valuedouble;
}

static void check_cell(void **state)
{
    const struct cell *c = *state;
    struct dump dump;
    struct module m;
    struct program p;
    struct report r;
    open_cell(c->dir, FORM_ANY, &dump, &m, &p);
    assert_int_equal(dump.entries.n, 1);
    assert_int_equal(m.warnings.n, 0);
    assert_int_equal(p.lives, LIFE_RERUN);
    assert_true(p.totals.argument == analysis(c, "argument"));
    assert_true(p.totals.output == analysis(c, "output"));
    assert_true(p.totals.alias == analysis(c, "alias"));
    if (m.platform != PLATFORM_TPU) /* there JAX's temp is not the sum of the dump's */
        assert_true(p.totals.temp == analysis(c, "temp"));
    if (m.platform == PLATFORM_GPU)
        assert_true(m.device_memory == 85100068864);
    struct report_options o = {.top = 10};
    report_make(&r, &p, &o);
    assert_true(p.live[p.peak] <= r.need);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report_text(&r, out);
    fclose(out);
    bool fits = page_fits(text);
    free(text);
    report_free(&r);
    close_cell(&dump, &m, &p);
    assert_true(fits);
}

/* ---- JAX issue 26618: GiB of output + temp ---- */

static const struct figure {
    const char *name, *cell;
    double gib;
} figures[] = {
    {"one step needs 4 GiB", "a100-d1048576-s1-ufull", 4},
    {"two steps unrolled need 8 GiB", "a100-d1048576-s2-ufull", 8},
    {"three steps unrolled need 12 GiB", "a100-d1048576-s3-ufull", 12},
    {"four steps unrolled need 16 GiB", "a100-d1048576-s4-ufull", 16},
    {"two steps rolled need 16 GiB", "a100-d1048576-s2-u1", 16},
    {"three steps rolled need 20 GiB", "a100-d1048576-s3-u1", 20},
    {"four steps rolled need 24 GiB", "a100-d1048576-s4-u1", 24},
};

static void check_figure(void **state)
{
    const struct figure *f = *state;
    char dir[200];
    struct dump dump;
    struct module m;
    struct program p;
    snprintf(dir, sizeof dir, "fixtures/grid/%s", f->cell);
    open_cell(dir, FORM_ANY, &dump, &m, &p);
    double gib = (double)(p.totals.output + p.totals.temp) / (double)(1ull << 30);
    double live = (double)p.live[p.peak] / (double)(1ull << 30);
    close_cell(&dump, &m, &p);
    assert_true(gib > f->gib - 0.01 && gib < f->gib + 0.01);
    assert_true(live > f->gib - 0.01 && live < f->gib + 0.01);
}

/* ---- The two cells with text: both forms agree with the dump's ranges, value by value ---- */

static const struct text_case {
    const char *name, *dir;
    enum dump_form form;
} texts[] = {
    {"rolled, from the proto", "fixtures/grid/a100-d1048576-s4-u1", FORM_PROTO},
    {"rolled, from text", "fixtures/grid/a100-d1048576-s4-u1", FORM_TEXT},
    {"unrolled, from the proto", "fixtures/grid/a100-d1048576-s4-ufull", FORM_PROTO},
    {"unrolled, from text", "fixtures/grid/a100-d1048576-s4-ufull", FORM_TEXT},
};

static void check_text(void **state)
{
    const struct text_case *c = *state;
    struct dump dump;
    struct module m;
    struct program p;
    struct verify v;
    open_cell(c->dir, c->form, &dump, &m, &p);
    verify_program(&v, &p);
    assert_int_equal(m.hlo.from_text, c->form == FORM_TEXT);
    assert_int_equal(v.agrees, AGREES_YES);
    assert_int_equal(v.exact, v.total);
    assert_true(v.total > 40);
    verify_free(&v);
    close_cell(&dump, &m, &p);
}

static void load_index(void)
{
    static struct arena a;
    struct file f;
    struct diag d;
    if (file_read(&a, &f, "fixtures/index.json", &d))
        index_json = cJSON_ParseWithLength(f.text, f.size);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(index_json, "cells"), *c;
    n_cells = cJSON_GetArraySize(list);
    cells = calloc((size_t)n_cells + 1, sizeof *cells);
    int k = 0;
    cJSON_ArrayForEach(c, list)
    {
        const char *dir = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(c, "dir"));
        snprintf(cells[k].dir, sizeof cells[k].dir, "fixtures/%s", dir ? dir : "?");
        snprintf(cells[k].name, sizeof cells[k].name, "%s", dir ? dir : "?");
        cells[k++].json = c;
    }
    arena_free(&a);
}

int main(void)
{
    load_index();
    if (n_cells == 0) {
        puts("[  FAILED  ] fixtures/index.json lists no cell");
        return 1;
    }
    struct CMUnitTest *tests = calloc((size_t)n_cells + COUNT(figures) + COUNT(texts), sizeof *tests);
    size_t n = 0;
    for (int k = 0; k < n_cells; k++)
        tests[n++] = (struct CMUnitTest){cells[k].name, check_cell, NULL, NULL, &cells[k]};
    ADD_TABLE(figures, check_figure, name);
    ADD_TABLE(texts, check_text, name);
    int failed = _cmocka_run_group_tests("shipped", tests, n, NULL, NULL);
    free(tests);
    free(cells);
    cJSON_Delete(index_json);
    return failed;
}
