#include "tui/terminal/looks.h"

#include <stdlib.h>
#include <string.h>

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

/* Colours of THEME_ANY read on black and on white, those of the others on their own ground: a test
 * holds each to a contrast. */
static const struct {
    const char *name;
    int16_t rich[THEME_COUNT], plain;
    uint8_t colored, mono;
} table[ST_COUNT] = {
    [ST_PLAIN] = {"plain", {-1, -1, -1}, -1, 0, 0},
    [ST_DIM] = {"dim", {244, 242, 247}, -1, 0, 0},
    [ST_TITLE] = {"title", {-1, -1, -1}, -1, LOOK_BOLD, LOOK_BOLD},
    [ST_RULE] = {"rule", {244, 243, 244}, -1, 0, 0},
    [ST_FOCUS] = {"focus", {33, 26, 75}, BLUE, LOOK_BOLD, LOOK_BOLD},
    [ST_LIVE] = {"live", {67, 25, 74}, BLUE, 0, 0},
    [ST_CHOSEN] = {"chosen", {166, 130, 214}, YELLOW, 0, 0},
    [ST_CURSOR] = {"cursor", {162, 162, 206}, MAGENTA, LOOK_BOLD, LOOK_BOLD},
    [ST_PEAK] = {"peak", {160, 160, 203}, RED, LOOK_BOLD, LOOK_BOLD},
    [ST_LIMIT] = {"limit", {160, 160, 203}, RED, 0, 0},
    [ST_OVER] = {"over", {160, 160, 203}, RED, LOOK_BOLD, LOOK_BOLD},
    [ST_GOOD] = {"good", {28, 28, 77}, GREEN, 0, 0},
    [ST_LOOP] = {"loop", {30, 23, 44}, CYAN, 0, 0},
    [ST_LOOP_IN] = {"loop-in", {30, 23, 44}, CYAN, LOOK_BOLD, LOOK_BOLD},
    [ST_ROW] = {"row", {-1, -1, -1}, -1, LOOK_REVERSE, LOOK_REVERSE},
    [ST_MATCH] = {"match", {166, 130, 214}, YELLOW, LOOK_BOLD | LOOK_UNDERLINE, LOOK_BOLD | LOOK_UNDERLINE},
    [ST_KEY] = {"key", {-1, -1, -1}, -1, LOOK_BOLD, LOOK_BOLD},
    [ST_INPUT] = {"input", {-1, -1, -1}, -1, 0, 0},
    [ST_USED] = {"used", {133, 90, 176}, MAGENTA, LOOK_BOLD, LOOK_BOLD},
    /* In the order of enum role. */
    [ST_ROLE + 0] = {"scratch", {244, 242, 247}, WHITE, 0, 0},
    [ST_ROLE + 1] = {"parameter", {67, 25, 74}, BLUE, 0, 0},
    [ST_ROLE + 2] = {"donated-parameter", {31, 24, 38}, BLUE, 0, 0},
    [ST_ROLE + 3] = {"output", {64, 22, 77}, GREEN, 0, 0},
    [ST_ROLE + 4] = {"constant", {102, 240, 248}, WHITE, 0, 0},
    [ST_ROLE + 5] = {"residual-stack", {97, 54, 141}, MAGENTA, 0, 0},
    [ST_ROLE + 6] = {"residual", {133, 90, 176}, MAGENTA, 0, 0},
    [ST_ROLE + 7] = {"stacked-array", {99, 56, 147}, MAGENTA, 0, 0},
    [ST_ROLE + 8] = {"loop-carry", {29, 23, 79}, CYAN, 0, 0},
    [ST_ROLE + 9] = {"cotangent-carry", {131, 88, 174}, RED, 0, 0},
    [ST_ROLE + 10] = {"gradient-accumulator", {168, 125, 211}, RED, 0, 0},
    [ST_ROLE + 11] = {"gradient", {161, 89, 205}, RED, 0, 0},
    [ST_ROLE + 12] = {"slice-of-stack", {136, 94, 179}, YELLOW, 0, 0},
    [ST_ROLE + 13] = {"index-table", {101, 58, 144}, CYAN, 0, 0},
    [ST_ROLE + 14] = {"thread-local", {242, 240, 249}, WHITE, 0, 0},
};

struct looks looks_default(enum theme t)
{
    struct looks l;
    for (int st = 0; st < ST_COUNT; st++)
        l.of[st] = (struct look){table[st].rich[t], table[st].plain, table[st].colored, table[st].mono};
    return l;
}

const char *style_name(enum style st)
{
    return table[st].name;
}

const char *theme_name(enum theme t)
{
    static const char *const names[THEME_COUNT] = {"auto", "light", "dark"};
    return names[t];
}

enum theme theme_of(const char *colorfgbg)
{
    const char *ground = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
    char *end;
    if (!ground || ground[1] < '0' || ground[1] > '9')
        return THEME_ANY;
    long n = strtol(ground + 1, &end, 10);
    if (*end || n > 15)
        return THEME_ANY;
    return n == 7 || n == 15 ? THEME_LIGHT : n < 9 ? THEME_DARK : THEME_ANY;
}
