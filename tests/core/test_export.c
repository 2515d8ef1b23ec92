/* What can be told of the files without reading them as others do (export_test.sh and browser.py do that). */
#include "core/analysis/pack/pack.h"
#include "core/load/text/minimalloc_csv.h"
#include "core/output/export/export_drawing.h"
#include "core/output/export/export_forms.h"
#include "core/output/words/escape.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/program_sample.h"

struct text_file {
    char *text;
    size_t size;
    FILE *to;
};

static void text_open(struct text_file *t)
{
    *t = (struct text_file){0};
    t->to = open_memstream(&t->text, &t->size);
    assert_non_null(t->to);
}

/* ---- Texts ---- */

struct text_case {
    const char *name, *text, *xml, *string, *field;
};

static const struct text_case texts[] = {
    {"a plain name stays", "while.16{3}", "while.16{3}", "\"while.16{3}\"", "while.16{3}"},
    {"nothing", "", "", "\"\"", ""},
    {"the end of a script is no end", "</script>", "&lt;/script&gt;", "\"\\u003c/script\\u003e\"", "</script>"},
    {"a comment is none", "<!--", "&lt;!--", "\"\\u003c!--\"", "<!--"},
    {"quotes", "a\"b'c", "a&quot;b&#39;c", "\"a\\\"b\\u0027c\"", "\"a\"\"b'c\""},
    {"a backslash", "a\\n", "a\\n", "\"a\\\\n\"", "a\\n"},
    {"an entity is text", "&lt;", "&amp;lt;", "\"\\u0026lt;\"", "&lt;"},
    {"a comma", "f32[4,8]", "f32[4,8]", "\"f32[4,8]\"", "\"f32[4,8]\""},
    {"line ends", "a\r\nb", "a\\x0D\\x0Ab", "\"a\\\\x0D\\\\x0Ab\"", "a\\x0D\\x0Ab"},
    {"control bytes", "\x1b[31m\x01", "\\x1B[31m\\x01", "\"\\\\x1B[31m\\\\x01\"", "\\x1B[31m\\x01"},
    {"bytes that are no UTF-8", "a\xff\xc3(", "a\\xFF\\xC3(", "\"a\\\\xFF\\\\xC3(\"", "a\\xFF\\xC3("},
    {"other letters stay", "名前é", "名前é", "\"名前é\"", "名前é"},
    {"what turns text round is shown", "a\xe2\x80\xae" "b", "a\\xE2\\x80\\xAEb", "\"a\\\\xE2\\\\x80\\\\xAEb\"",
     "a\\xE2\\x80\\xAEb"},
    {"a script's own line end", "a\xe2\x80\xa8" "b", "a\\xE2\\x80\\xA8b", "\"a\\\\xE2\\\\x80\\\\xA8b\"",
     "a\\xE2\\x80\\xA8b"},
    {"a formula is text", "=1+1", "=1+1", "\"=1+1\"", "'=1+1"},
    {"so is one that is quoted", "@a,b", "@a,b", "\"@a,b\"", "\"'@a,b\""},
    {"so is one behind a tab", "\t=1", "\\x09=1", "\"\\\\x09=1\"", "'\\x09=1"},
    {"a sign begins one", "-x", "-x", "\"-x\"", "'-x"},
};

static void check_text(void **state)
{
    const struct text_case *c = *state;
    const char *const wanted[] = {c->xml, c->string, c->field};
    void (*const put[])(const char *, FILE *) = {put_xml, put_string, put_field};
    for (int k = 0; k < 3; k++) {
        struct text_file t;
        text_open(&t);
        put[k](c->text, t.to);
        fclose(t.to);
        assert_string_equal(t.text, wanted[k]);
        free(t.text);
    }
}

/* ---- The drawing ---- */

static void check_columns(const struct drawing *d)
{
    const struct program *p = d->p;
    for (uint32_t k = 0; k < d->n_cols; k++) {
        uint64_t sum = 0, most = 0;
        for (int role = 0; role < ROLE_COUNT; role++)
            sum += d->role[role] ? d->role[role][k] : 0;
        assert_int_equal(d->first[0], 0);
        assert_true(d->first[k] < d->first[k + 1] && d->first[k + 1] <= p->steps + 1);
        for (uint32_t s = d->first[k]; s < d->first[k + 1]; s++)
            most = p->live[s] > most ? p->live[s] : most;
        assert_true(sum == most && p->live[d->at[k]] == most);
    }
}

static void check_places(const struct drawing *d)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < d->n_groups; k++) {
        assert_true(d->groups[k].base == at);
        at += d->groups[k].size;
    }
    assert_true(at == d->height);
    for (buf_id b = 0; b < d->p->n; b++)
        if (d->group_of[b] != UINT32_MAX) {
            const struct drawing_group *g = &d->groups[d->group_of[b]];
            assert_true(g->group == program_group(d->p, b) && d->p->offset[b] + d->p->size[b] <= g->size);
        }
}

