/* Packings: valid, least on what brute force can check, and the CSV they come in. */
#include "core/analysis/pack/pack.h"
#include "core/load/text/minimalloc_csv.h"
#include "tests/support/tables.h"

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

/* The least height of a few buffers: every order, each at its lowest place on those before it. */
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
        uint64_t align = p->buffers[i].alignment > 1 ? p->buffers[i].alignment : 1;
        offset[i] = 0;
        for (uint32_t again = 0; again <= k; again++)
            for (uint32_t j = 0; j < k; j++) {
                uint32_t o = order[j];
                bool together = false;
                for (uint64_t t = 0; t < 12; t++)
                    together |= alive(p, i, t) && alive(p, o, t);
                if (together && offset[i] < offset[o] + p->buffers[o].size &&
                    offset[o] < offset[i] + p->buffers[i].size)
                    offset[i] = (offset[o] + p->buffers[o].size + align - 1) / align * align;
            }
        if (offset[i] + p->buffers[i].size > height)
            height = offset[i] + p->buffers[i].size;
    }
    return height < best ? height : best;
}

static const struct fault_case {
    const char *name;
    uint64_t offset[2], height;
    const char *want; /* NULL: valid */
} faults[] = {
    {"the checker takes a packing", {0, 8}, 14, NULL},
    {"the checker sees an overlap", {0, 4}, 14, "overlap"},
    {"the checker sees an offset that is not aligned", {0, 9}, 15, "misaligned"},
    {"the checker sees what is past the height", {0, 8}, 13, "past the height"},
    {"the checker lets a gap be used", {0, 0}, 8, NULL},
};

static void checker(void **state)
{
    const struct fault_case *c = *state;
    static const struct pack_range gap = {1, 3};
    bool used = c->height == 8;
    struct pack_buffer b[2] = {{0, 4, 8, 0, {0, used}, PACK_NONE}, {1, 3, 6, 4, {0}, PACK_NONE}};
    struct pack_problem p = {b, &gap, 2};
    const char *got = fault(&p, c->offset, c->height);
    assert_string_equal(got ? got : "", c->want ? c->want : "");
}

static const struct bad_problem {
    const char *name;
    struct pack_buffer b;
    struct pack_range gap;
    const char *want;
} bad_problems[] = {
    {"an empty life is refused", {5, 5, 1, 0, {0}, PACK_NONE}, {0, 0},
     "buffer 0: upper 5 is not above lower 5"},
    {"a gap past the life is refused", {0, 5, 1, 0, {0, 1}, PACK_NONE}, {3, 7},
     "buffer 0: gap 3-7 is empty, out of order or outside its life"},
    {"a life that is all gap is refused", {0, 5, 1, 0, {0, 1}, PACK_NONE}, {0, 5},
     "buffer 0: its gaps leave no time at which it is alive"},
    {"sizes past all memory are refused", {0, 5, UINT64_MAX, 0, {0}, PACK_NONE}, {0, 0},
     "the sizes and alignments add up to more than 2^61 bytes"},
};

