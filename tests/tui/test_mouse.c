/* The mouse's reports, of terminals new and old. */
#include "tests/support/tables.h"
#include "tui/terminal/mouse.h"

struct mouse_case {
    const char *name;
    const char *reports[3]; /* the last one answers */
    struct msg want;
};

static const struct mouse_case mouse_cases[] = {
    {"a press is a click", {"0;40;9M"}, {.kind = MSG_CLICK, .col = 39, .row = 8}},
    {"letting go is nothing", {"0;40;9M", "0;40;9m"}, {.kind = MSG_NONE}},
    {"moving with the button down is a drag", {"0;40;9M", "32;44;10M"},
     {.kind = MSG_DRAG, .col = 43, .row = 9, .from_col = 39, .from_row = 8}},
    {"moving after letting go is nothing", {"0;40;9M", "0;40;9m", "32;44;10M"}, {.kind = MSG_NONE}},
    {"moving alone is nothing", {"35;44;10M"}, {.kind = MSG_NONE}},
    {"the wheel up", {"64;3;4M"}, {.kind = MSG_WHEEL_UP, .col = 2, .row = 3}},
    {"the wheel down", {"65;3;4M"}, {.kind = MSG_WHEEL_DOWN, .col = 2, .row = 3}},
    {"the wheel left", {"66;3;4M"}, {.kind = MSG_WHEEL_LEFT, .col = 2, .row = 3}},
    {"with Shift it goes sideways", {"69;3;4M"}, {.kind = MSG_WHEEL_RIGHT, .col = 2, .row = 3}},
    {"with Control too", {"80;3;4M"}, {.kind = MSG_WHEEL_LEFT, .col = 2, .row = 3}},
    {"another button is nothing", {"2;3;4M"}, {.kind = MSG_NONE}},
    {"no column 0", {"0;0;4M"}, {.kind = MSG_NONE}},
    {"no column beyond", {"0;99999;4M"}, {.kind = MSG_NONE}},
    {"no other ends", {"0;3;4X"}, {.kind = MSG_NONE}},
    {"no rests", {"0;3;4M0"}, {.kind = MSG_NONE}},
    {"no rubbish", {"\x7f;;M"}, {.kind = MSG_NONE}},
    {"no nothing", {""}, {.kind = MSG_NONE}},
    {"no large button", {"9999;3;4M"}, {.kind = MSG_NONE}},
};

static void mouse_reports_are_read(void **state)
{
    const struct mouse_case *c = *state;
    struct mouse mouse = {0};
    struct msg m = {0};
    for (int k = 0; k < 3 && c->reports[k]; k++)
        m = mouse_sgr(&mouse, c->reports[k]);
    assert_int_equal(m.kind, c->want.kind);
    assert_int_equal(m.col, c->want.col);
    assert_int_equal(m.row, c->want.row);
    assert_int_equal(m.from_col, c->want.from_col);
    assert_int_equal(m.from_row, c->want.from_row);
}

static void old_reports_are_read_too(void **state)
{
    struct mouse mouse = {0};
    (void)state;
    struct msg m = mouse_x10(&mouse, (const unsigned char *)" H)");
    assert_true(m.kind == MSG_CLICK && m.col == 39 && m.row == 8);
    m = mouse_x10(&mouse, (const unsigned char *)"@L*");
    assert_true(m.kind == MSG_DRAG && m.col == 43 && m.row == 9 && m.from_col == 39);
    m = mouse_x10(&mouse, (const unsigned char *)"#L*");
    assert_true(m.kind == MSG_NONE && !mouse.held);
    m = mouse_x10(&mouse, (const unsigned char *)"`L*");
    assert_int_equal(m.kind, MSG_WHEEL_UP);
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b += 5) {
            unsigned char any[3] = {(unsigned char)a, (unsigned char)b, (unsigned char)(b ^ a)};
            m = mouse_x10(&mouse, any);
            assert_true(m.kind == MSG_NONE || (m.col >= 0 && m.row >= 0));
        }
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(mouse_cases) + 1];
    size_t n = 0;
    ADD_TABLE(mouse_cases, mouse_reports_are_read, name);
    ADD(old_reports_are_read_too);
    return _cmocka_run_group_tests("mouse", tests, n, NULL, NULL);
}
