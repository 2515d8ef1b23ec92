/* The files of page/, made part of the program when it is built (page/embed.sh writes their C).  Private
 * to export_html.c. */
#ifndef CORE_OUTPUT_EXPORT_EXPORT_PAGE_H
#define CORE_OUTPUT_EXPORT_EXPORT_PAGE_H

#include <stddef.h>

/* [size] and a NUL behind it. */
extern const unsigned char export_page_html[], export_page_css[], export_page_js[];
extern const size_t export_page_html_size, export_page_css_size, export_page_js_size;

#endif
