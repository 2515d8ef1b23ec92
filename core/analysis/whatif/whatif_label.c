#include "core/analysis/whatif/whatif_label.h"

#include <string.h>

/* Fills of more elements are not fused side by side: kShapeThreshold, horizontal_loop_fusion.cc. */
#define MOST_JOINED (128u * 2048)
/* Bytes of an A100 or H100 with 80 GB. */
#define LARGE_GPU ((uint64_t)85100068864)
/* Values that XLA:GPU was not seen to fuse away or to keep twice. */
#define LARGE_SLOT ((uint64_t)16 << 20)
/* Instructions of the largest program that is unrolled: some seconds. */
#define MOST_UNROLLED ((uint64_t)50 * 1000)
/* Steps an iteration of what was compiled to compare with; of ten one differed by a quarter. */
enum { MOST_MEASURED = 4 };
/* No larger value fits into a TPU's on-chip memory. */
#define MOST_ON_CHIP ((uint64_t)128 << 20)

/* ---- Facts ---- */

/* XLA's copies of what it computes again are named so (hlo_rematerialization.cc). */
static bool is_rematerialised(const struct hlo *h)
{
    for (inst_id i = 0; i < h->insts.n; i++)
        if (strstr(hlo_inst(h, i)->name, ".remat"))
            return true;
    return false;
}

/* GPU: 80 % of the device is XLA's, less parameters and outputs, less 5 % (GetSchedulerMemoryLimit,
 * xla/service/gpu/gpu_hlo_schedule.cc); parameters and outputs are added again here. */
static uint64_t planned_with(uint64_t device, const struct totals *t)
{
    uint64_t io = t->argument + t->output - t->alias, xla = device / 100 * 80;
    return io >= xla ? 0 : (xla - io) / 100 * 95 + io;
}

/* A dump without its target config was made for a large GPU, so far as we have seen; one that needs
 * more than that was made for a larger one. */
static struct whatif_memory memory_of(const struct program *p, uint64_t limit)
{
    uint64_t device = limit ? limit : p->module->device_memory, need = program_need(p, NULL);
    if (p->module->platform != PLATFORM_GPU)
        return (struct whatif_memory){device, device, false};
    if (device)
        return (struct whatif_memory){planned_with(device, &p->totals), device, false};
    device = LARGE_GPU;
    if (need <= planned_with(device, &p->totals))
        return (struct whatif_memory){planned_with(device, &p->totals), device, true};
    return (struct whatif_memory){need, need, true};
}

static uint64_t largest_slot(const struct program *p, const struct whatif_scan *scan)
{
    const uint32_t both[2] = {scan->forward, scan->backward};
    uint64_t most = 0;
    for (int k = 0; k < 2; k++) {
        struct span of = both[k] < p->loops.n ? p->loops.items[both[k]].stacks : (struct span){0};
        for (uint32_t s = 0; s < of.n; s++)
            if (p->loops.stacks[of.first + s].slot_bytes > most)
                most = p->loops.stacks[of.first + s].slot_bytes;
    }
    return most;
}

uint64_t carried_bytes(const struct program *p, const struct whatif_scan *scan)
{
    struct span of = scan->forward < p->loops.n ? p->loops.items[scan->forward].stacks : (struct span){0};
    uint64_t sum = 0;
    for (uint32_t k = 0; k < of.n; k++) {
        const struct loop_stack *s = &p->loops.stacks[of.first + k];
        if (s->access == ACCESS_FILL && s->carry != LOOP_NONE && __builtin_add_overflow(sum, s->bytes, &sum))
            return UINT64_MAX;
    }
    return sum;
}

void facts_of_program(struct whatif_facts *f, const struct rerun *r, const struct whatif_scan *scan,
                      uint64_t limit)
{
    const struct program *p = r->program;
    *f = (struct whatif_facts){.platform = p->module->platform, .doubt = DOUBT_KINDS, .at = ""};
    f->reruns = place_reruns_exactly(r);
    f->recent = p->module->assignment.recent;
    f->unroll = scan->unroll;
    f->from_text = !r->ids_agree;
    f->several_heaps = r->several_heaps;
    f->rematerialised = is_rematerialised(&p->module->hlo);
    f->memory = memory_of(p, limit);
    f->slot_bytes = largest_slot(p, scan);
    f->carried = carried_bytes(p, scan);
    f->bytes = p->totals.output + p->totals.temp;
    f->donated = p->totals.alias >= f->slot_bytes;
}

