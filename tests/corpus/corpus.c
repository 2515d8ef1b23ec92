/* corpus DIR: every dump below DIR/SET/CASE against what its compiler said.
 *
 * For each set, from the proto and from text: live ranges exact, value by value; both placements
 * sound; from the proto alone and from text alone: bytes equal to meta.json's memory_analysis().
 * From the proto the whole assignment is rerun: the kind and offset of every value, and the bytes of
 * temporaries in every memory space, all exact.  From text as many as can be, without the order in
 * which XLA holds instructions.  Of loops, what corpus_loops.h says; the same from text.  Roles of what
 * is alive at the peak add up to the peak, and of the sets named seed-* less than a tenth of the bytes is
 * scratch.
 * Explanations hold as corpus_explain.h says.  Exit 1 on any difference, 2 when there is nothing to
 * compare. */
#include "core/analysis/place/verify.h"
#include "tests/corpus/corpus_explain.h"
#include "tests/corpus/corpus_loops.h"
#include "tests/corpus/corpus_roles.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned dumps, failed;
    unsigned values[2], exact[2];  /* FORM_PROTO, FORM_TEXT */
    unsigned sums[2], equal[2];
    unsigned offsets[2], offsets_exact[2], kinds_differ;
    unsigned spaces[2], spaces_exact[2]; /* memory spaces with temporaries that were rerun */
    struct role_counts roles[PLATFORM_TPU + 1];
    unsigned unsound;                    /* overlaps and the like; a bound above what is reserved */
    struct loop_counts *loops;           /* [enum platform], of all sets */
};

static void say_verdicts(const struct verify *v, const char *path)
{
    const struct verify_verdict *d = v->verdicts.items;
    for (uint32_t k = 0; k < v->verdicts.n && k < 5 && v->agrees == AGREES_NO; k++)
        printf("%s: %s %s: dump %s, rerun %s\n", path, d[k].rule, d[k].value ? d[k].value : "",
               d[k].dump ? d[k].dump : "-", d[k].rerun ? d[k].rerun : "-");
}

static void count_places(struct counts *c, const struct verify *v, int form)
{
    const struct verify_space *s = v->spaces.items;
    const struct verify_verdict *d = v->verdicts.items;
    c->offsets[form] += v->offsets;
    c->offsets_exact[form] += v->offsets_exact;
    c->unsound += v->overlaps;
    for (uint32_t k = 0; k < v->spaces.n; k++) {
        if (!s[k].rerun_known)
            continue;
        c->unsound += !s[k].bound_known; /* above what is reserved */
        c->spaces[form]++;
        c->spaces_exact[form] += s[k].dump == s[k].rerun;
    }
    for (uint32_t k = 0; k < v->verdicts.n; k++) {
        c->kinds_differ += strcmp(d[k].rule, "kind") == 0;
        c->unsound += strcmp(d[k].rule, "past-end") == 0 || strcmp(d[k].rule, "apart") == 0 ||
                      strcmp(d[k].rule, "total") == 0;
    }
}

static bool same_bytes(const struct program *p, const cJSON *analysis, const char *path)
{
    const struct totals *t = &p->totals;
    const struct {
        const char *name;
        uint64_t ours;
        bool asked;
    } all[] = {{"argument", t->argument, true},
               {"output", t->output, true},
               {"alias", t->alias, true},
               {"temp", t->temp, p->module->platform != PLATFORM_TPU}};
    bool same = true;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const cJSON *n = cJSON_GetObjectItemCaseSensitive(analysis, all[k].name);
        if (!all[k].asked || !cJSON_IsNumber(n) || (uint64_t)n->valuedouble == all[k].ours)
            continue;
        printf("%s: %s is %llu, JAX says %.0f\n", path, all[k].name,
               (unsigned long long)all[k].ours, n->valuedouble);
        same = false;
    }
    return same;
}

static void check_form(struct counts *c, const struct dump *dump, uint32_t entry, int form,
                       const cJSON *meta, const char *path)
{
    const cJSON *analysis = cJSON_GetObjectItemCaseSensitive(meta, "memory_analysis");
    const char *version = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(meta, "jax"));
    struct module m;
    struct program p;
    struct verify v;
    struct diag d;
    char line[2048];
    if (version && strcmp(version, "0.4.20") == 0)
        analysis = NULL; /* that version reports 0 for everything */
    bool loaded = dump_load(dump, entry, form ? FORM_TEXT : FORM_PROTO, &m, &d);
    if (!loaded || !program_build(&p, &m, &d)) {
        printf("%s\n", diag_text(&d, line, sizeof line));
        c->failed++;
        if (loaded)
            module_free(&m);
        return;
    }
    if (form == 0)
        corpus_loops(c->loops, &p, meta, path);
    else
        c->failed += !corpus_same_loops(c->loops, &p, path);
    if (form == 0 && !corpus_roles(c->roles, &p)) {
        printf("%s: roles do not add up to the peak\n", path);
        c->failed++;
    }
    c->failed += corpus_unexplained(&p, path);
    verify_program(&v, &p);
    c->values[form] += v.total;
    c->exact[form] += v.exact;
    for (uint32_t k = 0; k < v.mismatches.n && k < 5; k++)
        printf("%s: %s differs\n", path, ((struct verify_mismatch *)v.mismatches.items)[k].value);
    say_verdicts(&v, path);
    count_places(c, &v, form);
    if (p.has_totals && cJSON_IsObject(analysis)) {
        c->sums[form]++;
        c->equal[form] += same_bytes(&p, analysis, path);
    }
    for (uint32_t k = 0; k < m.warnings.n; k++) {
        printf("%s: warning: %s\n", path, ((const char **)m.warnings.items)[k]);
        c->failed++;
    }
    verify_free(&v);
    program_free(&p);
    module_free(&m);
}

