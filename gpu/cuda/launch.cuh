/* How kernels are launched: functors over threads, or over blocks whose threads work in phases.
 *
 * A kernel with phases keeps what is a thread's own in K::Mine and what its block shares in
 * K::Shared; between two phases all threads of the block wait for each other.  It has no other way to
 * wait, so that where there is no GPU the same code can be run by loops (tests/emulated). */
#ifndef GPU_CUDA_LAUNCH_CUH
#define GPU_CUDA_LAUNCH_CUH

#include "gpu/cuda/device.h"

#include <cuda_runtime.h>

enum { BLOCK = 256 }; /* threads */

cudaStream_t device_stream(struct device *v);
/* Notes an error of the runtime, or of the launch just made: "doing: what it says". */
bool device_note(struct device *v, cudaError_t e, const char *doing);
void device_launched(struct device *v);
bool device_works(struct device *v); /* nothing has failed yet */

#ifdef __CUDACC__
template <class K> __global__ __launch_bounds__(BLOCK) void kernel_each(const K kernel)
{
    kernel.run((int64_t)blockIdx.x * blockDim.x + threadIdx.x, (int64_t)gridDim.x * blockDim.x);
}

template <class K> __global__ __launch_bounds__(BLOCK) void kernel_phases(const K kernel)
{
    __shared__ typename K::Shared shared;
    typename K::Mine mine;
    int64_t rounds = kernel.rounds(blockIdx.x);
    kernel.begin(blockIdx.x, threadIdx.x, mine, shared);
    __syncthreads();
    for (int64_t k = 0; k < rounds; k++) {
        kernel.fill(blockIdx.x, threadIdx.x, k, mine, shared);
        __syncthreads();
        kernel.use(blockIdx.x, threadIdx.x, k, mine, shared);
        __syncthreads();
    }
    kernel.end(blockIdx.x, threadIdx.x, mine, shared);
}
#define LAUNCH(kernel, blocks, threads, stream, argument) kernel<<<(unsigned)(blocks), threads, 0, stream>>>(argument)
#endif

/* run(first, step): this thread's elements are first, first + step, … */
template <class K> void launch_each(struct device *v, const K &kernel, int64_t threads)
{
    int64_t blocks = (threads + BLOCK - 1) / BLOCK, most = 132 * 16;
    if (!device_works(v) || blocks == 0)
        return;
    LAUNCH(kernel_each, blocks < most ? blocks : most, BLOCK, device_stream(v), kernel);
    device_launched(v);
}

/* One block for each k < blocks, which is the kernel's number of it. */
template <class K> void launch_phases(struct device *v, const K &kernel, int64_t blocks)
{
    if (!device_works(v) || blocks == 0)
        return;
    if (blocks > INT32_MAX)
        device_fail(v, "a kernel needs more blocks than there can be");
    else {
        LAUNCH(kernel_phases, blocks, BLOCK, device_stream(v), kernel);
        device_launched(v);
    }
}

#endif
