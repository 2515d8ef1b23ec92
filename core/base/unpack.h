/* Files packed with gzip or xz, recognised by how they start.
 *
 * What a file unpacks to is bounded by UNPACK_MOST, whatever it says of itself: a bomb is an error,
 * not the end of the machine's memory.  Several streams one behind the other are one text, as gzip(1)
 * and xz(1) read them; zeros behind the last are padding.  Formats: RFC 1952, the .xz file format. */
#ifndef CORE_BASE_UNPACK_H
#define CORE_BASE_UNPACK_H

#include "core/base/file.h"

#define UNPACK_MOST (1ull << 30) /* bytes that a packed file may unpack to */
#define UNPACK_SUFFIX 3          /* ".gz", ".xz" */

bool unpack_is(const char *data, size_t size);

/* Length of ".gz" or ".xz" at the end of a name, or 0. */
size_t unpack_suffix(const char *name);

/* Replaces a packed file's content by what it unpacks to, in `a`, with one NUL behind it; an error
 * names the byte of the packed file.  Leaves any other content as it is. */
bool unpack_file(struct arena *a, struct file *f, struct diag *d);

/* The first bytes that the start of a packed file unpacks to, at most `room`: how many. */
size_t unpack_start(const char *data, size_t size, char *out, size_t room);

#endif
