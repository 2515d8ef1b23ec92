/* Finds the entries of a directory and of all below it (see dump.h).  Private to load/dump/. */
#ifndef CORE_LOAD_DUMP_DUMP_SEARCH_H
#define CORE_LOAD_DUMP_DUMP_SEARCH_H

#include "core/load/dump/dump.h"

/* Adds them to *d, by directory and module number, with warnings for what could not be read.  False when
 * there is none: *diag says what is there instead. */
bool dump_search(struct dump *d, const char *path, struct diag *diag);

#endif
