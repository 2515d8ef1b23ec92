/* Keys for what is huge: tests look at each frame, `make bench` times each.  Without CMocka. */
#ifndef TESTS_LARGE_KEYS_H
#define TESTS_LARGE_KEYS_H

/* In SAMPLE_HUGE and SAMPLE_ALIVE: every order once, which its first use makes; then what most views do. */
#define HUGE_NAME "a program of 200,000 steps, 100,000 buffers"
#define HUGE_ALIVE_NAME "the same, all alive all the time, 20,000 loops"
static const char huge_orders[] = "oooooo";
static const char huge_keys[] = "<Right><PgUp><Down>o<End>p<Tab><PgDn>/fusion.7<Enter>n<click:100,10>m<Up><PgUp><Enter>a"
                                "<click:90,30>mx]}<Right><click:100,10>ff<Enter><PgDn><Esc>e<End><Esc>x{";

/* In a list of modules. */
#define PICKS 20000u
#define PICKS_NAME "a list of 20,000 modules"
static const char picks_keys[] = "<Down><PgDn><End>/step_3<Enter><Up><Home><Esc>";

#endif
