/* A library for LD_PRELOAD that makes one call of the C library fail, to see what the program does then.
 *
 *   INJECT=KIND:N[:HOW]   the N-th call (from 1) of that kind; HOW is an errno's number, or for read:
 *                         "short" (one byte comes), "cut" (a regular file ends here)
 *   INJECT_COUNT=FILE     at its end the program writes how many calls there were: "KIND NUMBER" lines
 *
 * Kinds: alloc (malloc, calloc, realloc), read, write (not what stdio writes), open (open, fopen,
 * opendir), thread (pthread_create), mmap.  What the program starts runs without it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { ALLOC, READ, WRITE, OPEN, THREAD, MMAP, KINDS };
static const char *const words[KINDS] = {"alloc", "read", "write", "open", "thread", "mmap"};
enum { SHORT = -1, CUT = -2 };

static atomic_bool armed;
static atomic_ulong calls[KINDS];
static enum kind failing = KINDS;
static unsigned long wanted;
static int how = ENOMEM;

static bool hit(enum kind k)
{
    if (!atomic_load(&armed))
        return false;
    unsigned long n = atomic_fetch_add(&calls[k], 1) + 1;
    if (k != failing || n != wanted)
        return false;
    if (how > 0)
        errno = how;
    return true;
}

/* The function behind the one of that name; dlsym() itself may ask for memory before that is known. */
static _Thread_local bool looking;

#define BEHIND(name) BEHIND_OR(name, NULL)
#define BEHIND_OR(name, known)                              \
    static __typeof__(&name) real;                          \
    real = real ? real : known;                             \
    if (!real && !looking) {                                \
        looking = true;                                     \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);  \
        looking = false;                                    \
    }

/* ---- Memory ---- */

/* A sanitizer's own, which know what to do before it is ready, when dlsym() does not; NULL: there is none.
 * NOLINTBEGIN(*-reserved-identifier): the names are the sanitizer's */
void *__interceptor_malloc(size_t) __attribute__((weak));
void *__interceptor_calloc(size_t, size_t) __attribute__((weak));
void *__interceptor_realloc(void *, size_t) __attribute__((weak));
void __interceptor_free(void *) __attribute__((weak));
/* NOLINTEND(*-reserved-identifier) */

static char early[65536];
static size_t early_used;

static void *early_get(size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > sizeof early - early_used)
        _exit(99);
    early_used += bytes;
    return early + early_used - bytes;
}

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

void *malloc(size_t bytes)
{
    BEHIND_OR(malloc, __interceptor_malloc)
    if (!real)
        return early_get(bytes);
    return hit(ALLOC) ? NULL : real(bytes);
}

void *calloc(size_t n, size_t item)
{
    BEHIND_OR(calloc, __interceptor_calloc)
    if (!real)
        return early_get(n * item);
    return hit(ALLOC) ? NULL : real(n, item);
}

void *realloc(void *old, size_t bytes)
{
    BEHIND_OR(realloc, __interceptor_realloc)
    if (!real || is_early(old)) {
        void *new = malloc(bytes);
        size_t left = old ? (size_t)(early + sizeof early - (char *)old) : 0;
        return new && old ? memcpy(new, old, bytes < left ? bytes : left) : new;
    }
    return hit(ALLOC) ? NULL : real(old, bytes);
}

void free(void *p)
{
    BEHIND_OR(free, __interceptor_free)
    if (real && !is_early(p))
        real(p);
}

/* ---- Files ---- */

ssize_t read(int fd, void *to, size_t n)
{
    BEHIND(read)
    if (!hit(READ))
        return real(fd, to, n);
    struct stat st;
    if (how == CUT && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)))
        return real(fd, to, n); /* pipes end when they are closed */
    return how == CUT ? 0 : how == SHORT ? real(fd, to, n ? 1 : 0) : -1;
}

ssize_t write(int fd, const void *from, size_t n)
{
    BEHIND(write)
    if (!hit(WRITE))
        return real(fd, from, n);
    return how == SHORT ? real(fd, from, n ? 1 : 0) : -1;
}

int open(const char *path, int flags, ...)
{
    BEHIND(open)
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return hit(OPEN) ? -1 : real(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    BEHIND(fopen)
    return hit(OPEN) ? NULL : real(path, mode);
}

DIR *opendir(const char *path)
{
    BEHIND(opendir)
    return hit(OPEN) ? NULL : real(path);
}

/* ---- Others ---- */

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    BEHIND(pthread_create)
    return hit(THREAD) ? EAGAIN : real(t, attr, run, arg);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    BEHIND(mmap)
    return hit(MMAP) ? MAP_FAILED : real(at, n, prot, flags, fd, offset);
}

static const char *count_file;

static void count(void)
{
    atomic_store(&armed, false);
    FILE *out = fopen(count_file, "w");
    for (int k = 0; out && k < KINDS; k++)
        fprintf(out, "%s %lu\n", words[k], atomic_load(&calls[k]));
    if (out)
        fclose(out);
}

static void disarm(void)
{
    atomic_store(&armed, false);
}

__attribute__((constructor)) static void arm(void)
{
    char word[16] = "", mode[16] = "";
    const char *what = getenv("INJECT");
    count_file = getenv("INJECT_COUNT");
    int parts = what ? sscanf(what, "%15[a-z]:%lu:%15s", word, &wanted, mode) : 0;
    for (int k = 0; parts >= 2 && k < KINDS; k++)
        if (strcmp(words[k], word) == 0)
            failing = (enum kind)k;
    if (parts == 3)
        how = strcmp(mode, "short") == 0 ? SHORT : strcmp(mode, "cut") == 0 ? CUT : atoi(mode);
    if (count_file)
        atexit(count);
    atexit(disarm); /* before what follows the program's own end: a sanitizer's work */
    unsetenv("LD_PRELOAD");
    atomic_store(&armed, true);
}
