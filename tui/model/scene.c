#include "tui/model/scene.h"

void scene_make(struct scene *v, const struct program *p, struct memo *memo, const struct app *s)
{
    *v = (struct scene){.p = p, .s = s, .l = layout_of(p, s), .memo = memo, .chosen = BUF_NONE};
    v->at.group = GROUP_NONE;
    v->t = memo_timeline(memo, p);
    for (int c = 0; c < CLOCK_COUNT; c++)
        v->time[c] = app_window(p, memo, s, (enum clock)c);
    v->here = app_here(p, memo, s);
    v->runs = timeline_moment(v->t, s->at).step == s->step;
    v->fills = s->space == 0 && p->loops.n_stacks > 0;
    v->filled = v->fills ? timeline_range_steps(v->t, s->step, s->step, &v->here).most_filled
                         : p->spaces[s->space].live[s->step];
    v->overlay = s->space == 0 ? memo_overlay(memo, p) : NULL;
    v->most = v->overlay ? v->overlay->m->touched : 0;
    v->page = s->mode == MODE_PAGE ? app_page(p, memo, s) : NULL;
    if (!s->map) {
        struct alive_ask ask = app_ask(p, memo, s);
        v->when = ask.when;
        alive_get(&memo->alive, p, &ask);
        v->alive = &memo->alive;
        v->row = app_row(s, v->alive);
        if (v->alive->n)
            v->chosen = alive_buffer(v->alive, v->row);
    }
    if (v->l.map.h)
        v->at = app_map(p, memo, s);
}
