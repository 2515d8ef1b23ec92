#include "cuda_runtime.h"

#include <malloc.h>
#include <stdio.h>

struct emulated_stream {
    int unused;
};
struct emulated_pool {
    uint64_t used, high;
    struct emulated_pool *next;
};
enum { RUNTIME = 12000 }; /* the oldest driver that will do */
static struct {
    int devices, driver;
    uint64_t memory, used, launches, fail_after;
    enum cudaError_t last;
    struct emulated_pool *pool; /* one at a time */
} device = {1, RUNTIME, UINT64_C(4) << 30, 0, 0, UINT64_MAX, cudaSuccess, NULL};

void emulated_devices(int n)
{
    device.devices = n;
}
void emulated_driver(int version)
{
    device.driver = version;
}
void emulated_memory(uint64_t bytes)
{
    device.memory = bytes;
}
void emulated_fail_launch(uint64_t after)
{
    device.fail_after = after == UINT64_MAX ? after : device.launches + after;
}
uint64_t emulated_used(void)
{
    return device.used;
}
uint64_t emulated_launches(void)
{
    return device.launches;
}
bool emulated_launch(bool *backward)
{
    *backward = device.launches % 2 == 1;
    if (device.launches++ >= device.fail_after)
        device.last = cudaErrorLaunchFailure;
    return device.last == cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t e)
{
    static const char *const text[] = {"no error", "out of memory", "no CUDA-capable device is detected",
                                       "unspecified launch failure", "the driver is too old for the runtime"};
    return text[e];
}
cudaError_t cudaGetLastError(void)
{
    enum cudaError_t e = device.last;
    device.last = cudaSuccess;
    return e;
}
cudaError_t cudaGetDeviceCount(int *n)
{
    *n = device.devices;
    if (device.driver < RUNTIME)
        return cudaErrorInsufficientDriver;
    return device.devices ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = device.driver;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "an emulated device");
    p->totalGlobalMem = device.memory;
    p->major = 8;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int)
{
    return device.devices ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaStreamCreate(cudaStream_t *s)
{
    *s = (cudaStream_t)malloc(sizeof **s);
    return *s ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    free(s);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    *left = device.memory > device.used ? device.memory - device.used : 0;
    *all = device.memory;
    return cudaSuccess;
}

/* New memory is garbage, aligned as a device's, and ends where it was asked to end. */
static cudaError_t get(void **at, size_t n)
{
    if (n > device.memory || device.used + n > device.memory || posix_memalign(at, 256, n))
        return device.last = cudaErrorMemoryAllocation;
    memset(*at, 0x5B, n);
    device.used += malloc_usable_size(*at);
    return cudaSuccess;
}
cudaError_t cudaMalloc(void **at, size_t n)
{
    return get(at, n);
}
cudaError_t cudaFree(void *at)
{
    device.used -= at ? malloc_usable_size(at) : 0;
    free(at);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *to, int byte, size_t n, cudaStream_t)
{
    memset(to, byte, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t)
{
    memcpy(to, from, n); /* ranges that overlap are an error, found by the sanitizer */
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const struct cudaMemPoolProps *)
{
    *p = device.pool = (cudaMemPool_t)calloc(1, sizeof **p);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t p)
{
    device.pool = NULL;
    free(p);
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, cudaMemPoolAttr what, void *value)
{
    uint64_t chunk = UINT64_C(32) << 20; /* a driver reserves in large pieces */
    *(uint64_t *)value = what == cudaMemPoolAttrUsedMemHigh ? p->high : (p->high + chunk - 1) / chunk * chunk;
    return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void **at, size_t n, cudaMemPool_t p, cudaStream_t)
{
    cudaError_t e = get(at, n);
    if (e == cudaSuccess)
        p->used += malloc_usable_size(*at);
    p->high = p->used > p->high ? p->used : p->high;
    return e;
}
cudaError_t cudaFreeAsync(void *at, cudaStream_t)
{
    if (device.pool)
        device.pool->used -= malloc_usable_size(at);
    return cudaFree(at);
}
