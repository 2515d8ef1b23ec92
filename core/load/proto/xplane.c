#include "core/load/proto/xplane.h"
#include "core/base/strmap.h"

#include <string.h>

enum { SPACE_PLANES = 1 };
enum { PLANE_ID = 1, PLANE_NAME = 2, PLANE_EVENT_METADATA = 4, PLANE_STAT_METADATA = 5 };
enum { MAP_VALUE = 2 };
enum { EVENT_NAME = 2, EVENT_STATS = 5 };
enum { STAT_METADATA_ID = 1, STAT_METADATA_NAME = 2 };
enum { STAT_ID = 1, STAT_BYTES = 6 };

#define IDS_MOST 8 /* metadata of the wanted name in one plane; XLA writes one */

struct reader {
    struct arena *a;
    struct xplane *x;
    struct strmap seen; /* name and length of a program */
    struct diag *d;
    uint64_t ids[IDS_MOST]; /* of stats that hold an HloProto, in this plane */
    unsigned n_ids;
};

static bool is_text(const struct wire *w, const char *text)
{
    return wire_left(w) == strlen(text) && memcmp(w->at, text, strlen(text)) == 0;
}

static bool begins(const struct wire *w, const char *text)
{
    return wire_left(w) >= strlen(text) && memcmp(w->at, text, strlen(text)) == 0;
}

/* Field `number` of a message, if it has it as bytes. */
static bool find_bytes(struct wire message, uint32_t number, struct wire *out)
{
    struct wire_field f;
    struct diag d;
    while (wire_next(&message, &f, &d) > 0)
        if (f.number == number && f.type == WIRE_BYTES) {
            *out = f.bytes;
            return true;
        }
    return false;
}

static int note_stat_metadata(struct reader *r, struct wire entry)
{
    struct wire_field f;
    struct wire value, name = {0};
    uint64_t id = 0;
    int more;
    if (!find_bytes(entry, MAP_VALUE, &value))
        return 0;
    while ((more = wire_next(&value, &f, r->d)) > 0) {
        if (f.number == STAT_METADATA_ID && f.type == WIRE_VARINT)
            id = f.value;
        else if (f.number == STAT_METADATA_NAME && f.type == WIRE_BYTES)
            name = f.bytes;
    }
    bool wanted = name.at && (is_text(&name, "hlo_proto") || is_text(&name, "Hlo Proto") ||
                              is_text(&name, "HLO Proto"));
    if (wanted && r->n_ids < IDS_MOST)
        r->ids[r->n_ids++] = id;
    return more;
}

static bool is_wanted(const struct reader *r, uint64_t id)
{
    for (unsigned k = 0; k < r->n_ids; k++)
        if (r->ids[k] == id)
            return true;
    return false;
}

static void add_program(struct reader *r, const struct wire *name, struct wire proto)
{
    const char *text = name->at ? (const char *)name->at : "";
    size_t len = name->at ? wire_left(name) : 0;
    const char *key = arena_printf(r->a, "%.*s/%zu", (int)(len < 4096 ? len : 4096), text, wire_left(&proto));
    if (!strmap_put(r->a, &r->seen, key, strlen(key), 0))
        return;
    struct xplane_program *p = list_add(r->a, &r->x->programs, sizeof *p);
    p->name = arena_text(r->a, text, len);
    p->proto = proto;
}

static int read_stat(struct reader *r, struct wire stat, const struct wire *name)
{
    struct wire_field f;
    uint64_t id = 0;
    struct wire bytes = {0};
    int more;
    while ((more = wire_next(&stat, &f, r->d)) > 0) {
        if (f.number == STAT_ID && f.type == WIRE_VARINT)
            id = f.value;
        else if (f.number == STAT_BYTES && f.type == WIRE_BYTES)
            bytes = f.bytes;
    }
    if (more == 0 && bytes.at && is_wanted(r, id))
        add_program(r, name, bytes);
    return more;
}

static int read_event_metadata(struct reader *r, struct wire entry)
{
    struct wire_field f;
    struct wire value, name = {0};
    int more;
    if (!find_bytes(entry, MAP_VALUE, &value))
        return 0;
    find_bytes(value, EVENT_NAME, &name);
    while ((more = wire_next(&value, &f, r->d)) > 0)
        if (f.number == EVENT_STATS && f.type == WIRE_BYTES && read_stat(r, f.bytes, &name) < 0)
            return -1;
    return more;
}

static int each_field(struct reader *r, struct wire plane, uint32_t number,
                      int (*use)(struct reader *r, struct wire entry))
{
    struct wire_field f;
    int more;
    while ((more = wire_next(&plane, &f, r->d)) > 0)
        if (f.number == number && f.type == WIRE_BYTES && use(r, f.bytes) < 0)
            return -1;
    return more;
}

/* A device that has a plane tells what the programs ran on; a GPU's host has one too. */
static void note_platform(struct xplane *x, const struct wire *name)
{
    if (begins(name, "/device:TPU"))
        x->platform = PLATFORM_TPU;
    else if (begins(name, "/device:GPU"))
        x->platform = PLATFORM_GPU;
    else if (begins(name, "/host:CPU") && !x->platform)
        x->platform = PLATFORM_CPU;
}

static int read_plane(struct reader *r, struct wire plane)
{
    struct wire name;
    if (!find_bytes(plane, PLANE_NAME, &name))
        return 0;
    note_platform(r->x, &name);
    if (!begins(&name, "/host:metadata"))
        return 0;
    r->n_ids = 0;
    int more = each_field(r, plane, PLANE_STAT_METADATA, note_stat_metadata);
    return more < 0 ? more : each_field(r, plane, PLANE_EVENT_METADATA, read_event_metadata);
}

bool xplane_read(struct arena *a, struct xplane *x, const struct file *f, struct diag *d)
{
    struct reader r = {.a = a, .x = x, .d = d};
    *x = (struct xplane){0};
    return each_field(&r, wire_file(f), SPACE_PLANES, read_plane) == 0;
}

bool xplane_is(const char *data, size_t size)
{
    struct file f = {"", data, size};
    struct wire w = wire_file(&f);
    uint64_t tag, len, id;
    if (!wire_varint(&w, &tag) || tag != (SPACE_PLANES << 3 | WIRE_BYTES) || !wire_varint(&w, &len) ||
        len < 3 || !wire_varint(&w, &tag))
        return false;
    if (tag == (PLANE_ID << 3 | WIRE_VARINT) && (!wire_varint(&w, &id) || !wire_varint(&w, &tag)))
        return false;
    return tag == (PLANE_NAME << 3 | WIRE_BYTES) && wire_varint(&w, &len) && len > 0 && len < 4096 &&
           w.at < w.end && *w.at >= ' ' && *w.at < 0x7f;
}
