/* Which function of the host does which kind of stage. */
#include "gpu/host/host.h"

#include <string.h>

void host_stage(const struct unit_call *e, const struct stage *s)
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
        elem_repack(s->kind == STAGE_PACK, e->at[s->in[0]], e->at[s->out[0]], s->number, s->bits);
        break;
    case STAGE_CLEAR: memset(e->at[s->out[0]], 0, e->unit->bufs[s->out[0]].bytes); break;
    case STAGE_COPY: {
        uint64_t n = e->unit->bufs[s->out[0]].bytes, m = e->unit->bufs[s->in[0]].bytes;
        memmove(e->at[s->out[0]], e->at[s->in[0]], n < m ? n : m);
        break;
    }
    }
}

void host_unit(const struct unit_call *e)
{
    for (uint32_t k = 0; k < e->unit->n_stages; k++)
        host_stage(e, &e->unit->stages[k]);
}
