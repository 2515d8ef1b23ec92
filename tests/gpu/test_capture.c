/* What a run captures, step by step, against what follows from the program by other means; traces
 * written and read again, refused where they are broken or another program's. */
#include "core/analysis/measured/overlay.h"
#include "core/analysis/measured/measured_file.h"
#include "gpu/capture_json.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ran {
    struct dump dump;
    struct module module;
    struct program program;
    struct run *run;
    struct exec_result x;
    /* the same, as a trace has it */
    struct arena arena;
    struct measured m;
    char *text;
};

static void run_cell(struct ran *o, const char *cell, const struct exec_options *options)
{
    char path[256], why[1400];
    struct diag d;
    struct list modules;
    *o = (struct ran){0};
    snprintf(path, sizeof path, "fixtures/grid/%s", cell);
    assert_true(dump_find(&o->dump, path, &d));
    assert_true(dump_load(&o->dump, 0, FORM_ANY, &o->module, &d));
    assert_true(program_build(&o->program, &o->module, &d));
    o->run = exec_open(&o->program, options, &d);
    assert_non_null(o->run);
    assert_true(exec_run(o->run, &o->x, &d));
    cJSON *document = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(document, "modules");
    cJSON_AddStringToObject(document, "schema", "tidemark/1");
    cJSON_AddStringToObject(document, "command", "run");
    cJSON_AddItemToArray(list, capture_json(&o->program, &o->x, "host", "2 cores"));
    o->text = cJSON_PrintUnformatted(document);
    cJSON_Delete(document);
    struct file f = {"trace", o->text, strlen(o->text)};
    if (!measured_read(&o->arena, &f, &modules, &d))
        fail_msg("%s", diag_text(&d, why, sizeof why));
    assert_int_equal(modules.n, 1);
    o->m = *(struct measured *)modules.items;
}

static void forget(struct ran *o)
{
    exec_close(o->run);
    arena_free(&o->arena);
    cJSON_free(o->text);
    program_free(&o->program);
    module_free(&o->module);
    dump_free(&o->dump);
}

/* ---- Against the program ---- */

/* Bytes alive at a step, byte by byte. */
static uint64_t naive_live(const struct program *p, uint32_t step)
{
    const struct assignment *as = &p->module->assignment;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < as->allocs.n; k++) {
        uint64_t size = assignment_alloc(as, k)->size;
        unsigned char *taken = calloc(1, size + 1);
        for (buf_id b = 0; b < p->n; b++)
            if (p->alloc[b] == k && p->main[b] && p->start[b] <= step && step <= p->end[b])
                memset(taken + p->offset[b], 1, p->size[b]);
        for (uint64_t n = 0; n < size; n++)
            sum += taken[n];
        free(taken);
    }
    return sum;
}

/* What an allocator holds that gives each alias set of temporaries a block of its own, of 256 bytes. */
static uint64_t naive_dynamic(const struct program *p, uint32_t step)
{
    const struct assignment *as = &p->module->assignment;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < as->allocs.n; k++) {
        const struct allocation *a = assignment_alloc(as, k);
        sum += a->flags & ALLOC_THREAD_LOCAL || allocation_is_temp(a) ? 0 : a->size;
    }
    for (value_id set = 0; set < p->dataflow.n; set++) {
        uint64_t most = 0;
        bool alive = false;
        for (buf_id b = 0; b < p->n; b++) {
            if (p->dataflow.set[p->value[b]] != set || !allocation_is_temp(assignment_alloc(as, p->alloc[b])))
                continue;
            most = p->size[b] > most ? p->size[b] : most;
            alive = alive || (p->start[b] <= step && step <= p->end[b]);
        }
        sum += alive ? (most + 255) / 256 * 256 : 0;
    }
    return sum;
}

struct cell {
    const char *name, *cell;
    uint64_t touched_temp; /* EXEC's measurements of the same cells */
};
static const struct cell cells[] = {
    {"2 steps, rolled", "cpu-d256-s2-u1", 4215956},
    {"3 steps, by twos", "cpu-d256-s3-u2", 0},
    {"4 steps, rolled", "cpu-d256-s4-u1", 6329500},
    {"4 steps, by twos", "cpu-d256-s4-u2", 7378096},
    {"4 steps, unrolled", "cpu-d256-s4-ufull", 3154964},
    {"8 steps, rolled", "cpu-d256-s8-u1", 10556588},
};

