#include "tui/cli/commands.h"
#include "tui/explorer/catalog.h"
#include "tui/explorer/explorer.h"

#include <unistd.h>

int command_explore(const struct options *o)
{
    /* Without a terminal the explorer is its text report, unless a screen was asked for. */
    if (o->json || (!o->dump && !isatty(STDOUT_FILENO)))
        return command_report(o);
    struct catalog c;
    int status = catalog_make(&c, &o->asked, o->report.has_limit ? o->report.limit : 0);
    if (status)
        return status;
    const struct explorer_options e = {
        .ascii = o->ascii,
        .color = o->color,
        .keys = o->keys,
        .cols = o->cols,
        .rows = o->rows,
        .dump = o->dump,
        .lesson = o->lesson,
        .config = o->config,
        .state = o->state,
        .trace = o->trace,
        .limit = o->report.has_limit ? o->report.limit : 0,
    };
    status = explorer_run(&c, &e);
    catalog_free(&c);
    return status;
}
