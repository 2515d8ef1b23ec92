#include "core/output/report/whatif_report.h"
#include "core/base/json.h"

#include <string.h>

bool whatif_over(const struct whatif_report *r)
{
    const struct whatif *w = r->whatif;
    uint64_t need = w->has_program ? program_need(&w->program, NULL) : w->least;
    return r->has_limit && need > r->limit;
}

/* Is the limit between what an estimate needs at least and at most? */
static bool is_unsure(const struct whatif_report *r)
{
    const struct whatif *w = r->whatif;
    if (!r->has_limit || !w->has_program)
        return r->has_limit && !whatif_over(r);
    uint64_t need = program_need(&w->program, NULL), bytes = w->totals.output + w->totals.temp;
    uint64_t more = w->high > bytes ? w->high - bytes : 0, less = bytes > w->low ? bytes - w->low : 0;
    return need <= r->limit ? more > r->limit - need : less >= need - r->limit;
}

/* ---- Text ---- */

static void put_scan(FILE *out, const char *label, int64_t seqlen, int64_t unroll)
{
    fprintf(out, "%s%lld step%s, ", label, (long long)seqlen, seqlen == 1 ? "" : "s");
    if (unroll == WHATIF_FULL)
        fprintf(out, "unrolled whole");
    else if (unroll > 1)
        fprintf(out, "%lld an iteration", (long long)unroll);
    else
        fprintf(out, "rolled");
}

/* NULL: not known. */
static void put_bytes(FILE *out, const char *label, const uint64_t *was, const uint64_t *is)
{
    char a[24], b[24];
    fprintf(out, "%-22s%14s", label, was ? bytes_text(*was, a) : "?");
    fprintf(out, "%14s\n", is ? bytes_text(*is, b) : "?");
}

/* A sentence over several lines, broken at blanks. */
static void put_wrapped(FILE *out, const char *label, const char *text)
{
    char safe[1024];
    int column = fprintf(out, "%-9s", label);
    text_safe(text, safe, sizeof safe);
    for (char *word = safe; *word;) {
        size_t len = strcspn(word, " ");
        int wide = 0;
        for (size_t k = 0; k < len; k++)
            wide += ((unsigned char)word[k] & 0xC0) != 0x80;
        if (column > 9 && column + 1 + wide > 80)
            column = fprintf(out, "\n%9s", "") - 1;
        else if (column > 9)
            column += fprintf(out, " ");
        fprintf(out, "%.*s", (int)len, word);
        column += wide;
        word += len + (word[len] == ' ');
    }
    fputc('\n', out);
}

enum { ARGUMENT, OUTPUT, TEMP, BOTH, PEAK, NEED, ROWS };

static void fill_rows(const struct program *p, uint64_t rows[ROWS])
{
    const struct totals *t = &p->totals;
    rows[ARGUMENT] = t->argument;
    rows[OUTPUT] = t->output;
    rows[TEMP] = t->temp;
    rows[BOTH] = t->output + t->temp;
    rows[PEAK] = p->live[p->peak];
    rows[NEED] = program_need(p, NULL);
}

static void put_answer(const struct whatif_report *r, FILE *out)
{
    static const char *const names[ROWS] = {"argument",      "output",            "temp",
                                            "output + temp", "alive at the peak", "needed"};
    const struct whatif *w = r->whatif;
    uint64_t was[ROWS], is[ROWS];
    bool told = r->program->module->has_assignment;
    char low[24], high[24];
    fill_rows(r->program, was);
    if (w->has_program)
        fill_rows(&w->program, is);
    fprintf(out, "%-22s%14s%14s\n", "", "compiled", "what if");
    for (int k = 0; k < ROWS; k++)
        put_bytes(out, names[k], told || k == PEAK ? &was[k] : NULL, w->has_program ? &is[k] : NULL);
    if (w->method == WHATIF_ESTIMATE)
        fprintf(out, "output + temp is between %s and %s\n", bytes_text(w->low, low),
                bytes_text(w->high, high));
}

void whatif_text(const struct whatif_report *r, FILE *out)
{
    const struct whatif *w = r->whatif;
    char name[200], loop[200], limit[24];
    fprintf(out, "%s, loop %s\n", text_safe(r->program->name, name, sizeof name),
            text_safe(r->loop, loop, sizeof loop));
    put_scan(out, "From   ", w->from_seqlen, w->from_unroll);
    put_scan(out, "\nTo     ", w->to_seqlen, w->to_unroll);
    fprintf(out, "\n\n");
    put_answer(r, out);
    fputc('\n', out);
    put_wrapped(out, whatif_method_name(w->method), w->note);
    if (r->has_limit && is_unsure(r) && w->has_program)
        fprintf(out, "%-9swhether it fits in %s\n", "unsure", bytes_text(r->limit, limit));
    else if (r->has_limit && !is_unsure(r))
        fprintf(out, "%-9sin %s\n", whatif_over(r) ? "too much" : "fits", bytes_text(r->limit, limit));
}

/* ---- JSON ---- */

static cJSON *scan_json(int64_t seqlen, int64_t unroll)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "seqlen", json_number((uint64_t)seqlen));
    cJSON_AddItemToObject(o, "unroll", unroll == WHATIF_FULL ? cJSON_CreateString("full")
                                                             : json_number((uint64_t)unroll));
    return o;
}

static cJSON *range_json(const struct whatif *w)
{
    if (w->method != WHATIF_ESTIMATE)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "low", json_number(w->low));
    cJSON_AddItemToObject(o, "high", json_number(w->high));
    return o;
}

static cJSON *peak_json(const struct whatif *w)
{
    struct report_options options = {.top = 1};
    struct report report;
    if (!w->has_program)
        return cJSON_CreateNull();
    report_make(&report, &w->program, &options);
    cJSON *o = report_peak_json(&report);
    report_free(&report);
    return o;
}

cJSON *whatif_json(const struct whatif_report *r)
{
    const struct whatif *w = r->whatif;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "name", json_text(r->program->name));
    cJSON_AddItemToObject(o, "loop", json_text(r->loop));
    cJSON_AddItemToObject(o, "from", scan_json(w->from_seqlen, w->from_unroll));
    cJSON_AddItemToObject(o, "to", scan_json(w->to_seqlen, w->to_unroll));
    cJSON_AddItemToObject(o, "method", cJSON_CreateString(whatif_method_name(w->method)));
    cJSON_AddItemToObject(o, "note", json_text(w->note));
    cJSON_AddItemToObject(o, "bytes",
                          w->has_program ? report_bytes_json(&w->program) : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "range", range_json(w));
    cJSON_AddItemToObject(o, "peak", peak_json(w));
    cJSON_AddItemToObject(o, "needed_bytes", w->has_program ? json_number(program_need(&w->program, NULL))
                                                            : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "limit_bytes", r->has_limit ? json_number(r->limit) : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "fits", r->has_limit && !is_unsure(r)
                                         ? cJSON_CreateBool(!whatif_over(r))
                                         : cJSON_CreateNull());
    return o;
}
