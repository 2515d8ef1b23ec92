#include "core/load/text/hlo_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- Messages ---- */

static void place(const struct lex *l, const char *at, unsigned *line, unsigned *col)
{
    const char *start = l->file->text;
    *line = 1;
    for (const char *nl; (nl = memchr(start, '\n', (size_t)(at - start))); start = nl + 1)
        ++*line;
    *col = (unsigned)(at - start) + 1;
}

static bool fail_at(const struct lex *l, const char *at, const char *words)
{
    unsigned line, col;
    place(l, at, &line, &col);
    return diag_at(l->d, l->file->name, line, col, "%s", words);
}

static bool cut_off(const struct lex *l)
{
    return diag_hint(l->d, "it was cut off while it was written or copied: dump it again");
}

bool lex_fail(const struct lex *l, const char *at, const char *fmt, ...)
{
    char words[sizeof l->d->what];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    return fail_at(l, at, words);
}

bool lex_expected(const struct lex *l, const char *fmt, ...)
{
    char what[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (lex_ended(l)) {
        lex_fail(l, l->at, "the file ends where %s should stand", what);
        return cut_off(l);
    }
    if (*l->at == '\n')
        return lex_fail(l, l->at, "expected %s, found the end of the line", what);
    size_t n = 0;
    while (n < 40 && is_word(l->at[n]))
        n++;
    if (n == 0) /* one character, whole if it is UTF-8 */
        for (n = 1; n < 4 && ((unsigned char)l->at[n] & 0xC0) == 0x80;)
            n++;
    return lex_fail(l, l->at, "expected %s, found \"%.*s\"", what, (int)n, l->at);
}

bool lex_start(struct lex *l, const struct file *f, struct diag *d)
{
    *l = (struct lex){f, f->text, d};
    const char *nul = f->size ? memchr(f->text, '\0', f->size) : NULL;
    if (!nul)
        return true;
    lex_fail(l, nul, "a NUL byte stands in the text");
    return diag_hint(d, "the file is damaged: dump it again");
}

/* ---- Gaps ---- */

const char *lex_gap(const char *at)
{
    for (;;) {
        if (*at == ' ' || *at == '\t' || *at == '\r') {
            at++;
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (!end)
                return at;
            at = end + 2;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else {
            return at;
        }
    }
}

void lex_blanks(struct lex *l)
{
    l->at = lex_gap(l->at);
}

void lex_lines(struct lex *l)
{
    for (lex_blanks(l); *l->at == '\n'; lex_blanks(l))
        l->at++;
}

/* ---- Words ---- */

bool lex_take(struct lex *l, char c)
{
    lex_blanks(l);
    if (*l->at != c)
        return false;
    l->at++;
    return true;
}

bool lex_expect(struct lex *l, char c, const char *where)
{
    return lex_take(l, c) || lex_expected(l, "'%c' %s", c, where);
}

struct word lex_word(struct lex *l)
{
    struct word w = {l->at, 0};
    while (is_word(*l->at))
        l->at++;
    w.len = (size_t)(l->at - w.at);
    return w;
}

struct word lex_name(struct lex *l)
{
    lex_blanks(l);
    if (*l->at == '%')
        l->at++;
    return lex_word(l);
}

bool lex_number(struct lex *l, int64_t *n, const char *what)
{
    lex_blanks(l);
    const char *from = l->at;
    bool minus = *from == '-';
    const char *at = from + minus;
    if (!is_digit(*at))
        return lex_expected(l, "%s", what);
    bool over = false;
    int64_t sum = 0;
    for (; is_digit(*at); at++) {
        int digit = minus ? '0' - *at : *at - '0';
        over = over || __builtin_mul_overflow(sum, 10, &sum) ||
               __builtin_add_overflow(sum, digit, &sum);
    }
    if (over)
        return lex_fail(l, from, "%.*s%s does not fit into 64 bits: expected %s",
                        (int)(at - from < 24 ? at - from : 24), from, at - from > 24 ? "..." : "",
                        what);
    l->at = at;
    *n = sum;
    return true;
}

bool lex_u32(struct lex *l, uint32_t *n, const char *what)
{
    int64_t wide;
    lex_blanks(l);
    const char *from = l->at;
    if (!lex_number(l, &wide, what))
        return false;
    if (wide < 0 || wide >= UINT32_MAX)
        return lex_fail(l, from, "%lld is out of range: expected %s", (long long)wide, what);
    *n = (uint32_t)wide;
    return true;
}

/* "…": what stands between the quotes. */
static bool lex_string(struct lex *l, struct word *raw)
{
    const char *from = l->at;
    if (*from != '"')
        return lex_expected(l, "a string in quotes");
    const char *at = from + 1;
    while (*at != '"' && *at != '\n' && *at != '\0')
        at += at[0] == '\\' && at[1] != '\0' && at[1] != '\n' ? 2 : 1;
    if (*at != '"') {
        lex_fail(l, from, "the string that starts here is never closed");
        return *at != '\n' && cut_off(l);
    }
    *raw = (struct word){from + 1, (size_t)(at - from) - 1};
    l->at = at + 1;
    return true;
}

enum { REMEMBERED = 64 }; /* brackets nested deeper are counted, not matched by kind */

struct brackets {
    const char *open[REMEMBERED];
    size_t depth;
};

static const char *innermost(const struct brackets *b)
{
    return b->open[(b->depth < REMEMBERED ? b->depth : REMEMBERED) - 1];
}

static void bracket_opens(struct brackets *b, const char *at)
{
    if (b->depth < REMEMBERED)
        b->open[b->depth] = at;
    b->depth++;
}

static bool bracket_closes(const struct lex *l, struct brackets *b)
{
    char open = *innermost(b), want = open == '(' ? ')' : open == '[' ? ']' : '}';
    if (b->depth <= REMEMBERED && *l->at != want)
        return lex_fail(l, innermost(b), "the '%c' that stands here is closed by a '%c'", open,
                        *l->at);
    b->depth--;
    return true;
}

/* Both stay on the last character of what they pass. */
static bool skip_string(struct lex *l)
{
    struct word unused;
    if (!lex_string(l, &unused))
        return false;
    l->at--;
    return true;
}

static bool skip_comment(struct lex *l)
{
    if (l->at[1] != '*')
        return true;
    const char *end = strstr(l->at + 2, "*/");
    if (!end)
        return lex_fail(l, l->at, "the comment that starts here is never closed");
    l->at = end + 1;
    return true;
}

/* `whole`: returns behind the bracket that the first one opens. */
static bool skip(struct lex *l, char stop, bool whole)
{
    struct brackets b;
    b.depth = 0;
    for (;; l->at++) {
        char c = *l->at;
        if (b.depth == 0 &&
            (c == stop || c == '\0' || c == '\n' || c == ')' || c == ']' || c == '}'))
            return true;
        switch (c) {
        case '\0':
            lex_fail(l, innermost(&b), "the '%c' that stands here is never closed", *innermost(&b));
            return cut_off(l);
        case '"':
            if (!skip_string(l))
                return false;
            break;
        case '/':
            if (!skip_comment(l))
                return false;
            break;
        case '(':
        case '[':
        case '{':
            bracket_opens(&b, l->at);
            break;
        case ')':
        case ']':
        case '}':
            if (!bracket_closes(l, &b))
                return false;
            if (b.depth == 0 && whole) {
                l->at++;
                return true;
            }
        }
    }
}

bool lex_skip(struct lex *l, char stop)
{
    return skip(l, stop, false);
}

bool lex_skip_brackets(struct lex *l)
{
    return skip(l, '\0', true);
}

/* ---- Strings ---- */

static int digit_of(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

/* The byte that the escape at *at (behind its backslash) stands for; moves *at behind it. */
static char escaped(const char **at, const char *end)
{
    static const char from[] = "nrtabfv", to[] = "\n\r\t\a\b\f\v";
    char c = *(*at)++;
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        return to[known - from];
    bool hex = c == 'x' && *at < end && digit_of(**at) < 16;
    if (!hex && digit_of(c) >= 8)
        return c;
    int base = hex ? 16 : 8, sum = hex ? 0 : c - '0';
    for (int n = 0; n < 2 && *at < end && digit_of(**at) < base; n++)
        sum = (sum * base + digit_of(*(*at)++)) & 0xFF;
    return sum ? (char)sum : ' '; /* a NUL would cut the text short */
}

static struct word unescape(struct arena *a, struct word raw)
{
    if (!raw.len || !memchr(raw.at, '\\', raw.len))
        return raw;
    char *out = arena_get(a, raw.len + 1);
    size_t n = 0;
    const char *end = raw.at + raw.len;
    for (const char *at = raw.at; at < end;) {
        char c = *at++;
        out[n++] = c == '\\' && at < end ? escaped(&at, end) : c;
    }
    return (struct word){out, n};
}

bool lex_text(struct lex *l, struct hlo *h, const char **out)
{
    struct word raw;
    lex_blanks(l);
    if (!lex_string(l, &raw))
        return false;
    raw = unescape(h->arena, raw);
    *out = hlo_intern(h, raw.at, raw.len);
    return true;
}
