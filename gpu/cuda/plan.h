/* Which kernels run a stage, and how widely. */
#ifndef GPU_CUDA_PLAN_H
#define GPU_CUDA_PLAN_H

#include "gpu/cuda/device.h"
#include "gpu/host/host.h"

/* A unit whose stages are on the device. */
struct cuda_unit {
    struct device *device;
    const struct unit_call *call;
    const struct stage *stages; /* on the device */
    const struct stage *copies; /* the same bytes here: their pointers are the device's */
    char *const *places;        /* the same as at[], on the device */
    char **at;                  /* [n_bufs] here: where buffers are on the device */
};

/* Launches stage k; false: no kernel does it, and nothing was launched. */
bool cuda_stage(const struct cuda_unit *u, uint32_t k);

/* Which accesses of a tape a plain f32 form reads: its number of loads (1: a, 2: a * b, 3: a + b * c),
 * or 0: it is something else. */
uint32_t cuda_f32_form(const struct tape *t, uint32_t load[3]);

#endif
