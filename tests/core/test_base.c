/* Memory, maps, messages, safe words, sizes in words, files. */
#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/base/strmap.h"
#include "tests/support/tables.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Arena and list ---- */

static bool all_zero(const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

static void arena_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena a = {0};
    static const size_t sizes[] = {1, 3, 16, 100, 5000, 20000, 0, 300000, 7, 9000000, 40};
    bool zero = true, aligned = true;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            unsigned char *at = arena_get(&a, sizes[i]);
            aligned &= (uintptr_t)at % alignof(max_align_t) == 0;
            zero &= all_zero(at, sizes[i]);
            memset(at, 0xA5, sizes[i]);
        }
        arena_reset(&a);
    }
    arena_free(&a);
    assert_true(aligned);
    assert_true(zero);
    assert_null(a.head);
}

static void arena_blocks_do_not_overlap(void **state)
{
    (void)state;
    enum { N = 3000 };
    struct arena a = {0};
    unsigned char *at[N];
    bool intact = true;
    for (unsigned i = 0; i < N; i++)
        memset(at[i] = arena_get(&a, 1 + i % 97), (int)(i % 251), 1 + i % 97);
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < 1 + i % 97; k++)
            intact &= at[i][k] == i % 251;
    arena_free(&a);
    assert_true(intact);
}

static void arena_reset_keeps_the_largest_block(void **state)
{
    (void)state;
    enum { LARGE = 20 << 20 };
    struct arena a = {0};
    arena_reset(&a); /* of an empty one: nothing */
    void *large = arena_get(&a, LARGE);
    arena_get(&a, 1 << 20);
    arena_reset(&a);
    void *again = arena_get(&a, LARGE);
    arena_free(&a);
    assert_ptr_equal(again, large);
}

static void arena_texts(void **state)
{
    (void)state;
    struct arena a = {0};
    char *cut = arena_text(&a, "abcdef", 3), *none = arena_text(&a, "x", 0);
    char *number = arena_printf(&a, "%s{%d}", "while", 3);
    char *long_one = arena_printf(&a, "%40000d", 7);
    size_t len = strlen(long_one);
    bool right = strcmp(cut, "abc") == 0 && !*none && strcmp(number, "while{3}") == 0 &&
                 long_one[len - 1] == '7';
    arena_free(&a);
    assert_true(right);
    assert_int_equal(len, 40000);
}

/* What the machine cannot give ends the program with a message and status 2. */
static void out_of_memory(void **state)
{
    (void)state;
    static const struct {
        size_t n, item;
    } asked[] = {{SIZE_MAX / 2, 3}, {SIZE_MAX, 1}, {SIZE_MAX - 40, 1},
                 {SIZE_MAX >> 20, SIZE_MAX >> 20}};
    for (size_t i = 0; i < COUNT(asked); i++) {
        int ends[2], status = 0;
        char said[64] = "";
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct arena a = {0};
            dup2(ends[1], STDERR_FILENO);
            arena_array(&a, asked[i].n, asked[i].item);
            _exit(0);
        }
        close(ends[1]);
        ssize_t n = read(ends[0], said, sizeof said - 1);
        close(ends[0]);
        waitpid(child, &status, 0);
        assert_true(n > 0);
        assert_string_equal(said, "tidemark: out of memory\n");
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 2);
    }
}

static void list_grows(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct arena a = {0};
    struct list l = {0};
    bool zero = true, kept = true;
    for (uint32_t i = 0; i < N; i++) {
        uint64_t *x = list_add(&a, &l, sizeof *x);
        zero &= *x == 0;
        *x = i + 1;
    }
    for (uint32_t i = 0; i < N; i++)
        kept &= ((const uint64_t *)l.items)[i] == i + 1;
    arena_free(&a);
    assert_true(zero);
    assert_true(kept);
    assert_int_equal(l.n, N);
}

/* ---- Maps ---- */

