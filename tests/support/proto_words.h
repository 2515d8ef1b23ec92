/* What the reader of HloProto made of a program, in words. */
#ifndef TESTS_PROTO_WORDS_H
#define TESTS_PROTO_WORDS_H

#include "core/load/proto/hlo_proto.h"
#include "tests/support/hlo_words.h"
#include "tests/support/proto_program.h"

static inline void put_assignment(struct words *o, const struct assignment *a)
{
    put(o, "assignment%s\n", a->recent ? " recent" : "");
    for (uint32_t k = 0; k < a->allocs.n; k++) {
        const struct allocation *x = assignment_alloc(a, k);
        put(o, "alloc %lld: %llu color %d flags %u parameter %lld%s\n", (long long)x->index,
            (unsigned long long)x->size, x->color, x->flags, (long long)x->parameter,
            allocation_is_temp(x) ? " temp" : "");
    }
    for (uint32_t k = 0; k < a->values.n; k++) {
        const struct dump_value *v = assignment_value(a, k);
        put(o, "value %lld: inst %lld %s {", (long long)v->id, (long long)v->inst,
            v->name ? v->name : "-");
        for (uint32_t i = 0; i < v->path.n; i++)
            put(o, "%s%lld", i ? "," : "", (long long)assignment_path(a, v->path)[i]);
        put(o, "} %llu color %d", (unsigned long long)v->size, v->color);
        if (v->alloc == ALLOC_NONE)
            put(o, " nowhere\n");
        else
            put(o, " in %u at %llu for %llu\n", v->alloc, (unsigned long long)v->offset,
                (unsigned long long)v->reserved);
    }
}

/* A file of its own size: a sanitizer sees any read past its NUL. */
static inline struct file file_of(const void *bytes, size_t n)
{
    char *copy = malloc(n + 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, bytes, n);
    copy[n] = '\0';
    return (struct file){"x.pb", copy, n};
}

static inline bool read_back(const void *bytes, size_t n, struct words *o)
{
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    struct assignment a = {.arena = &arena};
    bool has_assignment;
    struct file f = file_of(bytes, n);
    hlo_init(&h, &arena, f.name);
    bool ok = hlo_proto_read(&h, &a, &has_assignment, &f, &d);
    free((char *)f.text);
    o->used = 0;
    if (!ok) {
        char text[2048];
        put(o, "%s", diag_text(&d, text, sizeof text));
    } else {
        put_program(o, &h, true);
        if (has_assignment)
            put_assignment(o, &a);
    }
    arena_free(&arena);
    return ok;
}

static inline bool read_spec(const struct spec *s, struct words *o, size_t mark[MARKS])
{
    struct pb p = {0};
    write_spec(s, &p, mark);
    bool ok = read_back(p.at, p.n, o);
    pb_free(&p);
    return ok;
}

#endif
