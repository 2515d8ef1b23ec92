/* A program given as text, rerun as far as its live ranges, or refused. */
#ifndef TESTS_LIVE_TEXT_H
#define TESTS_LIVE_TEXT_H

#include "core/analysis/flow/liveness.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

#define SCHEDULED "HloModule m, is_scheduled=true\n\n"

struct live_text {
    struct arena arena;
    struct hlo hlo;
    struct dataflow flow;
    struct liveness live;
    char *text, error[1024];
};

static inline bool live_text_read(struct live_text *a, const char *header, const char *text,
                    struct live_rules rules)
{
    struct diag d = {0};
    size_t size = strlen(header) + strlen(text);
    *a = (struct live_text){.text = malloc(size + 1)};
    assert_non_null(a->text);
    sprintf(a->text, "%s%s", header, text);
    struct file f = {"x.txt", a->text, size};
    hlo_init(&a->hlo, &a->arena, f.name);
    bool ok = hlo_text_read(&a->hlo, &f, &d) && dataflow_build(&a->flow, &a->hlo, &a->arena, &d) &&
              liveness_build(&a->live, &a->flow, rules, &a->arena, &d);
    if (!ok)
        diag_text(&d, a->error, sizeof a->error);
    return ok;
}

static inline void live_text_free(struct live_text *a)
{
    arena_free(&a->arena);
    free(a->text);
}

#endif
