/* The keys that work now, from the keys table; the search line; the answer to the last key. */
#include "tui/views/can.h"
#include "tui/views/views.h"

#include <stdio.h>
#include <string.h>

static const char *brief_of(const struct footer *f, const struct binding *b)
{
    if (b->cmd == CMD_CLOCK && f->clock)
        return f->clock;
    if (b->cmd == CMD_WHY && f->enter)
        return f->enter;
    if (b->cmd == CMD_LONGER && f->axis)
        return f->axis;
    if (b->cmd == CMD_CLOSE && b->scope & IN_MAIN && f->escape)
        return f->escape;
    return b->cmd == CMD_FOCUS && f->focus ? f->focus : b->brief;
}

/* Where only one part is shown, Tab is how one sees the other. */
static int rank_of(const struct footer *f, const struct binding *b)
{
    if ((b->cmd == CMD_CLOCK || b->cmd == CMD_LONGER || b->cmd == CMD_UNROLL) && f->ran) /* who has found the clock wants to go through iterations */
        return b->rank + 2;
    return b->cmd == CMD_FOCUS && f->urgent ? 1 : b->rank;
}

/* Marks the items to show: by rank as long as they fit into width, each with two blanks. */
static void fit_items(const struct footer *f, int width, bool *show)
{
    int used = 0;
    for (int rank = 0; rank < 10; rank++)
        for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++) {
            const struct binding *b = &bindings[i];
            if (!b->brief || rank_of(f, b) != rank || !f->can[i])
                continue;
            char shown[64];
            int more = text_columns(keymap_shown(f->keys, b, shown)) + 1 + text_columns(brief_of(f, b)) + (used ? 2 : 0);
            if (used + more > width)
                return; /* the less important ones do not overtake */
            used += more;
            show[i] = true;
        }
}

void keys_draw(const struct footer *f, struct rect r, struct grid *g, int col)
{
    bool show[BINDINGS_MOST] = {false};
    fit_items(f, r.w - 1 - col, show);
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++) {
        if (!show[i])
            continue;
        char shown[64];
        col = grid_text(g, r, 0, col, ST_KEY, keymap_shown(f->keys, &bindings[i], shown));
        col = grid_text(g, r, 0, col + 1, ST_DIM, brief_of(f, &bindings[i])) + 2;
    }
}

void prompt_draw(char sign, const char *typed, const char *hint, struct rect r, struct grid *g)
{
    int n = text_columns(typed), room = r.w - 4 - text_columns(hint) - 2;
    bool hinted = n < room;
    int width = hinted ? room : r.w - 4;
    grid_put(g, r, 0, 1, (uint32_t)sign, ST_KEY);
    for (; n >= width; n--)
        text_next(&typed); /* the end is what one looks at */
    int col = grid_text(g, r, 0, 2, ST_INPUT, typed);
    grid_put(g, r, 0, col, '_', ST_CURSOR);
    if (hinted)
        grid_text(g, r, 0, r.w - 1 - text_columns(hint), ST_DIM, hint);
}

/* Why [ and ] did nothing. */
static void no_iteration(const struct scene *v, char *out, size_t size)
{
    const struct moment *m = &v->here;
    const struct loop *l = m->n ? &v->p->loops.items[m->loop[m->n - 1]] : NULL;
    if (!l)
        snprintf(out, size, "no loop around this step");
    else if (l->trip_count < 0)
        snprintf(out, size, "how often %.80s runs is not known", l->name);
    else if (l->trip_count <= 1)
        snprintf(out, size, "%.80s runs %s", l->name, l->trip_count ? "once" : "never");
    else
        snprintf(out, size, "no more iterations that way");
}

/* "‘Z’ does nothing here"; ? lists keys where it does. */
static void nothing(const struct scene *v, char *out, size_t size)
{
    char key[16];
    bool help = keys_command('?', app_scope(v->p, v->s)) == CMD_HELP;
    key_shown(v->s->pressed, key);
    snprintf(out, size, "‘%s’ does nothing here%s", key, help ? ": ? lists keys" : "");
}

