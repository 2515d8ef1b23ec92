/* What stands in the footer while keys wait for more, and over the screen above it: what a command
 * line may become, the marks that there are. */
#include "tui/views/views.h"

#include "tui/model/complete.h"
#include "tui/model/search.h"

#include <stdio.h>

/* ---- The footer ---- */

/* "3 of 41": the match that Enter goes to. */
static void found_text(const struct scene *v, char *out, size_t size)
{
    const struct app *s = v->s;
    struct found f = search_first(v->p, v->memo, s, s->typed);
    out[0] = '\0';
    if (s->typed[0] && f.id == BUF_NONE)
        snprintf(out, size, "no match");
    else if (s->typed[0])
        snprintf(out, size, "%u of %u  Enter find", (unsigned)f.number, (unsigned)f.total);
}

/* A word and the keys that are expected. */
static void waits(struct rect r, struct grid *g, const char *word, const char *hint)
{
    int col = grid_text(g, r, 0, 1, ST_TITLE, word);
    grid_field(g, r, 0, col + 2, r.w - col - 3, ST_DIM, CUT_WORD, hint);
}

static void plays(const struct scene *v, struct rect r, struct grid *g)
{
    char text[80];
    snprintf(text, sizeof text, "▸ %s", app_pace_text(v->s));
    waits(r, g, text, ", slower  . faster  Space stop");
}

static bool pending_view(const struct scene *v, struct rect r, struct grid *g)
{
    switch (v->s->pending) {
    case PENDING_SET_MARK: waits(r, g, "mark this place:", "a letter a to z  Esc none"); break;
    case PENDING_GO_MARK: waits(r, g, "to the mark:", "its letter  Esc none"); break;
    case PENDING_COPY: waits(r, g, "copy:", "y the selected buffer's line  r the report  Esc none"); break;
    case PENDING_NONE: return false;
    }
    return true;
}

bool prompt_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct app *s = v->s;
    char text[80];
    if (s->commanding) {
        prompt_draw(':', s->typed, s->notice == NOTICE_SAID ? s->said : "Tab complete  Enter go  Esc cancel", r, g);
    } else if (s->mode == MODE_SEARCH) {
        found_text(v, text, sizeof text);
        prompt_draw('/', s->typed, text[0] ? text : "Enter find  Esc cancel", r, g);
    } else if (pending_view(v, r, g)) {
        return true;
    } else if (s->count) {
        snprintf(text, sizeof text, "%u", (unsigned)s->count);
        waits(r, g, text, "then what to do so often: ← → [ ] { } ↑ ↓ PgUp PgDn + - < >  Esc none");
    } else if (s->playing) {
        plays(v, r, g);
    } else {
        return false;
    }
    return true;
}

/* ---- Above it ---- */

/* n rows under a rule, at the bottom of r, blank; the first of them. */
static struct rect open_list(struct rect r, int n, const char *title, const char *right, struct grid *g)
{
    struct rect part = {r.x, r.y + r.h - n - 1, r.w, n + 1};
    for (int row = 0; row <= n; row++)
        grid_fill(g, part, row, ' ', ST_PLAIN);
    rule_draw(part, g, true, title, right);
    return rect_below(part, 1);
}

static void list_row(struct rect r, struct grid *g, int row, bool chosen, const char *left, const char *right)
{
    enum style st = chosen ? ST_ROW : ST_PLAIN;
    int words = text_columns(right), end = r.w - 1;
    if (chosen) {
        grid_fill(g, r, row, ' ', ST_ROW);
        grid_put(g, r, row, 0, 0x25b8, ST_ROW);
    }
    if (words && words < end - 24) {
        grid_text(g, r, row, end - words, chosen ? ST_ROW : ST_DIM, right);
        end -= words + 2;
    }
    grid_field(g, r, row, 2, end - 2, st, CUT_MIDDLE, left);
}

static void completions_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct app *s = v->s;
    const struct completions *c = complete_get(&v->memo->complete, v->p, s->tab < 0 ? s->typed : s->stem);
    char shown[40] = "";
    int most = r.h / 2 < 10 ? r.h / 2 : 10, n = (int)c->n < most ? (int)c->n : most;
    if (!n)
        return;
    int top = s->tab < n ? 0 : s->tab - n + 1;
    if ((int)c->n > n || c->more)
        snprintf(shown, sizeof shown, "%d–%d of %u%s", top + 1, top + n, (unsigned)c->n, c->more ? " and more" : "");
    struct rect rows = open_list(r, n, s->typed[0] ? "Tab completes to" : "a step's number, a name, scan.py:21, or", shown, g);
    for (int row = 0; row < n; row++)
        list_row(rows, g, row, top + row == s->tab, c->item[top + row].text, c->item[top + row].words);
}

static void mark_words(const struct program *p, const struct spot *at, char *left, char *right, size_t size)
{
    static const char *const modes[] = {[MODE_PAGE] = "explained", [MODE_GRID] = "the table of forms",
                                        [MODE_COMPARE] = "compared"};
    const char *name = at->steps != p->steps      ? "another form of the program"
                       : at->step < p->steps ? p->step_name[at->step]
                                             : "the end of the program";
    const char *mode = at->map ? "the map" : modes[at->mode];
    snprintf(left, size, "step %u  %s", (unsigned)at->step, name ? name : "");
    snprintf(right, size, "%s%s%s", mode ? mode : "", mode ? ", " : "", clock_name(at->clock));
}

static void marks_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct spot *marks = v->s->marks;
    int n = 0, row = 0, most = r.h - 2;
    for (int k = 0; k < MARKS_MOST; k++)
        n += marks[k].set;
    struct rect rows = open_list(r, n ? (n < most ? n : most) : 1, "marks", "", g);
    if (!n)
        list_row(rows, g, 0, false, "none yet: \" and a letter mark the place where you are", "");
    for (int k = 0; k < MARKS_MOST && row < most; k++) {
        char left[200], right[200], line[220];
        if (!marks[k].set)
            continue;
        mark_words(v->p, &marks[k], left, right, sizeof left);
        snprintf(line, sizeof line, "%c  %s", 'a' + k, left);
        list_row(rows, g, row++, false, line, right);
    }
}

void over_view(const struct scene *v, struct rect r, struct grid *g)
{
    if (v->s->commanding)
        completions_view(v, r, g);
    else if (v->s->pending == PENDING_GO_MARK)
        marks_view(v, r, g);
}
