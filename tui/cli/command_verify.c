#include "core/analysis/place/verify.h"
#include "core/base/json.h"
#include "tui/cli/bulk.h"
#include "tui/cli/commands.h"

#include <stdlib.h>

enum { MOST_SHOWN = 10 }; /* mismatches and verdicts in text; JSON has all */

#define SEARCH_SECONDS 1.0 /* for a better packing, where XLA's wastes something */

struct context {
    const struct options *o;
    uint32_t count[4][4]; /* modules by platform and outcome */
    uint32_t n;
    uint32_t printed;     /* in the JSON document */
};

/* ---- JSON ---- */

static cJSON *range_json(struct verify_range r)
{
    char text[32];
    snprintf(text, sizeof text, "%u-%u", r.start, r.end);
    return r.known ? cJSON_CreateString(text) : cJSON_CreateNull();
}

static cJSON *live_json(const struct verify *v)
{
    cJSON *o = cJSON_CreateObject(), *list = cJSON_CreateArray();
    cJSON_AddNumberToObject(o, "total", v->total);
    cJSON_AddNumberToObject(o, "exact", v->exact);
    cJSON_AddStringToObject(o, "against", "live-range");
    const struct verify_mismatch *m = v->mismatches.items;
    for (uint32_t k = 0; k < v->mismatches.n; k++) {
        cJSON *x = cJSON_CreateObject();
        cJSON_AddItemToObject(x, "value", json_text(m[k].value));
        cJSON_AddItemToObject(x, "dump", range_json(m[k].dump));
        cJSON_AddItemToObject(x, "rerun", range_json(m[k].rerun));
        cJSON_AddItemToArray(list, x);
    }
    cJSON_AddItemToObject(o, "mismatches", list);
    return o;
}

/* The device's own temporaries: colour 0, or what the main space's temporaries were coloured. */
static const struct verify_space *main_space(const struct verify *v, const struct program *p)
{
    const struct verify_space *s = v->spaces.items;
    for (uint32_t k = 0; k < v->spaces.n; k++)
        if (space_is_main(p->module->platform, s[k].color))
            return &s[k];
    return NULL;
}

static void add_space_bytes(cJSON *o, const struct verify_space *s)
{
    cJSON_AddItemToObject(o, "dump", json_number(s->dump));
    cJSON_AddItemToObject(o, "rerun", s->rerun_known ? json_number(s->rerun) : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "best_found", s->searched ? json_number(s->best) : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "best_proven",
                          s->searched ? cJSON_CreateBool(s->best_proven) : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "lower_bound",
                          s->bound_known ? json_number(s->lower_bound) : cJSON_CreateNull());
}

static cJSON *temp_json(const struct verify *v, const struct program *p)
{
    const struct verify_space *s = main_space(v, p);
    if (!s)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    add_space_bytes(o, s);
    return o;
}

static cJSON *spaces_json(const struct verify *v, const struct program *p)
{
    const struct verify_space *s = v->spaces.items;
    char name[16];
    if (!v->has_overlaps)
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < v->spaces.n; k++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "color", s[k].color);
        cJSON_AddStringToObject(o, "name", space_name(p->module->platform, s[k].color, name));
        add_space_bytes(o, &s[k]);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *offsets_json(const struct verify *v)
{
    if (!v->has_offsets)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "total", v->offsets);
    cJSON_AddNumberToObject(o, "exact", v->offsets_exact);
    return o;
}

static cJSON *verdicts_json(const struct verify *v)
{
    const struct verify_verdict *d = v->verdicts.items;
    if (!v->has_overlaps)
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < v->verdicts.n; k++) {
        cJSON *x = cJSON_CreateObject();
        cJSON_AddStringToObject(x, "rule", d[k].rule);
        cJSON_AddItemToObject(x, "value", json_text(d[k].value));
        cJSON_AddItemToObject(x, "dump", json_text(d[k].dump));
        cJSON_AddItemToObject(x, "rerun", json_text(d[k].rerun));
        cJSON_AddItemToArray(list, x);
    }
    return list;
}

static cJSON *verify_json(const struct verify *v, const struct program *p)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "name", json_text(p->name));
    cJSON_AddItemToObject(o, "live_ranges", v->has_live ? live_json(v) : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "temp_bytes", temp_json(v, p));
    cJSON_AddItemToObject(o, "spaces", spaces_json(v, p));
    cJSON_AddItemToObject(o, "offsets", offsets_json(v));
    cJSON_AddItemToObject(o, "overlaps", v->has_overlaps ? cJSON_CreateNumber(v->overlaps)
                                                         : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "verdicts", verdicts_json(v));
    cJSON_AddItemToObject(o, "agrees", v->agrees == AGREES_UNKNOWN
                                           ? cJSON_CreateNull()
                                           : cJSON_CreateBool(v->agrees == AGREES_YES));
    return o;
}

