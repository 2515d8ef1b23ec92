#include "core/load/example/shipped.h"
#include "core/base/file.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TIDEMARK_SHARE
#define TIDEMARK_SHARE "/usr/local/share/tidemark"
#endif

static bool has_index(struct arena *a, const char *folder)
{
    return access(arena_printf(a, "%s/index.json", folder), R_OK) == 0;
}

const char *shipped_folder(struct arena *a)
{
    const char *asked = getenv("TIDEMARK_DATA");
    if (asked && *asked)
        return has_index(a, asked) ? asked : NULL;
    static const char *const beside[] = {"/../fixtures", "/../../fixtures", "/../share/tidemark"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
        for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
            const char *folder = arena_printf(a, "%s%s", self, beside[k]);
            if (has_index(a, folder))
                return folder;
        }
    }
    return has_index(a, TIDEMARK_SHARE) ? TIDEMARK_SHARE : NULL;
}

/* The parsed index.json beside *folder; NULL on failure. */
static cJSON *read_index(struct arena *a, const char **folder, struct diag *d)
{
    struct file f;
    *folder = shipped_folder(a);
    if (!*folder) {
        diag_file(d, NULL, "no path given, and the shipped example is not installed");
        diag_hint(d, "name a dump: XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text "
                     "--xla_dump_hlo_as_proto\" python train.py; tidemark DIR");
        return NULL;
    }
    if (!file_read(a, &f, arena_printf(a, "%s/index.json", *folder), d))
        return NULL;
    cJSON *json = cJSON_ParseWithLength(f.text, f.size);
    if (!json)
        diag_file(d, f.name, "is not JSON");
    return json;
}

static const char *text_at(const cJSON *cell, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cell, key));
}

bool shipped_default(struct arena *a, const char **path, struct diag *d)
{
    const char *folder;
    cJSON *json = read_index(a, &folder, d);
    if (!json)
        return false;
    const char *cell = text_at(json, "default");
    if (cell)
        *path = arena_printf(a, "%s/%s", folder, cell);
    else
        diag_file(d, arena_printf(a, "%s/index.json", folder), "has no \"default\" cell");
    cJSON_Delete(json);
    return cell != NULL;
}
