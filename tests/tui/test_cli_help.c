/* --help: at most 80 columns, a line for each thing, only what belongs to a command. */
#include "tests/support/cmocka_all.h"
#include "tui/cli/cli_help.h"

#include <stdlib.h>
#include <string.h>

static char *help(enum command command, bool ascii)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cli_help_print(out, command, ascii);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* As a line's first word. */
static bool lists(const char *text, const char *option)
{
    size_t len = strlen(option);
    for (const char *at = text; (at = strstr(at, option)); at += len)
        if (at - text >= 3 && memcmp(at - 3, "\n  ", 3) == 0 && strchr(" ,\n", at[len]))
            return true;
    return false;
}

static void no_line_is_longer_than_80_columns(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * COMMAND_COUNT; k++) {
        char *text = help((enum command)(k / 2), k % 2);
        int columns = 0;
        for (const char *c = text; *c; c++) {
            columns = *c == '\n' ? 0 : columns + ((*c & 0xc0) != 0x80);
            assert_in_range(columns, 0, 80);
            assert_false(*c == '\n' && c > text && c[-1] == ' ');
        }
        free(text);
    }
}

static void every_summary_stands_on_one_line(void **state)
{
    (void)state;
    char *text = help(COMMAND_EXPLORE, false);
    for (size_t k = 0; k < cli_n_options; k++)
        assert_non_null(strstr(text, cli_options[k].summary));
    for (int k = 0; k < COMMAND_COUNT; k++)
        assert_non_null(strstr(text, cli_commands[k].summary));
    free(text);
}

static void a_command_lists_its_own_options_and_no_others(void **state)
{
    (void)state;
    for (int c = 1; c < COMMAND_COUNT; c++) {
        char *text = help((enum command)c, false);
        for (size_t k = 0, n; k < cli_n_options; k += n) {
            unsigned commands = 0;
            n = cli_option_run(&cli_options[k]);
            for (size_t i = 0; i < n; i++)
                commands |= cli_options[k + i].commands;
            assert_int_equal(lists(text, cli_options[k].name), commands >> c & 1);
        }
        free(text);
    }
}

static void ascii_is_ascii(void **state)
{
    (void)state;
    for (int k = 0; k < COMMAND_COUNT; k++) {
        char *text = help((enum command)k, true);
        for (const char *c = text; *c; c++)
            assert_true((unsigned char)*c < 0x80);
        free(text);
    }
}

static void every_option_and_command_says_what_it_is(void **state)
{
    (void)state;
    for (size_t k = 0; k < cli_n_options; k++) {
        const struct cli_option *o = &cli_options[k];
        assert_true(o->summary && *o->summary && o->manual && *o->manual && o->commands);
        assert_int_equal(cli_option_find(o->name, strlen(o->name))->option, o->option);
    }
    assert_null(cli_option_find("--", 2));
    assert_null(cli_option_find("--js", 4));
    assert_null(cli_option_find("--jsonx", 7));
}

static void an_option_is_there_again_where_name_and_value_are(void **state)
{
    static const struct cli_option flag = {.option = OPTION_JSON}, other_flag = {.option = OPTION_CSV},
                                   valued = {.option = OPTION_JSON, .value = "K"},
                                   valued_otherwise = {.option = OPTION_JSON, .value = "on|off"};
    static const struct {
        const struct cli_option *before, *o;
        bool again;
    } cases[] = {
        {NULL, &flag, false},      {NULL, &valued, false},   {&flag, &flag, true},
        {&flag, &other_flag, false}, {&flag, &valued, false}, {&valued, &flag, false},
        {&valued, &valued, true},  {&valued, &valued_otherwise, false},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(cli_option_is_again(cases[k].before, cases[k].o), cases[k].again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_longer_than_80_columns),
        cmocka_unit_test(every_summary_stands_on_one_line),
        cmocka_unit_test(a_command_lists_its_own_options_and_no_others),
        cmocka_unit_test(ascii_is_ascii),
        cmocka_unit_test(every_option_and_command_says_what_it_is),
        cmocka_unit_test(an_option_is_there_again_where_name_and_value_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