void facts_of_resize(struct whatif_facts *f, const struct resize *r)
{
    inst_id at;
    f->resized = true;
    f->reach = dims_reach(&r->dims, &at);
    for (unsigned k = 0; k < DOUBT_KINDS; k++)
        if (r->dims.doubt[k] != HLO_NONE) {
            f->doubt = (enum dim_doubt)k;
            at = r->dims.doubt[k];
        }
    f->at = at != HLO_NONE ? hlo_inst(r->dims.h, at)->name : "";
    f->constants_differ = r->constants_differ;
    f->fills_cross = dims_fills_cross(&r->dims, r->to, MOST_JOINED);
}

/* ---- What can move on a TPU ---- */

/* Bytes of temporaries that on-chip memory could hold, each place counted once, and of what it holds. */
static uint64_t movable(const struct program *p)
{
    uint64_t sum = 0;
    for (uint32_t k = 1; k < p->n_spaces; k++)
        sum += p->spaces[k].reserved;
    for (uint32_t k = 0; k < p->n; k++) {
        buf_id b = p->order[k];
        if (p->alloc[b] == ALLOC_NONE || p->size[b] > MOST_ON_CHIP ||
            !allocation_is_temp(assignment_alloc(&p->module->assignment, p->alloc[b])) ||
            (k && p->slot[p->order[k - 1]] == p->slot[b]))
            continue;
        sum += p->size[b];
    }
    return sum;
}

/* ---- Labels ---- */

static void say(struct whatif *w, enum whatif_method method, const char *note)
{
    w->method = method;
    w->note = note;
}

/* The truth within so many thousandths below and above what the program has. */
static void estimate(struct whatif *w, uint64_t below, uint64_t above, const char *note)
{
    uint64_t bytes = w->program.totals.output + w->program.totals.temp;
    say(w, WHATIF_ESTIMATE, note);
    w->low = bytes - bytes / 1000 * below;
    w->high = bytes + bytes / 1000 * above;
}

/* Stacks are there whole from before the loop to behind it, and XLA cannot compute them again: of all
 * loops that are not in one another, the most that one fills. */
static uint64_t must_have(const struct program *p)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < p->loops.n; k++) {
        struct span of = p->loops.items[k].stacks;
        uint64_t sum = 0;
        for (uint32_t s = 0; s < of.n && p->loops.items[k].depth == 0; s++)
            if (p->loops.stacks[of.first + s].access == ACCESS_FILL)
                sum += p->loops.stacks[of.first + s].bytes;
        most = sum > most ? sum : most;
    }
    return most;
}

static const char *memory_note(struct whatif *w, const struct whatif_facts *f)
{
    char limit[24], device[24], needs[24];
    return arena_printf(&w->arena, "needs %s; above %s XLA computes values again to fit %s of %s",
                        bytes_text(program_need(&w->program, NULL), needs),
                        bytes_text(f->memory.bytes, limit), f->memory.guessed ? "a device" : "the device",
                        bytes_text(f->memory.device, device));
}

/* Above the memory XLA computes values again, until it fits or nothing is left to do. */
static void label_above(struct whatif *w, const struct whatif_facts *f)
{
    const struct program *p = &w->program;
    uint64_t bytes = p->totals.output + p->totals.temp, need = program_need(p, NULL);
    uint64_t least = must_have(p), may_go = need - f->memory.bytes;
    w->least = least + p->totals.argument;
    least = bytes - may_go > least ? bytes - may_go : least;
    if (bytes < may_go || least > bytes || least < bytes - bytes / 1000 * 120)
        say(w, WHATIF_UNKNOWN, memory_note(w, f));
    else
        estimate(w, (bytes - least) / (bytes / 1000 + 1) + 10, 10, memory_note(w, f));
}

/* What no answer can be promised for, whatever was asked. */
static bool is_beyond(struct whatif *w, const struct whatif_facts *f)
{
    if (!f->reruns || f->several_heaps)
        say(w, WHATIF_UNKNOWN, "the assignment of the dump itself does not come out the same");
    else if (f->rematerialised)
        say(w, WHATIF_UNKNOWN, "XLA was short of memory and computes values again: otherwise it would not");
    else
        return false;
    return true;
}

