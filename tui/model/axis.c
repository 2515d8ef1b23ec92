#include "tui/model/axis.h"
#include "tui/model/text.h"

#include <math.h>
#include <stdio.h>

static int unit_of(double bytes)
{
    int u = 0;
    for (; bytes >= 1024 && u < BYTE_UNITS - 1; u++)
        bytes /= 1024;
    return u;
}

const char *axis_text(double bytes, double top, bool brief, char out[16])
{
    int u = unit_of(top * 1.0001);
    double n = bytes / pow(1024, u);
    int decimals = fabs(n - round(n)) < 1e-6 ? 0 : fabs(n * 10 - round(n * 10)) < 1e-6 ? 1 : 2;
    if (brief)
        snprintf(out, 16, "%.*f%c", decimals, n, byte_units[u][0]);
    else
        snprintf(out, 16, "%.*f %s", decimals, n, byte_units[u]);
    return out;
}

/* Figures that one likes to read on an axis. */
static const double round_figures[] = {
    0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1,   2,   3,   4,   5,   6,
    8,    10,   12,   15,  16,  20,   24,  25,  30,  32,  40,  48,  50,  60,  64,  80,  96,
    100,  120,  128,  150, 160, 200,  250, 256, 300, 320, 400, 500, 512, 600, 640, 800, 1000,
};

struct axis axis_of(uint64_t most, int rows)
{
    if (rows < 1)
        rows = 1;
    /* A sixteenth of a row too much is not seen: 24 GiB and a few bytes still fit 24 GiB. */
    double least = (double)most / (rows + 0.0625), unit = pow(1024, unit_of((double)most));
    struct axis best = {.unit = INFINITY, .every = 1};
    for (int every = (rows + 5) / 6; every <= (rows + 2) / 3; every++)
        for (size_t i = 0; i < sizeof round_figures / sizeof *round_figures; i++) {
            double per_row = round_figures[i] * unit / every;
            if (per_row < least || (unit <= 1 && round_figures[i] < 1))
                continue;
            if (per_row < best.unit * (1 - 1e-12))
                best = (struct axis){.unit = per_row, .every = every};
            break;
        }
    if (isinf(best.unit))
        best.unit = 1024 * unit;
    return best;
}
