/* Every reader, given a small file of its kind that is cut short anywhere, and with any byte changed: it
 * ends, reads nothing beyond, and says why in one line; of what is cut, where.  (What contradicts itself is
 * named by its name.) */
#include "core/analysis/measured/measured.h"
#include "core/base/unpack.h"
#include "core/load/listing/listing.h"
#include "core/load/proto/assignment_proto.h"
#include "core/load/proto/hlo_proto.h"
#include "core/load/proto/proto.h"
#include "core/load/proto/xplane.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "core/load/text/minimalloc_csv.h"
#include "core/load/text/target_config.h"
#include "tests/support/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#define VARIANTS_MOST 1200 /* of a file, each way: the sanitizers are slow */

static bool read_hlo_text(const struct file *f, struct arena *a, struct diag *d)
{
    struct hlo h;
    hlo_init(&h, a, f->name);
    return hlo_text_read(&h, f, d);
}

static bool read_hlo_proto(const struct file *f, struct arena *a, struct diag *d)
{
    struct hlo h;
    struct assignment as = {.arena = a};
    bool has = false;
    hlo_init(&h, a, f->name);
    return hlo_proto_read(&h, &as, &has, f, d) && (!has || assignment_check(&as, d));
}

static bool read_assignment_text(const struct file *f, struct arena *a, struct diag *d)
{
    struct assignment as = {.arena = a};
    return assignment_text_read(&as, f, d) && assignment_check(&as, d);
}

static bool read_assignment_proto(const struct file *f, struct arena *a, struct diag *d)
{
    struct assignment as = {.arena = a};
    return assignment_proto_read(&as, wire_file(f), d) && assignment_check(&as, d);
}

static bool read_xplane(const struct file *f, struct arena *a, struct diag *d)
{
    struct xplane x;
    return xplane_read(a, &x, f, d);
}

static bool read_listing(const struct file *f, struct arena *a, struct diag *d)
{
    struct list found = {0};
    listing_read(a, &found, f);
    return found.n > 0 || diag_at(d, f->name, 1, 1, "no listing"); /* it is no error that there is none */
}

static bool read_trace(const struct file *f, struct arena *a, struct diag *d)
{
    struct list modules;
    return measured_read(a, f, &modules, d);
}

static bool read_minimalloc(const struct file *f, struct arena *a, struct diag *d)
{
    struct minimalloc m;
    return minimalloc_read(a, &m, f, d);
}

static bool read_target(const struct file *f, struct arena *a, struct diag *d)
{
    struct target_config c = {0};
    return target_config_read(a, &c, f, d);
}

static bool read_packed(const struct file *f, struct arena *a, struct diag *d)
{
    struct file unpacked = *f;
    return unpack_file(a, &unpacked, d);
}

#define CELL "fixtures/grid/a100-d1048576-s4-u1/module_0001.jit_step"
#define CELL_AFTER CELL ".sm_8.0_gpu_after_optimizations"

static const struct kind {
    const char *name, *path;
    bool (*read)(const struct file *f, struct arena *a, struct diag *d);
} kinds[] = {
    {"HLO text", "tests/fuzz/seeds/scan-pair.txt", read_hlo_text},
    {"HLO text, with a trip count", "tests/fuzz/seeds/scan-counted.txt", read_hlo_text},
    {"an HloModuleProto", "fixtures/forms/hlo_module_proto-jax0.10.2", read_hlo_proto},
    {"an HloProto", "fixtures/forms/serialized_hlo_proto-jax0.4.30", read_hlo_proto},
    {"an HloProto with its assignment", "fixtures/grid/cpu-d256-s1-ufull/module_0000.jit_step.cpu_after_optimizations.hlo.pb",
     read_hlo_proto},
    {"a buffer assignment's text", CELL_AFTER "-buffer-assignment.txt", read_assignment_text},
    {"a live range's text", CELL_AFTER "-live-range.txt", read_assignment_text},
    {"a BufferAssignmentProto", "fixtures/forms/serialized_buffer_assignment_proto-jax0.6.2", read_assignment_proto},
    {"a profile", "fixtures/forms/step-jax0.4.30.xplane.pb", read_xplane},
    {"a log of a TPU", "fixtures/forms/tpu.log", read_listing},
    {"a log of a GPU", "fixtures/forms/gpu.log", read_listing},
    {"a report", "fixtures/forms/module_0241.jit_train_step.sm_8.0_gpu_after_optimizations-memory-usage-report.txt",
     read_listing},
    {"a trace", "tests/fuzz/seeds/trace.json", read_trace},
    {"a table of rectangles", "tests/fuzz/seeds/minimalloc.csv", read_minimalloc},
    {"a description of a GPU", CELL ".gpu_target_config.pbtxt", read_target},
    {"gzip", "tests/fuzz/seeds/packed.gz", read_packed},
    {"xz", "tests/fuzz/seeds/packed.xz", read_packed},
};

/* In memory of its own size, so that a byte read beyond is seen. */
static void try(const struct kind *k, const char *text, size_t size, bool placed)
{
    char *own = malloc(size + 1), line[2048];
    struct arena a = {0};
    struct diag d = {.line = 0};
    assert_non_null(own);
    memcpy(own, text, size);
    own[size] = '\0';
    if (!k->read(&(struct file){"damaged", own, size}, &a, &d)) {
        diag_text(&d, line, sizeof line);
        assert_true(d.what[0] && !strchr(line, '\n'));
        assert_string_equal(d.file, "damaged");
        if (placed && size > 0 && !d.line && !d.in_bytes && !strstr(d.what, "no ") && !strstr(d.what, "not "))
            fail_msg("%s of %zu bytes: no place: %s", k->name, size, line);
    }
    arena_free(&a);
    free(own);
}

static size_t step_of(size_t size)
{
    return size / VARIANTS_MOST + 1;
}

static void cut_anywhere(void **state)
{
    const struct kind *k = *state;
    struct arena a = {0};
    struct file f;
    struct diag d;
    assert_true(file_read_raw(&a, &f, k->path, &d));
    for (size_t n = 0; n < f.size; n += step_of(f.size))
        try(k, f.text, n, true);
    arena_free(&a);
}

static void changed_anywhere(void **state)
{
    static const unsigned char with[] = {0x01, 0x80, 0xff, '0'};
    const struct kind *k = *state;
    struct arena a = {0};
    struct file f;
    struct diag d;
    assert_true(file_read_raw(&a, &f, k->path, &d));
    char *text = arena_text(&a, f.text, f.size);
    for (size_t n = 0; n < f.size; n += step_of(f.size)) {
        char before = text[n];
        text[n] = (char)(before ^ (char)with[n / step_of(f.size) % sizeof with]);
        try(k, text, f.size, false);
        text[n] = before;
    }
    arena_free(&a);
}

int main(void)
{
    enum { N = sizeof kinds / sizeof *kinds };
    static char names[2 * N][100];
    struct CMUnitTest tests[2 * N];
    for (int k = 0; k < N; k++) {
        snprintf(names[2 * k], sizeof *names, "%s, cut anywhere", kinds[k].name);
        snprintf(names[2 * k + 1], sizeof *names, "%s, changed anywhere", kinds[k].name);
        tests[2 * k] = (struct CMUnitTest){names[2 * k], cut_anywhere, NULL, NULL, (void *)(uintptr_t)&kinds[k]};
        tests[2 * k + 1] = (struct CMUnitTest){names[2 * k + 1], changed_anywhere, NULL, NULL, (void *)(uintptr_t)&kinds[k]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
