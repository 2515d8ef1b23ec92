/* The analysed program: who is alive, who owns which bytes, the peak, loops, and what stands in for
 * what is missing. */
#include "core/analysis/program/program.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/cmocka_all.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define GIB          (1ull << 30)

/* ---- What must hold of every program at every step ---- */

static void alive_in_order(const struct program *p, const buf_id *ids, const uint64_t *own,
                           uint32_t n, uint32_t step)
{
    for (uint32_t k = 0; k < n; k++) {
        buf_id b = ids[k];
        assert_true(p->start[b] <= step && step <= p->end[b]);
        assert_true(own[k] <= p->size[b]);
        if (k == 0)
            continue;
        buf_id a = ids[k - 1];
        bool ordered = own[k - 1] != own[k]       ? own[k - 1] > own[k]
                       : p->size[a] != p->size[b] ? p->size[a] > p->size[b]
                                                  : a < b;
        if (!ordered)
            fail_msg("step %u: %s stands before %s", step, p->name_of[a], p->name_of[b]);
    }
}

static void sound_steps(const struct program *p)
{
    buf_id *ids = malloc(((size_t)p->n + 1) * sizeof *ids), *again = malloc(p->n * sizeof *ids + 1);
    uint64_t *own = malloc(((size_t)p->n + 1) * sizeof *own);
    assert_true(ids && own && again);
    for (uint32_t step = 0; step <= p->steps; step++) {
        uint32_t n = program_alive(p, step, ids, own), count = 0;
        uint64_t sum = 0;
        for (buf_id b = 0; b < p->n; b++)
            count += p->start[b] <= step && step <= p->end[b];
        assert_int_equal(n, count);
        alive_in_order(p, ids, own, n, step);
        for (uint32_t k = 0; k < n; k++)
            sum += p->main[ids[k]] ? own[k] : 0;
        if (sum != p->live[step])
            fail_msg("%s, step %u: %llu bytes are owned, %llu are live", p->name, step,
                     (unsigned long long)sum, (unsigned long long)p->live[step]);
        assert_int_equal(program_alive(p, step, again, NULL), n);
        assert_memory_equal(again, ids, n * sizeof *ids);
    }
    free(ids);
    free(again);
    free(own);
}

static void sound_columns(const struct program *p)
{
    for (buf_id b = 0; b < p->n; b++) {
        assert_true(p->start[b] <= p->end[b] && p->end[b] <= p->steps);
        assert_true(p->slot[b] < p->n_slots);
        assert_non_null(p->name_of[b]);
        assert_non_null(p->shape[b]);
        for (buf_id c = 0; c < b; c++)
            assert_int_equal(p->slot[b] == p->slot[c], program_group(p, b) == program_group(p, c) &&
                                                           p->offset[b] == p->offset[c]);
    }
    for (uint32_t s = 0; s <= p->steps; s++)
        assert_true(s < p->peak ? p->live[s] < p->live[p->peak] : p->live[s] <= p->live[p->peak]);
    assert_true(program_most(p, 0, p->steps) == p->live[p->peak]);
    assert_true(program_most(p, p->peak, p->peak) == p->live[p->peak]);
    assert_true(program_most(p, p->steps, UINT32_MAX) == p->live[p->steps]);
}

static void sound_loops(const struct program *p)
{
    for (uint32_t k = 0; k < p->loops.n; k++) {
        const struct loop *x = &p->loops.items[k];
        uint32_t around = 0;
        assert_true(x->first <= x->last && x->last < p->steps);
        assert_string_equal(p->step_name[x->last + 1], x->name); /* the while closes its body */
        for (uint32_t j = 0; j < p->loops.n; j++) {
            const struct loop *y = &p->loops.items[j];
            around += j != k && y->first <= x->first && x->last <= y->last;
            assert_true(j <= k || y->first >= x->first);
        }
        assert_int_equal(x->depth, around);
    }
}

static void sound(const struct program *p)
{
    sound_columns(p);
    sound_loops(p);
    sound_steps(p);
}

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

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

/* Values without a program, each with a range and a place; allocation 2 is pinned host memory. */
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

/* ---- Modules by hand ---- */

