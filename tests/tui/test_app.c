/* The explorer without a terminal: keys, state, and what views may never do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/output/report/report.h"
#include "tests/support/program_sample.h"
#include "tui/model/search.h"
#include "tui/views/views.h"
#include "tui/update/update.h"
#include <time.h>

/* ---- --keys ---- */

struct keys_case {
    const char *name, *keys;
    struct msg want;
};

static const struct keys_case keys_cases[] = {
    {"a letter is itself", "q", {.kind = MSG_KEY, .key = 'q'}},
    {"letters beyond ASCII are one key", "é", {.kind = MSG_KEY, .key = 0xe9}},
    {"the end is no message", "", {.kind = MSG_NONE}},
    {"names stand in angles", "<Left>", {.kind = MSG_KEY, .key = K_LEFT}},
    {"in any case", "<pgdn>", {.kind = MSG_KEY, .key = K_PAGE_DOWN}},
    {"<Space> is a blank", "<Space>", {.kind = MSG_KEY, .key = ' '}},
    {"<lt> is the angle itself", "<lt>", {.kind = MSG_KEY, .key = '<'}},
    {"a closing angle is itself", ">", {.kind = MSG_KEY, .key = '>'}},
    {"control keys", "<C-c>", {.kind = MSG_KEY, .key = K_CTRL_C}},
    {"clicks count from 1", "<click:40,9>", {.kind = MSG_CLICK, .col = 39, .row = 8}},
    {"the wheel up", "<wheel+:1,1>", {.kind = MSG_WHEEL_UP, .col = 0, .row = 0}},
    {"the wheel down", "<wheel-:12,3>", {.kind = MSG_WHEEL_DOWN, .col = 11, .row = 2}},
};

static void keys_are_read(void **state)
{
    const struct keys_case *c = *state;
    struct msg m;
    struct diag d;
    const char *at = c->keys;
    assert_true(keys_next(c->keys, &at, &m, &d));
    assert_string_equal(at, "");
    assert_int_equal(m.kind, c->want.kind);
    assert_int_equal(m.key, c->want.key);
    assert_int_equal(m.col, c->want.col);
    assert_int_equal(m.row, c->want.row);
}

struct bad_case {
    const char *keys, *want;
};

static const struct bad_case bad_cases[] = {
    {"ll<Foo>", "tidemark: --keys: no key is called <Foo> (position 3)"},
    {"<", "tidemark: --keys: '<' at position 1 begins no key"},
    {"l<Left", "tidemark: --keys: '<' at position 2 begins no key"},
    {"<>", "tidemark: --keys: no key is called <> (position 1)"},
    {"<C-1>", "tidemark: --keys: no key is called <C-1> (position 1)"},
    {"<click:0,1>", "tidemark: --keys: no key is called <click:0,1> (position 1)"},
    {"<click:3>", "tidemark: --keys: no key is called <click:3> (position 1)"},
    {"<click:3,4,5>", "tidemark: --keys: no key is called <click:3,4,5> (position 1)"},
    {"<wheel:3,4>", "tidemark: --keys: no key is called <wheel:3,4> (position 1)"},
};

static void bad_keys_are_named(void **state)
{
    const struct bad_case *c = *state;
    struct msg m;
    struct diag d = {0};
    char text[1400];
    const char *at = c->keys;
    while (keys_next(c->keys, &at, &m, &d))
        assert_int_not_equal(m.kind, MSG_NONE);
    diag_text(&d, text, sizeof text);
    assert_true(strlen(text) > strlen(c->want));
    text[strlen(c->want)] = '\0'; /* the hint follows */
    assert_string_equal(text, c->want);
}

static void every_key_has_one_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_bindings; i++)
        for (int k = 0; k < 3 && bindings[i].keys[k]; k++)
            for (unsigned scope = 1; scope <= IN_LAST; scope <<= 1)
                if (bindings[i].scope & scope)
                    assert_int_equal(keys_command(bindings[i].keys[k], scope), bindings[i].cmd);
}

/* ---- Update ---- */

static struct memo memo; /* of the sample at hand */

static struct app play(const struct program *p, struct app s, const char *keys)
{
    struct msg m;
    struct diag d;
    for (const char *at = keys;;) {
        assert_true(keys_next(keys, &at, &m, &d));
        if (m.kind == MSG_NONE)
            return s;
        s = app_update(p, &memo, s, m);
    }
}

