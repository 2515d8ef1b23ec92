/* Runs one dump and says what came of it: for `make models`. */
#include "core/analysis/program/program.h"
#include "gpu/exec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct dump dump; struct diag d; struct module m; struct program p; struct exec_result x;
    char text[1200];
    if (argc < 2) return 2;
    struct exec_options o = {.guards = getenv("NOGUARD") ? GUARDS_OFF : GUARDS_ON, .dynamic = getenv("POOL") != NULL, .async_late = getenv("LATE") != NULL};
    if (argc > 2) o.inputs = o.expect = argv[2];
    if (!dump_find(&dump, argv[1], &d) || !dump_load(&dump, 0, FORM_ANY, &m, &d) || !program_build(&p, &m, &d)) {
        puts(diag_text(&d, text, sizeof text)); return 2;
    }
    struct run *r = exec_open(&p, &o, &d);
    if (!r) { printf("REFUSED %s\n", diag_text(&d, text, sizeof text)); return 1; }
    if (!exec_run(r, &x, &d)) { printf("FAILED %s\n", diag_text(&d, text, sizeof text)); return 1; }
    printf("ok %.3fs executed %llu checks %llu violations %llu %s overlaps %llu planned %llu touched %llu temp %llu/%llu pool %llu\n", x.seconds,
           (unsigned long long)x.executed, (unsigned long long)x.checks, (unsigned long long)x.violations, x.violation,
           (unsigned long long)x.overlaps, (unsigned long long)x.planned, (unsigned long long)x.touched,
           (unsigned long long)x.temp_touched, (unsigned long long)x.temp_planned, (unsigned long long)x.pool_high);
    for (uint32_t k = 0; k < x.n_outputs; k++)
        if (x.outputs[k].compared)
            printf("  %s %s vs %s: rel %.3g\n", x.outputs[k].name, x.outputs[k].shape, x.outputs[k].against, x.outputs[k].max_rel);
    if (getenv("OUT"))
        for (uint32_t k = 0; k < x.n_outputs; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s.%u.%.*s", getenv("OUT"), k, (int)strcspn(x.outputs[k].shape, "["), x.outputs[k].shape);
            FILE *f = fopen(path, "wb");
            if (f) { fwrite(x.outputs[k].data, 1, x.outputs[k].bytes, f); fclose(f); }
        }
    exec_close(r);
    program_free(&p); module_free(&m); dump_free(&dump);
    return 0;
}
