/* One instruction as a module: a case's proto is written field by field.  A case is an instruction over
 * parameters, and what it calls: a fusion's or a region's instructions. */
#ifndef TESTS_OP_PROTO_H
#define TESTS_OP_PROTO_H

#include "tests/support/proto_writer.h"

#include <stdbool.h>
#include <stdio.h>

struct array {
    int64_t dims[8], n;
    int rank, parts; /* numbers of an element: 2 of a complex one */
    double *v;       /* [n * parts], row by row */
    uint64_t bytes;
    char *memory;    /* a result as it lies there */
};

/* An instruction of what is called: operands are its parameters first, then those before it. */
struct inner {
    const char *opcode, *shape;
    int operands[4], n;
    const char *ints, *direction; /* of a compare; "LT TOTALORDER" */
};

enum { OP_RESULTS = 3 };

struct op {
    const char *name, *opcode, *result, *operands[4]; /* result: "f32 3, s32 3" is a tuple of two */
    const char *ints;   /* "14: 1 0; 20: 2 2": repeated or single integer fields */
    const char *parts;  /* "30{1: 1; 2: 0}": a message of integers; "21{1{1: 2; 3: 1}}" nests once */
    const char *region; /* opcode of a called binary computation */
    void (*naive)(const struct array *in, struct array *out);
    int64_t values[4];  /* of scalar operands, in order, when not 0 */
    const struct inner *calls; /* what it calls, up to an opcode NULL: over its operands' shapes; or, */
    int scalars;        /* when not 0, over so many scalars of the first operand's type */
    const char *target, *config; /* of a custom call */
    const char *direction;
    bool in_place;      /* the result takes the first operand's bytes */
};

/* "f32 3 5 2 | 0 2 1": type, dimensions, minor_to_major; "s4:4 9" has elements of 4 bits, packed. */
static void put_array(struct pb *b, const char *text)
{
    int64_t dims[8], order[8];
    int n = 0, n_order = 0, used;
    char type[16];
    sscanf(text, "%15s%n", type, &used);
    text += used;
    for (; sscanf(text, " %ld%n", &dims[n], &used) == 1; n++)
        text += used;
    if (strchr(text, '|'))
        for (text = strchr(text, '|') + 1; sscanf(text, " %ld%n", &order[n_order], &used) == 1; n_order++)
            text += used;
    char *bits = strchr(type, ':');
    if (bits)
        *bits = 0;
    pb_int(b, 2, shape_type_named(type, strlen(type)));
    pb_ints(b, 3, dims, (size_t)n, false);
    size_t layout = pb_open(b, 5);
    for (int k = 0; k < n; k++)
        pb_int(b, 1, n_order ? order[k] : n - 1 - k);
    if (bits)
        pb_int(b, 7, atoi(bits + 1));
    pb_close(b, layout);
}

/* An array, or a tuple of several with a comma between them. */
static void put_shape(struct pb *b, unsigned field, const char *text)
{
    size_t shape = pb_open(b, field);
    if (!strchr(text, ','))
        put_array(b, text);
    else
        pb_int(b, 2, TYPE_TUPLE);
    while (strchr(text, ',') || *text == ' ') {
        char part[64];
        size_t n = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        put_shape(b, 4, part + strspn(part, " "));
        text += n + (text[n] == ',');
    }
    pb_close(b, shape);
}

static const char *put_fields(struct pb *b, const char *p)
{
    while (p && *p && *p != '}') {
        char *end;
        unsigned field = (unsigned)strtoul(p, &end, 10);
        p = end;
        if (*p == '{') {
            size_t part = pb_open(b, field);
            p = put_fields(b, p + 1) + 1;
            pb_close(b, part);
        } else if (*p == ':')
            for (p++; strspn(p, " ") < strlen(p) && strchr("-0123456789", p[strspn(p, " ")]); p = end)
                pb_int(b, field, strtoll(p, &end, 10));
        p += strspn(p, " ;");
    }
    return p ? p : "";
}

