/* Packings: valid, least on what brute force can check, and the CSV they come in. */
#include "core/analysis/pack.h"
#include "core/load/minimalloc_csv.h"
#include "tests/cmocka_all.h"

/* ---- A validator of its own ---- */

static bool alive(const struct pack_problem *p, uint32_t i, uint64_t t)
{
    const struct pack_buffer *b = &p->buffers[i];
    if (t < b->lower || t >= b->upper)
        return false;
    for (uint32_t g = 0; g < b->gaps.n; g++)
        if (p->gaps[b->gaps.first + g].lower <= t && t < p->gaps[b->gaps.first + g].upper)
            return false;
    return true;
}

/* The fault of a packing, or NULL.  Times here are small, so every moment is looked at. */
static const char *fault(const struct pack_problem *p, const uint64_t *offset, uint64_t height)
{
    uint64_t end = 0, last = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct pack_buffer *b = &p->buffers[i];
        if (b->alignment > 1 && offset[i] % b->alignment)
            return "misaligned";
        if (b->size && offset[i] + b->size > end)
            end = offset[i] + b->size;
        last = b->upper > last ? b->upper : last;
    }
    if (end > height)
        return "past the height";
    for (uint64_t t = 0; t < last; t++)
        for (uint32_t i = 0; i < p->n; i++)
            for (uint32_t k = i + 1; k < p->n && alive(p, i, t); k++)
                if (alive(p, k, t) && offset[i] < offset[k] + p->buffers[k].size &&
                    offset[k] < offset[i] + p->buffers[i].size)
                    return "overlap";
    return NULL;
}

/* The least height of a few buffers: every order, each at its lowest place. */
static uint64_t least(const struct pack_problem *p, uint32_t *order, uint32_t n, uint64_t best)
{
    if (n < p->n) {
        for (uint32_t k = n; k < p->n; k++) {
            uint32_t x = order[n];
            order[n] = order[k];
            order[k] = x;
            best = least(p, order, n + 1, best);
            order[k] = order[n];
            order[n] = x;
        }
        return best;
    }
    uint64_t offset[8], height = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t i = order[k];
        offset[i] = 0;
        for (uint32_t again = 0; again <= k; again++)
            for (uint32_t j = 0; j < k; j++) {
                uint32_t o = order[j];
                bool together = false;
                for (uint64_t t = 0; t < 12; t++)
                    together |= alive(p, i, t) && alive(p, o, t);
                if (together && offset[i] < offset[o] + p->buffers[o].size &&
                    offset[o] < offset[i] + p->buffers[i].size)
                    offset[i] = offset[o] + p->buffers[o].size;
            }
        if (offset[i] + p->buffers[i].size > height)
            height = offset[i] + p->buffers[i].size;
    }
    return height < best ? height : best;
}

static struct pack_result solve(struct arena *a, const struct pack_problem *p, uint64_t steps)
{
    struct pack_options o = {.steps = steps, .seed = 1, .threads = 1};
    struct pack_result r;
    struct diag d;
    assert_true(pack_check(p, &d));
    pack_solve(a, p, &o, &r);
    return r;
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void brute_force(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 400; round++) {
        struct pack_buffer b[6];
        uint32_t order[6] = {0, 1, 2, 3, 4, 5};
        struct pack_problem p = {b, NULL, 1 + next_random(&seed) % 6};
        for (uint32_t i = 0; i < p.n; i++) {
            uint64_t from = next_random(&seed) % 10;
            b[i] = (struct pack_buffer){from, from + 1 + next_random(&seed) % (11 - from),
                                        1 + next_random(&seed) % 8, 0, {0}, PACK_NONE};
        }
        struct arena a = {0};
        struct pack_result r = solve(&a, &p, 20000);
        uint64_t want = least(&p, order, 0, UINT64_MAX);
        const char *bad = fault(&p, r.offset, r.height);
        bool sound = r.height == want && r.lower_bound <= want && (!r.optimal || r.height == want);
        arena_free(&a);
        assert_null(bad);
        assert_true(sound);
    }
}

static void large(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 40; round++) {
        static struct pack_buffer b[120];
        static struct pack_range gaps[120];
        struct pack_problem p = {b, gaps, 20 + next_random(&seed) % 100};
        for (uint32_t i = 0; i < p.n; i++) {
            uint64_t from = next_random(&seed) % 60, to = from + 4 + next_random(&seed) % 40;
            b[i] = (struct pack_buffer){from, to, next_random(&seed) % 500, 1u << next_random(&seed) % 7,
                                        {i, next_random(&seed) % 2}, PACK_NONE};
            gaps[i] = (struct pack_range){from + 1, from + 3};
        }
        struct arena a = {0};
        struct pack_result r = solve(&a, &p, 3000);
        const char *bad = fault(&p, r.offset, r.height);
        bool sound = r.lower_bound <= r.height && (!r.optimal || r.lower_bound == r.height);
        arena_free(&a);
        assert_null(bad);
        assert_true(sound);
    }
}

/* The vectors on which XLA's own two orders are known (see test_heap.c): never worse. */
static void not_worse(void **state)
{
    (void)state;
    static const struct {
        struct pack_buffer b[6];
        uint32_t n;
        uint64_t xla;
    } cases[] = {
        {{{0, 6, 100, 64, {0}, PACK_NONE}, {1, 4, 200, 64, {0}, PACK_NONE},
          {2, 10, 64, 64, {0}, PACK_NONE}, {4, 9, 200, 64, {0}, PACK_NONE}}, 4, 392},
        {{{0, 12, 64, 64, {0}, PACK_NONE}, {1, 5, 256, 64, {0}, PACK_NONE},
          {2, 11, 64, 64, {0}, PACK_NONE}, {5, 10, 128, 64, {0}, PACK_NONE},
          {6, 9, 192, 64, {0}, PACK_NONE}, {3, 8, 64, 64, {0}, PACK_NONE}}, 6, 512},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pack_problem p = {cases[k].b, NULL, cases[k].n};
        struct arena a = {0};
        struct pack_result r = solve(&a, &p, 20000);
        const char *bad = fault(&p, r.offset, r.height);
        uint64_t height = r.height;
        arena_free(&a);
        assert_null(bad);
        assert_true(height <= cases[k].xla);
    }
}

