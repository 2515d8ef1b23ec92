/* What lies in folders: the shipped index and remedies, and the names of a dump's files.  The first byte
 * chooses; of names there is one a line. */
#include "core/base/file.h"
#include "core/load/dump/dump.h"
#include "core/load/example/shipped.h"
#include "core/load/example/variants.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NAMES_MOST 12

static char folder[] = "/tmp/tidemark-fuzz-XXXXXX";

static void remove_folder(void)
{
    file_remove_tree(folder);
}

static const char *in_folder(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%.255s", folder, name);
    return path;
}

static void put(const char *name, const char *text, size_t size)
{
    int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0 && write(fd, text, size) >= 0)
        close(fd);
}

static void fuzz_cells(const char *text, size_t size)
{
    struct arena a = {0};
    struct variants vs;
    struct variant v;
    struct diag d;
    const char *path;
    bool cached;
    char name[128];
    put("index.json", text, size);
    shipped_default(&a, &path, &d);
    if (variants_read(&vs, &d)) {
        const struct variant_cell *c = vs.cells.items;
        if (variants_which(&vs, c->dir, &v)) {
            variants_find(&vs, v, &cached);
            variants_target(&vs, v, 1);
        }
        variant_name(&c->v, name);
        variants_free(&vs);
    }
    arena_free(&a);
}

static void fuzz_names(char *text)
{
    char dir[sizeof folder + 10], *names[NAMES_MOST];
    int n = 0;
    struct dump found;
    struct diag d;
    snprintf(dir, sizeof dir, "%s/names", folder);
    if (file_make_folders(dir)) {
        for (char *at = text; *at && n < NAMES_MOST; n++) {
            char *end = at + strcspn(at, "\n/");
            names[n] = at;
            at = *end ? end + 1 : end;
            *end = '\0';
            char path[300];
            snprintf(path, sizeof path, "names/%.200s", names[n]);
            put(path, "HloModule m\n", 12);
        }
        if (dump_find(&found, dir, &d))
            dump_free(&found);
        file_remove_tree(dir);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    if (!ready) {
        ready = mkdtemp(folder) && setenv("TIDEMARK_DATA", folder, 1) == 0 &&
                setenv("XDG_CACHE_HOME", folder, 1) == 0 && atexit(remove_folder) == 0;
        if (!ready)
            abort();
    }
    if (!size)
        return 0;
    struct file f = fuzz_file(data + 1, size - 1);
    if (data[0] & 1)
        fuzz_names((char *)f.text);
    else
        fuzz_cells(f.text, f.size);
    free((char *)f.text);
    return 0;
}
