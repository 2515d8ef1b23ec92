/* Small scans unrolled, in words: what stands where the loop was, and what is alive then. */
#include "core/analysis/place/rerun.h"
#include "core/analysis/whatif/whatif.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

#include <dirent.h>
#include <unistd.h>

struct made {
    struct module from, to;
    struct program p, q;
    struct whatif_scan scan;
    inst_id *origin;
    const char *why;
    bool done;
};

/* ---- Programs ---- */

/* A residual is kept of every step and read again on the way back, where a gradient adds up.  f, g and
 * h stand for what XLA can fuse with nothing. */
#define KERNELS                                                                                   \
    "put {\n s = f32[4,256]{1,0} parameter(0)\n v = f32[256]{0} parameter(1)\n"                   \
    " at = s32[] parameter(2)\n zero = s32[] constant(0)\n"                                       \
    " row = f32[1,256]{1,0} bitcast(v)\n"                                                         \
    " ROOT d = f32[4,256]{1,0} dynamic-update-slice(s, row, at, zero)\n}\n"                       \
    "get {\n s = f32[4,256]{1,0} parameter(0)\n i = s32[] parameter(1)\n"                         \
    " three = s32[] constant(3)\n at = s32[] subtract(three, i)\n zero = s32[] constant(0)\n"     \
    " ROOT d = f32[1,256]{1,0} dynamic-slice(s, at, zero), dynamic_slice_sizes={1,256}\n}\n"      \
    "sum {\n a = f32[256]{0} parameter(0)\n b = f32[256]{0} parameter(1)\n"                       \
    " ROOT c = f32[256]{0} add(a, b)\n}\n"                                                        \
    "next {\n a = s32[] parameter(0)\n one = s32[] constant(1)\n ROOT b = s32[] add(a, one)\n}\n" \
    "less {\n a = s32[] parameter(0)\n n = s32[] constant(4)\n"                                   \
    " ROOT b = pred[] compare(a, n), direction=LT\n}\n"                                           \
    "fill {\n z = f32[] constant(0)\n ROOT b = f32[256]{0} broadcast(z), dimensions={}\n}\n"      \
    "fills {\n z = f32[] constant(0)\n ROOT b = f32[4,256]{1,0} broadcast(z), dimensions={}\n}\n"

#define FORWARD                                                                                   \
    "fb {\n p = (s32[], f32[256]{0}, f32[4,256]{1,0}) parameter(0)\n"                             \
    " i = s32[] get-tuple-element(p), index=0\n c = f32[256]{0} get-tuple-element(p), index=1\n"  \
    " s = f32[4,256]{1,0} get-tuple-element(p), index=2\n"                                        \
    " w = f32[4,256]{1,0} fusion(s, c, i), kind=kLoop, calls=put, "                               \
    "metadata={op_name=\"while/body/put\"}\n"                                                     \
    " y = f32[256]{0} custom-call(c), custom_call_target=\"f\"\n"                                 \
    " j = s32[] fusion(i), kind=kLoop, calls=next\n"                                              \
    " ROOT t = (s32[], f32[256]{0}, f32[4,256]{1,0}) tuple(j, y, w)\n}\n"                         \
    "fc {\n p = (s32[], f32[256]{0}, f32[4,256]{1,0}) parameter(0)\n"                             \
    " i = s32[] get-tuple-element(p), index=0\n"                                                  \
    " ROOT b = pred[] fusion(i), kind=kLoop, calls=less\n}\n"

#define BACKWARD                                                                                  \
    "bb {\n p = (s32[], f32[256]{0}, f32[256]{0}, f32[4,256]{1,0}) parameter(0)\n"                \
    " i = s32[] get-tuple-element(p), index=0\n u = f32[256]{0} get-tuple-element(p), index=1\n"  \
    " a = f32[256]{0} get-tuple-element(p), index=2\n"                                            \
    " s = f32[4,256]{1,0} get-tuple-element(p), index=3\n"                                        \
    " r = f32[1,256]{1,0} fusion(s, i), kind=kLoop, calls=get\n"                                  \
    " v = f32[256]{0} custom-call(u, r), custom_call_target=\"g\"\n"                              \
    " h = f32[256]{0} custom-call(u, r), custom_call_target=\"h\"\n"                              \
    " b = f32[256]{0} fusion(a, h), kind=kLoop, calls=sum\n"                                      \
    " j = s32[] fusion(i), kind=kLoop, calls=next\n"                                              \
    " ROOT t = (s32[], f32[256]{0}, f32[256]{0}, f32[4,256]{1,0}) tuple(j, v, b, s)\n}\n"         \
    "bc {\n p = (s32[], f32[256]{0}, f32[256]{0}, f32[4,256]{1,0}) parameter(0)\n"                \
    " i = s32[] get-tuple-element(p), index=0\n"                                                  \
    " ROOT b = pred[] fusion(i), kind=kLoop, calls=less\n}\n"

