/* Saved screens: fixtures/screens/NAME.keys says what to show, NAME.screen holds both planes.
 *
 * NAME.keys, first line: SAMPLE COLSxROWS [ascii] [several] [limit=BYTES] [trace=FILE], SAMPLE one of those in
 * program_sample.h, "picks" or "many-picks" (pick_sample.h), or the folder of a dump; second line: keys as
 * for --keys.  NAME.screen: the text, a line "--", the style letters.  TIDEMARK_GOLDEN=write writes what is
 * seen. */
#include "core/load/dump/module.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/pick_sample.h"
#include "tests/support/program_sample.h"
#include "tui/explorer/room.h"
#include "tui/update/update.h"
#include "tui/views/views.h"

#include <glob.h>

struct screen_case {
    char path[200]; /* without ".keys" */
    char source[120], keys[200], trace[120];
    int cols, rows;
    bool ascii, several;
    uint64_t limit;
};

static const char *const sample_names[SAMPLE_KINDS] = {
    "scan", "nested", "no-hlo", "no-life", "odd", "one", "empty", "spike", "spaces", "huge",
    "alive",
};

static void read_case(struct screen_case *c)
{
    char path[220], first[300], word[160], limit[40] = "";
    snprintf(path, sizeof path, "%s.keys", c->path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(first, sizeof first, f));
    c->keys[0] = '\0';
    if (fgets(c->keys, sizeof c->keys, f))
        c->keys[strcspn(c->keys, "\n")] = '\0';
    fclose(f);
    int at = 0, more;
    assert_int_equal(sscanf(first, "%119s %dx%d%n", c->source, &c->cols, &c->rows, &at), 3);
    while (sscanf(first + at, "%159s%n", word, &more) == 1) {
        at += more;
        if (strcmp(word, "ascii") == 0)
            c->ascii = true;
        else if (strcmp(word, "several") == 0)
            c->several = true;
        else if (sscanf(word, "trace=%119s", c->trace) != 1)
            assert_int_equal(sscanf(word, "limit=%39s", limit), 1);
    }
    if (limit[0])
        assert_true(bytes_parse(limit, &c->limit));
}

static struct msg next_key(const struct screen_case *c, const char **at)
{
    struct msg m;
    struct diag d;
    assert_true(keys_next(c->keys, at, &m, &d));
    return m;
}

/* Text, "--", styles.  The caller frees. */
static char *print(struct grid *g)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    grid_print(g, out);
    fputs("--\n", out);
    grid_print_styles(g, out);
    fclose(out);
    grid_free(g);
    return text;
}

static char *draw(const struct program *p, const struct screen_case *c)
{
    struct memo memo = {0};
    struct app s = app_start(p, &memo, c->cols, c->rows, c->limit);
    struct grid g;
    const char *at = c->keys;
    s.several = c->several;
    for (struct msg m; (m = next_key(c, &at)).kind != MSG_NONE;)
        s = app_update(p, &memo, s, m);
    grid_init(&g, s.cols, s.rows, c->ascii);
    screen_draw(p, &memo, &s, &g);
    memo_free(&memo);
    return print(&g);
}

static char *draw_picks(const struct screen_case *c, uint32_t n)
{
    struct picker s = picker_start(c->cols, c->rows);
    struct arena a = {0};
    struct picks p;
    struct grid g;
    const char *at = c->keys;
    picks_make(&p, &a, n);
    for (struct msg m; (m = next_key(c, &at)).kind != MSG_NONE;)
        s = picker_update(&p, s, m);
    grid_init(&g, s.cols, s.rows, c->ascii);
    picker_draw(&p, &s, &g);
    arena_free(&a);
    return print(&g);
}

static char *draw_sample(const struct screen_case *c, int kind)
{
    static struct sample s;
    sample_make(&s, (enum sample_kind)kind);
    char *text = draw(&s.program, c);
    sample_free(&s);
    return text;
}

/* A dump is played with its other forms, as explorer.c does, but nothing is compiled. */
static char *draw_dump(const struct screen_case *c)
{
    static struct dump dump;
    static struct module m;
    static struct program p;
    struct diag d;
    struct grid g;
    struct room room;
    const char *at = c->keys;
    char why[1400];
    if (!dump_find(&dump, c->source, &d) || !dump_load(&dump, 0, FORM_ANY, &m, &d) ||
        !program_build(&p, &m, &d))
        fail_msg("%s", diag_text(&d, why, sizeof why));
    struct app s = room_open(&room, &p, m.dir, c->cols, c->rows, c->limit);
    s.several = c->several;
    if (c->trace[0])
        s = room_traces(&room, s, c->trace);
    for (struct msg key; (key = next_key(c, &at)).kind != MSG_NONE;)
        s = room_update(&room, s, key);
    room_fill(&room, &s);
    grid_init(&g, s.cols, s.rows, c->ascii);
    screen_draw(room.p, &room.memo, &s, &g);
    room_close(&room);
    program_free(&p);
    module_free(&m);
    dump_free(&dump);
    return print(&g);
}

static void compare(const char *path, const char *got)
{
    char name[220];
    snprintf(name, sizeof name, "%s.screen", path);
    const char *golden = getenv("TIDEMARK_GOLDEN");
    bool write = golden && strcmp(golden, "write") == 0;
    FILE *f = fopen(name, write ? "w" : "r");
    if (!f)
        fail_msg("cannot open %s (make golden writes it)", name);
    if (write) {
        fputs(got, f);
        fclose(f);
        return;
    }
    size_t room = strlen(got) + 4096;
    char *want = calloc(1, room + 1);
    assert_non_null(want);
    size_t n = fread(want, 1, room, f);
    fclose(f);
    bool same = n == strlen(got) && memcmp(want, got, n) == 0;
    if (!same)
        print_error("%s: wanted\n%s\ngot\n%s\n", name, want, got);
    free(want);
    assert_true(same);
}

static void screen_is_as_saved(void **state)
{
    struct screen_case *c = *state;
    int kind = 0;
    read_case(c);
    while (kind < SAMPLE_KINDS && strcmp(c->source, sample_names[kind]) != 0)
        kind++;
    char *got = kind < SAMPLE_KINDS                    ? draw_sample(c, kind)
                : strcmp(c->source, "picks") == 0      ? draw_picks(c, 0)
                : strcmp(c->source, "many-picks") == 0 ? draw_picks(c, 20000)
                                                       : draw_dump(c);
    compare(c->path, got);
    free(got);
}

int main(void)
{
    setenv("TIDEMARK_DATA", "fixtures", 1);
    setenv("XDG_STATE_HOME", "/nonexistent", 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1); /* no compiled form but those of the grid */
    glob_t found;
    if (glob("fixtures/screens/*.keys", 0, NULL, &found) != 0) {
        fputs("no fixtures/screens/*.keys here: run this from the top of the tree\n", stderr);
        return 1;
    }
    struct screen_case *cases = calloc(found.gl_pathc, sizeof *cases);
    struct CMUnitTest *tests = calloc(found.gl_pathc, sizeof *tests);
    if (!cases || !tests)
        return 1;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(cases[i].path, sizeof cases[i].path, "%.*s",
                 (int)(strlen(found.gl_pathv[i]) - strlen(".keys")), found.gl_pathv[i]);
        tests[i] = (struct CMUnitTest){.name = cases[i].path, .test_func = screen_is_as_saved,
                                       .initial_state = &cases[i]};
    }
    int failed = _cmocka_run_group_tests("screens", tests, found.gl_pathc, NULL, NULL);
    globfree(&found);
    free(cases);
    free(tests);
    return failed;
}
