/* Background work: it runs, says why it failed, never blocks, and can be ended with all it started. */
#include "tui/programs/jobs.h"
#include "tests/support/tables.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static enum job_state wait_for(struct job *j)
{
    while (job_poll(j) == JOB_RUNNING && job_seconds(j) < 60)
        wait_a_little();
    return j->state;
}

static const struct {
    const char *does, *script;
    enum job_state state;
    const char *said;
} cases[] = {
    {"a command that does its work", "exit 0", JOB_DONE, ""},
    {"its last line is kept", "echo one; echo two; echo; echo '  '", JOB_DONE, "two"},
    {"also from the error stream", "echo why >&2; exit 3", JOB_FAILED, "why"},
    {"and without its end", "printf 'no end'; exit 1", JOB_FAILED, "no end"},
    {"one that is killed", "kill -9 $$", JOB_FAILED, ""},
    {"one that reads finds nothing", "read x; test -z \"$x\"", JOB_DONE, ""},
    {"one that writes very much", "yes | head -c 3000000; echo; echo last", JOB_DONE, "last"},
    {"a line without an end", "head -c 100000 /dev/zero | tr '\\0' x; echo; echo last", JOB_DONE, "last"},
};

static void runs(void **state)
{
    const size_t k = (size_t)*state;
    struct job j = {0};
    struct diag d;
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)cases[k].script, NULL};
    assert_true(job_start(&j, argv, &d));
    assert_int_equal(wait_for(&j), cases[k].state);
    assert_string_equal(j.said, cases[k].said);
    assert_int_equal(job_poll(&j), cases[k].state); /* and stays so */
    job_cancel(&j);
    assert_int_equal(j.state, JOB_NONE);
}

static void no_such_command(void **state)
{
    (void)state;
    struct job j = {0};
    struct diag d;
    char *argv[] = {"/no/such/command", NULL};
    assert_false(job_start(&j, argv, &d));
    assert_int_equal(j.state, JOB_FAILED);
    assert_string_equal(d.file, "/no/such/command");
    assert_string_equal(d.what, "No such file or directory");
    assert_int_equal(job_poll(&j), JOB_FAILED);
    job_cancel(&j);
}

static void polling_does_not_wait(void **state)
{
    (void)state;
    struct job j = {0};
    struct diag d;
    char *argv[] = {"sh", "-c", "echo started; exec sleep 100", NULL};
    assert_true(job_start(&j, argv, &d));
    while (!j.said[0] && job_seconds(&j) < 60) {
        assert_int_equal(job_poll(&j), JOB_RUNNING);
        wait_a_little();
    }
    assert_string_equal(j.said, "started");
    job_cancel(&j);
    assert_int_equal(j.state, JOB_NONE);
}

/* Cancels a script once it has said the number of a process of its own, and waits for that one's end. */
static void cancel_takes_all(const char *script)
{
    struct job j = {0};
    struct diag d;
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
    assert_true(job_start(&j, argv, &d));
    while (!j.said[0] && job_poll(&j) == JOB_RUNNING && job_seconds(&j) < 60)
        wait_a_little();
    pid_t child = (pid_t)atoi(j.said);
    assert_true(child > 1);
    job_cancel(&j);
    for (int k = 0; k < 5000 && kill(child, 0) == 0; k++)
        wait_a_little();
    char path[64], stat[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *f = fopen(path, "r"); /* a zombie that nobody collects has ended, too */
    if (f) {
        assert_non_null(fgets(stat, sizeof stat, f));
        fclose(f);
        assert_non_null(strstr(stat, ") Z "));
    }
}

static void cancelled(void **state)
{
    (void)state;
    cancel_takes_all("sleep 100 & echo $!; wait");
}

static void stubborn(void **state)
{
    (void)state;
    cancel_takes_all("trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & echo $!; while :; do sleep 0.1; done");
}

static void python(void **state)
{
    (void)state;
    setenv("TIDEMARK_PYTHON", "/opt/python", 1);
    assert_string_equal(job_python(), "/opt/python");
    setenv("TIDEMARK_PYTHON", "", 1);
    assert_string_equal(job_python(), "python3");
    unsetenv("TIDEMARK_PYTHON");
    assert_string_equal(job_python(), "python3");
}

int main(void)
{
    struct CMUnitTest tests[32];
    size_t n = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        tests[n++] = (struct CMUnitTest){.name = cases[k].does, .test_func = runs, .initial_state = (void *)k};
    ADD_AS(no_such_command, "no such command");
    ADD_AS(polling_does_not_wait, "polling does not wait");
    ADD_AS(cancelled, "cancelling ends what the command started");
    ADD_AS(stubborn, "even what will not end");
    ADD_AS(python, "which Python");
    return _cmocka_run_group_tests("jobs", tests, n, NULL, NULL);
}
