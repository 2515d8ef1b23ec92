/* What a program's memory is: the peak, what it is made of, which source lines, does it fit.
 *
 * report_make() gathers, report_text() and report_json() only write.  "The peak" is the step with
 * the most live bytes in the main memory space, each byte counted once.  It is not XLA's "Live
 * ranges at N (peak)", which adds aliases separately.  What a program needs of the device is more
 * than the peak: allocations are reserved whole, so `need` is the sum of the main space's
 * allocations. */
#ifndef CORE_OUTPUT_REPORT_REPORT_H
#define CORE_OUTPUT_REPORT_REPORT_H

#include "core/analysis/explain/hints.h"
#include "core/analysis/program/roles.h"

#include <cjson/cJSON.h>
#include <stdio.h>

enum report_by { BY_NONE, BY_LINE, BY_OP, BY_SHAPE, BY_ROLE };

struct report_options {
    bool has_at;
    uint32_t at;        /* step to report on instead of the peak */
    uint32_t top;       /* buffers listed */
    enum report_by by;
    bool has_limit;     /* asked for with --limit */
    uint64_t limit;     /* bytes */
    bool ascii;
};

/* Buffers of one source line, op_name, shape or role. */
struct report_group {
    const char *name;
    uint64_t bytes; /* alive at the step, each byte once */
    uint64_t total; /* reserved over the whole program, each place once */
    uint32_t n;     /* buffers alive at the step */
};

/* What is alive at the step, by role. */
struct report_role {
    enum role role;
    uint64_t bytes; /* of the main space, each byte once: they add up to its live bytes */
    uint32_t n;     /* buffers */
    buf_id largest; /* the one with most of the bytes */
};

/* One memory space (colour), never mixed with another in a sum. */
struct report_space {
    int32_t color;
    char name[16];
    bool main;            /* its peak is the peak */
    uint64_t temp, total; /* bytes of allocations */
    bool has_bound;
    uint64_t bound;       /* what no placement of its temporaries can go below */
};

struct report {
    struct arena arena;
    const struct program *program;
    struct report_options options;
    uint32_t step;
    buf_id *alive;   /* [n] most bytes first */
    uint64_t *own;   /* [n] bytes of alive[i] that no other one covers */
    uint32_t n;
    struct report_group *groups; /* by options.by, or by line; most bytes first */
    uint32_t n_groups;
    struct report_role roles[ROLE_COUNT]; /* most bytes first */
    uint32_t n_roles;
    struct report_space *spaces; /* by colour */
    uint32_t n_spaces;
    bool has_bound;  /* of the main space's temporaries: */
    uint64_t bound;  /* the schedule allows so few bytes */
    uint64_t waste;  /* and so many more are reserved */
    bool has_need;
    uint64_t need;   /* bytes of the main space's allocations */
    bool has_limit;
    uint64_t limit;  /* asked for, else the device's; bytes */
    struct hints hints;
};

void report_make(struct report *r, const struct program *p, const struct report_options *o);
void report_free(struct report *r);

/* Does it fit? */
static inline bool report_over(const struct report *r)
{
    return r->has_need && r->has_limit && r->need > r->limit;
}

/* Does the dump's own "Live ranges at N (peak)" add up to more than is alive at step N?  It counts
 * every alias of a buffer (and, before jax 0.6, whole tuples for their elements). */
bool report_claims_more(const struct report *r);

void report_text(const struct report *r, FILE *out); /* 80 columns */
cJSON *report_json(const struct report *r);          /* one element of "modules" */

/* A line of CSV for each module, RFC 4180; empty: not known.  A module that could not be opened has
 * the error alone. */
void report_csv_head(FILE *out);
void report_csv(const struct report *r, FILE *out);
void report_csv_refused(const char *dir, const char *module, const char *error, FILE *out);

/* The parts of it that other documents have too. */
cJSON *report_bytes_json(const struct program *p);
cJSON *report_peak_json(const struct report *r);
cJSON *report_value_json(const struct program *p, buf_id b);

#endif
