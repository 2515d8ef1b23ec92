/* The explorer's state, and what it says when it is asked.  update/update.h answers messages.
 *
 * A plain value: no I/O, no time of day, no globals, no pointers into anything.  Copy it, compare it.
 * What must happen outside (leaving, another module, the program to compare with) is wanted by the
 * state and done by explorer.c.
 * Buffers are ids of the program; the program is only read. */
#ifndef TUI_MODEL_APP_H
#define TUI_MODEL_APP_H

#include "tui/model/clock.h"
#include "tui/programs/form.h"
#include "tui/terminal/keys.h"
#include "tui/model/memo.h"
#include "tui/model/search.h"
#include "tui/model/spot.h"
#include "tui/terminal/typing.h"

enum want {
    WANT_NOTHING,
    WANT_QUIT,
    WANT_MODULES,
    WANT_OTHER,
    WANT_FORM,
    WANT_COMPARE,
    WANT_CANCEL,
    WANT_COPY,
    WANT_LESSON,
    WANT_HOME,
    WANT_RUN,
    WANT_CANCEL_RUN,
};
enum focus { FOCUS_CHART, FOCUS_MAP, FOCUS_TABLE, FOCUS_COUNT };
enum mode {
    MODE_MAIN,
    MODE_SEARCH,
    MODE_HELP,
    MODE_PAGE,
    MODE_GRID,
    MODE_COMPARE,
    MODE_FILTER,
    MODE_WHERE, /* r: on the host, or on CUDA? */
};
enum notice { NOTICE_NONE, NOTICE_MATCH, NOTICE_NO_MATCH, NOTICE_NO_QUERY,
              NOTICE_NO_ITERATION, /* [ ]: there is none before or behind, or no loop */
              NOTICE_NO_LOOP,      /* { }: nor a loop */
              NOTICE_NOWHERE,      /* Enter on a line that leads nowhere */
              NOTICE_NO_FORMS,     /* s u t g: there is nothing to toggle */
              NOTICE_END,          /* nor a form beyond this one */
              NOTICE_FORM,         /* another one is shown: `was` and `is` */
              NOTICE_UNKNOWN,      /* it needs a compile, and the one before is still shown */
              NOTICE_ASKING,       /* what-if takes its time */
              NOTICE_WORK,         /* a compile ended otherwise than well, as `work` says */
              NOTICE_RESUMED,      /* opened again where one left */
              NOTICE_NO_OTHER,     /* c: nothing to compare with */
              NOTICE_NOTHING,      /* the key `pressed` does nothing here */
              NOTICE_SAID,         /* `said` */
              NOTICE_ELSEWHERE,    /* Enter on what only the other program has */
              NOTICE_NO_LESSON,    /* L: the example is not there */
              NOTICE_AWAY,         /* Esc in the lesson: how one comes back */
              NOTICE_RUN };        /* what became of a run, as `run` says */

/* What becomes of the form in the background. */
enum work { WORK_NONE, WORK_CHECKING, WORK_COMPILING, WORK_REFUSED, WORK_FAILED, WORK_CANCELLED };

/* A key that waits for a second one. */
enum pending { PENDING_NONE, PENDING_SET_MARK, PENDING_GO_MARK, PENDING_COPY };
enum copy { COPY_BUFFER, COPY_REPORT };
#define COUNT_MOST 9999999
#define LINES_MOST 16 /* command lines kept */
#define PACES 6
/* A page of the lesson beside the views; or one looks around in its program; or neither. */
enum lesson_state { LESSON_NONE, LESSON_OPEN, LESSON_AWAY };
/* What becomes of a run in the background. */
enum running { RUNNING_NOT, RUNNING, RAN, RUN_REFUSED, RUN_ENDED, RUN_NOT_HERE, RUN_NO_PROGRAM };

