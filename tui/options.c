#include "tui/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "tidemark: what is alive in a compiled JAX/XLA program, and why its peak is what it is\n"
    "\n"
    "  tidemark [PATH…]          explore a dump; without PATH, the shipped scan example\n"
    "  tidemark report PATH…     the peak, what it is made of, does it fit\n"
    "  tidemark verify PATH…     rerun lives, allocations and offsets; compare with the dump's\n"
    "  tidemark timeline PATH…   live bytes over time, and how much of them holds data\n"
    "  tidemark whatif [PATH…]   what if the scan were longer, shorter or unrolled\n"
    "  tidemark pack FILE.csv    the least memory for buffers of known lives (minimalloc's format)\n"
    "  tidemark diff A B         what differs at the peaks of two dumps, and by how much\n"
    "  tidemark run [PATH…]      execute it at its own offsets: planned against truly used bytes\n"
    "  tidemark export PATH…     a web page, a drawing or tables: --format, -o FILE\n"
    "  tidemark lesson [PAGE]    why the example needs what it needs, in eleven pages\n"
    "  tidemark record CMD…      run CMD with XLA's dump flags set, then open what it dumped\n"
    "\n"
    "PATH is a directory written by XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text\n"
    "--xla_dump_hlo_as_proto\", any one file of it, or - for standard input.\n"
    "\n"
    "  --module NAME             only the module of that name, or the one it is a part of\n"
    "  --limit BYTES             does it fit? (80G, 81251MiB, 85100068864)\n"
    "  --json                    one JSON document instead of text\n"
    "  --csv                     report: one line a module, for sweeps\n"
    "  --at STEP                 report: another step than the peak\n"
    "  --execution               timeline: repeat each loop as often as it runs\n"
    "  --top N                   report, diff: how many buffers, groups or rows to list (10)\n"
    "  --by line|op|shape|role   report: group by source line, op_name, shape or role\n"
    "  --seqlen N                whatif: as many steps; run: the example of that length\n"
    "  --unroll K|full           whatif, run: K steps an iteration, or no loop\n"
    "  --width D                 run: the example of that width\n"
    "  --backend host|cuda       run: where (host)\n"
    "  --inputs DIR              run: in_NAME.bin for each parameter; else inputs are made\n"
    "  --expect DIR              run: results to compare with\n"
    "  --guards on|off           run: watch that no live byte is overwritten\n"
    "  --memory-only             run: unknown calls write a pattern\n"
    "  --trace FILE              run: save what was captured; explorer: show it beside the plan\n"
    "  --progress                run: say on standard error how far it is\n"
    "  --xla                     run: ask XLA itself for its peak (needs a Python with JAX)\n"
    "  --loop NAME               whatif: the scan of that while\n"
    "  --format html|svg|csv|json|minimalloc\n"
    "                            export: what to write (else what FILE's name ends in)\n"
    "  --view both|chart|map     export: parts of the drawing\n"
    "  --budget SECONDS          pack: how long to look for a better packing (1)\n"
    "  -o FILE                   pack, export: write there, not to standard output\n"
    "  -o DIR                    record: dump there, and keep it\n"
    "  --color auto|always|never\n"
    "  --ascii                   no characters beyond ASCII\n"
    "  --keys KEYS --size COLSxROWS --dump\n"
    "                            play keys in the explorer and print its screen as text\n"
    "  --config FILE --state DIR the explorer's, in place of your own (man tidemark)\n"
    "  --print-config            all that a configuration can say, with defaults\n"
    "  --help, --version\n"
    "\n"
    "Exit codes: 0 done; 1 the answer is no (verify or diff differs, over --limit); 2 bad usage or input.\n"
    "man tidemark says more.\n";

struct parser {
    struct options *o;
    struct diag *d;
    const char *name;  /* the option at hand, as written */
    const char *value; /* its value */
};

static bool usage(struct parser *p, const char *wanted)
{
    diag_file(p->d, NULL, "%s %s: %s", p->name, p->value, wanted);
    return diag_hint(p->d, "tidemark --help lists the options");
}

static bool parse_number(struct parser *p, uint32_t least, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(p->value, &end, 10);
    if (!isdigit((unsigned char)*p->value) || *end || errno || n > UINT32_MAX - 1 || n < least)
        return usage(p, least ? "expected a whole number from 1 to 4294967294"
                              : "expected a whole number up to 4294967294");
    *out = (uint32_t)n;
    return true;
}

