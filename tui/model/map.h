/* The address map: one allocation, offset x time, merged into cells.
 *
 * Row k from the bottom spans [k, k + 1) * unit bytes, columns are those of a window of program order.  A buffer
 * covers every cell of which it covers any part.  What a cell shows, whatever the cursor, is the
 * largest buffer that covers it; what lies at the cursor is found among all, so none is lost. */
#ifndef TUI_MODEL_MAP_H
#define TUI_MODEL_MAP_H

#include "tui/model/clock.h"

#define GROUP_NONE UINT32_MAX

/* Where the map looks. */
struct map_place {
    uint32_t group;  /* allocation, or GROUP_NONE: there is nothing to show */
    uint64_t offset; /* the cursor's */
    buf_id chosen;
};

/* The rows of an allocation's bytes. */
struct map_scale {
    uint64_t size; /* of the allocation */
    double unit;   /* bytes per row */
    int every;     /* rows between figures */
    int rows, used; /* of the plot, and of them those that the allocation reaches */
};
struct map_scale map_scale_of(const struct program *p, uint32_t group, int rows);
int map_row(const struct map_scale *sc, uint64_t offset);
/* The offsets of a row: [*low, *high). */
void map_range(const struct map_scale *sc, int row, uint64_t *low, uint64_t *high);
/* The rows that a buffer covers, closed; one that has no bytes, the row of its offset. */
void map_rows(const struct map_scale *sc, const struct program *p, buf_id b, int *low, int *high);

/* Buffers at a row and a step, by offset: fills ids (room for `most`) from number `first` on and
 * returns how many there are.  O(buffers of the group). */
uint32_t map_at(const struct program *p, uint32_t group, const struct map_scale *sc, int row,
                uint32_t step, buf_id *ids, uint32_t first, uint32_t most);
/* The number of buffer b among them, or UINT32_MAX. */
uint32_t map_number(const struct program *p, uint32_t group, const struct map_scale *sc, int row,
                    uint32_t step, buf_id b);
/* The first row to show of a list of them so that number `at` is among `height` rows. */
static inline uint32_t map_list_top(uint32_t at, int height)
{
    return at == UINT32_MAX || at < (uint32_t)height ? 0 : at - (uint32_t)height + 1;
}
/* The step of [first, last], closed, nearest to `step`, at which the largest buffer of that row and
 * those steps is alive; `step` brought between them when there is none. */
uint32_t map_step(const struct program *p, uint32_t group, const struct map_scale *sc, int row,
                  uint32_t first, uint32_t last, uint32_t step);

/* Allocations that hold buffers, largest first.  GROUP_NONE when there are none. */
uint32_t map_group_next(const struct program *p, uint32_t group, bool back);
void map_group_rank(const struct program *p, uint32_t group, uint32_t *number, uint32_t *total);

/* A memo of one map: zeroed before its first use, belongs to one program. */
struct map {
    struct arena arena;
    const struct program *p; /* NULL: nothing in it */
    uint32_t group;
    struct window time; /* steps */
    int w, h;
    buf_id *cell;   /* [h * w] row 0 at the bottom, or BUF_NONE: a hole */
    uint8_t *shade; /* [p->n] 0 or 1: tells buffers of neighbouring cells apart */
};
/* O(buffers of the group + cells * log w * log h) when it is not this one already. */
void map_get(struct map *m, const struct program *p, uint32_t group, struct window time, int w, int h);
void map_free(struct map *m);

#endif
