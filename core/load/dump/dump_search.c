#include "core/load/dump/dump_search.h"
#include "core/base/strmap.h"
#include "core/load/dump/content.h"
#include "core/load/dump/dump_add.h"
#include "core/load/dump/dump_names.h"
#include "core/load/dump/dump_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a search found; entries are sorted before they are handed over. */
struct found {
    struct dump_entry entry;
    const char *stem, *full; /* without and with infix */
};

struct finder {
    struct dump *d;
    struct arena scratch;
    struct list todo;    /* const char *: directories still to be searched */
    struct list found;   /* struct found */
    struct list logs;    /* const char *: files that may hold a listing */
    struct strmap seen;  /* device and inode of a directory */
    struct strmap files; /* DIR/FULL -> found */
    struct dump_targets targets;
    /* What else there was, to say so where nothing can be opened. */
    uint32_t unreadable, halves, other_forms, unoptimized, others;
};

/* ---- One directory ---- */

static void add_file(struct finder *f, const char *dir, const char *name, const struct dump_parts *p)
{
    struct arena *a = &f->scratch;
    const char *full = arena_text(a, name, p->full);
    const char *key = dump_join(a, dir, full);
    uint32_t i = strmap_find(&f->files, key, strlen(key));
    if (i == STRMAP_NONE) {
        i = f->found.n;
        strmap_put(a, &f->files, key, strlen(key), i);
        struct found *fresh = list_add(a, &f->found, sizeof *fresh);
        fresh->entry = dump_entry_of(&f->d->arena, dir, name, p);
        fresh->stem = fresh->entry.stem;
        fresh->full = full;
    }
    struct dump_entry *e = &((struct found *)f->found.items)[i].entry;
    if (!e->path[p->kind])
        e->path[p->kind] = dump_join(&f->d->arena, dir, name);
}

/* Counts what an XLA file tells about flags that were or were not set. */
static void count_other(struct finder *f, const char *name)
{
    if (strstr(name, "after_optimizations."))
        f->other_forms++;
    else if (strstr(name, "before_optimizations."))
        f->unoptimized++;
    else
        f->others++;
}

static void add_log(struct finder *f, const char *dir, const char *name)
{
    dump_add_path(&f->scratch, &f->logs, dump_join(&f->d->arena, dir, name));
}

static bool is_log(const char *name)
{
    return dump_name_ends(name, ".log") || dump_name_ends(name, ".out") || dump_name_ends(name, ".err");
}

/* A profile that cannot be read is odd, but only where it was not asked for by name. */
static void add_profile(struct finder *f, const char *dir, const char *name, const struct dump_parts *p)
{
    struct arena content = {0};
    struct diag d;
    struct file file;
    char line[2048];
    const char *path = dump_join(&f->d->arena, dir, name);
    struct dump_entry as = dump_entry_of(&f->d->arena, dir, name, p);
    as.path[DUMP_PROFILE] = path;
    if (!file_read(&content, &file, path, &d) || !dump_add_programs(f->d, &as, &file, &d))
        dump_warn(&f->d->arena, &f->d->warnings, "%s", diag_text(&d, line, sizeof line) + strlen("tidemark: "));
    arena_free(&content);
}

/* The logs and reports of a directory that has no program. */
static void try_logs(struct finder *f)
{
    for (uint32_t i = 0; i < f->logs.n; i++) {
        struct arena content = {0};
        struct diag d;
        struct file file;
        const char *path = ((const char **)f->logs.items)[i], *name = dump_base(path);
        struct dump_parts p = dump_parts_of(name);
        struct dump_entry as = dump_entry_of(&f->d->arena, dump_dir_of(&f->d->arena, path), name, &p);
        if (p.kind != DUMP_REPORT) /* a log's name is shown whole */
            as.name = as.stem = name;
        if (file_read(&content, &file, path, &d) && content_is_text(file.text, file.size))
            dump_add_listings(f->d, &as, &file);
        arena_free(&content);
    }
}

static void look_at_file(struct finder *f, const char *dir, const char *name)
{
    struct dump_parts p = dump_parts_of(name);
    char start[CONTENT_START + 1];
    size_t size;
    if (p.optimized)
        add_file(f, dir, name, &p);
    else if (dump_name_ends(name, DUMP_TARGET_SUFFIX))
        dump_target_add(&f->targets, &f->scratch, &f->d->arena, dir, name);
    else if (dump_name_ends(name, ".xplane.pb"))
        add_profile(f, dir, name, &p);
    else if (p.numbered)
        count_other(f, name);
    else if (p.kind == DUMP_HLO_TEXT) { /* any text at all */
        const char *path = dump_join(&f->scratch, dir, name);
        p.kind = content_start(path, start, &size) ? content_kind(start, size) : DUMP_KINDS;
        if (p.kind == DUMP_HLO_TEXT || p.kind == DUMP_ASSIGNMENT)
            add_file(f, dir, name, &p);
        else
            add_log(f, dir, name);
    } else if (p.kind != DUMP_KINDS && !strstr(name, "before_") && !strstr(name, "after_"))
        add_file(f, dir, name, &p);
    else if (is_log(name))
        add_log(f, dir, name);
}

