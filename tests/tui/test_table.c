/* The table: what its filters let through, its groups, its units, and the menu of filters. */
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/random.h"
#include "tests/support/tables.h"
#include "tui/update/update_parts.h"

static struct memo memo;
static struct sample sample;

static struct app begin(enum sample_kind kind, int cols, int rows)
{
    sample_make(&sample, kind);
    return app_start(&sample.program, &memo, cols, rows, 0);
}

static void end(void)
{
    sample_free(&sample);
    memo_free(&memo);
}

/* ---- Filters ---- */

static const struct filter_case {
    const char *name, *keys, *title; /* what the table's title says */
    const char *first;               /* its first row */
} filter_cases[] = {
    {"f r Enter leaves the role of the selected row", "fr<Enter>",
     "1 of 7 shown, 16.00 of 24.00 GiB \xc2\xb7 residual stack", "while.16{3}"},
    {"f s offers sizes, the largest last", "fs<End><Enter>", "1 of 7 shown, 16.00 of 24.00 GiB \xc2\xb7 \xe2\x89\xa5 16.00 GiB",
     "while.16{3}"},
    {"f l leaves what is born in a loop", "fl<End><Enter>", "shown, 8.00 of 24.00 GiB \xc2\xb7 born in while",
     NULL},
    {"f m leaves a memory, and charts it", "fm<End><Enter>", "1 of 7 shown, 1.00 of 1.00 MiB \xc2\xb7 in pinned host", "copy-start.3{0}"},
    {"f i leaves a source line", "fi<Enter>", "of 7 shown, 24.00 of 24.00 GiB \xc2\xb7 scan.py:19", "while.16{3}"},
    {"two filters combine", "fr<Enter>fi<Enter>", "residual stack \xc2\xb7 scan.py:19", "while.16{3}"},
    {"Esc takes the last one away", "fr<Enter>fs<End><Enter><Esc>",
     "1 of 7 shown, 16.00 of 24.00 GiB \xc2\xb7 residual stack ", "while.16{3}"},
    {"F takes all away", "fr<Enter>fs<End><Enter>F", "alive here: 24.00 GiB in 6 buffers, 1 elsewhere", "while.16{3}"},
    {"F in the menu, too", "fr<Enter>fF", "alive here: 24.00 GiB in 6 buffers, 1 elsewhere", "while.16{3}"},
    {"a filter's values offer to take it away", "fr<Enter>fr<Home><Enter>", "alive here: 24.00 GiB in 6 buffers, 1 elsewhere",
     "while.16{3}"},
    {"Esc leaves the menu and changes nothing", "fr<Esc><Esc>", "alive here: 24.00 GiB in 6 buffers, 1 elsewhere", "while.16{3}"},
    {"a search for a hidden buffer takes the filter away", "fr<Enter>/multiply<Enter>", "alive here: ", NULL},
    {"bytes with separators", "fr<Enter>B",
     "1 of 7 shown, 17,179,869,184 of 25,769,807,904 B \xc2\xb7 residual stack", "while.16{3}"},
};

static void filters_show(void **state)
{
    const struct filter_case *c = *state;
    struct app s = play(&sample.program, &memo, begin(SAMPLE_SCAN, 140, 40), c->keys);
    assert_int_equal(s.mode, MODE_MAIN);
    assert_shows(&sample.program, &memo, &s, c->title);
    const struct alive *a = alive_here(&sample.program, &memo, &s);
    assert_true(a->n > 0);
    if (c->first)
        assert_string_equal(sample.program.name_of[a->rows[0].id], c->first);
    end();
}

static void filters_keep_the_order_in_which_they_were_set(void **state)
{
    struct filter f = {0}, none = {0};
    (void)state;
    filter_set(&f, FILTER_SIZE, 5);
    filter_set(&f, FILTER_ROLE, ROLE_STACK);
    filter_set(&f, FILTER_SIZE, 7);
    assert_int_equal(f.n, 2);
    assert_int_equal(f.order[1], FILTER_SIZE);
    assert_int_equal(f.value[FILTER_SIZE], 7);
    filter_drop(&f, FILTER_ROLE);
    assert_false(filter_has(&f, FILTER_ROLE));
    filter_drop(&f, FILTER_SIZE);
    filter_drop(&f, FILTER_SIZE);
    assert_true(filter_same(&f, &none));
}

