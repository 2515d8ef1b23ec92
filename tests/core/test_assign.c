/* The assignment's rules, one small program each: who gets which allocation, and where in it. */
#include "core/analysis/place/assign.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"

struct assign_case {
    const char *name;
    const char *header; /* behind is_scheduled=true */
    const char *before; /* computations before the entry */
    const char *entry;  /* its instructions */
    enum platform platform;
    uint64_t limit;     /* of one heap; 0: none */
    bool no_reuse;
    const char *values; /* whose places are asked for */
    const char *want;   /* "temp+64", "out", "p0", "p0,out", "const", "local" for each, then the
                           sizes of the temporaries */
};

#define CPU PLATFORM_CPU, 0, false
#define GPU PLATFORM_GPU, 0, false
#define X   " x = f32[16]{0} parameter(0)\n"
/* An output too small to serve as anybody's buffer before. */
#define OUT(of) " ROOT r = f32[1]{0} slice(" of "), slice={[0:1]}\n"
#define ADD_COMP                                                                                        \
    "add { a0 = f32[] parameter(0)\n a1 = f32[] parameter(1)\n ROOT s = f32[] add(a0, a1) }\n"
/* Two outputs, each read from one operand without changing the order of elements. */
#define FUSED(body)                                                                                \
    "f { f0 = f32[64,32]{1,0} parameter(0)\n f1 = f32[32,64]{1,0} parameter(1)\n" body             \
    " n = f32[64,32]{1,0} negate(f0)\n"                                                            \
    " ROOT ft = (f32[64,32]{1,0}, f32[64,32]{1,0}) tuple(n, s) }\n"
#define FUSION                                                                                     \
    " x = f32[64,32]{1,0} parameter(0)\n y = f32[32,64]{1,0} parameter(1)\n"                       \
    " a = f32[64,32]{1,0} reverse(x), dimensions={0}\n"                                            \
    " u = (f32[64,32]{1,0}, f32[64,32]{1,0}) fusion(a, y), kind=kInput, calls=f\n"                 \
    " g = f32[64,32]{1,0} get-tuple-element(u), index=0\n"                                         \
    " h = f32[64,32]{1,0} get-tuple-element(u), index=1\n"                                         \
    " v = f32[64,32]{1,0} subtract(g, h)\n"                                                        \
    " ROOT r = f32[1,1]{1,0} slice(v), slice={[0:1],[0:1]}\n"

