/* HLO text: what is refused and with which words, and how long and deep it may be. */
#include "tests/support/hlo_text_case.h"
#include "tests/support/large_text.h"

#define CUT " (it was cut off while it was written or copied: dump it again)"

static const struct text_case faults[] = {
    {"no HLO text", "hello\n",
     "tidemark: x.txt:1:1: no HLO text: it does not start with \"HloModule \" (XLA writes it to "
     "*after_optimizations.txt under --xla_dump_to)"},
    {"empty", "",
     "tidemark: x.txt:1:1: no HLO text: it does not start with \"HloModule \" (XLA writes it to "
     "*after_optimizations.txt under --xla_dump_to)"},
    {"no module name", "HloModule \n",
     "tidemark: x.txt:1:11: expected the name of the module, found the end of the line"},
    {"header alone", "HloModule m\n\n",
     "tidemark: x.txt:3:1: the file ends where the ENTRY computation should stand" CUT},
    {"no entry", "HloModule m\n" ADD_COMP,
     "tidemark: x.txt:7:1: the file ends where the ENTRY computation should stand" CUT},
    {"two entries", "HloModule m\nENTRY a {\n ROOT p = f32[] parameter(0)\n}\nENTRY b {\n",
     "tidemark: x.txt:5:1: a second ENTRY computation: the first is a"},
    {"no root", ONE(""), "tidemark: x.txt:6:1: computation e ends without a ROOT instruction"},
    {"two roots", ONE("  ROOT a = f32[2]{0} abs(p)\n  ROOT b = f32[2]{0} abs(p)"),
     "tidemark: x.txt:6:3: a second ROOT in computation e: the first is a"},
    {"an unknown operand", ONE("  ROOT n = f32[2]{0} add(p, %q.1)"),
     "tidemark: x.txt:5:29: operand q.1 of n is not defined before it in computation e"},
    {"an operand of itself", ONE("  ROOT n = f32[2]{0} negate(n)"),
     "tidemark: x.txt:5:29: operand n of n is not defined before it in computation e"},
    {"an operand of another computation",
     "HloModule m\n" ADD_COMP "ENTRY e {\n ROOT n = f32[] negate(s)\n}\n",
     "tidemark: x.txt:8:24: operand s of n is not defined before it in computation e"},
    {"an element past the last one", PAIR("  ROOT n = f32[2]{0} add(%t#1, %t#2)"),
     "tidemark: x.txt:5:32: operand t of n has no element 2"},
    {"an element before the first one", PAIR("  ROOT n = f32[2]{0} negate(%t#-1)"),
     "tidemark: x.txt:5:29: operand t of n has no element -1"},
    {"an element of what is no tuple", PAIR("  ROOT n = f32[2]{0} negate(%t#1#0)"),
     "tidemark: x.txt:5:29: operand t#1 of n has no element 0"},
    {"an element past 64 bits", PAIR("  ROOT n = f32[2]{0} negate(%t#99999999999999999999)"),
     "tidemark: x.txt:5:32: 99999999999999999999 does not fit into 64 bits: expected the index of "
     "a tuple's element"},
    {"an element past 32 bits", PAIR("  ROOT n = f32[2]{0} negate(%t#4294967296)"),
     "tidemark: x.txt:5:29: operand t of n has no element 4294967296"},
    {"an element without its index", PAIR("  ROOT n = f32[2]{0} negate(%t#)"),
     "tidemark: x.txt:5:32: expected the index of a tuple's element, found \")\""},
    {"an element at the end",
     "HloModule m\nENTRY e {\n t = (f32[]) parameter(0)\n n = f32[] abs(t#",
     "tidemark: x.txt:4:18: the file ends where the index of a tuple's element should stand" CUT},
    {"an element of what is not there", PAIR("  ROOT n = f32[2]{0} negate(%v#0)"),
     "tidemark: x.txt:5:29: operand v of n is not defined before it in computation e"},
    {"an element of itself", PAIR("  ROOT n = (f32[]) tuple(%n#0)"),
     "tidemark: x.txt:5:26: operand n of n is not defined before it in computation e"},
    {"an element as an instruction", PAIR("  ROOT %n#0 = f32[] negate(%t#0)"),
     "tidemark: x.txt:5:10: expected '=' behind an instruction's name, found \"#\""},
    {"a slice without its end", ONE("  ROOT s = f32[1]{0} slice(p), slice={[0]}"),
     "tidemark: x.txt:5:41: expected ':' behind where a range starts, found \"]\""},
    {"a donor that is not there",
     "HloModule m, buffer_donor={ (1, {}) }\nENTRY e {\n ROOT p = f32[] parameter(0)\n}\n",
     "tidemark: x.txt:1:30: parameter 1 is a buffer donor, but the entry computation has 1"},
    {"an unknown computation", ONE("  ROOT n = f32[2]{0} call(p), to_apply=%f"),
     "tidemark: x.txt:5:40: computation f, called by n, is not defined before it"},
    {"a computation that calls itself",
     "HloModule m\nf {\n p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=f\n}\n",
     "tidemark: x.txt:4:35: computation f, called by c, is not defined before it"},
    {"two bodies",
     "HloModule m\n" ADD_COMP "ENTRY e {\n i = (s32[]) parameter(0)\n"
     " ROOT w = (s32[]) while(i), body=add, body=add\n}\n",
     "tidemark: x.txt:9:44: w is given this computation twice"},
    {"a name twice", ONE("  p = f32[2]{0} parameter(1)"),
     "tidemark: x.txt:5:3: instruction p is defined twice in computation e"},
    {"a computation twice", "HloModule m\n" ADD_COMP ADD_COMP,
     "tidemark: x.txt:7:1: computation add is defined twice"},
    {"an unknown type", ONE("  ROOT n = f33[2]{0} negate(p)"),
     "tidemark: x.txt:5:12: expected a shape such as f32[2,3] here"},
    {"a dimension past 64 bits", ONE("  n = f32[2,9223372036854775808]{0} negate(p)"),
     "tidemark: x.txt:5:13: this number does not fit into 64 bits"},
    {"an open tuple", ONE("  n = (f32[2]{0}, f32[2] negate(p)"),
     "tidemark: x.txt:5:26: expected ',' or ')' in a tuple's shape"},
    {"a layout item that is none", ONE("  n = f32[2]{0:x} negate(p)"),
     "tidemark: x.txt:5:16: expected '}' or a layout item such as T(8,128) or S(1)"},
    {"no opcode", ONE("  n = f32[2]{0} (p)"),
     "tidemark: x.txt:5:17: expected an opcode, found \"(\""},
    {"no operands", ONE("  n = f32[2]{0} negate"),
     "tidemark: x.txt:5:23: expected '(' behind the opcode, found the end of the line"},
    {"an open list of operands", ONE("  n = f32[2]{0} negate(p, metadata={}"),
     "tidemark: x.txt:5:27: operand metadata of n is not defined before it in computation e"},
    {"words behind an instruction", ONE("  n = f32[2]{0} negate(p) x"),
     "tidemark: x.txt:5:27: expected ',' or the end of the line, found \"x\""},
    {"an attribute without a value", ONE("  n = f32[2]{0} negate(p), x"),
     "tidemark: x.txt:5:29: expected '=' behind an attribute's name, found the end of the line"},
    {"a bracket that is never closed", ONE("  n = f32[2]{0} negate(p), x={(}"),
     "tidemark: x.txt:5:31: the '(' that stands here is closed by a '}'"},
    {"a literal that is never closed", ONE("  n = f32[2]{0} constant({1, 2)"),
     "tidemark: x.txt:5:26: the '{' that stands here is closed by a ')'"},
    {"a bracket at the end", "HloModule m, x={(",
     "tidemark: x.txt:1:17: the '(' that stands here is never closed" CUT},
    {"a string that is never closed", ONE("  n = f32[2]{0} negate(p), metadata={op_name=\"a}"),
     "tidemark: x.txt:5:46: the string that starts here is never closed"},
    {"a comment that is never closed", ONE("  n = f32[2]{0} negate(p), x={/*}"),
     "tidemark: x.txt:5:31: the comment that starts here is never closed"},
    {"a line number out of range",
     ONE("  n = f32[2]{0} negate(p), metadata={source_line=4294967295}"),
     "tidemark: x.txt:5:50: 4294967295 is out of range: expected a line number"},
    {"a number past 64 bits", ONE("  n = f32[2]{0} parameter(99999999999999999999)"),
     "tidemark: x.txt:5:27: 99999999999999999999 does not fit into 64 bits: expected the number of "
     "a parameter"},
    {"parameter numbers with a hole", ONE("  ROOT n = f32[2]{0} parameter(2)"),
     "tidemark: x.txt:5: parameter n: parameter numbers do not run from 0, each once (the file is "
     "damaged or was edited: dump it again)"},
    {"an alias of an operand that is none",
     ONE("  n = f32[2]{0} custom-call(p), output_to_operand_aliasing={{}: (1, {})}"),
     "tidemark: x.txt:5:66: operand 1 is aliased, but n has 1"},
    {"an alias of an output that is none",
     ONE("  n = f32[2]{0} custom-call(p), output_to_operand_aliasing={{0}: (0, {})}"),
     "tidemark: x.txt:5:61: the shape has no element 0 that this index names"},
    {"input_output_alias of a parameter that is none",
     "HloModule m, input_output_alias={ {}: (1, {}, may-alias) }\nENTRY e {\n"
     " ROOT p = f32[] parameter(0)\n}\n",
     "tidemark: x.txt:1:40: parameter 1 is aliased, but the entry computation has 1"},
    {"rows of a table out of order", "HloModule m\nFileNames\n1 \"a\"\n3 \"b\"\n",
     "tidemark: x.txt:4:1: row 3 of FileNames stands where row 2 was expected"},
    {"a location of a file that is none",
     "HloModule m\nFileNames\n1 \"a\"\nFileLocations\n1 {file_name_id=2 line=1}\n",
     "tidemark: x.txt:5:3: file name 2 is named, but there are 1"},
    {"a stack frame whose parent comes later",
     "HloModule m\nStackFrames\n1 {file_location_id=0 parent_frame_id=1}\n"
     "2 {file_location_id=0 parent_frame_id=3}\n",
     "tidemark: x.txt:4:3: stack frame 2 has parent 3, which does not stand before it"},
    {"a short form of asynchronous instructions", ONE("  n = f32[2]{0} slice-start(p)"),
     "tidemark: x.txt:5:17: slice-start is short for an async-start or async-done whose "
     "computation "
     "is not here (read the .hlo.pb, or dump with --xla_syntax_sugar_async_ops=false)"},
    {"bytes that steer terminals", ONE("  n = f32[2]{0} \033[1mnegate(p)"),
     "tidemark: x.txt:5:17: expected an opcode, found \"\\x1B\""},
};

