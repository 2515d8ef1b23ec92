#include "core/output/report/report.h"
#include "core/output/words/escape.h"

static void put_number(bool known, uint64_t n, FILE *out)
{
    fputc(',', out);
    if (known)
        fprintf(out, "%llu", (unsigned long long)n);
}

static void put_text(const char *text, FILE *out)
{
    fputc(',', out);
    put_field(text, out);
}

void report_csv_head(FILE *out)
{
    fputs("path,module,platform,device,instructions", out);
    for (size_t k = 0; k < TOTALS_COUNT; k++)
        fprintf(out, ",%s", totals_name(k));
    fputs(",peak,step,instruction,lower_bound,fragmentation,needed,limit,fits,error\r\n", out);
}

void report_csv(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    bool lives = p->lives != LIFE_NONE, fits = r->has_need && r->has_limit;
    put_field(p->module->dir, out);
    put_text(p->module->stem ? p->module->stem : p->name, out);
    put_text(platform_name(p->module->platform), out);
    put_text(p->module->device, out);
    put_number(p->module->has_hlo, p->module->hlo.insts.n, out);
    for (size_t k = 0; k < TOTALS_COUNT; k++)
        put_number(p->has_totals, totals_bytes(&p->totals, k), out);
    put_number(lives, p->live[p->peak], out);
    put_number(lives, p->peak, out);
    put_text(lives && p->peak < p->steps ? p->step_name[p->peak] : NULL, out);
    put_number(r->has_bound, r->bound, out);
    put_number(r->has_bound, r->waste, out);
    put_number(r->has_need, r->need, out);
    put_number(r->has_limit, r->limit, out);
    put_text(!fits ? NULL : report_over(r) ? "no" : "yes", out);
    fputs(",\r\n", out);
}

void report_csv_refused(const char *dir, const char *module, const char *error, FILE *out)
{
    put_field(dir, out);
    put_text(module, out);
    for (size_t k = 0; k < TOTALS_COUNT + 11; k++)
        fputc(',', out);
    put_text(error, out);
    fputs("\r\n", out);
}