static const struct assign_case cases[] = {
    {"parameters, constants and outputs have their own", "", "",
     X " c = f32[] constant(1)\n ROOT r = f32[16]{0} negate(x)\n", CPU, "x c r", "p0 const out;"},
    {"an elementwise operation writes over its operand", "", "",
     X " a = f32[16]{0} reverse(x), dimensions={0}\n b = f32[16]{0} abs(a)\n" OUT("b"), CPU,
     "a b r", "temp+0 temp+0 out; 64"},
    {"another does not", "", "",
     X " a = f32[16]{0} abs(x)\n b = f32[16]{0} reverse(a), dimensions={0}\n" OUT("b"), CPU, "a b",
     "temp+0 temp+64; 128"},
    {"nor does a copy", "", "", X " a = f32[16]{0} abs(x)\n b = f32[16]{0} copy(a)\n" OUT("b"),
     CPU, "a b", "temp+0 temp+64; 128"},
    {"nor over an operand that is read later", "", "",
     X " a = f32[16]{0} abs(x)\n b = f32[16]{0} negate(a)\n c = f32[16]{0} add(a, b)\n" OUT("c"),
     CPU, "a b c", "temp+64 temp+0 temp+64; 128"},
    {"of two that die the first operand is taken", "", "",
     X " a = f32[16]{0} abs(x)\n b = f32[16]{0} negate(x)\n c = f32[16]{0} add(b, a)\n" OUT("c"),
     CPU, "a b c", "temp+0 temp+64 temp+64; 128"},
    {"another type is not written over", "", "",
     X " a = f32[16]{0} abs(x)\n b = s32[16]{0} convert(a)\n"
       " ROOT r = s32[1]{0} slice(b), slice={[0:1]}\n",
     CPU, "a b", "temp+0 temp+64; 128"},
    {"places are aligned, ends are not", "", "",
     " x = f32[3]{0} parameter(0)\n a = f32[3]{0} abs(x)\n"
     " b = f32[3]{0} reverse(a), dimensions={0}\n" OUT("b"),
     CPU, "a b", "temp+0 temp+64; 76"},
    {"a donated parameter's buffer is its output's", ", input_output_alias={ {}: (0, {}) }", "",
     X " ROOT r = f32[16]{0} reverse(x), dimensions={0}\n", CPU, "x r", "p0,out p0,out;"},
    {"between them it serves another", ", input_output_alias={ {}: (0, {}) }", "",
     X " a = f32[16]{0} reverse(x), dimensions={0}\n b = f32[16]{0} negate(a)\n"
       " ROOT r = f32[16]{0} abs(b)\n",
     CPU, "x a b r", "p0,out temp+0 p0,out p0,out; 64"},
    {"not one that is read while the output is written", ", input_output_alias={ {}: (0, {}) }",
     "",
     X " a = f32[16]{0} reverse(x), dimensions={0}\n b = f32[16]{0} negate(a)\n"
       " ROOT r = f32[16]{0} reverse(b), dimensions={0}\n",
     CPU, "a b r", "temp+0 temp+0 p0,out; 64"},
    {"not when the compiler reuses nothing", ", input_output_alias={ {}: (0, {}) }", "",
     X " a = f32[16]{0} reverse(x), dimensions={0}\n b = f32[16]{0} negate(a)\n"
       " ROOT r = f32[16]{0} abs(b)\n",
     PLATFORM_TPU, 0, true, "x a b r", "p0,out temp+0 temp+0 p0,out; 64"},
    {"a parameter that is not donated serves nobody", "", "",
     X " a = f32[16]{0} reverse(x), dimensions={0}\n b = f32[16]{0} abs(a)\n" OUT("b"), CPU, "x b",
     "p0 temp+0; 64"},
    {"an output's buffer serves what dies before it", "", "",
     X " a = f32[8]{0} slice(x), slice={[0:8]}\n b = f32[8]{0} reverse(a), dimensions={0}\n"
       " ROOT r = f32[16]{0} concatenate(b, b), dimensions={0}\n",
     CPU, "a b r", "out temp+0 out; 32"},
    {"an update is made in place", "", "",
     X " i = s32[] parameter(1)\n u = f32[1]{0} parameter(2)\n a = f32[16]{0} abs(x)\n"
       " d = f32[16]{0} dynamic-update-slice(a, u, i)\n" OUT("d"),
     CPU, "a d", "temp+0 temp+0; 64"},
    {"a loop's carry is one buffer, what its body computes from it too", "",
     "c { cp = (f32[16]{0}) parameter(0)\n ROOT t = pred[] constant(false) }\n"
     "b { bp = (f32[16]{0}) parameter(0)\n bg = f32[16]{0} get-tuple-element(bp), index=0\n"
     " bn = f32[16]{0} negate(bg)\n ROOT bt = (f32[16]{0}) tuple(bn) }\n",
     X " a = f32[16]{0} abs(x)\n t0 = (f32[16]{0}) tuple(a)\n"
       " w = (f32[16]{0}) while(t0), condition=c, body=b\n"
       " g = f32[16]{0} get-tuple-element(w), index=0\n" OUT("g"),
     CPU, "a w{0} bp{0} t0{} bt{} t", "temp+64 temp+64 temp+64 temp+0 temp+0 const; 128"},
    {"what a reducer computes is thread-local", "", ADD_COMP,
     X " z = f32[] constant(0)\n ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add\n", CPU,
     "a0 s r", "local local out;"},
    {"a tuple's table has a place of its own", "", "",
     X " a = f32[16]{0} abs(x)\n t = (f32[16]{0}, f32[16]{0}) tuple(a, x)\n"
       " ROOT r = f32[1]{0} custom-call(t), custom_call_target=\"k\"\n",
     CPU, "a t{} r", "temp+64 temp+0 out; 128"},
    {"each memory space has a heap", "", "",
     X " a = f32[16]{0} abs(x)\n b = f32[16]{0:S(5)} copy(a)\n c = f32[16]{0:S(5)} copy(b)\n"
       " d = f32[16]{0} copy(c)\n" OUT("d"),
     CPU, "a b c d", "temp+0 temp+0 temp+64 temp+0; 64 128"},
    {"a heap that may not grow is followed by another", "", "",
     X " a = f32[16]{0} abs(x)\n b = f32[16]{0} reverse(a), dimensions={0}\n"
       " c = f32[16]{0} add(a, b)\n" OUT("c"),
     PLATFORM_CPU, 100, false, "a b c", "temp+0 temp+0 temp+0; 64 64"},
    {"GPU: a fusion writes over what it reads in order", "",
     FUSED(" c = f32[64,32]{1,0} bitcast(f1)\n s = f32[64,32]{1,0} add(c, f0)\n"), FUSION, GPU,
     "a u{0} u{1}", "temp+16448 temp+16448 temp+64; 24640"},
    {"GPU: not when another output reads it transposed", "",
     FUSED(" c = f32[64,32]{1,0} transpose(f1), dimensions={1,0}\n"
           " s = f32[64,32]{1,0} add(c, f0)\n"),
     FUSION, GPU, "a u{0} u{1}", "temp+16448 temp+64 temp+8256; 24640"},
    {"GPU: an all-reduce of several goes element by element", "", ADD_COMP,
     X " a = f32[16]{0} abs(x)\n b = f32[16]{0} negate(x)\n"
       " m = (f32[16]{0}, f32[16]{0}) all-reduce(a, b), to_apply=add\n"
       " g = f32[16]{0} get-tuple-element(m), index=1\n"
       " h = f32[16]{0} get-tuple-element(m), index=0\n c = f32[16]{0} subtract(g, h)\n" OUT("c"),
     GPU, "a b m{0} m{1}", "temp+128 temp+0 temp+128 temp+0; 208"},
};

