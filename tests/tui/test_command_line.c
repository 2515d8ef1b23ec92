/* The explorer's command line: where it leads, what it completes, what it says when it cannot. */

#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/tables.h"
#include "tui/model/complete.h"

static struct memo memo;
static struct sample sample;

struct line_case {
    const char *name, *keys;
    enum sample_kind kind;
    uint32_t step;
    const char *chosen; /* NULL: not looked at */
    const char *said;   /* NULL: nothing */
};

static const struct line_case line_cases[] = {
    {"a number is a step", ":12<Enter>", SAMPLE_SCAN, 12, NULL, NULL},
    {"step says the same", ":step 12<Enter>", SAMPLE_SCAN, 12, NULL, NULL},
    {"the end is a step", ":30<Enter>", SAMPLE_SCAN, 30, NULL, NULL},
    {"there is none behind it", ":31<Enter>", SAMPLE_SCAN, 19, NULL, "there is no step 31: the last one, the end, is 30"},
    {"nor a very large one", ":99999999999999999999999<Enter>", SAMPLE_SCAN, 19, NULL,
     "there is no step 999999999999: the last one, the end, is 30"},
    {"a step is a number", ":step x<Enter>", SAMPLE_SCAN, 19, NULL, "step what?  A number from 0 to 30"},
    {"blanks around do not matter", ":  12  <Enter>", SAMPLE_SCAN, 12, NULL, NULL},
    {"an empty line does nothing", ":<Enter>", SAMPLE_SCAN, 19, NULL, NULL},
    {"a value's name leads to its birth", ":loop_multiply_fusion<Enter>", SAMPLE_SCAN, 12, "loop_multiply_fusion", NULL},
    {"its start does", ":copy-start.3{<Enter>", SAMPLE_SCAN, 19, "copy-start.3{0}", NULL},
    {"a part does, in any case", ":M__W1<Enter>", SAMPLE_SCAN, 19, "m__w1__.1", NULL},
    {"the whole name goes before longer ones", ":while<Enter>", SAMPLE_SCAN, 26, NULL, NULL},
    {"an instruction without a buffer", ":tuple.12<Enter>", SAMPLE_SCAN, 16, NULL, NULL},
    {"several are counted", ":get-tuple<Enter>", SAMPLE_SCAN, 6, NULL, "the first of 3 called so; Tab lists them"},
    {"what is not there is said", ":nowhere<Enter>", SAMPLE_SCAN, 19, NULL,
     "no step, value, instruction or line is called \"nowhere\""},
    {"a source line leads to what comes first of it", ":scan.py:17<Enter>", SAMPLE_SCAN, 2, NULL, NULL},
    {"by more of its path too", ":app/scan.py:17<Enter>", SAMPLE_SCAN, 2, NULL, NULL},
    {"not by half a name", ":can.py:17<Enter>", SAMPLE_SCAN, 19, NULL, "nothing comes from can.py:17"},
    {"a line that nothing comes from", ":scan.py:999<Enter>", SAMPLE_SCAN, 19, NULL, "nothing comes from scan.py:999"},
    {"peak", "<Home>:peak<Enter>", SAMPLE_SCAN, 19, NULL, NULL},
    {"p for short", "<Home>:p<Enter>", SAMPLE_SCAN, 19, NULL, NULL},
    {"a loop by name", ":loop while.16<Enter>", SAMPLE_SCAN, 5, NULL, NULL},
    {"a loop by part of one", ":l e.16<Enter>", SAMPLE_SCAN, 5, NULL, NULL},
    {"a loop that is none", ":loop x<Enter>", SAMPLE_SCAN, 19, NULL, "no loop is called \"x\""},
    {"which of several is not guessed", ":loop hile<Enter>", SAMPLE_SCAN, 19, NULL, "2 loops have \"hile\" in their names"},
    {"loop alone", ":loop<Enter>", SAMPLE_SCAN, 19, NULL, "loop which?  Tab lists them"},
    {"an iteration of the loop here", ":iteration 3<Enter>", SAMPLE_SCAN, 19, NULL, NULL},
    {"of another one", ":iteration 3 while.16<Enter>", SAMPLE_SCAN, 5, NULL, NULL},
    {"there are no more", ":i 5<Enter>", SAMPLE_SCAN, 19, NULL, "while runs 4 times"},
    {"they count from 1", ":i 0<Enter>", SAMPLE_SCAN, 19, NULL,
     "iteration which?  A number from 1 on, and a loop's name if none is around the cursor"},
    {"outside of loops it needs a name", "<Home>:i 2<Enter>", SAMPLE_SCAN, 0, NULL,
     "no loop around this step: name one, or { } leads to the next"},
    {"an unknown count is said", ":i 2 while.3<Enter>", SAMPLE_NESTED, 19, NULL, "how often while.3 runs is not known"},
    {"Esc leaves it", ":12<Esc>", SAMPLE_SCAN, 19, NULL, NULL},
    {"rubbing out the empty line does", ":1<BS><BS>", SAMPLE_SCAN, 19, NULL, NULL},
    {"Up brings the last line", ":3<Enter>:7<Enter>:<Up><Up><Enter>", SAMPLE_SCAN, 3, NULL, NULL},
    {"Down the next one", ":3<Enter>:7<Enter>:<Up><Up><Down><Enter>", SAMPLE_SCAN, 7, NULL, NULL},
    {"and at last an empty one", ":3<Enter>:<Up><Down>9<Enter>", SAMPLE_SCAN, 9, NULL, NULL},
    {"Tab completes", ":pe<Tab><Enter>", SAMPLE_SCAN, 19, NULL, NULL},
    {"again the next", ":loop <Tab><Tab><Enter>", SAMPLE_SCAN, 18, NULL, NULL},
    {"and round to what was typed", ":loop <Tab><Tab><Tab><Tab><Enter>", SAMPLE_SCAN, 5, NULL, NULL},
    {"it works from a page", "e:12<Enter>", SAMPLE_SCAN, 12, NULL, NULL},
    {"without HLO names still lead", ":m__w1<Enter>", SAMPLE_NO_HLO, 19, "m__w1__.1", NULL},
    {"without buffers nothing breaks", ":x<Tab><Enter>", SAMPLE_EMPTY, 0, NULL,
     "no step, value, instruction or line is called \"x\""},
};

