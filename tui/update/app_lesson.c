/* A page of the lesson: turning pages, the answer, and where to look. */
#include "tui/update/update_parts.h"
#include "tui/lesson/lesson.h"

void lesson_ask(struct app *s)
{
    s->want = WANT_LESSON;
}

static bool is_last(const struct app *s)
{
    return s->lesson_page == LESSON_PAGES - 1;
}

static void look_at(struct app *s, int64_t look)
{
    int64_t n = s->lesson_looks;
    look = look < 0 ? 0 : look >= n ? n - 1 : look;
    if (n < 2 || look == s->lesson_look)
        return;
    s->lesson_look = (uint32_t)look;
    s->want = WANT_LESSON;
}

static void turn(struct app *s, int page)
{
    page = page < 0 ? 0 : page >= LESSON_PAGES ? LESSON_PAGES - 1 : page;
    if (page == s->lesson_page)
        return;
    s->lesson_page = page;
    s->lesson_look = 0;
    s->lesson_answer = false;
    s->lesson_top = 0;
    s->want = WANT_LESSON;
}

/* Keeps what is shown first within what there is. */
static void scroll(const struct program *p, struct memo *memo, struct app *s, int by)
{
    if (memo->lesson)
        s->lesson_top = lesson_top_of(memo->lesson, s, layout_of(p, s).lesson_list, s->lesson_top + by);
}

static void answer(const struct program *p, struct memo *memo, struct app *s)
{
    s->lesson_answer = !s->lesson_answer;
    if (s->lesson_answer)
        s->lesson_top = 0;
    scroll(p, memo, s, s->lesson_answer ? SCROLL_MOST : 0);
}

static void leave(struct app *s)
{
    s->lesson = LESSON_AWAY;
    s->notice = NOTICE_AWAY;
}

static void move(const struct program *p, struct memo *memo, struct app *s, int by)
{
    if (is_last(s))
        look_at(s, (int64_t)s->lesson_look + by);
    else
        scroll(p, memo, s, by);
}

void lesson_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    int page = layout_of(p, s).lesson_list.h - 1;
    page = page < 1 ? 1 : is_last(s) ? (page + 2) / 3 : page;
    switch (cmd) {
    case CMD_LEFT: turn(s, s->lesson_page - 1); break;
    case CMD_RIGHT: turn(s, s->lesson_page + 1); break;
    case CMD_FIRST: turn(s, 0); break;
    case CMD_LAST: turn(s, LESSON_PAGES - 1); break;
    case CMD_ANSWER: answer(p, memo, s); break;
    case CMD_CHOOSE:
        if (is_last(s))
            leave(s);
        else
            answer(p, memo, s);
        break;
    case CMD_FLIP: look_at(s, s->lesson_look + 1 < s->lesson_looks ? s->lesson_look + 1 : 0); break;
    case CMD_ROW_UP: move(p, memo, s, -1); break;
    case CMD_ROW_DOWN: move(p, memo, s, 1); break;
    case CMD_PAGE_BACK: move(p, memo, s, -page); break;
    case CMD_PAGE_ON: move(p, memo, s, page); break;
    case CMD_CLOSE: leave(s); break;
    case CMD_HELP:
        s->helped = MODE_MAIN;
        s->mode = MODE_HELP;
        s->help_top = 0;
        break;
    case CMD_QUIT: s->want = WANT_QUIT; break;
    default: break;
    }
}

void lesson_wheel(const struct program *p, struct memo *memo, struct app *s, int by)
{
    scroll(p, memo, s, by);
}

/* A remedy: selects it. */
void lesson_click(const struct program *p, struct memo *memo, struct app *s, int x, int y)
{
    struct rect list = layout_of(p, s).lesson_list;
    if (!memo->lesson || !rect_has(list, x, y))
        return;
    int32_t look = lesson_look_at(memo->lesson, s, list, y - list.y);
    if (look >= 0)
        look_at(s, look);
}

