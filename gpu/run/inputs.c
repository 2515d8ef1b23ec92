/* Inputs go to the parameters' places; outputs are compared with what they should be. */
#include "gpu/run/capture.h"
#include "gpu/run/example.h"
#include "gpu/run/inputs_made.h"
#include "gpu/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct leaf { /* one array of the parameters, or of the result */
    inst_id inst;
    uint32_t node;
    value_id value;
    char *at;       /* where the host reads or writes it */
    char name[64];
};

/* The last key of "m['w1']", "m[0]" or "x"; else its position. */
static void leaf_name(const struct run *r, inst_id i, uint32_t node, uint32_t position, char out[64])
{
    const char *op = hlo_inst(r->hlo, i)->op_name, *from = op;
    if (op && node == 0) {
        const char *end = op + strlen(op);
        if (end > op && end[-1] == ']')
            end--;
        if (end > op && (end[-1] == '\'' || end[-1] == '"'))
            end--;
        for (const char *p = op; p < end; p++)
            if (*p == '[' || *p == '\'' || *p == '"' || *p == '.')
                from = p + 1;
        size_t n = (size_t)(end - from);
        bool plain = n > 0 && n < 60;
        for (size_t k = 0; k < n && plain; k++)
            plain = strchr("/\\ ", from[k]) == NULL;
        if (plain) {
            snprintf(out, 64, "%.*s", (int)n, from);
            return;
        }
    }
    snprintf(out, 64, "%u", position);
}

static uint32_t leaves_of(const struct run *r, inst_id i, uint32_t position, struct leaf *out)
{
    shape_id shape = hlo_inst(r->hlo, i)->shape;
    uint32_t n = 0;
    for (uint32_t k = 0; k < shape_node(&r->hlo->shapes, shape)->span; k++) {
        if (!shape_is_array(&r->hlo->shapes, shape + k))
            continue;
        out[n] = (struct leaf){i, k, run_value(r, i, k), NULL, ""};
        leaf_name(r, i, k, position + n, out[n].name);
        n++;
    }
    return n;
}

static struct leaf *parameters(struct run *r, uint32_t *n)
{
    const struct hlo_comp *entry = hlo_comp(r->hlo, r->hlo->entry);
    uint32_t room = 1;
    for (uint32_t k = 0; k < entry->params.n; k++)
        room += shape_node(&r->hlo->shapes, hlo_inst(r->hlo, hlo_param(r->hlo, r->hlo->entry, k))->shape)->span;
    struct leaf *all = arena_array(&r->arena, room, sizeof *all);
    *n = 0;
    for (uint32_t k = 0; k < entry->params.n; k++)
        *n += leaves_of(r, hlo_param(r->hlo, r->hlo->entry, k), *n, all + *n);
    return all;
}

static const struct shape_node *leaf_shape(const struct run *r, const struct leaf *l)
{
    return shape_node(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node);
}

/* ---- From files ---- */

