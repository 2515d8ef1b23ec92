/* The screen of a listing: keys, rows, and what is drawn. */
#include "tests/support/play.h"
#include "tests/support/tables.h"
#include "tui/lists/listed_columns.h"

#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct listed_data data;

static int make(void **state)
{
    (void)state;
    struct list found = {0};
    struct file f;
    struct diag d;
    if (!file_read(&arena, &f, "fixtures/forms/tpu.log", &d))
        return -1;
    listing_read(&arena, &found, &f);
    if (found.n != 1)
        return -1;
    listed_make(&data, ((struct listing **)found.items)[0], "tpu.log:1", "tpu.log", PLATFORM_TPU, 0);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    listed_free(&data);
    arena_free(&arena);
    return 0;
}

static struct listed play_list(struct listed s, const char *keys)
{
    struct msg m;
    for (const char *at = keys; next_msg(keys, &at, &m);)
        s = listed_update(&data, s, m);
    return s;
}

static char *screen(const struct listed *s)
{
    char *text = NULL;
    size_t size = 0;
    struct grid g;
    FILE *out = open_memstream(&text, &size);
    grid_init(&g, s->cols, s->rows, false);
    listed_draw(&data, s, &g);
    grid_print(&g, out);
    grid_free(&g);
    fclose(out);
    return text;
}

struct screen_case {
    const char *name, *keys;
    int cols, rows;
    const char *has[4];
};

static const struct screen_case screens[] = {
    {"what ran out, does it fit, what would have to go", "", 80, 24,
     {"hbm: 21.30 GiB needed, 15.75 GiB there", "no, by 5.55 GiB: 21.30 GiB (used) of 15.75 GiB",
      "at least 1 of the listed buffers would have to go (16.00 GiB)", "▸x   16.00 GiB   74%"}},
    {"padding, kinds, names, sources", "", 80, 24,
     {"padding 471.50 MiB", "x12.6 HLO temp", "train.py:41", "/home/user/programs/train.py:41"}},
    {"what a listing cannot answer is said in its place", "", 80, 24, {"A snapshot (line 1): lives, order, map and what-if need the dump"}},
    {"by source line", "<Tab>", 80, 24, {"by source line", "/home/user/programs/train.py:41", "(not told)"}},
    {"by kind", "<Tab><Tab>", 80, 24, {"by kind", "HLO temp", "scoped"}},
    {"the log's own figures", "<Tab><Tab><Tab><Tab><Tab>", 80, 24, {"the log's figures", "arguments", "HLO temp"}},
    {"Enter leads from a group to its buffer", "<Tab><Tab><Down><Enter>", 80, 24, {"by size", "no op_name in the log"}},
    {"the help says how to get what is missing", "?", 80, 40, {"xla_dump_to", "of the smallest set that would have to go"}},
    {"a key of the explorer names what it needs", "e", 80, 24, {"‘e’ needs the dump: ? says how to make one"}},
    {"a key that nothing has says so", "Z", 80, 24, {"‘Z’ does nothing here: ? lists keys"}},
    {"Enter where there is no group", "<Enter>", 80, 24, {"‘Enter’ does nothing here"}},
    {"the next key takes the answer away", "e<Down>", 80, 24, {"A snapshot"}},
    {"Esc closes a grouping", "<Tab><Esc>", 80, 24, {"by size"}},
    {"a small screen", "", 40, 14, {"fits  no, by 5.55 GiB", "fusion.1668"}},
    {"a shape is whole where there is room", "", 120, 24, {"f32[4,1024,1048576] train.py:41", "f32[4,128,128,9,18]"}},
    {"too small a screen", "", 30, 8, {""}},
    {"a wide screen", "", 200, 60, {"f32[4,128,128,9,18]"}},
};

