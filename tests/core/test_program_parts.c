/* Analysed programs made by hand: what stands in for what is missing, loops, and where values come from. */
#include "core/load/text/hlo_text.h"
#include "tests/support/program_sound.h"
#include "tests/support/tables.h"

static void read_program(struct module *m, const char *header, const char *text)
{
    struct diag d;
    *m = (struct module){.name = "m", .platform = PLATFORM_GPU, .has_hlo = true};
    char *all = arena_printf(&m->arena, "HloModule m%s\n\n%s", header, text);
    struct file f = {"x.txt", all, strlen(all)};
    hlo_init(&m->hlo, &m->arena, f.name);
    m->assignment.arena = &m->arena;
    assert_true(hlo_text_read(&m->hlo, &f, &d));
}

static void add_alloc(struct module *m, uint64_t size)
{
    struct allocation *a = list_add(&m->arena, &m->assignment.allocs, sizeof *a);
    *a = (struct allocation){m->assignment.allocs.n - 1, size, .parameter = -1};
    m->has_assignment = true;
}

static void add_value(struct module *m, const char *name, uint64_t offset, uint64_t size)
{
    struct dump_value *v = list_add(&m->arena, &m->assignment.values, sizeof *v);
    *v = (struct dump_value){.id = m->assignment.values.n, .inst = -1, .name = name, .size = size,
                             .offset = offset, .reserved = size,
                             .alloc = m->assignment.allocs.n - 1};
}

static void add_range(struct module *m, const char *name, uint32_t start, uint32_t end)
{
    struct claimed_range *r = list_add(&m->arena, &m->assignment.ranges, sizeof *r);
    *r = (struct claimed_range){.name = name, .start = start, .end = end};
}

static void add_step(struct module *m, const char *name)
{
    *(const char **)list_add(&m->arena, &m->assignment.sequence, sizeof(char *)) = name;
}

/* "name:start-end size@offset" of all buffers, the live bytes, the notes. */
static void in_words(const struct program *p, char *out, size_t size)
{
    size_t used = 0;
    for (buf_id b = 0; b < p->n; b++)
        used += (size_t)snprintf(out + used, size - used, "%s:%u-%u %llu@%llu%s, ", p->name_of[b],
                                 p->start[b], p->end[b], (unsigned long long)p->size[b],
                                 (unsigned long long)p->offset[b], p->main[b] ? "" : " elsewhere");
    for (uint32_t s = 0; s <= p->steps; s++)
        used += (size_t)snprintf(out + used, size - used, "%s%llu", s ? " " : "live ",
                                 (unsigned long long)p->live[s]);
    used += (size_t)snprintf(out + used, size - used, ", peak %u", p->peak);
    for (uint32_t k = 0; k < p->notes.n; k++)
        used += (size_t)snprintf(out + used, size - used, "; %s",
                                 ((const char *const *)p->notes.items)[k]);
    assert_true(used < size);
}

static void built(struct module *m, enum life lives, const char *want)
{
    struct program p;
    struct diag why;
    char text[2048];
    assert_true(program_build(&p, m, &why));
    sound(&p);
    in_words(&p, text, sizeof text);
    bool has = p.has_totals;
    enum life got = p.lives;
    program_free(&p);
    bool assigned = m->has_assignment;
    arena_free(&m->arena);
    assert_string_equal(text, want);
    assert_int_equal(got, lives);
    assert_int_equal(has, assigned);
}

#define SCHEDULED ", is_scheduled=true"
#define CHAIN                                                                                      \
    "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[4] custom-call(x)\n b = f32[4] negate(a)\n"     \
    " ROOT c = f32[2] custom-call(b)\n}\n"

static void both(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, SCHEDULED, CHAIN);
    add_alloc(&m, 8);
    add_value(&m, "x", 0, 8);
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 24); /* reserved is what counts */
    add_value(&m, "c", 8, 8);   /* in what a held */
    built(&m, LIFE_RERUN,
          "x:0-4 8@0, a:1-2 16@0, b:2-3 24@16, c:3-4 8@8, live 8 24 48 40 16, peak 2");
}

