/* Programs of many equal lines, for which a quadratic step of dataflow takes minutes.  Without CMocka: make
 * bench times them too. */
#ifndef TESTS_LARGE_FLOW_H
#define TESTS_LARGE_FLOW_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PAIR "(f32[2], f32[2])"
#define ALWAYS " = " PAIR " parameter(0)\n ROOT t = pred[] constant(true)\n}\n"
#define SWAP                                                                                       \
    " = " PAIR " parameter(0)\n a = f32[2] get-tuple-element(p), index=0\n"                        \
    " b = f32[2] get-tuple-element(p), index=1\n ROOT r = " PAIR " tuple(b, a)\n}\n"
#define NEGATE "b {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\n"

/* In the lines, which stand n times each, $ is the line's number and ^ the next.  In the rest @ is
 * a tuple's shape with n elements, # are n operands g1, g2, …, g0, & is n. */
struct large_case {
    const char *name;
    uint32_t n;
    const char *first, *lines, *between, *more_lines, *last;
    uint32_t sets; /* of the values that have a range, alias sets */
};

static const struct large_case larges[] = {
    {"each element of a large tuple is taken", 20000, "ENTRY e {\n p = @ parameter(0)\n",
     " g$ = f32[] get-tuple-element(p), index=$\n", " ROOT z = f32[] negate(g0)\n}\n", "", "",
     20002},
    {"a while turns a large carry", 20000,
     "c {\n q = @ parameter(0)\n ROOT t = pred[] constant(true)\n}\nb {\n p = @ parameter(0)\n",
     " g$ = f32[] get-tuple-element(p), index=$\n",
     " ROOT r = @ tuple(#)\n}\nENTRY e {\n x = @ parameter(0)\n", "",
     " ROOT w = @ while(x), condition=c, body=b\n}\n", 3},
    {"many whiles swap a pair, one after the other", 10000, "",
     "c$ {\n p" ALWAYS "b$ {\n p" SWAP, "ENTRY e {\n x0 = " PAIR " parameter(0)\n",
     " x^ = " PAIR " while(x$), condition=c$, body=b$\n",
     " ROOT z = " PAIR " opt-barrier(x&)\n}\n", 10002},
    {"a long chain of async-updates", 20000,
     NEGATE "ENTRY e {\n x = f32[] parameter(0)\n s0 = ((f32[]), f32[]) async-start(x), calls=b\n",
     " s^ = ((f32[]), f32[]) async-update(s$)\n", " ROOT z = f32[] async-done(s&)\n}\n", "", "",
     40004},
    {"many whiles share one body", 5000,
     "c {\n p" ALWAYS "b {\n p" SWAP "ENTRY e {\n x0 = " PAIR " parameter(0)\n",
     " x^ = " PAIR " while(x$), condition=c, body=b\n",
     " ROOT z = " PAIR " opt-barrier(x&)\n}\n", "", "", 3},
    {"many calls of one function", 5000, NEGATE "ENTRY e {\n x0 = f32[] parameter(0)\n",
     " x^ = f32[] call(x$), to_apply=b\n", " ROOT z = f32[] negate(x&)\n}\n", "", "", 3},
    {"many calls with values of their own", 2000, NEGATE "ENTRY e {\n x = f32[] parameter(0)\n",
     " x$ = f32[] negate(x)\n", "", " y$ = f32[] call(x$), to_apply=b\n",
     " ROOT z = f32[] negate(y0)\n}\n", 2003},
    {"many conditionals share their branches", 5000,
     NEGATE "d {\n ROOT p = f32[] parameter(0)\n}\n"
     "ENTRY e {\n k = s32[] constant(0)\n x0 = f32[] parameter(0)\n",
     " x^ = f32[] conditional(k, x$, x$), branch_computations={b, d}\n",
     " ROOT z = f32[] negate(x&)\n}\n", "", "", 5},
};

static inline void write_rest(FILE *to, const char *text, uint32_t n)
{
    for (; *text; text++) {
        if (*text == '&')
            fprintf(to, "%u", n);
        else if (*text != '@' && *text != '#')
            fputc(*text, to);
        for (uint32_t k = 0; *text == '@' && k < n; k++)
            fprintf(to, "%sf32[]%s", k ? ", " : "(", k == n - 1 ? ")" : "");
        for (uint32_t k = 0; *text == '#' && k < n; k++)
            fprintf(to, "%sg%u", k ? ", " : "", (k + 1) % n);
    }
}

static inline void write_lines(FILE *to, const char *text, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (const char *c = text; *c; c++)
            if (*c == '$' || *c == '^')
                fprintf(to, "%u", k + (*c == '^'));
            else
                fputc(*c, to);
}

/* The text, which the caller frees. */
static inline char *write_large(const struct large_case *c)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        abort();
    write_rest(to, c->first, c->n);
    write_lines(to, c->lines, c->n);
    write_rest(to, c->between, c->n);
    write_lines(to, c->more_lines, c->n);
    write_rest(to, c->last, c->n);
    fclose(to);
    return text;
}

#endif
