#include "tui/model/complete.h"

#include "tui/model/alive.h"
#include "tui/model/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *text, *words;
} words[] = {
    {"step ", "N: to that step"},
    {"iteration ", "K or K LOOP: to that iteration"},
    {"loop ", "NAME: to its first iteration"},
    {"peak", "where the most bytes are alive"},
    {"length ", "N: the scan so many steps long: what would the memory be?"},
    {"unroll ", "K or full: so many steps an iteration"},
    {"quit", "leave"},
};

/* ---- How well a text matches ---- */

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

enum fit { FIT_NONE, FIT_INSIDE, FIT_START, FIT_WHOLE };

static enum fit fit_of(const char *text, const char *name, size_t len)
{
    if (lower(text[0]) == lower(name[0]) && strncasecmp(text, name, len) == 0)
        return text[len] ? FIT_START : FIT_WHOLE;
    return search_in(text, name) ? FIT_INSIDE : FIT_NONE;
}

/* ---- Source lines ---- */

struct source {
    const char *file;
    uint32_t line;
};

static struct source source_of_step(const struct program *p, uint32_t step)
{
    inst_id i = p->step_inst ? p->step_inst[step] : HLO_NONE;
    const struct hlo_inst *speaker = i == HLO_NONE ? NULL : program_speaker(&p->module->hlo, i);
    return speaker ? (struct source){speaker->file, speaker->line} : (struct source){NULL, 0};
}

/* "scan.py:21" -> the length of the file's part, and the digits behind the colon. */
static bool split(const char *text, size_t *len, const char **digits)
{
    const char *colon = strrchr(text, ':');
    *len = colon ? (size_t)(colon - text) : strlen(text);
    *digits = colon ? colon + 1 : "";
    return colon && *len;
}

/* Is it that file: by its last part, or by more of its path? */
static bool is_file(const char *path, const char *name, size_t len)
{
    size_t n = strlen(path);
    return n >= len && strncmp(path + n - len, name, len) == 0 && (n == len || path[n - len - 1] == '/');
}

bool source_find(const struct program *p, const char *text, struct named *out)
{
    size_t len;
    const char *digits;
    *out = (struct named){.buffer = BUF_NONE, .step = STEP_NONE};
    if (!split(text, &len, &digits) || !*digits || digits[strspn(digits, "0123456789")])
        return false;
    unsigned long line = strtoul(digits, NULL, 10);
    for (uint32_t t = 0; t < p->steps && out->step == STEP_NONE; t++) {
        struct source s = source_of_step(p, t);
        if (s.file && s.line == line && is_file(s.file, text, len))
            out->step = t;
    }
    for (buf_id b = 0; b < p->n; b++)
        if (p->file[b] && p->line[b] == line && is_file(p->file[b], text, len) &&
            (out->buffer == BUF_NONE || p->start[b] < p->start[out->buffer]))
            out->buffer = b;
    if (out->buffer != BUF_NONE && out->step < p->start[out->buffer])
        out->buffer = BUF_NONE; /* the step comes first */
    else if (out->buffer != BUF_NONE)
        out->step = p->start[out->buffer];
    out->matches = out->step != STEP_NONE;
    return true;
}

/* ---- Names ---- */

static void take(struct named *best, enum fit *fit, enum fit is, buf_id b, uint32_t step)
{
    if (is == FIT_NONE || is < *fit)
        return;
    if (is > *fit) {
        *best = (struct named){.buffer = b, .step = step, .whole = is == FIT_WHOLE};
        *fit = is;
    }
    best->matches++;
}

struct named name_find(const struct program *p, const char *name)
{
    struct named best = {.buffer = BUF_NONE, .step = STEP_NONE};
    enum fit fit = FIT_NONE;
    size_t len = strlen(name);
    for (buf_id b = 0; len && b < p->n; b++)
        take(&best, &fit, fit_of(p->name_of[b], name, len), b, STEP_NONE);
    for (uint32_t t = 0; len && t < p->steps; t++)
        if (p->step_name[t])
            take(&best, &fit, fit_of(p->step_name[t], name, len), BUF_NONE, t);
    return best;
}

