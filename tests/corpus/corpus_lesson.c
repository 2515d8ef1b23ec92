/* corpus_lesson DIR: the remedies of the example need what their compiler said, and the peak adds up to
 * it, role by role.  DIR/remedies/NAME-sSEQLEN.  Exit 1 on any difference, 2 when a dump is missing. */
#include "core/analysis/program/roles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GIB (1ull << 30)
#define SMALL 0.15 /* GiB: values that hang on one dimension of the model only */

/* GiB of output + temp. */
static const struct row {
    const char *name;
    struct {
        int seqlen;
        double gib;
    } at[6];
    double above; /* GiB that are reserved but not alive at the peak: padding between and around */
} rows[] = {
    {"rolled", {{2, 16}, {3, 20}, {4, 24}, {5, 28}, {8, 40}, {16, 72}}, 0},
    {"unrolled", {{2, 8}, {3, 12}, {4, 16}, {8, 32}, {16, 60}}, 0},
    {"unroll2", {{5, 44}, {8, 44}}, 0},
    {"ck_nothing", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"ck_everything", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"ck_dots", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"ck_dots_nb", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"ck_names", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"unroll_ck", {{2, 8}, {4, 16}, {8, 32}}, 0},
    {"py_ck", {{2, 8}, {4, 16}, {8, 32}}, 0},
    {"whole_ck", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"split_transpose", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"fori", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"rolled-nodonate", {{2, 16}, {4, 24}, {8, 40}}, 0},
    {"unrolled-nodonate", {{2, 4}, {4, 12}, {8, 28}}, 0},
    {"peel_first", {{2, 8}, {4, 24}, {8, 40}}, 0},
    {"peel_last", {{2, 8}, {4, 20}, {8, 36}}, 0},
    {"rowsum", {{2, 12}, {4, 20}, {8, 36}}, 0},
    {"unrolled_rowsum", {{2, 4}, {4, 4}, {8, 4}}, 0},
    {"cvjp_step", {{2, 12}, {4, 20}, {8, 36}}, 0},
    {"peel_last_rowsum", {{2, 4}, {4, 16}, {8, 32}, {16, 64}}, 0},
    {"unrolled_cvjp", {{4, 16}, {8, 32}}, 0},
    {"cvjp_bf16", {{2, 8}, {4, 12}, {8, 20}}, 0},
    {"bf16_model", {{4, 16}, {8, 24}}, 4}, /* its parameter and result in two places */
    {"offload", {{2, 8}, {4, 8}, {8, 8}}, 0},
    {"scale_use", {{2, 20}, {4, 28}, {8, 44}}, 0},
    {"scale_use_ck", {{2, 12}, {4, 12}, {8, 12}}, 0},
    {"scale_out", {{2, 8}, {4, 8}, {8, 8}, {64, 8}}, 0},
    {"cvjp_scalars", {{2, 8}, {4, 8}, {8, 8}, {64, 8}}, 0},
    {"scale_hoist", {{2, 4}, {4, 4}, {8, 4}, {64, 4}}, 0},
    {"nested", {{4, 24}, {8, 32}, {16, 40}, {64, 72}}, 0},
    {"nested3", {{64, 56}}, 0},
    {"nested_unroll", {{16, 28}, {64, 60}}, 0},
    {"nested_cvjp_bf16", {{64, 56}}, 0},
    {"nested_rowsum", {{16, 40}, {64, 72}}, 0},
};

static double gib(uint64_t bytes)
{
    return (double)bytes / (double)GIB;
}

static bool near(double a, double b)
{
    return fabs(a - b) < SMALL;
}

/* What may not be overwritten is alive too, but neither output nor temp. */
static bool is_as_told(const struct program *p, double want, double above, const char *path)
{
    buf_id *ids = malloc((p->n + 1) * sizeof *ids);
    uint64_t *own = malloc((p->n + 1) * sizeof *own), sum = 0, kept = 0;
    uint32_t n = program_alive(p, p->peak, ids, own);
    for (uint32_t k = 0; k < n; k++)
        if (p->main[ids[k]]) {
            sum += own[k];
            kept += p->role[ids[k]] == ROLE_PARAMETER ? own[k] : 0;
        }
    free(ids);
    free(own);
    double planned = gib(p->totals.output + p->totals.temp), alive = gib(sum - kept);
    bool ok = near(planned, want) && near(alive, want - above) && sum == p->live[p->peak];
    if (!ok)
        printf("%s: output + temp %.3f GiB, alive %.3f besides parameters; told %.0f\n", path, planned,
               alive, want);
    return ok;
}

static bool check(const char *path, double want, double above, bool *found)
{
    struct dump dump;
    struct module m;
    struct program p;
    struct diag d;
    bool ok = false;
    *found = dump_find(&dump, path, &d);
    if (!*found)
        return false;
    if (dump_load(&dump, 0, FORM_ANY, &m, &d)) {
        if (program_build(&p, &m, &d)) {
            ok = is_as_told(&p, want, above, path);
            program_free(&p);
        }
        module_free(&m);
    }
    dump_free(&dump);
    return ok;
}

int main(int argc, char **argv)
{
    unsigned n = 0, right = 0, missing = 0;
    char path[2000];
    if (argc != 2)
        return 2;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t j = 0; j < 6 && rows[k].at[j].seqlen; j++, n++) {
            bool found;
            snprintf(path, sizeof path, "%s/remedies/%s-s%d", argv[1], rows[k].name, rows[k].at[j].seqlen);
            right += check(path, rows[k].at[j].gib, rows[k].above, &found);
            if (!found)
                printf("%s: no such dump\n", path);
            missing += !found;
        }
    printf("remedies: %u of %u need what the lesson says, and are made of it\n", right, n);
    return missing ? 2 : right < n;
}
