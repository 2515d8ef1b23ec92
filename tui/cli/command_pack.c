#include "core/analysis/pack/pack.h"
#include "core/base/file_out.h"
#include "core/load/text/minimalloc_csv.h"
#include "tui/cli/commands.h"
#include "tui/programs/open.h"

#include <stdlib.h>

static bool write_whole(const char *path, const char *text, size_t size, struct diag *d)
{
    struct file_out out;
    if (!file_out_open(&out, path, d))
        return false;
    fwrite(text, 1, size, out.to);
    return file_out_close(&out, true, d);
}

static void say_result(const struct pack_result *r)
{
    char height[24], bound[24];
    bytes_text(r->height, height);
    bytes_text(r->lower_bound, bound);
    fprintf(stderr, "the schedule allows %s", height);
    if (r->optimal)
        fputs(": no packing needs less", stderr);
    else
        fprintf(stderr, " or less: no packing needs less than %s, %.2f%% below", bound,
                r->height ? 100.0 * (double)(r->height - r->lower_bound) / (double)r->height : 0.0);
    fprintf(stderr, " (%.2f s)\n", r->seconds);
}

static void add_bytes(cJSON *to, const char *name, uint64_t bytes)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    cJSON_AddRawToObject(to, name, text);
}

static cJSON *result_json(const char *name, const struct pack_result *r, uint32_t n)
{
    char safe[1024];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", text_safe(name, safe, sizeof safe));
    cJSON_AddNumberToObject(o, "buffers", n);
    add_bytes(o, "height_bytes", r->height);
    add_bytes(o, "lower_bound_bytes", r->lower_bound);
    if (r->best_fit == PACK_NONE)
        cJSON_AddNullToObject(o, "best_fit_bytes");
    else
        add_bytes(o, "best_fit_bytes", r->best_fit);
    cJSON_AddBoolToObject(o, "optimal", r->optimal);
    cJSON_AddNumberToObject(o, "seconds", r->seconds);
    return o;
}

static bool pack_file(const struct options *o, struct arena *a, struct diag *d)
{
    struct file f;
    struct minimalloc m;
    struct pack_result r;
    size_t size;
    if (!file_read(a, &f, o->asked.paths[0], d) || !minimalloc_read(a, &m, &f, d))
        return false;
    struct pack_problem p = minimalloc_problem(&m);
    if (!pack_check(&p, d))
        return false;
    struct pack_options options = {.seconds = o->budget};
    pack_solve(a, &p, &options, &r);
    const char *text = minimalloc_write(a, &m, r.offset, &size);
    if (o->output && !write_whole(o->output, text, size, d))
        return false;
    if (o->json) {
        cJSON *modules = cJSON_CreateArray();
        cJSON_AddItemToArray(modules, result_json(f.name, &r, m.n));
        print_json("pack", modules);
    } else {
        if (!o->output)
            fwrite(text, 1, size, stdout);
        say_result(&r);
    }
    return true;
}

int command_pack(const struct options *o)
{
    struct arena a = {0};
    struct diag d;
    bool ok = false;
    if (o->asked.n_paths != 1) {
        diag_file(&d, NULL, "pack takes one FILE.csv");
        diag_hint(&d, "minimalloc's columns: id,lower,upper,size[,alignment,gaps,hint]");
    } else {
        ok = pack_file(o, &a, &d);
    }
    if (!ok)
        say_error(&d);
    arena_free(&a);
    return ok ? 0 : 2;
}
