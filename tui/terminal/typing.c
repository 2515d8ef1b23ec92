#include "tui/terminal/typing.h"

#include "tui/terminal/grid.h"
#include "tui/terminal/keys.h"

#include <string.h>

const char *utf8_text(uint32_t ch, char text[5])
{
    size_t n = 0;
    text_put(text, &n, ch);
    text[n] = '\0';
    return text;
}

static void add(char line[QUERY_MAX], uint32_t ch)
{
    char text[5];
    size_t n = strlen(utf8_text(ch, text)), len = strlen(line);
    if (len + n < QUERY_MAX)
        memcpy(line + len, text, n); /* the rest is zero already */
}

static enum typed rub_out(char line[QUERY_MAX])
{
    size_t len = strlen(line);
    if (!len)
        return TYPED_ESC;
    while (len && (line[len - 1] & 0xc0) == 0x80)
        line[--len] = '\0';
    if (len)
        line[len - 1] = '\0';
    return TYPED_MORE;
}

enum typed typing_key(char line[QUERY_MAX], int32_t key)
{
    switch (key) {
    case K_ENTER: case '\n': return TYPED_ENTER;
    case K_ESC: return TYPED_ESC;
    case K_CTRL_C: return TYPED_QUIT;
    case K_BACKSPACE: case 8: return rub_out(line);
    case K_CTRL_U: memset(line, 0, QUERY_MAX); break;
    default:
        if (key >= ' ' && key < K_LEFT)
            add(line, (uint32_t)key);
    }
    return TYPED_MORE;
}
