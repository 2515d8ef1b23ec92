/* The table of forms: its selected cell, and opening that. */
#include "tui/update/update_parts.h"

static struct axes axes_here(const struct memo *memo, const struct app *s)
{
    return form_axes(&s->form, memo->stock->first.seqlen, s->forms);
}

void cells_open(const struct program *p, struct memo *memo, struct app *s)
{
    (void)p;
    struct axes a = axes_here(memo, s);
    s->mode = MODE_GRID;
    form_cell(&a, &s->form, &s->cell_row, &s->cell_col);
}

/* The form that s, u and t ask for is the selected one. */
static void follow(struct memo *memo, struct app *s)
{
    struct axes a = form_axes(&s->wanted, memo->stock->first.seqlen, s->forms);
    form_cell(&a, &s->wanted, &s->cell_row, &s->cell_col);
}

static int within(int at, int n)
{
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

/* Moves the selection; beyond the last unrolling that a length has lies "full" alone, which a single
 * step has to itself. */
static void move(struct memo *memo, struct app *s, int down, int across)
{
    struct axes a = axes_here(memo, s);
    struct form unused;
    int row = within(s->cell_row + down, a.rows), col = within(s->cell_col + across, a.cols);
    while (col >= 0 && !form_at(&a, &s->form, row, col, &unused))
        col += across < 0 ? -1 : 1;
    if (col < 0)
        return;
    s->cell_row = row;
    s->cell_col = col;
}

static void open_cell(struct memo *memo, struct app *s)
{
    struct axes a = axes_here(memo, s);
    s->mode = MODE_MAIN;
    if (!form_at(&a, &s->form, s->cell_row, s->cell_col, &s->wanted) || form_same(&s->wanted, &s->form))
        return;
    s->jump = BUF_NONE;
    s->want = WANT_FORM;
}

void cells_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_LEFT: move(memo, s, 0, -1); break;
    case CMD_RIGHT: move(memo, s, 0, 1); break;
    case CMD_ROW_UP: move(memo, s, -1, 0); break;
    case CMD_ROW_DOWN: move(memo, s, 1, 0); break;
    case CMD_CHOOSE: open_cell(memo, s); break;
    case CMD_LESSON: lesson_ask(s); break;
    case CMD_CLOSE: s->mode = MODE_MAIN; break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    case CMD_LONGER: case CMD_SHORTER: case CMD_UNROLL: case CMD_ROLL: case CMD_TARGET: case CMD_COMPARE:
        form_command(p, memo, s, cmd);
        if (s->want == WANT_FORM)
            follow(memo, s);
        break;
    default: break;
    }
}

void cells_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct layout l = layout_of(p, s);
    struct axes a = axes_here(memo, s);
    struct cells_place c = cells_place_of(&a, s, l.page);
    int row = (y - c.area.y) / c.row_height + c.first_row, col = (x - c.area.x) / c.col_width + c.first_col;
    struct form unused;
    if (!rect_has(c.area, x, y) || row >= a.rows || col >= a.cols || !form_at(&a, &s->form, row, col, &unused))
        return;
    if (row == s->cell_row && col == s->cell_col)
        open_cell(memo, s);
    s->cell_row = row;
    s->cell_col = col;
}
