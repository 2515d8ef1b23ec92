/* The page: page.html of page/ with its style, its script and the program's figures as JSON in place of
 * the marks.  Columns of numbers are differences, texts stand once in a list: a few bytes a buffer. */
#include "core/analysis/program/timeline.h"
#include "core/base/strmap.h"
#include "core/output/export/export_forms.h"
#include "core/output/export/export_page.h"
#include "core/output/export/export_svg.h"
#include "core/output/words/escape.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 1500     /* of the chart; */
#define COLUMNS_LEAST 300 /* fewer where there are so many buffers that each column takes long */
#define COLUMNS_WORK 40000000
#define LOOPS 2000       /* with more there is no execution order, and only the first are told */
#define LISTED 5000      /* buffers one by one */
#define RUNS 20000       /* changes of filled bytes in execution order */
#define EXACT (1ull << 53) /* numbers of the script are whole up to here */
#define NOSCRIPT_TOP 15

struct writer {
    const struct report *r;
    const struct program *p;
    struct drawing s;
    struct arena arena;
    struct strmap numbers;
    struct list strings; /* const char *: in order of their numbers */
    FILE *out;
};

static uint32_t string_number(struct writer *w, const char *text)
{
    size_t len = strlen(text);
    uint32_t k = strmap_find(&w->numbers, text, len);
    if (k != STRMAP_NONE)
        return k;
    k = w->strings.n;
    strmap_put(&w->arena, &w->numbers, text, len, k);
    *(const char **)list_add(&w->arena, &w->strings, sizeof(char *)) = arena_text(&w->arena, text, len);
    return k;
}

static void put_key(struct writer *w, const char *name)
{
    fprintf(w->out, ",\n\"%s\":", name);
}

static void put_text(struct writer *w, const char *name, const char *text)
{
    put_key(w, name);
    if (text)
        put_string(text, w->out);
    else
        fputs("null", w->out);
}

static void put_number(struct writer *w, const char *name, bool known, uint64_t n)
{
    put_key(w, name);
    if (known)
        fprintf(w->out, "%llu", (unsigned long long)n);
    else
        fputs("null", w->out);
}

/* ---- Columns ---- */

struct column {
    FILE *out;
    uint64_t before;
    bool any;
};

static struct column column_open(struct writer *w, const char *name)
{
    put_key(w, name);
    fputc('[', w->out);
    return (struct column){.out = w->out};
}

static void column_add(struct column *c, uint64_t n)
{
    bool less = n < c->before;
    fprintf(c->out, "%s%s%llu", c->any ? "," : "", less ? "-" : "",
            (unsigned long long)(less ? c->before - n : n - c->before));
    c->before = n;
    c->any = true;
}

static void column_close(struct column *c)
{
    fputc(']', c->out);
}

/* ---- Parts ---- */

static void put_totals(struct writer *w)
{
    put_key(w, "bytes");
    if (!w->p->has_totals) {
        fputs("null", w->out);
        return;
    }
    fputc('{', w->out);
    for (size_t k = 0; k < TOTALS_COUNT; k++)
        fprintf(w->out, "%s\"%s\":%llu", k ? "," : "", totals_name(k),
                (unsigned long long)totals_bytes(&w->p->totals, k));
    fputc('}', w->out);
}

static void put_summary(struct writer *w)
{
    const struct report *r = w->r;
    const struct program *p = w->p;
    const struct module *m = p->module;
    fputs("{\"version\":1", w->out);
    put_text(w, "name", p->name ? p->name : "?");
    put_text(w, "platform", platform_name(m->platform));
    put_text(w, "device", m->device);
    put_number(w, "instructions", m->has_hlo, m->hlo.insts.n);
    put_number(w, "buffers", true, p->n);
    put_number(w, "steps", true, p->steps);
    put_number(w, "peak", true, p->peak);
    put_number(w, "live", true, p->live[p->peak]);
    put_number(w, "need", r->has_need, r->need);
    put_number(w, "limit", r->has_limit, r->limit);
    put_number(w, "bound", r->has_bound, r->bound);
    put_number(w, "waste", r->has_bound, r->waste);
    put_text(w, "lives", p->lives == LIFE_RERUN ? "rerun" : "dump");
    put_totals(w);
}

static void put_roles(struct writer *w)
{
    put_key(w, "roles");
    for (int k = 0; k < ROLE_COUNT; k++) {
        fprintf(w->out, "%c{\"id\":%d,\"name\":", k ? ',' : '[', (int)drawing_roles[k]);
        put_string(role_name(drawing_roles[k]), w->out);
        fputs(",\"words\":", w->out);
        put_string(role_words(drawing_roles[k]), w->out);
        fputc('}', w->out);
    }
    fputc(']', w->out);
}

