/* Which of liveness' rules the compiler of a module followed, by what its files show: dumps carry no
 * version.
 *
 *   call_uses_count   up to jaxlib 0.4.23: "from instruction:%x" without a blank
 *   async_from_start  since jaxlib 0.12 and libtpu 0.0.50: new fields in every dot and compare of the
 *                     proto (enum hlo_age); in text, which shows nothing, where one value of an async
 *                     computation starts by the dump's own ranges */
#ifndef CORE_ANALYSIS_FLOW_LIVE_RULES_H
#define CORE_ANALYSIS_FLOW_LIVE_RULES_H

#include "core/analysis/flow/liveness.h"
#include "core/load/dump/module.h"

/* liveness_build() with the rules of m, which f was built from. */
bool live_rules_build(struct liveness *l, const struct dataflow *f, const struct module *m,
                      struct arena *a, struct diag *d);

#endif
