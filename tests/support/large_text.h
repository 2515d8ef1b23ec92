/* Texts that are large in one way each, and folders of many files.  Tests read them for what they hold,
 * and a quadratic step makes those endless; `make bench` times the same, by the same names, without CMocka. */
#ifndef TESTS_LARGE_TEXT_H
#define TESTS_LARGE_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_ELEMENTS 200000u
#define LARGE_ELEMENTS_NAME "200,000 elements of a tuple, all taken in one line"
#define LARGE_LINE 200000u
#define LARGE_LINE_NAME "one line of 200,000 operands, all aliased"
#define LARGE_VALUES 200000u
#define LARGE_VALUES_NAME "an assignment of 200,000 values, all used"
#define LARGE_STACKS 100000u
#define LARGE_INDEX 3000u
#define LARGE_STACKS_NAME "100,000 stacks, and an index of 2^3000 terms"
#define LARGE_MODULES 3000u
#define LARGE_MODULES_NAME "a folder of 9,000 files, three to a module"

struct large_text {
    FILE *to;
    char *text;
    size_t size;
};

static inline void large_open(struct large_text *t)
{
    t->to = open_memstream(&t->text, &t->size);
    if (!t->to)
        abort();
}

/* The text, which the caller frees. */
static inline char *large_close(struct large_text *t)
{
    fclose(t->to);
    return t->text;
}

static inline void large_repeat(FILE *to, const char *item, uint32_t n)
{
    while (n--)
        fputs(item, to);
}

/* Taken from the last to the first. */
static inline char *large_elements(uint32_t n)
{
    struct large_text t;
    large_open(&t);
    fputs("HloModule m\nENTRY e {\n p = (", t.to);
    large_repeat(t.to, "f32[], ", n - 1);
    fputs("f32[]) parameter(0)\n ROOT t = (", t.to);
    large_repeat(t.to, "f32[], ", n - 1);
    fputs("f32[]) tuple(", t.to);
    for (uint32_t k = n; k > 0; k--)
        fprintf(t.to, "%s%%p#%u", k < n ? ", " : "", k - 1);
    fputs(")\n}\n", t.to);
    return large_close(&t);
}

static inline char *large_line(uint32_t n)
{
    struct large_text t;
    large_open(&t);
    fputs("HloModule m, input_output_alias={ {0}: (0, {})", t.to);
    for (uint32_t k = 1; k < n; k++)
        fprintf(t.to, ", {%u}: (0, {})", k);
    fputs("}\nENTRY e {\n p = f32[] parameter(0)\n ROOT t = (", t.to);
    large_repeat(t.to, "f32[], ", n - 1);
    fputs("f32[]) tuple(", t.to);
    large_repeat(t.to, "p, ", n - 1);
    fputs("p)\n}\n", t.to);
    return large_close(&t);
}

static inline char *large_values(uint32_t n)
{
    struct large_text t;
    large_open(&t);
    fputs("BufferAssignment:\nallocation 0: size 8, preallocated-temp:\n", t.to);
    for (uint32_t k = 0; k < n; k++)
        fprintf(t.to, " value: <%u fusion.%u{1} (phi) @0> (size=4,offset=0): f32[]\n", k, k);
    fputs("\nUsed values:\n", t.to);
    for (uint32_t k = 0; k < n; k++)
        fprintf(t.to, "<%u fusion.%u{1} (phi) @0>\n uses:\n  a, operand 0\n", k, k);
    return large_close(&t);
}

static inline void large_carry(FILE *to, uint32_t n)
{
    fputs("(s32[]", to);
    large_repeat(to, ", f32[9,4]{1,0}", n - 1);
    fputs(")", to);
}

/* Without the module's own line: a loop of nine iterations that carries a counter and n - 1 stacks and
 * reads a slice of each; of every hundredth by an index of so many additions, each of which doubles what
 * there is to look at. */
static inline char *large_stacks(uint32_t n, uint32_t additions)
{
    struct large_text t;
    large_open(&t);
    fputs("body {\n p = ", t.to);
    large_carry(t.to, n);
    fputs(" parameter(0)\n i = s32[] get-tuple-element(p), index=0\n one = s32[] constant(1)\n"
          " zero = s32[] constant(0)\n n = s32[] add(i, one)\n a0 = s32[] add(i, zero)\n", t.to);
    for (uint32_t k = 1; k < additions; k++)
        fprintf(t.to, " a%u = s32[] %s(a%u, a%u)\n", k, k % 2 ? "add" : "subtract", k - 1, k - 1);
    for (uint32_t k = 1; k < n; k++) {
        fprintf(t.to, " g%u = f32[9,4]{1,0} get-tuple-element(p), index=%u\n", k, k);
        fprintf(t.to, " d%u = f32[1,4]{1,0} dynamic-slice(g%u, ", k, k);
        if (k % 100)
            fputs("i", t.to);
        else
            fprintf(t.to, "a%u", additions - 1);
        fputs(", zero), dynamic_slice_sizes={1,4}\n", t.to);
    }
    fputs(" ROOT t = ", t.to);
    large_carry(t.to, n);
    fputs(" tuple(n", t.to);
    for (uint32_t k = 1; k < n; k++)
        fprintf(t.to, ", g%u", k);
    fputs(")\n}\ncond {\n p = ", t.to);
    large_carry(t.to, n);
    fputs(" parameter(0)\n i = s32[] get-tuple-element(p), index=0\n k = s32[] constant(9)\n"
          " ROOT r = pred[] compare(i, k), direction=LT\n}\nENTRY e {\n z = s32[] constant(0)\n"
          " s = f32[9,4]{1,0} parameter(0)\n t = ", t.to);
    large_carry(t.to, n);
    fputs(" tuple(z", t.to);
    large_repeat(t.to, ", s", n - 1);
    fputs(")\n ROOT w = ", t.to);
    large_carry(t.to, n);
    fputs(" while(t), condition=cond, body=body\n}\n", t.to);
    return large_close(&t);
}

/* Three empty files for each module, in a folder that is there. */
static inline void large_modules(const char *folder, uint32_t n)
{
    static const char *const rests[] = {".txt", ".hlo.pb", "-buffer-assignment.txt"};
    char path[512];
    for (uint32_t k = 0; k < 3 * n; k++) {
        snprintf(path, sizeof path, "%s/module_%04u.jit_f.cpu_after_optimizations%s", folder, k / 3, rests[k % 3]);
        FILE *f = fopen(path, "w");
        if (!f)
            abort();
        fclose(f);
    }
}

#endif
