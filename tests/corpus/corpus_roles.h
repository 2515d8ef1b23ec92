/* For `make corpus`: what peaks are made of. */
#ifndef TESTS_CORPUS_ROLES_H
#define TESTS_CORPUS_ROLES_H

#include "core/analysis/program/roles.h"

struct role_counts {
    unsigned dumps;
    uint64_t bytes[ROLE_COUNT];
    double share[ROLE_COUNT]; /* summed over the dumps */
    double scratch;           /* the largest share of scratch in one of them */
};

/* Adds program p to counts[enum platform].  False: the roles of what is alive at its peak do not add up
 * to the peak. */
bool corpus_roles(struct role_counts *counts, const struct program *p);

/* One line for each platform: each role's share, every dump alike.  The largest share that scratch has
 * in one dump. */
double corpus_roles_say(const struct role_counts *counts);

#endif
