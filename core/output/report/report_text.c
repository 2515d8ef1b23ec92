#include "core/output/report/report.h"
#include "core/output/words/words.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH WORDS_WIDTH

static const char *cut(const struct report *r, const char *text, int columns, char *out, size_t size)
{
    return words_cut(text, columns, r->options.ascii, out, size);
}

/* A name, cut in its middle so that its end ("{3}", ".12") stays, and filled up to `columns`:
 * printf's %-*s would count bytes. */
static void put_cut(const struct report *r, FILE *out, const char *text, int columns)
{
    char safe[1024], head[1100];
    text_safe(text, safe, sizeof safe);
    int n = words_columns(safe), tail = columns / 3;
    if (n <= columns) {
        fprintf(out, "%s%*s", safe, columns - n, "");
        return;
    }
    const char *end = safe + strlen(safe);
    for (int k = 0; k < tail; k++)
        do
            end--;
        while (((unsigned char)*end & 0xC0) == 0x80);
    fprintf(out, "%s%s", cut(r, safe, columns - tail, head, sizeof head), end);
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
        fprintf(out, "%s%u value%s in %u allocation%s", m->has_hlo ? ", " : "",
                m->assignment.values.n, m->assignment.values.n == 1 ? "" : "s",
                m->assignment.allocs.n, m->assignment.allocs.n == 1 ? "" : "s");
    fputs(r->program->lives == LIFE_RERUN ? "; ranges rerun from the HLO\n"
          : r->program->lives == LIFE_DUMP ? "; ranges as the dump states them\n" : "\n", out);
}

/* The loops around the step, outer first; on a line of their own when there are several. */
static void put_loops(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    char names[1000] = "", word[1100];
    size_t used = 0;
    unsigned n = 0;
    for (uint32_t k = 0; k < p->loops.n && used < sizeof names - 120; k++) {
        const struct loop *l = &p->loops.items[k];
        if (r->step < l->first || r->step > l->last)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", n++ ? ", in " : "",
                                 text_safe(l->name, word, 60));
        if (l->trip_count >= 0)
            used += (size_t)snprintf(names + used, sizeof names - used, " (x%lld)",
                                     (long long)l->trip_count);
    }
    if (n == 1 && used < 30)
        fprintf(out, ", in loop %s\n", names);
    else if (n)
        fprintf(out, "\n       in loop %s\n", cut(r, names, WIDTH - 15, word, sizeof word));
    else
        fputc('\n', out);
}

static void put_step(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    char line[400], word[1100], size[24];
    bytes_text(p->live[r->step], size);
    fprintf(out, "\n%-6s %s alive at step %u of %u", r->step == p->peak ? "Peak" : "Step", size,
            r->step, p->steps);
    put_loops(r, out);
    if (r->step == p->steps) {
        fputs("       the end of the program\n", out);
        return;
    }
    inst_id i = p->step_inst[r->step];
    if (i == HLO_NONE) {
        fprintf(out, "       %s\n", cut(r, p->step_name[r->step], WIDTH - 7, word, sizeof word));
        return;
    }
    hlo_inst_text(&p->module->hlo, i, line, sizeof line);
    fprintf(out, "       %s\n", cut(r, line, WIDTH - 7, word, sizeof word));
    const struct hlo_inst *x = program_speaker(&p->module->hlo, i);
    if (x->op_name)
        fprintf(out, "       %s\n", cut(r, x->op_name, WIDTH - 7, word, sizeof word));
    if (x->file) {
        if (x->line)
            snprintf(line, sizeof line, "%s:%u", x->file, x->line);
        else
            snprintf(line, sizeof line, "%s", x->file);
        fprintf(out, "       %s\n", cut(r, line, WIDTH - 7, word, sizeof word));
    }
}

