#include "tui/terminal/progress.h"
#include "core/base/diag.h"
#include "core/base/file.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 400 /* nothing is shown of what is over by then */
#define THEN_MS 200

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ends;
    bool over, shown;
    char verb[32], what[160], size[48];
    struct timespec since;
};

static struct timespec later(struct timespec t, long ms)
{
    t.tv_nsec += ms % 1000 * 1000000L;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

static void write_line(struct progress *p)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(stderr, "\r\033[Ktidemark: %s %s%s, %ld s", p->verb, p->what, p->size,
            (long)(now.tv_sec - p->since.tv_sec));
    fflush(stderr);
    p->shown = true;
}

static void *watch(void *arg)
{
    struct progress *p = arg;
    struct timespec next = later(p->since, FIRST_MS);
    pthread_mutex_lock(&p->lock);
    while (!p->over)
        if (pthread_cond_timedwait(&p->ends, &p->lock, &next) != 0 && !p->over) {
            write_line(p);
            next = later(next, THEN_MS);
        }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct progress *progress_begin(const char *verb, const char *what, uint64_t bytes)
{
    char size[24];
    struct progress *p = isatty(STDERR_FILENO) ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    clock_gettime(CLOCK_REALTIME, &p->since);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->ends, NULL);
    snprintf(p->verb, sizeof p->verb, "%s", verb);
    text_safe(what, p->what, sizeof p->what);
    if (bytes)
        snprintf(p->size, sizeof p->size, " (%s)", bytes_text(bytes, size));
    if (pthread_create(&p->thread, NULL, watch, p) == 0)
        return p;
    free(p);
    return NULL;
}

void progress_say(struct progress *p, const char *what)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    text_safe(what, p->what, sizeof p->what);
    pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_signal(&p->ends);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    if (p->shown)
        fputs("\r\033[K", stderr);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->ends);
    free(p);
}
