#include "tui/keys.h"

#include "tui/grid.h"
#include <string.h>
#include <strings.h>

const struct binding bindings[] = {
    {CMD_STEP_BACK, IN_MAIN, {K_LEFT, 'h'}, "←→", "step", 3, NULL},
    {CMD_STEP_ON, IN_MAIN, {K_RIGHT, 'l'}, "← →  h l", NULL, 0, "one step back, on"},
    {CMD_ROW_UP, IN_MAIN, {K_UP, 'k'}, "↑↓", "select", 4, NULL},
    {CMD_ROW_DOWN, IN_MAIN, {K_DOWN, 'j'}, "↑ ↓  k j", NULL, 0, "select a buffer in the table"},
    {CMD_PAGE_BACK, IN_CHART, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_CHART, {K_PAGE_DOWN}, "PgUp PgDn", "tenth", 8,
     "a tenth of the program; in the table a page"},
    {CMD_PAGE_BACK, IN_TABLE, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_TABLE, {K_PAGE_DOWN}, "PgUp PgDn", "page", 8, NULL},
    {CMD_FIRST, IN_MAIN, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_MAIN, {K_END}, "Home End", "ends", 9, "first and last step; in the table row"},
    {CMD_PEAK, IN_MAIN, {'p'}, "p", "peak", 2, "to the peak"},
    {CMD_FOCUS, IN_CHART, {K_TAB}, "Tab", "table", 5, "chart or table takes PgUp PgDn Home End"},
    {CMD_FOCUS, IN_TABLE, {K_TAB}, "Tab", "chart", 5, NULL},
    {CMD_SORT, IN_MAIN, {'o'}, "o", "order", 6, "order by size, born, dies, name, source"},
    {CMD_SEARCH, IN_MAIN, {'/'}, "/", "search", 7, "search names, op_names, shapes and sources"},
    {CMD_NEXT, IN_MAIN, {'n'}, "n N", "next", 2, "next, previous match; goes to where it is born"},
    {CMD_PREVIOUS, IN_MAIN, {'N'}, NULL, NULL, 0, NULL},
    {CMD_NONE, IN_MAIN, {0}, "mouse", NULL, 0, "click: go to a step, select; wheel: move"},
    {CMD_CLOSE, IN_MAIN, {K_ESC}, "Esc", NULL, 0, "leave the help, the search, its matches"},
    {CMD_ROW_UP, IN_HELP, {K_UP, 'k'}, "↑↓", "scroll", 3, NULL},
    {CMD_ROW_DOWN, IN_HELP, {K_DOWN, 'j'}, NULL, NULL, 0, NULL},
    {CMD_PAGE_BACK, IN_HELP, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_HELP, {K_PAGE_DOWN}, NULL, NULL, 0, NULL},
    {CMD_FIRST, IN_HELP, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_HELP, {K_END}, NULL, NULL, 0, NULL},
    {CMD_CLOSE, IN_HELP, {K_ESC, '?'}, "Esc", "back", 1, NULL},
    {CMD_HELP, IN_MAIN, {'?'}, "?", "help", 1, "this help"},
    {CMD_QUIT, IN_MAIN | IN_HELP, {'q', K_CTRL_C}, "q", "quit", 0, "quit (Ctrl-C too)"},
};
const size_t n_bindings = sizeof bindings / sizeof *bindings;

enum cmd keys_command(int32_t key, unsigned scope)
{
    for (size_t i = 0; i < n_bindings; i++)
        for (int k = 0; k < 3 && bindings[i].keys[k]; k++)
            if (bindings[i].keys[k] == key && bindings[i].scope & scope)
                return bindings[i].cmd;
    return CMD_NONE;
}

/* ---- The notation of --keys ---- */

static const struct {
    const char *name;
    int32_t key;
} names[] = {
    {"Enter", K_ENTER},    {"Tab", K_TAB},          {"Esc", K_ESC},   {"Space", ' '},
    {"BS", K_BACKSPACE},   {"Left", K_LEFT},        {"Right", K_RIGHT}, {"Up", K_UP},
    {"Down", K_DOWN},      {"PgUp", K_PAGE_UP},     {"PgDn", K_PAGE_DOWN},
    {"Home", K_HOME},      {"End", K_END},          {"lt", '<'},
};

static const struct {
    const char *name;
    enum msg_kind kind;
} mouse[] = {
    {"click:", MSG_CLICK}, {"wheel+:", MSG_WHEEL_UP}, {"wheel-:", MSG_WHEEL_DOWN},
};

/* "12" at *at, 1 … 9999. */
static bool number(const char **at, const char *end, int *out)
{
    int n = 0;
    const char *s = *at;
    for (; s < end && *s >= '0' && *s <= '9' && n < 1000; s++)
        n = n * 10 + (*s - '0');
    bool found = s > *at && n > 0;
    *at = s;
    *out = n;
    return found;
}

static bool mouse_at(const char *at, const char *end, struct msg *m)
{
    for (size_t i = 0; i < sizeof mouse / sizeof *mouse; i++) {
        size_t len = strlen(mouse[i].name);
        if ((size_t)(end - at) <= len || strncasecmp(at, mouse[i].name, len) != 0)
            continue;
        int col, row;
        at += len;
        if (!number(&at, end, &col) || at == end || *at++ != ',' || !number(&at, end, &row))
            return false;
        *m = (struct msg){.kind = mouse[i].kind, .col = col - 1, .row = row - 1};
        return at == end;
    }
    return false;
}

/* What stands between '<' and '>'. */
static bool named(const char *at, const char *end, struct msg *m)
{
    size_t len = (size_t)(end - at);
    *m = (struct msg){.kind = MSG_KEY};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == len && strncasecmp(at, names[i].name, len) == 0) {
            m->key = names[i].key;
            return true;
        }
    if (len == 3 && strncasecmp(at, "C-", 2) == 0) {
        char letter = (char)(at[2] | 0x20);
        m->key = letter - 'a' + 1;
        return letter >= 'a' && letter <= 'z';
    }
    return mouse_at(at, end, m);
}

bool keys_next(const char *whole, const char **at, struct msg *m, struct diag *d)
{
    const char *start = *at;
    *m = (struct msg){0};
    if (!*start)
        return true;
    if (*start != '<') {
        *m = (struct msg){.kind = MSG_KEY, .key = (int32_t)text_next(at)};
        return true;
    }
    const char *end = strchr(start, '>');
    unsigned position = (unsigned)(start - whole) + 1;
    if (end && named(start + 1, end, m)) {
        *at = end + 1;
        return true;
    }
    if (end && end - start < 24)
        diag_file(d, NULL, "--keys: no key is called %.*s (position %u)", (int)(end - start + 1),
                  start, position);
    else
        diag_file(d, NULL, "--keys: '<' at position %u begins no key", position);
    return diag_hint(d, "<Enter> <Tab> <Esc> <Space> <BS> <Left> <Right> <Up> <Down> <PgUp> <PgDn> "
                        "<Home> <End> <C-x> <click:COL,ROW> <wheel+:COL,ROW>; '<' itself is <lt>");
}
