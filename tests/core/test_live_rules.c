/* Which compiler's liveness rules hold, by what its files show. */
#include "core/analysis/flow/live_rules.h"
#include "core/load/proto/hlo_proto.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/proto_writer.h"
#include "tests/support/tables.h"

/* ---- From text: an async computation and what the ranges say of one value in it ---- */

#define ASYNC                                                                                      \
    "HloModule m, is_scheduled=true\n"                                                             \
    "wrapped {\n p = f32[2] parameter(0)\n w = f32[2] negate(p)\n ROOT v = f32[2] negate(w)\n}\n"  \
    "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"                                 \
    " s = ((f32[2]), f32[2], u32[]) async-start(a), calls=wrapped\n"                               \
    " b = f32[2] negate(x)\n d = f32[2] async-done(s)\n ROOT r = f32[2] add(b, d)\n}\n"
#define SEQUENCE                                                                                   \
    "HloLiveRange (max 9):\n  InstructionSequence:\n    0:x\n    1:a\n    2:p\n    3:w\n    4:v\n" \
    "    5:s\n    6:b\n    7:d\n    8:r\n  BufferLiveRange:\n"
#define PEAK "  Live ranges at 5 (peak):\n    a: 8 bytes\n"
#define USED(blank)                                                                                \
    "Used values:\n<0 w @0>\n positions:\n  w\n uses:\n from instruction:" blank "%w = f32[2]\n"

static const struct text_case {
    const char *name, *report;
    enum platform platform;
    uint32_t start; /* of w, which stands at 3; its async-start at 5 */
} texts[] = {
    {"ranges that start at the async-start: the new rule", SEQUENCE "    w{}:5-7\n" PEAK,
     PLATFORM_GPU, 5},
    {"ranges that start inside: the old rule", SEQUENCE "    w{}:3-7\n" PEAK, PLATFORM_GPU, 3},
    {"also on a TPU, new", SEQUENCE "    v{}:5-8\n" PEAK, PLATFORM_TPU, 5},
    {"also on a TPU, old", SEQUENCE "    v{}:4-8\n" PEAK, PLATFORM_TPU, 3},
    {"a range that tells nothing leaves the guess: a TPU is old", SEQUENCE "    b{}:6-8\n" PEAK,
     PLATFORM_TPU, 3},
    {"a file of ranges alone looks new on a GPU", SEQUENCE "    b{}:6-8\n" PEAK, PLATFORM_GPU, 5},
};

