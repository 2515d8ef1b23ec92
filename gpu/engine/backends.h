/* The backends' own tables; private to gpu/.  exec_backend() lists them; only that list and the folder of
 * each names it, all else goes through the engine that the run was given.  Copies for the CPU are in
 * memory of the host's engine, whichever that is. */
#ifndef GPU_ENGINE_BACKENDS_H
#define GPU_ENGINE_BACKENDS_H

#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/exec.h"

extern const struct backend exec_host; /* gpu/host */
extern const struct backend exec_cuda; /* gpu/cuda: the device's, or its stub's, whose engine is NULL */
extern const struct engine_api engine_host, engine_cuda;
#ifdef __cplusplus
}
#endif

#endif