static void put_direction(struct pb *m, const char *text)
{
    char word[2][16] = {"", ""};
    if (text && sscanf(text, "%15s %15s", word[0], word[1]) > 0) {
        pb_text(m, 63, word[0]);
        pb_text(m, 72, word[1]);
    }
}

static void put_inst(struct pb *comp, int64_t id, const char *opcode, const char *shape, int64_t number,
                     const int64_t *operands, int n, const struct op *o)
{
    char name[32];
    snprintf(name, sizeof name, "i%d", (int)id);
    size_t inst = pb_open(comp, 2);
    pb_text(comp, 1, name);
    pb_text(comp, 2, opcode);
    put_shape(comp, 3, shape);
    pb_int(comp, 35, id);
    if (number >= 0)
        pb_int(comp, 9, number);
    pb_ints(comp, 36, operands, (size_t)n, false);
    if (o) {
        put_fields(comp, o->ints);
        put_fields(comp, o->parts);
        if (o->region || o->calls)
            pb_int(comp, 38, 1);
        if (o->region && o->calls)
            pb_int(comp, 38, 3);
        pb_text(comp, 28, o->target);
        pb_text(comp, 43, o->config);
        put_direction(comp, o->direction);
    }
    pb_close(comp, inst);
}

/* Computation 1, of instructions from id 100 on. */
static void put_called(struct pb *module, const struct op *o)
{
    char type[32] = "";
    int64_t id = 100, ids[4];
    size_t comp = pb_open(module, 3);
    pb_text(module, 1, "called");
    if (o->scalars)
        sscanf(o->operands[0], "%31s", type);
    for (int k = 0; o->scalars ? k < o->scalars : k < 4 && o->operands[k]; k++)
        put_inst(module, id++, "parameter", o->scalars ? type : o->operands[k], k, NULL, 0, NULL);
    for (const struct inner *x = o->calls; x->opcode; x++, id++) {
        struct op one = {.ints = x->ints, .direction = x->direction};
        for (int k = 0; k < x->n; k++)
            ids[k] = 100 + x->operands[k];
        put_inst(module, id, x->opcode, x->shape, -1, ids, x->n, &one);
    }
    pb_int(module, 5, 1);
    pb_int(module, 6, id - 1);
    pb_close(module, comp);
}

/* One binary operation; computation 3 when another is called, too. */
static void put_region(struct pb *module, const struct op *o)
{
    char type[32] = "";
    int64_t first = o->calls ? 300 : 100, two[] = {first, first + 1};
    size_t comp = pb_open(module, 3);
    sscanf(o->operands[0], "%31s", type);
    pb_text(module, 1, "region");
    put_inst(module, first, "parameter", type, 0, NULL, 0, NULL);
    put_inst(module, first + 1, "parameter", type, 1, NULL, 0, NULL);
    put_inst(module, first + 2, o->region, type, -1, two, 2, NULL);
    pb_int(module, 5, o->calls ? 3 : 1);
    pb_int(module, 6, first + 2);
    pb_close(module, comp);
}

static inline void write_module(const struct op *o, const char *path)
{
    struct pb file = {0};
    int64_t ids[4];
    int n = 0;
    size_t module = pb_open(&file, 1);
    pb_text(&file, 1, "test");
    pb_int(&file, 6, 2);
    if (o->calls)
        put_called(&file, o);
    if (o->region)
        put_region(&file, o);
    size_t comp = pb_open(&file, 3);
    pb_text(&file, 1, "entry");
    for (; n < 4 && o->operands[n]; n++) {
        ids[n] = 10 + n;
        put_inst(&file, ids[n], "parameter", o->operands[n], n, NULL, 0, NULL);
    }
    put_inst(&file, 50, o->opcode, o->result, -1, ids, n, o);
    pb_int(&file, 5, 2);
    pb_int(&file, 6, 50);
    pb_close(&file, comp);
    pb_close(&file, module);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(file.at, 1, file.n, f) != file.n)
        abort();
    fclose(f);
    free(file.at);
}

#endif
