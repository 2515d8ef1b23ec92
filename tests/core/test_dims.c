/* Which dimensions follow a length: small programs, one rule each, worked out by hand.  Marks are
 * "name.dimension", in the order of the text; "(o,i)" behind it where others are merged with it, path in
 * braces where the shape is a tuple. */
#include "core/analysis/whatif/dims.h"
#include "core/analysis/whatif/dims_reach.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

#define ADD_COMP "add {\n p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] add(p, q)\n}\n"

struct dims_case {
    const char *name, *text;
    const char *seed; /* instruction whose dimension 0 is the length 4 */
    const char *marks;
};

static const struct dims_case cases[] = {
    {"elementwise, both ways, and no further than the same place",
     "ENTRY e {\n x = f32[4,4] parameter(0)\n y = f32[4,4] parameter(1)\n"
     " a = f32[4,4] add(x, y)\n ROOT n = f32[4,4] negate(a)\n}\n",
     "y", "x.0 y.0 a.0 n.0"},
    {"a program of its own is left alone",
     "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n"
     " a = f32[4] negate(x)\n b = f32[4] negate(y)\n ROOT t = (f32[4], f32[4]) tuple(a, b)\n}\n",
     "x", "x.0 a.0 t{0}.0"},
    {"broadcast puts it where dimensions say",
     "ENTRY e {\n x = f32[4] parameter(0)\n ROOT b = f32[4,2,4] broadcast(x), dimensions={2}\n}\n",
     "x", "x.0 b.2"},
    {"transpose", "ENTRY e {\n x = f32[4,2,4] parameter(0)\n"
                  " ROOT t = f32[4,4,2] transpose(x), dimensions={2,0,1}\n}\n",
     "x", "x.0 t.1"},
    {"reduce along it keeps it, over it ends it",
     ADD_COMP "ENTRY e {\n x = f32[4,2] parameter(0)\n z = f32[] constant(0)\n"
         " a = f32[4] reduce(x, z), dimensions={1}, to_apply=add\n"
         " b = f32[2] reduce(x, z), dimensions={0}, to_apply=add\n"
         " ROOT t = (f32[4], f32[2]) tuple(a, b)\n}\n",
     "x", "x.0 a.0 t{0}.0"},
    {"dot: free", "ENTRY e {\n x = f32[4,3] parameter(0)\n w = f32[3,4] parameter(1)\n"
                  " ROOT d = f32[4,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
     "x", "x.0 d.0"},
    {"dot: contracting", "ENTRY e {\n x = f32[4,3] parameter(0)\n w = f32[4,5] parameter(1)\n"
                         " ROOT d = f32[3,5] dot(x, w), lhs_contracting_dims={0}, "
                         "rhs_contracting_dims={0}\n}\n",
     "x", "x.0 w.0"},
    {"dot: batch, and what is left of the second",
     "ENTRY e {\n x = f32[4,2,4] parameter(0)\n w = f32[4,4,4] parameter(1)\n"
     " ROOT d = f32[4,2,4] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={1}, "
     "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n}\n",
     "x", "x.0 w.1 d.0"},
    {"a library's product says the same in its config",
     "ENTRY e {\n x = f32[4,3] parameter(0)\n w = f32[3,4] parameter(1)\n"
     " ROOT d = (f32[4,4], s8[64]) custom-call(x, w), custom_call_target=\"__cublas$gemm\", "
     "backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":"
     "{\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"],"
     "\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]}}}\n}\n",
     "x", "x.0 d{0}.0 opaque d"},
    {"reshape merges, and splits again where it was",
     "ENTRY e {\n x = f32[4,2,3] parameter(0)\n r = f32[8,3] reshape(x)\n"
     " s = f32[24] reshape(r)\n ROOT u = f32[2,2,6] reshape(s)\n}\n",
     "x", "x.0 r.0(1,2) s.0(1,6) cut u"},
    {"reshape between others",
     "ENTRY e {\n x = f32[4,2] parameter(0)\n b = f32[3,4,2] broadcast(x), dimensions={1,2}\n"
     " r = f32[24] reshape(b)\n ROOT u = f32[3,1,4,2] reshape(r)\n}\n",
     "x", "x.0 b.1 r.0(3,2) u.2"},
    {"bitcast goes by what lies in memory",
     "ENTRY e {\n x = f32[4,2]{0,1} parameter(0)\n ROOT b = f32[2,4]{1,0} bitcast(x)\n}\n",
     "x", "x.0 b.1"},
    {"a dynamic-slice yields what it does not cut",
     "ENTRY e {\n x = f32[4,4] parameter(0)\n i = s32[] parameter(1)\n"
     " d = f32[1,4] dynamic-slice(x, i, i), dynamic_slice_sizes={1,4}\n"
     " ROOT n = f32[1,4] negate(d)\n}\n",
     "x", "x.0"},
    {"a dynamic-update-slice keeps the array's",
     "ENTRY e {\n x = f32[4,4] parameter(0)\n u = f32[1,4] parameter(1)\n i = s32[] parameter(2)\n"
     " ROOT d = f32[4,4] dynamic-update-slice(x, u, i, i)\n}\n",
     "x", "x.0 d.0"},
    {"a slice to the end is one shorter, and that is a doubt",
     "ENTRY e {\n x = f32[4,2] parameter(0)\n ROOT s = f32[3,2] slice(x), slice={[1:4], [0:2]}\n}\n",
     "x", "x.0 s.0 cut s"},
    {"of a slice that does not reach the end, only the doubt",
     "ENTRY e {\n x = f32[4,2] parameter(0)\n ROOT s = f32[1,2] slice(x), slice={[0:1], [0:2]}\n}\n",
     "x", "x.0 cut s"},
    {"what is joined is as long as all together, and taken back whole",
     "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n a = f32[4] add(x, y)\n"
     " k = f32[2] parameter(2)\n j = f32[10] concatenate(x, y, k), dimensions={0}\n"
     " s = f32[4] slice(j), slice={[4:8]}\n ROOT t = (f32[4], f32[4]) tuple(a, s)\n}\n",
     "x", "x.0 y.0 a.0 j.0(2,1) s.0 t{0}.0 t{1}.0"},
    {"joined along another dimension", "ENTRY e {\n x = f32[4,2] parameter(0)\n y = f32[4,3] parameter(1)\n"
     " ROOT j = f32[4,5] concatenate(x, y), dimensions={1}\n}\n",
     "x", "x.0 y.0 j.0"},
    {"a pad is a doubt", "ENTRY e {\n x = f32[4] parameter(0)\n z = f32[] constant(0)\n"
                         " ROOT p = f32[6] pad(x, z), padding=1_1\n}\n",
     "x", "x.0 p.0 cut p"},
    {"a gather is guessed", "ENTRY e {\n x = s32[4] parameter(0)\n w = f32[9,3] parameter(1)\n"
     " ROOT g = f32[4,3] gather(w, x), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n}\n",
     "x", "x.0 g.0 guessed g"},
    {"a gather with two dimensions of that size is not", "ENTRY e {\n x = s32[4] parameter(0)\n"
     " w = f32[9,4] parameter(1)\n ROOT g = f32[4,4] gather(w, x), offset_dims={1}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n}\n",
     "x", "x.0 guessed g"},
    {"a sort, all of its operands", "c {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
     " d = s32[] parameter(2)\n f = s32[] parameter(3)\n ROOT l = pred[] compare(a, b), direction=LT\n}\n"
     "ENTRY e {\n x = f32[4] parameter(0)\n y = s32[4] parameter(1)\n"
     " ROOT s = (f32[4], s32[4]) sort(x, y), dimensions={0}, to_apply=c\n}\n",
     "y", "x.0 y.0 s{0}.0 s{1}.0"},
    {"through a fusion, inside too",
     "f {\n p = f32[4,2] parameter(0)\n n = f32[4,2] negate(p)\n ROOT r = f32[8] reshape(n)\n}\n"
     "ENTRY e {\n x = f32[4,2] parameter(0)\n ROOT y = f32[8] fusion(x), kind=kLoop, calls=f\n}\n",
     "x", "p.0 n.0 r.0(1,2) x.0 y.0(1,2)"},
    {"from a fusion's inside out",
     "f {\n p = f32[4,2] parameter(0)\n ROOT n = f32[4,2] negate(p)\n}\n"
     "ENTRY e {\n x = f32[4,2] parameter(0)\n y = f32[4,2] fusion(x), kind=kLoop, calls=f\n"
     " ROOT z = f32[4,2] negate(y)\n}\n",
     "n", "p.0 n.0 x.0 y.0 z.0"},
    {"round a loop, by element",
     "b {\n bp = (s32[], f32[4], f32[4]) parameter(0)\n bi = s32[] get-tuple-element(bp), index=0\n"
     " bx = f32[4] get-tuple-element(bp), index=1\n by = f32[4] get-tuple-element(bp), index=2\n"
     " bn = f32[4] negate(bx)\n ROOT bt = (s32[], f32[4], f32[4]) tuple(bi, bn, by)\n}\n"
     "c {\n cp = (s32[], f32[4], f32[4]) parameter(0)\n ci = s32[] get-tuple-element(cp), index=0\n"
     " ROOT cc = pred[] compare(ci, ci), direction=LT\n}\n"
     "ENTRY e {\n i = s32[] constant(0)\n x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n"
     " t = (s32[], f32[4], f32[4]) tuple(i, x, y)\n"
     " ROOT w = (s32[], f32[4], f32[4]) while(t), condition=c, body=b\n}\n",
     "bx", "bp{1}.0 bx.0 bn.0 bt{1}.0 cp{1}.0 x.0 t{1}.0 w{1}.0"},
    {"into branches and out of them",
     "b0 {\n p0 = f32[4] parameter(0)\n ROOT n0 = f32[4] negate(p0)\n}\n"
     "b1 {\n ROOT p1 = f32[4] parameter(0)\n}\n"
     "ENTRY e {\n s = s32[] parameter(0)\n x = f32[4] parameter(1)\n y = f32[4] parameter(2)\n"
     " ROOT c = f32[4] conditional(s, x, y), branch_computations={b0, b1}\n}\n",
     "x", "p0.0 n0.0 p1.0 x.0 y.0 c.0"},
    {"through calls, asynchronous ones and copies",
     "k {\n p = f32[4] parameter(0)\n ROOT n = f32[4] negate(p)\n}\n"
     "ENTRY e {\n x = f32[4] parameter(0)\n s = ((f32[4]), f32[4], u32[]) async-start(x), calls=k\n"
     " d = f32[4] async-done(s)\n c = (f32[4], f32[4], u32[]) copy-start(d)\n"
     " ROOT f = f32[4] copy-done(c)\n}\n",
     "x", "p.0 n.0 x.0 s{0,0}.0 s{1}.0 d.0 c{0}.0 c{1}.0 f.0"},
    {"two lengths in one array are a conflict",
     "ENTRY e {\n x = f32[4,4] parameter(0)\n t = f32[4,4] transpose(x), dimensions={1,0}\n"
     " r = f32[16] reshape(x)\n ROOT d = (f32[4,4], f32[16]) tuple(t, r)\n}\n",
     "x t", "conflict"},
};

