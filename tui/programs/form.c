#include "tui/programs/form.h"

#include <stdio.h>

struct form form_normal(struct form f)
{
    if (f.unroll >= f.seqlen)
        f.unroll = VARIANT_FULL;
    return f;
}

bool form_same(const struct form *a, const struct form *b)
{
    struct form x = form_normal(*a), y = form_normal(*b);
    return x.target == y.target && x.width == y.width && x.seqlen == y.seqlen && x.unroll == y.unroll;
}

/* ---- Steps ---- */

int64_t form_stride(int64_t first)
{
    int64_t by = 1;
    while (first > 16 && by <= first / 16)
        by *= 2;
    return by;
}

struct form form_seqlen(struct form f, int64_t first, int sign)
{
    int64_t by = form_stride(first), rest = first % by ? first % by : by;
    int64_t most = first > VARIANT_MOST / 2 && first < INT64_MAX / 4 ? 2 * first : VARIANT_MOST;
    if (sign < 0)
        f.seqlen = f.seqlen > by ? f.seqlen - by : 1;
    else if (f.seqlen < rest)
        f.seqlen = rest;
    else if (f.seqlen <= most - by || f.seqlen < first)
        f.seqlen += by;
    return f;
}

static bool can_unroll(int64_t seqlen, int64_t k, enum forms kind)
{
    return kind == FORMS_EXAMPLE || seqlen % k == 0;
}

#define SEARCHED 100000 /* divisors that are looked for */

struct form form_unroll(struct form f, enum forms kind, int sign)
{
    int64_t k = f.unroll < f.seqlen ? f.unroll : f.seqlen;
    if (sign > 0 && f.unroll >= f.seqlen)
        return f;
    if (sign < 0 && k > SEARCHED)
        k = SEARCHED + 1;
    for (k += sign; k > 1 && k < f.seqlen && !can_unroll(f.seqlen, k, kind); k += sign)
        if (sign > 0 && k > SEARCHED)
            k = f.seqlen - 1;
    f.unroll = k < 1 ? 1 : k >= f.seqlen && f.seqlen > 1 ? VARIANT_FULL : k;
    return f;
}

const char *form_unroll_text(const struct form *f, char out[24])
{
    if (f->unroll >= f->seqlen && f->seqlen > 1)
        snprintf(out, 24, "full");
    else
        snprintf(out, 24, "%lld", (long long)(f->unroll >= f->seqlen ? 1 : f->unroll));
    return out;
}

/* ---- The heat table ---- */

#define ROWS_BEFORE 4 /* lengths above the compiled one */

static void make_rows(struct axes *a, const struct form *f, int64_t first)
{
    struct form at = *f;
    int64_t from = first <= AXIS_MOST - 1 ? 1 : first;
    at.seqlen = from;
    for (int k = 0; first > AXIS_MOST - 1 && k < ROWS_BEFORE; k++)
        at = form_seqlen(at, first, -1);
    while (a->rows < AXIS_MOST - 1) {
        int64_t last = at.seqlen;
        a->seqlen[a->rows++] = last;
        at = form_seqlen(at, first, 1);
        if (at.seqlen == last)
            break;
    }
    int at_row = 0;
    while (at_row < a->rows && a->seqlen[at_row] < f->seqlen)
        at_row++;
    if (at_row < a->rows && a->seqlen[at_row] == f->seqlen)
        return;
    for (int k = a->rows++; k > at_row; k--)
        a->seqlen[k] = a->seqlen[k - 1];
    a->seqlen[at_row] = f->seqlen;
}

static void make_cols(struct axes *a, const struct form *f, enum forms kind)
{
    struct form own = form_normal(*f), at = own;
    int64_t most = kind == FORMS_EXAMPLE ? a->seqlen[a->rows - 1] : f->seqlen;
    at.seqlen = most;
    at.unroll = 1;
    while (a->cols < AXIS_MOST - 2 && at.unroll < most) {
        a->unroll[a->cols++] = at.unroll;
        at = form_unroll(at, kind, 1);
    }
    int col = 0;
    while (col < a->cols && a->unroll[col] < own.unroll)
        col++;
    if (own.unroll != VARIANT_FULL && (col == a->cols || a->unroll[col] != own.unroll)) {
        for (int k = a->cols++; k > col; k--)
            a->unroll[k] = a->unroll[k - 1];
        a->unroll[col] = own.unroll;
    }
    a->unroll[a->cols++] = VARIANT_FULL;
}

struct axes form_axes(const struct form *f, int64_t first, enum forms kind)
{
    struct axes a = {.rows = 0};
    make_rows(&a, f, first);
    make_cols(&a, f, kind);
    return a;
}

void form_cell(const struct axes *a, const struct form *f, int *row, int *col)
{
    struct form n = form_normal(*f);
    *row = *col = 0;
    for (int k = 0; k < a->rows; k++)
        *row = a->seqlen[k] == n.seqlen ? k : *row;
    for (int k = 0; k < a->cols; k++)
        *col = a->unroll[k] == n.unroll ? k : *col;
}

bool form_at(const struct axes *a, const struct form *f, int row, int col, struct form *out)
{
    *out = *f;
    out->seqlen = a->seqlen[row];
    out->unroll = a->unroll[col];
    return col == a->cols - 1 || out->unroll < out->seqlen;
}
