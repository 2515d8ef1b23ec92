/* corpus_hints DIR: what is said of the example's remedies, DIR/SET/CASE.
 *
 * Each remedy was compiled, so what each of them saves is known: what led to it must be said of the
 * program it came from and must be gone in the one that has it.  Exit 1 on any difference, 2 when a
 * row of the table meets no dump. */
#include "core/analysis/explain/hints.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases whose name begins with `start` and goes on with a number, or is it where `whole`. */
static const struct row {
    const char *set, *start;
    bool whole;
    const char *said, *silent;
} rows[] = {
#define ROLLED "residual-is-carry carry-is-scaled cotangent-carry last-carry-unused residual-f32 "
#define NONE_OF "residual-computed residual-from-invariant constant-stacked donation-refused "
    {"remedies", "rolled-s", false, ROLLED "slice-copied row-sum-as-dot", NONE_OF "not-donated"},
    {"remedies", "fori-s", false, ROLLED "slice-copied", NONE_OF},
    {"remedies", "split_transpose-s", false, ROLLED "slice-copied", NONE_OF},
    {"remedies", "whole_ck-s", false, ROLLED "slice-copied", NONE_OF},
    {"remedies", "ck_nothing-s", false, ROLLED, NONE_OF},
    {"remedies", "ck_everything-s", false, ROLLED, NONE_OF},
    {"remedies", "ck_dots-s", false, ROLLED, NONE_OF},
    {"remedies", "ck_dots_nb-s", false, ROLLED, NONE_OF},
    {"remedies", "ck_names-s", false, ROLLED, NONE_OF},
    {"remedies", "rolled-nodonate-s", false, ROLLED "not-donated", NONE_OF},
    /* There the result's place holds a residual: donation saves nothing. */
    {"remedies", "unrolled-nodonate-s", false, "row-sum-as-dot", NONE_OF "not-donated residual-is-carry"},
    {"remedies", "unrolled-s", false, "row-sum-as-dot",
     NONE_OF "residual-is-carry cotangent-carry slice-copied last-carry-unused"},
    {"remedies", "unrolled-s16", true, "rematerialised", ""},
    {"remedies", "unrolled_rowsum-s", false, "", "row-sum-as-dot residual-is-carry cotangent-carry"},
    {"remedies", "rowsum-s", false, ROLLED, NONE_OF "slice-copied row-sum-as-dot"},
    {"remedies", "cvjp_step-s", false, ROLLED, NONE_OF "slice-copied row-sum-as-dot"},
    {"remedies", "cvjp_bf16-s", false, "cotangent-carry",
     NONE_OF "residual-f32 residual-is-carry slice-copied"},
    {"remedies", "bf16_model-s", false, "residual-is-carry carry-is-scaled", NONE_OF "residual-f32"},
    {"remedies", "cvjp_scalars-s", false, "cotangent-carry", NONE_OF "residual-is-carry residual-f32"},
    {"remedies", "peel_last-s", false, "row-sum-as-dot", NONE_OF "last-carry-unused cotangent-carry"},
    {"remedies", "peel_last-s8", true, "residual-is-carry carry-is-scaled slice-copied", ""},
    {"remedies", "last_no_update-s8", true, "residual-is-carry", "last-carry-unused cotangent-carry"},
    {"remedies", "peel_last_rowsum-s", false, "",
     NONE_OF "last-carry-unused slice-copied row-sum-as-dot cotangent-carry"},
    {"remedies", "peel_first-s8", true, ROLLED "slice-copied", NONE_OF},
    {"remedies", "scale_use-s", false, "residual-computed residual-from-invariant cotangent-carry",
     "residual-is-carry carry-is-scaled last-carry-unused"},
    {"remedies", "scale_use_ck-s", false, "cotangent-carry",
     NONE_OF "residual-is-carry residual-f32 carry-is-scaled"},
    {"remedies", "scale_out-s", false, "cotangent-carry", NONE_OF "residual-is-carry residual-f32 slice-copied"},
    {"remedies", "scale_hoist-s", false, "", NONE_OF "residual-is-carry cotangent-carry residual-f32 row-sum-as-dot"},
    {"remedies", "offload-s", false, "cotangent-carry", NONE_OF "residual-is-carry residual-f32 slice-copied"},
    {"remedies", "unroll2-s8", true, "residual-is-carry unroll-stores-slices slice-copied",
     NONE_OF "remainder-copies-stack last-carry-unused"},
    {"remedies", "unroll2-s5", true, "residual-is-carry remainder-copies-stack unroll-stores-slices",
     NONE_OF "last-carry-unused peeled-to-no-loop"},
    {"remedies", "nested-s16", true, "residual-is-carry", NONE_OF "slice-copied"},
    {"remedies", "nested_unroll-s", false, "", NONE_OF "row-sum-as-dot residual-is-carry"},
    {"remedies", "py_ck-s", false, "", NONE_OF "row-sum-as-dot"},
    {"seed-a100", "s4-u3", true, "peeled-to-no-loop", NONE_OF "residual-is-carry remainder-copies-stack"},
    {"seed-a100", "s3-u2", true, "peeled-to-no-loop", NONE_OF "residual-is-carry"},
    {"seed-a100", "s6-u4", true, "peeled-to-no-loop", NONE_OF "residual-is-carry"},
    {"seed-a100", "s8-u3", true, "remainder-copies-stack", NONE_OF "peeled-to-no-loop"},
    {"seed-a100", "s16-u3", true, "remainder-copies-stack rematerialised", NONE_OF "peeled-to-no-loop"},
    {"seed-a100", "s4-u1", true, ROLLED "slice-copied", NONE_OF "peeled-to-no-loop"},
    {"seed-a100-0.5.0", "s4-u1", true, ROLLED, NONE_OF},
    {"seed-tpu-v5e", "s8-u1", true, ROLLED, NONE_OF "slice-copied"},
    {"seed-tpu-v5e", "s8-uTrue", true, "", "row-sum-as-dot residual-is-carry"},
    {"seed-cpu", "d1048576-s4-u1", true, ROLLED, NONE_OF},
    {"models", "a100-lstm_scan_128", true, "residual-computed residual-is-carry", "carry-is-scaled constant-stacked"},
    {"models", "a100-tlm24_scan", false, "", "carry-is-scaled slice-copied row-sum-as-dot not-donated"},
    {"models", "a100-tlm4_scan", true, "residual-computed", "residual-is-carry"},
    {"models", "a100-tlm4_scan_remat", true, "residual-is-carry", "residual-computed"},
    {"models", "cpu-tlm24_scan_remat", true, "residual-is-carry", "residual-computed"},
    {"models", "tpu-tlm24_scan_remat", true, "residual-is-carry", "residual-computed"},
    {"models", "a100-grad_accum_scan", true, "", NONE_OF "residual-is-carry cotangent-carry"},
    {"models", "a100-decode_kv_loop", true, "", NONE_OF "residual-is-carry slice-copied constant-stacked"},
    {"models", "tpu-embedding_adagrad_scatter", true, "tile-padding", ""},
    {"models", "a100-resnet50", true, "", NONE_OF "row-sum-as-dot not-donated"},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct counts {
    unsigned dumps, asked, wrong, met[ROWS];
};

static bool is_said(const struct hints *h, const char *id, size_t len)
{
    for (uint32_t k = 0; k < h->n; k++)
        if (strlen(h->items[k].id) == len && strncmp(h->items[k].id, id, len) == 0)
            return true;
    return false;
}

static void check_ids(struct counts *c, const struct hints *h, const char *path, const char *ids, bool wanted)
{
    for (const char *id = ids; *id; id += strspn(id, " ")) {
        size_t len = strcspn(id, " ");
        c->asked++;
        if (is_said(h, id, len) != wanted) {
            c->wrong++;
            printf("%s: %.*s %s\n", path, (int)len, id, wanted ? "is not said" : "is said");
        }
        id += len;
    }
}

static bool is_of(const struct row *r, const char *set, const char *name)
{
    size_t n = strlen(r->start);
    if (strcmp(r->set, set) != 0 || strncmp(r->start, name, n) != 0)
        return false;
    return r->whole ? name[n] == '\0' : true;
}

static void check_case(struct counts *c, const char *set, const char *name, const char *path)
{
    struct dump dump;
    struct module m;
    struct program p;
    struct hints h;
    struct diag d;
    bool asked = false;
    for (int k = 0; k < ROWS; k++)
        asked |= is_of(&rows[k], set, name);
    if (!asked || !dump_find(&dump, path, &d))
        return;
    if (dump_load(&dump, 0, FORM_ANY, &m, &d)) {
        if (program_build(&p, &m, &d)) {
            hints_find(&h, &p, m.device_memory);
            c->dumps++;
            for (int k = 0; k < ROWS; k++) {
                if (!is_of(&rows[k], set, name))
                    continue;
                c->met[k]++;
                check_ids(c, &h, path, rows[k].said, true);
                check_ids(c, &h, path, rows[k].silent, false);
            }
            hints_free(&h);
            program_free(&p);
        }
        module_free(&m);
    }
    dump_free(&dump);
}

int main(int argc, char **argv)
{
    struct counts c = {0};
    char set[1000], path[2000];
    if (argc != 2)
        return 2;
    for (int k = 0; k < ROWS; k++) {
        bool seen = false;
        for (int j = 0; j < k; j++)
            seen |= strcmp(rows[j].set, rows[k].set) == 0;
        snprintf(set, sizeof set, "%s/%s", argv[1], rows[k].set);
        DIR *dir = seen ? NULL : opendir(set);
        for (const struct dirent *e; dir && (e = readdir(dir));) {
            if (e->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", set, e->d_name);
            check_case(&c, rows[k].set, e->d_name, path);
        }
        if (dir)
            closedir(dir);
    }
    unsigned missing = 0;
    for (int k = 0; k < ROWS; k++)
        if (!c.met[k]) {
            missing++;
            printf("%s/%s: no such dump\n", rows[k].set, rows[k].start);
        }
    printf("hints: %u dumps, %u of %u as they must be\n", c.dumps, c.asked - c.wrong, c.asked);
    return c.wrong ? 1 : missing || !c.dumps ? 2 : 0;
}
