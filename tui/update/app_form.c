/* Other forms of the program: what is asked for, and how the cursor finds its place in them. */
#include "tui/update/update_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Asking ---- */

static void ask_for(struct app *s, struct form to)
{
    if (form_same(&to, &s->form)) {
        s->form = to;
        s->notice = NOTICE_END;
        return;
    }
    s->wanted = to;
    s->jump = BUF_NONE;
    s->want = WANT_FORM;
}

void form_command(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    const struct stock *k = memo->stock;
    if (cmd == CMD_COMPARE && s->forms != FORMS_NONE) {
        s->want = WANT_COMPARE;
        return;
    }
    if (!k || s->forms == FORMS_NONE || (cmd == CMD_TARGET && !s->targets)) {
        s->notice = cmd == CMD_COMPARE ? NOTICE_NO_OTHER : NOTICE_NO_FORMS;
        return;
    }
    switch (cmd) {
    case CMD_LONGER: ask_for(s, form_seqlen(s->form, k->first.seqlen, 1)); break;
    case CMD_SHORTER: ask_for(s, form_seqlen(s->form, k->first.seqlen, -1)); break;
    case CMD_UNROLL: ask_for(s, form_unroll(s->form, s->forms, 1)); break;
    case CMD_ROLL: ask_for(s, form_unroll(s->form, s->forms, -1)); break;
    case CMD_TARGET: ask_for(s, stock_target(k, s->form, 1)); break;
    case CMD_GRID: cells_open(p, memo, s); break;
    default: break;
    }
}

_Static_assert(VARIANT_MOST == 100000, "what is said below");

/* Where there are other forms: the one that is typed.  False after saying why not. */
static bool has_forms(const struct memo *memo, struct app *s)
{
    if (memo->stock && s->forms != FORMS_NONE)
        return true;
    s->notice = NOTICE_NO_FORMS;
    return false;
}

void form_length(const struct memo *memo, struct app *s, const char *text)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    struct form to = s->form;
    if (!has_forms(memo, s))
        return;
    if (end == text || *end || n < 1 || n > VARIANT_MOST) {
        *s = app_said(*s, "how many steps?  A number from 1 to 100000");
        return;
    }
    to.seqlen = n;
    ask_for(s, to);
}

void form_unrolled(const struct memo *memo, struct app *s, const char *text)
{
    char *end;
    long long k = strtoll(text, &end, 10);
    bool full = strcmp(text, "full") == 0;
    struct form to = s->form;
    if (!has_forms(memo, s))
        return;
    if (!full && (end == text || *end || k < 1 || k > VARIANT_MOST)) {
        *s = app_said(*s, "how many steps an iteration?  A number from 1 on, or full");
        return;
    }
    to.unroll = full ? VARIANT_FULL : k;
    ask_for(s, to);
}

/* ---- The same place in another program ---- */

/* Is it part of an op_name that tells of loops alone? */
static bool is_loop_part(const char *part, size_t len)
{
    static const char *const parts[] = {"while", "body", "cond", "closed_call"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strlen(parts[k]) == len && strncmp(part, parts[k], len) == 0)
            return true;
    return false;
}

static const char *next_part(const char *at, size_t *len)
{
    while (*at) {
        *len = strcspn(at, "/");
        if (*len && !is_loop_part(at, *len))
            return at;
        at += *len + (at[*len] == '/');
    }
    *len = 0;
    return at;
}

/* Are two op_names the same but for the loops around them? */
static bool same_origin(const char *a, const char *b)
{
    size_t n, m;
    for (;; a += n, b += m) {
        a = next_part(a, &n);
        b = next_part(b, &m);
        if (n != m || strncmp(a, b, n) != 0)
            return false;
        if (!n)
            return true;
    }
}

static const struct hlo_inst *inst_at(const struct program *p, uint32_t step)
{
    inst_id i = step < p->steps ? p->step_inst[step] : HLO_NONE;
    return i == HLO_NONE ? NULL : hlo_inst(&p->module->hlo, i);
}

static const char *origin_at(const struct program *p, uint32_t step)
{
    inst_id i = step < p->steps ? p->step_inst[step] : HLO_NONE;
    const struct hlo_inst *speaker = i == HLO_NONE ? NULL : program_speaker(&p->module->hlo, i);
    return speaker && speaker->op_name ? speaker->op_name : "";
}

