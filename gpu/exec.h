/* The backends that can execute a program: "host" always, "cuda" where nvcc was found at build; and
 * the execution of one program at the offsets that its dump says.
 *
 * The door of gpu/: others include this, and capture_json.h for its result as JSON; it includes nothing
 * of gpu/ itself.  Order: exec_open(), exec_run() as often as wanted, exec_close().  The program must
 * outlive the run, the options' texts and backend too; a result's memory is the run's.
 * Bytes are bytes; unknown is UINT64_MAX, never 0.  One run at a time on one thread; it starts threads
 * of its own.  Cost: that of the program's arithmetic, and memory as the dump plans it. */
#ifndef GPU_EXEC_H
#define GPU_EXEC_H

#include "core/base/diag.h"

struct program;
struct engine_api;

struct backend {
    const char *name;
    /* Usable on this machine?  If so `device` says what it is ("NVIDIA H200, 139.81 GiB"); if not,
     * *d says why. */
    bool (*probe)(char *device, size_t size, struct diag *d);
    const struct engine_api *engine; /* private to gpu/ */
};

/* Backend i, or NULL past the last. */
const struct backend *exec_backend(unsigned i);

enum exec_guards { GUARDS_AUTO, GUARDS_ON, GUARDS_OFF }; /* AUTO: on up to GUARDS_MOST bytes */
#define GUARDS_MOST (UINT64_C(1) << 30)

struct exec_options {
    const struct backend *backend; /* NULL: the host; else one that probe() found usable */
    enum exec_guards guards;
    bool memory_only;        /* calls that are not known write a pattern: values are not computed */
    bool async_late;         /* async computations run at their -done, not at their -start */
    bool dynamic;            /* a second run, each buffer allocated at its birth */
    unsigned threads;        /* 0: all cores */
    const char *inputs;      /* directory of in_NAME.bin, or NULL: inputs are made */
    const char *expect;      /* directory of references, or NULL */
    uint32_t steps_most;     /* records kept of a run, at least 16; 0: EXEC_STEPS_MOST */
    uint64_t memory_limit;   /* refuse to need more; 0: what the machine has free */
    /* For tests of what comes out: how much it follows from the last bits of the inputs. */
    double noise;            /* inputs are changed by so much, relatively, at random */
    bool definite;           /* square matrices that are made are symmetric and positive definite */
    /* For tests of the guards: this alias set is moved by so many bytes. */
    uint32_t move_set;       /* with move_by != 0 */
    int64_t move_by;
    /* Called before each instruction, with how many have run; once more from 1 on in the second run.
     * False cancels. */
    bool (*progress)(void *ctx, uint64_t steps);
    void *progress_ctx;
};

#define EXEC_LOOPS 16 /* nested deeper, loops are not told apart */

/* What holds when one step of the execution has run. */
struct exec_step {
    uint64_t number;          /* in the run, from 0 */
    uint32_t step;            /* program order */
    uint32_t n_loops;         /* that run, and the iteration of each, outermost first */
    int64_t iterations[EXEC_LOOPS];
    uint64_t ends;            /* the last step of the run's ends-th iteration; 0: of none */
    const char *instruction;
    uint64_t live, touched;   /* planned bytes alive at this step; bytes ever written so far */
    uint64_t held;            /* live, less the slots of stacks that hold no data: see slots.h */
    uint64_t resident;        /* bytes of pages that are there; UINT64_MAX: not looked */
    uint64_t dynamic;         /* bytes that the dynamic allocator holds; UINT64_MAX: no such run */
    const int64_t *filled;    /* [n_stacks] slots that hold data; -1: not alive, or not known */
};

struct exec_stack {
    const char *value;        /* name */
    uint64_t slots, filled;   /* most slots that held data at once */
    uint64_t slot_bytes;
    bool known;               /* which slots hold data; else `filled` is nothing */
};

struct exec_output {
    const char *name, *shape;
    const void *data;         /* in the layout of the shape; valid until exec_close() */
    uint64_t bytes;
    bool compared;
    const char *against;      /* "float64", "XLA", "closed form" */
    double max_abs, max_rel;
};

struct exec_result {
    uint64_t planned, arena, touched, temp_planned, temp_touched, live_most;
    uint64_t resident;        /* at the end; UINT64_MAX: not known */
    bool has_pool;
    uint64_t pool_high;       /* the dynamic run's high water, fixed buffers included */
    uint64_t pool_reserved;   /* what that allocator held, they included; UINT64_MAX: not known */
    uint64_t device_delta;    /* what the device lost to the arena; UINT64_MAX: not known */
    uint64_t host_stages;     /* parts of instructions that a device left to the host */
    bool guarded;
    uint64_t checks, violations, overlaps; /* overlaps: G6, without running */
    char violation[400];      /* the first one, in words */
    bool computed;            /* false: some values are a pattern */
    uint64_t executed;        /* instructions */
    double seconds;
    struct exec_output *outputs;
    uint32_t n_outputs;
    uint64_t steps_run;
    struct exec_step *steps;  /* of them, those that are kept: within iterations each every_step-th, */
    uint32_t n_steps;         /* of the last steps of iterations those of each every_iteration-th */
    uint64_t every_step, every_iteration;
    struct exec_stack *stacks;
    uint32_t n_stacks;
};
#define EXEC_STEPS_MOST UINT32_C(8192)

struct run;

/* Compiles all that will be run; refuses, before anything runs or is allocated, what cannot be: one
 * line that names op, instruction and source line, or the memory that is missing. */
struct run *exec_open(const struct program *p, const struct exec_options *o, struct diag *d);
/* Runs it.  *out's memory is the run's.  False: *d says what stopped it. */
bool exec_run(struct run *r, struct exec_result *out, struct diag *d);
void exec_close(struct run *r);

#endif
