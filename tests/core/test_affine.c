/* Integers as functions of an iteration, and where they are none. */
#include "core/analysis/loops/affine.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

struct affine_case {
    const char *name;
    int64_t base, step, n; /* of i, which is s32; n 0: any number of iterations */
    const char *lines;     /* define r */
    const char *want;      /* "3-1", or why not: "?i" on i, "?d" on data, "?" neither */
};

#define K(name, v) " " name " = s32[] constant(" v ")\n"

static const struct affine_case cases[] = {
    {"i", 0, 1, 8, " r = s32[] copy(i)\n", "0+1"},
    {"a constant", 0, 1, 8, K("r", "-7"), "-7+0"},
    {"u64, all of it", 0, 1, 8, " r = u64[] constant(18446744073709551615)\n", "-1+0"},
    {"a sum", 2, 3, 8, K("c", "5") " r = s32[] add(i, c)\n", "7+3"},
    {"n - 1 - i", 0, 1, 8, K("c", "7") " r = s32[] subtract(c, i)\n", "7-1"},
    {"a sum of two", 0, 1, 8, " r = s32[] add(i, i)\n", "0+2"},
    {"a difference of two", 5, 1, 8, " r = s32[] subtract(i, i)\n", "0+0"},
    {"a product", 1, 2, 8, K("c", "-3") " r = s32[] multiply(c, i)\n", "-3-6"},
    {"a square", 0, 1, 8, " r = s32[] multiply(i, i)\n", "?i"},
    {"nothing times data", 0, 1, 8, K("c", "0") " r = s32[] multiply(c, data)\n", "0+0"},
    {"data", 0, 1, 8, " r = s32[] add(i, data)\n", "?id"},
    {"what is the same in every iteration", 0, 1, 8, " r = s32[] add(same, same)\n", "?"},
    {"the same and i", 0, 1, 8, " r = s32[] add(same, i)\n", "?i"},
    {"shifted left", 0, 1, 8, K("c", "3") " r = s32[] shift-left(i, c)\n", "0+8"},
    {"shifted by too much", 0, 1, 8, K("c", "32") " r = s32[] shift-left(i, c)\n", "?i"},
    {"shifted right", 9, 0, 8, K("c", "1") " r = s32[] shift-right-logical(i, c)\n", "4+0"},
    {"shifted right, negative", -8, 0, 8, K("c", "1") " r = s32[] shift-right-arithmetic(i, c)\n", "-4+0"},
    {"shifted right without its sign", -8, 0, 8, K("c", "28") " r = s32[] shift-right-logical(i, c)\n", "15+0"},
    {"divided evenly", 4, 6, 8, K("c", "2") " r = s32[] divide(i, c)\n", "2+3"},
    {"divided unevenly", 0, 1, 8, K("c", "2") " r = s32[] divide(i, c)\n", "?i"},
    {"divided by nothing", 3, 0, 8, K("c", "0") " r = s32[] divide(i, c)\n", "?"},
    {"a rest that never comes round", 0, 1, 8, K("c", "8") " r = s32[] remainder(i, c)\n", "0+1"},
    {"a rest that comes round", 0, 1, 9, K("c", "8") " r = s32[] remainder(i, c)\n", "?i"},
    {"the lowest number through -1 wraps", -2147483648, 0, 8, K("c", "-1") " r = s32[] divide(i, c)\n",
     "-2147483648+0"},
    {"a sum that wraps at once", 2147483647, 0, 8, K("c", "1") " r = s32[] add(i, c)\n", "-2147483648+0"},
    {"a sum that wraps on the way", 2147483640, 1, 8, K("c", "5") " r = s32[] add(i, c)\n", "?i"},
    {"unsigned, i - 1 from 1", 1, 1, 8, " u = u32[] convert(i)\n c = u32[] constant(4294967295)\n"
     " r = u32[] add(u, c)\n", "0+1"},
    {"unsigned, i - 1 from 0", 0, 1, 8, " u = u32[] convert(i)\n c = u32[] constant(4294967295)\n"
     " r = u32[] add(u, c)\n", "?i"},
    {"narrowed where it fits", 0, 1, 100, " r = s8[] convert(i)\n", "0+1"},
    {"narrowed where it does not", 0, 1, 200, " r = s8[] convert(i)\n", "?i"},
    {"to a float and back", 0, 1, 8, " f = f32[] convert(i)\n r = s32[] convert(f)\n", "?d"},
    {"the larger one, always the same", 0, 1, 8, K("c", "-1") " r = s32[] maximum(i, c)\n", "0+1"},
    {"the larger one, touching", 0, 1, 8, K("c", "7") " r = s32[] minimum(i, c)\n", "0+1"},
    {"the larger one, now this, now that", 0, 1, 8, K("c", "4") " r = s32[] maximum(i, c)\n", "?i"},
    {"clamped and never out", 0, 1, 8, K("a", "0") K("b", "7") " r = s32[] clamp(a, i, b)\n", "0+1"},
    {"clamped and out", 0, 1, 9, K("a", "0") K("b", "7") " r = s32[] clamp(a, i, b)\n", "?i"},
    {"clamped, always out", 10, 1, 9, K("a", "0") K("b", "7") " r = s32[] clamp(a, i, b)\n", "7+0"},
    {"a negative index made positive", -8, 1, 8, K("z", "0") K("c", "8")
     " p = s32[] add(i, c)\n b = pred[] compare(i, z), direction=LT\n r = s32[] select(b, p, i)\n", "0+1"},
    {"a select that changes", -4, 1, 8, K("z", "0") K("c", "8")
     " p = s32[] add(i, c)\n b = pred[] compare(i, z), direction=LT\n r = s32[] select(b, p, i)\n", "?i"},
    {"a select of the same", 3, 1, 8, " b = pred[] convert(data)\n r = s32[] select(b, i, i)\n", "3+1"},
    {"a compare, true", 0, 1, 8, K("c", "7") " r = pred[] compare(i, c), direction=LE\n", "1+0"},
    {"a compare, false", 0, 1, 8, K("c", "9") " r = pred[] compare(i, c), direction=EQ\n", "0+0"},
    {"a compare that passes by", 1, 2, 8, K("c", "4") " r = pred[] compare(i, c), direction=NE\n", "1+0"},
    {"a compare that meets", 0, 2, 8, K("c", "4") " r = pred[] compare(i, c), direction=NE\n", "?i"},
    {"a compare for any number of iterations", 0, 1, 0, K("c", "-1") " r = pred[] compare(i, c), direction=GT\n",
     "?i"},
    {"unsigned compares", 0, 0, 8, " a = u64[] constant(18446744073709551615)\n b = u64[] constant(1)\n"
     " r = pred[] compare(a, b), direction=GT\n", "1+0"},
    {"false and whatever", 0, 1, 8, " f = pred[] constant(false)\n b = pred[] convert(data)\n"
     " r = pred[] and(b, f)\n", "0+0"},
    {"true or whatever", 0, 1, 8, " f = pred[] constant(true)\n b = pred[] convert(data)\n"
     " r = pred[] or(f, b)\n", "1+0"},
    {"not", 0, 1, 8, " r = s32[] not(i)\n", "-1-1"},
    {"not true", 0, 1, 8, " f = pred[] constant(true)\n r = pred[] not(f)\n", "0+0"},
    {"exclusive or", 6, 0, 8, K("c", "3") " r = s32[] xor(i, c)\n", "5+0"},
    {"turned round", 3, 1, 8, " r = s32[] negate(i)\n", "-3-1"},
    {"its size", -9, 0, 8, " r = s32[] abs(i)\n", "9+0"},
    {"one of a vector, broadcast and reshaped", 0, 1, 8,
     " b = s32[1]{0} broadcast(i), dimensions={}\n v = s32[1,1]{1,0} reshape(b)\n r = s32[] bitcast(v)\n", "0+1"},
    {"a vector of one number", 0, 1, 8, " r = s32[2]{0} broadcast(i), dimensions={}\n", "0+1"},
    {"an iota of one", 0, 1, 8, " r = s32[1]{0} iota(), iota_dimension=0\n", "0+0"},
    {"a u64 product that is too large", 0, 1, 8,
     " a = u64[] constant(18446744073709551615)\n r = u64[] multiply(a, a)\n", "?"},
};

