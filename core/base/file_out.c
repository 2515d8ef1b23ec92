#include "core/base/file_out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS_MOST 100 /* names that are tried */

static bool cannot(struct diag *d, const char *path, int error)
{
    return diag_file(d, path, "cannot write: %s", strerror(error));
}

/* A new file beside `path`, never one that is there, and never through a link that somebody laid; with
 * the rights that the file has whose place it takes. */
static FILE *open_part(struct file_out *o, const char *path, const struct stat *old)
{
    FILE *f = NULL;
    for (unsigned k = 0; !f && k < PARTS_MOST; k++) {
        o->part = arena_printf(&o->arena, "%s.%ld.%u.part", path, (long)getpid(), k);
        f = fopen(o->part, "wx");
        if (!f && errno != EEXIST)
            return NULL;
    }
    if (f && old)
        (void)!fchmod(fileno(f), old->st_mode & 0777); /* there are file systems without rights */
    return f;
}

bool file_out_open(struct file_out *o, const char *path, struct diag *d)
{
    struct stat st;
    *o = (struct file_out){.to = stdout, .path = path};
    if (strcmp(path, "-") == 0)
        return true;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        diag_file(d, path, "cannot write: is a directory");
        return diag_hint(d, "name a file");
    }
    bool beside = !there || S_ISREG(st.st_mode);
    o->to = beside ? open_part(o, path, there ? &st : NULL) : fopen(path, "w");
    if (o->to)
        return true;
    int error = errno;
    arena_free(&o->arena);
    return cannot(d, path, error);
}

bool file_out_close(struct file_out *o, bool keep, struct diag *d)
{
    if (o->to == stdout)
        return true;
    bool ok = !ferror(o->to);
    int error = errno;
    if (fclose(o->to) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (o->part && keep && ok && rename(o->part, o->path) != 0) {
        ok = false;
        error = errno;
    }
    if (o->part && !(keep && ok))
        unlink(o->part);
    arena_free(&o->arena);
    return ok || cannot(d, o->path, error);
}