static void check_case(struct counts *c, const char *path)
{
    struct arena a = {0};
    struct file f;
    struct diag d;
    struct dump dump;
    char line[2048];
    if (!file_read(&a, &f, arena_printf(&a, "%s/meta.json", path), &d)) {
        arena_free(&a);
        return; /* not a case */
    }
    cJSON *meta = cJSON_ParseWithLength(f.text, f.size);
    if (!dump_find(&dump, path, &d)) {
        printf("%s\n", diag_text(&d, line, sizeof line));
        c->failed++;
    } else {
        for (uint32_t k = 0; k < dump.entries.n; k++) {
            c->dumps++;
            c->loops->known = false;
            check_form(c, &dump, k, 0, meta, path);
            if (dump_entry(&dump, k)->path[DUMP_HLO_TEXT])
                check_form(c, &dump, k, 1, meta, path);
        }
        dump_free(&dump);
    }
    cJSON_Delete(meta);
    arena_free(&a);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void each(const char *dir, void (*use)(void *ctx, const char *path, const char *name), void *ctx)
{
    struct dirent **names;
    int n = scandir(dir, &names, visible, alphasort);
    char path[4096];
    for (int k = 0; k < n; k++) {
        if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, names[k]->d_name) < sizeof path)
            use(ctx, path, names[k]->d_name);
        free(names[k]);
    }
    if (n >= 0)
        free(names);
}

static void one_case(void *ctx, const char *path, const char *name)
{
    (void)name;
    check_case(ctx, path);
}

static void one_set(void *ctx, const char *path, const char *name)
{
    struct counts *all = ctx, c = {.loops = all->loops};
    each(path, one_case, &c);
    if (!c.dumps)
        return;
    printf("%-16s %4u dumps  live ranges exact: proto %u of %u, text %u of %u  bytes equal: "
           "proto %u of %u, text %u of %u\n",
           name, c.dumps, c.exact[0], c.values[0], c.exact[1], c.values[1], c.equal[0], c.sums[0],
           c.equal[1], c.sums[1]);
    printf("%-16s offsets exact: proto %u of %u (kinds: all but %u), text %u of %u  temp exact: "
           "proto %u of %u, text %u of %u  unsound: %u\n",
           "", c.offsets_exact[0], c.offsets[0], c.kinds_differ, c.offsets_exact[1], c.offsets[1],
           c.spaces_exact[0], c.spaces[0], c.spaces_exact[1], c.spaces[1], c.unsound);
    if (corpus_roles_say(c.roles) >= 0.1 && strncmp(name, "seed-", 5) == 0) {
        printf("%s: of one dump a tenth of the bytes at the peak is scratch\n", name);
        all->failed++;
    }
    all->dumps += c.dumps;
    all->failed += c.failed + c.unsound + c.kinds_differ;
    if (c.offsets[0] == 0)
        all->failed++; /* nothing was rerun */
    for (int f = 0; f < 2; f++) {
        all->failed += c.values[f] - c.exact[f] + c.sums[f] - c.equal[f];
        all->failed += c.offsets[f] - c.offsets_exact[f] + c.spaces[f] - c.spaces_exact[f];
        all->exact[f] += c.exact[f];
        all->offsets_exact[f] += c.offsets_exact[f];
    }
}

int main(int argc, char **argv)
{
    static struct loop_counts loops[8];
    struct counts all = {.loops = loops};
    if (argc != 2) {
        fprintf(stderr, "usage: corpus DIR\n");
        return 2;
    }
    each(argv[1], one_set, &all);
    all.failed += corpus_loops_say(loops);
    printf("%u dumps, %u values exact from protos, %u from text, %u offsets exact from protos, %u from "
           "text, %u differences\n",
           all.dumps, all.exact[0], all.exact[1], all.offsets_exact[0], all.offsets_exact[1],
           all.failed);
    return !all.dumps ? 2 : all.failed ? 1 : 0;
}
