#include "core/analysis/explain/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *diff_change_name(enum diff_change c)
{
    static const char *const names[] = {"same", "grew", "shrank", "appeared", "vanished"};
    return names[c];
}

/* ---- What a buffer is known by ---- */

/* One buffer alive at its program's peak. */
struct item {
    int side;
    buf_id id;
    uint64_t bytes;
    const char *op, *source, *shape, *family; /* interned: equal texts are equal pointers; NULL: none */
    uint32_t row; /* -> rows, or NO_ROW */
};
#define NO_ROW UINT32_MAX

struct work {
    struct diff *d;
    struct arena scratch;
    struct strmap texts;
    struct item *items;
    uint32_t n;
    struct list rows; /* struct diff_row */
};

static const char *intern(struct work *w, const char *text)
{
    return text && *text ? strmap_intern(&w->d->arena, &w->texts, text, strlen(text)) : NULL;
}

/* Without the loops around it: "jvp()/while/body/mul" -> "jvp()/mul". */
static const char *op_without_loops(const char *op, char *out, size_t size)
{
    size_t used = 0;
    while (*op) {
        size_t len = strcspn(op, "/");
        bool loop = (len == 5 && strncmp(op, "while", 5) == 0) ||
                    (len == 4 && (strncmp(op, "body", 4) == 0 || strncmp(op, "cond", 4) == 0));
        if (!loop && used + len + 2 < size) {
            if (used)
                out[used++] = '/';
            memcpy(out + used, op, len);
            used += len;
        }
        op += len + (op[len] == '/');
    }
    out[used] = '\0';
    return out;
}

static const struct loop_stack *stack_of(const struct program *p, buf_id b)
{
    for (uint32_t k = 0; p->value[b] != VALUE_NONE && k < p->loops.n_stacks; k++)
        if (p->dataflow.set[p->loops.stacks[k].value] == p->dataflow.set[p->value[b]])
            return &p->loops.stacks[k];
    return NULL;
}

/* "f32[4,1024]" -> "f32[1024]" for dimension 0; a slot that is kept as one row is the same. */
static const char *slot_shape(struct work *w, const struct program *p, buf_id b)
{
    const struct loop_stack *s = NULL;
    const char *shape = *p->shape[b] ? p->shape[b] : "?"; /* of a buffer assignment alone */
    char text[400];
    if (p->role[b] == ROLE_STACK || p->role[b] == ROLE_STACKED)
        s = stack_of(p, b);
    const char *open = strchr(shape, '[');
    if (!open || shape[0] == '(' || strlen(shape) >= sizeof text)
        return intern(w, shape);
    size_t used = (size_t)(open - shape) + 1;
    memcpy(text, shape, used);
    uint32_t dim = 0;
    bool first = true;
    for (const char *at = open + 1; *at && *at != ']'; dim++) {
        size_t len = strcspn(at, ",]");
        bool drop = (s && dim == s->dim) || (len == 1 && *at == '1');
        if (!drop) {
            if (!first)
                text[used++] = ',';
            memcpy(text + used, at, len);
            used += len;
            first = false;
        }
        at += len + (at[len] == ',');
    }
    snprintf(text + used, sizeof text - used, "]");
    return intern(w, text);
}

static const char *family(const struct program *p, buf_id b)
{
    switch (p->role[b]) {
    case ROLE_STACK:
    case ROLE_RESIDUAL:
        return "residuals";
    case ROLE_PARAMETER:
    case ROLE_DONATED:
        return roles_is_residual(p, b) ? "residuals" : role_name(p->role[b]);
    default:
        return role_name(p->role[b]);
    }
}

static void list_side(struct work *w, int side)
{
    const struct program *p = w->d->program[side];
    buf_id *ids = arena_array(&w->scratch, (size_t)p->n + 1, sizeof *ids);
    uint64_t *own = arena_array(&w->scratch, (size_t)p->n + 1, sizeof *own);
    uint32_t n = program_alive(p, p->peak, ids, own);
    for (uint32_t k = 0; k < n; k++) {
        buf_id b = ids[k];
        char text[1024];
        if (!p->main[b])
            continue;
        w->d->role[p->role[b]][side] += own[k];
        if (!own[k])
            continue;
        struct item *x = &w->items[w->n++];
        *x = (struct item){.side = side, .id = b, .bytes = own[k], .row = NO_ROW};
        x->op = p->op_name[b] ? intern(w, op_without_loops(p->op_name[b], text, sizeof text)) : NULL;
        x->source = intern(w, program_source(p, b, text, sizeof text));
        x->shape = slot_shape(w, p, b);
        x->family = intern(w, family(p, b));
    }
}

/* ---- Aligning ---- */

/* From all that is known to less and less; each rule sees what the ones before left alone. */
enum { BY_OP = 1, BY_SOURCE = 2, BY_SHAPE = 4, BY_FAMILY = 8 };
static const unsigned rules[] = {
    BY_OP | BY_SOURCE | BY_SHAPE | BY_FAMILY,
    BY_OP | BY_SOURCE | BY_SHAPE,
    BY_OP | BY_SHAPE | BY_FAMILY,     /* lines have moved */
    BY_FAMILY | BY_SOURCE | BY_SHAPE, /* XLA fused it differently */
    BY_FAMILY | BY_SHAPE,
    BY_OP | BY_SOURCE | BY_FAMILY,    /* another size */
    BY_FAMILY | BY_SOURCE,
};

/* False when a part that the rule needs is not known. */
static bool key_of(const struct item *x, unsigned rule, const void *key[4])
{
    key[0] = rule & BY_OP ? x->op : "";
    key[1] = rule & BY_SOURCE ? x->source : "";
    key[2] = rule & BY_SHAPE ? x->shape : "";
    key[3] = rule & BY_FAMILY ? x->family : "";
    return key[0] && key[1] && key[2] && key[3];
}