static void free_sample(struct sample *s)
{
    sample_free(s);
    memo_free(&memo);
}

static const char *chosen_name(const struct program *p, const struct app *s)
{
    struct alive a = {0};
    struct alive_ask ask = app_ask(p, &memo, s);
    alive_get(&a, p, &ask);
    const char *name = a.n ? p->name_of[a.rows[app_row(s, &a)].id] : "";
    alive_free(&a);
    return name;
}

struct update_case {
    const char *name, *keys;
    uint32_t step;
    const char *chosen; /* NULL: not looked at */
    enum sort sort;
    enum focus focus;
    enum mode mode;
    enum notice notice;
};

static const struct update_case update_cases[] = {
    {.name = "it starts at the peak, on the largest", .keys = "", .step = 19, .chosen = "while.16{3}"},
    {.name = "right and left step", .keys = "<Right><Right><Left>", .step = 20},
    {.name = "h and l step too", .keys = "hhhl", .step = 17},
    {.name = "the start is the end of going left", .keys = "<Home>h", .step = 0},
    {.name = "the last step is the end of the program", .keys = "<End>l", .step = 30},
    {.name = "a page is a tenth of the steps", .keys = "<PgUp><PgUp>", .step = 13},
    {.name = "p goes to the peak", .keys = "<Home>p", .step = 19},
    {.name = "down selects the next", .keys = "j<Down>", .step = 19,
     .chosen = "input_dynamic_slice_reduce_fusion{0}"},
    {.name = "up stops at the first", .keys = "jkkk", .step = 19, .chosen = "while.16{3}"},
    {.name = "the choice stays while it lives", .keys = "j<Right><Right>", .step = 21,
     .chosen = "arg_tuple.4{2}"},
    {.name = "where it is dead the first row stands in", .keys = "j<End>", .step = 30,
     .chosen = "while{2}"},
    {.name = "and it comes back", .keys = "j<End>p", .step = 19, .chosen = "arg_tuple.4{2}"},
    {.name = "Tab gives the table the focus", .keys = "<Tab>", .step = 19, .focus = FOCUS_TABLE},
    {.name = "End is then the last row: what lies elsewhere", .keys = "<Tab><End>", .step = 19,
     .focus = FOCUS_TABLE, .chosen = "copy-start.3{0}"},
    {.name = "o goes through the orders", .keys = "oooo", .step = 19, .sort = SORT_NAME,
     .chosen = "arg_tuple.4{2}"},
    {.name = "and round", .keys = "oooooo", .step = 19, .sort = SORT_SIZE},
    {.name = "a search finds what is alive here first", .keys = "/slice<Enter>", .step = 19,
     .chosen = "input_dynamic_slice_reduce_fusion{0}", .notice = NOTICE_MATCH},
    {.name = "else it goes where it is born", .keys = "/update_slice<Enter>", .step = 11,
     .chosen = "loop_dynamic_update_slice_fusion.6", .notice = NOTICE_MATCH},
    {.name = "case does not matter", .keys = "/M__W2<Enter>", .step = 0, .chosen = "m__w2__.1",
     .notice = NOTICE_MATCH},
    {.name = "sources are searched", .keys = "/scan.py:17<Enter>", .step = 12,
     .chosen = "loop_multiply_fusion", .notice = NOTICE_MATCH},
    {.name = "shapes are searched", .keys = "/[256,<Enter>", .step = 19,
     .chosen = "copy-start.3{0}", .notice = NOTICE_MATCH},
    {.name = "n is the next in order of birth", .keys = "/broadcast<Enter>n", .step = 15,
     .chosen = "loop_broadcast_fusion", .notice = NOTICE_MATCH},
    {.name = "N goes back, round the ends", .keys = "/broadcast<Enter>nN", .step = 2,
     .chosen = "loop_broadcast_fusion.2", .notice = NOTICE_MATCH},
    {.name = "what is not there is said", .keys = "/nowhere<Enter>", .step = 19,
     .notice = NOTICE_NO_MATCH},
    {.name = "n without a search says so", .keys = "n", .step = 19, .notice = NOTICE_NO_QUERY},
    {.name = "Esc leaves the search line", .keys = "/abc<Esc>", .step = 19},
    {.name = "a search line takes every letter", .keys = "/qpo?", .step = 19, .mode = MODE_SEARCH},
    {.name = "BS on an empty line leaves it", .keys = "/a<BS><BS>", .step = 19},
    {.name = "? opens the help", .keys = "?", .step = 19, .mode = MODE_HELP},
    {.name = "? and Esc close it", .keys = "??" "?<Esc>", .step = 19},
    {.name = "a click on the chart goes there", .keys = "<click:12,6>", .step = 0},
    {.name = "a click on a row selects it", .keys = "<click:20,17>", .step = 19,
     .focus = FOCUS_TABLE, .chosen = "input_dynamic_slice_reduce_fusion{0}"},
    {.name = "a click below the rows selects nothing", .keys = "<click:20,24>", .step = 19,
     .chosen = "while.16{3}"},
    {.name = "the wheel sideways over the chart steps", .keys = "<wheel-right:30,6><wheel-right:30,6><wheel-left:30,6>",
     .step = 20},
    {.name = "the wheel over the table selects", .keys = "<wheel-:30,18>", .step = 19,
     .chosen = "m__w1__.1"},
    {.name = "b goes to where the selected buffer is born", .keys = "b", .step = 13,
     .chosen = "while.16{3}"},
    {.name = "there, to where it dies", .keys = "bb", .step = 26,
     .chosen = "while.16{3}"},
    {.name = "and to and fro", .keys = "bbb", .step = 13,
     .chosen = "while.16{3}"},
    {.name = "in the table too", .keys = "<Tab>jb", .step = 18, .focus = FOCUS_TABLE,
     .chosen = "arg_tuple.4{2}"},
    {.name = "other keys do nothing and say so", .keys = "zZ<C-x>é", .step = 19, .notice = NOTICE_NOTHING},
};

