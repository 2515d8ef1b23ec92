/* What `y` copies: its text, the escape sequence that hands it to the terminal's clipboard (OSC 52),
 * and the file that keeps it, since a terminal may refuse. */
#ifndef TUI_EXPLORER_COPY_H
#define TUI_EXPLORER_COPY_H

#include "core/base/diag.h"
#include "tui/model/app.h"

/* The selected buffer in one line, or the report; in the arena, with its length. */
const char *copy_text(const struct program *p, struct memo *memo, const struct app *s, struct arena *a, size_t *len);

/* OSC 52 with the text in base64; "" when it is longer than terminals take. */
#define COPY_MOST 74994 /* bytes; 100,000 characters of base64 and the sequence, as xterm */
const char *copy_sequence(const char *text, size_t len, struct arena *a);

/* $XDG_STATE_HOME/tidemark/copied.txt (or ~/.local/state/…); NULL without either. */
const char *copy_file(struct arena *a);
/* Writes it whole or not at all. */
bool copy_save(const char *file, const char *text, size_t len, struct diag *d);

#endif
