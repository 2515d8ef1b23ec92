/* tidemark lesson [PAGE]: the lesson in the explorer; as text where there is no terminal, as JSON. */
#include "core/base/json.h"
#include "tui/cli/commands.h"
#include "tui/lesson/lesson.h"
#include "tui/lesson/lesson_find.h"
#include "tui/programs/open.h"
#include "tui/terminal/grid.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_COLS = 80, MOST_NAMED = 2 };

/* ---- Text ---- */

/* Through a grid, so that names of a dump are as safe as on the screen, and ASCII is. */
static void print_rows(const struct list *rows, bool ascii)
{
    const struct lesson_row *row = rows->items;
    struct grid g;
    grid_init(&g, TEXT_COLS, rows->n ? (int)rows->n : 1, ascii);
    for (uint32_t k = 0; k < rows->n; k++)
        grid_text(&g, (struct rect){0, 0, TEXT_COLS, g.rows}, (int)k, 2, ST_PLAIN, row[k].text);
    grid_print(&g, stdout);
    grid_free(&g);
}

static void print_page(const struct lesson_page *pg, int number, bool more, bool ascii)
{
    struct arena a = {0};
    struct list rows = {0};
    char safe[300];
    lesson_rows(pg, &(struct lesson_style){TEXT_COLS - 4, true, NULL, LOOK_ALL}, &a, &rows);
    printf("%s%d. %s\n", more ? "\n" : "", number, pg->title);
    for (uint32_t k = 0; k < pg->n_looks && k < MOST_NAMED; k++)
        if (!k || pg->looks[k].book != pg->looks[k - 1].book)
            printf("%s%s", k ? ", " : "   ", text_safe(pg->looks[k].book->name, safe, sizeof safe));
    printf(pg->n_looks > MOST_NAMED ? " and others\n\n" : pg->n_looks ? "\n\n" : "\n");
    print_rows(&rows, ascii);
    arena_free(&a);
}

/* ---- JSON ---- */

static cJSON *figures_json(const struct lesson_page *pg)
{
    cJSON *figures = cJSON_CreateArray();
    for (uint32_t k = 0; k < pg->values.n; k++) {
        const struct lesson_value *v = (const struct lesson_value *)pg->values.items + k;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "name", json_text(v->name));
        cJSON_AddItemToObject(one, "bytes", json_number_or_null(v->kind == VALUE_BYTES, v->number));
        cJSON_AddItemToObject(one, "count", json_number_or_null(v->kind == VALUE_COUNT, v->number));
        cJSON_AddItemToObject(one, "text", json_text(v->kind == VALUE_TEXT ? v->text : NULL));
        cJSON_AddItemToArray(figures, one);
    }
    return figures;
}

static cJSON *remedies_json(const struct lesson_page *pg)
{
    cJSON *remedies = cJSON_CreateArray();
    for (uint32_t k = 0; k < pg->lines.n; k++) {
        const struct lesson_line *l = lesson_line(pg, k);
        if (l->kind != LESSON_REMEDY || l->look >= pg->n_looks)
            continue;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "dump", json_text(pg->looks[l->look].book->name));
        cJSON_AddItemToObject(one, "title", json_text(l->words));
        cJSON_AddItemToObject(one, "when", json_text(l->more));
        cJSON_AddItemToObject(one, "bytes", json_number(find_total(pg->looks[l->look].book->p)));
        cJSON_AddItemToArray(remedies, one);
    }
    return remedies;
}

/* Paragraphs, and the figures between them, as lines of text. */
static cJSON *words_json(const struct lesson_page *pg)
{
    struct arena a = {0};
    struct list rows = {0};
    struct lesson_page words = *pg;
    cJSON *lines = cJSON_CreateArray();
    words.question = "";
    lesson_rows(&words, &(struct lesson_style){TEXT_COLS, false, NULL, LOOK_ALL}, &a, &rows);
    for (uint32_t k = 0; k < rows.n; k++)
        cJSON_AddItemToArray(lines, json_text(((const struct lesson_row *)rows.items)[k].text));
    arena_free(&a);
    return lines;
}

static cJSON *page_json(const struct lesson_page *pg, int number)
{
    cJSON *page = cJSON_CreateObject(), *dumps = cJSON_CreateArray();
    for (uint32_t k = 0; k < pg->n_looks; k++)
        cJSON_AddItemToArray(dumps, json_text(pg->looks[k].book->name));
    cJSON_AddItemToObject(page, "page", json_number((uint64_t)number));
    cJSON_AddItemToObject(page, "title", json_text(pg->title));
    cJSON_AddItemToObject(page, "dumps", dumps);
    cJSON_AddItemToObject(page, "text", words_json(pg));
    cJSON_AddItemToObject(page, "figures", figures_json(pg));
    cJSON_AddItemToObject(page, "remedies", remedies_json(pg));
    cJSON_AddItemToObject(page, "question", json_text(pg->why ? NULL : pg->question));
    cJSON_AddItemToObject(page, "answer", json_text(pg->why ? NULL : pg->answer));
    return page;
}

/* ---- The command ---- */

/* What could not be shown is an error, but only a warning where other pages can be. */
static int say_missing(struct lesson *l, int first, int last)
{
    const char *why = NULL;
    struct diag d;
    int missing = 0;
    for (int k = first; k <= last; k++)
        missing += lesson_page(l, k)->why != NULL;
    bool all = missing == last - first + 1;
    for (int k = first; k <= last; k++) {
        const char *text = lesson_page(l, k)->why;
        if (text && !all && (!why || strcmp(why, text) != 0))
            say_warning(text);
        why = text ? text : why;
    }
    if (!all)
        return 0;
    diag_file(&d, NULL, "%s", why);
    say_error(&d);
    return 2;
}

static int tell(const struct options *o, int page)
{
    struct lesson l;
    struct diag d;
    if (!lesson_open(&l, &d)) {
        say_error(&d);
        return 2;
    }
    int first = page ? page - 1 : 0, last = page ? page - 1 : LESSON_PAGES - 1;
    cJSON *pages = o->json ? cJSON_CreateArray() : NULL;
    int status = say_missing(&l, first, last);
    for (int k = first; k <= last; k++)
        if (pages)
            cJSON_AddItemToArray(pages, page_json(lesson_page(&l, k), k + 1));
        else
            print_page(lesson_page(&l, k), k + 1, k > first, o->ascii);
    if (pages)
        print_json("lesson", pages);
    lesson_close(&l);
    return status;
}

/* A whole number from 1 on, or 0. */
static int page_number(const char *word)
{
    char *end;
    long n = strtol(word, &end, 10);
    return *end || n < 1 || n > LESSON_PAGES ? 0 : (int)n;
}

int command_lesson(const struct options *o)
{
    int page = o->asked.n_paths ? page_number(o->asked.paths[0]) : 0;
    struct diag d;
    if (o->asked.n_paths > 1 || (o->asked.n_paths && !page)) {
        diag_file(&d, NULL, "lesson %s: expected a page, 1 to %d", o->asked.paths[0], LESSON_PAGES);
        diag_hint(&d, "tidemark lesson shows them all");
        say_error(&d);
        return 2;
    }
    if (o->json || (!o->dump && !isatty(STDOUT_FILENO)))
        return tell(o, page);
    struct options example = *o;
    example.asked.n_paths = 0;
    example.lesson = page ? page : 1;
    return command_explore(&example);
}
