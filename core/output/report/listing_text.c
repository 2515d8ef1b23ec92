#include "core/output/report/listing_report.h"
#include "core/output/words/words.h"

#include <string.h>

#define LABEL 7 /* columns of "Fits?  " */

/* What writing one report shares. */
struct page {
    const struct listing_report *r;
    const struct listing *l;
    struct listing_fit fit;
    struct arena arena;
    uint64_t whole; /* shares are of it */
    FILE *out;
};

static const char *cut(const struct page *p, const char *text, int columns, char *out, size_t size)
{
    return words_cut(text ? text : "", columns, p->r->options->ascii, out, size);
}

static void put_title(const struct page *p)
{
    const struct listing *l = p->l;
    char file[300];
    fprintf(p->out, "%s", cut(p, p->r->name, 60, file, sizeof file));
    if (platform_name(p->r->platform))
        fprintf(p->out, " on %s", platform_name(p->r->platform));
    fprintf(p->out, "\n%s in %s", listing_kind_words(l), cut(p, p->r->file, 45, file, sizeof file));
    if (l->form != LISTING_REPORT)
        fprintf(p->out, ", line%s %u", l->last > l->line ? "s" : "", (unsigned)l->line);
    if (l->form != LISTING_REPORT && l->last > l->line)
        fprintf(p->out, " to %u", (unsigned)l->last);
    if (l->times > 1)
        fprintf(p->out, ", %u times", (unsigned)l->times);
    fputc('\n', p->out);
}

static void put_line(const struct page *p, const char *label, const char *text)
{
    fprintf(p->out, "%-*s", LABEL, label);
    words_put(p->out, text, LABEL, LABEL);
}

/* The buffers that would have to go, a line each. */
static void put_go(const struct page *p)
{
    enum { MOST = 5 };
    char words[300], size[32], name[200], source[4200], plain[1000], shape[100];
    listing_go_words(p->l, &p->fit, words, sizeof words);
    if (!*words)
        return;
    put_line(p, "To fit", words);
    for (uint32_t k = 0; k < p->fit.n_go && k < MOST && p->fit.enough; k++) {
        const struct listing_buffer *b = listing_buffer(p->l, p->fit.go[k].buffer);
        const char *from = listing_source(b, false, source, sizeof source);
        fprintf(p->out, "%s  ", words_aligned(b->size.bytes, size));
        if (p->fit.go[k].count > 1)
            fprintf(p->out, "%llu of  ", (unsigned long long)p->fit.go[k].count);
        fprintf(p->out, "%s%s%s%s%s\n", cut(p, b->name ? b->name : "?", 24, name, sizeof name), b->shape ? "  " : "",
                cut(p, listing_shape(b, plain, sizeof plain), 24, shape, sizeof shape), from ? "  " : "", from ? from : "");
    }
    if (p->fit.n_go > MOST && p->fit.enough)
        fprintf(p->out, "%*s%u more\n", LABEL, "", (unsigned)(p->fit.n_go - MOST));
}

static void put_figures(const struct page *p)
{
    static const char *const heads[] = {
        [PART_STATS] = "The program's allocations", [PART_TOTAL] = "In use",
        [PART_PROGRAM] = "The program needs", [PART_PERSISTENT] = "Allocated already, some or all of",
        [PART_HEAP] = "The heap", [PART_RUNTIME] = "The device's memory"};
    int part = -1;
    char size[32], name[100], note[200];
    for (uint32_t k = 0; k < p->l->figures.n; k++) {
        const struct listing_figure *f = listing_figure(p->l, k);
        if ((int)f->part != part)
            fprintf(p->out, "\n%s\n", heads[f->part]);
        part = (int)f->part;
        words_aligned(f->bytes.bytes, size);
        char *sign = strrchr(size, ' '); /* a blank stands before every figure of less than 7 columns */
        for (char *at = size; f->negative && *at == ' ' && at < sign; at++)
            if (at[1] != ' ')
                *at = '-';
        fprintf(p->out, "%s  %s", size, cut(p, f->name, 40, name, sizeof name));
        if (f->note)
            fprintf(p->out, "  %s", cut(p, f->note, 65 - words_columns(name), note, sizeof note));
        fputc('\n', p->out);
    }
}

/* ---- The buffers ---- */

/* Columns of text, as wide as their cells; what is left is the shape's.  0: empty, and left out. */
struct columns {
    int kind, name, shape, source;
};

static const char *name_cell(const struct listing_buffer *b, char *out, size_t size)
{
    char one[24];
    if (b->count > 1)
        snprintf(out, size, "%llu of %s", (unsigned long long)b->count, bytes_text(b->size.bytes, one));
    else
        snprintf(out, size, "%s", b->name ? b->name : "");
    return out;
}

static void widen(int *width, const char *text, int most)
{
    int n = text ? words_columns(text) : 0;
    n = n > most ? most : n;
    *width = n > *width ? n : *width;
}

