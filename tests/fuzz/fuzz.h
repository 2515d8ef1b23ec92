/* What the fuzz targets share.  A target is LLVMFuzzerTestOneInput(); libFuzzer drives it (make
 * fuzz-NAME), and replay.c runs seeds and old finds through it in make check. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "core/analysis/verify.h"
#include "core/output/report.h"

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
    verify_program(&v, &p);
    verify_free(&v);
    program_free(&p);
}

#endif
