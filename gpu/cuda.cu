#include "gpu/backends.h"

#include <cstdio>
#include <cuda_runtime.h>

static bool probe(char *device, size_t size, struct diag *d)
{
    int n = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e != cudaSuccess || n == 0) {
        diag_file(d, NULL, "no usable CUDA device: %s",
                  e == cudaSuccess ? "none is installed" : cudaGetErrorString(e));
        return diag_hint(d, "nvidia-smi shows what the driver sees");
    }
    cudaDeviceProp properties;
    e = cudaGetDeviceProperties(&properties, 0);
    if (e != cudaSuccess)
        return diag_file(d, NULL, "cudaGetDeviceProperties: %s", cudaGetErrorString(e));
    snprintf(device, size, "%s, %.2f GiB", properties.name,
             (double)properties.totalGlobalMem / (1024.0 * 1024.0 * 1024.0));
    return true;
}

extern "C" const struct backend exec_cuda = {"cuda", probe};