static void a_filter_names_the_same_in_another_form(void **state)
{
    static struct cell_program from, to;
    struct filter f = {0};
    buf_id like = 0;
    char text[100];
    (void)state;
    cell_open(&from, "a100-d1048576-s4-u1");
    cell_open(&to, "a100-d1048576-s4-ufull");
    while (!from.program.file[like])
        like++;
    filter_set(&f, FILTER_LOOP, 0);
    filter_set(&f, FILTER_FILE, like);
    filter_set(&f, FILTER_ROLE, ROLE_RESIDUAL);
    filter_moved(&f, &from.program, &to.program);
    assert_false(filter_has(&f, FILTER_LOOP)); /* it has none */
    assert_string_equal(filter_words(&f, &to.program, FILTER_FILE, text, sizeof text), "scan.py");
    assert_int_equal(f.value[FILTER_ROLE], ROLE_RESIDUAL);
    cell_close(&from);
    cell_close(&to);
}

/* ---- Groups ---- */

/* Bytes and rows of the groups are those of the rows, in the memory that is charted its live bytes. */
static void check_groups(const struct program *p, const struct alive *a, const struct alive_ask *ask)
{
    uint64_t own = 0, charted = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < a->n_groups; k++) {
        const struct alive_group *g = &a->groups[k];
        uint64_t sum = 0;
        uint32_t space = p->space[a->rows[g->first].id];
        assert_int_equal(g->first, n);
        assert_true(g->n > 0);
        for (uint32_t i = g->first; i < g->first + g->n; i++) {
            sum += a->rows[i].own;
            assert_int_equal(p->space[a->rows[i].id], space);
            assert_int_equal(a->folds[ask->fold].of[a->rows[i].id], a->folds[ask->fold].of[a->rows[g->first].id]);
        }
        assert_true(sum == g->own);
        if (k && p->space[a->rows[a->groups[k - 1].first].id] == space && p->n_spaces <= 2)
            assert_true(a->groups[k - 1].own >= g->own);
        own += sum;
        charted += space == ask->space ? sum : 0;
        n += g->n;
    }
    assert_int_equal(n, a->n);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < a->n; i++)
        rows += a->rows[i].own;
    assert_true(own == rows);
    if (!ask->filter.n)
        assert_true(charted == p->spaces[ask->space].live[ask->when.step]);
}

/* Each line is a group or a row of the open one, and is found again. */
static void check_lines(const struct alive *a)
{
    uint32_t heads = 0, rows = 0, n = alive_lines(a);
    for (uint32_t i = 0; i < n; i++) {
        struct alive_line l = alive_line(a, i);
        heads += l.head;
        rows += !l.head;
        assert_int_equal(alive_find(a, alive_buffer(a, i), l.head), i);
    }
    assert_int_equal(heads, a->n_groups);
    assert_int_equal(rows, !a->n_groups ? a->n : a->open == KEY_NONE ? 0 : a->groups[a->open].n);
}

static void random_filter(struct filter *f, const struct program *p, uint64_t *seed)
{
    *f = (struct filter){0};
    if (below(seed, 3) == 0)
        filter_set(f, FILTER_ROLE, below(seed, ROLE_COUNT));
    if (below(seed, 4) == 0)
        filter_set(f, FILTER_SIZE, 1ull << below(seed, 34));
    if (below(seed, 4) == 0 && p->loops.n)
        filter_set(f, FILTER_LOOP, below(seed, p->loops.n));
    if (below(seed, 4) == 0)
        filter_set(f, FILTER_LINE, below(seed, p->n));
}

