#include "core/base/json.h"
#include "core/output/report/listing_report.h"

static void add(cJSON *to, const char *name, cJSON *value)
{
    cJSON_AddItemToObject(to, name, value);
}

static void add_null(cJSON *to, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        add(to, names[k], cJSON_CreateNull());
}

static void add_bytes(cJSON *to, const char *name, struct listing_bytes b)
{
    add(to, name, json_number_or_null(b.known, b.bytes));
}

static cJSON *source_json(const struct listing_buffer *b)
{
    char source[4200];
    return json_text(listing_source(b, true, source, sizeof source));
}

static cJSON *top_json(const struct listing *l, uint32_t top, const uint32_t *order)
{
    static const char *const unknown[] = {"allocation", "defined", "last_use"};
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < l->buffers.n && k < top; k++) {
        const struct listing_buffer *b = listing_buffer(l, order[k]);
        cJSON *o = cJSON_CreateObject();
        add(o, "value", json_text(b->name));
        add_bytes(o, "size", b->size);
        add_bytes(o, "offset", b->offset);
        add(o, "shape", json_text(b->shape));
        add(o, "role", json_text(b->kind));
        add(o, "op_name", json_text(b->op_name));
        add(o, "source", source_json(b));
        add_null(o, unknown, sizeof unknown / sizeof *unknown);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *groups_json(const struct listing *l, enum report_by by, struct arena *a)
{
    static const enum listing_by kinds[] = {
        [BY_NONE] = LISTING_BY_LINE, [BY_LINE] = LISTING_BY_LINE, [BY_OP] = LISTING_BY_OP,
        [BY_SHAPE] = LISTING_BY_SHAPE, [BY_ROLE] = LISTING_BY_KIND};
    uint32_t n;
    const struct listing_group *g = listing_groups(l, kinds[by], &n, a);
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < n; k++) {
        cJSON *o = cJSON_CreateObject();
        add(o, "name", json_text(g[k].name));
        add(o, "peak_bytes", json_number(g[k].bytes));
        add(o, "total_bytes", cJSON_CreateNull());
        add(o, "alive", json_number(g[k].n));
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *figures_json(const struct listing *l)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < l->figures.n; k++) {
        const struct listing_figure *f = listing_figure(l, k);
        cJSON *o = cJSON_CreateObject();
        add(o, "part", cJSON_CreateString(listing_part_name(f->part)));
        add(o, "name", json_text(f->name));
        add(o, "bytes", f->negative ? json_difference(f->bytes.bytes, 0) : json_number(f->bytes.bytes));
        add(o, "note", json_text(f->note));
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *buffers_json(const struct listing *l)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < l->buffers.n; k++) {
        const struct listing_buffer *b = listing_buffer(l, k);
        cJSON *o = cJSON_CreateObject();
        add(o, "name", json_text(b->name));
        add_bytes(o, "size", b->size);
        add(o, "exact", b->size.known ? cJSON_CreateBool(!b->size.off) : cJSON_CreateNull());
        add(o, "count", json_number(b->count));
        add(o, "padding", json_number_or_null(b->unpadded.known, listing_buffer_padding(b)));
        add_bytes(o, "offset", b->offset);
        add(o, "kind", json_text(b->kind));
        add(o, "shape", json_text(b->shape));
        add(o, "label", json_text(b->label));
        add(o, "op_name", json_text(b->op_name));
        add(o, "source", source_json(b));
        add(o, "line", json_number(b->line));
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *go_json(const struct listing_fit *f)
{
    if (!f->over)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject(), *list = cJSON_CreateArray();
    add(o, "count", json_number(f->go_count));
    add(o, "bytes", json_number(f->go_bytes));
    add(o, "enough", cJSON_CreateBool(f->enough));
    for (uint32_t k = 0; k < f->n_go; k++) {
        cJSON *x = cJSON_CreateObject();
        add(x, "buffer", json_number(f->go[k].buffer));
        add(x, "count", json_number(f->go[k].count));
        cJSON_AddItemToArray(list, x);
    }
    add(o, "buffers", list);
    return o;
}

static cJSON *listing_json(const struct listing_report *r, const struct listing_fit *f)
{
    const struct listing *l = r->listing;
    cJSON *o = cJSON_CreateObject();
    add(o, "form", cJSON_CreateString(listing_form_name(l->form)));
    add(o, "file", json_text(r->file));
    add(o, "line", json_number(l->line));
    add(o, "last_line", json_number(l->last));
    add(o, "times", json_number(l->times));
    add(o, "space", json_text(l->space));
    add_bytes(o, "requested_bytes", l->requested);
    add_bytes(o, "used_bytes", l->used);
    add_bytes(o, "capacity_bytes", l->capacity);
    add_bytes(o, "exceeded_bytes", l->exceeded);
    add_bytes(o, "total_bytes", l->total);
    add_bytes(o, "in_use_bytes", l->in_use);
    add_bytes(o, "free_bytes", l->free);
    add_bytes(o, "largest_free_bytes", l->largest_free);
    add_bytes(o, "budget_bytes", l->budget);
    add(o, "over_bytes", json_number_or_null(f->has_need && f->has_limit, f->over));
    add(o, "listed_bytes", json_number(listing_listed(l)));
    add(o, "padding_bytes", json_number_or_null(l->padding, listing_padding(l)));
    add(o, "must_go", go_json(f));
    add(o, "figures", figures_json(l));
    add(o, "buffers", buffers_json(l));
    add(o, "lacks", cJSON_CreateString(listing_lacks));
    return o;
}

cJSON *listing_report_json(const struct listing_report *r)
{
    static const char *const before[] = {"device", "instructions", "values", "allocations", "bytes", "spaces"};
    static const char *const after[] = {"live_ranges", "peak", "claimed_peak", "at", "live_bytes"};
    static const char *const last[] = {"lower_bound_bytes", "fragmentation_bytes", "by_role", "loops", "hints"};
    const struct listing *l = r->listing;
    struct arena a = {0};
    struct listing_fit f;
    listing_fit(&f, l, r->options->has_limit ? r->options->limit : 0, &a);
    cJSON *o = cJSON_CreateObject();
    add(o, "name", json_text(r->name));
    add(o, "platform", json_text(platform_name(r->platform)));
    add_null(o, before, sizeof before / sizeof *before);
    add(o, "needed_bytes", json_number_or_null(f.has_need, f.need));
    add(o, "limit_bytes", json_number_or_null(f.has_limit, f.limit));
    add(o, "fits", f.has_need && f.has_limit ? cJSON_CreateBool(!f.over) : cJSON_CreateNull());
    add_null(o, after, sizeof after / sizeof *after);
    add(o, "top", top_json(l, r->options->top, listing_by_size(l, &a)));
    if (r->options->by != BY_NONE)
        add(o, "groups", groups_json(l, r->options->by, &a));
    add_null(o, last, sizeof last / sizeof *last);
    add(o, "listing", listing_json(r, &f));
    arena_free(&a);
    return o;
}

bool listing_report_over(const struct listing_report *r)
{
    struct arena a = {0};
    struct listing_fit f;
    listing_fit(&f, r->listing, r->options->has_limit ? r->options->limit : 0, &a);
    arena_free(&a);
    return r->options->has_limit && f.over;
}
