/* A dump as a program: a cell of the shipped grid, or whatever lies at a path. */
#ifndef TESTS_CELL_H
#define TESTS_CELL_H

#include "core/analysis/program/program.h"
#include "tests/support/cmocka_all.h"

struct cell_program {
    struct dump dump;
    struct module module;
    struct program program;
};

/* The first module there. */
static inline bool cell_at(struct cell_program *c, const char *path, struct diag *d)
{
    return dump_find(&c->dump, path, d) && dump_load(&c->dump, 0, FORM_ANY, &c->module, d) &&
           program_build(&c->program, &c->module, d);
}

/* Fails the test, with the reason, where it cannot be opened. */
static inline void cell_open(struct cell_program *c, const char *name)
{
    struct diag d;
    char path[256], why[1400];
    snprintf(path, sizeof path, "fixtures/grid/%s", name);
    if (!cell_at(c, path, &d))
        fail_msg("%s", diag_text(&d, why, sizeof why));
}

static inline void cell_close(struct cell_program *c)
{
    program_free(&c->program);
    module_free(&c->module);
    dump_free(&c->dump);
}

#endif
