/* Dataflow: shapes that contradict each other, large programs, and the numbers that XLA gives values. */
#include "core/load/dump/module.h"
#include "tests/support/large_flow.h"
#include "tests/support/tables.h"
#include "tests/support/live_text.h"

struct fault_case {
    const char *name, *text, *want;
};

#define NOT_THE_SHAPE(to, from)                                                                    \
    "tidemark: x.txt: " to " does not have the shape that " from                                   \
    " hands on (the file is damaged or was edited: dump it again)"

static const struct fault_case faults[] = {
    {"a tuple that forwards what it does not hold",
     "ENTRY e {\n x = f32[] parameter(0)\n a = f32[] negate(x)\n"
     " ROOT t = (f32[], (f32[])) tuple(x, a)\n}\n",
     NOT_THE_SHAPE("tuple t", "negate a")},
    {"an element that is not the one taken",
     "ENTRY e {\n x = (f32[], (f32[])) parameter(0)\n"
     " ROOT g = f32[] get-tuple-element(x), index=1\n}\n",
     NOT_THE_SHAPE("get-tuple-element g", "parameter x")},
    {"a bitcast of an array to a tuple",
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT b = (f32[]) bitcast(x)\n}\n",
     NOT_THE_SHAPE("bitcast b", "parameter x")},
    {"a copy of other elements",
     "ENTRY e {\n x = (f32[], f32[]) parameter(0)\n ROOT b = ((f32[])) copy(x)\n}\n",
     NOT_THE_SHAPE("copy b", "parameter x")},
    {"a while of another shape than its start",
     "body {\n ROOT p = (s32[]) parameter(0)\n}\n"
     "cond {\n q = (s32[]) parameter(0)\n ROOT r = pred[] constant(false)\n}\n"
     "ENTRY e {\n x = s32[] parameter(0)\n"
     " ROOT w = (s32[]) while(x), condition=cond, body=body\n}\n",
     NOT_THE_SHAPE("while w", "parameter x")},
    {"a while of another shape than its body's root",
     "body {\n p = (s32[]) parameter(0)\n ROOT n = s32[] constant(0)\n}\n"
     "cond {\n q = (s32[]) parameter(0)\n ROOT r = pred[] constant(false)\n}\n"
     "ENTRY e {\n x = (s32[]) parameter(0)\n"
     " ROOT w = (s32[]) while(x), condition=cond, body=body\n}\n",
     NOT_THE_SHAPE("while w", "constant n")},
    {"a condition that takes something else",
     "body {\n ROOT p = (s32[]) parameter(0)\n}\n"
     "cond {\n q = s32[] parameter(0)\n ROOT r = pred[] constant(false)\n}\n"
     "ENTRY e {\n x = (s32[]) parameter(0)\n"
     " ROOT w = (s32[]) while(x), condition=cond, body=body\n}\n",
     NOT_THE_SHAPE("parameter q", "parameter x")},
    {"a call's operand and its parameter",
     "c {\n p = (f32[]) parameter(0)\n ROOT n = f32[] constant(0)\n}\n"
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT k = f32[] call(x), to_apply=c\n}\n",
     NOT_THE_SHAPE("parameter p", "parameter x")},
    {"a call and what it returns",
     "c {\n p = f32[] parameter(0)\n ROOT n = f32[] negate(p)\n}\n"
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT k = (f32[]) call(x), to_apply=c\n}\n",
     NOT_THE_SHAPE("call k", "negate n")},
    {"a branch's operand and its parameter",
     "c {\n p = (f32[]) parameter(0)\n ROOT n = f32[] constant(0)\n}\n"
     "ENTRY e {\n s = s32[] parameter(0)\n x = f32[] parameter(1)\n"
     " ROOT k = f32[] conditional(s, x), branch_computations={c}\n}\n",
     NOT_THE_SHAPE("parameter p", "parameter x")},
    {"a fusion's operand and its parameter, which it would update in place",
     "fused {\n p = (f32[4], f32[4], f32[4]) parameter(0)\n u = f32[1] parameter(1)\n"
     " i = s32[] parameter(2)\n g = f32[4] get-tuple-element(p), index=2\n"
     " ROOT d = f32[4] dynamic-update-slice(g, u, i)\n}\n"
     "ENTRY e {\n u1 = f32[1] parameter(0)\n i1 = s32[] parameter(1)\n x = f32[4] parameter(2)\n"
     " ROOT f = f32[4] fusion(x, u1, i1), kind=kLoop, calls=fused\n}\n",
     NOT_THE_SHAPE("parameter p", "parameter x")},
    {"an async-start without a place for its operands",
     "c {\n p = f32[] parameter(0)\n ROOT n = f32[] negate(p)\n}\n"
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT s = f32[] async-start(x), calls=c\n}\n",
     NOT_THE_SHAPE("async-start s", "async-start s")},
    {"an async-start without a place for one of them",
     "c {\n p = f32[] parameter(0)\n ROOT n = f32[] negate(p)\n}\n"
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT s = ((), f32[]) async-start(x), calls=c\n}\n",
     NOT_THE_SHAPE("async-start s", "parameter x")},
    {"an async-done of something else than the result",
     "c {\n p = f32[] parameter(0)\n ROOT n = f32[] negate(p)\n}\n"
     "ENTRY e {\n x = f32[] parameter(0)\n s = ((f32[]), f32[]) async-start(x), calls=c\n"
     " ROOT d = (f32[]) async-done(s)\n}\n",
     NOT_THE_SHAPE("async-done d", "async-start s")},
    {"a copy-done of no tuple",
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT d = f32[] copy-done(x)\n}\n",
     NOT_THE_SHAPE("copy-done d", "parameter x")},
    {"a recv-done of no tuple",
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT d = (f32[], token[]) recv-done(x)\n}\n",
     NOT_THE_SHAPE("recv-done d", "parameter x")},
    {"a send without a place for its operand",
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT d = f32[] send(x)\n}\n",
     NOT_THE_SHAPE("send d", "parameter x")},
    {"an all-gather-start without a place for its second operand",
     "ENTRY e {\n x = f32[] parameter(0)\n ROOT d = ((f32[]), f32[]) all-gather-start(x, x)\n}\n",
     NOT_THE_SHAPE("all-gather-start d", "parameter x")},
};

