#include "tui/programs/compile.h"

#include <stdio.h>
#include <string.h>

bool compile_busy(const struct compile *c)
{
    return c->state == COMPILE_CHECKING || c->state == COMPILE_RUNNING;
}

double compile_seconds(const struct compile *c)
{
    return compile_busy(c) ? job_seconds(&c->job) : 0;
}

void compile_cancel(struct compile *c)
{
    if (compile_busy(c))
        job_cancel(&c->job);
    c->state = COMPILE_IDLE;
}

static void stop(struct compile *c, enum compile_state state, const char *why)
{
    c->state = state;
    snprintf(c->why, sizeof c->why, "%s", why);
}

static void stop_diag(struct compile *c, enum compile_state state, const struct diag *d)
{
    char text[1400];
    stop(c, state, diag_text(d, text, sizeof text) + strlen("tidemark: "));
}

/* ---- record.py check ---- */

static const char *script(const struct stock *k, char *out, size_t size)
{
    snprintf(out, size, "%s/record.py", k->variants.folder);
    return out;
}

static void refuse(struct compile *c, const char *why)
{
    uint32_t t = c->form.target;
    c->target[t].asked = true;
    c->target[t].can = false;
    snprintf(c->target[t].why, sizeof c->target[t].why, "%s", why);
    stop(c, COMPILE_REFUSED, why);
}

static void start_check(struct compile *c, const struct stock *k)
{
    char path[4096], python[1024], target[64], why[1400];
    struct diag d;
    snprintf(python, sizeof python, "%s", job_python());
    snprintf(target, sizeof target, "%s", k->target[c->form.target]);
    char *argv[] = {python, path, (char[]){"check"}, (char[]){"--target"}, target, NULL};
    script(k, path, sizeof path);
    c->state = COMPILE_CHECKING;
    if (!job_start(&c->job, argv, &d))
        refuse(c, diag_text(&d, why, sizeof why) + strlen("tidemark: "));
}

/* ---- record.py one ---- */

static void start_one(struct compile *c, struct stock *k)
{
    char path[4096], python[1024], target[64], seqlen[24], unroll[24], width[24], out[4096];
    struct form f = form_normal(c->form);
    struct diag d;
    const char *place = variants_place(&k->variants, stock_variant(k, &f), &d);
    if (!place) {
        stop_diag(c, COMPILE_REFUSED, &d);
        return;
    }
    script(k, path, sizeof path);
    snprintf(python, sizeof python, "%s", job_python());
    snprintf(target, sizeof target, "%s", k->target[f.target]);
    snprintf(seqlen, sizeof seqlen, "%lld", (long long)f.seqlen);
    snprintf(unroll, sizeof unroll, f.unroll == VARIANT_FULL ? "full" : "%lld", (long long)f.unroll);
    snprintf(width, sizeof width, "%lld", (long long)f.width);
    snprintf(out, sizeof out, "%s", place);
    char *argv[] = {python, path, (char[]){"one"}, (char[]){"--target"}, target,
                    (char[]){"--seqlen"}, seqlen, (char[]){"--unroll"}, unroll,
                    (char[]){"--width"}, width, (char[]){"--out"}, out, NULL};
    c->state = COMPILE_RUNNING;
    if (!job_start(&c->job, argv, &d))
        stop_diag(c, COMPILE_FAILED, &d);
}

/* ---- From one to the other ---- */

/* What a command said at its end, or that it said nothing. */
static const char *said(const struct compile *c)
{
    const char *colon = strncmp(c->job.said, "record.py: ", 11) == 0 ? c->job.said + 11 : c->job.said;
    return *colon ? colon : "it ended without a word";
}

void compile_start(struct compile *c, struct stock *k, const struct form *form)
{
    compile_cancel(c);
    c->form = *form;
    c->why[0] = '\0';
    if (!c->target[form->target].asked)
        start_check(c, k);
    else if (c->target[form->target].can)
        start_one(c, k);
    else
        stop(c, COMPILE_REFUSED, c->target[form->target].why);
}

enum compile_state compile_poll(struct compile *c, struct stock *k)
{
    bool cached;
    if (!compile_busy(c))
        return c->state;
    enum job_state job = job_poll(&c->job);
    if (job == JOB_RUNNING)
        return c->state;
    if (c->state == COMPILE_CHECKING && job == JOB_DONE) {
        c->target[c->form.target].asked = c->target[c->form.target].can = true;
        start_one(c, k);
    } else if (c->state == COMPILE_CHECKING) {
        refuse(c, said(c));
    } else if (job != JOB_DONE) {
        stop(c, COMPILE_FAILED, said(c));
    } else if (!variants_find(&k->variants, stock_variant(k, &c->form), &cached)) {
        stop(c, COMPILE_FAILED, "it left no program behind");
    } else {
        c->state = COMPILE_DONE;
    }
    return c->state;
}
