#include "tests/corpus/corpus_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What must be there ---- */

/* Trip counts of the loops in program order, those inside one in brackets; "?": data decides.
 * CPU compilers before 0.6 also made loops of scatters: the other choice. */
static const struct {
    const char *name, *loops, * or ;
} programs[] = {
    {"ctl", "8 ?", NULL},
    {"decode_kv_loop", "100", NULL},
    {"fori_dynamic_trip", "?", NULL},
    {"grad_accum_scan", "8", NULL},
    {"gru_scan_128", "128 128", NULL},
    {"lax_map", "4 4", NULL},
    {"lstm", "64 64", NULL},
    {"lstm_scan_128", "128 128", NULL},
    {"lstm_scan_128_reverse", "128 128", NULL},
    {"mlp", "", NULL},
    {"nested_scan", "6(10) 6(10)", NULL},
    {"rng_threefry_dropout", "", "5 5 5 5"},
    {"scan_bf16", "16 16", NULL},
    {"scan_f16", "16 16", NULL},
    {"scan_f8e4m3", "16 16", NULL},
    {"scan_int8", "16", NULL},
    {"scan_reverse", "30 30", NULL},
    {"several-temps-s4-u1", "4 4", NULL},
    {"seed", "3 3", NULL},
    {"ssm_mamba_scan", "256 256", NULL},
    {"temp-colour-s2-u1", "2 2", NULL},
    {"tlm2", "2 2", "2 256 2 256"},
    {"tlm24_scan_bf16", "24 24", NULL},
    {"tlm24_scan_offload", "24 24", NULL},
    {"tlm24_scan_remat", "24 24", NULL},
    {"tlm24_scan_remat_dots_nobatch", "24 24", NULL},
    {"tlm24_scan_remat_names", "24 24", NULL},
    {"tlm24_unrolled", "", NULL},
    {"tlm4_scan", "4 4", NULL},
    {"tlm4_scan_remat", "4 4", NULL},
    {"tlm8_fsdp4_tp2_scan", "8 8", NULL},
    {"tlm8_fsdp8_scan_remat", "8 8", NULL},
    {"while_dynamic", "?", NULL},
};

/* Variants of the example with a scan of s steps: how their loops follow from s. */
enum shape {
    SHAPE_ROLLED,
    SHAPE_NONE_LEFT,
    SHAPE_ONE_LESS,
    SHAPE_HALVED,
    SHAPE_NESTED,
    SHAPE_NESTED_3
};
static const struct {
    const char *variant;
    enum shape shape;
} variants[] = {
    {"last_no_update", SHAPE_ONE_LESS},
    {"nested", SHAPE_NESTED},
    {"nested3", SHAPE_NESTED_3},
    {"nested_cvjp_bf16", SHAPE_NESTED},
    {"nested_rowsum", SHAPE_NESTED},
    {"nested_unroll", SHAPE_NONE_LEFT},
    {"peel_first", SHAPE_ONE_LESS},
    {"peel_last", SHAPE_ONE_LESS},
    {"peel_last_rowsum", SHAPE_ONE_LESS},
    {"py_ck", SHAPE_NONE_LEFT},
    {"unroll2", SHAPE_HALVED},
    {"unroll_ck", SHAPE_NONE_LEFT},
    {"unrolled", SHAPE_NONE_LEFT},
    {"unrolled-nodonate", SHAPE_NONE_LEFT},
    {"unrolled_cvjp", SHAPE_NONE_LEFT},
    {"unrolled_rowsum", SHAPE_NONE_LEFT},
};

/* Forward and backward; XLA takes a loop of one iteration apart. */
static void twice(int n, char *out, size_t size)
{
    if (n >= 2)
        snprintf(out, size, "%d %d", n, n);
    else
        out[0] = '\0';
}

