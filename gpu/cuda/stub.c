#include "built.h"
#include "gpu/engine/backends.h"

static bool probe(char *device, size_t size, struct diag *d)
{
    (void)device;
    (void)size;
    diag_file(d, NULL, "this tidemark was built without CUDA: %s", BUILT_WITHOUT_CUDA);
    return diag_hint(d, "build it where nvcc is found: make NVCC=/path/to/nvcc");
}

const struct backend exec_cuda = {"cuda", probe, NULL};
