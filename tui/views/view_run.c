/* What a run measured, beside the plan: in the header, in the chart's columns, in the footer. */
#include "tui/views/views.h"

#include <stdio.h>
#include <string.h>

/* ---- The chart ---- */

bool run_column(const struct scene *v, int col, struct overlay_most *most)
{
    uint64_t first, last;
    if (!v->overlay || v->title)
        return false;
    plot_units(clock_units(v->t, v->s->clock), v->l.bars.area.w, col, &first, &last);
    *most = v->s->clock == CLOCK_EXECUTION ? overlay_range(v->overlay, first, last)
                                           : overlay_steps(v->overlay, (uint32_t)first, (uint32_t)last, &v->here);
    return most->any;
}

/* ---- The header ---- */

static const char *percent(const struct app *s, char out[48])
{
    if (s->run_total)
        snprintf(out, 48, "%llu of %llu steps, %u s", (unsigned long long)s->run_done, (unsigned long long)s->run_total,
                 (unsigned)s->run_seconds);
    else
        snprintf(out, 48, "%u s", (unsigned)s->run_seconds);
    return out;
}

const char *used_text(const struct scene *v, bool brief, char *out, size_t size)
{
    const struct measured *m = v->memo->measured;
    char bytes[AMOUNT], how[48];
    out[0] = '\0';
    if (v->s->running == RUNNING && brief)
        snprintf(out, size, "running, %u s", (unsigned)v->s->run_seconds);
    else if (v->s->running == RUNNING)
        snprintf(out, size, "running: %s", percent(v->s, how));
    else if (m)
        snprintf(out, size, "used %s · %.12s", amount(v->s, m->touched, bytes), m->backend);
    return out;
}

void used_line(const struct scene *v, struct rect r, struct grid *g, int row)
{
    bool exact, whole = v->s->bytes;
    const struct measured_step *s = v->overlay ? overlay_at(v->overlay, scene_moment(v), &exact) : NULL;
    char bytes[AMOUNT], text[160], dynamic[AMOUNT], resident[AMOUNT];
    int col = 6, width = amount_width(v); /* figures stand below those of the lines above */
    if (!s) {
        grid_text(g, r, row, 1, ST_USED, "used");
        grid_field(g, r, row, col, r.w - col - 1, ST_DIM, CUT_END,
                   v->overlay ? "nothing was recorded up to here" : "measured of the main memory alone");
        return;
    }
    bool brief = text_columns(amount(v->s, s->touched, bytes)) > width - 2;
    grid_text(g, r, row, 1, ST_USED, brief ? "used" : "touched");
    col = grid_field(g, r, row, brief ? col : col + 2, brief ? width : width - 2, ST_TITLE, CUT_RIGHT, bytes) + 2;
    if (v->fills && (!whole || r.w >= 110)) {
        filled_text(v->s, s->held, s->live, text);
        col = grid_field(g, r, row, col, whole ? width + 5 : 13, ST_PLAIN, CUT_RIGHT, text) + 2;
    }
    int n = snprintf(text, sizeof text, "dynamic %s  resident %s",
                     s->dynamic == MEASURED_UNKNOWN ? "?" : amount(v->s, s->dynamic, dynamic),
                     s->resident == MEASURED_UNKNOWN ? "?" : amount(v->s, s->resident, resident));
    if (!exact && n > 0 && (size_t)n < sizeof text)
        snprintf(text + n, sizeof text - (size_t)n, "  (as at step %u before)", (unsigned)s->step);
    grid_field(g, r, row, col, r.w - col - 1, ST_PLAIN, CUT_WORD, text);
}

/* ---- The footer ---- */

void run_notice(const struct scene *v, char *out, size_t size)
{
    const struct app *s = v->s;
    const struct measured *m = v->memo->measured;
    const char *why = v->memo->run ? v->memo->run : "";
    char how[48], touched[24], planned[24];
    switch (s->running) {
    case RUNNING:
        if (s->run_seconds || s->run_total)
            snprintf(out, size, "running on %s: %s (Esc ends it)", s->cuda ? "CUDA" : "the host", percent(s, how));
        else
            snprintf(out, size, "running on %s%s%s (Esc ends it)", s->cuda ? "CUDA" : "the host", !s->cuda && why[0] ? ": " : "",
                     s->cuda ? "" : why);
        break;
    case RAN:
        if (m)
            snprintf(out, size, "ran: used %s of %s planned · r: all figures", bytes_text(m->touched, touched),
                     bytes_text(m->planned, planned));
        else
            snprintf(out, size, "the run of the program before is done");
        break;
    case RUN_REFUSED: snprintf(out, size, "%s", why); break;
    case RUN_ENDED: snprintf(out, size, "the run was ended"); break;
    case RUN_NOT_HERE: snprintf(out, size, "nothing is run here: open it in a terminal"); break;
    case RUN_NO_PROGRAM: snprintf(out, size, "this form was not compiled: there is no program to run"); break;
    case RUNNING_NOT: snprintf(out, size, "%s", why); break;
    }
}

void where_draw(struct rect r, struct grid *g)
{
    int col = grid_text(g, r, 0, 1, ST_TITLE, "run where?") + 2;
    col = grid_text(g, r, 0, col, ST_KEY, "h") + 1;
    col = grid_text(g, r, 0, col, ST_DIM, "host") + 2;
    col = grid_text(g, r, 0, col, ST_KEY, "c") + 1;
    col = grid_text(g, r, 0, col, ST_DIM, "CUDA") + 2;
    col = grid_text(g, r, 0, col, ST_KEY, "Esc") + 1;
    grid_text(g, r, 0, col, ST_DIM, "cancel");
}
