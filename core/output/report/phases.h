/* A program's memory over time, on either of its clocks: as a table for a person, and as JSON.
 *
 * The table has a line for each phase: a run of steps (or moments) over which live and filled bytes
 * stay the same.  Where that would be more than PHASES_MOST lines, changes too small to see are left
 * out, then iterations, then loops; of more than PHASES_MOMENTS moments it has equal parts instead.
 * JSON has every change; of more than PHASES_RUNS, none, and a note.
 *
 * In program order a step's filled bytes are the most of all its iterations. */
#ifndef CORE_OUTPUT_REPORT_PHASES_H
#define CORE_OUTPUT_REPORT_PHASES_H

#include "core/analysis/program/timeline.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define PHASES_MOST 40
#define PHASES_MOMENTS 65536
#define PHASES_RUNS 1000000

void phases_text(const struct timeline *t, bool execution, bool ascii, FILE *out); /* 80 columns */
cJSON *phases_json(const struct timeline *t, bool execution); /* one element of "modules" */

#endif
