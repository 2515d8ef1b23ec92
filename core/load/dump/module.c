/* Loading one module: which halves are sound, whether they belong together, what stands in for
 * what.  Files are read into a scratch arena and dropped as soon as they are parsed. */
#include "core/load/dump/content.h"
#include "core/load/dump/module_build.h"
#include "core/load/proto/assignment_proto.h"
#include "core/load/proto/hlo_proto.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "core/load/text/target_config.h"

#include <stdio.h>
#include <string.h>

void loader_note(struct loader *l, const struct diag *d, const char *before)
{
    struct diag with = *d;
    char text[8192];
    if (!l->failed)
        *l->diag = *d;
    l->failed = true;
    snprintf(with.what, sizeof with.what, "%s%.*s", before, (int)(sizeof with.what - 1 - strlen(before)), d->what);
    diag_text(&with, text, sizeof text);
    dump_warn(&l->m->arena, &l->m->warnings, "%s", text + strlen("tidemark: "));
}

/* ---- Files ---- */

static bool read_file(struct loader *l, struct file *f, const char *path, struct diag *d)
{
    arena_free(&l->content);
    if (l->e->held.text && path == l->e->held.name)
        *f = l->e->held;
    else if (!file_read(&l->content, f, path, d))
        return false;
    f->name = arena_text(&l->m->arena, f->name, strlen(f->name)); /* outlives the content */
    return true;
}

static void forget_program(struct module *m)
{
    hlo_init(&m->hlo, &m->arena, NULL);
    m->has_hlo = false;
}

static void load_proto(struct loader *l)
{
    struct module *m = l->m;
    struct file f;
    struct diag d;
    bool has_assignment = false;
    l->proto = (struct assignment){.arena = &m->arena};
    bool ok = read_file(l, &f, l->e->path[DUMP_HLO_PROTO], &d);
    if (ok) {
        hlo_init(&m->hlo, &m->arena, f.name);
        ok = hlo_proto_read(&m->hlo, &l->proto, &has_assignment, &f, &d);
        /* The assignment is begun only when the program is finished: then it alone is broken. */
        m->has_hlo = ok || l->proto.file;
        if (l->e->held.text)
            m->hlo.held = &l->e->held;
    }
    l->has_proto = ok && has_assignment;
    if (!ok)
        loader_note(l, &d, m->has_hlo ? LOADER_UNUSABLE : "not used: ");
    if (!m->has_hlo)
        forget_program(m);
}

/* A buffer assignment without its program. */
static void load_assignment_proto(struct loader *l)
{
    struct file f;
    struct diag d;
    l->proto = (struct assignment){.arena = &l->m->arena};
    l->has_proto = read_file(l, &f, l->e->path[DUMP_ASSIGNMENT_PROTO], &d) &&
                   assignment_proto_read(&l->proto, wire_file(&f), &d) &&
                   assignment_proto_name(&l->proto, wire_file(&f), &d);
    if (!l->has_proto)
        loader_note(l, &d, "not used: ");
}

static void load_text(struct loader *l)
{
    struct module *m = l->m;
    struct file f;
    struct diag d;
    bool ok = read_file(l, &f, l->e->path[DUMP_HLO_TEXT], &d);
    if (ok) {
        hlo_init(&m->hlo, &m->arena, f.name);
        ok = hlo_text_read(&m->hlo, &f, &d);
    }
    m->has_hlo = ok;
    if (ok)
        return;
    loader_note(l, &d, "not used: ");
    forget_program(m);
}

/* ---- Reports ---- */

/* One of the text reports; a broken one adds nothing. */
static bool load_report(struct loader *l, enum dump_kind kind)
{
    struct assignment before = l->text;
    struct file f;
    struct diag d;
    const char *path = l->e->path[kind];
    if (!path)
        return false;
    if (read_file(l, &f, path, &d) && assignment_text_read(&l->text, &f, &d)) {
        if (l->m->has_hlo && l->m->hlo.implied_gtes)
            loader_read_positions(l, &f);
        return true;
    }
    l->text = before;
    loader_note(l, &d, "not used: ");
    return false;
}

static void load_reports(struct loader *l)
{
    l->text = (struct assignment){.arena = &l->m->arena};
    l->has_text = load_report(l, DUMP_ASSIGNMENT);
    load_report(l, DUMP_VALUES);
    load_report(l, DUMP_RANGES);
    arena_free(&l->content);
}

