/* Time in the plots: how much of it is shown, what of it is selected, and play. */
#include "tui/update/update_parts.h"

#define ZOOMS_MOST 64 /* more is more than there are numbers */

/* ---- Zoom ---- */

static void set_window(struct app *s, enum clock c, struct window w, uint64_t n)
{
    s->zoom[c] = w.n >= n ? (struct window){0} : w;
}

/* The clock of the plot that has the keys: the map's is always program order. */
static enum clock clock_here(const struct program *p, const struct app *s)
{
    return app_scope(p, s) & IN_MAPS ? CLOCK_PROGRAM : s->clock;
}

static void zoom(const struct program *p, struct memo *memo, struct app *s, bool closer)
{
    enum clock c = clock_here(p, s);
    uint64_t n = clock_units(memo_timeline(memo, p), c), at = c == CLOCK_EXECUTION ? s->at : s->step;
    struct window w = app_window(p, memo, s, c), was = w;
    for (uint32_t left = times_of(s) < ZOOMS_MOST ? times_of(s) : ZOOMS_MOST; left; left--)
        w = window_scaled(w, n, at, closer ? 1 : 2, closer ? 2 : 1);
    if (w.n == was.n)
        say(s, closer ? "no closer: so few %s" : "all of it is shown", c == CLOCK_EXECUTION ? "moments" : "steps");
    set_window(s, c, w, n);
}

void time_wheel(const struct program *p, struct memo *memo, struct app *s, enum clock c, struct rect area, int col,
                bool closer)
{
    uint64_t n = clock_units(memo_timeline(memo, p), c), first, last;
    struct window w = app_window(p, memo, s, c);
    window_units(w, area.w, col < 0 ? 0 : col >= area.w ? area.w - 1 : col, &first, &last);
    set_window(s, c, window_scaled(w, n, first + (last - first) / 2, closer ? 2 : 3, closer ? 3 : 2), n);
}

void time_follow(const struct program *p, struct memo *memo, struct app *s, const struct app *before)
{
    const struct timeline *t = memo_timeline(memo, p);
    if (s->zoom[CLOCK_PROGRAM].n && s->step != before->step)
        s->zoom[CLOCK_PROGRAM] = window_show(s->zoom[CLOCK_PROGRAM], clock_units(t, CLOCK_PROGRAM), s->step);
    if (s->zoom[CLOCK_EXECUTION].n && s->at != before->at)
        s->zoom[CLOCK_EXECUTION] = window_show(s->zoom[CLOCK_EXECUTION], clock_units(t, CLOCK_EXECUTION), s->at);
}

/* ---- Selections ---- */

void time_drag(const struct program *p, struct memo *memo, struct app *s, int from, int to)
{
    struct window w = app_window(p, memo, s, s->clock);
    int width = layout_of(p, s).bars.area.w;
    uint64_t first, last, unused;
    to = to < 0 ? 0 : to >= width ? width - 1 : to;
    window_units(w, width, from, from <= to ? &s->anchor : &unused, from <= to ? &unused : &s->anchor);
    window_units(w, width, to, &first, &last);
    s->selects = true;
    if (s->clock == CLOCK_EXECUTION)
        stand_at(p, memo, s, from <= to ? last : first);
    else
        stand(p, memo, s, (uint32_t)(from <= to ? last : first));
    choose(p, memo, s, 0, -1);
}

void time_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_CLOSER: zoom(p, memo, s, true); break;
    case CMD_FARTHER: zoom(p, memo, s, false); break;
    case CMD_WHOLE: s->zoom[clock_here(p, s)] = (struct window){0}; break;
    case CMD_SELECT:
        s->selects = !s->selects;
        s->anchor = app_unit(s);
        if (s->selects)
            say(s, "moving selects time from here on; Esc drops it");
        break;
    default: break;
    }
}

/* ---- Play ---- */

/* The next iteration of the same instruction, else the next loop; `at` where there is none. */
static uint64_t next_of(const struct timeline *t, uint64_t at)
{
    uint64_t to = timeline_iterate(t, at, 1);
    return to == at ? timeline_loop(t, at, 1) : to;
}

void play_start(const struct program *p, struct memo *memo, struct app *s)
{
    const struct timeline *t = memo_timeline(memo, p);
    if (!p->loops.n) {
        say(s, "no loops: there are no iterations to play");
        return;
    }
    s->selects = false;
    s->clock = CLOCK_EXECUTION;
    stand_at(p, memo, s, next_of(t, s->at) == s->at ? 0 : s->at); /* at the end: once more */
    s->playing = true;
}

bool play_key(struct app *s, int32_t key)
{
    if (!s->playing)
        return false;
    if (key == ',')
        s->pace = s->pace ? (uint8_t)(s->pace - 1) : 0;
    else if (key == '.')
        s->pace = s->pace + 1 < PACES ? (uint8_t)(s->pace + 1) : s->pace;
    else
        s->playing = false;
    return s->playing || key == ' ' || key == K_ESC;
}

struct app app_tick(const struct program *p, struct memo *memo, struct app s)
{
    struct app before = s;
    if (!s.playing)
        return s;
    uint64_t to = next_of(memo_timeline(memo, p), s.at);
    if (to == s.at) {
        s.playing = false;
        say(&s, "played to the last iteration");
        return s;
    }
    struct spot was = spot_of(p, memo, &s);
    stand_at(p, memo, &s, to);
    time_follow(p, memo, &s, &before);
    spot_note(p, memo, &s, &was, MOVE_STEP);
    return s;
}
