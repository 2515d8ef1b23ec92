#include "tui/cli/cli_completion.h"
#include "tui/cli/cli_table.h"

#include <string.h>

/* ---- What all of them need ---- */

/* Texts of the tables stand in single quotes. */
static void quoted(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
}

static void command_words(FILE *out, const char *between)
{
    for (int k = COMMAND_EXPLORE + 1; k < COMMAND_COUNT; k++)
        fprintf(out, "%s%s", k > COMMAND_EXPLORE + 1 ? between : "", cli_commands[k].word);
}

/* The words of a value that are no names for others. */
static int value_words(FILE *out, const char *value)
{
    const char *w;
    size_t len;
    int n = 0;
    for (size_t k = 0; (w = cli_value_word(value, k, &len)); k++)
        if (!cli_word_is_name(w, len))
            fprintf(out, "%s%.*s", n++ ? " " : "", (int)len, w);
    return n;
}

/* ---- bash ---- */

static void bash_options(FILE *out, int command)
{
    enum option before = OPTION_VERSION;
    const char *between = "";
    for (size_t k = 0; k < cli_n_options; k++) {
        const struct cli_option *o = &cli_options[k];
        if (!(o->commands >> command & 1) || (*between && o->option == before))
            continue;
        fprintf(out, "%s%s", between, o->name);
        between = " ";
        before = o->option;
    }
}

/* One case for each option with a value; of two entries the first tells what its value is. */
static void bash_values(FILE *out)
{
    for (size_t k = 0; k < cli_n_options; k += cli_option_run(&cli_options[k])) {
        const struct cli_option *o = &cli_options[k];
        if (!o->value)
            continue;
        fprintf(out, "    %s) ", o->name);
        if (o->completes == COMPLETES_FILE)
            fputs("_tidemark_files", out);
        else if (o->completes == COMPLETES_DIR)
            fputs("compopt -o dirnames 2>/dev/null", out);
        else {
            fputs("mapfile -t COMPREPLY < <(compgen -W '", out);
            value_words(out, o->value);
            fputs("' -- \"$cur\")", out);
        }
        fputs("; return ;;\n", out);
    }
}

static void bash_valued(FILE *out)
{
    const char *between = "";
    for (size_t k = 0; k < cli_n_options; k += cli_option_run(&cli_options[k]))
        if (cli_options[k].value) {
            fprintf(out, "%s%s", between, cli_options[k].name);
            between = "|";
        }
}

/* Finds the command, how many operands there are, and the option whose value is typed. */
static void bash_scan(FILE *out)
{
    fputs("    local cur=${COMP_WORDS[COMP_CWORD]} prev= command= operands=0 k\n"
          "    COMPREPLY=()\n"
          "    for ((k = 1; k < COMP_CWORD; k++)); do\n"
          "        case ${COMP_WORDS[k]} in\n"
          "        ",
          out);
    bash_valued(out);
    fputs(")\n"
          "            prev=${COMP_WORDS[k]}\n"
          "            [[ ${COMP_WORDS[k + 1]} == '=' ]] && k=$((k + 1)) # bash parts words at =\n"
          "            k=$((k + 1))\n"
          "            ((k >= COMP_CWORD)) || prev= ;;\n"
          "        -?*) ;;\n"
          "        ",
          out);
    command_words(out, "|");
    fputs(")\n"
          "            if [[ -z $command && $operands == 0 ]]; then command=${COMP_WORDS[k]}\n"
          "            else operands=$((operands + 1)); fi ;;\n"
          "        *) operands=$((operands + 1)) ;;\n"
          "        esac\n"
          "        if [[ $command == record && $operands != 0 ]]; then\n"
          "            declare -F _command_offset >/dev/null && _command_offset \"$k\" || _tidemark_files\n"
          "            return\n"
          "        fi\n"
          "    done\n"
          "    [[ $cur == '=' ]] && cur=\n",
          out);
}

static void bash_operands(FILE *out)
{
    fputs("    case $command in\n"
          "    '')\n"
          "        [[ $operands == 0 ]] && mapfile -t COMPREPLY < <(compgen -W '",
          out);
    command_words(out, " ");
    fputs("' -- \"$cur\"; compgen -f -- \"$cur\")\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        [[ ${#COMPREPLY[@]} == 0 ]] && _tidemark_files ;;\n",
          out);
    for (int k = 1; k < COMMAND_COUNT; k++)
        if (cli_commands[k].completes == COMPLETES_NOTHING)
            fprintf(out, "    %s) ;;\n", cli_commands[k].word);
        else if (cli_commands[k].completes == COMPLETES_COMMAND)
            fprintf(out, "    %s) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\") ;;\n",
                    cli_commands[k].word);
    fputs("    *) _tidemark_files ;;\n"
          "    esac\n",
          out);
}

static void bash(FILE *out)
{
    fputs("# bash completion for tidemark; printed by: tidemark --completion bash\n"
          "_tidemark_files() { # readline's own, which knows how to quote\n"
          "    compopt -o default 2>/dev/null\n"
          "}\n"
          "_tidemark() {\n",
          out);
    bash_scan(out);
    fputs("    case $prev in\n", out);
    bash_values(out);
    fputs("    esac\n"
          "    if [[ $cur == -* ]]; then\n"
          "        case $command in\n",
          out);
    for (int k = 0; k < COMMAND_COUNT; k++) {
        fprintf(out, "        %s) k='", cli_commands[k].word ? cli_commands[k].word : "''");
        bash_options(out, k);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$k\" -- \"$cur\")\n"
          "        return\n"
          "    fi\n",
          out);
    bash_operands(out);
    fputs("    return 0\n"
          "}\n"
          "complete -F _tidemark tidemark\n",
          out);
}

