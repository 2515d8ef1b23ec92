/* HloProto: whatever is in the file, nothing crashes, and what is read is sound. */
#include "core/analysis/place/verify.h"
#include "tests/support/proto_words.h"
#include "tests/support/random.h"

/* Reads, and does with the program what the product does. */
static bool survives_file(struct file f, struct diag *d)
{
    struct module m = {.name = "m", .file = f.name, .platform = PLATFORM_GPU};
    struct diag other;
    hlo_init(&m.hlo, &m.arena, f.name);
    m.assignment.arena = &m.arena;
    *d = (struct diag){.what = ""};
    bool ok = m.has_hlo = hlo_proto_read(&m.hlo, &m.assignment, &m.has_assignment, &f, d);
    memset((char *)f.text, 0xA5, f.size); /* nothing that was read refers to it */
    if (ok && m.has_assignment)
        m.has_assignment = assignment_check(&m.assignment, &other);
    struct program p;
    struct verify v;
    if (ok && program_build(&p, &m, &other)) {
        buf_id *ids = malloc(((size_t)p.n + 1) * sizeof *ids);
        uint64_t *own = malloc(((size_t)p.n + 1) * sizeof *own);
        assert_true(ids && own);
        program_alive(&p, p.peak, ids, own);
        verify_program(&v, &p);
        verify_free(&v);
        for (buf_id b = 0; b < p.n; b++)
            ok &= p.start[b] <= p.end[b] && p.end[b] <= p.steps;
        free(ids);
        free(own);
        program_free(&p);
        assert_true(ok);
    }
    arena_free(&m.arena);
    return ok;
}

static bool survives(const void *bytes, size_t n, struct diag *d)
{
    struct file f = file_of(bytes, n);
    bool ok = survives_file(f, d);
    free((char *)f.text);
    return ok;
}

static struct file cell(struct arena *a, const char *name)
{
    struct file f;
    struct diag d;
    assert_true(file_read(a, &f, name, &d));
    return f;
}

/* Only a cut behind the module leaves something sound: the program without its assignment. */
static void cut_anywhere(void **state)
{
    (void)state;
    struct arena a = {0};
    struct file f = cell(&a, CELL);
    size_t len = 0, at = 1, sound = 0;
    char *copy = calloc(f.size + 1, 1);
    assert_non_null(copy);
    for (unsigned shift = 0, byte = 0x80; byte & 0x80; shift += 7) { /* field 1 and its length */
        byte = (uint8_t)f.text[at++];
        len |= (size_t)(byte & 0x7F) << shift;
    }
    size_t end = at + len;
    assert_true(f.text[0] == 0x0A && end < f.size);
    for (size_t n = 0; n <= f.size; n++) {
        struct diag d;
        char *text = copy + f.size - n; /* ends where the copy does */
        memcpy(text, f.text, n);
        if (survives_file((struct file){"x.pb", text, n}, &d)) {
            sound++;
            if (n != end && n != f.size)
                fail_msg("%zu bytes of %zu were read", n, f.size);
        } else if (!*d.what)
            fail_msg("%zu bytes of %zu were refused without a word", n, f.size);
    }
    free(copy);
    arena_free(&a);
    assert_int_equal(sound, 2);
}

/* The module cut inside, its length set right. */
static void cut_inside(void **state)
{
    (void)state;
    struct arena a = {0};
    struct file f = cell(&a, CELL);
    size_t refusals = 0, tries = 0;
    for (size_t n = 0; n + 4 < f.size; n += 61, tries++) {
        struct pb p = {0};
        struct diag d;
        pb_bytes(&p, 1, f.text + 4, n);
        if (!survives(p.at, p.n, &d)) {
            refusals++;
            assert_true(*d.what);
        }
        pb_free(&p);
    }
    arena_free(&a);
    assert_true(tries > 500 && refusals > tries / 2);
}

static void flipped(const char *name, uint64_t seed, unsigned rounds)
{
    struct arena a = {0};
    struct file f = cell(&a, name);
    uint8_t *copy = malloc(f.size);
    unsigned read = 0;
    assert_non_null(copy);
    for (unsigned k = 0; k < rounds; k++) {
        struct diag d;
        memcpy(copy, f.text, f.size);
        for (uint32_t n = 1 + below(&seed, 4); n > 0; n--) {
            uint8_t *at = &copy[below(&seed, (uint32_t)f.size)];
            switch (below(&seed, 3)) {
            case 0:
                *at ^= (uint8_t)(1u << below(&seed, 8));
                break;
            case 1:
                *at = (uint8_t)below(&seed, 256);
                break;
            default:
                *at = (uint8_t)(*at + 1);
            }
        }
        if (survives(copy, f.size, &d))
            read++;
        else
            assert_true(*d.what);
    }
    free(copy);
    arena_free(&a);
    assert_in_range(read, 1, rounds - 1); /* some damage is seen, some is only another program */
}

