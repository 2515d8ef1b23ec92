#include "tui/cli/cli_table.h"

#include <string.h>

#define A_DUMP "a dump directory, one of its files, or - for standard input"
#define SCREENS (IN(EXPLORE) | IN(RECORD) | IN(LESSON)) /* what opens the explorer */

const struct cli_command cli_commands[COMMAND_COUNT] = {
    [COMMAND_EXPLORE] = {NULL, "the explorer", "[PATH…]", 0, -1, COMPLETES_FILE,
                         "explore a dump; without one, the shipped example", NULL},
    [COMMAND_REPORT] = {"report", "report", "PATH…", 1, -1, COMPLETES_FILE,
                        "the peak, what it is made of, does it fit", A_DUMP},
    [COMMAND_VERIFY] = {"verify", "verify", "PATH…", 1, -1, COMPLETES_FILE,
                        "rerun lives and offsets, compare with the dump's", A_DUMP},
    [COMMAND_TIMELINE] = {"timeline", "timeline", "PATH…", 1, -1, COMPLETES_FILE,
                          "live bytes over time, and what of them holds data", A_DUMP},
    [COMMAND_WHATIF] = {"whatif", "whatif", "[PATH…]", 0, -1, COMPLETES_FILE,
                        "what if the scan were longer, shorter or unrolled", NULL},
    [COMMAND_PACK] = {"pack", "pack", "FILE.csv", 1, -1, COMPLETES_FILE,
                      "the least memory for buffers of known lives",
                      "a CSV file in minimalloc's format, or - for standard input"},
    [COMMAND_DIFF] = {"diff", "diff", "A B", 2, 2, COMPLETES_FILE,
                      "what differs at the peaks of two dumps", "tidemark diff DIR DIR"},
    [COMMAND_RUN] = {"run", "run", "[PATH…]", 0, -1, COMPLETES_FILE,
                     "execute it: planned against truly used bytes", NULL},
    [COMMAND_EXPORT] = {"export", "export", "PATH", 1, -1, COMPLETES_FILE,
                        "a web page, a drawing or tables: --format, -o FILE", A_DUMP},
    [COMMAND_LESSON] = {"lesson", "lesson", "[PAGE]", 0, -1, COMPLETES_NOTHING,
                        "why the example needs what it needs, in eleven pages", NULL},
    [COMMAND_RECORD] = {"record", "record", "[--] CMD…", 0, -1, COMPLETES_COMMAND,
                        "run CMD with XLA's dump flags, open what it dumped",
                        "tidemark record python train.py"},
};

