/* Entries that one file holds several of: programs in a profile, listings in a log.  Private to load/dump/. */
#ifndef CORE_LOAD_DUMP_DUMP_ADD_H
#define CORE_LOAD_DUMP_DUMP_ADD_H

#include "core/load/dump/dump.h"

/* Adds the programs of a profile.  `as` tells directory and path[DUMP_PROFILE]; f is its content,
 * which need not outlive the call.  False when it is malformed or holds no program. */
bool dump_add_programs(struct dump *d, const struct dump_entry *as, const struct file *f, struct diag *diag);

/* Adds the listings of a text, named after `as`; false when there are none. */
bool dump_add_listings(struct dump *d, const struct dump_entry *as, const struct file *f);

#endif
