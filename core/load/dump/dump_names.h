/* Names: those of a dump's files taken apart (dump.h says how they are made), and those in a directory.
 * Private to load/dump/. */
#ifndef CORE_LOAD_DUMP_DUMP_NAMES_H
#define CORE_LOAD_DUMP_DUMP_NAMES_H

#include "core/load/dump/dump.h"

#include <dirent.h>

#define DUMP_OPTIMIZED "after_optimizations"
#define DUMP_TARGET_SUFFIX "gpu_target_config.pbtxt"

/* Lengths count from the name's start. */
struct dump_parts {
    enum dump_kind kind; /* DUMP_KINDS: no known rest */
    enum platform platform;
    bool optimized; /* "…after_optimizations<rest>" */
    bool numbered;  /* "module_NNNN.…" */
    size_t full;    /* up to the rest */
    size_t stem;    /* "module_0001.jit_step", without the infix */
    size_t name;    /* where NAME starts */
};

struct dump_parts dump_parts_of(const char *name);

/* "-live-range.txt": what stands behind the stem of such a file; NULL: that is not fixed. */
const char *dump_rest(enum dump_kind kind);

/* Does a name end so, the suffix of a packed file left out? */
bool dump_name_ends(const char *name, const char *end);

/* Cuts text[0, len) before its last '.', or to nothing. */
size_t dump_before_dot(const char *text, size_t len);

/* NNNN of "module_NNNN.NAME", or 0. */
uint64_t dump_number(const char *stem);

/* "DIR/NAME" */
const char *dump_join(struct arena *a, const char *dir, const char *name);

/* The name at the end of a path, within it. */
const char *dump_base(const char *path);

/* What stands before the base of a path: "." where nothing does. */
const char *dump_dir_of(struct arena *a, const char *path);

/* The entry that a file belongs to, without any path in it yet; `dir` must outlive it. */
struct dump_entry dump_entry_of(struct arena *a, const char *dir, const char *name, const struct dump_parts *p);

/* Is there enough in an entry's files to open it? */
static inline bool dump_opens(const struct dump_entry *e)
{
    return e->path[DUMP_HLO_PROTO] || e->path[DUMP_HLO_TEXT] || e->path[DUMP_ASSIGNMENT] ||
           e->path[DUMP_ASSIGNMENT_PROTO];
}

/* The names in a directory but for "." and "..", sorted, so that what is found does not depend on the
 * disk: const char *.  False, with errno, when not all could be read. */
bool dump_names_in(struct arena *a, DIR *dir, struct list *names);

static inline void dump_add_path(struct arena *a, struct list *paths, const char *path)
{
    *(const char **)list_add(a, paths, sizeof path) = path;
}

#endif
