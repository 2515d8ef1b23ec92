#include "tui/explorer/config.h"

#include "core/base/file.h"
#include "core/base/home.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const color_names[16] = {
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright-black", "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white",
};
static const struct {
    const char *name;
    uint8_t bit;
} attributes[] = {{"bold", LOOK_BOLD}, {"underline", LOOK_UNDERLINE}, {"reverse", LOOK_REVERSE}};

void config_default(struct config *c, enum theme ground)
{
    *c = (struct config){.theme = ground, .looks = looks_default(ground)};
}

/* ---- One line ---- */

struct line {
    struct config *c;
    const char *file;
    unsigned number;
    void (*warn)(const struct diag *d);
    unsigned *warned; /* so often */
    char name[80], value[200];
};
#define WARNINGS_MOST 8 /* what is no configuration is not told line by line */

static void warn_at(const struct line *l, const char *what, const char *hint)
{
    struct diag d;
    if (++*l->warned > WARNINGS_MOST)
        return;
    diag_at(&d, l->file, l->number, 0, "%s", what);
    diag_hint(&d, "%s", hint);
    l->warn(&d);
}

static void warn_value(const struct line *l, const char *wanted)
{
    char what[160];
    snprintf(what, sizeof what, "%.40s = %.60s is not understood", l->name, l->value);
    warn_at(l, what, wanted);
}

/* The next word of a value; its length, 0 at the end. */
static size_t next_word(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
    size_t n = 0;
    while ((*at)[n] && !isspace((unsigned char)(*at)[n]))
        n++;
    return n;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && strncmp(at, word, n) == 0;
}

/* A colour's name or number into a look; false: neither. */
static bool set_color(struct look *look, const char *at, size_t n)
{
    char *end;
    if (is_word(at, n, "default")) {
        look->rich = look->plain = -1;
        return true;
    }
    for (int16_t k = 0; k < 16; k++)
        if (is_word(at, n, color_names[k])) {
            look->rich = k;
            look->plain = k & 7;
            return true;
        }
    if (!isdigit((unsigned char)*at) || n > 3)
        return false;
    long number = strtol(at, &end, 10);
    if (end != at + n || number > 255)
        return false;
    look->rich = (int16_t)number;
    if (number < 16) /* else terminals with few colours keep theirs */
        look->plain = (int16_t)(number & 7);
    return true;
}

static void read_look(struct line *l, struct look *look)
{
    struct look new = *look;
    bool first = true;
    new.colored = 0; /* attributes are named, or gone */
    const char *at = l->value;
    for (size_t n; (n = next_word(&at)) > 0; at += n, first = false) {
        bool known = set_color(&new, at, n);
        for (size_t k = 0; k < sizeof attributes / sizeof *attributes && !known; k++)
            if (is_word(at, n, attributes[k].name)) {
                new.colored |= attributes[k].bit;
                known = true;
            }
        if (!known) {
            warn_value(l, "a colour from 0 to 255 or by name, default, bold, underline, reverse");
            return;
        }
    }
    if (first)
        warn_value(l, "a colour from 0 to 255 or by name, default, bold, underline, reverse");
    else
        *look = new;
}

static void read_keys(struct line *l, enum cmd c)
{
    struct keymap_entry e = {.cmd = c, .line = l->number};
    struct keymap *m = &l->c->keys;
    const char *at = l->value;
    int k = 0;
    for (size_t n; (n = next_word(&at)) > 0; at += n) {
        int32_t key = key_of_word(at, n);
        if (!key || k == KEYMAP_KEYS) {
            warn_value(l, key ? "at most three keys" : "characters, or Enter Tab Esc Space BS Left Right Up Down PgUp PgDn Home End C-x");
            return;
        }
        e.keys[k++] = key;
    }
    if (!k) {
        warn_value(l, "a command needs a key");
        return;
    }
    size_t i = 0;
    while (i < m->n && m->items[i].cmd != c)
        i++;
    m->items[i] = e; /* of two lines the last one holds */
    if (i == m->n)
        m->n++;
}

