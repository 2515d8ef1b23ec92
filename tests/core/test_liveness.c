/* Alias sets, live ranges and uses of small programs, rule by rule, worked out by hand.  Steps of the
 * flattened schedule stand at the end of the lines of the texts. */
#include "core/analysis/flow/liveness.h"
#include "core/load/dump/module.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/async_text.h"
#include "tests/support/live_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

static void put_value(struct words *w, const struct dataflow *f, value_id v)
{
    char path[64];
    const struct hlo_inst *x = hlo_inst(f->hlo, dataflow_inst(f, v));
    put(w, "%s%s", x->name,
        shape_path_text(&f->hlo->shapes, x->shape, dataflow_node(f, v), path, sizeof path));
}

/* "a{}:1-2 t{0}:2-4", in the order of the text. */
static void put_ranges(struct words *w, const struct dataflow *f, const struct liveness *l)
{
    for (pos_id p = 0; p < f->hlo->n_positions; p++)
        for (value_id v = 0; v < f->n; v++)
            if (f->def[v] == p && !f->dead[v] && l->start[v] != STEP_NONE) {
                put(w, "%s", w->used ? " " : "");
                put_value(w, f, v);
                put(w, ":%u-%u", l->start[v], l->end[v]);
            }
}

/* "a{}=b{}": the alias sets with more than one value that has a range, in the order of the text. */
static void put_sets(struct words *w, const struct dataflow *f, const struct liveness *l)
{
    bool *shown = calloc(f->n + 1, sizeof *shown);
    assert_non_null(shown);
    for (pos_id first = 0; first < f->hlo->n_positions; first++)
        for (value_id v = 0; v < f->n; v++) {
            if (f->def[v] != first || f->dead[v] || l->start[v] == STEP_NONE || shown[f->set[v]])
                continue;
            size_t before = w->used;
            uint32_t n = 0;
            for (pos_id p = first; p < f->hlo->n_positions; p++)
                for (value_id u = 0; u < f->n; u++)
                    if (f->def[u] == p && !f->dead[u] && l->start[u] != STEP_NONE &&
                        f->set[u] == f->set[v]) {
                        put(w, "%s", n++ ? "=" : before ? " " : "");
                        put_value(w, f, u);
                    }
            if (n == 1)
                w->text[w->used = before] = '\0';
            shown[f->set[v]] = true;
        }
    free(shown);
}

#define DONATED(alias)                                                                             \
    "HloModule m, is_scheduled=true, input_output_alias={ " alias " }\n\n"
#define ADD_COMP                                                                                        \
    "add {\n p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] add(p, q)\n}\n"

enum { PLAIN, FROM_START = 1, CALLS_COUNT = 2 };

struct range_case {
    const char *name;
    unsigned rules;
    const char *header, *text, *ranges, *sets;
};

/* One carry is a number, one changes (x), one stays (w). */
#define LOOP                                                                                       \
    "body {\n bp = (s32[], f32[2], f32[2]) parameter(0)\n"           /* 7 */                       \
    " bi = s32[] get-tuple-element(bp), index=0\n"                   /* 8 */                       \
    " ba = f32[2] get-tuple-element(bp), index=1\n"                  /* 9 */                       \
    " bw = f32[2] get-tuple-element(bp), index=2\n"                  /* 10 */                      \
    " bn = s32[] add(bi, bi)\n"                                      /* 11 */                      \
    " bm = f32[2] multiply(ba, bw)\n"                                /* 12 */                      \
    " ROOT bt = (s32[], f32[2], f32[2]) tuple(bn, bm, bw)\n}\n"      /* 13 */                      \
    "cond {\n cp = (s32[], f32[2], f32[2]) parameter(0)\n"           /* 4 */                       \
    " ci = s32[] get-tuple-element(cp), index=0\n"                   /* 5 */                       \
    " ROOT cc = pred[] compare(ci, ci), direction=LT\n}\n"           /* 6 */                       \
    "ENTRY e {\n x = f32[2] parameter(0)\n"                          /* 0 */                       \
    " w = f32[2] parameter(1)\n"                                     /* 1 */                       \
    " i = s32[] constant(0)\n"                                       /* 2 */                       \
    " t = (s32[], f32[2], f32[2]) tuple(i, x, w)\n"                  /* 3 */                       \
    " wh = (s32[], f32[2], f32[2]) while(t), condition=cond, body=body\n" /* 14 */                 \
    " g = f32[2] get-tuple-element(wh), index=1\n"                   /* 15 */                      \
    " ROOT c = f32[2] negate(g)\n}\n"                                /* 16 */

