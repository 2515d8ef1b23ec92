/* Programs as HLO text, and what its reader made of them in words: for its tests. */
#ifndef TESTS_HLO_TEXT_CASE_H
#define TESTS_HLO_TEXT_CASE_H

#include "core/load/text/hlo_text.h"
#include "tests/support/hlo_words.h"
#include "tests/support/tables.h"

/* Reads `size` bytes; the copy ends right behind its NUL, so that a sanitizer sees any overread. */
static inline bool read_text(const char *text, size_t size, struct words *o)
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
        put_program(o, &h, false);
    else
        diag_text(&d, o->text, sizeof o->text);
    free(copy);
    arena_free(&arena);
    return ok;
}

struct text_case {
    const char *name, *text, *want;
};

#define ADD_COMP                                                                                        \
    "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
#define ADD_WANT  "add:\na f32[] parameter() #0\nb f32[] parameter() #1\n*s f32[] add(a b)\n"
#define ONE(line) "HloModule m\n\nENTRY e {\n  p = f32[2]{0} parameter(0)\n" line "\n}\n"
#define ONE_WANT  "m\nENTRY e:\np f32[2]{0} parameter() #0\n"
#define PAIR(lines)                                                                                \
    "HloModule m\nENTRY e {\n  t = (f32[], f32[2]{0}) parameter(0)\n"                              \
    "  u = (f32[], (f32[2]{0})) parameter(1)\n" lines "\n}\n"
#define PAIR_WANT                                                                                  \
    "m\nENTRY e:\nt (f32[], f32[2]{0}) parameter() #0\nu (f32[], (f32[2]{0})) parameter() #1\n"

static inline void reads_as(void **state)
{
    const struct text_case *c = *state;
    struct words o;
    read_text(c->text, strlen(c->text), &o);
    assert_string_equal(o.text, c->want);
}

static inline char *repeated(const char *before, const char *item, size_t n, const char *after)
{
    size_t len = strlen(item);
    char *text = malloc(strlen(before) + n * len + strlen(after) + 1);
    char *at = text + strlen(strcpy(text, before));
    for (size_t i = 0; i < n; i++, at += len)
        memcpy(at, item, len);
    strcpy(at, after);
    return text;
}

#endif
