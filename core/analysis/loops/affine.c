#include "core/analysis/loops/affine.h"

typedef __int128 wide;

enum { DEPTH = 200 }; /* operations nested deeper are unknown */

static const struct affine nothing = {0};

static struct affine constant(int64_t v)
{
    return (struct affine){.known = true, .base = v};
}

/* ---- Ranges of types ---- */

static bool is_signed(enum shape_type t)
{
    return (t >= TYPE_S8 && t <= TYPE_S64) || t == TYPE_S4 || t == TYPE_S2 || t == TYPE_S1;
}

static bool is_integer(enum shape_type t)
{
    return is_signed(t) || t == TYPE_PRED || (t >= TYPE_U8 && t <= TYPE_U64) || t == TYPE_U4 ||
           t == TYPE_U2 || t == TYPE_U1;
}

static unsigned bits_of(enum shape_type t)
{
    return t == TYPE_PRED ? 1 : shape_type_bits(t);
}

static wide least(enum shape_type t)
{
    return is_signed(t) ? -((wide)1 << (bits_of(t) - 1)) : 0;
}

static wide most(enum shape_type t)
{
    return ((wide)1 << (bits_of(t) - is_signed(t))) - 1;
}

/* base + step * k, as type t holds it: the bits of u64 in an int64_t. */
static struct affine settle(const struct affine_env *e, wide base, wide step, enum shape_type t)
{
    wide span = (wide)1 << bits_of(t), low = least(t), high = most(t);
    if (step > INT64_MAX || step < INT64_MIN)
        return (struct affine){.inductive = true};
    if ((e->n > 0 || step == 0) && (base < low || base > high)) {
        base %= span;
        base += base < low ? span : base > high ? -span : 0;
    }
    wide end = base + step * (e->n > 0 ? e->n - 1 : 0);
    if ((e->n > 0 && (end < low || end > high)) || base < INT64_MIN ||
        base > (t == TYPE_U64 ? (wide)UINT64_MAX : (wide)INT64_MAX))
        return (struct affine){.inductive = true};
    return (struct affine){.known = true, .base = (int64_t)(uint64_t)base, .step = (int64_t)step};
}

/* The true number that type t holds as x. */
static wide number(int64_t x, enum shape_type t)
{
    return t == TYPE_U64 ? (wide)(uint64_t)x : (wide)x;
}

/* ---- Operations ---- */

static struct affine unknown_of(const struct affine *v, uint32_t n)
{
    struct affine out = nothing;
    for (uint32_t k = 0; k < n; k++) {
        out.inductive |= v[k].known ? v[k].step != 0 : v[k].inductive;
        out.data |= !v[k].known && v[k].data;
    }
    return out;
}

/* The sign of a - b where it is the same for all k: -1, 0, 1; else 2. */
static int order(const struct affine_env *e, const struct affine *a, const struct affine *b,
                 enum shape_type t)
{
    wide first = number(a->base, t) - number(b->base, t), step = (wide)a->step - b->step;
    if (step != 0 && e->n <= 0)
        return 2;
    wide last = first + step * (e->n > 0 ? e->n - 1 : 0);
    int x = (first > 0) - (first < 0), y = (last > 0) - (last < 0);
    return x == y && (x || first == last) ? x : 2;
}

static struct affine compare(const struct affine_env *e, const struct affine *v,
                             enum hlo_compare how, enum shape_type t)
{
    wide first = number(v[0].base, t) - number(v[1].base, t), step = (wide)v[0].step - v[1].step;
    wide last = first + step * (e->n > 0 ? e->n - 1 : 0), low = first < last ? first : last,
         high = first < last ? last : first;
    int truth = -1; /* the same for all k */
    if (step != 0 && e->n <= 0)
        return (struct affine){.inductive = true};
    switch (how) {
    case COMPARE_LT:
        truth = high < 0 ? 1 : low >= 0 ? 0 : -1;
        break;
    case COMPARE_LE:
        truth = high <= 0 ? 1 : low > 0 ? 0 : -1;
        break;
    case COMPARE_GT:
        truth = low > 0 ? 1 : high <= 0 ? 0 : -1;
        break;
    case COMPARE_GE:
        truth = low >= 0 ? 1 : high < 0 ? 0 : -1;
        break;
    case COMPARE_EQ:
    case COMPARE_NE:
        if (low > 0 || high < 0 || (step != 0 && -first % step != 0))
            truth = how == COMPARE_NE;
        else if (step == 0)
            truth = how == COMPARE_EQ;
        break;
    case COMPARE_NONE:
        break;
    }
    return truth < 0 ? (struct affine){.inductive = step != 0, .data = how == COMPARE_NONE}
                     : constant(truth);
}

