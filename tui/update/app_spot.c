/* Back, forward and marks: places that one comes back to. */
#include "tui/update/update_parts.h"

#include <string.h>

/* ---- Places ---- */

struct spot spot_of(const struct program *p, struct memo *memo, const struct app *s)
{
    struct spot at = {
        .set = true, .clock = s->clock, .at = s->at, .moments = memo_timeline(memo, p)->moments,
        .step = s->step, .steps = p->steps, .space = s->space, .chosen = s->chosen, .focus = (uint8_t)s->focus,
        .map = s->map, .group = s->group, .offset = s->offset, .page = (uint8_t)s->page,
        .page_line = s->page_line, .page_top = s->page_top, .cell_row = s->cell_row, .cell_col = s->cell_col,
        .compare_line = s->compare_line, .form = s->shown, .before = s->before,
    };
    bool whole = s->mode == MODE_PAGE || s->mode == MODE_GRID || s->mode == MODE_COMPARE;
    at.mode = (uint8_t)(whole ? s->mode : MODE_MAIN);
    return at;
}

/* Would one see another part of the program, or of its explanations? */
static bool differs(const struct spot *a, const struct spot *b)
{
    if (a->mode != b->mode || a->map != b->map || a->steps != b->steps || a->moments != b->moments ||
        !form_same(&a->form, &b->form))
        return true;
    if (a->mode == MODE_PAGE && (a->page != b->page || (a->page == PAGE_BUFFER && a->chosen != b->chosen)))
        return true;
    return a->at != b->at || a->step != b->step;
}

/* Is it a place of this very program, not of another compile of the same form? */
static bool is_here(const struct program *p, struct memo *memo, const struct spot *to)
{
    return to->steps == p->steps && to->moments == memo_timeline(memo, p)->moments;
}

static void land_cursor(const struct program *p, struct memo *memo, struct app *s, const struct spot *to)
{
    bool here = is_here(p, memo, to);
    s->clock = to->clock;
    s->space = to->space < p->n_spaces ? to->space : 0;
    s->chosen = to->chosen < p->n ? to->chosen : BUF_NONE;
    s->selects = false;
    if (here) {
        s->at = to->at;
        s->step = to->step;
    } else {
        stand(p, memo, s, to->step < p->steps ? to->step : p->steps);
    }
    if (s->chosen != BUF_NONE)
        show_row(p, memo, s, s->chosen);
    s->map = to->map && has_map(p);
    s->focus = to->focus == FOCUS_MAP && !has_panel(p, s) ? FOCUS_CHART : (enum focus)to->focus;
    s->group = here && (s->map || s->focus == FOCUS_MAP) ? to->group : GROUP_NONE;
    s->offset = to->offset;
    if (s->map || s->focus == FOCUS_MAP)
        map_hold(p, memo, s);
    choose(p, memo, s, 0, -1); /* brings it into view */
}

static void land(const struct program *p, struct memo *memo, struct app *s, const struct spot *to)
{
    s->mode = MODE_MAIN;
    land_cursor(p, memo, s, to);
    if (to->mode == MODE_PAGE) {
        s->page = (enum page_kind)to->page;
        page_return(p, memo, s, to->page_line, to->page_top);
    } else if (to->mode == MODE_GRID && s->forms != FORMS_NONE && memo->stock) {
        cells_open(p, memo, s);
    } else if (to->mode == MODE_COMPARE && s->forms != FORMS_NONE) {
        s->before = to->before;
        s->has_before = true;
        s->arrive = *to;
        s->arriving = true;
        s->want = WANT_COMPARE;
    }
}

struct app app_arrive(const struct program *p, struct memo *memo, struct app s)
{
    struct spot to = s.arrive;
    s.arriving = false;
    land(p, memo, &s, &to);
    return s;
}

/* There, by way of another form where it was shown. */
static void travel(const struct program *p, struct memo *memo, struct app *s, const struct spot *to)
{
    if (s->forms == FORMS_NONE || (form_same(&to->form, &s->shown) && form_same(&s->form, &s->shown))) {
        land(p, memo, s, to);
        return;
    }
    s->wanted = to->form;
    s->jump = BUF_NONE;
    s->arrive = *to;
    s->arriving = true;
    s->want = WANT_FORM;
}

/* ---- The trail ---- */

void spot_note(const struct program *p, struct memo *memo, struct app *s, const struct spot *was, enum move how)
{
    struct trail *t = &s->trail;
    struct spot is = spot_of(p, memo, s);
    bool moved = s->want == WANT_FORM || s->want == WANT_COMPARE || differs(was, &is);
    if (how == MOVE_NONE || !moved)
        return;
    if (how == MOVE_STEP && t->stepping)
        return;
    t->stepping = how == MOVE_STEP;
    if (t->here == SPOTS_MOST) { /* the oldest goes */
        memmove(t->at, t->at + 1, (SPOTS_MOST - 1) * sizeof *t->at);
        t->here--;
    }
    t->at[t->here++] = *was;
    t->n = t->here;
}

/* The next place that way which is another one than here. */
static bool next_spot(const struct trail *t, const struct spot *here, bool back, uint32_t *to)
{
    uint32_t at = t->here;
    while (back ? at > 0 : at + 1 < t->n) {
        at = back ? at - 1 : at + 1;
        if (differs(&t->at[at], here)) {
            *to = at;
            return true;
        }
    }
    return false;
}

void spot_command(const struct program *p, struct memo *memo, struct app *s, bool back)
{
    struct trail *t = &s->trail;
    for (uint32_t left = times_of(s) < SPOTS_MOST ? times_of(s) : SPOTS_MOST; left; left--) {
        struct spot here = spot_of(p, memo, s);
        uint32_t to;
        if (!next_spot(t, &here, back, &to)) {
            if (left == times_of(s) || left == SPOTS_MOST)
                say(s, back ? "no place to go back to" : "no place to go forward to");
            return;
        }
        t->at[t->here] = here;
        if (t->here == t->n)
            t->n++;
        t->here = to;
        t->stepping = false;
        struct spot there = t->at[to];
        travel(p, memo, s, &there);
        if (s->want != WANT_NOTHING) /* the rest is another program's */
            return;
    }
}

/* ---- Marks ---- */

void mark_set(const struct program *p, struct memo *memo, struct app *s, int32_t letter)
{
    if (letter < 'a' || letter > 'z') {
        say(s, "marks are the letters a to z");
        return;
    }
    s->marks[letter - 'a'] = spot_of(p, memo, s);
    say(s, "this place is marked %c: '%c leads back to it", (char)letter, (char)letter);
}

void mark_go(const struct program *p, struct memo *memo, struct app *s, int32_t letter)
{
    if (letter < 'a' || letter > 'z') {
        say(s, "marks are the letters a to z");
    } else if (!s->marks[letter - 'a'].set) {
        say(s, "nothing is marked %c: \"%c marks a place", (char)letter, (char)letter);
    } else {
        struct spot to = s->marks[letter - 'a'];
        travel(p, memo, s, &to);
    }
}
