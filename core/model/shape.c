#include "core/model/shape.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bits;
} types[TYPE_COUNT] = {
    [TYPE_INVALID] = {"invalid", 0},
    [TYPE_PRED] = {"pred", 8},
    [TYPE_S8] = {"s8", 8},
    [TYPE_S16] = {"s16", 16},
    [TYPE_S32] = {"s32", 32},
    [TYPE_S64] = {"s64", 64},
    [TYPE_U8] = {"u8", 8},
    [TYPE_U16] = {"u16", 16},
    [TYPE_U32] = {"u32", 32},
    [TYPE_U64] = {"u64", 64},
    [TYPE_F16] = {"f16", 16},
    [TYPE_F32] = {"f32", 32},
    [TYPE_F64] = {"f64", 64},
    [TYPE_TUPLE] = {"tuple", 0},
    [TYPE_OPAQUE] = {"opaque", 64},
    [TYPE_C64] = {"c64", 64},
    [TYPE_BF16] = {"bf16", 16},
    [TYPE_TOKEN] = {"token", 0},
    [TYPE_C128] = {"c128", 128},
    [TYPE_F8E5M2] = {"f8e5m2", 8},
    [TYPE_F8E4M3FN] = {"f8e4m3fn", 8},
    [TYPE_S4] = {"s4", 4},
    [TYPE_U4] = {"u4", 4},
    [TYPE_F8E4M3B11FNUZ] = {"f8e4m3b11fnuz", 8},
    [TYPE_F8E5M2FNUZ] = {"f8e5m2fnuz", 8},
    [TYPE_F8E4M3FNUZ] = {"f8e4m3fnuz", 8},
    [TYPE_S2] = {"s2", 2},
    [TYPE_U2] = {"u2", 2},
    [TYPE_F8E4M3] = {"f8e4m3", 8},
    [TYPE_F8E3M4] = {"f8e3m4", 8},
    [TYPE_S1] = {"s1", 1},
    [TYPE_U1] = {"u1", 1},
    [TYPE_F4E2M1FN] = {"f4e2m1fn", 4},
    [TYPE_F8E8M0FNU] = {"f8e8m0fnu", 8},
    [TYPE_BUFFER] = {"b", 8},
};

enum shape_type shape_type_named(const char *name, size_t len)
{
    for (unsigned t = TYPE_PRED; t < TYPE_COUNT; t++)
        if (strlen(types[t].name) == len && memcmp(types[t].name, name, len) == 0)
            return (enum shape_type)t;
    return TYPE_INVALID;
}

const char *shape_type_name(enum shape_type t)
{
    return (unsigned)t < TYPE_COUNT ? types[t].name : "invalid";
}

unsigned shape_type_bits(enum shape_type t)
{
    return (unsigned)t < TYPE_COUNT ? types[t].bits : 0;
}

/* ---- Building ---- */

/* A tuple of arrays alone: element i is node 1 + i. */
static bool is_flat(const struct shape_node *node)
{
    return node->span == node->children + 1;
}

shape_id shape_open(struct shapes *s, enum shape_type type)
{
    struct shape_node *node = list_add(s->arena, &s->nodes, sizeof *node);
    *node = (struct shape_node){ /* a reader may have taken back what stood here */
        .type = (uint8_t)((unsigned)type < TYPE_COUNT ? type : TYPE_INVALID),
        .span = 1,
    };
    return s->nodes.n - 1;
}

void shape_number(struct shapes *s, struct span *run, int64_t number)
{
    if (run->n == 0)
        run->first = s->numbers.n;
    *(int64_t *)list_add(s->arena, &s->numbers, sizeof(int64_t)) = number;
    run->n++;
}

void shape_close(struct shapes *s, shape_id id)
{
    struct shape_node *node = shape_node(s, id);
    node->span = s->nodes.n - id;
    for (uint32_t k = 1; k < node->span; k += shape_node(s, id + k)->span)
        node->children++;
    if (is_flat(node))
        return;
    node->starts = s->starts.n;
    for (uint32_t k = 1; k < node->span; k += shape_node(s, id + k)->span)
        *(uint32_t *)list_add(s->arena, &s->starts, sizeof(uint32_t)) = k;
}

/* ---- The tree ---- */

