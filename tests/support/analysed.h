/* A program given as text, analysed as far as its loops, and a walk over it that is ready. */
#ifndef TESTS_ANALYSED_H
#define TESTS_ANALYSED_H

#include "core/analysis/loops/loops.h"
#include "core/analysis/loops/trace.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct analysed {
    struct arena arena;
    struct hlo hlo;
    struct dataflow flow;
    struct liveness live;
    struct loops loops;
    struct trace trace;
    char *text;
};

/* `text` without the module's own line. */
static inline void analyse(struct analysed *a, const char *text)
{
    struct diag d = {0};
    char line[1024];
    *a = (struct analysed){.text = malloc(strlen(text) + 100)};
    assert_non_null(a->text);
    sprintf(a->text, "HloModule m, is_scheduled=true\n\n%s", text);
    struct file f = {"x.txt", a->text, strlen(a->text)};
    hlo_init(&a->hlo, &a->arena, f.name);
    if (!hlo_text_read(&a->hlo, &f, &d) || !dataflow_build(&a->flow, &a->hlo, &a->arena, &d) ||
        !liveness_build(&a->live, &a->flow, (struct live_rules){0}, &a->arena, &d))
        fail_msg("%s", diag_text(&d, line, sizeof line));
    loops_build(&a->loops, &a->flow, &a->live, &a->arena);
    trace_init(&a->trace, &a->flow, &a->arena);
}

static inline void forget(struct analysed *a)
{
    arena_free(&a->arena);
    free(a->text);
}

#endif