/* ---- Text ---- */

static void range_text(struct verify_range r, const char *none, char out[32])
{
    if (r.known)
        snprintf(out, 32, "%u-%u", r.start, r.end);
    else
        snprintf(out, 32, "%s", none);
}

static void put_mismatches(const struct verify *v)
{
    char safe[1024], dump[32], rerun[32];
    const struct verify_mismatch *m = v->mismatches.items;
    for (uint32_t k = 0; k < v->mismatches.n && k < MOST_SHOWN; k++) {
        range_text(m[k].dump, "none", dump);
        range_text(m[k].rerun, "none", rerun);
        printf("  %s: dump %s, rerun %s\n", text_safe(m[k].value, safe, sizeof safe), dump, rerun);
    }
    if (v->mismatches.n > MOST_SHOWN)
        printf("  %u more; --json lists all\n", v->mismatches.n - MOST_SHOWN);
}

/* The bytes reserved, what the schedule allows, and what lies between. */
static void put_space(const struct verify_space *s, const struct program *p)
{
    char name[16], dump[24], text[24];
    printf("  temp in %s: %s", space_name(p->module->platform, s->color, name),
           bytes_text(s->dump, dump));
    if (!s->rerun_known)
        printf(" (not rerun)");
    else if (s->rerun == s->dump)
        printf(", rerun the same");
    else
        printf(", rerun %s (%+lld bytes)", bytes_text(s->rerun, text),
               (long long)(s->rerun - s->dump));
    /* What a better packing saves is waste; what no packing found saves, the schedule needs. */
    uint64_t waste = s->searched ? s->dump - s->best : s->packing;
    if (s->bound_known)
        printf("; the schedule allows %s%s", bytes_text(s->lower_bound + s->packing - waste, text),
               s->searched && !s->best_proven ? " or less" : "");
    putchar('\n');
    if (s->packing || s->tables || s->aliasing)
        printf("    above that packing wastes %s", bytes_text(waste, text));
    if (s->tables)
        printf(", tuple tables take %s", bytes_text(s->tables, text));
    if (s->aliasing)
        printf(", and aliasing forces %s of the bound", bytes_text(s->aliasing, text));
    if (s->packing || s->tables || s->aliasing)
        putchar('\n');
}

static void put_verdicts(const struct verify *v)
{
    char value[1024], dump[1024], rerun[1024];
    const struct verify_verdict *d = v->verdicts.items;
    for (uint32_t k = 0; k < v->verdicts.n && k < MOST_SHOWN; k++) {
        printf("  %s", d[k].rule);
        if (d[k].value)
            printf(" %s", text_safe(d[k].value, value, sizeof value));
        if (d[k].dump)
            printf(": dump %s", text_safe(d[k].dump, dump, sizeof dump));
        if (d[k].rerun)
            printf("%s rerun %s", d[k].dump ? "," : ":", text_safe(d[k].rerun, rerun, sizeof rerun));
        putchar('\n');
    }
    if (v->verdicts.n > MOST_SHOWN)
        printf("  %u more; --json lists all\n", v->verdicts.n - MOST_SHOWN);
}

static void verify_text(const struct verify *v, const struct program *p, const char *where)
{
    char safe[1024];
    printf("%s: ", text_safe(where ? where : p->name ? p->name : "?", safe, sizeof safe));
    if (v->agrees == AGREES_UNKNOWN) {
        printf("nothing to compare: %s\n", v->why_not);
        return;
    }
    if (v->has_live)
        printf("live ranges %u of %u exact", v->exact, v->total);
    if (v->has_offsets)
        printf("%soffsets %u of %u exact", v->has_live ? ", " : "", v->offsets_exact, v->offsets);
    else if (v->spaces.n)
        printf("%soffsets not reproduced", v->has_live ? ", " : "");
    if (v->has_overlaps)
        printf(", %u overlap%s", v->overlaps, v->overlaps == 1 ? "" : "s");
    printf(", %s\n", v->agrees == AGREES_YES ? "agrees" : "DIFFERS");
    put_mismatches(v);
    for (uint32_t k = 0; k < v->spaces.n; k++)
        put_space((const struct verify_space *)v->spaces.items + k, p);
    put_verdicts(v);
}

/* ---- Of many ---- */

/* What a module's process ends with: how it agrees, and for which kind of device it is. */
enum { KINDS = 4, OUTCOMES = 4, OUTCOME_REFUSED = 3 };

