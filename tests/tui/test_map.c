/* Places, memory spaces and the address map: what a cell shows, what lies at the cursor, and the
 * keys that move it. */
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/random.h"
#include "tests/support/tables.h"
#include "tui/model/layout.h"
#include "tui/update/update.h"
#include "tui/views/views.h"

/* ---- Random programs: buffers that overlap in a few allocations and memories ---- */

static void make_random(struct sample *s, uint64_t seed)
{
    static const int32_t colors[] = {0, 1, 0, 5, 2};
    struct program *p = &s->program;
    memset(s, 0, sizeof *s);
    p->module = &s->module;
    p->name = s->module.name = "jit_random";
    s->module.platform = PLATFORM_TPU;
    s->module.has_assignment = true;
    sample_steps_of(p, below(&seed, 60));
    p->n = below(&seed, 70);
    sample_columns(p, p->n);
    for (uint32_t k = 0; k < 5; k++)
        sample_allocation(s, 1 + below(&seed, 3000), 0, colors[k]);
    for (buf_id b = 0; b < p->n; b++) {
        uint32_t end = below(&seed, p->steps + 1), room;
        p->alloc[b] = below(&seed, 5);
        room = (uint32_t)assignment_alloc(&s->module.assignment, p->alloc[b])->size;
        p->name_of[b] = arena_printf(&p->arena, "b%u", (unsigned)b);
        p->shape[b] = "f32[7]";
        p->offset[b] = below(&seed, room);
        p->size[b] = below(&seed, room - (uint32_t)p->offset[b] + 1);
        p->start[b] = below(&seed, end + 1);
        p->end[b] = end;
        p->color[b] = colors[p->alloc[b]];
        p->inst[b] = HLO_NONE;
        p->value[b] = VALUE_NONE;
    }
    program_finish(p);
}

static bool is_alive(const struct program *p, buf_id b, uint32_t t)
{
    return p->start[b] <= t && t <= p->end[b];
}

/* ---- Memory spaces and what is alive ---- */

static uint64_t bytes_alive(const struct program *p, uint32_t space, uint32_t t)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < p->module->assignment.allocs.n; g++)
        for (uint64_t at = 0; at < 3001; at++) {
            bool covered = false;
            for (buf_id b = 0; b < p->n && !covered; b++)
                covered = p->space[b] == space && p->alloc[b] == g && is_alive(p, b, t) &&
                          p->offset[b] <= at && at - p->offset[b] < p->size[b];
            sum += covered;
        }
    return sum;
}

static void each_memory_has_its_own_live_bytes(void **state)
{
    static struct sample s;
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        make_random(&s, seed);
        const struct program *p = &s.program;
        assert_int_equal(p->n_spaces, 4);
        assert_string_equal(p->spaces[0].name, "hbm");
        assert_string_equal(p->spaces[1].name, "vmem");
        assert_string_equal(p->spaces[2].name, "smem");
        assert_string_equal(p->spaces[3].name, "pinned host");
        assert_ptr_equal(p->live, p->spaces[0].live);
        for (uint32_t k = 0; k < p->n_spaces; k++)
            for (uint32_t t = 0; t <= p->steps; t += 7) {
                assert_int_equal(p->spaces[k].live[t], bytes_alive(p, k, t));
                assert_true(p->spaces[k].live[t] <= p->spaces[k].live[p->spaces[k].peak]);
                assert_true(p->spaces[k].live[t] <= p->spaces[k].reserved);
            }
        sample_free(&s);
    }
}

static void what_is_alive_stands_in_order(void **state)
{
    static struct sample s;
    buf_id ids[70];
    uint64_t own[70];
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        make_random(&s, seed);
        const struct program *p = &s.program;
        for (uint32_t t = 0; t <= p->steps; t += 5) {
            uint32_t n = program_alive(p, t, ids, own), alive = 0;
            uint64_t sums[PROGRAM_SPACES] = {0};
            for (buf_id b = 0; b < p->n; b++)
                alive += is_alive(p, b, t);
            assert_int_equal(n, alive);
            for (uint32_t i = 0; i < n; i++) {
                buf_id b = ids[i];
                sums[p->space[b]] += own[i];
                assert_true(is_alive(p, b, t) && own[i] <= p->size[b]);
                if (i == 0)
                    continue;
                buf_id a = ids[i - 1];
                assert_true(own[i - 1] > own[i] ||
                            (own[i - 1] == own[i] &&
                             (p->size[a] > p->size[b] || (p->size[a] == p->size[b] && a < b))));
            }
            for (uint32_t k = 0; k < p->n_spaces; k++)
                assert_int_equal(sums[k], p->spaces[k].live[t]);
        }
        sample_free(&s);
    }
}

