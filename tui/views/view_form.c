/* Which form of the program is shown, and how sure its figures are: the words that stay beside them. */
#include "tui/views/views.h"

#include <stdio.h>
#include <string.h>

/* "compiled" … ; "needs a compile" */
const char *method_words(enum whatif_method m)
{
    return m == WHATIF_UNKNOWN ? "needs a compile" : whatif_method_name(m);
}

bool form_figure(const struct scene *v, struct figure *f)
{
    return v->memo->stock && v->s->forms != FORMS_NONE && stock_peek(v->memo->stock, &v->s->form, f);
}

bool shown_figure(const struct scene *v, struct figure *f)
{
    return v->memo->stock && v->s->forms != FORMS_NONE && stock_peek(v->memo->stock, &v->s->shown, f);
}

/* How much of a text there is room for. */
enum length { LONG, MIDDLE, SHORT, SHORTEST, LENGTHS };

static int put(char *out, size_t size, int n, const char *text)
{
    int more = n < 0 || (size_t)n >= size ? 0 : snprintf(out + n, size - (size_t)n, "%s", text);
    return n + more;
}

/* "exact · compiling 12 s"; where nothing is known but that, it alone. */
static void label_text(const struct app *s, const struct figure *f, enum length len, char out[80])
{
    static const char *const kinds[] = {"looking for JAX %u s", "compiling %u s", "%u s"};
    bool unknown = f->method == WHATIF_UNKNOWN, checking = s->work == WORK_CHECKING;
    const char *words = unknown && len == SHORTEST ? "not compiled" : method_words(f->method);
    char work[40];
    if (!checking && s->work != WORK_COMPILING) {
        snprintf(out, 80, "%s", words);
        return;
    }
    snprintf(work, sizeof work, kinds[checking && len < SHORT ? 0 : unknown || len < SHORT ? 1 : 2],
             (unsigned)s->seconds);
    snprintf(out, 80, "%s%s%s", unknown ? "" : words, unknown ? "" : " · ", work);
}

/* Which program the figures are of while another one is asked for. */
static void shown_text(const struct scene *v, enum length len, char *out, size_t size)
{
    const struct app *s = v->s;
    char unroll[24];
    out[0] = '\0';
    if (form_same(&s->form, &s->shown))
        return;
    form_unroll_text(&s->shown, unroll);
    snprintf(out, size, len == LONG ? " · shown: %s %lld unroll %s" : " · shown: %s%lld u%s",
             len == LONG ? form_axis(s->forms) : "s", (long long)s->shown.seqlen, unroll);
}

static void form_words(const struct scene *v, const struct figure *f, enum length len, char *out, size_t size)
{
    static const char *const kinds[LENGTHS] = {
        "%s ◂ %lld ▸  unroll ◂ %s ▸  %s", "%s ◂%lld▸ unroll ◂%s▸ %s",
        "%s %lld unroll %s %s", "%s%lld u%s %s",
    };
    const struct app *s = v->s;
    char unroll[24], label[80], shown[80], target[80] = "";
    form_unroll_text(&s->form, unroll);
    label_text(s, f, len, label);
    shown_text(v, len, shown, sizeof shown);
    if (v->memo->stock->scan && len < SHORTEST)
        snprintf(target, sizeof target, "%.40s: ", v->memo->stock->scan);
    if (s->form.target != s->shown.target)
        snprintf(target, sizeof target, "%.40s  ", v->memo->stock->target[s->form.target]);
    int n = put(out, size, 0, target);
    if (n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, kinds[len], len < SHORTEST ? form_axis(s->forms) : "s", (long long)s->form.seqlen, unroll, label);
    put(out, size, n, shown);
}

static void of_shown(const struct app *s, char *out, size_t size)
{
    char shown[24], asked[24];
    snprintf(out, size, "of s%lld u%s, not s%lld u%s", (long long)s->shown.seqlen, form_unroll_text(&s->shown, shown),
             (long long)s->form.seqlen, form_unroll_text(&s->form, asked));
}

const char *form_text(const struct scene *v, int width, char *out, size_t size)
{
    struct figure f;
    out[0] = '\0';
    if (!form_figure(v, &f))
        return out;
    for (int len = LONG; len < LENGTHS; len++) {
        form_words(v, &f, (enum length)len, out, size);
        if (text_columns(out) <= width)
            return out;
    }
    if (!form_same(&v->s->form, &v->s->shown)) /* the figures are of that one */
        of_shown(v->s, out, size);
    return out;
}

/* ---- Answers to keys ---- */

/* Of "24.00 GiB" the number alone, where the unit is the same as that of `like`. */
static int number_width(const char *text, const char *like)
{
    const char *unit = strchr(text, ' '), *same = strchr(like, ' ');
    return unit && same && strcmp(unit, same) == 0 ? (int)(unit - text) : (int)strlen(text);
}

static const char *change_text(const struct app *s, uint64_t was, uint64_t is, char out[120])
{
    char a[AMOUNT], b[AMOUNT], by[AMOUNT];
    amount(s, was, a);
    amount(s, is, b);
    amount(s, is > was ? is - was : was - is, by);
    if (was == is)
        snprintf(out, 120, "peak %s as before", b);
    else
        snprintf(out, 120, "%.*s → %s, %c%.*s", number_width(a, b), a, b, is > was ? '+' : '-',
                 number_width(a, b) < (int)strlen(a) ? number_width(by, b) : (int)strlen(by), by);
    return out;
}

/* Of another target the width is another as well, which alone changes the peak. */
static const char *width_text(const struct app *s, char out[40])
{
    bool another = s->forms == FORMS_EXAMPLE && !s->compiled && s->has_before && s->before.width != s->shown.width;
    out[0] = '\0';
    if (another)
        snprintf(out, 40, "width %lld: ", (long long)s->shown.width);
    return out;
}

void form_notice(const struct scene *v, char *out, size_t size)
{
    const struct app *s = v->s;
    const char *why = v->memo->work ? v->memo->work : "";
    struct figure f = {.note = ""};
    char change[120], wide[40];
    form_figure(v, &f);
    switch (s->notice) {
    case NOTICE_FORM:
        snprintf(out, size, "%s%s%s", width_text(s, wide), s->compiled ? "compiled: " : "",
                 change_text(s, s->was, s->is, change));
        break;
    case NOTICE_UNKNOWN: snprintf(out, size, "needs a compile: %s", f.note); break;
    case NOTICE_ASKING: snprintf(out, size, "asking what-if: a large program, some seconds"); break;
    case NOTICE_WORK:
        if (s->work == WORK_CANCELLED)
            snprintf(out, size, "the compile was cancelled");
        else
            snprintf(out, size, "%s: %s", s->work == WORK_REFUSED ? "no compile here" : "the compile failed", why);
        break;
    case NOTICE_NO_FORMS:
        snprintf(out, size, "%s", s->forms != FORMS_NONE ? "there is one target: only the example has several"
                                  : v->memo->stock && v->memo->stock->why_not ? v->memo->stock->why_not
                                                                              : "there is no other form of this program");
        break;
    case NOTICE_END: snprintf(out, size, "no more that way"); break;
    case NOTICE_NO_OTHER:
        snprintf(out, size, "nothing to compare with%s; tidemark diff A B compares dumps",
                 s->forms == FORMS_NONE ? "" : " yet: s and u show another form");
        break;
    case NOTICE_ELSEWHERE: snprintf(out, size, "only A has it: Tab goes there"); break;
    default: break;
    }
}
