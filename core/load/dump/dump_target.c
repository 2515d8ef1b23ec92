#include "core/load/dump/dump_target.h"
#include "core/base/unpack.h"
#include "core/load/dump/dump_names.h"

#include <string.h>

void dump_target_add(struct dump_targets *t, struct arena *scratch, struct arena *paths, const char *dir,
                     const char *name)
{
    size_t len = strlen(name) - unpack_suffix(name) - strlen(DUMP_TARGET_SUFFIX);
    const char *stem = arena_text(scratch, name, len);
    const char *key = dump_join(scratch, dir, stem); /* with the '.' behind the stem */
    strmap_put(scratch, &t->of, dir, strlen(dir), t->paths.n);
    strmap_put(scratch, &t->of, key, strlen(key), t->paths.n);
    dump_add_path(scratch, &t->paths, dump_join(paths, dir, name));
}

const char *dump_target_of(const struct dump_targets *t, const struct dump_entry *e)
{
    if (e->platform != PLATFORM_GPU && e->platform != PLATFORM_UNKNOWN)
        return NULL;
    struct arena scratch = {0};
    const char *key = dump_join(&scratch, e->dir, arena_printf(&scratch, "%s.", e->stem));
    uint32_t i = strmap_find(&t->of, key, strlen(key));
    if (i == STRMAP_NONE)
        i = strmap_find(&t->of, e->dir, strlen(e->dir));
    arena_free(&scratch);
    return i == STRMAP_NONE ? NULL : ((const char **)t->paths.items)[i];
}