#define LOOP_SETS                                                                                  \
    "bp{}=bt{}=cp{}=t{}=wh{} bp{0}=bn{}=cp{0}=i{}=wh{0} bp{1}=bm{}=cp{1}=x{}=wh{1}"

#define CALLEE "callee {\n kp = f32[2] parameter(0)\n kn = f32[2] negate(kp)\n"
#define UPDATE_INPUTS                                                                              \
    "ENTRY e {\n x = f32[4] parameter(0)\n" /* 0 */                                                \
    " u = f32[1] parameter(1)\n"            /* 1 */                                                \
    " i = s32[] parameter(2)\n"             /* 2 */                                                \
    " a = f32[4] negate(x)\n"               /* 3 */
#define FUSED                                                                                      \
    "fused {\n fa = f32[4] parameter(0)\n fu = f32[1] parameter(1)\n fi = s32[] parameter(2)\n"

static const struct range_case ranges[] = {
    {"L3 L4 L6 L7: a chain; the parameter lives to the end", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n b = f32[2] negate(a)\n"
     " ROOT c = f32[2] negate(b)\n}\n",
     "x{}:0-4 a{}:1-2 b{}:2-3 c{}:3-4", ""},
    {"L3: a parameter starts with its computation, wherever it stands", PLAIN, SCHEDULED,
     "ENTRY e {\n a = f32[2] constant({1, 2})\n x = f32[2] parameter(0)\n"
     " ROOT c = f32[2] add(a, x)\n}\n",
     "a{}:0-2 x{}:0-3 c{}:2-3", ""},
    {"L4: what is never used lives at its step", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n ROOT c = f32[2] negate(x)\n}\n",
     "x{}:0-3 a{}:1-1 c{}:2-3", ""},
    {"L7: a donated parameter ends with its last use", PLAIN, DONATED("{}: (0, {}, may-alias)"),
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n b = f32[2] negate(a)\n"
     " ROOT c = f32[2] negate(b)\n}\n",
     "x{}:0-1 a{}:1-2 b{}:2-3 c{}:3-4", "x{}=c{}"},
    {"L9: a donated parameter ends where its output starts", PLAIN,
     DONATED("{0}: (0, {}, must-alias)"),
     "ENTRY e {\n x = f32[2] parameter(0)\n c = f32[2] negate(x)\n d = f32[2] negate(x)\n"
     " ROOT t = (f32[2], f32[2]) tuple(c, d)\n}\n",
     "x{}:0-1 c{}:1-4 d{}:2-4 t{}:3-4", "x{}=c{}"},
    {"A1: donation of one element of a parameter", PLAIN, DONATED("{1}: (0, {1}, may-alias)"),
     "ENTRY e {\n x = (f32[2], f32[2]) parameter(0)\n g = f32[2] get-tuple-element(x), index=1\n"
     " c = f32[2] negate(g)\n ROOT t = (f32[2], f32[2]) tuple(c, c)\n}\n",
     "x{}:0-4 x{0}:0-4 x{1}:0-2 c{}:2-4 t{}:3-4", "x{1}=c{}"},
    {"L5 D2: through a tuple and out of it", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " t = (f32[2], f32[2]) tuple(a, x)\n g = f32[2] get-tuple-element(t), index=0\n"
     " ROOT c = f32[2] negate(g)\n}\n",
     "x{}:0-5 a{}:1-4 t{}:2-3 c{}:4-5", ""},
    {"L5: values in a nested root live to the end", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n s = (f32[2]) tuple(a)\n"
     " b = f32[2] negate(x)\n ROOT t = ((f32[2]), f32[2]) tuple(s, b)\n}\n",
     "x{}:0-5 a{}:1-5 s{}:2-5 b{}:3-5 t{}:4-5", ""},
    {"L5: a tuple that nobody reads still holds its elements", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n b = f32[2] negate(x)\n"
     " t = (f32[2]) tuple(a)\n ROOT c = f32[2] negate(b)\n}\n",
     "x{}:0-5 a{}:1-3 b{}:2-4 t{}:3-3 c{}:4-5", ""},
    {"D2: a bitcast is no value of its own", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[4] parameter(0)\n a = f32[4] negate(x)\n b = f32[2,2] bitcast(a)\n"
     " ROOT c = f32[2,2] negate(b)\n}\n",
     "x{}:0-4 a{}:1-3 c{}:3-4", ""},
    {"D1 D2: copy of a tuple makes the tuple only", PLAIN, SCHEDULED,
     "ENTRY e {\n p = (f32[2], s32[]) parameter(0)\n k = (f32[2], s32[]) copy(p)\n"
     " g = f32[2] get-tuple-element(k), index=0\n ROOT c = f32[2] negate(g)\n}\n",
     "p{}:0-4 p{0}:0-4 p{1}:0-4 k{}:1-2 c{}:3-4", ""},
    {"D2: add-dependency, opt-barrier and domain hand on operand 0", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n k = token[] after-all()\n"
     " d = f32[2] add-dependency(a, k)\n o = f32[2] opt-barrier(d)\n m = f32[2] domain(o)\n"
     " ROOT c = f32[2] negate(m)\n}\n",
     "x{}:0-7 a{}:1-6 k{}:2-3 c{}:6-7", ""},
    {"L2: nothing inside a fusion or a reducer has a range", PLAIN, SCHEDULED,
     ADD_COMP "fused {\n fp = f32[2] parameter(0)\n ROOT fn = f32[2] negate(fp)\n}\n"
     "ENTRY e {\n x = f32[2] parameter(0)\n z = f32[] constant(0)\n"
     " f = f32[2] fusion(x), kind=kLoop, calls=fused\n"
     " ROOT r = f32[] reduce(f, z), dimensions={0}, to_apply=add\n}\n",
     "x{}:0-4 z{}:1-3 f{}:2-3 r{}:3-4", ""},

    {"fusions and calls of nothing, in a program without any operand", PLAIN, SCHEDULED,
     "fused {\n ROOT fc = f32[] constant(1)\n}\ncallee {\n ROOT cc = f32[] constant(2)\n}\n"
     "ENTRY e {\n f = f32[] fusion(), kind=kLoop, calls=fused\n" /* 0, 1 */
     " ROOT c = f32[] call(), to_apply=callee\n}\n",              /* 2 */
     "cc{}:1-3 f{}:0-0", ""},

    {"L1 L6 L9 D3 D5 A1: a while; the element that stays is one value, a carry may be zero long",
     PLAIN, SCHEDULED, LOOP,
     "bp{}:7-10 bp{0}:7-11 bp{1}:7-12 bn{}:11-14 bm{}:12-14 bt{}:13-14 "
     "cp{}:4-7 cp{0}:4-7 cp{1}:4-7 cc{}:6-7 "
     "x{}:0-4 w{}:0-17 i{}:2-4 t{}:3-4 wh{}:14-15 wh{0}:14-14 wh{1}:14-17 c{}:16-17",
     LOOP_SETS},
    {"L7 L9: the same with x donated: the while's x ends with its use", PLAIN,
     DONATED("{}: (0, {}, may-alias)"), LOOP,
     "bp{}:7-10 bp{0}:7-11 bp{1}:7-12 bn{}:11-14 bm{}:12-14 bt{}:13-14 "
     "cp{}:4-7 cp{0}:4-7 cp{1}:4-7 cc{}:6-7 "
     "x{}:0-4 w{}:0-17 i{}:2-4 t{}:3-4 wh{}:14-15 wh{0}:14-14 wh{1}:14-16 c{}:16-17",
     "bp{}=bt{}=cp{}=t{}=wh{} bp{0}=bn{}=cp{0}=i{}=wh{0} bp{1}=bm{}=cp{1}=x{}=wh{1}=c{}"},
    {"L1 D5: a loop in a loop; what stays in both is one value", PLAIN, SCHEDULED,
     "ib {\n ip = (f32[2], s32[]) parameter(0)\n"                             /* 10 */
     " iw = f32[2] get-tuple-element(ip), index=0\n"                          /* 11 */
     " ij = s32[] get-tuple-element(ip), index=1\n"                           /* 12 */
     " in = s32[] add(ij, ij)\n"                                              /* 13 */
     " ROOT it = (f32[2], s32[]) tuple(iw, in)\n}\n"                          /* 14 */
     "ic {\n iq = (f32[2], s32[]) parameter(0)\n"                             /* 7 */
     " ik = s32[] get-tuple-element(iq), index=1\n"                           /* 8 */
     " ROOT ir = pred[] compare(ik, ik), direction=LT\n}\n"                   /* 9 */
     "ob {\n op = (f32[2], s32[]) parameter(0)\n"                             /* 6 */
     " ROOT ow = (f32[2], s32[]) while(op), condition=ic, body=ib\n}\n"       /* 15 */
     "oc {\n oq = (f32[2], s32[]) parameter(0)\n"                             /* 3 */
     " ok = s32[] get-tuple-element(oq), index=1\n"                           /* 4 */
     " ROOT or = pred[] compare(ok, ok), direction=LT\n}\n"                   /* 5 */
     "ENTRY e {\n w = f32[2] parameter(0)\n i = s32[] constant(0)\n"          /* 0, 1 */
     " t = (f32[2], s32[]) tuple(w, i)\n"                                     /* 2 */
     " wh = (f32[2], s32[]) while(t), condition=oc, body=ob\n"                /* 16 */
     " g = f32[2] get-tuple-element(wh), index=0\n ROOT r = f32[2] negate(g)\n}\n", /* 17, 18 */
     "ip{}:10-12 ip{1}:10-13 in{}:13-15 it{}:14-15 iq{}:7-10 iq{1}:7-10 ir{}:9-10 "
     "op{}:6-7 op{1}:6-7 ow{}:15-16 ow{1}:15-16 oq{}:3-6 oq{1}:3-6 or{}:5-6 "
     "w{}:0-19 i{}:1-3 t{}:2-3 wh{}:16-17 wh{1}:16-16 r{}:18-19",
     "ip{}=it{}=iq{}=op{}=ow{}=oq{}=t{}=wh{} ip{1}=in{}=iq{1}=op{1}=ow{1}=oq{1}=i{}=wh{1}"},
    {"D3 D5: a body that is its parameter carries nothing of its own", PLAIN, SCHEDULED,
     "body {\n ROOT bp = (s32[], f32[2]) parameter(0)\n}\n"                   /* 6 */
     "cond {\n cp = (s32[], f32[2]) parameter(0)\n ROOT cc = pred[] constant(false)\n}\n" /* 4, 5 */
     "ENTRY e {\n x = f32[2] parameter(0)\n i = s32[] constant(0)\n"          /* 0, 1 */
     " a = f32[2] negate(x)\n t = (s32[], f32[2]) tuple(i, a)\n"              /* 2, 3 */
     " wh = (s32[], f32[2]) while(t), condition=cond, body=body\n"            /* 7 */
     " g = f32[2] get-tuple-element(wh), index=1\n ROOT r = f32[2] negate(g)\n}\n", /* 8, 9 */
     "cc{}:5-6 x{}:0-10 i{}:1-7 a{}:2-9 t{}:3-8 r{}:9-10", ""},

    {"L1 D3 A1: a conditional; what its branches return is its own", PLAIN, SCHEDULED,
     "b0 {\n p0 = f32[2] parameter(0)\n ROOT n0 = f32[2] negate(p0)\n}\n"     /* 4, 5 */
     "b1 {\n ROOT p1 = f32[2] parameter(0)\n}\n"                              /* 6 */
     "ENTRY e {\n s = pred[] parameter(0)\n x = f32[2] parameter(1)\n"        /* 0, 1 */
     " a = f32[2] negate(x)\n b = f32[2] negate(x)\n"                         /* 2, 3 */
     " c = f32[2] conditional(s, a, b), true_computation=b0, false_computation=b1\n" /* 7 */
     " ROOT r = f32[2] negate(c)\n}\n",                                       /* 8 */
     "n0{}:5-7 s{}:0-9 x{}:0-9 a{}:2-7 b{}:3-5 c{}:7-8 r{}:8-9", "n0{}=b{}=c{}"},
    {"D5: branches that return one value make no phi", PLAIN, SCHEDULED,
     "b1 {\n ROOT p1 = f32[2] parameter(0)\n}\n"                              /* 3 */
     "b2 {\n ROOT p2 = f32[2] parameter(0)\n}\n"                              /* 4 */
     "ENTRY e {\n s = pred[] parameter(0)\n x = f32[2] parameter(1)\n"        /* 0, 1 */
     " a = f32[2] negate(x)\n"                                                /* 2 */
     " c = f32[2] conditional(s, a, a), branch_computations={b1, b2}\n"       /* 5 */
     " ROOT r = f32[2] negate(c)\n}\n",                                       /* 6 */
     "s{}:0-7 x{}:0-7 a{}:2-6 r{}:6-7", ""},

    {"L6: a use by a call whose callee is inlined does not count", PLAIN, SCHEDULED,
     CALLEE " ROOT km = f32[2] negate(kn)\n}\n"                               /* 2, 3, 4 */
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"           /* 0, 1 */
     " k = f32[2] call(a), to_apply=callee\n ROOT r = f32[2] negate(k)\n}\n", /* 5, 6 */
     "kn{}:3-4 km{}:4-6 x{}:0-7 a{}:1-3 r{}:6-7", ""},
    {"L6: before jax 0.4.30 it does", CALLS_COUNT, SCHEDULED,
     CALLEE " ROOT km = f32[2] negate(kn)\n}\n"
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " k = f32[2] call(a), to_apply=callee\n ROOT r = f32[2] negate(k)\n}\n",
     "kn{}:3-4 km{}:4-6 x{}:0-7 a{}:1-5 r{}:6-7", ""},
    {"D2 L1: one computation called twice stands once and holds both operands", PLAIN, SCHEDULED,
     "callee {\n kp = f32[2] parameter(0)\n ROOT kn = f32[2] negate(kp)\n}\n" /* 3, 4 */
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"           /* 0, 1 */
     " b = f32[2] negate(x)\n k = f32[2] call(a), to_apply=callee\n"          /* 2, 5 */
     " l = f32[2] call(b), to_apply=callee\n ROOT r = f32[2] add(k, l)\n}\n", /* 6, 7 */
     "kn{}:4-7 x{}:0-8 a{}:1-4 b{}:2-4 r{}:7-8", ""},

    {"L8: what an asynchronous computation makes lives to its done", PLAIN, SCHEDULED, ASYNC,
     "wn{}:3-7 wm{}:4-8 x{}:0-9 a{}:1-7 s{}:5-7 s{0}:5-7 s{2}:5-7 b{}:6-8 r{}:8-9", ""},
    {"L8: and from its start, since jaxlib 0.10", FROM_START, SCHEDULED, ASYNC,
     "wn{}:5-7 wm{}:5-8 x{}:0-9 a{}:1-7 s{}:5-7 s{0}:5-7 s{2}:5-7 b{}:6-8 r{}:8-9", ""},
    {"L8 D2: with an update between start and done", PLAIN, SCHEDULED,
     "wrapped {\n wp = f32[2] parameter(0)\n ROOT wn = f32[2] negate(wp)\n}\n"      /* 2, 3 */
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"                 /* 0, 1 */
     " s = ((f32[2]), f32[2], u32[]) async-start(a), calls=wrapped\n"               /* 4 */
     " u = ((f32[2]), f32[2], u32[]) async-update(s)\n d = f32[2] async-done(u)\n"  /* 5, 6 */
     " ROOT r = f32[2] negate(d)\n}\n",                                             /* 7 */
     "wn{}:3-7 x{}:0-8 a{}:1-6 s{}:4-5 s{0}:4-5 s{2}:4-6 u{}:5-6 u{0}:5-6 r{}:7-8", ""},
    {"L8: one that is never awaited ends with its computation", FROM_START, SCHEDULED,
     "wrapped {\n wp = f32[2] parameter(0)\n wn = f32[2] negate(wp)\n"              /* 1, 2 */
     " ROOT wm = f32[2] negate(wn)\n}\n"                                            /* 3 */
     "ENTRY e {\n x = f32[2] parameter(0)\n"                                        /* 0 */
     " s = ((f32[2]), f32[2]) async-start(x), calls=wrapped\n"                      /* 4 */
     " ROOT r = f32[2] negate(x)\n}\n",                                             /* 5 */
     "wn{}:4-4 wm{}:4-4 x{}:0-6 s{}:4-4 s{0}:4-4 r{}:5-6", ""},

    {"D1 D2: copy-start and copy-done", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " s = (f32[2], f32[2], u32[]) copy-start(a)\n b = f32[2] negate(x)\n"
     " d = f32[2] copy-done(s)\n ROOT r = f32[2] add(b, d)\n}\n",
     "x{}:0-6 a{}:1-4 s{}:2-4 s{0}:2-5 s{2}:2-4 b{}:3-5 r{}:5-6", ""},
    {"D1 D2: send and recv with their dones", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n k = token[] after-all()\n"
     " s = (f32[2], u32[], token[]) send(a, k), channel_id=1\n sd = token[] send-done(s)\n"
     " v = (f32[2], u32[], token[]) recv(k), channel_id=2\n"
     " vd = (f32[2], token[]) recv-done(v)\n g = f32[2] get-tuple-element(vd), index=0\n"
     " ROOT r = f32[2] negate(g)\n}\n",
     "x{}:0-9 a{}:1-4 k{}:2-5 s{}:3-4 s{1}:3-4 s{2}:3-4 sd{}:4-4 v{}:5-6 v{0}:5-8 v{1}:5-6 "
     "v{2}:5-6 vd{}:6-7 vd{1}:6-6 r{}:8-9",
     ""},
    {"D1 D2: all-gather-start of one operand", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " s = (f32[2], f32[4]) all-gather-start(a), dimensions={0}\n d = f32[4] all-gather-done(s)\n"
     " ROOT r = f32[4] negate(d)\n}\n",
     "x{}:0-5 a{}:1-3 s{}:2-3 s{1}:2-4 r{}:4-5", ""},
    {"D1 D2: all-gather-start of several operands", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n y = f32[3] parameter(1)\n"
     " s = ((f32[2], f32[3]), (f32[4], f32[6])) all-gather-start(x, y), dimensions={0}\n"
     " d = (f32[4], f32[6]) all-gather-done(s)\n g = f32[4] get-tuple-element(d), index=0\n"
     " ROOT r = f32[4] negate(g)\n}\n",
     "x{}:0-6 y{}:0-6 s{}:2-3 s{0}:2-3 s{1}:2-3 s{1,0}:2-5 s{1,1}:2-3 d{}:3-4 r{}:5-6", ""},
    {"D1 D2: collective-permute-start of one operand", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(a), channel_id=1\n"
     " b = f32[2] negate(x)\n d = f32[2] collective-permute-done(s)\n"
     " ROOT r = f32[2] add(b, d)\n}\n",
     "x{}:0-6 a{}:1-4 s{}:2-4 s{1}:2-5 s{2}:2-4 s{3}:2-4 b{}:3-5 r{}:5-6", ""},
    {"D1 D2: collective-permute-start of several operands: its {0} is no value", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n y = f32[3] parameter(1)\n"
     " s = ((f32[2], f32[3]), (f32[2], f32[3]), u32[]) collective-permute-start(x, y)\n"
     " d = (f32[2], f32[3]) collective-permute-done(s)\n"
     " g = f32[2] get-tuple-element(d), index=0\n ROOT r = f32[2] negate(g)\n}\n",
     "x{}:0-6 y{}:0-6 s{}:2-3 s{1}:2-3 s{1,0}:2-5 s{1,1}:2-3 s{2}:2-3 d{}:3-4 r{}:5-6", ""},

    {"A2: all-reduce-start reduces in place", PLAIN, SCHEDULED,
     ADD_COMP "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " s = f32[2] all-reduce-start(a), to_apply=add\n d = f32[2] all-reduce-done(s)\n"
     " ROOT r = f32[2] negate(d)\n}\n",
     "x{}:0-5 a{}:1-2 s{}:2-4 r{}:4-5", "a{}=s{}"},
    {"A2: all-reduce-start of several operands, each to its element", PLAIN, SCHEDULED,
     ADD_COMP "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n b = f32[2] negate(x)\n"
     " s = (f32[2], f32[2]) all-reduce-start(a, b), to_apply=add\n"
     " d = (f32[2], f32[2]) all-reduce-done(s)\n g = f32[2] get-tuple-element(d), index=1\n"
     " ROOT r = f32[2] negate(g)\n}\n",
     "x{}:0-7 a{}:1-3 b{}:2-3 s{}:3-5 s{0}:3-4 s{1}:3-6 r{}:6-7", "a{}=s{0} b{}=s{1}"},
    {"A2 L9: dynamic-update-slice ends what it overwrites, though it is read later", PLAIN,
     SCHEDULED,
     UPDATE_INPUTS " d = f32[4] dynamic-update-slice(a, u, i)\n e1 = f32[4] negate(a)\n" /* 4, 5 */
     " ROOT r = f32[4] add(d, e1)\n}\n",                                            /* 6 */
     "x{}:0-7 u{}:0-7 i{}:0-7 a{}:3-4 d{}:4-6 e1{}:5-6 r{}:6-7", "a{}=d{}"},
    {"A2: a fusion that updates in place, through bitcasts", PLAIN, SCHEDULED,
     FUSED " fb = f32[2,2] bitcast(fa)\n fd = f32[2,2] dynamic-update-slice(fb, fu, fi)\n"
     " ROOT fr = f32[4] bitcast(fd)\n}\n" UPDATE_INPUTS
     " f = f32[4] fusion(a, u, i), kind=kLoop, calls=fused\n ROOT r = f32[4] negate(f)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 f{}:4-5 r{}:5-6", "a{}=f{}"},
    {"A2: a fusion that only reads slices of it does not", PLAIN, SCHEDULED,
     FUSED " fn = f32[4] negate(fa)\n ROOT fd = f32[4] dynamic-update-slice(fn, fu, fi)\n}\n"
     UPDATE_INPUTS " f = f32[4] fusion(a, u, i), kind=kLoop, calls=fused\n"
     " ROOT r = f32[4] negate(f)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 f{}:4-5 r{}:5-6", ""},
    {"A2: a fusion of several outputs, from an element of a tuple", PLAIN, SCHEDULED,
     "fused {\n ft = (f32[4], s32[]) parameter(0)\n fu = f32[1] parameter(1)\n"
     " fa = f32[4] get-tuple-element(ft), index=0\n fi = s32[] get-tuple-element(ft), index=1\n"
     " fd = f32[4] dynamic-update-slice(fa, fu, fi)\n fn = f32[1] negate(fu)\n"
     " ROOT fr = (f32[1], f32[4]) tuple(fn, fd)\n}\n" UPDATE_INPUTS
     " t = (f32[4], s32[]) tuple(a, i)\n"                                           /* 4 */
     " f = (f32[1], f32[4]) fusion(t, u), kind=kLoop, calls=fused\n"                /* 5 */
     " g = f32[4] get-tuple-element(f), index=1\n ROOT r = f32[4] negate(g)\n}\n",  /* 6, 7 */
     "x{}:0-8 u{}:0-8 i{}:0-8 a{}:3-5 t{}:4-5 f{}:5-6 f{0}:5-5 f{1}:5-7 r{}:7-8", "a{}=f{1}"},
    {"A2: an update in a fusion in a fusion", PLAIN, SCHEDULED,
     "inner {\n ia = f32[4] parameter(0)\n iu = f32[1] parameter(1)\n ii = s32[] parameter(2)\n"
     " ROOT id = f32[4] dynamic-update-slice(ia, iu, ii)\n}\n" FUSED
     " ROOT ff = f32[4] fusion(fa, fu, fi), kind=kLoop, calls=inner\n}\n" UPDATE_INPUTS
     " f = f32[4] fusion(a, u, i), kind=kLoop, calls=fused\n ROOT r = f32[4] negate(f)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 f{}:4-5 r{}:5-6", "a{}=f{}"},
    {"A2: an update of what a nested fusion updated", PLAIN, SCHEDULED,
     "inner {\n ia = f32[4] parameter(0)\n iu = f32[1] parameter(1)\n ii = s32[] parameter(2)\n"
     " ROOT id = f32[4] dynamic-update-slice(ia, iu, ii)\n}\n" FUSED
     " ff = f32[4] fusion(fa, fu, fi), kind=kLoop, calls=inner\n"
     " ROOT fd = f32[4] dynamic-update-slice(ff, fu, fi)\n}\n" UPDATE_INPUTS
     " f = f32[4] fusion(a, u, i), kind=kLoop, calls=fused\n ROOT r = f32[4] negate(f)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 f{}:4-5 r{}:5-6", "a{}=f{}"},
    {"A2: set-dimension-size", PLAIN, SCHEDULED,
     UPDATE_INPUTS " d = f32[4] set-dimension-size(a, i), dimensions={0}\n"
     " ROOT r = f32[4] negate(d)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 d{}:4-5 r{}:5-6", "a{}=d{}"},
    {"A2: scatter of one input", PLAIN, SCHEDULED,
     ADD_COMP UPDATE_INPUTS " d = f32[4] scatter(a, i, u), to_apply=add\n"
     " ROOT r = f32[4] negate(d)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 d{}:4-5 r{}:5-6", "a{}=d{}"},
    {"A2: scatter of two inputs, each to its element", PLAIN, SCHEDULED,
     ADD_COMP UPDATE_INPUTS " b = f32[4] negate(x)\n"                                    /* 4 */
     " d = (f32[4], f32[4]) scatter(b, a, i, u, u), to_apply=add\n"                 /* 5 */
     " g = f32[4] get-tuple-element(d), index=1\n ROOT r = f32[4] negate(g)\n}\n",  /* 6, 7 */
     "x{}:0-8 u{}:0-8 i{}:0-8 a{}:3-5 b{}:4-5 d{}:5-6 d{0}:5-5 d{1}:5-7 r{}:7-8",
     "a{}=d{1} b{}=d{0}"},
    {"A2: ragged-all-to-all writes into operand 1", PLAIN, SCHEDULED,
     UPDATE_INPUTS " d = f32[4] ragged-all-to-all(x, a, i, i, i, i)\n"
     " ROOT r = f32[4] negate(d)\n}\n",
     "x{}:0-6 u{}:0-6 i{}:0-6 a{}:3-4 d{}:4-5 r{}:5-6", "a{}=d{}"},
    {"A2: a custom call, only as its aliasing says", PLAIN, SCHEDULED,
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n b = f32[2] negate(x)\n"
     " c = (f32[2], f32[2]) custom-call(a, b), custom_call_target=\"t\", "
     "output_to_operand_aliasing={{1}: (0, {})}\n"
     " g = f32[2] get-tuple-element(c), index=1\n ROOT r = f32[2] negate(g)\n}\n",
     "x{}:0-6 a{}:1-3 b{}:2-3 c{}:3-4 c{0}:3-3 c{1}:3-5 r{}:5-6", "a{}=c{1}"},
    {"A2: a fusion, also as its aliasing says", PLAIN, SCHEDULED,
     "fused {\n fp = f32[2] parameter(0)\n ROOT fn = f32[2] negate(fp)\n}\n"
     "ENTRY e {\n x = f32[2] parameter(0)\n a = f32[2] negate(x)\n"
     " f = f32[2] fusion(a), kind=kLoop, calls=fused, "
     "output_to_operand_aliasing={{}: (0, {})}\n ROOT r = f32[2] negate(f)\n}\n",
     "x{}:0-4 a{}:1-2 f{}:2-3 r{}:3-4", "a{}=f{}"},
};