#define TRIPS "backend_config={\"known_trip_count\":{\"n\":\"4\"}}"

static const char scan_text[] =
    KERNELS FORWARD BACKWARD
    "ENTRY e {\n x = f32[256]{0} parameter(0)\n zero = s32[] constant(0)\n"
    " i = s32[] copy(zero)\n k = s32[] copy(zero)\n"
    " s = f32[4,256]{1,0} fusion(), kind=kLoop, calls=fills\n"
    " t = (s32[], f32[256]{0}, f32[4,256]{1,0}) tuple(i, x, s)\n"
    " w = (s32[], f32[256]{0}, f32[4,256]{1,0}) while(t), condition=fc, body=fb, " TRIPS "\n"
    " y = f32[256]{0} get-tuple-element(w), index=1\n"
    " r = f32[4,256]{1,0} get-tuple-element(w), index=2\n"
    " a = f32[256]{0} fusion(), kind=kLoop, calls=fill\n"
    " t2 = (s32[], f32[256]{0}, f32[256]{0}, f32[4,256]{1,0}) tuple(k, y, a, r)\n"
    " v = (s32[], f32[256]{0}, f32[256]{0}, f32[4,256]{1,0}) while(t2), condition=bc, body=bb, " TRIPS "\n"
    " ROOT o = f32[256]{0} get-tuple-element(v), index=2\n}\n";

/* A scan whose gradient is the same along a dimension: one number a row. */
static const char narrow_text[] =
    "add {\n a = f32[8,64]{1,0} parameter(0)\n s = f32[8]{0} parameter(1)\n"
    " b = f32[8,64]{1,0} broadcast(s), dimensions={0}\n ROOT c = f32[8,64]{1,0} add(a, b)\n}\n"
    "next {\n a = s32[] parameter(0)\n one = s32[] constant(1)\n ROOT b = s32[] add(a, one)\n}\n"
    "less {\n a = s32[] parameter(0)\n n = s32[] constant(2)\n"
    " ROOT b = pred[] compare(a, n), direction=LT\n}\n"
    "fill {\n z = f32[] constant(0)\n ROOT b = f32[8,64]{1,0} broadcast(z), dimensions={}\n}\n"
    "b {\n p = (s32[], f32[8,64]{1,0}, f32[8]{0}) parameter(0)\n"
    " i = s32[] get-tuple-element(p), index=0\n a = f32[8,64]{1,0} get-tuple-element(p), index=1\n"
    " v = f32[8]{0} get-tuple-element(p), index=2\n"
    " y = f32[8]{0} custom-call(v), custom_call_target=\"f\"\n"
    " c = f32[8,64]{1,0} fusion(a, y), kind=kLoop, calls=add\n"
    " j = s32[] fusion(i), kind=kLoop, calls=next\n"
    " ROOT t = (s32[], f32[8,64]{1,0}, f32[8]{0}) tuple(j, c, y)\n}\n"
    "c {\n p = (s32[], f32[8,64]{1,0}, f32[8]{0}) parameter(0)\n"
    " i = s32[] get-tuple-element(p), index=0\n ROOT b = pred[] fusion(i), kind=kLoop, calls=less\n}\n"
    "ENTRY e {\n x = f32[8]{0} parameter(0)\n zero = s32[] constant(0)\n i = s32[] copy(zero)\n"
    " a = f32[8,64]{1,0} fusion(), kind=kLoop, calls=fill\n"
    " t = (s32[], f32[8,64]{1,0}, f32[8]{0}) tuple(i, a, x)\n"
    " w = (s32[], f32[8,64]{1,0}, f32[8]{0}) while(t), condition=c, body=b, "
    "backend_config={\"known_trip_count\":{\"n\":\"2\"}}\n"
    " ROOT o = f32[8,64]{1,0} get-tuple-element(w), index=1\n}\n";

