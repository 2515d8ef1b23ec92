#include "core/base/file.h"
#include "gpu/engine/backends.h"
#include "gpu/engine/engine.h"
#include "gpu/host/host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool probe(char *device, size_t size, struct diag *d)
{
    (void)d;
    char memory[24];
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    uint64_t bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    snprintf(device, size, "%ld cores, %s", cores, bytes_text(bytes, memory));
    return true;
}

const struct backend exec_host = {"host", probe, &engine_host};

/* The first element stands in the lowest bits. */
static void unpack(const uint8_t *from, uint8_t *to, int64_t n, unsigned bits)
{
    for (int64_t k = 0; k < n; k++)
        to[k] = (uint8_t)(from[k * bits / 8] >> k * bits % 8 & ((1 << bits) - 1));
}

static void pack(const uint8_t *from, uint8_t *to, int64_t n, unsigned bits)
{
    memset(to, 0, (size_t)((n * bits + 7) / 8));
    for (int64_t k = 0; k < n; k++)
        to[k * bits / 8] |= (uint8_t)((from[k] & ((1 << bits) - 1)) << k * bits % 8);
}

void host_repack(bool packs, const void *from, void *to, int64_t n, unsigned bits)
{
    (packs ? pack : unpack)(from, to, n, bits);
}

void host_stage(const struct host_env *e, const struct stage *s)
{
    switch (s->kind) {
    case STAGE_MAP: host_map(e, s); break;
    case STAGE_REDUCE: host_reduce(e, s); break;
    case STAGE_DOT: host_dot(e, s); break;
    case STAGE_CONV: host_conv(e, s); break;
    case STAGE_GATHER: host_gather(e, s); break;
    case STAGE_SCATTER: host_scatter(e, s); break;
    case STAGE_SORT: host_sort(e, s); break;
    case STAGE_TOPK: host_topk(e, s); break;
    case STAGE_WINDOW: host_window(e, s); break;
    case STAGE_EACH: host_each(e, s); break;
    case STAGE_FFT: host_fft(e, s); break;
    case STAGE_RNG: host_rng(e, s); break;
    case STAGE_SELECT: host_select(e, s); break;
    case STAGE_WIDTHS: host_widths(e, s); break;
    case STAGE_SOLVE: host_solve(e, s); break;
    case STAGE_CHOLESKY: host_cholesky(e, s); break;
    case STAGE_LU: host_lu(e, s); break;
    case STAGE_QR: host_qr(e, s); break;
    case STAGE_REFLECT: host_reflect(e, s); break;
    case STAGE_PACK: case STAGE_UNPACK:
        host_repack(s->kind == STAGE_PACK, e->at[s->in[0]], e->at[s->out[0]], s->number, s->bits);
        break;
    case STAGE_CLEAR: memset(e->at[s->out[0]], 0, e->unit->bufs[s->out[0]].bytes); break;
    case STAGE_COPY: {
        uint64_t n = e->unit->bufs[s->out[0]].bytes, m = e->unit->bufs[s->in[0]].bytes;
        memmove(e->at[s->out[0]], e->at[s->in[0]], n < m ? n : m);
        break;
    }
    }
}

void host_unit(const struct host_env *e)
{
    for (uint32_t k = 0; k < e->unit->n_stages; k++)
        host_stage(e, &e->unit->stages[k]);
}
