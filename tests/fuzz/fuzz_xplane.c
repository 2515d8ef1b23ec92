#include "core/load/proto/hlo_proto.h"
#include "core/load/proto/xplane.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct arena a = {0};
    struct xplane x;
    struct diag d;
    xplane_is(f.text, f.size);
    if (xplane_read(&a, &x, &f, &d))
        for (uint32_t k = 0; k < x.programs.n && k < 4; k++) {
            const struct xplane_program *p = (const struct xplane_program *)x.programs.items + k;
            struct file part = fuzz_file(p->proto.at, wire_left(&p->proto));
            struct module m = {.name = p->name, .file = part.name, .platform = x.platform};
            hlo_init(&m.hlo, &m.arena, part.name);
            m.assignment.arena = &m.arena;
            hlo_proto_read(&m.hlo, &m.assignment, &m.has_assignment, &part, &d);
            free((char *)part.text);
            arena_free(&m.arena);
        }
    free((char *)f.text);
    arena_free(&a);
    return 0;
}
