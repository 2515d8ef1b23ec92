/* whatif_table [-v] DIR…: what-ifs against what the compiler said.
 *
 * Below DIR are dumps of programs at several lengths and unrolls, told apart by words in the name of
 * their folder or module: s4 or n4 the length, u2, ufull or uTrue the unroll; all other words name the
 * program.  Without a length all have the same, without an unroll all are rolled.  Each is predicted from every rolled one of the same name, and each promise is checked:
 * exact: all bytes equal; estimate: within the range, which is at most 15 % wide; bound: not above.
 * Prints a line for each (-v) and the sums; exit 1 when a promise was broken, 2 without any pair. */
#include "core/analysis/whatif/whatif.h"
#include "tests/corpus/promise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    char group[300], name[300];
    int64_t seqlen, unroll;
    uint32_t entry;
    const struct dump *dump;
    struct module module;
    struct program program;
    bool named, open;
};

struct sums {
    unsigned n, broken;
    double worst, sum; /* |error| of output + temp, % */
    double widest;     /* of ranges, % */
};

/* ---- Cells ---- */

static bool number_word(const char *w, size_t len, const char *letters, int64_t *out)
{
    if (len < 2 || !strchr(letters, w[0]))
        return false;
    if (w[0] == 'u' && ((len == 5 && memcmp(w, "ufull", 5) == 0) || (len == 5 && memcmp(w, "uTrue", 5) == 0))) {
        *out = WHATIF_FULL;
        return true;
    }
    for (size_t k = 1; k < len; k++)
        if (w[k] < '0' || w[k] > '9')
            return false;
    *out = strtoll(w + 1, NULL, 10);
    return true;
}

static void read_words(struct cell *c, const char *name)
{
    size_t used = strlen(c->group);
    while (*name) {
        size_t len = strcspn(name, "-_/");
        if (!number_word(name, len, "sn", &c->seqlen) && !number_word(name, len, "u", &c->unroll) &&
            used + len + 2 < sizeof c->group) {
            memcpy(c->group + used, name, len);
            used += len;
            c->group[used++] = ' ';
            c->group[used] = '\0';
        }
        name += len + (name[len] != '\0');
    }
}

static void read_cell(struct cell *c, const struct dump *d, uint32_t entry)
{
    const struct dump_entry *e = dump_entry(d, entry);
    const char *dir = strrchr(e->dir, '/');
    *c = (struct cell){.entry = entry, .dump = d};
    char parent[200] = "";
    if (dir) { /* the set: cells of different sets are different programs */
        const char *set = dir;
        while (set > e->dir && set[-1] != '/')
            set--;
        snprintf(parent, sizeof parent, "%.*s", (int)(dir - set), set);
    }
    snprintf(c->group, sizeof c->group, "%s: ", parent);
    read_words(c, dir ? dir + 1 : e->dir);
    if (c->seqlen == 0)
        read_words(c, e->name);
    snprintf(c->name, sizeof c->name, "%s/%s", dir ? dir + 1 : e->dir, e->name);
    c->named = c->seqlen || c->unroll;
    if (c->unroll == 0)
        c->unroll = 1;
    if (c->seqlen && c->unroll >= c->seqlen)
        c->unroll = WHATIF_FULL;
}

static int by_group(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    if (order)
        return order;
    if (x->seqlen != y->seqlen)
        return x->seqlen < y->seqlen ? -1 : 1;
    return (x->unroll > y->unroll) - (x->unroll < y->unroll);
}

static bool open_cell(struct cell *c)
{
    struct diag d;
    char line[1200];
    c->open = dump_load(c->dump, c->entry, FORM_ANY, &c->module, &d);
    if (c->open && !program_build(&c->program, &c->module, &d)) {
        module_free(&c->module);
        c->open = false;
    }
    if (!c->open)
        fprintf(stderr, "%s\n", diag_text(&d, line, sizeof line));
    return c->open;
}

/* ---- Predictions ---- */

static const char *unroll_text(int64_t unroll, char out[24])
{
    if (unroll == WHATIF_FULL)
        return "full";
    snprintf(out, 24, "%lld", (long long)unroll);
    return out;
}

static void show_field(const char *name, uint64_t ours, uint64_t truth)
{
    if (ours != truth)
        printf("    %s %llu, compiled %llu\n", name, (unsigned long long)ours, (unsigned long long)truth);
}

static void show_fields(const struct totals *x, const struct totals *y)
{
    show_field("argument", x->argument, y->argument);
    show_field("output", x->output, y->output);
    show_field("alias", x->alias, y->alias);
    show_field("temp", x->temp, y->temp);
    show_field("constant", x->constant, y->constant);
}

static void show(const struct cell *from, const struct cell *to, const struct whatif *w, double error,
                 bool good)
{
    char unroll[24];
    const struct totals *t = &to->program.totals;
    printf("%-44s s%lld u%lld -> s%lld u%-4s %-8s", from->group, (long long)from->seqlen,
           (long long)from->unroll, (long long)to->seqlen, unroll_text(to->unroll, unroll),
           whatif_method_name(w->method));
    if (w->has_program)
        printf(" %14llu %14llu %+8.3f%%", (unsigned long long)w->totals.output + w->totals.temp,
               (unsigned long long)t->output + t->temp, error);
    else
        printf(" %14s %14llu %9s", "-", (unsigned long long)t->output + t->temp, "");
    if (w->method == WHATIF_ESTIMATE)
        printf(" [%llu, %llu]", (unsigned long long)w->low, (unsigned long long)w->high);
    printf("%s%s %s\n", w->has_program && promise_same_bytes(&w->totals, t) ? " =" : "",
           good ? "" : " BROKEN", w->note);
    if (!good && w->method == WHATIF_EXACT)
        show_fields(&w->totals, t);
}

