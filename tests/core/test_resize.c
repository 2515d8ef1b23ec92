/* A scan at another length: sizes, trip counts and the numbers that index its stacks, in programs whose
 * every line is known. */
#include "core/analysis/whatif/resize.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

/* Fills f32[4,2] and drains another in reverse: slot 3 - i.  %s: instructions of the body; where the
 * count stands; what the cell of the entry looks like. */
#define SCAN(index, bound, config)                                                                 \
    "HloModule m, is_scheduled=true\n\n"                                                           \
    "b {\n bp = (s32[], f32[4,2], f32[4,2]) parameter(0)\n bi = s32[] get-tuple-element(bp), index=0\n" \
    " bo = f32[4,2] get-tuple-element(bp), index=1\n bx = f32[4,2] get-tuple-element(bp), index=2\n" \
    " one = s32[] constant(1)\n zero = s32[] constant(0)\n" index                                  \
    " s = f32[1,2] dynamic-slice(bx, r, zero), dynamic_slice_sizes={1,2}\n"                         \
    " n = f32[1,2] negate(s)\n u = f32[4,2] dynamic-update-slice(bo, n, bi, zero)\n"                \
    " bn = s32[] add(bi, one)\n ROOT bt = (s32[], f32[4,2], f32[4,2]) tuple(bn, u, bx)\n}\n"        \
    "c {\n cp = (s32[], f32[4,2], f32[4,2]) parameter(0)\n ci = s32[] get-tuple-element(cp), index=0\n" \
    " cn = s32[] constant(" bound ")\n ROOT cc = pred[] compare(ci, cn), direction=LT\n}\n"        \
    "ENTRY e {\n x = f32[4,2] parameter(0)\n y = f32[4] parameter(1)\n i = s32[] constant(0)\n"      \
    " z = f32[] constant(0)\n f = f32[4,2] broadcast(z), dimensions={}\n"                           \
    " t = (s32[], f32[4,2], f32[4,2]) tuple(i, f, x)\n"                                             \
    " w = (s32[], f32[4,2], f32[4,2]) while(t), condition=c, body=b" config "\n"                    \
    " g = f32[4,2] get-tuple-element(w), index=1\n q = f32[4] negate(y)\n"                          \
    " ROOT o = (f32[4,2], f32[4]) tuple(g, q)\n}\n"
#define REVERSED " last = s32[] constant(3)\n r = s32[] subtract(last, bi)\n"
#define COUNTED ", backend_config={\"known_trip_count\":{\"n\":\"4\"}}"

struct opened {
    struct module module;
    struct program program;
    struct arena arena;
};

