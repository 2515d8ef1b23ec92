#include "tui/cli/bulk.h"
#include "core/base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CORES_MOST = 64, AHEAD = 4 /* modules for each core: at work, or waiting to be printed */ };
enum { SOUND = 20 /* added to a process's own code: others than ours end with 1 or 2 */ };

struct text {
    char *at;
    size_t n, cap;
};

/* A dump while modules of it are at work. */
struct source {
    struct dump dump;
    const char *path;
    bool *selected;
    struct arena arena;
    uint32_t next;    /* entry to begin */
    uint32_t modules; /* asked for */
    uint32_t pending; /* begun, and not printed */
    bool begun;       /* one of them */
    bool any;         /* one could be opened */
};

struct job {
    struct source *source; /* NULL: a path that holds no dump */
    uint32_t entry;
    pid_t pid;             /* 0: done */
    int fd[2];             /* standard output and error; -1: at its end */
    struct text text[2];
    int code;
    int lost;              /* errno: of what it said a part was lost */
};

struct runner {
    const struct bulk *b;
    struct job *jobs;  /* a ring: [first, first + n) of `room` */
    uint32_t room, first, n, running, cores;
    struct source *now; /* whose modules come next, or NULL */
    int next_path;
    int status;
    int broken; /* errno of the first write that failed, or 0 */
};

static struct job *job_at(const struct runner *r, uint32_t k)
{
    return &r->jobs[(r->first + k) % r->room];
}

static void text_add(struct text *t, const char *bytes, size_t n)
{
    if (!n)
        return;
    if (t->n + n > t->cap) {
        t->cap = 2 * (t->n + n);
        t->at = memory_grow(t->at, t->cap, 1);
    }
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
}

static void text_line(struct text *t, const char *before, const char *line)
{
    text_add(t, before, strlen(before));
    text_add(t, line, strlen(line));
    text_add(t, "\n", 1);
}

/* ---- In the module's process ---- */

static int open_one(const struct bulk *b, const struct source *s, uint32_t entry)
{
    struct arena a = {0};
    struct list warnings = {0};
    struct opened one;
    struct diag d;
    const struct dump_entry *e = dump_entry(&s->dump, entry);
    bool lone = s->modules == 1 && b->asked->n_paths == 1;
    const char *where = lone ? NULL : arena_printf(&a, "%s/%s", e->dir, e->stem);
    if (e->listing && b->listing)
        return b->listing(b->ctx, where, e);
    bool ok = open_module(&one, &s->dump, entry, &a, &warnings, &d);
    say_warnings(&warnings);
    if (ok)
        return b->each(b->ctx, where, one.program);
    say_failure(&d, s->modules > 1);
    if (b->refused)
        b->refused(b->ctx, e, &d);
    return BULK_REFUSED;
}

/* ---- Beginning ---- */

static void begin(struct runner *r, struct job *j)
{
    int out[2], err[2];
    fflush(stdout);
    if (pipe(out) != 0 || pipe(err) != 0 || (j->pid = fork()) < 0) {
        fprintf(stderr, "tidemark: cannot begin a process: %s\n", strerror(errno));
        exit(2);
    }
    if (j->pid == 0) {
        if (dup2(out[1], STDOUT_FILENO) < 0 || dup2(err[1], STDERR_FILENO) < 0)
            _exit(BULK_REFUSED + SOUND);
        for (int k = 0; k < 2; k++) {
            close(out[k]);
            close(err[k]);
        }
        int code = open_one(r->b, j->source, j->entry);
        fflush(stdout);
        _exit(code + SOUND);
    }
    close(out[1]);
    close(err[1]);
    j->fd[0] = out[0];
    j->fd[1] = err[0];
    r->running++;
}

static struct job *new_job(struct runner *r, struct source *s)
{
    struct job *j = job_at(r, r->n++);
    *j = (struct job){.source = s, .fd = {-1, -1}};
    return j;
}

static void refuse_path(struct runner *r, const struct diag *d)
{
    char line[4096];
    struct job *j = new_job(r, NULL);
    j->code = BULK_REFUSED;
    text_line(&j->text[1], "", diag_text(d, line, sizeof line));
}

/* Where no module of a dump could be opened, there is no answer. */
static void source_free(struct runner *r, struct source *s)
{
    if (!s->any)
        r->status = 2;
    dump_free(&s->dump);
    arena_free(&s->arena);
    free(s);
}

/* The next path's dump; false: it holds none, which is a job that is done. */
static bool open_path(struct runner *r)
{
    const struct asked *asked = r->b->asked;
    struct source *s = memory_zeroed(1, sizeof *s);
    struct diag d;
    s->path = asked->paths[r->next_path++];
    if (!dump_find(&s->dump, s->path, &d)) {
        free(s);
        refuse_path(r, &d);
        return false;
    }
    s->selected = arena_array(&s->arena, (size_t)s->dump.entries.n + 1, sizeof *s->selected);
    if (!open_select(&s->dump, s->path, asked->module, s->selected, &d)) {
        source_free(r, s);
        refuse_path(r, &d);
        return false;
    }
    for (uint32_t k = 0; k < s->dump.entries.n; k++)
        s->modules += s->selected[k];
    r->now = s;
    return true;
}