static void read_program(struct module *m, const char *header, const char *text)
{
    struct diag d;
    *m = (struct module){.name = "m", .platform = PLATFORM_GPU, .has_hlo = true};
    char *all = arena_printf(&m->arena, "HloModule m%s\n\n%s", header, text);
    struct file f = {"x.txt", all, strlen(all)};
    hlo_init(&m->hlo, &m->arena, f.name);
    m->assignment.arena = &m->arena;
    assert_true(hlo_text_read(&m->hlo, &f, &d));
}

static void add_alloc(struct module *m, uint64_t size)
{
    struct allocation *a = list_add(&m->arena, &m->assignment.allocs, sizeof *a);
    *a = (struct allocation){m->assignment.allocs.n - 1, size, .parameter = -1};
    m->has_assignment = true;
}

static void add_value(struct module *m, const char *name, uint64_t offset, uint64_t size)
{
    struct dump_value *v = list_add(&m->arena, &m->assignment.values, sizeof *v);
    *v = (struct dump_value){.id = m->assignment.values.n, .inst = -1, .name = name, .size = size,
                             .offset = offset, .reserved = size,
                             .alloc = m->assignment.allocs.n - 1};
}

static void add_range(struct module *m, const char *name, uint32_t start, uint32_t end)
{
    struct claimed_range *r = list_add(&m->arena, &m->assignment.ranges, sizeof *r);
    *r = (struct claimed_range){.name = name, .start = start, .end = end};
}

static void add_step(struct module *m, const char *name)
{
    *(const char **)list_add(&m->arena, &m->assignment.sequence, sizeof(char *)) = name;
}

/* "name:start-end size@offset" of all buffers, the live bytes, the notes. */
static void in_words(const struct program *p, char *out, size_t size)
{
    size_t used = 0;
    for (buf_id b = 0; b < p->n; b++)
        used += (size_t)snprintf(out + used, size - used, "%s:%u-%u %llu@%llu%s, ", p->name_of[b],
                                 p->start[b], p->end[b], (unsigned long long)p->size[b],
                                 (unsigned long long)p->offset[b], p->main[b] ? "" : " elsewhere");
    for (uint32_t s = 0; s <= p->steps; s++)
        used += (size_t)snprintf(out + used, size - used, "%s%llu", s ? " " : "live ",
                                 (unsigned long long)p->live[s]);
    used += (size_t)snprintf(out + used, size - used, ", peak %u", p->peak);
    for (uint32_t k = 0; k < p->notes.n; k++)
        used += (size_t)snprintf(out + used, size - used, "; %s",
                                 ((const char *const *)p->notes.items)[k]);
    assert_true(used < size);
}

static void built(struct module *m, enum life lives, const char *want)
{
    struct program p;
    struct diag why;
    char text[2048];
    assert_true(program_build(&p, m, &why));
    sound(&p);
    in_words(&p, text, sizeof text);
    bool has = p.has_totals;
    enum life got = p.lives;
    program_free(&p);
    bool assigned = m->has_assignment;
    arena_free(&m->arena);
    assert_string_equal(text, want);
    assert_int_equal(got, lives);
    assert_int_equal(has, assigned);
}

#define SCHEDULED ", is_scheduled=true"
#define CHAIN                                                                                      \
    "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[4] custom-call(x)\n b = f32[4] negate(a)\n"     \
    " ROOT c = f32[2] custom-call(b)\n}\n"

static void both(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, SCHEDULED, CHAIN);
    add_alloc(&m, 8);
    add_value(&m, "x", 0, 8);
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 24); /* reserved is what counts */
    add_value(&m, "c", 8, 8);   /* in what a held */
    built(&m, LIFE_RERUN,
          "x:0-4 8@0, a:1-2 16@0, b:2-3 24@16, c:3-4 8@8, live 8 24 48 40 16, peak 2");
}

static void strangers(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, SCHEDULED, CHAIN);
    add_alloc(&m, 64);
    add_value(&m, "x", 0, 8);
    add_value(&m, "y", 8, 8);
    add_value(&m, "z", 16, 8);
    built(&m, LIFE_RERUN, "x:0-4 8@0, live 8 8 8 8 8, peak 0; "
                          "2 placed values are not in the program and are not shown");
}

