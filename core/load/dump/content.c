#include "core/load/dump/content.h"
#include "core/base/unpack.h"
#include "core/load/proto/proto_kind.h"
#include "core/load/proto/xplane.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PACKED_START 16384 /* bytes of a packed file that its first ones are unpacked from */

/* Up to `room` bytes; errno when fewer than 0 were read. */
static bool read_up_to(int fd, char *out, size_t room, size_t *size)
{
    ssize_t n;
    do {
        n = read(fd, out + *size, room - *size);
        *size += n > 0 ? (size_t)n : 0;
    } while (n > 0 && *size < room);
    return n >= 0;
}

bool content_start(const char *path, char start[CONTENT_START + 1], size_t *size)
{
    char raw[PACKED_START];
    size_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe took its place, or a file of the kernel waits */
    if (fd < 0)
        return false;
    bool ok = read_up_to(fd, raw, CONTENT_START, &n);
    bool packed = ok && unpack_is(raw, n);
    if (packed)
        ok = read_up_to(fd, raw, sizeof raw, &n);
    int error = errno;
    close(fd);
    errno = error;
    *size = packed ? unpack_start(raw, n, start, CONTENT_START) : n;
    if (!packed)
        memcpy(start, raw, n);
    start[*size] = '\0';
    return ok;
}

static bool starts(const char *text, size_t size, const char *with)
{
    size_t len = strlen(with);
    return size >= len && memcmp(text, with, len) == 0;
}

static enum dump_kind kind_of_text(const char *text, size_t size)
{
    size_t blank = strspn(text, "\r\n");
    const char *first = text + blank;
    if (hlo_text_is(text, size))
        return DUMP_HLO_TEXT;
    if (assignment_text_is(text, size))
        return starts(first, size - blank, "Hlo")      ? DUMP_RANGES
               : starts(first, size - blank, "Buffer") ? DUMP_ASSIGNMENT
                                                       : DUMP_VALUES;
    if (starts(first, size - blank, "Total bytes used:") || starts(first, size - blank, "Memory Space:"))
        return DUMP_REPORT;
    return DUMP_KINDS;
}

enum dump_kind content_kind(const char *text, size_t size)
{
    enum dump_kind kind = kind_of_text(text, size);
    if (kind != DUMP_KINDS)
        return kind;
    if (assignment_proto_is(text, size))
        return DUMP_ASSIGNMENT_PROTO;
    if (xplane_is(text, size))
        return DUMP_PROFILE;
    return hlo_proto_is(text, size) || module_proto_is(text, size) ? DUMP_HLO_PROTO : DUMP_KINDS;
}

bool content_is_text(const char *text, size_t size)
{
    return size > 0 && !memchr(text, '\0', size);
}

/* "ustar" stands at this byte of a tar archive. */
#define TAR_MAGIC 257

bool content_refuse(const char *path, const struct file *start, struct diag *diag)
{
    static const struct {
        const char *start, *looks, *hint;
    } kinds[] = {
        {"\x1f\x8b", "is packed twice: with gzip once more", "gunzip it first"},
        {"\xfd" "7zXZ", "is packed twice: with xz once more", "unxz it first"},
        {"\x28\xb5\x2f\xfd", "is compressed with zstd", "unzstd it first"},
        {"BZh", "is compressed with bzip2", "bunzip2 it first"},
        {"PK\x03\x04", "is a zip archive", "unpack it first"},
        {"module @", "is StableHLO, the program before it was compiled", CONTENT_HOW_TO},
        {"digraph", "is a graph for Graphviz", CONTENT_HOW_TO},
    };
    static const char wanted[] = "expected an HLO program (*after_optimizations.hlo.pb, .txt), a "
                                 "*-buffer-assignment.txt, a profile or a log with an out-of-memory listing";
    if (start->size == 0) {
        diag_file(diag, path, "is empty");
        return diag_hint(diag, "%s", wanted);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (starts(start->text, start->size, kinds[i].start)) {
            diag_file(diag, path, "%s", kinds[i].looks);
            return diag_hint(diag, "%s", kinds[i].hint);
        }
    if (start->size > TAR_MAGIC && starts(start->text + TAR_MAGIC, start->size - TAR_MAGIC, "ustar")) {
        diag_file(diag, path, "is a tar archive");
        return diag_hint(diag, "unpack it first");
    }
    bool text = content_is_text(start->text, start->size);
    diag_file(diag, path, text ? "is no file of an XLA dump, and lists no buffers: some other text"
                               : "is no file of an XLA dump: binary data");
    return diag_hint(diag, "%s", wanted);
}
