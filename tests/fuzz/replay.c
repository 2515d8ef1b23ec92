/* Runs files through a fuzz target without libFuzzer: replay FILE-OR-FOLDER… */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

static unsigned ran;

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        exit(2);
    }
    if (S_ISDIR(st.st_mode)) {
        DIR *dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            char inner[4096];
            if (e->d_name[0] != '.' &&
                (size_t)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) < sizeof inner)
                replay(inner);
        }
        closedir(dir);
        return;
    }
    struct arena a = {0};
    struct file f;
    struct diag d;
    if (!file_read_raw(&a, &f, path, &d))
        exit(2);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that broke */
    LLVMFuzzerTestOneInput((const uint8_t *)f.text, f.size);
    arena_free(&a);
    ran++;
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        replay(argv[k]);
    printf("%u files\n", ran);
    return ran ? 0 : 2;
}
