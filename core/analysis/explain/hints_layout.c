/* Hints of the layout as a whole: limits, what XLA did about them, its own claim, padding. */
#include "core/analysis/explain/hints_build.h"

#include <string.h>

/* ---- Near the limit ---- */

/* Where XLA's GPU compiler starts to rematerialise: 95% of what 80% of the memory leaves beside
 * parameters and results (xla/service/gpu/gpu_hlo_schedule.cc, GetSchedulerMemoryLimit). */
static uint64_t gpu_threshold(const struct program *p, uint64_t memory)
{
    uint64_t io = p->totals.argument + p->totals.output - p->totals.alias;
    uint64_t base = memory / 100 * 80;
    return io < base ? (base - io) / 100 * 95 + io : base;
}

static void near_limit(struct hinting *c)
{
    bool known;
    uint64_t need = program_need(c->p, &known), most = c->limit / 4 * 3;
    if (!known || !c->limit || need <= most)
        return;
    unsigned percent = (unsigned)((double)need / (double)c->limit * 100.0);
    bool gpu = c->p->module->platform == PLATFORM_GPU, over = need > c->limit;
    char tail[300] = "Other programs, their constants and the runtime need room too.";
    if (gpu)
        snprintf(tail, sizeof tail,
                 "JAX takes 75%% of a GPU's memory unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise, "
                 "and XLA rematerialises from about %s on.",
                 hint_size(gpu_threshold(c->p, c->limit)).text);
    hint_say(c, "near-limit", over ? need - c->limit : need - most, BUF_NONE,
             "The program needs %s, %u%% of the %s there are%s.  %s", hint_size(need).text, percent,
             hint_size(c->limit).text, over ? ": it does not fit" : "", tail);
}

/* ---- What XLA did about it ---- */

/* HloRematerialization names its clones "x.remat", "x.remat2", "x.remat_compressed", … */
static bool is_remat(const char *name)
{
    const char *at = strstr(name, ".remat");
    if (!at)
        return false;
    at += strlen(".remat");
    return *at == '\0' || *at == '.' || *at == '_' || (*at >= '0' && *at <= '9');
}

static void rematerialised(struct hinting *c)
{
    const struct program *p = c->p;
    buf_id most = BUF_NONE;
    uint32_t n = 0;
    for (uint32_t s = 0; s < p->steps; s++)
        n += is_remat(p->step_name[s]);
    if (n == 0)
        return;
    for (buf_id b = 0; b < p->n; b++)
        if (p->main[b] && is_remat(p->name_of[b]) && (most == BUF_NONE || p->size[b] > p->size[most]))
            most = b;
    if (most == BUF_NONE || p->size[most] < c->floor)
        return;
    hint_say(c, "rematerialised", p->size[most], most,
             "XLA met its memory limit and computes %u value%s a second time, %s (%s) the largest of "
             "them.  This peak is already lowered and the work is done twice: it does not follow the "
             "rule that smaller sizes suggest.",
             n, n == 1 ? "" : "s", hint_name(c, p->name_of[most]), hint_size(p->size[most]).text);
}

/* ---- The dump's own claim ---- */

bool hints_claim(const struct program *p, uint64_t *claimed, uint64_t *alive)
{
    const struct assignment *a = &p->module->assignment;
    if (!p->module->has_assignment || !a->has_peak || p->lives == LIFE_NONE || a->peak_step > p->steps)
        return false;
    uint64_t sum = p->live[a->peak_step];
    for (buf_id b = 0; b < p->n; b++) /* the claim knows no memory spaces */
        if (!p->main[b] && p->start[b] <= a->peak_step && a->peak_step <= p->end[b])
            sum += p->size[b];
    *claimed = a->peak_bytes;
    *alive = sum;
    return a->peak_bytes > sum;
}

static void double_counted(struct hinting *c)
{
    uint64_t claimed, alive;
    if (!hints_claim(c->p, &claimed, &alive) || claimed - alive < c->floor)
        return;
    hint_say(c, "double-counted-peak", claimed - alive, BUF_NONE,
             "The dump's own \"Live ranges at %u (peak)\" adds up to %s; %s are alive there.  It counts "
             "every alias of a buffer by itself: take the peak from here.",
             c->p->module->assignment.peak_step, hint_size(claimed).text, hint_size(alive).text)->tells = true;
}

void hints_of_limits(struct hinting *c)
{
    near_limit(c);
    rematerialised(c);
    double_counted(c);
}

/* ---- Padding ---- */

/* Bytes of a buffer that tiles add to its elements. */
static uint64_t padding(const struct hinting *c, buf_id b)
{
    const struct shapes *s = &c->h->shapes;
    const struct dataflow *f = &c->p->dataflow;
    shape_id id = hlo_inst(c->h, c->p->inst[b])->shape + dataflow_node(f, c->p->value[b]);
    const struct shape_node *node = shape_node(s, id);
    uint64_t whole = shape_bytes(s, id), n = shape_elements(s, id);
    unsigned bits = node->element_bits ? node->element_bits : shape_type_bits((enum shape_type)node->type);
    if (!node->tiles.n || !shape_is_array(s, id) || n > UINT64_MAX / 64)
        return 0;
    uint64_t plain = (n * bits + 7) / 8;
    return whole > plain ? whole - plain : 0;
}

void hints_of_padding(struct hinting *c)
{
    uint64_t sum = 0, most_lost = 0;
    buf_id most = BUF_NONE;
    char shape[160];
    for (uint32_t k = 0; k < c->n_alive; k++) {
        uint64_t lost = padding(c, c->alive[k]);
        lost = lost < c->own[k] ? lost : c->own[k];
        sum += lost;
        if (lost > most_lost) {
            most_lost = lost;
            most = c->alive[k];
        }
    }
    if (most == BUF_NONE || sum < c->floor)
        return;
    shape_text(&c->h->shapes,
               hlo_inst(c->h, c->p->inst[most])->shape + dataflow_node(&c->p->dataflow, c->p->value[most]),
               true, shape, sizeof shape);
    hint_say(c, "tile-padding", sum, most,
             "%s at the peak are padding: tiles T(...) round up the dimensions that the layout puts last.  "
             "Most is in %s, %s: %s of %s.  Small dimensions cost least when they are not among the "
             "last two; merge them, or move a large one behind.",
             hint_size(sum).text, hint_name(c, c->p->name_of[most]), shape, hint_size(most_lost).text,
             hint_size(c->p->size[most]).text);
}
