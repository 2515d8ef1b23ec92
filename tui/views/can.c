#include "tui/views/can.h"
#include "tui/lesson/lesson.h"
#include "tui/views/views.h"

bool can_run(const struct program *p)
{
    const struct module *m = p->module;
    return m->has_hlo && m->has_assignment && p->lives == LIFE_RERUN && m->platform != PLATFORM_TPU;
}

bool lesson_can(const struct app *s, enum cmd cmd)
{
    bool last = s->lesson_page == LESSON_PAGES - 1;
    switch (cmd) {
    case CMD_LEFT: case CMD_RIGHT: return true;
    case CMD_CHOOSE: return last;
    case CMD_FLIP: return s->lesson_looks > 1 && !last;
    default: return true;
    }
}

/* Is there a loop around this step that runs more than once? */
static bool iterates(const struct program *p, uint32_t step)
{
    for (uint32_t i = 0; i < p->loops.n && p->loops.items[i].first <= step; i++)
        if (step <= p->loops.items[i].last && p->loops.items[i].trip_count > 1)
            return true;
    return false;
}

bool app_can(const struct program *p, const struct app *s, const struct binding *b)
{
    unsigned here = app_scope(p, s);
    if (!(b->scope & here))
        return false;
    if (here == IN_HELP) {
        struct help h = help_of(p, s);
        bool moves = b->cmd == CMD_ROW_UP || b->cmd == CMD_PAGE_ON;
        return !moves || help_lines(&h, s->cols) > help_height(s->rows);
    }
    if (here == IN_LESSON)
        return lesson_can(s, b->cmd);
    switch (b->cmd) {
    case CMD_STEP_BACK: case CMD_STEP_ON: return p->steps > 0;
    case CMD_ITERATION_BACK: case CMD_ITERATION_ON: return iterates(p, s->step);
    case CMD_LOOP_BACK: case CMD_LOOP_ON: case CMD_CLOCK: return here & IN_PAGE ? s->page == PAGE_STEP : p->loops.n > 0;
    case CMD_PAGE_BACK: case CMD_PAGE_ON: case CMD_LAST:
        return here == IN_TABLE ? p->n > 1 : p->steps > 1;
    case CMD_LONGER: case CMD_SHORTER: case CMD_UNROLL: case CMD_ROLL: case CMD_GRID: case CMD_COMPARE:
        return s->forms != FORMS_NONE;
    case CMD_BACK: return s->trail.here > 0;
    case CMD_FORWARD: return s->trail.here + 1 < s->trail.n;
    case CMD_WHOLE: return s->zoom[here & IN_MAPS ? CLOCK_PROGRAM : s->clock].n > 0;
    case CMD_CLOSER: case CMD_FARTHER: case CMD_SELECT: return p->steps > 0;
    case CMD_PLAY: return p->loops.n > 0;
    case CMD_COPY: return p->n > 0;
    case CMD_TARGET: return s->targets;
    case CMD_RUN: return can_run(p);
    case CMD_LESSON: return s->forms == FORMS_EXAMPLE || s->lesson == LESSON_AWAY;
    case CMD_CLOSE: return !(here & IN_MAIN) || app_escape_word(s);
    case CMD_PEAK: return s->step != p->spaces[s->space].peak;
    case CMD_BORN: return p->n > 0 && p->steps > 0;
    case CMD_WHY: case CMD_EXPLAIN: case CMD_NARROW: return p->n > 0;
    case CMD_WIDEN: return s->filter.n > 0;
    case CMD_ROW_UP: case CMD_ROW_DOWN: return here & IN_MAPS || p->n > 1;
    case CMD_SORT: case CMD_FOLD: return p->n > 1;
    case CMD_SEARCH: return p->n > 0;
    case CMD_NEXT: case CMD_PREVIOUS: return s->query[0] != '\0';
    case CMD_MAP: return has_map(p);
    case CMD_SPACE: return p->n_spaces > 1;
    case CMD_MODULES: return s->several;
    default: return true;
    }
}
