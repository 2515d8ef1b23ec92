/* The instruction at the cursor: what it is, its op_name and the source line it came from.  While the
 * table has the keys, the selected buffer instead: all that its row has no room for. */
#include "tui/views/views.h"

#include <stdio.h>
#include <string.h>

static const char *note(const struct program *p)
{
    return p->notes.n ? *(const char *const *)p->notes.items : "";
}

/* Text at the left, cut as told; the source at the right if it leaves room. */
static void pair(struct rect r, struct grid *g, int row, int col, enum style st, enum cut cut,
                 const char *text, const char *source)
{
    int n = text_columns(source), end = r.w - 1;
    if (n && n <= end - col - 12) {
        grid_text(g, r, row, end - n, ST_PLAIN, source);
        end -= n + 2;
    }
    grid_field(g, r, row, col, end - col, st, cut, text);
}

/* What is executed at step t, and what explains it. */
struct words {
    char text[2048], source[300];
    const char *under;
    enum cut cut; /* of `under` */
};

static void words_at(const struct scene *v, uint32_t t, struct words *w)
{
    const struct program *p = v->p;
    inst_id id = t < p->steps && p->step_inst ? p->step_inst[t] : HLO_NONE;
    *w = (struct words){.under = note(p), .cut = CUT_WORD};
    if (id == HLO_NONE) {
        const char *name = t < p->steps ? p->step_name[t] : "the end of the program";
        snprintf(w->text, sizeof w->text, "%s", name ? name : "");
        return;
    }
    const struct hlo_inst *from = program_speaker(&p->module->hlo, id);
    hlo_inst_text(&p->module->hlo, id, w->text, sizeof w->text);
    source_text(from->file, from->line, w->source, sizeof w->source);
    w->under = from->op_name ? from->op_name : "";
    w->cut = CUT_START;
}

static void instruction(const struct scene *v, struct rect r, struct grid *g)
{
    struct words w;
    int row = r.h >= 4;
    words_at(v, v->s->step, &w);
    if (r.h >= 4)
        rule_draw(r, g, false, "instruction at the cursor", "");
    grid_put(g, r, row, 1, 0x25b2, ST_CURSOR);
    int col = grid_printf(g, r, row, 3, ST_CURSOR, "%u", (unsigned)v->s->step) + 2;
    int width = r.w - 1 - col;
    if (r.h == 1) {
        pair(r, g, row, col, ST_PLAIN, CUT_END, w.text, w.source);
        return;
    }
    const char *text = w.text;
    char part[1024];
    if (r.h >= 4 && wrap_line(text, width, 0, part, sizeof part)) {
        grid_text(g, r, row++, col, ST_PLAIN, part);
        for (text += strlen(part); *text == ' ';)
            text++;
    }
    if (*text)
        grid_field(g, r, row++, col, width, ST_PLAIN, CUT_END, text);
    pair(r, g, row, col, ST_DIM, w.cut, w.under, w.source);
}

/* ---- The selected buffer ---- */

static const char *size_text(const struct scene *v, buf_id b, char *out, size_t size)
{
    const struct program *p = v->p;
    char bytes[AMOUNT];
    amount(v->s, p->size[b], bytes);
    if (p->main[b])
        snprintf(out, size, "%s", bytes);
    else
        snprintf(out, size, "%s in %s", bytes, p->spaces[p->space[b]].name);
    return out;
}

/* "a3 +0 B" */
static const char *full_place(const struct scene *v, buf_id b, char *out, size_t size)
{
    size_t n = strlen(place_text(v, b, out, size));
    if (n && !v->p->offset[b])
        snprintf(out + n, size - n, " +0 B");
    return out;
}

#define NAME_LEAST 12

/* "while.16{3}  f32[4,1024]  16.00 GiB  a1 +4.00 GiB  36→71": name and shape whole if they can be;
 * then, where there is room, first what the table does not show. */