static bool parse_size(struct parser *p)
{
    char *end, *end2;
    long cols = strtol(p->value, &end, 10);
    bool ok = isdigit((unsigned char)*p->value) && (*end == 'x' || *end == 'X') &&
              isdigit((unsigned char)end[1]);
    long rows = ok ? strtol(end + 1, &end2, 10) : 0;
    if (!ok || *end2 || cols < 1 || rows < 1 || cols > 1000 || rows > 1000)
        return usage(p, "expected COLSxROWS, such as 80x24, at most 1000x1000");
    p->o->cols = (int)cols;
    p->o->rows = (int)rows;
    return true;
}

static bool parse_word(const struct parser *p, const char *const *words, int n, int *out)
{
    for (int k = 0; k < n; k++)
        if (strcmp(p->value, words[k]) == 0) {
            *out = k;
            return true;
        }
    return false;
}

static bool set_module(struct parser *p)
{
    p->o->module = p->value;
    return *p->value || usage(p, "expected a module's name");
}
static bool set_limit(struct parser *p)
{
    p->o->report.has_limit = true;
    return bytes_parse(p->value, &p->o->report.limit) || usage(p, "expected bytes, such as 80G");
}
static bool set_color(struct parser *p)
{
    static const char *const words[] = {"auto", "always", "never"};
    int k;
    if (!parse_word(p, words, 3, &k))
        return usage(p, "expected auto, always or never");
    p->o->color = (enum color)k;
    return true;
}
static bool set_by(struct parser *p)
{
    static const char *const words[] = {"line", "op", "shape", "role"};
    int k;
    if (!parse_word(p, words, 4, &k))
        return usage(p, "expected line, op, shape or role");
    p->o->report.by = (enum report_by)(BY_LINE + k);
    return true;
}
static bool set_at(struct parser *p)
{
    p->o->report.has_at = true;
    return parse_number(p, 0, &p->o->report.at);
}
static bool set_top(struct parser *p)
{
    return parse_number(p, 1, &p->o->report.top);
}
static bool set_count(struct parser *p, int64_t *out)
{
    uint32_t n;
    if (!parse_number(p, 1, &n))
        return false;
    *out = n;
    return true;
}
static bool set_seqlen(struct parser *p)
{
    return set_count(p, &p->o->seqlen);
}
static bool set_unroll(struct parser *p)
{
    if (strcmp(p->value, "full") != 0 && !isdigit((unsigned char)*p->value))
        return usage(p, "expected a whole number or full");
    if (*p->value != 'f')
        return set_count(p, &p->o->unroll);
    p->o->unroll = INT64_MAX;
    return true;
}
static bool set_loop(struct parser *p)
{
    p->o->loop = p->value;
    return *p->value || usage(p, "expected the name of a while");
}
static bool set_budget(struct parser *p)
{
    char *end;
    double seconds = strtod(p->value, &end);
    if (!isdigit((unsigned char)*p->value) || *end || !(seconds > 0) || seconds > 86400)
        return usage(p, "expected seconds, more than 0 and at most 86400");
    p->o->budget = seconds;
    return true;
}
static bool set_format(struct parser *p)
{
    static const char *const words[] = {"svg", "html", "csv", "json", "minimalloc"};
    int k;
    if (!parse_word(p, words, 5, &k))
        return usage(p, "expected html, svg, csv, json or minimalloc");
    p->o->has_format = true;
    p->o->format = (enum export_format)k;
    return true;
}
static bool set_view(struct parser *p)
{
    static const char *const words[] = {"both", "chart", "map"};
    int k;
    if (!parse_word(p, words, 3, &k))
        return usage(p, "expected both, chart or map");
    p->o->view = (enum export_view)k;
    return true;
}
static bool set_output(struct parser *p)
{
    p->o->output = p->value;
    return *p->value || usage(p, "expected a file's name");
}
static bool set_keys(struct parser *p)
{
    p->o->keys = p->value;
    return true;
}

static bool set_width(struct parser *p)
{
    return set_count(p, &p->o->width);
}
static bool set_backend(struct parser *p)
{
    static const char *const words[] = {"host", "cuda"};
    int k;
    p->o->backend = p->value;
    return parse_word(p, words, 2, &k) || usage(p, "expected host or cuda");
}
static bool set_guards(struct parser *p)
{
    static const char *const words[] = {"auto", "on", "off"};
    return parse_word(p, words, 3, &p->o->guards) || usage(p, "expected on or off");
}
static bool set_inputs(struct parser *p)
{
    p->o->inputs = p->value;
    return *p->value || usage(p, "expected a directory");
}
static bool set_expect(struct parser *p)
{
    p->o->expect = p->value;
    return *p->value || usage(p, "expected a directory");
}
static bool set_trace(struct parser *p)
{
    p->o->trace = p->value;
    return *p->value || usage(p, "expected a file's name");
}

