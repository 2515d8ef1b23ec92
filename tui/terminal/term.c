#include "tui/terminal/term.h"
#include "core/base/memory.h"
#include "tui/terminal/mouse.h"
#include "tui/terminal/rescue.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <term.h>
#include <unistd.h>

static SCREEN *screen;       /* NULL: closed */
static bool colored;
static struct looks looks;
static struct grid shown;    /* what curses was last given */
static bool reports;
static struct mouse mouse;
static volatile sig_atomic_t stopped; /* to be suspended */
static volatile sig_atomic_t ended; /* the signal that asks to leave */
static sigset_t while_waiting;      /* the signals that are let in only in term_wait() */

static void on_end(int sig)
{
    ended = sig;
}

static void on_stop(int sig)
{
    (void)sig;
    stopped = 1;
}

/* Signals arrive only while we wait, so none is missed and none interrupts a drawing. */
static void set_signals(void)
{
    struct sigaction sa;
    sigset_t block;
    memset(&sa, 0, sizeof sa);
    sigemptyset(&sa.sa_mask);
    sa.sa_handler = on_end;
    sigemptyset(&block);
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        sigaction(ends[i], &sa, NULL);
        sigaddset(&block, ends[i]);
    }
    sa.sa_handler = on_stop;
    sigaction(SIGTSTP, &sa, NULL);
    sigaddset(&block, SIGWINCH);
    sigaddset(&block, SIGTSTP);
    sigprocmask(SIG_BLOCK, &block, &while_waiting);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigdelset(&while_waiting, ends[i]);
    sigdelset(&while_waiting, SIGWINCH);
    sigdelset(&while_waiting, SIGTSTP);
}

static void set_colors(bool color)
{
    colored = color && has_colors() && start_color() == OK && use_default_colors() == OK;
    if (!colored)
        return;
    for (int st = 1; st < ST_COUNT; st++)
        init_pair((short)st, COLORS >= 256 ? looks.of[st].rich : looks.of[st].plain, -1);
}

int term_colors(void)
{
    return colored ? COLORS : 0;
}

static attr_t attributes_of(uint8_t look)
{
    return (look & LOOK_BOLD ? A_BOLD : 0) | (look & LOOK_UNDERLINE ? A_UNDERLINE : 0) |
           (look & LOOK_REVERSE ? A_REVERSE : 0);
}

/* ---- The mouse, and what undoes a screen ---- */

enum { KEY_SGR = KEY_MAX + 1, KEY_X10 }; /* the start of a report; what follows is read here */

void term_send(const char *bytes, size_t n)
{
    while (n) {
        ssize_t wrote = write(STDOUT_FILENO, bytes, n);
        if (wrote < 0 && errno != EINTR)
            return;
        bytes += wrote > 0 ? wrote : 0;
        n -= wrote > 0 ? (size_t)wrote : 0;
    }
}

static void report_mouse(bool on)
{
    const char *bytes = on ? MOUSE_ON : MOUSE_OFF;
    mouse.held = false;
    if (reports)
        term_send(bytes, strlen(bytes));
}

/* Does terminfo know it, and can it move its cursor?  newterm() reads it once more for itself. */
static bool know_terminal(const char *name, bool *moves)
{
    int error;
    char cup[] = "cup";
    if (setupterm(name, STDOUT_FILENO, &error) != OK)
        return false;
    const char *move_cursor = tigetstr(cup);
    *moves = move_cursor && move_cursor != (const char *)-1;
    del_curterm(cur_term);
    return true;
}

/* A capability's bytes, without the pauses that old terminals want. */
static size_t capability(const char *name, char *out, size_t room)
{
    char text[16];
    size_t n = 0;
    snprintf(text, sizeof text, "%s", name);
    const char *c = tigetstr(text);
    if (!c || c == (const char *)-1)
        return 0;
    for (; *c && n < room; c++)
        if (c[0] == '$' && c[1] == '<' && strchr(c, '>'))
            c = strchr(c, '>');
        else
            out[n++] = *c;
    return n;
}

/* Curses would ask for presses alone and read no drags: its own reports go. */
static void set_mouse(void)
{
    char start[8];
    reports = capability("kmous", start, sizeof start) > 0;
    define_key(NULL, KEY_MOUSE);
    define_key(MOUSE_SGR, KEY_SGR);
    define_key(MOUSE_X10, KEY_X10);
    report_mouse(true);
}

/* As the shell's job control wants it: everything is put back, and comes again with SIGCONT. */
static void suspend(void)
{
    struct sigaction ours, theirs;
    sigset_t stop, now;
    stopped = 0;
    report_mouse(false);
    endwin();
    memset(&theirs, 0, sizeof theirs);
    theirs.sa_handler = SIG_DFL;
    sigaction(SIGTSTP, &theirs, &ours);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, &now);
    raise(SIGTSTP);
    sigprocmask(SIG_SETMASK, &now, NULL);
    sigaction(SIGTSTP, &ours, NULL);
    refresh();
    report_mouse(true);
}

/* What brings the terminal back without curses: colours, cursor and keypad as they were, no mouse,
 * the screen from before. */
