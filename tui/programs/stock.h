/* The forms of one program, as far as they were asked for: what each one needs, how sure that is, and
 * its program.
 *
 * A form of the shipped example is taken from the grid, else from the cache (compiled); else it is
 * what-if's answer, from the nearest rolled form of the same target and width.  Of another dump the
 * original is what was compiled, all else what-if's answer about its scan.
 * Programs stay until stock_keep() lets them go; figures stay.  Files are read here, nothing is
 * compiled: see compile.h. */
#ifndef TUI_PROGRAMS_STOCK_H
#define TUI_PROGRAMS_STOCK_H

#include "core/analysis/whatif/whatif.h"
#include "tui/programs/form.h"
#include "tui/programs/open.h"

struct figure {
    enum whatif_method method;
    bool known;             /* all bytes below; not when unknown */
    uint64_t bytes, low, high; /* output + temp; estimate: the truth lies in [low, high] */
    bool has_need;
    uint64_t need, need_low, need_high; /* what the device must hold */
    uint64_t peak;          /* live bytes at the peak */
    uint64_t limit;         /* bytes of memory there are, 0: unknown */
    const char *note;       /* why this label; never NULL */
};

#define STOCK_TARGETS 8
struct stock {
    struct arena arena;
    enum forms kind;
    const char *why_not;    /* FORMS_NONE: why there are no other forms */
    const char *scan;       /* the loop that seqlen and unroll are of, where there are several scans; or NULL */
    struct form first;      /* what was opened */
    const char *target[STOCK_TARGETS];
    uint32_t n_targets;
    /* Private. */
    struct variants variants; /* FORMS_EXAMPLE */
    const struct program *original;
    uint64_t limit;
    uint64_t steps;         /* of the scan, both passes */
    struct list entries;    /* struct stock_entry * */
};

/* p, which was read in `dir` (or NULL), must outlive the stock.  limit 0: the device's memory. */
void stock_open(struct stock *k, const struct program *p, const char *dir, uint64_t limit);
void stock_free(struct stock *k);

/* The program of a form, and what is known of it: *f.  NULL when that is unknown.  It stays until
 * stock_keep(). */
const struct program *stock_get(struct stock *k, const struct form *form, struct figure *f);
/* What is known of a form; false: nobody asked yet. */
bool stock_peek(const struct stock *k, const struct form *form, struct figure *f);
/* Would finding it out take longer than a blink?  An unrolled scan grows with its copies. */
bool stock_is_slow(const struct stock *k, const struct form *form);
/* Finds it out; its program does not stay, unless it was there. */
void stock_ask(struct stock *k, const struct form *form);
/* Something new was compiled: what is known of the form is asked again.  Its programs may still be
 * shown: they go with stock_keep(). */
void stock_renew(struct stock *k, const struct form *form);
/* Frees the programs of what-ifs that are none of these. */
void stock_keep(struct stock *k, const struct program *const *kept, int n);

/* The form beside f that a key leads to: f itself at its end. */
struct form stock_target(const struct stock *k, struct form f, int by);
/* f as variants.h has it; FORMS_EXAMPLE. */
struct variant stock_variant(const struct stock *k, const struct form *f);
/* The form that f is compared with where nothing else was shown: unrolled whole, else not at all. */
struct form stock_counterpart(const struct form *f);

#endif
