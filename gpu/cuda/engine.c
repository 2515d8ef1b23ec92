/* CUDA as an engine: each unit's stages are copied to the device with what they point to, and launched
 * in order.  What no kernel does (sorts, TopK, tapes of many registers in reductions) is copied to the
 * host, done there, and counted. */
#include "gpu/cuda/plan.h"
#include "core/base/memory.h"
#include "gpu/engine/backends.h"

#include <stdlib.h>
#include <string.h>

struct cuda {
    struct device *device;
    char *image;           /* on the device: stages of the unit at hand */
    uint64_t image_size;
    uint64_t host_stages;
};

/* ---- The unit's image ---- */

struct image {
    char *host, *device;   /* the same bytes, here and there */
    uint64_t n, room;      /* host NULL: only counting */
};

static uint64_t image_add(struct image *m, const void *data, uint64_t bytes)
{
    uint64_t at = m->n;
    m->n += (bytes + 15) / 16 * 16;
    if (m->host && bytes)
        memcpy(m->host + at, data, bytes);
    return at;
}

static void *there(const struct image *m, uint64_t at)
{
    return m->host ? m->device + at : NULL;
}

static struct tape image_tape(struct image *m, struct tape t)
{
    t.steps = there(m, image_add(m, t.steps, t.n * sizeof *t.steps));
    t.access = there(m, image_add(m, t.access, t.n_access * sizeof *t.access));
    return t;
}

static void image_stage(struct image *m, const struct stage *s, uint64_t at)
{
    struct stage copy = *s;
    copy.tape = image_tape(m, s->tape);
    copy.init = image_tape(m, s->init);
    if (s->region) {
        struct tape region = image_tape(m, *s->region);
        copy.region = there(m, image_add(m, &region, sizeof region));
    }
    if (s->dot)
        copy.dot = there(m, image_add(m, s->dot, sizeof *s->dot));
    if (s->conv)
        copy.conv = there(m, image_add(m, s->conv, sizeof *s->conv));
    if (m->host)
        memcpy(m->host + at, &copy, sizeof copy);
}

/* Stages first, then the addresses of the buffers, then the rest. */
static uint64_t image_fill(struct image *m, const struct unit_call *u, char **at)
{
    const struct unit *unit = u->unit;
    uint64_t stages = image_add(m, unit->stages, unit->n_stages * sizeof *unit->stages);
    uint64_t places = image_add(m, at, unit->n_bufs * sizeof *at);
    for (uint32_t k = 0; k < unit->n_bufs; k++)
        if (unit->bufs[k].kind == BUF_CONST)
            at[k] = there(m, image_add(m, unit->bufs[k].data, unit->bufs[k].bytes));
    if (m->host)
        memcpy(m->host + places, at, unit->n_bufs * sizeof *at);
    for (uint32_t k = 0; k < unit->n_stages; k++)
        image_stage(m, &unit->stages[k], stages + k * sizeof *unit->stages);
    return places;
}

/* Builds it, and sends it; `at` is where the buffers are on the device, constants included. */
static bool image_send(struct cuda *c, const struct unit_call *u, char **at, struct cuda_unit *to)
{
    struct image m = {0};
    image_fill(&m, u, at);
    if (m.n > c->image_size) {
        if (c->image)
            device_drop(c->device, c->image);
        c->image_size = m.n + m.n / 2 + 4096;
        c->image = device_get(c->device, c->image_size);
        if (!c->image) {
            c->image_size = 0;
            device_fail(c->device, "the device has no memory left to work in");
            return false;
        }
    }
    m = (struct image){.host = memory_zeroed(1, m.n + 1), .device = c->image};
    uint64_t places = image_fill(&m, u, at);
    device_put(c->device, c->image, m.host, m.n);
    *to = (struct cuda_unit){c->device, u, (const struct stage *)(const void *)c->image,
                             (const struct stage *)(const void *)m.host,
                             (char *const *)(const void *)(c->image + places), at};
    return true;
}

/* ---- What is left to the host ---- */

static bool is_used(const struct stage *s, uint32_t buf, bool out)
{
    bool used = false;
    for (uint32_t k = 0; k < s->n_out; k++)
        used = used || s->out[k] == buf;
    for (uint32_t k = 0; !out && k < s->n_in; k++)
        used = used || s->in[k] == buf;
    if (s->kind == STAGE_REDUCE)
        for (uint32_t v = 0; v < s->n_values; v++)
            used = used || s->stores[v].buf == buf;
    if (s->kind != STAGE_REDUCE || out)
        return used;
    for (uint32_t k = 0; k < s->tape.n_access; k++) {
        used = used || s->tape.access[k].buf == buf;
        for (uint32_t d = 0; d < s->tape.access[k].n_dyns; d++)
            used = used || s->tape.access[k].dyn[d].buf == buf;
    }
    for (uint32_t k = 0; k < s->init.n_access; k++)
        used = used || s->init.access[k].buf == buf;
    return used;
}