bool shape_is_array(const struct shapes *s, shape_id id)
{
    unsigned t = shape_node(s, id)->type;
    return t != TYPE_TUPLE && t != TYPE_OPAQUE && t != TYPE_TOKEN && t != TYPE_INVALID;
}

static const uint32_t *starts_of(const struct shapes *s, const struct shape_node *node)
{
    return (const uint32_t *)s->starts.items + node->starts;
}

uint32_t shape_child(const struct shapes *s, shape_id id, int64_t i)
{
    const struct shape_node *node = shape_node(s, id);
    if (i < 0 || i >= node->children)
        return SHAPE_NONE;
    return is_flat(node) ? 1 + (uint32_t)i : starts_of(s, node)[i];
}

uint32_t shape_element_of(const struct shapes *s, shape_id id, uint32_t k, uint32_t *start)
{
    const struct shape_node *node = shape_node(s, id);
    *start = k;
    if (is_flat(node))
        return k - 1;
    const uint32_t *starts = starts_of(s, node);
    uint32_t low = 0, high = node->children;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (starts[mid] <= k)
            low = mid;
        else
            high = mid;
    }
    *start = starts[low];
    return low;
}

bool shape_same_tree(const struct shapes *s, shape_id a, shape_id b)
{
    uint32_t n = shape_node(s, a)->span;
    if (n != shape_node(s, b)->span)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const struct shape_node *x = shape_node(s, a + k), *y = shape_node(s, b + k);
        if (x->span != y->span || (x->type == TYPE_TUPLE) != (y->type == TYPE_TUPLE))
            return false;
    }
    return true;
}

bool shape_same_numbers(const int64_t *a, uint32_t n_a, const int64_t *b, uint32_t n_b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

/* ---- Bytes ---- */

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

uint64_t shape_elements(const struct shapes *s, shape_id id)
{
    const struct shape_node *node = shape_node(s, id);
    const int64_t *dims = shape_numbers(s, node->dims);
    uint64_t n = 1;
    for (uint32_t i = 0; i < node->dims.n; i++) {
        if (dims[i] <= 0)
            return 0; /* before an overflow could hide the zero */
        n = times(n, (uint64_t)dims[i]);
    }
    return n;
}

static const struct span *node_tiles(const struct shapes *s, const struct shape_node *node)
{
    return node->tiles.n ? (const struct span *)s->tiles.items + node->tiles.first : NULL;
}

/* Elements after padding to tiles: the dimensions, major to minor, are cut into tiles from the
 * minor end; each tile's own dimensions then take the place of the ones they cut, and the next
 * tile cuts those (xla/layout.h, "Tile"). */
static uint64_t tiled_elements(const struct shapes *s, const struct shape_node *node)
{
    enum { MOST = 64 };
    int64_t dims[MOST];
    const int64_t *size = shape_numbers(s, node->dims), *order = shape_numbers(s, node->order);
    uint32_t n = node->dims.n;
    if (n > MOST / 2)
        return UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        int64_t from = order[n - 1 - i];
        dims[i] = from >= 0 && from < n ? size[from] : 1;
    }
    const struct span *tiles = node_tiles(s, node);
    for (uint32_t t = 0; t < node->tiles.n; t++) {
        const int64_t *tile = shape_numbers(s, tiles[t]);
        uint32_t k = tiles[t].n;
        if (n + k > MOST)
            return UINT64_MAX;
        while (n < k) {
            memmove(dims + 1, dims, n * sizeof *dims);
            dims[0] = 1;
            n++;
        }
        for (uint32_t i = 0; i < k; i++) {
            int64_t *cut = &dims[n - k + i];
            if (tile[i] > 0)
                *cut = *cut / tile[i] + (*cut % tile[i] != 0);
        }
        if (k)
            memcpy(dims + n, tile, k * sizeof *dims);
        n += k;
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < n; i++)
        elements = times(elements, dims[i] > 0 ? (uint64_t)dims[i] : 1);
    return elements;
}

