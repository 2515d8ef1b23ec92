/* The command line, parsed. */
#include "tests/support/cmocka_all.h"
#include "tui/cli/options.h"

struct case_ {
    const char *name;
    const char *words; /* separated by blanks */
    const char *want;  /* what describe() says, or the error */
};

static const struct case_ cases[] = {
    {"nothing: explore", "", "explore"},
    {"a path", "DIR", "explore DIR"},
    {"several paths", "A B", "explore A B"},
    {"standard input", "report -", "report -"},
    {"options before operands", "--json report DIR", "report DIR json"},
    {"options behind operands", "report DIR --json --top 3", "report DIR json top=3"},
    {"options between operands", "report A --at 7 B", "report A B at=7"},
    {"a value behind =", "report --limit=80G DIR", "report DIR limit=85899345920"},
    {"a command's name behind the command is a path", "report verify", "report verify"},
    {"-- ends the options", "report -- --json", "report --json"},
    {"behind -- no command", "-- report", "explore report"},
    {"a screen", "--keys pq --size 80x24 --dump", "explore keys=pq size=80x24 dump"},
    {"group by op", "report DIR --by op", "report DIR by=2"},
    {"group by role", "report DIR --by role", "report DIR by=4"},
    {"help wins over a missing path", "report --help", "report help"},
    {"empty --keys", "--keys= --dump", "explore keys= dump"},
    {"unknown option", "--nope",
     "tidemark: unknown option --nope (tidemark --help lists the options)"},
    {"unknown short option", "-x", "tidemark: unknown option -x (tidemark --help lists the options)"},
    {"a flag takes no value", "--json=1",
     "tidemark: unknown option --json=1 (tidemark --help lists the options)"},
    {"no value", "report D --top", "tidemark: --top needs a value (tidemark --help lists the options)"},
    {"a number that is none", "report D --at x",
     "tidemark: --at x: expected a whole number up to 4294967294 (tidemark --help lists the options)"},
    {"a negative number", "report D --at -1",
     "tidemark: --at -1: expected a whole number up to 4294967294 (tidemark --help lists the options)"},
    {"--top 0", "report D --top 0",
     "tidemark: --top 0: expected a whole number from 1 to 4294967294 (tidemark --help lists the options)"},
    {"a number too large", "report D --at 99999999999",
     "tidemark: --at 99999999999: expected a whole number up to 4294967294 (tidemark --help lists the options)"},
    {"a length of nothing", "whatif D --seqlen 0",
     "tidemark: --seqlen 0: expected a whole number from 1 to 4294967294 (tidemark --help lists the options)"},
    {"an unroll that is no number", "whatif D --unroll whole",
     "tidemark: --unroll whole: expected a whole number or full (tidemark --help lists the options)"},
    {"a size without rows", "--size 80",
     "tidemark: --size 80: expected COLSxROWS, such as 80x24, at most 1000x1000 "
     "(tidemark --help lists the options)"},
    {"a size of nothing", "--size 0x0",
     "tidemark: --size 0x0: expected COLSxROWS, such as 80x24, at most 1000x1000 "
     "(tidemark --help lists the options)"},
    {"pack", "pack F.csv -o out --budget 2.5", "pack F.csv budget=2.5 output=out"},
    {"execution order", "timeline D --execution --json", "timeline D json execution"},
    {"execution order of a report", "--execution report D",
     "tidemark: --execution belongs to timeline, not to report (tidemark --help lists the options)"},
    {"a budget that is no number", "pack F.csv --budget soon",
     "tidemark: --budget soon: expected seconds, more than 0 and at most 86400 "
     "(tidemark --help lists the options)"},
    {"a grouping that is none", "report D --by color",
     "tidemark: --by color: expected line, op, shape or role (tidemark --help lists the options)"},
    {"a wrong colour", "--color pink",
     "tidemark: --color pink: expected auto, always or never (tidemark --help lists the options)"},
    {"a command without a path", "verify",
     "tidemark: verify needs a PATH (a dump directory, one of its files, or - for standard input)"},
    {"an option of another command", "verify D --by line",
     "tidemark: --by belongs to report, not to verify (tidemark --help lists the options)"},
    {"--dump of a report", "report D --dump",
     "tidemark: --dump belongs to the explorer, not to report (tidemark --help lists the options)"},
    {"--help behind a command is that command's", "diff --help", "diff help"},
    {"a short name", "-h", "explore help"},
    {"completions need no operand", "--completion zsh", "explore completion=zsh"},
    {"a shell that is not known", "--completion tcsh",
     "tidemark: --completion tcsh: expected bash, zsh or fish (tidemark --help lists the options)"},
    {"one option, two meanings, in a command that has neither", "report D -o F",
     "tidemark: -o belongs to pack, not to report (tidemark --help lists the options)"},
    {"one option, two meanings: pack's", "pack F -o G", "pack F output=G"},
    {"one option, two meanings: record's", "record -o D python -o F", "record output=D"},
    {"what means nothing to a command and is taken all the same", "pack F --module m", "pack F"},
    {"an empty value", "report D --module=",
     "tidemark: --module : expected a module's name (tidemark --help lists the options)"},
    {"a path too many", "diff A B C",
     "tidemark: diff compares two PATHs, not 3 (tidemark diff DIR DIR)"},
    {"two diff'ed", "diff A B", "diff A B"},
    {"nothing to record", "record -o D", "tidemark: record needs a command to run (tidemark record python train.py)"},
};

