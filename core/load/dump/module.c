/* Loading one module: which halves are sound, whether they belong together, what stands in for
 * what.  Files are read into a scratch arena and dropped as soon as they are parsed. */
#include "core/base/strmap.h"
#include "core/load/dump/content.h"
#include "core/load/dump/dump.h"
#include "core/load/proto/hlo_proto.h"
#include "core/load/proto/proto.h"
#include "core/load/text/assignment_text.h"
#include "core/load/text/hlo_text.h"
#include "core/load/text/target_config.h"

#include <stdio.h>
#include <string.h>

static const char unusable[] = "buffer assignment is not usable: ";

struct loader {
    const struct dump *d;
    const struct dump_entry *e;
    struct module *m;
    struct diag *diag; /* the first failure: the answer when no half is sound */
    bool failed;
    struct assignment proto, text;
    bool has_proto, has_text; /* they hold allocations */
    struct arena content;     /* of the file that is being read */
    struct arena scratch;
    struct strmap names; /* instruction names of the program, filled when first asked */
    bool has_names;
    /* Which value stands where, for the instructions that the text leaves out; 0: unknown. */
    struct strmap value_of; /* name that the program lacks -> value */
    uint32_t *inst_value;   /* [hlo.insts.n] */
    uint32_t n_values;
};

/* A failure that leaves the other half: "FILE:LINE:COL: <before>what (hint)" as a warning. */
static void note(struct loader *l, const struct diag *d, const char *before)
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
        note(l, &d, m->has_hlo ? unusable : "not used: ");
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
        note(l, &d, "not used: ");
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
    note(l, &d, "not used: ");
    forget_program(m);
}

/* ---- Names of the program ---- */

static inst_id inst_named(struct loader *l, const char *name, size_t len)
{
    const struct hlo *h = &l->m->hlo;
    for (inst_id i = 0; !l->has_names && i < h->insts.n; i++) {
        const char *known = hlo_inst(h, i)->name;
        strmap_put(&l->scratch, &l->names, known, strlen(known), i);
    }
    l->has_names = true;
    return strmap_find(&l->names, name, len);
}

static bool in_program(struct loader *l, const char *name)
{
    return inst_named(l, name, strlen(name)) != STRMAP_NONE;
}

/* "while.0 {1,0}", where a value stands -> "while.0#1#0", as its instruction would be called. */
static size_t implied_name(const char *line, size_t len, char *out)
{
    size_t n = 0;
    for (size_t k = 0; k < len; k++) {
        char c = line[k];
        if (c == '{' || c == ',')
            out[n++] = '#';
        else if (c != ' ' && c != '}' && c != '\r')
            out[n++] = c;
    }
    return n && out[n - 1] == '#' ? n - 1 : n; /* "{}" */
}

/* Lines "  NAME[ {I}]" between " positions:" and " uses:", for each of the "Used values:". */
static void read_positions(struct loader *l, const struct file *f)
{
    static const char begin[] = " positions:", end[] = " uses:";
    const struct hlo *h = &l->m->hlo;
    bool on = false;
    if (!l->inst_value)
        l->inst_value = arena_array(&l->scratch, h->insts.n, sizeof *l->inst_value);
    for (const char *at = f->text, *stop = at + f->size, *next; at < stop; at = next) {
        const char *nl = memchr(at, '\n', (size_t)(stop - at));
        size_t len = (size_t)((nl ? nl : stop) - at);
        next = nl ? nl + 1 : stop;
        if (len >= sizeof begin - 1 && memcmp(at, begin, sizeof begin - 1) == 0) {
            on = true;
            l->n_values++;
        } else if (!on || (len >= sizeof end - 1 && memcmp(at, end, sizeof end - 1) == 0)) {
            on = false;
        } else {
            char *name = arena_get(&l->content, len + 1);
            len = implied_name(at, len, name);
            inst_id i = inst_named(l, name, len);
            if (i == STRMAP_NONE)
                strmap_put(&l->scratch, &l->value_of, name, len, l->n_values);
            else if (hlo_inst(h, i)->implied && !l->inst_value[i])
                l->inst_value[i] = l->n_values;
        }
    }
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
            read_positions(l, &f);
        return true;
    }
    l->text = before;
    note(l, &d, "not used: ");
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

