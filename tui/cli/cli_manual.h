/* The man page's lists of commands and options, from the tables of the command line. */
#ifndef TUI_CLI_CLI_MANUAL_H
#define TUI_CLI_CLI_MANUAL_H

#include <stdio.h>

/* `page` anew, as roff: what stands between a line `.\" from the tables: NAME` and `.\" end` is
 * replaced; NAME is synopsis, commands or options.  Everything else is as it was. */
void cli_manual_print(FILE *out, const char *page);

#endif
