/* Walks at random through the explorer: any keys, mouse, sizes and lines, in any program, and what
 * must hold wherever they lead.  For tests and the fuzz target. */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include "tests/support/program_sample.h"
#include "tui/update/update_parts.h"
#include "tui/lists/listed.h"
#include "tui/lists/picker.h"
#include "tui/explorer/room.h"
#include "tui/explorer/state.h"
#include "tui/views/views.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where bytes come from: given ones, or, when those are NULL, endless ones. */
struct chance {
    const uint8_t *data;
    size_t left;
    uint64_t seed;
};

static inline uint32_t chance(struct chance *c, uint32_t below)
{
    if (!c->data) {
        c->seed = c->seed * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(((c->seed >> 32) * below) >> 32);
    }
    uint32_t n = 0;
    for (uint32_t k = 1; k < below && c->left; k = k > below / 256 ? below : k * 256) {
        n = n * 256 + *c->data++;
        c->left--;
    }
    return n % below;
}

/* What fails says where, and ends the program. */
#define WALK_HOLDS(what) ((what) ? (void)0 : walk_fails(#what, __FILE__, __LINE__))
static inline void walk_fails(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* ---- Messages ---- */

static inline int32_t walk_key(struct chance *c)
{
    static const int32_t keys[] = {K_ENTER, K_TAB, K_ESC, K_UP, K_DOWN, K_LEFT, K_RIGHT, K_BACKSPACE, K_HOME, K_END,
                                   K_PAGE_UP, K_PAGE_DOWN, 0x20ac, 0x1f600, 0x301, 0x202e, 0x9b, 1, 24, K_END + 1};
    static const char more[] = "aab''\"\":::<><>0129++--==v yr,./wfs:17ilLgcemMGBxVFot";
    uint32_t what = chance(c, 8);
    const struct binding *b = &bindings[chance(c, (uint32_t)n_bindings)];
    if (what < 3)
        return b->keys[0] ? b->keys[0] : K_ENTER;
    return what < 6 ? more[chance(c, sizeof more - 1)] : keys[chance(c, sizeof keys / sizeof *keys)];
}

static inline struct msg walk_msg(struct chance *c)
{
    uint32_t what = chance(c, 24);
    int cols = 320, rows = 110;
    if (what == 0)
        return (struct msg){.kind = MSG_RESIZE, .cols = (int)chance(c, 300) + 1, .rows = (int)chance(c, 100) + 1};
    if (what == 1) /* what most people have */
        return (struct msg){.kind = MSG_RESIZE, .cols = 80, .rows = 24};
    if (what > 7)
        return (struct msg){.kind = MSG_KEY, .key = walk_key(c)};
    if (what > 4) {
        cols = 80;
        rows = 24;
    }
    return (struct msg){.kind = MSG_CLICK + chance(c, MSG_RESIZE - MSG_CLICK), .col = (int)chance(c, (uint32_t)cols),
                        .row = (int)chance(c, (uint32_t)rows), .from_col = (int)chance(c, (uint32_t)cols),
                        .from_row = (int)chance(c, (uint32_t)rows)};
}

/* ---- What a screen shows ---- */

struct picture {
    char *text, *styles;
    size_t n;
};

static inline void picture_free(struct picture *p)
{
    free(p->text);
    free(p->styles);
}

/* The lines in which two texts differ, for a person. */
static inline void picture_lines(const char *a, const char *b)
{
    while (*a || *b) {
        size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
        if (n != k || memcmp(a, b, n) != 0)
            fprintf(stderr, "- %.*s\n+ %.*s\n", (int)n, a, (int)k, b);
        a += n + (a[n] != '\0');
        b += k + (b[k] != '\0');
    }
}

static inline bool picture_same(const struct picture *a, const struct picture *b)
{
    picture_lines(a->text, b->text);
    if (strcmp(a->text, b->text) == 0)
        picture_lines(a->styles, b->styles);
    return strcmp(a->text, b->text) == 0 && strcmp(a->styles, b->styles) == 0;
}

/* Takes what was drawn; each cell is a character that is one column wide, with a style. */
static inline struct picture picture_of(struct grid *g)
{
    struct picture p;
    for (int k = 0; k < g->cols * g->rows; k++) {
        uint32_t ch = g->cells[k].ch;
        WALK_HOLDS(ch >= ' ' && ch != 0x7f && !(ch >= 0x80 && ch < 0xa0) && (!g->ascii || ch < 0x7f));
        WALK_HOLDS(g->cells[k].style < ST_COUNT);
    }
    FILE *out = open_memstream(&p.text, &p.n);
    grid_print(g, out);
    fclose(out);
    out = open_memstream(&p.styles, &p.n);
    grid_print_styles(g, out);
    fclose(out);
    grid_free(g);
    return p;
}

static inline struct picture walk_draw(const struct program *p, struct memo *memo, const struct app *s, bool ascii,
                                       int colors)
{
    struct grid g;
    grid_init(&g, s->cols, s->rows, ascii);
    g.colors = colors;
    screen_draw(p, memo, s, &g);
    return picture_of(&g);
}

/* ---- What holds everywhere ---- */

static inline void walk_holds(struct room *r, const struct app *s)
{
    const struct program *p = r->p;
    const struct timeline *t = memo_timeline(&r->memo, p);
    uint64_t first, last;
    WALK_HOLDS(s->step <= p->steps && s->at < t->moments);
    WALK_HOLDS(s->space < p->n_spaces && s->sort < SORT_COUNT && s->fold < FOLD_SHOWN && s->focus < FOCUS_COUNT);
    WALK_HOLDS(s->chosen == BUF_NONE || s->chosen < p->n);
    WALK_HOLDS(s->trail.here <= SPOTS_MOST && s->trail.n <= SPOTS_MOST + 1 && s->trail.here <= s->trail.n);
    WALK_HOLDS(s->count <= COUNT_MOST && s->pace < PACES && s->n_lines <= LINES_MOST && s->line <= s->n_lines);
    WALK_HOLDS(memchr(s->typed, '\0', sizeof s->typed) && memchr(s->said, '\0', sizeof s->said));
    WALK_HOLDS(memchr(s->query, '\0', sizeof s->query) && memchr(s->stem, '\0', sizeof s->stem));
    WALK_HOLDS(s->mode != MODE_COMPARE || r->memo.compare);
    WALK_HOLDS(s->help_top >= 0 && s->page_top >= 0 && s->compare_top >= 0 && s->lesson_top >= 0);
    app_range(s, &first, &last);
    WALK_HOLDS(first <= last && last < clock_units(t, s->clock));
    for (int c = 0; c < CLOCK_COUNT; c++) {
        struct window w = app_window(p, &r->memo, s, (enum clock)c);
        uint64_t n = clock_units(t, (enum clock)c);
        WALK_HOLDS(w.n > 0 && w.n <= n && w.first <= n - w.n);
    }
    const struct alive *a = alive_here(p, &r->memo, s);
    if (alive_lines(a)) {
        uint32_t row = app_row(s, a), top = table_top(s, a, 7);
        WALK_HOLDS(row < alive_lines(a) && top <= row && row < top + 7);
    }
}

/* A fresh memo shows the same, only later; so what is shown follows from program and state alone. */
static inline void walk_is_pure(struct room *r, const struct app *s, bool ascii)
{
    struct memo fresh = {.other = r->memo.other, .compare = r->memo.compare, .stock = r->memo.stock,
                         .lesson = r->memo.lesson, .keys = r->memo.keys, .work = r->memo.work, .measured = r->memo.measured};
    struct picture kept = walk_draw(r->p, &r->memo, s, ascii, 256), made = walk_draw(r->p, &fresh, s, ascii, 256);
    WALK_HOLDS(picture_same(&kept, &made));
    picture_free(&kept);
    picture_free(&made);
    fresh.compare = NULL;
    memo_free(&fresh);
}

/* ---- What keys undo ---- */

static inline struct app walk_play(struct room *r, struct app s, const char *keys)
{
    struct msg m;
    struct diag d;
    for (const char *at = keys; keys_next(keys, &at, &m, &d) && m.kind != MSG_NONE;)
        s = room_update(r, s, m);
    return s;
}

static inline bool walk_is_at(const struct app *a, const struct app *b)
{
    return a->step == b->step && a->at == b->at && a->mode == b->mode && a->map == b->map;
}

/* The screen is as it was, but for the answer to the last key. */
static inline void walk_returns(struct room *r, struct app s, const char *keys)
{
    s.notice = NOTICE_NONE;
    s.count = 0;
    struct app back = walk_play(r, s, keys);
    back.notice = NOTICE_NONE;
    back.trail = s.trail; /* the footer tells whether < leads back */
    back.top = s.top;     /* the selected row is seen, where in the table is no matter */
    struct picture was = walk_draw(r->p, &r->memo, &s, false, 256), is = walk_draw(r->p, &r->memo, &back, false, 256);
    bool same = picture_same(&was, &is);
    if (!same)
        fprintf(stderr, "%s, chosen %u %d, now %u %d\n", keys, s.chosen, s.on_group, back.chosen, back.on_group);
    WALK_HOLDS(same);
    picture_free(&was);
    picture_free(&is);
}

/* Only where nothing waits for a line or a letter. */
static inline void walk_undoes(struct room *r, struct app s)
{
    unsigned scope = app_scope(r->p, &s);
    if (app_types(&s) || layout_of(r->p, &s).small || s.playing || s.notice == NOTICE_AWAY)
        return;
    s.count = 0;
    if (scope & (IN_CHART | IN_TABLE)) {
        walk_returns(r, s, "BB");
        if (layout_of(r->p, &s).both && s.unfolded == KEY_NONE) /* else the table's part is shown, and nothing unfolded */
            walk_returns(r, s, "GGGGG");
        walk_returns(r, s, "mm");
        if (!s.selects) /* a range is of one clock */
            walk_returns(r, s, "xx");
    }
    if (scope & IN_PROGRAM) {
        struct app on = walk_play(r, s, "<Right>"), back = walk_play(r, on, "<Left>");
        WALK_HOLDS(app_unit(&on) == app_unit(&s) || app_unit(&back) == app_unit(&s));
        struct app at = walk_play(r, s, "<Home>"), gone = at.trail.here > s.trail.here ? walk_play(r, at, "<lt>") : s;
        WALK_HOLDS(walk_is_at(&gone, &s));
    }
}

/* What is kept of a state is taken back as it was. */
static inline void walk_resumes(struct room *r, const struct app *s)
{
    char text[STATE_BYTES], again[STATE_BYTES];
    struct app to = app_start(r->p, &r->memo, s->cols, s->rows, 0);
    state_text(s, text);
    WALK_HOLDS(state_take(r->p, &r->memo, text, &to));
    WALK_HOLDS(to.step == s->step && to.at == s->at && to.clock == s->clock && to.space == s->space);
    WALK_HOLDS(to.chosen == s->chosen || s->map || s->focus == FOCUS_MAP);
    WALK_HOLDS(to.sort == s->sort && to.fold == s->fold && to.bytes == s->bytes && to.map == s->map);
    state_text(&to, again);
    WALK_HOLDS(strcmp(text, again) == 0 || to.focus != s->focus || s->map || s->focus == FOCUS_MAP);
}

/* ---- Walks ---- */

/* One message, and what holds then. */
static inline struct app walk_step(struct room *r, struct app s, struct chance *c)
{
    s = room_update(r, s, walk_msg(c));
    if (chance(c, 4) == 0 && (s.playing || s.mode == MODE_GRID)) {
        r->next_ms = 0;
        s = room_tick(r, s);
    }
    if (s.want == WANT_QUIT || s.want == WANT_MODULES)
        s.want = WANT_NOTHING;
    walk_holds(r, &s);
    uint32_t also = chance(c, 32);
    if (also < 4) {
        walk_is_pure(r, &s, also & 1);
    } else if (also < 6) {
        struct picture p = walk_draw(r->p, &r->memo, &s, also & 1, also & 1 ? 0 : 16);
        picture_free(&p);
    } else if (also < 8) {
        walk_undoes(r, s);
    } else if (also == 8) {
        walk_resumes(r, &s);
    }
    return s;
}

static inline void walk_program(const struct program *p, const char *dir, struct chance *c, uint32_t steps)
{
    struct room r;
    struct app s = room_open(&r, p, dir, 80, 24, 0);
    const struct keymap none = {0};
    r.memo.keys = &none;
    s.several = chance(c, 2);
    for (uint32_t i = 0; i < steps && (!c->data || c->left); i++) {
        s = walk_step(&r, s, c);
        WALK_HOLDS(r.memo.keys == &none); /* a person's keys are theirs in every program */
    }
    room_close(&r);
}

static inline void walk_picker(const struct picks *p, struct chance *c, uint32_t steps)
{
    struct picker s = picker_start(80, 24);
    for (uint32_t i = 0; i < steps && (!c->data || c->left); i++) {
        s = picker_update(p, s, walk_msg(c));
        uint32_t row, n = picker_count(p, &s, &row);
        WALK_HOLDS(s.at < p->n || !p->n);
        WALK_HOLDS(s.want != PICK_OPEN || picker_shows(p, &s, s.at));
        WALK_HOLDS(row == UINT32_MAX || row < n);
        s.want = PICK_NOTHING;
        struct grid g;
        grid_init(&g, s.cols, s.rows, chance(c, 2));
        picker_draw(p, &s, &g);
        struct picture shown = picture_of(&g);
        picture_free(&shown);
    }
}

static inline void walk_listing(const struct listed_data *d, struct chance *c, uint32_t steps)
{
    struct listed s = listed_start(80, 24, true);
    for (uint32_t i = 0; i < steps && (!c->data || c->left); i++) {
        s = listed_update(d, s, walk_msg(c));
        WALK_HOLDS(s.by < LISTED_ROWS && (s.at < d->n[s.by] || s.at == 0));
        s.want = LISTED_NOTHING;
        struct grid g;
        grid_init(&g, s.cols, s.rows, chance(c, 2));
        listed_draw(d, &s, &g);
        struct picture shown = picture_of(&g);
        picture_free(&shown);
    }
}

#endif
