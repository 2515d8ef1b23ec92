/* Loops of small programs, rule by rule: how often they run, which slots they touch, what pairs. */
#include "core/analysis/loops/loops.h"
#include "core/load/example/shipped.h"
#include "core/analysis/program/program.h"
#include "tests/support/analysed.h"
#include "tests/support/words.h"

#include <dirent.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- In words ---- */

static const char *const access_words[] = {"fill", "drain", "both"};

/* "fill 1 dim 0 0+1 of 4 by u carry 2 fresh" */
static void put_stack(struct words *w, const struct analysed *a, const struct loop_stack *s)
{
    put(w, "%s %u dim %u ", access_words[s->access], s->element, s->dim);
    if (s->regular)
        put(w, "%lld%+lld", (long long)s->first, (long long)s->stride);
    else
        put(w, "?");
    if (s->width != 1)
        put(w, " width %lld", (long long)s->width);
    put(w, " of %lld by %s", (long long)s->slots, hlo_inst(&a->hlo, s->by)->name);
    if (s->slice != s->by)
        put(w, ":%s", hlo_inst(&a->hlo, s->slice)->name);
    if (s->carry != LOOP_NONE)
        put(w, " carry %u", s->carry);
    if (s->fresh)
        put(w, " fresh");
}

static void put_loop(struct words *w, const struct analysed *a, uint32_t k)
{
    static const char *const passes[] = {"", " forward", " backward"};
    const struct loop *l = &a->loops.items[k];
    put(w, "%s x%lld%s", l->name, (long long)l->trip_count, passes[l->pass]);
    if (l->pair != LOOP_NONE)
        put(w, " with %s", a->loops.items[l->pair].name);
    for (uint32_t s = l->stacks.first; s < l->stacks.first + l->stacks.n; s++) {
        put(w, "; ");
        put_stack(w, a, &a->loops.stacks[s]);
    }
}

/* ---- Trip counts ---- */

struct trip_case {
    const char *name, *type, *first;
    const char *body; /* defines n from i */
    const char *test; /* the condition's root r, from i */
    const char *config;
    int64_t trips;
    int64_t step; /* of the induction, 0: none */
};

#define ADD(c) " k = " c "\n n = s32[] add(i, k)\n"
#define PLUS_1 ADD("s32[] constant(1)")
#define TEST(c, how) " k = s32[] constant(" c ")\n ROOT r = pred[] compare(i, k), direction=" how "\n"
#define CONFIG(n) ", backend_config={\"known_trip_count\":{\"n\":\"" n "\"}}"

