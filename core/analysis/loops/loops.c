#include "core/analysis/loops/loops_build.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

uint32_t loop_elements(const struct loops_builder *b, const struct loop *l)
{
    shape_id shape = hlo_inst(b->h, l->inst)->shape;
    return shape_is_tuple(&b->h->shapes, shape) ? shape_children(&b->h->shapes, shape) : 1;
}

uint32_t loop_node(const struct loops_builder *b, const struct loop *l, uint32_t element)
{
    shape_id shape = hlo_inst(b->h, l->inst)->shape;
    return shape_is_tuple(&b->h->shapes, shape) ? shape_child(&b->h->shapes, shape, element) : 0;
}

/* ---- What XLA says ---- */

/* The number in quotes at json[a][b]. */
static bool quoted(const cJSON *json, const char *a, const char *b, int64_t *out)
{
    const cJSON *n = cJSON_GetObjectItem(cJSON_GetObjectItem(json, a), b);
    const char *c = cJSON_IsString(n) ? n->valuestring : "";
    bool minus = *c == '-';
    *out = 0;
    c += minus;
    if (!*c)
        return false;
    for (; *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, minus ? '0' - *c : *c - '0', out))
            return false;
    return true;
}

/* {"known_trip_count":{"n":"2"},"known_init_step":{"init":"0","step":"1"},
 *  "known_induction_variable":{"tuple_index":"0"}} */
static void read_config(const struct loops_builder *b, struct loop *l)
{
    const char *config = hlo_inst(b->h, l->inst)->backend_config;
    if (!config || !strstr(config, "known_"))
        return;
    cJSON *json = cJSON_Parse(config);
    int64_t count, element;
    if (quoted(json, "known_trip_count", "n", &count) && count >= 0) {
        l->trip_count = count;
        l->trips_from = TRIPS_CONFIG;
    }
    if (quoted(json, "known_induction_variable", "tuple_index", &element) && element >= 0 &&
        element < loop_elements(b, l)) {
        l->induction = (uint32_t)element;
        if (!quoted(json, "known_init_step", "init", &l->induction_first) ||
            !quoted(json, "known_init_step", "step", &l->induction_step))
            l->induction_step = 0;
    }
    cJSON_Delete(json);
}

/* ---- Whiles ---- */

static int by_first_step(const void *a, const void *b)
{
    const struct loop *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->last < y->last) - (x->last > y->last);
}

static void add_while(struct loops_builder *b, struct list *found, inst_id i)
{
    struct span body = b->live->comp[hlo_call(b->h, i, 0)],
                condition = b->live->comp[hlo_call(b->h, i, 1)];
    if (!body.n || !condition.n)
        return;
    struct loop *l = list_add(b->arena, found, sizeof *l);
    *l = (struct loop){.name = hlo_inst(b->h, i)->name,
                       .inst = i,
                       .body = body,
                       .condition = condition,
                       .parent = LOOP_NONE,
                       .pair = LOOP_NONE,
                       .induction = LOOP_NONE,
                       .trip_count = -1};
    l->first = condition.first < body.first ? condition.first : body.first;
    l->last =
        (condition.first < body.first ? body.first + body.n : condition.first + condition.n) - 1;
    read_config(b, l);
}

static void nest(struct loops_builder *b, struct loops *l)
{
    uint32_t *open = arena_array(&b->scratch, (size_t)l->n + 1, sizeof *open), depth = 0;
    if (l->n)
        qsort(l->items, l->n, sizeof *l->items, by_first_step);
    for (uint32_t k = 0; k < l->n; k++) {
        while (depth && l->items[open[depth - 1]].last < l->items[k].first)
            depth--;
        l->items[k].depth = depth;
        l->items[k].parent = depth ? open[depth - 1] : LOOP_NONE;
        open[depth++] = k;
    }
}

static void look_into(struct loops_builder *b)
{
    b->slot = arena_array(&b->scratch, (size_t)b->f->n + 1, sizeof *b->slot);
    trace_init(&b->trace, b->f, &b->scratch);
    b->env = (struct affine_env){.trace = &b->trace, .live = b->live, .slot = b->slot};
    b->steps_left = TRIP_WORK;
    for (uint32_t k = 0; k < b->l->n; k++) {
        loops_count(b, &b->l->items[k]);
        arena_reset(&b->local);
        loops_find_stacks(b, k);
    }
    b->l->n_stacks = b->found.n;
    b->l->stacks = arena_array(b->arena, (size_t)b->found.n + 1, sizeof *b->l->stacks);
    if (b->found.n)
        memcpy(b->l->stacks, b->found.items, b->found.n * sizeof *b->l->stacks);
    loops_pair(b);
}

void loops_build(struct loops *l, const struct dataflow *f, const struct liveness *live,
                 struct arena *a)
{
    struct loops_builder b = {.l = l, .f = f, .live = live, .h = f->hlo, .arena = a};
    struct list found = {0};
    *l = (struct loops){0};
    for (uint32_t s = 0; s < live->length; s++)
        if (hlo_inst(f->hlo, live->at[s])->op == OP_WHILE)
            add_while(&b, &found, live->at[s]);
    l->items = found.items;
    l->n = found.n;
    nest(&b, l);
    if (l->n)
        look_into(&b);
    arena_free(&b.local);
    arena_free(&b.scratch);
}
