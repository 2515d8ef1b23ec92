#include "tui/terminal/keys.h"

#include "tui/terminal/grid.h"
#include "tui/terminal/typing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct binding bindings[] = {
    {CMD_OPEN, IN_PICKER, {K_ENTER}, "Enter", "open", 2, "open the module"},
    {CMD_ROW_UP, IN_HELP | IN_PAGE | IN_COMPARE, {K_UP, 'k'}, "↑↓", "scroll", 2, "a line up, down"},
    {CMD_CHOOSE, IN_PAGE | IN_COMPARE, {K_ENTER}, "Enter", "go there", 3, "to the step or buffer that the line is about"},
    {CMD_LOOP_BACK, IN_PAGE, {'{'}, "{ }", "section", 3, "to the section before, the next one"},
    {CMD_FLIP, IN_COMPARE, {K_TAB}, "Tab", "go to A", 2, "the other way round: A is shown, at the line's buffer"},
    {CMD_LEFT, IN_GRID, {K_LEFT, 'h'}, "← → ↑ ↓", "select", 2, "select a form"},
    {CMD_CHOOSE, IN_GRID, {K_ENTER}, "Enter", "open it", 1, "open it, asking what-if where it was not yet"},
    {CMD_STEP_BACK, IN_PROGRAM, {K_LEFT, 'h'}, "←→", "step", 3, NULL},
    {CMD_STEP_ON, IN_PROGRAM, {K_RIGHT, 'l'}, "← →  h l", NULL, 0, "one step back, on"},
    {CMD_ITERATION_BACK, IN_PROGRAM, {'['}, "[ ]", "iteration", 5, NULL},
    {CMD_ITERATION_ON, IN_PROGRAM, {']'}, "[ ]", NULL, 0,
     "the same instruction one iteration back, on"},
    {CMD_LOOP_BACK, IN_PROGRAM, {'{'}, NULL, NULL, 0, NULL},
    {CMD_LOOP_ON, IN_PROGRAM, {'}'}, "{ }", "loop", 8, "to the previous, next loop"},
    {CMD_CLOCK, IN_PROGRAM, {'x'}, "x", "clock", 4,
     "program order (each loop once), execution order (as it runs)"},
    {CMD_ROW_UP, IN_CHART | IN_TABLE | IN_PICKER, {K_UP, 'k'}, "↑↓", "select", 4, NULL},
    {CMD_ROW_DOWN, IN_CHART | IN_TABLE, {K_DOWN, 'j'}, "↑ ↓  k j", NULL, 0,
     "select a buffer in the table"},
    {CMD_ROW_DOWN, IN_PICKER, {K_DOWN, 'j'}, "↑ ↓  k j", NULL, 0, "select a module"},
    {CMD_ROW_UP, IN_MAPS, {K_UP, 'k'}, "↑↓", "offset", 4, NULL},
    {CMD_ROW_DOWN, IN_MAPS, {K_DOWN, 'j'}, "↑ ↓  k j", NULL, 0, "a row of offsets up, down"},
    {CMD_WHY, IN_CHART | IN_TABLE, {K_ENTER}, "Enter", "why", 4,
     "why the selected buffer is alive"},
    {CMD_EXPLAIN, IN_PROGRAM, {'e'}, "e", "explain", 3,
     "explain: what the bytes here are for, and what would lower them"},
    {CMD_LONGER, IN_VIEWS, {'s'}, "s", "seqlen", 3, NULL},
    {CMD_SHORTER, IN_VIEWS, {'S'}, "s S", NULL, 0, "a longer, shorter scan: what would the memory be?"},
    {CMD_UNROLL, IN_VIEWS, {'u'}, "u", "unroll", 3, NULL},
    {CMD_ROLL, IN_VIEWS, {'U'}, "u U", NULL, 0, "unrolled more, less"},
    {CMD_TARGET, IN_VIEWS, {'t'}, "t", "target", 8, "the next target that the example is compiled for"},
    {CMD_COMPARE, IN_PROGRAM | IN_PAGE | IN_GRID, {'c'}, "c", "compare", 5,
     "compare with the form before: both charts, what differs"},
    {CMD_RUN, IN_PROGRAM | IN_PAGE, {'r'}, "r", "run", 4,
     "run it here, and see what it truly uses; once more: what it used, iteration by iteration"},
    {CMD_GRID, IN_PROGRAM | IN_PAGE | IN_COMPARE, {'g'}, "g", "grid", 5, "the grid: every seqlen and unroll at a glance"},
    {CMD_LESSON, IN_PROGRAM, {'L'}, "L", "lesson", 3,
     "the lesson: why the example needs what it needs; back to its page"},
    {CMD_BORN, IN_CHART | IN_TABLE, {'b'}, "b", "born", 9,
     "to where the selected buffer is born; there, to where it dies"},
    {CMD_PAGE_BACK, IN_CHART | IN_MAPS, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_CHART | IN_MAPS, {K_PAGE_DOWN}, "PgUp PgDn", "tenth", 9,
     "a tenth of the program; in the table a page"},
    {CMD_PAGE_BACK, IN_TABLE | IN_PICKER, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_TABLE, {K_PAGE_DOWN}, "PgUp PgDn", "page", 9, NULL},
    {CMD_PAGE_ON, IN_PICKER, {K_PAGE_DOWN}, "PgUp PgDn", "page", 9, "a page up, down"},
    {CMD_FIRST, IN_PROGRAM | IN_PICKER, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_PROGRAM, {K_END}, "Home End", "ends", 9, "first and last step; in the table row"},
    {CMD_LAST, IN_PICKER, {K_END}, "Home End", "ends", 9, "first and last module"},
    {CMD_PEAK, IN_PROGRAM, {'p'}, "p", "peak", 2, "to the peak; there, to the next one"},
    {CMD_FOCUS, IN_MAIN, {K_TAB}, "Tab", "other", 6, "chart, map or table takes the keys"},
    {CMD_FOCUS, IN_MAP, {K_TAB}, NULL, NULL, 0, NULL},
    {CMD_MAP, IN_MAIN, {'m'}, "m", "map", 6, "the map: where in its allocation each buffer lies"},
    {CMD_BIGGER, IN_MAPS, {'A'}, NULL, NULL, 0, NULL},
    {CMD_SMALLER, IN_MAPS, {'a'}, "a A", "allocation", 5, "the next smaller, larger allocation"},
    {CMD_CHOOSE, IN_MAPS, {K_ENTER}, "Enter", "select", 6, "in the map: select a buffer at the cursor, the next"},
    {CMD_SORT, IN_CHART | IN_TABLE | IN_PANEL, {'o'}, "o", "order", 7,
     "order by size, born, dies, role, name, source"},
    {CMD_NARROW, IN_MAIN, {'f'}, "f", "filter", 7, "filter the rows: by role, loop, memory, size, source line, file"},
    {CMD_WIDEN, IN_MAIN, {'F'}, "F", "all rows", 2, "take all filters away; Esc the last one"},
    {CMD_FOLD, IN_MAIN, {'G'}, "G", "group", 7, "group the rows by source line, op_name, shape, role; Enter unfolds one"},
    {CMD_UNITS, IN_VIEWS & ~(unsigned)IN_PAGE, {'B'}, "B", "bytes", 9, "figures in bytes, in GiB again"},
    {CMD_SPACE, IN_PROGRAM, {'V'}, "V", "space", 6, "chart another memory space"},
    {CMD_SEARCH, IN_PROGRAM, {'/'}, "/", "search", 7, "search names, op_names, shapes and sources"},
    {CMD_FILTER, IN_PICKER, {'/'}, "/", "filter", 5, "show only modules with this in their name"},
    {CMD_NEXT, IN_PROGRAM, {'n'}, "n N", "next", 2, "next, previous match; goes to where it is born"},
    {CMD_PREVIOUS, IN_PROGRAM, {'N'}, NULL, NULL, 0, NULL},
    {CMD_CLOSER, IN_PROGRAM, {'+'}, "+ -", "zoom", 8, NULL},
    {CMD_FARTHER, IN_PROGRAM, {'-'}, "+ -", NULL, 0, "show less time around the cursor, more"},
    {CMD_WHOLE, IN_PROGRAM, {'=', '0'}, "= 0", "all", 2, "all of it again"},
    {CMD_SELECT, IN_CHART | IN_TABLE, {'v'}, "v", "range", 8,
     "select a range of time, from here to where the cursor goes: the table shows what is alive in it"},
    {CMD_PLAY, IN_PROGRAM, {' '}, "Space", "play", 8, "play the iterations; , . slower, faster; any key stops"},
    {CMD_NONE, IN_PROGRAM, {0}, "12 ]", NULL, 0, "a count before a key that moves or zooms: twelve iterations on"},
    {CMD_BACK, IN_VIEWS, {'<'}, "< >", "jump back", 8, NULL},
    {CMD_FORWARD, IN_VIEWS, {'>'}, "< >", NULL, 0, "back to where one jumped from, forward again"},
    {CMD_SET_MARK, IN_VIEWS, {'"'}, "\" a", NULL, 0, "mark this place with a letter, a to z"},
    {CMD_GO_MARK, IN_VIEWS, {'\''}, "' a", NULL, 0, "to the place marked so; ' alone lists them"},
    {CMD_COMMAND, IN_VIEWS, {':'}, ":", "go to", 8,
     "go to a step, a name, a source line (scan.py:21), an iteration; length N, unroll K; Tab completes"},
    {CMD_COPY, IN_PROGRAM, {'y'}, "y y  y r", "copy", 9, "copy the selected buffer's line, the report"},
    {CMD_NONE, IN_CHART | IN_TABLE | IN_PANEL, {0}, "mouse", NULL, 0,
     "click: go to a step, select; drag: a range of time; wheel: zoom, with Shift a column on"},
    {CMD_NONE, IN_MAP, {0}, "mouse", NULL, 0, "click: move the cursor; wheel: zoom, with Shift a column on"},
    {CMD_NONE, IN_PICKER, {0}, "mouse", NULL, 0, "click: select, again: open; wheel: move"},
    {CMD_CLOSE, IN_MAP, {K_ESC, 'm'}, "Esc m", "back", 1, "back to chart and table"},
    {CMD_RIGHT, IN_GRID, {K_RIGHT, 'l'}, NULL, NULL, 0, NULL},
    {CMD_ROW_UP, IN_GRID, {K_UP, 'k'}, NULL, NULL, 0, NULL},
    {CMD_ROW_DOWN, IN_GRID, {K_DOWN, 'j'}, NULL, NULL, 0, NULL},
    {CMD_LESSON, IN_PAGE | IN_GRID | IN_COMPARE, {'L'}, NULL, NULL, 0, NULL},
    {CMD_LEFT, IN_LESSON, {K_LEFT, 'p', 'h'}, "←→", "page", 1, NULL},
    {CMD_RIGHT, IN_LESSON, {K_RIGHT, 'n', 'l'}, "← →  p n", NULL, 0, "the page before, the next page"},
    {CMD_ANSWER, IN_LESSON, {' '}, "Space", "answer", 1, "the answer to the question, or not (Enter too)"},
    {CMD_CHOOSE, IN_LESSON, {K_ENTER}, "Enter", "open it", 1, "open the selected remedy, on the last page"},
    {CMD_FLIP, IN_LESSON, {K_TAB}, "Tab", "place", 3, "the next place, or program, that the page is about"},
    {CMD_ROW_UP, IN_LESSON, {K_UP, 'k'}, "↑↓", "scroll", 4, NULL},
    {CMD_ROW_DOWN, IN_LESSON, {K_DOWN, 'j'}, "↑ ↓  k j", NULL, 0, "scroll its words; on the last page select"},
    {CMD_PAGE_BACK, IN_LESSON, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_LESSON, {K_PAGE_DOWN}, "PgUp PgDn", NULL, 0, "the same, as far as can be seen"},
    {CMD_FIRST, IN_LESSON, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_LESSON, {K_END}, "Home End", NULL, 0, "the first and the last page"},
    {CMD_CLOSE, IN_LESSON, {K_ESC, 'L'}, "Esc", "look around", 2, "look around in the program; L comes back"},
    {CMD_ROW_UP, IN_MENU, {K_UP, 'k'}, "↑↓", "select", 3, NULL},
    {CMD_ROW_DOWN, IN_MENU, {K_DOWN, 'j'}, NULL, NULL, 0, NULL},
    {CMD_PAGE_BACK, IN_MENU, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_MENU, {K_PAGE_DOWN}, NULL, NULL, 0, NULL},
    {CMD_FIRST, IN_MENU, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_MENU, {K_END}, NULL, NULL, 0, NULL},
    {CMD_CHOOSE, IN_MENU, {K_ENTER}, "Enter", "choose", 2, NULL},
    {CMD_WIDEN, IN_MENU, {'F'}, "F", "no filters", 4, NULL},
    {CMD_CLOSE, IN_MENU, {K_ESC}, "Esc", "back", 1, NULL},
    {CMD_ROW_DOWN, IN_HELP | IN_PAGE | IN_COMPARE, {K_DOWN, 'j'}, NULL, NULL, 0, NULL},
    {CMD_LOOP_ON, IN_PAGE, {'}'}, NULL, NULL, 0, NULL},
    {CMD_PAGE_BACK, IN_HELP | IN_PAGE | IN_COMPARE, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_HELP | IN_PAGE | IN_COMPARE, {K_PAGE_DOWN}, "PgUp PgDn", "page", 4, "a page up, down; Home and End its ends"},
    {CMD_FIRST, IN_HELP | IN_PAGE | IN_COMPARE, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_HELP | IN_PAGE | IN_COMPARE, {K_END}, NULL, NULL, 0, NULL},
    {CMD_CHOOSE, IN_LISTING, {K_ENTER}, "Enter", "largest of it", 3, "from a line, kind, shape or op_name to the largest of its buffers"},
    {CMD_ROW_UP, IN_LISTING, {K_UP, 'k'}, "↑↓", "select", 2, NULL},
    {CMD_ROW_DOWN, IN_LISTING, {K_DOWN, 'j'}, "↑ ↓  k j", NULL, 0, "select a row"},
    {CMD_FLIP, IN_LISTING, {K_TAB, 'G'}, "Tab", "group", 1,
     "group by source line, kind, shape, op_name; the log's figures; buffers again"},
    {CMD_PAGE_BACK, IN_LISTING, {K_PAGE_UP}, NULL, NULL, 0, NULL},
    {CMD_PAGE_ON, IN_LISTING, {K_PAGE_DOWN}, "PgUp PgDn", "page", 9, "a page up, down"},
    {CMD_FIRST, IN_LISTING, {K_HOME}, NULL, NULL, 0, NULL},
    {CMD_LAST, IN_LISTING, {K_END}, "Home End", "ends", 9, "first and last row"},
    {CMD_CLOSE, IN_LISTING, {K_ESC}, "Esc", "buffers", 4, "back to the buffers"},
    {CMD_MODULES, IN_LISTING, {'M'}, "M", "modules", 5, "back to the list of modules"},
    {CMD_HELP, IN_LISTING, {'?'}, "?", "help", 1, "this help"},
    {CMD_QUIT, IN_LISTING, {'q', K_CTRL_C}, "q", "quit", 0, "quit (Ctrl-C too)"},
    {CMD_HELP, IN_PAGE | IN_GRID | IN_COMPARE, {'?'}, "?", "help", 4, "this help"},
    {CMD_CLOSE, IN_HELP, {K_ESC, '?'}, "Esc", "back", 1, NULL},
    {CMD_CLOSE, IN_PAGE, {K_ESC, 'e'}, "Esc", "back", 1, "back to chart and table"},
    {CMD_CLOSE, IN_GRID, {K_ESC, 'g'}, "Esc", "back", 1, "back to chart and table"},
    {CMD_CLOSE, IN_COMPARE, {K_ESC, 'c'}, "Esc", "back", 1, "back to chart and table"},
    {CMD_CLOSE, IN_MAIN, {K_ESC}, "Esc", "cancel", 1, NULL},
    {CMD_CLOSE, IN_PICKER, {K_ESC}, "Esc", "all", 3, "show all modules again"},
    {CMD_MODULES, IN_PROGRAM, {'M'}, "M", "modules", 5, "back to the list of modules"},
    {CMD_HELP, IN_MAIN, {'?'}, "? Esc", NULL, 0, "this help; leave it, the filter, the search's matches"},
    {CMD_HELP, IN_MAP | IN_PICKER | IN_LESSON, {'?'}, "?", NULL, 0, "this help"},
    {CMD_HELP, IN_PROGRAM | IN_PICKER | IN_LESSON, {'?'}, "?", "help", 1, NULL},
    {CMD_QUIT, IN_VIEWS | IN_HELP | IN_PICKER | IN_LESSON | IN_MENU, {'q', K_CTRL_C}, "q", "quit", 0, "quit (Ctrl-C too)"},
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
    {"wheel-left:", MSG_WHEEL_LEFT}, {"wheel-right:", MSG_WHEEL_RIGHT}, {"drag:", MSG_DRAG},
};