/* Do the two steps run the same instruction?  XLA numbers names anew with every compile, so a name
 * alone says little. */
static bool same_step(const struct program *a, uint32_t x, const struct program *b, uint32_t y)
{
    const struct hlo_inst *i = inst_at(a, x), *j = inst_at(b, y);
    return i && j && i->op == j->op && same_origin(origin_at(a, x), origin_at(b, y));
}

/* "gemm_fusion_dot.5" and "gemm_fusion_dot.12" */
static bool same_stem(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");
    return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

/* The steps of b that run what step x of a does, in order. */
static struct list steps_like(const struct program *a, uint32_t x, const struct program *b, bool stem,
                              struct arena *scratch)
{
    struct list steps = {0};
    for (uint32_t y = 0; y < b->steps; y++)
        if (same_step(a, x, b, y) && (!stem || same_stem(a->step_name[x], b->step_name[y])))
            *(uint32_t *)list_add(scratch, &steps, sizeof(uint32_t)) = y;
    return steps;
}

/* ---- Copies: a loop unrolled by two runs its third one in its second iteration ---- */

/* Steps [from, to) of a list that lie in one loop, and how often it runs. */
struct copies {
    uint32_t from, to;
    int64_t trips;
};

static uint32_t innermost(const struct program *p, uint32_t step)
{
    struct moment none = {0}, m = clock_at_step(p, step, &none);
    return m.n ? m.loop[m.n - 1] : UINT32_MAX;
}

static struct copies copies_from(const struct program *p, const struct list *steps, uint32_t from)
{
    const uint32_t *at = steps->items;
    uint32_t loop = innermost(p, at[from]), to = from + 1;
    while (loop != UINT32_MAX && to < steps->n && innermost(p, at[to]) == loop)
        to++;
    int64_t trips = loop == UINT32_MAX ? 1 : clock_trips(&p->loops.items[loop]);
    return (struct copies){from, to, trips < 1 ? 1 : trips};
}

/* How often the instruction has run before this moment, loops around its own left out. */
static int64_t runs_before(const struct program *p, const struct list *steps, const struct moment *m)
{
    const uint32_t *at = steps->items;
    int64_t n = 0;
    for (uint32_t k = 0; k < steps->n;) {
        struct copies c = copies_from(p, steps, k);
        int64_t width = c.to - c.from;
        for (; k < c.to; k++)
            if (at[k] == m->step)
                return n + (m->n ? m->iteration[m->n - 1] : 0) * width + (k - c.from);
        if (c.trips > (INT64_MAX - n) / width)
            return n;
        n += c.trips * width;
    }
    return n;
}

/* The step, and the iteration of the loop around it, that runs after so many. */
static uint32_t step_after(const struct program *p, const struct list *steps, int64_t n, int64_t *iteration)
{
    const uint32_t *at = steps->items;
    for (uint32_t k = 0; k < steps->n;) {
        struct copies c = copies_from(p, steps, k);
        int64_t width = c.to - c.from;
        if (n / width < c.trips) {
            *iteration = n / width;
            return at[c.from + (uint32_t)(n % width)];
        }
        n -= c.trips * width;
        *iteration = c.trips - 1;
        k = c.to;
    }
    return at[steps->n - 1];
}

/* Without an op_name only a name is left to go by. */
static bool find_named(const struct program *from, uint32_t x, const struct program *to, uint32_t *step)
{
    for (uint32_t y = 0; y < to->steps; y++)
        if (same_step(from, x, to, y) && strcmp(from->step_name[x], to->step_name[y]) == 0) {
            *step = y;
            return true;
        }
    return false;
}

/* Do both run the very same instructions?  What-if only changes how often a loop runs. */
static bool same_steps(const struct program *a, const struct program *b)
{
    bool same = a->steps == b->steps;
    for (uint32_t k = 0; same && k < a->steps; k++)
        same = a->step_inst[k] == b->step_inst[k] && strcmp(a->step_name[k], b->step_name[k]) == 0;
    return same;
}

/* The same instruction in the other program.  Of fusions opcode and origin tell little: those that are
 * called alike go first. */
static bool find_step(const struct program *from, const struct moment *m, const struct program *to, uint32_t *step,
                      int64_t *iteration)
{
    struct arena scratch = {0};
    bool found = false;
    *iteration = m->n ? m->iteration[m->n - 1] : 0;
    if (m->step >= from->steps)
        return false;
    if (same_steps(from, to)) {
        *step = m->step;
        return true;
    }
    if (!origin_at(from, m->step)[0])
        return find_named(from, m->step, to, step);
    for (int stem = 1; stem >= 0 && !found; stem--) {
        struct list there = steps_like(from, m->step, to, stem, &scratch);
        struct list here = steps_like(from, m->step, from, stem, &scratch);
        found = there.n > 0;
        if (found)
            *step = step_after(to, &there, runs_before(from, &here, m), iteration);
    }
    arena_free(&scratch);
    return found;
}

static uint32_t proportional(const struct program *from, const struct program *to, uint32_t step)
{
    return from->steps ? (uint32_t)((uint64_t)step * to->steps / from->steps) : 0;
}

/* Stands at a step, in the iteration that is wanted of the innermost loop around it. */
static void stand_in(const struct program *p, struct memo *memo, struct app *s, uint32_t step, const struct moment *like,
                     int64_t iteration)
{
    struct moment none = {0}, m = clock_at_step(p, step, &none);
    for (uint32_t k = 0; k < m.n; k++) {
        int64_t trips = clock_trips(&p->loops.items[m.loop[k]]);
        int64_t want = k + 1 == m.n ? iteration : k < like->n ? like->iteration[k] : 0;
        m.iteration[k] = want < trips ? want : trips > 0 ? trips - 1 : 0;
    }
    s->step = step;
    s->at = timeline_at(memo_timeline(memo, p), &m);
}

/* The buffer alive at the cursor that is called so, else BUF_NONE. */
static buf_id namesake(const struct program *from, buf_id b, const struct program *to, uint32_t step)
{
    for (buf_id c = 0; b != BUF_NONE && b < from->n && c < to->n; c++)
        if (alive_at(to, c, step) && strcmp(to->name_of[c], from->name_of[b]) == 0)
            return c;
    return BUF_NONE;
}

struct app app_moved(const struct program *from, struct memo *old, const struct program *to,
                     struct memo *memo, struct app s)
{
    struct moment m = app_here(from, old, &s), none = {0};
    bool at_peak = s.step == from->spaces[s.space].peak;
    uint32_t step;
    int64_t iteration;
    s.space = s.space < to->n_spaces ? s.space : 0;
    if (s.step >= from->steps)
        stand_in(to, memo, &s, to->steps, &none, 0);
    else if (find_step(from, &m, to, &step, &iteration))
        stand_in(to, memo, &s, step, &m, iteration);
    else if (at_peak)
        stand_in(to, memo, &s, to->spaces[s.space].peak, &none, 0);
    else
        stand_in(to, memo, &s, proportional(from, to, s.step), &m, iteration);
    bool as_long = clock_units(memo_timeline(old, from), CLOCK_PROGRAM) == clock_units(memo_timeline(memo, to), CLOCK_PROGRAM) &&
                   memo_timeline(old, from)->moments == memo_timeline(memo, to)->moments;
    if (!as_long)
        memset(s.zoom, 0, sizeof s.zoom);
    s.selects = s.playing = false;
    s.chosen = namesake(from, s.chosen, to, s.step);
    s.group = GROUP_NONE;
    s.focus = s.focus == FOCUS_MAP && !has_panel(to, &s) ? FOCUS_CHART : s.focus;
    s.map = s.map && has_map(to);
    s.page_line = 0;
    s.page_top = 0;
    s.compare_line = 0;
    s.compare_top = 0;
    filter_moved(&s.filter, from, to);
    s.unfolded = KEY_NONE;
    if (s.filter.n && !alive_here(to, memo, &s)->n)
        s.filter = (struct filter){0};
    if (s.mode == MODE_PAGE)
        page_open(to, memo, &s, s.page);
    if (s.map || s.focus == FOCUS_MAP)
        map_hold(to, memo, &s);
    return s;
}