static void strmap_grows(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct arena a = {0};
    struct strmap m = {0};
    char key[32];
    bool fresh = true, repeated = false, found = true, lacking = true;
    assert_int_equal(strmap_find(&m, "x", 1), STRMAP_NONE); /* empty */
    for (uint32_t i = 0; i < N; i++)
        fresh &= strmap_put(&a, &m, key, (size_t)snprintf(key, sizeof key, "fusion.%u", i), i);
    for (uint32_t i = 0; i < N; i++) {
        size_t len = (size_t)snprintf(key, sizeof key, "fusion.%u", i);
        repeated |= strmap_put(&a, &m, key, len, i + 1);
        found &= strmap_find(&m, key, len) == i;
        len = (size_t)snprintf(key, sizeof key, "fusion.%u", N + i);
        lacking &= strmap_find(&m, key, len) == STRMAP_NONE;
    }
    arena_free(&a);
    assert_true(fresh);
    assert_false(repeated);
    assert_true(found); /* the first number stays */
    assert_true(lacking);
    assert_int_equal(m.n, N);
}

static void strmap_keys_are_bytes(void **state)
{
    (void)state;
    struct arena a = {0};
    struct strmap m = {0};
    bool put = strmap_put(&a, &m, "a\0b", 3, 1) && strmap_put(&a, &m, "a\0c", 3, 2) &&
               strmap_put(&a, &m, "a", 1, 3) && strmap_put(&a, &m, "", 0, 4);
    uint32_t got[] = {strmap_find(&m, "a\0b", 3), strmap_find(&m, "a\0c", 3),
                      strmap_find(&m, "abc", 1), strmap_find(&m, "x", 0)};
    arena_free(&a);
    assert_true(put);
    assert_memory_equal(got, ((uint32_t[]){1, 2, 3, 4}), sizeof got);
}

static void interned_texts_are_one_pointer(void **state)
{
    (void)state;
    struct arena a = {0};
    struct strmap m = {0};
    char key[32], copy[32] = "add";
    const char *add = strmap_intern(&a, &m, copy, 3);
    bool same = add != copy;
    for (unsigned i = 0; i < 1000; i++) /* grows in between */
        strmap_intern(&a, &m, key, (size_t)snprintf(key, sizeof key, "op%u", i));
    same &= strmap_intern(&a, &m, "add-dependency", 3) == add;
    bool others = strmap_intern(&a, &m, "ad", 2) != add;
    bool text = strcmp(add, "add") == 0;
    arena_free(&a);
    assert_true(same && others && text);
}

static void idmap_grows(void **state)
{
    (void)state;
    enum { COMPS = 50, INSTS = 200 };
    struct arena a = {0};
    struct idmap m = {0};
    bool fresh = true, found = true;
    assert_int_equal(idmap_find(&m, 0), STRMAP_NONE);
    for (uint32_t c = 0; c < COMPS; c++) /* XLA's ids: computation << 32 | number */
        for (uint32_t i = 0; i < INSTS; i++)
            fresh &= idmap_put(&a, &m, (int64_t)c << 32 | i, c * INSTS + i);
    for (uint32_t c = 0; c < COMPS; c++)
        for (uint32_t i = 0; i < INSTS; i++)
            found &= idmap_find(&m, (int64_t)c << 32 | i) == c * INSTS + i;
    bool ends = idmap_put(&a, &m, INT64_MIN, 7) && idmap_put(&a, &m, INT64_MAX, 8) &&
                idmap_put(&a, &m, -1, 9) && !idmap_put(&a, &m, -1, 10);
    uint32_t got[] = {idmap_find(&m, INT64_MIN), idmap_find(&m, INT64_MAX), idmap_find(&m, -1),
                      idmap_find(&m, -2), idmap_find(&m, 0)};
    arena_free(&a);
    assert_true(fresh && found && ends);
    assert_memory_equal(got, ((uint32_t[]){7, 8, 9, STRMAP_NONE, 0}), sizeof got);
}

