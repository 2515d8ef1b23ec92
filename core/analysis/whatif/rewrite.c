#include "core/analysis/whatif/rewrite.h"

#include <string.h>

/* ---- Shapes ---- */

static struct span copy_numbers(struct shapes *to, const struct shapes *from, struct span run)
{
    struct span out = {0};
    for (uint32_t k = 0; k < run.n; k++)
        shape_number(to, &out, shape_numbers(from, run)[k]);
    return out;
}

static struct span copy_tiles(struct shapes *to, const struct shapes *from, struct span tiles)
{
    struct span out = {to->tiles.n, tiles.n};
    for (uint32_t k = 0; k < tiles.n; k++) {
        struct span tile = ((const struct span *)from->tiles.items)[tiles.first + k];
        tile = copy_numbers(to, from, tile);
        *(struct span *)list_add(to->arena, &to->tiles, sizeof tile) = tile;
    }
    return out;
}

/* Depth is bounded by SHAPE_DEPTH. */
static void copy_node(struct shapes *to, const struct shapes *from, shape_id id)
{
    const struct shape_node old = *shape_node(from, id); /* `from` may be `to`, and move */
    shape_id made = shape_open(to, (enum shape_type)old.type);
    struct span dims = copy_numbers(to, from, old.dims), order = copy_numbers(to, from, old.order);
    struct span tiles = copy_tiles(to, from, old.tiles);
    struct shape_node *node = shape_node(to, made);
    node->has_layout = old.has_layout;
    node->element_bits = old.element_bits;
    node->memory_space = old.memory_space;
    node->dims = dims;
    node->order = order;
    node->tiles = tiles;
    for (uint32_t k = 1; k < old.span; k += shape_node(from, id + k)->span)
        copy_node(to, from, id + k);
    shape_close(to, made);
}

shape_id shape_copy(struct shapes *to, const struct shapes *from, shape_id id)
{
    shape_id made = to->nodes.n;
    copy_node(to, from, id);
    return made;
}

shape_id shape_copy_resized(struct shapes *to, const struct shapes *from, shape_id id, uint32_t node,
                            uint32_t dim, int64_t size)
{
    if (node >= shape_node(from, id)->span || dim >= shape_node(from, id + node)->dims.n)
        return SHAPE_NONE;
    shape_id made = shape_copy(to, from, id);
    shape_sizes(to, made + node)[dim] = size;
    return made;
}

shape_id shape_tuple_of(struct shapes *s, const shape_id *elements, uint32_t n)
{
    shape_id made = shape_open(s, TYPE_TUPLE);
    for (uint32_t k = 0; k < n; k++)
        copy_node(s, s, elements[k]);
    shape_close(s, made);
    return made;
}

/* ---- A copy ---- */

static struct list copy_list(struct arena *a, const struct list *from, size_t item)
{
    struct list out = {arena_array(a, from->n, item), from->n, from->n};
    if (from->n)
        memcpy(out.items, from->items, from->n * item);
    return out;
}

void hlo_copy(struct hlo *out, const struct hlo *h, struct arena *a)
{
    *out = *h;
    out->arena = a;
    out->shapes = (struct shapes){.arena = a};
    out->insts = copy_list(a, &h->insts, sizeof(struct hlo_inst));
    out->comps = copy_list(a, &h->comps, sizeof(struct hlo_comp));
    out->frames = copy_list(a, &h->frames, sizeof(struct hlo_frame));
    out->operands = copy_list(a, &h->operands, sizeof(inst_id));
    out->calls = copy_list(a, &h->calls, sizeof(comp_id));
    out->aliases = copy_list(a, &h->aliases, sizeof(struct hlo_alias));
    out->uses = copy_list(a, &h->uses, sizeof(struct hlo_use));
    out->params = copy_list(a, &h->params, sizeof(inst_id));
    out->callers = copy_list(a, &h->callers, sizeof(inst_id));
    out->order = copy_list(a, &h->order, sizeof(inst_id));
    out->dims = copy_list(a, &h->dims, sizeof(int64_t));
    out->slices = copy_list(a, &h->slices, sizeof(struct hlo_slice));
    out->io_alias = copy_list(a, &h->io_alias, sizeof(struct hlo_io_alias));
    out->donors = copy_list(a, &h->donors, sizeof(struct hlo_donor));
    out->strings = (struct strmap){0};
    for (inst_id i = 0; i < out->insts.n; i++)
        hlo_inst(out, i)->shape = shape_copy(&out->shapes, &h->shapes, hlo_inst(h, i)->shape);
}

