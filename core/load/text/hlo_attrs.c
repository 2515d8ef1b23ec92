#include "core/load/text/hlo_reader.h"

#include <string.h>

/* ---- Aliases ---- */

/* Finds paths in shapes.  Lists of aliases name a tuple's elements one after the other, so the
 * last element found is where the next search starts. */
struct path_finder {
    shape_id parent;
    int64_t i;
    uint32_t k; /* node of element i below `parent` */
};

static uint32_t find_element(const struct shapes *s, struct path_finder *f, shape_id parent,
                             int64_t i)
{
    if (f->k == 0 || f->parent != parent || i < f->i)
        *f = (struct path_finder){.parent = parent, .i = 0, .k = 1};
    uint32_t end = shape_node(s, parent)->span;
    for (; f->i < i && f->k < end; f->i++)
        f->k += shape_node(s, parent + f->k)->span;
    if (i < 0 || f->k >= end) {
        f->k = 0;
        return SHAPE_NONE;
    }
    return f->k;
}

/* "{1,0}" in `shape` -> node distance. */
static bool read_path(struct hlo_reader *r, struct path_finder *f, shape_id shape, uint32_t *node)
{
    struct lex *l = &r->lex;
    *node = 0;
    if (!lex_expect(l, '{', "before a shape index"))
        return false;
    const char *at = l->at - 1;
    if (lex_take(l, '}'))
        return true;
    do {
        int64_t i;
        if (!lex_number(l, &i, "a shape index"))
            return false;
        uint32_t step = find_element(&r->h->shapes, f, shape + *node, i);
        if (step == SHAPE_NONE)
            return lex_fail(l, at, "the shape has no element %lld that this index names",
                            (long long)i);
        *node += step;
    } while (lex_take(l, ','));
    return lex_expect(l, '}', "behind a shape index");
}

/* Behind "(2, {1}": nothing, or the kind of alias, and ')'. */
static bool read_alias_end(struct hlo_reader *r)
{
    if (lex_take(&r->lex, ',') && !lex_skip(&r->lex, ','))
        return false;
    return lex_expect(&r->lex, ')', "behind an alias");
}

/* output_to_operand_aliasing={{0}: (1, {}), {}: (0, {2})} */
static bool attr_aliasing(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    struct lex *l = &r->lex;
    struct path_finder out = {0}, in = {0};
    if (!lex_expect(l, '{', "before the aliases"))
        return false;
    if (lex_take(l, '}'))
        return true;
    do {
        struct hlo_alias alias;
        const struct hlo_inst *x = last(r);
        if (!read_path(r, &out, x->shape, &alias.out) ||
            !lex_expect(l, ':', "behind the output of an alias") ||
            !lex_expect(l, '(', "before the operand of an alias"))
            return false;
        lex_blanks(l);
        const char *at = l->at;
        if (!lex_u32(l, &alias.operand, "the number of an operand"))
            return false;
        if (alias.operand >= x->operands.n)
            return lex_fail(l, at, "operand %u is aliased, but %s has %u", alias.operand, x->name,
                            x->operands.n);
        shape_id shape = hlo_inst(r->h, hlo_operand(r->h, r->h->insts.n - 1, alias.operand))->shape;
        if (!lex_expect(l, ',', "behind the number of an operand") ||
            !read_path(r, &in, shape, &alias.operand_node) || !read_alias_end(r))
            return false;
        hlo_add_alias(r->h, alias);
    } while (lex_take(l, ','));
    return lex_expect(l, '}', "behind the aliases");
}

/* "0, {1}": a position of the entry's parameters. */
static bool read_param(struct hlo_reader *r, struct path_finder *f, const char *what, int64_t *param,
                       uint32_t *node)
{
    struct lex *l = &r->lex;
    struct hlo *h = r->h;
    uint32_t number, n = hlo_comp(h, h->entry)->params.n;
    lex_blanks(l);
    const char *at = l->at;
    if (!lex_u32(l, &number, "the number of a parameter"))
        return false;
    if (number >= n)
        return lex_fail(l, at, "parameter %u is %s, but the entry computation has %u", number, what, n);
    *param = number;
    return lex_expect(l, ',', "behind the number of a parameter") &&
           read_path(r, f, hlo_inst(h, hlo_param(h, h->entry, number))->shape, node);
}

