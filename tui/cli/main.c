#include "tui/cli/cli_completion.h"
#include "core/base/memory.h"
#include "tui/cli/cli_help.h"
#include "tui/cli/commands.h"
#include "tui/explorer/config.h"
#include "tui/programs/open.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

void print_json(const char *command, cJSON *modules)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "tidemark/1");
    cJSON_AddStringToObject(document, "command", command);
    cJSON_AddItemToObject(document, "modules", modules);
    char *text = cJSON_Print(document);
    if (text)
        puts(text);
    free(text);
    cJSON_Delete(document);
}

static int run(int argc, char **argv)
{
    struct options o;
    struct diag d;
    if (!options_parse(&o, argc, argv, &d)) {
        say_error(&d);
        return 2;
    }
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        o.ascii = o.report.ascii = true;
    if (o.help) {
        cli_help_print(stdout, o.command, o.ascii);
        return 0;
    }
    if (o.print_config) {
        config_print(stdout);
        return 0;
    }
    if (o.completion) {
        cli_completion_print(stdout, o.completion);
        return 0;
    }
    if (o.version) {
        version_print(stdout);
        return 0;
    }
    static int (*const commands[COMMAND_COUNT])(const struct options *o) = {
        [COMMAND_EXPLORE] = command_explore,
        [COMMAND_REPORT] = command_report,
        [COMMAND_VERIFY] = command_verify,
        [COMMAND_TIMELINE] = command_timeline,
        [COMMAND_DIFF] = command_diff,
        [COMMAND_WHATIF] = command_whatif,
        [COMMAND_PACK] = command_pack,
        [COMMAND_RECORD] = command_record,
        [COMMAND_RUN] = command_run,
        [COMMAND_EXPORT] = command_export,
        [COMMAND_LESSON] = command_lesson,
    };
    return commands[o.command](&o);
}

int main(int argc, char **argv)
{
    cJSON_InitHooks(&(cJSON_Hooks){memory_get, free}); /* or what does not fit is left out, silently */
    setlocale(LC_CTYPE, ""); /* not LC_NUMERIC: figures are the same everywhere */
    int status = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE) {
        fprintf(stderr, "tidemark: cannot write the output: %s\n", strerror(errno));
        return 2;
    }
    return status;
}
