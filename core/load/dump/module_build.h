/* The loading of a module in its parts: module.c reads the files, module_names.c finds the instructions
 * that the text leaves out, module_match.c drops what speaks of another program, module_platform.c tells
 * the platform.  Private to load/dump/. */
#ifndef CORE_LOAD_DUMP_MODULE_BUILD_H
#define CORE_LOAD_DUMP_MODULE_BUILD_H

#include "core/base/strmap.h"
#include "core/load/dump/module.h"

#define LOADER_UNUSABLE "buffer assignment is not usable: "

struct loader {
    const struct dump_entry *e;
    struct module *m;
    struct diag *diag; /* the first failure: the answer when no half is sound */
    bool failed;
    struct assignment proto, text;
    bool has_proto, has_text; /* they hold allocations */
    struct arena content;     /* of the file that is being read */
    struct arena scratch;
    struct strmap names; /* instruction names of the program, filled when first asked */
    bool has_names;
    /* Which value stands where, for the instructions that the text leaves out; 0: unknown. */
    struct strmap value_of; /* name that the program lacks -> value */
    uint32_t *inst_value;   /* [hlo.insts.n] */
    uint32_t n_values;
};

/* A failure that leaves the other half: "FILE:LINE:COL: <before>what (hint)" as a warning. */
void loader_note(struct loader *l, const struct diag *d, const char *before);

/* STRMAP_NONE: the program has no instruction of that name. */
inst_id loader_inst(struct loader *l, const char *name, size_t len);
bool loader_knows(struct loader *l, const char *name);

/* Fills value_of and inst_value: lines "  NAME[ {I}]" between " positions:" and " uses:", for each of
 * the "Used values:" of f. */
void loader_read_positions(struct loader *l, const struct file *f);
/* Takes the places of the instructions that the text leaves out, and names where they are certain,
 * from the InstructionSequence. */
void loader_place_implied(struct loader *l);

/* Drops what the reports say of another program. */
void loader_check_names(struct loader *l);
/* Fills m->assignment.  The proto's allocations win; the text adds its claims if it speaks of the same
 * ones. */
void loader_choose_assignment(struct loader *l);

/* PLATFORM_UNKNOWN: neither instructions nor shapes tell. */
enum platform module_platform(const struct module *m);

#endif
