/* Dumps, loaded: which of their files are used, which contradict each other. */
#include "tests/support/dump_tree.h"
#include "tests/support/tables.h"

static void put_module(struct words *o, const struct module *m)
{
    const struct assignment *a = &m->assignment;
    const char *platform = platform_name(m->platform);
    put(o, "%s %s of %s", m->name, platform ? platform : "?", m->file);
    if (m->has_hlo)
        put(o, ", %u instructions%s", m->hlo.insts.n, m->hlo.scheduled ? " in order" : "");
    for (uint32_t k = 0; m->hlo.implied_gtes && k < m->hlo.order.n; k++)
        put(o, "%s %s", k ? "" : ":", hlo_inst(&m->hlo, ((inst_id *)m->hlo.order.items)[k])->name);
    if (m->has_assignment)
        put(o, ", %u allocations, %u values", a->allocs.n, a->values.n);
    if (a->ranges.n)
        put(o, ", %u ranges", a->ranges.n);
    if (a->recent)
        put(o, " (recent)");
    if (m->device_memory)
        put(o, ", %s %llu", m->device, (unsigned long long)m->device_memory);
    put(o, "\n");
    put_warnings(o, &m->warnings);
}

static void load_all(struct words *got, const char *path, enum dump_form form)
{
    struct dump d;
    struct diag diag;
    got->used = 0;
    got->text[0] = '\0';
    if (!dump_find(&d, path, &diag))
        put_diag(got, &diag);
    for (uint32_t i = 0; i < d.entries.n; i++) {
        struct module m;
        if (dump_load(&d, i, form, &m, &diag)) {
            put_module(got, &m);
            module_free(&m);
        } else
            put_diag(got, &diag);
    }
    dump_free(&d);
}

struct load_case {
    const char *name;
    const char *tree[8];
    enum dump_form form;
    const char *want;
};

static void load_case(void **state)
{
    const struct load_case *c = *state;
    static struct words got;
    struct tree t;
    tree_make(&t);
    for (size_t i = 0; i < COUNT(c->tree) && c->tree[i]; i++)
        tree_add(&t, c->tree[i]);
    load_all(&got, t.root, c->form);
    hide_root(&got, t.root);
    file_remove_tree(t.root);
    assert_string_equal(got.text, c->want);
}

#define STEM CPU("0001", "")
#define PROGRAM(flags)                                                                             \
    "HloModule jit_f" flags ", entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n"              \
    "ENTRY %main.3 (x.1: f32[4]) -> f32[4] {\n"                                                    \
    "  %x.1 = f32[4]{0} parameter(0)\n"                                                            \
    "  ROOT %add.2 = f32[4]{0} add(f32[4]{0} %x.1, f32[4]{0} %x.1)\n}\n"
#define HLO PROGRAM(", is_scheduled=true")
#define PLACED                                                                                     \
    "BufferAssignment:\nallocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"    \
    " value: <0 x.1 @0> (size=16,offset=0): f32[4]{0}\n"                                           \
    "allocation 1: size 16, output shape is |f32[4]|, maybe-live-out:\n"                           \
    " value: <1 add.2 @0> (size=16,offset=0): f32[4]{0}\n"
#define RANGES                                                                                     \
    "HloLiveRange (max 2):\n  InstructionSequence:\n    0:x.1\n    1:add.2\n  BufferLiveRange:\n"  \
    "    x.1{}:0-2\n    add.2{}:1-2\n  Live ranges at 1 (peak):\n    x.1{}: 16 bytes\n"
/* A text whose get-tuple-elements have no lines, and what XLA says beside it. */
#define ELEMENTS                                                                                   \
    "HloModule jit_f, is_scheduled=true\n\nENTRY %e (t: (f32[], f32[])) -> f32[] {\n"              \
    "  %t = (f32[], f32[]) parameter(0)\n  %p = f32[] constant(1)\n"                               \
    "  %a = f32[] add(%t#1, %p)\n  ROOT %b = f32[] add(%a, %t#0)\n}\n"