static struct columns fit_columns(const struct page *p, const uint32_t *order, uint32_t rows)
{
    struct columns c = {0};
    int shape = 0;
    char text[4200];
    for (uint32_t k = 0; k < rows; k++) {
        const struct listing_buffer *b = listing_buffer(p->l, order[k]);
        widen(&c.kind, b->kind, 10);
        widen(&c.name, name_cell(b, text, sizeof text), 18);
        widen(&c.source, listing_source(b, false, text, sizeof text), 16);
        widen(&shape, listing_shape(b, text, sizeof text), 60);
    }
    int left = WORDS_WIDTH - 18 - (p->l->padding ? 9 : 0);
    const int *const taken[] = {&c.kind, &c.name, &c.source};
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        left -= *taken[k] ? *taken[k] + 2 : 0;
    c.shape = shape < left - 2 ? shape : left - 2;
    return c;
}

/* The text of a row: cells, each behind two blanks. */
static void put_cells(const struct page *p, const struct columns *c, const char *const cells[4])
{
    const int width[] = {c->kind, c->name, c->shape, c->source};
    char word[300];
    int blanks = 0;
    for (int k = 0; k < 4; k++) {
        if (width[k] <= 0)
            continue;
        blanks += 2;
        cut(p, cells[k], width[k], word, sizeof word);
        if (*word)
            fprintf(p->out, "%*s%s", blanks, "", word);
        blanks = *word ? width[k] - words_columns(word) : blanks + width[k];
    }
    fputc('\n', p->out);
}

static void put_buffer(const struct page *p, const struct columns *c, const struct listing_buffer *b)
{
    char size[32], part[8], source[4200], name[200], shape[1000], growth[16];
    uint64_t bytes = listing_buffer_bytes(b);
    if (b->size.known)
        fprintf(p->out, "%s  %5s", words_aligned(bytes, size), words_share(bytes, p->whole, part));
    else
        fprintf(p->out, "%11s  %5s", "?", "");
    if (p->l->padding)
        fprintf(p->out, "  %7s", listing_growth(b, growth));
    put_cells(p, c, (const char *const[]){b->kind, name_cell(b, name, sizeof name),
                                          listing_shape(b, shape, sizeof shape),
                                          listing_source(b, false, source, sizeof source)});
}

static void put_buffers(struct page *p)
{
    const struct listing *l = p->l;
    uint32_t n = l->buffers.n, top = p->r->options->top, rows = n < top ? n : top;
    char size[24], padding[24];
    if (!n)
        return;
    const uint32_t *order = listing_by_size(l, &p->arena);
    struct columns c = fit_columns(p, order, rows);
    fprintf(p->out, "\nListed: %u buffer%s, %s", (unsigned)n, n == 1 ? "" : "s",
            bytes_text(listing_listed(l), size));
    if (l->padding)
        fprintf(p->out, ", of which padding takes %s", bytes_text(listing_padding(l), padding));
    if (l->cut)
        fprintf(p->out, "; the first %u are cut off", (unsigned)l->cut);
    fprintf(p->out, "\n%11s  %5s%s", "size", "share", l->padding ? "  padding" : "");
    put_cells(p, &c, (const char *const[]){"kind", "name", "shape", "source"});
    for (uint32_t k = 0; k < rows; k++)
        put_buffer(p, &c, listing_buffer(l, order[k]));
    if (n > rows)
        fprintf(p->out, "%u more; --top N shows them\n", (unsigned)(n - rows));
}

static void put_groups(struct page *p)
{
    static const char *const heads[] = {"source lines", "source lines", "op_names", "shapes", "kinds"};
    static const enum listing_by kinds[] = {
        [BY_NONE] = LISTING_BY_LINE, [BY_LINE] = LISTING_BY_LINE, [BY_OP] = LISTING_BY_OP,
        [BY_SHAPE] = LISTING_BY_SHAPE, [BY_ROLE] = LISTING_BY_KIND};
    enum report_by by = p->r->options->by;
    uint32_t n, most = by == BY_NONE ? 5 : p->r->options->top;
    const struct listing_group *g = listing_groups(p->l, kinds[by], &n, &p->arena);
    char size[32], part[8], word[300];
    if (!n || (n == 1 && !g[0].name && by == BY_NONE))
        return;
    fprintf(p->out, "\nBy %s\n", heads[by]);
    for (uint32_t k = 0; k < n && k < most; k++)
        fprintf(p->out, "%s  %5s  %s\n", words_aligned(g[k].bytes, size), words_share(g[k].bytes, p->whole, part),
                g[k].name ? cut(p, g[k].name, WORDS_WIDTH - 20, word, sizeof word) : "(not told)");
    if (n > most)
        fprintf(p->out, "%u more; --by and --top N show them\n", (unsigned)(n - most));
}

static void write_listing(const void *what, FILE *out)
{
    const struct listing_report *r = what;
    struct page p = {.r = r, .l = r->listing, .out = out, .whole = listing_whole(r->listing)};
    char text[400];
    listing_fit(&p.fit, p.l, r->options->has_limit ? r->options->limit : 0, &p.arena);
    put_title(&p);
    fputc('\n', out);
    put_line(&p, "Says", listing_headline(p.l, text, sizeof text));
    put_line(&p, "Fits?", listing_fit_words(&p.fit, text, sizeof text));
    if (listing_yet_words(p.l, &p.fit, text, sizeof text))
        put_line(&p, "", text);
    put_go(&p);
    put_figures(&p);
    put_buffers(&p);
    put_groups(&p);
    fputs("\nNote: ", out);
    words_put(out, listing_lacks, 6, 6);
    arena_free(&p.arena);
}

void listing_report_text(const struct listing_report *r, FILE *out)
{
    words_page(write_listing, r, r->options->ascii, out);
}
