/* Pages of explanations: where keys and clicks lead, what is shown of them at every size. */
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/tables.h"

static struct memo memo;
static struct cell_program rolled, unrolled;

static int open_cells(void **state)
{
    (void)state;
    cell_open(&rolled, "a100-d1048576-s4-u1");
    cell_open(&unrolled, "a100-d1048576-s4-ufull");
    return 0;
}

static int close_cells(void **state)
{
    (void)state;
    memo_free(&memo);
    cell_close(&rolled);
    cell_close(&unrolled);
    return 0;
}

static struct app start(int cols, int rows)
{
    memo_free(&memo);
    return app_start(&rolled.program, &memo, cols, rows, 0);
}

/* The first line that leads to a step, and its number of <Down>s from the top. */
static const struct line *line_here(const struct app *s)
{
    const struct page *pg = app_page(&rolled.program, &memo, s);
    assert_true(s->page_line < pg->lines.n);
    return page_line(pg, s->page_line);
}

/* ---- State ---- */

struct page_case {
    const char *name, *keys;
    enum mode mode;
    enum page_kind page;
    enum want want;
    uint32_t step;
};

static const struct page_case page_cases[] = {
    {"Enter asks why the selected buffer is alive", "<Enter>", MODE_PAGE, PAGE_BUFFER, 0, 65},
    {"in the table too", "<Tab>j<Enter>", MODE_PAGE, PAGE_BUFFER, 0, 65},
    {"Esc leads back", "<Enter><Esc>", MODE_MAIN, PAGE_BUFFER, 0, 65},
    {"e explains the step", "e", MODE_PAGE, PAGE_STEP, 0, 65},
    {"e again leads back", "ee", MODE_MAIN, PAGE_STEP, 0, 65},
    {"from the map too", "me", MODE_PAGE, PAGE_STEP, 0, 65},
    {"? helps on the page", "e?", MODE_HELP, PAGE_STEP, 0, 65},
    {"its Esc leads back to the page", "e?<Esc>", MODE_PAGE, PAGE_STEP, 0, 65},
    {"and that one's to the chart", "<Enter>?<Esc><Esc>", MODE_MAIN, PAGE_BUFFER, 0, 65},
    {"q quits", "eq", MODE_PAGE, PAGE_STEP, WANT_QUIT, 65},
    {"other keys do nothing", "ex]hlfm", MODE_PAGE, PAGE_STEP, 0, 65},
    {"scrolling leaves the cursor", "e<Down><PgDn><End><Up><PgUp><Home>", MODE_PAGE, PAGE_STEP, 0, 65},
};

static void pages_open_and_close(void **state)
{
    const struct page_case *c = *state;
    struct app s = play(&rolled.program, &memo, start(80, 24), c->keys);
    assert_int_equal(s.mode, c->mode);
    assert_int_equal(s.page, c->page);
    assert_int_equal(s.want, c->want);
    assert_int_equal(s.step, c->step);
}

static void a_page_keeps_the_buffer_it_is_about(void **state)
{
    (void)state;
    struct app s = play(&rolled.program, &memo, start(80, 24), "jj<Enter>");
    const char *name = rolled.program.name_of[s.chosen];
    assert_string_equal(name, "loop_add_fusion.2");
    assert_shows(&rolled.program, &memo, &s, "loop_add_fusion.2 is alive");
}

static void without_buffers_there_is_no_page(void **state)
{
    static struct sample sample;
    struct memo none = {0};
    (void)state;
    sample_make(&sample, SAMPLE_EMPTY);
    struct app s = play(&sample.program, &none, app_start(&sample.program, &none, 80, 24, 0), "<Enter>");
    assert_int_equal(s.mode, MODE_MAIN);
    memo_free(&none);
    sample_free(&sample);
}

/* ---- Lines ---- */

static void every_line_is_reached_and_seen(void **state)
{
    static const int sizes[][2] = {{40, 10}, {80, 24}, {100, 50}, {200, 60}};
    static const char *const opened[] = {"e", "<Enter>", "jj<Enter>"};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof opened / sizeof *opened; k++) {
            const struct program *p = &rolled.program;
            struct app s = play(p, &memo, start(sizes[i][0], sizes[i][1]), opened[k]);
            const struct page *pg = app_page(p, &memo, &s);
            struct rect list = layout_of(p, &s).page_list;
            struct page_columns c = page_columns_of(pg, list.w);
            uint32_t last = s.page_line;
            for (uint32_t n = 0; n < pg->lines.n; n++) {
                int top = page_top_of(pg, &c, s.page_line, s.page_top, list.h);
                int row = page_row_of(pg, &c, s.page_line) - top;
                assert_true(row < list.h && row + page_rows(pg, &c, s.page_line) > 0);
                assert_true(page_line(pg, s.page_line)->kind != LINE_TITLE);
                for (uint32_t skipped = last + 1; skipped < s.page_line; skipped++)
                    assert_int_equal(page_line(pg, skipped)->kind, LINE_TITLE);
                last = s.page_line;
                s = play(p, &memo, s, "<Down>");
            }
            assert_int_equal(last, pg->lines.n - 1); /* none of these ends with a title */
            s = play(p, &memo, s, "<Home>");
            assert_int_equal(page_top_of(pg, &c, s.page_line, s.page_top, list.h), 0);
            struct app end = play(p, &memo, s, "<End>");
            assert_int_equal(end.page_line, pg->lines.n - 1);
            for (uint32_t n = 0; n < pg->lines.n && s.page_line != end.page_line; n++)
                s = play(p, &memo, s, "<PgDn>");
            assert_int_equal(s.page_line, end.page_line);
        }
}