static uint32_t scan_of(const struct cell *c, struct arena *a)
{
    struct list scans = whatif_scans(&c->program, a);
    const struct whatif_scan *s = scans.items;
    for (uint32_t k = 0; k < scans.n; k++)
        if ((!c->seqlen || s[k].seqlen == c->seqlen) && s[k].unroll == c->unroll)
            return k;
    return UINT32_MAX;
}

static void predict(const struct cell *from, const struct cell *to, struct sums *sums, bool verbose)
{
    struct arena a = {0};
    struct whatif w;
    struct diag d;
    struct whatif_ask ask = {.scan = scan_of(from, &a), .seqlen = to->seqlen, .unroll = to->unroll};
    bool same_kind = to->unroll != from->unroll || scan_of(to, &a) != UINT32_MAX;
    arena_free(&a);
    if (ask.scan == UINT32_MAX || !same_kind)
        return; /* not rolled so, or rolled in another way at that length */
    if (!whatif_build(&w, &from->program, &ask, &d)) {
        char line[1200];
        printf("%s: %s\n", from->name, diag_text(&d, line, sizeof line));
        sums[WHATIF_UNKNOWN].broken++;
        return;
    }
    const struct totals *t = &to->program.totals;
    double truth = (double)(t->output + t->temp), error = 0;
    if (w.has_program && truth > 0)
        error = ((double)(w.totals.output + w.totals.temp) - truth) / truth * 100;
    bool good = promise_kept(&w, t);
    struct sums *s = &sums[w.method];
    s->n++;
    s->broken += !good;
    s->sum += error < 0 ? -error : error;
    s->worst = (error < 0 ? -error : error) > s->worst ? (error < 0 ? -error : error) : s->worst;
    if (w.method == WHATIF_ESTIMATE && w.high) {
        double wide = (double)(w.high - w.low) / (double)w.high * 100;
        s->widest = wide > s->widest ? wide : s->widest;
    }
    if (verbose || !good)
        show(from, to, &w, error, good);
    whatif_free(&w);
}

static void predict_group(struct cell *cells, uint32_t n, struct sums *sums, bool verbose)
{
    for (uint32_t k = 0; k < n; k++)
        open_cell(&cells[k]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (i != j && cells[i].open && cells[j].open && cells[i].unroll != WHATIF_FULL &&
                (cells[i].unroll == 1 || cells[i].unroll == cells[j].unroll))
                predict(&cells[i], &cells[j], sums, verbose);
    for (uint32_t k = 0; k < n; k++) {
        if (!cells[k].open)
            continue;
        program_free(&cells[k].program);
        module_free(&cells[k].module);
    }
}

static void run(struct dump *dumps, int n_dumps, struct sums *sums, bool verbose)
{
    uint32_t n = 0, room = 0;
    for (int k = 0; k < n_dumps; k++)
        room += dumps[k].entries.n;
    struct cell *cells = calloc((size_t)room + 1, sizeof *cells);
    if (!cells)
        abort();
    for (int k = 0; k < n_dumps; k++)
        for (uint32_t e = 0; e < dumps[k].entries.n; e++) {
            read_cell(&cells[n], &dumps[k], e);
            n += cells[n].named;
        }
    qsort(cells, n, sizeof *cells, by_group);
    for (uint32_t k = 0, next; k < n; k = next) {
        for (next = k + 1; next < n && strcmp(cells[next].group, cells[k].group) == 0; next++)
            ;
        if (next - k > 1)
            predict_group(cells + k, next - k, sums, verbose);
    }
    free(cells);
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    int first = 1 + verbose, n = 0;
    struct dump *dumps = calloc((size_t)argc, sizeof *dumps);
    struct sums sums[WHATIF_UNKNOWN + 1] = {0};
    unsigned all = 0, broken = 0;
    for (int k = first; k < argc && dumps; k++) {
        struct diag d;
        char line[1200];
        if (dump_find(&dumps[n], argv[k], &d))
            n++;
        else
            fprintf(stderr, "%s\n", diag_text(&d, line, sizeof line));
    }
    run(dumps, n, sums, verbose);
    printf("method    predicted  mean error  worst error  widest range  broken\n");
    for (int m = WHATIF_EXACT; m <= WHATIF_UNKNOWN; m++) {
        printf("%-9s %9u %10.3f%% %11.3f%% %12.1f%% %7u\n", whatif_method_name((enum whatif_method)m),
               sums[m].n, sums[m].n ? sums[m].sum / sums[m].n : 0, sums[m].worst, sums[m].widest,
               sums[m].broken);
        all += sums[m].n;
        broken += sums[m].broken;
    }
    for (int k = 0; k < n; k++)
        dump_free(&dumps[k]);
    free(dumps);
    return all == 0 ? 2 : broken ? 1 : 0;
}
