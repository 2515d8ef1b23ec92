/* The analysed program: who is alive, who owns which bytes, the peak, in the shipped dumps and in random
 * places. */
#include "core/load/dump/module.h"
#include "tests/support/program_sound.h"
#include "tests/support/random.h"
#include "tests/support/tables.h"

#define GIB (1ull << 30)

/* ---- The shipped dumps ---- */

/* The dump's own places with the dump's own ranges, by allocation and offset. */
struct claim {
    uint32_t alloc, start, end;
    uint64_t from, to;
};

static int by_place(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    if (x->alloc != y->alloc)
        return x->alloc < y->alloc ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static const char *name_of(const struct module *m, const struct dump_value *v)
{
    for (inst_id i = 0; !v->name && i < m->hlo.insts.n; i++)
        if (hlo_inst(&m->hlo, i)->id == v->inst)
            return hlo_inst(&m->hlo, i)->name;
    return v->name ? v->name : "";
}

static struct claim *claims_of(const struct module *m, uint32_t *n)
{
    const struct assignment *a = &m->assignment;
    struct claim *all = malloc(((size_t)a->values.n + 1) * sizeof *all);
    assert_non_null(all);
    *n = 0;
    for (uint32_t k = 0; k < a->values.n; k++) {
        const struct dump_value *v = assignment_value(a, k);
        const char *name = name_of(m, v);
        for (uint32_t r = 0; v->alloc != ALLOC_NONE && r < a->ranges.n; r++) {
            const struct claimed_range *c = (const struct claimed_range *)a->ranges.items + r;
            if (strcmp(name, c->name) == 0 && v->path.n == c->path.n &&
                (c->path.n == 0 || memcmp(assignment_path(a, v->path), assignment_path(a, c->path),
                                          c->path.n * sizeof(int64_t)) == 0))
                all[(*n)++] = (struct claim){v->alloc, c->start, c->end, v->offset,
                                             v->offset + v->reserved};
        }
    }
    qsort(all, *n, sizeof *all, by_place);
    return all;
}

static uint64_t claimed_live(const struct claim *all, uint32_t n, uint32_t step)
{
    uint64_t sum = 0, covered = 0; /* up to there in this allocation */
    for (uint32_t k = 0; k < n; k++) {
        const struct claim *c = &all[k];
        if (k == 0 || c->alloc != all[k - 1].alloc)
            covered = 0;
        if (step < c->start || step > c->end || c->to <= covered)
            continue;
        sum += c->to - (c->from > covered ? c->from : covered);
        covered = c->to;
    }
    return sum;
}

/* How many steps were compared. */
static uint32_t compare_claims(const struct module *m, const struct program *p)
{
    if (!m->assignment.ranges.n)
        return 0;
    uint32_t n;
    struct claim *all = claims_of(m, &n);
    for (uint32_t s = 0; s <= p->steps; s++)
        assert_true(claimed_live(all, n, s) == p->live[s]);
    free(all);
    return p->steps + 1;
}

static void every_cell(void **state)
{
    (void)state;
    struct dump d;
    struct diag why;
    uint32_t built[3] = {0}, claims = 0;
    assert_true(dump_find(&d, "fixtures/grid", &why));
    for (uint32_t k = 0; k < d.entries.n; k++)
        for (int form = FORM_ANY; form <= FORM_TEXT; form++) {
            struct module m;
            struct program p;
            if (form == FORM_TEXT && !dump_entry(&d, k)->path[DUMP_HLO_TEXT])
                continue;
            assert_true(dump_load(&d, k, (enum dump_form)form, &m, &why));
            assert_true(program_build(&p, &m, &why));
            assert_int_equal(p.lives, LIFE_RERUN);
            assert_true(p.n >= 16 && p.has_totals && p.notes.n == 0);
            sound(&p);
            claims += compare_claims(&m, &p);
            built[form]++;
            program_free(&p);
            module_free(&m);
        }
    dump_free(&d);
    assert_true(built[FORM_ANY] >= 57 && built[FORM_PROTO] == built[FORM_ANY]);
    assert_int_equal(built[FORM_TEXT], 2);
    assert_true(claims > 300);
}

/* A module in every form of one of the two cells that have text. */
static void load(struct module *m, const char *cell, enum dump_form form)
{
    struct dump d;
    struct diag why;
    assert_true(dump_find(&d, cell, &why));
    assert_int_equal(d.entries.n, 1);
    assert_true(dump_load(&d, 0, form, m, &why));
    dump_free(&d);
}

#define SCAN   "fixtures/grid/a100-d1048576-s4-u1"
#define UNROLL "fixtures/grid/a100-d1048576-s4-ufull"

static void default_cell(void **state)
{
    (void)state;
    for (int form = FORM_PROTO; form <= FORM_TEXT; form++) {
        struct module m;
        struct program p;
        struct diag why;
        char source[64];
        load(&m, SCAN, (enum dump_form)form);
        assert_true(program_build(&p, &m, &why));
        assert_int_equal(p.steps, 75);
        assert_string_equal(p.step_name[p.peak], "gemm_fusion_dot.5");
        /* the carry and its two stacks: 4 + 16 + 4 GiB, and 561,264 bytes of small ones */
        assert_true(p.live[p.peak] == 24 * GIB + 561264);
        assert_true(p.totals.argument == 4294971408 && p.totals.output == 4294971408 &&
                    p.totals.temp == 21475395392 && p.totals.alias == 4294971392);
        assert_int_equal(p.loops.n, 2);
        assert_string_equal(p.loops.items[0].name, "while.16");
        assert_int_equal(p.loops.items[0].first, 11);
        assert_int_equal(p.loops.items[0].last, 35);
        assert_int_equal(p.loops.items[0].trip_count, 4);
        assert_string_equal(p.loops.items[1].name, "while");
        assert_int_equal(p.loops.items[1].depth, 0);
        buf_id stack = BUF_NONE;
        for (buf_id b = 0; b < p.n; b++)
            if (strcmp(p.name_of[b], "while.16{3}") == 0)
                stack = b;
        assert_true(stack != BUF_NONE);
        assert_string_equal(p.shape[stack], "f32[4,1024,1048576]");
        assert_true(p.size[stack] == 16 * GIB && p.main[stack]);
        assert_int_equal(p.start[stack], 36);
        assert_string_equal(program_source(&p, stack, source, sizeof source), "scan.py:40");
        program_free(&p);
        module_free(&m);
    }
}

/* ---- Random places, against counting byte by byte ---- */

enum { ALLOCS = 3, BYTES = 40, STEPS = 12, VALUES = 14 };

static void random_module(struct module *m, uint64_t *seed)
{
    *m = (struct module){.name = "random", .has_assignment = true, .platform = PLATFORM_GPU};
    struct assignment *a = &m->assignment;
    a->arena = &m->arena;
    a->max = 1 + below(seed, STEPS);
    a->has_max = true;
    for (int64_t k = 0; k < ALLOCS; k++)
        *(struct allocation *)list_add(&m->arena, &a->allocs, sizeof(struct allocation)) =
            (struct allocation){.index = k, .size = BYTES, .color = k == 2 ? 5 : 0};
    uint32_t n = 1 + below(seed, VALUES);
    for (uint32_t k = 0; k < n; k++) {
        struct dump_value *v = list_add(&m->arena, &a->values, sizeof *v);
        struct claimed_range *r = list_add(&m->arena, &a->ranges, sizeof *r);
        *v = (struct dump_value){.id = k, .inst = -1, .alloc = below(seed, ALLOCS)};
        v->name = r->name = arena_printf(&m->arena, "v%u", k);
        v->offset = below(seed, BYTES);
        v->reserved = v->size = below(seed, BYTES - (uint32_t)v->offset + 1);
        r->start = below(seed, a->max + 1);
        r->end = r->start + below(seed, a->max + 1 - r->start);
    }
}

/* The owner of a byte: the one born last; of those born together the larger, then the later. */
static buf_id owner(const struct program *p, uint32_t step, uint32_t alloc, uint64_t byte)
{
    buf_id best = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++) {
        if (p->alloc[b] != alloc || byte < p->offset[b] || byte >= p->offset[b] + p->size[b] ||
            step < p->start[b] || step > p->end[b])
            continue;
        if (best == BUF_NONE || p->start[b] > p->start[best] ||
            (p->start[b] == p->start[best] && p->size[b] >= p->size[best]))
            best = b;
    }
    return best;
}