static void update_answers(void **state)
{
    const struct update_case *c = *state;
    static struct sample sample;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, app_start(p, &memo, 80, 24, 0), c->keys);
    char chosen[200];
    snprintf(chosen, sizeof chosen, "%s", chosen_name(p, &s));
    free_sample(&sample);
    assert_int_equal(s.step, c->step);
    assert_int_equal(s.sort, c->sort);
    assert_int_equal(s.focus, c->focus);
    assert_int_equal(s.mode, c->mode);
    assert_int_equal(s.notice, c->notice);
    assert_int_equal(s.want, WANT_NOTHING);
    if (c->chosen)
        assert_string_equal(chosen, c->chosen);
}

static void quitting_is_wanted(void **state)
{
    static struct sample sample;
    static const char *const ways[] = {"q", "<C-c>", "?q", "/abc<C-c>", "?<C-c>"};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app s = play(&sample.program, app_start(&sample.program, &memo, 80, 24, 0), ways[i]);
        assert_int_equal(s.want, WANT_QUIT);
    }
    struct app s = play(&sample.program, app_start(&sample.program, &memo, 9, 3, 0), "lq");
    assert_int_equal(s.want, WANT_QUIT);
    free_sample(&sample);
}

static bool same(const struct app *a, const struct app *b)
{
    return a->want == b->want && a->cols == b->cols && a->rows == b->rows && a->limit == b->limit &&
           a->step == b->step && a->chosen == b->chosen && a->top == b->top && a->sort == b->sort &&
           a->focus == b->focus && a->mode == b->mode && a->help_top == b->help_top &&
           a->space == b->space && a->map == b->map && a->group == b->group &&
           a->offset == b->offset && a->several == b->several && a->clock == b->clock &&
           a->at == b->at && filter_same(&a->filter, &b->filter) && a->fold == b->fold &&
           a->unfolded == b->unfolded && a->on_group == b->on_group && a->bytes == b->bytes && a->page == b->page &&
           a->page_line == b->page_line && a->page_top == b->page_top && a->other == b->other &&
           a->notice == b->notice && strcmp(a->query, b->query) == 0 &&
           strcmp(a->typed, b->typed) == 0;
}

/* From the start on, through 100 steps or moments. */
static void left_undoes_right(void **state)
{
    static struct sample sample;
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++)
        for (int clock = 0; clock < CLOCK_COUNT; clock++) {
            sample_make(&sample, (enum sample_kind)kind);
            const struct program *p = &sample.program;
            struct app s = play(p, app_start(p, &memo, 80, 24, 0), clock ? "<Home><Down><Down>x" : "<Home><Down><Down>");
            uint64_t n = clock_units(&memo.timeline, s.clock);
            for (uint64_t i = 0; i + 1 < n && i < 100; i++) {
                struct app on = play(p, s, "<Right>"), back = play(p, on, "<Left>");
                assert_true(same(&back, &s));
                assert_int_equal(clock ? on.at : on.step, i + 1);
                s = on;
            }
            free_sample(&sample);
        }
}