static void every_step_is_as_the_program_says(void **state)
{
    const struct cell *c = *state;
    struct exec_options options = {.dynamic = true};
    struct ran o;
    struct timeline t;
    struct overlay over;
    unsigned checked = 0;
    run_cell(&o, c->cell, &options);
    timeline_build(&t, &o.program);
    overlay_build(&over, &o.m, &t);
    assert_int_equal(o.x.n_steps, o.x.steps_run);
    for (uint32_t k = 0; k < o.m.n_steps; k++) {
        const struct measured_step *s = &o.m.steps[k];
        assert_int_equal(s->number, k);
        assert_string_equal(s->instruction, o.program.step_name[s->step]);
        assert_int_equal(s->live, naive_live(&o.program, s->step));
        assert_int_equal(s->dynamic, naive_dynamic(&o.program, s->step));
        assert_true(s->held <= s->live);
        assert_true(k == 0 || s->touched >= o.m.steps[k - 1].touched);
    }
    /* the model of what stacks hold, which is made of loops and not of bytes */
    for (uint64_t at = 0; at + 1 < t.moments; at++) {
        bool exact;
        const struct measured_step *s = overlay_at(&over, at, &exact);
        if (!s || !exact)
            fail_msg("nothing was recorded at moment %llu", (unsigned long long)at);
        if (s->held != timeline_filled(&t, at))
            fail_msg("at moment %llu, step %u: held %llu, modelled %llu", (unsigned long long)at, s->step,
                     (unsigned long long)s->held, (unsigned long long)timeline_filled(&t, at));
        checked++;
    }
    assert_true(checked > 40);
    if (c->touched_temp)
        assert_int_equal(o.m.touched_temp, c->touched_temp);
    assert_int_equal(o.m.touched, o.m.steps[o.m.n_steps - 1].touched);
    overlay_free(&over);
    timeline_free(&t);
    forget(&o);
}

/* Slots at the last record of each iteration of the rolled scan of four steps. */
static void stacks_fill_and_drain(void **state)
{
    static const int64_t want[] = {1, 2, 3, 4, 3, 2, 1, 0};
    struct exec_options options = {.guards = GUARDS_OFF};
    struct ran o;
    struct timeline t;
    struct overlay over;
    struct overlay_row *rows;
    uint32_t n = 0;
    (void)state;
    run_cell(&o, "cpu-d256-s4-u1", &options);
    timeline_build(&t, &o.program);
    overlay_build(&over, &o.m, &t);
    uint32_t all = overlay_rows(&over, &o.arena, &rows);
    for (uint32_t k = 0; k < all; k++)
        if (rows[k].loop != LOOP_NONE) {
            assert_int_equal(rows[k].filled, want[n]);
            assert_int_equal(rows[k].iteration, n % 4);
            assert_true(rows[k].dynamic == MEASURED_UNKNOWN); /* no second run was asked for */
            n++;
        }
    assert_int_equal(n, 8);
    for (uint32_t k = 1; k < o.m.n_steps; k++) /* pages that are there stay */
        assert_true(o.m.steps[k].resident >= o.m.steps[k - 1].resident);
    assert_true(o.m.resident >= o.m.touched);
    overlay_free(&over);
    timeline_free(&t);
    forget(&o);
}

/* ---- Long runs ---- */

static const struct thinned {
    const char *name;
    uint32_t most;
    bool whole; /* each iteration keeps its last record */
} thinned[] = {
    {"a long run keeps the end of every iteration", 64, true},
    {"a very long one those of some", 16, false},
};

static void long_runs_are_thinned(void **state)
{
    const struct thinned *c = *state;
    struct exec_options all = {.dynamic = true}, few = {.dynamic = true, .steps_most = c->most};
    struct ran whole, part;
    run_cell(&whole, "cpu-d256-s8-u1", &all);
    run_cell(&part, "cpu-d256-s8-u1", &few);
    assert_true(part.m.n_steps <= c->most && part.m.n_steps >= c->most / 4);
    assert_int_equal(part.m.steps_run, whole.m.n_steps);
    assert_true(part.m.every_step > 1);
    assert_int_equal(part.m.every_iteration == 1, c->whole);
    bool peak = false;
    for (uint32_t k = 0; k < part.m.n_steps; k++) { /* what is kept is the same to the byte */
        const struct measured_step *a = &part.m.steps[k], *b = &whole.m.steps[a->number];
        assert_true(a->step == b->step && a->live == b->live && a->held == b->held && a->touched == b->touched &&
                    a->dynamic == b->dynamic && a->n_loops == b->n_loops);
        for (uint32_t i = 0; i < part.m.n_stacks; i++)
            assert_int_equal(a->filled[i], b->filled[i]);
        peak = peak || a->live == part.x.live_most;
    }
    assert_true(peak);
    unsigned ends = 0;
    for (uint32_t k = 0; k < part.x.n_steps; k++)
        ends += part.x.steps[k].ends > 0;
    assert_true(c->whole ? ends == 18 : ends < 18); /* 8 and 8, and the two last tests of conditions */
    forget(&whole);
    forget(&part);
}