/* ---- Instructions that the text leaves out ---- */

/* Does it have every instruction that the text has, of each computation it names? */
static bool sequence_fits(struct loader *l, const struct list *sequence)
{
    const struct hlo *h = &l->m->hlo;
    const char *const *names = sequence->items;
    uint32_t *left = arena_array(&l->scratch, h->comps.n, sizeof *left);
    bool *named = arena_array(&l->scratch, h->comps.n, sizeof *named), fits = true;
    for (inst_id i = 0; i < h->insts.n; i++)
        left[hlo_inst(h, i)->comp] += !hlo_inst(h, i)->implied;
    for (uint32_t k = 0; k < sequence->n; k++) {
        inst_id i = inst_named(l, names[k], strlen(names[k]));
        if (i == STRMAP_NONE)
            continue;
        named[hlo_inst(h, i)->comp] = true;
        left[hlo_inst(h, i)->comp]--;
    }
    for (comp_id c = 0; c < h->comps.n; c++)
        fits &= !named[c] || left[c] == 0;
    return fits && named[h->entry];
}

static bool place(struct loader *l, const struct list *sequence, bool by_value, struct diag *d)
{
    const char *const *names = sequence->items;
    uint32_t *name_value = arena_array(&l->scratch, sequence->n, sizeof *name_value);
    uint32_t *none = arena_array(&l->scratch, l->m->hlo.insts.n, sizeof *none);
    for (uint32_t k = 0; by_value && k < sequence->n; k++) {
        uint32_t value = strmap_find(&l->value_of, names[k], strlen(names[k]));
        name_value[k] = value == STRMAP_NONE ? 0 : value;
    }
    struct hlo_sequence s = {names, sequence->n, name_value, by_value ? l->inst_value : none,
                             by_value ? l->n_values : 0};
    return hlo_place_implied(&l->m->hlo, &s, d);
}

/* Takes places, and names where they are certain, from the InstructionSequence. */
static void place_implied(struct loader *l)
{
    struct module *m = l->m;
    const struct list *sequence = &l->text.sequence;
    struct diag d;
    if (!m->has_hlo || !m->hlo.implied_gtes || !sequence->n || !sequence_fits(l, sequence))
        return;
    m->hlo.implied_placed = l->n_values && place(l, sequence, true, &d);
    if (!m->hlo.implied_placed && !place(l, sequence, false, &d))
        dump_warn(
            &m->arena, &m->warnings,
            "%s: does not tell where the get-tuple-elements that %s leaves out are: %s: steps "
            "are counted differently",
            l->text.ranges_file, m->hlo.file, d.what);
    for (uint32_t k = 0; k < sequence->n; k++) { /* none is a stranger */
        const char *name = ((const char *const *)sequence->items)[k];
        strmap_put(&l->scratch, &l->names, name, strlen(name), 0);
    }
}

/* ---- Do the halves belong together? ---- */

/* The first name that the program lacks, or NULL. */
static const char *stranger_in_values(struct loader *l, const struct assignment *a)
{
    for (uint32_t i = 0; i < a->values.n; i++) {
        const char *name = assignment_value(a, i)->name;
        if (name && !in_program(l, name))
            return name;
    }
    return NULL;
}

/* Are these the same array, "f32[2,<=4]{1,0}" in a report and the program's shape?  Layouts are left
 * out, and so are tuples. */
static bool same_array(const struct shapes *s, shape_id id, const char *reported)
{
    char text[512];
    if (!shape_is_array(s, id))
        return true;
    shape_text(s, id, false, text, sizeof text);
    const char *a = text, *b = reported;
    for (; *a; a++, b++) {
        while (*b == '<' || *b == '=') /* a bounded dynamic dimension */
            b++;
        if (*a != *b)
            return false;
    }
    return *b == '\0' || *b == '{';
}

/* The first value whose shape is not that of its instruction, or NULL. */
static const struct dump_value *misshapen(struct loader *l, const struct assignment *a)
{
    const struct hlo *h = &l->m->hlo;
    for (uint32_t k = 0; k < a->values.n; k++) {
        const struct dump_value *v = assignment_value(a, k);
        inst_id i = v->name && v->shape ? inst_named(l, v->name, strlen(v->name)) : STRMAP_NONE;
        if (i == STRMAP_NONE)
            continue;
        shape_id shape = hlo_inst(h, i)->shape;
        uint32_t node = shape_path_find(&h->shapes, shape, assignment_path(a, v->path), v->path.n);
        if (node == SHAPE_NONE || !same_array(&h->shapes, shape + node, v->shape))
            return v;
    }
    return NULL;
}

