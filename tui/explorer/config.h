/* What a person wants of the explorer: $XDG_CONFIG_HOME/tidemark/config, else
 * ~/.config/tidemark/config.
 *
 * A line is NAME = VALUE; those that begin with '#' and blank ones are nothing.  `theme`, `order`,
 * `units`, `color.STYLE` and `key.COMMAND`; config_print() writes them all with what holds unless
 * the file says otherwise.  A line that is not understood is one warning with FILE:LINE, and all
 * others hold.  No file is no warning. */
#ifndef TUI_EXPLORER_CONFIG_H
#define TUI_EXPLORER_CONFIG_H

#include "core/base/diag.h"
#include "tui/model/alive.h"
#include "tui/terminal/keymap.h"
#include "tui/terminal/looks.h"
#include <stdio.h>

struct config {
    enum theme theme;
    struct looks looks; /* the theme's, and what the file changes */
    struct keymap keys;
    enum sort sort;
    bool bytes;         /* figures in bytes */
};

/* The defaults; `ground` is what is known of the terminal's. */
void config_default(struct config *c, enum theme ground);

/* Reads `text`; each warning is a diag given to `warn`. */
void config_read(struct config *c, const char *file, const char *text, void (*warn)(const struct diag *d));

/* The file's name, or NULL: neither variable is set.  `out` has room for `size`. */
const char *config_path(char *out, size_t size);

/* config_read() of a file: a missing one is none, unless it was asked for by name. */
bool config_load(struct config *c, const char *path, bool asked, void (*warn)(const struct diag *d), struct diag *d);

/* All that can be set, each line with its default and what it is for. */
void config_print(FILE *out);

#endif