static bool set_config(struct parser *p)
{
    p->o->config = p->value;
    return *p->value || usage(p, "expected a file");
}
static bool set_state(struct parser *p)
{
    p->o->state = p->value;
    return *p->value || usage(p, "expected a directory");
}

#define IN(command) (1u << COMMAND_##command)
#define IN_ALL ~0u

/* Options with a value, and the commands that know them.  What follows CMD is not record's. */
static const struct {
    const char *name;
    bool (*set)(struct parser *p);
    unsigned commands;
} valued[] = {
    {"--module", set_module, IN_ALL},
    {"--limit", set_limit, IN_ALL},
    {"--color", set_color, IN_ALL},
    {"--keys", set_keys, IN(EXPLORE) | IN(RECORD) | IN(LESSON)},
    {"--size", parse_size, IN(EXPLORE) | IN(RECORD) | IN(LESSON)},
    {"--config", set_config, IN(EXPLORE) | IN(RECORD) | IN(LESSON)},
    {"--state", set_state, IN(EXPLORE) | IN(RECORD) | IN(LESSON)},
    {"--at", set_at, IN(REPORT)},
    {"--top", set_top, IN(REPORT) | IN(DIFF)},
    {"--by", set_by, IN(REPORT)},
    {"--seqlen", set_seqlen, IN(WHATIF) | IN(RUN)},
    {"--unroll", set_unroll, IN(WHATIF) | IN(RUN)},
    {"--width", set_width, IN(RUN)},
    {"--backend", set_backend, IN(RUN)},
    {"--inputs", set_inputs, IN(RUN)},
    {"--expect", set_expect, IN(RUN)},
    {"--guards", set_guards, IN(RUN)},
    {"--trace", set_trace, IN(EXPLORE) | IN(RUN)},
    {"--loop", set_loop, IN(WHATIF)},
    {"--budget", set_budget, IN(PACK)},
    {"--format", set_format, IN(EXPORT)},
    {"--view", set_view, IN(EXPORT)},
    {"-o", set_output, IN(PACK) | IN(RECORD) | IN(EXPORT)},
};

static bool set_flag(struct options *o, const char *name)
{
    if (strcmp(name, "--json") == 0)
        o->json = true;
    else if (strcmp(name, "--ascii") == 0)
        o->ascii = o->report.ascii = true;
    else if (strcmp(name, "--dump") == 0)
        o->dump = true;
    else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        o->help = true;
    else if (strcmp(name, "--version") == 0)
        o->version = true;
    else if (strcmp(name, "--print-config") == 0)
        o->print_config = true;
    else
        return false;
    return true;
}

/* As one writes them; the explorer has no word. */
static const char *const command_words[COMMAND_COUNT] = {
    [COMMAND_EXPLORE] = "the explorer",
    [COMMAND_REPORT] = "report",
    [COMMAND_VERIFY] = "verify",
    [COMMAND_TIMELINE] = "timeline",
    [COMMAND_DIFF] = "diff",
    [COMMAND_PACK] = "pack",
    [COMMAND_RECORD] = "record",
    [COMMAND_RUN] = "run",
    [COMMAND_LESSON] = "lesson",
    [COMMAND_WHATIF] = "whatif",
    [COMMAND_EXPORT] = "export",
};

static const char *command_name(int command)
{
    return command_words[command];
}

/* The first of the commands that know an option. */
static const char *owner_name(unsigned commands)
{
    int k = 0;
    while (k < COMMAND_COUNT - 1 && !(commands & 1u << k))
        k++;
    return command_name(k);
}

/* Options that not every command knows. */
struct bound {
    const char *name[16];
    unsigned commands[16];
    int n;
};

static void bind(struct bound *b, const char *name, unsigned commands)
{
    if (b->n == (int)(sizeof b->name / sizeof *b->name))
        return; /* repeated; the first ones tell */
    b->name[b->n] = name;
    b->commands[b->n++] = commands;
}

