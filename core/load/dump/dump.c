#include "core/load/dump/dump.h"
#include "core/base/strmap.h"
#include "core/base/unpack.h"
#include "core/load/dump/content.h"
#include "core/load/dump/dump_add.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>


/* What follows the stem, longest first where one ends in another. */
static const struct {
    const char *rest;
    enum dump_kind kind;
} rests[] = {
    {".hlo.pb", DUMP_HLO_PROTO},
    {"-buffer-assignment-values.txt", DUMP_VALUES},
    {"-buffer-assignment.txt", DUMP_ASSIGNMENT},
    {"-live-range.txt", DUMP_RANGES},
    {"-memory-usage-report.txt", DUMP_REPORT},
    {".txt", DUMP_HLO_TEXT},
};
#define N_RESTS (sizeof rests / sizeof *rests)

static const char optimized[] = "after_optimizations";
static const char target_suffix[] = "gpu_target_config.pbtxt";

/* A file's name taken apart; lengths count from its start. */
struct parts {
    enum dump_kind kind; /* DUMP_KINDS: no known rest */
    enum platform platform;
    bool optimized; /* "…after_optimizations<rest>" */
    bool numbered;  /* "module_NNNN.…" */
    size_t full;    /* up to the rest */
    size_t stem;    /* "module_0001.jit_step", without the infix */
    size_t name;    /* where NAME starts */
};

/* What a search found; entries are sorted before they are handed over. */
struct found {
    struct dump_entry entry;
    const char *stem, *full; /* without and with infix */
};

struct finder {
    struct dump *d;
    struct arena scratch;
    struct list todo;        /* const char *: directories still to be searched */
    struct list found;       /* struct found */
    struct list targets;     /* const char * */
    struct strmap seen;      /* device and inode of a directory */
    struct strmap by_stem;   /* DIR/STEM -> found */
    struct strmap target_of; /* DIR and DIR/module_NNNN.NAME -> targets */
    struct list logs;        /* const char *: files that may hold a listing */
    uint32_t unreadable, halves, other_forms, unoptimized, others;
};

