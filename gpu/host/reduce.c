/* Reductions on the host.  Values are folded block by block into accumulators as wide as a block,
 * and those by halves at the end: many lanes, so the sums are short and the loops wide.  Which
 * elements meet depends on sizes alone, never on threads. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/host/host.h"
#include "gpu/host/tape.h"

#include <string.h>

enum { SHORT_ROW = 64, FEW = 16, PART = 1 << 15 };

struct reduce_job {
    const struct stage *s;
    const struct unit_call *e;
    struct tape_bound values, region, init;
    char *store[8];
    int64_t kept, reduced, pieces; /* reduced is cut into pieces that parts share out */
    int64_t width;                 /* columns: kept elements of one part */
    void *partial[8];              /* pieces > 1: [pieces][kept] of each value */
    void *first[8];                /* the initial values, spread over a block */
};

struct folder {
    const struct reduce_job *j;
    struct tape_regs values, region;
    char *acc[8];
};

static size_t value_size(const struct reduce_job *j, uint32_t v)
{
    return class_size(j->s->stores[v].elem.cls);
}

static void fold(struct folder *f, void *const *acc, void *const *val, size_t n)
{
    const struct stage *s = f->j->s;
    if (s->fold) {
        struct elem wide = s->stores[0].elem;
        wide.narrow = wide.narrow && wide.cls == CLASS_INT; /* sums of narrow floats are kept wide */
        vec_apply(s->fold, &wide, &wide, acc[0], val[0], NULL, acc[0], n, NULL);
        return;
    }
    void *arguments[16];
    for (uint32_t v = 0; v < s->n_values; v++) {
        arguments[v] = acc[v];
        arguments[s->n_values + v] = val[v];
    }
    tape_region(&f->region, arguments, n);
    for (uint32_t v = 0; v < s->n_values; v++)
        memmove(acc[v], f->region.reg[s->region->result[v]], n * value_size(f->j, v));
}

static void shifted(const struct reduce_job *j, void *const *from, size_t by, void **to)
{
    for (uint32_t v = 0; v < j->s->n_values; v++)
        to[v] = (char *)from[v] + by * value_size(j, v);
}

/* acc[0, n) -> acc[0, unit): n is a multiple of unit, and what meets is `unit` apart. */
static void fold_halves(struct folder *f, size_t n, size_t unit)
{
    while (n > unit) {
        size_t rows = n / unit, half = rows / 2 * unit;
        void *top[8];
        shifted(f->j, (void *const *)f->acc, n - half, top);
        fold(f, (void *const *)f->acc, top, half);
        n -= half;
    }
}

/* Values at [at, at + n) of the loops, folded into acc[0, n); `started`: acc holds something. */
static void take(struct folder *f, int64_t at, size_t n, bool fresh)
{
    void *val[8];
    tape_block(&f->values, at, n, NULL);
    for (uint32_t v = 0; v < f->j->s->n_values; v++)
        val[v] = f->values.reg[f->j->s->tape.result[v]];
    if (fresh)
        for (uint32_t v = 0; v < f->j->s->n_values; v++)
            memcpy(f->acc[v], val[v], n * value_size(f->j, v));
    else
        fold(f, (void *const *)f->acc, val, n);
}

static void folder_open(struct folder *f, const struct reduce_job *j)
{
    f->j = j;
    regs_open(&f->values, &j->values);
    if (j->s->region)
        regs_open(&f->region, &j->region);
    for (uint32_t v = 0; v < j->s->n_values; v++)
        f->acc[v] = memory_zeroed(1, TAPE_BLOCK * REG_BYTES);
}

static void folder_close(struct folder *f)
{
    for (uint32_t v = 0; v < f->j->s->n_values; v++)
        free(f->acc[v]);
    regs_close(&f->values);
    if (f->j->s->region)
        regs_close(&f->region);
}

