#include "tui/terminal/mouse.h"

#include <stdio.h>

#define MODIFIED 28
#define MOVES 32
#define WHEEL 64
#define CELLS_MOST 9999

static struct msg wheel(int button, int col, int row)
{
    static const enum msg_kind plain[] = {MSG_WHEEL_UP, MSG_WHEEL_DOWN, MSG_WHEEL_LEFT, MSG_WHEEL_RIGHT};
    int way = button & 3;
    return (struct msg){.kind = plain[button & MODIFIED ? way | 2 : way], .col = col, .row = row};
}

/* col and row from 0. */
static struct msg event(struct mouse *m, int button, bool release, int col, int row)
{
    struct msg none = {0};
    if (col < 0 || row < 0 || col > CELLS_MOST || row > CELLS_MOST || button > (WHEEL | MOVES | MODIFIED | 3))
        return none;
    if (button & WHEEL)
        return release ? none : wheel(button, col, row);
    if (release) {
        m->held = false;
        return none;
    }
    if (button & 3) /* another button */
        return none;
    if (!(button & MOVES)) {
        *m = (struct mouse){true, col, row};
        return (struct msg){.kind = MSG_CLICK, .col = col, .row = row};
    }
    return m->held ? (struct msg){.kind = MSG_DRAG, .col = col, .row = row, .from_col = m->col, .from_row = m->row}
                   : none;
}

struct msg mouse_sgr(struct mouse *m, const char *text)
{
    int button, col, row, end = 0;
    char what;
    if (sscanf(text, "%4d;%5d;%5d%c%n", &button, &col, &row, &what, &end) != 4 || text[end] ||
        (what != 'M' && what != 'm') || button < 0)
        return (struct msg){0};
    return event(m, button, what == 'm', col - 1, row - 1);
}

struct msg mouse_x10(struct mouse *m, const unsigned char bytes[3])
{
    int button = bytes[0] - 32;
    if (button < 0)
        return (struct msg){0};
    bool release = !(button & WHEEL) && (button & 3) == 3 && !(button & MOVES);
    return event(m, button, release, bytes[1] - 33, bytes[2] - 33);
}