static void strangers(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, SCHEDULED, CHAIN);
    add_alloc(&m, 64);
    add_value(&m, "x", 0, 8);
    add_value(&m, "y", 8, 8);
    add_value(&m, "z", 16, 8);
    built(&m, LIFE_RERUN, "x:0-4 8@0, live 8 8 8 8 8, peak 0; "
                          "2 placed values are not in the program and are not shown");
}

static void no_assignment(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, SCHEDULED,
                 "ENTRY e {\n x = f32[2] parameter(0)\n h = f32[100]{0:S(5)} custom-call(x)\n"
                 " a = f32[4] custom-call(x)\n u = f32[1] custom-call(x)\n i = s32[] constant(0)\n"
                 " d = f32[4] dynamic-update-slice(a, u, i)\n ROOT c = f32[2] custom-call(d)\n}\n");
    /* a and d are one alias set: 16 bytes, once */
    built(&m, LIFE_RERUN,
          "x:0-7 8@0, h:1-1 400@0 elsewhere, a:2-5 16@0, u:3-5 4@0, i:4-5 4@0, d:5-6 16@0, "
          "c:6-7 8@0, live 8 8 24 28 32 32 32 16, peak 4; "
          "no buffer assignment in the dump: sizes are those of the values, places are unknown");
}

static void no_hlo(void **state)
{
    (void)state;
    struct module m = {.name = "m", .platform = PLATFORM_GPU};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 8, 16);
    add_value(&m, "lost", 40, 8);
    assignment_value(&m.assignment, 0)->shape = "(f32[2]{0:T(8,128)}, s32[])";
    add_alloc(&m, 8);
    assignment_alloc(&m.assignment, 1)->flags = ALLOC_THREAD_LOCAL;
    add_value(&m, "in_a_fusion", 0, 8);
    add_step(&m, "a");
    add_step(&m, "b");
    add_range(&m, "a", 0, 1);
    add_range(&m, "b", 1, 3);
    m.assignment.has_max = true;
    m.assignment.max = 3;
    struct program p;
    struct diag why;
    assert_true(program_build(&p, &m, &why));
    assert_string_equal(p.step_name[1], "b");
    assert_string_equal(p.step_name[2], "?"); /* promised, but not named */
    assert_int_equal(p.step_inst[0], HLO_NONE);
    assert_string_equal(p.shape[0], "(f32[2], s32[])");
    assert_string_equal(p.shape[1], "");
    assert_int_equal(p.inst[0], HLO_NONE);
    assert_int_equal(p.value[0], VALUE_NONE);
    program_free(&p);
    built(&m, LIFE_DUMP,
          "a{}:0-1 16@0, b:1-3 16@8, live 16 24 16 16, peak 1; "
          "no HLO in the dump: live ranges are the dump's own, not rerun; "
          "1 placed values have no live range and are not shown");
}

static void only_places(void **state)
{
    (void)state;
    struct module m = {.name = "m", .platform = PLATFORM_GPU};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 8, 16);
    add_alloc(&m, 8);
    assignment_alloc(&m.assignment, 1)->flags = ALLOC_THREAD_LOCAL;
    add_value(&m, "in_a_fusion", 0, 8);
    built(&m, LIFE_NONE, "a:0-0 16@0, b:0-0 16@8, live 24, peak 0; neither HLO nor live ranges in "
                         "the dump: every buffer is shown as alive throughout");
}

static void no_schedule(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, "", CHAIN);
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 16);
    built(&m, LIFE_NONE,
          "a:0-0 16@0, b:0-0 16@16, live 32, peak 0; "
          "the program has no schedule, so there is no program order; "
          "no live ranges in the dump: every buffer is shown as alive throughout");
}

static void no_schedule_but_ranges(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, "", CHAIN);
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 16);
    add_step(&m, "a");
    add_step(&m, "b");
    add_range(&m, "a", 0, 1);
    add_range(&m, "b", 1, 2);
    built(&m, LIFE_DUMP,
          "a:0-1 16@0, b:1-2 16@16, live 16 32 16, peak 1; "
          "the program has no schedule, so there is no program order; "
          "live ranges are the dump's own, not rerun");
}

