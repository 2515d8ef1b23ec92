/* HLO text: what is read. */
#include "tests/support/hlo_text_case.h"
#include "tests/support/large_text.h"

static const struct text_case programs[] = {
    {"names without %, no signature, no schedule",
     "HloModule jit_f.1\n\n" ADD_COMP "\nENTRY main.5 {\n  Arg_0.1 = f32[4]{0} parameter(0)\n"
     "  zero = f32[] constant(0)\n"
     "  ROOT reduce.2 = f32[] reduce(Arg_0.1, zero), dimensions={0}, to_apply=add\n} // main.5\n\n",
     "jit_f.1\n" ADD_WANT "ENTRY main.5:\nArg_0.1 f32[4]{0} parameter() #0\nzero f32[] constant() zero\n"
     "*reduce.2 f32[] reduce(Arg_0.1 zero) @add\n"},
    {"names with %, signatures, a schedule",
     "HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n"
     "%c (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n"
     "  ROOT %n = f32[4]{0} negate(%p)\n}\n\n"
     "ENTRY %e (x: f32[4], y: (f32[2], /*index=1*/s32[])) -> (f32[4], f32[]) {\n"
     "  %x = f32[4]{0} parameter(0)\n  %y = (f32[2]{0}, s32[]) parameter(1)\n"
     "  ROOT %f = f32[4]{0} fusion(%x), kind=kLoop, calls=%c\n}\n",
     "jit_f scheduled\nc:\np f32[4]{0} parameter() #0\n*n f32[4]{0} negate(p)\nENTRY e:\n"
     "x f32[4]{0} parameter() #0\ny (f32[2]{0}, s32[]) parameter() #1\n"
     "*f f32[4]{0} fusion(x) @c kind=kLoop\n"},
    {"operands with their shapes, with comments between them",
     ONE("  t = (f32[2]{0}, f32[2]{0}) tuple(f32[2]{0} p, /*index=1*/f32[2]{0:T(128)S(1)} p)\n"
         "  ROOT g = f32[2]{0} get-tuple-element((f32[2]{0}, /*index=1*/f32[2]{0}) %t), index=1"),
     ONE_WANT "t (f32[2]{0}, f32[2]{0}) tuple(p p)\n*g f32[2]{0} get-tuple-element(t) #1\n"},
    {"body stands before condition, whatever the text prints first",
     "HloModule m\nbody {\n ROOT p = (s32[]) parameter(0)\n}\n"
     "cond {\n q = (s32[]) parameter(0)\n ROOT r = pred[] constant(false)\n}\n"
     "ENTRY e {\n i = (s32[]) parameter(0)\n"
     " ROOT w = (s32[]) while(i), condition=cond, body=body, "
     "backend_config={\"known_trip_count\":{\"n\":\"4\"}}\n}\n",
     "m\nbody:\n*p (s32[]) parameter() #0\ncond:\nq (s32[]) parameter() #0\n*r pred[] constant() =0 zero\n"
     "ENTRY e:\ni (s32[]) parameter() #0\n"
     "*w (s32[]) while(i) @body @cond config={\"known_trip_count\":{\"n\":\"4\"}}\n"},
    {"branches in order",
     "HloModule m\nb0 {\n ROOT p0 = f32[] parameter(0)\n}\nb1 {\n ROOT p1 = f32[] parameter(0)\n}\n"
     "ENTRY e {\n s = s32[] parameter(0)\n x = f32[] parameter(1)\n"
     " ROOT c = f32[] conditional(s, x, x), branch_computations={%b1, %b0}\n}\n",
     "m\nb0:\n*p0 f32[] parameter() #0\nb1:\n*p1 f32[] parameter() #0\nENTRY e:\n"
     "s s32[] parameter() #0\nx f32[] parameter() #1\n*c f32[] conditional(s x x) @b1 @b0\n"},
    {"true before false",
     "HloModule m\nb0 {\n ROOT p0 = f32[] parameter(0)\n}\nb1 {\n ROOT p1 = f32[] parameter(0)\n}\n"
     "ENTRY e {\n s = pred[] parameter(0)\n x = f32[] parameter(1)\n"
     " ROOT c = f32[] conditional(s, x, x), false_computation=b0, true_computation=b1\n}\n",
     "m\nb0:\n*p0 f32[] parameter() #0\nb1:\n*p1 f32[] parameter() #0\nENTRY e:\n"
     "s pred[] parameter() #0\nx f32[] parameter() #1\n*c f32[] conditional(s x x) @b1 @b0\n"},
    {"select and scatter",
     "HloModule m\n" ADD_COMP "ENTRY e {\n p = f32[2]{0} parameter(0)\n z = f32[] constant(0)\n"
     " ROOT x = f32[2]{0} select-and-scatter(p, p, z), window={size=3 stride=2 pad=1_1}, "
     "select=%add, scatter=%add\n}\n",
     "m\n" ADD_WANT "ENTRY e:\np f32[2]{0} parameter() #0\nz f32[] constant() zero\n"
     "*x f32[2]{0} select-and-scatter(p p z) @add @add\n"},
    {"only the start of an asynchronous pair calls",
     "HloModule m\nwrapped {\n p = f32[2]{0} parameter(0)\n ROOT n = f32[2]{0} negate(p)\n}, "
     "execution_thread=\"t\"\nENTRY e {\n x = f32[2]{0} parameter(0)\n"
     " s = ((f32[2]{0}), f32[2]{0:S(1)}, u32[]{:S(2)}) async-start(x), calls=%wrapped\n"
     " ROOT d = f32[2]{0:S(1)} async-done(s), calls=%wrapped\n}\n",
     "m\nwrapped:\np f32[2]{0} parameter() #0\n*n f32[2]{0} negate(p)\nENTRY e:\n"
     "x f32[2]{0} parameter() #0\n"
     "s ((f32[2]{0}), f32[2]{0:S(1)}, u32[]{:S(2)}) async-start(x) @wrapped\n"
     "*d f32[2]{0:S(1)} async-done(s)\n"},
    {"a custom call: target, computations, aliases, a configuration in quotes",
     "HloModule m\n" ADD_COMP "ENTRY e {\n p = f32[2]{0} parameter(0)\n"
     " t = (f32[2]{0}, (f32[2]{0}, f32[])) parameter(1)\n"
     " ROOT c = (f32[2]{0}, f32[2]{0}) custom-call(p, t), custom_call_target=\"my\\\"call\", "
     "operand_layout_constraints={f32[2]{0}}, called_computations={%add, %add}, "
     "output_to_operand_aliasing={{1}: (1, {1,0}), {0}: (0, {})}, "
     "api_version=API_VERSION_TYPED_FFI, backend_config=\"{\\\"a\\\": "
     "\\\"\\\\\\\\\\\"}\\303\\251\"\n}\n",
     "m\n" ADD_WANT "ENTRY e:\np f32[2]{0} parameter() #0\n"
     "t (f32[2]{0}, (f32[2]{0}, f32[])) parameter() #1\n"
     "*c (f32[2]{0}, f32[2]{0}) custom-call(p t) @add @add 2<-1.3 1<-0.0 kind=my\"call "
     "config={\"a\": \"\\\\\"}\303\251\n"},
    {"a configuration that is no JSON",
     ONE("  ROOT c = f32[2]{0} custom-call(p), custom_call_target=\"f\", "
         "backend_config={diag = 78 : ui8, s = \"}\"}, index=7, kind=x"),
     ONE_WANT "*c f32[2]{0} custom-call(p) kind=f config={diag = 78 : ui8, s = \"}\"}\n"},
    {"input_output_alias, after its shapes are known",
     "HloModule m, input_output_alias={ {1,0}: (1, {0}, may-alias), {0}: (0, {}, must-alias), "
     "{1,1}: (0, {}) }, frontend_attributes={a=\"} ,\"}\n"
     "ENTRY e {\n p = f32[2]{0} parameter(0)\n q = (f32[], f32[2]{0}) parameter(1)\n"
     " t = (f32[2]{0}, f32[2]{0}) tuple(p, p)\n"
     " ROOT r = (f32[2]{0}, (f32[2]{0}, f32[2]{0})) tuple(p, t)\n}\n",
     "m 3<-1.1 1<-0.0 4<-0.0\nENTRY e:\np f32[2]{0} parameter() #0\n"
     "q (f32[], f32[2]{0}) parameter() #1\nt (f32[2]{0}, f32[2]{0}) tuple(p p)\n"
     "*r (f32[2]{0}, (f32[2]{0}, f32[2]{0})) tuple(p t)\n"},
    {"an alias of the whole output",
     "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
     "ENTRY e {\n ROOT p = f32[] parameter(0)\n}\n",
     "m 0<-0.0\nENTRY e:\n*p f32[] parameter() #0\n"},
    {"metadata of old dumps",
     ONE("  ROOT n = f32[2]{0} negate(p), metadata={op_type=\"neg\" op_name=\"jit(f)/a[x={1}]\\n\" "
         "source_file=\"/app/u/a b.py\" source_line=57 profile_type={1}}"),
     ONE_WANT "*n f32[2]{0} negate(p) op_name=jit(f)/a[x={1}]\n at /app/u/a b.py:57\n"},
    {"stack frames, whose parents are printed one too large",
     "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 "
     "\"f.<locals>.<lambda>\"\n\n"
     "FileLocations\n1 {file_name_id=1 function_name_id=1 line=21 end_line=21 column=27 "
     "end_column=46}\n"
     "2 {file_name_id=2 function_name_id=1 line=3 end_line=3 column=4 end_column=5}\n\n"
     "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 "
     "parent_frame_id=2}\n"
     "3 {file_location_id=2 parent_frame_id=1}\n\n\nENTRY %e (p: f32[]) -> f32[] {\n"
     "  %p = f32[] parameter(0), metadata={op_name=\"x\"}\n"
     "  ROOT %n = f32[] negate(%p), metadata={op_name=\"neg\" stack_frame_id=2}\n}\n\n",
     "m\nframe 1 f.<locals>.<lambda> a.py:21:27 < 0\nframe 2 f.<locals>.<lambda> b.py:3:4 < 1\n"
     "frame 3 f.<locals>.<lambda> b.py:3:4 < 0\nENTRY e:\np f32[] parameter() #0 op_name=x\n"
     "*n f32[] negate(p) op_name=neg at b.py:3\n"},
    {"stack frames, should a version print parents as they are",
     "HloModule m\nFileNames\n1 \"a\"\nFunctionNames\n1 \"f\"\nFileLocations\n"
     "1 {file_name_id=1 function_name_id=1 line=1 column=2}\nStackFrames\n"
     "1 {file_location_id=1 parent_frame_id=0}\n2 {file_location_id=1 parent_frame_id=1}\n"
     "ENTRY e {\n ROOT p = f32[] parameter(0)\n}\n",
     "m\nframe 1 f a:1:2 < 0\nframe 2 f a:1:2 < 1\nENTRY e:\n*p f32[] parameter() #0\n"},
    {"literals that are no integers are passed over",
     ONE("  a = f32[2]{0} constant({...})\n  b = f32[2,2]{1,0} constant({ { nan, -inf }, {\n    "
         "1e-3, /*)*/2 } })\n"
         "  c = c64[] constant((1, -0)), sharding={replicated}\n  d = pred[] constant(true)\n"
         "  ROOT s = (f32[2]{0}, c64[]) tuple(a, c)"),
     ONE_WANT "a f32[2]{0} constant()\nb f32[2,2]{1,0} constant()\nc c64[] constant()\n"
              "d pred[] constant() =1\n*s (f32[2]{0}, c64[]) tuple(a c)\n"},
    {"integers, of every width and sign, and lists of one",
     ONE("  a = s32[] constant(5)\n  b = s8[] constant(-128)\n  c = u64[] constant(18446744073709551615)\n"
         "  d = s64[] constant(-9223372036854775808)\n  e = s4[1]{0} constant({-3})\n"
         "  f = s32[1,1]{1,0} constant({ { /*i0=0*/ 7 } })\n  g = u32[2]{0} constant({1, 1})\n"
         "  h = f32[] constant(5)\n  i = s64[] constant(99999999999999999999)\n"
         "  j = u8[] constant(...)\n  ROOT k = pred[] constant(true)"),
     ONE_WANT "a s32[] constant() =5\nb s8[] constant() =-128\nc u64[] constant() =-1\n"
              "d s64[] constant() =-9223372036854775808\ne s4[1]{0} constant() =-3\n"
              "f s32[1,1]{1,0} constant() =7\ng u32[2]{0} constant()\nh f32[] constant()\n"
              "i s64[] constant()\nj u8[] constant()\n*k pred[] constant() =1\n"},
    {"zeros, and what only looks like them",
     ONE("  a = f32[] constant(-0)\n  b = bf16[2,2]{1,0} constant({ { 0, 0 }, { 0, 0 } })\n"
         "  c = c64[] constant((0, -0))\n  d = s32[3]{0} constant({0, 0, 1})\n"
         "  e = f32[] constant(1e-10)\n  f = f32[] constant(0.5)\n  g = f32[2]{0} constant({...})\n"
         "  h = f32[0]{0} constant({})\n  i = pred[2]{0} constant({0, 0})\n"
         "  j = f32[] constant(0e+00)\n  ROOT k = f8e5m2[] constant(0.0)"),
     ONE_WANT "a f32[] constant() zero\nb bf16[2,2]{1,0} constant() zero\nc c64[] constant() zero\n"
              "d s32[3]{0} constant()\ne f32[] constant()\nf f32[] constant()\n"
              "g f32[2]{0} constant()\nh f32[0]{0} constant()\ni pred[2]{0} constant() zero\n"
              "j f32[] constant() zero\n*k f8e5m2[] constant() zero\n"},
    {"directions of compares",
     ONE("  a = pred[2]{0} compare(p, p), direction=LT\n  b = pred[2]{0} compare(p, p), direction=NE, "
         "type=TOTALORDER\n  c = pred[2]{0} compare(p, p), direction=XX\n"
         "  ROOT d = f32[2]{0} custom-call(p), direction=LT"),
     ONE_WANT "a pred[2]{0} compare(p p) LT\nb pred[2]{0} compare(p p) NE\nc pred[2]{0} compare(p p)\n"
              "*d f32[2]{0} custom-call(p)\n"},
    {"the ranges of a slice",
     ONE("  m = f32[8,2]{1,0} parameter(1)\n  ROOT s = f32[2,1]{1,0} slice(m), slice={[0:8:4], [1:2]}"),
     ONE_WANT "m f32[8,2]{1,0} parameter() #1\n*s f32[2,1]{1,0} slice(m) [0:8:4] [1:2:1]\n"},
    {"buffers that are given away",
     "HloModule m, buffer_donor={ (0, {}), (1, {1}) }, input_output_alias={ {}: (0, {}) }\n"
     "ENTRY e {\n ROOT p = f32[] parameter(0)\n q = (f32[], f32[]) parameter(1)\n}\n",
     "m 0<-0.0 donor 0.0 donor 1.2\nENTRY e:\n*p f32[] parameter() #0\n"
     "q (f32[], f32[]) parameter() #1\n"},
    {"attributes nobody asked for",
     ONE("  ROOT n = f32[2]{0} custom-call(p), dim_labels=b01f_01io->b01f, "
         "replica_groups=[2,4]<=[8]T(1,0), "
         "control-predecessors={%p}, frontend_attributes={a=\"([{\"}, "
         "sharding={devices=[2,2]<=[4]}"),
     ONE_WANT "*n f32[2]{0} custom-call(p)\n"},
    {"the root need not stand last", ONE("  ROOT n = f32[2]{0} negate(p)\n  m = f32[2]{0} abs(p)"),
     ONE_WANT "*n f32[2]{0} negate(p)\nm f32[2]{0} abs(p)\n"},
    {"get-tuple-elements without lines: one for each element, before its first user",
     PAIR("  b = f32[2]{0} add(%t#1, /*index=1*/%t#1), metadata={op_name=\"x\"}\n"
          "  c = f32[2]{0} add(t#0, %t#1), index=7\n  ROOT n = f32[2]{0} add(%b, f32[2]{0} %c)"),
     PAIR_WANT "t#1 f32[2]{0} get-tuple-element(t) #1\nb f32[2]{0} add(t#1 t#1) op_name=x\n"
               "t#0 f32[] get-tuple-element(t) #0\nc f32[2]{0} add(t#0 t#1)\n"
               "*n f32[2]{0} add(b c)\n"},
    {"an element of an element", PAIR("  ROOT n = f32[2]{0} add(%u#1#0, %u#1)"),
     PAIR_WANT "u#1 (f32[2]{0}) get-tuple-element(u) #1\n"
               "u#1#0 f32[2]{0} get-tuple-element(u#1) #0\n*n f32[2]{0} add(u#1#0 u#1)\n"},
    {"elements in the root's tuple", PAIR("  ROOT r = (f32[2]{0}, f32[]) tuple(%t#1, %t#0)"),
     PAIR_WANT "t#1 f32[2]{0} get-tuple-element(t) #1\nt#0 f32[] get-tuple-element(t) #0\n"
               "*r (f32[2]{0}, f32[]) tuple(t#1 t#0)\n"},
    {"an element written in two ways", PAIR("  ROOT n = f32[2]{0} add(%t#1, %t#01)"),
     PAIR_WANT "t#1 f32[2]{0} get-tuple-element(t) #1\n*n f32[2]{0} add(t#1 t#1)\n"},
    {"an element that also has a line",
     PAIR("  g = f32[2]{0} get-tuple-element(t), index=1\n  ROOT n = f32[2]{0} add(g, t#1)"),
     PAIR_WANT "g f32[2]{0} get-tuple-element(t) #1\nt#1 f32[2]{0} get-tuple-element(t) #1\n"
               "*n f32[2]{0} add(g t#1)\n"},
    {"an element that is aliased, and one of a constant's user",
     PAIR("  z = f32[] constant(0)\n  ROOT c = f32[2]{0} custom-call(z, t#1), "
          "output_to_operand_aliasing={{}: (1, {})}"),
     PAIR_WANT "z f32[] constant() zero\nt#1 f32[2]{0} get-tuple-element(t) #1\n"
               "*c f32[2]{0} custom-call(z t#1) 0<-1.0\n"},
    {"elements of two computations",
     "HloModule m\nf {\n t = (f32[]) parameter(0)\n ROOT n = f32[] negate(t#0)\n}\n"
     "ENTRY e {\n t = (f32[]) parameter(0)\n c = f32[] call(t), to_apply=f\n"
     " ROOT n = f32[] add(t#0, c)\n}\n",
     "m\nf:\nt (f32[]) parameter() #0\nt#0 f32[] get-tuple-element(t) #0\n*n f32[] negate(t#0)\n"
     "ENTRY e:\nt (f32[]) parameter() #0\nc f32[] call(t) @f\n"
     "t#0 f32[] get-tuple-element(t) #0\n*n f32[] add(t#0 c)\n"},
    {"lines end in CR LF, the last one not at all",
     "HloModule m\r\n\r\nENTRY e {\r\n  ROOT p = f32[] parameter(0)\r\n}",
     "m\nENTRY e:\n*p f32[] parameter() #0\n"},
    {"the same name in two computations",
     "HloModule m\na {\n ROOT p = f32[] parameter(0)\n}\n"
     "ENTRY e {\n p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=a\n}\n",
     "m\na:\n*p f32[] parameter() #0\nENTRY e:\np f32[] parameter() #0\n*c f32[] call(p) @a\n"},
};

