/* Other forms of a program: toggles, what is said of them, the table of forms, two programs side by side. */
#include "tests/support/program_sample.h"
#include "tests/support/random.h"
#include "tests/support/room_play.h"
#include "tests/support/tables.h"
#include "tui/model/compare.h"

#define GIB (1024.0 * 1024 * 1024)

/* ---- Toggles ---- */

struct toggle_case {
    const char *name, *keys;
    const char *target;
    int64_t seqlen, unroll;
    enum whatif_method method;
    double peak; /* GiB, of what is shown then */
};

static const struct toggle_case toggle_cases[] = {
    {"as it was opened", "", "a100", 4, 1, WHATIF_COMPILED, 24},
    {"a step longer", "s", "a100", 5, 1, WHATIF_COMPILED, 28},
    {"longer and shorter again", "sS", "a100", 4, 1, WHATIF_COMPILED, 24},
    {"down to one step, and back", "SSSSSSsss", "a100", 4, 1, WHATIF_COMPILED, 24},
    {"one step has no other form", "SSS", "a100", 1, 1, WHATIF_COMPILED, 4},
    {"beyond the grid what-if answers", "ssssss", "a100", 10, 1, WHATIF_EXACT, 48},
    {"unrolled", "u", "a100", 4, 2, WHATIF_COMPILED, 28},
    {"unrolled and back", "uU", "a100", 4, 1, WHATIF_COMPILED, 24},
    {"what cannot be told shows the program before", "uu", "a100", 4, 3, WHATIF_UNKNOWN, 28},
    {"unrolled whole", "uuu", "a100", 4, VARIANT_FULL, WHATIF_COMPILED, 16},
    {"whole is the end", "uuuuuu", "a100", 4, VARIANT_FULL, WHATIF_COMPILED, 16},
    {"back from whole", "uuuUUUU", "a100", 4, 1, WHATIF_COMPILED, 24},
    {"unrolled whole stays so at another length", "uuus", "a100", 5, VARIANT_FULL, WHATIF_COMPILED, 20},
    {"another target, at its own width", "t", "tpu-v5e", 4, 1, WHATIF_COMPILED, 5},
    {"round all targets", "ttt", "a100", 4, 1, WHATIF_COMPILED, 24},
    {"in the map", "ms", "a100", 5, 1, WHATIF_COMPILED, 28},
    {"on a page", "es", "a100", 5, 1, WHATIF_COMPILED, 28},
    {"on a page of a buffer", "<Enter>u", "a100", 4, 2, WHATIF_COMPILED, 28},
    {"in the table of forms", "gss", "a100", 6, 1, WHATIF_COMPILED, 32},
    {"two programs side by side", "cs", "a100", 5, 1, WHATIF_COMPILED, 28},
};

static void toggles(void **state)
{
    const struct toggle_case *c = *state;
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    s = press(&r, s, c->keys);
    enum whatif_method method = label_of(&r, &s);
    struct form n = form_normal(s.form), want = form_normal((struct form){s.form.target, s.form.width, c->seqlen, c->unroll});
    double peak = (double)r.p->live[r.p->peak] / GIB;
    bool target = strcmp(r.stock.target[s.form.target], c->target) == 0;
    close_cell(&r, &cell);
    assert_true(target);
    assert_int_equal(n.seqlen, want.seqlen);
    assert_int_equal(n.unroll, want.unroll);
    assert_int_equal(method, c->method);
    assert_true(peak > c->peak - 0.05 && peak < c->peak + 0.05);
}

/* ---- The label stays beside the figures ---- */

static void label_everywhere(void **state)
{
    static const char *const views[] = {"", "<Tab>", "m", "e", "<Enter>", "g", "c", "x"};
    static const char *const forms[] = {"", "ssssss", "uu"};
    static const char *const words[] = {"compiled", "exact", "needs a compile"};
    static const int sizes[][2] = {{40, 10}, {40, 16}, {60, 20}, {80, 24}, {120, 40}, {200, 60}};
    struct cell_program cell;
    struct room r;
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (size_t v = 0; v < sizeof views / sizeof *views; v++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                struct app s = open_cell(&r, &cell, a100, sizes[k][0], sizes[k][1]);
                s = press(&r, s, forms[f]);
                s = press(&r, s, views[v]);
                bool has = screen_has(&r, &s, words[f]) || (f == 2 && (screen_has(&r, &s, "of s4 u2, not s4 u3") ||
                                                               screen_has(&r, &s, "s4 u3 not compiled · shown: s4 u2")));
                if (!has)
                    print_error("%s%s at %dx%d does not say %s\n", forms[f], views[v], sizes[k][0], sizes[k][1], words[f]);
                close_cell(&r, &cell);
                assert_true(has);
            }
}