static void label_on_tpu(struct whatif *w, const struct whatif_facts *f)
{
    uint64_t bytes = w->program.totals.output + w->program.totals.temp;
    if (f->doubt != DOUBT_KINDS || movable(&w->program) > bytes / 20)
        say(w, WHATIF_UNKNOWN, "what of it moves to on-chip memory only a compile can tell");
    else
        estimate(w, 70, 70, "small values may move to on-chip memory and back");
}

/* The order in which XLA:GPU schedules a body can change with the length.  It does not matter where
 * carries that are residuals make near half of the memory or more, at both lengths. */
static bool is_order_harmless(const struct whatif *w, const struct whatif_facts *f, uint64_t carried)
{
    uint64_t bytes = w->program.totals.output + w->program.totals.temp;
    return carried >= bytes / 100 * 45 && f->carried >= f->bytes / 100 * 45;
}

static void label_on_gpu(struct whatif *w, const struct whatif_facts *f, uint64_t carried)
{
    uint64_t bytes = w->program.totals.output + w->program.totals.temp;
    if (f->reach == REACH_WHOLE)
        say(w, WHATIF_UNKNOWN,
            arena_printf(&w->arena, "%s, which works on the whole length, may be done in another way", f->at));
    else if (f->reach == REACH_SLOTS && !f->fills_cross && is_order_harmless(w, f, carried))
        say(w, WHATIF_EXACT, "arrays of that length are only filled, read and written step by step");
    else if (f->slot_bytes > bytes / 30)
        say(w, WHATIF_UNKNOWN, "XLA may fuse differently, and one value more or less counts for too much");
    else if (f->reach == REACH_SLOTS)
        estimate(w, 70, 70, "XLA may fuse what fills the stacks, or schedule a body, differently at that size");
    else
        estimate(w, 70, 70, arena_printf(&w->arena, "XLA may fuse %s differently at another length", f->at));
}

static void label_on_cpu(struct whatif *w, const struct whatif_facts *f)
{
    if (f->reach <= (f->recent ? REACH_ELEMENTWISE : REACH_SLOTS))
        say(w, WHATIF_EXACT, "arrays of that length are used step by step or element by element");
    else
        estimate(w, 70, 70, arena_printf(&w->arena, "%s, which works on the whole length, may be done otherwise",
                                         f->at));
}

/* Small things that the label above does not know. */
static const char *small_doubt(const struct whatif_facts *f)
{
    if (f->unroll != 1)
        return "several steps in one body may be scheduled otherwise at another length";
    if (f->constants_differ)
        return "the number of the last step is a constant of its own only at one of the lengths";
    if (f->place.alignment)
        return "the dump does not tell how its compiler aligns buffers";
    return f->from_text ? "HLO text does not tell XLA's own order of instructions, which breaks ties" : NULL;
}

/* By what the resized program does, be there memory for it or not. */
static void label_by_length(struct whatif *w, const struct whatif_facts *f, uint64_t carried)
{
    if (f->platform == PLATFORM_TPU)
        label_on_tpu(w, f);
    else if (f->doubt != DOUBT_KINDS)
        say(w, WHATIF_UNKNOWN,
            arena_printf(&w->arena, "%s does not tell which of its sizes follow the length", f->at));
    else if (f->platform == PLATFORM_CPU)
        label_on_cpu(w, f);
    else
        label_on_gpu(w, f, carried);
    if (w->method == WHATIF_EXACT && small_doubt(f))
        estimate(w, 70, 70, small_doubt(f));
}

void label_resized(struct whatif *w, const struct whatif_facts *f, uint64_t carried)
{
    if (is_beyond(w, f))
        return;
    label_by_length(w, f, carried);
    if (f->memory.bytes && program_need(&w->program, NULL) > f->memory.bytes && w->method != WHATIF_UNKNOWN)
        label_above(w, f);
}

/* ---- Unrolled ---- */

/* Is the memory that of carries which are residuals, so much of it that the rest hardly counts?  Small
 * ones XLA fuses away, or keeps twice. */