/* ---- What the device must hold ---- */

static bool screen_says(const struct program *p, const struct app *s, const char *want)
{
    struct grid g;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    grid_init(&g, s->cols, s->rows, false);
    screen_draw(p, &memo, s, &g);
    grid_print(&g, out);
    fclose(out);
    grid_free(&g);
    bool says = strstr(text, want) != NULL;
    free(text);
    return says;
}

/* 24 GiB and a little in main memory, 1 GiB thread-local, 2 GiB in another space. */
static void make_mixed(struct sample *s)
{
    sample_make(s, SAMPLE_NO_HLO);
    sample_allocation(s, SAMPLE_GIB, ALLOC_THREAD_LOCAL, 0);
    sample_allocation(s, 2 * SAMPLE_GIB, 0, 5);
    program_finish(&s->program);
}

static void header_and_report_need_the_same(void **state)
{
    static struct sample sample;
    (void)state;
    make_mixed(&sample);
    const struct program *p = &sample.program;
    struct report_options options = {.has_limit = true, .limit = 24 * SAMPLE_GIB + 1024 + 16 + 4096};
    struct report r;
    bool known;
    for (int less = 0; less < 2; less++) {
        options.limit -= (uint64_t)less;
        report_make(&r, p, &options);
        assert_true(r.has_need);
        assert_int_equal(r.need, 24 * SAMPLE_GIB + 1024 + 16 + 4096);
        assert_int_equal(program_need(p, &known), r.need);
        assert_true(known);
        assert_int_equal(app_needed(p, 0, &known), r.need);
        assert_int_equal(app_needed(p, 1, &known), 2 * SAMPLE_GIB + (1 << 20));
        struct app s = app_start(p, &memo, 80, 24, options.limit);
        assert_true(screen_says(p, &s, "24.00 GiB reserved"));
        assert_int_equal(screen_says(p, &s, "exceeds 24.00 GiB"), report_over(&r));
        assert_int_equal(screen_says(p, &s, "fits in 24.00 GiB"), !report_over(&r));
        assert_int_equal(report_over(&r), less);
        report_free(&r);
    }
    free_sample(&sample);
}

static void without_assignment_nothing_is_claimed(void **state)
{
    static struct sample sample;
    bool known = true;
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    sample.module.has_assignment = false;
    struct app s = app_start(&sample.program, &memo, 80, 24, SAMPLE_GIB * 80);
    assert_int_equal(program_need(&sample.program, &known), 0);
    assert_false(known);
    assert_true(screen_says(&sample.program, &s, "at least 24.00 GiB"));
    assert_true(screen_says(&sample.program, &s, "of 80.00 GiB"));
    assert_false(screen_says(&sample.program, &s, "fits"));
    free_sample(&sample);
}

/* ---- The table's columns ---- */

#define HEADS 7
static const char *const heads[HEADS] = {"name", "shape", "life", "source", "op_name", "place", "last step"};

/* How wide the table's columns are, with their gap; -1: not there, or the last one. */
static void find_heads(const struct program *p, int cols, int width[HEADS])
{
    struct app s = app_start(p, &memo, cols, 30, 0);
    struct layout l = layout_of(p, &s);
    struct grid g;
    char line[300];
    int at[HEADS];
    grid_init(&g, cols, 30, true);
    screen_draw(p, &memo, &s, &g);
    for (int c = 0; c < cols; c++)
        line[c] = (char)g.cells[(l.list.y - 1) * cols + c].ch;
    line[cols] = '\0';
    grid_free(&g);
    for (int k = 0; k < HEADS; k++) {
        const char *hit = strstr(line, k == 0 ? " name" : k == 2 && !strstr(line, "life") ? "born" : heads[k]);
        at[k] = hit ? (int)(hit - line) + (k == 0) : -1;
    }
    for (int k = 0; k < HEADS; k++) {
        int end = cols + 1;
        for (int j = 0; j < HEADS; j++)
            if (at[j] > at[k] && at[j] < end)
                end = at[j];
        width[k] = at[k] < 0 || end > cols ? -1 : end - at[k]; /* the last one ends unseen */
    }
}

