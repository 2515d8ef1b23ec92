/* HloProto: what is read. */
#include "core/load/proto/hlo_proto.h"
#include "core/analysis/place/verify.h"
#include "core/load/proto/proto_kind.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/hlo_words.h"
#include "tests/support/proto_words.h"
#include "tests/support/proto_writer.h"
#include "tests/support/words.h"

static const char everything_words[] =
    "jit_f scheduled 2<-0.0\n"
    "frame 1 step scan.py:40:9 < 0\n"
    "frame 2 body scan.py:21:5 < 1\n"
    "frame 3 - -:0:0 < 0\n"
    "fused #0:\n"
    "p #0 f32[4]{0:T(128)(2,1)E(16)S(5)} parameter() 0\n"
    "*n #1 f32[4]{0} negate(p)\n"
    "body #4294967296: bp bf bi bn bt\n"
    "bp #4294967296 (s32[], f32[4]{0}) parameter() 0\n"
    "bi #4294967297 s32[] get-tuple-element(bp) 0\n"
    "bf #4294967298 f32[4]{0} get-tuple-element(bp) 1\n"
    "bn #4294967299 s32[] add(bi bi)\n"
    "*bt #4294967300 (s32[], f32[4]{0}) tuple(bn bf)\n"
    "cond #2199023255552: cp ci cc\n"
    "cp #2199023255552 (s32[], f32[4]{0}) parameter() 0\n"
    "ci #2199023255553 s32[] get-tuple-element(cp) 0\n"
    "*cc #2199023255554 pred[] compare(ci ci)\n"
    "ENTRY main #-4611686018427387904: i x f t w g c\n"
    "x #-4611686018427387904 f32[4]{0} parameter() 0\n"
    "i #-4611686018427387903 s32[] constant()\n"
    "f #-4611686018427387902 f32[4]{0} fusion(x) @fused kind=kLoop op_name=jit(f)/neg at a.py:7\n"
    "t #-4611686018427387901 (s32[], f32[4]{0}) tuple(i f) at a.py:7\n"
    "w #-4611686018427387900 (s32[], f32[4]{0}) while(t) @body @cond "
    "config={\"known_trip_count\":{\"n\":\"4\"}} at scan.py:21\n"
    "g #-4611686018427387899 f32[4]{0} get-tuple-element(w) 1\n"
    "*c #-4611686018427387898 (f32[4]{0}, f32[4]{0}) custom-call(g f) 2<-0.0 kind=my_call\n";

static void every_kind(void **state)
{
    (void)state;
    struct words o;
    size_t mark[MARKS];
    for (unsigned how = 0; how < 8; how++) {
        struct spec s = everything;
        s.single = how & 1;
        s.noise = how & 2;
        s.parts_first = how & 4;
        read_spec(&s, &o, mark);
        assert_string_equal(o.text, everything_words);
    }
}

#define SMALL_WORDS                                                                                \
    "jit_f scheduled 0<-0.0\nc #10: p n\np #11 f32[2] parameter() 0\n*n #12 f32[2] negate(p)\n"    \
    "ENTRY e #20: x k r\nx #21 f32[2] parameter() 0\nk #22 f32[2] call(x) @c\n"                    \
    "*r #23 f32[2] negate(k)\n"

/* The one that is broken below. */

static void absent_is_zero(void **state)
{
    (void)state;
    static const struct spec s = {
        .comp = {{"e", 0, 0, 1, {0}, 1}},
        .n_comps = 1,
        .inst = {{"x", "parameter", "f32[]", 0, NO_OPS}},
    };
    struct words o;
    size_t mark[MARKS];
    read_spec(&s, &o, mark);
    assert_string_equal(o.text, "jit_f scheduled\nENTRY e #0: x\n*x #0 f32[] parameter() 0\n");
}

