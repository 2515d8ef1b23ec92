/* Keys as --keys writes them. */
#include "tests/support/tables.h"
#include "tui/model/search.h"
#include "tui/update/update.h"
#include "tui/views/views.h"

struct keys_case {
    const char *name, *keys;
    struct msg want;
};

static const struct keys_case keys_cases[] = {
    {"a letter is itself", "q", {.kind = MSG_KEY, .key = 'q'}},
    {"letters beyond ASCII are one key", "é", {.kind = MSG_KEY, .key = 0xe9}},
    {"the end is no message", "", {.kind = MSG_NONE}},
    {"names stand in angles", "<Left>", {.kind = MSG_KEY, .key = K_LEFT}},
    {"in any case", "<pgdn>", {.kind = MSG_KEY, .key = K_PAGE_DOWN}},
    {"<Space> is a blank", "<Space>", {.kind = MSG_KEY, .key = ' '}},
    {"<lt> is the angle itself", "<lt>", {.kind = MSG_KEY, .key = '<'}},
    {"a closing angle is itself", ">", {.kind = MSG_KEY, .key = '>'}},
    {"control keys", "<C-c>", {.kind = MSG_KEY, .key = K_CTRL_C}},
    {"clicks count from 1", "<click:40,9>", {.kind = MSG_CLICK, .col = 39, .row = 8}},
    {"the wheel up", "<wheel+:1,1>", {.kind = MSG_WHEEL_UP, .col = 0, .row = 0}},
    {"the wheel down", "<wheel-:12,3>", {.kind = MSG_WHEEL_DOWN, .col = 11, .row = 2}},
};

static void keys_are_read(void **state)
{
    const struct keys_case *c = *state;
    struct msg m;
    struct diag d;
    const char *at = c->keys;
    assert_true(keys_next(c->keys, &at, &m, &d));
    assert_string_equal(at, "");
    assert_int_equal(m.kind, c->want.kind);
    assert_int_equal(m.key, c->want.key);
    assert_int_equal(m.col, c->want.col);
    assert_int_equal(m.row, c->want.row);
}

struct bad_case {
    const char *keys, *want;
};

static const struct bad_case bad_cases[] = {
    {"ll<Foo>", "tidemark: --keys: no key is called <Foo> (position 3)"},
    {"<", "tidemark: --keys: '<' at position 1 begins no key"},
    {"l<Left", "tidemark: --keys: '<' at position 2 begins no key"},
    {"<>", "tidemark: --keys: no key is called <> (position 1)"},
    {"<C-1>", "tidemark: --keys: no key is called <C-1> (position 1)"},
    {"<click:0,1>", "tidemark: --keys: no key is called <click:0,1> (position 1)"},
    {"<click:3>", "tidemark: --keys: no key is called <click:3> (position 1)"},
    {"<click:3,4,5>", "tidemark: --keys: no key is called <click:3,4,5> (position 1)"},
    {"<wheel:3,4>", "tidemark: --keys: no key is called <wheel:3,4> (position 1)"},
};

static void bad_keys_are_named(void **state)
{
    const struct bad_case *c = *state;
    struct msg m;
    struct diag d = {0};
    char text[1400];
    const char *at = c->keys;
    while (keys_next(c->keys, &at, &m, &d))
        assert_int_not_equal(m.kind, MSG_NONE);
    diag_text(&d, text, sizeof text);
    assert_true(strlen(text) > strlen(c->want));
    text[strlen(c->want)] = '\0'; /* the hint follows */
    assert_string_equal(text, c->want);
}

static void every_key_has_one_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_bindings; i++)
        for (int k = 0; k < 3 && bindings[i].keys[k]; k++)
            for (unsigned scope = 1; scope <= IN_LAST; scope <<= 1)
                if (bindings[i].scope & scope)
                    assert_int_equal(keys_command(bindings[i].keys[k], scope), bindings[i].cmd);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(keys_cases) + COUNT(bad_cases) + 1];
    size_t n = 0;
    ADD_TABLE(keys_cases, keys_are_read, name);
    ADD_TABLE(bad_cases, bad_keys_are_named, keys);
    ADD(every_key_has_one_meaning);
    return _cmocka_run_group_tests("keys", tests, n, NULL, NULL);
}
