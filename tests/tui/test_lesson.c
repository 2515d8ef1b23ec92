/* The lesson: its figures, its words on every screen, and how one goes through it. */
#include "tests/support/cmocka_all.h"
#include "tests/support/room_play.h"
#include "tui/lesson/lesson_draft.h"
#include "tui/model/compare.h"

#include <ctype.h>
#include <unistd.h>

static const double GIB = 1024.0 * 1024 * 1024;

static void open_all(struct lesson *l)
{
    struct diag d;
    char why[1400];
    if (!lesson_open(l, &d))
        fail_msg("%s", diag_text(&d, why, sizeof why));
}

/* ---- Figures: those of the example's study, which were counted by other programs ---- */

struct figure_case {
    int page;
    const char *name;
    double gib; /* of a count: the number */
};

static const struct figure_case figures[] = {
    {1, "r1", 4},  {1, "r2", 16}, {1, "r3", 20}, {1, "r4", 24},
    {1, "u1", 4},  {1, "u2", 8},  {1, "u3", 12}, {1, "u4", 16}, {1, "unit", 4}, {1, "jump", 12},
    {2, "total", 4}, {2, "model", 4}, {2, "model.end", 14}, {2, "grad", 4}, {2, "grad.start", 20}, {2, "place", 0},
    {3, "models", 4}, {3, "sum", 16}, {3, "temp", 12}, {3, "unit", 4},
    {4, "stack", 16}, {4, "from", 3}, {4, "rows", 4}, {4, "filled", 2}, {4, "held", 8},
    {5, "stack", 8}, {5, "cotangent", 4}, {5, "slice", 4}, {5, "total", 16}, {5, "stack3", 12}, {5, "total3", 20},
    {5, "place", 0},
    {6, "rolled", 16}, {6, "unrolled", 8}, {6, "rolled.kept", 8}, {6, "unrolled.kept", 8}, {6, "rolled.ct", 4},
    {6, "unrolled.ct", 0}, {6, "rolled.slice", 4}, {6, "unrolled.slice", 0}, {6, "plus", 8}, {6, "grad", 4},
    {6, "vector", 4096 / (1024.0 * 1024 * 1024)},
    {7, "slice", 4}, {7, "rolled", 24}, {7, "rowsum", 20},
    {8, "even", 44}, {8, "rolled", 40}, {8, "even.stack", 32}, {8, "even.cotangent", 4}, {8, "even.slice", 8},
    {8, "half", 44}, {8, "odd.rolled", 28}, {8, "first", 16}, {8, "second", 16}, {8, "half.rest", 12},
    {8, "first.from", 0}, {8, "first.to", 3}, {8, "second.from", 1}, {8, "second.to", 4},
    {9, "checkpoint", 40}, {9, "rolled", 40}, {9, "nested", 40}, {9, "rolled16", 72}, {9, "outer.stack", 16},
    {9, "inner.stack", 16}, {9, "rest", 8}, {9, "outer", 8}, {9, "inner", 8}, {9, "extra", 2}, {9, "predicted", 72},
    {9, "nested.long", 72}, {9, "rolled.long", 264}, {9, "forward", 2}, {9, "limit", 79.26},
    {10, "scalar", 8}, {10, "hoist", 4}, {10, "both", 32}, {10, "unrolled", 32}, {10, "kept", 32}, {10, "three", 12},
    {10, "unit", 4}, {10, "rolled", 40}, {10, "saved", 8}, {10, "peel.saved", 4}, {10, "rowsum.saved", 4},
    {11, "rolled", 40}, {11, "unroll2", 44}, {11, "unrolled", 32}, {11, "checkpoint", 40}, {11, "peel_last", 36},
    {11, "rowsum", 36}, {11, "peel_last_rowsum", 32}, {11, "unrolled_rowsum", 4}, {11, "cvjp_step", 36},
    {11, "cvjp_bf16", 20}, {11, "nested", 32}, {11, "offload", 8}, {11, "offload.host", 32}, {11, "scale_out", 8},
    {11, "scale_hoist", 4}, {11, "nested.runs", 2}, {11, "checkpoint.runs", 2}, {11, "peel_last.runs", 1},
    {11, "peel_last_rowsum.saves", 8},
};

static const struct lesson_value *value_of(const struct lesson_page *pg, const char *name)
{
    const struct lesson_value *v = pg->values.items;
    for (uint32_t k = 0; k < pg->values.n; k++)
        if (strcmp(v[k].name, name) == 0)
            return &v[k];
    return NULL;
}

