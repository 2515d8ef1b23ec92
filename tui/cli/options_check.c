#include "tui/cli/options_parts.h"

/* Those that know one of the n entries of a name, or take it anyhow. */
static unsigned takers(const struct cli_option *first, size_t n)
{
    unsigned commands = 0;
    for (size_t k = 0; k < n; k++)
        commands |= first[k].anywhere ? IN_ALL : first[k].commands;
    return commands;
}

static bool check_option(const struct cli_option *first, size_t n, enum command command, struct diag *d)
{
    unsigned commands = takers(first, n);
    if (commands & 1u << command)
        return true;
    int owner = 0;
    while (!(commands & 1u << owner))
        owner++;
    diag_file(d, NULL, "%s belongs to %s, not to %s", first->name, cli_commands[owner].name,
              cli_commands[command].name);
    return options_usage(d);
}

static bool check_operands(const struct options *o, bool named, struct diag *d)
{
    const struct cli_command *c = &cli_commands[o->command];
    if (o->command == COMMAND_RECORD) {
        if (o->run && *o->run)
            return true;
        diag_file(d, NULL, "record needs a command to run");
    } else if (named && c->most > 0 && (o->asked.n_paths < c->least || o->asked.n_paths > c->most)) {
        diag_file(d, NULL, "%s compares two PATHs, not %d", c->name, o->asked.n_paths);
    } else if (named && o->asked.n_paths < c->least) {
        diag_file(d, NULL, "%s needs a PATH", c->name);
    } else {
        return true;
    }
    return diag_hint(d, "%s", c->missing);
}

bool options_check(const struct options *o, uint64_t used, bool named, struct diag *d)
{
    if (o->help || o->version || o->print_config || o->completion)
        return true;
    for (size_t k = 0, n; k < cli_n_options; k += n) {
        n = cli_option_run(&cli_options[k]);
        if (used >> cli_options[k].option & 1 && !check_option(&cli_options[k], n, o->command, d))
            return false;
    }
    return check_operands(o, named, d);
}
