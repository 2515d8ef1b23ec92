#include "core/load/dump/dump_add.h"
#include "core/load/proto/xplane.h"

#include <string.h>

/* ---- Profiles ---- */

/* "jit_step(17)" -> "jit_step" */
static const char *without_id(struct arena *a, const char *name)
{
    const char *bracket = strrchr(name, '(');
    return arena_text(a, name, bracket && bracket > name ? (size_t)(bracket - name) : strlen(name));
}

static void add_program(struct dump *d, const struct dump_entry *as, const struct xplane *x,
                        const struct xplane_program *p)
{
    struct arena *a = &d->arena;
    struct dump_entry *e = list_add(a, &d->entries, sizeof *e);
    size_t size = wire_left(&p->proto);
    e->dir = as->dir;
    e->stem = arena_text(a, p->name, strlen(p->name));
    e->name = without_id(a, p->name);
    e->platform = x->platform;
    e->held.name = arena_printf(a, "%s:%s", as->path[DUMP_PROFILE], p->name);
    e->held.text = arena_text(a, (const char *)p->proto.at, size);
    e->held.size = size;
    e->path[DUMP_HLO_PROTO] = e->held.name;
}

bool dump_add_programs(struct dump *d, const struct dump_entry *as, const struct file *f, struct diag *diag)
{
    struct arena scratch = {0};
    struct xplane x;
    bool ok = xplane_read(&scratch, &x, f, diag);
    for (uint32_t k = 0; ok && k < x.programs.n; k++)
        add_program(d, as, &x, (const struct xplane_program *)x.programs.items + k);
    if (ok && !x.programs.n) {
        ok = diag_file(diag, f->name, "is a profile that holds no program");
        diag_hint(diag, "let a jitted function run while jax.profiler traces; or dump it: XLA_FLAGS=\""
                        "--xla_dump_to=DIR --xla_dump_hlo_as_proto\"");
    }
    arena_free(&scratch);
    return ok;
}

/* ---- Listings ---- */

static enum platform platform_of(const struct dump_entry *as, const struct listing *l)
{
    switch (l->form) {
    case LISTING_GPU: case LISTING_POOL: return PLATFORM_GPU;
    case LISTING_TPU: case LISTING_RESERVATION: return PLATFORM_TPU;
    default: return as->platform;
    }
}

bool dump_add_listings(struct dump *d, const struct dump_entry *as, const struct file *f)
{
    struct arena *a = &d->arena;
    struct list found = {0};
    listing_read(a, &found, f);
    const char *file = arena_text(a, f->name, strlen(f->name));
    for (uint32_t k = 0; k < found.n; k++) {
        const struct listing *l = ((struct listing **)found.items)[k];
        struct dump_entry *e = list_add(a, &d->entries, sizeof *e);
        bool report = l->form == LISTING_REPORT && l->space;
        *e = *as;
        e->listing = l;
        e->name = l->program ? l->program : as->name;
        e->stem = report ? arena_printf(a, "%s %s", as->stem, l->space)
                         : arena_printf(a, "%s:%u", as->stem, (unsigned)l->line);
        e->platform = platform_of(as, l);
        for (int kind = 0; kind < DUMP_KINDS; kind++)
            e->path[kind] = NULL;
        e->path[DUMP_REPORT] = file;
    }
    return found.n > 0;
}
