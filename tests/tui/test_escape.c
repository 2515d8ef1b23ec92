/* Esc in the explorer's main view. */
#include "tests/support/cmocka_all.h"
#include "tests/support/play.h"
#include "tests/support/program_sample.h"

static const struct {
    const char *keys, *word;
} levels[] = {{"", "modules"}, {"G", "ungroup"}, {"/fusion<Enter>", "end search"}, {"v", "cancel"}};
enum { LEVELS = sizeof levels / sizeof *levels };

/* It undoes one thing at a time, the innermost first; the footer names it; at last it leads to the list of
 * modules. */
static void esc_leads_back_one_level_at_a_time(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = app_start(p, &memo, 80, 24, 0);
    s.several = true;
    for (int k = 0; k < LEVELS; k++) {
        char shown[40];
        s = play(p, &memo, s, levels[k].keys);
        assert_string_equal(app_escape_word(&s), levels[k].word);
        snprintf(shown, sizeof shown, "Esc %s", levels[k].word);
        assert_shows(p, &memo, &s, shown);
    }
    for (int k = LEVELS - 1; k > 0; k--) {
        s = play(p, &memo, s, "<Esc>");
        assert_string_equal(app_escape_word(&s), levels[k - 1].word);
        assert_int_equal(s.want, WANT_NOTHING);
    }
    assert_int_equal(play(p, &memo, s, "<Esc>").want, WANT_MODULES);
    memo_free(&memo);
    sample_free(&sample);
}

static void without_a_list_esc_stays(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    struct app s = app_start(&sample.program, &memo, 80, 24, 0);
    assert_null(app_escape_word(&s));
    assert_int_equal(play(&sample.program, &memo, s, "<Esc>").want, WANT_NOTHING);
    memo_free(&memo);
    sample_free(&sample);
}

/* Where the map has the screen, Tab is the way to the others, as elsewhere. */
static void tab_leaves_the_map_too(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    struct app s = play(&sample.program, &memo, app_start(&sample.program, &memo, 80, 24, 0), "m");
    assert_true(s.map);
    s = play(&sample.program, &memo, s, "<Tab>");
    assert_false(s.map);
    assert_int_equal(s.mode, MODE_MAIN);
    memo_free(&memo);
    sample_free(&sample);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(esc_leads_back_one_level_at_a_time),
                                              cmocka_unit_test(without_a_list_esc_stays),
                                              cmocka_unit_test(tab_leaves_the_map_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
