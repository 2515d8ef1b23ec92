#include "core/model/hlo.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *opcode;
    enum hlo_op op;
} ops[] = {
    {"abs", OP_ABS},
    {"add", OP_ADD},
    {"add-dependency", OP_ADD_DEPENDENCY},
    {"all-gather-done", OP_ALL_GATHER_DONE},
    {"all-gather-start", OP_ALL_GATHER_START},
    {"all-reduce", OP_ALL_REDUCE},
    {"all-reduce-done", OP_ALL_REDUCE_DONE},
    {"all-reduce-start", OP_ALL_REDUCE_START},
    {"and", OP_AND},
    {"async-done", OP_ASYNC_DONE},
    {"async-start", OP_ASYNC_START},
    {"async-update", OP_ASYNC_UPDATE},
    {"bitcast", OP_BITCAST},
    {"bitcast-convert", OP_BITCAST_CONVERT},
    {"broadcast", OP_BROADCAST},
    {"call", OP_CALL},
    {"clamp", OP_CLAMP},
    {"collective-broadcast", OP_COLLECTIVE_BROADCAST},
    {"collective-permute-done", OP_COLLECTIVE_PERMUTE_DONE},
    {"collective-permute-start", OP_COLLECTIVE_PERMUTE_START},
    {"compare", OP_COMPARE},
    {"concatenate", OP_CONCATENATE},
    {"conditional", OP_CONDITIONAL},
    {"constant", OP_CONSTANT},
    {"convert", OP_CONVERT},
    {"convolution", OP_CONVOLUTION},
    {"copy", OP_COPY},
    {"copy-done", OP_COPY_DONE},
    {"copy-start", OP_COPY_START},
    {"custom-call", OP_CUSTOM_CALL},
    {"divide", OP_DIVIDE},
    {"domain", OP_DOMAIN},
    {"dot", OP_DOT},
    {"dynamic-slice", OP_DYNAMIC_SLICE},
    {"dynamic-update-slice", OP_DYNAMIC_UPDATE_SLICE},
    {"fusion", OP_FUSION},
    {"get-tuple-element", OP_GET_TUPLE_ELEMENT},
    {"iota", OP_IOTA},
    {"map", OP_MAP},
    {"maximum", OP_MAXIMUM},
    {"minimum", OP_MINIMUM},
    {"multiply", OP_MULTIPLY},
    {"negate", OP_NEGATE},
    {"not", OP_NOT},
    {"opt-barrier", OP_OPT_BARRIER},
    {"or", OP_OR},
    {"pad", OP_PAD},
    {"parameter", OP_PARAMETER},
    {"ragged-all-to-all", OP_RAGGED_ALL_TO_ALL},
    {"recv", OP_RECV},
    {"recv-done", OP_RECV_DONE},
    {"reduce", OP_REDUCE},
    {"remainder", OP_REMAINDER},
    {"reshape", OP_RESHAPE},
    {"reverse", OP_REVERSE},
    {"scatter", OP_SCATTER},
    {"select", OP_SELECT},
    {"send", OP_SEND},
    {"send-done", OP_SEND_DONE},
    {"set-dimension-size", OP_SET_DIMENSION_SIZE},
    {"shift-left", OP_SHIFT_LEFT},
    {"shift-right-arithmetic", OP_SHIFT_RIGHT_ARITHMETIC},
    {"shift-right-logical", OP_SHIFT_RIGHT_LOGICAL},
    {"sign", OP_SIGN},
    {"slice", OP_SLICE},
    {"sort", OP_SORT},
    {"subtract", OP_SUBTRACT},
    {"transpose", OP_TRANSPOSE},
    {"triangular-solve", OP_TRIANGULAR_SOLVE},
    {"tuple", OP_TUPLE},
    {"while", OP_WHILE},
    {"xor", OP_XOR},
};

