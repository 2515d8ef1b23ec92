#include "core/output/report/run_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/program_sample.h"

/* A trace of whatever it says, laid over a program of nested loops. */
static void lay(const struct measured *m, const struct program *p, const struct timeline *t)
{
    struct arena a = {0};
    struct overlay o;
    struct list lines = {0};
    bool exact;
    if (m->program_steps != p->steps)
        return;
    overlay_build(&o, m, t);
    struct moment with = timeline_moment(t, t->moments / 2);
    for (uint64_t at = 0; at < t->moments; at += t->moments / 7 + 1) {
        overlay_at(&o, at, &exact);
        overlay_range(&o, at, t->moments - 1);
        overlay_steps(&o, (uint32_t)(at % p->steps), p->steps, &with);
    }
    run_table(&o, &a, &lines);
    overlay_free(&o);
    arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sample s;
    static struct timeline t;
    struct file f = fuzz_file(data, size);
    struct arena a = {0};
    struct list modules;
    struct diag d;
    if (!t.p) {
        sample_make(&s, SAMPLE_NESTED);
        timeline_build(&t, &s.program);
    }
    if (measured_read(&a, &f, &modules, &d))
        for (uint32_t k = 0; k < modules.n; k++) {
            const struct measured *m = (const struct measured *)modules.items + k;
            measured_fits(m, &s.program, "fuzz", &d);
            lay(m, &s.program, &t);
        }
    free((char *)f.text);
    arena_free(&a);
    return 0;
}
