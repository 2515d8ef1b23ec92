#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/output/report/phases.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 80
#define BAR 10

/* What tells one tick from the one before it. */
enum border { BORDER_NONE, BORDER_ITERATION, BORDER_LOOP };

/* A step, a moment, or one of the equal parts of many moments. */
struct tick {
    uint64_t at; /* its first */
    struct timeline_range bytes;
    enum border border;
};

struct phase {
    uint64_t first, last;
    struct timeline_range bytes;
};

struct table {
    const struct timeline *t;
    bool execution, ascii, parts;
    FILE *out;
    struct arena arena;
    struct tick *ticks;
    uint32_t n;
    uint64_t peak, end; /* most bytes; steps or moments, the end included */
    enum border split;  /* borders below it are no borders */
    uint64_t tolerance; /* and changes up to this no changes */
    struct phase phases[PHASES_MOST];
    uint32_t n_phases;
    int digits, figures; /* columns of steps and of bytes */
    bool bars;          /* there is room for them */
};

/* ---- Ticks ---- */

static enum border border_of(const struct moment *a, const struct moment *b)
{
    enum border border = BORDER_NONE;
    if (a->n != b->n)
        return BORDER_LOOP;
    for (uint32_t k = 0; k < a->n; k++) {
        if (a->loop[k] != b->loop[k])
            return BORDER_LOOP;
        if (a->iteration[k] != b->iteration[k])
            border = BORDER_ITERATION;
    }
    return border;
}

/* The loops around a step, each at its first iteration. */
static struct moment place_of(const struct table *b, uint64_t at)
{
    if (b->execution)
        return timeline_moment(b->t, at);
    struct moment m = {.step = (uint32_t)at};
    const struct loops *l = &b->t->p->loops;
    for (uint32_t k = 0; k < l->n && m.n < TIMELINE_DEPTH && l->items[k].first <= at; k++)
        if (at <= l->items[k].last)
            m.loop[m.n++] = k;
    return m;
}

static void make_ticks(struct table *b)
{
    b->end = b->execution ? b->t->moments : (uint64_t)b->t->p->steps + 1;
    b->parts = b->execution && b->end > PHASES_MOMENTS;
    b->n = b->parts ? PHASES_MOST : (uint32_t)b->end;
    b->ticks = arena_array(&b->arena, b->n, sizeof *b->ticks);
    struct moment before = {0};
    for (uint32_t k = 0; k < b->n; k++) {
        struct tick *tick = &b->ticks[k];
        tick->at = b->parts ? b->end / b->n * k : k;
        uint64_t last = !b->parts ? k : k + 1 == b->n ? b->end - 1 : b->end / b->n * (k + 1) - 1;
        tick->bytes = b->execution ? timeline_range(b->t, tick->at, last)
                                   : timeline_step(b->t, (uint32_t)tick->at);
        struct moment now = place_of(b, tick->at);
        tick->border = k ? border_of(&before, &now) : BORDER_LOOP;
        before = now;
        if (tick->bytes.most_reserved > b->peak)
            b->peak = tick->bytes.most_reserved;
    }
}

/* ---- Phases ---- */

static void widen(struct timeline_range *r, const struct timeline_range *by)
{
    r->least_reserved = by->least_reserved < r->least_reserved ? by->least_reserved : r->least_reserved;
    r->most_reserved = by->most_reserved > r->most_reserved ? by->most_reserved : r->most_reserved;
    r->least_filled = by->least_filled < r->least_filled ? by->least_filled : r->least_filled;
    r->most_filled = by->most_filled > r->most_filled ? by->most_filled : r->most_filled;
}

/* The two figures of a phase, its most live and most filled bytes, each within the tolerance. */
struct levels {
    uint64_t low[2], high[2];
};

static bool joins(struct levels *v, const struct timeline_range *r, uint64_t tolerance)
{
    const uint64_t now[2] = {r->most_reserved, r->most_filled};
    struct levels to = *v;
    for (int k = 0; k < 2; k++) {
        to.low[k] = now[k] < to.low[k] ? now[k] : to.low[k];
        to.high[k] = now[k] > to.high[k] ? now[k] : to.high[k];
        if (to.high[k] - to.low[k] > tolerance)
            return false;
    }
    *v = to;
    return true;
}

