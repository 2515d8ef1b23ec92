/* Hints: each rule on a program made for it, and on its near misses, which must stay silent; then the
 * shipped grid, where the example's remedies tell which advice holds. */
#include "core/analysis/explain/hints.h"
#include "core/load/dump/module.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/cell.h"
#include "tests/support/tables.h"

#define MIB (1ull << 20)

/* One program: `ids` are all that is said, in order of bytes; `bytes` those of the first.  `ranges` are
 * the dump's claims; waste: what is told of the temporaries above a bound of 4 MiB. */
struct hint_case {
    const char *name, *hlo, *assignment, *ranges, *ids;
    uint64_t waste;
    uint64_t bytes, limit;
    enum platform platform;
};

static void ids_of(const struct hints *h, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < h->n && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? " " : "", h->items[k].id);
}

static void check_case(void **state)
{
    const struct hint_case *t = *state;
    struct module m = {.platform = t->platform ? t->platform : PLATFORM_GPU};
    struct file f = {"x.txt", t->hlo, strlen(t->hlo)};
    struct program p;
    struct hints h;
    struct diag d;
    char ids[400];
    hlo_init(&m.hlo, &m.arena, f.name);
    if (!hlo_text_read(&m.hlo, &f, &d))
        fail_msg("%u:%u: %s", d.line, d.col, d.what);
    m.has_hlo = true;
    m.name = m.hlo.name;
    m.assignment.arena = &m.arena;
    if (t->assignment) {
        struct file a = {"a.txt", t->assignment, strlen(t->assignment)};
        if (!assignment_text_read(&m.assignment, &a, &d))
            fail_msg("%u:%u: %s", d.line, d.col, d.what);
        m.has_assignment = true;
    }
    if (t->ranges) {
        struct file r = {"r.txt", t->ranges, strlen(t->ranges)};
        if (!assignment_text_read(&m.assignment, &r, &d))
            fail_msg("%u:%u: %s", d.line, d.col, d.what);
    }
    if (!program_build(&p, &m, &d))
        fail_msg("%s", d.what);
    hints_find(&h, &p, t->limit);
    if (t->waste)
        hints_add_waste(&h, &p, 4 * MIB, t->waste);
    ids_of(&h, ids, sizeof ids);
    assert_string_equal(ids, t->ids);
    if (h.n && t->bytes)
        assert_int_equal(h.items[0].bytes, t->bytes);
    for (uint32_t k = 0; k < h.n; k++) {
        assert_true(strlen(h.items[k].text) > 40);
        assert_true(h.items[k].buffer == BUF_NONE || h.items[k].buffer < p.n);
        assert_true(k == 0 || h.items[k - 1].bytes >= h.items[k].bytes);
    }
    hints_free(&h);
    program_free(&p);
    arena_free(&m.arena);
}

/* ---- Limits and layout ---- */

static const char negate[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n ROOT n = f32[1024,1024] negate(x)\n}\n";
static const char in_place_assignment[] = /* 4 MiB and 4 MiB */
    "BufferAssignment:\n"
    "allocation 0: size 4194304, parameter 0, shape |f32[1024,1024]| at ShapeIndex {}:\n"
    " value: <0 x @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    "allocation 1: size 4194304, output shape is |f32[1024,1024]|, maybe-live-out:\n"
    " value: <1 n @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n\n";

