/* The one error type.  A function that can fail on its input returns false and fills *d once, at
 * the place that knows where.  `what` says the value seen and the value wanted; `hint` what to do.
 *
 * Printed as  tidemark: FILE:LINE:COL: what (hint)  or, for binary files,  tidemark: FILE:@BYTE: …
 * Control characters and escape sequences in names are shown as \xNN, never sent to a terminal. */
#ifndef CORE_BASE_DIAG_H
#define CORE_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag {
    char file[512];
    unsigned line, col;  /* 1-based; line 0: the whole file */
    uint64_t byte;       /* offset, when in_bytes */
    bool in_bytes;
    char what[400], hint[300];
};

/* All return false, so that a caller can `return diag_at(…)`. */
bool diag_at(struct diag *d, const char *file, unsigned line, unsigned col, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
bool diag_byte(struct diag *d, const char *file, uint64_t byte, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool diag_file(struct diag *d, const char *file, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* file NULL: usage, no place */
bool diag_hint(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "tidemark: …" in one line without the newline; returns out. */
const char *diag_text(const struct diag *d, char *out, size_t size);

/* Text made safe to print: control bytes, invalid UTF-8, and characters that turn or hide text become
 * \xNN.  Returns out. */
const char *text_safe(const char *text, char *out, size_t size);

/* How many of these bytes, from the first, text_safe leaves as they are.  A NUL is behind them, or any
 * byte that is part of no character before it. */
size_t text_safe_len(const char *text, size_t len);

#endif