/* Each line that leads somewhere does so: to its step, to its buffer, by Enter as by a click. */
static void lines_lead_to_their_step_and_buffer(void **state)
{
    static const char *const opened[] = {"e", "<Enter>", "j<Enter>"};
    const struct program *p = &rolled.program;
    uint32_t to_steps = 0, to_buffers = 0, nowhere = 0;
    (void)state;
    for (size_t k = 0; k < sizeof opened / sizeof *opened; k++) {
        struct app s = play(p, &memo, start(80, 24), opened[k]);
        uint32_t n = app_page(p, &memo, &s)->lines.n;
        for (uint32_t i = 0; i < n; i++, s = play(p, &memo, s, "<Down>")) {
            struct line l = *line_here(&s);
            struct app there = play(p, &memo, s, "<Enter>");
            if (!page_leads(&l)) {
                assert_int_equal(there.mode, MODE_PAGE);
                assert_int_equal(there.notice, NOTICE_NOWHERE);
                nowhere++;
                continue;
            }
            assert_int_equal(there.mode, MODE_MAIN);
            if (l.buffer != BUF_NONE && p->start[l.buffer] <= there.step && there.step <= p->end[l.buffer])
                assert_int_equal(there.chosen, l.buffer);
            if (l.step != STEP_NONE)
                assert_int_equal(there.step, l.step);
            to_steps += l.step != STEP_NONE && l.step != s.step;
            to_buffers += l.buffer != BUF_NONE && l.buffer != s.chosen;
            app_page(p, &memo, &s); /* the memo is of that page again */
        }
    }
    assert_true(to_steps > 2 && to_buffers > 2 && nowhere > 2);
}

static void a_click_leads_where_enter_does(void **state)
{
    const struct program *p = &rolled.program;
    (void)state;
    struct app s = play(p, &memo, start(80, 24), "e");
    struct rect list = layout_of(p, &s).page_list;
    const struct page *pg = app_page(p, &memo, &s);
    struct page_columns c = page_columns_of(pg, list.w);
    for (uint32_t k = 1; k < pg->lines.n && page_row_of(pg, &c, k) < list.h; k++) {
        if (!page_leads(page_line(pg, k)))
            continue;
        char keys[40];
        buf_id buffer = page_line(pg, k)->buffer;
        snprintf(keys, sizeof keys, "<click:9,%d>", list.y + page_row_of(pg, &c, k) + 1);
        struct app there = play(p, &memo, s, keys);
        assert_int_equal(there.mode, MODE_MAIN);
        if (buffer != BUF_NONE)
            assert_int_equal(there.chosen, buffer);
        pg = app_page(p, &memo, &s);
    }
    struct app wheel = play(p, &memo, s, "<wheel-:9,9>");
    assert_true(wheel.page_line > s.page_line);
    wheel = play(p, &memo, wheel, "<wheel+:9,9>");
    assert_int_equal(wheel.page_line, s.page_line);
}

/* ---- What the pages say ---- */

static void the_page_of_the_peak_sums_up(void **state)
{
    const struct program *p = &rolled.program;
    (void)state;
    struct app s = play(p, &memo, start(100, 200), "e");
    const struct page *pg = app_page(p, &memo, &s);
    uint64_t sum = 0;
    uint32_t k = 0;
    while (page_line(pg, k)->kind != LINE_SUM)
        k++;
    const struct line *total = page_line(pg, k);
    for (k++; k < pg->lines.n && page_line(pg, k)->kind != LINE_SUM; k++)
        sum += page_line(pg, k)->kind == LINE_PART ? page_line(pg, k)->bytes : 0;
    assert_true(sum == total->bytes && sum == p->live[p->peak]);
    assert_shows(p, &memo, &s, "residual stack");
    assert_shows(p, &memo, &s, "residual-is-carry");
    assert_shows(p, &memo, &s, "scan.py:40");
}