static void look_at(struct finder *f, const char *dir, int fd, const char *name)
{
    struct stat st;
    if (fstatat(fd, name, &st, 0) != 0) {
        if (dump_parts_of(name).optimized)
            dump_warn(&f->d->arena, &f->d->warnings, "%s: cannot be followed: %s",
                      dump_join(&f->scratch, dir, name), strerror(errno));
    } else if (S_ISREG(st.st_mode))
        look_at_file(f, dir, name);
    else if (S_ISDIR(st.st_mode))
        dump_add_path(&f->scratch, &f->todo, dump_join(&f->d->arena, dir, name));
}

/* True the first time it is asked about a directory, however it was reached. */
static bool first_visit(struct finder *f, int fd)
{
    struct stat st;
    uint64_t key[2];
    if (fstat(fd, &st) != 0)
        return false;
    key[0] = (uint64_t)st.st_dev;
    key[1] = (uint64_t)st.st_ino;
    return strmap_put(&f->scratch, &f->seen, (const char *)key, sizeof key, 0);
}

static bool search(struct finder *f, const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    struct list names = {0};
    bool ok = !first_visit(f, dirfd(dir)) || dump_names_in(&f->scratch, dir, &names);
    int error = errno;
    for (uint32_t i = 0; i < names.n; i++)
        look_at(f, path, dirfd(dir), ((const char **)names.items)[i]);
    closedir(dir);
    errno = error;
    return ok;
}

/* ---- A whole tree ---- */

static int by_place(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = strcmp(x->entry.dir, y->entry.dir);
    uint64_t nx = dump_number(x->entry.stem), ny = dump_number(y->entry.stem);
    if (!order)
        order = nx < ny ? -1 : nx > ny;
    return order ? order : strcmp(x->full, y->full);
}

static bool same_stem(const struct found *x, const struct found *y)
{
    return strcmp(x->stem, y->stem) == 0 && strcmp(x->entry.dir, y->entry.dir) == 0;
}

/* Modules of one name in one directory (two backends dumped there) are told apart by infix. */
static void tell_apart(struct finder *f, struct found *x)
{
    size_t len = strlen(x->full);
    if (!dump_name_ends(x->full, DUMP_OPTIMIZED)) /* a name of the user's own has none */
        return;
    len -= strlen(DUMP_OPTIMIZED);
    while (len && strchr("_.", x->full[len - 1]))
        len--;
    x->entry.stem = arena_text(&f->d->arena, x->full, len);
}

static void hand_over(struct finder *f)
{
    struct found *items = f->found.items;
    if (f->found.n)
        qsort(items, f->found.n, sizeof *items, by_place);
    for (uint32_t i = 0; i < f->found.n; i++) {
        struct found *x = &items[i];
        if (!dump_opens(&x->entry)) {
            if (x->entry.path[DUMP_REPORT])
                dump_add_path(&f->scratch, &f->logs, x->entry.path[DUMP_REPORT]);
            f->halves++;
            continue;
        }
        x->entry.path[DUMP_TARGET] = dump_target_of(&f->targets, &x->entry);
        if ((i && same_stem(x, x - 1)) || (i + 1 < f->found.n && same_stem(x, x + 1)))
            tell_apart(f, x);
        *(struct dump_entry *)list_add(&f->d->arena, &f->d->entries, sizeof x->entry) = x->entry;
    }
}

/* Says what is missing for a dump that can be opened. */
static bool nothing_found(const struct finder *f, const char *path, struct diag *diag)
{
    bool others = f->others || f->targets.paths.n;
    if (f->halves)
        diag_file(diag, path, "holds live ranges or reports, but no program they belong to");
    else if (f->other_forms)
        diag_file(diag, path, "holds *after_optimizations* files, but none as text or proto");
    else if (others && !f->unoptimized)
        diag_file(diag, path, "holds files of XLA, but no *after_optimizations* among them");
    if (f->halves || f->other_forms || (others && !f->unoptimized))
        return diag_hint(diag, "add --xla_dump_hlo_as_text --xla_dump_hlo_as_proto to XLA_FLAGS");
    if (f->unoptimized) {
        diag_file(diag, path, "holds no *after_optimizations* files, only earlier ones");
        return diag_hint(diag, "XLA writes them at the end of a compile: did it end? " CONTENT_HOW_TO);
    }
    if (f->unreadable)
        diag_file(diag, path, "holds no XLA dump in what can be read of it (%u unreadable)",
                  f->unreadable);
    else
        diag_file(diag, path, "holds no XLA dump");
    return diag_hint(diag, CONTENT_HOW_TO);
}

static bool search_below(struct finder *f, const char *path, struct diag *diag)
{
    struct dump *d = f->d;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *root = arena_text(&d->arena, path, len);
    dump_add_path(&f->scratch, &f->todo, root);
    for (uint32_t i = 0; i < f->todo.n; i++) {
        const char *dir = ((const char **)f->todo.items)[i];
        if (search(f, dir))
            continue;
        if (i == 0)
            return diag_file(diag, path, "cannot be searched: %s", strerror(errno));
        f->unreadable++;
        dump_warn(&d->arena, &d->warnings, "%s: cannot be searched: %s", dir, strerror(errno));
    }
    hand_over(f);
    if (!d->entries.n)
        try_logs(f);
    return d->entries.n || nothing_found(f, path, diag);
}

bool dump_search(struct dump *d, const char *path, struct diag *diag)
{
    struct finder f = {.d = d};
    bool ok = search_below(&f, path, diag);
    arena_free(&f.scratch);
    return ok;
}