static void too_many_memories_share_the_last(void **state)
{
    static struct sample s;
    (void)state;
    struct program *p = &s.program;
    for (uint64_t seed = 0; seed == 0 || p->n < 40; seed++) {
        sample_free(&s);
        make_random(&s, seed);
    }
    for (uint32_t k = 0; k < 30; k++) { /* one after the other, each with one buffer */
        sample_allocation(&s, 64, 0, 100 - (int32_t)k);
        p->alloc[k] = 5 + k;
        p->color[k] = 100 - (int32_t)k;
        p->offset[k] = 0;
        p->size[k] = 64;
    }
    program_finish(p);
    assert_int_equal(p->n_spaces, PROGRAM_SPACES);
    assert_string_equal(p->spaces[PROGRAM_SPACES - 1].name, "other");
    uint64_t all = 0, of_spaces = 0;
    for (uint32_t k = 0; k < s.module.assignment.allocs.n; k++)
        all += assignment_alloc(&s.module.assignment, k)->size;
    for (uint32_t k = 0; k < p->n_spaces; k++)
        of_spaces += p->spaces[k].reserved;
    assert_int_equal(all, of_spaces);
    for (buf_id b = 0; b < p->n; b++)
        assert_true(p->space[b] < p->n_spaces);
    sample_free(&s);
}

static void groups_are_runs_of_the_order(void **state)
{
    static struct sample s;
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        make_random(&s, seed);
        const struct program *p = &s.program;
        uint32_t n = 0;
        for (uint32_t g = 0; g < 6; g++) {
            struct span run = program_group_span(p, g);
            for (uint32_t k = run.first; k < run.first + run.n; k++) {
                assert_int_equal(program_group(p, p->order[k]), g);
                if (k > run.first)
                    assert_true(p->offset[p->order[k - 1]] <= p->offset[p->order[k]]);
            }
            n += run.n;
        }
        assert_int_equal(n, p->n);
        sample_free(&s);
    }
}

/* ---- Cells ---- */

static buf_id largest_at(const struct program *p, const struct map_scale *sc, uint32_t group, int w,
                         int row, int col)
{
    buf_id best = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++) {
        int low, high, first, last;
        if (p->alloc[b] != group || !p->size[b])
            continue;
        map_rows(sc, p, b, &low, &high);
        window_cols(window_whole((uint64_t)p->steps + 1), w, p->start[b], p->end[b], &first, &last);
        if (row < low || row > high || col < first || col > last)
            continue;
        if (best == BUF_NONE || p->size[b] > p->size[best])
            best = b;
    }
    return best;
}

static void cells_show_the_largest(void **state)
{
    static struct sample s;
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        make_random(&s, seed);
        struct map m = {0};
        int w = 1 + (int)(seed * 7 % 90), h = 1 + (int)(seed * 5 % 37);
        for (uint32_t g = 0; g < 5; g++) {
            struct map_scale sc = map_scale_of(&s.program, g, h);
            map_get(&m, &s.program, g, window_whole((uint64_t)s.program.steps + 1), w, h);
            for (int row = 0; row < h; row++)
                for (int col = 0; col < w; col++)
                    assert_int_equal(m.cell[row * w + col],
                                     largest_at(&s.program, &sc, g, w, row, col));
        }
        map_free(&m);
        sample_free(&s);
    }
}

/* Every buffer alive at a step is named at each row that has one of its bytes. */
static void nothing_under_the_cursor_is_lost(void **state)
{
    static struct sample s;
    buf_id ids[70];
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        make_random(&s, seed);
        const struct program *p = &s.program;
        int h = 1 + (int)(seed % 30);
        for (uint32_t t = 0; t <= p->steps; t += 3)
            for (uint32_t g = 0; g < 5; g++) {
                struct map_scale sc = map_scale_of(p, g, h);
                uint64_t end = 0;
                for (int row = 0; row < sc.used; row++) {
                    uint64_t low, high;
                    uint32_t n = map_at(p, g, &sc, row, t, ids, 0, 70);
                    map_range(&sc, row, &low, &high);
                    assert_int_equal(low, end); /* rows leave no byte out */
                    end = high;
                    for (buf_id b = 0; b < p->n; b++) {
                        bool here = p->alloc[b] == g && is_alive(p, b, t) && p->size[b] &&
                                    p->offset[b] < high && low < p->offset[b] + p->size[b];
                        uint32_t number = map_number(p, g, &sc, row, t, b);
                        if (here)
                            assert_true(number < n && ids[number] == b);
                    }
                }
                assert_int_equal(end, sc.size);
            }
        sample_free(&s);
    }
}

