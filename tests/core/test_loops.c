/* Loops of small programs, rule by rule, and of the shipped ones: how often they run, which belong together. */
#include "core/analysis/program/program.h"
#include "core/load/example/shipped.h"
#include "tests/support/large_text.h"
#include "tests/support/loop_words.h"
#include "tests/support/tables.h"

#include <dirent.h>

/* ---- Trip counts ---- */

struct trip_case {
    const char *name, *type, *first;
    const char *body; /* defines n from i */
    const char *test; /* the condition's root r, from i */
    const char *config;
    int64_t trips;
    int64_t step; /* of the induction, 0: none */
};

#define COUNT_BY(c) " k = " c "\n n = s32[] add(i, k)\n"
#define PLUS_1 COUNT_BY("s32[] constant(1)")
#define TEST(c, how) " k = s32[] constant(" c ")\n ROOT r = pred[] compare(i, k), direction=" how "\n"
#define CONFIG(n) ", backend_config={\"known_trip_count\":{\"n\":\"" n "\"}}"

static const struct trip_case trips[] = {
    {"i < 4", "s32[]", "0", PLUS_1, TEST("4", "LT"), "", 4, 1},
    {"i <= 4", "s32[]", "0", PLUS_1, TEST("4", "LE"), "", 5, 1},
    {"i != 4", "s32[]", "0", PLUS_1, TEST("4", "NE"), "", 4, 1},
    {"i == 0", "s32[]", "0", PLUS_1, TEST("0", "EQ"), "", 1, 1},
    {"4 > i", "s32[]", "0", PLUS_1,
     " k = s32[] constant(4)\n ROOT r = pred[] compare(k, i), direction=GT\n", "", 4, 1},
    {"downwards, i > 0", "s32[]", "7", COUNT_BY("s32[] constant(-1)"), TEST("0", "GT"), "", 7, -1},
    {"downwards, i >= 0", "s32[]", "7", COUNT_BY("s32[] constant(-1)"), TEST("0", "GE"), "", 8, -1},
    {"in steps of 3", "s32[]", "1", COUNT_BY("s32[] constant(3)"), TEST("10", "LT"), "", 3, 3},
    {"in steps that pass the bound", "s32[]", "0", COUNT_BY("s32[] constant(3)"), TEST("10", "LT"), "", 4, 3},
    {"in steps that miss what they wait for, until they wrap", "s32[]", "0", COUNT_BY("s32[] constant(3)"),
     TEST("10", "NE"), "", -1, 3},
    {"not once", "s32[]", "9", PLUS_1, TEST("4", "LT"), "", 0, 1},
    {"away from the bound", "s32[]", "0", COUNT_BY("s32[] constant(-1)"), TEST("4", "LT"), "", -1, -1},
    {"a counter that stays", "s32[]", "0", COUNT_BY("s32[] constant(0)"), TEST("4", "LT"), "", -1, 0},
    {"billions, without counting them", "s32[]", "-2000000000", PLUS_1, TEST("2000000000", "LT"), "",
     4000000000, 1},
    {"up to the largest number and over it", "s32[]", "0", PLUS_1, TEST("2147483647", "LE"), "", -1, 1},
    {"what XLA says stands above what it does", "s32[]", "0", PLUS_1, TEST("4", "LT"), CONFIG("3"), 3, 1},
    {"a count that is no number", "s32[]", "0", PLUS_1, TEST("4", "LT"), CONFIG("x"), 4, 1},
    {"a count that does not fit", "s32[]", "0", PLUS_1, TEST("4", "LT"), CONFIG("99999999999999999999"),
     4, 1},
    {"doubling, one by one", "s32[]", "1", " n = s32[] add(i, i)\n", TEST("100", "LT"), "", 7, 0},
    {"a condition of two", "s32[]", "0", PLUS_1,
     " k = s32[] constant(9)\n a = pred[] compare(i, k), direction=LT\n j = s32[] constant(5)\n"
     " b = pred[] compare(i, j), direction=NE\n ROOT r = pred[] and(a, b)\n", "", 5, 1},
    {"a condition on data", "s32[]", "0", PLUS_1,
     " k = s32[] custom-call(), custom_call_target=\"f\"\n"
     " ROOT r = pred[] compare(i, k), direction=LT\n", "", -1, 1},
    {"a step from data", "s32[]", "0", COUNT_BY("s32[] custom-call(), custom_call_target=\"f\""),
     TEST("4", "LT"), "", -1, 0},
    {"through arithmetic", "s32[]", "0", PLUS_1,
     " c = s32[] constant(2)\n m = s32[] multiply(i, c)\n g = s32[] negate(m)\n"
     " k = s32[] constant(-9)\n ROOT r = pred[] compare(g, k), direction=GT\n", "", 5, 1},
    {"converted and reshaped", "s32[]", "0", PLUS_1,
     " c = s64[] convert(i)\n v = s64[1]{0} reshape(c)\n d = s64[] bitcast(v)\n k = s64[] constant(6)\n"
     " ROOT r = pred[] compare(d, k), direction=LT\n", "", 6, 1},
    {"unsigned", "u32[]", "4294967290", " k = u32[] constant(1)\n n = u32[] add(i, k)\n",
     " k = u32[] constant(4294967295)\n ROOT r = pred[] compare(i, k), direction=LT\n", "", 5, 1},
    {"a byte that wraps", "u8[]", "250", " k = u8[] constant(1)\n n = u8[] add(i, k)\n",
     " k = u8[] constant(3)\n ROOT r = pred[] compare(i, k), direction=NE\n", "", 9, 1},
    {"a compare of an unknown kind", "s32[]", "0", PLUS_1, TEST("4", "XX"), "", -1, 1},
    {"never", "s32[]", "0", PLUS_1, " ROOT r = pred[] constant(false)\n", "", 0, 1},
    {"for ever", "s32[]", "0", PLUS_1, " ROOT r = pred[] constant(true)\n", "", -1, 1},
    {"a division by zero", "s32[]", "0", PLUS_1,
     " z = s32[] constant(0)\n q = s32[] divide(i, z)\n k = s32[] constant(4)\n"
     " ROOT r = pred[] compare(q, k), direction=LT\n", "", -1, 1},
};

