/* Where one left a dump: what stands in a state file, taken up and drawn; and reports of the mouse.  The first
 * byte chooses a program. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/walk.h"
#include "tui/explorer/state.h"
#include "tui/terminal/mouse.h"

static void fuzz_mouse(const char *text)
{
    struct mouse m = {0};
    unsigned char bytes[3] = {0};
    for (size_t n = strlen(text); n > 0; n--, text++) {
        memcpy(bytes, text, n < 3 ? n : 3);
        mouse_sgr(&m, text);
        mouse_x10(&m, bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sample samples[SAMPLE_HUGE];
    if (!size)
        return 0;
    uint32_t kind = data[0] % SAMPLE_HUGE;
    struct sample *s = &samples[kind];
    struct file f = fuzz_file(data + 1, size - 1);
    struct memo memo = {0};
    if (!s->program.n_spaces)
        sample_make(s, (enum sample_kind)kind);
    struct app at = app_start(&s->program, &memo, 100, 30, 0);
    if (state_take(&s->program, &memo, f.text, &at)) {
        struct grid g;
        grid_init(&g, at.cols, at.rows, false);
        screen_draw(&s->program, &memo, &at, &g);
        grid_free(&g);
    }
    if (size < 100)
        fuzz_mouse(f.text);
    memo_free(&memo);
    free((char *)f.text);
    return 0;
}
