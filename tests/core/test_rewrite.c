/* Copies of programs, and programs drafted anew, compared line by line with what they were made of. */
#include "core/analysis/flow/liveness.h"
#include "core/analysis/whatif/rewrite.h"
#include "core/load/dump/module.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/words.h"

static const char loop_text[] =
    "HloModule m, is_scheduled=true\n\n"
    "body {\n bp = (s32[], f32[4,2]{1,0}) parameter(0)\n"
    " bi = s32[] get-tuple-element(bp), index=0\n"
    " bs = f32[4,2]{1,0} get-tuple-element(bp), index=1\n"
    " bn = s32[] add(bi, bi)\n"
    " bm = f32[4,2]{1,0} multiply(bs, bs)\n"
    " ROOT bt = (s32[], f32[4,2]{1,0}) tuple(bn, bm)\n}\n"
    "cond {\n cp = (s32[], f32[4,2]{1,0}) parameter(0)\n"
    " ci = s32[] get-tuple-element(cp), index=0\n"
    " ROOT cc = pred[] compare(ci, ci), direction=LT\n}\n"
    "ENTRY e {\n x = f32[4,2]{1,0:T(8,128)S(1)} parameter(0)\n"
    " i = s32[] constant(0)\n"
    " t = (s32[], f32[4,2]{1,0}) tuple(i, x)\n"
    " wh = (s32[], f32[4,2]{1,0}) while(t), condition=cond, body=body\n"
    " g = f32[4,2]{1,0} get-tuple-element(wh), index=1\n"
    " ROOT c = f32[2,4]{0,1} transpose(g), dimensions={1,0}\n}\n";