uint32_t loop_find(const struct program *p, const char *name, uint32_t *matches)
{
    uint32_t best = LOOP_NONE;
    enum fit fit = FIT_NONE;
    size_t len = strlen(name);
    *matches = 0;
    for (uint32_t i = 0; len && i < p->loops.n; i++) {
        enum fit is = fit_of(p->loops.items[i].name, name, len);
        if (is == FIT_NONE || is < fit)
            continue;
        *matches = is > fit ? 1 : *matches + 1;
        best = is > fit ? i : best;
        fit = is;
    }
    return *matches == 1 || fit == FIT_WHOLE ? best : LOOP_NONE;
}

/* ---- Completions ---- */

const struct completions *complete_get(struct complete_memo *m, const struct program *p, const char *line)
{
    if (m->p != p || strcmp(m->line, line) != 0) {
        complete(p, line, &m->found);
        m->p = p;
        snprintf(m->line, sizeof m->line, "%s", line);
    }
    return &m->found;
}

static void add(struct completions *c, const char *before, const char *text, const char *what)
{
    char line[QUERY_MAX] = "";
    if (strlen(before) + strlen(text) >= QUERY_MAX)
        return; /* it could not be typed */
    strcat(strcpy(line, before), text);
    for (uint32_t k = 0; k < c->n; k++)
        if (strcmp(c->item[k].text, line) == 0)
            return;
    if (c->n == COMPLETIONS_MOST) {
        c->more = true;
        return;
    }
    strcpy(c->item[c->n].text, line);
    snprintf(c->item[c->n++].words, sizeof c->item->words, "%s", what);
}

static void add_loops(const struct program *p, const char *before, const char *name, struct completions *c)
{
    char what[48];
    for (int fit = FIT_WHOLE; fit > FIT_NONE; fit--)
        for (uint32_t i = 0; i < p->loops.n && !c->more; i++) {
            const struct loop *l = &p->loops.items[i];
            enum fit is = *name ? fit_of(l->name, name, strlen(name)) : FIT_START;
            if ((int)is != fit)
                continue;
            if (l->trip_count < 0)
                snprintf(what, sizeof what, "a loop, nobody knows how long");
            else
                snprintf(what, sizeof what, "%lld iteration%s", (long long)l->trip_count, l->trip_count == 1 ? "" : "s");
            add(c, before, l->name, what);
        }
}

/* What names match, in one pass over them: those that begin so, and those that have it inside. */
struct names {
    struct named_at {
        buf_id b;      /* else: */
        uint32_t step;
    } at[2][COMPLETIONS_MOST + 1];
    uint32_t n[2];
};

static void note_name(struct names *m, const char *name, const char *line, size_t len, buf_id b, uint32_t step)
{
    bool inside = lower(name[0]) != lower(line[0]) || strncasecmp(name, line, len) != 0;
    if (m->n[inside] <= COMPLETIONS_MOST && (!inside || search_in(name, line)))
        m->at[inside][m->n[inside]++] = (struct named_at){b, step};
}

static void find_names(const struct program *p, const char *line, struct names *m)
{
    size_t len = strlen(line);
    m->n[0] = m->n[1] = 0;
    for (buf_id b = 0; b < p->n && m->n[0] <= COMPLETIONS_MOST; b++)
        note_name(m, p->name_of[b], line, len, b, STEP_NONE);
    for (uint32_t t = 0; t < p->steps && m->n[0] <= COMPLETIONS_MOST; t++)
        if (p->step_name[t])
            note_name(m, p->step_name[t], line, len, BUF_NONE, t);
}

