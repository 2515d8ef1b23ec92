/* rng-bit-generator as XLA expands it: Threefry-2x32 of 20 rounds and Philox-4x32 of 10 (Salmon et al.,
 * "Parallel random numbers: as easy as 1, 2, 3", 2011), each number from a counter of its own.
 *
 * Threefry: state (key, counter); the pair made of one counter becomes two neighbours along the first
 * even dimension, else the largest.  Philox: state (key, counter low, counter high), or (key, counter)
 * whose key is the counter's high half, too; four words of one counter follow each other.  Narrow
 * elements are the low bits of 32. */
#include "gpu/base/threads.h"
#include "gpu/engine/nd.h"
#include "gpu/host/host.h"

#include <string.h>

static uint32_t rotated(uint32_t v, unsigned by)
{
    return v << by | v >> (32 - by);
}

static uint64_t threefry(uint64_t key, uint64_t counter)
{
    static const uint8_t turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t k[3] = {(uint32_t)key, (uint32_t)(key >> 32), 0};
    k[2] = k[0] ^ k[1] ^ 0x1BD11BDA;
    uint32_t x = (uint32_t)counter + k[0], y = (uint32_t)(counter >> 32) + k[1];
    for (uint32_t round = 0; round < 5; round++) {
        for (int q = 0; q < 4; q++) {
            x += y;
            y = rotated(y, turns[round % 2][q]) ^ x;
        }
        x += k[(round + 1) % 3];
        y += k[(round + 2) % 3] + round + 1;
    }
    return x | (uint64_t)y << 32;
}

static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t x[4])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
        uint64_t p = (uint64_t)c[0] * 0xD2511F53, q = (uint64_t)c[2] * 0xCD9E8D57;
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k1, (uint32_t)p};
        memcpy(c, next, sizeof c);
    }
    memcpy(x, c, sizeof c);
}

struct rng_job {
    struct nd out;
    bool philox;
    uint64_t key, low, high;
    uint32_t split;   /* Threefry of 32 bits: dimension whose neighbours are a pair */
    int64_t half[TAPE_RANK];
};

static uint64_t threefry_bits(const struct rng_job *j, int64_t k, const int64_t *index)
{
    if (j->out.elem.size == 8)
        return threefry(j->key, j->low + (uint64_t)k);
    uint64_t counter = 0;
    for (uint32_t d = 0; d < j->out.rank; d++)
        counter = counter * (uint64_t)j->half[d] + (uint64_t)(d == j->split ? index[d] / 2 : index[d]);
    uint64_t pair = threefry(j->key, j->low + counter);
    bool second = j->out.rank && index[j->split] % 2;
    return second ? pair >> 32 : pair & UINT32_MAX;
}

static uint64_t philox_bits(const struct rng_job *j, int64_t k)
{
    uint32_t x[4];
    int64_t each = j->out.elem.size == 8 ? 2 : 4;
    uint64_t low = j->low + (uint64_t)(k / each), high = j->high + (low < j->low);
    philox(j->key, low, high, x);
    return each == 4 ? x[k % 4] : x[k % 2 * 2] | (uint64_t)x[k % 2 * 2 + 1] << 32;
}

static void rng_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct rng_job *j = ctx;
    int64_t index[TAPE_RANK], first = (int64_t)part * TAPE_BLOCK, end = first + TAPE_BLOCK;
    (void)worker;
    nd_index(first, j->out.rank, j->out.dims, index);
    for (int64_t k = first; k < end && k < j->out.n; k++, nd_next(j->out.rank, j->out.dims, index)) {
        uint64_t bits = j->philox ? philox_bits(j, k) : threefry_bits(j, k, index);
        memcpy(j->out.at + nd_offset(&j->out, index) * j->out.elem.size, &bits, j->out.elem.size);
    }
}

/* The first even dimension, else the first of the largest. */
static void find_split(struct rng_job *j)
{
    bool even = false;
    for (uint32_t d = 0; d < j->out.rank; d++)
        if (!even && (j->out.dims[d] % 2 == 0 || j->out.dims[d] > j->out.dims[j->split])) {
            j->split = d;
            even = j->out.dims[d] % 2 == 0;
        }
    for (uint32_t d = 0; d < j->out.rank; d++)
        j->half[d] = d == j->split ? (j->out.dims[d] + 1) / 2 : j->out.dims[d];
}

void host_rng(const struct unit_call *e, const struct stage *s)
{
    struct nd in = nd_in(e, s, 0), state = nd_out(e, s, 0);
    struct rng_job j = {.out = nd_out(e, s, 1), .philox = s->number == 2};
    uint64_t word[3] = {0};
    memcpy(word, in.at, (size_t)in.n * 8);
    j.key = word[0];
    j.low = word[1];
    j.high = in.n == 3 ? word[2] : word[0];
    find_split(&j);
    threads_each(e->threads, (uint64_t)(j.out.n + TAPE_BLOCK - 1) / TAPE_BLOCK, rng_part, &j);
    uint64_t counters = 1, wide = j.out.elem.size == 8;
    for (uint32_t d = 0; d < j.out.rank; d++)
        counters *= (uint64_t)(wide ? j.out.dims[d] : j.half[d]);
    if (j.philox)
        counters = ((uint64_t)j.out.n * (wide ? 2 : 1) + 3) / 4;
    word[1] += counters;
    word[2] += word[1] < counters;
    memcpy(state.at, word, (size_t)state.n * 8);
}
