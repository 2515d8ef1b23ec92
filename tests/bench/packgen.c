/* packgen SEED BUFFERS [TIME [LOOSE]]: a perfect packing, cut up and shuffled, in minimalloc's CSV
 * format.
 *
 * A rectangle of time x memory is cut by straight cuts (guillotine) and by pinwheels of five, which
 * no straight cut can take apart.  Every moment of time is filled, so the lower bound is the
 * capacity (printed on standard error), and a packing of that height exists.
 *
 * TIME (1024) is the number of steps: with fewer, more lives begin and end together.  LOOSE (0) is
 * how many per cent of the buffers are left out, as in the instances published with minimalloc,
 * which are full at some moments only: here at those of MOMENTS random ones, which stay whole. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 1024, MOST = 4096, MOMENTS = 5 };

struct rect {
    int lower, upper, low, high;
};

static uint64_t state;

static int below(int n) /* 0 … n - 1; splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int)((z ^ z >> 31) % (uint64_t)n);
}

static int between(int a, int b)
{
    return a + below(b - a + 1);
}

/* The largest of a few picked at random. */
static int pick(const struct rect *r, int n)
{
    int best = below(n);
    for (int k = below(4); k > 0; k--) {
        int i = below(n);
        if ((r[i].upper - r[i].lower) * (r[i].high - r[i].low) >
            (r[best].upper - r[best].lower) * (r[best].high - r[best].low))
            best = i;
    }
    return best;
}

static int cut(struct rect *r, int n)
{
    struct rect *x = &r[pick(r, n)], y = *x;
    if (below(2) && x->upper - x->lower >= 2)
        x->upper = y.lower = between(x->lower + 1, x->upper - 1);
    else if (x->high - x->low >= 2)
        x->high = y.low = between(x->low + 1, x->high - 1);
    else
        return n;
    r[n] = y;
    return n + 1;
}

static int pinwheel(struct rect *r, int n)
{
    int i = below(n);
    struct rect x = r[i];
    if (x.upper - x.lower < 4 || x.high - x.low < 4)
        return n;
    int t1 = between(x.lower + 1, x.upper - 2), t2 = between(t1 + 1, x.upper - 1);
    int m1 = between(x.low + 1, x.high - 2), m2 = between(m1 + 1, x.high - 1);
    r[i] = (struct rect){x.lower, t2, x.low, m1};
    r[n++] = (struct rect){t2, x.upper, x.low, m2};
    r[n++] = (struct rect){t1, x.upper, m2, x.high};
    r[n++] = (struct rect){x.lower, t1, m1, x.high};
    r[n++] = (struct rect){t1, t2, m1, m2};
    return n;
}

/* Leaves out some of those that are not alive at any of the moments. */
static int loosen(struct rect *r, int n, int time, int percent)
{
    int moments[MOMENTS], kept = 0;
    for (int k = 0; k < MOMENTS; k++)
        moments[k] = below(time);
    for (int i = 0; i < n; i++) {
        int needed = 0;
        for (int k = 0; k < MOMENTS; k++)
            needed |= r[i].lower <= moments[k] && moments[k] < r[i].upper;
        if (needed || below(100) >= percent)
            r[kept++] = r[i];
    }
    return kept;
}

int main(int argc, char **argv)
{
    static struct rect r[MOST];
    int want = argc >= 3 ? atoi(argv[2]) : 0, time = argc >= 4 ? atoi(argv[3]) : 1024;
    int loose = argc >= 5 ? atoi(argv[4]) : 0, n = 1;
    if (want < 1 || want > MOST - 8 || time < 1 || time > 1 << 20 || loose < 0 || loose > 99) {
        fprintf(stderr, "usage: packgen SEED BUFFERS [TIME [LOOSE]]\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 10);
    r[0] = (struct rect){0, time, 0, CAPACITY};
    for (int tries = 0; n < want && tries < 100 * want; tries++)
        n = tries % 4 == 3 && n + 4 <= want ? pinwheel(r, n) : cut(r, n);
    if (loose)
        n = loosen(r, n, time, loose);
    for (int i = n - 1; i > 0; i--) {
        int k = below(i + 1);
        struct rect x = r[i];
        r[i] = r[k];
        r[k] = x;
    }
    puts("id,lower,upper,size");
    for (int i = 0; i < n; i++)
        printf("%d,%d,%d,%d\n", i, r[i].lower, r[i].upper, r[i].high - r[i].low);
    fprintf(stderr, "%d buffers, capacity %d\n", n, CAPACITY);
    return 0;
}