/* ENTRY stands last, so a text cut anywhere before its '}' is refused, and nothing is overread. */
static void cut_anywhere(void **state)
{
    (void)state;
    struct words o;
    for (size_t i = 0; i < COUNT(programs); i++) {
        const char *text = programs[i].text;
        size_t end = (size_t)(strrchr(text, '}') - text);
        for (size_t size = 0; size <= end; size++)
            if (read_text(text, size, &o))
                fail_msg("%s, cut at byte %zu, was read", programs[i].name, size);
    }
}

/* ---- Shapes ---- */

struct shape_case {
    const char *text;
    const char *want; /* NULL: refused */
    uint64_t bytes;
    const char *rest; /* what stands behind it */
};

static const struct shape_case shape_cases[] = {
    {"f32[]", "f32[]", 4, ""},
    {"f32[2,3]{1,0} x", "f32[2,3]{1,0}", 24, " x"},
    {"pred[5] {", "pred[5]", 5, " {"},
    {"f32[9,100]{1,0:T(8,128)S(1)}|", "f32[9,100]{1,0:T(8,128)S(1)}", 8192, "|"},
    {"bf16[9,100]{1,0:T(8,128)(2,1)}", "bf16[9,100]{1,0:T(8,128)(2,1)}", 4096, ""},
    {"f32[]{:T(128)}", "f32[]{:T(128)}", 512, ""},
    {"s4[7]{0:E(4)}", "s4[7]{0:E(4)}", 4, ""},
    {"s4[7]{0:L(512)D(D)E(8)SC(0:5,10)P(f32[2]{0})S(5)}", "s4[7]{0:E(8)S(5)}", 7, ""},
    {"f32[<=8,4]{1,0}", "f32[8,4]{1,0}", 128, ""},
    {"f32[0,5]", "f32[0,5]", 0, ""},
    {"c128[3]", "c128[3]", 48, ""},
    {"f8e4m3b11fnuz[3]", "f8e4m3b11fnuz[3]", 3, ""},
    {"token[]", "token[]", 0, ""},
    {"opaque[]", "opaque[]", 8, ""},
    {"b(f32[4]{0}), x", "f32[4]{0}", 16, ", x"},
    {"()", "()", 0, ""},
    {"(f32[], (s32[2]{0}, ()), /*index=2*/ u8[1]), x", "(f32[], (s32[2]{0}, ()), u8[1])", 24,
     ", x"},
    {"f32[9223372036854775807,3]", "f32[9223372036854775807,3]", UINT64_MAX, ""},
    {"", NULL, 0, ""},
    {"f32", NULL, 0, "f32"},
    {"tuple[]", NULL, 0, "tuple[]"},
    {"f32[2", NULL, 0, "f32[2"},
    {"f32[2,]", NULL, 0, "f32[2,]"},
    {"f32[-2]", NULL, 0, "f32[-2]"},
    {"f32[2]{0", NULL, 0, "f32[2]{0"},
    {"f32[2]{0:", NULL, 0, "f32[2]{0:"},
    {"f32[2]{0:T", NULL, 0, "f32[2]{0:T"},
    {"f32[2]{0:T(8", NULL, 0, "f32[2]{0:T(8"},
    {"f32[2]{0:E(65536)}", NULL, 0, "f32[2]{0:E(65536)}"},
    {"f32[2]{0:S(-1)}", NULL, 0, "f32[2]{0:S(-1)}"},
    {"f32[2]{0:P(f32[2]", NULL, 0, "f32[2]{0:P(f32[2]"},
    {"(f32[2]", NULL, 0, "(f32[2]"},
    {"(f32[2],)", NULL, 0, "(f32[2],)"},
};