/* ---- Made and forgotten ---- */

static void read_program(struct made *m, const char *text, enum platform platform)
{
    struct diag d = {0};
    char line[1200];
    *m = (struct made){.from.platform = platform, .from.name = "m", .from.has_hlo = true};
    char *all = arena_printf(&m->from.arena, "HloModule m, is_scheduled=true\n\n%s", text);
    struct file f = {"x.txt", all, strlen(all)};
    hlo_init(&m->from.hlo, &m->from.arena, f.name);
    if (!hlo_text_read(&m->from.hlo, &f, &d) || !program_build(&m->p, &m->from, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
    m->scan = (struct whatif_scan){.forward = 0, .backward = m->p.loops.n > 1 ? 1 : LOOP_NONE};
}

static void unroll_program(struct made *m, int64_t k, enum unroll_model model)
{
    struct diag d = {0};
    char line[1200];
    m->to = (struct module){.platform = m->from.platform, .name = "m", .has_hlo = true};
    m->to.hlo.arena = &m->to.arena;
    m->done = unroll_hlo(&m->to.hlo, &m->p, &m->scan, k, model, &m->origin, &m->why);
    if (m->done && !program_build(&m->q, &m->to, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void forget(struct made *m)
{
    if (m->done)
        program_free(&m->q);
    module_free(&m->to);
    program_free(&m->p);
    module_free(&m->from);
}

/* ---- What must hold of every program that was made ---- */

static void is_sound(const struct made *m)
{
    const struct hlo *h = &m->to.hlo;
    const struct liveness *l = &m->q.liveness;
    assert_true(h->scheduled);
    assert_int_equal(m->q.lives, LIFE_RERUN);
    for (inst_id i = 0; i < h->insts.n; i++) {
        assert_true(m->origin[i] == HLO_NONE || m->origin[i] < m->from.hlo.insts.n);
        for (uint32_t k = 0; k < hlo_inst(h, i)->operands.n; k++) {
            inst_id o = hlo_operand(h, i, k);
            assert_true(o < i);
            if (l->step[i] != STEP_NONE)
                assert_true(l->step[o] < l->step[i]);
        }
    }
    for (comp_id c = 0; c < h->comps.n; c++) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        if (l->comp[c].n)
            assert_int_equal(comp->order.n, comp->insts.n);
        for (uint32_t k = 0; k < comp->callers.n; k++) { /* what a fusion is given is what it takes */
            const struct hlo_inst *caller = hlo_inst(h, hlo_caller(h, c, k));
            for (uint32_t j = 0; caller->op == OP_FUSION && j < caller->operands.n; j++)
                assert_int_equal(
                    shape_bytes(&h->shapes, hlo_inst(h, hlo_param(h, c, j))->shape),
                    shape_bytes(&h->shapes, hlo_inst(h, hlo_operand(h, hlo_caller(h, c, k), j))->shape));
        }
    }
}

/* ---- In words ---- */

/* What of a computation takes time: "f32[256] custom-call f", … in the order of the schedule. */
static void put_work(struct words *w, const struct hlo *h, comp_id c)
{
    const struct hlo_comp *comp = hlo_comp(h, c);
    for (uint32_t k = 0; k < comp->order.n; k++) {
        inst_id i = ((const inst_id *)h->order.items)[comp->order.first + k];
        const struct hlo_inst *x = hlo_inst(h, i);
        char shape[200];
        if (x->op == OP_PARAMETER || x->op == OP_GET_TUPLE_ELEMENT || x->op == OP_BITCAST ||
            x->op == OP_TUPLE || x->op == OP_CONSTANT)
            continue;
        shape_text(&h->shapes, x->shape, false, shape, sizeof shape);
        put(w, "%s %s", shape, x->op == OP_CUSTOM_CALL ? x->kind : x->opcode);
        if (x->op == OP_FUSION) {
            const struct hlo_comp *fused = hlo_comp(h, hlo_call(h, i, 0));
            for (uint32_t j = 0; j < fused->insts.n; j++)
                if (hlo_inst(h, fused->insts.first + j)->op != OP_PARAMETER)
                    put(w, " %s", hlo_inst(h, fused->insts.first + j)->opcode);
        }
        put(w, "\n");
    }
}

struct unroll_case {
    const char *sentence;
    const char *text;
    int64_t k;
    enum unroll_model model;
    int loop;          /* whose body is told of; -1: the entry */
    const char *work;
};

static const struct unroll_case cases[] = {
    {"two steps write their slots at once", scan_text, 2, UNROLL_LIKELY, 0,
     "f32[256] f\n"
     "f32[4,256] fusion bitcast bitcast concatenate constant dynamic-update-slice\n"
     "f32[256] f\n"
     "s32[] fusion constant constant add add\n"},
    {"two steps read their slots at once, and their gradients are one sum", scan_text, 2,
     UNROLL_LIKELY, 1,
     "(f32[1,256], f32[1,256]) fusion constant add constant subtract constant dynamic-slice slice slice tuple\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] fusion add add\n"
     "s32[] fusion constant constant add add\n"},
    {"what only adds up is computed last", scan_text, 2, UNROLL_LAST, 1,
     "(f32[1,256], f32[1,256]) fusion constant add constant subtract constant dynamic-slice slice slice tuple\n"
     "f32[256] g\nf32[256] g\n"
     "s32[] fusion constant constant add add\n"
     "f32[256] h\nf32[256] h\n"
     "f32[256] fusion add add\n"},
    {"a scan unrolled whole has no stack, no last g that nobody reads, and no sum with zero", scan_text,
     WHATIF_FULL, UNROLL_LIKELY, -1,
     "f32[256] f\nf32[256] f\nf32[256] f\nf32[256] f\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] h\n"
     "f32[256] fusion add add add\n"},
    {"as many copies as iterations are the whole", scan_text, 4, UNROLL_LIKELY, -1,
     "f32[256] f\nf32[256] f\nf32[256] f\nf32[256] f\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] g\nf32[256] h\n"
     "f32[256] h\n"
     "f32[256] fusion add add add\n"},
    {"a gradient that is the same along a row stays one number, and is spread at the end", narrow_text,
     WHATIF_FULL, UNROLL_LIKELY, -1,
     "f32[8] f\nf32[8] f\nf32[8,64] fusion add broadcast\n"},
};

static void unrolls(void **state)
{
    const struct unroll_case *c = *state;
    static struct words w;
    struct made m;
    w.used = 0;
    w.text[0] = 0;
    read_program(&m, c->text, PLATFORM_GPU);
    unroll_program(&m, c->k, c->model);
    if (!m.done)
        fail_msg("%s", m.why);
    is_sound(&m);
    if (c->loop >= 0)
        assert_true((uint32_t)c->loop < m.q.loops.n);
    else
        assert_int_equal(m.q.loops.n, 0);
    put_work(&w, &m.to.hlo, c->loop < 0 ? m.to.hlo.entry
                                        : hlo_call(&m.to.hlo, m.q.loops.items[c->loop].inst, 0));
    assert_string_equal(w.text, c->work);
    forget(&m);
}
/* ---- The new loops ---- */

static void loops_are_recognised(void **state)
{
    (void)state;
    struct made m;
    read_program(&m, scan_text, PLATFORM_GPU);
    for (int model = 0; model < UNROLL_MODELS; model++) {
        unroll_program(&m, 2, (enum unroll_model)model);
        assert_true(m.done);
        is_sound(&m);
        const struct loops *l = &m.q.loops;
        assert_int_equal(l->n, 2);
        for (uint32_t k = 0; k < 2; k++) {
            const struct loop_stack *s = &l->stacks[l->items[k].stacks.first];
            assert_int_equal(l->items[k].trip_count, 2);
            assert_int_equal(l->items[k].induction_step, 2);
            assert_int_equal(l->items[k].pair, 1 - k);
            assert_int_equal(l->items[k].stacks.n, 1);
            assert_true(s->regular);
            assert_int_equal(s->access, k ? ACCESS_DRAIN : ACCESS_FILL);
            assert_int_equal(s->slots, 4);
            assert_int_equal(s->width, 2);
            assert_int_equal(s->first, k ? 2 : 0);
            assert_int_equal(s->stride, k ? -2 : 2);
        }
        program_free(&m.q);
        module_free(&m.to);
    }
    m.done = false;
    forget(&m);
}

static const struct hlo_inst *first_of(const struct hlo *h, enum hlo_op op)
{
    for (inst_id i = 0; i < h->insts.n; i++)
        if (hlo_inst(h, i)->op == op)
            return hlo_inst(h, i);
    fail_msg("there is no such instruction");
    return NULL;
}

static void sources_are_kept(void **state)
{
    (void)state;
    struct made m;
    read_program(&m, scan_text, PLATFORM_GPU);
    unroll_program(&m, 2, UNROLL_LIKELY);
    assert_true(m.done);
    const struct hlo *h = &m.to.hlo;
    inst_id body = HLO_NONE;
    for (inst_id i = 0; i < h->insts.n; i++)
        if (hlo_inst(h, i)->op == OP_FUSION && strcmp(hlo_inst(h, i)->name, "w") > 0 &&
            hlo_inst(h, i)->op_name)
            body = i;
    assert_true(body != HLO_NONE);
    assert_string_equal(hlo_inst(h, body)->op_name, "while/body/put");
    assert_string_equal(hlo_inst(&m.from.hlo, m.origin[body])->name, "w");
    assert_string_equal(first_of(h, OP_WHILE)->backend_config, "{\"known_trip_count\":{\"n\":\"2\"}}");
    forget(&m);
}

/* ---- Bytes ---- */

/* Values of 256 floats, 1 KiB, at the peak of the whole program. */
static void bytes_at_the_peak(void **state)
{
    (void)state;
    struct made m;
    read_program(&m, scan_text, PLATFORM_GPU);
    uint64_t rolled = m.p.live[m.p.peak];
    /* the stack 4, what goes back, its gradient, a slice, h; and the integer that counts */
    assert_int_equal(rolled, (8 << 10) + 4);
    unroll_program(&m, WHATIF_FULL, UNROLL_LIKELY);
    assert_true(m.done);
    /* x, three residuals, what goes back and the next of it, h; later an h each for a residual */
    assert_int_equal(m.q.live[m.q.peak], 7 << 10);
    forget(&m);
}

/* ---- What cannot be done ---- */

#define INSIDE                                                                                    \
    "k {\n p = (s32[], f32[256]{0}, f32[4,256]{1,0}) parameter(0)\n"                              \
    " ROOT w = (s32[], f32[256]{0}, f32[4,256]{1,0}) while(p), condition=fc, body=fb, " TRIPS "\n}\n"

static const char branch_text[] =
    KERNELS FORWARD INSIDE
    "ENTRY e {\n x = f32[256]{0} parameter(0)\n q = s32[] parameter(1)\n i = s32[] constant(0)\n"
    " s = f32[4,256]{1,0} fusion(), kind=kLoop, calls=fills\n"
    " t = (s32[], f32[256]{0}, f32[4,256]{1,0}) tuple(i, x, s)\n"
    " ROOT w = (s32[], f32[256]{0}, f32[4,256]{1,0}) conditional(q, t), branch_computations={k}\n}\n";

static const char unknown_text[] =
    "b {\n p = (s32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " n = s32[] get-tuple-element(p), index=1\n j = s32[] add(i, i)\n"
    " ROOT t = (s32[], s32[]) tuple(j, n)\n}\n"
    "c {\n p = (s32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " n = s32[] get-tuple-element(p), index=1\n ROOT l = pred[] compare(i, n), direction=LT\n}\n"
    "ENTRY e {\n x = s32[] parameter(0)\n n = s32[] parameter(1)\n t = (s32[], s32[]) tuple(x, n)\n"
    " w = (s32[], s32[]) while(t), condition=c, body=b\n ROOT r = s32[] get-tuple-element(w), index=0\n}\n";

static const char endless_text[] =
    "b {\n p = (f32[8]{0}) parameter(0)\n v = f32[8]{0} get-tuple-element(p), index=0\n"
    " y = f32[8]{0} custom-call(v), custom_call_target=\"f\"\n ROOT t = (f32[8]{0}) tuple(y)\n}\n"
    "c {\n p = (f32[8]{0}) parameter(0)\n ROOT l = pred[] constant(true)\n}\n"
    "ENTRY e {\n x = f32[8]{0} parameter(0)\n t = (f32[8]{0}) tuple(x)\n"
    " w = (f32[8]{0}) while(t), condition=c, body=b, "
    "backend_config={\"known_trip_count\":{\"n\":\"9000000000000000000\"}}\n"
    " ROOT r = f32[8]{0} get-tuple-element(w), index=0\n}\n";

struct refusal {
    const char *sentence, *text;
    int64_t k;
    const char *why;
};

static const struct refusal refusals[] = {
    {"three copies do not make four iterations", scan_text, 3, "3 does not divide the 4 iterations"},
    {"no copy at all is no loop", scan_text, 0, "a loop is unrolled once at least"},
    {"a loop that runs until it is told to stop cannot be unrolled", unknown_text, 2,
     "how often the loop runs is not known"},
    {"a scan that may not run at all is left alone", branch_text, 2, "the scan is inside a conditional"},
    {"nine quintillion iterations are too many", endless_text, WHATIF_FULL,
     "the unrolled program would have more than a million operations"},
    {"and so are copies of them", endless_text, 3000000,
     "the unrolled program would have more than a million operations"},
};

static void refuses(void **state)
{
    const struct refusal *c = *state;
    struct made m;
    read_program(&m, c->text, PLATFORM_CPU);
    unroll_program(&m, c->k, UNROLL_LIKELY);
    assert_false(m.done);
    assert_string_equal(m.why, c->why);
    forget(&m);
}

/* ---- What nothing can be promised of ---- */

#define CARRIES(type, next)                                                                       \
    "f {\n a = " type "[8,8]{1,0} parameter(0)\n ROOT b = " type "[8,8]{1,0} " next "\n}\n"         \
    "b {\n p = (s32[], " type "[8,8]{1,0}) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n" \
    " v = " type "[8,8]{1,0} get-tuple-element(p), index=1\n one = s32[] constant(1)\n"            \
    " j = s32[] add(i, one)\n y = " type "[8,8]{1,0} fusion(v), kind=kLoop, calls=f\n"             \
    " ROOT t = (s32[], " type "[8,8]{1,0}) tuple(j, y)\n}\n"                                       \
    "c {\n p = (s32[], " type "[8,8]{1,0}) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n" \
    " n = s32[] constant(4)\n ROOT l = pred[] compare(i, n), direction=LT\n}\n"                   \
    "ENTRY e {\n x = " type "[8,8]{1,0} parameter(0)\n i = s32[] constant(0)\n"                   \
    " t = (s32[], " type "[8,8]{1,0}) tuple(i, x)\n"                                               \
    " w = (s32[], " type "[8,8]{1,0}) while(t), condition=c, body=b, " TRIPS                       \
    "\n ROOT r = " type "[8,8]{1,0} get-tuple-element(w), index=1\n}\n"

static const char half_text[] = CARRIES("bf16", "sine(a)");
static const char sine_text[] = CARRIES("f32", "sine(a)");
static const char dot_text[] =
    CARRIES("f32", "dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}");

struct doubt_case {
    const char *sentence, *text;
    enum platform platform;
    const char *doubt; /* NULL: none */
};

static const struct doubt_case doubts[] = {
    {"32-bit floats are computed as they are", scan_text, PLATFORM_CPU, NULL},
    {"GPUs compute 16-bit floats as they are", half_text, PLATFORM_GPU, NULL},
    {"CPUs do not", half_text, PLATFORM_CPU,
     "CPUs compute 16-bit floats in 32 bits, and XLA places the conversions anew"},
    {"CPUs fuse steps of elementwise work alone", sine_text, PLATFORM_CPU,
     "steps without a product or an inner loop XLA may fuse with one another"},
    {"and not across a product, be it in a fusion", dot_text, PLATFORM_CPU, NULL},
    {"what GPUs fuse is told by the models' spread", sine_text, PLATFORM_GPU, NULL},
};

static void doubted(void **state)
{
    const struct doubt_case *c = *state;
    struct made m;
    read_program(&m, c->text, c->platform);
    const char *doubt = unroll_doubt(&m.p, &m.scan);
    if (c->doubt && doubt)
        assert_string_equal(doubt, c->doubt);
    else
        assert_true(!c->doubt && !doubt);
    forget(&m);
}

/* ---- Compiled pairs: the shipped grid ---- */

struct pair {
    char name[400], rolled[300], unrolled[300];
    int64_t k;
};

static void open_dump(const char *dir, struct dump *dump, struct module *m, struct program *p)
{
    struct diag d;
    char line[1200];
    if (!dump_find(dump, dir, &d) || !dump_load(dump, 0, FORM_ANY, m, &d) || !program_build(p, m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

/* Above the device's memory XLA computes some values twice. */
static bool is_rematerialised(const struct hlo *h)
{
    for (inst_id i = 0; i < h->insts.n; i++)
        if (strstr(hlo_inst(h, i)->name, ".remat"))
            return true;
    return false;
}

static uint64_t rerun_bytes(const struct program *p)
{
    struct rerun r;
    uint64_t sum = 0;
    assert_true(rerun_build(&r, p));
    for (uint32_t k = 0; k < r.assign.allocs.n; k++)
        if (assigned_is_temp(assign_alloc(&r.assign, k)))
            sum += assign_alloc(&r.assign, k)->size;
    rerun_free(&r);
    return sum;
}

/* Temporaries within a thousandth of what the compiler took. */
static void like_the_compiler(void **state)
{
    const struct pair *c = *state;
    struct dump a, b;
    struct made m = {.scan = {.forward = 0, .backward = 1}};
    struct module compiled;
    struct program truth;
    open_dump(c->rolled, &a, &m.from, &m.p);
    open_dump(c->unrolled, &b, &compiled, &truth);
    unroll_program(&m, c->k, UNROLL_LIKELY);
    if (!m.done)
        fail_msg("%s", m.why);
    is_sound(&m);
    uint64_t got = rerun_bytes(&m.q), want = truth.totals.temp;
    uint64_t most = (want + truth.totals.output) / 1000;
    if (!is_rematerialised(&compiled.hlo) && (got > want + most || want > got + most))
        fail_msg("%llu bytes, not %llu", (unsigned long long)got, (unsigned long long)want);
    forget(&m);
    program_free(&truth);
    module_free(&compiled);
    dump_free(&b);
    dump_free(&a);
}

static void add_pair(struct pair *pairs, size_t *n, const char *cell, const char *unroll)
{
    struct pair *c = pairs + *n;
    size_t len = strlen(cell) - 1; /* "…-u1" */
    const char *steps = strstr(cell, "-s");
    long count = steps ? strtol(steps + 2, NULL, 10) : 0;
    c->k = strcmp(unroll, "full") == 0 ? WHATIF_FULL : strtol(unroll, NULL, 10);
    snprintf(c->rolled, sizeof c->rolled, "fixtures/grid/%s", cell);
    snprintf(c->unrolled, sizeof c->unrolled, "fixtures/grid/%.*s%s", (int)len, cell, unroll);
    snprintf(c->name, sizeof c->name, "%s unrolled by %s takes what the compiler took", cell, unroll);
    if (access(c->unrolled, R_OK) == 0 && count > 0 && (c->k == WHATIF_FULL || (count % c->k == 0 && c->k < count)))
        ++*n;
}

static size_t find_pairs(struct pair *pairs, size_t room)
{
    static const char *const unrolls_of[] = {"2", "4", "full"};
    struct dirent **names;
    size_t found = 0;
    int n = scandir("fixtures/grid", &names, NULL, alphasort);
    for (int k = 0; k < n; k++) {
        size_t len = strlen(names[k]->d_name);
        bool rolled = len > 3 && strcmp(names[k]->d_name + len - 3, "-u1") == 0 &&
                      strncmp(names[k]->d_name, "tpu", 3) != 0;
        for (size_t j = 0; rolled && j < COUNT(unrolls_of) && found + 1 < room; j++)
            add_pair(pairs, &found, names[k]->d_name, unrolls_of[j]);
        free(names[k]);
    }
    if (n >= 0)
        free(names);
    return found;
}

int main(void)
{
    static struct pair pairs[100];
    size_t n_pairs = find_pairs(pairs, COUNT(pairs)), n = 0;
    struct CMUnitTest tests[COUNT(cases) + COUNT(refusals) + COUNT(doubts) + COUNT(pairs) + 3] = {
        cmocka_unit_test(loops_are_recognised), cmocka_unit_test(sources_are_kept),
        cmocka_unit_test(bytes_at_the_peak)};
    n = 3;
    ADD_TABLE(cases, unrolls, sentence);
    ADD_TABLE(refusals, refuses, sentence);
    ADD_TABLE(doubts, doubted, sentence);
    for (size_t k = 0; k < n_pairs; k++)
        tests[n++] = (struct CMUnitTest){.name = pairs[k].name, .test_func = like_the_compiler,
                                         .initial_state = &pairs[k]};
    return n_pairs ? _cmocka_run_group_tests("unroll", tests, n, NULL, NULL) : 1;
}
