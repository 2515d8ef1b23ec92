#include "core/load/text/hlo_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include "tests/support/hlo_words.h"
#include "tests/support/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- The program in words ---- */

static void put_inst(struct words *o, const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct hlo_alias *alias = h->aliases.items;
    char shape[512];
    put(o, "%s%s %s %s(", hlo_comp(h, x->comp)->root == i ? "*" : "", x->name,
        shape_text(&h->shapes, x->shape, true, shape, sizeof shape), x->opcode);
    for (uint32_t k = 0; k < x->operands.n; k++)
        put(o, "%s%s", k ? " " : "", hlo_inst(h, hlo_operand(h, i, k))->name);
    put(o, ")");
    if (x->number >= 0)
        put(o, " #%lld", (long long)x->number);
    put_attributes(o, h, i);
    for (uint32_t k = 0; k < x->calls.n; k++)
        put(o, " @%s", hlo_comp(h, hlo_call(h, i, k))->name);
    for (uint32_t k = x->aliases.first; k < x->aliases.first + x->aliases.n; k++)
        put(o, " %u<-%u.%u", alias[k].out, alias[k].operand, alias[k].operand_node);
    if (x->kind)
        put(o, " kind=%s", x->kind);
    if (x->backend_config)
        put(o, " config=%s", x->backend_config);
    if (x->op_name)
        put(o, " op_name=%s", x->op_name);
    if (x->file)
        put(o, " at %s:%u", x->file, x->line);
    put(o, "\n");
}

static void put_program(struct words *o, const struct hlo *h)
{
    put(o, "%s%s", h->name, h->scheduled ? " scheduled" : "");
    for (uint32_t k = 0; k < h->io_alias.n; k++) {
        const struct hlo_io_alias *a = (const struct hlo_io_alias *)h->io_alias.items + k;
        put(o, " %u<-%lld.%u", a->out, (long long)a->param, a->param_node);
    }
    put_donors(o, h);
    put(o, "\n");
    for (uint32_t f = 1; f < h->frames.n; f++) {
        const struct hlo_frame *x = (const struct hlo_frame *)h->frames.items + f;
        put(o, "frame %u %s %s:%u:%u < %u\n", f, x->function, x->file, x->line, x->column,
            x->parent);
    }
    for (comp_id c = 0; c < h->comps.n; c++) {
        struct span insts = hlo_comp(h, c)->insts;
        put(o, "%s%s:\n", c == h->entry ? "ENTRY " : "", hlo_comp(h, c)->name);
        for (uint32_t k = 0; k < insts.n; k++)
            put_inst(o, h, insts.first + k);
    }
}

/* Reads `size` bytes; the copy ends right behind its NUL, so that a sanitizer sees any overread. */
static bool read_text(const char *text, size_t size, struct words *o)
{
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    struct file f = {"x.txt", copy, size};
    hlo_init(&h, &arena, f.name);
    o->used = 0;
    bool ok = hlo_text_read(&h, &f, &d);
    if (ok)
        put_program(o, &h);
    else
        diag_text(&d, o->text, sizeof o->text);
    free(copy);
    arena_free(&arena);
    return ok;
}

struct text_case {
    const char *name, *text, *want;
};

/* ---- What is read ---- */

#define ADD                                                                                        \
    "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
#define ADD_WANT  "add:\na f32[] parameter() #0\nb f32[] parameter() #1\n*s f32[] add(a b)\n"
#define ONE(line) "HloModule m\n\nENTRY e {\n  p = f32[2]{0} parameter(0)\n" line "\n}\n"
#define ONE_WANT  "m\nENTRY e:\np f32[2]{0} parameter() #0\n"
#define PAIR(lines)                                                                                \
    "HloModule m\nENTRY e {\n  t = (f32[], f32[2]{0}) parameter(0)\n"                              \
    "  u = (f32[], (f32[2]{0})) parameter(1)\n" lines "\n}\n"
#define PAIR_WANT                                                                                  \
    "m\nENTRY e:\nt (f32[], f32[2]{0}) parameter() #0\nu (f32[], (f32[2]{0})) parameter() #1\n"

