/* Module and device; the peak and the cursor, figure under figure; does it fit. */
#include "tui/views.h"

#include "core/base/file.h"
#include <stdio.h>

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
    char text[400];
    snprintf(text, sizeof text, "%s%s%s%s%s", v->p->name, platform ? " · " : "",
             platform ? platform : "", device ? " · " : "", device ? device : "");
    int end = right(g, r, row, ST_DIM, r.w >= 100 ? life_words(v->p->lives) : "");
    int col = grid_text(g, r, row, 1, ST_TITLE, "tidemark") + 2;
    grid_field(g, r, row, col, end - col - 1, ST_PLAIN, CUT_END, text);
}

/* "fits in 79.25 GiB"; nothing is claimed where what is needed is not known */
static const char *fit_text(const struct scene *v, bool brief, bool wide, char *out, size_t size,
                            enum style *st)
{
    bool known;
    uint64_t need = app_needed(v->p, 0, &known), limit = v->s->limit;
    bool fits = need <= limit;
    char have[24], by[24];
    bytes_text(limit, have);
    bytes_text(fits ? limit - need : need - limit, by);
    *st = !limit || !known ? ST_DIM : fits ? ST_GOOD : ST_OVER;
    out[0] = '\0';
    if (v->s->space != 0)
        return out; /* how large the other memories are is not known */
    if (!limit)
        snprintf(out, size, "%s", brief ? "" : "memory size not known");
    else if (!known)
        snprintf(out, size, "of %s", have);
    else if (brief)
        snprintf(out, size, fits ? "fits %s" : "exceeds %s", have);
    else if (wide)
        snprintf(out, size, fits ? "fits in %s, %s to spare" : "exceeds %s by %s", have, by);
    else
        snprintf(out, size, fits ? "fits in %s" : "exceeds %s", have);
    return out;
}

/* "peak  24.00 GiB  step 66        DETAIL"; both lines share their columns. */
static void figures(const struct scene *v, struct rect r, struct grid *g, int row, int end,
                    const char *label, uint32_t step, const char *detail, enum style st)
{
    char bytes[24], text[64];
    bool tight = r.w < 60;
    int digits = snprintf(text, sizeof text, "%u", (unsigned)v->p->steps);
    bool here = label[0] == 'h';
    if (v->p->steps == 0)
        text[0] = '\0';
    else if (here)
        snprintf(text, sizeof text, "step %*u of %u", digits, (unsigned)step,
                 (unsigned)v->p->steps);
    else
        snprintf(text, sizeof text, "step %*u", digits, (unsigned)step);
    int gap = tight ? 1 : 2;
    int col = grid_text(g, r, row, 1, st, label) + (tight ? 0 : 1);
    col = grid_field(g, r, row, col, 11, ST_TITLE, CUT_RIGHT, bytes_text(v->p->spaces[v->s->space].live[step], bytes));
    grid_field(g, r, row, col + gap, end - col - gap, ST_PLAIN, CUT_END, text);
    col += gap + 9 + 2 * digits + 2; /* "step N of N", two blanks */
    if (end - col - 2 >= 8)
        grid_field(g, r, row, col, end - col - 2, ST_PLAIN, CUT_MIDDLE, detail);
}

/* "peaks  hbm 5.10 GiB  vmem 110.00 MiB  smem 140 B": one figure for each memory. */
static void spaces_line(const struct scene *v, struct rect r, struct grid *g, int row)
{
    const struct program *p = v->p;
    int col = grid_text(g, r, row, 1, ST_PLAIN, "peaks") + 2;
    for (uint32_t k = 0; k < p->n_spaces && col < r.w - 1; k++) {
        const struct program_space *sp = &p->spaces[k];
        char text[48], bytes[24];
        bool shown = k == v->s->space;
        snprintf(text, sizeof text, "%s %s", sp->name, bytes_text(sp->live[sp->peak], bytes));
        grid_put(g, r, row, col - 1, shown ? 0x25b8 : ' ', ST_TITLE);
        int n = text_columns(text) < r.w - 1 - col ? text_columns(text) : r.w - 1 - col;
        col = grid_field(g, r, row, col, n, shown ? ST_TITLE : ST_PLAIN, CUT_END, text) + 3;
    }
}

void header_view(const struct scene *v, struct rect r, struct grid *g)
{
    const struct program *p = v->p;
    uint32_t peak = p->spaces[v->s->space].peak;
    bool titled = r.h >= 3, tight = r.w < 60, known;
    int row = titled ? 1 : 0;
    char text[256], bytes[24];
    enum style st;
    if (titled)
        title_line(v, r, g, 0);

    bytes_text(app_needed(p, v->s->space, &known), bytes);
    snprintf(text, sizeof text, known ? "%s reserved" : "at least %s", bytes);
    int end = right(g, r, row, ST_PLAIN, tight ? "" : text);
    const char *name = peak < p->steps ? p->step_name[peak]
                       : p->steps      ? "the end of the program"
                                       : "";
    figures(v, r, g, row, end, "peak", peak, name ? name : "", ST_PEAK);

    fit_text(v, tight, r.w >= 120, text, sizeof text, &st);
    if (tight && r.w < 30 + text_columns(text) + 12)
        end = r.w - 1; /* the figures come first */
    else
        end = right(g, r, row + 1, st, text);
    figures(v, r, g, row + 1, end, "here", v->s->step,
            loops_text(p, v->s->step, text, sizeof text), ST_CURSOR);
    if (r.h >= 4)
        spaces_line(v, r, g, row + 2);
}
