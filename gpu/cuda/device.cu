/* The device: probe, memory, one stream, the allocator of the dynamic run. */
#include "core/base/memory.h"
#include "gpu/engine/backends.h"
#include "gpu/cuda/launch.cuh"

#include <cstdio>
#include <cstring>

struct device {
    cudaStream_t stream;
    cudaMemPool_t pool;
    bool has_pool, has_failed;
    char *work;
    uint64_t work_size;
    char why[300];
};

/* ---- Is there one? ---- */

/* Without a driver the runtime says that it is too old. */
static const char *none_because(cudaError_t e)
{
    int driver = 0;
    if (e == cudaSuccess)
        return "none is installed";
    if (e == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
        return "no driver is installed";
    return cudaGetErrorString(e);
}

static bool find_device(cudaDeviceProp *properties, struct diag *d)
{
    int n = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e != cudaSuccess || n == 0) {
        diag_file(d, NULL, "no usable CUDA device: %s", none_because(e));
        return diag_hint(d, "nvidia-smi shows what the driver sees; --backend host needs none");
    }
    e = cudaGetDeviceProperties(properties, 0);
    if (e != cudaSuccess)
        return diag_file(d, NULL, "no usable CUDA device: %s", cudaGetErrorString(e));
    if (properties->major < 8) {
        diag_file(d, NULL, "no usable CUDA device: %s has compute capability %d.%d", properties->name, properties->major,
                  properties->minor);
        return diag_hint(d, "8.0 at least is needed (A100)");
    }
    return true;
}

static bool probe(char *device, size_t size, struct diag *d)
{
    cudaDeviceProp properties;
    if (!find_device(&properties, d))
        return false;
    snprintf(device, size, "%s, %.2f GiB", properties.name,
             (double)properties.totalGlobalMem / (1024.0 * 1024.0 * 1024.0));
    return true;
}

extern "C" const struct backend exec_cuda = {"cuda", probe, &engine_cuda};

/* ---- Errors ---- */

void device_fail(struct device *v, const char *what)
{
    if (!v->has_failed)
        snprintf(v->why, sizeof v->why, "%s", what);
    v->has_failed = true;
}

bool device_note(struct device *v, cudaError_t e, const char *doing)
{
    char text[300];
    if (e == cudaSuccess)
        return true;
    snprintf(text, sizeof text, "%s: %s", doing, cudaGetErrorString(e));
    device_fail(v, text);
    return false;
}

const char *device_failed(const struct device *v)
{
    return v->has_failed ? v->why : NULL;
}
bool device_works(struct device *v)
{
    return !v->has_failed;
}
cudaStream_t device_stream(struct device *v)
{
    return v->stream;
}
void device_launched(struct device *v)
{
    device_note(v, cudaGetLastError(), "launching a kernel");
}

/* ---- Opening ---- */

struct device *device_open(struct diag *d)
{
    cudaDeviceProp properties;
    if (!find_device(&properties, d))
        return NULL;
    struct device *v = (struct device *)memory_zeroed(1, sizeof *v);
    if (device_note(v, cudaSetDevice(0), "opening the device") &&
        device_note(v, cudaStreamCreate(&v->stream), "opening the device"))
        return v;
    diag_file(d, NULL, "no usable CUDA device: %s", v->why);
    free(v);
    return NULL;
}

void device_close(struct device *v)
{
    cudaFree(v->work);
    cudaStreamDestroy(v->stream);
    free(v);
}

void device_wait(struct device *v)
{
    device_note(v, cudaStreamSynchronize(v->stream), "running it");
}

/* ---- Memory ---- */

uint64_t device_memory_free(struct device *v)
{
    size_t left = 0, all = 0;
    device_note(v, cudaMemGetInfo(&left, &all), "asking for free memory");
    return left;
}

char *device_get(struct device *v, uint64_t bytes)
{
    void *at = NULL;
    if (!device_works(v) || cudaMalloc(&at, bytes ? bytes : 1) != cudaSuccess) {
        cudaGetLastError(); /* it is not an error of what follows */
        return NULL;
    }
    return (char *)at;
}

void device_drop(struct device *v, char *at)
{
    (void)v;
    cudaFree(at);
}

char *device_work(struct device *v, uint64_t bytes)
{
    if (bytes > v->work_size) {
        device_wait(v); /* what uses the old block must be done */
        cudaFree(v->work);
        v->work_size = bytes + bytes / 4 + (1 << 20);
        v->work = device_get(v, v->work_size);
        if (!v->work) {
            v->work_size = 0;
            device_fail(v, "the device has no memory left to work in");
            return NULL;
        }
    }
    return v->work;
}

void device_fill(struct device *v, char *to, int byte, uint64_t n)
{
    if (device_works(v) && n)
        device_note(v, cudaMemsetAsync(to, byte, n, v->stream), "filling memory");
}
void device_move(struct device *v, char *to, const char *from, uint64_t n)
{
    const char *by = from;
    if (!device_works(v) || n == 0 || to == from)
        return;
    if (to < from + n && from < to + n) { /* they overlap: by way of other memory */
        by = device_work(v, n);
        if (!by || !device_note(v, cudaMemcpyAsync((char *)by, from, n, cudaMemcpyDeviceToDevice, v->stream), "copying memory"))
            return;
    }
    device_note(v, cudaMemcpyAsync(to, by, n, cudaMemcpyDeviceToDevice, v->stream), "copying memory");
}
void device_put(struct device *v, char *to, const void *from, uint64_t n)
{
    if (device_works(v) && n)
        device_note(v, cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, v->stream), "copying to the device");
}
void device_take(struct device *v, void *to, const char *from, uint64_t n)
{
    if (device_works(v) && n && device_note(v, cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToHost, v->stream),
                                            "copying from the device"))
        device_note(v, cudaStreamSynchronize(v->stream), "running it");
}

/* ---- The device's own allocator: a pool for one run, so that its figures are that run's ---- */

bool device_pool_open(struct device *v)
{
    cudaMemPoolProps p;
    uint64_t keep = UINT64_MAX; /* nothing goes back to the system while it runs */
    memset(&p, 0, sizeof p);
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    v->has_pool = device_note(v, cudaMemPoolCreate(&v->pool, &p), "opening a memory pool") &&
                  device_note(v, cudaMemPoolSetAttribute(v->pool, cudaMemPoolAttrReleaseThreshold, &keep),
                              "opening a memory pool");
    return v->has_pool;
}

char *device_pool_get(struct device *v, uint64_t bytes)
{
    void *at = NULL;
    if (!device_works(v) || cudaMallocFromPoolAsync(&at, bytes, v->pool, v->stream) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    return (char *)at;
}

void device_pool_drop(struct device *v, char *at)
{
    device_note(v, cudaFreeAsync(at, v->stream), "freeing to the memory pool");
}

void device_pool_close(struct device *v, uint64_t *high, uint64_t *reserved)
{
    uint64_t used = 0, held = 0;
    *high = *reserved = UINT64_MAX;
    if (!v->has_pool)
        return;
    device_wait(v);
    if (cudaMemPoolGetAttribute(v->pool, cudaMemPoolAttrUsedMemHigh, &used) == cudaSuccess)
        *high = used;
    if (cudaMemPoolGetAttribute(v->pool, cudaMemPoolAttrReservedMemHigh, &held) == cudaSuccess)
        *reserved = held;
    cudaMemPoolDestroy(v->pool);
    v->has_pool = false;
}
