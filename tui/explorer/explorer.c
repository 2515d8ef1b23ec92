#include "tui/explorer/explorer.h"

#include "gpu/exec.h"
#include "tui/explorer/catalog.h"
#include "tui/explorer/config.h"
#include "tui/explorer/copy.h"
#include "tui/explorer/room.h"
#include "tui/explorer/state.h"
#include "tui/lists/listed.h"
#include "tui/terminal/progress.h"
#include "tui/terminal/rescue.h"
#include "tui/terminal/term.h"
#include "tui/views/views.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What list and explorer share: keys still to be played, and the screen. */
struct session {
    struct config config;
    char state[4096]; /* the directory of states; "": none is kept */
    const struct explorer_options *o;
    const char *keys; /* what is left of them */
    struct grid grid;
    char self[4096];          /* this program, to start it again; "": not known */
    char device[256], no_cuda[700]; /* the CUDA device, or why there is none; asked once */
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
    int colors = se->grid.colors;
    if (cols == se->grid.cols && rows == se->grid.rows)
        return;
    grid_free(&se->grid);
    grid_init(&se->grid, cols, rows, ascii);
    se->grid.colors = colors;
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
        return term_wait(-1);
    keys_next(se->o->keys, &se->keys, &m, &d); /* they were checked */
    return m;
}

/* ---- Running it ---- */

static void ask_cuda(struct session *se)
{
    struct diag d;
    char text[1400];
    ssize_t n = readlink("/proc/self/exe", se->self, sizeof se->self - 1);
    se->self[n > 0 ? n : 0] = '\0';
    for (unsigned k = 0; exec_backend(k); k++)
        if (strcmp(exec_backend(k)->name, "cuda") == 0 && !exec_backend(k)->probe(se->device, sizeof se->device, &d))
            snprintf(se->no_cuda, sizeof se->no_cuda, "%s", diag_text(&d, text, sizeof text) + strlen("tidemark: "));
}

/* Is --trace of this program?  (Of several modules it may be another's.) */
static bool check_trace(const struct explorer_options *o, const struct opened *one, struct diag *d)
{
    struct arena a = {0};
    struct measured m;
    bool ok = !o->trace || measured_open(&a, o->trace, one->program, &m, d);
    arena_free(&a);
    return ok;
}

/* ---- One program ---- */

/* Says so before the explorer is busy for a while. */
static void show_wait(void *ctx, struct room *room, const struct app *s)
{
    struct session *se = ctx;
    if (!is_shown(se) || se->o->dump)
        return;
    screen_draw(room->p, &room->memo, s, &se->grid);
    term_draw(&se->grid);
}

/* "~/.local/state/…": a path as a person reads it. */
static const char *shorter(const char *file, const char *home, char *out, size_t size)
{
    size_t len = home ? strlen(home) : 0;
    bool inside = len > 1 && strncmp(file, home, len) == 0 && file[len] == '/';
    if (!inside)
        return text_safe(file, out, size);
    out[0] = '~';
    text_safe(file + len, out + 1, size - 1);
    return out;
}

/* To the terminal's clipboard, and always to a file. */
static struct app copy(void *ctx, struct room *room, struct app s)
{
    (void)ctx;
    struct arena a = {0};
    struct diag d;
    size_t len;
    const char *text = copy_text(room->p, &room->memo, &s, &a, &len), *bytes = copy_sequence(text, len, &a);
    const char *file = copy_file(&a);
    char safe[400];
    term_send(bytes, strlen(bytes));
    const char *offered = *bytes ? "copied" : "too long for the clipboard", *home = getenv("HOME");
    if (!file)
        s = app_said(s, arena_printf(&a, "%s; no file: set XDG_STATE_HOME or HOME", offered));
    else if (!copy_save(file, text, len, &d))
        s = app_said(s, arena_printf(&a, "%s; %s", offered, text_safe(d.what, safe, sizeof safe)));
    else
        s = app_said(s, arena_printf(&a, "%s, and kept in %s", offered, shorter(file, home, safe, sizeof safe)));
    arena_free(&a);
    return s;
}

/* The next message; meanwhile what is done in the background, until it changes something. */
static struct msg await(struct session *se, struct room *room, struct app *s)
{
    struct msg m;
    do {
        bool shown = is_shown(se) && !se->o->dump;
        int patience = shown ? room_patience(room, s) : -1;
        m = shown ? term_wait(patience) : next_msg(se);
        if (m.kind == MSG_NONE && shown) {
            *s = room_tick(room, *s);
            screen_draw(room->p, &room->memo, s, &se->grid);
            term_draw(&se->grid);
        }
    } while (m.kind == MSG_NONE && is_shown(se));
    return m;
}