static inst_id named(const struct hlo *h, const char *name, size_t len)
{
    for (inst_id i = 0; i < h->insts.n; i++)
        if (strlen(hlo_inst(h, i)->name) == len && memcmp(hlo_inst(h, i)->name, name, len) == 0)
            return i;
    fail_msg("no instruction %s", name);
    return 0;
}

static void put_marks(struct words *w, const struct dims *z)
{
    for (uint32_t pos = 0; pos < z->h->n_positions; pos++) {
        const struct hlo_inst *x = hlo_inst(z->h, z->inst_of[pos]);
        char path[64];
        for (uint32_t d = 0; d < z->node_first[pos + 1] - z->node_first[pos]; d++) {
            struct dim_mark m = dims_at(z, pos, d);
            if (!m.outer)
                continue;
            put(w, "%s%s%s.%u", w->used ? " " : "", x->name,
                pos == x->first_pos ? ""
                                    : shape_path_text(&z->h->shapes, x->shape, pos - x->first_pos, path,
                                                      sizeof path),
                d);
            if (m.outer != 1 || m.inner != 1)
                put(w, "(%lld,%lld)", (long long)m.outer, (long long)m.inner);
        }
    }
    static const char *const doubts[] = {" guessed ", " cut ", " opaque "};
    for (unsigned k = 0; k < DOUBT_KINDS; k++)
        if (z->doubt[k] != HLO_NONE)
            put(w, "%s%s", doubts[k], hlo_inst(z->h, z->doubt[k])->name);
}

