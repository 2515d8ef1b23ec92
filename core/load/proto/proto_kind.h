/* Which message some bytes are, by how they start.  A guess: whatever is taken for one is read with all
 * checks.  Only the first bytes of a file need be there. */
#ifndef CORE_LOAD_PROTO_PROTO_KIND_H
#define CORE_LOAD_PROTO_PROTO_KIND_H

#include <stdbool.h>
#include <stddef.h>

/* An HloProto?  (Its first field is a module, whose first is a name.) */
bool hlo_proto_is(const char *data, size_t size);
/* An HloModuleProto?  (Its name, then the name of its entry computation or a computation.) */
bool module_proto_is(const char *data, size_t size);
/* A BufferAssignmentProto?  (It starts with logical buffers, whose first fields are numbers.) */
bool assignment_proto_is(const char *data, size_t size);

#endif
