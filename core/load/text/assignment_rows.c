#include "core/load/text/assignment_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool rows_next(struct rows *r)
{
    const char *stop = r->f->text + r->f->size;
    if (r->next == stop)
        return false;
    const char *newline = memchr(r->next, '\n', (size_t)(stop - r->next));
    r->line = r->at = r->next;
    r->end = newline ? newline : stop;
    r->next = newline ? newline + 1 : stop;
    if (r->end > r->at && r->end[-1] == '\r')
        r->end--;
    r->number++;
    return true;
}

unsigned rows_column(const struct rows *r)
{
    return (unsigned)(r->at - r->line) + 1;
}

size_t rows_left(const struct rows *r)
{
    return (size_t)(r->end - r->at);
}

bool rows_expected(const struct rows *r, const char *want)
{
    int shown = rows_left(r) < 40 ? (int)rows_left(r) : 40;
    if (!shown)
        return diag_at(r->d, r->f->name, r->number, rows_column(r),
                       "expected %s, but the line ends here", want);
    if (!*r->at)
        return diag_at(r->d, r->f->name, r->number, rows_column(r), "expected %s, not a zero byte",
                       want);
    return diag_at(r->d, r->f->name, r->number, rows_column(r), "expected %s, not \"%.*s\"%s", want,
                   shown, r->at, rows_left(r) > 40 ? "…" : "");
}

bool rows_see(const struct rows *r, const char *text)
{
    size_t len = strlen(text);
    return rows_left(r) >= len && memcmp(r->at, text, len) == 0;
}

bool rows_take(struct rows *r, const char *text)
{
    if (!rows_see(r, text))
        return false;
    r->at += strlen(text);
    return true;
}

bool rows_need(struct rows *r, const char *text)
{
    char want[48];
    if (rows_take(r, text))
        return true;
    snprintf(want, sizeof want, "\"%s\"", text);
    return rows_expected(r, want);
}

bool rows_need_end(struct rows *r)
{
    return r->at == r->end || rows_expected(r, "the end of the line");
}

bool rows_need_number(struct rows *r, const char *what, uint64_t most, uint64_t *out)
{
    if (r->at == r->end || !isdigit((unsigned char)*r->at))
        return rows_expected(r, what);
    const char *from = r->at;
    uint64_t n = 0;
    for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++)
        if (__builtin_mul_overflow(n, 10u, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*r->at - '0'), &n) || n > most) {
            r->at = from;
            return diag_at(r->d, r->f->name, r->number, rows_column(r), "%s is too large, at most %llu",
                           what, (unsigned long long)most);
        }
    *out = n;
    return true;
}

bool rows_need_u32(struct rows *r, const char *what, uint32_t *out)
{
    uint64_t n;
    if (!rows_need_number(r, what, UINT32_MAX, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

bool rows_need_color(struct rows *r, int32_t *out)
{
    bool minus = rows_take(r, "-");
    uint64_t n;
    if (!rows_need_number(r, "a memory space number", INT32_MAX, &n))
        return false;
    *out = minus ? -(int32_t)n : (int32_t)n;
    return true;
}

bool rows_need_id(struct rows *r, const char *what, int64_t *out)
{
    uint64_t n;
    if (!rows_need_number(r, what, INT64_MAX, &n))
        return false;
    *out = (int64_t)n;
    return true;
}

static bool name_char(char c)
{
    return (unsigned char)c > ' ' && c != '{' && c != '}' && c != '<' && c != '>' && c != ':' &&
           c != 0x7F;
}

bool rows_need_name(struct rows *r, const char **out)
{
    const char *from = r->at;
    while (r->at < r->end && name_char(*r->at))
        r->at++;
    if (r->at == from)
        return rows_expected(r, "an instruction name");
    *out = strmap_intern(r->a->arena, &r->texts, from, (size_t)(r->at - from));
    return true;
}

bool rows_need_path(struct rows *r, struct span *out)
{
    *out = (struct span){r->a->paths.n, 0};
    if (!rows_need(r, "{"))
        return false;
    while (!rows_take(r, "}")) {
        int64_t i;
        if ((out->n && !rows_need(r, ",")) || !rows_need_id(r, "a shape index", &i))
            return false;
        *(int64_t *)list_add(r->a->arena, &r->a->paths, sizeof i) = i;
        out->n++;
    }
    return true;
}

static bool ends_shape(char c)
{
    return c == ']' || c == '}' || c == ')' || c == '>'; /* XLA has a "<unknown shape>" */
}

bool rows_need_shape(struct rows *r, char stop, const char **out)
{
    const char *from = r->at;
    const char *to = stop ? memchr(from, stop, rows_left(r)) : r->end;
    if (!to) {
        r->at = r->end;
        return rows_expected(r, "a \"|\" behind the shape");
    }
    if (to == from || !ends_shape(to[-1])) {
        r->at = to;
        return rows_expected(r, to == from ? "a shape" : "the end of a shape");
    }
    r->at = to;
    *out = strmap_intern(r->a->arena, &r->texts, from, (size_t)(to - from));
    return true;
}
