#include "core/output/report/whatif_report.h"
#include "tui/cli/commands.h"
#include "tui/programs/open.h"

#include <stdlib.h>
#include <string.h>

struct context {
    const struct options *o;
    cJSON *modules;  /* NULL: text */
    unsigned n;      /* answered */
    bool over, bad;
    struct list missed; /* const char *: modules without such a scan; in `arena` */
    struct arena arena;
};

static const char *loop_name(const struct program *p, uint32_t loop)
{
    return loop < p->loops.n ? p->loops.items[loop].name : "";
}

/* The one that --loop names, by either of its passes; else the pair with most stack bytes, or where
 * there is no pair the loop. */
static bool choose(const struct program *p, struct list scans, const char *name, uint32_t *scan)
{
    const struct whatif_scan *s = scans.items;
    for (uint32_t k = 0; k < scans.n; k++)
        if (name ? strcmp(loop_name(p, s[k].forward), name) == 0 ||
                       strcmp(loop_name(p, s[k].backward), name) == 0
                 : s[k].forward != LOOP_NONE && s[k].backward != LOOP_NONE) {
            *scan = k;
            return true;
        }
    *scan = 0;
    return !name && scans.n > 0;
}

enum { MOST_NAMED = 6 };

/* " (it has while.1, while.2 and others)"; nothing where there is none. */
static const char *loop_names(struct context *c, const struct program *p, struct list scans)
{
    const struct whatif_scan *s = scans.items;
    const char *names = "";
    for (uint32_t k = 0; k < scans.n && k < MOST_NAMED; k++)
        names = arena_printf(&c->arena, "%s%s%s", names, k ? ", " : "",
                             loop_name(p, s[k].forward != LOOP_NONE ? s[k].forward : s[k].backward));
    return scans.n ? arena_printf(&c->arena, " (it has %s%s)", names, scans.n > MOST_NAMED ? " and others" : "")
                   : "";
}

static void miss(struct context *c, const struct program *p, struct list scans)
{
    const char *text =
        c->o->loop ? arena_printf(&c->arena, "%s: %s has no loop %s whose trip count is known%s",
                                  p->module->file, p->name, c->o->loop, loop_names(c, p, scans))
                   : arena_printf(&c->arena, "%s: %s has no loop whose trip count is known",
                                  p->module->file, p->name);
    *(const char **)list_add(&c->arena, &c->missed, sizeof text) = text;
}

static void answer(struct context *c, const struct whatif_report *r)
{
    if (c->modules) {
        cJSON_AddItemToArray(c->modules, whatif_json(r));
    } else {
        if (c->n)
            putchar('\n');
        whatif_text(r, stdout);
    }
    c->n++;
    c->over |= c->o->report.has_limit && whatif_over(r);
}

static void whatif_one(void *ctx, const struct program *p)
{
    struct context *c = ctx;
    const struct options *o = c->o;
    struct arena scratch = {0};
    struct whatif w;
    struct diag d;
    struct list scans = whatif_scans(p, &scratch);
    struct whatif_ask ask = {.seqlen = o->seqlen, .unroll = o->unroll,
                             .limit = o->report.has_limit ? o->report.limit : 0};
    if (!choose(p, scans, o->loop, &ask.scan)) {
        miss(c, p, scans);
    } else if (!whatif_build(&w, p, &ask, &d)) {
        say_error(&d);
        c->bad = true;
    } else {
        const struct whatif_scan *s = (const struct whatif_scan *)scans.items + ask.scan;
        struct whatif_report r = {.program = p, .whatif = &w, .ascii = o->ascii,
                                  .loop = loop_name(p, s->forward != LOOP_NONE ? s->forward : s->backward)};
        r.has_limit = o->report.has_limit || p->module->device_memory;
        r.limit = o->report.has_limit ? o->report.limit : p->module->device_memory;
        answer(c, &r);
        whatif_free(&w);
    }
    arena_free(&scratch);
}

/* A module without such a loop is an error, but only a warning where another has one. */
static void say_missed(struct context *c)
{
    for (uint32_t k = 0; k < c->missed.n; k++) {
        const char *text = ((const char *const *)c->missed.items)[k];
        struct diag d;
        if (c->n) {
            say_warning(text);
        } else {
            diag_file(&d, NULL, "%s", text);
            say_error(&d);
            return;
        }
    }
}

int command_whatif(const struct options *o)
{
    struct context c = {.o = o, .modules = o->json ? cJSON_CreateArray() : NULL};
    int status = open_each(&o->asked, whatif_one, &c);
    say_missed(&c);
    if (c.bad || (c.missed.n && !c.n))
        status = 2;
    if (c.modules && (status == 0 || cJSON_GetArraySize(c.modules)))
        print_json("whatif", c.modules);
    else
        cJSON_Delete(c.modules);
    arena_free(&c.arena);
    return status ? status : c.over ? 1 : 0;
}