static void put_notes(struct writer *w)
{
    put_key(w, "notes");
    fputc('[', w->out);
    for (uint32_t k = 0; k < w->p->notes.n; k++) {
        fputs(k ? "," : "", w->out);
        put_string(((const char *const *)w->p->notes.items)[k], w->out);
    }
    fputc(']', w->out);
    put_key(w, "hints");
    fputc('[', w->out);
    for (uint32_t k = 0; k < w->r->hints.n; k++) {
        const struct hint *h = &w->r->hints.items[k];
        fprintf(w->out, "%s{\"bytes\":%llu,\"id\":\"%s\",\"text\":", k ? "," : "",
                (unsigned long long)h->bytes, h->id);
        put_string(h->text, w->out);
        fputs(",\"source\":", w->out);
        put_string(h->source ? h->source : "", w->out);
        fputc('}', w->out);
    }
    fputc(']', w->out);
}

static void put_chart(struct writer *w)
{
    const struct drawing *s = &w->s;
    struct column c = column_open(w, "first");
    for (uint32_t k = 0; k < s->n_cols; k++)
        column_add(&c, s->first[k]);
    column_close(&c);
    c = column_open(w, "at");
    for (uint32_t k = 0; k < s->n_cols; k++)
        column_add(&c, s->at[k]);
    column_close(&c);
    c = column_open(w, "inst");
    for (uint32_t k = 0; k < s->n_cols; k++)
        column_add(&c, string_number(w, s->at[k] < w->p->steps ? w->p->step_name[s->at[k]] : "the end"));
    column_close(&c);
    for (int role = 0; role < ROLE_COUNT; role++) {
        char name[16];
        if (!s->role[role])
            continue;
        snprintf(name, sizeof name, "role%d", role);
        c = column_open(w, name);
        for (uint32_t k = 0; k < s->n_cols; k++)
            column_add(&c, s->role[role][k]);
        column_close(&c);
    }
}

static bool take_run(void *ctx, uint64_t at, uint64_t bytes)
{
    struct list *runs = ((struct list **)ctx)[0];
    struct arena *a = ((struct arena **)ctx)[1];
    uint64_t *run = runs->n < RUNS ? list_add(a, runs, 2 * sizeof *run) : NULL;
    if (run) {
        run[0] = at;
        run[1] = bytes;
    }
    return run != NULL;
}

/* Filled bytes at every moment; null where that is not known, or too much. */
static void put_runs(struct writer *w)
{
    struct timeline t;
    struct list runs = {0};
    void *ctx[] = {&runs, &w->arena};
    timeline_build(&t, w->p);
    bool told = t.moments < EXACT && w->p->loops.n <= LOOPS;
    bool all = w->p->lives == LIFE_RERUN && told && timeline_runs(&t, true, take_run, ctx);
    put_number(w, "moments", told, t.moments);
    for (int part = 0; part < 2; part++) {
        const uint64_t *run = runs.items;
        if (!all) {
            put_number(w, part ? "runBytes" : "runAt", false, 0);
            continue;
        }
        struct column c = column_open(w, part ? "runBytes" : "runAt");
        for (uint32_t k = 0; k < runs.n; k++)
            column_add(&c, run[2 * k + (uint32_t)part]);
        column_close(&c);
    }
    timeline_free(&t);
}

static void put_loops(struct writer *w)
{
    put_number(w, "allLoops", true, w->p->loops.n);
    put_key(w, "loops");
    fputc('[', w->out);
    for (uint32_t k = 0; k < w->p->loops.n && k < LOOPS; k++) {
        const struct loop *l = &w->p->loops.items[k];
        fprintf(w->out, "%s{\"first\":%u,\"last\":%u,\"depth\":%u,\"trips\":%lld,\"pass\":\"%s\",\"name\":",
                k ? "," : "", l->first, l->last, l->depth, (long long)l->trip_count,
                l->pass == PASS_FORWARD ? "forward" : l->pass == PASS_BACKWARD ? "backward" : "");
        put_string(l->name, w->out);
        fputc('}', w->out);
    }
    fputc(']', w->out);
}

static void put_groups(struct writer *w)
{
    char text[200];
    struct column c = column_open(w, "groupSize");
    for (uint32_t k = 0; k < w->s.n_groups; k++)
        column_add(&c, w->s.groups[k].size);
    column_close(&c);
    put_key(w, "groupName");
    fputc('[', w->out);
    for (uint32_t k = 0; k < w->s.n_groups; k++) {
        fputs(k ? "," : "", w->out);
        put_string(drawing_group_text(&w->s, k, text, sizeof text), w->out);
    }
    fputc(']', w->out);
}

/* ---- Buffers ---- */

