/* The explorer's hands: counts, back and forward, marks, zoom, ranges of time, play, and that no keys
 * break anything. */
#include "tests/support/random.h"
#include "tests/support/sample_here.h"
#include "tests/support/tables.h"
#include "tui/explorer/room.h"

/* ---- Keys and where they lead ---- */

struct hands_case {
    const char *name, *keys;
    uint32_t step;
    const char *shows; /* somewhere on the screen; NULL: not looked at */
};

static const struct hands_case hands_cases[] = {
    {"a count goes before a step", "<Home>12<Right>", 12, NULL},
    {"and before one back", "<End>12h", 18, NULL},
    {"it goes no further than there is", "<Home>99999<Right>", 30, NULL},
    {"a count has bounds", "<Home>99999999999999999999<Right>", 30, NULL},
    {"it is shown while it is typed", "12", 19, " 12  then what to do so often"},
    {"Esc takes it back", "<Home>12<Esc><Right>", 1, NULL},
    {"and nothing else with it", "fr<Enter>12<Esc>", 19, "1 of 7 shown, "},
    {"it is for one key", "<Home>2<Right><Right>", 3, NULL},
    {"another key forgets it", "<Home>2o<Right>", 1, NULL},
    {"rows are counted too", "2<Down>", 19, "\xe2\x96\xb8   4.00 GiB               slice of stack"},
    {"iterations are", "x2]", 19, "while 3/4"},
    {"of which there may be fewer", "x99]", 19, "while 4/4"},
    {"loops are", "<Home>2}", 18, NULL},
    {"a key that does nothing says so", "Z", 19, "\xe2\x80\x98Z\xe2\x80\x99 does nothing here: ? lists keys"},
    {"so does a control key", "<C-x>", 19, "\xe2\x80\x98" "Ctrl-X\xe2\x80\x99 does nothing here"},
    {"on a page ? is named too", "eZ", 19, "\xe2\x80\x98Z\xe2\x80\x99 does nothing here: ? lists keys"},
    {"in the help there is no ? to name", "?Z", 19, NULL},
    {"< leads back from a jump", "<Home><lt>", 19, NULL},
    {"> forward again", "<Home><lt>>", 0, NULL},
    {"steps are one move", "<Home><Right><Right><Right><lt>", 0, NULL},
    {"and the next < goes before them", "<Home><Right><Right><lt><lt>", 19, NULL},
    {"back and forward are counted", "<Home>b<End>3<lt>", 19, NULL},
    {"a search can be undone", "/scan.py:17<Enter><lt>", 19, NULL},
    {"a page's line comes again", "e<Down><Down><Enter><lt>", 19, "explain"},
    {"Esc from a page is no move", "<Home>e<Esc><lt>", 19, NULL},
    {"selecting is none either", "<Home><Down><lt>", 19, NULL},
    {"nowhere to go back to is said", "<lt>", 19, "no place to go back to"},
    {"or forward", ">", 19, "no place to go forward to"},
    {"a new move forgets what lay ahead", "<Home><lt><End><lt>>", 30, NULL},
    {"a mark leads back", "\"a<Home>'a", 19, NULL},
    {"and < from there", "\"a<Home>'a<lt>", 0, NULL},
    {"an unset mark is said", "'b", 19, "nothing is marked b"},
    {"marks are letters", "\"3", 19, "marks are the letters a to z"},
    {"' lists them", "\"a<Home>\"c'", 0, "a  step 19  input_dynamic_slice_reduce_fusion"},
    {"'' as well", "\"a<Home>\"c''", 0, "c  step 0  m__w2__.1"},
    {"none is said", "'", 19, "none yet"},
    {"Esc leaves the list", "\"a<Home>'<Esc><Right>", 1, NULL},
    {"+ shows less time", "+", 19, "steps 10\xe2\x80\x93" "25 of 30"},
    {"- more of it", "++-", 19, "steps 11\xe2\x80\x93" "26 of 30"},
    {"= all of it", "++=", 19, "live bytes, program order \xe2\x94\x81"},
    {"0 too", "++0", 19, "live bytes, program order \xe2\x94\x81"},
    {"it is counted", "2+", 19, "steps 15\xe2\x80\x93" "22 of 30"},
    {"four steps are the least", "9+", 19, "steps 17\xe2\x80\x93" "20 of 30"},
    {"the window goes with the cursor", "++<Home>", 0, "steps 0\xe2\x80\x93" "7 of 30"},
    {"execution order is another time", "++x", 19, "live bytes, execution order \xe2\x94\x81"},
    {"and has its own window", "x+", 19, "moments "},
    {"v selects from here on", "<Home>4<Right>v3<Right>", 7, "alive in the range: "},
    {"backwards too", "v2h", 17, "alive in the range: 24.00 GiB at most (step 19)"},
    {"Esc drops the selection", "v2h<Esc>", 17, "alive here: "},
    {"v does too", "v2hv", 17, "alive here: "},
    {"x drops it: its time is another", "v2hx", 17, "alive here: "},
    {"a drag selects whole columns", "<drag:12,6:40,6>", 12, "alive in the range: "},
    {"from right to left", "<drag:40,6:12,6>", 0, "alive in the range: "},
    {"beyond the chart's edge too", "<drag:40,6:80,6>", 30, "alive in the range: "},
    {"a click drops it", "<drag:12,6:40,6><click:12,6>", 0, "alive here: "},
    {"a drag elsewhere does nothing", "<drag:20,18:30,20>", 19, "alive here: "},
    {"the wheel zooms at the pointer", "<wheel+:12,6>", 19, "steps 0\xe2\x80\x93" "20 of 30"},
    {"and out again", "<wheel+:12,6><wheel-:12,6>", 19, "live bytes, program order \xe2\x94\x81"},
    {"sideways it moves a column", "<wheel-right:30,6><wheel-right:30,6><wheel-left:30,6>", 20, NULL},
    {"y waits for what", "y", 19, "copy:"},
    {"other letters copy nothing", "yz", 19, "y y copies the selected buffer's line"},
    {"Space plays in execution order", "<Space>", 19, "2 iterations a second"},
    {". plays faster", "<Space>..", 19, "8 iterations a second"},
    {", slower", "<Space>,,,,", 19, "an iteration in 2 seconds"},
    {"Space stops", "<Space><Space>", 19, "execution order"},
    {"other keys stop and do what they do", "<Space><Home>", 0, NULL},
    {"search counts while it is typed", "/broadcast", 19, "1 of 2  Enter find"},
    {"and says when nothing matches", "/broadcastx", 19, "no match"},
};