/* ---- Traces ---- */

static void a_trace_says_what_was_measured(void **state)
{
    struct exec_options options = {.dynamic = true, .inputs = "fixtures/io/d256-s2", .expect = "fixtures/io/d256-s2"};
    struct ran o;
    struct diag d;
    (void)state;
    run_cell(&o, "cpu-d256-s2-u1", &options);
    assert_true(measured_fits(&o.m, &o.program, "t", &d));
    assert_int_equal(o.m.planned, o.x.planned);
    assert_int_equal(o.m.planned_temp, o.x.temp_planned);
    assert_int_equal(o.m.touched, o.x.touched);
    assert_int_equal(o.m.pool_high, o.x.pool_high);
    assert_true(o.m.device_delta == MEASURED_UNKNOWN && o.m.xla_peak == MEASURED_UNKNOWN);
    assert_true(o.m.guarded && o.m.checks == o.x.checks && o.m.violations == 0 && !o.m.violation && o.m.computed);
    assert_int_equal(o.m.executed, o.x.executed);
    assert_int_equal(o.m.n_outputs, 2);
    assert_string_equal(o.m.outputs[1].name, "w2");
    assert_string_equal(o.m.outputs[1].against, "float64");
    assert_true(o.m.outputs[1].max_rel == o.x.outputs[1].max_rel);
    assert_int_equal(o.m.n_stacks, 4);
    forget(&o);
}

