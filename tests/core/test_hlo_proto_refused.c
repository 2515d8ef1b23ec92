/* HloProto: what is refused, with which words, and how deep things may be nested. */
#include "tests/support/proto_words.h"

/* ---- What is refused: bytes ---- */

struct bytes_case {
    const char *name, *bytes;
    size_t n;
    const char *want;
};

#define BYTES(text) text, sizeof text - 1
#define CUT         " (the file is cut short or is no HloProto: dump it again)"
#define HINT        " (the file is damaged: dump it again)"
#define FF10        "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

static const struct bytes_case broken_bytes[] = {
    {"nothing", BYTES(""),
     "tidemark: x.pb:@0: no HLO module in this file (expected an HloProto: "
     "*after_optimizations.hlo.pb)"},
    {"a module that is a number", BYTES("\x08\x01"),
     "tidemark: x.pb:@0: no HLO module in this file (expected an HloProto: "
     "*after_optimizations.hlo.pb)"},
    {"a tag that does not end", BYTES("\x80"),
     "tidemark: x.pb:@0: the file ends inside a field's tag" CUT},
    {"a tag of eleven bytes", BYTES(FF10 "\x01"),
     "tidemark: x.pb:@0: the file ends inside a field's tag" CUT},
    {"field number 0", BYTES("\x02\x00"), "tidemark: x.pb:@0: field number 0 or too large" CUT},
    {"a field number of 30 bits", BYTES("\x80\x80\x80\x80\x10\x00"),
     "tidemark: x.pb:@0: field number 0 or too large" CUT},
    {"wire type 3", BYTES("\x13"), "tidemark: x.pb:@0: unknown wire type" CUT},
    {"wire type 4", BYTES("\x14"), "tidemark: x.pb:@0: unknown wire type" CUT},
    {"wire type 6", BYTES("\x16\x01"), "tidemark: x.pb:@0: unknown wire type" CUT},
    {"wire type 7, behind a good field", BYTES("\x10\x05\x17"),
     "tidemark: x.pb:@2: unknown wire type" CUT},
    {"a text", BYTES("HloModule m"), "tidemark: x.pb:@2: unknown wire type" CUT},
    {"a number of eleven bytes", BYTES("\x10" FF10 "\x01"),
     "tidemark: x.pb:@0: a number does not end" CUT},
    {"a number that is cut", BYTES("\x10\xFF"), "tidemark: x.pb:@0: a number does not end" CUT},
    {"eight bytes that are seven", BYTES("\x11" "1234567"),
     "tidemark: x.pb:@0: the file ends inside a number" CUT},
    {"four bytes that are three", BYTES("\x15" "123"),
     "tidemark: x.pb:@0: the file ends inside a number" CUT},
    {"a length that is cut", BYTES("\x0A\x80"),
     "tidemark: x.pb:@0: the file ends inside a length" CUT},
    {"no length", BYTES("\x0A"), "tidemark: x.pb:@0: the file ends inside a length" CUT},
    {"a length beyond the file", BYTES("\x0A\x05" "ab"),
     "tidemark: x.pb:@0: field 1 wants 5 bytes, but only 2 are left" CUT},
    {"a length of 2^64-1", BYTES("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" "ab"),
     "tidemark: x.pb:@0: field 1 wants 18446744073709551615 bytes, but only 2 are left" CUT},
    {"an empty module", BYTES("\x0A\x00"),
     "tidemark: x.pb:@2: module  has entry computation 0, which is not in it" HINT},
    {"a module that is cut inside", BYTES("\x0A\x02\x0A\x05"),
     "tidemark: x.pb:@2: field 1 wants 5 bytes, but only 0 are left" CUT},
    {"an entry id that is a text names no computation", BYTES("\x0A\x05\x28\x07\x32\x01" "x"),
     "tidemark: x.pb:@2: module  has entry computation 0, which is not in it" HINT},
    {"an empty computation", BYTES("\x0A\x02\x1A\x00"),
     "tidemark: x.pb:@4: computation  has root 0, which is not in it" HINT},
    {"a computation that is cut inside", BYTES("\x0A\x03\x1A\x01\x12"),
     "tidemark: x.pb:@4: the file ends inside a length" CUT},
    {"an empty instruction", BYTES("\x0A\x04\x1A\x02\x12\x00"),
     "tidemark: x.pb:@6: an instruction without a shape" HINT},
};

static void bytes_refused(void **state)
{
    const struct bytes_case *c = *state;
    struct words o;
    assert_false(read_back(c->bytes, c->n, &o));
    assert_string_equal(o.text, c->want);
}