static void read_text(struct hlo *h, struct arena *a, const char *text)
{
    struct diag d;
    char line[1200];
    struct file f = {"x.txt", arena_text(a, text, strlen(text)), strlen(text)};
    hlo_init(h, a, f.name);
    if (!hlo_text_read(h, &f, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

/* Every computation with its instructions, shapes with layout, in the order of the schedule. */
static void put_program(struct words *w, const struct hlo *h)
{
    for (comp_id c = 0; c < h->comps.n; c++) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        put(w, "%s%s:", c == h->entry ? "entry " : "", comp->name);
        for (uint32_t k = 0; k < comp->order.n; k++) {
            inst_id i = ((const inst_id *)h->order.items)[comp->order.first + k];
            const struct hlo_inst *x = hlo_inst(h, i);
            char text[400], shape[200];
            put(w, " %s%s @%u %s", i == comp->root ? "ROOT " : "",
                hlo_inst_text(h, i, text, sizeof text), i,
                shape_text(&h->shapes, x->shape, true, shape, sizeof shape));
            for (uint32_t j = 0; j < x->calls.n; j++)
                put(w, " calls %s", hlo_comp(h, hlo_call(h, i, j))->name);
            for (uint32_t j = 0; j < x->dims.n; j++)
                put(w, " dim %lld", (long long)hlo_dims(h, i)[j]);
        }
        put(w, "\n");
    }
}

static void copy_says_the_same(void **state)
{
    (void)state;
    struct arena a = {0}, b = {0};
    struct hlo h, copy;
    static struct words before, after;
    before.used = after.used = 0;
    read_text(&h, &a, loop_text);
    hlo_copy(&copy, &h, &b);
    put_program(&before, &h);
    put_program(&after, &copy);
    assert_string_equal(after.text, before.text);
    assert_non_null(strstr(before.text, "{1,0:T(8,128)S(1)}"));
    assert_int_equal(copy.n_positions, h.n_positions);
    arena_free(&b);
    arena_free(&a);
}

static void changed_copy_leaves_the_original(void **state)
{
    (void)state;
    struct arena a = {0}, b = {0};
    struct hlo h, copy;
    static struct words before, after;
    before.used = after.used = 0;
    read_text(&h, &a, loop_text);
    put_program(&before, &h);
    hlo_copy(&copy, &h, &b);
    for (inst_id i = 0; i < copy.insts.n; i++) {
        shape_id shape = hlo_inst(&copy, i)->shape;
        for (uint32_t k = 0; k < shape_node(&copy.shapes, shape)->span; k++)
            if (shape_node(&copy.shapes, shape + k)->dims.n)
                shape_sizes(&copy.shapes, shape + k)[0] += 100 + i;
        hlo_inst(&copy, i)->name = "other";
    }
    for (uint32_t k = 0; k < copy.operands.n; k++)
        ((inst_id *)copy.operands.items)[k] = 0;
    put_program(&after, &h);
    assert_string_equal(after.text, before.text);
    char text[100]; /* every instruction has a shape of its own: none was changed twice */
    const struct hlo_inst *x = hlo_inst(&copy, hlo_comp(&copy, copy.entry)->insts.first);
    snprintf(text, sizeof text, "f32[%u,2]", 104 + hlo_comp(&copy, copy.entry)->insts.first);
    char shape[100];
    assert_string_equal(shape_text(&copy.shapes, x->shape, false, shape, sizeof shape), text);
    arena_free(&b);
    arena_free(&a);
}

static void imported_program_says_the_same(void **state)
{
    (void)state;
    struct arena a = {0}, b = {0};
    struct hlo h, made;
    struct draft d;
    struct diag diag;
    static struct words before, after;
    before.used = after.used = 0;
    read_text(&h, &a, loop_text);
    draft_init(&d, &h, &b);
    block_id entry = draft_import(&d, h.entry);
    assert_int_equal(draft_import(&d, h.entry), entry);
    inst_id *of_node;
    assert_true(draft_finish(&d, &made, entry, &of_node, &diag));
    put_program(&before, &h);
    put_program(&after, &made);
    assert_string_equal(after.text, before.text);
    inst_id *origin = draft_origins(&d, &made, of_node);
    for (inst_id i = 0; i < made.insts.n; i++)
        assert_string_equal(hlo_inst(&made, i)->name, hlo_inst(&h, origin[i])->name);
    for (node_id n = 0; n < d.nodes.n; n++)
        assert_string_equal(hlo_inst(&made, of_node[n])->name, draft_node(&d, n)->row.name);
    arena_free(&b);
    arena_free(&a);
}

/* The shipped example, imported whole: as long, and as many bytes alive as the original's. */
static void imported_example_lives_the_same(void **state)
{
    (void)state;
    struct dump dump;
    struct module m;
    struct arena a = {0};
    struct hlo made;
    struct draft d;
    struct diag diag;
    struct dataflow flow[2];
    struct liveness live[2];
    struct live_rules rules = {0};
    assert_true(dump_find(&dump, "fixtures/grid/a100-d1048576-s4-u1", &diag));
    assert_true(dump_load(&dump, 0, FORM_PROTO, &m, &diag));
    draft_init(&d, &m.hlo, &a);
    assert_true(draft_finish(&d, &made, draft_import(&d, m.hlo.entry), NULL, &diag));
    const struct hlo *both[2] = {&m.hlo, &made};
    for (int k = 0; k < 2; k++) {
        assert_true(dataflow_build(&flow[k], both[k], &a, &diag));
        assert_true(liveness_build(&live[k], &flow[k], rules, &a, &diag));
    }
    assert_int_equal(live[0].length, live[1].length);
    for (uint32_t s = 0; s < live[0].length; s++) {
        uint64_t born[2] = {0}, dead[2] = {0};
        for (int k = 0; k < 2; k++)
            for (value_id v = 0; v < flow[k].n; v++) {
                const struct hlo_inst *x = hlo_inst(both[k], dataflow_inst(&flow[k], v));
                uint64_t bytes = shape_bytes(&both[k]->shapes, x->shape + dataflow_node(&flow[k], v));
                born[k] += live[k].start[v] == s && !flow[k].dead[v] ? bytes : 0;
                dead[k] += live[k].end[v] == s && !flow[k].dead[v] ? bytes : 0;
            }
        assert_true(born[0] == born[1] && dead[0] == dead[1]);
        assert_string_equal(hlo_inst(both[0], live[0].at[s])->name,
                            hlo_inst(both[1], live[1].at[s])->name);
    }
    arena_free(&a);
    module_free(&m);
    dump_free(&dump);
}

/* ---- Drafts made by hand ---- */

static void draft_drops_what_nobody_needs(void **state)
{
    (void)state;
    struct arena a = {0};
    struct hlo h, made;
    struct draft d;
    struct diag diag;
    static struct words w;
    w.used = 0;
    read_text(&h, &a, loop_text);
    inst_id x = hlo_comp(&h, h.entry)->insts.first;
    draft_init(&d, &h, &a);
    block_id e = draft_add_block(&d, "entry", true);
    node_id p = draft_add_like(&d, e, x, SHAPE_NONE);
    shape_id wide = shape_copy_resized(&d.shapes, &h.shapes, hlo_inst(&h, x)->shape, 0, 1, 7);
    node_id unused = draft_add(&d, e, "negate", "unused", -1, wide);
    draft_operand(&d, unused, p);
    node_id both[2] = {draft_add(&d, e, "abs", "used", -1, wide), p};
    draft_operand(&d, both[0], p);
    node_id t = draft_tuple(&d, e, both, 2);
    node_id g = draft_get(&d, t, 0);
    draft_root(&d, e, g);
    inst_id *of_node;
    assert_true(draft_finish(&d, &made, e, &of_node, &diag));
    put_program(&w, &made);
    assert_int_equal(of_node[unused], HLO_NONE);
    assert_string_equal(
        w.text, "entry entry: %x = f32[4,2] parameter(0) @0 f32[4,2]{1,0:T(8,128)S(1)}"
                " %used = f32[4,7] abs(%x) @1 f32[4,7]{1,0:T(8,128)S(1)}"
                " %tuple.3 = (f32[4,7], f32[4,2]) tuple(%used, %x) @2"
                " (f32[4,7]{1,0:T(8,128)S(1)}, f32[4,2]{1,0:T(8,128)S(1)})"
                " ROOT %tuple.3.0 = f32[4,7] get-tuple-element(%tuple.3), index=0 @3"
                " f32[4,7]{1,0:T(8,128)S(1)}\n");
    assert_int_equal(shape_copy_resized(&d.shapes, &d.shapes, wide, 0, 2, 7), SHAPE_NONE);
    assert_int_equal(shape_copy_resized(&d.shapes, &d.shapes, wide, 1, 0, 7), SHAPE_NONE);
    arena_free(&a);
}

static void refuses(void **state)
{
    const char *what = *state;
    struct arena a = {0};
    struct hlo h, made;
    struct draft d;
    struct diag diag;
    read_text(&h, &a, loop_text);
    inst_id x = hlo_comp(&h, h.entry)->insts.first;
    draft_init(&d, &h, &a);
    block_id e = draft_add_block(&d, "entry", true), other = draft_add_block(&d, "other", true);
    node_id p = draft_add_like(&d, e, x, SHAPE_NONE);
    node_id q = draft_add_like(&d, other, x, SHAPE_NONE);
    node_id n = draft_add(&d, e, "call", "n", -1, draft_node(&d, p)->row.shape);
    draft_operand(&d, n, strcmp(what, "another block") == 0 ? q : p);
    draft_call(&d, n, strcmp(what, "calls itself") == 0 ? e : other);
    if (strcmp(what, "operand behind") == 0) {
        node_id late = draft_add(&d, e, "abs", "late", -1, draft_node(&d, p)->row.shape);
        ((node_id *)draft_node(&d, n)->operands.items)[0] = late;
    }
    draft_root(&d, other, q);
    if (strcmp(what, "no root") != 0)
        draft_root(&d, e, n);
    assert_false(draft_finish(&d, &made, e, NULL, &diag));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_says_the_same),
        cmocka_unit_test(changed_copy_leaves_the_original),
        cmocka_unit_test(imported_program_says_the_same),
        cmocka_unit_test(imported_example_lives_the_same),
        cmocka_unit_test(draft_drops_what_nobody_needs),
        {"an operand of another computation is refused", refuses, NULL, NULL, "another block"},
        {"an operand behind its user is refused", refuses, NULL, NULL, "operand behind"},
        {"a computation that calls itself is refused", refuses, NULL, NULL, "calls itself"},
        {"a computation without a root is refused", refuses, NULL, NULL, "no root"},
    };
    return cmocka_run_group_tests_name("rewrite", tests, NULL, NULL);
}