/* acc[0, n) are the results at kept elements [at, at + n): with the initial value, to memory. */
static void finish(struct folder *f, int64_t at, size_t n)
{
    const struct reduce_job *j = f->j;
    void *result[8];
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        result[v] = memory_zeroed(1, TAPE_BLOCK * REG_BYTES);
        memcpy(result[v], j->first[v], n * value_size(j, v));
    }
    if (j->reduced)
        fold(f, result, (void *const *)f->acc, n);
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        access_store(&j->s->stores[v], j->store[v], at, result[v], n);
        free(result[v]);
    }
}

static void keep(struct folder *f, int64_t piece, int64_t at, size_t n)
{
    const struct reduce_job *j = f->j;
    if (j->pieces == 1) {
        finish(f, at, n);
        return;
    }
    for (uint32_t v = 0; v < j->s->n_values; v++)
        memcpy((char *)j->partial[v] + (size_t)(piece * j->kept + at) * value_size(j, v), f->acc[v],
               n * value_size(j, v));
}

/* ---- Rows ---- */

/* Rows so short that a block holds many: element r of all of them is folded at once. */
static void short_rows(struct folder *f, int64_t row, size_t rows)
{
    const struct reduce_job *j = f->j;
    size_t r = (size_t)j->reduced;
    char *column = memory_zeroed(1, TAPE_BLOCK * REG_BYTES * 8);
    void *val[8];
    if (r)
        tape_block(&f->values, row * j->reduced, rows * r, NULL);
    for (size_t k = 0; k < r; k++) {
        for (uint32_t v = 0; v < j->s->n_values; v++) {
            size_t size = value_size(j, v);
            const char *from = f->values.reg[j->s->tape.result[v]];
            val[v] = k ? column + v * TAPE_BLOCK * REG_BYTES : f->acc[v];
            for (size_t q = 0; q < rows; q++)
                memcpy((char *)val[v] + q * size, from + (q * r + k) * size, size);
        }
        if (k)
            fold(f, (void *const *)f->acc, val, rows);
    }
    free(column);
    finish(f, row, rows);
}

static void row_piece(struct folder *f, int64_t row, int64_t piece)
{
    const struct reduce_job *j = f->j;
    int64_t at = j->reduced * piece / j->pieces, end = j->reduced * (piece + 1) / j->pieces;
    size_t wide = end - at < TAPE_BLOCK ? (size_t)(end - at) : TAPE_BLOCK;
    for (bool fresh = true; at < end; at += TAPE_BLOCK, fresh = false)
        take(f, row * j->reduced + at, end - at < TAPE_BLOCK ? (size_t)(end - at) : TAPE_BLOCK, fresh);
    fold_halves(f, wide, 1);
    keep(f, piece, row, 1);
}

static void rows_part(void *ctx, uint64_t k, unsigned worker)
{
    const struct reduce_job *j = ctx;
    struct folder f;
    (void)worker;
    folder_open(&f, j);
    if (j->reduced <= SHORT_ROW) {
        int64_t end = (int64_t)(k + 1) * j->width < j->kept ? (int64_t)(k + 1) * j->width : j->kept;
        int64_t each = j->reduced ? TAPE_BLOCK / j->reduced : TAPE_BLOCK;
        for (int64_t row = (int64_t)k * j->width; row < end; row += each)
            short_rows(&f, row, (size_t)(end - row < each ? end - row : each));
    } else if (j->pieces > 1) {
        row_piece(&f, (int64_t)k / j->pieces, (int64_t)k % j->pieces);
    } else {
        int64_t end = (int64_t)(k + 1) * j->width < j->kept ? (int64_t)(k + 1) * j->width : j->kept;
        for (int64_t row = (int64_t)k * j->width; row < end; row++)
            row_piece(&f, row, 0);
    }
    folder_close(&f);
}

/* ---- Columns ---- */

