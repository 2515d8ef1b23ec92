#include "core/load/text/hlo_frames.h"

#include <string.h>

/* "{file_name_id=1 line=21 …}": the numbers under `keys`, others are passed. */
static bool read_fields(struct lex *l, const char *const *keys, int64_t *out, size_t n)
{
    memset(out, 0, n * sizeof *out);
    if (!lex_expect(l, '{', "before the fields of a row"))
        return false;
    while (!lex_take(l, '}')) {
        struct word key = lex_word(l);
        if (!key.len)
            return lex_expected(l, "a field or '}'");
        if (!lex_expect(l, '=', "behind a field's name"))
            return false;
        size_t k = 0;
        while (k < n && !word_is(key, keys[k]))
            k++;
        if (k < n ? !lex_number(l, &out[k], "a number") : !lex_skip(l, ' '))
            return false;
    }
    return true;
}

/* Ids are 1-based, 0 stands for none. */
static bool check_id(const struct lex *l, const char *at, const struct list *table, int64_t id,
                     const char *what)
{
    return (id >= 0 && id <= table->n) ||
           lex_fail(l, at, "%s %lld is named, but there are %u", what, (long long)id, table->n);
}

static const char *name_of(const struct list *names, int64_t id)
{
    return id ? ((const char **)names->items)[id - 1] : NULL;
}

static uint32_t clamp(int64_t n)
{
    return n < 0 || n >= UINT32_MAX ? 0 : (uint32_t)n;
}

static bool read_location(struct frame_tables *t, struct lex *l, struct hlo *h)
{
    static const char *const keys[] = {"file_name_id", "function_name_id", "line", "column"};
    int64_t value[4];
    const char *at = l->at;
    (void)h;
    if (!read_fields(l, keys, value, 4) || !check_id(l, at, &t->files, value[0], "file name") ||
        !check_id(l, at, &t->functions, value[1], "function name"))
        return false;
    struct hlo_frame *row = list_add(t->arena, &t->locations, sizeof *row);
    row->file = name_of(&t->files, value[0]);
    row->function = name_of(&t->functions, value[1]);
    row->line = clamp(value[2]);
    row->column = clamp(value[3]);
    return true;
}

/* The versions seen print parent_frame_id one too large, 1 for none.  The first frame has no
 * parent, so what it prints tells whether that is so here. */
static bool read_frame(struct frame_tables *t, struct lex *l, struct hlo *h)
{
    static const char *const keys[] = {"file_location_id", "parent_frame_id"};
    int64_t value[2];
    const char *at = l->at;
    uint32_t id = h->frames.n;
    if (!read_fields(l, keys, value, 2) ||
        !check_id(l, at, &t->locations, value[0], "file location"))
        return false;
    if (id == 1)
        t->shifted = value[1] == 1;
    int64_t parent = value[1] - (t->shifted && value[1] > 0);
    if (parent < 0 || parent >= id)
        return lex_fail(l, at, "stack frame %u has parent %lld, which does not stand before it", id,
                        (long long)value[1]);
    struct hlo_frame *row = list_add(h->arena, &h->frames, sizeof *row);
    if (value[0])
        *row = ((const struct hlo_frame *)t->locations.items)[value[0] - 1];
    row->parent = (uint32_t)parent;
    return true;
}

static bool read_file_name(struct frame_tables *t, struct lex *l, struct hlo *h)
{
    const char **row = list_add(t->arena, &t->files, sizeof *row);
    return lex_text(l, h, row);
}

static bool read_function_name(struct frame_tables *t, struct lex *l, struct hlo *h)
{
    const char **row = list_add(t->arena, &t->functions, sizeof *row);
    return lex_text(l, h, row);
}

static const struct table {
    const char *name;
    bool (*row)(struct frame_tables *t, struct lex *l, struct hlo *h);
} tables[] = {
    {"FileNames", read_file_name},
    {"FunctionNames", read_function_name},
    {"FileLocations", read_location},
    {"StackFrames", read_frame},
};

static const struct table *find_table(struct word name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (word_is(name, tables[i].name))
            return &tables[i];
    return NULL;
}

bool frames_named(struct word name)
{
    return find_table(name) != NULL;
}

/* Rows are "1 …", "2 …": what names them counts on that. */
bool frames_read(struct frame_tables *t, struct lex *l, struct hlo *h, struct word name)
{
    const struct table *table = find_table(name);
    for (int64_t want = 1;; want++) {
        lex_lines(l);
        const char *at = l->at;
        if (*at < '0' || *at > '9')
            return true;
        int64_t id;
        if (!lex_number(l, &id, "the number of a row"))
            return false;
        if (id != want)
            return lex_fail(l, at, "row %lld of %s stands where row %lld was expected",
                            (long long)id, table->name, (long long)want);
        lex_blanks(l);
        if (!table->row(t, l, h))
            return false;
    }
}