static struct affine divide(const struct affine_env *e, const struct affine *v, bool rest,
                            enum shape_type t)
{
    wide a = number(v[0].base, t), s = v[0].step, b = number(v[1].base, t);
    if (v[1].step != 0 || b == 0)
        return unknown_of(v, 2);
    if (s == 0)
        return settle(e, rest ? a % b : a / b, 0, t);
    wide end = a + s * (e->n > 0 ? e->n - 1 : 0);
    if (rest && e->n > 0 && a >= 0 && end >= 0 && a < b && end < b)
        return v[0];
    if (a % b == 0 && s % b == 0)
        return rest ? constant(0) : settle(e, a / b, s / b, t);
    return unknown_of(v, 2);
}

static struct affine shift(const struct affine_env *e, const struct affine *v, enum hlo_op op,
                           enum shape_type t)
{
    if (v[1].step != 0 || v[1].base < 0 || v[1].base >= (int64_t)bits_of(t))
        return unknown_of(v, 2);
    wide by = (wide)1 << v[1].base, a = number(v[0].base, t);
    if (op == OP_SHIFT_LEFT)
        return settle(e, a * by, v[0].step * by, t);
    if (v[0].step != 0)
        return unknown_of(v, 2);
    if (op == OP_SHIFT_RIGHT_LOGICAL && a < 0)
        a += (wide)1 << bits_of(t);
    return settle(e, a >> v[1].base, 0, t);
}

static struct affine bitwise(const struct affine *v, enum hlo_op op, enum shape_type t)
{
    for (uint32_t k = 0; k < 2; k++) { /* false and x, true or x */
        bool absorbs = op == OP_AND ? affine_is(&v[k], 0)
                                    : op == OP_OR && t == TYPE_PRED && affine_is(&v[k], 1);
        if (absorbs)
            return v[k];
        if (t == TYPE_PRED && v[1 - k].known && affine_is(&v[k], op == OP_AND) && op != OP_XOR)
            return v[1 - k];
    }
    if (!v[0].known || !v[1].known || v[0].step || v[1].step)
        return unknown_of(v, 2);
    int64_t a = v[0].base, b = v[1].base;
    return constant(op == OP_AND ? a & b : op == OP_OR ? a | b : a ^ b);
}

static struct affine pick(const struct affine_env *e, const struct affine *v, bool larger,
                          enum shape_type t)
{
    if (!v[0].known || !v[1].known)
        return unknown_of(v, 2);
    int sign = order(e, &v[0], &v[1], t);
    if (sign != 2)
        return (sign >= 0) == larger ? v[0] : v[1];
    wide first = number(v[0].base, t) - number(v[1].base, t), step = (wide)v[0].step - v[1].step;
    wide last = first + step * (e->n - 1); /* they may touch at one end */
    if (e->n > 0 && ((first >= 0 && last >= 0) || (first <= 0 && last <= 0)))
        return (first >= 0 && last >= 0) == larger ? v[0] : v[1];
    return unknown_of(v, 2);
}