const struct cli_option cli_options[] = {
    {OPTION_MODULE, "--module", NULL, "NAME", IN_ALL & ~(IN(PACK) | IN(LESSON)), true, COMPLETES_NOTHING,
     "only the module of that name, or part of a name",
     "Only the module of that name (or module_NNNN.name), or the only one whose name has {NAME} in it."},
    {OPTION_LIMIT, "--limit", NULL, "BYTES", SCREENS | IN(REPORT) | IN(WHATIF) | IN(RUN), true,
     COMPLETES_NOTHING, "does it fit? (80G, 81251MiB, 85100068864)",
     "The memory to fit in: 80G, 81251MiB, 85100068864. K, M, G and T are powers of 1024. Default: "
     "{device_memory_size} of a *gpu_target_config.pbtxt beside the dump, else unknown."},
    {OPTION_JSON, "--json", NULL, NULL, IN_ALL & ~(IN(EXPORT) | IN(RECORD)), true, COMPLETES_NOTHING,
     "one JSON document instead of text", "One JSON document instead of text."},
    {OPTION_CSV, "--csv", NULL, NULL, IN(REPORT), false, COMPLETES_NOTHING,
     "one line a module, for sweeps", "one line for each module, see CSV."},
    {OPTION_AT, "--at", NULL, "STEP", IN(REPORT), false, COMPLETES_NOTHING, "another step than the peak",
     "what is alive at that step instead of the peak."},
    {OPTION_TOP, "--top", NULL, "N", IN(REPORT), false, COMPLETES_NOTHING,
     "how many buffers or groups to list (10)", "list {N} buffers, or groups (10)."},
    {OPTION_TOP, "--top", NULL, "N", IN(DIFF), false, COMPLETES_NOTHING,
     "how many rows that changed to list (10)", "list {N} rows that changed (10)."},
    {OPTION_BY, "--by", NULL, "line|op|shape|role", IN(REPORT), false, COMPLETES_NOTHING,
     "group by source line, op_name, shape or role",
     "group what is alive by source line, op_name, shape or role."},
    {OPTION_EXECUTION, "--execution", NULL, NULL, IN(TIMELINE), false, COMPLETES_NOTHING,
     "repeat each loop as often as it runs",
     "in execution order, in which each loop is repeated as often as it runs."},
    {OPTION_SEQLEN, "--seqlen", NULL, "N", IN(WHATIF), false, COMPLETES_NOTHING, "as many steps",
     "with {N} steps."},
    {OPTION_SEQLEN, "--seqlen", NULL, "N", IN(RUN), false, COMPLETES_NOTHING,
     "the example of that length", "the shipped example of that length."},
    {OPTION_UNROLL, "--unroll", NULL, "K|full", IN(WHATIF), false, COMPLETES_NOTHING,
     "K steps an iteration, or no loop",
     "with {K} steps an iteration; as many as there are, or `full`: without a loop."},
    {OPTION_UNROLL, "--unroll", NULL, "K|full", IN(RUN), false, COMPLETES_NOTHING,
     "the example unrolled so", "the shipped example unrolled so."},
    {OPTION_LOOP, "--loop", NULL, "NAME", IN(WHATIF), false, COMPLETES_NOTHING, "the scan of that while",
     "the scan that has this while as one of its passes. Default: the forward and backward pass that "
     "hold most bytes in stacks."},
    {OPTION_WIDTH, "--width", NULL, "D", IN(RUN), false, COMPLETES_NOTHING, "the example of that width",
     "the shipped example of that width."},
    {OPTION_BACKEND, "--backend", NULL, "host|cuda", IN(RUN), false, COMPLETES_NOTHING, "where (host)",
     "where; the host if not given. `--version` tells which there are."},
    {OPTION_INPUTS, "--inputs", NULL, "DIR", IN(RUN), false, COMPLETES_DIR,
     "in_NAME.bin for each parameter; else made",
     "holds in_NAME.bin for each parameter: its elements in its own type, row by row, little-endian. "
     "NAME is the last key of the parameter's name (w1 of m['w1'], x of x), or its position. Without it "
     "inputs are made."},
    {OPTION_EXPECT, "--expect", NULL, "DIR", IN(RUN), false, COMPLETES_DIR, "results to compare with",
     "holds results to compare with, ref64_grad_NAME.bin (float64) or out_grad_NAME.bin."},
    {OPTION_GUARDS, "--guards", NULL, "auto|on|off", IN(RUN), false, COMPLETES_NOTHING,
     "watch that no live byte is overwritten",
     "whether dead bytes are poisoned and each read and write is checked. `auto`, as if not given: up to 1 GiB."},
    {OPTION_MEMORY_ONLY, "--memory-only", NULL, NULL, IN(RUN), false, COMPLETES_NOTHING,
     "unknown calls write a pattern",
     "calls that are not known write a pattern; values are then not computed."},
    {OPTION_TRACE, "--trace", NULL, "FILE", IN(RUN), false, COMPLETES_FILE, "save what was captured",
     "save what was captured, as the JSON that `--json` prints."},
    {OPTION_TRACE, "--trace", NULL, "FILE", IN(EXPLORE), false, COMPLETES_FILE, "show it beside the plan",
     "show it beside what was planned; a trace of another program is refused. Without the option it takes "
     "the newest trace of the very program that it finds: NAME.trace.json beside the dump, or what an "
     "earlier `r` left under $XDG_STATE_HOME/tidemark/traces."},
    {OPTION_PROGRESS, "--progress", NULL, NULL, IN(RUN), false, COMPLETES_NOTHING,
     "say on standard error how far it is",
     "write lines \"progress DONE TOTAL\" (steps) to standard error."},
    {OPTION_XLA, "--xla", NULL, NULL, IN(RUN), false, COMPLETES_NOTHING, "ask XLA for its peak (needs JAX)",
     "have XLA run the same form of the example too, with a Python that has JAX and such a device, and keep "
     "the peak that it tells."},
    {OPTION_FORMAT, "--format", NULL, "svg|html|csv|json|minimalloc", IN(EXPORT), false, COMPLETES_NOTHING,
     "what to write (else by FILE's name)",
     "what to write; without it, what the {FILE} of `-o` ends in."},
    {OPTION_VIEW, "--view", NULL, "both|chart|map", IN(EXPORT), false, COMPLETES_NOTHING,
     "parts of the drawing", "which parts of the svg."},
    {OPTION_BUDGET, "--budget", NULL, "SECONDS", IN(PACK), false, COMPLETES_NOTHING,
     "how long to look for a better packing (1)", "how long to look for a better packing (1)."},
    {OPTION_OUTPUT, "-o", NULL, "FILE", IN(PACK) | IN(EXPORT), false, COMPLETES_FILE,
     "write there, not to standard output",
     "write there, whole or not at all, instead of to standard output (`-`)."},
    {OPTION_OUTPUT, "-o", NULL, "DIR", IN(RECORD), false, COMPLETES_DIR, "dump there, and keep it",
     "dump into that directory, and keep it."},
    {OPTION_COLOR, "--color", NULL, "auto|always|never", SCREENS, true, COMPLETES_NOTHING,
     "whether the explorer uses colour (auto)", "`auto` uses colour on a terminal unless NO_COLOR is set."},
    {OPTION_ASCII, "--ascii", NULL, NULL, IN_ALL & ~(IN(PACK) | IN(EXPORT)), true, COMPLETES_NOTHING,
     "no characters beyond ASCII",
     "No characters beyond ASCII. tidemark also does without them where the locale is not UTF-8."},
    {OPTION_KEYS, "--keys", NULL, "KEYS", SCREENS, false, COMPLETES_NOTHING,
     "play these keys in the explorer first",
     "Play these keys in the explorer first: literal characters and <Enter> <Tab> <Esc> <Space> <Left> "
     "<Right> <Up> <Down> <PgUp> <PgDn> <Home> <End> <BS> <C-x> <lt>, <click:COL,ROW>, "
     "<drag:COL,ROW:COL,ROW>, <wheel+:COL,ROW>, <wheel-:COL,ROW>, <wheel-left:COL,ROW>, "
     "<wheel-right:COL,ROW>; columns and rows count from 1."},
    {OPTION_SIZE, "--size", NULL, "COLSxROWS", SCREENS, false, COMPLETES_NOTHING,
     "of the screen for --dump", "The size of the screen for `--dump`."},
    {OPTION_DUMP, "--dump", NULL, NULL, SCREENS, false, COMPLETES_NOTHING,
     "print the explorer's screen as text",
     "Print the explorer's screen as text and exit; needs no terminal."},
    {OPTION_CONFIG, "--config", NULL, "FILE", SCREENS, false, COMPLETES_FILE,
     "the explorer's configuration, in place of your own",
     "The explorer's configuration in place of your own; see FILES. Where keys are played or a screen is "
     "printed, only this one is read."},
    {OPTION_STATE, "--state", NULL, "DIR", SCREENS, false, COMPLETES_DIR,
     "where it keeps positions, in place of your own",
     "The explorer's folder of positions in place of your own; see FILES. Where keys are played or a "
     "screen is printed, only this one is read and written."},
    {OPTION_PRINT_CONFIG, "--print-config", NULL, NULL, IN(EXPLORE), true, COMPLETES_NOTHING,
     "all that a configuration can say, with defaults",
     "Print all that a configuration can say, each line with its default."},
    {OPTION_COMPLETION, "--completion", NULL, "bash|zsh|fish", IN(EXPLORE), true, COMPLETES_NOTHING,
     "print what that shell needs to complete words",
     "Print what that shell needs to complete these words: `source <(tidemark --completion bash)`. "
     "Installed, it is found by itself."},
    {OPTION_HELP, "--help", "-h", NULL, IN_ALL, true, COMPLETES_NOTHING,
     "this; behind a command, that command's options",
     "The commands and options in short; behind a command, that command's."},
    {OPTION_VERSION, "--version", NULL, NULL, IN(EXPLORE), true, COMPLETES_NOTHING,
     "what it was built with, where it runs programs",
     "The version, the libraries that it was built with and uses, and where it can run programs; where "
     "CUDA is not among them, why."},
};
const size_t cli_n_options = sizeof cli_options / sizeof *cli_options;