/* XLA's "Live ranges at N (peak)" where it says more than is alive there. */
static void put_claim(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    const struct assignment *a = &p->module->assignment;
    char claimed[24], alive[24];
    if (!report_claims_more(r))
        return;
    bytes_text(a->peak_bytes, claimed);
    bytes_text(p->live[a->peak_step], alive);
    if (strcmp(claimed, alive) == 0)
        return; /* a few bytes more are not worth a line */
    fprintf(out, "Claim  %s at step %u in the dump; %s alive: adds aliases\n", claimed,
            a->peak_step, alive);
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

static void put_roles(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    char size[32], part[8], source[512], word[1100];
    fprintf(out, "\nBy role\n");
    for (uint32_t k = 0; k < r->n_roles; k++) {
        const struct report_role *x = &r->roles[k];
        fprintf(out, "%s  %6s  %-20s  %3u buffer%s", words_aligned(x->bytes, size),
                words_share(x->bytes, p->live[r->step], part), role_name(x->role), x->n,
                x->n == 1 ? "" : "s");
        if (program_source(p, x->largest, source, sizeof source))
            fprintf(out, "%*s%s", x->n == 1 ? 3 : 2, "", cut(r, source, 24, word, sizeof word));
        fputc('\n', out);
    }
}

struct columns {
    int role, value, shape, life, source;
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
    struct columns c = {4, 0, 5, 5, 6};
    int value = 5;
    char text[512];
    for (uint32_t k = 0; k < rows; k++) {
        buf_id b = r->alive[k];
        life_text(p, b, text, sizeof text);
        c.life = longest(c.life, text, 15);
        if (program_source(p, b, text, sizeof text))
            c.source = longest(c.source, text, 18);
        c.role = longest(c.role, role_short((enum role)p->role[b]), 9);
        c.shape = longest(c.shape, p->shape[b], 24);
        value = longest(value, p->name_of[b], WIDTH);
    }
    int left = WIDTH - 11 - 2 - 6 - 2 - c.role - 2 - 2 - c.life - 2 - c.source - 2;
    int least = value < 15 ? value : 15;
    if (c.shape > left - least)
        c.shape = left - least > 5 ? left - least : 5;
    c.value = left - c.shape < value ? left - c.shape : value;
    return c;
}

/* Where a buffer outside the main memory lies, in six columns. */
static const char *space_of(const struct report *r, buf_id b, char out[16])
{
    const struct module *m = r->program->module;
    if (r->program->alloc[b] == ALLOC_NONE)
        return "other";
    space_name(m->platform, assignment_alloc(&m->assignment, r->program->alloc[b])->color, out);
    return strlen(out) <= 6 ? out : strcmp(out, "pinned host") == 0 ? "host" : "other";
}

static void put_buffer(const struct report *r, FILE *out, uint32_t k, struct columns c)
{
    const struct program *p = r->program;
    buf_id b = r->alive[k];
    char text[512], source[512], word[32], place[16];
    const char *part = !p->main[b]                ? space_of(r, b, place)
                       : r->own[k] < p->size[b] ? "shared"
                                                : words_share(r->own[k], p->live[r->step], text);
    fprintf(out, "%s  %6s  %-*s  ", words_aligned(p->size[b], word), part, c.role,
            role_short((enum role)p->role[b]));
    put_cut(r, out, p->name_of[b], c.value);
    fputs("  ", out);
    put_cut(r, out, p->shape[b], c.shape);
    life_text(p, b, text, sizeof text);
    if (!program_source(p, b, source, sizeof source)) {
        fprintf(out, "  %s\n", text);
        return;
    }
    fprintf(out, "  %-*s  ", c.life, text);
    fprintf(out, "%s\n", cut(r, source, c.source, text, sizeof text));
}

static void put_alive(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    uint64_t rest = 0;
    uint32_t rows = r->n < r->options.top ? r->n : r->options.top;
    char size[32], part[8];
    for (uint32_t k = rows; k < r->n; k++)
        rest += p->main[r->alive[k]] ? r->own[k] : 0;
    struct columns c = fit_columns(r, rows);
    fprintf(out, "\n%s: %u buffer%s\n", p->lives == LIFE_NONE ? "Buffers, lives unknown" : "Alive then",
            r->n, r->n == 1 ? "" : "s");
    fprintf(out, "%11s  %6s  %-*s  %-*s  %-*s  %-*s  source\n", "size", "share", c.role, "role", c.value, "value", c.shape,
            "shape", c.life, "life");
    for (uint32_t k = 0; k < rows; k++)
        put_buffer(r, out, k, c);
    if (r->n > rows)
        fprintf(out, "%s  %6s  in %u more\n", words_aligned(rest, size),
                words_share(rest, p->live[r->step], part), r->n - rows);
}

static void put_groups(const struct report *r, FILE *out)
{
    static const char *const title[] = {"source lines", "source lines", "op_names", "shapes", "roles"};
    const struct program *p = r->program;
    bool asked = r->options.by != BY_NONE;
    uint32_t most = asked ? r->options.top : 5, k = 0;
    char size[32], total[32], part[8], word[200];
    fprintf(out, "\nBy %s%s\n", title[r->options.by],
            asked ? "; in brackets: places held at any time" : "");
    for (; k < r->n_groups && k < most; k++) {
        const struct report_group *g = &r->groups[k];
        if (!asked && g->bytes == 0)
            break;
        fprintf(out, "%s  %6s  ", words_aligned(g->bytes, size), words_share(g->bytes, p->live[r->step], part));
        if (asked)
            fprintf(out, "(%s)  ", words_aligned(g->total, total));
        fprintf(out, "%s\n", cut(r, g->name, WIDTH - (asked ? 36 : 21), word, sizeof word));
    }
    if (asked && k < r->n_groups)
        fprintf(out, "%u more; --top N shows them\n", r->n_groups - k);
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
        {"alias", "both: donated parameters that become outputs", t->alias, true},
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
            fprintf(out, "%s  %-13s  %s\n", words_aligned(rows[k].bytes, a), rows[k].name, rows[k].what);
    fprintf(out, "%s  output + temp\n", words_aligned(t->output + t->temp, a));
    if (r->has_bound)
        fprintf(out, "%s  %-13s  the least that the schedule allows for temp\n", words_aligned(r->bound, a),
                "bound");
    if (r->has_bound && r->waste)
        fprintf(out, "%s  %-13s  what temp has above it\n", words_aligned(r->waste, a), "waste");
    for (uint32_t k = 0; k < r->n_spaces; k++)
        if (r->n_spaces > 1)
            fprintf(out, "%s  %-13s  %s memory space, %d in XLA's colours\n",
                    words_aligned(r->spaces[k].total, a), r->spaces[k].name,
                    r->spaces[k].main ? "the main" : "another", (int)r->spaces[k].color);
}

static void put_note(FILE *out, const char *note, bool first)
{
    fprintf(out, "%sNote: ", first ? "\n" : "");
    words_put(out, note, 6, 6);
}

/* What put_claim() says is left out here. */
static void put_hints(const struct report *r, FILE *out)
{
    enum { MOST = 6, INDENT = 13 };
    uint32_t n = 0, shown = 0;
    char size[32], word[200];
    for (uint32_t k = 0; k < r->hints.n; k++) {
        const struct hint *h = &r->hints.items[k];
        if (strcmp(h->id, "double-counted-peak") == 0)
            continue;
        if (n++ == 0)
            fputs("\nHints, with the bytes at stake\n", out);
        if (shown == MOST)
            continue;
        shown++;
        fprintf(out, "%s  %s", words_aligned(h->bytes, size), h->id);
        if (h->source)
            fprintf(out, "  %s", cut(r, h->source, WIDTH - INDENT - 2 - (int)strlen(h->id), word,
                                     sizeof word));
        fprintf(out, "\n%*s", INDENT, "");
        words_put(out, h->text, INDENT, INDENT);
    }
    if (n > shown)
        fprintf(out, "%*s%u more; --json has them\n", INDENT, "", n - shown);
}

static void write_report(const struct report *r, FILE *out)
{
    const struct program *p = r->program;
    put_title(r, out);
    if (p->lives != LIFE_NONE)
        put_step(r, out);
    put_claim(r, out);
    put_fit(r, out);
    if (p->lives != LIFE_NONE && r->options.by != BY_ROLE)
        put_roles(r, out);
    put_alive(r, out);
    if (p->module->has_hlo || r->options.by == BY_ROLE)
        put_groups(r, out);
    put_hints(r, out);
    put_totals(r, out);
    for (uint32_t k = 0; k < p->notes.n; k++)
        put_note(out, ((const char **)p->notes.items)[k], k == 0);
}

static void write_any(const void *r, FILE *out)
{
    write_report(r, out);
}

void report_text(const struct report *r, FILE *out)
{
    words_page(write_any, r, r->options.ascii, out);
}