static void wider_screens_have_no_narrower_columns(void **state)
{
    static struct sample sample;
    int before[HEADS], now[HEADS];
    (void)state;
    for (int kind = 0; kind <= SAMPLE_SPACES; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        find_heads(&sample.program, 80, before); /* where shapes come */
        for (int cols = 81; cols < 260; cols++) {
            find_heads(&sample.program, cols, now);
            for (int k = 0; k < HEADS; k++) {
                assert_true(now[k] < 0 || now[k] >= before[k]);
                before[k] = now[k] > before[k] ? now[k] : before[k];
            }
        }
        free_sample(&sample);
    }
}

struct column_case {
    const char *name, *source, *shape;
    int line, cols;
    const char *want[2]; /* on the screen */
};

static const struct column_case column_cases[] = {
    {"source and shape are whole at 80", "/a/models.py", "f32[4,1024,1048576]", 148, 80,
     {"models.py:148", "f32[4,1024,1048576] "}},
    {"a source of 18 is whole at 80", "/a/transformer.py", "f32[4,1024]", 148, 80,
     {"transformer.py:148", "f32[4,1024] "}},
    {"a source is whole at 40", "/a/models.py", "f32[4,1024]", 148, 40, {"models.py:148", "GiB"}},
    {"and one of 18", "/a/transformer.py", "f32[4,1024]", 148, 40, {"transformer.py:148", "GiB"}},
};

static void columns_are_whole(void **state)
{
    const struct column_case *c = *state;
    static struct sample sample;
    sample_make(&sample, SAMPLE_SCAN);
    struct program *p = &sample.program;
    for (buf_id b = 0; b < p->n; b++) {
        p->file[b] = c->source;
        p->line[b] = (uint32_t)c->line;
        p->shape[b] = c->shape;
        p->color[b] = 0;
    }
    assignment_alloc(&sample.module.assignment, 4)->color = 0;
    program_finish(p);
    struct app s = play(p, app_start(p, &memo, c->cols, c->cols < 60 ? 10 : 24, 0), c->cols < 60 ? "<Tab>" : "");
    for (int k = 0; k < 2; k++)
        assert_true(screen_says(p, &s, c->want[k]));
    free_sample(&sample);
}

static void every_role_is_whole_on_80_columns(void **state)
{
    static struct sample sample;
    (void)state;
    for (int role = 0; role < ROLE_COUNT; role++) {
        sample_make(&sample, SAMPLE_SCAN);
        struct program *p = &sample.program;
        for (buf_id b = 0; b < p->n; b++)
            p->role[b] = (uint8_t)role;
        struct app s = app_start(p, &memo, 80, 24, 0);
        assert_true(screen_says(p, &s, role_name((enum role)role)));
        free_sample(&sample);
    }
}

/* ---- The last lines ---- */

static void the_strip_tells_of_the_selected_buffer(void **state)
{
    static struct sample sample;
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, app_start(p, &memo, 80, 24, 0), "jj");
    const char *strip = "\n \xe2\x96\xb8 input_dynamic_slice_reduce_fusion{0}  f32[1,1024,1048576]  ";
    assert_false(screen_says(p, &s, strip));
    s = play(p, s, "<Tab>");
    assert_true(screen_says(p, &s, strip));
    assert_true(screen_says(p, &s, "a1 +16.00 GiB\n"));
    assert_true(screen_says(p, &s, "closed_call/dynamic_slice"));
    s = play(p, app_start(p, &memo, 120, 40, 0), "<Tab>jj");
    assert_true(screen_says(p, &s, "selected buffer"));
    assert_true(screen_says(p, &s, "4.00 GiB \xc2\xb7 a1 +16.00 GiB \xc2\xb7 born at step 19 \xc2\xb7 dies at "
                                   "step 24 (gemm_fusion_dot.4)\n"));
    s = play(p, s, "<Tab>");
    assert_true(screen_says(p, &s, "instruction at the cursor"));
    free_sample(&sample);
}

