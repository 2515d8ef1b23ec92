/* A page of an explanation as text. */
#ifndef CORE_OUTPUT_REPORT_PAGE_TEXT_H
#define CORE_OUTPUT_REPORT_PAGE_TEXT_H

#include "core/analysis/explain/explain.h"

#include <stdio.h>

/* Lays the page out in `width` columns (at least 40), broken between words; names are made safe to
 * print.  ascii: whatever else a dump holds is shown as '?'. */
void page_text(const struct page *page, FILE *out, int width, bool ascii);

#endif
