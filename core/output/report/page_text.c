#include "core/output/report/page_text.h"
#include "core/base/file.h"

#include <string.h>

#define LABEL 12 /* columns of "place before" */
#define BYTES 11 /* columns of "1023.99 MiB" */

struct layout {
    FILE *out;
    int width, column, indent;
    bool ascii;
};

static int columns_of(const char *text, size_t n)
{
    int columns = 0;
    for (size_t k = 0; k < n; k++)
        columns += ((unsigned char)text[k] & 0xC0) != 0x80;
    return columns;
}

static void put(struct layout *l, const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        bool first = ((unsigned char)text[k] & 0xC0) != 0x80;
        if (!first && l->ascii)
            continue;
        fputc(l->ascii && (unsigned char)text[k] >= 0x80 ? '?' : text[k], l->out);
        l->column += first;
    }
}

static void turn(struct layout *l)
{
    fprintf(l->out, "\n%*s", l->indent, "");
    l->column = l->indent;
}

/* One word; what is wider than a line is broken anywhere. */
static void put_word(struct layout *l, const char *word, size_t n, bool blank)
{
    int columns = columns_of(word, n);
    if (l->column + blank + columns > l->width && l->column > l->indent)
        turn(l);
    else if (blank)
        put(l, " ", 1);
    while (l->column + columns > l->width) {
        size_t cut = 0;
        for (int room = l->width - l->column; cut < n; cut++)
            if (((unsigned char)word[cut] & 0xC0) != 0x80 && room-- == 0)
                break;
        put(l, word, cut);
        turn(l);
        word += cut;
        n -= cut;
        columns = columns_of(word, n);
    }
    put(l, word, n);
}

static void put_words(struct layout *l, const char *text)
{
    char safe[2000];
    const char *at = text_safe(text, safe, sizeof safe);
    bool blank = l->column > l->indent;
    while (*at) {
        size_t n = strcspn(at, " ");
        if (n) {
            put_word(l, at, n, blank);
            blank = true;
        }
        at += n;
        at += *at == ' ';
    }
}

/* Bytes, unit under unit, the sign of a difference before them. */
static void put_bytes(struct layout *l, uint64_t bytes, const char *sign)
{
    char text[24], number[32];
    bytes_text(bytes, text);
    char *unit = strchr(text, ' ');
    *unit++ = '\0';
    snprintf(number, sizeof number, "%s%s", sign, text);
    l->column += fprintf(l->out, "%*s %-3s  ", BYTES - 4, number, unit);
}

static void put_figures(struct layout *l, const struct line *line)
{
    bool less = line->has_delta && line->bytes < line->minus;
    if (line->has_delta)
        put_bytes(l, less ? line->minus - line->bytes : line->bytes - line->minus,
                  less ? "-" : "+");
    else
        put_bytes(l, line->bytes, "");
    l->indent = l->column;
}

static void put_label(struct layout *l, const struct line *line)
{
    if (line->kind == LINE_TEXT) {
        l->column += fprintf(l->out, "%-*s  ", LABEL, line->label);
        l->indent = l->column;
    } else {
        put_words(l, line->label);
        put(l, ":", 1);
    }
}

/* What a difference is made of. */
static void put_operands(struct layout *l, const struct line *line)
{
    char here[24], there[24], text[64];
    snprintf(text, sizeof text, "%s - %s,", bytes_text(line->bytes, here),
             bytes_text(line->minus, there));
    put_words(l, text);
}

static int start_of(const struct line *line)
{
    if (line->kind == LINE_TEXT)
        return line->label ? 0 : BYTES + 4;
    if (line->kind == LINE_ITEM)
        return line->has_bytes ? 4 : BYTES + 4;
    return line->kind == LINE_PART ? 2 : 0;
}

static void put_line(struct layout *l, const struct line *line)
{
    l->column = fprintf(l->out, "%*s", start_of(line), "");
    l->indent = l->column;
    if (line->has_bytes)
        put_figures(l, line);
    if (line->label)
        put_label(l, line);
    if (line->has_delta)
        put_operands(l, line);
    put_words(l, line->words);
    if (line->source) {
        char source[200];
        snprintf(source, sizeof source, "(%s)", line->source);
        put_words(l, source);
    }
}

void page_text(const struct page *page, FILE *out, int width, bool ascii)
{
    struct layout l = {.out = out, .width = width < 40 ? 40 : width, .ascii = ascii};
    for (uint32_t k = 0; k < page->lines.n; k++) {
        const struct line *line = (const struct line *)page->lines.items + k;
        if (k && line->kind == LINE_TITLE)
            fputc('\n', out);
        put_line(&l, line);
        fputc('\n', out);
    }
}
