#include "core/load/text/assignment_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "tests/support/large_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

/* ---- An assignment in words ---- */

static void put_path(struct words *o, const struct assignment *a, struct span path)
{
    put(o, "{");
    for (uint32_t i = 0; i < path.n; i++)
        put(o, "%s%lld", i ? "," : "", (long long)assignment_path(a, path)[i]);
    put(o, "}");
}

static void put_allocation(struct words *o, const struct allocation *x)
{
    put(o, "allocation %lld: %llu", (long long)x->index, (unsigned long long)x->size);
    if (x->color)
        put(o, " color %d", (int)x->color);
    if (x->flags & ALLOC_PARAMETER)
        put(o, " parameter %lld", (long long)x->parameter);
    if (x->shape)
        put(o, " %s", x->shape);
    put(o, "%s%s%s%s\n", x->flags & ALLOC_CONSTANT ? " constant" : "",
        x->flags & ALLOC_THREAD_LOCAL ? " thread-local" : "",
        x->flags & ALLOC_LIVE_OUT ? " live-out" : "", allocation_is_temp(x) ? " temp" : "");
}

static void put_value(struct words *o, const struct assignment *a, const struct dump_value *v)
{
    put(o, "value %lld %s", (long long)v->id, v->name);
    put_path(o, a, v->path);
    put(o, "%s", v->phi ? " phi" : "");
    if (v->color)
        put(o, " color %d", (int)v->color);
    if (v->alloc == ALLOC_NONE)
        put(o, " not placed\n");
    else
        put(o, " %llu at %llu of %u %s\n", (unsigned long long)v->reserved,
            (unsigned long long)v->offset, v->alloc, v->shape);
}

static void put_claims(struct words *o, const struct assignment *a)
{
    const struct claimed_range *r = a->ranges.items;
    const char *const *names = a->sequence.items;
    if (a->has_total)
        put(o, "total %llu\n", (unsigned long long)a->total);
    if (a->has_max)
        put(o, "max %u\n", a->max);
    for (uint32_t i = 0; i < a->sequence.n; i++)
        put(o, "%s%s", names[i], i + 1 < a->sequence.n ? " " : "\n");
    for (uint32_t i = 0; i < a->ranges.n; i++) {
        put(o, "%s", r[i].name);
        put_path(o, a, r[i].path);
        put(o, " %u-%u\n", r[i].start, r[i].end);
    }
    if (a->has_peak)
        put(o, "peak %llu at %u\n", (unsigned long long)a->peak_bytes, a->peak_step);
    if (a->ranges_file)
        put(o, "ranges of %s\n", a->ranges_file);
    if (a->recent)
        put(o, "recent\n");
}

static void describe(struct words *o, const struct assignment *a)
{
    for (uint32_t i = 0; i < a->allocs.n; i++)
        put_allocation(o, assignment_alloc(a, i));
    for (uint32_t i = 0; i < a->values.n; i++)
        put_value(o, a, assignment_value(a, i));
    put_claims(o, a);
}

/* ---- Reading ---- */

struct text_case {
    const char *name;
    const char *files[3]; /* read one after the other as "1", "2", "3" */
    const char *want;     /* the assignment in words, or the message */
};

static void read_case(void **state)
{
    const struct text_case *c = *state;
    static const char *const names[] = {"1", "2", "3"};
    struct arena arena = {0};
    struct assignment a = {.arena = &arena};
    struct diag d;
    static struct words got;
    got.used = 0;
    got.text[0] = '\0';
    bool ok = true;
    for (size_t i = 0; ok && i < COUNT(c->files) && c->files[i]; i++) {
        struct file f = {names[i], c->files[i], strlen(c->files[i])};
        ok = assignment_text_read(&a, &f, &d);
    }
    if (ok)
        describe(&got, &a);
    else
        diag_text(&d, got.text, sizeof got.text);
    arena_free(&arena);
    assert_string_equal(got.text, c->want);
}

#define ALLOCS   "BufferAssignment:\n"
#define SEQUENCE "HloLiveRange (max 3):\n  InstructionSequence:\n    0:p\n    1:w.1\n    2:t\n"