/* ---- Messages ---- */

static void diag_forms(void **state)
{
    (void)state;
    struct diag d;
    char out[2048];
    assert_false(diag_at(&d, "a.txt", 4, 7, "%s ends at %d", "x", 3));
    assert_string_equal(diag_text(&d, out, sizeof out), "tidemark: a.txt:4:7: x ends at 3");
    assert_false(diag_hint(&d, "dump it %s", "again"));
    assert_string_equal(diag_text(&d, out, sizeof out),
                        "tidemark: a.txt:4:7: x ends at 3 (dump it again)");
    assert_false(diag_at(&d, "a.txt", 4, 0, "odd")); /* a new place forgets the old hint */
    assert_string_equal(diag_text(&d, out, sizeof out), "tidemark: a.txt:4: odd");
    assert_false(diag_byte(&d, "a.pb", 0, "cut"));
    assert_string_equal(diag_text(&d, out, sizeof out), "tidemark: a.pb:@0: cut");
    assert_false(diag_byte(&d, "a.pb", UINT64_MAX, "cut"));
    assert_string_equal(diag_text(&d, out, sizeof out),
                        "tidemark: a.pb:@18446744073709551615: cut");
    assert_false(diag_file(&d, "a.pb", "is empty"));
    assert_string_equal(diag_text(&d, out, sizeof out), "tidemark: a.pb: is empty");
    assert_false(diag_file(&d, NULL, "unknown option --x"));
    diag_hint(&d, "see --help");
    assert_string_equal(diag_text(&d, out, sizeof out),
                        "tidemark: unknown option --x (see --help)");
    assert_string_equal(diag_text(&d, out, 12), "tidemark: u");
}

