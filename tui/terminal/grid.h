/* A screen of cells in memory: what views write and tests read.
 *
 * Coordinates count from 0.  Views write through a rectangle with coordinates of its own and never
 * outside it: grid_put() clips to the rectangle and to the screen, so a view needs no bounds checks.
 * A cell is one character, one column wide, and a style.  Styles are meanings; term.c turns them
 * into colours.  Every meaning also has a glyph or a place, so a screen reads in black and white.
 *
 * Views write Unicode; a grid that is `ascii` stores each glyph's ASCII stand-in instead.
 * Characters that are not exactly one column wide, control characters and invalid UTF-8 are shown
 * as '?', so no text from a file can reach the terminal as an escape. */
#ifndef TUI_TERMINAL_GRID_H
#define TUI_TERMINAL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum style {
    ST_PLAIN,
    ST_DIM,      /* words that only explain */
    ST_TITLE,    /* names and figures to read first */
    ST_RULE,     /* lines between parts */
    ST_FOCUS,    /* the line over the part that has the focus */
    ST_LIVE,     /* live bytes */
    ST_CHOSEN,   /* bytes and life of the selected buffer */
    ST_CURSOR,   /* the step we look at */
    ST_PEAK,     /* where the most bytes live */
    ST_LIMIT,    /* the memory there is */
    ST_OVER,     /* more than there is */
    ST_GOOD,     /* within what there is */
    ST_LOOP,     /* a loop */
    ST_LOOP_IN,  /* a loop around the cursor */
    ST_ROW,      /* the selected row */
    ST_MATCH,    /* text that was searched for */
    ST_KEY,      /* a key to press */
    ST_INPUT,    /* text being typed */
    ST_ROLE,     /* + enum role: what bytes are for */
    ST_ROLE_LAST = ST_ROLE + 14,
    ST_USED,     /* what a run measured */
    ST_COUNT
};
extern const char style_letter[ST_COUNT + 1]; /* for the style plane of saved screens */

struct rect {
    int x, y, w, h;
};
static inline bool rect_has(struct rect r, int x, int y)
{
    return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}
struct rect rect_line(struct rect r, int row); /* one row of r; empty when r has no such row */
struct rect rect_below(struct rect r, int row); /* from that row to the bottom */

struct cell {
    uint32_t ch; /* code point, one column wide */
    uint8_t style;
};

struct grid {
    struct cell *cells; /* [rows * cols] */
    int cols, rows;
    bool ascii;
    int colors; /* of the terminal; 0: none are seen, also in saved screens */
};
void grid_init(struct grid *g, int cols, int rows, bool ascii); /* blank */
void grid_free(struct grid *g);
void grid_clear(struct grid *g);

void grid_put(struct grid *g, struct rect r, int row, int col, uint32_t ch, enum style st);
void grid_fill(struct grid *g, struct rect r, int row, uint32_t ch, enum style st); /* whole row */
/* Restyles [col, col + n) and leaves the characters. */
void grid_paint(struct grid *g, struct rect r, int row, int col, int n, enum style st);

/* Writes text and returns the column after it. */
int grid_text(struct grid *g, struct rect r, int row, int col, enum style st, const char *text);
int grid_printf(struct grid *g, struct rect r, int row, int col, enum style st, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* Which part of a text that is too long is left out; an ellipsis stands for it. */
enum cut {
    CUT_END,
    CUT_MIDDLE, /* names: "loop_dynami…sion.6" */
    CUT_START,  /* paths: "…/while/body/mul" */
    CUT_WORD,   /* the end, after a whole word */
    CUT_RIGHT   /* the end; shorter texts stand at the right */
};
/* Writes text into exactly `width` columns from col; the one place where text is cut.
 * Returns col + width. */
int grid_field(struct grid *g, struct rect r, int row, int col, int width, enum style st,
               enum cut cut, const char *text);

/* Columns that text takes, and its next character (a safe one), for callers that search in it. */
int text_columns(const char *text);
uint32_t text_next(const char **at);
/* Adds a character as UTF-8, at most three bytes; those beyond U+FFFF are left out. */
void text_put(char *out, size_t *n, uint32_t ch);

/* Plain text, one line per row, trailing blanks cut. */
void grid_print(const struct grid *g, FILE *out);
/* The same for the style letters. */
void grid_print_styles(const struct grid *g, FILE *out);

#endif
