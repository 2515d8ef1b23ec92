/* The reader of listings in its parts: listing.c finds words, listing_heads.c begins listings, listing_fields.c
 * takes what stands behind a word.  Private to load/listing/. */
#ifndef CORE_LOAD_LISTING_LISTING_READER_H
#define CORE_LOAD_LISTING_LISTING_READER_H

#include "core/load/listing/listing_words.h"

enum listing_section { SECTION_NONE, SECTION_FIGURES, SECTION_BUFFERS };

struct listing_reader {
    struct arena *a;
    struct list *out;        /* struct listing * */
    struct listing *now;     /* being read, or NULL */
    struct listing pool;     /* what the last pool's summary told, kept for the listing after it */
    enum listing_section section;
    enum listing_part part;  /* of SECTION_FIGURES */
    bool in_buffer;          /* a buffer is open: fields go to the last one */
    bool by_allocation;      /* a report's second table: values below their allocations */
    bool whole;              /* the last buffer is an allocation whose rows may follow */
    const char *kind;        /* of the rows below it */
    uint32_t tables;         /* of rows, in this listing */
    const char *line;        /* the whole line */
    uint32_t number;
};

/* Handles what stands behind a word; `rest` is the line behind it, `word` where it begins.  False: it
 * was not meant, look on in the line. */
typedef bool listing_handler(struct listing_reader *r, const char *word, const char *rest);

/* The listing to go on with: the present one if it is of that form (or only a message so far), else a
 * new one. */
struct listing *listing_begin(struct listing_reader *r, enum listing_form form);
struct listing *listing_fresh(struct listing_reader *r, enum listing_form form);
struct listing_buffer *listing_add_buffer(struct listing_reader *r);
void listing_add_figure(struct listing_reader *r, enum listing_part part, const char *name, size_t len,
                        struct listing_bytes bytes, const char *note);

/* Messages, heads and sums. */
listing_handler listing_on_trying, listing_on_pool, listing_on_ran_out, listing_on_scoped,
    listing_on_reserve, listing_on_budget, listing_on_stats, listing_on_peak_buffers,
    listing_on_stat, listing_on_usage, listing_on_requirement, listing_on_largest,
    listing_on_persistent, listing_on_heap, listing_on_output, listing_on_capacity,
    listing_on_runtime, listing_on_space, listing_on_total_bytes, listing_on_by_allocation,
    listing_on_pool_figure, listing_on_pool_total;
/* Fields of the open buffer. */
listing_handler listing_take_size, listing_take_buffer, listing_take_operator, listing_take_parameter,
    listing_take_label, listing_take_shape, listing_take_unpadded, listing_take_padding,
    listing_take_type;
/* Rows of reports. */
listing_handler listing_take_allocation, listing_take_table;
bool listing_take_row(struct listing_reader *r, const char *line);
/* Chunks of a pool. */
listing_handler listing_take_chunks, listing_take_free_chunk;
/* "    HLO temp   17.28G (97.4% …)" in a section of figures; false: the line is none. */
bool listing_take_figure(struct listing_reader *r, const char *line);

#endif