static void variant_loops(const char *variant, int s, char *out, size_t size)
{
    enum shape shape = SHAPE_ROLLED;
    int k = 1;
    for (size_t j = 0; j < sizeof variants / sizeof *variants; j++)
        if (strcmp(variant, variants[j].variant) == 0)
            shape = variants[j].shape;
    switch (shape) {
    case SHAPE_ROLLED:
        twice(s, out, size);
        return;
    case SHAPE_NONE_LEFT:
        out[0] = '\0';
        return;
    case SHAPE_ONE_LESS:
        twice(s - 1, out, size);
        return;
    case SHAPE_HALVED:
        twice(s / 2, out, size);
        return;
    case SHAPE_NESTED:
        while ((k + 1) * (k + 1) <= s)
            k++;
        while (s % k)
            k--;
        if (k == 1)
            twice(s, out, size);
        else /* backward, the inner scan is run again and then back */
            snprintf(out, size, "%d(%d) %d(%d %d)", k, s / k, k, s / k, s / k);
        return;
    case SHAPE_NESTED_3:
        snprintf(out, size, "4(4(4)) 4(4(4) 4(4 4))");
        return;
    }
}

/* "cpu-lstm_scan_128" and "lstm-jax0.5.0" without what is no part of the program's name. */
static void plain_name(const char *name, char *out, size_t size)
{
    static const char *const before[] = {"cpu-", "a100-", "tpu-"};
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        if (strncmp(name, before[k], strlen(before[k])) == 0)
            name += strlen(before[k]);
    snprintf(out, size, "%s", name);
    char *version = strstr(out, "-jax");
    if (version)
        *version = '\0';
}

/* False: nothing is known of this program. */
static bool must_have(const cJSON *meta, char *first, char *other, size_t size)
{
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(meta, "seqlen");
    const cJSON *unroll = cJSON_GetObjectItemCaseSensitive(meta, "unroll");
    const char *variant = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(meta, "variant"));
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(meta, "case"));
    char plain[200];
    *first = *other = '\0';
    if (cJSON_IsNumber(steps) && variant) {
        variant_loops(variant, steps->valueint, first, size);
        snprintf(other, size, "%s", first);
        return true;
    }
    if (cJSON_IsNumber(steps) && unroll) {
        int k = cJSON_IsNumber(unroll) ? unroll->valueint : steps->valueint;
        twice(k > 0 ? steps->valueint / k : 0, first, size);
        snprintf(other, size, "%s", first);
        return true;
    }
    plain_name(name ? name : "", plain, sizeof plain);
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (strcmp(plain, programs[k].name) == 0) {
            snprintf(first, size, "%s", programs[k].loops);
            snprintf(other, size, "%s", programs[k].or ? programs[k].or : programs[k].loops);
            return true;
        }
    return false;
}

/* ---- What is there ---- */

static void trips_words(const struct loops *l, char *out, size_t size)
{
    uint32_t depth = 0;
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < l->n && n + 40 < size; k++) {
        const struct loop *x = &l->items[k];
        for (; depth > x->depth; depth--)
            out[n++] = ')';
        const char *gap = k == 0 ? "" : x->depth > depth ? "(" : " ";
        depth = x->depth;
        n += (size_t)(x->trip_count < 0
                          ? snprintf(out + n, size - n, "%s?", gap)
                          : snprintf(out + n, size - n, "%s%lld", gap, (long long)x->trip_count));
    }
    while (depth-- && n + 2 < size)
        out[n++] = ')';
    out[n] = '\0';
}

static void all_words(const struct program *p, char *out, size_t size)
{
    const struct hlo *h = p->dataflow.hlo;
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < p->loops.n && n + 200 < size; k++)
        n += (size_t)snprintf(out + n, size - n, "%.50s x%lld pass %d pair %d\n",
                              p->loops.items[k].name, (long long)p->loops.items[k].trip_count,
                              p->loops.items[k].pass, (int)p->loops.items[k].pair);
    for (uint32_t k = 0; k < p->loops.n_stacks && n + 200 < size; k++) {
        const struct loop_stack *s = &p->loops.stacks[k];
        n += (size_t)snprintf(
            out + n, size - n,
            "%u{%u} %d dim %u %d %lld%+lld/%lld by %.50s carry %d fresh %d feeds %d\n", s->loop,
            s->element, s->access, s->dim, s->regular, (long long)s->first, (long long)s->stride,
            (long long)s->width, hlo_inst(h, s->by)->name, (int)s->carry, s->fresh, (int)s->feeds);
    }
}

