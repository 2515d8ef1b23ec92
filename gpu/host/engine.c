/* The host as an engine: memory is pages that nobody has touched, units run on the threads. */
#include "core/base/file.h"
#include "gpu/engine/backends.h"
#include "gpu/host/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLACK = 64 }; /* bytes behind a block that wide loads may read */

static void *open_host(struct diag *d)
{
    (void)d;
    return (void *)(uintptr_t)&engine_host; /* it has no state of its own */
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
    FILE *f = fopen("/proc/meminfo", "r");
    char line[256];
    unsigned long long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    long pages = kib ? 0 : sysconf(_SC_AVPHYS_PAGES); /* where there is no /proc: less, caches counted as used */
    return kib || pages <= 0 ? (uint64_t)kib * 1024 : (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
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
    (void)self;
    host_unit(u);
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

/* ---- The backend ---- */

static bool probe(char *device, size_t size, struct diag *d)
{
    (void)d;
    char memory[24];
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    uint64_t bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    snprintf(device, size, "%ld cores, %s", cores, bytes_text(bytes, memory));
    return true;
}

const struct backend exec_host = {"host", probe, &engine_host};
