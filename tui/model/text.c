#include "tui/model/text.h"
#include "tui/terminal/grid.h"

#include <stdio.h>
#include <string.h>

const char *const byte_units[BYTE_UNITS] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/* 17179869184 -> "17,179,869,184 B" */
static const char *grouped(uint64_t n, char out[AMOUNT])
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    memcpy(out + at, " B", 3);
    return out;
}

const char *amount(const struct app *s, uint64_t bytes, char out[AMOUNT])
{
    return s->bytes ? grouped(bytes, out) : bytes_text(bytes, out);
}

const char *life_text(const struct program *p, buf_id b, int digits, char *out, size_t size)
{
    if (p->end[b] >= p->steps)
        snprintf(out, size, "%*u→end", digits, (unsigned)p->start[b]);
    else
        snprintf(out, size, "%*u→%u", digits, (unsigned)p->start[b], (unsigned)p->end[b]);
    return out;
}

const char *source_text(const char *file, uint32_t line, char *out, size_t size)
{
    if (!file)
        out[0] = '\0';
    else if (line)
        snprintf(out, size, "%s:%u", file_base(file), (unsigned)line);
    else
        snprintf(out, size, "%s", file_base(file));
    return out;
}

const char *pass_text(const struct loop *l)
{
    return l->pass == PASS_FORWARD ? " forward" : l->pass == PASS_BACKWARD ? " backward" : "";
}

const char *iteration_text(const struct loop *l, int64_t iteration, char out[48])
{
    out[0] = '\0';
    if (l->trip_count > 0)
        snprintf(out, 48, "%lld/%lld", (long long)iteration + 1, (long long)l->trip_count);
    else if (l->trip_count == 0)
        snprintf(out, 48, "×0");
    return out;
}

/* One loop of it: name, pass and iteration; brief 2: the pass for the name; 3: without the pass; 4: the
 * iteration alone. */
static void loop_text(const struct loop *l, int64_t iteration, int brief, char *out, size_t size)
{
    char times[48];
    const char *pass = brief >= 3 ? "" : pass_text(l);
    iteration_text(l, iteration, times);
    bool named = brief < 2 || brief == 3 || (brief == 2 && !pass[0]) || !times[0];
    snprintf(out, size, "%s%s%s%s", named ? l->name : "", named || !pass[0] ? pass : pass + 1,
             times[0] && (named || pass[0]) ? " " : "", times);
}

const char *loops_text(const struct program *p, const struct moment *m, int brief, char *out, size_t size)
{
    static const int words[] = {0, 0, 0, 2, 3, 4}; /* what loop_text() makes of each brief */
    bool all = brief < 2;
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t k = all || !m->n ? 0 : m->n - 1; k < m->n && n + 1 < size; k++) {
        char text[200];
        int less = brief == 1 && m->n > 1 ? (k ? 4 : 2) : words[brief];
        loop_text(&p->loops.items[m->loop[k]], m->iteration[k], less, text, sizeof text);
        int wrote = snprintf(out + n, size - n, "%s%s", n ? ", " : "", text);
        n += wrote > 0 ? (size_t)wrote : 0;
    }
    return out;
}

/* Is this blank between a number and its unit, as in "16.00 GiB"?  No line ends there. */
static bool is_glue(const char *text, const char *at)
{
    if (*at != ' ' || at == text || at[-1] < '0' || at[-1] > '9')
        return false;
    for (size_t k = 0; k < BYTE_UNITS; k++) {
        size_t len = strlen(byte_units[k]);
        if (strncmp(at + 1, byte_units[k], len) == 0 && (!at[len + 1] || strchr(" ,.;:)", at[len + 1])))
            return true;
    }
    return false;
}

bool wrap_line(const char *text, int width, int line, char *out, size_t size)
{
    if (width < 1)
        width = 1;
    for (int i = 0; *text; i++) {
        const char *at = text, *end = NULL;
        for (int col = 0; *at && col < width; col++) {
            if (*at == ' ' && at > text && !is_glue(text, at))
                end = at;
            text_next(&at);
        }
        if (!*at || (*at == ' ' && !is_glue(text, at)) || !end)
            end = at; /* all that is left, or one long word */
        size_t len = (size_t)(end - text);
        if (i == line) {
            if (len >= size)
                len = size - 1;
            memcpy(out, text, len);
            out[len] = '\0';
            return true;
        }
        for (text = end; *text == ' ';)
            text++;
    }
    return false;
}

const char *filled_text(const struct app *s, uint64_t filled, uint64_t reserved, char out[48])
{
    char bytes[AMOUNT], whole[AMOUNT];
    amount(s, filled, bytes);
    amount(s, reserved, whole);
    const char *unit = strchr(bytes, ' '), *same = strchr(whole, ' ');
    bool cut = unit && same && strcmp(unit, same) == 0;
    snprintf(out, 48, "%.*s filled", cut ? (int)(unit - bytes) : AMOUNT, bytes);
    return out;
}
