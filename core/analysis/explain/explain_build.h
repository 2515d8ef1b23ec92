/* Private to explain*.c: writing lines, naming things, and asking why a life ends. */
#ifndef CORE_ANALYSIS_EXPLAIN_EXPLAIN_BUILD_H
#define CORE_ANALYSIS_EXPLAIN_EXPLAIN_BUILD_H

#include "core/analysis/explain/explain.h"

/* ---- Lines ---- */

struct pen {
    const struct program *p;
    struct arena *a;
    struct page *page;
};

/* The new line; buffer and step are not set.  It moves when the next one is added. */
struct line *pen_line(struct pen *pen, enum line_kind kind, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void line_bytes(struct line *l, uint64_t bytes);
/* What the line is about: the buffer, the step to look at it, its source line. */
void line_about(struct pen *pen, struct line *l, buf_id b, uint32_t step);

const char *pen_bytes(struct pen *pen, uint64_t bytes); /* "4.00 GiB" */
const char *pen_cut(struct pen *pen, const char *text); /* long ones lose their middle */
const char *pen_op_name(struct pen *pen, const char *op_name);
const char *pen_inst(struct pen *pen, inst_id i);     /* its name */
const char *pen_buffer(struct pen *pen, buf_id b);    /* its name */
const char *pen_source(struct pen *pen, inst_id i);   /* "scan.py:21" or NULL */
const char *pen_step(struct pen *pen, uint32_t step); /* "step 7", "the end" */

/* ---- Things ---- */

static inline uint32_t explain_step_of(const struct program *p, inst_id i)
{
    return i == HLO_NONE || p->lives != LIFE_RERUN ? STEP_NONE : p->liveness.step[i];
}
/* The innermost loop around a step, or LOOP_NONE. */
uint32_t explain_loop_at(const struct program *p, uint32_t step);
/* The loop of a while instruction, or LOOP_NONE. */
uint32_t explain_loop_of(const struct program *p, inst_id i);
/* The stack that a buffer is, in the loop that fills it if there is one; NULL: none.  A buffer that
 * no longer, or not yet, is the stack's value but shares its place is the stack, too. */
const struct loop_stack *explain_stack(const struct program *p, buf_id b);
/* A donated parameter that the backward pass reads is a residual, too, whatever its role says. */
bool explain_donated_residual(const struct program *p, buf_id b);
/* The output of the entry whose memory parameter node (inst, node) is offered to by an alias entry:
 * node of the root, or SHAPE_NONE. */
uint32_t explain_alias_out(const struct program *p, inst_id param, uint32_t node);
/* Is parameter node (inst, node) given away for any output to take? */
bool explain_is_donor(const struct program *p, inst_id param, uint32_t node);

/* ---- Why a life ends ---- */

enum reach_kind {
    REACH_DEFINED, /* nothing reads it: it must still be written */
    REACH_ASYNC,   /* inside an asynchronous computation, all lives till that is done */
    REACH_CALL,    /* a call takes it: counts with old compilers only */
    REACH_PASSED,  /* an instruction that forwards it: a bitcast, a while that leaves it as it is */
    REACH_HANDED, /* at the root of a computation: handed to its caller, or to the next iteration */
    REACH_LOOP,   /* a while takes it in */
    REACH_READ,   /* an instruction reads it */
    REACH_RETURNED, /* at the entry's root: alive to the end of the program */
    REACH_KEPT,     /* an entry parameter that is not donated: likewise */
};

struct reach {
    enum reach_kind kind;
    uint32_t step;
    inst_id by;
    inst_id through; /* by reads it there, when that is not where it is defined; else HLO_NONE */
};

struct reaches {
    struct reach *items; /* by step, then kind; an instruction that reads it twice stands once */
    uint32_t n;
};

/* All that keeps value v alive, as core/analysis/flow/liveness.c counts it.  O(positions + uses). */
void explain_reaches(const struct program *p, value_id v, struct arena *a, struct reaches *out);
/* The one that decides: latest step, then kind; a call only if the life does end there.  NULL:
 * none. */
const struct reach *explain_last(const struct reaches *r, uint32_t end);
/* Does an instruction read the value there?  (Others only pass it on.) */
static inline bool reach_reads(const struct reach *r)
{
    return r->kind == REACH_READ || r->kind == REACH_LOOP || r->kind == REACH_CALL;
}
/* The last that reads it, or NULL. */
const struct reach *explain_last_reader(const struct reaches *r);
/* The instruction that calls the computation of a root, HLO_NONE: none; *body: a loop calls it as
 * its body. */
inst_id explain_caller(const struct program *p, inst_id root, bool *body);
/* The buffer of the same alias set that comes next (by: 1) or before (-1), or BUF_NONE. */
buf_id explain_set_neighbour(const struct program *p, buf_id b, int by);

/* ---- Parts of a page ---- */

void explain_place(struct pen *pen, buf_id b);
/* Says which output has the place of donated parameter b; true if none has. */
bool explain_donation(struct pen *pen, buf_id b, const struct reaches *r);
/* What giving parameter b away would gain, when it is read last at `step`. */
void explain_donate(struct pen *pen, buf_id b, uint32_t step);
void explain_ending(struct pen *pen, buf_id b, const struct reaches *r);
void explain_apart(struct pen *pen, buf_id b, const struct reaches *r);

#endif