/* What a terminal obeys, joins to its neighbour, or does not show. */
static void no_control_reaches_the_grid(void **state)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x300, 0x36f},   {0x483, 0x489},
        {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},
        {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    };
    struct grid g;
    struct rect one = {0, 0, 1, 1};
    (void)state;
    grid_init(&g, 1, 1, false);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (uint32_t ch = ranges[i][0]; ch <= ranges[i][1]; ch++) {
            char text[4] = {(char)(0xe0 | ch >> 12), (char)(0x80 | (ch >> 6 & 0x3f)),
                            (char)(0x80 | (ch & 0x3f)), '\0'};
            const char *at = text;
            assert_int_equal(text_next(&at), '?');
            assert_string_equal(at, "");
            grid_put(&g, one, 0, 0, ch, ST_PLAIN);
            assert_int_equal(g.cells[0].ch, '?');
        }
    grid_free(&g);
}

/* ---- Properties of the screen ---- */

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(*seed >> 8) * n) >> 24);
}

static void check_state(const struct program *p, const struct app *s)
{
    assert_true(s->step <= p->steps);
    assert_true(s->at < memo.timeline.moments);
    assert_true(s->clock < CLOCK_COUNT && s->filter.n <= FILTER_KINDS && s->fold < FOLD_SHOWN && s->menu <= FILTER_KINDS && s->page < PAGE_KINDS);
    assert_true(s->page_top >= 0);
    assert_true(s->chosen == BUF_NONE || s->chosen < p->n);
    assert_true(s->top <= p->n);
    assert_true(s->sort < SORT_COUNT);
    assert_true(s->cols > 0 && s->rows > 0);
    assert_true(s->help_top >= 0 && s->help_top <= 200);
    assert_true(s->space < p->n_spaces);
    assert_true(s->group == GROUP_NONE || s->group < p->module->assignment.allocs.n);
    assert_non_null(memchr(s->query, '\0', sizeof s->query));
    assert_non_null(memchr(s->typed, '\0', sizeof s->typed));
}

/* Draws, and looks that no cell holds what could move a cursor. */
static void check_screen(const struct program *p, const struct app *s, bool ascii)
{
    struct grid g;
    bool clean = true;
    grid_init(&g, s->cols, s->rows, ascii);
    screen_draw(p, &memo, s, &g);
    for (int i = 0; i < g.cols * g.rows; i++) {
        uint32_t ch = g.cells[i].ch;
        clean = clean && ch >= 0x20 && !(ch >= 0x7f && ch <= 0xa0) && ch != 0xad;
        clean = clean && !(ch >= 0x200b && ch <= 0x200f) && !(ch >= 0x2028 && ch <= 0x202e) &&
                !(ch >= 0x2060 && ch <= 0x206f) && !(ch >= 0x300 && ch <= 0x36f) && ch < 0x2600;
        clean = clean && (!ascii || ch < 0x7f) && g.cells[i].style < ST_COUNT;
    }
    grid_free(&g);
    assert_true(clean);
}

static struct msg random_msg(uint32_t *seed)
{
    struct msg m = {.kind = MSG_KEY};
    uint32_t what = random_below(seed, 20);
    if (what == 0) {
        m = (struct msg){.kind = MSG_RESIZE, .cols = 1 + (int)random_below(seed, 150),
                         .rows = 1 + (int)random_below(seed, 60)};
    } else if (what <= 4) {
        m = (struct msg){.kind = MSG_CLICK + random_below(seed, 3),
                         .col = (int)random_below(seed, 160), .row = (int)random_below(seed, 60)};
    } else if (what <= 12) {
        const struct binding *b = &bindings[random_below(seed, (uint32_t)n_bindings)];
        m.key = b->cmd == CMD_QUIT ? K_ENTER : b->keys[0];
    } else {
        static const int32_t more[] = {K_ENTER, 'a', 's', 'f', 0xe9, 0x20ac, 0x1f600, K_BACKSPACE,
                                       K_CTRL_U, 0, 1, K_ESC, ':', '.'};
        m.key = more[random_below(seed, sizeof more / sizeof *more)];
    }
    return m;
}

static void random_keys_keep_every_index(void **state)
{
    static struct sample sample;
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        uint32_t seed = 7u + (uint32_t)kind;
        sample_make(&sample, (enum sample_kind)kind);
        struct app s = app_start(&sample.program, &memo, 80, 24, 0);
        for (int i = 0; i < 1000; i++) {
            s = app_update(&sample.program, &memo, s, random_msg(&seed));
            check_state(&sample.program, &s);
            if (i % 4 == 0)
                check_screen(&sample.program, &s, kind % 2);
        }
        free_sample(&sample);
    }
}