static void read_text(struct module *m, const char *hlo, const char *report)
{
    struct file program = {"x.txt", hlo, strlen(hlo)}, ranges = {"x-live-range.txt", report,
                                                                 strlen(report)};
    struct diag d;
    char line[1200];
    hlo_init(&m->hlo, &m->arena, program.name);
    m->assignment.arena = &m->arena;
    if (!hlo_text_read(&m->hlo, &program, &d) || !assignment_text_read(&m->assignment, &ranges, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
    m->has_hlo = m->has_assignment = true;
}

/* Range of the value that the named instruction defines. */
static struct span range_of(const struct module *m, const char *name)
{
    struct arena a = {0};
    struct dataflow f;
    struct liveness l;
    struct diag d;
    struct span found = {STEP_NONE, STEP_NONE};
    bool ok = dataflow_build(&f, &m->hlo, &a, &d) && live_rules_build(&l, &f, m, &a, &d);
    for (value_id v = 0; ok && v < f.n; v++)
        if (strcmp(hlo_inst(&m->hlo, dataflow_inst(&f, v))->name, name) == 0 && !f.dead[v] &&
            dataflow_node(&f, v) == 0)
            found = (struct span){l.start[v], l.end[v]};
    arena_free(&a);
    return found;
}

static void from_text(void **state)
{
    const struct text_case *c = *state;
    struct module m = {.platform = c->platform};
    read_text(&m, ASYNC, c->report);
    struct span got = range_of(&m, "w");
    arena_free(&m.arena);
    assert_int_equal(got.first, c->start);
}

/* ---- A use by a call whose callee is inlined ---- */

#define CALLED                                                                                     \
    "HloModule m, is_scheduled=true\n"                                                             \
    "c {\n p = f32[2] parameter(0)\n ROOT n = f32[2] negate(p)\n}\n"                               \
    "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n k = f32[2] call(a), "            \
    "to_apply=c\n ROOT r = f32[2] negate(k)\n}\n"

static void calls(void **state)
{
    (void)state;
    static const char *const reports[] = {USED(""), USED(" ")};
    for (int k = 0; k < 2; k++) {
        struct module m = {.platform = PLATFORM_CPU};
        read_text(&m, CALLED, reports[k]);
        struct span got = range_of(&m, "a"); /* at 1; the callee's negate at 3, the call at 4 */
        arena_free(&m.arena);
        assert_int_equal(got.n, k == 0 ? 4 : 3);
    }
}

/* ---- From protos: fields that date them ---- */

enum { HAS_101 = 1, HAS_102 = 2, HAS_72 = 4 };

static const struct proto_case {
    const char *name;
    struct {
        const char *opcode; /* NULL: no such instruction */
        unsigned fields;
    } dot, compare;
    enum hlo_age age;
} protos[] = {
    {"neither dot nor compare: unknown", {0}, {0}, AGE_UNKNOWN},
    {"a dot with its new field", {"dot", HAS_101}, {0}, AGE_SINCE_0_12},
    {"a dot without it", {"dot", 0}, {0}, AGE_BEFORE_0_12},
    {"a convolution is as good", {"convolution", HAS_101}, {0}, AGE_SINCE_0_12},
    {"a compare with its new field alone", {0}, {"compare", HAS_102}, AGE_SINCE_0_12},
    {"a compare with both fields is of 0.11", {0}, {"compare", HAS_102 | HAS_72}, AGE_BEFORE_0_12},
    {"a compare without", {0}, {"compare", 0}, AGE_BEFORE_0_12},
    {"the dot decides", {"dot", 0}, {"compare", HAS_102}, AGE_BEFORE_0_12},
};

static void put_inst(struct pb *p, const char *opcode, int64_t id, int64_t operand, unsigned fields)
{
    struct pb inst = {0}, shape = {0};
    pb_text(&inst, 1, opcode);
    pb_text(&inst, 2, opcode);
    pb_int(&shape, 2, TYPE_F32);
    pb_bytes(&inst, 3, shape.at, shape.n);
    pb_int(&inst, 35, id);
    if (operand)
        pb_int(&inst, 36, operand);
    if (fields & HAS_72)
        pb_text(&inst, 72, "TOTAL");
    if (fields & HAS_101)
        pb_bytes(&inst, 101, "", 0);
    if (fields & HAS_102)
        pb_text(&inst, 102, "TOTAL");
    pb_bytes(p, 2, inst.at, inst.n);
    free(shape.at);
    free(inst.at);
}

static void from_proto(void **state)
{
    const struct proto_case *c = *state;
    struct pb comp = {0}, module = {0}, top = {0};
    struct arena a = {0};
    struct assignment as = {.arena = &a};
    struct hlo h;
    struct diag d;
    bool has;
    pb_text(&comp, 1, "e");
    put_inst(&comp, "parameter", 1, 0, 0);
    if (c->dot.opcode)
        put_inst(&comp, c->dot.opcode, 2, 1, c->dot.fields);
    if (c->compare.opcode)
        put_inst(&comp, c->compare.opcode, 3, 1, c->compare.fields);
    pb_int(&comp, 5, 1);
    pb_int(&comp, 6, 1);
    pb_text(&module, 1, "m");
    pb_bytes(&module, 3, comp.at, comp.n);
    pb_int(&module, 6, 1);
    pb_bytes(&top, 1, module.at, module.n);
    struct file f = {"x.hlo.pb", (const char *)top.at, top.n};
    hlo_init(&h, &a, f.name);
    bool ok = hlo_proto_read(&h, &as, &has, &f, &d);
    free(comp.at);
    free(module.at);
    free(top.at);
    arena_free(&a);
    assert_true(ok);
    assert_int_equal(h.age, c->age);
}

int main(void)
{
    enum { TEXTS = sizeof texts / sizeof *texts, PROTOS = sizeof protos / sizeof *protos };
    struct CMUnitTest tests[TEXTS + PROTOS + 1];
    size_t n = 0;
    for (int k = 0; k < TEXTS; k++)
        tests[n++] = (struct CMUnitTest){texts[k].name, from_text, NULL, NULL, (void *)&texts[k]};
    for (int k = 0; k < PROTOS; k++)
        tests[n++] = (struct CMUnitTest){protos[k].name, from_proto, NULL, NULL, (void *)&protos[k]};
    ADD_AS(calls, "a use by an inlined call counts up to jaxlib 0.4.23");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
