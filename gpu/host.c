#include "core/base/file.h"
#include "gpu/backends.h"

#include <stdio.h>
#include <unistd.h>

static bool probe(char *device, size_t size, struct diag *d)
{
    (void)d;
    char memory[24];
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    uint64_t bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    snprintf(device, size, "%ld cores, %s", cores, bytes_text(bytes, memory));
    return true;
}

const struct backend exec_host = {"host", probe};
