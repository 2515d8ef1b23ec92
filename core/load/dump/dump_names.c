#include "core/load/dump/dump_names.h"
#include "core/base/unpack.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

const char *dump_rest(enum dump_kind kind)
{
    for (size_t i = 0; i < N_RESTS; i++)
        if (rests[i].kind == kind)
            return rests[i].rest;
    return NULL;
}

bool dump_name_ends(const char *name, const char *end)
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

size_t dump_before_dot(const char *text, size_t len)
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
        size_t dot = dump_before_dot(name, len - 1);
        if (strncmp(name + dot, ".cl_", 4) != 0 ||
            dot + 4 + strspn(name + dot + 4, "0123456789") != len - 1)
            return len - 1;
        *platform = PLATFORM_TPU;
        return dot;
    }
    return dump_before_dot(name, len);
}

struct dump_parts dump_parts_of(const char *name)
{
    size_t len = strlen(name) - unpack_suffix(name);
    struct dump_parts p = {.kind = DUMP_KINDS, .full = len, .stem = len};
    for (size_t i = 0; i < N_RESTS && p.kind == DUMP_KINDS; i++)
        if (ends_with(name, len, rests[i].rest)) {
            p.kind = rests[i].kind;
            p.full = p.stem = len - strlen(rests[i].rest);
        }
    p.name = number_prefix(name);
    p.numbered = p.name > 0;
    p.optimized = p.kind != DUMP_KINDS && ends_with(name, p.full, DUMP_OPTIMIZED);
    if (p.optimized)
        p.stem = cut_infix(name, p.full - strlen(DUMP_OPTIMIZED), &p.platform);
    if (p.stem <= p.name) { /* nothing is left to be a name */
        p.stem = p.full;
        p.name = 0;
    }
    return p;
}

uint64_t dump_number(const char *stem)
{
    return number_prefix(stem) ? strtoull(stem + timestamp_prefix(stem) + 7, NULL, 10) : 0;
}

/* ---- Paths ---- */

const char *dump_join(struct arena *a, const char *dir, const char *name)
{
    const char *slash = ends_with(dir, strlen(dir), "/") ? "" : "/";
    return arena_printf(a, "%s%s%s", dir, slash, name);
}

const char *dump_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *dump_dir_of(struct arena *a, const char *path)
{
    size_t base = (size_t)(dump_base(path) - path);
    return base == 0 ? "." : arena_text(a, path, base > 1 ? base - 1 : base);
}

struct dump_entry dump_entry_of(struct arena *a, const char *dir, const char *name, const struct dump_parts *p)
{
    return (struct dump_entry){
        .stem = arena_text(a, name, p->stem),
        .name = arena_text(a, name + p->name, p->stem - p->name),
        .dir = dir,
        .platform = p->platform,
    };
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool dump_names_in(struct arena *a, DIR *dir, struct list *names)
{
    errno = 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            dump_add_path(a, names, arena_text(a, e->d_name, strlen(e->d_name)));
    int error = errno;
    if (names->n)
        qsort(names->items, names->n, sizeof(char *), by_text);
    errno = error;
    return error == 0;
}
