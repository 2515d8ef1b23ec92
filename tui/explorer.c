#include "tui/explorer.h"

#include "tui/app.h"
#include "tui/term.h"
#include "tui/views.h"
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int complain(const struct diag *d)
{
    char text[1400];
    fprintf(stderr, "%s\n", diag_text(d, text, sizeof text));
    return 2;
}

static bool locale_is_utf8(void)
{
    setlocale(LC_CTYPE, "");
    const char *codeset = nl_langinfo(CODESET);
    return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "utf8") == 0;
}

static bool play(const struct program *p, struct app *s, const char *keys, struct diag *d)
{
    struct msg m;
    for (const char *at = keys; at && s->want != WANT_QUIT;) {
        if (!keys_next(keys, &at, &m, d))
            return false;
        if (m.kind == MSG_NONE)
            break;
        *s = app_update(p, *s, m);
    }
    return true;
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

static int print_screen(const struct program *p, const struct app *s, bool ascii)
{
    struct grid g;
    grid_init(&g, s->cols, s->rows, ascii);
    screen_draw(p, s, &g);
    grid_print(&g, stdout);
    grid_free(&g);
    return 0;
}

static void look_around(const struct program *p, struct app s, bool ascii)
{
    struct grid g;
    grid_init(&g, s.cols, s.rows, ascii);
    while (s.want != WANT_QUIT) {
        screen_draw(p, &s, &g);
        term_draw(&g);
        struct msg m = term_wait();
        s = app_update(p, s, m);
        if (s.cols != g.cols || s.rows != g.rows) {
            grid_free(&g);
            grid_init(&g, s.cols, s.rows, ascii);
        }
    }
    grid_free(&g);
}

int explorer_run(const struct program *p, const struct explorer_options *o)
{
    struct diag d = {0};
    bool ascii = !locale_is_utf8() || o->ascii;
    int cols = o->cols ? o->cols : 80, rows = o->rows ? o->rows : 24;
    const char *no_color = getenv("NO_COLOR");
    bool color = o->color == COLOR_ALWAYS || (o->color == COLOR_AUTO && !(no_color && *no_color));
    if (!check_keys(o->keys, &d))
        return complain(&d);
    if (!o->dump) {
        if (!term_open(color, &d))
            return complain(&d);
        term_size(&cols, &rows);
    }
    struct app s = app_start(p, cols, rows, o->limit);
    if (!play(p, &s, o->keys, &d))
        return complain(&d);
    if (o->dump)
        return print_screen(p, &s, ascii);
    look_around(p, s, ascii);
    term_close();
    int sig = term_signal();
    return sig && sig != SIGINT ? 128 + sig : 0;
}