static void range(void **state)
{
    const struct range_case *c = *state;
    struct live_text a;
    struct words got = {{0}, 0}, sets = {{0}, 0};
    struct live_rules rules = {.async_from_start = c->rules & FROM_START,
                               .call_uses_count = c->rules & CALLS_COUNT};
    bool ok = live_text_read(&a, c->header, c->text, rules);
    if (ok) {
        put_ranges(&got, &a.flow, &a.live);
        put_sets(&sets, &a.flow, &a.live);
    } else
        put(&sets, "%s", a.error);
    live_text_free(&a);
    assert_string_equal(sets.text, c->sets);
    assert_string_equal(got.text, c->ranges);
}

struct use_case {
    const char *name, *text, *value, *want; /* "user operand node" */
};

static const struct use_case uses[] = {
    {"a tuple that is no root is no use", LOOP, "i", "wh 0 1"},
    {"the root tuple is one, and so is what reads a carry", LOOP, "bn", "bt 0 0"},
    {"what stays in a loop is used inside and by the tuples that carry it out", LOOP, "w",
     "bm 1 0, bt 2 0, wh 0 3"},
    {"a get-tuple-element uses the tuple, not its elements", LOOP, "t", "wh 0 0"},
    {"twice by one instruction",
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT r = f32[] add(x, x)\n}\n", "x", "r 0 0, r 1 0"},
    {"a copy uses the tuple only",
     "ENTRY e {\n x = (f32[]) parameter(0)\n k = (f32[]) copy(x)\n"
     " g = f32[] get-tuple-element(k), index=0\n ROOT r = f32[] negate(g)\n}\n",
     "x", "k 0 0"},
};