static bool read_whole(const char *path, void *to, uint64_t bytes, bool *there, struct diag *d)
{
    struct stat st;
    *there = stat(path, &st) == 0;
    if (!*there)
        return errno == ENOENT || diag_file(d, path, "cannot open: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return diag_file(d, path, "is not a regular file");
    FILE *f = fopen(path, "rb");
    if (!f)
        return diag_file(d, path, "cannot open: %s", strerror(errno));
    uint64_t got = fread(to, 1, bytes, f);
    bool ok = got == bytes && fgetc(f) == EOF;
    fclose(f);
    return ok || diag_file(d, path, "expected %llu bytes", (unsigned long long)bytes);
}

/* Files are row by row; memory is as the layout says. */
static void to_layout(const struct run *r, const struct leaf *l, const char *from, char *to, unsigned width, bool back)
{
    const struct shape_node *x = leaf_shape(r, l);
    const int64_t *dims = shape_numbers(&r->hlo->shapes, x->dims);
    int64_t stride[64], index[64] = {0};
    uint64_t n = shape_elements(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node);
    shape_strides(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node, stride);
    for (uint64_t k = 0; k < n; k++) {
        int64_t at = 0;
        for (uint32_t d = 0; d < x->dims.n; d++)
            at += index[d] * stride[d];
        memcpy(to + (back ? k : (uint64_t)at) * width, from + (back ? (uint64_t)at : k) * width, width);
        for (uint32_t d = x->dims.n; d-- > 0 && ++index[d] == dims[d];)
            index[d] = 0;
    }
}

static bool is_row_major(const struct run *r, const struct leaf *l)
{
    const struct shape_node *x = leaf_shape(r, l);
    const int64_t *order = shape_numbers(&r->hlo->shapes, x->order);
    for (uint32_t k = 0; k < x->order.n; k++)
        if (order[k] != (int64_t)(x->order.n - 1 - k))
            return false;
    return true;
}

static int64_t count_of(const struct run *r, const struct leaf *l)
{
    return (int64_t)shape_elements(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node);
}

static bool is_plain(const struct run *r, const struct leaf *l)
{
    return is_row_major(r, l) && !shape_packed(leaf_shape(r, l));
}

/* Elements row by row, each in bytes of its own: the memory itself where it is so, else a copy that
 * row_put() gives back, to memory or not at all. */
static char *row_get(const struct run *r, const struct leaf *l, bool filled)
{
    unsigned width = type_storage(leaf_shape(r, l)->type), bits = shape_packed(leaf_shape(r, l));
    char *at = l->at;
    if (is_plain(r, l))
        return at;
    size_t n = (size_t)count_of(r, l) * (width ? width : 1);
    char *row = zeroed(n), *wide = bits ? zeroed(n) : at;
    if (filled && bits)
        elem_repack(false, at, wide, count_of(r, l), bits);
    if (filled && width)
        to_layout(r, l, wide, row, width, true);
    if (bits)
        free(wide);
    return row;
}

static void row_put(const struct run *r, const struct leaf *l, char *row, bool keep)
{
    unsigned width = type_storage(leaf_shape(r, l)->type), bits = shape_packed(leaf_shape(r, l));
    char *at = l->at;
    if (row == at)
        return;
    char *wide = bits ? zeroed((size_t)count_of(r, l)) : at;
    if (keep && width)
        to_layout(r, l, row, wide, width, false);
    if (keep && bits)
        elem_repack(true, wide, at, count_of(r, l), bits);
    if (bits)
        free(wide);
    free(row);
}

static bool fill_from_file(struct run *r, const struct leaf *l, uint32_t position, struct diag *d)
{
    char path[2][4096];
    unsigned width = type_storage(leaf_shape(r, l)->type);
    bool there = false;
    snprintf(path[0], sizeof path[0], "%s/in_%s.bin", r->options.inputs, l->name);
    snprintf(path[1], sizeof path[1], "%s/in_%u.bin", r->options.inputs, position);
    char *row = row_get(r, l, false);
    bool ok = true;
    for (int k = 0; k < 2 && ok && !there; k++)
        ok = read_whole(path[k], row, (uint64_t)count_of(r, l) * width, &there, d);
    row_put(r, l, row, true);
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
    return is_dims(r, &p[0], 1, w[0]) && is_row_major(r, &p[1]);
}

int64_t inputs_example_width(struct run *r)
{
    uint32_t n;
    const struct leaf *p = parameters(r, &n);
    if (n != 3 || !is_dims(r, &p[0], 1, -1) || !is_dims(r, &p[1], -1, -1) || !is_dims(r, &p[2], -1, 1))
        return 0;
    return shape_numbers(&r->hlo->shapes, leaf_shape(r, &p[1])->dims)[1];
}

static uint64_t square_side(const struct run *r, const struct leaf *l)
{
    const struct shape_node *x = leaf_shape(r, l);
    const int64_t *dims = shape_numbers(&r->hlo->shapes, x->dims);
    return x->dims.n == 2 && dims[0] == dims[1] ? (uint64_t)dims[0] : 0;
}

static void make_leaf(struct run *r, const struct leaf *l, uint32_t position, bool filled)
{
    struct making m = {elem_of(leaf_shape(r, l)->type), NULL, position, (uint64_t)count_of(r, l)};
    uint64_t side = r->options.definite ? square_side(r, l) : 0;
    if (!m.elem.size)
        return;
    m.row = row_get(r, l, filled);
    if (!filled && side && m.elem.cls <= CLASS_F64)
        inputs_definite(&m, side);
    else if (!filled)
        inputs_make(r->threads, &m);
    if (r->options.noise > 0)
        inputs_noise(r->threads, &m, r->options.noise);
    row_put(r, l, m.row, true);
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
    struct leaf *p = parameters(r, &n);
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

/* ---- Outputs ---- */

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
    char *buffer = zeroed(n * 8 + 8);
    bool ok = true, there = false;
    for (int k = 0; k < 4 && ok && !there && e.cls != CLASS_C64; k++) {
        char path[4096], at[64];
        bool wide = k < 2;
        snprintf(at, sizeof at, "%u", position);
        snprintf(path, sizeof path, "%s/%s_grad_%s.bin", r->options.expect, wide ? "ref64" : "out", k % 2 ? at : l->name);
        ok = read_whole(path, buffer, n * (wide ? 8 : e.size), &there, d);
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
    double *wide = zeroed((size_t)width * sizeof *wide);
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
    uint32_t n = leaves_of(r, root, 0, l), n_params;
    struct leaf *params = parameters(r, &n_params);
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
        char *row = row_get(r, &l[k], true);
        bool ok = !r->options.expect || compare_file(r, o, &l[k], k, row, d);
        if (ok && !o->compared && r->example && r->references)
            compare_example(r, o, &l[k], k, row);
        row_put(r, &l[k], row, false);
        if (!ok)
            return false;
    }
    return true;
}