static void shows(void **state)
{
    const struct screen_case *c = *state;
    struct listed s = play_list(listed_start(c->cols, c->rows, false), c->keys);
    char *text = screen(&s), missing[200] = "";
    for (size_t k = 0; k < 4 && c->has[k]; k++)
        if (!strstr(text, c->has[k]))
            snprintf(missing, sizeof missing, "%s", c->has[k]);
    if (*missing)
        print_message("no \"%s\" in\n%s", missing, text);
    free(text);
    assert_string_equal(missing, "");
}

static void any_keys(void **state)
{
    (void)state;
    static const int32_t keys[] = {K_UP, K_DOWN, K_PAGE_UP, K_PAGE_DOWN, K_HOME, K_END, K_TAB, K_ENTER, K_ESC, '?', 'x', 'M'};
    struct listed s = listed_start(80, 24, true);
    unsigned seed = 3;
    for (int k = 0; k < 3000; k++) {
        seed = seed * 1103515245u + 12345u;
        struct msg m = {.kind = MSG_KEY, .key = keys[seed / 65536u % 12]};
        if (k % 50 == 0)
            m = (struct msg){.kind = MSG_RESIZE, .cols = (int)(seed / 65536u % 120), .rows = (int)(seed / 6553u % 50)};
        if (k % 7 == 0)
            m = (struct msg){.kind = MSG_CLICK, .col = (int)(seed / 65536u % 120), .row = (int)(seed / 6553u % 50)};
        s = listed_update(&data, s, m);
        s.want = LISTED_NOTHING;
        assert_true(data.n[s.by] == 0 || s.at < data.n[s.by]);
        assert_true(s.top <= s.at);
        if (k % 20 == 0)
            free(screen(&s));
    }
}

static void leaves(void **state)
{
    (void)state;
    assert_int_equal(play_list(listed_start(80, 24, true), "M").want, LISTED_MODULES);
    assert_int_equal(play_list(listed_start(80, 24, true), "<Esc>").want, LISTED_MODULES);
    assert_int_equal(play_list(listed_start(80, 24, true), "<Tab><Esc>").want, LISTED_NOTHING);
    assert_int_equal(play_list(listed_start(80, 24, false), "M").want, LISTED_NOTHING);
    assert_int_equal(play_list(listed_start(80, 24, false), "<Esc>").want, LISTED_NOTHING);
    assert_int_equal(play_list(listed_start(80, 24, false), "q").want, LISTED_QUIT);
    assert_int_equal(play_list(listed_start(20, 5, false), "q").want, LISTED_QUIT);
}

/* At any width: they fit, no text column is wider than its longest text, and more room takes none away. */
static void columns_fit(void **state)
{
    (void)state;
    int width[LISTED_COLUMNS], before = 0;
    for (int cols = 40; cols <= 300; cols++) {
        int sum = 2, shown = 0;
        listed_widths(&data, cols, width);
        for (int c = 0; c < LISTED_COLUMNS; c++) {
            sum += width[c] ? width[c] + (c > 0) : 0;
            shown += width[c] > 0;
            assert_true(c < LISTED_COL_KIND || width[c] <= (data.widest[c] > 6 ? data.widest[c] : 6));
        }
        assert_true(sum <= cols);
        assert_true(shown >= before);
        before = shown;
    }
    assert_int_equal(width[LISTED_COL_NAME], data.widest[LISTED_COL_NAME]);
}

#define SCREENS (sizeof screens / sizeof *screens)

int main(void)
{
    static struct CMUnitTest tests[SCREENS + 3];
    size_t n = 0;
    for (size_t i = 0; i < SCREENS; i++)
        tests[n++] = (struct CMUnitTest){screens[i].name, shows, NULL, NULL, (void *)&screens[i]};
    ADD_AS(any_keys, "any keys, clicks and sizes");
    ADD_AS(leaves, "M, Esc and q");
    ADD_AS(columns_fit, "columns fit at any width, and are whole where there is room");
    return _cmocka_run_group_tests("listed", tests, n, make, forget);
}
