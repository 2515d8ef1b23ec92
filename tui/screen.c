/* The whole screen, and the small things that views share. */
#include "tui/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rule_draw(struct rect r, struct grid *g, bool focus, const char *title, const char *right)
{
    enum style st = focus ? ST_FOCUS : ST_RULE;
    grid_fill(g, r, 0, focus ? 0x2501 : 0x2500, st);
    if (title[0])
        grid_put(g, r, 0, 1, ' ', st);
    char cut[300];
    int room = r.w - 4;
    bool whole = text_columns(title) <= room;
    if (!whole && room > 1 && wrap_line(title, room - 1, 0, cut, sizeof cut - 4))
        strcat(cut, "…");
    int end = grid_text(g, r, 0, 2, ST_TITLE, whole ? title : room > 1 ? cut : "");
    if (title[0])
        grid_put(g, r, 0, end, ' ', st);
    int n = text_columns(right);
    if (!n || end + n + 5 > r.w)
        return;
    grid_put(g, r, 0, r.w - n - 3, ' ', st);
    grid_text(g, r, 0, r.w - n - 2, ST_DIM, right);
    grid_put(g, r, 0, r.w - 2, ' ', st);
}

/* ---- Figures ---- */

static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/* 17179869184 -> "17,179,869,184 B" */
static const char *grouped(uint64_t n, char out[AMOUNT])
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    memcpy(out + at, " B", 3);
    return out;
}

const char *amount(const struct app *s, uint64_t bytes, char out[AMOUNT])
{
    return s->bytes ? grouped(bytes, out) : bytes_text(bytes, out);
}

static int unit_of(double bytes)
{
    int u = 0;
    for (; bytes >= 1024 && u < 6; u++)
        bytes /= 1024;
    return u;
}

const char *axis_text(double bytes, double top, bool brief, char out[16])
{
    int u = unit_of(top * 1.0001);
    double n = bytes / pow(1024, u);
    int decimals = fabs(n - round(n)) < 1e-6 ? 0 : fabs(n * 10 - round(n * 10)) < 1e-6 ? 1 : 2;
    if (brief)
        snprintf(out, 16, "%.*f%c", decimals, n, units[u][0]);
    else
        snprintf(out, 16, "%.*f %s", decimals, n, units[u]);
    return out;
}

/* Figures that one likes to read on an axis. */
static const double round_figures[] = {
    0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1,   2,   3,   4,   5,   6,
    8,    10,   12,   15,  16,  20,   24,  25,  30,  32,  40,  48,  50,  60,  64,  80,  96,
    100,  120,  128,  150, 160, 200,  250, 256, 300, 320, 400, 500, 512, 600, 640, 800, 1000,
};

struct axis axis_of(uint64_t most, int rows)
{
    if (rows < 1)
        rows = 1;
    /* A sixteenth of a row too much is not seen: 24 GiB and a few bytes still fit 24 GiB. */
    double least = (double)most / (rows + 0.0625), unit = pow(1024, unit_of((double)most));
    struct axis best = {.unit = INFINITY, .every = 1};
    for (int every = (rows + 5) / 6; every <= (rows + 2) / 3; every++)
        for (size_t i = 0; i < sizeof round_figures / sizeof *round_figures; i++) {
            double per_row = round_figures[i] * unit / every;
            if (per_row < least || (unit <= 1 && round_figures[i] < 1))
                continue;
            if (per_row < best.unit * (1 - 1e-12))
                best = (struct axis){.unit = per_row, .every = every};
            break;
        }
    if (isinf(best.unit))
        best.unit = 1024 * unit;
    return best;
}

const char *life_text(const struct program *p, buf_id b, int digits, char *out, size_t size)
{
    if (p->end[b] >= p->steps)
        snprintf(out, size, "%*u→end", digits, (unsigned)p->start[b]);
    else
        snprintf(out, size, "%*u→%u", digits, (unsigned)p->start[b], (unsigned)p->end[b]);
    return out;
}

const char *place_text(const struct scene *v, buf_id b, char *out, size_t size)
{
    char bytes[AMOUNT];
    const struct program *p = v->p;
    const struct assignment *a = &p->module->assignment;
    out[0] = '\0';
    if (p->alloc[b] == ALLOC_NONE || p->alloc[b] >= a->allocs.n)
        return out;
    int n = snprintf(out, size, "a%lld", (long long)assignment_alloc(a, p->alloc[b])->index);
    if (p->offset[b] && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " +%s", amount(v->s, p->offset[b], bytes));
    return out;
}

const char *source_text(const char *file, uint32_t line, char *out, size_t size)
{
    if (!file)
        out[0] = '\0';
    else if (line)
        snprintf(out, size, "%s:%u", file_base(file), (unsigned)line);
    else
        snprintf(out, size, "%s", file_base(file));
    return out;
}

const char *pass_text(const struct loop *l)
{
    return l->pass == PASS_FORWARD ? " forward" : l->pass == PASS_BACKWARD ? " backward" : "";
}

const char *iteration_text(const struct loop *l, int64_t iteration, char out[48])
{
    out[0] = '\0';
    if (l->trip_count > 0)
        snprintf(out, 48, "%lld/%lld", (long long)iteration + 1, (long long)l->trip_count);
    else if (l->trip_count == 0)
        snprintf(out, 48, "×0");
    return out;
}

/* One loop of it: name, pass and iteration; brief 2: the pass for the name; 3: without the pass; 4: the
 * iteration alone. */
