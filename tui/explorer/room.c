#include "tui/explorer/room.h"
#include "tui/explorer/room_run.h"
#include "tui/explorer/tour.h"
#include "tui/model/compare.h"

#include <stdio.h>
#include <time.h>

#define POLL_MS 200   /* how often a compile is looked at */
#define SETTLE_MS 400 /* without a key before one begins */

struct app room_open(struct room *r, const struct program *p, const char *dir, int cols, int rows,
                     uint64_t limit)
{
    *r = (struct room){.limit = limit};
    return room_enter(r, p, dir, cols, rows);
}

struct app room_enter(struct room *r, const struct program *p, const char *dir, int cols, int rows)
{
    const struct keymap *keys = r->memo.keys;
    compile_cancel(&r->compile);
    memo_free(&r->memo);
    stock_free(&r->stock);
    r->memo.keys = keys;
    r->p = p;
    r->before = NULL;
    r->unsure = false;
    stock_open(&r->stock, p, dir, r->limit);
    r->memo.stock = &r->stock;
    struct app s = app_start(p, &r->memo, cols, rows, r->limit);
    s.forms = r->stock.kind;
    s.targets = r->stock.n_targets > 1;
    s.form = s.shown = r->stock.first;
    s.other = r->stock.kind == FORMS_EXAMPLE;
    return s;
}

void room_close(struct room *r)
{
    compile_cancel(&r->compile);
    run_job_cancel(&r->run);
    memo_free(&r->memo);
    arena_free(&r->traces);
    stock_free(&r->stock);
    tour_free(r);
}

/* ---- Showing another form ---- */

static void lend(struct room *r)
{
    r->memo.stock = &r->stock;
    r->memo.work = r->compile.why[0] ? r->compile.why : r->why[0] ? r->why : NULL;
    r->memo.lesson = r->page;
    r->memo.run = r->run.why[0] ? r->run.why : r->run.no_cuda;
    r->memo.measured = r->finds && r->measured_of == r->p ? &r->measured : NULL;
}

static bool is_sure(enum whatif_method m)
{
    return m == WHATIF_COMPILED || m == WHATIF_EXACT;
}

/* The program beside which the peak is explained; only what XLA says, or would. */
static struct app with_other(struct room *r, struct app s)
{
    struct form to = stock_counterpart(&s.shown);
    struct figure f, own;
    const struct program *other = stock_get(&r->stock, &to, &f);
    bool sure = other && is_sure(f.method) && stock_peek(&r->stock, &s.shown, &own) && is_sure(own.method);
    s.other = sure;
    r->memo.other = sure ? other : NULL;
    return s;
}

static struct app move_to(struct room *r, struct app s, const struct program *to)
{
    struct memo memo = {.stock = &r->stock, .keys = r->memo.keys};
    s = app_moved(r->p, &r->memo, to, &memo, s);
    memo_free(&r->memo);
    r->memo = memo;
    r->p = to;
    lend(r);
    return s;
}

static struct app want_compare(struct room *r, struct app s);

/* On to the place that lies in the program that is shown now. */
static struct app arrive(struct room *r, struct app s)
{
    if (!s.arriving)
        return s;
    s = app_arrive(r->p, &r->memo, s);
    enum want want = s.want;
    s.want = WANT_NOTHING;
    return want == WANT_OTHER ? with_other(r, s) : want == WANT_COMPARE ? want_compare(r, s) : s;
}

static struct app jump(struct room *r, struct app s)
{
    s = arrive(r, s);
    if (s.jump != BUF_NONE && s.jump < r->p->n)
        s = app_jump(r->p, &r->memo, s, s.jump);
    s.jump = BUF_NONE;
    return s;
}

