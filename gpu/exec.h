/* The backends that can execute a program: "host" always, "cuda" where nvcc was found at build.
 * This is the only header of gpu/ that others include. */
#ifndef GPU_EXEC_H
#define GPU_EXEC_H

#include "core/base/diag.h"

struct backend {
    const char *name;
    /* Usable on this machine?  If so `device` says what it is ("NVIDIA H200, 139.81 GiB"); if not,
     * *d says why. */
    bool (*probe)(char *device, size_t size, struct diag *d);
};

/* Backend i, or NULL past the last. */
const struct backend *exec_backend(unsigned i);

#endif