/* ---- Keys ---- */

struct map_case {
    const char *name, *keys;
    bool map;
    enum focus focus;
    uint32_t step, group, space;
    uint64_t gib;       /* of the cursor's offset, less than the next */
    const char *chosen; /* NULL: none */
};

/* At 80x24 a row of allocation 1 is 2 GiB. */
static const struct map_case map_cases[] = {
    {"m shows the chosen buffer's allocation", "m", true, 0, 19, 1, 0, 0, "while.16{3}"},
    {"another choice, another allocation", "jm", true, 0, 19, 0, 0, 0, "arg_tuple.4{2}"},
    {"m and Esc lead back", "mmm<Esc>", false, 0, 19, GROUP_NONE, 0, 0, "while.16{3}"},
    {"up and down move the offset", "m<Up><Up><Up><Down>", true, 0, 19, 1, 0, 4, "while.16{3}"},
    {"not beyond the ends", "m<Down>", true, 0, 19, 1, 0, 0, "while.16{3}"},
    {"left and right step", "m<Right><Right><Left>", true, 0, 20, 1, 0, 0, "while.16{3}"},
    {"the map stays where the choice is dead", "m<End>", true, 0, 30, 1, 0, 0, "while.16{3}"},
    {"a goes to smaller allocations", "ma", true, 0, 19, 0, 0, 0, "while.16{3}"},
    {"then to the next", "maa", true, 0, 19, 4, 0, 0, "while.16{3}"},
    {"A goes round to the smallest", "mA", true, 0, 19, 2, 0, 0, "while.16{3}"},
    {"a goes round to the largest", "maaaaa", true, 0, 19, 1, 0, 0, "while.16{3}"},
    {"Enter selects what is at the cursor", "m<Up><Up><Up><Up><Up><Up><Up><Up><Enter>", true, 0, 19,
     1, 0, 16, "input_dynamic_slice_reduce_fusion{0}"},
    {"in a hole it selects nothing", "m<Up><Up><Up><Up><Up><Up><Up><Up><Home><Enter>", true, 0, 0, 1,
     0, 16, "while.16{3}"},
    {"a click moves both", "m<click:17,14>", true, 0, 2, 1, 0, 4, "while.16{3}"},
    {"a click on a list's row selects it", "m<click:42,9><click:20,18>", true, 0, 13, 1, 0, 14,
     "while.16{3}"},
    {"a search goes to the buffer's place", "m/multiply<Enter>", true, 0, 12, 0, 0, 0,
     "loop_multiply_fusion"},
    {"V charts another memory", "V", false, 0, 19, GROUP_NONE, 1, 0, NULL},
    {"and round", "VV", false, 0, 19, GROUP_NONE, 0, 0, NULL},
    {"p goes to that memory's peak", "Vp", false, 0, 8, GROUP_NONE, 1, 0, NULL},
    {"its buffers stand first", "Vj", false, 0, 19, GROUP_NONE, 1, 0, "while.16{3}"},
};

static void the_map_answers(void **state)
{
    const struct map_case *c = *state;
    static struct sample sample;
    struct memo memo = {0};
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), c->keys);
    char chosen[200] = "";
    if (s.chosen != BUF_NONE)
        snprintf(chosen, sizeof chosen, "%s", p->name_of[s.chosen]);
    memo_free(&memo);
    sample_free(&sample);
    assert_int_equal(s.map, c->map);
    assert_int_equal(s.focus, c->focus);
    assert_int_equal(s.step, c->step);
    assert_int_equal(s.group, c->group);
    assert_int_equal(s.space, c->space);
    assert_int_equal(s.offset / SAMPLE_GIB, c->gib);
    if (c->chosen && c->map)
        assert_string_equal(chosen, c->chosen);
}

