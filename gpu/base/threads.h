/* A pool of threads for loops whose parts are independent.  Of one caller at a time; parts must not call
 * threads_each() themselves.
 *
 * What the parts are never depends on how many threads there are, so results do not either. */
#ifndef GPU_BASE_THREADS_H
#define GPU_BASE_THREADS_H

#include <stddef.h>
#include <stdint.h>

struct threads;
struct threads *threads_new(unsigned n); /* n workers, the caller included; 0: one for each core */
void threads_free(struct threads *t);
unsigned threads_count(const struct threads *t);

/* part(ctx, k, worker) for each k < n, in any order, on all workers; returns when all are done. */
void threads_each(struct threads *t, uint64_t n, void (*part)(void *ctx, uint64_t k, unsigned worker),
                  void *ctx);

#endif
