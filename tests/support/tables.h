/* Tests that are rows of a table. */
#ifndef TESTS_TABLES_H
#define TESTS_TABLES_H

#include "tests/support/cmocka_all.h"

/* Adds to tests[n]: a test of its own, or one for each row of a table, named by the row's `label`. */
#define ADD(function) tests[n++] = (struct CMUnitTest){.name = #function, .test_func = function}
#define ADD_TABLE(table, function, label)                                                          \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                      \
        tests[n++] = (struct CMUnitTest){.name = table[i].label, .test_func = function,            \
                                         .initial_state = (void *)(uintptr_t)&table[i]}

#endif