static void nothing_placed(void **state)
{
    (void)state;
    struct module m = {.name = "m"};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    built(&m, LIFE_NONE, "live 0, peak 0; neither HLO nor live ranges in the dump: every buffer is "
                         "shown as alive throughout");
}

static void first_peak(void **state)
{
    (void)state;
    struct module m = {.name = "m"};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 16);
    add_range(&m, "a", 2, 3);
    add_range(&m, "b", 5, 6);
    m.assignment.has_max = true;
    m.assignment.max = 7;
    built(&m, LIFE_DUMP, "a:2-3 16@0, b:5-6 16@16, live 0 0 16 16 0 16 16 0, peak 2; "
                         "no HLO in the dump: live ranges are the dump's own, not rerun");
}

static void contradiction(void **state)
{
    (void)state;
    struct module m;
    struct program p;
    struct diag why;
    char text[512];
    read_program(&m, SCHEDULED,
                 "ENTRY e {\n x = f32[2] parameter(0)\n ROOT b = (f32[2]) bitcast(x)\n}\n");
    bool ok = program_build(&p, &m, &why);
    arena_free(&m.arena);
    assert_false(ok);
    assert_null(p.arena.head);
    assert_string_equal(diag_text(&why, text, sizeof text),
                        "tidemark: x.txt: bitcast b does not have the shape that parameter x hands "
                        "on (the file is damaged or was edited: dump it again)");
}

/* The dump's ranges are those that we find, so the pictures are the same. */

/* ---- Loops ---- */

#define PAIR "(f32[2], s32[])"
#define WHILE_PARTS(n)                                                                             \
    "b" n " {\n bp" n " = " PAIR " parameter(0)\n"                                                 \
    " x" n " = f32[2] get-tuple-element(bp" n "), index=0\n"                                       \
    " i" n " = s32[] get-tuple-element(bp" n "), index=1\n"                                        \
    " ROOT bt" n " = " PAIR " tuple(x" n ", i" n ")\n}\n"                                          \
    "c" n " {\n cp" n " = " PAIR " parameter(0)\n ROOT cr" n " = pred[] custom-call(), custom_call_target=\"f\"\n}\n"

static void nested_loops(void **state)
{
    (void)state;
    struct module m;
    struct program p;
    struct diag why;
    read_program(&m, SCHEDULED,
                 WHILE_PARTS("1") WHILE_PARTS("2") WHILE_PARTS("3")
                 "ob {\n op = " PAIR " parameter(0)\n"
                 " w1 = " PAIR " while(op), condition=c1, body=b1, "
                 "backend_config={\"known_trip_count\":{\"n\":\"8\"}}\n"
                 " ROOT w2 = " PAIR " while(w1), condition=c2, body=b2, "
                 "backend_config={\"known_trip_count\":{\"n\":3}}\n}\n"
                 "oc {\n oq = " PAIR " parameter(0)\n ROOT or = pred[] custom-call(), custom_call_target=\"f\"\n}\n"
                 "ENTRY e {\n t = " PAIR " parameter(0)\n"
                 " outer = " PAIR " while(t), condition=oc, body=ob, "
                 "backend_config={\"known_trip_count\":{\"n\":\"16\"},\"x\":[]}\n"
                 " ROOT last = " PAIR " while(outer), condition=c3, body=b3\n}\n");
    assert_true(program_build(&p, &m, &why));
    sound_loops(&p);
    static const struct { const char *name; uint32_t first, last, depth; int64_t trips; } want[] = {
        {"outer", 1, 17, 0, 16}, /* oc: 1-2, op: 3 */
        {"w1", 4, 9, 1, 8},
        {"w2", 11, 16, 1, -1}, /* a number where XLA writes a text */
        {"last", 19, 24, 0, -1},
    };
    assert_int_equal(p.loops.n, COUNT(want));
    for (size_t k = 0; k < COUNT(want); k++) {
        assert_string_equal(p.loops.items[k].name, want[k].name);
        assert_string_equal(hlo_inst(&m.hlo, p.loops.items[k].inst)->name, want[k].name);
        assert_int_equal(p.loops.items[k].first, want[k].first);
        assert_int_equal(p.loops.items[k].last, want[k].last);
        assert_int_equal(p.loops.items[k].depth, want[k].depth);
        assert_int_equal(p.loops.items[k].trip_count, want[k].trips);
    }
    program_free(&p);
    arena_free(&m.arena);
}

