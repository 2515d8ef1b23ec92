/* The configuration: colours that read, keys of one's own, lines that are no lines. */
#include "core/analysis/program/roles.h"
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/tables.h"
#include "tui/explorer/config.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- Colours ---- */

/* xterm's colours from 16 on, as 0 … 255. */
static void rgb_of(int n, double out[3])
{
    static const int level[6] = {0, 95, 135, 175, 215, 255};
    int cube = n - 16;
    for (int k = 0; k < 3; k++)
        out[k] = n >= 232 ? 8 + 10 * (n - 232) : level[cube / (k == 0 ? 36 : k == 1 ? 6 : 1) % 6];
}

/* https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
static double luminance(int n)
{
    static const double part[3] = {0.2126, 0.7152, 0.0722};
    double rgb[3], sum = 0;
    rgb_of(n, rgb);
    for (int k = 0; k < 3; k++) {
        double c = rgb[k] / 255;
        sum += part[k] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(int n, bool light)
{
    double l = luminance(n) + 0.05;
    return light ? 1.05 / l : l / 0.05;
}

static void colours_read_on_their_ground(void **state)
{
    (void)state;
    for (int t = 0; t < THEME_COUNT; t++) {
        struct looks l = looks_default((enum theme)t);
        for (int st = 0; st < ST_COUNT; st++) {
            int n = l.of[st].rich;
            if (n < 0)
                continue;
            bool ok = n >= 16 && (t == THEME_ANY ? contrast(n, true) >= 3 && contrast(n, false) >= 3
                                                 : contrast(n, t == THEME_LIGHT) >= 4.5);
            if (!ok)
                print_error("%s, %s: colour %d\n", theme_name((enum theme)t), style_name((enum style)st), n);
            assert_true(ok);
        }
    }
}

static void styles_have_names_and_letters(void **state)
{
    (void)state;
    assert_int_equal(strlen(style_letter), ST_COUNT);
    for (int a = 0; a < ST_COUNT; a++)
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(style_name((enum style)a), style_name((enum style)b));
            assert_int_not_equal(style_letter[a], style_letter[b]);
        }
    for (int k = 0; k < ROLE_COUNT; k++) {
        char name[60];
        snprintf(name, sizeof name, "%s", role_name((enum role)k));
        for (char *at = name; *at; at++)
            *at = *at == ' ' ? '-' : *at;
        assert_string_equal(style_name((enum style)(ST_ROLE + k)), name);
    }
}

static void the_ground_is_guessed(void **state)
{
    static const struct {
        const char *text;
        enum theme want;
    } cases[] = {{NULL, THEME_ANY}, {"", THEME_ANY}, {"15;0", THEME_DARK}, {"0;15", THEME_LIGHT}, {"0;default;15", THEME_LIGHT},
                 {"7;8", THEME_DARK}, {"0;7", THEME_LIGHT}, {"15;default", THEME_ANY}, {"0;99", THEME_ANY}, {"15;", THEME_ANY}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(theme_of(cases[k].text), cases[k].want);
}

/* ---- Lines ---- */

static char said[4000];
static unsigned warnings;

static void note(const struct diag *d)
{
    char line[1400];
    size_t n = strlen(said);
    warnings++;
    snprintf(said + n, sizeof said - n, "%s\n", diag_text(d, line, sizeof line));
}

static struct config read_text(const char *text)
{
    struct config c;
    said[0] = '\0';
    warnings = 0;
    config_default(&c, THEME_ANY);
    config_read(&c, "my/config", text, note);
    return c;
}

static const struct line_case {
    const char *name, *text, *warning; /* NULL: none */
} line_cases[] = {
    {"an empty file", "", NULL},
    {"blanks and comments are nothing", "\n  \n# color.dim = 3\n\t#x\n", NULL},
    {"a theme", "theme = dark", NULL},
    {"blanks around = do not matter", "  order=born  \n units =bytes", NULL},
    {"a colour by number and name", "color.dim = 12 bold underline\ncolor.row = bright-red reverse\ncolor.peak = default", NULL},
    {"keys by character and name", "key.peak = P\nkey.step-on = d Right C-f", NULL},
    {"an unknown theme", "theme = pink", "my/config:1: theme = pink is not understood (auto, light or dark)"},
    {"an unknown order", "\norder = weight", "my/config:2: order = weight is not understood"},
    {"an unknown unit", "units = GB", "my/config:1: units = GB is not understood"},
    {"an unknown name", "colour.dim = 3", "my/config:1: nothing is called colour.dim (tidemark --print-config lists what there is)"},
    {"an unknown style", "color.ink = 3", "my/config:1: nothing is called color.ink"},
    {"an unknown command", "key.fly = x", "my/config:1: nothing is called key.fly"},
    {"a colour too large", "color.dim = 256", "my/config:1: color.dim = 256 is not understood"},
    {"a colour that is no number", "color.dim = 3x", "my/config:1: color.dim = 3x is not understood"},
    {"a colour that is nothing", "color.dim =", "my/config:1: color.dim =  is not understood"},
    {"a key that is none", "key.peak = Space Bar", "my/config:1: key.peak = Space Bar is not understood"},
    {"too many keys", "key.peak = a b c d", "my/config:1: key.peak = a b c d is not understood (at most three keys)"},
    {"no key", "key.peak =", "a command needs a key"},
    {"no =", "theme dark", "my/config:1: a line without ="},
    {"bytes that are no text", "\x01\xff\x1b[31m = \xfe", "my/config:1: nothing is called \\x01\\xFF\\x1B[31m"},
    {"one key for two commands", "key.peak = z\nkey.map = z", "my/config:1: key z leads to peak and to map"},
    {"a key that another command has", "key.peak = s", "my/config:1: key s leads to peak and to longer"},
    {"that command may go elsewhere", "key.peak = s\nkey.longer = z", NULL},
};