static void every_size_is_drawn(void **state)
{
    static struct sample sample;
    static const char *const ways[] = {"", "<Tab>", "?", "/ab", "/while<Enter>", "m", "m?",
                                       "mkk<Right>", "V", "x]", "e<PgDn>", "<Tab><Enter><End>", "xf<End>"};
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        for (int rows = 1; rows <= 80; rows += rows < 20 ? 1 : 13)
            for (int cols = 1; cols <= 250; cols += cols < 60 ? 3 : 19) {
                const char *keys = ways[(rows + cols + kind) % 13];
                struct app s = play(p, app_start(p, &memo, cols, rows, 1 + (rows % 3 ? 0 : SAMPLE_GIB * 22)),
                                    keys);
                check_screen(p, &s, false);
            }
        free_sample(&sample);
    }
}

/* A view may write only in its rectangle. */
static void check_view(const struct scene *v, struct rect r,
                       void (*view)(const struct scene *, struct rect, struct grid *))
{
    struct grid g;
    bool kept = true;
    grid_init(&g, v->s->cols, v->s->rows, false);
    for (int i = 0; i < g.cols * g.rows; i++)
        g.cells[i].ch = 1;
    view(v, r, &g);
    for (int i = 0; i < g.cols * g.rows; i++)
        kept = kept && (g.cells[i].ch == 1 || rect_has(r, i % g.cols, i / g.cols));
    grid_free(&g);
    assert_true(kept);
}

static void check_page(const struct program *p, struct app s)
{
    struct scene v;
    if (!p->n)
        return;
    s = play(p, s, s.cols % 2 ? "e" : "<Enter><Down>");
    scene_make(&v, p, &memo, &s);
    check_view(&v, v.l.page, page_view);
    check_view(&v, v.l.chart, chart_view);
}

static void views_stay_in_their_rectangles(void **state)
{
    static struct sample sample;
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        for (int size = 0; size < 60; size++) {
            struct app s = app_start(p, &memo, SCREEN_COLS + size * 3, SCREEN_ROWS + size, 0);
            s = play(p, s, size % 2 ? "<Tab>/while<Enter>" : "<End>");
            struct scene v;
            scene_make(&v, p, &memo, &s);
            check_view(&v, v.l.header, header_view);
            check_view(&v, v.l.chart, chart_view);
            check_view(&v, v.l.map, map_view);
            check_view(&v, v.l.table, table_view);
            check_view(&v, v.l.strip, strip_view);
            check_page(p, s);
            check_view(&v, v.l.footer, footer_view);
            s = play(p, s, "m");
            scene_make(&v, p, &memo, &s);
            check_view(&v, v.l.map, map_view);
        }
        free_sample(&sample);
    }
}

struct axis_case {
    const char *name;
    uint64_t most;
    int rows;
    double unit; /* MiB per row */
};

static const struct axis_case axis_cases[] = {
    {"24 GiB in 6 rows", 24 * SAMPLE_GIB, 6, 4096},
    {"a few bytes more are not seen", 24 * SAMPLE_GIB + 100000, 6, 4096},
    {"in 7 rows as well", 24 * SAMPLE_GIB, 7, 4096},
    {"24 GiB in 20 rows", 24 * SAMPLE_GIB, 20, 1228.8},
    {"1 byte", 1, 5, 0.5 / 1048576},
};

static void the_axis_is_round_and_high_enough(void **state)
{
    const struct axis_case *c = *state;
    struct axis a = axis_of(c->most, c->rows);
    assert_true(a.unit / 1048576 > c->unit * 0.999 && a.unit / 1048576 < c->unit * 1.001);
    assert_true(a.every >= 1 && a.every <= c->rows);
    assert_true(a.unit * (c->rows + 0.07) >= (double)c->most);
}

struct cut_case {
    const char *text;
    int width;
    enum cut cut;
    const char *want;
};

static const struct cut_case cut_cases[] = {
    {"while.16", 8, CUT_END, "while.16"},
    {"while.16", 10, CUT_RIGHT, "  while.16"},
    {"loop_fusion.6", 8, CUT_END, "loop_fu~"},
    {"loop_fusion.6", 8, CUT_MIDDLE, "loop~n.6"},
    {"jit/while/mul", 8, CUT_START, "~ile/mul"},
    {"no HLO in it", 9, CUT_WORD, "no HLO ~"},
    {"\xce\xb1\xce\xb2\xce\xb3\xce\xb4", 3, CUT_MIDDLE, "?~?"},
    {"a\x1b[0m\xff", 9, CUT_END, "a?[0m?"},
    {"abc", 1, CUT_MIDDLE, "~"},
    {"abc", 0, CUT_END, ""},
};

