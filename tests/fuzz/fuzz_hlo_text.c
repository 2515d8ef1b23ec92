#include "core/load/text/hlo_text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct module m = {.name = "fuzz", .file = f.name, .platform = PLATFORM_TPU};
    struct diag d;
    hlo_init(&m.hlo, &m.arena, f.name);
    if (hlo_text_read(&m.hlo, &f, &d)) {
        m.has_hlo = true;
        fuzz_program(&m);
    }
    free((char *)f.text);
    arena_free(&m.arena);
    return 0;
}
