/* Module and device; the peak and the cursor, figure under figure; does it fit. */
#include "tui/views/views.h"

#include "core/base/file.h"

#include <stdio.h>
#include <string.h>

/* Right end of a header line; returns the column where it starts. */
static int right(struct grid *g, struct rect r, int row, enum style st, const char *text)
{
    int col = r.w - 1 - text_columns(text);
    if (!text[0] || col < 0)
        return r.w - 1;
    grid_text(g, r, row, col, st, text);
    return col;
}

static const char *life_words(enum life lives)
{
    switch (lives) {
    case LIFE_RERUN: return "lives rerun from the HLO";
    case LIFE_DUMP: return "lives as the dump states them";
    case LIFE_NONE: return "no lives: all counts as alive";
    }
    return "";
}

static void title_line(const struct scene *v, struct rect r, struct grid *g, int row)
{
    const struct module *m = v->p->module;
    const char *platform = platform_name(m->platform), *device = m->device;
    char text[400], wide[40] = "";
    if (v->s->forms == FORMS_EXAMPLE) /* each target has widths of its own */
        snprintf(wide, sizeof wide, " · width %lld", (long long)v->s->shown.width);
    snprintf(text, sizeof text, "%s%s%s%s%s", v->p->name, platform ? " · " : "",
             platform ? platform : "", device ? " · " : "", device ? device : "");
    char form[200];
    form_text(v, r.w < 60 ? r.w - 2 : r.w < 100 ? r.w - 30 : r.w - 42, form, sizeof form);
    int end = right(g, r, row, form[0] ? ST_TITLE : ST_DIM,
                    form[0] ? form : r.w >= 100 ? life_words(v->p->lives) : "");
    int col = 1;
    if (col + 8 < end)
        col = grid_text(g, r, row, col, ST_TITLE, "tidemark") + 2;
    size_t used = strlen(text);
    if (text_columns(text) + text_columns(wide) <= end - col - 2) /* half a number would mislead */
        snprintf(text + used, sizeof text - used, "%s", wide);
    if (end - col - 2 >= 6)
        grid_field(g, r, row, col, end - col - 2, ST_PLAIN, CUT_END, text);
}

/* What the device must hold: one figure, or an estimate's range; false: not known. */
static bool need_range(const struct scene *v, uint32_t space, uint64_t *low, uint64_t *high)
{
    struct figure f;
    bool known;
    *low = *high = app_needed(v->p, space, &known);
    if (space == 0 && known && shown_figure(v, &f) && f.has_need && f.method == WHATIF_ESTIMATE) {
        *low = f.need_low;
        *high = f.need_high;
    }
    return known;
}

/* "fits in 79.25 GiB"; nothing is claimed where what is needed is not known, or an estimate does not tell */
static const char *fit_text(const struct scene *v, bool brief, bool wide, char *out, size_t size,
                            enum style *st)
{
    uint64_t low, high, limit = v->s->limit;
    bool known = need_range(v, 0, &low, &high), fits = high <= limit, may = !fits && low <= limit;
    char have[AMOUNT], by[AMOUNT];
    amount(v->s, limit, have);
    amount(v->s, fits ? limit - high : low - limit, by);
    *st = !limit || !known || may ? ST_DIM : fits ? ST_GOOD : ST_OVER;
    out[0] = '\0';
    if (v->s->space != 0)
        return out; /* how large the other memories are is not known */
    if (!limit)
        snprintf(out, size, "%s", brief ? "" : "fits? try --limit 80G");
    else if (!known)
        snprintf(out, size, "of %s", have);
    else if (may)
        snprintf(out, size, brief ? "may fit %s" : "may fit in %s", have);
    else if (brief)
        snprintf(out, size, fits ? "fits %s" : "exceeds %s", have);
    else if (wide)
        snprintf(out, size, fits ? "fits in %s, %s%s to spare" : "exceeds %s by %s%s", have,
                 low < high ? "at least " : "", by);
    else
        snprintf(out, size, fits ? "fits in %s" : "exceeds %s", have);
    return out;
}

/* What stands on one of the two lines; both share their columns. */
struct figures {
    const char *label;
    enum style st;
    uint32_t step;
    uint64_t filled;
    bool here;
};

/* "66 of 75" */
static int step_text(const struct scene *v, const struct figures *f, bool tight, char *out, size_t size)
{
    int digits = snprintf(NULL, 0, "%u", (unsigned)v->p->steps);
    out[0] = '\0';
    if (v->p->steps && f->here)
        snprintf(out, size, tight ? "%*u of %u" : "step %*u of %u", digits, (unsigned)f->step,
                 (unsigned)v->p->steps);
    else if (v->p->steps)
        snprintf(out, size, "step %*u", digits, (unsigned)f->step);
    return 5 + 4 + 2 * digits; /* as wide on both lines */
}

/* The loops around the cursor, in as many words as there is room for; or the instruction at the peak. */
static void detail(const struct scene *v, const struct figures *f, struct rect r, struct grid *g,
                   int row, int col, int end)
{
    char text[300] = "";
    if (!f->here) {
        const char *name = f->step < v->p->steps ? v->p->step_name[f->step]
                           : v->p->steps         ? "the end of the program"
                                                 : "";
        if (end - col >= 9)
            grid_field(g, r, row, col, end - col - 1, ST_PLAIN, CUT_MIDDLE, name ? name : "");
        return;
    }
    for (int brief = 0; brief <= LOOPS_BRIEF; brief++) {
        loops_text(v->p, &v->here, brief, text, sizeof text);
        if (text_columns(text) <= end - col) {
            grid_text(g, r, row, col, ST_PLAIN, text);
            return;
        }
    }
}

