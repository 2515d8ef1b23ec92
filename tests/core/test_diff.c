/* Two programs side by side: nothing differs from itself, sums are exact, and copies of a loop's body
 * stand beside the loop. */
#include "core/analysis/explain/diff.h"
#include "core/output/report/diff_report.h"
#include "tests/support/cell.h"
#include "tests/support/tables.h"

#include <stdlib.h>
#include <string.h>

#define GIB (1ull << 30)

/* Rows and roles add up to both peaks; changes are what the bytes say; order is by change. */
static void sound(const struct diff *d)
{
    uint64_t rows[2] = {0}, roles[2] = {0}, last = UINT64_MAX;
    for (uint32_t k = 0; k < d->n; k++) {
        const struct diff_side *a = &d->rows[k].side[0], *b = &d->rows[k].side[1];
        uint64_t change = a->bytes > b->bytes ? a->bytes - b->bytes : b->bytes - a->bytes;
        rows[0] += a->bytes;
        rows[1] += b->bytes;
        assert_true(change <= last);
        last = change;
        assert_true(a->n || b->n);
        assert_int_equal(a->n == 0, a->largest == BUF_NONE);
        assert_int_equal(d->rows[k].change == DIFF_APPEARED, a->n == 0);
        assert_int_equal(d->rows[k].change == DIFF_VANISHED, b->n == 0);
        if (a->n && b->n)
            assert_int_equal(d->rows[k].change, a->bytes == b->bytes ? DIFF_SAME
                                                : a->bytes < b->bytes ? DIFF_GREW : DIFF_SHRANK);
    }
    for (int k = 0; k < ROLE_COUNT; k++)
        for (int side = 0; side < 2; side++)
            roles[side] += d->role[k][side];
    for (int side = 0; side < 2; side++) {
        assert_int_equal(rows[side], d->peak[side]);
        assert_int_equal(roles[side], d->peak[side]);
        assert_int_equal(d->peak[side], d->program[side]->live[d->program[side]->peak]);
    }
}

static const char *const cells[] = {
    "a100-d1048576-s4-u1", "a100-d1048576-s4-ufull", "a100-d1048576-s8-u2", "a100-d1048576-s1-ufull",
    "cpu-d256-s4-u1", "cpu-d256-s4-ufull", "tpu-v5e-d262144-s4-u1", "tpu-v5e-d262144-s4-ufull",
};
#define N_CELLS (sizeof cells / sizeof *cells)

static void of_itself(void **state)
{
    struct cell_program x;
    struct diff d;
    cell_open(&x, *state);
    diff_make(&d, &x.program, &x.program);
    sound(&d);
    assert_false(d.differs);
    for (uint32_t k = 0; k < d.n; k++)
        assert_int_equal(d.rows[k].change, DIFF_SAME);
    diff_free(&d);
    cell_close(&x);
}

/* Each against each other, both ways: what is +x one way is -x the other. */
static void both_ways(void **state)
{
    struct cell_program x, y;
    cell_open(&x, *state);
    for (size_t k = 0; k < N_CELLS; k++) {
        struct diff there, back;
        if (strcmp(cells[k], *state) == 0)
            continue;
        cell_open(&y, cells[k]);
        diff_make(&there, &x.program, &y.program);
        diff_make(&back, &y.program, &x.program);
        sound(&there);
        sound(&back);
        assert_true(there.differs);
        assert_int_equal(there.n, back.n);
        for (int role = 0; role < ROLE_COUNT; role++)
            assert_int_equal(there.role[role][0], back.role[role][1]);
        diff_free(&there);
        diff_free(&back);
        cell_close(&y);
    }
    cell_close(&x);
}

static const struct diff_row *largest_of(const struct diff *d, enum role a, enum role b)
{
    const struct diff_row *best = NULL;
    uint64_t most = 0;
    for (uint32_t k = 0; k < d->n; k++) {
        const struct diff_side *s = d->rows[k].side;
        if (((s[0].n && s[0].role == a) || (s[1].n && s[1].role == b)) && s[0].bytes + s[1].bytes > most) {
            most = s[0].bytes + s[1].bytes;
            best = &d->rows[k];
        }
    }
    assert_non_null(best);
    return best;
}

