/* What buffers are for: one small program for each rule, and the shipped example at its peak. */
#include "core/analysis/program/roles.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"

#define GIB          (1ull << 30)
#define FORWARD      ", metadata={op_name=\"jit(f)/jvp()/mul\"}\n"
#define BACKWARD     ", metadata={op_name=\"jit(f)/transpose(jvp())/mul\"}\n"
#define REMAT        ", metadata={op_name=\"jit(f)/transpose(jvp())/rematted_computation/mul\"}\n"
#define OLD(what)    ", metadata={op_name=\"jit(f)/jit(main)/" what "\"}\n"
#define BEHIND       ", metadata={op_name=\"jit(f)/sub\"}\n"

/* ---- Rules, one by one ---- */

enum { ROLES_MOST = 10 };

struct rule {
    const char *name, *hlo;
    struct {
        const char *value;
        enum role role;
    } want[ROLES_MOST];
};

/* A counting loop of n iterations over (counter, …): its condition. */
#define CONDITION(name, tuple, n)                                                                  \
    "c" name " {\n cp" name " = " tuple " parameter(0)\n"                                          \
    " ci" name " = s32[] get-tuple-element(cp" name "), index=0\n"                                 \
    " cn" name " = s32[] constant(" n ")\n"                                                        \
    " ROOT cr" name " = pred[] compare(ci" name ", cn" name "), direction=LT\n}\n"
#define COUNTER(name, tuple)                                                                       \
    " p" name " = " tuple " parameter(0)\n i" name " = s32[] get-tuple-element(p" name "), index=0\n" \
    " one" name " = s32[] constant(1)\n j" name " = s32[] add(i" name ", one" name ")\n"

#define T2 "(s32[], f32[8])"
/* A loop over one array, whose body and initial value are given. */
#define ONE_LOOP(passes, body, first)                                                              \
    "HloModule m, is_scheduled=true\n" CONDITION("1", T2, "4")                                     \
    "b1 {\n" COUNTER("1", T2) " x = f32[8] get-tuple-element(p1), index=1\n" body                  \
    " ROOT r1 = " T2 " tuple(j1, next)\n}\n"                                                       \
    "ENTRY e {\n a = f32[8] parameter(0)\n b = f32[8] parameter(1)\n zero = s32[] constant(0)\n"     \
    " i0 = s32[] copy(zero)\n fz = f32[] constant(0)\n" first                                      \
    " t = " T2 " tuple(i0, first)\n"                                                               \
    " w = " T2 " while(t), condition=c1, body=b1" passes                                           \
    " g = f32[8] get-tuple-element(w), index=1\n ROOT o = f32[8] negate(g)" BEHIND "}\n"
#define ZEROS " first = f32[8] broadcast(fz), dimensions={}\n"

#define T4 "(s32[], f32[8], f32[4,8], f32[4,8])"
/* A scan and its transpose: the forward loop carries x, stores it in a stack and reads xs; the
 * backward loop reads both, carries a cotangent and adds up a gradient. */