static void the_other_form_is_asked_for_once(void **state)
{
    const struct program *p = &rolled.program;
    (void)state;
    struct app s = start(100, 200);
    s.other = true;
    s = play(p, &memo, s, "<Enter>");
    assert_int_equal(s.want, WANT_NOTHING);
    s = play(p, &memo, s, "<Esc>e");
    assert_int_equal(s.want, WANT_OTHER);
    memo.other = &unrolled.program; /* as explorer.c does */
    s.want = WANT_NOTHING;
    assert_shows(p, &memo, &s, "+8.00 GiB");
    s = play(p, &memo, s, "<Esc>e");
    assert_int_equal(s.want, WANT_NOTHING);
    s.other = false;
    char *text = screen_text(p, &memo, &s, false);
    assert_null(strstr(text, "+8.00 GiB"));
    free(text);
}

/* The page of the step ends with what could not share a place; where all could, nothing is said. */
static void what_could_not_share_is_told(void **state)
{
    static const struct {
        const char *cell;
        bool told;
    } cells[] = {{"cpu-d256-s2-u1", true}, {"a100-d1048576-s4-u1", false}};
    (void)state;
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        struct cell_program cell;
        memo_free(&memo);
        cell_open(&cell, cells[k].cell);
        struct app s = play(&cell.program, &memo, app_start(&cell.program, &memo, 100, 300, 0), "e");
        char *text = screen_text(&cell.program, &memo, &s, false);
        assert_int_equal(strstr(text, "could not share a place") != NULL, cells[k].told);
        free(text);
        memo_free(&memo);
        cell_close(&cell);
    }
}

/* } goes from section to section and { back, its title on top where the page is long enough; a count
 * before a key repeats it. */
static void sections_are_stepped_through(void **state)
{
    const struct program *p = &rolled.program;
    (void)state;
    struct app s = play(p, &memo, start(80, 24), "e");
    const struct page *pg = app_page(p, &memo, &s);
    struct rect list = layout_of(p, &s).page_list;
    struct page_columns c = page_columns_of(pg, list.w);
    uint32_t first = s.page_line, titles = 0;
    for (uint32_t k = 1; k < pg->lines.n; k++) {
        if (page_line(pg, k)->kind != LINE_TITLE)
            continue;
        titles++;
        s = play(p, &memo, s, "}");
        assert_int_equal(s.page_line, k + 1);
        int most = page_height(pg, &c) - list.h, row = page_row_of(pg, &c, k);
        assert_int_equal(s.page_top, row < most ? row : most);
    }
    assert_true(titles >= 2);
    uint32_t last = s.page_line;
    assert_int_equal(play(p, &memo, s, "}").page_line, last);
    assert_int_equal(play(p, &memo, s, "<Down><Down>{").page_line, last);
    for (uint32_t k = 0; k < titles; k++)
        s = play(p, &memo, s, "{");
    assert_int_equal(s.page_line, first);
    assert_int_equal(play(p, &memo, s, "{").page_line, first);
    assert_int_equal(play(p, &memo, s, "7<Down>").page_line, play(p, &memo, s, "jjjjjjj").page_line);
    assert_int_equal(play(p, &memo, s, "12<Down>").count, 0);
}

static void numbers_stay_with_their_units(void **state)
{
    static const char *const texts[] = {
        "at offset 0 B, then 4 slots x 16.00 GiB (residual stack) + 548.11 KiB (the rest)",
        "16.00 GiB", "a 5 B", "12 Bytes of 3 GiBs are words"};
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int width = 12; width < 90; width++) {
            char line[120], joined[400] = "";
            for (int n = 0; wrap_line(texts[t], width, n, line, sizeof line); n++) {
                char word[8] = "";
                sscanf(line, "%7[^ ,.;)]", word);
                for (size_t u = 0; n && u < 4; u++)
                    assert_string_not_equal(word, units[u]);
                assert_true(text_columns(line) <= width);
                snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", n ? " " : "", line);
            }
            assert_string_equal(joined, texts[t]);
        }
}

/* Where no hint stands the page says so: nothing said could mean nothing looked for. */
static void no_hint_is_said(void **state)
{
    static struct sample sample;
    struct memo none = {0};
    (void)state;
    sample_make(&sample, SAMPLE_NESTED);
    struct app s = play(&sample.program, &none, app_start(&sample.program, &none, 100, 60, 0), "e");
    assert_shows(&sample.program, &none, &s, "None. They look for what scans keep");
    memo_free(&none);
    sample_free(&sample);
}

int main(void)
{
    static struct CMUnitTest tests[40];
    size_t n = 0;
    ADD_TABLE(page_cases, pages_open_and_close, name);
    ADD(a_page_keeps_the_buffer_it_is_about);
    ADD(without_buffers_there_is_no_page);
    ADD(every_line_is_reached_and_seen);
    ADD(lines_lead_to_their_step_and_buffer);
    ADD(a_click_leads_where_enter_does);
    ADD(the_page_of_the_peak_sums_up);
    ADD(the_other_form_is_asked_for_once);
    ADD(what_could_not_share_is_told);
    ADD(sections_are_stepped_through);
    ADD(numbers_stay_with_their_units);
    ADD(no_hint_is_said);
    return _cmocka_run_group_tests("pages", tests, n, open_cells, close_cells);
}
