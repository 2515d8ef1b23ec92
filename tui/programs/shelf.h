/* The dumps that the lesson shows: forms of the shipped example, and its remedies (remedies.json).
 * Each is read when it is first asked for and stays until the shelf is closed. */
#ifndef TUI_PROGRAMS_SHELF_H
#define TUI_PROGRAMS_SHELF_H

#include "core/load/example/variants.h"
#include "tui/programs/open.h"

struct book {
    const char *name; /* "grid/a100-d1048576-s4-u1", below the folder of the example */
    const char *dir;  /* its dump */
    struct opened one;
    const struct program *p; /* NULL: it cannot be opened, … */
    const char *why;         /* … as this line says */
};

/* A program of remedies.json: what it changes, and what that costs. */
struct remedy {
    const char *name, *title, *when; /* when it may be used */
    const char *dir;                 /* below the folder of the example */
    int64_t seqlen, forward;         /* forward: how often each step of the forward pass runs */
};

struct shelf {
    struct arena arena;
    struct variants variants;
    struct variant base;  /* the form that opens without a PATH: its target and width are shown */
    struct list remedies; /* struct remedy, in the order of the file */
    const char *no_remedies; /* why there are none; NULL: the file was read */
    struct list books;    /* struct book * */
};

/* False when the example is not installed; nothing to free then. */
bool shelf_open(struct shelf *f, struct diag *d);
void shelf_close(struct shelf *f);

/* Never NULL. */
const struct book *shelf_form(struct shelf *f, int64_t seqlen, int64_t unroll);
const struct book *shelf_remedy(struct shelf *f, const char *name, int64_t seqlen);
const struct remedy *shelf_remedy_about(const struct shelf *f, const char *name, int64_t seqlen); /* or NULL */

/* Output and temp of the rolled form of so many steps: read from the grid where it is there, else
 * what-if's answer, exact or an estimate, from the longest one that it can tell from.  False: neither. */
bool shelf_rolled(struct shelf *f, int64_t seqlen, uint64_t *bytes);

#endif
