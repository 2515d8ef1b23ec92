/* The key stream: the first byte chooses a program, the others are keys, mouse reports, sizes and
 * lines as tests/support/walk.h makes them of bytes. */
#include "tests/support/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS_MOST 80 /* so that a run takes milliseconds */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sample samples[SAMPLE_HUGE]; /* programs are only read: made once */
    struct chance by = {.data = data, .left = size};
    uint32_t kind = chance(&by, SAMPLE_HUGE);
    if (!samples[kind].program.n_spaces)
        sample_make(&samples[kind], (enum sample_kind)kind);
    walk_program(&samples[kind].program, NULL, &by, STEPS_MOST);
    return 0;
}
