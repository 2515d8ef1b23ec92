/* The list of modules: sizing up without loading, the catalog, and the keys of the picker. */
#include "core/analysis/program/program.h"
#include "core/load/dump/size_up.h"
#include "tests/support/large_keys.h"
#include "tests/support/pick_sample.h"
#include "tests/support/play.h"
#include "tests/support/proto_writer.h"
#include "tests/support/tables.h"
#include "tui/explorer/catalog.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files made for a test ---- */

static char dir[] = "/tmp/tidemark-picker-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static void empty_dir(void)
{
    char path[400];
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%.200s", dir, e->d_name);
        unlink(path);
    }
    closedir(d);
}

static int remove_dir(void **state)
{
    (void)state;
    empty_dir();
    return rmdir(dir);
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static struct size_up size_of(const char *path)
{
    struct dump d;
    struct diag diag;
    struct size_up s;
    assert_true(dump_find(&d, path, &diag));
    size_up(&d, 0, &s);
    dump_free(&d);
    return s;
}

/* ---- Sizing up ---- */

static void add_allocation(struct pb *p, int64_t size, int64_t color, bool local)
{
    size_t at = pb_open(p, 3);
    pb_int(p, 2, size);
    if (color)
        pb_int(p, 8, color);
    if (local)
        pb_int(p, 3, 1);
    pb_close(p, at);
}

/* A module that is no module, then allocations of 100 + 20 bytes on a GPU's own memory. */
static struct pb some_proto(void)
{
    struct pb p = {0};
    pb_bytes(&p, 1, "anything at all, for it is skipped", 34);
    size_t at = pb_open(&p, 3);
    add_allocation(&p, 100, 0, false);
    add_allocation(&p, 20, 1, false);
    add_allocation(&p, 7000, 5, false); /* pinned host */
    add_allocation(&p, 9000, 0, true);
    pb_close(&p, at);
    return p;
}

static const char proto_name[] = "module_0001.jit_f.sm_8.0_gpu_after_optimizations.hlo.pb";

static void a_proto_is_sized_up(void **state)
{
    struct pb p = some_proto();
    (void)state;
    write_file(proto_name, p.at, p.n);
    struct size_up s = size_of(dir);
    assert_true(s.known);
    assert_int_equal(s.reserved, 120);
    assert_int_equal(s.file_bytes, p.n);
    pb_free(&p);
    empty_dir();
}

static void a_proto_cut_short_is_not(void **state)
{
    struct pb p = some_proto();
    (void)state;
    for (size_t n = 0; n < p.n; n++) {
        write_file(proto_name, p.at, n);
        assert_false(size_of(dir).known);
    }
    for (size_t n = 0; n < p.n; n++) { /* nor does a flipped bit do more than change the answer */
        p.at[n] ^= (uint8_t)(1u << n % 8);
        write_file(proto_name, p.at, p.n);
        size_of(dir);
        p.at[n] ^= (uint8_t)(1u << n % 8);
    }
    pb_free(&p);
    empty_dir();
}

static void sizes_that_cannot_be_are_not(void **state)
{
    struct pb negative = {0}, many = {0};
    (void)state;
    size_t at = pb_open(&negative, 3);
    add_allocation(&negative, -1, 0, false);
    pb_close(&negative, at);
    write_file(proto_name, negative.at, negative.n);
    assert_false(size_of(dir).known);
    for (int k = 0; k < 100000; k++)
        pb_bytes(&many, 9, "", 0);
    write_file(proto_name, many.at, many.n);
    assert_false(size_of(dir).known);
    pb_free(&negative);
    pb_free(&many);
    empty_dir();
}

struct text_case {
    const char *name, *text;
    bool known;
    uint64_t reserved;
};

static const struct text_case text_cases[] = {
    {"allocations of the text are added up",
     "BufferAssignment:\nallocation 0: size 100, parameter 0, shape |f32[25]|:\n value: <0 p @0> "
     "(size=100,offset=0): f32[25]{0}\nallocation 1: size 20, preallocated-temp:\n",
     true, 120},
    {"of the oldest form too", "BufferAssignment:\nallocation 0: 0x5581, size 64, constant:\n", true, 64},
    {"thread-local ones are left out",
     "BufferAssignment:\nallocation 0: size 9, thread-local:\nallocation 1: size 5:\n", true, 5},
    {"the host's are left out",
     "BufferAssignment:\nallocation 0: size 9, color 5:\nallocation 1: size 5, color 1:\n", true, 5},
    {"what follows is not read",
     "BufferAssignment:\nallocation 0: size 9:\n\nTotal bytes used: 9 (9B)\nallocation 1: size 5:\n",
     true, 9},
    {"without allocations nothing is known", "BufferAssignment:\n", false, 0},
    {"a size that is none", "BufferAssignment:\nallocation 0: size x:\n", false, 0},
    {"a size too large", "BufferAssignment:\nallocation 0: size 99999999999999999999999:\n", false, 0},
};

static void a_text_is_sized_up(void **state)
{
    const struct text_case *c = *state;
    write_text("module_0001.jit_f.sm_8.0_gpu_after_optimizations-buffer-assignment.txt", c->text);
    struct size_up s = size_of(dir);
    empty_dir();
    assert_int_equal(s.known, c->known);
    assert_int_equal(s.reserved, c->reserved);
}

/* Over the shipped dumps: exactly what loading finds, and never less than the peak. */
static void sizing_up_equals_loading(void **state)
{
    struct dump d;
    struct diag diag;
    uint32_t known = 0;
    (void)state;
    assert_true(dump_find(&d, "fixtures/grid", &diag));
    for (uint32_t i = 0; i < d.entries.n; i++) {
        static struct module m;
        static struct program p;
        struct size_up s;
        size_up(&d, i, &s);
        assert_true(s.file_bytes > 0);
        assert_true(dump_load(&d, i, FORM_ANY, &m, &diag));
        assert_true(program_build(&p, &m, &diag));
        bool same = s.known == m.has_assignment && s.reserved == p.spaces[0].reserved;
        bool above = !s.known || s.reserved >= p.live[p.peak];
        known += s.known;
        program_free(&p);
        module_free(&m);
        assert_true(same && above);
    }
    assert_true(known > 10);
    dump_free(&d);
}

/* ---- The catalog ---- */

static int catalog_of(struct catalog *c, const char *path)
{
    const struct asked o = {.paths = &path, .n_paths = 1};
    return catalog_make(c, &o, 0);
}

static void the_largest_peak_stands_first(void **state)
{
    struct catalog c;
    (void)state;
    assert_int_equal(catalog_of(&c, "fixtures/grid"), 0);
    assert_true(c.picks.n > 10);
    assert_string_equal(c.picks.where, "fixtures/grid");
    for (uint32_t i = 0; i < c.picks.n; i++) {
        const struct pick *p = &c.picks.items[i];
        assert_int_equal(p->state, PICK_LOADED); /* all of them fit the budget */
        assert_true(p->has_instructions && p->instructions > 0);
        assert_null(strstr(p->label, "fixtures/"));
        assert_non_null(strchr(p->label, '/'));
        if (i)
            assert_true(p[-1].peak >= p->peak);
    }
    catalog_free(&c);
}

static void broken_modules_stay_and_say_why(void **state)
{
    static const char good[] = "HloModule jit_g, is_scheduled=true\n\nENTRY %main (p: f32[8]) -> f32[8] "
                               "{\n  %p = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} negate(%p)\n}\n";
    struct catalog c;
    struct opened one;
    struct diag d;
    (void)state;
    write_text("module_0001.jit_f.cpu_after_optimizations.hlo.pb", "no proto");
    write_text("module_0002.jit_g.cpu_after_optimizations.txt", good);
    assert_int_equal(catalog_of(&c, dir), 0);
    assert_int_equal(c.picks.n, 2);
    assert_string_equal(c.picks.items[0].label, "module_0002.jit_g");
    assert_int_equal(c.picks.items[0].state, PICK_LOADED);
    assert_int_equal(c.picks.items[0].peak, 64);
    assert_int_equal(c.picks.items[1].state, PICK_BROKEN);
    assert_non_null(strstr(c.picks.items[1].why, "module_0001.jit_f.cpu_after_optimizations.hlo.pb"));
    assert_null(strchr(c.picks.items[1].why, '\n'));
    assert_false(catalog_open(&c, 1, &one, &d));
    assert_true(catalog_open(&c, 0, &one, &d));
    assert_string_equal(one.program->name, "jit_g");
    open_close(&one);
    catalog_free(&c);
    empty_dir();
}

/* A proto of 70 MB stays unread behind its assignment; the small one is loaded. */
static void beyond_the_budget_the_bound_counts(void **state)
{
    struct pb p = {0}, small = some_proto();
    struct catalog c;
    char path[400];
    (void)state;
    size_t at = pb_open(&p, 3);
    add_allocation(&p, 5000, 0, false);
    pb_close(&p, at);
    pb_tag(&p, 9, 2);
    pb_varint(&p, 70u << 20);
    write_file("module_0002.jit_large.sm_8.0_gpu_after_optimizations.hlo.pb", p.at, p.n);
    snprintf(path, sizeof path, "%s/module_0002.jit_large.sm_8.0_gpu_after_optimizations.hlo.pb", dir);
    assert_int_equal(truncate(path, (off_t)p.n + (70 << 20)), 0);
    write_file(proto_name, small.at, small.n);
    assert_int_equal(catalog_of(&c, dir), 0);
    assert_string_equal(c.picks.items[0].label, "module_0002.jit_large");
    assert_int_equal(c.picks.items[0].state, PICK_SIZED);
    assert_int_equal(c.picks.items[0].reserved, 5000);
    assert_int_equal(c.picks.items[1].state, PICK_BROKEN); /* its module is none */
    catalog_free(&c);
    pb_free(&p);
    pb_free(&small);
    empty_dir();
}

static void module_names_choose(void **state)
{
    const char *path = "fixtures/grid";
    struct asked o = {.paths = &path, .n_paths = 1, .module = "jit_step"};
    struct catalog c;
    (void)state;
    assert_int_equal(catalog_make(&c, &o, 0), 0);
    for (uint32_t i = 0; i < c.picks.n; i++)
        assert_non_null(strstr(c.picks.items[i].label, "jit_step"));
    catalog_free(&c);
}

/* ---- Keys ---- */

static struct picker play_picker(const struct picks *p, struct picker s, const char *keys)
{
    struct msg m;
    for (const char *at = keys; next_msg(keys, &at, &m);)
        s = picker_update(p, s, m);
    return s;
}

struct pick_case {
    const char *name, *keys;
    uint32_t at;
    enum pick_want want;
    bool typing, help, refused;
    const char *filter;
};

static const struct pick_case pick_cases[] = {
    {.name = "the first is selected", .keys = ""},
    {.name = "Enter opens it", .keys = "<Enter>", .want = PICK_OPEN},
    {.name = "down and up", .keys = "<Down>jjk", .at = 2},
    {.name = "not beyond the ends", .keys = "kk<End><Down>", .at = 5},
    {.name = "Home and End", .keys = "<End><Home>", .at = 0},
    {.name = "a page", .keys = "<PgDn>", .at = 5},
    {.name = "a broken one says why", .keys = "<End><Enter>", .at = 5, .refused = true},
    {.name = "until the next key", .keys = "<End><Enter>k", .at = 4},
    {.name = "q leaves", .keys = "q", .want = PICK_QUIT},
    {.name = "Ctrl-C leaves", .keys = "/a<C-c>", .typing = true, .want = PICK_QUIT, .filter = "a", .at = 0},
    {.name = "? shows the help", .keys = "?", .help = true},
    {.name = "? and Esc leave it", .keys = "??" "?<Esc>"},
    {.name = "/ filters while one types", .keys = "/eval", .typing = true, .filter = "eval", .at = 2},
    {.name = "letters are the filter's", .keys = "/jq", .typing = true, .filter = "jq"},
    {.name = "arrows move while one types", .keys = "/run-1<Down>", .typing = true,
     .filter = "run-1", .at = 2},
    {.name = "Enter keeps the filter, then opens", .keys = "/eval<Enter><Enter>", .filter = "eval",
     .at = 2, .want = PICK_OPEN},
    {.name = "End is the last of those", .keys = "/run-1<Enter><End>", .filter = "run-1", .at = 5},
    {.name = "Esc shows all again", .keys = "/run-1<Enter><Esc>", .at = 1},
    {.name = "a platform filters too", .keys = "/cpu<Enter>", .filter = "cpu", .at = 3},
    {.name = "what is not there opens nothing", .keys = "/zzz<Enter><Enter>", .filter = "zzz"},
    {.name = "a click selects", .keys = "<click:20,5>", .at = 2},
    {.name = "a second one opens", .keys = "<click:20,5><click:20,5>", .at = 2, .want = PICK_OPEN},
    {.name = "below the rows it does nothing", .keys = "<click:20,12>"},
    {.name = "the wheel moves", .keys = "<wheel-:20,5>", .at = 3},
};

static void the_picker_answers(void **state)
{
    const struct pick_case *c = *state;
    struct arena a = {0};
    struct picks p;
    picks_make(&p, &a, 0);
    struct picker s = play_picker(&p, picker_start(80, 24), c->keys);
    arena_free(&a);
    assert_int_equal(s.at, c->at);
    assert_int_equal(s.want, c->want);
    assert_int_equal(s.typing, c->typing);
    assert_int_equal(s.help, c->help);
    assert_int_equal(s.refused, c->refused);
    assert_string_equal(s.filter, c->filter ? c->filter : "");
}

/* Numbers are of what is there, and the frame holds nothing that could move a cursor. */
static void check_picker(const struct picks *p, const struct picker *s, bool ascii)
{
    struct grid g;
    assert_true(s->at < p->n && s->top <= p->n && s->help_top >= 0);
    assert_non_null(memchr(s->filter, '\0', sizeof s->filter));
    grid_init(&g, s->cols, s->rows, ascii);
    picker_draw(p, s, &g);
    for (int k = 0; k < g.cols * g.rows; k++)
        assert_true(g.cells[k].ch >= 0x20 && g.cells[k].style < ST_COUNT);
    grid_free(&g);
}

static void random_keys_keep_the_list_sound(void **state)
{
    struct arena a = {0};
    struct picks p;
    uint32_t seed = 5;
    (void)state;
    picks_make(&p, &a, 300);
    struct picker s = picker_start(80, 24);
    for (int i = 0; i < 3000; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t r = seed >> 8;
        struct msg m = {.kind = MSG_KEY};
        if (r % 20 == 0)
            m = (struct msg){.kind = MSG_RESIZE, .cols = 1 + (int)(r / 20 % 150),
                             .rows = 1 + (int)(r / 3000 % 50)};
        else if (r % 20 < 4)
            m = (struct msg){.kind = MSG_CLICK + r / 20 % 3, .col = (int)(r / 60 % 90),
                             .row = (int)(r / 5400 % 30)};
        else if (r % 20 < 14)
            m.key = bindings[r / 20 % n_bindings].keys[0];
        else
            m.key = (unsigned char)"/jit_012\x7f\x0d\x1b?"[r / 20 % 13];
        s.want = PICK_NOTHING;
        s = picker_update(&p, s, m);
        check_picker(&p, &s, i % 2);
    }
    arena_free(&a);
}

static void thousands_of_modules_answer_every_key(void **state)
{
    struct arena a = {0};
    struct picks p;
    struct msg m;
    (void)state;
    picks_make(&p, &a, PICKS);
    struct picker s = picker_start(200, 60);
    for (const char *at = picks_keys; next_msg(picks_keys, &at, &m);) {
        s = picker_update(&p, s, m);
        check_picker(&p, &s, false);
    }
    uint32_t row, n = picker_count(&p, &s, &row);
    arena_free(&a);
    assert_int_equal(n, PICKS);
}

int main(void)
{
    static struct CMUnitTest tests[80];
    size_t n = 0;
    ADD(a_proto_is_sized_up);
    ADD(a_proto_cut_short_is_not);
    ADD(sizes_that_cannot_be_are_not);
    ADD_TABLE(text_cases, a_text_is_sized_up, name);
    ADD(sizing_up_equals_loading);
    ADD(the_largest_peak_stands_first);
    ADD(broken_modules_stay_and_say_why);
    ADD(beyond_the_budget_the_bound_counts);
    ADD(module_names_choose);
    ADD_TABLE(pick_cases, the_picker_answers, name);
    ADD(random_keys_keep_the_list_sound);
    ADD(thousands_of_modules_answer_every_key);
    return _cmocka_run_group_tests("picker", tests, n, make_dir, remove_dir);
}
