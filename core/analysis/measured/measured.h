/* What a run measured, as its trace (JSON: what `run --json` prints) has it.
 *
 * A trace may come from anywhere: every number is checked, and the whole is refused with the place
 * that is wrong.  Bytes are whole numbers up to 2^53; unknown is null there and MEASURED_UNKNOWN here.
 * All memory is the arena's. */
#ifndef CORE_ANALYSIS_MEASURED_MEASURED_H
#define CORE_ANALYSIS_MEASURED_MEASURED_H

#include "core/analysis/program/timeline.h"
#include "core/base/file.h"
#include "core/base/json.h"

#define MEASURED_UNKNOWN UINT64_MAX
#define MEASURED_FILE_MOST (UINT64_C(64) << 20)  /* bytes of a trace */
#define MEASURED_STEPS_MOST (UINT32_C(1) << 20)

/* What holds when a step has run. */
struct measured_step {
    uint64_t number;        /* in the run; they rise */
    uint32_t step;          /* of the program */
    uint32_t n_loops;       /* around it, and the iteration of each, outermost first */
    int64_t iteration[TIMELINE_DEPTH];
    uint64_t live, held, touched, resident, dynamic; /* the last two may be unknown */
    const int64_t *filled;  /* [n_stacks], -1: not alive, not known */
    const char *instruction;
};

struct measured_stack {
    const char *value;
    uint64_t slots, filled, slot_bytes; /* filled may be unknown */
};

struct measured_output {
    const char *name, *shape, *against; /* against NULL: not compared */
    double max_abs, max_rel;            /* NAN: unknown */
};

struct measured {
    const char *name, *backend, *device; /* never NULL */
    uint64_t instructions, program_steps;
    uint64_t planned, planned_temp, arena, touched, touched_temp;
    uint64_t resident, pool_high, device_delta, xla_peak; /* may be unknown */
    bool guarded, computed;
    uint64_t checks, violations;
    const char *violation;  /* the first, or NULL */
    uint64_t executed, steps_run, every_step, every_iteration;
    double seconds;
    struct measured_output *outputs;
    uint32_t n_outputs;
    struct measured_stack *stacks;
    uint32_t n_stacks;
    struct measured_step *steps; /* by number */
    uint32_t n_steps;
};

/* All modules of a trace: struct measured in *out. */
bool measured_read(struct arena *a, const struct file *f, struct list *out, struct diag *d);
/* One module, as capture_json() makes it; `file` is for *d. */
bool measured_from_json(struct arena *a, const cJSON *module, const char *file, struct measured *out, struct diag *d);

/* Was it measured of this program?  If not, *d says how it differs. */
bool measured_fits(const struct measured *m, const struct program *p, const char *file, struct diag *d);

/* The trace of this program in a file; false with *d when it cannot be read, or is of others alone. */
bool measured_open(struct arena *a, const char *path, const struct program *p, struct measured *out, struct diag *d);

#endif
