/* What is copied, in which words, and where to. */
#include "tests/support/sample_here.h"
#include "tests/support/tables.h"
#include "tui/explorer/copy.h"

#include <sys/stat.h>
#include <unistd.h>

static void the_selected_buffer_is_one_line(void **state)
{
    struct arena a = {0};
    size_t len;
    (void)state;
    const struct program *p = open_sample(SAMPLE_SCAN);
    struct app s = play(p, &memo, start(p), "yy");
    assert_int_equal(s.want, WANT_COPY);
    const char *text = copy_text(p, &memo, &s, &a, &len);
    static const char *const has[] = {"while.16{3}  16.00 GiB (17179869184 bytes)", "  allocation 1 +0", "f32[4,1024,1048576]",
                                      "residual stack", "scan.py:"};
    for (size_t k = 0; k < sizeof has / sizeof *has; k++)
        assert_non_null(strstr(text, has[k]));
    assert_true(strchr(text, '\n') == text + len - 1);
    s = play(p, &memo, start(p), "yr");
    text = copy_text(p, &memo, &s, &a, &len);
    assert_non_null(strstr(text, "24.00 GiB"));
    assert_int_equal(strlen(text), len);
    arena_free(&a);
    close_sample();
}

static void names_that_steer_a_terminal_are_not_copied(void **state)
{
    struct arena a = {0};
    size_t len;
    (void)state;
    const struct program *p = open_sample(SAMPLE_SCAN);
    for (buf_id b = 0; b < p->n; b++)
        p->name_of[b] = "evil\033]0;x\a\tname\302\233m\177 \303\251";
    struct app s = play(p, &memo, start(p), "yy");
    const char *text = copy_text(p, &memo, &s, &a, &len);
    assert_memory_equal(text, "evil?]0;x??name??m? \303\251  16.00 GiB", 33);
    for (size_t k = 0; k + 1 < len; k++)
        assert_true((unsigned char)text[k] >= ' ' && text[k] != 127);
    arena_free(&a);
    close_sample();
}

struct osc_case {
    const char *text, *want;
};

static const struct osc_case osc_cases[] = { /* RFC 4648, section 10 */
    {"f", "\033]52;c;Zg==\a"},          {"fo", "\033]52;c;Zm8=\a"},         {"foo", "\033]52;c;Zm9v\a"},
    {"foob", "\033]52;c;Zm9vYg==\a"},   {"fooba", "\033]52;c;Zm9vYmE=\a"},  {"foobar", "\033]52;c;Zm9vYmFy\a"},
    {"", ""},                           {"\xff\033]52;\a", "\033]52;c;/xtdNTI7Bw==\a"},
};

static void the_clipboard_gets_base64(void **state)
{
    const struct osc_case *c = *state;
    struct arena a = {0};
    assert_string_equal(copy_sequence(c->text, strlen(c->text), &a), c->want);
    char *most = arena_array(&a, COPY_MOST + 2, 1);
    assert_int_equal(strlen(copy_sequence(most, COPY_MOST, &a)), 99992 + 8);
    assert_string_equal(copy_sequence(most, COPY_MOST + 1, &a), "");
    arena_free(&a);
}

static void a_file_keeps_the_copy(void **state)
{
    char dir[] = "/tmp/tidemark-copy-XXXXXX", text[40] = "";
    struct arena a = {0};
    struct diag d;
    (void)state;
    assert_non_null(mkdtemp(dir));
    setenv("XDG_STATE_HOME", dir, 1);
    const char *file = copy_file(&a);
    assert_true(copy_save(file, "one\n", 4, &d));
    assert_true(copy_save(file, "two\n", 4, &d));
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof text - 1, f), 4);
    fclose(f);
    assert_string_equal(text, "two\n");
    unlink(file);
    assert_int_equal(mkdir(file, 0700), 0); /* what cannot be replaced is said */
    assert_false(copy_save(file, "x", 1, &d));
    rmdir(file);
    setenv("XDG_STATE_HOME", "relative", 1);
    setenv("HOME", dir, 1);
    assert_string_equal(copy_file(&a), arena_printf(&a, "%s/.local/state/tidemark/copied.txt", dir));
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_null(copy_file(&a));
    file_remove_tree(dir);
    arena_free(&a);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(osc_cases) + 3];
    size_t n = 0;
    ADD(the_selected_buffer_is_one_line);
    ADD(names_that_steer_a_terminal_are_not_copied);
    ADD_TABLE(osc_cases, the_clipboard_gets_base64, text);
    ADD(a_file_keeps_the_copy);
    return _cmocka_run_group_tests("copy", tests, n, NULL, NULL);
}
