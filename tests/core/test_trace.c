/* Walks back and forward through small programs: where they end, and what they pass. */
#include "core/analysis/loops/trace.h"
#include "tests/support/analysed.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

static inst_id named(const struct analysed *a, const char *name)
{
    for (inst_id i = a->hlo.insts.n; i-- > 0;)
        if (strcmp(hlo_inst(&a->hlo, i)->name, name) == 0)
            return i;
    fail_msg("no instruction %s", name);
    return HLO_NONE;
}

/* "u in f in g": with the callers of its frames. */
static void put_place(struct words *w, const struct analysed *a, struct trace_pos p)
{
    char path[64];
    inst_id i = trace_inst(&a->trace, p);
    put(w, "%s", hlo_inst(&a->hlo, i)->name);
    if (trace_node(&a->trace, p))
        put(w, "%s", shape_path_text(&a->hlo.shapes, hlo_inst(&a->hlo, i)->shape, trace_node(&a->trace, p), path,
                                     sizeof path));
    for (uint32_t f = p.frame; f; f = trace_frame(&a->trace, f)->outer)
        put(w, " in %s", hlo_inst(&a->hlo, trace_frame(&a->trace, f)->caller)->name);
}

struct trace_case {
    const char *name;
    unsigned through;
    const char *text;
    const char *from; /* where the walk back starts */
    const char *back; /* and ends */
    const char *of;   /* where the walk forward starts, or NULL */
    const char *takes; /* who takes it */
};

#define V "f32[4]{0}"
#define ALL (TRACE_FUSIONS | TRACE_COPIES | TRACE_SHAPES | TRACE_CONVERTS)
#define E   "ENTRY e {\n x = " V " parameter(0)\n y = " V " parameter(1)\n"
#define NEG "neg {\n p = " V " parameter(0)\n ROOT n = " V " negate(p)\n}\n"
#define ID  "id {\n p = " V " parameter(0)\n ROOT n = " V " copy(p)\n}\n"
#define TWICE                                                                                      \
    "add {\n p = " V " parameter(0)\n q = " V " parameter(1)\n c = " V " bitcast(p)\n"             \
    " ROOT t = (" V ", " V ") tuple(c, q)\n}\n"

