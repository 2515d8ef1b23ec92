/* All modules that the paths of a command line hold: indexed and sized up, not loaded.
 *
 * So many of them are loaded once, largest first, as CATALOG_BUDGET bytes of files allow, and then
 * their peaks are known; the rest are held for what they reserve. */
#ifndef TUI_EXPLORER_CATALOG_H
#define TUI_EXPLORER_CATALOG_H

#include "tui/programs/open.h"
#include "tui/lists/picker.h"

#define CATALOG_BUDGET (64ull << 20) /* bytes of files; no clock, so that it is always the same */

struct catalog {
    struct arena arena;
    struct list dumps;    /* struct dump */
    struct picks picks;
    struct list warnings; /* const char *: of modules that were opened, not said yet */
};

/* limit: bytes of memory there are, 0: as the dumps say.  Returns 0, or 2 when there is nothing to open (said on standard error). */
int catalog_make(struct catalog *c, const struct asked *asked, uint64_t limit);
void catalog_free(struct catalog *c);

/* What number i of the picks is of; a listing's is shown as it stands. */
const struct dump_entry *catalog_entry(const struct catalog *c, uint32_t i);

/* Opens number i of the picks and notes what it is, or why it cannot be opened: then *d says so. */
bool catalog_open(struct catalog *c, uint32_t i, struct opened *one, struct diag *d);

#endif
