#include "tui/model/memo.h"

#include "tui/model/compare.h"

const struct timeline *memo_timeline(struct memo *m, const struct program *p)
{
    if (!m->timeline.p)
        timeline_build(&m->timeline, p);
    return &m->timeline;
}

const struct overlay *memo_overlay(struct memo *m, const struct program *p)
{
    if (!m->measured)
        return NULL;
    if (m->overlay.m != m->measured) {
        overlay_free(&m->overlay);
        overlay_build(&m->overlay, m->measured, memo_timeline(m, p));
    }
    return &m->overlay;
}

void memo_free(struct memo *m)
{
    overlay_free(&m->overlay);
    if (m->timeline.p)
        timeline_free(&m->timeline);
    alive_free(&m->alive);
    menu_free(&m->menu);
    shares_free(&m->shares);
    map_free(&m->full);
    map_free(&m->panel);
    page_free(&m->page);
    compare_free(m);
    *m = (struct memo){0};
}