static void hands_answer(void **state)
{
    const struct hands_case *c = *state;
    const struct program *p = open_sample(SAMPLE_SCAN);
    struct app s = play(p, &memo, start(p), c->keys);
    if (c->shows)
        assert_shows(p, &memo, &s, c->shows);
    close_sample();
    assert_int_equal(s.step, c->step);
}

/* ---- Trails ---- */

static bool is_at(const struct app *a, const struct app *b)
{
    return a->step == b->step && a->at == b->at && a->mode == b->mode && a->map == b->map &&
           (a->mode != MODE_PAGE || a->page == b->page);
}

/* < undoes what moved, > does it again, whatever the keys were. */
static void back_undoes_and_forward_redoes(void **state)
{
    static const char *const jumps[] = {"p", "<Home>", "<End>", "b", "/fusion<Enter>", "n", "N", "e", "<Enter>", "m",
                                        "<Down><Down><Enter>", ":12<Enter>", ":while<Enter>", "<click:40,6>", "]", "}"};
    (void)state;
    for (int kind = 0; kind <= SAMPLE_NO_HLO; kind++) {
        const struct program *p = open_sample((enum sample_kind)kind);
        struct app s = start(p);
        for (uint32_t seed = 3, i = 0; i < 400; i++) {
            seed = seed * 1664525u + 1013904223u;
            struct app to = play(p, &memo, s, jumps[(seed >> 8) % (sizeof jumps / sizeof *jumps)]);
            if (to.trail.here > s.trail.here && (to.trail.here == s.trail.here + 1) && !to.trail.stepping) {
                struct app back = play(p, &memo, to, "<lt>"), again = play(p, &memo, back, ">");
                assert_true(is_at(&back, &s));
                assert_true(is_at(&again, &to));
            }
            s = to;
        }
        close_sample();
    }
}

