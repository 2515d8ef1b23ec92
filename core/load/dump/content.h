/* What a file of any name is, by how it starts.  Private to load/dump/. */
#ifndef CORE_LOAD_DUMP_CONTENT_H
#define CORE_LOAD_DUMP_CONTENT_H

#include "core/load/dump/dump.h"

#define CONTENT_FLAGS  "XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_as_proto\""
#define CONTENT_HOW_TO "make one: " CONTENT_FLAGS " python train.py"
#define CONTENT_START  1024 /* bytes that tell */

/* The first bytes of a regular file, unpacked, NUL-terminated.  False with errno when it cannot be
 * read. */
bool content_start(const char *path, char start[CONTENT_START + 1], size_t *size);

/* DUMP_KINDS: none of them; it may still be a log with a listing in it.  DUMP_HLO_PROTO stands for an
 * HloProto and for an HloModuleProto. */
enum dump_kind content_kind(const char *text, size_t size);

/* Is it text, as a log is? */
bool content_is_text(const char *text, size_t size);

/* False, with what a file of no such kind looks like. */
bool content_refuse(const char *path, const struct file *start, struct diag *diag);

#endif
