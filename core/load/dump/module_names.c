/* Instructions by name, and those that the text leaves out: where they stand, by the values that the
 * reports place. */
#include "core/load/dump/module_build.h"

#include <string.h>

inst_id loader_inst(struct loader *l, const char *name, size_t len)
{
    const struct hlo *h = &l->m->hlo;
    for (inst_id i = 0; !l->has_names && i < h->insts.n; i++) {
        const char *known = hlo_inst(h, i)->name;
        strmap_put(&l->scratch, &l->names, known, strlen(known), i);
    }
    l->has_names = true;
    return strmap_find(&l->names, name, len);
}

bool loader_knows(struct loader *l, const char *name)
{
    return loader_inst(l, name, strlen(name)) != STRMAP_NONE;
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

void loader_read_positions(struct loader *l, const struct file *f)
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
            inst_id i = loader_inst(l, name, len);
            if (i == STRMAP_NONE)
                strmap_put(&l->scratch, &l->value_of, name, len, l->n_values);
            else if (hlo_inst(h, i)->implied && !l->inst_value[i])
                l->inst_value[i] = l->n_values;
        }
    }
}

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
        inst_id i = loader_inst(l, names[k], strlen(names[k]));
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

void loader_place_implied(struct loader *l)
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
