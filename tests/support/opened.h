/* A dump, opened as far as running it needs: for tests of runs. */
#ifndef TESTS_OPENED_H
#define TESTS_OPENED_H

#include "core/analysis/program/program.h"

struct opened {
    struct dump dump;
    struct module module;
    struct program program;
};

static bool opened_get(struct opened *x, const char *path, struct diag *d)
{
    return dump_find(&x->dump, path, d) && dump_load(&x->dump, 0, FORM_ANY, &x->module, d) &&
           program_build(&x->program, &x->module, d);
}

static void opened_drop(struct opened *x)
{
    program_free(&x->program);
    module_free(&x->module);
    dump_free(&x->dump);
}

#endif
