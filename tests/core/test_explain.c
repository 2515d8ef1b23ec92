/* Explanations: why a life ends, reason by reason, in programs made by hand; sums that are exact at
 * every step of the shipped dumps; pages that fit the screen. */
#include "core/analysis/explain/explain.h"
#include "core/analysis/explain/explain_build.h"
#include "core/analysis/explain/explain_roles.h"
#include "core/analysis/program/roles.h"
#include "core/load/text/hlo_text.h"
#include "core/output/report/page_text.h"
#include "tests/support/async_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

#include <dirent.h>

/* ---- Programs from text ---- */

struct made {
    struct module m;
    struct program p;
    char *text;
};

static void make(struct made *t, const char *header, const char *body)
{
    struct diag d = {0};
    char line[1200];
    size_t size = strlen(header) + strlen(body);
    *t = (struct made){.text = malloc(size + 1)};
    assert_non_null(t->text);
    sprintf(t->text, "%s%s", header, body);
    struct file f = {"x.txt", t->text, size};
    hlo_init(&t->m.hlo, &t->m.arena, f.name);
    t->m.has_hlo = true;
    t->m.name = "m";
    if (!hlo_text_read(&t->m.hlo, &f, &d) || !program_build(&t->p, &t->m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void unmake(struct made *t)
{
    program_free(&t->p);
    arena_free(&t->m.arena);
    free(t->text);
}

static buf_id buffer_named(const struct program *p, const char *name)
{
    for (buf_id b = 0; b < p->n; b++)
        if (strcmp(p->name_of[b], name) == 0)
            return b;
    fail_msg("there is no buffer %s", name);
    return BUF_NONE;
}

/* "label: words\n" of the lines with one of these labels. */
static void put_lines(struct words *w, const struct page *page, const char *labels)
{
    for (uint32_t k = 0; k < page->lines.n; k++) {
        const struct line *l = (const struct line *)page->lines.items + k;
        if (l->label && *l->label && strstr(labels, l->label))
            put(w, "%s: %s\n", l->label, l->words);
    }
}

/* ---- Why a life ends ---- */

#define SCHEDULED "HloModule m, is_scheduled=true\n\n"
#define DONATED(alias) "HloModule m, is_scheduled=true, input_output_alias={ " alias " }\n\n"
#define DONOR(donor) "HloModule m, is_scheduled=true, buffer_donor={ " donor " }\n\n"

/* One carry is a number, one changes (x), one stays and is read (w), one stays and is not (v). */
#define LOOP_WHILE(order)                                                                          \
    "body {\n bp = (s32[], f32[2], f32[2], f32[2]) parameter(0)\n"            /* 9 */              \
    " bi = s32[] get-tuple-element(bp), index=0\n"                            /* 10 */             \
    " ba = f32[2] get-tuple-element(bp), index=1\n"                           /* 11 */             \
    " bw = f32[2] get-tuple-element(bp), index=2\n"                           /* 12 */             \
    " bv = f32[2] get-tuple-element(bp), index=3\n"                           /* 13 */             \
    " bn = s32[] add(bi, bi)\n"                                               /* 14 */             \
    " bm = f32[2] multiply(ba, bw)\n"                                         /* 15 */             \
    " ROOT bt = (s32[], f32[2], f32[2], f32[2]) tuple(bn, bm, bw, bv)\n}\n"   /* 16 */             \
    "cond {\n cp = (s32[], f32[2], f32[2], f32[2]) parameter(0)\n"            /* 6 */              \
    " ci = s32[] get-tuple-element(cp), index=0\n"                            /* 7 */              \
    " ROOT cc = pred[] compare(ci, ci), direction=" order "\n}\n"             /* 8 */              \
    "ENTRY e {\n x = f32[2] parameter(0)\n"                                   /* 0 */              \
    " w = f32[2] negate(x)\n"                                                 /* 1 */              \
    " v = f32[2] negate(x)\n"                                                 /* 2 */              \
    " y = f32[2] negate(x)\n"                                                 /* 3 */              \
    " i = s32[] constant(0)\n"                                                /* 4 */              \
    " t = (s32[], f32[2], f32[2], f32[2]) tuple(i, y, w, v)\n"                /* 5 */              \
    " wh = (s32[], f32[2], f32[2], f32[2]) while(t), condition=cond, body=body\n" /* 17 */         \
    " g = f32[2] get-tuple-element(wh), index=1\n"                            /* 18 */             \
    " ROOT c = f32[2] negate(g)\n}\n"                                         /* 19 */

#define LOOP LOOP_WHILE("LE") /* without an end */

#define CHAIN                                                                                      \
    "ENTRY e {\n x = f32[4] parameter(0)\n"  /* 0 */                                               \
    " a = f32[4] negate(x)\n"                /* 1 */                                               \
    " b = f32[4] negate(a)\n"                /* 2 */                                               \
    " s = f32[2,2] bitcast(a)\n"             /* 3 */                                               \
    " d = f32[2,2] negate(s)\n"              /* 4 */                                               \
    " e = f32[4] negate(b)\n"                /* 5 */                                               \
    " n = f32[4] negate(e)\n"                /* 6 */                                               \
    " ROOT r = (f32[2,2], f32[4]) tuple(d, e)\n}\n" /* 7 */

#define CALL                                                                                       \
    "callee {\n kp = f32[2] parameter(0)\n"   /* 2 */                                              \
    " kn = f32[2] negate(kp)\n"               /* 3 */                                              \
    " ROOT km = f32[2] negate(kn)\n}\n"       /* 4 */                                              \
    "ENTRY e {\n x = f32[2] parameter(0)\n"   /* 0 */                                              \
    " a = f32[2] negate(x)\n"                 /* 1 */                                              \
    " k = f32[2] call(a), to_apply=callee\n"  /* 5 */                                              \
    " ROOT r = f32[2] negate(k)\n}\n"         /* 6 */

static const struct why_case {
    const char *name, *header, *text, *buffer, *page;
} whys[] = {
    {"two readers, the last through a bitcast", SCHEDULED, CHAIN, "a",
     "defined by: a = negate, step 1\nread by: step 2: b\nlast use: step 4: d, through s\n"
     "earlier: without d it could end at step 2 (b)\n"},
    {"one reader", SCHEDULED, CHAIN, "b",
     "defined by: b = negate, step 2\nlast use: step 5: e\n"
     "earlier: e is its only reader: were that sooner, it would end sooner\n"},
    {"read last where it is still in the output", SCHEDULED, CHAIN, "e",
     "defined by: e = negate, step 5\nlast use: step 6: n\n"
     "until: the end of the program: the program returns it\n"},
    {"nothing reads it", SCHEDULED, CHAIN, "n",
     "defined by: n = negate, step 6\n"
     "until: step 6: nothing reads it, but its maker must have a place to write to\n"},
    {"a parameter that is not donated, and could be", SCHEDULED, CHAIN, "x",
     "defined by: the caller: parameter 0 of the program, step 0\nlast use: step 1: a\n"
     "until: the end of the program: a parameter that no output takes over stays the caller's: it is "
     "held to the end\n"
     "earlier: donate it (donate_argnums): it is read last at step 1, and output {0} has its size\n"},
    {"a loop takes in what it changes", SCHEDULED, LOOP, "y",
     "defined by: y = negate, step 3\nlast use: step 6: wh takes it into its carry; from there on it is "
     "cp{1}, in the same place\n"},
    {"a carry is handed from the condition to the body", SCHEDULED, LOOP, "cp{1}",
     "defined by: wh, which hands it to its condition in each iteration: element {1} of its carry, "
     "step 6\nuntil: step 9: from there on its place holds bp{1}, the next value of its alias set\n"},
    {"a carry is written over in the body", SCHEDULED, LOOP, "bp{1}",
     "defined by: wh, which hands it to its body in each iteration: element {1} of its carry, step 9\n"
     "last use: step 15: bm, in wh; the result is written over it\n"
     "earlier: bm is its only reader and writes over it: however soon, the bytes stay taken\n"},
    {"the body hands its result to the next iteration", SCHEDULED, LOOP, "bm",
     "defined by: bm = multiply, step 15\n"
     "until: step 17: the body of wh hands it to the next iteration\n"
     "earlier: not within wh: the next iteration begins with it\n"},
    {"what a loop leaves is read after it", SCHEDULED, LOOP, "wh{1}",
     "defined by: wh, when it ends: element {1} of its carry, step 17\nlast use: step 19: c\n"
     "earlier: c is its only reader: were that sooner, it would end sooner\n"},
    {"a loop holds what it reads and does not change", SCHEDULED, LOOP, "w",
     "defined by: w = negate, step 1\nread by: step 6: wh takes it into its carry\n"
     "last use: step 15: bm, in wh\n"
     "until: step 17: wh carries it unchanged and holds it for all of its iterations\n"
     "earlier: not while the loop runs: wh reads it in each iteration (step 15)\n"},
    {"a loop holds what nothing in it reads", SCHEDULED, LOOP, "v",
     "defined by: v = negate, step 2\nlast use: step 6: wh takes it into its carry\n"
     "until: step 17: wh carries it unchanged and holds it for all of its iterations\n"
     "earlier: nothing in wh reads it: were it not in the carry, it could end before the loop\n"},
    {"a loop that never runs holds it, too", SCHEDULED, LOOP_WHILE("LT"), "w",
     "defined by: w = negate, step 1\nread by: step 6: wh takes it into its carry\n"
     "last use: step 15: bm, in wh\n"
     "until: step 17: wh carries it unchanged and holds it for as long as it could run, though it has no "
     "iteration\nearlier: not while the loop runs: wh reads it in each iteration (step 15)\n"},
    {"nothing reads what a loop counted", SCHEDULED, LOOP, "wh{0}",
     "defined by: wh, when it ends: element {0} of its carry, step 17\n"
     "until: step 17: nothing reads it once the loop has ended\n"},
    {"all is held until an asynchronous computation is done", SCHEDULED, ASYNC, "wn",
     "defined by: wn = negate, step 3\nlast use: step 4: wm\n"
     "until: step 7: it is part of an asynchronous computation, where all is held until d\n"},
    {"a callee hands its result to the call", SCHEDULED, CALL, "km",
     "defined by: km = negate, step 4\nlast use: step 6: r, through k\n"
     "earlier: without r it could end at step 5 (k)\n"},
};

/* What the buffer's page says in lines of these labels. */
static void check_lines(const struct why_case *c, const char *labels)
{
    struct made t;
    struct page page;
    struct arena a = {0};
    struct words w = {0};
    make(&t, c->header, c->text);
    explain_buffer(&t.p, buffer_named(&t.p, c->buffer), &a, &page);
    put_lines(&w, &page, labels);
    assert_string_equal(w.text, c->page);
    arena_free(&a);
    unmake(&t);
}

static void check_why(void **state)
{
    check_lines(*state, "defined by, read by, last use, until, earlier");
}

/* ---- Why a place is not shared ---- */

#define PAIR(rest)                                                                                 \
    "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[2] parameter(1)\n a = f32[4] negate(x)\n" rest

static const struct why_case aparts[] = {
    {"a donation that no output has the size for", DONOR("(1, {})"),
     PAIR(" b = f32[2] negate(y)\n s = f32[4] concatenate(b, b), dimensions={0}\n"
          " ROOT r = f32[4] add(a, s)\n}\n"), "y",
     "donated: in vain, no output has its place: no output has its size\n"},
    {"a donation whose output has another type", DONOR("(0, {})"),
     PAIR(" ROOT r = s32[4] convert(a)\n}\n"), "x",
     "donated: in vain, no output has its place: it is f32[4], and the output is s32[4]\n"},
    {"a donation that is read too long", DONOR("(0, {})"),
     PAIR(" b = f32[4] negate(x)\n ROOT r = (f32[4], f32[4]) tuple(a, a)\n}\n"), "x",
     "donated: in vain, no output has its place: b still reads it at step 3, when output {0}, begun at "
     "step 2, is there\n"},
    {"a donation whose outputs are all taken",
     "HloModule m, is_scheduled=true, input_output_alias={ {}: (1, {}, may-alias) }, "
     "buffer_donor={ (0, {}) }\n\n",
     "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n a = f32[4] negate(x)\n"
     " ROOT r = f32[4] add(a, y)\n}\n", "x",
     "donated: in vain, no output has its place: each output of its size has the place of another "
     "donated parameter\n"},
    {"a parameter whose donation would gain nothing", SCHEDULED,
     PAIR(" b = f32[2] negate(y)\n s = f32[4] concatenate(b, b), dimensions={0}\n"
          " ROOT r = f32[4] add(a, s)\n}\n"), "y",
     "earlier: donating it would gain nothing: no output has its size\n"},
    {"a parameter whose output is begun too early", SCHEDULED,
     PAIR(" b = f32[4] negate(x)\n s = f32[4] add(b, b)\n ROOT r = (f32[4]) tuple(a)\n}\n"), "x",
     "earlier: donated (donate_argnums), its place could become output {0}, but that is begun at step 2, "
     "before the last read\n"},
    {"a parameter whose output is begun in the loop that makes it", SCHEDULED,
     "body {\n bp = (s32[], f32[4]) parameter(0)\n bi = s32[] get-tuple-element(bp), index=0\n"
     " ba = f32[4] get-tuple-element(bp), index=1\n bn = s32[] add(bi, bi)\n bm = f32[4] negate(ba)\n"
     " ROOT bt = (s32[], f32[4]) tuple(bn, bm)\n}\n"
     "cond {\n cp = (s32[], f32[4]) parameter(0)\n ci = s32[] get-tuple-element(cp), index=0\n"
     " ROOT cc = pred[] compare(ci, ci), direction=LE\n}\n"
     "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] negate(x)\n z = f32[8] concatenate(x, y), "
     "dimensions={0}\n i = s32[] constant(0)\n t = (s32[], f32[4]) tuple(i, y)\n"
     " wh = (s32[], f32[4]) while(t), condition=cond, body=body\n"
     " ROOT g = f32[4] get-tuple-element(wh), index=1\n}\n", "x",
     "earlier: donated (donate_argnums), its place could become the output, but that is begun at step 1, "
     "before the last read\n"},
    {"a parameter that is returned as it is", SCHEDULED,
     PAIR(" ROOT r = (f32[4], f32[4]) tuple(x, a)\n}\n"), "x",
     "earlier: the program returns it as it is (output {0}): donated, it needs no copy\n"},
    {"a copy of a parameter that must stay", SCHEDULED,
     PAIR(" k = f32[4] copy(x)\n ROOT r = f32[4] add(a, k)\n}\n"), "k",
     "copy: of x, for r: the original is a parameter that is not donated, and must stay as it is\n"},
    {"a copy into another layout", SCHEDULED,
     "ENTRY e {\n x = f32[2,3]{1,0} parameter(0)\n ROOT k = f32[2,3]{0,1} copy(x)\n}\n", "k",
     "copy: of x, for an output: into another layout, f32[2,3]{1,0} to f32[2,3]{0,1}\n"},
    {"a copy of a constant", SCHEDULED,
     "ENTRY e {\n x = f32[2] constant({1, 2})\n ROOT k = f32[2] copy(x)\n}\n", "k",
     "copy: of x, for an output: a constant must stay as it is\n"},
    {"a copy of what is returned, too", SCHEDULED,
     PAIR(" k = f32[4] copy(a)\n ROOT r = (f32[4], f32[4]) tuple(a, k)\n}\n"), "k",
     "copy: of a, for an output: the program returns the original, too\n"},
    {"a copy of what is still read", SCHEDULED,
     PAIR(" k = f32[4] copy(a)\n b = f32[4] negate(k)\n ROOT r = f32[4] add(a, b)\n}\n"), "k",
     "copy: of a, for b: r still reads the original at step 5\n"},
    {"a copy in a fusion", SCHEDULED,
     "fused {\n p = f32[2,3]{1,0} parameter(0)\n c = f32[2,3]{0,1} copy(p)\n"
     " ROOT b = f32[3,2]{1,0} bitcast(c)\n}\n"
     "ENTRY e {\n x = f32[2,3]{1,0} parameter(0)\n"
     " f = f32[3,2]{1,0} fusion(x), kind=kLoop, calls=fused\n ROOT r = f32[3,2]{1,0} negate(f)\n}\n", "f",
     "copy: of x, for r: into another layout, f32[2,3]{1,0} to f32[2,3]{0,1}\n"},
};

static void check_apart(void **state)
{
    const struct why_case *c = *state;
    check_lines(c, strncmp(c->page, "earlier", 7) == 0 ? "earlier" : "donated, copy");
}

/* ---- Pages as text ---- */

static const struct text_case {
    const char *name;
    struct line line;
    int width;
    bool ascii;
    const char *text;
} texts[] = {
    {"a sentence is broken between words", {.kind = LINE_TEXT, .label = "until", .words = "one two three four five six seven"},
     40, false, "until         one two three four five\n              six seven\n"},
    {"a word wider than the page is broken anywhere",
     {.kind = LINE_TEXT, .label = "until", .words = "abcdefghijklmnopqrstuvwxyzabcdefghij"}, 40, false,
     "until         abcdefghijklmnopqrstuvwxyz\n              abcdefghij\n"},
    {"a part has its bytes, label and source",
     {.kind = LINE_PART, .label = "stack", .words = "4 slots", .source = "a.py:1", .has_bytes = true,
      .bytes = 16ull << 30}, 60, false, "    16.00 GiB  stack: 4 slots (a.py:1)\n"},
    {"a difference has a sign",
     {.kind = LINE_PART, .label = "stack", .words = "less here", .has_bytes = true, .has_delta = true,
      .bytes = 1ull << 30, .minus = 3ull << 30}, 80, false,
     "    -2.00 GiB  stack: 1.00 GiB - 3.00 GiB, less here\n"},
    {"names that would harm a terminal are made safe",
     {.kind = LINE_TEXT, .label = "by", .words = "\x1b[31m"}, 40, false, "by            \\x1B[31m\n"},
    {"what is not ASCII is shown as one mark a character",
     {.kind = LINE_TEXT, .label = "by", .words = "\xce\xb3\xce\xac x"}, 40, true, "by            ?? x\n"},
};

static char *text_of(const struct page *page, int width, bool ascii)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    page_text(page, out, width, ascii);
    fclose(out);
    return text;
}

static void check_text(void **state)
{
    const struct text_case *c = *state;
    struct line line = c->line;
    struct page page = {.lines = {&line, 1, 1}};
    char *text = text_of(&page, c->width, c->ascii);
    assert_string_equal(text, c->text);
    free(text);
}

/* ---- The shipped dumps ---- */

static void open_cell(const char *dir, struct dump *dump, struct module *m, struct program *p)
{
    struct diag d;
    char line[1200];
    if (!dump_find(dump, dir, &d) || !dump_load(dump, 0, FORM_ANY, m, &d) || !program_build(p, m, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
}

static void close_cell(struct dump *dump, struct module *m, struct program *p)
{
    program_free(p);
    module_free(m);
    dump_free(dump);
}

/* The parts add up to the sum above them, in what is here and in what is taken away. */
static void check_sums(const struct page *page, uint64_t here, uint64_t there)
{
    uint64_t bytes = 0, minus = 0;
    uint32_t sums = 0;
    for (uint32_t k = 0; k < page->lines.n; k++) {
        const struct line *l = (const struct line *)page->lines.items + k;
        if (l->kind == LINE_SUM) {
            assert_true(l->bytes == here && l->minus == there);
            sums++;
        }
        bytes += l->kind == LINE_PART ? l->bytes : 0;
        minus += l->kind == LINE_PART ? l->minus : 0;
    }
    assert_int_equal(sums, 1);
    assert_true(bytes == here && minus == there);
}

/* The n-th sentence that has no label. */
static void put_sentence(struct words *w, const struct page *page, uint32_t n)
{
    for (uint32_t k = 0; k < page->lines.n; k++) {
        const struct line *l = (const struct line *)page->lines.items + k;
        if (l->kind == LINE_TEXT && !l->label && n-- == 0)
            put(w, "%s", l->words);
    }
}

/* What the rolled scan of s steps holds at its peak, and the unrolled one: LESSON in one line each.  The
 * difference is the cotangent carry and the slice, and nothing else of weight. */
static void check_example(void **state)
{
    (void)state;
    for (uint64_t s = 2; s <= 4; s++) {
        char dir[100], want[400];
        struct dump dumps[2];
        struct module m[2];
        struct program p[2];
        struct page page;
        struct arena a = {0};
        struct words w = {0};
        snprintf(dir, sizeof dir, "fixtures/grid/a100-d1048576-s%d-u1", (int)s);
        open_cell(dir, &dumps[0], &m[0], &p[0]);
        snprintf(dir, sizeof dir, "fixtures/grid/a100-d1048576-s%d-ufull", (int)s);
        open_cell(dir, &dumps[1], &m[1], &p[1]);
        explain_step(&p[0], p[0].peak, &a, &page);
        put_sentence(&w, &page, 0);
        snprintf(want, sizeof want, "= %d slots x 4.00 GiB (%s) + 4.00 GiB (%s) + 4.00 GiB (%s) + ", (int)s,
                 role_name(ROLE_STACK), role_name(ROLE_COTANGENT), role_name(ROLE_SLICE));
        assert_memory_equal(w.text, want, strlen(want));
        for (uint32_t k = 0; k < page.lines.n; k++) {
            const struct line *l = (const struct line *)page.lines.items + k;
            assert_false(l->label && strcmp(l->label, "the rest") == 0); /* the sum says that of more */
        }
        w.used = 0;
        explain_step(&p[1], p[1].peak, &a, &page);
        put_sentence(&w, &page, 0);
        put_sentence(&w, &page, 1);
        snprintf(want, sizeof want, "%d residuals x 4.00 GiB", (int)s);
        assert_non_null(strstr(w.text, want));
        w.used = 0;
        explain_difference(&p[0], &p[1], "its unrolled form", &a, &page);
        assert_string_equal(((const struct line *)page.lines.items)->words,
                            "Compared with its unrolled form: here minus there");
        check_sums(&page, p[0].live[p[0].peak], p[1].live[p[1].peak]);
        put_sentence(&w, &page, 0);
        snprintf(want, sizeof want, "= 4.00 GiB (%s) + 4.00 GiB (%s) - ", role_name(ROLE_COTANGENT),
                 role_name(ROLE_SLICE));
        assert_memory_equal(w.text, want, strlen(want));
        assert_int_equal(strstr(w.text, "(the rest)") - strchr(w.text, '-') < 20, true);
        arena_free(&a);
        close_cell(&dumps[0], &m[0], &p[0]);
        close_cell(&dumps[1], &m[1], &p[1]);
    }
}

/* The explorer has 22 columns for a label where it is 80 wide. */
static void check_labels(void **state)
{
    (void)state;
    for (uint32_t role = 0; role <= DONATED_RESIDUAL; role++)
        assert_in_range(strlen(family_name(role)), 1, 22);
}

static void check_fit(const struct page *page, int most_lines)
{
    char *text = text_of(page, 80, false);
    int lines = 0, column = 0;
    for (const char *c = text; *c; c++) {
        column = *c == '\n' ? 0 : column + (((unsigned char)*c & 0xC0) != 0x80);
        lines += *c == '\n';
        assert_true(column <= 80);
        assert_false(*c == '\n' && c > text && c[-1] == ' ');
    }
    free(text);
    assert_true(lines <= most_lines);
}

/* Why a value ends must be what ended it: its own last reason, or its alias set's next value. */
static void check_ending(const struct program *p, buf_id b, struct arena *a)
{
    struct reaches r;
    explain_reaches(p, p->value[b], a, &r);
    const struct reach *last = explain_last(&r, p->end[b]);
    assert_non_null(last);
    if (last->step != p->end[b])
        assert_true(explain_set_neighbour(p, b, last->step > p->end[b] ? 1 : -1) != BUF_NONE);
}

static void check_cell(const char *dir)
{
    struct dump dump;
    struct module m;
    struct program p;
    struct page page;
    struct arena a = {0};
    open_cell(dir, &dump, &m, &p);
    for (uint32_t s = 0; s <= p.steps; s++) {
        explain_step(&p, s, &a, &page);
        check_sums(&page, p.live[s], 0);
        check_fit(&page, 100);
        arena_reset(&a);
    }
    for (buf_id b = 0; b < p.n; b++) {
        explain_buffer(&p, b, &a, &page);
        assert_true(page.lines.n >= 3);
        check_fit(&page, 28);
        check_ending(&p, b, &a);
        arena_reset(&a);
    }
    explain_unshared(&p, &a, &page);
    check_fit(&page, 28);
    explain_difference(&p, &p, "itself", &a, &page);
    check_sums(&page, p.live[p.peak], p.live[p.peak]);
    arena_free(&a);
    close_cell(&dump, &m, &p);
}

static void check_place(void **state)
{
    (void)state;
    struct dump dump;
    struct module m;
    struct program p;
    struct page page;
    struct arena a = {0};
    struct words w = {0};
    char want[600];
    open_cell("fixtures/grid/a100-d1048576-s4-u1", &dump, &m, &p);
    explain_buffer(&p, buffer_named(&p, "while{2}"), &a, &page);
    put_lines(&w, &page, "place before, place after, in turn");
    snprintf(want, sizeof want, "place before: loop_add_fusion.2 until step 71: the carry of while\n"
             "in turn: %s from step 0, %s from 11, %s from 41, %s from 71\n", role_name(ROLE_DONATED),
             role_name(ROLE_CARRY), role_name(ROLE_COTANGENT), role_name(ROLE_OUTPUT));
    assert_string_equal(w.text, want);
    w.used = 0;
    explain_buffer(&p, buffer_named(&p, "while.16{3}"), &a, &page);
    for (uint32_t k = 0; k < page.lines.n; k++) {
        const struct line *l = (const struct line *)page.lines.items + k;
        if (l->label && (!*l->label || strcmp(l->label, "stack") == 0))
            put(&w, "%s\n", l->words);
    }
    assert_string_equal(w.text, "4 slots of 4.00 GiB\n"
                        "while.16 fills slot i in iteration i, at step 32: loop_dynamic_update_slice_fusion.2\n"
                        "while reads slot 3 - i in iteration i, at step 51: input_dynamic_slice_reduce_fusion\n");
    arena_free(&a);
    close_cell(&dump, &m, &p);
}

static void every_cell(void **state)
{
    (void)state;
    DIR *d = opendir("fixtures/grid");
    assert_non_null(d);
    int n = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char dir[400];
        if (e->d_name[0] == '.')
            continue;
        snprintf(dir, sizeof dir, "fixtures/grid/%s", e->d_name);
        check_cell(dir);
        n++;
    }
    closedir(d);
    assert_true(n >= 57);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(whys) + COUNT(aparts) + COUNT(texts) + 9];
    size_t n = 0;
    ADD_TABLE(whys, check_why, name);
    ADD_TABLE(aparts, check_apart, name);
    ADD_TABLE(texts, check_text, name);
    ADD_AS(check_example, "the example: s slots, the cotangent, a slice; unrolled, s residuals");
    ADD_AS(check_labels, "names of roles fit their column");
    ADD_AS(check_place, "one place: parameter, carry, cotangent, output; a stack filled and drained");
    ADD_AS(every_cell, "parts add up at every step of every shipped dump; all pages fit");
    return _cmocka_run_group_tests("explain", tests, n, NULL, NULL);
}
