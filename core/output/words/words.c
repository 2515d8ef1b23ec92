#include "core/output/words/words.h"
#include "core/base/file.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *words_cut(const char *text, int columns, bool ascii, char *out, size_t size)
{
    char safe[1024];
    text_safe(text, safe, sizeof safe);
    int n = 0;
    size_t i = 0, keep = 0;
    while (safe[i] && n < columns) {
        if (n == columns - 1)
            keep = i;
        do
            i++;
        while (((unsigned char)safe[i] & 0xC0) == 0x80);
        n++;
    }
    if (safe[i])
        snprintf(out, size, "%.*s%s", (int)keep, safe, ascii ? "~" : "…");
    else
        snprintf(out, size, "%s", safe);
    return out;
}

int words_columns(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

const char *words_aligned(uint64_t bytes, char out[32])
{
    char text[24];
    bytes_text(bytes, text);
    char *unit = strchr(text, ' ');
    *unit++ = '\0';
    snprintf(out, 32, "%7s %-3s", text, unit);
    return out;
}

const char *words_share(uint64_t part, uint64_t whole, char out[8])
{
    double percent = whole ? 100.0 * (double)part / (double)whole : 0.0;
    if (part && percent < 1.0)
        snprintf(out, 8, "<1%%");
    else
        snprintf(out, 8, "%.0f%%", percent);
    return out;
}

void words_put(FILE *out, const char *text, int column, int indent)
{
    char safe[2048];
    bool first = true;
    text_safe(text, safe, sizeof safe);
    for (char *word = strtok(safe, " "); word; word = strtok(NULL, " ")) {
        int n = words_columns(word);
        if (!first && column + 1 + n > WORDS_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        fprintf(out, "%s%s", first ? "" : " ", word);
        column += n + !first;
        first = false;
    }
    fputc('\n', out);
}

void words_page(void (*write)(const void *what, FILE *out), const void *what, bool ascii, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *page = ascii ? memory_stream(&text, &size) : NULL;
    if (!page) {
        write(what, out);
        return;
    }
    write(what, page);
    memory_stream_end(page, &text);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x80)
            fputc(*c, out);
        else if (((unsigned char)*c & 0xC0) != 0x80)
            fputc('?', out);
    free(text);
}
