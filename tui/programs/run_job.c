#include "tui/programs/run_job.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line, without the names that whoever looks at it knows. */
static void fail(struct run_job *r, const char *why)
{
    size_t n = strlen(r->file);
    r->state = RUN_FAILED;
    why += strncmp(why, "tidemark: ", 10) == 0 ? 10 : 0;
    if (n && strncmp(why, r->file, n) == 0 && strncmp(why + n, ": ", 2) == 0)
        why += n + 2;
    snprintf(r->why, sizeof r->why, "%s", why);
}

static void fail_diag(struct run_job *r, const struct diag *d)
{
    char text[1400];
    fail(r, diag_text(d, text, sizeof text));
}

/* Where a run that is ended may have left its half of a trace; see command_run.c. */
static void remove_half(const struct run_job *r, pid_t pid)
{
    char half[4200];
    snprintf(half, sizeof half, "%s.%ld", r->path, (long)pid);
    remove(half);
}

void run_job_start(struct run_job *r, const struct program *p, bool cuda)
{
    struct arena a = {0};
    struct diag d;
    run_job_cancel(r);
    r->cuda = cuda;
    r->of = p;
    r->done = r->total = 0;
    r->why[0] = r->file[0] = '\0';
    const struct module *m = p->module;
    const char *path = m->file ? measured_place(&a, p, true, &d) : NULL;
    if (!r->self || !m->file || strcmp(m->file, "<stdin>") == 0)
        fail(r, "there is no file of this program to run");
    else if (!path)
        fail_diag(r, &d);
    else {
        char self[4096], backend[] = "cuda";
        snprintf(r->path, sizeof r->path, "%s", path);
        snprintf(self, sizeof self, "%s", r->self);
        snprintf(r->file, sizeof r->file, "%s%s", m->file[0] == '-' ? "./" : "", m->file);
        if (!cuda)
            strcpy(backend, "host");
        char *argv[] = {self, (char[]){"run"}, (char[]){"--progress"}, (char[]){"--backend"}, backend,
                        (char[]){"--trace"}, r->path, r->file, NULL};
        r->state = RUN_GOING;
        if (!job_start(&r->job, argv, &d))
            fail_diag(r, &d);
    }
    arena_free(&a);
}

static void read_progress(struct run_job *r)
{
    unsigned long long done, total;
    if (sscanf(r->job.said, "progress %llu %llu", &done, &total) == 2 && total) {
        r->done = done < total ? done : total;
        r->total = total;
    }
}

enum run_state run_job_poll(struct run_job *r)
{
    char text[480];
    if (r->state != RUN_GOING)
        return r->state;
    pid_t pid = r->job.pid;
    enum job_state job = job_poll(&r->job);
    read_progress(r);
    if (job == JOB_RUNNING)
        return r->state;
    bool saved = access(r->path, R_OK) == 0;
    if (job == JOB_DONE || (saved && r->job.exit_code == 1)) { /* 1: a guard was violated, and it says so */
        r->state = RUN_DONE;
        return r->state;
    }
    remove_half(r, pid);
    bool told = r->job.said[0] && strncmp(r->job.said, "progress ", 9) != 0;
    if (r->job.signal)
        snprintf(text, sizeof text, "the run ended by signal %d", r->job.signal);
    else
        snprintf(text, sizeof text, "%s", told ? r->job.said : "the run ended without a word");
    fail(r, text);
    return r->state;
}

double run_job_seconds(const struct run_job *r)
{
    return r->state == RUN_GOING ? job_seconds(&r->job) : 0;
}

void run_job_cancel(struct run_job *r)
{
    if (r->state == RUN_GOING) {
        pid_t pid = r->job.pid;
        job_cancel(&r->job);
        remove_half(r, pid);
    }
    r->state = RUN_IDLE;
}
