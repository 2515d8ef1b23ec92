/* The room's part in runs: begins one, looks how it goes, and lays its trace over the program. */
#include "tui/explorer/room_run.h"

#include <stdio.h>
#include <string.h>

/* ---- The trace of the program that is shown ---- */

static bool find_trace(struct room *r)
{
    const char *path;
    struct diag d;
    if (r->trace && measured_open(&r->traces, r->trace, r->p, &r->measured, &d))
        return true;
    return measured_find(&r->traces, r->p, &r->measured, &path);
}

struct app room_run_lend(struct room *r, struct app s)
{
    r->memo.measured = NULL; /* what it points to goes */
    arena_free(&r->traces);
    s.measured = r->finds && find_trace(r);
    r->measured_of = s.measured ? r->p : NULL;
    r->memo.measured = s.measured ? &r->measured : NULL;
    overlay_free(&r->memo.overlay);
    s.run_number++;
    s.has_cuda = r->run.self && !r->run.no_cuda;
    r->looked = r->p;
    return s;
}

static void say(struct room *r, const struct diag *d)
{
    char text[1400];
    snprintf(r->run.why, sizeof r->run.why, "%s", diag_text(d, text, sizeof text) + strlen("tidemark: "));
}

struct app room_traces(struct room *r, struct app s, const char *path)
{
    struct arena a = {0};
    struct measured m;
    struct diag d;
    r->finds = true;
    r->trace = path;
    s = room_run_lend(r, s);
    if (path && !measured_open(&a, path, r->p, &m, &d)) {
        say(r, &d);
        s.running = RUN_REFUSED;
        s.notice = NOTICE_RUN;
    }
    arena_free(&a);
    r->memo.run = r->run.why[0] ? r->run.why : r->run.no_cuda;
    return s;
}

/* ---- A run ---- */

static bool is_compiled(const struct room *r, const struct app *s)
{
    struct figure f;
    return s->forms == FORMS_NONE || !stock_peek(&r->stock, &s->shown, &f) || f.method == WHATIF_COMPILED;
}

struct app room_run_begin(struct room *r, struct app s)
{
    s.notice = NOTICE_RUN;
    s.run_done = s.run_total = 0;
    s.run_seconds = 0;
    if (!r->runs || !r->run.self)
        s.running = RUN_NOT_HERE;
    else if (!is_compiled(r, &s))
        s.running = RUN_NO_PROGRAM;
    else {
        run_job_start(&r->run, r->p, s.cuda);
        s.running = r->run.state == RUN_GOING ? RUNNING : RUN_REFUSED;
    }
    return s;
}

struct app room_run_end(struct room *r, struct app s)
{
    run_job_cancel(&r->run);
    s.running = RUN_ENDED;
    s.notice = NOTICE_RUN;
    return s;
}

/* What was run may no longer be what is shown: then its trace waits where traces are looked for. */
static struct app after_run(struct room *r, struct app s)
{
    struct arena a = {0};
    struct measured m;
    struct diag d;
    s.running = RAN;
    s.notice = NOTICE_RUN;
    if (r->run.of == r->p && !measured_open(&a, r->run.path, r->p, &m, &d)) {
        say(r, &d);
        s.running = RUN_REFUSED;
    }
    arena_free(&a);
    r->finds = true;
    r->trace = NULL;
    return room_run_lend(r, s);
}

struct app room_run_watch(struct room *r, struct app s)
{
    enum run_state is = run_job_poll(&r->run);
    s.run_done = r->run.done;
    s.run_total = r->run.total;
    if (is == RUN_GOING)
        s.run_seconds = (uint32_t)run_job_seconds(&r->run);
    else if (is == RUN_DONE)
        s = after_run(r, s);
    else {
        s.running = RUN_REFUSED;
        s.notice = NOTICE_RUN;
    }
    return s;
}