static void check_listed(const struct drawing *d)
{
    assert_int_equal(d->n_listed + d->rest, d->p->n);
    for (uint32_t k = 1; k < d->n_listed; k++)
        assert_true(d->p->size[d->listed[k]] <= d->p->size[d->listed[k - 1]]);
    if (d->rest && d->n_listed)
        assert_true(d->rest_size <= d->p->size[d->listed[d->n_listed - 1]]);
    if (d->rest && d->p->n_spaces == 1) /* it counts all memories, the height the main one */
        assert_true(d->rest_most <= d->height);
}

struct drawing_case {
    const char *name;
    enum sample_kind kind;
    uint32_t cols, listed;
};

static const struct drawing_case drawings[] = {
    {"a step a column, and every buffer", SAMPLE_SCAN, 100, 100},
    {"fewer columns than steps, and buffers that are summed", SAMPLE_SCAN, 7, 4},
    {"one column, one buffer", SAMPLE_SCAN, 1, 1},
    {"loops in loops", SAMPLE_NESTED, 100, 100},
    {"no program", SAMPLE_NO_HLO, 100, 100},
    {"odd names", SAMPLE_ODD, 100, 100},
    {"one step", SAMPLE_ONE, 100, 100},
    {"no buffers", SAMPLE_EMPTY, 100, 100},
    {"several memories", SAMPLE_SPACES, 100, 100},
    {"a huge one", SAMPLE_HUGE, 60, 5000},
    {"a huge one that is alive all the time", SAMPLE_ALIVE, 20, 5000},
};

static void check_drawing(void **state)
{
    const struct drawing_case *c = *state;
    struct sample s;
    struct drawing d;
    sample_make(&s, c->kind);
    struct report r = {.program = &s.program};
    drawing_make(&d, &r, c->cols, c->listed);
    check_columns(&d);
    check_places(&d);
    check_listed(&d);
    drawing_free(&d);
    sample_free(&s);
}

static void small_ones_are_summed(void **state)
{
    (void)state;
    struct sample s;
    struct drawing d;
    sample_make(&s, SAMPLE_SCAN);
    struct report r = {.program = &s.program};
    drawing_make(&d, &r, 100, 11); /* of 4 GiB and more there are 11 */
    assert_int_equal(d.rest, s.program.n - 11);
    uint64_t most = 0;
    for (uint32_t t = 0; t <= s.program.steps; t++) {
        uint64_t sum = 0;
        for (buf_id b = 0; b < s.program.n; b++)
            if (s.program.size[b] < SAMPLE_GIB && s.program.start[b] <= t && t <= s.program.end[b])
                sum += s.program.size[b];
        most = sum > most ? sum : most;
    }
    assert_true(d.rest_size < SAMPLE_GIB && d.rest_most == most);
    drawing_free(&d);
    sample_free(&s);
}

/* ---- Forms ---- */

static void nothing_to_draw(void **state)
{
    (void)state;
    struct sample s;
    sample_make(&s, SAMPLE_NO_LIFE);
    struct report r = {.program = &s.program};
    static const enum export_format forms[] = {EXPORT_SVG, EXPORT_HTML, EXPORT_MINIMALLOC};
    for (int k = 0; k < 3; k++) {
        struct text_file t;
        struct diag d;
        text_open(&t);
        assert_false(export_write(&r, forms[k], EXPORT_BOTH, t.to, &d));
        fclose(t.to);
        assert_int_equal(t.size, 0);
        assert_non_null(strstr(d.what, "no live ranges"));
        free(t.text);
    }
    sample_free(&s);
}

/* A page has a bound: so many buffers, columns and loops, whatever the program. */
static void page_is_bounded(void **state)
{
    (void)state;
    for (int kind = SAMPLE_HUGE; kind <= SAMPLE_ALIVE; kind++) {
        struct sample s;
        struct text_file t;
        struct diag d;
        sample_make(&s, (enum sample_kind)kind);
        struct report r = {.program = &s.program};
        text_open(&t);
        assert_true(export_write(&r, EXPORT_HTML, EXPORT_BOTH, t.to, &d));
        fclose(t.to);
        assert_true(t.size > 100000 && t.size < 2000000);
        assert_non_null(strstr(t.text, "\"rest\":95000"));
        free(t.text);
        sample_free(&s);
    }
}

/* ---- The shipped cells ---- */

static struct dump grid;

static uint32_t count(const char *text, const char *word)
{
    uint32_t n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

static void check_json(const struct report *r, const char *text)
{
    cJSON *j = cJSON_Parse(text);
    const cJSON *m = cJSON_GetArrayItem(cJSON_GetObjectItem(j, "modules"), 0);
    assert_string_equal(cJSON_GetObjectItem(j, "command")->valuestring, "export");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(m, "all_values")), r->program->n);
    assert_non_null(cJSON_GetObjectItem(m, "peak"));
    cJSON_Delete(j);
}