static void lines_are_read(void **state)
{
    const struct line_case *l = *state;
    read_text(l->text);
    if (!l->warning)
        assert_string_equal(said, "");
    else if (!strstr(said, l->warning))
        fail_msg("said:\n%s", said);
    assert_true(!l->warning || warnings == 1 || strstr(l->text, "\nkey"));
}

static void what_is_understood_holds_beside_what_is_not(void **state)
{
    (void)state;
    struct config c = read_text("color.dim = 9 bold\nrubbish\norder = source\ntheme = light\ncolor.peak = 1000\nunits = bytes\n");
    assert_int_equal(warnings, 2);
    assert_int_equal(c.theme, THEME_LIGHT);
    assert_int_equal(c.sort, SORT_SOURCE);
    assert_true(c.bytes);
    assert_int_equal(c.looks.of[ST_DIM].rich, 9); /* the theme below does not undo it */
    assert_int_equal(c.looks.of[ST_DIM].plain, 1);
    assert_int_equal(c.looks.of[ST_DIM].colored, LOOK_BOLD);
    assert_int_equal(c.looks.of[ST_PEAK].rich, looks_default(THEME_LIGHT).of[ST_PEAK].rich);
}

static void any_bytes_are_survived(void **state)
{
    static const char *const parts[] = {"color.", "key.", "dim", "peak", " = ", "=", "\n", "#", "Left", "C-", "<", "255", "\xff", "\t", "bold", "-"};
    uint32_t seed = 3;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        char text[400] = "";
        for (int k = 0; k < 20; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, parts[seed >> 24 & 15]);
        }
        struct config c = read_text(text);
        assert_true(c.keys.n <= CMD_COUNT);
    }
}

/* Every default that is printed is understood, and changes nothing. */
static void the_printed_defaults_are_the_defaults(void **state)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct config plain;
    (void)state;
    config_print(out);
    fclose(out);
    for (char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (at[0] == '#' && (strncmp(at + 1, "color.", 6) == 0 || strncmp(at + 1, "key.", 4) == 0 || strncmp(at + 1, "theme", 5) == 0 ||
                             strncmp(at + 1, "order", 5) == 0 || strncmp(at + 1, "units", 5) == 0))
            *at = ' ';
    struct config c = read_text(text);
    config_default(&plain, THEME_ANY);
    free(text);
    assert_string_equal(said, "");
    assert_memory_equal(&c.looks, &plain.looks, sizeof c.looks);
    assert_int_equal(c.sort, plain.sort);
    assert_true(c.keys.n > 30);
    for (size_t i = 0; i < c.keys.n; i++)
        for (size_t b = 0; b < n_bindings; b++)
            for (unsigned scope = 1; scope <= IN_LAST && bindings[b].keys[0]; scope *= 2)
                if (bindings[b].cmd == c.keys.items[i].cmd && bindings[b].scope & scope)
                    for (int k = 0; k < KEYMAP_KEYS && c.keys.items[i].keys[k]; k++)
                        assert_int_equal(keys_command(keymap_key(&c.keys, c.keys.items[i].keys[k], scope), scope), bindings[b].cmd);
}

static void every_command_has_a_name(void **state)
{
    (void)state;
    for (size_t b = 0; b < n_bindings; b++)
        if (bindings[b].cmd != CMD_NONE && !command_word(bindings[b].cmd))
            fail_msg("no name for the command of \"%s\"", bindings[b].words ? bindings[b].words : "?");
    for (int c = 1; c < CMD_COUNT; c++)
        if (command_word((enum cmd)c))
            assert_int_equal(command_of(command_word((enum cmd)c)), c);
}

/* ---- Keys ---- */