static struct app show(struct room *r, struct app s, const struct program *to, bool compiled)
{
    const struct program *from = r->p;
    bool another = !form_same(&s.shown, &s.wanted);
    s.was = from->live[from->peak];
    if (another) {
        s.before = s.shown;
        s.has_before = true;
        r->before = from;
    }
    s.shown = s.form = s.wanted;
    s.limit = r->limit ? r->limit : to->module->device_memory;
    if (to != from)
        s = room_run_lend(r, move_to(r, s, to));
    s.want = WANT_NOTHING; /* a page that is open asks for what follows below */
    s.is = to->live[to->peak];
    s.notice = NOTICE_FORM;
    s.compiled = compiled;
    const struct program *kept[] = {to, r->before, r->memo.other};
    stock_keep(&r->stock, kept, 3);
    s.other = s.forms == FORMS_EXAMPLE;
    if (s.mode == MODE_PAGE && s.page == PAGE_STEP && s.other)
        s = with_other(r, s);
    return jump(r, s);
}

static struct app want_form(struct room *r, struct app s)
{
    struct figure f;
    compile_cancel(&r->compile);
    r->compile.why[0] = '\0';
    s.work = WORK_NONE;
    if (r->waits && stock_is_slow(&r->stock, &s.wanted)) {
        s.notice = NOTICE_ASKING;
        r->waits(r->ctx, r, &s);
    }
    const struct program *to = stock_get(&r->stock, &s.wanted, &f);
    r->unsure = f.method != WHATIF_COMPILED && s.forms == FORMS_EXAMPLE;
    if (to)
        return show(r, s, to, false);
    s.form = s.wanted;
    s.notice = NOTICE_UNKNOWN;
    return s;
}

/* ---- Comparing ---- */

static struct app want_compare(struct room *r, struct app s)
{
    struct form to = s.has_before ? s.before : stock_counterpart(&s.shown);
    struct figure f;
    const struct program *other = form_same(&to, &s.shown) ? NULL : stock_get(&r->stock, &to, &f);
    if (!other) {
        s.notice = NOTICE_NO_OTHER;
        s.mode = s.mode == MODE_COMPARE ? MODE_MAIN : s.mode;
        return s;
    }
    r->before = other;
    s.before = to;
    s.has_before = true;
    s.mode = MODE_COMPARE;
    s.compare_line = 0;
    s.compare_top = 0;
    compare_make(&r->memo, r->p, other);
    if (s.arriving && s.arrive.compare_line < r->memo.compare->lines.n)
        s.compare_line = s.arrive.compare_line;
    s.arriving = false;
    return s;
}

/* Another form is shown now, and still beside the one before it. */
static struct app compare_again(struct room *r, struct app s)
{
    return s.mode == MODE_COMPARE && !r->memo.compare ? want_compare(r, s) : s;
}

/* ---- Messages ---- */

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct app room_update(struct room *r, struct app s, struct msg m)
{
    bool played = s.playing;
    uint8_t pace = s.pace;
    s = app_update(r->p, &r->memo, s, m);
    enum want want = s.want;
    if (want == WANT_QUIT || want == WANT_MODULES)
        return s;
    if (s.playing && (!played || s.pace != pace))
        r->next_ms = now_ms() + (uint64_t)app_pace(&s);
    s.want = WANT_NOTHING;
    if (want == WANT_LESSON) {
        s = tour_show(r, s);
        want = s.want;
        s.want = WANT_NOTHING;
    }
    if (want == WANT_HOME)
        s = tour_end(r, s);
    else if (want == WANT_OTHER)
        s = with_other(r, s);
    else if (want == WANT_FORM)
        s = want_form(r, s);
    else if (want == WANT_COMPARE)
        s = want_compare(r, s);
    else if (want == WANT_COPY && r->copies)
        s = r->copies(r->ctx, r, s);
    else if (want == WANT_COPY)
        s = app_said(s, "nothing is copied without a terminal");
    else if (want == WANT_RUN)
        s = room_run_begin(r, s);
    else if (want == WANT_CANCEL_RUN)
        s = room_run_end(r, s);
    s = compare_again(r, s);
    if (want == WANT_CANCEL) {
        compile_cancel(&r->compile);
        s.work = WORK_CANCELLED;
        s.notice = NOTICE_WORK;
    }
    if (r->finds && r->looked != r->p) /* the lesson's, or back from it */
        s = room_run_lend(r, s);
    lend(r);
    return s;
}

