/* What stands where, at sizes from the least to the large: titles, marks and answers whole. */
#include "tests/support/cmocka_all.h"
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tui/explorer/room.h"

static struct memo memo;
static struct sample sample;

static const int sizes[][2] = {{40, 10}, {60, 15}, {80, 24}, {120, 40}, {200, 60}, {300, 100}};
#define SIZES (sizeof sizes / sizeof *sizes)

static void end(void)
{
    sample_free(&sample);
    memo_free(&memo);
}

/* At each step: the words of the chart's title are whole, and in program order its peak is marked. */
static void the_peaks_mark_leaves_the_title_whole(void **state)
{
    (void)state;
    for (int kind = SAMPLE_SCAN; kind <= SAMPLE_SPACES; kind++)
        for (size_t k = 0; k < SIZES; k++) {
            sample_make(&sample, (enum sample_kind)kind);
            struct program *p = &sample.program;
            for (uint32_t peak = 0; p->n && peak <= p->steps; peak += 1 + p->steps / 60) {
                uint64_t most = p->spaces[0].live[p->spaces[0].peak];
                p->spaces[0].live[p->spaces[0].peak] = 0; /* the peak may be anywhere */
                p->peak = p->spaces[0].peak = peak;
                p->spaces[0].live[peak] = most;
                memo_free(&memo);
                struct app s = app_start(p, &memo, sizes[k][0], sizes[k][1], 0);
                assert_shows(p, &memo, &s, "live bytes");
                if (p->steps)
                    assert_shows(p, &memo, &s, "\xe2\x96\xbc");
            }
            end();
        }
}

static void it_opens_on_the_main_memory_unless_all_is_elsewhere(void **state)
{
    (void)state;
    sample_make(&sample, SAMPLE_SPACES);
    struct program *p = &sample.program;
    struct app s = app_start(p, &memo, 80, 24, 0);
    assert_int_equal(s.space, 0);
    p->spaces[1].live[p->spaces[1].peak] = p->spaces[0].live[p->peak] + 1;
    memo_free(&memo);
    assert_int_equal(app_start(p, &memo, 80, 24, 0).space, 0);
    p->spaces[1].live[p->spaces[1].peak] = (p->spaces[0].live[p->peak] + 1) * 16;
    memo_free(&memo);
    s = app_start(p, &memo, 80, 24, 0);
    assert_int_equal(s.space, 1);
    assert_int_equal(s.step, p->spaces[1].peak);
    assert_shows(p, &memo, &s, "live bytes in vmem");
    end();
}

/* Words of a text in the order in which they stand on the screen, whatever the lines. */
static bool has_words(const char *screen, const char *text)
{
    char word[100];
    const char *at = screen;
    while (*text) {
        size_t n = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        if (!(at = strstr(at, word)))
            return false;
        at += n;
        text += n + strspn(text + n, " ");
    }
    return true;
}

static void a_long_answer_is_whole(void **state)
{
    static struct cell_program cell;
    (void)state;
    cell_open(&cell, "a100-d1048576-s4-u1");
    for (size_t k = 0; k < SIZES; k++) {
        struct room room;
        struct app s = room_open(&room, &cell.program, cell.module.dir, sizes[k][0], sizes[k][1], 0);
        s = room_update(&room, s, (struct msg){.kind = MSG_KEY, .key = 'u'});
        s = room_update(&room, s, (struct msg){.kind = MSG_KEY, .key = 'u'}); /* three does not divide four */
        char answer[600];
        struct scene v;
        scene_make(&v, room.p, &room.memo, &s);
        form_notice(&v, answer, sizeof answer);
        char *text = screen_text(room.p, &room.memo, &s, false);
        bool whole = has_words(text, answer);
        if (!whole)
            print_error("not whole: %s\n%s\n", answer, text);
        free(text);
        assert_int_equal(s.notice, NOTICE_UNKNOWN);
        room_close(&room);
        assert_true(whole);
    }
    cell_close(&cell);
}

static void where_there_are_several_scans_length_is_named_after_one(void **state)
{
    static struct cell_program cell;
    struct room room;
    (void)state;
    cell_open(&cell, "a100-d1048576-s4-u1");
    struct app s = room_open(&room, &cell.program, NULL, 120, 40, 0); /* from nowhere: a dump of one's own */
    assert_int_equal(s.forms, FORMS_OWN);
    assert_null(room.stock.scan); /* forward and backward are one scan */
    room.stock.scan = "while.77";
    assert_shows(&cell.program, &room.memo, &s, "while.77: length");
    s = room_update(&room, s, (struct msg){.kind = MSG_KEY, .key = 'g'});
    assert_shows(&cell.program, &room.memo, &s, "output + temp in GiB \xc2\xb7 scan while.77");
    room_close(&room);
    cell_close(&cell);
}

int main(void)
{
    setenv("TIDEMARK_DATA", "fixtures", 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peaks_mark_leaves_the_title_whole),
        cmocka_unit_test(it_opens_on_the_main_memory_unless_all_is_elsewhere),
        cmocka_unit_test(a_long_answer_is_whole),
        cmocka_unit_test(where_there_are_several_scans_length_is_named_after_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
