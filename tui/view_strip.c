/* The instruction at the cursor: what it is, its op_name and the source line it came from. */
#include "tui/views.h"

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

void strip_view(const struct scene *v, struct rect r, struct grid *g)
{
    struct words w;
    int row = 0;
    if (r.h < 1)
        return;
    words_at(v, v->s->step, &w);
    if (r.h >= 4)
        rule_draw(r, g, false, "instruction at the cursor", "");
    row = r.h >= 4;
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
