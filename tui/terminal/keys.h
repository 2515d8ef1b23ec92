/* Keys: the one table of what they do, and the notation of --keys.
 *
 * A key is a character's code point or one of K_*; a terminal's own codes are mapped once, in
 * term.c.  Footer and help screen are made from the table. */
#ifndef TUI_TERMINAL_KEYS_H
#define TUI_TERMINAL_KEYS_H

#include "core/base/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    K_CTRL_C = 3,
    K_TAB = 9,
    K_ENTER = 13,
    K_CTRL_U = 21,
    K_ESC = 27,
    K_BACKSPACE = 127,
    K_LEFT = 0x110000, /* beyond Unicode */
    K_RIGHT, K_UP, K_DOWN, K_PAGE_UP, K_PAGE_DOWN, K_HOME, K_END,
};

enum msg_kind { MSG_NONE, MSG_KEY, MSG_CLICK, MSG_WHEEL_UP, MSG_WHEEL_DOWN, MSG_WHEEL_LEFT,
                MSG_WHEEL_RIGHT, MSG_DRAG, MSG_RESIZE };

/* What happened. */
struct msg {
    enum msg_kind kind;
    int32_t key;    /* MSG_KEY */
    int col, row;   /* mouse: the cell, from 0 */
    int from_col, from_row; /* MSG_DRAG: where the button went down */
    int cols, rows; /* MSG_RESIZE */
};

enum cmd {
    CMD_NONE,
    CMD_STEP_BACK,
    CMD_STEP_ON,
    CMD_ITERATION_BACK,
    CMD_ITERATION_ON,
    CMD_LOOP_BACK,
    CMD_LOOP_ON,
    CMD_CLOCK,
    CMD_ROW_UP,
    CMD_ROW_DOWN,
    CMD_PAGE_BACK,
    CMD_PAGE_ON,
    CMD_FIRST,
    CMD_LAST,
    CMD_PEAK,
    CMD_BORN,
    CMD_WHY,
    CMD_EXPLAIN,
    CMD_FOCUS,
    CMD_SORT,
    CMD_NARROW,
    CMD_WIDEN,
    CMD_FOLD,
    CMD_UNITS,
    CMD_SEARCH,
    CMD_NEXT,
    CMD_PREVIOUS,
    CMD_SPACE,
    CMD_MAP,
    CMD_BIGGER,
    CMD_SMALLER,
    CMD_CHOOSE,
    CMD_MODULES,
    CMD_OPEN,
    CMD_FILTER,
    CMD_LONGER,
    CMD_SHORTER,
    CMD_UNROLL,
    CMD_ROLL,
    CMD_TARGET,
    CMD_GRID,
    CMD_COMPARE,
    CMD_RUN,
    CMD_LEFT,
    CMD_RIGHT,
    CMD_FLIP,
    CMD_COMMAND,
    CMD_BACK,
    CMD_FORWARD,
    CMD_SET_MARK,
    CMD_GO_MARK,
    CMD_CLOSER,
    CMD_FARTHER,
    CMD_WHOLE,
    CMD_SELECT,
    CMD_COPY,
    CMD_PLAY,
    CMD_LESSON,
    CMD_ANSWER,
    CMD_HELP,
    CMD_CLOSE,
    CMD_QUIT,
    CMD_COUNT
};

/* Where a key works. */
enum scope {
    IN_CHART = 1, IN_TABLE = 2,
    IN_PANEL = 4, /* the map beside them has the focus */
    IN_MAP = 8,   /* the map has the screen */
    IN_HELP = 16,
    IN_PICKER = 32,
    IN_PAGE = 64, /* a page of explanations */
    IN_GRID = 128,    /* the table of forms */
    IN_COMPARE = 256, /* two programs side by side */
    IN_LESSON = 512,  /* a page of the lesson */
    IN_MENU = 1024,   /* the choice of a filter */
    IN_LISTING = 2048, /* what a log lists */
    IN_LAST = IN_LISTING,
    IN_MAPS = IN_PANEL | IN_MAP,
    IN_MAIN = IN_CHART | IN_TABLE | IN_PANEL,
    IN_PROGRAM = IN_MAIN | IN_MAP,
    IN_VIEWS = IN_PROGRAM | IN_PAGE | IN_GRID | IN_COMPARE,
};

struct binding {
    enum cmd cmd;
    unsigned scope;      /* enum scope, or'ed */
    int32_t keys[3];     /* 0: no more */
    const char *shown;   /* as a person reads it: "← →" */
    const char *brief;   /* for the footer, NULL: not shown there */
    int rank;            /* footer: the smallest stay longest */
    const char *words;   /* for the help screen, NULL: not shown there */
};
extern const struct binding bindings[];
extern const size_t n_bindings;

enum cmd keys_command(int32_t key, unsigned scope);

/* A key as a person reads it: "Z", "PgUp", "Ctrl-X". */
const char *key_shown(int32_t key, char out[16]);

/* The next message of a --keys text; *at moves behind it.  Literal characters and
 *   <Enter> <Tab> <Esc> <Space> <BS> <Left> <Right> <Up> <Down> <PgUp> <PgDn> <Home> <End>
 *   <C-x> <lt> <click:COL,ROW> <wheel+:COL,ROW> <wheel-:COL,ROW> <wheel-left:COL,ROW>
 *   <wheel-right:COL,ROW> <drag:COL,ROW:COL,ROW>
 * COL and ROW count from 1, as terminals report them; wheel+ turns it up (away from you), wheel-
 * down; a drag begins at the first cell.  Names are read in any case.  `whole` is the start of the text: an error names the position
 * in it.  At the end of the text the message is MSG_NONE. */
bool keys_next(const char *whole, const char **at, struct msg *m, struct diag *d);
/* "Enter", "Left": the name of a key that is no character, or NULL. */
const char *keys_name(int32_t key);

#endif
