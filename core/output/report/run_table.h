/* What a run measured, iteration by iteration, as lines of text. */
#ifndef CORE_OUTPUT_REPORT_RUN_TABLE_H
#define CORE_OUTPUT_REPORT_RUN_TABLE_H

#include "core/analysis/measured/overlay.h"

#define RUN_TABLE_MOST 40 /* rows in full; of more the first and the last */

/* "while.16 forward 2/4", or "outside loops"; safe to print. */
const char *run_row_label(const struct overlay *o, const struct overlay_row *row, char *out, size_t size);
/* "3/4", or "" where the largest stack is not alive or not known. */
const char *run_row_slots(const struct overlay *o, const struct overlay_row *row, char out[48]);
/* What was left out of a long run's records, in a sentence; "" for nothing. */
const char *run_kept_text(const struct measured *m, char *out, size_t size);

/* const char * in *lines: a heading and its rows, of at most 80 columns. */
void run_table(const struct overlay *o, struct arena *a, struct list *lines);

#endif
