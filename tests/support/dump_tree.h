/* Directories of dumps made for one test, and what was found in them in words: the root is "@". */
#ifndef TESTS_DUMP_TREE_H
#define TESTS_DUMP_TREE_H

#include "core/load/dump/module.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char root[200];
};

static inline void tree_make(struct tree *t)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(t->root, sizeof t->root, "%s/tidemark-test-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(t->root));
}

static inline void make_parents(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static inline void write_file(const char *path, const char *content, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, size, f), size);
    fclose(f);
}

/* "0:x 1:y" -> the report of live ranges that has this sequence. */
static inline void write_sequence(const char *path, const char *steps)
{
    char text[1024];
    unsigned n = 1;
    for (const char *at = steps; *at; at++)
        n += *at == ' ';
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "HloLiveRange (max %u):\n  InstructionSequence:\n    ", n);
    for (const char *at = steps; *at; at++)
        used +=
            (size_t)(*at == ' ' ? sprintf(text + used, "\n    ") : sprintf(text + used, "%c", *at));
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "\n  BufferLiveRange:\n  Live ranges at 0 (peak):\n");
    write_file(path, text, used);
}

/* "a/b" is an empty file, "a/b=TEXT" one with text, "a/b=@0:x 1:y" live ranges of that sequence,
 * "a/b>c" a link to c, "a/" a directory. */
static inline void tree_add(const struct tree *t, const char *what)
{
    size_t name = strcspn(what, "=>");
    char path[2048];
    snprintf(path, sizeof path, "%s/%.*s", t->root, (int)name, what);
    make_parents(path);
    if (what[name] == '>')
        assert_int_equal(symlink(what + name + 1, path), 0);
    else if (what[name] && what[name + 1] == '@')
        write_sequence(path, what + name + 2);
    else if (name && what[name - 1] != '/')
        write_file(path, what[name] ? what + name + 1 : "",
                   what[name] ? strlen(what + name + 1) : 0);
}

/* Copies a shipped file, or its first `most` bytes. */
static inline void tree_copy(const struct tree *t, const char *from, const char *to, size_t most)
{
    char path[2048];
    snprintf(path, sizeof path, "fixtures/grid/%s", from);
    struct arena a = {0};
    struct file f;
    struct diag d;
    assert_true(file_read(&a, &f, path, &d));
    snprintf(path, sizeof path, "%s/%s", t->root, to);
    make_parents(path);
    write_file(path, f.text, f.size < most ? f.size : most);
    arena_free(&a);
}

/* ---- What was found, in words; the root is written "@" ---- */

static inline void hide_root(struct words *o, const char *root)
{
    size_t len = strlen(root);
    for (char *at = o->text; (at = strstr(at, root)); at++) {
        *at = '@';
        memmove(at + 1, at + len, strlen(at + len) + 1);
    }
}

static inline void put_warnings(struct words *o, const struct list *warnings)
{
    for (uint32_t i = 0; i < warnings->n; i++)
        put(o, "warning: %s\n", ((const char *const *)warnings->items)[i]);
}

static inline void put_diag(struct words *o, const struct diag *d)
{
    char text[4096];
    put(o, "%s\n", diag_text(d, text, sizeof text));
}

#define CPU(n, rest) "module_" n ".jit_f.cpu_after_optimizations" rest
#define GPU(n, rest) "module_" n ".jit_f.sm_8.0_gpu_after_optimizations" rest
#define TPU(n, rest) "module_" n ".jit_f.cl_933746096.after_optimizations" rest

#endif
