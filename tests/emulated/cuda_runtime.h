/* A CUDA runtime on the host's memory, so that the kernels of gpu/cuda, compiled as they are by a C++ compiler,
 * run where there is no GPU: under sanitizers, which then know the bounds of device memory.
 *
 * Threads of a launch run one after the other; every second launch runs them, and blocks, backwards,
 * so that results which depend on an order differ from launch to launch.  Only what gpu/ calls. */
#ifndef TESTS_EMULATED_CUDA_RUNTIME_H
#define TESTS_EMULATED_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __device__
#define __global__
#define __noinline__ __attribute__((noinline, unused))
#define __align__(n) __attribute__((aligned(n)))

enum cudaError_t {
    cudaSuccess,
    cudaErrorMemoryAllocation,
    cudaErrorNoDevice,
    cudaErrorLaunchFailure,
    cudaErrorInsufficientDriver
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaMemAllocationType { cudaMemAllocationTypePinned };
enum cudaMemLocationType { cudaMemLocationTypeDevice };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemHigh };
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int major, minor;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    struct { enum cudaMemLocationType type; int id; } location;
};
typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_pool *cudaMemPool_t;

extern "C" {
#include "tests/emulated/emulated.h"
const char *cudaGetErrorString(cudaError_t e);
cudaError_t cudaGetLastError(void);
cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaMalloc(void **at, size_t n);
cudaError_t cudaFree(void *at);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t n, cudaStream_t s);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const struct cudaMemPoolProps *props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t p);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, cudaMemPoolAttr what, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, cudaMemPoolAttr what, void *value);
cudaError_t cudaMallocFromPoolAsync(void **at, size_t n, cudaMemPool_t p, cudaStream_t s);
cudaError_t cudaFreeAsync(void *at, cudaStream_t s);
/* Begins a launch; false: it fails, as was asked for.  *backward: this one's order. */
bool emulated_launch(bool *backward);
}

#define LAUNCH(kernel, blocks, threads, stream, argument) emulated_##kernel(argument, (int64_t)(blocks), (int64_t)(threads))

template <class K> void emulated_kernel_each(const K &kernel, int64_t blocks, int64_t width)
{
    int64_t threads = blocks * width;
    bool backward;
    if (!emulated_launch(&backward))
        return;
    for (int64_t t = 0; t < threads; t++)
        kernel.run(backward ? threads - 1 - t : t, threads);
}

/* What is not written is garbage, other garbage in each block. */
static inline void *emulated_garbage(size_t n, int64_t block)
{
    void *at = malloc(n);
    if (!at)
        abort();
    return memset(at, block & 1 ? 0xA5 : 0xFE, n);
}

template <class K> void emulated_kernel_phases(const K &kernel, int64_t blocks, int64_t width)
{
    bool backward;
    if (!emulated_launch(&backward))
        return;
    for (int64_t n = 0; n < blocks; n++) {
        int64_t b = backward ? blocks - 1 - n : n, rounds = kernel.rounds(b);
        typename K::Shared *shared = (typename K::Shared *)emulated_garbage(sizeof *shared, b);
        typename K::Mine *mine = (typename K::Mine *)emulated_garbage((size_t)width * sizeof *mine, b);
#define EMULATED_THREADS(call)                                                                     \
    for (int k = 0; k < (int)width; k++) {                                                              \
        int t = backward ? (int)width - 1 - k : k;                                                      \
        kernel.call;                                                                               \
    }
        EMULATED_THREADS(begin(b, t, mine[t], *shared))
        for (int64_t r = 0; r < rounds; r++) {
            EMULATED_THREADS(fill(b, t, r, mine[t], *shared))
            EMULATED_THREADS(use(b, t, r, mine[t], *shared))
        }
        EMULATED_THREADS(end(b, t, mine[t], *shared))
#undef EMULATED_THREADS
        free(shared);
        free(mine);
    }
}

#endif