struct said_case {
    const char *name, *cell, *keys, *want;
};
static const struct said_case said_cases[] = {
    {"the change in peak", a100, "s", "24.00 → 28.00 GiB, +4.00"},
    {"a fall", a100, "uuu", "28.00 → 16.00 GiB, -12.00"},
    {"that nothing changed", a100, "uuuuuuu", "no more that way"},
    {"units where they differ", a100, "tt", "5.00 GiB → 7.04 MiB, -4.99 GiB"},
    {"that the width is another", a100, "t", "width 262144: 24.00 → 5.00 GiB, -19.00"},
    {"and it stays in sight", a100, "ts", "jit_step · tpu · width 262144"},
    {"why a compile is needed", a100, "uu", "needs a compile: 3 does not divide the 4 iterations"},
    {"which program is shown meanwhile", a100, "uu", "shown: s4 u2"},
    {"an estimate's range", "cpu-d256-s4-u1", "ssu", "–10.86 MiB reserved"},
    {"what cells are", a100, "g", "c compiled"},
    {"the cell that is over the memory", a100, "gjjjjlllllllllll", "full"},
    {"both names", a100, "sc", "A  s4 u1: 24.00 GiB, compiled"},
    {"and the other", a100, "sc", "B  s5 u1: 28.00 GiB, compiled"},
    {"the unrolled form where none was shown before", a100, "c", "A  s4 ufull: 16.00 GiB, compiled"},
    {"why Enter leads nowhere", a100, "cj<Down><Enter>", "this line leads nowhere"},
};

static void said(void **state)
{
    const struct said_case *c = *state;
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, c->cell, 80, 24);
    s = press(&r, s, c->keys);
    bool has = screen_has(&r, &s, c->want);
    if (!has) {
        char *text = screen_text(r.p, &r.memo, &s, false);
        print_error("not said: %s\n%s\n", c->want, text);
        free(text);
    }
    close_cell(&r, &cell);
    assert_true(has);
}

/* In each step of the program, at the second iteration of a loop: s keeps instruction and iteration,
 * and S leads back to the very moment. */
static void cursor_kept(void **state)
{
    struct cell_program cell;
    struct room r;
    char before[200], after[200];
    struct app first = open_cell(&r, &cell, a100, 80, 24);
    (void)state;
    for (uint32_t step = 0; step <= r.p->steps; step++) {
        struct app s = first;
        struct moment none = {0}, m = clock_at_step(r.p, step, &none);
        for (uint32_t k = 0; k < m.n; k++)
            m.iteration[k] = 1;
        s.step = step;
        s.at = timeline_at(memo_timeline(&r.memo, r.p), &m);
        name_here(&r, &s, before);
        struct app t = press(&r, s, "s");
        struct moment n = app_here(r.p, &r.memo, &t);
        name_here(&r, &t, after);
        t = press(&r, t, "S");
        bool kept = n.n == m.n && (!m.n || n.iteration[0] == 1);
        if (strcmp(before, after) != 0 || !kept || t.at != s.at)
            fail_msg("step %u: %s, then %s", step, before, after);
    }
    close_cell(&r, &cell);
}

/* What-if changes counts alone: each step of loops within loops stays the step it was, however many there
 * are of one origin. */
