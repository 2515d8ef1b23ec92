#include "core/analysis/loops.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* {"known_trip_count":{"n":"2"}}, -1 when it is not there. */
static int64_t known_trip_count(const char *backend_config)
{
    if (!backend_config || !strstr(backend_config, "known_trip_count"))
        return -1;
    cJSON *json = cJSON_Parse(backend_config);
    const cJSON *n = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "known_trip_count"), "n");
    int64_t count = -1;
    if (cJSON_IsString(n) && n->valuestring[0] >= '0' && n->valuestring[0] <= '9')
        count = strtoll(n->valuestring, NULL, 10);
    cJSON_Delete(json);
    return count;
}

static int by_first_step(const void *a, const void *b)
{
    const struct loop *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->last < y->last) - (x->last > y->last);
}

void loops_build(struct loops *l, const struct dataflow *f, const struct liveness *live, struct arena *a)
{
    const struct hlo *h = f->hlo;
    struct list found = {0};
    *l = (struct loops){0};
    for (uint32_t s = 0; s < live->length; s++) {
        inst_id i = live->at[s];
        if (hlo_inst(h, i)->op != OP_WHILE)
            continue;
        struct span body = live->comp[hlo_call(h, i, 0)], condition = live->comp[hlo_call(h, i, 1)];
        if (!body.n || !condition.n)
            continue;
        struct loop *loop = list_add(a, &found, sizeof *loop);
        *loop = (struct loop){.name = hlo_inst(h, i)->name, .inst = i, .body = body,
                              .condition = condition, .parent = LOOP_NONE, .pair = LOOP_NONE,
                              .induction = LOOP_NONE};
        loop->first = condition.first < body.first ? condition.first : body.first;
        loop->last = (condition.first < body.first ? body.first + body.n
                                                   : condition.first + condition.n) - 1;
        loop->trip_count = known_trip_count(hlo_inst(h, i)->backend_config);
        loop->trips_from = loop->trip_count >= 0 ? TRIPS_CONFIG : TRIPS_UNKNOWN;
    }
    l->items = found.items;
    l->n = found.n;
    if (found.n)
        qsort(l->items, found.n, sizeof *l->items, by_first_step);
    uint32_t *open = arena_array(a, (size_t)found.n + 1, sizeof *open), depth = 0;
    for (uint32_t k = 0; k < found.n; k++) {
        while (depth && l->items[open[depth - 1]].last < l->items[k].first)
            depth--;
        l->items[k].depth = depth;
        l->items[k].parent = depth ? open[depth - 1] : LOOP_NONE;
        open[depth++] = k;
    }
}
