/* Where one left a dump: position and view, in $XDG_STATE_HOME/tidemark (or
 * ~/.local/state/tidemark), a small file for each dump, the STATE_FILES last ones.
 *
 * A dump is its directory, its module's name and how many instructions that has, so another compile
 * of the same module begins afresh.  What cannot be read, or says what is not in the program, is
 * nothing; what cannot be written is not written, and nobody is told. */
#ifndef TUI_EXPLORER_STATE_H
#define TUI_EXPLORER_STATE_H

#include "tui/model/app.h"

#define STATE_FILES 200
#define STATE_BYTES 4096 /* of one file, at most */

/* The directory, or NULL: neither variable is set. */
const char *state_dir(char *out, size_t size);

/* The file's name for a dump read in `dump` (NULL: not from a directory): 16 hexadecimal digits. */
void state_name(const struct program *p, const char *dump, char out[17]);

/* What is kept of a state, as text; and back into s.  False, and s as it was: it does not fit p. */
void state_text(const struct app *s, char out[STATE_BYTES]);
bool state_take(const struct program *p, struct memo *memo, const char *text, struct app *s);

bool state_load(const char *dir, const struct program *p, const char *dump, struct memo *memo, struct app *s);
void state_save(const char *dir, const struct program *p, const char *dump, const struct app *s);

#endif
