/* The command line: what is typed, completed and obeyed. */
#include "tui/update/update_parts.h"

#include "tui/model/complete.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void command_open(struct app *s)
{
    s->commanding = true;
    s->tab = -1;
    s->line = 0;
    memset(s->typed, 0, sizeof s->typed);
}

/* ---- Going ---- */

static void go_step(const struct program *p, struct memo *memo, struct app *s, const char *digits)
{
    char *end;
    unsigned long step = strtoul(digits, &end, 10);
    if (!*digits || *end)
        say(s, "step what?  A number from 0 to %u", (unsigned)p->steps);
    else if (step > p->steps)
        say(s, "there is no step %.12s: the last one, the end, is %u", digits, (unsigned)p->steps);
    else
        go_to(p, memo, s, BUF_NONE, (uint32_t)step);
}

/* The named loop, or the innermost one around the cursor; LOOP_NONE, and it is said why. */
static uint32_t loop_meant(const struct program *p, struct memo *memo, struct app *s, const char *name)
{
    struct moment m = app_here(p, memo, s);
    uint32_t matches, loop;
    if (!*name) {
        if (!m.n)
            say(s, "no loop around this step: name one, or { } leads to the next");
        return m.n ? m.loop[m.n - 1] : LOOP_NONE;
    }
    loop = loop_find(p, name, &matches);
    if (loop == LOOP_NONE && matches)
        say(s, "%u loops have \"%.60s\" in their names", (unsigned)matches, name);
    else if (loop == LOOP_NONE)
        say(s, "no loop is called \"%.60s\"", name);
    return loop;
}

/* The cursor's moment if the loop is around it, else the loop's first; at an iteration of that loop. */
static void go_iteration(const struct program *p, struct memo *memo, struct app *s, uint32_t loop, int64_t iteration)
{
    const struct loop *l = &p->loops.items[loop];
    struct moment m = app_here(p, memo, s);
    if (s->step < l->first || s->step > l->last)
        m = clock_at_step(p, l->first, &m);
    for (uint32_t k = 0; k < m.n; k++)
        if (m.loop[k] == loop)
            m.iteration[k] = iteration;
    s->mode = MODE_MAIN;
    stand_at(p, memo, s, timeline_at(memo_timeline(memo, p), &m));
    choose(p, memo, s, 0, -1);
}

static void command_iteration(const struct program *p, struct memo *memo, struct app *s, const char *text)
{
    char *name;
    long long k = strtoll(text, &name, 10);
    if (name == text || (*name && *name != ' ') || k < 1) {
        say(s, "iteration which?  A number from 1 on, and a loop's name if none is around the cursor");
        return;
    }
    uint32_t loop = loop_meant(p, memo, s, name + strspn(name, " "));
    if (loop == LOOP_NONE)
        return;
    const struct loop *l = &p->loops.items[loop];
    if (l->trip_count < 0)
        say(s, "how often %.60s runs is not known", l->name);
    else if (k > l->trip_count)
        say(s, "%.60s runs %lld time%s", l->name, (long long)l->trip_count, l->trip_count == 1 ? "" : "s");
    else
        go_iteration(p, memo, s, loop, k - 1);
}

static void command_loop(const struct program *p, struct memo *memo, struct app *s, const char *name)
{
    if (!*name)
        say(s, "loop which?  Tab lists them");
    uint32_t loop = *name ? loop_meant(p, memo, s, name) : LOOP_NONE;
    if (loop == LOOP_NONE)
        return;
    s->mode = MODE_MAIN;
    stand_at(p, memo, s, timeline_first(memo_timeline(memo, p), p->loops.items[loop].first));
    choose(p, memo, s, 0, -1);
}

static void command_peak(const struct program *p, struct memo *memo, struct app *s, const char *rest)
{
    (void)rest;
    struct moment none = {0}, m = clock_at_step(p, p->spaces[s->space].peak, &none);
    s->mode = MODE_MAIN;
    s->step = p->spaces[s->space].peak;
    s->at = timeline_at(memo_timeline(memo, p), &m);
    choose(p, memo, s, 0, -1);
}

static void command_length(const struct program *p, struct memo *memo, struct app *s, const char *rest)
{
    (void)p;
    form_length(memo, s, rest);
}

