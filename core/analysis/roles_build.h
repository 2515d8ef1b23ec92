/* Private to roles*.c: what is worked out on the way to roles. */
#ifndef CORE_ANALYSIS_ROLES_BUILD_H
#define CORE_ANALYSIS_ROLES_BUILD_H

#include "core/analysis/roles.h"

enum side { SIDE_NONE, SIDE_FORWARD, SIDE_BACKWARD }; /* of differentiation; the later one wins */

/* How sure a role is: one that follows from what defines a value is not changed by one that it gets as
 * a link of another's chain. */
enum grip { GRIP_NONE, GRIP_LINK, GRIP_OWN };

struct roles {
    struct arena arena;
    const struct program *p;
    const struct dataflow *f;
    const struct hlo *h;
    uint8_t *role;    /* [values] enum role */
    uint8_t *grip;    /* [values] enum grip */
    uint8_t *side;    /* [instructions] enum side: the pass that makes its result */
    bool *reads_back; /* [instructions] something in it belongs to the backward pass */
    bool *drained;    /* [values] a loop reads it slot by slot, and nothing else in that loop does */
    bool *drained_back; /* [values] and that loop is of the backward pass */
    uint32_t *loop_of;  /* [computations] -> loops: the while whose body it is, or LOOP_NONE */
};

/* ---- roles.c ---- */

void roles_mark(struct roles *r, value_id v, enum role role, enum grip grip);
/* Has a place, and no role yet. */
bool roles_is_open(const struct roles *r, value_id v);
/* The one value at a position, or VALUE_NONE. */
value_id roles_at(const struct roles *r, inst_id i, uint32_t node);
/* v became what it is from these: marks them, through copies and what is written in place, as far as
 * nothing is known of them. */
void roles_mark_back(struct roles *r, value_id v, enum role role);

/* ---- roles_pass.c ---- */

enum side roles_named_side(const char *op_name); /* SIDE_NONE for NULL */
void roles_sides(struct roles *r);  /* fills side, reads_back */
/* The pass that makes value v: of a fusion, that of the output at hand. */
enum side roles_side_of(const struct roles *r, value_id v);
/* Rule 5, for values that have no role yet. */
void roles_between_passes(struct roles *r);
/* Does the backward pass read v, or a copy or part of it? */
bool roles_read_back(const struct roles *r, value_id v);
/* The same without the rest of the work, by op_names and loops alone. */
bool roles_parameter_read_back(const struct program *p, value_id v);

/* ---- roles_loop.c ---- */

void roles_of_loops(struct roles *r);
bool roles_is_backward(const struct roles *r, const struct loop *l);

/* ---- roles_add.c ---- */

/* Is `next` what `carry` becomes by additions alone, with no other reader of the carry?  *term is the
 * pass of the additions. */
bool roles_only_added(const struct roles *r, value_id carry, value_id next, enum side *term);
/* All zeros, or memory that nobody has written yet. */
bool roles_is_blank(const struct roles *r, value_id v);

/* ---- roles_move.c ---- */

/* What moves: v holds elements of other values, in another order, type or number perhaps. */
#define MOVED_MOST 16
struct moved {
    value_id from[MOVED_MOST];
    uint32_t n;
    bool cut;    /* a dynamic-slice */
    bool part;   /* a slice */
    bool joined; /* with others, or padded */
};
bool roles_moved(const struct roles *r, value_id v, struct moved *m);
void roles_of_moved(struct roles *r); /* rule 4 */

#endif
