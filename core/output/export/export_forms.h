/* The forms of an export, one file each; private to export*.c.  They only write: whether all was written
 * is the caller's to ask of `out`. */
#ifndef CORE_OUTPUT_EXPORT_EXPORT_FORMS_H
#define CORE_OUTPUT_EXPORT_EXPORT_FORMS_H

#include "core/output/export/export.h"

void export_csv(const struct program *p, FILE *out);
void export_json(const struct report *r, FILE *out);
/* False, with *d, when there are no live ranges: then nothing is written. */
bool export_minimalloc(const struct program *p, FILE *out, struct diag *d);
void export_svg(const struct report *r, enum export_view view, FILE *out);
void export_html(const struct report *r, FILE *out);

#endif