static const char scan[] =
    "HloModule m, is_scheduled=true\n" CONDITION("1", T4, "4") CONDITION("2", T4, "4")
    "b1 {\n" COUNTER("1", T4)
    " x = f32[8] get-tuple-element(p1), index=1\n s = f32[4,8] get-tuple-element(p1), index=2\n"
    " xs = f32[4,8] get-tuple-element(p1), index=3\n z1 = s32[] constant(0)\n"
    " row = f32[1,8] reshape(x)" FORWARD
    " s2 = f32[4,8] dynamic-update-slice(s, row, i1, z1)" FORWARD
    " in = f32[1,8] dynamic-slice(xs, i1, z1), dynamic_slice_sizes={1,8}" FORWARD
    " inr = f32[8] reshape(in)" FORWARD
    " x2 = f32[8] multiply(x, inr)" FORWARD
    " ROOT r1 = " T4 " tuple(j1, x2, s2, xs)\n}\n"
    "b2 {\n" COUNTER("2", T4)
    " ct = f32[8] get-tuple-element(p2), index=1\n d = f32[4,8] get-tuple-element(p2), index=2\n"
    " acc = f32[4,8] get-tuple-element(p2), index=3\n z2 = s32[] constant(0)\n"
    " three = s32[] constant(3)\n at = s32[] subtract(three, i2)" BACKWARD
    " slot = f32[1,8] dynamic-slice(d, at, z2), dynamic_slice_sizes={1,8}" BACKWARD
    " slotr = f32[8] reshape(slot)" BACKWARD
    " ct2 = f32[8] multiply(ct, slotr)" BACKWARD
    " term = f32[4,8] broadcast(ct2), dimensions={1}" BACKWARD
    " acc2 = f32[4,8] add(acc, term)" BACKWARD
    " ROOT r2 = " T4 " tuple(j2, ct2, d, acc2)\n}\n"
    "ENTRY e {\n a = f32[8] parameter(0)\n xs0 = f32[4,8] parameter(1)\n"
    " zero = s32[] constant(0)\n i0 = s32[] copy(zero)\n k0 = s32[] copy(zero)\n"
    " fz = f32[] constant(0)\n s0 = f32[4,8] broadcast(fz), dimensions={}" FORWARD
    " x0 = f32[8] copy(a)\n t1 = " T4 " tuple(i0, x0, s0, xs0)\n"
    " w1 = " T4 " while(t1), condition=c1, body=b1" FORWARD
    " filled = f32[4,8] get-tuple-element(w1), index=2\n"
    " ct0 = f32[8] broadcast(fz), dimensions={}" BACKWARD
    " acc0 = f32[4,8] broadcast(fz), dimensions={}" BACKWARD
    " t2 = " T4 " tuple(k0, ct0, filled, acc0)\n"
    " w2 = " T4 " while(t2), condition=c2, body=b2" BACKWARD
    " g1 = f32[8] get-tuple-element(w2), index=1\n g2 = f32[4,8] get-tuple-element(w2), index=3\n"
    " ROOT o = (f32[8], f32[4,8]) tuple(g1, g2)\n}\n";

