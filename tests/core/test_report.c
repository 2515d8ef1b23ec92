/* The text report, on programs made for it. */
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "core/output/report/report.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/page_fits.h"

#define LONG "a_name_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on"
#define BODY(name, inner)                                                                          \
    "c" name " {\n cp" name " = (f32[4]) parameter(0)\n ROOT cr" name " = pred[] constant(true)\n}\n" \
    "b" name " {\n bp" name " = (f32[4]) parameter(0)\n" inner "}\n"

static const char nested[] =
    "HloModule nested, is_scheduled=true\n"
    BODY("1", " g = f32[4] get-tuple-element(bp1), index=0\n n = f32[4] negate(g)\n"
              " m = f32[4] negate(n)\n ROOT t = (f32[4]) tuple(m)\n")
    BODY("2", " ROOT w_inner_" LONG " = (f32[4]) while(bp2), condition=c1, body=b1\n")
    BODY("3", " ROOT w_middle_" LONG " = (f32[4]) while(bp3), condition=c2, body=b2\n")
    "ENTRY e {\n x = f32[4] parameter(0)\n t0 = (f32[4]) tuple(x)\n"
    " ROOT w_outer_" LONG " = (f32[4]) while(t0), condition=c3, body=b3\n}\n";

static const char flat[] = "HloModule \xE2\x82\xAC, is_scheduled=true\n"
                           "ENTRY e {\n x = f32[4] parameter(0)\n ROOT n = f32[4] negate(x), "
                           "metadata={op_name=\"\xE2\x82\xAC\xE2\x80\xAE/neg\" source_file=\"a.py\"}\n}\n";

/* Two values in one place: XLA's peak adds both. */
static const char assignment[] =
    "BufferAssignment:\n"
    "allocation 0: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {}, maybe-live-out:\n"
    " value: <0 x @0> (size=4096,offset=0): f32[1024]{0}\n"
    " value: <1 u @0> (size=4096,offset=0): f32[1024]{0}\n\n";
#define RANGES(peak)                                                                               \
    "HloLiveRange (max 2):\n  InstructionSequence:\n    0:x\n    1:u\n  BufferLiveRange:\n"        \
    "    x{}:0-1\n    u{}:1-2\n  Live ranges at 1 (peak):\n" peak

static char *report(struct module *m, struct report_options o)
{
    struct program p;
    struct report r;
    struct diag d;
    char *text = NULL;
    size_t size = 0;
    assert_true(program_build(&p, m, &d));
    report_make(&r, &p, &o);
    FILE *out = open_memstream(&text, &size);
    report_text(&r, out);
    fclose(out);
    report_free(&r);
    program_free(&p);
    return text;
}

static char *report_hlo(const char *hlo, struct report_options o)
{
    struct module m = {.platform = PLATFORM_CPU};
    struct file f = {"x.txt", hlo, strlen(hlo)};
    struct diag d;
    hlo_init(&m.hlo, &m.arena, f.name);
    assert_true(hlo_text_read(&m.hlo, &f, &d));
    m.has_hlo = true;
    m.name = m.hlo.name;
    char *text = report(&m, o);
    arena_free(&m.arena);
    return text;
}

static char *report_assignment(const char *ranges)
{
    struct module m = {.platform = PLATFORM_CPU, .name = "f"};
    struct file a = {"a.txt", assignment, strlen(assignment)}, b = {"b.txt", ranges, strlen(ranges)};
    struct diag d;
    m.assignment.arena = &m.arena;
    assert_true(assignment_text_read(&m.assignment, &a, &d));
    assert_true(!*ranges || assignment_text_read(&m.assignment, &b, &d));
    m.has_assignment = true;
    char *text = report(&m, (struct report_options){.top = 10});
    arena_free(&m.arena);
    return text;
}

static void nested_loops(void **state)
{
    (void)state;
    char *text = report_hlo(nested, (struct report_options){.has_at = true, .at = 6, .top = 10});
    bool page = page_fits(text), there = strstr(text, "in loop w_outer_") != NULL;
    free(text);
    assert_true(page);
    assert_true(there);
}

static void ascii(void **state)
{
    (void)state;
    char *text = report_hlo(flat, (struct report_options){.top = 10, .ascii = true});
    bool plain = true;
    for (const char *c = text; *c; c++)
        plain &= (unsigned char)*c < 0x80;
    free(text);
    assert_true(plain);
}

static void turned(void **state)
{
    (void)state;
    char *text = report_hlo(flat, (struct report_options){.top = 10});
    bool raw = strstr(text, "\xE2\x80\xAE") != NULL, euro = strstr(text, "\xE2\x82\xAC") != NULL;
    bool zero = strstr(text, "a.py:0") != NULL;
    free(text);
    assert_false(raw); /* right-to-left override */
    assert_true(euro);
    assert_false(zero); /* no line is known */
}

static void claims(void **state)
{
    (void)state;
    char *more = report_assignment(RANGES("    x{}: 4096 bytes (cumulative: 4096 bytes)\n"
                                          "    u{}: 4096 bytes (cumulative: 8192 bytes)\n"));
    char *same = report_assignment(RANGES("    x{}: 4096 bytes (cumulative: 4096 bytes)\n"));
    bool said = strstr(more, "Claim  8.00 KiB at step 1 in the dump; 4.00 KiB alive") != NULL;
    bool quiet = strstr(same, "Claim") == NULL;
    free(more);
    free(same);
    assert_true(said);
    assert_true(quiet);
}

static void no_lives(void **state)
{
    (void)state;
    char *text = report_assignment("");
    bool page = page_fits(text), words = strstr(text, "Buffers, lives unknown: 2") != NULL;
    bool peak = strstr(text, "Peak") != NULL;
    free(text);
    assert_true(page && words);
    assert_false(peak);
}

/* What is alive at the peak, by role, and the role of each buffer. */
static void roles(void **state)
{
    (void)state;
    char *text = report_hlo(flat, (struct report_options){.top = 10});
    char *asked = report_hlo(flat, (struct report_options){.top = 10, .by = BY_ROLE});
    bool page = page_fits(text) && page_fits(asked);
    bool section = strstr(text, "\nBy role\n") != NULL && strstr(asked, "\nBy role\n") == NULL;
    bool group = strstr(asked, "\nBy roles; in brackets") != NULL;
    bool output = strstr(text, "     16 B       50%  output                  1 buffer   a.py\n") != NULL;
    bool parameter = strstr(text, "     16 B       50%  parameter               1 buffer\n") != NULL;
    bool row = strstr(text, "share  role       value") != NULL;
    free(text);
    free(asked);
    assert_true(page && section && group);
    assert_true(output && parameter && row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"nested loops with long names fit the page", nested_loops, NULL, NULL, NULL},
        {"--ascii has only ASCII, names included", ascii, NULL, NULL, NULL},
        {"what would turn text around is escaped; other UTF-8 stays", turned, NULL, NULL, NULL},
        {"XLA's peak line is held against what is alive", claims, NULL, NULL, NULL},
        {"what is alive, by role", roles, NULL, NULL, NULL},
        {"without lives there is no peak", no_lives, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