static void diag_never_steers_a_terminal(void **state)
{
    (void)state;
    struct diag d;
    char out[8192], huge[5000];
    diag_at(&d, "a\033[2J.txt", 1, 1, "name \"%s\"", "\r\n\x7F");
    diag_hint(&d, "try \a");
    assert_string_equal(diag_text(&d, out, sizeof out),
                        "tidemark: a\\x1B[2J.txt:1:1: name \"\\x0D\\x0A\\x7F\" (try \\x07)");
    memset(huge, '\033', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    diag_file(&d, huge, "%s", huge);
    diag_hint(&d, "%s", huge);
    diag_text(&d, out, sizeof out);
    assert_null(strchr(out, '\033'));
    assert_int_equal(strlen(d.file), sizeof d.file - 1);
}

/* ---- Safe text ---- */

struct safe_case {
    const char *name, *text;
    size_t size;
    const char *want;
};

static const struct safe_case safes[] = {
    {"plain text stays", "while.16{3}", 64, "while.16{3}"},
    {"empty text", "", 64, ""},
    {"an escape sequence", "\033[31mred", 64, "\\x1B[31mred"},
    {"line ends and tabs", "a\nb\tc\r", 64, "a\\x0Ab\\x09c\\x0D"},
    {"delete", "a\x7F" "b", 64, "a\\x7F" "b"},
    {"valid UTF-8 of two, three and four bytes", "\xC3\xA9\xE2\x80\xA6\xF0\x9F\x8C\x8A", 64,
     "\xC3\xA9\xE2\x80\xA6\xF0\x9F\x8C\x8A"},
    {"the last character before surrogates", "\xED\x9F\xBF", 64, "\xED\x9F\xBF"},
    {"C1 controls are shown", "\xC2\x9B" "31m", 64, "\\xC2\\x9B" "31m"},
    {"the first character behind C1", "\xC2\xA0", 64, "\xC2\xA0"},
    {"the soft hyphen is shown", "a\xC2\xAD" "b", 64, "a\\xC2\\xAD" "b"},
    {"marks of direction are shown", "\xD8\x9C\xE2\x80\x8F\xE2\x80\xAE\xE2\x81\xA9", 64,
     "\\xD8\\x9C\\xE2\\x80\\x8F\\xE2\\x80\\xAE\\xE2\\x81\\xA9"},
    {"what has no width is shown", "\xE1\xA0\x8E\xE2\x80\x8B\xEF\xB8\x8F\xEF\xBB\xBF", 64,
     "\\xE1\\xA0\\x8E\\xE2\\x80\\x8B\\xEF\\xB8\\x8F\\xEF\\xBB\\xBF"},
    {"tags and notes between lines are shown", "\xF3\xA0\x81\x81\xF3\xA0\x87\xAF\xEF\xBF\xB9", 64,
     "\\xF3\\xA0\\x81\\x81\\xF3\\xA0\\x87\\xAF\\xEF\\xBF\\xB9"},
    {"their neighbours stay", "\xC2\xAE\xD8\x9B\xE2\x81\xB0\xEF\xBF\xBD\xF3\xA1\x80\x80", 64,
     "\xC2\xAE\xD8\x9B\xE2\x81\xB0\xEF\xBF\xBD\xF3\xA1\x80\x80"},
    {"a lone continuation byte", "a\x80" "b", 64, "a\\x80" "b"},
    {"a lone first byte", "\xC3(", 64, "\\xC3("},
    {"a first byte at the end", "a\xF0\x9F\x8C", 64, "a\\xF0\\x9F\\x8C"},
    {"overlong forms", "\xC0\xAF\xE0\x80\xAF\xF0\x80\x80\xAF", 64,
     "\\xC0\\xAF\\xE0\\x80\\xAF\\xF0\\x80\\x80\\xAF"},
    {"surrogates", "\xED\xA0\x80", 64, "\\xED\\xA0\\x80"},
    {"beyond the last character", "\xF4\x90\x80\x80\xFF", 64, "\\xF4\\x90\\x80\\x80\\xFF"},
    {"cut at the size", "abcdef", 4, "abc"},
    {"just fits", "abc", 4, "abc"},
    {"not cut inside a character", "ab\xE2\x80\xA6", 5, "ab"},
    {"not cut inside an escape", "ab\033", 6, "ab"},
    {"room for the terminator only", "abc", 1, ""},
};

static void safe(void **state)
{
    const struct safe_case *c = *state;
    char out[80];
    memset(out, '#', sizeof out);
    assert_ptr_equal(text_safe(c->text, out, c->size), out);
    assert_string_equal(out, c->want);
    assert_true(out[c->size] == '#');
    size_t same = 0; /* of what was not cut */
    while (c->text[same] && c->text[same] == c->want[same] && c->size == 64)
        same++;
    assert_int_equal(text_safe_len(c->text, c->size == 64 ? strlen(c->text) : 0), same);
}

static void safe_without_room(void **state)
{
    (void)state;
    char out = '#';
    text_safe("abc", &out, 0);
    assert_true(out == '#');
}

/* ---- Sizes in words ---- */

struct words_case {
    uint64_t bytes;
    const char *words;
};

static const struct words_case words[] = {
    {0, "0 B"},
    {1, "1 B"},
    {1023, "1023 B"},
    {1024, "1.00 KiB"},
    {1536, "1.50 KiB"},
    {1048575, "1.00 MiB"}, /* never 1024.00 KiB */
    {1048064, "1023.50 KiB"},
    {1048576, "1.00 MiB"},
    {1073741823, "1.00 GiB"},
    {1073741824, "1.00 GiB"},
    {4299161, "4.10 MiB"},
    {17179869184, "16.00 GiB"},
    {85100068864, "79.26 GiB"},
    {UINT64_MAX, "17179869184.00 GiB"},
};

static void size_in_words(void **state)
{
    const struct words_case *c = *state;
    char out[24];
    assert_ptr_equal(bytes_text(c->bytes, out), out);
    assert_string_equal(out, c->words);
}

struct parse_case {
    const char *text;
    bool ok;
    uint64_t bytes;
};

static const struct parse_case parses[] = {
    {"0", true, 0},
    {"1", true, 1},
    {"85100068864", true, 85100068864},
    {"80G", true, 85899345920},
    {"80g", true, 85899345920},
    {"80GB", true, 85899345920},
    {"80Gi", true, 85899345920},
    {"80GiB", true, 85899345920},
    {"81251 MiB", true, 85197848576},
    {"1.5GiB", true, 1610612736},
    {"0.5K", true, 512},
    {"2T", true, 2199023255552},
    {"7B", true, 7},
    {"007", true, 7},
    {"18446744073709551615", true, UINT64_MAX},
    {"17179869183G", true, 18446744072635809792u},
    {"9007199254740993", true, 9007199254740993}, /* beyond a double's 2^53 */
    {"18446744073709551616", false, 0},
    {"17179869184G", false, 0},
    {"17179869184.5G", false, 0},
    {"99999999999999999999999999999G", false, 0},
    {"", false, 0},
    {" ", false, 0},
    {"-1", false, 0},
    {"+1", false, 0},
    {" 1", false, 0},
    {"1 ", true, 1},
    {".5G", false, 0},
    {"12X", false, 0},
    {"12KX", false, 0},
    {"12iB", false, 0},
    {"12GiBs", false, 0},
    {"G", false, 0},
    {"80G 1", false, 0},
    {"1,5G", false, 0},
    {"1.2.3G", false, 0},
    {"0x10", false, 0},
    {"1e3", false, 0},
    {"1e400", false, 0},
    {"inf", false, 0},
    {"nan", false, 0},
};

static void size_parsed(void **state)
{
    const struct parse_case *c = *state;
    uint64_t bytes = 0;
    bool ok = bytes_parse(c->text, &bytes);
    assert_int_equal(ok, c->ok);
    if (c->ok)
        assert_true(bytes == c->bytes);
}

/* ---- Files ---- */

struct file_case {
    const char *name, *path, *want; /* want NULL: it is read */
};

static const struct file_case unreadable[] = {
    {"a file that is not there", "tests/none.txt",
     "tidemark: tests/none.txt: cannot open: No such file or directory"},
    {"a path through a file", "Makefile/x",
     "tidemark: Makefile/x: cannot open: Not a directory"},
    {"an empty name", "", "tidemark: cannot open: No such file or directory"},
    {"a directory", "tests", "tidemark: tests: is a directory, not a file"},
    {"a device", "/dev/zero", "tidemark: /dev/zero: is not a regular file"},
};

static void file_refused(void **state)
{
    const struct file_case *c = *state;
    struct arena a = {0};
    struct file f;
    struct diag d = {0};
    char out[1024];
    bool ok = file_read(&a, &f, c->path, &d);
    arena_free(&a);
    assert_false(ok);
    assert_string_equal(diag_text(&d, out, sizeof out), c->want);
}

static void written(char path[], size_t size)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    assert_non_null(out);
    for (size_t i = 0; i < size; i++)
        fputc((int)(i % 256), out);
    assert_int_equal(fclose(out), 0);
}

