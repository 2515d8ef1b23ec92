#include "core/load/dump/size_up.h"
#include "core/base/unpack.h"
#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/hlo_proto.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Field numbers of BufferAllocationProto in xla/service/hlo.proto. */
enum { ALLOCATION_SIZE = 2, ALLOCATION_IS_THREAD_LOCAL = 3, ALLOCATION_COLOR = 8 };

#define FIELDS_MOST 64 /* an HloProto has three; more are not walked */
#define HEAD_BYTES 20  /* the longest tag and length */

struct sum {
    enum platform platform;
    bool known;
    uint64_t bytes;
};

static bool add(struct sum *s, uint64_t size, int32_t color, bool thread_local_)
{
    if (thread_local_ || !space_is_main(s->platform, color))
        return true;
    return size <= INT64_MAX && !__builtin_add_overflow(s->bytes, size, &s->bytes);
}

/* ---- The proto ---- */

static bool add_allocation(struct sum *s, struct wire slice)
{
    struct wire_field f;
    struct diag d;
    uint64_t size = 0, color = 0, local = 0;
    int more;
    while ((more = wire_next(&slice, &f, &d)) > 0) {
        if (f.type != WIRE_VARINT)
            continue;
        if (f.number == ALLOCATION_SIZE)
            size = f.value;
        else if (f.number == ALLOCATION_COLOR)
            color = f.value;
        else if (f.number == ALLOCATION_IS_THREAD_LOCAL)
            local = f.value;
    }
    return more == 0 && add(s, size, (int32_t)color, local != 0);
}

static bool add_assignment(struct sum *s, const struct file *content)
{
    struct wire slice = wire_file(content);
    struct wire_field f;
    struct diag d;
    int more;
    while ((more = wire_next(&slice, &f, &d)) > 0)
        if (f.number == BUFFER_ALLOCATIONS && f.type == WIRE_BYTES) {
            s->known = true;
            if (!add_allocation(s, f.bytes))
                return false;
        }
    return more == 0;
}

static bool read_at(int fd, uint64_t at, char *out, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = pread(fd, out + got, size - got, (off_t)(at + got));
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

/* The head of a top-level field of bytes: its number, and where its content lies. */
static bool read_head(int fd, uint64_t *at, uint64_t size, uint64_t *number, uint64_t *len)
{
    char text[HEAD_BYTES];
    size_t n = size - *at < sizeof text ? (size_t)(size - *at) : sizeof text;
    const struct file head = {"", text, n};
    uint64_t tag;
    if (!read_at(fd, *at, text, n))
        return false;
    struct wire w = wire_file(&head);
    if (!wire_varint(&w, &tag) || (tag & 7) != WIRE_BYTES || !wire_varint(&w, len))
        return false;
    *at += wire_offset(&w);
    *number = tag >> 3;
    return *len <= size - *at;
}

static bool sum_proto(struct sum *s, const char *path)
{
    struct arena content = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* as content_start */
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    uint64_t at = 0, size = ok ? (uint64_t)st.st_size : 0, number, len;
    for (int k = 0; ok && at < size; k++) {
        ok = k < FIELDS_MOST && read_head(fd, &at, size, &number, &len);
        if (ok && number == PROTO_ASSIGNMENT) {
            char *text = arena_get(&content, (size_t)len + 1);
            const struct file f = {path, text, (size_t)len};
            ok = read_at(fd, at, text, f.size) && add_assignment(s, &f);
        }
        if (ok)
            at += len;
    }
    if (fd >= 0)
        close(fd);
    arena_free(&content);
    return ok && s->known;
}

static bool sum_held(struct sum *s, const struct file *f)
{
    struct wire module, assignment;
    struct diag d;
    if (!hlo_proto_parts(f, &module, &assignment, &d) || !assignment.at)
        return false;
    const struct file part = {f->name, (const char *)assignment.at, wire_left(&assignment)};
    return add_assignment(s, &part) && s->known;
}

/* ---- The text ---- */

/* "allocation N: [0xADDRESS, ]size N{, ATTRIBUTE}:", see load/text/assignment_text.c. */
static bool add_line(struct sum *s, const char *line)
{
    const char *size = strstr(line, "size "), *color = strstr(line, ", color ");
    char *end;
    if (!size)
        return false;
    uint64_t bytes = strtoull(size + strlen("size "), &end, 10);
    if (end == size + strlen("size "))
        return false;
    s->known = true;
    return add(s, bytes, color ? (int32_t)strtol(color + strlen(", color "), NULL, 10) : 0,
               strstr(line, ", thread-local") != NULL);
}

static bool sum_text(struct sum *s, const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool ok = f != NULL;
    while (ok && getline(&line, &room, f) >= 0) {
        if (strncmp(line, "allocation ", 11) == 0)
            ok = add_line(s, line);
        else if (strncmp(line, "Total bytes used", 16) == 0 || strncmp(line, "Used values:", 12) == 0)
            break;
    }
    free(line);
    if (f)
        fclose(f);
    return ok && s->known;
}

/* ---- An entry ---- */

#define PACKED_RATIO 8 /* what a packed dump commonly unpacks to */

static uint64_t bytes_of(const char *path)
{
    struct stat st;
    uint64_t size = path && stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    return path && unpack_suffix(path) && size < UINT64_MAX / PACKED_RATIO ? size * PACKED_RATIO : size;
}

uint64_t size_up_files(const struct dump *d, uint32_t entry)
{
    const struct dump_entry *e = dump_entry(d, entry);
    const char *proto = e->path[DUMP_HLO_PROTO];
    if (e->held.text) /* read already, and perhaps only once */
        return e->held.size;
    return bytes_of(proto ? proto : e->path[DUMP_HLO_TEXT]) + bytes_of(e->path[DUMP_ASSIGNMENT]) +
           bytes_of(e->path[DUMP_VALUES]) + bytes_of(e->path[DUMP_RANGES]);
}

void size_up(const struct dump *d, uint32_t entry, struct size_up *s)
{
    const struct dump_entry *e = dump_entry(d, entry);
    const char *proto = e->path[DUMP_HLO_PROTO], *text = e->path[DUMP_ASSIGNMENT];
    struct sum sum = {.platform = e->platform};
    *s = (struct size_up){0};
    s->file_bytes = size_up_files(d, entry);
    if (e->listing)
        return;
    if (e->held.text) { /* in memory, and perhaps nowhere else */
        s->known = e->path[DUMP_HLO_PROTO] && sum_held(&sum, &e->held);
        s->reserved = s->known ? sum.bytes : 0;
        return;
    }
    s->known = proto && sum_proto(&sum, proto);
    if (!s->known) {
        sum = (struct sum){.platform = e->platform};
        s->known = text && sum_text(&sum, text);
    }
    s->reserved = s->known ? sum.bytes : 0;
}
