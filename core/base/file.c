#include "core/base/file.h"
#include "core/base/unpack.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads to the end into one growing buffer; a regular file gets its size at once.  What has no size, or
 * grows meanwhile, may never end. */
static bool read_all(struct arena *a, struct file *f, int fd, size_t expect, struct diag *d)
{
    size_t cap = expect + 1, used = 0;
    char *at = arena_get(a, cap);
    for (;;) {
        if (used + 1 >= cap) {
            size_t more = cap < 65536 ? 65536 : cap * 2;
            char *bigger = arena_get(a, more);
            memcpy(bigger, at, used);
            at = bigger;
            cap = more;
        }
        ssize_t n = read(fd, at + used, cap - used - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return diag_file(d, f->name, "cannot read: %s", strerror(errno));
        if (n == 0)
            break;
        used += (size_t)n;
        if (used > FILE_STREAM_MOST && used > expect) {
            diag_file(d, f->name, "has no end within 1 GiB");
            return diag_hint(d, "save it in a file first");
        }
    }
    at[used] = '\0';
    f->text = at;
    f->size = used;
    return true;
}

/* Bytes of memory in this machine; where it does not tell, all. */
static uint64_t memory_here(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : UINT64_MAX;
}

bool file_read_raw(struct arena *a, struct file *f, const char *name, struct diag *d)
{
    bool standard = strcmp(name, "-") == 0;
    *f = (struct file){.name = standard ? "<stdin>" : arena_text(a, name, strlen(name))};
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return diag_file(d, f->name, "cannot open: %s", strerror(errno));
    struct stat st;
    bool ok = false;
    if (fstat(fd, &st) != 0)
        diag_file(d, f->name, "cannot read: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        diag_file(d, f->name, "is a directory, not a file");
    else if (!standard && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
        diag_file(d, f->name, "is not a regular file");
    else if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size >= memory_here()) {
        char size[24], most[24];
        diag_file(d, f->name, "has %s, and this machine's memory %s", bytes_text((uint64_t)st.st_size, size),
                  bytes_text(memory_here(), most));
    } else {
        /* Opened so, a pipe nobody writes to does not hang; nor, read so, does a file of the kernel. */
        if (!standard && S_ISFIFO(st.st_mode))
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        size_t expect = S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size + 1 : 0;
        ok = read_all(a, f, fd, expect, d);
    }
    if (!standard)
        close(fd);
    return ok;
}

bool file_read(struct arena *a, struct file *f, const char *name, struct diag *d)
{
    return file_read_raw(a, f, name, d) && unpack_file(a, f, d);
}

const char *bytes_text(uint64_t bytes, char out[24])
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
    /* 1023.996 MiB would print as 1024.00: it goes to the next unit. */
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = (double)bytes / (double)(1ull << units[i].shift);
        if (value >= 0.999995) {
            snprintf(out, 24, "%.2f %s", value, units[i].unit);
            return out;
        }
    }
    snprintf(out, 24, "%llu B", (unsigned long long)bytes);
    return out;
}

bool bytes_parse(const char *text, uint64_t *bytes)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    double value = strtod(text, &end);
    if (strspn(text, "0123456789.") != (size_t)(end - text)) /* strtod also knows 0x10 and 1e3 */
        return false;
    uint64_t whole = strtoull(text, NULL, 10);
    bool plain = strspn(text, "0123456789") == (size_t)(end - text);
    while (*end == ' ')
        end++;
    static const char units[] = "kmgt";
    unsigned shift = 0;
    const char *at = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    if (at) {
        shift = 10 * (unsigned)(at - units + 1);
        end++;
        if (tolower((unsigned char)*end) == 'i')
            end++;
    }
    if (tolower((unsigned char)*end) == 'b')
        end++;
    if (*end || errno == ERANGE)
        return false;
    if (plain) {
        *bytes = whole;
        return shift == 0 || !__builtin_mul_overflow(whole, 1ull << shift, bytes);
    }
    value *= (double)(1ull << shift);
    if (!(value < 18446744073709551616.0))
        return false;
    *bytes = (uint64_t)value;
    return true;
}

/* ---- Folders ---- */

bool file_make_folders(const char *path)
{
    char part[4096];
    if (strlen(path) >= sizeof part)
        return errno = ENAMETOOLONG, false;
    strcpy(part, path);
    for (char *at = part + 1;; at++) {
        char end = *at;
        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return false;
        *at = end;
        if (!end)
            return true;
    }
}
