#include "tui/model/page.h"

#include "tui/model/text.h"
#include "tui/terminal/grid.h"

#include <string.h>

#define BYTES_WIDTH 12 /* "+1023.99 GiB" */
#define LABEL_MOST 22
#define WORDS_MOST 90 /* columns of a sentence that is pleasant to read */
#define WIDTH_MOST 120 /* sources further away would be hard to follow */
#define ROWS_MOST 16   /* of one line: names from a file may be endless */

/* ---- Making a page ---- */

static void add(struct page_memo *m, struct line l)
{
    *(struct line *)list_add(&m->arena, &m->page.lines, sizeof l) = l;
}

static void add_hints(struct page_memo *m)
{
    if (!m->hinted || m->p->lives == LIFE_NONE)
        return;
    add(m, (struct line){.kind = LINE_TITLE, .words = "Hints: what would lower the peak, most bytes first",
                         .buffer = BUF_NONE, .step = STEP_NONE});
    if (!m->hints.n)
        add(m, (struct line){.kind = LINE_TEXT, .buffer = BUF_NONE, .step = STEP_NONE,
                             .words = "None. They look for what scans keep, rows copied, donation, padding and limits: of that "
                                      "nothing here holds a hundredth of the peak."});
    for (uint32_t i = 0; i < m->hints.n; i++) {
        const struct hint *h = &m->hints.items[i];
        if (h->tells && (i == 0 || !h[-1].tells))
            add(m, (struct line){.kind = LINE_TITLE, .words = "Worth knowing about it", .buffer = BUF_NONE, .step = STEP_NONE});
        add(m, (struct line){.kind = LINE_ITEM, .has_bytes = true, .bytes = h->bytes, .words = h->id,
                             .source = h->source, .buffer = h->buffer, .step = STEP_NONE});
        add(m, (struct line){.kind = LINE_TEXT, .words = h->text, .buffer = h->buffer,
                             .step = STEP_NONE});
    }
}

static void need_hints(struct page_memo *m, uint64_t limit)
{
    if (m->hinted && m->limit == limit)
        return;
    if (m->hinted)
        hints_free(&m->hints);
    hints_find(&m->hints, m->p, limit);
    m->hinted = true;
    m->limit = limit;
}

static void add_page(struct page_memo *m, const struct page *more)
{
    for (uint32_t k = 0; k < more->lines.n; k++)
        add(m, *page_line(more, k));
}

/* Only where something could not share a place: that all did is no news. */
static void add_unshared(struct page_memo *m)
{
    struct page answer = {0};
    explain_unshared(m->p, &m->arena, &answer);
    for (uint32_t k = 0; k < answer.lines.n; k++)
        if (page_line(&answer, k)->kind == LINE_ITEM) {
            add_page(m, &answer);
            return;
        }
}

static void make(struct page_memo *m, uint64_t limit)
{
    struct page answer = {0};
    if (m->kind == PAGE_BUFFER) {
        if (m->subject < m->p->n)
            explain_buffer(m->p, m->subject, &m->arena, &answer);
        add_page(m, &answer);
        return;
    }
    if (m->kind == PAGE_RUN) {
        page_run(m->overlay, &m->arena, &m->page);
        return;
    }
    explain_step(m->p, m->subject, &m->arena, &answer);
    add_page(m, &answer);
    answer = (struct page){0};
    if (m->other)
        explain_difference(m->p, m->other, m->other->loops.n ? "its rolled form" : "its unrolled form", &m->arena,
                           &answer);
    add_page(m, &answer);
    need_hints(m, limit);
    add_hints(m);
    add_unshared(m);
}

const struct page *page_get(struct page_memo *m, const struct program *p, enum page_kind kind,
                            uint32_t subject, const struct program *other, uint64_t limit)
{
    if (m->p == p && m->kind == kind && m->subject == subject && m->other == other &&
        (kind != PAGE_STEP || m->limit == limit))
        return &m->page;
    arena_free(&m->arena);
    m->page = (struct page){0};
    m->p = p;
    m->kind = kind;
    m->subject = subject;
    m->other = other;
    make(m, limit);
    return &m->page;
}