static const char *stranger_in_claims(struct loader *l, const struct assignment *a)
{
    const struct claimed_range *ranges = a->ranges.items;
    const char *const *sequence = a->sequence.items;
    for (uint32_t i = 0; i < a->sequence.n; i++)
        if (!in_program(l, sequence[i]))
            return sequence[i];
    for (uint32_t i = 0; i < a->ranges.n; i++)
        if (!in_program(l, ranges[i].name))
            return ranges[i].name;
    return NULL;
}

static void drop_claims(struct assignment *a)
{
    a->ranges = a->sequence = (struct list){0};
    a->ranges_file = NULL;
    a->has_max = a->has_peak = a->recent = false;
    a->max = a->peak_step = 0;
    a->peak_bytes = 0;
}

static void drop_allocations(struct assignment *a)
{
    a->allocs = a->values = (struct list){0};
    a->has_total = false;
    a->total = 0;
}

static void warn_stranger(struct loader *l, const char *file, const char *name, const char *dropped)
{
    dump_warn(&l->m->arena, &l->m->warnings,
              "%s: names %s, which %s does not have: they are of different programs, %s not used",
              file, name, l->m->hlo.file, dropped);
}

static void warn_misshapen(struct loader *l, const struct dump_value *v)
{
    dump_warn(&l->m->arena, &l->m->warnings,
              "%s: gives %s the shape %s, which it does not have in %s: they are of different "
              "programs, the reports are not used",
              l->text.file, v->name, v->shape, l->m->hlo.file);
}

/* Drops what the reports say of another program. */
static void check_names(struct loader *l)
{
    struct assignment *x = &l->text;
    if (!l->m->has_hlo)
        return;
    const char *name = stranger_in_values(l, x);
    const struct dump_value *odd = name ? NULL : misshapen(l, x);
    if (odd) { /* same names, other sizes: the example at another length */
        warn_misshapen(l, odd);
        drop_allocations(x);
        l->has_text = false;
        drop_claims(x);
    }
    if (name) {
        warn_stranger(l, x->file, name, "the buffer assignment is");
        drop_allocations(x);
        l->has_text = false;
        if (x->ranges_file && strcmp(x->ranges_file, x->file) == 0)
            drop_claims(x);
    }
    name = stranger_in_claims(l, x);
    if (name) {
        warn_stranger(l, x->ranges_file, name, "the live ranges are");
        drop_claims(x);
    }
}

/* The proto's allocations and the text's must be the same; without any in the text, its total. */
static bool same_allocations(const struct assignment *p, const struct assignment *x)
{
    struct totals t;
    assignment_totals(p, &t);
    bool same =
        (!x->has_total || x->total == t.total) && (!x->allocs.n || x->allocs.n == p->allocs.n);
    for (uint32_t i = 0; same && i < x->allocs.n; i++)
        same = assignment_alloc(x, i)->size == assignment_alloc(p, i)->size;
    return same;
}

/* Copies the claims; the ranges' paths move into the pool of *a. */
static void adopt_claims(struct assignment *a, const struct assignment *x)
{
    for (uint32_t i = 0; i < x->ranges.n; i++) {
        struct claimed_range *r = list_add(a->arena, &a->ranges, sizeof *r);
        *r = ((const struct claimed_range *)x->ranges.items)[i];
        const int64_t *path = assignment_path(x, r->path);
        r->path.first = a->paths.n;
        for (uint32_t k = 0; k < r->path.n; k++)
            *(int64_t *)list_add(a->arena, &a->paths, sizeof *path) = path[k];
    }
    a->sequence = x->sequence;
    a->ranges_file = x->ranges_file;
    a->has_max = x->has_max;
    a->max = x->max;
    a->has_peak = x->has_peak;
    a->peak_step = x->peak_step;
    a->peak_bytes = x->peak_bytes;
    a->has_total = x->has_total;
    a->total = x->total;
    a->recent |= x->recent;
    a->oldest |= x->oldest;
}

