/* What the themes of hints share; private to hints*.c. */
#ifndef CORE_ANALYSIS_EXPLAIN_HINTS_BUILD_H
#define CORE_ANALYSIS_EXPLAIN_HINTS_BUILD_H

#include "core/analysis/explain/hints.h"
#include "core/analysis/explain/hints_walk.h"

#include <stdio.h>

struct hinting {
    const struct program *p;
    const struct hlo *h;   /* NULL: none */
    uint64_t limit;        /* bytes of the device, 0: unknown */
    uint64_t floor;        /* fewer bytes are not worth a hint */
    buf_id *at_peak;       /* [dataflow.n] largest buffer of an alias set alive at the peak, by set */
    buf_id *alive;         /* [n_alive] at the peak, in the main space, most own bytes first */
    uint64_t *own;         /* [n_alive] bytes that no other one covers */
    uint32_t n_alive;
    bool *offered;         /* [hlo.n_positions] parameters that are donated, taken or not */
    bool *transposed;      /* [loops.n] is it a loop of a backward pass? */
    struct arena scratch;
    struct hints *out;
    struct list found;     /* struct hint */
};

/* One hint; its source is the buffer's.  Until the next one is said it can be changed. */
struct hint *hint_say(struct hinting *c, const char *id, uint64_t bytes, buf_id b, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

struct size_word {
    char text[24];
};
static inline struct size_word hint_size(uint64_t bytes)
{
    struct size_word w = {""};
    bytes_text(bytes, w.text);
    return w;
}
/* A name of moderate length, in the arena of the hints. */
const char *hint_name(struct hinting *c, const char *name);

/* The buffer that holds value v's bytes at the peak, BUF_NONE: none in the main space. */
buf_id hint_at_peak(const struct hinting *c, value_id v);

void hints_of_limits(struct hinting *c); /* near-limit, rematerialised, double-counted-peak */
void hints_of_padding(struct hinting *c);
void hints_of_params(struct hinting *c);
void hints_find_transposed(struct hinting *c); /* before those that follow */
void hints_of_stacks(struct hinting *c);
void hints_of_slices(struct hinting *c);
void hints_of_carries(struct hinting *c);

#endif