/* input_output_alias={ {0}: (0, {}, may-alias), … }, once the shapes it speaks of are known. */
bool hlo_read_io_alias(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    struct hlo *h = r->h;
    struct path_finder out = {0}, in = {0};
    const struct hlo_comp *entry = hlo_comp(h, h->entry);
    l->at = r->io_alias;
    if (!lex_expect(l, '{', "before the aliases"))
        return false;
    if (lex_take(l, '}'))
        return true;
    do {
        struct hlo_io_alias alias;
        lex_lines(l);
        if (!read_path(r, &out, hlo_inst(h, entry->root)->shape, &alias.out) ||
            !lex_expect(l, ':', "behind the output of an alias") ||
            !lex_expect(l, '(', "before the parameter of an alias"))
            return false;
        if (!read_param(r, &in, "aliased", &alias.param, &alias.param_node) || !read_alias_end(r))
            return false;
        *(struct hlo_io_alias *)list_add(h->arena, &h->io_alias, sizeof alias) = alias;
    } while (lex_take(l, ','));
    return lex_expect(l, '}', "behind the aliases");
}

/* buffer_donor={ (0, {}), (1, {2}), … } */
bool hlo_read_donors(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    struct path_finder in = {0};
    l->at = r->donors;
    if (!lex_expect(l, '{', "before the buffer donors"))
        return false;
    if (lex_take(l, '}'))
        return true;
    do {
        struct hlo_donor donor;
        lex_lines(l);
        if (!lex_expect(l, '(', "before the parameter of a buffer donor") ||
            !read_param(r, &in, "a buffer donor", &donor.param, &donor.node) ||
            !lex_expect(l, ')', "behind a buffer donor"))
            return false;
        *(struct hlo_donor *)list_add(r->h->arena, &r->h->donors, sizeof donor) = donor;
    } while (lex_take(l, ','));
    return lex_expect(l, '}', "behind the buffer donors");
}

/* ---- Attributes of an instruction ---- */

static bool read_callee(struct hlo_reader *r, comp_id *c)
{
    lex_blanks(&r->lex);
    const char *at = r->lex.at;
    struct word name = lex_name(&r->lex);
    if (!name.len)
        return lex_expected(&r->lex, "the name of a computation");
    *c = strmap_find(&r->comps, name.at, name.len);
    return *c != STRMAP_NONE ||
           lex_fail(&r->lex, at, "computation %.*s, called by %s, is not defined before it",
                    word_len(name), name.at, last(r)->name);
}

/* calls=%a, branch_computations={%a, %b}.  Of an asynchronous pair only the start calls, as in
 * the proto; some versions print it at its -done too. */
static bool attr_calls(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    bool many = lex_take(&r->lex, '{');
    enum hlo_op op = last(r)->op;
    if (many && lex_take(&r->lex, '}'))
        return true;
    do {
        comp_id c;
        if (!read_callee(r, &c))
            return false;
        if (op != OP_ASYNC_DONE && op != OP_ASYNC_UPDATE)
            hlo_add_call(r->h, c);
    } while (many && lex_take(&r->lex, ','));
    return !many || lex_expect(&r->lex, '}', "behind the called computations");
}

/* Body and condition, and other pairs, in the order that hlo_inst.calls wants. */
static bool attr_pair(struct hlo_reader *r, unsigned which)
{
    lex_blanks(&r->lex);
    const char *at = r->lex.at;
    if (r->pair[which] != HLO_NONE)
        return lex_fail(&r->lex, at, "%s is given this computation twice", last(r)->name);
    return read_callee(r, &r->pair[which]);
}

static bool attr_index(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    struct hlo_inst *x = last(r);
    if (x->op != OP_GET_TUPLE_ELEMENT)
        return lex_skip(&r->lex, ',');
    return lex_number(&r->lex, &x->number, "the index of a tuple's element");
}

static bool attr_kind(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    if (last(r)->op != OP_FUSION)
        return lex_skip(&r->lex, ',');
    struct word kind = lex_name(&r->lex);
    if (!kind.len)
        return lex_expected(&r->lex, "a fusion kind");
    last(r)->kind = hlo_intern(r->h, kind.at, kind.len);
    return true;
}

static bool attr_target(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    return lex_text(&r->lex, r->h, &last(r)->kind);
}

/* dimensions={1,0}; those of a dot are kept with what they are */
enum { PLAIN_DIMS = 100 };
static bool attr_dims(struct hlo_reader *r, unsigned which)
{
    struct lex *l = &r->lex;
    int64_t dim;
    if (!lex_expect(l, '{', "before the dimensions"))
        return false;
    if (lex_take(l, '}'))
        return true;
    do {
        if (!lex_number(l, &dim, "a dimension"))
            return false;
        hlo_add_dim(r->h, which == PLAIN_DIMS ? dim : hlo_dot_code((enum hlo_dot)which, dim));
    } while (lex_take(l, ','));
    return lex_expect(l, '}', "behind the dimensions");
}