static bool sound(struct loader *l, const struct assignment *a)
{
    struct diag d;
    if (assignment_check(a, &d))
        return true;
    note(l, &d, unusable);
    return false;
}

/* The proto's allocations win; the text adds its claims if it speaks of the same ones. */
static void choose_assignment(struct loader *l)
{
    struct module *m = l->m;
    struct assignment *p = &l->proto, *x = &l->text;
    l->has_proto = l->has_proto && sound(l, p);
    l->has_text = l->has_text && !l->has_proto && sound(l, x);
    m->has_assignment = l->has_proto || l->has_text;
    m->assignment = l->has_proto  ? *p
                    : l->has_text ? *x
                                  : (struct assignment){.arena = &m->arena, .file = x->file};
    if (l->has_text)
        return;
    if (l->has_proto && !same_allocations(p, x))
        dump_warn(&m->arena, &m->warnings,
                  "%s: its allocations are not those of %s: they are of different programs, "
                  "the live ranges beside it are not used",
                  x->file, p->file);
    else
        adopt_claims(&m->assignment, x);
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

/* ---- Platform ---- */

struct sign {
    const char *word;
    enum platform platform;
};

/* Only one backend writes these words into backend_config; a CPU has none in a small program. */
static const struct sign config_signs[] = {
    {"\"operation_queue_id\"", PLATFORM_GPU},
    {"\"fusion_backend_config\"", PLATFORM_GPU},
    {"\"outer_dimension_partitions\"", PLATFORM_CPU},
};

/* How the targets of one backend's custom calls start. */
static const struct sign target_signs[] = {
    {"__cublas", PLATFORM_GPU}, {"__cudnn", PLATFORM_GPU},   {"__triton", PLATFORM_GPU},
    {"__gpu$", PLATFORM_GPU},   {"cusolver_", PLATFORM_GPU}, {"triton_kernel_call", PLATFORM_GPU},
    {"lapack_", PLATFORM_CPU},  {"__onednn", PLATFORM_CPU},  {"tpu_custom_call", PLATFORM_TPU},
};

static enum platform platform_of_inst(const struct hlo_inst *x)
{
    const char *config = x->backend_config, *target = x->op == OP_CUSTOM_CALL ? x->kind : NULL;
    for (size_t i = 0; config && i < sizeof config_signs / sizeof *config_signs; i++)
        if (strstr(config, config_signs[i].word))
            return config_signs[i].platform;
    for (size_t i = 0; target && i < sizeof target_signs / sizeof *target_signs; i++)
        if (strncmp(target, target_signs[i].word, strlen(target_signs[i].word)) == 0)
            return target_signs[i].platform;
    return PLATFORM_UNKNOWN;
}

/* Only TPU layouts have tiles. */
static enum platform platform_of(const struct module *m)
{
    const struct hlo *h = &m->hlo;
    const struct assignment *a = &m->assignment;
    enum platform p = PLATFORM_UNKNOWN;
    for (uint32_t i = 0; m->has_hlo && i < h->shapes.nodes.n; i++)
        if (shape_node(&h->shapes, i)->tiles.n)
            return PLATFORM_TPU;
    for (inst_id i = 0; m->has_hlo && !p && i < h->insts.n; i++)
        p = platform_of_inst(hlo_inst(h, i));
    for (uint32_t i = 0; !m->has_hlo && !p && i < a->values.n; i++) {
        const char *shape = assignment_value(a, i)->shape;
        p = shape && strstr(shape, ":T(") ? PLATFORM_TPU : PLATFORM_UNKNOWN;
    }
    return p;
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
        note(l, &d, "the device is not known: ");
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
    struct loader l = {.d = d, .e = e, .m = m, .diag = diag};
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
    place_implied(&l);
    check_names(&l);
    choose_assignment(&l);
    take_schedule(&l);
    bool ok = m->has_hlo || m->has_assignment;
    if (ok) {
        m->stem = arena_text(&m->arena, e->stem, strlen(e->stem));
        m->dir = arena_text(&m->arena, e->dir, strlen(e->dir));
        m->name = module_name(&l);
        m->file = m->has_hlo ? m->hlo.file : m->assignment.file;
        if (m->platform == PLATFORM_UNKNOWN)
            m->platform = platform_of(m);
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