/* ---- zsh ---- */

/* Inside the brackets and fields of _arguments. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            fputc('\\', out);
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
}

static void zsh_option(FILE *out, const struct cli_option *o)
{
    fprintf(out, "        '%s%s[", o->name, !o->value ? "" : o->name[1] == '-' ? "=" : "+");
    zsh_text(out, o->summary);
    fputc(']', out);
    if (o->value) {
        fputc(':', out);
        zsh_text(out, o->value);
        fputc(':', out);
        if (o->completes == COMPLETES_FILE)
            fputs("_files", out);
        else if (o->completes == COMPLETES_DIR)
            fputs("_files -/", out);
        else {
            fputc('(', out);
            value_words(out, o->value);
            fputc(')', out);
        }
    }
    fputs("'\n", out);
}

static void zsh_command(FILE *out, int command)
{
    static const char *const operands[] = {
        [COMPLETES_NOTHING] = "'1: :' '*:: :'",
        [COMPLETES_FILE] = "'1: :' '*:PATH:_files'",
        [COMPLETES_DIR] = "'1: :' '*:PATH:_files -/'",
        [COMPLETES_COMMAND] = "'1: :' '*::: : _normal'",
    };
    const struct cli_command *c = &cli_commands[command];
    fprintf(out, "    %s) options=(\n", c->word ? c->word : "*");
    for (size_t k = 0; k < cli_n_options; k++)
        if (cli_options[k].commands >> command & 1)
            zsh_option(out, &cli_options[k]);
    fprintf(out, "        %s) ;;\n",
            command == COMMAND_EXPLORE ? "'1: :_tidemark_first' '*:PATH:_files'" : operands[c->completes]);
}

static void zsh(FILE *out)
{
    fputs("#compdef tidemark\n"
          "# zsh completion for tidemark; printed by: tidemark --completion zsh\n"
          "_tidemark_first() {\n"
          "    local -a commands=(\n",
          out);
    for (int k = 1; k < COMMAND_COUNT; k++) {
        fprintf(out, "        '%s:", cli_commands[k].word);
        zsh_text(out, cli_commands[k].summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _alternative 'commands:command:((${(q)commands}))' 'files:PATH:_files'\n"
          "}\n"
          "_tidemark() {\n"
          "    local command= word\n"
          "    local -a options\n"
          "    for word in ${words[2,CURRENT-1]}; do\n"
          "        case $word in\n"
          "        (",
          out);
    command_words(out, "|");
    fputs(") command=$word; break ;;\n"
          "        esac\n"
          "    done\n"
          "    case $command in\n",
          out);
    for (int k = 1; k < COMMAND_COUNT; k++)
        zsh_command(out, k);
    zsh_command(out, COMMAND_EXPLORE);
    fputs("    esac\n"
          "    _arguments $options\n"
          "}\n"
          "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _tidemark \"$@\"; else compdef _tidemark tidemark; fi\n",
          out);
}

/* ---- fish ---- */

static void fish_condition(FILE *out, unsigned commands)
{
    if (commands == IN_ALL)
        return;
    fputs(" -n '", out);
    if (commands & IN(EXPLORE)) {
        fputs("not __fish_seen_subcommand_from", out);
        for (int k = 1; k < COMMAND_COUNT; k++)
            if (!(commands >> k & 1))
                fprintf(out, " %s", cli_commands[k].word);
    } else {
        fputs("__fish_seen_subcommand_from", out);
        for (int k = 1; k < COMMAND_COUNT; k++)
            if (commands >> k & 1)
                fprintf(out, " %s", cli_commands[k].word);
    }
    fputc('\'', out);
}

static void fish_value(FILE *out, const struct cli_option *o)
{
    if (o->completes == COMPLETES_FILE) {
        fputs(" -r -F", out);
    } else if (o->completes == COMPLETES_DIR) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else {
        fputs(" -x -a '", out);
        value_words(out, o->value);
        fputc('\'', out);
    }
}

static void fish(FILE *out)
{
    fputs("# fish completion for tidemark; printed by: tidemark --completion fish\n", out);
    for (int k = 1; k < COMMAND_COUNT; k++) {
        fputs("complete -c tidemark -n 'not __fish_seen_subcommand_from ", out);
        command_words(out, " ");
        fprintf(out, "' -a %s -d '", cli_commands[k].word);
        quoted(out, cli_commands[k].summary);
        fputs("'\n", out);
        if (cli_commands[k].completes == COMPLETES_NOTHING)
            fprintf(out, "complete -c tidemark -n '__fish_seen_subcommand_from %s' -f\n", cli_commands[k].word);
        else if (cli_commands[k].completes == COMPLETES_COMMAND)
            fprintf(out, "complete -c tidemark -n '__fish_seen_subcommand_from %s' "
                         "-x -a '(__fish_complete_subcommand --fcs-skip=2)'\n", cli_commands[k].word);
    }
    for (size_t k = 0; k < cli_n_options; k++) {
        const struct cli_option *o = &cli_options[k];
        fputs("complete -c tidemark", out);
        fish_condition(out, o->commands);
        if (o->name[1] == '-')
            fprintf(out, " -l %s", o->name + 2);
        else
            fprintf(out, " -s %s", o->name + 1);
        if (o->also)
            fprintf(out, " -s %s", o->also + 1);
        if (o->value)
            fish_value(out, o);
        fputs(" -d '", out);
        quoted(out, o->summary);
        fputs("'\n", out);
    }
}

void cli_completion_print(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash(out);
    else if (strcmp(shell, "zsh") == 0)
        zsh(out);
    else if (strcmp(shell, "fish") == 0)
        fish(out);
}