static void shape(void **state)
{
    const struct shape_case *c = *state;
    struct arena arena = {0};
    struct shapes s = {.arena = &arena};
    shape_id id = SHAPE_NONE;
    char text[256] = "", *copy = malloc(strlen(c->text) + 1);
    const char *at = strcpy(copy, c->text);
    uint64_t bytes = 0;
    bool ok = shape_parse(&s, &at, &id);
    if (ok) {
        shape_text(&s, id, true, text, sizeof text);
        bytes = shape_bytes(&s, id);
    }
    bool rest = strcmp(at, c->rest) == 0;
    free(copy);
    arena_free(&arena);
    assert_int_equal(ok, c->want != NULL);
    assert_string_equal(text, c->want ? c->want : "");
    assert_true(bytes == c->bytes);
    assert_true(rest);
}

/* ---- Order ---- */

static void order(void **state)
{
    (void)state;
    static const char text[] = "HloModule m, is_scheduled=true\n" ADD_COMP
                               "ENTRY e {\n b = f32[] parameter(1)\n a = f32[] parameter(0)\n"
                               " ROOT c = f32[] call(a, b), to_apply=add\n}\n";
    struct arena arena = {0};
    struct diag d = {0};
    struct file f = {"x.txt", text, sizeof text - 1};
    struct hlo h;
    hlo_init(&h, &arena, f.name);
    bool ok = hlo_text_read(&h, &f, &d);
    bool in_order = ok && h.order.n == 6 && h.entry == 1;
    for (uint32_t k = 0; in_order && k < 6; k++)
        in_order = ((inst_id *)h.order.items)[k] == k && hlo_inst(&h, k)->id == k;
    struct span last = ok ? hlo_comp(&h, 1)->order : (struct span){0, 0};
    bool flags = h.from_text && h.scheduled;
    arena_free(&arena);
    assert_true(in_order && flags);
    assert_int_equal(last.first, 3);
    assert_int_equal(last.n, 3);
}

