/* Reads XLA's text reports of buffer assignment, every version since jax 0.4.20.
 *
 * Sections are found by their headers in whichever file has them:
 *   "BufferAssignment:"        allocations and values   *-buffer-assignment.txt
 *   "Used values:"             names, positions, uses   the same file, or *-values.txt (0.10)
 *   "HloLiveRange (max N):"    schedule, live ranges    the same file, or *-live-range.txt (0.10)
 *   "Total bytes used: N"      the same file, or the values file
 * The grammar is in assignment_text.c.  Errors carry line and column.  One pass, O(size). */
#ifndef CORE_LOAD_TEXT_ASSIGNMENT_TEXT_H
#define CORE_LOAD_TEXT_ASSIGNMENT_TEXT_H

#include "core/base/file.h"
#include "core/model/assignment.h"

/* Adds what the file holds to *a (zeroed before the first file; a->arena set); a->file is the first one.
 * After a failure *a may hold a part of it. */
bool assignment_text_read(struct assignment *a, const struct file *f, struct diag *d);

/* Does this content look like one of these files?  (A section header near its start.) */
bool assignment_text_is(const char *text, size_t size);

#endif