/* At the place where one left. */
static struct app resumed(struct session *se, struct room *room, const char *dir, struct app s)
{
    uint64_t at = s.at;
    if (se->state[0] && state_load(se->state, room->p, dir, &room->memo, &s) && s.at != at)
        s.notice = NOTICE_RESUMED;
    return s;
}

static enum want explore(struct session *se, const struct program *p, const char *dir, bool several)
{
    struct room room;
    struct app s = room_open(&room, p, dir, se->grid.cols, se->grid.rows, se->o->limit);
    s.several = several;
    s.sort = se->config.sort;
    s.bytes = se->config.bytes;
    room.memo.keys = &se->config.keys;
    s = resumed(se, &room, dir, s);
    struct app own = s; /* while the dump's own program is shown */
    room.compiles = !se->o->dump;
    room.copies = se->o->dump ? NULL : copy;
    room.runs = !se->o->dump;
    room.run.self = se->self[0] ? se->self : NULL;
    room.run.device = se->device;
    room.run.no_cuda = se->no_cuda[0] ? se->no_cuda : NULL;
    s = room_traces(&room, s, se->o->trace);
    room.waits = show_wait;
    room.ctx = se;
    if (se->o->lesson && !several) {
        s.lesson_page = se->o->lesson - 1;
        s = room_update(&room, s, (struct msg){.kind = MSG_KEY, .key = 'L'});
    }
    for (;;) {
        bool last = s.want != WANT_MODULES && is_last(se, s.want == WANT_QUIT);
        if (last)
            room_fill(&room, &s);
        if (last || (is_shown(se) && s.want == WANT_NOTHING))
            screen_draw(room.p, &room.memo, &s, &se->grid);
        if (last)
            s.want = WANT_QUIT;
        if (s.want != WANT_NOTHING)
            break;
        if (is_shown(se))
            term_draw(&se->grid);
        struct msg m = await(se, &room, &s);
        if (m.kind == MSG_KEY && !app_types(&s)) {
            s.pressed = m.key;
            m.key = keymap_key(&se->config.keys, m.key, app_scope(room.p, &s));
        }
        if (m.kind == MSG_KEY && !m.key) { /* its command has another key */
            s.notice = NOTICE_NOTHING;
            continue;
        }
        if (room.p == p)
            own = s;
        s = room_update(&room, s, m);
        fit_grid(se, s.cols, s.rows);
    }
    if (se->state[0]) /* of another form nothing is kept */
        state_save(se->state, p, dir, room.p == p ? &s : &own);
    room_close(&room);
    return s.want;
}

/* ---- One listing ---- */

static enum listed_want explore_listing(struct session *se, const struct dump_entry *e, bool several)
{
    struct listed_data d;
    listed_make(&d, e->listing, e->stem, e->path[DUMP_REPORT], e->platform, se->o->limit);
    d.keys = &se->config.keys;
    struct listed s = listed_start(se->grid.cols, se->grid.rows, several);
    for (;;) {
        bool last = s.want != LISTED_MODULES && is_last(se, s.want == LISTED_QUIT);
        if (last || (is_shown(se) && s.want == LISTED_NOTHING))
            listed_draw(&d, &s, &se->grid);
        if (last)
            s.want = LISTED_QUIT;
        if (s.want != LISTED_NOTHING)
            break;
        if (is_shown(se))
            term_draw(&se->grid);
        struct msg m = next_msg(se);
        if (m.kind == MSG_KEY)
            m.key = keymap_key(&se->config.keys, m.key, s.help ? IN_HELP : IN_LISTING);
        s = listed_update(&d, s, m);
        fit_grid(se, s.cols, s.rows);
    }
    listed_free(&d);
    return s.want;
}

/* ---- The list of modules ---- */

/* Says so before it is read: keys do nothing then but Ctrl-C, which ends the program. */
static void show_opening(struct session *se, const struct catalog *c, const struct picker *s)
{
    char text[200];
    if (!is_shown(se) || se->o->dump)
        return;
    picker_draw(&c->picks, s, &se->grid);
    struct rect last = {0, se->grid.rows - 1, se->grid.cols, 1};
    grid_fill(&se->grid, last, 0, ' ', ST_PLAIN);
    snprintf(text, sizeof text, " reading %s …  Ctrl-C quit", c->picks.items[s->at].label);
    grid_field(&se->grid, last, 0, 0, last.w, ST_INPUT, CUT_MIDDLE, text);
    term_draw(&se->grid);
}