static struct affine multiply(const struct affine_env *e, const struct affine *v, enum shape_type t)
{
    if (affine_is(&v[0], 0) || affine_is(&v[1], 0))
        return constant(0);
    if (!v[0].known || !v[1].known || (v[0].step && v[1].step))
        return unknown_of(v, 2);
    const struct affine *a = v[0].step ? &v[0] : &v[1], *c = v[0].step ? &v[1] : &v[0];
    wide by = number(c->base, t), base, step;
    if (__builtin_mul_overflow(number(a->base, t), by, &base) ||
        __builtin_mul_overflow(a->step, by, &step))
        return unknown_of(v, 2);
    return settle(e, base, step, t);
}

static struct affine convert(const struct affine_env *e, const struct affine *v,
                             enum shape_type from, enum shape_type to)
{
    if (!v->known || !is_integer(from) || !is_integer(to))
        return unknown_of(v, 1);
    if (to == TYPE_PRED)
        return v->step ? unknown_of(v, 1) : constant(v->base != 0);
    return settle(e, number(v->base, from), v->step, to);
}

static uint32_t operands_of(enum hlo_op op)
{
    switch (op) {
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_REMAINDER:
    case OP_MAXIMUM:
    case OP_MINIMUM:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_COMPARE:
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT_ARITHMETIC:
    case OP_SHIFT_RIGHT_LOGICAL:
        return 2;
    case OP_NEGATE:
    case OP_NOT:
    case OP_ABS:
        return 1;
    case OP_CLAMP:
    case OP_SELECT:
        return 3;
    default:
        return 0;
    }
}

static struct affine inverted(const struct affine_env *e, const struct affine *v, enum shape_type t)
{
    if (t == TYPE_PRED && !v->step)
        return constant(!v->base);
    return settle(e, -1 - number(v->base, t), -(wide)v->step, t);
}

static struct affine absolute(const struct affine_env *e, const struct affine *v, enum shape_type t)
{
    wide x = number(v->base, t);
    return v->step ? unknown_of(v, 1) : settle(e, x < 0 ? -x : x, 0, t);
}

static struct affine clamp(const struct affine_env *e, const struct affine *v, enum shape_type t)
{
    struct affine two[2] = {v[0], v[1]};
    two[0] = pick(e, two, true, t);
    two[1] = v[2];
    return pick(e, two, false, t);
}

/* What may be known though not all operands are. */
static bool decided(const struct affine_env *e, const struct hlo_inst *x, const struct affine *v,
                    enum shape_type t, struct affine *out)
{
    switch (x->op) {
    case OP_MULTIPLY:
        *out = multiply(e, v, t);
        return true;
    case OP_AND:
    case OP_OR:
    case OP_XOR:
        *out = bitwise(v, x->op, t);
        return true;
    default:
        return false;
    }
}

/* v: the operands, of one type, which is `from`; the result is of type t. */
static struct affine arithmetic(const struct affine_env *e, const struct hlo_inst *x,
                                const struct affine *v, enum shape_type from, enum shape_type t)
{
    uint32_t n = operands_of(x->op);
    struct affine out;
    bool all = true;
    for (uint32_t k = 0; k < n; k++)
        all = all && v[k].known;
    if (decided(e, x, v, t, &out))
        return out;
    if (!all)
        return unknown_of(v, n);
    wide a = number(v[0].base, t), b = n > 1 ? number(v[1].base, t) : 0;
    switch (x->op) {
    case OP_ADD:
        return settle(e, a + b, (wide)v[0].step + v[1].step, t);
    case OP_SUBTRACT:
        return settle(e, a - b, (wide)v[0].step - v[1].step, t);
    case OP_NEGATE:
        return settle(e, -a, -(wide)v[0].step, t);
    case OP_NOT:
        return inverted(e, v, t);
    case OP_ABS:
        return absolute(e, v, t);
    case OP_MAXIMUM:
    case OP_MINIMUM:
        return pick(e, v, x->op == OP_MAXIMUM, t);
    case OP_DIVIDE:
    case OP_REMAINDER:
        return divide(e, v, x->op == OP_REMAINDER, t);
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT_ARITHMETIC:
    case OP_SHIFT_RIGHT_LOGICAL:
        return shift(e, v, x->op, t);
    case OP_COMPARE:
        return compare(e, v, x->compare, from);
    case OP_CLAMP:
        return clamp(e, v, t);
    default:
        return unknown_of(v, n);
    }
}

