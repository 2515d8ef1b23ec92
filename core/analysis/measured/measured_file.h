/* Where the traces of a program are looked for, and where the explorer's own runs save them.
 *
 * Beside a dump any file NAME.trace.json that is of this very program; else, for runs begun in the
 * explorer, one file for each program under $XDG_STATE_HOME/tidemark/traces (~/.local/state). */
#ifndef CORE_ANALYSIS_MEASURED_MEASURED_FILE_H
#define CORE_ANALYSIS_MEASURED_MEASURED_FILE_H

#include "core/analysis/measured/measured.h"

/* The file for this program's own runs; folders above it are made if `make`.  NULL with *d: nowhere. */
const char *measured_place(struct arena *a, const struct program *p, bool make, struct diag *d);

/* The newest of those that fit; false: there is none.  *path is in the arena. */
bool measured_find(struct arena *a, const struct program *p, struct measured *out, const char **path);

#endif
