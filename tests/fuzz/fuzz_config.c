/* What a person writes: the configuration with its keys, what --keys plays, and the command line. */
#include "tests/fuzz/fuzz.h"
#include "tui/cli/options.h"
#include "tui/explorer/config.h"

#include <stdlib.h>

static void drop(const struct diag *d)
{
    char line[2048];
    diag_text(d, line, sizeof line);
}

static void fuzz_keys(const char *text)
{
    struct msg m = {.kind = MSG_KEY};
    struct diag d;
    const char *at = text, *end = text + strlen(text);
    while (m.kind != MSG_NONE && keys_next(text, &at, &m, &d))
        if (at > end)
            abort();
}

/* Words end with a line. */
static void fuzz_words(char *text)
{
    char *argv[20] = {text};
    struct options o;
    struct diag d;
    int n = 1;
    argv[0] = (char[]){"tidemark"};
    for (char *at = text; *at && n < 19; n++) {
        char *end = at + strcspn(at, "\n");
        argv[n] = at;
        at = *end ? end + 1 : end;
        *end = '\0';
    }
    options_parse(&o, n, argv, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct config c;
    char key[64];
    config_default(&c, THEME_DARK);
    config_read(&c, "fuzz", f.text, drop);
    for (size_t k = 0; k < n_bindings; k++)
        keymap_shown(&c.keys, &bindings[k], key);
    fuzz_keys(f.text);
    fuzz_words((char *)f.text);
    free((char *)f.text);
    return 0;
}
