#include "core/base/unpack.h"
#include "core/base/memory.h"

#define ZLIB_CONST
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char gzip_magic[] = "\x1f\x8b", xz_magic[] = "\xfd" "7zXZ\0";
#define GZIP_MAGIC 2
#define XZ_MAGIC   6

#define XZ_MEMORY  (256ull << 20) /* xz -9 needs 65 MiB to unpack */
#define CHUNK_MOST (1u << 30)     /* zlib counts in unsigned int */
#define FIRST_ROOM (1u << 16)

enum state { MORE, DONE, CUT, DAMAGED };

/* One step of either library: how far it has read and written. */
struct unpacker {
    bool xz;
    z_stream gzip;
    lzma_stream lzma;
    const char *in;
    char *out;
    size_t in_left, out_left;
    const char *why; /* DAMAGED */
};

static bool is_gzip(const char *data, size_t size)
{
    return size >= GZIP_MAGIC && memcmp(data, gzip_magic, GZIP_MAGIC) == 0;
}

static bool is_xz(const char *data, size_t size)
{
    return size >= XZ_MAGIC && memcmp(data, xz_magic, XZ_MAGIC) == 0;
}

bool unpack_is(const char *data, size_t size)
{
    return is_gzip(data, size) || is_xz(data, size);
}

size_t unpack_suffix(const char *name)
{
    size_t len = strlen(name);
    if (len <= UNPACK_SUFFIX)
        return 0;
    const char *end = name + len - UNPACK_SUFFIX;
    return strcmp(end, ".gz") == 0 || strcmp(end, ".xz") == 0 ? UNPACK_SUFFIX : 0;
}

/* ---- The two libraries behind one step ---- */

static void start(struct unpacker *u, const char *data, size_t size)
{
    *u = (struct unpacker){.xz = is_xz(data, size), .in = data, .in_left = size,
                           .lzma = LZMA_STREAM_INIT};
    bool ok = u->xz ? lzma_stream_decoder(&u->lzma, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK
                    : inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK;
    if (!ok)
        memory_exhausted();
}

static void stop(struct unpacker *u)
{
    if (u->xz)
        lzma_end(&u->lzma);
    else
        inflateEnd(&u->gzip);
}

static bool only_zeros(const char *at, size_t size)
{
    while (size && !*at) {
        at++;
        size--;
    }
    return size == 0;
}

/* Another stream may follow; zeros may, too. */
static enum state after_gzip_stream(struct unpacker *u)
{
    if (only_zeros(u->in, u->in_left))
        return DONE;
    if (is_gzip(u->in, u->in_left) && inflateReset(&u->gzip) == Z_OK)
        return MORE;
    u->why = "something else than gzip follows its end";
    return DAMAGED;
}

static enum state step_gzip(struct unpacker *u)
{
    z_stream *z = &u->gzip;
    uInt in = u->in_left < CHUNK_MOST ? (uInt)u->in_left : CHUNK_MOST;
    uInt out = u->out_left < CHUNK_MOST ? (uInt)u->out_left : CHUNK_MOST;
    z->next_in = (const Bytef *)u->in;
    z->avail_in = in;
    z->next_out = (Bytef *)u->out;
    z->avail_out = out;
    int code = inflate(z, Z_NO_FLUSH);
    u->in += in - z->avail_in;
    u->in_left -= in - z->avail_in;
    u->out += out - z->avail_out;
    u->out_left -= out - z->avail_out;
    if (code == Z_STREAM_END)
        return after_gzip_stream(u);
    if (code == Z_MEM_ERROR)
        memory_exhausted();
    if (code == Z_BUF_ERROR || code == Z_OK)
        return u->in_left == 0 && z->avail_out ? CUT : MORE;
    u->why = z->msg ? z->msg : "it is damaged";
    return DAMAGED;
}

static enum state step_xz(struct unpacker *u)
{
    lzma_stream *z = &u->lzma;
    z->next_in = (const uint8_t *)u->in;
    z->avail_in = u->in_left;
    z->next_out = (uint8_t *)u->out;
    z->avail_out = u->out_left;
    lzma_ret code = lzma_code(z, LZMA_FINISH);
    u->in += u->in_left - z->avail_in;
    u->in_left = z->avail_in;
    u->out += u->out_left - z->avail_out;
    u->out_left = z->avail_out;
    if (code == LZMA_MEM_ERROR)
        memory_exhausted();
    if (code == LZMA_STREAM_END)
        return DONE;
    if (code == LZMA_OK || code == LZMA_BUF_ERROR)
        return u->in_left == 0 && u->out_left ? CUT : MORE;
    u->why = code == LZMA_MEMLIMIT_ERROR ? "unpacking it needs more than 256 MiB of memory"
             : code == LZMA_FORMAT_ERROR ? "something else than xz follows its end"
             : code == LZMA_OPTIONS_ERROR ? "it uses options that liblzma does not know"
                                          : "it is damaged";
    return DAMAGED;
}

static enum state step(struct unpacker *u)
{
    return u->xz ? step_xz(u) : step_gzip(u);
}

/* ---- A whole file ---- */

/* Room for twice as much; false at the bound. */
static bool grow(struct unpacker *u, char **text, size_t *room)
{
    size_t used = *room - u->out_left, more = *room * 2;
    if (*room > UNPACK_MOST)
        return false;
    more = more > UNPACK_MOST + 1 ? UNPACK_MOST + 1 : more;
    char *bigger = memory_grow(*text, more, 1);
    *text = bigger;
    u->out = bigger + used;
    u->out_left = more - used;
    *room = more;
    return true;
}

static bool refuse(const struct unpacker *u, const struct file *f, enum state s, struct diag *d)
{
    const char *kind = u->xz ? "xz" : "gzip";
    uint64_t at = f->size - u->in_left;
    if (s == MORE) {
        diag_byte(d, f->name, at, "it unpacks to more than 1 GiB");
        return diag_hint(d, u->xz ? "unxz it first" : "gunzip it first");
    }
    if (s == CUT) {
        diag_byte(d, f->name, at, "the %s file is cut short", kind);
        return diag_hint(d, "copy or pack it again");
    }
    diag_byte(d, f->name, at, "cannot be unpacked as %s: %s", kind, u->why);
    return diag_hint(d, "copy or pack it again");
}

bool unpack_file(struct arena *a, struct file *f, struct diag *d)
{
    if (!unpack_is(f->text, f->size))
        return true;
    struct unpacker u;
    size_t room = FIRST_ROOM;
    char *text = memory_get(room);
    start(&u, f->text, f->size);
    u.out = text;
    u.out_left = room;
    enum state s = MORE;
    while (s == MORE && (u.out_left || grow(&u, &text, &room)))
        s = step(&u);
    size_t size = room - u.out_left;
    bool ok = s == DONE && size <= UNPACK_MOST;
    if (ok) {
        f->text = arena_text(a, text, size);
        f->size = size;
    } else {
        refuse(&u, f, s == DONE ? MORE : s, d);
    }
    stop(&u);
    free(text);
    return ok;
}

size_t unpack_start(const char *data, size_t size, char *out, size_t room)
{
    struct unpacker u;
    if (!unpack_is(data, size))
        return 0;
    start(&u, data, size);
    u.out = out;
    u.out_left = room;
    while (u.out_left && step(&u) == MORE) {
    }
    stop(&u);
    return room - u.out_left;
}
