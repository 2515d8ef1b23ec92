/* One program, being run at its own offsets; private to gpu/run, others see exec.h.
 *
 * exec_open() (run.c) finds places and compiles a unit for each instruction; nothing of `struct run` that
 * it fills changes later.  exec_run() gets the memory, fills constants and inputs, and walks the schedule
 * (walk.c): the clock (clock.c) says which values are born and die, each unit (unit.c) is run between the
 * guards' checks (guard.c), and what was written goes to the capture (capture.c, slots.c).  With `dynamic`
 * the same walk is done once more, each alias set in memory of the pool (pool.c).
 * Columns are of the arena; `owner`, `touched`, the pool and memory of the engine are closed by those
 * that opened them.  Addresses are the engine's (engine.h): only `api` reads and writes there. */
#ifndef GPU_RUN_RUN_H
#define GPU_RUN_RUN_H

#include "core/analysis/program/program.h"
#include "core/base/memory.h"
#include "gpu/engine/engine.h"
#include "gpu/exec.h"
#include "gpu/run/extents.h"

#define RUN_STEPS_MOST UINT64_C(200000000) /* a loop that does not end is stopped here */

struct pool; /* the dynamic allocator */

struct run {
    struct arena arena;
    const struct program *program;
    const struct hlo *hlo;
    const struct dataflow *flow;
    const struct liveness *life;
    const struct assignment *assignment;
    struct exec_options options;
    struct details details;
    struct compiler compiler;
    struct threads *threads;
    const struct engine_api *api;
    void *engine;              /* of api */
    struct unit **unit;        /* [instructions] or NULL */
    /* places */
    uint32_t n_values;
    uint32_t *alloc;           /* [values] ALLOC_NONE: no place */
    uint64_t *offset, *size;   /* [values] bytes; size is the shape's */
    uint32_t *placed;          /* values with a place, ascending */
    uint32_t n_placed;
    uint32_t *starts, *ends;   /* [n_placed] value ids by start, by end */
    uint32_t *first_start, *first_end; /* [length + 2] -> starts, ends */
    char **base;               /* [allocations], NULL: thread-local */
    char **set_at;             /* [values] address of an alias set, by its smallest value */
    uint64_t arena_took;       /* free memory that went with the arena */
    char *scratch;
    struct list views;         /* char *: copies for the host */
    uint64_t scratch_size;
    /* the clock */
    uint32_t clock;            /* step, STEP_NONE before the first */
    bool async;                /* inside an async computation the clock stands still */
    uint32_t async_clock;
    uint64_t executed;
    uint32_t *live;            /* value ids alive now */
    uint32_t n_live;
    uint32_t *live_at;         /* [values] index in `live`, or UINT32_MAX */
    uint32_t *set_live;        /* [values] live members of each alias set */
    value_id *gone, *fresh;    /* [values] of one tick: values that die, sets that the pool is to give */
    uint32_t n_fresh;
    /* what is watched */
    struct extents *owner;     /* [allocations] last writing value */
    struct extents *touched;   /* [allocations] owner 0: written once */
    struct pool *pool;
    bool own_pool;             /* the device allocates: the temp has no block */
    struct capture *capture;
    struct diag *diag;         /* of exec_run(): filled with `failed` */
    bool failed;
    inst_id now;               /* that runs, for messages; HLO_NONE before the first */
    bool example;              /* the shipped example, by its shapes */
    double *references;        /* its gradients, one number a row; see example.h */
};

static inline value_id run_value(const struct run *r, inst_id i, uint32_t node)
{
    pos_id p = hlo_inst(r->hlo, i)->first_pos + node;
    return r->flow->at[p].n ? dataflow_at(r->flow, p, 0) : VALUE_NONE;
}
static inline char *run_at(const struct run *r, value_id v)
{
    return r->set_at[r->flow->set[v]];
}
static inline bool run_has_place(const struct run *r, value_id v)
{
    return v != VALUE_NONE && r->alloc[v] != ALLOC_NONE;
}

/* ---- places.c ---- */
bool run_find_places(struct run *r, struct diag *d); /* alloc, offset, size, and lists by step; G5 */
bool run_get_memory(struct run *r, struct diag *d);  /* a block for each allocation, and scratch */
void run_drop_memory(struct run *r);
/* Memory of the run that the host is about to write: the place itself, or a copy that
 * run_stage_end() sends there. */
char *run_stage(struct run *r, char *at, uint64_t bytes);
void run_stage_end(struct run *r, char *at, char *staged, uint64_t bytes);
/* Memory of the run, to be read: the place itself, or a copy that lasts until the run is closed. */
const char *run_view(struct run *r, const char *at, uint64_t bytes);
void run_drop_views(struct run *r);

/* ---- guard.c: G1 to G6; all but the last do nothing unless guard_open() was called ---- */
void guard_open(struct run *r); /* poisons everything */
void guard_close(struct run *r);
void guard_reads(struct run *r, inst_id i);            /* G2, G3: all operands */
void guard_read(struct run *r, inst_id i, uint32_t node);
void guard_write(struct run *r, value_id v, inst_id i); /* G1; before it is done */
void guard_wrote(struct run *r, value_id v, uint64_t from, uint64_t to); /* bytes within v */
void guard_died(struct run *r, value_id v);             /* G4 */
uint64_t guard_static(struct run *r);                   /* G6: pairs that overlap and must not */

/* ---- pool.c ---- */
bool pool_open(struct run *r, struct diag *d);
void pool_close(struct run *r); /* fills the result's pool_high and pool_reserved */
void pool_born(struct run *r, value_id set); /* sets set_at[set], or r->failed */
void pool_died(struct run *r, value_id set);
uint64_t pool_bytes(const struct run *r); /* held now, fixed buffers included */

/* ---- unit.c ---- */
void run_unit(struct run *r, const struct unit *u); /* with all that is watched around it */
/* Tuples own eight bytes for each element; a token there makes an overwrite visible. */
void run_write_tables(struct run *r, inst_id i);
/* Arrays without content (contexts, workspaces) at the nodes from `first` on. */
void run_write_rest(struct run *r, inst_id i, uint32_t first);

/* ---- walk.c ---- */
bool run_entry(struct run *r); /* from the first instruction to the last; false: *r->diag says why */

/* ---- clock.c ---- */
/* Ends the step that runs and begins this one: births, deaths, and a record.  O(what changes) from one
 * step to the next, O(values) at a jump. */
void clock_set(struct run *r, uint32_t step);

/* ---- inputs.c, outputs.c ---- */
int64_t inputs_example_width(struct run *r); /* of the shipped example; 0: it is not it */
bool inputs_fill(struct run *r, struct diag *d);
bool outputs_compare(struct run *r, struct exec_result *out, struct diag *d); /* lists them, too */

#endif
