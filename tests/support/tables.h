/* Lists of tests: rows of tables, and tests of their own.
 *
 *     struct CMUnitTest tests[COUNT(rows) + 1];
 *     size_t n = 0;
 *     ADD_TABLE(rows, run_row, name);
 *     ADD(one_more);
 */
#ifndef TESTS_TABLES_H
#define TESTS_TABLES_H

#include "tests/support/cmocka_all.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Adds to tests[n]: a test of its own, named by its function or by a sentence, or one for each row of a
 * table, named by the row's `label`. */
#define ADD(function)             ADD_AS(function, #function)
#define ADD_AS(function, as_name) tests[n++] = (struct CMUnitTest){.name = as_name, .test_func = function}
#define ADD_TABLE(table, function, label)                                                          \
    for (size_t i = 0; i < COUNT(table); i++)                                                      \
        tests[n++] = (struct CMUnitTest){.name = table[i].label, .test_func = function,            \
                                         .initial_state = (void *)(uintptr_t)&table[i]}

#endif