static bool sound(const struct program *p, const struct loop_stack *s)
{
    const struct loop *l = &p->loops.items[s->loop];
    const struct loop_stack *other = s->feeds == LOOP_NONE ? NULL : &p->loops.stacks[s->feeds];
    return s->touched - l->body.first < l->body.n && p->liveness.step[s->by] <= s->touched &&
           s->slots > 0 && (!s->regular || (s->width > 0 && s->width <= s->slots)) &&
           s->slot_bytes <= s->bytes &&
           (!other || (other->access == ACCESS_DRAIN) != (s->access == ACCESS_DRAIN));
}

static void count_candidates(struct loop_counts *c, const struct program *p, const struct loop *l)
{
    const struct shapes *s = &p->dataflow.hlo->shapes;
    shape_id shape = hlo_inst(p->dataflow.hlo, l->inst)->shape;
    for (uint32_t e = 0; e < shape_children(s, shape); e++) {
        shape_id x = shape + shape_child(s, shape, e);
        struct span dims = shape_node(s, x)->dims;
        bool candidate = false, found = false;
        for (uint32_t d = 0; d < dims.n && shape_is_array(s, x); d++)
            candidate =
                candidate || (l->trip_count > 1 && shape_numbers(s, dims)[d] == l->trip_count);
        for (uint32_t k = l->stacks.first; k < l->stacks.first + l->stacks.n; k++)
            found = found || p->loops.stacks[k].element == e;
        c->candidates += candidate;
        c->found += candidate && found;
    }
}

void corpus_loops(struct loop_counts *counts, const struct program *p, const cJSON *meta,
                  const char *path)
{
    struct loop_counts *c = &counts[p->module->platform];
    const struct loops *l = &p->loops;
    char want[200], other[200], got[400];
    all_words(p, counts->words, sizeof counts->words);
    counts->known = true;
    trips_words(l, got, sizeof got);
    c->loops += l->n;
    c->stacks += l->n_stacks;
    for (uint32_t k = 0; k < l->n; k++) {
        c->counted += l->items[k].trip_count >= 0;
        c->pairs += l->items[k].pair != LOOP_NONE && l->items[k].pair > k;
        count_candidates(c, p, &l->items[k]);
    }
    for (uint32_t k = 0; k < l->n_stacks; k++) {
        c->regular += l->stacks[k].regular;
        if (!sound(p, &l->stacks[k])) {
            printf("%s: stack %u of %s is not sound\n", path, k, l->items[l->stacks[k].loop].name);
            c->wrong++;
        }
    }
    if (!must_have(meta, want, other, sizeof want))
        return;
    c->expected++;
    if (strcmp(got, want) != 0 && strcmp(got, other) != 0) {
        printf("%s: loops run \"%s\", the source says \"%s\"\n", path, got, want);
        c->wrong++;
    }
}

bool corpus_same_loops(const struct loop_counts *counts, const struct program *p, const char *path)
{
    char words[sizeof counts->words];
    all_words(p, words, sizeof words);
    if (!counts->known || strcmp(words, counts->words) == 0)
        return true;
    printf("%s: loops from text differ from those from the proto\n", path);
    return false;
}

/* ---- The measure ---- */

unsigned corpus_loops_say(const struct loop_counts *counts)
{
    /* What was reached; the candidates that are left were looked at, and are no stacks: weights of
     * a cell as wide as its scan is long, masks, batches, what a collective exchanges. */
    static const struct {
        enum platform platform;
        const char *name;
        unsigned found, programs, pairs;
    } reached[] = {{PLATFORM_CPU, "cpu", 939, 76, 48},
                   {PLATFORM_GPU, "gpu", 1672, 193, 145},
                   {PLATFORM_TPU, "tpu", 470, 30, 20}};
    unsigned failed = 0;
    for (size_t k = 0; k < sizeof reached / sizeof *reached; k++) {
        const struct loop_counts *c = &counts[reached[k].platform];
        printf("%-16s %u of %u loops counted, %u programs as their sources say, %u pairs, %u "
               "stacks (%u regular), "
               "candidates found: %u of %u\n",
               reached[k].name, c->counted, c->loops, c->expected, c->pairs, c->stacks, c->regular,
               c->found, c->candidates);
        bool less = c->found < reached[k].found || c->expected < reached[k].programs ||
                    c->pairs < reached[k].pairs;
        if (less)
            printf("%-16s fewer than before: %u candidates, %u programs, %u pairs\n",
                   reached[k].name, reached[k].found, reached[k].programs, reached[k].pairs);
        failed += c->wrong + less;
    }
    return failed;
}