static const struct trace_case cases[] = {
    {"a parameter", ALL, E " ROOT n = " V " negate(x)\n}\n", "n", "n", "x", "n:0"},
    {"tuples and bitcasts", 0,
     E " t = (" V ", " V ") tuple(x, y)\n g = " V " get-tuple-element(t), index=1\n"
     " ROOT b = " V " bitcast(g)\n}\n", "b", "y", "y", "b:-1"},
    {"a copy, when asked", TRACE_COPIES, E " ROOT c = " V " copy(x)\n}\n", "c", "x", "x", "c:-1"},
    {"a copy, when not", 0, E " ROOT c = " V " copy(x)\n}\n", "c", "c", "x", "c:0"},
    {"converts and reshapes, when asked", ALL,
     E " c = f64[4]{0} convert(x)\n r = f64[2,2]{1,0} reshape(c)\n"
     " ROOT t = f64[2,2]{1,0} transpose(r), dimensions={1,0}\n}\n", "t", "x", "x", "t:-1"},
    {"converts, when not", TRACE_SHAPES,
     E " c = f64[4]{0} convert(x)\n ROOT r = f64[2,2]{1,0} reshape(c)\n}\n", "r", "c", "x", "c:0"},
    {"into a fusion", ALL, NEG E " ROOT f = " V " fusion(x), kind=kLoop, calls=neg\n}\n", "f", "n in f", "x",
     "n:0 in f"},
    {"not into a fusion", TRACE_COPIES, NEG E " ROOT f = " V " fusion(x), kind=kLoop, calls=neg\n}\n", "f", "f",
     "x", "f:0"},
    {"through fusions of one computation, each to its own operand", ALL,
     TWICE E " f = (" V ", " V ") fusion(x, y), kind=kLoop, calls=add\n"
     " g = " V " get-tuple-element(f), index=0\n h = (" V ", " V ") fusion(y, g), kind=kLoop, calls=add\n"
     " k = " V " get-tuple-element(h), index=1\n ROOT r = " V " negate(k)\n}\n", "k", "x", "x", "r:0"},
    {"through a computation that is called twice", 0,
     "id {\n p = " V " parameter(0)\n ROOT b = " V " bitcast(p)\n}\n" E
     " c = " V " call(x), to_apply=id\n d = " V " call(y), to_apply=id\n ROOT a = " V " add(c, d)\n}\n", "d", "y",
     "y", "a:1"},
    {"through an async wrapper", ALL,
     ID E " s = ((" V "), " V ", u32[]) async-start(x), calls=id\n d = " V " async-done(s)\n"
     " ROOT n = " V " negate(d)\n}\n", "d", "x", "x", "n:0"},
    {"a copy in flight", TRACE_COPIES,
     E " s = (" V ", " V ", u32[]) copy-start(x)\n d = " V " copy-done(s)\n ROOT n = " V " negate(d)\n}\n", "d",
     "x", "x", "n:0"},
    {"a copy in flight, when not asked", 0,
     E " s = (" V ", " V ", u32[]) copy-start(x)\n d = " V " copy-done(s)\n ROOT n = " V " negate(d)\n}\n", "d",
     "s{0}", "x", "s:0"},
    {"what a loop keeps", 0,
     "b {\n p = (" V ", " V ") parameter(0)\n k = " V " get-tuple-element(p), index=0\n"
     " c = " V " get-tuple-element(p), index=1\n a = " V " add(k, c)\n ROOT t = (" V ", " V ") tuple(k, a)\n}\n"
     "c {\n p = (" V ", " V ") parameter(0)\n ROOT r = pred[] constant(true)\n}\n" E
     " t = (" V ", " V ") tuple(x, y)\n w = (" V ", " V ") while(t), condition=c, body=b\n"
     " g = " V " get-tuple-element(w), index=0\n ROOT n = " V " negate(g)\n}\n", "g", "x", "x", "a:0 n:0"},
    {"what a loop changes", 0,
     "b {\n p = (" V ", " V ") parameter(0)\n k = " V " get-tuple-element(p), index=0\n"
     " c = " V " get-tuple-element(p), index=1\n a = " V " add(k, c)\n ROOT t = (" V ", " V ") tuple(k, a)\n}\n"
     "c {\n p = (" V ", " V ") parameter(0)\n ROOT r = pred[] constant(true)\n}\n" E
     " t = (" V ", " V ") tuple(x, y)\n w = (" V ", " V ") while(t), condition=c, body=b\n"
     " g = " V " get-tuple-element(w), index=1\n ROOT n = " V " negate(g)\n}\n", "g", "w{1}", "y", "w:0"},
    {"a branch", 0,
     NEG ID E " s = pred[] constant(true)\n ROOT c = " V " conditional(s, x, y), true_computation=neg, "
     "false_computation=id\n}\n", "c", "c", "x", "n:0 in c"},
    {"parts that are copied as one", TRACE_COPIES,
     E " c = f32[8]{0} concatenate(x, y), dimensions={0}\n a = " V " slice(c), slice={[0:4]}\n"
     " b = " V " slice(c), slice={[4:8]}\n ROOT n = " V " add(a, b)\n}\n", "b", "y", "y", "n:1"},
    {"a part that is none", TRACE_COPIES,
     E " c = f32[8]{0} concatenate(x, y), dimensions={0}\n ROOT b = " V " slice(c), slice={[3:7]}\n}\n", "b", "b",
     "y", "c:1"},
    {"every second one", TRACE_COPIES,
     E " c = f32[8]{0} concatenate(x, y), dimensions={0}\n ROOT b = f32[2]{0} slice(c), slice={[4:8:2]}\n}\n", "b",
     "b", "y", "c:1"},
};