/* CPU dumps up to jax 0.4.20 have no schedule in the proto, only in the live ranges. */
static void take_schedule(struct loader *l)
{
    struct module *m = l->m;
    const struct assignment *a = &m->assignment;
    struct diag d;
    if (!m->has_hlo || m->hlo.scheduled || !a->sequence.n)
        return;
    if (!hlo_schedule_by_names(&m->hlo, a->sequence.items, a->sequence.n, &d))
        dump_warn(&m->arena, &m->warnings, "%s: its schedule does not fit %s: %s", a->ranges_file,
                  m->hlo.file, d.what);
}

static void load_target(struct loader *l)
{
    struct target_config t;
    struct file f;
    struct diag d;
    const char *path = l->e->path[DUMP_TARGET];
    struct module *m = l->m;
    if (!path || (m->platform != PLATFORM_GPU && m->platform != PLATFORM_UNKNOWN))
        return;
    m->platform = PLATFORM_GPU;
    if (read_file(l, &f, path, &d) && target_config_read(&m->arena, &t, &f, &d)) {
        m->device = t.device;
        m->device_memory = t.device_memory;
    } else
        loader_note(l, &d, "the device is not known: ");
}

/* ---- The module ---- */

/* XLA's file names cut and sanitize nothing of a JAX name; a file of another name says nothing. */
static const char *module_name(const struct loader *l)
{
    const struct module *m = l->m;
    bool told = strcmp(l->e->name, l->e->stem) != 0 || l->e->platform;
    bool knows = m->has_hlo && m->hlo.name && *m->hlo.name;
    const char *name = !told && knows ? m->hlo.name : l->e->name;
    return arena_text(&l->m->arena, name, strlen(name));
}

static bool form_is_there(const struct dump_entry *e, enum dump_form form, struct diag *diag)
{
    if (form == FORM_PROTO && !e->path[DUMP_HLO_PROTO])
        return diag_file(diag, e->stem, "there is no *.hlo.pb of it");
    if (form == FORM_TEXT && !e->path[DUMP_HLO_TEXT] && !e->path[DUMP_ASSIGNMENT])
        return diag_file(diag, e->stem, "there is no text of it");
    return true;
}

bool dump_load(const struct dump *d, uint32_t entry, enum dump_form form, struct module *m,
               struct diag *diag)
{
    const struct dump_entry *e = dump_entry(d, entry);
    struct loader l = {.e = e, .m = m, .diag = diag};
    *m = (struct module){.platform = e->platform};
    if (e->listing) {
        diag_at(diag, e->path[DUMP_REPORT], e->listing->line, 1, "is a snapshot, a list of buffers, and holds no program");
        return diag_hint(diag, "dump the program: " CONTENT_FLAGS);
    }
    if (!form_is_there(e, form, diag))
        return false;
    forget_program(m);
    if (form != FORM_TEXT && e->path[DUMP_HLO_PROTO])
        load_proto(&l);
    if (form != FORM_PROTO && !m->has_hlo && e->path[DUMP_HLO_TEXT])
        load_text(&l);
    if (form != FORM_TEXT && !e->path[DUMP_HLO_PROTO] && e->path[DUMP_ASSIGNMENT_PROTO])
        load_assignment_proto(&l);
    load_reports(&l);
    loader_place_implied(&l);
    loader_check_names(&l);
    loader_choose_assignment(&l);
    take_schedule(&l);
    bool ok = m->has_hlo || m->has_assignment;
    if (ok) {
        m->stem = arena_text(&m->arena, e->stem, strlen(e->stem));
        m->dir = arena_text(&m->arena, e->dir, strlen(e->dir));
        m->name = module_name(&l);
        m->file = m->has_hlo ? m->hlo.file : m->assignment.file;
        if (m->platform == PLATFORM_UNKNOWN)
            m->platform = module_platform(m);
        load_target(&l);
    } else {
        if (!l.failed)
            diag_file(diag, e->stem, "there is neither a program nor a buffer assignment of it");
        module_free(m);
    }
    arena_free(&l.content);
    arena_free(&l.scratch);
    return ok;
}

void module_free(struct module *m)
{
    arena_free(&m->arena);
    *m = (struct module){0};
}
