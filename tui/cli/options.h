/* The command line, parsed.  No I/O. */
#ifndef TUI_CLI_OPTIONS_H
#define TUI_CLI_OPTIONS_H

#include "core/output/export/export.h"
#include "tui/cli/cli_table.h"
#include "tui/explorer/explorer.h"
#include "tui/programs/open.h"

struct options {
    enum command command;
    struct asked asked;       /* PATHs, in argv's memory, and --module */
    bool json, ascii, help, version, dump;
    bool print_config;
    const char *completion;   /* the shell whose completions to print; NULL: none */
    const char *config, *state; /* the explorer's; NULL: not given */
    bool execution;           /* timeline: loops repeated */
    bool csv;                 /* report: one line a module */
    bool has_format;          /* export */
    enum export_format format;
    enum export_view view;    /* export: parts of the drawing */
    enum color color;
    const char *keys;         /* NULL: none */
    int cols, rows;           /* 0: the terminal's */
    double budget;            /* pack: seconds */
    const char *output;       /* pack, export: where to write, NULL: standard output; record: DIR to keep */
    char *const *run;         /* record: CMD and its arguments, NULL at the end */
    struct report_options report;
    int64_t seqlen, unroll;   /* whatif, run: 0: as it is; INT64_MAX: "full" */
    int64_t width;            /* run: 0: as it is */
    const char *backend, *inputs, *expect, *trace; /* run; trace also the explorer's; NULL: not given */
    bool memory_only, progress, xla; /* run */
    int guards;               /* run: enum exec_guards */
    int lesson;               /* the explorer: begins with this page of the lesson, from 1; 0: none */
    const char *loop;         /* whatif: a while's name, NULL: the scan with most stack bytes */
};

/* argv is reordered: operands come to stand together.  On an error *d is a usage message. */
bool options_parse(struct options *o, int argc, char **argv, struct diag *d);

#endif
