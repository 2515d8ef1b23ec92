/* A listing as a report: what ran out, does it fit, what would have to go, where the bytes are.
 *
 * Its JSON has the fields that a program's has (see report.h), null where a listing does not tell, and
 * one more: "listing". */
#ifndef CORE_OUTPUT_REPORT_LISTING_REPORT_H
#define CORE_OUTPUT_REPORT_LISTING_REPORT_H

#include "core/analysis/listing/listing_fit.h"
#include "core/model/assignment.h"
#include "core/output/report/report.h"

/* What a listing is shown with. */
struct listing_report {
    const struct listing *listing;
    const char *name, *file; /* of its entry; the log */
    enum platform platform;
    const struct report_options *options;
};

void listing_report_text(const struct listing_report *r, FILE *out); /* 80 columns */
cJSON *listing_report_json(const struct listing_report *r);

/* Is it over a limit that was asked for? */
bool listing_report_over(const struct listing_report *r);

/* ---- Sentences that other views have too; all return out ---- */

/* "hbm: 21.30 GiB needed, 15.75 GiB there" */
const char *listing_headline(const struct listing *l, char *out, size_t size);
/* "no, by 5.55 GiB: 21.30 GiB (used) of 15.75 GiB (as the log says)" */
const char *listing_fit_words(const struct listing_fit *f, char *out, size_t size);
/* Why it could not be allocated although it fits; NULL: nothing to say. */
const char *listing_yet_words(const struct listing *l, const struct listing_fit *f, char *out, size_t size);
/* "at least 1 of the listed buffers would have to go (16.00 GiB)"; "" when nothing is over. */
const char *listing_go_words(const struct listing *l, const struct listing_fit *f, char *out, size_t size);
/* What it is: "TPU listing", "memory usage report" … */
const char *listing_kind_words(const struct listing *l);
/* What it cannot answer, and what can. */
extern const char listing_lacks[];

#endif