static void cursor_in_nested_loops(void **state)
{
    static struct sample from, to;
    struct memo old = {0}, memo = {0};
    (void)state;
    sample_make(&from, SAMPLE_NESTED);
    sample_make(&to, SAMPLE_NESTED);
    struct app s = app_start(&from.program, &old, 80, 24, 0);
    for (uint32_t step = 0; step <= from.program.steps; step++) {
        struct moment none = {0}, m = clock_at_step(&from.program, step, &none);
        for (uint32_t k = 0; k < m.n; k++)
            m.iteration[k] = clock_trips(&from.program.loops.items[m.loop[k]]) - 1;
        s.step = step;
        s.at = timeline_at(memo_timeline(&old, &from.program), &m);
        struct app t = app_moved(&from.program, &old, &to.program, &memo, s);
        assert_int_equal(t.step, step);
        assert_true(t.at == s.at);
    }
    memo_free(&old);
    memo_free(&memo);
    sample_free(&from);
    sample_free(&to);
}

/* From the third iteration of a loop to the third copy of its instruction, and back. */
static void cursor_in_copies(void **state)
{
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    (void)state;
    s = press(&r, s, "]]"); /* the third iteration of the peak's instruction */
    struct moment m = app_here(r.p, &r.memo, &s);
    assert_int_equal(m.n, 1);
    assert_int_equal(m.iteration[0], 2);
    uint32_t step = s.step;
    s = press(&r, s, "uuu");
    assert_int_equal(r.p->loops.n, 0);
    assert_non_null(strstr(r.p->step_name[s.step], "gemm_fusion_dot"));
    s = press(&r, s, "UUU");
    m = app_here(r.p, &r.memo, &s);
    assert_int_equal(s.step, step);
    assert_int_equal(m.iteration[0], 2);
    close_cell(&r, &cell);
}

/* Nothing is left for the explorer to do, page or not, or it would end. */
static void nothing_is_left_wanted(void **state)
{
    static const char *const keys[] = {"es", "e", "<Enter>s", "mu", "gj<Enter>", "cs", "c<Tab>", "uu", "t", "<Esc>"};
    struct cell_program cell;
    struct room r;
    (void)state;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct app s = open_cell(&r, &cell, a100, 80, 24);
        s = press(&r, s, keys[k]);
        enum want want = s.want;
        close_cell(&r, &cell);
        assert_int_equal(want, WANT_NOTHING);
    }
}

/* ---- The table of forms, and two programs ---- */

static void grid_opens_cells(void **state)
{
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    (void)state;
    s = press(&r, s, "g<Down><Down><Right><Right><Right><Enter>");
    assert_int_equal(s.mode, MODE_MAIN);
    assert_int_equal(s.shown.seqlen, 6);
    assert_int_equal(s.shown.unroll, 4);
    s = press(&r, s, "g<Esc>");
    assert_int_equal(s.mode, MODE_MAIN);
    assert_int_equal(s.shown.unroll, 4);
    close_cell(&r, &cell);
}

