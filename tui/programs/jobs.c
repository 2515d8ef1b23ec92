#include "tui/programs/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 500 /* from SIGTERM to SIGKILL */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *job_python(void)
{
    const char *asked = getenv("TIDEMARK_PYTHON");
    return asked && *asked ? asked : "python3";
}

double job_seconds(const struct job *j)
{
    return now() - j->started;
}

/* In the child.  `tell` closes when the command begins; before that it carries the reason why not. */
static _Noreturn void become(char *const argv[], int out, int tell)
{
    static const int restored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH};
    int null = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t k = 0; k < sizeof restored / sizeof *restored; k++)
        signal(restored[k], SIG_DFL);
    setpgid(0, 0);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
        execvp(argv[0], argv);
    int why = errno;
    ssize_t wrote = write(tell, &why, sizeof why);
    _exit(wrote == (ssize_t)sizeof why ? 127 : 126);
}

static bool close_on_exec(const int ends[2])
{
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

bool job_start(struct job *j, char *const argv[], struct diag *d)
{
    int out[2] = {-1, -1}, tell[2] = {-1, -1}, why = 0;
    *j = (struct job){.state = JOB_FAILED, .out = -1, .started = now()};
    pid_t pid = -1;
    if (pipe(out) == 0 && pipe(tell) == 0 && close_on_exec(out) && close_on_exec(tell) &&
        fcntl(out[0], F_SETFL, O_NONBLOCK) == 0)
        pid = fork();
    if (pid == 0)
        become(argv, out[1], tell[1]);
    if (pid < 0)
        why = errno;
    if (out[1] >= 0)
        close(out[1]);
    if (tell[1] >= 0)
        close(tell[1]);
    if (pid > 0) {
        setpgid(pid, pid); /* whichever of the two comes first */
        ssize_t n;
        while ((n = read(tell[0], &why, sizeof why)) < 0 && errno == EINTR)
            ;
        if (n != (ssize_t)sizeof why)
            why = 0;
    }
    if (tell[0] >= 0)
        close(tell[0]);
    if (why) {
        if (pid > 0)
            waitpid(pid, NULL, 0);
        if (out[0] >= 0)
            close(out[0]);
        return diag_file(d, argv[0], "%s", strerror(why));
    }
    j->pid = pid;
    j->out = out[0];
    j->state = JOB_RUNNING;
    return true;
}

static void keep_line(struct job *j)
{
    j->line[j->used] = '\0';
    if (strspn(j->line, " \t\r") < j->used)
        memcpy(j->said, j->line, sizeof j->said);
    j->used = 0;
}

static void read_out(struct job *j)
{
    char some[4096];
    ssize_t n;
    while (j->out >= 0 && (n = read(j->out, some, sizeof some)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return; /* nothing now */
        for (ssize_t k = 0; k < n; k++)
            if (some[k] == '\n')
                keep_line(j);
            else if (j->used < sizeof j->line - 1)
                j->line[j->used++] = some[k];
    }
}

static void end(struct job *j, int status)
{
    read_out(j);
    if (j->used)
        keep_line(j);
    close(j->out);
    j->out = -1;
    j->pid = 0;
    j->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    j->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    j->state = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? JOB_DONE : JOB_FAILED;
}

enum job_state job_poll(struct job *j)
{
    int status;
    if (j->state != JOB_RUNNING)
        return j->state;
    read_out(j);
    pid_t ended = waitpid(j->pid, &status, WNOHANG);
    if (ended == j->pid)
        end(j, status);
    else if (ended < 0 && errno != EINTR) { /* somebody else has waited for it */
        end(j, 0);
        j->state = JOB_FAILED;
    }
    return j->state;
}

void job_cancel(struct job *j)
{
    if (j->state == JOB_RUNNING) {
        pid_t group = j->pid;
        double until = now() + PATIENCE_MS * 1e-3;
        kill(-group, SIGTERM);
        while (job_poll(j) == JOB_RUNNING && now() < until)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        kill(-group, SIGKILL); /* what is left of it, if anything */
        if (j->state == JOB_RUNNING) {
            waitpid(j->pid, NULL, 0);
            close(j->out);
        }
    }
    *j = (struct job){.out = -1};
}
