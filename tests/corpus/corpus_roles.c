#include "tests/corpus/corpus_roles.h"

#include <stdio.h>
#include <stdlib.h>

bool corpus_roles(struct role_counts *counts, const struct program *p)
{
    struct role_counts *c = &counts[p->module->platform];
    buf_id *ids = malloc(((size_t)p->n + 1) * sizeof *ids);
    uint64_t *own = malloc(((size_t)p->n + 1) * sizeof *own), bytes[ROLE_COUNT] = {0}, sum = 0;
    if (!ids || !own)
        abort();
    uint32_t n = program_alive(p, p->peak, ids, own);
    for (uint32_t k = 0; k < n; k++)
        if (p->main[ids[k]])
            bytes[p->role[ids[k]]] += own[k];
    for (int r = 0; r < ROLE_COUNT; r++) {
        sum += bytes[r];
        c->bytes[r] += bytes[r];
        if (p->live[p->peak])
            c->share[r] += (double)bytes[r] / (double)p->live[p->peak];
    }
    double scratch = p->live[p->peak] ? (double)bytes[ROLE_SCRATCH] / (double)p->live[p->peak] : 0;
    c->scratch = scratch > c->scratch ? scratch : c->scratch;
    c->dumps++;
    free(ids);
    free(own);
    return sum == p->live[p->peak];
}

double corpus_roles_say(const struct role_counts *counts)
{
    double scratch = 0;
    for (int k = 0; k <= PLATFORM_TPU; k++) {
        const struct role_counts *c = &counts[k];
        const char *name = platform_name((enum platform)k);
        if (!c->dumps)
            continue;
        printf("%-16s roles at the peak, %s:", "", name ? name : "?");
        for (int r = 0; r < ROLE_COUNT; r++)
            if (c->share[r] / c->dumps >= 0.0005)
                printf(" %s %.1f%%", role_name((enum role)r), 100 * c->share[r] / c->dumps);
        putchar('\n');
        scratch = c->scratch > scratch ? c->scratch : scratch;
    }
    return scratch;
}
