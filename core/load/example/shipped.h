/* The shipped example: where the fixtures are, and which cell opens when no path is given. */
#ifndef CORE_LOAD_EXAMPLE_SHIPPED_H
#define CORE_LOAD_EXAMPLE_SHIPPED_H

#include "core/base/arena.h"
#include "core/base/diag.h"

/* The folder that holds index.json: $TIDEMARK_DATA; else beside the source tree of the running
 * binary; else beside its prefix (../share/tidemark); else where it was installed.  NULL: none. */
const char *shipped_folder(struct arena *a);

/* The default cell's directory, from index.json.  False with a hint how to make a dump. */
bool shipped_default(struct arena *a, const char **path, struct diag *d);

#endif
