#include "core/output/export/export_svg.h"
#include "core/base/memory.h"
#include "core/output/export/export_forms.h"
#include "core/output/words/escape.h"

#include <stdlib.h>

/* A role's look: a light colour, and a pattern of black lines that tells it apart in print. */
struct look {
    const char *color;
    const char *lines; /* a path in an 8 x 8 tile; "": none */
};
static const struct look looks[ROLE_COUNT] = {
    [ROLE_SCRATCH] = {"#d9dccb", "M0 4h2M4 0v2"},
    [ROLE_PARAMETER] = {"#c9d8ea", ""},
    [ROLE_DONATED] = {"#c9d8ea", "M0 4h8"},
    [ROLE_OUTPUT] = {"#bfe3dc", "M4 0v8"},
    [ROLE_CONSTANT] = {"#e4e4e4", ""},
    [ROLE_STACK] = {"#f6cf9f", "M-2 2l4 -4M0 8l8 -8M6 10l4 -4"},
    [ROLE_RESIDUAL] = {"#fbe6b0", "M-2 6l4 4M0 0l8 8M6 -2l4 4"},
    [ROLE_STACKED] = {"#ecd2b4", "M0 2h8M0 6h8"},
    [ROLE_CARRY] = {"#d5cdec", "M0 4h8M4 0v8"},
    [ROLE_COTANGENT] = {"#ecc7df", "M0 0l8 8M0 8l8 -8"},
    [ROLE_GRADIENT] = {"#f3bcc0", "M2 0v8M6 0v8"},
    [ROLE_GRADIENT_DONE] = {"#f8dadd", "M2 2h1M6 6h1"},
    [ROLE_SLICE] = {"#bfe1f2", "M0 0h2M4 4h2M0 4h1"},
    [ROLE_TABLE] = {"#eeeeee", "M0 1h8"},
    [ROLE_THREAD_LOCAL] = {"#eeeeee", "M1 0v8"},
};

double svg_x(const struct drawing *s, double step)
{
    return SVG_LEFT + (SVG_RIGHT - SVG_LEFT) * step / ((double)s->p->steps + 1);
}

uint64_t svg_every(uint64_t most, int lines)
{
    uint64_t every = 1;
    while (most / every > (uint64_t)lines)
        every *= 2;
    return every;
}

static void put_patterns(const struct drawing *s, FILE *out)
{
    fputs("<defs>\n", out);
    for (int k = 0; k < ROLE_COUNT; k++) {
        if (!s->role[k])
            continue;
        fprintf(out, "<pattern id=\"r%d\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
                     "<rect width=\"8\" height=\"8\" fill=\"%s\"/>",
                k, looks[k].color);
        if (*looks[k].lines)
            fprintf(out, "<path d=\"%s\" stroke=\"#000\" stroke-opacity=\".6\" stroke-width=\".6\" fill=\"none\"/>", looks[k].lines);
        fputs("</pattern>\n", out);
    }
    fputs("</defs>\n", out);
}

static void put_head(const struct drawing *s, FILE *out)
{
    const struct report *r = s->r;
    const struct program *p = s->p;
    const char *platform = platform_name(p->module->platform);
    char peak[24], bytes[24];
    fputs("<text x=\"0\" y=\"20\" font-size=\"17\" font-weight=\"bold\">", out);
    put_xml(p->name ? p->name : "?", out);
    fprintf(out, "</text>\n<text x=\"0\" y=\"40\">%s%speak %s at step %u of %u",
            platform ? platform : "", platform ? ", " : "", bytes_text(p->live[p->peak], peak), p->peak,
            p->steps);
    if (p->peak < p->steps) {
        fputs(", ", out);
        put_xml(p->step_name[p->peak], out);
    }
    if (r->has_need)
        fprintf(out, "; %s reserved", bytes_text(r->need, bytes));
    if (r->has_bound)
        fprintf(out, "; temporaries need at least %s", bytes_text(r->bound, bytes));
    fputs("</text>\n", out);
}

/* What each pattern is: four in a line. */
static int put_legend(const struct drawing *s, int top, FILE *out)
{
    int n = 0;
    for (int k = 0; k < ROLE_COUNT; k++) {
        enum role role = drawing_roles[k];
        if (!s->role[role])
            continue;
        int x = SVG_LEFT + 228 * (n % 4), y = top + 22 * (n / 4);
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"24\" height=\"14\" fill=\"url(#r%d)\" stroke=\"#000\" "
                     "stroke-width=\".6\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
                x, y, (int)role, x + 32, y + 11, role_name(role));
        n++;
    }
    return 22 * ((n + 3) / 4);
}

static void put_open(int height, bool inline_html, FILE *out)
{
    const int width = SVG_WIDTH + 32; /* a margin on both sides */
    if (!inline_html)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<svg%s viewBox=\"-16 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
                 "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#000\">\n"
                 "<rect x=\"-16\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            inline_html ? "" : " xmlns=\"http://www.w3.org/2000/svg\"", width, height, width, height, width,
            height);
}

/* The parts go into memory first: how high they are together is said at the top. */
void svg_drawing(const struct report *r, enum export_view view, bool inline_html, FILE *out)
{
    struct drawing s;
    char *text = NULL;
    size_t size = 0;
    int y = 60;
    FILE *body = memory_stream(&text, &size);
    drawing_make(&s, r, SVG_COLUMNS, SVG_LISTED);
    put_patterns(&s, body);
    put_head(&s, body);
    if (view != EXPORT_MAP)
        y += svg_chart(&s, y, body);
    y += put_legend(&s, y, body) + 8;
    if (view != EXPORT_CHART)
        y += svg_map(&s, y, body);
    memory_stream_end(body, &text);
    put_open(y + 8, inline_html, out);
    fwrite(text, 1, size, out);
    fputs("</svg>\n", out);
    free(text);
    drawing_free(&s);
}

void export_svg(const struct report *r, enum export_view view, FILE *out)
{
    svg_drawing(r, view, false, out);
}
