/* Live bytes of a memory by role, at steps: what the chart is coloured by.  A memo: each step is
 * worked out once, O(buffers). */
#ifndef TUI_MODEL_SHARES_H
#define TUI_MODEL_SHARES_H

#include "core/analysis/program/roles.h"
#include "core/base/strmap.h"

struct shares {
    const struct program *p; /* NULL: nothing is known yet */
    uint32_t space;
    bool costly;             /* too many buffers live at once for a look at each column */
    struct arena arena;
    struct idmap of;         /* step -> entry */
    struct list entries;     /* uint64_t[ROLE_COUNT] * */
    buf_id *ids;
    uint64_t *own;
};

/* They sum to the live bytes.  False: costly. */
bool shares_at(struct shares *s, const struct program *p, uint32_t space, uint32_t step, uint64_t out[ROLE_COUNT]);
void shares_free(struct shares *s);

#endif