static void same_again(void **state)
{
    (void)state;
    static struct pack_buffer b[60];
    uint64_t seed = 5, heights[2], sums[2];
    for (uint32_t i = 0; i < 60; i++) {
        uint64_t from = next_random(&seed) % 50;
        b[i] = (struct pack_buffer){from, from + 1 + next_random(&seed) % 30,
                                    1 + next_random(&seed) % 90, 0, {0}, PACK_NONE};
    }
    struct pack_problem p = {b, NULL, 60};
    for (int k = 0; k < 2; k++) {
        struct arena a = {0};
        struct pack_result r = solve(&a, &p, 5000);
        heights[k] = r.height;
        sums[k] = 0;
        for (uint32_t i = 0; i < 60; i++)
            sums[k] = sums[k] * 31 + r.offset[i];
        arena_free(&a);
    }
    assert_true(heights[0] == heights[1] && sums[0] == sums[1]);
}

/* ---- CSV ---- */

static const struct csv_case {
    const char *name, *text, *error; /* error NULL: it reads, and writes the same again */
} csvs[] = {
    {"the least columns", "id,lower,upper,size\na,0,3,4\nb,3,9,4\n", NULL},
    {"every column, in another order",
     "size,id,gaps,upper,lower,hint,alignment,offset\n4,a,5-7 9-12,20,0,16,8,0\n", NULL},
    {"empty optional fields", "id,lower,upper,size,alignment,gaps,hint\na,0,3,4,,,\n", NULL},
    {"line ends of Windows", "id,lower,upper,size\r\na,0,3,4\r\n", NULL},
    {"no buffers", "id,lower,upper,size\n", NULL},
    {"nothing at all", "", "tidemark: x.csv"},
    {"a column that is none", "id,lower,upper,size,colour\n", "tidemark: x.csv:1:21"},
    {"a column twice", "id,lower,upper,size,size\n", "tidemark: x.csv:1:21"},
    {"a column that is needed", "id,lower,upper\n", "tidemark: x.csv:1"},
    {"a life that ends before it starts", "id,lower,upper,size\na,5,3,4\n", "tidemark: x.csv:2"},
    {"a number that is none", "id,lower,upper,size\na,0,x,4\n", "tidemark: x.csv:2:5"},
    {"a number too large", "id,lower,upper,size\na,0,3,99999999999999999999999\n",
     "tidemark: x.csv:2:7"},
    {"too few fields", "id,lower,upper,size\na,0,3\n", "tidemark: x.csv:2"},
    {"too many fields", "id,lower,upper,size\na,0,3,4,5\n", "tidemark: x.csv:2"},
    {"a gap outside its life", "id,lower,upper,size,gaps\na,0,3,4,2-9\n", "tidemark: x.csv:2"},
};

static void csv(void **state)
{
    const struct csv_case *c = *state;
    struct arena a = {0};
    struct file f = {"x.csv", c->text, strlen(c->text)};
    struct minimalloc m;
    struct diag d;
    char line[1200] = "";
    size_t size = 0;
    bool ok = minimalloc_read(&a, &m, &f, &d), same = false;
    if (ok) {
        const char *again = minimalloc_write(&a, &m, NULL, &size);
        same = size == f.size && memcmp(again, c->text, size) == 0;
    } else {
        diag_text(&d, line, sizeof line);
    }
    arena_free(&a);
    if (!c->error) {
        assert_string_equal(line, "");
        assert_true(same);
    } else {
        assert_false(ok);
        assert_true(strncmp(line, c->error, strlen(c->error)) == 0);
    }
}

static void with_offsets(void **state)
{
    (void)state;
    struct arena a = {0};
    const char *text = "id,lower,upper,size\na,0,3,4\nb,3,9,4\n";
    struct file f = {"x.csv", text, strlen(text)};
    struct minimalloc m;
    struct diag d;
    size_t size = 0;
    bool ok = minimalloc_read(&a, &m, &f, &d);
    const char *out = ok ? minimalloc_write(&a, &m, (uint64_t[]){8, 0}, &size) : "";
    bool same = strcmp(out, "id,lower,upper,size,offset\na,0,3,4,8\nb,3,9,4,0\n") == 0;
    arena_free(&a);
    assert_true(ok && same);
}

int main(void)
{
    enum { CSVS = sizeof csvs / sizeof *csvs };
    struct CMUnitTest t[CSVS + 5] = {
        {"a few random buffers: as low as brute force", brute_force, NULL, NULL, NULL},
        {"many random buffers with alignment and gaps: valid", large, NULL, NULL, NULL},
        {"never worse than XLA's two orders", not_worse, NULL, NULL, NULL},
        {"the same steps give the same packing", same_again, NULL, NULL, NULL},
        {"offsets are written into a column of their own", with_offsets, NULL, NULL, NULL},
    };
    for (int k = 0; k < CSVS; k++)
        t[5 + k] = (struct CMUnitTest){csvs[k].name, csv, NULL, NULL, (void *)&csvs[k]};
    return cmocka_run_group_tests(t, NULL, NULL);
}
