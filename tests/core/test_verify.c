/* The rerun against the dump's own live ranges. */
#include "core/analysis/place/verify.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"

/* ---- The two shipped dumps with text ---- */

struct cell_case {
    const char *name, *dir;
    enum dump_form form;
    uint32_t ranges;
};

#define SCAN   "fixtures/grid/a100-d1048576-s4-u1"
#define UNROLL "fixtures/grid/a100-d1048576-s4-ufull"

static const struct cell_case cells[] = {
    {"the scan, as it is opened", SCAN, FORM_ANY, 79},
    {"the scan, from its proto", SCAN, FORM_PROTO, 79},
    {"the scan, from its text", SCAN, FORM_TEXT, 79},
    {"the unrolled scan, as it is opened", UNROLL, FORM_ANY, 60},
    {"the unrolled scan, from its proto", UNROLL, FORM_PROTO, 60},
    {"the unrolled scan, from its text", UNROLL, FORM_TEXT, 60},
};

struct loaded {
    struct module m;
    struct program p;
    struct verify v;
};

static void load(struct loaded *l, const char *dir, enum dump_form form)
{
    struct dump d;
    struct diag why;
    assert_true(dump_find(&d, dir, &why));
    assert_int_equal(d.entries.n, 1);
    assert_true(dump_load(&d, 0, form, &l->m, &why));
    dump_free(&d);
    assert_true(program_build(&l->p, &l->m, &why));
}

static void unload(struct loaded *l)
{
    program_free(&l->p);
    module_free(&l->m);
}

static void exact(void **state)
{
    const struct cell_case *c = *state;
    struct loaded l;
    load(&l, c->dir, c->form);
    verify_program(&l.v, &l.p);
    struct verify v = l.v;
    uint32_t ranges = l.m.assignment.ranges.n;
    char file[512];
    snprintf(file, sizeof file, "%s", v.against ? v.against : "none");
    verify_free(&l.v);
    unload(&l);
    assert_int_equal(v.agrees, AGREES_YES);
    assert_true(v.has_live);
    assert_null(v.why_not);
    assert_int_equal(v.total, c->ranges);
    assert_int_equal(v.exact, c->ranges);
    assert_int_equal(ranges, c->ranges);
    assert_int_equal(v.mismatches.n, 0);
    assert_non_null(strstr(file, "after_optimizations-live-range.txt"));
}

/* ---- One range is not as it was ---- */

static struct claimed_range *claim(struct loaded *l, uint32_t k)
{
    return (struct claimed_range *)l->m.assignment.ranges.items + k;
}

/* The value's name with its path, as a mismatch has it. */
static void name_of(struct loaded *l, uint32_t k, char *out, size_t size)
{
    const struct claimed_range *r = claim(l, k);
    size_t used = (size_t)snprintf(out, size, "%s{", r->name);
    for (uint32_t i = 0; i < r->path.n; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? "," : "",
                                 (long long)assignment_path(&l->m.assignment, r->path)[i]);
    snprintf(out + used, size - used, "}");
}

struct expected {
    uint32_t total, exact;
    struct verify_range dump, rerun;
};

static void expect(struct loaded *l, const char *value, const struct expected *want)
{
    verify_program(&l->v, &l->p);
    assert_int_equal(l->v.agrees, AGREES_NO);
    assert_int_equal(l->v.total, want->total);
    assert_int_equal(l->v.exact, want->exact);
    assert_int_equal(l->v.mismatches.n, 1);
    const struct verify_mismatch *m = l->v.mismatches.items;
    assert_string_equal(m->value, value);
    assert_int_equal(m->dump.known, want->dump.known);
    assert_int_equal(m->dump.start, want->dump.start);
    assert_int_equal(m->dump.end, want->dump.end);
    assert_int_equal(m->rerun.known, want->rerun.known);
    assert_int_equal(m->rerun.start, want->rerun.start);
    assert_int_equal(m->rerun.end, want->rerun.end);
    verify_free(&l->v);
}

static struct verify_range as_known(const struct claimed_range *r)
{
    return (struct verify_range){true, r->start, r->end};
}

static void changed(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, SCAN, FORM_ANY);
    for (uint32_t k = 0; k < l.m.assignment.ranges.n; k++)
        for (int which = 0; which < 2; which++) {
            char value[128];
            struct claimed_range was = *claim(&l, k);
            name_of(&l, k, value, sizeof value);
            *(which ? &claim(&l, k)->end : &claim(&l, k)->start) += 1;
            expect(&l, value, &(struct expected){79, 78, as_known(claim(&l, k)), as_known(&was)});
            *claim(&l, k) = was;
        }
    unload(&l);
}

static void missing(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, SCAN, FORM_TEXT);
    uint32_t n = l.m.assignment.ranges.n;
    for (uint32_t k = 0; k < n; k++) {
        char value[128];
        struct claimed_range was = *claim(&l, k);
        name_of(&l, k, value, sizeof value);
        *claim(&l, k) = *claim(&l, n - 1);
        *claim(&l, n - 1) = was;
        l.m.assignment.ranges.n = n - 1;
        expect(&l, value, &(struct expected){79, 78, {false, 0, 0}, as_known(&was)});
        l.m.assignment.ranges.n = n;
    }
    unload(&l);
}