static const struct text_case forms[] = {
    {"a parameter that is donated to an output",
     {ALLOCS "allocation 1: size 4096, page 0, parameter 0, shape |f32[1,1024]| at ShapeIndex {}, "
             "maybe-live-out:\n"},
     "allocation 1: 4096 parameter 0 f32[1,1024] live-out\n"},
    {"both shapes: the parameter's is kept",
     {ALLOCS "allocation 0: size 131072, page 0, parameter 0, shape |f32[128,256]| at ShapeIndex "
             "{1,0}, output shape is |f32[9]|, maybe-live-out:\n"},
     "allocation 0: 131072 parameter 0 f32[128,256] live-out\n"},
    {"an output with a tuple shape in it",
     {ALLOCS "allocation 3: size 16, output shape is |(f32[4], s32[], /*index=5*/pred[])|, "
             "maybe-live-out:\n"},
     "allocation 3: 16 (f32[4], s32[], /*index=5*/pred[]) live-out\n"},
    {"a parameter of a program XLA no longer has",
     {ALLOCS "allocation 3: size 16, parameter 2, shape |<unknown shape>| at ShapeIndex {}:\n"},
     "allocation 3: 16 parameter 2 <unknown shape>\n"},
    {"constants, thread-locals, temps and live-outs",
     {ALLOCS "allocation 0: size 4, constant:\nallocation 1: size 5, thread-local:\n"
             "allocation 2: size 6, page 0, preallocated-temp:\nallocation 3: size 7, "
             "maybe-live-out:\n"},
     "allocation 0: 4 constant\nallocation 1: 5 thread-local\nallocation 2: 6 temp\n"
     "allocation 3: 7 live-out\n"},
    {"the memory space stands before the page",
     {ALLOCS "allocation 14: size 33554432, color 5, page 0, preallocated-temp:\n"
             "allocation 47: size 60, color 2, preallocated-temp:\n"},
     "allocation 14: 33554432 color 5 temp\nallocation 47: 60 color 2 temp\n"},
    {"the oldest form has addresses",
     {ALLOCS "allocation 0: 0x27017c46b600, size 32768, parameter 0, shape |f32[256,32]| at "
             "ShapeIndex {}:\n value: <3 parameter @0> (size=32768,offset=0): f32[256,32]{1,0}\n"},
     "allocation 0: 32768 parameter 0 f32[256,32]\n"
     "value 3 parameter{} 32768 at 0 of 0 f32[256,32]{1,0}\n"},
    {"values: an element, a phi, a memory space, a tuple, none set",
     {ALLOCS "allocation 0: size 18446744073709551615, preallocated-temp:\n"
             " value: <219 arg_tuple.3{2} (phi) @0> (size=4294967296,offset=128): f32[1024,1048576]"
             "{1,0}\n value: <2 copy.4 @1> (size=1024,offset=0): f32[8]{0:T(128)S(1)}\n"
             " value: <3 w{} (phi) @0> (size=16,offset=0): (f32[], s32[])\n"
             " value: <4 t{1,0} @-1> (size=4,offset=0): token[]\n"},
     "allocation 0: 18446744073709551615 temp\n"
     "value 219 arg_tuple.3{2} phi 4294967296 at 128 of 0 f32[1024,1048576]{1,0}\n"
     "value 2 copy.4{} color 1 1024 at 0 of 0 f32[8]{0:T(128)S(1)}\n"
     "value 3 w{} phi 16 at 0 of 0 (f32[], s32[])\n"
     "value 4 t{1,0} color -1 4 at 0 of 0 token[]\n"},
    {"lines that end as on Windows",
     {"BufferAssignment:\r\nallocation 0: size 4, constant:\r\n value: <1 c @0> (size=4,offset=0): "
      "s32[]\r\n\r\nTotal bytes used: 4 (4B)\r\n"},
     "allocation 0: 4 constant\nvalue 1 c{} 4 at 0 of 0 s32[]\ntotal 4\n"},
    {"no newline at the end",
     {ALLOCS "allocation 0: size 4, constant:"},
     "allocation 0: 4 constant\n"},
    {"jax 0.5: one file with every section, peak by instruction",
     {ALLOCS
      "allocation 0: size 4, constant:\n value: <1 p @0> (size=4,offset=0): s32[]\n\n"
      "Total bytes used: 4 (4B)\n\nUsed values:\n<1 p @0>\n positions:\n  p\n  t {0}\n uses:\n"
      "  t, operand 0\n from instruction: %p = s32[] constant(1)\n\n\n" SEQUENCE
      "  BufferLiveRange:\n    p{}:0-3\n    w.1{1,0}:1-1\n  Live ranges at 1 (peak):\n"
      "    p: 4 bytes\n    w.1: 64 bytes\n    w.1: 64 bytes\n"},
     "allocation 0: 4 constant\nvalue 1 p{} 4 at 0 of 0 s32[]\ntotal 4\nmax 3\np w.1 t\n"
     "p{} 0-3\nw.1{1,0} 1-1\npeak 132 at 1\nranges of 1\n"},
    {"jax 0.10: three files, peak by value with a tree behind it",
     {ALLOCS "allocation 0: size 4, constant:\n value: <1 p @0> (size=4,offset=0): s32[]\n",
      "\nTotal bytes used: 4 (4B)\n\nUsed values:\n<1 p @0>\n positions:\n  p\n uses:\n  (none)\n",
      SEQUENCE "  BufferLiveRange:\n    p{}:0-3\n  Live ranges at 0 (peak):\n    p{}: 4294967296 "
               "bytes (cumulative: 4294967296 bytes)\n    w.1{0}: 4 bytes (cumulative: 4294967300 "
               "bytes)\n  Stack trace breakdown for peak usage: 4 294 967 300 bytes\n"
               "    main.24 (100.0%, total: 8 bytes)\n      ├── x (39.9%)\n"},
     "allocation 0: 4 constant\nvalue 1 p{} 4 at 0 of 0 s32[]\ntotal 4\nmax 3\np w.1 t\n"
     "p{} 0-3\npeak 4294967300 at 0\nranges of 3\nrecent\n"},
    {"a used value without a place is kept",
     {ALLOCS "allocation 0: size 4, constant:\n\nUsed values:\n<7 w.1{0} (phi) @0>\n positions:\n"
             "  w.1 {0}\n<8 t>\n"},
     "allocation 0: 4 constant\nvalue 7 w.1{0} phi not placed\nvalue 8 t{} not placed\n"},
    {"a program that does nothing",
     {"HloLiveRange (max 0):\n  InstructionSequence:\n  BufferLiveRange:\n"
      "  Live ranges at 0 (peak):\n"},
     "max 0\npeak 0 at 0\nranges of 1\nrecent\n"},
};

