#include "core/analysis/explain/explain_build.h"
#include "core/analysis/program/roles.h"
#include "core/base/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_MOST    64  /* bytes of a name in a sentence */
#define OP_NAME_MOST 130 /* bytes of an op_name: two lines */

/* ---- Lines ---- */

static const char *print(struct arena *a, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0)
        return "";
    char *text = arena_get(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    return text;
}

struct line *pen_line(struct pen *pen, enum line_kind kind, const char *label, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *words = print(pen->a, fmt, args);
    va_end(args);
    struct line *l = list_add(pen->a, &pen->page->lines, sizeof *l);
    *l = (struct line){
        .kind = kind, .label = label, .words = words, .buffer = BUF_NONE, .step = STEP_NONE};
    return l;
}

void line_bytes(struct line *l, uint64_t bytes)
{
    l->has_bytes = true;
    l->bytes = bytes;
}

void line_about(struct pen *pen, struct line *l, buf_id b, uint32_t step)
{
    char source[300];
    l->buffer = b;
    l->step = step;
    if (b != BUF_NONE && program_source(pen->p, b, source, sizeof source))
        l->source = pen_cut(pen, arena_text(pen->a, source, strlen(source)));
}

const char *pen_bytes(struct pen *pen, uint64_t bytes)
{
    char text[24];
    return arena_printf(pen->a, "%s", bytes_text(bytes, text));
}

static const char *cut(struct pen *pen, const char *text, size_t most)
{
    size_t n = strlen(text), head = most / 2, tail = n - most / 2 + 3;
    if (n <= most)
        return text;
    while (head && ((unsigned char)text[head] & 0xC0) == 0x80)
        head--;
    while (((unsigned char)text[tail] & 0xC0) == 0x80)
        tail++;
    return arena_printf(pen->a, "%.*s...%s", (int)head, text, text + tail);
}

const char *pen_cut(struct pen *pen, const char *text)
{
    return cut(pen, text, NAME_MOST);
}

const char *pen_op_name(struct pen *pen, const char *op_name)
{
    return cut(pen, op_name, OP_NAME_MOST);
}

const char *pen_inst(struct pen *pen, inst_id i)
{
    return i == HLO_NONE ? "?" : pen_cut(pen, hlo_inst(&pen->p->module->hlo, i)->name);
}

const char *pen_buffer(struct pen *pen, buf_id b)
{
    return pen_cut(pen, pen->p->name_of[b]);
}

const char *pen_source(struct pen *pen, inst_id i)
{
    if (i == HLO_NONE)
        return NULL;
    const struct hlo_inst *x = program_speaker(&pen->p->module->hlo, i);
    if (!x->file)
        return NULL;
    const char *base = strrchr(x->file, '/');
    base = pen_cut(pen, base ? base + 1 : x->file);
    return x->line ? arena_printf(pen->a, "%s:%u", base, x->line) : base;
}

const char *pen_step(struct pen *pen, uint32_t step)
{
    return step >= pen->p->steps ? "the end of the program" : arena_printf(pen->a, "step %u", step);
}

/* ---- Things ---- */

uint32_t explain_loop_at(const struct program *p, uint32_t step)
{
    uint32_t found = LOOP_NONE;
    for (uint32_t k = 0; k < p->loops.n && p->loops.items[k].first <= step; k++)
        if (step <= p->loops.items[k].last)
            found = k;
    return found;
}

uint32_t explain_loop_of(const struct program *p, inst_id i)
{
    for (uint32_t k = 0; k < p->loops.n; k++)
        if (p->loops.items[k].inst == i)
            return k;
    return LOOP_NONE;
}

const struct loop_stack *explain_stack(const struct program *p, buf_id b)
{
    const struct loop_stack *found = NULL;
    if (p->value[b] == VALUE_NONE)
        return NULL;
    value_id set = p->dataflow.set[p->value[b]];
    for (uint32_t k = 0; k < p->loops.n_stacks; k++) {
        const struct loop_stack *s = &p->loops.stacks[k];
        if (p->dataflow.set[s->value] != set || s->bytes > p->size[b])
            continue;
        if (!found || (found->access == ACCESS_DRAIN && s->access != ACCESS_DRAIN))
            found = s;
    }
    return found;
}

static bool in_backward(const struct program *p, inst_id i)
{
    const char *op = i == HLO_NONE ? NULL : program_speaker(&p->module->hlo, i)->op_name;
    return op && strstr(op, "transpose(");
}

bool explain_donated_residual(const struct program *p, buf_id b)
{
    struct arena scratch = {0};
    struct reaches r;
    bool found = false;
    if (p->role[b] != ROLE_DONATED || p->value[b] == VALUE_NONE || p->lives != LIFE_RERUN)
        return false;
    explain_reaches(p, p->value[b], &scratch, &r);
    for (uint32_t k = 0; k < r.n && !found; k++)
        found = (r.items[k].kind == REACH_READ || r.items[k].kind == REACH_LOOP) &&
                in_backward(p, r.items[k].by);
    arena_free(&scratch);
    return found;
}

uint32_t explain_alias_out(const struct program *p, inst_id param, uint32_t node)
{
    const struct hlo *h = &p->module->hlo;
    const struct hlo_inst *x = hlo_inst(h, param);
    if (x->op != OP_PARAMETER || x->comp != h->entry)
        return SHAPE_NONE;
    for (uint32_t k = 0; k < h->io_alias.n; k++) {
        const struct hlo_io_alias *io = (const struct hlo_io_alias *)h->io_alias.items + k;
        if (io->param == x->number && io->param_node == node)
            return io->out;
    }
    return SHAPE_NONE;
}
