/* record: run a command so that XLA dumps what it compiles, then open the dump. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#endif
#include "core/base/file.h"
#include "tui/cli/commands.h"
#include "tui/programs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool say_file(const char *name, const char *what)
{
    struct diag d;
    diag_file(&d, name, "%s", what);
    say_error(&d);
    return false;
}

/* ---- XLA_FLAGS ---- */

/* What the user has there.  XLA takes a value that begins with no dash for the name of a file with
 * the flags. */
static bool own_flags(struct arena *a, const char **flags)
{
    const char *text = getenv("XLA_FLAGS");
    struct file f;
    struct diag d;
    *flags = text ? text : "";
    const char *word = *flags + strspn(*flags, " \t\r\n");
    if (!*word || *word == '-')
        return true;
    if (!file_read(a, &f, word, &d)) {
        say_error(&d);
        return false;
    }
    char *copy = arena_text(a, f.text, f.size);
    for (char *c = copy; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    *flags = copy;
    return true;
}

/* The last value of --name=value (as in XLA, which reads from left to right); NULL: not there. */
static const char *flag_value(struct arena *a, const char *flags, const char *name)
{
    const char *value = NULL;
    size_t len = strlen(name);
    for (const char *at = flags; (at = strstr(at, name)); at += len) {
        if ((at > flags && !strchr(" \t\r\n", at[-1])) || at[len] != '=')
            continue;
        const char *from = at + len + 1, *end;
        char quote = *from == '"' || *from == '\'' ? *from++ : '\0';
        end = quote ? strchr(from, quote) : NULL;
        value = arena_text(a, from, end ? (size_t)(end - from) : strcspn(from, " \t\r\n"));
    }
    return value;
}

/* The user's flags and ours; those of ours that the user has set stay the user's. */
static const char *all_flags(struct arena *a, const char *own, const char *dir)
{
    const char *quote = strpbrk(dir, " \t") ? "\"" : "";
    const char *to = flag_value(a, own, "--xla_dump_to") ? ""
                     : arena_printf(a, " --xla_dump_to=%s%s%s", quote, dir, quote);
    const char *proto = flag_value(a, own, "--xla_dump_hlo_as_proto") ? "" : " --xla_dump_hlo_as_proto=true";
    const char *text = flag_value(a, own, "--xla_dump_hlo_as_text") ? "" : " --xla_dump_hlo_as_text=true";
    return arena_printf(a, "%s%s%s%s", own, to, proto, text);
}

/* ---- Where to ---- */

struct place {
    const char *dir;
    bool temporary; /* ours, to be removed */
};

/* The directory of -o, made if it is not there.  Its whole name: the command may go elsewhere. */
static bool make_place(struct arena *a, struct place *p)
{
    struct stat s;
    if (mkdir(p->dir, 0777) != 0 && errno != EEXIST)
        return say_file(p->dir, strerror(errno));
    if (stat(p->dir, &s) != 0 || !S_ISDIR(s.st_mode))
        return say_file(p->dir, "is no directory");
    char *whole = realpath(p->dir, NULL);
    if (!whole)
        return say_file(p->dir, strerror(errno));
    p->dir = arena_text(a, whole, strlen(whole));
    free(whole);
    return true;
}

static bool choose_place(struct arena *a, const struct options *o, const char *own, struct place *p)
{
    *p = (struct place){o->output, false};
    if (!p->dir)
        p->dir = flag_value(a, own, "--xla_dump_to");
    if (o->output && flag_value(a, own, "--xla_dump_to"))
        return say_file(NULL, "-o and a --xla_dump_to in XLA_FLAGS name two places (take one away)");
    if (o->output && !make_place(a, p))
        return false;
    if (p->dir && strpbrk(p->dir, "\"'\\\n"))
        return say_file(p->dir, "XLA_FLAGS cannot hold a name with quotes in it");
    if (p->dir)
        return true;
    const char *tmp = getenv("TMPDIR");
    char *name = arena_printf(a, "%s/tidemark-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(name))
        return say_file(name, strerror(errno));
    *p = (struct place){name, true};
    return true;
}

/* ---- Running ---- */

/* In the child: tells the parent by the pipe if there is no such command. */
static _Noreturn void become(char *const *run, int pipe_end)
{
    execvp(run[0], run);
    int why = errno;
    ssize_t wrote = write(pipe_end, &why, sizeof why);
    _exit(wrote == (ssize_t)sizeof why ? 127 : 126);
}

/* The command has the terminal: what Ctrl-C and Ctrl-\ do is its affair. */
static bool run_command(char *const *run, int *status)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
    int ends[2], why = 0;
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0)
        return say_file(run[0], strerror(errno));
    sigaction(SIGINT, &ignore, &old_int);
    sigaction(SIGQUIT, &ignore, &old_quit);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        sigaction(SIGINT, &old_int, NULL);
        sigaction(SIGQUIT, &old_quit, NULL);
        become(run, ends[1]);
    }
    close(ends[1]);
    if (child < 0)
        why = errno;
    else if (read(ends[0], &why, sizeof why) != (ssize_t)sizeof why)
        why = 0;
    close(ends[0]);
    while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    return why ? say_file(run[0], strerror(why)) : true;
}

static const char *ending(struct arena *a, int status)
{
    if (WIFSIGNALED(status))
        return arena_printf(a, "was ended by signal %d", WTERMSIG(status));
    return arena_printf(a, "ended with status %d", WEXITSTATUS(status));
}

/* ---- The whole ---- */

static void warn_of_old(struct arena *a, const struct place *p)
{
    struct dump dump;
    struct diag d;
    if (p->temporary || !dump_find(&dump, p->dir, &d))
        return;
    dump_free(&dump);
    say_warning(arena_printf(a, "%s has a dump from before (what is shown may be of it)", p->dir));
}

static int open_place(struct arena *a, const struct options *o, const struct place *p, int status)
{
    struct options then = *o;
    struct dump dump;
    struct diag d;
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (!dump_find(&dump, p->dir, &d)) {
        diag_file(&d, NULL, "%s %s, and XLA dumped nothing", o->run[0], ending(a, status));
        diag_hint(&d, "does it compile anything with JAX or XLA, in a process that inherits XLA_FLAGS?");
        say_error(&d);
        return 2;
    }
    dump_free(&dump);
    if (failed)
        say_warning(arena_printf(a, "%s %s", o->run[0], ending(a, status)));
    then.command = COMMAND_EXPLORE;
    then.asked.paths = &p->dir;
    then.asked.n_paths = 1;
    return command_explore(&then);
}

int command_record(const struct options *o)
{
    struct arena a = {0};
    struct place p;
    const char *own;
    int status = 0, code = 2;
    if (own_flags(&a, &own) && choose_place(&a, o, own, &p)) {
        setenv("XLA_FLAGS", all_flags(&a, own, p.dir), 1);
        setenv("JAX_ENABLE_COMPILATION_CACHE", "false", 0); /* what comes from a cache dumps nothing */
        warn_of_old(&a, &p);
        if (run_command(o->run, &status))
            code = open_place(&a, o, &p, status);
        if (p.temporary)
            file_remove_tree(p.dir);
    }
    arena_free(&a);
    return code;
}