static void trip(void **state)
{
    const struct trip_case *c = *state;
    char text[4000];
    struct analysed a;
    snprintf(text, sizeof text,
             "body {\n p = (%s) parameter(0)\n i = %s get-tuple-element(p), index=0\n%s"
             " ROOT t = (%s) tuple(n)\n}\n"
             "cond {\n p = (%s) parameter(0)\n i = %s get-tuple-element(p), index=0\n%s}\n"
             "ENTRY e {\n z = %s constant(%s)\n t = (%s) tuple(z)\n"
             " ROOT w = (%s) while(t), condition=cond, body=body%s\n}\n",
             c->type, c->type, c->body, c->type, c->type, c->type, c->test, c->type, c->first, c->type,
             c->type, c->config);
    analyse(&a, text);
    struct loop l = a.loops.items[0];
    forget(&a);
    assert_int_equal(l.trip_count, c->trips);
    assert_int_equal(l.induction, c->step ? 0 : LOOP_NONE);
    assert_int_equal(l.induction_step, c->step);
    assert_int_equal(l.trips_from, c->trips < 0                                ? TRIPS_UNKNOWN
                                   : strchr(c->config, '3')                    ? TRIPS_CONFIG
                                                                               : TRIPS_CONDITION);
}

/* ---- Two loops ---- */

#define SIMPLE_COND(name, state, n)                                                                \
    name " {\n p = " state " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"             \
    " k = s32[] constant(" n ")\n ROOT r = pred[] compare(i, k), direction=LT\n}\n"
#define FILLS "(s32[], f32[4,8]{1,0}, f32[8]{0})"
#define FILL_BODY(name)                                                                            \
    name " {\n p = " FILLS " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"             \
    " s = f32[4,8]{1,0} get-tuple-element(p), index=1\n x = f32[8]{0} get-tuple-element(p), index=2\n" \
    " one = s32[] constant(1)\n zero = s32[] constant(0)\n n = s32[] add(i, one)\n"                \
    " row = f32[1,8]{1,0} bitcast(x)\n u = f32[4,8]{1,0} dynamic-update-slice(s, row, i, zero)\n"  \
    " y = f32[8]{0} negate(x)\n ROOT t = " FILLS " tuple(n, u, y)\n}\n"
