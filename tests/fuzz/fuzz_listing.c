#include "core/output/report/listing_report.h"
#include "tests/fuzz/fuzz.h"

static void fuzz_one(const struct listing *l, uint64_t limit)
{
    struct report_options o = {.top = 5, .by = BY_LINE, .has_limit = limit > 0, .limit = limit};
    const struct listing_report r = {l, "fuzz", "fuzz", PLATFORM_TPU, &o};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    listing_report_text(&r, out);
    fclose(out);
    free(text);
    cJSON_Delete(listing_report_json(&r));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct arena a = {0};
    struct list found = {0};
    listing_read(&a, &found, &f);
    for (uint32_t k = 0; k < found.n && k < 20; k++) {
        const struct listing *l = ((struct listing **)found.items)[k];
        struct listing_fit fit;
        listing_fit(&fit, l, 0, &a);
        if (fit.n_go > l->buffers.n + 1 || (fit.enough && fit.over && fit.go_bytes < fit.over))
            abort();
        fuzz_one(l, 0);
        fuzz_one(l, 1 << 20);
    }
    free((char *)f.text);
    arena_free(&a);
    return 0;
}
