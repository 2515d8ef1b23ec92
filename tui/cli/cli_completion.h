/* What shells need to complete tidemark's words, from the tables of the command line. */
#ifndef TUI_CLI_CLI_COMPLETION_H
#define TUI_CLI_CLI_COMPLETION_H

#include <stdio.h>

/* shell: "bash", "zsh" or "fish"; nothing is printed for another. */
void cli_completion_print(FILE *out, const char *shell);

#endif
