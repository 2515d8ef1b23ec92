/* Instructions that are wrong in a way that readers let pass: refused in a line before anything runs. */
#include "tests/support/op_run.h"

struct refused {
    struct op op;
    const char *says;
};

static const struct inner one_sum[] = {{"add", "f32", {0, 1}, 2, 0, 0}, {0, 0, {0}, 0, 0, 0}};

#define OP(opcode, result, ...) {opcode, opcode, result, {__VA_ARGS__}, 0, 0, 0, NULL, .values = {0}}
static const struct refused cases[] = {
    {OP("reshape", "f32 4", 0), "has no operand"},
    {OP("convert", "f32 4", 0), "has no operand"},
    {OP("broadcast", "f32 4", 0), "has no operand"},
    {OP("dynamic-slice", "f32 4", 0), "has no operand"},
    {OP("dot", "f32 4", "f32 4"), "has not two operands"},
    {OP("convolution", "f32 1 4 1", "f32 1 4 1"), "too few operands"},
    {OP("gather", "f32 4", "f32 4"), "too few operands"},
    {OP("topk", "f32 4, s32 4", 0), "too few operands"},
    {OP("topk", "f32 4", "f32 4"), "has not two results"},
    {OP("pad", "f32 4", "f32 4"), "has not two operands"},
    {OP("fft", "c64 4", "c64 4", "c64 4"), "has 2 operands, not 1"},
    {OP("negate", "f32 2 3 | 0 0", "f32 2 3"), "has a layout that orders no dimensions"},
    {OP("negate", "f32 2 3 | 64 0", "f32 2 3"), "has a layout that orders no dimensions"},
    {OP("transpose", "f32 2 3", "f32 3 2 | -1 0"), "has a layout that orders no dimensions"},
    {{"a sort whose order takes three", "sort", "f32 4", {"f32 4"}, "14: 0", 0, 0, NULL, .values = {0}, .calls = one_sum, .scalars = 3}, "is called with 2 arguments"},
    {{"a reduce of two whose region gives one", "reduce", "f32, f32", {"f32 4", "f32 4", "f32", "f32"}, "14: 0", 0, 0, NULL,
      .values = {0}, .calls = one_sum, .scalars = 4}, "gives 1 results; 2 are wanted"},
    {{"a reduce of two with one result", "reduce", "f32", {"f32 4", "f32 4", "f32", "f32"}, "14: 0", 0, "add", NULL, .values = {0}},
     "has not a result for each operand"},
};

static void is_refused(void **state)
{
    const struct refused *c = *state;
    struct array in[4] = {no_array, no_array, no_array, no_array}, got[OP_RESULTS] = {no_array, no_array, no_array};
    char what[400] = "";
    bool ok = run_op(&c->op, &engine_host, in, got, what, sizeof what);
    free_arrays(in, 4);
    free_arrays(got, OP_RESULTS);
    assert_false(ok);
    if (!strstr(what, c->says))
        print_error("%s\n", what);
    assert_non_null(strstr(what, c->says));
}

int main(void)
{
    struct CMUnitTest t[sizeof cases / sizeof *cases];
    size_t n = sizeof cases / sizeof *cases;
    for (size_t k = 0; k < n; k++)
        t[k] = (struct CMUnitTest){.name = cases[k].op.name, .test_func = is_refused, .initial_state = (void *)(uintptr_t)&cases[k]};
    return _cmocka_run_group_tests("refused", t, n, NULL, NULL);
}
