#include "core/output/phases.h"
#include "tui/commands.h"
#include "tui/open.h"

struct context {
    const struct options *o;
    cJSON *modules; /* NULL: text */
    unsigned n;
};

static void timeline_one(void *ctx, const struct program *p)
{
    struct context *c = ctx;
    struct timeline t;
    timeline_build(&t, p);
    if (c->modules) {
        cJSON_AddItemToArray(c->modules, phases_json(&t, c->o->execution));
    } else {
        if (c->n++)
            putchar('\n');
        phases_text(&t, c->o->execution, c->o->ascii, stdout);
    }
    timeline_free(&t);
}

int command_timeline(const struct options *o)
{
    struct context c = {.o = o, .modules = o->json ? cJSON_CreateArray() : NULL};
    int status = open_each(o, timeline_one, &c);
    if (c.modules && (status == 0 || cJSON_GetArraySize(c.modules)))
        print_json("timeline", c.modules);
    else
        cJSON_Delete(c.modules);
    return status;
}