enum hlo_op hlo_op_named(const char *opcode)
{
    size_t low = 0, high = sizeof ops / sizeof *ops;
    while (low < high) {
        size_t mid = (low + high) / 2;
        int order = strcmp(opcode, ops[mid].opcode);
        if (order == 0)
            return ops[mid].op;
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return OP_OTHER;
}

bool hlo_op_controls(enum hlo_op op)
{
    return op == OP_CALL || op == OP_WHILE || op == OP_CONDITIONAL || op == OP_ASYNC_START ||
           op == OP_ASYNC_UPDATE || op == OP_ASYNC_DONE;
}

enum hlo_compare hlo_compare_named(const char *direction, size_t len)
{
    static const char names[][3] = {[COMPARE_EQ] = "EQ", [COMPARE_NE] = "NE", [COMPARE_GE] = "GE",
                                    [COMPARE_GT] = "GT", [COMPARE_LE] = "LE", [COMPARE_LT] = "LT"};
    for (unsigned k = COMPARE_EQ; len == 2 && k <= COMPARE_LT; k++)
        if (memcmp(direction, names[k], 2) == 0)
            return (enum hlo_compare)k;
    return COMPARE_NONE;
}

/* ---- Building ---- */

void hlo_init(struct hlo *h, struct arena *arena, const char *file)
{
    *h = (struct hlo){.arena = arena, .file = file, .entry = HLO_NONE};
    h->shapes.arena = arena;
    list_add(arena, &h->frames, sizeof(struct hlo_frame));
}

const char *hlo_intern(struct hlo *h, const char *text, size_t len)
{
    return strmap_intern(h->arena, &h->strings, text, len);
}

comp_id hlo_add_comp(struct hlo *h, const char *name, int64_t id)
{
    struct hlo_comp *c = list_add(h->arena, &h->comps, sizeof *c);
    *c = (struct hlo_comp){.name = name, .id = id, .root = HLO_NONE};
    c->insts.first = h->insts.n;
    return h->comps.n - 1;
}

inst_id hlo_add_inst(struct hlo *h)
{
    struct hlo_inst *x = list_add(h->arena, &h->insts, sizeof *x);
    x->number = -1;
    x->comp = h->comps.n - 1;
    x->shape = SHAPE_NONE;
    x->operands.first = h->operands.n;
    x->calls.first = h->calls.n;
    x->aliases.first = h->aliases.n;
    x->dims.first = h->dims.n;
    x->slices.first = h->slices.n;
    hlo_comp(h, x->comp)->insts.n++;
    return h->insts.n - 1;
}

void hlo_add_operand(struct hlo *h, inst_id operand)
{
    *(inst_id *)list_add(h->arena, &h->operands, sizeof(inst_id)) = operand;
    hlo_inst(h, h->insts.n - 1)->operands.n++;
}

void hlo_add_call(struct hlo *h, comp_id callee)
{
    *(comp_id *)list_add(h->arena, &h->calls, sizeof(comp_id)) = callee;
    hlo_inst(h, h->insts.n - 1)->calls.n++;
}

void hlo_add_alias(struct hlo *h, struct hlo_alias alias)
{
    *(struct hlo_alias *)list_add(h->arena, &h->aliases, sizeof alias) = alias;
    hlo_inst(h, h->insts.n - 1)->aliases.n++;
}

void hlo_add_dim(struct hlo *h, int64_t dim)
{
    *(int64_t *)list_add(h->arena, &h->dims, sizeof(int64_t)) = dim;
    hlo_inst(h, h->insts.n - 1)->dims.n++;
}

void hlo_add_slice(struct hlo *h, struct hlo_slice slice)
{
    *(struct hlo_slice *)list_add(h->arena, &h->slices, sizeof slice) = slice;
    hlo_inst(h, h->insts.n - 1)->slices.n++;
}

/* ---- Checks ---- */

static bool wrong(const struct hlo *h, inst_id i, struct diag *d, const char *what)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    diag_at(d, h->file, x->text_line, 0, "%s %s: %s", x->opcode, x->name, what);
    return diag_hint(d, "the file is damaged or was edited: dump it again");
}

