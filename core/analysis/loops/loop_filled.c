/* Which slots of a stack an iteration touches, and how many hold data: arithmetic alone. */
#include "core/analysis/loops/loops.h"

#define MOST (INT64_C(1) << 62) /* larger figures are refused, so that sums of two do not overflow */

/* Iteration k's first slot is 0 for k < low, first + k * stride for low <= k <= high, and `last`
 * behind; low may be high + 1.  Strides are turned so that they are not negative. */
struct course {
    int64_t first, stride, width, last, low, high;
};

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_regular(const struct loop_stack *s)
{
    return s->regular && s->slots > 0 && s->slots <= MOST && s->width > 0 && s->width <= s->slots &&
           s->first >= -MOST && s->first <= MOST && s->stride >= -MOST && s->stride <= MOST;
}

/* Whether it is known which slots hold data. */
static bool counts(const struct loop_stack *s, int64_t trips)
{
    return is_regular(s) && trips >= 0 && trips <= MOST &&
           (s->access == ACCESS_DRAIN || (s->access == ACCESS_FILL && s->fresh));
}

static int64_t start_of(const struct course *c, int64_t k)
{
    return k < c->low ? 0 : k > c->high ? c->last : c->first + k * c->stride;
}

static struct course course_of(const struct loop_stack *s)
{
    struct course c = {s->first, s->stride, s->width, s->slots - s->width, 0, MOST};
    if (c.stride < 0) { /* the same slots counted from the other end */
        c.first = c.last - c.first;
        c.stride = -c.stride;
    }
    if (c.stride == 0) {
        c.first = at_most(at_least(c.first, 0), c.last);
        return c;
    }
    if (c.first < 0)
        c.low = (-c.first - 1) / c.stride + 1;
    c.high = c.first > c.last ? -1 : at_most((c.last - c.first) / c.stride, MOST);
    return c;
}

/* Slots that the iterations a … b touch, each counted once. */
static int64_t touched_by(const struct course *c, int64_t a, int64_t b)
{
    if (a > b)
        return 0;
    int64_t sum = c->width, apart = at_most(c->width, c->stride);
    if (a < c->low && c->low <= b)
        sum += at_most(c->width, start_of(c, c->low));
    int64_t within = at_most(b, c->high) - at_least(a, c->low);
    if (within > 0 && apart > 0)
        sum += within * apart;
    if (c->high >= c->low && a <= c->high && c->high < b)
        sum += at_most(c->width, c->last - start_of(c, c->high));
    return sum;
}

bool loop_stack_slots(const struct loop_stack *s, int64_t i, int64_t *first, int64_t *end)
{
    if (!is_regular(s) || i < 0 || i > MOST)
        return false;
    struct course c = course_of(s);
    int64_t at = start_of(&c, i);
    *first = s->stride < 0 ? c.last - at : at;
    *end = *first + s->width;
    return true;
}

int64_t loop_stack_filled(const struct loops *l, const struct loop_stack *s, int64_t i, bool done)
{
    int64_t trips = l->items[s->loop].trip_count;
    if (!counts(s, trips))
        return s->slots;
    struct course c = course_of(s);
    int64_t from = at_most(at_least(i, 0), trips);
    if (done && from < trips)
        from++;
    return s->access == ACCESS_FILL ? touched_by(&c, 0, from - 1) : touched_by(&c, from, trips - 1);
}

uint32_t loop_stack_bends(const struct loops *l, const struct loop_stack *s, int64_t bends[LOOP_BENDS])
{
    int64_t trips = l->items[s->loop].trip_count;
    if (!counts(s, trips))
        return 0;
    struct course c = course_of(s);
    const int64_t passed[] = {0, 1, c.low - 1, c.low, c.low + 1, c.high, c.high + 1, c.high + 2,
                              trips - 1, trips};
    uint32_t n = 1;
    bends[0] = 0; /* known, even of a loop that does not run */
    for (uint32_t k = 0; k < sizeof passed / sizeof *passed; k++)
        for (int64_t done = 0; done < 2; done++)
            if (passed[k] - done >= 0 && passed[k] - done < trips)
                bends[n++] = passed[k] - done;
    return n;
}
