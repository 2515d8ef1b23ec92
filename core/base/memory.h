/* Memory that belongs to no arena, freed with free().  None of these returns NULL: when the machine is
 * out of memory the program ends in one line, with status 2.  Sizes are bytes. */
#ifndef CORE_BASE_MEMORY_H
#define CORE_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h> /* free() */

#ifdef __cplusplus
extern "C" {
#endif

void *memory_get(size_t bytes);
void *memory_array(size_t n, size_t item);  /* n * item, overflow checked */
void *memory_zeroed(size_t n, size_t item); /* the same, all zero */
void *memory_grow(void *old, size_t n, size_t item);

/* Text written into memory: *text and *size hold when memory_stream_end() has returned. */
FILE *memory_stream(char **text, size_t *size);
void memory_stream_end(FILE *stream, char *const *text);

__attribute__((noreturn)) void memory_exhausted(void); /* C++ has no _Noreturn */

/* What is done before the message, so that it is seen: a screen is put away.  One at a time; NULL: nothing. */
void memory_before_end(void (*prepare)(void));

#ifdef __cplusplus
}
#endif

#endif