static void nul_byte(void **state)
{
    (void)state;
    struct words o;
    static const char text[] = "HloModule m\n\nENTRY\0e {";
    assert_false(read_text(text, sizeof text - 1, &o));
    assert_string_equal(o.text, "tidemark: x.txt:3:6: a NUL byte stands in the text (the file is "
                                "damaged: dump it again)");
}

static void depth(void **state)
{
    (void)state;
    struct words o;
    char *tail = repeated("f32[]", ")", SHAPE_DEPTH, " parameter(0)\n}\n");
    char *text = repeated("HloModule m\nENTRY e {\nROOT p = ", "(", SHAPE_DEPTH, tail);
    char *deeper = repeated("HloModule m\nENTRY e {\nROOT p = ", "(", SHAPE_DEPTH + 100000, "");
    bool deep = read_text(text, strlen(text), &o);
    bool too_deep = read_text(deeper, strlen(deeper), &o);
    free(tail);
    free(text);
    free(deeper);
    assert_true(deep);
    assert_false(too_deep);
    assert_string_equal(o.text,
                        "tidemark: x.txt:3:110: tuples are nested deeper than 100 levels here");
}

static void long_line(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    char *text = large_line(LARGE_LINE);
    struct file f = {"x.txt", text, strlen(text)};
    hlo_init(&h, &arena, f.name);
    bool ok = hlo_text_read(&h, &f, &d) && h.io_alias.n == LARGE_LINE &&
              hlo_inst(&h, hlo_comp(&h, 0)->root)->operands.n == LARGE_LINE;
    arena_free(&arena);
    free(text);
    assert_true(ok);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(faults) + 3];
    size_t n = 0;
    ADD_TABLE(faults, reads_as, name);
    ADD_AS(nul_byte, "a NUL byte");
    ADD_AS(depth, "tuples nested as deep as allowed, and deeper");
    ADD_AS(long_line, LARGE_LINE_NAME);
    return _cmocka_run_group_tests("hlo_text_refused", tests, n, NULL, NULL);
}