static const struct text_case bad[] = {
    {"nothing in it", {""}, "tidemark: 1: no section of a buffer assignment in it"},
    {"blank lines only", {"\n\n"}, "tidemark: 1: no section of a buffer assignment in it"},
    {"another file",
     {"HloModule jit_f\n"},
     "tidemark: 1:1:1: expected \"BufferAssignment:\", \"Used values:\" or \"HloLiveRange (max "
     "N):\", not \"HloModule jit_f\""},
    {"a line that is too long to show",
     {ALLOCS "allocation 0: size 4, constant, and then much more than anybody wants to read:\n"},
     "tidemark: 1:2:33: expected an attribute of the allocation (parameter, output shape, "
     "constant, "
     "…), not \"and then much more than anybody wants to\"…"},
    {"no size",
     {ALLOCS "allocation 0: constant:\n"},
     "tidemark: 1:2:15: expected \"size \", not \"constant:\""},
    {"a size that is no number",
     {ALLOCS "allocation 0: size many:\n"},
     "tidemark: 1:2:20: expected a size, not \"many:\""},
    {"a negative size",
     {ALLOCS "allocation 0: size -4:\n"},
     "tidemark: 1:2:20: expected a size, not \"-4:\""},
    {"a size beyond 64 bits",
     {ALLOCS "allocation 0: size 18446744073709551616:\n"},
     "tidemark: 1:2:20: a size is too large, at most 18446744073709551615"},
    {"an allocation that is cut",
     {ALLOCS "allocation 0: size 4, page"},
     "tidemark: 1:2:23: expected an attribute of the allocation (parameter, output shape, "
     "constant, "
     "…), not \"page\""},
    {"an allocation without its end",
     {ALLOCS "allocation 0: size 4\n"},
     "tidemark: 1:2:21: expected \", \" and an attribute, or \":\", but the line ends here"},
    {"more behind an allocation",
     {ALLOCS "allocation 0: size 4: 5\n"},
     "tidemark: 1:2:22: expected the end of the line, not \" 5\""},
    {"a shape without its bar",
     {ALLOCS "allocation 0: size 4, parameter 0, shape |f32[1\n"},
     "tidemark: 1:2:48: expected a \"|\" behind the shape, but the line ends here"},
    {"a value before any allocation",
     {ALLOCS " value: <1 p @0> (size=4,offset=0): s32[]\n"},
     "tidemark: 1:2:1: a value stands before any allocation"},
    {"a value without an offset",
     {ALLOCS "allocation 0: size 4:\n value: <1 p @0> (size=4): s32[]\n"},
     "tidemark: 1:3:25: expected \",offset=\", not \"): s32[]\""},
    {"a value whose shape is cut",
     {ALLOCS "allocation 0: size 4:\n value: <1 p @0> (size=4,offset=0): s32[1"},
     "tidemark: 1:3:42: expected the end of a shape, but the line ends here"},
    {"a value's index that is no number",
     {ALLOCS "allocation 0: size 4:\n value: <1 p{x} @0> (size=4,offset=0): s32[]\n"},
     "tidemark: 1:3:14: expected a shape index, not \"x} @0> (size=4,offset=0): s32[]\""},
    {"a value that is placed twice",
     {ALLOCS "allocation 0: size 4:\n value: <1 p @0> (size=4,offset=0): s32[]\n"
             " value: <1 p @0> (size=4,offset=0): s32[]\n"},
     "tidemark: 1:4:1: value 1 is placed twice"},
    {"escape sequences never reach the terminal",
     {ALLOCS "allocation 0: size 4:\n \033[2J\n"},
     "tidemark: 1:3:1: expected \" value: \", not \" \\x1B[2J\""},
    {"a second section",
     {ALLOCS "allocation 0: size 4:\n" ALLOCS},
     "tidemark: 1:3:1: a second BufferAssignment section, expected one"},
    {"files of two programs: another total",
     {ALLOCS "allocation 0: size 4:\n\nTotal bytes used: 4 (4B)\n", "Total bytes used: 5 (5B)\n"},
     "tidemark: 2:1:19: the total is 5 here, but 4 before"},
    {"files of two programs: another value",
     {ALLOCS "allocation 0: size 4:\n value: <1 p @0> (size=4,offset=0): s32[]\n",
      "Used values:\n<1 q @0>\n"},
     "tidemark: 2:2:1: value 1 is q here, but p in 1"},
    {"a sequence with a gap",
     {"HloLiveRange (max 3):\n  InstructionSequence:\n    0:p\n    2:t\n"},
     "tidemark: 1:4:5: instruction 2 stands at place 1"},
    {"a sequence that is too short",
     {"HloLiveRange (max 3):\n  InstructionSequence:\n    0:p\n  BufferLiveRange:\n"},
     "tidemark: 1:4:1: the InstructionSequence has 1 instructions, expected 3 (the file is "
     "damaged: "
     "dump it again)"},
    {"a range that ends before it starts",
     {SEQUENCE "  BufferLiveRange:\n    p{}:2-1\n"},
     "tidemark: 1:7:9: p lives from 2 to 1 of 3 points"},
    {"a range past the end of the program",
     {SEQUENCE "  BufferLiveRange:\n    p{}:2-4\n"},
     "tidemark: 1:7:9: p lives from 2 to 4 of 3 points"},
    {"ranges that are cut between two lines",
     {SEQUENCE "  BufferLiveRange:\n    p{}:0-3\n"},
     "tidemark: 1:7: the file ends before \"Live ranges at N (peak):\" (it was cut or is still "
     "being "
     "written: dump it again)"},
    {"a peak beyond 64 bits",
     {SEQUENCE "  BufferLiveRange:\n  Live ranges at 1 (peak):\n    p: 18446744073709551615 bytes\n"
               "    t: 1 bytes\n"},
     "tidemark: 1:9:8: these values have more than 2^64 bytes"},
};