/* Parameter numbers must be 0..n-1, each once. */
static bool collect_params(struct hlo *h, comp_id c, struct diag *d)
{
    struct hlo_comp *comp = hlo_comp(h, c);
    uint32_t n = 0;
    for (uint32_t k = 0; k < comp->insts.n; k++)
        n += hlo_inst(h, comp->insts.first + k)->op == OP_PARAMETER;
    comp->params = (struct span){h->params.n, n};
    for (uint32_t k = 0; k < n; k++)
        *(inst_id *)list_add(h->arena, &h->params, sizeof(inst_id)) = HLO_NONE;
    for (uint32_t k = 0; k < comp->insts.n; k++) {
        inst_id i = comp->insts.first + k;
        const struct hlo_inst *x = hlo_inst(h, i);
        if (x->op != OP_PARAMETER)
            continue;
        inst_id *params = (inst_id *)h->params.items + comp->params.first;
        if (x->number < 0 || x->number >= n || params[x->number] != HLO_NONE)
            return wrong(h, i, d, "parameter numbers do not run from 0, each once");
        params[x->number] = i;
    }
    return true;
}

static uint32_t n_params(const struct hlo *h, inst_id i, uint32_t call)
{
    return hlo_comp(h, hlo_call(h, i, call))->params.n;
}

static uint32_t least_operands(enum hlo_op op)
{
    switch (op) {
    case OP_SCATTER:
        return 3;
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_RAGGED_ALL_TO_ALL:
        return 2;
    case OP_ADD_DEPENDENCY:
    case OP_ALL_GATHER_DONE:
    case OP_ALL_REDUCE_DONE:
    case OP_ALL_REDUCE_START:
    case OP_ASYNC_DONE:
    case OP_ASYNC_UPDATE:
    case OP_BITCAST:
    case OP_COLLECTIVE_PERMUTE_DONE:
    case OP_COPY:
    case OP_COPY_DONE:
    case OP_COPY_START:
    case OP_DOMAIN:
    case OP_OPT_BARRIER:
    case OP_RECV_DONE:
    case OP_SEND:
    case OP_SEND_DONE:
    case OP_SET_DIMENSION_SIZE:
        return 1;
    default:
        return 0;
    }
}

static bool check_operands(const struct hlo *h, inst_id i, struct diag *d)
{
    static const char *const wants[] = {"", "expected an operand", "expected at least two operands",
                                        "expected at least three operands"};
    uint32_t least = least_operands(hlo_inst(h, i)->op);
    return hlo_inst(h, i)->operands.n >= least || wrong(h, i, d, wants[least]);
}

/* Operand and callee counts that the analyses rely on. */
static bool check_counts(const struct hlo *h, inst_id i, struct diag *d)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    uint32_t ops_n = x->operands.n, calls = x->calls.n;
    switch (x->op) {
    case OP_WHILE:
        if (ops_n != 1 || calls != 2 || n_params(h, i, 0) != 1 || n_params(h, i, 1) != 1)
            return wrong(h, i, d, "expected one operand, a body and a condition of one parameter each");
        return true;
    case OP_CALL:
    case OP_ASYNC_START:
        if (calls != 1 || n_params(h, i, 0) != ops_n)
            return wrong(h, i, d, "expected one called computation with a parameter for each operand");
        return true;
    case OP_CONDITIONAL:
        if (calls == 0 || ops_n != calls + 1)
            return wrong(h, i, d, "expected a selector and one operand for each branch");
        for (uint32_t k = 0; k < calls; k++)
            if (n_params(h, i, k) != 1)
                return wrong(h, i, d, "a branch does not take exactly one parameter");
        return true;
    case OP_FUSION:
        if (calls != 1 || n_params(h, i, 0) != ops_n)
            return wrong(h, i, d, "expected one fused computation with a parameter for each operand");
        return true;
    case OP_GET_TUPLE_ELEMENT:
        if (ops_n != 1 || x->number < 0 ||
            shape_child(&h->shapes, hlo_inst(h, hlo_operand(h, i, 0))->shape, x->number) == SHAPE_NONE)
            return wrong(h, i, d, "its operand has no such element");
        return true;
    case OP_TUPLE:
        if (shape_children(&h->shapes, x->shape) != ops_n)
            return wrong(h, i, d, "its shape does not have one element for each operand");
        return true;
    default:
        return check_operands(h, i, d);
    }
}