static void text_is_cut_by_columns(void **state)
{
    const struct cut_case *c = *state;
    struct grid g;
    char *text;
    size_t size;
    grid_init(&g, 12, 1, true);
    grid_field(&g, (struct rect){0, 0, 12, 1}, 0, 0, c->width, ST_PLAIN, c->cut, c->text);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    grid_print(&g, out);
    fclose(out);
    grid_free(&g);
    text[strcspn(text, "\n")] = '\0';
    char got[64];
    snprintf(got, sizeof got, "%s", text);
    free(text);
    assert_string_equal(got, c->want);
}

/* 100,000 buffers, 200,000 steps: every key and its frame well within 16 ms; sanitizers and slow
 * machines get ten times that. */
static void a_huge_program_answers_at_once(void **state)
{
    static struct sample sample;
    static const char *const ways[] = {"<Right>", "<PgUp>", "<Down>", "o", "<End>", "p", "<Tab>",
                                       "<PgDn>", "/fusion.7<Enter>", "n", "<click:100,10>", "m",
                                       "<Up>", "<PgUp>", "<Enter>", "a", "<click:90,30>", "m",
                                       "x", "]", "}", "<Right>", "<click:100,10>", "f", "f", "<Enter>",
                                       "<PgDn>", "<Esc>", "e", "<End>", "<Esc>", "x", "{"};
    const size_t n_ways = sizeof ways / sizeof *ways;
    double worst = 0;
    (void)state;
    for (int kind = SAMPLE_HUGE; kind <= SAMPLE_ALIVE; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        struct app s = app_start(p, &memo, 200, 60, 0);
        struct grid g;
        grid_init(&g, 200, 60, false);
        for (int sort = 0; sort < SORT_COUNT; sort++) { /* an order's first use takes longer */
            screen_draw(p, &memo, &s, &g);
            s = play(p, s, "o");
        }
        for (size_t i = 0; i < 4 * n_ways; i++) {
            clock_t began = clock();
            s = play(p, s, ways[i % n_ways]);
            screen_draw(p, &memo, &s, &g);
            double ms = (double)(clock() - began) * 1000 / CLOCKS_PER_SEC;
            if (getenv("TIDEMARK_TIMES"))
                print_message("%-18s %6.2f ms\n", ways[i % n_ways], ms);
            if (ms > worst)
                worst = ms;
        }
        grid_free(&g);
        free_sample(&sample);
    }
    print_message("slowest key and frame: %.1f ms\n", worst);
    assert_true(worst < 160);
}

/* ---- All of them ---- */

#define ADD_TABLE(table, function, label)                                                          \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                      \
        tests[n++] = (struct CMUnitTest){.name = table[i].label, .test_func = function,            \
                                         .initial_state = (void *)(uintptr_t)&table[i]}
#define ADD(function) tests[n++] = (struct CMUnitTest){.name = #function, .test_func = function}

int main(void)
{
    static struct CMUnitTest tests[200];
    size_t n = 0;
    ADD_TABLE(keys_cases, keys_are_read, name);
    ADD_TABLE(bad_cases, bad_keys_are_named, keys);
    ADD(every_key_has_one_meaning);
    ADD_TABLE(update_cases, update_answers, name);
    ADD(quitting_is_wanted);
    ADD(left_undoes_right);
    ADD(header_and_report_need_the_same);
    ADD(without_assignment_nothing_is_claimed);
    ADD(wider_screens_have_no_narrower_columns);
    ADD_TABLE(column_cases, columns_are_whole, name);
    ADD(every_role_is_whole_on_80_columns);
    ADD(the_strip_tells_of_the_selected_buffer);
    ADD(no_control_reaches_the_grid);
    ADD_TABLE(axis_cases, the_axis_is_round_and_high_enough, name);
    ADD_TABLE(cut_cases, text_is_cut_by_columns, want);
    ADD(views_stay_in_their_rectangles);
    ADD(random_keys_keep_every_index);
    ADD(every_size_is_drawn);
    ADD(a_huge_program_answers_at_once);
    return _cmocka_run_group_tests("explorer", tests, n, NULL, NULL);
}
