/* Shapes as XLA writes them: "f32[4,<=8]{1,0:T(8,128)(2,1)S(1)}", "(f32[], s32[2]{0})".
 * Source: xla/hlo/parser/hlo_parser.cc (ParseShape, ParseLayout), xla/layout.cc (Layout::Print). */
#include "core/load/text/hlo_lex.h"
#include "core/load/text/hlo_text.h"

struct scan {
    struct shapes *s;
    const char *at;
    const char *why;
};

static bool refuse(struct scan *c, const char *why)
{
    c->why = why;
    return false;
}

static bool take(struct scan *c, char want)
{
    c->at = lex_gap(c->at);
    if (*c->at != want)
        return false;
    c->at++;
    return true;
}

/* Digits, or '?' and '*', which XLA keeps as the least number (unbounded, combined). */
static bool scan_number(struct scan *c, int64_t *n)
{
    c->at = lex_gap(c->at);
    const char *at = c->at;
    if (*at == '?' || *at == '*') {
        c->at++;
        *n = INT64_MIN;
        return true;
    }
    if (*at < '0' || *at > '9')
        return refuse(c, "expected a number here");
    for (*n = 0; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, *at - '0', n))
            return refuse(c, "this number does not fit into 64 bits");
    c->at = at;
    return true;
}

/* "1,0" up to, not including, the closing character; empty when that stands at once. */
static bool scan_numbers(struct scan *c, struct span *run)
{
    c->at = lex_gap(c->at);
    if (*c->at == ']' || *c->at == '}' || *c->at == ')' || *c->at == ':')
        return true;
    do {
        int64_t n;
        c->at = lex_gap(c->at);
        if (c->at[0] == '<' && c->at[1] == '=') /* dynamic: the bound counts */
            c->at += 2;
        if (!scan_number(c, &n))
            return false;
        shape_number(c->s, run, n);
    } while (take(c, ','));
    return true;
}

/* T(8,128)(2,1): one tile for each pair of brackets. */
static bool scan_tiles(struct scan *c, shape_id id)
{
    while (take(c, '(')) {
        struct span tile = {0};
        if (!scan_numbers(c, &tile))
            return false;
        if (!take(c, ')'))
            return refuse(c, "expected ')' behind a tile");
        struct span *tiles = &shape_node(c->s, id)->tiles;
        if (tiles->n++ == 0)
            tiles->first = c->s->tiles.n;
        *(struct span *)list_add(c->s->arena, &c->s->tiles, sizeof(struct span)) = tile;
    }
    return true;
}

/* E(4), S(1): one number. */
static bool scan_item_number(struct scan *c, int64_t most, int64_t *n)
{
    const char *from = c->at;
    if (!take(c, '('))
        return refuse(c, "expected '(' behind the name of a layout item");
    if (!scan_number(c, n))
        return false;
    if (*n < 0 || *n > most) {
        c->at = from;
        return refuse(c, "this number is out of range");
    }
    return take(c, ')') || refuse(c, "expected ')' here");
}

/* Layout items that say nothing about sizes: D(…), L(…), #(…), *(…), SC(…), P(…), M(…). */
static bool scan_other_item(struct scan *c)
{
    const char *from = c->at;
    while ((*c->at >= 'A' && *c->at <= 'Z') || *c->at == '#' || *c->at == '*')
        c->at++;
    if (c->at == from || *c->at != '(')
        return refuse(c, "expected '}' or a layout item such as T(8,128) or S(1)");
    size_t depth = 0;
    do {
        if (*c->at == '\0' || *c->at == '\n')
            return refuse(c, "expected ')' before the end of the line");
        depth += *c->at == '(';
        depth -= *c->at == ')';
        c->at++;
    } while (depth > 0);
    return true;
}

static bool scan_layout(struct scan *c, shape_id id)
{
    int64_t n;
    c->at++; /* the '{' */
    struct span order = {0};
    if (!scan_numbers(c, &order))
        return false;
    shape_node(c->s, id)->has_layout = true;
    shape_node(c->s, id)->order = order;
    if (take(c, ':')) {
        while (!take(c, '}')) {
            char item = *c->at && c->at[1] == '(' ? *c->at : '\0';
            c->at += item == 'T' || item == 'E' || item == 'S';
            if (item == 'T') {
                if (!scan_tiles(c, id))
                    return false;
            } else if (item == 'E') {
                if (!scan_item_number(c, UINT16_MAX, &n))
                    return false;
                shape_node(c->s, id)->element_bits = (uint16_t)n;
            } else if (item == 'S') {
                if (!scan_item_number(c, INT32_MAX, &n))
                    return false;
                shape_node(c->s, id)->memory_space = (int32_t)n;
            } else if (!scan_other_item(c)) {
                return false;
            }
        }
        return true;
    }
    return take(c, '}') || refuse(c, "expected '}' behind the layout");
}

/* f32[4,8]{1,0}.  b(f32[4]{0}), a buffer, is read as the array it holds. */
static bool scan_array(struct scan *c)
{
    const char *from = c->at;
    bool buffer = from[0] == 'b' && from[1] == '(';
    if (buffer)
        from = c->at += 2;
    while ((*c->at >= 'a' && *c->at <= 'z') || (*c->at >= '0' && *c->at <= '9'))
        c->at++;
    enum shape_type type = shape_type_named(from, (size_t)(c->at - from));
    if (c->at == from || *c->at != '[' || type == TYPE_INVALID || type == TYPE_TUPLE) {
        c->at = from;
        return refuse(c, "expected a shape such as f32[2,3] here");
    }
    c->at++;
    shape_id id = shape_open(c->s, type);
    struct span dims = {0};
    if (!scan_numbers(c, &dims))
        return false;
    if (!take(c, ']'))
        return refuse(c, "expected ']' behind the dimensions");
    shape_node(c->s, id)->dims = dims;
    if (*c->at == '{' &&
        !scan_layout(c, id)) /* only without a gap: a computation opens with " {" */
        return false;
    shape_close(c->s, id);
    return !buffer || take(c, ')') || refuse(c, "expected ')' behind the buffer's shape");
}

/* The open tuples stand in a stack of SHAPE_DEPTH, so text cannot make this recurse. */
static bool scan_shape(struct scan *c)
{
    shape_id open[SHAPE_DEPTH];
    uint32_t depth = 0;
    for (;;) {
        c->at = lex_gap(c->at);
        if (*c->at == '(') {
            if (depth == SHAPE_DEPTH)
                return refuse(c, "tuples are nested deeper than 100 levels here");
            open[depth++] = shape_open(c->s, TYPE_TUPLE);
            c->at++;
            if (!take(c, ')'))
                continue;
            shape_close(c->s, open[--depth]);
        } else if (!scan_array(c)) {
            return false;
        }
        for (;; shape_close(c->s, open[--depth])) { /* an element, or a whole tuple, has ended */
            if (depth == 0)
                return true;
            if (take(c, ','))
                break;
            if (!take(c, ')'))
                return refuse(c, "expected ',' or ')' in a tuple's shape");
        }
    }
}

bool shape_parse_why(struct shapes *s, const char **at, shape_id *out, const char **why)
{
    struct scan c = {.s = s, .at = *at};
    shape_id id = s->nodes.n;
    bool ok = scan_shape(&c);
    *at = c.at;
    *why = c.why;
    if (ok)
        *out = id;
    return ok;
}

bool shape_parse(struct shapes *s, const char **at, shape_id *out)
{
    const char *why, *from = *at;
    bool ok = shape_parse_why(s, at, out, &why);
    if (!ok)
        *at = from;
    return ok;
}
