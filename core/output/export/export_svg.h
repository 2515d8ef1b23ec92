/* The two drawings: black on white, with a pattern and a colour for each role, and texts in generic
 * fonts.  Lengths are user units; a drawing is SVG_WIDTH wide and begins at (0, top).  Each returns
 * its height.  Private to export*.c. */
#ifndef CORE_OUTPUT_EXPORT_EXPORT_SVG_H
#define CORE_OUTPUT_EXPORT_EXPORT_SVG_H

#include "core/output/export/export.h"
#include "core/output/export/export_drawing.h"

#define SVG_WIDTH 1000
#define SVG_LEFT 84   /* of the plot: figures stand before it */
#define SVG_RIGHT 984
#define SVG_COLUMNS 450
#define SVG_LISTED 3000

int svg_chart(const struct drawing *s, int top, FILE *out);
int svg_map(const struct drawing *s, int top, FILE *out);

/* inline_html: inside a page, where a namespace is not said. */
void svg_drawing(const struct report *r, enum export_view view, bool inline_html, FILE *out);

double svg_x(const struct drawing *s, double step);
/* Figures every so many bytes, at most `lines` of them: a power of two times 1, 2 or 4 KiB and so on. */
uint64_t svg_every(uint64_t most, int lines);

#endif
