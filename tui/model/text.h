/* Figures and names in words, as every part of the screen writes them. */
#ifndef TUI_MODEL_TEXT_H
#define TUI_MODEL_TEXT_H

#include "tui/model/app.h"

#define AMOUNT 32
#define BYTE_UNITS 7
extern const char *const byte_units[BYTE_UNITS]; /* "B", "KiB" ... each 1024 of the one before */

const char *amount(const struct app *s, uint64_t bytes, char out[AMOUNT]);
/* "scan.py:21" or "" */
const char *source_text(const char *file, uint32_t line, char *out, size_t size);
/* "12→end": a buffer's life, the first step `digits` wide. */
const char *life_text(const struct program *p, buf_id b, int digits, char *out, size_t size);
/* "16.00 filled", in the unit of what is reserved where that says enough. */
const char *filled_text(const struct app *s, uint64_t filled, uint64_t reserved, char out[48]);
/* " backward", or "" */
const char *pass_text(const struct loop *l);
/* "2/4", or "" where it is not known how often the loop runs. */
const char *iteration_text(const struct loop *l, int64_t iteration, char out[48]);
/* Line number `line` of text broken between words at `width` columns; false when it has no such
 * line. */
bool wrap_line(const char *text, int width, int line, char *out, size_t size);
/* "while.16 backward 2/4, while.3 1/9": the loops around a moment, outer first; "" outside.  Brief 1:
 * "backward 2/4, 1/9"; above: the innermost alone, with less words the higher `brief` is (up to
 * LOOPS_BRIEF). */
#define LOOPS_BRIEF 5
const char *loops_text(const struct program *p, const struct moment *m, int brief, char *out, size_t size);

#endif
