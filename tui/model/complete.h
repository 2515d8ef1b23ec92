/* What a command line may become: words, names of values and instructions, source lines, loops.
 *
 * And what a name in it means.  O(text of all names). */
#ifndef TUI_MODEL_COMPLETE_H
#define TUI_MODEL_COMPLETE_H

#include "core/analysis/program/program.h"
#include "tui/terminal/typing.h"

#define COMPLETIONS_MOST 64
struct completion {
    char text[QUERY_MAX]; /* the whole line */
    char words[48];       /* what that is */
};
struct completions {
    struct completion item[COMPLETIONS_MOST];
    uint32_t n;
    bool more; /* than have room */
};
/* The last answer: zeroed before its first use, belongs to one program. */
struct complete_memo {
    const struct program *p; /* NULL: nothing in it */
    char line[QUERY_MAX];
    struct completions found;
};
const struct completions *complete_get(struct complete_memo *m, const struct program *p, const char *line);

/* Words first, then what begins with the line, then what has it inside. */
void complete(const struct program *p, const char *line, struct completions *c);

/* What a name stands for: a buffer (its value), or a step (its instruction); the best match is the
 * whole name, then its start, then a part, in any case. */
struct named {
    buf_id buffer;    /* BUF_NONE: a step */
    uint32_t step;    /* STEP_NONE: a buffer */
    uint32_t matches; /* as good as this one; 0: there is none */
    bool whole;
};
struct named name_find(const struct program *p, const char *name);
/* "scan.py:21": what comes first of that line.  False: the text is no such line. */
bool source_find(const struct program *p, const char *text, struct named *out);
/* A loop by name; LOOP_NONE: none, or (matches > 1) several. */
uint32_t loop_find(const struct program *p, const char *name, uint32_t *matches);

#endif