/* ---- Positions ---- */

static bool one_integer(const struct shapes *s, shape_id id)
{
    return is_integer(shape_node(s, id)->type) && shape_elements(s, id) == 1;
}

/* What stands where the walk ended and is no operation on integers. */
static struct affine opaque(const struct affine_env *e, struct trace_pos p)
{
    inst_id i = trace_runs(e->trace, e->live, p);
    bool inside = i == HLO_NONE || e->live->step[i] - e->inside.first < e->inside.n;
    return (struct affine){.data = inside};
}

static struct affine at_depth(struct affine_env *e, struct trace_pos p, unsigned depth);

static struct affine operation(struct affine_env *e, struct trace_pos p, const struct hlo_inst *x,
                               unsigned depth)
{
    const struct shapes *s = &e->trace->f->hlo->shapes;
    struct affine v[3];
    uint32_t n = operands_of(x->op);
    enum shape_type type = shape_node(s, x->shape)->type, from = type;
    if (x->operands.n != n)
        return opaque(e, p);
    if (x->op == OP_SELECT) {
        v[0] = at_depth(e, trace_operand(e->trace, p, 0, 0), depth + 1);
        if (v[0].known && !v[0].step)
            return at_depth(e, trace_operand(e->trace, p, v[0].base ? 1 : 2, 0), depth + 1);
    }
    for (uint32_t k = x->op == OP_SELECT; k < n; k++) {
        struct trace_pos o = trace_operand(e->trace, p, k, 0);
        from = shape_node(s, trace_shape(e->trace, o))->type;
        v[k] = at_depth(e, o, depth + 1);
    }
    if (x->op == OP_SELECT) {
        bool same = v[1].known && v[2].known && v[1].base == v[2].base && v[1].step == v[2].step;
        return same ? v[1] : unknown_of(v, 3);
    }
    return arithmetic(e, x, v, from, type);
}

static struct affine at_depth(struct affine_env *e, struct trace_pos p, unsigned depth)
{
    const struct hlo *h = e->trace->f->hlo;
    if (depth > DEPTH)
        return (struct affine){.data = true};
    uint32_t work = 0;
    for (;;) {
        value_id v = trace_value(e->trace, p);
        if (v != VALUE_NONE && e->slot[v])
            return e->of[e->slot[v] - 1];
        if (work++ > AFFINE_WORK || e->work++ > AFFINE_WORK)
            return (struct affine){.data = true};
        if (!trace_back_step(e->trace, &p, TRACE_FUSIONS | TRACE_COPIES | TRACE_SHAPES))
            break;
    }
    const struct hlo_inst *x = hlo_inst(h, trace_inst(e->trace, p));
    shape_id shape = trace_shape(e->trace, p);
    if (x->op == OP_BROADCAST && x->operands.n == 1)
        return at_depth(e, trace_operand(e->trace, p, 0, 0), depth + 1);
    if (!shape_is_array(&h->shapes, shape) || !one_integer(&h->shapes, shape) ||
        trace_node(e->trace, p))
        return opaque(e, p);
    if (x->op == OP_CONSTANT)
        return x->has_scalar ? settle(e, number(x->scalar, shape_node(&h->shapes, shape)->type), 0,
                                      shape_node(&h->shapes, shape)->type)
                             : nothing;
    if (x->op == OP_CONVERT && x->operands.n == 1) {
        struct trace_pos o = trace_operand(e->trace, p, 0, 0);
        struct affine v = at_depth(e, o, depth + 1);
        return convert(e, &v, shape_node(&h->shapes, trace_shape(e->trace, o))->type,
                       shape_node(&h->shapes, shape)->type);
    }
    if (x->op == OP_IOTA)
        return constant(0);
    return operands_of(x->op) ? operation(e, p, x, depth) : opaque(e, p);
}

struct affine affine_at(struct affine_env *e, struct trace_pos p)
{
    e->work = 0;
    return at_depth(e, p, 0);
}
