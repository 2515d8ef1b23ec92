#include "core/load/listing/listing_words.h"
#include "core/load/text/hlo_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines ---- */

void lines_start(struct lines *l, const struct file *f)
{
    *l = (struct lines){.at = f->text, .end = f->text + f->size};
}

void lines_end(struct lines *l)
{
    arena_free(&l->arena);
}

/* Length of an escape sequence at `at`: "\x1b[1;31m", "\x1b]…\a", or of the ESC alone. */
static size_t escape(const char *at, const char *end)
{
    const char *s = at + 1;
    if (s < end && *s == '[') {
        for (s++; s < end && (*s < '@' || *s > '~'); s++) {
        }
        return (size_t)(s - at) + (s < end);
    }
    if (s < end && *s == ']') {
        while (s < end && *s != '\a' && *s != '\x1b')
            s++;
        return (size_t)(s - at) + (s < end && *s == '\a');
    }
    return 1;
}

static char *plain(struct arena *a, const char *at, const char *end)
{
    char *out = arena_get(a, (size_t)(end - at) + 1), *to = out;
    while (at < end) {
        if (*at == '\x1b') {
            at += escape(at, end);
            continue;
        }
        if (*at && *at != '\r')
            *to++ = *at;
        at++;
    }
    *to = '\0';
    return out;
}

/* Does a line hold a listing whose line ends are two characters each? */
static bool is_written_out(const char *text)
{
    static const char *const heads[] = {"Peak buffers:", "BufferAssignment stats:", " usage >= ",
                                        "Largest program allocations in "};
    if (!strstr(text, "\\n"))
        return false;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        if (strstr(text, heads[k]))
            return true;
    return false;
}

/* Turns "\n", "\t", "\"" and "\\" into what they stand for. */
static void write_in(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        char next = at[1], means = next == 'n' ? '\n' : next == 't' ? '\t' : next;
        bool is = *at == '\\' && next && strchr("nt\"\\'", next);
        *to++ = is ? means : *at;
        at += is;
    }
    *to = '\0';
}

static bool split(struct lines *l)
{
    char *end = strchr(l->rest, '\n');
    l->text = l->rest;
    l->rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return true;
}

bool lines_next(struct lines *l)
{
    if (l->rest)
        return split(l);
    if (l->at >= l->end)
        return false;
    const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
    arena_reset(&l->arena);
    l->text = plain(&l->arena, l->at, end ? end : l->end);
    l->at = end ? end + 1 : l->end;
    l->number += l->number < UINT32_MAX;
    if (!is_written_out(l->text))
        return true;
    write_in(l->text);
    l->rest = l->text;
    return split(l);
}

/* ---- Sizes ---- */

#define ROUNDED_UP 512 /* an allocator rounds a request up by less */
#define SIZE_WORD 48 /* "18,446,744,073,709,551,615 bytes" */

/* Digits with commas and at most one point; the number without commas to *out. */
static size_t number_word(const char *text, char out[SIZE_WORD], size_t *decimals)
{
    size_t n = 0, k = 0;
    bool point = false;
    *decimals = 0;
    for (; k < SIZE_WORD - 8 && (isdigit((unsigned char)text[k]) || (k && strchr(",.", text[k]) && text[k])); k++) {
        if (text[k] == ',' && !isdigit((unsigned char)text[k + 1]))
            break;
        if (text[k] == '.' && (point || !isdigit((unsigned char)text[k + 1])))
            break;
        if (text[k] == ',')
            continue;
        point |= text[k] == '.';
        *decimals += point && text[k] != '.';
        out[n++] = text[k];
    }
    out[n] = '\0';
    return k;
}

/* "GiB", "GB", "G", "B", " bytes"; how long, and the power of 1024.  Nothing: bytes. */
static size_t unit_word(const char *text, unsigned *power)
{
    static const char letters[] = "KMGTPE";
    const char *at = *text ? strchr(letters, *text == 'k' ? 'K' : *text) : NULL;
    size_t n = 0;
    *power = 0;
    if (at && *at) {
        *power = 1 + (unsigned)(at - letters);
        n = 1 + (text[1] == 'i');
        n += text[n] == 'B';
    } else if (*text == 'B') {
        n = 1;
    } else if (strncmp(text, " bytes", 6) == 0 || strncmp(text, " byte ", 6) == 0) {
        n = 6 - (text[5] == ' ');
    }
    return isalpha((unsigned char)text[n]) ? SIZE_MAX : n;
}

static bool plain_size(const char *text, struct listing_bytes *out, const char **end)
{
    char number[SIZE_WORD];
    size_t decimals;
    unsigned power;
    size_t n = number_word(text, number, &decimals);
    size_t unit = n ? unit_word(text + n, &power) : SIZE_MAX;
    if (unit == SIZE_MAX)
        return false;
    *end = text + n + unit;
    *out = (struct listing_bytes){.known = true};
    if (!decimals && !power) {
        out->bytes = strtoull(number, NULL, 10);
        return true;
    }
    double one = (double)(1ull << (10 * power)), value = strtod(number, NULL) * one, last = one;
    for (size_t k = 0; k < decimals; k++)
        last /= 10;
    if (!(value < 18446744073709551616.0))
        return false;
    out->bytes = (uint64_t)value;
    out->off = (uint64_t)(last / 2) + 1;
    return true;
}

bool listing_size(const char *text, struct listing_bytes *out, const char **end)
{
    struct listing_bytes exact;
    const char *behind;
    while (*text == ' ' || *text == '\t')
        text++;
    if (!plain_size(text, out, end))
        return false;
    const char *at = *end;
    while (*at == ' ')
        at++;
    if (*at != '(')
        return true;
    for (at++; *at == ' '; at++) {
    }
    if (strncmp(at, "rounded to ", 11) == 0)
        at += 11;
    if (*at == '-')
        at++;
    if (!plain_size(at, &exact, &behind) || exact.off || *behind != ')')
        return true;
    uint64_t apart = exact.bytes > out->bytes ? exact.bytes - out->bytes : out->bytes - exact.bytes;
    if (apart <= out->off + ROUNDED_UP) {
        *out = exact;
        *end = behind + 1;
    }
    return true;
}

/* ---- Words ---- */

const char *listing_quoted(struct arena *a, const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    char *out = arena_get(a, strlen(at) + 1), *to = out;
    for (; *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
        *to++ = *at;
    }
    *to = '\0';
    return out;
}

void listing_exact(struct listing_bytes *size, const char *shape, bool layout)
{
    struct arena scratch = {0};
    struct shapes s = {.arena = &scratch};
    shape_id id;
    const char *at = shape;
    if (!size->known || !size->off || !shape)
        return;
    if (!layout) {
        const char *brace = strchr(shape, '{');
        at = brace ? arena_text(&scratch, shape, (size_t)(brace - shape)) : shape;
    }
    if (shape_parse(&s, &at, &id) && shape_is_array(&s, id)) {
        uint64_t bytes = shape_bytes(&s, id);
        uint64_t apart = bytes > size->bytes ? bytes - size->bytes : size->bytes - bytes;
        if (bytes != UINT64_MAX && apart <= size->off)
            *size = (struct listing_bytes){.known = true, .bytes = bytes};
    }
    arena_free(&scratch);
}