/* ---- In the background ---- */

static struct app after_compile(struct room *r, struct app s)
{
    s.wanted = s.form;
    s.jump = BUF_NONE;
    stock_renew(&r->stock, &s.form);
    struct figure f;
    const struct program *to = stock_get(&r->stock, &s.form, &f);
    s.work = WORK_NONE;
    if (to && f.method == WHATIF_COMPILED)
        return show(r, s, to, true);
    s.work = WORK_FAILED;
    snprintf(r->compile.why, sizeof r->compile.why, "what was compiled cannot be read");
    s.notice = NOTICE_WORK;
    return s;
}

static struct app watch(struct room *r, struct app s)
{
    enum compile_state was = r->compile.state, is = compile_poll(&r->compile, &r->stock);
    s.seconds = (uint32_t)compile_seconds(&r->compile);
    if (is == COMPILE_CHECKING)
        s.work = WORK_CHECKING;
    else if (is == COMPILE_RUNNING)
        s.work = WORK_COMPILING;
    else if (is != was && is == COMPILE_DONE)
        s = after_compile(r, s);
    else if (is == COMPILE_REFUSED || is == COMPILE_FAILED) {
        s.work = is == COMPILE_REFUSED ? WORK_REFUSED : WORK_FAILED;
        s.notice = NOTICE_WORK;
    }
    return s;
}

/* The next cell of the grid that nobody asked about, slow ones left out; false: none. */
static bool next_cell(const struct room *r, const struct app *s, struct form *form)
{
    struct axes a = form_axes(&s->form, r->stock.first.seqlen, s->forms);
    struct figure f;
    for (int row = 0; row < a.rows; row++)
        for (int col = 0; col < a.cols; col++)
            if (form_at(&a, &s->form, row, col, form) && !stock_peek(&r->stock, form, &f) &&
                !stock_is_slow(&r->stock, form))
                return true;
    return false;
}

static bool fill_one(struct room *r, const struct app *s)
{
    struct form form;
    bool any = s->mode == MODE_GRID && next_cell(r, s, &form);
    if (any)
        stock_ask(&r->stock, &form);
    return any;
}

void room_fill(struct room *r, const struct app *s)
{
    while (fill_one(r, s))
        ;
}

struct app room_tick(struct room *r, struct app s)
{
    bool idle = !fill_one(r, &s);
    if (r->unsure && r->compiles && idle) {
        r->unsure = false;
        compile_start(&r->compile, &r->stock, &s.form);
        s.work = WORK_CHECKING;
    }
    if (s.work == WORK_CHECKING || s.work == WORK_COMPILING)
        s = watch(r, s);
    if (s.running == RUNNING)
        s = room_run_watch(r, s);
    s = compare_again(r, s);
    if (s.playing && now_ms() >= r->next_ms) {
        s = app_tick(r->p, &r->memo, s);
        r->next_ms = now_ms() + (uint64_t)app_pace(&s);
    }
    lend(r);
    return s;
}

static int work_patience(const struct room *r, const struct app *s)
{
    struct form unused;
    if (s->mode == MODE_GRID && next_cell(r, s, &unused))
        return 0;
    if (compile_busy(&r->compile) || s->running == RUNNING)
        return POLL_MS;
    return r->unsure && r->compiles ? SETTLE_MS : -1;
}

int room_patience(const struct room *r, const struct app *s)
{
    int work = work_patience(r, s);
    if (!s->playing)
        return work;
    uint64_t now = now_ms();
    int left = r->next_ms > now ? (int)(r->next_ms - now) : 0;
    return work >= 0 && work < left ? work : left;
}
