#include "tui/model/fold.h"

#include "core/base/strmap.h"
#include "tui/model/alive.h"
#include "tui/model/text.h"
#include "tui/terminal/grid.h"

#include <stdio.h>
#include <string.h>

#define WIDEST 80

const char *fold_title(enum fold by)
{
    static const char *const titles[FOLD_COUNT] = {"buffer", "source line", "op_name", "shape", "role",
                                                   "source file", "loop", "memory"};
    return titles[by];
}

/* op_name up to its last '/', which no parenthesis holds: "jit(f)/mul" -> "jit(f)". */
static int scope_length(const char *op)
{
    int depth = 0, last = 0, i;
    for (i = 0; op[i]; i++) {
        depth += (op[i] == '(') - (op[i] == ')');
        if (op[i] == '/' && depth <= 0)
            last = i;
    }
    return last ? last : i;
}

uint32_t fold_loop(const struct program *p, uint32_t step)
{
    uint32_t in = LOOP_NONE;
    for (uint32_t k = 0; k < p->loops.n && p->loops.items[k].first <= step; k++)
        if (step <= p->loops.items[k].last)
            in = k; /* outer stand before inner */
    return in;
}

const char *fold_name(const struct program *p, enum fold by, buf_id b, char *out, size_t size)
{
    const char *op = p->op_name[b];
    uint32_t loop = by == FOLD_LOOP ? fold_loop(p, p->start[b]) : LOOP_NONE;
    switch (by) {
    case FOLD_LINE:
        if (!p->file[b])
            snprintf(out, size, "no source line");
        else
            source_text(p->file[b], p->line[b], out, size);
        break;
    case FOLD_OP:
        snprintf(out, size, "%.*s", op ? scope_length(op) : 10, op ? op : "no op_name");
        break;
    case FOLD_SHAPE: snprintf(out, size, "%s", p->shape[b] && *p->shape[b] ? p->shape[b] : "no shape"); break;
    case FOLD_ROLE: snprintf(out, size, "%s", p->role[b] < ROLE_COUNT ? role_name(p->role[b]) : "no role"); break;
    case FOLD_FILE: snprintf(out, size, "%s", p->file[b] ? file_base(p->file[b]) : "no source line"); break;
    case FOLD_LOOP: snprintf(out, size, "%s", loop == LOOP_NONE ? "no loop" : p->loops.items[loop].name); break;
    case FOLD_SPACE: snprintf(out, size, "%s", p->spaces[p->space[b]].name); break;
    case FOLD_NONE: case FOLD_COUNT: out[0] = '\0';
    }
    return out;
}

/* ---- Classes ---- */

/* Numbers of texts and of (text, line), by first appearance. */
struct namer {
    struct arena arena;
    struct strmap texts;
    struct idmap pairs;
    const char *last; /* neighbours often share their text */
    int last_len;
    uint32_t last_number;
};

static uint32_t number_of(struct namer *n, const char *text, int len)
{
    if (text == n->last && len == n->last_len)
        return n->last_number;
    uint32_t number = strmap_find(&n->texts, text, (size_t)len);
    if (number == STRMAP_NONE) {
        number = n->texts.n;
        strmap_put(&n->arena, &n->texts, text, (size_t)len, number);
    }
    n->last = text;
    n->last_len = len;
    return n->last_number = number;
}

static uint32_t pair_of(struct namer *n, uint32_t text, uint32_t line)
{
    int64_t key = (int64_t)((uint64_t)text << 32 | line);
    uint32_t number = idmap_find(&n->pairs, key);
    if (number == STRMAP_NONE) {
        number = n->pairs.n;
        idmap_put(&n->arena, &n->pairs, key, number);
    }
    return number;
}

static uint32_t text_class(struct namer *n, const struct program *p, enum fold by, buf_id b)
{
    const char *file = p->file[b] ? p->file[b] : "", *op = p->op_name[b] ? p->op_name[b] : "";
    const char *shape = p->shape[b] ? p->shape[b] : "";
    if (by == FOLD_OP)
        return number_of(n, op, scope_length(op));
    if (by == FOLD_SHAPE)
        return number_of(n, shape, (int)strlen(shape));
    uint32_t number = number_of(n, file, (int)strlen(file));
    return by == FOLD_FILE ? number : pair_of(n, number, p->line[b]);
}

/* The innermost loop around each step, + 1; outer loops stand before inner ones. */
static uint32_t *loops_at(struct arena *a, const struct program *p)
{
    uint32_t *at = arena_array(a, (size_t)p->steps + 1, sizeof *at), k = 0, in = LOOP_NONE;
    for (uint32_t t = 0; t <= p->steps; t++) {
        while (in != LOOP_NONE && p->loops.items[in].last < t)
            in = p->loops.items[in].parent;
        for (; k < p->loops.n && p->loops.items[k].first <= t; k++)
            if (t <= p->loops.items[k].last)
                in = k;
        at[t] = in == LOOP_NONE ? 0 : in + 1;
    }
    return at;
}

static uint32_t class_of(struct namer *n, const struct program *p, enum fold by, const uint32_t *loop, buf_id b)
{
    switch (by) {
    case FOLD_LOOP: return loop[p->start[b] <= p->steps ? p->start[b] : p->steps];
    case FOLD_SPACE: return p->space[b];
    case FOLD_ROLE: return p->role[b] < ROLE_COUNT ? p->role[b] : ROLE_COUNT;
    default: return text_class(n, p, by, b);
    }
}

static void measure(struct classes *c, struct arena *a, const struct program *p, enum fold by)
{
    char *seen = arena_array(a, (size_t)c->n + 1, 1), name[WIDEST * 4];
    for (buf_id b = 0; b < p->n; b++) {
        if (seen[c->of[b]])
            continue;
        seen[c->of[b]] = 1;
        int n = text_columns(fold_name(p, by, b, name, sizeof name));
        n = n < WIDEST ? n : WIDEST;
        c->width = n > c->width ? n : c->width;
    }
}

void fold_classes(struct classes *c, struct arena *a, const struct program *p, enum fold by)
{
    struct namer names = {.last_len = -1};
    uint32_t *loop = by == FOLD_LOOP ? loops_at(&names.arena, p) : NULL;
    *c = (struct classes){.of = arena_array(a, (size_t)p->n + 1, sizeof(uint32_t))};
    c->n = by == FOLD_LOOP ? p->loops.n + 1 : by == FOLD_SPACE ? p->n_spaces : by == FOLD_ROLE ? ROLE_COUNT + 1 : 1;
    for (buf_id b = 0; b < p->n; b++) {
        c->of[b] = class_of(&names, p, by, loop, b);
        if (c->of[b] >= c->n)
            c->n = c->of[b] + 1;
    }
    if (by < FOLD_SHOWN)
        measure(c, &names.arena, p, by);
    arena_free(&names.arena);
}
