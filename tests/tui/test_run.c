/* r in the explorer: a run in the background, by children that are scripts, and what becomes of it. */
#include "tests/support/program_sample.h"
#include "tests/support/room_play.h"
#include "tests/support/tables.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char trace[] = "fixtures/traces/cpu-d256-s4-u1.trace.json";
static char dir[] = "/tmp/tidemark-run-XXXXXX", self[64], state[64];

static struct room room;
static struct cell_program cell;

/* A script in the place of this program. */
static void write_self(const char *does)
{
    FILE *f = fopen(self, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho \"$*\" >%s/args\ntrace=$6 file=$7\n%s\n", dir, does);
    fclose(f);
    assert_int_equal(chmod(self, 0700), 0);
}

static struct app open_room(const char *name, bool runs)
{
    cell_open(&cell, name);
    struct app s = room_open(&room, &cell.program, cell.module.dir, 120, 30, 0);
    room.runs = runs;
    room.run.self = self;
    room.run.no_cuda = "no CUDA here";
    return room_traces(&room, s, NULL);
}

static void close_room(void)
{
    room_close(&room);
    cell_close(&cell);
    file_remove_tree(state);
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static struct app settle(struct app s)
{
    for (int k = 0; k < 30000 && s.running == RUNNING; k++) {
        s = room_tick(&room, s);
        wait_a_little();
    }
    return s;
}

/* Files that the run left in the folder of traces. */
static int left_behind(void)
{
    char command[300], n[16] = "";
    snprintf(command, sizeof command, "ls %s/tidemark/traces 2>/dev/null | wc -l", state);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    assert_non_null(fgets(n, sizeof n, p));
    pclose(p);
    return atoi(n);
}

static const struct ending {
    const char *name, *does;
    enum running running;
    bool measured;
    const char *says;
    int left;
} endings[] = {
    {"a run that ends well is shown", "cp fixtures/traces/cpu-d256-s4-u1.trace.json \"$trace\"", RAN, true,
     "used 7.04 MiB of 7.04 MiB planned", 1},
    {"a guard that fires is shown, too", "cp fixtures/traces/cpu-d256-s4-u1.trace.json \"$trace\"; exit 1", RAN, true,
     "7.04 MiB reserved · used 7.04 MiB · host", 1},
    {"what does not fit says what would",
     "echo \"tidemark: $file: it needs 24.00 GiB, 1.63 GiB more than there are (a width of 524288 would fit)\" >&2; exit 2",
     RUN_REFUSED, false, " it needs 24.00 GiB, 1.63 GiB more than there are (a width of 524288 would fit)", 0},
    {"a crash is a line", "echo progress 1 2 >&2; kill -SEGV $$", RUN_REFUSED, false, "the run ended by signal 11", 0},
    {"an end without a word", "echo progress 1 2 >&2; exit 3", RUN_REFUSED, false, "the run ended without a word", 0},
    {"half a trace is removed", "echo half >\"$trace.$$\"; exit 3", RUN_REFUSED, false, "without a word", 0},
    {"a trace that is none", "echo '{}' >\"$trace\"", RUN_REFUSED, false, "is no trace", 1},
    {"no trace at all", "exit 0", RUN_REFUSED, false, "No such file", 0},
};

static void it_ends(void **context)
{
    const struct ending *c = *context;
    write_self(c->does);
    struct app s = press(&room, open_room("cpu-d256-s4-u1", true), "r");
    bool began = s.running == RUNNING && room_patience(&room, &s) > 0;
    s = settle(s);
    bool right = s.running == c->running && s.measured == c->measured && screen_has(&room, &s, c->says);
    int left = left_behind();
    struct app later = press(&room, s, "<Right>");
    bool usable = later.step != s.step && later.notice == NOTICE_NONE;
    close_room();
    assert_true(began);
    assert_true(right);
    assert_true(usable);
    assert_int_equal(left, c->left);
}

static void esc_ends_it(void **context)
{
    (void)context;
    write_self("echo half >\"$trace.$$\"; echo $$; echo progress 128 532 >&2; sleep 100");
    struct app s = press(&room, open_room("cpu-d256-s4-u1", true), "r");
    for (int k = 0; k < 5000 && !s.run_total; k++) {
        s = room_tick(&room, s);
        wait_a_little();
    }
    pid_t child = room.run.job.pid;
    bool shown = screen_has(&room, &s, "running: 128 of 532 steps");
    s = press(&room, s, "<Right><Right>xp"); /* meanwhile it is all there */
    bool walked = s.clock == CLOCK_EXECUTION && s.running == RUNNING;
    s = press(&room, s, "<Esc>");
    bool ended = s.running == RUN_ENDED && screen_has(&room, &s, "the run was ended");
    bool gone = kill(child, 0) != 0;
    int left = left_behind();
    close_room();
    assert_true(shown && walked && ended && gone);
    assert_int_equal(left, 0);
}

static void where_it_runs(void **context)
{
    (void)context;
    char path[100], args[4200] = "";
    write_self("cp fixtures/traces/cpu-d256-s4-u1.trace.json \"$trace\"");
    struct app s = open_room("cpu-d256-s4-u1", true);
    room.run.no_cuda = NULL;
    s = room_traces(&room, s, NULL);
    s = press(&room, s, "r");
    bool asked = s.mode == MODE_WHERE && screen_has(&room, &s, "run where?  h host  c CUDA");
    s = press(&room, s, "<Esc>");
    bool left = s.mode == MODE_MAIN && s.running == RUNNING_NOT;
    s = settle(press(&room, s, "rc"));
    snprintf(path, sizeof path, "%s/args", dir);
    FILE *f = fopen(path, "r");
    bool read = f && fgets(args, sizeof args, f);
    if (f)
        fclose(f);
    bool ran = s.running == RAN && strstr(args, "run --progress --backend cuda --trace /") == args;
    s = press(&room, s, "r"); /* now it is the page; there r runs it again */
    bool page = s.mode == MODE_PAGE && screen_has(&room, &s, "Iteration by iteration") && s.page == PAGE_RUN;
    s = press(&room, s, "r");
    bool again = s.mode == MODE_WHERE;
    close_room();
    assert_true(asked && left && read && ran && page && again);
}

static const struct no_run {
    const char *name, *cell, *keys;
    bool runs;
    const char *says;
} no_runs[] = {
    {"a screen that is printed runs nothing", "cpu-d256-s4-u1", "r", false, "nothing is run here"},
    {"what-if's program cannot be run", "cpu-d256-s4-u1", "SSsssssssr", true, "this form was not compiled"},
};

static void it_is_not_run(void **context)
{
    const struct no_run *c = *context;
    write_self("exit 0");
    struct app s = press(&room, open_room(c->cell, c->runs), c->keys);
    bool right = s.running != RUNNING && screen_has(&room, &s, c->says);
    close_room();
    assert_true(right);
}

/* Another form has a trace of its own, or none; back at the first its trace is there again. */
static void traces_belong_to_forms(void **context)
{
    (void)context;
    write_self("cp fixtures/traces/cpu-d256-s4-u1.trace.json \"$trace\"");
    struct app s = settle(press(&room, open_room("cpu-d256-s4-u1", true), "r"));
    bool first = s.measured;
    s = press(&room, s, "u");
    bool other = s.measured;
    s = press(&room, s, "r"); /* runs that one: the script's trace is not its */
    s = settle(s);
    bool refused = s.running == RUN_REFUSED && !s.measured && screen_has(&room, &s, "is a trace of another program");
    s = press(&room, s, "U");
    bool back = s.measured && screen_has(&room, &s, "measured on host");
    s = press(&room, s, "r");
    bool page = screen_has(&room, &s, "What a run used: host");
    s = press(&room, s, "u"); /* the page of another form: nothing is known */
    bool empty = screen_has(&room, &s, "not run here yet");
    close_room();
    assert_true(first && !other && refused && back && page && empty);
}

/* All keys at all sizes: nothing is drawn outside, nothing breaks. */
static void any_keys_at_any_size(void **context)
{
    static const char keys[] = "r<Left>x]r<PgDn><Enter>[{r<Down><Enter>vmr<Esc>r<Esc>cr<Esc>gr<Esc>su<Right>US";
    (void)context;
    write_self("exit 2");
    cell_open(&cell, "cpu-d256-s4-u1");
    for (int cols = 1; cols < 210; cols += 13)
        for (int rows = 1; rows < 60; rows += 7) {
            struct app s = room_open(&room, &cell.program, cell.module.dir, cols, rows, 0);
            s = room_traces(&room, s, trace);
            struct msg m;
            for (const char *at = keys; next_msg(keys, &at, &m);) {
                s = room_update(&room, s, m);
                free(screen_text(room.p, &room.memo, &s, false));
            }
            room_close(&room);
        }
    cell_close(&cell);
}

int main(void)
{
    enum { E = sizeof endings / sizeof *endings, N = sizeof no_runs / sizeof *no_runs };
    struct CMUnitTest tests[E + N + 8];
    size_t n = 0;
    if (!mkdtemp(dir))
        return 2;
    snprintf(self, sizeof self, "%s/self", dir);
    snprintf(state, sizeof state, "%s/state", dir);
    setenv("XDG_STATE_HOME", state, 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    setenv("TIDEMARK_DATA", "fixtures", 1);
    setenv("TIDEMARK_PYTHON", "/nonexistent", 1);
    for (size_t k = 0; k < E; k++)
        tests[n++] = (struct CMUnitTest){.name = endings[k].name, .test_func = it_ends, .initial_state = (void *)(uintptr_t)&endings[k]};
    for (size_t k = 0; k < N; k++)
        tests[n++] = (struct CMUnitTest){.name = no_runs[k].name, .test_func = it_is_not_run, .initial_state = (void *)(uintptr_t)&no_runs[k]};
    ADD_AS(esc_ends_it, "Esc ends it, with all that it left");
    ADD_AS(where_it_runs, "the host, or CUDA where there is one");
    ADD_AS(traces_belong_to_forms, "traces belong to forms");
    ADD_AS(any_keys_at_any_size, "any keys at any size");
    int failed = _cmocka_run_group_tests("run", tests, n, NULL, NULL);
    file_remove_tree(dir);
    return failed;
}
