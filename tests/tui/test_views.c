/* What views show and may never do: columns, the last lines, sizes, rectangles, huge programs, random keys. */
#include "tests/support/tables.h"
#include "tests/support/large_keys.h"
#include "tests/support/random.h"
#include "tests/support/sample_here.h"
#include "tui/model/search.h"
#include "tui/views/views.h"

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
        close_sample();
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
    struct app s = play(p, &memo, app_start(p, &memo, c->cols, c->cols < 60 ? 10 : 24, 0), c->cols < 60 ? "<Tab>" : "");
    for (int k = 0; k < 2; k++)
        assert_true(screen_says(p, &s, c->want[k]));
    close_sample();
}

static void every_role_is_whole_on_80_columns(void **state)
{
    (void)state;
    for (int role = 0; role < ROLE_COUNT; role++) {
        sample_make(&sample, SAMPLE_SCAN);
        struct program *p = &sample.program;
        for (buf_id b = 0; b < p->n; b++)
            p->role[b] = (uint8_t)role;
        struct app s = app_start(p, &memo, 80, 24, 0);
        assert_true(screen_says(p, &s, role_name((enum role)role)));
        close_sample();
    }
}

/* ---- The last lines ---- */

static void the_strip_tells_of_the_selected_buffer(void **state)
{
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), "jj");
    const char *strip = "\n \xe2\x96\xb8 input_dynamic_slice_reduce_fusion{0}  f32[1,1024,1048576]  ";
    assert_false(screen_says(p, &s, strip));
    s = play(p, &memo, s, "<Tab>");
    assert_true(screen_says(p, &s, strip));
    assert_true(screen_says(p, &s, "a1 +16.00 GiB\n"));
    assert_true(screen_says(p, &s, "closed_call/dynamic_slice"));
    s = play(p, &memo, app_start(p, &memo, 120, 40, 0), "<Tab>jj");
    assert_true(screen_says(p, &s, "selected buffer"));
    assert_true(screen_says(p, &s, "4.00 GiB \xc2\xb7 a1 +16.00 GiB \xc2\xb7 born at step 19 \xc2\xb7 dies at "
                                   "step 24 (gemm_fusion_dot.4)\n"));
    s = play(p, &memo, s, "<Tab>");
    assert_true(screen_says(p, &s, "instruction at the cursor"));
    close_sample();
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

static struct msg random_msg(uint64_t *seed)
{
    struct msg m = {.kind = MSG_KEY};
    uint32_t what = below(seed, 20);
    if (what == 0) {
        m = (struct msg){.kind = MSG_RESIZE, .cols = 1 + (int)below(seed, 150),
                         .rows = 1 + (int)below(seed, 60)};
    } else if (what <= 4) {
        m = (struct msg){.kind = MSG_CLICK + below(seed, 3),
                         .col = (int)below(seed, 160), .row = (int)below(seed, 60)};
    } else if (what <= 12) {
        const struct binding *b = &bindings[below(seed, (uint32_t)n_bindings)];
        m.key = b->cmd == CMD_QUIT ? K_ENTER : b->keys[0];
    } else {
        static const int32_t more[] = {K_ENTER, 'a', 's', 'f', 0xe9, 0x20ac, 0x1f600, K_BACKSPACE,
                                       K_CTRL_U, 0, 1, K_ESC, ':', '.'};
        m.key = more[below(seed, sizeof more / sizeof *more)];
    }
    return m;
}

static void random_keys_keep_every_index(void **state)
{
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        uint64_t seed = 7u + (uint32_t)kind;
        sample_make(&sample, (enum sample_kind)kind);
        struct app s = app_start(&sample.program, &memo, 80, 24, 0);
        for (int i = 0; i < 1000; i++) {
            s = app_update(&sample.program, &memo, s, random_msg(&seed));
            check_state(&sample.program, &s);
            if (i % 4 == 0)
                check_screen(&sample.program, &s, kind % 2);
        }
        close_sample();
    }
}

static void every_size_is_drawn(void **state)
{
    static const char *const ways[] = {"", "<Tab>", "?", "/ab", "/while<Enter>", "m", "m?",
                                       "mkk<Right>", "V", "x]", "e<PgDn>", "<Tab><Enter><End>", "xf<End>"};
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        for (int rows = 1; rows <= 80; rows += rows < 20 ? 1 : 13)
            for (int cols = 1; cols <= 250; cols += cols < 60 ? 3 : 19) {
                const char *keys = ways[(rows + cols + kind) % 13];
                struct app s = play(p, &memo, app_start(p, &memo, cols, rows, 1 + (rows % 3 ? 0 : SAMPLE_GIB * 22)),
                                    keys);
                check_screen(p, &s, false);
            }
        close_sample();
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
    s = play(p, &memo, s, s.cols % 2 ? "e" : "<Enter><Down>");
    scene_make(&v, p, &memo, &s);
    check_view(&v, v.l.page, page_view);
    check_view(&v, v.l.chart, chart_view);
}

static void views_stay_in_their_rectangles(void **state)
{
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        for (int size = 0; size < 60; size++) {
            struct app s = app_start(p, &memo, SCREEN_COLS + size * 3, SCREEN_ROWS + size, 0);
            s = play(p, &memo, s, size % 2 ? "<Tab>/while<Enter>" : "<End>");
            struct scene v;
            scene_make(&v, p, &memo, &s);
            check_view(&v, v.l.header, header_view);
            check_view(&v, v.l.chart, chart_view);
            check_view(&v, v.l.map, map_view);
            check_view(&v, v.l.table, table_view);
            check_view(&v, v.l.strip, strip_view);
            check_page(p, s);
            check_view(&v, v.l.footer, footer_view);
            s = play(p, &memo, s, "m");
            scene_make(&v, p, &memo, &s);
            check_view(&v, v.l.map, map_view);
        }
        close_sample();
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

static struct app play_and_look(const struct program *p, struct app s, const char *keys)
{
    struct msg m;
    for (const char *at = keys; next_msg(keys, &at, &m);) {
        s = app_update(p, &memo, s, m);
        check_state(p, &s);
        check_screen(p, &s, false);
    }
    return s;
}

/* Some two hundred frames each: one that took the square of them would not end. */
static void a_huge_program_answers_every_key(void **state)
{
    (void)state;
    for (int kind = SAMPLE_HUGE; kind <= SAMPLE_ALIVE; kind++) {
        const struct program *p = open_sample((enum sample_kind)kind);
        struct app s = play_and_look(p, app_start(p, &memo, 200, 60, 0), huge_orders);
        for (int times = 0; times < 4; times++)
            s = play_and_look(p, s, huge_keys);
        close_sample();
    }
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(column_cases) + COUNT(axis_cases) + COUNT(cut_cases) + 8];
    size_t n = 0;
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
    ADD(a_huge_program_answers_every_key);
    return _cmocka_run_group_tests("views", tests, n, NULL, NULL);
}