/* ---- A zero byte cannot stand in the tables above ---- */

static void zero_bytes(void **state)
{
    (void)state;
    static const char text[] =
        ALLOCS "allocation 0: size 4:\n value: <1 p\0q @0> (size=4,offset=0)";
    struct arena arena = {0};
    struct assignment a = {.arena = &arena};
    struct file f = {"zero", text, sizeof text - 1};
    struct diag d;
    char got[512];
    bool ok = assignment_text_read(&a, &f, &d);
    arena_free(&arena);
    assert_false(ok);
    assert_string_equal(diag_text(&d, got, sizeof got),
                        "tidemark: zero:3:13: expected \">\", not a zero byte");
}

/* ---- Which content is this? ---- */

static const struct {
    const char *text;
    bool is;
} kinds[] = {
    {ALLOCS "allocation 0", true},
    {"HloLiveRange (max 12):\n", true},
    {"\nTotal bytes used: 80730 (78.8KiB)\n\nUsed values:\n", true},
    {"\r\nTotal bytes used: 80730 (78.8KiB)\r\n\r\nUsed values:\r\n", true},
    {"", false},
    {"Buffer", false},
    {"HloModule jit_f\n" ALLOCS, false},
    {"Total bytes used: 1773680 (1.69MiB)\n\nAllocations sorted by size:\n", false},
    {"Memory Space: default (color=0)\n", false},
};