static void command_unroll(const struct program *p, struct memo *memo, struct app *s, const char *rest)
{
    (void)p;
    form_unrolled(memo, s, rest);
}

static void command_quit(const struct program *p, struct memo *memo, struct app *s, const char *rest)
{
    (void)p;
    (void)memo;
    (void)rest;
    s->want = WANT_QUIT;
}

/* A value, an instruction, a source line. */
static void go_name(const struct program *p, struct memo *memo, struct app *s, const char *text)
{
    struct named to;
    bool source = source_find(p, text, &to);
    if (!source || !to.matches)
        to = name_find(p, text);
    if (!to.matches) {
        say(s, source ? "nothing comes from %.80s" : "no step, value, instruction or line is called \"%.80s\"", text);
        return;
    }
    go_to(p, memo, s, to.buffer, to.step);
    if (to.matches > 1 && !to.whole)
        say(s, "the first of %u called so; Tab lists them", (unsigned)to.matches);
}

/* ---- Commands ---- */

static const struct {
    const char *name, *brief;
    void (*run)(const struct program *, struct memo *, struct app *, const char *);
} commands[] = {
    {"step", "s", go_step},  {"iteration", "i", command_iteration}, {"loop", "l", command_loop},
    {"peak", "p", command_peak}, {"quit", "q", command_quit}, {"length", "seqlen", command_length},
    {"unroll", "u", command_unroll},
};

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

static void obey(const struct program *p, struct memo *memo, struct app *s, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *rest = line + len + strspn(line + len, " ");
    if (!*line)
        return;
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (is_word(line, len, commands[k].name) || is_word(line, len, commands[k].brief)) {
            commands[k].run(p, memo, s, rest);
            return;
        }
    if (!line[strspn(line, "0123456789")])
        go_step(p, memo, s, line);
    else
        go_name(p, memo, s, line);
}

/* The latest first, none twice in a row. */
static void keep(struct app *s)
{
    if (!s->typed[0] || (s->n_lines && strcmp(s->lines[0], s->typed) == 0))
        return;
    memmove(s->lines[1], s->lines[0], (LINES_MOST - 1) * sizeof s->lines[0]);
    memcpy(s->lines[0], s->typed, sizeof s->typed);
    s->n_lines += s->n_lines < LINES_MOST;
}

static void run(const struct program *p, struct memo *memo, struct app *s)
{
    char line[QUERY_MAX] = "";
    const char *from = s->typed + strspn(s->typed, " ");
    size_t len = strlen(from);
    while (len && from[len - 1] == ' ')
        len--;
    snprintf(line, sizeof line, "%.*s", (int)len, from);
    s->commanding = false;
    keep(s);
    obey(p, memo, s, line);
}

/* ---- Typing ---- */

/* The next completion of what was typed, and round to that itself. */
static void turn(const struct program *p, struct memo *memo, struct app *s)
{
    if (s->tab < 0)
        memcpy(s->stem, s->typed, sizeof s->stem);
    const struct completions *c = complete_get(&memo->complete, p, s->stem);
    s->tab = s->tab + 1 < (int)c->n ? s->tab + 1 : -1;
    memset(s->typed, 0, sizeof s->typed);
    strcpy(s->typed, s->tab < 0 ? s->stem : c->item[s->tab].text);
    if (!c->n)
        say(s, "nothing is called so");
}

static void recall(struct app *s, bool older)
{
    if (older ? s->line == s->n_lines : s->line == 0)
        return;
    s->line = older ? s->line + 1 : s->line - 1;
    s->tab = -1;
    memset(s->typed, 0, sizeof s->typed);
    if (s->line)
        memcpy(s->typed, s->lines[s->line - 1], sizeof s->typed);
}

void command_typing(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    if (key == K_TAB) {
        turn(p, memo, s);
        return;
    }
    if (key == K_UP || key == K_DOWN) {
        recall(s, key == K_UP);
        return;
    }
    switch (typing_key(s->typed, key)) {
    case TYPED_ENTER: run(p, memo, s); break;
    case TYPED_ESC: s->commanding = false; break;
    case TYPED_QUIT: s->want = WANT_QUIT; break;
    case TYPED_MORE: s->tab = -1; break;
    }
}
