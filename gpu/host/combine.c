#include "gpu/host/combine.h"

#include <string.h>

void combiner_open(struct combiner *c, const struct unit_call *e, const struct stage *s, const struct elem *elems,
                   uint32_t n)
{
    c->s = s;
    memcpy(c->elem, elems, n * sizeof *elems);
    if (!s->region)
        return;
    tape_bind(&c->bound, s->region, e);
    regs_open(&c->regs, &c->bound);
}

void combiner_close(struct combiner *c)
{
    if (!c->s->region)
        return;
    regs_close(&c->regs);
    tape_unbind(&c->bound);
}

void combine(struct combiner *c, void *const *acc, void *const *val, size_t n)
{
    void *arguments[16];
    const struct tape *t = c->s->region;
    if (!t) {
        vec_apply(c->s->fold, &c->elem[0], &c->elem[0], acc[0], val[0], NULL, acc[0], n, NULL);
        return;
    }
    for (uint32_t v = 0; v < t->n_results; v++) {
        arguments[v] = acc[v];
        arguments[t->n_results + v] = val[v];
    }
    tape_region(&c->regs, arguments, n);
    for (uint32_t v = 0; v < t->n_results; v++)
        memmove(acc[v], c->regs.reg[t->result[v]], n * class_size(c->elem[v].cls));
}
