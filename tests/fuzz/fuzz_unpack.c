#include "core/base/unpack.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    char *text = (char *)f.text, start[100];
    struct arena a = {0};
    struct diag d;
    size_t n = unpack_start(f.text, f.size, start, sizeof start);
    bool packed = unpack_is(f.text, f.size);
    if (n > sizeof start)
        abort();
    if (unpack_file(&a, &f, &d) && packed && (f.text[f.size] || memcmp(f.text, start, n < f.size ? n : f.size) != 0))
        abort();
    free(text);
    arena_free(&a);
    return 0;
}