static void figures_are_those_of_the_study(void **state)
{
    (void)state;
    struct lesson l;
    int bad = 0;
    open_all(&l);
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        const struct figure_case *c = &figures[k];
        const struct lesson_value *v = value_of(lesson_page(&l, c->page - 1), c->name);
        double got = !v || v->kind == VALUE_UNKNOWN ? -1 : (double)v->number / (v->kind == VALUE_BYTES ? GIB : 1);
        double off = got - c->gib, most = v && v->kind == VALUE_BYTES ? 0.04 : 0;
        if (off > most || off < -most || (c->gib > 0 && c->gib < 0.01 && off != 0.0)) {
            print_error("page %d: %s is %g, not %g\n", c->page, c->name, got, c->gib);
            bad++;
        }
    }
    lesson_close(&l);
    assert_int_equal(bad, 0);
}

/* "?" stands for what could not be computed, elsewhere behind a word. */
static bool has_unknown(const char *text)
{
    for (const char *at = text; (at = strchr(at, '?')); at++)
        if (at == text || !isalpha((unsigned char)at[-1]))
            return true;
    return false;
}

static void every_page_is_whole(void **state)
{
    (void)state;
    struct lesson l;
    bool ok = true;
    open_all(&l);
    for (int k = 0; ok && k < LESSON_PAGES; k++) {
        const struct lesson_page *pg = lesson_page(&l, k);
        ok = !pg->why && pg->n_looks > 0 && pg->title[0] && !strchr(pg->answer, '{') && pg->answer[0] &&
             pg->question[strlen(pg->question) - 1] == '?' && pg->values.n > 0;
        for (uint32_t v = 0; v < pg->values.n; v++)
            ok = ok && ((const struct lesson_value *)pg->values.items)[v].kind != VALUE_UNKNOWN;
        for (uint32_t i = 0; i < pg->lines.n; i++) /* "?" is what could not be computed */
            ok = ok && !has_unknown(lesson_line(pg, i)->words);
        ok = ok && !has_unknown(pg->answer);
        for (uint32_t i = 0; i < pg->n_looks; i++)
            ok = ok && pg->looks[i].book->p && pg->looks[i].step <= pg->looks[i].book->p->steps;
        if (!ok)
            print_error("page %d\n", k + 1);
    }
    lesson_close(&l);
    assert_true(ok);
}

/* A digit is part of a name ("w2"), or it was not computed. */
static bool has_figure(const char *text)
{
    bool braces = false;
    for (const char *at = text; *at; at++) {
        braces = *at == '{' || (braces && *at != '}');
        if (!braces && isdigit((unsigned char)*at) && (at == text || !isalnum((unsigned char)at[-1])))
            return true;
    }
    return false;
}

static void templates_hold_no_figures(void **state)
{
    (void)state;
    for (int k = 0; k < LESSON_PAGES; k++) {
        const struct template *t = &lesson_templates[k];
        assert_false(has_figure(t->question));
        assert_false(has_figure(t->answer));
        assert_false(has_figure(t->title));
        for (const char *const *line = t->lines; *line; line++)
            assert_false(has_figure(*line));
    }
    assert_true(has_figure("needs 4 GiB"));
    assert_false(has_figure("w2 needs {n1}, bf16 {n2}"));
}

/* What the answer of the page says that it shows. */
static void one_reader_needs_no_slice(void **state)
{
    (void)state;
    struct lesson l;
    open_all(&l);
    const struct lesson_page *pg = lesson_page(&l, 6);
    uint64_t with = find_role_bytes(pg->looks[0].book->p, pg->looks[0].step, ROLE_SLICE);
    uint64_t without = find_role_bytes(pg->looks[1].book->p, pg->looks[1].step, ROLE_SLICE);
    lesson_close(&l);
    assert_true(with >= 4ull << 30);
    assert_true(without < 1 << 20);
}

/* ---- Bytes in words ---- */

static void bytes_are_short(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"}, {4096, "4 KiB"}, {1023, "1023 B"}, {1024, "1 KiB"}, {4ull << 30, "4 GiB"},
        {(4ull << 30) + (4 << 20), "4 GiB"}, {3ull << 29, "1.5 GiB"}, {(1ull << 30) - 1, "1 GiB"},
        {(10ull << 40), "10 TiB"}, {UINT64_MAX, "16 EiB"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char out[24];
        assert_string_equal(lesson_bytes(cases[k].bytes, out), cases[k].text);
    }
}

/* ---- Rows ---- */

static bool stands_in(const struct list *rows, const char *word, size_t len)
{
    for (uint32_t k = 0; k < rows->n; k++) {
        const char *text = ((const struct lesson_row *)rows->items)[k].text;
        for (const char *at = text; (at = strchr(at, word[0])); at++)
            if (strncmp(at, word, len) == 0 && (at == text || at[-1] == ' ') && (!at[len] || at[len] == ' '))
                return true;
    }
    return false;
}

