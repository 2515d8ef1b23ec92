#include "tui/cli/options_parts.h"

#include <string.h>

struct parser {
    struct options *o;
    struct diag *d;
    uint64_t used;      /* bit k: option k was given */
    int n;              /* operands so far */
    bool operands_only; /* behind -- */
    bool named;         /* a command was */
};

bool options_usage(struct diag *d)
{
    return diag_hint(d, "tidemark --help lists the options");
}

/* One option, with its value in the same word or the next.  *took: next was it. */
static bool parse_option(struct parser *p, const char *word, const char *next, bool *took)
{
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    struct given g = {.option = cli_option_find(word, len)};
    if (!g.option || (equals && !g.option->value)) {
        diag_file(p->d, NULL, "unknown option %s", word);
        return options_usage(p->d);
    }
    p->used |= UINT64_C(1) << g.option->option;
    if (g.option->value) {
        g.text = equals ? equals + 1 : next;
        *took = !equals;
        if (!g.text) {
            diag_file(p->d, NULL, "%s needs a value", g.option->name);
            return options_usage(p->d);
        }
    }
    return option_take(p->o, &g, p->d);
}

static bool take_command(struct parser *p, const char *word)
{
    if (p->n || p->named || p->operands_only)
        return false;
    for (int k = COMMAND_EXPLORE + 1; k < COMMAND_COUNT; k++)
        if (strcmp(word, cli_commands[k].word) == 0) {
            p->o->command = (enum command)k;
            return p->named = true;
        }
    return false;
}

/* Everything before CMD, which is record's with all that follows. */
static bool parse_words(struct parser *p, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        char *word = argv[k];
        bool ends = strcmp(word, "--") == 0, took = false;
        if (p->o->command == COMMAND_RECORD && (word[0] != '-' || ends)) {
            p->o->run = argv + k + ends;
            break;
        }
        if (p->operands_only || word[0] != '-' || word[1] == '\0') {
            if (!take_command(p, word))
                argv[p->n++] = word;
        } else if (ends) {
            p->operands_only = true;
        } else if (!parse_option(p, word, k + 1 < argc ? argv[k + 1] : NULL, &took)) {
            return false;
        }
        k += took;
    }
    return true;
}

bool options_parse(struct options *o, int argc, char **argv, struct diag *d)
{
    struct parser p = {.o = o, .d = d};
    *o = (struct options){.report = {.top = 10}, .budget = 1};
    if (!parse_words(&p, argc, argv))
        return false;
    o->asked.paths = (const char *const *)argv;
    o->asked.n_paths = p.n;
    return options_check(o, p.used, p.named, d);
}