/* ---- What is refused: programs ---- */

struct broken_case {
    const char *name;
    void (*change)(struct spec *s); /* of `small` */
    int mark;                       /* the place in the message, -1: the whole file */
    const char *want;
};

#define CHANGE(name, ...)                                                                          \
    static void name(struct spec *s)                                                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
CHANGE(same_inst, s->inst[4].id = 21)
CHANGE(same_comp, s->comp[1].id = 10; s->entry = 10)
CHANGE(later_operand, s->inst[2].opcode = "negate"; s->inst[2].operands[0] = 22;
       s->inst[2].n_operands = 1)
CHANGE(own_operand, s->inst[4].operands[0] = 23)
CHANGE(foreign_operand, s->inst[4].operands[0] = 12)
CHANGE(no_operand, s->inst[4].operands[0] = 99)
CHANGE(later_call, s->inst[1] = (struct inst){"n", "call", "f32[2]", 12, OPS1(11), CALLS1(20)})
CHANGE(own_call, s->inst[3].calls[0] = 20)
CHANGE(no_call, s->inst[3].calls[0] = 0)
CHANGE(no_root, s->comp[0].root = 0)
CHANGE(foreign_root, s->comp[1].root = 12)
CHANGE(no_entry, s->entry = 0)
CHANGE(no_name, s->inst[3].name = "")
CHANGE(no_opcode, s->inst[3].opcode = "")
CHANGE(no_shape, s->inst[3].shape = NULL)
CHANGE(shape_type, s->shape = "\x1A\x01\x02\x10\x23"; s->shape_n = 5)
CHANGE(shape_none, s->shape = "\x1A\x01\x02"; s->shape_n = 3)
CHANGE(shape_zero, s->shape = "\x10\x00"; s->shape_n = 2)
CHANGE(array_elements, s->shape = "\x10\x0B\x22\x02\x10\x0B"; s->shape_n = 6)
CHANGE(element_number, s->shape = "\x10\x0D\x20\x05"; s->shape_n = 4)
CHANGE(layout_number, s->shape = "\x10\x0B\x28\x05"; s->shape_n = 4)
CHANGE(tile_number, s->shape = "\x10\x0B\x2A\x02\x30\x05"; s->shape_n = 6)
CHANGE(dims_fixed, s->shape = "\x10\x0B\x1D" "abcd"; s->shape_n = 7)
CHANGE(dims_cut, s->shape = "\x10\x0B\x1A\x01\x80"; s->shape_n = 5)
CHANGE(donor, s->has_donor = true; s->donor_param = 1)
CHANGE(hole, s->inst[2].number = 1; s->has_alias = false)
CHANGE(negative_parameter, s->inst[2].number = -1; s->has_alias = false)
CHANGE(twice_parameter, s->inst[3] = (struct inst){"k", "parameter", "f32[2]", 22, NO_OPS})
CHANGE(foreign_order, s->comp[1].order[1] = 11)
CHANGE(unknown_order, s->comp[1].order[1] = 5)
CHANGE(repeated_order, s->comp[1].order[1] = 21)
CHANGE(order_of_none, s->schedule_of = 5)
CHANGE(alias_outside, s->alias_out[0] = 0; s->n_alias_out = 1)
CHANGE(alias_inside, s->n_alias_path = 1)
CHANGE(alias_of_none, s->alias_param = 1)
CHANGE(operand_alias, s->inst[3] = (struct inst){"k", "custom-call", "f32[2]", 22, OPS1(21),
                                                 .aliases = true})
CHANGE(operand_alias_none, s->inst[3] = (struct inst){"k", "custom-call", "(f32[], f32[])", 22,
                                                      .aliases = true})
CHANGE(call_of_none, s->inst[3].n_calls = 0)
CHANGE(call_without, s->inst[3].n_operands = 0)
CHANGE(fusion_without, s->inst[3].opcode = "fusion"; s->inst[3].n_operands = 0)
CHANGE(while_of_one, s->inst[3].opcode = "while")
CHANGE(branch_without, s->inst[3].opcode = "conditional")
CHANGE(gte_outside, s->inst[3] = (struct inst){"k", "get-tuple-element", "f32[2]", 22, OPS1(21)})
CHANGE(tuple_of_two, s->inst[3] = (struct inst){"k", "tuple", "(f32[2])", 22, OPS2(21, 21)})
CHANGE(update_of_one,
       s->inst[3] = (struct inst){"k", "dynamic-update-slice", "f32[2]", 22, OPS1(21)})