static bool is_alive(const struct pack_problem *p, const struct pack_buffer *b, uint64_t at)
{
    bool alive = b->lower <= at && at < b->upper;
    for (uint32_t k = 0; k < b->gaps.n; k++) {
        const struct pack_range *gap = &p->gaps[b->gaps.first + k];
        alive = alive && !(gap->lower <= at && at < gap->upper);
    }
    return alive;
}

static uint64_t load_of(const struct pack_problem *p, uint32_t steps)
{
    uint64_t most = 0;
    for (uint32_t at = 0; at <= steps; at++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < p->n; k++)
            sum += is_alive(p, &p->buffers[k], at) ? p->buffers[k].size : 0;
        most = sum > most ? sum : most;
    }
    return most;
}

/* What was exported is read back and packed: it needs what the report says, and fits what is reserved. */
static void check_packing(const struct report *r, const char *text, size_t size)
{
    struct arena a = {0};
    struct file f = {"export", text, size};
    struct minimalloc m;
    struct pack_result packed;
    struct pack_options o = {.seconds = 0.01};
    struct diag d;
    uint64_t temp = 0;
    assert_true(minimalloc_read(&a, &m, &f, &d));
    struct pack_problem p = minimalloc_problem(&m);
    assert_true(pack_check(&p, &d));
    pack_solve(&a, &p, &o, &packed);
    for (uint32_t k = 0; k < r->n_spaces; k++)
        temp += r->spaces[k].main ? r->spaces[k].temp : 0;
    assert_true(r->has_bound);
    assert_true(load_of(&p, r->program->steps) == r->bound);
    assert_true(packed.lower_bound >= r->bound); /* it may prove more */
    assert_true(packed.height <= temp);
    arena_free(&a);
}

static void check_form(const struct report *r, enum export_format format)
{
    struct text_file t;
    struct diag d;
    text_open(&t);
    assert_true(export_write(r, format, EXPORT_BOTH, t.to, &d));
    fclose(t.to);
    assert_true(strlen(t.text) == t.size);
    if (format == EXPORT_CSV)
        assert_int_equal(count(t.text, "\r\n"), r->program->n + 1);
    if (format == EXPORT_JSON)
        check_json(r, t.text);
    if (format == EXPORT_MINIMALLOC)
        check_packing(r, t.text, t.size);
    if (format == EXPORT_SVG)
        assert_int_equal(count(t.text, "://"), 1); /* the namespace */
    if (format == EXPORT_HTML) {
        assert_int_equal(count(t.text, "://"), 0);
        assert_int_equal(count(t.text, "</script>"), 2);
        assert_null(strstr(t.text, "@DATA@"));
        assert_null(strstr(t.text, "@SCRIPT@"));
    }
    free(t.text);
}

static void check_cell(void **state)
{
    const struct dump_entry *e = *state;
    struct module m;
    struct program p;
    struct report r;
    struct diag d;
    struct report_options o = {.top = 10};
    uint32_t entry = (uint32_t)(e - dump_entry(&grid, 0));
    assert_true(dump_load(&grid, entry, FORM_ANY, &m, &d) && program_build(&p, &m, &d));
    report_make(&r, &p, &o);
    for (int format = EXPORT_SVG; format <= EXPORT_MINIMALLOC; format++)
        check_form(&r, (enum export_format)format);
    report_free(&r);
    program_free(&p);
    module_free(&m);
}

enum { TEXTS = sizeof texts / sizeof *texts, DRAWINGS = sizeof drawings / sizeof *drawings };

int main(void)
{
    struct diag d;
    static struct CMUnitTest tests[TEXTS + DRAWINGS + 200] = {
        cmocka_unit_test(small_ones_are_summed),
        cmocka_unit_test(nothing_to_draw),
        cmocka_unit_test(page_is_bounded),
    };
    int n = 3;
    for (int k = 0; k < TEXTS; k++)
        tests[n++] = (struct CMUnitTest){.name = texts[k].name, .test_func = check_text, .initial_state = (void *)&texts[k]};
    for (int k = 0; k < DRAWINGS; k++)
        tests[n++] = (struct CMUnitTest){.name = drawings[k].name, .test_func = check_drawing,
                                     .initial_state = (void *)&drawings[k]};
    if (!dump_find(&grid, "fixtures/grid", &d) || grid.entries.n > 190)
        return 1;
    for (uint32_t k = 0; k < grid.entries.n; k++) {
        struct dump_entry *e = dump_entry(&grid, k);
        tests[n++] = (struct CMUnitTest){.name = e->dir, .test_func = check_cell, .initial_state = e};
    }
    int failed = _cmocka_run_group_tests("export", tests, (size_t)n, NULL, NULL);
    dump_free(&grid);
    return failed;
}
