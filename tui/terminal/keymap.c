#include "tui/terminal/keymap.h"

#include "tui/terminal/grid.h"

#include <stdio.h>
#include <string.h>

static const char *const words[CMD_COUNT] = {
    [CMD_STEP_BACK] = "step-back",
    [CMD_STEP_ON] = "step-on",
    [CMD_ITERATION_BACK] = "iteration-back",
    [CMD_ITERATION_ON] = "iteration-on",
    [CMD_LOOP_BACK] = "loop-back",
    [CMD_LOOP_ON] = "loop-on",
    [CMD_CLOCK] = "clock",
    [CMD_ROW_UP] = "up",
    [CMD_ROW_DOWN] = "down",
    [CMD_PAGE_BACK] = "page-up",
    [CMD_PAGE_ON] = "page-down",
    [CMD_FIRST] = "first",
    [CMD_LAST] = "last",
    [CMD_PEAK] = "peak",
    [CMD_BORN] = "born",
    [CMD_WHY] = "why",
    [CMD_EXPLAIN] = "explain",
    [CMD_FOCUS] = "focus",
    [CMD_SORT] = "order",
    [CMD_NARROW] = "filter",
    [CMD_WIDEN] = "no-filters",
    [CMD_FOLD] = "group",
    [CMD_UNITS] = "units",
    [CMD_SEARCH] = "search",
    [CMD_NEXT] = "next",
    [CMD_PREVIOUS] = "previous",
    [CMD_SPACE] = "memory",
    [CMD_MAP] = "map",
    [CMD_BIGGER] = "larger-allocation",
    [CMD_SMALLER] = "smaller-allocation",
    [CMD_CHOOSE] = "choose",
    [CMD_MODULES] = "modules",
    [CMD_OPEN] = "open",
    [CMD_FILTER] = "filter-modules",
    [CMD_LONGER] = "longer",
    [CMD_SHORTER] = "shorter",
    [CMD_UNROLL] = "unroll",
    [CMD_ROLL] = "roll",
    [CMD_TARGET] = "target",
    [CMD_GRID] = "grid",
    [CMD_COMPARE] = "compare",
    [CMD_LEFT] = "left",
    [CMD_RIGHT] = "right",
    [CMD_FLIP] = "flip",
    [CMD_COMMAND] = "command",
    [CMD_BACK] = "back",
    [CMD_FORWARD] = "forward",
    [CMD_SET_MARK] = "set-mark",
    [CMD_GO_MARK] = "go-mark",
    [CMD_CLOSER] = "zoom-in",
    [CMD_FARTHER] = "zoom-out",
    [CMD_WHOLE] = "zoom-all",
    [CMD_SELECT] = "range",
    [CMD_COPY] = "copy",
    [CMD_PLAY] = "play",
    [CMD_LESSON] = "lesson",
    [CMD_RUN] = "run",
    [CMD_ANSWER] = "answer",
    [CMD_HELP] = "help",
    [CMD_CLOSE] = "close",
    [CMD_QUIT] = "quit",
};

/* Commands that share a line of the help: "step" is of both. */
static const enum cmd pairs[][2] = {
    {CMD_STEP_BACK, CMD_STEP_ON}, {CMD_ITERATION_BACK, CMD_ITERATION_ON}, {CMD_LOOP_BACK, CMD_LOOP_ON},
    {CMD_ROW_UP, CMD_ROW_DOWN},   {CMD_PAGE_BACK, CMD_PAGE_ON},           {CMD_FIRST, CMD_LAST},
    {CMD_NEXT, CMD_PREVIOUS},     {CMD_SMALLER, CMD_BIGGER},              {CMD_LONGER, CMD_SHORTER},
    {CMD_UNROLL, CMD_ROLL},       {CMD_LEFT, CMD_RIGHT},                  {CMD_BACK, CMD_FORWARD},
    {CMD_CLOSER, CMD_FARTHER},
};

const char *command_word(enum cmd c)
{
    return words[c];
}

enum cmd command_of(const char *word)
{
    for (int c = 0; c < CMD_COUNT; c++)
        if (words[c] && strcmp(words[c], word) == 0)
            return (enum cmd)c;
    return CMD_NONE;
}

/* ---- Keys as words ---- */

