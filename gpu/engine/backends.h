/* The backends' own tables, one in each file.  Private to gpu/. */
#ifndef GPU_ENGINE_BACKENDS_H
#define GPU_ENGINE_BACKENDS_H

#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/exec.h"

extern const struct backend exec_host;
extern const struct backend exec_cuda;
#ifdef __cplusplus
}
#endif

#endif