/* The answer to the last key, or "". */
static void notice_text(const struct scene *v, char *text, size_t size)
{
    const struct app *s = v->s;
    text[0] = '\0';
    switch (s->notice) {
    case NOTICE_MATCH:
        snprintf(text, size, "match %u of %u", (unsigned)s->match, (unsigned)s->matches);
        break;
    case NOTICE_NO_MATCH: snprintf(text, size, "no match for \"%s\"", s->query); break;
    case NOTICE_NO_QUERY: snprintf(text, size, "nothing searched yet: / searches"); break;
    case NOTICE_NO_ITERATION: no_iteration(v, text, size); break;
    case NOTICE_NO_LOOP: snprintf(text, size, "no more loops that way"); break;
    case NOTICE_NOWHERE: snprintf(text, size, "this line leads nowhere"); break;
    case NOTICE_NOTHING: nothing(v, text, size); break;
    case NOTICE_SAID: snprintf(text, size, "%s", s->said); break;
    case NOTICE_NO_FORMS: case NOTICE_END: case NOTICE_FORM: case NOTICE_UNKNOWN: case NOTICE_ASKING: case NOTICE_WORK:
    case NOTICE_NO_OTHER: case NOTICE_ELSEWHERE:
        form_notice(v, text, size);
        break;
    case NOTICE_NO_LESSON:
        snprintf(text, size, "no lesson: %s", v->memo->work ? v->memo->work : "its dumps are not here");
        break;
    case NOTICE_AWAY: snprintf(text, size, "L: back to the lesson, Esc: out of it"); break;
    case NOTICE_RESUMED: snprintf(text, size, "resumed at step %u; p: the peak", (unsigned)s->step); break;
    case NOTICE_RUN: run_notice(v, text, size); break;
    case NOTICE_NONE: break;
    }
}

#define NOTICE_LINES 5

/* One that is longer than the line stands in the lines above, too, until the next key.  Returns the
 * column behind it; r.w where it takes all. */
static int notice(const struct scene *v, struct rect r, struct grid *g)
{
    char text[600], line[400];
    struct rect all = {0, 0, v->s->cols, v->s->rows};
    notice_text(v, text, sizeof text);
    int n = text_columns(text), lines = 0;
    if (!n)
        return 1;
    if (n <= r.w - 2)
        return grid_text(g, r, 0, 1, ST_TITLE, text) + 3;
    while (lines < NOTICE_LINES && wrap_line(text, r.w - 2, lines, line, sizeof line))
        lines++;
    rule_draw((struct rect){0, r.y - lines, r.w, 1}, g, false, "", "");
    for (int k = 0; k < lines && wrap_line(text, r.w - 2, k, line, sizeof line); k++) {
        grid_fill(g, all, r.y - lines + 1 + k, ' ', ST_PLAIN);
        grid_text(g, all, r.y - lines + 1 + k, 1, ST_TITLE, line);
    }
    return r.w;
}

void footer_view(const struct scene *v, struct rect r, struct grid *g)
{
    static const char *const parts[FOCUS_COUNT] = {"chart", "map", "table"};
    struct footer f = {.keys = v->memo->keys, .focus = parts[app_next_focus(v->p, v->s)], .urgent = !v->l.both && v->s->mode != MODE_PAGE && v->s->lesson != LESSON_OPEN,
                       .ran = v->s->clock == CLOCK_EXECUTION,
                       .clock = v->s->clock == CLOCK_EXECUTION ? "program" : "execution"};
    if (v->s->mode == MODE_MAIN && v->alive && v->alive->n_groups && alive_line(v->alive, v->row).head)
        f.enter = alive_line(v->alive, v->row).at == v->alive->open ? "fold" : "unfold";
    f.escape = app_escape_word(v->s);
    f.axis = form_axis(v->s->forms);
    if (prompt_view(v, r, g))
        return;
    if (v->s->mode == MODE_WHERE) {
        where_draw(r, g);
        return;
    }
    for (size_t i = 0; i < n_bindings && i < BINDINGS_MOST; i++)
        f.can[i] = app_can(v->p, v->s, &bindings[i]);
    keys_draw(&f, r, g, notice(v, r, g));
}