static void trails_are_bounded(void **state)
{
    (void)state;
    const struct program *p = open_sample(SAMPLE_SCAN);
    struct app s = start(p);
    for (int i = 0; i < 500; i++)
        s = play(p, &memo, s, i % 2 ? "<Home>" : "<End>");
    assert_int_equal(s.trail.here, SPOTS_MOST);
    for (int i = 0; i < SPOTS_MOST; i++) {
        s = play(p, &memo, s, "<lt>");
        assert_int_equal(s.step, i % 2 ? 0 : 30);
    }
    struct app end = play(p, &memo, s, "<lt>");
    assert_int_equal(end.notice, NOTICE_SAID);
    for (int i = 0; i < SPOTS_MOST; i++)
        s = play(p, &memo, s, ">");
    assert_int_equal(s.step, 0);
    close_sample();
}

/* In another form of the program too. */
static void forms_are_places(void **state)
{
    static struct cell_program cell;
    struct room r;
    struct msg m;
    struct diag d;
    (void)state;
    cell_open(&cell, "a100-d1048576-s4-u1");
    struct app s = room_open(&r, &cell.program, cell.module.dir, 80, 24, 0), at[8];
    bool moved[8];
    static const char *const ways[] = {"e", "<Down><Down><Down>", "<Enter>", "S", "<End>", "c", "<Enter>"};
    for (int i = 0; i < 7; i++) {
        at[i] = s;
        for (const char *key = ways[i]; keys_next(ways[i], &key, &m, &d) && m.kind != MSG_NONE;)
            s = room_update(&r, s, m);
        moved[i] = s.trail.here > at[i].trail.here;
    }
    for (int i = 6; i >= 0; i--) {
        if (!moved[i])
            continue;
        s = room_update(&r, s, (struct msg){.kind = MSG_KEY, .key = '<'});
        assert_int_equal(s.want, WANT_NOTHING);
        assert_true(form_same(&s.shown, &at[i].shown));
        assert_int_equal(s.step, at[i].step);
        assert_true(s.mode == at[i].mode);
        assert_true(s.mode != MODE_PAGE || s.page_line == at[i].page_line);
        assert_true(s.mode != MODE_COMPARE || s.compare_line == at[i].compare_line);
    }
    room_close(&r);
    cell_close(&cell);
}

/* ---- Windows ---- */

static void windows_hold_what_they_show(void **state)
{
    static const uint64_t units[] = {1, 2, 7, 81, 1000, 10000000000000ull, 1ull << 63, UINT64_MAX};
    (void)state;
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (int k = 0; k < 300; k++) {
            uint64_t n = units[i], first, last;
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            uint64_t at = seed % n;
            struct window w = window_within((struct window){seed / 3 % n, seed / 7 % n}, n);
            assert_true(w.n > 0 && w.n <= n && w.first <= n - w.n);
            w = window_show(w, n, at);
            assert_true(w.first <= at && at - w.first < w.n && w.first <= n - w.n);
            struct window closer = window_scaled(w, n, at, 1, 2), out = window_scaled(w, n, at, 2, 1);
            assert_true(closer.first <= at && at - closer.first < closer.n && closer.n <= w.n + WINDOW_LEAST);
            assert_true(out.first <= at && at - out.first < out.n && out.n >= w.n);
            uint64_t next = w.first;
            for (int col = 0; col < 79; col++) {
                int a, b;
                window_units(w, 79, col, &first, &last);
                assert_true(first <= last && (first == next || (col && first == next - 1)));
                next = last + 1;
                assert_true(window_cols(w, 79, first, last, &a, &b));
                assert_true(a <= col && col <= b && b < 79);
            }
            assert_true(next - w.first == w.n);
        }
}

/* A map of part of the time is that part of the map. */
static void a_window_of_the_map_is_part_of_it(void **state)
{
    (void)state;
    const struct program *p = open_sample(SAMPLE_SCAN);
    struct map all = {0}, part = {0};
    for (uint64_t first = 0; first < 25; first += 3) { /* a column for each step */
        map_get(&all, p, 1, window_whole(31), 31, 9);
        map_get(&part, p, 1, (struct window){first, 6}, 6, 9);
        for (int row = 0; row < 9; row++)
            for (int col = 0; col < 6; col++)
                assert_int_equal(part.cell[row * 6 + col], all.cell[row * 31 + (int)first + col]);
    }
    map_free(&all);
    map_free(&part);
    close_sample();
}

