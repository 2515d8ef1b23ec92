#include "tui/explorer/tour.h"
#include "core/base/memory.h"
#include "tui/update/update_parts.h"

#include <stdlib.h>
#include <string.h>

static bool open_lesson(struct room *r)
{
    char line[4096];
    struct diag d;
    if (r->lesson)
        return true;
    r->lesson = memory_zeroed(1, sizeof *r->lesson);
    if (lesson_open(r->lesson, &d))
        return true;
    free(r->lesson);
    r->lesson = NULL;
    snprintf(r->why, sizeof r->why, "%s", diag_text(&d, line, sizeof line) + strlen("tidemark: "));
    return false;
}

/* What is shown now is put aside: nothing of it is freed, and it comes back as it was. */
static void leave_home(struct room *r, struct app s)
{
    if (r->home.away)
        return;
    s.want = WANT_NOTHING;
    s.work = WORK_NONE;
    r->home = (struct home){true, r->p, r->before, r->memo, r->stock, s};
    r->memo = (struct memo){.keys = r->home.memo.keys};
    r->stock = (struct stock){0};
}

/* The first state in another program, with all of the screen and the lesson as it is. */
static struct app enter(struct room *r, struct app s, const struct program *p, const char *dir)
{
    struct app to = room_enter(r, p, dir, s.cols, s.rows);
    to.several = s.several;
    to.lesson = LESSON_OPEN;
    to.lesson_page = s.lesson_page;
    to.lesson_look = s.lesson_look;
    to.lesson_answer = s.lesson_answer;
    to.lesson_top = s.lesson_top;
    return to;
}

static void stand_there(struct room *r, struct app *s, const struct look *l)
{
    struct moment none = {0}, m = clock_at_step(r->p, l->step, &none);
    if (m.n) {
        int64_t trips = clock_trips(&r->p->loops.items[m.loop[m.n - 1]]);
        m.iteration[m.n - 1] = l->iteration < trips ? l->iteration : 0;
    }
    s->clock = l->clock;
    s->step = l->step;
    s->at = timeline_at(memo_timeline(&r->memo, r->p), &m);
    s->chosen = l->chosen;
}

static void turn_to(struct room *r, struct app *s, enum look_view view)
{
    switch (view) {
    case LOOK_MAP:
        s->map = has_map(r->p);
        if (s->map)
            map_hold(r->p, &r->memo, s);
        break;
    case LOOK_FORMS:
        if (s->forms != FORMS_NONE)
            cells_open(r->p, &r->memo, s);
        break;
    case LOOK_COMPARE: s->want = s->forms == FORMS_NONE ? WANT_NOTHING : WANT_COMPARE; break;
    case LOOK_WHY: page_open(r->p, &r->memo, s, PAGE_BUFFER); break;
    case LOOK_PROGRAM: break;
    }
}

struct app tour_show(struct room *r, struct app s)
{
    if (!open_lesson(r)) {
        s.notice = NOTICE_NO_LESSON;
        return s;
    }
    leave_home(r, s);
    const struct lesson_page *pg = lesson_page(r->lesson, s.lesson_page);
    s.lesson_look = s.lesson_look < pg->n_looks ? s.lesson_look : 0;
    const struct look *l = pg->n_looks ? &pg->looks[s.lesson_look] : NULL;
    s = l ? enter(r, s, l->book->p, l->book->dir) : enter(r, s, r->home.p, r->home.p->module->dir);
    s.lesson_looks = pg->n_looks;
    r->page = pg;
    if (l) {
        stand_there(r, &s, l);
        turn_to(r, &s, l->view);
    }
    return s;
}

static void drop_shown(struct room *r)
{
    compile_cancel(&r->compile);
    memo_free(&r->memo);
    stock_free(&r->stock);
}

struct app tour_end(struct room *r, struct app s)
{
    if (!r->home.away)
        return s;
    struct app to = r->home.state;
    drop_shown(r);
    r->p = r->home.p;
    r->before = r->home.before;
    r->memo = r->home.memo;
    r->stock = r->home.stock;
    r->home = (struct home){0};
    r->page = NULL;
    r->unsure = false;
    to.lesson = LESSON_NONE;
    to.lesson_page = s.lesson_page;
    to.lesson_look = s.lesson_look;
    to.notice = NOTICE_NONE;
    return app_update(r->p, &r->memo, to, (struct msg){.kind = MSG_RESIZE, .cols = s.cols, .rows = s.rows});
}

void tour_free(struct room *r)
{
    if (r->home.away) {
        memo_free(&r->home.memo);
        stock_free(&r->home.stock);
    }
    if (r->lesson) {
        lesson_close(r->lesson);
        free(r->lesson);
        r->lesson = NULL;
    }
}