/* Operands count as often as they are used, on both sides. */
void hlo_schedule_breadth_first(struct hlo *h, comp_id c)
{
    const struct hlo_comp *comp = hlo_comp(h, c);
    struct arena scratch = {0};
    uint32_t *waits = arena_array(&scratch, comp->insts.n, sizeof *waits), n = 0;
    inst_id *order = (inst_id *)h->order.items + comp->order.first;
    if (comp->order.n == comp->insts.n)
        for (uint32_t k = 0; k < comp->insts.n; k++) {
            waits[k] = hlo_inst(h, comp->insts.first + k)->operands.n;
            if (waits[k] == 0)
                order[n++] = comp->insts.first + k;
        }
    for (uint32_t k = 0; k < n; k++) {
        inst_id i = order[k];
        for (uint32_t u = 0; u < hlo_inst(h, i)->uses.n; u++) {
            inst_id user = hlo_use(h, i, u).user;
            if (--waits[user - comp->insts.first] == 0)
                order[n++] = user;
        }
    }
    arena_free(&scratch);
}

/* ---- A draft: building ---- */

void draft_init(struct draft *d, const struct hlo *from, struct arena *a)
{
    *d = (struct draft){.from = from, .arena = a, .shapes = {.arena = a}};
    d->imported = arena_array(a, from->comps.n, sizeof *d->imported);
    for (comp_id c = 0; c < from->comps.n; c++)
        d->imported[c] = HLO_NONE;
}

block_id draft_add_block(struct draft *d, const char *name, bool scheduled)
{
    struct draft_block *b = list_add(d->arena, &d->blocks, sizeof *b);
    *b = (struct draft_block){.name = name, .origin = HLO_NONE, .root = HLO_NONE,
                              .scheduled = scheduled};
    return d->blocks.n - 1;
}

static node_id add_node(struct draft *d, block_id b, struct hlo_inst row, inst_id origin)
{
    *(struct draft_node *)list_add(d->arena, &d->nodes, sizeof(struct draft_node)) =
        (struct draft_node){.row = row, .block = b, .origin = origin};
    node_id n = d->nodes.n - 1;
    *(node_id *)list_add(d->arena, &draft_block(d, b)->nodes, sizeof n) = n;
    return n;
}

node_id draft_add_like(struct draft *d, block_id b, inst_id i, shape_id shape)
{
    struct hlo_inst row = *hlo_inst(d->from, i);
    row.shape = shape != SHAPE_NONE ? shape : shape_copy(&d->shapes, &d->from->shapes, row.shape);
    row.aliases.n = 0;
    return add_node(d, b, row, i);
}

node_id draft_add(struct draft *d, block_id b, const char *opcode, const char *name, int64_t number,
                  shape_id shape)
{
    struct hlo_inst row = {.name = name, .opcode = opcode, .op = hlo_op_named(opcode),
                           .number = number, .shape = shape};
    return add_node(d, b, row, HLO_NONE);
}

void draft_operand(struct draft *d, node_id n, node_id operand)
{
    *(node_id *)list_add(d->arena, &draft_node(d, n)->operands, sizeof operand) = operand;
}

void draft_call(struct draft *d, node_id n, block_id callee)
{
    *(block_id *)list_add(d->arena, &draft_node(d, n)->calls, sizeof callee) = callee;
}

void draft_root(struct draft *d, block_id b, node_id root)
{
    draft_block(d, b)->root = root;
}

void draft_keep_aliases(struct draft *d, node_id n)
{
    struct draft_node *node = draft_node(d, n);
    if (node->origin != HLO_NONE)
        node->row.aliases = hlo_inst(d->from, node->origin)->aliases;
}

node_id draft_get(struct draft *d, node_id tuple, int64_t index)
{
    shape_id of = draft_node(d, tuple)->row.shape;
    uint32_t k = shape_child(&d->shapes, of, index);
    const char *name = arena_printf(d->arena, "%s.%lld", draft_node(d, tuple)->row.name,
                                    (long long)index);
    shape_id shape = shape_copy(&d->shapes, &d->shapes, k == SHAPE_NONE ? of : of + k);
    node_id n = draft_add(d, draft_node(d, tuple)->block, "get-tuple-element", name, index, shape);
    draft_operand(d, n, tuple);
    return n;
}