/* One option, with its value in the same word or the next.  *used tells whether next was taken. */
static bool parse_option(struct parser *p, char *word, char *next, bool *used, struct bound *bound)
{
    struct options *o = p->o;
    char *equals = strchr(word, '=');
    *used = false;
    p->name = word;
    if (!equals && set_flag(o, word))
        return true;
    if (strcmp(word, "--execution") == 0) {
        bind(bound, "--execution", IN(TIMELINE));
        return o->execution = true;
    }
    if (strcmp(word, "--csv") == 0) {
        bind(bound, "--csv", IN(REPORT));
        return o->csv = true;
    }
    if (strcmp(word, "--memory-only") == 0) {
        bind(bound, "--memory-only", IN(RUN));
        return o->memory_only = true;
    }
    if (strcmp(word, "--progress") == 0) {
        bind(bound, "--progress", IN(RUN));
        return o->progress = true;
    }
    if (strcmp(word, "--xla") == 0) {
        bind(bound, "--xla", IN(RUN));
        return o->xla = true;
    }
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    for (size_t k = 0; k < sizeof valued / sizeof *valued; k++) {
        if (strlen(valued[k].name) != len || strncmp(valued[k].name, word, len) != 0)
            continue;
        p->name = valued[k].name;
        if (valued[k].commands != IN_ALL)
            bind(bound, p->name, valued[k].commands);
        if (!equals && !next) {
            diag_file(p->d, NULL, "%s needs a value", p->name);
            return diag_hint(p->d, "tidemark --help lists the options");
        }
        p->value = equals ? equals + 1 : next;
        *used = !equals;
        return valued[k].set(p);
    }
    diag_file(p->d, NULL, "unknown option %s", word);
    return diag_hint(p->d, "tidemark --help lists the options");
}

static void take_command(struct options *o, const char *word)
{
    for (int k = COMMAND_EXPLORE + 1; k < COMMAND_COUNT; k++)
        if (strcmp(word, command_words[k]) == 0)
            o->command = (enum command)k;
}

bool options_parse(struct options *o, int argc, char **argv, struct diag *d)
{
    struct parser p = {.o = o, .d = d};
    *o = (struct options){.report = {.top = 10}, .budget = 1};
    struct bound bound = {.n = 0};
    int n = 0;
    bool operands_only = false, named = false;
    for (int k = 1; k < argc; k++) {
        char *word = argv[k];
        if (o->command == COMMAND_RECORD && (word[0] != '-' || strcmp(word, "--") == 0)) {
            o->run = argv + k + (word[0] == '-'); /* CMD and all that is its own */
            break;
        }
        if (operands_only || word[0] != '-' || word[1] == '\0') {
            enum command before = o->command;
            if (n == 0 && !named && !operands_only)
                take_command(o, word);
            if (o->command != before)
                named = true;
            else
                argv[n++] = word;
        } else if (strcmp(word, "--") == 0) {
            operands_only = true;
        } else {
            bool used;
            if (!parse_option(&p, word, k + 1 < argc ? argv[k + 1] : NULL, &used, &bound))
                return false;
            k += used;
        }
    }
    o->paths = (const char *const *)argv;
    o->n_paths = n;
    if (o->help || o->version || o->print_config)
        return true;
    for (int k = 0; k < bound.n; k++)
        if (!(bound.commands[k] & 1u << o->command)) {
            diag_file(d, NULL, "%s belongs to %s, not to %s", bound.name[k],
                      owner_name(bound.commands[k]), command_name((int)o->command));
            return diag_hint(d, "tidemark --help lists the options");
        }
    if (o->command == COMMAND_RECORD) {
        if (o->run && *o->run)
            return true;
        diag_file(d, NULL, "record needs a command to run");
        return diag_hint(d, "tidemark record python train.py");
    }
    if (o->dump && o->command != COMMAND_EXPLORE && o->command != COMMAND_LESSON)
        return diag_file(d, NULL, "--dump belongs to the explorer, not to %s",
                         command_name((int)o->command));
    if (o->command == COMMAND_DIFF && n != 2) {
        diag_file(d, NULL, "diff compares two PATHs, not %d", n);
        return diag_hint(d, "tidemark diff DIR DIR");
    }
    if (named && n == 0 && o->command != COMMAND_WHATIF && o->command != COMMAND_RUN &&
        o->command != COMMAND_LESSON) {
        diag_file(d, NULL, "%s needs a PATH", command_name((int)o->command));
        if (o->command == COMMAND_PACK)
            return diag_hint(d, "a CSV file in minimalloc's format, or - for standard input");
        return diag_hint(d, "a dump directory, one of its files, or - for standard input");
    }
    return true;
}
