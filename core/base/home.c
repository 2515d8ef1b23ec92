#include "core/base/home.h"

#include <stdio.h>
#include <stdlib.h>

bool home_path(char *out, size_t size, const char *variable, const char *under, const char *name)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    bool own = base && *base == '/';
    if (!own && !(home && *home == '/'))
        return false;
    int n = snprintf(out, size, "%s%s%s/tidemark%s%s", own ? base : home, own ? "" : "/", own ? "" : under, name ? "/" : "",
                     name ? name : "");
    return n > 0 && (size_t)n < size;
}
