/* Which slots of each stack hold data: by the bytes that the run wrote and read, never by a model.
 * Private to gpu/run.
 *
 * A slot holds data from the step that writes it to the one that reads it for the last time, both
 * included, as lives are; one that nothing reads, to the end of its stack's life.  Which read was the
 * last is only known later: each stretch is added when it is over, as a step up and a step down between
 * the records that are kept.
 * Stacks are alias sets that loops fill or drain, each once.  Where the slots do not lie one after the
 * other, or a loop writes more than a slice, nothing is known. */
#ifndef GPU_RUN_SLOTS_H
#define GPU_RUN_SLOTS_H

#include "gpu/run/run.h"

#define SLOTS_STACKS_MOST 128
#define SLOTS_MOST (UINT64_C(1) << 20) /* of one stack */

struct slot_stack {
    value_id value, set;
    uint32_t fill;        /* -> loops.stacks, the one that fills it; UINT32_MAX: only drained */
    uint64_t slots, slot_bytes, most;
    bool known;
    uint64_t held;        /* slots written and not overwritten */
    uint64_t *wrote, *read; /* [slots] steps of the run, UINT64_MAX: not */
    int32_t *change;      /* [records + 1] slots that come to hold data at a record, less those that cease */
    bool *alive;          /* [records + 1] */
};

struct slots {
    struct slot_stack *stacks;
    uint32_t n;
    uint32_t *of_set;     /* [values] the stack of an alias set, UINT32_MAX: none */
};

void slots_open(struct slots *s, struct run *r);
void slots_close(struct slots *s);

/* Bytes [from, to) of a value of this set were written, in place of a part or (whole) of all of it; or
 * read.  `now` is the step of the run. */
void slots_wrote(struct slots *s, const struct run *r, value_id set, uint64_t from, uint64_t to, bool whole);
void slots_read(struct slots *s, const struct run *r, value_id set, uint64_t from, uint64_t to);
void slots_died(struct slots *s, const struct run *r, value_id set);

/* A record is added at index k; record `from` moves down to `to`, what was between is dropped. */
void slots_record(struct slots *s, const struct run *r, uint32_t k);
void slots_move(struct slots *s, uint32_t from, uint32_t to, bool kept);
/* At the end: closes all stretches and fills filled[record * n + stack], -1: not alive, not known. */
void slots_count(struct slots *s, const struct run *r, int64_t *filled);

#endif
