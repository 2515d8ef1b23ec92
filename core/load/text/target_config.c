#include "core/load/text/target_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 32 /* messages nest 4 deep in what XLA writes */

/* protobuf's text form: FIELD: SCALAR and FIELD { … } or FIELD: { … }; '<' '>' are braces too. */
struct scan {
    const struct file *f;
    const char *at, *end;
    struct diag *d;
};

struct token {
    const char *text;
    size_t len;
};

static bool wrong(const struct scan *s, const char *want)
{
    unsigned line = 1, col = 1;
    for (const char *c = s->f->text; c < s->at; c++) {
        col = *c == '\n' ? 1 : col + 1;
        line += *c == '\n';
    }
    diag_at(s->d, s->f->name, line, col, "expected %s", want);
    return diag_hint(s->d, "this is no GpuTargetConfigProto in text form");
}

static void skip_blank(struct scan *s)
{
    while (s->at < s->end &&
           (isspace((unsigned char)*s->at) || *s->at == ',' || *s->at == ';' || *s->at == '#')) {
        const char *newline = *s->at == '#' ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : s->at;
        s->at = newline ? newline + 1 : s->end;
    }
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || strchr("_.+-", c);
}

static bool take_word(struct scan *s, struct token *t)
{
    t->text = s->at;
    while (s->at < s->end && *s->at && word_char(*s->at))
        s->at++;
    t->len = (size_t)(s->at - t->text);
    return t->len > 0;
}

/* A string without its quotes; escapes stay as they are written. */
static bool take_string(struct scan *s, struct token *t)
{
    char quote = *s->at++;
    t->text = s->at;
    while (s->at < s->end && *s->at != quote && *s->at != '\n')
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    if (s->at >= s->end || *s->at != quote) {
        s->at = t->text - 1;
        return wrong(s, "a string that ends on its line");
    }
    t->len = (size_t)(s->at++ - t->text);
    return true;
}

static bool is(const struct token *t, const char *word)
{
    return t->len == strlen(word) && memcmp(t->text, word, t->len) == 0;
}

/* Keeps the scalar `value` of field `name`, inside the message `in` at that depth. */
static bool keep(struct scan *s, struct arena *a, struct target_config *t,
                 const struct token path[], unsigned depth)
{
    const struct token *name = &path[depth], *value = &path[depth + 1];
    bool info = depth == 1 && is(&path[0], "gpu_device_info");
    if (info && is(name, "name"))
        t->device = arena_text(a, value->text, value->len);
    else if (depth == 0 && is(name, "device_description_str") && !t->device)
        t->device = arena_text(a, value->text, value->len);
    else if (info && is(name, "device_memory_size")) {
        char *end;
        errno = 0;
        t->device_memory = strtoull(value->text, &end, 10);
        if (end != value->text + value->len || errno || !isdigit((unsigned char)*value->text)) {
            s->at = value->text;
            return wrong(s, "a number of bytes");
        }
    }
    return true;
}

bool target_config_read(struct arena *a, struct target_config *t, const struct file *f,
                        struct diag *d)
{
    struct scan s = {f, f->text, f->text + f->size, d};
    struct token path[DEPTH + 2];
    unsigned depth = 0;
    *t = (struct target_config){0};
    for (skip_blank(&s); s.at < s.end; skip_blank(&s)) {
        if (*s.at == '}' || *s.at == '>') {
            if (depth-- == 0)
                return wrong(&s, "a field, not the end of a message");
            s.at++;
            continue;
        }
        if (!take_word(&s, &path[depth]))
            return wrong(&s, "the name of a field");
        skip_blank(&s);
        bool colon = s.at < s.end && *s.at == ':';
        s.at += colon;
        skip_blank(&s);
        if (s.at < s.end && (*s.at == '{' || *s.at == '<')) {
            if (++depth == DEPTH)
                return wrong(&s, "messages nested less deep");
            s.at++;
        } else if (s.at < s.end && (*s.at == '"' || *s.at == '\'')) {
            if (!take_string(&s, &path[depth + 1]) || !keep(&s, a, t, path, depth))
                return false;
        } else if (!colon || !take_word(&s, &path[depth + 1]))
            return wrong(&s, "a value");
        else if (!keep(&s, a, t, path, depth))
            return false;
    }
    if (depth)
        return wrong(&s, "the end of a message: the file was cut");
    if (!t->device_memory && !t->device)
        return diag_file(d, f->name, "no gpu_device_info with name or device_memory_size in it");
    return true;
}
