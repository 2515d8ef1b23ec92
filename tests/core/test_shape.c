/* Shapes: bytes, trees, words. */
#include "core/load/text/hlo_text.h"
#include "tests/support/cmocka_all.h"

struct bytes_case {
    const char *name, *shape;
    uint64_t bytes;
};

static const struct bytes_case sizes[] = {
    {"f32 scalar", "f32[]", 4},
    {"4 GiB", "f32[1024,1048576]{1,0}", 4294967296},
    {"beyond 2^40", "f64[1048576,1048576]{1,0}", 8796093022208},
    {"zero dimension", "f32[0,5]{1,0}", 0},
    {"zero among huge ones", "f32[9223372036854775807,9223372036854775807,0]{2,1,0}", 0},
    {"does not fit: all ones", "f32[9223372036854775807,9223372036854775807]{1,0}", UINT64_MAX},
    {"pred takes a byte", "pred[10]{0}", 10},
    {"packed s4 rounds up", "s4[5]{0:E(4)}", 3},
    {"s4 without a width takes a byte each", "s4[5]{0}", 5},
    {"element size wins", "s8[16]{0:E(4)}", 8},
    {"bf16", "bf16[3,5]{1,0}", 30},
    {"c64", "c64[2]{0}", 16},
    {"f8e4m3fn", "f8e4m3fn[7]{0}", 7},
    {"token", "token[]", 0},
    {"tuple of three pointers", "(f32[9], f32[], (s32[], s32[]))", 24},
    {"empty tuple", "()", 0},
    {"tiles pad the minor two", "f32[3,5]{1,0:T(8,128)}", 4096},
    {"tiles follow the layout", "f32[5,3]{0,1:T(8,128)}", 4096},
    {"a tile of a tile", "bf16[16,128]{1,0:T(8,128)(2,1)}", 4096},
    {"tile of rank 1 on a scalar", "s32[]{:T(128)}", 512},
};

static void size_of(void **state)
{
    const struct bytes_case *c = *state;
    struct arena a = {0};
    struct shapes s = {.arena = &a};
    const char *at = c->shape;
    shape_id id;
    bool ok = shape_parse(&s, &at, &id);
    uint64_t bytes = ok ? shape_bytes(&s, id) : 0;
    arena_free(&a);
    assert_true(ok);
    assert_true(bytes == c->bytes);
}

static void paths(void **state)
{
    (void)state;
    struct arena a = {0};
    struct shapes s = {.arena = &a};
    const char *at = "(f32[2], ((s32[]), pred[]), f32[3])";
    shape_id id;
    assert_true(shape_parse(&s, &at, &id));
    static const char *const want[] = {"{}", "{0}", "{1}", "{1,0}", "{1,0,0}", "{1,1}", "{2}"};
    char text[64];
    assert_int_equal(shape_node(&s, id)->span, 7);
    for (uint32_t k = 0; k < 7; k++)
        assert_string_equal(shape_path_text(&s, id, k, text, sizeof text), want[k]);
    assert_int_equal(shape_path_find(&s, id, (int64_t[]){1, 0, 0}, 3), 4);
    assert_int_equal(shape_path_find(&s, id, (int64_t[]){1, 2}, 2), SHAPE_NONE);
    assert_int_equal(shape_path_find(&s, id, (int64_t[]){-1}, 1), SHAPE_NONE);
    assert_int_equal(shape_path_find(&s, id, NULL, 0), 0);
    assert_int_equal(shape_child(&s, id, 2), 6);
    assert_int_equal(shape_child(&s, id, 3), SHAPE_NONE);
    arena_free(&a);
}

static void words(void **state)
{
    (void)state;
    struct arena a = {0};
    struct shapes s = {.arena = &a};
    const char *text = "(f32[2,3]{1,0:T(8,128)(2,1)S(1)}, s4[8]{0:E(4)}, token[])", *at = text;
    shape_id id;
    char out[128];
    assert_true(shape_parse(&s, &at, &id));
    assert_string_equal(shape_text(&s, id, true, out, sizeof out), text);
    assert_string_equal(shape_text(&s, id, false, out, sizeof out), "(f32[2,3], s4[8], token[])");
    assert_string_equal(shape_text(&s, id, false, out, 12), "(f32[2,3…");
    for (size_t size = 1; size < sizeof out; size++) { /* never past the end, always ended */
        memset(out, 'x', sizeof out);
        shape_text(&s, id, true, out, size);
        assert_true(memchr(out, '\0', size) != NULL);
        assert_true(out[size] == 'x');
    }
    arena_free(&a);
}

int main(void)
{
    enum { N = sizeof sizes / sizeof *sizes };
    struct CMUnitTest tests[N + 2];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){.name = sizes[i].name, .test_func = size_of,
                                   .initial_state = (void *)&sizes[i]};
    tests[N] = (struct CMUnitTest)cmocka_unit_test(paths);
    tests[N + 1] = (struct CMUnitTest)cmocka_unit_test(words);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
