#include "core/output/export/export_forms.h"

bool export_write(const struct report *r, enum export_format format, enum export_view view, FILE *out,
                  struct diag *d)
{
    const struct program *p = r->program;
    bool drawn = format == EXPORT_SVG || format == EXPORT_HTML;
    if (drawn && p->lives == LIFE_NONE) {
        diag_file(d, p->module->file, "no live ranges in the dump: there is nothing to draw");
        return diag_hint(d, "csv and json have what is known");
    }
    switch (format) {
    case EXPORT_SVG:
        export_svg(r, view, out);
        return true;
    case EXPORT_HTML:
        export_html(r, out);
        return true;
    case EXPORT_CSV:
        export_csv(p, out);
        return true;
    case EXPORT_JSON:
        export_json(r, out);
        return true;
    case EXPORT_MINIMALLOC:
        return export_minimalloc(p, out, d);
    }
    return false;
}