static int code_of(enum agreement agrees, enum platform kind)
{
    return (int)agrees + OUTCOMES * (int)kind;
}

static int verify_one(void *ctx, const char *where, const struct program *p)
{
    const struct context *c = ctx;
    struct verify v;
    verify_program(&v, p);
    verify_search(&v, SEARCH_SECONDS);
    if (c->o->json) {
        cJSON *json = verify_json(&v, p);
        char *text = cJSON_Print(json);
        if (text)
            fputs(text, stdout);
        free(text);
        cJSON_Delete(json);
    } else {
        verify_text(&v, p, where);
    }
    enum agreement agrees = v.agrees;
    verify_free(&v);
    return code_of(agrees, p->module->platform);
}

/* Counts, and writes what stands between two modules of a JSON document. */
static void count_one(void *ctx, const struct dump_entry *e, int code, bool printed)
{
    struct context *c = ctx;
    bool refused = code >= BULK_REFUSED;
    uint32_t kind = !refused ? (uint32_t)code / OUTCOMES : e ? (uint32_t)e->platform : PLATFORM_UNKNOWN;
    c->count[kind % KINDS][refused ? OUTCOME_REFUSED : code % OUTCOMES]++;
    c->n++;
    if (!c->o->json || !printed)
        return;
    fputs(c->printed++ ? ",\n" : "{\n\"schema\": \"tidemark/1\",\n\"command\": \"verify\",\n\"modules\": [\n",
          stdout);
}

static const char *kind_name(uint32_t kind)
{
    const char *name = platform_name((enum platform)kind);
    return name ? name : "unknown";
}

static const int outcomes[OUTCOMES] = {AGREES_YES, AGREES_NO, AGREES_UNKNOWN, OUTCOME_REFUSED};

static uint32_t kind_total(const struct context *c, uint32_t kind)
{
    uint32_t total = 0;
    for (int k = 0; k < OUTCOMES; k++)
        total += c->count[kind][k];
    return total;
}

static void put_summary(const struct context *c)
{
    printf("\n%u modules%8s%12s%12s%12s%12s\n", c->n, "", "agree", "differ", "not known", "not opened");
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        if (!kind_total(c, kind))
            continue;
        printf("  %-8s%10u", kind_name(kind), kind_total(c, kind));
        for (int k = 0; k < OUTCOMES; k++)
            printf("%12u", c->count[kind][outcomes[k]]);
        putchar('\n');
    }
}

static void put_summary_json(const struct context *c)
{
    static const char *const names[OUTCOMES] = {"agree", "differ", "not_known", "not_opened"};
    fputs("\n],\n\"summary\": {", stdout);
    for (uint32_t kind = 0, n = 0; kind < KINDS; kind++) {
        if (!kind_total(c, kind))
            continue;
        printf("%s\"%s\": {", n++ ? ", " : "", kind_name(kind));
        for (int k = 0; k < OUTCOMES; k++)
            printf("%s\"%s\": %u", k ? ", " : "", names[k], c->count[kind][outcomes[k]]);
        putchar('}');
    }
    fputs("}\n}\n", stdout);
}

/* A listing has nothing to rerun. */
static int verify_listing(void *ctx, const char *where, const struct dump_entry *e)
{
    static const char *const unknown[] = {"live_ranges", "temp_bytes", "spaces", "offsets",
                                          "overlaps", "verdicts", "agrees"};
    const struct context *c = ctx;
    char safe[1024];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "name", json_text(e->stem));
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
        cJSON_AddNullToObject(o, unknown[k]);
    char *text = c->o->json ? cJSON_Print(o) : NULL;
    if (text)
        fputs(text, stdout);
    else
        printf("%s: nothing to compare: a listing has no program to rerun; verify needs the dump\n",
               text_safe(where ? where : e->stem, safe, sizeof safe));
    free(text);
    cJSON_Delete(o);
    return code_of(AGREES_UNKNOWN, e->platform);
}

int command_verify(const struct options *o)
{
    struct context c = {.o = o};
    struct bulk b = {.asked = &o->asked, .each = verify_one, .listing = verify_listing, .done = count_one, .ctx = &c};
    int status = bulk_run(&b);
    bool whole = !ferror(stdout);
    if (whole && o->json && c.printed)
        put_summary_json(&c);
    else if (whole && !o->json && c.n > 1)
        put_summary(&c);
    bool differs = false;
    for (uint32_t kind = 0; kind < KINDS; kind++)
        differs = differs || c.count[kind][AGREES_NO];
    return status ? status : differs ? 1 : 0;
}
