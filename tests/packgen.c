/* packgen SEED BUFFERS: a perfect packing, cut up and shuffled, in minimalloc's CSV format.
 *
 * A rectangle of time x memory is cut by straight cuts (guillotine) and by pinwheels of five, which
 * no straight cut can take apart.  Every moment of time is filled, so the lower bound is the
 * capacity (printed on standard error), and a packing of that height exists. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIME = 1024, CAPACITY = 1024, MOST = 4096 };

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

int main(int argc, char **argv)
{
    static struct rect r[MOST] = {{0, TIME, 0, CAPACITY}};
    int want = argc == 3 ? atoi(argv[2]) : 0, n = 1;
    if (want < 1 || want > MOST - 8) {
        fprintf(stderr, "usage: packgen SEED BUFFERS\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 10);
    for (int tries = 0; n < want && tries < 100 * want; tries++)
        n = tries % 4 == 3 && n + 4 <= want ? pinwheel(r, n) : cut(r, n);
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
