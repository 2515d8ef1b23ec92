/* The command line as two tables: the commands, and the options with the commands that know them.
 *
 * The parser (options.c), --help (cli_help.c), the completions (cli_completion.c) and the man page's
 * lists (cli_manual.c) all read these tables and nothing else.  What is added here is in all of them;
 * the man page is written anew by `make man`. */
#ifndef TUI_CLI_CLI_TABLE_H
#define TUI_CLI_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum command {
    COMMAND_EXPLORE,
    COMMAND_REPORT,
    COMMAND_VERIFY,
    COMMAND_TIMELINE,
    COMMAND_WHATIF,
    COMMAND_PACK,
    COMMAND_DIFF,
    COMMAND_RUN,
    COMMAND_EXPORT,
    COMMAND_LESSON,
    COMMAND_RECORD,
    COMMAND_COUNT
};
#define IN(command) (1u << COMMAND_##command)
#define IN_ALL ((1u << COMMAND_COUNT) - 1)

enum option {
    OPTION_MODULE,
    OPTION_LIMIT,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_AT,
    OPTION_TOP,
    OPTION_BY,
    OPTION_EXECUTION,
    OPTION_SEQLEN,
    OPTION_UNROLL,
    OPTION_LOOP,
    OPTION_WIDTH,
    OPTION_BACKEND,
    OPTION_INPUTS,
    OPTION_EXPECT,
    OPTION_GUARDS,
    OPTION_MEMORY_ONLY,
    OPTION_TRACE,
    OPTION_PROGRESS,
    OPTION_XLA,
    OPTION_FORMAT,
    OPTION_VIEW,
    OPTION_BUDGET,
    OPTION_OUTPUT,
    OPTION_COLOR,
    OPTION_ASCII,
    OPTION_KEYS,
    OPTION_SIZE,
    OPTION_DUMP,
    OPTION_CONFIG,
    OPTION_STATE,
    OPTION_PRINT_CONFIG,
    OPTION_COMPLETION,
    OPTION_HELP,
    OPTION_VERSION,
};

/* What a shell offers for a word. */
enum completes {
    COMPLETES_NOTHING, /* a number, a name: nothing that a shell knows (words of `value` all the same) */
    COMPLETES_FILE,    /* files and directories */
    COMPLETES_DIR,
    COMPLETES_COMMAND, /* a program and its own arguments */
};

struct cli_command {
    const char *word;     /* as one writes it; NULL: the explorer, which has none */
    const char *name;     /* in messages */
    const char *operands; /* "PATH…" */
    int least, most;      /* how many of them; record's are not counted */
    enum completes completes;
    const char *summary;  /* no capital, no full stop */
    const char *missing;  /* what to give, where operands are missing */
};
extern const struct cli_command cli_commands[COMMAND_COUNT];

/* Options of one name stand together: those that mean another thing to another command have an entry
 * for each meaning. */
struct cli_option {
    enum option option;
    const char *name;
    const char *also;     /* another name, or NULL */
    const char *value;    /* NULL: a flag; words in lower case, parted by |, are its values: "on|off";
                           * one in upper case is the name of all others: "K|full" */
    unsigned commands;    /* 1 << enum command: those to which it means something */
    bool anywhere;        /* the others take it too, and it does nothing there */
    enum completes completes;
    const char *summary;  /* one line of --help, no capital, no full stop */
    const char *manual;   /* the man page's words: `bold`, {italic} */
};
extern const struct cli_option cli_options[];
extern const size_t cli_n_options;

/* The first entry whose name (or other name) is the `len` bytes at `name`; NULL: none. */
const struct cli_option *cli_option_find(const char *name, size_t len);

/* Entries of that entry's name, from it on. */
size_t cli_option_run(const struct cli_option *first);

/* Are both written alike, in name and value?  `before` may be NULL: nothing is. */
bool cli_option_is_again(const struct cli_option *before, const struct cli_option *o);

/* Do its words need to say which commands they are about? */
bool cli_option_names_owners(const struct cli_option *o);

/* The value's word number k (from 0), its length in *len; NULL: there are no more.
 * cli_word_is_name: it is in upper case, thus a name for what is not listed. */
const char *cli_value_word(const char *value, size_t k, size_t *len);
bool cli_word_is_name(const char *word, size_t len);

#endif
