/* frames FILE [COLSxROWS [KEYS]]: what a key costs in the explorer, through the functions that draw it.
 *
 * Opens the program, then plays KEYS (else a walk over all keys that the table has for a program, the
 * same each time), and prints what opening and the first frame took and, for the keys, the median
 * and the worst of update and drawing together, with the five slowest: milliseconds of processor
 * time.  No terminal; see tests/bench/pty_bench.py for one. */
#include "core/load/dump/module.h"
#include "tui/explorer/room.h"
#include "tui/views/views.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WALK 2000

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs do not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct cost {
    double ms;
    struct msg m;
    uint32_t at;
};

static int by_cost(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    return (x->ms < y->ms) - (x->ms > y->ms);
}

/* A key of the table, but none that leaves. */
static struct msg walk_key(uint32_t *seed)
{
    for (;;) {
        *seed = *seed * 1664525u + 1013904223u;
        const struct binding *b = &bindings[(*seed >> 8) % n_bindings];
        if (b->cmd != CMD_QUIT && b->cmd != CMD_MODULES && b->scope & IN_PROGRAM)
            return (struct msg){.kind = MSG_KEY, .key = b->keys[b->keys[1] != 0 && *seed >> 31]};
    }
}

static const char *key_text(int32_t key, char out[16])
{
    static const char *const names[] = {"Left", "Right", "Up", "Down", "PgUp", "PgDn", "Home", "End"};
    if (key >= K_LEFT && key <= K_END)
        return names[key - K_LEFT];
    if (key == K_ENTER || key == K_TAB || key == K_ESC)
        return key == K_ENTER ? "Enter" : key == K_TAB ? "Tab" : "Esc";
    snprintf(out, 16, key > ' ' && key < 127 ? "%c" : "U+%04X", (int)key);
    return out;
}

static struct cost play_one(struct room *room, struct app *s, struct grid *g, struct msg m, uint32_t at)
{
    double start = now();
    *s = room_update(room, *s, m);
    s->want = WANT_NOTHING;
    screen_draw(room->p, &room->memo, s, g);
    return (struct cost){now() - start, m, at};
}

static uint32_t play_all(struct room *room, struct app *s, struct grid *g, const char *keys,
                         struct cost *costs)
{
    uint32_t n = 0, seed = 1;
    struct msg m;
    struct diag d;
    const char *at = keys;
    while (n < WALK) {
        if (!keys)
            m = walk_key(&seed);
        else if (!keys_next(keys, &at, &m, &d) || m.kind == MSG_NONE)
            break;
        costs[n] = play_one(room, s, g, m, n);
        n++;
    }
    return n;
}

static void print_costs(struct cost *costs, uint32_t n, double opened, double first)
{
    char key[16];
    printf("opened %.1f ms, first frame %.1f ms", opened, first);
    qsort(costs, n, sizeof *costs, by_cost);
    if (n)
        printf(", %u keys: median %.2f ms, worst %.2f ms (", n, costs[n / 2].ms, costs[0].ms);
    for (uint32_t k = 0; k < 5 && k < n; k++)
        printf("%s%s %.2f at %u", k ? ", " : "", key_text(costs[k].m.key, key), costs[k].ms, costs[k].at);
    printf(n ? ")\n" : "\n");
}

int main(int argc, char **argv)
{
    static struct cost costs[WALK];
    struct dump dump;
    struct module module;
    struct program program;
    struct room room;
    struct grid g;
    struct diag d;
    char why[1400];
    int cols = 200, rows = 60;
    if (argc < 2 || (argc > 2 && sscanf(argv[2], "%dx%d", &cols, &rows) != 2))
        return 2;
    double start = now();
    if (!dump_find(&dump, argv[1], &d) || !dump_load(&dump, 0, FORM_ANY, &module, &d) ||
        !program_build(&program, &module, &d)) {
        fprintf(stderr, "%s\n", diag_text(&d, why, sizeof why));
        return 2;
    }
    double opened = now();
    struct app s = room_open(&room, &program, module.dir, cols, rows, 0);
    grid_init(&g, cols, rows, false);
    g.colors = 256;
    screen_draw(room.p, &room.memo, &s, &g);
    double first = now() - opened;
    uint32_t n = play_all(&room, &s, &g, argc > 3 ? argv[3] : NULL, costs);
    print_costs(costs, n, opened - start, first);
    grid_free(&g);
    room_close(&room);
    program_free(&program);
    module_free(&module);
    dump_free(&dump);
    return 0;
}