/* `at`: defines a from i */
#define DRAIN_BODY(name, at)                                                                       \
    name " {\n p = " FILLS " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"             \
    " s = f32[4,8]{1,0} get-tuple-element(p), index=1\n x = f32[8]{0} get-tuple-element(p), index=2\n" \
    " one = s32[] constant(1)\n zero = s32[] constant(0)\n n = s32[] add(i, one)\n" at             \
    " d = f32[1,8]{1,0} dynamic-slice(s, a, zero), dynamic_slice_sizes={1,8}\n"                    \
    " row = f32[8]{0} bitcast(d)\n y = f32[8]{0} add(x, row)\n ROOT t = " FILLS " tuple(n, s, y)\n}\n"
#define FORTH " a = s32[] copy(i)\n"
#define BACK  " three = s32[] constant(3)\n a = s32[] subtract(three, i)\n"
#define TWO(back, name_1, name_2, between, stack)                                                  \
    FILL_BODY("fb") SIMPLE_COND("fc", FILLS, "4") DRAIN_BODY("bb", back)                           \
    SIMPLE_COND("bc", FILLS, "4")                                                                  \
    "ENTRY e {\n x = f32[8]{0} parameter(0)\n o = f32[4,8]{1,0} parameter(1)\n"                    \
    " z = s32[] constant(0)\n zz = f32[] constant(0)\n"                                            \
    " s = f32[4,8]{1,0} broadcast(zz), dimensions={}\n t = " FILLS " tuple(z, s, x)\n"             \
    " w = " FILLS " while(t), condition=fc, body=fb" name_1 "\n"                                   \
    " v = f32[4,8]{1,0} get-tuple-element(w), index=1\n" between                                   \
    " q = " FILLS " tuple(z, " stack ", x)\n"                                                      \
    " ROOT b = " FILLS " while(q), condition=bc, body=bb" name_2 "\n}\n"
#define OP(name) ", metadata={op_name=\"" name "\"}"
#define FORWARD  OP("jit(f)/jvp()/while")
#define BACKWARD OP("jit(f)/transpose(jvp())/while")
#define FILLED   "; fill 1 dim 0 0+1 of 4 by u carry 2 fresh"
#define DRAINED  "; drain 1 dim 0 3-1 of 4 by d"

struct pair_case {
    const char *name, *text, *want;
};

static const struct pair_case pairs[] = {
    {"by the stack between them", TWO(BACK, FORWARD, BACKWARD, "", "v"),
     "w x4 forward with b" FILLED " > b\nb x4 backward with w" DRAINED " < w\n"},
    {"through a copy and a bitcast",
     TWO(BACK, FORWARD, BACKWARD,
         " c = f32[4,8]{1,0} copy(v)\n d = f32[32]{0} bitcast(c)\n h = f32[4,8]{1,0} bitcast(d)\n", "h"),
     "w x4 forward with b" FILLED " > b\nb x4 backward with w" DRAINED " < w\n"},
    {"through part of it and something else",
     TWO(BACK, FORWARD, BACKWARD,
         " r = f32[1,8]{1,0} bitcast(x)\n c = f32[5,8]{1,0} concatenate(v, r), dimensions={0}\n"
         " h = f32[4,8]{1,0} slice(c), slice={[1:5], [0:8]}\n", "h"),
     "w x4 forward with b" FILLED " > b\nb x4 backward with w" DRAINED " < w\n"},
    {"by direction, where op_names are missing", TWO(BACK, "", "", "", "v"),
     "w x4 forward with b" FILLED " > b\nb x4 backward with w" DRAINED " < w\n"},
    {"two scans of one pass are none", TWO(FORTH, FORWARD, OP("jit(f)/jvp(g)/while"), "", "v"),
     "w x4 forward" FILLED " > b\nb x4 forward; drain 1 dim 0 0+1 of 4 by d < w\n"},
    {"nor without op_names in one direction", TWO(FORTH, "", "", "", "v"),
     "w x4" FILLED " > b\nb x4; drain 1 dim 0 0+1 of 4 by d < w\n"},
    {"by op_name, without a stack between them", TWO(BACK, FORWARD, BACKWARD, "", "o"),
     "w x4 forward with b" FILLED "\nb x4 backward with w" DRAINED "\n"},
    {"other op_names are none", TWO(BACK, FORWARD, OP("jit(f)/transpose(jvp(g))/while"), "", "o"),
     "w x4 forward" FILLED "\nb x4 backward" DRAINED "\n"},
    {"what is computed from the stack is another", TWO(BACK, FORWARD, OP("jit(f)/transpose(jvp(g))/while"),
                                                       " h = f32[4,8]{1,0} negate(v)\n", "h"),
     "w x4 forward" FILLED "\nb x4 backward" DRAINED "\n"},
    {"a forward pass that is made again in the backward one",
     TWO(BACK, OP("jit(f)/transpose(jvp(checkpoint))/rematted_computation/while"),
         OP("jit(f)/transpose(jvp(checkpoint))/while"), "", "v"),
     "w x4 forward with b" FILLED " > b\nb x4 backward with w" DRAINED " < w\n"},
};

