/* One module of a dump in memory: its program and its buffer assignment, from whichever of its files
 * are sound and belong together.
 *
 * All of it lives in the module's arena.  The dump may be freed, but for an entry that was `held` in
 * memory (see dump.h), which hlo.held then points to.  Read-only once loaded.  O(size of its files). */
#ifndef CORE_LOAD_DUMP_MODULE_H
#define CORE_LOAD_DUMP_MODULE_H

#include "core/load/dump/dump.h"

struct module {
    struct arena arena;
    const char *name, *stem, *dir;
    const char *file;        /* the file that errors about the whole are reported against */
    enum platform platform;  /* from the name, else from the content */
    bool has_hlo, has_assignment;
    struct hlo hlo;
    struct assignment assignment;
    const char *device;      /* "NVIDIA A100-SXM4-80GB", or NULL */
    uint64_t device_memory;  /* bytes, 0: unknown */
    struct list warnings;    /* const char * */
};

/* How to prefer when a dump has a program in both forms. */
enum dump_form { FORM_ANY, FORM_PROTO, FORM_TEXT };

/* Reads the entry's files.  FORM_ANY takes the proto if there is one, and adds the text's claims
 * (live ranges, sequence, total); FORM_TEXT reads text only, FORM_PROTO the proto's program and
 * assignment plus the claims.  A sound half is kept with a warning when the other is broken.  False
 * when neither is sound, or there is no such form: nothing to free. */
bool dump_load(const struct dump *d, uint32_t entry, enum dump_form form, struct module *m,
               struct diag *diag);
void module_free(struct module *m);

#endif
