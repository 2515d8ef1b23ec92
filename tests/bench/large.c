/* large: what the inputs cost that tests/support makes, each large in one way.  For each its name, as the test
 * has it that looks at the result, the median of RUNS in milliseconds of processor time, and, where it can be
 * made smaller, how many times that of half as much: 2 where it is linear. */
#include "core/analysis/flow/liveness.h"
#include "core/analysis/loops/loops.h"
#include "core/load/dump/module.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "tests/support/large_flow.h"
#include "tests/support/large_keys.h"
#include "tests/support/large_text.h"
#include "tests/support/pick_sample.h"
#include "tests/support/program_sample.h"
#include "tests/support/timeline_sample.h"
#include "tui/update/update.h"
#include "tui/views/views.h"
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, KEYS = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs do not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void give_up(const char *name, const struct diag *d)
{
    char why[1400];
    fprintf(stderr, "%s: %s\n", name, diag_text(d, why, sizeof why));
    exit(2);
}

static double median(double (*run)(const char *name, const void *with), const char *name, const void *with)
{
    double ms[RUNS];
    for (int k = 0; k < RUNS; k++)
        ms[k] = run(name, with);
    qsort(ms, RUNS, sizeof *ms, by_time);
    return ms[RUNS / 2];
}

static void show(const char *name, double ms, double half)
{
    printf("%-64s %8.2f ms", name, ms);
    if (half > 0)
        printf(", %.1f times that of half as much", ms / half);
    puts("");
    fflush(stdout);
}

/* ---- Texts ---- */

static double read_hlo(const char *name, const void *text)
{
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    struct file f = {"large", text, strlen(text)};
    double start = now();
    hlo_init(&h, &arena, f.name);
    if (!hlo_text_read(&h, &f, &d))
        give_up(name, &d);
    double ms = now() - start;
    arena_free(&arena);
    return ms;
}

static double read_values(const char *name, const void *text)
{
    struct arena arena = {0};
    struct assignment a = {.arena = &arena};
    struct diag d = {0};
    struct file f = {"large", text, strlen(text)};
    double start = now();
    if (!assignment_text_read(&a, &f, &d) || !assignment_check(&a, &d))
        give_up(name, &d);
    double ms = now() - start;
    arena_free(&arena);
    return ms;
}

/* As far as its live ranges; with loops, these alone count. */
static double rerun(const char *name, const char *text, bool loops)
{
    struct arena arena = {0};
    struct diag d = {0};
    struct hlo h;
    struct dataflow flow;
    struct liveness live;
    struct loops l;
    static const char header[] = "HloModule m, is_scheduled=true\n\n";
    char *whole = malloc(sizeof header + strlen(text));
    if (!whole)
        abort();
    strcat(strcpy(whole, header), text);
    struct file f = {"large", whole, strlen(whole)};
    double start = now();
    hlo_init(&h, &arena, f.name);
    if (!hlo_text_read(&h, &f, &d) || !dataflow_build(&flow, &h, &arena, &d) ||
        !liveness_build(&live, &flow, (struct live_rules){0}, &arena, &d))
        give_up(name, &d);
    if (loops) {
        start = now();
        loops_build(&l, &flow, &live, &arena);
    }
    double ms = now() - start;
    arena_free(&arena);
    free(whole);
    return ms;
}

static double rerun_flow(const char *name, const void *text)
{
    return rerun(name, text, false);
}

static double rerun_loops(const char *name, const void *text)
{
    return rerun(name, text, true);
}

/* The text is freed. */
static double median_text(double (*run)(const char *name, const void *with), const char *name, char *text)
{
    double ms = median(run, name, text);
    free(text);
    return ms;
}

static void show_text(const char *name, double (*run)(const char *name, const void *with), char *(*make)(uint32_t n),
                      uint32_t n)
{
    show(name, median_text(run, name, make(n)), median_text(run, name, make(n / 2)));
}

static void show_flow(const struct large_case *c)
{
    struct large_case half = *c;
    half.n /= 2;
    show(c->name, median_text(rerun_flow, c->name, write_large(c)),
         median_text(rerun_flow, c->name, write_large(&half)));
}

static char *stacks(uint32_t n)
{
    return large_stacks(n, LARGE_INDEX);
}

static void texts(void)
{
    puts("read: milliseconds of processor time");
    show_text(LARGE_ELEMENTS_NAME, read_hlo, large_elements, LARGE_ELEMENTS);
    show_text(LARGE_LINE_NAME, read_hlo, large_line, LARGE_LINE);
    show_text(LARGE_VALUES_NAME, read_values, large_values, LARGE_VALUES);
    puts("read, and live ranges rerun");
    for (size_t k = 0; k < sizeof larges / sizeof *larges; k++)
        show_flow(&larges[k]);
    puts("loops and their stacks alone");
    show_text(LARGE_STACKS_NAME, rerun_loops, stacks, LARGE_STACKS);
}