node_id draft_tuple(struct draft *d, block_id b, const node_id *elements, uint32_t n)
{
    shape_id *shapes = arena_array(d->arena, n, sizeof *shapes);
    for (uint32_t k = 0; k < n; k++)
        shapes[k] = draft_node(d, elements[k])->row.shape;
    const char *name = arena_printf(d->arena, "tuple.%u", d->nodes.n);
    node_id made = draft_add(d, b, "tuple", name, -1, shape_tuple_of(&d->shapes, shapes, n));
    for (uint32_t k = 0; k < n; k++)
        draft_operand(d, made, elements[k]);
    return made;
}

/* In the order of the schedule, which has operands before users too; without one, of the file. */
static void import_insts(struct draft *d, comp_id c, block_id b, node_id *made)
{
    const struct hlo_comp *comp = hlo_comp(d->from, c);
    bool all = comp->order.n == comp->insts.n;
    for (uint32_t k = 0; k < comp->insts.n; k++) {
        inst_id i = all ? ((const inst_id *)d->from->order.items)[comp->order.first + k]
                        : comp->insts.first + k;
        const struct hlo_inst *x = hlo_inst(d->from, i);
        node_id n = draft_add_like(d, b, i, SHAPE_NONE);
        made[i - comp->insts.first] = n;
        for (uint32_t j = 0; j < x->operands.n; j++)
            draft_operand(d, n, made[hlo_operand(d->from, i, j) - comp->insts.first]);
        for (uint32_t j = 0; j < x->calls.n; j++)
            draft_call(d, n, draft_import(d, hlo_call(d->from, i, j)));
        draft_keep_aliases(d, n);
    }
    draft_root(d, b, made[comp->root - comp->insts.first]);
}

block_id draft_import(struct draft *d, comp_id c) /* recursion: HLO_CALL_DEPTH */
{
    if (d->imported[c] != HLO_NONE)
        return d->imported[c];
    const struct hlo_comp *comp = hlo_comp(d->from, c);
    block_id b = draft_add_block(d, comp->name, comp->order.n > 0);
    draft_block(d, b)->origin = c;
    d->imported[c] = b;
    node_id *made = arena_array(d->arena, comp->insts.n, sizeof *made);
    import_insts(d, c, b, made);
    return b;
}

/* ---- A draft: written down ---- */

struct writer {
    struct draft *d;
    struct hlo *out;
    struct diag *diag;
    inst_id *inst;   /* [nodes] */
    comp_id *comp;   /* [blocks] */
    bool *needed;    /* [nodes] */
    bool *open;      /* [blocks] being written */
    uint32_t depth;
};

static bool bad_draft(struct writer *w, const char *name, const char *what)
{
    return diag_file(w->diag, w->d->from->file, "%s %s", name, what);
}

/* Users stand behind their operands, so one pass from the end finds all that is needed. */
static void mark_needed(struct writer *w, const struct draft_block *b)
{
    const node_id *nodes = b->nodes.items;
    w->needed[b->root] = true;
    for (uint32_t k = b->nodes.n; k-- > 0;) {
        const struct draft_node *node = draft_node(w->d, nodes[k]);
        w->needed[nodes[k]] |= node->row.op == OP_PARAMETER;
        for (uint32_t j = 0; j < node->operands.n && w->needed[nodes[k]]; j++)
            w->needed[((const node_id *)node->operands.items)[j]] = true;
    }
}

static bool write_node(struct writer *w, node_id n)
{
    const struct draft_node *node = draft_node(w->d, n);
    struct hlo *out = w->out;
    inst_id i = hlo_add_inst(out);
    struct hlo_inst made = node->row, *to = hlo_inst(out, i);
    made.id = i;
    made.comp = to->comp;
    made.shape = shape_copy(&out->shapes, &w->d->shapes, node->row.shape);
    made.operands = to->operands;
    made.calls = to->calls;
    made.aliases = to->aliases;
    made.dims = to->dims;
    made.slices = to->slices;
    made.uses = (struct span){0};
    *to = made;
    for (uint32_t j = 0; j < node->operands.n; j++) {
        inst_id operand = w->inst[((const node_id *)node->operands.items)[j]];
        if (operand == HLO_NONE || hlo_inst(out, operand)->comp != made.comp)
            return bad_draft(w, node->row.name, "has an operand that does not stand before it");
        hlo_add_operand(out, operand);
    }
    for (uint32_t j = 0; j < node->calls.n; j++)
        hlo_add_call(out, w->comp[((const block_id *)node->calls.items)[j]]);
    for (uint32_t j = 0; j < node->row.aliases.n; j++)
        hlo_add_alias(out, ((const struct hlo_alias *)
                                w->d->from->aliases.items)[node->row.aliases.first + j]);
    for (uint32_t j = 0; j < node->row.dims.n; j++)
        hlo_add_dim(out, ((const int64_t *)w->d->from->dims.items)[node->row.dims.first + j]);
    for (uint32_t j = 0; j < node->row.slices.n; j++)
        hlo_add_slice(out, ((const struct hlo_slice *)
                                w->d->from->slices.items)[node->row.slices.first + j]);
    w->inst[n] = i;
    return true;
}

