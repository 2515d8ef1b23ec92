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

/* Characters that are no control bytes, yet steer a terminal or hide: C1 controls, zero-width and
 * directional marks, line separators, the byte order mark. */
static bool steers(const unsigned char *s, size_t n)
{
    if (n == 2)
        return s[0] == 0xC2 && s[1] < 0xA0;
    if (n != 3)
        return false;
    unsigned c = (unsigned)(s[0] & 0x0F) << 12 | (unsigned)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

const char *text_safe(const char *text, char *out, size_t size)
{
    size_t used = 0;
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t n = utf8_len(s);
        bool control = n == 0 || *s < 0x20 || *s == 0x7F || steers(s, n);
        size_t need = control ? 4 : n;
        if (used + need >= size)
            break;
        if (control) {
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
