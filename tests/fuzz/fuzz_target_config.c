#include "core/load/text/target_config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct arena a = {0};
    struct target_config c = {0};
    struct diag d;
    target_config_read(&a, &c, &f, &d);
    free((char *)f.text);
    arena_free(&a);
    return 0;
}
