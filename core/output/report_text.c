#include "core/output/report.h"

#include <string.h>

#define WIDTH 80

/* Text cut to a number of columns (bytes here are characters: names are made safe first). */
static const char *cut(const struct report *r, const char *text, int columns, char *out, size_t size)
{
    char safe[1024];
    text_safe(text, safe, sizeof safe);
    int n = 0;
    size_t i = 0, keep = 0;
    while (safe[i] && n < columns) {
        if (n == columns - 1)
            keep = i;
        do
            i++;
        while (((unsigned char)safe[i] & 0xC0) == 0x80);
        n++;
    }
    if (safe[i])
        snprintf(out, size, "%.*s%s", (int)keep, safe, r->options.ascii ? "~" : "…");
    else
        snprintf(out, size, "%s", safe);
    return out;
}

/* printf's %-*s counts bytes; this counts characters. */
static void put_cut(const struct report *r, FILE *out, const char *text, int columns)
{
    char word[1100];
    cut(r, text, columns, word, sizeof word);
    int n = 0;
    for (const char *c = word; *c; c++)
        n += ((unsigned char)*c & 0xC0) != 0x80;
    fprintf(out, "%s%*s", word, columns > n ? columns - n : 0, "");
}

/* A number of bytes in the ten columns of "1234.56 GiB", units aligned. */
static const char *aligned(uint64_t bytes, char out[32])
{
    char text[24];
    bytes_text(bytes, text);
    char *unit = strchr(text, ' ');
    *unit++ = '\0';
    snprintf(out, 32, "%7s %-3s", text, unit);
    return out;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- The first paragraph ---- */

static void put_title(const struct report *r, FILE *out)
{
    const struct module *m = r->program->module;
    char name[200], device[100];
    fprintf(out, "%s", text_safe(r->program->name ? r->program->name : "?", name, sizeof name));
    if (m->device)
        fprintf(out, " on %s", text_safe(m->device, device, sizeof device));
    else if (platform_name(m->platform))
        fprintf(out, " on %s", platform_name(m->platform));
    fputc('\n', out);
    if (m->has_hlo)
        fprintf(out, "%u instructions", m->hlo.insts.n);
    if (m->has_assignment)
        fprintf(out, "%s%u values in %u allocations", m->has_hlo ? ", " : "",
                m->assignment.values.n, m->assignment.allocs.n);
    fputs(r->program->lives == LIFE_RERUN ? "; live ranges rerun from the HLO\n"
          : r->program->lives == LIFE_DUMP ? "; live ranges as the dump states them\n" : "\n", out);
}

static void put_step(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    char line[400], word[1100], size[24];
    bytes_text(p->live[r->step], size);
    fprintf(out, "\n%-6s %s alive at step %u of %u", r->step == p->peak ? "Peak" : "Step", size,
            r->step, p->steps);
    for (uint32_t k = 0; k < p->n_loops; k++)
        if (p->loops[k].first <= r->step && r->step <= p->loops[k].last)
            fprintf(out, ", in %s", text_safe(p->loops[k].name, word, 60));
    fputc('\n', out);
    if (r->step == p->steps) {
        fputs("       the end of the program\n", out);
        return;
    }
    inst_id i = p->step_inst[r->step];
    if (i == HLO_NONE) {
        fprintf(out, "       %s\n", cut(r, p->step_name[r->step], WIDTH - 7, word, sizeof word));
        return;
    }
    const struct hlo_inst *x = hlo_inst(&p->module->hlo, i);
    hlo_inst_text(&p->module->hlo, i, line, sizeof line);
    fprintf(out, "       %s\n", cut(r, line, WIDTH - 7, word, sizeof word));
    if (x->op_name)
        fprintf(out, "       %s\n", cut(r, x->op_name, WIDTH - 7, word, sizeof word));
    if (x->file) {
        snprintf(line, sizeof line, "%s:%u", x->file, x->line);
        fprintf(out, "       %s\n", cut(r, line, WIDTH - 7, word, sizeof word));
    }
}

static void put_fit(const struct report *r, FILE *out)
{
    char need[24], limit[24], gap[24];
    if (!r->has_need)
        return;
    bytes_text(r->need, need);
    fprintf(out, "Needs  %s: its allocations are reserved whole", need);
    if (!r->has_limit) {
        fputs("\nFits?  the device's memory is not in the dump; ask with --limit 80G\n", out);
        return;
    }
    bool over = report_over(r);
    bytes_text(over ? r->need - r->limit : r->limit - r->need, gap);
    bytes_text(r->limit, limit);
    const char *what = r->options.has_limit ? "the limit" : "the device";
    if (over)
        fprintf(out, "\nOver   %s has %s: %s too little\n", what, limit, gap);
    else
        fprintf(out, "\nFits   %s has %s: %s to spare\n", what, limit, gap);
}

/* ---- What it is made of ---- */

struct columns {
    int value, shape, life, source;
};

static void life_text(const struct program *p, buf_id b, char *out, size_t size)
{
    if (p->end[b] == p->steps)
        snprintf(out, size, "%u-end", p->start[b]);
    else
        snprintf(out, size, "%u-%u", p->start[b], p->end[b]);
}

static int longest(int have, const char *text, int most)
{
    int n = (int)strlen(text);
    n = n < most ? n : most;
    return n > have ? n : have;
}

static struct columns fit_columns(const struct report *r, uint32_t rows)
{
    const struct program *p = r->program;
    struct columns c = {0, 5, 8, 6};
    int value = 5;
    char text[512];
    for (uint32_t k = 0; k < rows; k++) {
        buf_id b = r->alive[k];
        life_text(p, b, text, sizeof text);
        c.life = longest(c.life, text, 15);
        if (program_source(p, b, text, sizeof text))
            c.source = longest(c.source, text, 18);
        c.shape = longest(c.shape, p->shape[b], 24);
        value = longest(value, p->name_of[b], WIDTH);
    }
    int left = WIDTH - 11 - 7 - c.life - c.source - 8;
    if (c.shape > left - 14)
        c.shape = left - 14 > 5 ? left - 14 : 5;
    c.value = left - c.shape < value ? left - c.shape : value;
    return c;
}

static void put_alive(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    uint64_t live = p->live[r->step], rest = 0;
    uint32_t rows = 0, skipped = 0;
    while (rows < r->n && rows < r->options.top)
        rows++;
    for (uint32_t k = rows; k < r->n; k++) {
        skipped++;
        rest += p->main[r->alive[k]] ? r->own[k] : 0;
    }
    struct columns c = fit_columns(r, rows);
    char text[512], size[32];
    fprintf(out, "\nAlive then, %u buffers\n", r->n);
    fprintf(out, "%11s  share  %-*s  %-*s  %-*s  source\n", "size   ", c.value, "value", c.shape,
            "shape", c.life, "born-dies");
    for (uint32_t k = 0; k < rows; k++) {
        buf_id b = r->alive[k];
        fputs(aligned(p->size[b], size), out);
        if (!p->main[b])
            fputs("  other ", out);
        else if (r->own[k] < p->size[b])
            fputs(" shared ", out);
        else
            fprintf(out, " %5.1f%% ", percent(r->own[k], live));
        fputc(' ', out);
        put_cut(r, out, p->name_of[b], c.value);
        fputs("  ", out);
        put_cut(r, out, p->shape[b], c.shape);
        life_text(p, b, text, sizeof text);
        const char *source = program_source(p, b, size, sizeof size);
        fprintf(out, "  %-*s  ", c.life, text);
        fprintf(out, "%s\n", source ? cut(r, source, c.source, text, sizeof text) : "");
    }
    if (skipped)
        fprintf(out, "%s %5.1f%%  %u more buffers\n", aligned(rest, size), percent(rest, live),
                skipped);
}

static void put_groups(const struct report *r, FILE *out)
{
    static const char *const title[] = {"source lines", "source lines", "op_names", "shapes"};
    const struct program *p = r->program;
    uint32_t most = r->options.by == BY_NONE ? 5 : r->options.top;
    char size[32], total[32];
    fprintf(out, "\nIts %s%15s(in the whole program)\n", title[r->options.by], "");
    for (uint32_t k = 0; k < r->n_groups && k < most; k++) {
        const struct report_group *g = &r->groups[k];
        if (r->options.by == BY_NONE && g->bytes == 0)
            break;
        fprintf(out, "%s %5.1f%%  (%s)  ", aligned(g->bytes, size),
                percent(g->bytes, p->live[r->step]), aligned(g->total, total));
        put_cut(r, out, g->name, WIDTH - 36);
        fputc('\n', out);
    }
}

static void put_totals(const struct report *r, FILE *out)
{
    const struct totals *t = &r->program->totals;
    char a[32];
    if (!r->program->has_totals)
        return;
    const struct {
        const char *name, *what;
        uint64_t bytes;
        bool always;
    } rows[] = {
        {"argument", "parameters of the program", t->argument, true},
        {"output", "what it returns", t->output, true},
        {"alias", "of these, both: a donated parameter that becomes an output", t->alias, true},
        {"temp", "everything in between", t->temp, true},
        {"constant", "constants", t->constant, false},
        {"thread-local", "inside reductions and fusions", t->thread_local_, false},
        {"host argument", "parameters in pinned host memory", t->host_argument, false},
        {"host output", "results in pinned host memory", t->host_output, false},
        {"host temp", "temporaries in pinned host memory", t->host_temp, false},
    };
    fputs("\nAllocations, as memory_analysis() counts them\n", out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].always || rows[k].bytes)
            fprintf(out, "%s  %-13s  %s\n", aligned(rows[k].bytes, a), rows[k].name, rows[k].what);
    fprintf(out, "%s  output + temp\n", aligned(t->output + t->temp, a));
}

void report_text(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    put_title(r, out);
    if (p->lives != LIFE_NONE)
        put_step(r, out);
    put_fit(r, out);
    put_alive(r, out);
    if (p->module->has_hlo)
        put_groups(r, out);
    put_totals(r, out);
    char safe[600];
    for (uint32_t k = 0; k < p->notes.n; k++)
        fprintf(out, "%sNote: %s\n", k ? "" : "\n",
                text_safe(((const char **)p->notes.items)[k], safe, sizeof safe));
}