static void content(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (assignment_text_is(kinds[i].text, strlen(kinds[i].text)) != kinds[i].is)
            fail_msg("%s", kinds[i].text);
}

/* ---- Sums and checks (model/assignment) ---- */

struct sum_case {
    const char *name, *text;
    const char
        *want; /* argument output alias temp constant thread-local total, host_*; or message */
};

static const struct sum_case sums[] = {
    {"a donated parameter counts as argument, output and alias",
     "allocation 0: size 100, parameter 0, maybe-live-out:\nallocation 1: size 8, parameter 1:\n"
     "allocation 2: size 16, maybe-live-out:\n",
     "108 116 100 0 0 0 124, host 0 0 0"},
    {"temp is the default memory space's; pinned host memory is counted apart",
     "allocation 0: size 1, preallocated-temp:\nallocation 1: size 2, preallocated-temp:\n"
     "allocation 2: size 4, color 1, preallocated-temp:\n"
     "allocation 3: size 8, color 5, preallocated-temp:\n"
     "allocation 4: size 16, color 5, parameter 0:\n"
     "allocation 5: size 32, color 5, maybe-live-out:\n",
     "0 0 0 3 0 0 63, host 16 32 8"},
    {"constants and thread-locals are in the total only",
     "allocation 0: size 3, constant:\nallocation 1: size 5, thread-local:\n\n"
     "Total bytes used: 8 (8B)\n",
     "0 0 0 0 3 5 8, host 0 0 0"},
    {"a buffer may end where its allocation ends",
     "allocation 0: size 100:\n value: <1 p @0> (size=60,offset=40): s8[60]{0}\n"
     " value: <2 q @0> (size=0,offset=100): s8[0]{0}\n",
     "0 0 0 100 0 0 100, host 0 0 0"},
    {"no allocation", "", "tidemark: a: no allocation in it, expected at least one"},
    {"a value past the end of its allocation",
     "allocation 7: size 100:\n value: <1 p @0> (size=60,offset=41): s8[60]{0}\n",
     "tidemark: a: p <1> has 60 bytes at offset 41 of allocation 7, which has 100"},
    {"an offset that would wrap around",
     "allocation 7: size 100:\n value: <1 p @0> (size=18446744073709551615,offset=2): s8[60]{0}\n",
     "tidemark: a: p <1> has 18446744073709551615 bytes at offset 2 of allocation 7, which has "
     "100"},
    {"a total that is not the sum",
     "allocation 0: size 100:\nallocation 1: size 1:\n\nTotal bytes used: 102 (102B)\n",
     "tidemark: a: its 2 allocations have 101 bytes, but the total stated is 102"},
    {"sizes that do not fit into 64 bits",
     "allocation 0: size 18446744073709551615:\nallocation 1: size 1:\n",
     "tidemark: a: its allocations have more than 2^64 bytes together"},
};