void dump_warn(struct arena *a, struct list *warnings, const char *fmt, ...)
{
    char text[2048], safe[4 * sizeof text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text_safe(text, safe, sizeof safe);
    *(const char **)list_add(a, warnings, sizeof(char *)) = arena_text(a, safe, strlen(safe));
}

/* ---- Names ---- */

/* Does a name end so, the suffix of a packed file left out? */
static bool name_ends_with(const char *name, const char *end)
{
    size_t len = strlen(name) - unpack_suffix(name), n = strlen(end);
    return len >= n && memcmp(name + len - n, end, n) == 0;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t n = strlen(end);
    return len >= n && memcmp(text + len - n, end, n) == 0;
}

/* Length of "1796035605834840." at the start (--xla_dump_include_timestamp), or 0. */
static size_t timestamp_prefix(const char *name)
{
    size_t n = strspn(name, "0123456789");
    return n && name[n] == '.' ? n + 1 : 0;
}

/* Length of "module_NNNN." at the start, a timestamp before it included, or 0. */
static size_t number_prefix(const char *name)
{
    size_t n = timestamp_prefix(name);
    if (strncmp(name + n, "module_", 7) != 0 || !isdigit((unsigned char)name[n + 7]))
        return 0;
    n += 7 + strspn(name + n + 7, "0123456789");
    return name[n] == '.' ? n + 1 : 0;
}

/* Cuts text[0, len) before its last '.', or to nothing. */
static size_t before_last_dot(const char *text, size_t len)
{
    while (len && text[len - 1] != '.')
        len--;
    return len ? len - 1 : 0;
}

/* Cuts the infix off "STEM.<infix>" and tells the platform by it. */
static size_t cut_infix(const char *name, size_t len, enum platform *platform)
{
    if (ends_with(name, len, "cpu_"))
        *platform = PLATFORM_CPU;
    else if (ends_with(name, len, "gpu_")) { /* "sm_8.0_gpu_" has a dot of its own */
        *platform = PLATFORM_GPU;
        for (size_t i = len; i-- > 0;)
            if (strncmp(name + i, ".sm_", 4) == 0)
                return i;
    } else if (ends_with(name, len, "tpu_"))
        *platform = PLATFORM_TPU;
    else if (ends_with(name, len, ".")) {
        size_t dot = before_last_dot(name, len - 1);
        if (strncmp(name + dot, ".cl_", 4) != 0 ||
            dot + 4 + strspn(name + dot + 4, "0123456789") != len - 1)
            return len - 1;
        *platform = PLATFORM_TPU;
        return dot;
    }
    return before_last_dot(name, len);
}

static struct parts take_apart(const char *name)
{
    size_t len = strlen(name) - unpack_suffix(name);
    struct parts p = {.kind = DUMP_KINDS, .full = len, .stem = len};
    for (size_t i = 0; i < N_RESTS && p.kind == DUMP_KINDS; i++)
        if (ends_with(name, len, rests[i].rest)) {
            p.kind = rests[i].kind;
            p.full = p.stem = len - strlen(rests[i].rest);
        }
    p.name = number_prefix(name);
    p.numbered = p.name > 0;
    p.optimized = p.kind != DUMP_KINDS && ends_with(name, p.full, optimized);
    if (p.optimized)
        p.stem = cut_infix(name, p.full - strlen(optimized), &p.platform);
    if (p.stem <= p.name) { /* nothing is left to be a name */
        p.stem = p.full;
        p.name = 0;
    }
    return p;
}

static void name_entry(struct arena *a, struct dump_entry *e, const char *name,
                       const struct parts *p)
{
    e->stem = arena_text(a, name, p->stem);
    e->name = arena_text(a, name + p->name, p->stem - p->name);
    e->platform = p->platform;
}

/* ---- One directory ---- */

static const char *join(struct arena *a, const char *dir, const char *name)
{
    const char *slash = ends_with(dir, strlen(dir), "/") ? "" : "/";
    return arena_printf(a, "%s%s%s", dir, slash, name);
}

static void add_target(struct finder *f, const char *dir, const char *name)
{
    struct arena *a = &f->scratch;
    const char *stem = arena_text(a, name, strlen(name) - strlen(target_suffix));
    const char *key = join(a, dir, stem); /* with the '.' behind the stem */
    strmap_put(a, &f->target_of, dir, strlen(dir), f->targets.n);
    strmap_put(a, &f->target_of, key, strlen(key), f->targets.n);
    *(const char **)list_add(a, &f->targets, sizeof(char *)) = join(&f->d->arena, dir, name);
}

static void add_file(struct finder *f, const char *dir, const char *name, const struct parts *p)
{
    struct arena *a = &f->scratch;
    const char *full = arena_text(a, name, p->full);
    const char *key = join(a, dir, full);
    uint32_t i = strmap_find(&f->by_stem, key, strlen(key));
    if (i == STRMAP_NONE) {
        i = f->found.n;
        strmap_put(a, &f->by_stem, key, strlen(key), i);
        struct found *fresh = list_add(a, &f->found, sizeof *fresh);
        name_entry(&f->d->arena, &fresh->entry, name, p);
        fresh->entry.dir = dir;
        fresh->stem = fresh->entry.stem;
        fresh->full = full;
    }
    struct dump_entry *e = &((struct found *)f->found.items)[i].entry;
    if (!e->path[p->kind])
        e->path[p->kind] = join(&f->d->arena, dir, name);
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
    *(const char **)list_add(&f->scratch, &f->logs, sizeof(char *)) = join(&f->d->arena, dir, name);
}

static bool is_log(const char *name)
{
    return name_ends_with(name, ".log") || name_ends_with(name, ".out") || name_ends_with(name, ".err");
}

/* A file's entry without its siblings. */
static struct dump_entry alone(struct arena *a, const char *path, const struct parts *p)
{
    const char *slash = strrchr(path, '/');
    size_t base = slash ? (size_t)(slash - path) + 1 : 0;
    struct dump_entry e = {.dir = base == 0 ? "." : arena_text(a, path, base > 1 ? base - 1 : base)};
    name_entry(a, &e, path + base, p);
    return e;
}

/* A profile that cannot be read is odd, but only where it was not asked for by name. */
static void add_profile(struct finder *f, const char *dir, const char *name, const struct parts *p)
{
    struct arena content = {0};
    struct diag d;
    struct file file;
    char line[2048];
    const char *path = join(&f->d->arena, dir, name);
    struct dump_entry as = alone(&f->d->arena, path, p);
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
        const char *path = ((const char **)f->logs.items)[i], *slash = strrchr(path, '/');
        struct parts p = take_apart(slash ? slash + 1 : path);
        struct dump_entry as = alone(&f->d->arena, path, &p);
        if (p.kind != DUMP_REPORT) /* a log's name is shown whole */
            as.name = as.stem = arena_text(&f->d->arena, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
        if (file_read(&content, &file, path, &d) && content_is_text(file.text, file.size))
            dump_add_listings(f->d, &as, &file);
        arena_free(&content);
    }
}

static void look_at_file(struct finder *f, const char *dir, const char *name)
{
    struct parts p = take_apart(name);
    char start[CONTENT_START + 1];
    size_t size;
    if (p.optimized)
        add_file(f, dir, name, &p);
    else if (name_ends_with(name, target_suffix))
        add_target(f, dir, name);
    else if (name_ends_with(name, ".xplane.pb"))
        add_profile(f, dir, name, &p);
    else if (p.numbered)
        count_other(f, name);
    else if (p.kind == DUMP_HLO_TEXT) { /* any text at all */
        const char *path = join(&f->scratch, dir, name);
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
        if (take_apart(name).optimized)
            dump_warn(&f->d->arena, &f->d->warnings, "%s: cannot be followed: %s",
                      join(&f->scratch, dir, name), strerror(errno));
    } else if (S_ISREG(st.st_mode))
        look_at_file(f, dir, name);
    else if (S_ISDIR(st.st_mode))
        *(const char **)list_add(&f->scratch, &f->todo, sizeof(char *)) =
            join(&f->d->arena, dir, name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
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

/* The names in a directory, sorted, so that what is found does not depend on the disk. */
static bool names_in(struct arena *a, DIR *dir, struct list *names)
{
    errno = 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            *(const char **)list_add(a, names, sizeof(char *)) =
                arena_text(a, e->d_name, strlen(e->d_name));
    int error = errno;
    if (names->n)
        qsort(names->items, names->n, sizeof(char *), by_text);
    errno = error;
    return error == 0;
}

static bool search(struct finder *f, const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    struct list names = {0};
    bool ok = !first_visit(f, dirfd(dir)) || names_in(&f->scratch, dir, &names);
    int error = errno;
    for (uint32_t i = 0; i < names.n; i++)
        look_at(f, path, dirfd(dir), ((const char **)names.items)[i]);
    closedir(dir);
    errno = error;
    return ok;
}

/* ---- A whole tree ---- */

static uint64_t module_number(const char *stem)
{
    return number_prefix(stem) ? strtoull(stem + timestamp_prefix(stem) + 7, NULL, 10) : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = strcmp(x->entry.dir, y->entry.dir);
    uint64_t nx = module_number(x->entry.stem), ny = module_number(y->entry.stem);
    if (!order)
        order = nx < ny ? -1 : nx > ny;
    return order ? order : strcmp(x->full, y->full);
}

static const char *find_target(const struct finder *f, const struct dump_entry *e)
{
    if (e->platform != PLATFORM_GPU && e->platform != PLATFORM_UNKNOWN)
        return NULL;
    struct arena scratch = {0};
    const char *key = join(&scratch, e->dir, arena_printf(&scratch, "%s.", e->stem));
    uint32_t i = strmap_find(&f->target_of, key, strlen(key));
    if (i == STRMAP_NONE)
        i = strmap_find(&f->target_of, e->dir, strlen(e->dir));
    arena_free(&scratch);
    return i == STRMAP_NONE ? NULL : ((const char **)f->targets.items)[i];
}

static bool can_be_opened(const struct dump_entry *e)
{
    return e->path[DUMP_HLO_PROTO] || e->path[DUMP_HLO_TEXT] || e->path[DUMP_ASSIGNMENT] ||
           e->path[DUMP_ASSIGNMENT_PROTO];
}

static bool same_stem(const struct found *x, const struct found *y)
{
    return strcmp(x->stem, y->stem) == 0 && strcmp(x->entry.dir, y->entry.dir) == 0;
}

/* Modules of one name in one directory (two backends dumped there) are told apart by infix. */
static void tell_apart(struct finder *f, struct found *x)
{
    size_t len = strlen(x->full) - strlen(optimized);
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
        if (!can_be_opened(&x->entry)) {
            if (x->entry.path[DUMP_REPORT])
                *(const char **)list_add(&f->scratch, &f->logs, sizeof(char *)) = x->entry.path[DUMP_REPORT];
            f->halves++;
            continue;
        }
        x->entry.path[DUMP_TARGET] = find_target(f, &x->entry);
        if ((i && same_stem(x, x - 1)) || (i + 1 < f->found.n && same_stem(x, x + 1)))
            tell_apart(f, x);
        *(struct dump_entry *)list_add(&f->d->arena, &f->d->entries, sizeof x->entry) = x->entry;
    }
}

/* Says what is missing for a dump that can be opened. */
static bool nothing_found(const struct finder *f, const char *path, struct diag *diag)
{
    bool others = f->others || f->targets.n;
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

static bool find_below(struct finder *f, const char *path, struct diag *diag)
{
    struct dump *d = f->d;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *root = arena_text(&d->arena, path, len);
    *(const char **)list_add(&f->scratch, &f->todo, sizeof(char *)) = root;
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

/* ---- One file ---- */

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The files with the same stem, in the directory that ends at path[0, base). */
static void find_siblings(struct arena *a, struct dump_entry *e, const char *path, size_t base,
                          const struct parts *p)
{
    for (size_t i = 0; i < N_RESTS; i++) {
        static const char *const packed[] = {"", ".gz", ".xz"};
        for (size_t k = 0; k < sizeof packed / sizeof *packed && !e->path[rests[i].kind]; k++) {
            const char *beside =
                arena_printf(a, "%.*s%s%s", (int)(base + p->full), path, rests[i].rest, packed[k]);
            if (strcmp(beside, path) != 0 && exists(beside))
                e->path[rests[i].kind] = beside;
        }
    }
}

static void find_target_beside(struct finder *f, struct dump_entry *e)
{
    DIR *dir = opendir(e->dir);
    struct list names = {0};
    if (!dir)
        return;
    names_in(&f->scratch, dir, &names);
    closedir(dir);
    for (uint32_t i = 0; i < names.n; i++) {
        const char *name = ((const char **)names.items)[i];
        if (name_ends_with(name, target_suffix))
            add_target(f, e->dir, name);
    }
    e->path[DUMP_TARGET] = find_target(f, e);
}

/* The kind by content, else by a name that is XLA's own.  DUMP_KINDS: some text, a log perhaps. */
static bool tell_kind(const char *path, const struct file *start, struct parts *p,
                      struct diag *diag)
{
    enum dump_kind kind = content_kind(start->text, start->size);
    bool named = p->kind != DUMP_KINDS && (p->optimized || p->kind != DUMP_HLO_TEXT);
    if (name_ends_with(path, target_suffix)) {
        diag_file(diag, path, "describes a GPU, not a program");
        return diag_hint(diag, "open the *after_optimizations* file beside it");
    }
    if (start->size == 0 || (kind == DUMP_KINDS && !named && !content_is_text(start->text, start->size)))
        return content_refuse(path, start, diag);
    if (kind != DUMP_KINDS || !named)
        p->kind = kind;
    return true;
}

/* A name of the user's own: the stem is what stands before its extension. */
static void cut_extension(const char *name, struct parts *p)
{
    size_t stem = before_last_dot(name, p->full);
    if (p->kind == DUMP_KINDS && stem)
        p->full = p->stem = stem;
}

/* Several programs or listings in one file: its content is needed whole. */
static bool find_within(struct finder *f, struct dump_entry *as, const struct file *start, bool whole,
                        struct diag *diag)
{
    struct arena content = {0};
    struct file file = *start;
    bool ok = whole || file_read(&content, &file, start->name, diag);
    as->path[DUMP_PROFILE] = file.name;
    if (ok && content_kind(file.text, file.size) == DUMP_PROFILE)
        ok = dump_add_programs(f->d, as, &file, diag);
    else if (ok && !dump_add_listings(f->d, as, &file))
        ok = content_refuse(file.name, start, diag);
    arena_free(&content);
    return ok;
}

/* `whole`: start is all of it, and it cannot be read again. */
static bool find_file(struct finder *f, const char *path, const struct file *start, bool whole,
                      struct diag *diag)
{
    struct dump *d = f->d;
    const char *slash = strrchr(path, '/');
    size_t base = slash ? (size_t)(slash - path) + 1 : 0;
    struct parts p = take_apart(path + base);
    bool log = p.kind == DUMP_KINDS || p.kind == DUMP_HLO_TEXT;
    cut_extension(path + base, &p);
    if (start->size == 0 && !whole) { /* packed, and nothing comes out: why? */
        struct file f_whole;
        if (!file_read(&f->scratch, &f_whole, path, diag))
            return false;
    }
    if (!tell_kind(path, start, &p, diag))
        return false;
    struct dump_entry e = alone(&d->arena, path, &p);
    if (p.kind == DUMP_KINDS && log)
        e.name = e.stem = arena_text(&d->arena, path + base, strlen(path + base));
    if (p.kind != DUMP_KINDS && p.kind != DUMP_PROFILE) {
        e.path[p.kind] = arena_text(&d->arena, path, strlen(path));
        if (whole) {
            e.held = *start;
            e.path[p.kind] = e.held.name;
        } else {
            find_siblings(&d->arena, &e, path, base, &p);
        }
    }
    if (p.kind == DUMP_KINDS || p.kind == DUMP_PROFILE || (p.kind == DUMP_REPORT && !can_be_opened(&e)))
        return find_within(f, &e, start, whole, diag);
    struct dump_entry *to = list_add(&d->arena, &d->entries, sizeof *to);
    *to = e;
    if (!whole)
        find_target_beside(f, to);
    if (can_be_opened(to))
        return true;
    diag_file(diag, path, "the program it belongs to is missing");
    return diag_hint(diag, "put %s.hlo.pb or its -buffer-assignment.txt beside it",
                     arena_text(&f->scratch, path + base, p.full));
}

static bool find_input(struct finder *f, const char *path, struct diag *diag)
{
    struct file input;
    return file_read(&f->d->arena, &input, path, diag) && find_file(f, input.name, &input, true, diag);
}

bool dump_find(struct dump *d, const char *path, struct diag *diag)
{
    struct finder f = {.d = d};
    struct file start = {.name = path};
    char text[CONTENT_START + 1];
    struct stat st;
    bool ok;
    *d = (struct dump){0};
    if (strcmp(path, "-") == 0)
        ok = find_input(&f, path, diag);
    else if (stat(path, &st) != 0)
        ok = diag_file(diag, path, "cannot open: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        ok = find_below(&f, path, diag);
    else if (!S_ISREG(st.st_mode))
        ok = find_input(&f, path, diag);
    else if (!content_start(path, text, &start.size))
        ok = diag_file(diag, path, "cannot read: %s", strerror(errno));
    else {
        start.text = text;
        ok = find_file(&f, path, &start, false, diag);
    }
    arena_free(&f.scratch);
    if (!ok)
        dump_free(d);
    return ok;
}

void dump_free(struct dump *d)
{
    arena_free(&d->arena);
    *d = (struct dump){0};
}