void page_free(struct page_memo *m)
{
    arena_free(&m->arena);
    if (m->hinted)
        hints_free(&m->hints);
    *m = (struct page_memo){0};
}

/* ---- Columns ---- */

struct page_columns page_columns_of(const struct page *pg, int width)
{
    struct page_columns c = {.bytes = 1, .label = 2, .end = width - 1 < WIDTH_MOST ? width - 1 : WIDTH_MOST};
    int most = width < 60 ? 0 : LABEL_MOST;
    for (uint32_t k = 0; k < pg->lines.n; k++) {
        const struct line *l = page_line(pg, k);
        int n = l->label && l->kind != LINE_TITLE ? text_columns(l->label) : 0;
        if (l->has_bytes)
            c.label = c.bytes + BYTES_WIDTH + (width < 60 ? 1 : 2);
        if (n > c.label_width)
            c.label_width = n < most ? n : most;
    }
    c.words = c.label + (c.label_width ? c.label_width + 2 : 0);
    return c;
}

/* ---- Rows ---- */

/* The first title stands over the page. */
static bool is_head(const struct line *l, uint32_t k)
{
    return k == 0 && l->kind == LINE_TITLE;
}

static int indent_of(const struct line *l)
{
    return l->kind == LINE_ITEM ? 2 : 0;
}

struct page_text page_text_of(const struct page_columns *c, const struct line *l)
{
    struct page_text t = {.col = c->words};
    int source = l->source ? text_columns(l->source) + 2 : 0;
    bool label = l->label && l->kind != LINE_TITLE;
    t.label_row = label && !c->label_width; /* it has no column of its own */
    if (l->kind == LINE_TEXT && !label)
        t.col = c->label;
    else if (!label)
        t.col = c->label + indent_of(l);
    else if (t.label_row)
        t.col = c->label + 2;
    t.end = c->end;
    if (l->kind == LINE_TEXT && t.end > t.col + WORDS_MOST)
        t.end = t.col + WORDS_MOST;
    if (source && t.end - source - t.col >= 16)
        t.end -= source;
    if (t.end < t.col + 1)
        t.end = t.col + 1;
    return t;
}

int page_rows(const struct page *pg, const struct page_columns *c, uint32_t k)
{
    const struct line *l = page_line(pg, k);
    struct page_text t = page_text_of(c, l);
    char part[8];
    int n = 0;
    if (l->kind == LINE_TITLE)
        return is_head(l, k) ? 0 : 1 + (k > 0);
    while (n < ROWS_MOST && l->words && wrap_line(l->words, t.end - t.col, n, part, sizeof part))
        n++;
    n += t.label_row;
    return n ? n : 1;
}

int page_height(const struct page *pg, const struct page_columns *c)
{
    return page_row_of(pg, c, pg->lines.n);
}

int page_row_of(const struct page *pg, const struct page_columns *c, uint32_t k)
{
    int row = 0;
    for (uint32_t i = 0; i < k && i < pg->lines.n; i++)
        row += page_rows(pg, c, i);
    return row;
}

uint32_t page_line_at(const struct page *pg, const struct page_columns *c, int row)
{
    uint32_t k = 0;
    for (; k + 1 < pg->lines.n; k++) {
        row -= page_rows(pg, c, k);
        if (row < 0)
            break;
    }
    return k;
}

int page_top_of(const struct page *pg, const struct page_columns *c, uint32_t k, int top, int height)
{
    int all = page_height(pg, c), from = page_row_of(pg, c, k);
    int to = k < pg->lines.n ? from + page_rows(pg, c, k) : from;
    if (to > top + height)
        top = to - height;
    bool first = true; /* what stands above the first line that can be selected is seen with it */
    for (uint32_t i = 0; i < k && i < pg->lines.n; i++)
        first = first && page_line(pg, i)->kind == LINE_TITLE;
    if (first)
        from = 0;
    if (from < top)
        top = from;
    if (top > all - height)
        top = all - height;
    return top < 0 ? 0 : top;
}
