/* Where a person's own files lie, as the XDG Base Directory Specification has it
 * (https://specifications.freedesktop.org/basedir-spec/latest/). */
#ifndef CORE_BASE_HOME_H
#define CORE_BASE_HOME_H

#include <stdbool.h>
#include <stddef.h>

/* "$VARIABLE/tidemark/NAME", or "$HOME/UNDER/tidemark/NAME" where the variable is not set, and without
 * "/NAME" for the folder itself (NAME NULL).  Only absolute paths count, so that nothing is read from or written to where one
 * happens to stand.  False: there is none, or it is too long. */
bool home_path(char *out, size_t size, const char *variable, const char *under, const char *name);

#endif
