/* Matrices of an array's last two dimensions, element by element, in double. */
#ifndef GPU_HOST_MATRIX_H
#define GPU_HOST_MATRIX_H

#include "gpu/engine/nd.h"

/* Matrix `batch` of an array: its first element, and steps between rows and columns. */
struct matrix {
    const struct nd *a;
    int64_t at, row, column;
};

static inline struct matrix matrix_of(const struct nd *a, int64_t batch)
{
    int64_t index[TAPE_RANK] = {0};
    nd_index(batch, a->rank - 2, a->dims, index);
    return (struct matrix){a, nd_offset(a, index), a->stride[a->rank - 2], a->stride[a->rank - 1]};
}

static inline struct matrix matrix_turned(struct matrix m)
{
    return (struct matrix){m.a, m.at, m.column, m.row};
}

static inline char *matrix_place(const struct matrix *m, int64_t row, int64_t column)
{
    return m->a->at + (m->at + row * m->row + column * m->column) * m->a->elem.size;
}

static inline double matrix_get(const struct matrix *m, int64_t row, int64_t column)
{
    char reg[REG_BYTES] = {0};
    elem_load(&m->a->elem, matrix_place(m, row, column), 1, reg, 1);
    return m->a->elem.cls == CLASS_F64 ? *(double *)(void *)reg : (double)*(float *)(void *)reg;
}

static inline void matrix_set(const struct matrix *m, int64_t row, int64_t column, double v)
{
    char reg[REG_BYTES];
    if (m->a->elem.cls == CLASS_F64)
        *(double *)(void *)reg = v;
    else
        *(float *)(void *)reg = (float)v;
    elem_store(&m->a->elem, reg, matrix_place(m, row, column), 1, 1);
}

static inline int64_t matrix_count(const struct nd *a)
{
    int64_t n = 1;
    for (uint32_t d = 0; d + 2 < a->rank; d++)
        n *= a->dims[d];
    return n;
}

#endif