static void buffer_line(const struct scene *v, struct rect r, struct grid *g, int row, int col,
                        int end, bool all)
{
    enum { SIZE, PLACE, LIFE, COUNT };
    static const int first[COUNT] = {PLACE, LIFE, SIZE};
    const struct program *p = v->p;
    buf_id b = v->chosen;
    char item[COUNT][80];
    bool show[COUNT] = {false};
    const char *name = p->name_of[b], *shape = p->shape[b] ? p->shape[b] : "";
    int n = text_columns(name), sh = text_columns(shape), gap = sh ? 2 : 0;
    if (n + gap + sh > end - col)
        n = end - col - gap - sh > NAME_LEAST ? end - col - gap - sh : n < NAME_LEAST ? n : NAME_LEAST;
    if (n + gap + sh > end - col)
        sh = end - col - gap - n;
    size_text(v, b, item[SIZE], sizeof item[SIZE]);
    full_place(v, b, item[PLACE], sizeof item[PLACE]);
    life_text(p, b, 0, item[LIFE], sizeof item[LIFE]);
    int room = end - col - n - gap - sh;
    for (int k = 0; all && k < COUNT; k++) {
        int more = 2 + text_columns(item[first[k]]);
        show[first[k]] = more > 2 && more <= room;
        room -= show[first[k]] ? more : 0;
    }
    col = grid_field(g, r, row, col, n, ST_TITLE, CUT_MIDDLE, name) + gap;
    col = grid_field(g, r, row, col, sh, ST_PLAIN, CUT_MIDDLE, shape);
    for (int k = 0; k < COUNT; k++)
        if (show[k])
            col = grid_text(g, r, row, col + 2, ST_PLAIN, item[k]);
}

/* "16.00 GiB · a1 +4.00 GiB · born at step 36 · dies at step 71 (loop_add_fusion.2)" */
static void buffer_place(const struct scene *v, char *out, size_t size)
{
    const struct program *p = v->p;
    buf_id b = v->chosen;
    uint32_t dies = p->end[b];
    char bytes[80], place[80], last[200] = "alive until the program ends";
    full_place(v, b, place, sizeof place);
    if (dies < p->steps && p->step_name[dies])
        snprintf(last, sizeof last, "dies at step %u (%.150s)", (unsigned)dies, p->step_name[dies]);
    else if (dies < p->steps)
        snprintf(last, sizeof last, "dies at step %u", (unsigned)dies);
    snprintf(out, size, "%s%s%s · born at step %u · %s", size_text(v, b, bytes, sizeof bytes),
             place[0] ? " · " : "", place, (unsigned)p->start[b], last);
}

static void buffer(const struct scene *v, struct rect r, struct grid *g)
{
    const struct program *p = v->p;
    char source[300], text[400];
    int row = r.h >= 4, col = 3, end = r.w - 1;
    const char *op = p->op_name[v->chosen];
    source_text(p->file[v->chosen], p->line[v->chosen], source, sizeof source);
    if (r.h >= 4)
        rule_draw(r, g, false, "selected buffer", "");
    grid_put(g, r, row, 1, 0x25b8, ST_CHOSEN);
    buffer_line(v, r, g, row++, col, end, r.h < 4);
    if (r.h >= 4) {
        buffer_place(v, text, sizeof text);
        grid_field(g, r, row++, col, end - col, ST_PLAIN, CUT_END, text);
    }
    if (op || !p->notes.n)
        pair(r, g, row, col, ST_DIM, CUT_START, op ? op : "no op_name", source);
    else
        pair(r, g, row, col, ST_DIM, CUT_WORD, note(p), source);
}

void strip_view(const struct scene *v, struct rect r, struct grid *g)
{
    if (r.h < 1)
        return;
    if (app_scope(v->p, v->s) == IN_TABLE && v->chosen != BUF_NONE)
        buffer(v, r, g);
    else
        instruction(v, r, g);
}