static const char *place_text(const struct assign *as, value_id v, char *out, size_t size)
{
    const struct assigned *a = assign_alloc(as, as->alloc[v]);
    const char *live_out = a->flags & ALLOC_LIVE_OUT ? ",out" : "";
    if (a->flags & ALLOC_PARAMETER)
        snprintf(out, size, "p%d%s", (int)a->parameter, live_out);
    else if (assigned_is_temp(a))
        snprintf(out, size, "temp+%u", (unsigned)as->offset[v]);
    else
        snprintf(out, size, "%s", a->flags & ALLOC_CONSTANT       ? "const"
                                  : a->flags & ALLOC_THREAD_LOCAL ? "local"
                                                                  : "out");
    return out;
}

static value_id value_named(const struct dataflow *f, const char *name)
{
    char text[64];
    for (value_id v = 0; v < f->n; v++)
        if (!f->dead[v] && strcmp(dataflow_name(f, v, text, sizeof text), name) == 0)
            return v;
    fail_msg("no value %s", name);
    return VALUE_NONE;
}

static void describe(const struct assign *as, const struct dataflow *f, const char *values,
                     char *out, size_t size)
{
    char names[128], word[32];
    size_t used = 0;
    snprintf(names, sizeof names, "%s", values);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "",
                                 place_text(as, value_named(f, name), word, sizeof word));
    used += (size_t)snprintf(out + used, size - used, ";");
    for (uint32_t k = 0; k < as->allocs.n; k++)
        if (assigned_is_temp(assign_alloc(as, k)))
            used += (size_t)snprintf(out + used, size - used, " %u",
                                     (unsigned)assign_alloc(as, k)->size);
}

struct loaded {
    struct arena arena;
    struct hlo hlo;
    struct dataflow f;
    struct liveness l;
    struct assign_rules rules;
};

static void load(struct loaded *p, const struct assign_case *c)
{
    struct diag d;
    *p = (struct loaded){0};
    char *text = arena_printf(&p->arena, "HloModule m, is_scheduled=true%s\n\n%sENTRY e {\n%s}\n",
                              c->header, c->before, c->entry);
    struct file file = {"case", text, strlen(text)};
    hlo_init(&p->hlo, &p->arena, file.name);
    bool ok = hlo_text_read(&p->hlo, &file, &d) && dataflow_build(&p->f, &p->hlo, &p->arena, &d) &&
              liveness_build(&p->l, &p->f, (struct live_rules){0}, &p->arena, &d);
    if (!ok)
        fail_msg("%s", d.what);
    uint64_t *size = arena_array(&p->arena, p->f.n, sizeof *size);
    int32_t *color = arena_array(&p->arena, p->f.n, sizeof *color);
    uint32_t *order = arena_array(&p->arena, p->f.n, sizeof *order);
    for (value_id v = 0; v < p->f.n; v++) {
        shape_id shape = hlo_inst(&p->hlo, dataflow_inst(&p->f, v))->shape + dataflow_node(&p->f, v);
        size[v] = shape_bytes(&p->hlo.shapes, shape);
        color[v] = shape_node(&p->hlo.shapes, shape)->memory_space;
        order[v] = v;
    }
    static const struct assign_space spaces[] = {{0, 64, false}, {5, 64, false}};
    p->rules = (struct assign_rules){.platform = c->platform, .size = size, .color = color,
                                     .order = order, .spaces = spaces, .n_spaces = 2,
                                     .heap_limit = c->limit ? c->limit : HEAP_NO_LIMIT,
                                     .no_reuse = c->no_reuse};
}

static void assigns(void **state)
{
    const struct assign_case *c = *state;
    struct loaded p;
    struct assign as;
    char got[256];
    load(&p, c);
    assign_run(&as, &p.f, &p.l, &p.rules, &p.arena);
    describe(&as, &p.f, c->values, got, sizeof got);
    uint64_t temp = 0, bound = 0;
    for (uint32_t k = 0; k < as.allocs.n; k++)
        temp += assigned_is_temp(assign_alloc(&as, k)) ? assign_alloc(&as, k)->size : 0;
    for (int k = 0; k < 2; k++)
        bound += assign_lower_bound(&as, &p.f, &p.l, k ? 5 : 0);
    arena_free(&p.arena);
    assert_string_equal(got, c->want);
    assert_true(bound <= temp);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].name, .test_func = assigns,
                                   .initial_state = (void *)&cases[i]};
    return _cmocka_run_group_tests("assign", tests, COUNT(cases), NULL, NULL);
}