static void read_sort(struct line *l)
{
    for (int k = 0; k < SORT_COUNT; k++)
        if (strcmp(l->value, sort_name((enum sort)k)) == 0) {
            l->c->sort = (enum sort)k;
            return;
        }
    warn_value(l, "size, born, dies, role, name or source");
}

static void read_theme(struct line *l)
{
    for (int t = 0; t < THEME_COUNT; t++)
        if (strcmp(l->value, theme_name((enum theme)t)) == 0)
            return; /* read_themes() took it */
    warn_value(l, "auto, light or dark");
}

static void read_units(struct line *l)
{
    if (strcmp(l->value, "bytes") == 0 || strcmp(l->value, "binary") == 0)
        l->c->bytes = l->value[1] == 'y';
    else
        warn_value(l, "binary (GiB, MiB, KiB) or bytes");
}

static void read_line(struct line *l)
{
    enum cmd c = strncmp(l->name, "key.", 4) == 0 ? command_of(l->name + 4) : CMD_NONE;
    if (strcmp(l->name, "theme") == 0) {
        read_theme(l);
        return;
    }
    if (strcmp(l->name, "order") == 0) {
        read_sort(l);
        return;
    }
    if (strcmp(l->name, "units") == 0) {
        read_units(l);
        return;
    }
    if (c != CMD_NONE) {
        read_keys(l, c);
        return;
    }
    for (int st = 0; st < ST_COUNT && strncmp(l->name, "color.", 6) == 0; st++)
        if (strcmp(l->name + 6, style_name((enum style)st)) == 0) {
            read_look(l, &l->c->looks.of[st]);
            return;
        }
    char what[160];
    snprintf(what, sizeof what, "nothing is called %.60s", l->name);
    warn_at(l, what, "tidemark --print-config lists what there is");
}

/* ---- The whole ---- */

/* "name = value" of one line; false: there is none to read.  Text that is no text is cut, and then
 * not understood. */
static bool split(struct line *l, const char *text, size_t n)
{
    while (n && isspace((unsigned char)*text)) {
        text++;
        n--;
    }
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (!n || *text == '#')
        return false;
    const char *equals = memchr(text, '=', n);
    size_t name = equals ? (size_t)(equals - text) : n;
    const char *value = equals ? equals + 1 : text + n;
    while (name && isspace((unsigned char)text[name - 1]))
        name--;
    while (value < text + n && isspace((unsigned char)*value))
        value++;
    snprintf(l->name, sizeof l->name, "%.*s", name < sizeof l->name ? (int)name : (int)sizeof l->name - 1, text);
    size_t left = (size_t)(text + n - value);
    snprintf(l->value, sizeof l->value, "%.*s", left < sizeof l->value ? (int)left : (int)sizeof l->value - 1, value);
    if (equals)
        return true;
    warn_at(l, "a line without =", "NAME = VALUE; tidemark --print-config lists what there is");
    return false;
}

static void each_line(struct line l, const char *text, void (*take)(struct line *l))
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        l.number++;
        if (split(&l, at, n))
            take(&l);
        at += n + (at[n] == '\n');
    }
}

static void no_warning(const struct diag *d)
{
    (void)d;
}

/* The theme first: colours change it, wherever they stand. */
static void take_theme(struct line *l)
{
    for (int t = THEME_LIGHT; t < THEME_COUNT && strcmp(l->name, "theme") == 0; t++)
        if (strcmp(l->value, theme_name((enum theme)t)) == 0) {
            l->c->theme = (enum theme)t;
            l->c->looks = looks_default((enum theme)t);
        }
}

static void warn_conflicts(struct line l)
{
    const struct config *c = l.c;
    for (size_t i = 0; i < c->keys.n; i++) {
        int32_t key;
        char what[160], word[16];
        enum cmd other = keymap_conflict(&c->keys, i, &key);
        if (other == CMD_NONE)
            continue;
        const char *name = command_word(other);
        l.number = c->keys.items[i].line;
        snprintf(what, sizeof what, "key %s leads to %s and to %s", key_word(key, word),
                 command_word(c->keys.items[i].cmd), name ? name : "another command");
        warn_at(&l, what, "give one of them another key");
    }
}

