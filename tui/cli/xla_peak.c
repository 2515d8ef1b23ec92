#include "tui/cli/xla_peak.h"
#include "core/load/example/variants.h"
#include "tui/programs/jobs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool start(struct job *j, const struct variants *vs, const struct variant *v, struct diag *d)
{
    char path[4096], python[1024], target[64], seqlen[24], unroll[24], width[24];
    snprintf(path, sizeof path, "%s/measure.py", vs->folder);
    snprintf(python, sizeof python, "%s", job_python());
    snprintf(target, sizeof target, "%s", v->target);
    snprintf(seqlen, sizeof seqlen, "%lld", (long long)v->seqlen);
    snprintf(unroll, sizeof unroll, v->unroll == VARIANT_FULL ? "full" : "%lld", (long long)v->unroll);
    snprintf(width, sizeof width, "%lld", (long long)v->width);
    char *argv[] = {python, path, (char[]){"--target"}, target, (char[]){"--seqlen"}, seqlen,
                    (char[]){"--unroll"}, unroll, (char[]){"--width"}, width, NULL};
    return job_start(j, argv, d);
}

/* Its last line: {"device": …, "peak_bytes": N or null}. */
static bool read_peak(const char *said, uint64_t *peak, struct diag *d)
{
    cJSON *json = cJSON_Parse(said);
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(json, "peak_bytes");
    const char *device = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "device"));
    bool ok = cJSON_IsNumber(n) && n->valuedouble >= 0 && n->valuedouble < 9e15;
    if (ok)
        *peak = (uint64_t)n->valuedouble;
    else if (cJSON_IsNull(n))
        diag_file(d, NULL, "XLA's own peak is not known: memory_stats() says nothing on %.60s", device ? device : "this device");
    else
        diag_file(d, NULL, "XLA's own peak is not known: %.300s", said);
    cJSON_Delete(json);
    return ok;
}

bool xla_peak(const struct program *p, uint64_t *peak, struct diag *d)
{
    struct variants vs;
    struct variant v;
    struct job j = {0};
    if (!variants_read(&vs, d))
        return false;
    bool ok = p->module->dir && variants_which(&vs, p->module->dir, &v);
    if (!ok)
        diag_file(d, NULL, "XLA's own peak is not known: this is no form of the shipped example");
    ok = ok && start(&j, &vs, &v, d);
    variants_free(&vs);
    if (!ok)
        return false;
    while (job_poll(&j) == JOB_RUNNING)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return read_peak(j.said, peak, d);
}