/* Fills phases; false when they do not fit. */
static bool cut(struct table *b)
{
    struct levels v = {{0, 0}, {0, 0}};
    b->n_phases = 0;
    for (uint32_t k = 0; k < b->n; k++) {
        const struct tick *tick = &b->ticks[k];
        bool border = b->split != BORDER_NONE && tick->border >= b->split;
        if (k && !border && !b->parts && joins(&v, &tick->bytes, b->tolerance)) {
            widen(&b->phases[b->n_phases - 1].bytes, &tick->bytes);
            continue;
        }
        if (b->n_phases == PHASES_MOST)
            return false;
        if (b->n_phases)
            b->phases[b->n_phases - 1].last = tick->at - 1;
        b->phases[b->n_phases++] = (struct phase){tick->at, b->end - 1, tick->bytes};
        v.low[0] = v.high[0] = tick->bytes.most_reserved;
        v.low[1] = v.high[1] = tick->bytes.most_filled;
    }
    return true;
}

/* The finest cut that fits, iterations before loops, and those before small changes. */
static void make_phases(struct table *b)
{
    static const struct {
        enum border split;
        unsigned part; /* changes of up to peak / part are left out */
    } tries[] = {
        {BORDER_ITERATION, 0},  {BORDER_ITERATION, 4096}, {BORDER_ITERATION, 512}, {BORDER_ITERATION, 64},
        {BORDER_LOOP, 0},       {BORDER_LOOP, 4096},      {BORDER_LOOP, 512},      {BORDER_LOOP, 128},
        {BORDER_LOOP, 64},      {BORDER_LOOP, 32},        {BORDER_LOOP, 16},       {BORDER_LOOP, 8},
        {BORDER_NONE, 128},     {BORDER_NONE, 64},        {BORDER_NONE, 32},       {BORDER_NONE, 16},
        {BORDER_NONE, 8},       {BORDER_NONE, 4},         {BORDER_NONE, 2},        {BORDER_NONE, 1},
    };
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        b->split = tries[k].split;
        b->tolerance = tries[k].part ? b->peak / tries[k].part : 0;
        if (cut(b))
            return;
    }
}

/* ---- Lines ---- */

/* Bytes with their units below each other. */
static void put_bytes(const struct table *b, uint64_t bytes)
{
    char text[24];
    bytes_text(bytes, text);
    char *unit = strchr(text, ' ');
    *unit++ = '\0';
    fprintf(b->out, "  %*s %-3s", b->figures, text, unit);
}

/* What is live, drawn: filled, then reserved but empty. */
static void put_bar(const struct table *b, const struct timeline_range *r)
{
    const char *full = b->ascii ? "#" : "█", *empty = b->ascii ? "." : "░";
    double scale = b->peak ? BAR / (double)b->peak : 0;
    int live = (int)((double)r->most_reserved * scale + 0.5), data = (int)((double)r->most_filled * scale + 0.5);
    live = r->most_reserved && !live ? 1 : live;
    for (int k = 0; k < BAR; k++)
        fputs(k < data ? full : k < live ? empty : " ", b->out);
}

/* A name, cut to a number of columns; returns how many it took. */
static int put_name(const struct table *b, const char *name, int columns)
{
    char safe[400];
    text_safe(name ? name : "?", safe, sizeof safe);
    int n = 0;
    for (const char *s = safe; *s;) {
        if (n == columns - 1) {
            const char *next = s + 1;
            while (((unsigned char)*next & 0xC0) == 0x80)
                next++;
            if (*next) {
                fputs(b->ascii ? "~" : "…", b->out);
                return columns;
            }
        }
        do
            fputc(*s++, b->out);
        while (((unsigned char)*s & 0xC0) == 0x80);
        n++;
    }
    return n;
}

/* The innermost loop around the whole phase and which iteration, and its first instruction. */
static void put_place(const struct table *b, const struct phase *f, int columns)
{
    const struct program *p = b->t->p;
    struct moment first = place_of(b, f->first), last = place_of(b, f->last);
    uint32_t n = 0;
    bool same = true;
    char times[80] = "";
    while (n < first.n && n < last.n && first.loop[n] == last.loop[n] && same)
        same = first.iteration[n] == last.iteration[n], n++;
    const char *name = first.step < p->steps ? p->step_name[first.step] : "end";
    if (n == 0) {
        put_name(b, name, columns);
        return;
    }
    const struct loop *l = &p->loops.items[first.loop[n - 1]];
    if (l->trip_count < 0)
        snprintf(times, sizeof times, " x?");
    else if (!b->execution)
        snprintf(times, sizeof times, " x%lld", (long long)l->trip_count);
    else if (same)
        snprintf(times, sizeof times, " %lld/%lld", (long long)first.iteration[n - 1] + 1,
                 (long long)l->trip_count);
    else
        snprintf(times, sizeof times, " %lld-%lld/%lld", (long long)first.iteration[n - 1] + 1,
                 (long long)last.iteration[n - 1] + 1, (long long)l->trip_count);
    if ((int)strlen(times) > columns / 2) /* of so many the iteration says little */
        times[0] = '\0';
    int room = columns - (int)strlen(times);
    room -= put_name(b, l->name, room);
    fputs(times, b->out);
    if (room < 8 || b->parts)
        return;
    fputs(": ", b->out);
    put_name(b, name, room - 2);
}

