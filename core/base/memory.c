#include "core/base/memory.h"

#include <stdint.h>

static void (*before_end)(void);

void memory_before_end(void (*prepare)(void))
{
    before_end = prepare;
}

void memory_exhausted(void)
{
    if (before_end)
        before_end();
    fputs("tidemark: out of memory\n", stderr);
    exit(2);
}

static void *there(void *memory)
{
    if (!memory)
        memory_exhausted();
    return memory;
}

/* Nothing is asked for as a byte: malloc(0) may be NULL. */
static size_t some(size_t n, size_t item)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, item, &bytes))
        memory_exhausted();
    return bytes ? bytes : 1;
}

void *memory_get(size_t bytes)
{
    return there(malloc(some(bytes, 1)));
}

void *memory_array(size_t n, size_t item)
{
    return there(malloc(some(n, item)));
}

void *memory_zeroed(size_t n, size_t item)
{
    return there(calloc(1, some(n, item)));
}

void *memory_grow(void *old, size_t n, size_t item)
{
    return there(realloc(old, some(n, item)));
}

FILE *memory_stream(char **text, size_t *size)
{
    return there(open_memstream(text, size));
}

/* What fails there does so for want of memory; glibc's fclose() then leaves *text NULL and says nothing. */
void memory_stream_end(FILE *stream, char *const *text)
{
    int bad = ferror(stream);
    if (fclose(stream) != 0 || bad || !*text)
        memory_exhausted();
}
