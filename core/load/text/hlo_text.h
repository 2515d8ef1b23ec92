/* Reads HLO text as XLA prints it after optimizations ("*after_optimizations*.txt"), every version
 * since jax 0.4.20: with or without '%', with or without computation signatures, operand shapes
 * inline or not, source_file/source_line or stack-frame tables.  Detected by content.
 *
 * Since jaxlib 0.11 a get-tuple-element has no line: its users say `%while.0#1`.  The reader makes
 * one instruction of each, named "while.0#1", before its first user (hlo_inst.implied).
 *
 * In a module that says is_scheduled=true the order of the text is the schedule.  Errors carry
 * line and column.  One pass, O(size); the text may be discarded afterwards. */
#ifndef CORE_LOAD_TEXT_HLO_TEXT_H
#define CORE_LOAD_TEXT_HLO_TEXT_H

#include "core/base/file.h"
#include "core/model/hlo.h"

/* h was prepared by hlo_init(); on success it is finished (hlo_finish was called). */
bool hlo_text_read(struct hlo *h, const struct file *f, struct diag *d);

/* Does this content look like HLO text at all?  (Starts with "HloModule ".) */
bool hlo_text_is(const char *text, size_t size);

/* A shape as XLA writes it, at *at (NUL-terminated text); moves *at behind it.  Also used for the
 * shapes in buffer-assignment files.  False when it is no shape; no message then. */
bool shape_parse(struct shapes *s, const char **at, shape_id *out);

#endif