/* Opens the module that was picked, and says whether to go on. */
static bool open_picked(struct session *se, struct catalog *c, struct picker *s)
{
    struct opened one;
    struct diag d;
    bool listing = c->picks.items[s->at].listing, back;
    s->want = PICK_NOTHING;
    if (!listing)
        show_opening(se, c, s);
    rescue_interrupts(true);
    s->refused = !listing && !catalog_open(c, s->at, &one, &d);
    rescue_interrupts(false);
    if (s->refused)
        return true;
    if (listing) {
        back = explore_listing(se, catalog_entry(c, s->at), true) == LISTED_MODULES;
    } else {
        back = explore(se, one.program, one.module->dir, true) == WANT_MODULES;
        open_close(&one);
    }
    *s = picker_update(&c->picks, *s,
                       (struct msg){.kind = MSG_RESIZE, .cols = se->grid.cols, .rows = se->grid.rows});
    return back;
}

static void pick(struct session *se, struct catalog *c)
{
    struct picker s = picker_start(se->grid.cols, se->grid.rows);
    c->picks.keys = &se->config.keys;
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
        struct msg m = next_msg(se);
        if (m.kind == MSG_KEY && !s.typing)
            m.key = keymap_key(&se->config.keys, m.key, s.help ? IN_HELP : IN_PICKER);
        s = picker_update(&c->picks, s, m);
        fit_grid(se, s.cols, s.rows);
    }
}

/* ---- The whole ---- */

/* The person's own unless keys are played or a screen printed; what is asked for always. */
static bool read_wishes(struct session *se, struct diag *d)
{
    const struct explorer_options *o = se->o;
    bool own = !o->keys && !o->dump;
    char path[4096];
    const char *config = o->config ? o->config : own ? config_path(path, sizeof path) : NULL;
    config_default(&se->config, own ? theme_of(getenv("COLORFGBG")) : THEME_ANY);
    if (o->state)
        snprintf(se->state, sizeof se->state, "%s", o->state);
    else if (!own || !state_dir(se->state, sizeof se->state))
        se->state[0] = '\0';
    return !config || config_load(&se->config, config, o->config, say_error, d);
}

static bool open_screen(struct session *se, struct diag *d)
{
    const struct explorer_options *o = se->o;
    int cols = o->cols ? o->cols : 80, rows = o->rows ? o->rows : 24;
    const char *no_color = getenv("NO_COLOR");
    bool color = o->color == COLOR_ALWAYS || (o->color == COLOR_AUTO && !(no_color && *no_color));
    bool ascii = !locale_is_utf8() || o->ascii;
    if (!check_keys(o->keys, d) || (!o->dump && !term_open(color, &se->config.looks, d)))
        return false;
    if (!o->dump)
        term_size(&cols, &rows);
    grid_init(&se->grid, cols, rows, ascii);
    se->grid.colors = !o->dump ? term_colors() : o->color == COLOR_ALWAYS ? 256 : 0;
    return true;
}

static bool open_first(struct catalog *c, struct opened *one, struct diag *d)
{
    struct progress *progress = progress_begin("reading", c->picks.items[0].label, 0);
    bool ok = catalog_open(c, 0, one, d);
    progress_end(progress);
    return ok;
}

int explorer_run(struct catalog *c, const struct explorer_options *o)
{
    struct session se = {.o = o, .keys = o->keys};
    struct opened one = {0};
    struct diag d;
    bool single = c->picks.n == 1; /* its warnings are said before its screen is shown */
    bool listing = single && c->picks.items[0].listing;
    bool ok = !single || listing || open_first(c, &one, &d);
    if (single)
        say_warnings(&c->warnings);
    ok = ok && (!single || listing || check_trace(o, &one, &d)) && read_wishes(&se, &d) && open_screen(&se, &d);
    if (!ok) {
        say_error(&d);
        open_close(&one);
        return 2;
    }
    ask_cuda(&se);
    if (listing)
        explore_listing(&se, catalog_entry(c, 0), false);
    else if (single)
        explore(&se, one.program, one.module->dir, false);
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