static void tab_goes_through_what_is_shown(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 200, 60, 0), "<Tab>");
    assert_int_equal(s.focus, FOCUS_MAP);
    assert_int_equal(s.group, 1);
    s = play(p, &memo, s, "a<Tab>");
    assert_int_equal(s.focus, FOCUS_TABLE);
    assert_int_equal(s.group, GROUP_NONE);
    s = play(p, &memo, s, "<Tab>");
    assert_int_equal(s.focus, FOCUS_CHART);
    s = play(p, &memo, app_start(p, &memo, 80, 24, 0), "<Tab>");
    assert_int_equal(s.focus, FOCUS_TABLE);
    s = play(p, &memo, app_start(p, &memo, 200, 60, 0), "<click:100,30>");
    assert_int_equal(s.focus, FOCUS_MAP);
    memo_free(&memo);
    sample_free(&sample);
}

static void without_places_there_is_no_map(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    sample.module.has_assignment = false;
    struct app s = play(&sample.program, &memo, app_start(&sample.program, &memo, 200, 60, 0), "m<Tab>");
    assert_false(s.map);
    assert_int_equal(s.focus, FOCUS_TABLE);
    memo_free(&memo);
    sample_free(&sample);
}

static void enter_reaches_every_buffer_of_a_row(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    bool seen[500] = {false};
    (void)state;
    sample_make(&sample, SAMPLE_SPIKE);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), "m");
    struct layout l = layout_of(p, &s);
    struct map_scale sc = map_scale_of(p, s.group, l.cells.area.h);
    uint32_t n = map_at(p, s.group, &sc, map_row(&sc, s.offset), s.step, NULL, 0, 0), reached = 0;
    assert_true(n > 1);
    for (uint32_t k = 0; k < n; k++) {
        s = play(p, &memo, s, "<Enter>");
        reached += !seen[s.chosen];
        seen[s.chosen] = true;
    }
    memo_free(&memo);
    sample_free(&sample);
    assert_int_equal(reached, n);
}

/* ---- The memo ---- */

static char *draw(const struct program *p, struct memo *memo, const struct app *s)
{
    struct grid g;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    grid_init(&g, s->cols, s->rows, false);
    screen_draw(p, memo, s, &g);
    grid_print(&g, out);
    grid_print_styles(&g, out);
    fclose(out);
    grid_free(&g);
    return text;
}

static void a_memo_changes_no_answer(void **state)
{
    static const char *const ways[] = {"<Right>", "o", "V", "m", "a", "<Up>", "<Enter>", "<Tab>",
                                       "<Down>", "p", "/1<Enter>", "n", "<Esc>", "<click:60,20>",
                                       "<click:30,8>", "<PgUp>", "<wheel-:30,8>"};
    static struct sample s;
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint64_t next = seed;
        make_random(&s, seed);
        const struct program *p = &s.program;
        struct memo kept = {0};
        struct app a = app_start(p, &kept, seed % 2 ? 170 : 90, 30, 0), b = a;
        for (int i = 0; i < 120; i++) {
            const char *keys = ways[below(&next, sizeof ways / sizeof *ways)];
            struct memo fresh = {0}, other = {0};
            a = play(p, &kept, a, keys);
            b = play(p, &fresh, b, keys);
            char *one = draw(p, &kept, &a), *two = draw(p, &other, &b);
            bool same = strcmp(one, two) == 0;
            free(one);
            free(two);
            memo_free(&fresh);
            memo_free(&other);
            assert_true(same);
        }
        memo_free(&kept);
        sample_free(&s);
    }
}

int main(void)
{
    static struct CMUnitTest tests[60];
    size_t n = 0;
    ADD(each_memory_has_its_own_live_bytes);
    ADD(what_is_alive_stands_in_order);
    ADD(too_many_memories_share_the_last);
    ADD(groups_are_runs_of_the_order);
    ADD(cells_show_the_largest);
    ADD(nothing_under_the_cursor_is_lost);
    ADD(tab_goes_through_what_is_shown);
    ADD(without_places_there_is_no_map);
    ADD(enter_reaches_every_buffer_of_a_row);
    ADD(a_memo_changes_no_answer);
    ADD_TABLE(map_cases, the_map_answers, name);
    return _cmocka_run_group_tests("map", tests, n, NULL, NULL);
}
