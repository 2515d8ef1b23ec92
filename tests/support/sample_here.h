/* The sample at hand: one program at a time, what is remembered of it, and keys that are played in it. */
#ifndef TESTS_SAMPLE_HERE_H
#define TESTS_SAMPLE_HERE_H

#include "tests/support/tables.h"
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tui/update/update.h"

static struct memo memo;
static struct sample sample;

static inline const struct program *open_sample(enum sample_kind kind)
{
    sample_make(&sample, kind);
    return &sample.program;
}

static inline void close_sample(void)
{
    memo_free(&memo);
    sample_free(&sample);
}

static inline struct app start(const struct program *p)
{
    return app_start(p, &memo, 80, 24, 0);
}

static inline bool screen_says(const struct program *p, const struct app *s, const char *want)
{
    char *text = screen_text(p, &memo, s, false);
    bool says = strstr(text, want) != NULL;
    free(text);
    return says;
}

#endif
