#include "core/base/json.h"
#include "core/output/report/phases.h"
#include "tui/cli/commands.h"
#include "tui/programs/open.h"

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

/* A listing has no time. */
static void timeline_listing(void *ctx, const struct dump_entry *e)
{
    static const char note[] = "a listing is a snapshot: what is alive when needs the dump";
    static const char *const unknown[] = {"steps", "live", "filled", "iterations"};
    struct context *c = ctx;
    char safe[1024];
    if (!c->modules) {
        printf("%s%s: %s\n", c->n++ ? "\n" : "", text_safe(e->stem, safe, sizeof safe), note);
        return;
    }
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "name", json_text(e->stem));
    cJSON_AddItemToObject(o, "platform", json_text(platform_name(e->platform)));
    cJSON_AddStringToObject(o, "order", c->o->execution ? "execution" : "program");
    cJSON_AddStringToObject(o, "note", note);
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
        cJSON_AddNullToObject(o, unknown[k]);
    cJSON_AddItemToArray(c->modules, o);
}

int command_timeline(const struct options *o)
{
    struct context c = {.o = o, .modules = o->json ? cJSON_CreateArray() : NULL};
    int status = open_every(&o->asked, &(struct open_use){timeline_one, timeline_listing, &c});
    if (c.modules && (status == 0 || cJSON_GetArraySize(c.modules)))
        print_json("timeline", c.modules);
    else
        cJSON_Delete(c.modules);
    return status;
}
