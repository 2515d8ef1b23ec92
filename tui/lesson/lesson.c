#include "tui/lesson/lesson_draft.h"

/* What could not be made is no page, but tells which file is missing. */
static void say_missing(struct draft *d)
{
    d->page->lines = (struct list){0};
    d->page->values = (struct list){0};
    d->page->n_looks = 0;
    draft_line(d, "This page cannot be shown, for one of the dumps that it reads is missing:");
    draft_text(d, "why", d->page->why);
    draft_line(d, "{why}");
    draft_line(d, "fixtures/record.py and fixtures/remedies.py make them again.");
    d->page->question = d->page->answer = "";
}

static struct lesson_page *make(struct lesson *l, int page)
{
    const struct template *t = &lesson_templates[page];
    struct lesson_page *pg = arena_get(&l->arena, sizeof *pg);
    struct draft d = {.lesson = l, .arena = &l->arena, .page = pg};
    pg->title = t->title;
    if (!t->fill(&d)) {
        say_missing(&d);
        return pg;
    }
    struct list own = pg->lines; /* what fill() added comes behind the template's lines */
    pg->lines = (struct list){0};
    for (const char *const *line = t->lines; *line; line++)
        draft_line(&d, *line);
    for (uint32_t k = 0; k < own.n; k++)
        *(struct lesson_line *)list_add(d.arena, &pg->lines, sizeof(struct lesson_line)) =
            ((const struct lesson_line *)own.items)[k];
    pg->question = draft_words(&d, t->question);
    pg->answer = draft_words(&d, t->answer);
    return pg;
}

bool lesson_open(struct lesson *l, struct diag *d)
{
    *l = (struct lesson){0};
    return shelf_open(&l->shelf, d);
}

void lesson_close(struct lesson *l)
{
    shelf_close(&l->shelf);
    arena_free(&l->arena);
    *l = (struct lesson){0};
}

const struct lesson_page *lesson_page(struct lesson *l, int page)
{
    page = page < 0 ? 0 : page >= LESSON_PAGES ? LESSON_PAGES - 1 : page;
    if (!l->made[page])
        l->made[page] = make(l, page);
    return l->made[page];
}