/* ---- Sources ---- */

#define META(op, line)                                                                             \
    ", metadata={op_name=\"" op "\" source_file=\"/a/b/scan.py\" source_line=" line "}"

static void sources(void **state)
{
    (void)state;
    struct module m;
    struct program p;
    struct diag why;
    read_program(&m, SCHEDULED,
                 "fused {\n fp = f32[2] parameter(0)\n fa = f32[2] negate(fp)" META("neg", "5")
                 "\n fb = f32[2] negate(fa)" META("neg2", "6") "\n ROOT fc = f32[2] negate(fb)\n}\n"
                 "body {\n ROOT bp = (f32[2]) parameter(0)\n}\n"
                 "cond {\n cp = (f32[2]) parameter(0)\n ROOT cr = pred[] constant(false)\n}\n"
                 "ENTRY e {\n x = f32[2] parameter(0), metadata={op_name=\"x\"}\n"
                 " a = f32[2] negate(x)" META("a", "21") "\n f = f32[2] fusion(a), calls=fused\n"
                 " z = f32[2] negate(f), metadata={source_file=\"z.py\"}\n"
                 " y = f32[2] negate(z)\n t = (f32[2]) tuple(y)\n"
                 " w = (f32[2]) while(t), condition=cond, body=body" META("while", "9")
                 "\n ROOT r = f32[2] get-tuple-element(w), index=0\n}\n");
    assert_true(program_build(&p, &m, &why));
    static const struct { const char *name, *source, *op_name; } want[] = {
        {"x", NULL, "x"},           {"a", "scan.py:21", "a"}, {"f", "scan.py:6", "neg2"},
        {"z", "z.py", NULL},        {"y", NULL, NULL},
    };
    size_t seen = 0;
    for (buf_id b = 0; b < p.n; b++)
        for (size_t k = 0; k < COUNT(want); k++) {
            char out[64];
            if (strcmp(p.name_of[b], want[k].name) != 0)
                continue;
            seen++;
            const char *source = program_source(&p, b, out, sizeof out);
            assert_string_equal(source ? source : "none", want[k].source ? want[k].source : "none");
            assert_string_equal(p.op_name[b] ? p.op_name[b] : "none",
                                want[k].op_name ? want[k].op_name : "none");
            if (k == 1)
                assert_string_equal(program_source(&p, b, out, 8), "scan.py"); /* cut */
        }
    assert_int_equal(seen, COUNT(want));
    for (inst_id i = 0; i < m.hlo.insts.n; i++) {
        const char *name = hlo_inst(&m.hlo, i)->name, *speaks = program_speaker(&m.hlo, i)->name;
        bool loop = strcmp(name, "bp") == 0 || strcmp(name, "cp") == 0;
        assert_string_equal(speaks, loop ? "w" : strcmp(name, "f") == 0 ? "fb" : name);
    }
    program_free(&p);
    arena_free(&m.arena);
}

int main(void)
{
    static struct CMUnitTest tests[12];
    size_t n = 0;
    ADD_AS(both, "HLO and assignment");
    ADD_AS(strangers, "placed values that the program lacks");
    ADD_AS(no_assignment, "HLO alone: an alias set counts once, host memory not");
    ADD_AS(no_hlo, "an assignment with ranges, without HLO");
    ADD_AS(only_places, "an assignment alone");
    ADD_AS(no_schedule, "HLO without a schedule");
    ADD_AS(no_schedule_but_ranges, "HLO without a schedule, but with ranges");
    ADD_AS(nothing_placed, "nothing placed");
    ADD_AS(first_peak, "the peak is the first maximum");
    ADD_AS(contradiction, "shapes that contradict each other");
    ADD_AS(nested_loops, "loops in a loop and beside it");
    ADD_AS(sources, "where a value comes from");
    return _cmocka_run_group_tests("program_parts", tests, n, NULL, NULL);
}
