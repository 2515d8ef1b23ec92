#include "tui/explorer.h"

#include "core/load/shipped.h"
#include "tui/app.h"
#include "tui/catalog.h"
#include "tui/term.h"
#include "tui/views.h"
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* What list and explorer share: keys still to be played, and the screen. */
struct session {
    const struct explorer_options *o;
    const char *keys; /* what is left of them */
    struct grid grid;
};

static bool locale_is_utf8(void)
{
    setlocale(LC_CTYPE, "");
    const char *codeset = nl_langinfo(CODESET);
    return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "utf8") == 0;
}

/* Keys are checked to their end even where an earlier one leaves. */
static bool check_keys(const char *keys, struct diag *d)
{
    struct msg m = {.kind = MSG_KEY};
    for (const char *at = keys; at && m.kind != MSG_NONE;)
        if (!keys_next(keys, &at, &m, d))
            return false;
    return true;
}

static void fit_grid(struct session *se, int cols, int rows)
{
    bool ascii = se->grid.ascii;
    if (cols == se->grid.cols && rows == se->grid.rows)
        return;
    grid_free(&se->grid);
    grid_init(&se->grid, cols, rows, ascii);
}

/* Nothing is shown while keys are played. */
static bool is_shown(const struct session *se)
{
    return !se->keys || !*se->keys;
}

/* Is this the screen to print? */
static bool is_last(const struct session *se, bool quits)
{
    return se->o->dump && (quits || is_shown(se));
}

/* The next key to play, else what the terminal tells. */
static struct msg next_msg(struct session *se)
{
    struct msg m;
    struct diag d;
    if (is_shown(se))
        return term_wait();
    keys_next(se->o->keys, &se->keys, &m, &d); /* they were checked */
    return m;
}

/* ---- What the shipped example is compared with ---- */

/* Loads the unrolled form of the shipped example, once; what cannot be loaded is not compared. */
static bool load_other(struct opened *other)
{
    struct arena a = {0};
    struct list warnings = {0};
    struct dump d;
    struct diag diag;
    const char *path;
    bool ok = other->program || (shipped_unrolled(&a, &path, &diag) && dump_find(&d, path, &diag));
    if (ok && !other->program) {
        ok = open_module(other, &d, 0, &a, &warnings, &diag);
        dump_free(&d);
    }
    arena_free(&a);
    return ok;
}

/* ---- One program ---- */

static enum want explore(struct session *se, const struct program *p, bool several)
{
    struct memo memo = {0};
    struct opened other = {0};
    struct app s = app_start(p, &memo, se->grid.cols, se->grid.rows, se->o->limit);
    s.several = several;
    s.other = se->o->shipped && !several;
    for (;;) {
        bool last = s.want != WANT_MODULES && is_last(se, s.want == WANT_QUIT);
        if (last || (is_shown(se) && s.want == WANT_NOTHING))
            screen_draw(p, &memo, &s, &se->grid);
        if (last)
            s.want = WANT_QUIT;
        if (s.want != WANT_NOTHING)
            break;
        if (is_shown(se))
            term_draw(&se->grid);
        s = app_update(p, &memo, s, next_msg(se));
        if (s.want == WANT_OTHER) {
            s.other = load_other(&other);
            memo.other = other.program;
            s.want = WANT_NOTHING;
        }
        fit_grid(se, s.cols, s.rows);
    }
    memo_free(&memo);
    open_close(&other);
    return s.want;
}

/* ---- The list of modules ---- */

/* Opens the module that was picked, and says whether to go on. */
static bool open_picked(struct session *se, struct catalog *c, struct picker *s)
{
    struct opened one;
    struct diag d;
    s->want = PICK_NOTHING;
    s->refused = !catalog_open(c, s->at, &one, &d);
    if (s->refused)
        return true;
    bool back = explore(se, one.program, true) == WANT_MODULES;
    open_close(&one);
    *s = picker_update(&c->picks, *s,
                       (struct msg){.kind = MSG_RESIZE, .cols = se->grid.cols, .rows = se->grid.rows});
    return back;
}

static void pick(struct session *se, struct catalog *c)
{
    struct picker s = picker_start(se->grid.cols, se->grid.rows);
    for (;;) {
        bool last = s.want != PICK_OPEN && is_last(se, s.want == PICK_QUIT);
        if (last || (is_shown(se) && s.want == PICK_NOTHING))
            picker_draw(&c->picks, &s, &se->grid);
        if (last || s.want == PICK_QUIT)
            return;
        if (s.want == PICK_OPEN) {
            if (!open_picked(se, c, &s))
                return;
            continue;
        }
        if (is_shown(se))
            term_draw(&se->grid);
        s = picker_update(&c->picks, s, next_msg(se));
        fit_grid(se, s.cols, s.rows);
    }
}

/* ---- The whole ---- */

static bool open_screen(struct session *se, struct diag *d)
{
    const struct explorer_options *o = se->o;
    int cols = o->cols ? o->cols : 80, rows = o->rows ? o->rows : 24;
    const char *no_color = getenv("NO_COLOR");
    bool color = o->color == COLOR_ALWAYS || (o->color == COLOR_AUTO && !(no_color && *no_color));
    bool ascii = !locale_is_utf8() || o->ascii;
    if (!check_keys(o->keys, d) || (!o->dump && !term_open(color, d)))
        return false;
    if (!o->dump)
        term_size(&cols, &rows);
    grid_init(&se->grid, cols, rows, ascii);
    return true;
}

int explorer_run(struct catalog *c, const struct explorer_options *o)
{
    struct session se = {.o = o, .keys = o->keys};
    struct opened one = {0};
    struct diag d;
    bool single = c->picks.n == 1; /* its warnings are said before its screen is shown */
    bool ok = !single || catalog_open(c, 0, &one, &d);
    if (single)
        say_warnings(&c->warnings);
    ok = ok && open_screen(&se, &d);
    if (!ok) {
        say_error(&d);
        open_close(&one);
        return 2;
    }
    if (single)
        explore(&se, one.program, false);
    else
        pick(&se, c);
    open_close(&one);
    term_close();
    if (!single)
        say_warnings(&c->warnings);
    if (o->dump)
        grid_print(&se.grid, stdout);
    grid_free(&se.grid);
    int sig = term_signal();
    return sig && sig != SIGINT ? 128 + sig : 0;
}
