/* Reads the device of a GPU target config ("*gpu_target_config.pbtxt", a GpuTargetConfigProto in
 * protobuf's text form), which XLA writes beside a GPU dump.  Only two fields of it:
 *   gpu_device_info { device_memory_size: 85100068864 name: "NVIDIA A100-SXM4-80GB" }
 * and device_description_str, which stands in for a missing name.  O(size). */
#ifndef CORE_LOAD_TEXT_TARGET_CONFIG_H
#define CORE_LOAD_TEXT_TARGET_CONFIG_H

#include "core/base/file.h"

struct target_config {
    const char *device;     /* in the arena; NULL: not said */
    uint64_t device_memory; /* bytes, 0: not said */
};

bool target_config_read(struct arena *a, struct target_config *t, const struct file *f,
                        struct diag *d);

#endif
