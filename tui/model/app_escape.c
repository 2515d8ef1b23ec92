/* What Esc undoes in chart and table: the innermost thing first, one at a time. */
#include "tui/model/app.h"

#include <string.h>

enum escape { NOTHING, RANGE, WORK, RUN, FILTER, SEARCH, GROUPS, LESSON, MODULES };

static enum escape escape_of(const struct app *s)
{
    if (s->selects)
        return RANGE;
    if (s->work == WORK_CHECKING || s->work == WORK_COMPILING)
        return WORK;
    if (s->running == RUNNING)
        return RUN;
    if (s->filter.n)
        return FILTER;
    if (s->query[0])
        return SEARCH;
    if (s->fold != FOLD_NONE)
        return GROUPS;
    if (s->lesson == LESSON_AWAY)
        return LESSON;
    return s->several ? MODULES : NOTHING;
}

const char *app_escape_word(const struct app *s)
{
    static const char *const words[] = {
        [RANGE] = "cancel", [WORK] = "cancel", [RUN] = "cancel", [FILTER] = "unfilter", [SEARCH] = "end search",
        [GROUPS] = "ungroup", [LESSON] = "end lesson", [MODULES] = "modules",
    };
    return words[escape_of(s)];
}

void app_escape(struct app *s)
{
    switch (escape_of(s)) {
    case NOTHING: break;
    case RANGE: s->selects = false; break;
    case WORK: s->want = WANT_CANCEL; break;
    case RUN: s->want = WANT_CANCEL_RUN; break;
    case FILTER: filter_drop(&s->filter, (enum filter_kind)s->filter.order[s->filter.n - 1]); break;
    case SEARCH: memset(s->query, 0, sizeof s->query); break;
    case GROUPS: s->fold = FOLD_NONE; break;
    case LESSON: s->want = WANT_HOME; break;
    case MODULES: s->want = WANT_MODULES; break;
    }
}
