#include "tui/commands.h"
#include "tui/explorer.h"
#include "tui/open.h"

#include <unistd.h>

int command_explore(const struct options *o)
{
    /* Without a terminal the explorer is its text report, unless a screen was asked for. */
    if (o->json || (!o->dump && !isatty(STDOUT_FILENO)))
        return command_report(o);
    struct opened one;
    int status = open_largest(o, &one);
    if (status)
        return status;
    const struct explorer_options e = {
        .ascii = o->ascii,
        .color = o->color,
        .keys = o->keys,
        .cols = o->cols,
        .rows = o->rows,
        .dump = o->dump,
        .limit = o->report.has_limit ? o->report.limit : one.module->device_memory,
    };
    status = explorer_run(one.program, &e);
    open_close(&one);
    return status;
}