/* ---- Ranges of time ---- */

static void ranges_hold_all_that_lives_in_them(void **state)
{
    (void)state;
    for (int kind = 0; kind <= SAMPLE_NO_HLO; kind++) {
        const struct program *p = open_sample((enum sample_kind)kind);
        const struct timeline *t = memo_timeline(&memo, p);
        buf_id *ids = test_malloc((p->n + 1) * sizeof *ids);
        uint64_t *own = test_malloc((p->n + 1) * sizeof *own);
        for (int c = 0; c < CLOCK_COUNT; c++)
            for (uint64_t first = 0, n = clock_units(t, (enum clock)c); first < n; first += 1 + n / 17)
                for (uint64_t last = first; last < n; last += 1 + n / 13) {
                    struct lapse l = lapse_of(t, (enum clock)c, first, last, 0);
                    uint32_t count = lapse_alive(p, &l, ids, own), want = 0;
                    uint64_t sum = 0;
                    for (buf_id b = 0; b < p->n; b++)
                        want += lapse_has(p, &l, b);
                    for (uint32_t k = 0; k < count; k++) {
                        assert_true(lapse_has(p, &l, ids[k]));
                        sum += p->space[ids[k]] == 0 ? own[k] : 0;
                        assert_true(k == 0 || own[k] <= own[k - 1] || own[k - 1] == 0);
                    }
                    assert_int_equal(count, want);
                    assert_true(sum == p->live[l.step]);
                    for (int k = 0; k < l.n; k++)
                        for (uint32_t step = l.ran[k].first; step <= l.ran[k].last; step++)
                            assert_true(p->live[step] <= p->live[l.step]);
                }
        test_free(ids);
        test_free(own);
        close_sample();
    }
}

/* ---- Play ---- */

static void play_runs_through_all_iterations(void **state)
{
    (void)state;
    const struct program *p = open_sample(SAMPLE_SCAN);
    struct app s = play(p, &memo, start(p), ":loop while.16<Enter><Space>");
    for (int i = 1; i < 8; i++) { /* four of each loop */
        s = app_tick(p, &memo, s);
        struct moment m = app_here(p, &memo, &s);
        assert_int_equal(m.loop[0], i / 4);
        assert_int_equal(m.iteration[0], i % 4);
        assert_true(s.playing);
    }
    s = app_tick(p, &memo, s);
    assert_false(s.playing);
    assert_shows(p, &memo, &s, "played to the last iteration");
    s = play(p, &memo, s, "<lt>");
    assert_int_equal(s.step, 5);
    close_sample();
}

static void the_room_keeps_the_pace(void **state)
{
    static struct cell_program cell;
    struct room r;
    (void)state;
    cell_open(&cell, "a100-d1048576-s4-u1");
    struct app s = room_open(&r, &cell.program, cell.module.dir, 80, 24, 0);
    assert_int_equal(room_patience(&r, &s), -1);
    s = room_update(&r, s, (struct msg){.kind = MSG_KEY, .key = ' '});
    assert_true(s.playing);
    int patience = room_patience(&r, &s);
    assert_true(patience > 0 && patience <= app_pace(&s));
    struct app early = room_tick(&r, s);
    assert_true(early.at == s.at);
    r.next_ms = 0; /* the time has come */
    assert_int_equal(room_patience(&r, &s), 0);
    struct app late = room_tick(&r, s);
    assert_true(late.at != s.at);
    s = room_update(&r, late, (struct msg){.kind = MSG_KEY, .key = 'y'});
    s = room_update(&r, s, (struct msg){.kind = MSG_KEY, .key = 'y'});
    assert_string_equal(s.said, "nothing is copied without a terminal");
    room_close(&r);
    cell_close(&cell);
}

/* ---- Any keys ---- */