CHANGE(scatter_of_two, s->inst[3] = (struct inst){"k", "scatter", "f32[2]", 22, OPS2(21, 21)})
CHANGE(bitcast_of_none, s->inst[3] = (struct inst){"k", "bitcast", "f32[2]", 22, NO_OPS})
CHANGE(done_of_none, s->inst[3] = (struct inst){"k", "async-done", "f32[2]", 22, OPS1(21)})
CHANGE(unknown_buffer, s->alloc[1].assigned[0][0] = 5)
CHANGE(value_size, s->value[1].size = -1)
CHANGE(alloc_size, s->alloc[1].size = INT64_MIN)
CHANGE(place_offset, s->alloc[1].assigned[0][1] = -8)
CHANGE(place_size, s->alloc[1].assigned[0][2] = -8)
CHANGE(same_value, s->value[2].id = 1)

#define BEFORE_IT  ", which does not stand before it in its computation" HINT
#define BEFORE_OWN ", which does not stand before its own" HINT
#define EDITED     " (the file is damaged or was edited: dump it again)"

static const struct broken_case broken[] = {
    {"two instructions of one id", same_inst, AT_INST + 4,
     "instruction r has id 21, which another one has" HINT},
    {"two computations of one id", same_comp, AT_COMP + 1,
     "computation e has id 10, which another one has" HINT},
    {"an operand that comes later", later_operand, AT_INST + 2,
     "instruction x uses instruction 22" BEFORE_IT},
    {"an operand that is itself", own_operand, AT_INST + 4,
     "instruction r uses instruction 23" BEFORE_IT},
    {"an operand of another computation", foreign_operand, AT_INST + 4,
     "instruction r uses instruction 12" BEFORE_IT},
    {"an operand that is none", no_operand, AT_INST + 4,
     "instruction r uses instruction 99" BEFORE_IT},
    {"a call of a later computation: no cycles", later_call, AT_INST + 1,
     "instruction n calls computation 20" BEFORE_OWN},
    {"a call of its own computation", own_call, AT_INST + 3,
     "instruction k calls computation 20" BEFORE_OWN},
    {"a call of none", no_call, AT_INST + 3, "instruction k calls computation 0" BEFORE_OWN},
    {"a computation without a root", no_root, AT_COMP,
     "computation c has root 0, which is not in it" HINT},
    {"a root in another computation", foreign_root, AT_COMP + 1,
     "computation e has root 12, which is not in it" HINT},
    {"a module without an entry", no_entry, AT_MODULE,
     "module jit_f has entry computation 0, which is not in it" HINT},
    {"an instruction without a name", no_name, AT_INST + 3,
     "instruction  (id 22) has no name or no opcode" HINT},
    {"an instruction without an opcode", no_opcode, AT_INST + 3,
     "instruction k (id 22) has no name or no opcode" HINT},
    {"an instruction without a shape", no_shape, AT_INST + 3,
     "an instruction without a shape" HINT},
    {"an element type of the future", shape_type, AT_SHAPE + 1000 * 3, "unknown element type 35"},
    {"no element type", shape_none, AT_SHAPE, "a shape without an element type"},
    {"element type 0", shape_zero, AT_SHAPE, "unknown element type 0"},
    {"an array with elements", array_elements, AT_SHAPE, "a shape that is no tuple has elements"},
    {"an element that is a number", element_number, AT_SHAPE + 1000 * 2,
     "field 4 is a number where a message is expected"},
    {"a layout that is a number", layout_number, AT_SHAPE + 1000 * 2,
     "field 5 is a number where a message is expected"},
    {"a tile that is a number", tile_number, AT_SHAPE + 1000 * 4,
     "field 6 is a number where a message is expected"},
    {"dimensions of four bytes each", dims_fixed, AT_SHAPE + 1000 * 2, "expected integers" CUT},
    {"packed dimensions that are cut", dims_cut, AT_SHAPE + 1000 * 4, "a number does not end" CUT},
    {"a parameter number too large", hole, -1,
     "parameter x: parameter numbers do not run from 0, each once" EDITED},
    {"a parameter number below 0", negative_parameter, -1,
     "parameter x: parameter numbers do not run from 0, each once" EDITED},
    {"a parameter number twice", twice_parameter, -1,
     "parameter k: parameter numbers do not run from 0, each once" EDITED},
    {"a schedule with an instruction of another computation", foreign_order, AT_SEQUENCE + 1,
     "the schedule of e names instruction 11, which is not in it or was named already" HINT},
    {"a schedule with an instruction that is none", unknown_order, AT_SEQUENCE + 1,
     "the schedule of e names instruction 5, which is not in it or was named already" HINT},
    {"a schedule with an instruction twice", repeated_order, AT_SEQUENCE + 1,
     "the schedule of e names instruction 21, which is not in it or was named already" HINT},
    {"a schedule of a computation that is none", order_of_none, AT_SEQUENCE,
     "the schedule names computation 5, which the module lacks" HINT},
    {"an output alias outside the output", alias_outside, AT_ALIAS,
     "an output alias of e names parameter 0 where there is none" HINT},
    {"an output alias outside the parameter", alias_inside, AT_ALIAS,
     "an output alias of e names parameter 0 where there is none" HINT},
    {"an output alias of a parameter that is none", alias_of_none, AT_ALIAS,
     "an output alias of e names parameter 1 where there is none" HINT},
    {"a buffer donor that is none", donor, AT_DONOR,
     "a buffer donor of e names parameter 1 where there is none" HINT},
    {"an operand alias outside the output", operand_alias, AT_INST + 3,
     "instruction k aliases operand 0 where its shapes do not reach" HINT},
    {"an operand alias of an operand that is none", operand_alias_none, AT_INST + 3,
     "instruction k aliases operand 0 where its shapes do not reach" HINT},
    {"a call that calls nothing", call_of_none, -1,
     "call k: expected one called computation with a parameter for each operand" EDITED},
    {"a call without its operand", call_without, -1,
     "call k: expected one called computation with a parameter for each operand" EDITED},
    {"a fusion without its operand", fusion_without, -1,
     "fusion k: expected one fused computation with a parameter for each operand" EDITED},
    {"a while without a condition", while_of_one, -1,
     "while k: expected one operand, a body and a condition of one parameter each" EDITED},
    {"a branch without its operand", branch_without, -1,
     "conditional k: expected a selector and one operand for each branch" EDITED},
    {"an element of an array", gte_outside, -1,
     "get-tuple-element k: its operand has no such element" EDITED},
    {"a tuple of more than its shape has", tuple_of_two, -1,
     "tuple k: its shape does not have one element for each operand" EDITED},
    {"an update without what it updates with", update_of_one, -1,
     "dynamic-update-slice k: expected at least two operands" EDITED},
    {"a scatter without updates", scatter_of_two, -1,
     "scatter k: expected at least three operands" EDITED},
    {"a bitcast of nothing", bitcast_of_none, -1, "bitcast k: expected an operand" EDITED},
    {"an async-done of something else", done_of_none, -1,
     "async-done k: its operand is no async-start or async-update" EDITED},
    {"an allocation with an unknown buffer", unknown_buffer, AT_ALLOC + 1,
     "allocation 1 holds logical buffer 5, which the file lacks"},
    {"a buffer of negative size", value_size, AT_VALUE + 1, "logical buffer 1 has size -1"},
    {"an allocation of negative size", alloc_size, AT_ALLOC + 1,
     "allocation 1 has size -9223372036854775808"},
    {"a buffer at a negative offset", place_offset, AT_ALLOC + 1,
     "allocation 1 holds a buffer at offset -8 of size 8"},
    {"a place of negative size", place_size, AT_ALLOC + 1,
     "allocation 1 holds a buffer at offset 128 of size -8"},
    {"a buffer twice", same_value, AT_VALUE + 2, "logical buffer 1 is there twice"},
};

