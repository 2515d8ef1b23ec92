#include "core/load/text/hlo_text.h"

#include "core/load/text/hlo_reader.h"

#include <string.h>

#define HEADER "HloModule "

/* The line of a place behind the last one asked for: one pass over the text in all. */
static uint32_t line_of(struct hlo_reader *r, const char *at)
{
    const char *from = r->counted ? r->counted : r->lex.file->text;
    for (; (from = memchr(from, '\n', (size_t)(at - from))); from++)
        r->line++;
    r->counted = at;
    return r->line + 1;
}

/* ---- Instructions ---- */

static bool read_shape(struct hlo_reader *r, shape_id *shape)
{
    const char *why;
    struct lex *l = &r->lex;
    if (shape_parse_why(&r->h->shapes, &l->at, shape, &why))
        return true;
    if (lex_ended(l))
        return lex_expected(l, "the rest of a shape");
    return lex_fail(l, l->at, "%s", why);
}

/* Some versions print an asynchronous instruction as its own "slice-start", leaving the wrapped
 * computation out (xla_syntax_sugar_async_ops).  Its values cannot be told from that. */
static bool is_sugar(struct word op)
{
    static const char *const native[] = {
        "all-gather-start",
        "all-gather-done",
        "all-reduce-start",
        "all-reduce-done",
        "async-start",
        "async-done",
        "async-update",
        "copy-start",
        "copy-done",
        "collective-permute-start",
        "collective-permute-done",
        "recv-done",
        "send-done",
    };
    static const struct word ends[] = {{"-start", 6}, {"-done", 5}};
    bool asynchronous = false;
    for (int i = 0; i < 2; i++)
        if (op.len > ends[i].len &&
            memcmp(op.at + op.len - ends[i].len, ends[i].at, ends[i].len) == 0)
            asynchronous = true;
    for (size_t i = 0; asynchronous && i < sizeof native / sizeof *native; i++)
        if (word_is(op, native[i]))
            return false;
    return asynchronous;
}

static bool read_opcode(struct hlo_reader *r)
{
    lex_blanks(&r->lex);
    const char *at = r->lex.at;
    struct word op = lex_word(&r->lex);
    if (!op.len)
        return lex_expected(&r->lex, "an opcode");
    struct hlo_inst *x = &r->inst;
    x->opcode = hlo_intern(r->h, op.at, op.len);
    x->op = hlo_op_named(x->opcode);
    if (!is_sugar(op))
        return true;
    lex_fail(&r->lex, at,
             "%s is short for an async-start or async-done whose computation is not here",
             x->opcode);
    return diag_hint(r->lex.d, "read the .hlo.pb, or dump with --xla_syntax_sugar_async_ops=false");
}

/* Passes an operand's own shape, which old versions print before its name: behind the brackets of
 * a tuple, or behind "f32[2]" and its layout. */
static bool skip_operand_shape(struct lex *l)
{
    lex_blanks(l);
    if (*l->at == '(')
        return lex_skip_brackets(l);
    const char *from = l->at;
    struct word word = lex_word(l);
    if (!word.len || *l->at != '[') {
        l->at = from;
        return true;
    }
    return lex_skip(l, ' ');
}

static void add_operand(struct hlo_reader *r, inst_id i)
{
    *(inst_id *)list_add(&r->scratch, &r->operands, sizeof i) = i;
}

/* The get-tuple-element `name` of `tuple`, which has no line of its own. */
static inst_id add_implied(struct hlo_reader *r, const char *name, inst_id tuple, int64_t index)
{
    static const char opcode[] = "get-tuple-element";
    struct hlo *h = r->h;
    inst_id i = hlo_add_inst(h);
    shape_id whole = hlo_inst(h, tuple)->shape;
    struct hlo_inst *x = hlo_inst(h, i);
    x->name = name;
    x->id = i;
    x->opcode = hlo_intern(h, opcode, sizeof opcode - 1);
    x->op = OP_GET_TUPLE_ELEMENT;
    x->number = index;
    x->shape = whole + shape_child(&h->shapes, whole, index);
    x->text_line = r->inst.text_line;
    x->implied = true;
    hlo_add_operand(h, tuple);
    h->implied_gtes++;
    return i;
}

/* `#1` behind an operand's name: since jaxlib 0.11 a get-tuple-element is written in its users
 * only.  Its name is what the text says, which no other name can be. */
