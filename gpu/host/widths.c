/* bitcast-convert to another width. */
#include "gpu/engine/nd.h"
#include "gpu/host/host.h"

#include <string.h>

/* The wide array has an element where the narrow one has a row, which are the same bytes. */
void host_widths(const struct unit_call *e, const struct stage *s)
{
    struct nd in = nd_in(e, s, 0), out = nd_out(e, s, 0);
    bool narrows = in.elem.size > out.elem.size;
    const struct nd *wide = narrows ? &in : &out, *narrow = narrows ? &out : &in;
    int64_t index[TAPE_RANK] = {0}, step = narrow->rank ? narrow->stride[narrow->rank - 1] : 0;
    int64_t each = wide->elem.size / narrow->elem.size;
    for (int64_t k = 0; k < wide->n; k++, nd_next(wide->rank, wide->dims, index)) {
        char *w = wide->at + nd_offset(wide, index) * wide->elem.size, *n = narrow->at;
        for (uint32_t d = 0; d < wide->rank; d++)
            n += index[d] * narrow->stride[d] * narrow->elem.size;
        for (int64_t q = 0; q < each; q++, w += narrow->elem.size, n += step * narrow->elem.size)
            memcpy(narrows ? n : w, narrows ? w : n, narrow->elem.size);
    }
}
