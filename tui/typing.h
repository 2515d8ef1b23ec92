/* One line that is being typed: a search, a filter. */
#ifndef TUI_TYPING_H
#define TUI_TYPING_H

#include <stdint.h>

#define QUERY_MAX 64 /* bytes, with the NUL; the rest of the array stays zero */

enum typed { TYPED_MORE, TYPED_ENTER, TYPED_ESC, TYPED_QUIT }; /* rubbing out an empty line: ESC */
enum typed typing_key(char line[QUERY_MAX], int32_t key);

#endif
