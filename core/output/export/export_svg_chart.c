/* Live bytes over the program's steps, stacked by role; the loops beneath. */
#include "core/output/export/export_svg.h"
#include "core/output/words/escape.h"

#include <stdlib.h>
#include <string.h>

enum { PLOT = 300, BAND = 18, BANDS_MOST = 6 };

struct plot {
    const struct drawing *s;
    int top; /* of its first row */
    double unit; /* bytes per length */
};

static double y_of(const struct plot *p, uint64_t bytes)
{
    return p->top + PLOT - (double)bytes / p->unit;
}

static void put_axis(const struct plot *p, FILE *out)
{
    char bytes[24];
    uint64_t every = svg_every(p->s->most, 8);
    for (uint64_t at = 0; at <= p->s->most; at += every) {
        double y = y_of(p, at);
        fprintf(out, "<path d=\"M%d %.1fH%d\" stroke=\"#000\" stroke-width=\"%s\" opacity=\"%s\"/>"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                SVG_LEFT, y, SVG_RIGHT, at ? ".5" : "1", at ? ".35" : "1", SVG_LEFT - 6, y + 4,
                at ? bytes_text(at, bytes) : "0");
        if (at > UINT64_MAX - every)
            break;
    }
}

/* The outline of what is in [low, high) of each column; a run of columns that are alike is one line. */
static void put_area(const struct plot *p, const uint64_t *low, const uint64_t *high, FILE *out)
{
    const struct drawing *s = p->s;
    fprintf(out, "M%.1f %.1f", svg_x(s, 0), y_of(p, high[0]));
    for (uint32_t k = 1; k <= s->n_cols; k++) {
        if (k < s->n_cols && high[k] == high[k - 1])
            continue;
        fprintf(out, "H%.1f", svg_x(s, s->first[k]));
        if (k < s->n_cols)
            fprintf(out, "V%.1f", y_of(p, high[k]));
    }
    for (uint32_t k = s->n_cols; k-- > 0;)
        if (k == 0 || low[k] != low[k - 1])
            fprintf(out, "V%.1fH%.1f", y_of(p, low[k]), svg_x(s, s->first[k]));
    fputc('Z', out);
}

static void put_roles(const struct plot *p, FILE *out)
{
    const struct drawing *s = p->s;
    struct arena scratch = {0};
    uint64_t *low = arena_array(&scratch, s->n_cols, sizeof *low);
    uint64_t *high = arena_array(&scratch, s->n_cols, sizeof *high);
    for (int k = 0; k < ROLE_COUNT; k++) {
        const uint64_t *own = s->role[drawing_roles[k]];
        if (!own)
            continue;
        for (uint32_t c = 0; c < s->n_cols; c++)
            high[c] = low[c] + own[c];
        fprintf(out, "<path fill=\"url(#r%d)\" stroke=\"#000\" stroke-width=\".4\" d=\"", (int)drawing_roles[k]);
        put_area(p, low, high, out);
        fprintf(out, "\"><title>%s</title></path>\n", role_name(drawing_roles[k]));
        memcpy(low, high, s->n_cols * sizeof *low);
    }
    arena_free(&scratch);
}

static void put_peak(const struct plot *p, FILE *out)
{
    const struct program *q = p->s->p;
    double x = svg_x(p->s, q->peak + 0.5);
    fprintf(out, "<path d=\"M%.1f %d v8 M%.1f %d l-4 -7 h8 z\" stroke=\"#000\"/>\n"
                 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">peak, step %u</text>\n",
            x, p->top - 8, x, p->top, x < SVG_WIDTH / 2.0 ? x + 8 : x - 8, p->top - 5,
            x < SVG_WIDTH / 2.0 ? "start" : "end", q->peak);
}

/* A row for each level of nesting. */
static int put_loops(const struct drawing *s, int top, FILE *out)
{
    int rows = 0;
    for (uint32_t k = 0; k < s->p->loops.n; k++) {
        const struct loop *l = &s->p->loops.items[k];
        double from = svg_x(s, l->first), to = svg_x(s, (double)l->last + 1);
        int depth = (int)(l->depth < BANDS_MOST ? l->depth : BANDS_MOST), y = top + BAND * depth;
        if (l->depth >= BANDS_MOST || to - from < 1) /* too narrow to be seen */
            continue;
        rows = depth + 1 > rows ? depth + 1 : rows;
        fprintf(out, "<g><title>");
        put_xml(l->name, out);
        fprintf(out, "</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#fff\" "
                     "stroke=\"#000\" stroke-width=\".7\"/>",
                from, y + 3, to - from, BAND - 4);
        if (to - from > 90) {
            fprintf(out, "<text x=\"%.1f\" y=\"%d\" font-size=\"10\" text-anchor=\"middle\">%s",
                    (from + to) / 2, y + BAND - 5,
                    l->pass == PASS_FORWARD    ? "forward "
                    : l->pass == PASS_BACKWARD ? "backward "
                                               : "loop ");
            if (l->trip_count >= 0)
                fprintf(out, "× %lld", (long long)l->trip_count);
            fputs("</text>", out);
        }
        fputs("</g>\n", out);
    }
    return BAND * rows;
}

int svg_chart(const struct drawing *s, int top, FILE *out)
{
    struct plot p = {s, top + 40, (double)(s->most ? s->most : 1) / PLOT};
    int y = p.top + PLOT;
    fprintf(out, "<g><text x=\"0\" y=\"%d\" font-weight=\"bold\">Live bytes by role, program order"
                 "</text>\n", top + 12);
    put_axis(&p, out);
    put_roles(&p, out);
    put_peak(&p, out);
    y += 2 + put_loops(s, y + 2, out);
    fprintf(out, "<text x=\"%d\" y=\"%d\">step 0</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">"
                 "%u, the end</text>\n</g>\n",
            SVG_LEFT, y + 14, SVG_RIGHT, y + 14, s->p->steps);
    return y + 32 - top;
}
