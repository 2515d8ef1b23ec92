/* The backends there are. */
#include "gpu/engine/backends.h"

const struct backend *exec_backend(unsigned i)
{
    static const struct backend *const all[] = {&exec_host, &exec_cuda};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}