/* ---- A folder ---- */

static double find(const char *name, const void *folder)
{
    struct dump dump;
    struct diag d = {0};
    double start = now();
    if (!dump_find(&dump, folder, &d))
        give_up(name, &d);
    double ms = now() - start;
    dump_free(&dump);
    return ms;
}

static double median_folder(const char *name, uint32_t modules)
{
    const char *tmp = getenv("TMPDIR");
    char path[300];
    snprintf(path, sizeof path, "%.200s/tidemark-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(path))
        abort();
    large_modules(path, modules);
    double ms = median(find, name, path);
    file_remove_tree(path);
    return ms;
}

static void folders(void)
{
    puts("find what belongs together");
    show(LARGE_MODULES_NAME, median_folder(LARGE_MODULES_NAME, LARGE_MODULES),
         median_folder(LARGE_MODULES_NAME, LARGE_MODULES / 2));
}

/* ---- The clocks ---- */

struct chart {
    struct timeline t;
    bool steps; /* program order */
};

static double draw_chart(const char *name, const void *with)
{
    const struct chart *c = with;
    uint64_t sum = 0;
    double start = now();
    struct moment at = timeline_moment(&c->t, c->t.moments / 3);
    for (uint32_t k = 0; k < CLOCKED_COLUMNS; k++)
        sum += (c->steps ? clocked_columns_steps(&c->t, k, k + 1, &at) : clocked_columns(&c->t, k, k + 1)).most_filled;
    double ms = now() - start;
    if (!sum)
        give_up(name, &(struct diag){.what = "nothing is filled"});
    return ms;
}

static void charts(void)
{
    struct clocked c;
    struct chart chart = {.steps = false};
    clocked_large(&c);
    timeline_build(&chart.t, &c.program);
    puts("a chart in execution order");
    show(CLOCKED_LARGE_NAME, median(draw_chart, CLOCKED_LARGE_NAME, &chart), 0);
    puts("in program order");
    chart.steps = true;
    show(CLOCKED_LARGE_NAME, median(draw_chart, CLOCKED_LARGE_NAME, &chart), 0);
    timeline_free(&chart.t);
    clocked_free(&c);
}

/* ---- Keys ---- */

static bool next(const char *keys, const char **at, struct msg *m)
{
    struct diag d;
    return keys_next(keys, at, m, &d) && m->kind != MSG_NONE;
}

static void show_keys(const char *name, double *ms, uint32_t n)
{
    qsort(ms, n, sizeof *ms, by_time);
    printf("%-64s %8.2f ms, worst %.2f ms\n", name, ms[n / 2], ms[n - 1]);
    fflush(stdout);
}

static void play_sample(const char *name, enum sample_kind kind)
{
    static struct sample sample;
    struct memo memo = {0};
    struct grid g;
    struct msg m;
    double ms[KEYS];
    uint32_t n = 0;
    sample_make(&sample, kind);
    const struct program *p = &sample.program;
    struct app s = app_start(p, &memo, 200, 60, 0);
    grid_init(&g, 200, 60, false);
    for (const char *at = huge_orders; next(huge_orders, &at, &m); screen_draw(p, &memo, &s, &g))
        s = app_update(p, &memo, s, m);
    for (int times = 0; times < 4; times++)
        for (const char *at = huge_keys; n < KEYS && next(huge_keys, &at, &m);) {
            double start = now();
            s = app_update(p, &memo, s, m);
            screen_draw(p, &memo, &s, &g);
            ms[n++] = now() - start;
        }
    show_keys(name, ms, n);
    grid_free(&g);
    memo_free(&memo);
    sample_free(&sample);
}

static void play_picks(void)
{
    struct arena a = {0};
    struct picks p;
    struct grid g;
    struct msg m;
    double ms[KEYS];
    uint32_t n = 0;
    picks_make(&p, &a, PICKS);
    grid_init(&g, 200, 60, false);
    struct picker s = picker_start(200, 60);
    for (const char *at = picks_keys; n < KEYS && next(picks_keys, &at, &m);) {
        double start = now();
        s = picker_update(&p, s, m);
        picker_draw(&p, &s, &g);
        ms[n++] = now() - start;
    }
    show_keys(PICKS_NAME, ms, n);
    grid_free(&g);
    arena_free(&a);
}

int main(void)
{
    texts();
    folders();
    charts();
    puts("a key and its frame at 200x60: to be under 16 ms");
    play_sample(HUGE_NAME, SAMPLE_HUGE);
    play_sample(HUGE_ALIVE_NAME, SAMPLE_ALIVE);
    play_picks();
    return 0;
}