static void on_host(struct cuda *c, const struct unit_call *u, const struct stage *s, char **at)
{
    uint32_t n = u->unit->n_bufs;
    char **copy = memory_zeroed(1, (n + 1) * sizeof *copy);
    struct unit_call e = {u->unit, u->shapes, copy, u->threads};
    for (uint32_t k = 0; k < n; k++)
        if (is_used(s, k, false)) {
            copy[k] = memory_zeroed(1, u->unit->bufs[k].bytes + 64);
            device_take(c->device, copy[k], at[k], u->unit->bufs[k].bytes);
        }
    if (!device_failed(c->device))
        host_stage(&e, s);
    for (uint32_t k = 0; k < n; k++) {
        if (is_used(s, k, true))
            device_put(c->device, at[k], copy[k], u->unit->bufs[k].bytes);
        free(copy[k]);
    }
    device_wait(c->device);
    free(copy);
    c->host_stages++;
}

/* ---- A unit ---- */

static void unit(void *self, const struct unit_call *u)
{
    struct cuda *c = self;
    struct cuda_unit sent = {0};
    if (device_failed(c->device) || !u->unit->n_stages)
        return;
    char **at = memory_zeroed(1, (u->unit->n_bufs + 1) * sizeof *at);
    memcpy(at, u->at, u->unit->n_bufs * sizeof *at);
    if (image_send(c, u, at, &sent))
        for (uint32_t k = 0; k < u->unit->n_stages; k++)
            if (!cuda_stage(&sent, k))
                on_host(c, u, &u->unit->stages[k], at);
    device_wait(c->device); /* an error is this instruction's */
    free((void *)(uintptr_t)sent.copies);
    free(at);
}

/* ---- The rest of an engine ---- */

static struct device *device_of(void *self)
{
    return ((struct cuda *)self)->device;
}
static void *open_cuda(struct diag *d)
{
    struct device *v = device_open(d);
    if (!v)
        return NULL;
    struct cuda *c = memory_zeroed(1, sizeof *c);
    c->device = v;
    return c;
}
static void close_cuda(void *self)
{
    struct cuda *c = self;
    if (c->image)
        device_drop(c->device, c->image);
    device_close(c->device);
    free(c);
}
static const char *failed(void *self)
{
    return device_failed(device_of(self));
}
static uint64_t memory_free(void *self)
{
    return device_memory_free(device_of(self));
}
static char *get(void *self, uint64_t bytes)
{
    return device_get(device_of(self), bytes);
}
static void drop(void *self, char *at, uint64_t bytes)
{
    (void)bytes;
    device_drop(device_of(self), at);
}
static void fill(void *self, char *to, int byte, uint64_t n)
{
    device_fill(device_of(self), to, byte, n);
}
static void move(void *self, char *to, const char *from, uint64_t n)
{
    device_move(device_of(self), to, from, n);
}
static void put(void *self, char *to, const void *from, uint64_t n)
{
    device_put(device_of(self), to, from, n);
    device_wait(device_of(self)); /* the host may free it at once */
}
static void take(void *self, void *to, const char *from, uint64_t n)
{
    device_take(device_of(self), to, from, n);
}
static uint64_t host_stages(void *self)
{
    return ((struct cuda *)self)->host_stages;
}
static bool pool_open_own(void *self)
{
    return device_pool_open(device_of(self));
}
static char *pool_get(void *self, uint64_t bytes)
{
    return device_pool_get(device_of(self), bytes);
}
static void pool_drop(void *self, char *at)
{
    device_pool_drop(device_of(self), at);
}
static void pool_close_own(void *self, uint64_t *high, uint64_t *reserved)
{
    device_pool_close(device_of(self), high, reserved);
}

const struct engine_api engine_cuda = {
    .open = open_cuda, .close = close_cuda, .failed = failed, .memory_free = memory_free, .get = get, .drop = drop,
    .fill = fill, .move = move, .put = put, .take = take, .unit = unit, .host_stages = host_stages,
    .pool_open = pool_open_own, .pool_get = pool_get, .pool_drop = pool_drop, .pool_close = pool_close_own,
};