static void fault(void **state)
{
    const struct fault_case *c = *state;
    struct live_text a;
    bool ok = live_text_read(&a, SCHEDULED, c->text, (struct live_rules){0});
    live_text_free(&a);
    assert_false(ok);
    assert_string_equal(a.error, c->want);
}

/* ---- Large programs ---- */

static uint32_t count_sets(const struct live_text *a)
{
    bool *met = calloc(a->flow.n + 1, sizeof *met);
    uint32_t n = 0;
    assert_non_null(met);
    for (value_id v = 0; v < a->flow.n; v++)
        if (a->live.start[v] != STEP_NONE && !met[a->flow.set[v]]) {
            met[a->flow.set[v]] = true;
            n++;
        }
    free(met);
    return n;
}

static void large(void **state)
{
    const struct large_case *c = *state;
    struct live_text a;
    char *text = write_large(c);
    bool ok = live_text_read(&a, SCHEDULED, text, (struct live_rules){0});
    uint32_t sets = ok ? count_sets(&a) : 0;
    free(text);
    live_text_free(&a);
    if (!ok)
        fail_msg("%s", a.error);
    assert_int_equal(sets, c->sets);
}

static void too_much(void **state)
{
    (void)state;
    static const struct large_case square = {
        "", 5000, "b {\n p0 = f32[] parameter(0)\n", " p^ = f32[] bitcast(p$)\n",
        " ROOT r = f32[] negate(p&)\n}\nENTRY e {\n x = f32[] parameter(0)\n",
        " x$ = f32[] negate(x)\n y$ = f32[] call(x$), to_apply=b\n",
        " ROOT z = f32[] negate(y0)\n}\n", 0};
    struct live_text a;
    char *text = write_large(&square);
    bool ok = live_text_read(&a, SCHEDULED, text, (struct live_rules){0});
    free(text);
    live_text_free(&a);
    assert_false(ok);
    assert_non_null(strstr(a.error, "dataflow does not settle at bitcast p"));
    assert_non_null(strstr(a.error, "(too many values meet: "));
}

/* ---- The shipped dumps ---- */

/* The positions of a dump's logical buffers, and their numbers, are ours. */
static uint32_t wrong_ids(const struct module *m, const struct dataflow *f, uint32_t *total)
{
    const struct hlo *h = &m->hlo;
    struct arena arena = {0};
    struct idmap by_id = {0};
    uint32_t wrong = 0;
    for (inst_id i = 0; i < h->insts.n; i++)
        idmap_put(&arena, &by_id, hlo_inst(h, i)->id, i);
    for (uint32_t k = 0; k < m->assignment.values.n; k++, ++*total) {
        const struct dump_value *v = assignment_value(&m->assignment, k);
        inst_id i = idmap_find(&by_id, v->inst);
        uint32_t node = i == STRMAP_NONE
                            ? SHAPE_NONE
                            : shape_path_find(&h->shapes, hlo_inst(h, i)->shape,
                                              assignment_path(&m->assignment, v->path), v->path.n);
        wrong += node == SHAPE_NONE || v->id >= f->n || f->dead[v->id] ||
                 f->def[v->id] != hlo_inst(h, i)->first_pos + node;
    }
    arena_free(&arena);
    return wrong;
}

static void shipped_ids(void **state)
{
    (void)state;
    struct dump d;
    struct diag why;
    uint32_t total = 0;
    assert_true(dump_find(&d, "fixtures/grid", &why));
    assert_true(d.entries.n >= 57);
    for (uint32_t k = 0; k < d.entries.n; k++) {
        struct module m;
        struct dataflow f;
        assert_true(dump_load(&d, k, FORM_PROTO, &m, &why));
        assert_true(dataflow_build(&f, &m.hlo, &m.arena, &why));
        uint32_t before = total, wrong = wrong_ids(&m, &f, &total);
        if (wrong || total == before)
            fail_msg("%s: %u of %u values are others", m.file, wrong, total - before);
        module_free(&m);
    }
    dump_free(&d);
    assert_true(total > 5000);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(faults) + COUNT(larges) + 2];
    size_t n = 0;
    ADD_TABLE(faults, fault, name);
    ADD_TABLE(larges, large, name);
    ADD_AS(too_much, "more values meet than in any program");
    ADD_AS(shipped_ids, "the values of all shipped dumps have XLA's numbers");
    return _cmocka_run_group_tests("dataflow", tests, n, NULL, NULL);
}