/* An async-done or -update must lead back to its async-start. */
static bool check_async(const struct hlo *h, inst_id i, struct diag *d)
{
    enum hlo_op op = hlo_inst(h, i)->op;
    if (op != OP_ASYNC_DONE && op != OP_ASYNC_UPDATE)
        return true;
    enum hlo_op from = hlo_inst(h, hlo_operand(h, i, 0))->op;
    return from == OP_ASYNC_START || from == OP_ASYNC_UPDATE ||
           wrong(h, i, d, "its operand is no async-start or async-update");
}

/* Callees stand before their callers, so one pass gives the depth of calls. */
static bool check_depth(const struct hlo *h, struct diag *d)
{
    uint32_t *depth = arena_array(h->arena, h->comps.n, sizeof *depth);
    for (inst_id i = 0; i < h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        for (uint32_t k = 0; k < x->calls.n; k++) {
            comp_id callee = hlo_call(h, i, k);
            if (callee >= x->comp)
                return wrong(h, i, d, "calls a computation that does not stand before it");
            if (depth[callee] + 1 > depth[x->comp])
                depth[x->comp] = depth[callee] + 1;
            if (depth[x->comp] > HLO_CALL_DEPTH)
                return wrong(h, i, d, "computations call each other deeper than 500 levels");
        }
    }
    return true;
}

/* ---- Derived tables ---- */

/* A span that was counted gets its place in the pool, and is to be filled; the next one's place. */
static uint32_t empty_span(struct span *s, uint32_t first)
{
    uint32_t room = s->n;
    *s = (struct span){first, 0};
    return first + room;
}

static void fill_uses(struct hlo *h)
{
    uint32_t n = h->operands.n;
    const inst_id *operands = h->operands.items;
    for (uint32_t k = 0; k < n; k++)
        hlo_inst(h, operands[k])->uses.n++;
    h->uses.items = arena_array(h->arena, n, sizeof(struct hlo_use));
    h->uses.n = h->uses.cap = n;
    uint32_t first = 0;
    for (inst_id i = 0; i < h->insts.n; i++)
        first = empty_span(&hlo_inst(h, i)->uses, first);
    struct hlo_use *uses = h->uses.items;
    for (inst_id i = 0; i < h->insts.n; i++) {
        struct span mine = hlo_inst(h, i)->operands;
        for (uint32_t k = 0; k < mine.n; k++) {
            struct span *of = &hlo_inst(h, operands[mine.first + k])->uses;
            uses[of->first + of->n++] = (struct hlo_use){i, k};
        }
    }
}

static void fill_callers(struct hlo *h)
{
    for (inst_id i = 0; i < h->insts.n; i++)
        for (uint32_t k = 0; k < hlo_inst(h, i)->calls.n; k++)
            hlo_comp(h, hlo_call(h, i, k))->callers.n++;
    h->callers.items = arena_array(h->arena, h->calls.n, sizeof(inst_id));
    h->callers.n = h->callers.cap = h->calls.n;
    uint32_t first = 0;
    for (comp_id c = 0; c < h->comps.n; c++)
        first = empty_span(&hlo_comp(h, c)->callers, first);
    inst_id *callers = h->callers.items;
    for (inst_id i = 0; i < h->insts.n; i++)
        for (uint32_t k = 0; k < hlo_inst(h, i)->calls.n; k++) {
            struct span *of = &hlo_comp(h, hlo_call(h, i, k))->callers;
            callers[of->first + of->n++] = i;
        }
}

static bool fill_positions(struct hlo *h, struct diag *d)
{
    uint64_t n = 0;
    for (inst_id i = 0; i < h->insts.n; i++) {
        struct hlo_inst *x = hlo_inst(h, i);
        x->first_pos = (uint32_t)n;
        n += shape_node(&h->shapes, x->shape)->span;
        if (n >= UINT32_MAX)
            return diag_file(d, h->file, "more than %u shape positions", UINT32_MAX);
    }
    h->n_positions = (uint32_t)n;
    return true;
}