static void no_assignment(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, SCHEDULED,
                 "ENTRY e {\n x = f32[2] parameter(0)\n h = f32[100]{0:S(5)} custom-call(x)\n"
                 " a = f32[4] custom-call(x)\n u = f32[1] custom-call(x)\n i = s32[] constant(0)\n"
                 " d = f32[4] dynamic-update-slice(a, u, i)\n ROOT c = f32[2] custom-call(d)\n}\n");
    /* a and d are one alias set: 16 bytes, once */
    built(&m, LIFE_RERUN,
          "x:0-7 8@0, h:1-1 400@0 elsewhere, a:2-5 16@0, u:3-5 4@0, i:4-5 4@0, d:5-6 16@0, "
          "c:6-7 8@0, live 8 8 24 28 32 32 32 16, peak 4; "
          "no buffer assignment in the dump: sizes are those of the values, places are unknown");
}

static void no_hlo(void **state)
{
    (void)state;
    struct module m = {.name = "m", .platform = PLATFORM_GPU};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 8, 16);
    add_value(&m, "lost", 40, 8);
    assignment_value(&m.assignment, 0)->shape = "(f32[2]{0:T(8,128)}, s32[])";
    add_alloc(&m, 8);
    assignment_alloc(&m.assignment, 1)->flags = ALLOC_THREAD_LOCAL;
    add_value(&m, "in_a_fusion", 0, 8);
    add_step(&m, "a");
    add_step(&m, "b");
    add_range(&m, "a", 0, 1);
    add_range(&m, "b", 1, 3);
    m.assignment.has_max = true;
    m.assignment.max = 3;
    struct program p;
    struct diag why;
    assert_true(program_build(&p, &m, &why));
    assert_string_equal(p.step_name[1], "b");
    assert_string_equal(p.step_name[2], "?"); /* promised, but not named */
    assert_int_equal(p.step_inst[0], HLO_NONE);
    assert_string_equal(p.shape[0], "(f32[2], s32[])");
    assert_string_equal(p.shape[1], "");
    assert_int_equal(p.inst[0], HLO_NONE);
    assert_int_equal(p.value[0], VALUE_NONE);
    program_free(&p);
    built(&m, LIFE_DUMP,
          "a{}:0-1 16@0, b:1-3 16@8, live 16 24 16 16, peak 1; "
          "no HLO in the dump: live ranges are the dump's own, not rerun; "
          "1 placed values have no live range and are not shown");
}

static void only_places(void **state)
{
    (void)state;
    struct module m = {.name = "m", .platform = PLATFORM_GPU};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 8, 16);
    add_alloc(&m, 8);
    assignment_alloc(&m.assignment, 1)->flags = ALLOC_THREAD_LOCAL;
    add_value(&m, "in_a_fusion", 0, 8);
    built(&m, LIFE_NONE, "a:0-0 16@0, b:0-0 16@8, live 24, peak 0; neither HLO nor live ranges in "
                         "the dump: every buffer is shown as alive throughout");
}

static void no_schedule(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, "", CHAIN);
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 16);
    built(&m, LIFE_NONE,
          "a:0-0 16@0, b:0-0 16@16, live 32, peak 0; "
          "the program has no schedule, so there is no program order; "
          "no live ranges in the dump: every buffer is shown as alive throughout");
}

static void no_schedule_but_ranges(void **state)
{
    (void)state;
    struct module m;
    read_program(&m, "", CHAIN);
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 16);
    add_step(&m, "a");
    add_step(&m, "b");
    add_range(&m, "a", 0, 1);
    add_range(&m, "b", 1, 2);
    built(&m, LIFE_DUMP,
          "a:0-1 16@0, b:1-2 16@16, live 16 32 16, peak 1; "
          "the program has no schedule, so there is no program order; "
          "live ranges are the dump's own, not rerun");
}

static void nothing_placed(void **state)
{
    (void)state;
    struct module m = {.name = "m"};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    built(&m, LIFE_NONE, "live 0, peak 0; neither HLO nor live ranges in the dump: every buffer is "
                         "shown as alive throughout");
}

