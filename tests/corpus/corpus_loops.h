/* For `make corpus`: which loops a program must have, how often they run, and how many of its stacks
 * are found.
 *
 * What must be there follows from the sources of the programs (corpus/programs/ and, for remedies,
 * the variants that the set's folder names): the lengths of their scans, forward and backward.
 * Candidates are elements of a loop with a dimension as long as its trip count: most are stacks, some
 * are weights or masks of that size by accident, so their share is a measure, not a goal. */
#ifndef TESTS_CORPUS_LOOPS_H
#define TESTS_CORPUS_LOOPS_H

#include "core/analysis/program/program.h"

#include <cjson/cJSON.h>

struct loop_counts {
    unsigned loops, counted, stacks, regular, pairs;
    unsigned candidates, found;
    unsigned expected, wrong; /* programs with known loops; and of them, or with unsound stacks */
    bool known;               /* words are those of */
    char words[20000];        /* the program looked at last */
};

/* Adds program p of `meta` (its meta.json) to counts[enum platform]. */
void corpus_loops(struct loop_counts *counts, const struct program *p, const cJSON *meta, const char *path);
/* Whether it has the same loops as the last one, if that is known. */
bool corpus_same_loops(const struct loop_counts *counts, const struct program *p, const char *path);

/* One line for each platform; the number of those that fall short of what was reached before. */
unsigned corpus_loops_say(const struct loop_counts *counts);

#endif