static void open_text(struct opened *o, const char *text)
{
    struct diag d;
    char line[1200];
    struct file f = {"x.txt", text, strlen(text)};
    *o = (struct opened){.module = {.name = "m", .platform = PLATFORM_CPU, .has_hlo = true}};
    hlo_init(&o->module.hlo, &o->module.arena, f.name);
    if (!hlo_text_read(&o->module.hlo, &f, &d) || !program_build(&o->program, &o->module, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void close_text(struct opened *o)
{
    program_free(&o->program);
    arena_free(&o->module.arena);
    arena_free(&o->arena);
}

static const struct whatif_scan *first_scan(struct opened *o)
{
    struct list scans = whatif_scans(&o->program, &o->arena);
    assert_true(scans.n > 0);
    return scans.items;
}

static const struct hlo_inst *named(const struct hlo *h, const char *name)
{
    for (inst_id i = 0; i < h->insts.n; i++)
        if (strcmp(hlo_inst(h, i)->name, name) == 0)
            return hlo_inst(h, i);
    fail_msg("no instruction %s", name);
    return NULL;
}

static void put_shape(struct words *w, const struct hlo *h, const char *name)
{
    char text[100];
    put(w, "%s%s %s", w->used ? ", " : "", name,
        shape_text(&h->shapes, named(h, name)->shape, false, text, sizeof text));
}

/* ---- What comes out ---- */

static void sizes_follow(void **state)
{
    (void)state;
    struct opened o;
    struct resize r;
    static struct words w;
    static const char *const names[] = {"bp", "s", "u", "f", "t", "w", "g", "o", "x", "y"};
    open_text(&o, SCAN(REVERSED, "4", COUNTED));
    struct hlo out = {.arena = &o.arena};
    assert_true(resize_run(&r, &out, &o.program, first_scan(&o), 7));
    w.used = 0;
    for (size_t k = 0; k < COUNT(names); k++)
        put_shape(&w, &out, names[k]);
    assert_string_equal(w.text, "bp (s32[], f32[7,2], f32[7,2]), s f32[1,2], u f32[7,2], f f32[7,2], "
                                "t (s32[], f32[7,2], f32[7,2]), w (s32[], f32[7,2], f32[7,2]), g f32[7,2], "
                                "o (f32[7,2], f32[4]), x f32[7,2], y f32[4]");
    w.used = 0;
    put_shape(&w, &o.module.hlo, "t"); /* the original is left as it is */
    assert_string_equal(w.text, "t (s32[], f32[4,2], f32[4,2])");
    assert_int_equal(r.n_loops, 1);
    close_text(&o);
}

static const struct number_case {
    const char *name, *text, *constant;
    int64_t seqlen, value;
    bool differ;
} numbers[] = {
    {"the condition's bound", SCAN(REVERSED, "4", ""), "cn", 9, 9, false},
    {"the last slot, in reverse", SCAN(REVERSED, "4", COUNTED), "last", 9, 8, false},
    {"the increment stays", SCAN(REVERSED, "4", COUNTED), "one", 9, 1, false},
    {"a number added to what is negated",
     SCAN(" last = s32[] constant(3)\n m = s32[] negate(bi)\n r = s32[] add(m, last)\n", "4", COUNTED), "last",
     9, 8, false},
    {"the length, where an index wraps",
     SCAN(" len = s32[] constant(4)\n lt = pred[] compare(bi, zero), direction=LT\n"
          " m = s32[] add(bi, len)\n r = s32[] select(lt, m, bi)\n", "4", COUNTED),
     "len", 9, 9, false},
    {"the last slot, where an index is clamped",
     SCAN(" last = s32[] constant(3)\n r = s32[] clamp(zero, bi, last)\n", "4", COUNTED), "last", 9, 8, false},
    {"a number of the same value that does something else stays",
     SCAN(REVERSED " k = s32[] constant(3)\n kk = s32[] multiply(k, k)\n", "4", COUNTED), "k", 9, 3, false},
    {"a number that does both stays, and that is a doubt",
     SCAN(REVERSED " kk = s32[] multiply(last, last)\n", "4", COUNTED), "last", 9, 3, true},
    {"a number that would be there twice is a doubt", SCAN(REVERSED, "4", COUNTED), "last", 2, 1, true},
};

static void check_number(void **state)
{
    const struct number_case *c = *state;
    struct opened o;
    struct resize r;
    open_text(&o, c->text);
    struct hlo out = {.arena = &o.arena};
    assert_true(resize_run(&r, &out, &o.program, first_scan(&o), c->seqlen));
    assert_int_equal(named(&out, c->constant)->scalar, c->value);
    assert_int_equal(r.constants_differ, c->differ);
    close_text(&o);
}

/* The new program's own loops say the new count, and the same stacks. */
static void loops_agree(void **state)
{
    const char *text = *state;
    struct opened o;
    struct module m;
    struct program p;
    struct diag d;
    struct resize r;
    open_text(&o, text);
    struct hlo out = {.arena = &o.arena};
    assert_true(resize_run(&r, &out, &o.program, first_scan(&o), 30));
    m = o.module;
    m.hlo = out;
    assert_true(program_build(&p, &m, &d));
    assert_int_equal(p.loops.n, 1);
    assert_int_equal(p.loops.items[0].trip_count, 30);
    assert_int_equal(p.loops.n_stacks, 2);
    for (uint32_t k = 0; k < 2; k++) {
        const struct loop_stack *s = &p.loops.stacks[k];
        assert_int_equal(s->slots, 30);
        assert_true(s->regular);
        assert_int_equal(s->stride, s->access == ACCESS_FILL ? 1 : -1);
        assert_int_equal(s->first, s->access == ACCESS_FILL ? 0 : 29);
    }
    program_free(&p);
    close_text(&o);
}

/* ---- What cannot be done ---- */

static const struct refusal {
    const char *name, *text;
    int64_t seqlen, slots; /* slots 0: the scan's own */
    const char *why;
} refusals[] = {
    {"a length that no array can have", SCAN(REVERSED, "4", COUNTED), INT64_MAX, 0, "64 bits"},
    {"a length that no counter reaches", SCAN(REVERSED, "4", COUNTED), 3000000000, 0, "32 bits"},
    {"no length", SCAN(REVERSED, "4", COUNTED), 0, 0, "none to XLA"},
    {"two lengths in one array",
     "HloModule m, is_scheduled=true\n\n"
     "b {\n bp = (s32[], f32[4,4]) parameter(0)\n bi = s32[] get-tuple-element(bp), index=0\n"
     " bx = f32[4,4] get-tuple-element(bp), index=1\n one = s32[] constant(1)\n zero = s32[] constant(0)\n"
     " v = f32[1,4] constant({...})\n"
     " u = f32[4,4] dynamic-update-slice(bx, v, bi, zero)\n bn = s32[] add(bi, one)\n"
     " ROOT bt = (s32[], f32[4,4]) tuple(bn, u)\n}\n"
     "c {\n cp = (s32[], f32[4,4]) parameter(0)\n ci = s32[] get-tuple-element(cp), index=0\n"
     " cn = s32[] constant(4)\n ROOT cc = pred[] compare(ci, cn), direction=LT\n}\n"
     "ENTRY e {\n i = s32[] constant(0)\n x = f32[4,4] parameter(0)\n t = (s32[], f32[4,4]) tuple(i, x)\n"
     " w = (s32[], f32[4,4]) while(t), condition=c, body=b\n g = f32[4,4] get-tuple-element(w), index=1\n"
     " h = f32[4,4] transpose(g), dimensions={1,0}\n k = f32[16] reshape(g)\n j = f32[16] reshape(h)\n"
     " ROOT a = f32[16] add(k, j)\n}\n",
     8, 0, "two lengths"},
};

static void check_refusal(void **state)
{
    const struct refusal *c = *state;
    struct opened o;
    struct resize r;
    open_text(&o, c->text);
    struct hlo out = {.arena = &o.arena};
    assert_false(resize_run(&r, &out, &o.program, first_scan(&o), c->seqlen));
    assert_non_null(strstr(r.why, c->why));
    close_text(&o);
}

/* Without an assignment there is nothing to rerun by: said, not guessed. */
static void needs_an_assignment(void **state)
{
    (void)state;
    struct opened o;
    struct whatif w;
    struct diag d;
    struct whatif_ask ask = {.seqlen = 8};
    open_text(&o, SCAN(REVERSED, "4", COUNTED));
    assert_true(whatif_build(&w, &o.program, &ask, &d));
    assert_int_equal(w.method, WHATIF_UNKNOWN);
    assert_non_null(strstr(w.note, "no buffer assignment"));
    whatif_free(&w);
    close_text(&o);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(numbers) + COUNT(refusals) + 4];
    size_t n = 0;
    ADD(sizes_follow);
    ADD(needs_an_assignment);
    tests[n++] = (struct CMUnitTest){"loops agree, counted in the config", loops_agree, NULL, NULL, SCAN(REVERSED, "4", COUNTED)};
    tests[n++] = (struct CMUnitTest){"loops agree, counted by the condition", loops_agree, NULL, NULL, SCAN(REVERSED, "4", "")};
    ADD_TABLE(numbers, check_number, name);
    ADD_TABLE(refusals, check_refusal, name);
    return _cmocka_run_group_tests("resize", tests, n, NULL, NULL);
}