static bool read_element(struct hlo_reader *r, const char *at, struct word *name, inst_id *i)
{
    struct lex *l = &r->lex;
    struct hlo *h = r->h;
    const struct hlo_inst *tuple = hlo_inst(h, *i);
    int64_t index;
    if (!lex_expect(l, '#', "before the index of an element") ||
        !lex_number(l, &index, "the index of a tuple's element"))
        return false;
    name->len = (size_t)(l->at - name->at);
    inst_id known = strmap_find(&r->names, name->at, name->len);
    if (known == STRMAP_NONE) {
        if (shape_child(&h->shapes, tuple->shape, index) == SHAPE_NONE)
            return lex_fail(l, at, "operand %.100s of %.100s has no element %lld", tuple->name,
                            r->inst.name, (long long)index);
        const char *plain = arena_printf(h->arena, "%s#%lld", tuple->name, (long long)index);
        known = strmap_find(&r->names, plain, strlen(plain)); /* it may be written "#01" */
        if (known == STRMAP_NONE) {
            known = add_implied(r, plain, *i, index);
            strmap_put(&r->local, &r->names, plain, strlen(plain), known);
        }
    }
    *i = known;
    return true;
}

static bool read_operand(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    if (!skip_operand_shape(l))
        return false;
    lex_blanks(l);
    const char *at = l->at;
    struct word name = lex_name(l);
    if (!name.len)
        return lex_expected(l, "an operand");
    inst_id i = strmap_find(&r->names, name.at, name.len);
    if (i == STRMAP_NONE)
        return lex_fail(l, at, "operand %.*s of %s is not defined before it in computation %s",
                        word_len(name), name.at, r->inst.name,
                        hlo_comp(r->h, r->h->comps.n - 1)->name);
    while (*l->at == '#')
        if (!read_element(r, at, &name, &i))
            return false;
    add_operand(r, i);
    return true;
}

static bool read_operands(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    lex_blanks(l);
    if (*l->at == ')')
        return true;
    do {
        if (!read_operand(r))
            return false;
    } while (lex_take(l, ','));
    return true;
}

/* What stands in the brackets behind the opcode. */
static bool read_arguments(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    struct hlo_inst *x = &r->inst;
    lex_blanks(l);
    if (x->op == OP_CONSTANT && *l->at == '(')
        return literal_text_read(l, r->h, x);
    if (!lex_expect(l, '(', "behind the opcode"))
        return false;
    if (x->op == OP_PARAMETER ? !lex_number(l, &x->number, "the number of a parameter")
                              : !read_operands(r))
        return false;
    return lex_expect(l, ')', "behind the operands");
}

/* Adds the instruction whose operands have been read. */
static inst_id add_inst(struct hlo_reader *r, struct word name)
{
    struct hlo *h = r->h;
    inst_id i = hlo_add_inst(h);
    struct hlo_inst *x = hlo_inst(h, i);
    x->name = r->inst.name;
    x->id = i;
    x->opcode = r->inst.opcode;
    x->op = r->inst.op;
    x->number = r->inst.number;
    x->shape = r->inst.shape;
    x->text_line = r->inst.text_line;
    x->has_scalar = r->inst.has_scalar;
    x->scalar = r->inst.scalar;
    x->is_zero = r->inst.is_zero;
    for (uint32_t k = 0; k < r->operands.n; k++)
        hlo_add_operand(h, ((const inst_id *)r->operands.items)[k]);
    strmap_put(&r->local, &r->names, name.at, name.len, i);
    return i;
}

/* `%name = shape opcode(operands), attributes`, of the computation that is open. */
static bool read_inst(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    struct hlo *h = r->h;
    lex_blanks(l);
    const char *at = l->at;
    struct word name = lex_name(l);
    comp_id c = h->comps.n - 1;
    bool root = word_is(name, "ROOT");
    if (root) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        if (comp->root != HLO_NONE)
            return lex_fail(l, at, "a second ROOT in computation %s: the first is %s", comp->name,
                            hlo_inst(h, comp->root)->name);
        lex_blanks(l);
        at = l->at;
        name = lex_name(l);
    }
    if (!name.len)
        return lex_expected(l, "an instruction or '}'");
    if (strmap_find(&r->names, name.at, name.len) != STRMAP_NONE)
        return lex_fail(l, at, "instruction %.*s is defined twice in computation %s",
                        word_len(name), name.at, hlo_comp(h, c)->name);
    r->inst = (struct hlo_inst){
        .name = arena_text(h->arena, name.at, name.len), .text_line = line_of(r, at), .number = -1};
    r->operands.n = 0;
    if (!lex_expect(l, '=', "behind an instruction's name") || !read_shape(r, &r->inst.shape) ||
        !read_opcode(r) || !read_arguments(r))
        return false;
    inst_id i = add_inst(r, name);
    if (root)
        hlo_comp(h, c)->root = i;
    if (!hlo_read_attrs(r))
        return false;
    lex_blanks(l);
    return *l->at == '\n' || *l->at == '}' || lex_expected(l, "',' or the end of the line");
}

/* ---- Computations and the module ---- */

/* Its signature repeats what its parameters and root say. */
static bool skip_signature(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    lex_blanks(l);
    if (*l->at == '(' && !lex_skip_brackets(l))
        return false;
    lex_blanks(l);
    if (l->at[0] == '-' && l->at[1] == '>') {
        l->at += 2;
        lex_blanks(l);
        if (*l->at == '(' ? !lex_skip_brackets(l) : !lex_skip(l, ' '))
            return false;
    }
    return lex_expect(l, '{', "before the instructions of a computation");
}

