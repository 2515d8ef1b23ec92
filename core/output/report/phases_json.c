#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/output/report/phases.h"

#include <stdlib.h>
#include <string.h>

/* ---- Runs, written as they come: a million of them are 20 MB of text, not 200 MB of nodes ---- */

struct runs {
    FILE *out;
    uint32_t n;
};

static bool put_run(void *ctx, uint64_t at, uint64_t bytes)
{
    struct runs *r = ctx;
    if (r->n == PHASES_RUNS)
        return false;
    fprintf(r->out, "%s[%llu, %llu]", r->n++ ? ", " : "", (unsigned long long)at,
            (unsigned long long)bytes);
    return true;
}

static bool put_steps(const struct timeline *t, bool filled, struct runs *r)
{
    uint64_t last = 0;
    for (uint32_t s = 0; s <= t->p->steps; s++) {
        uint64_t now = filled ? timeline_step(t, s).most_filled : t->p->live[s];
        if ((s == 0 || now != last) && !put_run(r, s, now))
            return false;
        last = now;
    }
    return true;
}

/* "[[step, bytes], …]"; null when there are too many. */
static cJSON *runs_json(const struct timeline *t, bool execution, bool filled)
{
    char *text = NULL;
    size_t size = 0;
    struct runs r = {.out = memory_stream(&text, &size)};
    fputc('[', r.out);
    bool all = execution ? timeline_runs(t, filled, put_run, &r) : put_steps(t, filled, &r);
    fputc(']', r.out);
    memory_stream_end(r.out, &text);
    cJSON *json = all ? cJSON_CreateRaw(text) : cJSON_CreateNull();
    free(text);
    return json;
}

/* ---- Loops ---- */

static bool runs_ever(const struct loops *l, uint32_t k)
{
    for (uint32_t depth = 0; k != LOOP_NONE && depth <= l->n; depth++, k = l->items[k].parent)
        if (l->items[k].trip_count == 0)
            return false;
    return true;
}

static cJSON *loops_json(const struct timeline *t, bool execution)
{
    cJSON *list = cJSON_CreateArray();
    const struct loops *all = &t->p->loops;
    for (uint32_t k = 0; k < all->n; k++) {
        const struct loop *l = &all->items[k];
        bool known = execution && runs_ever(all, k) && l->first <= t->p->steps;
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToObject(o, "while", json_text(l->name));
        cJSON_AddItemToObject(o, "trip_count", l->trip_count < 0 ? cJSON_CreateNull()
                                                                 : json_number((uint64_t)l->trip_count));
        cJSON_AddItemToObject(o, "first", json_number(l->first));
        cJSON_AddItemToObject(o, "last", json_number(l->last));
        cJSON_AddItemToObject(o, "depth", json_number(l->depth));
        cJSON_AddItemToObject(o, "first_moment",
                              known ? json_number(timeline_first(t, l->first)) : cJSON_CreateNull());
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static const char *note_of(const struct timeline *t, const cJSON *live, const cJSON *filled)
{
    if (t->p->lives == LIFE_NONE)
        return "no live ranges in the dump: what is alive when is not known";
    if (cJSON_IsNull(live))
        return "live changes more than 1000000 times in execution order: ask without --execution, where "
               "iterations has each loop's trip count, or step through it in the explorer";
    if (t->p->lives == LIFE_DUMP)
        return "no program in the dump: its loops, and so what is filled, are not known";
    if (cJSON_IsNull(filled))
        return "filled changes more than 1000000 times in execution order: ask without --execution, where "
               "a step has the most of all its iterations, or step through it in the explorer";
    return NULL;
}

cJSON *phases_json(const struct timeline *t, bool execution)
{
    const struct program *p = t->p;
    cJSON *o = cJSON_CreateObject();
    cJSON *live = p->lives == LIFE_NONE ? cJSON_CreateNull() : runs_json(t, execution, false);
    cJSON *filled = p->lives != LIFE_RERUN ? cJSON_CreateNull() : runs_json(t, execution, true);
    uint64_t steps = execution ? t->moments - 1 : p->steps;
    bool counted = p->lives != LIFE_NONE && t->moments != UINT64_MAX;
    cJSON_AddItemToObject(o, "name", json_text(p->name));
    cJSON_AddItemToObject(o, "platform", json_text(platform_name(p->module->platform)));
    cJSON_AddStringToObject(o, "order", execution ? "execution" : "program");
    cJSON_AddItemToObject(o, "steps", counted || (!execution && p->steps) ? json_number(steps)
                                                                          : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "note", json_text(note_of(t, live, filled)));
    cJSON_AddItemToObject(o, "live", live);
    cJSON_AddItemToObject(o, "filled", filled);
    cJSON_AddItemToObject(o, "iterations", p->lives == LIFE_RERUN ? loops_json(t, execution)
                                                                  : cJSON_CreateNull());
    return o;
}
