#include "core/output/report/listing_report.h"
#include "tui/cli/bulk.h"
#include "tui/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>

struct context {
    const struct options *o;
    cJSON *modules; /* NULL: text */
    unsigned n, n_programs;
    uint64_t most;  /* the largest peak of the n_programs that were printed, and whose it is */
    char largest[256];
    bool over, bad_step;
};

/* Small programs around the one that matters bury it: the last line of many reports names it. */
static void note_peak(struct context *c, const struct program *p)
{
    if (c->n_programs++ && p->live[p->peak] <= c->most)
        return;
    c->most = p->live[p->peak];
    snprintf(c->largest, sizeof c->largest, "%s", p->name);
}

static void put_largest(const struct context *c)
{
    char size[24];
    if (c->n_programs > 1)
        printf("\n%u programs. The largest peak is that of %s, %s: --module %s shows it alone.\n",
               c->n_programs, c->largest, bytes_text(c->most, size), c->largest);
}

static void report_one(void *ctx, const struct program *p)
{
    struct context *c = ctx;
    struct report r;
    struct diag d;
    if (c->o->report.has_at && c->o->report.at > p->steps) {
        diag_file(&d, NULL, "--at %u: %s has steps 0 to %u", c->o->report.at, p->name, p->steps);
        say_error(&d);
        c->bad_step = true;
        return;
    }
    report_make(&r, p, &c->o->report);
    if (c->modules) {
        cJSON_AddItemToArray(c->modules, report_json(&r));
    } else {
        if (c->n++)
            putchar('\n');
        report_text(&r, stdout);
        note_peak(c, p);
    }
    c->over |= c->o->report.has_limit && report_over(&r);
    report_free(&r);
}

/* ---- A line a module ---- */

enum { ROW_WITHIN, ROW_OVER };

static int write_row(void *ctx, const char *where, const struct program *p)
{
    (void)where; /* a row says it itself */
    const struct context *c = ctx;
    struct report r;
    report_make(&r, p, &c->o->report);
    report_csv(&r, stdout);
    bool over = c->o->report.has_limit && report_over(&r);
    report_free(&r);
    return over ? ROW_OVER : ROW_WITHIN;
}

static void write_refused(void *ctx, const struct dump_entry *e, const struct diag *d)
{
    (void)ctx;
    report_csv_refused(e->dir, e->stem, d->what, stdout);
}

static void row_done(void *ctx, const struct dump_entry *e, int code, bool printed)
{
    struct context *c = ctx;
    (void)e;
    if (printed && c->n++ == 0)
        report_csv_head(stdout);
    c->over |= code == ROW_OVER;
}

static int report_rows(const struct options *o)
{
    struct context c = {.o = o};
    struct bulk b = {.asked = &o->asked, .each = write_row, .refused = write_refused, .done = row_done, .ctx = &c};
    int status = bulk_run(&b);
    return status ? status : c.over ? 1 : 0;
}

static void report_listing(void *ctx, const struct dump_entry *e)
{
    struct context *c = ctx;
    const struct listing_report r = {e->listing, e->stem, e->path[DUMP_REPORT], e->platform, &c->o->report};
    if (c->modules) {
        cJSON_AddItemToArray(c->modules, listing_report_json(&r));
    } else {
        if (c->n++)
            putchar('\n');
        listing_report_text(&r, stdout);
    }
    c->over |= listing_report_over(&r);
}

int command_report(const struct options *o)
{
    if (o->csv)
        return report_rows(o);
    struct context c = {.o = o, .modules = o->json ? cJSON_CreateArray() : NULL};
    int status = open_every(&o->asked, &(struct open_use){report_one, report_listing, &c});
    if (c.bad_step)
        status = 2;
    put_largest(&c);
    if (c.modules && (status == 0 || cJSON_GetArraySize(c.modules)))
        print_json("report", c.modules);
    else
        cJSON_Delete(c.modules);
    return status ? status : c.over ? 1 : 0;
}
