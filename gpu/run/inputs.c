/* Inputs go to the parameters' places: from files, the example's own, or made. */
#include "gpu/run/capture.h"
#include "gpu/run/example.h"
#include "gpu/run/inputs_made.h"
#include "gpu/run/leaf.h"

#include <stdio.h>

/* ---- From files ---- */

static bool fill_from_file(struct run *r, const struct leaf *l, uint32_t position, struct diag *d)
{
    char path[2][4096];
    unsigned width = type_storage(leaf_shape(r, l)->type);
    bool there = false;
    snprintf(path[0], sizeof path[0], "%s/in_%s.bin", r->options.inputs, l->name);
    snprintf(path[1], sizeof path[1], "%s/in_%u.bin", r->options.inputs, position);
    char *row = leaf_row(r, l, false);
    bool ok = true;
    for (int k = 0; k < 2 && ok && !there; k++)
        ok = leaf_read(path[k], row, (uint64_t)leaf_count(r, l) * width, &there, d);
    leaf_row_end(r, l, row, true);
    if (ok && !there) {
        diag_file(d, path[0], "there is no such file");
        return diag_hint(d, "inputs are named by the parameter's last key, or by its position: in_0.bin");
    }
    return ok;
}

/* ---- Made ---- */

static bool is_dims(const struct run *r, const struct leaf *l, int64_t a, int64_t b)
{
    const struct shape_node *x = leaf_shape(r, l);
    const int64_t *dims = shape_numbers(&r->hlo->shapes, x->dims);
    return x->type == TYPE_F32 && x->dims.n == 2 && (a < 0 || dims[0] == a) && (b < 0 || dims[1] == b);
}

static bool is_example(const struct run *r, const struct leaf *p, uint32_t n, struct example *e)
{
    if (n != 3 || !is_dims(r, &p[0], 1, -1) || !is_dims(r, &p[1], -1, -1) || !is_dims(r, &p[2], -1, 1))
        return false;
    const int64_t *w = shape_numbers(&r->hlo->shapes, leaf_shape(r, &p[1])->dims);
    *e = (struct example){w[0], w[1], shape_numbers(&r->hlo->shapes, leaf_shape(r, &p[2])->dims)[0],
                          (float *)(void *)p[0].at, (float *)(void *)p[1].at, (float *)(void *)p[2].at};
    return is_dims(r, &p[0], 1, w[0]) && leaf_is_row_major(r, &p[1]);
}

int64_t inputs_example_width(struct run *r)
{
    uint32_t n;
    struct example e;
    const struct leaf *p = leaf_parameters(r, &n);
    return is_example(r, p, n, &e) ? e.width : 0;
}

static uint64_t square_side(const struct run *r, const struct leaf *l)
{
    const struct shape_node *x = leaf_shape(r, l);
    const int64_t *dims = shape_numbers(&r->hlo->shapes, x->dims);
    return x->dims.n == 2 && dims[0] == dims[1] ? (uint64_t)dims[0] : 0;
}

static void make_leaf(struct run *r, const struct leaf *l, uint32_t position, bool filled)
{
    struct making m = {elem_of(leaf_shape(r, l)->type), NULL, position, (uint64_t)leaf_count(r, l)};
    uint64_t side = r->options.definite ? square_side(r, l) : 0;
    if (!m.elem.size)
        return;
    m.row = leaf_row(r, l, filled);
    if (!filled && side && m.elem.cls <= CLASS_F64)
        inputs_definite(&m, side);
    else if (!filled)
        inputs_make(r->threads, &m);
    if (r->options.noise > 0)
        inputs_noise(r->threads, &m, r->options.noise);
    leaf_row_end(r, l, m.row, true);
}

static bool fill(struct run *r, struct leaf *p, uint32_t n, struct diag *d)
{
    struct example e;
    bool example = !r->options.inputs && is_example(r, p, n, &e);
    if (example)
        example_inputs(&e);
    for (uint32_t k = 0; k < n; k++) {
        if (r->options.inputs && !fill_from_file(r, &p[k], k, d))
            return false;
        bool filled = r->options.inputs || example;
        if (!filled || r->options.noise > 0)
            make_leaf(r, &p[k], k, filled);
    }
    if (!r->references && (r->example = is_example(r, p, n, &e))) { /* while the inputs are there */
        r->references = arena_array(&r->arena, 2 * (size_t)e.rows + 1, sizeof *r->references);
        example_gradient(&e, r->references, r->references + e.rows);
    }
    return true;
}

bool inputs_fill(struct run *r, struct diag *d)
{
    uint32_t n;
    struct leaf *p = leaf_parameters(r, &n);
    bool ok = true;
    for (uint32_t k = 0; k < n; k++)
        if (!run_has_place(r, p[k].value))
            return diag_file(d, r->hlo->file, "parameter %s has no place", p[k].name);
    for (uint32_t k = 0; k < n; k++) {
        p[k].at = run_stage(r, run_at(r, p[k].value), r->size[p[k].value]);
        ok = ok && (p[k].at || diag_file(d, r->hlo->file, "there is no memory for parameter %s", p[k].name));
    }
    ok = ok && fill(r, p, n, d);
    for (uint32_t k = 0; k < n; k++) {
        if (p[k].at)
            run_stage_end(r, run_at(r, p[k].value), p[k].at, r->size[p[k].value]);
        capture_wrote(r, p[k].value, 0, r->size[p[k].value], false);
    }
    return ok;
}
