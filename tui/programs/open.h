/* Paths -> analysed programs, one after the other. */
#ifndef TUI_PROGRAMS_OPEN_H
#define TUI_PROGRAMS_OPEN_H

#include "core/analysis/program/program.h"
#include "core/load/dump/module.h"

/* What to open. */
struct asked {
    const char *const *paths; /* [n_paths]; none: the shipped example */
    int n_paths;
    const char *module;       /* a name or a unique part of one; NULL: all */
};

/* Calls use(ctx, program) for every module that is asked for.  Warnings and errors go to
 * standard error, one line each.  Returns 0, or 2 when something could not be opened. */
int open_each(const struct asked *asked, void (*use)(void *ctx, const struct program *p), void *ctx);

/* The same with listings, which are no programs: list(ctx, entry) is called for them.  Without, each
 * is a module that cannot be opened. */
struct open_use {
    void (*program)(void *ctx, const struct program *p);
    void (*listing)(void *ctx, const struct dump_entry *e);
    void *ctx;
};
int open_every(const struct asked *asked, const struct open_use *use);

/* ---- Piece by piece ---- */

/* One program that stays open: the program points into the module, so neither may move. */
struct opened {
    struct module *module;
    struct program *program;
};

/* Loads and analyses one module.  Warnings are added to *warnings (const char *, in `a`). */
bool open_module(struct opened *one, const struct dump *d, uint32_t entry, struct arena *a,
                 struct list *warnings, struct diag *diag);
/* The same, and says on standard error what it does while that takes long. */
bool open_shown(struct opened *one, const struct dump *d, uint32_t entry, struct arena *a,
                struct list *warnings, struct diag *diag);
/* The first module of a folder, without its warnings. */
bool open_dir(struct opened *one, const char *dir, struct diag *diag);
void open_close(struct opened *one);

/* Calls use(ctx, dump, selected) for the dump of every path: selected[entry] tells what --module asks
 * for.  The dump is freed afterwards, unless use() zeroed it.  Returns 0, or 2 when a path holds no
 * dump or use() returned 2. */
int open_dumps(const struct asked *asked, int (*use)(void *ctx, struct dump *d, const bool *selected),
               void *ctx);

/* Marks what --module asks for (NULL: all): all of that very name, else the one that the part is in.
 * selected: [entries].  False: there is none, or the part is in several. */
bool open_select(const struct dump *dump, const char *path, const char *module, bool *selected,
                 struct diag *d);

void say_error(const struct diag *d);
void say_warning(const char *text);
/* A module that cannot be opened is an error, but only a warning where there are others. */
void say_failure(const struct diag *d, bool others);
void say_warnings(const struct list *warnings);

#endif