static void evaluate(void **state)
{
    const struct affine_case *c = *state;
    char text[3000], got[64];
    struct arena arena = {0};
    struct hlo h;
    struct dataflow flow;
    struct liveness live;
    struct trace trace;
    struct diag d;
    snprintf(text, sizeof text,
             "HloModule m, is_scheduled=true\n\nENTRY e {\n i = s32[] parameter(0)\n same = s32[] parameter(1)\n"
             " data = s32[] custom-call(), custom_call_target=\"f\"\n%s ROOT end = (s32[]) tuple(i)\n}\n", c->lines);
    struct file f = {"x.txt", text, strlen(text)};
    hlo_init(&h, &arena, f.name);
    if (!hlo_text_read(&h, &f, &d) || !dataflow_build(&flow, &h, &arena, &d) ||
        !liveness_build(&live, &flow, (struct live_rules){0}, &arena, &d))
        fail_msg("%s", d.what);
    trace_init(&trace, &flow, &arena);
    uint32_t *slot = arena_array(&arena, flow.n, sizeof *slot);
    struct affine i = {.known = true, .base = c->base, .step = c->step};
    slot[flow.at[hlo_inst(&h, 0)->first_pos].v] = 1;
    struct affine_env e = {.trace = &trace, .live = &live, .inside = {2, live.length}, .slot = slot, .of = &i,
                           .n = c->n};
    struct affine a = affine_at(&e, trace_at(&trace, h.insts.n - 2, 0));
    arena_free(&arena);
    if (a.known)
        snprintf(got, sizeof got, "%lld%+lld", (long long)a.base, (long long)a.step);
    else
        snprintf(got, sizeof got, "?%s%s", a.inductive ? "i" : "", a.data ? "d" : "");
    assert_string_equal(got, c->want);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases)] = {{0}};
    for (size_t k = 0; k < COUNT(cases); k++)
        tests[k] = (struct CMUnitTest){.name = cases[k].name, .test_func = evaluate, .initial_state = (void *)&cases[k]};
    return _cmocka_run_group_tests("affine", tests, COUNT(cases), NULL, NULL);
}