struct app {
    enum want want;
    bool several;     /* there is a list of modules to go back to */
    int cols, rows;   /* the screen */
    uint64_t limit;   /* bytes of memory there are, 0: unknown */
    enum clock clock; /* what the keys step on, and the chart shows */
    uint64_t at;      /* the moment: on both clocks it tells the iteration of each loop around */
    uint32_t step;    /* 0 … program.steps: the moment's, but where that step never runs */
    struct window zoom[CLOCK_COUNT]; /* what plots show of each clock; n 0: all */
    uint32_t space;   /* the memory space whose bytes are charted */
    buf_id chosen;    /* BUF_NONE, or not alive here: the first row */
    uint32_t top;     /* first row shown; table_top() keeps the chosen row in view */
    enum sort sort;
    struct filter filter; /* of the table's rows */
    enum fold fold;   /* what they are grouped by */
    uint32_t unfolded; /* the group whose rows are shown; KEY_NONE */
    bool on_group;    /* the selected line is the group of `chosen` */
    enum filter_kind menu; /* MODE_FILTER: whose values are listed; FILTER_KINDS: the kinds are */
    uint32_t menu_line;
    bool bytes;       /* figures in bytes, not in GiB and MiB */
    enum focus focus;
    bool map;         /* the map has the screen */
    uint32_t group;   /* the map's allocation; GROUP_NONE: that of the chosen row */
    uint64_t offset;  /* with a group: the map's cursor */
    enum mode mode;
    enum mode helped;       /* MODE_HELP: what it is about, and leads back to */
    int help_top;           /* first line of the help shown */
    enum page_kind page;    /* MODE_PAGE */
    uint32_t page_line;     /* its selected line */
    int page_top;           /* its first row shown; page_top_of() keeps that line in view */
    bool other;             /* the program's other form can be had, and is compared with it */
    enum forms forms;       /* what s, u and t do */
    bool targets;           /* there are several */
    struct form form;       /* the one asked for */
    struct form shown;      /* whose program this is: another one while `form` needs a compile */
    struct form before;     /* shown before, if there was one */
    bool has_before;
    struct form wanted;     /* WANT_FORM */
    uint32_t jump;          /* WANT_FORM: the buffer of that program to go to; BUF_NONE */
    uint64_t was, is;       /* live bytes at the peak, before and after */
    bool compiled;          /* NOTICE_FORM: the same form, now compiled */
    enum work work;
    uint32_t seconds;       /* WORK_CHECKING, WORK_COMPILING: since it began */
    bool measured;          /* there is a trace of this program: it is shown beside the plan */
    bool cuda, has_cuda;    /* WANT_RUN: on CUDA; it is usable */
    enum running running;
    uint32_t run_seconds, run_number; /* since it began; counts the traces that were shown */
    uint64_t run_done, run_total;     /* steps; total 0: not told yet */
    int cell_row, cell_col; /* MODE_GRID: the selected cell */
    uint32_t compare_line;  /* MODE_COMPARE: the selected line, and the first shown */
    int compare_top;
    enum lesson_state lesson;
    int lesson_page;        /* from 0; kept while the lesson is left */
    uint32_t lesson_look;   /* which of its places is shown; on the last page the selected remedy */
    uint32_t lesson_looks;  /* of so many */
    bool lesson_answer;     /* it is shown */
    int lesson_top;         /* the first row of its words that is shown */
    char query[QUERY_MAX];  /* what n and N look for; "": nothing */
    char typed[QUERY_MAX];  /* MODE_SEARCH: the line so far */
    enum notice notice;     /* answer to the last key; gone with the next */
    uint32_t match, matches; /* NOTICE_MATCH: number `match` of `matches` */
    int32_t pressed;        /* NOTICE_NOTHING */
    char said[160];         /* NOTICE_SAID */
    uint32_t count;         /* typed before a key; 0: none */
    enum pending pending;
    enum copy copy;         /* WANT_COPY */
    bool selects;           /* from `anchor`, a unit of the clock, to the cursor */
    uint64_t anchor;
    bool playing;
    uint8_t pace;
    struct trail trail;
    struct spot marks[MARKS_MOST];
    bool arriving;          /* WANT_FORM, WANT_COMPARE: then on to `arrive` */
    struct spot arrive;
    bool commanding;        /* a command line is typed, in `typed` */
    char stem[QUERY_MAX];   /* what was typed before Tab … */
    int tab;                /* … and which of its completions is shown; -1: none */
    char lines[LINES_MOST][QUERY_MAX]; /* earlier ones, the latest first */
    uint32_t n_lines, line; /* the one shown, from 1; 0: a new one */
};

/* The first state: at the peak of the memory in which most bytes live.  limit 0: the device's memory, if the dump tells. */
struct app app_start(const struct program *p, struct memo *memo, int cols, int rows, uint64_t limit);

int app_pace(const struct app *s);
const char *app_pace_text(const struct app *s); /* "2 iterations a second" */

/* Where keys go now: IN_… */
unsigned app_scope(const struct program *p, const struct app *s);
/* Do keys write a line? */
bool app_types(const struct app *s);
/* What Esc does in chart and table now, in a word for the footer; NULL: nothing. */
const char *app_escape_word(const struct app *s);
enum focus app_next_focus(const struct program *p, const struct app *s);

/* What the table asks. */
struct alive_ask app_ask(const struct program *p, struct memo *memo, const struct app *s);

/* The line of the chosen buffer, and the first line to show so that it is among `height`. */
uint32_t app_row(const struct app *s, const struct alive *a);
uint32_t table_top(const struct app *s, const struct alive *a, int height);

/* The cursor's step with the iteration of each loop around it. */
struct moment app_here(const struct program *p, struct memo *memo, const struct app *s);
/* What the table is about: the cursor's step, or what was selected.  In units of the clock: */
struct lapse app_lapse(const struct program *p, struct memo *memo, const struct app *s);
bool app_range(const struct app *s, uint64_t *first, uint64_t *last); /* false: nothing selected */
/* The one the cursor is at. */
static inline uint64_t app_unit(const struct app *s)
{
    return s->clock == CLOCK_EXECUTION ? s->at : s->step;
}

/* What plots of a clock show. */
struct window app_window(const struct program *p, struct memo *memo, const struct app *s, enum clock c);
/* MODE_PAGE: the page that is open. */
const struct page *app_page(const struct program *p, struct memo *memo, const struct app *s);

/* Where the map looks.  Once it has the focus it stays with its allocation; else it follows the
 * chosen row of the table. */
struct map_place app_map(const struct program *p, struct memo *memo, const struct app *s);

/* What a memory space must hold: all that is reserved there (in the main one program_need()); where
 * that is not known, at least the peak of the live bytes. */
uint64_t app_needed(const struct program *p, uint32_t space, bool *known);

/* ---- Changes so small that reading needs them too ---- */

/* Stands at a step, with the loops around it as they are; or at a moment. */
void stand(const struct program *p, struct memo *memo, struct app *s, uint32_t step);
void stand_at(const struct program *p, struct memo *memo, struct app *s, uint64_t at);
void app_escape(struct app *s); /* Esc in chart and table: undoes the innermost thing */

/* ---- What it looks at ---- */

const struct alive *alive_here(const struct program *p, struct memo *memo, const struct app *s);
bool alive_at(const struct program *p, buf_id b, uint32_t step);
/* What Enter would find now. */
struct found search_first(const struct program *p, struct memo *memo, const struct app *s, const char *query);

#endif
