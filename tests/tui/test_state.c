/* Where one left a dump: written and taken up again, whatever stands in the files. */
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/tables.h"
#include "tui/explorer/state.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static struct memo memo;
static struct sample sample;
static char dir[200];

static int begin(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/tidemark-state-XXXXXX");
    sample_make(&sample, SAMPLE_SCAN);
    return mkdtemp(dir) ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    file_remove_tree(dir);
    sample_free(&sample);
    memo_free(&memo);
    return 0;
}

static struct app start(void)
{
    return app_start(&sample.program, &memo, 120, 40, 0);
}

static unsigned files_in(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static void one_stands_where_one_left(void **state)
{
    static const char *const keys[] = {"", "p<Right><Right>", "xp]", "<Tab>GGoo", "m", "v<Home>", "B<End>", "<Down><Down>ooo"};
    (void)state;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct app left = play(&sample.program, &memo, start(), keys[k]), s = start();
        state_save(dir, &sample.program, "/somewhere", &left);
        assert_true(state_load(dir, &sample.program, "/somewhere", &memo, &s));
        assert_int_equal(s.step, left.step);
        assert_true(s.at == left.at);
        assert_int_equal(s.clock, left.clock);
        assert_int_equal(s.space, left.space);
        assert_int_equal(s.chosen, left.chosen);
        assert_int_equal(s.sort, left.sort);
        assert_int_equal(s.fold, left.fold);
        assert_int_equal(s.focus, left.focus);
        assert_int_equal(s.map, left.map);
        assert_int_equal(s.bytes, left.bytes);
        assert_int_equal(s.group, left.group);
    }
    assert_int_equal(files_in(dir), 1);
}

static void another_dump_is_not_this_one(void **state)
{
    static struct sample other;
    struct app s = start(), before = s;
    char here[17], there[17], name[17];
    (void)state;
    sample_make(&other, SAMPLE_NESTED);
    state_name(&sample.program, "/a", here);
    state_name(&sample.program, "/b", there);
    assert_string_not_equal(here, there);
    other.program.name = sample.program.name;
    other.program.steps++;
    state_name(&other.program, "/a", name);
    assert_string_not_equal(name, here); /* as many instructions are the same compile */
    other.program.steps--;
    state_save(dir, &sample.program, "/a", &s);
    assert_false(state_load(dir, &sample.program, "/b", &memo, &s));
    assert_memory_equal(&s, &before, sizeof s);
    sample_free(&other);
}

static const struct rubbish_case {
    const char *name, *text;
} rubbish_cases[] = {
    {"nothing", ""},
    {"other words", "hello\n"},
    {"a head alone", "tidemark state 1\n"},
    {"another version", "tidemark state 2\nstep 1\nat 1\nclock 0\nmemory 0\nchosen 1\norder 0\ngroup 0\nfocus 0\nmap 0\nbytes 0\n"},
    {"a step that is not there", "tidemark state 1\nstep 99\nat 1\nclock 0\nmemory 0\nchosen 1\norder 0\ngroup 0\nfocus 0\nmap 0\nbytes 0\n"},
    {"a moment that is not there", "tidemark state 1\nstep 1\nat 99999\nclock 0\nmemory 0\nchosen 1\norder 0\ngroup 0\nfocus 0\nmap 0\nbytes 0\n"},
    {"a number too long", "tidemark state 1\nstep 1\nat 99999999999999999999999\nclock 0\nmemory 0\nchosen 1\norder 0\ngroup 0\nfocus 0\nmap 0\nbytes 0\n"},
    {"a negative one", "tidemark state 1\nstep -1\nat 1\nclock 0\nmemory 0\nchosen 1\norder 0\ngroup 0\nfocus 0\nmap 0\nbytes 0\n"},
    {"a clock that is not there", "tidemark state 1\nstep 1\nat 1\nclock 7\nmemory 0\nchosen 1\norder 0\ngroup 0\nfocus 0\nmap 0\nbytes 0\n"},
    {"cut in the middle", "tidemark state 1\nstep 1\nat 1\nclock 0\nmem"},
};

