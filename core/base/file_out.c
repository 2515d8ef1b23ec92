#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include "core/base/file_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS_MOST 100 /* names that are tried */
#define RIGHTS 0666    /* less the umask */

static bool cannot(struct diag *d, const char *path, int error)
{
    return diag_file(d, path, "cannot write: %s", strerror(error));
}

/* ---- The file beside the target ---- */

/* A name beside the target that nobody has yet, by `take`, which leaves EEXIST where one is taken. */
static bool take_name(struct file_out *o, bool (*take)(struct file_out *o))
{
    for (unsigned k = 0; k < PARTS_MOST; k++) {
        o->part = arena_printf(&o->arena, "%s.%ld.%u.part", o->target, (long)getpid(), k);
        if (take(o))
            return true;
        if (errno != EEXIST)
            break;
    }
    o->part = NULL;
    return false;
}

static bool create(struct file_out *o)
{
    int fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, RIGHTS);
    o->to = fd < 0 ? NULL : fdopen(fd, "w");
    return o->to != NULL;
}

/* A file without a name is gone with the program, however that ends. */
static bool name_it(struct file_out *o)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(o->to));
    return linkat(AT_FDCWD, self, AT_FDCWD, o->part, AT_SYMLINK_FOLLOW) == 0;
}

static FILE *open_nameless(struct file_out *o)
{
    const char *slash = strrchr(o->target, '/');
    size_t n = slash ? (size_t)(slash - o->target) + 1 : 0;
    int fd = access("/proc/self/fd", X_OK) == 0
             ? open(n ? arena_text(&o->arena, o->target, n) : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, RIGHTS) : -1;
    return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Without a name, where the file system has that; else under one that nobody has, never through a link
 * that somebody laid; with the rights that the file has whose place it takes. */
static bool open_beside(struct file_out *o, const struct stat *old)
{
    o->beside = true;
    o->to = open_nameless(o);
    if (!o->to && !take_name(o, create))
        return false;
    if (old)
        (void)!fchmod(fileno(o->to), old->st_mode & 0777); /* there are file systems without rights */
    return true;
}

/* ---- */

/* Where the path leads: a link stays, and what it leads to is replaced. */
static const char *target_of(struct file_out *o, const char *path)
{
    char *real = realpath(path, NULL);
    const char *target = real ? arena_text(&o->arena, real, strlen(real)) : path;
    free(real);
    return target;
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
    o->target = target_of(o, path);
    o->to = NULL;
    if (!there || S_ISREG(st.st_mode))
        open_beside(o, there ? &st : NULL);
    else
        o->to = fopen(path, "w");
    if (o->to)
        return true;
    int error = errno;
    arena_free(&o->arena);
    return cannot(d, path, error);
}

/* All that was written is there: what the stream held back included. */
static bool written(FILE *to)
{
    errno = 0;
    bool ok = fflush(to) == 0 && !ferror(to);
    if (!ok && !errno)
        errno = EIO; /* it failed earlier */
    return ok;
}

bool file_out_close(struct file_out *o, bool keep, struct diag *d)
{
    if (o->to == stdout)
        return true;
    bool ok = written(o->to) && (!keep || !o->beside || o->part || take_name(o, name_it));
    int error = errno;
    if (fclose(o->to) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (o->beside && keep && ok && rename(o->part, o->target) != 0) {
        ok = false;
        error = errno;
    }
    if (o->part && !(keep && ok))
        unlink(o->part);
    arena_free(&o->arena);
    return ok || cannot(d, o->path, error);
}