static void groups_sum_to_their_rows(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        struct alive a = {0};
        for (int i = 0; p->n && i < (kind >= SAMPLE_HUGE ? 8 : 300); i++) {
            struct alive_ask ask = {.when.step = below(&seed, p->steps + 1), .space = below(&seed, p->n_spaces),
                                    .sort = (enum sort)below(&seed, SORT_COUNT), .open = KEY_NONE,
                                    .fold = (enum fold)below(&seed, FOLD_COUNT)};
            random_filter(&ask.filter, p, &seed);
            alive_get(&a, p, &ask);
            if (a.n_groups) {
                ask.open = a.groups[below(&seed, a.n_groups)].key;
                alive_get(&a, p, &ask);
                assert_true(a.open != KEY_NONE);
                check_groups(p, &a, &ask);
            }
            assert_int_equal(a.n_groups > 0, a.n > 0 && ask.fold != FOLD_NONE);
            if (kind < SAMPLE_HUGE)
                check_lines(&a);
            for (uint32_t k = 0; k < a.n; k++)
                assert_true(filter_passes(&ask.filter, p, a.rows[k].id));
        }
        alive_free(&a);
        sample_free(&sample);
    }
}

static void enter_unfolds_a_group_and_folds_it(void **state)
{
    (void)state;
    struct app s = play(&sample.program, &memo, begin(SAMPLE_SCAN, 120, 40), "GGG"); /* by shape */
    const struct program *p = &sample.program;
    const struct alive *a = alive_here(p, &memo, &s);
    uint32_t groups = a->n_groups;
    assert_true(on_head(p, &memo, &s));
    assert_shows(p, &memo, &s, "\xc3\x97 f32[4,1024,1048576]");
    s = play(p, &memo, s, "<Enter>");
    assert_int_equal(alive_lines(alive_here(p, &memo, &s)), groups + alive_here(p, &memo, &s)->groups[0].n);
    assert_shows(p, &memo, &s, "Enter fold");
    s = play(p, &memo, s, "<Down>");
    assert_false(on_head(p, &memo, &s));
    struct app page = play(p, &memo, s, "<Enter>"); /* of a row it tells why */
    assert_int_equal(page.mode, MODE_PAGE);
    s = play(p, &memo, s, "<Up><Enter>");
    assert_int_equal(alive_lines(alive_here(p, &memo, &s)), groups);
    s = play(p, &memo, s, "GG");
    assert_int_equal(s.fold, FOLD_NONE);
    end();
}

static void a_match_in_a_closed_group_opens_it(void **state)
{
    (void)state;
    struct app s = play(&sample.program, &memo, begin(SAMPLE_SCAN, 120, 40), "GGGG/x.1<Enter>");
    assert_string_equal(sample.program.name_of[s.chosen], "x.1");
    assert_false(on_head(&sample.program, &memo, &s));
    end();
}

/* ---- The menu ---- */

static void values_count_what_they_would_leave(void **state)
{
    (void)state;
    for (int kind = SAMPLE_SCAN; kind <= SAMPLE_SPACES; kind++)
        for (int menu = 0; menu < FILTER_KINDS; menu++) {
            struct app s = begin((enum sample_kind)kind, 80, 24);
            s.menu = (enum filter_kind)menu;
            menu_get(&memo.menu, &sample.program, &(struct lapse){.step = s.step}, &s);
            uint32_t n = memo.menu.n;
            for (uint32_t i = 0; i < n; i++) {
                menu_get(&memo.menu, &sample.program, &(struct lapse){.step = s.step}, &s);
                struct choice c = memo.menu.items[i];
                struct app set = s;
                filter_set(&set.filter, s.menu, c.value);
                const struct alive *a = alive_here(&sample.program, &memo, &set);
                uint64_t own = 0;
                for (uint32_t k = 0; k < a->n; k++)
                    own += menu == FILTER_SPACE || sample.program.space[a->rows[k].id] == s.space ? a->rows[k].own : 0;
                assert_int_equal(a->n, c.n);
                assert_true(own == c.own);
            }
            end();
        }
}

int main(void)
{
    static struct CMUnitTest tests[60];
    size_t n = 0;
    ADD_TABLE(filter_cases, filters_show, name);
    ADD(filters_keep_the_order_in_which_they_were_set);
    ADD(a_filter_names_the_same_in_another_form);
    ADD(groups_sum_to_their_rows);
    ADD(enter_unfolds_a_group_and_folds_it);
    ADD(a_match_in_a_closed_group_opens_it);
    ADD(values_count_what_they_would_leave);
    return _cmocka_run_group_tests("the table", tests, n, NULL, NULL);
}