static const struct rule rules[] = {
    {"parameters, constants, tuples, outputs",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n c = f32[8] constant({...})\n"
     " s = f32[8] add(a, c)\n u = f32[8] negate(s)\n ROOT o = (f32[8]) tuple(u)\n}\n",
     {{"a", ROLE_PARAMETER}, {"c", ROLE_CONSTANT}, {"s", ROLE_SCRATCH}, {"u", ROLE_OUTPUT},
      {"o{}", ROLE_TABLE}}},
    {"a parameter whose memory an output takes is donated",
     "HloModule m, is_scheduled=true, input_output_alias={ {}: (1, {}, may-alias) }\n"
     "ENTRY e {\n a = f32[8] parameter(0)\n b = f32[8] parameter(1)\n ROOT s = f32[8] add(a, b)\n}\n",
     {{"a", ROLE_PARAMETER}, {"b", ROLE_DONATED}, {"s", ROLE_OUTPUT}}},
    {"a parameter that is offered is donated, too",
     "HloModule m, is_scheduled=true, buffer_donor={ (0, {}) }\n"
     "ENTRY e {\n a = f32[8] parameter(0)\n ROOT s = f32[4] slice(a), slice={[0:4]}\n}\n",
     {{"a", ROLE_DONATED}, {"s", ROLE_OUTPUT}}},
    {"one element of a tuple is donated, the other not",
     "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {1}, may-alias) }\n"
     "ENTRY e {\n p = (f32[8], f32[8]) parameter(0)\n a = f32[8] get-tuple-element(p), index=0\n"
     " b = f32[8] get-tuple-element(p), index=1\n ROOT s = f32[8] add(a, b)\n}\n",
     {{"p{}", ROLE_TABLE}, {"p{0}", ROLE_PARAMETER}, {"p{1}", ROLE_DONATED}}},
    {"what is written in place to become the output is output",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[1] parameter(0)\n i = s32[] parameter(1)\n"
     " z = f32[] constant(0)\n empty = f32[8] broadcast(z), dimensions={}\n"
     " one = f32[8] dynamic-update-slice(empty, a, i)\n n = f32[1] negate(a)\n"
     " two = f32[8] dynamic-update-slice(one, n, i)\n ROOT o = f32[8] copy(two)\n}\n",
     {{"empty", ROLE_OUTPUT}, {"one", ROLE_OUTPUT}, {"two", ROLE_OUTPUT}, {"o", ROLE_OUTPUT},
      {"n", ROLE_SCRATCH}}},
    {"made forward, read backward: a residual; read at once: scratch",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" FORWARD " c = f32[8] cosine(s)" FORWARD " l = f32[8] exponential(c)" FORWARD
     " g = f32[8] multiply(l, c)" BACKWARD " ROOT o = f32[8] negate(g)" BACKWARD "}\n",
     {{"s", ROLE_SCRATCH}, {"c", ROLE_RESIDUAL}, {"l", ROLE_RESIDUAL}, {"g", ROLE_SCRATCH}}},
    {"what is computed again for the backward pass is a residual",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" REMAT " ROOT g = f32[8] multiply(s, a)" BACKWARD "}\n",
     {{"s", ROLE_RESIDUAL}, {"g", ROLE_OUTPUT}}},
    {"a second derivative: its forward pass has a transpose in it",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a), metadata={op_name=\"jit(f)/jvp(transpose(jvp()))/sin\"}\n"
     " ROOT g = f32[8] multiply(s, a), metadata={op_name=\"jit(f)/transpose(jvp(transpose(jvp())))/mul\"}\n}\n",
     {{"s", ROLE_RESIDUAL}}},
    {"without a name, an instruction is of the pass whose values it reads",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" FORWARD " c = f32[8] cosine(s)\n"
     " g = f32[8] negate(s)" BACKWARD " h = f32[8] multiply(g, c)\n ROOT o = f32[8] add(h, a)" BACKWARD "}\n",
     {{"s", ROLE_RESIDUAL}, {"c", ROLE_RESIDUAL}, {"g", ROLE_SCRATCH}, {"h", ROLE_SCRATCH}}},
    {"a fusion reads for the backward pass when any part of it does",
     "HloModule m, is_scheduled=true\nf {\n x = f32[8] parameter(0)\n y = f32[8] negate(x)" BACKWARD
     " ROOT z = f32[8] exponential(y)" BEHIND "}\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" FORWARD " ROOT o = f32[8] fusion(s), kind=kLoop, calls=f" BEHIND "}\n",
     {{"s", ROLE_RESIDUAL}}},
    {"outputs of one fusion are of different passes",
     "HloModule m, is_scheduled=true\nf {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)" FORWARD
     " z = f32[8] negate(y)" BACKWARD " ROOT t = (f32[8], f32[8]) tuple(y, z)\n}\n"
     "ENTRY e {\n a = f32[8] parameter(0)\n"
     " u = (f32[8], f32[8]) fusion(a), kind=kLoop, calls=f" BACKWARD
     " u0 = f32[8] get-tuple-element(u), index=0\n u1 = f32[8] get-tuple-element(u), index=1\n"
     " ROOT o = f32[8] multiply(u0, u1)" BACKWARD "}\n",
     {{"u{0}", ROLE_RESIDUAL}, {"u{1}", ROLE_SCRATCH}, {"u{}", ROLE_TABLE}}},
    {"through copies between memories a residual stays one",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" FORWARD
     " out = (f32[8], f32[8], u32[]) copy-start(s)\n outd = f32[8] copy-done(out)\n"
     " in = (f32[8], f32[8], u32[]) copy-start(outd)\n ind = f32[8] copy-done(in)\n"
     " ROOT g = f32[8] negate(ind)" BACKWARD "}\n",
     {{"s", ROLE_RESIDUAL}, {"out{0}", ROLE_RESIDUAL}, {"in{0}", ROLE_RESIDUAL},
      {"in{2}", ROLE_SCRATCH}}},
    {"a parameter that is brought into another memory is one there",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " in = (f32[8], f32[8], u32[]) copy-start(a)\n ind = f32[8] copy-done(in)\n"
     " ROOT g = f32[8] negate(ind)\n}\n",
     {{"a", ROLE_PARAMETER}, {"in{0}", ROLE_PARAMETER}}},
    {"made backward and read by the optimizer: a gradient, before the sum over devices too",
     "HloModule m, is_scheduled=true\nadd {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
     " ROOT z = f32[] add(x, y)\n}\nENTRY e {\n a = f32[8] parameter(0)\n"
     " ct = f32[8] negate(a)" BACKWARD " g = f32[8] sine(ct)" BACKWARD
     " r = f32[8] all-reduce(g), to_apply=add" BEHIND " ROOT o = f32[8] subtract(a, r)" BEHIND "}\n",
     {{"ct", ROLE_SCRATCH}, {"g", ROLE_GRADIENT_DONE}, {"r", ROLE_GRADIENT_DONE}, {"o", ROLE_OUTPUT}}},

    {"older names say nothing outside loops: what hangs on a sum of cotangents is backward",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" OLD("sin") " c = f32[8] cosine(s)" OLD("cos") " z = f32[8] sine(c)" OLD("sin")
     " g = f32[8] add(z, s)" OLD("add_any") " h = f32[8] multiply(g, c)" OLD("mul")
     " ROOT o = f32[8] negate(h)" OLD("neg") "}\n",
     {{"s", ROLE_RESIDUAL}, {"c", ROLE_RESIDUAL}, {"g", ROLE_SCRATCH}, {"h", ROLE_SCRATCH}}},
    {"a primitive of that name is no pass",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n s = f32[8] sine(a)" FORWARD
     " ROOT o = f32[8] negate(s)" OLD("transpose[permutation=(1, 0)]") "}\n",
     {{"s", ROLE_SCRATCH}}},
    {"where no cotangents are added up, nothing is known",
     "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" OLD("sin") " c = f32[8] cosine(s)" OLD("cos")
     " h = f32[8] multiply(s, c)" OLD("mul") " ROOT o = f32[8] negate(h)" OLD("neg") "}\n",
     {{"s", ROLE_SCRATCH}, {"c", ROLE_SCRATCH}}},
    {"slots of residuals that are joined for no more than that",
     "HloModule m, is_scheduled=true\nf {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n"
     " k = f32[8] negate(y)\n j = f32[16] concatenate(x, k), dimensions={0}\n"
     " ROOT l = f32[4] slice(j), slice={[2:6]}" BACKWARD "}\nENTRY e {\n a = f32[8] parameter(0)\n"
     " s = f32[8] sine(a)" FORWARD " u = f32[4] fusion(s, a), kind=kLoop, calls=f" BACKWARD
     " g = f32[4] sine(u)" BACKWARD " ROOT o = f32[4] negate(g)" BACKWARD "}\n",
     {{"s", ROLE_RESIDUAL}, {"u", ROLE_SLICE}, {"g", ROLE_SCRATCH}}},
    {"moved by what has no name: its readers count",
     "HloModule m, is_scheduled=true\nf {\n x = f32[8] parameter(0)\n"
     " ROOT l = f32[4] slice(x), slice={[2:6]}\n}\nENTRY e {\n a = f32[8] parameter(0)\n"
     " g = f32[8] sine(a)" BACKWARD " u = f32[4] fusion(g), kind=kLoop, calls=f\n"
     " ROOT o = f32[4] negate(u)" BEHIND "}\n",
     {{"g", ROLE_GRADIENT_DONE}, {"u", ROLE_GRADIENT_DONE}}},
    {"a collective of several arrays: each by its own operand",
     "HloModule m, is_scheduled=true\nadd {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
     " ROOT z = f32[] add(x, y)\n}\nENTRY e {\n a = f32[8] parameter(0)\n"
     " g = f32[8] sine(a)" BACKWARD " l = f32[4] slice(a), slice={[2:6]}" FORWARD
     " r = (f32[8], f32[4]) all-reduce(g, l), to_apply=add" BEHIND
     " r0 = f32[8] get-tuple-element(r), index=0\n r1 = f32[4] get-tuple-element(r), index=1\n"
     " n = f32[8] subtract(a, r0)" BEHIND " k = f32[4] negate(r1)" BEHIND
     " ROOT o = (f32[8], f32[4]) tuple(n, k)\n}\n",
     {{"g", ROLE_GRADIENT_DONE}, {"r{0}", ROLE_GRADIENT_DONE}, {"r{1}", ROLE_SCRATCH}}},

    {"what changes from iteration to iteration is a carry, from its first value on",
     ONE_LOOP("\n", " n = f32[8] negate(x)\n next = f32[8] sine(n)\n", " first = f32[8] copy(a)\n"),
     {{"first", ROLE_CARRY}, {"p1{1}", ROLE_CARRY}, {"cp1{1}", ROLE_CARRY}, {"next", ROLE_CARRY},
      {"w{1}", ROLE_CARRY}, {"i0", ROLE_CARRY}, {"zero", ROLE_CONSTANT}, {"n", ROLE_SCRATCH},
      {"p1{}", ROLE_TABLE}}},
    {"a copy of a carry is one",
     ONE_LOOP("\n", " y = f32[8] copy(x)\n n = f32[8] negate(y)\n next = f32[8] add(n, y)\n",
              " first = f32[8] copy(a)\n"),
     {{"y", ROLE_CARRY}, {"n", ROLE_SCRATCH}}},
    {"what a loop carries through unchanged keeps its role",
     ONE_LOOP("\n", " next = f32[8] bitcast(x)\n", " first = f32[8] bitcast(b)\n"),
     {{"b", ROLE_PARAMETER}, {"i0", ROLE_CARRY}}},
    {"a backward loop's carry that begins as zeros is a cotangent",
     ONE_LOOP(BACKWARD, " next = f32[8] sine(x)" BACKWARD, ZEROS),
     {{"first", ROLE_COTANGENT}, {"p1{1}", ROLE_COTANGENT}, {"next", ROLE_COTANGENT},
      {"w{1}", ROLE_COTANGENT}, {"i0", ROLE_CARRY}, {"p1{0}", ROLE_CARRY}}},
    {"or with what the backward pass has made",
     ONE_LOOP(BACKWARD, " next = f32[8] sine(x)" BACKWARD, " first = f32[8] cosine(a)" BACKWARD),
     {{"first", ROLE_COTANGENT}, {"next", ROLE_COTANGENT}}},
    {"one that begins with what the forward pass has made is a carry: the loop runs it backwards",
     ONE_LOOP(BACKWARD, " next = f32[8] sine(x)" BACKWARD, " first = f32[8] cosine(a)" FORWARD),
     {{"first", ROLE_CARRY}, {"next", ROLE_CARRY}}},
    {"the same in a forward loop is a carry", ONE_LOOP(FORWARD, " next = f32[8] sine(x)" FORWARD, ZEROS),
     {{"first", ROLE_CARRY}, {"next", ROLE_CARRY}}},
    {"carry plus a term: a gradient is added up",
     ONE_LOOP(BACKWARD, " k = f32[8] constant({...})\n next = f32[8] add(x, k)" BACKWARD, ZEROS),
     {{"first", ROLE_GRADIENT}, {"p1{1}", ROLE_GRADIENT}, {"next", ROLE_GRADIENT}, {"w{1}", ROLE_GRADIENT}}},
    {"with a second reader the term hangs on the carry: a cotangent",
     ONE_LOOP(BACKWARD, " k = f32[8] sine(x)" BACKWARD " next = f32[8] add(x, k)" BACKWARD, ZEROS),
     {{"p1{1}", ROLE_COTANGENT}, {"next", ROLE_COTANGENT}}},
    {"a factor on the carry: a cotangent",
     ONE_LOOP(BACKWARD, " k = f32[8] constant({...})\n y = f32[8] multiply(x, k)" BACKWARD
              " next = f32[8] add(y, k)" BACKWARD, ZEROS),
     {{"p1{1}", ROLE_COTANGENT}}},
    {"two steps in one body: the sum between them is a cotangent, too",
     ONE_LOOP(BACKWARD, " k = f32[8] constant({...})\n y = f32[8] multiply(x, k)" BACKWARD
              " mid = f32[8] add(y, k)" BACKWARD " z = f32[8] multiply(mid, k)" BACKWARD
              " next = f32[8] add(z, k)" BACKWARD, ZEROS),
     {{"y", ROLE_SCRATCH}, {"mid", ROLE_COTANGENT}, {"z", ROLE_SCRATCH}, {"next", ROLE_COTANGENT}}},
    {"a sum of another size is none",
     ONE_LOOP(BACKWARD, " h = f32[4] slice(x), slice={[0:4]}" BACKWARD " m = f32[4] add(h, h)" BACKWARD
              " m2 = f32[8] concatenate(m, m), dimensions={0}" BACKWARD " next = f32[8] multiply(x, m2)" BACKWARD,
              ZEROS),
     {{"m", ROLE_SCRATCH}, {"next", ROLE_COTANGENT}}},
    {"microbatches: no pass of its own, but the term is made by a backward pass",
     ONE_LOOP("\n", " k = f32[8] constant({...})\n g = f32[8] sine(k)" BACKWARD
              " next = f32[8] add(x, g)" BEHIND, ZEROS),
     {{"p1{1}", ROLE_GRADIENT}, {"next", ROLE_GRADIENT}, {"g", ROLE_GRADIENT_DONE}}},
    {"a sum that is no gradient is a carry",
     ONE_LOOP("\n", " k = f32[8] constant({...})\n g = f32[8] sine(k)\n next = f32[8] add(x, g)\n", ZEROS),
     {{"p1{1}", ROLE_CARRY}, {"next", ROLE_CARRY}}},
    {"a scan and its transpose: the stack", scan,
     {{"s0", ROLE_STACK}, {"p1{2}", ROLE_STACK}, {"s2", ROLE_STACK}, {"w1{2}", ROLE_STACK},
      {"xs0", ROLE_PARAMETER}, {"in", ROLE_SLICE}, {"slot", ROLE_SLICE}, {"slotr", ROLE_SLICE}}},
    {"a scan and its transpose: the carries", scan,
     {{"x0", ROLE_CARRY}, {"p1{1}", ROLE_CARRY}, {"x2", ROLE_CARRY}, {"w1{1}", ROLE_CARRY},
      {"ct0", ROLE_COTANGENT}, {"ct2", ROLE_COTANGENT}, {"acc0", ROLE_GRADIENT},
      {"acc2", ROLE_GRADIENT}, {"w2{1}", ROLE_OUTPUT}, {"w2{3}", ROLE_OUTPUT}}},
};

