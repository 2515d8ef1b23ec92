/* Addresses against time: a rectangle for each buffer of the main memory space. */
#include "core/output/export/export_svg.h"
#include "core/output/words/escape.h"

enum { PLOT = 420 };

struct plot {
    const struct drawing *s;
    int top;
    double unit; /* bytes per length */
};

static double y_of(const struct plot *p, uint64_t address)
{
    return p->top + PLOT - (double)address / p->unit;
}

static void put_axis(const struct plot *p, FILE *out)
{
    char text[200];
    const struct drawing *s = p->s;
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#000\"/>\n",
            SVG_LEFT, p->top, SVG_RIGHT - SVG_LEFT, PLOT);
    for (uint32_t k = 0; k < s->n_groups; k++) {
        double y = y_of(p, s->groups[k].base), high = (double)s->groups[k].size / p->unit;
        if (high < 3)
            break; /* they stand by size */
        fprintf(out, "<path d=\"M%d %.1fH%d\" stroke=\"#000\" stroke-width=\".6\"><title>", SVG_LEFT - 6, y,
                SVG_RIGHT);
        put_xml(drawing_group_text(s, k, text, sizeof text), out);
        fputs("</title></path>", out);
        if (high > 14)
            fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-size=\"11\">%s</text>\n",
                    SVG_LEFT - 8, y - high / 2 + 4, bytes_text(s->groups[k].size, text));
    }
}

/* As much of it as has room. */
static void put_name(const char *name, double x, double y, double width, FILE *out)
{
    char cut[160];
    size_t room = (size_t)(width / 7);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" stroke=\"#fff\" stroke-width=\"3\" "
                 "paint-order=\"stroke\">",
            x + 4, y + 11);
    put_xml(text_safe(name, cut, room < sizeof cut ? room : sizeof cut), out);
    fputs("</text>\n", out);
}

static void put_buffer(const struct plot *p, buf_id b, FILE *out)
{
    const struct drawing *s = p->s;
    const struct program *q = s->p;
    const struct drawing_group *g = &s->groups[s->group_of[b]];
    double low = y_of(p, g->base + q->offset[b]), high = y_of(p, g->base + q->offset[b] + q->size[b]);
    double from = svg_x(s, q->start[b]), to = svg_x(s, (double)q->end[b] + 1);
    char bytes[24], source[512];
    if (low - high < 0.05)
        return;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" fill=\"url(#r%d)\"%s><title>",
            from, high, to - from < 0.3 ? 0.3 : to - from, low - high, q->role[b],
            low - high < 4 || to - from < 4 ? " stroke=\"none\"" : "");
    put_xml(q->name_of[b], out);
    fprintf(out, "  %s  %s  ", bytes_text(q->size[b], bytes), role_name((enum role)q->role[b]));
    put_xml(q->shape[b], out);
    if (program_source(q, b, source, sizeof source)) {
        fputs("  ", out);
        put_xml(source, out);
    }
    fputs("</title></rect>\n", out);
    if (low - high > 13 && to - from > 110)
        put_name(q->name_of[b], from, high, to - from, out);
}

/* Too thin to be seen, in another memory, or not listed: how many. */
static void put_omitted(const struct plot *p, int y, FILE *out)
{
    const struct drawing *s = p->s;
    char bytes[24], most[24];
    uint32_t thin = 0, elsewhere = 0;
    for (uint32_t k = 0; k < s->n_listed; k++) {
        buf_id b = s->listed[k];
        elsewhere += s->group_of[b] == UINT32_MAX;
        thin += s->group_of[b] != UINT32_MAX && (double)s->p->size[b] / p->unit < 0.05;
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\">", SVG_LEFT, y);
    if (s->rest)
        fprintf(out, "%u more buffers, of at most %s each and %s at once, are not drawn.  ", s->rest,
                bytes_text(s->rest_size, bytes), bytes_text(s->rest_most, most));
    if (thin)
        fprintf(out, "%u buffers of less than %s are too thin to be seen.  ", thin,
                bytes_text((uint64_t)(p->unit * 0.05) + 1, bytes));
    if (elsewhere)
        fprintf(out, "%u are of no bytes or in other memories.", elsewhere);
    fputs("</text>\n", out);
}

int svg_map(const struct drawing *s, int top, FILE *out)
{
    struct plot p = {s, top + 24, (double)(s->height ? s->height : 1) / PLOT};
    fprintf(out, "<g><text x=\"0\" y=\"%d\" font-weight=\"bold\">Addresses over time: every allocation of "
                 "the main memory, the largest lowest</text>\n<g stroke=\"#000\" stroke-width=\".35\">\n",
            top + 12);
    for (uint32_t k = 0; k < s->n_listed; k++)
        if (s->group_of[s->listed[k]] != UINT32_MAX)
            put_buffer(&p, s->listed[k], out);
    fputs("</g>\n", out);
    put_axis(&p, out);
    put_omitted(&p, p.top + PLOT + 18, out);
    fputs("</g>\n", out);
    return 24 + PLOT + 26;
}
