/* From a transformed program to a whole one: its assignment, written down as a dump would. */
#ifndef CORE_ANALYSIS_WHATIF_WHATIF_PLACE_H
#define CORE_ANALYSIS_WHATIF_WHATIF_PLACE_H

#include "core/analysis/place/rerun.h"

/* Does the rerun of r's own program give the dump's allocations, sum by sum and temporary by
 * temporary? */
bool place_reruns_exactly(const struct rerun *r);

/* What the dump does not tell for sure, though the new program's bytes hang on it. */
struct place_doubts {
    bool sizes;     /* as rerun_like() says */
    bool alignment; /* older compilers align less; the dump's offsets can be multiples by chance */
};

/* A module around *hlo, which was made from r's program: named alike, assigned by the same rules.
 * origin as in whatif.h; same_ids: hlo has the ids of the original.  m->arena stays empty: all is
 * in `a`.  False: no liveness, with the reason in *d. */
bool place_module(struct module *m, const struct hlo *hlo, const struct rerun *r,
                  const inst_id *origin, bool same_ids, struct place_doubts *doubts, struct arena *a,
                  struct diag *d);

#endif
