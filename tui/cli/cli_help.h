/* --help, from the tables of the command line. */
#ifndef TUI_CLI_CLI_HELP_H
#define TUI_CLI_CLI_HELP_H

#include "tui/cli/cli_table.h"

#include <stdio.h>

/* All commands and options; of a command other than the explorer only its own.  At most 80 columns.
 * ascii: "..." for the one character beyond ASCII. */
void cli_help_print(FILE *out, enum command command, bool ascii);

#endif
