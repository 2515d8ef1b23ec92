/* The clock: program order, jumping back at the end of a loop and over branches not taken.  At +1
 * the live set changes by lists, at a jump it is found anew. */
#include "gpu/run/capture.h"
#include "gpu/run/run.h"

#include <string.h>

static void born(struct run *r, value_id v)
{
    if (r->live_at[v] != UINT32_MAX)
        return;
    r->live_at[v] = r->n_live;
    r->live[r->n_live++] = v;
    value_id set = r->flow->set[v];
    if (r->set_live[set]++ == 0 && r->pool)
        r->fresh[r->n_fresh++] = set;
}

static void leave(struct run *r, value_id v)
{
    uint32_t k = r->live_at[v];
    if (k == UINT32_MAX)
        return;
    r->live[k] = r->live[--r->n_live];
    r->live_at[r->live[k]] = k;
    r->live_at[v] = UINT32_MAX;
}

static void died(struct run *r, value_id v)
{
    value_id set = r->flow->set[v];
    if (--r->set_live[set] == 0) {
        slots_died(&r->capture->slots, r, set);
        if (r->pool)
            pool_died(r, set);
    }
    guard_died(r, v);
}

static bool alive_at(const struct run *r, value_id v, uint32_t t)
{
    return r->life->start[v] <= t && t <= r->life->end[v];
}

static void jump(struct run *r, uint32_t t, value_id *gone, uint32_t *n)
{
    for (uint32_t k = r->n_live; k-- > 0;)
        if (!alive_at(r, r->live[k], t)) {
            gone[(*n)++] = r->live[k];
            leave(r, r->live[k]);
        }
}

/* A set may go on through another of its values: births are counted before deaths, so that it is not
 * given back in between; but the pool takes back before it hands out. */
void clock_set(struct run *r, uint32_t t)
{
    if (t == r->clock || t == STEP_NONE)
        return;
    capture_end(r);
    value_id *list = r->gone;
    uint32_t n = 0;
    bool next = r->clock != STEP_NONE && t == r->clock + 1;
    if (next) {
        for (uint32_t k = r->first_end[r->clock]; k < r->first_end[r->clock + 1]; k++)
            if (r->live_at[r->ends[k]] != UINT32_MAX) {
                list[n++] = r->ends[k];
                leave(r, r->ends[k]);
            }
    } else
        jump(r, t, list, &n);
    r->clock = t;
    if (next)
        for (uint32_t k = r->first_start[t]; k < r->first_start[t + 1]; k++)
            born(r, r->starts[k]);
    else
        for (uint32_t k = 0; k < r->n_placed; k++)
            if (r->size[r->placed[k]] && r->life->start[r->placed[k]] != STEP_NONE && alive_at(r, r->placed[k], t))
                born(r, r->placed[k]);
    for (uint32_t k = 0; k < n; k++)
        died(r, list[k]);
    for (uint32_t k = 0; k < r->n_fresh; k++)
        pool_born(r, r->fresh[k]);
    r->n_fresh = 0;
    capture_begin(r);
}
