#include "core/load/proto/assignment_proto.h"
#include "core/load/proto/proto_kind.h"
#include "tests/fuzz/fuzz.h"

/* serialized_buffer_assignment_proto, without its program. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct module m = {.name = "fuzz", .file = f.name};
    struct diag d;
    m.assignment.arena = &m.arena;
    assignment_proto_is(f.text, f.size);
    if (assignment_proto_read(&m.assignment, wire_file(&f), &d) &&
        assignment_proto_name(&m.assignment, wire_file(&f), &d) && assignment_check(&m.assignment, &d)) {
        m.has_assignment = true;
        fuzz_program(&m);
    }
    free((char *)f.text);
    arena_free(&m.arena);
    return 0;
}