static void read_program(struct hlo *h, struct arena *a, const char *text)
{
    struct diag d;
    char line[1200];
    char *whole = arena_printf(a, "HloModule m\n%s", text);
    struct file f = {"x.txt", whole, strlen(whole)};
    hlo_init(h, a, f.name);
    if (!hlo_text_read(h, &f, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void check_case(void **state)
{
    const struct dims_case *c = *state;
    struct arena a = {0};
    struct hlo h;
    struct dims z;
    static struct words w;
    w.used = 0;
    w.text[0] = '\0';
    read_program(&h, &a, c->text);
    dims_init(&z, &h, 4, &a);
    bool ok = true;
    for (const char *s = c->seed; *s;) {
        size_t len = strcspn(s, " ");
        ok &= dims_seed(&z, hlo_inst(&h, named(&h, s, len))->first_pos, 0);
        s += len + (s[len] == ' ');
    }
    if (ok && dims_follow(&z))
        put_marks(&w, &z);
    else
        put(&w, "%s", z.exhausted ? "exhausted" : "conflict");
    assert_string_equal(w.text, c->marks);
    arena_free(&a);
}

static void seeds_only_its_size(void **state)
{
    (void)state;
    struct arena a = {0};
    struct hlo h;
    struct dims z;
    read_program(&h, &a, "ENTRY e {\n x = f32[4,2] parameter(0)\n ROOT n = f32[4,2] negate(x)\n}\n");
    dims_init(&z, &h, 2, &a);
    assert_false(dims_seed(&z, 0, 0));
    assert_false(dims_seed(&z, 0, 2));
    assert_true(dims_seed(&z, 0, 1));
    arena_free(&a);
}

/* ---- How far the length reaches ---- */

static const struct reach_case {
    const char *name, *text;
    enum dims_reach reach;
    const char *at;
} reaches[] = {
    {"filled, and read slot by slot",
     "ENTRY e {\n z = f32[] constant(0)\n x = f32[4,2] broadcast(z), dimensions={}\n"
     " i = s32[] parameter(0)\n ROOT d = f32[1,2] dynamic-slice(x, i, i), dynamic_slice_sizes={1,2}\n}\n",
     REACH_SLOTS, ""},
    {"fills that are joined and cut again",
     "ENTRY e {\n z = f32[] constant(0)\n x = f32[4,2] broadcast(z), dimensions={}\n"
     " y = f32[4] broadcast(z), dimensions={}\n r = f32[8] reshape(x)\n"
     " j = f32[12] concatenate(r, y), dimensions={0}\n ROOT s = f32[8] slice(j), slice={[0:8]}\n}\n",
     REACH_SLOTS, ""},
    {"element by element", "ENTRY e {\n x = f32[4,2] parameter(0)\n ROOT n = f32[4,2] exponential(x)\n}\n",
     REACH_ELEMENTWISE, "n"},
    {"summed up", ADD_COMP "ENTRY e {\n x = f32[4,2] parameter(0)\n z = f32[] constant(0)\n"
                      " n = f32[4,2] negate(x)\n"
                      " ROOT r = f32[2] reduce(n, z), dimensions={0}, to_apply=add\n}\n",
     REACH_REDUCED, "r"},
    {"multiplied", "ENTRY e {\n x = f32[4,3] parameter(0)\n w = f32[3,5] parameter(1)\n"
                   " ROOT d = f32[4,5] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
     REACH_WHOLE, "d"},
    {"inside a fusion", "f {\n p = f32[4] parameter(0)\n ROOT n = f32[4] negate(p)\n}\n"
                        "ENTRY e {\n x = f32[4] parameter(0)\n ROOT y = f32[4] fusion(x), kind=kLoop, "
                        "calls=f\n}\n",
     REACH_ELEMENTWISE, "n"},
};

static void check_reach(void **state)
{
    const struct reach_case *c = *state;
    struct arena a = {0};
    struct hlo h;
    struct dims z;
    inst_id at;
    read_program(&h, &a, c->text);
    dims_init(&z, &h, 4, &a);
    assert_true(dims_seed(&z, hlo_inst(&h, named(&h, "x", 1))->first_pos, 0) && dims_follow(&z));
    assert_int_equal(dims_reach(&z, &at), c->reach);
    assert_string_equal(at == HLO_NONE ? "" : hlo_inst(&h, at)->name, c->at);
    arena_free(&a);
}

static void fills_cross(void **state)
{
    (void)state;
    struct arena a = {0};
    struct hlo h;
    struct dims z;
    read_program(&h, &a, "ENTRY e {\n z = f32[] constant(0)\n x = f32[4,10] broadcast(z), dimensions={}\n"
                         " y = f32[4,3] broadcast(z), dimensions={}\n"
                         " ROOT j = f32[4,13] concatenate(x, y), dimensions={1}\n}\n");
    dims_init(&z, &h, 4, &a);
    assert_true(dims_seed(&z, hlo_inst(&h, named(&h, "x", 1))->first_pos, 0) && dims_follow(&z));
    assert_false(dims_fills_cross(&z, 5, 50));
    assert_true(dims_fills_cross(&z, 6, 50));
    assert_true(dims_fills_cross(&z, 3, 35));
    assert_true(dims_fills_cross(&z, INT64_MAX, 50)); /* more than 64 bits hold */
    assert_false(dims_fills_cross(&z, 400, 5));
    arena_free(&a);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(cases) + COUNT(reaches) + 2];
    size_t n = 0;
    ADD(seeds_only_its_size);
    ADD(fills_cross);
    ADD_TABLE(cases, check_case, name);
    ADD_TABLE(reaches, check_reach, name);
    return _cmocka_run_group_tests("dims", tests, n, NULL, NULL);
}