static void keys_do_what_the_file_says(void **state)
{
    (void)state;
    struct config c = read_text("key.step-on = d Right\nkey.peak = Tab\nkey.focus = p\n");
    assert_string_equal(said, "");
    assert_int_equal(keys_command(keymap_key(&c.keys, 'd', IN_CHART), IN_CHART), CMD_STEP_ON);
    assert_int_equal(keys_command(keymap_key(&c.keys, K_RIGHT, IN_CHART), IN_CHART), CMD_STEP_ON);
    assert_int_equal(keymap_key(&c.keys, 'l', IN_CHART), 0); /* its own key no more */
    assert_int_equal(keys_command(keymap_key(&c.keys, K_TAB, IN_CHART), IN_CHART), CMD_PEAK);
    assert_int_equal(keys_command(keymap_key(&c.keys, 'p', IN_CHART), IN_CHART), CMD_FOCUS);
    assert_int_equal(keymap_key(&c.keys, 'd', IN_PICKER), 'd'); /* there it does nothing */
    assert_int_equal(keys_command(keymap_key(&c.keys, K_TAB, IN_COMPARE), IN_COMPARE), CMD_FLIP); /* nor there */
    assert_int_equal(keymap_key(NULL, 'l', IN_CHART), 'l');
}

static void footer_and_help_show_them(void **state)
{
    static struct sample sample;
    struct memo memo = {0};
    (void)state;
    struct config c = read_text("key.step-on = d Right\nkey.help = F\nkey.no-filters = Z\n");
    sample_make(&sample, SAMPLE_SCAN);
    struct app s = app_start(&sample.program, &memo, 200, 60, 0);
    memo.keys = &c.keys;
    assert_shows(&sample.program, &memo, &s, " \xe2\x86\x90 d \xe2\x86\x92 step ");
    assert_shows(&sample.program, &memo, &s, " F help ");
    s.mode = MODE_HELP;
    assert_shows(&sample.program, &memo, &s, "  \xe2\x86\x90 d \xe2\x86\x92");
    memo_free(&memo);
    sample_free(&sample);
}

/* ---- The file ---- */

/* What is no configuration at all, however long: a few lines, and how many more there are. */
static void rubbish_is_told_in_few_lines(void **state)
{
    static const char *const lines[] = {"x = y\n", "x\n", "theme = blue\n", "key.peak = \n", "color.title = 999\n", "\x01\x02=\xff\n"};
    struct arena a = {0};
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        size_t n = strlen(lines[k]);
        char *text = arena_array(&a, 5000 * n + 1, 1);
        for (size_t i = 0; i < 5000; i++)
            memcpy(text + i * n, lines[k], n);
        read_text(text);
        assert_int_equal(warnings, 9);
        assert_non_null(strstr(said, "4992 more of its lines"));
    }
    arena_free(&a);
}

static void files_are_found_and_need_not_be_there(void **state)
{
    char dir[] = "/tmp/tidemark-config-XXXXXX", path[200], out[300];
    struct config c;
    struct diag d;
    (void)state;
    assert_non_null(mkdtemp(dir));
    setenv("XDG_CONFIG_HOME", dir, 1);
    snprintf(path, sizeof path, "%s/tidemark/config", dir);
    assert_string_equal(config_path(out, sizeof out), path);
    assert_null(config_path(out, 10));
    setenv("XDG_CONFIG_HOME", "relative", 1); /* must be absolute, else it is as if not set */
    setenv("HOME", "/home/x", 1);
    assert_string_equal(config_path(out, sizeof out), "/home/x/.config/tidemark/config");
    setenv("HOME", "x", 1); /* this one too: nothing lies where one happens to stand */
    assert_null(config_path(out, sizeof out));
    setenv("HOME", "", 1);
    assert_null(config_path(out, sizeof out));
    read_text("");
    config_default(&c, THEME_ANY);
    assert_true(config_load(&c, path, false, note, &d));
    assert_int_equal(warnings, 0);
    assert_false(config_load(&c, path, true, note, &d)); /* it was asked for */
    assert_true(config_load(&c, dir, false, note, &d));  /* a directory: one warning */
    assert_int_equal(warnings, 1);
    rmdir(dir);
}

int main(void)
{
    static struct CMUnitTest tests[60];
    size_t n = 0;
    ADD(colours_read_on_their_ground);
    ADD(styles_have_names_and_letters);
    ADD(the_ground_is_guessed);
    ADD_TABLE(line_cases, lines_are_read, name);
    ADD(what_is_understood_holds_beside_what_is_not);
    ADD(any_bytes_are_survived);
    ADD(the_printed_defaults_are_the_defaults);
    ADD(every_command_has_a_name);
    ADD(keys_do_what_the_file_says);
    ADD(footer_and_help_show_them);
    ADD(rubbish_is_told_in_few_lines);
    ADD(files_are_found_and_need_not_be_there);
    return _cmocka_run_group_tests("the configuration", tests, n, NULL, NULL);
}
