/* The chart's colours: what for the bytes of a column are, from the bottom up, on terminals that have
 * colours.  Which glyph stands in a cell does not change, so nothing is lost without them. */
#include "tui/views/views.h"

#include <string.h>

_Static_assert(ROLE_COUNT == ST_ROLE_LAST - ST_ROLE + 1, "a style for each role");

/* What stays lies at the bottom; stacks at the top, where their empty slots are shown. */
static const enum role upwards[] = {
    ROLE_PARAMETER, ROLE_DONATED, ROLE_CONSTANT, ROLE_OUTPUT, ROLE_TABLE, ROLE_THREAD_LOCAL, ROLE_SCRATCH, ROLE_CARRY,
    ROLE_COTANGENT, ROLE_GRADIENT, ROLE_GRADIENT_DONE, ROLE_SLICE, ROLE_RESIDUAL, ROLE_STACKED, ROLE_STACK,
};
_Static_assert(sizeof upwards / sizeof *upwards == ROLE_COUNT, "a height for each role");

static uint32_t highest(const struct extrema *live, const struct steps *ran, int n)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int k = 0; k < n; k++)
        extrema_over(live, ran[k].first, ran[k].last, &least, &most);
    for (int k = 0; k < n; k++) {
        uint32_t t = extrema_next(live, ran[k].first, ran[k].last, most);
        if (t != EXTREMA_NONE)
            return t;
    }
    return ran[0].first;
}

bool bands_of(const struct scene *v, const struct steps *ran, int n, struct bands *b)
{
    const struct program *p = v->p;
    uint32_t step = highest(&p->spaces[v->s->space].over, ran, n);
    if (!shares_at(&v->memo->shares, p, v->s->space, step, b->of))
        return false;
    buf_id chosen = v->chosen;
    bool in = chosen != BUF_NONE && p->space[chosen] == v->s->space && p->start[chosen] <= step && step <= p->end[chosen];
    b->first = 0;
    if (in && p->role[chosen] < ROLE_COUNT) { /* it stands below all others */
        uint64_t *own = &b->of[p->role[chosen]];
        b->first = p->size[chosen] < *own ? p->size[chosen] : *own;
        *own -= b->first;
    }
    return true;
}

enum style bands_style(const struct bands *b, double height)
{
    double top = (double)b->first;
    enum style st = ST_LIVE;
    for (int k = 0; k < ROLE_COUNT; k++) {
        if (!b->of[upwards[k]])
            continue;
        st = (enum style)(ST_ROLE + upwards[k]);
        top += (double)b->of[upwards[k]];
        if (height < top)
            return st;
    }
    return st; /* rounding */
}

/* "█ residual stack  █ slice of stack": as many as fit into [from, to), those with most bytes first. */
void bands_legend(const struct bands *all, struct rect r, struct grid *g, int from, int to)
{
    uint64_t left[ROLE_COUNT];
    memcpy(left, all->of, sizeof left);
    for (int i = 0; i < ROLE_COUNT; i++) {
        int best = 0;
        for (int k = 1; k < ROLE_COUNT; k++)
            best = left[k] > left[best] ? k : best;
        const char *name = role_name((enum role)best);
        int n = text_columns(name) + 4;
        if (!left[best] || from + n > to)
            return;
        left[best] = 0;
        grid_put(g, r, 0, from, ' ', ST_RULE);
        grid_put(g, r, 0, from + 1, 0x2588, (enum style)(ST_ROLE + best));
        grid_put(g, r, 0, from + 2, ' ', ST_RULE);
        grid_text(g, r, 0, from + 3, (enum style)(ST_ROLE + best), name);
        from += n;
        grid_put(g, r, 0, from - 1, ' ', ST_RULE);
    }
}