static void has_words(const struct list *rows, const char *text, int page, int width)
{
    while (*text) {
        size_t len = strcspn(text, " ");
        if (len && !stands_in(rows, text, len))
            fail_msg("page %d in %d columns: no word \"%.*s\"", page, width, (int)len, text);
        text += len + (text[len] == ' ');
    }
}

static void rows_cut_no_word(void **state)
{
    (void)state;
    struct lesson l;
    open_all(&l);
    for (int page = 0; page < LESSON_PAGES; page++)
        for (int width = 36; width <= 120; width += width < 60 ? 1 : 20) {
            const struct lesson_page *pg = lesson_page(&l, page);
            struct arena a = {0};
            struct list rows = {0};
            lesson_rows(pg, &(struct lesson_style){width, true, NULL, LOOK_ALL}, &a, &rows);
            for (uint32_t k = 0; k < rows.n; k++)
                assert_true(text_columns(((const struct lesson_row *)rows.items)[k].text) <= width);
            for (uint32_t k = 0; k < pg->lines.n; k++) {
                has_words(&rows, lesson_line(pg, k)->words, page + 1, width);
                for (int c = 0; c < lesson_line(pg, k)->cells; c++)
                    has_words(&rows, lesson_line(pg, k)->cell[c], page + 1, width);
            }
            has_words(&rows, pg->question, page + 1, width);
            has_words(&rows, pg->answer, page + 1, width);
            arena_free(&a);
        }
    lesson_close(&l);
}

/* ---- In the explorer ---- */

struct stage {
    struct cell_program cell;
    struct room room;
    struct app s;
};

static void begin(struct stage *g, const char *cell, int cols, int rows)
{
    cell_open(&g->cell, cell);
    g->s = room_open(&g->room, &g->cell.program, g->cell.module.dir, cols, rows, 0);
}

static void end(struct stage *g)
{
    room_close(&g->room);
    cell_close(&g->cell);
}

static void press_on(struct stage *g, const char *keys)
{
    g->s = press(&g->room, g->s, keys);
}

static char *seen(struct stage *g)
{
    return screen_text(g->room.p, &g->room.memo, &g->s, false);
}

static bool shows(struct stage *g, const char *want)
{
    char *text = seen(g);
    bool has = strstr(text, want) != NULL;
    if (!has)
        print_error("not shown: %s\n%s\n", want, text);
    free(text);
    return has;
}

/* On every page and at each of its places: its title, its program, and no more than the screen. */
static void every_page_opens(void **state)
{
    static const int sizes[][2] = {{40, 10}, {80, 24}, {110, 20}, {120, 40}, {200, 60}, {300, 100}};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct stage g;
        begin(&g, "a100-d1048576-s4-u1", sizes[k][0], sizes[k][1]);
        press_on(&g, "L");
        for (int page = 0; page < LESSON_PAGES; page++) {
            const struct lesson_page *pg = lesson_page(g.room.lesson, page);
            char head[80];
            snprintf(head, sizeof head, "%d/%d: %s", page + 1, LESSON_PAGES, pg->title);
            for (uint32_t look = 0; look < pg->n_looks; look++, press_on(&g, "<Tab>")) {
                assert_int_equal(g.s.lesson_page, page);
                assert_int_equal(g.s.lesson_look, look);
                assert_ptr_equal(g.room.p, pg->looks[look].book->p);
                assert_int_equal(g.s.step, pg->looks[look].step);
                assert_true(shows(&g, head));
            }
            press_on(&g, "<Space>");
            assert_true(shows(&g, "A  "));
            press_on(&g, "<Right>");
        }
        end(&g);
    }
}

/* Keys that lead to the same screen. */
static const struct {
    const char *name, *a, *b;
} same[] = {
    {"L, Esc and Esc lead back to what was shown", "sp<Tab><Down>", "sp<Tab><Down>L<Right><Tab><Esc><Esc>"},
    {"and so from the map", "m", "mL<Right><Right><Esc><Esc>"},
    {"and from two programs side by side", "c<Down>", "c<Down>L<Right><Esc><Esc>"},
    {"left undoes right", "L<Right>", "L<Right><Right><Left>"},
    {"p and n are pages too", "L<Right><Right>", "Lnnpn"},
    {"the first page is the first", "L", "L<Left>"},
    {"the last is the last", "L<End>", "L<End><Right>n"},
    {"Home leads to the first", "L", "L<End><Home>"},
    {"Tab goes round its places", "L<Right>", "L<Right><Tab><Tab>"},
    {"Space shows the answer, and takes it away", "L", "L<Space><Space><PgUp><PgUp><PgUp><PgUp><PgUp><PgUp><PgUp>"},
    {"Enter is the same", "L<Space>", "L<Enter>"},
    {"one leaves, looks around and returns to the page", "L<Right><Right><Right>",
     "L<Right><Right><Right><Esc><Right><Right>mMsgL"},
    {"and to its answer and place", "L<Right><Tab><Space>", "L<Right><Tab><Space><Esc>e<Esc>pL"},
    {"L leaves it as well", "L<Right><Esc>", "L<Right>L"},
    {"help shows its keys, and Esc leads back", "L<Right><Right><Right><Right><Right>", "L<Right><Right><Right><Right><Right>?<Esc>"},
    {"the page is remembered", "L<Right><Right>", "L<Right><Right><Esc><Esc>L"},
    {"arrows select on the last page", "L<End><Down><Down>", "L<End><Down><Down><Down><Up>"},
    {"and Enter opens what is selected", "L<End><Down><Down><Esc>", "L<End><Down><Down><Enter>"},
};