/* A file need not be where its bytes are: one that says it has more than any memory is refused by name. */
static void a_file_beyond_memory_is_refused(void **state)
{
    char path[] = "/tmp/tidemark-vast-XXXXXX", line[1400] = "";
    int fd = mkstemp(path);
    struct arena a = {0};
    struct file f;
    struct diag d;
    (void)state;
    assert_true(fd >= 0);
    bool vast = ftruncate(fd, (off_t)8 << 40) == 0, read = vast && file_read(&a, &f, path, &d);
    close(fd);
    unlink(path);
    if (vast) /* there are file systems without such files */
        diag_text(&d, line, sizeof line);
    arena_free(&a);
    assert_false(read);
    assert_true(!vast || (strstr(line, path) && strstr(line, "8192.00 GiB, and this machine's memory")));
}

static void file_whole(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 255, 65535, 65536, 300000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char path[] = "/tmp/tidemark-test-XXXXXX";
        struct arena a = {0};
        struct file f;
        struct diag d;
        written(path, sizes[i]);
        bool ok = file_read(&a, &f, path, &d), same = ok;
        for (size_t k = 0; same && k < f.size; k++)
            same = (unsigned char)f.text[k] == k % 256;
        bool ended = ok && f.text[f.size] == '\0', named = ok && strcmp(f.name, path) == 0;
        size_t size = ok ? f.size : 0;
        arena_free(&a);
        unlink(path);
        assert_true(ok && same && ended && named);
        assert_int_equal(size, sizes[i]);
    }
}

