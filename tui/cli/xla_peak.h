/* What XLA itself says that the example took: measure.py runs the same form with a Python that has JAX,
 * on a device of this machine, and keeps the peak of its allocator (memory_stats()). */
#ifndef TUI_CLI_XLA_PEAK_H
#define TUI_CLI_XLA_PEAK_H

#include "core/analysis/program/program.h"

/* Waits for it.  False: *d says why it is not known (no form of the example, no JAX, no device, or an
 * allocator that does not count, as on a CPU). */
bool xla_peak(const struct program *p, uint64_t *peak, struct diag *d);

#endif
