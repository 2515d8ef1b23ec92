#include "core/output/report/diff_report.h"

#include "core/base/file.h"
#include "core/base/json.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 80

/* "+4.00 GiB", "-512 B", "same". */
static const char *change_text(uint64_t a, uint64_t b, char out[28])
{
    char bytes[24];
    if (a == b)
        return strcpy(out, "same");
    snprintf(out, 28, "%c%s", b > a ? '+' : '-', bytes_text(b > a ? b - a : a - b, bytes));
    return out;
}

static const char *or_dash(uint64_t bytes, bool there, const char *dash, char out[24])
{
    return there ? bytes_text(bytes, out) : strcpy(out, dash);
}

/* At most `columns`, "…" for what is cut at the left (paths and op_names tell most at their end). */
static const char *tail(const char *text, int columns, bool ascii, char *out, size_t size)
{
    char safe[1200];
    text_safe(text, safe, sizeof safe);
    int n = 0;
    for (const char *c = safe; *c; c++)
        n += ((unsigned char)*c & 0xC0) != 0x80;
    if (n <= columns) {
        snprintf(out, size, "%s", safe);
        return out;
    }
    const char *from = safe;
    for (int drop = n - columns + 1; drop > 0; drop--)
        do
            from++;
        while (((unsigned char)*from & 0xC0) == 0x80);
    snprintf(out, size, "%s%s", ascii ? "~" : "…", from);
    return out;
}

static void put_heads(const struct diff *d, const char *const name[2], bool ascii, FILE *out)
{
    for (int k = 0; k < 2; k++) {
        const struct program *p = d->program[k];
        char path[1300], module[1300], bytes[24];
        fprintf(out, "%c  %11s  %s, %s\n", 'A' + k, bytes_text(d->peak[k], bytes),
                tail(p->name ? p->name : "?", 24, ascii, module, sizeof module),
                tail(name[k], 36, ascii, path, sizeof path));
    }
}

static void put_roles(const struct diff *d, FILE *out)
{
    char a[24], b[24], c[28];
    fputs("\nAlive at each one's peak, by role\n          A            B       change\n", out);
    for (int k = 0; k < ROLE_COUNT; k++) {
        uint64_t x = d->role[k][0], y = d->role[k][1];
        if (x || y)
            fprintf(out, "%11s  %11s  %11s  %s\n", or_dash(x, x, "-", a), or_dash(y, y, "-", b),
                    change_text(x, y, c), role_name((enum role)k));
    }
    fprintf(out, "%11s  %11s  %11s  peak\n", bytes_text(d->peak[0], a), bytes_text(d->peak[1], b),
            change_text(d->peak[0], d->peak[1], c));
}

static void put_totals(const struct diff *d, FILE *out)
{
    const struct totals *x = &d->program[0]->totals, *y = &d->program[1]->totals;
    const struct {
        const char *name;
        uint64_t a, b;
    } rows[] = {
        {"argument", x->argument, y->argument},
        {"output", x->output, y->output},
        {"alias", x->alias, y->alias},
        {"temp", x->temp, y->temp},
        {"host argument", x->host_argument, y->host_argument},
        {"host output", x->host_output, y->host_output},
        {"host temp", x->host_temp, y->host_temp},
        {"output + temp", x->output + x->temp, y->output + y->temp},
    };
    char a[24], b[24], c[28];
    if (!d->program[0]->has_totals || !d->program[1]->has_totals)
        return;
    fputs("\nAllocations, as memory_analysis() counts them\n", out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].a || rows[k].b)
            fprintf(out, "%11s  %11s  %11s  %s\n", bytes_text(rows[k].a, a), bytes_text(rows[k].b, b),
                    change_text(rows[k].a, rows[k].b, c), rows[k].name);
}

/* "residual stack", and what it became: "residual stack -> residual". */
static void role_words_of(const struct diff_row *r, char *out, size_t size)
{
    const struct diff_side *a = &r->side[0], *b = &r->side[1];
    if (a->n && b->n && a->role != b->role)
        snprintf(out, size, "%s -> %s", role_name(a->role), role_name(b->role));
    else
        snprintf(out, size, "%s", role_name(b->n ? b->role : a->role));
}

static void put_row(const struct diff_row *r, bool ascii, FILE *out)
{
    char a[24], b[24], c[28], roles[80], text[1300];
    bool there[2] = {r->side[0].n > 0, r->side[1].n > 0};
    role_words_of(r, roles, sizeof roles);
    fprintf(out, "%11s  %11s  %11s  %s\n", or_dash(r->side[0].bytes, there[0], "-", a),
            or_dash(r->side[1].bytes, there[1], "-", b),
            change_text(r->side[0].bytes, r->side[1].bytes, c), roles);
    fprintf(out, "%39s", "");
    if (r->side[0].n > 1 || r->side[1].n > 1)
        fprintf(out, "%u -> %u of ", r->side[0].n, r->side[1].n);
    fprintf(out, "%s\n", tail(r->shape ? r->shape : "?", 28, ascii, text, sizeof text));
    if (r->op_name || r->source)
        fprintf(out, "%39s%s%s%s\n", "", tail(r->op_name ? r->op_name : "", 25, ascii, text, sizeof text),
                r->op_name && r->source ? "  " : "", r->source ? r->source : "");
}

