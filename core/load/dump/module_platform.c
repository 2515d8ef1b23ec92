/* The platform by what only one backend writes. */
#include "core/load/dump/module_build.h"

#include <string.h>

struct sign {
    const char *word;
    enum platform platform;
};

/* Only one backend writes these words into backend_config; a CPU has none in a small program. */
static const struct sign config_signs[] = {
    {"\"operation_queue_id\"", PLATFORM_GPU},
    {"\"fusion_backend_config\"", PLATFORM_GPU},
    {"\"outer_dimension_partitions\"", PLATFORM_CPU},
};

/* How the targets of one backend's custom calls start. */
static const struct sign target_signs[] = {
    {"__cublas", PLATFORM_GPU}, {"__cudnn", PLATFORM_GPU},   {"__triton", PLATFORM_GPU},
    {"__gpu$", PLATFORM_GPU},   {"cusolver_", PLATFORM_GPU}, {"triton_kernel_call", PLATFORM_GPU},
    {"lapack_", PLATFORM_CPU},  {"__onednn", PLATFORM_CPU},  {"tpu_custom_call", PLATFORM_TPU},
};

static enum platform platform_of_inst(const struct hlo_inst *x)
{
    const char *config = x->backend_config, *target = x->op == OP_CUSTOM_CALL ? x->kind : NULL;
    for (size_t i = 0; config && i < sizeof config_signs / sizeof *config_signs; i++)
        if (strstr(config, config_signs[i].word))
            return config_signs[i].platform;
    for (size_t i = 0; target && i < sizeof target_signs / sizeof *target_signs; i++)
        if (strncmp(target, target_signs[i].word, strlen(target_signs[i].word)) == 0)
            return target_signs[i].platform;
    return PLATFORM_UNKNOWN;
}

enum platform module_platform(const struct module *m)
{
    const struct hlo *h = &m->hlo;
    const struct assignment *a = &m->assignment;
    enum platform p = PLATFORM_UNKNOWN;
    for (uint32_t i = 0; m->has_hlo && i < h->shapes.nodes.n; i++) /* only TPU layouts have tiles */
        if (shape_node(&h->shapes, i)->tiles.n)
            return PLATFORM_TPU;
    for (inst_id i = 0; m->has_hlo && !p && i < h->insts.n; i++)
        p = platform_of_inst(hlo_inst(h, i));
    for (uint32_t i = 0; !m->has_hlo && !p && i < a->values.n; i++) {
        const char *shape = assignment_value(a, i)->shape;
        p = shape && strstr(shape, ":T(") ? PLATFORM_TPU : PLATFORM_UNKNOWN;
    }
    return p;
}