struct use_text {
    const struct hlo *h;
    char use[8][32];
    int n;
};

static void take_use(void *ctx, struct value_use use)
{
    struct use_text *t = ctx;
    assert_in_range(t->n, 0, 7);
    snprintf(t->use[t->n++], sizeof t->use[0], "%s %u %u", hlo_inst(t->h, use.user)->name,
             use.operand, use.node);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void used(void **state)
{
    const struct use_case *c = *state;
    struct live_text a;
    struct words got = {{0}, 0};
    bool ok = live_text_read(&a, SCHEDULED, c->text, (struct live_rules){0});
    struct use_text t = {.h = &a.hlo};
    for (value_id v = 0; ok && v < a.flow.n; v++)
        if (!a.flow.dead[v] && dataflow_node(&a.flow, v) == 0 &&
            strcmp(hlo_inst(&a.hlo, dataflow_inst(&a.flow, v))->name, c->value) == 0)
            dataflow_uses(&a.flow, v, take_use, &t);
    qsort(t.use, (size_t)t.n, sizeof t.use[0], by_text); /* XLA's order of uses means nothing */
    for (int k = 0; k < t.n; k++)
        put(&got, "%s%s", k ? ", " : "", t.use[k]);
    live_text_free(&a);
    assert_true(ok);
    assert_string_equal(got.text, c->want);
}

static void no_schedule(void **state)
{
    (void)state;
    struct live_text a;
    bool ok = live_text_read(&a, "HloModule m\n\n", LOOP, (struct live_rules){0});
    live_text_free(&a);
    assert_false(ok);
    assert_string_equal(a.error, "tidemark: x.txt: the program has no schedule, so there is no "
                                 "program order (keep the text files of the dump beside it: they "
                                 "hold the sequence)");
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(ranges) + COUNT(uses) + 1];
    size_t n = 0;
    ADD_TABLE(ranges, range, name);
    ADD_TABLE(uses, used, name);
    ADD_AS(no_schedule, "a program without a schedule");
    return _cmocka_run_group_tests("liveness", tests, n, NULL, NULL);
}