static void write_order(struct writer *w, comp_id c)
{
    struct hlo_comp *comp = hlo_comp(w->out, c);
    comp->order = (struct span){w->out->order.n, comp->insts.n};
    for (uint32_t k = 0; k < comp->insts.n; k++)
        *(inst_id *)list_add(w->out->arena, &w->out->order, sizeof(inst_id)) = comp->insts.first + k;
}

static bool write_block(struct writer *w, block_id b);

static bool write_callees(struct writer *w, const struct draft_block *b)
{
    for (uint32_t k = 0; k < b->nodes.n; k++) {
        node_id n = ((const node_id *)b->nodes.items)[k];
        const struct list *calls = &draft_node(w->d, n)->calls;
        for (uint32_t j = 0; j < calls->n && w->needed[n]; j++)
            if (!write_block(w, ((const block_id *)calls->items)[j]))
                return false;
    }
    return true;
}

/* Recursion is bounded by HLO_CALL_DEPTH. */
static bool write_block(struct writer *w, block_id id)
{
    const struct draft_block *b = draft_block(w->d, id);
    if (w->comp[id] != HLO_NONE)
        return true;
    if (w->open[id] || b->root == HLO_NONE || w->depth > HLO_CALL_DEPTH)
        return bad_draft(w, b->name, b->root == HLO_NONE ? "has no root" : "calls itself");
    w->open[id] = true;
    w->depth++;
    mark_needed(w, b);
    if (!write_callees(w, b))
        return false;
    comp_id c = hlo_add_comp(w->out, b->name, (int64_t)w->out->comps.n);
    for (uint32_t k = 0; k < b->nodes.n; k++) {
        node_id n = ((const node_id *)b->nodes.items)[k];
        if (w->needed[n] && !write_node(w, n))
            return false;
    }
    hlo_comp(w->out, c)->root = w->inst[b->root];
    if (b->scheduled)
        write_order(w, c);
    w->comp[id] = c;
    w->depth--;
    return true;
}

bool draft_finish(struct draft *d, struct hlo *out, block_id entry, inst_id **inst_of_node,
                  struct diag *diag)
{
    struct writer w = {.d = d, .out = out, .diag = diag};
    const struct hlo *h = d->from;
    hlo_init(out, d->arena, h->file);
    out->name = h->name;
    out->age = h->age;
    out->frames = copy_list(d->arena, &h->frames, sizeof(struct hlo_frame));
    out->io_alias = copy_list(d->arena, &h->io_alias, sizeof(struct hlo_io_alias));
    out->donors = copy_list(d->arena, &h->donors, sizeof(struct hlo_donor));
    out->scheduled = true;
    w.inst = arena_array(d->arena, d->nodes.n, sizeof *w.inst);
    w.comp = arena_array(d->arena, d->blocks.n, sizeof *w.comp);
    w.needed = arena_array(d->arena, d->nodes.n, sizeof *w.needed);
    w.open = arena_array(d->arena, d->blocks.n, sizeof *w.open);
    for (node_id n = 0; n < d->nodes.n; n++)
        w.inst[n] = HLO_NONE;
    for (block_id b = 0; b < d->blocks.n; b++)
        w.comp[b] = HLO_NONE;
    if (!write_block(&w, entry))
        return false;
    out->entry = w.comp[entry];
    if (inst_of_node)
        *inst_of_node = w.inst;
    return hlo_finish(out, diag);
}

inst_id *draft_origins(const struct draft *d, const struct hlo *out, const inst_id *inst_of_node)
{
    inst_id *origin = arena_array(d->arena, out->insts.n, sizeof *origin);
    for (node_id n = 0; n < d->nodes.n; n++)
        if (inst_of_node[n] != HLO_NONE)
            origin[inst_of_node[n]] = draft_node(d, n)->origin;
    return origin;
}