/* ---- Removing a tree ---- */

static void rest_is_removed(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* nothing is closed to root */
    char root[] = "/tmp/tidemark-test-XXXXXX", path[80];
    assert_non_null(mkdtemp(root));
    static const char *const parts[] = {"a", "m", "m/kept", "z", "z/file"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        snprintf(path, sizeof path, "%s/%s", root, parts[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/m", root);
    assert_int_equal(chmod(path, 0500), 0);
    file_remove_tree(root);
    bool gone = true;
    for (size_t i = 0; i < COUNT(parts); i++) {
        snprintf(path, sizeof path, "%s/%s", root, parts[i]);
        gone = gone && (access(path, F_OK) == 0) == (*parts[i] == 'm');
    }
    snprintf(path, sizeof path, "%s/m", root);
    chmod(path, 0700);
    file_remove_tree(root);
    assert_true(gone);
    assert_int_equal(access(root, F_OK), -1);
}

static const struct CMUnitTest others[] = {
    {.name = "what cannot be removed keeps nothing else of a tree", .test_func = rest_is_removed},
    {.name = "arena memory is zeroed and aligned, also when reused",
     .test_func = arena_is_zeroed_and_aligned},
    {.name = "arena pieces do not overlap", .test_func = arena_blocks_do_not_overlap},
    {.name = "a reset arena keeps its largest block",
     .test_func = arena_reset_keeps_the_largest_block},
    {.name = "texts in an arena", .test_func = arena_texts},
    {.name = "sizes that overflow end the program", .test_func = out_of_memory},
    {.name = "a list grows and new items are zero", .test_func = list_grows},
    {.name = "strmap grows, and the first number of a key stays", .test_func = strmap_grows},
    {.name = "strmap keys are bytes with a length", .test_func = strmap_keys_are_bytes},
    {.name = "interned texts are one pointer", .test_func = interned_texts_are_one_pointer},
    {.name = "idmap grows, with 64-bit keys", .test_func = idmap_grows},
    {.name = "a message's place in all its forms", .test_func = diag_forms},
    {.name = "a message never steers a terminal", .test_func = diag_never_steers_a_terminal},
    {.name = "safe text without room writes nothing", .test_func = safe_without_room},
    {.name = "a file is read whole", .test_func = file_whole},
    {.name = "one beyond memory is refused", .test_func = a_file_beyond_memory_is_refused},
};

int main(void)
{
    struct CMUnitTest tests[COUNT(safes) + COUNT(words) + COUNT(parses) + COUNT(unreadable) +
                        COUNT(others)] = {{0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT(others); i++)
        tests[n++] = others[i];
    ADD_TABLE(safes, safe, name);
    ADD_TABLE(words, size_in_words, words);
    for (size_t i = 0; i < COUNT(parses); i++)
        tests[n++] = (struct CMUnitTest){.name = *parses[i].text ? parses[i].text : "(empty size)",
                                     .test_func = size_parsed,
                                     .initial_state = (void *)&parses[i]};
    ADD_TABLE(unreadable, file_refused, name);
    return _cmocka_run_group_tests("base", tests, n, NULL, NULL);
}
