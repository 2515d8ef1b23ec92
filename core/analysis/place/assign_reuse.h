/* May an alias set be put into an allocation that others have?  Private to assign*.c. */
#ifndef CORE_ANALYSIS_PLACE_ASSIGN_REUSE_H
#define CORE_ANALYSIS_PLACE_ASSIGN_REUSE_H

#include "core/analysis/place/assign.h"

struct tenant { /* a value in an allocation, with its life */
    value_id v;
    uint32_t start, end;
};

struct reuse {
    const struct dataflow *f;
    const struct liveness *l;
    struct share *share;
};

/* No value of the set lives while one of the tenants does, and no copy lands on what it copies. */
bool reuse_allowed(struct reuse *r, struct list *tenants, const value_id *set, uint32_t n);

#endif
