/* The subcommands, one file each.  Each returns the exit code: 0 done, 1 the answer is no, 2 bad
 * input. */
#ifndef TUI_CLI_COMMANDS_H
#define TUI_CLI_COMMANDS_H

#include "tui/cli/options.h"

int command_report(const struct options *o);
int command_verify(const struct options *o);
int command_timeline(const struct options *o);
int command_whatif(const struct options *o);
int command_pack(const struct options *o);
int command_record(const struct options *o);
int command_run(const struct options *o);
int command_export(const struct options *o);
int command_lesson(const struct options *o);
int command_diff(const struct options *o);
int command_explore(const struct options *o);

void version_print(FILE *out); /* command_version.c: what was built in, what can be used */

/* {"schema": "tidemark/1", "command": …, "modules": modules} to standard output; frees it all. */
void print_json(const char *command, cJSON *modules);

#endif
