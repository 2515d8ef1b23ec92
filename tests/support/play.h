/* Plays keys in the explorer without a terminal, and reads its screen. */
#ifndef TESTS_PLAY_H
#define TESTS_PLAY_H

#include "tests/support/cell.h"
#include "tui/views/views.h"
#include "tui/update/update.h"
#include <stdlib.h>
#include <string.h>

/* The next of the messages that keys are; false: there is none. */
static inline bool next_msg(const char *keys, const char **at, struct msg *m)
{
    struct diag d;
    assert_true(keys_next(keys, at, m, &d));
    return m->kind != MSG_NONE;
}

static inline struct app play(const struct program *p, struct memo *memo, struct app s, const char *keys)
{
    struct msg m;
    for (const char *at = keys; next_msg(keys, &at, &m);)
        s = app_update(p, memo, s, m);
    return s;
}

/* The screen's text; the caller frees. */
static inline char *screen_text(const struct program *p, struct memo *memo, const struct app *s, bool ascii)
{
    struct grid g;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    grid_init(&g, s->cols, s->rows, ascii);
    screen_draw(p, memo, s, &g);
    grid_print(&g, out);
    fclose(out);
    grid_free(&g);
    return text;
}

/* Is it somewhere on the screen?  Prints the screen if not. */
static inline void assert_shows(const struct program *p, struct memo *memo, const struct app *s,
                                const char *want)
{
    char *text = screen_text(p, memo, s, false);
    bool shows = strstr(text, want) != NULL;
    if (!shows)
        print_error("not shown: %s\n%s\n", want, text);
    free(text);
    assert_true(shows);
}

#endif