static void refused(void **state)
{
    const struct bad_problem *c = *state;
    struct diag d;
    struct pack_problem p = {&c->b, &c->gap, 1};
    assert_false(pack_check(&p, &d));
    assert_string_equal(d.what, c->want);
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

/* What random problems are made of.  One alignment for all can be proven; mixed ones only when the
 * height is the first bound. */
static const struct kind {
    const char *name;
    uint64_t alignments[2];
    bool gaps, must_prove;
} kinds[] = {
    {"a few random buffers: least, and proven", {0, 0}, false, true},
    {"a few random buffers with gaps: least, and proven", {0, 0}, true, true},
    {"a few random buffers of one alignment: least, and proven", {4, 4}, false, true},
    {"a few random buffers of one alignment with gaps: least, and proven", {4, 4}, true, true},
    {"a few random buffers of two alignments: least", {1, 4}, false, false},
};

static void brute_force(void **state)
{
    const struct kind *kind = *state;
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        struct pack_buffer b[6];
        struct pack_range gaps[6];
        uint32_t order[6] = {0, 1, 2, 3, 4, 5};
        struct pack_problem p = {b, gaps, 1 + next_random(&seed) % 6};
        for (uint32_t i = 0; i < p.n; i++) {
            uint64_t from = next_random(&seed) % 9, to = from + 1 + next_random(&seed) % (12 - from);
            bool gap = kind->gaps && to - from > 2;
            gaps[i] = (struct pack_range){from + 1, to - 1};
            b[i] = (struct pack_buffer){from, to, 1 + next_random(&seed) % 8,
                                        kind->alignments[next_random(&seed) % 2], {i, gap}, PACK_NONE};
        }
        struct arena a = {0};
        struct pack_result r = solve(&a, &p, 20000);
        uint64_t want = least(&p, order, 0, UINT64_MAX);
        const char *bad = fault(&p, r.offset, r.height);
        bool sound = r.height == want && r.lower_bound <= want && (r.optimal || !kind->must_prove);
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
        {{{0, 8, 128, 64, {0}, PACK_NONE}, {3, 6, 256, 64, {0}, PACK_NONE},
          {4, 7, 96, 64, {0}, PACK_NONE}}, 3, 480},
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

/* A packing of height 8 given by its offsets, with next to no time to find one. */
static void hints(void **state)
{
    (void)state;
    struct pack_buffer b[] = {{0, 2, 4, 0, {0}, 0}, {0, 4, 2, 0, {0}, 4}, {0, 6, 2, 0, {0}, 6},
                              {2, 6, 4, 0, {0}, 0}, {4, 8, 2, 0, {0}, 4}, {6, 8, 4, 0, {0}, 0}};
    struct pack_problem p = {b, NULL, 6};
    struct arena a = {0};
    struct pack_result r = solve(&a, &p, 1);
    const char *bad = fault(&p, r.offset, r.height);
    uint64_t height = r.height;
    arena_free(&a);
    assert_null(bad);
    assert_int_equal(height, 8);
}

/* ---- CSV ---- */

#define BAD_ID " (ids are printable UTF-8, without characters that turn or hide text)"

static const struct csv_case {
    const char *name, *text, *error; /* error NULL: it reads, and writes the same again */
} csvs[] = {
    {"the least columns", "id,lower,upper,size\na,0,3,4\nb,3,9,4\n", NULL},
    {"every column, in another order",
     "size,id,gaps,upper,lower,hint,alignment,offset\n4,a,5-7 9-12,20,0,16,8,0\n", NULL},
    {"empty optional fields", "id,lower,upper,size,alignment,gaps,hint\na,0,3,4,,,\n", NULL},
    {"line ends of Windows", "id,lower,upper,size\r\na,0,3,4\r\n", NULL},
    {"no buffers", "id,lower,upper,size\n", NULL},
    {"blanks around a number", "id,lower,upper,size\na, 0 ,3,4\n", NULL},
    {"nothing at all", "",
     "tidemark: x.csv: is empty (the first line names the columns: id,lower,upper,size)"},
    {"a column that is none", "id,lower,upper,size,colour\n",
     "tidemark: x.csv:1:21: no column is called \"colour\" (the columns are id, lower, upper, size, "
     "alignment, gaps, hint, offset)"},
    {"a column twice", "id,lower,upper,size,size\n", "tidemark: x.csv:1:21: a second column size"},
    {"a column that is needed", "id,lower,upper\n",
     "tidemark: x.csv:1:1: the header has no column size (id, lower, upper and size are needed)"},
    {"a life that ends before it starts", "id,lower,upper,size\na,5,3,4\n",
     "tidemark: x.csv:2:5: upper 3 is not above lower 5 (lives are half-open: upper is the last step + "
     "1)"},
    {"a number that is none", "id,lower,upper,size\na,0,x,4\n",
     "tidemark: x.csv:2:5: upper \"x\" is not a whole number below 2^64"},
    {"a number below 0", "id,lower,upper,size\na,-1,3,4\n",
     "tidemark: x.csv:2:3: lower \"-1\" is not a whole number below 2^64"},
    {"a number that is missing", "id,lower,upper,size\na,0,3,\n",
     "tidemark: x.csv:2:7: size \"\" is not a whole number below 2^64"},
    {"a number too large", "id,lower,upper,size\na,0,3,99999999999999999999999\n",
     "tidemark: x.csv:2:7: size \"99999999999999999999999\" is not a whole number below 2^64"},
    {"a sum too large", "id,lower,upper,size\na,0,3,4\n\nb,0,3,2305843009213693952\n",
     "tidemark: x.csv:4:7: sizes and alignments add up to more than 2^61 bytes here"},
    {"an alignment of 0", "id,lower,upper,size,alignment\na,0,3,4,0\n",
     "tidemark: x.csv:2:9: an alignment of 0"},
    {"too few fields", "id,lower,upper,size\na,0,3\n",
     "tidemark: x.csv:2:1: 3 fields, but the header has 4"},
    {"too many fields", "id,lower,upper,size\na,0,3,4,5\n",
     "tidemark: x.csv:2:1: 5 fields, but the header has 4"},
    {"an id that steers a terminal", "id,lower,upper,size\na\033[31m,0,3,4\n",
     "tidemark: x.csv:2:2: an id with a byte 0x1B" BAD_ID},
    {"an id that turns text, last", "lower,upper,size,id\n0,3,4,a\xE2\x80\xAE\n",
     "tidemark: x.csv:2:8: an id with a byte 0xE2" BAD_ID},
    {"an id that is no UTF-8", "id,lower,upper,size\n\x9B,0,3,4\n",
     "tidemark: x.csv:2:1: an id with a byte 0x9B" BAD_ID},
    {"an id cut short in a character", "id,lower,upper,size\n\xE2\x80,0,3,4\n",
     "tidemark: x.csv:2:1: an id with a byte 0xE2" BAD_ID},
    {"a gap that is none", "id,lower,upper,size,gaps\na,0,9,4,2-3 x\n",
     "tidemark: x.csv:2:13: \"2-3 x\" is not a gap (gaps look like 5-7 9-12)"},
    {"a gap outside its life", "id,lower,upper,size,gaps\na,0,3,4,2-9\n",
     "tidemark: x.csv:2:9: gap 2-9 is not inside the buffer's life"},
    {"an empty gap", "id,lower,upper,size,gaps\na,0,9,4,2-2\n", "tidemark: x.csv:2:9: gap 2-2 is empty"},
    {"gaps that overlap", "id,lower,upper,size,gaps\na,0,9,4,2-5 4-6\n",
     "tidemark: x.csv:2:9: gap 4-6 comes before the end of the gap before it"},
    {"nothing but a gap", "id,lower,upper,size,gaps\na,0,9,4,0-9\n",
     "tidemark: x.csv:2:9: the gaps leave no time at which the buffer is alive"},
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
        assert_string_equal(line, c->error);
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
    static struct CMUnitTest tests[COUNT(faults) + COUNT(bad_problems) + COUNT(kinds) + COUNT(csvs) + 5];
    size_t n = 0;
    ADD_AS(large, "many random buffers with alignment and gaps: valid");
    ADD_AS(not_worse, "never worse than XLA's two orders");
    ADD_AS(same_again, "the same steps give the same packing");
    ADD_AS(hints, "an offset in the file is a hint: nothing is worse than it");
    ADD_AS(with_offsets, "offsets are written into a column of their own");
    ADD_TABLE(faults, checker, name);
    ADD_TABLE(bad_problems, refused, name);
    ADD_TABLE(kinds, brute_force, name);
    ADD_TABLE(csvs, csv, name);
    return _cmocka_run_group_tests("pack", tests, n, NULL, NULL);
}
