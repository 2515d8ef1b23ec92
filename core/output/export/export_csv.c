#include "core/output/export/export_forms.h"
#include "core/output/words/escape.h"

static void put_number(bool known, uint64_t n, FILE *out)
{
    if (known)
        fprintf(out, "%llu", (unsigned long long)n);
}

static void put_row(const struct program *p, buf_id b, FILE *out)
{
    const struct module *m = p->module;
    bool placed = p->alloc[b] != ALLOC_NONE, lives = p->lives != LIFE_NONE;
    char source[512], space[16];
    put_field(p->name_of[b], out);
    fprintf(out, ",%llu,", (unsigned long long)p->size[b]);
    put_number(placed, placed ? (uint64_t)assignment_alloc(&m->assignment, p->alloc[b])->index : 0, out);
    fputc(',', out);
    put_number(placed, p->offset[b], out);
    fprintf(out, ",%d,", p->color[b]);
    put_field(space_name(m->platform, p->color[b], space), out);
    fprintf(out, ",%s,", role_name((enum role)p->role[b]));
    put_number(lives, p->start[b], out);
    fputc(',', out);
    put_number(lives, p->end[b], out);
    fputc(',', out);
    put_field(p->shape[b], out);
    fputc(',', out);
    put_field(p->op_name[b], out);
    fputc(',', out);
    put_field(program_source(p, b, source, sizeof source), out);
    fputs("\r\n", out);
}

void export_csv(const struct program *p, FILE *out)
{
    fputs("value,size,allocation,offset,color,space,role,defined,last_use,shape,op_name,source\r\n", out);
    for (buf_id b = 0; b < p->n; b++)
        put_row(p, b, out);
}
