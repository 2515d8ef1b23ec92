#include "tui/cli/cli_manual.h"
#include "core/base/memory.h"
#include "tui/cli/cli_table.h"

#include <string.h>

#define LINE 80 /* bytes of a line of the page */

/* Lines of text, broken at blanks where they are too long. */
static void put_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t line = strcspn(text, "\n"), cut = line;
        if (line > LINE)
            for (cut = LINE; cut && text[cut] != ' '; cut--)
                ;
        if (!cut) /* a word of that length */
            cut = strcspn(text, " \n");
        fprintf(out, "%.*s\n", (int)cut, text);
        text += cut + (text[cut] != '\0');
    }
}

/* Escaped; a sentence begins a line of its own, as roff's own rules want. */
static void put_roff(FILE *out, const char *text, size_t len)
{
    for (size_t k = 0; k < len; k++) {
        switch (text[k]) {
        case '-': fputs("\\-", out); break;
        case '\'': fputs("\\(aq", out); break;
        case '\\': fputs("\\e", out); break;
        case '`': case '{': case '}': break;
        case ' ': fputc(k && text[k - 1] == '.' ? '\n' : ' ', out); break;
        default: fputc(text[k], out);
        }
    }
}

/* `bold` and {italic}. */
static void put_marked(FILE *out, const char *text)
{
    while (*text) {
        char close = *text == '`' ? '`' : *text == '{' ? '}' : '\0';
        const char *end = close ? strchr(text + 1, close) : NULL;
        size_t len = end ? (size_t)(end - text) + 1 : 1 + strcspn(text + 1, "`{");
        if (end)
            fputs(close == '`' ? "\\fB" : "\\fI", out);
        put_roff(out, text, len);
        if (end)
            fputs("\\fR", out);
        text += len;
    }
    fputc('\n', out);
}

static void put_value(FILE *out, const char *value)
{
    const char *w;
    size_t len;
    for (size_t k = 0; (w = cli_value_word(value, k, &len)); k++) {
        fprintf(out, "%s\\f%c", k ? "|" : "", cli_word_is_name(w, len) ? 'I' : 'B');
        put_roff(out, w, len);
        fputs("\\fR", out);
    }
}

/* "[PATH…]" with its names in italics, its dashes in bold. */
static void put_operands(FILE *out, const char *text)
{
    while (*text) {
        size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (len) {
            fprintf(out, "\\fI%.*s\\fR", (int)len, text);
        } else if (strncmp(text, "…", strlen("…")) == 0) {
            fputs("...", out);
            len = strlen("…");
        } else if ((len = strspn(text, "-"))) {
            fputs("\\fB", out);
            put_roff(out, text, len);
            fputs("\\fR", out);
        } else {
            fputc(text[len++], out);
        }
        text += len;
    }
    fputc('\n', out);
}

static void put_synopsis(FILE *out)
{
    for (int k = 0; k < COMMAND_COUNT; k++) {
        const struct cli_command *c = &cli_commands[k];
        fprintf(out, "%s.B tidemark%s%s\n[\\fIOPTION\\fR]... ", k ? ".br\n" : "", c->word ? " " : "",
                c->word ? c->word : "");
        put_operands(out, c->operands);
    }
}

static void put_commands(FILE *out)
{
    for (int k = 0; k < COMMAND_COUNT; k++) {
        const struct cli_command *c = &cli_commands[k];
        fprintf(out, ".TP\n\\fB%s\\fR ", c->word ? c->word : "tidemark");
        put_operands(out, c->operands);
        put_marked(out, c->summary);
    }
}

/* "report, diff: ", where it must be said. */
static void put_owners(FILE *out, const struct cli_option *o)
{
    const char *between = "";
    if (!cli_option_names_owners(o))
        return;
    for (int k = 0; k < COMMAND_COUNT; k++)
        if (o->commands >> k & 1) {
            fprintf(out, "%s\\fB%s\\fR", between, cli_commands[k].name);
            between = ", ";
        }
    fputs(": ", out);
}

static void put_words(FILE *out, const struct cli_option *o)
{
    char *text = NULL;
    size_t size;
    FILE *words = memory_stream(&text, &size);
    put_owners(words, o);
    put_marked(words, o->manual);
    memory_stream_end(words, &text);
    put_lines(out, text);
    free(text);
}

static void put_options(FILE *out)
{
    for (size_t k = 0; k < cli_n_options; k++) {
        const struct cli_option *o = &cli_options[k];
        if (!cli_option_is_again(k ? o - 1 : NULL, o)) {
            fputs(".TP\n\\fB", out);
            put_roff(out, o->name, strlen(o->name));
            fputs("\\fR", out);
            if (o->also) {
                fputs(", \\fB", out);
                put_roff(out, o->also, strlen(o->also));
                fputs("\\fR", out);
            }
            if (o->value) {
                fputc(' ', out);
                put_value(out, o->value);
            }
            fputc('\n', out);
        }
        put_words(out, o);
    }
}

void cli_manual_print(FILE *out, const char *page)
{
    static const struct {
        const char *mark;
        void (*put)(FILE *out);
    } parts[] = {
        {".\\\" from the tables: synopsis\n", put_synopsis},
        {".\\\" from the tables: commands\n", put_commands},
        {".\\\" from the tables: options\n", put_options},
    };
    static const char end[] = ".\\\" end\n";
    for (size_t len; *page; page += len) {
        len = strcspn(page, "\n");
        len += page[len] == '\n';
        fwrite(page, 1, len, out);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            const char *stop = strncmp(page, parts[k].mark, len) == 0 ? strstr(page, end) : NULL;
            if (stop) {
                parts[k].put(out);
                page = stop;
                len = strlen(end);
                fwrite(page, 1, len, out);
                break;
            }
        }
    }
}
