/* r: runs the program in the background, and shows what it used. */
#include "tui/update/update_parts.h"

static void begin(struct app *s, bool cuda)
{
    s->mode = MODE_MAIN;
    s->cuda = cuda;
    s->want = WANT_RUN;
}

void run_again(const struct program *p, struct memo *memo, struct app *s)
{
    if (s->page != PAGE_RUN || s->mode != MODE_PAGE) {
        s->mode = MODE_MAIN;
        run_command(p, memo, s);
    } else if (s->running == RUNNING)
        s->notice = NOTICE_RUN;
    else if (s->has_cuda)
        s->mode = MODE_WHERE;
    else
        begin(s, false);
}

void run_command(const struct program *p, struct memo *memo, struct app *s)
{
    if (s->running == RUNNING)
        s->notice = NOTICE_RUN;
    else if (s->measured)
        page_open(p, memo, s, PAGE_RUN);
    else if (s->has_cuda)
        s->mode = MODE_WHERE;
    else
        begin(s, false);
}

void run_where(struct app *s, int32_t key)
{
    if (key == 'h' || key == K_ENTER)
        begin(s, false);
    else if (key == 'c')
        begin(s, true);
    else if (key == K_CTRL_C)
        s->want = WANT_QUIT;
    else
        s->mode = MODE_MAIN;
}

void run_follow(const struct program *p, struct memo *memo, struct app *s, const struct line *l)
{
    const struct overlay *o = memo_overlay(memo, p);
    const struct page *pg = app_page(p, memo, s);
    struct arena a = {0};
    struct overlay_row *rows;
    uint32_t n = o ? overlay_rows(o, &a, &rows) : 0, k = 0;
    for (const struct line *at = page_line(pg, 0); at < l; at++)
        k += at->step != STEP_NONE;
    if (k < n)
        stand_at(p, memo, s, overlay_moment(o, rows[k].last));
    s->mode = MODE_MAIN;
    arena_free(&a);
}