static void put(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void put(char *out, size_t size, const char *fmt, ...)
{
    size_t used = strlen(out);
    va_list args;
    va_start(args, fmt);
    vsnprintf(out + used, size - used, fmt, args);
    va_end(args);
}

static void describe(const struct options *o, char *out, size_t size)
{
    static const char *const commands[COMMAND_COUNT] = {
        [COMMAND_EXPLORE] = "explore",   [COMMAND_REPORT] = "report", [COMMAND_VERIFY] = "verify",
        [COMMAND_TIMELINE] = "timeline", [COMMAND_DIFF] = "diff",     [COMMAND_PACK] = "pack",
        [COMMAND_RECORD] = "record",
    };
    snprintf(out, size, "%s", commands[o->command]);
    for (int k = 0; k < o->asked.n_paths; k++)
        put(out, size, " %s", o->asked.paths[k]);
    if (o->json)
        put(out, size, " json");
    if (o->report.top != 10)
        put(out, size, " top=%u", o->report.top);
    if (o->report.has_at)
        put(out, size, " at=%u", o->report.at);
    if (o->report.has_limit)
        put(out, size, " limit=%llu", (unsigned long long)o->report.limit);
    if (o->report.by)
        put(out, size, " by=%d", (int)o->report.by);
    if (o->budget != 1)
        put(out, size, " budget=%g", o->budget);
    if (o->output)
        put(out, size, " output=%s", o->output);
    if (o->keys)
        put(out, size, " keys=%s", o->keys);
    if (o->cols) {
        put(out, size, " size=%d", o->cols);
        put(out, size, "x%d", o->rows);
    }
    if (o->execution)
        put(out, size, " execution");
    if (o->dump)
        put(out, size, " dump");
    if (o->help)
        put(out, size, " help");
    if (o->completion)
        put(out, size, " completion=%s", o->completion);
}

static void parse(void **state)
{
    const struct case_ *c = *state;
    char words[200], got[600] = "", program[] = "tidemark";
    char *argv[20] = {program};
    int argc = 1;
    snprintf(words, sizeof words, "%s", c->words);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    struct options o;
    struct diag d;
    if (options_parse(&o, argc, argv, &d))
        describe(&o, got, sizeof got);
    else
        diag_text(&d, got, sizeof got);
    assert_string_equal(got, c->want);
}

int main(void)
{
    enum { N = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, parse, NULL, NULL, (void *)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
