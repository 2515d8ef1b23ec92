/* What differs between backends: memory, and the execution of one unit.  The run, its guards and what
 * it captures are the same for all.  Private to gpu/; implemented by engine.c of gpu/host and gpu/cuda.
 *
 * open() first, close() last, and what get() and pool_get() gave is dropped before that; unit() runs all
 * stages in order and is done when take() or failed() says so.  `self` is what open() gave.
 *
 * Addresses of an engine's memory may be computed with, but read and written only through it, unless
 * `host` says that the CPU may.  A device can fail long after it was asked: failed() says so from
 * then on, and nothing more is done. */
#ifndef GPU_ENGINE_ENGINE_H
#define GPU_ENGINE_ENGINE_H

#include "core/base/diag.h"
#include "gpu/base/threads.h"
#include "gpu/tape/tape.h"

/* One unit to run: addresses of its buffers, in the engine's memory; constants' in the host's. */
struct unit_call {
    const struct unit *unit;
    const struct shapes *shapes;
    char **at;               /* [unit.n_bufs] */
    struct threads *threads; /* for what the host does of it */
};

struct engine_api {
    bool host;
    void *(*open)(struct diag *d);             /* NULL: *d says why */
    void (*close)(void *self);
    const char *(*failed)(void *self);         /* NULL, or what went wrong first */
    uint64_t (*memory_free)(void *self);       /* bytes that can be had */
    char *(*get)(void *self, uint64_t bytes);  /* NULL: there are none */
    void (*drop)(void *self, char *at, uint64_t bytes);
    void (*fill)(void *self, char *to, int byte, uint64_t n);
    void (*move)(void *self, char *to, const char *from, uint64_t n); /* as memmove */
    void (*put)(void *self, char *to, const void *from, uint64_t n);  /* from the host */
    void (*take)(void *self, void *to, const char *from, uint64_t n); /* to the host */
    void (*unit)(void *self, const struct unit_call *u);
    uint64_t (*host_stages)(void *self);       /* that ran on the host although this is a device */
    /* An allocator of the device's own, for the dynamic run; NULL: gpu/run/pool.c models one. */
    bool (*pool_open)(void *self);
    char *(*pool_get)(void *self, uint64_t bytes);
    void (*pool_drop)(void *self, char *at);
    void (*pool_close)(void *self, uint64_t *high, uint64_t *reserved); /* UINT64_MAX: not known */
};

#endif