static void sum(void **state)
{
    const struct sum_case *c = *state;
    struct arena arena = {0};
    struct assignment a = {.arena = &arena};
    const char *text = arena_printf(&arena, ALLOCS "%s", c->text);
    struct file f = {"a", text, strlen(text)};
    struct totals t;
    struct diag d;
    char got[512] = "not read";
    if (assignment_text_read(&a, &f, &d) && assignment_check(&a, &d)) {
        assignment_totals(&a, &t);
        snprintf(got, sizeof got, "%llu %llu %llu %llu %llu %llu %llu, host %llu %llu %llu",
                 (unsigned long long)t.argument, (unsigned long long)t.output,
                 (unsigned long long)t.alias, (unsigned long long)t.temp,
                 (unsigned long long)t.constant, (unsigned long long)t.thread_local_,
                 (unsigned long long)t.total, (unsigned long long)t.host_argument,
                 (unsigned long long)t.host_output, (unsigned long long)t.host_temp);
    } else
        diag_text(&d, got, sizeof got);
    arena_free(&arena);
    assert_string_equal(got, c->want);
}

static const struct {
    enum platform platform;
    int32_t color;
    const char *name;
    bool main;
} spaces[] = {
    {PLATFORM_TPU, 0, "hbm", true},
    {PLATFORM_TPU, 1, "vmem", false},
    {PLATFORM_TPU, 2, "smem", false},
    {PLATFORM_TPU, 3, "color 3", false},
    {PLATFORM_TPU, 4, "host", false},
    {PLATFORM_TPU, 5, "pinned host", false},
    {PLATFORM_TPU, 6, "color 6", false},
    {PLATFORM_GPU, 0, "default", true},
    {PLATFORM_GPU, 2, "color 2", true}, /* --xla_gpu_temp_buffer_use_separate_color */
    {PLATFORM_GPU, 5, "pinned host", false},
    {PLATFORM_CPU, 0, "default", true},
    {PLATFORM_CPU, 5, "pinned host", false},
    {PLATFORM_UNKNOWN, 0, "default", true},
    {PLATFORM_GPU, 999999999, "color 999999999", true},
    {PLATFORM_GPU, INT32_MIN, "color ?", true},
};

static void space_names(void **state)
{
    (void)state;
    char out[16];
    for (size_t i = 0; i < COUNT(spaces); i++) {
        assert_string_equal(space_name(spaces[i].platform, spaces[i].color, out), spaces[i].name);
        assert_int_equal(space_is_main(spaces[i].platform, spaces[i].color), spaces[i].main);
    }
    assert_null(platform_name(PLATFORM_UNKNOWN));
    assert_string_equal(platform_name(PLATFORM_CPU), "cpu");
    assert_string_equal(platform_name(PLATFORM_GPU), "gpu");
    assert_string_equal(platform_name(PLATFORM_TPU), "tpu");
}

/* ---- Large ---- */

static void many_values(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct assignment a = {.arena = &arena};
    struct diag d;
    char *text = large_values(LARGE_VALUES);
    struct file f = {"many", text, strlen(text)};
    bool ok = assignment_text_read(&a, &f, &d) && assignment_check(&a, &d);
    uint32_t n = a.values.n;
    arena_free(&arena);
    free(text);
    assert_true(ok);
    assert_int_equal(n, LARGE_VALUES);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(forms) + COUNT(bad) + COUNT(sums) + 4];
    size_t n = 0;
    ADD_TABLE(forms, read_case, name);
    ADD_TABLE(bad, read_case, name);
    ADD_TABLE(sums, sum, name);
    ADD_AS(zero_bytes, "zero bytes end nothing");
    ADD_AS(content, "files are told by their headers");
    ADD_AS(space_names, "memory spaces have names");
    ADD_AS(many_values, LARGE_VALUES_NAME);
    return _cmocka_run_group_tests("assignment_text", tests, n, NULL, NULL);
}
