/* Lists of modules made by hand for tests of the picker. */
#ifndef TESTS_PICK_SAMPLE_H
#define TESTS_PICK_SAMPLE_H

#include "tui/lists/picker.h"
#include <stdio.h>

#define PICK_GIB (1ull << 30)

static const struct pick pick_few[] = {
    {.label = "run-1/module_0104.jit_train_step", .platform = PLATFORM_GPU, .state = PICK_LOADED,
     .has_reserved = true, .reserved = 24 * PICK_GIB, .peak = 23 * PICK_GIB,
     .has_instructions = true, .instructions = 1210, .limit = 80 * PICK_GIB},
    {.label = "run-2/module_0104.jit_train_step", .platform = PLATFORM_TPU, .has_reserved = true,
     .reserved = 28 * PICK_GIB, .limit = 16 * PICK_GIB},
    {.label = "run-1/module_0007.jit_evaluate", .platform = PLATFORM_GPU, .state = PICK_LOADED,
     .has_reserved = true, .reserved = 3 << 20, .peak = 2 << 20, .has_instructions = true,
     .instructions = 77, .limit = 80 * PICK_GIB},
    {.label = "run-1/module_0008.jit_cut", .platform = PLATFORM_GPU, .state = PICK_BROKEN,
     .why = "/tmp/dumps/run-1/module_0008.jit_cut.sm_8.0_gpu_after_optimizations.hlo.pb:@12: field 1 "
            "wants 70123 bytes, but only 88 are left (the file is cut short or is no HloProto: dump "
            "it again)"},
    {.label = "run-2/text_only", .platform = PLATFORM_UNKNOWN},
    {.label = "run-2/module_0001.jit__\x1b[31mred", .platform = PLATFORM_CPU, .state = PICK_LOADED,
     .peak = 512, .has_instructions = true, .instructions = 3},
};

/* n 0: the few of above; else so many, of which every tenth is loaded and every hundredth broken. */
static inline void picks_make(struct picks *p, struct arena *a, uint32_t n)
{
    uint32_t few = sizeof pick_few / sizeof *pick_few;
    *p = (struct picks){.n = n ? n : few, .where = "/tmp/dumps"};
    p->items = arena_array(a, p->n, sizeof *p->items);
    for (uint32_t i = 0; i < p->n; i++) {
        struct pick *one = &p->items[i];
        *one = pick_few[i % few];
        if (n) {
            bool broken = i % 100 == 99, loaded = i % 10 == 0;
            uint64_t bytes = (uint64_t)(i * 7919u % n) << 20;
            *one = (struct pick){.platform = PLATFORM_GPU, .has_reserved = !broken, .reserved = bytes,
                                 .state = broken ? PICK_BROKEN : loaded ? PICK_LOADED : PICK_SIZED,
                                 .peak = bytes, .why = broken ? "it is broken" : NULL};
            one->label = arena_printf(a, "module_%05u.jit_step_%u", (unsigned)i, (unsigned)(i % 7));
        }
        one->path = arena_printf(a, "%s/%s", p->where, one->label);
        one->entry = i;
    }
    picks_sort(p);
}

#endif
