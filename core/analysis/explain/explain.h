/* Answers in words and numbers: what the peak is made of, why a buffer is alive, why it shares no
 * memory, and how two programs differ.
 *
 * An answer is a page of lines.  Who shows it (text report, JSON, explorer) only lays the lines out:
 * words are made here once.  Every figure is computed from the program; bytes of LINE_PART lines add
 * up exactly to those of the LINE_SUM above them. */
#ifndef CORE_ANALYSIS_EXPLAIN_EXPLAIN_H
#define CORE_ANALYSIS_EXPLAIN_EXPLAIN_H

#include "core/analysis/program/program.h"

enum line_kind {
    LINE_TITLE, /* begins a section */
    LINE_SUM,   /* bytes, words: a total; its parts follow */
    LINE_PART,  /* bytes, words: one part of the sum above */
    LINE_ITEM,  /* bytes, words: an example, or a buffer of the part above; not part of a sum */
    LINE_TEXT,  /* a sentence; it may be broken between words */
};

struct line {
    enum line_kind kind;
    bool has_bytes;
    bool has_delta;    /* bytes is a difference: bytes - minus */
    uint64_t bytes, minus;
    const char *label; /* "residual stack", "defined by", …; or NULL */
    const char *words; /* may hold names from the dump, not yet made safe to print */
    const char *source; /* "scan.py:21", or NULL */
    buf_id buffer;     /* what the line is about, or BUF_NONE */
    uint32_t step;     /* where to look at it, or STEP_NONE */
};

struct page {
    struct list lines; /* struct line */
};

/* What is alive at a step, by role, each with its largest buffers and their source lines. */
void explain_step(const struct program *p, uint32_t step, struct arena *a, struct page *out);
/* Why is buffer b alive, and what would end it earlier: defined by, read by, last use; through which
 * alias, loop or call.  And why it has a place of its own: a donation that was not used, a copy and
 * for whom, … */
void explain_buffer(const struct program *p, buf_id b, struct arena *a, struct page *out);
/* What has a place of its own in the whole program: donations that no output took, the largest copies
 * and whom they are for. */
void explain_unshared(const struct program *p, struct arena *a, struct page *out);
/* Role by role at each one's peak, what one has and the other lacks.  The title names other by what it
 * is to p: "its unrolled form". */
void explain_difference(const struct program *p, const struct program *other, const char *name,
                        struct arena *a, struct page *out);

#endif
