/* A difference as text, 80 columns, and as JSON. */
#ifndef CORE_OUTPUT_REPORT_DIFF_REPORT_H
#define CORE_OUTPUT_REPORT_DIFF_REPORT_H

#include "core/analysis/explain/diff.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct diff_options {
    uint32_t top; /* rows that changed, listed */
    bool ascii;
};

/* name[]: how each side is called, a path.  The JSON is the caller's to delete. */
void diff_text(const struct diff *d, const char *const name[2], const struct diff_options *o, FILE *out);
cJSON *diff_json(const struct diff *d, const char *const name[2]);

#endif