static void pair(void **state)
{
    const struct pair_case *c = *state;
    struct words got = {.used = 0};
    struct analysed a;
    analyse(&a, c->text);
    put_loops(&got, &a);
    forget(&a);
    assert_string_equal(got.text, c->want);
}

/* ---- Loops in loops ---- */

/* The outer loop fills a stack of what the inner one has filled; the pass back reads them in turn. */
#define OUTER   "(s32[], f32[3,4,8]{2,1,0}, f32[8]{0})"
#define OUTER_GETS                                                                                 \
    " p = " OUTER " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"                      \
    " s = f32[3,4,8]{2,1,0} get-tuple-element(p), index=1\n x = f32[8]{0} get-tuple-element(p), index=2\n" \
    " one = s32[] constant(1)\n zero = s32[] constant(0)\n n = s32[] add(i, one)\n"
static const char nested_text[] =
    FILL_BODY("fb") SIMPLE_COND("fc", FILLS, "4") DRAIN_BODY("bb", BACK) SIMPLE_COND("bc", FILLS, "4")
    "ofb {\n" OUTER_GETS " zz = f32[] constant(0)\n fresh = f32[4,8]{1,0} broadcast(zz), dimensions={}\n"
    " t0 = " FILLS " tuple(zero, fresh, x)\n fi = " FILLS " while(t0), condition=fc, body=fb\n"
    " v = f32[4,8]{1,0} get-tuple-element(fi), index=1\n y = f32[8]{0} get-tuple-element(fi), index=2\n"
    " r = f32[1,4,8]{2,1,0} bitcast(v)\n"
    " u = f32[3,4,8]{2,1,0} dynamic-update-slice(s, r, i, zero, zero)\n ROOT t = " OUTER " tuple(n, u, y)\n}\n"
    "obb {\n" OUTER_GETS " two = s32[] constant(2)\n a = s32[] subtract(two, i)\n"
    " d = f32[1,4,8]{2,1,0} dynamic-slice(s, a, zero, zero), dynamic_slice_sizes={1,4,8}\n"
    " v = f32[4,8]{1,0} bitcast(d)\n t0 = " FILLS " tuple(zero, v, x)\n"
    " bi = " FILLS " while(t0), condition=bc, body=bb\n y = f32[8]{0} get-tuple-element(bi), index=2\n"
    " ROOT t = " OUTER " tuple(n, s, y)\n}\n"
    SIMPLE_COND("ofc", OUTER, "3") SIMPLE_COND("obc", OUTER, "3")
    "ENTRY e {\n x = f32[8]{0} parameter(0)\n z = s32[] constant(0)\n zz = f32[] constant(0)\n"
    " s = f32[3,4,8]{2,1,0} broadcast(zz), dimensions={}\n t = " OUTER " tuple(z, s, x)\n"
    " fo = " OUTER " while(t), condition=ofc, body=ofb\n"
    " v = f32[3,4,8]{2,1,0} get-tuple-element(fo), index=1\n q = " OUTER " tuple(z, v, x)\n"
    " ROOT bo = " OUTER " while(q), condition=obc, body=obb\n}\n";

