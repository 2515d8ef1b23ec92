/* Keys as a person wants them: a table of its own beside the one in keys.h.
 *
 * A command that is in it answers to the keys given there and no more to its own; a key that is not
 * in it does what it always does.  Parts of the program see default keys alone: what comes from the
 * terminal is translated once, and footer and help show what is to be pressed. */
#ifndef TUI_TERMINAL_KEYMAP_H
#define TUI_TERMINAL_KEYMAP_H

#include "tui/terminal/keys.h"

#define KEYMAP_KEYS 3

struct keymap_entry {
    enum cmd cmd;
    int32_t keys[KEYMAP_KEYS]; /* 0: no more */
    unsigned line;             /* of the configuration */
};

/* Zeroed it changes nothing. */
struct keymap {
    struct keymap_entry items[CMD_COUNT];
    size_t n;
};

/* The name of a command in the configuration, or NULL: it has no keys of its own. */
const char *command_word(enum cmd c);
enum cmd command_of(const char *word); /* CMD_NONE: there is none */

/* "d", "Right", "C-x": one key as --keys has it, without < and >.  0: it is none. */
int32_t key_of_word(const char *word, size_t len);
const char *key_word(int32_t key, char out[16]);

/* The default key that does, in that scope, what `key` is to do; 0: nothing. */
int32_t keymap_key(const struct keymap *m, int32_t key, unsigned scope);
/* What to press for a binding: its own text where m (or NULL) does not change it. */
const char *keymap_shown(const struct keymap *m, const struct binding *b, char out[64]);

/* Another command that a key of this entry leads to somewhere where the entry's does: by an entry of
 * its own or by default.  CMD_NONE: there is none. */
enum cmd keymap_conflict(const struct keymap *m, size_t entry, int32_t *key);

#endif