static struct msg any_msg(uint64_t *seed)
{
    struct msg m = {.kind = MSG_KEY};
    uint32_t what = below(seed, 20);
    if (what == 0)
        return (struct msg){.kind = MSG_RESIZE, .cols = 1 + (int)below(seed, 150), .rows = 1 + (int)below(seed, 60)};
    if (what <= 6)
        return (struct msg){.kind = MSG_CLICK + below(seed, MSG_RESIZE - MSG_CLICK), .col = (int)below(seed, 160),
                            .row = (int)below(seed, 60), .from_col = (int)below(seed, 160), .from_row = (int)below(seed, 60)};
    if (what <= 12) {
        const struct binding *b = &bindings[below(seed, (uint32_t)n_bindings)];
        m.key = b->cmd == CMD_QUIT ? K_ENTER : b->keys[0];
        return m;
    }
    static const char more[] = "aab''\"\":::<><>0129++--==v yr,./wfs:17il";
    static const int32_t keys[] = {K_ENTER, K_TAB, K_ESC, K_UP, K_DOWN, K_LEFT, K_RIGHT, K_BACKSPACE, 0x20ac, 0x1f600};
    m.key = what < 18 ? more[below(seed, sizeof more - 1)] : keys[below(seed, sizeof keys / sizeof *keys)];
    return m;
}

static void check(const struct program *p, const struct app *s)
{
    const struct timeline *t = memo_timeline(&memo, p);
    uint64_t first, last;
    assert_true(s->step <= p->steps && s->at < t->moments);
    assert_true(s->chosen == BUF_NONE || s->chosen < p->n);
    assert_true(s->trail.here <= SPOTS_MOST && s->trail.n <= SPOTS_MOST + 1 && s->trail.here <= s->trail.n);
    assert_true(s->count <= COUNT_MOST && s->pace < PACES && s->n_lines <= LINES_MOST && s->line <= s->n_lines);
    assert_non_null(memchr(s->typed, '\0', sizeof s->typed));
    assert_non_null(memchr(s->said, '\0', sizeof s->said));
    app_range(s, &first, &last);
    assert_true(first <= last && last < clock_units(t, s->clock));
    for (int c = 0; c < CLOCK_COUNT; c++) {
        struct window w = app_window(p, &memo, s, (enum clock)c);
        uint64_t n = clock_units(t, (enum clock)c);
        assert_true(w.n > 0 && w.n <= n && w.first <= n - w.n);
    }
    struct lapse l = app_lapse(p, &memo, s);
    assert_true(l.step <= p->steps);
}

static void any_keys_keep_everything(void **state)
{
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        uint64_t seed = 77u + (uint32_t)kind;
        const struct program *p = open_sample((enum sample_kind)kind);
        struct app s = start(p);
        for (int i = 0; i < 1000; i++) {
            s = app_update(p, &memo, s, any_msg(&seed));
            if (s.playing && i % 3 == 0)
                s = app_tick(p, &memo, s);
            s.want = WANT_NOTHING;
            check(p, &s);
            if (i % 5 == 0)
                free(screen_text(p, &memo, &s, kind % 2));
        }
        close_sample();
    }
}

/* Where a window is shown as well, and whatever was selected. */
static void left_undoes_right_in_windows(void **state)
{
    (void)state;
    for (int clock = 0; clock < CLOCK_COUNT; clock++) {
        const struct program *p = open_sample(SAMPLE_SCAN);
        struct app s = play(p, &memo, start(p), clock ? "<Home>x++v" : "<Home>++v");
        for (int i = 0; i < 30; i++) {
            struct app on = play(p, &memo, s, "<Right>"), back = play(p, &memo, on, "<Left>");
            assert_true(is_at(&back, &s));
            struct window w = app_window(p, &memo, &on, on.clock);
            assert_true(app_unit(&on) >= w.first && app_unit(&on) - w.first < w.n);
            s = on;
        }
        close_sample();
    }
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(hands_cases) + 10];
    size_t n = 0;
    ADD_TABLE(hands_cases, hands_answer, name);
    ADD(back_undoes_and_forward_redoes);
    ADD(trails_are_bounded);
    ADD(forms_are_places);
    ADD(windows_hold_what_they_show);
    ADD(a_window_of_the_map_is_part_of_it);
    ADD(ranges_hold_all_that_lives_in_them);
    ADD(play_runs_through_all_iterations);
    ADD(the_room_keeps_the_pace);
    ADD(any_keys_keep_everything);
    ADD(left_undoes_right_in_windows);
    return _cmocka_run_group_tests("hands", tests, n, NULL, NULL);
}