static void screens_are_the_same(void **state)
{
    (void)state;
    static const int sizes[][2] = {{40, 10}, {80, 24}, {120, 40}};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
            struct stage a, b;
            begin(&a, "a100-d1048576-s4-u1", sizes[z][0], sizes[z][1]);
            begin(&b, "a100-d1048576-s4-u1", sizes[z][0], sizes[z][1]);
            press_on(&a, same[k].a);
            press_on(&b, same[k].b);
            char *want = seen(&a), *got = seen(&b);
            end(&a);
            end(&b);
            if (strcmp(want, got) != 0)
                fail_msg("%s (%dx%d): %s\n%s\n%s", same[k].name, sizes[z][0], sizes[z][1], same[k].b, want, got);
            free(want);
            free(got);
        }
}

/* From a program that is not the example's default, and back to it. */
static void another_program_comes_back(void **state)
{
    (void)state;
    struct stage g;
    begin(&g, "cpu-d256-s8-u2", 80, 24);
    char *before = seen(&g);
    press_on(&g, "L<Right>");
    assert_ptr_not_equal(g.room.p, &g.cell.program);
    press_on(&g, "<Esc>s"); /* the map is open */
    press_on(&g, "<Esc><Esc>");
    char *after = seen(&g);
    bool home = g.room.p == &g.cell.program;
    end(&g);
    assert_true(home);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* The keys, and what any of them may do, in any order and on any screen. */
static void random_keys_do_no_harm(void **state)
{
    static const char *const keys[] = {"L", "<Esc>", "<Left>", "<Right>", "<Up>", "<Down>", "<Space>", "<Enter>", "<Tab>",
                                       "n", "p", "?", "<PgUp>", "<PgDn>", "<Home>", "<End>", "s", "S", "u", "c", "g", "m",
                                       "e", "x", "f", "[", "]", "/x<Enter>", "<click:70,20>", "<wheel-:70,20>", "t"};
    uint32_t seed = 20261130;
    struct stage g;
    (void)state;
    begin(&g, "a100-d1048576-s4-u1", 80, 24);
    for (int k = 0; k < 1000; k++) {
        seed = seed * 1664525u + 1013904223u;
        press_on(&g, keys[(seed >> 16) % (sizeof keys / sizeof *keys)]);
        assert_true(g.s.lesson_page >= 0 && g.s.lesson_page < LESSON_PAGES);
        assert_true(g.s.step <= g.room.p->steps && g.s.lesson_top >= 0);
        assert_true(g.s.lesson == LESSON_NONE ? !g.room.home.away : g.room.home.away);
        assert_true(g.s.lesson_look == 0 || g.s.lesson_look < g.s.lesson_looks || g.s.lesson == LESSON_NONE);
        free(seen(&g));
        if (k % 50 == 0) {
            static const int cols[] = {40, 80, 130, 200};
            struct msg m = {.kind = MSG_RESIZE, .cols = cols[k / 50 % 4], .rows = 10 + k / 50 * 2};
            g.s = room_update(&g.room, g.s, m);
        }
    }
    end(&g);
}

int main(void)
{
    setenv("TIDEMARK_DATA", "fixtures", 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_study), cmocka_unit_test(every_page_is_whole),
        cmocka_unit_test(templates_hold_no_figures),      cmocka_unit_test(bytes_are_short),
        cmocka_unit_test(one_reader_needs_no_slice),
        cmocka_unit_test(rows_cut_no_word),               cmocka_unit_test(every_page_opens),
        cmocka_unit_test(screens_are_the_same),           cmocka_unit_test(another_program_comes_back),
        cmocka_unit_test(random_keys_do_no_harm),
    };
    return cmocka_run_group_tests_name("lesson", tests, NULL, NULL);
}
