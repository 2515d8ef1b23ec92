#include "tui/terminal/rescue.h"

#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
#define N_FAULTS (sizeof faults / sizeof *faults)

/* A handler has no other way to them. */
static volatile sig_atomic_t armed;
static int terminal = -1;
static bool has_modes;
static struct termios modes;
static char last_bytes[RESCUE_BYTES];
static size_t n_bytes;
static struct sigaction before[N_FAULTS], before_interrupt;
static sigset_t before_mask;
static char stack[64 << 10]; /* the fault may be that there is no more stack */

static void put_back(void)
{
    if (!armed)
        return;
    armed = 0;
    for (size_t at = 0; at < n_bytes;) {
        ssize_t n = write(terminal, last_bytes + at, n_bytes - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    if (has_modes)
        tcsetattr(terminal, TCSANOW, &modes);
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

static void on_fault(int sig)
{
    put_back();
    if (sig != SIGQUIT)
        say("tidemark: it crashed, which is a fault of tidemark; the dump that did it makes a bug report\n");
    for (size_t k = 0; k < N_FAULTS; k++)
        if (faults[k] == sig)
            sigaction(sig, &before[k], NULL);
    raise(sig); /* comes when this handler returns */
}

static void on_interrupt(int sig)
{
    put_back();
    _exit(128 + sig);
}

void rescue_modes(int fd)
{
    terminal = fd;
    has_modes = tcgetattr(fd, &modes) == 0;
}

static void handle(int sig, void (*handler)(int), int flags, struct sigaction *old)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sigemptyset(&sa.sa_mask);
    sa.sa_handler = handler;
    sa.sa_flags = flags;
    sigaction(sig, &sa, old);
}

void rescue_arm(const char *bytes, size_t n)
{
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    n_bytes = n < sizeof last_bytes ? n : sizeof last_bytes;
    memcpy(last_bytes, bytes, n_bytes);
    bool own_stack = sigaltstack(&alternate, NULL) == 0;
    for (size_t k = 0; k < N_FAULTS; k++)
        handle(faults[k], on_fault, own_stack ? SA_ONSTACK : 0, &before[k]);
    armed = 1;
}

void rescue_disarm(void)
{
    if (!armed)
        return;
    armed = 0;
    for (size_t k = 0; k < N_FAULTS; k++)
        sigaction(faults[k], &before[k], NULL);
}

void rescue_interrupts(bool on)
{
    sigset_t interrupt;
    if (!armed)
        return;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    if (on) {
        handle(SIGINT, on_interrupt, 0, &before_interrupt);
        sigprocmask(SIG_UNBLOCK, &interrupt, &before_mask);
        return;
    }
    sigprocmask(SIG_SETMASK, &before_mask, NULL);
    sigaction(SIGINT, &before_interrupt, NULL);
}
