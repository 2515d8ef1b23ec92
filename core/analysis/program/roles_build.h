/* Private to roles*.c: what is worked out on the way to roles. */
#ifndef CORE_ANALYSIS_PROGRAM_ROLES_BUILD_H
#define CORE_ANALYSIS_PROGRAM_ROLES_BUILD_H

#include "core/analysis/program/roles.h"

enum side { SIDE_NONE, SIDE_FORWARD, SIDE_BACKWARD }; /* of differentiation; the later one wins */

/* How sure a role is: one that follows from what defines a value is not changed by one that it gets as
 * a link of another's chain. */
enum grip { GRIP_NONE, GRIP_LINK, GRIP_OWN };

enum drained { DRAINED_AHEAD = 1, DRAINED_BACK = 2 }; /* by a loop of the backward pass: BACK */

enum reads {
    READ_FORWARD = 1,  /* by what the forward pass makes */
    READ_BACKWARD = 2, /* by what the backward pass makes, or a part of it does */
    READ_BEHIND = 4,   /* by what neither makes: the optimizer */
    READ_BACK_ONLY = 8 /* by what the backward pass makes */
};

struct roles {
    struct arena arena;
    const struct program *p;
    const struct dataflow *f;
    const struct hlo *h;
    uint8_t *role;    /* [values] enum role */
    uint8_t *grip;    /* [values] enum grip */
    uint8_t *side;    /* [instructions] enum side: the pass that makes its result */
    bool *reads_back; /* [instructions] something in it belongs to the backward pass */
    uint8_t *reads;   /* [values] enum reads, together: who reads it, copies of it looked through */
    value_id *by_step; /* [n_by_step] all values that have a life, in program order */
    uint32_t n_by_step;
    uint8_t *drained; /* [values] enum drained, together: loops that read nothing but slots of it */
    uint32_t *loop_of;  /* [computations] -> loops: the while whose body it is, or LOOP_NONE */
};

/* ---- roles.c ---- */

void roles_mark(struct roles *r, value_id v, enum role role, enum grip grip);
static inline bool roles_is_open(const struct roles *r, value_id v)
{
    return r->grip[v] == GRIP_NONE;
}
/* The one value at a position, or VALUE_NONE. */
value_id roles_at(const struct roles *r, inst_id i, uint32_t node);
/* v became what it is from these: marks them, through copies and what is written in place, as far as
 * nothing is known of them. */
void roles_mark_back(struct roles *r, value_id v, enum role role);

/* ---- roles_pass.c ---- */

enum side roles_named_side(const char *op_name); /* SIDE_NONE for NULL */
void roles_sides(struct roles *r);   /* fills side, reads_back */
void roles_readers(struct roles *r); /* fills reads */
/* The pass that makes value v: of a fusion, that of the output at hand. */
enum side roles_side_of(const struct roles *r, value_id v);
/* The same of what v is a copy of. */
enum side roles_made_by(const struct roles *r, value_id v);
/* Rule 5, for values that have no role yet. */
void roles_between_passes(struct roles *r);
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
/* What v is a plain copy of, or VALUE_NONE. */
value_id roles_copied(const struct roles *r, value_id v);
/* Compilers move data between memory spaces with instructions of their own: copies, slices of it, and
 * what joins these again. */
bool roles_hands_on(const struct hlo *h, inst_id i);
/* What such an instruction made v of, or VALUE_NONE. */
value_id roles_handed(const struct roles *r, value_id v);
void roles_of_moved(struct roles *r); /* rule 4 */

#endif
