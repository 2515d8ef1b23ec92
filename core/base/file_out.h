/* A file that is written whole or not at all: into another in the same folder, which then takes its name.
 * That one has no name of its own where the file system can do so, so that nothing is left behind even
 * when the program is killed.  A link keeps leading where it leads.  Devices and pipes are written to
 * directly; "-" is standard output. */
#ifndef CORE_BASE_FILE_OUT_H
#define CORE_BASE_FILE_OUT_H

#include "core/base/arena.h"
#include "core/base/diag.h"

#include <stdio.h>

struct file_out {
    FILE *to;         /* the caller writes here */
    const char *path; /* its target; the caller's */
    const char *target; /* what path leads to */
    char *part;       /* the name of the file beside it, if it has one */
    bool beside;      /* false: the target is written to directly */
    struct arena arena;
};

/* False: *d says why, and there is nothing to close.  A directory is refused. */
bool file_out_open(struct file_out *o, const char *path, struct diag *d);
/* Closes it; keep: puts it in place.  False when anything could not be written: then whatever had that
 * name before is untouched.  (On standard output the caller's own check comes at its end.) */
bool file_out_close(struct file_out *o, bool keep, struct diag *d);

#endif
