/* Memory of a run's own, outside the arena: asked for and given back while it runs. */
#ifndef GPU_BASE_MEMORY_H
#define GPU_BASE_MEMORY_H

#include <stdlib.h>

/* n bytes, all 0; to be given to free().  Never NULL: ends the program when there are none. */
static inline void *zeroed(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (!p)
        abort();
    return p;
}

#endif