static void columns_part(void *ctx, uint64_t k, unsigned worker)
{
    const struct reduce_job *j = ctx;
    struct folder f;
    (void)worker;
    folder_open(&f, j);
    int64_t piece = (int64_t)k % j->pieces, col = (int64_t)k / j->pieces * j->width;
    int64_t at = j->reduced * piece / j->pieces, end = j->reduced * (piece + 1) / j->pieces;
    int64_t n = j->kept - col < j->width ? j->kept - col : j->width;
    /* all of a short line, and as many lines as a block holds */
    int64_t lines = n == j->kept ? TAPE_BLOCK / n : 1, wide = lines < end - at ? lines : end - at;
    for (bool fresh = true; at < end; at += lines, fresh = false) {
        int64_t now = end - at < lines ? end - at : lines;
        take(&f, at * j->kept + col, (size_t)(now * n), fresh);
    }
    fold_halves(&f, (size_t)(wide * n), (size_t)n);
    keep(&f, piece, col, (size_t)n);
    folder_close(&f);
}

/* ---- All of it ---- */

/* The pieces of each kept element, in their order. */
static void join_pieces(struct reduce_job *j)
{
    struct folder f;
    folder_open(&f, j);
    for (int64_t at = 0; at < j->kept; at += TAPE_BLOCK) {
        size_t n = j->kept - at < TAPE_BLOCK ? (size_t)(j->kept - at) : TAPE_BLOCK;
        for (int64_t p = 0; p < j->pieces; p++) {
            void *val[8];
            for (uint32_t v = 0; v < j->s->n_values; v++) {
                val[v] = (char *)j->partial[v] + (size_t)(p * j->kept + at) * value_size(j, v);
                if (p == 0)
                    memcpy(f.acc[v], val[v], n * value_size(j, v));
            }
            if (p)
                fold(&f, (void *const *)f.acc, val, n);
        }
        finish(&f, at, n);
    }
    folder_close(&f);
}

static void prepare(struct reduce_job *j)
{
    const struct stage *s = j->s;
    struct tape_regs init;
    tape_bind(&j->values, &s->tape, j->e);
    tape_bind(&j->init, &s->init, j->e);
    if (s->region)
        tape_bind(&j->region, s->region, j->e);
    regs_open(&init, &j->init);
    for (uint32_t v = 0; v < s->n_values; v++) {
        j->store[v] = access_base(&s->stores[v], j->e);
        j->first[v] = memory_zeroed(1, TAPE_BLOCK * REG_BYTES);
        vec_splat(s->stores[v].elem.cls, init.reg[s->init.result[v]], j->first[v], TAPE_BLOCK);
        if (j->pieces > 1)
            j->partial[v] = memory_zeroed(1, (size_t)(j->pieces * j->kept) * 8);
    }
    regs_close(&init);
}

static void end(struct reduce_job *j)
{
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        free(j->first[v]);
        free(j->partial[v]);
    }
    tape_unbind(&j->values);
    tape_unbind(&j->init);
    if (j->s->region)
        tape_unbind(&j->region);
}

void host_reduce(const struct unit_call *e, const struct stage *s)
{
    struct reduce_job j = {.s = s, .e = e, .kept = 1, .reduced = 1, .pieces = 1};
    for (uint32_t k = 0; k < s->n_loops; k++) {
        bool kept = stage_keeps(s, k);
        *(kept ? &j.kept : &j.reduced) *= s->size[k];
    }
    if (j.kept == 0)
        return;
    uint64_t parts;
    if (s->columns && j.reduced) {
        j.width = j.kept < TAPE_BLOCK ? j.kept : TAPE_BLOCK;
        int64_t across = (j.kept + j.width - 1) / j.width, down = j.reduced * j.width / PART;
        if (across < FEW && down > 1)
            j.pieces = down < 64 ? down : 64;
        parts = (uint64_t)(across * j.pieces);
    } else {
        if (j.kept < FEW && j.reduced >= 2 * PART)
            j.pieces = j.reduced / PART < 64 ? j.reduced / PART : 64;
        j.width = j.reduced > PART ? 1 : PART / (j.reduced ? j.reduced : 1);
        parts = j.pieces > 1 ? (uint64_t)(j.kept * j.pieces) : (uint64_t)((j.kept + j.width - 1) / j.width);
    }
    prepare(&j);
    threads_each(e->threads, parts, s->columns && j.reduced ? columns_part : rows_part, &j);
    if (j.pieces > 1)
        join_pieces(&j);
    end(&j);
}
