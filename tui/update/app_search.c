/* The search: a line typed, the first match, the next ones. */
#include "tui/update/update_parts.h"

#include "tui/model/search.h"

#include <string.h>

static void show_match(const struct program *p, struct memo *memo, struct app *s, struct found f)
{
    if (f.id == BUF_NONE) {
        s->notice = NOTICE_NO_MATCH;
        return;
    }
    s->notice = NOTICE_MATCH;
    s->match = f.number;
    s->matches = f.total;
    s->chosen = f.id;
    if (!alive_at(p, f.id, s->step))
        stand(p, memo, s, p->start[f.id]);
    show_row(p, memo, s, f.id);
    if (s->group != GROUP_NONE) {
        s->group = program_group(p, f.id);
        s->offset = p->offset[f.id];
    }
    choose(p, memo, s, 0, -1); /* brings it into view */
}

void search_again(const struct program *p, struct memo *memo, struct app *s, bool back)
{
    if (!s->query[0]) {
        s->notice = NOTICE_NO_QUERY;
        return;
    }
    buf_id from = alive_at(p, s->chosen, s->step) ? s->chosen : BUF_NONE;
    show_match(p, memo, s, search_next(p, s->query, from, s->step, back));
}

void search_typing(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    switch (typing_key(s->typed, key)) {
    case TYPED_ENTER:
        s->mode = MODE_MAIN;
        if (s->typed[0])
            memcpy(s->query, s->typed, sizeof s->query); /* an empty line repeats the last search */
        if (s->query[0])
            show_match(p, memo, s, search_first(p, memo, s, s->query));
        break;
    case TYPED_ESC: s->mode = MODE_MAIN; break;
    case TYPED_QUIT: s->want = WANT_QUIT; break;
    case TYPED_MORE: break;
    }
}
