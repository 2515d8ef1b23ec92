#include "core/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void place(struct diag *d, const char *file, const char *fmt, va_list args)
{
    memset(d, 0, sizeof *d);
    snprintf(d->file, sizeof d->file, "%s", file ? file : "");
    vsnprintf(d->what, sizeof d->what, fmt, args);
}

bool diag_at(struct diag *d, const char *file, unsigned line, unsigned col, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    place(d, file, fmt, args);
    va_end(args);
    d->line = line;
    d->col = col;
    return false;
}

bool diag_byte(struct diag *d, const char *file, uint64_t byte, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    place(d, file, fmt, args);
    va_end(args);
    d->byte = byte;
    d->in_bytes = true;
    return false;
}

bool diag_file(struct diag *d, const char *file, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    place(d, file, fmt, args);
    va_end(args);
    return false;
}

bool diag_hint(struct diag *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->hint, sizeof d->hint, fmt, args);
    va_end(args);
    return false;
}

/* Length of the valid UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_len(const unsigned char *s)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if (n == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0)))
        return 0;
    if (n == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90)))
        return 0;
    return n;
}

/* Characters that are no control bytes, yet steer a terminal, turn text or hide it: C1 controls, soft
 * hyphen, directional marks, what has no width, line separators, variation selectors, the byte order
 * mark, notes between lines, tags. */
static const struct {
    uint32_t first, last;
} steering[] = {
    {0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x180B, 0x180F}, {0x200B, 0x200F},    {0x2028, 0x202E},
    {0x2060, 0x206F}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
};

/* The code point of a valid sequence of n bytes. */
static uint32_t code_point(const unsigned char *s, size_t n)
{
    uint32_t c = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (s[i] & 0x3Fu);
    return c;
}

/* Length of the character at s if it may be shown as it is, else 0. */
static size_t shown_len(const unsigned char *s)
{
    size_t n = utf8_len(s);
    uint32_t c = n ? code_point(s, n) : 0;
    if (c < 0x20 || c == 0x7F)
        return 0;
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++)
        if (c >= steering[i].first && c <= steering[i].last)
            return 0;
    return n;
}

size_t text_safe_len(const char *text, size_t len)
{
    size_t used = 0, n = 1;
    while (used < len && (n = shown_len((const unsigned char *)text + used)))
        used += n;
    return used < len ? used : len;
}

const char *text_safe(const char *text, char *out, size_t size)
{
    size_t used = 0;
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t n = shown_len(s), need = n ? n : 4;
        if (used + need >= size)
            break;
        if (!n) {
            snprintf(out + used, 5, "\\x%02X", *s);
            s++;
        } else {
            memcpy(out + used, s, n);
            s += n;
        }
        used += need;
    }
    if (size)
        out[used] = '\0';
    return out;
}

const char *diag_text(const struct diag *d, char *out, size_t size)
{
    char file[sizeof d->file * 4], what[sizeof d->what * 4], hint[sizeof d->hint * 4], where[32] = "";
    text_safe(d->file, file, sizeof file);
    text_safe(d->what, what, sizeof what);
    text_safe(d->hint, hint, sizeof hint);
    if (d->in_bytes)
        snprintf(where, sizeof where, ":@%llu", (unsigned long long)d->byte);
    else if (d->line && d->col)
        snprintf(where, sizeof where, ":%u:%u", d->line, d->col);
    else if (d->line)
        snprintf(where, sizeof where, ":%u", d->line);
    snprintf(out, size, "tidemark: %s%s%s%s%s%s%s", file, where, *file ? ": " : "", what,
             *hint ? " (" : "", hint, *hint ? ")" : "");
    return out;
}
