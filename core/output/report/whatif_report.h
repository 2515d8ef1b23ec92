/* The answer to a what-if, as text and as JSON. */
#ifndef CORE_OUTPUT_REPORT_WHATIF_REPORT_H
#define CORE_OUTPUT_REPORT_WHATIF_REPORT_H

#include "core/analysis/whatif/whatif.h"
#include "core/output/report/report.h"

struct whatif_report {
    const struct program *program; /* the one that was compiled */
    const struct whatif *whatif;
    const char *loop;              /* the scan's while instruction */
    bool has_limit;                /* asked for */
    uint64_t limit;                /* bytes */
    bool ascii;
};

/* Does what was asked for need more than the limit, or at least more?  Not when nothing is known. */
bool whatif_over(const struct whatif_report *r);
void whatif_text(const struct whatif_report *r, FILE *out); /* 80 columns */
cJSON *whatif_json(const struct whatif_report *r);          /* one element of "modules" */

#endif
