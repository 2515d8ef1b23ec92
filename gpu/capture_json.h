/* A capture as JSON: what `run --json` prints of a module and what --trace saves. */
#ifndef GPU_CAPTURE_JSON_H
#define GPU_CAPTURE_JSON_H

#include "core/base/json.h"
#include "gpu/exec.h"

/* Figures that were not measured are null.  `device` is what the backend's probe said.  The caller
 * deletes it. */
cJSON *capture_json(const struct program *p, const struct exec_result *x, const char *backend,
                    const char *device);

#endif