struct edit {
    const char *name, *from, *to, *says;
};
static const struct edit edits[] = {
    {"no JSON", "{", "[", "is no trace: no JSON"},
    {"another schema", "tidemark/1", "tidemark/2", "not what tidemark run saves"},
    {"another command", "\"command\":\"run\"", "\"command\":\"report\"", "not what tidemark run saves"},
    {"no modules", "\"modules\":[{", "\"modules\":[],\"m\":[{", "not what tidemark run saves"},
    {"a module that is none", "\"modules\":[", "\"modules\":[7,", "modules: expected objects"},
    {"no name", "\"name\":\"jit_step\"", "\"name\":7", "name: expected a text"},
    {"bytes that are none", "\"touched_bytes\":", "\"touched_bytes\":-", "touched_bytes: expected a whole number"},
    {"bytes beyond what is exact", "\"touched_bytes\":", "\"touched_bytes\":99999999999", "touched_bytes: expected a whole number"},
    {"bytes in parts", "\"planned_bytes\":", "\"planned_bytes\":0.5,\"x\":", "planned_bytes: expected a whole number"},
    {"bytes that are endless", "\"planned_bytes\":", "\"planned_bytes\":1e999,\"x\":", "planned_bytes: expected a whole number"},
    {"no figures", "\"measured\":{", "\"measured\":[],\"x\":{", "measured: expected an object"},
    {"steps that are none", "\"steps\":[", "\"steps\":{},\"x\":[", "steps: expected a list"},
    {"a step that is none", "\"steps\":[", "\"steps\":[null,", "steps[0].number: expected a whole number"},
    {"a step beyond the program", "\"step\":0,", "\"step\":4000000000,", "steps[0].step: expected a step of the program"},
    {"steps out of order", "\"number\":1,", "\"number\":0,", "steps[1].number: expected one above the last"},
    {"loops too deep", "\"iterations\":[]", "\"iterations\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "iterations: expected fewer items"},
    {"an iteration that is none", "\"iterations\":[]", "\"iterations\":[-1]", "iterations: expected a whole number"},
    {"slots of no stack", "\"filled\":[null,", "\"filled\":[", "filled: expected one for each of stacks"},
    {"more slots than there are", "\"filled\":[null,", "\"filled\":[99,", "filled: expected no more than there are slots"},
    {"another module's", "\"name\":\"jit_step\"", "\"name\":\"jit_other\"", "is a trace of jit_other, not of jit_step"},
    {"other allocations", "\"planned_bytes\":", "\"planned_bytes\":1", "its allocations have"},
    {"other instructions", "\"instructions\":", "\"instructions\":1", "instructions, this one"},
    {"other names", "\"instruction\":\"model", "\"instruction\":\"m\\u001bodel", "its step 0 is"},
    {"nested without end", "\"steps\":[", "\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "is no trace: no JSON"},
};

static struct ran base; /* run once, for all edits */

static int open_base(void **state)
{
    struct exec_options options = {0};
    (void)state;
    run_cell(&base, "cpu-d256-s2-u1", &options);
    return 0;
}

static int close_base(void **state)
{
    (void)state;
    forget(&base);
    return 0;
}

static char *edited(const char *text, const struct edit *e)
{
    const char *at = strstr(text, e->from);
    char *out = calloc(1, strlen(text) + strlen(e->to) + 1);
    assert_non_null(at);
    memcpy(out, text, (size_t)(at - text));
    strcat(strcat(out, e->to), at + strlen(e->from));
    return out;
}

static void broken_or_foreign_is_refused_in_a_line(void **state)
{
    const struct edit *e = *state;
    char path[] = "/tmp/tidemark-trace-XXXXXX", said[1400];
    struct arena a = {0};
    struct measured m;
    struct diag d = {0};
    char *text = edited(base.text, e);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
    bool ok = measured_open(&a, path, &base.program, &m, &d);
    remove(path);
    free(text);
    arena_free(&a);
    diag_text(&d, said, sizeof said);
    assert_false(ok);
    if (!strstr(said, e->says) || strchr(said, '\n') || strchr(said, '\033'))
        fail_msg("said: %s; wanted: %s", said, e->says);
}

/* Cut anywhere, it is refused or means the same. */
static void every_beginning_is_safe(void **state)
{
    (void)state;
    size_t all = strlen(base.text), refused = 0, tried = 0;
    for (size_t n = 0; n < all; n += n < 4000 ? 37 : 1009) {
        struct arena a = {0};
        struct list modules;
        struct diag d;
        char *cut = malloc(n + 1); /* of its own size, so that a read past its end is seen */
        memcpy(cut, base.text, n);
        cut[n] = '\0';
        struct file f = {"cut", cut, n};
        refused += !measured_read(&a, &f, &modules, &d);
        tried++;
        free(cut);
        arena_free(&a);
    }
    assert_int_equal(refused, tried);
}

/* ---- Where traces are ---- */

static void save(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void its_own_trace_is_found(void **state)
{
    char dir[] = "/tmp/tidemark-place-XXXXXX";
    struct arena a = {0};
    struct measured m;
    struct diag d;
    const char *path, *was = base.module.dir;
    (void)state;
    assert_non_null(mkdtemp(dir));
    setenv("XDG_STATE_HOME", dir, 1);
    const char *own = measured_place(&a, &base.program, true, &d);
    assert_non_null(own);
    bool none = measured_find(&a, &base.program, &m, &path);
    save(own, "{}"); /* broken: as if it was not there */
    bool broken = measured_find(&a, &base.program, &m, &path);
    save(own, base.text);
    bool found = measured_find(&a, &base.program, &m, &path) && strcmp(path, own) == 0;
    remove(own);
    base.module.dir = dir; /* beside the dump */
    save(arena_printf(&a, "%s/a.trace.json", dir), "no JSON");
    save(arena_printf(&a, "%s/b.trace.json", dir), base.text);
    bool beside = measured_find(&a, &base.program, &m, &path) && strstr(path, "/b.trace.json");
    base.module.dir = was;
    unsetenv("XDG_STATE_HOME");
    file_remove_tree(dir);
    arena_free(&a);
    assert_false(none);
    assert_false(broken);
    assert_true(found);
    assert_true(beside);
}

int main(void)
{
    enum { N = sizeof cells / sizeof *cells, T = sizeof thinned / sizeof *thinned, E = sizeof edits / sizeof *edits };
    struct CMUnitTest tests[N + T + E + 8];
    size_t n = 0;
    for (size_t k = 0; k < N; k++)
        tests[n++] = (struct CMUnitTest){.name = cells[k].name, .test_func = every_step_is_as_the_program_says,
                                     .initial_state = (void *)(uintptr_t)&cells[k]};
    ADD_AS(stacks_fill_and_drain, "stacks fill and drain, slot by slot");
    for (size_t k = 0; k < T; k++)
        tests[n++] = (struct CMUnitTest){.name = thinned[k].name, .test_func = long_runs_are_thinned,
                                     .initial_state = (void *)(uintptr_t)&thinned[k]};
    ADD_AS(a_trace_says_what_was_measured, "a trace says what was measured");
    for (size_t k = 0; k < E; k++)
        tests[n++] = (struct CMUnitTest){.name = edits[k].name, .test_func = broken_or_foreign_is_refused_in_a_line,
                                     .initial_state = (void *)(uintptr_t)&edits[k]};
    ADD_AS(every_beginning_is_safe, "every beginning is safe");
    ADD_AS(its_own_trace_is_found, "a program's own trace is found");
    return _cmocka_run_group_tests("capture", tests, n, open_base, close_base);
}
