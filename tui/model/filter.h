/* Which of the buffers that are alive the table shows: filters of several kinds, and a buffer passes
 * all that are set.  A plain value; zeroed it lets everything through. */
#ifndef TUI_MODEL_FILTER_H
#define TUI_MODEL_FILTER_H

#include "core/analysis/program/roles.h"

enum filter_kind {
    FILTER_ROLE,  /* value: enum role */
    FILTER_LOOP,  /* -> program.loops: born while it runs, or one within it */
    FILTER_SPACE, /* -> program.spaces */
    FILTER_SIZE,  /* bytes: at least so many */
    FILTER_LINE,  /* a buffer (buf_id) of that source line; of none, too */
    FILTER_FILE,  /* the same for source files */
    FILTER_KINDS
};

struct filter {
    uint64_t value[FILTER_KINDS];
    uint8_t order[FILTER_KINDS]; /* [n] the kinds that are set, the last one last */
    uint8_t n;
};

bool filter_has(const struct filter *f, enum filter_kind k);
void filter_set(struct filter *f, enum filter_kind k, uint64_t value);
void filter_drop(struct filter *f, enum filter_kind k);
bool filter_same(const struct filter *a, const struct filter *b);

bool filter_passes(const struct filter *f, const struct program *p, buf_id b);
/* Drops, last one first, what keeps b from being shown. */
void filter_admit(struct filter *f, const struct program *p, buf_id b);
/* The same filter in another form of the program; what that one does not have is dropped. */
void filter_moved(struct filter *f, const struct program *from, const struct program *to);

const char *filter_name(enum filter_kind k);
char filter_letter(enum filter_kind k); /* its key in the menu */
/* "residual stack", "born in while.16", "in vmem", "scan.py:40"; sizes are the caller's to write. */
const char *filter_words(const struct filter *f, const struct program *p, enum filter_kind k, char *out,
                         size_t size);

#endif