static void refused(void **state)
{
    const struct broken_case *c = *state;
    struct spec s = small;
    struct words o;
    size_t mark[MARKS] = {0};
    char want[512], place[32] = "";
    c->change(&s);
    bool ok = read_spec(&s, &o, mark);
    if (c->mark >= 0) /* a thousand for each byte behind the mark */
        snprintf(place, sizeof place, ":@%zu", mark[c->mark % 1000] + (size_t)c->mark / 1000);
    snprintf(want, sizeof want, "tidemark: x.pb%s: %s", place, c->want);
    assert_false(ok);
    assert_string_equal(o.text, want);
}

/* What the wire walk lets pass and protobuf-c refuses. */
static void malformed_leaf(void **state)
{
    (void)state;
    static const char head[] = "\x0A\x0E\x1A\x0C\x12\x0A\x1A\x02\x10\x0B\x3A\x04\x12\x05" "ab";
    struct words o;
    assert_false(read_back(head, sizeof head - 1, &o));
    assert_string_equal(o.text, "tidemark: x.pb:@6: a malformed instruction (the file is damaged "
                                "or is no HloProto: dump it again)");
}

static void two_shapes(void **state)
{
    (void)state;
    static const char bytes[] = "\x0A\x0C\x1A\x0A\x12\x08\x1A\x02\x10\x0B\x1A\x02\x10\x0B";
    struct words o;
    assert_false(read_back(bytes, sizeof bytes - 1, &o));
    assert_string_equal(o.text, "tidemark: x.pb:@6: an instruction with two shapes" HINT);
}

