#include "core/output/words/escape.h"
#include "core/base/diag.h"

#include <string.h>

#define LONGEST 8192 /* bytes of a name; longer ones are cut */

void put_xml(const char *text, FILE *out)
{
    char safe[LONGEST];
    for (const char *c = text_safe(text, safe, sizeof safe); *c; c++)
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputc(*c, out);
        }
}

void put_string(const char *text, FILE *out)
{
    char safe[LONGEST];
    fputc('"', out);
    for (const char *c = text_safe(text, safe, sizeof safe); *c; c++) {
        if (strchr("<>&'", *c))
            fprintf(out, "\\u%04x", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

void put_field(const char *text, FILE *out)
{
    char safe[LONGEST];
    if (!text)
        return;
    text_safe(text, safe, sizeof safe);
    bool formula = *text && strchr("=+-@\t\r", *text);
    bool quoted = strpbrk(safe, ",\"") || *safe == ' ';
    if (quoted)
        fputc('"', out);
    if (formula)
        fputc('\'', out);
    for (const char *c = safe; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    if (quoted)
        fputc('"', out);
}