/* "peak  24.00 GiB  24.00 filled  step 66        DETAIL" */
static void figures(const struct scene *v, struct rect r, struct grid *g, int row, int end,
                    const struct figures *f)
{
    char bytes[AMOUNT], text[64];
    bool tight = r.w < 60;
    uint64_t reserved = v->p->spaces[v->s->space].live[f->step];
    int gap = tight ? 1 : 2;
    int col = grid_text(g, r, row, 1, f->st, f->label) + (tight ? 0 : 1);
    col = grid_field(g, r, row, col, amount_width(v), ST_TITLE, CUT_RIGHT, amount(v->s, reserved, bytes)) + gap;
    if (v->fills && !tight && (!v->s->bytes || r.w >= 110)) {
        filled_text(v->s, f->filled, reserved, text);
        col = grid_field(g, r, row, col, v->s->bytes ? amount_width(v) + 5 : 13, ST_PLAIN, CUT_RIGHT, text) + gap;
    }
    int width = step_text(v, f, tight, text, sizeof text);
    if (text_columns(text) <= end - 1 - col)
        grid_text(g, r, row, col, ST_PLAIN, text);
    col += tight ? text_columns(text) + gap : width + gap;
    detail(v, f, r, g, row, col, end - 1);
}

/* "peaks  hbm 5.10 GiB  vmem 110.00 MiB  smem 140 B": one figure for each memory. */
static void spaces_line(const struct scene *v, struct rect r, struct grid *g, int row)
{
    const struct program *p = v->p;
    int col = grid_text(g, r, row, 1, ST_PLAIN, "peaks") + 2;
    for (uint32_t k = 0; k < p->n_spaces && col < r.w - 1; k++) {
        const struct program_space *sp = &p->spaces[k];
        char text[64], bytes[AMOUNT];
        bool shown = k == v->s->space;
        snprintf(text, sizeof text, "%s %s", sp->name, amount(v->s, sp->live[sp->peak], bytes));
        grid_put(g, r, row, col - 1, shown ? 0x25b8 : ' ', ST_TITLE);
        int n = text_columns(text) < r.w - 1 - col ? text_columns(text) : r.w - 1 - col;
        col = grid_field(g, r, row, col, n, shown ? ST_TITLE : ST_PLAIN, CUT_END, text) + 3;
    }
    static const char next[] = "V charts the next";
    if (col + (int)sizeof next <= r.w)
        grid_text(g, r, row, r.w - (int)sizeof next, ST_DIM, next);
}

/* At the first time that the peak's step runs. */
static uint64_t peak_filled(const struct scene *v, uint32_t peak)
{
    struct moment none = {0};
    return v->fills ? timeline_range_steps(v->t, peak, peak, &none).most_filled : 0;
}

/* "24.00 GiB reserved"; of an estimate the range, of a bound "at most". */
static void need_text(const struct scene *v, char *out, size_t size)
{
    char bytes[AMOUNT], low[AMOUNT];
    struct figure f;
    uint64_t least, most;
    bool known = need_range(v, v->s->space, &least, &most);
    bool bound = v->s->space == 0 && shown_figure(v, &f) && f.has_need && f.method == WHATIF_BOUND;
    amount(v->s, most, bytes);
    if (least < most) {
        amount(v->s, least, low);
        const char *unit = strchr(bytes, ' '), *same = strchr(low, ' ');
        bool cut = unit && same && strcmp(unit, same) == 0;
        snprintf(out, size, "%.*s–%s reserved", cut ? (int)(same - low) : AMOUNT, low, bytes);
        return;
    }
    snprintf(out, size, !known ? "at least %s" : bound ? "≤ %s reserved" : "%s reserved", bytes);
}

/* What a run used, beside what is reserved or, where there is no room, in its place. */
static void add_used(const struct scene *v, int width, char *text, size_t size)
{
    char used[96];
    size_t n = strlen(text);
    if (!used_text(v, width < 100, used, sizeof used)[0])
        return;
    if (width < 100)
        snprintf(text, size, "%s", used);
    else
        snprintf(text + n, size - n, " · %s", used);
}

void header_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct program *p = v->p;
    uint32_t peak = p->spaces[v->s->space].peak;
    bool titled = r.h >= 3, tight = r.w < 60;
    int row = titled ? 1 : 0;
    char text[256];
    enum style st;
    if (titled)
        title_line(v, r, g, 0);

    need_text(v, text, sizeof text);
    add_used(v, r.w, text, sizeof text);
    int end = right(g, r, row, ST_PLAIN, !titled && v->s->forms ? form_text(v, 20, text, sizeof text) : tight ? "" : text);
    struct figures at_peak = {"peak", ST_PEAK, peak, peak_filled(v, peak), false};
    figures(v, r, g, row, end, &at_peak);

    fit_text(v, tight || (v->fills && r.w < 90), r.w >= 120, text, sizeof text, &st);
    if (tight && r.w < 30 + text_columns(text) + 12)
        end = r.w - 1; /* the figures come first */
    else
        end = right(g, r, row + 1, st, text);
    struct figures here = {"here", ST_CURSOR, v->s->step, v->filled, true};
    figures(v, r, g, row + 1, end, &here);
    bool used = v->l.used;
    if (used)
        used_line(v, r, g, row + 2);
    if (r.h >= 4 + used)
        spaces_line(v, r, g, row + 2 + used);
}
