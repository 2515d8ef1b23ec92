/* Sentences about listings. */
#include "core/output/report/listing_report.h"

#include <string.h>

const char listing_lacks[] =
    "a listing is a snapshot of a program, without its instructions: the order of things, why a buffer "
    "is alive, the map, and verify, timeline, whatif, diff, run and export need the dump: "
    "XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_as_proto\"";

const char *listing_kind_words(const struct listing *l)
{
    static const char *const words[] = {
        [LISTING_MESSAGE] = "out-of-memory message", [LISTING_GPU] = "GPU listing",
        [LISTING_TPU] = "TPU listing", [LISTING_RESERVATION] = "TPU reservation",
        [LISTING_POOL] = "GPU memory pool", [LISTING_REPORT] = "memory usage report",
        [LISTING_ROWS] = "rows of a memory usage report",
    };
    return words[l->form];
}

/* "18.00 MiB", and as a whole figure where the log was not rounding. */
static const char *bytes(struct listing_bytes b, char out[24])
{
    if (!b.known)
        strcpy(out, "?");
    else
        bytes_text(b.bytes, out);
    return out;
}

static int requested(const struct listing *l, char *out, size_t size)
{
    char a[24], b[24], c[24];
    int n = snprintf(out, size, "%s could not be allocated", bytes(l->requested, a));
    if (l->in_use.known && l->capacity.known)
        n += snprintf(out + n, size - (size_t)n, ": %s of %s in use", bytes(l->in_use, b), bytes(l->capacity, c));
    else if (l->free.known)
        n += snprintf(out + n, size - (size_t)n, ": %s was free", bytes(l->free, b));
    if (l->form == LISTING_POOL && l->largest_free.known)
        n += snprintf(out + n, size - (size_t)n, ", at most %s in one piece", bytes(l->largest_free, b));
    return n;
}

const char *listing_headline(const struct listing *l, char *out, size_t size)
{
    char a[24], b[24];
    const char *space = l->space ? l->space : "memory", *colon = ": ";
    char where[80];
    snprintf(where, sizeof where, "%.60s%s", l->space ? space : "", l->space ? colon : "");
    if (l->used.known && l->capacity.known)
        snprintf(out, size, "%s%s needed, %s there", where, bytes(l->used, a), bytes(l->capacity, b));
    else if (l->requested.known)
        requested(l, out + snprintf(out, size, "%s", where), size - strlen(where));
    else if (l->budget.known)
        snprintf(out, size, "rematerialization got it down to %s, not to %s", bytes(l->used, a), bytes(l->budget, b));
    else if (l->total.known)
        snprintf(out, size, "%s%s in all", where, bytes(l->total, a));
    else if (l->used.known)
        snprintf(out, size, "%s%s needed", where, bytes(l->used, a));
    else
        snprintf(out, size, "%s%s listed", where, bytes_text(listing_listed(l), a));
    return out;
}

const char *listing_fit_words(const struct listing_fit *f, char *out, size_t size)
{
    char need[24], limit[24], apart[24];
    if (!f->has_need) {
        snprintf(out, size, "not known: the log has no sum");
    } else if (!f->has_limit) {
        snprintf(out, size, "not known: try --limit 80G; needs %s (%s)",
                 bytes_text(f->need, need), f->need_of);
    } else {
        uint64_t room = f->limit > f->need ? f->limit - f->need : 0;
        snprintf(out, size, "%s %s: %s (%s) of %s (%s)", f->over ? "no, by" : "yes, with",
                 bytes_text(f->over ? f->over : room, apart), bytes_text(f->need, need), f->need_of,
                 bytes_text(f->limit, limit), f->limit_of);
    }
    return out;
}

const char *listing_go_words(const struct listing *l, const struct listing_fit *f, char *out, size_t size)
{
    char sum[24], more[24];
    out[0] = '\0';
    if (!f->over)
        return out;
    if (!l->buffers.n)
        snprintf(out, size, "not known what would have to go: no buffers are listed");
    else if (!f->enough)
        snprintf(out, size, "all %llu listed buffers would have to go (%s), and %s more",
                 (unsigned long long)f->go_count, bytes_text(f->go_bytes, sum),
                 bytes_text(f->over - f->go_bytes, more));
    else
        snprintf(out, size, "at least %llu of the listed buffers would have to go (%s)",
                 (unsigned long long)f->go_count, bytes_text(f->go_bytes, sum));
    return out;
}

const char *listing_yet_words(const struct listing *l, const struct listing_fit *f, char *out, size_t size)
{
    char a[24], b[24];
    bool pool = l->form == LISTING_POOL || l->form == LISTING_RESERVATION;
    if (f->over || !f->has_need || !f->has_limit || !l->requested.known || !(f->asked || pool))
        return NULL;
    bytes_text(l->requested.bytes, a);
    if (l->largest_free.known && l->largest_free.bytes < l->requested.bytes)
        snprintf(out, size, "yet %s could not be allocated: the largest free piece is %s", a,
                 bytes_text(l->largest_free.bytes, b));
    else
        snprintf(out, size, "yet %s could not be allocated: other arrays or programs hold the rest, or it is in pieces%s", a,
                 l->form == LISTING_GPU || l->form == LISTING_POOL
                     ? "; JAX takes 75% of a GPU unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise" : "");
    return out;
}
