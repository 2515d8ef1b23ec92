#include "tui/cli/cli_help.h"

#include <string.h>

enum { COLUMN = 28, WIDTH = 80 }; /* where summaries begin; where lines end */

struct help {
    FILE *out;
    bool ascii;
    int at; /* columns of this line */
};

/* The tables have "…" and no other character beyond ASCII. */
static void put(struct help *h, const char *text, size_t len)
{
    static const char dots[] = "…";
    const size_t wide = sizeof dots - 1;
    for (size_t k = 0; k < len;) {
        bool is_dots = len - k >= wide && memcmp(text + k, dots, wide) == 0;
        size_t n = is_dots ? wide : 1;
        if (is_dots && h->ascii)
            fputs("...", h->out);
        else
            fwrite(text + k, 1, n, h->out);
        h->at += is_dots && h->ascii ? 3 : 1;
        k += n;
    }
}

static void put_text(struct help *h, const char *text)
{
    put(h, text, strlen(text));
}

static void end_line(struct help *h)
{
    fputc('\n', h->out);
    h->at = 0;
}

static void to_column(struct help *h)
{
    if (h->at >= COLUMN)
        end_line(h);
    while (h->at < COLUMN)
        put_text(h, " ");
}

/* Broken between words; lines after the first begin in the column too. */
static void put_wrapped(struct help *h, const char *text)
{
    for (size_t len; *text; text += len) {
        bool blank = *text == ' ';
        text += blank;
        len = strcspn(text, " ");
        if (h->at + blank + (int)len > WIDTH) {
            end_line(h);
            to_column(h);
        } else if (blank) {
            put_text(h, " ");
        }
        put(h, text, len);
    }
}

/* "report, diff: ", where it must be said. */
static void put_owners(struct help *h, const struct cli_option *option)
{
    const char *between = "";
    if (!cli_option_names_owners(option))
        return;
    for (int k = 0; k < COMMAND_COUNT; k++)
        if (option->commands >> k & 1) {
            put_text(h, between);
            put_text(h, cli_commands[k].name);
            between = ", ";
        }
    put_text(h, ": ");
}

static void put_option(struct help *h, const struct cli_option *option, const struct cli_option *before,
                       bool owners)
{
    if (!cli_option_is_again(before, option)) {
        put_text(h, "  ");
        put_text(h, option->name);
        if (option->also) {
            put_text(h, ", ");
            put_text(h, option->also);
        }
        if (option->value) {
            put_text(h, " ");
            put_text(h, option->value);
        }
    }
    to_column(h);
    if (owners)
        put_owners(h, option);
    put_wrapped(h, option->summary);
    end_line(h);
}

static void put_command(struct help *h, const struct cli_command *c)
{
    put_text(h, "  tidemark ");
    if (c->word) {
        put_text(h, c->word);
        put_text(h, " ");
    }
    put_text(h, c->operands);
    to_column(h);
    put_wrapped(h, c->summary);
    end_line(h);
}

static void put_options(struct help *h, unsigned commands, bool owners)
{
    const struct cli_option *before = NULL;
    for (size_t k = 0; k < cli_n_options; k++)
        if (cli_options[k].commands & commands) {
            put_option(h, &cli_options[k], before, owners);
            before = &cli_options[k];
        }
}

static void print_all(struct help *h)
{
    put_text(h, "tidemark: what is alive in a compiled JAX/XLA program, and why\n\n");
    h->at = 0;
    for (int k = 0; k < COMMAND_COUNT; k++)
        put_command(h, &cli_commands[k]);
    fputs("\nPATH is a directory written by\n"
          "XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_as_proto\",\n"
          "any one file of it, or - for standard input.\n\n",
          h->out);
    put_options(h, IN_ALL, true);
    fputs("\ntidemark COMMAND --help tells one command's options, man tidemark says more.\n"
          "Exit codes: 0 done; 1 the answer is no (verify or diff differs, over --limit);\n"
          "2 bad usage or input.\n",
          h->out);
}

static void print_one(struct help *h, enum command command)
{
    const struct cli_command *c = &cli_commands[command];
    fprintf(h->out, "tidemark %s: %s\n\n  tidemark %s [OPTION", c->word, c->summary, c->word);
    put_text(h, "…] ");
    put_text(h, c->operands);
    end_line(h);
    end_line(h);
    put_options(h, 1u << command, false);
    fputs("\ntidemark --help lists all commands, man tidemark says more.\n", h->out);
}

void cli_help_print(FILE *out, enum command command, bool ascii)
{
    struct help h = {.out = out, .ascii = ascii};
    if (cli_commands[command].word)
        print_one(&h, command);
    else
        print_all(&h);
}
