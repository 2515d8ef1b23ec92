/* What reports as text are made of: columns, bytes, shares, lines broken at words. */
#ifndef CORE_OUTPUT_WORDS_WORDS_H
#define CORE_OUTPUT_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WORDS_WIDTH 80

/* Text cut to a number of columns (bytes here are characters: names are made safe first). */
const char *words_cut(const char *text, int columns, bool ascii, char *out, size_t size);
int words_columns(const char *text); /* that it takes: its characters */
/* Bytes in the eleven columns of "1023.99 MiB", units aligned. */
const char *words_aligned(uint64_t bytes, char out[32]);
/* Four columns: "<1%", "100%". */
const char *words_share(uint64_t part, uint64_t whole, char out[8]);
/* Broken at blanks; `column` are written already, later lines start at `indent`. */
void words_put(FILE *out, const char *text, int column, int indent);
/* Calls write(what, FILE); in ASCII each other character becomes one '?'. */
void words_page(void (*write)(const void *what, FILE *out), const void *what, bool ascii, FILE *out);

#endif
