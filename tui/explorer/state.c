#include "tui/explorer/state.h"

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/home.h"
#include "tui/update/update_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "tidemark state 1\n"

const char *state_dir(char *out, size_t size)
{
    return home_path(out, size, "XDG_STATE_HOME", ".local/state", NULL) ? out : NULL;
}

static uint64_t hashed(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = hash_add(h, (unsigned char)*text);
    return hash_add(h, 0xff); /* where a text ends counts */
}

void state_name(const struct program *p, const char *dump, char out[17])
{
    char count[24], *real = dump ? realpath(dump, NULL) : NULL;
    snprintf(count, sizeof count, "%u", (unsigned)p->steps);
    uint64_t h = hashed(HASH_START, real ? real : dump ? dump : "");
    h = hashed(hashed(h, p->name ? p->name : ""), count);
    free(real);
    snprintf(out, 17, "%016" PRIx64, h);
}

/* ---- Text ---- */

void state_text(const struct app *s, char out[STATE_BYTES])
{
    snprintf(out, STATE_BYTES,
             HEAD "step %u\nat %" PRIu64 "\nclock %d\nmemory %u\nchosen %u\norder %d\ngroup %d\nfocus %d\nmap %d\nbytes %d\n",
             (unsigned)s->step, s->at, (int)s->clock, (unsigned)s->space, (unsigned)s->chosen, (int)s->sort,
             (int)s->fold, (int)s->focus, (int)s->map, (int)s->bytes);
}

/* The number behind `word` at the start of a line, up to `most`. */
static bool number_of(const char *text, const char *word, uint64_t most, uint64_t *out)
{
    size_t n = strlen(word);
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        char *end;
        if (strncmp(at, word, n) != 0 || at[n] != ' ' || at[n + 1] < '0' || at[n + 1] > '9')
            continue;
        errno = 0;
        *out = strtoull(at + n + 1, &end, 10);
        return !errno && *end == '\n' && *out <= most;
    }
    return false;
}

bool state_take(const struct program *p, struct memo *memo, const char *text, struct app *s)
{
    uint64_t step, at, clock, space, chosen, sort, fold, focus, map, bytes;
    const struct timeline *t = memo_timeline(memo, p);
    if (strncmp(text, HEAD, strlen(HEAD)) != 0 || !number_of(text, "step", p->steps, &step) ||
        !number_of(text, "at", t->moments - 1, &at) || !number_of(text, "clock", CLOCK_COUNT - 1, &clock) ||
        !number_of(text, "memory", p->n_spaces - 1, &space) || !number_of(text, "chosen", UINT32_MAX, &chosen) ||
        !number_of(text, "order", SORT_COUNT - 1, &sort) || !number_of(text, "group", FOLD_SHOWN - 1, &fold) ||
        !number_of(text, "focus", FOCUS_COUNT - 1, &focus) || !number_of(text, "map", 1, &map) ||
        !number_of(text, "bytes", 1, &bytes))
        return false;
    if (timeline_moment(t, at).step == step)
        stand_at(p, memo, s, at);
    else
        stand(p, memo, s, (uint32_t)step);
    s->clock = (enum clock)clock;
    s->space = (uint32_t)space;
    s->chosen = chosen < p->n ? (buf_id)chosen : BUF_NONE;
    s->sort = (enum sort)sort;
    s->fold = (enum fold)fold;
    s->on_group = s->fold != FOLD_NONE;
    s->focus = focus == FOCUS_MAP && !has_panel(p, s) ? FOCUS_CHART : (enum focus)focus;
    s->bytes = bytes;
    s->map = map && has_map(p);
    if (s->map || s->focus == FOCUS_MAP)
        map_hold(p, memo, s);
    return true;
}

/* ---- Files ---- */

static bool path_in(char *out, size_t size, const char *dir, const char *name, const char *behind)
{
    int n = snprintf(out, size, "%s/%s%s", dir, name, behind);
    return n > 0 && (size_t)n < size;
}

bool state_load(const char *dir, const struct program *p, const char *dump, struct memo *memo, struct app *s)
{
    char name[17], path[4096], text[STATE_BYTES + 1];
    state_name(p, dump, name);
    if (!path_in(path, sizeof path, dir, name, ""))
        return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat st;
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t n = regular ? read(fd, text, STATE_BYTES) : -1;
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return state_take(p, memo, text, s);
}

static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && (name[16] == '\0' || strcmp(name + 16, ".part") == 0);
}

/* Removes the oldest file while there are too many. */
static bool prune(const char *dir)
{
    DIR *d = opendir(dir);
    char path[4096], oldest[4096] = "";
    struct timespec since = {0};
    size_t n = 0;
    if (!d)
        return false;
    for (const struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (!is_ours(e->d_name) || !path_in(path, sizeof path, dir, e->d_name, "") || lstat(path, &st) != 0)
            continue;
        bool older = st.st_mtim.tv_sec < since.tv_sec ||
                     (st.st_mtim.tv_sec == since.tv_sec && st.st_mtim.tv_nsec < since.tv_nsec);
        if (!n++ || older) {
            since = st.st_mtim;
            snprintf(oldest, sizeof oldest, "%s", path);
        }
    }
    closedir(d);
    return n > STATE_FILES && unlink(oldest) == 0;
}

void state_save(const char *dir, const struct program *p, const char *dump, const struct app *s)
{
    char name[17], path[4096], part[4096], text[STATE_BYTES];
    state_name(p, dump, name);
    if (!path_in(path, sizeof path, dir, name, "") || !path_in(part, sizeof part, dir, name, ".part"))
        return;
    file_make_folders(dir);
    unlink(part);
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    state_text(s, text);
    size_t n = strlen(text);
    bool whole = write(fd, text, n) == (ssize_t)n;
    whole = close(fd) == 0 && whole;
    if (!whole || rename(part, path) != 0) {
        unlink(part);
        return;
    }
    for (int i = 0; i < 64 && prune(dir); i++)
        continue;
}