/* A stack frame beats source_file/source_line: newer dumps fill only the frame. */
static void resolve_sources(struct hlo *h)
{
    const struct hlo_frame *frames = h->frames.items;
    for (inst_id i = 0; i < h->insts.n; i++) {
        struct hlo_inst *x = hlo_inst(h, i);
        if (x->frame >= h->frames.n)
            x->frame = 0;
        if (x->frame && frames[x->frame].file) {
            x->file = frames[x->frame].file;
            x->line = frames[x->frame].line;
        }
    }
}

bool hlo_finish(struct hlo *h, struct diag *d)
{
    if (h->entry == HLO_NONE)
        return diag_file(d, h->file, "module %s has no entry computation", h->name ? h->name : "");
    for (comp_id c = 0; c < h->comps.n; c++) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        if (comp->insts.n == 0 || comp->root == HLO_NONE)
            return diag_file(d, h->file, "computation %s has no root", comp->name);
        if (!collect_params(h, c, d))
            return false;
    }
    if (!check_depth(h, d))
        return false;
    for (inst_id i = 0; i < h->insts.n; i++)
        if (!check_counts(h, i, d) || !check_async(h, i, d))
            return false;
    fill_uses(h);
    fill_callers(h);
    resolve_sources(h);
    return fill_positions(h, d);
}

/* ---- A schedule from names ---- */

bool hlo_schedule_by_names(struct hlo *h, const char *const *names, uint32_t n, struct diag *d)
{
    struct strmap by_name = {0};
    for (inst_id i = 0; i < h->insts.n; i++)
        strmap_put(h->arena, &by_name, hlo_inst(h, i)->name, strlen(hlo_inst(h, i)->name), i);
    inst_id *seq = arena_array(h->arena, n, sizeof *seq);
    bool *seen = arena_array(h->arena, h->insts.n, sizeof *seen);
    for (comp_id c = 0; c < h->comps.n; c++)
        hlo_comp(h, c)->order = (struct span){0, 0};
    for (uint32_t k = 0; k < n; k++) {
        seq[k] = strmap_find(&by_name, names[k], strlen(names[k]));
        if (seq[k] == STRMAP_NONE)
            return diag_file(d, h->file, "has no instruction %s, which the schedule names", names[k]);
        if (seen[seq[k]])
            return diag_file(d, h->file, "the schedule names instruction %s twice", names[k]);
        seen[seq[k]] = true;
        hlo_comp(h, hlo_inst(h, seq[k])->comp)->order.n++;
    }
    h->order.items = arena_array(h->arena, n, sizeof(inst_id));
    h->order.n = h->order.cap = n;
    uint32_t first = 0;
    for (comp_id c = 0; c < h->comps.n; c++) {
        struct span *of = &hlo_comp(h, c)->order;
        uint32_t room = of->n;
        *of = (struct span){first, 0};
        first += room;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct span *of = &hlo_comp(h, hlo_inst(h, seq[k])->comp)->order;
        ((inst_id *)h->order.items)[of->first + of->n++] = seq[k];
    }
    h->scheduled = true;
    return true;
}

/* ---- Words ---- */

const char *hlo_inst_text(const struct hlo *h, inst_id i, char *out, size_t size)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    char shape[160];
    shape_text(&h->shapes, x->shape, false, shape, sizeof shape);
    int used = snprintf(out, size, "%%%s = %s %s(", x->name, shape, x->opcode);
    if (x->op == OP_PARAMETER && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, "%lld", (long long)x->number);
    for (uint32_t k = 0; k < x->operands.n && used > 0 && (size_t)used < size; k++)
        used += snprintf(out + used, size - (size_t)used, "%s%%%s", k ? ", " : "",
                         hlo_inst(h, hlo_operand(h, i, k))->name);
    if (used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ")");
    if (x->op == OP_GET_TUPLE_ELEMENT && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ", index=%lld", (long long)x->number);
    if (x->kind && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ", %s=%s",
                         x->op == OP_FUSION ? "kind" : "target", x->kind);
    if (used > 0 && (size_t)used >= size && size > 4) {
        size_t cut = size - 4;
        while (cut > 0 && ((unsigned char)out[cut] & 0xC0) == 0x80)
            cut--; /* not in the middle of a character */
        memcpy(out + cut, "…", sizeof "…");
    }
    return out;
}
