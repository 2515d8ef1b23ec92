#include "tui/lists/listed_columns.h"

#include "core/output/words/words.h"

#include <stdio.h>
#include <string.h>

#define CELL 4200

static const char *size_cell(struct listing_bytes b, uint64_t bytes, char *out, size_t size)
{
    char text[24];
    if (b.known)
        snprintf(out, size, "%s%s", b.off ? "~" : "", bytes_text(bytes, text));
    else
        snprintf(out, size, "—");
    return out;
}

const char *listed_cell(const struct listed_data *d, uint32_t i, enum listed_column c, char *out, size_t size)
{
    const struct listing_buffer *b = listing_buffer(d->listing, i);
    uint64_t bytes = listing_buffer_bytes(b);
    char one[24], part[8], growth[16];
    out[0] = '\0';
    switch (c) {
    case LISTED_COL_MARK: return d->goes[i] ? "x" : "";
    case LISTED_COL_SIZE: return size_cell(b->size, bytes, out, size);
    case LISTED_COL_SHARE: snprintf(out, size, "%s", b->size.known ? words_share(bytes, d->whole, part) : ""); break;
    case LISTED_COL_GROWTH: snprintf(out, size, "%s", listing_growth(b, growth)); break;
    case LISTED_COL_KIND: return b->kind ? b->kind : "";
    case LISTED_COL_NAME:
        if (b->count == 1)
            return b->name ? b->name : "";
        snprintf(out, size, "%llu of %s", (unsigned long long)b->count, bytes_text(b->size.bytes, one));
        break;
    case LISTED_COL_SHAPE: return listing_shape(b, out, size);
    case LISTED_COL_SOURCE: listing_source(b, false, out, size); break;
    }
    return out;
}

void listed_measure(struct listed_data *d)
{
    char text[CELL];
    for (uint32_t i = 0; i < d->listing->buffers.n; i++)
        for (int c = LISTED_COL_KIND; c < LISTED_COLUMNS; c++) {
            int n = text_columns(listed_cell(d, i, (enum listed_column)c, text, sizeof text));
            d->widest[c] = n > d->widest[c] ? n : d->widest[c];
        }
}

/* Who gives room first, and down to what; a column that is still too much is left out. */
static const struct {
    enum listed_column c;
    int least;
} gives[] = {
    {LISTED_COL_NAME, 28}, {LISTED_COL_SHAPE, 40}, {LISTED_COL_SOURCE, 28}, {LISTED_COL_SHAPE, 28},
    {LISTED_COL_KIND, 12}, {LISTED_COL_NAME, 15},  {LISTED_COL_SOURCE, 11}, {LISTED_COL_SHAPE, 18},
    {LISTED_COL_KIND, 9},  {LISTED_COL_SHAPE, 12}, {LISTED_COL_KIND, 0},    {LISTED_COL_SOURCE, 0},
    {LISTED_COL_SHAPE, 0}, {LISTED_COL_NAME, 9},
};

/* What all of them take, with a blank before and between, and one at the end. */
static int taken(const int width[LISTED_COLUMNS])
{
    int sum = 2;
    for (int c = 0; c < LISTED_COLUMNS; c++)
        sum += width[c] ? width[c] + (c > 0) : 0;
    return sum;
}

void listed_widths(const struct listed_data *d, int cols, int width[LISTED_COLUMNS])
{
    static const int title[LISTED_COLUMNS] = {[LISTED_COL_KIND] = 4, [LISTED_COL_NAME] = 4, [LISTED_COL_SHAPE] = 5,
                                              [LISTED_COL_SOURCE] = 6};
    width[LISTED_COL_MARK] = 1;
    width[LISTED_COL_SIZE] = 11;
    width[LISTED_COL_SHARE] = 5;
    width[LISTED_COL_GROWTH] = d->listing->padding ? 6 : 0;
    for (int c = LISTED_COL_KIND; c < LISTED_COLUMNS; c++)
        width[c] = !d->widest[c] ? 0 : d->widest[c] > title[c] ? d->widest[c] : title[c];
    for (size_t k = 0; k < sizeof gives / sizeof *gives; k++) {
        int over = taken(width) - cols, *w = &width[gives[k].c];
        if (over > 0 && !gives[k].least)
            *w = 0;
        else if (over > 0 && *w > gives[k].least)
            *w = *w - over > gives[k].least ? *w - over : gives[k].least;
    }
}