static uint32_t new_row(struct work *w, const struct item *x)
{
    struct diff_row *r = list_add(&w->d->arena, &w->rows, sizeof *r);
    *r = (struct diff_row){.shape = x->shape};
    r->side[0].largest = r->side[1].largest = BUF_NONE;
    return w->rows.n - 1;
}

/* Numbers of items by key; a key's first item holds its number. */
static void align_by(struct work *w, unsigned rule)
{
    struct strmap keys = {0};
    uint32_t n_keys = 0;
    uint32_t *key_of_item = arena_array(&w->scratch, (size_t)w->n + 1, sizeof *key_of_item);
    bool(*on)[2] = arena_array(&w->scratch, (size_t)w->n + 1, sizeof *on);
    uint32_t *row = arena_array(&w->scratch, (size_t)w->n + 1, sizeof *row);
    for (uint32_t k = 0; k < w->n; k++) {
        const void *key[4];
        key_of_item[k] = NO_ROW;
        if (w->items[k].row != NO_ROW || !key_of(&w->items[k], rule, key))
            continue;
        uint32_t at = strmap_find(&keys, (const char *)key, sizeof key);
        if (at == STRMAP_NONE) {
            at = n_keys++;
            strmap_put(&w->scratch, &keys, (const char *)key, sizeof key, at);
            row[at] = NO_ROW;
        }
        key_of_item[k] = at;
        on[at][w->items[k].side] = true;
    }
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t at = key_of_item[k];
        if (at == NO_ROW || !on[at][0] || !on[at][1])
            continue;
        if (row[at] == NO_ROW)
            row[at] = new_row(w, &w->items[k]);
        w->items[k].row = row[at];
    }
}

/* What is alone: all of one origin in one row. */
static void align_rest(struct work *w)
{
    struct strmap keys[2] = {{0}, {0}};
    for (uint32_t k = 0; k < w->n; k++) {
        struct item *x = &w->items[k];
        const void *key[4] = {x->op, x->source, x->shape, x->family};
        if (x->row != NO_ROW)
            continue;
        x->row = strmap_find(&keys[x->side], (const char *)key, sizeof key);
        if (x->row == STRMAP_NONE) {
            x->row = new_row(w, x);
            strmap_put(&w->scratch, &keys[x->side], (const char *)key, sizeof key, x->row);
        }
    }
}

static void fill_rows(struct work *w)
{
    struct diff_row *rows = w->rows.items;
    for (uint32_t k = 0; k < w->n; k++) {
        const struct item *x = &w->items[k];
        const struct program *p = w->d->program[x->side];
        struct diff_row *r = &rows[x->row];
        struct diff_side *s = &r->side[x->side];
        if (!s->n++) { /* the items of a side come largest first */
            s->largest = x->id;
            s->role = p->role[x->id];
            if (x->side == 1 || !r->op_name) {
                r->op_name = p->op_name[x->id];
                r->source = x->source;
            }
        }
        s->bytes += x->bytes;
    }
    for (uint32_t k = 0; k < w->rows.n; k++) {
        const struct diff_side *s = rows[k].side;
        rows[k].change = !s[0].n                   ? DIFF_APPEARED
                         : !s[1].n                 ? DIFF_VANISHED
                         : s[1].bytes > s[0].bytes ? DIFF_GREW
                         : s[1].bytes < s[0].bytes ? DIFF_SHRANK
                                                   : DIFF_SAME;
    }
}

static uint64_t change_of(const struct diff_row *r)
{
    uint64_t a = r->side[0].bytes, b = r->side[1].bytes;
    return a > b ? a - b : b - a;
}

static int by_change(const void *x, const void *y)
{
    const struct diff_row *a = x, *b = y;
    uint64_t ca = change_of(a), cb = change_of(b);
    if (ca != cb)
        return ca > cb ? -1 : 1;
    uint64_t na = a->side[0].bytes + a->side[1].bytes, nb = b->side[0].bytes + b->side[1].bytes;
    if (na != nb)
        return na > nb ? -1 : 1;
    int k = strcmp(a->shape ? a->shape : "", b->shape ? b->shape : "");
    return k ? k : strcmp(a->op_name ? a->op_name : "", b->op_name ? b->op_name : "");
}

/* ---- The whole ---- */

static bool same_totals(const struct program *a, const struct program *b)
{
    return a->has_totals == b->has_totals &&
           (!a->has_totals || memcmp(&a->totals, &b->totals, sizeof a->totals) == 0);
}

void diff_make(struct diff *d, const struct program *a, const struct program *b)
{
    *d = (struct diff){.program = {a, b}};
    struct work w = {.d = d};
    w.items = arena_array(&w.scratch, (size_t)a->n + b->n + 1, sizeof *w.items);
    d->peak[0] = a->live[a->peak];
    d->peak[1] = b->live[b->peak];
    list_side(&w, 0);
    list_side(&w, 1);
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        align_by(&w, rules[k]);
    align_rest(&w);
    fill_rows(&w);
    d->rows = w.rows.items;
    d->n = w.rows.n;
    if (d->n)
        qsort(d->rows, d->n, sizeof *d->rows, by_change);
    d->differs = d->peak[0] != d->peak[1] || !same_totals(a, b);
    for (uint32_t k = 0; k < d->n; k++)
        d->differs |= d->rows[k].change != DIFF_SAME;
    arena_free(&w.scratch);
}

void diff_free(struct diff *d)
{
    arena_free(&d->arena);
}
