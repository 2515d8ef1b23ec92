#include "gpu/run/leaf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

uint32_t leaf_list(const struct run *r, inst_id i, uint32_t position, struct leaf *out)
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

struct leaf *leaf_parameters(struct run *r, uint32_t *n)
{
    const struct hlo_comp *entry = hlo_comp(r->hlo, r->hlo->entry);
    uint32_t room = 1;
    for (uint32_t k = 0; k < entry->params.n; k++)
        room += shape_node(&r->hlo->shapes, hlo_inst(r->hlo, hlo_param(r->hlo, r->hlo->entry, k))->shape)->span;
    struct leaf *all = arena_array(&r->arena, room, sizeof *all);
    *n = 0;
    for (uint32_t k = 0; k < entry->params.n; k++)
        *n += leaf_list(r, hlo_param(r->hlo, r->hlo->entry, k), *n, all + *n);
    return all;
}

const struct shape_node *leaf_shape(const struct run *r, const struct leaf *l)
{
    return shape_node(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node);
}

bool leaf_read(const char *path, void *to, uint64_t bytes, bool *there, struct diag *d)
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
    int64_t *stride = memory_zeroed((size_t)x->dims.n + 1, sizeof *stride), *index = memory_zeroed((size_t)x->dims.n + 1, sizeof *index);
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
    free(stride);
    free(index);
}

bool leaf_is_row_major(const struct run *r, const struct leaf *l)
{
    const struct shape_node *x = leaf_shape(r, l);
    const int64_t *order = shape_numbers(&r->hlo->shapes, x->order);
    for (uint32_t k = 0; k < x->order.n; k++)
        if (order[k] != (int64_t)(x->order.n - 1 - k))
            return false;
    return true;
}

int64_t leaf_count(const struct run *r, const struct leaf *l)
{
    return (int64_t)shape_elements(&r->hlo->shapes, hlo_inst(r->hlo, l->inst)->shape + l->node);
}

static bool is_plain(const struct run *r, const struct leaf *l)
{
    return leaf_is_row_major(r, l) && !shape_packed(leaf_shape(r, l));
}

char *leaf_row(const struct run *r, const struct leaf *l, bool filled)
{
    unsigned width = type_storage(leaf_shape(r, l)->type), bits = shape_packed(leaf_shape(r, l));
    char *at = l->at;
    if (is_plain(r, l))
        return at;
    size_t n = (size_t)leaf_count(r, l) * (width ? width : 1);
    char *row = memory_zeroed(1, n), *wide = bits ? memory_zeroed(1, n) : at;
    if (filled && bits)
        elem_repack(false, at, wide, leaf_count(r, l), bits);
    if (filled && width)
        to_layout(r, l, wide, row, width, true);
    if (bits)
        free(wide);
    return row;
}

void leaf_row_end(const struct run *r, const struct leaf *l, char *row, bool keep)
{
    unsigned width = type_storage(leaf_shape(r, l)->type), bits = shape_packed(leaf_shape(r, l));
    char *at = l->at;
    if (row == at)
        return;
    char *wide = bits ? memory_zeroed(1, (size_t)leaf_count(r, l)) : at;
    if (keep && width)
        to_layout(r, l, row, wide, width, false);
    if (keep && bits)
        elem_repack(true, wide, at, leaf_count(r, l), bits);
    if (bits)
        free(wide);
    free(row);
}