static void add_order(struct hlo *h, struct hlo_comp *comp)
{
    comp->order = (struct span){h->order.n, comp->insts.n};
    for (uint32_t k = 0; k < comp->insts.n; k++)
        *(inst_id *)list_add(h->arena, &h->order, sizeof(inst_id)) = comp->insts.first + k;
}

static bool read_computation(struct hlo_reader *r, const char *at, struct word name)
{
    struct lex *l = &r->lex;
    struct hlo *h = r->h;
    if (strmap_find(&r->comps, name.at, name.len) != STRMAP_NONE)
        return lex_fail(l, at, "computation %.*s is defined twice", word_len(name), name.at);
    comp_id c = hlo_add_comp(h, arena_text(h->arena, name.at, name.len), h->comps.n);
    arena_reset(&r->local);
    r->names = (struct strmap){0};
    if (!skip_signature(r))
        return false;
    for (lex_lines(l); *l->at != '}'; lex_lines(l))
        if (!read_inst(r))
            return false;
    struct hlo_comp *comp = hlo_comp(h, c);
    if (comp->root == HLO_NONE)
        return lex_fail(l, l->at, "computation %s ends without a ROOT instruction", comp->name);
    l->at++;
    strmap_put(&r->scratch, &r->comps, name.at, name.len, c);
    if (h->scheduled)
        add_order(h, comp);
    return !lex_take(l, ',') || lex_skip(l, '\0'); /* execution_thread="…" */
}

static bool read_part(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    const char *at = l->at;
    struct word name = lex_name(l);
    lex_blanks(l);
    if (frames_named(name) && (*l->at == '\n' || lex_ended(l)))
        return frames_read(&r->frames, l, r->h, name);
    if (word_is(name, "ENTRY") && *at != '%') {
        if (r->h->entry != HLO_NONE)
            return lex_fail(l, at, "a second ENTRY computation: the first is %s",
                            hlo_comp(r->h, r->h->entry)->name);
        r->h->entry = r->h->comps.n;
        lex_blanks(l);
        at = l->at;
        name = lex_name(l);
    }
    if (!name.len)
        return lex_expected(l, "a computation");
    return read_computation(r, at, name);
}

/* HloModule jit_f, is_scheduled=true, input_output_alias={ … }, … */
static bool read_header(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    l->at += sizeof HEADER - 1;
    lex_blanks(l);
    const char *name = l->at;
    if (!lex_skip(l, ','))
        return false;
    size_t len = (size_t)(l->at - name);
    while (len && (name[len - 1] == ' ' || name[len - 1] == '\r'))
        len--;
    if (!len)
        return lex_expected(l, "the name of the module");
    r->h->name = arena_text(r->h->arena, name, len);
    while (lex_take(l, ',')) {
        lex_blanks(l);
        struct word key = lex_word(l);
        if (!key.len)
            return lex_expected(l, "an attribute of the module");
        if (!lex_expect(l, '=', "behind an attribute's name"))
            return false;
        const char *value = l->at;
        if (!lex_skip(l, ','))
            return false;
        if (word_is(key, "is_scheduled"))
            r->h->scheduled = strncmp(value, "true", 4) == 0;
        else if (word_is(key, "input_output_alias"))
            r->io_alias = value;
        else if (word_is(key, "buffer_donor"))
            r->donors = value;
    }
    return true;
}

static bool read_module(struct hlo_reader *r)
{
    struct lex *l = &r->lex;
    if (!read_header(r))
        return false;
    for (lex_lines(l); !lex_ended(l); lex_lines(l))
        if (!read_part(r))
            return false;
    if (r->h->entry == HLO_NONE)
        return lex_expected(l, "the ENTRY computation");
    return hlo_finish(r->h, l->d) && (!r->io_alias || hlo_read_io_alias(r)) &&
           (!r->donors || hlo_read_donors(r));
}

bool hlo_text_is(const char *text, size_t size)
{
    size_t n = sizeof HEADER - 1;
    return size >= n && memcmp(text, HEADER, n) == 0;
}

bool hlo_text_read(struct hlo *h, const struct file *f, struct diag *d)
{
    struct hlo_reader r = {.h = h, .frames.arena = &r.scratch};
    h->from_text = true;
    if (!lex_start(&r.lex, f, d))
        return false;
    if (!hlo_text_is(f->text, f->size)) {
        lex_fail(&r.lex, f->text, "no HLO text: it does not start with \"" HEADER "\"");
        return diag_hint(d, "XLA writes it to *after_optimizations.txt under --xla_dump_to");
    }
    bool ok = read_module(&r);
    arena_free(&r.local);
    arena_free(&r.scratch);
    return ok;
}
