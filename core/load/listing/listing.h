/* What a log says about memory that ran out: who asked for how much, what there was, and the buffers
 * that were listed; and memory usage reports, which list buffers in the same way.
 *
 * Forms (writers: xla/service/buffer_assignment.cc for GPU and reports, tsl/framework/bfc_allocator.cc
 * for pools; the TPU compiler and runtime are not public, their forms are known from logs):
 *   gpu          "BufferAssignment OOM Debugging.", "BufferAssignment stats:", "Peak buffers:"
 *   tpu          "Ran out of memory in memory space hbm. Used …", "Total hbm usage >= …",
 *                "Program hbm requirement …", "Largest program allocations in hbm:"
 *   reservation  "Attempting to reserve 3.95G at the bottom of memory. …", "HBM capacity 8.00G:"
 *   pool         "Allocator (GPU_0_bfc) ran out of memory …", "45 Chunks of size 256 totalling …"
 *   report       *-memory-usage-report.txt, one listing for each memory space
 *   rows         rows of such a report without their head
 *   message      only the sentence that so many bytes could not be allocated
 *
 * Words are found anywhere in a line, so that timestamps, log levels, "stderr |", quoting and colours
 * before them do no harm; so are listings whose line ends were written as \n within one line.  Sizes
 * are rounded as they were printed, unless an exact figure stands beside them or the shape tells. */
#ifndef CORE_LOAD_LISTING_LISTING_H
#define CORE_LOAD_LISTING_LISTING_H

#include "core/base/file.h"

enum listing_form {
    LISTING_MESSAGE, LISTING_GPU, LISTING_TPU, LISTING_RESERVATION, LISTING_POOL, LISTING_REPORT,
    LISTING_ROWS
};
const char *listing_form_name(enum listing_form f); /* "gpu", … */

/* A figure that may be missing; the true one lies within `off` of it. */
struct listing_bytes {
    bool known;
    uint64_t bytes, off;
};

struct listing_buffer {
    struct listing_bytes size;     /* of one */
    uint64_t count;                /* chunks of one size in a pool; else 1 */
    struct listing_bytes unpadded; /* TPU: what the array needs without its tiles' padding */
    struct listing_bytes offset;   /* rows: in the allocation */
    const char *name;              /* "fusion.1265", "fusion", "parameter"; NULL: none is told */
    const char *label;             /* the XLA label as it is printed, or NULL */
    const char *kind;              /* "HLO temp", "scoped", "parameter", "in use"; or NULL */
    const char *shape, *op_name;   /* or NULL */
    const char *file;              /* source file, or NULL */
    uint32_t source_line;          /* 0: unknown */
    uint32_t line;                 /* in the log */
};

/* Where a figure stands. */
enum listing_part { PART_STATS, PART_TOTAL, PART_PROGRAM, PART_PERSISTENT, PART_HEAP, PART_RUNTIME };
const char *listing_part_name(enum listing_part p); /* "usage", "program", … */

struct listing_figure {
    enum listing_part part;
    const char *name; /* "HLO temp" */
    const char *note; /* what stands behind it in brackets, or NULL */
    struct listing_bytes bytes;
    bool negative;
};

struct listing {
    enum listing_form form;
    const char *space;    /* "hbm", "GPU_0_bfc", "default (color=0)"; NULL: not told */
    const char *program;  /* "jit_step", or NULL */
    uint32_t line, last;  /* of the log, from 1 */
    uint32_t times;       /* the log has it so often */
    uint32_t cut;         /* so many buffers are missing before the first listed one */
    bool padding;         /* it tells what padding takes */
    struct listing_bytes requested;  /* what could not be allocated */
    struct listing_bytes used;       /* what the program needs in the space, as the log counts it … */
    struct listing_bytes capacity;   /* … of so much … */
    struct listing_bytes exceeded;   /* … and by how much it is too much */
    struct listing_bytes total;      /* with what others hold, or all allocations */
    struct listing_bytes in_use;     /* a device's memory that is taken when more is asked for */
    struct listing_bytes free;       /* and free */
    struct listing_bytes largest_free; /* in one piece */
    struct listing_bytes budget;     /* what rematerialization was to get the program into */
    struct list figures;  /* struct listing_figure, in the log's order */
    struct list buffers;  /* struct listing_buffer, in the log's order */
};

static inline struct listing_buffer *listing_buffer(const struct listing *l, uint32_t i)
{
    return (struct listing_buffer *)l->buffers.items + i;
}
static inline struct listing_figure *listing_figure(const struct listing *l, uint32_t i)
{
    return (struct listing_figure *)l->figures.items + i;
}

/* Adds the listings of a text (struct listing *, in `a`) to *out, each once; O(size).  Whatever is no
 * listing is passed over. */
void listing_read(struct arena *a, struct list *out, const struct file *f);

#endif