/* The dump's own warnings stand before its first module's. */
static void begin_module(struct runner *r)
{
    struct source *s = r->now;
    struct job *j = new_job(r, s);
    j->entry = s->next++;
    s->pending++;
    for (uint32_t k = 0; !s->begun && k < s->dump.warnings.n; k++) {
        char safe[2048];
        text_line(&j->text[1], "tidemark: warning: ",
                  text_safe(((const char *const *)s->dump.warnings.items)[k], safe, sizeof safe));
    }
    s->begun = true;
    begin(r, j);
}

/* False: nothing is left to begin. */
static bool begin_next(struct runner *r)
{
    if (!r->now)
        return r->next_path < r->b->asked->n_paths && (open_path(r), true);
    struct source *s = r->now;
    while (s->next < s->dump.entries.n && !s->selected[s->next])
        s->next++;
    if (s->next < s->dump.entries.n) {
        begin_module(r);
        return true;
    }
    r->now = NULL;
    if (!s->pending)
        source_free(r, s);
    return true;
}

/* ---- Ending ---- */

static void say_died(struct job *j, int status)
{
    char line[1400], safe[1200];
    snprintf(line, sizeof line, "%s: the process that opened it ended by %s %d",
             text_safe(dump_entry(&j->source->dump, j->entry)->stem, safe, sizeof safe),
             WIFSIGNALED(status) ? "signal" : "code", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    text_line(&j->text[1], "tidemark: ", line);
}

static void say_lost(struct job *j)
{
    char line[1400], safe[1200];
    snprintf(line, sizeof line, "%s: what was found cannot be read: %s",
             text_safe(dump_entry(&j->source->dump, j->entry)->stem, safe, sizeof safe), strerror(j->lost));
    text_line(&j->text[1], "tidemark: ", line);
}

static void end(struct runner *r, struct job *j)
{
    int status = 0;
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
        ;
    j->code = WIFEXITED(status) ? WEXITSTATUS(status) - SOUND : -1;
    if (j->code < 0 || j->code > BULK_REFUSED) {
        j->code = BULK_DIED;
        j->text[0].n = 0; /* half a line, perhaps */
        say_died(j, status);
    } else if (j->lost) {
        j->code = BULK_DIED;
        j->text[0].n = 0;
        say_lost(j);
    }
    j->pid = 0;
    r->running--;
}

static void take(struct runner *r, struct job *j, int which)
{
    char bytes[65536];
    ssize_t n = read(j->fd[which], bytes, sizeof bytes);
    if (n < 0 && errno == EINTR)
        return;
    if (n > 0) {
        text_add(&j->text[which], bytes, (size_t)n);
        return;
    }
    j->lost = n < 0 ? errno : j->lost;
    close(j->fd[which]);
    j->fd[which] = -1;
    if (j->fd[0] < 0 && j->fd[1] < 0)
        end(r, j);
}

/* Waits until some process says something. */
static void hear(struct runner *r)
{
    struct pollfd all[2 * AHEAD * CORES_MOST];
    struct {
        struct job *job;
        int which;
    } of[2 * AHEAD * CORES_MOST];
    nfds_t n = 0;
    for (uint32_t k = 0; k < r->n; k++)
        for (int which = 0; which < 2; which++) {
            struct job *j = job_at(r, k);
            if (j->fd[which] < 0)
                continue;
            of[n].job = j;
            of[n].which = which;
            all[n++] = (struct pollfd){.fd = j->fd[which], .events = POLLIN};
        }
    if (poll(all, n, -1) < 0)
        return;
    for (nfds_t k = 0; k < n; k++)
        if (all[k].revents)
            take(r, of[k].job, of[k].which);
}

/* ---- Printing ---- */

static void leave_source(struct runner *r, struct source *s, int code)
{
    s->any |= code < BULK_REFUSED;
    s->pending--;
    if (s->pending || s == r->now)
        return;
    source_free(r, s);
}

static void print_job(struct runner *r, struct job *j)
{
    struct source *s = j->source;
    r->b->done(r->b->ctx, s ? dump_entry(&s->dump, j->entry) : NULL, j->code, j->text[0].n > 0);
    for (int k = 0; k < 2; k++) {
        if (j->text[k].n)
            fwrite(j->text[k].at, 1, j->text[k].n, k ? stderr : stdout);
        free(j->text[k].at);
        if ((fflush(stdout) != 0 || ferror(stdout)) && !r->broken)
            r->broken = errno;
    }
    if (!s || j->code == BULK_DIED)
        r->status = 2;
    if (s)
        leave_source(r, s, j->code);
}

static void print_ready(struct runner *r)
{
    while (r->n && job_at(r, 0)->pid == 0) {
        print_job(r, job_at(r, 0));
        r->first = (r->first + 1) % r->room;
        r->n--;
    }
}

int bulk_run(const struct bulk *b)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct runner r = {.b = b, .cores = cores < 1 ? 1 : cores > CORES_MOST ? CORES_MOST : (uint32_t)cores};
    r.room = AHEAD * r.cores;
    r.jobs = memory_zeroed(r.room, sizeof *r.jobs);
    for (bool more = true; more || r.n;) {
        more = more && !r.broken;
        while (more && r.running < r.cores && r.n < r.room)
            more = begin_next(&r);
        print_ready(&r);
        if (r.running)
            hear(&r);
    }
    if (r.now) /* not all of its modules were begun */
        source_free(&r, r.now);
    free(r.jobs);
    if (r.broken)
        errno = r.broken; /* why: said by main(), unless the reader just left */
    return r.status;
}