static bool is_forced(const struct whatif *w, const struct whatif_facts *f, const struct whatif_spread *s)
{
    bool full = w->to_unroll == WHATIF_FULL, gpu = f->platform != PLATFORM_CPU;
    if (!full && !gpu)
        return true; /* the models have been seen to span it */
    return s->carried >= s->most / 10 * (full ? 9 : 5) &&
           (!gpu || f->slot_bytes >= LARGE_SLOT) && (gpu || f->donated);
}

static uint64_t filled_bytes(const struct program *p, const struct whatif_scan *scan)
{
    struct span of = scan->forward < p->loops.n ? p->loops.items[scan->forward].stacks : (struct span){0};
    uint64_t sum = 0;
    for (uint32_t k = 0; k < of.n; k++)
        if (p->loops.stacks[of.first + k].access == ACCESS_FILL &&
            __builtin_add_overflow(sum, p->loops.stacks[of.first + k].bytes, &sum))
            return UINT64_MAX;
    return sum;
}

/* Is what resizing alone would give exact, were there memory for it? */
static bool is_sure_of_length(const struct whatif_facts *f, const struct program *p, uint64_t carried)
{
    struct whatif w = {.note = ""};
    if (!f->resized)
        return true;
    w.program = *p;
    label_by_length(&w, f, carried);
    arena_free(&w.arena); /* notes */
    return w.method == WHATIF_EXACT;
}

/* Instructions of the scan's bodies, those of their fusions too. */
static uint64_t body_size(const struct program *p, const struct whatif_scan *scan)
{
    const struct hlo *h = &p->module->hlo;
    const uint32_t both[2] = {scan->forward, scan->backward};
    uint64_t n = 0;
    for (int k = 0; k < 2; k++) {
        if (both[k] >= p->loops.n)
            continue;
        struct span insts = hlo_comp(h, hlo_call(h, p->loops.items[both[k]].inst, 0))->insts;
        n += insts.n;
        for (inst_id i = insts.first; i < insts.first + insts.n; i++)
            for (uint32_t j = 0; j < hlo_inst(h, i)->calls.n; j++)
                n += hlo_comp(h, hlo_call(h, i, j))->insts.n;
    }
    return n;
}

const char *doubt_of_unrolling(const struct whatif *w, const struct whatif_facts *f,
                               const struct program *rolled, const struct whatif_scan *scan)
{
    uint64_t carried = carried_bytes(rolled, scan), size = body_size(rolled, scan);
    uint64_t copies = (uint64_t)(w->to_unroll == WHATIF_FULL ? w->to_seqlen : w->to_unroll);
    if (size && copies > MOST_UNROLLED / size)
        return "so many steps make a program that is too large to try out";
    if (f->platform == PLATFORM_TPU)
        return "what a TPU's compiler does with several steps only a compile can tell";
    if (w->to_unroll != WHATIF_FULL && w->to_unroll > MOST_MEASURED)
        return "of more than four steps an iteration too little has been measured";
    if (w->to_seqlen == 1)
        return "of a single step XLA makes another program altogether";
    if (!is_sure_of_length(f, rolled, carried))
        return "at another length and unrolled, too much of it may be fused differently";
    if (w->to_unroll == WHATIF_FULL && carried < filled_bytes(rolled, scan) / 10 * 9)
        return "without a loop XLA is free to compute and fuse the steps in any order";
    return unroll_doubt(rolled, scan);
}

void label_unrolled(struct whatif *w, const struct whatif_facts *f, struct whatif_spread spread)
{
    uint64_t low = spread.least - spread.least / 100 * UNROLL_BELOW;
    uint64_t high = spread.most + spread.most / 100 * UNROLL_ABOVE;
    if (is_beyond(w, f))
        return;
    if (f->memory.bytes && program_need(&w->program, NULL) + (high - spread.least) > f->memory.bytes)
        say(w, WHATIF_UNKNOWN, memory_note(w, f));
    else if (!is_forced(w, f, &spread))
        say(w, WHATIF_UNKNOWN, "XLA fuses and schedules the unrolled steps anew, and may in several ways");
    else if (high - low > high / 100 * 15)
        say(w, WHATIF_UNKNOWN, "the ways in which XLA may schedule the steps differ by too much");
    else {
        say(w, WHATIF_ESTIMATE, "XLA fuses and schedules the unrolled steps anew: the range spans its ways");
        w->low = low;
        w->high = high;
    }
}