static uint64_t size_of(struct writer *w, buf_id b) { return w->p->size[b]; }
static uint64_t offset_of(struct writer *w, buf_id b) { return w->p->offset[b]; }
static uint64_t start_of(struct writer *w, buf_id b) { return w->p->start[b]; }
static uint64_t end_of(struct writer *w, buf_id b) { return w->p->end[b]; }
static uint64_t role_of(struct writer *w, buf_id b) { return w->p->role[b]; }
static uint64_t name_of(struct writer *w, buf_id b) { return string_number(w, w->p->name_of[b]); }
static uint64_t shape_of(struct writer *w, buf_id b) { return string_number(w, w->p->shape[b]); }
static uint64_t group_of(struct writer *w, buf_id b)
{
    return w->s.group_of[b] == UINT32_MAX ? w->s.n_groups : w->s.group_of[b];
}
static uint64_t op_of(struct writer *w, buf_id b)
{
    return string_number(w, w->p->op_name[b] ? w->p->op_name[b] : "");
}
static uint64_t source_of(struct writer *w, buf_id b)
{
    char source[512];
    const char *text = program_source(w->p, b, source, sizeof source);
    return string_number(w, text ? text : "");
}

static void put_buffers(struct writer *w)
{
    static const struct {
        const char *name;
        uint64_t (*of)(struct writer *w, buf_id b);
    } columns[] = {{"size", size_of},   {"offset", offset_of}, {"start", start_of}, {"end", end_of},
                   {"role", role_of},   {"group", group_of},   {"value", name_of},  {"shape", shape_of},
                   {"op", op_of},       {"source", source_of}};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        struct column c = column_open(w, columns[k].name);
        for (uint32_t i = 0; i < w->s.n_listed; i++)
            column_add(&c, columns[k].of(w, w->s.listed[i]));
        column_close(&c);
    }
    put_number(w, "rest", true, w->s.rest);
    put_number(w, "restSize", true, w->s.rest_size);
    put_number(w, "restMost", true, w->s.rest_most);
    put_key(w, "strings");
    fputc('[', w->out);
    for (uint32_t k = 0; k < w->strings.n; k++) {
        fputs(k ? ",\n" : "", w->out);
        put_string(((const char *const *)w->strings.items)[k], w->out);
    }
    fputc(']', w->out);
}

static void put_data(struct writer *w)
{
    put_summary(w);
    put_roles(w);
    put_notes(w);
    put_chart(w);
    put_runs(w);
    put_loops(w);
    put_groups(w);
    put_buffers(w);
    fputs("}\n", w->out);
}

/* ---- What is read without a script ---- */

static void put_peak_table(struct writer *w)
{
    const struct report *r = w->r;
    char bytes[24], source[512];
    fprintf(w->out, "<table><caption>The largest of %u buffers alive at step %u</caption><tr><th>size"
                    "<th>role<th>value<th>shape<th>source</tr>\n", r->n, r->step);
    for (uint32_t k = 0; k < r->n && k < NOSCRIPT_TOP; k++) {
        buf_id b = r->alive[k];
        fprintf(w->out, "<tr><td>%s<td>%s<td>", bytes_text(w->p->size[b], bytes),
                role_name((enum role)w->p->role[b]));
        put_xml(w->p->name_of[b], w->out);
        fputs("<td>", w->out);
        put_xml(w->p->shape[b], w->out);
        fputs("<td>", w->out);
        if (program_source(w->p, b, source, sizeof source))
            put_xml(source, w->out);
        fputs("</tr>\n", w->out);
    }
    fputs("</table>\n", w->out);
}

static void put_static(struct writer *w)
{
    svg_drawing(w->r, EXPORT_CHART, true, w->out);
    put_peak_table(w);
}

static void put_title(struct writer *w)
{
    put_xml(w->p->name ? w->p->name : "?", w->out);
}

static void put_style(struct writer *w)
{
    fwrite(export_page_css, 1, export_page_css_size, w->out);
}

static void put_script(struct writer *w)
{
    fwrite(export_page_js, 1, export_page_js_size, w->out);
}

static uint32_t columns_for(const struct program *p)
{
    uint32_t n = COLUMNS_WORK / (p->n + 1);
    return n > COLUMNS ? COLUMNS : n < COLUMNS_LEAST ? COLUMNS_LEAST : n;
}

void export_html(const struct report *r, FILE *out)
{
    static const struct {
        const char *mark;
        void (*put)(struct writer *w);
    } parts[] = {{"@TITLE@", put_title}, {"@STYLE@", put_style}, {"@STATIC@", put_static},
                 {"@DATA@", put_data},   {"@SCRIPT@", put_script}};
    struct writer w = {.r = r, .p = r->program, .out = out};
    const char *at = (const char *)export_page_html, *end = at + export_page_html_size;
    drawing_make(&w.s, r, columns_for(r->program), LISTED);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const char *mark = strstr(at, parts[k].mark);
        if (!mark)
            continue;
        fwrite(at, 1, (size_t)(mark - at), out);
        parts[k].put(&w);
        at = mark + strlen(parts[k].mark);
    }
    fwrite(at, 1, (size_t)(end - at), out);
    drawing_free(&w.s);
    arena_free(&w.arena);
}
