/* What the fuzz targets share.  A target is LLVMFuzzerTestOneInput(); libFuzzer drives it (make
 * fuzz-NAME), and replay.c runs seeds and old finds through it in make check. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "core/analysis/explain/diff.h"
#include "core/analysis/explain/explain.h"
#include "core/analysis/program/timeline.h"
#include "core/analysis/place/verify.h"
#include "core/output/report/report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file of its own size, so that a read past its NUL is seen. */
static inline struct file fuzz_file(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return (struct file){"fuzz", text, size};
}

/* Both clocks at a few moments, and the pages of the first buffers. */
static inline void fuzz_pages(const struct program *p)
{
    struct arena a = {0};
    struct timeline t;
    struct diff d;
    struct page page = {0};
    timeline_build(&t, p);
    for (uint64_t at = 0, n = t.moments; at < n; at += n / 5 + 1) {
        struct moment m = timeline_moment(&t, at);
        if (timeline_at(&t, &m) != at || timeline_filled(&t, at) > timeline_reserved(&t, at))
            abort();
        timeline_range(&t, at, n - 1);
        timeline_iterate(&t, at, 1);
    }
    timeline_free(&t);
    explain_step(p, p->peak, &a, &page);
    for (buf_id b = 0; b < p->n && b < 5; b++)
        explain_buffer(p, b, &a, &page);
    explain_unshared(p, &a, &page);
    diff_make(&d, p, p);
    if (d.differs)
        abort();
    diff_free(&d);
    arena_free(&a);
}

/* Everything that is done with a module that was read. */
static inline void fuzz_program(struct module *m)
{
    struct program p;
    struct diag d;
    if (!program_build(&p, m, &d))
        return;
    struct report r;
    struct report_options o = {.top = 5, .by = BY_LINE};
    struct verify v;
    char *text = NULL;
    size_t size = 0;
    report_make(&r, &p, &o);
    FILE *out = open_memstream(&text, &size);
    report_text(&r, out);
    fclose(out);
    free(text);
    cJSON_Delete(report_json(&r));
    report_free(&r);
    fuzz_pages(&p);
    verify_program(&v, &p);
    verify_free(&v);
    program_free(&p);
}

#endif
