#include "core/load/dump/dump.h"
#include "core/load/dump/content.h"
#include "core/load/dump/dump_add.h"
#include "core/load/dump/dump_names.h"
#include "core/load/dump/dump_search.h"
#include "core/load/dump/dump_target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void dump_warn(struct arena *a, struct list *warnings, const char *fmt, ...)
{
    char text[2048], safe[4 * sizeof text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text_safe(text, safe, sizeof safe);
    dump_add_path(a, warnings, arena_text(a, safe, strlen(safe)));
}

/* ---- One file ---- */

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The files of the same stem in the directory of `path`, packed or not. */
static void find_siblings(struct arena *a, struct dump_entry *e, const char *path, const struct dump_parts *p)
{
    static const char *const packed[] = {"", ".gz", ".xz"};
    size_t stem = (size_t)(dump_base(path) - path) + p->full;
    for (enum dump_kind kind = 0; kind < DUMP_KINDS; kind++) {
        const char *rest = dump_rest(kind);
        for (size_t k = 0; rest && k < sizeof packed / sizeof *packed && !e->path[kind]; k++) {
            const char *beside = arena_printf(a, "%.*s%s%s", (int)stem, path, rest, packed[k]);
            if (strcmp(beside, path) != 0 && exists(beside))
                e->path[kind] = beside;
        }
    }
}

static void find_target_beside(struct dump *d, struct dump_entry *e)
{
    struct arena scratch = {0};
    struct dump_targets targets = {0};
    struct list names = {0};
    DIR *dir = opendir(e->dir);
    if (!dir || !dump_names_in(&scratch, dir, &names))
        dump_warn(&d->arena, &d->warnings, "%s: cannot be searched: %s", e->dir, strerror(errno));
    if (dir)
        closedir(dir);
    for (uint32_t i = 0; i < names.n; i++) {
        const char *name = ((const char **)names.items)[i];
        if (dump_name_ends(name, DUMP_TARGET_SUFFIX))
            dump_target_add(&targets, &scratch, &d->arena, e->dir, name);
    }
    e->path[DUMP_TARGET] = dump_target_of(&targets, e);
    arena_free(&scratch);
}

/* The kind by content, else by a name that is XLA's own.  DUMP_KINDS: some text, a log perhaps. */
static bool tell_kind(const char *path, const struct file *start, struct dump_parts *p,
                      struct diag *diag)
{
    enum dump_kind kind = content_kind(start->text, start->size);
    bool named = p->kind != DUMP_KINDS && (p->optimized || p->kind != DUMP_HLO_TEXT);
    if (dump_name_ends(path, DUMP_TARGET_SUFFIX)) {
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
static void cut_extension(const char *name, struct dump_parts *p)
{
    size_t stem = dump_before_dot(name, p->full);
    if (p->kind == DUMP_KINDS && stem)
        p->full = p->stem = stem;
}

/* Several programs or listings in one file: its content is needed whole. */
static bool find_within(struct dump *d, struct dump_entry *as, const struct file *start, bool whole,
                        struct diag *diag)
{
    struct arena content = {0};
    struct file file = *start;
    bool ok = whole || file_read(&content, &file, start->name, diag);
    as->path[DUMP_PROFILE] = file.name;
    if (ok && content_kind(file.text, file.size) == DUMP_PROFILE)
        ok = dump_add_programs(d, as, &file, diag);
    else if (ok && !dump_add_listings(d, as, &file))
        ok = content_refuse(file.name, start, diag);
    arena_free(&content);
    return ok;
}

/* False, with the reason, when the file cannot be read to its end. */
static bool can_be_read(const char *path, struct diag *diag)
{
    struct arena content = {0};
    struct file f;
    bool ok = file_read(&content, &f, path, diag);
    arena_free(&content);
    return ok;
}

/* Puts the file and its siblings into the entry; `whole` as in find_file(). */
static void fill_entry(struct dump *d, struct dump_entry *e, const struct file *start, bool whole,
                       const struct dump_parts *p)
{
    if (whole) {
        e->held = *start;
        e->path[p->kind] = e->held.name;
        return;
    }
    e->path[p->kind] = arena_text(&d->arena, start->name, strlen(start->name));
    find_siblings(&d->arena, e, start->name, p);
}

/* Finds the entries of the file start->name.  `whole`: start is all of it, and it cannot be read again. */
static bool find_file(struct dump *d, const struct file *start, bool whole, struct diag *diag)
{
    const char *path = start->name, *name = dump_base(path);
    struct dump_parts p = dump_parts_of(name);
    bool log = p.kind == DUMP_KINDS || p.kind == DUMP_HLO_TEXT;
    cut_extension(name, &p);
    if (start->size == 0 && !whole && !can_be_read(path, diag)) /* packed, and nothing comes out: why? */
        return false;
    if (!tell_kind(path, start, &p, diag))
        return false;
    struct dump_entry e = dump_entry_of(&d->arena, dump_dir_of(&d->arena, path), name, &p);
    if (p.kind == DUMP_KINDS && log)
        e.name = e.stem = arena_text(&d->arena, name, strlen(name));
    if (p.kind != DUMP_KINDS && p.kind != DUMP_PROFILE)
        fill_entry(d, &e, start, whole, &p);
    if (p.kind == DUMP_KINDS || p.kind == DUMP_PROFILE || (p.kind == DUMP_REPORT && !dump_opens(&e)))
        return find_within(d, &e, start, whole, diag);
    if (!whole)
        find_target_beside(d, &e);
    *(struct dump_entry *)list_add(&d->arena, &d->entries, sizeof e) = e;
    if (dump_opens(&e))
        return true;
    diag_file(diag, path, "the program it belongs to is missing");
    return diag_hint(diag, "put %.*s.hlo.pb or its -buffer-assignment.txt beside it", (int)p.full, name);
}

static bool find_input(struct dump *d, const char *path, struct diag *diag)
{
    struct file input;
    return file_read(&d->arena, &input, path, diag) && find_file(d, &input, true, diag);
}

bool dump_find(struct dump *d, const char *path, struct diag *diag)
{
    struct file start = {.name = path};
    char text[CONTENT_START + 1];
    struct stat st;
    bool ok;
    *d = (struct dump){0};
    if (strcmp(path, "-") == 0)
        ok = find_input(d, path, diag);
    else if (stat(path, &st) != 0)
        ok = diag_file(diag, path, "cannot open: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        ok = dump_search(d, path, diag);
    else if (!S_ISREG(st.st_mode))
        ok = find_input(d, path, diag);
    else if (!content_start(path, text, &start.size))
        ok = diag_file(diag, path, "cannot read: %s", strerror(errno));
    else {
        start.text = text;
        ok = find_file(d, &start, false, diag);
    }
    if (!ok)
        dump_free(d);
    return ok;
}

void dump_free(struct dump *d)
{
    arena_free(&d->arena);
    *d = (struct dump){0};
}