static bool is_named(const char *name, const char *word, size_t len)
{
    return name && strlen(name) == len && memcmp(name, word, len) == 0;
}

const struct cli_option *cli_option_find(const char *name, size_t len)
{
    for (size_t k = 0; k < cli_n_options; k++)
        if (is_named(cli_options[k].name, name, len) || is_named(cli_options[k].also, name, len))
            return &cli_options[k];
    return NULL;
}

size_t cli_option_run(const struct cli_option *first)
{
    size_t n = 1;
    while (first + n < cli_options + cli_n_options && first[n].option == first->option)
        n++;
    return n;
}

bool cli_option_is_again(const struct cli_option *before, const struct cli_option *o)
{
    if (!before || before->option != o->option || !before->value != !o->value)
        return false;
    return !o->value || strcmp(before->value, o->value) == 0;
}

bool cli_option_names_owners(const struct cli_option *o)
{
    bool alone = (o == cli_options || o[-1].option != o->option) && cli_option_run(o) == 1;
    return !o->anywhere && !(alone && o->commands & IN(EXPLORE));
}

const char *cli_value_word(const char *value, size_t k, size_t *len)
{
    for (; value && k; k--) {
        const char *bar = strchr(value, '|');
        value = bar ? bar + 1 : NULL;
    }
    *len = value ? strcspn(value, "|") : 0;
    return value;
}

bool cli_word_is_name(const char *word, size_t len)
{
    return len && word[0] >= 'A' && word[0] <= 'Z';
}
