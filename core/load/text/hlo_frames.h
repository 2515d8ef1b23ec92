/* The tables that HLO text prints between its header and the computations since jax 0.8:
 * FileNames, FunctionNames, FileLocations and StackFrames, into hlo.frames. */
#ifndef CORE_LOAD_TEXT_HLO_FRAMES_H
#define CORE_LOAD_TEXT_HLO_FRAMES_H

#include "core/load/text/hlo_lex.h"

struct frame_tables { /* what stack frames refer to; zeroed but for the arena */
    struct arena *arena;
    struct list files, functions; /* const char * */
    struct list locations;        /* struct hlo_frame */
    bool shifted;                 /* parent_frame_id is printed one too large */
};

bool frames_named(struct word name); /* is that one of the four tables? */

/* The rows of a table, the cursor standing behind its name. */
bool frames_read(struct frame_tables *t, struct lex *l, struct hlo *h, struct word name);

#endif
