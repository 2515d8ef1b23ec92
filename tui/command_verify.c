#include "core/analysis/verify.h"
#include "tui/commands.h"
#include "tui/open.h"

struct context {
    const struct options *o;
    cJSON *modules; /* NULL: text */
    bool differs;
};

static cJSON *range_json(struct verify_range r)
{
    char text[32];
    snprintf(text, sizeof text, "%u-%u", r.start, r.end);
    return r.known ? cJSON_CreateString(text) : cJSON_CreateNull();
}

static cJSON *live_json(const struct verify *v)
{
    char safe[1024];
    cJSON *o = cJSON_CreateObject(), *list = cJSON_CreateArray();
    cJSON_AddNumberToObject(o, "total", v->total);
    cJSON_AddNumberToObject(o, "exact", v->exact);
    cJSON_AddStringToObject(o, "against", "live-range");
    const struct verify_mismatch *m = v->mismatches.items;
    for (uint32_t k = 0; k < v->mismatches.n; k++) {
        cJSON *x = cJSON_CreateObject();
        cJSON_AddStringToObject(x, "value", text_safe(m[k].value, safe, sizeof safe));
        cJSON_AddItemToObject(x, "dump", range_json(m[k].dump));
        cJSON_AddItemToObject(x, "rerun", range_json(m[k].rerun));
        cJSON_AddItemToArray(list, x);
    }
    cJSON_AddItemToObject(o, "mismatches", list);
    return o;
}

static cJSON *verify_json(const struct verify *v, const struct program *p)
{
    static const char *const later[] = {"temp_bytes", "offsets", "overlaps", "verdicts"};
    char safe[1024];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "name", p->name ? cJSON_CreateString(text_safe(p->name, safe, sizeof safe))
                                             : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "live_ranges", v->has_live ? live_json(v) : cJSON_CreateNull());
    for (size_t k = 0; k < sizeof later / sizeof *later; k++)
        cJSON_AddNullToObject(o, later[k]);
    cJSON_AddItemToObject(o, "agrees", v->agrees == AGREES_UNKNOWN
                                           ? cJSON_CreateNull()
                                           : cJSON_CreateBool(v->agrees == AGREES_YES));
    return o;
}

static void range_text(struct verify_range r, const char *none, char out[32])
{
    if (r.known)
        snprintf(out, 32, "%u-%u", r.start, r.end);
    else
        snprintf(out, 32, "%s", none);
}

static void verify_text(const struct verify *v, const struct program *p)
{
    char safe[1024], dump[32], rerun[32];
    printf("%s: ", text_safe(p->name ? p->name : "?", safe, sizeof safe));
    if (!v->has_live) {
        printf("nothing to compare: %s\n", v->why_not);
        return;
    }
    printf("live ranges %u of %u exact%s\n", v->exact, v->total,
           v->agrees == AGREES_YES ? ", agrees" : ", DIFFERS");
    const struct verify_mismatch *m = v->mismatches.items;
    for (uint32_t k = 0; k < v->mismatches.n; k++) {
        range_text(m[k].dump, "none", dump);
        range_text(m[k].rerun, "none", rerun);
        printf("  %s: dump %s, rerun %s\n", text_safe(m[k].value, safe, sizeof safe), dump, rerun);
    }
}

static void verify_one(void *ctx, const struct program *p)
{
    struct context *c = ctx;
    struct verify v;
    verify_program(&v, p);
    if (c->modules)
        cJSON_AddItemToArray(c->modules, verify_json(&v, p));
    else
        verify_text(&v, p);
    c->differs |= v.agrees == AGREES_NO;
    verify_free(&v);
}

int command_verify(const struct options *o)
{
    struct context c = {.o = o, .modules = o->json ? cJSON_CreateArray() : NULL};
    int status = open_each(o, verify_one, &c);
    if (c.modules && (status == 0 || cJSON_GetArraySize(c.modules)))
        print_json("verify", c.modules);
    else
        cJSON_Delete(c.modules);
    return status ? status : c.differs ? 1 : 0;
}