static void lines_lead(void **state)
{
    const struct line_case *c = *state;
    sample_make(&sample, c->kind);
    const struct program *p = &sample.program;
    struct app s = app_start(p, &memo, 80, 24, 0);
    if (c->kind == SAMPLE_NESTED || c->kind == SAMPLE_NO_HLO)
        s = play(p, &memo, s, ":19<Enter>");
    if (c->kind == SAMPLE_EMPTY)
        s = play(p, &memo, s, "<Home>");
    s = play(p, &memo, s, c->keys);
    const char *chosen = s.chosen == BUF_NONE ? "" : p->name_of[s.chosen];
    assert_int_equal(s.step, c->step);
    if (c->chosen)
        assert_string_equal(chosen, c->chosen);
    if (c->said)
        assert_string_equal(s.said, c->said);
    else
        assert_int_not_equal(s.notice, NOTICE_SAID);
    assert_false(s.commanding);
    memo_free(&memo);
    sample_free(&sample);
}

static void iterations_are_those_shown(void **state)
{
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), ":iteration 3<Enter>");
    assert_shows(p, &memo, &s, "while 3/4");
    s = play(p, &memo, s, ":iteration 2 while.16<Enter>");
    assert_shows(p, &memo, &s, "while.16 2/4");
    s = play(p, &memo, s, ":q<Enter>");
    assert_int_equal(s.want, WANT_QUIT);
    memo_free(&memo);
    sample_free(&sample);
}

struct complete_case {
    const char *line, *first, *has; /* has: somewhere; NULL: not looked at */
    uint32_t n;                     /* 0: not looked at */
};

static const struct complete_case complete_cases[] = {
    {"", "step ", "quit", 7},
    {"pe", "peak", NULL, 0},
    {"loop ", "loop while.16", "loop while", 2},
    {"loop while", "loop while", "loop while.16", 2},
    {"iteration 3 ", "iteration 3 while.16", NULL, 2},
    {"iteration ", NULL, NULL, 0},
    {"multiply", "loop_multiply_fusion", NULL, 1},
    {"scan.py:1", "scan.py:15", "scan.py:17", 5},
    {"can.p", "scan.py:15", "scan.py:21", 0},
    {"12", NULL, NULL, 0},
    {"nowhere", NULL, NULL, 0},
};

static void lines_are_completed(void **state)
{
    const struct complete_case *c = *state;
    static struct completions found;
    bool has = !c->has;
    sample_make(&sample, SAMPLE_SCAN);
    complete(&sample.program, c->line, &found);
    for (uint32_t k = 0; k < found.n; k++)
        has = has || strcmp(found.item[k].text, c->has ? c->has : "") == 0;
    if (c->first)
        assert_string_equal(found.item[0].text, c->first);
    assert_true(c->first || !found.n);
    assert_true(has);
    if (c->n)
        assert_int_equal(found.n, c->n);
    sample_free(&sample);
}

/* However many names there are. */
static void completions_are_bounded(void **state)
{
    static struct completions found;
    (void)state;
    sample_make(&sample, SAMPLE_SPIKE);
    complete(&sample.program, "fusion", &found);
    assert_int_equal(found.n, COMPLETIONS_MOST);
    assert_true(found.more);
    struct app s = app_start(&sample.program, &memo, 80, 24, 0);
    s = play(&sample.program, &memo, s, ":fusion");
    assert_shows(&sample.program, &memo, &s, "1\xe2\x80\x93" "10 of 64 and more");
    for (int i = 0; i <= COMPLETIONS_MOST; i++)
        s = play(&sample.program, &memo, s, "<Tab>");
    assert_string_equal(s.typed, "fusion");
    memo_free(&memo);
    sample_free(&sample);
}

static void lines_are_kept_but_not_for_ever(void **state)
{
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = app_start(p, &memo, 80, 24, 0);
    for (int i = 0; i < 40; i++) {
        char keys[40];
        snprintf(keys, sizeof keys, ":%d<Enter>:%d<Enter>", i % 30, i % 30);
        s = play(p, &memo, s, keys);
    }
    assert_int_equal(s.n_lines, LINES_MOST);
    s = play(p, &memo, s, ":");
    for (int i = 0; i < LINES_MOST + 5; i++)
        s = play(p, &memo, s, "<Up>");
    assert_string_equal(s.typed, "24");
    memo_free(&memo);
    sample_free(&sample);
}

int main(void)
{
    static struct CMUnitTest tests[100];
    size_t n = 0;
    ADD_TABLE(line_cases, lines_lead, name);
    ADD(iterations_are_those_shown);
    ADD_TABLE(complete_cases, lines_are_completed, line);
    ADD(completions_are_bounded);
    ADD(lines_are_kept_but_not_for_ever);
    return _cmocka_run_group_tests("the command line", tests, n, NULL, NULL);
}
