#include "tui/cli/options_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct taker {
    struct diag *d;
    const struct given *g;
};

static bool refuse(const struct taker *t, const char *wanted)
{
    diag_file(t->d, NULL, "%s %s: expected %s", t->g->option->name, t->g->text, wanted);
    return options_usage(t->d);
}

static bool number(const struct taker *t, uint32_t least, uint32_t *out)
{
    const char *text = t->g->text;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || n > UINT32_MAX - 1 || n < least)
        return refuse(t, least ? "a whole number from 1 to 4294967294" : "a whole number up to 4294967294");
    *out = (uint32_t)n;
    return true;
}

static bool count(const struct taker *t, int64_t *out)
{
    uint32_t n;
    if (!number(t, 1, &n))
        return false;
    *out = n;
    return true;
}

static bool size(const struct taker *t, int *cols, int *rows)
{
    char *end, *end2 = NULL;
    long c = strtol(t->g->text, &end, 10);
    bool ok = isdigit((unsigned char)*t->g->text) && (*end == 'x' || *end == 'X') &&
              isdigit((unsigned char)end[1]);
    long r = ok ? strtol(end + 1, &end2, 10) : 0;
    if (!ok || *end2 || c < 1 || r < 1 || c > 1000 || r > 1000)
        return refuse(t, "COLSxROWS, such as 80x24, at most 1000x1000");
    *cols = (int)c;
    *rows = (int)r;
    return true;
}

static bool seconds(const struct taker *t, double *out)
{
    char *end;
    double s = strtod(t->g->text, &end);
    if (!isdigit((unsigned char)*t->g->text) || *end || !(s > 0) || s > 86400)
        return refuse(t, "seconds, more than 0 and at most 86400");
    *out = s;
    return true;
}

/* Which of the option's words it is, from 0. */
static bool word(const struct taker *t, int *out)
{
    const char *value = t->g->option->value, *w;
    char wanted[100] = "";
    size_t len, used = 0, last_len;
    for (size_t k = 0; (w = cli_value_word(value, k, &len)); k++) {
        if (strlen(t->g->text) == len && memcmp(t->g->text, w, len) == 0) {
            *out = (int)k;
            return true;
        }
        const char *before = !k ? "" : cli_value_word(value, k + 1, &last_len) ? ", " : " or ";
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%.*s", before, (int)len, w);
        if (used >= sizeof wanted)
            break;
    }
    return refuse(t, wanted);
}

static bool unroll(const struct taker *t, int64_t *out)
{
    if (strcmp(t->g->text, "full") == 0) {
        *out = INT64_MAX;
        return true;
    }
    return isdigit((unsigned char)*t->g->text) ? count(t, out) : refuse(t, "a whole number or full");
}

static bool text(const struct taker *t, const char **out, const char *wanted)
{
    *out = t->g->text;
    return **out || refuse(t, wanted);
}

static bool bytes(const struct taker *t, struct report_options *r)
{
    r->has_limit = true;
    return bytes_parse(t->g->text, &r->limit) || refuse(t, "bytes, such as 80G");
}

static bool take_flag(struct options *o, enum option option)
{
    switch (option) {
    case OPTION_JSON: return o->json = true;
    case OPTION_CSV: return o->csv = true;
    case OPTION_EXECUTION: return o->execution = true;
    case OPTION_MEMORY_ONLY: return o->memory_only = true;
    case OPTION_PROGRESS: return o->progress = true;
    case OPTION_XLA: return o->xla = true;
    case OPTION_ASCII: return o->ascii = o->report.ascii = true;
    case OPTION_DUMP: return o->dump = true;
    case OPTION_PRINT_CONFIG: return o->print_config = true;
    case OPTION_HELP: return o->help = true;
    case OPTION_VERSION: return o->version = true;
    default: return false;
    }
}

static bool take_word(struct options *o, const struct taker *t)
{
    int k = 0;
    if (!word(t, &k))
        return false;
    switch (t->g->option->option) {
    case OPTION_BY: o->report.by = (enum report_by)(BY_LINE + k); break;
    case OPTION_COLOR: o->color = (enum color)k; break;
    case OPTION_FORMAT: o->has_format = true, o->format = (enum export_format)k; break;
    case OPTION_VIEW: o->view = (enum export_view)k; break;
    case OPTION_GUARDS: o->guards = k; break;
    case OPTION_BACKEND: o->backend = t->g->text; break;
    case OPTION_COMPLETION: o->completion = t->g->text; break;
    default: return false;
    }
    return true;
}

bool option_take(struct options *o, const struct given *g, struct diag *d)
{
    const struct taker t = {d, g};
    if (!g->text)
        return take_flag(o, g->option->option);
    switch (g->option->option) {
    case OPTION_MODULE: return text(&t, &o->asked.module, "a module's name");
    case OPTION_LOOP: return text(&t, &o->loop, "the name of a while");
    case OPTION_INPUTS: return text(&t, &o->inputs, "a directory");
    case OPTION_EXPECT: return text(&t, &o->expect, "a directory");
    case OPTION_STATE: return text(&t, &o->state, "a directory");
    case OPTION_TRACE: return text(&t, &o->trace, "a file's name");
    case OPTION_OUTPUT: return text(&t, &o->output, "a file's name");
    case OPTION_CONFIG: return text(&t, &o->config, "a file");
    case OPTION_LIMIT: return bytes(&t, &o->report);
    case OPTION_AT: o->report.has_at = true; return number(&t, 0, &o->report.at);
    case OPTION_TOP: return number(&t, 1, &o->report.top);
    case OPTION_SEQLEN: return count(&t, &o->seqlen);
    case OPTION_WIDTH: return count(&t, &o->width);
    case OPTION_UNROLL: return unroll(&t, &o->unroll);
    case OPTION_BUDGET: return seconds(&t, &o->budget);
    case OPTION_SIZE: return size(&t, &o->cols, &o->rows);
    case OPTION_KEYS: o->keys = g->text; return true; /* none is a sequence too */
    default: return take_word(o, &t);
    }
}
