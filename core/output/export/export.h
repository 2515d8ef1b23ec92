/* One program as a file that others can open: a web page, a drawing, tables.
 *
 *   html       one page that needs nothing else: chart, map, table; loops by iteration
 *   svg        the chart and the map, black on white, for print
 *   csv        every buffer, RFC 4180; ranges closed, as XLA prints them
 *   json       the report, and every value
 *   minimalloc what the schedule asks of the main memory's temporaries, for `pack`; steps half-open
 *
 * Names of a dump go through text_safe() and then through what each form asks for; nothing in a file
 * points to a network. */
#ifndef CORE_OUTPUT_EXPORT_EXPORT_H
#define CORE_OUTPUT_EXPORT_EXPORT_H

#include "core/output/report/report.h"

enum export_format { EXPORT_SVG, EXPORT_HTML, EXPORT_CSV, EXPORT_JSON, EXPORT_MINIMALLOC };
enum export_view { EXPORT_BOTH, EXPORT_CHART, EXPORT_MAP }; /* SVG: which parts */

/* False when there is nothing to export in that form: *d says why, and nothing is written. */
bool export_write(const struct report *r, enum export_format format, enum export_view view, FILE *out,
                  struct diag *d);

#endif