static void nested(void **state)
{
    (void)state;
    struct words got = {.used = 0};
    struct analysed a;
    analyse(&a, nested_text);
    put_loops(&got, &a);
    uint32_t parents = a.loops.items[1].parent * 10 + a.loops.items[3].parent;
    forget(&a);
    assert_string_equal(got.text, "fo x3 forward with bo; fill 1 dim 0 0+1 of 3 by u fresh > bo\n"
                                  "fi x4 forward with bi" FILLED " > bi\n"
                                  "bo x3 backward with fo; drain 1 dim 0 2-1 of 3 by d < fo\n"
                                  "bi x4 backward with fi" DRAINED " < fi\n");
    assert_int_equal(parents, 2);
}

/* An outer loop's slot is fixed while the inner one runs; read in the inner one, it is the outer's
 * stack, touched as long as the inner one runs. */
#define INNER "(s32[], f32[3,8]{1,0}, f32[8]{0}, s32[])"
static const char outer_index[] =
    "ib {\n p = " INNER " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " s = f32[3,8]{1,0} get-tuple-element(p), index=1\n x = f32[8]{0} get-tuple-element(p), index=2\n"
    " j = s32[] get-tuple-element(p), index=3\n one = s32[] constant(1)\n zero = s32[] constant(0)\n"
    " n = s32[] add(i, one)\n d = f32[1,8]{1,0} dynamic-slice(s, j, zero), dynamic_slice_sizes={1,8}\n"
    " r = f32[8]{0} bitcast(d)\n y = f32[8]{0} add(x, r)\n ROOT t = " INNER " tuple(n, s, y, j)\n}\n"
    SIMPLE_COND("ic", INNER, "5")
    "ob {\n p = " INNER " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " s = f32[3,8]{1,0} get-tuple-element(p), index=1\n x = f32[8]{0} get-tuple-element(p), index=2\n"
    " j = s32[] get-tuple-element(p), index=3\n one = s32[] constant(1)\n zero = s32[] constant(0)\n"
    " n = s32[] add(i, one)\n t0 = " INNER " tuple(zero, s, x, i)\n"
    " in = " INNER " while(t0), condition=ic, body=ib\n y = f32[8]{0} get-tuple-element(in), index=2\n"
    " ROOT t = " INNER " tuple(n, s, y, j)\n}\n"
    SIMPLE_COND("oc", INNER, "3")
    "ENTRY e {\n s = f32[3,8]{1,0} parameter(0)\n x = f32[8]{0} parameter(1)\n z = s32[] constant(0)\n"
    " t = " INNER " tuple(z, s, x, z)\n ROOT out = " INNER " while(t), condition=oc, body=ob\n}\n";

static void outer_slot(void **state)
{
    (void)state;
    struct words got = {.used = 0};
    struct analysed a;
    analyse(&a, outer_index);
    put_loops(&got, &a);
    uint32_t touched = a.loops.n_stacks ? a.loops.stacks[0].touched : 0, inner = a.live.step[a.loops.items[1].inst];
    forget(&a);
    assert_string_equal(got.text, "out x3; drain 1 dim 0 0+1 of 3 by d\nin x5\n");
    assert_int_equal(touched, inner);
}

/* ---- Odd programs ---- */

static void odd(void **state)
{
    (void)state;
    struct words got = {.used = 0};
    struct analysed a;
    analyse(&a, "body {\n ROOT p = f32[4]{0} parameter(0)\n}\n"
                "cond {\n p = f32[4]{0} parameter(0)\n ROOT r = pred[] constant(false)\n}\n"
                "b0 {\n ROOT p = () parameter(0)\n}\nc0 {\n p = () parameter(0)\n ROOT r = pred[] constant(true)\n}\n"
                "ENTRY e {\n x = f32[4]{0} parameter(0)\n w = f32[4]{0} while(x), condition=cond, body=body\n"
                " t = () tuple()\n v = () while(t), condition=c0, body=b0\n ROOT n = f32[4]{0} negate(w)\n}\n");
    put_loops(&got, &a);
    forget(&a);
    assert_string_equal(got.text, "w x0\nv x-1\n");
    analyse(&a, "ENTRY e {\n ROOT x = f32[4]{0} parameter(0)\n}\n");
    assert_int_equal(a.loops.n, 0);
    forget(&a);
}

static void large(void **state)
{
    (void)state;
    struct analysed a;
    char *text = large_stacks(LARGE_STACKS, LARGE_INDEX);
    analyse(&a, text);
    uint32_t found = a.loops.n_stacks;
    int64_t count = a.loops.items[0].trip_count;
    forget(&a);
    free(text);
    assert_int_equal(count, 9);
    assert_in_range(found, LARGE_STACKS - 1 - LARGE_STACKS / 100, LARGE_STACKS - 1);
}

