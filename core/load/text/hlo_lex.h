/* Scanner of HLO text: a cursor over one file, and the words, numbers, strings and bracketed
 * values it passes.
 *
 * The text ends with a NUL and has none inside (lex_start checks), so no function reads past its
 * end.  Every byte is passed a bounded number of times; line and column are counted only when
 * there is something to say.  Functions that return bool fill *d when they return false. */
#ifndef CORE_LOAD_TEXT_HLO_LEX_H
#define CORE_LOAD_TEXT_HLO_LEX_H

#include "core/base/file.h"
#include "core/model/hlo.h"

struct lex {
    const struct file *file;
    const char *at;
    struct diag *d;
};

struct word { /* a piece of the text */
    const char *at;
    size_t len;
};

bool lex_start(struct lex *l, const struct file *f, struct diag *d);

/* Both always false.  lex_expected() says what stands at the cursor instead, or that the file was
 * cut off. */
bool lex_fail(const struct lex *l, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool lex_expected(const struct lex *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Behind blanks and comments; comments may hold line ends, blanks are none. */
const char *lex_gap(const char *at);
void lex_blanks(struct lex *l);
void lex_lines(struct lex *l); /* line ends too */

static inline bool lex_ended(const struct lex *l)
{
    return l->at == l->file->text + l->file->size;
}
static inline bool word_is(struct word w, const char *text)
{
    for (size_t i = 0; i < w.len; i++)
        if (text[i] != w.at[i]) /* stops at the NUL of a shorter text */
            return false;
    return text[w.len] == '\0';
}
/* For "%.*s": names in messages are cut. */
static inline int word_len(struct word w)
{
    return w.len < 100 ? (int)w.len : 100;
}

bool lex_take(struct lex *l, char c); /* behind blanks; false leaves the cursor there, no message */
bool lex_expect(struct lex *l, char c, const char *where);
struct word lex_word(struct lex *l); /* letters, digits, '_', '.', '-'; may be empty */
struct word lex_name(struct lex *l); /* behind blanks, with or without '%' (left out) */
bool lex_number(struct lex *l, int64_t *n, const char *what);
bool lex_u32(struct lex *l, uint32_t *n, const char *what); /* 0 <= n < UINT32_MAX */

/* Passes one value: up to a `stop` character, a line end, or a closing bracket that stand outside
 * of brackets and strings. */
bool lex_skip(struct lex *l, char stop);
bool lex_skip_brackets(struct lex *l); /* at an opening bracket: behind the closing one */

/* A string, behind blanks, without XLA's escapes (\n, \", \\, \NNN octal, \xNN); interned. */
bool lex_text(struct lex *l, struct hlo *h, const char **out);

/* shape_parse() that tells why not: *why is a sentence's end ("… is no element type") and *at
 * stays at the fault. */
bool shape_parse_why(struct shapes *s, const char **at, shape_id *out, const char **why);

#endif