/* slice={[0:1], [0:8:2]} */
static bool attr_slice(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    struct lex *l = &r->lex;
    if (!lex_expect(l, '{', "before the ranges of a slice"))
        return false;
    if (lex_take(l, '}'))
        return true;
    do {
        struct hlo_slice s = {.stride = 1};
        if (!lex_expect(l, '[', "before a range") || !lex_number(l, &s.start, "where a range starts") ||
            !lex_expect(l, ':', "behind where a range starts") ||
            !lex_number(l, &s.limit, "where a range ends") ||
            (lex_take(l, ':') && !lex_number(l, &s.stride, "the stride of a range")) ||
            !lex_expect(l, ']', "behind a range"))
            return false;
        hlo_add_slice(r->h, s);
    } while (lex_take(l, ','));
    return lex_expect(l, '}', "behind the ranges of a slice");
}

static bool attr_direction(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    struct word w = lex_name(&r->lex);
    if (last(r)->op == OP_COMPARE)
        last(r)->compare = hlo_compare_named(w.at, w.len);
    return lex_skip(&r->lex, ',');
}

/* A JSON object as it stands, or a quoted string. */
static bool attr_config(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    lex_blanks(&r->lex);
    const char *at = r->lex.at;
    if (*at == '"')
        return lex_text(&r->lex, r->h, &last(r)->backend_config);
    if (!lex_skip(&r->lex, ','))
        return false;
    last(r)->backend_config = hlo_intern(r->h, at, (size_t)(r->lex.at - at));
    return true;
}

static bool attr_metadata(struct hlo_reader *r, unsigned unused)
{
    (void)unused;
    struct lex *l = &r->lex;
    struct hlo_inst *x = last(r);
    if (!lex_expect(l, '{', "before the metadata"))
        return false;
    while (!lex_take(l, '}')) {
        struct word key = lex_word(l);
        bool ok;
        if (!key.len)
            return lex_expected(l, "a field of the metadata or '}'");
        if (!lex_expect(l, '=', "behind a field's name"))
            return false;
        if (word_is(key, "op_name"))
            ok = lex_text(&r->lex, r->h, &x->op_name);
        else if (word_is(key, "source_file"))
            ok = lex_text(&r->lex, r->h, &x->file);
        else if (word_is(key, "source_line"))
            ok = lex_u32(l, &x->line, "a line number");
        else if (word_is(key, "stack_frame_id"))
            ok = lex_u32(l, &x->frame, "the number of a stack frame");
        else
            ok = lex_skip(l, ' ');
        if (!ok)
            return false;
    }
    return true;
}

/* Attributes that are not here are passed over. */
static const struct attr {
    const char *name;
    bool (*read)(struct hlo_reader *r, unsigned arg);
    unsigned arg;
} attrs[] = {
    {"metadata", attr_metadata, 0},
    {"calls", attr_calls, 0},
    {"backend_config", attr_config, 0},
    {"kind", attr_kind, 0},
    {"dimensions", attr_dims, PLAIN_DIMS},
    {"lhs_contracting_dims", attr_dims, DOT_LHS_CONTRACTING},
    {"rhs_contracting_dims", attr_dims, DOT_RHS_CONTRACTING},
    {"lhs_batch_dims", attr_dims, DOT_LHS_BATCH},
    {"rhs_batch_dims", attr_dims, DOT_RHS_BATCH},
    {"index", attr_index, 0},
    {"to_apply", attr_calls, 0},
    {"custom_call_target", attr_target, 0},
    {"body", attr_pair, 0},
    {"condition", attr_pair, 1},
    {"output_to_operand_aliasing", attr_aliasing, 0},
    {"direction", attr_direction, 0},
    {"slice", attr_slice, 0},
    {"branch_computations", attr_calls, 0},
    {"true_computation", attr_pair, 0},
    {"false_computation", attr_pair, 1},
    {"called_computations", attr_calls, 0},
    {"select", attr_pair, 0},
    {"scatter", attr_pair, 1},
};

bool hlo_read_attrs(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    r->pair[0] = r->pair[1] = HLO_NONE;
    while (lex_take(l, ',')) {
        lex_blanks(l);
        struct word name = lex_word(l);
        if (!name.len)
            return lex_expected(l, "an attribute");
        if (!lex_expect(l, '=', "behind an attribute's name"))
            return false;
        size_t k = 0, n = sizeof attrs / sizeof *attrs;
        while (k < n && !word_is(name, attrs[k].name))
            k++;
        if (k < n ? !attrs[k].read(r, attrs[k].arg) : !lex_skip(l, ','))
            return false;
    }
    for (int k = 0; k < 2; k++)
        if (r->pair[k] != HLO_NONE)
            hlo_add_call(r->h, r->pair[k]);
    return true;
}