/* ---- The shipped grid ---- */

struct cell {
    char name[100], dir[200];
};

/* "a100-d1048576-s5-u2": a scan of 5 steps over f32[1024,1048576], 2 steps an iteration. */
static void grid(void **state)
{
    const struct cell *c = *state;
    unsigned width, steps, unroll;
    const char *at = strstr(c->name, "-d");
    assert_non_null(at);
    if (sscanf(at, "-d%u-s%u-u%u", &width, &steps, &unroll) != 3) {
        assert_int_equal(sscanf(at, "-d%u-s%u-uf", &width, &steps), 2);
        unroll = steps;
    }
    struct dump dump;
    struct module m;
    struct program p;
    struct diag d;
    char line[1200];
    if (!dump_find(&dump, c->dir, &d) || !dump_load(&dump, 0, FORM_ANY, &m, &d) || !program_build(&p, &m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
    const struct loops *l = &p.loops;
    bool rolled = steps / unroll >= 2; /* XLA takes a loop of one iteration apart */
    assert_int_equal(l->n, rolled ? 2 : 0);
    for (uint32_t k = 0; k < l->n; k++) {
        assert_int_equal(l->items[k].trip_count, steps / unroll);
        assert_int_equal(l->items[k].pass, k ? PASS_BACKWARD : PASS_FORWARD);
        assert_int_equal(l->items[k].pair, 1 - k);
        uint32_t whole = 0; /* the residual stack: all models, and no other array is that large */
        for (uint32_t s = l->items[k].stacks.first; s < l->items[k].stacks.first + l->items[k].stacks.n; s++) {
            const struct loop_stack *x = &l->stacks[s];
            assert_true(x->regular);
            assert_int_equal(x->slots, steps / unroll);
            assert_int_equal(x->width, 1);
            assert_int_equal(x->access, k == 0 && s - l->items[k].stacks.first < 4 ? ACCESS_FILL : ACCESS_DRAIN);
            if (x->slot_bytes != 4ull * 1024 * width * unroll)
                continue;
            whole++;
            assert_int_equal(x->first, k ? x->slots - 1 : 0);
            assert_int_equal(x->stride, k ? -1 : 1);
            assert_int_equal(x->fresh, k == 0);
            assert_int_equal(x->carry, k ? LOOP_NONE : 2);
            assert_int_equal(l->stacks[x->feeds].loop, 1 - k);
        }
        assert_int_equal(whole, 1);
    }
    program_free(&p);
    module_free(&m);
    dump_free(&dump);
}

static int is_cell(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

int main(void)
{
    struct dirent **names;
    int n_cells = scandir("fixtures/grid", &names, is_cell, alphasort);
    size_t n = 0;
    if (n_cells <= 0) {
        fprintf(stderr, "no cells in fixtures/grid\n");
        return 1;
    }
    struct cell *cells = calloc((size_t)n_cells, sizeof *cells);
    struct CMUnitTest *tests = calloc(COUNT(trips) + COUNT(pairs) + 4 + (size_t)n_cells, sizeof *tests);
    if (!cells || !tests)
        abort();
    ADD_TABLE(trips, trip, name);
    ADD_TABLE(pairs, pair, name);
    ADD_AS(nested, "a stack of stacks, and the way back");
    ADD_AS(outer_slot, "an outer loop's slot, read in an inner loop");
    ADD_AS(odd, "a loop of an array, a loop of nothing, no loop");
    ADD_AS(large, LARGE_STACKS_NAME);
    for (int k = 0; k < n_cells; k++) {
        snprintf(cells[k].name, sizeof cells[k].name, "%.90s", names[k]->d_name);
        snprintf(cells[k].dir, sizeof cells[k].dir, "fixtures/grid/%.150s", names[k]->d_name);
        tests[n++] = (struct CMUnitTest){.name = cells[k].name, .test_func = grid, .initial_state = &cells[k]};
        free(names[k]);
    }
    free(names);
    int failed = _cmocka_run_group_tests("loops", tests, n, NULL, NULL);
    free(cells);
    free(tests);
    return failed;
}
