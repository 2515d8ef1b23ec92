/* What-ifs on the shipped grid: every cell is predicted from every rolled one of its target and width,
 * and every label's promise is kept. */
#include "core/analysis/whatif/whatif.h"
#include "core/load/dump/module.h"
#include "tests/corpus/promise.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/tables.h"

#include <dirent.h>

struct cell {
    char name[80], kind[60]; /* "a100-d1048576-s4-u2", "a100-d1048576" */
    int64_t seqlen, unroll;
    struct dump dump;
    struct module module;
    struct program program;
};

static struct cell *cells;
static int n_cells;

static bool read_name(struct cell *c, const char *name)
{
    const char *s = strstr(name, "-s"), *u = s ? strstr(s, "-u") : NULL;
    if (!u || strlen(name) >= sizeof c->name || (size_t)(s - name) >= sizeof c->kind)
        return false;
    memcpy(c->name, name, strlen(name) + 1);
    snprintf(c->kind, sizeof c->kind, "%.*s", (int)(s - name), name);
    c->seqlen = strtoll(s + 2, NULL, 10);
    c->unroll = strcmp(u, "-ufull") == 0 ? WHATIF_FULL : strtoll(u + 2, NULL, 10);
    return c->seqlen > 0 && c->unroll > 0;
}

static void load(struct cell *c)
{
    struct diag d;
    char dir[200], line[1200];
    snprintf(dir, sizeof dir, "fixtures/grid/%s", c->name);
    if (!dump_find(&c->dump, dir, &d) || !dump_load(&c->dump, 0, FORM_ANY, &c->module, &d) ||
        !program_build(&c->program, &c->module, &d)) {
        printf("%s\n", diag_text(&d, line, sizeof line));
        exit(1);
    }
}

static void load_all(void)
{
    struct dirent **names;
    int n = scandir("fixtures/grid", &names, NULL, alphasort);
    cells = calloc(n > 0 ? (size_t)n : 1, sizeof *cells);
    for (int k = 0; k < n; k++) {
        if (read_name(&cells[n_cells], names[k]->d_name))
            load(&cells[n_cells++]);
        free(names[k]);
    }
    if (n >= 0)
        free(names);
}

static void unload_all(void)
{
    for (int k = 0; k < n_cells; k++) {
        program_free(&cells[k].program);
        module_free(&cells[k].module);
        dump_free(&cells[k].dump);
    }
    free(cells);
}

static struct cell *find(const char *name)
{
    for (int k = 0; k < n_cells; k++)
        if (strcmp(cells[k].name, name) == 0)
            return &cells[k];
    fail_msg("no cell %s", name);
    return NULL;
}

