/* Plays keys in a room, which is a program with its other forms, without a terminal. */
#ifndef TESTS_ROOM_PLAY_H
#define TESTS_ROOM_PLAY_H

#include "tests/support/tables.h"
#include "tests/support/play.h"
#include "tui/explorer/room.h"
#include "tui/update/update.h"

static const char a100[] = "a100-d1048576-s4-u1";

static inline struct app press(struct room *r, struct app s, const char *keys)
{
    struct msg m;
    for (const char *at = keys; next_msg(keys, &at, &m);)
        s = room_update(r, s, m);
    return s;
}

static inline struct app open_cell(struct room *r, struct cell_program *c, const char *name, int cols, int rows)
{
    cell_open(c, name);
    return room_open(r, &c->program, c->module.dir, cols, rows, 0);
}

static inline void close_cell(struct room *r, struct cell_program *c)
{
    room_close(r);
    cell_close(c);
}

static inline enum whatif_method label_of(const struct room *r, const struct app *s)
{
    struct figure f;
    assert_true(stock_peek(&r->stock, &s->form, &f));
    return f.method;
}

static inline bool screen_has(const struct room *r, const struct app *s, const char *want)
{
    struct memo *memo = (struct memo *)&r->memo;
    char *text = screen_text(r->p, memo, s, false);
    bool has = strstr(text, want) != NULL;
    if (!has)
        print_message("not shown: %s\n%s\n", want, text);
    free(text);
    return has;
}

static inline void name_here(const struct room *r, const struct app *s, char out[200])
{
    snprintf(out, 200, "%s", s->step < r->p->steps ? r->p->step_name[s->step] : "end");
}

#endif