static void first_peak(void **state)
{
    (void)state;
    struct module m = {.name = "m"};
    m.assignment.arena = &m.arena;
    add_alloc(&m, 64);
    add_value(&m, "a", 0, 16);
    add_value(&m, "b", 16, 16);
    add_range(&m, "a", 2, 3);
    add_range(&m, "b", 5, 6);
    m.assignment.has_max = true;
    m.assignment.max = 7;
    built(&m, LIFE_DUMP, "a:2-3 16@0, b:5-6 16@16, live 0 0 16 16 0 16 16 0, peak 2; "
                         "no HLO in the dump: live ranges are the dump's own, not rerun");
}

static void contradiction(void **state)
{
    (void)state;
    struct module m;
    struct program p;
    struct diag why;
    char text[512];
    read_program(&m, SCHEDULED,
                 "ENTRY e {\n x = f32[2] parameter(0)\n ROOT b = (f32[2]) bitcast(x)\n}\n");
    bool ok = program_build(&p, &m, &why);
    arena_free(&m.arena);
    assert_false(ok);
    assert_null(p.arena.head);
    assert_string_equal(diag_text(&why, text, sizeof text),
                        "tidemark: x.txt: bitcast b does not have the shape that parameter x hands "
                        "on (the file is damaged or was edited: dump it again)");
}

/* The dump's ranges are those that we find, so the pictures are the same. */
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

/* ---- Loops ---- */

#define PAIR "(f32[2], s32[])"
#define WHILE_PARTS(n)                                                                             \
    "b" n " {\n bp" n " = " PAIR " parameter(0)\n"                                                 \
    " x" n " = f32[2] get-tuple-element(bp" n "), index=0\n"                                       \
    " i" n " = s32[] get-tuple-element(bp" n "), index=1\n"                                        \
    " ROOT bt" n " = " PAIR " tuple(x" n ", i" n ")\n}\n"                                          \
    "c" n " {\n cp" n " = " PAIR " parameter(0)\n ROOT cr" n " = pred[] custom-call(), custom_call_target=\"f\"\n}\n"

static void nested_loops(void **state)
{
    (void)state;
    struct module m;
    struct program p;
    struct diag why;
    read_program(&m, SCHEDULED,
                 WHILE_PARTS("1") WHILE_PARTS("2") WHILE_PARTS("3")
                 "ob {\n op = " PAIR " parameter(0)\n"
                 " w1 = " PAIR " while(op), condition=c1, body=b1, "
                 "backend_config={\"known_trip_count\":{\"n\":\"8\"}}\n"
                 " ROOT w2 = " PAIR " while(w1), condition=c2, body=b2, "
                 "backend_config={\"known_trip_count\":{\"n\":3}}\n}\n"
                 "oc {\n oq = " PAIR " parameter(0)\n ROOT or = pred[] custom-call(), custom_call_target=\"f\"\n}\n"
                 "ENTRY e {\n t = " PAIR " parameter(0)\n"
                 " outer = " PAIR " while(t), condition=oc, body=ob, "
                 "backend_config={\"known_trip_count\":{\"n\":\"16\"},\"x\":[]}\n"
                 " ROOT last = " PAIR " while(outer), condition=c3, body=b3\n}\n");
    assert_true(program_build(&p, &m, &why));
    sound_loops(&p);
    static const struct { const char *name; uint32_t first, last, depth; int64_t trips; } want[] = {
        {"outer", 1, 17, 0, 16}, /* oc: 1-2, op: 3 */
        {"w1", 4, 9, 1, 8},
        {"w2", 11, 16, 1, -1}, /* a number where XLA writes a text */
        {"last", 19, 24, 0, -1},
    };
    assert_int_equal(p.loops.n, COUNT(want));
    for (size_t k = 0; k < COUNT(want); k++) {
        assert_string_equal(p.loops.items[k].name, want[k].name);
        assert_string_equal(hlo_inst(&m.hlo, p.loops.items[k].inst)->name, want[k].name);
        assert_int_equal(p.loops.items[k].first, want[k].first);
        assert_int_equal(p.loops.items[k].last, want[k].last);
        assert_int_equal(p.loops.items[k].depth, want[k].depth);
        assert_int_equal(p.loops.items[k].trip_count, want[k].trips);
    }
    program_free(&p);
    arena_free(&m.arena);
}