/* s and u take the selection with them; a single step has no cell but the last one. */
static void grid_selects(void **state)
{
    static const struct {
        const char *keys;
        int row, col;
    } cases[] = {{"gss", 5, 0}, {"gssu", 5, 1}, {"gu", 3, 1}, {"gu<Down>", 4, 1}, {"gtU", 3, 0},
                 {"gkkk", 0, 7}, {"gkkk<Left>", 0, 7}, {"gkkk<Left><Left>j<Left>", 1, 0}, {"gssssss", 8, 0}, {"gssssssS", 8, 0},
                 {"gssssssSSS", 6, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cell_program cell;
        struct room r;
        struct app s = open_cell(&r, &cell, a100, 80, 24);
        s = press(&r, s, cases[k].keys);
        if (s.cell_row != cases[k].row || s.cell_col != cases[k].col)
            fail_msg("%s: row %d, column %d", cases[k].keys, s.cell_row, s.cell_col);
        close_cell(&r, &cell);
    }
}

/* The cells are filled one by one, and then there is nothing left to do. */
static void grid_fills(void **state)
{
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    int ticks = 0;
    (void)state;
    s = press(&r, s, "g");
    while (room_patience(&r, &s) == 0 && ticks++ < 1000)
        s = room_tick(&r, s);
    assert_in_range(ticks, 20, 100);
    assert_int_equal(room_patience(&r, &s), -1);
    close_cell(&r, &cell);
}

static void compare_leads_on(void **state)
{
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    (void)state;
    s = press(&r, s, "uc");
    assert_int_equal(s.mode, MODE_COMPARE);
    const struct compare *c = r.memo.compare;
    uint32_t at = 0;
    while (at < c->lines.n && !(compare_line(c, at)->row && compare_line(c, at)->row->side[0].n &&
                                compare_line(c, at)->row->side[1].n))
        at++;
    assert_true(at < c->lines.n);
    const struct diff_row *row = compare_line(c, at)->row;
    buf_id a = row->side[0].largest, b = row->side[1].largest;
    s.compare_line = at;
    struct app t = press(&r, s, "<Enter>");
    assert_int_equal(t.mode, MODE_MAIN);
    assert_int_equal(t.chosen, b);
    t = press(&r, s, "<Tab>");
    assert_int_equal(t.mode, MODE_MAIN);
    assert_int_equal(t.shown.unroll, 1);
    assert_int_equal(t.chosen, a);
    assert_int_equal(t.before.unroll, 2);
    close_cell(&r, &cell);
}

/* On a line without a buffer Tab changes sides, and stays. */
static void compare_flips(void **state)
{
    struct cell_program cell;
    struct room r;
    struct app s = open_cell(&r, &cell, a100, 80, 24);
    (void)state;
    s = press(&r, s, "c");
    uint64_t peak[2] = {r.memo.compare->diff.peak[0], r.memo.compare->diff.peak[1]};
    s = press(&r, s, "<Tab>");
    assert_int_equal(s.mode, MODE_COMPARE);
    assert_int_equal(r.memo.compare->diff.peak[0], peak[1]);
    assert_int_equal(r.memo.compare->diff.peak[1], peak[0]);
    close_cell(&r, &cell);
}

/* ---- A dump of one's own ---- */

static void own_dump(void **state)
{
    struct cell_program cell;
    struct room r;
    (void)state;
    cell_open(&cell, a100);
    struct app s = room_open(&r, &cell.program, NULL, 80, 24, 0); /* nobody says where it lay */
    assert_int_equal(s.forms, FORMS_OWN);
    s = press(&r, s, "s");
    assert_int_equal(label_of(&r, &s), WHATIF_EXACT);
    assert_int_equal(r.p->live[r.p->peak] >> 30, 28);
    s = press(&r, s, "t");
    assert_int_equal(s.notice, NOTICE_NO_FORMS);
    s = press(&r, s, "S");
    assert_int_equal(label_of(&r, &s), WHATIF_COMPILED);
    assert_ptr_equal(r.p, &cell.program);
    close_cell(&r, &cell);
}

static void no_forms(void **state)
{
    static struct sample sample;
    struct room r;
    (void)state;
    sample_make(&sample, SAMPLE_NO_HLO);
    struct app s = room_open(&r, &sample.program, NULL, 80, 24, 0);
    for (const char *k = "sSuUtgc"; *k; k++) {
        char key[2] = {*k, '\0'};
        s = press(&r, s, key);
        assert_true(*k == 'c' ? s.mode == MODE_MAIN : s.notice == NOTICE_NO_FORMS);
        assert_ptr_equal(r.p, &sample.program);
    }
    assert_true(screen_has(&r, &s, "nothing can be asked") || s.notice != NOTICE_NO_FORMS);
    room_close(&r);
    sample_free(&sample);
}

/* ---- Lengths that keys take ---- */

static void lengths(void **state)
{
    static const int64_t huge[] = {VARIANT_MOST, 1000000, INT64_MAX / 5, INT64_MAX / 2, INT64_MAX};
    (void)state;
    for (size_t k = 0; k < sizeof huge / sizeof *huge; k++)
        for (int sign = -1; sign < 2; sign += 2) {
            struct form f = {0, 0, huge[k], 1};
            for (int n = 0; n < 100; n++) {
                f = form_unroll(form_seqlen(f, huge[k], sign), FORMS_OWN, n & 1 ? 1 : -1);
                assert_true(f.seqlen >= 1 && f.unroll >= 1);
            }
        }
    for (int64_t first = 1; first < 3000; first = first < 40 ? first + 1 : first * 5 / 4) {
        struct form f = {0, 0, first, 1};
        for (int k = 0; k < 40; k++)
            f = form_seqlen(f, first, -1);
        assert_int_equal(f.seqlen, 1);
        for (int k = 0; k < 40 && f.seqlen < first; k++)
            f = form_seqlen(f, first, 1);
        assert_int_equal(f.seqlen, first);
        f = form_seqlen(form_seqlen(f, first, 1), first, -1);
        assert_int_equal(f.seqlen, first);
        for (int k = 0; k < 200; k++)
            f = form_unroll(f, FORMS_OWN, 1);
        assert_true(f.unroll >= f.seqlen);
        for (int k = 0; k < 200; k++)
            f = form_unroll(f, FORMS_OWN, -1);
        assert_int_equal(f.unroll, 1);
    }
}

static void axes_hold_the_form(void **state)
{
    (void)state;
    for (int64_t first = 1; first < 100000; first = first < 40 ? first + 1 : first * 3 / 2)
        for (int64_t len = 1; len < 200000; len = len * 3 + 1)
            for (int64_t k = 1; k <= len; k = k * 2 + 1) {
                struct form f = {0, 0, len, k}, at;
                int row, col;
                struct axes a = form_axes(&f, first, len & 1 ? FORMS_OWN : FORMS_EXAMPLE);
                form_cell(&a, &f, &row, &col);
                assert_in_range(a.rows, 1, AXIS_MOST);
                assert_in_range(a.cols, 1, AXIS_MOST);
                assert_true(form_at(&a, &f, row, col, &at));
                assert_true(form_same(&f, &at));
                for (int j = 1; j < a.rows; j++)
                    assert_true(a.seqlen[j - 1] < a.seqlen[j]);
                for (int j = 1; j < a.cols; j++)
                    assert_true(a.unroll[j - 1] < a.unroll[j]);
            }
}

/* ---- Walks ---- */

/* Any keys, in any order and at any size: nothing breaks, and the screen always fits. */
static void walks(void **state)
{
    static const char *const keys[] = {"s", "S", "u", "U", "t", "g", "c", "<Enter>", "<Esc>", "<Tab>", "j", "k", "h", "l",
                                       "p", "x", "e", "m", "]", "[", "{", "}", "<PgDn>", "<End>", "<Home>", "o", "f",
                                       "/dot<Enter>", "n", "?", "<click:30,9>", "<click:5,14>", "<wheel-:20,12>", "v"};
    static const int sizes[][2] = {{80, 24}, {40, 10}, {120, 40}, {39, 9}, {200, 60}, {61, 17}};
    uint64_t seed = 7;
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct cell_program cell;
        struct room r;
        cell_open(&cell, a100);
        struct app s = room_open(&r, &cell.program, own ? NULL : cell.module.dir, 80, 24, 0);
        for (int k = 0; k < 700; k++) {
            const int *size = sizes[below(&seed, COUNT(sizes))];
            s = press(&r, s, keys[below(&seed, COUNT(keys))]);
            if (s.form.seqlen > 6)
                s = press(&r, s, "S");
            if (k % 20 == 0)
                s = room_update(&r, s, (struct msg){.kind = MSG_RESIZE, .cols = size[0], .rows = size[1]});
            char *text = screen_text(r.p, &r.memo, &s, false);
            free(text);
            assert_true(s.step <= r.p->steps);
            assert_true(s.chosen == BUF_NONE || s.chosen < r.p->n);
        }
        close_cell(&r, &cell);
    }
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(toggle_cases) + COUNT(said_cases) + 15];
    size_t n = 0;
    setenv("TIDEMARK_DATA", "fixtures", 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    ADD_TABLE(toggle_cases, toggles, name);
    ADD_TABLE(said_cases, said, name);
    ADD(label_everywhere);
    ADD(cursor_kept);
    ADD(cursor_in_nested_loops);
    ADD(cursor_in_copies);
    ADD(nothing_is_left_wanted);
    ADD(grid_opens_cells);
    ADD(grid_selects);
    ADD(grid_fills);
    ADD(compare_leads_on);
    ADD(compare_flips);
    ADD(own_dump);
    ADD(no_forms);
    ADD(lengths);
    ADD(axes_hold_the_form);
    ADD(walks);
    return _cmocka_run_group_tests("room", tests, n, NULL, NULL);
}
