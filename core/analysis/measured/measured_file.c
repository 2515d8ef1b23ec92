#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "core/analysis/measured/measured_file.h"
#include "core/base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BESIDE_MOST 64 /* traces beside a dump that are looked at */
#define ENDING ".trace.json"

static uint64_t hash_of(const struct program *p)
{
    const struct assignment *as = &p->module->assignment;
    uint64_t hash = HASH_START;
    for (uint32_t k = 0; k < p->steps; k++)
        for (const char *s = p->step_name[k] ? p->step_name[k] : ""; ; s++) {
            hash = hash_add(hash, (unsigned char)*s);
            if (!*s)
                break;
        }
    for (uint32_t k = 0; p->module->has_assignment && k < as->allocs.n; k++)
        hash = hash_add(hash, assignment_alloc(as, k)->size);
    return hash;
}

/* A module's name as part of a file's. */
static void plain(const char *name, char out[64])
{
    size_t n = 0;
    for (; name[n] && n < 63; n++)
        out[n] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", name[n]) ? name[n] : '_';
    out[n] = '\0';
}

static const char *state_folder(struct arena *a)
{
    const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/') /* the specification has relative ones ignored */
        return arena_printf(a, "%s/tidemark/traces", base);
    return home && home[0] == '/' ? arena_printf(a, "%s/.local/state/tidemark/traces", home) : NULL;
}

const char *measured_place(struct arena *a, const struct program *p, bool make, struct diag *d)
{
    const char *folder = state_folder(a);
    char name[64];
    if (!folder) {
        diag_file(d, NULL, "there is no place to keep traces");
        diag_hint(d, "set XDG_STATE_HOME or HOME");
        return NULL;
    }
    if (make && !file_make_folders(folder)) {
        diag_file(d, folder, "%s", strerror(errno));
        return NULL;
    }
    plain(p->name, name);
    return arena_printf(a, "%s/%s-%016llx" ENDING, folder, name, (unsigned long long)hash_of(p));
}

/* ---- Finding ---- */

struct finder {
    struct arena *arena;
    const struct program *p;
    struct measured *out;
    const char *path; /* the best so far */
    time_t when;
};

static void look(struct finder *f, const char *path)
{
    struct stat st;
    struct measured m;
    struct diag d;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > MEASURED_FILE_MOST ||
        (f->path && st.st_mtime <= f->when) || !measured_open(f->arena, path, f->p, &m, &d))
        return;
    *f->out = m;
    f->path = path;
    f->when = st.st_mtime;
}

static bool is_trace_name(const char *name)
{
    size_t n = strlen(name), end = strlen(ENDING);
    return n > end && strcmp(name + n - end, ENDING) == 0;
}

bool measured_find(struct arena *a, const struct program *p, struct measured *out, const char **path)
{
    struct finder f = {a, p, out, NULL, 0};
    struct diag d;
    DIR *dir = p->module->dir ? opendir(p->module->dir) : NULL;
    int looked = 0;
    for (struct dirent *e; dir && looked < BESIDE_MOST && (e = readdir(dir));)
        if (is_trace_name(e->d_name)) {
            look(&f, arena_printf(a, "%s/%s", p->module->dir, e->d_name));
            looked++;
        }
    if (dir)
        closedir(dir);
    const char *own = measured_place(a, p, false, &d);
    if (own)
        look(&f, own);
    *path = f.path;
    return f.path != NULL;
}