static void load(struct module *m, struct program *p, const char *hlo)
{
    struct file f = {"x.txt", hlo, strlen(hlo)};
    struct diag d;
    char line[1200];
    *m = (struct module){.platform = PLATFORM_CPU};
    hlo_init(&m->hlo, &m->arena, f.name);
    m->has_hlo = true;
    if (!hlo_text_read(&m->hlo, &f, &d) || !program_build(p, m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void check_rule(void **state)
{
    const struct rule *c = *state;
    struct module m;
    struct program p;
    char wrong[200] = "";
    load(&m, &p, c->hlo);
    for (int k = 0; k < ROLES_MOST && c->want[k].value; k++) {
        buf_id b = 0;
        while (b < p.n && strcmp(p.name_of[b], c->want[k].value) != 0)
            b++;
        const char *got = b < p.n ? role_name((enum role)p.role[b]) : "no such buffer";
        if (!*wrong && strcmp(got, role_name(c->want[k].role)) != 0)
            snprintf(wrong, sizeof wrong, "%s: %s, not %s", c->want[k].value, got,
                     role_name(c->want[k].role));
    }
    program_free(&p);
    arena_free(&m.arena);
    if (*wrong)
        fail_msg("%s", wrong);
}

/* ---- Words ---- */

static void words(void **state)
{
    (void)state;
    for (int a = 0; a < ROLE_COUNT; a++) {
        assert_true(strlen(role_name((enum role)a)) > 3 && strlen(role_name((enum role)a)) <= 20);
        assert_in_range(strlen(role_short((enum role)a)), 4, 9);
        assert_true(strlen(role_words((enum role)a)) > 10);
        for (int b = 0; b < a; b++)
            assert_string_not_equal(role_name((enum role)a), role_name((enum role)b));
    }
}

/* ---- Without HLO: what the allocations say ---- */

static void by_flags(void **state)
{
    static const char text[] =
        "BufferAssignment:\n"
        "allocation 0: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {}, maybe-live-out:\n"
        " value: <0 x @0> (size=4096,offset=0): f32[1024]{0}\n"
        "allocation 1: size 4096, parameter 1, shape |f32[1024]| at ShapeIndex {}:\n"
        " value: <1 y @0> (size=4096,offset=0): f32[1024]{0}\n"
        "allocation 2: size 4096, output shape is |f32[1024]|, maybe-live-out:\n"
        " value: <2 u @0> (size=4096,offset=0): f32[1024]{0}\n"
        "allocation 3: size 4, constant:\n value: <3 c @0> (size=4,offset=0): f32[]\n"
        "allocation 4: size 4096, preallocated-temp:\n"
        " value: <4 v @0> (size=4096,offset=0): f32[1024]{0}\n\n";
    static const enum role want[] = {ROLE_DONATED, ROLE_PARAMETER, ROLE_OUTPUT, ROLE_CONSTANT,
                                     ROLE_SCRATCH};
    struct module m = {.platform = PLATFORM_CPU, .name = "f"};
    struct file f = {"a.txt", text, strlen(text)};
    struct program p;
    struct diag d;
    (void)state;
    m.assignment.arena = &m.arena;
    assert_true(assignment_text_read(&m.assignment, &f, &d));
    m.has_assignment = true;
    assert_true(program_build(&p, &m, &d));
    assert_int_equal(p.n, COUNT(want));
    for (buf_id b = 0; b < p.n; b++) {
        assert_int_equal(p.role[b], want[b]);
        assert_false(roles_is_residual(&p, b));
    }
    program_free(&p);
    arena_free(&m.arena);
}

/* ---- The shipped example ---- */

/* GiB at the peak by role; the rest, all small, is left out. */
static const struct cell {
    const char *name, *dir;
    uint64_t stack, slice, cotangent, donated, residual;
} cells[] = {
    {"one step needs no residual but the model", "a100-d1048576-s1-ufull", 0, 0, 0, 4, 0},
    {"rolled, two steps", "a100-d1048576-s2-u1", 8, 4, 4, 0, 0},
    {"rolled, three steps", "a100-d1048576-s3-u1", 12, 4, 4, 0, 0},
    {"rolled, four steps", "a100-d1048576-s4-u1", 16, 4, 4, 0, 0},
    {"rolled, eight steps", "a100-d1048576-s8-u1", 32, 4, 4, 0, 0},
    {"two steps at a time: two slices", "a100-d1048576-s8-u2", 32, 8, 4, 0, 0},
    {"four steps at a time: four slices", "a100-d1048576-s8-u4", 32, 16, 4, 0, 0},
    {"a remainder copies the stack", "a100-d1048576-s5-u2", 32, 8, 4, 0, 0},
    {"unrolled, two steps", "a100-d1048576-s2-ufull", 0, 0, 0, 4, 4},
    {"unrolled, three steps", "a100-d1048576-s3-ufull", 0, 0, 0, 4, 8},
    {"unrolled, four steps", "a100-d1048576-s4-ufull", 0, 0, 0, 4, 12},
    {"unrolled, eight steps", "a100-d1048576-s8-ufull", 0, 0, 0, 4, 28},
};

static void open_cell(const char *cell, struct dump *dump, struct module *m, struct program *p)
{
    struct diag d;
    char dir[200], line[1200];
    snprintf(dir, sizeof dir, "fixtures/grid/%s", cell);
    if (!dump_find(dump, dir, &d) || !dump_load(dump, 0, FORM_ANY, m, &d) || !program_build(p, m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

/* Bytes at a step by role; false when they do not add up to the live bytes. */
static bool by_role(const struct program *p, uint32_t step, uint64_t bytes[ROLE_COUNT])
{
    buf_id *ids = malloc(((size_t)p->n + 1) * sizeof *ids);
    uint64_t *own = malloc(((size_t)p->n + 1) * sizeof *own), sum = 0;
    assert_true(ids && own);
    uint32_t n = program_alive(p, step, ids, own);
    memset(bytes, 0, ROLE_COUNT * sizeof *bytes);
    for (uint32_t k = 0; k < n; k++)
        if (p->main[ids[k]]) {
            bytes[p->role[ids[k]]] += own[k];
            sum += own[k];
        }
    free(ids);
    free(own);
    return sum == p->live[step];
}

static void check_cell(void **state)
{
    const struct cell *c = *state;
    struct dump dump;
    struct module m;
    struct program p;
    uint64_t bytes[ROLE_COUNT];
    open_cell(c->dir, &dump, &m, &p);
    bool sum = by_role(&p, p.peak, bytes);
    program_free(&p);
    module_free(&m);
    dump_free(&dump);
    assert_true(sum);
    assert_int_equal((bytes[ROLE_STACK] + GIB / 20) / GIB, c->stack);
    assert_int_equal((bytes[ROLE_SLICE] + GIB / 20) / GIB, c->slice);
    assert_int_equal((bytes[ROLE_COTANGENT] + GIB / 20) / GIB, c->cotangent);
    assert_int_equal((bytes[ROLE_DONATED] + GIB / 20) / GIB, c->donated);
    assert_int_equal((bytes[ROLE_RESIDUAL] + GIB / 20) / GIB, c->residual);
    assert_true(bytes[ROLE_SCRATCH] < GIB / 20);
}

/* Every role that one place has, in order of birth. */
static void one_place(void **state)
{
    static const enum role want[] = {ROLE_DONATED, ROLE_CARRY, ROLE_COTANGENT, ROLE_OUTPUT};
    struct dump dump;
    struct module m;
    struct program p;
    uint32_t next = 0;
    bool sound = true;
    (void)state;
    open_cell("a100-d1048576-s4-u1", &dump, &m, &p);
    buf_id w2 = 0;
    while (w2 < p.n && !(p.role[w2] == ROLE_DONATED && p.size[w2] == 4 * GIB))
        w2++;
    sound &= w2 < p.n && !roles_is_residual(&p, w2); /* it is copied into the stack */
    for (uint32_t step = 0; sound && step <= p.steps; step++)
        for (buf_id b = 0; b < p.n; b++)
            if (p.alloc[b] == p.alloc[w2] && p.size[b] == 4 * GIB && p.start[b] == step) {
                next += next < COUNT(want) - 1 && p.role[b] == want[next + 1];
                sound &= p.role[b] == want[next];
            }
    program_free(&p);
    module_free(&m);
    dump_free(&dump);
    assert_true(sound);
    assert_int_equal(next, COUNT(want) - 1);
}

static void parameter_too(void **state)
{
    struct dump dump;
    struct module m;
    struct program p;
    bool residual = false;
    (void)state;
    open_cell("a100-d1048576-s4-ufull", &dump, &m, &p);
    for (buf_id b = 0; b < p.n; b++)
        if (p.role[b] == ROLE_DONATED && p.size[b] == 4 * GIB)
            residual = roles_is_residual(&p, b);
    program_free(&p);
    module_free(&m);
    dump_free(&dump);
    assert_true(residual);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rules) + COUNT(cells) + 4];
    size_t n = 0;
    ADD_TABLE(rules, check_rule, name);
    ADD_TABLE(cells, check_cell, name);
    ADD_AS(words, "every role has a name and words");
    ADD_AS(by_flags, "without HLO the allocations' flags tell");
    ADD_AS(one_place, "one place is parameter, carry, cotangent and output in turn");
    ADD_AS(parameter_too, "a donated parameter that the backward pass reads is a residual too");
    return _cmocka_run_group_tests("roles", tests, n, NULL, NULL);
}