static void takes(void *ctx, const struct trace_walk *walk, uint32_t place, struct hlo_use use)
{
    struct { struct words w; const struct analysed *a; } *o = ctx;
    struct trace_pos p = trace_place(walk, place)->at;
    put(&o->w, "%s%s:%d", o->w.used ? " " : "", hlo_inst(&o->a->hlo, use.user)->name, (int)use.operand);
    for (uint32_t f = p.frame; f; f = trace_frame(&o->a->trace, f)->outer)
        put(&o->w, " in %s", hlo_inst(&o->a->hlo, trace_frame(&o->a->trace, f)->caller)->name);
}

static void walk(void **state)
{
    const struct trace_case *c = *state;
    struct words back = {.used = 0};
    struct analysed a;
    struct { struct words w; const struct analysed *a; } forward = {.a = &a};
    struct trace_walk w;
    struct arena scratch = {0};
    forward.w.used = 0;
    forward.w.text[0] = '\0';
    analyse(&a, c->text);
    put_place(&back, &a, trace_back(&a.trace, trace_at(&a.trace, named(&a, c->from), 0), c->through));
    trace_forward(&a.trace, trace_at(&a.trace, named(&a, c->of), 0), c->through, &scratch, &w, takes, &forward);
    bool cut = w.cut;
    arena_free(&scratch);
    forget(&a);
    assert_string_equal(back.text, c->back);
    assert_string_equal(forward.w.text, c->takes);
    assert_false(cut);
}

/* A computation that calls the one before twice, 60 times over: a walk of 2^60 steps is cut. */
static void bounded(void **state)
{
    (void)state;
    struct words text = {.used = 0};
    put(&text, "c0 {\n p = " V " parameter(0)\n ROOT b = " V " bitcast(p)\n}\n");
    for (int k = 1; k <= 60; k++)
        put(&text, "c%d {\n p = " V " parameter(0)\n a = " V " call(p), to_apply=c%d\n"
                   " ROOT b = " V " call(a), to_apply=c%d\n}\n", k, k - 1, k - 1);
    put(&text, "ENTRY e {\n x = " V " parameter(0)\n ROOT r = " V " call(x), to_apply=c60\n}\n");
    struct analysed a;
    struct trace_walk w;
    struct arena scratch = {0};
    struct { struct words w; const struct analysed *a; } forward = {.a = &a};
    analyse(&a, text.text);
    struct trace_pos end = trace_back(&a.trace, trace_at(&a.trace, named(&a, "r"), 0), ALL);
    bool somewhere = end.pos < a.hlo.n_positions;
    trace_forward(&a.trace, trace_at(&a.trace, named(&a, "x"), 0), ALL, &scratch, &w, takes, &forward);
    uint32_t places = w.places.n;
    a.trace.work_left = 0;
    struct trace_pos from = trace_at(&a.trace, named(&a, "r"), 0), stays = trace_back(&a.trace, from, ALL);
    arena_free(&scratch);
    forget(&a);
    assert_true(somewhere);
    assert_true(places <= TRACE_STEPS);
    assert_int_equal(stays.pos, from.pos);
}

/* The step that runs what stands in a fusion. */
static void runs(void **state)
{
    (void)state;
    struct analysed a;
    analyse(&a, NEG E " ROOT f = " V " fusion(x), kind=kLoop, calls=neg\n}\n");
    inst_id f = named(&a, "f");
    struct trace_pos p = trace_back(&a.trace, trace_at(&a.trace, f, 0), ALL);
    inst_id in_frame = trace_runs(&a.trace, &a.live, p);
    p.frame = 0;
    inst_id without = trace_runs(&a.trace, &a.live, p);
    forget(&a);
    assert_int_equal(in_frame, f);
    assert_int_equal(without, HLO_NONE);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 2] = {{0}};
    size_t n = 0;
    for (; n < COUNT(cases); n++)
        tests[n] = (struct CMUnitTest){.name = cases[n].name, .test_func = walk, .initial_state = (void *)&cases[n]};
    ADD_AS(bounded, "a walk without end is cut");
    ADD_AS(runs, "what runs an instruction of a fusion");
    return _cmocka_run_group_tests("trace", tests, n, NULL, NULL);
}