/* One constant, of its shape and its LiteralProto without the shape. */
struct literal_case {
    const char *name, *shape, *bytes;
    size_t n;
    const char *want;
};
#define LITERAL(bytes) bytes, sizeof(bytes) - 1
static const struct literal_case literals[] = {
    {"s32, packed", "s32[]", LITERAL("\x22\x01\x05"), " =5"},
    {"s32, single", "s32[]", LITERAL("\x20\x05"), " =5"},
    {"s32, negative", "s32[1]", LITERAL("\x22\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), " =-1"},
    {"u64 beyond 63 bits", "u64[]", LITERAL("\x3A\x0A\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
     " =-2"},
    {"pred", "pred[]", LITERAL("\x12\x01\x01"), " =1"},
    {"pred, false", "pred[]", LITERAL("\x12\x01\x00"), " =0 zero"},
    {"s8", "s8[]", LITERAL("\x7A\x01\x80"), " =-128"},
    {"u8", "u8[]", LITERAL("\x1A\x01\x80"), " =128"},
    {"s16", "s16[]", LITERAL("\x8A\x01\x02\xFE\xFF"), " =-2"},
    {"u16", "u16[]", LITERAL("\x82\x01\x02\xFE\xFF"), " =65534"},
    {"s4, in the low bits", "s4[]", LITERAL("\xAA\x01\x01\x0D"), " =-3"},
    {"s4, in the high bits", "s4[]", LITERAL("\xAA\x01\x01\xD0"), " =-3"},
    {"u4, zero", "u4[]", LITERAL("\xB2\x01\x01\x00"), " =0 zero"},
    {"several", "s32[2]", LITERAL("\x22\x02\x05\x05"), ""},
    {"a float", "f32[]", LITERAL("\x42\x04\x00\x00\x80\x3F"), ""},
    {"floats, zero", "f32[2]", LITERAL("\x42\x08\0\0\0\0\0\0\0\0"), " zero"},
    {"half floats", "bf16[2]", LITERAL("\x6A\x04\0\0\x80\x3F"), ""},
    {"half floats, zero", "bf16[2]", LITERAL("\x6A\x04\0\0\0\0"), " zero"},
    {"four-bit floats, zero", "f4e2m1fn[2]", LITERAL("\x82\x02\x02\0\0"), " zero"},
    {"four-bit floats", "f4e2m1fn[2]", LITERAL("\x82\x02\x02\x01\0"), ""},
    {"a type without a zero", "f8e8m0fnu[2]", LITERAL("\x8A\x02\x02\0\0"), ""},
    {"complex, zero", "c64[]", LITERAL("\x62\x08\0\0\0\0\0\0\0\0"), " zero"},
    {"of another type", "s32[]", LITERAL("\x2A\x01\x05"), ""},
    {"without elements", "s32[]", LITERAL(""), ""},
    {"with an empty run of bytes", "s8[]", LITERAL("\x7A\x00"), ""},
    {"a number where bytes are expected", "s8[]", LITERAL("\x78\x05"), ""},
    {"no elements to be zero", "f32[0]", LITERAL("\x42\x00"), ""},
};

static void literal(void **state)
{
    const struct literal_case *c = *state;
    struct spec s = {
        .comp = {{"e", 0, 0, 1, {0}, 1}},
        .n_comps = 1,
        .inst = {{"k", "constant", c->shape, 0, NO_OPS, .literal = c->bytes, .literal_n = c->n}},
    };
    char want[200];
    struct words o;
    size_t mark[MARKS];
    read_spec(&s, &o, mark);
    snprintf(want, sizeof want, "jit_f scheduled\nENTRY e #0: k\n*k #0 %s constant()%s\n", c->shape,
             c->want);
    assert_string_equal(o.text, want);
}

static void attributes(void **state)
{
    (void)state;
    static const struct spec s = {
        .comp = {{"e", 0, 3, 4, {0, 1, 2, 3}, 4}},
        .n_comps = 1,
        .inst = {{"x", "parameter", "f32[8,2]", 0, NO_OPS},
                 {"s", "slice", "f32[2,1]", 1, OPS1(0), .slice = {{0, 8, 4}, {1, 2, 1}}, .n_slices = 2},
                 {"c", "compare", "pred[8,2]", 2, OPS2(0, 0), .direction = "GE"},
                 {"n", "negate", "f32[2,1]", 3, OPS1(1), .direction = "GE"}},
        .has_donor = true,
    };
    struct words o;
    size_t mark[MARKS];
    read_spec(&s, &o, mark);
    assert_string_equal(o.text, "jit_f scheduled donor 0.0\nENTRY e #0: x s c n\n"
                                "x #0 f32[8,2] parameter() 0\n"
                                "s #1 f32[2,1] slice(x) [0:8:4] [1:2:1]\n"
                                "c #2 pred[8,2] compare(x x) GE\n*n #3 f32[2,1] negate(s)\n");
}

static void no_schedule(void **state)
{
    (void)state;
    struct spec s = small;
    struct words o;
    size_t mark[MARKS];
    s.comp[0].n_order = s.comp[1].n_order = 0;
    s.has_alias = s.has_assignment = false;
    read_spec(&s, &o, mark);
    assert_string_equal(o.text, "jit_f\nc #10:\np #11 f32[2] parameter() 0\n"
                                "*n #12 f32[2] negate(p)\n"
                                "ENTRY e #20:\nx #21 f32[2] parameter() 0\n"
                                "k #22 f32[2] call(x) @c\n*r #23 f32[2] negate(k)\n");
}

static void assignment(void **state)
{
    (void)state;
    struct words o;
    size_t mark[MARKS];
    struct spec s = small;
    s.value[3] = (struct value){7, 16, 0, {1, 0}, 2, "old", 5};   /* by name: jax <= 0.4 */
    s.value[4] = (struct value){INT64_MAX, INT64_MAX, .inst = 0}; /* instruction 0 */
    s.n_values = 5;
    s.alloc[2] = (struct alloc){2, 4, .constant = true};
    s.alloc[3] = (struct alloc){3, 24, .thread_local_ = true, .tuple = true};
    s.alloc[4] = (struct alloc){9, 16, .tuple = true, .color = 5, .assigned = {{7, 0, 16}},
                                .n_assigned = 1};
    s.alloc[5] = (struct alloc){5, 8, .parameter = true, .number = 3};
    s.n_allocs = 6;
    static const char want[] =
        "alloc 0: 8 color 0 flags 3 parameter 0\n"
        "alloc 1: 256 color 0 flags 0 parameter -1 temp\n"
        "alloc 2: 4 color 0 flags 4 parameter -1\n"
        "alloc 3: 24 color 0 flags 24 parameter -1\n"
        "alloc 9: 16 color 5 flags 16 parameter -1 temp\n"
        "alloc 5: 8 color 0 flags 1 parameter 3\n"
        "value 0: inst 21 - {} 8 color 0 in 0 at 0 for 8\n"
        "value 1: inst 12 - {} 8 color 0 in 1 at 128 for 8\n"
        "value 2: inst 23 - {} 8 color 0 in 0 at 0 for 8\n"
        "value 7: inst -1 old {1,0} 16 color 5 in 4 at 0 for 16\n"
        "value 9223372036854775807: inst 0 - {} 9223372036854775807 color 0 nowhere\n";
    for (unsigned how = 0; how < 8; how++) {
        char text[sizeof want + sizeof SMALL_WORDS + 32];
        s.single = how & 1;
        s.noise = how & 2;
        s.recent = how & 4;
        read_spec(&s, &o, mark);
        snprintf(text, sizeof text, SMALL_WORDS "assignment%s\n%s", s.recent ? " recent" : "",
                 want);
        assert_string_equal(o.text, text);
    }
}

/* A shape of its own; what stood in the way leaves nothing behind in the shapes read after it. */
static void buffers(void **state)
{
    (void)state;
    struct spec s = small;
    struct pb p = {0};
    struct words o;
    size_t mark[MARKS];
    pb_int(&p, 2, TYPE_BUFFER);
    size_t inside = pb_open(&p, 4);
    write_shape(&p, "f32[4]{0:T(128)E(8)S(5)}");
    pb_close(&p, inside);
    s.inst[3].opcode = "custom-call";
    s.inst[3].n_calls = 0;
    s.shape = (const char *)p.at;
    s.shape_n = p.n;
    s.inst[4].shape = "f32[2]"; /* no layout */
    s.has_assignment = false;
    read_spec(&s, &o, mark);
    pb_free(&p);
    assert_string_equal(o.text,
                        "jit_f scheduled 0<-0.0\nc #10: p n\np #11 f32[2] parameter() 0\n"
                        "*n #12 f32[2] negate(p)\nENTRY e #20: x k r\n"
                        "x #21 f32[2] parameter() 0\n"
                        "k #22 f32[4]{0:T(128)E(8)S(5)} custom-call(x)\n*r #23 f32[2] negate(k)\n");
}

/* ---- By content ---- */

static void known_by_content(void **state)
{
    (void)state;
    struct arena a = {0};
    struct file f;
    struct diag d;
    assert_true(file_read(&a, &f, CELL, &d));
    bool is = hlo_proto_is(f.text, f.size), start = hlo_proto_is(f.text, 16);
    arena_free(&a);
    assert_true(is && start);
    assert_false(hlo_proto_is("", 0));
    assert_false(hlo_proto_is("\x0A", 1));
    assert_false(hlo_proto_is("\x0A\x02\x0A\x00", 4));
    assert_false(hlo_proto_is("HloModule jit_f", 15));
    assert_false(hlo_proto_is("\x1A\x10\x0A\x05jit_f", 9));
    assert_true(hlo_proto_is("\x0A\x10\x0A\x05jit_f", 9));
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(literals) + 7];
    size_t n = 0;
    ADD_AS(every_kind, "a program of every kind, however it is written");
    ADD_AS(absent_is_zero, "absent ids are 0");
    ADD_AS(attributes, "slices, compares and donors");
    ADD_AS(no_schedule, "a program without a schedule");
    ADD_AS(assignment, "a buffer assignment, of recent compilers and older ones");
    ADD_AS(buffers, "b(f32[4]) is the array it holds and leaves nothing behind");
    ADD_AS(known_by_content, "protos are known by their start");
    ADD_TABLE(literals, literal, name);
    return _cmocka_run_group_tests("hlo_proto", tests, n, NULL, NULL);
}