uint64_t shape_bytes(const struct shapes *s, shape_id id)
{
    const struct shape_node *node = shape_node(s, id);
    if (node->type == TYPE_TUPLE)
        return 8 * (uint64_t)shape_children(s, id);
    if (node->type == TYPE_OPAQUE)
        return 8;
    uint64_t elements = shape_elements(s, id);
    if (elements && node->tiles.n && node->order.n == node->dims.n)
        elements = tiled_elements(s, node);
    /* Without a width in its layout an element of less than a byte takes one (ShapeUtil::ByteSizeOfElements). */
    unsigned bits = node->element_bits ? node->element_bits : (types[node->type].bits + 7u) / 8 * 8;
    uint64_t total = times(elements, bits);
    if (total == UINT64_MAX) /* the bits may overflow where the bytes do not */
        return bits % 8 == 0 ? times(elements, bits / 8) : UINT64_MAX;
    return total / 8 + (total % 8 != 0);
}

/* ---- Words ---- */

/* Appends to out, and knows when it no longer fits. */
struct text {
    char *out;
    size_t size, used;
    bool full;
};

static void put(struct text *t, const char *words)
{
    size_t len = strlen(words);
    if (t->full || t->used + len >= t->size) {
        t->full = true;
        return;
    }
    memcpy(t->out + t->used, words, len + 1);
    t->used += len;
}

static void put_numbers(struct text *t, const int64_t *numbers, uint32_t n)
{
    char word[24];
    for (uint32_t i = 0; i < n && !t->full; i++) {
        snprintf(word, sizeof word, "%s%lld", i ? "," : "", (long long)numbers[i]);
        put(t, word);
    }
}

static void put_layout(struct text *t, const struct shapes *s, const struct shape_node *node)
{
    char word[24];
    bool more = node->tiles.n || node->memory_space || node->element_bits;
    if (node->order.n == 0 && !more)
        return;
    put(t, "{");
    put_numbers(t, shape_numbers(s, node->order), node->order.n);
    if (more)
        put(t, ":");
    const struct span *tiles = node_tiles(s, node);
    for (uint32_t i = 0; i < node->tiles.n; i++) {
        put(t, i ? "(" : "T(");
        put_numbers(t, shape_numbers(s, tiles[i]), tiles[i].n);
        put(t, ")");
    }
    if (node->element_bits) {
        snprintf(word, sizeof word, "E(%u)", (unsigned)node->element_bits);
        put(t, word);
    }
    if (node->memory_space) {
        snprintf(word, sizeof word, "S(%d)", (int)node->memory_space);
        put(t, word);
    }
    put(t, "}");
}

/* Recursion is bounded by SHAPE_DEPTH, which the readers enforce. */
static void put_shape(struct text *t, const struct shapes *s, shape_id id, bool layout)
{
    const struct shape_node *node = shape_node(s, id);
    if (node->type == TYPE_TUPLE) {
        put(t, "(");
        for (uint32_t k = 1; k < node->span && !t->full; k += shape_node(s, id + k)->span) {
            if (k > 1)
                put(t, ", ");
            put_shape(t, s, id + k, layout);
        }
        put(t, ")");
        return;
    }
    put(t, types[node->type].name);
    put(t, "[");
    put_numbers(t, shape_numbers(s, node->dims), node->dims.n);
    put(t, "]");
    if (layout)
        put_layout(t, s, node);
}

const char *shape_text(const struct shapes *s, shape_id id, bool layout, char *out, size_t size)
{
    struct text t = {.out = out, .size = size > 4 ? size - 3 : 0};
    if (size)
        *out = '\0';
    put_shape(&t, s, id, layout);
    if (t.full && size > 4)
        memcpy(out + t.used, "…", sizeof "…");
    return out;
}

const char *shape_path_text(const struct shapes *s, shape_id id, uint32_t k, char *out, size_t size)
{
    struct text t = {.out = out, .size = size};
    char word[16];
    put(&t, "{");
    while (k > 0) {
        uint32_t start, i = shape_element_of(s, id, k, &start);
        snprintf(word, sizeof word, "%s%u", t.used > 1 ? "," : "", i);
        put(&t, word);
        id += start;
        k -= start;
    }
    put(&t, "}");
    return out;
}

uint32_t shape_path_find(const struct shapes *s, shape_id id, const int64_t *path, size_t n)
{
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t step = shape_child(s, id + k, path[i]);
        if (step == SHAPE_NONE)
            return SHAPE_NONE;
        k += step;
    }
    return k;
}
