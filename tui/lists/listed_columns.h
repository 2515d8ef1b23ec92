/* The columns of a listing's table: what stands in them, and how wide they are. */
#ifndef TUI_LISTS_LISTED_COLUMNS_H
#define TUI_LISTS_LISTED_COLUMNS_H

#include "tui/lists/listed.h"

enum listed_column { LISTED_COL_MARK, LISTED_COL_SIZE, LISTED_COL_SHARE, LISTED_COL_GROWTH, LISTED_COL_KIND,
                     LISTED_COL_NAME, LISTED_COL_SHAPE, LISTED_COL_SOURCE };

/* The text of one cell of buffer i: kept in the listing, or in out. */
const char *listed_cell(const struct listed_data *d, uint32_t i, enum listed_column c, char *out, size_t size);

/* Fills d->widest from all buffers; once. */
void listed_measure(struct listed_data *d);

/* Columns of the screen that each takes when `cols` are there; 0: it is not shown.  A column with nothing in
 * it is not; the others are whole where there is room, and shrink in a fixed order where there is not. */
void listed_widths(const struct listed_data *d, int cols, int width[LISTED_COLUMNS]);

#endif