/* Implied instructions stand before their user, in the schedule too, and on its line. */
static void implied(void **state)
{
    (void)state;
    static const char text[] = "HloModule m, is_scheduled=true\nENTRY e {\n"
                               " t = (f32[], f32[]) parameter(0)\n n = f32[] negate(t#1)\n\n"
                               " ROOT a = f32[] add(t#1, t#0)\n}\n";
    static const struct {
        bool implied;
        uint32_t line;
    } want[] = {{false, 3}, {true, 4}, {false, 4}, {true, 6}, {false, 6}};
    struct arena arena = {0};
    struct diag d = {0};
    struct file f = {"x.txt", text, sizeof text - 1};
    struct hlo h;
    hlo_init(&h, &arena, f.name);
    bool same = hlo_text_read(&h, &f, &d) && h.implied_gtes == 2 && h.order.n == COUNT(want) &&
                h.insts.n == COUNT(want) && hlo_comp(&h, 0)->root == 4;
    for (inst_id i = 0; same && i < h.insts.n; i++)
        same = hlo_inst(&h, i)->implied == want[i].implied && hlo_inst(&h, i)->comp == 0 &&
               hlo_inst(&h, i)->text_line == want[i].line && hlo_inst(&h, i)->id == i &&
               ((inst_id *)h.order.items)[i] == i;
    arena_free(&arena);
    assert_true(same);
}