static void extra(void **state)
{
    (void)state;
    static const char *const names[] = {"aaa", "loop_multiply_fusio", "while.16.9", "zzz"};
    struct loaded l;
    load(&l, SCAN, FORM_PROTO);
    struct claimed_range *r =
        list_add(l.m.assignment.arena, &l.m.assignment.ranges, sizeof *r);
    for (size_t k = 0; k < COUNT(names); k++) {
        char value[64];
        *r = (struct claimed_range){.name = names[k], .start = 3, .end = 5};
        snprintf(value, sizeof value, "%s{}", names[k]);
        expect(&l, value, &(struct expected){80, 79, {true, 3, 5}, {false, 0, 0}});
    }
    unload(&l);
}

/* ---- Modules by hand ---- */

static void read_program(struct module *m, const char *header)
{
    struct diag d;
    *m = (struct module){.name = "m", .platform = PLATFORM_GPU, .has_hlo = true};
    char *text = arena_printf(&m->arena, "HloModule m%s\n\nENTRY e {\n x = f32[2] parameter(0)\n"
                                         " a = f32[2] negate(x)\n"
                                         " ROOT t = (f32[2], f32[2]) tuple(a, x)\n}\n",
                              header);
    struct file f = {"x.txt", text, strlen(text)};
    hlo_init(&m->hlo, &m->arena, f.name);
    m->assignment.arena = &m->arena;
    assert_true(hlo_text_read(&m->hlo, &f, &d));
}

static void add_range(struct module *m, const char *name, uint32_t start, uint32_t end)
{
    struct claimed_range *r = list_add(&m->arena, &m->assignment.ranges, sizeof *r);
    *r = (struct claimed_range){.name = name, .start = start, .end = end};
    m->assignment.ranges_file = "x-live-range.txt";
}

static void verified(struct loaded *l)
{
    struct diag why;
    assert_true(program_build(&l->p, &l->m, &why));
    verify_program(&l->v, &l->p);
}

static void forget(struct loaded *l)
{
    verify_free(&l->v);
    program_free(&l->p);
    arena_free(&l->m.arena);
}

/* The ranges need no buffer assignment beside them. */
static void ranges_alone(void **state)
{
    (void)state;
    struct loaded l;
    read_program(&l.m, ", is_scheduled=true");
    add_range(&l.m, "t", 2, 3);
    add_range(&l.m, "a", 1, 3);
    add_range(&l.m, "x", 0, 3);
    verified(&l);
    assert_int_equal(l.v.agrees, AGREES_YES);
    assert_int_equal(l.v.total, 3);
    assert_string_equal(l.v.against, "x-live-range.txt");
    forget(&l);
}

static void several(void **state)
{
    (void)state;
    static const char *const want[] = {"a{}", "t{}", "u{}", "x{}"};
    struct loaded l;
    read_program(&l.m, ", is_scheduled=true");
    add_range(&l.m, "x", 0, 2);
    add_range(&l.m, "u", 1, 1);
    add_range(&l.m, "t", 0, 3);
    verified(&l);
    assert_int_equal(l.v.agrees, AGREES_NO);
    assert_int_equal(l.v.total, 4);
    assert_int_equal(l.v.exact, 0);
    assert_int_equal(l.v.mismatches.n, COUNT(want));
    for (size_t k = 0; k < COUNT(want); k++)
        assert_string_equal(((struct verify_mismatch *)l.v.mismatches.items)[k].value, want[k]);
    forget(&l);
}

struct nothing_case {
    const char *name, *header;
    bool has_hlo, ranges;
    const char *want;
};

static const struct nothing_case nothing[] = {
    {"no HLO", ", is_scheduled=true", false, true, "no HLO in the dump to rerun from"},
    {"neither HLO nor ranges", ", is_scheduled=true", false, false,
     "no HLO in the dump to rerun from"},
    {"no schedule", "", true, true, "the program has no schedule"},
    {"no ranges", ", is_scheduled=true", true, false,
     "the dump has no live ranges (its -live-range.txt or -buffer-assignment.txt)"},
};

static void unknown(void **state)
{
    const struct nothing_case *c = *state;
    struct loaded l;
    read_program(&l.m, c->header);
    l.m.has_hlo = c->has_hlo;
    l.m.has_assignment = true;
    if (c->ranges)
        add_range(&l.m, "x", 0, 3);
    verified(&l);
    assert_int_equal(l.v.agrees, AGREES_UNKNOWN);
    assert_false(l.v.has_live);
    assert_int_equal(l.v.total, 0);
    assert_int_equal(l.v.mismatches.n, 0);
    assert_null(l.v.against);
    assert_string_equal(l.v.why_not, c->want);
    forget(&l);
}

static const struct CMUnitTest others[] = {
    {.name = "a changed range is one mismatch", .test_func = changed},
    {.name = "a missing range is one mismatch", .test_func = missing},
    {.name = "an extra range is one mismatch", .test_func = extra},
    {.name = "ranges without a buffer assignment are compared", .test_func = ranges_alone},
    {.name = "mismatches stand by name", .test_func = several},
};

int main(void)
{
    struct CMUnitTest tests[COUNT(cells) + COUNT(nothing) + COUNT(others)] = {{0}};
    size_t n = 0;
    ADD_TABLE(cells, exact, name);
    for (size_t i = 0; i < COUNT(others); i++)
        tests[n++] = others[i];
    ADD_TABLE(nothing, unknown, name);
    return _cmocka_run_group_tests("verify", tests, n, NULL, NULL);
}