static void put_rows(const struct diff *d, const struct diff_options *o, FILE *out)
{
    uint32_t changed = 0, same = 0;
    while (changed < d->n && d->rows[changed].change != DIFF_SAME)
        changed++;
    if (changed)
        fputs("\nWhat appeared, vanished, grew or shrank\n", out);
    for (uint32_t k = 0; k < changed && k < o->top; k++)
        put_row(&d->rows[k], o->ascii, out);
    if (changed > o->top)
        fprintf(out, "%39s%u more\n", "", changed - o->top);
    if (changed < d->n)
        fputs("\nWhat stayed the same\n", out);
    for (; changed + same < d->n && same < o->top; same++)
        put_row(&d->rows[changed + same], o->ascii, out);
    if (changed + same < d->n)
        fprintf(out, "%39s%u more\n", "", d->n - changed - same);
}

void diff_text(const struct diff *d, const char *const name[2], const struct diff_options *o, FILE *out)
{
    put_heads(d, name, o->ascii, out);
    if (!d->differs) {
        fputs("\nNo difference: the same bytes, role by role and value by value.\n", out);
        return;
    }
    put_roles(d, out);
    put_rows(d, o, out);
    put_totals(d, out);
}

/* ---- JSON ---- */

static cJSON *pair(uint64_t a, uint64_t b)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "a", json_number(a));
    cJSON_AddItemToObject(o, "b", json_number(b));
    cJSON_AddItemToObject(o, "delta", json_difference(a, b));
    return o;
}

static cJSON *totals_json(const struct diff *d)
{
    const struct totals *x = &d->program[0]->totals, *y = &d->program[1]->totals;
    if (!d->program[0]->has_totals || !d->program[1]->has_totals)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    for (size_t k = 0; k < TOTALS_COUNT; k++)
        cJSON_AddItemToObject(o, totals_name(k), pair(totals_bytes(x, k), totals_bytes(y, k)));
    return o;
}

static cJSON *side_json(const struct diff *d, const struct diff_row *r, int side)
{
    const struct diff_side *s = &r->side[side];
    if (!s->n)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "bytes", json_number(s->bytes));
    cJSON_AddItemToObject(o, "buffers", cJSON_CreateNumber(s->n));
    cJSON_AddItemToObject(o, "value", json_text(d->program[side]->name_of[s->largest]));
    cJSON_AddItemToObject(o, "role", cJSON_CreateString(role_name(s->role)));
    return o;
}

static cJSON *row_json(const struct diff *d, const struct diff_row *r)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "change", cJSON_CreateString(diff_change_name(r->change)));
    cJSON_AddItemToObject(o, "shape", json_text(r->shape && *r->shape != '?' ? r->shape : NULL));
    cJSON_AddItemToObject(o, "op_name", json_text(r->op_name));
    cJSON_AddItemToObject(o, "source", json_text(r->source));
    cJSON_AddItemToObject(o, "a", side_json(d, r, 0));
    cJSON_AddItemToObject(o, "b", side_json(d, r, 1));
    return o;
}

cJSON *diff_json(const struct diff *d, const char *const name[2])
{
    cJSON *o = cJSON_CreateObject(), *roles = cJSON_CreateObject(), *rows = cJSON_CreateArray();
    cJSON_AddItemToObject(o, "name", json_text(d->program[0]->name));
    cJSON_AddItemToObject(o, "a", json_text(name[0]));
    cJSON_AddItemToObject(o, "b", json_text(name[1]));
    cJSON_AddItemToObject(o, "differs", cJSON_CreateBool(d->differs));
    cJSON_AddItemToObject(o, "peak", pair(d->peak[0], d->peak[1]));
    cJSON_AddItemToObject(o, "bytes", totals_json(d));
    for (int k = 0; k < ROLE_COUNT; k++)
        if (d->role[k][0] || d->role[k][1])
            cJSON_AddItemToObject(roles, role_name((enum role)k), pair(d->role[k][0], d->role[k][1]));
    cJSON_AddItemToObject(o, "by_role", roles);
    for (uint32_t k = 0; k < d->n; k++)
        if (d->rows[k].change != DIFF_SAME)
            cJSON_AddItemToArray(rows, row_json(d, &d->rows[k]));
    cJSON_AddItemToObject(o, "values", rows);
    return o;
}
