/* The buffer assignment as the dump states it: allocations, the values placed in them, and the
 * dump's own claims (live ranges, schedule, "peak").  Nothing here is computed by us.
 *
 * Bytes are uint64_t.  Claimed ranges are closed program points, as XLA prints them.
 * Lives in the arena handed to the reader.  Formats: the grammar of the text files stands
 * in load/text/assignment_text.c, the proto in load/proto/hlo.proto. */
#ifndef CORE_MODEL_ASSIGNMENT_H
#define CORE_MODEL_ASSIGNMENT_H

#include "core/base/arena.h"
#include "core/base/diag.h"
#include <stdbool.h>

#define ALLOC_NONE UINT32_MAX

enum alloc_flag {
    ALLOC_PARAMETER = 1,
    ALLOC_LIVE_OUT = 2, /* "maybe-live-out" */
    ALLOC_CONSTANT = 4,
    ALLOC_THREAD_LOCAL = 8,
    ALLOC_TUPLE = 16, /* proto only; says nothing about being temp */
};

struct allocation {
    int64_t index;      /* as dumped */
    uint64_t size;      /* bytes */
    int32_t color;      /* memory space; 0: the default */
    unsigned flags;     /* enum alloc_flag */
    int64_t parameter;  /* parameter number, or -1 */
    const char *shape;  /* text dumps: shape of the parameter or output; else NULL */
};

/* A temp ("preallocated-temp") is whatever is none of parameter, live-out, constant, thread-local. */
static inline bool alloc_flags_temp(unsigned flags)
{
    return !(flags & (ALLOC_PARAMETER | ALLOC_LIVE_OUT | ALLOC_CONSTANT | ALLOC_THREAD_LOCAL));
}
static inline bool allocation_is_temp(const struct allocation *a)
{
    return alloc_flags_temp(a->flags);
}

/* One logical buffer ("value") of the dump. */
struct dump_value {
    int64_t id;             /* XLA's value id */
    int64_t inst;           /* XLA's unique id of the defining instruction, or -1: use the name */
    const char *name;       /* its name, or NULL when only the id is known */
    struct span path;       /* -> assignment.paths: shape index */
    const char *shape;      /* text dumps, with layout; else NULL */
    uint64_t size;          /* the value's own bytes if known, else those reserved */
    uint64_t offset;        /* in its allocation */
    uint64_t reserved;      /* bytes at that offset; may exceed `size` */
    uint32_t alloc;         /* -> assignment.allocs, ALLOC_NONE: not placed */
    int32_t color;
    bool phi;               /* text only */
};

struct claimed_range {
    const char *name; /* instruction */
    struct span path; /* -> assignment.paths */
    uint32_t start, end;
};

struct assignment {
    struct arena *arena;
    const char *file;
    struct list allocs;   /* struct allocation */
    struct list values;   /* struct dump_value, in file order */
    struct list paths;    /* int64_t: shape indices */
    /* Claims; empty when the dump has none. */
    struct list ranges;   /* struct claimed_range */
    struct list sequence; /* const char *: InstructionSequence */
    const char *ranges_file; /* where they were read, or NULL */
    bool has_max;
    uint32_t max;         /* "HloLiveRange (max N)" */
    bool has_peak;
    uint32_t peak_step;   /* "Live ranges at N (peak)": not the memory peak, see report.h */
    uint64_t peak_bytes;  /* the sum of the values listed there */
    bool has_total;
    uint64_t total;       /* "Total bytes used" */
    bool recent;          /* laid out as jaxlib 0.10 does (ranges in a file of their own, or
                             BufferAssignmentProto field 5): decides one rule of liveness */
    bool oldest;          /* laid out as jaxlib up to 0.4.23 does ("from instruction:%x" without a
                             blank): decides another */
};

static inline struct allocation *assignment_alloc(const struct assignment *a, uint32_t i)
{
    return (struct allocation *)a->allocs.items + i;
}
static inline struct dump_value *assignment_value(const struct assignment *a, uint32_t i)
{
    return (struct dump_value *)a->values.items + i;
}
static inline const int64_t *assignment_path(const struct assignment *a, struct span path)
{
    return path.n ? (const int64_t *)a->paths.items + path.first : NULL;
}

/* Sums as JAX's memory_analysis() forms them; colour 5 (pinned host) is counted under host_*. */
struct totals {
    uint64_t argument, output, alias, temp, constant, thread_local_, total;
    uint64_t host_argument, host_output, host_temp;
};
void assignment_totals(const struct assignment *a, struct totals *t);
/* The sums by name, as JSON has them, in order; k < TOTALS_COUNT. */
enum { TOTALS_COUNT = 10 };
const char *totals_name(size_t k);
uint64_t totals_bytes(const struct totals *t, size_t k);

/* Sizes add up: every value inside its allocation, the stated total equal to the sum, at least one
 * allocation.  A half-written dump fails here. */
bool assignment_check(const struct assignment *a, struct diag *d);

enum platform { PLATFORM_UNKNOWN, PLATFORM_CPU, PLATFORM_GPU, PLATFORM_TPU };
const char *platform_name(enum platform p); /* "cpu", "gpu", "tpu"; NULL when unknown */

/* A memory space's name on a platform ("hbm", "vmem", "pinned host", …, else "color N"), and
 * whether it is the device's main memory, whose peak is the peak.  out: at least 16 bytes. */
const char *space_name(enum platform p, int32_t color, char out[16]);
bool space_is_main(enum platform p, int32_t color);

#endif