/* The example: the stack of four slots stands beside four residuals, one of them the parameter. */
static void stack_beside_copies(void **state)
{
    (void)state;
    struct cell_program rolled, unrolled;
    struct diff d;
    cell_open(&rolled, "a100-d1048576-s4-u1");
    cell_open(&unrolled, "a100-d1048576-s4-ufull");
    diff_make(&d, &rolled.program, &unrolled.program);
    sound(&d);
    const struct diff_row *r = largest_of(&d, ROLE_STACK, ROLE_RESIDUAL);
    assert_int_equal(r->side[0].bytes, 16 * GIB);
    assert_int_equal(r->side[0].n, 1);
    assert_int_equal(r->side[1].bytes, 16 * GIB);
    assert_int_equal(r->side[1].n, 4);
    assert_int_equal(r->change, DIFF_SAME);
    assert_string_equal(r->shape, "f32[1024,1048576]");
    r = largest_of(&d, ROLE_COTANGENT, ROLE_COUNT);
    assert_int_equal(r->change, DIFF_VANISHED);
    assert_int_equal(r->side[0].bytes, 4 * GIB);
    r = largest_of(&d, ROLE_SLICE, ROLE_COUNT);
    assert_int_equal(r->change, DIFF_VANISHED);
    assert_int_equal(r->side[0].bytes, 4 * GIB);
    diff_free(&d);
    cell_close(&rolled);
    cell_close(&unrolled);
}

/* A longer scan: the same rows, the stack has grown by its slots. */
static void longer(void **state)
{
    (void)state;
    struct cell_program four, eight;
    struct diff d;
    cell_open(&four, "a100-d1048576-s4-u1");
    cell_open(&eight, "a100-d1048576-s8-u1");
    diff_make(&d, &four.program, &eight.program);
    sound(&d);
    assert_true(d.n > 3);
    assert_int_equal(d.rows[0].change, DIFF_GREW);
    assert_int_equal(d.rows[0].side[1].bytes - d.rows[0].side[0].bytes, 16 * GIB);
    for (uint32_t k = 0; k < d.n; k++) {
        if (d.rows[k].side[0].bytes + d.rows[k].side[1].bytes < 1 << 20)
            continue; /* XLA fuses small things as it likes */
        assert_int_not_equal(d.rows[k].change, DIFF_APPEARED);
        assert_int_not_equal(d.rows[k].change, DIFF_VANISHED);
    }
    diff_free(&d);
    cell_close(&four);
    cell_close(&eight);
}

static void fits_the_page(void **state)
{
    (void)state;
    struct cell_program x, y;
    struct diff d;
    char *text = NULL;
    size_t size = 0;
    cell_open(&x, "a100-d1048576-s4-u1");
    cell_open(&y, "a100-d1048576-s4-ufull");
    diff_make(&d, &x.program, &y.program);
    const char *const names[] = {"/a/very/long/path/to/a/dump/of/a/program/with/many/modules/in/it", "\x1b[31m"};
    const struct diff_options o = {100, true};
    FILE *out = open_memstream(&text, &size);
    diff_text(&d, names, &o, out);
    fclose(out);
    int column = 0;
    for (const char *c = text; *c; c++) {
        column = *c == '\n' ? 0 : column + 1;
        assert_true(column <= 80);
        assert_true((unsigned char)*c < 0x80 && (*c >= ' ' || *c == '\n'));
    }
    free(text);
    diff_free(&d);
    cell_close(&x);
    cell_close(&y);
}

int main(void)
{
    struct CMUnitTest tests[2 * N_CELLS + 8];
    static char names[2 * N_CELLS][100];
    size_t n = 0;
    for (size_t k = 0; k < N_CELLS; k++) {
        snprintf(names[n], sizeof *names, "nothing differs from itself: %s", cells[k]);
        tests[n] = (struct CMUnitTest){.name = names[n], .test_func = of_itself, .initial_state = (void *)(uintptr_t)cells[k]};
        n++;
        snprintf(names[n], sizeof *names, "sums are exact, both ways: %s", cells[k]);
        tests[n] = (struct CMUnitTest){.name = names[n], .test_func = both_ways, .initial_state = (void *)(uintptr_t)cells[k]};
        n++;
    }
    ADD_AS(stack_beside_copies, "a stack of slots beside as many residuals");
    ADD_AS(longer, "a longer scan has the same rows");
    ADD_AS(fits_the_page, "80 columns of plain text");
    return _cmocka_run_group_tests("diff", tests, n, NULL, NULL);
}