/* ---- Depth ---- */

static size_t varint_size(size_t n)
{
    size_t size = 1;
    while (n >>= 7)
        size++;
    return size;
}

/* A tuple in a tuple …, `levels` of them, around an array. */
static void nested(struct pb *p, size_t levels)
{
    size_t *len = malloc((levels + 1) * sizeof *len);
    assert_non_null(len);
    len[0] = 2;
    for (size_t k = 1; k <= levels; k++)
        len[k] = 2 + 1 + varint_size(len[k - 1]) + len[k - 1];
    for (size_t k = levels; k > 0; k--) {
        pb_int(p, 2, TYPE_TUPLE);
        pb_tag(p, 4, 2);
        pb_varint(p, len[k - 1]);
    }
    pb_int(p, 2, TYPE_F32);
    free(len);
}

static void shape_depth(void **state)
{
    (void)state;
    static const size_t levels[] = {SHAPE_DEPTH, SHAPE_DEPTH + 1, 20000, 100000};
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct spec s = small;
        struct pb p = {0};
        struct words o;
        size_t mark[MARKS];
        nested(&p, levels[i]);
        s.inst[3] = (struct inst){"k", "custom-call", NULL, 22, OPS1(21)};
        s.shape = (const char *)p.at;
        s.shape_n = p.n;
        bool ok = read_spec(&s, &o, mark);
        pb_free(&p);
        assert_int_equal(ok, levels[i] == SHAPE_DEPTH);
        bool said = strstr(o.text, "a tuple shape nested deeper than 100 levels") != NULL;
        assert_int_equal(said, !ok);
    }
}

static void call_depth(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        struct pb p = {0};
        struct words *o = malloc(sizeof *o);
        int n = HLO_CALL_DEPTH + deep;
        size_t module = pb_open(&p, 1);
        pb_text(&p, 1, "m");
        for (int c = 0; c <= n; c++) {
            size_t comp = pb_open(&p, 3), inst = pb_open(&p, 2), shape;
            pb_text(&p, 1, "i");
            pb_text(&p, 2, c ? "call" : "constant");
            shape = pb_open(&p, 3);
            pb_int(&p, 2, TYPE_F32);
            pb_close(&p, shape);
            pb_int(&p, 35, c);
            if (c)
                pb_int(&p, 38, c - 1);
            pb_close(&p, inst);
            pb_int(&p, 5, c);
            pb_int(&p, 6, c);
            pb_close(&p, comp);
        }
        pb_int(&p, 6, n);
        pb_close(&p, module);
        struct arena arena = {0};
        struct diag d = {0};
        struct hlo h;
        struct assignment a = {.arena = &arena};
        bool has;
        struct file f = file_of(p.at, p.n);
        hlo_init(&h, &arena, f.name);
        bool ok = hlo_proto_read(&h, &a, &has, &f, &d);
        diag_text(&d, o->text, sizeof o->text);
        bool said = strcmp(o->text, "tidemark: x.pb: call i: computations call each other deeper "
                                    "than 500 levels" EDITED) == 0;
        arena_free(&arena);
        free((char *)f.text);
        free(o);
        pb_free(&p);
        assert_int_equal(ok, !deep);
        assert_int_equal(said, deep);
    }
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(broken_bytes) + COUNT(broken) + 4];
    size_t n = 0;
    ADD_TABLE(broken_bytes, bytes_refused, name);
    ADD_TABLE(broken, refused, name);
    ADD_AS(malformed_leaf, "a malformed instruction");
    ADD_AS(two_shapes, "an instruction with two shapes");
    ADD_AS(shape_depth, "tuples nested as deep as allowed, deeper, and 100,000 deep");
    ADD_AS(call_depth, "calls as deep as allowed, and deeper");
    return _cmocka_run_group_tests("hlo_proto_refused", tests, n, NULL, NULL);
}
