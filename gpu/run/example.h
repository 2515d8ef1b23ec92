/* The shipped example, told by its shapes: inputs in which every step counts, and its gradient in
 * double.
 *
 * scan.py's step makes zval = x_t * sum(w1 @ w2) and the next model w1 * zval, w2 * zval, so that the
 * model of step k is a_k (w1, w2) with one number a_k, and everything follows from sums over the first
 * one: O(rows * width), whatever the length. */
#ifndef GPU_RUN_EXAMPLE_H
#define GPU_RUN_EXAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Memory is the caller's. */
struct example {
    int64_t rows, width, steps;
    float *w1, *w2, *x; /* [rows], [rows][width], [steps]; row by row */
};

/* Weights are small whole numbers times a power of two, with sum(w1 @ w2) exactly 1; each zval is a
 * small power of two. */
void example_inputs(struct example *e);
/* Gradients in double: of w1 into [rows], of w2 into [rows]: each row of it is one number. */
void example_gradient(const struct example *e, double *w1, double *w2);

#endif