static void owned_bytes(const struct program *p, uint32_t step)
{
    uint64_t want[VALUES] = {0}, own[VALUES], live = 0;
    buf_id ids[VALUES];
    for (uint32_t alloc = 0; alloc < ALLOCS; alloc++)
        for (uint64_t byte = 0; byte < BYTES; byte++) {
            buf_id b = owner(p, step, alloc, byte);
            if (b == BUF_NONE)
                continue;
            want[b]++;
            live += alloc != 2;
        }
    uint32_t n = program_alive(p, step, ids, own);
    for (uint32_t k = 0; k < n; k++)
        assert_true(own[k] == want[ids[k]]);
    assert_true(p->live[step] == live);
}

static void random_places(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int problem = 0; problem < 300; problem++) {
        struct module m;
        struct program p;
        struct diag why;
        random_module(&m, &seed);
        assert_true(program_build(&p, &m, &why));
        assert_int_equal(p.n, m.assignment.values.n);
        assert_int_equal(p.steps, m.assignment.max);
        sound(&p);
        for (uint32_t s = 0; s <= p.steps; s++)
            owned_bytes(&p, s);
        program_free(&p);
        arena_free(&m.arena);
    }
}

static void dump_is_rerun(void **state)
{
    (void)state;
    static const char *const cells[] = {SCAN, UNROLL};
    for (size_t c = 0; c < COUNT(cells); c++) {
        struct module m;
        struct program p, q;
        struct diag why;
        load(&m, cells[c], FORM_TEXT);
        assert_true(program_build(&p, &m, &why));
        m.has_hlo = false;
        assert_true(program_build(&q, &m, &why));
        assert_int_equal(q.lives, LIFE_DUMP);
        sound(&q);
        assert_int_equal(q.steps, p.steps);
        assert_int_equal(q.n, p.n);
        assert_int_equal(q.n_slots, p.n_slots);
        assert_int_equal(q.peak, p.peak);
        assert_memory_equal(q.live, p.live, (p.steps + 1) * sizeof *p.live);
        for (buf_id b = 0; b < p.n; b++) {
            assert_string_equal(q.name_of[b], p.name_of[b]);
            assert_string_equal(q.shape[b], p.shape[b]);
            assert_int_equal(q.start[b], p.start[b]);
            assert_int_equal(q.end[b], p.end[b]);
        }
        for (uint32_t s = 0; s < p.steps; s++)
            assert_string_equal(q.step_name[s], p.step_name[s]);
        program_free(&p);
        program_free(&q);
        module_free(&m);
    }
}

int main(void)
{
    static struct CMUnitTest tests[4];
    size_t n = 0;
    ADD_AS(every_cell, "all shipped dumps, step by step");
    ADD_AS(default_cell, "the shipped scan, its peak and its loops");
    ADD_AS(random_places, "300 random assignments, byte by byte");
    ADD_AS(dump_is_rerun, "the dump's own ranges give the same picture");
    return _cmocka_run_group_tests("program", tests, n, NULL, NULL);
}