static const struct text_case programs[] = {
    {"names without %, no signature, no schedule",
     "HloModule jit_f.1\n\n" ADD "\nENTRY main.5 {\n  Arg_0.1 = f32[4]{0} parameter(0)\n"
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
     "HloModule m\n" ADD "ENTRY e {\n p = f32[2]{0} parameter(0)\n z = f32[] constant(0)\n"
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
     "HloModule m\n" ADD "ENTRY e {\n p = f32[2]{0} parameter(0)\n"
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

static void program(void **state)
{
    const struct text_case *c = *state;
    struct words o;
    read_text(c->text, strlen(c->text), &o);
    assert_string_equal(o.text, c->want);
}

/* ---- What is refused ---- */

#define CUT " (it was cut off while it was written or copied: dump it again)"

static const struct text_case faults[] = {
    {"no HLO text", "hello\n",
     "tidemark: x.txt:1:1: no HLO text: it does not start with \"HloModule \" (XLA writes it to "
     "*after_optimizations.txt under --xla_dump_to)"},
    {"empty", "",
     "tidemark: x.txt:1:1: no HLO text: it does not start with \"HloModule \" (XLA writes it to "
     "*after_optimizations.txt under --xla_dump_to)"},
    {"no module name", "HloModule \n",
     "tidemark: x.txt:1:11: expected the name of the module, found the end of the line"},
    {"header alone", "HloModule m\n\n",
     "tidemark: x.txt:3:1: the file ends where the ENTRY computation should stand" CUT},
    {"no entry", "HloModule m\n" ADD,
     "tidemark: x.txt:7:1: the file ends where the ENTRY computation should stand" CUT},
    {"two entries", "HloModule m\nENTRY a {\n ROOT p = f32[] parameter(0)\n}\nENTRY b {\n",
     "tidemark: x.txt:5:1: a second ENTRY computation: the first is a"},
    {"no root", ONE(""), "tidemark: x.txt:6:1: computation e ends without a ROOT instruction"},
    {"two roots", ONE("  ROOT a = f32[2]{0} abs(p)\n  ROOT b = f32[2]{0} abs(p)"),
     "tidemark: x.txt:6:3: a second ROOT in computation e: the first is a"},
    {"an unknown operand", ONE("  ROOT n = f32[2]{0} add(p, %q.1)"),
     "tidemark: x.txt:5:29: operand q.1 of n is not defined before it in computation e"},
    {"an operand of itself", ONE("  ROOT n = f32[2]{0} negate(n)"),
     "tidemark: x.txt:5:29: operand n of n is not defined before it in computation e"},
    {"an operand of another computation",
     "HloModule m\n" ADD "ENTRY e {\n ROOT n = f32[] negate(s)\n}\n",
     "tidemark: x.txt:8:24: operand s of n is not defined before it in computation e"},
    {"an element past the last one", PAIR("  ROOT n = f32[2]{0} add(%t#1, %t#2)"),
     "tidemark: x.txt:5:32: operand t of n has no element 2"},
    {"an element before the first one", PAIR("  ROOT n = f32[2]{0} negate(%t#-1)"),
     "tidemark: x.txt:5:29: operand t of n has no element -1"},
    {"an element of what is no tuple", PAIR("  ROOT n = f32[2]{0} negate(%t#1#0)"),
     "tidemark: x.txt:5:29: operand t#1 of n has no element 0"},
    {"an element past 64 bits", PAIR("  ROOT n = f32[2]{0} negate(%t#99999999999999999999)"),
     "tidemark: x.txt:5:32: 99999999999999999999 does not fit into 64 bits: expected the index of "
     "a tuple's element"},
    {"an element past 32 bits", PAIR("  ROOT n = f32[2]{0} negate(%t#4294967296)"),
     "tidemark: x.txt:5:29: operand t of n has no element 4294967296"},
    {"an element without its index", PAIR("  ROOT n = f32[2]{0} negate(%t#)"),
     "tidemark: x.txt:5:32: expected the index of a tuple's element, found \")\""},
    {"an element at the end",
     "HloModule m\nENTRY e {\n t = (f32[]) parameter(0)\n n = f32[] abs(t#",
     "tidemark: x.txt:4:18: the file ends where the index of a tuple's element should stand" CUT},
    {"an element of what is not there", PAIR("  ROOT n = f32[2]{0} negate(%v#0)"),
     "tidemark: x.txt:5:29: operand v of n is not defined before it in computation e"},
    {"an element of itself", PAIR("  ROOT n = (f32[]) tuple(%n#0)"),
     "tidemark: x.txt:5:26: operand n of n is not defined before it in computation e"},
    {"an element as an instruction", PAIR("  ROOT %n#0 = f32[] negate(%t#0)"),
     "tidemark: x.txt:5:10: expected '=' behind an instruction's name, found \"#\""},
    {"a slice without its end", ONE("  ROOT s = f32[1]{0} slice(p), slice={[0]}"),
     "tidemark: x.txt:5:41: expected ':' behind where a range starts, found \"]\""},
    {"a donor that is not there",
     "HloModule m, buffer_donor={ (1, {}) }\nENTRY e {\n ROOT p = f32[] parameter(0)\n}\n",
     "tidemark: x.txt:1:30: parameter 1 is a buffer donor, but the entry computation has 1"},
    {"an unknown computation", ONE("  ROOT n = f32[2]{0} call(p), to_apply=%f"),
     "tidemark: x.txt:5:40: computation f, called by n, is not defined before it"},
    {"a computation that calls itself",
     "HloModule m\nf {\n p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=f\n}\n",
     "tidemark: x.txt:4:35: computation f, called by c, is not defined before it"},
    {"two bodies",
     "HloModule m\n" ADD "ENTRY e {\n i = (s32[]) parameter(0)\n"
     " ROOT w = (s32[]) while(i), body=add, body=add\n}\n",
     "tidemark: x.txt:9:44: w is given this computation twice"},
    {"a name twice", ONE("  p = f32[2]{0} parameter(1)"),
     "tidemark: x.txt:5:3: instruction p is defined twice in computation e"},
    {"a computation twice", "HloModule m\n" ADD ADD,
     "tidemark: x.txt:7:1: computation add is defined twice"},
    {"an unknown type", ONE("  ROOT n = f33[2]{0} negate(p)"),
     "tidemark: x.txt:5:12: expected a shape such as f32[2,3] here"},
    {"a dimension past 64 bits", ONE("  n = f32[2,9223372036854775808]{0} negate(p)"),
     "tidemark: x.txt:5:13: this number does not fit into 64 bits"},
    {"an open tuple", ONE("  n = (f32[2]{0}, f32[2] negate(p)"),
     "tidemark: x.txt:5:26: expected ',' or ')' in a tuple's shape"},
    {"a layout item that is none", ONE("  n = f32[2]{0:x} negate(p)"),
     "tidemark: x.txt:5:16: expected '}' or a layout item such as T(8,128) or S(1)"},
    {"no opcode", ONE("  n = f32[2]{0} (p)"),
     "tidemark: x.txt:5:17: expected an opcode, found \"(\""},
    {"no operands", ONE("  n = f32[2]{0} negate"),
     "tidemark: x.txt:5:23: expected '(' behind the opcode, found the end of the line"},
    {"an open list of operands", ONE("  n = f32[2]{0} negate(p, metadata={}"),
     "tidemark: x.txt:5:27: operand metadata of n is not defined before it in computation e"},
    {"words behind an instruction", ONE("  n = f32[2]{0} negate(p) x"),
     "tidemark: x.txt:5:27: expected ',' or the end of the line, found \"x\""},
    {"an attribute without a value", ONE("  n = f32[2]{0} negate(p), x"),
     "tidemark: x.txt:5:29: expected '=' behind an attribute's name, found the end of the line"},
    {"a bracket that is never closed", ONE("  n = f32[2]{0} negate(p), x={(}"),
     "tidemark: x.txt:5:31: the '(' that stands here is closed by a '}'"},
    {"a literal that is never closed", ONE("  n = f32[2]{0} constant({1, 2)"),
     "tidemark: x.txt:5:26: the '{' that stands here is closed by a ')'"},
    {"a bracket at the end", "HloModule m, x={(",
     "tidemark: x.txt:1:17: the '(' that stands here is never closed" CUT},
    {"a string that is never closed", ONE("  n = f32[2]{0} negate(p), metadata={op_name=\"a}"),
     "tidemark: x.txt:5:46: the string that starts here is never closed"},
    {"a comment that is never closed", ONE("  n = f32[2]{0} negate(p), x={/*}"),
     "tidemark: x.txt:5:31: the comment that starts here is never closed"},
    {"a line number out of range",
     ONE("  n = f32[2]{0} negate(p), metadata={source_line=4294967295}"),
     "tidemark: x.txt:5:50: 4294967295 is out of range: expected a line number"},
    {"a number past 64 bits", ONE("  n = f32[2]{0} parameter(99999999999999999999)"),
     "tidemark: x.txt:5:27: 99999999999999999999 does not fit into 64 bits: expected the number of "
     "a parameter"},
    {"parameter numbers with a hole", ONE("  ROOT n = f32[2]{0} parameter(2)"),
     "tidemark: x.txt:5: parameter n: parameter numbers do not run from 0, each once (the file is "
     "damaged or was edited: dump it again)"},
    {"an alias of an operand that is none",
     ONE("  n = f32[2]{0} custom-call(p), output_to_operand_aliasing={{}: (1, {})}"),
     "tidemark: x.txt:5:66: operand 1 is aliased, but n has 1"},
    {"an alias of an output that is none",
     ONE("  n = f32[2]{0} custom-call(p), output_to_operand_aliasing={{0}: (0, {})}"),
     "tidemark: x.txt:5:61: the shape has no element 0 that this index names"},
    {"input_output_alias of a parameter that is none",
     "HloModule m, input_output_alias={ {}: (1, {}, may-alias) }\nENTRY e {\n"
     " ROOT p = f32[] parameter(0)\n}\n",
     "tidemark: x.txt:1:40: parameter 1 is aliased, but the entry computation has 1"},
    {"rows of a table out of order", "HloModule m\nFileNames\n1 \"a\"\n3 \"b\"\n",
     "tidemark: x.txt:4:1: row 3 of FileNames stands where row 2 was expected"},
    {"a location of a file that is none",
     "HloModule m\nFileNames\n1 \"a\"\nFileLocations\n1 {file_name_id=2 line=1}\n",
     "tidemark: x.txt:5:3: file name 2 is named, but there are 1"},
    {"a stack frame whose parent comes later",
     "HloModule m\nStackFrames\n1 {file_location_id=0 parent_frame_id=1}\n"
     "2 {file_location_id=0 parent_frame_id=3}\n",
     "tidemark: x.txt:4:3: stack frame 2 has parent 3, which does not stand before it"},
    {"a short form of asynchronous instructions", ONE("  n = f32[2]{0} slice-start(p)"),
     "tidemark: x.txt:5:17: slice-start is short for an async-start or async-done whose "
     "computation "
     "is not here (read the .hlo.pb, or dump with --xla_syntax_sugar_async_ops=false)"},
    {"bytes that steer terminals", ONE("  n = f32[2]{0} \033[1mnegate(p)"),
     "tidemark: x.txt:5:17: expected an opcode, found \"\\x1B\""},
};

static void fault(void **state)
{
    const struct text_case *c = *state;
    struct words o;
    read_text(c->text, strlen(c->text), &o);
    assert_string_equal(o.text, c->want);
}

static void nul_byte(void **state)
{
    (void)state;
    struct words o;
    static const char text[] = "HloModule m\n\nENTRY\0e {";
    assert_false(read_text(text, sizeof text - 1, &o));
    assert_string_equal(o.text, "tidemark: x.txt:3:6: a NUL byte stands in the text (the file is "
                                "damaged: dump it again)");
}

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

/* ---- Size ---- */

static char *repeated(const char *before, const char *item, size_t n, const char *after)
{
    size_t len = strlen(item);
    char *text = malloc(strlen(before) + n * len + strlen(after) + 1);
    char *at = text + strlen(strcpy(text, before));
    for (size_t i = 0; i < n; i++, at += len)
        memcpy(at, item, len);
    strcpy(at, after);
    return text;
}

static void depth(void **state)
{
    (void)state;
    struct words o;
    char *tail = repeated("f32[]", ")", SHAPE_DEPTH, " parameter(0)\n}\n");
    char *text = repeated("HloModule m\nENTRY e {\nROOT p = ", "(", SHAPE_DEPTH, tail);
    char *deeper = repeated("HloModule m\nENTRY e {\nROOT p = ", "(", SHAPE_DEPTH + 100000, "");
    bool deep = read_text(text, strlen(text), &o);
    bool too_deep = read_text(deeper, strlen(deeper), &o);
    free(tail);
    free(text);
    free(deeper);
    assert_true(deep);
    assert_false(too_deep);
    assert_string_equal(o.text,
                        "tidemark: x.txt:3:110: tuples are nested deeper than 100 levels here");
}

/* One line of 200,000 operands, all aliased: 0.2 s here with sanitizers. */
static void long_line(void **state)
{
    enum { N = 200000 };
    (void)state;
    struct words o;
    char *operands = repeated("f32[]) tuple(", "p, ", N, "p)\n}\n");
    char *program_ =
        repeated("\nENTRY e {\n p = f32[] parameter(0)\n ROOT t = (", "f32[], ", N, operands);
    char *text = malloc((size_t)N * 32 + strlen(program_) + 64);
    char *at = text + sprintf(text, "HloModule m, input_output_alias={ {0}: (0, {})");
    for (unsigned i = 1; i <= N; i++)
        at += sprintf(at, ", {%u}: (0, {})", i);
    sprintf(at, "}%s", program_);
    clock_t start = clock();
    bool ok = read_text(text, strlen(text), &o);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(operands);
    free(program_);
    free(text);
    assert_true(ok);
    assert_true(seconds < 2);
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
    static const char text[] = "HloModule m, is_scheduled=true\n" ADD
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

/* One line that takes each element of a tuple of 200,000, from the last to the first. */
static void many_elements(void **state)
{
    enum { N = 200000 };
    (void)state;
    struct words o;
    char *shape = repeated("(", "f32[], ", N - 1, "f32[])");
    char *text = malloc((size_t)N * 16 + 2 * strlen(shape) + 128);
    char *at =
        text + sprintf(text, "HloModule m\nENTRY e {\n p = %s parameter(0)\n ROOT t = %s tuple(",
                       shape, shape);
    for (unsigned i = N; i > 0; i--)
        at += sprintf(at, "%s%%p#%u", i < N ? ", " : "", i - 1);
    strcpy(at, ")\n}\n");
    clock_t start = clock();
    bool ok = read_text(text, strlen(text), &o);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(shape);
    free(text);
    assert_true(ok);
    assert_true(seconds < 2);
}

static void known_by_content(void **state)
{
    (void)state;
    assert_true(hlo_text_is("HloModule m", 11));
    assert_false(hlo_text_is("HloModule", 9));
    assert_false(hlo_text_is("BufferAssignment:", 17));
}

static const struct CMUnitTest others[] = {
    {.name = "a NUL byte", .test_func = nul_byte},
    {.name = "a text cut anywhere is refused", .test_func = cut_anywhere},
    {.name = "tuples nested as deep as allowed, and deeper", .test_func = depth},
    {.name = "a long line takes linear time", .test_func = long_line},
    {.name = "the order of a scheduled text is the schedule", .test_func = order},
    {.name = "instructions without lines: place, line, schedule", .test_func = implied},
    {.name = "many elements in one line take linear time", .test_func = many_elements},
    {.name = "text is known by its first word", .test_func = known_by_content},
};

int main(void)
{
    struct CMUnitTest t[COUNT(programs) + COUNT(faults) + COUNT(shape_cases) + COUNT(others)] = {
        {0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT(programs); i++)
        t[n++] = (struct CMUnitTest){
            .name = programs[i].name, .test_func = program, .initial_state = (void *)&programs[i]};
    for (size_t i = 0; i < COUNT(faults); i++)
        t[n++] = (struct CMUnitTest){
            .name = faults[i].name, .test_func = fault, .initial_state = (void *)&faults[i]};
    for (size_t i = 0; i < COUNT(shape_cases); i++)
        t[n++] = (struct CMUnitTest){.name = shape_cases[i].text,
                                     .test_func = shape,
                                     .initial_state = (void *)&shape_cases[i]};
    for (size_t i = 0; i < COUNT(others); i++)
        t[n++] = others[i];
    return _cmocka_run_group_tests("hlo_text", t, n, NULL, NULL);
}
