#include "core/load/proto/hlo_proto.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct module m = {.name = "fuzz", .file = f.name, .platform = PLATFORM_GPU};
    struct diag d;
    hlo_init(&m.hlo, &m.arena, f.name);
    m.assignment.arena = &m.arena;
    if (hlo_proto_read(&m.hlo, &m.assignment, &m.has_assignment, &f, &d)) {
        m.has_hlo = true;
        if (m.has_assignment && !assignment_check(&m.assignment, &d))
            m.has_assignment = false;
        fuzz_program(&m);
    }
    free((char *)f.text);
    arena_free(&m.arena);
    return 0;
}
