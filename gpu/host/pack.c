/* Panels of matrix products: elements of any type and layout, in strips of the class summed in. */
#include "gpu/host/gemm.h"

#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

bool offsets_even(const int64_t *at, int64_t n, int64_t *step)
{
    *step = n > 1 ? at[1] - at[0] : 1;
    for (int64_t k = 1; k < n; k++)
        if (at[k] != at[k - 1] + *step)
            return false;
    return true;
}

void panel_line(const struct panel *p, int64_t k, const void *line, size_t size)
{
    const char *from = line;
    char *to = (char *)p->to + (size_t)(k * p->strip) * size;
    for (int64_t r = 0; r < p->n; r += p->strip) {
        int64_t n = p->n - r < p->strip ? p->n - r : p->strip;
        if ((size_t)n * size == 128) /* the usual ones, without a call */
            memcpy(to, from, 128);
        else if ((size_t)n * size == 32)
            memcpy(to, from, 32);
        else
            memcpy(to, from, (size_t)n * size);
        from += (size_t)n * size;
        to += (size_t)(p->depth * p->strip) * size;
    }
}

/* to[k * strip + r] = line[r][k] for four lines. */
static void four_lines(float (*line)[GEMM_DEPTH], int64_t depth, float *to, int64_t strip)
{
    int64_t k = 0;
#ifdef __SSE__
    for (; k + 4 <= depth; k += 4) {
        __m128 a = _mm_loadu_ps(line[0] + k), b = _mm_loadu_ps(line[1] + k);
        __m128 c = _mm_loadu_ps(line[2] + k), d = _mm_loadu_ps(line[3] + k);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_storeu_ps(to + k * strip, a);
        _mm_storeu_ps(to + (k + 1) * strip, b);
        _mm_storeu_ps(to + (k + 2) * strip, c);
        _mm_storeu_ps(to + (k + 3) * strip, d);
    }
#endif
    for (; k < depth; k++)
        for (int64_t r = 0; r < 4; r++)
            to[k * strip + r] = line[r][k];
}

/* Each row lies in a run along the depth: four at a time are turned. */
static void pack_turned(const struct panel *p, const struct elem *e, const char *array, const int64_t *row, int64_t depth)
{
    float line[4][GEMM_DEPTH];
    memset(line, 0, sizeof line);
    for (int64_t r = 0; r < p->n; r += 4) {
        for (int64_t q = 0; q < 4; q++)
            if (r + q < p->n)
                elem_load(e, array + (row[r + q] + depth) * e->size, 1, line[q], (size_t)p->depth);
            else
                memset(line[q], 0, sizeof line[q]);
        four_lines(line, p->depth, (float *)p->to + r / p->strip * p->strip * p->depth + r % p->strip, p->strip);
    }
}

void panel_pack(const struct panel *p, const struct elem *e, const char *array, const int64_t *row,
                const int64_t *depth, const struct elem *sum)
{
    int64_t step, deep, where[GEMM_COLS];
    char line[GEMM_COLS * REG_BYTES], other[GEMM_COLS * REG_BYTES];
    bool even = offsets_even(row, p->n, &step);
    if (!(even && step == 1) && sum->cls == CLASS_F32 && e->cls == CLASS_F32 && p->strip % 4 == 0 &&
        offsets_even(depth, p->depth, &deep) && deep == 1) {
        pack_turned(p, e, array, row, depth[0]);
        return;
    }
    for (int64_t k = 0; k < p->depth; k++) {
        void *to = e->cls == sum->cls ? line : other;
        for (int64_t r = 0; r < p->n && !even; r++)
            where[r] = row[r] + depth[k];
        if (even)
            elem_load(e, array + (row[0] + depth[k]) * e->size, step, to, (size_t)p->n);
        else
            elem_gather(e, array, where, to, (size_t)p->n);
        if (to == other)
            vec_apply(VOP_CONVERT, e, sum, other, NULL, NULL, line, (size_t)p->n, NULL);
        panel_line(p, k, line, class_size(sum->cls));
    }
}