static const char remat[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n a = f32[1024,1024] negate(x)\n"
    " b = f32[1024,1024] multiply(a, x)\n a.remat = f32[1024,1024] negate(x)\n"
    " ROOT r = f32[1024,1024] add(a.remat, b)\n}\n";
static const char remat_by_name_only[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n a.rematted = f32[1024,1024] negate(x)\n"
    " ROOT r = f32[1024,1024] add(a.rematted, x)\n}\n";

#define TILED(shape, layout)                                                                       \
    "HloModule m, is_scheduled=true\n"                                                             \
    "ENTRY e {\n x = f32[" shape "]{" layout "} parameter(0)\n"                                     \
    " ROOT n = f32[" shape "]{" layout "} negate(x)\n}\n"

/* t and u are never alive together, and lie apart. */
static const char gaps[] =
    "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n t = f32[1024,1024] negate(x)\n"
    " s = f32[8] slice(t), slice={}\n u = f32[1024,1024] broadcast(s), dimensions={}\n"
    " ROOT n = f32[1024,1024] negate(u)\n}\n";
#define GAPS(u_at)                                                                                 \
    "BufferAssignment:\n"                                                                          \
    "allocation 0: size 4194304, parameter 0, shape |f32[1024,1024]| at ShapeIndex {}, maybe-live-out:\n" \
    " value: <0 x @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"                              \
    " value: <4 n @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"                              \
    "allocation 1: size 8388608, preallocated-temp:\n"                                             \
    " value: <1 t @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"                              \
    " value: <2 s @0> (size=32,offset=4194304): f32[8]{0}\n"                                       \
    " value: <3 u @0> (size=4194304,offset=" u_at "): f32[1024,1024]{1,0}\n\n"
static const char gaps_assignment[] = GAPS("4194304"), own_assignment[] = GAPS("0");

/* ---- Parameters ---- */

/* The result's place holds t while x is still read: donating x would only move t. */
static const char busy[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n t = f32[1024,1024] negate(x)\n"
    " u = f32[1024,1024] add(t, x)\n s = f32[] slice(u), slice={}\n"
    " ROOT n = f32[1024,1024] broadcast(s), dimensions={}\n}\n";
static const char busy_assignment[] =
    "BufferAssignment:\n"
    "allocation 0: size 4194304, parameter 0, shape |f32[1024,1024]| at ShapeIndex {}:\n"
    " value: <0 x @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    "allocation 1: size 4194304, output shape is |f32[1024,1024]|, maybe-live-out:\n"
    " value: <1 t @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    " value: <4 n @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    "allocation 2: size 4194308, preallocated-temp:\n"
    " value: <2 u @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    " value: <3 s @0> (size=4,offset=4194304): f32[]\n\n";

static const char partly_busy[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n t = f32[512,512] slice(x), slice={[0:512], [0:512]}\n"
    " s = f32[] slice(t), slice={}\n b = f32[1024,1024] broadcast(s), dimensions={}\n"
    " ROOT n = f32[1024,1024] add(x, b)\n}\n";
static const char partly_busy_assignment[] =
    "BufferAssignment:\n"
    "allocation 0: size 4194304, parameter 0, shape |f32[1024,1024]| at ShapeIndex {}:\n"
    " value: <0 x @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    "allocation 1: size 4194304, output shape is |f32[1024,1024]|, maybe-live-out:\n"
    " value: <1 t @0> (size=1048576,offset=0): f32[512,512]{1,0}\n"
    " value: <4 n @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    "allocation 2: size 4194308, preallocated-temp:\n"
    " value: <3 b @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    " value: <2 s @0> (size=4,offset=4194304): f32[]\n\n";

static const char other_shape[] =
    "HloModule m, is_scheduled=true\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n ROOT n = bf16[1024,1024] convert(x)\n}\n";
static const char other_shape_assignment[] =
    "BufferAssignment:\n"
    "allocation 0: size 4194304, parameter 0, shape |f32[1024,1024]| at ShapeIndex {}:\n"
    " value: <0 x @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    "allocation 1: size 2097152, output shape is |bf16[1024,1024]|, maybe-live-out:\n"
    " value: <1 n @0> (size=2097152,offset=0): bf16[1024,1024]{1,0}\n\n";

static const char offered[] =
    "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n ROOT n = f32[1024,1024] negate(x)\n}\n";
static const char donor[] =
    "HloModule m, is_scheduled=true, buffer_donor={ (0, {}) }\n"
    "ENTRY e {\n x = f32[1024,1024] parameter(0)\n ROOT n = bf16[1024,1024] convert(x)\n}\n";
static const char taken_assignment[] =
    "BufferAssignment:\n"
    "allocation 0: size 4194304, parameter 0, shape |f32[1024,1024]| at ShapeIndex {}, maybe-live-out:\n"
    " value: <0 x @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n"
    " value: <1 n @0> (size=4194304,offset=0): f32[1024,1024]{1,0}\n\n";

/* ---- A scan and its backward pass ---- */

#define ROW   "f32[256,256]" /* 256 KiB */
#define STACK "f32[8,256,256]"
#define CARRY "(s32[], " ROW ", " STACK ", " ROW ")" /* counter, model, its stack, something kept */
#define NAMED(name) ", metadata={op_name=\"jit(f)/" name "\"}"

/* Forward: `row` is what is stored, `next` the next model; both are made by `lines` from i, m (the
 * model), k (what the loop keeps) and c (a number). */
#define FORWARD(lines, row, next)                                                                  \
    "fb {\n p = " CARRY " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"                \
    " m = " ROW " get-tuple-element(p), index=1\n s = " STACK " get-tuple-element(p), index=2\n"   \
    " k = " ROW " get-tuple-element(p), index=3\n z = s32[] constant(0)\n c = f32[] convert(i)\n"  \
    " one = s32[] constant(1)\n j = s32[] add(i, one)\n all = " ROW " broadcast(c), dimensions={}\n" \
    lines " row = f32[1,256,256] bitcast(" row ")\n"                                               \
    " t = " STACK " dynamic-update-slice(s, row, i, z, z)\n"                                       \
    " ROOT r = " CARRY " tuple(j, " next ", t, k)\n}\n"
/* Backward: `gradient` is the next gradient, made by `lines` from g (the last one), b (the row) and
 * all (a number throughout). */
#define BACKWARD(lines, gradient)                                                                  \
    "bb {\n p = " CARRY " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"                \
    " g = " ROW " get-tuple-element(p), index=1\n s = " STACK " get-tuple-element(p), index=2\n"   \
    " k = " ROW " get-tuple-element(p), index=3\n z = s32[] constant(0)\n c = f32[] convert(i)\n"  \
    " one = s32[] constant(1)\n j = s32[] add(i, one)\n all = " ROW " broadcast(c), dimensions={}\n" \
    " last = s32[] constant(7)\n at = s32[] subtract(last, i)\n"                                  \
    " d = f32[1,256,256] dynamic-slice(s, at, z, z), dynamic_slice_sizes={1,256,256}\n"           \
    " b = " ROW " bitcast(d)\n" lines " ROOT r = " CARRY " tuple(j, " gradient ", s, k)\n}\n"
#define CONDITION(name)                                                                            \
    name " {\n p = " CARRY " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"             \
    " n = s32[] constant(8)\n ROOT lt = pred[] compare(i, n), direction=LT\n}\n"
#define ENTRY(name, returned)                                                                      \
    CONDITION("fc") CONDITION("bc")                                                                \
    "ENTRY e {\n x = " ROW " parameter(0)\n kept = " ROW " parameter(1)\n z = s32[] constant(0)\n" \
    " f = f32[] constant(0)\n s = " STACK " broadcast(f), dimensions={}\n"                         \
    " first = " CARRY " tuple(z, x, s, kept)\n"                                                    \
    " w = " CARRY " while(first), condition=fc, body=fb" NAMED("jvp()/while") "\n"                 \
    " full = " STACK " get-tuple-element(w), index=2\n zeros = " ROW " broadcast(f), dimensions={}\n" \
    " second = " CARRY " tuple(z, zeros, full, kept)\n"                                            \
    " v = " CARRY " while(second), condition=bc, body=bb" NAMED(name) "\n"                         \
    " m = " ROW " get-tuple-element(w), index=1\n"                                                 \
    " grad = " ROW " get-tuple-element(v), index=1\n" returned "}\n"
#define SCAN(forward, backward)                                                                    \
    "HloModule m, is_scheduled=true\n" forward backward                                            \
    ENTRY("transpose(jvp())/while", " ROOT r = " ROW " negate(grad)\n")
#define TANH    " y = " ROW " tanh(m)\n n = " ROW " add(y, k)\n"
#define PRODUCT " h = " ROW " multiply(g, b)\n"

static const char is_carry[] = SCAN(FORWARD(TANH, "m", "n"), BACKWARD(PRODUCT, "h"));
static const char is_scaled[] =
    SCAN(FORWARD(" n = " ROW " multiply(m, all)\n", "m", "n"), BACKWARD(PRODUCT, "h"));
static const char is_added[] =
    SCAN(FORWARD(" n = " ROW " add(m, all)\n", "m", "n"), BACKWARD(PRODUCT, "h"));
/* The next model is the old one: then what is computed is all that need be kept. */
static const char computed[] = SCAN(FORWARD(" y = " ROW " multiply(all, k)\n y2 = " ROW " tanh(y)\n", "y2", "m"),
                                    BACKWARD(PRODUCT, "h"));
/* The carries would take as much. */
static const char computed_from_carry[] =
    SCAN(FORWARD(TANH " q = " ROW " sqrt(n)\n", "q", "n"), BACKWARD(PRODUCT, "h"));
/* No gradient: the second loop reads what the first wrote, that is all. */
static const char two_scans[] =
    "HloModule m, is_scheduled=true\n" FORWARD(TANH, "m", "n") BACKWARD(PRODUCT, "h")
    ENTRY("while", " ROOT r = " ROW " negate(grad)\n");
/* The stack is a result too. */
static const char returned_too[] =
    "HloModule m, is_scheduled=true\n" FORWARD(TANH, "m", "n") BACKWARD(PRODUCT, "h")
    ENTRY("transpose(jvp())/while", " ROOT r = (" ROW ", " STACK ") tuple(grad, full)\n");
static const char carry_is_read[] =
    "HloModule m, is_scheduled=true\n" FORWARD(TANH, "m", "n") BACKWARD(PRODUCT, "h")
    ENTRY("transpose(jvp())/while", " ROOT r = " ROW " add(grad, m)\n");
static const char same_rows[] = SCAN(FORWARD(TANH " y3 = " ROW " tanh(k)\n", "y3", "n"), BACKWARD(PRODUCT, "h"));
/* Rows that are the same, but the loop leaves others as they were. */
static const char some_rows[] =
    "HloModule m, is_scheduled=true\n"
    "b {\n p = (s32[], " STACK ", " ROW ") parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " s = " STACK " get-tuple-element(p), index=1\n k = " ROW " get-tuple-element(p), index=2\n"
    " z = s32[] constant(0)\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
    " row = f32[1,256,256] bitcast(k)\n t = " STACK " dynamic-update-slice(s, row, i, z, z)\n"
    " ROOT r = (s32[], " STACK ", " ROW ") tuple(j, t, k)\n}\n"
    "c {\n p = (s32[], " STACK ", " ROW ") parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " n = s32[] constant(4)\n ROOT lt = pred[] compare(i, n), direction=LT\n}\n"
    "ENTRY e {\n x = " STACK " parameter(0)\n k = " ROW " parameter(1)\n z = s32[] constant(0)\n"
    " s = " STACK " negate(x)\n first = (s32[], " STACK ", " ROW ") tuple(z, s, k)\n"
    " w = (s32[], " STACK ", " ROW ") while(first), condition=c, body=b\n"
    " ROOT r = " STACK " get-tuple-element(w), index=1\n}\n";
#define VECTOR " e = f32[256] slice(bits), slice={[0:256]}\n wide = " ROW " broadcast(e), dimensions={0}\n"
static const char low_rank[] =
    SCAN(FORWARD(TANH, "m", "n"),
         BACKWARD(" bits = f32[65536] bitcast(b)\n" VECTOR " gc = " ROW " multiply(g, all)\n"
                  " h = " ROW " add(gc, wide)\n", "h"));
static const char full_rank[] =
    SCAN(FORWARD(TANH, "m", "n"),
         BACKWARD(" gc = " ROW " multiply(g, all)\n h = " ROW " add(gc, b)\n", "h"));
/* Two kernels read the row: a product and a sum over its square; or a product of matrices. */
static const char two_readers[] =
    SCAN(FORWARD(TANH, "m", "n"),
         BACKWARD(" a = " ROW " multiply(b, g)\n h = " ROW " subtract(a, b)\n", "h"));
static const char matrix_reader[] =
    SCAN(FORWARD(TANH, "m", "n"),
         BACKWARD(" a = " ROW " dot(b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                  " h = " ROW " subtract(a, b)\n", "h"));

/* The same, unrolled by two: two rows in an iteration, of which n make the scan. */
#define USTACK(n) "f32[" n ",2,256,256]"
#define UCARRY(n) "(s32[], " ROW ", " USTACK(n) ")"
#define UFORWARD(n)                                                                                \
    "fb {\n p = " UCARRY(n) " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"            \
    " m = " ROW " get-tuple-element(p), index=1\n s = " USTACK(n) " get-tuple-element(p), index=2\n" \
    " z = s32[] constant(0)\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"                  \
    " y = " ROW " tanh(m)\n n = " ROW " tanh(y)\n m1 = f32[1,256,256] bitcast(m)\n"               \
    " y1 = f32[1,256,256] bitcast(y)\n"                                                           \
    " both = f32[2,256,256] concatenate(m1, y1), dimensions={0}\n row = f32[1,2,256,256] bitcast(both)\n" \
    " t = " USTACK(n) " dynamic-update-slice(s, row, i, z, z, z)\n"                                \
    " ROOT r = " UCARRY(n) " tuple(j, n, t)\n}\n"
#define UBACKWARD(n, last)                                                                         \
    "both_rows {\n s = " USTACK(n) " parameter(0)\n at = s32[] parameter(1)\n z = s32[] constant(0)\n" \
    " d = f32[1,2,256,256] dynamic-slice(s, at, z, z, z), dynamic_slice_sizes={1,2,256,256}\n"    \
    " d0 = f32[1,1,256,256] slice(d), slice={[0:1], [0:1], [0:256], [0:256]}\n"                   \
    " d1 = f32[1,1,256,256] slice(d), slice={[0:1], [1:2], [0:256], [0:256]}\n"                   \
    " ROOT t = (f32[1,1,256,256], f32[1,1,256,256]) tuple(d0, d1)\n}\n"                            \
    "bb {\n p = " UCARRY(n) " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"            \
    " g = " ROW " get-tuple-element(p), index=1\n s = " USTACK(n) " get-tuple-element(p), index=2\n" \
    " z = s32[] constant(0)\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"                  \
    " last = s32[] constant(" last ")\n at = s32[] subtract(last, i)\n"                           \
    " d = (f32[1,1,256,256], f32[1,1,256,256]) fusion(s, at), kind=kLoop, calls=both_rows\n"      \
    " d0 = f32[1,1,256,256] get-tuple-element(d), index=0\n"                                      \
    " d1 = f32[1,1,256,256] get-tuple-element(d), index=1\n"                                      \
    " b0 = " ROW " bitcast(d0)\n b1 = " ROW " bitcast(d1)\n"                                       \
    " a0 = " ROW " dot(g, b1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"              \
    " a1 = " ROW " dot(a0, b0), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"             \
    " ROOT r = " UCARRY(n) " tuple(j, a1, s)\n}\n"
#define UCONDITION(name, n)                                                                        \
    name " {\n p = " UCARRY(n) " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"         \
    " n = s32[] constant(" n ")\n ROOT lt = pred[] compare(i, n), direction=LT\n}\n"
/* `between` makes `again`, the stack of the backward loop, from the forward loop's `full` and m. */
#define USCAN(n, last, between)                                                                    \
    "HloModule m, is_scheduled=true\n" UFORWARD(n) UBACKWARD(n, last) UCONDITION("fc", n)          \
    UCONDITION("bc", n)                                                                            \
    "ENTRY e {\n x = " ROW " parameter(0)\n z = s32[] constant(0)\n"                               \
    " f = f32[] constant(0)\n s = " USTACK(n) " broadcast(f), dimensions={}\n"                     \
    " first = " UCARRY(n) " tuple(z, x, s)\n"                                                      \
    " w = " UCARRY(n) " while(first), condition=fc, body=fb" NAMED("jvp()/while") "\n"             \
    " full = " USTACK(n) " get-tuple-element(w), index=2\n m = " ROW " get-tuple-element(w), index=1\n" \
    between " zeros = " ROW " broadcast(f), dimensions={}\n"                                       \
    " second = " UCARRY(n) " tuple(z, zeros, again)\n"                                             \
    " v = " UCARRY(n) " while(second), condition=bc, body=bb" NAMED("transpose(jvp())/while") "\n" \
    " grad = " ROW " get-tuple-element(v), index=1\n one = f32[1,256,256] slice(rows), "            \
    "slice={[0:1], [0:256], [0:256]}" NAMED("transpose(jvp())/slice") "\n one1 = " ROW " bitcast(one)\n" \
    " ROOT r = " ROW " add(grad, one1)\n}\n"
#define UROWS(n) " rows = f32[" n ",256,256] bitcast(full)\n"
static const char unrolled_by_two[] = USCAN("4", "3", UROWS("8") " again = " USTACK("4") " bitcast(rows)\n");
/* Nine steps: the backward loop has the last eight, the forward one had the first. */
static const char with_a_rest[] =
    USCAN("4", "3", UROWS("8") " m1 = f32[1,256,256] bitcast(m)\n"
          " all = f32[9,256,256] concatenate(rows, m1), dimensions={0}\n"
          " later = f32[8,256,256] slice(all), slice={[1:9], [0:256], [0:256]}\n"
          " again = " USTACK("4") " bitcast(later)\n");

/* One trip, peeled: rows of a stack that is no more. */
#define PEELED(name)                                                                               \
    "HloModule m, is_scheduled=true\nENTRY e {\n x = " ROW " parameter(0)\n"                       \
    " y = " ROW " tanh(x)\n y1 = f32[1,256,256] bitcast(y)\n x1 = f32[1,256,256] bitcast(x)\n"    \
    " c = f32[2,256,256] concatenate(x1, y1), dimensions={0}" NAMED("jvp()/" name "concatenate") "\n" \
    " s0 = f32[1,256,256] slice(c), slice={[0:1], [0:256], [0:256]}" NAMED("transpose(jvp())/" name "slice") "\n" \
    " s1 = f32[1,256,256] slice(c), slice={[1:2], [0:256], [0:256]}" NAMED("transpose(jvp())/" name "slice") "\n" \
    " ROOT r = f32[1,256,256] add(s0, s1)\n}\n"
static const char peeled[] = PEELED("while/body/");
static const char not_peeled[] = PEELED("");

/* y times `other`, a column. */
#define COLUMN(other, more)                                                                        \
    "HloModule m, is_scheduled=true\nENTRY e {\n x = " ROW " parameter(0)\n w = f32[256,1] parameter(1)\n" \
    " f = f32[] constant(1)\n y = " ROW " tanh(x)\n ones = f32[256,1] broadcast(f), dimensions={}\n" \
    " a = f32[256,1] dot(y, " other "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" more "}\n"
static const char row_sum[] = COLUMN("ones", " ROOT r = f32[256,1] negate(a)\n");
static const char column[] = COLUMN("w", " ROOT r = f32[256,1] negate(a)\n");
static const char row_sum_of_a_result[] =
    COLUMN("ones", " ROOT r = (f32[256,1], " ROW ") tuple(a, y)\n");
static const char row_sum_and_product[] =
    COLUMN("ones", " q = " ROW " dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                   " ROOT r = (f32[256,1], " ROW ") tuple(a, q)\n");

static const char claim[] =
    "HloLiveRange (max 2):\n  InstructionSequence:\n    0:x\n    1:n\n  BufferLiveRange:\n"
    "    x{}:0-2\n    n{}:1-2\n  Live ranges at 1 (peak):\n    x{}: 4194304 bytes (cumulative: 4194304 bytes)\n"
    "    n{}: 4194304 bytes (cumulative: 8388608 bytes)\n";

static const struct hint_case cases[] = {
    {.name = "nothing to say", .hlo = negate, .ids = ""},
    {.name = "far below the limit", .hlo = offered, .assignment = taken_assignment, .limit = 80 * MIB, .ids = ""},
    {.name = "near the limit", .hlo = offered, .assignment = taken_assignment, .limit = 5 * MIB,
     .ids = "near-limit", .bytes = 4 * MIB - 5 * MIB / 4 * 3},
    {.name = "over the limit", .hlo = offered, .assignment = taken_assignment, .limit = 3 * MIB,
     .ids = "near-limit", .bytes = MIB},
    {.name = "at three quarters of the limit", .hlo = offered, .assignment = taken_assignment,
     .limit = 4 * MIB / 3 * 4 + 4, .ids = ""},
    {.name = "XLA made a clone", .hlo = remat, .ids = "rematerialised", .bytes = 4 * MIB},
    {.name = "a name that only begins so", .hlo = remat_by_name_only, .ids = ""},
    {.name = "half of the bytes are padding", .hlo = TILED("65536,64", "1,0:T(8,128)"),
     .platform = PLATFORM_TPU, .ids = "tile-padding", .bytes = 2 * 16 * MIB},
    {.name = "tiles that fit", .hlo = TILED("65536,128", "1,0:T(8,128)"), .platform = PLATFORM_TPU, .ids = ""},
    {.name = "an output could take a parameter's place", .hlo = negate, .assignment = in_place_assignment,
     .ids = "not-donated", .bytes = 4 * MIB},
    {.name = "the output's place is in use before", .hlo = busy, .assignment = busy_assignment, .ids = ""},
    {.name = "a quarter of the output's place is in use before", .hlo = partly_busy,
     .assignment = partly_busy_assignment, .ids = "not-donated", .bytes = 3 * MIB},
    {.name = "no output of that shape", .hlo = other_shape, .assignment = other_shape_assignment, .ids = ""},
    {.name = "donated and taken", .hlo = offered, .assignment = taken_assignment, .ids = ""},
    {.name = "donated, and not taken", .hlo = offered, .assignment = in_place_assignment,
     .ids = "donation-refused", .bytes = 4 * MIB},
    {.name = "offered to any output, and none has its type", .hlo = donor,
     .assignment = other_shape_assignment, .ids = "donation-refused", .bytes = 4 * MIB},
    {.name = "the dump counts an alias twice", .hlo = offered, .assignment = taken_assignment,
     .ranges = claim, .ids = "double-counted-peak", .bytes = 4 * MIB},
    {.name = "the dump counts what is there", .hlo = negate, .assignment = in_place_assignment,
     .ranges = claim, .ids = "not-donated"},
    {.name = "gaps between temporaries", .hlo = gaps, .assignment = gaps_assignment, .waste = 3 * MIB,
     .ids = "fragmentation", .bytes = 3 * MIB},
    {.name = "temporaries that no buffer lies in", .hlo = gaps, .assignment = own_assignment,
     .waste = 3 * MIB, .ids = ""},
    {.name = "the residual is the carry", .hlo = is_carry,
     .ids = "residual-is-carry residual-f32 last-carry-unused", .bytes = 2 * MIB},
    {.name = "the carry is only scaled", .hlo = is_scaled,
     .ids = "residual-is-carry carry-is-scaled residual-f32 last-carry-unused", .bytes = 2 * MIB},
    {.name = "the carry is added to", .hlo = is_added,
     .ids = "residual-is-carry residual-f32 last-carry-unused", .bytes = 2 * MIB},
    {.name = "the residual is computed from what is kept", .hlo = computed,
     .ids = "residual-computed residual-from-invariant residual-f32", .bytes = 2 * MIB},
    {.name = "the carries would take as much", .hlo = computed_from_carry,
     .ids = "residual-f32", .bytes = MIB},
    {.name = "two scans, no gradient", .hlo = two_scans,
     .ids = ""},
    {.name = "the stack is returned too", .hlo = returned_too,
     .ids = ""},
    {.name = "the last carry is read", .hlo = carry_is_read,
     .ids = "residual-is-carry residual-f32", .bytes = 2 * MIB},
    {.name = "rows that are the same", .hlo = same_rows,
     .ids = "constant-stacked residual-f32", .bytes = 7 * MIB / 4},
    {.name = "some rows that are the same", .hlo = some_rows, .ids = ""},
    {.name = "a gradient that repeats a vector", .hlo = low_rank,
     .ids = "residual-is-carry residual-f32 cotangent-carry last-carry-unused", .bytes = 2 * MIB},
    {.name = "a gradient of full rank", .hlo = full_rank,
     .ids = "residual-is-carry residual-f32 last-carry-unused", .bytes = 2 * MIB},
    {.name = "a row that two kernels read", .hlo = two_readers,
     .ids = "residual-is-carry residual-f32 slice-copied last-carry-unused", .bytes = 2 * MIB},
    {.name = "a row that a product of matrices reads", .hlo = matrix_reader,
     .ids = "residual-is-carry residual-f32 last-carry-unused", .bytes = 2 * MIB},
    {.name = "an unrolled body", .hlo = unrolled_by_two,
     .ids = "residual-is-carry residual-f32 unroll-stores-slices", .bytes = 2 * MIB},
    {.name = "an unrolled body, and a rest", .hlo = with_a_rest,
     .ids = "residual-is-carry remainder-copies-stack residual-f32", .bytes = 2 * MIB},
    {.name = "one trip, peeled", .hlo = peeled, .ids = "peeled-to-no-loop", .bytes = MIB / 2},
    {.name = "slices that no loop left", .hlo = not_peeled, .ids = ""},
    {.name = "a row sum, spelled as a product", .hlo = row_sum, .ids = "row-sum-as-dot", .bytes = MIB / 4},
    {.name = "a product with a column", .hlo = column, .ids = ""},
    {.name = "a row sum of what is returned", .hlo = row_sum_of_a_result, .ids = ""},
    {.name = "a row sum of a matrix's factor", .hlo = row_sum_and_product, .ids = ""},
};

/* ---- The shipped grid ---- */

/* Ids that must be said of a cell, and ids that must not; "*": none at all. */
static const struct cell_case {
    const char *name, *cell, *said, *silent;
} cells[] = {
    {"rolled", "a100-d1048576-s4-u1",
     "residual-is-carry carry-is-scaled residual-f32 slice-copied row-sum-as-dot cotangent-carry last-carry-unused",
     "residual-computed residual-from-invariant not-donated donation-refused peeled-to-no-loop "
     "remainder-copies-stack unroll-stores-slices constant-stacked near-limit rematerialised fragmentation"},
    {"unrolled", "a100-d1048576-s4-ufull", "row-sum-as-dot",
     "residual-is-carry carry-is-scaled residual-f32 slice-copied cotangent-carry last-carry-unused"},
    {"one step", "a100-d1048576-s1-ufull", "", "*"},
    {"unrolled by two", "a100-d1048576-s8-u2", "residual-is-carry unroll-stores-slices slice-copied cotangent-carry",
     "last-carry-unused remainder-copies-stack peeled-to-no-loop"},
    {"unrolled by two, and a rest", "a100-d1048576-s5-u2", "remainder-copies-stack unroll-stores-slices",
     "last-carry-unused peeled-to-no-loop"},
    {"unrolled by four, one trip left", "a100-d1048576-s5-u4", "peeled-to-no-loop",
     "residual-is-carry cotangent-carry unroll-stores-slices remainder-copies-stack"},
    {"at XLA's limit", "a100-d1048576-s16-ufull", "rematerialised near-limit", "residual-is-carry"},
    {"rolled, near the device's memory", "a100-d1048576-s16-u1", "near-limit residual-is-carry", "not-donated"},
    {"rolled, on a TPU", "tpu-v5e-d262144-s8-u1",
     "residual-is-carry carry-is-scaled residual-f32 cotangent-carry last-carry-unused",
     "slice-copied row-sum-as-dot residual-computed"},
    {"unrolled, on a TPU", "tpu-v5e-d262144-s8-ufull", "", "*"},
    {"rolled, on a CPU", "cpu-d256-s8-u1",
     "residual-is-carry carry-is-scaled residual-f32 cotangent-carry last-carry-unused",
     "unroll-stores-slices residual-computed"},
};

static const struct hint *hint_named(const struct hints *h, const char *id, size_t len)
{
    for (uint32_t k = 0; k < h->n; k++)
        if (strlen(h->items[k].id) == len && strncmp(h->items[k].id, id, len) == 0)
            return &h->items[k];
    return NULL;
}

/* The first id of a list that is there (or, not wanted, is not), or NULL. */
static const char *first_wrong(const struct hints *h, const char *ids, bool wanted)
{
    for (const char *id = ids; *id; id += strspn(id, " ")) {
        size_t len = strcspn(id, " ");
        if ((hint_named(h, id, len) != NULL) != wanted)
            return id;
        id += len;
    }
    return NULL;
}

static void check_cell(void **state)
{
    const struct cell_case *t = *state;
    struct cell_program c;
    struct hints h;
    cell_open(&c, t->cell);
    hints_find(&h, &c.program, c.module.device_memory);
    const char *lacks = first_wrong(&h, t->said, true);
    const char *has = *t->silent == '*' ? (h.n ? h.items[0].id : NULL) : first_wrong(&h, t->silent, false);
    for (uint32_t k = 0; k < h.n; k++)
        assert_true(h.items[k].bytes > 0 && strlen(h.items[k].text) > 40);
    if (lacks || has)
        print_message("lacks %s; has %s\n", lacks ? lacks : "-", has ? has : "-");
    hints_free(&h);
    cell_close(&c);
    assert_false(lacks || has);
}

/* What the example's hints put at stake: the figures that its remedies save. */
static const struct stake {
    const char *name, *cell, *id;
    double gib;
} stakes[] = {
    {"the stack of four models", "a100-d1048576-s4-u1", "residual-is-carry", 16},
    {"the last of four rows", "a100-d1048576-s4-u1", "last-carry-unused", 4},
    {"a slice of one row", "a100-d1048576-s4-u1", "slice-copied", 4},
    {"the cotangent", "a100-d1048576-s4-u1", "cotangent-carry", 4},
    {"three models beside the parameter", "a100-d1048576-s4-ufull", "row-sum-as-dot", 12},
    {"three slices more than rolled", "a100-d1048576-s8-u4", "unroll-stores-slices", 12},
    {"four rows again", "a100-d1048576-s5-u2", "remainder-copies-stack", 16},
};

static void check_stake(void **state)
{
    const struct stake *t = *state;
    struct cell_program c;
    struct hints h;
    cell_open(&c, t->cell);
    hints_find(&h, &c.program, 0);
    const struct hint *hint = hint_named(&h, t->id, strlen(t->id));
    double gib = hint ? (double)hint->bytes / (double)(1ull << 30) : -1;
    hints_free(&h);
    cell_close(&c);
    assert_true(gib > t->gib - 0.01 && gib < t->gib + 0.01);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(cases) + COUNT(cells) + COUNT(stakes)];
    size_t n = 0;
    ADD_TABLE(cases, check_case, name);
    ADD_TABLE(cells, check_cell, name);
    ADD_TABLE(stakes, check_stake, name);
    return _cmocka_run_group_tests("hints", tests, n, NULL, NULL);
}
