#include "core/load/text/assignment_text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct module m = {.name = "fuzz", .file = f.name};
    struct diag d;
    m.assignment.arena = &m.arena;
    if (assignment_text_read(&m.assignment, &f, &d) && assignment_check(&m.assignment, &d)) {
        m.has_assignment = true;
        fuzz_program(&m);
    }
    free((char *)f.text);
    arena_free(&m.arena);
    return 0;
}
