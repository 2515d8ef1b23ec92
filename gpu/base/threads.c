#include "gpu/base/threads.h"
#include "core/base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct worker {
    struct threads *pool;
    unsigned number;
    pthread_t thread;
};

struct threads {
    unsigned n;
    struct worker *workers; /* [n - 1] */
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    uint64_t round, parts;
    atomic_uint_fast64_t next;
    unsigned busy;
    bool quit;
    void (*part)(void *ctx, uint64_t k, unsigned worker);
    void *ctx;
};

static void take_parts(struct threads *t, unsigned worker)
{
    for (uint64_t k; (k = atomic_fetch_add(&t->next, 1)) < t->parts;)
        t->part(t->ctx, k, worker);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct threads *t = w->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->round == seen && !t->quit)
            pthread_cond_wait(&t->begin, &t->lock);
        if (t->quit)
            break;
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        take_parts(t, w->number);
        pthread_mutex_lock(&t->lock);
        if (--t->busy == 0)
            pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

struct threads *threads_new(unsigned n)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct threads *t = memory_zeroed(1, sizeof *t);
    if (!n)
        n = cores < 1 ? 1 : cores > 64 ? 64 : (unsigned)cores;
    t->workers = memory_zeroed(n, sizeof *t->workers);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begin, NULL);
    pthread_cond_init(&t->done, NULL);
    for (t->n = 1; t->n < n; t->n++) {
        struct worker *w = &t->workers[t->n - 1];
        *w = (struct worker){.pool = t, .number = t->n};
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            break; /* fewer will do */
    }
    return t;
}

void threads_free(struct threads *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (unsigned k = 0; k + 1 < t->n; k++)
        pthread_join(t->workers[k].thread, NULL);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    free(t->workers);
    free(t);
}

unsigned threads_count(const struct threads *t)
{
    return t->n;
}

void threads_each(struct threads *t, uint64_t n, void (*part)(void *ctx, uint64_t k, unsigned worker),
                  void *ctx)
{
    if (n <= 1 || t->n == 1) {
        for (uint64_t k = 0; k < n; k++)
            part(ctx, k, 0);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->part = part;
    t->ctx = ctx;
    t->parts = n;
    atomic_store(&t->next, 0);
    t->busy = t->n - 1;
    t->round++;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    take_parts(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->busy)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
