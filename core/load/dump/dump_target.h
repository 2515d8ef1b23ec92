/* The GPU target configs that were seen, and which of them describes an entry's device: that of its own
 * stem, else the first of its directory.  Private to load/dump/. */
#ifndef CORE_LOAD_DUMP_DUMP_TARGET_H
#define CORE_LOAD_DUMP_DUMP_TARGET_H

#include "core/base/strmap.h"
#include "core/load/dump/dump.h"

struct dump_targets { /* zeroed: none yet */
    struct list paths; /* const char * */
    struct strmap of;  /* DIR and "DIR/module_NNNN.NAME." -> paths */
};

/* A file of `dir` named "STEM.gpu_target_config.pbtxt"; its path is kept in `paths`, the rest in
 * `scratch`. */
void dump_target_add(struct dump_targets *t, struct arena *scratch, struct arena *paths, const char *dir,
                     const char *name);

/* NULL: there is none, or the entry is not a GPU's. */
const char *dump_target_of(const struct dump_targets *t, const struct dump_entry *e);

#endif
