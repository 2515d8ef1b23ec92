/* What the parts of the parser share.  Private to options*.c. */
#ifndef TUI_CLI_OPTIONS_PARTS_H
#define TUI_CLI_OPTIONS_PARTS_H

#include "tui/cli/options.h"

/* One option as it was given; text NULL: it is a flag. */
struct given {
    const struct cli_option *option; /* the first entry of its name */
    const char *text;
};

/* options_value.c: into *o; false with *d when its text is no such value. */
bool option_take(struct options *o, const struct given *g, struct diag *d);

/* options_check.c: does what was given belong to the command, and are all operands there?
 * used: bit k: option k (enum option) was given. */
bool options_check(const struct options *o, uint64_t used, bool named, struct diag *d);

/* Always false. */
bool options_usage(struct diag *d);

#endif
