/* The reader of HloModuleProto in its parts: hlo_proto.c reads the module and its computations,
 * hlo_proto_inst.c an instruction.  Private to load/proto/. */
#ifndef CORE_LOAD_PROTO_HLO_PROTO_BUILD_H
#define CORE_LOAD_PROTO_HLO_PROTO_BUILD_H

#include "core/base/strmap.h"
#include "core/load/proto/wire.h"
#include "core/model/hlo.h"

struct hlo_proto {
    struct hlo *h;
    struct arena scratch;     /* one message at a time */
    struct idmap insts, comps; /* XLA's ids -> ours */
    unsigned dots, compares, old_dots, old_compares; /* see enum hlo_age */
    struct diag *d;
};

/* "FILE:@BYTE: …", where the slice begins, with the hint to dump it again; always false. */
bool hlo_proto_fail(const struct hlo_proto *r, const struct wire *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the instruction in `slice` to the computation that was begun last.  r->scratch is the caller's
 * to reset. */
bool hlo_proto_inst(struct hlo_proto *r, const struct wire *slice);
/* When the program was compiled, by the instructions that were read. */
enum hlo_age hlo_proto_age(const struct hlo_proto *r);

#endif
