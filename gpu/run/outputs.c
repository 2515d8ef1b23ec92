/* Outputs are shown in place, and compared with what they should be. */
#include "gpu/run/leaf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void compare(struct exec_output *o, const struct elem *e, uint64_t n, const char *got, const double *wide,
                    const char *same)
{
    double most = 0, worst = 0;
    for (uint64_t k = 0; k < n; k++) {
        char a[8] = {0}, b[8] = {0};
        elem_load(e, got + k * e->size, 1, a, 1);
        if (same)
            elem_load(e, same + k * e->size, 1, b, 1);
        double x = e->cls == CLASS_F32 ? *(float *)(void *)a : e->cls == CLASS_F64 ? *(double *)(void *)a
                                                                                  : (double)*(int64_t *)(void *)a;
        double y = wide ? wide[k] : e->cls == CLASS_F32 ? *(float *)(void *)b : e->cls == CLASS_F64 ? *(double *)(void *)b
                                                                                                 : (double)*(int64_t *)(void *)b;
        double error = isnan(x) && isnan(y) ? 0 : fabs(x - y);
        worst = !(error <= worst) ? error : worst;
        most = fabs(y) > most ? fabs(y) : most;
    }
    o->compared = true;
    o->max_abs = worst;
    o->max_rel = most > 0 ? worst / most : worst;
}

static bool compare_file(struct run *r, struct exec_output *o, const struct leaf *l, uint32_t position, const char *row,
                         struct diag *d)
{
    struct elem e = elem_of(leaf_shape(r, l)->type);
    uint64_t n = shape_elements(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node);
    char *buffer = memory_zeroed(1, n * 8 + 8);
    bool ok = true, there = false;
    for (int k = 0; k < 4 && ok && !there && e.cls != CLASS_C64; k++) {
        char path[4096], at[64];
        bool wide = k < 2;
        snprintf(at, sizeof at, "%u", position);
        snprintf(path, sizeof path, "%s/%s_grad_%s.bin", r->options.expect, wide ? "ref64" : "out", k % 2 ? at : l->name);
        ok = leaf_read(path, buffer, n * (wide ? 8 : e.size), &there, d);
        if (ok && there) {
            compare(o, &e, n, row, wide ? (double *)(void *)buffer : NULL, wide ? NULL : buffer);
            o->against = wide ? "float64" : "XLA";
        }
    }
    free(buffer);
    return ok;
}

static void compare_example(struct run *r, struct exec_output *o, const struct leaf *l, uint32_t position, const char *row)
{
    struct elem e = elem_of(leaf_shape(r, l)->type);
    const int64_t *dims = shape_numbers(&r->hlo->shapes, leaf_shape(r, l)->dims);
    if (position > 1 || leaf_shape(r, l)->dims.n != 2)
        return;
    int64_t rows = position ? dims[0] : dims[1], width = position ? dims[1] : 1;
    struct exec_output line = *o;
    double most = 0, worst = 0;
    double *wide = memory_zeroed((size_t)width, sizeof *wide);
    for (int64_t k = 0; k < rows; k++) {
        double want = r->references[position * rows + k];
        for (int64_t c = 0; c < width; c++)
            wide[c] = want;
        compare(&line, &e, (uint64_t)width, row + (uint64_t)(k * width) * e.size, wide, NULL);
        worst = !(line.max_abs <= worst) ? line.max_abs : worst;
        most = fabs(want) > most ? fabs(want) : most;
    }
    free(wide);
    o->compared = true;
    o->against = "closed form";
    o->max_abs = worst;
    o->max_rel = most > 0 ? worst / most : worst;
}

/* An output that lies in a parameter's place is known by that parameter's name. */
static void name_output(struct run *r, struct leaf *l, const struct leaf *params, uint32_t n, uint32_t position)
{
    snprintf(l->name, sizeof l->name, "%u", position);
    for (uint32_t k = 0; k < n; k++)
        if (run_has_place(r, l->value) && r->alloc[params[k].value] == r->alloc[l->value])
            memcpy(l->name, params[k].name, sizeof l->name);
}

bool outputs_compare(struct run *r, struct exec_result *out, struct diag *d)
{
    inst_id root = hlo_comp(r->hlo, r->hlo->entry)->root;
    shape_id shape = hlo_inst(r->hlo, root)->shape;
    struct leaf *l = arena_array(&r->arena, shape_node(&r->hlo->shapes, shape)->span, sizeof *l);
    uint32_t n = leaf_list(r, root, 0, l), n_params;
    struct leaf *params = leaf_parameters(r, &n_params);
    out->outputs = arena_array(&r->arena, n + 1, sizeof *out->outputs);
    for (uint32_t k = 0; k < n; k++) {
        struct exec_output *o = &out->outputs[out->n_outputs++];
        char text[256];
        name_output(r, &l[k], params, n_params, k);
        o->name = l[k].name;
        o->shape = arena_printf(&r->arena, "%s", shape_text(&r->hlo->shapes, shape + l[k].node, false, text, sizeof text));
        if (!run_has_place(r, l[k].value))
            continue;
        o->bytes = r->size[l[k].value];
        o->data = run_view(r, run_at(r, l[k].value), o->bytes);
        l[k].at = (char *)(uintptr_t)o->data;
        char *row = leaf_row(r, &l[k], true);
        bool ok = !r->options.expect || compare_file(r, o, &l[k], k, row, d);
        if (ok && !o->compared && r->example && r->references)
            compare_example(r, o, &l[k], k, row);
        leaf_row_end(r, &l[k], row, false);
        if (!ok)
            return false;
    }
    return true;
}