static void loop_text(const struct loop *l, int64_t iteration, int brief, char *out, size_t size)
{
    char times[48];
    const char *pass = brief >= 3 ? "" : pass_text(l);
    iteration_text(l, iteration, times);
    bool named = brief < 2 || brief == 3 || (brief == 2 && !pass[0]) || !times[0];
    snprintf(out, size, "%s%s%s%s", named ? l->name : "", named || !pass[0] ? pass : pass + 1,
             times[0] && (named || pass[0]) ? " " : "", times);
}

const char *loops_text(const struct program *p, const struct moment *m, int brief, char *out, size_t size)
{
    static const int words[] = {0, 0, 0, 2, 3, 4}; /* what loop_text() makes of each brief */
    bool all = brief < 2;
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t k = all || !m->n ? 0 : m->n - 1; k < m->n && n + 1 < size; k++) {
        char text[200];
        int less = brief == 1 && m->n > 1 ? (k ? 4 : 2) : words[brief];
        loop_text(&p->loops.items[m->loop[k]], m->iteration[k], less, text, sizeof text);
        int wrote = snprintf(out + n, size - n, "%s%s", n ? ", " : "", text);
        n += wrote > 0 ? (size_t)wrote : 0;
    }
    return out;
}

/* Is this blank between a number and its unit, as in "16.00 GiB"?  No line ends there. */
static bool is_glue(const char *text, const char *at)
{
    if (*at != ' ' || at == text || at[-1] < '0' || at[-1] > '9')
        return false;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        size_t len = strlen(units[k]);
        if (strncmp(at + 1, units[k], len) == 0 && (!at[len + 1] || strchr(" ,.;:)", at[len + 1])))
            return true;
    }
    return false;
}

bool wrap_line(const char *text, int width, int line, char *out, size_t size)
{
    if (width < 1)
        width = 1;
    for (int i = 0; *text; i++) {
        const char *at = text, *end = NULL;
        for (int col = 0; *at && col < width; col++) {
            if (*at == ' ' && at > text && !is_glue(text, at))
                end = at;
            text_next(&at);
        }
        if (!*at || (*at == ' ' && !is_glue(text, at)) || !end)
            end = at; /* all that is left, or one long word */
        size_t len = (size_t)(end - text);
        if (i == line) {
            if (len >= size)
                len = size - 1;
            memcpy(out, text, len);
            out[len] = '\0';
            return true;
        }
        for (text = end; *text == ' ';)
            text++;
    }
    return false;
}

/* ---- The whole ---- */

void small_draw(int cols, int rows, struct grid *g)
{
    struct rect all = {0, 0, cols, rows};
    char text[80], line[80];
    snprintf(text, sizeof text, "tidemark needs %d×%d, this is %d×%d", SCREEN_COLS, SCREEN_ROWS,
             cols, rows);
    for (int i = 0; wrap_line(text, cols, i, line, sizeof line); i++)
        grid_text(g, all, i, 0, ST_PLAIN, line);
}

void scene_make(struct scene *v, const struct program *p, struct memo *memo, const struct app *s)
{
    *v = (struct scene){.p = p, .s = s, .l = layout_of(p, s), .memo = memo, .chosen = BUF_NONE};
    v->at.group = GROUP_NONE;
    v->t = memo_timeline(memo, p);
    for (int c = 0; c < CLOCK_COUNT; c++)
        v->time[c] = app_window(p, memo, s, (enum clock)c);
    v->here = app_here(p, memo, s);
    v->runs = timeline_moment(v->t, s->at).step == s->step;
    v->fills = s->space == 0 && p->loops.n_stacks > 0;
    v->filled = v->fills ? timeline_range_steps(v->t, s->step, s->step, &v->here).most_filled
                         : p->spaces[s->space].live[s->step];
    v->overlay = s->space == 0 ? memo_overlay(memo, p) : NULL;
    v->most = v->overlay ? v->overlay->m->touched : 0;
    v->page = s->mode == MODE_PAGE ? app_page(p, memo, s) : NULL;
    if (!s->map) {
        struct alive_ask ask = app_ask(p, memo, s);
        v->when = ask.when;
        alive_get(&memo->alive, p, &ask);
        v->alive = &memo->alive;
        v->row = app_row(s, v->alive);
        if (v->alive->n)
            v->chosen = alive_buffer(v->alive, v->row);
    }
    if (v->l.map.h)
        v->at = app_map(p, memo, s);
}

void screen_draw(const struct program *p, struct memo *memo, const struct app *s, struct grid *g)
{
    struct scene v;
    grid_clear(g);
    if (s->cols < SCREEN_COLS || s->rows < SCREEN_ROWS) {
        small_draw(s->cols, s->rows, g);
        return;
    }
    scene_make(&v, p, memo, s);
    if (s->mode == MODE_HELP) {
        struct help h = help_of(p, s);
        h.keys = memo->keys;
        help_draw(&h, s->help_top, (struct rect){0, 0, s->cols, s->rows}, g);
        footer_view(&v, v.l.footer, g);
        return;
    }
    header_view(&v, v.l.header, g);
    chart_view(&v, v.l.chart, g);
    map_view(&v, v.l.map, g);
    if (s->mode == MODE_FILTER)
        filter_view(&v, v.l.table, g);
    else
        table_view(&v, v.l.table, g);
    page_view(&v, v.l.page, g);
    grid_view(&v, v.l.page, g);
    compare_view(&v, v.l.page, g);
    strip_view(&v, v.l.strip, g);
    over_view(&v, (struct rect){0, 0, s->cols, v.l.footer.y}, g);
    lesson_view(&v, v.l.lesson, g);
    footer_view(&v, v.l.footer, g);
}
