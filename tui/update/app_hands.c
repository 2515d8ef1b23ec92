/* Keys before the table of what each view does: counts, keys that wait for a second one, those that do
 * the same everywhere, and those that do nothing. */
#include "tui/update/update_parts.h"

/* Keys that do the same wherever they work. */
bool key_anywhere(const struct program *p, struct memo *memo, struct app *s, enum cmd cmd)
{
    switch (cmd) {
    case CMD_COMMAND: command_open(s); break;
    case CMD_BACK: spot_command(p, memo, s, true); break;
    case CMD_FORWARD: spot_command(p, memo, s, false); break;
    case CMD_SET_MARK: s->pending = PENDING_SET_MARK; break;
    case CMD_GO_MARK: s->pending = PENDING_GO_MARK; break;
    case CMD_COPY: s->pending = PENDING_COPY; break;
    default: return false;
    }
    return true;
}

static void copy(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    if (key != 'y' && key != 'r') {
        say(s, "y y copies the selected buffer's line, y r the report");
    } else if (key == 'y' && choose_held(p, memo, s) == BUF_NONE) {
        say(s, "no buffer is selected");
    } else {
        s->copy = key == 'y' ? COPY_BUFFER : COPY_REPORT;
        s->want = WANT_COPY;
    }
}

/* The second key of two. */
void key_second(const struct program *p, struct memo *memo, struct app *s, int32_t key)
{
    enum pending first = s->pending;
    s->pending = PENDING_NONE;
    if (key == K_CTRL_C)
        s->want = WANT_QUIT;
    else if (key == '\'' && first == PENDING_GO_MARK)
        s->pending = first; /* they are listed already */
    else if (key == K_ESC)
        return;
    else if (first == PENDING_SET_MARK)
        mark_set(p, memo, s, key);
    else if (first == PENDING_GO_MARK)
        mark_go(p, memo, s, key);
    else
        copy(p, memo, s, key);
}

static bool is_typing(const struct app *s)
{
    return s->commanding || s->mode == MODE_SEARCH;
}

/* A digit of a count (0 is none at its start), or Esc that takes it back. */
bool key_counts(struct app *s, unsigned scope, int32_t key)
{
    if (!(scope & (IN_PROGRAM | IN_PAGE | IN_COMPARE)) || (key == K_ESC ? !s->count : key < '0' + !s->count || key > '9'))
        return false;
    uint32_t more = key == K_ESC ? 0 : s->count * 10 + (uint32_t)(key - '0');
    s->count = more <= COUNT_MOST ? more : s->count;
    return true;
}

/* Does the key do nothing, here or at all? */
bool key_is_idle(const struct program *p, const struct app *s, unsigned scope, int32_t key)
{
    for (size_t i = 0; i < n_bindings; i++)
        for (int k = 0; k < 3 && bindings[i].keys[k]; k++)
            if (bindings[i].keys[k] == key && bindings[i].scope & scope) {
                enum cmd c = bindings[i].cmd;
                bool hangs = c == CMD_MAP || c == CMD_MODULES || c == CMD_SPACE;
                return hangs && !app_can(p, s, &bindings[i]);
            }
    return true;
}

/* ---- How one moves ---- */

static enum move move_of_key(const struct program *p, const struct app *s, int32_t key)
{
    if (is_typing(s) || s->pending)
        return MOVE_JUMP;
    switch (keys_command(key, app_scope(p, s))) {
    case CMD_BACK: case CMD_FORWARD: case CMD_CLOSE: case CMD_CLOCK: return MOVE_NONE;
    case CMD_STEP_BACK: case CMD_STEP_ON: case CMD_ITERATION_BACK: case CMD_ITERATION_ON:
    case CMD_LOOP_BACK: case CMD_LOOP_ON: case CMD_PAGE_BACK: case CMD_PAGE_ON:
        return MOVE_STEP;
    default: return MOVE_JUMP;
    }
}

enum move move_of(const struct program *p, const struct app *s, const struct msg *m)
{
    return m->kind == MSG_KEY       ? move_of_key(p, s, m->key)
           : m->kind == MSG_CLICK   ? MOVE_JUMP
           : m->kind == MSG_RESIZE  ? MOVE_NONE
                                    : MOVE_STEP;
}
