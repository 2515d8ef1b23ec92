/* Literals as XLA writes them: "5", "true", "{1, 2}", "{ { /i0=0/ 0, 0 } }" (its comments are C's),
 * "(1, 0)" of complex numbers, "{...}" where it left the elements out.
 * Source: xla/literal.cc (Literal::ToString). */
#include "core/load/text/hlo_reader.h"

#include <string.h>

static bool is_integer(enum shape_type t)
{
    return t == TYPE_PRED || (t >= TYPE_S8 && t <= TYPE_U64) || t == TYPE_S4 || t == TYPE_U4 ||
           t == TYPE_S2 || t == TYPE_U2 || t == TYPE_S1 || t == TYPE_U1;
}

/* Letters, digits, signs and points, as numbers are made of. */
static struct word element(const char *at)
{
    struct word w = lex_word(&(struct lex){.at = at});
    while (at[w.len] == '+') /* 1e+09 */
        w.len += 1 + lex_word(&(struct lex){.at = at + w.len + 1}).len;
    return w;
}

/* "-12" up to what 64 bits hold, with or without a sign; "true". */
static bool integer(struct word w, int64_t *out)
{
    if (word_is(w, "true") || word_is(w, "false")) {
        *out = w.at[0] == 't';
        return true;
    }
    bool minus = w.len && w.at[0] == '-';
    uint64_t sum = 0;
    if (w.len == (size_t)minus)
        return false;
    for (size_t k = minus; k < w.len; k++)
        if (w.at[k] < '0' || w.at[k] > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(w.at[k] - '0'), &sum))
            return false;
    *out = (int64_t)(minus ? 0 - sum : sum);
    return !minus || sum <= (uint64_t)1 << 63;
}

/* "0", "-0", "0.0", "0e+00", "false" */
static bool is_zero(struct word w)
{
    size_t k = w.len && w.at[0] == '-';
    if (word_is(w, "false"))
        return true;
    for (; k < w.len && (w.at[k] == '0' || w.at[k] == '.'); k++)
        ;
    return w.len && w.at[w.len - 1] != '.' && (k == w.len || w.at[k] == 'e');
}

/* The next element of [at, end), over brackets, commas and comments; empty: no more. */
static struct word next(const char **at, const char *end)
{
    while (*at < end) {
        *at = lex_gap(*at);
        struct word w = *at < end ? element(*at) : (struct word){*at, 0};
        if (w.len) {
            *at += w.len;
            return w;
        }
        ++*at;
    }
    return (struct word){end, 0};
}

bool literal_text_read(struct lex *l, const struct hlo *h, struct hlo_inst *x)
{
    const char *at = l->at;
    if (!lex_skip_brackets(l))
        return false;
    if (!shape_is_array(&h->shapes, x->shape))
        return true;
    uint64_t n = 0;
    bool zero = true;
    struct word first = {at, 0};
    for (struct word w = next(&at, l->at); w.len && zero; w = next(&at, l->at), n++) {
        zero = is_zero(w);
        first = n ? first : w;
    }
    x->is_zero = n && zero;
    x->has_scalar = n == 1 && is_integer(shape_node(&h->shapes, x->shape)->type) &&
                    shape_elements(&h->shapes, x->shape) == 1 && integer(first, &x->scalar);
    return true;
}