static void many_elements(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    char *text = large_elements(LARGE_ELEMENTS);
    struct file f = {"x.txt", text, strlen(text)};
    hlo_init(&h, &arena, f.name);
    bool ok = hlo_text_read(&h, &f, &d) && h.implied_gtes == LARGE_ELEMENTS &&
              hlo_inst(&h, hlo_comp(&h, 0)->root)->operands.n == LARGE_ELEMENTS;
    arena_free(&arena);
    free(text);
    assert_true(ok);
}

static void known_by_content(void **state)
{
    (void)state;
    assert_true(hlo_text_is("HloModule m", 11));
    assert_false(hlo_text_is("HloModule", 9));
    assert_false(hlo_text_is("BufferAssignment:", 17));
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(programs) + COUNT(shape_cases) + 5];
    size_t n = 0;
    ADD_TABLE(programs, reads_as, name);
    ADD_TABLE(shape_cases, shape, text);
    ADD_AS(cut_anywhere, "a text cut anywhere is refused");
    ADD_AS(order, "the order of a scheduled text is the schedule");
    ADD_AS(implied, "instructions without lines: place, line, schedule");
    ADD_AS(many_elements, LARGE_ELEMENTS_NAME);
    ADD_AS(known_by_content, "text is known by its first word");
    return _cmocka_run_group_tests("hlo_text", tests, n, NULL, NULL);
}