static void build(struct whatif *w, const struct cell *from, int64_t seqlen, int64_t unroll)
{
    struct whatif_ask ask = {.seqlen = seqlen, .unroll = unroll};
    struct diag d;
    char line[1200];
    if (!whatif_build(w, &from->program, &ask, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

/* ---- Promises ---- */

static void check_cell(void **state)
{
    const struct cell *to = *state;
    int broken = 0, asked = 0;
    for (int k = 0; k < n_cells; k++) {
        const struct cell *from = &cells[k];
        struct whatif w;
        if (from == to || from->unroll != 1 || strcmp(from->kind, to->kind) != 0)
            continue;
        if (to->unroll != 1 && from->seqlen != to->seqlen && from->seqlen != 2)
            continue; /* unrolling takes longer: from its own length, and from the shortest */
        build(&w, from, to->seqlen, to->unroll);
        const struct totals *t = &to->program.totals;
        if (!promise_kept(&w, t)) {
            print_message("from %s: %s, output + temp %llu in [%llu, %llu], compiled %llu: %s\n", from->name,
                          whatif_method_name(w.method), (unsigned long long)w.totals.output + w.totals.temp,
                          (unsigned long long)w.low, (unsigned long long)w.high,
                          (unsigned long long)t->output + t->temp, w.note);
            broken++;
        }
        assert_true(strlen(w.note) > 10);
        whatif_free(&w);
        asked++;
    }
    assert_true(asked > 0);
    assert_int_equal(broken, 0);
}

/* ---- Labels ---- */

static const struct label {
    const char *name, *from;
    int64_t seqlen, unroll;
    enum whatif_method method;
    const char *note; /* part of it */
} labels[] = {
    {"2 to 3 steps on an A100", "a100-d1048576-s2-u1", 3, 1, WHATIF_EXACT, "step by step"},
    {"2 to 4 steps on an A100", "a100-d1048576-s2-u1", 4, 1, WHATIF_EXACT, "step by step"},
    {"2 to 5 steps on an A100", "a100-d1048576-s2-u1", 5, 1, WHATIF_EXACT, "step by step"},
    {"2 to 6 steps on an A100", "a100-d1048576-s2-u1", 6, 1, WHATIF_EXACT, "step by step"},
    {"2 to 7 steps on an A100", "a100-d1048576-s2-u1", 7, 1, WHATIF_EXACT, "step by step"},
    {"2 to 8 steps on an A100", "a100-d1048576-s2-u1", 8, 1, WHATIF_EXACT, "step by step"},
    {"2 to 8 steps of a narrow model on an A100", "a100-d16384-s2-u1", 8, 1, WHATIF_EXACT, "step"},
    {"2 to 8 steps on a CPU", "cpu-d256-s2-u1", 8, 1, WHATIF_EXACT, "step by step"},
    {"the program as it is", "a100-d1048576-s4-u1", 4, 1, WHATIF_EXACT, "what was compiled"},
    {"an unrolled program as it is", "a100-d1048576-s4-u2", 4, 2, WHATIF_EXACT, "what was compiled"},
    {"a TPU's small values move", "tpu-v5e-d262144-s2-u1", 8, 1, WHATIF_ESTIMATE, "on-chip"},
    {"above the device's memory nothing is exact", "a100-d1048576-s8-u1", 16, 1, WHATIF_ESTIMATE,
     "above 60.43 GiB"},
    {"200 times the device's memory", "a100-d1048576-s2-u1", 4000, 1, WHATIF_ESTIMATE, "above 60.43 GiB"},
    {"stacks larger than can be counted", "a100-d1048576-s2-u1", 20000, 1, WHATIF_UNKNOWN, "16 TiB"},
    {"long stacks on a CPU", "cpu-d256-s2-u1", 16000000, 1, WHATIF_EXACT, "step by step"},
    {"stacks larger than can be counted on a CPU", "cpu-d256-s2-u1", 20000000, 1, WHATIF_UNKNOWN, "16 TiB"},
    {"from a program that was short of memory", "a100-d1048576-s16-u1", 4, 1, WHATIF_UNKNOWN,
     "short of memory"},
    {"a length that no program has", "a100-d1048576-s2-u1", INT64_MAX - 1, 1, WHATIF_UNKNOWN, "64 bits"},
    {"4 to 8 steps, two an iteration", "a100-d1048576-s4-u2", 8, 2, WHATIF_ESTIMATE, "several steps"},
    {"5 steps, two an iteration", "a100-d1048576-s4-u2", 5, 2, WHATIF_UNKNOWN, "no multiple"},
    {"steps an iteration that do not divide", "a100-d1048576-s4-u1", 5, 2, WHATIF_UNKNOWN, "divide"},
    {"unrolled otherwise than it is", "a100-d1048576-s4-u2", 4, 1, WHATIF_UNKNOWN, "unrolled already"},
};

static void check_label(void **state)
{
    const struct label *l = *state;
    struct whatif w;
    build(&w, find(l->from), l->seqlen, l->unroll);
    if (w.method != l->method || !strstr(w.note, l->note))
        fail_msg("%s: %s", whatif_method_name(w.method), w.note);
    assert_int_equal(w.has_program, l->method != WHATIF_UNKNOWN);
    whatif_free(&w);
}

/* --limit takes the place of the device's memory. */
static void limit_is_heard(void **state)
{
    (void)state;
    struct whatif w;
    struct diag d;
    struct whatif_ask ask = {.seqlen = 8, .limit = (uint64_t)50 << 30};
    assert_true(whatif_build(&w, &find("a100-d1048576-s4-u1")->program, &ask, &d));
    assert_int_equal(w.method, WHATIF_ESTIMATE);
    assert_non_null(strstr(w.note, "above 38.20 GiB"));
    whatif_free(&w);
}

static void refuses_other_scans(void **state)
{
    (void)state;
    struct whatif w;
    struct diag d;
    struct whatif_ask ask = {.scan = 1, .seqlen = 8};
    assert_false(whatif_build(&w, &find("a100-d1048576-s4-u1")->program, &ask, &d));
    ask = (struct whatif_ask){.seqlen = -3};
    assert_false(whatif_build(&w, &find("a100-d1048576-s4-u1")->program, &ask, &d));
    ask = (struct whatif_ask){.seqlen = 8};
    assert_false(whatif_build(&w, &find("a100-d1048576-s4-ufull")->program, &ask, &d));
}

/* ---- Scans ---- */

static void finds_the_scan(void **state)
{
    (void)state;
    struct arena a = {0};
    const struct program *p = &find("a100-d1048576-s4-u1")->program;
    struct list scans = whatif_scans(p, &a);
    assert_int_equal(scans.n, 1);
    const struct whatif_scan *s = scans.items;
    assert_string_equal(p->loops.items[s->forward].name, "while.16");
    assert_string_equal(p->loops.items[s->backward].name, "while");
    assert_int_equal(s->seqlen, 4);
    assert_int_equal(s->unroll, 1);
    assert_true(s->stack_bytes > (uint64_t)16 << 30 && s->stack_bytes < (uint64_t)17 << 30);
    scans = whatif_scans(&find("a100-d1048576-s8-u2")->program, &a);
    s = scans.items;
    assert_int_equal(s->seqlen, 8);
    assert_int_equal(s->unroll, 2);
    assert_int_equal(s->slots, 4);
    assert_int_equal(whatif_scans(&find("a100-d1048576-s4-ufull")->program, &a).n, 0);
    arena_free(&a);
}

/* ---- The program that comes out ---- */

/* Resized, it is the one that was compiled at that length: buffer by buffer, step by step. */
static void is_the_compiled_program(void **state)
{
    (void)state;
    struct whatif w;
    const struct program *truth = &find("a100-d1048576-s7-u1")->program, *p = &w.program;
    build(&w, find("a100-d1048576-s2-u1"), 7, 1);
    assert_ptr_equal(p->module, &w.module);
    assert_int_equal(p->n, truth->n);
    assert_int_equal(p->steps, truth->steps);
    assert_int_equal(p->peak, truth->peak);
    for (uint32_t s = 0; s <= p->steps; s++)
        assert_true(p->live[s] == truth->live[s]);
    for (buf_id b = 0; b < p->n; b++)
        assert_true(p->size[b] == truth->size[b] && p->offset[b] == truth->offset[b]);
    assert_int_equal(p->loops.n, 2);
    for (uint32_t k = 0; k < 2; k++) {
        const struct loop *ours = &p->loops.items[k], *theirs = &truth->loops.items[k];
        assert_int_equal(ours->trip_count, 7);
        assert_int_equal(ours->stacks.n, theirs->stacks.n);
        for (uint32_t s = 0; s < ours->stacks.n; s++) {
            const struct loop_stack *a = &p->loops.stacks[ours->stacks.first + s];
            const struct loop_stack *b = &truth->loops.stacks[theirs->stacks.first + s];
            assert_true(a->bytes == b->bytes && a->first == b->first && a->stride == b->stride);
            assert_true(a->slots == b->slots && a->regular == b->regular && a->access == b->access);
        }
    }
    whatif_free(&w);
}

/* Where XLA keeps no count in the config, the condition and the indices say it. */
static void counts_by_the_condition(void **state)
{
    (void)state;
    struct whatif w;
    build(&w, find("tpu-v5e-d262144-s2-u1"), 8, 1);
    for (uint32_t k = 0; k < w.program.loops.n; k++) {
        assert_int_equal(w.program.loops.items[k].trip_count, 8);
        assert_int_equal(w.program.loops.items[k].trips_from, TRIPS_CONDITION);
    }
    whatif_free(&w);
}

int main(void)
{
    load_all();
    struct CMUnitTest *tests = calloc(5 + COUNT(labels) + (size_t)n_cells, sizeof *tests);
    size_t n = 0;
    ADD(limit_is_heard);
    ADD(refuses_other_scans);
    ADD(finds_the_scan);
    ADD(is_the_compiled_program);
    ADD(counts_by_the_condition);
    ADD_TABLE(labels, check_label, name);
    for (int k = 0; k < n_cells; k++)
        tests[n++] = (struct CMUnitTest){cells[k].name, check_cell, NULL, NULL, &cells[k]};
    int failed = _cmocka_run_group_tests("whatif", tests, n, NULL, NULL);
    free(tests);
    unload_all();
    return failed;
}