static void arm_rescue(void)
{
    static const char *const names[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    char bytes[RESCUE_BYTES] = MOUSE_OFF;
    size_t n = reports ? strlen(bytes) : 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        n += capability(names[k], bytes + n, sizeof bytes - n);
    rescue_arm(bytes, n);
}

/* TERM, or what stands before its last '-' where terminfo knows only that: "xterm-16color" is an
 * xterm.  False: neither can move its cursor. */
static bool find_terminal(char name[64])
{
    const char *term = getenv("TERM");
    bool moves;
    if (!term || !*term || snprintf(name, 64, "%s", term) >= 64)
        return false;
    while (!know_terminal(name, &moves)) {
        char *end = strrchr(name, '-');
        if (!end || end == name)
            return false;
        *end = '\0';
    }
    return moves;
}

bool term_open(bool color, const struct looks *as, struct diag *d)
{
    const char *why = "the explorer needs a terminal", *term = getenv("TERM");
    char name[64];
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        diag_file(d, NULL, "%s, and standard %s is none", why,
                  isatty(STDIN_FILENO) ? "output" : "input");
    else if (!find_terminal(name))
        diag_file(d, NULL, "%s that can move its cursor, and TERM is %s", why,
                  term && *term ? term : "not set");
    else if (rescue_modes(STDOUT_FILENO), !(screen = newterm(name, stdout, stdin)))
        diag_file(d, NULL, "%s, and this one cannot be opened", why);
    if (!screen)
        return diag_hint(d, "--dump prints the screen, `tidemark report` a report");
    looks = *as;
    atexit(term_close);
    memory_before_end(term_close);
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    set_mouse();
    set_colors(color);
    set_signals();
    arm_rescue();
    return true;
}

int term_signal(void)
{
    return ended;
}

void term_close(void)
{
    if (!screen)
        return;
    rescue_disarm();
    report_mouse(false);
    endwin();
    delscreen(screen);
    screen = NULL;
    grid_free(&shown);
}

void term_size(int *cols, int *rows)
{
    getmaxyx(stdscr, *rows, *cols);
}

/* ---- Out ---- */

static void put(int y, int x, struct cell c)
{
    attr_t look = attributes_of(colored ? looks.of[c.style].colored : looks.of[c.style].mono);
    wchar_t text[2] = {(wchar_t)c.ch, L'\0'};
    cchar_t cell;
    setcchar(&cell, text, look, colored ? (short)c.style : 0, NULL);
    mvadd_wch(y, x, &cell);
}

void term_draw(const struct grid *g)
{
    bool all = shown.cols != g->cols || shown.rows != g->rows;
    if (all) {
        grid_free(&shown);
        grid_init(&shown, g->cols, g->rows, g->ascii);
        erase();
    }
    for (int i = 0; i < g->cols * g->rows; i++) {
        struct cell *old = &shown.cells[i], new = g->cells[i];
        if (old->ch == new.ch && old->style == new.style)
            continue;
        put(i / g->cols, i % g->cols, new);
        *old = new;
    }
    refresh();
}

/* ---- In ---- */

static int32_t key_of(wint_t code)
{
    static const struct {
        int curses;
        int32_t key;
    } map[] = {
        {KEY_LEFT, K_LEFT}, {KEY_RIGHT, K_RIGHT}, {KEY_UP, K_UP}, {KEY_DOWN, K_DOWN},
        {KEY_PPAGE, K_PAGE_UP}, {KEY_NPAGE, K_PAGE_DOWN}, {KEY_HOME, K_HOME}, {KEY_END, K_END},
        {KEY_BACKSPACE, K_BACKSPACE}, {KEY_ENTER, K_ENTER},
    };
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].curses == (int)code)
            return map[i].key;
    return 0;
}

#define PATIENCE_MS 100 /* for the rest of a report */

/* What follows the start of a report; a key that comes in its place is lost. */
static struct msg mouse_msg(wint_t start)
{
    char text[24] = "";
    unsigned char bytes[3] = {0};
    size_t n = 0, most = start == KEY_SGR ? sizeof text - 1 : sizeof bytes;
    int ch = 0;
    timeout(PATIENCE_MS);
    while (n < most && (ch = getch()) != ERR && ch < 256) {
        if (start == KEY_SGR)
            text[n] = (char)ch;
        else
            bytes[n] = (unsigned char)ch;
        n++;
        if (start == KEY_SGR && (ch == 'M' || ch == 'm'))
            break;
    }
    if (ch != ERR && ch > 255)
        ungetch(ch); /* a key, a new size */
    nodelay(stdscr, TRUE);
    return start == KEY_SGR ? mouse_sgr(&mouse, text) : n == most ? mouse_x10(&mouse, bytes) : (struct msg){0};
}

/* Sleeps until there is input or a signal.  False when the terminal is gone: always readable, and
 * never a key. */
static bool sleep_until_input(int *silent, int patience, bool *over)
{
    struct timespec most = {patience / 1000, patience % 1000 * 1000000L};
    fd_set in;
    FD_ZERO(&in);
    FD_SET(STDIN_FILENO, &in);
    int ready = pselect(STDIN_FILENO + 1, &in, NULL, NULL, patience < 0 ? NULL : &most, &while_waiting);
    if (ready > 0)
        ++*silent;
    *over = ready == 0;
    if (stopped)
        suspend();
    return *silent < 100;
}

struct msg term_wait(int patience)
{
    int silent = 0;
    bool over = false;
    do { /* curses may hold keys already, so it is asked before sleeping */
        wint_t code = 0;
        int got = get_wch(&code);
        if (got == OK)
            return (struct msg){.kind = MSG_KEY, .key = code == '\n' ? K_ENTER : (int32_t)code};
        if (got != KEY_CODE_YES && over)
            return (struct msg){0};
        if (got != KEY_CODE_YES)
            continue;
        if (code == KEY_SGR || code == KEY_X10)
            return mouse_msg(code);
        if (code != KEY_RESIZE)
            return (struct msg){.kind = MSG_KEY, .key = key_of(code)};
        struct msg m = {.kind = MSG_RESIZE};
        term_size(&m.cols, &m.rows);
        return m;
    } while (!ended && sleep_until_input(&silent, patience, &over));
    return (struct msg){.kind = MSG_KEY, .key = K_CTRL_C};
}

const char *term_library(void)
{
    return curses_version();
}