/* ---- Sources ---- */

#define META(op, line)                                                                             \
    ", metadata={op_name=\"" op "\" source_file=\"/a/b/scan.py\" source_line=" line "}"

static void sources(void **state)
{
    (void)state;
    struct module m;
    struct program p;
    struct diag why;
    read_program(&m, SCHEDULED,
                 "fused {\n fp = f32[2] parameter(0)\n fa = f32[2] negate(fp)" META("neg", "5")
                 "\n fb = f32[2] negate(fa)" META("neg2", "6") "\n ROOT fc = f32[2] negate(fb)\n}\n"
                 "body {\n ROOT bp = (f32[2]) parameter(0)\n}\n"
                 "cond {\n cp = (f32[2]) parameter(0)\n ROOT cr = pred[] constant(false)\n}\n"
                 "ENTRY e {\n x = f32[2] parameter(0), metadata={op_name=\"x\"}\n"
                 " a = f32[2] negate(x)" META("a", "21") "\n f = f32[2] fusion(a), calls=fused\n"
                 " z = f32[2] negate(f), metadata={source_file=\"z.py\"}\n"
                 " y = f32[2] negate(z)\n t = (f32[2]) tuple(y)\n"
                 " w = (f32[2]) while(t), condition=cond, body=body" META("while", "9")
                 "\n ROOT r = f32[2] get-tuple-element(w), index=0\n}\n");
    assert_true(program_build(&p, &m, &why));
    static const struct { const char *name, *source, *op_name; } want[] = {
        {"x", NULL, "x"},           {"a", "scan.py:21", "a"}, {"f", "scan.py:6", "neg2"},
        {"z", "z.py", NULL},        {"y", NULL, NULL},
    };
    size_t seen = 0;
    for (buf_id b = 0; b < p.n; b++)
        for (size_t k = 0; k < COUNT(want); k++) {
            char out[64];
            if (strcmp(p.name_of[b], want[k].name) != 0)
                continue;
            seen++;
            const char *source = program_source(&p, b, out, sizeof out);
            assert_string_equal(source ? source : "none", want[k].source ? want[k].source : "none");
            assert_string_equal(p.op_name[b] ? p.op_name[b] : "none",
                                want[k].op_name ? want[k].op_name : "none");
            if (k == 1)
                assert_string_equal(program_source(&p, b, out, 8), "scan.py"); /* cut */
        }
    assert_int_equal(seen, COUNT(want));
    for (inst_id i = 0; i < m.hlo.insts.n; i++) {
        const char *name = hlo_inst(&m.hlo, i)->name, *speaks = program_speaker(&m.hlo, i)->name;
        bool loop = strcmp(name, "bp") == 0 || strcmp(name, "cp") == 0;
        assert_string_equal(speaks, loop ? "w" : strcmp(name, "f") == 0 ? "fb" : name);
    }
    program_free(&p);
    arena_free(&m.arena);
}

static const struct CMUnitTest tests[] = {
    {.name = "all shipped dumps, step by step", .test_func = every_cell},
    {.name = "the shipped scan, its peak and its loops", .test_func = default_cell},
    {.name = "300 random assignments, byte by byte", .test_func = random_places},
    {.name = "HLO and assignment", .test_func = both},
    {.name = "placed values that the program lacks", .test_func = strangers},
    {.name = "HLO alone: an alias set counts once, host memory not", .test_func = no_assignment},
    {.name = "an assignment with ranges, without HLO", .test_func = no_hlo},
    {.name = "an assignment alone", .test_func = only_places},
    {.name = "HLO without a schedule", .test_func = no_schedule},
    {.name = "HLO without a schedule, but with ranges", .test_func = no_schedule_but_ranges},
    {.name = "nothing placed", .test_func = nothing_placed},
    {.name = "the peak is the first maximum", .test_func = first_peak},
    {.name = "shapes that contradict each other", .test_func = contradiction},
    {.name = "the dump's own ranges give the same picture", .test_func = dump_is_rerun},
    {.name = "loops in a loop and beside it", .test_func = nested_loops},
    {.name = "where a value comes from", .test_func = sources},
};

int main(void)
{
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
