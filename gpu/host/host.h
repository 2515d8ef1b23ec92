/* What the host does: a unit's stages in order, each by the function of its kind.
 *
 * Buffers are where the call's at[] says, in memory that the CPU may read and write.  Each function
 * makes all that its stage says, on the call's threads, and returns when it is done; results do not
 * depend on how many threads there are.  None can fail: what cannot be run was refused when the unit was
 * compiled (tape/). */
#ifndef GPU_HOST_HOST_H
#define GPU_HOST_HOST_H

#include "gpu/engine/engine.h"
#include "core/base/memory.h"

/* All stages of the unit, in order; one of them. */
void host_unit(const struct unit_call *e);
void host_stage(const struct unit_call *e, const struct stage *s);

void host_map(const struct unit_call *e, const struct stage *s);
void host_reduce(const struct unit_call *e, const struct stage *s);
void host_dot(const struct unit_call *e, const struct stage *s);
void host_conv(const struct unit_call *e, const struct stage *s);
void host_gather(const struct unit_call *e, const struct stage *s);
void host_scatter(const struct unit_call *e, const struct stage *s);
void host_sort(const struct unit_call *e, const struct stage *s);
void host_topk(const struct unit_call *e, const struct stage *s);
void host_each(const struct unit_call *e, const struct stage *s);
void host_window(const struct unit_call *e, const struct stage *s);
void host_fft(const struct unit_call *e, const struct stage *s);
void host_rng(const struct unit_call *e, const struct stage *s);
void host_select(const struct unit_call *e, const struct stage *s); /* select-and-scatter */
void host_widths(const struct unit_call *e, const struct stage *s);
void host_solve(const struct unit_call *e, const struct stage *s);
void host_cholesky(const struct unit_call *e, const struct stage *s); /* solve.c */
void host_lu(const struct unit_call *e, const struct stage *s);
void host_qr(const struct unit_call *e, const struct stage *s);
void host_reflect(const struct unit_call *e, const struct stage *s); /* lapack.c, all three */

#endif