static void flips_gpu(void **state)
{
    (void)state;
    flipped("fixtures/grid/a100-d16384-s1-ufull/"
            "module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb", 1, 1500);
    flipped(CELL, 2, 500);
}

static void flips_tpu(void **state)
{
    (void)state;
    flipped("fixtures/grid/tpu-v5e-d262144-s2-u1/"
            "module_0000.jit_step.cl_933746096.after_optimizations.hlo.pb", 3, 1000);
}

static void flips_small(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct pb p = {0};
        size_t mark[MARKS];
        uint64_t seed = 4 + (uint64_t)which;
        write_spec(which ? &small : &everything, &p, mark);
        uint8_t *copy = malloc(p.n);
        assert_non_null(copy);
        for (unsigned k = 0; k < 3000; k++) {
            struct diag d;
            memcpy(copy, p.at, p.n);
            for (uint32_t n = 1 + below(&seed, 3); n > 0; n--)
                copy[below(&seed, (uint32_t)p.n)] =
                    (uint8_t)below(&seed, below(&seed, 2) ? 256 : 16);
            if (!survives(copy, p.n, &d))
                assert_true(*d.what);
        }
        free(copy);
        pb_free(&p);
    }
}

/* A schedule without the async-done, or with it before its start, is odd but no reason to end a
 * life before it begins. */
static void odd_schedules(void **state)
{
    (void)state;
    static const struct spec s = {
        .comp = {{"c", 10, 13, 3, {11, 12, 13}, 3}, {"e", 20, 23, 3, {21, 22, 23}, 3}},
        .n_comps = 2,
        .inst = {{"p", "parameter", "f32[2]", 11, NO_OPS},
                 {"m", "negate", "f32[2]", 12, OPS1(11)},
                 {"n", "negate", "f32[2]", 13, OPS1(12)},
                 {"x", "parameter", "f32[2]", 21, NO_OPS},
                 {"s", "async-start", "((f32[2]), f32[2])", 22, OPS1(21), CALLS1(10)},
                 {"d", "async-done", "f32[2]", 23, OPS1(22)}},
        .entry = 20,
        .has_frames = true, /* recent: lives begin at the async-start */
    };
    static const int64_t orders[][4] = {{21, 22, 23, 3}, {21, 22, 0, 2}, {23, 21, 22, 3},
                                        {22, 0, 0, 1},   {23, 22, 21, 3}};
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct spec odd = s;
        struct pb p = {0};
        size_t mark[MARKS];
        struct diag d;
        memcpy(odd.comp[1].order, orders[i], sizeof orders[i]);
        odd.comp[1].n_order = (int)orders[i][3];
        write_spec(&odd, &p, mark);
        bool ok = survives(p.at, p.n, &d);
        pb_free(&p);
        assert_true(ok);
    }
}

/* A tile of no dimensions cuts nothing. */
static void empty_tile(void **state)
{
    (void)state;
    static const char shape[] = "\x10\x0B\x1A\x01\x04\x2A\x05\x0A\x01\x00\x32\x00";
    struct spec s = small;
    struct pb p = {0};
    size_t mark[MARKS];
    struct diag d;
    s.inst[3] = (struct inst){"k", "custom-call", NULL, 22, OPS1(21)};
    s.shape = shape;
    s.shape_n = sizeof shape - 1;
    s.has_assignment = false; /* sizes are those of the shapes */
    write_spec(&s, &p, mark);
    bool ok = survives(p.at, p.n, &d);
    pb_free(&p);
    assert_true(ok);
}

int main(void)
{
    static struct CMUnitTest tests[7];
    size_t n = 0;
    ADD_AS(odd_schedules, "schedules that lack or misplace an async-done");
    ADD_AS(empty_tile, "a layout with an empty tile");
    ADD_AS(cut_anywhere, "a file cut anywhere");
    ADD_AS(cut_inside, "a module cut inside");
    ADD_AS(flips_gpu, "random damage to GPU programs");
    ADD_AS(flips_tpu, "random damage to a TPU program");
    ADD_AS(flips_small, "random damage to small programs");
    return _cmocka_run_group_tests("hlo_proto_damaged", tests, n, NULL, NULL);
}