static const struct trip_case trips[] = {
    {"i < 4", "s32[]", "0", PLUS_1, TEST("4", "LT"), "", 4, 1},
    {"i <= 4", "s32[]", "0", PLUS_1, TEST("4", "LE"), "", 5, 1},
    {"i != 4", "s32[]", "0", PLUS_1, TEST("4", "NE"), "", 4, 1},
    {"i == 0", "s32[]", "0", PLUS_1, TEST("0", "EQ"), "", 1, 1},
    {"4 > i", "s32[]", "0", PLUS_1,
     " k = s32[] constant(4)\n ROOT r = pred[] compare(k, i), direction=GT\n", "", 4, 1},
    {"downwards, i > 0", "s32[]", "7", ADD("s32[] constant(-1)"), TEST("0", "GT"), "", 7, -1},
    {"downwards, i >= 0", "s32[]", "7", ADD("s32[] constant(-1)"), TEST("0", "GE"), "", 8, -1},
    {"in steps of 3", "s32[]", "1", ADD("s32[] constant(3)"), TEST("10", "LT"), "", 3, 3},
    {"in steps that pass the bound", "s32[]", "0", ADD("s32[] constant(3)"), TEST("10", "LT"), "", 4, 3},
    {"in steps that miss what they wait for, until they wrap", "s32[]", "0", ADD("s32[] constant(3)"),
     TEST("10", "NE"), "", -1, 3},
    {"not once", "s32[]", "9", PLUS_1, TEST("4", "LT"), "", 0, 1},
    {"away from the bound", "s32[]", "0", ADD("s32[] constant(-1)"), TEST("4", "LT"), "", -1, -1},
    {"a counter that stays", "s32[]", "0", ADD("s32[] constant(0)"), TEST("4", "LT"), "", -1, 0},
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
    {"a step from data", "s32[]", "0", ADD("s32[] custom-call(), custom_call_target=\"f\""),
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

/* ---- Stacks of one loop ---- */

#define STATE "(s32[], f32[4,8]{1,0}, f32[8]{0}, f32[4,8]{1,0}, s32[])"

struct stack_case {
    const char *name;
    const char *callees;
    const char *body; /* new elements n0 … n4 from g0 … g4; one, zero, row (f32[1,8] of g2) are there */
    const char *want;
};

#define NEXT      " n0 = s32[] add(g0, one)\n"
#define KEEP_STACK " n1 = f32[4,8]{1,0} copy(g1)\n"
#define DUS(to, from, row, at) " " to " = f32[4,8]{1,0} dynamic-update-slice(" from ", " row ", " at ", zero)\n"
#define DS(to, from, at)                                                                           \
    " " to " = f32[1,8]{1,0} dynamic-slice(" from ", " at ", zero), dynamic_slice_sizes={1,8}\n"
#define ROW(of) " n2 = f32[8]{0} bitcast(" of ")\n"

static const struct stack_case stacks[] = {
    {"what the body was given is written", "", DUS("n1", "g1", "row", "g0") " n2 = f32[8]{0} negate(g2)\n",
     "w x4; fill 1 dim 0 0+1 of 4 by n1 carry 2 fresh"},
    {"what the body computed is written", "",
     " c = f32[1,8]{1,0} negate(row)\n" DUS("n1", "g1", "c", "g0"),
     "w x4; fill 1 dim 0 0+1 of 4 by n1 fresh"},
    {"slices are read", "", DS("d", "g3", "g0") ROW("d"), "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"backwards: 3 - i", "",
     " k = s32[] constant(3)\n r = s32[] subtract(k, g0)\n" DS("d", "g3", "r") ROW("d"),
     "w x4; drain 3 dim 0 3-1 of 4 by d"},
    {"an index that is made positive", "",
     " k = s32[] constant(3)\n r = s32[] subtract(k, g0)\n four = s32[] constant(4)\n"
     " q = s32[] add(r, four)\n c = pred[] compare(r, zero), direction=LT\n"
     " x = s32[] select(c, q, r)\n" DS("d", "g3", "x") ROW("d"),
     "w x4; drain 3 dim 0 3-1 of 4 by d"},
    {"an index that is clamped where it never is", "",
     " k = s32[] constant(3)\n x = s32[] clamp(zero, g0, k)\n" DS("d", "g3", "x") ROW("d"),
     "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"an index that is clamped half-way", "",
     " x = s32[] minimum(g0, one)\n" DS("d", "g3", "x") ROW("d"), "w x4; drain 3 dim 0 ? of 4 by d"},
    {"an index that turns round", "",
     " two = s32[] constant(2)\n x = s32[] remainder(g0, two)\n" DS("d", "g3", "x") ROW("d"),
     "w x4; drain 3 dim 0 ? of 4 by d"},
    {"an index from before the iteration", "", " n4 = s32[] copy(g0)\n" DS("d", "g3", "g4") ROW("d"),
     "w x4; drain 3 dim 0 -1+1 of 4 by d"},
    {"an index from data is none", "",
     " x = s32[] custom-call(g0), custom_call_target=\"f\"\n" DS("d", "g3", "x") ROW("d"), "w x4"},
    {"always the same slot is none", "", DS("d", "g3", "one") ROW("d"), "w x4"},
    {"an array that is also read whole is none", "",
     DS("d", "g3", "g0") " x = f32[4,8]{1,0} negate(g3)\n" ROW("d"), "w x4"},
    {"an array that is made anew is none", "", " n1 = f32[4,8]{1,0} negate(g1)\n", "w x4"},
    {"two slots an iteration, that lie together", "",
     " two = s32[] constant(2)\n x = s32[] multiply(g0, two)\n y = s32[] add(x, one)\n"
     DUS("u", "g1", "row", "x") DUS("n1", "u", "row", "y"),
     "w x4; fill 1 dim 0 0+2 width 2 of 4 by n1 fresh"},
    {"two slots an iteration, with a gap", "",
     " two = s32[] constant(2)\n y = s32[] add(g0, two)\n" DUS("u", "g1", "row", "g0")
     DUS("n1", "u", "row", "y"), "w x4; fill 1 dim 0 ? of 4 by n1 fresh"},
    {"two slots that move apart", "",
     " k = s32[] constant(3)\n y = s32[] subtract(k, g0)\n" DUS("u", "g1", "row", "g0")
     DUS("n1", "u", "row", "y"), "w x4; fill 1 dim 0 ? of 4 by n1 fresh"},
    {"zeros of which the body reads more than the slot, as a cache", "",
     DUS("n1", "g1", "row", "g0") " m = f32[4,8]{1,0} negate(n1)\n"
     " n2 = f32[8]{0} custom-call(m), custom_call_target=\"f\"\n",
     "w x4; fill 1 dim 0 0+1 of 4 by n1 carry 2 fresh"},
    {"what was there before, written over and never read", "",
     " k = s32[] constant(5)\n x = s32[] minimum(g0, k)\n" DUS("n3", "g3", "row", "x"),
     "w x4; fill 3 dim 0 0+1 of 4 by n3 fresh"},
    {"what was there before, read whole and written over", "",
     DUS("n3", "g3", "row", "g0") " m = f32[4,8]{1,0} negate(g3)\n", "w x4; fill 3 dim 0 0+1 of 4 by n3"},
    {"what was there before, read when a slot is new", "",
     DUS("n3", "g3", "row", "g0") " m = f32[4,8]{1,0} negate(n3)\n", "w x4; fill 3 dim 0 0+1 of 4 by n3"},
    {"rows are read and written", "",
     DS("d", "g1", "g0") " c = f32[1,8]{1,0} add(d, row)\n" DUS("n1", "g1", "c", "g0"),
     "w x4; both 1 dim 0 0+1 of 4 by n1"},
    {"a slot of two dimensions moves in neither", "",
     " d = f32[1,1]{1,0} dynamic-slice(g3, g0, g0), dynamic_slice_sizes={1,1}\n"
     " b = f32[] bitcast(d)\n n2 = f32[8]{0} broadcast(b), dimensions={}\n", "w x4"},
    {"in a fusion",
     "f {\n a = f32[4,8]{1,0} parameter(0)\n b = f32[8]{0} parameter(1)\n j = s32[] parameter(2)\n"
     " o = s32[] constant(0)\n r = f32[1,8]{1,0} bitcast(b)\n"
     " ROOT u = f32[4,8]{1,0} dynamic-update-slice(a, r, j, o)\n}\n",
     " n1 = f32[4,8]{1,0} fusion(g1, g2, g0), kind=kLoop, calls=f\n n2 = f32[8]{0} negate(g2)\n",
     "w x4; fill 1 dim 0 0+1 of 4 by n1:u carry 2 fresh"},
    {"in a fusion with two outputs, of another shape",
     "f {\n a = f32[4,8]{1,0} parameter(0)\n b = f32[8]{0} parameter(1)\n j = s32[] parameter(2)\n"
     " o = s32[] constant(0)\n x = f32[4,2,4]{2,1,0} bitcast(a)\n r = f32[1,2,4]{2,1,0} bitcast(b)\n"
     " u = f32[4,2,4]{2,1,0} dynamic-update-slice(x, r, j, o, o)\n y = f32[4,8]{1,0} bitcast(u)\n"
     " m = f32[8]{0} negate(b)\n ROOT t = (f32[8]{0}, f32[4,8]{1,0}) tuple(m, y)\n}\n",
     " q = (f32[8]{0}, f32[4,8]{1,0}) fusion(g1, g2, g0), kind=kLoop, calls=f\n"
     " n1 = f32[4,8]{1,0} get-tuple-element(q), index=1\n n2 = f32[8]{0} get-tuple-element(q), index=0\n",
     "w x4; fill 1 dim 0 0+1 of 4 by q:u carry 2 fresh"},
    {"of merged dimensions", "",
     " m = f32[32]{0} bitcast(g3)\n e = s32[] constant(8)\n x = s32[] multiply(g0, e)\n"
     " n2 = f32[8]{0} dynamic-slice(m, x), dynamic_slice_sizes={8}\n",
     "w x4; drain 3 dim 0 0+1 of 4 by n2"},
    {"of merged dimensions, not whole slots", "",
     " m = f32[32]{0} bitcast(g3)\n n2 = f32[8]{0} dynamic-slice(m, g0), dynamic_slice_sizes={8}\n", "w x4"},
    {"of a transpose", "",
     " m = f32[8,4]{1,0} transpose(g3), dimensions={1,0}\n"
     " d = f32[8,1]{1,0} dynamic-slice(m, zero, g0), dynamic_slice_sizes={8,1}\n" ROW("d"),
     "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"of a bitcast that swaps dimensions", "",
     " m = f32[8,4]{0,1} bitcast(g3)\n"
     " d = f32[8,1]{0,1} dynamic-slice(m, zero, g0), dynamic_slice_sizes={8,1}\n" ROW("d"),
     "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"in another type, as CPUs update narrow floats", "",
     " h = f64[4,8]{1,0} convert(g1)\n r = f64[1,8]{1,0} convert(row)\n"
     " u = f64[4,8]{1,0} dynamic-update-slice(h, r, g0, zero)\n n1 = f32[4,8]{1,0} convert(u)\n"
     " n2 = f32[8]{0} negate(g2)\n",
     "w x4; fill 1 dim 0 0+1 of 4 by u carry 2 fresh"},
    {"a select keeps the old one", "",
     " c = pred[] compare(g0, one), direction=GT\n b = pred[4,8]{1,0} broadcast(c), dimensions={}\n"
     DUS("u", "g1", "row", "g0") " n1 = f32[4,8]{1,0} select(b, u, g1)\n n2 = f32[8]{0} negate(g2)\n",
     "w x4; fill 1 dim 0 0+1 of 4 by u carry 2 fresh"},
    {"in an async call",
     "f {\n a = f32[4,8]{1,0} parameter(0)\n b = f32[1,8]{1,0} parameter(1)\n j = s32[] parameter(2)\n"
     " o = s32[] constant(0)\n ROOT u = f32[4,8]{1,0} dynamic-update-slice(a, b, j, o)\n}\n"
     "a {\n a = f32[4,8]{1,0} parameter(0)\n b = f32[1,8]{1,0} parameter(1)\n j = s32[] parameter(2)\n"
     " ROOT v = f32[4,8]{1,0} fusion(a, b, j), kind=kLoop, calls=f\n}\n",
     " s = ((f32[4,8]{1,0}, f32[1,8]{1,0}, s32[]), f32[4,8]{1,0}, u32[]) async-start(g1, row, g0), calls=a\n"
     " n1 = f32[4,8]{1,0} async-done(s)\n n2 = f32[8]{0} negate(g2)\n",
     "w x4; fill 1 dim 0 0+1 of 4 by n1:u carry 2 fresh"},
    {"in a call",
     "f {\n a = f32[4,8]{1,0} parameter(0)\n j = s32[] parameter(1)\n o = s32[] constant(0)\n"
     " ROOT d = f32[1,8]{1,0} dynamic-slice(a, j, o), dynamic_slice_sizes={1,8}\n}\n",
     " d = f32[1,8]{1,0} call(g3, g0), to_apply=f\n" ROW("d"), "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"of a copy that is made elsewhere", "",
     " s = (f32[4,8]{1,0:S(1)}, f32[4,8]{1,0}, u32[]) copy-start(g3)\n k = f32[4,8]{1,0:S(1)} copy-done(s)\n"
     DS("d", "k", "g0") ROW("d"), "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"of copies that run as one", "",
     " c = f32[8,8]{1,0} concatenate(g3, g1), dimensions={0}\n"
     " x = f32[4,8]{1,0} slice(c), slice={[0:4], [0:8]}\n"
     " y = f32[4,8]{1,0} slice(c), slice={[4:8], [0:8]}\n" DS("d", "x", "g0") ROW("d")
     " n1 = f32[4,8]{1,0} negate(y)\n", "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"of a part that is none", "",
     " c = f32[8,8]{1,0} concatenate(g3, g1), dimensions={0}\n"
     " x = f32[4,8]{1,0} slice(c), slice={[1:5], [0:8]}\n" DS("d", "x", "g0") ROW("d"), "w x4"},
    {"in one branch",
     "t {\n p = (f32[4,8]{1,0}, s32[]) parameter(0)\n a = f32[4,8]{1,0} get-tuple-element(p), index=0\n"
     " j = s32[] get-tuple-element(p), index=1\n o = s32[] constant(0)\n"
     " ROOT d = f32[1,8]{1,0} dynamic-slice(a, j, o), dynamic_slice_sizes={1,8}\n}\n"
     "u {\n p = f32[1,8]{1,0} parameter(0)\n ROOT n = f32[1,8]{1,0} negate(p)\n}\n",
     " q = (f32[4,8]{1,0}, s32[]) tuple(g3, g0)\n"
     " d = f32[1,8]{1,0} conditional(g4, q, row), branch_computations={t, u}\n" ROW("d"),
     "w x4; drain 3 dim 0 0+1 of 4 by d"},
    {"with too few starts", "", " d = f32[1,8]{1,0} dynamic-slice(g3, g0), dynamic_slice_sizes={1,8}\n" ROW("d"),
     "w x4"},
    {"with a slice of another rank", "", " d = f32[8]{0} dynamic-slice(g3, g0, zero)\n n2 = f32[8]{0} copy(d)\n",
     "w x4"},
};

static bool defines(const char *body, unsigned k)
{
    char word[8];
    snprintf(word, sizeof word, " n%u = ", k);
    return strstr(body, word) != NULL;
}

static void stack(void **state)
{
    const struct stack_case *c = *state;
    static const char *const shapes[] = {"s32[]", "f32[4,8]{1,0}", "f32[8]{0}", "f32[4,8]{1,0}", "s32[]"};
    struct words text = {.used = 0}, got = {.used = 0};
    struct analysed a;
    put(&text, "%sbody {\n p = " STATE " parameter(0)\n", c->callees);
    for (unsigned k = 0; k < 5; k++)
        put(&text, " g%u = %s get-tuple-element(p), index=%u\n", k, shapes[k], k);
    put(&text, " one = s32[] constant(1)\n zero = s32[] constant(0)\n row = f32[1,8]{1,0} bitcast(g2)\n%s%s"
               " ROOT t = " STATE " tuple(", NEXT, c->body);
    for (unsigned k = 0; k < 5; k++)
        put(&text, "%s%c%u", k ? ", " : "", k == 0 || defines(c->body, k) ? 'n' : 'g', k);
    put(&text, ")\n}\ncond {\n p = " STATE " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
               " k = s32[] constant(4)\n ROOT r = pred[] compare(i, k), direction=LT\n}\n"
               "ENTRY e {\n x = f32[8]{0} parameter(0)\n y = f32[4,8]{1,0} parameter(1)\n"
               " i = s32[] constant(0)\n j = s32[] constant(-1)\n z = f32[] constant(0)\n"
               " s = f32[4,8]{1,0} broadcast(z), dimensions={}\n t = " STATE " tuple(i, s, x, y, j)\n"
               " ROOT w = " STATE " while(t), condition=cond, body=body\n}\n");
    analyse(&a, text.text);
    put_loop(&got, &a, 0);
    bool in_body = true;
    for (uint32_t k = 0; k < a.loops.n_stacks; k++) {
        const struct loop_stack *s = &a.loops.stacks[k];
        in_body = in_body && s->touched - a.loops.items[0].body.first < a.loops.items[0].body.n &&
                  s->touched == a.live.step[s->by];
    }
    forget(&a);
    assert_string_equal(got.text, c->want);
    assert_true(in_body);
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

static void put_loops(struct words *w, const struct analysed *a)
{
    for (uint32_t k = 0; k < a->loops.n; k++) {
        put_loop(w, a, k);
        const struct loop *l = &a->loops.items[k];
        for (uint32_t j = l->stacks.first; j < l->stacks.first + l->stacks.n; j++) {
            const struct loop_stack *s = &a->loops.stacks[j];
            if (s->feeds != LOOP_NONE)
                put(w, " %c %s", s->access == ACCESS_DRAIN ? '<' : '>',
                    a->loops.items[a->loops.stacks[s->feeds].loop].name);
        }
        put(w, "\n");
    }
}

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
    bool inside[4];
    for (uint32_t k = 0; k < 4; k++)
        inside[k] = loop_in_backward(&a.loops, &a.hlo, k);
    uint32_t parents = a.loops.items[1].parent * 10 + a.loops.items[3].parent;
    forget(&a);
    assert_string_equal(got.text, "fo x3 forward with bo; fill 1 dim 0 0+1 of 3 by u fresh > bo\n"
                                  "fi x4 forward with bi" FILLED " > bi\n"
                                  "bo x3 backward with fo; drain 1 dim 0 2-1 of 3 by d < fo\n"
                                  "bi x4 backward with fi" DRAINED " < fi\n");
    assert_int_equal(parents, 2);
    assert_true(!inside[0] && !inside[1] && inside[2] && inside[3]);
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

/* ---- Slots and how full ---- */

struct filled_case {
    const char *name;
    enum stack_access access;
    int64_t slots, first, stride, width, trips;
    bool regular, fresh;
    int64_t before[6], end; /* iteration 0 … 5 before it touches; after the last */
};

static const struct filled_case filled[] = {
    {"filled slot by slot", ACCESS_FILL, 4, 0, 1, 1, 4, true, true, {0, 1, 2, 3, 4, 4}, 4},
    {"filled from the end", ACCESS_FILL, 4, 3, -1, 1, 4, true, true, {0, 1, 2, 3, 4, 4}, 4},
    {"drained slot by slot", ACCESS_DRAIN, 4, 3, -1, 1, 4, true, false, {4, 3, 2, 1, 0, 0}, 0},
    {"two at once", ACCESS_FILL, 8, 0, 2, 2, 4, true, true, {0, 2, 4, 6, 8, 8}, 8},
    {"every other one", ACCESS_FILL, 8, 0, 2, 1, 4, true, true, {0, 1, 2, 3, 4, 4}, 4},
    {"overlapping windows", ACCESS_FILL, 6, 0, 1, 3, 4, true, true, {0, 3, 4, 5, 6, 6}, 6},
    {"clamped at the end", ACCESS_FILL, 3, 0, 1, 1, 5, true, true, {0, 1, 2, 3, 3, 3}, 3},
    {"clamped at the start", ACCESS_DRAIN, 4, -1, 1, 1, 4, true, false, {3, 3, 2, 1, 0, 0}, 0},
    {"part of a longer one", ACCESS_FILL, 100, 10, 1, 1, 4, true, true, {0, 1, 2, 3, 4, 4}, 4},
    {"which slots is not known", ACCESS_FILL, 4, 0, 0, 1, 4, false, true, {4, 4, 4, 4, 4, 4}, 4},
    {"it holds data from before", ACCESS_FILL, 4, 0, 1, 1, 4, true, false, {4, 4, 4, 4, 4, 4}, 4},
    {"read and written", ACCESS_BOTH, 4, 0, 1, 1, 4, true, false, {4, 4, 4, 4, 4, 4}, 4},
    {"filled, nobody knows how often", ACCESS_FILL, 4, 0, 1, 1, -1, true, true, {4, 4, 4, 4, 4, 4}, 4},
    {"drained, nobody knows how often", ACCESS_DRAIN, 4, 0, 1, 1, -1, true, false, {4, 4, 4, 4, 4, 4}, 4},
    {"numbers too large to count with", ACCESS_FILL, INT64_MAX, INT64_MAX - 2, INT64_MAX, INT64_MAX, INT64_MAX,
     true, true, {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}, INT64_MAX},
};

static void how_full(void **state)
{
    const struct filled_case *c = *state;
    struct loop loop = {.trip_count = c->trips};
    struct loop_stack s = {.access = c->access, .slots = c->slots, .first = c->first, .stride = c->stride,
                           .width = c->width, .regular = c->regular, .fresh = c->fresh};
    struct loops l = {.items = &loop, .n = 1, .stacks = &s, .n_stacks = 1};
    for (int64_t i = 0; i < 6; i++)
        assert_int_equal(loop_stack_filled(&l, &s, i, false), c->before[i]);
    for (int64_t i = 0; i < 5; i++)
        assert_int_equal(loop_stack_filled(&l, &s, i, true), c->before[i + 1]);
    assert_int_equal(loop_stack_filled(&l, &s, -5, false), c->before[0]);
    assert_int_equal(loop_stack_filled(&l, &s, INT64_MAX, true), c->end);
}

/* The formula against slots that are marked one by one. */
static void how_full_marked(void **state)
{
    (void)state;
    for (int64_t slots = 1; slots <= 6; slots++)
        for (int64_t first = -2; first <= 6; first++)
            for (int64_t stride = -3; stride <= 3; stride++)
                for (int64_t width = 1; width <= slots && width <= 3; width++) {
                    struct loop loop = {.trip_count = 5};
                    struct loop_stack s = {.access = ACCESS_FILL, .slots = slots, .first = first,
                                           .stride = stride, .width = width, .regular = true, .fresh = true};
                    struct loops l = {.items = &loop, .n = 1, .stacks = &s, .n_stacks = 1};
                    bool mark[6] = {false};
                    int64_t n = 0, a, b;
                    for (int64_t i = 0; i < 5; i++) {
                        assert_true(loop_stack_slots(&s, i, &a, &b));
                        assert_true(a >= 0 && b <= slots && b - a == width);
                        for (int64_t k = a; k < b; k++) {
                            n += !mark[k];
                            mark[k] = true;
                        }
                        int64_t got = loop_stack_filled(&l, &s, i, true);
                        assert_int_equal(got, n);
                    }
                }
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

/* Many elements, one body of many instructions, additions that double what is to be looked at. */
static void large(void **state)
{
    (void)state;
    enum { WIDE = 2000, DEEP = 3000 };
    size_t room = (WIDE * 6 + DEEP) * 120 + 10000, n = 0;
    char *text = malloc(room), *types = malloc(WIDE * 16 + 100);
    assert_non_null(text);
    assert_non_null(types);
    size_t m = (size_t)sprintf(types, "(s32[]");
    for (int k = 1; k < WIDE; k++)
        m += (size_t)sprintf(types + m, ", f32[9,4]{1,0}");
    sprintf(types + m, ")");
    n += (size_t)sprintf(text + n, "body {\n p = %s parameter(0)\n", types);
    n += (size_t)sprintf(text + n, " i = s32[] get-tuple-element(p), index=0\n one = s32[] constant(1)\n"
                                   " zero = s32[] constant(0)\n n = s32[] add(i, one)\n a0 = s32[] add(i, zero)\n");
    for (int k = 1; k < DEEP; k++)
        n += (size_t)sprintf(text + n, " a%d = s32[] %s(a%d, a%d)\n", k, k % 2 ? "add" : "subtract", k - 1, k - 1);
    for (int k = 1; k < WIDE; k++)
        n += (size_t)sprintf(text + n, " g%d = f32[9,4]{1,0} get-tuple-element(p), index=%d\n"
                                       " d%d = f32[1,4]{1,0} dynamic-slice(g%d, %s, zero), dynamic_slice_sizes={1,4}\n",
                             k, k, k, k, k % 100 ? "i" : "a2999");
    n += (size_t)sprintf(text + n, " ROOT t = %s tuple(n", types);
    for (int k = 1; k < WIDE; k++)
        n += (size_t)sprintf(text + n, ", g%d", k);
    n += (size_t)sprintf(text + n, ")\n}\ncond {\n p = %s parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
                                   " k = s32[] constant(9)\n ROOT r = pred[] compare(i, k), direction=LT\n}\n"
                                   "ENTRY e {\n z = s32[] constant(0)\n s = f32[9,4]{1,0} parameter(0)\n"
                                   " t = %s tuple(z", types, types);
    for (int k = 1; k < WIDE; k++)
        n += (size_t)sprintf(text + n, ", s");
    n += (size_t)sprintf(text + n, ")\n ROOT w = %s while(t), condition=cond, body=body\n}\n", types);
    assert_true(n < room);
    struct analysed a;
    analyse(&a, text);
    uint32_t found = a.loops.n_stacks;
    int64_t count = a.loops.items[0].trip_count;
    struct arena again = {0};
    struct loops l;
    clock_t start = clock();
    loops_build(&l, &a.flow, &a.live, &again);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    arena_free(&again);
    forget(&a);
    free(text);
    free(types);
    assert_int_equal(count, 9);
    assert_in_range(found, WIDE - 1 - WIDE / 100, WIDE - 1);
    assert_true(seconds < 2); /* a few milliseconds without sanitizers */
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

static const struct CMUnitTest others[] = {
    {.name = "a stack of stacks, and the way back", .test_func = nested},
    {.name = "an outer loop's slot, read in an inner loop", .test_func = outer_slot},
    {.name = "filled slots as they are marked one by one", .test_func = how_full_marked},
    {.name = "a loop of an array, a loop of nothing, no loop", .test_func = odd},
    {.name = "2,000 stacks and an index of 2^3000 terms in time", .test_func = large},
};

static struct CMUnitTest one(const char *name, CMUnitTestFunction run, const void *of)
{
    return (struct CMUnitTest){.name = name, .test_func = run, .initial_state = (void *)of};
}

int main(void)
{
    struct dirent **names;
    int n_cells = scandir("fixtures/grid", &names, is_cell, alphasort);
    struct cell *cells = calloc(n_cells > 0 ? (size_t)n_cells : 1, sizeof *cells);
    struct CMUnitTest *t = calloc(COUNT(trips) + COUNT(stacks) + COUNT(pairs) + COUNT(filled) + COUNT(others) +
                                      (n_cells > 0 ? (size_t)n_cells : 0), sizeof *t);
    size_t n = 0;
    if (n_cells <= 0 || !cells || !t) {
        fprintf(stderr, "no cells in fixtures/grid\n");
        return 1;
    }
    for (size_t k = 0; k < COUNT(trips); k++)
        t[n++] = one(trips[k].name, trip, &trips[k]);
    for (size_t k = 0; k < COUNT(stacks); k++)
        t[n++] = one(stacks[k].name, stack, &stacks[k]);
    for (size_t k = 0; k < COUNT(pairs); k++)
        t[n++] = one(pairs[k].name, pair, &pairs[k]);
    for (size_t k = 0; k < COUNT(filled); k++)
        t[n++] = one(filled[k].name, how_full, &filled[k]);
    for (size_t k = 0; k < COUNT(others); k++)
        t[n++] = others[k];
    for (int k = 0; k < n_cells; k++) {
        snprintf(cells[k].name, sizeof cells[k].name, "%.90s", names[k]->d_name);
        snprintf(cells[k].dir, sizeof cells[k].dir, "fixtures/grid/%.150s", names[k]->d_name);
        t[n++] = one(cells[k].name, grid, &cells[k]);
        free(names[k]);
    }
    free(names);
    int failed = _cmocka_run_group_tests("loops", t, n, NULL, NULL);
    free(cells);
    free(t);
    return failed;
}
