/* The host as an engine: memory is pages that nobody has touched, units run on the threads. */
#include "gpu/engine/engine.h"
#include "gpu/exec.h"
#include "gpu/host/host.h"

#include <string.h>
#include <sys/mman.h>

enum { SLACK = 64 }; /* bytes behind a block that wide loads may read */

static void *open_host(struct threads *t, struct diag *d)
{
    (void)d;
    return t;
}
static void close_host(void *self)
{
    (void)self;
}
static const char *failed(void *self)
{
    (void)self;
    return NULL;
}
static uint64_t memory_free(void *self)
{
    (void)self;
    return exec_memory_free();
}
static char *get(void *self, uint64_t bytes)
{
    (void)self;
    void *at = bytes > UINT64_MAX - SLACK ? MAP_FAILED
               : mmap(NULL, bytes + SLACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}
static void drop(void *self, char *at, uint64_t bytes)
{
    (void)self;
    munmap(at, bytes + SLACK);
}
static void fill(void *self, char *to, int byte, uint64_t n)
{
    (void)self;
    memset(to, byte, n);
}
static void move(void *self, char *to, const char *from, uint64_t n)
{
    (void)self;
    memmove(to, from, n);
}
static void put(void *self, char *to, const void *from, uint64_t n)
{
    (void)self;
    memcpy(to, from, n);
}
static void take(void *self, void *to, const char *from, uint64_t n)
{
    (void)self;
    memcpy(to, from, n);
}
static void unit(void *self, const struct unit_call *u)
{
    struct host_env e = {u->unit, u->shapes, self, u->at};
    host_unit(&e);
}
static uint64_t host_stages(void *self)
{
    (void)self;
    return 0;
}

const struct engine_api engine_host = {
    .host = true, .open = open_host, .close = close_host, .failed = failed, .memory_free = memory_free,
    .get = get, .drop = drop, .fill = fill, .move = move, .put = put, .take = take, .unit = unit,
    .host_stages = host_stages,
};