#define CALLED                                                                                     \
    "HloModule jit_f, is_scheduled=true\n\n%f (q: (f32[])) -> f32[] {\n"                           \
    "  %q = (f32[]) parameter(0)\n  ROOT %n = f32[] negate(%q#0)\n}\n\n"                           \
    "ENTRY %e (t: (f32[])) -> f32[] {\n  %t = (f32[]) parameter(0)\n  %x = f32[] constant(1)\n"    \
    "  %c = f32[] call(%t), to_apply=%f\n  ROOT %r = f32[] add(%c, %t#0)\n}\n"
#define SEQUENCE(steps) "@" steps /* write_sequence() makes the report of it */
#define VALUES                                                                                     \
    "\nTotal bytes used: 0 (0B)\n\nUsed values:\n<0 t{0} @0>\n positions:\n  t {0}\n  gte.7\n"     \
    " uses:\n  b, operand 1\n from instruction: %t = (f32[], f32[]) parameter(0)\n<1 t{1} @0>\n"   \
    " positions:\n  t {1}\n  gte.1\n uses:\n  a, operand 0\n"                                      \
    " from instruction: %t = (f32[], f32[]) parameter(0)\n"
#define UNPLACED                                                                                   \
    "warning: @/" STEM "-live-range.txt: does not tell where the get-tuple-elements that @/" STEM  \
    ".txt leaves out are: "
#define COUNTED ": steps are counted differently\n"
#define TARGET                                                                                     \
    "gpu_device_info {\n  device_memory_size: 85100068864\n  name: \"NVIDIA A100-SXM4-80GB\"\n}\n"

