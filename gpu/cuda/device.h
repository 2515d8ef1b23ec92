/* A CUDA device as the C side sees it: memory, one stream, and a launch for each kind of stage.
 * Implemented by the .cu files beside it; used by engine.c and plan.c alone.
 *
 * Everything is put in one stream, in order.  What fails first is kept, in words; from then on
 * nothing more is done.  Addresses are the device's unless a comment says otherwise. */
#ifndef GPU_CUDA_DEVICE_H
#define GPU_CUDA_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif
#include "core/base/diag.h"
#include "gpu/engine/conv_index.h"
#include "gpu/engine/gather_index.h"
#include "gpu/engine/window_index.h"
#include "gpu/tape/tape.h"

struct device;

struct device *device_open(struct diag *d);
void device_close(struct device *v);
const char *device_failed(const struct device *v);
void device_fail(struct device *v, const char *what); /* kept if it is the first */
void device_wait(struct device *v);
uint64_t device_memory_free(struct device *v);
char *device_get(struct device *v, uint64_t bytes); /* NULL: there are none */
void device_drop(struct device *v, char *at);
/* Work memory of one stage: what is launched later may use the same.  NULL: noted. */
char *device_work(struct device *v, uint64_t bytes);
void device_fill(struct device *v, char *to, int byte, uint64_t n);
void device_move(struct device *v, char *to, const char *from, uint64_t n);
void device_put(struct device *v, char *to, const void *from, uint64_t n); /* from the host */
void device_take(struct device *v, void *to, const char *from, uint64_t n); /* to the host; waits */

bool device_pool_open(struct device *v);
char *device_pool_get(struct device *v, uint64_t bytes);
void device_pool_drop(struct device *v, char *at);
void device_pool_close(struct device *v, uint64_t *high, uint64_t *reserved);

/* ---- Launches: `stage` and `at` lie on the device, and all that they point to and is used ---- */

/* Registers that a thread holds itself; tapes with more take them from work memory. */
enum { FEW_REGS = 8, SOME_REGS = 32, SPILL_THREADS = 132 * 256 };

enum map_body {
    MAP_FILL, /* every element is the same */
    MAP_COPY, /* a run of elements is moved as it is */
    MAP_MOVE, /* f32: load[0] */
    MAP_MUL,  /* f32: load[0] * load[1] */
    MAP_AXPY, /* f32: load[0] + load[1] * load[2] */
    MAP_TAPE
};
struct map_launch {
    const struct stage *stage;
    char *const *at;
    enum map_body body;
    int64_t total;
    uint32_t n_regs;
    uint32_t load[3];  /* accesses of the tape */
    uint64_t bytes;    /* COPY */
};
void device_map(struct device *v, const struct map_launch *m);

/* Values are folded by `pieces` threads (columns, short rows) or blocks (rows) for each kept element;
 * piece q takes every pieces-th value from q on.  More than one piece: joined in order. */
struct reduce_launch {
    const struct stage *stage;
    char *const *at;
    int64_t kept, reduced, pieces;
    bool columns;      /* value r of element c stands at r * kept + c, else at c * reduced + r */
    bool by_block;     /* a block for each piece */
    uint32_t plain;    /* f32 sums of load[0] (1), of load[0] * load[1] (2); 0: of the tape */
    uint32_t load[2];
    uint32_t n_values;
};
void device_reduce(struct device *v, const struct reduce_launch *r);

/* A matrix product; `vector`: one side has a single row, and pieces are as above. */
enum dot_form { DOT_TILES, DOT_ROWS, DOT_COLUMNS };
struct dot_launch {
    const struct dot_spec *dot;
    char *const *at;
    int64_t batches, m, n, k, pieces;
    struct elem sum;
    enum dot_form form;
};
void device_dot(struct device *v, const struct dot_launch *l);

/* One group. */
void device_conv(struct device *v, const struct conv_job *j);
void device_gather(struct device *v, const struct gather_plan *p);
struct scatter_launch {
    struct gather_plan plan;
    const struct stage *stage;  /* for its fold or region */
    uint32_t n_values;
    struct nd array[8], windows[8];
    bool by_window;             /* windows meet only at the same place of each: a thread for each place */
};
void device_scatter(struct device *v, const struct scatter_launch *s);
struct window_launch {
    struct window_plan plan;
    const struct stage *stage;
    struct nd init[8];
    int running;                /* the dimension along which each line is one running fold; -1: none */
    bool backward;
};
void device_window(struct device *v, const struct window_launch *w);
struct each_launch {
    const struct stage *stage;  /* its region makes an element of those at the same index */
    uint32_t n_in;
    struct nd in[8], out;
};
void device_each(struct device *v, const struct each_launch *e);
/* n elements of a byte each, packed in so many bits or unpacked. */
void device_repack(struct device *v, bool packs, const char *from, char *to, int64_t n, unsigned bits);

#ifdef __cplusplus
}
#endif

#endif