int32_t key_of_word(const char *word, size_t len)
{
    char named[32];
    const char *at = word;
    struct msg m;
    struct diag d;
    if (!len || len + 3 > sizeof named)
        return 0;
    uint32_t ch = text_next(&at);
    if (at == word + len)
        return ch < ' ' ? 0 : (int32_t)ch;
    snprintf(named, sizeof named, "<%.*s>", (int)len, word);
    at = named;
    return keys_next(named, &at, &m, &d) && m.kind == MSG_KEY && !*at ? m.key : 0;
}

const char *key_word(int32_t key, char out[16])
{
    const char *name = keys_name(key);
    size_t n = 0;
    if (name)
        snprintf(out, 16, "%s", name);
    else if (key < ' ')
        snprintf(out, 16, "C-%c", (char)(key + '`'));
    else {
        text_put(out, &n, (uint32_t)key);
        out[n] = '\0';
    }
    return out;
}

/* ---- The table beside the table ---- */

static const struct keymap_entry *entry_of(const struct keymap *m, enum cmd c)
{
    for (size_t i = 0; m && i < m->n; i++)
        if (m->items[i].cmd == c)
            return &m->items[i];
    return NULL;
}

static bool has_key(const int32_t keys[], int32_t key)
{
    for (int k = 0; k < KEYMAP_KEYS && keys[k]; k++)
        if (keys[k] == key)
            return true;
    return false;
}

int32_t keymap_key(const struct keymap *m, int32_t key, unsigned scope)
{
    for (size_t i = 0; m && i < m->n; i++) {
        if (!has_key(m->items[i].keys, key))
            continue;
        for (size_t b = 0; b < n_bindings; b++)
            if (bindings[b].cmd == m->items[i].cmd && bindings[b].scope & scope && bindings[b].keys[0])
                return bindings[b].keys[0];
    }
    enum cmd c = keys_command(key, scope);
    return c != CMD_NONE && entry_of(m, c) ? 0 : key;
}

/* As footer and help write it. */
static const char *key_sign(int32_t key, char out[16])
{
    static const char *const arrows[] = {"←", "→", "↑", "↓"};
    return key >= K_LEFT && key <= K_DOWN ? arrows[key - K_LEFT] : key_word(key, out);
}

/* Adds the keys of a command: those given, else its own in that scope. */
static void add_keys(const struct keymap *m, enum cmd c, unsigned scope, char out[64])
{
    const struct keymap_entry *e = entry_of(m, c);
    const int32_t *keys = e ? e->keys : NULL;
    char word[16];
    for (size_t b = 0; b < n_bindings && !keys; b++)
        if (bindings[b].cmd == c && bindings[b].scope & scope)
            keys = bindings[b].keys;
    for (int k = 0; keys && k < (e ? KEYMAP_KEYS : 1) && keys[k]; k++) {
        size_t n = strlen(out);
        if (n + 20 < 64)
            snprintf(out + n, 64 - n, "%s%s", n ? " " : "", key_sign(keys[k], word));
    }
}

const char *keymap_shown(const struct keymap *m, const struct binding *b, char out[64])
{
    enum cmd first = b->cmd, second = CMD_NONE;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (pairs[k][0] == b->cmd || pairs[k][1] == b->cmd) {
            first = pairs[k][0];
            second = pairs[k][1];
        }
    if (!b->shown || (!entry_of(m, first) && !(second != CMD_NONE && entry_of(m, second))))
        return b->shown;
    out[0] = '\0';
    add_keys(m, first, b->scope, out);
    if (second != CMD_NONE)
        add_keys(m, second, b->scope, out);
    return out;
}

/* The scopes in which a command has bindings. */
static unsigned scopes_of(enum cmd c)
{
    unsigned scope = 0;
    for (size_t b = 0; b < n_bindings; b++)
        scope |= bindings[b].cmd == c ? bindings[b].scope : 0;
    return scope;
}

enum cmd keymap_conflict(const struct keymap *m, size_t entry, int32_t *key)
{
    const struct keymap_entry *e = &m->items[entry];
    unsigned scope = scopes_of(e->cmd);
    for (int k = 0; k < KEYMAP_KEYS && e->keys[k]; k++) {
        *key = e->keys[k];
        for (size_t i = 0; i < m->n; i++)
            if (i != entry && has_key(m->items[i].keys, *key) && scopes_of(m->items[i].cmd) & scope)
                return m->items[i].cmd;
        for (size_t b = 0; b < n_bindings; b++)
            if (bindings[b].cmd != e->cmd && bindings[b].scope & scope && !entry_of(m, bindings[b].cmd) &&
                has_key(bindings[b].keys, *key))
                return bindings[b].cmd;
    }
    return CMD_NONE;
}
