/* Text that a test writes piece by piece and then compares as a whole. */
#ifndef TESTS_WORDS_H
#define TESTS_WORDS_H

#include "tests/support/cmocka_all.h"

struct words {
    char text[16384];
    size_t used;
};

static inline void put(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void put(struct words *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, fmt, args);
    va_end(args);
    if (n > 0)
        w->used += (size_t)n;
    if (w->used >= sizeof w->text) /* cut: it equals nothing that was expected */
        w->used = sizeof w->text - 1;
}

#endif
