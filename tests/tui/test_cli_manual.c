/* The man page's lists: those of the tables.  TIDEMARK_GOLDEN=write rewrites tidemark.1. */
#include "core/base/file.h"
#include "tests/support/cmocka_all.h"
#include "tui/cli/cli_manual.h"
#include "tui/cli/cli_table.h"

#include <stdlib.h>
#include <string.h>

#define PAGE "tidemark.1"

static char *anew(const char *page)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cli_manual_print(out, page);
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *page_read(struct arena *a)
{
    struct file f;
    struct diag d;
    assert_true(file_read(a, &f, PAGE, &d));
    return arena_text(a, f.text, f.size);
}

static void the_committed_page_is_what_the_tables_say(void **state)
{
    (void)state;
    struct arena a = {0};
    char *page = page_read(&a), *text = anew(page);
    const char *golden = getenv("TIDEMARK_GOLDEN");
    if (golden && strcmp(golden, "write") == 0) {
        FILE *f = fopen(PAGE, "w");
        assert_non_null(f);
        fputs(text, f);
        assert_int_equal(fclose(f), 0);
    } else if (strcmp(page, text) != 0) {
        fail_msg("tidemark.1 is not what the tables say: make man");
    }
    free(text);
    arena_free(&a);
}

static void every_option_and_command_is_in_the_page(void **state)
{
    (void)state;
    char *text = anew(".\\\" from the tables: commands\n.\\\" end\n.\\\" from the tables: options\n.\\\" end\n");
    for (size_t k = 0; k < cli_n_options; k++) {
        char name[64] = "\\fB", *end = name + 3;
        for (const char *c = cli_options[k].name; *c; c++)
            end += sprintf(end, *c == '-' ? "\\-" : "%c", *c);
        strcpy(end, "\\fR");
        assert_non_null(strstr(text, name));
    }
    for (int k = 1; k < COMMAND_COUNT; k++) {
        char name[64];
        snprintf(name, sizeof name, "\\fB%s\\fR ", cli_commands[k].word);
        assert_non_null(strstr(text, name));
    }
    free(text);
}

static void what_stands_outside_the_marks_is_left_alone(void **state)
{
    (void)state;
    static const char *const pages[] = {
        "",
        "\n",
        "no newline at its end",
        ".SH A\n.\\\" end\n.\\\" from the tables: nothing\nb\n.\\\" end\n",
        "a\n.\\\" from the tables: options\nmark without an end\n",
    };
    for (size_t k = 0; k < sizeof pages / sizeof *pages; k++) {
        char *text = anew(pages[k]);
        assert_string_equal(text, pages[k]);
        free(text);
    }
}

static void what_stood_between_the_marks_is_gone(void **state)
{
    (void)state;
    char *once = anew("a\n.\\\" from the tables: synopsis\nold\n.\\\" end\nz\n"), *twice = anew(once);
    assert_null(strstr(once, "old"));
    assert_memory_equal(once, "a\n.\\\" from", 10);
    assert_non_null(strstr(once, ".B tidemark report\n"));
    assert_non_null(strstr(once, ".\\\" end\nz\n"));
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_committed_page_is_what_the_tables_say),
        cmocka_unit_test(every_option_and_command_is_in_the_page),
        cmocka_unit_test(what_stands_outside_the_marks_is_left_alone),
        cmocka_unit_test(what_stood_between_the_marks_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
