/* The list of modules to choose from: state + message -> state, like the explorer (app.h).
 *
 * The largest peak stands first.  A module that was not loaded is held for its bound: what its
 * allocations reserve, above which its peak cannot be. */
#ifndef TUI_LISTS_PICKER_H
#define TUI_LISTS_PICKER_H

#include "core/model/assignment.h"
#include "tui/terminal/grid.h"
#include "tui/terminal/keys.h"
#include "tui/terminal/typing.h"
#include "tui/views/views.h"

enum pick_state { PICK_SIZED, PICK_LOADED, PICK_BROKEN };

struct pick {
    const char *label; /* "a100-vit/module_0001.jit_step": its directory where they differ */
    const char *path;  /* the same in full */
    enum platform platform;
    enum pick_state state;
    bool has_reserved;
    uint64_t reserved; /* bytes of the main space's allocations */
    uint64_t peak;     /* PICK_LOADED: bytes */
    bool has_instructions;
    uint32_t instructions;
    uint64_t limit;    /* bytes of memory there are, 0: unknown */
    const char *why;   /* PICK_BROKEN: in one line */
    uint32_t dump, entry;
    const struct listing *listing; /* no module: what a log lists; peak is what it says is needed */
};

struct picks {
    struct pick *items; /* in order */
    uint32_t n;
    const char *where;  /* the directory above them all */
    const struct keymap *keys; /* or NULL */
};
void picks_sort(struct picks *p);

enum pick_want { PICK_NOTHING, PICK_QUIT, PICK_OPEN };

struct picker {
    enum pick_want want; /* PICK_OPEN: number `at` */
    int cols, rows;
    uint32_t at;         /* < n */
    uint32_t top;        /* first row shown, among those that the filter lets through */
    bool typing;         /* the filter's line is open */
    bool help;
    int help_top;
    bool refused;        /* the answer to the last key: this one cannot be opened */
    int32_t idle;        /* the last key, where it did nothing; 0: it did */
    char filter[QUERY_MAX];
};

struct picker picker_start(int cols, int rows);
struct picker picker_update(const struct picks *p, struct picker s, struct msg m); /* O(n) */
/* Does this key do something?  `row` and `n` are those of picker_count(). */
bool picker_can(const struct picker *s, const struct binding *b, uint32_t row, uint32_t n);
struct help picker_help(void);

/* Does the filter let it through? */
bool picker_shows(const struct picks *p, const struct picker *s, uint32_t i);
/* How many it lets through, and which of them the selected one is (UINT32_MAX: none). */
uint32_t picker_count(const struct picks *p, const struct picker *s, uint32_t *row);
uint32_t picker_top(const struct picker *s, uint32_t row, uint32_t n, int height);

struct rect picker_list(int cols, int rows); /* the rows of modules */
void picker_draw(const struct picks *p, const struct picker *s, struct grid *g);

#endif