const char *key_shown(int32_t key, char out[16])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key && key != '<') {
            snprintf(out, 16, "%s", names[i].name);
            return out;
        }
    if (key > 0 && key < ' ')
        snprintf(out, 16, "Ctrl-%c", (char)(key + '@'));
    else if (key >= K_LEFT || key <= 0)
        snprintf(out, 16, "that key");
    else
        snprintf(out, 16, "%s", utf8_text((uint32_t)key, (char[5]){0}));
    return out;
}

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

/* "40,9" at *at, from 1. */
static bool cell(const char **at, const char *end, int *col, int *row)
{
    if (!number(at, end, col) || *at == end || *(*at)++ != ',' || !number(at, end, row))
        return false;
    --*col;
    --*row;
    return true;
}

static bool mouse_at(const char *at, const char *end, struct msg *m)
{
    for (size_t i = 0; i < sizeof mouse / sizeof *mouse; i++) {
        size_t len = strlen(mouse[i].name);
        if ((size_t)(end - at) <= len || strncasecmp(at, mouse[i].name, len) != 0)
            continue;
        *m = (struct msg){.kind = mouse[i].kind};
        at += len;
        if (m->kind == MSG_DRAG &&
            (!cell(&at, end, &m->from_col, &m->from_row) || at == end || *at++ != ':'))
            return false;
        return cell(&at, end, &m->col, &m->row) && at == end;
    }
    return false;
}

const char *keys_name(int32_t key)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key)
            return names[i].name;
    return NULL;
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
    if (end && end - start < 40)
        diag_file(d, NULL, "--keys: no key is called %.*s (position %u)", (int)(end - start + 1),
                  start, position);
    else
        diag_file(d, NULL, "--keys: '<' at position %u begins no key", position);
    return diag_hint(d, "<Enter> <Tab> <Esc> <Space> <BS> <Left> <Right> <Up> <Down> <PgUp> <PgDn> "
                        "<Home> <End> <C-x> <click:COL,ROW> <wheel+:COL,ROW> <drag:COL,ROW:COL,ROW>; '<' itself is <lt>");
}
