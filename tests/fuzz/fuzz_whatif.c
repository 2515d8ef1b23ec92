/* A program asked for in other lengths and unrollings: what is written there is rewritten and placed anew. */
#include "core/analysis/whatif/whatif.h"
#include "core/load/text/hlo_text.h"
#include "tests/fuzz/fuzz.h"

static void ask(const struct program *p, const struct whatif_ask *what)
{
    struct whatif w;
    struct diag d;
    if (whatif_build(&w, p, what, &d))
        whatif_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct module m = {.name = "fuzz", .file = f.name, .platform = PLATFORM_CPU};
    struct program p;
    struct diag d;
    hlo_init(&m.hlo, &m.arena, f.name);
    m.has_hlo = hlo_text_read(&m.hlo, &f, &d);
    if (m.has_hlo && program_build(&p, &m, &d)) {
        struct list scans = whatif_scans(&p, &m.arena);
        for (uint32_t k = 0; k < scans.n && k < 2; k++) {
            ask(&p, &(struct whatif_ask){.scan = k, .seqlen = 7});
            ask(&p, &(struct whatif_ask){.scan = k, .seqlen = 5, .unroll = 2});
        }
        program_free(&p);
    }
    free((char *)f.text);
    arena_free(&m.arena);
    return 0;
}
