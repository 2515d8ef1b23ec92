/* A whole file in memory, and the words in which sizes are shown. */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include "core/base/arena.h"
#include "core/base/diag.h"

#define FILE_STREAM_MOST (1ull << 30) /* bytes that are read of what does not tell its size */

struct file {
    const char *name; /* as shown in errors; "-" reads standard input and is shown as "<stdin>" */
    const char *text; /* size bytes and one NUL behind them */
    size_t size;
};

/* Reads regular files, pipes and standard input; refuses directories, devices, and streams that do not end
 * within FILE_STREAM_MOST.  What is packed
 * with gzip or xz is unpacked (see unpack.h).  The content lives in `a`. */
bool file_read(struct arena *a, struct file *f, const char *name, struct diag *d);
/* The same, left packed. */
bool file_read_raw(struct arena *a, struct file *f, const char *name, struct diag *d);

/* Makes the folder, and those above it that are missing, for their owner alone (as XDG wants it).  False:
 * errno tells. */
bool file_make_folders(const char *path);

/* Removes a folder with all in it; links are removed, never followed.  What cannot be removed stays. */
void file_remove_tree(const char *dir);

/* "16.00 GiB", "4.10 MiB", "512 B": two decimals from KiB on.  Returns out. */
const char *bytes_text(uint64_t bytes, char out[24]);

/* "80G", "80GiB", "81251 MiB", "85100068864": K/M/G/T are powers of 1024, with or without iB/B.  False:
 * it is none of these, or does not fit. */
bool bytes_parse(const char *text, uint64_t *bytes);

#endif
