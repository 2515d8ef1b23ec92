/* One line that is being typed: a search, a filter. */
#ifndef TUI_TERMINAL_TYPING_H
#define TUI_TERMINAL_TYPING_H

#include <stdint.h>

#define QUERY_MAX 128 /* bytes, with the NUL; the rest of the array stays zero */

enum typed { TYPED_MORE, TYPED_ENTER, TYPED_ESC, TYPED_QUIT }; /* rubbing out an empty line: ESC */
enum typed typing_key(char line[QUERY_MAX], int32_t key);

/* A character as UTF-8; "" beyond U+FFFF. */
const char *utf8_text(uint32_t ch, char out[5]);

#endif