static const struct load_case loads[] = {
    {"text alone",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=" PLACED,
      STEM
      "-buffer-assignment-values.txt=\nTotal bytes used: 32 (32B)\n\nUsed values:\n<0 x.1 @0>\n",
      STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 allocations, 2 values, 2 ranges "
     "(recent)\n"},
    {"one file with every section is not recent",
     {STEM ".txt=" HLO,
      STEM "-buffer-assignment.txt=" PLACED "\nTotal bytes used: 32 (32B)\n\n" RANGES},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 allocations, 2 values, 2 ranges\n"},
    {"the program alone",
     {STEM ".txt=" HLO},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order\n"},
    {"the assignment alone",
     {STEM "-buffer-assignment.txt=" PLACED, STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM "-buffer-assignment.txt, 2 allocations, 2 values, 2 ranges (recent)\n"},
    {"a program with live ranges only",
     {STEM ".txt=" HLO, STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 ranges (recent)\n"},
    {"a schedule from the live ranges",
     {STEM ".txt=" PROGRAM(""), STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 ranges (recent)\n"},
    {"a file of the user's own name is called as its module",
     {"scan.txt=" HLO, "scan-buffer-assignment.txt=" PLACED},
     FORM_ANY,
     "jit_f ? of @/scan.txt, 2 instructions in order, 2 allocations, 2 values\n"},
    {"a GPU is known by its target config",
     {"scan.txt=" HLO, "gpu_target_config.pbtxt=" TARGET},
     FORM_ANY,
     "jit_f gpu of @/scan.txt, 2 instructions in order, NVIDIA A100-SXM4-80GB 85100068864\n"},
    {"a TPU is known by its tiles",
     {"scan-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 4096:\n"
      " value: <0 x.1 @0> (size=4096,offset=0): f32[8,128]{1,0:T(8,128)}\n"},
     FORM_ANY,
     "scan tpu of @/scan-buffer-assignment.txt, 1 allocations, 1 values\n"},
    {"the schedule of a text without get-tuple-elements, one choice for each",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p gte.1 a gte.7 b (recent)\n"},
    {"its places are the dump's, not the text's",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.1 2:p 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t gte.1 p a gte.7 b (recent)\n"},
    {"where there is a choice, the first user's comes first, and keeps the text's name",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.7 2:gte.1 3:p 4:a 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t t#1 t#0 p a b (recent)\n"},
    {"the values say which is which",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.7 2:gte.1 3:p 4:a 5:b"),
      STEM "-buffer-assignment-values.txt=" VALUES},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t gte.7 gte.1 p a b (recent)\n"},
    {"values that say the impossible are not believed",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.7 3:a 4:gte.1 5:b"),
      STEM "-buffer-assignment-values.txt=" VALUES},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p gte.7 a gte.1 b (recent)\n"},
    {"the computation of a name is the one that has begun",
     {STEM ".txt=" CALLED,
      STEM "-live-range.txt=" SEQUENCE("0:t 1:x 2:q 3:gte.1 4:n 5:c 6:gte.2 7:r")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 8 instructions in order: q gte.1 n t x c gte.2 r (recent)\n"},
    {"an element of an element, in a text that has no schedule",
     {STEM ".txt=HloModule jit_f\nENTRY e {\n t = ((f32[])) parameter(0)\n"
           " ROOT n = f32[] negate(t#0#0)\n}\n",
      STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.5 2:gte.4 3:n")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 4 instructions in order: t gte.5 gte.4 n (recent)\n"},
    {"too few get-tuple-elements",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:a 4:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "the schedule has 1 get-tuple-elements of e that have no line, expected 2" COUNTED},
    {"one too late for its user",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:a 3:gte.1 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 3 of the schedule, gte.1, can be none of the get-tuple-elements that have no "
     "line" COUNTED},
    {"one too early for its operand",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:p 1:gte.1 2:t 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 1 of the schedule, gte.1, can be none of the get-tuple-elements that have no "
     "line" COUNTED},
    {"one before anything else",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:gte.1 1:t 2:p 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 0 of the schedule, gte.1, is not in the program" COUNTED},
    {"one twice",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:a 4:gte.1 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 4 of the schedule, gte.1, is there twice" COUNTED},
    {"computations that are mixed up",
     {STEM ".txt=" CALLED,
      STEM "-live-range.txt=" SEQUENCE("0:t 1:q 2:x 3:gte.1 4:n 5:c 6:gte.2 7:r")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 8 instructions in order: q q#0 n t x c t#0 r (recent)\n" UNPLACED
     "step 2 of the schedule, x, stands among those of another computation" COUNTED},
    {"the live ranges of another program beside a text without get-tuple-elements",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:mul.7")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b\n"
     "warning: @/" STEM "-live-range.txt: names gte.1, which @/" STEM
     ".txt does not have: they are of different programs, the live ranges are not used\n"},
    {"a target config that is cut",
     {GPU("0001", ".txt=") HLO, "gpu_target_config.pbtxt=gpu_device_info {\n"},
     FORM_ANY,
     "jit_f gpu of @/" GPU(
         "0001", ".txt") ", 2 instructions in order\n"
                         "warning: @/gpu_target_config.pbtxt:2:1: the device is not known: "
                         "expected the end of a message: "
                         "the file was cut (this is no GpuTargetConfigProto in text form)\n"},

    {"an assignment of another program is not used",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 16:\n"
                             " value: <0 mul.7 @0> (size=16,offset=0): f32[4]{0}\n"},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order\n"
     "warning: @/" STEM "-buffer-assignment.txt: names mul.7, which @/" STEM
     ".txt does not have: they "
     "are of different programs, the buffer assignment is not used\n"},
    {"live ranges of another program are not used",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=" PLACED,
      STEM "-live-range.txt=HloLiveRange (max 1):\n  InstructionSequence:\n    0:mul.7\n"
           "  BufferLiveRange:\n  Live ranges at 0 (peak):\n"},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 allocations, 2 values\n"
     "warning: @/" STEM "-live-range.txt: names mul.7, which @/" STEM
     ".txt does not have: they are of "
     "different programs, the live ranges are not used\n"},
    {"a half-written assignment is not used",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=" PLACED "\nTotal bytes used: 36 (36B)\n"},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order\n"
     "warning: @/" STEM
     "-buffer-assignment.txt: buffer assignment is not usable: its 2 allocations "
     "have 32 bytes, but the total stated is 36\n"},
    {"a broken report leaves the program",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=BufferAssignment:\nallocation 0: si",
      STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 ranges (recent)\n"
     "warning: @/" STEM "-buffer-assignment.txt:2:15: not used: expected \"size \", not \"si\"\n"},
    {"a broken program leaves the assignment",
     {STEM ".hlo.pb=\x0a\x7f", STEM "-buffer-assignment.txt=" PLACED},
     FORM_PROTO,
     "jit_f cpu of @/" STEM "-buffer-assignment.txt, 2 allocations, 2 values\n"
     "warning: @/" STEM ".hlo.pb:@0: not used: field 1 wants 127 bytes, but only 0 are left (the "
     "file is cut short or is no HloProto: dump it again)\n"},
    {"neither half is sound: the first failure is told",
     {STEM "-buffer-assignment.txt=BufferAssignment:\nallocation 0: si"},
     FORM_ANY,
     "tidemark: @/" STEM "-buffer-assignment.txt:2:15: expected \"size \", not \"si\"\n"},
    {"an assignment of nothing",
     {STEM "-buffer-assignment.txt=BufferAssignment:\n"},
     FORM_ANY,
     "tidemark: @/" STEM "-buffer-assignment.txt: no allocation in it, expected at least one\n"},
    {"a form that is not there",
     {STEM ".txt=" HLO},
     FORM_PROTO,
     "tidemark: module_0001.jit_f: there is no *.hlo.pb of it\n"},
    {"the other form that is not there",
     {STEM ".hlo.pb"},
     FORM_TEXT,
     "tidemark: module_0001.jit_f: there is no text of it\n"},
};

/* ---- Loading what XLA wrote ---- */

#define S4          "a100-d1048576-s4-u1/"
#define FULL        "a100-d1048576-s4-ufull/"
#define REAL        "module_0001.jit_step.sm_8.0_gpu_after_optimizations"
#define REAL_TARGET "module_0001.jit_step.gpu_target_config.pbtxt"
#define WHOLE       SIZE_MAX

struct real_case {
    const char *name;
    const struct {
        const char *from, *to;
        size_t most;
    } files[6];
    enum dump_form form;
    const char *want;
};

static void real_case(void **state)
{
    const struct real_case *c = *state;
    static struct words got;
    struct tree t;
    tree_make(&t);
    for (size_t i = 0; i < COUNT(c->files) && c->files[i].from; i++)
        tree_copy(&t, c->files[i].from, c->files[i].to, c->files[i].most);
    load_all(&got, t.root, c->form);
    hide_root(&got, t.root);
    file_remove_tree(t.root);
    assert_string_equal(got.text, c->want);
}

static const struct real_case reals[] = {
    {"proto with the text's claims",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE},
      {S4 REAL "-buffer-assignment.txt", REAL "-buffer-assignment.txt", WHOLE},
      {S4 REAL "-buffer-assignment-values.txt", REAL "-buffer-assignment-values.txt", WHOLE},
      {S4 REAL "-live-range.txt", REAL "-live-range.txt", WHOLE},
      {S4 REAL_TARGET, REAL_TARGET, WHOLE}},
     FORM_ANY,
     "jit_step gpu of @/" REAL ".hlo.pb, 258 instructions in order, 18 allocations, 91 values, 79 "
     "ranges (recent), NVIDIA A100-SXM4-80GB 85100068864\n"},
    {"proto alone: the order of its fields tells that it is recent",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE}},
     FORM_PROTO,
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\n"},
    {"a proto that is cut: the text stands in",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", 20000},
      {S4 REAL ".txt", REAL ".txt", WHOLE},
      {S4 REAL "-buffer-assignment.txt", REAL "-buffer-assignment.txt", WHOLE}},
     FORM_ANY,
     "jit_step gpu of @/" REAL
     ".txt, 258 instructions in order, 18 allocations, 91 values\nwarning: @/" REAL
     ".hlo.pb:@0: not used: field 1 wants 39173 bytes, but only 19996 are left (the file is cut "
     "short or is no HloProto: dump it again)\n"},
    {"halves of different modules: other names",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE},
      {FULL REAL "-buffer-assignment.txt", REAL "-buffer-assignment.txt", WHOLE},
      {FULL REAL "-live-range.txt", REAL "-live-range.txt", WHOLE}},
     FORM_ANY,
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\nwarning: @/" REAL
     "-buffer-assignment.txt: names input_reduce_fusion.11, which @/" REAL
     ".hlo.pb does not have: they are of different programs, the buffer assignment is not "
     "used\nwarning: @/" REAL "-live-range.txt: names bitcast.59.0, which @/" REAL
     ".hlo.pb does not have: they are of different programs, the live ranges are not used\n"},
    {"live ranges that are cut",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE},
      {S4 REAL "-live-range.txt", REAL "-live-range.txt", 3000}},
     FORM_ANY,
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\nwarning: @/" REAL
     "-live-range.txt:105:22: not used: expected \"{\", but the line ends here\n"},
};

/* A real proto with something behind it, and a small report beside it. */
struct patched_case {
    const char *name, *behind, *report, *want;
};

static void patched_case(void **state)
{
    const struct patched_case *c = *state;
    static struct words got;
    struct tree t;
    char path[512];
    tree_make(&t);
    tree_copy(&t, S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE);
    snprintf(path, sizeof path, "%s/%s.hlo.pb", t.root, REAL);
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    fputs(c->behind, f);
    fclose(f);
    if (c->report)
        tree_add(&t, c->report);
    load_all(&got, t.root, FORM_ANY);
    hide_root(&got, t.root);
    file_remove_tree(t.root);
    assert_string_equal(got.text, c->want);
}

static const struct patched_case patched[] = {
    {"names agree, sizes do not", "",
     REAL "-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 16, constant:\n",
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\n"
     "warning: @/" REAL "-buffer-assignment.txt: its allocations are not those of @/" REAL
     ".hlo.pb: "
     "they are of different programs, the live ranges beside it are not used\n"},
    {"the total is another program's", "",
     REAL "-buffer-assignment-values.txt=\nTotal bytes used: 80730 (78.8KiB)\n",
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\n"
     "warning: @/" REAL "-buffer-assignment-values.txt: its allocations are not those of @/" REAL
     ".hlo.pb: they are of different programs, the live ranges beside it are not used\n"},
    {"an assignment in the proto that is broken", "\x1a\x02\x1a\x05", NULL,
     "jit_step gpu of @/" REAL ".hlo.pb, 258 instructions in order\nwarning: @/" REAL
     ".hlo.pb:@51265: buffer assignment is not usable: field 3 wants 5 bytes, but only 0 are left "
     "(the file is cut short or is no HloProto: dump it again)\n"},
    {"an assignment in the proto of nothing: the text stands in", "\x1a\x02\x20\x01",
     REAL "-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 16, constant:\n",
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 1 allocations, 0 values\nwarning: @/" REAL
     ".hlo.pb: buffer assignment is not usable: no allocation in it, expected at least one\n"},
};

/* ---- Standard input ---- */

static void standard_input(void **state)
{
    (void)state;
    static struct words got;
    static const char text[] = HLO;
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    load_all(&got, "-", FORM_ANY);
    dup2(kept, STDIN_FILENO);
    close(kept);
    assert_string_equal(got.text, "jit_f ? of <stdin>, 2 instructions in order\n");
}

static void pipes_are_read_once(void **state)
{
    (void)state;
    static struct words got;
    static const char text[] = PLACED;
    char path[64];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    load_all(&got, path, FORM_ANY);
    close(ends[0]);
    hide_root(&got, path);
    assert_string_equal(got.text + strcspn(got.text, " "), " ? of @, 2 allocations, 2 values\n");
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(loads) + COUNT(reals) + COUNT(patched) + 2];
    size_t n = 0;
    ADD_TABLE(loads, load_case, name);
    ADD_TABLE(reals, real_case, name);
    ADD_TABLE(patched, patched_case, name);
    ADD_AS(standard_input, "standard input");
    ADD_AS(pipes_are_read_once, "pipes are read once");
    return _cmocka_run_group_tests("dump_load", tests, n, NULL, NULL);
}
