#include "core/analysis/pack/pack.h"
#include "core/load/text/minimalloc_csv.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct arena a = {0};
    struct minimalloc m;
    struct diag d;
    if (minimalloc_read(&a, &m, &f, &d)) {
        struct pack_problem p = minimalloc_problem(&m);
        struct pack_options o = {.steps = 200, .threads = 1};
        struct pack_result r;
        size_t written;
        minimalloc_write(&a, &m, NULL, &written);
        if (pack_check(&p, &d) && p.n < 200) {
            pack_solve(&a, &p, &o, &r);
            minimalloc_write(&a, &m, r.offset, &written);
        }
    }
    free((char *)f.text);
    arena_free(&a);
    return 0;
}
