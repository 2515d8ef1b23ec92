/* Stacks of one loop, rule by rule: which slots an iteration touches, and how many are full. */
#include "tests/support/loop_words.h"
#include "tests/support/tables.h"

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

int main(void)
{
    static struct CMUnitTest tests[COUNT(stacks) + COUNT(filled) + 1];
    size_t n = 0;
    ADD_TABLE(stacks, stack, name);
    ADD_TABLE(filled, how_full, name);
    ADD_AS(how_full_marked, "filled slots as they are marked one by one");
    return _cmocka_run_group_tests("loop_stacks", tests, n, NULL, NULL);
}