static int digits_of(uint64_t n)
{
    int digits = 1;
    while (n /= 10)
        digits++;
    return digits;
}

/* Columns left for the place, less than 8: none. */
static int room_of(const struct table *b)
{
    int figures = (b->t->p->lives == LIFE_RERUN ? 2 : 1) * (b->figures + 6);
    return WIDTH - (1 + b->digits + figures + (b->bars ? BAR + 2 : 0) + 2);
}

static void put_phase(const struct table *b, const struct phase *f)
{
    char span[48];
    if (f->first == f->last)
        snprintf(span, sizeof span, "%llu", (unsigned long long)f->first);
    else
        snprintf(span, sizeof span, "%llu-%llu", (unsigned long long)f->first, (unsigned long long)f->last);
    fprintf(b->out, "%c%*s", f->bytes.most_reserved == b->peak ? '*' : ' ', b->digits, span);
    put_bytes(b, f->bytes.most_reserved);
    if (b->t->p->lives == LIFE_RERUN)
        put_bytes(b, f->bytes.most_filled);
    if (b->bars) {
        fputs("  ", b->out);
        put_bar(b, &f->bytes);
    }
    if (room_of(b) >= 8) {
        fputs("  ", b->out);
        put_place(b, f, room_of(b));
    }
    fputc('\n', b->out);
}

static void put_title(const struct table *b)
{
    const struct program *p = b->t->p;
    char name[200], bytes[24];
    fprintf(b->out, "%s", text_safe(p->name ? p->name : "?", name, sizeof name));
    if (platform_name(p->module->platform))
        fprintf(b->out, " on %s", platform_name(p->module->platform));
    if (p->lives == LIFE_NONE) {
        fputs(": no live ranges in the dump, so nothing to show over time\n", b->out);
        return;
    }
    if (b->execution && b->t->moments == UINT64_MAX)
        fputs(": more moments in execution order than can be counted", b->out);
    else
        fprintf(b->out, ": %llu %s in %s order", (unsigned long long)(b->end - 1),
                b->execution ? "moments" : "steps", b->execution ? "execution" : "program");
    fprintf(b->out, "\n* the most live: %s\n\n", bytes_text(b->peak, bytes));
}

static void put_footer(const struct table *b)
{
    char bytes[24];
    if (b->parts)
        fprintf(b->out, "\n%d equal parts, each with its most; the explorer steps through them\n", PHASES_MOST);
    else if (b->tolerance || b->split > BORDER_ITERATION || b->split == BORDER_NONE) {
        fputs("\nOnly changes above ", b->out);
        fprintf(b->out, "%s; --json has them all\n", bytes_text(b->tolerance, bytes));
    }
    if (!b->execution && b->t->p->loops.n)
        fprintf(b->out, "%sA loop's steps stand here once, filled as at most; --execution repeats them\n",
                b->tolerance || b->split != BORDER_ITERATION ? "" : "\n");
}

void phases_text(const struct timeline *t, bool execution, bool ascii, FILE *out)
{
    struct table b = {.t = t, .execution = execution, .ascii = ascii, .out = out};
    if (t->p->lives != LIFE_NONE) {
        make_ticks(&b);
        make_phases(&b);
    }
    put_title(&b);
    for (uint32_t k = 0; k < b.n_phases; k++) {
        const struct phase *f = &b.phases[k];
        int digits = digits_of(f->first) + (f->last > f->first ? 1 + digits_of(f->last) : 0);
        b.digits = digits > b.digits ? digits : b.digits;
    }
    if (b.n_phases) {
        char peak[24];
        b.digits = b.digits > 7 ? b.digits : 7;
        b.figures = (int)strcspn(bytes_text(b.peak, peak), " ");
        b.figures = b.figures > 7 ? b.figures : 7;
        b.bars = b.digits + 2 * b.figures <= 38;
        fprintf(out, " %*s  %*s    ", b.digits, execution ? "moments" : "steps", b.figures, "live");
        if (t->p->lives == LIFE_RERUN)
            fprintf(out, "  %*s    ", b.figures, "filled");
        fprintf(out, "%s%s\n", b.bars ? "            " : "", room_of(&b) >= 8 ? "  where" : "");
        for (uint32_t k = 0; k < b.n_phases; k++)
            put_phase(&b, &b.phases[k]);
        put_footer(&b);
    }
    arena_free(&b.arena);
}