static void rubbish_is_nothing(void **state)
{
    const struct rubbish_case *c = *state;
    char name[17], path[300];
    begin(NULL);
    struct app s = start(), before = s;
    state_name(&sample.program, "/a", name);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(c->text, f);
    fclose(f);
    bool taken = state_load(dir, &sample.program, "/a", &memo, &s);
    bool same = memcmp(&s, &before, sizeof s) == 0; /* NOLINT(*-memory-comparison): padding too is left alone */
    end(NULL);
    assert_false(taken);
    assert_true(same);
}

static void what_fits_another_program_worse_is_clamped_or_nothing(void **state)
{
    uint32_t seed = 11;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        char text[STATE_BYTES];
        unsigned n[8];
        for (int k = 0; k < 8; k++) {
            seed = seed * 1664525u + 1013904223u;
            n[k] = seed >> 24 & (k == 0 ? 63 : 15);
        }
        snprintf(text, sizeof text,
                 "tidemark state 1\nstep %u\nat %u\nclock %u\nmemory %u\nchosen %u\norder %u\ngroup %u\nfocus %u\nmap 1\nbytes 1\n", n[0], n[1],
                 n[2] & 1, n[3] & 1, n[4] * 3, n[5] & 3, n[6] & 3, n[7] & 3);
        struct app s = start();
        if (state_take(&sample.program, &memo, text, &s)) {
            assert_true(s.step <= sample.program.steps && s.at < memo.timeline.moments);
            free(screen_text(&sample.program, &memo, &s, false));
        }
    }
}

static void only_so_many_are_kept(void **state)
{
    struct app s = start();
    (void)state;
    for (int i = 0; i < STATE_FILES + 30; i++) {
        char dump[40];
        snprintf(dump, sizeof dump, "/dump/%d", i);
        state_save(dir, &sample.program, dump, &s);
    }
    assert_int_equal(files_in(dir), STATE_FILES);
    char last[40];
    snprintf(last, sizeof last, "/dump/%d", STATE_FILES + 29);
    assert_true(state_load(dir, &sample.program, last, &memo, &s));
}

static void what_cannot_be_written_is_not_written(void **state)
{
    struct app s = start();
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/deep/er", dir);
    state_save(path, &sample.program, "/a", &s); /* is made */
    assert_int_equal(files_in(path), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    state_save("/proc/nowhere", &sample.program, "/a", &s);
    state_save("/dev/null/x", &sample.program, "/a", &s);
    assert_false(state_load("/dev/null/x", &sample.program, "/a", &memo, &s));
}

static void links_are_not_followed(void **state)
{
    struct app s = start();
    char name[17], path[300], target[300];
    (void)state;
    state_name(&sample.program, "/a", name);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    snprintf(target, sizeof target, "%s/target", dir);
    FILE *f = fopen(target, "w");
    fputs("mine", f);
    fclose(f);
    assert_int_equal(symlink(target, path), 0);
    assert_false(state_load(dir, &sample.program, "/a", &memo, &s));
    state_save(dir, &sample.program, "/a", &s); /* in place of the link */
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(stat(target, &st), 0);
    assert_int_equal(st.st_size, 4);
}

int main(void)
{
    static struct CMUnitTest tests[40];
    size_t n = 0;
    ADD(one_stands_where_one_left);
    ADD(another_dump_is_not_this_one);
    ADD_TABLE(rubbish_cases, rubbish_is_nothing, name);
    ADD(what_fits_another_program_worse_is_clamped_or_nothing);
    ADD(only_so_many_are_kept);
    ADD(what_cannot_be_written_is_not_written);
    ADD(links_are_not_followed);
    for (size_t i = 0; i < n; i++)
        if (!tests[i].initial_state) { /* the cases of rubbish need no folder */
            tests[i].setup_func = begin;
            tests[i].teardown_func = end;
        }
    return _cmocka_run_group_tests("states", tests, n, NULL, NULL);
}
