/* Programs in a profile: an XSpace, as jax.profiler writes it to *.xplane.pb.
 *
 * Its plane "/host:metadata" has one event metadata for each program that ran, and among its stats
 * one whose metadata is named "hlo_proto" ("Hlo Proto" in older ones): the bytes of an HloProto.
 * Everything else of a profile is skipped on the wire, O(size).  Numbers: tsl/profiler/protobuf/
 * xplane.proto: XSpace 1 planes, 4 hostnames; XPlane 2 name, 4 event_metadata and 5 stat_metadata
 * (maps: 2 value); XEventMetadata 2 name, 5 stats; XStatMetadata 1 id, 2 name; XStat 1 metadata_id,
 * 6 bytes_value. */
#ifndef CORE_LOAD_PROTO_XPLANE_H
#define CORE_LOAD_PROTO_XPLANE_H

#include "core/load/proto/wire.h"
#include "core/model/assignment.h"

struct xplane_program {
    const char *name;  /* "jit_step(17)": XLA's program id in brackets */
    struct wire proto; /* the HloProto's bytes in the file */
};

struct xplane {
    enum platform platform; /* which device has planes; PLATFORM_UNKNOWN: none */
    struct list programs;   /* struct xplane_program, each name and content once */
};

/* The programs point into f->text.  False when it is malformed. */
bool xplane_read(struct arena *a, struct xplane *x, const struct file *f, struct diag *d);

/* Does this content look like an XSpace?  (It starts with a plane that has a name.) */
bool xplane_is(const char *data, size_t size);

#endif
