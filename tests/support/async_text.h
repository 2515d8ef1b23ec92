/* A program with an asynchronous computation; steps of the flattened schedule at the ends of the lines. */
#ifndef TESTS_ASYNC_TEXT_H
#define TESTS_ASYNC_TEXT_H

#define ASYNC                                                                                      \
    "wrapped {\n wp = f32[2] parameter(0)\n"                         /* 2 */                       \
    " wn = f32[2] negate(wp)\n"                                      /* 3 */                       \
    " ROOT wm = f32[2] negate(wn)\n}\n"                              /* 4 */                       \
    "ENTRY e {\n x = f32[2] parameter(0)\n"                          /* 0 */                       \
    " a = f32[2] negate(x)\n"                                        /* 1 */                       \
    " s = ((f32[2]), f32[2], u32[]) async-start(a), calls=wrapped\n" /* 5 */                       \
    " b = f32[2] negate(x)\n"                                        /* 6 */                       \
    " d = f32[2] async-done(s)\n"                                    /* 7 */                       \
    " ROOT r = f32[2] add(b, d)\n}\n"                                /* 8 */

#endif
