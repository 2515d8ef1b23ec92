#include "core/output/export/export_forms.h"

#include <stdlib.h>
#include <string.h>

static char *printed(cJSON *o)
{
    char *text = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    return text;
}

static cJSON *value_json(const struct program *p, buf_id b)
{
    char space[16];
    cJSON *o = report_value_json(p, b);
    cJSON_AddNumberToObject(o, "color", p->color[b]);
    cJSON_AddStringToObject(o, "space", space_name(p->module->platform, p->color[b], space));
    return o;
}

/* "[[step, bytes], …]", at each change. */
static void put_live(const struct program *p, FILE *out)
{
    if (p->lives == LIFE_NONE) {
        fputs("null", out);
        return;
    }
    for (uint32_t s = 0; s <= p->steps; s++)
        if (s == 0 || p->live[s] != p->live[s - 1])
            fprintf(out, "%c[%u,%llu]", s ? ',' : '[', s, (unsigned long long)p->live[s]);
    fputc(']', out);
}

/* A value a line, written as it is made: a tree of 100,000 of them would be 200 MB. */
void export_json(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    char *report = printed(report_json(r));
    fputs("{\"schema\":\"tidemark/1\",\"command\":\"export\",\"modules\":[\n", out);
    fwrite(report, 1, strlen(report) - 1, out); /* without its last brace */
    free(report);
    fputs(",\n\"live\":", out);
    put_live(p, out);
    fputs(",\n\"all_values\":[", out);
    for (buf_id b = 0; b < p->n; b++) {
        char *text = printed(value_json(p, b));
        fprintf(out, "%s\n%s", b ? "," : "", text);
        free(text);
    }
    fputs("]}]}\n", out);
}