static void add_names(const struct program *p, const struct names *m, bool inside, struct completions *c)
{
    char what[48], bytes[24];
    for (uint32_t k = 0; k < m->n[inside]; k++) {
        struct named_at at = m->at[inside][k];
        if (at.b != BUF_NONE)
            snprintf(what, sizeof what, "value, %s, step %u", bytes_text(p->size[at.b], bytes), (unsigned)p->start[at.b]);
        else
            snprintf(what, sizeof what, "instruction, step %u", (unsigned)at.step);
        add(c, "", at.b != BUF_NONE ? p->name_of[at.b] : p->step_name[at.step], what);
    }
}

struct lines {
    struct source seen[COMPLETIONS_MOST];
    uint32_t n;
    const char *name, *digits;
    size_t len;
    bool colon;
    const char *file; /* asked last, and the answer */
    bool fits;
};

static int by_line(const void *x, const void *y)
{
    const struct source *a = x, *b = y;
    int file = strcmp(a->file, b->file);
    return file ? file : (a->line > b->line) - (a->line < b->line);
}

static void note_line(struct lines *l, struct source s)
{
    char line[16];
    if (!s.file || !s.line || (s.file == l->file && !l->fits))
        return;
    if (s.file != l->file) {
        const char *base = file_base(l->file = s.file);
        l->fits = l->colon ? strlen(base) == l->len && strncmp(base, l->name, l->len) == 0
                           : search_in(base, l->name) != NULL;
    }
    if (!l->fits)
        return;
    snprintf(line, sizeof line, "%u", (unsigned)s.line);
    if (strncmp(line, l->digits, strlen(l->digits)) != 0)
        return;
    for (uint32_t k = 0; k < l->n; k++)
        if (l->seen[k].line == s.line && l->seen[k].file == s.file)
            return;
    if (l->n < COMPLETIONS_MOST)
        l->seen[l->n++] = s;
}

static void add_lines(const struct program *p, const char *line, struct completions *c)
{
    struct lines l = {.name = line};
    l.colon = split(line, &l.len, &l.digits);
    for (buf_id b = 0; b < p->n && l.n < COMPLETIONS_MOST; b++)
        note_line(&l, (struct source){p->file[b], p->line[b]});
    for (uint32_t t = 0; t < p->steps && l.n < COMPLETIONS_MOST; t++)
        if (p->step_inst && p->step_inst[t] != HLO_NONE) { /* those that others speak for have these's lines */
            const struct hlo_inst *i = hlo_inst(&p->module->hlo, p->step_inst[t]);
            note_line(&l, (struct source){i->file, i->line});
        }
    qsort(l.seen, l.n, sizeof *l.seen, by_line);
    for (uint32_t k = 0; k < l.n; k++) {
        char text[300];
        snprintf(text, sizeof text, "%.250s:%u", file_base(l.seen[k].file), (unsigned)l.seen[k].line);
        add(c, "", text, "source line");
    }
}

void complete(const struct program *p, const char *line, struct completions *c)
{
    char before[QUERY_MAX] = "";
    size_t len = strlen(line);
    c->n = 0;
    c->more = false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strncasecmp(words[k].text, line, len) == 0 && words[k].text[len])
            add(c, "", words[k].text, words[k].words);
    if (strncasecmp(line, "loop ", 5) == 0) {
        add_loops(p, "loop ", line + 5 + strspn(line + 5, " "), c);
    } else if (strncasecmp(line, "iteration ", 10) == 0) {
        size_t number = 10 + strspn(line + 10, "0123456789");
        if (number == 10 || line[number] != ' ')
            return;
        memcpy(before, line, number + 1);
        add_loops(p, before, line + number + 1, c);
    } else if (len && line[strspn(line, "0123456789")]) {
        struct names names;
        find_names(p, line, &names);
        add_names(p, &names, false, c);
        if (!c->more)
            add_lines(p, line, c);
        add_names(p, &names, true, c);
    }
}