void config_read(struct config *c, const char *file, const char *text, void (*warn)(const struct diag *d))
{
    unsigned themes = 0, warned = 0;
    struct diag d;
    each_line((struct line){.c = c, .file = file, .warn = no_warning, .warned = &themes}, text, take_theme);
    const struct line l = {.c = c, .file = file, .warn = warn, .warned = &warned};
    each_line(l, text, read_line);
    warn_conflicts(l);
    if (warned <= WARNINGS_MOST)
        return;
    diag_file(&d, file, "%u more of its lines are not understood", warned - WARNINGS_MOST);
    diag_hint(&d, "is it tidemark's configuration? tidemark --print-config shows one");
    warn(&d);
}

const char *config_path(char *out, size_t size)
{
    return home_path(out, size, "XDG_CONFIG_HOME", ".config", "config") ? out : NULL;
}

bool config_load(struct config *c, const char *path, bool asked, void (*warn)(const struct diag *d), struct diag *d)
{
    struct arena a = {0};
    struct file f;
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (!there && !asked)
        return true;
    bool ok = there && st.st_size > 1 << 20 ? diag_file(d, path, "is too large for a configuration")
                                            : file_read(&a, &f, path, d);
    if (ok)
        config_read(c, path, f.text, warn);
    else if (!asked)
        warn(d); /* the explorer works without */
    arena_free(&a);
    return ok || !asked;
}

/* ---- The defaults ---- */

static void print_look(enum style st, FILE *out)
{
    struct look l = looks_default(THEME_ANY).of[st];
    fprintf(out, "#color.%s = ", style_name(st));
    if (l.rich < 0)
        fputs("default", out);
    else
        fprintf(out, "%d", l.rich);
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
        if (l.colored & attributes[k].bit)
            fprintf(out, " %s", attributes[k].name);
    fputc('\n', out);
}

/* Has every binding of a command this key? */
static bool everywhere(enum cmd c, int32_t key)
{
    bool all = true;
    for (size_t b = 0; b < n_bindings; b++)
        if (bindings[b].cmd == c && bindings[b].keys[0])
            all = all && (bindings[b].keys[0] == key || bindings[b].keys[1] == key || bindings[b].keys[2] == key);
    return all;
}

/* The keys that a command has wherever it works, and its words if any binding has some. */
static void print_command(enum cmd c, FILE *out)
{
    const struct binding *first = NULL;
    const char *text = NULL;
    char word[16];
    for (size_t b = 0; b < n_bindings; b++) {
        if (bindings[b].cmd != c)
            continue;
        first = first ? first : &bindings[b];
        text = text ? text : bindings[b].words ? bindings[b].words : NULL;
    }
    if (!first || !first->keys[0])
        return;
    if (text)
        fprintf(out, "# %s\n", text);
    fprintf(out, "#key.%s =", command_word(c));
    for (int k = 0; k < 3 && first->keys[k]; k++)
        if (everywhere(c, first->keys[k]))
            fprintf(out, " %s", key_word(first->keys[k], word));
    fputc('\n', out);
}

void config_print(FILE *out)
{
    char path[4096];
    const char *where = config_path(path, sizeof path);
    fprintf(out, "# tidemark's configuration: %s\n", where ? where : "~/.config/tidemark/config");
    fputs("# Each line shows its default.  Take the first # away and change it.\n\n"
          "# Colours for light or dark ground; auto: as COLORFGBG says, else such as read on both.\n"
          "#theme = auto\n"
          "# The table's order: size, born, dies, role, name, source.\n"
          "#order = size\n"
          "# Figures: binary (GiB, MiB, KiB) or bytes.\n"
          "#units = binary\n\n"
          "# Colours: 0 to 255 or a name (red, bright-blue), default; then bold, underline, reverse.\n"
          "# Terminals with 8 or 16 colours take names and numbers up to 15.\n", out);
    for (int st = 0; st < ST_COUNT; st++)
        print_look((enum style)st, out);
    fputs("\n# Keys: one to three for a command, characters or names as for --keys, without < and >.\n", out);
    for (int c = 0; c < CMD_COUNT; c++)
        if (command_word((enum cmd)c))
            print_command((enum cmd)c, out);
}
